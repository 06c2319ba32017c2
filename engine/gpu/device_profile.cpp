// SPDX-License-Identifier: Apache-2.0
#include "engine/gpu/device_profile.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <variant>

#include <fmt/core.h>

#include "amalthea/primitives/ascii.hpp"
#include "amalthea/primitives/near_miss.hpp"
#include "engine/input/located_json.hpp"

namespace amalthea::engine {
namespace {

struct EmbeddedProfile {
  std::string_view name;
  std::string_view json;
};
#include "built_in_profiles.inc"

/// Thrown by what reads a part of a profile.
struct Refused {
  TextError error;
};

[[noreturn]] void refuse(const JsonValue& value, std::string_view what) { throw Refused{error_at(value, what)}; }

const JsonValue* find(const JsonValue& json, std::string_view key) {
  const auto* object = std::get_if<JsonObject>(&json.value);
  if (object == nullptr) refuse(json, "expected an object");
  return find_member(*object, key);
}

const JsonValue& at(const JsonValue& json, std::string_view key) {
  const JsonValue* value = find(json, key);
  if (value == nullptr) refuse(json, fmt::format("\"{}\" is missing", key));
  return *value;
}

std::string text_at(const JsonValue& json, std::string_view key) {
  std::string text;
  if (const auto error = read_text(at(json, key), text)) throw Refused{*error};
  return text;
}

/// The elements of a list; none where there is no such list.
std::vector<JsonValue> list_at(const JsonValue& json, std::string_view key) {
  const JsonValue* value = find(json, key);
  if (value == nullptr) return {};
  const auto* list = std::get_if<JsonArray>(&value->value);
  if (list == nullptr) refuse(*value, "expected a list");
  return list->elements;
}

/// A number >= minimum under `{"value": …, "source": …}`.
double number(const JsonValue& json, std::string_view key, double minimum) {
  double value = 0;
  if (const auto error = read_real(at(at(json, key), "value"), minimum, 1e6, value)) throw Refused{*error};
  return value;
}

Duration microseconds(const JsonValue& json, std::string_view key, double minimum) {
  return Duration::picoseconds(std::llround(number(json, key, minimum) * 1e6));
}

/// Sets `target` to the whole number between `minimum` and `maximum` under `{"value": …, "source": …}`.
void count(const JsonValue& json, std::string_view key, std::int64_t minimum, std::int64_t maximum,
           std::int64_t& target) {
  const JsonValue& value = at(at(json, key), "value");
  const auto* whole = std::get_if<std::int64_t>(&value.value);
  if (whole == nullptr || *whole < minimum || *whole > maximum)
    refuse(value, fmt::format("expected a whole number from {} to {}", minimum, maximum));
  target = *whole;
}

/// Everything is required, so that no figure is one of another device by accident.
gpu::SmLimits sm_limits(const JsonValue& json) {
  constexpr std::int64_t many = 1 << 30;
  gpu::SmLimits limits;
  if (find(json, "warp_size") != nullptr) count(json, "warp_size", 1, 1024, limits.warp_size);
  count(json, "count", 1, 1024, limits.sms);
  count(json, "per_gpc", 1, limits.sms, limits.sms_per_gpc);
  limits.sms_per_tpc = std::min(limits.sms_per_tpc, limits.sms);
  if (find(json, "per_tpc") != nullptr) count(json, "per_tpc", 1, limits.sms, limits.sms_per_tpc);
  count(json, "max_threads", limits.warp_size, 1 << 20, limits.threads);
  count(json, "max_threads_per_block", 1, limits.threads, limits.threads_per_block);
  count(json, "max_blocks", 1, 65536, limits.blocks);
  count(json, "registers", 1, many, limits.registers);
  count(json, "max_registers_per_block", 1, limits.registers, limits.registers_per_block);
  count(json, "max_registers_per_thread", 1, 65536, limits.registers_per_thread);
  count(json, "register_unit_per_warp", 1, 65536, limits.register_unit);
  count(json, "shared_memory", 0, many, limits.shared_memory);
  count(json, "max_shared_memory_per_block", 0, limits.shared_memory, limits.shared_memory_per_block);
  count(json, "shared_memory_unit", 1, 65536, limits.shared_memory_unit);
  count(json, "shared_memory_ignored", 0, many, limits.shared_memory_ignored);
  count(json, "cores", 1, 65536, limits.cores);
  count(json, "warp_schedulers", 1, 65536, limits.warp_schedulers);
  for (const auto& [key, target] :
       {std::pair{"load_store_units", &limits.load_store_units}, std::pair{"special_units", &limits.special_units},
        std::pair{"double_units", &limits.double_units}, std::pair{"int32_units", &limits.int32_units},
        std::pair{"tensor_units", &limits.tensor_units}})
    if (find(json, key) != nullptr) count(json, key, 1, 65536, *target);
  return limits;
}

Slowdown slowdown(const JsonValue& json, std::string_view key) { return {std::llround(number(json, key, 1) * 1e6)}; }

/// Without a figure there is no slowdown.
Slowdown optional_slowdown(const JsonValue& json, std::string_view key) {
  return find(json, key) != nullptr ? slowdown(json, key) : Slowdown{};
}

gpu::InterferenceTable interference(const JsonValue& json) {
  gpu::InterferenceTable table;
  table.kernel_by_memcpy = slowdown(json, "kernel_slowdown_by_memcpy");
  table.kernel_by_memset = slowdown(json, "kernel_slowdown_by_memset");
  table.kernel_by_same_gpc = optional_slowdown(json, "kernel_slowdown_by_same_gpc");
  table.kernel_by_other_gpc = optional_slowdown(json, "kernel_slowdown_by_other_gpc");
  table.kernel_by_same_sm = optional_slowdown(json, "kernel_slowdown_by_same_sm");
  table.kernel_by_cpu = optional_slowdown(json, "kernel_slowdown_by_cpu");
  table.copy_by_kernel = slowdown(json, "copy_slowdown_by_kernel");
  table.copy_by_cpu = optional_slowdown(json, "copy_slowdown_by_cpu");
  if (find(json, "copying_processes") != nullptr) count(json, "copying_processes", 1, 1000, table.copying_processes);
  if (find(json, "accessing_cores") != nullptr) count(json, "accessing_cores", 1, 1000, table.accessing_cores);
  if (find(json, "l2_cache") != nullptr) count(json, "l2_cache", 1, std::int64_t{1} << 40, table.l2_cache);
  return table;
}

/// The largest measured slowdowns; all bounds of a case are required.
std::vector<gpu::MeasuredCase> measured_cases(const JsonValue& json) {
  std::vector<gpu::MeasuredCase> cases;
  for (const JsonValue& entry : list_at(json, "cases")) {
    gpu::MeasuredCase& measured = cases.emplace_back();
    const std::string pattern = text_at(entry, "pattern"), location = text_at(entry, "location");
    if (pattern != "sequential" && pattern != "random") refuse(at(entry, "pattern"), "expected sequential or random");
    if (location != "device" && location != "zero-copy") refuse(at(entry, "location"), "expected device or zero-copy");
    measured.pattern = pattern == "random" ? gpu::AccessPattern::random : gpu::AccessPattern::sequential;
    measured.location = location == "device" ? gpu::MemoryLocation::device : gpu::MemoryLocation::zero_copy;
    std::int64_t kib = 1;
    count(entry, "max_footprint_kib", 1, 1 << 30, kib);
    measured.footprint = kib * 1024;
    count(entry, "max_threads", 1, 65536, measured.threads);
    count(entry, "max_blocks", 1, 1 << 20, measured.blocks);
    measured.by_cpu = slowdown(entry, "kernel_slowdown_by_cpu");
  }
  return cases;
}

gpu::Preemption preemption(const JsonValue& json) {
  gpu::Preemption chosen{};
  if (const auto error =
          read_choice(json, {gpu::Preemption::instruction, gpu::Preemption::block, gpu::Preemption::kernel}, chosen))
    throw Refused{*error};
  return chosen;
}

/// In parts per million.
std::int64_t percent(const JsonValue& json, std::string_view key) { return std::llround(number(json, key, 0) * 1e4); }

/// Everything is required here too.
gpu::NamedKernel named_kernel(const JsonValue& json) {
  gpu::NamedKernel kernel;
  kernel.name = text_at(json, "name");
  if (find(json, "plugin") != nullptr) kernel.plugin = text_at(json, "plugin");
  count(json, "blocks", 1, 1 << 20, kernel.blocks);
  count(json, "threads", 1, 65536, kernel.shape.threads);
  kernel.duration = microseconds(json, "block_us", 0.001);
  gpu::KernelCost& cost = kernel.cost;
  count(json, "full_speed_threads", 0, 1 << 20, cost.full_speed_threads);
  cost.weight_ppm = std::llround(number(json, "weight", 0.001) * 1e6);
  if (cost.weight_ppm > 1'000'000'000) refuse(at(json, "weight"), "expected a value from 0.001 to 1000");
  cost.dispatch = microseconds(json, "dispatch_us", 0);
  cost.dispatch_beside = microseconds(json, "dispatch_beside_us", 0);
  if (find(json, "warm_up_us") != nullptr) cost.warm_up = microseconds(json, "warm_up_us", 0);
  cost.spread_ppm = percent(json, "spread_percent");
  cost.reuse_ppm = percent(json, "reuse_percent");
  if (cost.spread_ppm > 250'000 || cost.reuse_ppm > 900'000)
    refuse(json, "spread_percent must be at most 25, reuse_percent at most 90");
  count(json, "reuse_from_blocks", 0, 1 << 20, cost.reuse_from);
  count(json, "reuse_to_blocks", cost.reuse_from + 1, 1 << 21, cost.reuse_to);
  cost.contention_ppm = percent(json, "contention_percent");
  count(json, "contention_from_threads", 0, 1 << 30, cost.contention_from);
  cost.beside_ppm = percent(json, "beside_percent");
  return kernel;
}

/// And here.
gpu::QueueArchitecture queue_architecture(const JsonValue& json, const std::optional<gpu::SmLimits>& units) {
  if (!units || units->sms % units->sms_per_gpc != 0)
    refuse(json, "an AMD GPU needs multiprocessors (compute units) with as many in each shader engine");
  gpu::QueueArchitecture architecture;
  count(json, "aces", 1, 64, architecture.aces);
  count(json, "slots_per_ace", 1, 64, architecture.slots_per_ace);
  count(json, "pool_queues", 1, 1024, architecture.pool_queues);
  architecture.launch_overhead = microseconds(json, "launch_overhead_us", 0);
  for (const auto& [key, target] : {std::pair{"launch_pause_us", &architecture.launch_pause},
                                    std::pair{"launch_offset_us", &architecture.launch_offset}})
    if (find(json, key) != nullptr) *target = microseconds(json, key, 0);
  if (find(json, "queue_quantum_us") != nullptr) architecture.quantum = microseconds(json, "queue_quantum_us", 1);
  at(json, "kernels");
  for (const JsonValue& kernel : list_at(json, "kernels")) {
    architecture.kernels.push_back(named_kernel(kernel));
    if (const auto use = gpu::use_of_block(*units, architecture.kernels.back().shape); !use)
      refuse(kernel, use.error());
  }
  return architecture;
}

/// Kernels of an AMD GPU share compute units instead of clusters and SMs.
std::vector<std::string> slowdowns_left_out(const JsonValue& json, const DeviceProfile& profile) {
  std::vector<std::string> keys;
  for (const std::string_view key :
       {"kernel_slowdown_by_same_sm", "kernel_slowdown_by_same_gpc", "kernel_slowdown_by_other_gpc",
        "kernel_slowdown_by_cpu", "copy_slowdown_by_cpu"}) {
    const bool is_unknown = std::find(profile.unknown.begin(), profile.unknown.end(), key) != profile.unknown.end();
    if (find(json, key) == nullptr && !is_unknown && !(profile.amd && (key.ends_with("_gpc") || key.ends_with("_sm"))))
      keys.emplace_back(key);
  }
  return keys;
}

/// Everything is required here too.
gpu::MemoryParameters memory_parameters(const JsonValue& json) {
  gpu::MemoryParameters parameters;
  for (const gpu::MemoryParameterField& field : gpu::memory_parameter_fields())
    parameters.*field.value = number(json, field.name, field.minimum);
  return parameters;
}

}  // namespace

const gpu::NamedKernel* find_kernel(const DeviceProfile& profile, std::string_view name) {
  if (!profile.amd) return nullptr;
  for (const gpu::NamedKernel& kernel : profile.amd->kernels)
    if (equal_ignoring_case(kernel.name, name)) return &kernel;
  return nullptr;
}

tl::expected<DeviceProfile, std::string> parse_device_profile(std::string_view text) {
  const auto read = parse_located_json(text);
  if (!read) return tl::unexpected(format(read.error()));
  const JsonValue& json = *read;
  try {
    DeviceProfile profile;
    profile.name = text_at(json, "name");
    if (find(json, "description") != nullptr) profile.description = text_at(json, "description");
    for (const JsonValue& word : list_at(json, "recognised_by"))
      if (const auto error = read_name(word, profile.recognised_by.emplace_back())) throw Refused{*error};
    for (const auto& [key, figures] : {std::pair{"unknown", &profile.unknown}, std::pair{"assumed", &profile.assumed}})
      for (const JsonValue& figure : list_at(json, key))
        if (const auto error = read_name(figure, figures->emplace_back())) throw Refused{*error};
    profile.time_slice = microseconds(json, "time_slice_us", 0.001);
    profile.context_switch = microseconds(json, "context_switch_us", 0);
    profile.interference = interference(json);
    if (find(json, "copy_engines") != nullptr) {
      std::int64_t engines = 1;
      count(json, "copy_engines", 1, 2, engines);
      profile.copy_engines = static_cast<int>(engines);
    }
    if (find(json, "copy_gigabytes_per_second") != nullptr)
      profile.copy_bytes_per_second = std::llround(number(json, "copy_gigabytes_per_second", 1e-6) * 1e9);
    if (find(json, "staging_gigabytes_per_second") != nullptr)
      profile.staging_bytes_per_second = std::llround(number(json, "staging_gigabytes_per_second", 1e-6) * 1e9);
    else
      profile.assumed.emplace_back("staging_gigabytes_per_second");
    if (find(json, "preemption") != nullptr) profile.preemption = preemption(at(at(json, "preemption"), "value"));
    if (find(json, "multiprocessors") != nullptr) profile.multiprocessors = sm_limits(at(json, "multiprocessors"));
    if (find(json, "measured_memory") != nullptr) {
      profile.measured_memory = memory_parameters(at(json, "measured_memory"));
      profile.measured_cases = measured_cases(at(json, "measured_memory"));
    }
    if (find(json, "amd") != nullptr) profile.amd = queue_architecture(at(json, "amd"), profile.multiprocessors);
    profile.left_out = slowdowns_left_out(json, profile);
    return profile;
  } catch (const Refused& refused) {
    return tl::unexpected(format(refused.error));
  }
}

const std::vector<DeviceProfile>& built_in_profiles() {
  static const std::vector<DeviceProfile> profiles = [] {
    std::vector<DeviceProfile> parsed;
    for (const EmbeddedProfile& embedded : embedded_profiles)
      parsed.push_back(parse_device_profile(embedded.json).value());
    return parsed;
  }();
  return profiles;
}

const DeviceProfile* find_profile(std::string_view name) {
  for (const DeviceProfile& profile : built_in_profiles())
    if (equal_ignoring_case(profile.name, name)) return &profile;
  return nullptr;
}

namespace {

/// Systems and their copies refer to the profiles of files by pointers, so each text is read once and kept.
const tl::expected<DeviceProfile, std::string>& profile_of(const std::string& text) {
  static std::mutex guard;
  static std::map<std::string, tl::expected<DeviceProfile, std::string>> known;
  const std::lock_guard lock(guard);
  const auto at = known.find(text);
  return at != known.end() ? at->second : known.emplace(text, parse_device_profile(text)).first->second;
}

}  // namespace

tl::expected<const DeviceProfile*, std::string> profile_for(const ProcessingUnit& unit) {
  if (!unit.profile_text.empty()) {
    const auto& profile = profile_of(unit.profile_text);
    if (profile) return &*profile;
    return tl::unexpected(
        fmt::format("the GPU profile \"{}\" of \"{}\": {}", unit.device_profile, unit.name, profile.error()));
  }
  if (!unit.device_profile.empty()) {
    if (const DeviceProfile* profile = find_profile(unit.device_profile)) return profile;
    std::string known;
    for (const DeviceProfile& profile : built_in_profiles()) known += (known.empty() ? "" : ", ") + profile.name;
    return tl::unexpected(
        fmt::format("gpu.platform \"{}\" of \"{}\" is not known; expected one of {}, or a JSON profile of "
                    "your own (--platform){}",
                    unit.device_profile, unit.name, known,
                    did_you_mean(unit.device_profile, built_in_profiles(), &DeviceProfile::name)));
  }
  for (const DeviceProfile& profile : built_in_profiles())
    for (const std::string& hint : profile.recognised_by) {
      if (equal_ignoring_case(unit.name, hint)) return &profile;
      for (std::size_t at = 0; at < unit.enclosing_structures.size();) {
        const std::size_t end = std::min(unit.enclosing_structures.find(' ', at), unit.enclosing_structures.size());
        if (equal_ignoring_case(std::string_view(unit.enclosing_structures).substr(at, end - at), hint))
          return &profile;
        at = end + 1;
      }
    }
  return find_profile("generic");
}

}  // namespace amalthea::engine
