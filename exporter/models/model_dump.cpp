// SPDX-License-Identifier: Apache-2.0
#include "exporter/models/model_dump.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "amalthea/attribute_value.hpp"
#include "amalthea/editable_model.hpp"
#include "amalthea/identifier.hpp"
#include "amalthea/primitives/visible_text.hpp"

namespace amalthea::exporter {
namespace {

namespace fs = std::filesystem;

void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view special = "\\\n\r\t", letters = "\\nrt";
  for (const char c : text)
    if (const std::size_t which = special.find(c); which == std::string_view::npos)
      out += c;
    else
      out.append("\\").append(1, letters[which]);
}

/// A value in EMF's form as the dump shows it.
std::string shown(const std::optional<std::string>& value, ValueKind kind) {
  if (!value) return "null";
  std::string text;
  if (kind != ValueKind::real32 && kind != ValueKind::real64) {
    append_escaped(text, *value);
    return text;
  }
  double number = parse_java_real(*value).value_or(0.0);
  if (kind == ValueKind::real32) number = static_cast<double>(static_cast<float>(number));
  char buffer[64];
  const int size = std::snprintf(buffer, sizeof buffer, "%.16e", number);
  return text.assign(buffer, static_cast<std::size_t>(size));
}

/// What the dump needs to know of a class in one version; each list in byte order of the names.
struct ClassPlan {
  struct Attribute {
    const Feature* feature;
    ValueKind kind;
    std::optional<std::string> default_value;  ///< in EMF's form
    std::string when_unset;                    ///< end of the line for an attribute that is not set
  };
  bool has_objects = false;
  bool referable = false;
  std::vector<Attribute> attributes;
  std::vector<const Feature*> references;
  std::vector<const Feature*> containments;
};

ClassPlan make_plan(ClassId cls, Version version) {
  ClassPlan plan;
  plan.has_objects = metamodel::exists(cls, version) && !metamodel::is_abstract(cls, version);
  plan.referable = metamodel::is_referable(cls, version);
  auto features = metamodel::all_features(cls, version);
  std::sort(features.begin(), features.end(),
            [](const Feature* one, const Feature* other) { return one->name < other->name; });
  for (const Feature* feature : features) {
    if (!feature->stored() || feature->derived) continue;
    if (feature->kind == FeatureKind::containment) {
      plan.containments.push_back(feature);
    } else if (feature->kind == FeatureKind::reference) {
      plan.references.push_back(feature);
    } else {
      ClassPlan::Attribute attribute{feature, value_kind(*feature, version), default_value(*feature, version), {}};
      attribute.when_unset.append(" @").append(feature->name).append(" ~ ");
      attribute.when_unset.append(shown(attribute.default_value, attribute.kind)).append("\n");
      plan.attributes.push_back(std::move(attribute));
    }
  }
  return plan;
}

/// 0 … count-1 in the byte order of their decimal texts: 0 1 10 11 2 …
std::vector<std::uint32_t> in_text_order(std::size_t count) {
  std::vector<std::uint32_t> order;
  order.reserve(count);
  if (count > 0) order.push_back(0);
  for (std::uint64_t at = 1; order.size() < count;) {
    order.push_back(static_cast<std::uint32_t>(at));
    if (at * 10 < count) {
      at *= 10;
      continue;
    }
    if (at + 1 >= count) at /= 10;
    ++at;
    while (at % 10 == 0) at /= 10;
  }
  return order;
}

class Dumper {
 public:
  Dumper(const Model& model, const std::function<void(std::string_view)>& write) : model_(model), write_(write) {}

  void run() {
    for (const auto& document : model_.documents()) places_.push_back(place_elements(*document));
    in_list_.resize(places_.size());
    // In the order of "name:"; files of one name from several folders mix, so their lines are sorted together.
    std::map<std::string, std::vector<const Document*>> by_prefix;
    for (const auto& document : model_.documents()) by_prefix[prefix_of(*document)].push_back(document.get());
    for (const auto& [prefix, documents] : by_prefix) {
      if (documents.size() == 1) {
        dump(*documents.front(), prefix);
        flush(true);
        continue;
      }
      mixing_ = true;
      for (const Document* document : documents) dump(*document, prefix);
      mixing_ = false;
      sort_lines();
      flush(true);
    }
  }

 private:
  static constexpr std::uint32_t absent = 0xFFFFFFFF;

  const ClassPlan& plan(ClassId cls, Version version) {
    const std::uint32_t key = static_cast<std::uint32_t>(cls) << 8U | static_cast<std::uint32_t>(version);
    const auto known = plans_.find(key);
    return known != plans_.end() ? known->second : plans_.emplace(key, make_plan(cls, version)).first->second;
  }

  /// The containment feature that a child element stands for, by position in its parent's plan.
  std::optional<std::size_t> containment(const ClassPlan& parent, std::string_view tag) const {
    const auto& features = parent.containments;
    const auto found = std::lower_bound(features.begin(), features.end(), tag,
                                        [](const Feature* one, std::string_view name) { return one->name < name; });
    if (found == features.end() || (*found)->name != tag) return std::nullopt;
    return static_cast<std::size_t>(found - features.begin());
  }

  bool is_object_of(Element child, const Feature& feature, Version version) {
    const auto cls = child.cls();
    return cls && plan(*cls, version).has_objects &&
           (feature.type == no_class || metamodel::is_a(*cls, feature.type, version));
  }

  /// Per element its place among the children of its feature, or absent for what EMF does not keep.
  std::vector<std::uint32_t> place_elements(const Document& document) {
    std::vector<std::uint32_t> places(document.size(), absent);
    const Version version = document.version();
    const Element root = document.root();
    if (!root.cls() || !plan(*root.cls(), version).has_objects) return places;
    places[0] = 0;
    std::vector<std::uint32_t> counts;
    for (std::uint32_t i = 0; i < document.size(); ++i) {
      if (places[i] == absent) continue;
      const ClassPlan& parent = plan(document.record(i).cls, version);
      counts.assign(parent.containments.size(), 0);
      for (const Element child : document.element(i).children()) {
        const auto slot = containment(parent, child.tag());
        if (!slot) continue;
        const Feature& feature = *parent.containments[*slot];
        if (!is_object_of(child, feature, version)) continue;
        if (feature.many()) {
          places[child.index()] = counts[*slot]++;
        } else {
          if (counts[*slot] > 0) places[counts[*slot]] = absent;  // the last of several takes the place
          counts[*slot] = child.index();
          places[child.index()] = 0;
        }
      }
    }
    return places;
  }

  bool is_present(Element element) const {
    return element && places_[element.document().position()][element.index()] != absent;
  }

  std::string prefix_of(const Document& document) const {
    if (model_.documents().size() == 1) return {};
    return line_start(fs::path(document.source().path()).filename().string() + ":");
  }

  void append_segment(std::string& path, Element element) {
    const Feature* feature = metamodel_feature(element);
    path.append("/").append(feature->name);
    if (feature->many())
      path.append(".").append(std::to_string(places_[element.document().position()][element.index()]));
  }

  const Feature* metamodel_feature(Element element) {
    const ClassPlan& parent = plan(*element.parent().cls(), element.document().version());
    return parent.containments[*containment(parent, element.tag())];
  }

  void append_path(Element element) {
    const std::size_t before = out_.size();
    out_ += prefix_of(element.document());
    append_segments(out_, element);
    if (out_.size() == before) out_ += '/';
  }

  void append_segments(std::string& path, Element element) {
    const Element parent = element.parent();
    if (!parent) return;
    append_segments(path, parent);
    append_segment(path, element);
  }

  void dump(const Document& document, const std::string& prefix) {
    if (!is_present(document.root())) return;
    path_ = prefix;
    const auto unresolved = unresolved_tokens(document);
    if (!prefix.empty()) own_lines(document.root());  // "name: :" is less than "name:!", but "!" less than "/ :"
    for (const std::string_view token : unresolved) {
      out_.append(prefix).append("!unresolved ");
      append_escaped(out_, token);
      out_ += '\n';
    }
    if (prefix.empty()) own_lines(document.root());
    children(document.root());
  }

  /// References in the file itself that EMF cannot resolve, in byte order.
  std::vector<std::string_view> unresolved_tokens(const Document& document) {
    std::vector<std::string_view> found;
    for (std::uint32_t i = 0; i < document.size(); ++i) {
      const Element element = document.element(i);
      if (!is_present(element)) continue;
      const auto note = [&](const Feature* feature) {
        if (const auto tokens = element.attribute(feature->name))
          for_each_token(*tokens, [&](std::string_view token, std::size_t) {
            if (!is_present(model_.target(element, token))) found.push_back(token);
          });
      };
      const ClassPlan& known = plan(*element.cls(), document.version());
      std::for_each(known.references.begin(), known.references.end(), note);
      // EMF takes an attribute for what should be contained as references, too.
      if (document.record(i).attribute_count > 0)
        std::for_each(known.containments.begin(), known.containments.end(), note);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  void object(Element element) {
    own_lines(element);
    flush(false);
    children(element);
  }

  void own_lines(Element element) {
    const Version version = element.document().version();
    const ClassPlan& known = plan(*element.cls(), version);
    const std::string_view path = path_.empty() ? std::string_view("/") : std::string_view(path_);
    if (known.referable)
      if (const auto id = computed_id(element)) out_.append(path).append(" # ").append(*id).append("\n");
    out_.append(path).append(" : ").append(element.class_name()).append("\n");
    // Targets in other files, and sometimes attributes, are child elements that are no objects.
    const auto inside = element.children();
    const bool any_plain_child = std::any_of(inside.begin(), inside.end(), [](Element child) { return !child.cls(); });
    for (const Feature* feature : known.references) {
      if (!any_plain_child && !element.attribute(feature->name)) continue;
      const std::vector<Target> found = targets(element, *feature);
      for (const std::uint32_t i : in_text_order(found.size())) {
        out_.append(path).append(" >").append(feature->name);
        if (feature->many()) out_.append(".").append(std::to_string(i));
        out_ += " = ";
        append_target(found[i], element.document());
        out_ += '\n';
      }
    }
    for (const ClassPlan::Attribute& attribute : known.attributes) {
      out_.append(path);
      std::optional<std::string> value;
      if (const auto text = element.attribute(attribute.feature->name))
        value = written_value(*attribute.feature, version, *text);
      else if (any_plain_child)
        if (const auto content = element_text(element, attribute.feature->name))
          value = written_value(*attribute.feature, version, *content);
      if (!value || value == attribute.default_value)
        out_.append(attribute.when_unset);
      else
        out_.append(" @")
            .append(attribute.feature->name)
            .append(" = ")
            .append(shown(value, attribute.kind))
            .append("\n");
    }
  }

  void children(Element element) {
    const ClassPlan& known = plan(*element.cls(), element.document().version());
    std::vector<std::pair<std::size_t, Element>> found;
    for (const Element child : element.children())
      if (is_present(child)) found.emplace_back(*containment(known, child.tag()), child);
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const std::size_t length = path_.size();
    for (std::size_t begin = 0, end = 0; begin < found.size(); begin = end) {
      while (end < found.size() && found[end].first == found[begin].first) ++end;
      for (const std::uint32_t i : in_text_order(end - begin)) {
        const Element child = found[begin + i].second;
        append_segment(path_, child);
        object(child);
        path_.resize(length);
      }
    }
  }

  bool fits(Element target, const Feature& feature, Version version) const {
    return feature.type == no_class || metamodel::is_a(*target.cls(), feature.type, version);
  }

  struct Target {
    Element element;         ///< empty for a reference to another file that leads nowhere
    std::string_view proxy;  ///< its href
  };

  /// What the reference leads to, in EMF's order. EMF puts each token of the attribute at its own position among the
  /// targets of child elements, which are there first, and loses tokens for whose position the list is too short.
  std::vector<Target> targets(Element element, const Feature& feature) {
    const Version version = element.document().version();
    std::vector<Target> of_children;
    for (const Element child : element.children()) {
      if (child.tag() != feature.name) continue;
      const auto href = child.attribute("href");
      const bool no_type =
          feature.type != no_class && metamodel::is_abstract(feature.type, version) && !child.attribute("xsi:type");
      if (!href || no_type) continue;
      const Element target = model_.target(element, *href);
      of_children.push_back(is_present(target) ? Target{target, {}} : Target{{}, *href});
    }
    const auto tokens = element.attribute(feature.name);
    if (!tokens) {
      if (!feature.many() && of_children.size() > 1) of_children.erase(of_children.begin(), of_children.end() - 1);
      return of_children;
    }
    std::vector<Target> found;
    ++list_;
    std::size_t next_child = 0;
    bool too_short = false;
    for_each_token(*tokens, [&](std::string_view token, std::size_t) {
      if (too_short) return;
      const Element target = model_.target(element, token);
      if (is_present(target) && fits(target, feature, version) && is_new_in_list(target)) {
        if (!feature.many()) found.clear();
        found.push_back({target, {}});
      } else if (next_child < of_children.size()) {
        found.push_back(of_children[next_child++]);
      } else {
        too_short = feature.many();
      }
    });
    if (feature.many())
      found.insert(found.end(), of_children.begin() + static_cast<std::ptrdiff_t>(next_child), of_children.end());
    else if (found.empty())
      found = std::move(of_children);
    return found;
  }

  bool is_new_in_list(Element target) {
    auto& lists = in_list_[target.document().position()];
    if (lists.empty()) lists.resize(target.document().size());
    return std::exchange(lists[target.index()], list_) != list_;
  }

  void append_target(const Target& target, const Document& document) {
    if (target.element) {
      append_path(target.element);
      return;
    }
    out_ += "!proxy ";
    const std::string_view href = target.proxy;
    // EMF makes the names of other files absolute.
    if (href.substr(0, href.find_first_of("/#")).find(':') == std::string_view::npos) {
      std::error_code ignored;
      const fs::path own = fs::absolute(document.source().path(), ignored);
      out_ += "file:";
      append_escaped(out_, href.starts_with('#') ? own.string() : own.parent_path().string() + "/");
    }
    append_escaped(out_, href);
  }

  void flush(bool all) {
    if (mixing_ || (!all && out_.size() < (1U << 20U))) return;
    if (!out_.empty()) write_(out_);
    out_.clear();
  }

  void sort_lines() {
    std::vector<std::string_view> lines;
    const std::string_view text = out_;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    std::sort(lines.begin(), lines.end());
    std::string sorted;
    sorted.reserve(text.size());
    for (const std::string_view line : lines) sorted.append(line).append("\n");
    out_ = std::move(sorted);
  }

  const Model& model_;
  const std::function<void(std::string_view)>& write_;
  std::unordered_map<std::uint32_t, ClassPlan> plans_;
  std::vector<std::vector<std::uint32_t>> places_;   ///< per document and element
  std::vector<std::vector<std::uint32_t>> in_list_;  ///< per document and element, the last list it was put into
  std::uint32_t list_ = 0;
  std::string path_;  ///< of the object at hand
  std::string out_;
  bool mixing_ = false;  ///< lines are collected to be sorted, not handed over
};

}  // namespace

void dump_model(const Model& model, const std::function<void(std::string_view)>& write) { Dumper(model, write).run(); }

std::string dump_model(const Model& model) {
  std::string text;
  dump_model(model, [&](std::string_view part) { text += part; });
  return text;
}

}  // namespace amalthea::exporter
