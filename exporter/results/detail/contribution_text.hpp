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

/// Of an interval as stories and pictures show it: a runnable's accesses to memory are part of its execution there.
constexpr engine::ContributionKind shown_kind(engine::ContributionKind kind) {
  return kind == engine::ContributionKind::memory ? engine::ContributionKind::execution : kind;
}

}  // namespace amalthea::exporter
