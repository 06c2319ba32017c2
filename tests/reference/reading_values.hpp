// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Values of XML elements and attributes.

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <pugixml.hpp>

#include "reference/model.hpp"

namespace reference {

using Node = pugi::xml_node;

std::vector<std::string> words(std::string_view text);
/// Names in references are form-url-encoded (spec/amalthea.md, 2).
std::string encoded(std::string_view name);
std::string text_of(const Node&, const char* attribute);
std::string type_of(const Node&);
/// Where a node is, for Refused.
std::string at(const Node&);

/// Refuses what is not known, in this element and all below. Names mean the same in all classes, with a few exceptions.
void check(const Node&);

std::int64_t whole_of(const std::string& text, const std::string& where);
std::int64_t whole(const Node&, const char* name, std::int64_t otherwise);
double real(const Node&, const char* name, double otherwise);
bool truth(const Node&, const char* name, bool otherwise);
/// A time as text, such as "7200us" or "5 ms".
Time time_of(const std::string& text, const std::string& where);
Time time_of(const Node&);
Time time_of(const Node& parent, const char* name, Time otherwise);
/// Bytes, or bytes per second.
std::int64_t bytes_of(const Node&);
/// S-time-2: every distribution with two bounds is the range between them.
Range range_of(const Node&);

/// The place of the word among the names; "-" stands for no word.
std::size_t place_of(const std::string& where, const std::string& word, std::string_view names);
template <class T>
T pick(const std::string& where, const std::string& word, std::string_view names, std::initializer_list<T> values) {
  return values.begin()[place_of(where, word, names)];
}

}  // namespace reference
