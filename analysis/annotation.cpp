// SPDX-License-Identifier: Apache-2.0
#include "analysis/annotation.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "analysis/certification.hpp"
#include "exporter/rewriting/annotation.hpp"
#include "exporter/rewriting/annotation_content.hpp"
#include "exporter/rewriting/annotation_state.hpp"
#include "importer/reading/model_reader.hpp"

namespace amalthea::analysis {
namespace {

/// The model before it was annotated; nothing if it is not annotated.
Outcome<std::optional<Model>> without_annotations(const Model& model, const importer::Limits& limits,
                                                  Diagnostics& findings) {
  const auto& documents = model.documents();
  if (std::none_of(documents.begin(), documents.end(),
                   [](const auto& document) { return exporter::strip(*document) != document->source().bytes(); }))
    return std::optional<Model>();
  std::vector<importer::NamedBytes> files;
  for (const auto& document : documents) files.push_back({document->source().path(), exporter::strip(*document)});
  findings = {};  // removing annotations changes locations
  exporter::check_annotations(model, findings);
  auto bare = importer::read_model_from_bytes(std::move(files), limits, findings);
  if (!bare) return tl::unexpected(Failure{Failure::Kind::unreadable, {}});
  return bare;
}

Outcome<void> can_be_annotated(const Model& model) {
  for (const auto& document : model.documents())
    if (document->itea() != IteaRelease::none)
      return misused({},
                     fmt::format("{} is an {} model, but only AMALTHEA {} and later can hold annotations",
                                 document->source().path(), document->version_text(), to_string(oldest_version)),
                     "convert it first (amalthea convert --to)");
  return {};
}

/// The annotations to write.
exporter::AnnotationRequest request_of(const AnnotationRequest& given,
                                       const std::vector<importer::MappingChange>& mapping) {
  const auto asked = [&](std::string_view form) {
    return std::find(given.forms.begin(), given.forms.end(), form) != given.forms.end();
  };
  exporter::AnnotationRequest request;
  request.properties = asked("properties");
  request.measurements = asked("measurements");
  request.requirements = asked("requirements");
  request.detail = given.detail == "summary" ? exporter::AnnotationDetail::summary
                   : given.detail == "brief" ? exporter::AnnotationDetail::brief
                                             : exporter::AnnotationDetail::full;
  request.until = given.until;
  request.keep_wrappers = given.build.keep_wrappers;
  for (const importer::MappingChange& change : mapping)
    request.mapping.push_back(
        fmt::format("{}={}{}{}{}", change.task, change.core.empty() ? "(as it is)" : change.core,
                    change.priority ? fmt::format(":{}", *change.priority) : "",
                    change.waits_actively ? *change.waits_actively ? " active" : " passive" : "",
                    change.time_slice ? fmt::format(" slice {}", format_duration(*change.time_slice)) : ""));
  return request;
}

}  // namespace

OptionTable form_options(AnnotationRequest& request) {
  return {row("as", &request.forms,
              "What to write, separated by commas: properties, measurements, requirements. properties: custom "
              "properties of "
              "the analyzed elements; measurements: AMALTHEA 0.8.2 to 0.9.9; requirements: proposed limits on response "
              "times (docs/reference/annotation.md)",
              {group::output},
              {.takes = "FORM",
               .choices = {"properties", "measurements", "requirements"},
               .by_commas = true,
               .keyword = "forms"}),
          row("detail", &request.detail,
              "How much the custom properties contain. summary: a sentence for each process and event chain; brief: "
              "verdicts, bounds, and what they consist of; full: everything",
              {group::output}, {.takes = "LEVEL", .choices = {"summary", "brief", "full"}})};
}

OptionTable annotation_options(AnnotationRequest& request) {
  return joined({analysis_options(request), certificates_option(request), form_options(request)});
}

Outcome<Annotated> annotate(const Model& model, const AnnotationRequest& request, const importer::Limits& limits,
                            Diagnostics& findings, Work* work) {
  auto resolved = resolve(request);
  if (!resolved) return tl::unexpected(resolved.error());
  resolved->options.engine.work = work;
  if (const auto possible = can_be_annotated(model); !possible) return tl::unexpected(possible.error());
  const auto bare = without_annotations(model, limits, findings);
  if (!bare) return tl::unexpected(bare.error());
  const Model& subject = *bare ? **bare : model;
  const auto wanted = request_of(request, resolved->options.build.mapping);
  if (!exporter::can_hold(subject, wanted, findings)) return misused({});
  auto analyzed = analyze(subject, *resolved, findings).and_then([&](Analyzed&& judged) {
    return with_proofs(subject, request, std::move(judged), findings);
  });
  if (!analyzed) return tl::unexpected(analyzed.error());
  const exporter::ModelInfo info = exporter::model_info(subject);
  const auto annotations =
      exporter::annotations_of(subject, {info, analyzed->system, analyzed->results, findings}, wanted, findings);
  Annotated annotated{std::move(*analyzed), {}};
  for (const auto& document : subject.documents())
    annotated.texts.push_back(exporter::annotate(*document, annotations));
  return annotated;
}

}  // namespace amalthea::analysis
