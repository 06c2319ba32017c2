// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the simulation of an analysis did, job by job, as the report draws it: in bounded memory.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/graph/system.hpp"
#include "engine/analysis.hpp"
#include "engine/results/process_metrics.hpp"
#include "engine/results/results.hpp"
#include "engine/results/statistics.hpp"

namespace amalthea::exporter {

/// What of a unit works for a job.
enum class EngineOfUnit : std::uint8_t { core, execution_engine, copy_engine };

/// What a job does or suffers in a span. Label accesses and ticks of one runnable are not told apart.
struct ScheduleStanding {
  engine::ProcessState state = engine::ProcessState::active;
  engine::ContributionKind kind = engine::ContributionKind::execution;  ///< see engine::Reason
  std::optional<TaskIndex> by;                                          ///< the same; who slows an operation, too
  std::optional<UnitIndex> unit;                                        ///< see engine::Interval
  EngineOfUnit engine = EngineOfUnit::core;
  std::optional<std::size_t> what;  ///< runnable or operation, into Schedule::names
  friend auto operator<=>(const ScheduleStanding&, const ScheduleStanding&) = default;
};

struct ScheduleSpan {
  Instant from;
  Instant to;
  std::size_t standing = 0;  ///< into Schedule::standings
};

struct ScheduleJob {
  std::uint64_t number = 0;  ///< of the task, counted from 0 by their start
  Instant release;
  std::optional<Instant> completion;  ///< nothing when the simulation ended, or the recording stopped, before
  std::size_t spans = 0;              ///< how many of the task's spans are its; they follow those of the job before
};

struct ScheduleOfTask {
  std::vector<ScheduleSpan> spans;  ///< in order, none overlaps another
  std::vector<ScheduleJob> jobs;    ///< that have spans, in order
  engine::Sample responses;         ///< of all ended jobs released within the horizon, recorded or not
};

struct ScheduleWindow {
  Instant from;
  Instant to;
};

struct Schedule {
  std::vector<ScheduleOfTask> tasks;        ///< parallel to System::tasks
  std::vector<ScheduleStanding> standings;  ///< in the order in which they first occurred
  std::vector<std::string> names;           ///< of runnables and operations
  std::vector<ScheduleWindow> recorded;     ///< in order; what happened outside of them is not known
  Instant end;                              ///< the horizon, or the end of the last longest job where that is later
  bool cut = false;                         ///< whether there is more than `recorded` up to `end`
  std::size_t spans() const;
};

struct RecordedAnalysis {
  engine::Results results;
  Schedule schedule;
};

/// engine::analyze, watched; at most `most` spans (and one for every task and window, where it is cut off) are kept. If
/// that is too few, the simulation is done again for the first three quarters of that many, and with the last quarter
/// the beginning of every task's longest job. Nothing where engine::analyze finds nothing.
std::optional<RecordedAnalysis> analyze_and_record(const System& system, engine::AnalysisOptions options,
                                                   std::size_t most, Diagnostics& diagnostics);

}  // namespace amalthea::exporter
