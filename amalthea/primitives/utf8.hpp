// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Converts text from files in other encodings.

#include <string>

#include "amalthea/source_text.hpp"

namespace amalthea {

/// A part of a file in UTF-8, whatever the declared encoding of the file. Drops invalid bytes.
std::string utf8(const SourceText& source, Span span);

}  // namespace amalthea
