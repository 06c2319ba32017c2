// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What findings about a model mean for its verdict (docs/reference/verdicts.md): some mean that part of the model was
/// not judged, others that something was assumed. This is the only table for both.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/diagnostic.hpp"

namespace amalthea::engine {

enum class Consequence : std::uint8_t {
  none,         ///< the result is unaffected
  assumption,   ///< the result holds under an assumption that many sound models call for
  replacement,  ///< the result is about a modified model, because the user asked for that
  unknown,      ///< something that takes time or limits it was not judged, or only in part
};

/// Which parts of the model a finding may concern beside the one that its element is or belongs to.
enum class Reach : std::uint8_t {
  element,  ///< none
  links,    ///< what the element refers to; any part if it links its process to something unknown
  content,  ///< any part if the element has no content, because that may have been a link
};

struct FindingConsequence {
  std::string_view id;  ///< e.g. "AM0402"
  Consequence consequence = Consequence::none;
  /// For an assumption or replacement: a phrase for one item and one for several; "{}" stands for the number. Without
  /// a phrase for one item, its message is used.
  std::string_view one = {};
  std::string_view several = {};
  Reach reach = Reach::element;
};

/// Ordered by id. Findings without an entry have no consequence, except errors: they always make the verdict unknown.
std::span<const FindingConsequence> finding_consequences();
/// By severity and id.
Consequence consequence_of(const Diagnostic& finding);
Reach reach_of(const Diagnostic& finding);

/// One kind of assumption or replacement.
struct Assumption {
  std::string id;           ///< id of its findings
  std::uint64_t count = 0;  ///< number of affected items
  std::string text;         ///< "12 label accesses take no time (no memory mapping)"
  Location location;        ///< of the first finding
};
/// One entry for all findings with this consequence, ordered by id.
std::vector<Assumption> assumptions_with(const Diagnostics& findings, Consequence consequence);

}  // namespace amalthea::engine
