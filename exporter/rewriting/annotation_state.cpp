// SPDX-License-Identifier: Apache-2.0
#include "exporter/rewriting/annotation_state.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "exporter/results/result_view.hpp"
#include "exporter/rewriting/annotation.hpp"

namespace amalthea::exporter {
namespace {

/// The property at the root of the file that has this key behind the prefix.
Element record_of(const Document& document, std::string_view key) {
  for (const Element child : document.root().children()) {
    if (child.tag() != "customProperties") continue;
    const std::string_view whole = child.attribute_or("key", "");
    if (whole.starts_with(annotation_prefix) && whole.substr(annotation_prefix.size()) == key) return child;
  }
  return {};
}

std::string_view recorded_text(Element record) {
  const Element value = record ? record.child("value") : Element();
  return value ? value.attribute_or("value", "") : "";
}

std::string hash_without_annotations(const Document& document) {
  return hash_of_text(is_annotated(document) ? strip(document) : document.source().bytes());
}

std::vector<std::string> hashes_of(const Model& model) {
  std::vector<std::string> hashes;
  for (const auto& document : model.documents()) hashes.push_back(hash_without_annotations(*document));
  return hashes;
}

std::string joined(const std::vector<std::string>& hashes) {
  std::string all;
  for (const std::string& hash : hashes) all += hash;
  return "sha256:" + (hashes.size() == 1 ? all : hash_of_text(all));
}

}  // namespace

bool is_annotated(const Document& document) {
  const SourceText& source = document.source();
  return source.bytes().find(encode_ascii(annotation_prefix, source.encoding())) != std::string_view::npos &&
         !annotations_in(document).empty();
}

std::string state_of_model(const Model& model) {
  auto hashes = hashes_of(model);
  std::sort(hashes.begin(), hashes.end());
  return joined(hashes);
}

void check_annotations(const Model& model, Diagnostics& diagnostics) {
  std::string as_given, state;  // computed for the first record
  for (const auto& document : model.documents()) {
    const Element record = record_of(*document, "origin.model");
    if (!record) continue;
    if (state.empty()) {
      auto hashes = hashes_of(model);
      as_given = joined(hashes);
      std::sort(hashes.begin(), hashes.end());
      state = joined(hashes);
    }
    const std::string_view recorded = recorded_text(record_of(*document, "origin.state"));
    const bool judged = !recorded.empty() || model.documents().size() == 1;
    if (!judged || recorded_text(record) == as_given || recorded == state) continue;
    diagnostics.add("AM0553", Severity::warning,
                    "the annotations of this file are outdated: the model has changed, or it was read with other "
                    "files; annotate it again, or remove them with `amalthea annotate --strip`",
                    record.location(), record.path());
  }
}

void report_dropped_annotations(const Document& document, Diagnostics& diagnostics) {
  const Element place = annotations_in(document).front();
  diagnostics.add("AM0554", Severity::note,
                  "the output does not contain the annotations of this file, because they describe the old model; "
                  "annotate the result if needed",
                  place.location(), place.path());
}

void drop_annotations(const Model& model, EditableModel& editable, Diagnostics& diagnostics) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> elements;
  for (const auto& document : model.documents()) {
    if (!is_annotated(*document)) continue;
    report_dropped_annotations(*document, diagnostics);
    for (const Element element : annotations_in(*document)) elements.emplace(document->position(), element.index());
  }
  if (elements.empty()) return;
  std::vector<Object*> objects;
  editable.for_each([&](Object& object) {
    if (const Element element = object.element();
        element && elements.contains({element.document().position(), element.index()}))
      objects.push_back(&object);
  });
  for (Object* object : objects) object->owner()->remove(*object);
}

}  // namespace amalthea::exporter
