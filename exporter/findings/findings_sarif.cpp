// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <string>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exporter/findings/finding_catalog.hpp"
#include "exporter/findings/finding_formats.hpp"
#include "exporter/findings/sarif_log.hpp"
#include "exporter/results/result_view.hpp"

namespace amalthea::exporter {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::string_view level(Severity severity) { return to_string(severity); }  // error, warning, note in SARIF too

/// In messages, braces are placeholders and brackets are links, so literal ones are escaped.
std::string message_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '{' || c == '}') escaped += c;
    if (c == '[' || c == ']') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// RFC 3986: the path with everything but unreserved characters and '/' as %XX.
std::string uri_of_path(std::string_view path) {
  std::string uri;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain)
      uri += c;
    else
      uri += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return uri;
}

std::string uri_of_file(const std::string& file, const std::string& base_folder) {
  fs::path path = fs::path(file).lexically_normal();
  if (path.is_relative() && !base_folder.empty()) path = (fs::path(base_folder) / path).lexically_normal();
  if (path.is_relative()) return uri_of_path(path.string());
  const fs::path relative = path.lexically_relative(base_folder);
  if (!base_folder.empty() && !relative.empty() && *relative.begin() != "..") return uri_of_path(relative.string());
  return "file://" + uri_of_path(path.string());
}

Json rule_json(const FindingKind& kind) {
  return {{"id", kind.id},
          {"shortDescription", {{"text", message_text(kind.summary())}}},
          {"fullDescription", {{"text", message_text(kind.explanation)}}},
          {"helpUri", help_uri(tool_homepage, kind)},
          {"help", {{"text", message_text(fmt::format("{}: {}", kind.chapter, kind.explanation))}}},
          {"defaultConfiguration", {{"level", level(kind.severity)}}}};
}

/// What concerns a whole file is shown at its first line: viewers leave out results without a region.
Json location_json(const Diagnostic& finding, const std::string& default_file, const std::string& base_folder) {
  Json location = Json::object();
  const std::string& file = finding.location.file.empty() ? default_file : finding.location.file;
  if (!file.empty()) {
    Json physical = {{"artifactLocation", {{"uri", uri_of_file(file, base_folder)}}}};
    physical["region"] = {{"startLine", std::max(finding.location.line, std::uint32_t{1})}};
    if (finding.location.line > 0 && finding.location.column > 0)
      physical["region"]["startColumn"] = finding.location.column;
    location["physicalLocation"] = std::move(physical);
  }
  if (!finding.path.empty())
    location["logicalLocations"] = Json::array({{{"name", finding.path.substr(finding.path.rfind('/') + 1)},
                                                 {"fullyQualifiedName", finding.path},
                                                 {"kind", "element"}}});
  return location;
}

std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

/// With the indentation of a value at this depth. Strings contain no line ends, since those are escaped.
std::string indented(const std::string& text, std::size_t depth) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out.append(depth, ' ');
  }
  return out;
}

constexpr std::size_t depth_of_results = 6;

}  // namespace

SarifLog::SarifLog(const Run& run, Sink sink)
    : base_folder_(run.base_folder), file_(run.files.empty() ? "" : run.files.front()), sink_(std::move(sink)) {
  Json rules = Json::array();
  for (const FindingKind& kind : finding_catalog()) rules.push_back(rule_json(kind));
  Json artifacts = Json::array();
  for (const std::string& file : run.files)
    artifacts.push_back({{"location", {{"uri", uri_of_file(file, run.base_folder)}}}});
  const Json driver = {{"name", tool_name},
                       {"version", tool_version},
                       {"semanticVersion", tool_version},
                       {"informationUri", tool_homepage},
                       {"rules", std::move(rules)}};
  const Json entry = {{"tool", {{"driver", driver}}},
                      {"invocations", Json::array({{{"executionSuccessful", run.successful}}})},
                      {"columnKind", "unicodeCodePoints"},
                      {"artifacts", std::move(artifacts)},
                      {"results", Json::array()}};
  const Json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({entry})}};
  const std::string text = dump(log) + "\n";
  // The results are last: only brackets follow.
  const std::size_t middle = text.rfind("[]") + 1;
  after_ = text.substr(middle);
  sink_(std::string_view(text).substr(0, middle));
}

void SarifLog::add(const Diagnostic& finding) {
  Json result = {{"ruleId", finding.id}};
  if (const std::size_t index = find_finding_kind(finding.id); index < finding_catalog().size())
    result["ruleIndex"] = index;
  result["level"] = level(finding.severity);
  result["message"] = {{"text", message_text(one_line(finding.message))}};
  if (Json location = location_json(finding, file_, base_folder_); !location.empty())
    result["locations"] = Json::array({std::move(location)});
  result["partialFingerprints"] = {{"amaltheaFinding/v1", fingerprints_.next(finding)}};
  sink_(fmt::format("{}\n{}{}", empty_ ? "" : ",", std::string(depth_of_results + 2, ' '),
                    indented(dump(result), depth_of_results + 2)));
  empty_ = false;
}

void SarifLog::end() {
  if (!empty_) sink_(fmt::format("\n{}", std::string(depth_of_results, ' ')));
  sink_(after_);
}

std::string render_findings_sarif(const FindingView& view) {
  std::string text;
  SarifLog log({view.model.files, !view.model.version.empty(), view.base_folder},
               [&text](std::string_view more) { text += more; });
  for (const Diagnostic& finding : view.findings) log.add(finding);
  log.end();
  return text;
}

}  // namespace amalthea::exporter
