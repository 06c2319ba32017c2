// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The modes of a simulated system, and the conditions that depend on them.

#include <cstdint>
#include <vector>

#include "amalthea/graph/system.hpp"

namespace amalthea::engine::simulation {

class Modes {
 public:
  explicit Modes(const System& system);
  bool holds(const ModeCondition& condition) const;
  void set(const ModeSetting& setting) { values_[setting.mode] = setting.value; }
  void set(const SetMode& set);

 private:
  bool holds(const ModeTest& test) const;

  std::vector<std::int64_t> values_;
};

/// For the `count`-th occurrence, counted from 0.
bool is_due(const EveryNth& counter, std::int64_t count);

}  // namespace amalthea::engine::simulation
