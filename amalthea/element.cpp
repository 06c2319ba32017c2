#include "amalthea/element.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "amalthea/identifier.hpp"

namespace amalthea {

Element ChildRange::iterator::operator*() const { return {*document_, index_}; }

ChildRange::iterator& ChildRange::iterator::operator++() {
  index_ = document_->record(index_).next_sibling;
  return *this;
}

const ElementRecord& Element::record() const { return document_->record(index_); }

Origin Element::origin() const { return {document_->position(), index_}; }

std::string_view Element::tag() const { return document_->name(record().tag); }

std::string_view Element::class_name() const {
  const auto cls = record().cls;
  return cls ? metamodel::info(*cls).name : std::string_view{};
}

std::optional<std::string_view> Element::attribute(std::string_view name) const {
  const ElementRecord& self = record();
  for (std::uint32_t i = 0; i < self.attribute_count; ++i) {
    const AttributeRecord& candidate = document_->attribute(self.first_attribute + i);
    if (document_->name(candidate.name) == name) return document_->value(candidate);
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
    if (document_->name(candidate.name) == name)
      return Span{candidate.value_begin, candidate.value_begin + candidate.value_size};
  }
  return std::nullopt;
}

Element Element::parent() const {
  const std::uint32_t parent = record().parent;
  return parent == ElementRecord::none ? Element{} : Element{*document_, parent};
}

ChildRange Element::children() const { return {document_, record().first_child}; }

Element Element::child(std::string_view tag) const {
  for (const Element candidate : children())
    if (candidate.tag() == tag) return candidate;
  return {};
}

std::vector<Element> Element::children(std::string_view tag) const {
  std::vector<Element> found;
  for (const Element candidate : children())
    if (candidate.tag() == tag) found.push_back(candidate);
  return found;
}

Location Element::location() const { return document_->source().location(record().begin); }

Location Element::attribute_location(std::string_view name) const {
  const auto span = attribute_span(name);
  return span ? document_->source().location(span->begin) : location();
}

std::string Element::path() const {
  const Element above = parent();
  if (!above) return std::string(tag());
  std::string text = above.parent() ? above.path() + "/" : "";
  text += tag();
  if (!name().empty()) return text + "/" + std::string(name());
  std::size_t same = 0, position = 0;
  for (const Element sibling : above.children()) {
    if (sibling == *this) position = same;
    if (sibling.tag() == tag()) ++same;
  }
  return same > 1 ? text + fmt::format("[{}]", position) : text;
}

Document::Document(std::string path, std::string bytes) : source_(std::move(path), std::move(bytes)) {}

std::string_view Document::value(const AttributeRecord& attribute) const {
  if (attribute.decoded != 0) return decoded_[attribute.decoded - 1];
  return source_.bytes().substr(attribute.value_begin, attribute.value_size);
}

NameId Document::intern(std::string_view name) {
  const auto known = name_ids_.find(name);
  if (known != name_ids_.end()) return known->second;
  const auto id = static_cast<NameId>(names_.size());
  names_.emplace_back(name);
  name_ids_.emplace(names_.back(), id);
  return id;
}

std::uint32_t Document::open_element(NameId tag, std::uint32_t begin, std::uint32_t open_end) {
  const auto index = static_cast<std::uint32_t>(elements_.size());
  ElementRecord record;
  record.tag = tag;
  record.begin = begin;
  record.open_end = open_end;
  record.first_attribute = static_cast<std::uint32_t>(attributes_.size());
  if (!open_.empty()) {
    record.parent = open_.back();
    const std::uint32_t previous = last_child_.back();
    (previous == ElementRecord::none ? elements_[open_.back()].first_child : elements_[previous].next_sibling) = index;
    last_child_.back() = index;
  }
  elements_.push_back(record);
  open_.push_back(index);
  last_child_.push_back(ElementRecord::none);
  return index;
}

void Document::add_attribute(NameId name, Span value) {
  attributes_.push_back({name, value.begin, value.size(), 0});
  ++elements_.back().attribute_count;
}

void Document::add_decoded_attribute(NameId name, Span value, std::string decoded) {
  decoded_.push_back(std::move(decoded));
  attributes_.push_back({name, value.begin, value.size(), static_cast<std::uint32_t>(decoded_.size())});
  ++elements_.back().attribute_count;
}

void Document::close_element(std::uint32_t close_begin, std::uint32_t end) {
  ElementRecord& record = elements_[open_.back()];
  record.close_begin = close_begin;
  record.end = end;
  record.self_closing = end == record.open_end;
  open_.pop_back();
  last_child_.pop_back();
}

void Document::set_header(Version version, std::string metamodel_prefix, std::string xsi_prefix) {
  version_ = version;
  metamodel_prefix_ = std::move(metamodel_prefix);
  xsi_prefix_ = std::move(xsi_prefix);
}

Document& Model::add(std::unique_ptr<Document> document) {
  document->set_position(static_cast<std::uint32_t>(documents_.size()));
  documents_.push_back(std::move(document));
  return *documents_.back();
}

std::vector<Element> Model::all(std::string_view sub_model, std::string_view tag) const {
  std::vector<Element> found;
  for (const auto& document : documents_)
    for (const Element part : document->root().children())
      if (part.tag() == sub_model)
        for (const Element candidate : part.children())
          if (candidate.tag() == tag) found.push_back(candidate);
  return found;
}

Element Model::find(std::string_view id) const {
  if (const auto by_xmi_id = xmi_ids_.find(id); by_xmi_id != xmi_ids_.end()) return by_xmi_id->second;
  if (const auto by_name = computed_ids_.find(id); by_name != computed_ids_.end()) return by_name->second;
  return {};
}

void Model::add_xmi_id(std::string_view id, Element element) { xmi_ids_[id] = element; }

Element Model::add_computed_id(std::string id, Element element) {
  if (const auto known = computed_ids_.find(id); known != computed_ids_.end())
    return std::exchange(known->second, element);
  id_texts_.push_back(std::move(id));
  computed_ids_.emplace(id_texts_.back(), element);
  return {};
}

std::vector<Element> Model::references(Element element, std::string_view feature) const {
  std::vector<Element> found;
  if (const auto tokens = element.attribute(feature))
    for_each_token(*tokens, [&](std::string_view token, std::size_t) {
      if (const Element target = find(token)) found.push_back(target);
    });
  for (const Element child : element.children())
    if (child.tag() == feature)
      if (const auto href = child.attribute("href"))
        if (const Element target = find(id_of_href(*href))) found.push_back(target);
  return found;
}

Element Model::reference(Element element, std::string_view feature) const {
  const auto found = references(element, feature);
  return found.empty() ? Element{} : found.front();
}

}  // namespace amalthea
