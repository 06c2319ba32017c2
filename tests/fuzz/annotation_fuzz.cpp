// SPDX-License-Identifier: Apache-2.0
// Any model that can be analyzed: its annotated form is a model again, the same after a second annotation, and
// stripping it restores the original byte for byte.

#include <algorithm>

#include "analysis/model_analysis.hpp"
#include "engine/program/arrivals.hpp"
#include "exporter/results/result_view.hpp"
#include "exporter/rewriting/annotation.hpp"
#include "exporter/rewriting/annotation_content.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

using namespace amalthea;

constexpr Duration simulated = Duration::milliseconds(20);

/// Releases within the simulated time, by the shortest distance of each stimulus: inputs that cost seconds are left to
/// the tests of the simulation's own limits.
bool is_cheap(const System& system) {
  std::int64_t releases = 0;
  for (const Stimulus& stimulus : system.stimuli) {
    const auto period = engine::arrival_period(stimulus);
    if (!period) continue;
    if (period->picoseconds() <= 0) return false;
    releases += simulated.picoseconds() / period->picoseconds();
    if (releases > 2000) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  // The search for the worst order of a kernel's warps takes up to three seconds when it is optimized, and a hundred
  // times as long with sanitizers.
  if (bytes.find("gpu.instructions") != bytes.npos) return 0;
  Diagnostics findings;
  const auto model = fuzz::read(bytes, findings);
  if (!model) return 0;
  const Document& document = *model->documents().front();
  const std::string stripped = exporter::strip(document);
  if (document.itea() != IteaRelease::none || stripped != bytes) return 0;  // packed, or annotated before

  analysis::Options options;
  options.lenient = true;
  options.build.max_activities = fuzz::max_activities;
  options.engine.until = simulated;
  const auto system = analysis::prepare(*model, options, findings);
  if (!system || !is_cheap(*system)) return 0;
  const auto results = engine::analyze(*system, options.engine, findings);
  if (!results) return 0;
  const exporter::ModelInfo info = exporter::model_info(*model);
  exporter::AnnotationRequest request;
  request.requirements = true;
  if (!exporter::can_hold(*model, request, findings)) return 0;
  const auto annotations = exporter::annotations_of(*model, {info, *system, *results, findings}, request, findings);
  const std::string annotated = exporter::annotate(document, annotations);

  Diagnostics again;
  const auto read = fuzz::read(annotated, again);
  fuzz::require(read.has_value());
  fuzz::require(exporter::strip(*read->documents().front()) == bytes);
  return 0;
}
