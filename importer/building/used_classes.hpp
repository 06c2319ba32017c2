// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which classes of a model the way to a System takes something from; all others may stand in a model without effect.

#include <string_view>

namespace amalthea::importer {

/// Whether build_system reads objects of this class, of any version. What it reads and then says that it is not
/// simulated (AM0401: switches, semaphores, …) counts as not used.
bool is_used_by_analysis(std::string_view class_name);

}  // namespace amalthea::importer
