// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A model in another release, or as input of a tool of others.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/editable_model.hpp"
#include "amalthea/element.hpp"
#include "analysis/option.hpp"
#include "exporter/models/model_exports.hpp"
#include "exporter/peers/peer_formats.hpp"
#include "exporter/rewriting/conversion_report.hpp"
#include "migration/migration.hpp"

namespace amalthea::analysis {

struct ConversionRequest {
  std::string to;             ///< "3.3.0"; or a tool of exporter::peer_format_of
  std::size_t places = 1000;  ///< that a report lists per rule
};
OptionTable conversion_options(ConversionRequest& request);

/// The release that the request names; `to` is not empty, and names no tool.
Outcome<migration::Release> target_of(const ConversionRequest& request);

/// A converted model; it refers to the model.
struct Conversion {
  Conversion(const Model& model, migration::Release target, std::size_t places);
  migration::Release from, to;
  EditableModel editable;
  std::size_t objects_before = 0;
  Diagnostics findings;
  migration::Record record;
  bool done = false;  ///< false: the release cannot hold the model, and `findings` says why
};
exporter::Conversion report_of(const Conversion& conversion, const Model& model);

/// What a job of each task on a core executes, by the place of the task; for ModelExportOptions. Nothing for tasks
/// whose loops or branches leave it open, and for a model that cannot be analyzed.
std::map<std::pair<std::uint32_t, std::uint32_t>, exporter::ExecutionTimes> execution_times(const Model& model);

/// The files for a tool of others; findings name what it cannot express.
Outcome<std::vector<exporter::PeerFile>> second_opinion(const Model& model, const exporter::PeerFormat& format,
                                                        Diagnostics& findings);

}  // namespace amalthea::analysis
