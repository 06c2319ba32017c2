// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/support/system_maker.hpp"

namespace chains_chain_simulation_test {

// Observed chains in simulated systems. random_systems_test.cpp compares them with the bounds.

using namespace test;

TEST_CASE("simulated chain latencies follow from the starts and ends of jobs") {
  // P every 10, 2 long; C every 15, 3 long, on a core of its own. P reads at 0, 10, 20, 30 and writes 2 later; C reads
  // at 0, 15, 30, 45 and writes 3 later. What P reads at 0, 10, 20, 30 is written by C at 18, 18, 33, 48.
  SystemMaker maker;
  const TaskIndex p = maker.task("P", maker.core("A"), 1, maker.periodic(10));
  const TaskIndex c = maker.task("C", maker.core("B"), 1, maker.periodic(15));
  maker.compute(p, 2);
  maker.compute(c, 3);
  pass_data(maker.system(), {p, c});
  System system = maker.build();
  Chain chain;
  chain.tasks = {p, c};
  system.chains.push_back(chain);
  const auto results = analyzed(system, us(120));
  const engine::ObservedLatencies& seen = results.chains[0].observed;
  CHECK(seen.reduced_reaction == us(18));  // 0 → 18
  CHECK(seen.reaction == us(28));          // just after 20 → 30 → 48
  CHECK(seen.reduced_age == us(13));       // 20 → 33
  CHECK(seen.age == us(28));               // 20 → until it is overwritten at 48
  CHECK(results.chains[0].implicit->reaction == us(10 + 2 + 15 + 3));
}

}  // namespace chains_chain_simulation_test
