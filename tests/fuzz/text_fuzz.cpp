// SPDX-License-Identifier: Apache-2.0
// Everything that is read beside models, scenarios, GPU profiles, memory tables, task sets, kernels as strings or PTX,
// warp programs, manifests: arbitrary text ends in a value or a message, and never anywhere else.

#include "batch/model_list.hpp"
#include "engine/devices/examiner_scenario.hpp"
#include "engine/devices/stream_scenario.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/nvidia/block_time.hpp"
#include "engine/nvidia/makespan/kernel.hpp"
#include "engine/nvidia/response_time.hpp"
#include "engine/nvidia/time_slice_analysis.hpp"
#include "engine/nvidia/warps.hpp"
#include "engine/program/memory_contention.hpp"
#include "importer/building/mapping_change.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

using namespace amalthea;

template <typename Value>
void check(const tl::expected<Value, std::string>& read) {
  fuzz::require(read.has_value() || !read.error().empty());
}
template <typename Value>
void check(const tl::expected<Value, engine::TextError>& read) {
  fuzz::require(read.has_value() || (!read.error().message.empty() && read.error().line > 0));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos && (text[start] == '{' || text[start] == '[')) {
    check(engine::gpu::parse_stream_scenario(text));
    check(engine::gpu::parse_examiner_scenario(text));
    check(engine::parse_device_profile(text));
    check(engine::nvidia::parse_rta_problem(text));
    check(engine::nvidia::parse_time_slice_problem(text));
    check(engine::parse_memory_model(text));
  } else {
    check(engine::nvidia::parse_block_instructions(text));
    check(engine::nvidia::parse_warp_program(text));
    check(engine::nvidia::makespan::parse_kernel(text));
    check(engine::nvidia::makespan::kernel_of_ptx(text));
    check(importer::parse_mapping_change(text));
    check(batch::parse_manifest(text));
    check(batch::parse_shard(text).map_error([](const auto& failure) { return failure.text(); }));
  }
  return 0;
}
