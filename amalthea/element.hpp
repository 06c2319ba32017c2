#pragma once
/// \file
/// The element store: a model file exactly as it is written, cheap to hold and to walk.
///
/// A `Document` holds one file: its bytes and, per XML element, tag, class, attributes, children and byte spans.
/// Attribute values are views into the file where the text stands there literally, and decoded copies otherwise.
/// Elements that no metamodel knows are kept like all others. A `Model` is one or several documents that refer
/// to each other.
///
/// `Element` is a handle of two words; it is valid as long as its Document lives.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
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

/// What the store keeps per element; offsets are bytes into the document.
struct ElementRecord {
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  NameId tag{};
  std::uint32_t parent = none;
  std::uint32_t first_child = none;
  std::uint32_t next_sibling = none;
  std::uint32_t first_attribute = 0;
  std::uint16_t attribute_count = 0;
  bool self_closing = false;      ///< written `<x/>`
  std::optional<ClassId> cls;     ///< concrete EClass; empty when no metamodel feature leads here
  std::uint32_t begin = 0;        ///< offset of '<'
  std::uint32_t open_end = 0;     ///< one past the '>' of the start tag
  std::uint32_t close_begin = 0;  ///< offset of "</"; equals open_end of a self-closing element
  std::uint32_t end = 0;          ///< one past the last '>'
};

/// An attribute as written. Namespace prefixes are normalised: "xsi:type", "xmi:id" whatever the file's prefixes.
struct AttributeRecord {
  NameId name{};
  std::uint32_t value_begin = 0;  ///< offset of the value's first byte
  std::uint32_t value_size = 0;   ///< in bytes as written
  std::uint32_t decoded = 0;      ///< 0: the bytes are the value; else 1 + index of the decoded copy
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
    std::uint32_t index_ = ElementRecord::none;
  };
  ChildRange(const Document* document, std::uint32_t first) : document_(document), first_(first) {}
  iterator begin() const { return {document_, first_}; }
  iterator end() const { return {document_, ElementRecord::none}; }

 private:
  const Document* document_;
  std::uint32_t first_;
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
  std::optional<ClassId> cls() const { return record().cls; }
  /// Name of the concrete EClass, or "" when unknown.
  std::string_view class_name() const;
  bool is(std::string_view class_name) const { return this->class_name() == class_name; }

  /// Decoded attribute value, or nothing. Names as in AttributeRecord.
  std::optional<std::string_view> attribute(std::string_view name) const;
  /// attribute(name), or `otherwise` where it is not written.
  std::string_view attribute_or(std::string_view name, std::string_view otherwise) const;
  /// Span of the attribute's value as written.
  std::optional<Span> attribute_span(std::string_view name) const;
  /// The attribute `name`; "" when absent.
  std::string_view name() const { return attribute_or("name", ""); }

  Element parent() const;  ///< empty for the root
  ChildRange children() const;
  /// First child with this tag, or an empty Element.
  Element child(std::string_view tag) const;
  std::vector<Element> children(std::string_view tag) const;

  Span span() const { return {record().begin, record().end}; }
  Location location() const;
  /// Location of the attribute's value where it is written, of the element otherwise.
  Location attribute_location(std::string_view name) const;
  /// "swModel/tasks/DASM/activityGraph/items[2]": tags from below the root, names where there are any.
  std::string path() const;

 private:
  const Document* document_ = nullptr;
  std::uint32_t index_ = 0;
};

class Document {
 public:
  Document(std::string path, std::string bytes);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  const SourceText& source() const { return source_; }
  /// The version that the root's namespace names.
  Version version() const { return version_; }
  /// Position of this document in its Model.
  std::uint32_t position() const { return position_; }
  Element root() const { return {*this, 0}; }
  std::size_t size() const { return elements_.size(); }
  Element element(std::uint32_t index) const { return {*this, index}; }

  const ElementRecord& record(std::uint32_t index) const { return elements_[index]; }
  const AttributeRecord& attribute(std::uint32_t index) const { return attributes_[index]; }
  std::size_t attribute_total() const { return attributes_.size(); }
  std::string_view name(NameId id) const { return names_[static_cast<std::size_t>(id)]; }
  std::string_view value(const AttributeRecord& attribute) const;
  /// Prefix bound to the metamodel's namespace ("am" in every file seen).
  const std::string& metamodel_prefix() const { return metamodel_prefix_; }
  /// Prefix bound to XMLSchema-instance; empty when the root declares none.
  const std::string& xsi_prefix() const { return xsi_prefix_; }

  // Filled by the importer, in document order.
  NameId intern(std::string_view name);
  std::uint32_t open_element(NameId tag, std::uint32_t begin, std::uint32_t open_end);
  void add_attribute(NameId name, Span value);
  void add_decoded_attribute(NameId name, Span value, std::string decoded);
  void close_element(std::uint32_t close_begin, std::uint32_t end);
  void set_class(std::uint32_t index, ClassId cls) { elements_[index].cls = cls; }
  void set_header(Version version, std::string metamodel_prefix, std::string xsi_prefix);
  void set_position(std::uint32_t position) { position_ = position; }

 private:
  SourceText source_;
  Version version_ = newest_version;
  std::uint32_t position_ = 0;
  std::string metamodel_prefix_;
  std::string xsi_prefix_;
  std::vector<ElementRecord> elements_;
  std::vector<AttributeRecord> attributes_;
  std::deque<std::string> names_;  // stable addresses for the views in name_ids_
  std::unordered_map<std::string_view, NameId> name_ids_;
  std::vector<std::string> decoded_;
  std::vector<std::uint32_t> open_;        // path of elements not yet closed
  std::vector<std::uint32_t> last_child_;  // per open element
};

/// One model: documents that refer to each other by name-based ids.
class Model {
 public:
  Model() = default;
  Model(Model&&) = default;
  Model& operator=(Model&&) = default;

  const std::vector<std::unique_ptr<Document>>& documents() const { return documents_; }
  Document& add(std::unique_ptr<Document> document);
  Version version() const { return documents_.front()->version(); }

  /// All children with this tag below the sub-model `sub_model` of every document ("swModel", "tasks"), in order.
  std::vector<Element> all(std::string_view sub_model, std::string_view tag) const;
  Element element(Origin origin) const { return documents_[origin.document]->element(origin.element); }

  /// The element with this id ("DASM?type=Task"): by xmi:id first, then by computed id, as EMF does.
  Element find(std::string_view id) const;
  /// Registers an id; a later element takes the id over, as in EMF.
  void add_xmi_id(std::string_view id, Element element);
  /// Returns the element that had the id before, or an empty one.
  Element add_computed_id(std::string id, Element element);

  /// References whose target is not in the model, noted by the importer.
  struct Dangling {
    Element element;      ///< that holds the reference
    std::string feature;  ///< e.g. "runnable"
  };
  const std::vector<Dangling>& dangling() const { return dangling_; }
  void add_dangling(Element element, std::string feature) { dangling_.push_back({element, std::move(feature)}); }

  /// Targets of the reference `feature` of `element`, written as attribute tokens or as `<feature href="…"/>`
  /// children, in that order; those that cannot be resolved are left out (the importer has reported them).
  std::vector<Element> references(Element element, std::string_view feature) const;
  /// The first of references(), or an empty Element.
  Element reference(Element element, std::string_view feature) const;

 private:
  std::vector<std::unique_ptr<Document>> documents_;
  std::unordered_map<std::string_view, Element> xmi_ids_;
  std::deque<std::string> id_texts_;
  std::unordered_map<std::string_view, Element> computed_ids_;
  std::vector<Dangling> dangling_;
};

}  // namespace amalthea
