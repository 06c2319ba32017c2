// SPDX-License-Identifier: Apache-2.0
// What records of kernels say about a GPU: the placement and times that a TX2 showed, and made-up time slices.

#include <catch2/catch.hpp>

#include "engine/gpu/device_profile.hpp"
#include "engine/nvidia/device_measurement.hpp"

namespace nvidia_device_measurement_test {

using namespace amalthea::engine::nvidia;

TEST_CASE("66 blocks on a TX2 alternate between its SMs until both are full") {
  // OSPERT 2019, block-schedule: block i on SM i mod 2, the 65th and 66th start when others have ended.
  std::vector<RecordedBlock> recorded;
  for (std::int64_t block = 0; block < 66; ++block)
    recorded.push_back({block % 2, block < 64 ? 0 : 1'000'000'960, block < 64 ? 1'000'000'000 : 2'000'000'960});
  const SmLimits limits = *amalthea::engine::find_profile("tx2")->multiprocessors;
  const auto compared = compare_placement(limits, {1, 1, 0, 0}, ScanOrder::even_odd, recorded);
  CHECK(compared.blocks == 64);
  CHECK(compared.equal == 64);
  CHECK(compared.same_counts);
  CHECK(compared.is_balanced);
  CHECK(compared.seen == std::vector<SmIndex>{0, 1});
}

TEST_CASE("a placement in ascending order differs from the rule of even SMs first") {
  SmLimits limits = *amalthea::engine::find_profile("xavier")->multiprocessors;
  std::vector<RecordedBlock> recorded;
  for (std::int64_t block = 0; block < 8; ++block) recorded.push_back({block, 0, 10});
  const auto compared = compare_placement(limits, {1, 4, 0, 0}, ScanOrder::even_odd, recorded);
  CHECK(compared.equal == 2);  // the first and the last
  CHECK(compared.same_counts);
  CHECK(compare_placement(limits, {1, 4, 0, 0}, ScanOrder::ascending, recorded).equal == 8);
  recorded[1].sm = 0;
  const auto unbalanced = compare_placement(limits, {1, 4, 0, 0}, ScanOrder::even_odd, recorded);
  CHECK_FALSE(unbalanced.same_counts);
  CHECK_FALSE(unbalanced.is_balanced);
}

TEST_CASE("gaps of two processes give slices and switches") {
  // A runs 0-1000, B 1050-3050, A 3120-4120, B 4170-6170, A 6240-7000.
  const Gaps a = {{1000, 3120}, {4120, 6240}};
  const Gaps b = {{0, 1050}, {3050, 4170}, {6170, 7000}};
  const TimeSlices slices = time_slices_of(a, b);
  CHECK(slices.slice.median == 1000);
  CHECK(slices.slice.samples == 1);
  CHECK(slices.gap.median == 2120);
  CHECK(slices.switches.least == 50);
  CHECK(slices.switches.most == 70);
  CHECK(slices.switches.samples == 4);
  CHECK(time_slices_of({}, b).gap.samples == 0);
}

TEST_CASE("the overlap of two operations is between none and complete") {
  CHECK(overlap_of(10, 20, 30) == 0);
  CHECK(overlap_of(10, 20, 20) == 1);
  CHECK(overlap_of(10, 20, 25) == 0.5);
  CHECK(overlap_of(10, 20, 35) == 0);
  CHECK(spread_of({3, 1, 2}).median == 2);
}

}  // namespace nvidia_device_measurement_test
