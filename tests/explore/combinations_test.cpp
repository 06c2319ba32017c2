// SPDX-License-Identifier: Apache-2.0
#include "explore/combinations.hpp"

#include <algorithm>
#include <numeric>

#include <catch2/catch.hpp>

using namespace amalthea;
using explore::Combination;
using explore::Judgement;

namespace {

/// Every choice of a decision costs its number in the first objective and saves it in the second one.
Judgement opposed(const Combination& choices) {
  const double sum = std::accumulate(choices.begin(), choices.end(), 0.0);
  Judgement judgement;
  judgement.objectives = {sum, -sum};
  return judgement;
}

}  // namespace

TEST_CASE("combinations: all are judged once, from the given one on, if the work allows") {
  std::vector<Combination> seen;
  const auto found = explore::search_combinations({2, 3, 1}, 100, [&](const Combination& choices) {
    seen.push_back(choices);
    return std::optional(opposed(choices));
  });
  CHECK(found.all);
  CHECK(seen.front() == Combination{0, 0, 0});
  std::sort(seen.begin(), seen.end());
  CHECK(seen == std::vector<Combination>{{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {1, 0, 0}, {1, 1, 0}, {1, 2, 0}});
  CHECK(found.judged.front().choices == Combination{0, 0, 0});
  CHECK(found.judged.back().choices == Combination{1, 2, 0});
}

TEST_CASE("combinations: those are optimal that no other one is better than, and the first of equal ones") {
  const auto found = explore::search_combinations({2, 2}, 100, [](const Combination& choices) {
    Judgement judgement;
    if (choices == Combination{0, 0}) judgement.objectives = {2, 2};
    if (choices == Combination{1, 0}) judgement.objectives = {1, 3};
    if (choices == Combination{0, 1}) judgement.objectives = {1, 3};
    if (choices == Combination{1, 1}) judgement.objectives = {3, 3};
    return std::optional(judgement);
  });
  std::vector<Combination> optimal;
  for (const auto& one : found.judged)
    if (one.is_optimal) optimal.push_back(one.choices);
  CHECK(optimal == std::vector<Combination>{{1, 0}, {0, 0}});
}

TEST_CASE("combinations: late tasks and missing bounds count before objectives") {
  const auto found = explore::search_combinations({3}, 100, [](const Combination& choices) {
    Judgement judgement;
    judgement.objectives = {static_cast<double>(3 - choices[0])};
    if (choices[0] == 1) judgement.unbounded = 1;
    if (choices[0] == 2) judgement.late = {0};
    return std::optional(judgement);
  });
  CHECK(found.judged[0].choices == Combination{0});
  CHECK(found.judged[0].is_optimal);
  CHECK(found.judged[1].choices == Combination{1});
  CHECK(!found.judged[1].is_optimal);
  CHECK(found.judged[2].choices == Combination{2});
}

TEST_CASE("combinations: without the work for all, the search goes on from the best and says so") {
  const std::vector<std::size_t> many(6, 4);  // 4096 combinations
  std::size_t judged = 0;
  const auto found = explore::search_combinations(many, 300, [&](const Combination& choices) {
    ++judged;
    Judgement judgement;  // every decision has a best choice of its own
    double cost = 0;
    for (std::size_t i = 0; i < choices.size(); ++i) cost += choices[i] == i % 4 ? 0 : 1;
    judgement.objectives = {cost};
    return std::optional(judgement);
  });
  CHECK(!found.all);
  CHECK(judged <= 300);
  CHECK(found.judged.front().judgement.objectives == std::vector<double>{0});
}

TEST_CASE("combinations: what is not worth a judgement is no end of the search") {
  const auto found = explore::search_combinations({2, 2}, 100, [](const Combination& choices) {
    return choices == Combination{1, 0} ? std::nullopt : std::optional(opposed(choices));
  });
  CHECK(found.all);
  CHECK(found.judged.size() == 3);
  CHECK(found.judged.back().choices == Combination{1, 1});
}

TEST_CASE("combinations: usual time slices stay within their limits, without repetition") {
  CHECK(explore::usual_time_slices().front() == Duration::milliseconds(1));
  CHECK(explore::usual_time_slices(Duration::milliseconds(10), Duration::milliseconds(12)) ==
        std::vector<Duration>{Duration::milliseconds(10), Duration::milliseconds(12)});
}
