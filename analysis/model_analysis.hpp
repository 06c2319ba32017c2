// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The complete analysis in one call: model files → findings, results and their verdict. `amalthea analyze` is this
/// call plus an output format (docs/library.md).
///
/// It performs all required steps, so that a program that uses the library judges a model as the command does: stale
/// annotations, the metamodel, the system, review rules, chains, and instructions of kernels.

#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "analysis/failure.hpp"
#include "engine/analysis.hpp"
#include "engine/verdict.hpp"
#include "importer/building/system_builder.hpp"
#include "importer/reading/limits.hpp"

namespace amalthea::analysis {

/// The finding that states that errors keep a model from being analyzed.
extern const std::string_view not_analyzed_id;

struct Options {
  importer::Limits limits;          ///< limits for untrusted files
  importer::BuildOptions build;     ///< mapping changes, wrappers; `engine.compile` defines `tabulated_accesses`
  engine::AnalysisOptions engine;   ///< what is simulated, for how long, and the cost of memory accesses
  std::vector<std::string> chains;  ///< "A->B->C" by task names, in addition to the event chains of the model
  bool derive_chains = false;       ///< also analyze the chains along which labels are passed
  bool lenient = false;  ///< continue with a model that EMF rejects, without the parts that are not understood
};

// The steps; each adds findings.

/// Files, or one folder → Model. Reports annotations that were made for another state of it.
Outcome<Model> read(const std::vector<std::string>& files, const importer::Limits& limits, Diagnostics& findings);

/// Model → System. Nothing for a model with errors, unless `lenient` is set and the errors do not affect timing.
std::optional<System> build(const Model& model, const importer::BuildOptions& options, bool lenient,
                            Diagnostics& findings);

/// Whether a model with these findings is analyzed, if its system can be built.
bool is_analyzed(const Diagnostics& findings, bool lenient);

/// What follows when a system is built and reviewed: chains, times of kernels, GPUs, and what findings leave open.
Outcome<System> complete(const Model& model, System system, const Options& options, Diagnostics& findings);

/// All of it: model → the System that `engine::analyze` and `engine::simulate_runs` take with `options.engine`.
Outcome<System> prepare(const Model& model, const Options& options, Diagnostics& findings);

// All steps.

struct Analysis {
  Model model;
  System system;
  engine::Results results;
  engine::Assessment assessment;  ///< the verdict on the model as a whole
  Diagnostics findings;
};
struct NotAnalyzed {
  Failure failure;
  Diagnostics findings;
};
tl::expected<Analysis, NotAnalyzed> analyze(const std::vector<std::string>& files, const Options& options = {});

}  // namespace amalthea::analysis
