// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Certificates: bounds that a proof assistant can check, and results with bounds that it has checked.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amalthea/element.hpp"
#include "analysis/failure.hpp"
#include "analysis/option.hpp"
#include "analysis/request.hpp"
#include "exporter/certificates/certificates.hpp"

namespace amalthea::analysis {

/// Those that certificates depend on: they have to be the same when the proofs are used.
OptionTable certification_options(AnalysisRequest& request);

struct Certification {
  std::vector<exporter::CertificateFile> files;  ///< the manifest is the last one
  std::vector<std::string> certificates;         ///< their names among the files
  std::size_t certified = 0, tasks = 0;          ///< tasks with a certificate, of those that run on cores
  std::vector<std::string> without;              ///< "no certificate: TASK: reason"
};
Outcome<Certification> certify(const Model& model, const AnalysisRequest& request, Diagnostics& findings);

/// The page about the model for a safety case (exporter/certificates/dossier.hpp). `manifest` is that of its
/// certificates, made with this request.
Outcome<std::string> dossier(const Model& model, const AnalysisRequest& request, std::string_view manifest,
                             Diagnostics& findings);

/// The option `certificates` of verbs that show results.
OptionTable certificates_option(AnalysisRequest& request);
/// Adds the bounds that Coq has accepted to the results, from the manifest in the folder that the request names. Nothing
/// without a folder.
Outcome<void> add_proofs(const Model& model, const AnalysisRequest& request, const Prepared& prepared,
                         engine::Results& results);
/// The same, and judges the results again.
Outcome<Analyzed> with_proofs(const Model& model, const AnalysisRequest& request, Analyzed analyzed,
                              const Diagnostics& findings);

}  // namespace amalthea::analysis
