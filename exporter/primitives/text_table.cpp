// SPDX-License-Identifier: Apache-2.0
#include "exporter/primitives/text_table.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/core.h>

#include "amalthea/primitives/visible_text.hpp"

#include "exporter/primitives/svg.hpp"

namespace amalthea::exporter {
namespace {

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string_view code_of(Colour colour) {
  constexpr std::array<std::string_view, 5> codes{"", "\x1b[32m", "\x1b[1;31m", "\x1b[2m", "\x1b[1m"};
  return codes[static_cast<std::size_t>(colour)];
}

constexpr std::string_view unpainted = "\x1b[0m";

using Column = TextTable::Column;
using Cell = TextTable::Cell;

std::string markdown_line(const std::vector<Cell>& cells) {
  std::string line = "|";
  for (const Cell& cell : cells) {
    const bool bold = cell.colour == Colour::good || cell.colour == Colour::bad;
    const char* mark = bold && !cell.text.empty() ? "**" : "";
    line += fmt::format(" {}{}{} |", mark, markdown_text(cell.text), mark);
  }
  return line + "\n";
}

/// `row` returns the cells of the i-th row, on one line each.
template <typename Row>
void each_markdown_line(const std::vector<Column>& columns, std::size_t count, const Row& row,
                        const TextTable::Sink& sink) {
  std::string head = "|";
  for (const Column& column : columns) head += fmt::format(" {} |", markdown_text(column.title));
  head += "\n|";
  for (const Column& column : columns) head += column.align == Align::right ? " ---: |" : " --- |";
  sink(head + "\n");
  for (std::size_t i = 0; i < count; ++i) sink(markdown_line(row(i)));
}

std::string html_cell(std::string_view tag, const Column& column, const Cell& cell) {
  std::string kind = column.align == Align::right ? "number" : "";
  if (cell.colour == Colour::good || cell.colour == Colour::bad)
    kind += fmt::format("{}{}", kind.empty() ? "" : " ", cell.colour == Colour::good ? "good" : "bad");
  const std::string text = svg::escaped(cell.text);
  return fmt::format(
      "<{}{}{}>{}</{}>", tag, kind.empty() ? "" : fmt::format(" class=\"{}\"", kind),
      tag == "th" ? std::string(" scope=\"col\"") : fmt::format(" data-label=\"{}\"", svg::escaped(column.title)),
      cell.link.empty() ? text : fmt::format("<a href=\"{}\">{}</a>", svg::escaped(cell.link), text), tag);
}

template <typename Row>
void each_html_line(const std::vector<Column>& columns, std::size_t count, const Row& row, std::string_view kind,
                    const TextTable::Sink& sink) {
  std::string head =
      fmt::format("<div class=\"wide\"><table{}>\n<thead><tr>", kind.empty() ? "" : fmt::format(" class=\"{}\"", kind));
  for (const Column& column : columns) head += html_cell("th", column, {column.title});
  sink(head + "</tr></thead>\n<tbody>\n");
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<Cell>& cells = row(i);
    std::string line = "<tr>";
    for (std::size_t column = 0; column < cells.size(); ++column)
      line += html_cell("td", columns[column], cells[column]);
    sink(line + "</tr>\n");
  }
  sink("</tbody>\n</table></div>\n");
}

/// A cell of a line that other text has begun, or that it begins.
std::string shown(const std::string& cell, bool begun) { return begun ? cell : line_start(cell); }

std::string aligned_line(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                         const std::vector<Cell>& cells, bool colour) {
  std::string line;
  std::string gap;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const std::string text = shown(cells[column].text, !line.empty());
    const std::string padding(widths[column] - width_of(text), ' ');
    const bool right = columns[column].align == Align::right;
    if (right) gap += padding;
    if (!text.empty()) {
      line += gap + paint(text, cells[column].colour, colour);
      gap.clear();
    }
    gap += (right ? "" : padding) + std::string(2, ' ');
  }
  return line + "\n";
}

template <typename Row>
void each_line(const std::vector<Column>& columns, std::size_t count, const Row& row, bool colour,
               const TextTable::Sink& sink) {
  std::vector<std::size_t> widths;
  std::vector<Cell> titles;
  for (const Column& column : columns) {
    widths.push_back(width_of(column.title));
    titles.push_back({column.title, Colour::bold});
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<Cell>& cells = row(i);
    bool begun = false;
    for (std::size_t column = 0; column < columns.size(); ++column) {
      widths[column] = std::max(widths[column], width_of(shown(cells[column].text, begun)));
      begun = begun || !cells[column].text.empty();
    }
  }
  sink(aligned_line(columns, widths, titles, colour));
  for (std::size_t i = 0; i < count; ++i) sink(aligned_line(columns, widths, row(i), colour));
}

std::vector<Cell> on_one_line(std::vector<Cell> cells) {
  for (Cell& cell : cells) cell.text = one_line(cell.text);
  return cells;
}

}  // namespace

std::string paint(std::string_view text, Colour colour, bool enabled) {
  if (!enabled || colour == Colour::none) return std::string(text);
  std::string painted(code_of(colour));
  painted.append(text).append(unpainted);
  return painted;
}

std::string visible_painted_text(std::string_view text) {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t at = text.find('\x1b'); at != text.npos; at = text.find('\x1b', at + 1)) {
    for (const std::string_view code :
         {code_of(Colour::good), code_of(Colour::bad), code_of(Colour::dim), code_of(Colour::bold), unpainted}) {
      if (!text.substr(at).starts_with(code)) continue;
      out += visible_text(text.substr(begin, at - begin));
      out += code;
      begin = at + code.size();
      break;
    }
  }
  return out + visible_text(text.substr(begin));
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string heading(std::string_view title, bool colour) {
  std::string text = "\n";
  return text.append(paint(line_start(title), Colour::bold, colour)).append("\n");
}

std::string markdown_text(std::string_view shown) {
  const std::string text = one_line(shown);
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const auto is_inside_word = [&](std::size_t at) {  // where an underscore has no meaning
    return at > 0 && at + 1 < text.size() && is_letter(text[at - 1]) && is_letter(text[at + 1]);
  };
  std::string escaped;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '@' && (at == 0 || !is_letter(text[at - 1]))) {  // no escape keeps it from calling a person
      escaped += "\\\\x40";
      continue;
    }
    const bool is_special = std::string_view("\\`*_[]<>|~#&").find(c) != std::string_view::npos;
    if (is_special && !(c == '_' && is_inside_word(at))) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string TableUnit::time(Duration value, Rounding rounding) const {
  const auto thousandths = scale(value, 1000, size().picoseconds(), rounding).picoseconds();
  return fmt::format("{}.{:03}", thousandths / 1000, thousandths % 1000);
}

std::string shown_time(Duration value, Rounding rounding) {
  const TableUnit unit(value < Duration::microseconds(10) ? value : Duration::milliseconds(1));
  std::string text = unit.time(value, rounding);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return fmt::format("{} {}", text, unit.name());
}

std::string TextTable::render(bool colour) const {
  std::string out;
  each_line(
      columns_, rows_.size(), [this](std::size_t i) -> const std::vector<Cell>& { return rows_[i]; }, colour,
      [&out](std::string_view text) { out += text; });
  return out;
}

std::string TextTable::markdown() const {
  std::string out;
  each_markdown_line(
      columns_, rows_.size(), [this](std::size_t i) -> const std::vector<Cell>& { return rows_[i]; },
      [&out](std::string_view text) { out += text; });
  return out;
}

void TextTable::render(const std::vector<Column>& columns, std::size_t count, const Rows& row, bool colour,
                       const Sink& sink) {
  each_line(
      columns, count, [&row](std::size_t i) { return on_one_line(row(i)); }, colour, sink);
}

std::string TextTable::html() const {
  std::string out;
  each_html_line(
      columns_, rows_.size(), [this](std::size_t i) -> const std::vector<Cell>& { return rows_[i]; }, "",
      [&out](std::string_view text) { out += text; });
  return out;
}

void TextTable::html(const std::vector<Column>& columns, std::size_t count, const Rows& row, std::string_view kind,
                     const Sink& sink) {
  each_html_line(
      columns, count, [&row](std::size_t i) { return on_one_line(row(i)); }, kind, sink);
}

void TextTable::markdown(const std::vector<Column>& columns, std::size_t count, const Rows& row, const Sink& sink) {
  each_markdown_line(
      columns, count, [&row](std::size_t i) { return on_one_line(row(i)); }, sink);
}

}  // namespace amalthea::exporter
