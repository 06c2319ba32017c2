// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/placement_study.hpp"

#include <catch2/catch.hpp>

#include "engine/gpu/device_profile.hpp"

namespace nvidia_placement_study_test {

using namespace amalthea::engine::nvidia;

namespace {

SmLimits xavier() { return *amalthea::engine::find_profile("xavier")->multiprocessors; }
using Row = std::vector<std::optional<SmIndex>>;

}  // namespace

TEST_CASE("round robin continues where it stopped and skips SMs without room") {
  // 8 SMs of 64 warps, even ones first: the second stream starts behind the first, whatever room there is.
  CHECK(place_round_robin(xavier(), {{4, 4}, {4, 5}}) == std::vector<Row>{{0, 2, 4, 6}, {1, 3, 5, 7}});
  CHECK(place_round_robin(xavier(), {{2, 4}, {2, 4}, {6, 1}}) == std::vector<Row>{{0, 2}, {4, 6}, {1, 3, 5, 7, 0, 2}});
  SmLimits two = xavier();
  two.sms = 2;
  // 33 warps do not fit twice; the third block waits, and so does all behind it.
  CHECK(place_round_robin(two, {{1, 40}, {2, 30}, {1, 33}, {1, 1}}) ==
        std::vector<Row>{{0}, {1, 1}, {std::nullopt}, {std::nullopt}});
}

TEST_CASE("round robin predicts equal blocks and fails for blocks of different sizes") {
  PlacementStudy study;
  study.limits = xavier();
  study.configurations = 700;
  study.max_threads = 32;  // all blocks have one warp, and at most 32 of them leave room everywhere
  const auto rows = study_placement(study).value();
  for (const PlacementStudyRow& row : rows) {
    CHECK(row.configurations == 100);
    CHECK(row.wrong == 0);
  }
  // The paper's example: 4 blocks of 4 warps, then 4 of 5, which go to the same SMs (N16).
  CHECK(place_streams(BlockPlacement(xavier()), {{4, 4}, {4, 5}}) != place_round_robin(xavier(), {{4, 4}, {4, 5}}));
}

TEST_CASE("round robin predicts more configurations wrongly with more streams (N19)") {
  PlacementStudy study;
  study.limits = xavier();
  const auto rows = study_placement(study).value();
  REQUIRE(rows.size() == 7);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].streams == static_cast<std::int64_t>(i + 2));
    CHECK(rows[i].configurations == 1000);
    CHECK(rows[i].wrong_blocks >= rows[i].wrong);
    if (i > 0) CHECK(rows[i].wrong > rows[i - 1].wrong);
  }
  CHECK(rows.back().wrong > 900);
  // Another seed draws others, of the same kind.
  study.seed = 2;
  const auto others = study_placement(study).value();
  CHECK(others[0].blocks != rows[0].blocks);
  for (std::size_t i = 0; i < rows.size(); ++i) CHECK(std::abs(others[i].wrong - rows[i].wrong) < 60);
}

TEST_CASE("invalid studies are rejected") {
  PlacementStudy study;
  study.limits = xavier();
  study.max_threads = 1025;
  CHECK(study_placement(study).error() == "threads of a block must be between 1 and 1024");
  study.max_threads = 1;
  study.fewest_streams = 9;
  CHECK(study_placement(study).error() == "streams must be between 1 and 1024, the fewest not above the most");
  study.configurations = 0;
  CHECK(study_placement(study).error() == "configurations must be between 1 and 10000000");
}

}  // namespace nvidia_placement_study_test
