// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/makespan/search.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "amalthea/primitives/threads.hpp"
#include "engine/nvidia/makespan/detail/relaxation.hpp"
#include "engine/nvidia/makespan/detail/waiting_search.hpp"

namespace amalthea::engine::nvidia::makespan {
namespace {

using Clock = std::chrono::steady_clock;

// A state is a row of bits: starting at the first instruction, a one for each warp there, then a zero. The i-th one,
// with warps ordered by progress, is at bit i + its progress. When the last x warps of a group advance, their ones move
// up by one bit: the state grows by a number that depends only on the group and x.
//
// A word is a state and, in the low bits, the longest time to reach it.
using Word = std::uint64_t;
constexpr int time_bits = 10;
constexpr Word time_mask = (Word{1} << time_bits) - 1;
constexpr std::int64_t longest_time = static_cast<std::int64_t>(time_mask);
static_assert(max_state_bits + time_bits == 64);

constexpr std::int64_t time_of(Word word) { return static_cast<std::int64_t>(word & time_mask); }

Word hash(Word state) {
  state *= 0x9E3779B97F4A7C15U;
  return state ^ (state >> 29);
}

/// Bounds without a table (see simple_bound).
class SimpleBounds {
 public:
  explicit SimpleBounds(const Problem& problem) : problem_(problem), phases_(phases_of(problem.kernel)) {}

  std::int64_t at(const int* present, const int* rest) const {
    std::int64_t chain = 0;
    PerUnit work{};
    std::int64_t arriving = 0;  // warps that have not reached the phase
    for (std::size_t p = 0; p < phases_.size(); ++p) {
      arriving += present[p];
      if (arriving > 0) chain += phases_[p].length;
      work[static_cast<std::size_t>(phases_[p].unit)] +=
          (arriving - present[p]) * phases_[p].length + present[p] + rest[p];
    }
    // The chain's own work counts twice here, which only increases the bound.
    std::int64_t bound = chain;
    for (std::size_t unit = 0; unit < unit_types; ++unit) {
      const std::int64_t at_once = std::min(problem_.capacity[unit], problem_.schedulers);
      bound += (work[unit] + at_once - 1) / at_once;
    }
    return bound;
  }

 private:
  const Problem& problem_;
  std::vector<Phase> phases_;
};

/// States with their longest times; may be filled by several threads.
class Layer {
 public:
  static constexpr std::size_t shards = 32;
  static std::size_t shard_of(Word hashed) { return static_cast<std::size_t>(hashed >> 59); }

  void insert(std::size_t shard, const Word* words, std::size_t count) {
    Shard& to = shards_[shard];
    const std::lock_guard lock(to.mutex);
    for (std::size_t i = 0; i < count; ++i) to.insert(words[i]);
  }

  /// All words, unordered; the layer is empty afterwards.
  std::vector<Word> take() {
    std::size_t count = 0;
    for (const Shard& shard : shards_) count += shard.count;
    std::vector<Word> words;
    words.reserve(count);
    for (Shard& shard : shards_) {
      for (const Word word : shard.slots)
        if (word != 0) words.push_back(word);
      shard.slots = {};
      shard.count = 0;
    }
    return words;
  }

  std::uint64_t bytes() const {
    std::uint64_t slots = 0;
    for (const Shard& shard : shards_) slots += shard.slots.size();
    return slots * sizeof(Word);
  }

 private:
  struct Shard {
    void insert(Word word) {
      if ((count + 1) * 4 > slots.size() * 3) grow();
      if (put(word)) ++count;
    }
    bool put(Word word) {
      const std::size_t mask = slots.size() - 1;
      for (std::size_t at = static_cast<std::size_t>(hash(word >> time_bits)) & mask;; at = (at + 1) & mask) {
        Word& slot = slots[at];
        if (slot == 0) {
          slot = word;
          return true;
        }
        if (slot >> time_bits == word >> time_bits) {
          slot = std::max(slot, word);
          return false;
        }
      }
    }
    void grow() {
      std::vector<Word> old(std::max<std::size_t>(64, slots.size() * 2), 0);
      old.swap(slots);
      for (const Word word : old)
        if (word != 0) put(word);
    }

    std::mutex mutex;
    std::vector<Word> slots;
    std::size_t count = 0;
  };

  std::array<Shard, shards> shards_;
};

/// Frequently used properties of a kernel.
struct Shape {
  explicit Shape(const Problem& given)
      : problem(given),
        phases(phases_of(given.kernel)),
        instructions(static_cast<int>(given.kernel.size())),
        one_by_one(std::min(given.capacity_of(given.kernel.front()), given.schedulers) == 1) {
    for (std::size_t p = 0; p < phases.size(); ++p)
      for (int i = 0; i < phases[p].length; ++i) phase_of.push_back(static_cast<int>(p));
    PerUnit used{};
    for (const Phase& phase : phases) used[static_cast<std::size_t>(phase.unit)] = given.capacity_of(phase.unit);
    std::int64_t together = 0;
    for (const std::int64_t units : used) together += units;
    at_once = static_cast<std::size_t>(std::min({together, given.schedulers, given.warps}));
  }

  const Problem& problem;
  std::vector<Phase> phases;
  std::vector<int> phase_of;  // by instruction
  int instructions;
  bool one_by_one;          // whether warps of the first phase are executed one after the other
  std::size_t at_once = 0;  // maximum number of warps in a cycle
};

/// Whether a cycle leads from one state to another.
bool is_cycle(const Shape& shape, Word from, Word to) {
  int present[max_phases] = {};
  int used[max_phases] = {};
  for (int i = 0; from != 0; ++i, from &= from - 1, to &= to - 1) {
    const int before = std::countr_zero(from) - i;
    const int steps = std::countr_zero(to) - i - before;
    if (steps < 0 || steps > 1 || (before == shape.instructions && steps != 0)) return false;
    if (before == shape.instructions) continue;
    const int phase = shape.phase_of[static_cast<std::size_t>(before)];
    ++present[phase];
    used[phase] += steps;
  }
  bool found = false;
  for_each_cycle(shape.problem, shape.phases, present, [&](const int* executed) {
    found = found || std::equal(executed, executed + shape.phases.size(), used);
  });
  return found;
}

/// Finds the states after one cycle that can still reach the target. One object per thread.
template <class Bounds>
class Expansion {
 public:
  Expansion(const Shape& shape, const Bounds& bounds, std::int64_t target, std::vector<std::unique_ptr<Layer>>& layers)
      : shape_(shape),
        bounds_(bounds),
        target_(target),
        layers_(layers),
        side_(static_cast<std::size_t>(shape.at_once) + 1),
        choices_(shape.phases.size() * side_ * side_),
        buffers_(layers.size() * Layer::shards) {}

  /// For a state with `progress` executed instructions.
  void expand(Word word, std::size_t progress) {
    progress_ = progress;
    state_ = word >> time_bits;
    time_ = time_of(word) + 1;
    read_groups();
    for (Choices& choices : choices_) choices.known = false;
    for_each_cycle(shape_.problem, shape_.phases, present_, [&](const int* executed) {
      executed_ = executed;
      choose_leaving(0);
    });
  }

  void flush() {
    for (std::size_t i = 0; i < buffers_.size(); ++i) flush(i);
  }

  /// The upper bound on the remaining schedule of a state.
  std::int64_t bound_of(Word state) {
    state_ = state;
    read_groups();
    return bounds_.at(present_, rest_);
  }

 private:
  /// Warps with the same progress, within a phase and not at its last instruction.
  struct Group {
    int end;  // bit after their ones
    int count;
  };
  /// All possible changes of the state if k warps of a phase execute and l of them leave it.
  struct Choices {
    bool known = false;
    std::vector<Word> added;
  };
  static constexpr std::size_t buffer_size = 128;

  void read_groups() {
    for (std::size_t p = 0; p < shape_.phases.size(); ++p) {
      present_[p] = rest_[p] = 0;
      last_[p] = {0, 0};
      groups_[p].clear();
    }
    Word bits = state_;
    for (int i = 0; bits != 0;) {
      const int bit = std::countr_zero(bits);
      const int position = bit - i;
      if (position >= shape_.instructions) break;
      const int count = std::countr_one(bits >> bit);
      const auto p = static_cast<std::size_t>(shape_.phase_of[static_cast<std::size_t>(position)]);
      const Phase& phase = shape_.phases[p];
      const int left = phase.first + phase.length - 1 - position;
      present_[p] += count;
      rest_[p] += count * left;
      const Group group{bit + count, count};
      if (left == 0)
        last_[p] = group;
      else
        groups_[p].push_back(group);
      i += count;
      bits = (bits >> bit >> (count - 1) >> 1) << bit << (count - 1) << 1;
    }
  }

  static Word advance(const Group& group, int count) { return ((Word{1} << count) - 1) << (group.end - count); }

  /// Chooses how many warps leave each phase from p on; then checks the bound.
  void choose_leaving(std::size_t p) {
    const std::size_t count = shape_.phases.size();
    if (p == count) {
      int target_present[max_phases] = {};
      int target_rest[max_phases] = {};
      std::size_t executed = 0;
      for (std::size_t q = 0; q < count; ++q) {
        const int arrive = q == 0 ? 0 : leaving_[q - 1];
        target_present[q] = present_[q] - leaving_[q] + arrive;
        target_rest[q] = rest_[q] - (executed_[q] - leaving_[q]) + arrive * (shape_.phases[q].length - 1);
        executed += static_cast<std::size_t>(executed_[q]);
      }
      if (time_ + static_cast<std::int64_t>(bounds_.at(target_present, target_rest)) < target_) return;
      into_ = (progress_ + executed) % layers_.size();
      combine(0, state_);
      return;
    }
    const int inner = present_[p] - last_[p].count;
    const int most = std::min(executed_[p], last_[p].count);
    for (int l = std::max(0, executed_[p] - inner); l <= most; ++l) {
      leaving_[p] = l;
      choose_leaving(p + 1);
    }
  }

  void combine(std::size_t p, Word state) {
    while (p < shape_.phases.size() && executed_[p] == 0) ++p;
    if (p == shape_.phases.size()) {
      const std::size_t shard = Layer::shard_of(hash(state));
      const std::size_t index = into_ * Layer::shards + shard;
      Buffer& buffer = buffers_[index];
      buffer.words[buffer.count++] = state << time_bits | static_cast<Word>(time_);
      if (buffer.count == buffer_size) flush(index);
      return;
    }
    for (const Word added : choices(p, executed_[p], leaving_[p])) combine(p + 1, state + added);
  }

  const std::vector<Word>& choices(std::size_t p, int executed, int leaving) {
    Choices& choices =
        choices_[(p * side_ + static_cast<std::size_t>(executed)) * side_ + static_cast<std::size_t>(leaving)];
    if (choices.known) return choices.added;
    choices.known = true;
    choices.added.clear();
    const Word base = leaving > 0 ? advance(last_[p], leaving) : 0;
    const auto& groups = groups_[p];
    if (p == 0 && shape_.one_by_one) {
      choices.added.push_back(base + (executed > leaving ? advance(groups.back(), 1) : 0));
      return choices.added;
    }
    const auto choose = [&](const auto& self, std::size_t group, int left, int available, Word added) -> void {
      if (left == 0) {
        choices.added.push_back(added);
        return;
      }
      if (available < left) return;
      const int most = std::min(left, groups[group].count);
      for (int x = 0; x <= most; ++x)
        self(self, group + 1, left - x, available - groups[group].count,
             x > 0 ? added + advance(groups[group], x) : added);
    };
    choose(choose, 0, executed - leaving, present_[p] - last_[p].count, base);
    return choices.added;
  }

  void flush(std::size_t index) {
    Buffer& buffer = buffers_[index];
    if (buffer.count == 0) return;
    layers_[index / Layer::shards]->insert(index % Layer::shards, buffer.words.data(), buffer.count);
    buffer.count = 0;
  }

  struct Buffer {
    std::array<Word, buffer_size> words;
    std::size_t count = 0;
  };

  const Shape& shape_;
  const Bounds& bounds_;
  const std::int64_t target_;
  std::vector<std::unique_ptr<Layer>>& layers_;
  const std::size_t side_;
  std::vector<Choices> choices_;
  std::vector<Buffer> buffers_;  // by layer and shard

  // For the current state.
  Word state_ = 0;
  std::int64_t time_ = 0;
  std::size_t progress_ = 0;
  int present_[max_phases] = {};
  int rest_[max_phases] = {};
  Group last_[max_phases] = {};
  std::vector<Group> groups_[max_phases];
  const int* executed_ = nullptr;
  int leaving_[max_phases] = {};
  std::size_t into_ = 0;
};

/// The whole search: its limits, and its results so far.
class Search {
 public:
  Search(const Problem& problem, const SearchOptions& options)
      : problem_(problem), options_(options), shape_(problem), start_(Clock::now()) {
    result_.upper = simple_bound(problem);
    for (const WarpString& string :
         {round_robin_string(problem), max_pending_string(problem), fixed_priority_string(problem)})
      if (StringSchedule schedule(problem, string); schedule.makespan() > result_.lower) {
        result_.lower = schedule.makespan();
        result_.witness = schedule.schedule();
      }
  }

  SearchResult run() {
    if (!problem_.is_plain()) {
      if (options_.search && result_.lower < result_.upper) search_waiting(problem_, options_, result_);
      result_.seconds = seconds();
      return std::move(result_);
    }
    const auto bytes = shape_.phases.size() > max_phases ? std::nullopt : table_bytes(problem_, options_.memory / 2);
    if (!bytes)
      search(SimpleBounds(problem_));
    else if (simple_bound(problem_) <= std::numeric_limits<std::uint8_t>::max())
      with_table<std::uint8_t>();
    else
      with_table<std::uint16_t>();
    result_.seconds = seconds();
    return std::move(result_);
  }

 private:
  enum class Outcome : std::uint8_t { found, refuted, stopped };
  static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  bool late() const { return options_.time_limit && seconds() >= *options_.time_limit; }

  void report() {
    if (options_.progress) options_.progress({result_.lower, result_.upper, result_.states, seconds()});
  }

  template <class Value>
  void with_table() {
    const RelaxationTable<Value> table(problem_, options_.threads, [this] { return late(); });
    result_.bytes = fixed_bytes_ = table.bytes();
    if (!table.usable()) return;
    result_.upper = std::min<std::int64_t>(result_.upper, table.at_start());
    search(table);
  }

  template <class Bounds>
  void search(const Bounds& bounds) {
    report();
    if (!options_.search || problem_.instructions() + problem_.warps > max_state_bits ||
        shape_.phases.size() > max_phases || result_.upper > longest_time)
      return;
    for (const std::size_t width : {100U, 1000U, 4000U})
      while (result_.lower < result_.upper && pass(bounds, result_.lower + 1, width) == Outcome::found) {
      }
    while (result_.lower < result_.upper) {
      const Outcome outcome = pass(bounds, result_.upper, unlimited);
      if (outcome == Outcome::stopped) return;
      if (outcome == Outcome::refuted) --result_.upper;
      report();
    }
  }

  /// Searches a schedule of at least `target` cycles, with at most `width` states for each number of executed
  /// instructions. A complete search without result refutes the target.
  template <class Bounds>
  Outcome pass(const Bounds& bounds, std::int64_t target, std::size_t width) {
    std::vector<std::unique_ptr<Layer>> ahead;
    for (std::size_t i = 0; i <= shape_.at_once; ++i) ahead.push_back(std::make_unique<Layer>());
    std::vector<std::unique_ptr<Expansion<Bounds>>> expansions;
    for (unsigned i = 0; i < options_.threads; ++i)
      expansions.push_back(std::make_unique<Expansion<Bounds>>(shape_, bounds, target, ahead));

    const Word first = ((Word{1} << problem_.warps) - 1) << time_bits;
    ahead[0]->insert(0, &first, 1);
    const auto ends = static_cast<std::size_t>(problem_.instructions() * problem_.warps);
    std::vector<std::vector<Word>> visited(ends + 1);
    std::uint64_t bytes = fixed_bytes_;
    for (std::size_t progress = 0; progress <= ends; ++progress) {
      std::vector<Word>& words = visited[progress];
      std::uint64_t hashed = 0;
      for (const auto& layer : ahead) hashed += layer->bytes();
      result_.bytes = std::max(result_.bytes, bytes + hashed);
      if (bytes + hashed > options_.memory || late()) return Outcome::stopped;
      words = ahead[progress % ahead.size()]->take();
      if (words.size() > width) keep_best(words, width, *expansions.front());
      result_.states += words.size();
      bytes += words.size() * sizeof(Word);
      if (progress == ends) break;
      if (!expand_all(words, progress, expansions)) return Outcome::stopped;
      if (width == unlimited && progress % 16 == 0) report();
    }
    if (visited[ends].empty()) return Outcome::refuted;
    result_.lower = time_of(visited[ends].front());
    result_.witness = witness(visited);
    return Outcome::found;
  }

  template <class Bounds>
  void keep_best(std::vector<Word>& words, std::size_t width, Expansion<Bounds>& expansion) const {
    std::vector<std::pair<std::int64_t, Word>> ranked;
    ranked.reserve(words.size());
    for (const Word word : words) ranked.emplace_back(-(time_of(word) + expansion.bound_of(word >> time_bits)), word);
    std::nth_element(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(width), ranked.end());
    words.resize(width);
    for (std::size_t i = 0; i < width; ++i) words[i] = ranked[i].second;
    words.shrink_to_fit();
  }

  template <class Bounds>
  bool expand_all(const std::vector<Word>& words, std::size_t progress,
                  std::vector<std::unique_ptr<Expansion<Bounds>>>& expansions) const {
    constexpr std::size_t chunk = 256;
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> stopped = false;
    const auto work = [&](std::size_t number) {
      Expansion<Bounds>& expansion = *expansions[number];
      for (;;) {
        const std::size_t begin = next.fetch_add(chunk);
        if (begin >= words.size()) break;
        if (late()) {
          stopped = true;
          break;
        }
        const std::size_t end = std::min(words.size(), begin + chunk);
        for (std::size_t i = begin; i < end; ++i) expansion.expand(words[i], progress);
      }
      expansion.flush();
    };
    in_threads(std::min(expansions.size(), words.size() / chunk + 1), work);
    return !stopped;
  }

  /// A path to the end, constructed backwards: among several predecessors, the first by progress and then by value.
  Schedule witness(const std::vector<std::vector<Word>>& visited) const {
    std::size_t progress = visited.size() - 1;
    Word at = visited[progress].front();
    Schedule schedule(static_cast<std::size_t>(time_of(at)));
    for (std::size_t cycle = schedule.size(); cycle-- > 0;) {
      Word before = 0;
      const std::size_t least = progress > shape_.at_once ? progress - shape_.at_once : 0;
      std::size_t from = least;
      for (; from < progress; ++from) {
        for (const Word word : visited[from])
          if (time_of(word) == static_cast<std::int64_t>(cycle) && (before == 0 || word < before) &&
              is_cycle(shape_, word >> time_bits, at >> time_bits))
            before = word;
        if (before != 0) break;
      }
      // Ones keep their order: the i-th one is the same warp in all states.
      Word old_bits = before >> time_bits;
      Word new_bits = at >> time_bits;
      for (std::uint16_t warp = 0; old_bits != 0; ++warp, old_bits &= old_bits - 1, new_bits &= new_bits - 1)
        if (std::countr_zero(old_bits) != std::countr_zero(new_bits)) schedule[cycle].push_back(warp);
      at = before;
      progress = from;
    }
    return schedule;
  }

  const Problem& problem_;
  const SearchOptions& options_;
  const Shape shape_;
  const Clock::time_point start_;
  std::uint64_t fixed_bytes_ = 0;
  SearchResult result_;
};

}  // namespace

SearchResult worst_makespan(const Problem& problem, const SearchOptions& options) {
  return Search(problem, options).run();
}

}  // namespace amalthea::engine::nvidia::makespan
