// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a conversion did, for people and for programs.

#include <string>
#include <vector>

#include "migration/record.hpp"
#include "migration/release.hpp"

namespace amalthea::exporter {

struct Conversion {
  std::vector<std::string> files;
  migration::Release from, to;
  std::size_t objects_before = 0;  ///< in the model, all files together
  std::size_t objects_after = 0;
  const migration::Record& record;
  const Diagnostics& findings;
};

/// A paragraph per rule that did something: what it is about, how often, and where (as many places as were recorded).
std::string render_conversion_text(const Conversion& input);

/// The same as one JSON object, `amalthea-conversion/1` (docs/reference/convert.md); one line when `compact`, then without
/// places.
std::string render_conversion_json(const Conversion& input, bool compact = false);

}  // namespace amalthea::exporter
