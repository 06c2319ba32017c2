// SPDX-License-Identifier: Apache-2.0
#include "analysis/new_model.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "amalthea/diagnostic.hpp"
#include "exporter/tables/system_table.hpp"
#include "importer/reading/file_bytes.hpp"
#include "importer/reading/model_reader.hpp"
#include "review/review.hpp"

namespace amalthea::analysis {
namespace {

struct Template {
  std::string_view name, text;
};
#include "model_templates.inc"

}  // namespace

OptionTable new_model_options(NewModelRequest& request) {
  std::vector<std::string> names;
  for (const Template& one : templates) names.emplace_back(one.name);
  return {
      row("template", &request.from_template, "Start from a template. With -o TABLE.csv, write it as a table to edit",
          {group::options}, {.choices = names}),
      row("from", &request.from, "Keep the platform of this model: its hardware, operating systems and schedulers",
          {group::options}, {.takes = "MODEL", .file = FileKind::read, .keyword = "from_"})};
}

std::string_view template_text(std::string_view name) {
  return std::find_if(templates.begin(), templates.end(), [&](const Template& one) { return one.name == name; })->text;
}

Outcome<NewModel> new_model(const NewModelRequest& request, const std::string& path, const importer::Limits& limits,
                            Diagnostics& findings) {
  std::optional<exporter::tables::GivenPlatform> platform;
  if (!request.from.empty()) {
    const auto model = importer::read_model({request.from}, limits, findings);
    if (!model) return tl::unexpected(Failure{Failure::Kind::unreadable});
    auto given = exporter::tables::given_platform(*model);
    if (!given) return misused("--from " + request.from, given.error());
    platform = std::move(*given);
  }
  std::string text;
  if (request.table.empty()) {
    text = template_text(request.from_template);
  } else {
    auto bytes = importer::read_bytes(request.table);
    if (!bytes) return misused(request.table, bytes.error());
    text = std::move(*bytes);
  }
  const std::string name = request.table.empty() ? request.from_template : request.table;
  const exporter::tables::GivenPlatform* const given = platform ? &*platform : nullptr;
  const auto table = exporter::tables::read_table(name, text, given, findings);
  if (!table) return tl::unexpected(Failure{Failure::Kind::unreadable});
  std::vector<std::string> head = {"Written by amalthea new. A larger priority is more urgent."};
  for (const std::string& sentence : table->assumptions) head.push_back("Assumed: " + sentence);
  NewModel made{exporter::tables::model_of(*table, given, head), table->assumptions};
  const auto model = importer::read_model_from_bytes(path, made.text, limits, findings);
  if (model) review::review_model(*model, findings);
  if (!model || findings.has_errors()) return tl::unexpected(Failure{});
  return made;
}

Outcome<std::string> table_text(const Model& model, Diagnostics& findings) {
  const exporter::tables::SystemTable table = exporter::tables::table_of(model, findings);
  if (table.tasks.empty())
    return misused("the model has no task that a table can hold; it needs a periodic stimulus, ticks and a core");
  return exporter::tables::write_table(table);
}

}  // namespace amalthea::analysis
