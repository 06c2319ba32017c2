// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Parts of response times as text.

#include <string>

#include "amalthea/graph/system.hpp"
#include "engine/results/results.hpp"

namespace amalthea::exporter {

/// A part of a response time: "core used by SFM", "kernels", …
std::string describe(const System& system, const engine::Contribution& part);
/// Who slows something down: "copies of SFM", "CPU traffic of EKF on Core2".
std::string describe_aggressor(const System& system, engine::TrafficKind traffic, std::optional<TaskIndex> by);

/// The kind of an interval in explanations and drawings: a runnable's memory accesses are part of its execution there.
constexpr engine::ContributionKind shown_kind(engine::ContributionKind kind) {
  return kind == engine::ContributionKind::memory ? engine::ContributionKind::execution : kind;
}

}  // namespace amalthea::exporter
