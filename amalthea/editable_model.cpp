// SPDX-License-Identifier: Apache-2.0
#include "amalthea/editable_model.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "amalthea/detail/itea.hpp"
#include "amalthea/detail/utf8.hpp"
#include "amalthea/detail/xml_text.hpp"
#include "amalthea/identifier.hpp"

namespace amalthea {
namespace {

/// "am:Task" → "Task".
std::string_view local_name(std::string_view qname) { return qname.substr(qname.find(':') + 1); }

/// The bytes between an element's tags.
Span content(Element element) { return {element.start_tag().end, element.end_tag().begin}; }

/// Character data with references and line ends resolved; omits markup except CDATA sections.
std::string character_data(Element element) {
  constexpr std::string_view cdata = "<![CDATA[", cdata_end = "]]>";
  std::string written = utf8(element.document().source(), content(element));
  std::erase(written, '\r');
  std::string text;
  for (std::string_view rest = written; !rest.empty();) {
    if (rest.starts_with(cdata)) {
      const std::size_t end = std::min(rest.find(cdata_end), rest.size());
      text += rest.substr(cdata.size(), end - cdata.size());
      rest.remove_prefix(std::min(end + cdata_end.size(), rest.size()));
    } else if (rest.front() == '<') {
      rest.remove_prefix(std::min(rest.find('>'), rest.size() - 1) + 1);
    } else {
      const std::string_view plain = rest.substr(0, rest.find('<'));
      text += unescaped(plain);
      rest.remove_prefix(plain.size());
    }
  }
  return text;
}

/// Copies the elements of documents into an editable model.
class Builder {
 public:
  Builder(const Model& model, EditableModel& target, SharedIds shared)
      : model_(model), target_(target), apart_(shared == SharedIds::apart) {}

  Object& root(const Document& document, Object& root) {
    names_.clear();
    features_.clear();
    has_comments_ = document.source().encoding() != Encoding::ascii_superset ||
                    document.source().bytes().find("<!--") != std::string_view::npos;
    fill(root, document.root());
    if (has_comments_) {
      const Span span = document.root().span();
      const auto size = static_cast<std::uint32_t>(document.source().bytes().size());
      note_comments(document, {0, span.begin}, root, &Comments::before);
      note_comments(document, {span.end, size}, root, &Comments::at_end);
    }
    return root;
  }

 private:
  NameKey key(const Document& document, NameId name) {
    const auto index = static_cast<std::size_t>(name);
    if (index >= names_.size()) names_.resize(index + 1, unknown_);
    if (names_[index] == unknown_) names_[index] = target_.intern(document.name(name));
    return names_[index];
  }

  const Feature* feature(const Document& document, ClassId cls, NameId name) {
    if (cls == no_class) return nullptr;
    const auto key = (static_cast<std::uint64_t>(cls) << 32U) | static_cast<std::uint32_t>(name);
    const auto known = features_.find(key);
    if (known != features_.end()) return known->second;
    const Feature* found = metamodel::find_feature_any_version(cls, document.name(name), document.version());
    features_.emplace(key, found);
    return found;
  }

  void fill(Object& object, Element element) {
    const Document& document = element.document();
    const ElementRecord& record = element.record();
    const ClassId cls = object.cls();
    std::vector<Field>& fields = object.fields();
    const bool typed = cls != no_class && record.attribute_count > 0 &&
                       document.name(document.attribute(record.first_attribute).name()) == "xsi:type";
    fields.reserve(record.attribute_count - (typed ? 1U : 0U));
    for (std::uint32_t i = 0; i < record.attribute_count; ++i) {
      const AttributeRecord& attribute = document.attribute(record.first_attribute + i);
      const std::string_view name = document.name(attribute.name());
      if (name == "xmi:version" || name == "xsi:schemaLocation" || (name == "xsi:type" && cls != no_class)) continue;
      const Feature* known = feature(document, cls, attribute.name());
      const std::string_view value = document.value(attribute);
      const NameKey name_key = key(document, attribute.name());
      if (known == nullptr || known->kind != FeatureKind::reference) {
        fields.push_back({name_key, FieldKind::value, no_class, value});
      } else {
        for_each_token(value, [&](std::string_view token, std::size_t) {
          fields.push_back(reference(element, name_key, token, token.find('#') != std::string_view::npos, no_class));
        });
      }
    }
    object.reserve_children(
        static_cast<std::size_t>(std::distance(element.children().begin(), element.children().end())));
    std::vector<Element> plain;  // attributes written as elements, the last of each
    std::uint32_t gap_begin = content(element).begin;
    for (const Element child : element.children()) {
      const Feature* known = feature(document, cls, child.record().tag);
      const Object* made = nullptr;
      // An attribute with an address is a former reference: the keys of needs during the development of 0.9.0.
      if (known != nullptr && !child.cls() && child.attribute("href") &&
          (known->kind == FeatureKind::reference || (apart_ && known->kind == FeatureKind::attribute))) {
        const auto type = child.attribute("xsi:type");
        const auto target_class = type ? named_class(document, *type) : std::nullopt;
        fields.push_back(reference(element, key(document, child.record().tag), *child.attribute("href"), true,
                                   target_class.value_or(no_class)));
      } else if (known != nullptr && known->kind == FeatureKind::attribute) {
        const auto same =
            std::find_if(plain.begin(), plain.end(), [&](Element one) { return one.tag() == child.tag(); });
        if (same == plain.end())
          plain.push_back(child);
        else
          *same = child;
      } else {
        made = &add_child(object, child);
      }
      if (has_comments_) {
        const Span gap{gap_begin, child.record().begin};
        if (gap.end > gap.begin)
          note_comments(document, gap, made == nullptr ? object : *made,
                        made == nullptr ? &Comments::at_end : &Comments::before);
        gap_begin = child.span().end;
      }
    }
    for (const Element child : plain) object.set(child.tag(), character_data(child));
    if (has_comments_ && content(element).end > gap_begin)
      note_comments(document, {gap_begin, content(element).end}, object, &Comments::at_end);
  }

  /// "am:Task"; ITEA names classes with their packages, "hw:System".
  static std::optional<ClassId> named_class(const Document& document, std::string_view qname) {
    const std::string_view name = local_name(qname);
    if (document.itea() == IteaRelease::none || name.size() == qname.size()) return metamodel::find_class(name);
    return metamodel::find_class(itea_class(qname.substr(0, qname.size() - name.size() - 1), name));
  }

  Object& add_child(Object& owner, Element child) {
    Object& made = target_.create_from(owner, key(child.document(), child.record().tag), child);
    fill(made, child);
    // Elements outside the metamodel may hold text.
    if (!child.cls() && made.children().empty()) {
      const std::string text = character_data(child);
      if (text.find_first_not_of(" \n\t") != std::string::npos) made.set(unknown_text_name, text);
    }
    return made;
  }

  /// A target as EMF would write it: by name if it has one, without an address if it is in the same file.
  Field reference(Element holder, NameKey name, std::string_view written, bool remote, ClassId cls) {
    const auto field = [&](FieldKind kind, std::string_view text) {
      return Field{name, kind, kind == FieldKind::remote ? cls : no_class, text};
    };
    // ITEA class names contain their packages.
    const bool by_name =
        written.find("?type=") != std::string_view::npos && holder.document().itea() == IteaRelease::none;
    if (!remote && by_name) return field(FieldKind::local, written);
    const Element target = model_.target(holder, written);
    if (!target) return field(remote ? FieldKind::remote : FieldKind::local, written);
    const bool here = &target.document() == &holder.document();
    if (!apart_) {
      if (!here && remote) return field(FieldKind::remote, written);
      const auto shared = computed_id(target);
      return field(FieldKind::local, target_.keep(shared ? *shared : id_of_href(written)));
    }
    // ITEA's addresses name files, and are kept until a release that does not use them.
    if (!here && (by_name || holder.document().itea() != IteaRelease::none)) return field(FieldKind::remote, written);
    // Unnamed objects share an id; only their xmi:id or position distinguishes them.
    auto id = computed_id(target);
    if (id && model_.target(holder, here ? *id : any_file_address(*id)) != target) id.reset();
    if (!here) return field(FieldKind::remote, id ? target_.keep(any_file_address(*id)) : written);
    return field(FieldKind::local, target_.keep(id ? *id : id_of_href(written)));
  }

  static std::string any_file_address(std::string_view id) { return std::string("amlt:/#").append(id); }

  void note_comments(const Document& document, Span span, const Object& object,
                     std::vector<std::string_view> Comments::*where) {
    const SourceText& source = document.source();
    const bool plain = source.encoding() == Encoding::ascii_superset;
    if (plain && source.text(span).find("<!--") == std::string_view::npos) return;
    const std::string text = utf8(source, span);
    const std::string_view gap = text;
    for (std::size_t at = gap.find("<!--"); at != std::string_view::npos; at = gap.find("<!--", at)) {
      const std::size_t end = gap.find("-->", at + 4);
      if (end == std::string_view::npos) return;
      (target_.comments_for_change(object).*where).push_back(target_.keep(gap.substr(at + 4, end - at - 4)));
      at = end + 3;
    }
  }

  static constexpr NameKey unknown_{0xFFFFFFFF};
  const Model& model_;
  EditableModel& target_;
  bool apart_;
  std::vector<NameKey> names_;  // by NameId of the current document
  std::unordered_map<std::uint64_t, const Feature*> features_;
  bool has_comments_ = false;
};

}  // namespace

// ---- Object

Object::Object(EditableModel& model, NameKey feature, ClassId cls) : model_(&model), feature_(feature), cls_(cls) {
  ++model.object_count_;
}

Object::~Object() {
  --model_->object_count_;
  if (!model_->comments_.empty()) model_->comments_.erase(this);
}

std::string_view Object::class_name() const {
  return cls_ == no_class ? std::string_view{} : metamodel::info(cls_).name;
}

bool Object::set_class(std::string_view class_name) {
  const auto cls = metamodel::find_class(class_name);
  if (cls) cls_ = *cls;
  return cls.has_value();
}

std::string_view Object::feature() const { return model_->name(feature_); }

std::optional<NameKey> Object::key(std::string_view name) const { return model_->find_name(name); }

std::string Object::path() const {
  if (owner_ == nullptr) return std::string(feature());
  std::string text = owner_->owner_ == nullptr ? "" : owner_->path() + "/";
  text += feature();
  if (!name().empty()) return text + "/" + std::string(name());
  std::size_t same = 0, position = 0;
  for (const OwnedObject& sibling : owner_->children_) {
    if (sibling.get() == this) position = same;
    if (sibling->feature_ == feature_) ++same;
  }
  return same > 1 ? text + fmt::format("[{}]", position) : text;
}

std::optional<std::string_view> Object::attribute(std::string_view name) const {
  const auto wanted = key(name);
  if (!wanted) return std::nullopt;
  for (const Field& field : fields_)
    if (field.name == *wanted && field.kind == FieldKind::value) return field.text;
  return std::nullopt;
}

std::string_view Object::attribute_or(std::string_view name, std::string_view otherwise) const {
  return attribute(name).value_or(otherwise);
}

void Object::set(std::string_view name, std::string_view value) {
  const NameKey wanted = model_->intern(name);
  const std::string_view kept = model_->keep(value);
  for (Field& field : fields_) {
    if (field.name != wanted || field.kind != FieldKind::value) continue;
    field.text = kept;
    return;
  }
  fields_.push_back({wanted, FieldKind::value, no_class, kept});
}

void Object::unset(std::string_view name) {
  if (const auto wanted = key(name))
    fields_.erase(
        std::remove_if(fields_.begin(), fields_.end(), [&](const Field& field) { return field.name == *wanted; }),
        fields_.end());
}

std::vector<Field> Object::references(std::string_view name) const {
  std::vector<Field> found;
  if (const auto wanted = key(name))
    std::copy_if(fields_.begin(), fields_.end(), std::back_inserter(found),
                 [&](const Field& field) { return field.name == *wanted && field.kind != FieldKind::value; });
  return found;
}

std::optional<std::string_view> Object::reference(std::string_view name) const {
  const auto wanted = key(name);
  if (!wanted) return std::nullopt;
  for (const Field& field : fields_)
    if (field.name == *wanted && field.kind != FieldKind::value) return field.text;
  return std::nullopt;
}

void Object::add_reference(std::string_view name, std::string_view id) {
  fields_.push_back({model_->intern(name), FieldKind::local, no_class, model_->keep(id)});
}

void Object::add_remote_reference(std::string_view name, std::string_view address, ClassId cls) {
  fields_.push_back({model_->intern(name), FieldKind::remote, cls, model_->keep(address)});
}

std::vector<Object*> Object::children(std::string_view feature) const {
  std::vector<Object*> found;
  if (const auto wanted = key(feature))
    for (const OwnedObject& child : children_)
      if (child->feature_ == *wanted) found.push_back(child.get());
  return found;
}

Object* Object::child(std::string_view feature) const {
  if (const auto wanted = key(feature))
    for (const OwnedObject& child : children_)
      if (child->feature_ == *wanted) return child.get();
  return nullptr;
}

Object& Object::create(std::string_view feature, ClassId cls) {
  children_.push_back(std::make_unique<Object>(*model_, model_->intern(feature), cls));
  children_.back()->owner_ = this;
  return *children_.back();
}

Object& Object::create(std::string_view feature, std::string_view class_name) {
  return create(feature, metamodel::find_class(class_name).value());
}

Object& Object::add(std::string_view feature, OwnedObject object, const Object* before) {
  Object& added = *object;
  added.feature_ = model_->intern(feature);
  added.owner_ = this;
  const auto place =
      std::find_if(children_.begin(), children_.end(), [&](const OwnedObject& child) { return child.get() == before; });
  children_.insert(before == nullptr ? children_.end() : place, std::move(object));
  return added;
}

OwnedObject Object::take(Object& child) {
  // If many are taken, the last one is often first.
  auto place = children_.end();
  while (place != children_.begin() && (place - 1)->get() != &child) --place;
  if (place == children_.begin()) return nullptr;
  --place;
  OwnedObject taken = std::move(*place);
  children_.erase(place);
  taken->owner_ = nullptr;
  return taken;
}

std::vector<OwnedObject> Object::take_all(std::string_view feature) {
  std::vector<OwnedObject> taken;
  const auto wanted = key(feature);
  if (!wanted) return taken;
  auto keep = children_.begin();
  for (OwnedObject& child : children_) {
    if (child->feature_ == *wanted) {
      child->owner_ = nullptr;
      taken.push_back(std::move(child));
    } else {
      if (&*keep != &child) *keep = std::move(child);
      ++keep;
    }
  }
  children_.erase(keep, children_.end());
  return taken;
}

void Object::move_to(Object& owner, std::string_view feature) { owner.add(feature, owner_->take(*this)); }

void Object::set_feature(std::string_view feature) { feature_ = model_->intern(feature); }

void Object::rename_feature(std::string_view from, std::string_view to) {
  const auto old_key = key(from);
  if (!old_key) return;
  const NameKey new_key = model_->intern(to);
  for (Field& field : fields_)
    if (field.name == *old_key) field.name = new_key;
  for (const OwnedObject& child : children_)
    if (child->feature_ == *old_key) child->feature_ = new_key;
}

// ---- EditableModel

EditableModel::EditableModel(const Model& model, SharedIds shared) {
  Builder builder(model, *this, shared);
  for (const auto& document : model.documents()) {
    const Element root = document->root();
    files_.push_back({document->source().path(),
                      std::make_unique<Object>(*this, intern(root.tag()), root.cls().value_or(no_class))});
    files_.back().root->element_ = root;
    builder.root(*document, *files_.back().root);
  }
}

Object& EditableModel::add_file(std::string path, std::string_view root_class) {
  files_.push_back({std::move(path),
                    std::make_unique<Object>(*this, intern(root_class), metamodel::find_class(root_class).value())});
  return *files_.back().root;
}

Object& EditableModel::create_from(Object& owner, NameKey feature, Element element) {
  owner.children_.push_back(std::make_unique<Object>(*this, feature, element.cls().value_or(no_class)));
  Object& made = *owner.children_.back();
  made.owner_ = &owner;
  made.element_ = element;
  return made;
}

std::vector<Object*> EditableModel::objects() const {
  std::vector<Object*> found;
  for_each([&](Object& object) { found.push_back(&object); });
  return found;
}

std::vector<Object*> EditableModel::objects_of(std::string_view class_name) const {
  std::vector<Object*> found;
  const auto cls = metamodel::find_class(class_name);
  if (cls)
    for_each([&](Object& object) {
      if (object.cls() == *cls) found.push_back(&object);
    });
  return found;
}

namespace {

constexpr std::string_view any_file = "amlt:/#";

/// The id that a target names, without the address.
std::string_view id_of(const Field& field) {
  return field.kind == FieldKind::remote && field.text.starts_with(any_file) ? field.text.substr(any_file.size())
                                                                             : field.text;
}

}  // namespace

std::size_t EditableModel::retarget(const std::unordered_map<std::string_view, std::string_view>& from_to) {
  std::size_t count = 0;
  for_each([&](Object& object) {
    for (Field& field : object.fields_) {
      if (field.kind == FieldKind::value) continue;
      const std::string_view id = id_of(field);
      const auto found = from_to.find(id);
      if (found == from_to.end()) continue;
      const std::string_view address = field.text.substr(0, field.text.size() - id.size());
      field.text = address.empty() ? keep(found->second) : keep(std::string(address).append(found->second));
      ++count;
    }
  });
  return count;
}

std::size_t EditableModel::remove_references(const std::unordered_set<std::string_view>& ids) {
  std::size_t count = 0;
  for_each([&](Object& object) {
    auto& fields = object.fields_;
    const auto gone = std::remove_if(fields.begin(), fields.end(), [&](const Field& field) {
      return field.kind != FieldKind::value && ids.contains(id_of(field));
    });
    count += static_cast<std::size_t>(fields.end() - gone);
    fields.erase(gone, fields.end());
  });
  return count;
}

const Comments* EditableModel::comments(const Object& object) const {
  if (comments_.empty()) return nullptr;
  const auto found = comments_.find(&object);
  return found == comments_.end() ? nullptr : &found->second;
}

NameKey EditableModel::intern(std::string_view name) {
  if (const auto known = find_name(name)) return *known;
  const auto key = static_cast<NameKey>(names_.size());
  names_.emplace_back(name);
  name_keys_.emplace(names_.back(), key);
  return key;
}

std::optional<NameKey> EditableModel::find_name(std::string_view name) const {
  const auto known = name_keys_.find(name);
  return known == name_keys_.end() ? std::nullopt : std::optional(known->second);
}

std::string_view EditableModel::keep(std::string_view text) {
  if (text.empty()) return "";
  if (text.size() > chunk_left_) {
    const std::size_t size = std::max<std::size_t>(text.size(), 1U << 16U);
    chunks_.push_back(std::make_unique<char[]>(size));
    chunk_at_ = chunks_.back().get();
    chunk_left_ = size;
  }
  std::memcpy(chunk_at_, text.data(), text.size());
  const std::string_view kept(chunk_at_, text.size());
  chunk_at_ += text.size();
  chunk_left_ -= text.size();
  return kept;
}

std::optional<std::string> element_text(Element element, std::string_view name) {
  std::optional<std::string> text;
  for (const Element child : element.children())
    if (child.tag() == name) text = character_data(child);
  return text;
}

}  // namespace amalthea
