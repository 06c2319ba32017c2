// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Reads a whole model through the typed views, like a tool that needs everything.

#include <cstddef>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"

namespace amalthea::bench {

/// Returns the number of items in the views, so that the compiler cannot omit any work.
std::size_t walk_views(const Model& model, Diagnostics& diagnostics);

}  // namespace amalthea::bench
