// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A task's graph compiled for execution: steps in order, with durations on the unit the task runs on.
///
/// A job begins with step 0, if there is one. Step s is followed by `s.next`; a branch selects one of its alternatives
/// and continues with its first step, or with its own `next` if it selects none. A job ends when it reaches
/// `steps.size()`. In flattened programs (CompileOptions::flatten_branches) the steps run in their order. A branch is an
/// execute step there. Each of its alternatives ends where the next one begins, the last one at `next`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/distribution.hpp"
#include "amalthea/graph/system.hpp"
#include "amalthea/time.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/gpu/memory_use.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/program/memory_contention.hpp"

namespace amalthea::engine {

/// Which execution times a simulation uses. `random`: drawn from the distribution for every job.
enum class Execution : std::uint8_t { best, average, worst, random };
std::string_view to_string(Execution);

/// The activity of a step defines its effect, except for execute, copy and kernel.
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
  terminate,        ///< jumps to the end by its `next`; only steps of the operating system follow
  uninterruptible,  ///< begin or end of an uninterruptible section
};

/// A random time for every job: a sum of parts.
struct VaryingWork {
  struct Part {
    Distribution value;  ///< cycles of `frequency`; picoseconds if that is zero
    Frequency frequency;
    std::int64_t lines = 1;  ///< number of lines that take this long each
    Duration at_least;       ///< minimum, due to the data rate
  };
  Duration constant;
  std::vector<Part> parts;
  Rounding rounding = Rounding::nearest;  ///< of every part, to picoseconds
};

struct Step {
  StepKind kind = StepKind::execute;
  Rare<VaryingWork> varying;  ///< with Execution::random; then `work` is the average
  Duration work;              ///< for execute and copy, and for each block of a kernel, without interference; else zero
  std::int64_t blocks = 1;    ///< for a kernel
  Rare<gpu::SmUse> block;     ///< resources of each block; nothing: the whole execution engine
  Rare<gpu::KernelMemory> memory;  ///< every kernel has one
  /// For an access whose cost depends on others (Program::contention): the time without any of them, at most `work`.
  Duration uncontended;
  NodeIndex node = 0;                     ///< the activity it was compiled from
  std::optional<std::uint32_t> runnable;  ///< index into Program::runnables
  std::vector<TaskIndex> setters;         ///< for wait: tasks that set an event it waits for
  /// index of the following step; for a branch, of the step after it if it selects no alternative
  std::uint32_t next = 0;
  std::vector<std::uint32_t> alternatives;  ///< for a branch: the first step of each of Branch::alternatives
  bool overhead = false;                    ///< for execute: done by the operating system
  bool skipped = false;                     ///< in a flattened program: belongs to an alternative that does not count
  bool keeps_all = false;  ///< for a branch in a flattened program: CompileOptions::every_alternative applies to it
};

struct Program {
  std::vector<Step> steps;
  std::vector<RunnableIndex> runnables;  ///< distinct, in order of first appearance
  Duration execution;  ///< sum of the execute steps; for branches of the alternatives that flattening keeps
  Duration copies;     ///< sum of the copy steps
  /// the same, spread evenly over all copy engines: a lower bound for the busiest engine
  Duration copies_packed;
  Duration kernels;         ///< sum of the kernel steps, each alone on the GPU: number of rounds × time of a block
  Duration kernels_packed;  ///< the same, with the GPU always completely filled: a lower bound
  /// why no flattened program bounds a job: a loop, or other activities than execution within a branch; with
  /// CompileOptions::every_alternative a loop that does not count, or an alternative that ends the job, or begins or ends
  /// a section but not both. "" if one does
  std::string unanalyzable;
  /// What others add to the cost of a line; nothing: the cost of accesses does not depend on others.
  std::optional<LineContention> contention;
};

/// Whether some alternative is taken whenever a job reaches the branch.
bool always_takes_one(const Branch& branch);

/// Whether its time is for a label access; false for steps of the operating system.
bool accesses_memory(const System& system, const Step& step);

/// The time of a step in one job: `work`, or, if it varies, a random time from the job's stream. Steps draw in
/// execution order. Never below the step's best time nor above its worst.
Duration work_of(const Step& step, RandomStream& random);

/// The random stream for the execution times of the `job`-th job of a task (from 0). Each job has its own, so that jobs
/// do not influence each other.
RandomStream execution_stream(std::uint64_t seed, TaskIndex task, std::uint64_t job);

/// What execution times depend on besides the model and the execution.
struct CompileOptions {
  MemoryModel memory;
  LineRule line_rule = LineRule::exact;
  /// of every step, to picoseconds: up for upper bounds, down for lower bounds
  Rounding rounding = Rounding::nearest;
  /// Compiles programs without branches that have the same steps for all executions. Of every branch, one alternative
  /// keeps its work: the cheapest (best; none, if the branch may select none) or the most expensive (worst), among
  /// equals the first. All other alternatives have no work and are `skipped`. For average, alternatives by probability
  /// keep their share, and counted ones one in so many.
  bool flatten_branches = false;
  /// With flatten_branches, at best and worst: a job executes a part of the steps, in their order. Where alternatives of
  /// a branch wait, use semaphores or the GPU, or decide who preempts, all of them keep their work. At best, all of them
  /// are `skipped`. A loop that counts with a mode is a row of branches, one for each iteration.
  bool every_alternative = false;
  /// For tasks that migrate: the shortest (best) or longest (worst) time of every step on any unit that the task may run
  /// on; it executes a part of a step on each. Otherwise, and for other executions, all times are those of Task::unit.
  bool all_units = false;
};

/// Whether every activity takes as long on both, apart from a memory table.
bool equally_fast(const ProcessingUnit& a, const ProcessingUnit& b);

/// Compiles the programs of all tasks; removed tasks have empty ones. `random` draws ticks, instructions and kernel
/// ticks from their distributions, once per step (for all blocks of a kernel). All lines of one label access have the
/// same cost, between best and worst. Sums over a program use averages. `devices`, parallel to Platform::units, define
/// the resources for blocks on a GPU. If the SMs are unknown, or a block does not fit, a kernel occupies the whole
/// execution engine for the time of one block.
std::vector<Program> compile_programs(const System& system, Execution execution,
                                      const std::vector<const DeviceProfile*>& devices,
                                      const CompileOptions& options = {});

/// The program of one task as if it ran on `unit`; activities without ticks for that unit take no time.
Program compile_program(const System& system, TaskIndex task, UnitIndex unit, Execution execution,
                        const DeviceProfile* device, const CompileOptions& options = {});

/// The time to transfer `size` bytes `count` times over one access: cache lines times latency, but at least the bytes
/// divided by the data rate. `random` uses the average.
Duration access_time(const ProcessingUnit& unit, const MemoryAccess& access, const Cycles& latency, DataSize size,
                     Execution execution, LineRule rule = LineRule::exact, Rounding rounding = Rounding::nearest,
                     std::int64_t count = 1);

}  // namespace amalthea::engine
