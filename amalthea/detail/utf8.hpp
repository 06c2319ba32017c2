// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The text of files that are in other encodings.

#include <string>

#include "amalthea/source_text.hpp"

namespace amalthea {

/// A part of a file in UTF-8, whatever the encoding that the file declares. Bytes that are no text in it are left out.
std::string utf8(const SourceText& source, Span span);

}  // namespace amalthea
