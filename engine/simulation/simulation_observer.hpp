// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Interface for observers of a running simulation: traces, drawings, explanations.

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/gpu/operation.hpp"
#include "engine/simulation/job_account.hpp"

namespace amalthea::engine {

struct SimulationInput;

/// An interval in which the state of a job and its reason did not change.
struct Interval {
  TaskIndex task = 0;
  std::uint64_t job = 0;  ///< number of the job, from 0, in the order of their start
  Instant release;        ///< of the job
  Instant from;
  Instant to;
  Standing standing;
  std::optional<UnitIndex> unit;  ///< the core it runs or polls on, or the GPU that executes its operation
  std::optional<NodeIndex> node;  ///< the activity it has reached; nothing before the first
};

/// Events of a process, named as in AMALTHEA (ProcessEventType) and BTF. Legal sequences:
/// - activate, then start, then any of the following while running, then terminate;
/// - preempt … resume: other tasks use its core;
/// - wait … release … resume: it leaves its core, becomes ready again, and gets a core again;
/// - poll … run: it waits and keeps its core; meanwhile park … poll_parking: other tasks use its core; poll, park,
///   release_parking, resume: its wait ended while other tasks used its core.
enum class ProcessEvent : std::uint8_t {
  activate,
  mta_limit_exceeded,  ///< a lost activation
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
std::string_view to_string(ProcessEvent);  ///< the BTF name: "mtalimitexceeded", "poll_parking"

/// An event of a job. A device task executes on its GPU, independently of other tasks: it is running while one of its
/// operations executes, and ready while one waits (process_metrics.hpp).
struct ProcessChange {
  TaskIndex task = 0;
  /// Number of the job within its task, from 0, in the order of activation and start. For a lost activation, the number
  /// of the next activation that is not lost.
  std::uint64_t job = 0;
  ProcessEvent what = ProcessEvent::activate;
  Instant now;
  std::optional<UnitIndex> unit;          ///< the core (or GPU) it has, gets or leaves; nothing if it has none
  std::optional<StimulusIndex> stimulus;  ///< for an activation
  /// the task that triggered it, set the event or released the semaphore it waited for; nothing: time
  std::optional<TaskIndex> by;
};

/// A copy or a kernel of a job, on an engine of its GPU. Events: activate when it is submitted, start, preempt and
/// resume as it executes or not, terminate.
struct OperationChange {
  TaskIndex task = 0;
  std::uint64_t job = 0;
  std::size_t step = 0;  ///< index in the program of the task
  ProcessEvent what = ProcessEvent::activate;
  Instant now;
  gpu::EngineIndex engine = 0;
};

/// A block of a kernel with a launch configuration begins or ends. In between it makes no progress while its kernel is
/// preempted.
struct BlockChange {
  TaskIndex task = 0;
  std::uint64_t job = 0;
  std::size_t step = 0;  ///< the step of the kernel
  std::size_t block = 0;
  gpu::SmIndex sm = 0;
  bool begins = true;
  Instant now;
};

/// Receives all events in the order in which they happen. In that order every core has at most one process at a time,
/// even within an instant in which several processes run on it.
class SimulationObserver {
 public:
  virtual ~SimulationObserver() = default;

  /// Whether the observer wants `interval`; queried once.
  virtual bool wants_intervals() const { return true; }
  /// Whether it wants those that end later than now; queried at the end of every instant. Intervals begin and end where the
  /// answer changes.
  virtual bool wants_intervals_after(Instant) const { return true; }
  /// Whether intervals in which the task is kept from its core tell by which task; queried once. Otherwise they do not
  /// end where that changes.
  virtual bool wants_obstacles_of(TaskIndex) const { return true; }
  /// Whether it wants anything except `interval`, `released` and `completed`; queried once.
  virtual bool wants_events() const { return false; }

  /// In the order of `to`; for jobs that end at the same instant, in the order in which they end. Intervals are not
  /// empty.
  virtual void interval(const Interval&) {}
  /// An activation, lost or not.
  virtual void released(TaskIndex /*task*/, Instant /*now*/, bool /*lost*/) {}
  /// `job` as in Interval.
  virtual void completed(TaskIndex /*task*/, std::uint64_t /*job*/, Instant /*release*/, Instant /*now*/) {}

  /// First call. The argument is valid only during the simulation.
  virtual void begins(const SimulationInput&) {}
  /// A stimulus occurs; precedes the activations it causes. `by` is the task that triggers it or sets its event.
  virtual void occurred(StimulusIndex, std::optional<TaskIndex> /*by*/, Instant /*now*/) {}
  virtual void process(const ProcessChange&) {}
  /// A job reaches or completes a step of its program, including steps that take no time, but not branches.
  virtual void step_begins(TaskIndex, std::uint64_t /*job*/, std::size_t /*step*/, Instant /*now*/) {}
  virtual void step_ends(TaskIndex, std::uint64_t /*job*/, std::size_t /*step*/, Instant /*now*/) {}
  virtual void operation(const OperationChange&) {}
  virtual void block(const BlockChange&) {}
  /// An engine of a GPU served a context (an index into contexts_on) for this slice.
  virtual void served(UnitIndex, const gpu::EngineSlice&) {}
  /// Last call.
  virtual void ended(Instant /*now*/) {}
};

}  // namespace amalthea::engine
