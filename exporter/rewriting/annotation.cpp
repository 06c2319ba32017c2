// SPDX-License-Identifier: Apache-2.0
#include "exporter/rewriting/annotation.hpp"
#include "exporter/primitives/splice.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include <fmt/core.h>

namespace amalthea::exporter {
namespace {

constexpr std::string_view xsi_namespace = "http://www.w3.org/2001/XMLSchema-instance";

/// Reads white space and line ends of a document in its own encoding.
class Layout {
 public:
  explicit Layout(const Document& document) : source_(document.source()), unit_(source_.unit()) {
    for (std::uint32_t at = source_.bom_size(); at + unit_ <= source_.bytes().size(); at += unit_) {
      if (ascii_at(at) != '\n') continue;
      has_lines_ = true;
      line_end_ = ascii_at(at - unit_) == '\r' ? "\r\n" : "\n";
      break;
    }
  }

  std::uint32_t unit() const { return unit_; }
  std::string_view line_end() const { return line_end_; }

  /// Blanks and tabs between `offset` and the beginning of its line; nothing if there is other text.
  std::optional<std::string> indentation(std::uint32_t offset) const {
    if (!has_lines_) return std::nullopt;
    std::string blanks;
    while (offset >= source_.bom_size() + unit_) {
      offset -= unit_;
      const char c = ascii_at(offset);
      if (c == '\n') return std::string(blanks.rbegin(), blanks.rend());
      if (c != ' ' && c != '\t') return std::nullopt;
      blanks += c;
    }
    return std::nullopt;
  }

  /// The start of the line end and the blanks before `offset`; `offset` itself if there is other text.
  std::uint32_t line_end_before(std::uint32_t offset) const {
    std::uint32_t at = offset;
    while (at >= source_.bom_size() + unit_ && (ascii_at(at - unit_) == ' ' || ascii_at(at - unit_) == '\t'))
      at -= unit_;
    if (at < source_.bom_size() + unit_ || ascii_at(at - unit_) != '\n') return offset;
    at -= unit_;
    if (at >= source_.bom_size() + unit_ && ascii_at(at - unit_) == '\r') at -= unit_;
    return at;
  }

  /// The number of white space characters directly before `offset`.
  std::uint32_t blanks_before(std::uint32_t offset) const {
    std::uint32_t count = 0;
    for (; offset >= source_.bom_size() + unit_; ++count) {
      offset -= unit_;
      const char c = ascii_at(offset);
      if (c != ' ' && c != '\t' && c != '\r' && c != '\n') break;
    }
    return count;
  }

  std::string encode(std::string_view ascii) const { return encode_ascii(ascii, source_.encoding()); }

  char ascii_at(std::uint32_t offset) const { return source_.ascii_at(offset); }

 private:
  const SourceText& source_;
  std::uint32_t unit_;
  bool has_lines_ = false;
  std::string_view line_end_;
};

/// The order in which EMF writes the children of an element: by feature. Unknown tags come first.
std::size_t feature_order(const std::vector<const Feature*>& features, std::string_view tag) {
  const auto found =
      std::find_if(features.begin(), features.end(), [tag](const Feature* feature) { return feature->name == tag; });
  return found == features.end() ? 0 : static_cast<std::size_t>(found - features.begin()) + 1;
}

class Writer {
 public:
  /// `marks`: whether end tags mark elements written as `<x/>` for `strip`.
  Writer(const Document& document, bool marks) : document_(document), layout_(document), marks_(marks) {
    const std::string& prefix = document.metamodel_prefix();
    type_prefix_ = prefix.empty() ? "" : prefix + ":";
    xsi_prefix_ = document.xsi_prefix();
    if (xsi_prefix_.empty()) {
      xsi_prefix_ = "xsi";
      xsi_declaration_ = fmt::format(" xmlns:xsi=\"{}\"", xsi_namespace);
    }
  }

  void add(const Annotation& annotation) {
    const Element element = annotation.element;
    const Span start = element.start_tag();
    const auto own_indentation = layout_.indentation(start.begin);
    const Lines lines{own_indentation ? std::string(layout_.line_end()) + *own_indentation : "",
                      own_indentation ? step(element, *own_indentation) : ""};
    std::string first;  // right after the start tag
    std::vector<Splice> later;
    if (can_hold_properties(element))
      for (const Property& property : annotation.properties)
        first += text(property_element(property, document_.version()), lines.deeper());
    std::map<std::string, std::uint32_t, std::less<>> places;  // by tag
    for (const NewElement& child : annotation.elements) {
      const auto [place, added] = places.emplace(child.tag, 0);
      if (added) place->second = place_of(element, child.tag);
      const std::string inserted = text(child, lines.deeper());
      if (place->second == start.end)
        first += inserted;
      else
        later.push_back({{place->second, place->second}, layout_.encode(inserted)});
    }
    if (first.empty() && later.empty()) return;
    if (element.record().self_closing()) {
      const std::uint32_t slash = start.end - 2 * layout_.unit();
      inside_.push_back({{slash, slash + layout_.unit()}, ""});
      first += lines.line;
      inside_.push_back({{start.end, start.end},
                         layout_.encode(first) + layout_.encode("</") + tag_as_written(element) +
                             layout_.encode(marks_ ? " >" : ">")});
    } else {
      if (!first.empty()) inside_.push_back({{start.end, start.end}, layout_.encode(first)});
      // One blank in the end tag means `<x/>`, so an end tag that already has blanks gets one more.
      const std::uint32_t bracket = element.end_tag().end - layout_.unit();
      if (marks_ && layout_.blanks_before(bracket) > 0) inside_.push_back({{bracket, bracket}, layout_.encode(" ")});
    }
    std::move(later.begin(), later.end(), std::back_inserter(behind_));
  }

  Splice replacement(Element old, const NewElement& by) const {
    const auto own = layout_.indentation(old.start_tag().begin);
    const Lines lines{own ? std::string(layout_.line_end()) + *own : "", own ? step(old, *own) : ""};
    return {old.span(), layout_.encode(text(by, lines).substr(lines.line.size()))};
  }

  /// Content of an element precedes what follows the element: `<x/>` may be opened and followed by something.
  std::vector<Splice> splices() && {
    std::move(behind_.begin(), behind_.end(), std::back_inserter(inside_));
    return std::move(inside_);
  }

 private:
  /// The beginning of a line including the line end, and one level of indentation; both "" if no lines are added.
  struct Lines {
    std::string line;
    std::string step;
    Lines deeper() const { return {line + step, step}; }
  };

  /// One level of indentation: from the first child, else from the parent, else two blanks.
  std::string step(Element element, const std::string& own) const {
    for (const Element child : element.children()) {
      const auto inner = layout_.indentation(child.record().begin);
      if (inner && inner->starts_with(own)) return inner->substr(own.size());
      break;
    }
    if (const Element parent = element.parent())
      if (const auto outer = layout_.indentation(parent.record().begin);
          outer && own.starts_with(*outer) && own.size() > outer->size())
        return own.substr(outer->size());
    return "  ";
  }

  /// The position of a new child with this tag: after the last one that EMF writes before it, or that has the same tag.
  std::uint32_t place_of(Element element, std::string_view tag) const {
    std::uint32_t place = element.start_tag().end;
    if (!element.cls()) return place;
    const auto features = metamodel::all_features(*element.cls(), document_.version());
    const std::size_t own = feature_order(features, tag);
    for (const Element child : element.children()) {
      const std::size_t order = feature_order(features, child.tag());
      if (order > 0 && order <= own) place = child.span().end;
    }
    return place;
  }

  std::string tag_as_written(Element element) const {
    std::uint32_t at = element.record().begin + layout_.unit();
    const std::uint32_t begin = at;
    const auto ends_name = [](char c) {
      return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '/' || c == '>';
    };
    while (!ends_name(layout_.ascii_at(at))) at += layout_.unit();
    return std::string(document_.source().text({begin, at}));
  }

  std::string text(const NewElement& element, const Lines& lines) const {
    std::string text = fmt::format("{}<{}", lines.line, element.tag);
    if (!element.type.empty())
      text += fmt::format(" {}:type=\"{}{}\"{}", xsi_prefix_, type_prefix_, element.type, xsi_declaration_);
    for (const auto& [name, value] : element.attributes)
      text += fmt::format(" {}=\"{}\"", name, escape_attribute(value));
    if (element.children.empty()) return text + "/>";
    text += '>';
    for (const NewElement& child : element.children) text += this->text(child, lines.deeper());
    return text + fmt::format("{}</{}>", lines.line, element.tag);
  }

  const Document& document_;
  Layout layout_;
  bool marks_;
  std::string type_prefix_;
  std::string xsi_prefix_;
  std::string xsi_declaration_;
  std::vector<Splice> inside_;  // after start tags and in end tags
  std::vector<Splice> behind_;  // after a child
};

bool is_property(Element element) {
  return element.tag() == "customProperties" && element.attribute_or("key", "").starts_with(annotation_prefix);
}

bool has_mark(Element element, std::string_view mark) {
  for (const Element child : element.children())
    if (is_property(child) && child.attribute_or("key", "").substr(annotation_prefix.size()) == mark) return true;
  return false;
}

bool is_container(Element element) {
  const Element parent = element.parent();
  return parent && !parent.parent() && (element.tag() == "constraintsModel" || element.tag() == "measurementModel");
}

bool holds_only_annotations(Element element, const Layout& layout);

/// Whether the whole element was inserted, and contains nothing else.
bool is_annotation(Element element, const Layout& layout) {
  if (!element.parent()) return false;
  if (is_property(element)) return true;
  if (element.tag() == "requirements" || element.tag() == "measurements")
    return is_container(element.parent()) && has_mark(element, element_mark);
  return is_container(element) && has_mark(element, container_mark) && holds_only_annotations(element, layout);
}

/// Only annotations and white space between the tags: no content that was added later.
bool holds_only_annotations(Element element, const Layout& layout) {
  std::uint32_t at = element.start_tag().end;
  const auto blank_up_to = [&](std::uint32_t end) { return layout.blanks_before(end) * layout.unit() >= end - at; };
  for (const Element child : element.children()) {
    if (!is_annotation(child, layout) || !blank_up_to(child.record().begin)) return false;
    at = child.span().end;
  }
  return blank_up_to(element.end_tag().begin);
}

}  // namespace

TimeText time_text(Duration time, Version version, Rounding rounding) {
  const Feature* feature = nullptr;
  if (const auto cls = metamodel::find_class("Time")) feature = metamodel::find_feature(*cls, "value", version);
  if (feature == nullptr || feature->type_name != "EInt") return {time.picoseconds(), "ps"};
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> units{
      {{"ps", 1}, {"ns", 1'000}, {"us", 1'000'000}, {"ms", 1'000'000'000}}};
  for (const auto& [unit, picoseconds] : units)
    if (const std::int64_t value = detail::divide(time.picoseconds(), picoseconds, rounding);
        value <= std::numeric_limits<std::int32_t>::max())
      return {value, unit};
  return {detail::divide(time.picoseconds(), 1'000'000'000'000, rounding), "s"};
}

bool can_hold_properties(Element element) {
  return element.cls() &&
         metamodel::find_feature(*element.cls(), "customProperties", element.document().version()) != nullptr;
}

std::string_view time_value_class(Version version) {
  const auto cls = metamodel::find_class("Time"), values = metamodel::find_class("Value");
  return cls && values && metamodel::is_a(*cls, *values, version) ? "Time" : "TimeObject";
}

NewElement property_element(const Property& property, Version version) {
  NewElement value{"value", {}, {}, {}};
  if (const auto* time = std::get_if<Duration>(&property.value)) {
    const TimeText text = time_text(*time, version, property.rounding);
    value.type = time_value_class(version);
    value.attributes = {{"value", fmt::format("{}", text.value)}, {"unit", std::string(text.unit)}};
  } else if (const auto* number = std::get_if<double>(&property.value)) {
    value.type = "DoubleObject";
    value.attributes = {{"value", fmt::format("{:.6f}", *number)}};
  } else if (const auto* count = std::get_if<std::int64_t>(&property.value)) {
    value.type = "LongObject";
    value.attributes = {{"value", fmt::format("{}", *count)}};
  } else if (const auto* flag = std::get_if<bool>(&property.value)) {
    value.type = "BooleanObject";
    value.attributes = {{"value", *flag ? "true" : "false"}};
  } else {
    value.type = "StringObject";
    value.attributes = {{"value", std::get<std::string>(property.value)}};
  }
  return {"customProperties", {}, {{"key", std::string(annotation_prefix) + property.key}}, {std::move(value)}};
}

namespace {

std::vector<Splice> splices_of(const Document& document, const std::vector<Annotation>& annotations, bool marks) {
  std::map<std::uint32_t, Annotation> by_element;
  for (const Annotation& annotation : annotations) {
    if (&annotation.element.document() != &document) continue;
    Annotation& sum = by_element[annotation.element.index()];
    sum.element = annotation.element;
    sum.properties.insert(sum.properties.end(), annotation.properties.begin(), annotation.properties.end());
    sum.elements.insert(sum.elements.end(), annotation.elements.begin(), annotation.elements.end());
  }
  Writer writer(document, marks);
  for (const auto& [index, annotation] : by_element) writer.add(annotation);
  return std::move(writer).splices();
}

}  // namespace

std::string annotate(const Document& document, const std::vector<Annotation>& annotations) {
  return apply(document.source().bytes(), splices_of(document, annotations, true));
}

std::vector<Splice> insertions(const Document& document, const std::vector<Annotation>& annotations) {
  return splices_of(document, annotations, false);
}

Splice replacement(const Document& document, Element old, const NewElement& by) {
  return Writer(document, false).replacement(old, by);
}

std::vector<Element> annotations_in(const Document& document) {
  const Layout layout(document);
  std::vector<Element> found;
  std::uint32_t up_to = 0;
  for (std::uint32_t index = 0; index < document.size(); ++index) {
    const Element element = document.element(index);
    // Content of a removed element, such as an annotation in an annotation, is removed with it.
    if (element.record().begin < up_to || !is_annotation(element, layout)) continue;
    found.push_back(element);
    up_to = element.span().end;
  }
  return found;
}

std::string strip(const Document& document) {
  const Layout layout(document);
  std::vector<Splice> splices;
  std::set<std::uint32_t> visited;  // parents
  std::uint32_t removed_up_to = 0;
  const auto remove = [&](Span span) {
    splices.push_back({span, ""});
    removed_up_to = span.end;
  };
  for (const Element element : annotations_in(document)) {
    if (element.record().begin < removed_up_to) continue;  // removed with its parent's content
    const Element parent = element.parent();
    if (visited.insert(parent.index()).second) {
      const std::uint32_t bracket = parent.end_tag().end - layout.unit();
      const std::uint32_t blanks = layout.blanks_before(bracket);
      if (blanks == 1 && holds_only_annotations(parent, layout)) {  // it was `<x/>` before annotating
        const std::uint32_t open_end = parent.start_tag().end;
        splices.push_back({{open_end - layout.unit(), open_end - layout.unit()}, layout.encode("/")});
        remove({open_end, parent.span().end});
        continue;
      }
      // The blank that annotating added, even if something has been added since to the former `<x/>`.
      if (blanks > 0) splices.push_back({{bracket - layout.unit(), bracket}, ""});
    }
    remove({layout.line_end_before(element.record().begin), element.span().end});
  }
  return apply(document.source().bytes(), std::move(splices));
}

}  // namespace amalthea::exporter
