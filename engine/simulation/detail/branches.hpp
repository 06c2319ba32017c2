// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which alternatives jobs take at branches.

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/simulation/detail/jobs.hpp"
#include "engine/simulation/detail/modes.hpp"

namespace amalthea::engine::simulation {

class Branches {
 public:
  Branches(const SimulationInput& input, Clock& clock, Jobs& jobs, const Modes& modes);
  /// The current step of the job is a branch: advances the job to the step it selects.
  void take(TaskIndex task);

 private:
  std::optional<std::size_t> choose(TaskIndex task, const Step& step, const Branch& branch, std::int64_t count);
  std::size_t choose_by_chance(TaskIndex task, const Step& step, const Branch& branch);
  Duration work_between(TaskIndex task, std::size_t first, std::size_t end) const;

  const SimulationInput& input_;
  Clock& clock_;
  Jobs& jobs_;
  const Modes& modes_;
  /// for every task, per step: how often the branch was reached
  std::vector<std::vector<std::int64_t>> taken_;
};

}  // namespace amalthea::engine::simulation
