// SPDX-License-Identifier: Apache-2.0
#include "analysis/ratchet.hpp"

#include <utility>

#include "analysis/report.hpp"
#include "importer/reading/file_bytes.hpp"

namespace amalthea::analysis {

OptionTable ratchet_options(RatchetRequest& request) {
  return {
      row("baseline", &request.baseline,
          "Fail only for what is worse than in an earlier state: a model file, or results that analyze --format json "
          "wrote",
          rare(group::verdict), {.takes = "FILE", .file = FileKind::read}),
      row("accepted", &request.accepted, "Do not fail for the misses in this file, which have an owner and a reason",
          rare(group::verdict), {.takes = "FILE", .file = FileKind::read}),
      row("write-accepted", &request.write_accepted,
          "Write the misses to this file, to fill in owners and reasons. Those in --accepted keep theirs",
          rare(group::verdict), {.takes = "FILE", .file = FileKind::written})};
}

Outcome<Known> read_known(const RatchetRequest& ratchet, const AnalysisRequest& request, const importer::Limits& limits,
                          Diagnostics& findings) {
  Known known;
  if (!ratchet.accepted.empty()) {
    const std::string place = "--accepted " + ratchet.accepted;
    const auto text = importer::read_bytes(ratchet.accepted);
    if (!text) return misused(place, text.error());
    auto accepted = exporter::read_accepted(*text);
    if (!accepted)
      return misused(place, accepted.error(), "create the file with: amalthea analyze MODEL --write-accepted FILE");
    known.accepted = std::move(*accepted);
  }
  if (ratchet.baseline.empty()) return known;
  auto earlier = read_earlier(request, ratchet.baseline, limits, findings);
  if (!earlier) return tl::unexpected(std::move(earlier.error()));
  known.before = std::move(earlier->results->limits);
  return known;
}

exporter::Ratchet compared(const engine::Assessment& assessment, const RatchetRequest& request, const Known& known) {
  exporter::Ratchet found = exporter::ratchet(exporter::known_limits(assessment), known.before, known.accepted);
  found.baseline = request.baseline;
  return found;
}

}  // namespace amalthea::analysis
