// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Many runs of a model, or a part of them that other processes complete; and a run for a witness.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "amalthea/work.hpp"
#include "analysis/option.hpp"
#include "analysis/request.hpp"
#include "analysis/shard.hpp"
#include "engine/many_runs.hpp"
#include "engine/witness.hpp"
#include "exporter/results/run_parts.hpp"

namespace amalthea::analysis {

struct SimulationRequest : AnalysisRequest {
  SimulationRequest() { execution.clear(); }  ///< "": "random" for several runs or with a seed, otherwise "worst"
  std::uint64_t runs = 1;
  std::optional<std::uint64_t> seed;  ///< nothing: 1
  unsigned jobs = 0;                  ///< threads; 0: one for each processor
  std::string shard;                  ///< "2/10": only this part; "": all runs
  std::vector<std::string> merge;     ///< files of parts, instead of a simulation
  std::string checkpoint;             ///< a file that keeps what was done
  std::string witness;                ///< name of a task; "": none
};
/// The runs and their analysis.
OptionTable runs_options(SimulationRequest& request);
/// How the work is shared, and the witness.
OptionTable sharing_options(SimulationRequest& request);
/// Both.
OptionTable simulation_request_options(SimulationRequest& request);

/// A request that fits its model.
struct Simulation : Prepared {
  std::uint64_t runs = 1, seed = 1;
  unsigned threads = 1;
  std::uint64_t first = 0, end = 1;  ///< the runs of the part, or all
  bool is_part = false;
  std::string key;  ///< a hash of what all results depend on
  std::vector<std::string> merge;
  std::string checkpoint;
  std::optional<engine::Witness> witness;
};
Outcome<Simulation> prepare_simulation(const Model& model, const SimulationRequest& request,
                                       const importer::Limits& limits, Diagnostics& findings);
/// Searches for releases that make the task take long; the simulation is then one of them.
Outcome<void> seek_witness(Simulation& simulation, const std::string& task, Work* work);

/// How a caller follows the runs; all may be empty.
struct SimulationWatch {
  Work* work = nullptr;  ///< ends them with what they add up to by then
  engine::SimulationObserver* observer = nullptr;
  std::uint64_t observed_run = 0;
  std::function<void(std::uint64_t end)> progress;      ///< all runs below `end` are done, from `Simulation::first` on
  std::function<void(const std::string& text)> note;    ///< that a checkpoint has runs
  std::function<void(const std::string& text)> failed;  ///< to write a checkpoint; the runs go on
};

struct SimulatedRuns {
  exporter::RunPart part;                ///< of a part; empty otherwise
  std::optional<engine::ManyRuns> runs;  ///< nothing for a part
};
Outcome<SimulatedRuns> simulate(const Simulation& simulation, const SimulationWatch& watch, Diagnostics& findings);

}  // namespace amalthea::analysis
