// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The simulation of an analysis, job by job, for the report: in bounded memory.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "engine/analysis.hpp"
#include "engine/gpu/device.hpp"
#include "engine/results/process_metrics.hpp"
#include "engine/results/results.hpp"
#include "engine/results/statistics.hpp"
#include "engine/simulation/simulation_observer.hpp"

namespace amalthea::exporter {

/// The part of a unit that works for a job.
enum class EngineOfUnit : std::uint8_t { core, execution_engine, copy_engine };

/// The state of a job in a span. Label accesses and ticks of one runnable are not distinguished.
struct ScheduleStanding {
  engine::ProcessState state = engine::ProcessState::active;
  engine::ContributionKind kind = engine::ContributionKind::execution;  ///< see engine::Reason
  std::optional<TaskIndex> by;    ///< see engine::Reason; also the task that slows down an operation
  std::optional<UnitIndex> unit;  ///< see engine::Interval
  EngineOfUnit engine = EngineOfUnit::core;
  std::optional<std::size_t> what;                          ///< runnable or operation, into Schedule::names
  engine::TrafficKind traffic = engine::TrafficKind::none;  ///< see engine::Reason
  friend auto operator<=>(const ScheduleStanding&, const ScheduleStanding&) = default;
};

struct ScheduleSpan {
  Instant from;
  Instant to;
  std::size_t standing = 0;  ///< into Schedule::standings
};

struct ScheduleJob {
  std::uint64_t number = 0;  ///< of the task, from 0, in the order of start
  Instant release;
  std::optional<Instant> completion;  ///< nothing if the simulation, or the recording, ended earlier
  std::size_t spans = 0;              ///< number of its spans; they follow those of the previous job
};

struct ScheduleOfTask {
  std::vector<ScheduleSpan> spans;  ///< in order, without overlap
  std::vector<ScheduleJob> jobs;    ///< jobs with spans, in order
  engine::Sample responses;         ///< of all ended jobs released within the horizon, recorded or not
};

/// A block of a kernel with a launch configuration, on an SM.
struct ScheduleBlock {
  Instant from;
  Instant to;
  TaskIndex task = 0;
  engine::gpu::SmIndex sm = 0;
};

struct ScheduleWindow {
  Instant from;
  Instant to;
};

struct Schedule {
  std::vector<ScheduleOfTask> tasks;        ///< parallel to System::tasks
  std::vector<ScheduleStanding> standings;  ///< in the order of their first occurrence
  std::vector<std::string> names;           ///< of runnables and operations
  std::vector<ScheduleBlock> blocks;        ///< from the beginning, at most a quarter as many as spans
  std::vector<ScheduleWindow> recorded;     ///< in order; what happened outside of them is unknown
  Instant end;                              ///< the horizon, or the end of the last longest job if that is later
  bool cut = false;                         ///< whether `recorded` is incomplete up to `end`
  std::size_t spans() const;
};

/// The beginning of what an observer receives, at most `most` spans (plus one for every task), without responses.
class ScheduleRecording {
 public:
  ScheduleRecording(const System& system, std::size_t most);

  engine::SimulationObserver& observer() { return *recorder_; }
  /// What is recorded up to `end`; once.
  Schedule take(Instant end);

 private:
  std::unique_ptr<engine::SimulationObserver> recorder_;
};

struct RecordedAnalysis {
  engine::Results results;
  Schedule schedule;
};

/// engine::analyze with a recording of at most `most` spans (plus one for every task and window, at its cut). If that
/// is too few, the simulation is repeated: it records the beginning with three quarters of that number, and the
/// beginning of every task's longest job with the last quarter. Nothing if engine::analyze returns nothing.
std::optional<RecordedAnalysis> analyze_and_record(const System& system, engine::AnalysisOptions options,
                                                   std::size_t most, Diagnostics& diagnostics);

}  // namespace amalthea::exporter
