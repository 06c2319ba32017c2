// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Activities of the runnable graph in words that several pictures share.

#include <string>
#include <vector>

#include "amalthea/graph/system.hpp"

namespace amalthea::exporter {

/// What stands in a node, line by line; at least one.
std::vector<std::string> describe(const System& system, const GraphNode& node);

}  // namespace amalthea::exporter
