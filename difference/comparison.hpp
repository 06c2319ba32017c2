// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Compares two states of a model, object by object.
///
/// Objects are matched by what they are, not by position: by id (qualified name and class), then renamed ones by their
/// content, then unnamed ones by their owner, class, key (the references that their class requires) and content.
/// Values are compared by meaning: `5 ms` equals `5000 us`, a value that is not written equals its default, and the
/// order of a list counts only where AMALTHEA gives it a meaning (activity graphs, event chains, access paths …).
///
/// Both models must have the same release; `migration::migrate` converts them. Time and memory are linear in the size
/// of the models, apart from the search for renamed objects, which is limited.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "amalthea/editable_model.hpp"
#include "amalthea/metamodel.hpp"

namespace amalthea::difference {

enum class Kind : std::uint8_t {
  added,
  removed,
  renamed,    ///< the same content under another name
  moved,      ///< to another owner
  changed,    ///< a value, a reference or the class
  reordered,  ///< the same items in another order
};
std::string_view to_string(Kind kind);

/// What a reviewer asks about.
enum class Part : std::uint8_t { software, mapping, stimuli, hardware, constraints, rest };
inline constexpr Part all_parts[] = {Part::software, Part::mapping,     Part::stimuli,
                                     Part::hardware, Part::constraints, Part::rest};
/// "software", "mapping" …
std::string_view to_string(Part part);

struct Change {
  Kind kind = Kind::changed;
  Part part = Part::rest;
  std::string subject;  ///< the named object: "Task DASM", "TaskAllocation of DASM"
  std::string place;    ///< below the subject: "activityGraph/items[2]/default"; empty for the subject itself
  std::string feature;  ///< that changed or holds the object: "upperBound", "tasks"
  /// The value, the name, or the owner of a moved object; of an added or removed object without name its content.
  std::string before, after;
  /// The object in either model; null where it does not exist.
  Object* older = nullptr;
  Object* newer = nullptr;
  /// The change concerns references or an object that is a value (a quantity, or an object of another class).
  enum class Form : std::uint8_t { object, attribute, references, value } form = Form::object;
};

struct Comparison {
  std::vector<Change> changes;  ///< by part, then in document order of the newer model
  /// The counterpart of each matched object.
  std::unordered_map<const Object*, Object*> in_newer, in_older;
};

/// `version`: of both models; for ITEA releases the one by which they are read. The models must outlive the result.
Comparison compare(EditableModel& older, EditableModel& newer, Version version);

/// What was done about changes that were to be applied.
struct Application {
  std::size_t applied = 0;
  /// Changes that have no meaning without changes of other parts, such as the allocation of a task that is not added.
  std::size_t left_out = 0;
};

/// Changes `older` by the changes of the given parts. With all parts, `compare` then finds no difference from the newer
/// model. Afterwards `comparison` is of no use.
Application apply(EditableModel& older, const Comparison& comparison, const std::vector<Part>& parts, Version version);

}  // namespace amalthea::difference
