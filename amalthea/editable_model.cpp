// SPDX-License-Identifier: Apache-2.0
#include "amalthea/editable_model.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "amalthea/identifier.hpp"
#include "amalthea/primitives/itea.hpp"
#include "amalthea/primitives/utf8.hpp"
#include "amalthea/primitives/xml_text.hpp"

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

/// Whether there is something in an element that the value of an attribute, or an address, has no place for.
bool holds_more(Element element) {
  if (element.children().begin() != element.children().end()) return true;
  const Document& document = element.document();
  const ElementRecord& record = element.record();
  for (std::uint32_t i = 0; i < record.attribute_count; ++i)
    if (const std::string_view name = document.name(document.attribute(record.first_attribute + i).name());
        !name.starts_with("xsi:") && !name.starts_with("xmi:") && name != "href")
      return true;
  return false;
}

/// Puts the elements of documents into an editable model.
class Builder {
 public:
  Builder(const Model& model, EditableModel& target, SharedIds shared)
      : model_(model), target_(target), apart_(shared == SharedIds::apart) {}

  /// Once all documents are there: what references lead to.
  void link() {
    for (const Target& target : targets_)
      target.holder->fields()[target.field].target =
          objects_[target.element.document().position()][target.element.index()];
  }

  Object& root(const Document& document, Object& root) {
    if (apart_) objects_.resize(document.position() + 1);
    if (apart_) objects_[document.position()].resize(document.size(), nullptr);
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
    if (apart_) objects_[document.position()][element.index()] = &object;
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
        const std::uint32_t known_target = apart_ ? document.first_target(element.index(), i) : ElementRecord::none;
        const Element target = known_target == ElementRecord::none ? Element{} : document.element(known_target);
        for_each_token(value, [&](std::string_view token, std::size_t) {
          const bool remote = token.find('#') != std::string_view::npos;
          add_reference(object, element, name_key, token, remote, no_class, target);
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
          (known->kind == FeatureKind::reference ||
           (apart_ && known->kind == FeatureKind::attribute && !object.attribute(child.tag())))) {
        const auto type = child.attribute("xsi:type");
        const auto target_class = type ? named_class(document, *type) : std::nullopt;
        add_reference(object, element, key(document, child.record().tag), *child.attribute("href"), true,
                      target_class.value_or(no_class), {});
        if (apart_ && holds_more(child)) {
          add_child(object, child);
          object.children().back()->unset("href");
        }
      } else if (known != nullptr && known->kind == FeatureKind::attribute &&
                 !(apart_ && (holds_more(child) || child.attribute("href")))) {
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
    for (const Element child : plain) {
      const std::string text = character_data(child);
      const auto attribute = object.attribute(child.tag());
      if (!apart_ || !attribute)
        object.set(child.tag(), text);
      else if (text.empty())
        add_child(object, child);
      else if (text != *attribute)
        object.fields().push_back({key(document, child.record().tag), FieldKind::value, no_class, target_.keep(text)});
    }
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

  /// A target as EMF would write it: by name where it has one, without an address where it is in the same file.
  /// `target` may be known already.
  void add_reference(Object& object, Element holder, NameKey name, std::string_view written, bool remote, ClassId cls,
                     Element target) {
    if (!target && (apart_ || remote || !is_by_name(holder, written))) target = model_.target(holder, written);
    const auto [kind, text] =
        apart_ ? named_apart(holder, written, remote, target) : named_as_emf(holder, written, remote, target);
    if (apart_ && target) targets_.push_back({&object, static_cast<std::uint32_t>(object.fields().size()), target});
    object.fields().push_back({name, kind, kind == FieldKind::remote ? cls : no_class, text});
  }

  using Named = std::pair<FieldKind, std::string_view>;

  /// ITEA names classes with their packages.
  static bool is_by_name(Element holder, std::string_view written) {
    return written.find("?type=") != std::string_view::npos && holder.document().itea() == IteaRelease::none;
  }

  Named named_as_emf(Element holder, std::string_view written, bool remote, Element target) {
    if (!remote && is_by_name(holder, written)) return {FieldKind::local, written};
    if (!target) return {remote ? FieldKind::remote : FieldKind::local, written};
    if (remote && &target.document() != &holder.document()) return {FieldKind::remote, written};
    const auto shared = computed_id(target);
    return {FieldKind::local, target_.keep(shared ? *shared : id_of_href(written))};
  }

  Named named_apart(Element holder, std::string_view written, bool remote, Element target) {
    if (!target) return {remote ? FieldKind::remote : FieldKind::local, written};
    const bool here = &target.document() == &holder.document();
    const bool by_name = is_by_name(holder, written);
    // What is not found by an xmi:id and has no escapes that may be others is found by this very id.
    if (here && !remote && by_name && written.find('%') == std::string_view::npos && !target.attribute("xmi:id"))
      return {FieldKind::local, written};
    // ITEA's addresses name files, and stay until a release does not.
    if (!here && holder.document().itea() != IteaRelease::none) return {FieldKind::remote, written};
    // Objects without a name share an id; only their xmi:id or position tells them apart.
    auto id = computed_id(target);
    if (id && by_name && written.substr(written.find('#') + 1) == *id)
      return here ? Named{FieldKind::local, written.substr(written.find('#') + 1)} : Named{FieldKind::remote, written};
    if (id && model_.target(holder, here ? *id : any_file_address(*id)) != target) id.reset();
    if (!here) return {FieldKind::remote, id ? target_.keep(any_file_address(*id)) : written};
    return {FieldKind::local, target_.keep(id ? *id : id_of_href(written))};
  }

  static std::string any_file_address(std::string_view id) { return std::string("amlt:/#").append(id); }

  void note_comments(const Document& document, Span span, const Object& object,
                     std::vector<std::string_view> Comments::*where) {
    const SourceText& source = document.source();
    const bool plain = source.encoding() == Encoding::ascii_superset;
    if (plain && source.text(span).find("<!--") == std::string_view::npos) return;
    const std::string text = utf8(source, span);
    const std::string_view gap = text;
    for (std::size_t at = gap.find('<'); at != std::string_view::npos; at = gap.find('<', at)) {
      // Of what may stand there beside comments, two kinds may hold what looks like one.
      const std::string_view rest = gap.substr(at);
      const bool comment = rest.starts_with("<!--");
      const std::string_view end_mark = comment                         ? "-->"
                                        : rest.starts_with("<?")        ? "?>"
                                        : rest.starts_with("<![CDATA[") ? "]]>"
                                                                        : "";
      const std::size_t end = gap.find(end_mark, at + (comment ? 4 : 1));
      if (end == std::string_view::npos) return;
      if (comment)
        (target_.comments_for_change(object).*where).push_back(target_.keep(gap.substr(at + 4, end - at - 4)));
      at = end + std::max<std::size_t>(end_mark.size(), 1);
    }
  }

  static constexpr NameKey unknown_{0xFFFFFFFF};
  const Model& model_;
  EditableModel& target_;
  bool apart_;
  std::vector<NameKey> names_;  // by NameId of the current document
  std::unordered_map<std::uint64_t, const Feature*> features_;
  bool has_comments_ = false;
  // Of SharedIds::apart: objects by document and element, and references whose targets may not be there yet.
  std::vector<std::vector<Object*>> objects_;
  struct Target {
    Object* holder;
    std::uint32_t field;
    Element element;
  };
  std::vector<Target> targets_;
};

}  // namespace

// ---- Object

Object::Object(EditableModel& model, NameKey feature, ClassId cls) : model_(&model), feature_(feature), cls_(cls) {
  ++model.object_count_;
}

Object::~Object() {
  if (!removed_) --model_->object_count_;
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

void Object::add_reference(std::string_view name, std::string_view id, Object* target) {
  fields_.push_back({model_->intern(name), FieldKind::local, no_class, model_->keep(id), target});
}

void Object::add_remote_reference(std::string_view name, std::string_view address, ClassId cls, Object* target) {
  fields_.push_back({model_->intern(name), FieldKind::remote, cls, model_->keep(address), target});
}

void Object::add_reference_like(std::string_view name, const Field& field) {
  fields_.push_back(field);
  fields_.back().name = model_->intern(name);
}

Objects Object::children(std::string_view feature) const {
  Objects found;
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
  children_.push_back(OwnedObject(new Object(*model_, model_->intern(feature), cls)));
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
  if (taken->removed_) model_->set_removed(*taken, false);  // out of what was removed
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
      if (child->removed_) model_->set_removed(*child, false);
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
    files_.push_back(
        {document->source().path(), OwnedObject(new Object(*this, intern(root.tag()), root.cls().value_or(no_class)))});
    files_.back().root->element_ = root;
    builder.root(*document, *files_.back().root);
  }
  builder.link();
}

EditableModel::~EditableModel() {
  forget_removed();
  files_.clear();  // objects know their model
}

void EditableModel::forget_removed() {
  keeps_removed_ = false;
  std::vector<Object*> removed;
  std::swap(removed, removed_);
  if (removed.empty()) return;
  for_each([](Object& object) {
    for (Field& field : object.fields())
      if (field.target != nullptr && field.target->is_removed()) field.target = nullptr;
  });
  for (Object* const object : removed) delete object;
}

void EditableModel::set_removed(Object& object, bool removed) {
  if (object.removed_ == removed) return;
  object.removed_ = removed;
  object_count_ = removed ? object_count_ - 1 : object_count_ + 1;
  for (const OwnedObject& child : object.children_) set_removed(*child, removed);
}

void ObjectDeleter::operator()(Object* object) const noexcept {
  EditableModel& model = object->model();
  if (!model.keeps_removed_) {
    delete object;
    return;
  }
  model.set_removed(*object, true);
  model.removed_.push_back(object);
}

Object& EditableModel::add_file(std::string path, std::string_view root_class) {
  files_.push_back(
      {std::move(path), OwnedObject(new Object(*this, intern(root_class), metamodel::find_class(root_class).value()))});
  return *files_.back().root;
}

Object& EditableModel::create_from(Object& owner, NameKey feature, Element element) {
  owner.children_.push_back(OwnedObject(new Object(*this, feature, element.cls().value_or(no_class))));
  Object& made = *owner.children_.back();
  made.owner_ = &owner;
  made.element_ = element;
  return made;
}

Objects EditableModel::objects() const {
  Objects found;
  for_each([&](Object& object) { found.push_back(&object); });
  return found;
}

Objects EditableModel::objects_of(std::string_view class_name) const {
  Objects found;
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
