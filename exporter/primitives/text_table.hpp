// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Aligned columns for terminals and plain text.

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/time.hpp"

namespace amalthea::exporter {

enum class Align : std::uint8_t { left, right };
enum class Colour : std::uint8_t { none, good, bad, dim, bold };

/// `text` between ANSI codes, or unchanged if `enabled` is false.
std::string paint(std::string_view text, Colour colour, bool enabled);

/// visible_text(text), except for the codes of `paint`.
std::string visible_painted_text(std::string_view text);

/// Escapes `text` for Markdown, including tables, on one line. "@" before a name, which calls a person, is spelled out.
std::string markdown_text(std::string_view text);

/// "1 error", "3 errors".
std::string counted(std::size_t count, std::string_view noun);

/// An empty line and a title in bold.
std::string heading(std::string_view title, bool colour);

/// The unit of the times in a table: ms, or us where all are below 1 ms.
class TableUnit {
 public:
  explicit TableUnit(Duration longest = Duration::milliseconds(1)) : is_ms_(longest >= Duration::milliseconds(1)) {}
  const char* name() const { return is_ms_ ? "ms" : "us"; }
  Duration size() const { return is_ms_ ? Duration::milliseconds(1) : Duration::microseconds(1); }
  /// Three decimals.
  std::string time(Duration value, Rounding rounding = Rounding::nearest) const;

 private:
  bool is_ms_;
};

/// A time within a sentence, with at most three decimals: "13.643 ms"; in us below 10 us.
std::string shown_time(Duration value, Rounding rounding);

class TextTable {
 public:
  struct Column {
    std::string title;
    Align align = Align::left;
  };
  struct Cell {
    std::string text;
    Colour colour = Colour::none;
    std::string link = {};  ///< where HTML leads to from here; "": nowhere
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// Columns by their titles; ">" before a title aligns its column to the right.
  template <typename... Titles>
  static TextTable of(const Titles&... titles) {
    return TextTable({column(titles)...});
  }
  /// One cell per column.
  void add_row(std::vector<Cell> cells) {
    for (Cell& cell : cells) cell.text = one_line(cell.text);
    rows_.push_back(std::move(cells));
  }
  /// The same of texts, whole numbers and cells.
  template <typename... Cells>
  void add(const Cells&... cells) {
    add_row({cell(cells)...});
  }
  bool empty() const { return rows_.empty(); }
  /// Widths count code points. No trailing blanks.
  std::string render(bool colour) const;
  /// As a table in GitHub's Markdown; good and bad cells in bold.
  std::string markdown() const;
  /// As an HTML table; good and bad cells have the class of that name.
  std::string html() const;

  /// The same for rows that are not stored: `row` creates the i-th of `count`, and is called twice for each if widths
  /// are needed. The text goes to `sink` line by line.
  using Rows = std::function<std::vector<Cell>(std::size_t)>;
  using Sink = std::function<void(std::string_view)>;
  static void render(const std::vector<Column>& columns, std::size_t count, const Rows& row, bool colour,
                     const Sink& sink);
  static void markdown(const std::vector<Column>& columns, std::size_t count, const Rows& row, const Sink& sink);
  /// `kind`: its class, or "".
  static void html(const std::vector<Column>& columns, std::size_t count, const Rows& row, std::string_view kind,
                   const Sink& sink);

 private:
  static Column column(std::string_view title) {
    const bool right = title.starts_with('>');
    return {std::string(title.substr(right ? 1 : 0)), right ? Align::right : Align::left};
  }
  static Column column(Column column) { return column; }
  static Cell cell(std::string_view text) { return {std::string(text)}; }
  static Cell cell(std::integral auto number) { return {std::to_string(number)}; }
  static Cell cell(Cell cell) { return cell; }

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace amalthea::exporter
