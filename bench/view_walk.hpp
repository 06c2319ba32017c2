// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Reads a whole model through the typed views, as a tool would that wants to know everything.

#include <cstddef>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"

namespace amalthea::bench {

/// Returns how many things the views gave, so that no work can be left out.
std::size_t walk_views(const Model& model, Diagnostics& diagnostics);

}  // namespace amalthea::bench
