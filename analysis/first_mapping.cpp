// SPDX-License-Identifier: Apache-2.0
#include "analysis/first_mapping.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/core.h>

#include "explore/first_mapping.hpp"
#include "exporter/exploration/exploration_formats.hpp"
#include "exporter/primitives/splice.hpp"
#include "exporter/rewriting/remapping.hpp"
#include "importer/building/system_builder.hpp"
#include "importer/reading/model_reader.hpp"

namespace amalthea::analysis {
namespace {

using Splices = exporter::ModelSplices;

/// The changed model; nothing if it exceeds the limits. Records the lines that the splices insert.
std::optional<Model> changed(const Model& model, const Splices& splices, const importer::Limits& limits,
                             MappedModel& mapped) {
  std::vector<importer::NamedBytes> files;
  auto& inserted = mapped.inserted_lines.emplace_back();
  for (const auto& document : model.documents()) {
    const SourceText& source = document->source();
    files.push_back({source.path(), exporter::apply(*document, splices)});
    const auto found = splices.find(document->position());
    if (found == splices.end()) continue;
    auto& lines = inserted[source.path()];
    for (const exporter::Splice& splice : found->second)
      if (const auto count = std::count(splice.text.begin(), splice.text.end(), '\n'); count > 0)
        lines.emplace_back(source.location(splice.span.begin).line, static_cast<std::uint32_t>(count));
    std::sort(lines.begin(), lines.end());
  }
  Diagnostics known;  // reported when the files were read
  return importer::read_model_from_bytes(std::move(files), limits, known);
}

/// Of tasks in document order, the indices among all tasks. The tasks of a system begin with those of the model.
std::vector<TaskIndex> indices(const Model& model, const std::vector<Element>& tasks) {
  const std::vector<Element> all = model.all("swModel", "tasks");
  std::vector<TaskIndex> found;
  for (TaskIndex task = 0; task < all.size() && found.size() < tasks.size(); ++task)
    if (all[task] == tasks[found.size()]) found.push_back(task);
  return found;
}

/// What distributes the tasks of `model` and gives them priorities, in the files of `start`; nothing if that cannot be
/// analyzed.
std::optional<Splices> distribution(const Model& model, const Model& start, const exporter::FirstMapping& created,
                                    bool keep_wrappers) {
  Diagnostics ignored;  // the analysis reports them
  importer::BuildOptions build;
  build.keep_wrappers = keep_wrappers;
  const auto system = importer::build_system(start, build, ignored);
  if (!system) return std::nullopt;
  try {
    const System better = explore::ranked(explore::distributed(*system, indices(model, created.tasks)),
                                          indices(model, created.without_priority));
    return exporter::remap(start, *system, better, ignored);
  } catch (const std::overflow_error&) {
    return std::nullopt;
  }
}

}  // namespace

Diagnostics MappedModel::in_files(const Diagnostics& findings, std::size_t first) const {
  Diagnostics result;
  for (std::size_t i = 0; i < findings.all().size(); ++i) {
    Diagnostic finding = findings.all()[i];
    std::uint32_t& line = finding.location.line;
    for (auto step = inserted_lines.rbegin(); i >= first && step != inserted_lines.rend(); ++step) {
      const auto lines = step->find(finding.location.file);
      if (lines == step->end()) continue;
      std::uint32_t before = 0;  // inserted lines up to here
      for (const auto& [after, count] : lines->second)
        if (line > after + before) before += std::min(count, line - after - before);
      line -= before;
    }
    result.add(finding.id, finding.severity, std::move(finding.message), std::move(finding.location),
               std::move(finding.path), finding.count);
  }
  return result;
}

std::optional<MappedModel> map_unmapped_tasks(const Model& model, bool keep_wrappers, const importer::Limits& limits,
                                              Diagnostics& diagnostics) {
  auto created = exporter::first_mapping(model);
  if (!created && created.error().empty()) return std::nullopt;
  if (!created) {
    exporter::report_unmappable(model, created.error(), diagnostics);
    return std::nullopt;
  }
  const Element first = exporter::unmapped_tasks(model).front();
  MappedModel mapped;
  auto start = changed(model, created->splices, limits, mapped);
  if (!start) return std::nullopt;
  if (const auto splices = distribution(model, *start, *created, keep_wrappers)) {
    // Another core may have a scheduler that cannot be analyzed.
    Diagnostics ignored;
    if (auto better = changed(*start, *splices, limits, mapped);
        better && importer::build_system(*better, {.keep_wrappers = keep_wrappers}, ignored))
      start = std::move(better);
    else
      mapped.inserted_lines.pop_back();
  }
  mapped.model = std::move(*start);
  mapped.created = std::move(*created);
  diagnostics.add("AM0572", Severity::note,
                  fmt::format("the model leaves tasks unmapped; the search starts from a first mapping: {}; -o writes "
                              "the mapping that it finds into the model",
                              exporter::describe(mapped.created)),
                  first.location(), first.path());
  return mapped;
}

}  // namespace amalthea::analysis
