// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "exporter/gpu/answers.hpp"
#include "exporter/primitives/svg.hpp"

namespace amalthea::exporter {
namespace {

namespace nvidia = engine::nvidia;
using svg::number;
using svg::pixel;

constexpr std::int64_t left_edge = 60 * pixel;
constexpr std::int64_t plot_width = 420 * pixel;
constexpr std::int64_t plot_gap = 70 * pixel;
constexpr std::int64_t top_edge = 76 * pixel;
constexpr std::int64_t plot_height = 300 * pixel;

/// Per mille; negative: the second kernel is faster than with GTO.
std::int64_t change_per_mille(const nvidia::WarpStudyRow& row) {
  return (row.second_response - row.second_response_gto) * 1000 / row.second_response_gto;
}

/// One curve: a policy with one budget.
struct PolicyCurve {
  const nvidia::WarpPolicy* policy = nullptr;
  std::int64_t budget = 0;
  std::string_view colour;
  bool dashed = false;  ///< its color is already used by another policy
  bool operator==(const nvidia::WarpStudyRow& row) const { return policy == row.policy && budget == row.budget; }
};

/// Policies without budgets have separate colors; otherwise the budget defines the color, and the first policy has the
/// solid line.
std::vector<PolicyCurve> curves_of(const std::vector<nvidia::WarpStudyRow>& rows) {
  constexpr std::array<std::size_t, 3> without = {7, 4, 6};
  constexpr std::array<std::size_t, 4> with = {0, 1, 2, 5};
  std::vector<PolicyCurve> curves;
  std::vector<std::int64_t> budgets;
  std::size_t plain = 0;
  const nvidia::WarpPolicy* first = nullptr;
  for (const auto& row : rows) {
    if (std::any_of(curves.begin(), curves.end(), [&row](const PolicyCurve& curve) { return curve == row; })) continue;
    PolicyCurve curve{row.policy, row.budget, "#000", false};
    if (row.budget == 0) {
      if (row.policy->name != "gto") curve.colour = svg::paint_of(without[plain++ % without.size()]).fill;
    } else {
      if (first == nullptr) first = row.policy;
      auto known = std::find(budgets.begin(), budgets.end(), row.budget);
      if (known == budgets.end()) known = budgets.insert(budgets.end(), row.budget);
      curve.colour = svg::paint_of(with[static_cast<std::size_t>(known - budgets.begin()) % with.size()]).fill;
      curve.dashed = row.policy != first;
    }
    curves.push_back(curve);
  }
  return curves;
}

std::string text_at(std::int64_t x, std::int64_t y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", number(x), number(y), anchor,
                     svg::escaped(text));
}

std::string stroke_of(const PolicyCurve& curve) {
  return fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}", curve.colour,
                     curve.dashed ? " stroke-dasharray=\"5 4\"" : "");
}

}  // namespace

std::string render_warp_study_svg(const WarpStudyAnswer& answer) {
  const auto& [study, rows] = answer;
  constexpr std::int64_t step = 100;  // per mille between the lines of the grid
  std::int64_t lowest = -step, highest = step;
  for (const auto& row : rows) {
    while (change_per_mille(row) < lowest) lowest -= step;
    while (change_per_mille(row) > highest) highest += step;
  }
  const auto y_of = [&](std::int64_t permille) {
    return top_edge + (highest - permille) * plot_height / (highest - lowest);
  };
  const std::vector<PolicyCurve> curves = curves_of(rows);
  const std::int64_t bottom = top_edge + plot_height;

  std::string body = fmt::format(
      "<text x=\"{}\" y=\"24\" font-size=\"15\" font-weight=\"bold\">Response of the second kernel against GTO</text>\n"
      "<text x=\"{}\" y=\"44\" fill=\"#444\">Two kernels of {} warps on one sub-core, mean of {} random programs; "
      "budget of the first kernel 1, of the second as named</text>\n",
      number(left_edge), number(left_edge), study.warps, study.programs);
  for (const bool homogeneous : {true, false}) {
    const std::int64_t origin = homogeneous ? left_edge : left_edge + plot_width + plot_gap;
    const auto x_of = [origin](std::int64_t permille) { return origin + permille * plot_width / 1000; };
    body += text_at(origin, top_edge - 10 * pixel, "start",
                    homogeneous ? "Both kernels alike" : "The first kernel computes (20 % stalls)");
    for (std::int64_t permille = lowest; permille <= highest; permille += step) {
      body += fmt::format("<path d=\"M{} {}H{}\" stroke=\"#ddd\"/>\n", number(origin), number(y_of(permille)),
                          number(origin + plot_width));
      body += text_at(origin - 6 * pixel, y_of(permille) + 4 * pixel, "end", fmt::format("{:+} %", permille / 10));
    }
    for (std::int64_t permille = 0; permille <= 1000; permille += 2 * step) {
      body += fmt::format("<path d=\"M{} {}V{}\" stroke=\"#ddd\"/>\n", number(x_of(permille)), number(top_edge),
                          number(bottom));
      body += text_at(x_of(permille), bottom + 18 * pixel, "middle", fmt::format("{} %", permille / 10));
    }
    body += text_at(origin + plot_width / 2, bottom + 38 * pixel, "middle", "share of stalls");
    for (const PolicyCurve& curve : curves) {
      std::string points;
      for (const auto& row : rows)
        if (row.homogeneous == homogeneous && curve == row)
          points += fmt::format("{}{},{}", points.empty() ? "" : " ", number(x_of(row.stall_share)),
                                number(y_of(change_per_mille(row))));
      body += fmt::format("<polyline points=\"{}\" {}/>\n", points, stroke_of(curve));
    }
  }
  std::int64_t x = left_edge, y = bottom + 66 * pixel;
  for (const PolicyCurve& curve : curves) {
    const std::string name = curve.budget == 0 ? std::string(curve.policy->name)
                                               : fmt::format("{}, budget {}", curve.policy->name, curve.budget);
    const std::int64_t width = 50 * pixel + svg::letters(name) * svg::letter_width;
    if (x + width > left_edge + 2 * plot_width + plot_gap) {
      x = left_edge;
      y += 22 * pixel;
    }
    body += fmt::format("<path d=\"M{} {}H{}\" {}/>\n", number(x), number(y - 4 * pixel), number(x + 28 * pixel),
                        stroke_of(curve));
    body += text_at(x + 34 * pixel, y, "start", name);
    x += width;
  }
  return svg::head(left_edge + 2 * plot_width + plot_gap + 30 * pixel, y + 16 * pixel) + body + "</svg>\n";
}

}  // namespace amalthea::exporter
