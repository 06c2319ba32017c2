// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "amalthea/distribution.hpp"
#include "engine/nvidia/makespan/annealing.hpp"
#include "engine/nvidia/makespan/detail/relaxation.hpp"
#include "engine/nvidia/makespan/search.hpp"
#include "tests/support/thoroughness.hpp"

namespace nvidia_makespan_test {

namespace {

using namespace amalthea::engine::nvidia::makespan;

constexpr const char* voronoi = "LLLLLCCCCCCCCCLLCCCCCCCCC";

/// A problem with one L unit and four C units (of warps) unless said otherwise.
Problem problem_of(const std::string& kernel, std::int64_t warps, std::int64_t schedulers) {
  Problem problem;
  problem.kernel = parse_kernel(kernel).value();
  problem.warps = warps;
  problem.schedulers = schedulers;
  return problem;
}

Problem lcl(std::int64_t warps) {
  Problem problem = problem_of("LCL", warps, 4);
  problem.capacity = {1, 1, 1, 1};
  return problem;
}

/// Warps counted from 1.
WarpString string_from(const std::vector<int>& warps) {
  WarpString string;
  for (const int warp : warps) string.push_back(static_cast<std::uint16_t>(warp - 1));
  return string;
}

SearchOptions two_threads() {
  SearchOptions options;
  options.threads = 2;
  return options;
}

/// Longest and shortest schedule by trying all, with progress of each warp as the state and nothing left out.
class Oracle {
 public:
  explicit Oracle(const Problem& problem) : problem_(problem) {}

  std::int64_t longest() { return rest(std::vector<std::size_t>(static_cast<std::size_t>(problem_.warps), 0)).second; }
  std::int64_t shortest() { return rest(std::vector<std::size_t>(static_cast<std::size_t>(problem_.warps), 0)).first; }

 private:
  using State = std::vector<std::size_t>;

  std::pair<std::int64_t, std::int64_t> rest(State state) {
    std::sort(state.begin(), state.end());
    if (state.front() == problem_.kernel.size()) return {0, 0};
    if (const auto known = known_.find(state); known != known_.end()) return known->second;
    std::pair<std::int64_t, std::int64_t> best{1'000'000, 0};
    const auto warps = state.size();
    for (std::uint32_t set = 1; set < 1U << warps; ++set) {
      PerUnit used{};
      std::int64_t in_all = 0;
      bool legal = true;
      for (std::size_t warp = 0; warp < warps && legal; ++warp) {
        if ((set >> warp & 1U) == 0) continue;
        legal = state[warp] < problem_.kernel.size();
        if (legal) ++used[static_cast<std::size_t>(problem_.kernel[state[warp]])];
        ++in_all;
      }
      legal = legal && in_all <= problem_.schedulers;
      for (std::size_t unit = 0; unit < unit_types; ++unit) legal = legal && used[unit] <= problem_.capacity[unit];
      for (std::size_t warp = 0; warp < warps && legal; ++warp) {
        if ((set >> warp & 1U) != 0 || state[warp] == problem_.kernel.size()) continue;
        const auto unit = static_cast<std::size_t>(problem_.kernel[state[warp]]);
        legal = used[unit] == problem_.capacity[unit] || in_all == problem_.schedulers;
      }
      if (!legal) continue;
      State next = state;
      for (std::size_t warp = 0; warp < warps; ++warp) next[warp] += set >> warp & 1U;
      const auto [shortest, longest] = rest(next);
      best = {std::min(best.first, shortest + 1), std::max(best.second, longest + 1)};
    }
    known_[state] = best;
    return best;
  }

  const Problem& problem_;
  std::map<State, std::pair<std::int64_t, std::int64_t>> known_;
};

/// The longest schedule of warps that wait or execute two instructions in a cycle, by trying all.
class WaitingOracle {
 public:
  explicit WaitingOracle(const Problem& problem) : problem_(problem) {
    if (problem.several.empty()) first_.assign(static_cast<std::size_t>(problem.warps), {0, 0});
    ends_.assign(first_.size(), problem.kernel.size());
    for (const Part& part : problem.several)
      for (std::int64_t warp = 0; warp < part.warps; ++warp) {
        first_.emplace_back(part.begin, 0);
        ends_.push_back(part.end);
      }
  }

  std::int64_t longest() { return rest(first_); }
  /// Until the first kernel has ended. The others may have executed any instructions before, and start up to `latest`
  /// cycles after it.
  std::int64_t longest_of_first(std::int64_t latest) {
    of_first_ = static_cast<std::size_t>(problem_.several.front().warps);
    std::int64_t most = 0;
    const auto vary = [&](const auto& self, State& state, std::size_t warp) -> void {
      if (warp == state.size()) {
        most = std::max(most, rest(state));
        return;
      }
      const auto from = state[warp];
      for (std::size_t at = from.first; at <= ends_[warp]; ++at)
        for (std::int64_t wait = 0; wait <= (at == from.first ? latest : 0); ++wait) {
          state[warp] = {at, wait};
          self(self, state, warp + 1);
        }
      state[warp] = from;
    };
    State state = first_;
    vary(vary, state, of_first_);
    return most;
  }

 private:
  /// By warp: its next instruction, and cycles from now to the one in which it may go on.
  using State = std::vector<std::pair<std::size_t, std::int64_t>>;

  bool pairs(std::size_t at) const {
    return problem_.dispatch_units == 2 && problem_.completes[at] && problem_.wait[unit(at)] == 0;
  }
  std::size_t unit(std::size_t at) const { return static_cast<std::size_t>(problem_.kernel[at]); }

  std::int64_t rest(const State& state) {
    if (const auto known = known_.find(state); known != known_.end()) return known->second;
    std::int64_t left = 0;  // after the last instruction, warps only wait
    bool have_ended = true;
    for (std::size_t warp = 0; warp < std::min(state.size(), of_first_); ++warp) {
      const bool has_ended = state[warp].first == ends_[warp];
      if (has_ended) left = std::max(left, state[warp].second);
      have_ended = have_ended && has_ended;
    }
    if (have_ended) return left;
    std::int64_t best = 0;
    std::vector<int> counts(state.size());
    for (bool more = true; more;) {
      if (is_legal(state, counts)) best = std::max(best, 1 + rest(next(state, counts)));
      more = false;
      for (std::size_t warp = 0; warp < counts.size() && !more; ++warp) {
        more = ++counts[warp] < 3;
        if (!more) counts[warp] = 0;
      }
    }
    return known_[state] = best;
  }

  bool is_legal(const State& state, const std::vector<int>& counts) const {
    PerUnit used{};
    std::int64_t warps = 0;
    for (std::size_t warp = 0; warp < counts.size(); ++warp) {
      const auto& [at, wait] = state[warp];
      const auto count = static_cast<std::size_t>(counts[warp]);
      if (count > 0 && (wait > 0 || at + count > ends_[warp])) return false;
      if (count == 2 && !pairs(at)) return false;
      for (std::size_t i = 0; i < count; ++i) ++used[unit(at + i)];
      warps += count > 0 ? 1 : 0;
    }
    for (std::size_t type = 0; type < unit_types; ++type)
      if (used[type] > problem_.capacity[type]) return false;
    if (warps > problem_.schedulers) return false;
    for (std::size_t warp = 0; warp < counts.size(); ++warp) {
      const auto& [at, wait] = state[warp];
      const auto next = at + static_cast<std::size_t>(counts[warp]);
      if (wait > 0 || next >= ends_[warp] || counts[warp] == 2) continue;
      if (used[unit(next)] == problem_.capacity[unit(next)]) continue;
      if (counts[warp] == 0 ? warps < problem_.schedulers : pairs(at)) return false;
    }
    return true;
  }

  State next(State state, const std::vector<int>& counts) const {
    for (std::size_t warp = 0; warp < counts.size(); ++warp) {
      auto& [at, wait] = state[warp];
      at += static_cast<std::size_t>(counts[warp]);
      if (counts[warp] == 0)
        wait = std::max<std::int64_t>(wait - 1, 0);
      else
        wait = problem_.completes[at - 1] ? problem_.wait[unit(at - 1)] : 0;
    }
    return state;
  }

  const Problem& problem_;
  State first_;
  std::vector<std::size_t> ends_;                                   // by warp
  std::size_t of_first_ = std::numeric_limits<std::size_t>::max();  // warps whose end is awaited
  std::map<State, std::int64_t> known_;
};

/// A kernel with waits, slow units and one or two dispatch units.
Problem random_waiting_problem(std::mt19937_64& random, std::size_t max_instructions, std::int64_t warps) {
  SmUnits sm;
  Kernel kernel;
  const std::size_t instructions = 1 + random() % max_instructions;
  for (std::size_t i = 0; i < instructions; ++i) kernel.push_back(static_cast<Unit>(random() % 3));
  for (std::size_t unit = 0; unit < unit_types; ++unit) {
    sm.units[unit] = std::int64_t{16} << random() % 3;
    sm.latency[unit] = random() % 4 == 0 ? 2 : 1;
    sm.wait[unit] = random() % 2 == 0 ? 0 : static_cast<std::int64_t>(random() % 4);
  }
  sm.dispatch_units = 1 + static_cast<std::int64_t>(random() % 2);
  const std::int64_t schedulers = random() % 3 == 0 ? no_scheduler_limit : 1 + static_cast<std::int64_t>(random() % 3);
  return problem_on(sm, kernel, 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(warps)), schedulers)
      .value();
}

/// Kernels of different instructions on one SM, mostly without waits.
Problem random_mixed_problem(std::mt19937_64& random, std::size_t max_instructions, std::int64_t warps) {
  SmUnits sm;
  for (std::size_t unit = 0; unit < unit_types; ++unit) {
    sm.units[unit] = std::int64_t{32} << random() % 2;
    sm.wait[unit] = random() % 4 == 0 ? static_cast<std::int64_t>(random() % 4) : 0;
  }
  sm.dispatch_units = random() % 4 == 0 ? 2 : 1;
  std::vector<std::pair<Kernel, std::int64_t>> kernels;
  for (std::int64_t left = warps; left > 0 && kernels.size() < 3;) {
    const std::int64_t its_warps = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(left));
    left -= its_warps;
    kernels.emplace_back(Kernel{}, its_warps);
    const std::size_t instructions = 1 + random() % max_instructions;
    for (std::size_t i = 0; i < instructions; ++i) kernels.back().first.push_back(static_cast<Unit>(random() % 3));
  }
  const std::int64_t schedulers = random() % 3 == 0 ? no_scheduler_limit : 1 + static_cast<std::int64_t>(random() % 3);
  return problem_on(sm, kernels, schedulers).value();
}

Problem random_problem(std::mt19937_64& random, std::size_t max_instructions, std::int64_t warps) {
  Problem problem;
  const std::size_t instructions = 1 + random() % max_instructions;
  for (std::size_t i = 0; i < instructions; ++i)
    problem.kernel.push_back(i > 0 && random() % 3 > 0 ? problem.kernel.back() : static_cast<Unit>(random() % 3));
  for (std::int64_t& units : problem.capacity) units = 1 + static_cast<std::int64_t>(random() % 3);
  problem.warps = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(warps));
  problem.schedulers = random() % 3 == 0 ? no_scheduler_limit : 1 + static_cast<std::int64_t>(random() % 4);
  return problem;
}

WarpString shuffled(const Problem& problem, std::mt19937_64& random) {
  WarpString string = round_robin_string(problem);
  std::shuffle(string.begin(), string.end(), random);
  return string;
}

}  // namespace

TEST_CASE("makespan: a kernel string has repeat counts and blanks and unknown letters are rejected") {
  CHECK(to_string(parse_kernel("5L 9C 2L 9c").value()) == voronoi);
  CHECK(to_string(parse_kernel("lcSD").value()) == "LCSD");
  CHECK(parse_kernel("").error() == "a kernel without instructions");
  CHECK(parse_kernel("LX").error() == "'X' is not one of the units L, C, S, D");
  CHECK(parse_kernel("L3").error() == "a number without a unit after it");
  CHECK(parse_kernel("0L").error() == "an instruction is repeated 0 times");
  CHECK(parse_kernel("99999999999999999999L").error() == "a kernel of more than 4096 instructions");
}

TEST_CASE("makespan: slow and scarce units become several one-cycle instructions") {
  SmUnits sm;
  sm.units = {16, 32, 16, 64};
  sm.latency = {1, 1, 4, 1};
  const auto problem = problem_on(sm, parse_kernel("LCS").value(), 3, 4).value();
  CHECK(to_string(problem.kernel) == "LLCSSSSSSSS");
  CHECK(problem.capacity == PerUnit{1, 1, 1, 2});
  sm.units[0] = 24;
  CHECK(problem_on(sm, parse_kernel("LCS").value(), 3, 4).error() ==
        "L: 24 units and warps of 32 threads are no multiples of one another");
  CHECK_FALSE(problem_on({}, parse_kernel("L").value(), 65, 4));
  CHECK_FALSE(problem_on({}, parse_kernel("L").value(), 4, 0));
}

TEST_CASE("makespan: PTX yields one letter per instruction without directives and labels and guards and comments") {
  const std::string ptx = R"(.version 4.3
.target sm_35
.address_size 64
.visible .entry scale(
    .param .u64 scale_param_0, // ld.param here is a comment
    .param .u32 scale_param_1
)
{
    .reg .pred %p<2>;
    .reg .f64 %fd<3>; /* two
    lines */
    ld.param.u64 %rd1, [scale_param_0];
Loop: add.s32 %r1, %r1, 1;
    @%p1 sin.approx.f32 %f1, %f2;
    mul.f64 %fd1, %fd1, %fd1; mov.f64 %fd2, %fd1;
    div.rn.f32 %f1, %f1, %f2;
    { st.global.f64 [%rd1], %fd1; }
    @!%p1 bra Loop;
    ret;
}
)";
  CHECK(to_string(kernel_of_ptx(ptx).value()) == "LCSDCSLCC");
  CHECK(kernel_of_ptx("mov.u32 %r1, 0;\n// nothing\nfrobnicate.u32 %r1;\n").error() ==
        "line 3: unknown opcode \"frobnicate.u32\"");
  CHECK(kernel_of_ptx(".version 4.3\n").error() == "no instructions");
}

TEST_CASE("makespan: the strings of the published figures yield their schedules") {
  const Problem problem = lcl(4);
  const StringSchedule first(problem, string_from({1, 1, 2, 2, 3, 3, 4, 1, 4, 2, 3, 4}));
  CHECK(first.cycles() == std::vector<std::int32_t>{1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8});
  CHECK(first.makespan() == 8);
  const StringSchedule second(problem, string_from({1, 1, 2, 2, 3, 3, 1, 2, 3, 4, 4, 4}));
  CHECK(second.cycles() == std::vector<std::int32_t>{1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9});
  CHECK(second.makespan() == 9);
  const StringSchedule same(problem, string_from({1, 2, 1, 3, 2, 3, 1, 2, 3, 4, 4, 4}));
  CHECK(same.schedule() == second.schedule());
  CHECK_FALSE(violation(problem, first.schedule()));
  CHECK_FALSE(violation(problem, second.schedule()));
  CHECK(complaint(problem, string_from({1, 1, 1, 1})) == "warp 1 is there 4 times, not 3");
  CHECK(complaint(problem, string_from({5})) == "there is no warp 5");
}

TEST_CASE("makespan: the number of strings is that of all that differ in more than the names of warps") {
  for (const auto& [kernel, warps] :
       {std::pair{"LCL", 1}, {"LCL", 2}, {"LCL", 3}, {"C", 4}, {"LC", 4}, {"LCLC", 2}, {"LLCCL", 2}, {"LLL", 4}}) {
    const Problem problem = problem_of(kernel, warps, 4);
    WarpString string = fixed_priority_string(problem);
    std::int64_t count = 0;
    do {
      // Of all names, only the ones by first entry count.
      std::uint16_t next = 0;
      const bool named = std::all_of(string.begin(), string.end(), [&](std::uint16_t warp) {
        if (warp == next) ++next;
        return warp < next;
      });
      count += named ? 1 : 0;
    } while (std::next_permutation(string.begin(), string.end()));
    CHECK(number_of_strings(problem).number == std::to_string(count));
  }
}

TEST_CASE("makespan: the number of strings has up to 30 digits exactly and then the first four and a power of ten") {
  const auto of = [](const std::string& kernel, std::int64_t warps) {
    return number_of_strings(problem_of(kernel, warps, 4));
  };
  CHECK(of(voronoi, 2).number == "63205303218876");  // 50! / (25!^2 2!)
  CHECK(of(voronoi, 2).exact);
  CHECK(of(voronoi, 3).number == "1.108e33");
  CHECK(of(voronoi, 3).digits == 34);
  CHECK(of(voronoi, 16).number == "2.726e452");
  CHECK(of(voronoi, 16).digits == 453);
  CHECK(of("4096L", 64).number == "1.289e473252");
  CHECK(of("4096L", 64).digits == 473253);
}

TEST_CASE("makespan: the checker finds idle units and too many warps and wrong order and wrong ends") {
  const Problem problem = lcl(2);
  const Schedule good{{0}, {0, 1}, {0, 1}, {1}};
  CHECK_FALSE(violation(problem, good));
  CHECK(violation(problem, {{0}, {0}, {0}, {1}, {1}, {1}}) == "cycle 2: warp 2 could execute too");
  CHECK(violation(problem, {{0, 1}}) == "cycle 1: more L than units");
  CHECK(violation(problem, {{0, 0}}) == "cycle 1: warp 1 executes twice");
  CHECK(violation(problem, {{0}, {0, 1}, {0, 1}}) == "warp 2 does not end");
  CHECK(violation(problem, {{0}, {0, 1}, {0, 1}, {1}, {1}}) == "cycle 5: warp 2 has nothing left");
  Problem narrow = problem;
  narrow.schedulers = 1;
  CHECK(violation(narrow, good) == "cycle 2: more warps than schedulers");
}

TEST_CASE("makespan: every string yields a work-conserving schedule whose columns restore it") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 300; ++i) {
    const Problem problem = random_problem(random, 12, 7);
    const StringSchedule schedule(problem, shuffled(problem, random));
    CAPTURE(to_string(problem.kernel), problem.warps, problem.schedulers);
    REQUIRE_FALSE(violation(problem, schedule.schedule()));
    REQUIRE(StringSchedule(problem, string_of(schedule.schedule())).schedule() == schedule.schedule());
  }
}

TEST_CASE("makespan: a changed string is placed as if from scratch and a change can be undone") {
  std::mt19937_64 random(8);
  for (int i = 0; i < 30; ++i) {
    const Problem problem = random_problem(random, 12, 7);
    StringSchedule schedule(problem, shuffled(problem, random));
    for (int step = 0; step < 40; ++step) {
      const StringSchedule before = schedule;
      schedule.swap(random() % schedule.string().size(), random() % schedule.string().size());
      const StringSchedule fresh(problem, schedule.string());
      REQUIRE(schedule.cycles() == fresh.cycles());
      REQUIRE(schedule.makespan() == fresh.makespan());
      if (step % 2 == 0) continue;
      schedule.undo();
      REQUIRE(schedule.string() == before.string());
      REQUIRE(schedule.cycles() == before.cycles());
      REQUIRE(schedule.makespan() == before.makespan());
    }
    const WarpString other = shuffled(problem, random);
    schedule.assign(other);
    REQUIRE(schedule.cycles() == StringSchedule(problem, other).cycles());
  }
}

TEST_CASE("makespan: LCL has the known extremes") {
  const std::int64_t worst[] = {3, 4, 7, 9, 11};
  for (std::int64_t warps = 1; warps <= 5; ++warps) {
    const Problem problem = lcl(warps);
    const auto result = worst_makespan(problem, two_threads());
    CHECK(result.exact());
    CHECK(result.lower == worst[warps - 1]);
    CHECK(Oracle(problem).longest() == worst[warps - 1]);
  }
  const std::int64_t best[] = {8, 10, 12};
  for (std::int64_t warps = 4; warps <= 6; ++warps) CHECK(Oracle(lcl(warps)).shortest() == best[warps - 4]);
}

TEST_CASE("makespan: templates of the Voronoi kernel have the known makespans") {
  const std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> round_robin{
      {1, {25, 25}}, {2, {31, 31}}, {4, {43, 43}}, {8, {83, 80}}, {16, {163, 154}}};
  for (const auto& [warps, cycles] : round_robin) {
    const Problem four = problem_of(voronoi, warps, 4);
    const Problem all = problem_of(voronoi, warps, no_scheduler_limit);
    CHECK(StringSchedule(four, round_robin_string(four)).makespan() == cycles.first);
    CHECK(StringSchedule(all, round_robin_string(all)).makespan() == cycles.second);
    CHECK(StringSchedule(four, max_pending_string(four)).makespan() == cycles.first);
  }
  const Problem four = problem_of(voronoi, 16, 4);
  const Problem all = problem_of(voronoi, 16, no_scheduler_limit);
  CHECK(StringSchedule(four, fixed_priority_string(four)).makespan() == 129);
  CHECK(StringSchedule(all, fixed_priority_string(all)).makespan() == 128);
}

TEST_CASE("makespan: the worst case of the Voronoi kernel is exact for up to 8 warps") {
  const std::int64_t scheduler_limited[] = {25, 31, 37, 45, 65, 78, 87, 98};
  const std::int64_t unit_limited[] = {25, 31, 37, 45, 57, 67, 77, 86};
  for (std::int64_t warps = 1; warps <= 8; ++warps)
    for (const bool limited : {true, false}) {
      const Problem problem = problem_of(voronoi, warps, limited ? 4 : no_scheduler_limit);
      const auto result = worst_makespan(problem, two_threads());
      CAPTURE(warps, limited);
      CHECK(result.lower == (limited ? scheduler_limited : unit_limited)[warps - 1]);
      CHECK(result.exact());
      CHECK_FALSE(violation(problem, result.witness));
      CHECK(result.witness.size() == static_cast<std::size_t>(result.lower));
      CHECK(StringSchedule(problem, string_of(result.witness)).schedule() == result.witness);
      CHECK(result.upper <= simple_bound(problem));
    }
}

TEST_CASE("makespan: four warps of the Voronoi kernel agree with an exhaustive search") {
  const std::int64_t worst[] = {25, 31, 37, 45};
  const std::int64_t best[] = {25, 30, 35, 40};
  for (std::int64_t warps = 1; warps <= 4; ++warps) {
    const Problem problem = problem_of(voronoi, warps, 4);
    Oracle oracle(problem);
    CHECK(oracle.longest() == worst[warps - 1]);
    CHECK(oracle.shortest() == best[warps - 1]);
  }
}

TEST_CASE("makespan: 5 or 6 warps of the Voronoi kernel agree with an exhaustive search", "[long]") {
  const std::int64_t scheduler_limited[] = {65, 78};
  const std::int64_t unit_limited[] = {57, 67};
  const std::int64_t best[] = {45, 51};
  for (std::int64_t warps = 5; warps <= (test::is_thorough() ? 6 : 5); ++warps) {
    const Problem four = problem_of(voronoi, warps, 4);
    Oracle oracle(four);
    CHECK(oracle.longest() == scheduler_limited[warps - 5]);
    CHECK(oracle.shortest() == best[warps - 5]);
    const Problem all = problem_of(voronoi, warps, no_scheduler_limit);
    CHECK(Oracle(all).longest() == unit_limited[warps - 5]);
  }
}

TEST_CASE("makespan: the search agrees with an exhaustive search for random kernels") {
  std::mt19937_64 random(9);
  int searched = 0;
  for (int i = 0; i < 400; ++i) {
    const Problem problem = random_problem(random, 11, 5);
    CAPTURE(i, to_string(problem.kernel), problem.warps, problem.schedulers, problem.capacity[0], problem.capacity[1],
            problem.capacity[2]);
    const std::int64_t longest = Oracle(problem).longest();
    const auto result = worst_makespan(problem, two_threads());
    REQUIRE(result.exact());
    REQUIRE(result.lower == longest);
    REQUIRE_FALSE(violation(problem, result.witness));
    REQUIRE(result.witness.size() == static_cast<std::size_t>(longest));
    REQUIRE(simple_bound(problem) >= longest);
    const RelaxationTable<std::uint16_t> table(problem, 1, [] { return false; });
    REQUIRE(table.at_start() >= longest);
    // Without room for a table the search has simple bounds alone, and the same result.
    SearchOptions poor = two_threads();
    poor.memory = 1;
    const auto bounds = worst_makespan(problem, poor);
    REQUIRE(bounds.lower <= longest);
    REQUIRE(bounds.upper >= longest);
    searched += result.states > 0 ? 1 : 0;
  }
  CHECK(searched > 50);
}

TEST_CASE("makespan: result and witness and states are independent of the number of threads") {
  const Problem problem = problem_of(voronoi, 8, no_scheduler_limit);
  const auto one = worst_makespan(problem, {});
  SearchOptions three;
  three.threads = 3;
  const auto several = worst_makespan(problem, three);
  CHECK(one.lower == several.lower);
  CHECK(one.states == several.states);
  CHECK(one.witness == several.witness);
}

TEST_CASE("makespan: with waits and two dispatch units the search agrees with an exhaustive one") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    const Problem problem = random_waiting_problem(random, 4, 4);
    const SearchResult found = worst_makespan(problem, two_threads());
    INFO(to_string(problem.kernel) << ", " << problem.warps << " warps, dispatch " << problem.dispatch_units);
    CHECK(found.exact());
    CHECK(found.lower == WaitingOracle(problem).longest());
    CHECK(found.lower <= simple_bound(problem));
    CHECK_FALSE(violation(problem, found.witness));
    CHECK(StringSchedule(problem, string_of(found.witness)).makespan() == found.lower);
  }
}

TEST_CASE("makespan: with waits and two dispatch units the strings yield exactly the work-conserving schedules") {
  std::mt19937_64 random(12);
  for (int round = 0; round < 40; ++round) {
    const Problem problem = random_waiting_problem(random, 2, 3);
    if (problem.kernel.size() * static_cast<std::size_t>(problem.warps) > 9) continue;
    WarpString string = fixed_priority_string(problem);
    std::int64_t longest = 0;
    do {
      const StringSchedule schedule(problem, string);
      longest = std::max(longest, schedule.makespan());
      if (violation(problem, schedule.schedule())) FAIL(*violation(problem, schedule.schedule()));
    } while (std::next_permutation(string.begin(), string.end()));
    CHECK(longest == WaitingOracle(problem).longest());
  }
}

TEST_CASE("makespan: with waits and two dispatch units a changed string is placed as if from scratch") {
  std::mt19937_64 random(13);
  for (int round = 0; round < 60; ++round) {
    const Problem problem = random_waiting_problem(random, 8, 6);
    StringSchedule schedule(problem, shuffled(problem, random));
    CHECK(StringSchedule(problem, string_of(schedule.schedule())).schedule() == schedule.schedule());
    for (int change = 0; change < 50; ++change) {
      const auto before = schedule.cycles();
      const std::size_t entries = schedule.string().size();
      schedule.swap(random() % entries, random() % entries);
      REQUIRE(schedule.cycles() == StringSchedule(problem, schedule.string()).cycles());
      if (random() % 2 == 0) continue;
      schedule.undo();
      REQUIRE(schedule.cycles() == before);
    }
  }
}

TEST_CASE("makespan: two dispatch units execute two instructions of a warp but not two parts of a slow one") {
  const auto longest = [](const std::string& kernel, std::int64_t core_latency) {
    SmUnits sm;
    sm.dispatch_units = 2;
    sm.latency = {1, core_latency, 1, 1};
    return worst_makespan(problem_on(sm, parse_kernel(kernel).value(), 1, 4).value(), {}).lower;
  };
  CHECK(longest("CCCC", 1) == 2);
  CHECK(longest("LLLL", 1) == 4);  // one L unit
  CHECK(longest("LCLC", 1) == 2);
  CHECK(longest("CC", 3) == 5);  // the second begins beside the last part of the first
}

TEST_CASE("makespan: the checker finds warps that wait and third instructions and a free dispatch unit") {
  SmUnits sm;
  sm.dispatch_units = 2;
  const Problem three = problem_on(sm, parse_kernel("CCC").value(), 1, 4).value();
  CHECK_FALSE(violation(three, {{0, 0}, {0}}));
  CHECK(violation(three, {{0, 0, 0}}) == "cycle 1: warp 1 executes three times");
  CHECK(violation(three, {{0}, {0, 0}}) == "cycle 1: warp 1 could execute another instruction");
  sm.wait = {2, 0, 0, 0};
  const Problem waits = problem_on(sm, parse_kernel("LC").value(), 1, 4).value();
  CHECK_FALSE(violation(waits, {{0}, {}, {}, {0}}));
  CHECK(violation(waits, {{0}, {}, {0}}) == "cycle 3: warp 1 still waits");
  CHECK(violation(waits, {{0, 0}}) == "cycle 1: warp 1 executes twice");
}

TEST_CASE("makespan: annealing with waits and two dispatch units stays within the exact value") {
  std::mt19937_64 random(14);
  for (int round = 0; round < 20; ++round) {
    const Problem problem = random_waiting_problem(random, 5, 4);
    AnnealingOptions options;
    options.iterations = 2000;
    options.runs = 4;
    CHECK(anneal(problem, options).best <= worst_makespan(problem, two_threads()).lower);
  }
}

TEST_CASE("makespan: kernels of different instructions on one SM agree with an exhaustive search") {
  std::mt19937_64 random(15);
  int reached = 0, searched = 0;
  for (int round = 0; round < 300; ++round) {
    const Problem problem = random_mixed_problem(random, 4, 4);
    const SearchResult found = worst_makespan(problem, two_threads());
    INFO(to_string(problem.kernel) << ", " << problem.parts().size() << " kernels, " << problem.warps << " warps");
    CHECK(found.exact());
    CHECK(found.lower == WaitingOracle(problem).longest());
    CHECK(found.lower <= simple_bound(problem));
    CHECK_FALSE(violation(problem, found.witness));
    CHECK(StringSchedule(problem, string_of(found.witness)).makespan() == found.lower);
    AnnealingOptions options;
    options.iterations = 500;
    const AnnealingResult annealed = anneal(problem, options);
    CHECK(annealed.best <= found.lower);
    CHECK_FALSE(complaint(problem, annealed.string));
    ++searched;
    reached += annealed.best == found.lower ? 1 : 0;
  }
  CHECK(reached >= searched * 95 / 100);
}

TEST_CASE("makespan: no start of the other kernels lets a kernel take longer than its bound") {
  std::mt19937_64 random(18);
  int mixed = 0;
  std::int64_t found = 0, bounds = 0;
  for (int round = 0; round < 200; ++round) {
    const Problem problem = random_mixed_problem(random, 3, 4);
    if (problem.several.empty()) continue;
    ++mixed;
    const std::int64_t longest = WaitingOracle(problem).longest_of_first(4);
    const std::int64_t bound = simple_bound(problem, problem.several.front());
    INFO(to_string(problem.kernel) << ", " << problem.several.front().size() << " of the first kernel");
    CHECK(longest <= bound);
    found += longest;
    bounds += bound;
  }
  CHECK(mixed > 80);
  CHECK(bounds < 2 * found);
}

TEST_CASE("makespan: the strings of several kernels yield exactly their work-conserving schedules and are counted") {
  std::mt19937_64 random(16);
  for (int round = 0; round < 60; ++round) {
    const Problem problem = random_mixed_problem(random, 2, 4);
    if (problem.work() > 8) continue;
    WarpString string = fixed_priority_string(problem);
    std::int64_t longest = 0;
    std::set<WarpString> different;
    do {
      const StringSchedule schedule(problem, string);
      longest = std::max(longest, schedule.makespan());
      if (violation(problem, schedule.schedule())) FAIL(*violation(problem, schedule.schedule()));
      // Warps of a kernel in the order of their first entries.
      WarpString first;
      for (const std::uint16_t warp : string)
        if (std::find(first.begin(), first.end(), warp) == first.end()) first.push_back(warp);
      bool in_order = true;
      std::uint16_t begin = 0;
      for (const Part& part : problem.parts()) {
        const auto end = static_cast<std::uint16_t>(begin + part.warps);
        WarpString its;
        for (const std::uint16_t warp : first)
          if (warp >= begin && warp < end) its.push_back(warp);
        in_order = in_order && std::is_sorted(its.begin(), its.end());
        begin = end;
      }
      if (in_order) different.insert(string);
    } while (std::next_permutation(string.begin(), string.end()));
    CHECK(longest == WaitingOracle(problem).longest());
    CHECK(number_of_strings(problem).number == std::to_string(different.size()));
  }
}

TEST_CASE("makespan: kernels of the same instructions take as long as one kernel with all their warps") {
  std::mt19937_64 random(17);
  for (int round = 0; round < 40; ++round) {
    const Problem one = random_problem(random, 6, 5);
    Problem two = one;
    two.warps = one.warps + 2;
    two.kernel.insert(two.kernel.end(), one.kernel.begin(), one.kernel.end());
    two.several = {{0, one.kernel.size(), one.warps}, {one.kernel.size(), two.kernel.size(), 2}};
    Problem all = one;
    all.warps = two.warps;
    const SearchResult found = worst_makespan(two, two_threads()), expected = worst_makespan(all, two_threads());
    INFO(to_string(one.kernel) << ", " << one.warps << " + 2 warps");
    CHECK(found.exact());
    CHECK(found.lower == expected.lower);
    CHECK(simple_bound(two) == simple_bound(all));
  }
}

TEST_CASE("makespan: a search with waits that is too large ends early with an interval") {
  SmUnits sm;
  sm.wait = {30, 3, 0, 0};
  const Problem problem = problem_on(sm, parse_kernel(voronoi).value(), 32, 4).value();
  SearchOptions options = two_threads();
  options.memory = 1 << 20;
  const SearchResult found = worst_makespan(problem, options);
  CHECK_FALSE(found.exact());
  CHECK(found.lower < found.upper);
  CHECK(found.upper <= simple_bound(problem));
  CHECK_FALSE(violation(problem, found.witness));
}

TEST_CASE("makespan: a search that stops early yields an interval around the exact value") {
  const Problem problem = problem_of(voronoi, 16, no_scheduler_limit);
  SearchOptions options = two_threads();
  options.time_limit = 0.01;
  const auto hasty = worst_makespan(problem, options);
  CHECK(hasty.lower <= 160);
  CHECK(hasty.upper >= 160);
  CHECK_FALSE(hasty.exact());
  CHECK_FALSE(violation(problem, hasty.witness));
  const Problem smaller = problem_of(voronoi, 10, no_scheduler_limit);
  SearchOptions poor = two_threads();
  poor.memory = 6'000'000;
  const auto interval = worst_makespan(smaller, poor);
  CHECK(interval.lower <= 104);
  CHECK(interval.upper >= 104);
  CHECK_FALSE(interval.exact());
}

TEST_CASE("makespan: a kernel that is too long for the search has bounds and a witness") {
  const Problem problem = problem_of("30L 30C", 8, 4);
  const auto result = worst_makespan(problem, two_threads());
  CHECK(result.lower <= result.upper);
  CHECK_FALSE(violation(problem, result.witness));
  CHECK(result.witness.size() == static_cast<std::size_t>(result.lower));
}

TEST_CASE("makespan: annealing never exceeds the exact value and reaches it in small cases") {
  std::mt19937_64 random(10);
  int reached = 0;
  constexpr int cases = 60;
  for (int i = 0; i < cases; ++i) {
    const Problem problem = random_problem(random, 6, 4);
    AnnealingOptions options;
    options.iterations = 2000;
    const auto result = anneal(problem, options);
    const std::int64_t longest = Oracle(problem).longest();
    REQUIRE(result.best <= longest);
    REQUIRE(StringSchedule(problem, result.string).makespan() == result.best);
    REQUIRE_FALSE(complaint(problem, result.string));
    reached += result.best == longest ? 1 : 0;
  }
  CHECK(reached >= cases * 95 / 100);
  const Problem figure = lcl(4);
  AnnealingOptions options;
  options.iterations = 5000;
  CHECK(anneal(figure, options).best == 9);
}

TEST_CASE("makespan: annealing cools linearly and accepts by the rule of the paper") {
  // Everything but the random numbers is written again here: each string is placed from its beginning.
  const Problem problem = problem_of("LLCCLCC", 5, 4);
  const auto placed = [&](const WarpString& string) {
    std::vector<PerUnit> used(string.size() + 2);
    std::vector<std::int64_t> in_all(used.size());
    std::vector<std::size_t> executed(5), last(5);
    for (const std::uint16_t warp : string) {
      const auto unit = static_cast<std::size_t>(problem.kernel[executed[warp]++]);
      std::size_t cycle = last[warp] + 1;
      while (used[cycle][unit] == problem.capacity[unit] || in_all[cycle] == problem.schedulers) ++cycle;
      ++used[cycle][unit];
      ++in_all[cycle];
      last[warp] = cycle;
    }
    return static_cast<std::int64_t>(*std::max_element(last.begin(), last.end()));
  };
  AnnealingOptions options;
  options.iterations = 3000;
  options.runs = 3;
  options.temperature = 2;
  options.seed = 9;
  std::uint64_t refused = 0;
  for (const AnnealingRun& run : anneal(problem, options).runs) {
    const auto number = static_cast<std::uint64_t>(run.start);
    amalthea::RandomStream random(options.seed, 0x6D616B6573, number, 0);
    WarpString string = run.start == Template::round_robin      ? round_robin_string(problem)
                        : run.start == Template::fixed_priority ? fixed_priority_string(problem)
                                                                : max_pending_string(problem);
    std::int64_t now = placed(string), best = now;
    std::uint64_t best_at = 0;
    for (std::uint64_t iteration = 0; iteration < options.iterations; ++iteration) {
      const double temperature = 2.0 * (1.0 - static_cast<double>(iteration) / 3000.0);
      WarpString candidate = string;
      const std::size_t one = random.next() % string.size();
      const std::size_t other = random.next() % string.size();
      std::swap(candidate[one], candidate[other]);
      if (candidate == string) continue;
      const std::int64_t then = placed(candidate);
      if (then < now) {
        const double probability = std::min(1.0, temperature / static_cast<double>(now - then));
        if (random.uniform() >= probability) {
          ++refused;
          continue;
        }
      }
      string = candidate;
      now = then;
      if (now <= best) continue;
      best = now;
      best_at = iteration + 1;
    }
    CHECK(run.best == best);
    CHECK(run.best_at == best_at);
  }
  CHECK(refused > 100);
}

TEST_CASE("makespan: annealing is deterministic for a seed on any number of threads") {
  const Problem problem = problem_of(voronoi, 8, 4);
  AnnealingOptions options;
  options.iterations = 1500;
  const auto one = anneal(problem, options);
  options.threads = 3;
  const auto several = anneal(problem, options);
  options.seed = 2;
  const auto other = anneal(problem, options);
  CHECK(one.best == several.best);
  CHECK(one.string == several.string);
  CHECK(other.string != one.string);
  REQUIRE(one.runs.size() == 8);
  for (std::size_t run = 0; run < 8; ++run) {
    CHECK(one.runs[run].string == several.runs[run].string);
    CHECK(one.runs[run].start == static_cast<Template>(run % 4));
  }
  CHECK(one.runs[0].first == 83);
  CHECK(one.history.back().makespan == one.best);
  CHECK(std::is_sorted(one.history.begin(), one.history.end(),
                       [](const Improvement& a, const Improvement& b) { return a.makespan < b.makespan; }));
}

TEST_CASE("makespan: 16 warps of the Voronoi kernel take at most 184 cycles by schedulers and 160 by units", "[long]") {
  for (const bool limited : {true, false}) {
    const Problem problem = problem_of(voronoi, 16, limited ? 4 : no_scheduler_limit);
    const auto result = worst_makespan(problem, two_threads());
    CHECK(result.exact());
    CHECK(result.lower == (limited ? 184 : 160));
    CHECK_FALSE(violation(problem, result.witness));
    CHECK(result.bytes < 200'000'000);
  }
}

TEST_CASE("makespan: annealing 16 warps of the Voronoi kernel approaches the bound", "[long]") {
  for (const bool limited : {true, false}) {
    const Problem problem = problem_of(voronoi, 16, limited ? 4 : no_scheduler_limit);
    AnnealingOptions options;
    options.threads = 2;
    options.runs = test::is_thorough() ? 2 : 1;
    const auto result = anneal(problem, options);
    CHECK(result.best <= (limited ? 184 : 160));
    CHECK(result.best >= (limited ? 165 : 155));
  }
}

}  // namespace nvidia_makespan_test
