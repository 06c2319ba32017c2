// SPDX-License-Identifier: Apache-2.0
// Who slows down whom through memory in systems: cores, copies and kernels.

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

#include "amalthea/diagnostic.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/devices/stream_simulation.hpp"
#include "engine/nvidia/contention.hpp"
#include "engine/program/releases.hpp"
#include "engine/simulation/simulation.hpp"
#include "tests/support/random_system.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/thoroughness.hpp"

namespace contention_test {

using namespace test;
using engine::Contention;
using engine::ContributionKind;
using engine::DeviceProfile;
using engine::Execution;
using engine::TrafficKind;

namespace {

LabelIndex label(SystemMaker& maker, std::int64_t lines) {
  auto& labels = maker.system().labels;
  labels.push_back({"label", DataSize{64 * lines}, MemoryIndex{0}, LabelSide::host, {}});
  return static_cast<LabelIndex>(labels.size() - 1);
}

/// A core that reads one label for `length` microseconds, from `offset` on.
TaskIndex reader(SystemMaker& maker, const std::string& name, std::int64_t length, std::int64_t offset = 0) {
  const TaskIndex task = maker.task(name, maker.core("core of " + name), 1, maker.periodic(100'000, offset));
  maker.add(task, ReadLabel{label(maker, length)});
  return task;
}

engine::Results simulated(const System& system, const DeviceProfile& profile,
                          Contention contention = Contention::static_, const engine::MemoryModel& memory = {}) {
  engine::AnalysisOptions options;
  options.until = us(100'000);
  options.profile = &profile;
  options.contention = contention;
  options.compile.memory = memory;
  Diagnostics diagnostics;
  return engine::analyze(system, options, diagnostics).value();
}

Duration part(const std::vector<engine::Contribution>& parts, ContributionKind kind,
              TrafficKind traffic = TrafficKind::none, std::optional<TaskIndex> by = std::nullopt) {
  Duration sum;
  for (const engine::Contribution& each : parts)
    if (each.kind == kind && each.traffic == traffic && (!by || each.by == by)) sum += each.time;
  return sum;
}

engine::MemoryModel table(std::int64_t base, std::int64_t per_core, std::int64_t gpu) {
  engine::MemoryModel model;
  model.name = "table";
  model.source = engine::MemoryModel::Source::table;
  engine::UnitLatency latency;
  latency.base = us(base);
  latency.per_core = us(per_core);
  latency.gpu = us(gpu);
  for (const char* name : {"core of a", "core of b", "core of c"}) {
    latency.name = name;
    model.units.push_back(latency);
  }
  return model;
}

}  // namespace

TEST_CASE("a kernel beside five cores that stream takes as long in a system as in a scenario") {
  const DeviceProfile& tx2 = *engine::find_profile("tx2");
  SystemMaker maker;
  std::vector<TaskIndex> readers;
  for (int core = 0; core < 5; ++core) readers.push_back(reader(maker, std::to_string(core), 50'000));
  const TaskIndex device = maker.task("device", maker.gpu("GPU"), 0, maker.periodic(100'000));
  maker.kernel(device, 7'900);
  const auto results = simulated(maker.build(), tx2);

  engine::gpu::StreamScenario scenario;
  scenario.device = tx2;
  scenario.device.cpu_traffic = 1;
  scenario.contexts.emplace_back();
  scenario.streams.emplace_back();
  engine::gpu::StreamOperation kernel;
  kernel.duration = us(7'900);
  kernel.memory_share = 1;
  scenario.operations.push_back(kernel);
  const auto run = engine::gpu::simulate_streams(scenario, 1000).value();

  CHECK(results.tasks[device].response.max == us(23'700));
  CHECK(run.operations.front().completion == Instant::at(us(23'700)));
  REQUIRE(results.tasks[device].bound.worst);
  CHECK(*results.tasks[device].bound.worst >= us(23'700));
  CHECK(*results.tasks[device].bound.worst < us(23'710));
  CHECK(part(results.tasks[device].contributions, ContributionKind::kernel) == us(7'900));
  Duration named;
  for (const TaskIndex by : readers) {
    CHECK(part(results.tasks[device].contributions, ContributionKind::interference, TrafficKind::cpu, by) == us(3'160));
    named += part(results.tasks[device].bound.parts, ContributionKind::interference, TrafficKind::cpu, by);
  }
  CHECK(named == part(results.tasks[device].bound.parts, ContributionKind::interference, TrafficKind::cpu));
  CHECK(named >= us(15'800));
}

TEST_CASE("CPU traffic slows a kernel down while accesses last and by the number of cores") {
  DeviceProfile profile = plain_profile(us(1000));
  profile.interference.kernel_by_cpu = {3'000'000};
  profile.interference.accessing_cores = 2;
  SystemMaker maker;
  reader(maker, "a", 20);      // 0 … 20
  reader(maker, "b", 30, 10);  // 10 … 40
  const TaskIndex device = maker.task("device", maker.gpu("GPU"), 0, maker.periodic(100'000));
  maker.kernel(device, 100);
  // 10 us at 2, 10 at 3, 20 at 2: 5 + 10/3 + 10 of the kernel's work in the first 40 us.
  const auto results = simulated(maker.build(), profile);
  CHECK(results.tasks[device].response.max == us(40) + us(85) - scale(us(10), 1, 3, Rounding::down));

  // The bound counts the accesses of both with the full factor: 2/3 of 50 us.
  const Duration bound = *results.tasks[device].bound.worst;
  CHECK(bound >= us(100) + scale(us(50), 2, 3, Rounding::down));
  CHECK(bound < us(134));
}

TEST_CASE("accesses to memory that the GPU does not reach cause no traffic") {
  DeviceProfile profile = plain_profile(us(1000));
  profile.interference.kernel_by_cpu = {3'000'000};
  SystemMaker maker;
  const TaskIndex task = reader(maker, "a", 50);
  const TaskIndex device = maker.task("device", maker.gpu("GPU"), 0, maker.periodic(100'000));
  maker.kernel(device, 10);
  auto& platform = maker.system().platform;
  platform.memories.push_back({"scratchpad", {}});
  platform.units[0].accesses.push_back({1, Cycles{1, 1, 1}, Cycles{1, 1, 1}, {}});
  maker.system().labels.front().memory = MemoryIndex{1};
  const auto results = simulated(maker.build(), profile);
  CHECK(results.tasks[task].response.max == us(50));
  CHECK(results.tasks[device].response.max == us(10));
  CHECK(*results.tasks[device].bound.worst < us(11));
}

TEST_CASE("under dynamic contention an access costs what the accesses of others at the same time add") {
  SystemMaker maker;
  const TaskIndex a = reader(maker, "a", 10), b = reader(maker, "b", 10, 20);
  const TaskIndex idle = maker.task("c", maker.core("core of c"), 1, maker.periodic(100'000));
  maker.compute(idle, 50);
  const System system = maker.build();
  const DeviceProfile profile = plain_profile(us(1000));
  const auto still = simulated(system, profile, Contention::static_, table(2, 1, 5));
  // Two other cores with tasks: 4 us a line.
  CHECK(still.tasks[a].response.max == us(40));
  CHECK(still.tasks[b].response.max == us(40));
  CHECK(part(still.tasks[a].contributions, ContributionKind::memory) == us(40));

  // `a` ends at 20 us, when `b` begins: both are alone.
  const auto alone = simulated(system, profile, Contention::dynamic, table(2, 1, 5));
  CHECK(alone.tasks[a].response.max == us(20));
  CHECK(alone.tasks[b].response.max == us(20));
  CHECK(*alone.tasks[a].bound.worst == *still.tasks[a].bound.worst);

  // With `b` from 10 us on, half of each access has company: 10 us alone, then 15 us for 5 lines.
  System closer = system;
  for (Stimulus& stimulus : closer.stimuli)
    if (auto* periodic = std::get_if<Periodic>(&stimulus.occurrence); periodic != nullptr && periodic->offset == us(20))
      periodic->offset = us(10);
  const auto dynamic = simulated(closer, profile, Contention::dynamic, table(2, 1, 5));
  CHECK(dynamic.tasks[a].response.max == us(25));
  CHECK(dynamic.tasks[b].response.max == us(25));
  CHECK(part(dynamic.tasks[a].contributions, ContributionKind::memory) == us(20));
  CHECK(part(dynamic.tasks[a].contributions, ContributionKind::interference, TrafficKind::cpu, b) == us(5));
}

TEST_CASE("under dynamic contention an access costs the share of a GPU only while it accesses memory") {
  SystemMaker maker;
  const TaskIndex a = reader(maker, "a", 10);
  const TaskIndex device = maker.task("device", maker.gpu("GPU"), 0, maker.periodic(100'000));
  maker.kernel(device, 10, 0);  // without a memory share
  maker.kernel(device, 20);
  const System system = maker.build();
  const DeviceProfile profile = plain_profile(us(1000));
  CHECK(simulated(system, profile, Contention::static_, table(2, 1, 5)).tasks[a].response.max == us(70));
  // 5 lines of 2 us, then 20 us at 7 us a line, then the rest.
  const auto results = simulated(system, profile, Contention::dynamic, table(2, 1, 5));
  const Duration rest = us(10) - scale(us(20), 2, 7, Rounding::down);
  CHECK(results.tasks[a].response.max == us(30) + rest);
  CHECK(part(results.tasks[a].contributions, ContributionKind::interference, TrafficKind::kernels, device) > us(14));
}

TEST_CASE("the slowdown by copies grows with the number of processes that copy and ends at the factor") {
  // The shape of the published curve: the maximum is reached at the last process, not at the first.
  const DeviceProfile& tx2 = *engine::find_profile("tx2");
  const engine::nvidia::ContentionLaw law(tx2);
  engine::nvidia::Neighbourhood beside;
  beside.kernels.push_back({1, {1}});
  for (const bool set : {false, true}) {
    (set ? beside.memset : beside.memcpy) = 0;
    (set ? beside.memcpy : beside.memset).reset();
    const engine::Slowdown full = set ? tx2.interference.kernel_by_memset : tx2.interference.kernel_by_memcpy;
    engine::Slowdown before;
    for (std::int64_t processes = 1; processes <= tx2.interference.copying_processes; ++processes) {
      beside.copying_processes = processes;
      const engine::Slowdown found = law.on_kernel(beside, 0, 0).slowdown;
      CHECK(found > before);
      CHECK((found == full) == (processes == tx2.interference.copying_processes));
      before = found;
    }
    beside.copying_processes = 100;
    CHECK(law.on_kernel(beside, 0, 0).slowdown == full);
  }
}

TEST_CASE("copies slow a kernel down by the data that does not fit into the L2") {
  const DeviceProfile& tx2 = *engine::find_profile("tx2");
  const engine::nvidia::ContentionLaw law(tx2);
  engine::gpu::KernelMemory memory;
  engine::nvidia::Neighbourhood beside;
  beside.kernels.push_back({1, {1}, &memory});
  beside.memcpy = 0;
  beside.copying_processes = tx2.interference.copying_processes;
  const auto at = [&](std::int64_t kib) {
    memory.footprint = kib * 1024;
    return law.on_kernel(beside, 0, 0).slowdown;
  };
  CHECK(at(64) == engine::Slowdown{});
  CHECK(at(512) == engine::Slowdown{});
  engine::Slowdown before;
  for (const std::int64_t kib : {513, 768, 1024, 4096, 51'200, 512'000}) {
    CHECK(at(kib) > before);
    before = at(kib);
  }
  CHECK(before > engine::Slowdown{2'990'000});
  CHECK(before <= tx2.interference.kernel_by_memcpy);
  CHECK(at(0) == tx2.interference.kernel_by_memcpy);  // unknown
}

TEST_CASE("the worst slowdown by CPUs is the largest measured one with a margin or the factor of the table") {
  const DeviceProfile& tx2 = *engine::find_profile("tx2");
  const engine::nvidia::ContentionLaw law(tx2);
  engine::gpu::KernelMemory memory;
  CHECK(law.worst_by_cpu(memory, 1).slowdown == tx2.interference.kernel_by_cpu);
  CHECK(law.worst_by_cpu(memory, 0.5).slowdown.ppm == 2'000'000);
  CHECK(law.worst_by_cpu(memory, 1).basis == engine::gpu::ContentionBasis::table);
  auto& kernel = memory.described.emplace();
  kernel.pattern = engine::gpu::AccessPattern::random;
  kernel.footprint = memory.footprint = 1024 * 1024;
  // 463 against 379 cycles.
  CHECK(law.worst_by_cpu(memory, 1).slowdown.ppm == Approx(1.1 * 1'222'000).epsilon(0.001));
  CHECK(law.worst_by_cpu(memory, 1).basis == engine::gpu::ContentionBasis::measured);
  kernel.footprint = memory.footprint = 512 * 1024;
  CHECK(law.worst_by_cpu(memory, 1).slowdown.ppm < 1'200'000);
  kernel.threads = 256;  // not measured
  CHECK(law.worst_by_cpu(memory, 1).slowdown == tx2.interference.kernel_by_cpu);
  CHECK(law.worst_by_cpu(memory, 1).basis == engine::gpu::ContentionBasis::table);
}

namespace {

/// Every access takes at least its time without interference and at most its stated one, and no operation is slowed
/// down by more than the worst case.
class SpeedChecker final : public engine::SimulationObserver {
 public:
  SpeedChecker(const RandomSystem& drawn, const std::vector<engine::Program>& programs)
      : drawn_(drawn), programs_(programs), law_(drawn.profile) {}

  void interval(const engine::Interval& interval) override {
    const engine::Reason& reason = interval.standing.reason;
    if (interval.standing.doing == engine::Activities::accessing && interval.node)
      accesses_[{interval.task, interval.job, *interval.node}] += interval.to - interval.from;
    if (drawn_.system.tasks[interval.task].side != Side::device || !reason.by) return;
    if (reason.kind != ContributionKind::kernel && reason.kind != ContributionKind::copy) return;
    const auto& table = drawn_.profile.interference;
    const engine::Slowdown worst =
        reason.kind == ContributionKind::copy
            ? std::max(table.copy_by_kernel, law_.worst_of_copy_by_cpu())
            : std::max({table.kernel_by_memcpy, table.kernel_by_memset, table.kernel_by_same_sm,
                        table.kernel_by_same_gpc, table.kernel_by_other_gpc, law_.worst_by_cpu({}, 1).slowdown});
    if (reason.slowdown > worst) ++faults;
    ++operations;
  }

  void completed(TaskIndex task, std::uint64_t job, Instant, Instant) override {
    const engine::Program& program = programs_[task];
    for (const engine::Step& step : program.steps) {
      const auto found = accesses_.find({task, job, step.node});
      if (found == accesses_.end() || !program.unanalyzable.empty() || !accesses_memory(drawn_.system, step)) continue;
      if (found->second > step.work || found->second < step.uncontended) ++faults;
      contended += found->second > step.uncontended ? 1 : 0;
      saved += found->second < step.work ? 1 : 0;
    }
  }

  std::uint64_t faults = 0, contended = 0, saved = 0, operations = 0;

 private:
  const RandomSystem& drawn_;
  const std::vector<engine::Program>& programs_;
  engine::nvidia::ContentionLaw law_;
  std::map<std::tuple<TaskIndex, std::uint64_t, NodeIndex>, Duration> accesses_;
};

void check_speeds(std::uint32_t seed, int systems) {
  std::mt19937 random(seed);
  RandomSystemOptions options;
  options.must = features_of({SystemFeature::dynamic_contention, SystemFeature::cpu_traffic});
  std::uint64_t contended = 0, saved = 0, operations = 0;
  for (int index = 0; index < systems; ++index) {
    const RandomSystem drawn = random_system(random, options);
    std::vector<const DeviceProfile*> devices(drawn.system.platform.units.size(), nullptr);
    for (UnitIndex unit = 0; unit < devices.size(); ++unit)
      if (drawn.system.platform.units[unit].type == PuType::gpu) devices[unit] = &drawn.profile;
    engine::CompileOptions compile;
    compile.memory = drawn.memory;
    const auto programs = engine::compile_programs(drawn.system, Execution::worst, devices, compile);
    const auto periods = engine::periods_of(drawn.system);
    for (const Contention contention : {Contention::static_, Contention::dynamic}) {
      engine::SimulationInput input{drawn.system, programs, devices, us(1000), us(1000), periods};
      input.contention = contention;
      SpeedChecker checker(drawn, programs);
      input.observer = &checker;
      engine::Results results;
      engine::simulate(input, results);
      INFO("seed " << seed << ", system " << index << ", " << to_string(contention));
      CHECK(checker.faults == 0);
      if (contention == Contention::static_) CHECK(checker.saved == 0);
      contended += checker.contended;
      saved += checker.saved;
      operations += checker.operations;
    }
  }
  INFO(contended << " accesses with interference, " << saved << " with less than static, " << operations
                 << " operations slowed");
  CHECK(contended > static_cast<std::uint64_t>(systems));
  CHECK(saved > static_cast<std::uint64_t>(systems));
  CHECK(operations > static_cast<std::uint64_t>(systems));
}

}  // namespace

TEST_CASE("no access or operation is slowed down more under dynamic contention than under static") {
  check_speeds(5, 200);
}

TEST_CASE("in many systems nothing is slowed down more under dynamic contention than under static", "[long]") {
  check_speeds(6, is_thorough() ? 100'000 : times(5'000));
}

}  // namespace contention_test
