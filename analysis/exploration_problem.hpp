// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The input of a search for a mapping: options of `amalthea explore` → explore::Problem and explore::Options.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/request.hpp"
#include "explore/exploration.hpp"

namespace amalthea::analysis {

struct ExplorationRequest : AnalysisRequest {
  std::vector<std::string> objectives = {"response"};  ///< "response", "load", "changes", "chain:A->B->C"
  std::vector<std::string> keep;      ///< "mapping", "offloading", "priorities", "waiting", "slices", "offsets"
  std::vector<std::string> pins;      ///< "TASK=UNIT|UNIT"
  std::vector<std::string> together;  ///< "A,B,C"
  std::vector<std::string> apart;     ///< the same
  bool keep_affinity = false;
  std::uint64_t candidates = 20000;
  std::uint64_t steps = explore::Options{}.steps;
  std::optional<double> seconds;
  bool plan = false;  ///< the fewest changes instead of the best mapping: analysis/plan.hpp
  std::uint64_t seed = 1;
  unsigned jobs = 0;                 ///< 0: one for each processor
  std::uint64_t solution = 1;        ///< of the Pareto front, counted from 1
  std::vector<std::string> compare;  ///< files of other mappings
  std::string shard;                 ///< "2/8": only this part of the walks; "": all
  std::vector<std::string> merge;    ///< files of parts, instead of a search
  std::string checkpoint;            ///< a file that keeps finished walks
};
/// What is searched, and with how much effort.
OptionTable search_options(ExplorationRequest& request);
/// How the work is shared.
OptionTable walk_options(ExplorationRequest& request);
/// Those, and all others of the request.
OptionTable exploration_options(ExplorationRequest& request);

struct Search {
  explore::Problem problem;
  explore::Options options;
  /// Adds to another system of the model what options add to the problem's system: chains, and times for instructions.
  /// False if that is impossible.
  std::function<bool(System&)> complete;
  std::vector<std::string> notes;  ///< constraints of the model that the search ignores
};
/// The problem of a model that was prepared with the same request; `model` must outlive it.
Outcome<Search> make_search(const Model& model, const ExplorationRequest& input,
                            std::shared_ptr<const Prepared> prepared, Diagnostics& diagnostics);

}  // namespace amalthea::analysis
