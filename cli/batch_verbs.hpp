// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a batch does with each model instead of analyzing it.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/conversion.hpp"
#include "batch/model_list.hpp"
#include "importer/reading/limits.hpp"

namespace amalthea::cli {

/// Verbs that write a file per model, and no JSON.
inline bool writes_files(std::string_view verb) { return verb == "convert" || verb == "report"; }

/// Makes the body of the line of a model (batch/record.hpp), in its own process. `output`: the file that a verb writes,
/// or the folder for the files of a split model.
using BodyOfModel = std::function<std::string(const batch::ModelFiles& files, const std::string& output)>;
/// `words`: the options of the verb that concern its results. If they are wrong, every body says so.
BodyOfModel batch_verb(const std::string& verb, std::vector<std::string> words);

/// Writes the converted files of a model (convert.cpp).
analysis::Outcome<void> write_converted(const analysis::Conversion& conversion, const Model& model,
                                        const std::string& output, const importer::Limits& limits);

}  // namespace amalthea::cli
