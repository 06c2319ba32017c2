// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Where the tags of a well-formed document stand, in step with a parser that tells of them one after the other.
///
/// The parser decides what is well-formed and what a value is; the scanner only finds, in the bytes the parser has
/// already accepted, the tag that belongs to its next event. It knows just enough of XML for that: comments, CDATA
/// sections and processing instructions are passed over, quotes are respected.

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
    bool plain;  ///< the value is its bytes: ASCII without references and without white space other than blanks
  };

  explicit TagScanner(const SourceText& source) : source_(source), at_(source.bom_size()) {}

  /// Moves to the next tag. The attributes of a start tag are in attributes() afterwards.
  Tag next();

  /// Attributes of the last start tag as written, namespace declarations included. Empty for UTF-16 text, where no
  /// value can be used as it stands.
  const std::vector<Attribute>& attributes() const { return attributes_; }

 private:
  /// Past the end of markup that begins here and is no tag (`<!-- -->`, `<![CDATA[ ]]>`, `<? ?>`), or nothing.
  std::optional<std::uint32_t> past_other_markup(std::uint32_t at) const;
  bool matches_at(std::uint32_t at, std::string_view text) const;
  std::uint32_t past(std::uint32_t at, std::string_view text) const;
  Tag read_start_tag(std::uint32_t begin);

  const SourceText& source_;
  std::uint32_t at_;
  std::vector<Attribute> attributes_;
};

}  // namespace amalthea::importer
