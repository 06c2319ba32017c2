// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The computed timing in the files of a model.

#include <string>
#include <vector>

#include "amalthea/work.hpp"
#include "analysis/option.hpp"
#include "analysis/request.hpp"

namespace amalthea::analysis {

struct AnnotationRequest : AnalysisRequest {
  std::vector<std::string> forms = {"properties"};  ///< "properties", "measurements", "requirements"
  std::string detail = "full";                      ///< "summary", "brief", "full"
};
/// What is written.
OptionTable form_options(AnnotationRequest& request);
/// That, and the analysis.
OptionTable annotation_options(AnnotationRequest& request);

struct Annotated : Analyzed {
  std::vector<std::string> texts;  ///< of the files, in the order of the model's documents
};
/// Earlier annotations are replaced; nothing else changes. `work` may be null.
Outcome<Annotated> annotate(const Model& model, const AnnotationRequest& request, const importer::Limits& limits,
                            Diagnostics& findings, Work* work);

}  // namespace amalthea::analysis
