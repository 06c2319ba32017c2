// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the program consists of.

#include <string>
#include <string_view>

namespace amalthea::analysis {

/// The versions of compiler and libraries, one per line. `more`: lines for those of the caller.
std::string built_with(std::string_view more = {});

}  // namespace amalthea::analysis
