// SPDX-License-Identifier: Apache-2.0
#include "engine/gpu/profile_settings.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"

namespace amalthea::engine::gpu {
namespace {

using Error = std::optional<TextError>;
using On = ProfileSetting::On;

Error read_copy_engines(const JsonValue& value, DeviceProfile& profile) {
  std::int64_t engines = 0;
  if (auto error = read_number(value, 1, engines)) return error;
  if (engines > 2) return error_at(value, "expected 1 or 2");
  profile.copy_engines = static_cast<int>(engines);
  return std::nullopt;
}

Error read_preemption(const JsonValue& value, DeviceProfile& profile) {
  return read_choice(value, {Preemption::instruction, Preemption::block, Preemption::kernel}, profile.preemption);
}

Error read_context_switch(const JsonValue& value, DeviceProfile& profile) {
  return read_time(value, false, profile.context_switch);
}

Error read_stream_preemption(const JsonValue& value, DeviceProfile& profile) {
  if (profile.amd) return error_at(value, "streams of an AMD GPU have no priorities");
  return read_time(value, false, profile.stream_preemption);
}

Error read_copying_processes(const JsonValue& value, DeviceProfile& profile) {
  return read_number(value, 1, profile.interference.copying_processes);
}

Error read_cpu_traffic(const JsonValue& value, DeviceProfile& profile) {
  return read_real(value, 0, 1, profile.cpu_traffic);
}

template <Slowdown InterferenceTable::*factor>
Error read_factor(const JsonValue& value, DeviceProfile& profile) {
  double times = 1;
  if (auto error = read_real(value, 1, 1000, times)) return error;
  profile.interference.*factor = {std::llround(times * 1e6)};
  return std::nullopt;
}

template <Slowdown InterferenceTable::*factor>
std::string factor_text(const DeviceProfile& profile) {
  return fmt::format("{}", static_cast<double>((profile.interference.*factor).ppm) / 1e6);
}

template <Slowdown InterferenceTable::*factor>
ProfileSetting a_factor(std::string_view property, std::string_view key, std::string_view figure) {
  return {property, key, "interference", figure, On::nvidia, read_factor<factor>, factor_text<factor>};
}

std::int64_t shader_engines(const DeviceProfile& profile) {
  return profile.multiprocessors.value().sms / profile.multiprocessors->sms_per_gpc;
}

void set_units(DeviceProfile& profile, std::int64_t engines, std::int64_t units_of_each) {
  profile.multiprocessors.value().sms = engines * units_of_each;
  profile.multiprocessors->sms_per_gpc = units_of_each;
}

Error read_shader_engines(const JsonValue& value, DeviceProfile& profile) {
  std::int64_t engines = 1;
  if (auto error = read_limited(value, 1, 64, engines)) return error;
  set_units(profile, engines, profile.multiprocessors.value().sms_per_gpc);
  return std::nullopt;
}

Error read_units_per_engine(const JsonValue& value, DeviceProfile& profile) {
  std::int64_t units = 1;
  if (auto error = read_limited(value, 1, 1024, units)) return error;
  set_units(profile, shader_engines(profile), units);
  return std::nullopt;
}

template <std::int64_t QueueArchitecture::*count, std::int64_t most>
ProfileSetting a_count(std::string_view property, std::string_view key) {
  return {property,
          key,
          "amd",
          key,
          On::amd,
          [](const JsonValue& value, DeviceProfile& profile) {
            return read_limited(value, 1, most, profile.amd.value().*count);
          },
          [](const DeviceProfile& profile) { return std::to_string(profile.amd.value().*count); }};
}

Error read_ace_slice(const JsonValue& value, DeviceProfile& profile) {
  Duration slice;
  if (auto error = read_time(value, false, slice)) return error;
  if (slice < Duration::microseconds(1)) return error_at(value, "a slice takes a microsecond or more");
  profile.amd.value().ace_slice = slice;
  return std::nullopt;
}

Error read_turns(const JsonValue& value, DeviceProfile& profile) {
  return read_choice(value, {TurnRule::round_robin, TurnRule::oldest}, profile.amd.value().turns);
}

/// The value of a property as JSON says it.
JsonValue json_of(const std::string& text) {
  JsonValue value;
  if (const auto whole = parse_integer(text))
    value.value = *whole;
  else if (const auto real = parse_double(text))
    value.value = *real;
  else
    value.value = text;
  return value;
}

}  // namespace

std::optional<TextError> read_limited(const JsonValue& value, std::int64_t least, std::int64_t most,
                                      std::int64_t& target) {
  std::int64_t number = 0;
  if (read_number(value, least, number) || number > most)
    return error_at(value, fmt::format("expected a whole number from {} to {}", least, most));
  target = number;
  return std::nullopt;
}

const std::vector<ProfileSetting>& profile_settings() {
  using Table = InterferenceTable;
  static const std::vector<ProfileSetting> settings = {
      {"gpu.copyEngines", "copy_engines", "", "copy_engines", On::all, read_copy_engines,
       [](const DeviceProfile& profile) { return std::to_string(profile.copy_engines); }},
      {"gpu.preemption", "preemption", "", "preemption", On::nvidia, read_preemption,
       [](const DeviceProfile& profile) { return std::string(name_of(profile.preemption)); }},
      {"gpu.contextSwitch", "context_switch", "", "context_switch_us", On::nvidia, read_context_switch,
       [](const DeviceProfile& profile) { return fmt::format("{} ps", profile.context_switch.picoseconds()); }},
      {"gpu.streamPreemption", "stream_preemption", "", "stream_preemption_us", On::nvidia, read_stream_preemption,
       [](const DeviceProfile& profile) { return fmt::format("{} ps", profile.stream_preemption.picoseconds()); }},
      {"gpu.cpuTraffic", "cpu_traffic", "", "cpu_traffic", On::nvidia, read_cpu_traffic,
       [](const DeviceProfile& profile) { return fmt::format("{}", profile.cpu_traffic); }},
      a_factor<&Table::kernel_by_memcpy>("gpu.kernelSlowdownByMemcpy", "kernel_by_memcpy", "kernel_slowdown_by_memcpy"),
      a_factor<&Table::kernel_by_memset>("gpu.kernelSlowdownByMemset", "kernel_by_memset", "kernel_slowdown_by_memset"),
      a_factor<&Table::kernel_by_same_sm>("gpu.kernelSlowdownBySameSm", "kernel_by_same_sm",
                                          "kernel_slowdown_by_same_sm"),
      a_factor<&Table::kernel_by_same_gpc>("gpu.kernelSlowdownBySameGpc", "kernel_by_same_gpc",
                                           "kernel_slowdown_by_same_gpc"),
      a_factor<&Table::kernel_by_other_gpc>("gpu.kernelSlowdownByOtherGpc", "kernel_by_other_gpc",
                                            "kernel_slowdown_by_other_gpc"),
      a_factor<&Table::kernel_by_cpu>("gpu.kernelSlowdownByCpu", "kernel_by_cpu", "kernel_slowdown_by_cpu"),
      a_factor<&Table::copy_by_kernel>("gpu.copySlowdownByKernel", "copy_by_kernel", "copy_slowdown_by_kernel"),
      a_factor<&Table::copy_by_cpu>("gpu.copySlowdownByCpu", "copy_by_cpu", "copy_slowdown_by_cpu"),
      {"gpu.copyingProcesses", "copying_processes", "interference", "copying_processes", On::nvidia,
       read_copying_processes,
       [](const DeviceProfile& profile) { return std::to_string(profile.interference.copying_processes); }},
      {"gpu.shaderEngines", "shader_engines", "amd", "count", On::amd, read_shader_engines,
       [](const DeviceProfile& profile) { return std::to_string(shader_engines(profile)); }},
      {"gpu.unitsPerEngine", "units_per_engine", "amd", "per_gpc", On::amd, read_units_per_engine,
       [](const DeviceProfile& profile) { return std::to_string(profile.multiprocessors.value().sms_per_gpc); }},
      a_count<&QueueArchitecture::aces, 64>("gpu.aces", "aces"),
      a_count<&QueueArchitecture::slots_per_ace, 64>("gpu.slotsPerAce", "slots_per_ace"),
      a_count<&QueueArchitecture::pool_queues, 1024>("gpu.poolQueues", "pool_queues"),
      {"gpu.aceSlice", "ace_slice", "amd", "ace_slice", On::amd, read_ace_slice,
       [](const DeviceProfile& profile) { return fmt::format("{} ps", profile.amd.value().ace_slice.picoseconds()); }},
      {"gpu.turns", "turns", "amd", "turns", On::amd, read_turns,
       [](const DeviceProfile& profile) { return std::string(name_of(profile.amd.value().turns)); }}};
  return settings;
}

bool has_effect(const ProfileSetting& setting, const DeviceProfile& profile) {
  return setting.on == On::all || (setting.on == On::amd) == profile.amd.has_value();
}

const ProfileSetting* find_setting(std::string_view key, std::string_view object) {
  for (const ProfileSetting& setting : profile_settings())
    if (setting.key == key && setting.object == object) return &setting;
  return nullptr;
}

const ProfileSetting* setting_of(std::string_view property) {
  for (const ProfileSetting& setting : profile_settings())
    if (setting.property == property) return &setting;
  return nullptr;
}

void is_stated(DeviceProfile& profile, std::string_view figure) {
  for (auto* figures : {&profile.unknown, &profile.assumed, &profile.left_out}) std::erase(*figures, figure);
}

std::string fault_of(const UnitSetting& stated) {
  const ProfileSetting* setting = setting_of(stated.property);
  DeviceProfile ignored;
  if (setting != nullptr && setting->on == On::amd) ignored = *find_profile("radeon-vii");
  const auto error = setting != nullptr ? setting->read(json_of(stated.value), ignored) : std::nullopt;
  return error ? error->message : std::string();
}

const DeviceProfile* with_settings(const DeviceProfile& profile, const ProcessingUnit& unit) {
  DeviceProfile changed = profile;
  for (const UnitSetting& stated : unit.settings) {
    const ProfileSetting* setting = setting_of(stated.property);
    if (setting == nullptr || (setting->on == On::amd && !profile.amd)) continue;
    if (setting->read(json_of(stated.value), changed)) continue;
    is_stated(changed, setting->figure);
  }
  // Whoever analyzes a System refers to its profiles by pointers, so each is kept, once.
  static std::mutex guard;
  static std::deque<DeviceProfile> kept;
  const std::lock_guard lock(guard);
  const auto known = std::find(kept.begin(), kept.end(), changed);
  return known != kept.end() ? &*known : &kept.emplace_back(std::move(changed));
}

}  // namespace amalthea::engine::gpu
