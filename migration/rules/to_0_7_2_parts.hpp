// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Rules of the step to 0.7.2 that have separate files.

#include "migration/detail/rule.hpp"

namespace amalthea::migration::to_0_7_2_parts {

// ---- to_0_7_2_software.cpp
void wrap_instructions(Step& step);
void unwrap_instructions(Step& step);
void switch_probability_groups(Step& step);
void group_probabilities(Step& step);
void unwrap_group_items(Step& step);
void wrap_group_items(Step& step);
void state_group_order(Step& step);
void name_data_stability(Step& step);
void name_buffering(Step& step);
void move_sampling_to_boundaries(Step& step);
void move_sampling_to_deviation(Step& step);
void drop_unknown_preemption(Step& step);

// ---- to_0_7_2_hardware.cpp
void move_types_to_hardware(Step& step);
void refer_to_cores(Step& step);
void refer_to_memories(Step& step);

}  // namespace amalthea::migration::to_0_7_2_parts
