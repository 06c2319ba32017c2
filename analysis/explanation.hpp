// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Why a task takes as long as it does.

#include <optional>
#include <string>

#include "amalthea/work.hpp"
#include "analysis/request.hpp"
#include "engine/explanation.hpp"
#include "engine/what_if.hpp"
#include "exporter/explanation/explanation_formats.hpp"

namespace amalthea::analysis {

struct Explained : Analyzed {
  TaskIndex task = 0;                             ///< that is explained
  exporter::Asked asked;                          ///< what leads to it
  std::optional<engine::OverallVerdict> verdict;  ///< of the limit that was asked for; nothing: a task was
  std::optional<engine::Explanation> explanation;
  std::string no_job;     ///< why there is none
  engine::WhatIfs tried;  ///< changes that may help; none if the simulation stopped early
};
/// `name`: of a task, of a runnable that one task executes, or of a chain, latency constraint, requirement or timing
/// constraint; then the task is explained that it depends on most. `work` may be null.
Outcome<Explained> explain(const Model& model, const AnalysisRequest& request, const std::string& name,
                           Diagnostics& findings, Work* work);

}  // namespace amalthea::analysis
