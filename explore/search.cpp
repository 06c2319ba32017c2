// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "amalthea/diagnostic.hpp"
#include "amalthea/primitives/threads.hpp"
#include "explore/detail/conflict.hpp"
#include "explore/detail/evaluator.hpp"
#include "explore/detail/impossible.hpp"
#include "explore/detail/reduction.hpp"
#include "explore/detail/walk.hpp"
#include "explore/exploration.hpp"

namespace amalthea::explore {
namespace {

using namespace detail;
using Clock = std::chrono::steady_clock;

/// Longer times exceed the range of the clock.
constexpr double max_seconds = 1e9;

constexpr Start starts[walk_count] = {Start::original, Start::first_fit, Start::worst_fit, Start::random,
                                      Start::random,   Start::original,  Start::random,    Start::random};

/// Share of the given time for the walks; the rest is for finding a conflict.
constexpr double share_of_walks = 0.8;

/// Calls `work` for 0 … count - 1, in any order and on several threads.
template <typename Work>
void in_parallel(std::size_t count, unsigned threads, Work work) {
  std::atomic<std::size_t> next = 0;
  in_threads(std::min<std::size_t>(threads, count), [&](std::size_t) {
    for (std::size_t index = next++; index < count; index = next++) work(index);
  });
}

class Search {
 public:
  Search(const Problem& problem, const Options& options)
      : options_(options), space_(space_of(problem, options)), facts_(facts_of(space_)) {
    result_.impossible = impossible_deadlines(space_);
    counted_ = counted_tasks(space_, result_.impossible);
    const Placement& own = space_.placements.front();
    result_.original = canonical(own, original_candidate(own.system));
    result_.original_judgement = Evaluator(space_, facts_, counted_).judge(0, result_.original);
    if (!result_.original.empty()) find_scales(result_.original_judgement);
  }

  std::vector<WalkRecord> walk(const std::vector<std::size_t>& numbers,
                               const std::function<void(const WalkRecord&)>& done) {
    if (result_.original.empty()) return {};
    std::vector<WalkRecord> records(numbers.size());
    std::mutex telling;
    in_parallel(numbers.size(), threads(), [&](std::size_t index) {
      WalkResult found = walk_number(numbers[index]);
      records[index] = {numbers[index], {found.archive.members().begin(), found.archive.members().end()},
                        found.judged,   found.steps,
                        found.is_cut,   {found.late.begin(), found.late.end()}};
      if (!done || is_stopped()) return;
      const std::lock_guard lock(telling);
      done(records[index]);
    });
    return records;
  }

  Exploration conclude(std::vector<WalkRecord> walks) {
    Exploration result = result_;
    if (result.original.empty()) {
      result.feasible = true;
      return result;
    }
    std::sort(walks.begin(), walks.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
    Archive archive;
    std::set<std::vector<TaskIndex>> late;
    for (const WalkRecord& each : walks) {
      for (const Member& member : each.front) {
        check(member);
        archive.add(member);
      }
      late.insert(each.late.begin(), each.late.end());
      result.judged += each.judged;
      result.steps += each.steps;
      result.is_cut = result.is_cut || each.is_cut;
    }
    if (archive.members().empty()) throw std::invalid_argument("the walks have found no mapping");
    archive.sort();
    archive.thin(max_solutions);
    archive = reduced_front(archive.members());
    const Judgement& best = archive.members().front().judgement;
    result.feasible = best.broken == 0 && best.late.empty();
    if (!result.feasible && !is_stopped()) {
      ConflictOptions options;
      if (options_.seconds)
        options.end = begin_ + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(std::min(*options_.seconds, max_seconds)));
      options.judged = [this] { count(); };
      result.conflict = find_conflict(space_, facts_, counted_, archive.members().front(), late, options, result);
    }
    result.front.resize(archive.members().size());
    in_parallel(result.front.size(), threads(),
                [&](std::size_t index) { result.front[index] = confirmed(archive.members()[index]); });
    return result;
  }

 private:
  /// Walks may come from a file. Throws std::invalid_argument for what no walk of this search finds.
  void check(const Member& member) const {
    const bool fits = member.placement < space_.placements.size() &&
                      member.judgement.objectives.size() == options_.objectives.size() &&
                      std::all_of(member.candidate.begin(), member.candidate.end(), [&](const Choice& choice) {
                        return choice.unit < space_.problem.system.platform.units.size() &&
                               (!choice.slice || (*choice.slice > Duration{} && *choice.slice <= longest_simulation));
                      });
    if (!fits) throw std::invalid_argument("a mapping is none of this search");
  }

  /// Without the changes that are not needed. Fewer changes may make members equal, and the front smaller.
  Archive reduced_front(const std::vector<Member>& members) {
    std::vector<Member> few(members.size());
    const std::uint64_t steps = std::max<std::uint64_t>(1, options_.steps / walk_count / members.size());
    in_parallel(members.size(), threads(), [&](std::size_t index) {
      Evaluator evaluator(space_, facts_, counted_);
      few[index] = reduced(space_, evaluator, members[index], steps, [this] { return is_stopped(); });
    });
    Archive archive;
    for (const Member& member : few) archive.add(member);
    archive.sort();
    return archive;
  }

  /// Each thread has a system of its own, which may be large.
  unsigned threads() const {
    constexpr std::size_t large = 50'000;
    return space_.problem.system.graph.size() > large ? 1 : options_.threads;
  }

  bool is_stopped() const { return options_.analysis.work != nullptr && options_.analysis.work->stop; }

  void find_scales(const Judgement& original) {
    for (std::size_t i = 0; i < options_.objectives.size(); ++i) {
      const bool latency = std::holds_alternative<ChainLatency>(options_.objectives[i]);
      const double value = original.objectives[i];
      const bool changes = std::holds_alternative<FewestChanges>(options_.objectives[i]);
      scales_.push_back(latency && std::isfinite(value) && value > 0 ? value
                        : changes ? std::max(1.0, static_cast<double>(result_.original.size()) / 2)
                                  : 1);
    }
  }

  /// The first walks have one objective each, the others all of them with random weights.
  std::vector<double> weights_of(std::uint64_t number) const {
    const std::size_t count = options_.objectives.size();
    std::vector<double> weights(count, 1);
    RandomStream random(options_.seed, walk_purpose, number, ~std::uint64_t{0});
    for (std::size_t i = 0; i < count; ++i)
      weights[i] = number < count ? (i == number ? 1 : 0.1) : -std::log(1 - random.uniform()) + 1e-3;
    double sum = 0;
    for (const double weight : weights) sum += weight;
    for (double& weight : weights) weight /= sum;
    return weights;
  }

  WalkResult walk_number(std::size_t number) {
    WalkOptions options;
    options.number = number;
    options.start = starts[number];
    options.budget =
        std::max<std::uint64_t>(1, options_.candidates / walk_count + (number < options_.candidates % walk_count));
    options.steps = std::max<std::uint64_t>(1, options_.steps / walk_count);
    options.weights = weights_of(number);
    options.scales = scales_;
    if (options_.seconds)
      options.seconds =
          share_of_walks * *options_.seconds * std::clamp<double>(options_.threads, 1, walk_count) / walk_count;
    options.judged = [this](const Judgement& judgement) { count(judgement); };
    Evaluator evaluator(space_, facts_, counted_);
    return detail::walk(space_, facts_, evaluator, options);
  }

  void count(const Judgement& judgement) {
    std::size_t fewest = fewest_late_;
    while (judgement.late.size() < fewest && !fewest_late_.compare_exchange_weak(fewest, judgement.late.size())) {
    }
    count();
  }

  void count() {
    constexpr std::uint64_t now_and_then = 64;
    const std::uint64_t judged = ++judged_;
    if (Work* work = options_.analysis.work)
      work->done = std::min(1.0, static_cast<double>(judged) / static_cast<double>(options_.candidates));
    if (!options_.progress || judged % now_and_then != 0) return;
    const std::lock_guard lock(progress_mutex_);
    options_.progress(judged, fewest_late_);
  }

  Solution confirmed(const Member& member) const {
    Solution solution;
    solution.candidate = member.candidate;
    solution.changes = count_changes(space_.problem, space_.placements[member.placement], member.candidate);
    solution.judgement = Evaluator(space_, facts_, counted_).judge(member.placement, member.candidate);
    const Placement& placement = space_.placements[member.placement];
    solution.simulated.resize(member.candidate.size());
    System system = placement.system;
    apply(placement, member.candidate, system);
    engine::AnalysisOptions options = options_.analysis;
    options.execution = engine::Execution::worst;
    options.observer = nullptr;
    options.work = nullptr;  // short, and worth finishing
    Diagnostics ignored;     // already reported by the analysis of the original system
    const auto results = engine::analyze(system, options, ignored);
    if (!results) return solution;
    solution.was_simulated = true;
    for (TaskIndex task = 0; task < solution.simulated.size(); ++task)
      if (results->tasks[task].response.jobs > 0) solution.simulated[task] = results->tasks[task].response.max;
    return solution;
  }

  const Clock::time_point begin_ = Clock::now();
  const Options& options_;
  const Space space_;
  const Facts facts_;
  Exploration result_;  ///< what does not depend on the walks
  std::vector<bool> counted_;
  std::vector<double> scales_;
  std::atomic<std::uint64_t> judged_ = 0;
  std::atomic<std::size_t> fewest_late_ = ~std::size_t{0};
  std::mutex progress_mutex_;
};

}  // namespace

std::vector<WalkRecord> walk(const Problem& problem, const Options& options, const std::vector<std::size_t>& numbers,
                             const std::function<void(const WalkRecord&)>& done) {
  return Search(problem, options).walk(numbers, done);
}

Exploration conclude(const Problem& problem, const Options& options, std::vector<WalkRecord> walks) {
  return Search(problem, options).conclude(std::move(walks));
}

Exploration explore(const Problem& problem, const Options& options) {
  std::vector<std::size_t> all(walk_count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  Search search(problem, options);
  return search.conclude(search.walk(all, {}));
}

}  // namespace amalthea::explore
