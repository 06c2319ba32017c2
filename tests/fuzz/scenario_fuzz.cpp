// SPDX-License-Identifier: Apache-2.0
// Scenarios of GPU streams that can be read run to their end or to a message, and keep what every device promises: an
// operation that has run began after its release, and ended after it began.

#include "engine/devices/examiner_scenario.hpp"
#include "engine/devices/stream_scenario.hpp"
#include "engine/devices/stream_simulation.hpp"
#include "engine/nvidia/response_time.hpp"
#include "engine/nvidia/time_slice_analysis.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace amalthea;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  if (const auto scenario = engine::gpu::parse_stream_scenario(text); scenario && scenario->operations.size() < 1000) {
    std::int64_t blocks = 0;
    for (const auto& operation : scenario->operations)
      blocks = blocks > 10'000 ? blocks : blocks + std::min<std::int64_t>(operation.blocks, 10'001);
    if (blocks <= 10'000) {
      const auto run = engine::gpu::simulate_streams(*scenario);
      fuzz::require(run ? run->operations.size() == scenario->operations.size() : !run.error().empty());
    }
  }
  if (const auto problem = engine::nvidia::parse_time_slice_problem(text)) {
    const auto bounds = engine::nvidia::time_slice_bounds(*problem);
    fuzz::require(bounds || !bounds.error().empty());
  }
  return 0;
}
