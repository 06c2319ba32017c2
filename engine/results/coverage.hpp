// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a guarantee covers: the releases, the orders of equally urgent tasks and the activations for which it holds. A
/// guarantee that follows from several bounds covers only what all of them cover.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/graph/system.hpp"

namespace amalthea::engine {

struct Bound;

/// Of each kind from the most to the least that is covered.
struct Coverage {
  enum class Offsets : std::uint8_t {
    all,
    up_to_period,  ///< up to the stated one or the period, whichever is longer
    stated,        ///< only the stated ones
  };
  enum class Ties : std::uint8_t {
    every_order,
    one_rule,  ///< only the order in which the simulation serves equally urgent tasks
  };
  enum class Losses : std::uint8_t {
    no_limit,  ///< no task that it is about has an activation limit
    none,      ///< bounds show that no activation exceeds the limit
  };
  Offsets offsets = Offsets::all;
  Ties ties = Ties::every_order;
  Losses losses = Losses::no_limit;

  /// Whether it covers every legal run.
  bool complete() const { return offsets == Offsets::all && ties == Ties::every_order; }
  /// What both cover.
  Coverage& operator&=(const Coverage& other);
  friend bool operator==(const Coverage&, const Coverage&) = default;
};
std::string_view to_string(Coverage::Offsets);  ///< "all", "up to the stated one or the period", "only the stated ones"
std::string_view to_string(Coverage::Ties);     ///< "every order", "one rule"
std::string_view to_string(Coverage::Losses);   ///< "no limit of activations", "cannot be lost"

/// For every task: whether it waits for the event of a task with an activation limit, or of one that such a task
/// activates or lets continue.
std::vector<bool> tasks_awaiting_limited(const System& system);

/// Of a guarantee that follows from the bound on the response time of the task.
Coverage coverage_of(const System& system, TaskIndex task, const Bound& bound);

/// "for the stated offsets only"; "" if it is complete.
std::string limitation(const Coverage& coverage);
/// "guaranteed", "guaranteed for the stated offsets only".
std::string guaranteed_text(const Coverage& coverage);
/// The reason of a guarantee, with its limitation.
std::string with_limitation(std::string reason, const Coverage& coverage);

}  // namespace amalthea::engine
