// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Requirements as text, shared by several outputs.

#include <string_view>

#include "amalthea/graph/system.hpp"

namespace amalthea::exporter {

/// AMALTHEA's literal of the limited metric; "" if there is none.
std::string_view metric_name(const Requirement& requirement);

}  // namespace amalthea::exporter
