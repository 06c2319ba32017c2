// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/detail/standings.hpp"

#include <algorithm>

namespace amalthea::engine::simulation {

Standing Standings::of(TaskIndex task) const {
  const Job& job = jobs_[task];
  if (devices_.is_at_work(task)) {
    const Reason reason = devices_.reason(task);
    const bool executing = reason.kind == ContributionKind::kernel || reason.kind == ContributionKind::copy;
    return {executing ? ProcessState::running : ProcessState::ready, Activities::computing, reason};
  }
  if (job.waiting || job.parked) {
    const bool active = job.parked ? activities_.use_of(task).active : activities_.wait_of(task).active;
    const ProcessState waiting = !active || jobs_.on_device(task) ? ProcessState::waiting
                                 : cores_.core_of(task)           ? ProcessState::polling
                                                                  : ProcessState::parking;
    return {waiting, Activities::computing, reason_of_wait(task)};
  }
  if (jobs_.on_device(task)) return {ProcessState::running, Activities::computing, {}};
  if (cores_.core_of(task)) {
    const Activities what = doing(task);
    if (what == Activities::accessing) return {ProcessState::running, what, traffic_.reason_of_access(task)};
    return {ProcessState::running, what, {ContributionKind::execution, {}, {}}};
  }
  return {kept_from_core(task), Activities::computing, obstacle(task)};
}

bool Standings::is_kept_from_core(TaskIndex task) const {
  const Job& job = jobs_[task];
  return !job.waiting && !job.parked && !jobs_.on_device(task) && !cores_.core_of(task);
}

bool Standings::waits_for_device(TaskIndex task) const {
  if (!jobs_[task].waiting) return false;
  const auto& setters = jobs_.step(task).setters;
  return std::any_of(setters.begin(), setters.end(), [this](TaskIndex setter) { return jobs_.on_device(setter); });
}

std::optional<UnitIndex> Standings::unit_of(TaskIndex task) const {
  if (jobs_.on_device(task)) return system_.tasks[task].unit;
  const auto core = cores_.core_of(task);
  return core ? std::optional(cpu_.unit(*core)) : std::nullopt;
}

std::optional<NodeIndex> Standings::node_of(TaskIndex task) const {
  return jobs_.at_end(task) ? std::nullopt : std::optional(jobs_.step(task).node);
}

Activities Standings::doing(TaskIndex task) const {
  if (jobs_.at_end(task)) return Activities::computing;
  const Step& step = jobs_.step(task);
  if (step.overhead) return Activities::operating_system;
  return accesses_memory(system_, step) ? Activities::accessing : Activities::computing;
}

Reason Standings::reason_of_wait(TaskIndex task) const {
  if (jobs_[task].parked)
    return {ContributionKind::blocking, activities_.semaphores().holder(activities_.use_of(task).semaphore), {}};
  const auto& setters = jobs_.step(task).setters;
  for (const TaskIndex setter : setters)
    if (jobs_[setter].active && devices_.is_at_work(setter)) return devices_.reason(setter);
  return {ContributionKind::event, setters.empty() ? std::nullopt : std::optional(setters.front()), {}};
}

Reason Standings::obstacle(TaskIndex task) const {
  const CoreScheduling::Obstacle obstacle = cpu_.obstacle(task);
  const ContributionKind kind = obstacle.kind == CoreScheduling::Obstacle::Kind::preemption
                                    ? ContributionKind::preemption
                                : obstacle.kind == CoreScheduling::Obstacle::Kind::blocking ? ContributionKind::blocking
                                                                                            : ContributionKind::budget;
  return {kind, obstacle.by, {}};
}

}  // namespace amalthea::engine::simulation
