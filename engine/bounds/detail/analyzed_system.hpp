// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The input of the bounds: the tasks of a system with their programs, and why some tasks are excluded.

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/primitives/counted_steps.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/program/program.hpp"

namespace amalthea::engine::bounds {

/// A step of a task.
struct TaskStep {
  TaskIndex task = 0;
  std::size_t step = 0;
};

/// A system and the programs of all its tasks with their shortest and longest times, flattened; both have the same
/// steps.
struct AnalyzedSystem {
  const System& system;
  const std::vector<Program>& best;
  const std::vector<Program>& worst;
  const std::vector<const DeviceProfile*>& devices;  ///< parallel to Platform::units, null for CPUs
  StepCount taken;                                   ///< by the analysis

  std::size_t tasks() const { return system.tasks.size(); }
  const Task& task(TaskIndex task) const { return system.tasks[task]; }
  const std::string& name(TaskIndex task) const { return system.tasks[task].name; }
  bool is_host(TaskIndex task) const { return system.tasks[task].side == Side::host; }
  /// The steps with their longest times; `best` has the shortest.
  const std::vector<Step>& steps(TaskIndex task) const { return worst[task].steps; }
  const Step& step(TaskStep task_step) const { return steps(task_step.task)[task_step.step]; }
  const Activity& activity(TaskStep task_step) const { return system.graph[step(task_step).node].activity; }
  template <typename Kind>
  const Kind& activity(TaskStep task_step) const {
    return std::get<Kind>(activity(task_step));
  }
};

/// Whether the GPU executes this step.
inline bool is_operation(const Step& step) { return step.kind == StepKind::copy || step.kind == StepKind::kernel; }

inline bool is_interrupt(const Task& task) { return task.kind != ProcessKind::task; }

/// For every task, why the analysis excludes it; "" if it does not.
using Faults = std::vector<std::string>;

/// Only the first fault of a task is kept.
inline void add_fault(Faults& faults, TaskIndex task, std::string fault) {
  if (faults[task].empty()) faults[task] = std::move(fault);
}

}  // namespace amalthea::engine::bounds
