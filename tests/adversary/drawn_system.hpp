// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Random systems with limits for the adversary: those of tests/support/random_system with data that passes along their
/// chains, and with requirements, timing constraints and limits of chains that are as tight as the product still
/// guarantees. What is drawn depends on the seed and the number of the system alone; how tight a limit is also depends on
/// what the product says.

#include <cstdint>
#include <optional>

#include "engine/analysis.hpp"
#include "tests/support/random_system.hpp"

namespace adversary {

struct DrawnSystem {
  test::RandomSystem random;
  amalthea::engine::Communication communication = amalthea::engine::Communication::implicit;
  bool for_offsets = false;  ///< bounds may hold for the stated offsets only

  /// With which the system is analyzed. Refers to `random`.
  amalthea::engine::AnalysisOptions options() const;
};

constexpr std::uint32_t first_sharing = 1'000'000;
/// Systems of different themes in turn: any two features; what concerns one core, several cores, events, semaphores, a
/// GPU, data. From `first_sharing` on, kernels with instructions share SMs.
DrawnSystem draw_system(std::uint32_t seed, std::uint32_t number);

}  // namespace adversary
