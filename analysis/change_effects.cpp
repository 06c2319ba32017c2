// SPDX-License-Identifier: Apache-2.0
#include "analysis/change_effects.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/core.h>

#include "engine/analysis.hpp"
#include "exporter/results/contribution_text.hpp"
#include "exporter/rewriting/annotation_state.hpp"
#include "importer/reading/model_reader.hpp"
#include "migration/migration.hpp"

namespace amalthea::analysis {
namespace {

using difference::Part;
using exporter::ChangeEffects;
using exporter::PartEffect;
using exporter::TimedItem;
using exporter::Timing;
using Names = std::unordered_map<std::string, std::string>;

migration::Release oldest_release(const Model& model) {
  migration::Release oldest = migration::release_of(*model.documents().front());
  for (const auto& document : model.documents()) oldest = std::min(oldest, migration::release_of(*document));
  return oldest;
}

std::vector<std::pair<std::string, Duration>> contributions_of(const System& system, const engine::Bound& bound) {
  std::vector<std::pair<std::string, Duration>> parts;
  for (const engine::Contribution& part : bound.parts) {
    std::string what = exporter::describe(system, part);
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const auto& known) { return known.first == what; });
    if (same == parts.end())
      parts.emplace_back(std::move(what), part.time);
    else
      same->second += part.time;
  }
  return parts;
}

Timing timing_of(const System& system, const engine::Results& results, engine::Assessment assessment,
                 const Names& renamed) {
  Timing timing;
  timing.assessment = std::move(assessment);
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (task.folded_into) continue;
    const engine::TaskResult& result = results.tasks[i];
    const auto name = renamed.find(task.name);
    TimedItem item;
    item.name = name == renamed.end() ? task.name : name->second;
    item.verdict = to_string(result.verdict);
    item.limit = task.deadline;
    item.bound = result.bound.worst;
    item.no_bound = result.bound.reason;
    if (result.response.jobs > 0) item.longest = result.response.max;
    item.contributions = contributions_of(system, result.bound);
    timing.items.push_back(std::move(item));
  }
  for (std::size_t i = 0; i < system.chains.size(); ++i) {
    const engine::ChainResult& result = results.chains[i];
    TimedItem item;
    item.kind = TimedItem::Kind::chain;
    item.name = system.chains[i].name;
    if (result.implicit) item.bound = result.implicit->reaction;
    item.no_bound = result.implicit_reason;
    item.longest = result.observed.reaction;
    timing.items.push_back(std::move(item));
  }
  for (const engine::ResourceResult& resource : results.resources) {
    const std::string& unit = name_of(system, resource);
    timing.loads.push_back({resource.kind == engine::ResourceKind::core || resource.server
                                ? unit
                                : fmt::format("{} {}", unit, to_string(resource.kind)),
                            resource.demand});
  }
  return timing;
}

tl::expected<Timing, Failure> timing_of(const Model& model, const Options& options, const Names& renamed,
                                        Diagnostics& findings) {
  auto system = prepare(model, options, findings);
  if (!system) return tl::unexpected(std::move(system.error()));
  auto results = engine::analyze(*system, options.engine, findings);
  if (!results) return tl::unexpected(Failure{});
  auto assessment = engine::assess(*system, *results, findings);
  return timing_of(*system, *results, std::move(assessment), renamed);
}

/// The older model with the changes of some parts.
struct Hybrid {
  std::vector<importer::NamedBytes> files;
  difference::Application application;
};
Hybrid hybrid(const Model& older, const Model& newer, const std::vector<Part>& parts) {
  const ComparedModels models({&older, &newer});
  EditableModel& base = models.states[0]->editable;
  Hybrid made;
  made.application = difference::apply(base, models.compare(0, 1), parts, models.release.version);
  for (const EditableModel::File& file : base.files())
    made.files.push_back({file.path, migration::write(*file.root, models.release)});
  return made;
}

/// Nothing, and the first error, if that model cannot be analyzed.
std::optional<Timing> timing_of_parts(const Model& older, const Model& newer, const std::vector<Part>& parts,
                                      const Options& options, const Names& renamed, std::size_t& left_out,
                                      std::string& fault) {
  Hybrid made = hybrid(older, newer, parts);
  left_out = made.application.left_out;
  Diagnostics findings;
  const auto model = importer::read_model_from_bytes(std::move(made.files), options.limits, findings);
  if (model)
    if (auto timing = timing_of(*model, options, renamed, findings)) return std::move(*timing);
  const auto& all = findings.all();
  const auto error = std::find_if(all.begin(), all.end(),
                                  [](const Diagnostic& finding) { return finding.severity == Severity::error; });
  fault = error == all.end() ? "it cannot be analyzed" : error->message;
  return std::nullopt;
}

/// From older to newer names, of whatever was renamed.
Names renamed_objects(const difference::Comparison& comparison) {
  Names names;
  for (const difference::Change& change : comparison.changes)
    if (change.kind == difference::Kind::renamed) names.emplace(change.before, change.after);
  return names;
}

}  // namespace

ComparableModel::ComparableModel(const Model& model, migration::Release release, Diagnostics& findings)
    : editable(model, SharedIds::apart) {
  Diagnostics unused;  // annotations are results, not part of the design
  exporter::drop_annotations(model, editable, unused);
  migration::Record record(findings);
  if (const auto from = oldest_release(model); from != release)
    converted = migration::migrate(editable, from, release, record, findings);
}

ComparedModels::ComparedModels(const std::vector<const Model*>& models) : release(oldest_release(*models.front())) {
  for (const Model* model : models) release = std::max(release, oldest_release(*model));
  for (const Model* model : models) {
    states.push_back(std::make_unique<ComparableModel>(*model, release, findings));
    if (!unconverted && !states.back()->converted) unconverted = states.size() - 1;
  }
}

difference::Comparison ComparedModels::compare(std::size_t older, std::size_t newer) const {
  return difference::compare(states[older]->editable, states[newer]->editable, release.version);
}

Outcome<ChangeEffects> change_effects(const Model& older, const Model& newer, const difference::Comparison& comparison,
                                      const Options& options, Diagnostics& findings) {
  const Names renamed = renamed_objects(comparison);
  ChangeEffects effects;
  auto before = timing_of(older, options, renamed, findings);
  if (!before) return tl::unexpected(std::move(before.error()));
  auto after = timing_of(newer, options, {}, findings);
  if (!after) return tl::unexpected(std::move(after.error()));
  effects.before = std::move(*before);
  effects.after = std::move(*after);

  std::vector<Part> parts;
  for (const difference::Change& change : comparison.changes) {
    if (parts.empty() || parts.back() != change.part) {
      parts.push_back(change.part);
      effects.parts.emplace_back().part = change.part;
    }
    ++effects.parts.back().changes;
  }
  if (parts.size() < 2) {
    effects.parts.clear();
    return effects;
  }
  for (PartEffect& effect : effects.parts) {
    std::vector<Part> others;
    std::copy_if(parts.begin(), parts.end(), std::back_inserter(others),
                 [&](Part part) { return part != effect.part; });
    std::size_t left_out = 0;
    effect.alone = timing_of_parts(older, newer, {effect.part}, options, renamed, effect.left_out, effect.no_alone);
    effect.without = timing_of_parts(older, newer, others, options, renamed, left_out, effect.no_without);
  }
  return effects;
}

}  // namespace amalthea::analysis
