// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Requirements in words that several outputs share.

#include <string_view>

#include "amalthea/graph/system.hpp"

namespace amalthea::exporter {

/// AMALTHEA's literal of the metric that is limited; "" where there is none.
std::string_view metric_name(const Requirement& requirement);

}  // namespace amalthea::exporter
