// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Activities of the runnable graph as text, shared by several drawings.

#include <string>
#include <vector>

#include "amalthea/graph/system.hpp"

namespace amalthea::exporter {

/// The text of a node, line by line; at least one line.
std::vector<std::string> describe(const System& system, const GraphNode& node);

}  // namespace amalthea::exporter
