// SPDX-License-Identifier: Apache-2.0
// The runnable graph as a drawing. Tasks stand in columns (detail/columns.hpp). Execution within a task is a sequence
// with branches, so its order defines the layout there.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "amalthea/graph/boost_graph.hpp"
#include "exporter/graph/detail/columns.hpp"
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
constexpr std::int64_t margin = 8 * pixel;
constexpr std::int64_t frame_title = 24 * pixel;
constexpr std::int64_t frame_gap = 18 * pixel;
constexpr std::int64_t column_gap = 50 * pixel;
constexpr std::int64_t inset = 10 * pixel;
constexpr std::int64_t port = 13 * pixel;  ///< where data leaves and enters a frame, below its top
constexpr std::int64_t line_height = 15 * pixel;
constexpr std::int64_t letter = 6 * pixel + pixel / 2;  ///< of the font of 11 pixels, a generous estimate
constexpr std::int64_t box_gap = 14 * pixel;
constexpr std::int64_t lane = 7 * pixel;
constexpr std::int64_t beside = 5 * pixel;  ///< between edges of the same two tasks
constexpr std::int64_t usual_stack = 1200 * pixel;
constexpr std::int64_t max_letters = 34;
constexpr std::size_t max_drawn_flows = 80;  ///< pairs of tasks; more would hide each other

struct BoxLine {
  std::string text;
  std::string_view kind;  ///< of activity, as kind_name says it
};

struct Box {
  std::string title;  ///< runnable; "" if there is none
  std::vector<BoxLine> lines;
  std::int64_t x = 0, y = 0, width = 0, height = 0;
  std::size_t stack = 0;  ///< its place in the frame: boxes stand in stacks, side by side
  bool labeled = false;   ///< some step to it has a label
};

/// A task.
struct Frame {
  std::string name, title;
  bool device = false;
  std::size_t first = 0, last = 0;  ///< of the boxes, exclusive
  std::int64_t x = 0, y = 0, width = 0, height = 0;
  std::size_t stacks = 1;
  std::int64_t lanes = 0;  ///< beside each stack, for edges that skip boxes
};

/// A line of a box.
struct Place {
  std::size_t frame = 0, box = 0, line = 0;
};

/// To another activity of the same task.
struct Connection {
  std::size_t from = 0, to = 0;  ///< boxes
  std::string label;
  std::int64_t lane = 0;
  bool skips() const { return to != from + 1; }
};

/// Edges of a kind from one task to another; edges for data are one link for each pair of tasks.
struct Link {
  EdgeKind kind = EdgeKind::data;
  Place from, to;
  std::vector<std::string> labels;
};

struct EdgeStyle {
  std::string_view colour;
  std::string_view dashes;
  std::string_view width;
};
EdgeStyle edge_style_of(EdgeKind kind) {
  constexpr std::array<EdgeStyle, 4> styles{
      {{"#333333", "", "1.2"}, {"#0072B2", "", "2"}, {"#D55E00", "6 3", "1.6"}, {"#767676", "", "1.2"}}};
  return styles[static_cast<std::size_t>(kind)];
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
  std::vector<Frame> frames;
  std::vector<Connection> steps;
  std::vector<Link> links;
  std::set<std::pair<std::size_t, std::size_t>> chained;  ///< frames that follow each other in a chain

  std::string render() {
    leave_out_flows();
    assign_lanes();
    for (const Connection& step : steps) boxes[step.to].labeled |= !step.label.empty();
    for (Frame& frame : frames) measure(frame);
    place_frames();
    const std::string below = legend();
    std::string text = svg::head(width_ + 2 * margin, height_);
    text.insert(text.find("</defs>"), arrow_heads());
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> counts;
    for (const Frame& frame : frames) draw(frame, text);
    for (const Link& link : links) draw(link, counts[pair_of(link)]++, text);
    return text + below + "</svg>\n";
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

  void leave_out_flows() {
    const auto is_flow = [](const Link& link) { return link.kind == EdgeKind::data; };
    const auto flows = static_cast<std::size_t>(std::count_if(links.begin(), links.end(), is_flow));
    if (flows <= max_drawn_flows) return;
    note_ = fmt::format("Not drawn: data that passes between {} pairs of tasks.", flows);
    links.erase(std::remove_if(links.begin(), links.end(), is_flow), links.end());
  }

  /// Steps that skip boxes run in lanes beside the stack. Those that join share one, as do those of one branch; the
  /// short ones are further inside.
  void assign_lanes() {
    std::map<std::size_t, std::size_t> arriving;
    for (const Connection& step : steps) arriving[step.to] += step.skips() ? 1 : 0;
    struct Group {
      std::size_t first, last;
      std::vector<Connection*> steps;
    };
    std::map<std::pair<bool, std::size_t>, Group> groups;  // by whether they join, and where they begin or end
    for (Connection& step : steps) {
      if (!step.skips()) continue;
      const bool join = arriving[step.to] > 1;
      const auto [first, last] = std::minmax(step.from, step.to);
      Group& group = groups.try_emplace({join, join ? step.to : step.from}, Group{first, last, {}}).first->second;
      group.first = std::min(group.first, first);
      group.last = std::max(group.last, last);
      group.steps.push_back(&step);
    }
    std::vector<const Group*> ordered;
    for (const auto& entry : groups) ordered.push_back(&entry.second);
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const Group* a, const Group* b) { return a->last - a->first < b->last - b->first; });
    std::map<std::size_t, std::vector<std::vector<const Group*>>> taken;  // by frame and lane
    for (const Group* group : ordered) {
      const auto frame = frame_of(group->first);
      auto& lanes = taken[frame];
      const auto free = std::find_if(lanes.begin(), lanes.end(), [&](const std::vector<const Group*>& one) {
        return std::none_of(one.begin(), one.end(), [&](const Group* other) {
          return group->first < other->last && other->first < group->last;
        });
      });
      for (Connection* step : group->steps) step->lane = free - lanes.begin();
      if (free == lanes.end())
        lanes.push_back({group});
      else
        free->push_back(group);
      frames[frame].lanes = static_cast<std::int64_t>(lanes.size());
    }
  }

  std::size_t frame_of(std::size_t box) const {
    const auto after = std::upper_bound(frames.begin(), frames.end(), box,
                                        [](std::size_t index, const Frame& frame) { return index < frame.first; });
    return static_cast<std::size_t>(after - frames.begin()) - 1;
  }

  std::int64_t left_of_stack(const Frame& frame) const { return inset + frame.lanes * lane; }

  /// Places the boxes, from the corner of the frame.
  void measure(Frame& frame) {
    std::int64_t width = 0, all = 0;
    for (std::size_t index = frame.first; index < frame.last; ++index) {
      measure(boxes[index]);
      width = std::max(width, boxes[index].width);
      all += boxes[index].height + gap_before(boxes[index]);
    }
    // Long tasks become about as wide as they are high, in stacks of about the same height.
    const auto square = static_cast<std::int64_t>(std::sqrt(static_cast<double>(all) * static_cast<double>(width)));
    const std::int64_t most = all / (1 + all / std::max(usual_stack, square)) + frame_title;
    std::int64_t y = frame_title;
    for (std::size_t index = frame.first; index < frame.last; ++index) {
      Box& box = boxes[index];
      if (index > frame.first) y += gap_before(box);
      if (y >= most) {
        ++frame.stacks;
        y = frame_title;
      }
      box.stack = frame.stacks - 1;
      box.y = y;
      y += box.height;
      frame.height = std::max(frame.height, y + inset);
    }
    const auto stacks = static_cast<std::int64_t>(frame.stacks);
    frame.width = std::max(stacks * (left_of_stack(frame) + width + inset),
                           svg::letters(frame.title) * (letter + pixel) + 2 * inset);
  }

  static std::int64_t gap_before(const Box& box) { return box.labeled ? box_gap + 8 * pixel : box_gap; }

  static void measure(Box& box) {
    std::int64_t letters = svg::letters(shortened(box.title)) + 1;
    for (const BoxLine& line : box.lines) letters = std::max(letters, svg::letters(shortened(line.text)));
    box.width = letters * letter + 14 * pixel;
    box.height = static_cast<std::int64_t>(box.lines.size() + (box.title.empty() ? 0 : 1)) * line_height + 8 * pixel;
  }

  static std::pair<std::size_t, std::size_t> pair_of(const Link& link) {
    return std::minmax({link.from.frame, link.to.frame});
  }

  /// Which pairs of tasks determine the columns first: those that activate each other, then those that a chain names.
  void lay_out() {
    std::vector<const Link*> ordered;
    for (const Link& link : links) ordered.push_back(&link);
    const auto rank = [this](const Link& link) {
      const bool in_chain = chained.contains({link.from.frame, link.to.frame});
      const int kind = link.kind == EdgeKind::trigger ? 0 : link.kind == EdgeKind::event ? 1 : in_chain ? 2 : 3;
      return std::make_pair(kind, -static_cast<std::ptrdiff_t>(link.labels.size()));
    };
    std::stable_sort(ordered.begin(), ordered.end(), [&](const Link* a, const Link* b) { return rank(*a) < rank(*b); });
    std::vector<std::pair<std::size_t, std::size_t>> edges;
    std::vector<std::int64_t> together;
    for (const Link* link : ordered) {
      const auto [found, first] = routes_.try_emplace(pair_of(*link), edges.size());
      if (first) {
        edges.emplace_back(link->from.frame, link->to.frame);
        together.push_back(0);
      }
      ++together[found->second];
    }
    columns_ = columns_of(frames.size(), edges);
    reduce_crossings(columns_);
    std::vector<Extent> extents(columns_.size, {7 * pixel, 7 * pixel});
    for (std::size_t index = 0; index < frames.size(); ++index)
      extents[index] = {port + frame_gap / 2, frames[index].height - port + frame_gap / 2};
    for (std::size_t edge = 0; edge < edges.size(); ++edge)
      for (std::size_t step = 1; step + 1 < columns_.routes[edge].size(); ++step)
        extents[columns_.routes[edge][step]].below += (together[edge] - 1) * beside;
    heights_ = heights_of(columns_, extents);
  }

  void place_frames() {
    lay_out();
    std::int64_t x = margin, bottom = margin;
    std::vector<bool> placed(frames.size());
    for (const std::vector<std::size_t>& cells : columns_.cells) {
      std::int64_t width = 0;
      for (const std::size_t cell : cells)
        if (cell < frames.size()) width = std::max(width, frames[cell].width);
      for (const std::size_t cell : cells)
        if (cell < frames.size()) {
          frames[cell].width = width;
          put(frames[cell], x, margin + heights_[cell] - port - frame_gap / 2);
          placed[cell] = true;
          bottom = std::max(bottom, frames[cell].y + frames[cell].height + frame_gap);
        } else {
          heights_[cell] += margin - frame_gap / 2;
          bottom = std::max(bottom, heights_[cell] + frame_gap);
        }
      spans_.emplace_back(x, x + width);
      x += width + column_gap;
    }
    width_ = x - column_gap - margin;
    // Tasks without edges to others are in rows below.
    std::int64_t row = bottom;
    x = margin;
    double area = 0;
    for (std::size_t index = 0; index < frames.size(); ++index)
      if (!placed[index])
        area += static_cast<double>(frames[index].width + frame_gap) * static_cast<double>(frames[index].height);
    const std::int64_t most = std::max({width_, width_of_rows, static_cast<std::int64_t>(std::sqrt(area))});
    for (std::size_t index = 0; index < frames.size(); ++index) {
      if (placed[index]) continue;
      if (x > margin && x + frames[index].width > margin + most) {
        x = margin;
        row = bottom;
      }
      put(frames[index], x, row);
      x += frames[index].width + frame_gap;
      width_ = std::max(width_, x - frame_gap - margin);
      bottom = std::max(bottom, row + frames[index].height + frame_gap);
    }
    height_ = bottom + (note_.empty() ? 24 : 44) * pixel;
  }

  void put(Frame& frame, std::int64_t x, std::int64_t y) {
    frame.x = x;
    frame.y = y;
    const std::int64_t stack = frame.width / static_cast<std::int64_t>(frame.stacks);
    for (std::size_t index = frame.first; index < frame.last; ++index) {
      Box& box = boxes[index];
      box.x = x + static_cast<std::int64_t>(box.stack) * stack + left_of_stack(frame);
      box.y += y;
      box.width = stack - left_of_stack(frame) - inset;
    }
  }

  void draw(const Frame& frame, std::string& text) const {
    text += fmt::format(
        "<g class=\"task\" data-task=\"{}\">\n<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\" fill=\"{}\" "
        "stroke=\"{}\"{}/>\n<text x=\"{}\" y=\"{}\" font-weight=\"bold\">{}</text>\n",
        escaped(frame.name), number(frame.x), number(frame.y), number(frame.width), number(frame.height),
        frame.device ? "#EAF6F1" : "#F6F6F6", frame.device ? "#009E73" : "#999999",
        frame.device ? " stroke-width=\"1.5\"" : "", number(frame.x + inset), number(frame.y + 17 * pixel),
        escaped(frame.title));
    for (std::size_t index = frame.first; index < frame.last; ++index) draw(boxes[index], text);
    for (const Connection& step : steps)
      if (step.from >= frame.first && step.from < frame.last) draw(step, frame, text);
    text += "</g>\n";
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

  void draw(const Connection& step, const Frame& frame, std::string& text) const {
    const Box &from = boxes[step.from], &to = boxes[step.to];
    const std::int64_t start = from.y + from.height - 8 * pixel, end = to.y + 11 * pixel;
    std::string path;
    if (from.stack != to.stack) {  // over the stacks in between
      const std::int64_t over = frame.y + frame_title - 3 * pixel;
      path = fmt::format("M{} {}h{}V{}H{}V{}H{}", number(from.x + from.width), number(start), number(5 * pixel),
                         number(over), number(to.x - 6 * pixel), number(end), number(to.x));
    } else if (!step.skips()) {
      path = fmt::format("M{} {}V{}", number(from.x + 14 * pixel), number(from.y + from.height), number(to.y));
    } else {
      path = fmt::format("M{} {}h-{}V{}H{}", number(from.x), number(start), number((step.lane + 1) * lane), number(end),
                         number(to.x));
    }
    text += drawn(EdgeKind::sequence, path, step.label);
    if (!step.label.empty())
      text += label_at(step.label, to.x + 20 * pixel, to.y - 5 * pixel, edge_style_of(EdgeKind::sequence).colour);
  }

  static std::string drawn(EdgeKind kind, const std::string& path, const std::string& label) {
    const EdgeStyle style = edge_style_of(kind);
    return fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{} marker-end=\"url(#arrow-{})\">{}</path>\n",
        path, style.colour, style.width,
        style.dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", style.dashes), to_string(kind),
        label.empty() ? "" : fmt::format("<title>{}: {}</title>", to_string(kind), escaped(label)));
  }

  /// With a white outline, to be readable over lines.
  static std::string label_at(const std::string& label, std::int64_t x, std::int64_t y, std::string_view style) {
    return fmt::format(
        "<text x=\"{}\" y=\"{}\" font-size=\"10\" fill=\"{}\" stroke=\"#FFFFFF\" stroke-width=\"3\" "
        "paint-order=\"stroke\">{}</text>\n",
        number(x), number(y), style, escaped(shortened(label)));
  }

  struct Point {
    std::int64_t x, y;
  };

  /// Where a link meets the box of an activity, or for data the frame.
  Point end_of(const Link& link, const Place& place, bool right, bool forward) const {
    const Frame& frame = frames[place.frame];
    const std::int64_t edge = right ? frame.x + frame.width : frame.x;
    if (link.kind == EdgeKind::data) return {edge, frame.y + port + (forward ? -4 : 4) * pixel};
    const Box& box = boxes[place.box];
    const std::size_t lines = place.line + (box.title.empty() ? 0 : 1);
    const std::int64_t y =
        std::min(box.y + 11 * pixel + static_cast<std::int64_t>(lines) * line_height, box.y + box.height - 8 * pixel);
    if (box.stack != (right ? frame.stacks - 1 : 0)) return {edge, y};
    return {right ? box.x + box.width : box.x, y};
  }

  /// `before` links of the same tasks have been drawn.
  void draw(const Link& link, std::int64_t before, std::string& text) const {
    const std::vector<std::size_t>& route = columns_.routes[routes_.at(pair_of(link))];
    const bool loop = link.from.frame == link.to.frame, forward = loop || route.front() == link.from.frame;
    std::vector<Point> points = {end_of(link, forward ? link.from : link.to, true, forward)};
    for (std::size_t step = 1; step + 1 < route.size(); ++step) {
      const std::size_t column = column_of(frames[route.front()]) + step;
      const std::int64_t y = heights_[route[step]] + before * beside;
      points.push_back({spans_[column].first, y});
      points.push_back({spans_[column].second, y});
    }
    points.push_back(end_of(link, forward ? link.to : link.from, loop, forward));
    if (!forward) std::reverse(points.begin(), points.end());
    std::string path = fmt::format("M{} {}", number(points[0].x), number(points[0].y));
    for (std::size_t i = 1; i < points.size(); ++i) {
      const Point &a = points[i - 1], &b = points[i];
      if (i % 2 == 0)
        path += fmt::format("H{}", number(b.x));
      else
        path += loop ? fmt::format("C{0} {1} {0} {2} {3} {2}", number(a.x + column_gap / 2), number(a.y), number(b.y),
                                   number(b.x))
                     : fmt::format("C{0} {1} {0} {2} {3} {2}", number((a.x + b.x) / 2), number(a.y), number(b.y),
                                   number(b.x));
    }
    text += fmt::format("<g class=\"link {}\" data-from=\"{}\" data-to=\"{}\">\n", to_string(link.kind),
                        escaped(frames[link.from.frame].name), escaped(frames[link.to.frame].name));
    text += drawn(link.kind, path, fmt::format("{}", fmt::join(link.labels, ", ")));
    if (link.kind == EdgeKind::data && link.labels.size() > 1) {
      // Where the link passes a column it is alone; else halfway.
      const bool passes = points.size() > 2;
      const std::int64_t x = passes ? std::min(points[1].x, points[2].x) : (points[0].x + points[1].x) / 2 - 18 * pixel;
      const std::int64_t y = passes ? points[1].y : (points[0].y + points[1].y) / 2;
      text += label_at(counted(link.labels.size(), "label"), x, y - 3 * pixel, edge_style_of(link.kind).colour);
    }
    text += "</g>\n";
  }

  std::size_t column_of(const Frame& frame) const {
    const auto after = std::upper_bound(spans_.begin(), spans_.end(), frame.x,
                                        [](std::int64_t x, const auto& span) { return x < span.first; });
    return static_cast<std::size_t>(after - spans_.begin()) - 1;
  }

  std::string legend() {
    std::string text;
    std::int64_t x = margin;
    const std::int64_t y = height_ - (note_.empty() ? 14 : 34) * pixel;
    for (const auto& [kind, words] : std::array<std::pair<EdgeKind, std::string_view>, 4>{
             {{EdgeKind::sequence, "then"},
              {EdgeKind::trigger, "activates"},
              {EdgeKind::event, "sets an event for"},
              {EdgeKind::data, "writes labels that the other reads"}}}) {
      const bool present = kind == EdgeKind::sequence
                               ? !steps.empty()
                               : std::any_of(links.begin(), links.end(),
                                             [wanted = kind](const Link& link) { return link.kind == wanted; });
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
    if (!note_.empty())
      text += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"11\">{}</text>\n", number(margin),
                          number(height_ - 10 * pixel), escaped(note_));
    width_ = std::max({width_, x - 22 * pixel - margin, svg::letters(note_) * letter});
    return text;
  }

  std::string note_;
  std::int64_t width_ = 0, height_ = 0;
  Columns columns_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> routes_;  ///< by pair of frames
  std::vector<std::int64_t> heights_;                                  ///< per cell
  std::vector<std::pair<std::int64_t, std::int64_t>> spans_;           ///< of the columns, from left to right
};

/// The tasks as frames, and the edges between their activities as links.
class Picture {
 public:
  Picture(const System& system, const RunnableGraph& graph) : system_(system), graph_(graph), places_(graph.size()) {}

  /// Every activity. The nodes of one box are those of a runnable, as long as execution has no alternative.
  void add(const Task& task, const std::vector<NodeIndex>& body) {
    if (body.empty()) return;
    begin(task);
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (i == 0 || begins_box(body[i - 1], body[i])) open_box(body[i]);
      Box& box = drawing_.boxes.back();
      places_[body[i]] = {drawing_.frames.size() - 1, drawing_.boxes.size() - 1, box.lines.size()};
      const GraphNode& node = graph_[body[i]];
      if (std::holds_alternative<Call>(node.activity)) {
        if (box.title.empty()) box.title = node.name;
        continue;
      }
      for (const std::string& line : describe(system_, node)) box.lines.push_back({line, kind_name(node.activity)});
    }
    drawing_.frames.back().last = drawing_.boxes.size();
  }

  void add_summary(const Task& task) {
    if (task.body.empty()) return;
    begin(task);
    drawing_.boxes.push_back(summary_of(task));
    drawing_.frames.back().last = drawing_.boxes.size();
    for (const NodeIndex node : task.body) places_[node] = {drawing_.frames.size() - 1, drawing_.boxes.size() - 1, 0};
  }

  std::string render() {
    std::map<std::tuple<EdgeKind, std::size_t, std::size_t, std::size_t, std::size_t>, std::size_t> links;
    for (const auto edge : boost::make_iterator_range(boost::edges(graph_.boost()))) {
      const Place from = places_[boost::source(edge, graph_.boost())],
                  to = places_[boost::target(edge, graph_.boost())];
      const GraphEdge& payload = graph_.boost()[edge];
      if (payload.kind == EdgeKind::sequence) {
        if (from.box != to.box || to.line < from.line) drawing_.steps.push_back({from.box, to.box, payload.label});
        continue;
      }
      const auto key = payload.kind == EdgeKind::data
                           ? std::make_tuple(payload.kind, from.frame, to.frame, std::size_t{0}, std::size_t{0})
                           : std::make_tuple(payload.kind, from.box, to.box, from.line, to.line);
      const auto [found, first] = links.try_emplace(key, drawing_.links.size());
      if (first) drawing_.links.push_back({payload.kind, from, to, {}});
      drawing_.links[found->second].labels.push_back(payload.label);
    }
    for (const Chain& chain : system_.chains)
      for (std::size_t i = 1; i < chain.tasks.size(); ++i) {
        const auto from = frames_.find(chain.tasks[i - 1]), to = frames_.find(chain.tasks[i]);
        if (from != frames_.end() && to != frames_.end()) drawing_.chained.emplace(from->second, to->second);
      }
    return drawing_.render();
  }

 private:
  void begin(const Task& task) {
    frames_[static_cast<TaskIndex>(&task - system_.tasks.data())] = drawing_.frames.size();
    drawing_.frames.push_back({task.name, fmt::format("{} on {}", task.name, system_.platform.units[task.unit].name),
                               task.side == Side::device, drawing_.boxes.size(), 0});
  }

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

  Box summary_of(const Task& task) const {
    Box box;
    std::set<RunnableIndex> runnables;
    std::size_t accesses = 0, operations = 0;
    for (const NodeIndex node : task.body) {
      const GraphNode& payload = system_.graph[node];
      if (payload.runnable) runnables.insert(*payload.runnable);
      const std::string_view kind = kind_name(payload.activity);
      accesses += kind == "read" || kind == "write" ? 1 : 0;
      operations += std::holds_alternative<Copy>(payload.activity) || std::holds_alternative<Kernel>(payload.activity);
    }
    box.lines.push_back({counted(runnables.size(), "runnable"), ""});
    if (accesses > 0)
      box.lines.push_back({accesses == 1 ? "1 label access" : fmt::format("{} label accesses", accesses), ""});
    if (operations > 0) box.lines.push_back({counted(operations, "GPU operation"), ""});
    return box;
  }

  const System& system_;
  const RunnableGraph& graph_;
  std::vector<Place> places_;
  std::map<TaskIndex, std::size_t> frames_;
  DrawingBuilder drawing_;
};

}  // namespace

std::string render_graph_svg(const System& system, std::optional<TaskIndex> task) {
  if (!task) {
    Picture picture(system, system.graph);
    for (const Task& candidate : system.tasks) picture.add(candidate, candidate.body);
    return picture.render();
  }
  const RunnableGraph graph = task_graph(system, *task);
  Picture picture(system, graph);
  std::vector<NodeIndex> body(graph.size());
  for (NodeIndex node = 0; node < body.size(); ++node) body[node] = node;
  picture.add(system.tasks[*task], body);
  return picture.render();
}

std::string render_graph_overview_svg(const System& system, std::size_t most) {
  if (system.graph.size() <= most) return render_graph_svg(system, std::nullopt);
  Picture picture(system, system.graph);
  for (const Task& task : system.tasks) picture.add_summary(task);
  return picture.render();
}

}  // namespace amalthea::exporter
