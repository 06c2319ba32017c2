// SPDX-License-Identifier: Apache-2.0
// Memories and their content.

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "amalthea/views/hardware.hpp"
#include "amalthea/views/mapping.hpp"
#include "amalthea/views/quantities.hpp"
#include "review/detail/rules.hpp"

namespace amalthea::review {
namespace {

using ElementKey = std::pair<std::uint32_t, std::uint32_t>;
ElementKey key_of(Element element) { return {element.document().position(), element.index()}; }

/// The memory size of an element, if readable.
std::uint64_t bytes_of(Element element) {
  Diagnostics conformance_findings;
  const Element size = element.child("size");
  const auto bytes = size ? data_size_of(size, conformance_findings) : std::nullopt;
  return bytes && bytes->bytes > 0 ? static_cast<std::uint64_t>(bytes->bytes) : 0;
}

/// Calls visit(element) for everything that can be mapped to a memory.
template <typename Visit>
void for_each_memory_element(const Context& context, Visit visit) {
  constexpr std::array<std::string_view, 8> classes{"Label",    "ModeLabel", "Channel",          "CustomEntity",
                                                    "Runnable", "Task",      "ProcessPrototype", "ISR"};
  for (const std::string_view name : classes)
    for (const Element element : context.facts.all(name)) visit(element);
}

struct Content {
  std::uint64_t bytes = 0;
  std::size_t labels = 0;
  std::size_t others = 0;
};

}  // namespace

void check_memory_sizes(const Context& context, Report& report) {
  const views::Mapping mapping = views::mapping_of(context.model);
  const views::MemoryFinder finder(context.model, mapping);
  std::map<ElementKey, Content> contents;
  for_each_memory_element(context, [&](Element element) {
    const std::uint64_t bytes = bytes_of(element);
    const Element memory = bytes > 0 ? finder.memory_of(element) : Element();
    if (!memory) return;
    Content& content = contents[key_of(memory)];
    content.bytes += bytes;
    ++(element.is("Label") ? content.labels : content.others);
  });
  if (contents.empty()) return;
  Diagnostics building_findings;
  const views::Hardware hardware = views::hardware_of(context.model, building_findings);
  for (const views::HwMemory& memory : hardware.memories) {
    const auto found = contents.find(key_of(memory.element));
    if (found == contents.end() || !memory.definition) continue;
    const auto size = hardware.memory_definitions[*memory.definition].size;
    const Content& content = found->second;
    if (!size || size->bytes <= 0 || content.bytes <= static_cast<std::uint64_t>(size->bytes)) continue;
    report.add(memory.element,
               fmt::format("the {}{} mapped to memory \"{}\" need {} bytes, but it has only {}; map some to another "
                           "memory, or correct a size",
                           content.labels > 0 ? counted(content.labels, "label") : counted(content.others, "element"),
                           content.labels > 0 && content.others > 0
                               ? fmt::format(" and {}", counted(content.others, "other element"))
                               : "",
                           memory.name, content.bytes, size->bytes));
  }
}

void check_memory_addresses(const Context& context, Report& report) {
  struct Block {
    std::uint64_t begin, end;
    const views::MemoryMapping* mapping;
  };
  const views::Mapping mapping = views::mapping_of(context.model);
  std::map<ElementKey, std::vector<Block>> memories;
  for (const views::MemoryMapping& one : mapping.memory) {
    // Address 0 is the default for unplaced elements.
    const std::uint64_t begin = one.position.value_or(0);
    const std::uint64_t bytes = one.mapped && one.memory && begin > 0 ? bytes_of(one.mapped) : 0;
    if (bytes > 0 && begin + bytes > begin) memories[key_of(one.memory)].push_back({begin, begin + bytes, &one});
  }
  for (auto& [memory, blocks] : memories) {
    std::stable_sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.begin < b.begin; });
    const Block* before = &blocks.front();  // the block with the highest end
    for (const Block& block : blocks) {
      if (&block != before && block.begin < before->end && block.mapping->mapped != before->mapping->mapped)
        report.add(block.mapping->element, "memoryPositionAddress",
                   fmt::format(
                       "\"{}\" at {:#x} overlaps \"{}\", which takes {:#x} to {:#x} of memory \"{}\"; move one of them",
                       block.mapping->mapped.name(), block.begin, before->mapping->mapped.name(), before->begin,
                       before->end - 1, block.mapping->memory.name()));
      if (block.end > before->end) before = &block;
    }
  }
}

void check_empty_elements(const Context& context, Report& report) {
  const views::Mapping mapping = views::mapping_of(context.model);
  const views::MemoryFinder finder(context.model, mapping);
  std::size_t empty = 0;
  Element first;
  for_each_memory_element(context, [&](Element element) {
    const Element size = element.child("size");
    if (!size || bytes_of(element) > 0 || !finder.memory_of(element) || report.is_reported(size)) return;
    if (empty++ == 0) first = element;
  });
  if (empty > 0)
    report.add(first, empty == 1
                          ? fmt::format("{} is mapped to a memory, but its size is 0; state its size", describe(first))
                          : fmt::format("{} elements are mapped to memories, but their size is 0; the first is {}",
                                        empty, describe(first)));
}

}  // namespace amalthea::review
