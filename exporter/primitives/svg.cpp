// SPDX-License-Identifier: Apache-2.0
#include "exporter/primitives/svg.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "exporter/primitives/drawing.hpp"

namespace amalthea::exporter::svg {
namespace {

constexpr std::size_t hatches = 3;

}  // namespace

std::string number(std::int64_t hundredths) { return decimal(hundredths, 2); }

std::string escaped(std::string_view text) {
  std::string out;
  for (const char character : printable(text)) switch (character) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += character;
    }
  return out;
}

std::int64_t letters(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; });
}

std::string head(std::int64_t width, std::int64_t height) {
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<defs>\n",
      number(width), number(height));
  constexpr std::array<std::string_view, hatches> lines = {"M0 8L8 0", "M0 0L8 8", "M4 0L4 8"};
  for (std::size_t hatch = 0; hatch < hatches; ++hatch)
    out += fmt::format(
        "<pattern id=\"h{}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\"><path d=\"{}\" stroke=\"#000\" "
        "stroke-opacity=\"0.5\" stroke-width=\"1.5\"/></pattern>\n",
        hatch + 1, lines[hatch]);
  return out + "</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
}

std::string rectangle(std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height, std::size_t colour,
                      std::string_view style) {
  const std::string place = fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", number(x), number(y),
                                        number(std::max<std::int64_t>(width, pixel / 2)), number(height));
  std::string out = fmt::format("<rect {} fill=\"{}\" {}/>", place, paint_of(colour).fill, style);
  if (const std::size_t cycle = colour / paints.size(); cycle > 0)
    out += fmt::format("<rect {} fill=\"url(#h{})\"/>", place, (cycle - 1) % hatches + 1);
  return out;
}

}  // namespace amalthea::exporter::svg
