// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How cores are analysed that are analysed apart from GPUs: one entry for each kind of core.

#include <cstddef>
#include <string>
#include <vector>

#include "engine/bounds/detail/core_models.hpp"
#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::bounds {

/// What an analysis looks at to tell whether it fits a core.
struct CoreView {
  const System& system;
  const Ranks& ranks;
  const std::vector<TaskShape>& shapes;
  const CoreModel& core;
};

/// The tasks of a core, one for each way in which their jobs come.
struct CoreProblem {
  struct Member {
    TaskIndex task = 0;  ///< jobs of the same one run one after the other
    bool interrupt = false;
    std::vector<std::size_t> cores;  ///< where it may run: indices into CoreModel::units
  };
  std::vector<cpu::CpuTask> tasks;
  std::vector<Member> members;  ///< parallel to them
};

struct CoreAnalysis {
  /// Whether it is for the schedulers and units of a core.
  bool (*is_for)(const CoreView& view);
  /// Why it has no bounds for such a core; "" when it has.
  std::string (*fault)(const CoreView& view);
  /// Parallel to the tasks; `by` and `obstacle` are indices into them.
  std::vector<cpu::CpuBound> (*bounds)(const CoreProblem& problem);
  bool by_rank = true;    ///< a task's core is overloaded by those of at least its rank alone
  bool with_gpu = false;  ///< the equations of nvidia/time_slice_analysis.hpp, too, are for such cores
};

// A new analysis is a file of its own that defines it, and a name here. The first that is for a core analyses it.
extern const CoreAnalysis on_several_cores, by_deadline, by_fixed_priority;
inline constexpr const CoreAnalysis* core_analyses[] = {&on_several_cores, &by_deadline, &by_fixed_priority};

const CoreAnalysis& analysis_for(const CoreView& view);

/// "NAME schedules by ALGORITHM"
std::string algorithm_of(const CoreView& view, SchedulerIndex scheduler);

}  // namespace amalthea::engine::bounds
