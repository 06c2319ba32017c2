// SPDX-License-Identifier: Apache-2.0
#include "tests/holes/outcome.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "analysis/model_analysis.hpp"
#include "engine/analysis.hpp"
#include "engine/finding_consequences.hpp"
#include "importer/reading/model_reader.hpp"

using namespace amalthea;
using engine::OverallVerdict;

namespace holes {
namespace {

bool is_good(OverallVerdict verdict) { return verdict <= OverallVerdict::met; }

void add_measures(const System& system, const engine::Results& results, Outcome& outcome) {
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const engine::TaskResult& result = results.tasks[i];
    Measure measure{result.bound.worst, {}, {}};
    if (result.response.jobs > 0) measure.observed = result.response.max;
    if (system.tasks[i].deadline) measure.limits.push_back("deadline " + system.tasks[i].name);
    outcome.measures[fmt::format("response of {}", system.tasks[i].name)] = std::move(measure);
  }
  for (std::size_t i = 0; i < system.chains.size(); ++i) {
    const engine::ChainResult& result = results.chains[i];
    std::vector<std::string> limits;
    for (const auto& limit : system.chains[i].limits)
      limits.push_back(fmt::format("latency latency constraint \"{}\"", limit.name));
    const auto add = [&](std::string_view what, const std::optional<engine::LatencyBounds>& bounds,
                         std::optional<Duration> reaction, std::optional<Duration> age) {
      Measure one{bounds ? std::optional(bounds->reaction) : std::nullopt, reaction, limits};
      Measure two{bounds ? std::optional(bounds->age) : std::nullopt, age, limits};
      outcome.measures[fmt::format("{} reaction of {}", what, system.chains[i].name)] = std::move(one);
      outcome.measures[fmt::format("{} age of {}", what, system.chains[i].name)] = std::move(two);
    };
    add("implicit", result.implicit, result.observed.reaction, result.observed.age);
    add("explicit", result.explicit_access, {}, {});
  }
}

}  // namespace

Written written(const Files& files) {
  Written result;
  for (const auto& [name, root] : files) {
    const std::string text = test::write_xml(root);
    std::uint32_t line = 1;
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t to = std::min(text.find('\n', from), text.size());
      if (std::string_view(text).substr(from, to - from).starts_with(mark)) result.marked.emplace(name, line);
      from = to + 1;
      ++line;
    }
    result.files.emplace_back(name, text);
  }
  // As a folder is read.
  std::sort(result.files.begin(), result.files.end());
  return result;
}

Outcome outcome_of(const Written& written) {
  Outcome outcome;
  Diagnostics findings;
  std::vector<importer::NamedBytes> files;
  for (const auto& [name, text] : written.files) files.push_back({name, text});
  const auto model = importer::read_model_from_bytes(std::move(files), {}, findings);
  const auto refused = [&] {
    outcome.refused = true;
    outcome.findings = findings.all();
    return outcome;
  };
  if (!model) return refused();
  analysis::Options options;
  options.engine.max_steps = 20'000;
  const auto system = analysis::prepare(*model, options, findings);
  if (!system) return refused();
  const auto results = engine::analyze(*system, options.engine, findings);
  if (!results) return refused();
  const engine::Assessment assessment = engine::assess(*system, *results, findings);
  outcome.verdict = assessment.verdict;
  for (const engine::JudgedLimit& limit : assessment.limits) {
    if (limit.kind == engine::JudgedLimit::Kind::finding || limit.kind == engine::JudgedLimit::Kind::task) continue;
    const auto [at, is_new] =
        outcome.limits.emplace(fmt::format("{} {}", engine::to_string(limit.kind), limit.name), limit.verdict);
    if (!is_new) at->second = std::max(at->second, limit.verdict);
  }
  add_measures(*system, *results, outcome);
  outcome.findings = findings.all();
  return outcome;
}

std::string_view to_string(Effect effect) {
  constexpr std::array<std::string_view, 10> names{"same",
                                                   "error",
                                                   "finding",
                                                   "worse",
                                                   "assumption",
                                                   "default",
                                                   "another model",
                                                   "IMPROVED, FINDING ELSEWHERE",
                                                   "IMPROVED, LIMIT NOT REACHED",
                                                   "IMPROVED SILENTLY"};
  return names[static_cast<std::size_t>(effect)];
}

Judgement compare(const Outcome& sound, const Outcome& holed, const Places& places) {
  if (holed.refused) {
    const auto first = std::find_if(holed.findings.begin(), holed.findings.end(),
                                    [](const Diagnostic& one) { return one.severity == Severity::error; });
    return {Effect::error, first == holed.findings.end() ? "no reason" : format(*first)};
  }
  std::string why, observed;
  bool unreached = false, worse = holed.verdict > sound.verdict;
  const auto improved = [&](const std::string& what) { why += (why.empty() ? "" : ", ") + what; };
  // Limits without a counterpart that are not met, such as a requirement that can no longer be judged.
  std::size_t not_met = 0;
  std::map<std::string, std::vector<OverallVerdict>> renamed;  // by kind
  for (const auto& [name, verdict] : holed.limits)
    if (!sound.limits.contains(name)) {
      if (!is_good(verdict)) ++not_met;
      renamed[name.substr(0, name.find(' '))].push_back(verdict);
    }
  for (const auto& [name, verdict] : sound.limits) {
    const auto now = holed.limits.find(name);
    if (now == holed.limits.end()) {
      auto& candidates = renamed[name.substr(0, name.find(' '))];
      if (!candidates.empty() && candidates.front() >= verdict) {
        candidates.erase(candidates.begin());
        continue;
      }
      if (not_met > 0) {
        --not_met;
        worse = true;
        continue;
      }
      improved(name + " is gone");
      unreached = true;
    } else if (is_good(now->second) && now->second < verdict) {
      improved(fmt::format("{} {} instead of {}", name, engine::to_string(now->second), engine::to_string(verdict)));
      unreached = true;
    } else if (now->second > verdict) {
      worse = true;
    }
  }
  for (const auto& [name, measure] : sound.measures) {
    const auto now = holed.measures.find(name);
    if (now == holed.measures.end()) continue;  // renamed; its limits tell
    const bool bounded = measure.bound.has_value();
    const auto before = bounded ? measure.bound : measure.observed;
    const auto after = bounded ? now->second.bound : now->second.bound ? now->second.bound : now->second.observed;
    if (after && before && *after > *before) worse = true;
    const bool new_bound = !bounded && now->second.bound;
    if (!after || (before && *after >= *before && !new_bound) || (!before && !new_bound)) continue;
    const std::string what =
        fmt::format("{} {} instead of {} ps", name, after->picoseconds(), before ? before->picoseconds() : -1);
    if (!bounded && !now->second.bound) {
      observed += (observed.empty() ? "" : ", ") + what;
      continue;
    }
    improved(what);
    for (const std::string& limit : measure.limits)
      if (const auto verdict = holed.limits.find(limit); verdict != holed.limits.end() && is_good(verdict->second))
        unreached = true;
  }
  // Where something else gets worse, one observed schedule says nothing about another.
  if (why.empty() && !worse) why = observed;
  // Findings that count and that the sound model does not have.
  std::vector<std::pair<std::string, std::string>> known;
  for (const Diagnostic& finding : sound.findings) known.emplace_back(finding.id, finding.message);
  // At the place, any finding tells where to look.
  bool counts = false, here = false, assumed = false;
  std::string found;
  for (const Diagnostic& finding : holed.findings) {
    const auto same = std::find(known.begin(), known.end(), std::pair(finding.id, finding.message));
    if (same != known.end()) {
      known.erase(same);
      continue;
    }
    const engine::Consequence consequence = engine::consequence_of(finding);
    const bool at_place = places.contains({finding.location.file, finding.location.line});
    if (consequence == engine::Consequence::assumption) assumed = true;
    if (consequence == engine::Consequence::unknown) counts = true;
    here = here || at_place;
    found += " | " + format(finding);
  }
  if (why.empty()) return {counts ? Effect::finding : worse ? Effect::worse : Effect::same, found};
  why += found;
  if (counts && here && !unreached) return {Effect::finding, why};
  if (counts && here) return {assumed ? Effect::assumption : Effect::unreached, why};
  if (counts) return {Effect::elsewhere, why};
  return {assumed ? Effect::assumption : Effect::silent, why};
}

}  // namespace holes
