// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Scenarios of streams as JSON (docs/reference/gpu.md).

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/devices/stream_simulation.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/input/located_json.hpp"

namespace amalthea::engine::gpu {

/// An element of "operations".
struct WrittenCall {
  std::size_t operation = 0;  ///< of the scenario: the first that it stands for
  Duration period;            ///< zero: it is released once
  std::size_t line = 1, column = 1;
  Duration deadline = {};         ///< its own, else that of its stream; zero: none is stated
  std::string process = {};       ///< under MPS: the process whose call it is; else ""
  double mps_share = 0;           ///< of that process, in percent
  std::string instructions = {};  ///< of a kernel, as written; "": none
  std::int64_t budget = 1;
};

/// `{"platform": "tx2", "copy_engines": 1, "contexts": [{"name": "A", "timeslice": "2ms"}], "streams": [{"name": "a",
/// "priority": "high"}], "operations": [{"kernel": "K", "stream": "a", "blocks": 2, "threads": 512, "duration_ps":
/// 4000000}, …]}`. Without contexts there is a single unnamed one. Operations without a context belong to the first.
/// Streams that only operations name have low priority. An operation without a stream is in the NULL stream of its
/// context. An operation with a period stands for all its releases before "until", by default the hyperperiod after the
/// last first release. Deadlines have no effect on a run. `profile`, if given, replaces the scenario's platform; its
/// SMs must be known. `calls`, if given, becomes the elements of "operations".
///
/// `{"gpus": [{"name": "front", "platform": "tx2", "operations": […]}, …], "until": "10ms"}`: every GPU has the keys of a
/// scenario of one GPU but "until". Then there is no `profile`. Operations are in the order of the GPUs.
tl::expected<StreamScenario, TextError> parse_stream_scenario(std::string_view json,
                                                              const DeviceProfile* profile = nullptr,
                                                              std::vector<WrittenCall>* calls = nullptr);
/// The same for what takes one GPU: "gpus" is an error.
tl::expected<StreamScenario, TextError> parse_scenario_of_one_gpu(std::string_view json,
                                                                  const DeviceProfile* profile = nullptr);
/// Maximum number of elements of "gpus".
constexpr std::size_t max_scenario_gpus = 64;

}  // namespace amalthea::engine::gpu
