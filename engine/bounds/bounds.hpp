// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Bounds on the response times of all tasks of a System, and on how long its copies and kernels take.
///
/// The system becomes a TimeSliceProblem, whose equations do the work (nvidia/time_slice_analysis.hpp), and a problem of
/// each core that is analysed apart (detail/problems.hpp; system_bounds tells the steps):
/// - Cores are analysed as their schedulers have it (detail/core_analyses.hpp): those under preemptive fixed priorities
///   on which a job comes but once a period, and those with tasks that wait for a GPU, as the TimeSliceProblem has it,
///   with sections that are not left to more urgent tasks as blocking; all others by the analyses in cpu/.
/// - A host task of such a problem runs under preemptive fixed priorities on its core. One that is activated in several
///   ways (stimuli, triggers) and does not offload counts as several tasks of equal priority, whose bounds hold in any
///   order.
/// - An *offload* is a trigger of a device task, and a later wait for an event that this task alone sets, once, after
///   all of its operations, and that is cleared between waits. Then the device task works while the host's job waits,
///   and never beyond. It is a GPU segment of the host task. What the host executes between trigger and wait counts
///   before the segment, as if nothing overlapped; at best it takes no time.
/// - A device task that no host task waits for is a task without CPU segments.
/// - A task that a step of another triggers has that one's period, and as release jitter (7a) that one's jitter and
///   bound, less the least that its job executes before and after the step. Bounds and jitters together are the
///   smallest common solution, from below, by the same argument as (8).
/// - Offsets are ignored; so are activation limits: what is lost cannot delay anybody.
/// - A task outside this has no bound, and nothing that it could keep from its core. Its GPU context may always want
///   both engines, which others can stand: the slots of the runlist bound what it takes.
///
/// Steps of a Program are rounded to the nearest picosecond: bounds take one more for each access, copy or kernel, best
/// times one less, unless the unit's clock and data rates give whole picoseconds. At every event on a GPU whose copies
/// and kernels slow each other the simulation rounds their progress down by less than a picosecond: their bounds take a
/// nanosecond and a millionth more for that.

#include <map>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/program/program.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {

struct SystemBounds {
  std::vector<Bound> tasks;               ///< parallel to System::tasks; a wrapper that fell away has its function's
  std::map<NodeIndex, Bound> operations;  ///< of every copy and kernel, from its submission to its end
};

/// `best` and `worst` are the programs of all tasks at their shortest and longest, step by step alike; `devices` are
/// parallel to Platform::units, null for CPUs.
SystemBounds system_bounds(const System& system, const std::vector<Program>& best, const std::vector<Program>& worst,
                           const std::vector<const DeviceProfile*>& devices);

/// The same of programs compiled for it: without branches, otherwise with these options.
SystemBounds system_bounds(const System& system, const std::vector<const DeviceProfile*>& devices,
                           CompileOptions options = {});

}  // namespace amalthea::engine
