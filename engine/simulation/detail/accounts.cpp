// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/detail/accounts.hpp"

#include <algorithm>
#include <limits>

#include "engine/simulation/detail/listeners.hpp"

namespace amalthea::engine::simulation {
namespace {

/// Limits for the data that is evaluated later: jobs that wait for longer are updated.
constexpr std::size_t short_log = 1 << 10, longest_log = 1 << 17, max_stretches = 1 << 10;

/// For a preempted job, whatever the key of the running task.
constexpr Urgency::Key always_preempted{false, std::numeric_limits<std::int64_t>::min(), {}};

}  // namespace

Accounts::Accounts(const Clock& clock, const CoreScheduling& cpu, const Jobs& jobs, const DeviceTasks& devices,
                   const Standings& standings, const Listeners& listeners, const SimulationObserver* observer,
                   std::size_t tasks)
    : clock_(clock),
      cpu_(cpu),
      jobs_(jobs),
      devices_(devices),
      standings_(standings),
      listeners_(listeners),
      observer_(observer),
      accounts_(tasks),
      logs_(std::max<std::size_t>(cpu.core_sets(), 1)),  // tasks without a core refer to the first
      limits_(cpu.core_sets(), short_log),
      moved_(cpu.core_sets()),
      sum_(tasks) {
  for (TaskIndex task = 0; observer_ != nullptr && task < tasks; ++task)
    accounts_[task].with_obstacles = observer_->wants_obstacles_of(task);
}

// ---- events

void Accounts::on(const JobBegun& event) {
  accounts_[event.task].times.start(clock_.now(), clock_.now() - jobs_[event.task].release);
  request_update(event.task);
}

void Accounts::on(const JobEnded& event) {
  if (notifies_) notify_interval(event.task);
  accounts_[event.task].times.book(clock_.now());
}

void Accounts::on(const WaitBegun& event) {
  request_update(event.task);
  Account& account = accounts_[event.task];
  if (account.beside_device || !standings_.waits_for_device(event.task)) return;
  account.beside_device = true;
  beside_devices_.push_back(event.task);
}

void Accounts::request_update(TaskIndex task) {
  if (jobs_.on_device(task)) {
    update_devices_ = true;
  } else if (!accounts_[task].needs_update) {
    accounts_[task].needs_update = true;
    needs_update_.push_back(task);
  }
}

// ---- the end of an instant

void Accounts::end_instant() {
  if (observer_ != nullptr && observer_->wants_intervals_after(clock_.now()) != notifies_) switch_intervals();
  log_obstacles();
  if (notifies_)
    update_intervals();
  else
    update_accounts();
  for (const TaskIndex task : needs_update_) accounts_[task].needs_update = false;
  needs_update_.clear();
  update_devices_ = false;
}

void Accounts::switch_intervals() {
  notifies_ = !notifies_;
  jobs_.active().for_each([this](TaskIndex task) {
    Account& account = accounts_[task];
    if (!notifies_) {
      notify_interval(task);
      request_update(task);
      return;
    }
    account.unit = standings_.unit_of(task);
    account.node = standings_.node_of(task);
    if (!account.with_obstacles && is_logged(task))
      change_by_log(task, logged_standing(task));
    else
      account.times.change(clock_.now(), standings_.of(task));
  });
}

void Accounts::update_accounts() {
  if (update_devices_ || devices_.changed()) {
    jobs_.active_on_devices().for_each([this](TaskIndex task) { update_account(task); });
    std::erase_if(beside_devices_, [this](TaskIndex task) {
      accounts_[task].beside_device = jobs_[task].active && standings_.waits_for_device(task);
      if (accounts_[task].beside_device) request_update(task);
      return !accounts_[task].beside_device;
    });
  }
  for (const TaskIndex task : needs_update_)
    if (jobs_[task].active) update_account(task);
}

void Accounts::log_obstacles() {
  for (const std::size_t domain : decided_) {
    if (!cpu_.obstacle_is_least_urgent(domain)) {
      cpu_.for_each_ready(domain, [this](TaskIndex task) { request_update(task); });
      continue;
    }
    for (const auto set : cpu_.core_sets_of(domain)) {
      const auto by = cpu_.least_urgent(set);
      const bool compared = by && !cpu_.only_preempts(domain);
      moved_[set] =
          logs_[set].change(clock_.now(), by, compared ? cpu_.urgency().key(*by) : Urgency::Key{}) || moved_[set];
      if (logs_[set].size() > limits_[set]) shorten(set);
    }
  }
  if (!notifies_) decided_.clear();
}

/// All active jobs, in the order in which they began, which is the order of the notifications.
void Accounts::update_intervals() {
  jobs_.active().for_each([this](TaskIndex task) {
    if (jobs_.on_device(task) || accounts_[task].needs_update || jobs_[task].waiting || jobs_[task].parked ||
        (accounts_[task].with_obstacles && moved_[cpu_.core_set_of(task)]))
      update_interval(task);
  });
  for (const std::size_t domain : decided_)
    for (const auto set : cpu_.core_sets_of(domain)) moved_[set] = false;
  decided_.clear();
}

bool Accounts::is_logged(TaskIndex task) const {
  return standings_.is_kept_from_core(task) && cpu_.obstacle_is_least_urgent(cpu_.domain_of(task));
}

Standing Accounts::logged_standing(TaskIndex task) const {
  return {standings_.kept_from_core(task), Activities::computing, {ContributionKind::preemption, std::nullopt, {}}};
}

void Accounts::change_by_log(TaskIndex task, const Standing& standing) {
  const bool compared = !cpu_.only_preempts(cpu_.domain_of(task));
  accounts_[task].times.change_by_log(clock_.now(), standing, compared ? cpu_.urgency().key(task) : always_preempted);
}

void Accounts::update_account(TaskIndex task) {
  JobTimes& times = accounts_[task].times;
  if (is_logged(task)) {
    const Standing standing = logged_standing(task);
    if (standing == times.standing()) return;
    if (notifies_) notify_interval(task);
    change_by_log(task, standing);
  } else {
    const Standing standing = standings_.of(task);
    if (jobs_.on_device(task)) listeners_.notify(DeviceTaskSeen{task, standing.state});
    if (standing == times.standing()) return;
    times.change(clock_.now(), standing);
  }
  if (times.pending() > max_stretches) parts(task);
}

void Accounts::update_interval(TaskIndex task) {
  Account& account = accounts_[task];
  if (!account.with_obstacles && is_logged(task)) {
    update_account(task);
    account.unit.reset();
    account.node.reset();
    return;
  }
  const Standing standing = standings_.of(task);
  if (jobs_.on_device(task)) listeners_.notify(DeviceTaskSeen{task, standing.state});
  const auto unit = standings_.unit_of(task);
  const auto node = standings_.node_of(task);
  if (standing == account.times.standing() && unit == account.unit && node == account.node) return;
  notify_interval(task);
  account.unit = unit;
  account.node = node;
  account.times.change(clock_.now(), standing);
  if (account.times.pending() > max_stretches) parts(task);
}

void Accounts::notify_interval(TaskIndex task) {
  const Account& account = accounts_[task];
  if (account.times.since() == clock_.now()) return;
  const Job& job = jobs_[task];
  listeners_.notify(Interval{task, job.number, job.release, account.times.since(), clock_.now(),
                             account.times.standing(), account.unit, account.node});
}

// ---- parts

const std::vector<Contribution>& Accounts::parts(TaskIndex task) {
  return accounts_[task].times.parts(task, logs_[cpu_.core_set_of(task)], sum_);
}

std::vector<Contribution> Accounts::take_parts(TaskIndex task) {
  parts(task);
  return accounts_[task].times.take_parts();
}

std::vector<Contribution> Accounts::parts_so_far(TaskIndex task) {
  std::vector<Contribution> so_far = parts(task);
  const JobTimes& times = accounts_[task].times;
  if (times.since() == clock_.now()) return so_far;
  sum_.begin(so_far);
  sum_.add(times.standing().reason, clock_.now() - times.since());
  sum_.end();
  return so_far;
}

/// Drops what no job needs any more. If that is little, the limit grows before the next attempt; finally, jobs that
/// have waited for long are updated.
void Accounts::shorten(CoreScheduling::CoreSetIndex set) {
  ObstacleLog& log = logs_[set];
  const auto forget = [&](Instant up_to_date) {
    Instant needed = clock_.now();
    jobs_.active().for_each([&](TaskIndex task) {
      if (jobs_.on_device(task) || cpu_.core_set_of(task) != set) return;
      JobTimes& times = accounts_[task].times;
      if (times.pending_from() < up_to_date) {
        times.book_log(clock_.now());
        parts(task);
      }
      needed = std::min(needed, times.pending_from());
    });
    log.forget_before(needed);
  };
  forget({});
  if (log.size() <= limits_[set] / 2) return;
  if (limits_[set] < longest_log)
    limits_[set] *= 2;
  else
    forget(log.middle());
}

}  // namespace amalthea::engine::simulation
