// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The language of Graphviz.

#include <string>
#include <string_view>

namespace amalthea::exporter {

/// A text as an ID in double quotes; line breaks and other control characters become blanks.
std::string dot_quoted(std::string_view text);

}  // namespace amalthea::exporter
