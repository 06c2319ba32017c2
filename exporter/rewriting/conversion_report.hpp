// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A report of a conversion, for people and for programs.

#include <string>
#include <vector>

#include "migration/record.hpp"
#include "migration/release.hpp"

namespace amalthea::exporter {

struct Conversion {
  std::vector<std::string> files;
  migration::Release from, to;
  std::size_t objects_before = 0;  ///< number of objects in the model, over all files
  std::size_t objects_after = 0;
  const migration::Record& record;
  const Diagnostics& findings;
};

/// A paragraph per rule that changed something: its meaning, the number of changes, and the locations (as far as
/// recorded).
std::string render_conversion_text(const Conversion& input);

/// The same as one JSON object, `amalthea-conversion/1` (docs/reference/convert.md); on one line and without locations
/// if `compact`.
std::string render_conversion_json(const Conversion& input, bool compact = false);

}  // namespace amalthea::exporter
