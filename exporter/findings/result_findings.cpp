// SPDX-License-Identifier: Apache-2.0
#include "exporter/findings/result_findings.hpp"

#include <algorithm>

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

void add_limit(const Json& limit, const std::string& file, Diagnostics& findings) {
  const std::string kind = text_in(limit, "kind"), verdict = text_in(limit, "verdict");
  const bool task = kind == "deadline" || kind == "task";
  const std::string path = task ? "swModel/tasks/" + text_in(limit, "name") : "";
  const std::string name = task ? fmt::format("task \"{}\"", text_in(limit, "name")) : text_in(limit, "name");
  Location place = place_in(limit);
  if (place.file.empty()) place.file = file;
  if (verdict == "missed" || verdict == "unbounded")
    findings.add("AM0542", Severity::error, fmt::format("{} is {}: {}", name, verdict, text_in(limit, "reason")), place,
                 path);
  if (verdict == "unknown" && kind != "finding")
    findings.add("AM0544", Severity::warning, fmt::format("{} was not judged: {}", name, text_in(limit, "reason")),
                 place, path);
}

}  // namespace

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
