// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The positions of the tags of a well-formed document, in step with the events of a parser.
///
/// The parser decides what is well-formed and what a value is. The scanner only finds, in the bytes that the parser has
/// already accepted, the tag of its next event. It knows just enough XML for that: it skips comments, CDATA sections
/// and processing instructions, and respects quotes.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "amalthea/source_text.hpp"

namespace amalthea::importer {

class TagScanner {
 public:
  enum class Kind : std::uint8_t { start, self_closing, end, declaration, none };

  struct Tag {
    Kind kind = Kind::none;  ///< declaration: `<!DOCTYPE`, which ends the scan; none: no further tag
    Span span;
  };

  struct Attribute {
    Span name;   ///< as written, with its prefix
    Span value;  ///< between the quotes
    bool plain;  ///< the value equals its bytes: ASCII without references and without white space except blanks
  };

  explicit TagScanner(const SourceText& source) : source_(source), at_(source.bom_size()) {}

  /// Moves to the next tag. Afterwards attributes() returns the attributes of a start tag.
  Tag next();

  /// Attributes of the last start tag as written, including namespace declarations. Empty for UTF-16 text, where no
  /// value can be used directly.
  const std::vector<Attribute>& attributes() const { return attributes_; }

 private:
  /// The end of markup that begins here and is no tag (`<!-- -->`, `<![CDATA[ ]]>`, `<? ?>`), or nothing.
  std::optional<std::uint32_t> past_other_markup(std::uint32_t at) const;
  bool matches_at(std::uint32_t at, std::string_view text) const;
  std::uint32_t past(std::uint32_t at, std::string_view text) const;
  Tag read_start_tag(std::uint32_t begin);

  const SourceText& source_;
  std::uint32_t at_;
  std::vector<Attribute> attributes_;
};

}  // namespace amalthea::importer
