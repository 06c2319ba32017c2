// SPDX-License-Identifier: Apache-2.0
// Expected values: Olmedo et al., RTAS 2020, III-C: Eq. 2–4, Figure 5, the examples of the text, and the counts of
// Tables II and III (N11–N16).

#include <optional>
#include <random>
#include <sstream>

#include <catch2/catch.hpp>

#include "engine/gpu/device_profile.hpp"
#include "engine/nvidia/block_placement.hpp"
#include "tests/support/test_models.hpp"

namespace nvidia_block_placement_test {

namespace {

using namespace amalthea::engine::nvidia;

/// Only warps count.
SmLimits limits_with(std::int64_t sms, std::int64_t warps) {
  SmLimits limits;
  limits.sms = sms;
  limits.threads = warps * limits.warp_size;
  limits.blocks = warps;
  return limits;
}

SmUse block_of(std::int64_t warps) { return {1, warps, 0, 0}; }

using Row = std::vector<int>;

/// Rows of place_streams; -1 for a block that waits.
std::vector<Row> placed(const SmLimits& limits, const std::vector<StreamBlocks>& streams,
                        TiePolicy ties = TiePolicy::scan) {
  std::vector<Row> rows;
  for (const auto& stream : place_streams(BlockPlacement(limits, ScanOrder::even_odd, ties), streams)) {
    rows.emplace_back();
    for (const auto& sm : stream) rows.back().push_back(sm ? static_cast<int>(*sm) : -1);
  }
  return rows;
}

/// Whether a block of y warps joins one of x warps when every SM already holds z.
bool joins(std::int64_t warps, std::int64_t z, std::int64_t x, std::int64_t y) {
  BlockPlacement placement(limits_with(8, warps));
  for (int sm = 0; z > 0 && sm < 8; ++sm) placement.place(block_of(z));
  const auto first = placement.place(block_of(x));
  return first && placement.choose(block_of(y)) == first;
}

/// Rows "0010…" of x = 1…n, columns y = 1…n.
std::string matrix(std::int64_t warps, int n) {
  std::string text;
  for (int x = 1; x <= n; ++x) {
    for (int y = 1; y <= n; ++y) text += joins(warps, 0, x, y) ? '1' : '0';
    text += '\n';
  }
  return text;
}

std::vector<int> column_counts(const std::string& matrix) {
  std::vector<int> counts;
  std::istringstream lines(matrix);
  for (std::string line; std::getline(lines, line);) {
    counts.resize(line.size());
    for (std::size_t y = 0; y < line.size(); ++y) counts[y] += line[y] == '1' ? 1 : 0;
  }
  return counts;
}

}  // namespace

TEST_CASE("N15: blocks share an SM in 693 of 4096 and 197 of 1024 and 167 of 1024 cells") {
  const auto ones = [](const std::string& text) { return std::count(text.begin(), text.end(), '1'); };
  CHECK(ones(matrix(64, 64)) == 693);
  CHECK(ones(matrix(64, 32)) == 197);
  CHECK(ones(matrix(32, 32)) == 167);
  CHECK(column_counts(matrix(64, 32)) == std::vector<int>{0,  0,  1, 0, 4, 4,  1,  0,  1,  4,  9,  4, 12, 8, 4, 0,
                                                          13, 10, 7, 4, 1, 20, 18, 16, 14, 12, 10, 8, 6,  4, 2, 0});
  CHECK(column_counts(matrix(32, 32)) == std::vector<int>{0,  0,  2,  0,  2,  2,  4, 0, 5, 2, 10, 8, 6, 4, 2, 0,
                                                          15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5,  4, 3, 2, 1, 0});
}

TEST_CASE("N15: the published 64x64 and 32x32 matrices are reproduced cell by cell") {
  for (const auto& [size, name] : {std::pair(64, "olmedo_same_64_64.txt"), {32, "olmedo_same_32_32.txt"}}) {
    const std::string published = test::read_text(test::published_vectors(name));
    CHECK(matrix(size, size) == published + "\n");
  }
}

TEST_CASE("N11: Eq. 2 agrees with the rule in every cell and means x <= warps mod y") {
  for (const std::int64_t warps : {32, 64})
    for (std::int64_t x = 1; x <= warps; ++x)
      for (std::int64_t y = 1; y <= warps; ++y) {
        INFO(warps << " warps, x " << x << ", y " << y);
        CHECK(equation_2(warps, x, y) == joins(warps, 0, x, y));
        CHECK(equation_2(warps, x, y) == (x + y <= warps && x <= warps % y));
      }
  CHECK(equation_2(64, 4, 5));
  CHECK(equation_2(64, 1, 3));
  CHECK_FALSE(equation_2(64, 4, 4));
}

TEST_CASE("N12: Eq. 3 agrees with the rule for every load z and a block that does not fit never joins") {
  for (std::int64_t z = 0; z < 64; ++z)
    for (std::int64_t x = 1; x <= 64 - z; ++x)
      for (std::int64_t y = 1; y <= 64; ++y) {
        INFO("z " << z << ", x " << x << ", y " << y);
        CHECK(equation_3(64, z, x, y) == joins(64, z, x, y));
      }
  CHECK_FALSE(equation_3(64, 60, 2, 5));  // y > warps - z: the trap of division
}

TEST_CASE("N13: Eq. 4 agrees with the rule for one SM with x and all others with z") {
  for (std::int64_t z = 1; z <= 64; ++z)
    for (std::int64_t x = 1; x < z; ++x) {
      BlockPlacement placement(limits_with(8, 64));
      for (int sm = 0; sm < 7; ++sm) REQUIRE(placement.place(block_of(z)) != 7);
      if (placement.choose(block_of(x)) != SmIndex{7}) continue;
      placement.place(block_of(x));
      for (std::int64_t y = 1; y <= 64 - x; ++y) {
        INFO("z " << z << ", x " << x << ", y " << y);
        CHECK(equation_4(64, z, x, y) == (placement.choose(block_of(y)) == SmIndex{7}));
      }
    }
}

TEST_CASE("N14: with 6 warps on seven SMs 142 of 1024 cells are ties where Eq. 3 differs and last_sm follows it") {
  int ties = 0;
  for (int x = 1; x <= 32; ++x)
    for (int y = 1; y <= 32; ++y) {
      std::optional<SmIndex> chosen[2];
      for (const TiePolicy policy : {TiePolicy::scan, TiePolicy::last_sm}) {
        BlockPlacement placement(limits_with(8, 64), ScanOrder::even_odd, policy);
        for (int sm = 0; sm < 7; ++sm) placement.place(block_of(6));
        if (placement.place(block_of(x)) != SmIndex{7}) break;  // only where the rule itself puts x on the idle SM 7
        chosen[policy == TiePolicy::scan ? 0 : 1] = placement.choose(block_of(y));
      }
      if (chosen[0] && equation_3(64, 0, x, y) && chosen[0] != SmIndex{7}) {
        ++ties;
        CHECK(chosen[0] == SmIndex{0});
        CHECK(chosen[1] == SmIndex{7});
      }
    }
  CHECK(ties == 142);
}

TEST_CASE("ties by stream follow Eq. 3 and then Eq. 4 in every cell of Table IV and contradict no example") {
  for (const int held : {1, 2, 5, 6, 12, 31}) {
    int same = 0;
    for (int x = 1; x <= 32; ++x)
      for (int y = 1; y <= 32; ++y) {
        BlockPlacement placement(limits_with(8, 64), ScanOrder::even_odd, TiePolicy::stream);
        for (int sm = 0; sm < 7; ++sm) placement.place(block_of(held));
        placement.next_stream();
        if (placement.place(block_of(x)) != SmIndex{7}) continue;
        placement.next_stream();
        const bool joins = placement.choose(block_of(y)) == SmIndex{7};
        INFO(held << " warps, x " << x << ", y " << y);
        CHECK(joins == (equation_3(64, 0, x, y) || (x + y <= 64 && equation_4(64, held, x, y))));
        same += joins ? 1 : 0;
      }
    if (held == 6) CHECK(same == 192);
  }
  const SmLimits limits = limits_with(8, 64);
  const TiePolicy ties = TiePolicy::stream;
  CHECK(placed(limits, {{4, 4}, {4, 4}}, ties) == std::vector<Row>{{0, 2, 4, 6}, {1, 3, 5, 7}});
  CHECK(placed(limits, {{4, 4}, {4, 5}}, ties) == std::vector<Row>{{0, 2, 4, 6}, {0, 2, 4, 6}});
  CHECK(placed(limits, {{7, 6}}, ties) == std::vector<Row>{{0, 2, 4, 6, 1, 3, 5}});
  CHECK(placed(limits, {{6, 16}, {16, 4}}, ties) == placed(limits, {{6, 16}, {16, 4}}));
  CHECK(placed(limits, {{6, 16}, {16, 2}}, ties) == placed(limits, {{6, 16}, {16, 2}}));
}

TEST_CASE("Figure 5: 4 blocks of 4 warps on Xavier followed by blocks of 4 or 5 warps of another stream") {
  const SmLimits xavier = *amalthea::engine::find_profile("xavier")->multiprocessors;
  for (const SmLimits& limits : {limits_with(8, 64), xavier}) {
    CHECK(placed(limits, {{4, 4}, {4, 4}}) == std::vector<Row>{{0, 2, 4, 6}, {1, 3, 5, 7}});
    CHECK(placed(limits, {{4, 4}, {4, 5}}) == std::vector<Row>{{0, 2, 4, 6}, {0, 2, 4, 6}});
  }
}

TEST_CASE("N16: seven blocks leave SM 7 idle") {
  CHECK(placed(limits_with(8, 64), {{7, 6}}) == std::vector<Row>{{0, 2, 4, 6, 1, 3, 5}});
}

TEST_CASE("N16: load balancing places small blocks on two idle SMs before six SMs with 16 warps") {
  const SmLimits limits = limits_with(8, 64);
  BlockPlacement placement(limits);
  for (int sm = 0; sm < 6; ++sm) placement.place(block_of(16));
  for (int index = 0; index < 16; ++index) CHECK(placement.place(block_of(2)) == SmIndex(index % 2 == 0 ? 5 : 7));
  for (SmIndex sm = 0; sm < 8; ++sm) CHECK(placement.use_of(sm).warps == 16);  // 48 free on every SM
  CHECK(placed(limits, {{6, 16}, {16, 4}}) ==
        std::vector<Row>{{0, 2, 4, 6, 1, 3}, {5, 7, 5, 7, 5, 7, 5, 7, 0, 2, 4, 6, 1, 3, 5, 7}});
}

TEST_CASE("N16: Turing without load and Volta with 32 warps on every SM have the same placement") {
  for (int x = 1; x <= 32; ++x)
    for (int y = 1; y <= 32; ++y) CHECK(joins(32, 0, x, y) == joins(64, 32, x, y));
}

TEST_CASE("N9 and N2: even SMs precede odd ones which means one SM of every GPC first with GPCs of two") {
  SmLimits limits = limits_with(8, 64);
  CHECK(scan_order(limits, ScanOrder::even_odd) == std::vector<SmIndex>{0, 2, 4, 6, 1, 3, 5, 7});
  CHECK(scan_order(limits, ScanOrder::gpc) == scan_order(limits, ScanOrder::even_odd));
  CHECK(scan_order(limits, ScanOrder::ascending) == std::vector<SmIndex>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(gpc_of(limits, 5) == 2);
  limits.sms = 7;
  limits.sms_per_gpc = 3;
  CHECK(scan_order(limits, ScanOrder::even_odd) == std::vector<SmIndex>{0, 2, 4, 6, 1, 3, 5});
  CHECK(scan_order(limits, ScanOrder::gpc) == std::vector<SmIndex>{0, 3, 6, 1, 4, 2, 5});
  limits.sms = 1;
  CHECK(scan_order(limits, ScanOrder::gpc) == std::vector<SmIndex>{0});
}

TEST_CASE("X1: a block without room waits and no later block overtakes it") {
  CHECK(placed(limits_with(2, 64), {{3, 32}, {2, 40}, {1, 1}}) == std::vector<Row>{{0, 1, 0}, {-1, -1}, {-1}});
}

TEST_CASE("R1-R3: an SM without enough registers or shared memory or block slots is skipped") {
  SmLimits limits = limits_with(2, 64);
  limits.blocks = 2;
  BlockPlacement placement(limits);
  CHECK(placement.place({1, 1, 65536, 0}) == SmIndex{0});
  CHECK(placement.place({1, 1, 256, 0}) == SmIndex{1});
  CHECK(placement.place({1, 1, 0, 65536}) == SmIndex{0});
  CHECK(placement.place({1, 1, 0, 256}) == SmIndex{1});
  CHECK(placement.place({1, 1, 0, 0}) == std::nullopt);
  placement.remove(0, {1, 1, 65536, 0});
  CHECK(placement.place({1, 1, 0, 256}) == std::nullopt);
  CHECK(placement.place({1, 1, 65536, 0}) == SmIndex{0});
}

TEST_CASE("no SM exceeds its capacity and a block is rejected only if it fits nowhere") {
  std::mt19937 random(1);
  const auto draw = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
  for (int run = 0; run < 300; ++run) {
    SmLimits limits = limits_with(draw(1, 9), draw(1, 2) * 32);
    limits.blocks = draw(1, 32);
    BlockPlacement placement(limits);
    std::vector<std::pair<SmIndex, SmUse>> resident;
    for (int step = 0; step < 200; ++step) {
      if (!resident.empty() && draw(0, 2) == 0) {
        std::swap(resident[static_cast<std::size_t>(draw(0, static_cast<int>(resident.size()) - 1))], resident.back());
        placement.remove(resident.back().first, resident.back().second);
        resident.pop_back();
        continue;
      }
      const SmUse block{1, draw(1, 32), draw(0, 32768), draw(0, 49152)};
      const auto sm = placement.place(block);
      std::vector<SmUse> use(static_cast<std::size_t>(limits.sms));
      for (const auto& [where, what] : resident) use[where] += what;
      const bool room = std::any_of(use.begin(), use.end(), [&](const SmUse& u) { return fits(limits, u, block); });
      REQUIRE(sm.has_value() == room);
      if (!sm) continue;
      REQUIRE(fits(limits, use[*sm], block));
      resident.emplace_back(*sm, block);
    }
    for (const auto& [where, what] : resident) placement.remove(where, what);
    CHECK(placement.idle());
  }
}

}  // namespace nvidia_block_placement_test
