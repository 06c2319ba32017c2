#include "exporter/text_table.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/core.h>

namespace amalthea::exporter {
namespace {

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string_view code_of(Colour colour) {
  switch (colour) {
    case Colour::none:
      return "";
    case Colour::good:
      return "\x1b[32m";
    case Colour::bad:
      return "\x1b[1;31m";
    case Colour::dim:
      return "\x1b[2m";
    case Colour::bold:
      return "\x1b[1m";
  }
  return "";
}

}  // namespace

std::string paint(std::string_view text, Colour colour, bool enabled) {
  if (!enabled || colour == Colour::none) return std::string(text);
  std::string painted(code_of(colour));
  painted.append(text).append("\x1b[0m");
  return painted;
}

std::string heading(std::string_view title, bool colour) {
  std::string text = "\n";
  return text.append(paint(title, Colour::bold, colour)).append("\n");
}

std::string markdown_text(std::string_view text) {
  const auto is_inside_word = [text](std::size_t at) {  // where an underscore means nothing
    const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    return at > 0 && at + 1 < text.size() && is_letter(text[at - 1]) && is_letter(text[at + 1]);
  };
  std::string escaped;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool is_special = std::string_view("\\`*_[]<>|~#&").find(c) != std::string_view::npos;
    if (is_special && !(c == '_' && is_inside_word(at))) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string TextTable::markdown() const {
  std::string out = "|";
  for (const Column& column : columns_) out += fmt::format(" {} |", markdown_text(column.title));
  out += "\n|";
  for (const Column& column : columns_) out += column.align == Align::right ? " ---: |" : " --- |";
  out += "\n";
  for (const auto& row : rows_) {
    out += "|";
    for (const Cell& cell : row) {
      const bool bold = cell.colour == Colour::good || cell.colour == Colour::bad;
      const char* mark = bold && !cell.text.empty() ? "**" : "";
      out += fmt::format(" {}{}{} |", mark, markdown_text(cell.text), mark);
    }
    out += "\n";
  }
  return out;
}

std::string TextTable::render(bool colour) const {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    std::size_t width = width_of(columns_[column].title);
    for (const auto& row : rows_) width = std::max(width, width_of(row[column].text));
    widths.push_back(width);
  }
  std::string out;
  const auto add_line = [&](const std::vector<Cell>& cells) {
    std::string line;
    std::string gap;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const std::string padding(widths[column] - width_of(cells[column].text), ' ');
      const bool right = columns_[column].align == Align::right;
      if (right) gap += padding;
      if (!cells[column].text.empty()) {
        line += gap + paint(cells[column].text, cells[column].colour, colour);
        gap.clear();
      }
      gap += (right ? "" : padding) + std::string(2, ' ');
    }
    out += line + "\n";
  };
  std::vector<Cell> titles;
  for (const Column& column : columns_) titles.push_back({column.title, Colour::bold});
  add_line(titles);
  for (const auto& row : rows_) add_line(row);
  return out;
}

}  // namespace amalthea::exporter
