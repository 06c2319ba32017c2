// SPDX-License-Identifier: Apache-2.0
#include "analysis/info.hpp"

#include "analysis/request.hpp"
#include "exporter/models/model_summary.hpp"
#include "importer/building/used_classes.hpp"

namespace amalthea::analysis {

OptionTable info_options(InfoRequest& request) { return build_options(request.build); }

std::string info(const Model& model, const InfoRequest& request, bool colour, Diagnostics& findings) {
  importer::BuildOptions build = request.build;
  build.flow = false;
  const auto system = importer::build_system(model, build, findings);
  const exporter::ModelInfo about = exporter::model_info(model);
  const exporter::ModelSummary summary{about, model, system ? &*system : nullptr, findings,
                                       importer::is_used_by_analysis};
  return request.format == "json" ? exporter::render_summary_json(summary)
                                  : exporter::render_summary_text(summary, colour);
}

}  // namespace amalthea::analysis
