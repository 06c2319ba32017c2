// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "amalthea/primitives/visible_text.hpp"
#include "exporter/gpu/timeline.hpp"
#include "exporter/gpu/timeline_formats.hpp"
#include "exporter/primitives/drawing.hpp"
#include "exporter/primitives/text_table.hpp"

namespace amalthea::exporter {
namespace {

namespace gpu = engine::gpu;

constexpr std::string_view series_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";  // then from the front again
constexpr std::string_view context_letters = "abcdefghijklmnopqrstuvwxyz";
constexpr char not_served = '.';
constexpr std::size_t narrowest = 20;

/// One row of cells; a cell shows what covers most of it, among equals the first.
class Cells {
 public:
  Cells(Instant end, std::size_t width)
      : length_(std::max<std::int64_t>(end.picoseconds(), 1)), text_(width, ' '), covered_(width, -1) {}

  void draw(Instant start, Instant end, char letter) {
    const auto width = static_cast<std::int64_t>(text_.size());
    const std::int64_t from = start.picoseconds();
    const std::int64_t to = end.picoseconds();
    const std::int64_t last = std::min(cell_of(std::max(from, to - 1)), width - 1);
    for (std::int64_t cell = std::min(cell_of(from), width - 1); cell <= last; ++cell) {
      const std::int64_t covered = std::min(to, start_of(cell + 1)) - std::max(from, start_of(cell));
      const auto at = static_cast<std::size_t>(cell);
      if (covered <= covered_[at]) continue;
      covered_[at] = covered;
      text_[at] = letter;
    }
  }
  /// Separates a bar from a previous one with the same letter, if its letter remains visible.
  void separate(Instant start) {
    const auto cell = static_cast<std::size_t>(cell_of(start.picoseconds()));
    if (cell == 0 || cell + 1 >= text_.size()) return;
    if (text_[cell - 1] == text_[cell] && text_[cell + 1] == text_[cell]) text_[cell] = '|';
  }
  /// Only in empty cells.
  void draw_behind(Instant start, Instant end, char letter) {
    Cells behind = *this;
    std::fill(behind.text_.begin(), behind.text_.end(), ' ');
    std::fill(behind.covered_.begin(), behind.covered_.end(), -1);
    behind.draw(start, end, letter);
    for (std::size_t cell = 0; cell < text_.size(); ++cell)
      if (text_[cell] == ' ') text_[cell] = behind.text_[cell];
  }
  std::int64_t cell_of(std::int64_t time) const {
    return static_cast<std::int64_t>(static_cast<amalthea::detail::Int128>(time) *
                                     static_cast<std::int64_t>(text_.size()) / length_);
  }
  const std::string& text() const { return text_; }

 private:
  std::int64_t start_of(std::int64_t cell) const {
    const auto width = static_cast<std::int64_t>(text_.size());
    return static_cast<std::int64_t>((static_cast<amalthea::detail::Int128>(length_) * cell + width - 1) / width);
  }
  std::int64_t length_;
  std::string text_;
  std::vector<std::int64_t> covered_;  ///< picoseconds; -1: nothing
};

std::string microseconds(Instant time) {
  return fmt::format("{}.{:06}", time.picoseconds() / 1'000'000, time.picoseconds() % 1'000'000);
}

std::string axis(const Timeline& timeline, const Cells& cells, std::size_t indent, std::size_t width) {
  std::string labels(indent + width + 1, ' ');
  std::string line = fmt::format("{:{}}+{:-<{}}+", "", indent, "", width);
  for (const auto& [time, label] :
       axis_marks(timeline.end, std::max<std::int64_t>(2, static_cast<std::int64_t>(width) / 10))) {
    const auto cell = static_cast<std::size_t>(cells.cell_of(time.picoseconds()));
    if (cell < width) line[indent + 1 + cell] = '|';
    const std::size_t at = indent + 1 + cell;
    if (labels.size() < at + label.size()) labels.resize(at + label.size(), ' ');
    labels.replace(at, label.size(), label);
  }
  labels.erase(labels.find_last_not_of(' ') + 1);
  return fmt::format("{}\n{}\n", labels, line);
}

std::string legend(const gpu::StreamScenario& scenario, const gpu::StreamRun& run, const Timeline& timeline) {
  TextTable table({{""},
                   {"operation"},
                   {"kind"},
                   {"stream"},
                   {"runs", Align::right},
                   {"first release us", Align::right},
                   {"first start us", Align::right},
                   {"last completion us", Align::right}});
  for (std::size_t index = 0; index < timeline.series.size(); ++index) {
    const TimelineSeries& series = timeline.series[index];
    Instant release = Instant::never();
    Instant start = Instant::never();
    Instant completion;
    for (const std::size_t operation : series.operations) {
      release = std::min(release, scenario.operations[operation].release);
      start = std::min(start, run.operations[operation].start);
      completion = std::max(completion, run.operations[operation].completion);
    }
    table.add_row({{std::string(1, series_letters[index % series_letters.size()])},
                   {printable(series.name)},
                   {std::string(name_of(series.kind))},
                   {printable(stream_label(scenario.streams[series.stream]))},
                   {fmt::format("{}", series.operations.size())},
                   {microseconds(release)},
                   {microseconds(start)},
                   {microseconds(completion)}});
  }
  return table.render(false);
}

}  // namespace

std::string render_gpu_gantt_text(const gpu::StreamScenario& scenario, const gpu::StreamRun& run,
                                  const TimelineOptions& options) {
  const Timeline timeline = make_timeline(scenario, run);
  std::size_t indent = 0;
  for (const TimelineRow& row : timeline.rows)
    indent = std::max(indent, printable(unit_name(scenario, row)).size() + 1);
  const std::size_t width = options.width > indent + narrowest + 2 ? options.width - indent - 2 : narrowest;
  std::string out;
  if (!options.title.empty()) out = fmt::format("{}\n\n", line_start(printable(options.title)));
  out += axis(timeline, Cells(timeline.end, width), indent, width);
  bool has_contexts = false;
  bool has_pauses = false;
  bool has_switches = false;
  for (const TimelineRow& row : timeline.rows) {
    const bool is_contexts = row.kind == TimelineRowKind::contexts;
    Cells cells(timeline.end, width);
    for (const TimelineBar& bar : row.bars) {
      const char letter = is_contexts ? context_letters[bar.subject % context_letters.size()]
                                      : series_letters[timeline.series_of[bar.subject] % series_letters.size()];
      for (const TimelineSpan& span : bar.spans) cells.draw(span.start, span.end, letter);
    }
    for (std::size_t index = 1; index < row.bars.size(); ++index) cells.separate(row.bars[index].start);
    for (const TimelineBar& bar : row.bars) {
      if (bar.spans.size() == 1 && bar.spans[0].start == bar.start && bar.spans[0].end == bar.end) continue;
      cells.draw_behind(bar.start, bar.end, is_contexts ? '/' : not_served);
      (is_contexts ? has_switches : has_pauses) = true;
    }
    has_contexts = has_contexts || is_contexts;
    const std::string name = row.lane == 0 ? printable(unit_name(scenario, row)) : std::string();
    out += fmt::format("{:<{}}|{}|\n", name, indent, cells.text());
  }
  out += fmt::format("\n{}", legend(scenario, run, timeline));
  if (has_contexts) {
    out += "\nContexts:";
    for (std::size_t index = 0; index < scenario.contexts.size(); ++index)
      out += fmt::format("{} {} {}{}", index == 0 ? "" : ",", context_letters[index % context_letters.size()],
                         printable(gpu_prefix(scenario, scenario.contexts[index].gpu, "/")),
                         printable(scenario.contexts[index].name));
    out += "\n";
  }
  if (has_pauses) out += fmt::format("{}  suspended while another context is served\n", not_served);
  if (has_switches) out += "/  context switch\n";
  return out;
}

}  // namespace amalthea::exporter
