// SPDX-License-Identifier: Apache-2.0
#include "exporter/primitives/curves.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "exporter/primitives/svg.hpp"

namespace amalthea::exporter {
namespace {

using svg::number;
using svg::pixel;

constexpr std::int64_t curve_left = 80 * pixel;
constexpr std::int64_t curve_top = 66 * pixel;
constexpr std::int64_t curve_width = 720 * pixel;
constexpr std::int64_t curve_height = 360 * pixel;

/// One linear axis with a grid of round numbers.
struct Axis {
  double least = 0;
  double most = 1;
  double step = 1;

  std::int64_t place(double value, std::int64_t length) const {
    return std::llround((value - least) / (most - least) * static_cast<double>(length));
  }
};

/// About six steps of 1, 2 or 5 times a power of ten, which cover both values.
Axis axis_of(double least, double most) {
  if (!(most > least)) most = least + 1;
  const double rough = (most - least) / 6;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  Axis axis;
  axis.step = power * (rough / power > 5 ? 10 : rough / power > 2 ? 5 : rough / power > 1 ? 2 : 1);
  axis.least = std::floor(least / axis.step) * axis.step;
  axis.most = std::ceil(most / axis.step) * axis.step;
  return axis;
}

std::string curve_text(std::int64_t x, std::int64_t y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", number(x), number(y), anchor,
                     svg::escaped(text));
}

/// Curves beyond the eighth are dashed.
std::string curve_stroke(std::size_t curve) {
  return fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"{}", svg::paint_of(curve).fill,
                     curve >= svg::paints.size() ? " stroke-dasharray=\"5 4\"" : "");
}

}  // namespace

std::string render_curves_svg(const CurveDrawing& drawing) {
  double left = drawing.curves.front().points.front().first, right = left;
  double low = drawing.curves.front().points.front().second, high = low;
  for (const Curve& curve : drawing.curves)
    for (const auto& [x, y] : curve.points) {
      left = std::min(left, x);
      right = std::max(right, x);
      low = std::min(low, y);
      high = std::max(high, y);
    }
  const Axis horizontal = axis_of(left, right);
  const Axis vertical = axis_of(drawing.from_zero ? std::min(0.0, low) : low, high);
  const auto x_of = [&](double x) { return curve_left + horizontal.place(x, curve_width); };
  const auto y_of = [&](double y) { return curve_top + curve_height - vertical.place(y, curve_height); };
  const std::int64_t bottom = curve_top + curve_height;

  std::string body = fmt::format(
      "<text x=\"{0}\" y=\"24\" font-size=\"15\" font-weight=\"bold\">{1}</text>\n<text x=\"{0}\" y=\"44\" "
      "fill=\"#444\">{2}</text>\n",
      number(curve_left), svg::escaped(drawing.title), svg::escaped(drawing.subtitle));
  for (double y = vertical.least; y <= vertical.most + vertical.step / 2; y += vertical.step) {
    body += fmt::format("<path d=\"M{} {}H{}\" stroke=\"#ddd\"/>\n", number(curve_left), number(y_of(y)),
                        number(curve_left + curve_width));
    body += curve_text(curve_left - 6 * pixel, y_of(y) + 4 * pixel, "end", fmt::format("{:.6g}", y));
  }
  for (double x = horizontal.least; x <= horizontal.most + horizontal.step / 2; x += horizontal.step) {
    body +=
        fmt::format("<path d=\"M{} {}V{}\" stroke=\"#ddd\"/>\n", number(x_of(x)), number(curve_top), number(bottom));
    body += curve_text(x_of(x), bottom + 18 * pixel, "middle", fmt::format("{:.6g}", x));
  }
  body += curve_text(curve_left + curve_width / 2, bottom + 38 * pixel, "middle", drawing.x_label);
  body += curve_text(curve_left, curve_top - 8 * pixel, "start", drawing.y_label);
  std::int64_t x = curve_left, y = bottom + 64 * pixel;
  for (std::size_t index = 0; index < drawing.curves.size(); ++index) {
    const Curve& curve = drawing.curves[index];
    std::string points;
    for (std::size_t point = 0; point < curve.points.size(); ++point) {
      const auto& [at, value] = curve.points[point];
      if (curve.is_step && point > 0)
        points += fmt::format(" {},{}", number(x_of(at)), number(y_of(curve.points[point - 1].second)));
      points += fmt::format("{}{},{}", points.empty() ? "" : " ", number(x_of(at)), number(y_of(value)));
    }
    body += fmt::format("<polyline points=\"{}\" {}/>\n", points, curve_stroke(index));
    const std::int64_t width = 50 * pixel + svg::letters(curve.name) * svg::letter_width;
    if (x > curve_left && x + width > curve_left + curve_width) {
      x = curve_left;
      y += 22 * pixel;
    }
    body += fmt::format("<path d=\"M{} {}H{}\" {}/>\n", number(x), number(y - 4 * pixel), number(x + 28 * pixel),
                        curve_stroke(index));
    body += curve_text(x + 34 * pixel, y, "start", curve.name);
    x += width;
  }
  return svg::head(curve_left + curve_width + 40 * pixel, y + 16 * pixel) + body + "</svg>\n";
}

}  // namespace amalthea::exporter
