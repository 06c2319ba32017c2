// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// JSON that several outputs share.

#include <vector>

#include <nlohmann/json.hpp>

#include "amalthea/diagnostic.hpp"

namespace amalthea::exporter {

/// `{"rule", "severity", "message", "file", "line", "column", "path"}`; a place that is not known is null.
nlohmann::ordered_json findings_json(const std::vector<Diagnostic>& findings);

}  // namespace amalthea::exporter
