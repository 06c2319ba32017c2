// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "exporter/explanation/explanation_formats.hpp"
#include "exporter/primitives/drawing.hpp"
#include "exporter/primitives/svg.hpp"

namespace amalthea::exporter {
namespace {

using engine::Interval;
using engine::ProcessState;
using svg::letter_width;
using svg::number;
using svg::pixel;

class JobDrawing {
 public:
  JobDrawing(const ResultView& view, const engine::Explanation& explanation)
      : system_(view.system), result_(view.results.tasks[explanation.task]), explanation_(explanation) {}

  std::string render() {
    std::int64_t top = 64 * pixel;
    const std::int64_t rows_top = top;
    draw_own(top);
    top += row_height + 8 * pixel;
    std::map<UnitIndex, std::vector<const Interval*>> by_unit;
    for (const Interval& interval : explanation_.others) by_unit[*interval.unit].push_back(&interval);
    for (const Interval& interval : explanation_.own)
      if (interval.unit && system_.tasks[explanation_.task].side == Side::host)
        by_unit[*interval.unit].push_back(&interval);
    for (auto& [unit, intervals] : by_unit) draw_unit(unit, intervals, top);
    draw_axis(rows_top, top);
    top += 50 * pixel;
    draw_legend(top);
    const std::int64_t height = top + 8 * pixel;
    const Task& task = system_.tasks[explanation_.task];
    std::string title = fmt::format("{}: longest simulated job, {}", task.name, format_duration(length()));
    if (task.deadline) title += fmt::format(", deadline {}", format_duration(*task.deadline));
    return svg::head(left + plot + right, height) +
           fmt::format("<text x=\"{}\" y=\"24\" font-size=\"15\" font-weight=\"bold\">{}</text>\n", number(left),
                       svg::escaped(title)) +
           fmt::format("<text x=\"{}\" y=\"44\" fill=\"#444\">{}</text>\n", number(left),
                       svg::escaped(result_.reason)) +
           grid_ + body_ + "</svg>\n";
  }

 private:
  static constexpr std::int64_t left = 180 * pixel;
  static constexpr std::int64_t plot = 1000 * pixel;
  static constexpr std::int64_t right = 60 * pixel;
  static constexpr std::int64_t row_height = 26 * pixel;
  static constexpr std::int64_t bar_height = 22 * pixel;

  Duration length() const { return explanation_.completion - explanation_.release; }

  /// The plot ends a little after the deadline or the end of the job.
  Duration shown() const {
    const auto& deadline = system_.tasks[explanation_.task].deadline;
    const Duration longest = deadline ? std::max(length(), *deadline) : length();
    return std::max(longest, Duration::picoseconds(1));
  }

  std::int64_t x_of(Instant time) const {
    return left + amalthea::detail::divide(
                      static_cast<amalthea::detail::Int128>((time - explanation_.release).picoseconds()) * plot,
                      shown().picoseconds(), Rounding::nearest);
  }

  std::size_t colour_of(TaskIndex task) {
    const auto [found, added] = colours_.try_emplace(task, colours_.size());
    if (added) legend_.push_back(task);
    return found->second;
  }

  void name_row(std::string_view name, std::int64_t top, bool bold) {
    body_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\"{}>{}</text>\n", number(left - 8 * pixel),
                         number(top + 15 * pixel), bold ? " font-weight=\"bold\"" : "", svg::escaped(name));
    grid_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#f4f4f4\"/>\n", number(left),
                         number(top), number(plot), number(bar_height));
  }

  void draw_bar(Instant from, Instant to, std::size_t colour, std::string_view style, std::string_view title,
                std::string_view label, std::int64_t top) {
    const std::int64_t x = x_of(from), width = x_of(to) - x;
    if (width < 3 * pixel) style = style == pale ? "fill-opacity=\"0.3\"" : "";  // an outline would hide it
    body_ += fmt::format("<g><title>{}</title>{}", svg::escaped(title),
                         svg::rectangle(x, top, width, bar_height, colour, style));
    if (svg::letters(label) * letter_width + 4 * pixel <= width)
      body_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"{}\">{}</text>",
                           number(x + width / 2), number(top + 15 * pixel),
                           style.find("fill-opacity") == style.npos ? svg::paint_of(colour).text : "#000",
                           svg::escaped(label));
    body_ += "</g>\n";
  }

  std::string span_of(Instant from, Instant to) const {
    return fmt::format("{} to {} after the release", format_duration(from - explanation_.release),
                       format_duration(to - explanation_.release));
  }

  static constexpr std::string_view solid = "stroke=\"#333\" stroke-width=\"0.5\"";
  static constexpr std::string_view pale =
      "fill-opacity=\"0.3\" stroke=\"#666\" stroke-width=\"0.5\" stroke-dasharray=\"2 2\"";

  /// Its own activity in its color, waiting times pale in the color of the task that runs instead.
  void draw_own(std::int64_t top) {
    name_row(system_.tasks[explanation_.task].name, top, true);
    const std::size_t own = colour_of(explanation_.task);
    for (const Interval& interval : explanation_.own) {
      engine::Explanation one;
      one.own.push_back(interval);
      const std::string text = phases_of(system_, one).front().text;
      const auto by = interval.standing.reason.by;
      const bool works = interval.standing.state == ProcessState::running;
      draw_bar(interval.from, interval.to, works || !by ? own : colour_of(*by), works ? solid : pale,
               fmt::format("{}: {}", span_of(interval.from, interval.to), text), text, top);
    }
  }

  /// Uninterrupted activity of one task, over any number of activities.
  struct Stretch {
    TaskIndex task = 0;
    bool polls = false;
    Instant from;
    Instant to;
    std::size_t lane = 0;
  };

  static std::vector<Stretch> stretches_of(std::vector<const Interval*> intervals) {
    std::stable_sort(intervals.begin(), intervals.end(),
                     [](const Interval* a, const Interval* b) { return a->from < b->from; });
    std::vector<Stretch> stretches;
    for (const Interval* interval : intervals) {
      const bool polls = interval->standing.state == ProcessState::polling;
      const auto before = std::find_if(stretches.rbegin(), stretches.rend(), [&](const Stretch& stretch) {
        return stretch.task == interval->task && stretch.to == interval->from && stretch.polls == polls;
      });
      if (before != stretches.rend())
        before->to = interval->to;
      else
        stretches.push_back({interval->task, polls, interval->from, interval->to, 0});
    }
    return stretches;
  }

  void draw_unit(UnitIndex unit, const std::vector<const Interval*>& intervals, std::int64_t& top) {
    std::vector<Stretch> stretches = stretches_of(intervals);
    // The engines of a GPU may run concurrently: each has a separate lane.
    std::vector<Instant> lanes;
    for (Stretch& stretch : stretches) stretch.lane = take_lane(lanes, stretch.from, stretch.to);
    const auto top_of = [top](std::size_t lane) { return top + static_cast<std::int64_t>(lane) * row_height; };
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
      name_row(lane == 0 ? system_.platform.units[unit].name : "", top_of(lane), false);
    for (const Stretch& stretch : stretches) {
      const std::string what = fmt::format("{}{}", system_.tasks[stretch.task].name, stretch.polls ? " polls" : "");
      draw_bar(stretch.from, stretch.to, colour_of(stretch.task), stretch.polls ? pale : solid,
               fmt::format("{}: {}", what, span_of(stretch.from, stretch.to)), what, top_of(stretch.lane));
    }
    top = top_of(lanes.size()) + 8 * pixel;
  }

  void draw_axis(std::int64_t rows_top, std::int64_t bottom) {
    for (const auto& [time, label] : axis_marks(Instant::at(shown()), 11)) {
      const std::string x = number(x_of(explanation_.release + time.since_start()));
      grid_ +=
          fmt::format("<path d=\"M{0} {1}V{2}\" stroke=\"#ccc\"/>\n", x, number(rows_top), number(bottom + 4 * pixel));
      body_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x, number(bottom + 18 * pixel),
                           label);
    }
    body_ +=
        fmt::format("<path d=\"M{} {}H{}\" stroke=\"#333\"/>\n", number(left), number(bottom), number(left + plot));
    const auto& deadline = system_.tasks[explanation_.task].deadline;
    if (!deadline) return;
    const std::string x = number(x_of(explanation_.release + *deadline));
    body_ += fmt::format(
        "<path d=\"M{0} {1}V{2}\" stroke=\"#000\" stroke-width=\"2\"/><text x=\"{0}\" y=\"{3}\" text-anchor=\"middle\" "
        "font-weight=\"bold\">deadline</text>\n",
        x, number(rows_top - 4 * pixel), number(bottom), number(bottom + 32 * pixel));
  }

  void draw_legend(std::int64_t& top) {
    std::int64_t x = left;
    for (const TaskIndex task : legend_) {
      const std::string& name = system_.tasks[task].name;
      const std::int64_t width = (svg::letters(name) + 7) * letter_width;
      if (x > left && x + width > left + plot) {
        x = left;
        top += row_height;
      }
      body_ += svg::rectangle(x, top - 14 * pixel, 18 * pixel, bar_height, colours_[task], solid);
      body_ += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", number(x + 24 * pixel), number(top + 2 * pixel),
                           svg::escaped(name));
      x += width;
    }
    top += row_height;
    body_ += fmt::format(
        "<text x=\"{}\" y=\"{}\" fill=\"#444\">Solid: running. Pale: waiting or polling, in the color of the task that "
        "is served.</text>\n",
        number(left), number(top));
    top += 10 * pixel;
  }

  const System& system_;
  const engine::TaskResult& result_;
  const engine::Explanation& explanation_;
  std::map<TaskIndex, std::size_t> colours_;
  std::vector<TaskIndex> legend_;
  std::string grid_;  ///< drawn behind everything
  std::string body_;
};

}  // namespace

std::string render_explanation_svg(const ResultView& view, const engine::Explanation& explanation) {
  return JobDrawing(view, explanation).render();
}

}  // namespace amalthea::exporter
