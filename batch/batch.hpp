// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Many models, one line of JSON each, in their order: what is known already is not done again.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "batch/model_list.hpp"
#include "batch/processes.hpp"
#include "batch/record.hpp"

namespace amalthea::batch {

struct BatchOptions {
  std::vector<ModelFiles> models;
  Shard shard;         ///< which of them; lines keep the index among all
  std::string output;  ///< file of lines; "" for none
  /// Lines of an interrupted batch with the same output are kept where neither files nor options have changed.
  bool resume = false;
  std::string cache;    ///< folder of bodies by key; "" for none
  std::string options;  ///< in words: what bodies depend on beside the files
  unsigned at_once = 1;
  ProcessLimits limits;
  /// Makes a body, in a process of its own.
  std::function<std::string(const ModelFiles&)> analyse;
  /// Called with every line, in order.
  std::function<void(const Record&, const std::string& line)> done;
  /// Called with how many lines are there of how many, and how many of them were not made anew.
  std::function<void(std::size_t, std::size_t, std::size_t)> progress;
};

/// While it runs, lines are in `output`.partial, which becomes `output` at the end: what stays behind when it is
/// interrupted is what resume goes on from. One batch at a time writes an output (`output`.lock). The error says what could
/// not be read or written.
tl::expected<void, std::string> run_batch(const BatchOptions& options);

/// What a body depends on: the tool as it was built, the options, the files' names and bytes. 64 hexadecimal digits.
std::string key_of(const ModelFiles& files, const std::string& options);

/// Gives the lines of all parts, with their ends, by their index, as if one batch had made them. The error names
/// indices that are missing, lines of one index that differ, or a line that is none; then no line is given, unless a
/// part changed meanwhile. Parts are regular files: they are read twice, so that lines are never in memory together.
tl::expected<void, std::string> merge_parts(const std::vector<std::string>& paths,
                                            const std::function<void(std::string_view)>& give);

}  // namespace amalthea::batch
