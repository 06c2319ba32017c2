// SPDX-License-Identifier: Apache-2.0
#include "engine/measurement.hpp"

#include <catch2/catch.hpp>

#include "tests/support/system_maker.hpp"

namespace measurement_test {

using namespace amalthea;
using namespace test;

TEST_CASE("measured chains count each read once although windows overlap and jobs are released at the same instant") {
  SystemMaker maker;
  const TaskIndex task = maker.task("T", maker.core("Core"), 1, maker.periodic(10));
  maker.system().chains.emplace_back().tasks = {task};
  const System system = maker.build();

  const auto at = [](std::int64_t time) { return Instant::at(us(time)); };
  engine::Results measured;
  measured.tasks.resize(1);
  measured.accesses = {{{at(0), at(4), at(0)}, {at(4), at(8), at(0)}}};
  engine::ChainWindows windows;
  engine::fold_accesses(system, measured.accesses, 1, windows);  // keeps the second job
  REQUIRE(measured.accesses[0].size() == 1);
  measured.accesses[0].push_back({at(10), at(14), at(10)});
  engine::judge_measurement(system, engine::ConstraintObserver(system), windows, measured);
  CHECK(measured.chains[0].observed.reads == 3);
  CHECK(measured.chains[0].observed.reaction == us(10));
}

}  // namespace measurement_test
