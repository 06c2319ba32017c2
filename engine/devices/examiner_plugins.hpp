// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the plugins of cuda_scheduling_examiner and hip_plugin_framework issue to the GPU in one iteration: kernels,
/// and the copies before and after them. Sources: the plugins of yalue/cuda_scheduling_examiner_mirror and
/// yalue/hip_plugin_framework. Copies of a plugin's own records (times and SMs of blocks) are left out.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "engine/devices/stream_simulation.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/input/located_json.hpp"

namespace amalthea::engine::gpu {

/// The grid of a plugin's kernel, where its configuration does not state it.
struct PluginBlocks {
  std::int64_t blocks = 1;
  std::int64_t threads = 0;  ///< per block; 0: as configured
};

/// Figures that a configuration lacks, or that replace its own.
struct ExaminerOptions {
  std::optional<std::int64_t> copy_bytes_per_second = {};  ///< instead of the profile's rate
  /// By plugin, or by the label of a benchmark: the time of a block of its kernels, and the grid.
  std::map<std::string, Duration> block_times = {};
  std::map<std::string, PluginBlocks> blocks = {};
  std::int64_t iterations = 0;  ///< of each benchmark at most; 0: as configured
};

/// Part of one iteration; the release is relative to its start.
struct PluginCall {
  StreamOperation operation;
  bool null_stream = false;
};

/// A benchmark of a configuration, as far as its plugin sees it.
struct PluginInput {
  std::string plugin;  ///< its library: "timer_spin"
  std::string name;    ///< of its operations
  std::string label;   ///< may be empty
  const JsonValue& benchmark;
  const JsonObject& members;
  const JsonValue& file;            ///< "filename"
  const JsonValue* info = nullptr;  ///< "additional_info"
  std::int64_t data_size = 0;
};

/// What all benchmarks of a configuration share.
struct PluginContext {
  const DeviceProfile& profile;
  const ExaminerOptions& options;
  bool is_hip = false;              ///< the configuration is one of hip_plugin_framework
  std::vector<TextError>& remarks;  ///< on input that has no effect
  std::set<std::string> used;       ///< keys of block_times and blocks that a benchmark uses
};

/// Whether it runs other benchmarks, which are in its additional_info.
bool is_task_host(const std::string& plugin);

/// The calls of one iteration, in order; none for a plugin that issues nothing to the GPU. The error is located at what
/// cannot be simulated, and names the option that supplies a missing figure.
tl::expected<std::vector<PluginCall>, TextError> calls_of_plugin(const PluginInput& input, PluginContext& context);

}  // namespace amalthea::engine::gpu
