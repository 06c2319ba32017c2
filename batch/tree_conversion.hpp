// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Converts every model of a folder tree, each in a separate process; existing results are reused.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "batch/model_list.hpp"
#include "batch/processes.hpp"

namespace amalthea::batch {

/// One of the models, and the location of its output.
struct TreeModel {
  ModelFiles files;
  std::vector<std::string> places;  ///< for each file: the path below the tree's folder, "a/b/model.amxmi"
};

/// The paths of the files relative to the given folders; for a path that is a file, its name. The error names two files
/// with the same path.
tl::expected<std::vector<TreeModel>, std::string> place_models(const std::vector<std::string>& paths,
                                                               std::vector<ModelFiles> models);

/// Outputs of an earlier run are not inputs of this one.
bool is_below(const std::string& file, const std::string& folder);

struct TreeConversion {
  std::vector<TreeModel> models;
  std::string log;                       ///< file with a line of JSON per model
  bool resume = false;                   ///< skip models whose files, options and results match a line of `log`
  std::string options;                   ///< description of the options that results depend on
  std::uint64_t max_bytes = UINT64_MAX;  ///< a larger file is not read
  unsigned at_once = 1;
  ProcessLimits limits;
  /// Converts and writes one model, in a separate process; returns `{"status": "converted", "outputs": [paths], …}` as
  /// one line, or another status and "error".
  std::function<std::string(const TreeModel&)> convert;
  /// Called with the number of finished models, the total, and the number of skipped ones.
  std::function<void(std::size_t, std::size_t, std::size_t)> progress;
};

struct TreeTotals {
  std::size_t converted = 0, unchanged = 0, failed = 0;
};

/// Lines are in the order of the models for any number of processes; while it runs they are in `log`.partial.
tl::expected<TreeTotals, std::string> convert_tree(const TreeConversion& conversion);

}  // namespace amalthea::batch
