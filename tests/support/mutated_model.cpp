// SPDX-License-Identifier: Apache-2.0
#include "tests/support/mutated_model.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string_view>

#include <fmt/core.h>

#include "amalthea/attribute_value.hpp"
#include "amalthea/editable_model.hpp"
#include "amalthea/identifier.hpp"
#include "amalthea/primitives/itea.hpp"
#include "amalthea/primitives/xml_text.hpp"
#include "migration/migration.hpp"

using namespace amalthea;

namespace test {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  XmlNode root() {
    skip_to_element();
    return element();
  }

 private:
  void skip_to_element() {
    while (!rest_.empty()) {
      rest_.remove_prefix(std::min(rest_.find('<'), rest_.size()));
      if (rest_.starts_with("<!--"))
        rest_.remove_prefix(std::min(rest_.find("-->") + 3, rest_.size()));
      else if (rest_.starts_with("<?"))
        rest_.remove_prefix(std::min(rest_.find("?>") + 2, rest_.size()));
      else if (rest_.starts_with("<!"))
        rest_.remove_prefix(std::min(rest_.find('>') + 1, rest_.size()));
      else
        return;
    }
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

  XmlNode element() {
    XmlNode node;
    rest_.remove_prefix(1);
    std::size_t end = rest_.find_first_of(" \t\r\n/>");
    node.tag = rest_.substr(0, end);
    rest_.remove_prefix(end);
    for (skip_blanks(); rest_.front() != '/' && rest_.front() != '>'; skip_blanks()) {
      end = rest_.find_first_of("= \t\r\n");
      std::string name(rest_.substr(0, end));
      rest_.remove_prefix(rest_.find_first_of("\"'"));
      end = rest_.find(rest_.front(), 1);
      node.attributes.emplace_back(std::move(name), unescaped(rest_.substr(1, end - 1)));
      rest_.remove_prefix(end + 1);
    }
    const bool empty = rest_.front() == '/';
    rest_.remove_prefix(rest_.find('>') + 1);
    if (empty) return node;
    for (skip_to_element(); !rest_.starts_with("</"); skip_to_element()) node.children.push_back(element());
    rest_.remove_prefix(rest_.find('>') + 1);
    return node;
  }

  std::string_view rest_;
};

void write_node(const XmlNode& node, std::string& out) {
  out.append(node.before).append("<").append(node.tag);
  for (const auto& [name, value] : node.attributes) append_attribute(out, name, value);
  if (node.children.empty()) {
    out += "/>\n";
    return;
  }
  out += ">\n";
  for (const XmlNode& child : node.children) write_node(child, out);
  out.append("</").append(node.tag).append(">\n");
}

/// Numbers and texts that no other value has.
class Values {
 public:
  explicit Values(std::uint64_t seed) : random(seed) {}

  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random() % limit); }
  template <typename List>
  auto& any(List& list) {
    return list[below(list.size())];
  }
  std::string text() { return fmt::format("t{}t", ++count); }
  std::string number() { return fmt::format("{}", 7000000 + ++count); }

  std::string of(const Feature& attribute, Version version) {
    switch (value_kind(attribute, version)) {
      case ValueKind::boolean:
        return below(2) == 0 ? "true" : "false";
      case ValueKind::int32:
      case ValueKind::int64:
      case ValueKind::big_integer:
      case ValueKind::address:
        return number();
      case ValueKind::real32:
      case ValueKind::real64:
        return number() + ".25";
      case ValueKind::literal: {
        const auto literals = metamodel::info(attribute.enumeration).literals_in(version);
        return std::string(literals[below(literals.size())]);
      }
      default:
        return text();
    }
  }

  std::mt19937_64 random;
  std::size_t count = 0;
};

const std::vector<ClassId>& concrete_classes(Version version) {
  static std::map<Version, std::vector<ClassId>> known;
  std::vector<ClassId>& found = known[version];
  if (found.empty())
    for (const ClassInfo& info : metamodel::classes())
      if (metamodel::exists(info.id, version) && !metamodel::is_abstract(info.id, version)) found.push_back(info.id);
  return found;
}

void grow(EditableModel& model, Object& root, Version version, Values& values) {
  const std::vector<ClassId>& concrete = concrete_classes(version);
  std::vector<Object*> objects{&root};
  const std::size_t size = 10 + values.below(50);
  for (std::size_t tries = 0; tries < 20 * size && objects.size() < size; ++tries) {
    Object& owner = *values.any(objects);
    const auto features = metamodel::all_features(owner.cls(), version);
    if (features.empty()) continue;
    const Feature& feature = *features[values.below(features.size())];
    if (feature.kind != FeatureKind::containment || !feature.stored() || feature.type == no_class) continue;
    if (feature.name == "customProperties" && values.below(4) != 0) continue;
    if (!feature.many() && owner.child(feature.name) != nullptr) continue;
    std::vector<ClassId> fitting;
    for (const ClassId cls : concrete)
      if (metamodel::is_a(cls, feature.type, version)) fitting.push_back(cls);
    if (fitting.empty()) continue;
    objects.push_back(&owner.create(feature.name, values.any(fitting)));
  }
  for (Object* const object : objects)
    for (const Feature* const feature : metamodel::all_features(object->cls(), version)) {
      if (feature->kind != FeatureKind::attribute || !feature->stored() || feature->derived) continue;
      if (feature->name == "name" ? values.below(8) == 0 : values.below(2) == 0) continue;
      object->set(feature->name, values.of(*feature, version));
    }
  for (Object* const object : objects)
    for (const Feature* const feature : metamodel::all_features(object->cls(), version)) {
      if (feature->kind != FeatureKind::reference || !feature->stored() || feature->derived) continue;
      std::vector<std::string> taken;
      for (std::size_t i = feature->many() ? values.below(4) : 1; i > 0; --i) {
        Object& target = *values.any(objects);
        if (feature->type != no_class && !metamodel::is_a(target.cls(), feature->type, version)) {
          // Most classes are rare; look for one that fits.
          std::vector<Object*> fitting;
          for (Object* const other : objects)
            if (metamodel::is_a(other->cls(), feature->type, version)) fitting.push_back(other);
          if (fitting.empty()) continue;
          const auto id = computed_id(*values.any(fitting), version);
          if (!id || std::find(taken.begin(), taken.end(), *id) != taken.end()) continue;
          taken.push_back(*id);
        } else if (const auto id = computed_id(target, version);
                   id && std::find(taken.begin(), taken.end(), *id) == taken.end()) {
          taken.push_back(*id);
        }
      }
      for (const std::string& id : taken) object->add_reference(feature->name, id);
    }
  (void)model;
}

/// Features and values that ITEA models had and 0.7.0 has not.
constexpr std::array itea_tags{"elements",           "executableAllocation", "scheduler",   "setLabelsList",
                               "enablingLabelsList", "disablingLabelsList",  "attribute",   "features",
                               "deadline",           "processAllocation",    "initialValue"};
constexpr std::array itea_types{"hw:IntValue",           "hw:CharValue", "hw:FeatureTypes",       "sw:LabelSwitch",
                                "mapping:ISRAllocation", "sw:Nothing",   "mapping:TaskAllocation"};

class Mutator {
 public:
  Mutator(XmlNode& root, const migration::Release& release, std::uint64_t seed)
      : root_(root), release_(release), values_(seed) {
    values_.count = 500000;
    for (const Version version : {release.version, static_cast<Version>((static_cast<int>(release.version) + 1) %
                                                                        static_cast<int>(all_versions().size()))})
      for (const ClassId cls : concrete_classes(version)) {
        classes_.emplace_back(metamodel::info(cls).name);
        for (const Feature* const feature : metamodel::all_features(cls, version))
          features_.emplace_back(feature->name);
      }
    if (release.is_itea()) features_.insert(features_.end(), itea_tags.begin(), itea_tags.end());
  }

  void change() {
    collect();
    XmlNode& node = *values_.any(nodes_);
    const bool is_root = &node == &root_;
    switch (values_.below(20)) {
      case 0:
        if (!node.children.empty())
          node.children.erase(node.children.begin() + static_cast<std::ptrdiff_t>(values_.below(node.children.size())));
        break;
      case 1:
      case 2: {  // once more, here or elsewhere
        if (is_root) break;
        const XmlNode twin = node;
        add(*values_.any(nodes_), twin);
        break;
      }
      case 3: {  // elsewhere
        if (node.children.empty()) break;
        const std::size_t index = values_.below(node.children.size());
        const XmlNode moved = node.children[index];
        node.children.erase(node.children.begin() + static_cast<std::ptrdiff_t>(index));
        collect();
        add(*values_.any(nodes_), moved);
        break;
      }
      case 4:
        if (!is_root) node.tag = values_.below(2) == 0 ? values_.any(nodes_)->tag : values_.any(features_);
        if (node.tag.find(':') != std::string::npos && !is_root) node.tag = "items";
        break;
      case 5:
        if (!node.attributes.empty()) rename(node, values_.any(node.attributes));
        break;
      case 6:
      case 7:
        if (!is_root) set(node, "xsi:type", type());
        break;
      case 8: {  // any value
        if (node.attributes.empty()) break;
        auto& [name, value] = values_.any(node.attributes);
        if (!name.starts_with("xmlns") && name != "xmi:version" && name != "xsi:type") value = odd_value();
        break;
      }
      case 9:
        set(node, "xmi:id", values_.below(2) == 0 || release_.is_itea() ? values_.text() : some_id());
        break;
      case 10: {
        const std::string& name = values_.any(features_);
        if (name != "name") set(node, name, values_.below(2) == 0 ? values_.text() : values_.number());
        break;
      }
      case 11:
        set(node, fmt::format("unknown{}", values_.below(3)), values_.text());
        break;
      case 12:
        set(node, fmt::format("xmlns:x{}", 0), "http://x/0");
        set(node, fmt::format("xmlns:x{}", 1), "http://x/1");
        set(node, "x0:a", values_.text());
        set(node, "x1:a", values_.text());
        set(node, "x1:b", values_.text());
        break;
      case 13:
        node.before += values_.below(2) == 0 ? "<?pi <!-- a -- b ?>" : "<!-- c - d > --><![CDATA[ <!-- -- ]]>";
        break;
      case 14: {  // an element that no version has
        XmlNode made{"nothing", {{"a", values_.text()}}, {}, {}};
        add(node, made);
        break;
      }
      case 15: {  // a reference that leads elsewhere
        for (auto& [name, value] : node.attributes)
          if (value.find("?type=") != std::string::npos)
            value = values_.below(2) == 0 ? some_id() : value + " " + some_id();
        break;
      }
      case 16: {  // another class under this feature
        XmlNode made{values_.any(features_), {{"xsi:type", type()}, {"name", values_.text()}}, {}, {}};
        add(node, made);
        break;
      }
      case 17:  // the same twice, one in the other
        if (!is_root) {
          const XmlNode twin = node;
          add(node, twin);
        }
        break;
      case 18:  // an attribute as an element, an element as an address
        add(node, XmlNode{values_.any(features_), {{"href", "amlt:/#" + some_id()}}, {}, {}});
        break;
      default:
        if (node.attributes.size() > 1 && !is_root)
          node.attributes.erase(node.attributes.begin() +
                                static_cast<std::ptrdiff_t>(values_.below(node.attributes.size())));
    }
  }

 private:
  void collect() {
    nodes_.clear();
    ids_.clear();
    std::vector<XmlNode*> left{&root_};
    while (!left.empty()) {
      XmlNode& node = *left.back();
      left.pop_back();
      nodes_.push_back(&node);
      for (const auto& [name, value] : node.attributes)
        if (name == "xmi:id" || value.find("?type=") != std::string::npos)
          ids_.push_back(value.substr(0, value.find(' ')));
      for (XmlNode& child : node.children) left.push_back(&child);
    }
  }

  void add(XmlNode& owner, const XmlNode& child) {
    if (nodes_.size() > 2000) return;
    XmlNode copy = child;
    owner.children.insert(
        owner.children.begin() + static_cast<std::ptrdiff_t>(values_.below(owner.children.size() + 1)),
        std::move(copy));
  }

  static void set(XmlNode& node, const std::string& name, const std::string& value) {
    for (auto& [known, text] : node.attributes)
      if (known == name) {
        text = value;
        return;
      }
    node.attributes.emplace_back(name, value);
  }

  void rename(XmlNode& node, std::pair<std::string, std::string>& attribute) {
    if (attribute.first.find(':') != std::string::npos) return;
    const std::string& name = values_.any(features_);
    for (const auto& [known, value] : node.attributes)
      if (known == name || (known == "tagName" && name == "name")) return;
    attribute.first = name;
  }

  std::string type() {
    if (!release_.is_itea()) return fmt::format("am:{}", values_.any(classes_));
    if (values_.below(3) == 0) return values_.any(itea_types);
    const std::string& cls = values_.any(classes_);
    const std::string_view package = itea_package(cls);
    return package.empty() ? "sw:Nothing" : fmt::format("{}:{}", package, itea_class_name(cls, release_.itea));
  }

  std::string some_id() {
    if (values_.below(4) == 0) return fmt::format("//@swModel/@tasks.{}", values_.below(3));
    if (values_.below(4) == 0 || ids_.empty())
      return fmt::format("a%20b{}?type={}", values_.text(), values_.any(classes_));
    return values_.any(ids_);
  }

  std::string odd_value() {
    constexpr std::array odd{"",    "-1",   "0",           "1e400", "true",   "a]]>b", "\"<&>'",
                             "ä€𝄞", "a  b", "_undefined_", "#",     "?type=", "//@"};
    return values_.below(2) == 0 ? values_.any(odd) : values_.text();
  }

  XmlNode& root_;
  migration::Release release_;
  Values values_;
  std::vector<XmlNode*> nodes_;
  std::vector<std::string> ids_, classes_, features_;
};

}  // namespace

XmlNode parse_xml(const std::string& text) { return Parser(text).root(); }

std::string write_xml(const XmlNode& root) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  write_node(root, out);
  return out;
}

XmlNode small_model(const migration::Release& release, std::uint64_t seed) {
  EditableModel model;
  Values values(seed);
  Object& root = model.add_file("model.amxmi");
  grow(model, root, release.version, values);
  return parse_xml(migration::write(root, release));
}

void refer_anywhere(XmlNode& root, std::uint64_t seed) {
  Values values(seed);
  std::vector<XmlNode*> left{&root};
  while (!left.empty()) {
    XmlNode& node = *left.back();
    left.pop_back();
    std::vector<XmlNode> addresses;
    for (std::size_t i = node.attributes.size(); i-- > 0;) {
      const auto [name, value] = node.attributes[i];
      const std::size_t mark = value.find("?type=");
      if (mark == std::string::npos || value.find(' ') != std::string::npos || name == "xmi:id" || values.below(2) == 0)
        continue;
      XmlNode address{name, {}, {}, {}};
      if (value.find('.', mark) == std::string::npos)  // ITEA names no class here
        address.attributes.emplace_back("xsi:type", "am:" + value.substr(mark + 6));
      address.attributes.emplace_back("href", "amlt:/#" + value);
      addresses.push_back(std::move(address));
      node.attributes.erase(node.attributes.begin() + static_cast<std::ptrdiff_t>(i));
    }
    node.children.insert(node.children.end(), addresses.begin(), addresses.end());
    for (XmlNode& child : node.children) left.push_back(&child);
  }
}

void mutate(XmlNode& root, const migration::Release& release, std::uint64_t seed) {
  // A model of the ITEA tools declares the packages that it uses.
  const auto declare = [&](const std::string& prefix, const std::string& space) {
    for (const auto& [name, value] : root.attributes)
      if (name == "xmlns:" + prefix) return;
    root.attributes.emplace_back("xmlns:" + prefix, space);
  };
  declare("xsi", "http://www.w3.org/2001/XMLSchema-instance");
  declare("xmi", "http://www.omg.org/XMI");
  if (release.is_itea())
    for (const char* const package : {"hw", "sw", "mapping", "stimuli", "os", "constraints", "components", "config",
                                      "events", "common", "propertyconstraints"})
      declare(package, itea_namespace(package, release.itea));
  Mutator mutator(root, release, seed);
  for (std::size_t i = 1 + seed % 12; i > 0; --i) mutator.change();
}

}  // namespace test
