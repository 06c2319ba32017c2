#include "exporter/annotation.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "exporter/splice.hpp"

namespace amalthea::exporter {
namespace {

constexpr std::string_view xsi_namespace = "http://www.w3.org/2001/XMLSchema-instance";

// ---------------------------------------------------------------- what is written

void add_statistics(std::vector<Property>& properties, const engine::TaskResult& result) {
  properties.push_back({"jobs", static_cast<std::int64_t>(result.response.jobs)});
  if (result.response.jobs == 0) return;  // a time that is not known is not written
  properties.push_back({"responseTime.min", result.response.min});
  properties.push_back({"responseTime.mean", result.response.mean});
  properties.push_back({"responseTime.max", result.response.max});
}

Annotation annotation_of_task(const Model& model, const ResultView& view, TaskIndex index) {
  const Task& task = view.system.tasks[index];
  const engine::TaskResult& result = view.results.tasks[index];
  Annotation annotation{model.element(task.origin), {}};
  add_statistics(annotation.properties, result);
  if (task.deadline) annotation.properties.push_back({"deadline", *task.deadline});
  annotation.properties.push_back({"verdict", std::string(to_string(result.verdict))});
  annotation.properties.push_back({"reason", result.reason});
  return annotation;
}

std::string_view key_of(engine::ResourceKind kind) {
  switch (kind) {
    case engine::ResourceKind::core:
      return "core";
    case engine::ResourceKind::execution_engine:
      return "executionEngine";
    case engine::ResourceKind::copy_engine:
      return "copyEngine";
  }
  return "core";
}

// ---------------------------------------------------------------- how it is written

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

  /// Blanks and tabs before `offset` back to the beginning of its line; nothing when other text stands there.
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

  /// Where the line end and the blanks before `offset` begin; `offset` itself when other text stands there.
  std::uint32_t line_end_before(std::uint32_t offset) const {
    std::uint32_t at = offset;
    while (at >= source_.bom_size() + unit_ && (ascii_at(at - unit_) == ' ' || ascii_at(at - unit_) == '\t'))
      at -= unit_;
    if (at < source_.bom_size() + unit_ || ascii_at(at - unit_) != '\n') return offset;
    at -= unit_;
    if (at >= source_.bom_size() + unit_ && ascii_at(at - unit_) == '\r') at -= unit_;
    return at;
  }

  /// How many white space characters stand directly before `offset`.
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

class Writer {
 public:
  explicit Writer(const Document& document) : document_(document), layout_(document) {
    const std::string& prefix = document.metamodel_prefix();
    type_prefix_ = prefix.empty() ? "" : prefix + ":";
    xsi_prefix_ = document.xsi_prefix();
    if (xsi_prefix_.empty()) {
      xsi_prefix_ = "xsi";
      xsi_declaration_ = fmt::format(" xmlns:xsi=\"{}\"", xsi_namespace);
    }
  }

  void add(const Annotation& annotation, std::vector<Splice>& splices) const {
    const Span start = annotation.element.start_tag();
    const auto own_indentation = layout_.indentation(start.begin);
    const std::string inner = own_indentation ? std::string(layout_.line_end()) + *own_indentation +
                                                    step(annotation.element, *own_indentation)
                                              : "";
    std::string text;
    for (const Property& property : annotation.properties)
      text += inner + property_text(property, inner, own_indentation ? step(annotation.element, *own_indentation) : "");
    if (annotation.element.record().self_closing()) {
      const std::uint32_t slash = start.end - 2 * layout_.unit();
      splices.push_back({{slash, slash + layout_.unit()}, ""});
      if (own_indentation) text += std::string(layout_.line_end()) + *own_indentation;
      splices.push_back(
          {{start.end, start.end},
           layout_.encode(text) + layout_.encode("</") + tag_as_written(annotation.element) + layout_.encode(" >")});
    } else {
      splices.push_back({{start.end, start.end}, layout_.encode(text)});
      // One blank in the end tag means `<x/>`, so an end tag that has blanks of its own gets one more.
      const std::uint32_t bracket = annotation.element.end_tag().end - layout_.unit();
      if (layout_.blanks_before(bracket) > 0) splices.push_back({{bracket, bracket}, layout_.encode(" ")});
    }
  }

 private:
  /// What one level of nesting adds to the indentation: from the first child, else from the parent, else two blanks.
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

  std::string tag_as_written(Element element) const {
    std::uint32_t at = element.record().begin + layout_.unit();
    const std::uint32_t begin = at;
    const auto ends_name = [](char c) {
      return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '/' || c == '>';
    };
    while (!ends_name(layout_.ascii_at(at))) at += layout_.unit();
    return std::string(document_.source().text({begin, at}));
  }

  std::string property_text(const Property& property, const std::string& line, const std::string& deeper) const {
    return fmt::format("<customProperties key=\"{}{}\">{}{}<value {}/>{}</customProperties>", annotation_prefix,
                       escape_attribute(property.key), line, deeper, value_text(property), line);
  }

  std::string value_text(const Property& property) const {
    const auto typed = [this](std::string_view type, const std::string& rest) {
      return fmt::format("{}:type=\"{}{}\"{} {}", xsi_prefix_, type_prefix_, type, xsi_declaration_, rest);
    };
    if (const auto* time = std::get_if<Duration>(&property.value))
      return typed(document_.version() >= Version::v0_9_1 ? "Time" : "TimeObject",
                   fmt::format("value=\"{}\" unit=\"ps\"", time->picoseconds()));
    if (const auto* number = std::get_if<double>(&property.value))
      return typed("DoubleObject", fmt::format("value=\"{:.6f}\"", *number));
    if (const auto* count = std::get_if<std::int64_t>(&property.value))
      return typed("LongObject", fmt::format("value=\"{}\"", *count));
    return typed("StringObject", fmt::format("value=\"{}\"", escape_attribute(std::get<std::string>(property.value))));
  }

  const Document& document_;
  Layout layout_;
  std::string type_prefix_;
  std::string xsi_prefix_;
  std::string xsi_declaration_;
};

bool is_annotation(Element element) {
  return element.tag() == "customProperties" && element.attribute_or("key", "").starts_with(annotation_prefix);
}

/// Nothing but annotations and white space between the tags: no content that somebody added later.
bool holds_only_annotations(Element element, const Layout& layout) {
  std::uint32_t at = element.start_tag().end;
  const auto blank_up_to = [&](std::uint32_t end) { return layout.blanks_before(end) * layout.unit() >= end - at; };
  for (const Element child : element.children()) {
    if (!is_annotation(child) || !blank_up_to(child.record().begin)) return false;
    at = child.span().end;
  }
  return blank_up_to(element.end_tag().begin);
}

}  // namespace

std::vector<Annotation> annotations_of(const Model& model, const ResultView& view) {
  std::vector<Annotation> annotations;
  annotations.push_back({model.documents().front()->root(),
                         {{"origin", fmt::format("{} {}: simulated {} with {} execution times; model {}", tool_name,
                                                 tool_version, format_duration(view.results.horizon),
                                                 to_string(view.results.execution), view.model.hash)}}});
  for (TaskIndex task = 0; task < view.system.tasks.size(); ++task)
    annotations.push_back(annotation_of_task(model, view, task));
  for (UnitIndex unit = 0; unit < view.system.platform.units.size(); ++unit) {
    Annotation annotation{model.element(view.system.platform.units[unit].origin), {}};
    for (const engine::ResourceResult& resource : view.results.resources) {
      if (resource.unit != unit) continue;
      const std::string key(key_of(resource.kind));
      annotation.properties.push_back({key + ".utilization", resource.utilization});
      annotation.properties.push_back({key + ".demand", resource.demand});
      annotation.properties.push_back({key + ".verdict", std::string(resource.overloaded() ? "overloaded" : "ok")});
    }
    annotations.push_back(std::move(annotation));
  }
  return annotations;
}

std::string annotate(const Document& document, const std::vector<Annotation>& annotations) {
  const Writer writer(document);
  std::vector<Splice> splices;
  for (const Annotation& annotation : annotations)
    if (&annotation.element.document() == &document && !annotation.properties.empty()) writer.add(annotation, splices);
  return apply(document.source().bytes(), std::move(splices));
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
  for (std::uint32_t index = 0; index < document.size(); ++index) {
    const Element element = document.element(index);
    // What stands inside of something that goes anyway, such as an annotation in an annotation, goes with it.
    if (!is_annotation(element) || !element.parent() || element.record().begin < removed_up_to) continue;
    const Element parent = element.parent();
    if (visited.insert(parent.index()).second) {
      const std::uint32_t bracket = parent.end_tag().end - layout.unit();
      const std::uint32_t blanks = layout.blanks_before(bracket);
      if (blanks == 1 && holds_only_annotations(parent, layout)) {  // written `<x/>` before it was annotated
        const std::uint32_t open_end = parent.start_tag().end;
        splices.push_back({{open_end - layout.unit(), open_end - layout.unit()}, layout.encode("/")});
        remove({open_end, parent.span().end});
        continue;
      }
      if (blanks > 1) splices.push_back({{bracket - layout.unit(), bracket}, ""});  // the one that annotating added
    }
    remove({layout.line_end_before(element.record().begin), element.span().end});
  }
  return apply(document.source().bytes(), std::move(splices));
}

}  // namespace amalthea::exporter
