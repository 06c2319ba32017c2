// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Pieces of XML files as EMF writes them: two blanks per level, '>' and the apostrophe unescaped in attributes. Also
/// resolves character references.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace amalthea {

/// Resolves the five predefined entities and character references ("&#228;", "&#xE4;").
std::string unescaped(std::string_view written);

/// Appends a text, escaped for an attribute value.
void append_escaped(std::string& out, std::string_view text);
/// Appends ` name="value"`.
void append_attribute(std::string& out, std::string_view name, std::string_view value);
/// The name of an attribute that is kept as "{uri}name", with a prefix that is declared in `out` unless it is already:
/// `spaces` are the namespaces that the element has declared.
std::string append_foreign_name(std::string& out, std::string_view name, std::vector<std::string_view>& spaces);
/// Adds the blanks before an element of this depth.
void append_indent(std::string& out, std::size_t depth);
/// Appends comments, each on its own line.
void append_comments(std::string& out, const std::vector<std::string_view>& comments, std::size_t depth);

}  // namespace amalthea
