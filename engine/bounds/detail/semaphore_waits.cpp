// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/semaphore_waits.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace amalthea::engine::bounds {
namespace {

using Wide = detail::Int128;
constexpr Duration last_moment = Duration::picoseconds(1);
/// What still changes after as many rounds has no bound.
constexpr int most_wait_rounds = 500;
constexpr int most_window_steps = 20'000;

/// Whether they take more than all of the time of these units, in the long run. Then no window is long enough.
template <typename Pending>
bool is_overload(const std::vector<Pending>& all, std::int64_t units) {
  constexpr double above_rounding = 1 + 1e-9;
  double share = 0;
  for (const Pending& one : all)
    share += static_cast<double>(one.each.picoseconds()) / static_cast<double>(one.arrivals.period.picoseconds());
  return share > static_cast<double>(units) * above_rounding;
}

/// The smallest window of at least `from` that `needed` does not exceed, for these users of as many units.
template <typename Pending, typename Needed>
std::optional<Duration> least_window(Duration from, const std::vector<Pending>& all, std::int64_t units,
                                     Needed needed) {
  constexpr int steps_of_most = 8;
  Duration window = from;
  for (int step = 0; step < most_window_steps && window < endless; ++step) {
    // Several units share the load, rounded down.
    if (step == steps_of_most && (units == 1 || !from.is_zero()) && is_overload(all, units)) return std::nullopt;
    const Wide next = needed(window);
    if (next <= window.picoseconds()) return window;
    window = Duration::picoseconds(static_cast<std::int64_t>(std::min<Wide>(next, endless.picoseconds())));
  }
  return std::nullopt;
}

}  // namespace

SemaphoreWaits::Pending::Pending(std::size_t of, const Releases& releases, Duration each)
    : of(of),
      arrivals{releases.period, releases.jitter + (*releases.response - std::min(each, *releases.response)), {}},
      each(each) {}

Wide SemaphoreWaits::Pending::load(Duration window) const {
  return Wide(each.picoseconds()) * cpu::max_arrivals(arrivals, window);
}

SemaphoreWaits::SemaphoreWaits(const AnalyzedSystem& subject, const CoreModels& cores, Problems& problems)
    : subject_(subject),
      cores_(cores),
      problems_(problems),
      user_of_(subject.tasks()),
      uses_(subject.system.semaphores.size()) {
  for (TaskIndex task = 0; task < subject.tasks(); ++task) {
    if (!cores.core_of[task] || cores.shapes[task].requests.empty()) continue;
    user_of_[task] = users_.size();
    User& user = users_.emplace_back();
    user.task = task;
    user.core = *cores.core_of[task];
    user.urgency = cores.ranks.urgency[task];
    user.waits.resize(requests(user).size());
    user.holdings.resize(requests(user).size(), Duration{});
    for (auto* times : {&user.wait_at, &user.held_at, &user.wait_changed}) times->resize(requests(user).size());
    for (std::size_t index = 0; index < requests(user).size(); ++index) {
      const SemaphoreRequest& request = requests(user)[index];
      Uses& uses = uses_[request.semaphore];
      uses.all.push_back({users_.size() - 1, index});
      uses.overtakes = uses.overtakes || (request.whole && subject.system.semaphores[request.semaphore].capacity > 1);
    }
    for (std::size_t entry = 0; entry < problem(user).tasks.size(); ++entry)
      if (problem(user).members[entry].task == task) user.entries.push_back(entry);
    for (const SemaphoreRequest& request : requests(user)) user.on_core.push_back(on_core(user, request));
  }
}

void SemaphoreWaits::begin() {
  if (!any()) return;
  base_.resize(problems_.cores.size());
  for (std::size_t core = 0; core < base_.size(); ++core) base_[core].assign(problems_.cores[core].tasks.size(), {});
  for (const ProblemTask& problem_task : problems_.problem_tasks) {
    if (!problem_task.core) continue;
    const cpu::CpuTask& task = problems_.cores[*problem_task.core].tasks[problem_task.at];
    base_[*problem_task.core][problem_task.at] = {task.waiting, task.polled};
  }
  apply();
}

void SemaphoreWaits::apply() {
  for (const User& user : users_) {
    Duration waiting, polled;
    for (std::size_t request = 0; request < user.waits.size(); ++request) {
      const Wait& wait = user.waits[request];
      const Duration time = wait.time ? *wait.time - wait.beside : endless;
      waiting = std::min(endless, waiting + time);
      if (requests(user)[request].polls) polled = std::min(endless, polled + time);
    }
    const TaskShape& shape = cores_.shapes[user.task];
    for (const std::size_t entry : user.entries) {
      cpu::CpuTask& task = problem(user).tasks[entry];
      task.waiting = base_[user.core][entry].waiting + waiting;
      task.polled = base_[user.core][entry].polled + polled;
      for (std::size_t section = 0; section < task.sections.size(); ++section)
        if (task.sections[section].polls)
          task.sections[section].length = std::min(endless, shape.sections[section].length + polled);
      if (task.cooperative) task.cooperative = std::min(endless, *shape.cooperative + polled);
      for (std::size_t granted = 0; granted < task.granted.size(); ++granted)
        if (task.granted[granted].polls)
          task.granted[granted].length = std::min(endless, shape.granted[granted].section.length + polled);
    }
  }
}

std::optional<Duration> SemaphoreWaits::waits_within(const User& user, const SemaphoreRequest& request) const {
  Duration sum;
  for (const std::size_t inner : request.inner) {
    if (!user.waits[inner].time) return std::nullopt;
    sum = std::min(endless, sum + *user.waits[inner].time);
  }
  return sum;
}

bool SemaphoreWaits::takes_turns(TaskIndex task) const {
  const SchedulerIndex scheduler = cores_.ranks.schedulers[task].front();
  return traits_of(subject_.system.platform.schedulers[scheduler].kind).takes_turns;
}

/// Whether the task keeps its core from the request to the release.
bool SemaphoreWaits::stays(const User& user, const SemaphoreRequest& request) const {
  return request.polls && !request.waits_for_rank && !cores_.cores[user.core].several() &&
         std::all_of(request.inner.begin(), request.inner.end(),
                     [&](std::size_t inner) { return requests(user)[inner].polls; });
}

/// The longest section of the task as others see it while they hold the semaphore: it has none of its units.
Duration SemaphoreWaits::section_without(const cpu::CpuTask& task, TaskIndex index, SemaphoreIndex semaphore) const {
  if (user_of_[index] && subject_.system.semaphores[semaphore].capacity <= 1) {
    const std::vector<Use>& all = uses_[semaphore].all;
    const auto use = std::lower_bound(all.begin(), all.end(), *user_of_[index],
                                      [](const Use& one, std::size_t user) { return one.user < user; });
    if (use != all.end() && use->user == *user_of_[index]) {
      const cpu::Section& longest = requests(users_[use->user])[use->request].without;
      return std::min(endless, longest.length + (longest.polls ? task.polled : Duration{}));
    }
  }
  return cpu::longest_section(task);
}

/// The same for the sections that other cores let begin, of at least this rank.
std::optional<Duration> SemaphoreWaits::granted_without(const cpu::CpuTask& task, TaskIndex index,
                                                        SemaphoreIndex semaphore, std::int64_t rank) const {
  const bool ignores = user_of_[index] && subject_.system.semaphores[semaphore].capacity <= 1;
  std::optional<Duration> longest;
  for (std::size_t at = 0; at < task.granted.size(); ++at)
    if (task.granted[at].threshold >= rank && !(ignores && cores_.shapes[index].granted[at].semaphore == semaphore))
      longest = std::max(longest.value_or(Duration{}), task.granted[at].length);
  return longest;
}

/// B and G of tasks of the core that do not precede a holder of this rank.
Duration SemaphoreWaits::blocking(const CoreProblem& core, const std::vector<std::size_t>& below,
                                  SemaphoreIndex semaphore, std::int64_t rank) const {
  const auto cooperative = [&core](std::size_t at) { return core.tasks[at].cooperative.value_or(Duration{}); };
  Duration section, granted, point, second;  // the two longest cooperative sections
  for (const std::size_t at : below) {
    section = std::max(section, section_without(core.tasks[at], core.members[at].task, semaphore));
    second = std::max(second, std::min(point, cooperative(at)));
    point = std::max(point, cooperative(at));
  }
  for (const std::size_t at : below) {
    const auto longest = granted_without(core.tasks[at], core.members[at].task, semaphore, rank);
    if (!longest) continue;
    granted += *longest;
    if (core.tasks[at].cooperative) granted += cooperative(at) == point ? second : point;
  }
  return std::min(endless, section + point) + granted;
}

SemaphoreWaits::Delay SemaphoreWaits::delay(const User& user, const SemaphoreRequest& request,
                                            std::size_t other) const {
  const CoreModel& core = cores_.cores[user.core];
  const TaskIndex task = problem(user).members[other].task;
  if (task == user.task) return Delay::none;
  const Ranks& ranks = cores_.ranks;
  const bool stays = this->stays(user, request);
  if (stays && request.protection) return ranks.rank[task] > *request.protection ? Delay::always : Delay::none;
  if (core.several() || problem(user).by_deadline) return Delay::always;
  const auto& ceiling = cores_.semaphore_urgency[request.semaphore];
  const bool comparable = ranks.by_urgency || ranks.schedulers[task].front() == ranks.schedulers[user.task].front();
  if (ceiling && comparable && !request.waits_for_rank && !is_interrupt(subject_.task(task)) &&
      !uses_deadlines(subject_.system.platform.schedulers[ranks.schedulers[user.task].front()].kind)) {
    const std::int64_t urgency = ranks.urgency[task];
    if (urgency < *ceiling) return Delay::none;
    if (urgency > *ceiling || takes_turns(task)) return Delay::always;
    return stays && request.after_execution ? Delay::none : Delay::once;
  }
  return ranks.rank[task] >= ranks.rank[user.task] ? Delay::always : Delay::none;
}

SemaphoreWaits::OnCore SemaphoreWaits::on_core(const User& user, const SemaphoreRequest& request) const {
  OnCore found;
  const bool any_order = cores_.cores[user.core].several() || problem(user).by_deadline;
  const bool blocks = !any_order && !(stays(user, request) && request.protection);
  for (std::size_t other = 0; other < problem(user).tasks.size(); ++other) {
    const Delay delays = delay(user, request, other);
    if (delays == Delay::once) found.once.push_back(other);
    if (delays == Delay::always)
      found.always.push_back(other);
    else if (blocks && problem(user).members[other].task != user.task)
      found.below.push_back(other);
  }
  return found;
}

void SemaphoreWaits::meet(User& user, std::size_t index, const CoreBounds& bounds) const {
  const SemaphoreRequest& request = requests(user)[index];
  OnCore& found = user.on_core[index];
  const std::vector<cpu::CpuTask>& tasks = problem(user).tasks;
  found.unbounded = user.entries.empty() || !cores_.cores[user.core].apart ||
                    std::any_of(found.always.begin(), found.always.end(), [&](std::size_t other) {
                      return tasks[other].unlimited || !bounds[user.core][other].response;
                    });
  if (found.unbounded) return;
  const auto left = std::count_if(request.inner.begin(), request.inner.end(),
                                  [&](std::size_t inner) { return !requests(user)[inner].polls; });
  const Duration blocked = blocking(problem(user), found.below, request.semaphore, cores_.ranks.rank[user.task]);
  found.more = std::min(endless, std::min(endless, blocked) * (1 + left));
  for (const std::size_t other : found.once)
    found.more = std::min(endless, found.more + (tasks[other].worst + tasks[other].polled) * (1 + left));
}

SemaphoreWaits::Releases SemaphoreWaits::releases_of(std::size_t core, std::size_t entry,
                                                     const CoreBounds& bounds) const {
  const cpu::CpuTask& task = problems_.cores[core].tasks[entry];
  return {task.arrivals.period, task.arrivals.jitter, task.unlimited ? std::nullopt : bounds[core][entry].response};
}

std::optional<Duration> SemaphoreWaits::holding(const User& user, std::size_t index, const CoreBounds& bounds) {
  const SemaphoreRequest& request = requests(user)[index];
  const OnCore& on_core = user.on_core[index];
  const auto within = waits_within(user, request);
  if (on_core.unbounded || !within) return std::nullopt;
  const std::vector<cpu::CpuTask>& tasks = problem(user).tasks;
  const Duration own = std::min(endless, request.execution + *within + on_core.more);
  const auto units = static_cast<std::int64_t>(
      subject_.task(user.task).preemption == Preemption::cooperative
          ? 1
          : std::max<std::size_t>(1, problem(user).members[user.entries.front()].cores.size()));
  std::vector<Pending>& preceding = preceding_;
  preceding.clear();
  for (const std::size_t other : on_core.always)
    preceding.emplace_back(other, releases_of(user.core, other, bounds), tasks[other].worst + tasks[other].polled);
  // Without execution at the end, it needs the core once more.
  const Duration end = request.ends_waiting ? last_moment : Duration{};
  const auto window = least_window(own + end, preceding, units, [&](Duration at) {
    subject_.taken.add(preceding.size());
    Wide load = 0;
    for (const Pending& other : preceding) load += other.load(at - std::min(at, last_moment));
    return Wide((own + end).picoseconds()) + load / units;
  });
  if (!window) return std::nullopt;
  return *window - end;
}

/// Whether the core of the user executes tasks of at least its rank as long as this one holds the semaphore.
bool SemaphoreWaits::executes_above(const User& holder, const User& user, const SemaphoreRequest& request) const {
  const CoreProblem& core = problem(user);
  if (holder.core != user.core || request.polls || cores_.cores[user.core].several() || core.by_deadline ||
      !core.servers.empty() || cores_.ranks.rank[holder.task] < cores_.ranks.rank[user.task])
    return false;
  for (std::size_t index = 0; index < holder.on_core.size(); ++index) {
    const SemaphoreRequest& held = requests(holder)[index];
    if (held.semaphore == request.semaphore &&
        (!held.inner.empty() || held.waits_for_rank || !holder.on_core[index].more.is_zero()))
      return false;
  }
  return true;
}

SemaphoreWaits::Wait SemaphoreWaits::wait(const User& user, const SemaphoreRequest& request, std::vector<Part>* parts) {
  const Uses& uses = uses_[request.semaphore];
  Wait found;
  std::vector<Pending>& preceding = preceding_;  // with all holdings of a job, by user
  preceding.clear();
  subject_.taken.add(uses.all.size());
  Part least{user.task, {}};
  for (auto use = uses.all.begin(); use != uses.all.end();) {
    const std::size_t index = use->user;
    const User& other = users_[index];
    Duration longest, job;
    bool counts = false;
    for (; use != uses.all.end() && use->user == index; ++use) {
      const auto& holding = other.holdings[use->request];
      if (&other == &user) continue;
      if (other.core == user.core && request.protection && requests(other)[use->request].protection &&
          stays(user, request) && stays(other, requests(other)[use->request]))
        continue;
      counts = true;
      if (!holding) return {std::nullopt, {}, Why::held, index};
      longest = std::max(longest, *holding);
      job = std::min(endless, job + *holding);
    }
    if (!counts) continue;
    if (other.urgency >= user.urgency || uses.overtakes) {  // no standard orders equals
      for (const Releases& releases : other.releases)
        if (!releases.response) return {std::nullopt, {}, Why::no_bound, index};
      for (const Releases& releases : other.releases) preceding.emplace_back(index, releases, job);
    } else if (longest > least.time) {
      least = {other.task, longest};
    }
  }
  const Duration own = least.time;
  found.time = least_window(own, preceding, 1, [&](Duration at) {
    subject_.taken.add(preceding.size());
    Wide sum = own.picoseconds();
    for (const Pending& one : preceding) sum += one.load(at);
    return sum;
  });
  if (!found.time) return {std::nullopt, {}, Why::no_pause};
  if (parts != nullptr && !least.time.is_zero()) parts->push_back(least);
  for (auto one = preceding.begin(); one != preceding.end();) {
    const std::size_t of = one->of;
    Wide load = 0;
    for (; one != preceding.end() && one->of == of; ++one) load += one->load(*found.time);
    if (executes_above(users_[of], user, request))
      found.beside += Duration::picoseconds(static_cast<std::int64_t>(load));
    else if (parts != nullptr)
      parts->push_back({users_[of].task, Duration::picoseconds(static_cast<std::int64_t>(load))});
  }
  return found;
}

std::string SemaphoreWaits::why_held(const User& user, const SemaphoreRequest& request, const User& holder) const {
  const std::string& semaphore = subject_.system.semaphores[request.semaphore].name;
  for (const SemaphoreRequest& held : requests(holder)) {
    if (held.semaphore != request.semaphore) continue;
    for (const User& other : users_) {
      if (other.core != holder.core || other.task == holder.task || other.entries.empty()) continue;
      const bool polls = std::any_of(requests(other).begin(), requests(other).end(), [&](const SemaphoreRequest& each) {
        return each.polls && each.semaphore == request.semaphore;
      });
      if (polls && delay(holder, held, other.entries.front()) != Delay::none)
        return fmt::format(
            "it uses the semaphore {}, which {} polls for on the core of its holder: if it preempts {}, neither "
            "continues",
            semaphore, subject_.name(other.task), subject_.name(holder.task));
    }
  }
  return fmt::format("it waits for the semaphore {}, and nothing bounds how long {} holds it{}", semaphore,
                     subject_.name(holder.task),
                     holder.core == user.core ? "" : ", since tasks of its core may delay it without limit");
}

std::string SemaphoreWaits::why(const User& user, std::size_t index) const {
  const SemaphoreRequest& request = requests(user)[index];
  const Wait& wait = user.waits[index];
  const std::string& semaphore = subject_.system.semaphores[request.semaphore].name;
  switch (wait.why) {
    case Why::held:
      return why_held(user, request, users_[wait.by]);
    case Why::no_bound:
      return fmt::format("it waits for the semaphore {}, which {} may hold, and that has no bound", semaphore,
                         subject_.name(users_[wait.by].task));
    case Why::no_pause:
      return fmt::format("tasks of at least its urgency may use the semaphore {} without a pause", semaphore);
    case Why::diverges:
      break;
  }
  return "the fixed-point iteration of the waits for semaphores diverges";
}

/// Computes a holding if anything that it depends on has changed; returns whether it changed.
bool SemaphoreWaits::is_held_longer(User& user, std::size_t request, const CoreBounds& bounds, int round) {
  const SemaphoreRequest& of = requests(user)[request];
  auto& known = user.holdings[request];
  if (!known) return false;
  const bool is_current = std::none_of(of.inner.begin(), of.inner.end(), [&](std::size_t inner) {
    return user.wait_changed[inner] > user.held_at[request];
  });
  if (round > 0 && is_current) return false;
  auto held = holding(user, request, bounds);
  user.held_at[request] = ++time_;
  if (held && round >= most_wait_rounds && *held > *known) held.reset();
  if (held == known) return false;
  uses_[of.semaphore].changed = ++time_;
  known = held;
  return true;
}

bool SemaphoreWaits::raise(const CoreBounds& bounds, bool may_grow, Faults& faults) {
  if (!any()) return false;
  for (User& user : users_) {
    user.releases.clear();
    for (const std::size_t entry : user.entries) user.releases.push_back(releases_of(user.core, entry, bounds));
    for (std::size_t request = 0; request < user.waits.size(); ++request)
      if (user.holdings[request]) meet(user, request, bounds);
  }
  bool changed = false, again = true;
  for (int round = 0; again; ++round) {
    again = false;
    // Those within a section first: its holding depends on them.
    for (User& user : users_)
      for (std::size_t request = user.waits.size(); request-- > 0;) {
        again = is_held_longer(user, request, bounds, round) || again;
        Wait& wait = user.waits[request];
        if (!wait.time || (round > 0 && uses_[requests(user)[request].semaphore].changed <= user.wait_at[request]))
          continue;
        Wait found = this->wait(user, requests(user)[request], nullptr);
        user.wait_at[request] = ++time_;
        const bool grows = !found.time || *found.time > *wait.time;
        if (found.time && grows && (round >= most_wait_rounds || !may_grow)) found = {std::nullopt, {}, Why::diverges};
        again = again || grows;
        changed = changed || grows;
        if (found.time != wait.time) user.wait_changed[request] = ++time_;
        wait = std::move(found);
      }
  }
  apply();
  for (const User& user : users_)
    for (std::size_t request = 0; request < user.waits.size(); ++request) {
      if (user.waits[request].time) continue;
      if (faults[user.task].empty()) faults[user.task] = why(user, request);
      for (const std::size_t index : problems_.of_task[user.task]) {
        const ProblemTask& problem_task = problems_.problem_tasks[index];
        lost_ = lost_ || !problems_.is_unlimited(problem_task);
        problems_.set_unlimited(problem_task);
      }
    }
  return changed;
}

std::vector<Contribution> SemaphoreWaits::parts(TaskIndex task) {
  if (!user_of_[task]) return {};
  const User& user = users_[*user_of_[task]];
  std::vector<Part> all;
  for (std::size_t request = 0; request < user.waits.size(); ++request)
    if (user.waits[request].time) wait(user, requests(user)[request], &all);
  std::vector<Contribution> parts;
  for (const Part& part : all) parts.push_back({ContributionKind::blocking, part.by, part.time});
  return parts;
}

}  // namespace amalthea::engine::bounds
