// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What changes of a model do to its timing, as the output formats of differences show it; computed by
/// `analysis::change_effects`.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "amalthea/time.hpp"
#include "difference/comparison.hpp"
#include "engine/verdict.hpp"

namespace amalthea::exporter {

/// The timing of a task or chain.
struct TimedItem {
  enum class Kind : std::uint8_t { task, chain } kind = Kind::task;
  std::string name;               ///< in the newer model, for renamed tasks too
  std::string verdict;            ///< "met", "missed" …; "" for a chain
  std::optional<Duration> limit;  ///< the deadline of a task
  /// Upper bound and longest observation: of the response time of a task, of the reaction of a chain.
  std::optional<Duration> bound, longest;
  std::string no_bound;                                         ///< why there is no bound
  std::vector<std::pair<std::string, Duration>> contributions;  ///< of the bound; their sum is the bound
};

/// A core or an engine of a GPU.
struct LoadedItem {
  std::string name;  ///< "Core0", "GPU execution engine"
  double demand = 0;
};

struct Timing {
  engine::Assessment assessment;
  std::vector<TimedItem> items;
  std::vector<LoadedItem> loads;
};

struct PartEffect {
  difference::Part part = difference::Part::rest;
  std::size_t changes = 0;
  /// The older model with the changes of this part alone, and with those of all other parts.
  std::optional<Timing> alone, without;
  std::size_t left_out = 0;          ///< changes of this part that have no meaning without other parts
  std::string no_alone, no_without;  ///< why there is no such timing
};

struct ChangeEffects {
  Timing before, after;
  /// One for each part with changes; empty if only one part has any.
  std::vector<PartEffect> parts;
};

}  // namespace amalthea::exporter
