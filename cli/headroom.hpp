// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// --headroom, for verbs that analyze a model.

#include <cstddef>
#include <optional>

#include <CLI/App.hpp>

#include "cli/input.hpp"
#include "engine/headroom.hpp"

namespace amalthea::cli {

struct HeadroomInput {
  bool wanted = false;
  std::size_t analyses = engine::HeadroomOptions{}.analyses_each;
};
void add_headroom_options(CLI::App& verb, HeadroomInput& options);
/// False and a message if the options contradict each other.
bool headroom_is_possible(const HeadroomInput& options, const AnalysisInput& analysis);
/// Nothing if it is not wanted. Shows progress; Ctrl-C ends the search with what it has found.
std::optional<engine::Headroom> find_headroom(const HeadroomInput& options, const PreparedAnalysis& prepared,
                                              const engine::Results& results);

}  // namespace amalthea::cli
