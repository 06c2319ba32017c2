// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What an editor shows within the text: how long ticks last, and how long responses take at most.

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "amalthea/graph/system.hpp"
#include "engine/results/results.hpp"

namespace amalthea::lsp {

/// By document and element.
using Hints = std::map<std::pair<std::uint32_t, std::uint32_t>, std::string>;

/// Ticks: the shortest and longest time on the cores of the tasks that execute them, rounded outwards. Tasks and ISRs:
/// the upper bound on their response time.
Hints hints_of(const System& system, const engine::Results& results);

}  // namespace amalthea::lsp
