// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Curves over two linear axes as an SVG drawing.

#include <string>
#include <utility>
#include <vector>

namespace amalthea::exporter {

struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< ascending in x; at least one
  bool is_step = false;                           ///< constant from a point to the next one
};

struct CurveDrawing {
  std::string title;
  std::string subtitle;
  std::string x_label;
  std::string y_label;
  bool from_zero = true;  ///< the vertical axis begins at zero
  std::vector<Curve> curves;
};

std::string render_curves_svg(const CurveDrawing& drawing);

}  // namespace amalthea::exporter
