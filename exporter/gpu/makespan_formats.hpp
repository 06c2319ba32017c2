// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Text and JSON of the longest makespan of an SM (docs/reference/makespan.md).

#include <cstdint>
#include <optional>
#include <string>

#include "engine/nvidia/makespan/annealing.hpp"
#include "engine/nvidia/makespan/search.hpp"

namespace amalthea::exporter {

struct MakespanView {
  const engine::nvidia::makespan::Problem& problem;
  const engine::nvidia::makespan::SearchResult& result;
  /// If `result` is from annealing: upper bounds only.
  const engine::nvidia::makespan::AnnealingResult* annealing = nullptr;
};

std::string render_makespan_json(const MakespanView& view);
std::string render_makespan_text(const MakespanView& view);

/// A warp string and the cycle of each of its entries.
std::string render_string_json(const engine::nvidia::makespan::Problem& problem,
                               const engine::nvidia::makespan::StringSchedule& schedule);
std::string render_string_text(const engine::nvidia::makespan::Problem& problem,
                               const engine::nvidia::makespan::StringSchedule& schedule);

/// The longest schedule of every annealing run so far, by iteration. As CSV (run, start, iteration, makespan) or SVG.
std::string render_annealing_csv(const engine::nvidia::makespan::AnnealingResult& annealing);
std::string render_annealing_svg(const MakespanView& view);

}  // namespace amalthea::exporter
