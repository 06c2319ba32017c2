// SPDX-License-Identifier: Apache-2.0
#include "engine/witness.hpp"
#include "amalthea/diagnostic.hpp"

#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "tests/support/random_system.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/thoroughness.hpp"

namespace witness_test {

using namespace test;
using namespace amalthea::engine;

namespace {

constexpr std::uint64_t enough = 500;

Witness witness_of(const System& system, TaskIndex task, const AnalysisOptions& options = {}) {
  Diagnostics findings;
  const auto witness = find_witness(system, options, task, enough, findings);
  REQUIRE(witness);
  return *witness;
}

/// The longest response of the task with the releases of the witness.
Duration longest_with(const Witness& witness, const System& system, AnalysisOptions options = {}) {
  Diagnostics findings;
  options.until = witness.until;
  const auto results = analyze(with_releases(system, witness), options, findings);
  REQUIRE(results);
  return results->tasks[witness.task].response.max;
}

}  // namespace

TEST_CASE("a witness releases preempting tasks together") {
  SystemMaker make;
  const UnitIndex core = make.core("Core");
  const TaskIndex high = make.task("High", core, 2, make.periodic(100, 50));
  const TaskIndex low = make.task("Low", core, 1, make.periodic(200));
  make.compute(high, 30);
  make.compute(low, 40);
  const System system = make.build();
  const Witness witness = witness_of(system, low);
  CHECK(witness.response == us(70));
  CHECK(witness.bound == us(70));
  REQUIRE(witness.moved.size() == 1);
  CHECK(witness.moved[0].stated == us(50));
  CHECK(witness.moved[0].chosen == us(0));
  CHECK(longest_with(witness, system) == us(70));
}

TEST_CASE("a witness starts a less urgent section just before the job") {
  SystemMaker make;
  const UnitIndex core = make.core("Core");
  const TaskIndex high = make.task("High", core, 2, make.periodic(100));
  const TaskIndex low = make.task("Low", core, 1, make.periodic(100, 30));
  make.compute(high, 10);
  make.compute(low, 20);
  make[low].preemption = Preemption::non_preemptive;
  const System system = make.build();
  const Witness witness = witness_of(system, high);
  CHECK(witness.bound == us(30));
  CHECK(witness.response == us(30) - Duration::nanoseconds(1));
  CHECK(longest_with(witness, system) == witness.response);
}

TEST_CASE("a witness of a bound for stated offsets keeps them") {
  SystemMaker make;
  const UnitIndex core = make.core("Core");
  const TaskIndex high = make.task("High", core, 2, make.periodic(100, 50));
  const TaskIndex low = make.task("Low", core, 1, make.periodic(200));
  make.compute(high, 30);
  make.compute(low, 40);
  AnalysisOptions options;
  options.bounds.for_offsets = true;
  const Witness witness = witness_of(make.build(), low, options);
  CHECK(witness.bound == us(40));
  CHECK(witness.response == us(40));
  CHECK(witness.moved.empty());
  CHECK(witness.simulations == 1);
}

TEST_CASE("a task without jobs has no witness") {
  SystemMaker make;
  const TaskIndex task = make.task("Never", make.core("Core"), 1, make.inter_process());
  make.compute(task, 1);
  Diagnostics findings;
  const auto witness = find_witness(make.build(), {}, task, enough, findings);
  REQUIRE_FALSE(witness);
  CHECK(witness.error() == "nothing activates Never in the simulated time");
}

TEST_CASE("no witness exceeds its bound in random systems") {
  std::mt19937 random(31);
  const int systems = is_thorough() ? 20'000 : 60;
  std::uint64_t witnesses = 0, farther = 0;
  std::string faults;
  for (int number = 0; number < systems; ++number) {
    RandomSystemOptions drawing;
    drawing.must.set(static_cast<std::size_t>(number) % feature_count);
    const RandomSystem drawn = random_system(random, drawing);
    AnalysisOptions options;
    options.profile = &drawn.profile;
    options.compile.memory = drawn.memory;
    options.contention = drawn.contention;
    options.max_steps = 200'000;
    Diagnostics findings;
    const auto results = analyze(drawn.system, options, findings);
    if (!results) continue;
    const auto task = static_cast<TaskIndex>(random() % drawn.system.tasks.size());
    const auto found = find_witness(drawn.system, options, task, 60, findings);
    if (!found || !found->bound) continue;
    ++witnesses;
    farther += found->response > results->tasks[found->task].response.max;
    if (found->response > *found->bound)
      faults +=
          fmt::format("system {}: {} takes {} ps, its bound is {} ps\n", number, drawn.system.tasks[found->task].name,
                      found->response.picoseconds(), found->bound->picoseconds());
  }
  CHECK(faults == "");
  CHECK(witnesses > static_cast<std::uint64_t>(systems) / 4);
  CHECK(farther > witnesses / 10);
}

}  // namespace witness_test
