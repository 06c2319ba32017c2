// SPDX-License-Identifier: Apache-2.0
#include "lsp/limit_findings.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "exporter/findings/finding_catalog.hpp"
#include "exporter/findings/result_findings.hpp"
#include "exporter/results/contribution_text.hpp"
#include "exporter/results/result_view.hpp"

namespace amalthea::lsp {
namespace {

constexpr std::size_t most_elements = 20;
constexpr std::size_t most_parts = 5;

bool is_known(const Model& model, Origin origin) {
  return origin.document < model.documents().size() && origin.element < model.documents()[origin.document]->size();
}

void add_deadlines(const System& system, TaskIndex task, std::vector<RelatedPlace>& places) {
  for (const Requirement& requirement : system.requirements) {
    const auto* subject = std::get_if<Requirement::OfProcess>(&requirement.subject);
    if (subject == nullptr || subject->task != task || !engine::is_deadline(system, requirement)) continue;
    places.push_back({requirement.origin, fmt::format("the deadline of {}", one_line(system.tasks[task].name))});
  }
}

/// What others do while the task waits in its longest simulated job.
void add_parts(const System& system, const engine::TaskResult& result, TaskIndex task,
               std::vector<RelatedPlace>& places) {
  std::vector<engine::Contribution> parts = result.contributions;
  std::erase_if(parts,
                [&](const engine::Contribution& part) { return !part.by || *part.by == task || part.time.is_zero(); });
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.time > b.time; });
  for (std::size_t i = 0; i < std::min(parts.size(), most_parts); ++i)
    places.push_back({system.tasks[*parts[i].by].origin,
                      fmt::format("{}: {} of the longest response, {}", exporter::describe(system, parts[i]),
                                  format_duration(parts[i].time), format_duration(result.response.max))});
}

const exporter::FindingKind* kind_of_finding(const Diagnostic& finding) {
  const std::size_t index = exporter::find_finding_kind(finding.id);
  const auto& catalog = exporter::finding_catalog();
  return index == catalog.size() ? nullptr : &catalog[index];
}

}  // namespace

void add_limit_findings(const Model& model, const engine::Assessment& assessment, Diagnostics& findings) {
  for (const engine::JudgedLimit& limit : assessment.limits) {
    Location place;
    if (is_known(model, limit.origin)) {
      place = model.element(limit.origin).location();
      place.element = limit.origin;
    }
    exporter::add_limit_finding(limit, std::move(place), findings);
  }
}

std::vector<RelatedPlace> related_places(const Model& model, const Diagnostic& finding, const System* system,
                                         const engine::Results* results) {
  std::vector<RelatedPlace> places;
  for (std::size_t i = 1; i < std::min(finding.elements.size(), most_elements); ++i)
    if (is_known(model, finding.elements[i]))
      places.push_back({finding.elements[i], one_line(model.element(finding.elements[i]).path())});
  if (system == nullptr || results == nullptr || !is_known(model, finding.location.element)) return places;
  const auto task = std::find_if(system->tasks.begin(), system->tasks.end(),
                                 [&](const Task& candidate) { return candidate.origin == finding.location.element; });
  if (task == system->tasks.end()) return places;
  const auto index = static_cast<TaskIndex>(task - system->tasks.begin());
  add_deadlines(*system, index, places);
  add_parts(*system, results->tasks[index], index, places);
  std::erase_if(places, [&](const RelatedPlace& place) { return !is_known(model, place.origin); });
  return places;
}

std::string remedy_of(const Diagnostic& finding) {
  const auto* kind = kind_of_finding(finding);
  return kind == nullptr ? std::string() : std::string(kind->explanation);
}

std::string page_of(const Diagnostic& finding) {
  const auto* kind = kind_of_finding(finding);
  const bool is_on_web = exporter::tool_homepage.starts_with("http");
  return kind == nullptr || !is_on_web ? std::string() : exporter::help_uri(exporter::tool_homepage, *kind);
}

}  // namespace amalthea::lsp
