#pragma once
/// \file
/// A task's graph compiled for execution: steps in order, with durations on the unit the task runs on.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/time.hpp"

namespace amalthea::engine {

/// Which value of every execution time a simulation takes.
enum class Execution : std::uint8_t { best, average, worst };
std::string_view to_string(Execution);

enum class StepKind : std::uint8_t { execute, trigger, set_events, clear_events, wait, copy, kernel };

struct Step {
  StepKind kind = StepKind::execute;
  Duration work;                          ///< of execute, copy and kernel, undisturbed; else zero
  NodeIndex node = 0;                     ///< the activity it comes from
  std::optional<std::uint32_t> runnable;  ///< index into Program::runnables
  std::vector<TaskIndex> setters;         ///< of wait: tasks that set an event it waits for
};

struct Program {
  std::vector<Step> steps;
  std::vector<RunnableIndex> runnables;  ///< distinct, in order of first appearance
  Duration execution;                    ///< sum of the execute steps
  Duration copies;                       ///< sum of the copy steps
  Duration kernels;                      ///< sum of the kernel steps
};

/// Programs of all tasks; tasks that are folded away have none. Times are rounded to the nearest picosecond.
std::vector<Program> compile_programs(const System& system, Execution execution);

/// The program of one task as if it ran on `unit`; what the unit has no ticks for takes no time.
Program compile_program(const System& system, TaskIndex task, UnitIndex unit, Execution execution);

/// Time of moving `size` bytes over one access: cache lines (rounded up) times latency, but never faster than the
/// data rate allows.
Duration access_time(const ProcessingUnit& unit, const MemoryAccess& access, const Cycles& latency, DataSize size,
                     Execution execution);

}  // namespace amalthea::engine
