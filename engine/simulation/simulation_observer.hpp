// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Who wants to see a simulation as it runs: traces, pictures, the story of one job.

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/gpu/operation.hpp"
#include "engine/simulation/job_account.hpp"

namespace amalthea::engine {

struct SimulationInput;

/// A time in which nothing changed for a job: it did, or suffered, one thing.
struct Interval {
  TaskIndex task = 0;
  std::uint64_t job = 0;  ///< of the task, counted from 0 by their start
  Instant release;        ///< of the job
  Instant from;
  Instant to;
  Standing standing;
  std::optional<UnitIndex> unit;  ///< the core it runs or polls on, or the GPU that works for it
  std::optional<NodeIndex> node;  ///< the activity it has come to; nothing before the first
};

/// What happens to a process, as AMALTHEA (ProcessEventType) and BTF name it. Legal sequences:
/// - activate, then start, then any of the following, then terminate, all while running;
/// - preempt … resume: its core is given to others;
/// - wait … release … resume: it leaves its core, is ready again, has a core again;
/// - poll … run: it waits and keeps its core; in between park … poll_parking: its core is given to others;
///   poll, park, release_parking, resume: what it waited for has come while others had its core.
enum class ProcessEvent : std::uint8_t {
  activate,
  mta_limit_exceeded,  ///< an activation that is lost
  start,
  preempt,
  resume,
  wait,
  release,
  poll,
  run,
  park,
  poll_parking,
  release_parking,
  terminate,
};
std::string_view to_string(ProcessEvent);  ///< as BTF writes it: "mtalimitexceeded", "poll_parking"

/// Something that happened to a job. A device task executes on its GPU, whatever else does: it runs while one of its
/// operations is executed, and is ready while one waits (process_metrics.hpp).
struct ProcessChange {
  TaskIndex task = 0;
  /// Of the task, counted from 0 by their activation, which is also the order of their start; of an activation that is
  /// lost, the number of the next that is not.
  std::uint64_t job = 0;
  ProcessEvent what = ProcessEvent::activate;
  Instant now;
  std::optional<UnitIndex> unit;          ///< the core (or GPU) it has, gets or leaves; nothing where it has none
  std::optional<StimulusIndex> stimulus;  ///< of an activation
  std::optional<TaskIndex> by;  ///< who triggered it, set the event or released the semaphore it waited for; nobody:
                                ///< time did
};

/// A copy or a kernel of a job, on an engine of its GPU. Events: activate as it is submitted, start, preempt and resume
/// as it is executed and not, terminate.
struct OperationChange {
  TaskIndex task = 0;
  std::uint64_t job = 0;
  std::size_t step = 0;  ///< of the task's program
  ProcessEvent what = ProcessEvent::activate;
  Instant now;
  gpu::EngineIndex engine = 0;
};

/// A block of a kernel with a launch configuration begins or ends. In between it stands still while its kernel is
/// preempted.
struct BlockChange {
  TaskIndex task = 0;
  std::uint64_t job = 0;
  std::size_t step = 0;  ///< the kernel
  std::size_t block = 0;
  gpu::SmIndex sm = 0;
  bool begins = true;
  Instant now;
};

/// Everything is told in the order in which it happens, and every core has one process at a time in that order: also
/// within an instant, where a process may come and go.
class SimulationObserver {
 public:
  virtual ~SimulationObserver() = default;

  /// Whether `interval` is of interest; asked once.
  virtual bool wants_intervals() const { return true; }
  /// Whether anything but `interval`, `released` and `completed` is; asked once.
  virtual bool wants_events() const { return false; }

  /// In the order of `to`; of jobs that end at one instant in the order in which they end. Intervals are not empty.
  virtual void interval(const Interval&) {}
  /// An activation, lost or not.
  virtual void released(TaskIndex /*task*/, Instant /*now*/, bool /*lost*/) {}
  /// `job` as in Interval.
  virtual void completed(TaskIndex /*task*/, std::uint64_t /*job*/, Instant /*release*/, Instant /*now*/) {}

  /// Before anything else. What is passed outlives the simulation only.
  virtual void begins(const SimulationInput&) {}
  /// A stimulus occurs, before what it activates; `by` who triggers it or sets its event.
  virtual void occurred(StimulusIndex, std::optional<TaskIndex> /*by*/, Instant /*now*/) {}
  virtual void process(const ProcessChange&) {}
  /// A job comes to a step of its program, or is done with it. Also steps that take no time; of branches nothing is
  /// told.
  virtual void step_begins(TaskIndex, std::uint64_t /*job*/, std::size_t /*step*/, Instant /*now*/) {}
  virtual void step_ends(TaskIndex, std::uint64_t /*job*/, std::size_t /*step*/, Instant /*now*/) {}
  virtual void operation(const OperationChange&) {}
  virtual void block(const BlockChange&) {}
  /// An engine of a GPU has served a context (the index is that of contexts_on) for a while.
  virtual void served(UnitIndex, const gpu::EngineSlice&) {}
  /// After everything else.
  virtual void ended(Instant /*now*/) {}
};

}  // namespace amalthea::engine
