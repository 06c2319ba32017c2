// SPDX-License-Identifier: Apache-2.0
#include "engine/amd/partition.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "engine/amd/device.hpp"

namespace amalthea::engine::amd {
namespace {

/// A task that calls its kernel again after the previous one has ended.
struct Caller {
  DeviceOperation operation;
  Instant called;
  Instant submission;  ///< of the current call
  bool submitted = false;
  OperationId id = 0;
  std::vector<Duration> responses;

  void call(Instant at, Duration launch_overhead) {
    called = at;
    submission = at + launch_overhead;
    submitted = false;
  }
};

Caller caller_of(const DeviceSettings& settings, const PartitionTask& task, StreamIndex stream) {
  Caller caller;
  caller.operation.stream = stream;
  caller.operation.duration = task.kernel.duration;
  caller.operation.blocks = task.kernel.blocks;
  caller.operation.block = use_of_block(settings.limits, task.kernel.shape).value();
  caller.operation.cost = task.kernel.cost;
  return caller;
}

ResponseTimes summary(std::vector<Duration> responses) {
  std::sort(responses.begin(), responses.end());
  double sum = 0, squares = 0;
  for (const Duration response : responses) sum += static_cast<double>(response.picoseconds());
  const double mean = sum / static_cast<double>(responses.size());
  for (const Duration response : responses) {
    const double off = static_cast<double>(response.picoseconds()) - mean;
    squares += off * off;
  }
  const double deviation = std::sqrt(squares / static_cast<double>(responses.size()));
  const auto picoseconds = [](double value) { return Duration::picoseconds(std::llround(value)); };
  return {responses.front(),   responses[(responses.size() - 1) / 2],
          responses.back(),    responses.size(),
          picoseconds(mean),   picoseconds(deviation),
          std::move(responses)};
}

std::string listed(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) text += fmt::format("{}{}", text.empty() ? "" : ", ", number);
  return text;
}

/// Every SE gets the same number of blocks, so the value of a mask is its fewest CUs in an SE times the number of SEs.
void report_stray_units(const Layout& layout, const PartitionTask& task, Diagnostics& diagnostics) {
  const auto units = units_by_engine(layout, task.mask);
  std::vector<std::int64_t> used;
  for (const std::int64_t count : units)
    if (count > 0) used.push_back(count);
  std::sort(used.begin(), used.end());
  const auto worth = [&](std::size_t without) {
    return without == used.size() ? 0 : used[without] * static_cast<std::int64_t>(used.size() - without);
  };
  std::size_t best = 0;
  for (std::size_t without = 1; without < used.size(); ++without)
    if (worth(without) > worth(best)) best = without;
  if (best == 0) return;
  diagnostics.add(
      "AM0580", Severity::warning,
      fmt::format(
          "mask {} of {} enables {} CUs on the shader engines; all engines in use get the same number of blocks, so "
          "the mask is worth only {} CUs. Without the {} on the smallest engine it would be worth {}",
          hexadecimal(task.mask), task.kernel.name, listed(units), worth(0),
          fmt::format("{} CU{}", used[best - 1], used[best - 1] == 1 ? "" : "s"), worth(best)));
}

void report_cutting_ahead(const PartitionTask& task, const PartitionTask& against, Diagnostics& diagnostics) {
  const std::int64_t shared = shared_units(task.mask, against.mask);
  if (shared == 0 || against.kernel.shape.threads >= task.kernel.shape.threads) return;
  diagnostics.add("AM0581", Severity::warning,
                  fmt::format("{} shares {} CU{} with {}: blocks of {} threads fit where one of {} does not, and "
                              "overtake it; use masks that do not overlap",
                              task.kernel.name, shared, shared == 1 ? "" : "s", against.kernel.name,
                              against.kernel.shape.threads, task.kernel.shape.threads));
}

CuMask with_last(CuMask mask) {
  mask.bits.back() = true;
  return mask;
}

}  // namespace

Partition measure_partition(const DeviceSettings& settings, const PartitionOptions& options, const PartitionTask& task,
                            const std::optional<PartitionTask>& against) {
  Device device(settings);
  const ContextIndex context = device.add_context({}, ContextPriority::medium);
  std::vector<Caller> callers;
  const auto add = [&](const PartitionTask& added, Duration first_call) {
    StreamSettings stream;
    stream.mask = added.mask;
    callers.push_back(caller_of(settings, added, device.add_stream(context, stream)));
    callers.back().call(Instant{} + first_call, options.launch_overhead);
  };
  add(task, {});
  if (against) add(*against, options.offset);
  std::vector<OperationId> completed;
  while (callers.front().responses.size() < options.launches) {
    Instant now = device.next_event();
    for (const Caller& caller : callers)
      if (!caller.submitted) now = std::min(now, caller.submission);
    completed.clear();
    device.advance(now, completed);
    for (Caller& caller : callers)
      if (caller.submitted && std::find(completed.begin(), completed.end(), caller.id) != completed.end()) {
        caller.responses.push_back(now - caller.called);
        caller.call(now + options.pause, options.launch_overhead);
      }
    for (Caller& caller : callers)
      if (!caller.submitted && caller.submission == now) {
        caller.id = device.submit(caller.operation);
        caller.submitted = true;
      }
    device.settle();
  }
  Partition result;
  result.task = summary(std::move(callers.front().responses));
  if (against && !callers.back().responses.empty()) result.against = summary(std::move(callers.back().responses));
  return result;
}

std::vector<Strategy> strategies(const Layout& layout, std::int64_t units) {
  const CuMask full = full_mask(layout);
  const CuMask even = parse_cu_mask("even", layout).value();
  const CuMask packed = packed_mask(layout, units);
  const CuMask distributed = distributed_mask(layout, units);
  return {{"full", full, full},
          {"even", even, complement(even)},
          {"uneven", with_last(even), with_last(complement(even))},
          {"packed", packed, complement(packed)},
          {"distributed", distributed, complement(distributed)},
          {"distributed uneven", with_last(distributed), with_last(complement(distributed))}};
}

void report_worst_practices(const Layout& layout, const PartitionTask& task,
                            const std::optional<PartitionTask>& against, Diagnostics& diagnostics) {
  report_stray_units(layout, task, diagnostics);
  if (!against) return;
  report_stray_units(layout, *against, diagnostics);
  report_cutting_ahead(task, *against, diagnostics);
  report_cutting_ahead(*against, task, diagnostics);
}

void report_queues(const DeviceSettings& settings, std::int64_t queues, Diagnostics& diagnostics) {
  if (queues <= settings.queues()) return;
  diagnostics.add(
      "AM0582", Severity::warning,
      fmt::format(
          "{} HSA queues are needed, but {} ACEs have only {} slots each; the firmware multiplexes them in time, "
          "for {} each; use fewer streams with masks",
          queues, settings.aces, settings.slots_per_ace, format_duration(settings.quantum)));
}

}  // namespace amalthea::engine::amd
