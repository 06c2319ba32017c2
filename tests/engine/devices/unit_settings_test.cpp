// SPDX-License-Identifier: Apache-2.0
// What a GPU of a model states in place of figures of its profile.

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include "engine/devices/chosen_devices.hpp"
#include "engine/gpu/profile_settings.hpp"

namespace unit_settings_test {

using namespace amalthea;
using engine::DeviceProfile;

namespace {

System with_gpu(std::vector<UnitSetting> settings) {
  System system;
  ProcessingUnit& gpu = system.platform.units.emplace_back();
  gpu.name = "GPU";
  gpu.type = PuType::gpu;
  gpu.device_profile = "orin";
  gpu.settings = std::move(settings);
  return system;
}

const DeviceProfile* chosen(const System& system, const DeviceProfile* for_all = nullptr) {
  return engine::choose_devices(system, for_all).profiles.front();
}

bool has(const std::vector<std::string>& figures, const std::string& figure) {
  return std::find(figures.begin(), figures.end(), figure) != figures.end();
}

}  // namespace

TEST_CASE("what a GPU states precedes its profile, and is no assumption of the profile") {
  const System system = with_gpu({{"gpu.copyEngines", "2"},
                                  {"gpu.preemption", "block"},
                                  {"gpu.contextSwitch", "70 us"},
                                  {"gpu.cpuTraffic", "0.5"},
                                  {"gpu.kernelSlowdownByMemcpy", "1.25"},
                                  {"gpu.copySlowdownByCpu", "3"},
                                  {"gpu.copyingProcesses", "4"}});
  const DeviceProfile& orin = *engine::find_profile("orin");
  REQUIRE(has(orin.assumed, "context_switch_us"));
  DeviceProfile expected = orin;
  expected.copy_engines = 2;
  expected.preemption = engine::gpu::Preemption::block;
  expected.context_switch = Duration::microseconds(70);
  expected.cpu_traffic = 0.5;
  expected.interference.kernel_by_memcpy = {1'250'000};
  expected.interference.copy_by_cpu = {3'000'000};
  expected.interference.copying_processes = 4;
  for (auto* figures : {&expected.unknown, &expected.assumed, &expected.left_out})
    for (const char* stated : {"context_switch_us", "kernel_slowdown_by_memcpy", "copy_slowdown_by_cpu"})
      std::erase(*figures, stated);
  CHECK(*chosen(system) == expected);
  CHECK_FALSE(has(chosen(system)->assumed, "context_switch_us"));
  const DeviceProfile asked = *engine::find_profile("xavier");
  CHECK(chosen(system, &asked)->multiprocessors == asked.multiprocessors);
  CHECK(chosen(system, &asked)->context_switch == Duration::microseconds(70));
}

TEST_CASE("equal profiles with settings are one, and without settings there is no copy") {
  const System one = with_gpu({{"gpu.copyEngines", "1"}}), other = with_gpu({{"gpu.copyEngines", "2"}});
  CHECK(chosen(one) == chosen(System(one)));
  CHECK(chosen(one) != chosen(other));
  CHECK(chosen(with_gpu({})) == engine::find_profile("orin"));
}

TEST_CASE("every setting reads what it writes") {
  for (const engine::gpu::ProfileSetting& setting : engine::gpu::profile_settings())
    for (DeviceProfile profile : engine::built_in_profiles()) {
      if (!has_effect(setting, profile)) continue;
      INFO(setting.property);
      if (profile.amd) profile.amd->ace_slice = Duration::microseconds(7);
      System system = with_gpu({{std::string(setting.property), setting.text(profile)}});
      system.platform.units.front().device_profile = profile.amd ? "radeon-vii" : "orin";
      CHECK(engine::gpu::fault_of(system.platform.units.front().settings.front()) == "");
      CHECK(setting.text(*chosen(system)) == setting.text(profile));
    }
}

TEST_CASE("figures of an AMD GPU change its parts together, and no other GPU") {
  System system = with_gpu({{"gpu.shaderEngines", "3"},
                            {"gpu.unitsPerEngine", "7"},
                            {"gpu.aces", "2"},
                            {"gpu.slotsPerAce", "5"},
                            {"gpu.poolQueues", "6"},
                            {"gpu.aceSlice", "2 ms"},
                            {"gpu.turns", "oldest"}});
  CHECK(*chosen(system) == *engine::find_profile("orin"));
  DeviceProfile radeon = *engine::find_profile("radeon-vii");
  radeon.unknown = {"count", "aces", "preemption"};
  CHECK(chosen(system, &radeon)->unknown == std::vector<std::string>{"preemption"});
  CHECK(chosen(system, &radeon)->multiprocessors->sms == 21);
  CHECK(chosen(system, &radeon)->multiprocessors->sms_per_gpc == 7);
  const engine::gpu::QueueArchitecture& amd = *chosen(system, &radeon)->amd;
  CHECK(amd.aces == 2);
  CHECK(amd.slots_per_ace == 5);
  CHECK(amd.pool_queues == 6);
  CHECK(amd.ace_slice == Duration::milliseconds(2));
  CHECK(amd.turns == engine::gpu::TurnRule::oldest);
  CHECK(amd.kernels == radeon.amd->kernels);
  CHECK(chosen(with_gpu({{"gpu.unitsPerEngine", "7"}}), &radeon)->multiprocessors->sms == 4 * 7);
  CHECK(chosen(with_gpu({{"gpu.shaderEngines", "7"}}), &radeon)->multiprocessors->sms == 7 * 15);
}

TEST_CASE("a setting that cannot be read names what is expected") {
  const auto fault = [](const char* property, const char* value) { return engine::gpu::fault_of({property, value}); };
  CHECK(fault("gpu.copyEngines", "3") == "expected 1 or 2");
  CHECK(fault("gpu.copyEngines", "two") == "expected a whole number from 1 to 2^63 - 1");
  CHECK(fault("gpu.preemption", "blocks") == "expected one of \"instruction\", \"block\", \"kernel\"");
  CHECK(fault("gpu.contextSwitch", "1.5 us") == "expected a whole time; write \"1500ns\"");
  CHECK(fault("gpu.contextSwitch", "70") == "expected a whole time such as \"5ms\" or \"2500us\"");
  CHECK(fault("gpu.contextSwitch", "-1 us") == "expected a whole time such as \"5ms\" or \"2500us\"");
  CHECK(fault("gpu.kernelSlowdownByCpu", "0.5") == "expected a number from 1 to 1000");
  CHECK(fault("gpu.kernelSlowdownByCpu", "nan") == "expected a number from 1 to 1000");
  CHECK(fault("gpu.copyingProcesses", "99999999999999999999") == "expected a whole number from 1 to 2^63 - 1");
  CHECK(fault("gpu.contextSwitch", "0 us") == "");
  CHECK(fault("gpu.shaderEngines", "65") == "expected a whole number from 1 to 64");
  CHECK(fault("gpu.unitsPerEngine", "0") == "expected a whole number from 1 to 1024");
  CHECK(fault("gpu.poolQueues", "1025") == "expected a whole number from 1 to 1024");
  CHECK(fault("gpu.aceSlice", "999 ns") == "a slice takes a microsecond or more");
  CHECK(fault("gpu.turns", "newest") == "expected one of \"round_robin\", \"oldest\"");
  const DeviceProfile& radeon = *engine::find_profile("radeon-vii");
  CHECK(chosen(with_gpu({{"gpu.aces", "65"}}), &radeon)->amd->aces == radeon.amd->aces);
  const System system = with_gpu({{"gpu.copyEngines", "3"}});
  CHECK(chosen(system)->copy_engines == engine::find_profile("orin")->copy_engines);
}

}  // namespace unit_settings_test
