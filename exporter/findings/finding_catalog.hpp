// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// All kinds of findings: id, severity, explanation. The single source is docs/reference/diagnostics.md, which is built
/// in.

#include <string>
#include <string_view>
#include <vector>

#include "amalthea/diagnostic.hpp"

namespace amalthea::exporter {

struct FindingKind {
  std::string_view id;  ///< "AM0203"
  Severity severity = Severity::error;
  /// for the verdict: "assumption", "unknown" or ""; errors always make it unknown
  std::string_view consequence = {};
  std::string_view explanation;  ///< meaning and remedy; one or several sentences
  std::string_view chapter;      ///< "Structure and references"

  /// The first sentence of the explanation.
  std::string_view summary() const;
};

/// All kinds, by id.
const std::vector<FindingKind>& finding_catalog();

/// Where to read about it: the chapter of docs/reference/diagnostics.md below `homepage`, where the repository is shown on
/// the web. A homepage that is a name and no address gives a name.
std::string help_uri(std::string_view homepage, const FindingKind& kind);

/// Index in finding_catalog(), or its size for an unknown id.
std::size_t find_finding_kind(std::string_view id);

}  // namespace amalthea::exporter
