// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Why limits do not hold, or hold without a guarantee: the root causes that a diagnosis found, the first one first. They
/// explain a verdict and prove nothing.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "amalthea/origin.hpp"

namespace amalthea::exporter {

/// How many limits do not hold, and how many hold in the simulation without a guarantee.
struct Problems {
  std::size_t failing = 0;
  std::size_t unproven = 0;
  friend auto operator<=>(const Problems&, const Problems&) = default;
};

struct Cause {
  enum class Kind : std::uint8_t {
    suspected,  ///< a value that looks mistyped; the system with another one was analyzed
    finding,    ///< a finding that leaves the timing of limits open
    overload,   ///< a resource with a demand above what it has
    miss,       ///< a limit that no suspicion and no overload explains
    guarantee,  ///< a limit that holds in the simulation only
  };
  Kind kind = Kind::suspected;
  std::string text;                    ///< a clause
  std::vector<std::string> others;     ///< of a suspicion: changes with the same effect; any one of them is the cause
  std::optional<Problems> with;        ///< of a suspicion: what the analysis of the changed system finds
  std::size_t explains = 0;            ///< limits that it explains
  std::vector<std::string> sufferers;  ///< their names
  Origin origin = {};                  ///< what to look at
};
std::string_view to_string(Cause::Kind);

struct Causes {
  Problems problems;  ///< of the model as it is
  std::vector<Cause> all;
  std::size_t analyses = 0;  ///< of changed systems
  bool complete = true;      ///< false: the limit of analyses kept some suspicions from being tried
};

/// "suspected: …: 6 problems become 0", one line for each cause.
std::vector<std::string> cause_lines(const Causes& causes);
nlohmann::ordered_json causes_json(const Causes& causes);

// Parts that plans share.

/// "A, B and 3 more".
std::string listed(const std::vector<std::string>& names);
/// What becomes of the problems with a change: "11 problems become 1".
std::string outcome(const Problems& before, const Problems& after);
nlohmann::ordered_json problems_json(const Problems& problems);

}  // namespace amalthea::exporter
