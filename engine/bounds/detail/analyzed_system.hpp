// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What is bounded: the tasks of a system with their programs, and why some of them are not.

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/program/program.hpp"

namespace amalthea::engine::bounds {

/// A step of a task.
struct TaskStep {
  TaskIndex task = 0;
  std::size_t step = 0;
};

/// A system and the programs of all its tasks at their shortest and longest, flattened, step by step alike.
struct AnalyzedSystem {
  const System& system;
  const std::vector<Program>& best;
  const std::vector<Program>& worst;
  const std::vector<const DeviceProfile*>& devices;  ///< parallel to Platform::units, null for CPUs

  std::size_t tasks() const { return system.tasks.size(); }
  const Task& task(TaskIndex task) const { return system.tasks[task]; }
  const std::string& name(TaskIndex task) const { return system.tasks[task].name; }
  bool is_host(TaskIndex task) const { return system.tasks[task].side == Side::host; }
  /// All but their times, which are in `best` as well.
  const std::vector<Step>& steps(TaskIndex task) const { return worst[task].steps; }
  const Step& step(TaskStep task_step) const { return steps(task_step.task)[task_step.step]; }
  const Activity& activity(TaskStep task_step) const { return system.graph[step(task_step).node].activity; }
  template <typename Kind>
  const Kind& activity(TaskStep task_step) const {
    return std::get<Kind>(activity(task_step));
  }
};

/// Whether the GPU does it.
inline bool is_operation(const Step& step) { return step.kind == StepKind::copy || step.kind == StepKind::kernel; }

inline bool is_interrupt(const Task& task) { return task.kind != ProcessKind::task; }

/// Of every task why it is outside of the analysis; "" where nothing is wrong.
using Faults = std::vector<std::string>;

/// The first fault is the one that is told.
inline void add_fault(Faults& faults, TaskIndex task, std::string fault) {
  if (faults[task].empty()) faults[task] = std::move(fault);
}

}  // namespace amalthea::engine::bounds
