// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The content of a model: counts, platform, mapping, and how the analysis uses it.

#include <string>
#include <string_view>

#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "exporter/results/result_view.hpp"

namespace amalthea::exporter {

struct ModelSummary {
  const ModelInfo& info;
  const Model& model;
  const System* system;  ///< null if the model cannot be analyzed
  const Diagnostics& findings;
  bool (*is_used)(std::string_view class_name);  ///< whether the analysis uses objects of a class
};

std::string render_summary_text(const ModelSummary& summary, bool colour);
std::string render_summary_json(const ModelSummary& summary);

}  // namespace amalthea::exporter
