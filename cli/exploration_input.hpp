// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The input of a search for a mapping: options of `amalthea explore` → explore::Problem and explore::Options.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "cli/input.hpp"
#include "explore/exploration.hpp"

namespace amalthea::cli {

struct ExplorationInput {
  std::vector<std::string> objectives = {"response"};  ///< "response", "load", "changes", "chain:A->B->C"
  std::vector<std::string> keep;                       ///< "mapping", "offloading", "priorities", "waiting", "slices"
  std::vector<std::string> pins;                       ///< "TASK=UNIT|UNIT"
  std::vector<std::string> together;                   ///< "A,B,C"
  std::vector<std::string> apart;                      ///< the same
  bool keep_affinity = false;
  std::uint64_t candidates = 20000;
  std::uint64_t steps = explore::Options{}.steps;
  std::optional<double> seconds;
  std::uint64_t seed = 1;
  unsigned jobs = 0;  ///< 0: one for each processor
};
void add_exploration_options(CLI::App& verb, ExplorationInput& input);
/// What the result depends on, as text.
std::string words_of(const ExplorationInput& input);

struct Search {
  explore::Problem problem;
  explore::Options options;
  /// Adds to another system of the model what options add to the problem's system: chains, and times for instructions.
  /// False if that is impossible.
  std::function<bool(System&)> complete;
};
/// The problem of a model whose analysis was prepared with `analysis`; `model` and `prepared` must outlive it. Nothing,
/// and a message, if an option is invalid. Findings are collected.
std::optional<Search> make_search(const Model& model, const AnalysisInput& analysis, const PreparedAnalysis& prepared,
                                  const ExplorationInput& input, Diagnostics& diagnostics);

}  // namespace amalthea::cli
