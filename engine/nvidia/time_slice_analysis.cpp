// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/time_slice_analysis.hpp"

#include <fmt/core.h>

#include "engine/nvidia/time_slices/analysis.hpp"

namespace amalthea::engine::nvidia {
namespace {

/// Describes what is wrong with a task; "" if nothing is.
std::string fault_of(const TimeSliceProblem& problem, const GpuTask& task) {
  const auto positive = [](Duration time) { return time > Duration{} && time < longest_analyzed; };
  if (!positive(task.period) || !positive(task.deadline) || !positive(task.slice))
    return fmt::format("period, deadline and time slice must be above zero and below {}",
                       format_duration(longest_analyzed));
  if (task.jitter < Duration{} || task.jitter >= longest_analyzed)
    return fmt::format("its jitter must be below {}", format_duration(longest_analyzed));
  if (task.core >= problem.cores.size()) return "its core is not there";
  for (const GpuTask::Blocking& blocking : task.blocking)
    if (blocking.by >= problem.tasks.size() || blocking.time < Duration{} || blocking.time >= longest_analyzed)
      return fmt::format("what blocks it must be there and below {}", format_duration(longest_analyzed));
  detail::Int128 total = 0;
  const auto fits = [&total](Duration best, Duration worst) {
    total += worst.picoseconds();
    return best >= Duration{} && best <= worst && total < longest_analyzed.picoseconds();
  };
  for (const Segment& segment : task.segments) {
    bool good = true;
    if (const auto* cpu = std::get_if<CpuSegment>(&segment)) good = fits(cpu->best, cpu->worst);
    if (const auto* wait = std::get_if<WaitSegment>(&segment))
      if (wait->task >= problem.tasks.size() || !problem.tasks[wait->task].host)
        return "it waits for a task without a host";
    if (const auto* gpu = std::get_if<GpuSegment>(&segment)) {
      if (gpu->stream && *gpu->stream >= problem.streams.size()) return "its stream is not there";
      if (gpu->operations.empty()) return "a GPU segment has no operation";
      for (const GpuOperation& operation : gpu->operations) {
        good = good && fits(operation.best, operation.worst);
        if (operation.worst.is_zero()) return "a copy or kernel takes no time";
        if (operation.longest_block < Duration{} || operation.longest_block > operation.worst)
          return "a block is longer than its kernel";
        if (!(operation.memory_share >= 0 && operation.memory_share <= 1)) return "a memory share is not in 0 ... 1";
      }
    }
    if (!good)
      return fmt::format("best times must be at most the worst, and all together below {}",
                         format_duration(longest_analyzed));
  }
  return {};
}

}  // namespace

std::string_view name_of(WaitMode mode) { return mode == WaitMode::busy ? "busy" : "suspend"; }

std::string_view name_of(BoundPart part) {
  switch (part) {
    case BoundPart::execution:
      return "execution";
    case BoundPart::gpu:
      return "gpu";
    case BoundPart::slowed_by_copies:
    case BoundPart::slowed_by_kernels:
    case BoundPart::slowed_by_cpu:
      return "slowdown";
    case BoundPart::own_switches:
      return "own_switches";
    case BoundPart::preemption:
      return "preemption";
    case BoundPart::blocking:
      return "blocking";
    case BoundPart::slices:
      return "slices";
    case BoundPart::overruns:
      return "overruns";
    case BoundPart::switches:
      return "switches";
    case BoundPart::streams:
      return "streams";
  }
  return "";
}
tl::expected<TimeSliceBounds, std::string> time_slice_bounds(const TimeSliceProblem& problem) {
  constexpr std::int64_t max_slowdown = 1'000'000'000;  // a thousand times
  for (const SharedGpu& gpu : problem.gpus) {
    const gpu::InterferenceTable& table = gpu.interference;
    for (const Slowdown slowdown :
         {table.kernel_by_memcpy, table.kernel_by_memset, table.kernel_by_same_sm, table.kernel_by_same_gpc,
          table.kernel_by_other_gpc, table.kernel_by_cpu, table.copy_by_kernel, table.copy_by_cpu})
      if (slowdown.ppm < 1'000'000 || slowdown.ppm > max_slowdown)
        return tl::unexpected(std::string("slowdowns must be between 1 and 1000"));
    if (gpu.context_switch < Duration{} || gpu.context_switch >= longest_analyzed)
      return tl::unexpected(fmt::format("the context switch must be below {}", format_duration(longest_analyzed)));
  }
  for (const SharedContext& context : problem.contexts)
    if (context.gpu >= problem.gpus.size() || context.slice <= Duration{} || context.slice >= longest_analyzed)
      return tl::unexpected(std::string("a context has no GPU, or a time slice out of range"));
  for (const SharedStream& stream : problem.streams)
    if (stream.context >= problem.contexts.size()) return tl::unexpected(std::string("a stream has no context"));
  for (const GpuTask& task : problem.tasks)
    if (const std::string fault = fault_of(problem, task); !fault.empty())
      return tl::unexpected(fmt::format("task {}: {}", task.name, fault));
  return time_slices::Analysis(problem).run();
}

}  // namespace amalthea::engine::nvidia
