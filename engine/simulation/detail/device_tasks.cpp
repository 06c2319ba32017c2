// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/detail/device_tasks.hpp"

#include <algorithm>
#include <utility>

#include "engine/amd/stated_properties.hpp"
#include "engine/gpu/contexts.hpp"
#include "engine/nvidia/sm_mask.hpp"
#include "engine/program/kernel_instructions.hpp"
#include "engine/simulation/detail/listeners.hpp"

namespace amalthea::engine::simulation {

DeviceTasks::DeviceTasks(const SimulationInput& input, const Clock& clock, Jobs& jobs, TimelessActivities& activities,
                         Branches& branches, const Listeners& listeners, bool recorded)
    : system_(input.system),
      clock_(clock),
      jobs_(jobs),
      activities_(activities),
      branches_(branches),
      listeners_(listeners),
      recorded_(recorded),
      states_(system_.tasks.size()) {
  for (UnitIndex unit = 0; unit < system_.platform.units.size(); ++unit)
    if (input.devices[unit] != nullptr)
      devices_.push_back({unit,
                          gpu::make_device(*input.devices[unit]),
                          {},
                          {},
                          {},
                          {},
                          {},
                          {},
                          {},
                          simulated_warps(system_, unit, *input.devices[unit])});
  if (recorded)
    for (Device& device : devices_) {
      device.gpu->record_slices(device.slices);
      device.gpu->record_blocks(device.block_steps);
    }
  build_streams(input);
}

void DeviceTasks::build_streams(const SimulationInput& input) {
  for (std::size_t index = 0; index < devices_.size(); ++index) {
    Device& device = devices_[index];
    const DeviceProfile& profile = *input.devices[device.unit];
    if (schedules_by_urgency(system_, device.unit)) device.gpu->schedule_by_urgency();
    for (const GpuContext& context : contexts_on(system_, device.unit, profile)) {
      const auto added =
          device.gpu->add_context(context.slice, static_cast<gpu::ContextPriority>(context.runlist_slots));
      device.gpu->set_urgency(added, context.urgency);
      for (const GpuStream& stream : context.streams) {
        const auto at = device.gpu->add_stream(added, gpu::stream_settings(stream, profile));
        for (const TaskIndex task : stream.tasks) states_[task].stream = at;
      }
    }
    for (TaskIndex task = 0; task < states_.size(); ++task)
      if (system_.tasks[task].unit == device.unit) {
        states_[task].device = index;
        add_kernels(task, profile);
      }
  }
}

void DeviceTasks::add_kernels(TaskIndex task, const DeviceProfile& profile) {
  Device& device = devices_[states_[task].device];
  for (const NodeIndex node : system_.tasks[task].body) {
    const auto* kernel = std::get_if<Kernel>(&system_.graph[node].activity);
    if (kernel == nullptr || !kernel->launch) continue;
    if (kernel->costs) device.costs.emplace(node, amd::cost_of(*kernel, profile));
    if (profile.amd || !profile.multiprocessors || kernel->launch->sm_mask.empty()) continue;
    if (auto mask = nvidia::parse_tpc_mask(kernel->launch->sm_mask, *profile.multiprocessors))
      device.masks.emplace(node, std::move(*mask));
  }
}

// ---- time

Instant DeviceTasks::next() const {
  Instant next = Instant::never();
  for (const Device& device : devices_) next = std::min(next, device.due);
  return next;
}

void DeviceTasks::advance() {
  changed_ = false;
  advanced_to_ = clock_.now();
  for (Device& device : devices_) {
    if (device.due > clock_.now() && !device.changed) continue;
    device.changed = changed_ = true;
    completed_.clear();
    device.gpu->advance(clock_.now(), completed_);
    if (recorded_) notify_blocks(device);
    for (const gpu::OperationId id : completed_) {
      const TaskIndex task = device.task_of_operation[id];
      listeners_.notify(OperationEnded{task, states_[task].submitted});
      states_[task].operation.reset();
      jobs_.end_step(task);
      jobs_.going_on().push_back(task);
    }
  }
  go_on();
}

void DeviceTasks::set_cpu_traffic(UnitIndex unit, const gpu::CpuTraffic& traffic, std::vector<TaskIndex> by) {
  for (Device& device : devices_) {
    if (device.unit != unit || (device.traffic == traffic && device.traffic_by == by)) continue;
    device.traffic = traffic;
    device.traffic_by = std::move(by);
    if (!device.changed) device.gpu->advance(clock_.now(), completed_);  // advances to now: nothing is due
    device.changed = changed_ = true;
    device.gpu->set_cpu_traffic(traffic);
  }
}

std::vector<UnitIndex> DeviceTasks::units() const {
  std::vector<UnitIndex> units;
  for (const Device& device : devices_) units.push_back(device.unit);
  return units;
}

std::optional<DeviceTasks::Load> DeviceTasks::load() const {
  std::optional<Load> found;
  jobs_.active_on_devices().for_each([&](TaskIndex task) {
    if (found || !is_at_work(task)) return;
    const gpu::Device& device = *devices_[states_[task].device].gpu;
    const gpu::OperationId id = *states_[task].operation;
    if (device.standing(id).kind != gpu::OperationStanding::Kind::executing) return;
    const gpu::DeviceOperation& operation = device.operation(id);
    if (operation.kind != gpu::StreamOperationKind::kernel)
      found = Load{task, TrafficKind::copies};
    else if (operation.memory_share > 0)
      found = Load{task, TrafficKind::kernels};
  });
  return found;
}

void DeviceTasks::settle() {
  for (Device& device : devices_) {
    if (!device.changed) continue;
    device.changed = false;
    device.gpu->settle();
    device.due = device.gpu->next_event();
  }
}

// ---- jobs

void DeviceTasks::go_on() {
  auto& going_on = jobs_.going_on();
  if (going_on.empty()) return;
  changed_ = true;
  for (std::size_t i = 0; i < going_on.size(); ++i) go_on(going_on[i]);  // more may be added
  going_on.clear();
}

void DeviceTasks::go_on(TaskIndex task) {
  Job& job = jobs_[task];
  while (job.active && !is_at_work(task)) {
    if (jobs_.at_end(task)) {
      listeners_.notify(DeviceJobEnds{task});
      jobs_.end_job(task);
      return;
    }
    const Step& step = jobs_.step(task);
    if (step.kind == StepKind::copy || step.kind == StepKind::kernel) {
      submit(task);
      return;
    }
    if (step.kind == StepKind::wait && !activities_.satisfied(task)) {
      job.waiting = true;
      return;
    }
    if (step.kind == StepKind::request_semaphore && !activities_.request(task)) return;
    if (step.kind == StepKind::branch) {
      branches_.take(task);
      continue;
    }
    activities_.act(task);
    jobs_.end_step(task);
  }
}

void DeviceTasks::submit(TaskIndex task) {
  State& state = states_[task];
  Device& device = devices_[state.device];
  const Step& step = jobs_.step(task);
  gpu::DeviceOperation operation;
  operation.stream = state.stream;
  operation.duration = jobs_[task].work;
  const Activity& activity = jobs_.activity(task);
  operation.kind = gpu::kind_of(activity);
  if (const auto* copy = std::get_if<Copy>(&activity)) operation.pageable = copy->pageable;
  if (const auto* kernel = std::get_if<Kernel>(&activity)) {
    operation.memory_share = kernel->memory_intensity;
    operation.memory = &*step.memory;
    operation.blocks = step.blocks;
    if (step.block) operation.block = *step.block;
    if (const auto warps = device.warps.find(step.node); step.block && warps != device.warps.end())
      operation.warps = &warps->second;
    if (const auto mask = device.masks.find(step.node); mask != device.masks.end()) operation.mask = mask->second;
    if (const auto cost = device.costs.find(step.node); cost != device.costs.end()) operation.cost = cost->second;
    if (kernel->launch) operation.cache_config = kernel->launch->cache_config;
  }
  if (!device.changed) device.gpu->advance(clock_.now(), completed_);  // advances to now: nothing is due
  device.changed = true;
  jobs_.begin_step(task);
  if (!jobs_[task].started) jobs_[task].started = clock_.now();
  const gpu::OperationId id = device.gpu->submit(operation);
  if (device.task_of_operation.size() <= id) device.task_of_operation.resize(id + 1);
  device.task_of_operation[id] = task;
  state.operation = id;
  state.submitted = clock_.now();
  listeners_.notify(OperationSubmitted{task});
}

// ---- notifications

Reason DeviceTasks::reason(TaskIndex task) const {
  const Device& device = devices_[states_[task].device];
  const gpu::OperationId id = *states_[task].operation;
  const gpu::OperationStanding standing = device.gpu->standing(id);
  const auto by = standing.by ? std::optional(device.task_of_operation[*standing.by]) : std::nullopt;
  switch (standing.kind) {
    case gpu::OperationStanding::Kind::executing: {
      const bool is_kernel = device.gpu->operation(id).kind == gpu::StreamOperationKind::kernel;
      const ContributionKind kind = is_kernel ? ContributionKind::kernel : ContributionKind::copy;
      if (standing.by_cpus && !device.traffic_by.empty())
        return {kind,
                device.traffic_by.front(),
                standing.slowdown,
                TrafficKind::cpu,
                {device.traffic_by.begin() + 1, device.traffic_by.end()}};
      if (!standing.by) return {kind, by, standing.slowdown};
      const bool by_kernel = device.gpu->operation(*standing.by).kind == gpu::StreamOperationKind::kernel;
      return {kind, by, standing.slowdown, by_kernel ? TrafficKind::kernels : TrafficKind::copies};
    }
    case gpu::OperationStanding::Kind::queued:
      return {ContributionKind::engine_queue, by, {}};
    case gpu::OperationStanding::Kind::waiting:
      return {ContributionKind::engine_slice, by, {}};
    case gpu::OperationStanding::Kind::switching:
      return {ContributionKind::context_switch, std::nullopt, {}};
  }
  return {};
}

gpu::EngineIndex DeviceTasks::engine_of(TaskIndex task) const {
  const gpu::Device& device = *devices_[states_[task].device].gpu;
  const auto kind = device.operation(*states_[task].operation).kind;
  if (kind == gpu::StreamOperationKind::kernel) return 0;
  return kind == gpu::StreamOperationKind::device_to_host ? device.engines() - 1 : 1;
}

void DeviceTasks::measure(std::vector<ResourceResult>& resources) {
  const double elapsed = static_cast<double>(clock_.now().picoseconds());
  const auto share = [elapsed](Duration busy) {
    return elapsed > 0 ? static_cast<double>(busy.picoseconds()) / elapsed : 0;
  };
  for (Device& device : devices_) {
    device.gpu->advance(advanced_to_, completed_);  // everything due has been processed
    resources.push_back({device.unit, ResourceKind::execution_engine, share(device.gpu->busy(0)), 0});
    Duration copies;
    for (gpu::EngineIndex engine = 1; engine < device.gpu->engines(); ++engine) copies += device.gpu->busy(engine);
    const double engines = device.gpu->engines() - 1;
    resources.push_back({device.unit, ResourceKind::copy_engine, share(copies) / engines, 0});
  }
}

void DeviceTasks::notify_blocks(Device& device) {
  for (const gpu::BlockStep& step : device.block_steps)
    if (device.gpu->operation(step.operation).block)
      listeners_.notify(BlockStepped{device.task_of_operation[step.operation], step});
  device.block_steps.clear();
}

void DeviceTasks::notify_operations() {
  if (!recorded_) return;
  // Operations that no longer execute come first, since they make room.
  for (const bool executes : {false, true})
    jobs_.active_on_devices().for_each([&](TaskIndex task) {
      if (!is_at_work(task)) return;
      const auto standing = devices_[states_[task].device].gpu->standing(*states_[task].operation);
      if ((standing.kind == gpu::OperationStanding::Kind::executing) == executes)
        listeners_.notify(OperationSeen{task, executes});
    });
  for (Device& device : devices_) {
    notify_blocks(device);
    for (const gpu::EngineSlice& slice : device.slices) listeners_.notify(EngineServed{device.unit, slice});
    device.slices.clear();
  }
}

}  // namespace amalthea::engine::simulation
