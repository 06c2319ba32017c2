// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a model contains, and what the analysis uses of it.

#include <string>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"
#include "analysis/option.hpp"
#include "importer/building/system_builder.hpp"

namespace amalthea::analysis {

struct InfoRequest {
  std::string format = "text";  ///< "text", "json"
  importer::BuildOptions build;
};
/// All but the format.
OptionTable info_options(InfoRequest& request);

/// Also of a model with errors. exporter::dump_model lists everything.
std::string info(const Model& model, const InfoRequest& request, bool colour, Diagnostics& findings);

}  // namespace amalthea::analysis
