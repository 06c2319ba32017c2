// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/makespan/detail/waiting_search.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace amalthea::engine::nvidia::makespan {
namespace {

using Clock = std::chrono::steady_clock;

/// By warp, in ascending order: the cycles that it still waits, and in the low bits its place.
using State = std::u32string;
constexpr unsigned position_bits = 13;
static_assert(max_instructions + max_warps < 1U << position_bits);
constexpr std::size_t position_of(char32_t warp) { return warp & ((1U << position_bits) - 1); }
constexpr std::int64_t wait_of(char32_t warp) { return warp >> position_bits; }
constexpr char32_t warp_at(std::size_t position, std::int64_t wait) {
  return static_cast<char32_t>(static_cast<std::size_t>(wait) << position_bits | position);
}

/// Where a warp is: before an instruction, or at the end of its kernel. Kernels follow one another.
struct Place {
  bool is_end = false;
  std::size_t unit = 0;    ///< of the instruction
  bool pairs = false;      ///< it and the next one may be in one cycle
  std::int64_t wait = 0;   ///< cycles after it, and at the end those beyond `common_wait_`
  std::int64_t chain = 0;  ///< cycles from here to the end of the warp, with waits
  PerUnit work{};          ///< instructions by unit, from here on
};

/// What equal warps do in a cycle.
struct Choice {
  char32_t warp = 0;
  std::int64_t count = 0;  ///< warps in this state
  std::int64_t once = 0, twice = 0;
};

class WaitingSearch {
 public:
  WaitingSearch(const Problem& problem, const SearchOptions& options, SearchResult& result)
      : problem_(problem), options_(options), result_(result), start_(Clock::now()) {
    const std::vector<Part> parts = problem.parts();
    common_wait_ = problem.wait_after(parts.front().end - 1);
    for (const Part& part : parts) common_wait_ = std::min(common_wait_, problem.wait_after(part.end - 1));
    for (const Part& part : parts) {
      first_.insert(first_.end(), static_cast<std::size_t>(part.warps), warp_at(places_.size(), 0));
      const std::size_t begin = places_.size();
      places_.resize(begin + part.size() + 1);
      places_.back().is_end = true;
      places_.back().chain = common_wait_;
      for (std::size_t i = part.size(); i-- > 0;) {
        const std::size_t instruction = part.begin + i;
        const bool is_last = i + 1 == part.size();
        Place& place = places_[begin + i];
        const Place& next = places_[begin + i + 1];
        place.unit = static_cast<std::size_t>(problem.kernel[instruction]);
        place.pairs = !is_last && problem.gap_after(instruction) == 0;
        place.wait = problem.wait_after(instruction) - (is_last ? common_wait_ : 0);
        place.chain = next.chain + 1 + place.wait;
        place.work = next.work;
        ++place.work[place.unit];
      }
    }
  }

  void run() {
    const bool complete = visit();
    if (final_ != nullptr) {
      result_.lower = final_length_;
      result_.witness = witness();
    }
    if (complete) result_.upper = result_.lower;
  }

 private:
  struct Origin;
  using Layer = std::unordered_map<State, Origin>;
  /// The state before, and its time. Places in such maps do not change.
  struct Origin {
    const std::pair<const State, Origin>* before = nullptr;
    std::int64_t time = 0;
  };
  using Entry = std::pair<const State, Origin>;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  /// Visits all states, or returns false beyond a limit.
  bool visit() {
    layers_[0].emplace(first_, Origin{});
    for (auto layer = layers_.begin(); layer != layers_.end(); ++layer) {
      time_ = layer->first;
      for (const Entry& entry : layer->second) {
        ++result_.states;
        expand(entry);
        if (stopped_) return false;
      }
      if (options_.progress) options_.progress({result_.lower, result_.upper, result_.states, seconds()});
    }
    return true;
  }

  void expand(const Entry& entry) {
    for_each_cycle(entry.first, [&](const std::vector<Choice>& choices) {
      const auto [state, skipped] = after(choices);
      const std::int64_t time = time_ + 1 + skipped;
      if (std::all_of(state.begin(), state.end(), [&](char32_t warp) { return at(warp).is_end; })) {
        std::int64_t length = time + common_wait_;
        for (const char32_t warp : state) length = std::max(length, time + common_wait_ + wait_of(warp));
        if (length <= result_.lower || (final_ != nullptr && length <= final_length_)) return;
        finals_.clear();
        final_ = &*finals_.emplace(state, Origin{&entry, time_}).first;
        final_time_ = time;
        final_length_ = length;
        return;
      }
      if (time + bound_of(state) <= result_.lower) return;
      if (layers_[time].emplace(state, Origin{&entry, time_}).second)
        result_.bytes += sizeof(Entry) + 2 * sizeof(void*) + sizeof(char32_t) * state.size();
    });
  }

  /// Counts a choice, and stops beyond a limit.
  void count_cycle() {
    ++cycles_;
    const bool is_late = options_.time_limit && cycles_ % 1024 == 0 && seconds() >= *options_.time_limit;
    stopped_ = stopped_ || is_late || cycles_ > max_waiting_cycles || result_.bytes > options_.memory;
  }

  /// At least the cycles from a state to the end of its schedule (see simple_bound).
  std::int64_t bound_of(const State& state) const {
    std::int64_t bound = 0;
    PerUnit work{};
    for (const char32_t warp : state) {
      const Place& place = at(warp);
      bound = std::max(bound, wait_of(warp) + place.chain);
      for (std::size_t unit = 0; unit < unit_types; ++unit) work[unit] += place.work[unit];
    }
    for (std::size_t unit = 0; unit < unit_types; ++unit) {
      const std::int64_t at_once = std::min(problem_.capacity[unit], problem_.schedulers);
      bound += (work[unit] + at_once - 1) / at_once;
    }
    return bound;
  }

  const Place& at(char32_t warp) const { return places_[position_of(warp)]; }
  std::size_t unit_at(std::size_t position) const { return places_[position].unit; }

  /// Calls `found` for each work-conserving choice of a cycle.
  template <class Found>
  void for_each_cycle(const State& state, Found&& found) {
    std::vector<Choice> choices;
    for (const char32_t warp : state) {
      if (choices.empty() || choices.back().warp != warp) choices.push_back({warp});
      ++choices.back().count;
    }
    PerUnit free = problem_.capacity;
    std::int64_t room = problem_.schedulers;
    const auto leaves_none_out = [&] {
      return std::all_of(choices.begin(), choices.end(), [&](const Choice& choice) {
        const std::size_t position = position_of(choice.warp);
        if (wait_of(choice.warp) > 0 || places_[position].is_end) return true;
        const bool could_begin = choice.once + choice.twice < choice.count && room > 0 && free[unit_at(position)] > 0;
        const bool could_go_on = choice.once > 0 && places_[position].pairs && free[unit_at(position + 1)] > 0;
        return !could_begin && !could_go_on;
      });
    };
    const auto choose = [&](const auto& self, std::size_t index) -> void {
      if (stopped_) return;
      if (index == choices.size()) {
        if (!is_done_) count_cycle();
        if (leaves_none_out()) found(choices);
        return;
      }
      Choice& choice = choices[index];
      const std::size_t position = position_of(choice.warp);
      if (wait_of(choice.warp) > 0 || places_[position].is_end) return self(self, index + 1);
      const std::int64_t most = std::min({choice.count, free[unit_at(position)], room});
      for (std::int64_t begin = 0; begin <= most; ++begin) {
        free[unit_at(position)] -= begin;
        room -= begin;
        const std::int64_t go_on = places_[position].pairs ? std::min(begin, free[unit_at(position + 1)]) : 0;
        for (choice.twice = 0; choice.twice <= go_on; ++choice.twice) {
          choice.once = begin - choice.twice;
          if (choice.twice > 0) free[unit_at(position + 1)] -= choice.twice;
          self(self, index + 1);
          if (choice.twice > 0) free[unit_at(position + 1)] += choice.twice;
        }
        free[unit_at(position)] += begin;
        room += begin;
      }
      choice.once = choice.twice = 0;
    };
    choose(choose, 0);
  }

  char32_t moved(char32_t warp, std::size_t executed) const {
    const std::size_t position = position_of(warp) + executed;
    if (executed == 0) return warp_at(position, std::max<std::int64_t>(wait_of(warp) - 1, 0));
    return warp_at(position, places_[position - 1].wait);
  }

  static char32_t after_waiting(char32_t warp, std::int64_t cycles) {
    return warp_at(position_of(warp), std::max<std::int64_t>(wait_of(warp) - cycles, 0));
  }

  /// The state after a cycle, and after those in which all warps wait: these are counted.
  std::pair<State, std::int64_t> after(const std::vector<Choice>& choices) const {
    State state;
    for (const Choice& choice : choices) {
      state.append(static_cast<std::size_t>(choice.count - choice.once - choice.twice), moved(choice.warp, 0));
      if (choice.once > 0) state.append(static_cast<std::size_t>(choice.once), moved(choice.warp, 1));
      if (choice.twice > 0) state.append(static_cast<std::size_t>(choice.twice), moved(choice.warp, 2));
    }
    std::int64_t least = max_waiting;
    for (const char32_t warp : state)
      if (!at(warp).is_end) least = std::min(least, wait_of(warp));
    if (least == max_waiting) least = 0;  // all have ended
    for (char32_t& warp : state) warp = after_waiting(warp, least);
    std::sort(state.begin(), state.end());
    return {std::move(state), least};
  }

  /// The schedule that led to the final state, with its warps by name.
  Schedule witness() {
    std::vector<std::pair<const State*, std::int64_t>> path{{&final_->first, final_time_}};
    Origin origin = final_->second;
    for (; origin.before != nullptr; origin = origin.before->second)
      path.emplace_back(&origin.before->first, origin.time);
    std::reverse(path.begin(), path.end());
    State warps = first_;
    Schedule schedule;
    is_done_ = true;
    stopped_ = false;
    for (std::size_t step = 0; step + 1 < path.size(); ++step) {
      std::vector<Choice> taken;
      for_each_cycle(*path[step].first, [&](const std::vector<Choice>& choices) {
        if (taken.empty() && after(choices).first == *path[step + 1].first) taken = choices;
      });
      const std::int64_t skipped = path[step + 1].second - path[step].second - 1;
      std::vector<std::uint16_t>& cycle = schedule.emplace_back();
      for (std::size_t name = 0; name < warps.size(); ++name) {
        const auto choice =
            std::find_if(taken.begin(), taken.end(), [&](const Choice& c) { return c.warp == warps[name]; });
        std::size_t executed = 0;
        if (choice != taken.end() && choice->twice > 0) {
          --choice->twice;
          executed = 2;
        } else if (choice != taken.end() && choice->once > 0) {
          --choice->once;
          executed = 1;
        }
        cycle.insert(cycle.end(), executed, static_cast<std::uint16_t>(name));
        warps[name] = after_waiting(moved(warps[name], executed), skipped);
      }
      if (step + 2 < path.size()) schedule.resize(schedule.size() + static_cast<std::size_t>(skipped));
    }
    return schedule;
  }

  const Problem& problem_;
  const SearchOptions& options_;
  SearchResult& result_;
  const Clock::time_point start_;
  std::int64_t common_wait_ = 0;  // that of every warp after its last instruction
  std::vector<Place> places_;
  State first_;
  std::map<std::int64_t, Layer> layers_;  // states by time
  Layer finals_;
  const Entry* final_ = nullptr;  // of the longest schedule
  std::int64_t final_time_ = 0, final_length_ = 0;
  std::int64_t time_ = 0;
  std::uint64_t cycles_ = 0;
  bool stopped_ = false;
  bool is_done_ = false;  // only the witness is still wanted
};

}  // namespace

void search_waiting(const Problem& problem, const SearchOptions& options, SearchResult& result) {
  WaitingSearch(problem, options, result).run();
}

}  // namespace amalthea::engine::nvidia::makespan
