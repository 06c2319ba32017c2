// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What is asked of an analysis, in the words of a user, and the steps from there to results. All verbs that analyze a
/// model begin with these steps.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "analysis/failure.hpp"
#include "analysis/model_analysis.hpp"
#include "analysis/option.hpp"
#include "engine/analysis.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/verdict.hpp"
#include "importer/building/system_builder.hpp"
#include "importer/reading/limits.hpp"

namespace amalthea::analysis {

/// Words and numbers as users give them; `resolve` turns them into Options. docs/reference/commands.md describes all.
struct AnalysisRequest {
  std::string execution = "worst";  ///< "worst", "average", "best"; "random" for simulations
  std::string until;                ///< "2s"; "": the hyperperiod
  std::uint64_t max_steps = engine::default_simulation_steps;
  std::vector<std::string> platform;  ///< "NAME" or "UNIT=NAME", where a name may be that of a file
  std::string memory = "model";
  std::string line_rule = "exact";
  std::string contention = "static";
  std::string bounds = "quick";
  std::uint64_t bound_states = engine::BoundOptions{}.states;
  std::uint64_t contributions = engine::default_contributions;
  std::vector<std::string> map;  ///< "TASK=CORE:PRIORITY"
  std::string mapping_file;
  std::string communication = "implicit";
  importer::BuildOptions build;  ///< `keep_wrappers` and `max_activities`
  bool lenient = false;
  bool strict = false;
  std::vector<std::string> chains;  ///< "A->B->C" by task names
  bool derive_chains = false;
  std::string certificates;  ///< folder with a manifest of proved bounds (certification.hpp); "": none
};

OptionTable limit_options(importer::Limits& limits);
OptionTable build_options(importer::BuildOptions& build);
OptionTable lenient_option(bool& lenient);
/// What is simulated, and for how long.
OptionTable simulation_options(AnalysisRequest& request);
/// `execution` and those.
OptionTable analysis_options(AnalysisRequest& request);
OptionTable chain_options(AnalysisRequest& request);
/// All of these.
OptionTable request_options(AnalysisRequest& request);

/// A request whose files have been read, once: they may be pipes. Independent of a model.
struct Resolved {
  Options options;
  std::shared_ptr<const engine::DeviceProfile> profile;  ///< `options` points to it
  std::string files;                                     ///< hashes of the contents of files
};
Outcome<Resolved> resolve(const AnalysisRequest& request);

/// A built-in device profile by its name, or one from a JSON file. Adds the hash of a file to `files`.
Outcome<engine::DeviceProfile> choose_profile(const std::string& platform, std::string& files);

/// The input of an analysis.
struct Prepared {
  System system;
  engine::AnalysisOptions analysis;
  std::shared_ptr<const engine::DeviceProfile> profile;  ///< `analysis` points to it
  importer::BuildOptions build;                          ///< how the system was built from the model
};
/// Model → system, with the request applied. Adds findings, including those of a review. A model with errors is
/// refused; a lenient request accepts those that EMF would reject.
Outcome<Prepared> prepare(const Model& model, const AnalysisRequest& request, Diagnostics& findings);
Outcome<Prepared> prepare(const Model& model, const Resolved& resolved, Diagnostics& findings);

/// Hashes of the profiles in files that a model names, as Resolved::files has them for files that the request names.
std::string hashes_of_profiles(const System& system);

/// Results, and their verdict.
struct Analyzed : Prepared {
  engine::Results results;
  engine::Assessment assessment;
};
/// Simulates, bounds, judges. `prepared.analysis` may have an observer, and work that can be stopped.
Outcome<Analyzed> results_of(Prepared prepared, Diagnostics& findings);
/// Both.
Outcome<Analyzed> analyze(const Model& model, const Resolved& resolved, Diagnostics& findings);

/// The only task of this name, which an option states.
Outcome<TaskIndex> task_named(const System& system, const std::string& place, std::string_view name);

}  // namespace amalthea::analysis
