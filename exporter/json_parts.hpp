#pragma once
/// \file
/// JSON that several outputs share.

#include <nlohmann/json.hpp>

#include "amalthea/diagnostic.hpp"

namespace amalthea::exporter {

/// `{"rule", "severity", "message", "file", "line", "column", "path"}`; a place that is not known is null.
nlohmann::ordered_json findings_json(const Diagnostics& findings);

}  // namespace amalthea::exporter
