// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/server_windows.hpp"

#include <algorithm>

namespace amalthea::engine::cpu {
namespace {

/// Nothing in it waits, and others may preempt it at any time.
bool is_plain(const CpuTask& task) {
  return !task.unlimited && !task.has_sections() && task.waiting.is_zero() && task.waits == 0 && task.granted.empty() &&
         task.pause.is_zero();
}

class ServerWindows {
 public:
  using Wide = detail::Int128;

  ServerWindows(const std::vector<CpuTask>& tasks, const std::vector<std::optional<std::size_t>>& server_of,
                const std::vector<NestedServer>& servers, const Limits& limits, std::vector<CpuBound>& bounds)
      : tasks_(tasks),
        server_of_(server_of),
        servers_(servers),
        limits_(limits),
        bounds_(bounds),
        responses_(tasks.size()),
        found_(tasks.size()),
        is_settled_(tasks.size()),
        tasks_in_(servers.size() + 1),
        servers_in_(servers.size() + 1),
        members_(servers.size()) {
    for (std::size_t server = 0; server < servers.size(); ++server) {
      servers_in_[servers[server].parent.value_or(servers.size())].push_back(server);
      CpuTask task = as_task(servers[server].resource);
      task.arrivals.jitter = servers[server].resource.period - servers[server].resource.budget;
      as_tasks_.push_back(task);
    }
    for (std::size_t task = 0; task < tasks.size(); ++task) {
      tasks_in_[server_of[task].value_or(servers.size())].push_back(task);
      for (auto at = server_of[task]; at; at = servers[*at].parent) members_[*at].push_back(task);
    }
  }

  void run() {
    if (!applies()) return;
    std::vector<std::size_t> order;
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
      responses_[task] = known(task);
      if (!server_of_[task] || (!known(task) && bounds_[task].reason != NoBound::no_supply)) continue;
      order.push_back(task);
      responses_[task] = worst(task);
    }
    std::stable_sort(order.begin(), order.end(),
                     [this](std::size_t a, std::size_t b) { return tasks_[a].priority > tasks_[b].priority; });
    bool again = true;
    for (int round = 0; again; ++round) {
      again = false;
      for (const std::size_t task : order) again = raise(task, round < most_rounds) || again;
      if (!has_steps()) return;
    }
    for (const std::size_t task : order)
      if (found_[task]) replace(*found_[task]);
  }

 private:
  static constexpr Wide moment = 1;       ///< the shortest time that counts
  static constexpr int most_rounds = 50;  ///< what still grows then keeps the bound that there is
  static constexpr std::int64_t most_jobs = 64;
  /// Tasks without a bound get none that is longer than so many periods.
  static constexpr std::int64_t most_periods = 64;
  /// Of the steps that all tasks together may take, the analyses without these windows need far fewer.
  static constexpr std::int64_t part_of_steps = 8;

  /// Nothing near the largest times.
  bool is_short(Duration time) const {
    return time <= limits_.window && time.picoseconds() <= Duration::max().picoseconds() / 16;
  }

  bool applies() const {
    if (!std::all_of(tasks_.begin(), tasks_.end(), is_plain)) return false;
    for (std::size_t server = 0; server < servers_.size(); ++server) {
      if (!is_short(servers_[server].resource.period) || members_[server].empty()) return false;
      const auto [low, high] =
          std::minmax_element(members_[server].begin(), members_[server].end(),
                              [this](std::size_t a, std::size_t b) { return tasks_[a].priority < tasks_[b].priority; });
      std::size_t among = 0;
      for (const CpuTask& task : tasks_)
        if (task.priority >= tasks_[*low].priority && task.priority <= tasks_[*high].priority) ++among;
      if (among > members_[server].size()) return false;
    }
    return true;
  }

  static Duration duration(Wide time) { return Duration::picoseconds(static_cast<std::int64_t>(time)); }
  /// The bound that there is.
  std::optional<Wide> known(std::size_t task) const {
    const auto& response = bounds_[task].response;
    return response ? std::optional<Wide>(response->picoseconds()) : std::nullopt;
  }
  Wide worst(std::size_t task) const { return tasks_[task].worst.picoseconds(); }
  Wide period(std::size_t server) const { return servers_[server].resource.period.picoseconds(); }
  Wide budget(std::size_t server) const { return servers_[server].resource.budget.picoseconds(); }
  std::int64_t rank(std::size_t server) const { return tasks_[members_[server].front()].priority; }

  bool has_steps() const { return steps_ <= limits_.steps / part_of_steps; }
  void count_step() {
    ++steps_;
    limits_.taken.add();
  }
  /// What arrives in a half-open window executes at most this.
  Wide load(const CpuTask& task, Wide window) {
    if (window <= 0) return 0;
    count_step();
    return Wide(task.worst.picoseconds()) * max_arrivals(task.arrivals, duration(window - moment));
  }

  /// W_j
  Wide executed(std::size_t task, Wide window) {
    if (window <= 0 || worst(task) == 0) return 0;
    if (!responses_[task]) return window;
    const EventModel& arrivals = tasks_[task].arrivals;
    const Wide whole = window + *responses_[task], job = worst(task);
    count_step();
    const std::int64_t jobs = max_arrivals(arrivals, duration(whole - job - moment));
    const auto left = [&](std::int64_t count) { return whole - Wide(least_distance(arrivals, count).picoseconds()); };
    Wide last = std::max(std::min(job, left(jobs - 1) - job), left(jobs));
    if (const Wide more = left(jobs + 1); more > 0) last = std::max(last, job + more);
    return std::min(window, job * (jobs - 1) + last);
  }
  /// The same of a server, also with a sum that is smaller.
  Wide limit_of(std::size_t server, Wide window) { return std::min(window, load(as_tasks_[server], window)); }
  Wide executed_in(std::size_t server, Wide window) {
    Wide sum = 0;
    for (const std::size_t task : tasks_in_[server]) sum += executed(task, window);
    for (const std::size_t inner : servers_in_[server]) sum += executed_in(inner, window);
    return std::min(sum, limit_of(server, window));
  }

  /// A task whose bound is sought.
  struct Subject {
    std::size_t task = 0;
    std::vector<std::size_t> path;  ///< its servers, from the outermost one
    bool polling = false;           ///< one of them
    Wide idle = 0;                  ///< I
  };
  /// What its jobs execute in the window, at most, and in how much time.
  struct Window {
    Wide own = 0;
    Wide own_at_end = 0;  ///< the part of it that is no execution
    Wide time = 0;        ///< t
  };

  /// The level of the path: 0 is the core, and the last one the innermost server.
  std::size_t place(const Subject& of, std::size_t level) const {
    return level == 0 ? servers_.size() : of.path[level - 1];
  }
  bool is_innermost(const Subject& of, std::size_t level) const { return level == of.path.size(); }
  /// Whether something at this level, of this rank, precedes the task.
  bool is_above(const Subject& of, std::size_t level, std::int64_t priority) const {
    return is_innermost(of, level) ? priority >= tasks_[of.task].priority : priority > rank(of.path[level]);
  }
  bool is_on_path(const Subject& of, std::size_t level, std::size_t server) const {
    return !is_innermost(of, level) && of.path[level] == server;
  }

  /// Calls `visit` with what precedes the task in the window: the task, or one of the server, and the time.
  template <typename Visit>
  void for_each_above(const Subject& of, const Window& window, Visit visit) {
    const Wide later = window.time - of.idle;
    for (std::size_t level = 0; level <= of.path.size(); ++level) {
      const bool inside = !of.polling || is_innermost(of, level);
      for (const std::size_t task : tasks_in_[place(of, level)])
        if (task != of.task && is_above(of, level, tasks_[task].priority))
          visit(task, inside ? load(tasks_[task], window.time) : executed(task, later));
      for (const std::size_t server : servers_in_[place(of, level)])
        if (!is_on_path(of, level, server) && is_above(of, level, rank(server)))
          visit(members_[server].front(), executed_in(server, later));
    }
  }

  /// X(f, t) without the bound by min(f, Q), for what executes in the server at this level and further in. `lacks`:
  /// from which level on, inwards, less urgent tasks only execute before 0.
  Wide executed_since(const Subject& of, std::size_t level, Wide before, const Window& window, std::size_t lacks) {
    const Wide whole = before + window.time;
    const bool is_later = level < lacks;  // whether less urgent tasks execute in the window
    Wide sum = 0;
    for (const std::size_t task : tasks_in_[place(of, level)]) {
      if (task == of.task)
        sum += std::min(executed(task, whole) + window.own_at_end, executed(task, before) + window.own);
      else if (is_above(of, level, tasks_[task].priority))
        sum += std::min(executed(task, whole), executed(task, before) + load(tasks_[task], window.time));
      else
        sum += executed(task, is_later ? whole : before);
    }
    for (const std::size_t server : servers_in_[place(of, level)]) {
      if (is_on_path(of, level, server))
        sum += std::min(executed_since(of, level + 1, before, window, lacks), limit_of(server, whole) + moment);
      else
        sum += executed_in(server, is_later || is_above(of, level, rank(server)) ? whole : before);
    }
    return sum;
  }

  /// How often the server lacks budget.
  Wide times(std::size_t server, Wide work) const { return work > 0 ? (work - 1) / budget(server) : Wide(0); }

  /// The time for which servers of the path lack budget, all of them deferrable, less what tasks above execute less.
  Wide lack(const Subject& of, const Window& window) {
    Wide sum = 0, saved = 0;
    std::size_t lacks = 0;  // the innermost level at which a server may lack budget
    for (std::size_t level = of.path.size(); level > 0; --level) {
      const Lack found = lack_at(of, level, window, lacks);
      if (found.time > 0) lacks = std::max(lacks, level);
      sum += found.time;
      saved = std::max(saved, found.saved);
    }
    return sum - saved;
  }
  struct Lack {
    Wide time = 0, saved = 0;
  };
  Lack lack_at(const Subject& of, std::size_t level, const Window& window, std::size_t lacks) {
    const std::size_t server = place(of, level);
    const Wide gap = period(server) - budget(server);
    const Wide after = executed_since(of, level, 0, window, lacks);
    const Wide least = gap * times(server, after);
    const Wide enough = budget(server) * (times(server, after) + 1) + moment;
    const auto is_enough = [&](Wide before) {
      return std::min(before, budget(server)) + after >= enough &&
             executed_since(of, level, before, window, lacks) >= enough;
    };
    Wide low = 0, high = period(server) - moment;  // f is above `low`, if there is one
    if (gap == 0 || !is_enough(high)) return {least, 0};
    while (high - low > moment) (is_enough(low + (high - low) / 2) ? high : low) = low + (high - low) / 2;
    const Wide used = std::min({executed_in(server, high), high, budget(server)});
    const Wide once_more = std::max(least, least + gap - (high - used));
    const Wide above = executed_since(of, level, 0, window, 0);
    const Wide with_less = std::max(least, least + gap - (high - (enough - above)));
    return {once_more, std::max(Wide(0), once_more - with_less)};
  }

  /// The same from I' on, if one of them is polling.
  Wide lack_after_idle(const Subject& of, const Window& window) {
    Wide sum = 0;
    for (std::size_t level = of.path.size(); level > 0; --level) {
      const std::size_t server = place(of, level);
      const Wide since = std::min(window.time, window.time - of.idle + period(server));
      const Wide more = period(server) > of.idle ? 1 : 0;
      sum += (period(server) - budget(server)) * (times(server, executed_after_idle(of, level, window, since)) + more);
    }
    return sum;
  }
  Wide executed_after_idle(const Subject& of, std::size_t level, const Window& window, Wide since) {
    Wide sum = 0;
    for (const std::size_t task : tasks_in_[place(of, level)]) {
      if (task == of.task)
        sum += window.own;
      else if (!is_innermost(of, level))
        sum += executed(task, since);
      else if (is_above(of, level, tasks_[task].priority))
        sum += load(tasks_[task], window.time);
    }
    for (const std::size_t server : servers_in_[place(of, level)]) {
      if (is_on_path(of, level, server))
        sum += std::min(executed_after_idle(of, level + 1, window, since), limit_of(server, since) + moment);
      else if (!is_innermost(of, level) || is_above(of, level, rank(server)))
        sum += executed_in(server, since);
    }
    return sum;
  }

  /// The smallest window in which jobs of the task execute this, or all that it releases in the window; nothing if it
  /// is not below `limit`.
  template <typename Own>
  std::optional<Window> solve(const Subject& of, Own own, Wide limit) {
    Window window{own(moment), 0, of.idle + moment};
    while (window.time < limit && has_steps()) {
      window.own = own(window.time);
      window.own_at_end = at_end(of.task);
      Wide next = of.idle + window.own;
      for_each_above(of, window, [&](std::size_t, Wide time) { next += time; });
      if (next < limit) next += of.polling ? lack_after_idle(of, window) : lack(of, window);
      if (!has_steps()) return std::nullopt;
      if (next <= window.time) return window;
      window.time = next;
    }
    return std::nullopt;
  }
  /// A job that may be preempted before it ends, or executes nothing, needs the core for one moment more.
  Wide at_end(std::size_t task) const { return tasks_[task].preemptible_at_end || worst(task) == 0 ? moment : Wide(0); }

  /// The longest response.
  struct Found {
    Subject of;
    Window window;  ///< of that job
    std::int64_t job = 0;
    Wide response = 0, end_jitter = 0;
  };

  Wide most_useful(const Subject& of) const {
    if (const auto bound = known(of.task)) return *bound;
    Wide longest = tasks_[of.task].arrivals.period.picoseconds();
    for (const std::size_t server : of.path) longest = std::max(longest, period(server));
    return std::min(Wide(limits_.window.picoseconds()), longest * most_periods);
  }

  /// Nothing if it is not below the bound that there is.
  std::optional<Found> longest(std::size_t task) {
    Found longest;
    Subject& of = longest.of;
    of.task = task;
    for (auto at = server_of_[task]; at; at = servers_[*at].parent) of.path.insert(of.path.begin(), *at);
    for (const std::size_t server : of.path)
      if (servers_[server].resource.polling) {
        of.polling = true;
        of.idle = std::max(of.idle, period(server));
      }
    const EventModel& arrivals = tasks_[task].arrivals;
    const Wide before = most_useful(of), end = at_end(task);
    const auto all_released = [&](Wide window) { return load(tasks_[task], window) + end; };
    const auto whole = solve(of, all_released, limits_.window.picoseconds());
    if (!whole) return std::nullopt;
    for (std::int64_t job = 0; Wide(least_distance(arrivals, job).picoseconds()) < whole->time; ++job) {
      if (job == most_jobs) return std::nullopt;
      const Wide released = least_distance(arrivals, job).picoseconds();
      const auto found = solve(
          of, [&](Wide) { return worst(task) * (job + 1) + end; }, released + before + end);
      if (!found) return std::nullopt;
      const Wide ended = found->time - end, in_step = ended - Wide(arrivals.period.picoseconds()) * job;
      longest.end_jitter = job == 0 ? in_step : std::max(longest.end_jitter, in_step);
      if (job > 0 && ended - released <= longest.response) continue;
      longest.response = ended - released;
      longest.window = *found;
      longest.job = job;
    }
    return longest;
  }

  /// Returns whether its response grows.
  bool raise(std::size_t task, bool may_grow) {
    if (is_settled_[task]) return false;
    found_[task] = longest(task);
    if (found_[task] && found_[task]->response <= *responses_[task]) return false;
    is_settled_[task] = !found_[task] || !may_grow;
    responses_[task] = is_settled_[task] ? known(task) : found_[task]->response;
    if (is_settled_[task]) found_[task].reset();
    return true;
  }

  void replace(const Found& found) {
    const std::size_t task = found.of.task;
    CpuBound& bound = bounds_[task];
    bound.response = duration(found.response);
    bound.reason = NoBound::none;
    const Wide jitter = tasks_[task].arrivals.jitter.picoseconds() + std::max(Wide(0), found.end_jitter);
    if (bound.end_jitter && jitter < bound.end_jitter->picoseconds()) bound.end_jitter = duration(jitter);
    bound.parts.clear();
    const auto add = [&](CpuPart part, std::optional<std::size_t> by, Wide time) {
      if (time > 0) bound.parts.push_back({part, by, duration(time)});
    };
    add(CpuPart::execution, std::nullopt, worst(task));
    add(CpuPart::backlog, std::nullopt, worst(task) * found.job);
    for_each_above(found.of, found.window, [&](std::size_t by, Wide time) { add(CpuPart::preemption, by, time); });
    balance(bound);
    keep_largest(bound.parts, limits_.parts);
  }

  const std::vector<CpuTask>& tasks_;
  const std::vector<std::optional<std::size_t>>& server_of_;
  const std::vector<NestedServer>& servers_;
  const Limits& limits_;
  std::vector<CpuBound>& bounds_;
  std::vector<std::optional<Wide>> responses_;  ///< R; nothing: no bound
  std::vector<std::optional<Found>> found_;
  std::vector<bool> is_settled_;                                 ///< keeps the bound that there is
  std::vector<std::vector<std::size_t>> tasks_in_, servers_in_;  ///< directly; by server, the last for the core
  std::vector<std::vector<std::size_t>> members_;                ///< of every server, also further in
  std::vector<CpuTask> as_tasks_;                                ///< every server, in any window
  std::int64_t steps_ = 0;
};

}  // namespace

void improve_in_servers(const std::vector<CpuTask>& tasks, const std::vector<std::optional<std::size_t>>& server_of,
                        const std::vector<NestedServer>& servers, const Limits& limits, std::vector<CpuBound>& bounds) {
  ServerWindows(tasks, server_of, servers, limits, bounds).run();
}

}  // namespace amalthea::engine::cpu
