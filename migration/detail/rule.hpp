// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Migration rules, and their working context.
///
/// A rule carries one fact of what changed between two releases over to a model in memory: a class that got another
/// name, content that moved, a unit that is spelled differently. The rules of a step stand in one file, named after the
/// release they lead to, in the order in which they are applied. Every rule
/// - does nothing to a model that is in the new form already (files of a development cycle are a mixture of both);
/// - says of each object what it did (Step::changed);
/// - loses nothing: what the new release has no place for is kept as a custom property (Step::keep), and an object
///   whose content went elsewhere is taken out by Step::drop, which keeps what is left in it.
/// Objects that are taken out stay in memory until the whole conversion is done; loops over Objects and Step::find
/// skip them. A rule never calls Object::remove itself.
/// What no rule takes care of and the new release does not know is kept the same way after all rules of a step.
/// References follow objects that get another class, name or owner only if that is done through Step.

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "amalthea/editable_model.hpp"
#include "migration/record.hpp"
#include "migration/release.hpp"

namespace amalthea::migration {

class Step;

/// A new name: of a class; of a feature of class `cls`; of a literal of an attribute of it.
struct Renaming {
  std::string_view before, after, cls = {}, attribute = {};
};

/// Undoes a rule that only renames.
inline void rename_back(Step&) {}

struct Rule {
  std::string_view name;     ///< what it changes, unique: "PeriodicStimulus is the new name of Periodic"
  std::string_view summary;  ///< one sentence for users who want to know what happened to their model
  /// Nothing for rules that only rename.
  void (*apply)(Step&) = nullptr;
  /// The reverse rule, if there is one: for models whose content the older release supports. Null: nothing is required,
  /// or nothing is possible; unsupported content is then an obstacle.
  void (*undo)(Step&) = nullptr;
  std::array<Renaming, 7> renamings{};

  constexpr Rule(std::string_view rule_name, std::string_view rule_summary, void (*rule_apply)(Step&),
                 void (*rule_undo)(Step&) = nullptr)
      : name(rule_name), summary(rule_summary), apply(rule_apply), undo(rule_undo) {}
  constexpr Rule(std::string_view rule_name, std::string_view rule_summary, std::initializer_list<Renaming> renames,
                 void (*rule_undo)(Step&) = rename_back)
      : name(rule_name), summary(rule_summary), undo(rule_undo) {
    std::copy(renames.begin(), renames.end(), renamings.begin());
  }
};
/// For rules that only change the reverse direction.
inline void nothing(Step&) {}

/// All rules from the previous release to `to`. The step itself handles namespaces and ids.
struct StepRules {
  Release to;
  std::span<const Rule> rules;
};

class Step {
 public:
  Step(EditableModel& step_model, Release step_from, Release step_to, Record& record)
      : model(step_model), from(step_from), to(step_to), record_(record) {}

  EditableModel& model;
  const Release from, to;

  /// All objects of a class, in order.
  Objects objects_of(std::string_view class_name) const { return model.objects_of(class_name); }
  /// The sub-models `feature` ("swModel") of all files.
  Objects parts(std::string_view feature) const;
  /// That sub-model of the file that `object` is in, created if there is none.
  Object& part(const Object& object, std::string_view feature, std::string_view class_name);
  /// The root of the file that the object is in.
  Object& root_of(const Object& object) const;

  // ---- reporting changes
  void changed(const Object& object, std::string_view what = {});
  /// The model has a different meaning afterwards, or not exactly the same one; warns the user.
  void altered(const Object& object, std::string_view what);

  // ---- content that the new release does not support
  /// Adds a text as custom property "amalthea-converted.<from>.<what>" to `object`, or to the nearest owner that can
  /// have custom properties; numbered if the name is already used. `location` is that of the content, if it has one of
  /// its own.
  void keep(Object& object, std::string_view what, std::string_view text,
            const std::optional<Location>& location = std::nullopt);
  /// Keeps and removes the attribute or all targets of a reference; does nothing if it is not set.
  void keep_field(Object& object, std::string_view feature);
  /// Keeps a child with everything below it as XML text, and removes it.
  void keep_child(Object& owner, Object& child);
  /// Takes out an object that has done its part. Of its attributes and references, `used` are those that went elsewhere
  /// or say nothing; if there is anything else in it that is not a default, it is kept as by keep_child. The root of a
  /// file stays.
  void drop(Object& object, std::initializer_list<std::string_view> used = {});
  /// Takes out an object that says nothing which is not said elsewhere.
  void remove(Object& object);
  /// Everything that is in one object goes into another one, which takes its place; the first one is taken out.
  void replace(Object& object, Object& by);
  /// The same under a key of your choice, where AMALTHEA's own migration has one.
  void keep_as(Object& object, std::string_view key, std::string_view text);
  /// The same with a value of another class ("TimeObject"), which the caller fills.
  Object& keep_as_object(Object& object, std::string_view key, std::string_view class_name);

  // ---- identity: references follow, in all files
  /// All objects of a class, and all references to them, including unresolved ones.
  void rename_class(std::string_view before, std::string_view after);
  /// One object.
  void set_class(Object& object, std::string_view class_name);
  void set_name(Object& object, std::string_view name);
  /// The id by which references name the object in the source release, "Control?type=Task", or "" if its class has
  /// none.
  std::string id(const Object& object) const;
  /// The object that a reference means, or null. Slow the first time after objects have changed, for references that
  /// do not know it.
  Object* find(const Object& holder, const Field& reference);
  /// Adds a reference to an object, in this file or another one.
  void refer(Object& holder, std::string_view feature, Object& target) const;

  // ---- features
  /// Renames a feature in all objects of a class (not of its subclasses).
  void rename_feature(std::string_view class_name, std::string_view before, std::string_view after);
  /// Renames values of an enum attribute in all objects of a class.
  void rename_literal(std::string_view class_name, std::string_view attribute, std::string_view before,
                      std::string_view after);

  /// Moves an object to another owner or feature.
  void move(Object& object, Object& owner, std::string_view feature);

  // ---- for the code that runs the step
  void begin_rule(std::string_view rule);
  /// Updates the references.
  void end_rule();
  Record& record() { return record_; }

 private:
  template <typename Change>
  void follow(Object& object, Change change);
  Object& holder_of(Object& object) const;

  Record& record_;
  std::size_t objects_before_ = 0;
  std::unordered_map<std::string, std::string> moved_;    // ids before and after
  std::unordered_map<std::string, std::string> retyped_;  // class names before and after
  /// Objects by file and id; created on demand.
  std::vector<std::pair<const Object*, std::unordered_map<std::string, Object*>>> ids_;
};

/// What an object contains, of all features. Rules go through this list, as what they do can change what is contained.
Objects all_children(const Object& object);

/// The same object once more, with all below it, under the same feature of another owner.
Object& copy(const Object& object, Object& owner);

/// The custom properties of kept content begin with this.
inline constexpr std::string_view kept_prefix = "amalthea-converted.";

/// The prefix of addresses of objects in any file, since 0.7.0.
inline constexpr std::string_view any_file = "amlt:/#";
/// Separates name and class in an object's id.
inline constexpr std::string_view type_mark = "?type=";

}  // namespace amalthea::migration
