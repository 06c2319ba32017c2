// SPDX-License-Identifier: Apache-2.0
// When the tasks of a random system are activated.

#include "tests/support/random_system/generator.hpp"

namespace test::drawing {

StimulusIndex Generator::add_stimulus(Occurrence occurrence) {
  Stimulus stimulus;
  stimulus.name = fmt::format("stimulus{}", maker_.system().stimuli.size());
  stimulus.occurrence = std::move(occurrence);
  maker_.system().stimuli.push_back(std::move(stimulus));
  return static_cast<StimulusIndex>(maker_.system().stimuli.size() - 1);
}

Distribution Generator::times(int lower, int upper) {
  Distribution made;
  made.lower = us(lower).picoseconds();
  made.upper = us(upper).picoseconds();
  made.average = (made.lower + made.upper) / 2;
  return made;
}

Occurrence Generator::occurrence(SystemFeature kind, int period, SystemFeatures& has) {
  has.set(index_of(kind));
  const auto start = [&] {
    if (!tries(F::offset)) return us(0);
    has.set(index_of(F::offset));
    return us(on(F::tie) ? draw(0, 1) * 40 : draw(1, period));
  };
  switch (kind) {
    case F::sporadic:
      return Sporadic{start(), times(period, period + draw(0, 2 * period))};
    case F::synthetic: {
      Synthetic made{us(2 * period), start(), {}};
      for (int i = draw(2, 3); i > 0; --i) made.occurrences.push_back(us(draw(0, 2 * period - 1)));
      std::sort(made.occurrences.begin(), made.occurrences.end());
      return made;
    }
    case F::burst: {
      const int length = draw(1, 2 * period);
      const int count = draw(2, 3);
      return Burst{us(2 * period), start(), us(length), us(draw(0, std::min(length / (count - 1), period / 2))), count};
    }
    case F::arrival_curve: {
      ArrivalCurve made;
      made.entries.push_back({2, us(draw(0, period / 2)), std::nullopt});
      if (one_in(2)) made.entries.back().upper = us(3 * period);
      made.entries.push_back({draw(3, 4), us(2 * period), std::nullopt});
      return made;
    }
    case F::variable_rate: {
      VariableRate made;
      made.step = us(2 * period);
      made.occurrences.lower = draw(0, 10) * 100'000;
      made.occurrences.upper = draw(10, 20) * 100'000;
      made.occurrences.average = (made.occurrences.lower + made.occurrences.upper) / 2;
      if (one_in(2)) made.largest_increase = 0.5;
      if (one_in(2)) made.largest_decrease = 0.5;
      return made;
    }
    case F::single:
      return Single{us(draw(0, 2 * period))};
    default:
      break;
  }
  Periodic made{us(period), start()};
  if (tries(F::jitter)) {
    has.set(index_of(F::jitter));
    const int lower = one_in(2) ? 0 : draw(0, period);
    made.jitter = times(lower, lower + draw(1, one_in(3) ? 3 * period : period));
  }
  if (tries(F::minimum_distance)) {
    has.set(index_of(F::minimum_distance));
    made.minimum_distance = us(one_in(6) ? period : draw(1, period / 2));
  }
  return made;
}

StimulusIndex Generator::own_stimulus(int period, SystemFeatures& has) {
  std::vector<SystemFeature> kinds;
  if (on(F::periodic)) kinds.push_back(F::periodic);
  for (const SystemFeature kind : {F::sporadic, F::synthetic, F::burst, F::arrival_curve, F::variable_rate, F::single})
    if (on(kind)) kinds.insert(kinds.end(), must_[index_of(kind)] ? 3 : 1, kind);
  if (kinds.empty()) kinds.push_back(F::periodic);
  const StimulusIndex made = add_stimulus(occurrence(any_of(kinds), period, has));
  if (tries(F::condition)) {
    has.set(index_of(F::condition));
    Stimulus& stimulus = maker_.system().stimuli[made];
    if (one_in(2))
      stimulus.condition = ModeCondition{{{ModeTest{0, Relation::equal, draw(0, 1), {}}}}};
    else
      stimulus.sets.push_back({0, draw(0, 1)});
  }
  return made;
}

}  // namespace test::drawing
