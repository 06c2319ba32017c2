// SPDX-License-Identifier: Apache-2.0
// The events that an observer receives, calculated by hand.

#include <string>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/program/releases.hpp"
#include "engine/simulation/simulation.hpp"
#include "tests/support/system_maker.hpp"

namespace simulation_simulation_observer_test {

using namespace test;

namespace {

/// "0 A activate, 0 A start core, …", in the order of the notifications.
class EventLog : public engine::SimulationObserver {
 public:
  explicit EventLog(const System& system) : system_(system) {}
  bool wants_intervals() const override { return false; }
  bool wants_events() const override { return true; }

  void interval(const engine::Interval&) override { FAIL("not wanted"); }
  void process(const engine::ProcessChange& change) override {
    add(change.now, fmt::format("{}{} {}{}", system_.tasks[change.task].name, change.job, to_string(change.what),
                                change.by ? " by " + system_.tasks[*change.by].name : ""));
  }
  void operation(const engine::OperationChange& change) override {
    add(change.now, fmt::format("{}{} {} {}", engine::gpu::name_of_engine(change.engine), change.step,
                                system_.tasks[change.task].name, to_string(change.what)));
  }
  void block(const engine::BlockChange& change) override {
    add(change.now, fmt::format("SM{} block {} {}", change.sm, change.block, change.begins ? "begins" : "ends"));
  }
  const std::string& text() const { return text_; }

 private:
  void add(Instant now, const std::string& what) {
    text_ += fmt::format("{}{} {}", text_.empty() ? "" : ", ", now.picoseconds() / 1'000'000, what);
  }
  const System& system_;
  std::string text_;
};

std::string reported(const System& system, const engine::DeviceProfile& profile, std::int64_t until_us) {
  std::vector<const engine::DeviceProfile*> devices;
  for (const ProcessingUnit& unit : system.platform.units)
    devices.push_back(unit.type == PuType::gpu ? &profile : nullptr);
  const auto programs = engine::compile_programs(system, engine::Execution::worst, devices);
  const auto periods = engine::periods_of(system);
  EventLog explanation(system);
  engine::SimulationInput input{system, programs, devices, us(until_us), us(1000), periods};
  input.observer = &explanation;
  engine::Results results;
  engine::simulate(input, results);
  return explanation.text();
}

}  // namespace

TEST_CASE("an observer is notified that a polling task loses its core and that its event occurs meanwhile") {
  SystemMaker maker;
  const auto core = maker.core("core");
  const auto gpu = maker.gpu("GPU");
  const auto request = maker.inter_process();
  const auto host = maker.task("H", core, 1, maker.periodic(100));
  const auto urgent = maker.task("U", core, 2, maker.periodic(100, 3));
  const auto device = maker.task("D", gpu, 0, request);
  maker.kernel(device, 4);
  maker.offload(host, device, request, 2, 1, true);
  maker.compute(urgent, 5);
  CHECK(reported(maker.build(), plain_profile(us(10)), 90) ==
        "0 H0 activate, 0 H0 start, 2 D0 activate by H, 2 H0 poll, 2 D0 start, 2 EE0 D activate, 2 EE0 D start, "
        "3 U0 activate, 3 H0 park, 3 U0 start, 6 EE0 D terminate, 6 H0 release_parking by D, 6 D0 terminate, "
        "8 U0 terminate, 8 H0 resume, 9 H0 terminate");
}

TEST_CASE("an observer is notified of all changes within one instant and of lost activations") {
  SystemMaker maker;
  const auto core = maker.core("core");
  const auto low = maker.task("L", core, 1, maker.periodic(10));
  const auto brief = maker.task("B", core, 2, maker.periodic(100, 5));
  maker.compute(low, 12);
  maker[low].activation_limit = 1;
  maker.compute(brief, 0);
  CHECK(reported(maker.build(), plain_profile(us(10)), 12) ==
        "0 L0 activate, 0 L0 start, 5 B0 activate, 5 L0 preempt, 5 B0 start, 5 B0 terminate, 5 L0 resume, "
        "10 L1 mtalimitexceeded, 12 L0 terminate");
}

TEST_CASE("an observer is notified of begins and ends of operations and blocks and of context slices") {
  SystemMaker maker;
  const auto gpu = maker.gpu("GPU");
  const auto a = maker.task("A", gpu, 0, maker.periodic(100));
  const auto b = maker.task("B", gpu, 0, maker.periodic(100));
  Kernel kernel;
  kernel.ticks = constant_ticks(6);
  kernel.launch = Launch{2, 1024, 0, 0, ""};
  maker.add(a, kernel);
  maker.kernel(b, 3);
  auto profile = plain_profile(us(4));
  profile.multiprocessors.emplace();
  profile.multiprocessors->sms = 2;
  CHECK(reported(maker.build(), profile, 90) ==
        "0 A0 activate, 0 B0 activate, 0 A0 start, 0 EE0 A activate, 0 B0 start, 0 EE0 B activate, "
        "0 EE0 A start, 0 SM0 block 0 begins, 0 SM1 block 1 begins, 0 B0 preempt, "
        "4 EE0 A preempt, 4 EE0 B start, 4 A0 preempt, 4 B0 resume, "
        "7 EE0 B terminate, 7 B0 terminate, 7 EE0 A resume, 7 A0 resume, "
        "9 SM0 block 0 ends, 9 SM1 block 1 ends, 9 EE0 A terminate, 9 A0 terminate");
}

}  // namespace simulation_simulation_observer_test
