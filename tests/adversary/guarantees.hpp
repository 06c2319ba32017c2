// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the product states about a system so that one behaviour can refute it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/results/results.hpp"
#include "engine/verdict.hpp"
#include "tests/adversary/drawn_system.hpp"

namespace adversary {

struct Guarantee {
  enum class Kind : std::uint8_t {
    response,     ///< bound on a task's response time
    best_case,    ///< lower bound
    operation,    ///< bound on an operation of a GPU
    deadline,     ///< no job of a task is late, and no activation is lost
    latency,      ///< bound on a chain
    chain_limit,  ///< a limit of a chain
    constraint,   ///< a timing constraint
    requirement,
  };
  /// Where it was stated.
  enum class Source : std::uint8_t { results, verdict, headroom, exploration };
  enum class Measure : std::uint8_t { reaction, reduced_reaction, age, reduced_age };

  Kind kind = Kind::response;
  Source source = Source::results;
  std::size_t index = 0;  ///< task, node of the graph, chain, constraint, requirement
  std::size_t part = 0;   ///< of a chain limit: which of the chain's
  amalthea::engine::Communication communication = amalthea::engine::Communication::implicit;
  Measure measure = Measure::reaction;
  std::int64_t limit = 0;       ///< picoseconds; of bounds and deadlines
  bool stated_offsets = false;  ///< it holds for the stated offsets only
  std::string name;             ///< "response of task1"
};
std::string_view to_string(Guarantee::Kind);

/// A system and what is guaranteed of it.
struct Target {
  std::string amxmi;  ///< the text of the system
  amalthea::System system;
  std::vector<Guarantee> guarantees;
};

/// One line for each result: its name, its value, and whether a smaller (-) or a larger one (+) is better.
struct ResultLine {
  std::string name;
  std::int64_t value = 0;
  bool smaller_is_better = true;
};

struct Statement {
  std::string refused;          ///< why there is none, in words
  std::vector<Target> targets;  ///< the system itself, then those that other results speak of
  std::vector<ResultLine> lines;
  amalthea::engine::Results results;
};
/// The product's statements about the text of a drawn system: its analysis, for some systems its headroom and a search for
/// mappings.
Statement statement_of(const DrawnSystem& drawn, std::uint32_t number);

/// The guarantees of an analysis. `assessment` adds what the verdict on the whole says.
std::vector<Guarantee> guarantees_of(const amalthea::System& system, const amalthea::engine::Results& results,
                                     const amalthea::engine::Assessment& assessment);

/// What the product says of a model's text alone. `refused` is set if it has errors.
Statement statement_of(const std::string& amxmi, const amalthea::engine::AnalysisOptions& options);

}  // namespace adversary
