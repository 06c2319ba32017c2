// SPDX-License-Identifier: Apache-2.0
#include "engine/gpu/device_profile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "amalthea/detail/ascii.hpp"
#include "amalthea/detail/near_miss.hpp"

namespace amalthea::engine {
namespace {

struct EmbeddedProfile {
  std::string_view name;
  std::string_view json;
};
#include "built_in_profiles.inc"

/// A number >= minimum in `{"value": …, "source": …}`.
double number(const nlohmann::json& json, const char* key, double minimum) {
  const double value = json.at(key).at("value").get<double>();
  if (!(value >= minimum) || value > 1e6)
    throw std::invalid_argument(fmt::format("{} must be between {} and 1000000", key, minimum));
  return value;
}

Duration microseconds(const nlohmann::json& json, const char* key, double minimum) {
  return Duration::picoseconds(std::llround(number(json, key, minimum) * 1e6));
}

/// Sets `target` to the integer between `minimum` and `maximum` in `{"value": …, "source": …}`.
void count(const nlohmann::json& json, const char* key, std::int64_t minimum, std::int64_t maximum,
           std::int64_t& target) {
  const auto& value = json.at(key).at("value");
  const bool whole =
      value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() <= 1u << 31);
  if (!whole || value.get<std::int64_t>() < minimum || value.get<std::int64_t>() > maximum)
    throw std::invalid_argument(fmt::format("{} must be a whole number between {} and {}", key, minimum, maximum));
  target = value.get<std::int64_t>();
}

/// All values are required, so that none is from another device by accident.
gpu::SmLimits sm_limits(const nlohmann::json& json) {
  constexpr std::int64_t many = 1 << 30;
  gpu::SmLimits limits;
  if (json.contains("warp_size")) count(json, "warp_size", 1, 1024, limits.warp_size);
  count(json, "count", 1, 1024, limits.sms);
  count(json, "per_gpc", 1, limits.sms, limits.sms_per_gpc);
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
        std::pair{"double_units", &limits.double_units}})
    if (json.contains(key)) count(json, key, 1, 65536, *target);
  return limits;
}

Slowdown slowdown(const nlohmann::json& json, const char* key) { return {std::llround(number(json, key, 1) * 1e6)}; }

/// Missing means no slowdown.
Slowdown optional_slowdown(const nlohmann::json& json, const char* key) {
  return json.contains(key) ? slowdown(json, key) : Slowdown{};
}

gpu::InterferenceTable interference(const nlohmann::json& json) {
  gpu::InterferenceTable table;
  table.kernel_by_memcpy = slowdown(json, "kernel_slowdown_by_memcpy");
  table.kernel_by_memset = slowdown(json, "kernel_slowdown_by_memset");
  table.kernel_by_same_gpc = optional_slowdown(json, "kernel_slowdown_by_same_gpc");
  table.kernel_by_other_gpc = optional_slowdown(json, "kernel_slowdown_by_other_gpc");
  table.kernel_by_cpu = optional_slowdown(json, "kernel_slowdown_by_cpu");
  table.copy_by_kernel = slowdown(json, "copy_slowdown_by_kernel");
  table.copy_by_cpu = optional_slowdown(json, "copy_slowdown_by_cpu");
  return table;
}

gpu::Preemption preemption(const std::string& name) {
  for (const auto known : {gpu::Preemption::instruction, gpu::Preemption::block, gpu::Preemption::kernel})
    if (name_of(known) == name) return known;
  throw std::invalid_argument("preemption must be \"instruction\", \"block\" or \"kernel\"");
}

/// In parts per million.
std::int64_t percent(const nlohmann::json& json, const char* key) { return std::llround(number(json, key, 0) * 1e4); }

/// All values are required here too.
gpu::NamedKernel named_kernel(const nlohmann::json& json) {
  gpu::NamedKernel kernel;
  kernel.name = json.at("name").get<std::string>();
  count(json, "blocks", 1, 1 << 20, kernel.blocks);
  count(json, "threads", 1, 65536, kernel.shape.threads);
  kernel.duration = microseconds(json, "block_us", 0.001);
  gpu::KernelCost& cost = kernel.cost;
  count(json, "full_speed_threads", 0, 1 << 20, cost.full_speed_threads);
  cost.weight_ppm = std::llround(number(json, "weight", 0.001) * 1e6);
  if (cost.weight_ppm > 1'000'000'000) throw std::invalid_argument("weight must be between 0.001 and 1000");
  cost.dispatch = microseconds(json, "dispatch_us", 0);
  cost.dispatch_beside = microseconds(json, "dispatch_beside_us", 0);
  cost.spread_ppm = percent(json, "spread_percent");
  cost.reuse_ppm = percent(json, "reuse_percent");
  if (cost.spread_ppm > 250'000 || cost.reuse_ppm > 900'000)
    throw std::invalid_argument("spread_percent must be at most 25, reuse_percent at most 90");
  count(json, "reuse_from_blocks", 0, 1 << 20, cost.reuse_from);
  count(json, "reuse_to_blocks", cost.reuse_from + 1, 1 << 21, cost.reuse_to);
  cost.contention_ppm = percent(json, "contention_percent");
  count(json, "contention_from_threads", 0, 1 << 30, cost.contention_from);
  cost.beside_ppm = percent(json, "beside_percent");
  return kernel;
}

/// All values are required here too.
gpu::QueueArchitecture queue_architecture(const nlohmann::json& json, const std::optional<gpu::SmLimits>& units) {
  if (!units || units->sms % units->sms_per_gpc != 0)
    throw std::invalid_argument("an AMD GPU needs multiprocessors (compute units) with as many in each shader engine");
  gpu::QueueArchitecture architecture;
  count(json, "aces", 1, 64, architecture.aces);
  count(json, "slots_per_ace", 1, 64, architecture.slots_per_ace);
  count(json, "pool_queues", 1, 1024, architecture.pool_queues);
  architecture.launch_overhead = microseconds(json, "launch_overhead_us", 0);
  for (const auto& kernel : json.at("kernels")) {
    architecture.kernels.push_back(named_kernel(kernel));
    if (const auto use = gpu::use_of_block(*units, architecture.kernels.back().shape); !use)
      throw std::invalid_argument(fmt::format("{}: {}", architecture.kernels.back().name, use.error()));
  }
  return architecture;
}

/// All values are required here too.
gpu::MemoryParameters memory_parameters(const nlohmann::json& json) {
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
  try {
    const auto json = nlohmann::json::parse(text);
    DeviceProfile profile;
    profile.name = json.at("name").get<std::string>();
    profile.description = json.value("description", "");
    profile.recognised_by = json.value("recognised_by", std::vector<std::string>{});
    profile.time_slice = microseconds(json, "time_slice_us", 0.001);
    profile.context_switch = microseconds(json, "context_switch_us", 0);
    profile.interference = interference(json);
    if (json.contains("copy_engines")) {
      std::int64_t engines = 1;
      count(json, "copy_engines", 1, 2, engines);
      profile.copy_engines = static_cast<int>(engines);
    }
    if (json.contains("preemption"))
      profile.preemption = preemption(json.at("preemption").at("value").get<std::string>());
    if (json.contains("multiprocessors")) profile.multiprocessors = sm_limits(json.at("multiprocessors"));
    if (json.contains("measured_memory")) profile.measured_memory = memory_parameters(json.at("measured_memory"));
    if (json.contains("amd")) profile.amd = queue_architecture(json.at("amd"), profile.multiprocessors);
    return profile;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& exception) {  // nlohmann::json and the checks above
    return tl::unexpected(fmt::format("not a device profile: {}", exception.what()));
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

tl::expected<const DeviceProfile*, std::string> profile_for(const ProcessingUnit& unit) {
  if (!unit.device_profile.empty()) {
    if (const DeviceProfile* profile = find_profile(unit.device_profile)) return profile;
    std::string known;
    for (const DeviceProfile& profile : built_in_profiles()) known += (known.empty() ? "" : ", ") + profile.name;
    return tl::unexpected(fmt::format("gpu.platform \"{}\" of \"{}\" is not known; expected one of {}{}",
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
