// SPDX-License-Identifier: Apache-2.0
#include "importer/building/detail/kernel_properties.hpp"

#include <algorithm>
#include <string>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"

namespace amalthea::importer::detail {
namespace {

/// "512" or, if dimensions are allowed, "16x16" or "16, 16, 1": their product; nothing for other text.
std::optional<std::int64_t> product(std::string_view text, bool dimensions) {
  std::int64_t result = 1;
  for (int count = 0; count < 3; ++count) {
    const std::size_t end = dimensions ? std::min(text.find_first_of("x,"), text.size()) : text.size();
    std::string_view factor = text.substr(0, end);
    while (factor.starts_with(' ')) factor.remove_prefix(1);
    while (factor.ends_with(' ')) factor.remove_suffix(1);
    const auto number = parse_integer(factor);
    if (!number || *number < 0 || __builtin_mul_overflow(result, *number, &result)) return std::nullopt;
    if (end == text.size()) return result;
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

}  // namespace

bool has_instructions(const BuildContext& context, const GraphNode& node) {
  return node.runnable && custom_property(context.runnable_elements[*node.runnable], "gpu.instructions");
}

double KernelProperties::memory_intensity() {
  if (!node_.runnable) return 1;
  const auto property = custom_property(context_.runnable_elements[*node_.runnable], "gpu.memoryIntensity");
  if (!property) return 1;
  const auto value = parse_double(property->value);
  if (value && *value >= 0 && *value <= 1) return *value;
  context_.error(
      "AM0316",
      fmt::format("custom property gpu.memoryIntensity is \"{}\"; expected a number from 0 to 1", property->value),
      property->element.location(), property->element.path());
  return 1;
}

std::optional<KernelInstructions> KernelProperties::instructions() {
  if (!has_instructions(context_, node_)) {
    if (const auto budget = property_of("gpu.budget"))
      context_.error("AM0328", "gpu.budget requires gpu.instructions; add it, or remove gpu.budget",
                     budget->element.location(), budget->element.path());
    return std::nullopt;
  }
  const auto property = custom_property(context_.runnable_elements[*node_.runnable], "gpu.instructions");
  KernelInstructions instructions{property->value, 1, property->element.location()};
  read_count("gpu.budget", false, 1, instructions.budget);
  return instructions;
}

std::optional<Parameter> KernelProperties::property_of(std::string_view key) const {
  if (node_.runnable)
    if (auto property = custom_property(context_.runnable_elements[*node_.runnable], key)) return property;
  return custom_property(context_.model.element(context_.system.tasks[task_].origin), key);
}

bool KernelProperties::read_count(std::string_view key, bool dimensions, std::int64_t minimum, std::int64_t& target) {
  const auto property = property_of(key);
  if (!property) return false;
  if (const auto count = product(property->value, dimensions); count && *count >= minimum) {
    target = *count;
    return true;
  }
  context_.error("AM0321",
                 fmt::format("custom property {} is \"{}\"; expected {} of at least {}", key, property->value,
                             dimensions ? "a whole number, or up to three such as 16x16," : "a whole number", minimum),
                 property->element.location(), property->element.path());
  return false;
}

std::optional<Launch> KernelProperties::launch() {
  Launch launch;
  const bool has_blocks = read_count("gpu.grid", true, 1, launch.blocks);
  const bool has_threads = read_count("gpu.block", true, 1, launch.threads);
  const bool has_registers = read_count("gpu.registers", false, 0, launch.registers);
  const bool has_memory = read_count("gpu.sharedMemory", false, 0, launch.shared_memory);
  if (const auto property = property_of("gpu.cacheConfig")) launch.cache_config = property->value;
  if (node_.runnable)  // that of a task is the mask of its stream
    if (const auto mask = custom_property(context_.runnable_elements[*node_.runnable], "gpu.smMask"))
      launch.sm_mask = mask->value;
  if (has_threads && !has_blocks) {
    const auto block = property_of("gpu.block");
    context_.diagnostics.add("AM0477", Severity::warning,
                             "gpu.block states the threads of a block, but gpu.grid does not state how many blocks "
                             "there are; the analysis uses 1; state gpu.grid",
                             block->element.location(), block->element.path());
  }
  if (has_threads) {
    const Element block = property_of("gpu.block")->element;
    needs_.note(Unstated::other_registers, has_registers, block);
    needs_.note(Unstated::other_shared_memory, has_memory, block);
    return launch;
  }
  for (const std::string_view key :
       {"gpu.grid", "gpu.registers", "gpu.sharedMemory", "gpu.cacheConfig", "gpu.instructions"})
    if (const auto property = property_of(key); property && !context_.blocked) {
      context_.error("AM0322",
                     fmt::format("{} requires gpu.block (threads per block){}", key,
                                 has_blocks ? "" : "; a kernel without it occupies the whole execution engine"),
                     property->element.location(), property->element.path());
      break;
    }
  return std::nullopt;
}

KernelCosts KernelProperties::costs() {
  KernelCosts costs;
  const auto read = [&](std::string_view key, std::string_view expected, auto accept) {
    const auto property = property_of(key);
    if (property && !accept(property->value))
      context_.error("AM0512", fmt::format("custom property {} is \"{}\"; expected {}", key, property->value, expected),
                     property->element.location(), property->element.path());
  };
  read("gpu.like", "the name of a kernel of the GPU's profile", [&](const std::string& value) {
    costs.like = value;
    return !value.empty();
  });
  constexpr std::int64_t most_threads = 1 << 20;
  read("gpu.fullSpeedThreads", fmt::format("a whole number from 0 to {}", most_threads), [&](const std::string& value) {
    const auto threads = parse_integer(value);
    if (threads) costs.full_speed_threads = *threads;
    return threads && *threads >= 0 && *threads <= most_threads;
  });
  read("gpu.weight", "a number from 0.001 to 1000", [&](const std::string& value) {
    const auto weight = parse_double(value);
    if (weight) costs.weight = *weight;
    return weight && *weight >= 0.001 && *weight <= 1000;
  });
  read("gpu.dispatch", "a time with unit, such as 2 us", [&](const std::string& value) {
    const auto time = parse_time_text(value);
    if (time) costs.dispatch = *time;
    return time.has_value();
  });
  return costs;
}

}  // namespace amalthea::importer::detail
