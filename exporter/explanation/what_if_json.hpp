// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Changes that were tried as JSON: key `what_if` of an explanation, and in the data of a report.

#include <vector>

#include <nlohmann/json.hpp>

#include "amalthea/graph/system.hpp"
#include "engine/what_if.hpp"

namespace amalthea::exporter {

nlohmann::ordered_json what_if_json(const System& system, const std::vector<engine::WhatIf>& tried);

}  // namespace amalthea::exporter
