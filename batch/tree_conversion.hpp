// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Every model of a folder tree, each in a process of its own; what is done already is not done again.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "batch/model_list.hpp"
#include "batch/processes.hpp"

namespace amalthea::batch {

/// One of the models, and where what is made of it goes.
struct TreeModel {
  ModelFiles files;
  std::vector<std::string> places;  ///< for each file: the path below the tree's folder, "a/b/model.amxmi"
};

/// Places of the files as they lie below the paths; of a path that is a file its name. The error names two files that
/// would have the same place.
tl::expected<std::vector<TreeModel>, std::string> place_models(const std::vector<std::string>& paths,
                                                               std::vector<ModelFiles> models);

struct TreeConversion {
  std::vector<TreeModel> models;
  std::string log;      ///< file with a line of JSON per model
  bool resume = false;  ///< models are left out whose files, options and results are as a line of `log` says
  std::string options;  ///< in words: what results depend on beside the files
  unsigned at_once = 1;
  ProcessLimits limits;
  /// Converts and writes one, in a process of its own; returns `{"status": "converted", "outputs": [paths], …}` as one
  /// line, or another status and "error".
  std::function<std::string(const TreeModel&)> convert;
  /// Called with how many are done of how many, and how many of them needed nothing.
  std::function<void(std::size_t, std::size_t, std::size_t)> progress;
};

struct TreeTotals {
  std::size_t converted = 0, unchanged = 0, failed = 0;
};

/// Lines stand in the order of the models whatever the number of processes; while it runs they are in `log`.partial.
tl::expected<TreeTotals, std::string> convert_tree(const TreeConversion& conversion);

}  // namespace amalthea::batch
