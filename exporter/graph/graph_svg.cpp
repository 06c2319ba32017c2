// SPDX-License-Identifier: Apache-2.0
// The runnable graph as a drawing. Execution within a task is a sequence with branches, so its order defines the
// layout; general graph drawing is not needed, and would take minutes for a thousand runnables.

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include <fmt/core.h>

#include "amalthea/graph/boost_graph.hpp"
#include "exporter/graph/detail/graph_text.hpp"
#include "exporter/graph/graph_formats.hpp"
#include "exporter/primitives/svg.hpp"
#include "exporter/primitives/text_table.hpp"

namespace amalthea::exporter {
namespace {

using svg::escaped;
using svg::number;
using svg::pixel;

constexpr std::int64_t width_of_rows = 1160 * pixel;
constexpr std::int64_t margin = 12 * pixel;
constexpr std::int64_t band_title = 24 * pixel;
constexpr std::int64_t line_height = 15 * pixel;
constexpr std::int64_t letter = 6 * pixel + pixel / 2;  ///< of the font of 11 pixels, a generous estimate
constexpr std::int64_t box_gap = 34 * pixel;
constexpr std::int64_t row_gap = 26 * pixel;
constexpr std::int64_t max_letters = 34;
constexpr std::int64_t widest_gutter = 260 * pixel;
constexpr std::size_t max_drawn_flows = 80;  ///< in the overview; more would hide each other

/// The end of an edge: a line of a box.
struct EdgeEnd {
  std::size_t box = 0;
  std::size_t line = 0;
};

struct BoxLine {
  std::string text;
  std::string_view kind;  ///< of activity, as kind_name says it
};

struct Box {
  std::string title;  ///< runnable or task; "" if there is none
  std::vector<BoxLine> lines;
  std::int64_t x = 0, y = 0, width = 0, height = 0;
};

struct Band {
  std::string title;
  bool device = false;
  std::size_t first = 0, last = 0;  ///< of the boxes, exclusive
  std::int64_t y = 0, height = 0;
};

struct DrawnEdge {
  EdgeEnd from, to;
  EdgeKind kind = EdgeKind::sequence;
  std::string label;
};

struct EdgeStyle {
  std::string_view colour;
  std::string_view dashes;
  std::string_view width;
};
EdgeStyle edge_style_of(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::sequence:
      return {"#333333", "", "1.2"};
    case EdgeKind::trigger:
      return {"#0072B2", "", "2"};
    case EdgeKind::event:
      return {"#D55E00", "6 3", "1.6"};
    case EdgeKind::data:
      return {"#7A7A7A", "2 3", "1"};
  }
  return {};
}

std::string shortened(std::string_view text) {
  if (svg::letters(text) <= max_letters) return std::string(text);
  std::string out;
  std::int64_t count = 0;
  for (const char byte : text) {
    if ((static_cast<unsigned char>(byte) & 0xC0U) != 0x80U && ++count == max_letters) break;
    out += byte;
  }
  return out + "…";
}

class DrawingBuilder {
 public:
  std::vector<Box> boxes;
  std::vector<Band> bands;
  std::vector<DrawnEdge> curves;
  std::string note;

  std::string render() {
    place();
    std::string text = svg::head(width_ + gutter_ + 2 * margin, height_);
    const auto heads = text.find("</defs>");
    text.insert(heads, arrow_heads());
    for (const Band& band : bands) draw(band, text);
    for (const DrawnEdge& curve : curves)
      if (curve.kind != EdgeKind::sequence) draw(curve, text);
    for (const Box& box : boxes) draw(box, text);
    for (const DrawnEdge& curve : curves)
      if (curve.kind == EdgeKind::sequence) draw(curve, text);
    draw_legend(text);
    return text + "</svg>\n";
  }

 private:
  static std::string arrow_heads() {
    std::string out;
    for (const EdgeKind kind : {EdgeKind::sequence, EdgeKind::trigger, EdgeKind::event, EdgeKind::data})
      out += fmt::format(
          "<marker id=\"arrow-{0}\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
          "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"{1}\"/></marker>\n",
          to_string(kind), edge_style_of(kind).colour);
    return out;
  }

  void place() {
    std::int64_t y = margin;
    for (Band& band : bands) {
      band.y = y;
      std::int64_t x = 2 * margin, row = y + band_title, deepest = row;
      for (std::size_t index = band.first; index < band.last; ++index) {
        Box& box = boxes[index];
        measure(box);
        if (x > 2 * margin && x + box.width > width_of_rows) {
          x = 2 * margin;
          row = deepest + row_gap;
        }
        box.x = x;
        box.y = row;
        x += box.width + box_gap;
        deepest = std::max(deepest, row + box.height);
        width_ = std::max(width_, box.x + box.width);
      }
      width_ = std::max(width_, 2 * margin + svg::letters(band.title) * letter);
      band.height = deepest + margin - y;
      y += band.height + margin;
    }
    width_ = std::max(width_, 640 * pixel);
    choose_lines();
    height_ = y + (note.empty() ? 30 : 50) * pixel;
  }

  /// Edges between tasks use a gutter on the right. Edges from the same start share a line, and lines that do not meet
  /// may share a position; short ones are further inside.
  void choose_lines() {
    struct Extent {
      std::int64_t top, bottom;
    };
    std::map<std::pair<std::size_t, std::size_t>, Extent> extents;
    for (const DrawnEdge& curve : curves) {
      if (curve.kind == EdgeKind::sequence) continue;
      const std::int64_t from = middle_of(curve.from), to = middle_of(curve.to);
      const auto found = extents.try_emplace({curve.from.box, curve.from.line}, Extent{from, from}).first;
      found->second = {std::min(found->second.top, to), std::max(found->second.bottom, to)};
    }
    std::vector<std::pair<std::pair<std::size_t, std::size_t>, Extent>> ordered(extents.begin(), extents.end());
    std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
      return a.second.bottom - a.second.top < b.second.bottom - b.second.top;
    });
    std::vector<std::vector<Extent>> lines;
    for (const auto& entry : ordered) {
      const Extent extent = entry.second;
      const auto meets = [one = extent](const Extent& other) {
        return one.top < other.bottom + 6 * pixel && other.top < one.bottom + 6 * pixel;
      };
      const auto free = std::find_if(lines.begin(), lines.end(), [&](const std::vector<Extent>& line) {
        return std::none_of(line.begin(), line.end(), meets);
      });
      lines_[entry.first] = static_cast<std::size_t>(free - lines.begin());
      if (free == lines.end())
        lines.push_back({extent});
      else
        free->push_back(extent);
    }
    if (lines.empty()) return;
    between_lines_ = std::min(9 * pixel, widest_gutter / static_cast<std::int64_t>(lines.size()));
    gutter_ = 16 * pixel + static_cast<std::int64_t>(lines.size()) * between_lines_;
  }

  std::int64_t x_of_line(const EdgeEnd& from) const {
    const auto line = static_cast<std::int64_t>(lines_.at({from.box, from.line}));
    return margin + width_ + 10 * pixel + line * between_lines_;
  }

  static void measure(Box& box) {
    std::int64_t letters = svg::letters(shortened(box.title)) + 1;
    for (const BoxLine& line : box.lines) letters = std::max(letters, svg::letters(shortened(line.text)));
    box.width = letters * letter + 14 * pixel;
    box.height = static_cast<std::int64_t>(box.lines.size() + (box.title.empty() ? 0 : 1)) * line_height + 8 * pixel;
  }

  void draw(const Band& band, std::string& text) const {
    text += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\" fill=\"{}\" stroke=\"{}\"{}/>\n"
        "<text x=\"{}\" y=\"{}\" font-weight=\"bold\">{}</text>\n",
        number(margin), number(band.y), number(width_), number(band.height), band.device ? "#EAF6F1" : "#F6F6F6",
        band.device ? "#009E73" : "#BBBBBB", band.device ? " stroke-width=\"1.5\"" : "", number(2 * margin),
        number(band.y + 17 * pixel), escaped(band.title));
  }

  static std::string_view fill_of(const Box& box) {
    const std::string_view kind = box.lines.empty() ? "" : box.lines.front().kind;
    if (kind == "kernel") return "#B7E4D3";
    if (kind == "h2d" || kind == "d2h" || kind == "memset") return "#FBE3B1";
    if (kind == "branch") return "#E6DFF0";
    return "#FFFFFF";
  }

  static void draw(const Box& box, std::string& text) {
    text +=
        fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"{}\" stroke=\"#555555\"/>\n",
                    number(box.x), number(box.y), number(box.width), number(box.height), fill_of(box));
    std::int64_t y = box.y + 15 * pixel;
    const auto write = [&](const std::string& words, std::string_view style) {
      if (words.empty()) return;
      const std::string shown = shortened(words);
      text +=
          fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"11\"{}>{}{}</text>\n", number(box.x + 7 * pixel), number(y),
                      style, escaped(shown), shown == words ? "" : fmt::format("<title>{}</title>", escaped(words)));
      y += line_height;
    };
    write(box.title, " font-weight=\"bold\"");
    for (const BoxLine& line : box.lines)
      write(line.text, line.kind == "read" || line.kind == "write" ? " fill=\"#444444\"" : "");
  }

  std::int64_t middle_of(const EdgeEnd& place) const {
    const Box& box = boxes[place.box];
    const std::size_t lines = place.line + (box.title.empty() ? 0 : 1);
    return std::min(box.y + 11 * pixel + static_cast<std::int64_t>(lines) * line_height,
                    box.y + box.height - 8 * pixel);
  }

  void draw(const DrawnEdge& curve, std::string& text) const {
    const EdgeStyle style = edge_style_of(curve.kind);
    const Box &from = boxes[curve.from.box], &to = boxes[curve.to.box];
    std::string path, label;
    if (curve.kind == EdgeKind::sequence) {
      const std::int64_t start = from.y + 11 * pixel, end = to.y + 11 * pixel;
      if (curve.to.box == curve.from.box + 1 && from.y == to.y) {
        path = fmt::format("M{} {}H{}", number(from.x + from.width), number(start), number(to.x));
        label = label_at(curve, from.x + from.width + 2 * pixel, start - 3 * pixel, style);
      } else if (from.y == to.y) {  // over what is in between
        const std::int64_t top = from.y - 12 * pixel;
        path = fmt::format("M{} {}C{} {} {} {} {} {}", number(from.x + from.width / 2), number(from.y),
                           number(from.x + from.width / 2), number(top), number(to.x + to.width / 2), number(top),
                           number(to.x + to.width / 2), number(to.y));
        label = label_at(curve, (from.x + from.width + to.x) / 2, top + 3 * pixel, style);
      } else {  // into another row
        const std::int64_t between = to.y > from.y ? to.y - 12 * pixel : to.y + to.height + 12 * pixel;
        path = fmt::format("M{} {}h{}V{}H{}V{}h{}", number(from.x + from.width), number(start), number(10 * pixel),
                           number(between), number(to.x - 10 * pixel), number(end), number(10 * pixel));
        label = label_at(curve, to.x, between - 3 * pixel, style);
      }
    } else {  // out to the right, along a line of the gutter, and in from the right
      path =
          fmt::format("M{} {}H{}V{}H{}", number(from.x + from.width), number(middle_of(curve.from) + 2 * pixel),
                      number(x_of_line(curve.from)), number(middle_of(curve.to) - 2 * pixel), number(to.x + to.width));
    }
    text += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{} marker-end=\"url(#arrow-{})\">", path,
        style.colour, style.width, style.dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", style.dashes),
        to_string(curve.kind));
    if (!curve.label.empty()) text += fmt::format("<title>{}: {}</title>", to_string(curve.kind), escaped(curve.label));
    text += "</path>\n" + label;
  }

  /// With a white outline, to be readable over lines.
  static std::string label_at(const DrawnEdge& curve, std::int64_t x, std::int64_t y, const EdgeStyle& style) {
    if (curve.label.empty()) return {};
    return fmt::format(
        "<text x=\"{}\" y=\"{}\" font-size=\"10\" fill=\"{}\" stroke=\"#FFFFFF\" stroke-width=\"3\" "
        "paint-order=\"stroke\">{}</text>\n",
        number(x), number(y), style.colour, escaped(shortened(curve.label)));
  }

  void draw_legend(std::string& text) const {
    std::int64_t x = margin;
    const std::int64_t y = height_ - (note.empty() ? 14 : 34) * pixel;
    for (const auto& [kind, words] :
         std::array<std::pair<EdgeKind, std::string_view>, 4>{{{EdgeKind::sequence, "then"},
                                                               {EdgeKind::trigger, "activates"},
                                                               {EdgeKind::event, "sets an event for"},
                                                               {EdgeKind::data, "writes what the other reads"}}}) {
      const bool present = std::any_of(curves.begin(), curves.end(),
                                       [wanted = kind](const DrawnEdge& curve) { return curve.kind == wanted; });
      if (!present) continue;
      const EdgeStyle style = edge_style_of(kind);
      text += fmt::format(
          "<path d=\"M{} {}h28\" stroke=\"{}\" stroke-width=\"{}\"{} marker-end=\"url(#arrow-{})\"/>"
          "<text x=\"{}\" y=\"{}\" font-size=\"11\">{}</text>\n",
          number(x), number(y), style.colour, style.width,
          style.dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", style.dashes), to_string(kind),
          number(x + 34 * pixel), number(y + 4 * pixel), words);
      x += 56 * pixel + svg::letters(words) * letter;
    }
    if (!note.empty())
      text += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"11\">{}</text>\n", number(margin),
                          number(height_ - 10 * pixel), escaped(note));
  }

  std::int64_t width_ = 0, height_ = 0, gutter_ = 0, between_lines_ = 0;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> lines_;  ///< of the gutter, by box and line of the start
};

std::string title_of(const System& system, const Task& task) {
  return fmt::format("{} on {}", task.name, system.platform.units[task.unit].name);
}

/// The nodes of one box: those of a runnable, as long as execution has no alternative.
class FullPicture {
 public:
  FullPicture(const System& system, const RunnableGraph& graph)
      : system_(system), graph_(graph), places_(graph.size()) {}

  void add(const Task& task, const std::vector<NodeIndex>& body) {
    if (body.empty()) return;
    Band band{title_of(system_, task), task.side == Side::device, drawing_.boxes.size(), 0};
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (i == 0 || begins_box(body[i - 1], body[i])) open_box(body[i]);
      Box& box = drawing_.boxes.back();
      places_[body[i]] = {drawing_.boxes.size() - 1, box.lines.size()};
      const GraphNode& node = graph_[body[i]];
      if (std::holds_alternative<Call>(node.activity)) {
        if (box.title.empty()) box.title = node.name;
        continue;
      }
      for (const std::string& line : describe(system_, node)) box.lines.push_back({line, kind_name(node.activity)});
    }
    band.last = drawing_.boxes.size();
    drawing_.bands.push_back(band);
  }

  std::string render() {
    for (const auto edge : boost::make_iterator_range(boost::edges(graph_.boost()))) {
      const EdgeEnd from = places_[boost::source(edge, graph_.boost())],
                    to = places_[boost::target(edge, graph_.boost())];
      const EdgeKind kind = graph_.boost()[edge].kind;
      if (kind == EdgeKind::sequence && from.box == to.box && to.line >= from.line) continue;
      drawing_.curves.push_back({from, to, kind, graph_.boost()[edge].label});
    }
    return drawing_.render();
  }

 private:
  void open_box(NodeIndex node) {
    Box box;
    const auto runnable = graph_[node].runnable;
    const bool called = std::holds_alternative<Call>(graph_[node].activity);
    if (runnable && !called) box.title = system_.runnables[*runnable].name;
    drawing_.boxes.push_back(std::move(box));
  }

  std::size_t ways(NodeIndex node, bool in) const {
    std::size_t count = 0;
    if (in)
      for (const auto edge : boost::make_iterator_range(boost::in_edges(node, graph_.boost())))
        count += graph_.boost()[edge].kind == EdgeKind::sequence ? 1 : 0;
    else
      for (const auto edge : boost::make_iterator_range(boost::out_edges(node, graph_.boost())))
        count += graph_.boost()[edge].kind == EdgeKind::sequence ? 1 : 0;
    return count;
  }

  bool begins_box(NodeIndex before, NodeIndex node) const {
    if (graph_[before].runnable != graph_[node].runnable) return true;
    if (std::holds_alternative<Call>(graph_[node].activity)) return true;
    const auto is_operation = [](const GraphNode& one) {
      return std::holds_alternative<Copy>(one.activity) || std::holds_alternative<Kernel>(one.activity);
    };
    if (is_operation(graph_[before]) || is_operation(graph_[node])) return true;
    return ways(before, false) != 1 || ways(node, true) != 1 || !boost::edge(before, node, graph_.boost()).second;
  }

  const System& system_;
  const RunnableGraph& graph_;
  std::vector<EdgeEnd> places_;
  DrawingBuilder drawing_;
};

Box summary_of(const System& system, const Task& task) {
  Box box;
  box.title = task.name;
  std::vector<RunnableIndex> runnables;
  std::size_t accesses = 0, operations = 0;
  for (const NodeIndex node : task.body) {
    const GraphNode& payload = system.graph[node];
    if (payload.runnable) runnables.push_back(*payload.runnable);
    const std::string_view kind = kind_name(payload.activity);
    accesses += kind == "read" || kind == "write" ? 1 : 0;
    operations += std::holds_alternative<Copy>(payload.activity) || std::holds_alternative<Kernel>(payload.activity);
  }
  std::sort(runnables.begin(), runnables.end());
  const auto distinct = static_cast<std::size_t>(std::unique(runnables.begin(), runnables.end()) - runnables.begin());
  box.lines.push_back({counted(distinct, "runnable"), ""});
  if (accesses > 0)
    box.lines.push_back({accesses == 1 ? "1 label access" : fmt::format("{} label accesses", accesses), ""});
  if (operations > 0) box.lines.push_back({counted(operations, "GPU operation"), ""});
  return box;
}

/// Several edges of a kind between two tasks become one curve labeled with their number.
void add_bundles(const System& system, const std::vector<EdgeEnd>& places, DrawingBuilder& picture) {
  std::map<std::tuple<EdgeKind, TaskIndex, TaskIndex>, std::vector<std::string>> bundles;
  for (const auto edge : boost::make_iterator_range(boost::edges(system.graph.boost()))) {
    const TaskIndex from = system.graph[boost::source(edge, system.graph.boost())].task;
    const TaskIndex to = system.graph[boost::target(edge, system.graph.boost())].task;
    if (system.graph.boost()[edge].kind != EdgeKind::sequence)
      bundles[{system.graph.boost()[edge].kind, from, to}].push_back(system.graph.boost()[edge].label);
  }
  const auto is_flow = [](const auto& bundle) { return std::get<EdgeKind>(bundle.first) == EdgeKind::data; };
  const auto flows = static_cast<std::size_t>(std::count_if(bundles.begin(), bundles.end(), is_flow));
  if (flows > max_drawn_flows)
    picture.note = fmt::format("Not drawn: data that passes between {} pairs of tasks.", flows);
  for (const auto& bundle : bundles) {
    const auto& [kind, from, to] = bundle.first;
    if (is_flow(bundle) && flows > max_drawn_flows) continue;
    const std::vector<std::string>& labels = bundle.second;
    picture.curves.push_back({places[from], places[to], kind,
                              labels.size() == 1 ? labels.front() : fmt::format("{} labels", labels.size())});
  }
}

}  // namespace

std::string render_graph_svg(const System& system, std::optional<TaskIndex> task) {
  if (!task) {
    FullPicture picture(system, system.graph);
    for (const Task& candidate : system.tasks) picture.add(candidate, candidate.body);
    return picture.render();
  }
  const RunnableGraph graph = task_graph(system, *task);
  FullPicture picture(system, graph);
  std::vector<NodeIndex> body(graph.size());
  for (NodeIndex node = 0; node < body.size(); ++node) body[node] = node;
  picture.add(system.tasks[*task], body);
  return picture.render();
}

std::string render_graph_overview_svg(const System& system, std::size_t most) {
  if (system.graph.size() <= most) return render_graph_svg(system, std::nullopt);
  DrawingBuilder picture;
  std::vector<EdgeEnd> places(system.tasks.size());
  for (UnitIndex unit = 0; unit < system.platform.units.size(); ++unit) {
    Band band{system.platform.units[unit].name, system.platform.units[unit].type == PuType::gpu, picture.boxes.size(),
              0};
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
      if (system.tasks[task].unit != unit || system.tasks[task].body.empty()) continue;
      places[task] = {picture.boxes.size(), 0};
      picture.boxes.push_back(summary_of(system, system.tasks[task]));
    }
    band.last = picture.boxes.size();
    if (band.last > band.first) picture.bands.push_back(band);
  }
  add_bundles(system, places, picture);
  return picture.render();
}

}  // namespace amalthea::exporter
