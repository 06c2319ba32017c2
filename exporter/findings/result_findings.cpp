// SPDX-License-Identifier: Apache-2.0
#include "exporter/findings/result_findings.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exporter/findings/finding_formats.hpp"

namespace amalthea::exporter {
namespace {

using Json = nlohmann::ordered_json;

std::string text_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Location place_in(const Json& object) {
  const auto number = [&](const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number_unsigned() ? found->get<std::uint32_t>() : 0U;
  };
  return {text_in(object, "file"), number("line"), number("column")};
}

void add_listed(const Json& list, Diagnostics& findings) {
  for (const Json& finding : list) {
    const std::string severity = text_in(finding, "severity");
    findings.add(text_in(finding, "rule"),
                 severity == "error"     ? Severity::error
                 : severity == "warning" ? Severity::warning
                                         : Severity::note,
                 text_in(finding, "message"), place_in(finding), text_in(finding, "path"));
  }
}

struct LimitText {
  std::string kind, verdict, name, reason;
};

void add_limit(const LimitText& limit, Location place, Diagnostics& findings) {
  const bool task = limit.kind == "deadline" || limit.kind == "task";
  const std::string path = task ? "swModel/tasks/" + limit.name : "";
  const std::string name = task ? fmt::format("task \"{}\"", limit.name) : limit.name;
  if (limit.verdict == "missed" || limit.verdict == "unbounded")
    findings.add("AM0542", Severity::error, fmt::format("{} is {}: {}", name, limit.verdict, limit.reason),
                 std::move(place), path);
  else if (limit.verdict == "unknown" && limit.kind != "finding")
    findings.add("AM0544", Severity::warning, fmt::format("{} was not judged: {}", name, limit.reason),
                 std::move(place), path);
}

void add_limit(const Json& limit, const std::string& file, Diagnostics& findings) {
  Location place = place_in(limit);
  if (place.file.empty()) place.file = file;
  add_limit({text_in(limit, "kind"), text_in(limit, "verdict"), text_in(limit, "name"), text_in(limit, "reason")},
            std::move(place), findings);
}

}  // namespace

void add_limit_finding(const engine::JudgedLimit& limit, Location place, Diagnostics& findings) {
  add_limit({std::string(to_string(limit.kind)), std::string(to_string(limit.verdict)), limit.name, limit.reason},
            std::move(place), findings);
}

std::vector<Diagnostic> findings_of_results(const Json& results, const std::string& file) {
  Diagnostics findings;
  if (const auto listed = results.find("findings"); listed != results.end() && listed->is_array())
    add_listed(*listed, findings);
  if (const auto limits = results.find("limits"); limits != results.end() && limits->is_array())
    for (const Json& limit : *limits) add_limit(limit, file, findings);
  if (const auto messages = results.find("messages"); messages != results.end()) add_listed(*messages, findings);
  if (const auto error = results.find("error"); error != results.end()) {
    const auto& all = findings.all();
    if (std::none_of(all.begin(), all.end(), [](const Diagnostic& one) { return one.severity == Severity::error; })) {
      Location place;
      place.file = file;
      findings.add("AM0543", Severity::error, text_in(results, "error"), place);
    }
  }
  std::vector<Diagnostic> sorted = findings.all();
  sort_findings(sorted);
  return sorted;
}

}  // namespace amalthea::exporter
