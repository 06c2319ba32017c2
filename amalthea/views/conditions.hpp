// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Conditions on modes and channels: of switches, loops, stimuli and runnables.
///
/// Every version states them in two levels, an "or" of "and"s: ModeValueDisjunction/Conjunction (0.8.1 – 0.9.3),
/// ModeConditionDisjunction/Conjunction (0.9.4 – 2.2.0), ConditionDisjunction/Conjunction (from 2.0.0), and before them
/// plain lists of mode literals.

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"

namespace amalthea::views {

/// `relation`; before 0.9.4 every condition means `equal`.
enum class Relation : std::uint8_t {
  unstated,
  equal,
  not_equal,
  less,
  less_or_equal,
  greater,
  greater_or_equal,
};

/// A value that a local mode label is set to or compared with (from 2.1.0).
struct ValueSource {
  enum class Kind : std::uint8_t {
    none,          ///< absent or unknown
    constant,      ///< `number`
    literal,       ///< `target` is a ModeLiteral
    mode_label,    ///< the value of `target`, a ModeLabel
    local_label,   ///< the value of `target`, a LocalModeLabel
    channel_fill,  ///< how many elements the channel `target` holds
    expression,    ///< `operands` joined by `operation`
  };
  enum class Operation : std::uint8_t { unstated, add, subtract, multiply, modulo };

  Element element;
  Kind kind = Kind::none;
  std::int64_t number = 0;
  Element target;
  Operation operation = Operation::unstated;
  std::vector<ValueSource> operands;  ///< two of an expression; an absent one is of kind `none`
};

/// The mode of a label compared with a value. `value` is the literal's name or, for numeric modes, a number as text.
struct ModeValueCondition {
  Element label;
  Relation relation = Relation::unstated;
  std::string_view value;
  Element literal;  ///< the ModeLiteral `value` names; empty for numeric modes and unknown names
};
/// The modes of two labels compared (from 0.9.7).
struct ModeLabelCondition {
  Element first;
  Relation relation = Relation::unstated;
  Element second;
};
/// The number of elements in a channel compared (from 2.0.0; with a relation from 2.1.0).
struct ChannelFillCondition {
  Element channel;
  Relation relation = Relation::unstated;
  std::int64_t level = 0;
};
/// A local mode label compared (from 2.1.0).
struct LocalModeCondition {
  Element label;
  Relation relation = Relation::unstated;
  ValueSource value;
};
/// A condition of a class that is not known.
struct UnknownCondition {};

struct SimpleCondition {
  Element element;  ///< where it stands
  std::variant<UnknownCondition, ModeValueCondition, ModeLabelCondition, ChannelFillCondition, LocalModeCondition> test;
};
/// True when all of its parts are; one part where the model writes no conjunction.
struct Conjunction {
  Element element;
  std::vector<SimpleCondition> all_of;
};
/// True when any of its parts is.
struct Condition {
  Element element;
  std::vector<Conjunction> any_of;
};

/// The condition that an element is, or that a list of mode literals stands for; nothing where the element is absent.
std::optional<Condition> condition_of(const Model& model, Element disjunction, Diagnostics& diagnostics);

/// `label` equal to any of `literals`: how switches before 0.8.3 state their conditions.
Condition any_literal(Element entry, Element label, const std::vector<Element>& literals);

/// A mode label and the value it gets: `setModeValueList` of stimuli.
struct ModeAssignment {
  Element element;
  Element label;
  std::string_view value;
  Element literal;  ///< as in ModeValueCondition
};
/// The entries of a ModeValueList.
std::vector<ModeAssignment> mode_assignments(const Model& model, Element list);

/// The literal of this name in the mode of a mode label; empty when there is none.
Element literal_named(const Model& model, Element mode_label, std::string_view name);

/// The value that an ILocalModeValueSource states.
ValueSource value_source(const Model& model, Element source, Diagnostics& diagnostics);

}  // namespace amalthea::views
