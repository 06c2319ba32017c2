// SPDX-License-Identifier: Apache-2.0
#include "exporter/gpu/gpu_recording.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "engine/gpu/contexts.hpp"
#include "engine/program/program.hpp"
#include "engine/simulation/simulation.hpp"

namespace amalthea::exporter {

namespace gpu = engine::gpu;

namespace {

const std::string& process_of(const Task& task) { return task.gpu.context.empty() ? task.name : task.gpu.context; }

}  // namespace

GpuRecording::GpuRecording(const System& system, UnitIndex unit, const engine::DeviceProfile& profile, std::size_t most)
    : system_(system), gpu_(unit), most_(most) {
  gpu::StreamScenario& scenario = streams_.scenario;
  scenario.device = profile;
  if (!profile.multiprocessors) scenario.device.multiprocessors.emplace();
  scenario.by_urgency = engine::schedules_by_urgency(system, unit);
  for (const engine::GpuContext& context : engine::contexts_on(system, unit, profile)) {
    const bool mps = context.streams.front().mps_share > 0;
    scenario.contexts.push_back({mps ? "MPS" : process_of(system.tasks[context.tasks.front()]), context.slice});
    for (const engine::GpuStream& stream : context.streams) {
      for (const TaskIndex task : stream.tasks) stream_of_[task] = scenario.streams.size();
      gpu::Stream& added = scenario.streams.emplace_back();
      const Task& first = system.tasks[stream.tasks.front()];
      added.is_null = stream.is_null;
      if (!stream.is_null) added.name = stream.name.empty() ? first.name : stream.name;
      if (mps && !stream.is_null) added.name = fmt::format("{}/{}", process_of(first), added.name);
      added.context = scenario.contexts.size() - 1;
    }
  }
  for (const Stimulus& stimulus : system.stimuli)
    for (const TaskIndex task : stimulus.activates) rank_of_.emplace(task, rank_of_.size());
}

gpu::OperationRun* GpuRecording::run_of(TaskIndex task, std::uint64_t job, std::size_t step) {
  const auto found = open_.find({task, job, step});
  return found == open_.end() ? nullptr : &streams_.run.operations[found->second];
}

void GpuRecording::operation(const engine::OperationChange& change) {
  const auto stream = stream_of_.find(change.task);
  if (stream == stream_of_.end()) return;
  const Key key(change.task, change.job, change.step);
  if (change.what == engine::ProcessEvent::activate) {
    if (ended_.size() >= most_) return;
    open_[key] = ended_.size();
    gpu::StreamOperation& added = streams_.scenario.operations.emplace_back();
    added.name = system_.tasks[change.task].name;
    added.kind = gpu::kind_of(system_.graph[input_->programs[change.task].steps[change.step].node].activity);
    added.stream = stream->second;
    added.release = change.now;
    streams_.run.operations.emplace_back().enqueued = change.now;
    ended_.push_back(false);
    const auto rank = rank_of_.find(change.task);
    ranks_.push_back(rank == rank_of_.end() ? rank_of_.size() : rank->second);
    return;
  }
  gpu::OperationRun* run = run_of(change.task, change.job, change.step);
  if (run == nullptr) return;
  if (change.what == engine::ProcessEvent::start) run->start = change.now;
  if (change.what != engine::ProcessEvent::terminate) return;
  run->completion = change.now;
  const std::size_t index = open_.at(key);
  const bool is_kernel = streams_.scenario.operations[index].kind == gpu::StreamOperationKind::kernel;
  if (is_kernel && run->blocks.empty())
    for (gpu::SmIndex sm = 0; sm < streams_.scenario.limits().sms; ++sm)
      run->blocks.push_back({sm, run->start, run->completion});
  ended_[index] = true;
  open_.erase(key);
}

void GpuRecording::block(const engine::BlockChange& change) {
  gpu::OperationRun* run = run_of(change.task, change.job, change.step);
  if (run == nullptr) return;
  if (run->blocks.size() <= change.block) run->blocks.resize(change.block + 1);
  gpu::BlockRun& block = run->blocks[change.block];
  if (change.begins) block = {change.sm, change.now, change.now};
  block.end = change.now;
}

void GpuRecording::served(UnitIndex unit, const gpu::EngineSlice& slice) {
  if (unit == gpu_ && ended_.size() < most_) streams_.run.slices.push_back(slice);
}

GpuRecording::Streams GpuRecording::take() && {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < ended_.size(); ++i)
    if (ended_[i]) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) { return ranks_[a] < ranks_[b]; });
  Streams whole;
  for (const std::size_t i : order) {
    whole.scenario.operations.push_back(std::move(streams_.scenario.operations[i]));
    whole.run.operations.push_back(std::move(streams_.run.operations[i]));
  }
  streams_.scenario.operations = std::move(whole.scenario.operations);
  streams_.run.operations = std::move(whole.run.operations);
  return std::move(streams_);
}

}  // namespace amalthea::exporter
