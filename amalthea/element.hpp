// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The element store: a model file exactly as it is written, compact and fast to traverse.
///
/// A `Document` holds one file: its bytes and, per XML element, tag, class, attributes, children and byte spans.
/// Attribute values are views into the file if the text is there literally, and decoded copies otherwise. Unknown
/// elements are kept like all others. A `Model` is one or several documents that refer to each other.
///
/// `Element` is a handle of two words; it is valid as long as its Document lives.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "amalthea/metamodel.hpp"
#include "amalthea/origin.hpp"
#include "amalthea/source_text.hpp"

namespace amalthea {

class Document;
class Element;

/// Interned tag or attribute name, valid within one Document.
enum class NameId : std::uint32_t {};

/// The record of an element, in document order: the descendants of an element follow it directly. Offsets are bytes in
/// the document. Records are small because a model has millions of them; what can be found in the bytes is not stored.
struct ElementRecord {
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  NameId tag{};
  std::uint32_t parent = none;
  std::uint32_t after = 0;  ///< index one past the last descendant
  std::uint32_t first_attribute = 0;
  std::uint32_t begin = 0;        ///< offset of '<'
  std::uint32_t close_begin = 0;  ///< offset of "</"; 0 for an element written `<x/>`
  std::uint16_t attribute_count = 0;
  ClassId cls = no_class;  ///< concrete EClass; no_class if no metamodel feature matches
  bool self_closing() const { return close_begin == 0; }
};

/// An attribute as written. Namespace prefixes are normalized: "xsi:type", "xmi:id" whatever the prefixes in the file;
/// names of any other namespace are stored as "{uri}name".
class AttributeRecord {
 public:
  AttributeRecord(NameId name, bool decoded, std::uint32_t value_begin)
      : name_and_flag_((static_cast<std::uint32_t>(name) & ~flag) | (decoded ? flag : 0)), value_begin_(value_begin) {}
  NameId name() const { return NameId{name_and_flag_ & ~flag}; }
  /// The value differs from the bytes as written; the document has a decoded copy.
  bool decoded() const { return (name_and_flag_ & flag) != 0; }
  /// Offset of the first byte of the value; the value ends at the next quote of the kind before it.
  std::uint32_t value_begin() const { return value_begin_; }

 private:
  static constexpr std::uint32_t flag = 0x80000000;
  std::uint32_t name_and_flag_;
  std::uint32_t value_begin_;
};

/// Forward range over the children of an element.
class ChildRange {
 public:
  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Element;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Element;
    iterator() = default;
    iterator(const Document* document, std::uint32_t index) : document_(document), index_(index) {}
    Element operator*() const;
    iterator& operator++();
    iterator operator++(int) {
      auto copy = *this;
      ++*this;
      return copy;
    }
    friend bool operator==(const iterator& a, const iterator& b) { return a.index_ == b.index_; }

   private:
    const Document* document_ = nullptr;
    std::uint32_t index_ = 0;
  };
  ChildRange(const Document* document, std::uint32_t first, std::uint32_t end)
      : document_(document), first_(first), end_(end) {}
  iterator begin() const { return {document_, first_}; }
  iterator end() const { return {document_, end_}; }

 private:
  const Document* document_;
  std::uint32_t first_;
  std::uint32_t end_;
};

class Element {
 public:
  Element() = default;
  Element(const Document& document, std::uint32_t index) : document_(&document), index_(index) {}

  explicit operator bool() const { return document_ != nullptr; }
  friend bool operator==(const Element&, const Element&) = default;

  const Document& document() const { return *document_; }
  std::uint32_t index() const { return index_; }
  const ElementRecord& record() const;
  Origin origin() const;

  /// Local part of the tag, e.g. "tasks".
  std::string_view tag() const;
  /// Concrete EClass; empty for elements outside the metamodel.
  std::optional<ClassId> cls() const;
  /// Name of the concrete EClass, or "" when unknown.
  std::string_view class_name() const;
  bool is(std::string_view class_name) const { return this->class_name() == class_name; }

  /// Decoded attribute value, or nothing. Names as in AttributeRecord.
  std::optional<std::string_view> attribute(std::string_view name) const;
  /// attribute(name), or `otherwise` if it is not written.
  std::string_view attribute_or(std::string_view name, std::string_view otherwise) const;
  /// Span of the attribute's value as written.
  std::optional<Span> attribute_span(std::string_view name) const;
  /// The attribute `name`; "" when absent.
  std::string_view name() const { return attribute_or("name", ""); }

  Element parent() const;  ///< empty for the root
  ChildRange children() const;
  /// First child with this tag, or an empty Element.
  Element child(std::string_view tag) const;
  /// First child with this tag and name, or an empty Element. The first call for one of many children reads the names of
  /// all; not thread-safe, as SourceText::location().
  Element child_named(std::string_view tag, std::string_view name) const;
  std::vector<Element> children(std::string_view tag) const;
  std::size_t count_children(std::string_view tag) const;

  /// The whole element, from '<' to the last '>'.
  Span span() const;
  /// The start tag, from '<' to '>'.
  Span start_tag() const;
  /// The end tag; empty, at the end of the start tag, for an element written `<x/>`.
  Span end_tag() const;
  Location location() const;
  /// Location of the attribute's value if it is written, else of the element.
  Location attribute_location(std::string_view name) const;
  /// "swModel/tasks/DASM/activityGraph/items[2]": tags from below the root, names where present.
  std::string path() const;

 private:
  const Document* document_ = nullptr;
  std::uint32_t index_ = 0;
};

/// AMALTHEA before it had a single namespace: three releases with one namespace per sub-model. Their models are read
/// with the metamodel of 0.7.0 and the names of `amalthea/primitives/itea.hpp`.
enum class IteaRelease : std::uint8_t { none, v1_1_0, v1_2_0, v1_3_0 };

/// A table from ids to elements of one document; a later element with the same id replaces an earlier one, as in EMF.
class IdTable {
 public:
  /// Ids that are part of `text` are not copied.
  explicit IdTable(std::string_view text) : text_(text) {}

  /// Returns the index of the element that previously had the id, or ElementRecord::none.
  std::uint32_t add(std::string_view id, std::uint32_t element);
  /// The index of the element, or ElementRecord::none.
  std::uint32_t find(std::string_view id) const { return find(id, hash(id)); }

  static std::uint32_t hash(std::string_view id);
  std::uint32_t find(std::string_view id, std::uint32_t hash) const;
  /// For the lookup of many ids in a large model: each step prefetches the memory that the next one needs, so that the
  /// latencies overlap.
  void prefetch_slot(std::uint32_t hash) const;
  void prefetch_text(std::uint32_t hash) const;

 private:
  struct Slot {
    /// where the id begins: in text_, or in copies_ at an offset behind the end of text_
    std::uint32_t at = 0;
    std::uint32_t size = 0;
    std::uint32_t hash = 0;
    std::uint32_t element = ElementRecord::none;  ///< none: free
  };
  const char* text_of(const Slot& slot) const {
    return slot.at < text_.size() ? text_.data() + slot.at : copies_.data() + (slot.at - text_.size());
  }
  std::uint32_t place_of(std::string_view id);
  /// The slot that holds the id or would hold it.
  std::size_t slot(std::string_view id, std::uint32_t hash) const;
  void grow(std::size_t slots);
  std::string_view text_;
  std::string copies_;
  std::size_t count_ = 0;
  std::vector<Slot> slots_;  // a power of two, at least a third free
};

class Document {
 public:
  Document(std::string path, std::string bytes);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  const SourceText& source() const { return source_; }
  /// The version that the namespace of the root names; the oldest one for an ITEA model.
  Version version() const { return version_; }
  IteaRelease itea() const { return itea_; }
  /// "0.9.3", "ITEA 1.1.0".
  std::string version_text() const;
  /// Whether the bytes are from a ZIP archive.
  bool zipped() const { return zipped_; }
  /// Index of this document in its Model.
  std::uint32_t position() const { return position_; }
  Element root() const { return {*this, 0}; }
  std::size_t size() const { return elements_.size(); }
  Element element(std::uint32_t index) const { return {*this, index}; }

  const ElementRecord& record(std::uint32_t index) const { return elements_[index]; }
  const AttributeRecord& attribute(std::uint32_t index) const { return attributes_[index]; }
  std::string_view name(NameId id) const { return names_[static_cast<std::size_t>(id)]; }
  /// The stored name, or nothing if no tag or attribute has it.
  std::optional<NameId> find_name(std::string_view name) const;
  std::size_t name_total() const { return names_.size(); }
  std::string_view value(const AttributeRecord& attribute) const {
    return attribute.decoded() ? decoded_value(attribute) : source_.text(value_span(attribute));
  }
  /// The span of the value; in UTF-16 text an empty span at the start of the element.
  Span value_span(const AttributeRecord& attribute) const {
    const std::uint32_t begin = attribute.value_begin();
    if (source_.unit() != 1) return {begin, begin};
    return {begin, source_.find(source_.bytes()[begin - 1], begin)};
  }
  /// Prefix bound to the metamodel's namespace ("am" in every file seen).
  const std::string& metamodel_prefix() const { return metamodel_prefix_; }
  /// Prefix bound to XMLSchema-instance; empty when the root declares none.
  const std::string& xsi_prefix() const { return xsi_prefix_; }

  /// The element with this id ("DASM?type=Task"): by xmi:id first, then by computed id, as in EMF; or the one at a
  /// position ("//@swModel/@tasks.3").
  Element find(std::string_view id) const;

  /// The tables of find(), for the lookup of many ids.
  const IdTable& xmi_ids() const { return xmi_ids_; }

  /// Children with this tag of the root, of a child of the root, or of an element with more than `few_children`.
  /// Sub-models have hundreds of thousands of children, and this avoids a scan for each kind.
  std::span<const std::uint32_t> members(Element part, std::string_view tag) const;
  static constexpr std::size_t few_children = 64;
  /// members(), or nothing if the element has no such lists, because it has few children.
  std::optional<std::span<const std::uint32_t>> listed_children(Element parent, std::string_view tag) const;
  /// The first of listed_children() with this name, or an empty element.
  Element listed_child(Element parent, std::string_view tag, std::string_view name) const;
  /// Siblings of an element with its tag.
  struct Siblings {
    std::size_t before = 0;
    bool after = false;  ///< there are some
  };
  Siblings siblings_of(std::uint32_t element) const;
  /// The target of the `ordinal`-th attribute of an element, counting from 0, if it is the element's first reference
  /// and has one target in this document; none otherwise. Most references are like that.
  std::uint32_t first_target(std::uint32_t element, std::uint32_t ordinal) const {
    return !targets_.empty() && target_attributes_[element] == ordinal ? targets_[element] : ElementRecord::none;
  }

  // Filled by the importer, in document order.
  /// Reserves memory for a number of elements and attributes, to avoid reallocation.
  void reserve(std::size_t elements, std::size_t attributes);
  NameId intern(std::string_view name);
  std::uint32_t open_element(NameId tag, std::uint32_t begin);
  /// `value_begin` is the offset after the opening quote.
  void add_attribute(NameId name, std::uint32_t value_begin);
  void add_decoded_attribute(NameId name, std::uint32_t value_begin, std::string decoded);
  /// `close_begin` is the offset of "</", 0 for an element written `<x/>`.
  void close_element(std::uint32_t close_begin);
  void set_class(std::uint32_t index, ClassId cls) { elements_[index].cls = cls; }
  void set_header(Version version, IteaRelease itea, std::string metamodel_prefix, std::string xsi_prefix);
  void set_position(std::uint32_t position) { position_ = position; }
  void set_zipped() { zipped_ = true; }
  /// Registers an id that is written in the document. Returns the element that previously had it, or an empty one.
  Element add_xmi_id(std::string_view id, Element element);
  /// Returns the element that previously had the id, or an empty one.
  Element add_computed_id(std::string_view id, Element element);
  /// Stores the target of a position that references of the model use, an empty element if there is none. The text must
  /// outlive the document.
  void add_position(std::string_view position, Element element);
  /// Must be called after all elements have been added: builds members() and room for add_target().
  void index();
  /// Stores the target of a reference, if it is the first of its element.
  void add_target(std::uint32_t element, std::uint32_t ordinal, Element target);

 private:
  std::string_view decoded_value(const AttributeRecord& attribute) const;

  SourceText source_;
  Version version_ = newest_version;
  IteaRelease itea_ = IteaRelease::none;
  bool zipped_ = false;
  std::uint32_t position_ = 0;
  std::string metamodel_prefix_;
  std::string xsi_prefix_;
  std::vector<ElementRecord> elements_;
  std::vector<AttributeRecord> attributes_;
  std::vector<std::uint32_t> targets_;           // by element
  std::vector<std::uint8_t> target_attributes_;  // by element: index of the attribute; 255: none
  struct Members {
    std::uint32_t part;
    NameId tag;
    std::uint32_t begin, end;  // in members_
  };
  std::vector<Members> member_lists_;  // by part and tag
  std::vector<std::uint32_t> members_;
  mutable std::map<std::pair<std::uint32_t, NameId>, std::unordered_map<std::string_view, std::uint32_t>> named_;
  std::deque<std::string> name_texts_;   // stable addresses for the views
  std::vector<std::string_view> names_;  // by NameId
  std::unordered_map<std::string_view, NameId> name_ids_;
  std::vector<std::pair<std::uint32_t, std::string>> decoded_;  // by attribute index, ascending
  std::vector<std::uint32_t> open_;                             // path of elements not yet closed
  IdTable xmi_ids_, computed_ids_, positions_;
};

/// One model: documents that refer to each other by ids.
class Model {
 public:
  Model() = default;
  Model(Model&&) = default;
  Model& operator=(Model&&) = default;

  const std::vector<std::unique_ptr<Document>>& documents() const { return documents_; }
  Document& add(std::unique_ptr<Document> document);
  Version version() const { return documents_.front()->version(); }

  /// All children with this tag in the sub-model `sub_model` of every document ("swModel", "tasks"), in order.
  std::vector<Element> all(std::string_view sub_model, std::string_view tag) const;
  Element element(Origin origin) const { return documents_[origin.document]->element(origin.element); }

  /// The element with this id in the first document that has one.
  Element find(std::string_view id) const;

  /// The target of a reference written in `holder`, or an empty element. As in EMF, a reference without a file
  /// ("DASM?type=Task", "//@swModel/@tasks.0", "_uuid") is searched in the holder's own document; "amlt:/#…" in all
  /// documents in order; "file.amxmi#…" in the document with that file name.
  Element target(Element holder, std::string_view written) const;
  /// The documents in which such a reference is searched, in order.
  std::vector<const Document*> scope(Element holder, std::string_view written) const;

  /// References whose target is not in the model, recorded by the importer.
  struct Dangling {
    Element element;      ///< the element that holds the reference
    std::string feature;  ///< e.g. "runnable"
    Element likely;       ///< the element probably meant, by its spelling; may be empty
  };
  const std::vector<Dangling>& dangling() const { return dangling_; }
  void add_dangling(Element element, std::string feature, Element likely = {}) {
    dangling_.push_back({element, std::move(feature), likely});
  }

  /// Targets of the reference `feature` of `element`, written as attribute tokens or as `<feature href="…"/>` children,
  /// in that order. Omits unresolved ones (the importer has reported them).
  std::vector<Element> references(Element element, std::string_view feature) const;
  /// The first of references(), or an empty Element.
  Element reference(Element element, std::string_view feature) const;
  /// Targets of all references that the element writes as attributes.
  std::vector<Element> attribute_targets(Element element) const;

 private:
  std::vector<std::unique_ptr<Document>> documents_;
  std::vector<Dangling> dangling_;
};

}  // namespace amalthea
