// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Systems as AMALTHEA 3.3.0 models, for tests of everything that starts with a file.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amalthea/graph/system.hpp"

namespace test {

/// The system that a model can state, and what had to change.
struct Modelled {
  amalthea::System system;
  std::vector<std::string> changed;  ///< what no model can say, each once
};

/// Names are unique. An ISR has an interrupt controller, with the operating system's overhead of the scheduler that it
/// had. A stimulus that an OS event causes is triggered beside this event. An alternative that counts its executions is
/// a counted call, or a counted trigger or event, instead. Deadlines are requirements. The order of tasks remains, but
/// models list ISRs separately. Edges of the graph are left out.
Modelled as_modelled(const amalthea::System& system);

struct ModelText {
  std::optional<std::uint32_t> shuffled = std::nullopt;  ///< elements of each kind are in an order drawn with this seed
  std::string prefix = {};                               ///< of every name, except those with a meaning
};

/// The text of a model of `as_modelled(system)`. Throws std::invalid_argument where it cannot state something, with the
/// place: runnables that are called with different contents, sections that end elsewhere.
std::string model_of(const amalthea::System& system, const ModelText& form = {});

/// The system of a model's text, with default options. Throws std::runtime_error with the first error in the model, or
/// with a finding that says that something is not simulated.
amalthea::System system_of(std::string text);

/// Everything in a system that affects timing or verdicts, one line per fact, in an order that depends on names only.
/// Left out: origins, edges of the graph, shapes of distributions, and the runnables of device tasks, which a model
/// needs for every operation.
std::vector<std::string> facts_of(const amalthea::System& system);
/// "" or the first fact that only one of them has, with its name.
std::string first_difference(const amalthea::System& wanted, const amalthea::System& found);

}  // namespace test
