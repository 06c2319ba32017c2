// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The runnable graph of a system or a task, drawn.

#include <string>

#include "amalthea/element.hpp"
#include "analysis/option.hpp"
#include "importer/building/system_builder.hpp"

namespace amalthea::analysis {

struct GraphRequest {
  std::string format = "dot";  ///< "dot", "json", "svg"
  std::string task;            ///< only this one; "": all
  importer::BuildOptions build;
  bool lenient = false;
};
/// All but the format.
OptionTable graph_options(GraphRequest& request);

Outcome<std::string> graph(const Model& model, const GraphRequest& request, Diagnostics& findings);

}  // namespace amalthea::analysis
