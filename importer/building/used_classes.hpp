// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The classes of a model that build_system uses; all others have no effect.

#include <string_view>

namespace amalthea::importer {

/// Whether build_system reads objects of this class, of any version. Classes that it reads and reports as not simulated
/// (AM0401: switches, semaphores, …) count as not used.
bool is_used_by_analysis(std::string_view class_name);

}  // namespace amalthea::importer
