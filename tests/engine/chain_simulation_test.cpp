#include <random>

#include <catch2/catch.hpp>

#include "tests/engine/system_maker.hpp"

// Chains in simulated systems: what is seen of them, and that it stays within the bounds.

using namespace test;

TEST_CASE("what the simulation sees of a chain follows from when its jobs start and end") {
  // P every 10, 2 long; C every 15, 3 long, on a core of its own. P reads at 0, 10, 20, 30 and writes 2 later; C reads at
  // 0, 15, 30, 45 and writes 3 later. What P reads at 0, 10, 20, 30 is written by C at 18, 18, 33, 48.
  SystemMaker maker;
  const TaskIndex p = maker.task("P", maker.core("A"), 1, maker.periodic(10));
  const TaskIndex c = maker.task("C", maker.core("B"), 1, maker.periodic(15));
  maker.compute(p, 2);
  maker.compute(c, 3);
  System system = maker.build();
  Chain chain;
  chain.tasks = {p, c};
  system.chains.push_back(chain);
  const auto results = analysed(system, us(120));
  const engine::ObservedLatencies& seen = results.chains[0].observed;
  CHECK(seen.reduced_reaction == us(18));  // 0 → 18
  CHECK(seen.reaction == us(28));          // just after 20 → 30 → 48
  CHECK(seen.reduced_age == us(13));       // 20 → 33
  CHECK(seen.age == us(28));               // 20 → until it is overwritten at 48
  CHECK(results.chains[0].implicit->reaction == us(10 + 2 + 15 + 3));
}

TEST_CASE("no chain is seen to take longer than its bound under implicit communication") {
  std::mt19937 random(77);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int compared = 0;
  for (int round = 0; round < 1000; ++round) {
    SystemMaker maker;
    const std::vector<UnitIndex> cores{maker.core("A"), maker.core("B")};
    static constexpr int periods[] = {10, 15, 20, 30, 60};
    std::vector<TaskIndex> tasks;
    for (int n = draw(2, 5); n > 0; --n) {
      const int period = periods[draw(0, 4)];
      tasks.push_back(maker.task("T" + std::to_string(n), cores[static_cast<std::size_t>(draw(0, 1))], n,
                                 maker.periodic(period, draw(0, period - 1))));
      maker.compute(tasks.back(), draw(1, period / 3));
    }
    System system = maker.build();
    std::shuffle(tasks.begin(), tasks.end(), random);
    tasks.resize(static_cast<std::size_t>(draw(1, static_cast<int>(tasks.size()))));
    Chain chain;
    chain.tasks = tasks;
    system.chains.push_back(chain);
    const auto results = analysed(system, us(300));
    const engine::ChainResult& result = results.chains[0];
    if (!result.implicit) continue;
    INFO("round " << round);
    REQUIRE(result.observed.reads > 0);
    ++compared;
    if (result.observed.reaction) REQUIRE(*result.observed.reaction <= result.implicit->reaction);
    REQUIRE(result.observed.reduced_reaction <= result.implicit->reduced_reaction);
    if (result.observed.age) REQUIRE(*result.observed.age <= result.implicit->age);
    if (result.observed.reduced_age) REQUIRE(*result.observed.reduced_age <= result.implicit->reduced_age);
  }
  CHECK(compared > 700);
}
