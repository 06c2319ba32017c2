// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A model whose tasks are not mapped, with a first mapping from which a search can start.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "exporter/rewriting/first_mapping.hpp"
#include "importer/reading/limits.hpp"

namespace amalthea::analysis {

struct MappedModel {
  Model model;                     ///< of the files' bytes, with insertions
  exporter::FirstMapping created;  ///< its elements belong to the model as it was read
  /// By file, per insertion and in order: the line after which lines are inserted, and how many. Later insertions count
  /// the lines of earlier steps.
  std::vector<std::map<std::string, std::vector<std::pair<std::uint32_t, std::uint32_t>>>> inserted_lines;

  /// The same findings. Those from `first` on have their lines in `model`, and get those of the files.
  Diagnostics in_files(const Diagnostics& findings, std::size_t first) const;
};

/// Reports which tasks are mapped (AM0572), or why that is impossible (AM0573). Nothing then, or if no task needs it.
std::optional<MappedModel> map_unmapped_tasks(const Model& model, bool keep_wrappers, const importer::Limits& limits,
                                              Diagnostics& diagnostics);

}  // namespace amalthea::analysis
