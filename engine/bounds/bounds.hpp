// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Bounds on the response times of all tasks of a System, and on the execution times of its copies and kernels.
///
/// The system is translated into a TimeSliceProblem, whose equations compute the bounds
/// (nvidia/time_slice_analysis.hpp), and one problem for each core that is analyzed separately (detail/problems.hpp).
/// The function system_bounds shows the steps.
/// - The analysis of a core depends on its schedulers (detail/core_analyses.hpp). The TimeSliceProblem covers
///   fixed-priority cores with tasks that wait for a GPU; sections that more urgent tasks cannot preempt count as
///   blocking. The analyses in cpu/ cover all other cores. There the time for which a task waits for a GPU counts as
///   part of its jobs, and the TimeSliceProblem gets its response bound.
/// - A host task of the TimeSliceProblem runs under preemptive fixed priorities on its core. A task with several
///   activations (stimuli, triggers) that does not offload counts as several tasks of equal priority. Their bounds hold
///   for any order among them. Those of a task that uses the GPU are merged into one.
/// - An *offload* is a trigger of a device task and a later wait for an event. Only this device task sets the event,
///   once, after all of its operations, and the event is cleared between waits. The device task then executes only
///   while the host's job waits. The offload is a GPU segment of the host task. What the host executes between trigger
///   and wait counts before the segment, without overlap; in the best case it takes no time.
/// - Device tasks that a host may have active at the same time are tasks of their own, and the host waits for them ((10)
///   of time_slice_analysis.hpp).
/// - Where an alternative of a branch does more than execute, trigger, and set or clear events, all alternatives of the
///   branch count one after the other. A job leaves out some of these steps. So in the best case they take no time,
///   except for the bound of the job itself, which is the minimum over the alternatives.
/// - A device task for which no host task waits is a task without CPU segments.
/// - A task that is triggered by a step of another task inherits its period. Its release jitter (7a) is the jitter plus
///   the bound of the triggering task, minus the minimum execution of that task's job before and after the step. Bounds
///   and jitters together are the smallest common fixed point, reached from below, by the same argument as (8).
/// - Offsets are ignored, unless the caller wants bounds for the stated ones (BoundOptions). Activation limits are
///   ignored too: a lost activation cannot delay any task. Both count only for the time until a stimulus activates a task
///   that sets an event (detail/event_waits.hpp): bounds with such a wait, and all that depend on them (dependencies.hpp),
///   hold for offsets up to the stated one or the period. Whether an
///   activation can be lost follows from the bounds (detail/pending.hpp).
/// - If the caller wants bounds for the stated offsets and nothing varies, device tasks that share a context get their
///   exact response times (detail/exact_responses.hpp).
/// - A task outside this model has no bound, and we know no limit on the time it may take from its core. Its GPU
///   context may permanently request both engines. The other contexts tolerate this: the slots of the runlist bound its
///   share.
///
/// Steps of a Program are rounded to the nearest picosecond. Upper bounds therefore add one picosecond for each access,
/// copy or kernel, and lower bounds subtract one, unless the clock and data rates of the unit yield whole picoseconds.
/// On GPUs whose copies and kernels slow each other down, the simulation rounds their progress down by less than a
/// picosecond at every event. The bounds of operations that something can slow down add a nanosecond and a millionth to
/// cover this.

#include <cstdint>
#include <map>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/primitives/counted_steps.hpp"
#include "engine/cpu/task_set.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/program/program.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {

/// What the analysis of a core, or of cores between which tasks migrate, was given once all jitters were known.
struct AnalyzedCore {
  /// Its jitter depends on the bound of the task that triggers it.
  struct Trigger {
    TaskIndex task = 0;
    std::optional<std::size_t> entry;  ///< of that task, on the same core
    Duration least;                    ///< execution of its job before the trigger
  };
  struct Entry {
    TaskIndex task = 0;  ///< several entries of a task are its activation patterns
    cpu::CpuTask input;
    std::optional<Trigger> trigger;
  };
  std::vector<UnitIndex> units;
  std::vector<TaskIndex> tasks;  ///< active ones
  std::vector<Entry> entries;    ///< empty if a task of the core waits for a GPU in the equations for GPUs
  bool by_deadline = false;      ///< one scheduler by deadlines has all tasks but interrupts
  bool servers = false;          ///< a server limits the time of some task
  bool semaphores = false;       ///< a task waits for a semaphore of its own core
};

struct SystemBounds {
  std::vector<AnalyzedCore> cores;
  std::vector<Bound> tasks;  ///< parallel to System::tasks; a removed wrapper has the bound of its function
  std::map<NodeIndex, Bound> operations;  ///< of every copy and kernel, from submission to completion
};

struct BoundOptions {
  /// Whether bounds may hold for the stated offsets only, where these make them tighter (detail/offset_responses.hpp,
  /// detail/exact_responses.hpp).
  bool for_offsets = false;
  std::uint64_t states = 1'000'000;  ///< for each core: states of its schedule graph, jobs of its longest schedule
  std::uint64_t steps = 20'000'000;  ///< for each task: evaluated sums over busy periods
  StepCount taken = {};
  std::size_t contributions = default_contributions;  ///< of each bound, those kept apart (keep_largest)
};

/// `best` and `worst` are the programs of all tasks with their shortest and longest times on all their units
/// (CompileOptions::flatten_branches, every_alternative, all_units); both have the same steps.
/// `devices` is parallel to Platform::units, null for CPUs.
SystemBounds system_bounds(const System& system, const std::vector<Program>& best, const std::vector<Program>& worst,
                           const std::vector<const DeviceProfile*>& devices, const BoundOptions& options = {});

/// The same for programs that this function compiles: without branches, otherwise with these options.
SystemBounds system_bounds(const System& system, const std::vector<const DeviceProfile*>& devices,
                           CompileOptions compile = {}, const BoundOptions& options = {});

}  // namespace amalthea::engine
