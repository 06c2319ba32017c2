// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibration.hpp"

#include <cmath>
#include <filesystem>
#include <utility>

namespace amalthea::analysis {
namespace {

exporter::CalibrationRequest request_of(const CalibrationRequest& given) {
  exporter::CalibrationRequest request;
  using Form = exporter::CalibrationForm;
  request.form = given.form == "histogram" ? Form::histogram
                 : given.form == "gauss"   ? Form::gauss
                 : given.form == "beta"    ? Form::beta
                                           : Form::statistics;
  request.percentile = std::llround(given.percentile * 10);
  request.margin = given.margin;
  request.isolated = given.isolated;
  for (const std::string& path : given.trace_files)
    request.traces.push_back(std::filesystem::path(path).filename().string());
  return request;
}

}  // namespace

OptionTable calibration_options(CalibrationRequest& request) {
  return joined(
      {trace_options(request),
       {row("form", &request.form,
            "How to state execution times. statistics: bounds and average; histogram; gauss and beta: "
            "distributions with the measured mean and deviation between the bounds",
            {group::calibration}, {.choices = {"statistics", "histogram", "gauss", "beta"}}),
        row("percentile", &request.percentile,
            "Percentile of the measured times that becomes the upper bound. 100: the maximum", rare(group::calibration),
            {.range = RealRange{0.1, 100.0}}),
        row("margin", &request.margin, "Percent to add to the upper bound", {group::calibration},
            {.range = RealRange{0.0, 1000.0}}),
        row("isolated", &request.isolated,
            "The measured times contain no contention. Nothing else ran then, and the analysis adds it. By "
            "default the times of kernels contain it, and their gpu.memoryIntensity becomes 0",
            {group::calibration}),
        row("copies", &request.copies,
            "Also scale the latencies with which GPUs access memories, so that copies take their measured times",
            rare(group::calibration)),
        row("stimuli", &request.stimuli,
            "Also write period, offset and jitter of periodic stimuli, and the distances of sporadic ones",
            {group::calibration})}});
}

Outcome<Calibrated> calibrate(const Model& model, const CalibrationRequest& request, const traces::Progress& progress,
                              Diagnostics& findings) {
  const auto prepared = prepare(model, request, findings);
  if (!prepared) return tl::unexpected(prepared.error());
  const auto measured = read_traces(request, *prepared, {.progress = progress}, findings);
  if (!measured) return tl::unexpected(measured.error());
  const System& system = prepared->system;
  exporter::Measurement what{traces::measured_ticks(system, prepared->analysis, *measured)};
  if (request.copies) what.accesses = traces::measured_accesses(system, prepared->analysis, *measured);
  if (request.stimuli) what.arrivals = traces::measured_arrivals(system, *measured);
  auto changes = exporter::calibrate(model, system, what, request_of(request), findings);
  if (!changes) return misused({});
  Calibrated calibrated{std::move(*changes), {}};
  for (const auto& document : model.documents())
    calibrated.texts.push_back(exporter::apply(*document, calibrated.changes.splices));
  return calibrated;
}

}  // namespace amalthea::analysis
