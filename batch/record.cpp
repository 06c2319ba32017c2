// SPDX-License-Identifier: Apache-2.0
#include "batch/record.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "analysis/model_analysis.hpp"
#include "exporter/findings/result_findings.hpp"
#include "exporter/primitives/json_integers.hpp"
#include "exporter/primitives/outside_json.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/results/json_parts.hpp"
#include "exporter/results/result_formats.hpp"

namespace amalthea::batch {
namespace {

using Json = nlohmann::ordered_json;
using exporter::integer_in;

constexpr std::array<std::string_view, model_verdicts> verdicts = {
    "failed", "missed", "unbounded", "unknown", "met", "guaranteed", "nothing to be met", "nothing to analyze"};
using analysis::not_analyzed_id;
using importer::no_task_id;

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// Without removed wrappers, like engine::tasks_by_verdict.
std::uint64_t count(const Json& list, const char* key, std::string_view value) {
  return static_cast<std::uint64_t>(std::count_if(list.begin(), list.end(), [&](const Json& entry) {
    return entry.at(key) == value && !entry.contains("folded_into");
  }));
}

Json finding_counts(const Json& findings) {
  return {{"error", count(findings, "severity", "error")},
          {"warning", count(findings, "severity", "warning")},
          {"note", count(findings, "severity", "note")}};
}

/// The message of the first finding with this id.
std::string message_of(const Json& findings, std::string_view id) {
  for (const Json& finding : findings)
    if (finding.at("rule") == id) return finding.at("message").get<std::string>();
  return {};
}

/// Whether the only errors are that there is no task.
bool only_lacks_tasks(const Json& findings) {
  const std::uint64_t errors = count(findings, "severity", "error");
  return errors > 0 && errors == count(findings, "rule", no_task_id);
}

/// The body of a model without tasks. Its findings are no failure, so that no output counts them as one.
std::string nothing_to_analyze(std::string_view why, const Json& all) {
  Json findings = Json::array();
  for (const Json& finding : all) {
    if (finding.at("rule") == not_analyzed_id) continue;
    findings.push_back(finding);
    if (finding.at("rule") == no_task_id) findings.back()["severity"] = to_string(Severity::note);
  }
  const std::string_view verdict = to_string(ModelVerdict::no_task);
  return dump({{"status", verdict},
               {"verdict", verdict},
               {"summary", why},
               {"findings", finding_counts(findings)},
               {"messages", findings}});
}

/// Their number, if the verdict rests on any.
void add_assumptions(Json& body, const Json& results) {
  if (results.contains("assumptions") && !results.at("assumptions").empty())
    body["assumptions"] = results.at("assumptions").size();
}

/// What to look at first, if limits do not hold.
void add_first_cause(Json& body, const Json& results) {
  if (results.contains("causes"))
    if (const Json& list = results.at("causes").at("list"); !list.empty())
      body["first_cause"] = list.front().at("summary");
}

std::string failure(std::string_view status, std::string_view error, const Json& findings) {
  return dump({{"status", status},
               {"verdict", to_string(ModelVerdict::failed)},
               {"error", error},
               {"cause", cause_of(status, error)},
               {"findings", findings.empty() ? finding_counts(Json::array()) : finding_counts(findings)},
               {"messages", findings}});
}

}  // namespace

std::string_view to_string(ModelVerdict verdict) { return verdicts[static_cast<std::size_t>(verdict)]; }

std::string body_of_results(const Json& results) {
  const Json& tasks = results.at("tasks");
  const Json& requirements = results.at("requirements");
  const auto of_tasks = [&](std::string_view verdict) { return count(tasks, "verdict", verdict); };
  const auto of_requirements = [&](std::string_view verdict) { return count(requirements, "verdict", verdict); };
  const Json findings = finding_counts(results.at("findings"));
  const Json verdict = results.at("limits").empty() ? Json(to_string(ModelVerdict::nothing)) : results.at("verdict");
  Json body = {{"status", "analysed"},
               {"verdict", verdict},
               {"summary", results.at("summary")},
               {"counts", results.at("counts")},
               {"tasks",
                {{"met", of_tasks("met")},
                 {"missed", of_tasks("missed")},
                 {"unbounded", of_tasks("unbounded")},
                 {"unknown", of_tasks("unknown")},
                 {"no deadline", of_tasks("no deadline")}}},
               {"requirements",
                {{"met", of_requirements("met")},
                 {"missed", of_requirements("missed")},
                 {"unbounded", of_requirements("unbounded")},
                 {"unknown", of_requirements("unknown")}}},
               {"findings", findings}};
  add_assumptions(body, results);
  add_first_cause(body, results);
  body["results"] = results;
  return dump(body);
}

std::string body_of_verb(const Json& results, int exit_code) {
  if (results.contains("findings") && !results.contains("verdict") && only_lacks_tasks(results.at("findings")))
    return nothing_to_analyze(message_of(results.at("findings"), no_task_id), results.at("findings"));
  // The verdicts of explore and validate are their exit codes.
  Json verdict = exit_code == 0 ? "met" : exit_code == 4 ? "unknown" : "missed";
  if (results.contains("verdict")) verdict = results.at("verdict");
  if (results.contains("limits") && results.at("limits").empty()) verdict = to_string(ModelVerdict::nothing);
  Json body = {{"status", "analysed"}, {"verdict", verdict}, {"exit_code", exit_code}};
  for (const char* key : {"summary", "counts"})
    if (results.contains(key)) body[key] = results.at(key);
  if (body.contains("counts") && !body["counts"].contains("guaranteed")) body.erase("counts");
  body["findings"] = finding_counts(results.contains("findings") ? results.at("findings") : Json::array());
  if (!body.contains("summary"))
    body["summary"] = fmt::format("{}, {}", exporter::counted(body["findings"]["error"].get<std::size_t>(), "error"),
                                  exporter::counted(body["findings"]["warning"].get<std::size_t>(), "warning"));
  add_assumptions(body, results);
  add_first_cause(body, results);
  if (const Json file = results.value("output", Json()); file.is_string())
    if (file.get<std::string>().ends_with(".html")) body["report"] = file;
  body["results"] = results;
  return dump(body);
}

bool is_body(std::string_view text) {
  if (!text.starts_with("{\"status\":") || text.find('\n') != text.npos) return false;
  const auto json = exporter::outside_json<Json>(text);
  if (!json || !parse_line(line_of(0, 1, {}, "", text))) return false;
  // What is shown of it, in every form.
  const Json& shown = json->contains("results") ? json->at("results") : *json;
  for (const char* key : {"findings", "tasks"})
    if (&shown != &*json && shown.contains(key) &&
        !(shown.at(key).is_array() &&
          std::all_of(shown.at(key).begin(), shown.at(key).end(), [](const Json& entry) { return entry.is_object(); })))
      return false;
  try {
    exporter::findings_of_results(shown, "");
    exporter::junit_suite_of(shown, "");
    exporter::github_commands(shown, "");
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

std::string body_of_failure(const std::vector<Diagnostic>& findings, std::string_view message) {
  const Json listed = exporter::findings_json(findings);
  if (only_lacks_tasks(listed)) return nothing_to_analyze(message_of(listed, no_task_id), listed);
  const auto error = std::find_if(findings.begin(), findings.end(), [](const Diagnostic& finding) {
    return finding.severity == Severity::error && finding.id != no_task_id;
  });
  const std::string what = error != findings.end() ? format(*error) : std::string(message);
  return failure("failed", what, listed);
}

std::string body_of_ending(const Outcome& outcome, const ProcessLimits& limits) {
  switch (outcome.ending) {
    case Ending::finished:
      return outcome.output;
    case Ending::out_of_time:
      return failure("out of time",
                     fmt::format("took longer than {} s", static_cast<double>(limits.time->count()) / 1e3),
                     Json::array());
    case Ending::out_of_memory:
      return failure("out of memory", "exceeded the memory limit or the available memory", Json::array());
    case Ending::crashed:
      break;
  }
  return failure(
      "crashed",
      outcome.signal == 0 ? std::string("ended without a result") : fmt::format("ended by signal {}", outcome.signal),
      Json::array());
}

std::string line_of(std::size_t index, std::size_t of, const ModelFiles& files, std::string_view key,
                    std::string_view body) {
  return fmt::format("{{\"index\":{},\"of\":{},\"files\":{},\"key\":\"{}\",{}", index, of, dump(Json(files)), key,
                     body.substr(1));
}

// Quotes in names are escaped, so names cannot contain these marks.
constexpr std::string_view before_key = "],\"key\":\"";
constexpr std::string_view before_results = ",\"results\":{";

std::string_view key_in(std::string_view line) {
  const std::size_t at = line.find(before_key);
  if (at == line.npos) return {};
  const std::string_view rest = line.substr(at + before_key.size());
  return rest.substr(0, std::min(rest.find('"'), rest.size()));
}

std::string body_in(std::string_view line) {
  const std::size_t at = line.find(before_key);
  const std::size_t end = at == line.npos ? at : line.find("\",", at + before_key.size());
  return end == line.npos ? std::string() : fmt::format("{{{}", line.substr(end + 2));
}

std::string cause_of(std::string_view status, std::string_view error) {
  if (status != "failed") return std::string(status);
  if (const std::size_t at = error.rfind(" [AM"); at != error.npos && error.ends_with(']'))
    return std::string(error.substr(at + 2, error.size() - at - 3));
  if (const std::size_t at = error.find("error: "); at != error.npos) error.remove_prefix(at + 7);
  std::string text;
  bool quoted = false, number = false;
  for (const char c : error) {
    if (c == '"') quoted = !quoted;
    if (quoted && c != '"') continue;
    const bool digit = c >= '0' && c <= '9';
    if (!digit) text += c;
    if (digit && !number) text += '#';
    number = digit;
  }
  return text;
}

tl::expected<Record, std::string> parse_line(std::string_view line) {
  try {
    const std::size_t results = line.find(before_results);
    const auto read = exporter::outside_json<Json>(results == line.npos ? std::string(line)
                                                                        : fmt::format("{}}}", line.substr(0, results)));
    if (!read) return tl::unexpected(read.error());
    const Json& json = *read;
    Record record;
    record.index = integer_in<std::size_t>(json.at("index"));
    record.of = integer_in<std::size_t>(json.at("of"));
    if (record.index >= record.of)
      return tl::unexpected(std::string("its index is not smaller than the number of models"));
    record.files = json.at("files").get<ModelFiles>();
    record.key = json.at("key").get<std::string>();
    record.status = json.at("status").get<std::string>();
    const auto verdict = std::find(verdicts.begin(), verdicts.end(), json.at("verdict").get<std::string>());
    if (verdict == verdicts.end()) return tl::unexpected(std::string("the verdict is unknown to this version"));
    record.verdict = static_cast<ModelVerdict>(verdict - verdicts.begin());
    if (json.contains("counts")) {
      const Json& limits = json.at("counts");
      record.counts.guaranteed = integer_in<std::uint64_t>(limits.at("guaranteed"));
      record.counts.met = integer_in<std::uint64_t>(limits.at("met"));
      record.counts.unknown = integer_in<std::uint64_t>(limits.at("unknown"));
      record.counts.unbounded = integer_in<std::uint64_t>(limits.at("unbounded"));
      record.counts.missed = integer_in<std::uint64_t>(limits.at("missed"));
    }
    record.counts.errors = integer_in<std::uint64_t>(json.at("findings").at("error"));
    record.counts.warnings = integer_in<std::uint64_t>(json.at("findings").at("warning"));
    if (json.contains("error"))
      record.why = json.at("error").get<std::string>();
    else if (record.verdict < ModelVerdict::met || record.verdict == ModelVerdict::no_task ||
             (json.contains("assumptions") && record.verdict != ModelVerdict::nothing))
      record.why = json.at("summary").get<std::string>();
    if (json.contains("first_cause")) record.first_cause = json.at("first_cause").get<std::string>();
    if (json.contains("report")) record.report = json.at("report").get<std::string>();
    // Lines of earlier versions state no cause.
    if (record.verdict == ModelVerdict::failed) record.cause = cause_of(record.status, record.why);
    return record;
  } catch (const Json::exception& error) {
    return tl::unexpected(std::string(error.what()));
  }
}

}  // namespace amalthea::batch
