// SPDX-License-Identifier: Apache-2.0
#include "analysis/detail/problem_state.hpp"

namespace amalthea::analysis {

ProblemState state_of(const engine::Assessment& assessment, const engine::Results& results) {
  ProblemState state;
  for (const engine::JudgedLimit& limit : assessment.limits) {
    if (is_failing(limit)) {
      ++state.problems.failing;
      state.failing.insert(limit.name);
    } else if (is_unproven(limit)) {
      ++state.problems.unproven;
      state.unproven.insert(limit.name);
    }
  }
  for (const engine::ResourceResult& resource : results.resources) state.overloaded.push_back(resource.overloaded());
  return state;
}

ProblemState state_of(const System& system, const engine::Results& results) {
  return state_of(engine::assess(system, results, {}), results);
}

}  // namespace amalthea::analysis
