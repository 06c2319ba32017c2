// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// JSON shared by several outputs.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "amalthea/diagnostic.hpp"
#include "amalthea/time.hpp"
#include "exporter/results/result_view.hpp"

namespace amalthea::exporter {

/// With line ends. Invalid UTF-8 in names is possible in ISO-8859 files read byte by byte; it is replaced, not rejected.
std::string written(const nlohmann::ordered_json& json);

/// Null if there is none.
nlohmann::ordered_json picoseconds(std::optional<Duration> duration);
template <typename Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}
/// The name of one of `items`, or null.
template <typename Items, typename Index>
nlohmann::ordered_json name_or_null(const Items& items, const std::optional<Index>& index) {
  return index ? nlohmann::ordered_json(items[*index].name) : nlohmann::ordered_json(nullptr);
}
/// The names of those of `items`.
template <typename Items, typename Index>
nlohmann::ordered_json names_json(const Items& items, const std::vector<Index>& indices) {
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  for (const Index index : indices) names.push_back(items[index].name);
  return names;
}
/// `{"files", "version", "hash"}`
nlohmann::ordered_json model_json(const ModelInfo& model);
/// `{"schema", "tool", "model"}`: how a file begins.
nlohmann::ordered_json begun_json(std::string_view schema, const ModelInfo& model);
/// `{"min_ps", "mean_ps", "max_ps"}`, or null without a job.
nlohmann::ordered_json extent_json(const engine::Extent& extent);
nlohmann::ordered_json contributions_json(const System& system, const std::vector<engine::Contribution>& parts);
/// Of what `LatencyBounds`, `LetLatencies` and `ObservedLatencies` have in common; null without a value.
template <typename Latencies>
void add_latencies(nlohmann::ordered_json& json, const std::optional<Latencies>& latencies) {
  const auto time = [&](auto Latencies::*which) {
    return picoseconds(latencies ? std::optional<Duration>((*latencies).*which) : std::nullopt);
  };
  json["reaction_ps"] = time(&Latencies::reaction);
  json["reduced_reaction_ps"] = time(&Latencies::reduced_reaction);
  json["age_ps"] = time(&Latencies::age);
  json["reduced_age_ps"] = time(&Latencies::reduced_age);
}
/// `{"reads", …}`
nlohmann::ordered_json observed_json(const engine::ObservedLatencies& latencies);

/// `{"rule", "severity", "message", "file", "line", "column", "path"}`; an unknown location is null.
nlohmann::ordered_json findings_json(const std::vector<Diagnostic>& findings);

/// Sets "file", "line" and "column" if the location is known.
void add_place(nlohmann::ordered_json& json, const Location& place);

}  // namespace amalthea::exporter
