// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/core.h>

#include "exporter/gpu/timeline.hpp"
#include "exporter/gpu/timeline_formats.hpp"
#include "exporter/primitives/drawing.hpp"
#include "exporter/traces/trace_text.hpp"

namespace amalthea::exporter {
namespace {

namespace gpu = engine::gpu;

/// Order of events at one instant, so that a core is free before it is used again.
enum class Phase : std::uint8_t { end, trigger, activate, begin };

struct Line {
  Instant time;
  Phase phase = Phase::end;
  std::size_t sequence = 0;
  std::string rest;  ///< text after the time and its comma
};

class Trace {
 public:
  Trace(const gpu::StreamScenario& scenario, const gpu::StreamRun& run)
      : scenario_(scenario), run_(run), timeline_(make_timeline(scenario, run)), served_(scenario, run) {
    UniqueNames names;
    for (const TimelineSeries& series : timeline_.series)
      processes_.push_back(names.take(btf_task_name(btf_name(series.name))));
    UniqueNames gpus;
    for (const gpu::ScenarioGpu& gpu : scenario.gpus) gpus_.push_back(gpus.take(btf_name(gpu.name)));
  }

  std::string render(const TimelineOptions& options) {
    trace_operations();
    trace_blocks();
    std::stable_sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) {
      return std::tie(a.time, a.phase, a.sequence) < std::tie(b.time, b.phase, b.sequence);
    });
    std::string out = btf_header(options.date, options.title);
    for (const auto& [name, type] : entities_) out += fmt::format("#-{} {}\n", type, name);
    for (const Line& line : lines_) out += fmt::format("{},{}\n", btf_time(line.time.picoseconds()), line.rest);
    return out;
  }

 private:
  void add(Instant time, Phase phase, std::string rest) {
    lines_.push_back({time, phase, lines_.size(), std::move(rest)});
  }
  void declare(std::string_view type, const std::string& name) { entities_.emplace(name, type); }

  /// A process from its start to its end on one core, with its interruptions.
  void trace_process(const std::string& place, const std::string& process, std::size_t instance,
                     const TimelineBar& bar) {
    const std::string core = btf_core_name(place);
    declare("C", core);
    const auto event = [&](Instant time, Phase phase, std::string_view what) {
      add(time, phase, fmt::format("{},0,T,{},{},{}", core, process, instance, what));
    };
    event(bar.start, Phase::begin, "start");
    Instant end = bar.start;  // end of the service so far
    const auto leave = [&] { event(end, end == bar.start ? Phase::begin : Phase::end, "preempt"); };
    for (const TimelineSpan& span : bar.spans) {
      if (span.start > end) {
        leave();
        event(span.start, Phase::begin, "resume");
      }
      end = span.end;
    }
    if (end < bar.end) leave();
    // Without duration it ends at the instant of its start, directly after it.
    event(bar.end, bar.end == bar.start ? Phase::begin : Phase::end, "terminate");
  }

  /// Kernels and copies: a stimulus releases each; a running kernel has a separate core.
  void trace_operations() {
    std::vector<std::size_t> order(run_.operations.size());
    for (std::size_t index = 0; index < order.size(); ++index) order[index] = index;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return scenario_.operations[a].release < scenario_.operations[b].release;
    });
    instance_.resize(order.size());
    first_block_.resize(order.size());
    std::vector<std::size_t> instances(timeline_.series.size(), 0);
    std::vector<std::size_t> blocks(timeline_.series.size(), 0);
    for (const std::size_t index : order) {
      const std::size_t instance = instances[timeline_.series_of[index]]++;
      const std::string name = process_of(index);
      const std::string stimulus = name + "_release";
      const Instant release = scenario_.operations[index].release;
      declare("STI", stimulus);
      declare("T", name);
      add(release, Phase::trigger, fmt::format("SIM,-1,STI,{},{},trigger", stimulus, instance));
      add(release, Phase::activate, fmt::format("{0},{2},T,{1},{2},activate", stimulus, name, instance));
      instance_[index] = instance;
      first_block_[index] = blocks[timeline_.series_of[index]];
      blocks[timeline_.series_of[index]] += run_.operations[index].blocks.size();
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return run_.operations[a].start < run_.operations[b].start; });
    std::vector<std::vector<Instant>> slots(std::max<std::size_t>(scenario_.gpus.size(), 1));
    for (const std::size_t index : order) {
      const gpu::StreamOperation& operation = scenario_.operations[index];
      const gpu::OperationRun& done = run_.operations[index];
      const TimelineBar bar{index, 0, done.start, done.completion,
                            served_.within(operation, done.start, done.completion)};
      const bool is_kernel = operation.kind == gpu::StreamOperationKind::kernel;
      const std::size_t gpu = gpu_of(scenario_, operation);
      const std::string core = is_kernel ? fmt::format("EE_{}", take_lane(slots[gpu], bar.start, bar.end))
                                         : fmt::format("CE_{}", engine_of(scenario_, operation) - 1);
      trace_process(place_on(gpu) + core, process_of(index), instance_[index], bar);
    }
  }

  /// Blocks: activated when their kernel is in the queue of the engine.
  void trace_blocks() {
    for (const TimelineRow& row : timeline_.rows) {
      if (row.kind != TimelineRowKind::multiprocessor) continue;
      const std::string core = fmt::format("{}SM{}_{}", place_on(row.gpu), row.unit, row.lane);
      for (const TimelineBar& bar : row.bars) {
        const std::size_t instance = first_block_[bar.subject] + bar.block;
        const std::string name = process_of(bar.subject) + ".block";
        const std::string stimulus = process_of(bar.subject) + "_release";
        declare("T", name);
        add(run_.operations[bar.subject].enqueued, Phase::activate,
            fmt::format("{},{},T,{},{},activate", stimulus, instance_[bar.subject], name, instance));
        trace_process(core, name, instance, bar);
      }
    }
  }

  std::string place_on(std::size_t gpu) const { return gpus_.empty() ? "" : gpus_[gpu] + "_"; }
  const std::string& process_of(std::size_t operation) const { return processes_[timeline_.series_of[operation]]; }

  const gpu::StreamScenario& scenario_;
  const gpu::StreamRun& run_;
  Timeline timeline_;
  ServedTime served_;
  std::vector<std::string> processes_;    ///< by series
  std::vector<std::string> gpus_;         ///< none: the scenario names none
  std::vector<std::size_t> instance_;     ///< of every operation within its series
  std::vector<std::size_t> first_block_;  ///< instance of every operation's first block
  std::vector<Line> lines_;
  std::map<std::string, std::string_view> entities_;
};

}  // namespace

std::string render_gpu_trace_btf(const gpu::StreamScenario& scenario, const gpu::StreamRun& run,
                                 const TimelineOptions& options) {
  return Trace(scenario, run).render(options);
}

}  // namespace amalthea::exporter
