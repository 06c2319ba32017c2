// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Rules of the step to 0.8.1 that have separate files.

#include "migration/detail/rule.hpp"

namespace amalthea::migration::to_0_8_1_parts {

// ---- to_0_8_1_scheduling.cpp
void keep_priorities(Step& step);
void restore_priorities(Step& step);
void keep_task_groups(Step& step);
void restore_task_groups(Step& step);
void parameterize_priority(Step& step);
void restore_allocation_priority(Step& step);
void allocate_schedulers(Step& step);
void allocate_cores(Step& step);
void restore_parameters(Step& step);
void compute_in_schedulers(Step& step);
void schedule_by_unit(Step& step);

// ---- to_0_8_1_event_chains.cpp
void part_from_sub_chains(Step& step);
void contain_sub_chains(Step& step);
void release_sub_chains(Step& step);

}  // namespace amalthea::migration::to_0_8_1_parts
