// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The results as a JSON value, for all formats based on it.

#include <nlohmann/json_fwd.hpp>

#include "exporter/results/result_view.hpp"

namespace amalthea::exporter {

/// Schema `amalthea-timing/1`: docs/reference/results.md, docs/results.schema.json.
nlohmann::ordered_json results_json(const ResultView& view);

}  // namespace amalthea::exporter
