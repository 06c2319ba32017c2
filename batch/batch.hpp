// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Many models, one line of JSON each, in order; known results are reused.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/work.hpp"
#include "analysis/request.hpp"
#include "batch/model_list.hpp"
#include "batch/processes.hpp"
#include "batch/record.hpp"

namespace amalthea::batch {

/// What is asked of a batch of analyses.
struct BatchRequest {
  std::vector<std::string> paths;  ///< models, or folders that contain models at any depth
  std::string manifest;            ///< file that lists more models
  std::string shard = "1/1";
  std::uint32_t jobs = std::max(1U, std::thread::hardware_concurrency());  ///< processes
  double time_limit = 300;                                                 ///< seconds per model
  std::uint64_t memory_limit = 4096;                                       ///< MiB per model; 0 for none
  std::string output;                                                      ///< file for the lines; "" for none
  bool resume = false;
  std::string cache;  ///< folder; "" for none
  importer::Limits limits;
  analysis::AnalysisRequest analysis;
};
/// shard, jobs, time-limit, memory-limit, resume.
analysis::OptionTable process_options(BatchRequest& request);

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
  /// Called with each model whose known line or body is damaged, so that it is analyzed again.
  std::function<void(const ModelFiles&)> damaged;
  const Work* work = nullptr;  ///< asks to stop: the lines that are missing then are not made
};

/// At least one.
analysis::Outcome<std::vector<ModelFiles>> models_of(const BatchRequest& request);
/// A batch of analyses of these models. Creates the folder of the cache.
analysis::Outcome<BatchOptions> prepare_batch(const BatchRequest& request, std::vector<ModelFiles> models);

/// While it runs, lines are written to `output`.partial, which becomes `output` at the end; after an interruption,
/// resume continues from it. One batch at a time writes an output (`output`.lock). The error states what could not be
/// read or written.
tl::expected<void, std::string> run_batch(const BatchOptions& options);

/// The inputs of a body: the build of the tool, the options, the names and bytes of the files and of the GPU profiles
/// that they name, of a file of more than `max_bytes` only that. 64 hexadecimal digits.
std::string key_of(const ModelFiles& files, const std::string& options, std::uint64_t max_bytes);

/// Passes on the lines of all parts, with line ends, ordered by index, as if a single batch had written them. The error
/// names missing indices, conflicting lines with the same index, or an invalid line; then no line is passed on, unless
/// a part changed meanwhile. Parts must be regular files: they are read twice, to avoid keeping all lines in memory.
tl::expected<void, std::string> merge_parts(const std::vector<std::string>& paths,
                                            const std::function<void(std::string_view)>& give);

}  // namespace amalthea::batch
