// SPDX-License-Identifier: Apache-2.0
// Execution times that are drawn for every job.

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/program/program.hpp"
#include "engine/simulation/simulation.hpp"
#include "tests/support/system_maker.hpp"

namespace simulation_random_execution_test {

using namespace amalthea;
using namespace amalthea::engine;
using namespace test;

namespace {

Ticks varying(std::int64_t lower, std::int64_t upper, Shape shape) {
  Ticks ticks;
  ticks.otherwise = Cycles{lower, (lower + upper) / 2, upper, std::make_shared<const Shape>(std::move(shape))};
  return ticks;
}

/// Two tasks on separate cores, a third that offloads a copy and a kernel; label accesses that vary.
struct Example {
  SystemMaker maker;
  TaskIndex first, second, device;

  explicit Example(std::int64_t second_upper = 400) {
    const UnitIndex one = maker.core("one"), two = maker.core("two"), gpu = maker.gpu("GPU");
    first = maker.task("first", one, 1, maker.periodic(1000));
    maker.add(first, Compute{varying(100, 500, GaussShape{300, 50})});
    second = maker.task("second", two, 1, maker.periodic(1000));
    maker.add(second, Compute{varying(200, second_upper, UniformShape{})});
    auto& system = maker.system();
    system.platform.units[one].accesses[0].read = Cycles{2, 5, 9};
    system.labels.push_back({"data", DataSize{640}, MemoryIndex{0}, LabelSide::host, {}});
    maker.add(first, ReadLabel{static_cast<LabelIndex>(system.labels.size() - 1)});
    device = maker.task("device", gpu, 1, maker.periodic(1000));
    system.platform.units[gpu].accesses[0].read = Cycles{1, 2, 3};
    maker.copy(device, 20);
    Kernel kernel;
    kernel.ticks = varying(50, 90, BetaShape{2, 3});
    maker.add(device, kernel);
  }
};

std::vector<std::vector<Duration>> responses(const System& system, Execution execution, std::uint64_t seed) {
  const DeviceProfile profile = plain_profile(us(1000));
  std::vector<const DeviceProfile*> devices;
  for (const ProcessingUnit& unit : system.platform.units)
    devices.push_back(unit.type == PuType::gpu ? &profile : nullptr);
  const auto programs = compile_programs(system, execution, devices);
  const std::vector<std::optional<Duration>> periods(system.tasks.size(), us(1000));
  SimulationInput input{system, programs, devices, us(200'000), us(1000), periods};
  input.execution = execution;
  input.seed = seed;
  input.keep_responses = true;
  Results results;
  simulate(input, results);
  return results.responses;
}

}  // namespace

TEST_CASE("every step takes a time between its best and its worst and covers the range") {
  Example example;
  const System system = example.maker.build();
  const DeviceProfile profile = plain_profile(us(1000));
  const std::vector<const DeviceProfile*> devices = {nullptr, nullptr, &profile};
  MemoryModel table;
  table.source = MemoryModel::Source::table;
  table.units.push_back({"one",
                         Duration::nanoseconds(10),
                         Duration::nanoseconds(5),
                         Duration::nanoseconds(40),
                         {},
                         100'000,
                         Duration::nanoseconds(2)});
  for (const bool tabulated : {false, true}) {
    CompileOptions options;
    if (tabulated) options.memory = table;
    const auto best = compile_programs(system, Execution::best, devices, options);
    const auto average = compile_programs(system, Execution::average, devices, options);
    const auto worst = compile_programs(system, Execution::worst, devices, options);
    const auto random = compile_programs(system, Execution::random, devices, options);
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
      REQUIRE(random[task].steps.size() == best[task].steps.size());
      CHECK(random[task].execution == average[task].execution);
      for (std::size_t i = 0; i < random[task].steps.size(); ++i) {
        const Step& step = random[task].steps[i];
        const Duration least = best[task].steps[i].work, most = worst[task].steps[i].work;
        CAPTURE(task, i, tabulated);
        CHECK(step.work == average[task].steps[i].work);
        CHECK(static_cast<bool>(step.varying) == (least != most));
        Duration shortest = most, longest = least;
        for (std::uint64_t job = 0; job < 500; ++job) {
          RandomStream stream = execution_stream(1, task, job);
          const Duration work = work_of(step, stream);
          REQUIRE(work >= least);
          REQUIRE(work <= most);
          shortest = std::min(shortest, work);
          longest = std::max(longest, work);
        }
        if (least != most) CHECK((longest - shortest) * 2 > most - least);
      }
    }
  }
}

TEST_CASE("label accesses without contention do not vary") {
  Example example;
  const System system = example.maker.build();
  CompileOptions options;
  options.memory = *find_memory_model("none");
  const auto programs = compile_programs(system, Execution::random,
                                         std::vector<const DeviceProfile*>(system.platform.units.size()), options);
  CHECK(programs[example.first].steps[0].varying);
  CHECK_FALSE(programs[example.first].steps[1].varying);
}

TEST_CASE("jobs with the same seed are reproducible and other seeds differ") {
  Example example;
  const System system = example.maker.build();
  const auto once = responses(system, Execution::random, 1);
  CHECK(once == responses(system, Execution::random, 1));
  const auto other = responses(system, Execution::random, 2);
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    CHECK(once[task].size() == 200);
    CHECK(once[task] != other[task]);
    CHECK(std::set<Duration>(once[task].begin(), once[task].end()).size() > 20);  // of few cycles there are few values
  }
}

TEST_CASE("random times of one task are independent of another task's distribution") {
  Example example, changed(900);
  const auto before = responses(example.maker.build(), Execution::random, 1);
  const auto after = responses(changed.maker.build(), Execution::random, 1);
  CHECK(before[example.first] == after[example.first]);
  CHECK(before[example.device] == after[example.device]);
  CHECK(before[example.second] != after[example.second]);
}

TEST_CASE("responses of tasks without competition lie between best and worst execution") {
  Example example;
  const System system = example.maker.build();
  const auto best = responses(system, Execution::best, 1), worst = responses(system, Execution::worst, 1),
             random = responses(system, Execution::random, 1);
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    for (std::size_t job = 0; job < random[task].size(); ++job) {
      CHECK(random[task][job] >= best[task][job]);
      CHECK(random[task][job] <= worst[task][job]);
    }
}

}  // namespace simulation_random_execution_test
