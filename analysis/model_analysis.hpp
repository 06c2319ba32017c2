// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The whole way in one call: model files → findings, results and the verdict on them. `amalthea analyze` is this call
/// and an output format (docs/library.md).
///
/// Every step that must come before another is taken here, so that a program that uses the library judges a model as
/// the command does: annotations of another state, the metamodel, the system, the rules of a review, chains, and
/// instructions of kernels.

#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "engine/analysis.hpp"
#include "engine/verdict.hpp"
#include "importer/building/system_builder.hpp"
#include "importer/reading/limits.hpp"

namespace amalthea::analysis {

struct Options {
  importer::Limits limits;          ///< what an untrusted file may cost
  importer::BuildOptions build;     ///< mapping changes, wrappers; `tabulated_accesses` follows from `engine.compile`
  engine::AnalysisOptions engine;   ///< what is simulated, for how long, and what memory costs
  std::vector<std::string> chains;  ///< "A->B->C" by task names, beside the event chains of the model
  bool derive_chains = false;       ///< also the chains along which labels pass
  bool lenient = false;             ///< goes on with a model that EMF refuses, without what is not understood
};

/// Why a step has no result.
struct Failure {
  enum class Kind : std::uint8_t {
    unreadable,  ///< the files are no model
    misused,     ///< an option does not fit the model
    refused,     ///< the model has errors, or cannot be analysed
  };
  Kind kind = Kind::refused;
  std::string message;  ///< "" where findings tell
};

// The steps, each of which adds to the findings.

/// Files, or one folder → Model. Says which annotations were made of another state of it.
tl::expected<Model, Failure> read(const std::vector<std::string>& files, const importer::Limits& limits,
                                  Diagnostics& findings);

/// Model → System. A model with errors has none, but where that is `lenient`, and the errors are none that timing
/// depends on.
std::optional<System> build(const Model& model, const importer::BuildOptions& options, bool lenient,
                            Diagnostics& findings);

/// Model → the System that `engine::analyze` and `engine::simulate_runs` take with `options.engine`.
tl::expected<System, Failure> prepare(const Model& model, const Options& options, Diagnostics& findings);

// All of them.

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
