// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Verdict → root causes: what looks mistyped in the model, what is overloaded, what is really late, what keeps a limit
/// from being guaranteed. All faces show what this function finds.
///
/// A suspicion is a value that is at odds with others: a deadline a hundred times its period, a clock at a tenth of all
/// others. Each is tried: the changed system is analyzed again, and what a suspicion claims is the result of that
/// analysis. The number of analyses is limited by counts of simulated instants, so that results do not depend on the
/// machine; systems that take long are not tried at all.

#include <functional>
#include <string>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/analysis.hpp"
#include "exporter/results/causes.hpp"

namespace amalthea::analysis {

/// A change that a suspected cause proposes.
struct Correction {
  std::string text;
  std::function<void(System&)> apply;
  Origin origin = {};
};
struct Diagnosed {
  exporter::Causes causes;
  std::vector<Correction> corrections;  ///< of the suspected causes, in their order
};

/// `results` must come from `engine::analyze` with the same options; `findings` are all of the analysis. No causes if
/// every limit is guaranteed, or if the simulation was stopped.
exporter::Causes diagnose(const System& system, const engine::AnalysisOptions& options, const engine::Results& results,
                          const Diagnostics& findings);
/// The same, with what a plan goes on from.
Diagnosed diagnose_and_correct(const System& system, const engine::AnalysisOptions& options,
                               const engine::Results& results, const Diagnostics& findings);

}  // namespace amalthea::analysis
