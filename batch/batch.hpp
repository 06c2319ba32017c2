// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Many models, one line of JSON each, in order; known results are reused.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "analysis/request.hpp"
#include "batch/model_list.hpp"
#include "batch/processes.hpp"
#include "batch/record.hpp"

namespace amalthea::batch {

struct BatchOptions {
  std::vector<ModelFiles> models;
  Shard shard;         ///< the shard to process; lines keep the index among all models
  std::string output;  ///< output file for the lines; "" for none
  /// Reuse the lines of an interrupted batch with the same output if neither files nor options have changed.
  bool resume = false;
  std::string cache;                     ///< folder of cached bodies by key; "" for none
  std::string options;                   ///< description of the options that bodies depend on
  std::uint64_t max_bytes = UINT64_MAX;  ///< a larger file is not read; `options` name the limit
  unsigned at_once = 1;
  ProcessLimits limits;
  /// Creates a body, in a separate process.
  std::function<std::string(const ModelFiles&)> analyze;
  /// Called with every line, in order.
  std::function<void(const Record&, const std::string& line)> done;
  /// Called with the number of finished lines, the total, and the number of reused lines.
  std::function<void(std::size_t, std::size_t, std::size_t)> progress;
};

/// The body of an analysis, as `amalthea batch` makes it.
std::string body_of_analysis(const ModelFiles& files, const importer::Limits& limits, const analysis::Resolved& how);

/// While it runs, lines are written to `output`.partial, which becomes `output` at the end; after an interruption,
/// resume continues from it. One batch at a time writes an output (`output`.lock). The error states what could not be
/// read or written.
tl::expected<void, std::string> run_batch(const BatchOptions& options);

/// The inputs of a body: the build of the tool, the options, the files' names and bytes, of a file of more than
/// `max_bytes` only that. 64 hexadecimal digits.
std::string key_of(const ModelFiles& files, const std::string& options, std::uint64_t max_bytes);

/// Passes on the lines of all parts, with line ends, ordered by index, as if a single batch had written them. The error
/// names missing indices, conflicting lines with the same index, or an invalid line; then no line is passed on, unless
/// a part changed meanwhile. Parts must be regular files: they are read twice, to avoid keeping all lines in memory.
tl::expected<void, std::string> merge_parts(const std::vector<std::string>& paths,
                                            const std::function<void(std::string_view)>& give);

}  // namespace amalthea::batch
