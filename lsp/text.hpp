// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The text of a document that an editor has open: positions as the protocol counts them, edits, and what became of the
/// places of an earlier text.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace amalthea::lsp {

/// What `character` of a position counts.
enum class PositionEncoding : std::uint8_t {
  utf16,  ///< 16-bit units of UTF-16, the protocol's default
  utf8,   ///< bytes
};

/// Line and character count from 0.
struct Position {
  std::size_t line = 0;
  std::size_t character = 0;
  friend bool operator==(Position, Position) = default;
};

/// Where the lines of a text begin. A line ends with "\n", "\r\n" or "\r". Every function takes the text. Conversions
/// of near places are fast even in a line of megabytes, because the last one is remembered: not thread-safe.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text);

  Position position(std::string_view text, std::size_t offset, PositionEncoding encoding) const;
  /// The byte offset of a position. A character behind the end of its line means the end, as in the protocol; so does a
  /// line behind the last one.
  std::size_t offset(std::string_view text, Position position, PositionEncoding encoding) const;
  /// Follows an edit: `text`, the text after it, has `inserted` bytes in place of those from `begin` to `end`.
  void replace(std::string_view text, std::size_t begin, std::size_t end, std::size_t inserted);

 private:
  std::vector<std::size_t> starts_;  ///< ascending; the first is 0
  struct Known {
    std::size_t start = 0, offset = 0, units = 0;  ///< UTF-16 units from the start of the line to the offset
  };
  mutable Known known_;
};

/// Text as the value of an attribute, in quotes of either kind.
std::string as_attribute(std::string_view text);

/// How one text became another: the regions in which they differ.
class Changes {
 public:
  /// In the new text, `inserted` bytes take the place of those from `begin` to `end`.
  void replace(std::size_t begin, std::size_t end, std::size_t inserted);

  /// The offset in the new text of a byte of the old text. Within a region that changed, an offset in that region.
  std::size_t begin_in_new(std::size_t old_offset) const;
  /// The same for the end of a span: text that was inserted there does not belong to the span.
  std::size_t end_in_new(std::size_t old_offset) const;
  /// The reverse of begin_in_new.
  std::size_t in_old(std::size_t new_offset) const;

 private:
  struct Region {
    std::size_t old_begin, old_end, new_begin, new_end;
  };
  std::vector<Region> regions_;  ///< ascending; the text between them did not change
};

}  // namespace amalthea::lsp
