// SPDX-License-Identifier: Apache-2.0
#include "exporter/results/json_parts.hpp"

namespace amalthea::exporter {

nlohmann::ordered_json picoseconds(std::optional<Duration> duration) {
  return duration ? nlohmann::ordered_json(duration->picoseconds()) : nlohmann::ordered_json(nullptr);
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
