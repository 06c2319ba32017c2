// SPDX-License-Identifier: Apache-2.0
#include "analysis/certification.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include <fmt/core.h>

#include "engine/devices/chosen_devices.hpp"
#include "exporter/certificates/dossier.hpp"
#include "exporter/rewriting/annotation_state.hpp"
#include "importer/reading/file_bytes.hpp"

namespace amalthea::analysis {
namespace {

/// What certificates are made of.
struct Proved {
  exporter::ModelInfo info;
  engine::SystemBounds bounds;
  engine::Proofs proofs;
  std::vector<std::pair<std::string, std::string>> options;
};

Proved prove(const Model& model, const AnalysisRequest& request, const Prepared& prepared) {
  const auto devices = engine::choose_devices(prepared.system, prepared.analysis.profile).profiles;
  Proved proved{exporter::model_info(model),
                engine::system_bounds(prepared.system, devices, prepared.analysis.compile, prepared.analysis.bounds),
                {},
                asked<AnalysisRequest>(request, certification_options)};
  proved.info.hash = exporter::state_of_model(model);
  proved.proofs = engine::proofs_of(prepared.system, proved.bounds);
  return proved;
}

exporter::CertificateView view_of(const Proved& proved, const AnalysisRequest& request, const Prepared& prepared) {
  return {proved.info, prepared.system, proved.bounds, proved.proofs, proved.options, request.communication == "let"};
}

/// Adds the bounds that the manifest records as accepted to the results.
tl::expected<void, std::string> add_accepted(const Model& model, const AnalysisRequest& request,
                                             const Prepared& prepared, std::string_view manifest,
                                             engine::Results& results) {
  const Proved proved = prove(model, request, prepared);
  return exporter::proved_bounds(view_of(proved, request, prepared), manifest).map([&](const auto& bounds) {
    for (TaskIndex task = 0; task < results.tasks.size(); ++task) results.tasks[task].bound.proved = bounds[task];
    results.proofs = true;
  });
}

}  // namespace

OptionTable certification_options(AnalysisRequest& request) {
  return picked(request_options(request),
                {"platform", "memory", "line-rule", "map", "mapping", "communication", "keep-wrappers", "lenient"});
}

Outcome<Certification> certify(const Model& model, const AnalysisRequest& request, Diagnostics& findings) try {
  const auto prepared = prepare(model, request, findings);
  if (!prepared) return tl::unexpected(prepared.error());
  const Proved proved = prove(model, request, *prepared);
  Certification certification;
  certification.files = exporter::certificate_folder(view_of(proved, request, *prepared));
  for (const auto& file : exporter::certificates_of(prepared->system, proved.proofs))
    certification.certificates.push_back(file.name);
  for (TaskIndex task = 0; task < prepared->system.tasks.size(); ++task) {
    const bool certified = proved.proofs.responses[task].has_value();
    const std::string& why = proved.proofs.reasons[task];
    if (!certified && why.empty()) continue;
    ++certification.tasks;
    if (certified)
      ++certification.certified;
    else
      certification.without.push_back(
          fmt::format("no certificate: {}: {}", one_line(prepared->system.tasks[task].name), one_line(why)));
  }
  return certification;
} catch (const std::overflow_error&) {
  engine::report_time_overflow(findings);
  return tl::unexpected(Failure{});
}

Outcome<std::string> dossier(const Model& model, const AnalysisRequest& request, std::string_view manifest,
                             Diagnostics& findings) {
  return prepare(model, request, findings)
      .and_then([&](Prepared&& prepared) { return results_of(std::move(prepared), findings); })
      .and_then([&](Analyzed&& analyzed) -> Outcome<std::string> {
        if (const auto added = add_accepted(model, request, analyzed, manifest, analyzed.results); !added)
          return misused(added.error());
        const exporter::ModelInfo info = exporter::model_info(model);
        return exporter::render_dossier_html({info, analyzed.system, analyzed.results, findings}, manifest);
      });
}

OptionTable certificates_option(AnalysisRequest& request) {
  return {row("certificates", &request.certificates,
              "Folder that amalthea certify --check wrote for this model and these options. Shows which bounds Coq has "
              "proved",
              rare(group::analysis), {.takes = "FOLDER", .file = FileKind::folder})};
}

Outcome<void> add_proofs(const Model& model, const AnalysisRequest& request, const Prepared& prepared,
                         engine::Results& results) {
  if (request.certificates.empty()) return {};
  const std::string place = "--certificates " + request.certificates;
  const auto manifest =
      importer::read_bytes((std::filesystem::path(request.certificates) / exporter::manifest_name).string());
  if (!manifest) return misused(place, manifest.error(), "name the folder that amalthea certify -o wrote");
  if (const auto added = add_accepted(model, request, prepared, *manifest, results); !added)
    return misused(place, added.error());
  return {};
}

Outcome<Analyzed> with_proofs(const Model& model, const AnalysisRequest& request, Analyzed analyzed,
                              const Diagnostics& findings) {
  return add_proofs(model, request, analyzed, analyzed.results).map([&] {
    analyzed.assessment = engine::assess(analyzed.system, analyzed.results, findings);
    return std::move(analyzed);
  });
}

}  // namespace amalthea::analysis
