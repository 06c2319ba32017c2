// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a model file: reading always ends, with a consistent model or with an error. The model is
// reviewed, and written in EMF's form; that form, read again, is written the same.

#include <string>

#include "amalthea/diagnostic.hpp"
#include "amalthea/editable_model.hpp"
#include "amalthea/element.hpp"
#include "amalthea/emf_form.hpp"
#include "exporter/models/model_dump.hpp"
#include "importer/building/system_builder.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/fuzz/fuzz.hpp"
#ifdef AMALTHEA_FUZZ_REVIEW
#include "review/review.hpp"
#endif

namespace {

using namespace amalthea;
using fuzz::require;

/// Every element spans its tags and lies within its parent, after its elder siblings.
void check_places(const Document& document) {
  const auto size = static_cast<std::uint32_t>(document.source().bytes().size());
  for (std::uint32_t i = 0; i < document.size(); ++i) {
    const Element element = document.element(i);
    const Span span = element.span(), start = element.start_tag(), end = element.end_tag();
    require(span.begin == start.begin && start.begin < start.end && start.end <= end.begin && end.end == span.end);
    require(span.end <= size && document.source().ascii_at(span.begin) == '<');
    require(document.source().ascii_at(span.end - document.source().unit()) == '>');
    std::uint32_t before = start.end;
    for (const Element child : element.children()) {
      require(child.parent() == element && child.span().begin >= before);
      before = child.span().end;
    }
    require(before <= end.begin);
  }
}

/// What is written in EMF's form can be read again, and then written the same.
void check_written(const Model& model) {
  const Document& document = *model.documents().front();
  if (document.itea() != IteaRelease::none) return;
  const auto write = [](const Model& read) {
    const EditableModel editable(read);
    return write_emf_form(*editable.files().front().root, read.version());
  };
  const std::string written = write(model);
  Diagnostics diagnostics;
  const auto again = importer::read_model_from_bytes("again.amxmi", written, {}, diagnostics);
  require(again.has_value());
  require(write(*again) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Diagnostics diagnostics;
  const auto model = fuzz::read(fuzz::text_of(data, size), diagnostics);
  require(model.has_value() || diagnostics.has_errors());
  for (const Diagnostic& diagnostic : diagnostics.all()) require(!format(diagnostic).empty());
  if (!model) return 0;
  check_places(*model->documents().front());
  const auto system = importer::build_system(*model, {.max_activities = fuzz::max_activities}, diagnostics);
  require(system.has_value() || diagnostics.has_errors() || !model->dangling().empty());
  require(!exporter::dump_model(*model).empty() || model->documents().front()->root().cls() == std::nullopt);
  check_written(*model);
#ifdef AMALTHEA_FUZZ_REVIEW
  Diagnostics findings;
  review::review_model(*model, findings);
#endif
  return 0;
}
