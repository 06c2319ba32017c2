// SPDX-License-Identifier: Apache-2.0
#include "engine/devices/stream_simulation.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <queue>
#include <set>
#include <stdexcept>
#include <tuple>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "engine/devices/makers.hpp"

namespace amalthea::engine::gpu {
namespace {

/// Whether a loop begins another iteration after `done` ones.
bool goes_on(const StreamLoop& loop, std::size_t done, Instant now) {
  if (loop.iterations > 0 && done >= static_cast<std::size_t>(loop.iterations)) return false;
  return loop.time.is_zero() || now - loop.start < loop.time;
}

/// What the simulations of the GPUs have taken so far.
struct Spent {
  std::uint64_t steps = 0;
  std::int64_t blocks = 0;
};

void sort_slices(std::vector<EngineSlice>& slices) {
  std::stable_sort(slices.begin(), slices.end(), [](const EngineSlice& a, const EngineSlice& b) {
    return std::tie(a.start, a.engine) < std::tie(b.start, b.engine);
  });
}

/// Of one GPU.
class Simulation {
 public:
  Simulation(const StreamScenario& scenario, std::uint64_t max_steps, Spent& spent)
      : scenario_(scenario),
        max_steps_(max_steps),
        spent_(spent),
        device_(make_device(scenario.device)),
        loop_of_(scenario.operations.size(), none),
        open_(scenario.loops.size()) {}

  tl::expected<StreamRun, std::string> run() {
    if (scenario_.by_urgency) device_->schedule_by_urgency();
    for (const Context& context : scenario_.contexts)
      device_->set_urgency(device_->add_context(context.slice, context.priority), context.urgency);
    for (const Stream& stream : scenario_.streams)
      device_->add_stream(static_cast<ContextIndex>(stream.context), stream);
    device_->record_slices(result_.slices);
    result_.iterations.resize(scenario_.loops.size());
    for (std::size_t loop = 0; loop < scenario_.loops.size(); ++loop) {
      result_.iterations[loop].push_back(scenario_.loops[loop].calls);
      open_[loop] = scenario_.loops[loop].calls.size();
      for (const std::size_t call : scenario_.loops[loop].calls) loop_of_[call] = loop;
    }
    for (std::size_t index = 0; index < scenario_.operations.size(); ++index)
      if (auto error = add(index)) return tl::unexpected(*error);
    if (auto error = go()) return tl::unexpected(*error);
    sort_slices(result_.slices);
    return std::move(result_);
  }

 private:
  using Error = std::optional<std::string>;
  static constexpr std::size_t none = ~std::size_t{0};

  const StreamOperation& operation(std::size_t index) const {
    const std::size_t given = scenario_.operations.size();
    return index < given ? scenario_.operations[index] : result_.repeated[index - given];
  }

  /// The operation will be released. The error is that of its blocks.
  Error add(std::size_t index) {
    const StreamOperation& added = operation(index);
    std::optional<SmUse> use;
    if (added.kind == StreamOperationKind::kernel) {
      const auto block = use_of_block(scenario_.limits(), added.shape);
      if (!block) return fmt::format("operations[{}]: {}", index, block.error());
      use = *block;
      if (added.blocks > max_simulated_blocks - spent_.blocks)
        return fmt::format("operations[{}]: more than {} blocks in all", index, max_simulated_blocks);
      spent_.blocks += added.blocks;
      if (static_cast<std::uint64_t>(spent_.blocks) > max_steps_ / 2)
        return fmt::format(
            "operations[{}]: the blocks up to here take two steps each, more than {} in all; "
            "launch fewer, or raise --max-steps",
            index, max_steps_);
    }
    use_.push_back(use);
    result_.operations.emplace_back();
    has_ended_.push_back(false);
    waiting_.emplace(added.release, index);
    return std::nullopt;
  }

  Error go() {
    std::vector<OperationId> completed;
    for (; ended_ < result_.operations.size(); ++spent_.steps) {
      if (spent_.steps == max_steps_)
        return fmt::format(
            "the simulation is not at its end after {} steps, at {}; lengthen time slices, "
            "shorten operations, or raise --max-steps",
            max_steps_, format_duration(now_.since_start()));
      now_ = device_->next_event();
      if (!waiting_.empty()) now_ = std::min(now_, waiting_.top().first);
      if (now_ == Instant::never())
        return fmt::format("operations[{}]: it ends later than 2^63 ps; shorten what comes before it and itself",
                           std::find(has_ended_.begin(), has_ended_.end(), false) - has_ended_.begin());
      completed.clear();
      device_->advance(now_, completed);
      for (const OperationId id : completed)
        if (auto error = end(index_of_[id], std::move(device_->run_of(id)))) return error;
      ended_ += completed.size();
      for (; !waiting_.empty() && waiting_.top().first == now_; waiting_.pop()) submit(waiting_.top().second);
      device_->settle();
    }
    return std::nullopt;
  }

  void submit(std::size_t index) {
    const StreamOperation& call = operation(index);
    const OperationId id = device_->submit({call.kind, static_cast<StreamIndex>(call.stream), call.duration,
                                            call.blocks, use_[index], call.cache_config, call.memory_share, call.cost,
                                            call.mask, call.memory.get(), call.warps.get(), call.pageable, call.queue});
    if (index_of_.size() <= id) index_of_.resize(id + 1);
    index_of_[id] = index;
  }

  Error end(std::size_t index, OperationRun run) {
    result_.operations[index] = std::move(run);
    has_ended_[index] = true;
    const std::size_t loop = loop_of_[index];
    if (loop == none || --open_[loop] > 0) return std::nullopt;
    if (!scenario_.loops[loop].is_synchronized) return repeat(loop);
    for (std::size_t other = 0; other < open_.size(); ++other)
      if (scenario_.loops[other].is_synchronized && open_[other] > 0) return std::nullopt;
    for (std::size_t other = 0; other < open_.size(); ++other)
      if (scenario_.loops[other].is_synchronized)
        if (auto error = repeat(other)) return error;
    return std::nullopt;
  }

  Error repeat(std::size_t index) {
    const StreamLoop& loop = scenario_.loops[index];
    auto& iterations = result_.iterations[index];
    if (loop.calls.empty() || !goes_on(loop, iterations.size(), now_)) return std::nullopt;
    iterations.emplace_back();
    open_[index] = loop.calls.size();
    for (const std::size_t call : loop.calls) {
      StreamOperation repeated = scenario_.operations[call];
      repeated.release = now_ + (repeated.release - loop.start);
      const std::size_t number = result_.operations.size();
      iterations.back().push_back(number);
      result_.repeated.push_back(std::move(repeated));
      loop_of_.push_back(index);
      if (auto error = add(number)) return error;
    }
    return std::nullopt;
  }

  const StreamScenario& scenario_;
  std::uint64_t max_steps_;
  Spent& spent_;
  std::unique_ptr<Device> device_;
  StreamRun result_;
  std::vector<std::optional<SmUse>> use_;  ///< of a block, by operation
  std::vector<bool> has_ended_;
  std::vector<std::size_t> loop_of_;
  std::vector<std::size_t> open_;  ///< operations of the current iteration that have not ended, by loop
  /// Operations to release: the earliest first, among equals in order of their numbers.
  using Waiting = std::pair<Instant, std::size_t>;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
  std::vector<std::size_t> index_of_;  ///< by OperationId
  std::size_t ended_ = 0;
  Instant now_;
};

}  // namespace

std::vector<GpuPart> parts_of(const StreamScenario& scenario) {
  std::vector<GpuPart> parts(scenario.gpus.size());
  if (parts.empty()) return parts;
  for (std::size_t gpu = 0; gpu < parts.size(); ++gpu) {
    parts[gpu].scenario.device = scenario.gpus[gpu].device;
    parts[gpu].scenario.by_urgency = scenario.gpus[gpu].by_urgency;
  }
  std::vector<std::size_t> context_in_part;
  for (std::size_t context = 0; context < scenario.contexts.size(); ++context) {
    GpuPart& part = parts[scenario.contexts[context].gpu];
    context_in_part.push_back(part.contexts.size());
    part.contexts.push_back(context);
    part.scenario.contexts.push_back(scenario.contexts[context]);
    part.scenario.contexts.back().gpu = 0;
  }
  std::vector<std::size_t> stream_in_part;
  for (const Stream& stream : scenario.streams) {
    StreamScenario& part = parts[scenario.gpu_of(stream)].scenario;
    stream_in_part.push_back(part.streams.size());
    part.streams.push_back(stream);
    part.streams.back().context = context_in_part[stream.context];
  }
  for (std::size_t operation = 0; operation < scenario.operations.size(); ++operation) {
    const std::size_t stream = scenario.operations[operation].stream;
    GpuPart& part = parts[scenario.gpu_of(scenario.streams[stream])];
    part.operations.push_back(operation);
    part.scenario.operations.push_back(scenario.operations[operation]);
    part.scenario.operations.back().stream = stream_in_part[stream];
  }
  return parts;
}

std::int64_t hsa_queues(const StreamScenario& scenario) {
  std::set<std::size_t> with_kernels;
  std::set<std::pair<std::size_t, std::int64_t>> named;  // by context; by kernels themselves
  for (const StreamOperation& operation : scenario.operations) {
    if (operation.kind != StreamOperationKind::kernel) continue;
    if (operation.queue)
      named.emplace(scenario.streams[operation.stream].context, *operation.queue);
    else
      with_kernels.insert(operation.stream);
  }
  std::int64_t queues = 0;
  std::map<std::size_t, std::int64_t> unmasked;  // by context
  for (const std::size_t stream : with_kernels)
    ++(scenario.streams[stream].mask ? queues : unmasked[scenario.streams[stream].context]);
  for (const auto& [context, queue] : named) ++unmasked[context];
  for (const auto& [context, used] : unmasked) queues += std::min(used, scenario.device.amd->pool_queues);
  return queues;
}

void append_repeated(StreamScenario& scenario, StreamRun& run) {
  std::move(run.repeated.begin(), run.repeated.end(), std::back_inserter(scenario.operations));
  run.repeated.clear();
}

tl::expected<StreamRun, std::string> simulate_streams(const StreamScenario& scenario, std::uint64_t max_steps) {
  Spent spent;
  try {
    if (scenario.gpus.empty()) return Simulation(scenario, max_steps, spent).run();
    StreamRun whole;
    whole.operations.resize(scenario.operations.size());
    const std::vector<GpuPart> parts = parts_of(scenario);
    for (std::size_t gpu = 0; gpu < parts.size(); ++gpu) {
      const GpuPart& part = parts[gpu];
      auto run = Simulation(part.scenario, max_steps, spent).run();
      if (!run) return tl::unexpected(fmt::format("GPU \"{}\": {}", scenario.gpus[gpu].name, run.error()));
      for (std::size_t i = 0; i < part.operations.size(); ++i)
        whole.operations[part.operations[i]] = std::move(run->operations[i]);
      for (EngineSlice slice : run->slices) {
        slice.context = static_cast<ContextIndex>(part.contexts[slice.context]);
        whole.slices.push_back(slice);
      }
    }
    sort_slices(whole.slices);
    return whole;
  } catch (const std::overflow_error&) {
    return tl::unexpected(std::string("the scenario lasts longer than 2^63 ps"));
  }
}

}  // namespace amalthea::engine::gpu
