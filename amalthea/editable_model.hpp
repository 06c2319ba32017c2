// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A model in memory that can be created from scratch or read from files, and changed freely.
///
/// An `EditableModel` holds the trees of one or several files. An `Object` has a class, attribute values as text,
/// references as text (an id in the same file, or an address in another one) and the objects it contains, each with the
/// name of its feature. Nothing is checked against a metamodel version: during a migration an object has features of
/// both versions. Unknown elements and attributes and comments are kept, so that no information is lost.
///
/// It is designed for many small changes. Objects have stable addresses during their lifetime, and know their owner and
/// their origin. Finding, creating, moving and removing an object are one call each. Names are interned, and texts are
/// stored in common chunks that live as long as the model. Only one thread at a time may change a model.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"
#include "amalthea/metamodel.hpp"

namespace amalthea {

class EditableModel;
class Object;

/// Interned name of a feature, valid within one EditableModel.
enum class NameKey : std::uint32_t {};

enum class FieldKind : std::uint8_t {
  value,   ///< of an attribute
  local,   ///< id of an object in the same file: "Control?type=Task"
  remote,  ///< address of an object in another file: "amlt:/#Control?type=Task"
};

/// An attribute value, or one target of a reference; the targets of a list are fields of the same name, in order.
struct Field {
  NameKey name{};
  FieldKind kind = FieldKind::value;
  ClassId target_class = no_class;  ///< of a remote target, if the file states it
  std::string_view text;
  /// What a reference leads to, where the model that was read knows (SharedIds::apart), whatever its text is. Null for
  /// a reference that led nowhere or was added later.
  Object* target = nullptr;
};

/// Deletes an object, or sets it aside in a model that keeps what is removed.
struct ObjectDeleter {
  void operator()(Object* object) const noexcept;
};

/// Objects belong to their owner; the addresses stay valid until they are removed or the model ends.
using OwnedObject = std::unique_ptr<Object, ObjectDeleter>;

/// Some objects of a model, listed. A loop over the list skips objects that were removed after the list was made, as
/// long as the model keeps what is removed (EditableModel::keep_removed).
class Objects {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Object*;
    using difference_type = std::ptrdiff_t;
    using pointer = Object* const*;
    using reference = Object* const&;

    Iterator(Object* const* at, Object* const* end) : at_(at), end_(end) { skip_removed(); }
    Object* const& operator*() const { return *at_; }
    Iterator& operator++() {
      ++at_;
      skip_removed();
      return *this;
    }
    friend bool operator==(const Iterator& one, const Iterator& other) { return one.at_ == other.at_; }

   private:
    void skip_removed();
    Object* const* at_;
    Object* const* end_;
  };

  Objects() = default;
  Objects(std::initializer_list<Object*> all) : all_(all) {}
  Iterator begin() const { return {all_.data(), all_.data() + all_.size()}; }
  Iterator end() const { return {all_.data() + all_.size(), all_.data() + all_.size()}; }
  bool empty() const { return all_.empty(); }
  /// How many there were when the list was made.
  std::size_t size() const { return all_.size(); }
  Object* front() const { return all_.front(); }
  Object* operator[](std::size_t index) const { return all_[index]; }
  void push_back(Object* object) { all_.push_back(object); }
  friend bool operator==(const Objects&, const Objects&) = default;

 private:
  std::vector<Object*> all_;
};

class Object {
 public:
  Object(EditableModel& model, NameKey feature, ClassId cls);
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  ~Object();

  EditableModel& model() const { return *model_; }
  /// no_class for an element that is unknown in every version.
  ClassId cls() const { return cls_; }
  std::string_view class_name() const;
  bool is(std::string_view class_name) const { return this->class_name() == class_name; }
  void set_class(ClassId cls) { cls_ = cls; }
  /// A class of any version; returns false without a change if there is none with this name.
  bool set_class(std::string_view class_name);

  /// Null for a root and for an object that has been taken out.
  Object* owner() const { return owner_; }
  /// Whether it was removed, alone or with what is around it, and is only kept until the model forgets it.
  bool is_removed() const { return removed_; }
  /// The feature of the owner that holds it; the class name for a root.
  std::string_view feature() const;
  NameKey feature_key() const { return feature_; }
  /// "swModel/tasks/DASM/activityGraph/items[2]", as Element::path().
  std::string path() const;

  /// The element it was created from, if any.
  Element element() const { return element_; }
  /// The location of that element; unknown for an object that was created in memory.
  Location location() const { return element_ ? element_.location() : Location{}; }

  // ---- attributes ("xmi:id" is one of them)
  std::optional<std::string_view> attribute(std::string_view name) const;
  std::string_view attribute_or(std::string_view name, std::string_view otherwise) const;
  /// The attribute `name`; "" when absent.
  std::string_view name() const { return attribute_or("name", ""); }
  /// Sets the value, in the position of the old one or after the others. Copies the text.
  void set(std::string_view name, std::string_view value);
  /// Removes the value, or all targets, with this name.
  void unset(std::string_view name);

  // ---- references
  /// All targets, in order.
  std::vector<Field> references(std::string_view name) const;
  /// The text of the first target, or nothing.
  std::optional<std::string_view> reference(std::string_view name) const;
  /// Adds an object of the same file by its id. `target` is that object, where it is known.
  void add_reference(std::string_view name, std::string_view id, Object* target = nullptr);
  /// Adds an object of another file. `cls` is written where the declared type of the reference is abstract and the
  /// address does not end in "?type=…".
  void add_remote_reference(std::string_view name, std::string_view address, ClassId cls = no_class,
                            Object* target = nullptr);
  /// Adds what another reference leads to.
  void add_reference_like(std::string_view name, const Field& field);

  /// All attribute values and references as stored, in order.
  const std::vector<Field>& fields() const { return fields_; }
  std::vector<Field>& fields() { return fields_; }

  // ---- contained objects
  /// All, for every feature, in order.
  const std::vector<OwnedObject>& children() const { return children_; }
  Objects children(std::string_view feature) const;
  /// The first of this feature, or null.
  Object* child(std::string_view feature) const;
  /// Reserves memory for this many, for large models.
  void reserve_children(std::size_t count) { children_.reserve(count); }
  /// Creates an object after the others.
  Object& create(std::string_view feature, ClassId cls);
  /// The same with a class of any version, which must exist.
  Object& create(std::string_view feature, std::string_view class_name);
  /// Adds an object of the same model that has been taken out, before the child `before` or after all others.
  Object& add(std::string_view feature, OwnedObject object, const Object* before = nullptr);
  /// Takes a child out. It can be added elsewhere, or dropped.
  OwnedObject take(Object& child);
  /// Takes out all children of a feature, in linear time.
  std::vector<OwnedObject> take_all(std::string_view feature);
  void remove(Object& child) { take(child); }
  /// Moves this object, with everything below it, to another owner or another feature of the same one. The new owner
  /// must not be below it.
  void move_to(Object& owner, std::string_view feature);

  /// Moves this object to another feature of its owner, without changing its position among the others.
  void set_feature(std::string_view feature);
  /// Renames a feature: attribute values, targets and contained objects.
  void rename_feature(std::string_view from, std::string_view to);

 private:
  friend class EditableModel;
  std::optional<NameKey> key(std::string_view name) const;

  EditableModel* model_;
  Object* owner_ = nullptr;
  Element element_;
  std::vector<Field> fields_;
  std::vector<OwnedObject> children_;
  NameKey feature_;
  ClassId cls_;
  bool removed_ = false;
};

inline void Objects::Iterator::skip_removed() {
  while (at_ != end_ && (*at_)->is_removed()) ++at_;
}

/// Comments that stand before an object, and after the last object that it contains; each the text between "<!--"
/// and "-->".
struct Comments {
  std::vector<std::string_view> before;
  std::vector<std::string_view> at_end;
};

/// How to treat references by xmi:id or position to objects that share their id with others, mostly unnamed ones.
enum class SharedIds : std::uint8_t {
  as_emf,  ///< become that id, as EMF writes them, whichever object it means then
  /// stay as they are, so that they mean the same object; so do attributes that are written as references. Every
  /// reference knows its target (Field::target).
  apart,
};

class EditableModel {
 public:
  EditableModel() = default;
  /// Everything in the files of a model, which must outlive this one, since texts remain in the files. References by
  /// position or UUID become names if the target has a name; an address in the same file becomes an id.
  explicit EditableModel(const Model& model) : EditableModel(model, SharedIds::as_emf) {}
  EditableModel(const Model& model, SharedIds shared);
  EditableModel(const EditableModel&) = delete;  // objects refer to their model
  EditableModel& operator=(const EditableModel&) = delete;
  ~EditableModel();

  struct File {
    std::string path;
    OwnedObject root;
  };
  const std::vector<File>& files() const { return files_; }
  /// A new file with an empty root.
  Object& add_file(std::string path, std::string_view root_class = "Amalthea");
  void rename_file(std::size_t index, std::string path) { files_[index].path = std::move(path); }

  /// From now on objects that are removed stay as they are, with all below them, out of the files: whoever still has a
  /// pointer to one can ask it is_removed().
  void keep_removed() { keeps_removed_ = true; }
  /// Ends that and deletes them. References that led to one lead nowhere.
  void forget_removed();

  /// How many objects there are, those that have been taken out and not been removed included.
  std::size_t object_count() const { return object_count_; }
  /// Every object of every file, owners before what they contain, in document order.
  Objects objects() const;
  /// Those of one class.
  Objects objects_of(std::string_view class_name) const;
  /// Calls visit(Object&) for each object of every file as objects() lists them. A visit that removes objects needs a
  /// model that keeps them.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const File& file : files_) walk(*file.root, visit);
  }

  /// Points every reference to `from` to `to` instead, for each pair of ids: in the same file, and in addresses
  /// "amlt:/#from" in other files. Returns how many there were. What they know of their target stays.
  std::size_t retarget(const std::unordered_map<std::string_view, std::string_view>& from_to);

  /// Comments around an object, or null. Moved objects keep theirs.
  const Comments* comments(const Object& object) const;
  Comments& comments_for_change(const Object& object) { return comments_[&object]; }

  /// Creates an object for an element, with its class but without content, after the other children of `owner`.
  Object& create_from(Object& owner, NameKey feature, Element element);

  NameKey intern(std::string_view name);
  std::optional<NameKey> find_name(std::string_view name) const;
  std::string_view name(NameKey key) const { return names_[static_cast<std::size_t>(key)]; }
  std::size_t name_total() const { return names_.size(); }
  /// Copies the text into memory that lives as long as the model.
  std::string_view keep(std::string_view text);

 private:
  friend class Object;
  friend struct ObjectDeleter;
  void set_removed(Object& object, bool removed);
  template <typename Visit>
  static void walk(Object& object, Visit& visit) {
    visit(object);
    for (std::size_t i = 0; i < object.children().size(); ++i) walk(*object.children()[i], visit);
  }

  std::deque<std::string> names_;  // stable addresses for the views in name_keys_
  std::unordered_map<std::string_view, NameKey> name_keys_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t chunk_left_ = 0;
  char* chunk_at_ = nullptr;
  std::unordered_map<const Object*, Comments> comments_;  // few files have any comments
  std::size_t object_count_ = 0;
  bool keeps_removed_ = false;
  std::vector<Object*> removed_;
  std::vector<File> files_;
};

/// The name under which the text of an unknown element is kept.
inline constexpr std::string_view unknown_text_name = "#text";

/// The value of an attribute that is written as a child element with text, `<value>5</value>`.
std::optional<std::string> element_text(Element element, std::string_view name);

}  // namespace amalthea
