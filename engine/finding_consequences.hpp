// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What findings about a model mean for its verdict (docs/reference/verdicts.md): some say that part of the model was not judged,
/// others that something was assumed. The one table of both.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/diagnostic.hpp"

namespace amalthea::engine {

enum class Consequence : std::uint8_t {
  none,         ///< the result stands as it is
  assumption,   ///< the result holds under an assumption that many sound models call for
  replacement,  ///< the result is about something else than the model says, because that was asked for
  unknown,      ///< something that takes time or limits it was not, or not wholly, judged
};

struct FindingConsequence {
  std::string_view id;  ///< of the finding, e.g. "AM0402"
  Consequence consequence = Consequence::none;
  /// Of an assumption or replacement: what is assumed or replaced, in a phrase for one thing and in one for several, in
  /// which "{}" is the number.
  std::string_view one = {};
  std::string_view several = {};
};

/// By id. Findings that are not in it have no consequence, but that errors always make the verdict unknown.
std::span<const FindingConsequence> finding_consequences();
/// By severity and id.
Consequence consequence_of(const Diagnostic& finding);

/// Something that was assumed or replaced, once per kind.
struct Assumption {
  std::string id;           ///< of its findings
  std::uint64_t count = 0;  ///< of the things that it was assumed of
  std::string text;         ///< "12 label accesses take no time (no memory mapping)"
  Location location;        ///< of the first finding
};
/// Of all findings with this consequence, in the order of their ids.
std::vector<Assumption> assumptions_with(const Diagnostics& findings, Consequence consequence);

}  // namespace amalthea::engine
