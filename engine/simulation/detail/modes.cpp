// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/detail/modes.hpp"

#include <algorithm>

namespace amalthea::engine::simulation {

Modes::Modes(const System& system) {
  for (const Mode& mode : system.modes) values_.push_back(mode.initial);
}

bool Modes::holds(const ModeTest& test) const {
  const std::int64_t is = values_[test.mode];
  const std::int64_t than = test.other ? values_[*test.other] : test.value;
  return amalthea::holds(is, test.relation, than);
}

bool Modes::holds(const ModeCondition& condition) const {
  return std::any_of(condition.any_of.begin(), condition.any_of.end(), [this](const auto& all) {
    return std::all_of(all.begin(), all.end(), [this](const ModeTest& test) { return holds(test); });
  });
}

void Modes::set(const SetMode& set) {
  std::int64_t& mode = values_[set.mode];
  switch (set.operation) {
    case SetMode::Operation::set:
      mode = set.value;
      return;
    case SetMode::Operation::increment:
      mode = amalthea::detail::checked_add(mode, set.value);
      return;
    case SetMode::Operation::decrement:
      mode = amalthea::detail::checked_subtract(mode, set.value);
      return;
  }
}

bool is_due(const EveryNth& counter, std::int64_t count) {
  return count >= counter.offset && (count - counter.offset) % std::max<std::int64_t>(1, counter.prescaler) == 0;
}

}  // namespace amalthea::engine::simulation
