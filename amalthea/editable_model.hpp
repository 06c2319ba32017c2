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
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
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
};

/// Objects belong to their owner; addresses stay valid until an object is removed or the model is destroyed.
using OwnedObject = std::unique_ptr<Object>;

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
  /// Adds a reference to an object of the same file, by its id.
  void add_reference(std::string_view name, std::string_view id);
  /// Adds a reference to an object of another file. `cls` is written if the declared type of the reference is abstract
  /// and the address does not end in "?type=…".
  void add_remote_reference(std::string_view name, std::string_view address, ClassId cls = no_class);

  /// All attribute values and references as stored, in order.
  const std::vector<Field>& fields() const { return fields_; }
  std::vector<Field>& fields() { return fields_; }

  // ---- contained objects
  /// All, for every feature, in order.
  const std::vector<OwnedObject>& children() const { return children_; }
  std::vector<Object*> children(std::string_view feature) const;
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
  void remove_all(std::string_view feature) { take_all(feature); }
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
};

/// Comments before an object, and after the last object that it contains; each is the text between "<!--" and "-->".
struct Comments {
  std::vector<std::string_view> before;
  std::vector<std::string_view> at_end;
};

/// How to treat references by xmi:id or position to objects that share their id with others, mostly unnamed ones.
enum class SharedIds : std::uint8_t {
  as_emf,  ///< they become that id, as EMF writes them, whichever object it refers to then
  /// they are kept, so that they refer to the same object; so are attributes that are written as references
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

  struct File {
    std::string path;
    OwnedObject root;
  };
  const std::vector<File>& files() const { return files_; }
  /// A new file with an empty root.
  Object& add_file(std::string path, std::string_view root_class = "Amalthea");
  void rename_file(std::size_t index, std::string path) { files_[index].path = std::move(path); }
  void remove_file(std::size_t index) { files_.erase(files_.begin() + static_cast<std::ptrdiff_t>(index)); }

  /// Number of objects, including those that have been taken out and not dropped.
  std::size_t object_count() const { return object_count_; }
  /// All objects of all files, owners before their content, in document order.
  std::vector<Object*> objects() const;
  /// All objects of one class.
  std::vector<Object*> objects_of(std::string_view class_name) const;
  /// Calls visit(Object&) for each object of every file in the order of objects(). The visit must not change the
  /// children of objects above the current one.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const File& file : files_) walk(*file.root, visit);
  }

  /// Redirects every reference from `from` to `to`, for each pair of ids: in the same file, and in addresses
  /// "amlt:/#from" in other files. Returns the number of changed references.
  std::size_t retarget(const std::unordered_map<std::string_view, std::string_view>& from_to);
  /// Removes every reference to one of these ids, in all files. Returns the number of removed references.
  std::size_t remove_references(const std::unordered_set<std::string_view>& ids);

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
  template <typename Visit>
  static void walk(Object& object, Visit& visit) {
    visit(object);
    for (const OwnedObject& child : object.children()) walk(*child, visit);
  }

  std::deque<std::string> names_;  // stable addresses for the views in name_keys_
  std::unordered_map<std::string_view, NameKey> name_keys_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t chunk_left_ = 0;
  char* chunk_at_ = nullptr;
  std::unordered_map<const Object*, Comments> comments_;  // few files have any comments
  std::size_t object_count_ = 0;
  std::vector<File> files_;
};

/// The name under which the text of an unknown element is kept.
inline constexpr std::string_view unknown_text_name = "#text";

/// The value of an attribute that is written as a child element with text, `<value>5</value>`.
std::optional<std::string> element_text(Element element, std::string_view name);

}  // namespace amalthea
