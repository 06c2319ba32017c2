// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Conditions on modes and channels, for switches, loops, stimuli and runnables.
///
/// Every version uses two levels, an "or" of "and"s: ModeValueDisjunction/Conjunction (0.8.1 – 0.9.3),
/// ModeConditionDisjunction/Conjunction (0.9.4 – 2.2.0), ConditionDisjunction/Conjunction (since 2.0.0), and before
/// them plain lists of mode literals.

#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/graph/activity.hpp"
#include "amalthea/location.hpp"

namespace amalthea::views {

/// Compares the mode of a label with a value. `value` is the literal's name or, for numeric modes, a number as text.
/// Before 0.9.4 every condition means `equal`.
struct ModeValueCondition {
  Element label;
  std::optional<Relation> relation;
  std::string_view value;
  Element literal;  ///< the ModeLiteral named by `value`; empty for numeric modes and unknown names
};
/// Compares the modes of two labels (since 0.9.7).
struct ModeLabelCondition {
  Element first;
  std::optional<Relation> relation;
  Element second;
};
/// Compares the number of elements in a channel (since 2.0.0).
struct ChannelFillCondition {};
/// Compares a local mode label (since 2.1.0).
struct LocalModeCondition {};
/// A condition of an unknown class.
struct UnknownCondition {};

struct SimpleCondition {
  Element element;  ///< the element in the model
  std::variant<UnknownCondition, ModeValueCondition, ModeLabelCondition, ChannelFillCondition, LocalModeCondition> test;
};
/// True if all of its parts are true; a single part if the model writes no conjunction.
struct Conjunction {
  Element element;
  std::vector<SimpleCondition> all_of;
};
/// True if any of its parts is true.
struct Condition {
  Element element;
  std::vector<Conjunction> any_of;
};

/// The condition of an element, or of a list of mode literals; nothing if the element is absent.
std::optional<Condition> condition_of(const Model& model, Element disjunction, Diagnostics& diagnostics);

/// `label` equals any of `literals`: the conditions of switches before 0.8.3.
Condition any_literal(Element entry, Element label, const std::vector<Element>& literals);

/// A mode label and its new value: `setModeValueList` of stimuli.
struct ModeAssignment {
  Element element;
  Element label;
  std::string_view value;
  Element literal;  ///< as in ModeValueCondition
};
/// The entries of a ModeValueList.
std::vector<ModeAssignment> mode_assignments(const Model& model, Element list);

/// The literal with this name in the mode of a mode label; empty if there is none.
Element literal_named(const Model& model, Element mode_label, std::string_view name);

/// Reports what of an ILocalModeValueSource is unreadable.
void check_value_source(Element source, Diagnostics& diagnostics);

}  // namespace amalthea::views
