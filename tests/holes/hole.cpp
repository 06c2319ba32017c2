// SPDX-License-Identifier: Apache-2.0
#include "tests/holes/hole.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "amalthea/attribute_value.hpp"
#include "tests/support/test_models.hpp"

using namespace amalthea;
using test::XmlNode;

namespace holes {
namespace {

/// From the root to the element at this position in document order; empty if there is none.
using Path = std::vector<XmlNode*>;

bool descend(XmlNode& node, std::size_t& left, Path& path) {
  path.push_back(&node);
  if (left-- == 0) return true;
  for (XmlNode& child : node.children)
    if (descend(child, left, path)) return true;
  path.pop_back();
  return false;
}

Path path_to(XmlNode& root, std::size_t index) {
  Path path;
  descend(root, index, path);
  return path;
}

std::string* attribute_of(XmlNode& node, std::string_view name) {
  for (auto& [known, value] : node.attributes)
    if (known == name) return &value;
  return nullptr;
}

void set(XmlNode& node, const std::string& name, const std::string& value) {
  if (std::string* known = attribute_of(node, name))
    *known = value;
  else
    node.attributes.emplace_back(name, value);
}

void erase(XmlNode& node, std::string_view name) {
  std::erase_if(node.attributes, [&](const auto& one) { return one.first == name; });
}

/// False if the one has no such attribute, or the other has one already.
bool move_attribute(XmlNode& from, XmlNode& to, const std::string& name) {
  const std::string* known = attribute_of(from, name);
  if (known == nullptr || attribute_of(to, name) != nullptr) return false;
  const std::string moved = *known;
  erase(from, name);
  set(to, name, moved);
  return true;
}

/// The element and those around it up to the nearest one with a name.
void mark_place(const Path& path) {
  for (std::size_t i = path.size(); i-- > 1;) {
    path[i]->before = mark;
    if (attribute_of(*path[i], "name") != nullptr) break;
  }
}

void mark_all(XmlNode& node) {
  node.before = mark;
  for (XmlNode& child : node.children) mark_all(child);
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.-") == text.npos &&
         std::any_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string scaled(std::string_view text, bool up) {
  if (text.find('.') != text.npos) return fmt::format("{}", std::stod(std::string(text)) * (up ? 2 : 0.5));
  const long long value = std::stoll(std::string(text));
  return fmt::format("{}", up ? 2 * value + (value < 2 ? 1 : 0) : value / 2);
}

/// All numbers in an element, doubled or halved.
void scale_numbers(XmlNode& node, bool up) {
  for (auto& [name, value] : node.attributes)
    if (name != "name" && name != "xmi:id" && is_number(value) && value.size() < 16) value = scaled(value, up);
  for (XmlNode& child : node.children) scale_numbers(child, up);
}

/// What a value must not be above or below.
struct Relation {
  std::string_view feature, neighbour;
  bool above;  ///< the contradiction: the feature is above its neighbour
};
constexpr std::array relations{
    Relation{"lowerBound", "upperBound", true},
    Relation{"upperBound", "lowerBound", false},
    Relation{"average", "upperBound", true},
    Relation{"average", "lowerBound", false},
    Relation{"mean", "upperBound", true},
    Relation{"minDistance", "recurrence", true},
    Relation{"jitter", "recurrence", true},
    Relation{"occurrenceMinDistance", "burstLength", true},
    Relation{"burstLength", "recurrence", true},
    Relation{"burstLength", "occurrenceMinDistance", false},
    Relation{"lowerTimeBorder", "upperTimeBorder", true},
    Relation{"minimum", "maximum", true},
    Relation{"maximum", "minimum", false},
    Relation{"lower", "upper", true},
    Relation{"upper", "lower", false},
    Relation{"initialValue", "maxValue", true},
    Relation{"min", "max", true},
    Relation{"minimumTime", "maximumTime", true},
    Relation{"minimumCycle", "maximumCycle", true},
    Relation{"minLatency", "maxLatency", true},
};

class Finder {
 public:
  Finder(const XmlNode& root, const Model& model, std::size_t most)
      : document_(*model.documents().front()), most_(most) {
    std::size_t index = 0;
    collect(root, index);
  }

  std::vector<Hole> find() {
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      const Element element = document_.element(static_cast<std::uint32_t>(i));
      if (!element.cls()) continue;
      for (const auto& [name, value] : nodes_[i]->attributes) of_attribute(i, element, name, value);
      // Children by position, since a list has many of one tag.
      for (std::size_t at = 0; at < nodes_[i]->children.size(); ++at) of_child(i, element, at);
    }
    // Sub-models are containment features of the root.
    return std::move(holes_);
  }

 private:
  void collect(const XmlNode& node, std::size_t& index) {
    nodes_.push_back(&node);
    const Element element = document_.element(static_cast<std::uint32_t>(index++));
    const std::string id = element.attribute("xmi:id")
                               ? std::string(*element.attribute("xmi:id"))
                               : fmt::format("{}?type={}", element.name(), element.class_name());
    if (element.cls() && !element.name().empty()) objects_.emplace_back(id, *element.cls());
    for (const XmlNode& child : node.children) collect(child, index);
  }

  bool enough(const std::string& feature, std::string_view variety = "") {
    return ++seen_[feature + std::string(variety)] > most_;
  }

  void add(const std::string& feature, Kind kind, std::string what, std::size_t node, std::string tag,
           std::function<bool(Files&, Path&)> change) {
    holes_.push_back({feature, kind, std::move(what), false, node,
                      [node, tag = std::move(tag), change = std::move(change)](Files& files) {
                        Path path = path_to(files.front().second, node);
                        if (path.size() < 2 || path.back()->tag != tag) return false;
                        mark_place(path);
                        return change(files, path);
                      }});
  }

  /// A second file with the element and what contains it. `content` may change the element.
  static void add_file(Files& files, const Path& path, const std::string& name, bool stripped,
                       const std::function<void(XmlNode&)>& content) {
    XmlNode copy = *path.back();
    content(copy);
    for (std::size_t i = path.size() - 1; i-- > 0;) {
      XmlNode around{path[i]->tag, path[i]->attributes, {}, path[i]->before};
      // Of an object that stays in the first file only the name is repeated.
      if (stripped && i > 0)
        std::erase_if(around.attributes, [](const auto& one) {
          return one.first != "name" && one.first != "xsi:type" && one.first != "xmi:id";
        });
      around.children.push_back(std::move(copy));
      copy = std::move(around);
    }
    files.emplace_back(name, std::move(copy));
  }

  void of_attribute(std::size_t node, Element element, const std::string& name, const std::string& value) {
    if (name.starts_with("xmlns") || name == "xmi:id" || name == "xmi:version" || name == "href") return;
    const bool is_type = name == "xsi:type";
    if (!is_type && !is_read(name)) return;
    const Feature* feature =
        is_type ? nullptr : metamodel::find_feature_any_version(*element.cls(), name, document_.version());
    if (!is_type && feature == nullptr) return;
    const std::string key = fmt::format("{}.{}", element.class_name(), name);
    const std::string variety = is_type || feature->kind == FeatureKind::attribute ? "" : type_in(value);
    if (enough(key, variety)) return;
    const std::string tag = nodes_[node]->tag;
    const auto change = [&](Kind kind, std::string what, std::function<bool(Files&, Path&)> how) {
      add(key, kind, std::move(what), node, tag, std::move(how));
    };
    const auto value_of = [name](const std::string& new_value) {
      return [name, new_value](Files&, Path& path) {
        if (attribute_of(*path.back(), name) == nullptr) return false;
        set(*path.back(), name, new_value);
        return true;
      };
    };
    change(Kind::absent, "", [name](Files&, Path& path) {
      if (attribute_of(*path.back(), name) == nullptr) return false;
      erase(*path.back(), name);
      return true;
    });
    if (is_type) return;
    change(Kind::empty, "", value_of(""));

    const std::vector<std::string> others = other_values(*feature, value);
    for (std::size_t i = 0; i < std::min<std::size_t>(others.size(), 2); ++i) {
      const std::string& other = others[i];
      for (const bool after : {false, true})
        change(Kind::repeated, fmt::format("{} {}", other, after ? "after" : "before"),
               [name, other, after](Files&, Path& path) {
                 mark_all(*path.back());
                 mark_with(*path.front(), path.back()->tag, name, other);
                 XmlNode copy = *path.back();
                 set(copy, name, other);
                 insert_beside(path, std::move(copy), after);
                 return true;
               });
      for (const std::string file : {"a.amxmi", "z.amxmi"})
        change(Kind::other_file, fmt::format("{} in {}", other, file), [name, other, file](Files& files, Path& path) {
          add_file(files, path, file, true, [&](XmlNode& copy) { set(copy, name, other); });
          return true;
        });
    }
    for (const std::string& bad : bad_values(*feature, value)) change(Kind::out_of_range, bad, value_of(bad));
    if (feature->kind == FeatureKind::reference)
      for (const std::string& other : others) {
        change(Kind::contradicting, other, value_of(other));
        holes_.back().refers_elsewhere = true;
      }
    for (const Relation& relation : relations) {
      if (relation.feature != name) continue;
      const std::string_view neighbour = element.attribute_or(relation.neighbour, "");
      if (is_number(neighbour) && is_number(value))
        change(Kind::contradicting, fmt::format("{} {}", relation.above ? "above" : "below", relation.neighbour),
               value_of(beyond(neighbour, relation.above)));
    }
    change(Kind::misplaced, "parent",
           [name](Files&, Path& path) { return move_attribute(*path.back(), *path[path.size() - 2], name); });
    change(Kind::misplaced, "child", [name](Files&, Path& path) {
      if (path.back()->children.empty()) return false;
      return move_attribute(*path.back(), path.back()->children.front(), name);
    });
    for (const int step : {-1, 1})
      change(Kind::misplaced, step < 0 ? "previous" : "next", [name, step](Files&, Path& path) {
        XmlNode* other = neighbour_of(path, step);
        if (other == nullptr) return false;
        mark_all(*other);
        return move_attribute(*path.back(), *other, name);
      });
  }

  void of_child(std::size_t node, Element element, std::size_t at) {
    const XmlNode& child = nodes_[node]->children[at];
    const Feature* feature = metamodel::find_feature_any_version(*element.cls(), child.tag, document_.version());
    if (!is_read(child.tag) || feature == nullptr) return;
    const std::string key = fmt::format("{}.{}", element.class_name(), child.tag);
    const auto type_of = [](const XmlNode& one) {
      for (const auto& [name, value] : one.attributes)
        if (name == "xsi:type" || name == "key") return value;
      return std::string();
    };
    if (enough(key, type_of(child))) return;
    const std::string tag = nodes_[node]->tag, child_tag = child.tag;
    const auto change = [&](Kind kind, std::string what, std::function<bool(Files&, Path&)> how) {
      add(key, kind, (type_of(child) + " " + what), node, tag,
          [at, child_tag, how = std::move(how)](Files& files, Path& path) {
            if (at >= path.back()->children.size() || path.back()->children[at].tag != child_tag) return false;
            path.push_back(&path.back()->children[at]);
            mark_all(*path.back());
            return how(files, path);
          });
    };
    const auto take = [at](const Path& path) {
      XmlNode& holder = *path[path.size() - 2];
      XmlNode taken = std::move(holder.children[at]);
      holder.children.erase(holder.children.begin() + static_cast<std::ptrdiff_t>(at));
      return taken;
    };
    change(Kind::absent, "", [take](Files&, Path& path) {
      take(path);
      return true;
    });
    change(Kind::empty, "", [](Files&, Path& path) {
      XmlNode& one = *path.back();
      std::erase_if(one.attributes,
                    [](const auto& a) { return a.first != "xsi:type" && a.second != "true" && a.second != "false"; });
      one.children.clear();
      return true;
    });
    for (const bool up : {false, true}) {
      const std::string_view size = up ? "larger" : "smaller";
      for (const bool after : {false, true})
        change(Kind::repeated, fmt::format("{} {}", size, after ? "after" : "before"), [up, after](Files&, Path& path) {
          XmlNode copy = *path.back();
          scale_numbers(copy, up);
          insert_beside(path, std::move(copy), after);
          return true;
        });
      for (const std::string file : {"a.amxmi", "z.amxmi"})
        change(Kind::other_file, fmt::format("{} in {}", size, file), [up, file](Files& files, Path& path) {
          add_file(files, path, file, true, [&](XmlNode& copy) { scale_numbers(copy, up); });
          return true;
        });
    }
    for (const std::string file : {"a.amxmi", "z.amxmi"})
      change(Kind::other_file, fmt::format("moved to {}", file), [take, file](Files& files, Path& path) {
        add_file(files, path, file, true, [](XmlNode&) {});
        take(path);
        return true;
      });
    change(Kind::misplaced, "parent", [take](Files&, Path& path) {
      XmlNode taken = take(path);
      path[path.size() - 3]->before = path.size() > 3 ? mark : "";
      path[path.size() - 3]->children.push_back(std::move(taken));
      return true;
    });
    for (const int step : {-1, 1})
      change(Kind::misplaced, step < 0 ? "previous" : "next", [take, step](Files&, Path& path) {
        Path holder(path.begin(), path.end() - 1);
        XmlNode* other = neighbour_of(holder, step);
        if (other == nullptr || is_within(*other, *path.back())) return false;
        XmlNode taken = take(path);
        mark_all(*other);
        other->children.push_back(std::move(taken));
        return true;
      });
    for (const Relation& relation : relations) {
      if (relation.feature != child.tag) continue;
      const Element neighbour = element.child(relation.neighbour);
      const std::string value(neighbour ? neighbour.attribute_or("value", "") : "");
      const std::string unit(neighbour ? neighbour.attribute_or("unit", "") : "");
      if (is_number(value))
        change(Kind::contradicting, fmt::format("{} {}", relation.above ? "above" : "below", relation.neighbour),
               [value, unit, above = relation.above](Files&, Path& path) {
                 XmlNode& one = *path.back();
                 one.children.clear();
                 const std::string* type = attribute_of(one, "xsi:type");
                 if (type != nullptr && type->find("Time") != type->npos) return false;
                 if (type != nullptr && *type != "am:DiscreteValueConstant") {  // a jitter
                   set(one, "xsi:type", "am:TimeConstant");
                   one.children.push_back({"value", {{"value", beyond(value, above)}, {"unit", unit}}, {}, {}});
                   return true;
                 }
                 set(one, "value", beyond(value, above));
                 set(one, "unit", unit);
                 return true;
               });
    }
  }

  /// Elements that already have what another one gets.
  static void mark_with(XmlNode& node, const std::string& tag, const std::string& name, const std::string& value) {
    const std::string* known = attribute_of(node, name);
    if (node.tag == tag && known != nullptr && *known == value) mark_all(node);
    for (XmlNode& child : node.children) mark_with(child, tag, name, value);
  }

  static std::string beyond(std::string_view neighbour, bool above) {
    const double value = std::stod(std::string(neighbour));
    const double other = above ? 3 * value + 1 : value / 3;
    return neighbour.find('.') == neighbour.npos ? fmt::format("{}", static_cast<long long>(other))
                                                 : fmt::format("{}", other);
  }

  static void insert_beside(const Path& path, XmlNode copy, bool after) {
    auto& list = path[path.size() - 2]->children;
    const std::ptrdiff_t at = path.back() - list.data();
    list.insert(list.begin() + at + (after ? 1 : 0), std::move(copy));
  }

  /// Another child of the same parent, or of the parent's neighbour, with the tag of the element.
  static XmlNode* neighbour_of(const Path& path, int step) {
    std::vector<XmlNode*> same;
    collect_tag(*path.front(), path.back()->tag, same);
    const auto found = std::find(same.begin(), same.end(), path.back());
    if (found == same.end()) return nullptr;
    const std::ptrdiff_t at = (found - same.begin()) + step;
    return at < 0 || at >= static_cast<std::ptrdiff_t>(same.size()) ? nullptr : same[static_cast<std::size_t>(at)];
  }
  static void collect_tag(XmlNode& node, const std::string& tag, std::vector<XmlNode*>& found) {
    if (node.tag == tag) found.push_back(&node);
    for (XmlNode& child : node.children) collect_tag(child, tag, found);
  }

  static bool is_within(const XmlNode& node, const XmlNode& whole) {
    return &node == &whole || std::any_of(whole.children.begin(), whole.children.end(),
                                          [&node](const XmlNode& child) { return is_within(node, child); });
  }

  static std::string type_in(const std::string& reference) {
    const auto at = reference.find("?type=");
    return at == reference.npos ? "" : reference.substr(at, reference.find(' ', at) - at);
  }

  std::vector<std::string> other_values(const Feature& feature, const std::string& value) const {
    std::vector<std::string> others;
    if (feature.kind == FeatureKind::reference) {
      for (const auto& [id, cls] : objects_)
        if (others.size() < 3 && value.find(id) == value.npos &&
            (feature.type == no_class || metamodel::is_a(cls, feature.type, document_.version())))
          others.push_back(id);
      return others;
    }
    switch (value_kind(feature, document_.version())) {
      case ValueKind::boolean:
        others.emplace_back(value == "true" ? "false" : "true");
        break;
      case ValueKind::literal:
        for (const std::string_view literal : metamodel::info(feature.enumeration).literals_in(document_.version()))
          if (literal != value && literal != "_undefined_") others.emplace_back(literal);
        break;
      case ValueKind::text:
        if (feature.name != "name" && !is_number(value)) others.push_back(value + "x");
        [[fallthrough]];
      default:
        if (is_number(value) && value.size() < 16)
          for (const bool up : {false, true}) others.push_back(scaled(value, up));
    }
    return others;
  }

  std::vector<std::string> bad_values(const Feature& feature, const std::string& value) const {
    if (feature.kind == FeatureKind::reference) {
      std::vector<std::string> bad{"Nothing?type=Task"};
      for (const auto& [id, cls] : objects_)
        if (feature.type != no_class && !metamodel::is_a(cls, feature.type, document_.version())) {
          bad.push_back(id);
          break;
        }
      if (value.find(' ') != value.npos) bad.push_back(value.substr(0, value.find(' ')) + " Nothing?type=Task");
      return bad;
    }
    const ValueKind kind = value_kind(feature, document_.version());
    const bool kind_is_real = kind == ValueKind::real32 || kind == ValueKind::real64;
    switch (kind) {
      case ValueKind::boolean:
      case ValueKind::literal:
        return {"nothing", "_undefined_"};
      case ValueKind::text:
        if (!is_number(value)) return {" "};
        [[fallthrough]];
      default:
        return {value.starts_with("-") ? value.substr(1) : "-" + value, "0", "1e400", "x",
                kind_is_real ? "NaN" : "99999999999999999999"};
    }
  }

  const Document& document_;
  std::size_t most_;
  std::vector<const XmlNode*> nodes_;  ///< in document order
  std::vector<std::pair<std::string, ClassId>> objects_;
  std::map<std::string, std::size_t> seen_;
  std::vector<Hole> holes_;
};

}  // namespace

std::string_view to_string(Kind kind) {
  constexpr std::array<std::string_view, kinds.size()> names{"absent",        "no value",  "repeated",  "out of range",
                                                             "contradicting", "misplaced", "other file"};
  return names[static_cast<std::size_t>(kind)];
}

bool is_read(std::string_view feature) {
  static const std::set<std::string, std::less<>> names = [] {
    std::set<std::string, std::less<>> found;
    for (const std::string_view folder : {"/amalthea", "/importer/building"})
      for (const auto& entry :
           std::filesystem::recursive_directory_iterator(AMALTHEA_SOURCE_DIR + std::string(folder))) {
        if (entry.path().extension() != ".cpp" || entry.path().filename() == "compile_metamodel.cpp") continue;
        const std::string text = test::read_text(entry.path().string());
        for (std::size_t from = text.find('"'); from != text.npos; from = text.find('"', from)) {
          const std::size_t to = text.find_first_of("\"\n", from + 1);
          if (to == text.npos) break;
          found.insert(text.substr(from + 1, to - from - 1));
          from = to + 1;
        }
      }
    return found;
  }();
  return names.contains(feature);
}

std::vector<Hole> holes_of(const XmlNode& root, const Model& model, std::size_t most) {
  return Finder(root, model, most).find();
}

}  // namespace holes
