// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A new model from a table (docs/reference/table.md), and the table of a model.

#include <string>
#include <string_view>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"
#include "analysis/option.hpp"
#include "importer/reading/limits.hpp"

namespace amalthea::analysis {

struct NewModelRequest {
  std::string table;          ///< a file in CSV, or
  std::string from_template;  ///< the name of one
  std::string from;           ///< a model whose platform is kept; "": that of the table
};
OptionTable new_model_options(NewModelRequest& request);

/// The text of a template; it exists.
std::string_view template_text(std::string_view name);

struct NewModel {
  std::string text;
  std::vector<std::string> assumptions;  ///< sentences about what the table leaves open; also at the top of the text
};
/// The model, which has been reviewed; `path` is its name in findings.
Outcome<NewModel> new_model(const NewModelRequest& request, const std::string& path, const importer::Limits& limits,
                            Diagnostics& findings);

/// What of the model a table can say; findings name the rest. Refused if that is no task.
Outcome<std::string> table_text(const Model& model, Diagnostics& findings);

}  // namespace amalthea::analysis
