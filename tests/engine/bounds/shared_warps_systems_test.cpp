// SPDX-License-Identifier: Apache-2.0
// Bounds for kernels whose warps share SMs, in systems with everything that may be beside it: several processes, masks,
// slowdowns, hosts that wait. The simulation executes the warps; the adversary (tests/adversary) has its own SMs for
// letters.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/diagnostic.hpp"
#include "engine/nvidia/warp_policies.hpp"
#include "engine/nvidia/warps.hpp"
#include "engine/program/kernel_instructions.hpp"
#include "tests/support/bound_trial.hpp"
#include "tests/support/random_system.hpp"
#include "tests/support/thoroughness.hpp"

namespace bounds_shared_warps_systems_test {

using namespace amalthea;
using namespace amalthea::engine;
using namespace test;

namespace {

using F = SystemFeature;

class Drawing {
 public:
  explicit Drawing(std::uint32_t seed) : random_(seed) {}

  RandomSystem system() {
    RandomSystemOptions options;
    options.may =
        features_of({F::periodic,       F::jitter,       F::fixed_priority, F::several_cores,   F::memory,
                     F::cpu_traffic,    F::offload,      F::polling,        F::passive_waiting, F::work_beside,
                     F::several_visits, F::device_alone, F::shared_context, F::shared_stream,   F::copy,
                     F::memset,         F::blocks,       F::context_switch, F::copy_engines,    F::interference,
                     F::varying_times});
    options.must = features_of({F::blocks});
    options.one_in = 3;
    RandomSystem drawn = random_system(random_, options);
    gpu::SmLimits& limits = *drawn.profile.multiprocessors;
    limits.sms = draw(1, 4);
    limits.sms_per_tpc = 1;
    limits.load_store_units = limits.special_units = 32;
    if (one_in(2)) slow(drawn.profile.interference);
    const bool masks = limits.sms > 1 && one_in(3), several = one_in(3), priorities = one_in(4);
    letters_ = one_in(3);
    mixed_ = one_in(4);
    for (Task& task : drawn.system.tasks) {
      if (task.side != Side::device) continue;
      task.gpu.context = several && one_in(2) ? "another process" : "one process";
      task.gpu.high_priority = priorities && one_in(2);
      task.gpu.sm_mask = masks && task.gpu.stream.empty() && one_in(2) ? mask(limits.sms) : "";
    }
    for (NodeIndex node = 0; node < drawn.system.graph.size(); ++node)
      if (auto* kernel = std::get_if<Kernel>(&drawn.system.graph[node].activity)) change(*kernel);
    for (ProcessingUnit& unit : drawn.system.platform.units) {
      if (unit.type != PuType::gpu || one_in(2)) continue;
      unit.warp_policy = any_of(nvidia::warp_policies()).name;
      unit.warp_pipelines = any_of(nvidia::warp_pipelines()).name;
    }
    Diagnostics findings;
    REQUIRE(resolve_instructions(drawn.system, &drawn.profile, findings));
    return drawn;
  }

 private:
  int draw(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool one_in(int n) { return draw(1, n) == 1; }
  template <typename All>
  const typename All::value_type& any_of(const All& all) {
    return all[static_cast<std::size_t>(draw(0, static_cast<int>(all.size()) - 1))];
  }

  void slow(gpu::InterferenceTable& table) {
    for (Slowdown* const factor : {&table.kernel_by_memcpy, &table.kernel_by_same_gpc, &table.kernel_by_other_gpc,
                                   &table.kernel_by_same_sm, &table.copy_by_kernel})
      if (one_in(2)) factor->ppm = 1'000'000 + draw(1, 2'000'000);
  }

  /// Enables at least one SM.
  std::string mask(std::int64_t sms) { return fmt::format("~0x{:x}", draw(1, (1 << sms) - 1)); }

  void change(Kernel& kernel) {
    Launch launch;
    launch.blocks = draw(1, 4);
    launch.threads = 32 * draw(1, 4);
    if (one_in(4)) launch.shared_memory = 4096 * draw(1, 8);
    if (one_in(8)) launch.registers = 255;  // few blocks on an SM
    kernel.launch = std::move(launch);
    if (one_in(6)) return;
    KernelInstructions stated;
    stated.budget = draw(1, 3);
    const bool letters = mixed_ ? one_in(2) : letters_;
    for (int left = draw(1, 4); left > 0; --left)
      if (letters)
        stated.text += fmt::format("{}{}", draw(1, 3), "LCS"[draw(0, 2)]);
      else
        stated.text += fmt::format("{}{}{}", stated.text.empty() ? "" : ",", one_in(3) ? "memory:" : "", draw(1, 8));
    kernel.instructions = std::move(stated);
  }

  std::mt19937 random_;
  bool letters_ = false, mixed_ = false;
};

BoundTrial tried(std::uint32_t seed, std::uint64_t systems) {
  Drawing drawing(seed);
  BoundTrial trial;
  for (std::uint64_t index = 0; index < systems; ++index) trial.run(drawing.system(), index, 4);
  return trial;
}

void check(const BoundTrial& trial) {
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(5 * trial.bounded > 4 * trial.unbounded);
}

}  // namespace

TEST_CASE("tasks whose kernels share SMs stay within their bounds, whatever else the system has") {
  check(tried(1, 300));
}

TEST_CASE("tasks of many more systems whose kernels share SMs stay within their bounds", "[long]") {
  check(tried(2, times(std::uint64_t{800})));
}

}  // namespace bounds_shared_warps_systems_test
