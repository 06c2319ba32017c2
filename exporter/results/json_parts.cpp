// SPDX-License-Identifier: Apache-2.0
#include "exporter/results/json_parts.hpp"

namespace amalthea::exporter {

std::string written(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

nlohmann::ordered_json model_json(const ModelInfo& model) {
  return {{"files", model.files}, {"version", model.version}, {"hash", model.hash}};
}

nlohmann::ordered_json begun_json(std::string_view schema, const ModelInfo& model) {
  return {{"schema", schema}, {"tool", {{"name", tool_name}, {"version", tool_version}}}, {"model", model_json(model)}};
}

nlohmann::ordered_json extent_json(const engine::Extent& extent) {
  if (extent.jobs() == 0) return nullptr;
  return {{"min_ps", extent.min().picoseconds()},
          {"mean_ps", extent.mean().picoseconds()},
          {"max_ps", extent.max().picoseconds()}};
}

nlohmann::ordered_json contributions_json(const System& system, const std::vector<engine::Contribution>& parts) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const engine::Contribution& part : parts) {
    json.push_back(
        {{"kind", to_string(part.kind)}, {"by", name_or_null(system.tasks, part.by)}, {"ps", part.time.picoseconds()}});
    if (part.traffic != engine::TrafficKind::none) json.back()["traffic"] = to_string(part.traffic);
    if (part.others > 0) json.back()["others"] = part.others;
  }
  return json;
}

nlohmann::ordered_json picoseconds(std::optional<Duration> duration) {
  return duration ? nlohmann::ordered_json(duration->picoseconds()) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json observed_json(const engine::ObservedLatencies& latencies) {
  nlohmann::ordered_json json = {{"reads", latencies.reads}};
  add_latencies(json, std::optional(latencies));
  return json;
}

nlohmann::ordered_json findings_json(const std::vector<Diagnostic>& findings) {
  using Json = nlohmann::ordered_json;
  const auto number = [](std::uint32_t value) { return value == 0 ? Json(nullptr) : Json(value); };
  Json json = Json::array();
  for (const Diagnostic& finding : findings)
    json.push_back({{"rule", finding.id},
                    {"severity", to_string(finding.severity)},
                    {"message", finding.message},
                    {"file", finding.location.file.empty() ? Json(nullptr) : Json(finding.location.file)},
                    {"line", number(finding.location.line)},
                    {"column", number(finding.location.column)},
                    {"path", finding.path}});
  return json;
}

void add_place(nlohmann::ordered_json& json, const Location& place) {
  if (place.line == 0) return;
  json["file"] = place.file;
  json["line"] = place.line;
  json["column"] = place.column;
}

}  // namespace amalthea::exporter
