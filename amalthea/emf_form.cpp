// SPDX-License-Identifier: Apache-2.0
#include "amalthea/emf_form.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "amalthea/attribute_value.hpp"
#include "amalthea/primitives/xml_text.hpp"

namespace amalthea {
namespace {

/// A feature that appears in files, with properties that the writer uses repeatedly.
struct PlannedFeature {
  const Feature* feature;
  ValueKind kind = ValueKind::text;
  bool always = false;                       ///< written even if it has its default
  std::optional<std::string> default_value;  ///< in EMF's form
};

/// The features of one class in the order in which they are written.
struct ClassPlan {
  static constexpr std::uint16_t none = 0xFFFF;
  std::vector<PlannedFeature> features;
  std::vector<std::uint16_t> slots;  ///< position in `features` by NameKey

  std::uint16_t slot(NameKey name) const {
    const auto index = static_cast<std::size_t>(name);
    return index < slots.size() ? slots[index] : none;
  }
};

class Writer {
 public:
  Writer(const Object& root, Version version, const EmfFormOptions& options, std::function<void(std::string_view)> sink)
      : sink_(std::move(sink)),
        model_(root.model()),
        version_(version),
        options_(options),
        xmi_id_(model_.find_name("xmi:id")),
        xsi_type_(model_.find_name("xsi:type")),
        text_(model_.find_name(unknown_text_name)),
        plans_(metamodel::classes().size()) {}

  void write(const Object& root) {
    out_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    const Comments* comments = options_.comments ? model_.comments(root) : nullptr;
    if (comments != nullptr) append_comments(out_, comments->before, 0);
    out_ += "<am:";
    const std::string tag = "am:" + std::string(root.cls() == no_class ? root.feature() : root.class_name());
    out_.append(tag, 3).append(" xmi:version=\"2.0\" xmlns:xmi=\"http://www.omg.org/XMI\"");
    const std::string xsi = uses_xsi(root) ? " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"" : "";
    const std::string am = " xmlns:am=\"" + namespace_uri(version_) + "\"";
    const bool xsi_first = version_ >= Version::v1_0_0 || options_.current_namespace_order;
    out_ += xsi_first ? xsi : am;
    out_ += xsi_first ? am : xsi;
    write_content(root, tag, 0);
    sink_(out_);
  }

  std::string fragment(const Object& object) {
    write_object(object, 0);
    // Line breaks in the text itself are escaped, so the remaining ones are between elements.
    std::string line;
    for (std::size_t at = 0; at < out_.size(); ++at) {
      if (out_[at] != '\n') {
        line += out_[at];
        continue;
      }
      while (at + 1 < out_.size() && out_[at + 1] == ' ') ++at;
    }
    return line;
  }

 private:
  /// The content of an element: objects and addresses, in the order of the features.
  struct Inner {
    std::uint16_t slot;
    const Object* object;
    const Field* target;
  };

  const ClassPlan& plan(ClassId cls) {
    if (cls == no_class) return unknown_class_;
    auto& known = plans_[static_cast<std::size_t>(cls)];
    if (known == nullptr) known = make_plan(cls);
    return *known;
  }

  std::unique_ptr<ClassPlan> make_plan(ClassId cls) {
    auto made = std::make_unique<ClassPlan>();
    for (const Feature* feature : metamodel::all_features(cls, version_)) {
      if (!feature->stored() || feature->derived) continue;
      PlannedFeature planned{feature, {}, false, {}};
      if (feature->kind == FeatureKind::attribute) {
        planned.kind = value_kind(*feature, version_);
        planned.default_value = default_value(*feature, version_);
        planned.always = feature->has_default && planned.default_value.has_value();
      }
      if (const auto key = model_.find_name(feature->name)) {
        const auto name = static_cast<std::size_t>(*key);
        if (made->slots.size() <= name) made->slots.resize(name + 1, ClassPlan::none);
        made->slots[name] = static_cast<std::uint16_t>(made->features.size());
      }
      made->features.push_back(std::move(planned));
    }
    return made;
  }

  /// The declared type of a feature, in the written version or else in the nearest that has it.
  const Feature* declared(const Object& owner, NameKey name) {
    const ClassPlan& known = plan(owner.cls());
    if (const std::uint16_t slot = known.slot(name); slot != ClassPlan::none) return known.features[slot].feature;
    if (owner.cls() == no_class) return nullptr;
    const std::uint64_t place = static_cast<std::uint64_t>(owner.cls()) << 32U | static_cast<std::uint32_t>(name);
    const auto other = of_other_versions_.find(place);
    if (other != of_other_versions_.end()) return other->second;
    return of_other_versions_[place] = metamodel::find_feature_any_version(owner.cls(), model_.name(name), version_);
  }

  bool needs_type(const Object& object) {
    if (object.cls() == no_class || object.owner() == nullptr) return false;
    const Feature* feature = declared(*object.owner(), object.feature_key());
    return feature == nullptr || feature->type != object.cls();
  }

  /// The class of a remote target if it must be written, or no_class.
  ClassId type_of_target(const Feature* feature, const Field& target) const {
    if (feature == nullptr || feature->type == no_class || !metamodel::is_abstract(feature->type, version_))
      return no_class;
    if (target.target_class != no_class) return target.target_class;
    std::string_view name = target.text;
    for (const std::string_view mark : {"?type=", "%3Ftype%3D"})
      if (const auto at = name.rfind(mark); at != std::string_view::npos)
        return metamodel::find_class(name.substr(at + mark.size())).value_or(no_class);
    return no_class;
  }

  bool uses_xsi(const Object& object) {
    for (const Field& field : object.fields()) {
      if (field.name == xsi_type_ ? object.cls() == no_class : model_.name(field.name).starts_with("xsi:")) return true;
      if (field.kind == FieldKind::remote && type_of_target(declared(object, field.name), field) != no_class)
        return true;
    }
    return std::any_of(object.children().begin(), object.children().end(),
                       [&](const OwnedObject& child) { return needs_type(*child) || uses_xsi(*child); });
  }

  void write_value(const PlannedFeature& planned, const Field* field) {
    if (field == nullptr) {
      if (planned.always) append_attribute(out_, planned.feature->name, *planned.default_value);
      return;
    }
    if (planned.kind == ValueKind::text) {
      if (planned.always || field->text != planned.default_value)
        append_attribute(out_, planned.feature->name, field->text);
      return;
    }
    const auto value = written_value(*planned.feature, version_, field->text);
    if (!value)
      append_attribute(out_, planned.feature->name, field->text);
    else if (planned.always || value != planned.default_value)
      append_attribute(out_, planned.feature->name, *value);
  }

  /// The name for an attribute of another namespace, "p:name" or "{uri}name"; the prefix is declared at the element.
  /// `prefixes` are those that the element has already declared.
  std::string declare_prefix(std::string_view name, std::vector<std::string_view>& prefixes) {
    if (name.starts_with('{')) return append_foreign_name(out_, name, prefixes);
    const std::size_t end = name.find(':');
    if (end == std::string_view::npos) return std::string(name);
    const std::string_view space = name.substr(0, end);
    if (space == "xml" || space == "xmi" || space == "xsi") return std::string(name);
    if (std::find(prefixes.begin(), prefixes.end(), space) == prefixes.end()) {
      prefixes.push_back(space);
      append_attribute(out_, "xmlns:" + std::string(space), space);
    }
    return std::string(name);
  }

  using FieldIterator = std::vector<std::pair<std::uint16_t, const Field*>>::const_iterator;

  /// The targets in [begin, end): tokens of one attribute, or child elements for later if one is remote.
  void write_targets(std::string_view name, std::uint16_t slot, FieldIterator begin, FieldIterator end,
                     std::vector<Inner>& inner) {
    if (std::any_of(begin, end, [](const auto& target) { return target.second->kind == FieldKind::remote; })) {
      for (auto at = begin; at != end; ++at) inner.push_back({slot, nullptr, at->second});
      return;
    }
    out_.append(" ").append(name).append("=\"");
    for (auto at = begin; at != end; ++at) {
      if (at != begin) out_ += ' ';
      append_escaped(out_, at->second->text);
    }
    out_ += '"';
  }

  /// Attributes, children and end of an element whose start tag is open.
  void write_content(const Object& object, std::string_view tag, std::size_t depth) {
    const ClassPlan& known = plan(object.cls());
    std::vector<std::pair<std::uint16_t, const Field*>> fields;
    fields.reserve(object.fields().size());
    const Field* text = nullptr;
    for (const Field& field : object.fields()) {
      if (field.name == xmi_id_)
        append_attribute(out_, "xmi:id", field.text);
      else if (field.name == text_)
        text = &field;
      else if (field.name == xsi_type_)
        continue;  // of an unknown class; written by the owner
      else
        fields.emplace_back(known.slot(field.name), &field);
    }
    const auto by_slot = [](const auto& one, const auto& other) { return one.first < other.first; };
    if (!std::is_sorted(fields.begin(), fields.end(), by_slot)) std::stable_sort(fields.begin(), fields.end(), by_slot);

    std::vector<Inner> inner;
    inner.reserve(object.children().size());
    auto at = fields.begin();
    const auto slots = static_cast<std::uint16_t>(known.features.size());
    for (std::uint16_t slot = 0; slot < slots; ++slot) {
      const PlannedFeature& planned = known.features[slot];
      const auto begin = at;
      while (at != fields.end() && at->first == slot) ++at;
      if (planned.feature->kind == FeatureKind::attribute)
        write_value(planned, begin == at ? nullptr : (at - 1)->second);  // the last one counts
      else if (begin != at)
        write_targets(planned.feature->name, slot, begin, at, inner);
    }
    std::vector<std::string_view> prefixes;
    while (at != fields.end()) {  // features that the version lacks, in their order
      const auto begin = at++;
      while (at != fields.end() && at->second->name == begin->second->name) ++at;
      write_targets(declare_prefix(model_.name(begin->second->name), prefixes), ClassPlan::none, begin, at, inner);
    }
    for (const OwnedObject& child : object.children())
      inner.push_back({known.slot(child->feature_key()), child.get(), nullptr});
    const auto by_inner_slot = [](const Inner& one, const Inner& other) { return one.slot < other.slot; };
    if (!std::is_sorted(inner.begin(), inner.end(), by_inner_slot))
      std::stable_sort(inner.begin(), inner.end(), by_inner_slot);

    const Comments* comments = options_.comments ? model_.comments(object) : nullptr;
    const bool has_comments = comments != nullptr && !comments->at_end.empty();
    if (inner.empty() && !has_comments) {
      if (text == nullptr) {
        out_ += "/>\n";
        return;
      }
      out_ += '>';
      append_escaped(out_, text->text);
    } else {
      out_ += ">\n";
      for (const Inner& part : inner) {
        if (part.object != nullptr)
          write_object(*part.object, depth + 1);
        else
          write_address(object, *part.target, depth + 1);
      }
      if (has_comments) append_comments(out_, comments->at_end, depth + 1);
      append_indent(out_, depth);
    }
    out_.append("</").append(tag).append(">\n");
  }

  void write_type(ClassId cls) { out_.append(" xsi:type=\"am:").append(metamodel::info(cls).name).append("\""); }

  void write_object(const Object& object, std::size_t depth) {
    const Comments* comments = options_.comments ? model_.comments(object) : nullptr;
    if (comments != nullptr) append_comments(out_, comments->before, depth);
    append_indent(out_, depth);
    out_.append("<").append(object.feature());
    if (needs_type(object)) write_type(object.cls());
    if (object.cls() == no_class)
      if (const auto type = object.attribute("xsi:type")) append_attribute(out_, "xsi:type", *type);
    write_content(object, object.feature(), depth);
    if (out_.size() < piece_size || !sink_) return;
    sink_(out_);
    out_.clear();
  }

  void write_address(const Object& holder, const Field& target, std::size_t depth) {
    append_indent(out_, depth);
    out_.append("<").append(model_.name(target.name));
    const ClassId cls = type_of_target(declared(holder, target.name), target);
    if (cls != no_class) write_type(cls);
    out_ += " href=\"";
    if (target.kind == FieldKind::local) out_ += "amlt:/#";
    append_escaped(out_, target.text);
    out_ += "\"/>\n";
  }

  static constexpr std::size_t piece_size = 1U << 20U;
  std::function<void(std::string_view)> sink_;
  const EditableModel& model_;
  Version version_;
  const EmfFormOptions& options_;
  std::optional<NameKey> xmi_id_, xsi_type_, text_;  ///< if the model has such a name
  std::vector<std::unique_ptr<ClassPlan>> plans_;    // by ClassId
  ClassPlan unknown_class_;
  std::unordered_map<std::uint64_t, const Feature*> of_other_versions_;  // by class and NameKey
  std::string out_;
};

}  // namespace

std::string write_emf_form(const Object& root, Version version, EmfFormOptions options) {
  std::string text;
  write_emf_form(
      root, version, [&](std::string_view piece) { text += piece; }, options);
  return text;
}

void write_emf_form(const Object& root, Version version, const std::function<void(std::string_view)>& write,
                    EmfFormOptions options) {
  Writer(root, version, options, write).write(root);
}

std::string write_fragment(const Object& object, Version version) {
  const EmfFormOptions options;
  return Writer(object, version, options, {}).fragment(object);
}

}  // namespace amalthea
