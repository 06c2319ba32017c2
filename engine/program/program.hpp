// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A task's graph compiled for execution: steps in order, with durations on the unit the task runs on.
///
/// A job begins with step 0, if there is one. After step s comes `s.next`; a branch chooses one of its alternatives and
/// goes to the first step of that, or to its own `next` where none is taken. A job ends when it is to go to
/// `steps.size()`. In flattened programs (CompileOptions::flatten_branches) steps follow each other as they stand.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/distribution.hpp"
#include "amalthea/graph/system.hpp"
#include "amalthea/time.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/program/memory_contention.hpp"

namespace amalthea::engine {

/// Which value of every execution time a simulation takes. `random`: for every job anew as its distribution has it.
enum class Execution : std::uint8_t { best, average, worst, random };
std::string_view to_string(Execution);

/// What all but execute, copy and kernel do is in the activity that they come from.
enum class StepKind : std::uint8_t {
  execute,
  trigger,
  set_events,
  clear_events,
  wait,
  copy,
  kernel,
  request_semaphore,
  release_semaphore,
  branch,
  set_mode,
  schedule_point,
  terminate,        ///< leads to the end by its `next`: what remains is what the operating system does as a job ends
  uninterruptible,  ///< begins or ends
};

/// A time that is drawn for every job: a sum of parts.
struct VaryingWork {
  struct Part {
    Distribution value;  ///< cycles of `frequency`; where that is zero, picoseconds
    Frequency frequency;
    std::int64_t lines = 1;  ///< each takes that long
    Duration at_least;       ///< by the data rate
  };
  Duration constant;
  std::vector<Part> parts;
  Rounding rounding = Rounding::nearest;  ///< of every part to picoseconds
};

struct Step {
  StepKind kind = StepKind::execute;
  std::optional<VaryingWork> varying;       ///< under Execution::random; then `work` is what it takes on average
  Duration work;                            ///< of execute and copy, of each block of a kernel, undisturbed; else zero
  std::int64_t blocks = 1;                  ///< of a kernel
  std::optional<gpu::SmUse> block;          ///< what each occupies; nothing: the whole execution engine
  NodeIndex node = 0;                       ///< the activity it comes from
  std::optional<std::uint32_t> runnable;    ///< index into Program::runnables
  std::vector<TaskIndex> setters;           ///< of wait: tasks that set an event it waits for
  std::uint32_t next = 0;                   ///< index of the step that follows; of a branch, if no alternative is taken
  std::vector<std::uint32_t> alternatives;  ///< of a branch: where each of Branch::alternatives begins
  bool overhead = false;                    ///< of execute: done by the operating system
  bool skipped = false;                     ///< in a flattened program: of an alternative that is not counted
};

struct Program {
  std::vector<Step> steps;
  std::vector<RunnableIndex> runnables;  ///< distinct, in order of first appearance
  Duration execution;        ///< sum of the execute steps; of branches the alternatives that flattening keeps
  Duration copies;           ///< sum of the copy steps
  Duration copies_packed;    ///< the same if they were spread evenly over all copy engines: no engine has less to do
  Duration kernels;          ///< sum of the kernel steps, each alone on the GPU: rounds of as many blocks as it holds
  Duration kernels_packed;   ///< the same if nothing of the GPU were ever left empty: never more
  std::string unanalyzable;  ///< why no flattened program bounds what a job does: a loop, something else than execution
                             ///< inside of a branch; "" where it does
};

/// Whether it takes its time for an access to a label; what the operating system does is none.
bool accesses_memory(const System& system, const Step& step);

/// What a step takes in one job: `work`, or, where it varies, a time drawn from the job's stream. Steps draw in the
/// order in which the job comes to them. Never below the step's best work nor above its worst.
Duration work_of(const Step& step, RandomStream& random);

/// The stream that the `job`-th job of a task (from 0) draws its execution times from. Each job has its own, so that no
/// other job and no other task disturbs it.
RandomStream execution_stream(std::uint64_t seed, TaskIndex task, std::uint64_t job);

/// What execution times depend on beside the model and the execution.
struct CompileOptions {
  MemoryModel memory;
  LineRule line_rule = LineRule::exact;
  Rounding rounding = Rounding::nearest;  ///< of every step to picoseconds: up for upper bounds, down for lower ones
  /// Programs without branches, the same steps for all executions: of every branch one alternative keeps its work, the
  /// cheapest (best; none, where none must be taken) or the dearest (worst), the first of equals; all other steps of it
  /// have none and are `skipped`. On average alternatives by chance keep their share, what is counted one in so many.
  bool flatten_branches = false;
};

/// Programs of all tasks; tasks that are folded away have none.
/// `random` draws ticks, instructions and a kernel's ticks by their distributions, once a step (for all blocks of a
/// kernel). The lines of one label access all cost the same, anything between best and worst. Sums over a program are
/// those of the averages.
/// `devices`, parallel to Platform::units, say what blocks find on a GPU; where nothing is known of its SMs, or a block
/// fits on none, kernels occupy the whole execution engine for the time of one block.
std::vector<Program> compile_programs(const System& system, Execution execution,
                                      const std::vector<const DeviceProfile*>& devices,
                                      const CompileOptions& options = {});

/// The program of one task as if it ran on `unit`; what the unit has no ticks for takes no time.
Program compile_program(const System& system, TaskIndex task, UnitIndex unit, Execution execution,
                        const DeviceProfile* device, const CompileOptions& options = {});

/// Time of moving `size` bytes `count` times over one access: cache lines times latency, but never faster than the data
/// rate allows. `random` is the average.
Duration access_time(const ProcessingUnit& unit, const MemoryAccess& access, const Cycles& latency, DataSize size,
                     Execution execution, LineRule rule = LineRule::exact, Rounding rounding = Rounding::nearest,
                     std::int64_t count = 1);

}  // namespace amalthea::engine
