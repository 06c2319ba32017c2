// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Scenarios in the formats of cuda_scheduling_examiner and of its AMD sibling hip_plugin_framework, which run them on
/// hardware (docs/reference/gpu.md describes how each key is read).

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/devices/examiner_plugins.hpp"
#include "engine/devices/stream_simulation.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/input/located_json.hpp"

namespace amalthea::engine::gpu {

/// The operations of a scenario that one program issues, and the further content of its log.
struct ExaminerBenchmark {
  std::string name;      ///< of its library: "timer_spin"
  std::string label;     ///< may be empty
  std::string log_name;  ///< file name, without folder
  std::int64_t data_size = 0;
  Instant release;
  std::size_t process = 0;
  std::size_t thread = 0;                            ///< index within all processes
  bool is_hip = false;                               ///< a plugin of hip_plugin_framework
  std::vector<std::vector<std::size_t>> iterations;  ///< indices of operations, in the order of the calls
  std::optional<std::size_t> loop = {};              ///< in the scenario; `iterations` is then the first only
  std::size_t line = 1, column = 1;                  ///< where the configuration has it
};

struct ExaminerScenario {
  std::string name;
  StreamScenario scenario;
  std::vector<ExaminerBenchmark> benchmarks;
  std::vector<TextError> remarks;  ///< input that is read but has no effect here, by location
  bool is_hip = false;             ///< it is one of hip_plugin_framework
};

/// Maximum number of operations over all iterations.
constexpr std::int64_t max_examiner_operations = 1'000'000;

/// Whether the text is an object with "benchmarks" or "plugins"; false for invalid JSON.
bool is_examiner_scenario(std::string_view json);

/// The device is a TX2, or a Radeon VII for hip_plugin_framework, unless `profile` is given, whose SMs must be known. The
/// error is located at what cannot be simulated, whether malformed or not modeled.
tl::expected<ExaminerScenario, TextError> parse_examiner_scenario(std::string_view json,
                                                                  const DeviceProfile* profile = nullptr,
                                                                  const ExaminerOptions& options = {});

/// Gives the benchmarks that are loops the iterations of a run.
void take_iterations(std::vector<ExaminerBenchmark>& benchmarks, const StreamRun& run);

/// Every stream of a scenario from another source, as a benchmark of one iteration; streams without kernels are
/// omitted.
std::vector<ExaminerBenchmark> benchmarks_of_streams(const StreamScenario& scenario);

}  // namespace amalthea::engine::gpu
