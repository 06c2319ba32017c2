// SPDX-License-Identifier: Apache-2.0
#include "exporter/results/verdict_text.hpp"

#include <array>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace amalthea::exporter {
namespace {

using engine::Assessment;
using engine::JudgedLimit;
using engine::OverallVerdict;

/// Maximum number of names in the sentence; the tables that follow contain all.
constexpr std::size_t max_named = 6;

/// "2 missed: SFM, Planner".
struct Clause {
  std::size_t count = 0;
  std::string names;

  void add(const std::string& name) {
    if (++count <= max_named) names += (names.empty() ? "" : ", ") + one_line(name);
  }
  std::string text(std::string_view what) const {
    return fmt::format("{} {}: {}{}", count, what, names,
                       count > max_named ? fmt::format(" and {} more", count - max_named) : "");
  }
};

}  // namespace

Colour colour_of(engine::Verdict verdict) {
  constexpr std::array<Colour, 5> colours{Colour::good, Colour::bad, Colour::bad, Colour::bold, Colour::dim};
  return colours[static_cast<std::size_t>(verdict)];
}

std::string verdict_sentence(const Assessment& assessment) {
  Clause missed, unbounded, unknown, parts;
  for (const JudgedLimit& limit : assessment.limits) {
    if (limit.verdict == OverallVerdict::missed) missed.add(limit.name);
    if (limit.verdict == OverallVerdict::unbounded) unbounded.add(limit.name);
    if (limit.verdict == OverallVerdict::unknown)
      (limit.kind == JudgedLimit::Kind::finding ? parts : unknown).add(limit.name);
  }
  std::string clauses;
  const auto say = [&clauses](const std::string& clause) { clauses += (clauses.empty() ? " " : "; ") + clause; };
  if (missed.count > 0) say(missed.text("missed"));
  if (unbounded.count > 0) say(unbounded.text("unbounded"));
  if (unknown.count > 0) say(unknown.text("unknown"));
  if (parts.count > 0)
    say(parts.text(parts.count == 1 ? "part of the model not judged" : "parts of the model not judged"));
  if (const auto met = assessment.count(OverallVerdict::met); met > 0) say(fmt::format("{} met", met));
  if (const auto guaranteed = assessment.count(OverallVerdict::guaranteed); guaranteed > 0)
    say(fmt::format("{} guaranteed", guaranteed));
  if (clauses.empty()) clauses = " No limit is stated";
  if (assessment.proved) say(fmt::format("proved: {} of {} tasks", *assessment.proved, assessment.tasks));
  const std::size_t assumed = assessment.assumptions.size();
  return fmt::format("Verdict: {}{}.{}", to_string(assessment.verdict),
                     assumed == 0   ? ""
                     : assumed == 1 ? " under 1 assumption"
                                    : fmt::format(" under {} assumptions", assumed),
                     clauses);
}

Colour colour_of(const Assessment& assessment) {
  if (assessment.verdict >= OverallVerdict::unbounded) return Colour::bad;
  const bool met = assessment.verdict == OverallVerdict::met && assessment.has_limits();
  return met || assessment.verdict == OverallVerdict::guaranteed ? Colour::good : Colour::bold;
}

std::vector<VerdictLine> verdict_lines(const Assessment& assessment) {
  std::vector<VerdictLine> lines{{verdict_sentence(assessment), colour_of(assessment)}};
  for (const engine::Assumption& assumption : assessment.assumptions)
    lines.push_back({fmt::format("Assumed: {}", one_line(assumption.text)), Colour::none});
  for (const std::string& replaced : assessment.replaced)
    lines.push_back({fmt::format("Replaced: {}", one_line(replaced)), Colour::none});
  return lines;
}

nlohmann::ordered_json coverage_json(const engine::Coverage& coverage) {
  return {{"offsets", to_string(coverage.offsets)},
          {"ties", to_string(coverage.ties)},
          {"losses", to_string(coverage.losses)}};
}

void add_verdict(nlohmann::ordered_json& json, const Assessment& assessment) {
  using Json = nlohmann::ordered_json;
  json["verdict"] = to_string(assessment.verdict);
  json["summary"] = verdict_sentence(assessment);
  for (std::size_t i = engine::overall_verdicts; i-- > 0;)
    json["counts"][std::string(to_string(static_cast<OverallVerdict>(i)))] = assessment.counts[i];
  if (assessment.proved) json["proved"] = {{"tasks", *assessment.proved}, {"of", assessment.tasks}};
  json["limits"] = Json::array();
  for (const JudgedLimit& limit : assessment.limits) {
    json["limits"].push_back({{"kind", to_string(limit.kind)},
                              {"name", limit.name},
                              {"verdict", to_string(limit.verdict)},
                              {"reason", limit.reason}});
    if (limit.covers) json["limits"].back()["covers"] = coverage_json(*limit.covers);
    if (limit.beyond) json["limits"].back()["beyond_ps"] = limit.beyond->picoseconds();
  }
  json["assumptions"] = Json::array();
  for (const engine::Assumption& assumption : assessment.assumptions)
    json["assumptions"].push_back({{"rule", assumption.id.empty() ? Json(nullptr) : Json(assumption.id)},
                                   {"count", assumption.count},
                                   {"text", assumption.text}});
  json["replaced"] = assessment.replaced;
}

}  // namespace amalthea::exporter
