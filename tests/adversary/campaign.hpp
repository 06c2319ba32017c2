// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Attacks on many drawn systems, what came of them, and broken guarantees as files that can be replayed.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/adversary/attack.hpp"
#include "tests/adversary/drawn_system.hpp"
#include "tests/adversary/guarantees.hpp"

namespace adversary {

/// A guarantee that a behaviour breaks. `seed` and `number` are of the drawn system, which has the profile of the GPUs and
/// the options of the analysis; the model may be a smaller one.
struct Broken {
  std::uint32_t seed = 0, number = 0;
  std::string amxmi;
  Guarantee guarantee;
  std::string seen;
  reference::Time until = 0;
  reference::Behaviour behaviour;
};

struct Counts {
  std::uint64_t systems = 0, guarantees = 0, attacked = 0, broken = 0, reached = 0;
};

struct Campaign {
  std::uint64_t systems = 0, executions = 0;
  std::map<std::string, Counts> of_feature;           ///< of systems that have it
  std::map<std::string, Counts> of_kind;              ///< kind of guarantee, and where it was stated
  std::map<std::string, std::uint64_t> not_attacked;  ///< why, and how many systems
  std::map<std::string, std::uint64_t> unmeasured;    ///< kinds of guarantees of which no execution showed a value
  std::vector<Broken> broken;

  std::string text() const;  ///< tables
};

/// Systems [first, first + count) of the seed. `found` is called with every broken guarantee; false ends the campaign.
Campaign attack_systems(std::uint32_t seed, std::uint32_t first, std::uint32_t count, const AttackOptions& options,
                        const std::function<bool(const Broken&)>& found = {});

/// The smallest system that was found for which the product states the guarantee, and a behaviour that breaks it.
Broken shrunk(const Broken& broken, const AttackOptions& options, int attempts = 400);

/// What a replay needs beside the model: its first lines state the guarantee, the others are answers.
std::string behaviour_text(const Broken& broken);
Broken broken_of(std::string amxmi, const std::string& behaviour);

/// Whether the product still states the guarantee, and what the behaviour shows.
struct Replayed {
  bool stated = false, broken = false;
  std::string text;
};
Replayed replay(const Broken& broken);

}  // namespace adversary
