// SPDX-License-Identifier: Apache-2.0
#include "engine/devices/stream_simulation.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <tuple>

#include <fmt/core.h>

#include "engine/devices/makers.hpp"

namespace amalthea::engine::gpu {
namespace {

StreamRun run(const StreamScenario& scenario, const std::vector<SmUse>& use) {
  const std::unique_ptr<Device> device = make_device(scenario.device, scenario.cpu_traffic);
  for (const Context& context : scenario.contexts) device->add_context(context.slice, context.priority);
  for (const Stream& stream : scenario.streams) device->add_stream(static_cast<ContextIndex>(stream.context), stream);
  StreamRun result;
  result.operations.resize(scenario.operations.size());
  device->record_slices(result.slices);

  std::vector<std::size_t> order(scenario.operations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return scenario.operations[a].release < scenario.operations[b].release;
  });
  std::vector<std::size_t> index_of;  // by OperationId
  std::vector<OperationId> completed;
  std::size_t released = 0;
  std::size_t ended = 0;
  while (ended < order.size()) {
    Instant now = device->next_event();
    if (released < order.size()) now = std::min(now, scenario.operations[order[released]].release);
    if (now == Instant::never()) throw std::logic_error("operations of the stream scenario wait forever");
    completed.clear();
    device->advance(now, completed);
    for (const OperationId id : completed) result.operations[index_of[id]] = std::move(device->run_of(id));
    ended += completed.size();
    for (; released < order.size() && scenario.operations[order[released]].release == now; ++released) {
      const std::size_t index = order[released];
      const StreamOperation& operation = scenario.operations[index];
      const OperationId id = device->submit({operation.kind, static_cast<StreamIndex>(operation.stream),
                                             operation.duration, operation.blocks, use[index], operation.cache_config,
                                             operation.memory_share, operation.cost});
      if (index_of.size() <= id) index_of.resize(id + 1);
      index_of[id] = index;
    }
    device->settle();
  }
  std::stable_sort(result.slices.begin(), result.slices.end(), [](const EngineSlice& a, const EngineSlice& b) {
    return std::tie(a.start, a.engine) < std::tie(b.start, b.engine);
  });
  return result;
}

}  // namespace

std::int64_t hsa_queues(const StreamScenario& scenario) {
  std::set<std::size_t> with_kernels;
  for (const StreamOperation& operation : scenario.operations)
    if (operation.kind == StreamOperationKind::kernel) with_kernels.insert(operation.stream);
  std::int64_t queues = 0;
  std::map<std::size_t, std::int64_t> unmasked;  // by context
  for (const std::size_t stream : with_kernels)
    ++(scenario.streams[stream].mask ? queues : unmasked[scenario.streams[stream].context]);
  for (const auto& [context, streams] : unmasked) queues += std::min(streams, scenario.device.amd->pool_queues);
  return queues;
}

tl::expected<StreamRun, std::string> simulate_streams(const StreamScenario& scenario) {
  std::vector<SmUse> use(scenario.operations.size());
  std::int64_t blocks = 0;
  for (std::size_t index = 0; index < scenario.operations.size(); ++index) {
    const StreamOperation& operation = scenario.operations[index];
    if (operation.kind != StreamOperationKind::kernel) continue;
    const auto block = use_of_block(scenario.limits(), operation.shape);
    if (!block) return tl::unexpected(fmt::format("operations[{}]: {}", index, block.error()));
    use[index] = *block;
    if (operation.blocks > max_simulated_blocks - blocks)
      return tl::unexpected(fmt::format("operations[{}]: more than {} blocks in all", index, max_simulated_blocks));
    blocks += operation.blocks;
  }
  try {
    return run(scenario, use);
  } catch (const std::overflow_error&) {
    return tl::unexpected(std::string("the scenario lasts longer than 2^63 ps"));
  }
}

}  // namespace amalthea::engine::gpu
