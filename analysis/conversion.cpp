// SPDX-License-Identifier: Apache-2.0
#include "analysis/conversion.hpp"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "amalthea/primitives/near_miss.hpp"
#include "exporter/rewriting/annotation_state.hpp"

namespace amalthea::analysis {
namespace {

/// The oldest release among the files of the model: the first steps do not change newer content.
migration::Release release_of(const Model& model) {
  migration::Release oldest = migration::release_of(*model.documents().front());
  for (const auto& document : model.documents()) oldest = std::min(oldest, migration::release_of(*document));
  return oldest;
}

}  // namespace

OptionTable conversion_options(ConversionRequest& request) {
  return {row("to", &request.to,
              fmt::format("Target version, {} to {} or itea-1.1.0 to itea-1.3.0. An older version works if it can hold "
                          "the content",
                          to_string(oldest_version), to_string(newest_version)),
              {group::conversion}, {.takes = "VERSION"}),
          row("places", &request.places, "Number of places and findings listed per rule", rare(group::conversion))};
}

Outcome<migration::Release> target_of(const ConversionRequest& request) {
  if (const auto to = migration::parse_release(request.to)) return *to;
  return misused("--to " + request.to,
                 fmt::format("expected an AMALTHEA version, itea-1.1.0 to itea-1.3.0 or {} to {}",
                             to_string(oldest_version), to_string(newest_version)),
                 did_you_mean(request.to, all_versions(), [](Version known) { return to_string(known); }));
}

Conversion::Conversion(const Model& model, migration::Release target, std::size_t places)
    : from(release_of(model)), to(target), editable(model, SharedIds::apart), record(findings, places) {
  exporter::drop_annotations(model, editable, findings);
  objects_before = editable.object_count();
  done = migration::migrate(editable, from, to, record, findings);
}

exporter::Conversion report_of(const Conversion& conversion, const Model& model) {
  std::vector<std::string> files;
  for (const auto& document : model.documents()) files.push_back(document->source().path());
  return {files,
          conversion.from,
          conversion.to,
          conversion.objects_before,
          conversion.editable.object_count(),
          conversion.record,
          conversion.findings};
}

}  // namespace amalthea::analysis
