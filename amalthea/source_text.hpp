// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The bytes of one model file, and the positions of its lines.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/location.hpp"

namespace amalthea {

enum class Encoding : std::uint8_t {
  /// one byte per ASCII character, and no ASCII byte with another meaning: UTF-8, ISO-8859-x, …
  ascii_superset,
  utf16_le,
  utf16_be,
};

/// ASCII text in the encoding of a file.
std::string encode_ascii(std::string_view ascii, Encoding encoding);

/// A half-open range of byte offsets into a SourceText.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t size() const { return end - begin; }
  friend bool operator==(Span, Span) = default;
};

/// Whether a file with this name is a model: `model.amxmi`, and the parts of ITEA models, `model.amxmi-sw`, …
bool is_model_file_name(std::string_view path);

class SourceText {
 public:
  SourceText(std::string path, std::string bytes);

  const std::string& path() const { return path_; }
  std::string_view bytes() const { return bytes_; }
  std::string_view text(Span span) const { return bytes().substr(span.begin, span.size()); }
  Encoding encoding() const { return encoding_; }
  /// Length of the byte-order mark, 0 without one.
  std::uint32_t bom_size() const { return bom_size_; }

  /// Bytes per code unit: 1, or 2 in UTF-16.
  std::uint32_t unit() const { return encoding_ == Encoding::ascii_superset ? 1 : 2; }
  /// The ASCII character of the code unit at `offset`, 0 for any other character. The unit must be within the bytes.
  char ascii_at(std::uint32_t offset) const {
    if (encoding_ == Encoding::ascii_superset) return bytes_[offset];
    const bool little = encoding_ == Encoding::utf16_le;
    return bytes_[offset + (little ? 1U : 0U)] == 0 ? bytes_[offset + (little ? 0U : 1U)] : '\0';
  }

  /// The offset of the first `wanted` at or after `from`; the size of the text if there is none.
  std::uint32_t find(char wanted, std::uint32_t from) const;
  /// One past the '>' of the tag that begins at `begin`; '>' inside quotes does not count.
  std::uint32_t tag_end(std::uint32_t begin) const;

  /// Line and column of a byte offset. The first call indexes the text; not thread-safe.
  Location location(std::uint32_t offset) const;

 private:
  std::string path_;
  std::string bytes_;
  Encoding encoding_ = Encoding::ascii_superset;
  std::uint32_t bom_size_ = 0;
  /// A position with known line and column.
  struct Mark {
    std::uint32_t offset = 0;
    std::uint32_t line = 1;
    std::uint32_t column = 1;
  };
  void advance(Mark& mark, std::uint32_t to) const;
  mutable std::vector<Mark> marks_;  // at equal distances
};

}  // namespace amalthea
