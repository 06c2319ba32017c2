// SPDX-License-Identifier: Apache-2.0
#include "exporter/rewriting/conversion_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "amalthea/primitives/visible_text.hpp"
#include "exporter/results/json_parts.hpp"
#include "migration/migration.hpp"

namespace amalthea::exporter {
using migration::ChangeSite;
using migration::RuleRecord;

namespace {

std::string place_text(const ChangeSite& place) {
  std::string text;
  if (!place.location.file.empty())
    text = fmt::format("{}:{}:{}: ", place.location.file, place.location.line, place.location.column);
  text += place.path;
  if (!place.what.empty()) text += fmt::format(": {}", place.what);
  return line_start(text);
}

nlohmann::ordered_json located(const Location& location) {
  nlohmann::ordered_json json;
  json["file"] = location.file.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(location.file);
  json["line"] = location.line == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(location.line);
  json["column"] = location.column == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(location.column);
  return json;
}

}  // namespace

std::string render_conversion_text(const Conversion& input) {
  std::string text = fmt::format("{}: {} -> {}\n", line_start(fmt::format("{}", fmt::join(input.files, ", "))),
                                 to_string(input.from), to_string(input.to));
  std::size_t total = 0;
  for (const RuleRecord& rule : input.record.rules()) {
    total += rule.count;
    const std::string objects = rule.objects == 0 ? "" : fmt::format(", {:+} objects", rule.objects);
    text += fmt::format("\n{}: {} ({} {}{})\n", to_string(rule.to), rule.rule, rule.count,
                        rule.count == 1 ? "place" : "places", objects);
    if (const std::string_view summary = migration::rule_summary(rule.rule); !summary.empty())
      text += fmt::format("  {}\n", summary);
    for (const ChangeSite& place : rule.places) text += fmt::format("    {}\n", place_text(place));
    if (rule.places.size() < rule.count) text += fmt::format("    and {} more\n", rule.count - rule.places.size());
  }
  text += fmt::format(
      "\nChanges besides namespace and ids: {} (rules: {}); {} items kept as custom properties; {} changes of meaning; "
      "{} objects before, {} after\n",
      total, input.record.rules().size(), input.record.kept_count(), input.record.altered_count(), input.objects_before,
      input.objects_after);
  return text;
}

std::string render_conversion_json(const Conversion& input, bool compact) {
  nlohmann::ordered_json json;
  json["schema"] = "amalthea-conversion/1";
  json["files"] = input.files;
  json["from"] = to_string(input.from);
  json["to"] = to_string(input.to);
  json["objects"] = {{"before", input.objects_before}, {"after", input.objects_after}};
  json["kept"] = input.record.kept_count();
  json["altered"] = input.record.altered_count();
  json["rules"] = nlohmann::ordered_json::array();
  for (const RuleRecord& rule : input.record.rules()) {
    nlohmann::ordered_json entry;
    entry["rule"] = rule.rule;
    entry["version"] = to_string(rule.to);
    entry["count"] = rule.count;
    entry["objects"] = rule.objects;
    if (!compact) {
      entry["summary"] = migration::rule_summary(rule.rule);
      entry["places"] = nlohmann::ordered_json::array();
      for (const ChangeSite& place : rule.places) {
        nlohmann::ordered_json where = located(place.location);
        where["path"] = place.path;
        where["what"] = place.what;
        entry["places"].push_back(std::move(where));
      }
    }
    json["rules"].push_back(std::move(entry));
  }
  json["findings"] = findings_json(input.findings.all());
  return compact ? json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) : written(json);
}

}  // namespace amalthea::exporter
