// SPDX-License-Identifier: Apache-2.0
// Occurrences of stimuli compared with their definitions, and with the bounds used by analyses.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "amalthea/diagnostic.hpp"
#include "engine/analysis.hpp"
#include "engine/program/arrivals.hpp"
#include "tests/support/system_maker.hpp"

namespace program_arrivals_test {

using namespace amalthea;
using engine::ArrivalBound;
using engine::ArrivalOptions;
using engine::ArrivalPattern;
using engine::Arrivals;

namespace {

using Times = std::vector<std::int64_t>;

Duration ps(std::int64_t value) { return Duration::picoseconds(value); }

Stimulus stimulus(Occurrence occurrence) {
  Stimulus made;
  made.name = "stimulus";
  made.occurrence = std::move(occurrence);
  return made;
}

Times times_of(const Stimulus& stimulus, const ArrivalOptions& options, std::size_t most) {
  Arrivals arrivals(stimulus, options);
  Times times;
  while (times.size() < most) {
    const auto at = arrivals.next();
    if (!at) break;
    times.push_back(at->picoseconds());
  }
  return times;
}

Times densest(const Stimulus& stimulus, std::size_t most) { return times_of(stimulus, {}, most); }
Times sparsest(const Stimulus& stimulus, std::size_t most) {
  return times_of(stimulus, {ArrivalPattern::sparsest, 0, 0}, most);
}
Times average(const Stimulus& stimulus, std::size_t most) {
  return times_of(stimulus, {ArrivalPattern::average, 0, 0}, most);
}

// ---------------------------------------------------------------- what each kind states, checked from scratch

using Fault = std::optional<std::string>;

Fault fault_at(std::string what, std::size_t index) { return what + " at " + std::to_string(index); }

Fault fault_of(const Periodic& stated, const Times& times) {
  const std::int64_t least = stated.minimum_distance.picoseconds(), period = stated.period.picoseconds();
  for (std::size_t k = 0; k < times.size(); ++k) {
    const std::int64_t on_time = stated.offset.picoseconds() + static_cast<std::int64_t>(k) * period;
    if (times[k] < on_time + stated.jitter.lower) return fault_at("too early", k);
    if (least <= period && times[k] > on_time + stated.jitter.upper) return fault_at("too late", k);
    if (k > 0 && times[k] - times[k - 1] < least) return fault_at("too close", k);
  }
  return {};
}

Fault fault_of(const Single& stated, const Times& times) {
  return times == Times{stated.occurrence.picoseconds()} ? Fault{} : Fault("not once at its time");
}

Fault fault_of(const Sporadic& stated, const Times& times) {
  if (times.empty() || times.front() != stated.offset.picoseconds()) return "does not begin at the offset";
  for (std::size_t k = 1; k < times.size(); ++k) {
    const std::int64_t distance = times[k] - times[k - 1];
    if (distance < stated.distance.lower || distance > stated.distance.upper) return fault_at("distance", k);
  }
  return {};
}

Fault fault_of(const Synthetic& stated, const Times& times) {
  for (std::size_t k = 0; k < times.size(); ++k) {
    const std::size_t count = stated.occurrences.size();
    const auto begin = stated.offset.picoseconds() + static_cast<std::int64_t>(k / count) * stated.period.picoseconds();
    if (times[k] != begin + stated.occurrences[k % count].picoseconds()) return fault_at("not as listed", k);
  }
  return {};
}

Fault fault_of(const Burst& stated, const Times& times) {
  const std::int64_t least = stated.minimum_distance.picoseconds(), length = stated.length.picoseconds();
  const std::int64_t count = least > 0 ? std::min(stated.occurrences, length / least + 1) : stated.occurrences;
  for (std::size_t k = 0; k < times.size(); ++k) {
    const auto number = static_cast<std::int64_t>(k);
    const std::int64_t since = times[k] - stated.offset.picoseconds() - number / count * stated.period.picoseconds();
    if (since < 0 || since > length) return fault_at("outside of its burst", k);
    if (number % count > 0 && times[k] - times[k - 1] < least) return fault_at("too close", k);
  }
  return {};
}

Fault fault_of(const ArrivalCurve& stated, const Times& times) {
  for (const auto& entry : stated.entries)
    for (std::size_t last = static_cast<std::size_t>(entry.count) - 1; last < times.size(); ++last) {
      const std::int64_t time = times[last] - times[last + 1 - static_cast<std::size_t>(entry.count)];
      if (time < entry.lower.picoseconds()) return fault_at("lower limit", last);
      if (entry.upper && time > entry.upper->picoseconds()) return fault_at("upper limit", last);
    }
  return {};
}

/// Occurrences of a step are what it has, up to the one that a fraction before and behind can make; from one step to
/// the next they change by no more than is allowed, with one more for the fractions of either.
Fault fault_of(const VariableRate& stated, const Times& times) {
  std::map<std::int64_t, std::int64_t> counts;
  for (const std::int64_t at : times) ++counts[at / stated.step.picoseconds()];
  if (times.empty()) return "never occurs";
  const double lower = static_cast<double>(stated.occurrences.lower) / 1e6,
               upper = static_cast<double>(stated.occurrences.upper) / 1e6;
  const std::int64_t last = times.back() / stated.step.picoseconds();
  for (std::int64_t step = 0; step < last; ++step) {
    const auto count = static_cast<double>(counts[step]);
    if (count < std::floor(lower) - 1 || count > std::floor(upper) + 2)
      return fault_at("count of step", static_cast<std::size_t>(step));
    if (step == 0) continue;
    const double change = count - static_cast<double>(counts[step - 1]);
    if (stated.largest_increase && change > *stated.largest_increase + 2) return fault_at("increase", 0);
    if (stated.largest_decrease && -change > *stated.largest_decrease + 2) return fault_at("decrease", 0);
  }
  return {};
}

Fault fault_of(const InterProcess&, const Times& times) { return times.empty() ? Fault{} : Fault("occurs"); }
Fault fault_of(const EventDriven&, const Times& times) { return times.empty() ? Fault{} : Fault("occurs"); }

Fault fault_of(const Stimulus& stated, const Times& times) {
  if (!std::is_sorted(times.begin(), times.end())) return "out of order";
  return std::visit([&](const auto& kind) { return fault_of(kind, times); }, stated.occurrence);
}

/// Whether some window holds more than the bound says; counted from its definition.
Fault fault_of(const ArrivalBound& bound, const Times& times) {
  for (std::size_t first = 0; first < times.size(); ++first)
    for (std::size_t last = first; last < times.size(); ++last) {
      const std::int64_t window = times[last] - times[first], count = static_cast<std::int64_t>(last - first) + 1;
      const std::int64_t by_period = 1 + (window + bound.jitter.picoseconds()) / bound.period.picoseconds();
      const std::int64_t by_distance =
          bound.minimum_distance > Duration{} ? 1 + window / bound.minimum_distance.picoseconds() : by_period;
      if (count > std::min(by_period, by_distance)) return fault_at("more than the bound", first);
      if (engine::max_arrivals(bound, ps(window)) != std::min(by_period, by_distance)) return "max_arrivals differs";
    }
  return {};
}

/// Whether any part of the bound could be smaller: a larger period or minimum distance, or less jitter, and the pattern
/// would be too much for it.
bool is_tight(const ArrivalBound& bound, const Times& times) {
  if (bound.jitter > Duration{})
    return fault_of(ArrivalBound{bound.period, bound.jitter - ps(1), bound.minimum_distance}, times).has_value();
  const auto longer = [&](Duration distance) { return distance > Duration{} ? distance + ps(1) : distance; };
  return fault_of(ArrivalBound{bound.period + ps(1), bound.jitter, longer(bound.minimum_distance)}, times).has_value();
}

// ---------------------------------------------------------------- random stimuli

class Maker {
 public:
  explicit Maker(std::uint32_t seed) : random_(seed) {}

  std::int64_t between(std::int64_t lower, std::int64_t upper) {
    return std::uniform_int_distribution<std::int64_t>(lower, upper)(random_);
  }
  bool one_in(std::int64_t many) { return between(1, many) == 1; }
  Distribution distribution(std::int64_t least, std::int64_t most) {
    Distribution made;
    made.lower = between(least, most);
    made.upper = between(made.lower, most);
    made.average = between(made.lower, made.upper);
    return made;
  }

  Periodic periodic() {
    Periodic made;
    made.period = ps(between(1, 1000));
    made.offset = ps(between(0, 3000));
    if (!one_in(4)) made.jitter = distribution(0, 3000);
    if (!one_in(3)) made.minimum_distance = ps(between(0, one_in(5) ? 1500 : made.period.picoseconds()));
    return made;
  }
  Single single() { return {ps(between(0, 1000))}; }
  Sporadic sporadic() { return {ps(between(0, 500)), distribution(1, 800)}; }
  Synthetic synthetic() {
    Synthetic made{ps(between(20, 1000)), ps(between(0, 2000)), {}};
    for (std::int64_t count = between(1, 7); count > 0; --count)
      made.occurrences.push_back(ps(between(0, made.period.picoseconds() - 1)));
    std::sort(made.occurrences.begin(), made.occurrences.end());
    return made;
  }
  Burst burst() {
    Burst made;
    made.period = ps(between(20, 1000));
    made.offset = ps(between(0, 2000));
    made.length = ps(between(0, made.period.picoseconds()));
    if (!one_in(3)) made.minimum_distance = ps(between(0, one_in(10) ? 1500 : 120));
    made.occurrences = between(1, 8);
    return made;
  }
  /// As a random sequence of distances allows, made wider at random; so some sequence keeps it.
  ArrivalCurve curve() {
    std::vector<std::int64_t> at{0};
    const std::int64_t cycle = between(1, 5);
    std::vector<std::int64_t> distances;
    for (std::int64_t k = 0; k < cycle; ++k) distances.push_back(between(k == 0 ? 1 : 0, 200));
    for (std::size_t k = 0; k < 60; ++k) at.push_back(at.back() + distances[k % distances.size()]);
    ArrivalCurve made;
    std::int64_t count = 1;
    for (std::int64_t entries = between(1, 5); entries > 0; --entries) {
      count += between(1, 4);
      std::int64_t least = at.back(), largest = 0;
      for (std::size_t from = 0; from + static_cast<std::size_t>(count) <= 40; ++from) {
        const std::int64_t time = at[from + static_cast<std::size_t>(count) - 1] - at[from];
        least = std::min(least, time);
        largest = std::max(largest, time);
      }
      ArrivalCurve::Entry entry;
      entry.count = count;
      entry.lower = ps(one_in(3) ? least : between(0, least));
      if (one_in(2)) entry.upper = ps(one_in(2) ? largest : largest + between(0, 100));
      made.entries.push_back(entry);
    }
    return made;
  }
  VariableRate rate() {
    VariableRate made{ps(between(1000, 100'000)), distribution(0, 20'000'000), {}, {}};
    if (made.occurrences.upper == 0) made.occurrences.upper = 1;
    if (one_in(2)) made.largest_increase = static_cast<double>(between(0, 5'000'000)) / 1e6;
    if (one_in(2)) made.largest_decrease = static_cast<double>(between(0, 5'000'000)) / 1e6;
    return made;
  }

 private:
  std::mt19937 random_;
};

constexpr std::uint32_t stimuli_of_each_kind = 2000;
constexpr std::size_t occurrences_looked_at = 40;

/// Tries every pattern, and random ones of several seeds.
void try_patterns(const Stimulus& stated, std::uint32_t seed) {
  const auto bound = engine::arrival_bound(stated);
  REQUIRE(bound.has_value());
  for (const ArrivalPattern pattern : {ArrivalPattern::densest, ArrivalPattern::average, ArrivalPattern::sparsest,
                                       ArrivalPattern::random, ArrivalPattern::random, ArrivalPattern::random}) {
    const ArrivalOptions options{pattern, ++seed, 3};
    const Times times = times_of(stated, options, occurrences_looked_at);
    if (const Fault fault = fault_of(stated, times)) FAIL("seed " << seed << ": " << *fault);
    if (const Fault fault = fault_of(*bound, times)) FAIL("seed " << seed << ": " << *fault);
    if (times_of(stated, options, occurrences_looked_at) != times) FAIL("seed " << seed << ": not the same again");
    const auto most = engine::longest_until_next(stated);
    for (std::size_t at = 0; most && at < times.size(); ++at)
      if (times[at] - (at == 0 ? 0 : times[at - 1]) > most->picoseconds())
        FAIL("seed " << seed << ": occurrence " << at << " is later than it may be");
  }
}

template <typename Make>
void try_kind(Make make) {
  for (std::uint32_t seed = 0; seed < stimuli_of_each_kind; ++seed) {
    Maker maker(seed);
    try_patterns(stimulus(make(maker)), seed);
  }
}

}  // namespace

TEST_CASE("every arrival pattern complies with its stimulus and its bound") {
  SECTION("periodic") {
    try_kind([](Maker& maker) { return maker.periodic(); });
  }
  SECTION("single") {
    try_kind([](Maker& maker) { return maker.single(); });
  }
  SECTION("sporadic") {
    try_kind([](Maker& maker) { return maker.sporadic(); });
  }
  SECTION("synthetic") {
    try_kind([](Maker& maker) { return maker.synthetic(); });
  }
  SECTION("burst") {
    try_kind([](Maker& maker) { return maker.burst(); });
  }
  SECTION("arrival curve") {
    std::uint32_t possible = 0;
    for (std::uint32_t seed = 0; seed < stimuli_of_each_kind; ++seed) {
      Maker maker(seed);
      const ArrivalCurve curve = maker.curve();
      if (!is_possible(curve)) {  // no limit at all
        CHECK(densest(stimulus(curve), 1).empty());
        continue;
      }
      ++possible;
      if (engine::arrival_bound(stimulus(curve))) try_patterns(stimulus(curve), seed);
    }
    CHECK(possible > stimuli_of_each_kind * 9 / 10);
  }
  SECTION("variable rate") {
    try_kind([](Maker& maker) { return maker.rate(); });
  }
}

TEST_CASE("arrival bounds are tight: the densest pattern reaches them") {
  std::map<std::string, int> tried, tight;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    Maker maker(seed);
    const auto look = [&](const std::string& kind, Occurrence occurrence) {
      const Stimulus stated = stimulus(std::move(occurrence));
      const auto bound = engine::arrival_bound(stated);
      if (!bound) return;
      ++tried[kind];
      tight[kind] += is_tight(*bound, densest(stated, 80)) ? 1 : 0;
    };
    Periodic periodic = maker.periodic();
    periodic.jitter.lower = std::max<std::int64_t>(0, periodic.jitter.upper - 20 * periodic.period.picoseconds());
    if (periodic.minimum_distance * 2 < periodic.period) look("periodic", periodic);
    look("sporadic", maker.sporadic());
    Synthetic synthetic = maker.synthetic();
    const auto count = static_cast<std::int64_t>(synthetic.occurrences.size());
    synthetic.period = ps((synthetic.period.picoseconds() + count - 1) / count * count);  // divides evenly
    look("synthetic", synthetic);
    Burst burst = maker.burst();
    const std::int64_t burst_count = engine::occurrences_of(burst);
    burst.period = ps((burst.period.picoseconds() + burst_count) / burst_count * burst_count + 120 * burst_count);
    look("burst", burst);
    const ArrivalCurve curve = maker.curve();
    look("arrival curve", curve);
    look("variable rate", maker.rate());
  }
  for (const auto& [kind, count] : tried) {
    INFO(kind << ": " << tight[kind] << " of " << count);
    CHECK(count > 200);
    CHECK(tight[kind] == count);
  }
}

TEST_CASE("maximum-density jitter delays the first release and advances the following ones") {
  const Periodic jittered{ps(100), ps(10), {0, 20, 50, nullptr}, {}};
  CHECK(densest(stimulus(jittered), 4) == Times{60, 110, 210, 310});
  CHECK(average(stimulus(jittered), 3) == Times{30, 130, 230});
  CHECK(sparsest(stimulus(jittered), 3) == Times{10, 110, 210});
  const Periodic apart{ps(100), ps(0), {0, 20, 150, nullptr}, ps(30)};
  CHECK(densest(stimulus(apart), 5) == Times{150, 180, 210, 300, 400});
}

TEST_CASE("a burst is clipped at its length, and the next one may follow at once") {
  const Burst clipped{ps(100), ps(5), ps(30), ps(10), 9};
  CHECK(engine::occurrences_of(clipped) == 4);
  CHECK(densest(stimulus(clipped), 8) == Times{5, 15, 25, 35, 105, 115, 125, 135});
  CHECK(average(stimulus(clipped), 4) == Times{5, 15, 25, 35});
  const Burst loose{ps(100), ps(0), ps(30), ps(10), 2};
  CHECK(densest(stimulus(loose), 4) == Times{20, 30, 100, 110});
  CHECK(average(stimulus(loose), 4) == Times{0, 30, 100, 130});
  const Burst endless{ps(100), ps(0), ps(100), ps(70), 2};  // the minimum distance holds within a burst
  CHECK(densest(stimulus(endless), 5) == Times{30, 100, 100, 170, 200});
  const auto bound = engine::arrival_bound(stimulus(endless));
  REQUIRE(bound.has_value());
  CHECK(bound->minimum_distance == ps(0));
  CHECK(engine::max_arrivals(*bound, ps(0)) == 2);
  CHECK(engine::max_arrivals(*bound, ps(70)) == 3);
}

TEST_CASE("the densest sequence of an arrival curve respects all entries together") {
  // Two need 10, three at most 25 and at least 24: never 10 and 10.
  ArrivalCurve curve;
  curve.entries.push_back({2, ps(10), std::nullopt});
  curve.entries.push_back({3, ps(24), ps(25)});
  CHECK(densest(stimulus(curve), 6) == Times{0, 10, 24, 34, 48, 58});
  CHECK(average(stimulus(curve), 5) == Times{0, 12, 24, 36, 49});
  CHECK(sparsest(stimulus(curve), 5) == Times{0, 12, 25, 37, 50});
  const auto bound = engine::arrival_bound(stimulus(curve));
  REQUIRE(bound.has_value());
  CHECK((bound->period == ps(12) && bound->jitter == ps(2) && bound->minimum_distance == ps(10)));
  // Four within 36 and five not within 48: the fifth follows the fourth by 12 at least, and so does every other.
  ArrivalCurve pushed;
  pushed.entries.push_back({4, ps(0), ps(36)});
  pushed.entries.push_back({5, ps(48), std::nullopt});
  CHECK(densest(stimulus(pushed), 3) == Times{0, 12, 24});
}

TEST_CASE("arrival curves that are impossible or unlimited never occur and have no bound") {
  ArrivalCurve contradictory;
  contradictory.entries.push_back({2, ps(10), std::nullopt});
  contradictory.entries.push_back({3, ps(0), ps(15)});
  CHECK_FALSE(is_possible(contradictory));
  CHECK(densest(stimulus(contradictory), 1).empty());
  CHECK_FALSE(engine::arrival_bound(stimulus(contradictory)).has_value());
  ArrivalCurve unlimited;
  unlimited.entries.push_back({2, ps(0), ps(15)});
  CHECK_FALSE(is_possible(unlimited));
}

TEST_CASE("a variable rate occurs whenever a whole occurrence has accumulated") {
  const VariableRate rate{ps(1000), {500'000, 2'000'000, 4'000'000, nullptr}, {}, {}};
  CHECK(densest(stimulus(rate), 4) == Times{0, 250, 500, 750});
  CHECK(average(stimulus(rate), 3) == Times{0, 500, 1000});
  CHECK(sparsest(stimulus(rate), 3) == Times{0, 2000, 4000});
}

TEST_CASE("random occurrences depend only on seed and stimulus") {
  Maker maker(7);
  const Stimulus stated = stimulus(maker.sporadic());
  const auto random = [&](std::uint64_t seed, StimulusIndex index) {
    return times_of(stated, {ArrivalPattern::random, seed, index}, 30);
  };
  CHECK(random(1, 2) == random(1, 2));
  CHECK(random(1, 2) != random(2, 2));
  CHECK(random(1, 2) != random(1, 3));
}

TEST_CASE("long-run rates are those of the densest pattern") {
  CHECK(engine::arrival_period(stimulus(Periodic{ps(100), {}, {0, 0, 900, nullptr}, {}})) == ps(100));
  CHECK(engine::arrival_period(stimulus(Burst{ps(100), {}, ps(30), {}, 4})) == ps(25));
  CHECK_FALSE(engine::arrival_period(stimulus(Single{ps(1)})).has_value());
  CHECK_FALSE(engine::arrival_period(stimulus(InterProcess{})).has_value());
  CHECK(engine::arrival_rate(stimulus(Single{ps(1)})) == 0.0);
  CHECK_FALSE(engine::arrival_rate(stimulus(EventDriven{})).has_value());
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Maker maker(seed);
    for (const auto& stated : {stimulus(maker.periodic()), stimulus(maker.sporadic()), stimulus(maker.synthetic()),
                               stimulus(maker.curve()), stimulus(maker.rate())}) {
      const auto rate = engine::arrival_rate(stated);
      if (!rate) continue;
      const Times times = densest(stated, 4000);
      REQUIRE(times.size() == 4000);
      const double seen = 3999 / static_cast<double>(times.back() - times.front());
      INFO(seed << " " << stated.occurrence.index());
      CHECK(seen == Approx(*rate).epsilon(0.02));
    }
  }
}

TEST_CASE("occurrences end at the end of the simulation range") {
  const Duration period = Duration::seconds(1'000'000);
  CHECK(densest(stimulus(Periodic{period, {}}), 100).size() == 3);  // of 26 days
  CHECK(densest(stimulus(Sporadic{Duration::max(), {1, 1, 1, nullptr}}), 100).empty());
}

TEST_CASE("a simulation releases jobs at the occurrences and demand follows the rate") {
  using test::us;
  const auto results_of = [](Occurrence occurrence, engine::Execution execution) {
    test::SystemMaker maker;
    const UnitIndex core = maker.core("core");
    const TaskIndex task = maker.task("task", core, 1, maker.periodic(1));
    maker.system().stimuli.front().occurrence = std::move(occurrence);
    maker.compute(task, 2);
    engine::AnalysisOptions options;
    options.until = us(1000);
    options.execution = execution;
    Diagnostics diagnostics;
    auto results = engine::analyze(maker.build(), options, diagnostics);
    REQUIRE(results.has_value());
    return *results;
  };
  using engine::Execution;
  const Sporadic sporadic{{}, {us(10).picoseconds(), us(15).picoseconds(), us(20).picoseconds(), nullptr}};
  CHECK(results_of(sporadic, Execution::worst).tasks.at(0).response.jobs == 100);
  CHECK(results_of(sporadic, Execution::best).tasks.at(0).response.jobs == 50);
  CHECK(results_of(sporadic, Execution::worst).resources.at(0).demand == Approx(0.2));

  const auto burst = results_of(Burst{us(100), {}, us(30), {}, 3}, Execution::worst);
  CHECK(burst.tasks.at(0).response.jobs == 30);
  CHECK(burst.tasks.at(0).response.max == us(6));  // three at once
  CHECK(burst.resources.at(0).demand == Approx(0.06));

  const Periodic jittered{us(10), {}, {0, 0, us(9).picoseconds(), nullptr}, {}};
  const auto late_once = results_of(jittered, Execution::worst);
  CHECK(late_once.tasks.at(0).response.max == us(3));  // the second is released one microsecond after the first
  CHECK(results_of(jittered, Execution::best).tasks.at(0).response.max == us(2));
}

TEST_CASE("demand of a counted stimulus includes only occurrences that pass the counter") {
  test::SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex source = maker.task("source", core, 2, maker.periodic(10));
  const TaskIndex counted = maker.task("counted", core, 1, request);
  maker.system().stimuli[request].counter = {4, 0};
  maker.compute(source, 1);
  maker.trigger(source, request);
  maker.compute(counted, 8);
  CHECK(test::analyzed(maker.build(), test::us(400)).resources.at(0).demand == Approx(0.1 + 0.2));
}

TEST_CASE("strictly periodic stimuli never vary") {
  CHECK(engine::strictly_periodic(stimulus(Periodic{ps(100), ps(5), {7, 7, 7, nullptr}, ps(100)}))->offset == ps(12));
  CHECK_FALSE(engine::strictly_periodic(stimulus(Periodic{ps(100), ps(5), {0, 0, 1, nullptr}, {}})).has_value());
  CHECK_FALSE(engine::strictly_periodic(stimulus(Periodic{ps(100), ps(5), {}, ps(101)})).has_value());
  Stimulus conditional = stimulus(Periodic{ps(100), {}});
  conditional.condition = ModeCondition{};
  CHECK_FALSE(engine::strictly_periodic(conditional).has_value());
}

}  // namespace program_arrivals_test
