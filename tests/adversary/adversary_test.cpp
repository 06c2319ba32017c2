// SPDX-License-Identifier: Apache-2.0
// What the product guarantees, attacked by behaviours of the reference.

#include <cstdlib>

#include <catch2/catch.hpp>

#include "tests/adversary/campaign.hpp"
#include "tests/support/thoroughness.hpp"

namespace adversary_test {

using namespace adversary;

namespace {

AttackOptions options() {
  AttackOptions options;
  if (test::is_thorough()) {
    options.executions = 1000;
    options.common = 400;
  }
  return options;
}

void check_systems(std::uint32_t seed, std::uint32_t count, std::uint32_t first = 0) {
  const Campaign campaign = attack_systems(seed, first, count, options());
  INFO(campaign.text());
  for (const Broken& broken : campaign.broken)
    FAIL_CHECK("system " << broken.seed << " " << broken.number << ": " << broken.guarantee.name << ": "
                         << broken.seen);
  std::uint64_t attacked = 0;
  for (const auto& [kind, counts] : campaign.of_kind) attacked += counts.attacked;
  CHECK(attacked > 5 * campaign.systems);
}

/// The first drawn system of which a task has a bound on its response, and a behaviour comes close to it.
Broken close_call() {
  for (std::uint32_t number = 0;; ++number) {
    const DrawnSystem drawn = draw_system(8, number);
    const Statement statement = statement_of(drawn, number);
    if (!statement.refused.empty()) continue;
    const Target& target = statement.targets.front();
    const Attack found = attack(target.amxmi, target, drawn.random.profile, options());
    for (std::size_t index = 0; index < target.guarantees.size(); ++index)
      if (target.guarantees[index].kind == Guarantee::Kind::response && !target.guarantees[index].stated_offsets &&
          found.of[index].closeness > 0.98 && found.of[index].outcome == Attacked::Outcome::held)
        return {8, number, target.amxmi, target.guarantees[index], "", options().until, found.of[index].closest};
  }
}

}  // namespace

TEST_CASE("no behaviour of hundreds of random systems breaks a guarantee") { check_systems(1, test::times(120U)); }

TEST_CASE("no behaviour of many more random systems breaks a guarantee", "[long]") {
  check_systems(2, test::is_thorough() ? 50'000U : test::times(300U));
}

TEST_CASE("no behaviour of kernels that share SMs breaks a guarantee") {
  check_systems(1, test::times(60U), first_sharing);
}

TEST_CASE("a bound that is too small is broken, and the behaviour that does so can be replayed from its text") {
  Broken call = close_call();
  call.guarantee.limit = call.guarantee.limit * 3 / 4;
  const DrawnSystem drawn = draw_system(call.seed, call.number);
  const Target target{call.amxmi, statement_of(drawn, call.number).targets.front().system, {call.guarantee}};
  const Attack found = attack(call.amxmi, target, drawn.random.profile, options());
  REQUIRE(found.of.front().outcome == Attacked::Outcome::broken);
  const reference::Behaviour again = behaviour_of(text_of(found.of.front().closest));
  const Shown shown = show(call.amxmi, target, call.guarantee, drawn.random.profile, again, options());
  CHECK(shown.broken);
  CHECK(shown.seen == found.of.front().seen);
}

TEST_CASE("the same seed finds the same") {
  AttackOptions few;
  few.executions = 20;
  few.common = 16;
  few.climbing = 4;
  CHECK(attack_systems(3, 0, 8, few).text() == attack_systems(3, 0, 8, few).text());
}

TEST_CASE("a line that is no answer is not read as a behaviour") {
  CHECK_THROWS_WITH(behaviour_of("jitter 0 0 5\nmood 0 0 1\n"), "line 2 of the behaviour is no answer: mood 0 0 1");
  CHECK_THROWS_WITH(behaviour_of("jitter 0 0"), "line 1 of the behaviour is no answer: jitter 0 0");
}

TEST_CASE("the texts that mutants change occur once in their files") {
  CHECK(std::system(AMALTHEA_SOURCE_DIR "/tests/adversary/mutants check > /dev/null") == 0);
}

}  // namespace adversary_test
