// SPDX-License-Identifier: Apache-2.0
#include "exporter/gpu/answers.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exporter/primitives/svg.hpp"

namespace amalthea::exporter {
namespace {

namespace nvidia = engine::nvidia;
using nvidia::SameSm;
using svg::number;
using svg::pixel;

constexpr std::array<char, 4> cell_letters = {'.', '#', 'r', 'e'};

struct SameSmCells {
  std::vector<std::vector<SameSm>> rows;
  std::array<std::int64_t, 4> cells{};
};

SameSmCells cells_of(const nvidia::SameSmQuestion& question) {
  SameSmCells result{nvidia::same_sm_matrix(question), {}};
  for (const auto& row : result.rows)
    for (const SameSm cell : row) ++result.cells[static_cast<std::size_t>(cell)];
  return result;
}

/// What the SMs hold before the block of x warps.
std::string state_of(const nvidia::SameSmQuestion& question) {
  if (question.held == question.others)
    return question.held == 0 ? std::string("idle SMs") : fmt::format("every SM holds {} warps", question.held);
  return fmt::format("the SM of x holds {} warps before, every other SM {}", question.held, question.others);
}

std::string sentence_of(const nvidia::SameSmQuestion& question, const SameSmCells& counts) {
  return fmt::format("Same SM in {} of {} cells", counts.cells[1] + counts.cells[2], question.size * question.size);
}

}  // namespace

std::string render_text(const nvidia::SameSmQuestion& question, bool) {
  const SameSmCells counts = cells_of(question);
  std::string out =
      fmt::format("SMs of {} warps; {}\nrows: x warps of the first block; columns: y warps of the next\n\n   ",
                  question.warps, state_of(question));
  for (std::int64_t y = 1; y <= question.size; ++y) out += fmt::format("{}", y % 10);
  out += '\n';
  for (std::size_t x = 0; x < counts.rows.size(); ++x) {
    out += fmt::format("{:>2} ", x + 1);
    for (const SameSm cell : counts.rows[x]) out += cell_letters[static_cast<std::size_t>(cell)];
    out += '\n';
  }
  out += fmt::format("\n# same SM: {} of {} cells\n", counts.cells[1], question.size * question.size);
  if (counts.cells[2] > 0) out += fmt::format("r same SM by the rule only: {}\n", counts.cells[2]);
  if (counts.cells[3] > 0)
    out += fmt::format("e same SM by the printed equations only: {} (--ties stream follows them)\n", counts.cells[3]);
  return out;
}

std::string render_json(const nvidia::SameSmQuestion& question) {
  const SameSmCells counts = cells_of(question);
  nlohmann::ordered_json json;
  json["warps"] = question.warps;
  json["held"] = question.held;
  json["held_by_others"] = question.others;
  json["same"] = counts.cells[1] + counts.cells[2];
  json["only_by_rule"] = counts.cells[2];
  json["only_by_equations"] = counts.cells[3];
  json["rows"] = nlohmann::ordered_json::array();
  for (const auto& row : counts.rows) {
    std::string cells;
    for (const SameSm cell : row) cells += cell == SameSm::same || cell == SameSm::by_rule ? '1' : '0';
    json["rows"].push_back(cells);
  }
  return json.dump(2) + "\n";
}

std::string render_same_sm_svg(const nvidia::SameSmQuestion& question) {
  constexpr std::int64_t cell_size = 22 * pixel, left = 50 * pixel, top = 76 * pixel;
  constexpr std::array<std::string_view, 4> fills = {"#fff", "#56B4E9", "#009E73", "#E69F00"};
  const SameSmCells counts = cells_of(question);
  std::string body = fmt::format(
      "<text x=\"{0}\" y=\"24\" font-size=\"15\" font-weight=\"bold\">Blocks that join the SM of an earlier "
      "block</text>\n"
      "<text x=\"{0}\" y=\"44\" fill=\"#444\">SMs of {1} warps; {2}. {3}. Numbers: warps that remain on the "
      "SM</text>\n",
      number(left), question.warps, state_of(question), sentence_of(question, counts));
  const auto label = [](std::int64_t x, std::int64_t y, std::int64_t value, std::string_view fill) {
    return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"10\" fill=\"{}\">{}</text>\n",
                       number(x), number(y), fill, value);
  };
  for (std::int64_t y = 1; y <= question.size; ++y)
    body += label(left + (2 * y - 1) * cell_size / 2, top - 6 * pixel, y, "#000");
  for (std::int64_t x = 1; x <= question.size; ++x) {
    const std::int64_t row = top + (x - 1) * cell_size;
    body += label(left - 14 * pixel, row + 15 * pixel, x, "#000");
    for (std::int64_t y = 1; y <= question.size; ++y) {
      const auto cell = counts.rows[static_cast<std::size_t>(x - 1)][static_cast<std::size_t>(y - 1)];
      const std::int64_t column = left + (y - 1) * cell_size;
      body += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#ccc\"/>\n",
                          number(column), number(row), number(cell_size), number(cell_size),
                          fills[static_cast<std::size_t>(cell)]);
      body += label(column + cell_size / 2, row + 15 * pixel, question.warps - question.held - x, "#444");
    }
  }
  const std::int64_t width = std::max(left + question.size * cell_size + 20 * pixel, 900 * pixel);
  return svg::head(width, top + question.size * cell_size + 20 * pixel) + body + "</svg>\n";
}

}  // namespace amalthea::exporter
