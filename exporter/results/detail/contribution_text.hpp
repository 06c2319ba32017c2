// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Parts of response times in words.

#include <string>

#include "amalthea/graph/system.hpp"
#include "engine/results/results.hpp"

namespace amalthea::exporter {

/// What a part of a response time is: "core given to SFM", "kernels", …
std::string describe(const System& system, const engine::Contribution& part);

}  // namespace amalthea::exporter
