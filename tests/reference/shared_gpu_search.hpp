// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The longest responses of kernels that share SMs, for any offsets and any choice among SMs with equal room.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reference/shared_gpu.hpp"

namespace reference {

inline void include(const std::vector<long>& seen, std::vector<long>& longest) {
  for (std::size_t task = 0; task < longest.size(); ++task) longest[task] = std::max(longest[task], seen[task]);
}

/// By visiting all schedules. Releases go on forever.
class EverySharedSchedule {
 public:
  EverySharedSchedule(const SharedSystem& system, std::size_t most_steps)
      : system_(system), steps_left_(most_steps), longest_(system.tasks.size()) {
    for (const SharedTask& task : system.tasks) hyperperiod_ = std::lcm(hyperperiod_, 2 * task.period);
  }

  /// Nothing if there are too many steps, or jobs pile up.
  std::optional<std::vector<long>> run() {
    // Whole cycles by which all offsets are shifted do not matter. So the first task begins in the first cycle.
    std::vector<long> offsets(system_.tasks.size());
    long all = 2;
    for (std::size_t task = 1; task < offsets.size(); ++task) all *= 2 * system_.tasks[task].period;
    if (!visit(offsets) || all > 5'000) return std::nullopt;
    for (bool more = true; more;) {
      if (!visit(offsets)) return std::nullopt;
      std::size_t digit = 0;
      const auto last = [&](std::size_t task) { return task == 0 ? 2 : 2 * system_.tasks[task].period; };
      while (digit < offsets.size() && ++offsets[digit] == last(digit)) offsets[digit++] = 0;
      more = digit < offsets.size();
    }
    return longest_;
  }

  bool piles_up() const { return piles_up_; }

 private:
  bool visit(const std::vector<long>& offsets) {
    constexpr long forever = 1L << 40;
    std::set<std::size_t> visited;
    std::vector<SharedGpu> open = {SharedGpu(system_, offsets)};
    while (!open.empty()) {
      SharedGpu state = std::move(open.back());
      open.pop_back();
      for (bool is_new = true; is_new;) {
        piles_up_ = piles_up_ || state.has_pending(3);
        if (steps_left_-- == 0 || piles_up_ || state.has_dealt(200)) return false;
        // All choices of this step, one after the other; most steps have none.
        std::vector<std::pair<std::size_t, std::size_t>> choices;
        const std::optional<SharedGpu> before = system_.sms > 1 ? std::optional<SharedGpu>(state) : std::nullopt;
        std::size_t next = 0;
        const auto choose = [&](std::size_t count) {
          if (next == choices.size()) choices.emplace_back(0, count);
          return choices[next++].first;
        };
        state.step(forever, choose);
        if (!choices.empty() || state.half() % hyperperiod_ == 0) is_new = visited.insert(number_of(state)).second;
        while (!choices.empty()) {
          if (++choices.back().first == choices.back().second) {
            choices.pop_back();
            continue;
          }
          SharedGpu other = *before;
          next = 0;
          other.step(forever, choose);
          note(other);
          if (visited.insert(number_of(other)).second) open.push_back(std::move(other));
        }
        note(state);
      }
    }
    return true;
  }

  /// Equal ones are taken for equal states.
  std::size_t number_of(const SharedGpu& state) const {
    return std::hash<std::string>()(std::to_string(state.half() % hyperperiod_) + ':' + state.text());
  }

  void note(const SharedGpu& state) { include(state.longest(), longest_); }

  const SharedSystem& system_;
  std::size_t steps_left_;
  bool piles_up_ = false;
  long hyperperiod_ = 1;
  std::vector<long> longest_;
};

/// By climbing: what makes a task take longer is changed further. A lower bound of the longest responses.
class SharedClimb {
 public:
  SharedClimb(const SharedSystem& system, std::uint64_t seed) : system_(system), random_(seed) {}

  /// With so many runs for each task.
  std::vector<long> run(int runs) {
    std::vector<long> longest(system_.tasks.size());
    for (std::size_t task = 0; task < longest.size(); ++task) {
      Try best;
      long most = -1;
      for (int run = 0; run < runs; ++run) {
        Try next = run % 100 < 10 ? drawn() : changed(best);
        if (run % 100 == 0) most = -1;
        const std::vector<long> seen = execute(next);
        include(seen, longest);
        if (seen[task] < most) continue;
        most = seen[task];
        best = std::move(next);
      }
    }
    return longest;
  }

 private:
  struct Try {
    std::vector<long> offsets;
    std::vector<std::uint8_t> choices;  ///< over and over
  };

  long draw(long most) { return static_cast<long>(random_() % static_cast<std::uint64_t>(most + 1)); }

  Try drawn() {
    Try drawn;
    const long most = draw(1) == 0 ? 200 : 1L << 40;
    for (const SharedTask& task : system_.tasks) drawn.offsets.push_back(draw(std::min(most, 2 * task.period - 1)));
    for (long choices = 8 + draw(40); choices > 0; --choices)
      drawn.choices.push_back(static_cast<std::uint8_t>(draw(255)));
    return drawn;
  }

  Try changed(Try given) {
    for (long changes = 1 + draw(1); changes > 0; --changes) {
      if (draw(2) == 0) {
        given.choices[static_cast<std::size_t>(draw(static_cast<long>(given.choices.size()) - 1))] =
            static_cast<std::uint8_t>(draw(255));
        continue;
      }
      const auto task = static_cast<std::size_t>(draw(static_cast<long>(given.offsets.size()) - 1));
      const long size = 2 * system_.tasks[task].period, by = 1L << draw(8);
      long& offset = given.offsets[task];
      offset = ((offset + draw(2 * by) - by) % size + size) % size;
    }
    return given;
  }

  std::vector<long> execute(const Try& given) const {
    std::size_t next = 0;
    long until = 400;
    for (const long offset : given.offsets) until = std::max(until, offset / 2 + 400);
    return SharedGpu(system_, given.offsets).run(until, [&](std::size_t count) {
      return given.choices[next++ % given.choices.size()] % count;
    });
  }

  const SharedSystem& system_;
  std::mt19937_64 random_;
};

/// By visiting all schedules if their number permits, else by climbing. Nothing if jobs pile up.
inline std::optional<std::vector<long>> longest_shared_responses(const SharedSystem& system, std::uint64_t seed) {
  EverySharedSchedule every(system, 3'000'000);
  if (auto longest = every.run()) return longest;
  if (every.piles_up()) return std::nullopt;
  return SharedClimb(system, seed).run(2'000);
}

}  // namespace reference
