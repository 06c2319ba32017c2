// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/sections.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/bounds/detail/places.hpp"
#include "engine/bounds/detail/step_times.hpp"

namespace amalthea::engine::bounds {
namespace {

/// Only tasks above this rank preempt; nothing: every more urgent task does.
using Threshold = std::optional<std::int64_t>;

/// A step as part of sections.
struct Piece {
  Duration time;
  Duration least;
  Threshold threshold;
  bool leaves = false;  ///< may leave the core, by waiting passively
  bool polls = false;   ///< for a semaphore, for a time that is bounded elsewhere

  bool is_within(std::int64_t section) const { return threshold.value_or(least_urgent) >= section; }
};

/// Tracks which tasks can preempt a job while walking through its steps.
class Holdings {
 public:
  /// As if the `ignored` semaphore had no ceiling.
  Holdings(const AnalyzedSystem& subject, const Ranks& ranks, const SemaphoreCeilings& semaphores, TaskIndex task,
           std::optional<SemaphoreIndex> ignored = std::nullopt)
      : subject_(subject), semaphores_(semaphores), task_(task), ignored_(ignored) {
    const Task& stated = subject.task(task);
    if (stated.preemption == Preemption::non_preemptive && !is_interrupt(stated)) own_ = ranks.most_urgent_task;
  }

  Threshold threshold() const {
    Threshold most = ceiling();
    const auto raise = [&most](std::int64_t value) { most = std::max(value, most.value_or(value)); };
    if (own_) raise(*own_);
    if (uninterruptible_ > 0) raise(nobody);
    return most;
  }
  /// Of the semaphores that it holds.
  Threshold ceiling() const {
    Threshold most;
    for (const auto& [semaphore, count] : held_)
      if (semaphores_.ceiling[semaphore] && semaphore != ignored_)
        most = std::max(*semaphores_.ceiling[semaphore], most.value_or(*semaphores_.ceiling[semaphore]));
    return most;
  }

  void pass(std::size_t step) {
    switch (subject_.step({task_, step}).kind) {
      case StepKind::request_semaphore: {
        const SemaphoreIndex semaphore = subject_.activity<UseSemaphore>({task_, step}).semaphore;
        const auto held = find(semaphore);
        if (held == held_.end())
          held_.emplace_back(semaphore, 1);
        else
          ++held->second;
        break;
      }
      case StepKind::release_semaphore: {
        const auto& use = subject_.activity<UseSemaphore>({task_, step});
        const auto held = find(use.semaphore);
        if (held != held_.end() && (use.operation == UseSemaphore::Operation::exclusive || --held->second == 0))
          held_.erase(held);
        break;
      }
      case StepKind::uninterruptible:
        uninterruptible_ += subject_.activity<Uninterruptible>({task_, step}).begins ? 1 : -1;
        uninterruptible_ = std::max<std::int64_t>(0, uninterruptible_);
        break;
      default:
        break;
    }
  }

 private:
  std::vector<std::pair<SemaphoreIndex, std::int64_t>>::iterator find(SemaphoreIndex semaphore) {
    return std::find_if(held_.begin(), held_.end(), [semaphore](const auto& held) { return held.first == semaphore; });
  }

  const AnalyzedSystem& subject_;
  const SemaphoreCeilings& semaphores_;
  TaskIndex task_;
  std::optional<SemaphoreIndex> ignored_;
  Threshold own_;
  std::int64_t uninterruptible_ = 0;
  std::vector<std::pair<SemaphoreIndex, std::int64_t>> held_;  ///< how often; only those that it holds
};

/// Everything except the threshold.
Piece piece_of(const AnalyzedSystem& subject, const SemaphoreCeilings& semaphores, TaskStep task_step, bool in_branch) {
  Piece piece;
  switch (subject.step(task_step).kind) {
    case StepKind::execute: {
      const Span span = span_of(subject, task_step);
      piece.time = span.worst;
      if (!in_branch) piece.least = span.best;
      break;
    }
    case StepKind::wait:
      piece.leaves = !subject.activity<WaitEvents>(task_step).active;
      if (!piece.leaves) piece.time = endless;
      break;
    case StepKind::request_semaphore: {
      const auto& use = subject.activity<UseSemaphore>(task_step);
      if (!semaphores.endless[use.semaphore] && !semaphores.timed[use.semaphore] &&
          semaphores.waiting[use.semaphore].empty())
        break;
      piece.leaves = !use.active && !subject.system.semaphores[use.semaphore].spinlock;
      piece.polls = !piece.leaves && semaphores.timed[use.semaphore];
      if (!piece.leaves && !piece.polls) piece.time = endless;
      break;
    }
    default:
      break;
  }
  return piece;
}

/// At a step that changes the threshold, the stricter side must also hold.
void set_thresholds(Holdings holdings, std::vector<Piece>& pieces) {
  Threshold before = holdings.threshold();
  for (std::size_t step = 0; step < pieces.size(); ++step) {
    holdings.pass(step);
    const Threshold after = holdings.threshold();
    pieces[step].threshold = before && after ? std::min(before, after) : std::nullopt;
    before = after;
  }
}

/// Parallel to the steps.
std::vector<Piece> pieces_of(const AnalyzedSystem& subject, const SemaphoreCeilings& semaphores, TaskIndex task,
                             const std::vector<bool>& in_branch, Holdings holdings) {
  std::vector<Piece> pieces;
  pieces.reserve(subject.steps(task).size());
  for (std::size_t step = 0; step < subject.steps(task).size(); ++step)
    pieces.push_back(piece_of(subject, semaphores, {task, step}, in_branch[step]));
  set_thresholds(std::move(holdings), pieces);
  return pieces;
}

/// As if the semaphore had no ceiling.
std::vector<Piece> pieces_without(const AnalyzedSystem& subject, const Ranks& ranks,
                                  const SemaphoreCeilings& semaphores, TaskIndex task, std::vector<Piece> pieces,
                                  SemaphoreIndex ignored) {
  set_thresholds(Holdings(subject, ranks, semaphores, task, ignored), pieces);
  return pieces;
}

std::vector<std::int64_t> thresholds_of(const std::vector<Piece>& pieces) {
  std::vector<std::int64_t> thresholds;
  for (const Piece& piece : pieces)
    if (piece.threshold) thresholds.push_back(*piece.threshold);
  std::sort(thresholds.begin(), thresholds.end());
  thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
  return thresholds;
}

/// The longest contiguous time within sections of at least this threshold.
Duration longest_section(const std::vector<Piece>& pieces, std::int64_t threshold) {
  Duration longest, run;
  for (const Piece& piece : pieces) {
    // A step that may take no time, such as a wait for a set event, does not leave the core.
    if (!piece.is_within(threshold) && !piece.least.is_zero()) run = {};
    if (piece.is_within(threshold)) run = std::min(endless, run + piece.time);
    longest = std::max(longest, run);
  }
  return longest;
}

std::vector<cpu::Section> sections_of(const std::vector<Piece>& pieces) {
  std::vector<cpu::Section> sections;
  for (const std::int64_t threshold : thresholds_of(pieces)) {
    const bool polls = std::any_of(pieces.begin(), pieces.end(), [threshold](const Piece& piece) {
      return piece.polls && piece.threshold && piece.is_within(threshold);
    });
    if (const Duration longest = longest_section(pieces, threshold); polls || !longest.is_zero())
      sections.push_back({longest, threshold, polls});
  }
  return sections;
}

/// The longest section of any threshold: the one of the least, which contains all others.
cpu::Section longest_of(const std::vector<Piece>& pieces) {
  Threshold least;
  cpu::Section longest;
  for (const Piece& piece : pieces) {
    if (!piece.threshold) continue;
    least = std::min(*piece.threshold, least.value_or(*piece.threshold));
    longest.polls = longest.polls || piece.polls;
  }
  if (least) longest.length = longest_section(pieces, *least);
  return longest;
}

cpu::Section last_section(const std::vector<Piece>& pieces) {
  cpu::Section last;
  if (pieces.empty() || !pieces.back().threshold) return last;
  last.threshold = *pieces.back().threshold;
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
    if (piece->leaves || !piece->is_within(last.threshold)) break;
    last.length = std::min(endless, last.length + piece->time);
  }
  return last;
}

bool is_call(const AnalyzedSystem& subject, TaskStep task_step) {
  return std::holds_alternative<Call>(subject.activity(task_step));
}

/// A group of any order in a cooperative task.
struct AnyOrder {
  std::size_t end = 0;
  Duration beside;             ///< execution outside of the runnables that the task itself calls
  Duration longest, shortest;  ///< of these runnables
  bool calls = false;          ///< there are some
  bool certain = true;         ///< every job executes all of it; otherwise it counts as one section
  bool open = true;            ///< other cooperative tasks may preempt it between them
  bool matters() const { return calls && open; }
};

AnyOrder any_order_from(const AnalyzedSystem& subject, TaskIndex task, const std::vector<bool>& in_branch,
                        const std::vector<Piece>& pieces, std::size_t begin) {
  const auto group_of = [&](std::size_t step) {
    return subject.system.graph[subject.step({task, step}).node].unordered;
  };
  AnyOrder group;
  Duration runnable, all;
  const auto add_runnable = [&] {
    group.longest = std::max(group.longest, runnable);
    group.shortest = group.calls ? std::min(group.shortest, runnable) : runnable;
    group.calls = true;
  };
  bool within = false;
  for (group.end = begin; group.end < pieces.size() && group_of(group.end) == group_of(begin); ++group.end) {
    const TaskStep step{task, group.end};
    const bool inside = subject.system.graph[subject.step(step).node].depth > 0;
    const bool call = is_call(subject, step) && is_outer(subject, step);
    if (within && (call || !inside)) add_runnable();
    if (call) runnable = {};
    within = call || (within && inside);
    Duration& sum = within ? runnable : group.beside;
    sum = std::min(endless, sum + pieces[group.end].time);
    all = std::min(endless, all + pieces[group.end].time);
    group.certain = group.certain && !in_branch[group.end];
    group.open = group.open && !pieces[group.end].threshold;
  }
  if (within) add_runnable();
  if (!group.certain) {
    group.beside = all;
    group.longest = group.shortest = {};
  }
  return group;
}

void add_cooperative_sections(const AnalyzedSystem& subject, TaskIndex task, const std::vector<bool>& in_branch,
                              const std::vector<Piece>& pieces, TaskShape& shape) {
  const std::vector<Step>& steps = subject.steps(task);
  Duration longest, run, last, after_point;
  for (std::size_t index = 0; index < pieces.size(); ++index) {
    AnyOrder group;
    if (subject.system.graph[steps[index].node].unordered != 0)
      group = any_order_from(subject, task, in_branch, pieces, index);
    if (group.matters()) {
      longest = std::max(longest, std::min(endless, std::max(run, group.longest) + group.beside));
      run = std::min(endless, std::max(group.certain ? Duration{} : run, group.longest) + group.beside);
      last = {};
      after_point = group.shortest;
      index = group.end - 1;
      continue;
    }
    const bool call = is_call(subject, {task, index});
    const bool point = steps[index].kind == StepKind::schedule_point;
    // Within another section nothing may preempt, not at a schedule point or between runnables either.
    const bool open = !pieces[index].threshold;
    if ((point || call) && open) after_point = {};
    after_point = std::min(endless, after_point + pieces[index].time);
    const bool changes = call || (index > 0 && steps[index - 1].runnable != steps[index].runnable);
    if (!in_branch[index] && (point || (call && is_outer(subject, {task, index}))) && open) run = {};
    if (pieces[index].leaves || in_branch[index] || changes || point) last = {};
    run = std::min(endless, run + pieces[index].time);
    if (!in_branch[index]) last = std::min(endless, last + pieces[index].time);
    longest = std::max(longest, run);
  }
  shape.preemptible_at_end = after_point.is_zero();
  shape.cooperative = longest;
  shape.last_cooperative = last;
}

/// Whether a job may execute nothing after it has waited for a semaphore, up to this step.
bool ends_with_request(const AnalyzedSystem& subject, const SemaphoreCeilings& semaphores, TaskIndex task,
                       const std::vector<Piece>& pieces, std::size_t end) {
  for (std::size_t step = end; step-- > 0 && pieces[step].time.is_zero();) {
    if (subject.step({task, step}).kind != StepKind::request_semaphore) continue;
    const SemaphoreIndex semaphore = subject.activity<UseSemaphore>({task, step}).semaphore;
    if (semaphores.timed[semaphore] || !semaphores.waiting[semaphore].empty()) return true;
  }
  return false;
}

/// For each step, what protects it besides semaphores.
std::vector<Threshold> protections_of(const AnalyzedSystem& subject, const Ranks& ranks, TaskIndex task) {
  std::vector<Threshold> protections;
  std::int64_t uninterruptible = 0;
  for (std::size_t step = 0; step < subject.steps(task).size(); ++step) {
    if (subject.step({task, step}).kind == StepKind::uninterruptible)
      uninterruptible += subject.activity<Uninterruptible>({task, step}).begins ? 1 : -1;
    protections.emplace_back();
    if (subject.task(task).preemption == Preemption::non_preemptive) protections.back() = ranks.most_urgent_task;
    if (uninterruptible > 0) protections.back() = nobody;
  }
  return protections;
}

/// The sections that begin when a wait ends while the job holds a semaphore with a ceiling.
std::vector<GrantedSection> granted_sections(const AnalyzedSystem& subject, TaskIndex task,
                                             const std::vector<Piece>& pieces, Holdings holdings) {
  const bool cooperative = subject.task(task).preemption == Preemption::cooperative;
  std::vector<GrantedSection> found;
  for (std::size_t step = 0; step < pieces.size(); ++step) {
    holdings.pass(step);
    if ((!pieces[step].leaves && !pieces[step].polls) || !holdings.ceiling()) continue;
    GrantedSection& granted = found.emplace_back();
    granted.section.threshold = cooperative ? nobody : *holdings.ceiling();
    if (subject.step({task, step}).kind == StepKind::request_semaphore)
      granted.semaphore = subject.activity<UseSemaphore>({task, step}).semaphore;
    for (std::size_t end = step + 1; end < pieces.size(); ++end) {
      // Between its points, a cooperative task keeps its core from others.
      if (!cooperative && !pieces[end].threshold && !pieces[end].least.is_zero()) break;
      granted.section.length = std::min(endless, granted.section.length + pieces[end].time);
      granted.section.polls = granted.section.polls || pieces[end].polls;
      granted.section.threshold = std::max(granted.section.threshold, pieces[end].threshold.value_or(least_urgent));
    }
  }
  return found;
}

std::vector<SemaphoreRequest> requests_of(const AnalyzedSystem& subject, const Ranks& ranks,
                                          const SemaphoreCeilings& semaphores, TaskIndex task,
                                          const std::vector<Piece>& pieces) {
  const auto protections = protections_of(subject, ranks, task);
  std::vector<SemaphoreRequest> requests;
  Duration executed;  // at least, since the job became ready
  for (std::size_t step = 0; step < pieces.size(); ++step) {
    const StepKind kind = subject.step({task, step}).kind;
    if (kind == StepKind::execute) executed += span_of(subject, {task, step}).best;
    if (kind == StepKind::request_semaphore) {
      const auto& use = subject.activity<UseSemaphore>({task, step});
      if (semaphores.timed[use.semaphore]) {
        SemaphoreRequest& request = requests.emplace_back();
        request.semaphore = use.semaphore;
        request.polls = pieces[step].polls;
        request.whole = use.operation == UseSemaphore::Operation::exclusive;
        request.after_execution = !executed.is_zero();
        request.protection = protections[step];
        std::size_t end = step, within = 0;
        for (; subject.step({task, end}).kind != StepKind::release_semaphore ||
               subject.activity<UseSemaphore>({task, end}).semaphore != use.semaphore;
             ++end) {
          request.execution += pieces[end].time;
          request.protection =
              request.protection && protections[end] ? std::min(request.protection, protections[end]) : std::nullopt;
          if (end == step || subject.step({task, end}).kind != StepKind::request_semaphore) continue;
          const SemaphoreIndex inner = subject.activity<UseSemaphore>({task, end}).semaphore;
          if (!semaphores.waiting[inner].empty()) request.waits_for_rank = true;
          if (semaphores.timed[inner]) ++within;
        }
        request.ends_waiting = ends_with_request(subject, semaphores, task, pieces, end);
        request.inner.reserve(within);
        for (std::size_t next = 0; next < within; ++next) request.inner.push_back(requests.size() + next);
      }
    }
    if (pieces[step].leaves) executed = {};
  }
  return requests;
}

/// The sections of semaphores of the same core without a priority ceiling.
std::vector<cpu::SemaphoreSection> held_sections(const AnalyzedSystem& subject, const SemaphoreCeilings& semaphores,
                                                 TaskIndex task, const std::vector<Piece>& pieces,
                                                 const std::vector<bool>& in_branch) {
  const auto changes = [&](std::size_t step, StepKind kind, SemaphoreIndex semaphore) {
    return subject.step({task, step}).kind == kind &&
           subject.activity<UseSemaphore>({task, step}).semaphore == semaphore;
  };
  std::vector<cpu::SemaphoreSection> found;
  Duration before;
  for (std::size_t step = 0; step < pieces.size(); ++step) {
    before = std::min(endless, before + pieces[step].time);
    if (subject.step({task, step}).kind != StepKind::request_semaphore) continue;
    const SemaphoreIndex semaphore = subject.activity<UseSemaphore>({task, step}).semaphore;
    if (semaphores.waiting[semaphore].empty()) continue;
    Duration length;
    for (std::size_t at = step; at < pieces.size() && !changes(at, StepKind::release_semaphore, semaphore); ++at)
      length = std::min(endless, length + pieces[at].time);
    found.push_back({semaphore, length, in_branch[step] ? std::nullopt : std::optional(before)});
  }
  return found;
}

/// Whether a release of the semaphore may let other tasks of the core run, which wait for it or are below its ceiling.
bool lets_others_run(const AnalyzedSystem& subject, TaskIndex task, SemaphoreIndex semaphore) {
  if (subject.system.semaphores[semaphore].priority_ceiling) return true;
  const std::vector<UnitIndex> core = joined_cores(subject.system);
  for (TaskIndex other = 0; other < subject.tasks(); ++other) {
    if (other == task || !subject.is_host(other) || core[subject.task(other).unit] != core[subject.task(task).unit])
      continue;
    for (std::size_t step = 0; step < subject.steps(other).size(); ++step)
      if (subject.step({other, step}).kind == StepKind::request_semaphore &&
          subject.activity<UseSemaphore>({other, step}).semaphore == semaphore)
        return true;
  }
  return false;
}

/// Whether others may precede the end of a job that has executed all: after it has triggered tasks or set events, after
/// a section, or after a schedule point.
bool others_precede_end(const AnalyzedSystem& subject, TaskIndex task, const std::vector<Piece>& pieces) {
  const bool points = subject.task(task).preemption != Preemption::non_preemptive;
  const auto& tasks = subject.system.tasks;
  if (!points && std::none_of(tasks.begin(), tasks.end(), is_interrupt)) return false;
  for (std::size_t step = pieces.size(); step-- > 0;) {
    if (!pieces[step].time.is_zero() || pieces[step].leaves) break;
    switch (subject.step({task, step}).kind) {
      case StepKind::trigger:
      case StepKind::set_events:
      case StepKind::uninterruptible:
        return true;
      case StepKind::release_semaphore:
        if (lets_others_run(subject, task, subject.activity<UseSemaphore>({task, step}).semaphore)) return true;
        break;
      case StepKind::schedule_point:
        if (points) return true;
        break;
      default:
        break;
    }
  }
  return false;
}

}  // namespace

bool is_outer(const AnalyzedSystem& subject, TaskStep call) {
  return subject.system.graph[subject.step(call).node].depth <= 1;
}

TaskShape shape_of(const AnalyzedSystem& subject, const Ranks& ranks, const SemaphoreCeilings& semaphores,
                   TaskIndex host) {
  const auto in_branch = in_branches(subject.steps(host));
  const auto pieces = pieces_of(subject, semaphores, host, in_branch, Holdings(subject, ranks, semaphores, host));
  const auto thresholds = thresholds_of(pieces);
  TaskShape shape;
  shape.sections = sections_of(pieces);
  shape.last = last_section(pieces);
  if (subject.task(host).preemption == Preemption::cooperative)
    add_cooperative_sections(subject, host, in_branch, pieces, shape);
  if (ends_with_request(subject, semaphores, host, pieces, pieces.size()) || others_precede_end(subject, host, pieces))
    shape.preemptible_at_end = true;
  for (const auto& users : semaphores.waiting)
    if (std::find(users.begin(), users.end(), host) != users.end()) shape.waits_for_semaphores = true;
  shape.held = held_sections(subject, semaphores, host, pieces, in_branch);
  shape.granted = granted_sections(subject, host, pieces, Holdings(subject, ranks, semaphores, host));
  if (subject.worst[host].unanalyzable.empty()) {
    shape.requests = requests_of(subject, ranks, semaphores, host, pieces);
    std::map<SemaphoreIndex, cpu::Section> without;  // only a ceiling makes a difference
    for (SemaphoreRequest& request : shape.requests) {
      const SemaphoreIndex ignored = request.semaphore;
      const auto [known, added] = without.try_emplace(ignored);
      if (added && !semaphores.ceiling[ignored]) known->second = longest_of(pieces);
      if (added && semaphores.ceiling[ignored])
        known->second = longest_of(pieces_without(subject, ranks, semaphores, host, pieces, ignored));
      request.without = known->second;
    }
    return shape;
  }
  // The length of its sections is unknown as well.
  for (cpu::Section& section : shape.sections) section.length = endless;
  for (GrantedSection& granted : shape.granted) granted.section.length = endless;
  if (shape.sections.empty() && !thresholds.empty()) shape.sections.push_back({endless, thresholds.back()});
  shape.last = {};
  if (shape.cooperative) shape.cooperative = endless;
  return shape;
}

bool ends_early(const Program& program) {
  bool ended = false;
  for (const Step& step : program.steps) {
    if (ended && !step.overhead) return true;
    ended = ended || step.kind == StepKind::terminate;
  }
  return false;
}

}  // namespace amalthea::engine::bounds
