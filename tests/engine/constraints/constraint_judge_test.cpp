// SPDX-License-Identifier: Apache-2.0
// Timing constraints on sequences of instants: by hand, and compared with a slow reference of
// docs/reference/constraints.md.

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/constraints/constraint_judge.hpp"
#include "tests/engine/constraints/naive_constraints.hpp"

namespace constraints_constraint_judge_test {

using namespace amalthea;
using namespace amalthea::engine;

namespace constraint_judging {

using Mapping = DelayLimit::Mapping;
using naive::Times;

constexpr Duration ps(std::int64_t value) { return Duration::picoseconds(value); }

std::vector<Instant> instants(const Times& times) {
  std::vector<Instant> found;
  for (const std::int64_t time : times) found.push_back(Instant::at(ps(time)));
  return found;
}

TimeLimits limits(std::optional<std::int64_t> lower, std::optional<std::int64_t> upper) {
  TimeLimits made;
  if (lower) made.lower = ps(*lower);
  if (upper) made.upper = ps(*upper);
  return made;
}

const Window whole{Instant{}, Instant::at(ps(100)), false};

std::optional<std::int64_t> first_of(const Judgement& judgement) {
  return judgement.first ? std::optional(judgement.first->at.picoseconds()) : std::nullopt;
}

Judgement delay(const Times& xs, const Times& ys, const TimeLimits& demanded, Mapping mapping,
                const Window& window = whole) {
  return judge_delay(instants(xs), instants(ys), demanded, mapping, window);
}
Judgement repetition(const Times& ys, std::int64_t span, std::int64_t lower, std::int64_t upper, std::int64_t jitter) {
  return judge_repetition(instants(ys), span, limits(lower, upper), ps(jitter));
}
Judgement together(const std::vector<Times>& events, std::int64_t tolerance, bool multiple,
                   const Window& window = whole) {
  std::vector<std::vector<Instant>> held;
  for (const Times& event : events) held.push_back(instants(event));
  const std::vector<Occurrences> spans(held.begin(), held.end());
  return judge_synchronization(spans, ps(tolerance), multiple, window);
}

void check_met(const Judgement& judgement, std::uint64_t judged) {
  CHECK(judgement.verdict() == LimitVerdict::met);
  CHECK(judgement.judged == judged);
  CHECK_FALSE(judgement.first.has_value());
}
void check_missed(const Judgement& judgement, std::int64_t at) {
  CHECK(judgement.verdict() == LimitVerdict::missed);
  CHECK(first_of(judgement) == at);
}

LabelUse use(std::int64_t at, TaskIndex task, std::uint64_t job, LabelIndex label, bool write) {
  return {Instant::at(ps(at)), task, job, RunnableIndex{task}, label, write};
}

}  // namespace constraint_judging

using namespace constraint_judging;

TEST_CASE("delay Reaction: every source has a target within the limits (K1)") {
  check_met(delay({0, 10, 20}, {3, 12, 25}, limits(2, 5), Mapping::reaction), 3);
  const Judgement late = delay({0, 10, 20}, {3, 12, 25}, limits(2, 4), Mapping::reaction);
  check_missed(late, 20);
  CHECK(late.first->number == 2);
  CHECK(late.first->others == instants({25}));
  CHECK(late.judged == 3);
  CHECK(late.broken == 1);
}

TEST_CASE("delay OneToOne: the i-th occurrences belong together and none is left over (K2)") {
  const Judgement pairs = delay({0, 10}, {3, 4, 12}, limits(0, 5), Mapping::one_to_one);
  check_missed(pairs, 10);
  CHECK(pairs.first->others == instants({4}));
  CHECK(pairs.broken == 2);  // and 12 is left over
  check_met(delay({0, 10}, {3, 4, 12}, limits(0, 5), Mapping::reaction), 2);
}

TEST_CASE("delay UniqueReaction: every source has a separate target (K3)") {
  check_met(delay({0, 1}, {3}, limits(0, 5), Mapping::reaction), 2);
  check_missed(delay({0, 1}, {3}, limits(0, 5), Mapping::unique_reaction), 1);
}

TEST_CASE("repetition: ideal instants exist that occurrences follow within the jitter (K4 and K5 and K8)") {
  check_met(repetition({0, 11, 21, 32}, 1, 10, 10, 2), 3);
  check_missed(repetition({0, 11, 21, 33}, 1, 10, 10, 2), 33);
  check_met(repetition({0, 1, 16, 20}, 2, 15, 25, 0), 2);
  check_missed(repetition({0, 1, 14, 20}, 2, 15, 25, 0), 14);
  check_met(repetition({0, 12, 24, 36}, 1, 8, 12, 0), 3);
  check_missed(repetition({0, 13}, 1, 8, 12, 0), 13);
  check_met(repetition({0, 13}, 1, 8, 12, 1), 1);
}

TEST_CASE(
    "event synchronization: windows contain one of each or the i-th occurrences are within the tolerance (K6 and K7)") {
  for (const bool multiple : {false, true}) {
    INFO(multiple);
    CHECK(together({{0, 10}, {1, 12}}, 2, multiple).verdict() == LimitVerdict::met);
    check_missed(together({{0, 10}, {1, 12}}, 1, multiple), 10);
  }
  CHECK(together({{0, 1}, {1}}, 1, true).verdict() == LimitVerdict::met);
  check_missed(together({{0, 1}, {1}}, 1, false), 1);
}

TEST_CASE("data age: a read value is no older than the limit (K9)") {
  DataAgeJudge judge(RunnableIndex{1}, LabelIndex{0}, limits(std::nullopt, 5));
  for (const auto& [at, write] : {std::pair(0, true), {4, false}, {9, false}, {10, true}, {11, false}})
    judge.take(use(at, write ? 0 : 1, 0, 0, write));
  check_missed(judge.judgement(), 9);
  CHECK(judge.judgement().judged == 3);
  CHECK(judge.judgement().first->others == instants({0}));
}

TEST_CASE("stability: no other job writes between the reads of a job (K10)") {
  for (const std::int64_t written : {0, 3, 5}) {
    INFO(written);
    IntrusionJudge judge({{TaskIndex{1}}, {}}, IntrusionJudge::Demand::stable);
    judge.begin_job(1, 0);
    if (written == 0) judge.take(use(0, 0, 0, 7, true));
    judge.take(use(1, 1, 0, 7, false));
    if (written == 3) judge.take(use(3, 0, 0, 7, true));
    judge.take(use(4, 1, 0, 7, false));
    if (written == 5) judge.take(use(5, 0, 0, 7, true));
    judge.end_job(1);
    if (written == 3)
      check_missed(judge.judgement(), 4);
    else
      check_met(judge.judgement(), 1);
  }
}

TEST_CASE("coherency concerns all labels of a group and stability each single label") {
  using Demand = IntrusionJudge::Demand;
  for (const Demand demand : {Demand::coherent_input, Demand::stable}) {
    IntrusionJudge judge({{TaskIndex{1}}, {}}, demand);
    judge.begin_job(1, 0);
    judge.take(use(1, 1, 0, 7, false));
    judge.take(use(2, 0, 0, 8, true));
    judge.take(use(3, 1, 0, 8, false));
    judge.end_job(1);
    CHECK((judge.judgement().verdict() == LimitVerdict::met) == (demand == Demand::stable));
  }
  IntrusionJudge output({{TaskIndex{1}}, {}}, Demand::coherent_output);
  output.begin_job(1, 0);
  output.take(use(1, 1, 0, 7, true));
  output.take(use(2, 0, 0, 7, true));  // another write is none of its business
  output.take(use(3, 0, 0, 8, false));
  output.take(use(4, 1, 0, 8, true));
  check_missed(output.judgement(), 4);
}

TEST_CASE("a partially observed job is judged only if it violates the constraint") {
  const auto judged = [](bool begun, bool ended, bool broken) {
    IntrusionJudge judge({{TaskIndex{1}}, {}}, IntrusionJudge::Demand::stable);
    if (begun) judge.begin_job(1, 4);
    judge.take(use(1, 1, 4, 7, false));
    if (broken) judge.take(use(2, 0, 0, 7, true));
    judge.take(use(3, 1, 4, 7, false));
    if (ended) judge.end_job(1);
    return judge.judgement().verdict();
  };
  CHECK(judged(true, true, false) == LimitVerdict::met);
  CHECK(judged(true, false, false) == LimitVerdict::unknown);
  CHECK(judged(false, true, false) == LimitVerdict::unknown);
  CHECK(judged(false, false, true) == LimitVerdict::missed);
}

TEST_CASE("an occurrence whose partner may lie beyond the window is not judged") {
  const auto verdict = [](const Judgement& judgement) { return judgement.verdict(); };
  CHECK(verdict(delay({98}, {}, limits(0, 5), Mapping::reaction)) == LimitVerdict::unknown);
  CHECK(verdict(delay({95}, {}, limits(0, 5), Mapping::reaction)) == LimitVerdict::missed);
  CHECK(verdict(delay({5}, {}, limits(2, std::nullopt), Mapping::reaction)) == LimitVerdict::unknown);
  CHECK(verdict(delay({98}, {}, limits(0, 5), Mapping::one_to_one)) == LimitVerdict::unknown);
  CHECK(verdict(together({{98}, {}}, 5, true)) == LimitVerdict::unknown);
  CHECK(verdict(together({{98}, {}}, 5, false)) == LimitVerdict::unknown);
  CHECK(verdict(repetition({98}, 1, 10, 10, 0)) == LimitVerdict::unknown);
  CHECK(verdict(judge_order(instants({98}), {}, whole)) == LimitVerdict::unknown);
  check_missed(judge_order({}, instants({98}), whole), 98);
}

TEST_CASE("in a window with a cut start targets before the first source belong to earlier ones") {
  Window cut = whole;
  cut.cut_at_start = true;
  check_met(delay({10, 20}, {2, 12, 22}, limits(0, 5), Mapping::one_to_one, cut), 2);
  check_missed(delay({10, 20}, {2, 12, 22}, limits(0, 5), Mapping::one_to_one), 10);
  check_met(judge_order(instants({10}), instants({5, 11}), cut), 1);
  check_missed(judge_order(instants({10}), instants({5, 11}), whole), 10);
  check_met(together({{10, 20}, {1, 9, 21}}, 2, false, cut), 2);
}

TEST_CASE("limits of any size never overflow") {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = -most;
  for (const std::int64_t lower : {least, std::int64_t{0}, most})
    for (const std::int64_t upper : {least, std::int64_t{0}, most}) {
      for (const Mapping mapping : {Mapping::reaction, Mapping::one_to_one, Mapping::unique_reaction})
        delay({0, 50, 100}, {1, 60}, limits(lower, upper), mapping);
      repetition({0, 10, 20, 30}, 1, lower, upper, most);
      for (const bool multiple : {false, true}) together({{0, 50}, {1, 60}}, upper, multiple);
    }
  CHECK(repetition({0, 10, 20}, most, 0, 5, 0).judged == 0);
}

TEST_CASE("runnable order: groups follow each other with nothing between or at the start or at the end") {
  using Order = RunnableSequence::Order;
  const auto holds = [](Order order, const std::vector<RunnableIndex>& ran) {
    RunnableSequence sequence;
    sequence.order = order;
    sequence.groups = {{{1, 2}, {}, false}, {{3}, {}, false}};
    std::vector<RunnableRun> runs;
    for (const RunnableIndex runnable : ran) runs.push_back({runnable, {}, {}});
    const SequenceFinding finding = judge_sequence(sequence, 0, runs);
    CHECK(finding.applies);
    return !finding.run;
  };
  CHECK(holds(Order::successor, {0, 2, 0, 1, 0, 3, 0}));
  CHECK_FALSE(holds(Order::successor, {2, 3, 1}));
  CHECK_FALSE(holds(Order::successor, {1, 2, 3, 1, 2, 3}));
  CHECK(holds(Order::immediately_anywhere, {0, 2, 1, 3, 0}));
  CHECK_FALSE(holds(Order::immediately_anywhere, {2, 1, 0, 3}));
  CHECK(holds(Order::immediately_at_start, {1, 2, 3, 0}));
  CHECK_FALSE(holds(Order::immediately_at_start, {2, 1, 3, 0}));
  CHECK_FALSE(holds(Order::immediately_at_start, {0, 1, 2, 3}));
  CHECK(holds(Order::immediately_at_end, {0, 1, 2, 3}));
  CHECK_FALSE(holds(Order::immediately_at_end, {1, 2, 3, 0}));
}

TEST_CASE("callees and callers of a runnable do not count as interruptions of a sequence") {
  RunnableSequence sequence;
  sequence.order = RunnableSequence::Order::immediately_at_start;
  sequence.groups = {{{1}, {}, false}, {{2}, {}, false}};
  // 9 calls 1, which calls 8, and then 2.
  const std::vector<RunnableRun> nested = {{9, {}, {}}, {1, {}, 0}, {8, {}, 1}, {2, {}, 0}};
  CHECK_FALSE(judge_sequence(sequence, 0, nested).run.has_value());
  const std::vector<RunnableRun> between = {{1, {}, {}}, {8, {}, {}}, {2, {}, {}}};
  CHECK(judge_sequence(sequence, 0, between).run == 1U);
  sequence.tasks = {5};
  CHECK_FALSE(judge_sequence(sequence, 0, between).applies);
  sequence.tasks.clear();
  CHECK_FALSE(judge_sequence(sequence, 0, {nested.data(), 2}).applies);  // of one group alone
  sequence.groups[0] = {{1, 7}, {}, true};
  CHECK(judge_sequence(sequence, 0, {nested.data(), 2}).run.has_value());  // 7 is to run, too
}

TEST_CASE("chains: responses to one stimulus and stimuli of one response are synchronized") {
  const auto judged = [](const std::vector<std::vector<Times>>& chains, bool of_stimuli, std::int64_t tolerance) {
    std::vector<std::vector<std::vector<Instant>>> held;
    std::vector<std::vector<Occurrences>> spans;
    for (const auto& chain : chains) {
      held.emplace_back();
      for (const Times& event : chain) held.back().push_back(instants(event));
    }
    for (const auto& chain : held) spans.emplace_back(chain.begin(), chain.end());
    return judge_chain_synchronization(
        spans, of_stimuli ? ChainSynchronization::Of::stimuli : ChainSynchronization::Of::responses, ps(tolerance),
        whole);
  };
  check_met(judged({{{0, 10}, {3, 13}}, {{0, 10}, {5, 14}}}, false, 2), 2);
  check_missed(judged({{{0, 10}, {3, 13}}, {{0, 10}, {5, 16}}}, false, 2), 10);
  check_missed(judged({{{0, 10}, {3, 13}}, {{0, 10}, {5}}}, false, 2), 10);  // the other one never responds
  // By way of an event in between: the stimulus at 4 is too late for what is passed on at 3.
  check_met(judged({{{0, 4}, {3}, {9}}, {{1, 5}, {2}, {9}}}, true, 1), 1);
  check_missed(judged({{{0, 4}, {3}, {9}}, {{1, 5}, {6}, {9}}}, true, 1), 9);
  CHECK(judged({{{}, {9}}, {{1}, {9}}}, true, 1).verdict() == LimitVerdict::unknown);
}

// ---------------------------------------------------------------- random sequences, cut at both ends

namespace constraint_judging {

struct Dice {
  std::mt19937 random;
  int operator()(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }
  Times times(int most, int until) {
    Times found;
    for (int i = (*this)(0, most); i > 0; --i) found.push_back((*this)(0, until));
    std::sort(found.begin(), found.end());
    return found;
  }
  /// Nearly every ten; sometimes one is missing, or twice.
  Times regular(int until, int jitter) {
    Times found;
    for (int at = (*this)(0, 9); at <= until; at += 10)
      for (int i = (*this)(1, 12) == 1 ? (*this)(0, 2) : 1; i > 0; --i) found.push_back(at + (*this)(0, jitter));
    std::erase_if(found, [until](std::int64_t at) { return at > until; });
    std::sort(found.begin(), found.end());
    return found;
  }
  Times any(int until) { return (*this)(0, 1) == 0 ? times(8, until) : regular(until, (*this)(0, 4)); }
};

Times within(const Times& times, std::int64_t from, std::int64_t to) {
  Times found;
  for (const std::int64_t time : times)
    if (time >= from && time <= to) found.push_back(time);
  return found;
}

void check_same(const Judgement& judgement, const naive::Outcome& expected) {
  CHECK(judgement.judged == expected.judged);
  CHECK(judgement.broken == expected.broken);
  CHECK(first_of(judgement) == expected.first);
}

void compare_once(Dice& dice) {
  constexpr int until = 60;
  const std::vector<Times> uncut = {dice.any(until), dice.any(until), dice.any(until)};
  naive::Seen seen;
  seen.cut_at_start = dice(0, 1) == 1;
  seen.from = seen.cut_at_start ? dice(0, 20) : 0;
  seen.to = dice(30, until);
  const Window window{Instant::at(ps(seen.from)), Instant::at(ps(seen.to)), seen.cut_at_start};
  std::vector<Times> events;
  for (const Times& times : uncut) events.push_back(within(times, seen.from, seen.to));
  const Times &xs = events[0], &ys = events[1];
  const auto limit = [&](int low, int high) {
    return dice(0, 3) == 0 ? std::nullopt : std::optional<std::int64_t>(dice(low, high));
  };
  const naive::Limits demanded{limit(-3, 6), limit(0, 14)};
  const TimeLimits same = limits(demanded.lower, demanded.upper);
  check_same(delay(xs, ys, same, Mapping::reaction, window), naive::reaction(xs, ys, demanded, seen));
  check_same(delay(xs, ys, same, Mapping::one_to_one, window), naive::one_to_one(xs, ys, demanded, seen));
  CHECK(first_of(delay(xs, ys, same, Mapping::unique_reaction, window)) ==
        naive::unique_reaction(xs, ys, demanded, seen));
  naive::Outcome order = naive::one_to_one(xs, ys, {}, seen);
  check_same(judge_order(instants(xs), instants(ys), window), order);

  const auto span = static_cast<std::size_t>(dice(1, 3));
  const naive::Limits distance{limit(0, 12), limit(6, 30)};
  const int jitter = dice(0, 5);
  CHECK(first_of(judge_repetition(instants(xs), static_cast<std::int64_t>(span), limits(distance.lower, distance.upper),
                                  ps(jitter))) == naive::repetition(xs, span, distance, jitter));

  const int tolerance = dice(0, 8);
  check_same(together(events, tolerance, true, window), naive::windows(events, tolerance, seen));
  check_same(together(events, tolerance, false, window), naive::groups(events, tolerance, seen));

  // A violation within the window is final, whatever follows it.
  const Window longer{window.from, Instant::at(ps(until)), window.cut_at_start};
  for (const Mapping mapping : {Mapping::reaction, Mapping::one_to_one, Mapping::unique_reaction})
    if (delay(xs, ys, same, mapping, window).broken > 0)
      CHECK(
          delay(within(uncut[0], seen.from, until), within(uncut[1], seen.from, until), same, mapping, longer).broken >
          0);
  for (const bool multiple : {false, true})
    if (together(events, tolerance, multiple, window).broken > 0) {
      std::vector<Times> all;
      for (const Times& times : uncut) all.push_back(within(times, seen.from, until));
      CHECK(together(all, tolerance, multiple, longer).broken > 0);
    }
}

void compare_chains_once(Dice& dice) {
  constexpr int until = 60;
  naive::Seen seen;
  seen.to = dice(30, until);
  const Window window{Instant{}, Instant::at(ps(seen.to)), false};
  const bool of_stimuli = dice(0, 1) == 1;
  const Times common = within(dice.any(until), 0, seen.to);
  std::vector<std::vector<Times>> chains(2);
  for (auto& chain : chains) {
    for (int i = dice(1, 3); i > 0; --i) chain.push_back(within(dice.any(until), 0, seen.to));
    chain.insert(of_stimuli ? chain.end() : chain.begin(), common);
  }
  std::vector<std::vector<std::vector<Instant>>> held(2);
  std::vector<std::vector<Occurrences>> spans;
  for (std::size_t chain = 0; chain < 2; ++chain) {
    for (const Times& event : chains[chain]) held[chain].push_back(instants(event));
    spans.emplace_back(held[chain].begin(), held[chain].end());
  }
  const int tolerance = dice(0, 12);
  check_same(judge_chain_synchronization(
                 spans, of_stimuli ? ChainSynchronization::Of::stimuli : ChainSynchronization::Of::responses,
                 ps(tolerance), window),
             naive::chains(chains[0], chains[1], of_stimuli, tolerance, seen));
}

void compare_accesses_once(Dice& dice) {
  std::vector<naive::Access> accesses;
  std::vector<std::int64_t> jobs(3, 0);
  IntrusionJudge::Demand demand{};
  const bool output = dice(0, 2) == 0, stable = !output && dice(0, 1) == 1;
  demand = output   ? IntrusionJudge::Demand::coherent_output
           : stable ? IntrusionJudge::Demand::stable
                    : IntrusionJudge::Demand::coherent_input;
  const std::vector<int> group = {0, 1};
  IntrusionJudge judge({{TaskIndex{0}}, {}}, demand);
  const naive::Limits demanded{std::nullopt, dice(0, 6)};
  DataAgeJudge age(RunnableIndex{1}, LabelIndex{1}, limits(demanded.lower, demanded.upper));
  judge.begin_job(0, 0);
  std::int64_t now = 0;
  for (int i = 0; i < 25; ++i) {
    now += dice(0, 2);
    const int task = dice(0, 2);
    if (dice(0, 3) == 0) {  // its job ends, the next one begins
      if (task == 0) judge.end_job(0);
      ++jobs[static_cast<std::size_t>(task)];
      if (task == 0) judge.begin_job(0, static_cast<std::uint64_t>(jobs[0]));
      continue;
    }
    const naive::Access access{now, task, jobs[static_cast<std::size_t>(task)], task, dice(0, 2), dice(0, 1) == 1};
    accesses.push_back(access);
    const LabelUse seen = use(now, static_cast<TaskIndex>(task), static_cast<std::uint64_t>(access.job),
                              static_cast<LabelIndex>(access.label), access.write);
    if (access.label < 2) judge.take(seen);
    age.take(seen);
  }
  check_same(judge.judgement(), naive::undisturbed(accesses, 0, group, output, stable, jobs[0]));
  check_same(age.judgement(), naive::age(accesses, 1, 1, demanded));
}

void compare(int count, unsigned seed) {
  Dice dice{std::mt19937(seed)};
  for (int i = 0; i < count; ++i) {
    INFO("sequence " << i << " of seed " << seed);
    compare_once(dice);
    compare_chains_once(dice);
    compare_accesses_once(dice);
  }
}

}  // namespace constraint_judging

TEST_CASE("random sequences cut at both ends agree with the slow reference") { compare(300, 1); }
TEST_CASE("many random sequences cut at both ends agree with the slow reference", "[long]") { compare(50'000, 2); }

}  // namespace constraints_constraint_judge_test
