// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The classes of a model that build_system reads; all others have no effect.

#include <string_view>

namespace amalthea::importer {

/// Whether build_system reads objects of this class, of any version. A finding tells where it cannot judge one.
bool is_used_by_analysis(std::string_view class_name);

}  // namespace amalthea::importer
