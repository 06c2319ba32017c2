// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A recorded schedule as data of a page. docs/reference/report.md describes the keys.

#include <nlohmann/json.hpp>

#include "amalthea/graph/system.hpp"
#include "engine/results/statistics.hpp"
#include "exporter/report/report_schedule.hpp"

namespace amalthea::exporter {

nlohmann::ordered_json schedule_json(const System& system, const Schedule& schedule);

/// Bins of a histogram, [lower, upper, count] each; null without values.
nlohmann::ordered_json distribution(const engine::Sample& sample);

}  // namespace amalthea::exporter
