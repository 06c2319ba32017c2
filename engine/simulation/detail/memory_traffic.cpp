// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/detail/memory_traffic.hpp"

#include <algorithm>
#include <utility>

#include "engine/simulation/detail/listeners.hpp"

namespace amalthea::engine::simulation {

MemoryTraffic::MemoryTraffic(const SimulationInput& input, const CoreScheduling& cpu, const Jobs& jobs, Cores& cores,
                             DeviceTasks& devices, const Listeners& listeners)
    : input_(input),
      jobs_(jobs),
      cores_(cores),
      devices_(devices),
      listeners_(listeners),
      accessing_(cpu.cores()),
      causes_(cpu.cores()) {
  for (const UnitIndex unit : devices.units())
    gpus_.push_back({unit, IndexSet(cpu.cores()), IndexSet(cpu.cores()), {}});
  for (const Program& program : input.programs) {
    auto& accesses = accesses_.emplace_back();
    for (const Step& step : program.steps) accesses.push_back(engine::accesses_memory(input.system, step));
    for (Gpu& gpu : gpus_) {
      auto& reaches = gpu.reaches.emplace_back();
      for (std::size_t i = 0; i < accesses.size(); ++i)
        reaches.push_back(accesses[i] ? reach_of(gpu.unit, input.system.graph[program.steps[i].node]) : Reach::none);
    }
  }
}

MemoryTraffic::Reach MemoryTraffic::reach_of(UnitIndex gpu, const GraphNode& node) const {
  if (!reaches_memory_of(input_.system, gpu, node.activity)) return Reach::none;
  return node.runnable && input_.system.runnables[*node.runnable].random_access ? Reach::random : Reach::sequential;
}

bool MemoryTraffic::accesses_memory(TaskIndex task) const { return accesses_[task][jobs_[task].step]; }

/// What the core does to the memory from now on.
void MemoryTraffic::classify(CoreIndex core) {
  const auto task = cores_.executing(core);
  const bool accesses = task && accesses_memory(*task);
  const bool before = accessing_.contains(core);
  if (!accesses && !before) return;
  changed_ = true;
  if (accesses != before) count_ += accesses ? 1 : -1;
  if (accesses)
    accessing_.insert(core);
  else
    accessing_.erase(core);
  const auto set = [core](IndexSet& cores, bool member) {
    if (member == cores.contains(core)) return;
    if (member)
      cores.insert(core);
    else
      cores.erase(core);
  };
  for (Gpu& gpu : gpus_) {
    const Reach reach = accesses ? gpu.reaches[*task][jobs_[*task].step] : Reach::none;
    set(gpu.sequential, reach == Reach::sequential);
    set(gpu.random, reach == Reach::random);
  }
}

void MemoryTraffic::before_devices() {
  auto& changed = cores_.changed();
  if (changed.empty()) return;
  if (gpus_.empty() && input_.contention != Contention::dynamic) {  // nobody is affected
    changed.clear();
    return;
  }
  for (const CoreIndex core : changed) classify(core);
  changed.clear();
  if (!changed_) return;
  for (Gpu& gpu : gpus_) {
    gpu::CpuTraffic traffic;
    std::vector<TaskIndex> by;
    add_executing(gpu.sequential, std::nullopt, by);
    add_executing(gpu.random, std::nullopt, by);
    if (!by.empty()) {
      traffic.kind = gpu.sequential.empty() ? gpu::CpuTrafficKind::random : gpu::CpuTrafficKind::sequential;
      traffic.cores = static_cast<std::int64_t>(by.size());
    }
    devices_.set_cpu_traffic(gpu.unit, traffic, std::move(by));
  }
}

/// Adds the tasks that these cores execute.
void MemoryTraffic::add_executing(const IndexSet& cores, std::optional<CoreIndex> except,
                                  std::vector<TaskIndex>& tasks) const {
  for (auto core = cores.next(0); core; core = cores.next(*core + 1))
    if (core != except) tasks.push_back(*cores_.executing(*core));
}

void MemoryTraffic::after_devices() {
  if (input_.contention != Contention::dynamic) {
    changed_ = false;
    return;
  }
  const auto load = devices_.load();
  if (!changed_ && load == load_) return;
  load_ = load;
  changed_ = false;
  for (auto core = accessing_.next(0); core; core = accessing_.next(*core + 1)) update_speed(*core);
}

void MemoryTraffic::update_speed(CoreIndex core) {
  const TaskIndex task = *cores_.executing(core);
  const auto& line = input_.programs[task].contention;
  Cause& cause = causes_[core];
  cause = {};
  if (!line || line->worst().is_zero()) return;
  const Duration stated = jobs_[task].work, alone = std::min(jobs_.step(task).uncontended, stated);
  const Duration by_cores = line->now(count_ - 1, false), all = line->now(count_ - 1, load_.has_value());
  const Duration actual = alone + scale(stated - alone, all.picoseconds(), line->worst().picoseconds(), Rounding::up);
  if (actual.is_zero()) return;
  cores_.set_speed(core, actual, stated);
  if (actual > alone && !alone.is_zero()) {
    cause.slowdown = {
        detail::divide(detail::Int128{actual.picoseconds()} * 1'000'000, alone.picoseconds(), Rounding::down)};
    if (all - by_cores > by_cores) {
      cause.by = load_->by;
      cause.traffic = load_->kind;
    } else {
      add_executing(accessing_, core, cause.also);
      cause.by = cause.also.front();
      cause.also.erase(cause.also.begin());
      cause.traffic = TrafficKind::cpu;
    }
  }
  listeners_.notify(ContentionChanged{task});
}

Reason MemoryTraffic::reason_of_access(TaskIndex task) const {
  const auto core = cores_.core_of(task);
  if (!core || cores_.executing(*core) != task) return {ContributionKind::memory, {}, {}};
  const Cause& cause = causes_[*core];
  return {ContributionKind::memory, cause.by, cause.slowdown, cause.traffic, cause.also};
}

}  // namespace amalthea::engine::simulation
