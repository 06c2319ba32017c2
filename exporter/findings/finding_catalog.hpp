// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Every kind of finding there is: id, severity, explanation. The one source is docs/reference/diagnostics.md, which is built in.

#include <string_view>
#include <vector>

#include "amalthea/diagnostic.hpp"

namespace amalthea::exporter {

struct FindingKind {
  std::string_view id;  ///< "AM0203"
  Severity severity = Severity::error;
  std::string_view consequence = {};  ///< for a verdict: "assumption", "unknown" or ""; errors are always unknown
  std::string_view explanation;       ///< what it means, and what to do; one or several sentences
  std::string_view chapter;           ///< "Structure and references"

  /// The first sentence of the explanation.
  std::string_view summary() const;
};

/// All kinds, by id.
const std::vector<FindingKind>& finding_catalog();

/// Position in finding_catalog(), or its size for an id that is not known.
std::size_t find_finding_kind(std::string_view id);

}  // namespace amalthea::exporter
