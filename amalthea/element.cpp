// SPDX-License-Identifier: Apache-2.0
#include "amalthea/element.hpp"

#include <algorithm>
#include <new>

#include <fmt/core.h>

#include "amalthea/identifier.hpp"
#include "amalthea/position.hpp"

namespace amalthea {

Element ChildRange::iterator::operator*() const { return {*document_, index_}; }

ChildRange::iterator& ChildRange::iterator::operator++() {
  index_ = document_->record(index_).after;
  return *this;
}

const ElementRecord& Element::record() const { return document_->record(index_); }

Origin Element::origin() const { return {document_->position(), index_}; }

std::string_view Element::tag() const { return document_->name(record().tag); }

std::optional<ClassId> Element::cls() const {
  const ClassId cls = record().cls;
  return cls == no_class ? std::nullopt : std::optional(cls);
}

std::string_view Element::class_name() const {
  const ClassId cls = record().cls;
  return cls == no_class ? std::string_view{} : metamodel::info(cls).name;
}

std::optional<std::string_view> Element::attribute(std::string_view name) const {
  const ElementRecord& self = record();
  for (std::uint32_t i = 0; i < self.attribute_count; ++i) {
    const AttributeRecord& candidate = document_->attribute(self.first_attribute + i);
    if (document_->name(candidate.name()) == name) return document_->value(candidate);
  }
  return std::nullopt;
}

std::string_view Element::attribute_or(std::string_view name, std::string_view otherwise) const {
  return attribute(name).value_or(otherwise);
}

std::optional<Span> Element::attribute_span(std::string_view name) const {
  const ElementRecord& self = record();
  for (std::uint32_t i = 0; i < self.attribute_count; ++i) {
    const AttributeRecord& candidate = document_->attribute(self.first_attribute + i);
    if (document_->name(candidate.name()) == name) return document_->value_span(candidate);
  }
  return std::nullopt;
}

Element Element::parent() const {
  const std::uint32_t parent = record().parent;
  return parent == ElementRecord::none ? Element{} : Element{*document_, parent};
}

ChildRange Element::children() const { return {document_, index_ + 1, record().after}; }

Element Element::child(std::string_view tag) const {
  if (const auto listed = document_->listed_children(*this, tag))
    return listed->empty() ? Element() : document_->element(listed->front());
  for (const Element candidate : children())
    if (candidate.tag() == tag) return candidate;
  return {};
}

Element Element::child_named(std::string_view tag, std::string_view name) const {
  if (document_->listed_children(*this, tag)) return document_->listed_child(*this, tag, name);
  for (const Element candidate : children())
    if (candidate.tag() == tag && candidate.name() == name) return candidate;
  return {};
}

std::vector<Element> Element::children(std::string_view tag) const {
  std::vector<Element> found;
  if (const auto listed = document_->listed_children(*this, tag)) {
    for (const std::uint32_t index : *listed) found.push_back(document_->element(index));
    return found;
  }
  for (const Element candidate : children())
    if (candidate.tag() == tag) found.push_back(candidate);
  return found;
}

std::size_t Element::count_children(std::string_view tag) const {
  const auto listed = document_->listed_children(*this, tag);
  return listed ? listed->size() : children(tag).size();
}

Span Element::start_tag() const {
  const ElementRecord& self = record();
  return {self.begin, document_->source().tag_end(self.begin)};
}

Span Element::end_tag() const {
  const ElementRecord& self = record();
  if (!self.self_closing()) return {self.close_begin, document_->source().tag_end(self.close_begin)};
  const std::uint32_t end = start_tag().end;
  return {end, end};
}

Span Element::span() const { return {record().begin, end_tag().end}; }

Location Element::location() const {
  Location found = document_->source().location(record().begin);
  found.element = origin();
  return found;
}

Location Element::attribute_location(std::string_view name) const {
  // Not by attribute_span(), which searches for the end of the value: it may be a list of many references.
  const ElementRecord& self = record();
  for (std::uint32_t i = 0; i < self.attribute_count; ++i) {
    const AttributeRecord& candidate = document_->attribute(self.first_attribute + i);
    if (document_->name(candidate.name()) != name) continue;
    Location found = document_->source().location(candidate.value_begin());
    found.element = origin();
    return found;
  }
  return location();
}

std::string Element::path() const {
  constexpr std::size_t longest_name = 1000, longest = 4000;  // cut beyond: a path is shown with every finding
  const Element above = parent();
  if (!above) return std::string(tag());
  std::string text = above.parent() ? above.path() + "/" : "";
  if (text.size() > longest) text = "…/";
  text += tag();
  std::size_t shown = name().size();
  if (shown > longest_name)
    for (shown = longest_name; shown > 0 && (static_cast<unsigned char>(name()[shown]) & 0xC0U) == 0x80U;) --shown;
  if (shown > 0) return text.append("/").append(name(), 0, shown).append(shown < name().size() ? "…" : "");
  const auto [before, after] = document_->siblings_of(index_);
  return before > 0 || after ? text + fmt::format("[{}]", before) : text;
}

namespace {

/// The entry of the position table for a position without element.
constexpr std::uint32_t leads_nowhere = ElementRecord::none - 1;

}  // namespace

// FNV-1a; ids are short, and the table compares the text as well.
std::uint32_t IdTable::hash(std::string_view id) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return static_cast<std::uint32_t>(hash ^ (hash >> 32U));
}

std::size_t IdTable::slot(std::string_view id, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& found = slots_[at];
    if (found.element == ElementRecord::none) return at;
    if (found.hash == hash && std::string_view(text_of(found), found.size) == id) return at;
  }
}

void IdTable::prefetch_slot(std::uint32_t hash) const {
  if (!slots_.empty()) __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
}

void IdTable::prefetch_text(std::uint32_t hash) const {
  if (slots_.empty()) return;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at].element != ElementRecord::none; at = (at + 1) & mask)
    if (slots_[at].hash == hash) return __builtin_prefetch(text_of(slots_[at]));
}

void IdTable::grow(std::size_t slots) {
  const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(slots));
  for (const Slot& moved : before) {
    if (moved.element == ElementRecord::none) continue;
    std::size_t at = moved.hash & (slots - 1);
    while (slots_[at].element != ElementRecord::none) at = (at + 1) & (slots - 1);
    slots_[at] = moved;
  }
}

std::uint32_t IdTable::place_of(std::string_view id) {
  const auto text_begin = reinterpret_cast<std::uintptr_t>(text_.data());
  const auto id_begin = reinterpret_cast<std::uintptr_t>(id.data());
  if (id_begin >= text_begin && id_begin < text_begin + text_.size())
    return static_cast<std::uint32_t>(id_begin - text_begin);
  const std::size_t place = text_.size() + copies_.size();
  if (place + id.size() >= ElementRecord::none) throw std::bad_alloc();  // offsets have 32 bits
  copies_ += id;
  return static_cast<std::uint32_t>(place);
}

std::uint32_t IdTable::add(std::string_view id, std::uint32_t element) {
  if (3 * (count_ + 1) > 2 * slots_.size()) grow(std::max<std::size_t>(64, 2 * slots_.size()));
  const std::uint32_t hash = IdTable::hash(id);
  Slot& found = slots_[slot(id, hash)];
  if (found.element != ElementRecord::none) return std::exchange(found.element, element);
  found = {place_of(id), static_cast<std::uint32_t>(id.size()), hash, element};
  ++count_;
  return ElementRecord::none;
}

std::uint32_t IdTable::find(std::string_view id, std::uint32_t hash) const {
  return slots_.empty() ? ElementRecord::none : slots_[slot(id, hash)].element;
}

Document::Document(std::string path, std::string bytes)
    : source_(std::move(path), std::move(bytes)),
      xmi_ids_(source_.bytes()),
      computed_ids_(source_.bytes()),
      positions_(source_.bytes()) {}

std::string Document::version_text() const {
  switch (itea_) {
    case IteaRelease::none:
      break;
    case IteaRelease::v1_1_0:
      return "ITEA 1.1.0";
    case IteaRelease::v1_2_0:
      return "ITEA 1.2.0";
    case IteaRelease::v1_3_0:
      return "ITEA 1.3.0";
  }
  return std::string(to_string(version_));
}

std::string_view Document::decoded_value(const AttributeRecord& attribute) const {
  const auto index = static_cast<std::uint32_t>(&attribute - attributes_.data());
  const auto found = std::lower_bound(decoded_.begin(), decoded_.end(), index,
                                      [](const auto& entry, std::uint32_t wanted) { return entry.first < wanted; });
  return found->second;
}

std::optional<NameId> Document::find_name(std::string_view name) const {
  const auto known = name_ids_.find(name);
  return known == name_ids_.end() ? std::nullopt : std::optional(known->second);
}

Element Document::find(std::string_view id) const {
  std::uint32_t found = xmi_ids_.find(id);
  if (found == ElementRecord::none) found = computed_ids_.find(id);
  if (found == ElementRecord::none && id.starts_with('/')) {
    found = positions_.find(id);
    if (found == leads_nowhere) return {};
    if (found == ElementRecord::none) return at_position(*this, id);
  }
  return found == ElementRecord::none ? Element{} : element(found);
}

void Document::reserve(std::size_t elements, std::size_t attributes) {
  elements_.reserve(elements);
  attributes_.reserve(attributes);
}

NameId Document::intern(std::string_view name) {
  const auto known = name_ids_.find(name);
  if (known != name_ids_.end()) return known->second;
  const auto id = static_cast<NameId>(names_.size());
  names_.push_back(name_texts_.emplace_back(name));
  name_ids_.emplace(names_.back(), id);
  return id;
}

std::uint32_t Document::open_element(NameId tag, std::uint32_t begin) {
  const auto index = static_cast<std::uint32_t>(elements_.size());
  ElementRecord record;
  record.tag = tag;
  record.begin = begin;
  record.first_attribute = static_cast<std::uint32_t>(attributes_.size());
  if (!open_.empty()) record.parent = open_.back();
  elements_.push_back(record);
  open_.push_back(index);
  return index;
}

void Document::add_attribute(NameId name, std::uint32_t value_begin) {
  attributes_.emplace_back(name, false, value_begin);
  ++elements_.back().attribute_count;
}

void Document::add_decoded_attribute(NameId name, std::uint32_t value_begin, std::string decoded) {
  decoded_.emplace_back(static_cast<std::uint32_t>(attributes_.size()), std::move(decoded));
  attributes_.emplace_back(name, true, value_begin);
  ++elements_.back().attribute_count;
}

void Document::close_element(std::uint32_t close_begin) {
  ElementRecord& record = elements_[open_.back()];
  record.close_begin = close_begin;
  record.after = static_cast<std::uint32_t>(elements_.size());
  open_.pop_back();
}

void Document::index() {
  targets_.assign(elements_.size(), ElementRecord::none);
  target_attributes_.assign(elements_.size(), 255);
  std::map<NameId, std::vector<std::uint32_t>> by_tag;
  const auto add_part = [&](Element part) {
    by_tag.clear();
    for (const Element child : part.children()) by_tag[child.record().tag].push_back(child.index());
    for (const auto& [tag, children] : by_tag) {
      const auto begin = static_cast<std::uint32_t>(members_.size());
      members_.insert(members_.end(), children.begin(), children.end());
      member_lists_.push_back({part.index(), tag, begin, static_cast<std::uint32_t>(members_.size())});
    }
  };
  const auto has_many_children = [&](std::uint32_t index) {
    std::size_t count = 0;
    const std::uint32_t end = record(index).after;
    if (end - index <= few_children) return false;
    for (std::uint32_t at = index + 1; at < end && count <= few_children; at = record(at).after) ++count;
    return count > few_children;
  };
  for (std::uint32_t i = 0; i < size(); ++i)
    if (i == 0 || record(i).parent == 0 || has_many_children(i)) add_part(element(i));
}

void Document::add_target(std::uint32_t element, std::uint32_t ordinal, Element target) {
  if (target_attributes_[element] != 255 || ordinal >= 255) return;
  targets_[element] = target.index();
  target_attributes_[element] = static_cast<std::uint8_t>(ordinal);
}

Document::Siblings Document::siblings_of(std::uint32_t element) const {
  const auto [parent, tag] = std::pair(record(element).parent, record(element).tag);
  if (const auto listed = listed_children(this->element(parent), name(tag))) {
    const auto own = std::lower_bound(listed->begin(), listed->end(), element);
    return {static_cast<std::size_t>(own - listed->begin()), std::next(own) != listed->end()};
  }
  Siblings found;
  for (std::uint32_t at = parent + 1; at < record(parent).after && !found.after; at = record(at).after) {
    found.after = record(at).tag == tag && at > element;
    found.before += record(at).tag == tag && at < element ? 1 : 0;
  }
  return found;
}

std::optional<std::span<const std::uint32_t>> Document::listed_children(Element parent, std::string_view tag) const {
  if (parent.record().after - parent.index() <= few_children) return std::nullopt;  // it has fewer descendants
  const auto first = std::lower_bound(member_lists_.begin(), member_lists_.end(), parent.index(),
                                      [](const Members& list, std::uint32_t part) { return list.part < part; });
  if (first == member_lists_.end() || first->part != parent.index()) return std::nullopt;
  return members(parent, tag);
}

Element Document::listed_child(Element parent, std::string_view tag, std::string_view name) const {
  const std::span<const std::uint32_t> listed = members(parent, tag);
  if (listed.empty()) return {};
  const auto [named, added] = named_.try_emplace({parent.index(), record(listed.front()).tag});
  if (added)
    for (const std::uint32_t index : listed) named->second.emplace(element(index).name(), index);
  const auto found = named->second.find(name);
  return found == named->second.end() ? Element() : element(found->second);
}

std::span<const std::uint32_t> Document::members(Element part, std::string_view tag) const {
  const auto name = find_name(tag);
  if (!name) return {};
  const auto key = std::pair(part.index(), *name);
  const auto found =
      std::lower_bound(member_lists_.begin(), member_lists_.end(), key,
                       [](const Members& list, const auto& wanted) { return std::pair(list.part, list.tag) < wanted; });
  if (found == member_lists_.end() || found->part != key.first || found->tag != key.second) return {};
  return std::span(members_).subspan(found->begin, found->end - found->begin);
}

void Document::set_header(Version version, IteaRelease itea, std::string metamodel_prefix, std::string xsi_prefix) {
  version_ = version;
  itea_ = itea;
  metamodel_prefix_ = std::move(metamodel_prefix);
  xsi_prefix_ = std::move(xsi_prefix);
}

Element Document::add_xmi_id(std::string_view id, Element element) {
  const std::uint32_t before = xmi_ids_.add(id, element.index());
  return before == ElementRecord::none ? Element{} : this->element(before);
}

void Document::add_position(std::string_view position, Element element) {
  positions_.add(position, element ? element.index() : leads_nowhere);
}

Element Document::add_computed_id(std::string_view id, Element element) {
  const std::uint32_t before = computed_ids_.add(id, element.index());
  return before == ElementRecord::none ? Element{} : this->element(before);
}

Document& Model::add(std::unique_ptr<Document> document) {
  document->set_position(static_cast<std::uint32_t>(documents_.size()));
  documents_.push_back(std::move(document));
  return *documents_.back();
}

namespace {

/// Whether the root is the sub-model itself: part models up to 0.7.x have one as their root, e.g. `<am:SWModel>`.
bool is_sub_model(Element root, std::string_view sub_model) {
  const auto whole = metamodel::find_class("Amalthea");
  if (!root.cls() || root.cls() == whole) return false;
  const Feature* feature = metamodel::find_feature_any_version(*whole, sub_model, root.document().version());
  return feature != nullptr && feature->type == root.cls();
}

}  // namespace

std::vector<Element> Model::all(std::string_view sub_model, std::string_view tag) const {
  std::vector<Element> found;
  const auto add = [&](Element part) {
    for (const std::uint32_t index : part.document().members(part, tag))
      found.push_back(part.document().element(index));
  };
  for (const auto& document : documents_) {
    if (is_sub_model(document->root(), sub_model)) add(document->root());
    for (const std::uint32_t part : document->members(document->root(), sub_model)) add(document->element(part));
  }
  return found;
}

Element Model::find(std::string_view id) const {
  for (const auto& document : documents_)
    if (const Element found = document->find(id)) return found;
  return {};
}

std::vector<const Document*> Model::scope(Element holder, std::string_view written) const {
  const std::size_t hash = written.find('#');
  if (hash == std::string_view::npos || hash == 0) return {&holder.document()};
  const auto file_name = [](std::string_view path) { return path.substr(path.find_last_of("/\\") + 1); };
  const std::string_view file = written.substr(0, hash);
  const bool anywhere = file.starts_with("amlt:");
  std::vector<const Document*> found;
  for (const auto& document : documents_)
    if (anywhere || file_name(document->source().path()) == file_name(file)) found.push_back(document.get());
  return found;
}

Element Model::target(Element holder, std::string_view written) const {
  const auto look_up = [](const Document& document, std::string_view fragment) {
    if (const Element found = document.find(fragment)) return found;
    if (document.itea() == IteaRelease::none && fragment.find('%') == std::string_view::npos) return Element{};
    return document.find(lookup_form(document, fragment));
  };
  const std::size_t hash = written.find('#');
  // Nearly all references are within one file.
  if (hash == std::string_view::npos) return look_up(holder.document(), written);
  for (const Document* document : scope(holder, written))
    if (const Element found = look_up(*document, written.substr(hash + 1))) return found;
  return {};
}

std::vector<Element> Model::references(Element element, std::string_view feature) const {
  std::vector<Element> found;
  const Document& document = element.document();
  const ElementRecord& record = element.record();
  for (std::uint32_t i = 0; i < record.attribute_count; ++i) {
    const AttributeRecord& attribute = document.attribute(record.first_attribute + i);
    if (document.name(attribute.name()) != feature) continue;
    if (const std::uint32_t known = document.first_target(element.index(), i); known != ElementRecord::none) {
      found.push_back(document.element(known));
      break;
    }
    for_each_token(document.value(attribute), [&](std::string_view token, std::size_t) {
      if (const Element leads_to = target(element, token)) found.push_back(leads_to);
    });
    break;
  }
  for (const Element child : element.children(feature))
    if (const auto href = child.attribute("href"))
      if (const Element leads_to = target(element, *href)) found.push_back(leads_to);
  return found;
}

Element Model::reference(Element element, std::string_view feature) const {
  // Nearly all references have one target, which is known.
  const Document& document = element.document();
  const ElementRecord& record = element.record();
  for (std::uint32_t i = 0; i < record.attribute_count; ++i)
    if (const std::uint32_t known = document.first_target(element.index(), i); known != ElementRecord::none)
      if (document.name(document.attribute(record.first_attribute + i).name()) == feature)
        return document.element(known);
  const auto found = references(element, feature);
  return found.empty() ? Element{} : found.front();
}

std::vector<Element> Model::attribute_targets(Element element) const {
  std::vector<Element> targets;
  const Document& document = element.document();
  const ElementRecord& record = element.record();
  for (std::uint32_t a = 0; element.cls() && a < record.attribute_count; ++a) {
    const std::string_view name = document.name(document.attribute(record.first_attribute + a).name());
    const Feature* feature = metamodel::find_feature_any_version(*element.cls(), name, document.version());
    if (feature == nullptr || feature->kind != FeatureKind::reference) continue;
    const std::vector<Element> found = references(element, name);
    targets.insert(targets.end(), found.begin(), found.end());
  }
  return targets;
}

}  // namespace amalthea
