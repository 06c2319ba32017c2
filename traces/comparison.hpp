// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Traces held against a system: how often its tasks, runnables, copies and kernels ran and for how long, what of it
/// contradicts the rules of traces or the model, and the verdicts on all limits. docs/reference/compare.md describes it.
///
/// The memory depends on the system, not on the length of the traces. The instants of events that constraints name have a
/// fixed limit.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "engine/analysis.hpp"
#include "engine/results/results.hpp"
#include "engine/results/statistics.hpp"
#include "engine/simulation/simulation_observer.hpp"
#include "traces/arrival_fit.hpp"
#include "traces/directory.hpp"
#include "traces/trace_reader.hpp"

namespace amalthea::traces {

/// Samples are exact up to this number of values. Beyond it percentiles are at most 1/1024 too large.
inline constexpr std::size_t exact_values = 10'000;

struct MeasuredTask {
  std::uint64_t activations = 0;  ///< without lost ones
  std::uint64_t lost = 0;
  std::uint64_t unfinished = 0;  ///< activated in the measured time and not ended in the trace
  std::uint64_t late = 0;        ///< jobs beyond the deadline, ended or not
  engine::Sample response{exact_values};
  engine::Sample execution{exact_values};  ///< running and polling
  engine::ProcessMetrics metrics;
  std::string longest;  ///< where the longest job ended: "trace.btf:17"
};

/// A runnable in one task.
struct MeasuredRunnable {
  RunnableIndex runnable = 0;
  TaskIndex task = 0;
  std::uint64_t runs = 0;
  engine::Sample execution{exact_values};  ///< of a run, without those that it calls, preemption and polling
  engine::Sample duration{exact_values};   ///< first start to last end within one job
};

struct MeasuredOperation {
  NodeIndex node = 0;
  TaskIndex task = 0;
  engine::Sample duration{exact_values};   ///< submission to end
  engine::Sample execution{exact_values};  ///< executing
  engine::Sample block{exact_values};      ///< of a kernel: each of its blocks
};

/// Occurrences of a stimulus; where the trace contains none, the activations of the first task that it activates.
struct MeasuredStimulus {
  Occurrences occurrences;                ///< of the trace with the most of them
  engine::Sample distance{exact_values};  ///< between successive ones, of all traces
  Duration resolution;                    ///< of the times of that trace
};

/// A name that is none of the model.
struct Unmatched {
  EntityKind kind = EntityKind::process;
  std::string name;
  std::uint64_t events = 0;
};

struct TraceFile {
  std::string path;
  TraceReport report;
  Instant begin, end;  ///< of its first and last event
  bool truncated = false;
};

struct Comparison {
  std::vector<TraceFile> files;
  std::vector<MeasuredTask> tasks;  ///< parallel to System::tasks
  std::vector<MeasuredRunnable> runnables;
  std::vector<MeasuredOperation> operations;
  std::vector<MeasuredStimulus> stimuli;  ///< parallel to System::stimuli
  std::vector<Unmatched> unmatched;
  std::vector<std::string> unused_rules;  ///< patterns that matched no name
  /// Verdicts of the judges on what was measured; of several traces the worst. Without bounds.
  engine::Results judged;
  std::uint64_t findings = 0;  ///< also those that are not listed
};

struct ComparisonInput {
  const System& system;
  const engine::AnalysisOptions& analysis;
  const engine::Results* bounds = nullptr;  ///< of an analysis, to compare with; may be null
  const Directory& directory;
  const NameRules& rules;
  std::optional<Instant> from = {};   ///< jobs activated earlier are not measured
  std::optional<Instant> until = {};  ///< nor those activated then or later
  ReadLimits limits = {};
  Progress progress = {};
  std::string columns = {};  ///< TraceInput::columns
  /// False: the system is mapped for the sake of the comparison only. No finding then depends on cores or priorities.
  bool mapped = true;
  std::size_t max_accesses = 65'536;  ///< of tasks in chains, kept at a time
  /// Also receives what the first trace shows, as a simulation would report it: intervals and ends of jobs. An interval
  /// of a device task is that of its copy or kernel. Its cause is known only if the trace shows who has the core.
  engine::SimulationObserver* observer = nullptr;
};

/// Reads the traces one after the other; each begins at its own time 0. Findings have the place in the trace. The error
/// states which trace cannot be read, and why.
tl::expected<Comparison, std::string> compare_traces(const ComparisonInput& input,
                                                     const std::vector<std::string>& paths, Diagnostics& findings);

/// What a trace contains, without a model: its names, in the order of their first appearance, and its findings.
struct ListedTrace {
  TraceFile file;
  std::vector<Unmatched> names;
};
tl::expected<ListedTrace, std::string> list_trace(const TraceInput& input, Diagnostics& findings);

}  // namespace amalthea::traces
