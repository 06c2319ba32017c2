// SPDX-License-Identifier: Apache-2.0
#include "migration/detail/itea_form.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include <fmt/core.h>

#include "amalthea/identifier.hpp"
#include "amalthea/primitives/xml_text.hpp"
#include "migration/detail/itea_reference.hpp"

namespace amalthea::migration {
namespace {

class Writer {
 public:
  Writer(const Object& root, IteaRelease release) : model_(root.model()), release_(release), references_(model_) {}

  std::string write(const Object& root) {
    const std::string tag = root_tag(root);
    const Comments* const comments = model_.comments(root);
    write_content(root, tag, 0);
    std::string head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    std::swap(head, out_);
    if (comments != nullptr) append_comments(out_, comments->before, 0);
    out_.append("<").append(tag).append(" xmi:version=\"2.0\" xmlns:xmi=\"http://www.omg.org/XMI\"");
    out_ += " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";
    for (const std::string& package : packages_)
      out_.append(" xmlns:").append(package).append("=\"").append(itea_namespace(package, release_)).append("\"");
    return out_ + head;
  }

 private:
  /// "hw:System"; registers the package for a declaration.
  std::string qualified(std::string_view class_name) {
    const std::string package(itea_package(class_name, release_));
    if (package.empty()) return std::string(class_name);
    packages_.insert(package);
    return package + ":" + std::string(itea_class_name(class_name, release_));
  }

  std::string root_tag(const Object& root) {
    if (root.cls() != no_class) return qualified(root.class_name());
    if (!itea_package(root.feature()).empty()) return qualified(root.feature());
    const std::string package = root.element() ? root.element().document().metamodel_prefix() : "";
    packages_.insert(package.empty() ? "central" : package);
    return fmt::format("{}:{}", package.empty() ? "central" : package, root.feature());
  }

  static const Feature* declared(const Object& owner, std::string_view feature) {
    return owner.cls() == no_class ? nullptr
                                   : metamodel::find_feature_any_version(owner.cls(), feature, oldest_version);
  }

  /// The xsi:type of an object, "" for none.
  std::string type_of(const Object& object) {
    if (object.cls() == no_class) {
      const std::string_view written = object.attribute_or("xsi:type", "");
      const std::size_t colon = written.find(':');
      const std::string_view name = written.substr(colon == std::string_view::npos ? 0 : colon + 1);
      if (!itea_package(name).empty()) return qualified(name);
      if (colon == std::string_view::npos) return std::string(written);
      // A package that no release has is declared like the others, if it can be.
      if (!is_prefix(written.substr(0, colon))) return std::string(name);
      packages_.insert(std::string(written.substr(0, colon)));
      return std::string(written);
    }
    if (object.owner() == nullptr) return "";
    const Element element = object.element();
    const bool unchanged = element && element.tag() == object.feature() && element.cls() == object.cls();
    if (unchanged) return element.attribute("xsi:type") ? qualified(object.class_name()) : "";
    const Feature* const feature = declared(*object.owner(), object.feature());
    const bool implied =
        feature != nullptr ? feature->type == object.cls() : itea_content(object.feature()) == object.class_name();
    return implied ? "" : qualified(object.class_name());
  }

  // ---- references

  std::string text_of(const Object& holder, std::string_view written, const Object* known = nullptr) {
    const Object* const target = known != nullptr ? known : references_.find(holder, written);
    if (target == nullptr) return with_package(written);
    if (const auto id = target->attribute("xmi:id");
        id && (known == nullptr || references_.find(holder, *id) == target))
      return std::string(*id);
    const bool by_name = release_ == IteaRelease::v1_3_0 && written.find(type_mark) != std::string_view::npos &&
                         !target->name().empty() && references_.is_named(*target);
    if (by_name) return with_package(*computed_id(*target, oldest_version));
    if (&root_of(*target) != &root_of(holder)) return with_package(written);
    if (positions_.empty()) positions_ = positions_in(root_of(*target), release_);
    return positions_.at(target);
  }

  /// "Control?type=Task" → "Control?type=sw.Task".
  std::string with_package(std::string_view written) const {
    const std::size_t type = written.rfind(type_mark);
    if (type == std::string_view::npos) return std::string(written);
    const std::string_view name = written.substr(type + type_mark.size());
    const std::string_view package = itea_package(name, release_);
    if (package.empty()) return std::string(written);
    std::string text(written.substr(0, type + type_mark.size()));
    return text.append(package).append(".").append(itea_class_name(name, release_));
  }

  /// The type of a target in another file, if the reference does not state it; otherwise "".
  std::string type_of_target(const Object& holder, const Field& field) {
    if (field.target_class != no_class) return qualified(metamodel::info(field.target_class).name);
    // Before 1.3.0 a custom property could refer to anything.
    if (release_ < IteaRelease::v1_3_0 && holder.is("ReferenceObject")) return "";
    const Feature* const feature = declared(holder, model_.name(field.name));
    if (feature == nullptr || feature->type == no_class || !metamodel::is_abstract(feature->type, oldest_version))
      return "";
    const Object* const target = references_.find(holder, field.text);
    return target == nullptr || target->cls() == no_class ? "" : qualified(target->class_name());
  }

  // ---- elements

  /// Position of a feature in the order of 0.7.0; after all others for an unknown one.
  static std::size_t place(const Object& owner, std::string_view feature) {
    constexpr std::size_t last = std::numeric_limits<std::size_t>::max();
    if (owner.cls() == no_class) return last;
    const auto features = metamodel::all_features(owner.cls(), oldest_version);
    for (std::size_t i = 0; i < features.size(); ++i)
      if (features[i]->name == feature) return i;
    return last;
  }

  /// Attributes, children and end of an element whose start tag is open.
  void write_content(const Object& object, std::string_view tag, std::size_t depth) {
    if (const auto id = object.attribute("xmi:id")) append_attribute(out_, "xmi:id", *id);
    std::vector<const Field*> addresses;
    std::vector<std::string_view> spaces;
    std::string_view text;
    const auto& fields = object.fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Field& field = fields[i];
      const std::string_view name = model_.name(field.name);
      if (name == "xmi:id" || name == "xsi:type") continue;
      if (name == unknown_text_name) {
        text = field.text;
      } else if (field.kind == FieldKind::value) {
        append_attribute(out_, attribute_name(object, name, spaces), field.text);
      } else {
        write_targets(object, fields, i, addresses);
      }
    }
    const Comments* const comments = model_.comments(object);
    const bool has_comments = comments != nullptr && !comments->at_end.empty();
    if (addresses.empty() && object.children().empty() && !has_comments) {
      if (text.empty()) {
        out_ += "/>\n";
        return;
      }
      out_ += '>';
      append_escaped(out_, text);
    } else {
      out_ += ">\n";
      write_children(object, addresses, depth + 1);
      if (has_comments) append_comments(out_, comments->at_end, depth + 1);
      append_indent(out_, depth);
    }
    out_.append("</").append(tag).append(">\n");
  }

  std::string attribute_name(const Object& object, std::string_view name, std::vector<std::string_view>& spaces) {
    if (name.starts_with('{')) return append_foreign_name(out_, name, spaces);
    return std::string(itea_feature_name(object.class_name(), name, release_));
  }

  static bool is_prefix(std::string_view text) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !text.empty() && letter(text.front()) && text != "xml" && text != "xmlns" && text != "xmi" &&
           text != "xsi" && std::all_of(text.begin(), text.end(), [&](char c) {
             return letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
           });
  }

  /// The targets of a feature at the position of its first one: in one attribute, or all as elements if one is in
  /// another file.
  void write_targets(const Object& object, const std::vector<Field>& fields, std::size_t first,
                     std::vector<const Field*>& addresses) {
    const auto same = [&](const Field& field) {
      return field.name == fields[first].name && field.kind != FieldKind::value;
    };
    const auto begin = fields.begin();
    const auto at = begin + static_cast<std::ptrdiff_t>(first);
    if (std::any_of(begin, at, same)) return;
    const bool remote = std::any_of(at, fields.end(),
                                    [&](const Field& field) { return same(field) && field.kind == FieldKind::remote; });
    std::string tokens;
    for (auto field = at; field != fields.end(); ++field) {
      if (!same(*field)) continue;
      if (remote)
        addresses.push_back(&*field);
      else
        tokens.append(tokens.empty() ? "" : " ").append(text_of(object, field->text, field->target));
    }
    if (!remote)
      append_attribute(out_, itea_feature_name(object.class_name(), model_.name(fields[first].name), release_), tokens);
  }

  /// Objects in their order, and each address before the first object that must follow it.
  void write_children(const Object& object, std::vector<const Field*>& addresses, std::size_t depth) {
    const auto place_of = [&](const Field* field) { return place(object, model_.name(field->name)); };
    if (addresses.size() > 1)
      std::stable_sort(addresses.begin(), addresses.end(),
                       [&](const Field* one, const Field* other) { return place_of(one) < place_of(other); });
    auto next = addresses.begin();
    for (const OwnedObject& child : object.children()) {
      while (next != addresses.end() && place_of(*next) < place(object, child->feature()))
        write_address(object, **next++, depth);
      write_object(object, *child, depth);
    }
    while (next != addresses.end()) write_address(object, **next++, depth);
  }

  void write_object(const Object& owner, const Object& object, std::size_t depth) {
    const Comments* const comments = model_.comments(object);
    if (comments != nullptr) append_comments(out_, comments->before, depth);
    append_indent(out_, depth);
    const std::string_view tag = itea_feature_name(owner.class_name(), object.feature(), release_);
    out_.append("<").append(tag);
    if (const std::string type = type_of(object); !type.empty()) append_attribute(out_, "xsi:type", type);
    write_content(object, tag, depth);
  }

  void write_address(const Object& holder, const Field& field, std::size_t depth) {
    append_indent(out_, depth);
    out_.append("<").append(itea_feature_name(holder.class_name(), model_.name(field.name), release_));
    const bool here = field.kind == FieldKind::local;
    if (const std::string type = type_of_target(holder, field); !type.empty()) append_attribute(out_, "xsi:type", type);
    append_attribute(out_, "href",
                     here ? fmt::format("#{}", text_of(holder, field.text, field.target)) : with_package(field.text));
    out_ += "/>\n";
  }

  const EditableModel& model_;
  IteaRelease release_;
  IteaReferences references_;
  Positions positions_;             // in the file; computed on demand
  std::set<std::string> packages_;  // those whose namespaces are used
  std::string out_;
};

}  // namespace

std::string write_itea_form(const Object& root, IteaRelease release) { return Writer(root, release).write(root); }

}  // namespace amalthea::migration
