// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Rules of the step to 0.7.1 that have a separate file.

#include <string_view>

#include "migration/detail/rule.hpp"

namespace amalthea::migration {

/// Keeps all objects of a removed class, with everything below them, as custom properties of their owners.
void keep_objects(Step& step, std::string_view class_name);

void runnables_of_groups(Step& step);
void runnables_of_groups_back(Step& step);
void grouping_types(Step& step);
void scheduler_constraints(Step& step);
void order_constraints(Step& step);
void latency_constraints(Step& step);
void latency_constraints_back(Step& step);
void synchronization_constraints_back(Step& step);
void delay_mapping_types(Step& step);
void delay_mapping_types_back(Step& step);

}  // namespace amalthea::migration
