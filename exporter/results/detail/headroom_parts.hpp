// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Headroom as sentences, as a table and as JSON, common to all outputs.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/headroom.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/results/result_view.hpp"

namespace amalthea::exporter {

/// "Headroom: all execution times may grow by 12 % (guaranteed), 18 % (seen); first limit: deadline of Control."
std::vector<std::string> headroom_sentences(const engine::Headroom& headroom);

/// One row for each thing that can grow.
TextTable headroom_table(const System& system, const engine::Headroom& headroom);
/// What the table's columns mean, how far and how exactly the search went.
std::vector<std::string> headroom_notes(const engine::Headroom& headroom);

/// docs/reference/headroom.md
nlohmann::ordered_json headroom_json(const ResultView& view, const engine::Headroom& headroom);

}  // namespace amalthea::exporter
