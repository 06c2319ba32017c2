// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/makespan/schedule.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/core.h>

namespace amalthea::engine::nvidia::makespan {

WarpString round_robin_string(const Problem& problem) {
  const std::vector<Part> parts = problem.part_by_warp();
  const std::size_t work = problem.work();
  WarpString string;
  for (std::size_t i = 0; string.size() < work; ++i)
    for (std::size_t warp = 0; warp < parts.size(); ++warp)
      if (i < parts[warp].size()) string.push_back(static_cast<std::uint16_t>(warp));
  return string;
}

WarpString fixed_priority_string(const Problem& problem) {
  const std::vector<Part> parts = problem.part_by_warp();
  WarpString string;
  for (std::size_t warp = 0; warp < parts.size(); ++warp)
    string.insert(string.end(), parts[warp].size(), static_cast<std::uint16_t>(warp));
  return string;
}

WarpString max_pending_string(const Problem& problem) {
  const std::vector<Part> parts = problem.part_by_warp();
  const std::size_t work = problem.work();
  WarpString string;
  std::vector<std::size_t> next;  // instruction, by warp
  for (const Part& part : parts) next.push_back(part.begin);
  std::vector<std::uint16_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  while (string.size() < work) {
    std::stable_sort(order.begin(), order.end(), [&](std::uint16_t a, std::uint16_t b) {
      return std::pair(parts[b].end - next[b], a) < std::pair(parts[a].end - next[a], b);
    });
    PerUnit free = problem.capacity;
    std::int64_t room = problem.schedulers;
    for (const std::uint16_t warp : order) {
      if (next[warp] == parts[warp].end || room == 0) continue;
      std::int64_t& units = free[static_cast<std::size_t>(problem.kernel[next[warp]])];
      if (units == 0) continue;
      --units;
      --room;
      ++next[warp];
      string.push_back(warp);
    }
  }
  return string;
}

StringCount number_of_strings(const Problem& problem) {
  // The product, over the warps, of (w I - 1 over I - 1): a warp has the first entry that earlier warps left, and I - 1
  // of those behind it. The warps of a further kernel have W I of all entries up to then. Each division is exact: the
  // quotient is the product for what came before and a binomial coefficient. From 2^105 on the number is
  // mantissa * 10^shift, and a step loses less than 2^-100 of it.
  __extension__ using Wide = unsigned __int128;
  constexpr Wide wide = Wide{1} << 105U;
  constexpr std::int64_t most_digits = 30;
  Wide mantissa = 1;
  std::int64_t shift = 0;
  const auto times = [&](std::int64_t factor, std::int64_t divisor) {
    mantissa = mantissa * static_cast<Wide>(factor) / static_cast<Wide>(divisor);
    for (; mantissa >= wide; ++shift) mantissa /= 10;
  };
  std::int64_t before = 0;
  for (const Part& part : problem.parts()) {
    const auto instructions = static_cast<std::int64_t>(part.size());
    const std::int64_t entries = part.warps * instructions;
    for (std::int64_t entry = 1; before > 0 && entry <= entries; ++entry) times(before + entry, entry);
    for (std::int64_t warp = 1; warp <= part.warps; ++warp)
      for (std::int64_t k = 1; k < instructions; ++k) times((warp - 1) * instructions + k, k);
    before += entries;
  }
  std::string digits;
  for (Wide rest = mantissa; rest > 0; rest /= 10)
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  const std::int64_t count = static_cast<std::int64_t>(digits.size()) + shift;
  if (count <= most_digits) return {digits, count, true};
  const int leading = (std::stoi(digits.substr(0, 5)) + 5) / 10;
  const bool carries = leading == 10000;
  return {fmt::format("{}.{:03}e{}", carries ? 1 : leading / 1000, leading % 1000, count - (carries ? 0 : 1)), count,
          false};
}

std::optional<std::string> complaint(const Problem& problem, const WarpString& string) {
  const std::vector<Part> parts = problem.part_by_warp();
  std::vector<std::size_t> count(parts.size());
  for (const std::uint16_t warp : string) {
    if (warp >= count.size()) return fmt::format("there is no warp {}", warp + 1);
    ++count[warp];
  }
  for (std::size_t warp = 0; warp < count.size(); ++warp)
    if (count[warp] != parts[warp].size())
      return fmt::format("warp {} is there {} times, not {}", warp + 1, count[warp], parts[warp].size());
  return std::nullopt;
}

WarpString string_of(const Schedule& schedule) {
  WarpString string;
  for (const auto& cycle : schedule) string.insert(string.end(), cycle.begin(), cycle.end());
  return string;
}

std::optional<std::string> violation(const Problem& problem, const Schedule& schedule) {
  const std::vector<Part> parts = problem.part_by_warp();
  const std::size_t warps = parts.size();
  std::vector<std::size_t> position;  // of the next instruction
  for (const Part& part : parts) position.push_back(part.begin);
  std::vector<std::size_t> ready(warps, 0);  // the cycle from which the warp may execute
  for (std::size_t cycle = 0; cycle < schedule.size(); ++cycle) {
    std::vector<int> executes(warps, 0);
    PerUnit used{};
    std::int64_t in_all = 0;  // warps
    for (const std::uint16_t warp : schedule[cycle]) {
      if (warp >= warps) return fmt::format("cycle {}: there is no warp {}", cycle + 1, warp + 1);
      if (executes[warp] == 2) return fmt::format("cycle {}: warp {} executes three times", cycle + 1, warp + 1);
      if (executes[warp] == 1 && ready[warp] > cycle)
        return fmt::format("cycle {}: warp {} executes twice", cycle + 1, warp + 1);
      if (position[warp] == parts[warp].end)
        return fmt::format("cycle {}: warp {} has nothing left", cycle + 1, warp + 1);
      if (ready[warp] > cycle) return fmt::format("cycle {}: warp {} still waits", cycle + 1, warp + 1);
      if (executes[warp]++ == 0) ++in_all;
      ++used[static_cast<std::size_t>(problem.kernel[position[warp]])];
      ready[warp] = cycle + static_cast<std::size_t>(problem.gap_after(position[warp]));
      ++position[warp];
    }
    if (in_all > problem.schedulers) return fmt::format("cycle {}: more warps than schedulers", cycle + 1);
    for (std::size_t unit = 0; unit < unit_types; ++unit)
      if (used[unit] > problem.capacity[unit])
        return fmt::format("cycle {}: more {} than units", cycle + 1, unit_letters[unit]);
    for (std::size_t warp = 0; warp < warps; ++warp) {
      if (executes[warp] == 2 || ready[warp] > cycle || position[warp] == parts[warp].end) continue;
      const auto unit = static_cast<std::size_t>(problem.kernel[position[warp]]);
      if (used[unit] < problem.capacity[unit] && (executes[warp] == 1 || in_all < problem.schedulers))
        return fmt::format("cycle {}: warp {} could execute {}", cycle + 1, warp + 1,
                           executes[warp] == 1 ? "another instruction" : "too");
    }
  }
  for (std::size_t warp = 0; warp < warps; ++warp)
    if (position[warp] != parts[warp].end) return fmt::format("warp {} does not end", warp + 1);
  return std::nullopt;
}

StringSchedule::StringSchedule(const Problem& problem, WarpString string)
    : kernel_(problem.kernel),
      capacity_(problem.capacity),
      schedulers_(problem.schedulers),
      parts_(problem.part_by_warp()),
      string_(std::move(string)),
      cycles_(string_.size()),
      kept_(string_.size()),
      executed_(static_cast<std::size_t>(problem.warps)),
      latest_(static_cast<std::size_t>(problem.warps)),
      second_(string_.size()),
      has_two_(static_cast<std::size_t>(problem.warps)),
      use_(string_.size() + static_cast<std::size_t>(waiting(problem)) + 2) {
  for (std::size_t i = 0; i < kernel_.size(); ++i) gaps_.push_back(static_cast<std::int32_t>(problem.gap_after(i)));
  for (const Part& part : parts_) at_the_end_.push_back(static_cast<std::int32_t>(problem.wait_after(part.end - 1)));
  place(0);
}

std::int64_t StringSchedule::makespan() const {
  std::int32_t last = 0;
  for (std::size_t warp = 0; warp < latest_.size(); ++warp) last = std::max(last, latest_[warp] + at_the_end_[warp]);
  return last;
}

Schedule StringSchedule::schedule() const {
  Schedule schedule(static_cast<std::size_t>(*std::max_element(latest_.begin(), latest_.end())));
  for (std::size_t i = 0; i < string_.size(); ++i)
    schedule[static_cast<std::size_t>(cycles_[i] - 1)].push_back(string_[i]);
  for (auto& cycle : schedule) std::sort(cycle.begin(), cycle.end());
  return schedule;
}

void StringSchedule::swap(std::size_t one, std::size_t other) {
  const std::size_t first = std::min(one, other);
  swapped_[0] = one;
  swapped_[1] = other;
  std::copy(cycles_.begin() + static_cast<std::ptrdiff_t>(first), cycles_.end(),
            kept_.begin() + static_cast<std::ptrdiff_t>(first));
  remove(first);
  std::swap(string_[one], string_[other]);
  place(first);
}

void StringSchedule::undo() {
  const std::size_t first = std::min(swapped_[0], swapped_[1]);
  remove(first);
  std::swap(string_[swapped_[0]], string_[swapped_[1]]);
  for (std::size_t i = first; i < string_.size(); ++i) {
    const std::uint16_t warp = string_[i];
    const auto unit = static_cast<std::size_t>(kernel_[instruction_of(warp, executed_[warp]++)]);
    has_two_[warp] = second_[i] = latest_[warp] == kept_[i];
    cycles_[i] = latest_[warp] = kept_[i];
    auto& use = use_[static_cast<std::size_t>(kept_[i])];
    ++use[unit];
    if (!second_[i]) ++use[unit_types];
  }
}

void StringSchedule::assign(const WarpString& string) {
  remove(0);
  string_ = string;
  place(0);
}

void StringSchedule::remove(std::size_t from) {
  for (std::size_t i = string_.size(); i-- > from;) {
    const std::uint16_t warp = string_[i];
    const auto unit = static_cast<std::size_t>(kernel_[instruction_of(warp, --executed_[warp])]);
    const std::int32_t cycle = cycles_[i];
    auto& use = use_[static_cast<std::size_t>(cycle)];
    --use[unit];
    if (!second_[i]) --use[unit_types];
    // A cycle that has room again may have it for each type.
    for (std::int32_t& full : full_before_) full = std::min(full, cycle - 1);
  }
  // The cycles of the remaining entries, from the end until each warp has been found.
  std::fill(latest_.begin(), latest_.end(), 0);
  std::fill(has_two_.begin(), has_two_.end(), false);
  std::size_t missing = 0;
  for (const std::int32_t executed : executed_) missing += executed > 0 ? 1U : 0U;
  for (std::size_t i = from; i-- > 0 && missing > 0;)
    if (std::int32_t& latest = latest_[string_[i]]; latest == 0) {
      latest = cycles_[i];
      has_two_[string_[i]] = second_[i];
      --missing;
    }
}

void StringSchedule::place(std::size_t from) {
  for (std::size_t i = from; i < string_.size(); ++i) {
    const std::uint16_t warp = string_[i];
    const std::size_t position = instruction_of(warp, executed_[warp]++);
    const auto unit = static_cast<std::size_t>(kernel_[position]);
    const std::int32_t gap = position == parts_[warp].begin ? 1 : gaps_[position - 1];
    second_[i] = gap == 0 && !has_two_[warp] && use_[static_cast<std::size_t>(latest_[warp])][unit] < capacity_[unit];
    has_two_[warp] = second_[i];
    if (second_[i]) {  // beside the warp's previous one, on the same scheduler
      cycles_[i] = latest_[warp];
      ++use_[static_cast<std::size_t>(latest_[warp])][unit];
      continue;
    }
    const auto has_room = [&](std::int32_t cycle) {
      const auto& use = use_[static_cast<std::size_t>(cycle)];
      return use[unit] < capacity_[unit] && use[unit_types] < schedulers_;
    };
    std::int32_t& full = full_before_[unit];
    while (!has_room(full + 1)) ++full;
    std::int32_t cycle = std::max(latest_[warp] + std::max(gap, 1), full + 1);
    while (!has_room(cycle)) ++cycle;
    auto& use = use_[static_cast<std::size_t>(cycle)];
    ++use[unit];
    ++use[unit_types];
    cycles_[i] = latest_[warp] = cycle;
  }
}

}  // namespace amalthea::engine::nvidia::makespan
