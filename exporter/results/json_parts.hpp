// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// JSON shared by several outputs.

#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "amalthea/diagnostic.hpp"
#include "amalthea/time.hpp"

namespace amalthea::exporter {

/// Null if there is none.
nlohmann::ordered_json picoseconds(std::optional<Duration> duration);

/// `{"rule", "severity", "message", "file", "line", "column", "path"}`; an unknown location is null.
nlohmann::ordered_json findings_json(const std::vector<Diagnostic>& findings);

/// Sets "file", "line" and "column" if the location is known.
void add_place(nlohmann::ordered_json& json, const Location& place);

}  // namespace amalthea::exporter
