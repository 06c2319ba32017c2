// SPDX-License-Identifier: Apache-2.0
// What a time consists of, cut to its largest parts, against the definition; and bounds of large task sets that keep
// few parts, against those that keep all.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/cpu/fixed_priority.hpp"
#include "engine/results/results.hpp"

namespace largest_parts_test {

using namespace amalthea;
using engine::Contribution;
using engine::ContributionKind;

namespace {

int between(std::mt19937& random, int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

Duration sum_of(const std::vector<Contribution>& parts) {
  Duration sum;
  for (const Contribution& part : parts) sum += part.time;
  return sum;
}

/// How many parts precede one: own ones first, then by time, then by place.
std::size_t rank_of(const std::vector<Contribution>& parts, std::size_t at) {
  std::size_t rank = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool own = !parts[i].by, mine = !parts[at].by;
    if (own != mine ? own : (parts[i].time > parts[at].time || (parts[i].time == parts[at].time && i < at))) ++rank;
  }
  return rank;
}

}  // namespace

TEST_CASE("the largest parts stay in their order and the others are one sum for each kind and traffic") {
  std::mt19937 random(41);
  for (int n = 0; n < 2000; ++n) {
    std::vector<Contribution> parts;
    const int count = between(random, 0, 60);
    for (int i = 0; i < count; ++i) {
      const auto kind = static_cast<ContributionKind>(between(random, 2, 3));
      const bool own = i < 2;
      parts.push_back({own ? ContributionKind::execution : kind, own ? std::nullopt : std::optional(TaskIndex(i)),
                       Duration::picoseconds(between(random, 1, 30))});
    }
    const auto most = static_cast<std::size_t>(between(random, 3, 20));
    std::vector<Contribution> cut = parts;
    engine::keep_largest(cut, most);
    REQUIRE(sum_of(cut) == sum_of(parts));
    std::size_t next = 0;
    for (std::size_t at = 0; at < parts.size(); ++at) {
      if (rank_of(parts, at) >= most) continue;
      REQUIRE(next < cut.size());
      CHECK(cut[next].by == parts[at].by);
      CHECK(cut[next].time == parts[at].time);
      CHECK(cut[next++].others == 0);
    }
    std::size_t others = 0;
    for (std::size_t at = next; at < cut.size(); ++at) {
      others += std::max<std::size_t>(1, cut[at].others);
      CHECK(cut[at].by.has_value() == (cut[at].others == 0));
      for (std::size_t later = at + 1; later < cut.size(); ++later) CHECK(cut[later].kind != cut[at].kind);
    }
    CHECK(next + others == parts.size());
  }
}

TEST_CASE("bounds under fixed priorities are the same however few of their parts are kept") {
  std::mt19937 random(43);
  constexpr std::int64_t periods[] = {1000, 2000, 5000, 10'000};
  std::size_t cut = 0;
  for (int set = 0; set < 60; ++set) {
    std::vector<engine::cpu::CpuTask> tasks;
    const int count = between(random, 2, 90);
    for (int i = 0; i < count; ++i) {
      engine::cpu::CpuTask task;
      const std::int64_t period = periods[between(random, 0, 3)];
      const bool jitter = between(random, 0, 3) == 0;
      task.arrivals = {Duration::picoseconds(period * 1000), Duration::picoseconds(jitter ? 700'000 : 0), {}};
      task.worst = Duration::picoseconds(between(random, 0, 18) * period / count * 100);
      task.priority = between(random, 0, 12);
      if (between(random, 0, 9) == 0) {
        task.sections = {{task.worst, between(random, 0, 13)}};
        task.last = task.sections.front();
      }
      tasks.push_back(task);
    }
    engine::cpu::Limits all, few;
    all.parts = 1000;
    few.parts = 7;
    const auto whole = engine::cpu::fixed_priority_bounds(tasks, std::nullopt, all);
    const auto kept = engine::cpu::fixed_priority_bounds(tasks, std::nullopt, few);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      INFO("set " << set << ", task " << i);
      const auto alone = engine::cpu::fixed_priority_bound(tasks, i, std::nullopt, few);
      CHECK(alone.response == kept[i].response);
      CHECK(whole[i].response == kept[i].response);
      CHECK(whole[i].end_jitter == kept[i].end_jitter);
      CHECK(whole[i].reason == kept[i].reason);
      std::vector<engine::cpu::CpuShare> expected = whole[i].parts;
      engine::cpu::keep_largest(expected, few.parts);
      REQUIRE(expected.size() == kept[i].parts.size());
      for (std::size_t at = 0; at < expected.size(); ++at) {
        CHECK(expected[at].part == kept[i].parts[at].part);
        CHECK(expected[at].by == kept[i].parts[at].by);
        CHECK(expected[at].time == kept[i].parts[at].time);
        CHECK(expected[at].others == kept[i].parts[at].others);
        cut += expected[at].others;
      }
    }
  }
  CHECK(cut > 1000);
}

}  // namespace largest_parts_test
