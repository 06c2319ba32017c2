// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Searches for behaviours that break guarantees: corner values first, then random ones, then hill climbing. It changes a
/// few answers, or all answers of a kind for some time, of the behaviour that came closest to the limit, and keeps what
/// comes closer. Budgets are numbers of executions, so that a seed decides what is found.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gpu/device_profile.hpp"
#include "reference/behaviour.hpp"
#include "reference/execution.hpp"
#include "tests/adversary/guarantees.hpp"

namespace adversary {

struct AttackOptions {
  int executions = 100;  ///< for each guarantee, at least; one execution serves all guarantees of a system
  int common = 88;       ///< of them, this many towards no guarantee in particular
  int climbing = 12;     ///< at least so many towards the limit of each guarantee that has not been reached
  reference::Time until = 1'000'000'000;
  std::uint64_t seed = 1;
};

struct Attacked {
  enum class Outcome : std::uint8_t {
    unmeasured,  ///< no execution showed a value
    held,
    broken,
  };
  Outcome outcome = Outcome::unmeasured;
  bool reached = false;          ///< some execution came within 1 % of the limit
  double closeness = 0;          ///< 1: at the limit
  std::string seen;              ///< of the closest execution, in words
  reference::Behaviour closest;  ///< with all answers
};

struct Attack {
  std::string refused;       ///< why the reference executes nothing; "" if it does
  std::vector<Attacked> of;  ///< parallel to the guarantees
  std::int64_t executions = 0;
};

/// `amxmi` is the text of `target.system`.
Attack attack(const std::string& amxmi, const Target& target, const amalthea::engine::DeviceProfile& profile,
              const AttackOptions& options);

/// What this behaviour shows of a guarantee: whether it breaks it, and what was seen. Throws reference::Refused.
struct Shown {
  bool broken = false;
  std::string seen;
};
Shown show(const std::string& amxmi, const Target& target, const Guarantee& guarantee,
           const amalthea::engine::DeviceProfile& profile, const reference::Behaviour& behaviour,
           const AttackOptions& options);

/// The jobs that this behaviour executes, one line for each, as text.
std::string jobs_text(const std::string& amxmi, const Guarantee& guarantee,
                      const amalthea::engine::DeviceProfile& profile, const reference::Behaviour& behaviour,
                      const AttackOptions& options);

/// A behaviour as text, one line for each answer "kind entity ordinal value", and back. Throws std::invalid_argument.
std::string text_of(const reference::Behaviour& behaviour);
reference::Behaviour behaviour_of(std::string_view text);

/// The numbers of a profile that the reference asks for.
reference::GpuSettings settings_of(const amalthea::engine::DeviceProfile& profile);

}  // namespace adversary
