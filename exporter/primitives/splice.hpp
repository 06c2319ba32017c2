// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Changes a text at recorded positions and nowhere else.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/source_text.hpp"

namespace amalthea::exporter {

/// Replaces the bytes of `span` with `text`.
struct Splice {
  Span span;
  std::string text;
};

/// Splices must not overlap; several insertions at the same position keep the given order.
std::string apply(std::string_view bytes, std::vector<Splice> splices);

/// Those of the files of a model, by the positions of the documents.
using ModelSplices = std::map<std::uint32_t, std::vector<Splice>>;
/// The text of a file with its own.
std::string apply(const Document& document, const ModelSplices& splices);

/// UTF-8 text as the content of a double-quoted attribute, in ASCII: everything else as character references.
std::string escape_attribute(std::string_view utf8);

}  // namespace amalthea::exporter
