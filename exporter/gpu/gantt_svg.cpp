// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "exporter/gpu/timeline.hpp"
#include "exporter/gpu/timeline_formats.hpp"
#include "exporter/primitives/drawing.hpp"
#include "exporter/primitives/svg.hpp"

namespace amalthea::exporter {
namespace {

namespace gpu = engine::gpu;

using svg::letter_width;
using svg::paint_of;
using svg::paints;
using svg::pixel;

using svg::escaped;
using svg::letters;
using svg::number;

std::string microseconds_text(Instant time) { return fmt::format("{} us", decimal(time.picoseconds(), 6)); }

class GanttDrawing {
 public:
  GanttDrawing(const gpu::StreamScenario& scenario, const gpu::StreamRun& run, const TimelineOptions& options)
      : scenario_(scenario), run_(run), options_(options), timeline_(make_timeline(scenario, run)) {
    for (const TimelineRow& row : timeline_.rows)
      left_ = std::max(left_, (letters(unit_name(scenario, row)) + 2) * letter_width);
  }

  std::string render() {
    std::int64_t top = (options_.title.empty() ? 16 : 40) * pixel;
    const std::int64_t rows_top = top;
    const TimelineRow* previous = nullptr;
    for (const TimelineRow& row : timeline_.rows) {
      const bool is_new =
          previous == nullptr || previous->unit != row.unit || previous->kind != row.kind || previous->gpu != row.gpu;
      if (is_new && previous != nullptr) top += group_gap;
      draw_row(row, top, is_new);
      top += row_height;
      previous = &row;
    }
    draw_axis(rows_top, top);
    top += 44 * pixel;
    draw_legend(top);
    const std::int64_t height = top + 8 * pixel;
    const std::int64_t width = left_ + plot + right;
    std::string out = svg::head(width, height);
    if (!options_.title.empty())
      out += fmt::format("<text x=\"{}\" y=\"22\" font-size=\"15\" font-weight=\"bold\">{}</text>\n", number(left_),
                         escaped(options_.title));
    return out + grid_ + body_ + "</svg>\n";
  }

 private:
  static constexpr std::int64_t plot = 1000 * pixel;
  static constexpr std::int64_t right = 60 * pixel;
  static constexpr std::int64_t row_height = 20 * pixel;
  static constexpr std::int64_t bar_height = 18 * pixel;
  static constexpr std::int64_t group_gap = 8 * pixel;

  std::int64_t x_of(Instant time) const {
    const std::int64_t length = std::max<std::int64_t>(timeline_.end.picoseconds(), 1);
    return left_ + amalthea::detail::divide(static_cast<amalthea::detail::Int128>(time.picoseconds()) * plot, length,
                                            Rounding::nearest);
  }

  static std::string rectangle(std::int64_t x, std::int64_t y, std::int64_t width, std::size_t colour,
                               std::string_view style) {
    return svg::rectangle(x, y, width, bar_height, colour, style);
  }

  void draw_row(const TimelineRow& row, std::int64_t top, bool named) {
    if (named)
      body_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", number(left_ - 8 * pixel),
                           number(top + 14 * pixel), escaped(unit_name(scenario_, row)));
    grid_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#f4f4f4\"/>\n", number(left_),
                         number(top), number(plot), number(bar_height));
    for (const TimelineBar& bar : row.bars) draw_bar(row, bar, top);
  }

  std::string title_of(const TimelineRow& row, const TimelineBar& bar) const {
    if (row.kind == TimelineRowKind::contexts)
      return fmt::format("{}, {}: {} to {}", unit_name(scenario_, row), scenario_.contexts[bar.subject].name,
                         microseconds_text(bar.start), microseconds_text(bar.end));
    const gpu::StreamOperation& operation = scenario_.operations[bar.subject];
    const gpu::OperationRun& done = run_.operations[bar.subject];
    const std::string what = operation.kind == gpu::StreamOperationKind::kernel
                                 ? fmt::format("block {} of {}", bar.block, done.blocks.size())
                                 : std::string(name_of(operation.kind));
    return fmt::format("{}, {}, stream {}: {} to {}; released {}, completed {}",
                       timeline_.series[timeline_.series_of[bar.subject]].name, what,
                       stream_label(scenario_.streams[operation.stream]), microseconds_text(bar.start),
                       microseconds_text(bar.end), microseconds_text(operation.release),
                       microseconds_text(done.completion));
  }

  void draw_bar(const TimelineRow& row, const TimelineBar& bar, std::int64_t top) {
    const bool is_contexts = row.kind == TimelineRowKind::contexts;
    const std::size_t colour =
        is_contexts ? paints.size() - 1 - bar.subject % paints.size() : timeline_.series_of[bar.subject];
    body_ += fmt::format("<g><title>{}</title>", escaped(title_of(row, bar)));
    const bool is_whole = bar.spans.size() == 1 && bar.spans[0].start == bar.start && bar.spans[0].end == bar.end;
    if (!is_whole)
      body_ += rectangle(x_of(bar.start), top, x_of(bar.end) - x_of(bar.start), colour,
                         "fill-opacity=\"0.25\" stroke=\"#666\" stroke-width=\"0.5\" stroke-dasharray=\"2 2\"");
    const TimelineSpan* widest = nullptr;
    for (const TimelineSpan& span : bar.spans) {
      body_ += rectangle(x_of(span.start), top, x_of(span.end) - x_of(span.start), colour,
                         "stroke=\"#333\" stroke-width=\"0.5\"");
      if (widest == nullptr || span.end - span.start > widest->end - widest->start) widest = &span;
    }
    if (widest != nullptr) draw_label(*widest, label_of(row, bar), paint_of(colour).text, top);
    body_ += "</g>\n";
  }

  /// From the longest to the shortest text.
  std::vector<std::string> label_of(const TimelineRow& row, const TimelineBar& bar) const {
    if (row.kind == TimelineRowKind::contexts) return {scenario_.contexts[bar.subject].name};
    const std::string& name = timeline_.series[timeline_.series_of[bar.subject]].name;
    if (row.kind == TimelineRowKind::copy_engine) return {name};
    return {fmt::format("{}: {}", name, bar.block), name};
  }

  void draw_label(const TimelineSpan& span, const std::vector<std::string>& texts, std::string_view colour,
                  std::int64_t top) {
    const std::int64_t width = x_of(span.end) - x_of(span.start);
    for (const std::string& text : texts) {
      if (letters(text) * letter_width + 4 * pixel > width) continue;
      body_ +=
          fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"{}\">{}</text>",
                      number((x_of(span.start) + x_of(span.end)) / 2), number(top + 13 * pixel), colour, escaped(text));
      return;
    }
  }

  void draw_axis(std::int64_t rows_top, std::int64_t bottom) {
    for (const auto& [time, label] : axis_marks(timeline_.end, 11)) {
      const std::string x = number(x_of(time));
      grid_ +=
          fmt::format("<path d=\"M{0} {1}V{2}\" stroke=\"#ccc\"/>\n", x, number(rows_top), number(bottom + 4 * pixel));
      body_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x, number(bottom + 18 * pixel),
                           label);
    }
    body_ +=
        fmt::format("<path d=\"M{} {}H{}\" stroke=\"#333\"/>\n", number(left_), number(bottom), number(left_ + plot));
  }

  /// Entries in sequence, in lines as full as possible; updates `top`.
  void draw_legend(std::int64_t& top) {
    std::int64_t x = left_;
    for (std::size_t index = 0; index < timeline_.series.size(); ++index) {
      const TimelineSeries& series = timeline_.series[index];
      std::string text = fmt::format(
          "{} ({}, stream {}{})", series.name, name_of(series.kind), stream_label(scenario_.streams[series.stream]),
          series.operations.size() > 1 ? fmt::format(", {} runs", series.operations.size()) : std::string());
      const std::int64_t width = (letters(text) + 5) * letter_width;
      if (x > left_ && x + width > left_ + plot) {
        x = left_;
        top += row_height;
      }
      body_ += rectangle(x, top - 14 * pixel, 18 * pixel, index, "stroke=\"#333\" stroke-width=\"0.5\"");
      body_ += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", number(x + 24 * pixel), number(top), escaped(text));
      x += width;
    }
    top += row_height;
  }

  const gpu::StreamScenario& scenario_;
  const gpu::StreamRun& run_;
  const TimelineOptions& options_;
  Timeline timeline_;
  std::int64_t left_ = 160 * pixel;  ///< of the plot: room for the names of the rows
  std::string grid_;                 ///< drawn behind everything
  std::string body_;
};

}  // namespace

std::string render_gpu_gantt_svg(const gpu::StreamScenario& scenario, const gpu::StreamRun& run,
                                 const TimelineOptions& options) {
  return GanttDrawing(scenario, run, options).render();
}

}  // namespace amalthea::exporter
