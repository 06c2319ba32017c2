// SPDX-License-Identifier: Apache-2.0
#include "amalthea/made_text.hpp"

#include <charconv>

#include <fmt/core.h>

namespace amalthea {
namespace {

constexpr std::string_view opening = "<!-- At ";

}  // namespace

std::string made_from_comment(std::string_view path) {
  std::string name(path);
  for (std::size_t at = 0; (at = name.find("--", at)) != std::string::npos;)
    name.insert(at + 1, 1, ' ');  // as XML wants it
  return fmt::format(" Made from {} ", name);
}

std::string origin_comment(std::size_t line, std::size_t column) { return fmt::format(" At {}:{} ", line, column); }

std::optional<MadeFrom> place_made_from(std::string_view path, std::string_view text, std::size_t offset) {
  constexpr std::string_view declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- Made from ";
  if (!text.starts_with(declaration) || !text.substr(declaration.size() - 11).starts_with(made_from_comment(path)))
    return std::nullopt;
  MadeFrom place;
  const std::size_t comment = text.rfind(opening, offset);
  if (comment == std::string_view::npos) return place;
  const char* const end = text.data() + text.size();
  const auto line = std::from_chars(text.data() + comment + opening.size(), end, place.line);
  if (line.ptr != end) std::from_chars(line.ptr + 1, end, place.column);
  return place;
}

}  // namespace amalthea
