// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Finds the targets of references in an ITEA model.
///
/// ITEA files refer to objects by `xmi:id`, by position ("//@swModel/@tasks.0") or, since 1.3.0, by name
/// ("Control?type=sw.Task"). In memory (see itea_form.hpp) references of features of 0.7.0 are ids of 0.7.0 if the
/// target has one; all others are kept as written. This finds the objects of both.

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "amalthea/editable_model.hpp"
#include "amalthea/primitives/itea.hpp"
#include "migration/detail/rule.hpp"

namespace amalthea::migration {

/// Valid until objects are added, moved, renamed or removed.
class IteaReferences {
 public:
  explicit IteaReferences(const EditableModel& model);

  /// "Control?type=Task", "Control?type=sw.Task", "_UUID", "//@swModel/@tasks.0", "sw.amxmi#…"; null if there is no
  /// target.
  Object* find(const Object& holder, std::string_view written) const;
  /// The first target of a feature in any form: reference, plain text, `<feature href="…"/>`.
  Object* target(const Object& holder, std::string_view feature) const;
  /// Whether the feature is set at all.
  static bool is_set(const Object& holder, std::string_view feature);

  /// Whether the id of 0.7.0 identifies this object uniquely in its file.
  bool is_named(const Object& object) const;

 private:
  struct Named {
    Object* object = nullptr;
    bool several = false;
  };
  struct File {
    Object* root = nullptr;
    std::string_view name;
    std::unordered_map<std::string, Named> ids;
  };
  Object* in_file(const File& file, std::string_view fragment) const;
  Object* at_position(Object& root, std::string_view position) const;
  const File* file_of(const Object& object) const;

  std::vector<File> files_;
  /// Children by owner and feature, for owners along searched positions.
  mutable std::unordered_map<const Object*, std::unordered_map<std::string_view, std::vector<Object*>>> children_;
};

const Object& root_of(const Object& object);

/// "os.amxmi" of a path.
std::string_view file_name(std::string_view path);

/// "Control?type=sw.Task" → "Control?type=Task", "Timer?type=sw.Periodic" → "Timer?type=PeriodicActivation"; the text
/// itself where its class has no package.
std::string without_package(std::string_view id);

/// "//@swModel/@tasks.0" of every object of a file, with the names of a release.
using Positions = std::unordered_map<const Object*, std::string>;
Positions positions_in(const Object& root, IteaRelease release);

/// Positions change when objects move. Between hold_positions and release_positions, such references refer to `xmi:id`s
/// instead; objects without one get a temporary one. Returns their number.
std::size_t hold_positions(EditableModel& model);
void release_positions(EditableModel& model, IteaRelease release);
/// The same as rules of a step.
void hold_positions(Step& step);
void release_positions(Step& step);
/// An id that remains valid for an object between these two, whatever happens to it.
std::string lasting_id(Object& object);

/// Sets a reference of 0.7.0 to an object, in the form that the importer would use: by name, or else by id. Objects in
/// another file are named as in 1.3.0, which older releases do not support.
void refer(Object& holder, std::string_view feature, Object& target, const IteaReferences& references);

/// Renames a file; addresses of its objects are updated.
void rename_file(EditableModel& model, std::size_t file, const std::string& path);

}  // namespace amalthea::migration
