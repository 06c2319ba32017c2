// SPDX-License-Identifier: Apache-2.0
#include "analysis/remapped_model.hpp"

#include <utility>

#include <fmt/core.h>

#include "exporter/primitives/splice.hpp"
#include "exporter/rewriting/annotation.hpp"
#include "exporter/rewriting/annotation_state.hpp"
#include "exporter/rewriting/remapping.hpp"
#include "importer/building/system_builder.hpp"
#include "importer/reading/model_reader.hpp"

namespace amalthea::analysis {
namespace {

/// The text of a file of the model with the new mapping, without annotations: those are for the old mapping.
std::optional<std::string> unannotated_text(const Document& document, std::string text, const importer::Limits& limits,
                                            Diagnostics& diagnostics) {
  if (!exporter::is_annotated(document)) return text;
  exporter::report_dropped_annotations(document, diagnostics);
  Diagnostics known;  // for example of references to the other files
  const auto read = importer::read_model_from_bytes(document.source().path(), std::move(text), limits, known);
  if (!read) return std::nullopt;
  return exporter::strip(*read->documents().front());
}

}  // namespace

Outcome<std::vector<std::string>> remapped_texts(const Model& model, bool keep_wrappers, const System& after,
                                                 const importer::Limits& limits, Diagnostics& diagnostics) {
  Diagnostics known;  // already reported
  importer::BuildOptions build;
  build.keep_wrappers = keep_wrappers;
  const auto before = importer::build_system(model, build, known);
  if (!before)
    return misused(
        "the mapping cannot be written, because the model cannot be analyzed without --map; correct it first");
  const auto splices = exporter::remap(model, *before, after, diagnostics);
  if (!splices) return tl::unexpected(Failure{});
  std::vector<std::string> texts;
  for (const auto& document : model.documents()) {
    const std::string_view bytes = document->source().bytes();
    const auto found = splices->find(document->position());
    auto text = unannotated_text(*document,
                                 found == splices->end() ? std::string(bytes) : exporter::apply(bytes, found->second),
                                 limits, diagnostics);
    if (!text)
      return misused(
          fmt::format("cannot write the new mapping to {}: the file would exceed the limits on input (--max-size "
                      "and others)",
                      document->source().path()));
    texts.push_back(std::move(*text));
  }
  return texts;
}

}  // namespace amalthea::analysis
