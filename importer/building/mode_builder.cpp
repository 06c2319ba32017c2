// SPDX-License-Identifier: Apache-2.0
// Modes of a System: mode labels, their values as numbers, and conditions on them.

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "amalthea/primitives/near_miss.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/views/software.hpp"
#include "importer/building/detail/build_context.hpp"

namespace amalthea::importer::detail {
namespace {

/// Conditions before 0.9.4 have no relation, and mean `equal`.
std::optional<Relation> relation_of(Element condition, std::optional<Relation> stated) {
  const bool may_lack_it = !condition || condition.document().version() < Version::v0_9_4;
  return !stated && may_lack_it ? Relation::equal : stated;
}

bool orders(Relation relation) { return relation != Relation::equal && relation != Relation::not_equal; }

/// The mode of a label if its values are literals, which have no order (since 0.9.4).
Element enumeration_of(const BuildContext& context, Element label) {
  const Element mode = label ? context.model.reference(label, "mode") : Element();
  return mode && mode.is("EnumMode") && label.document().version() >= Version::v0_9_4 ? mode : Element();
}

std::string unordered(Element mode) {
  return fmt::format("orders the literals of mode \"{}\", which have no order; use EQUAL or NOT_EQUAL", mode.name());
}

/// Why the values of two labels cannot be compared, as a clause with its remedy; "" if they can.
std::string incomparable(const BuildContext& context, const views::ModeLabelCondition& test, Relation relation) {
  const Element first = enumeration_of(context, test.first), second = enumeration_of(context, test.second);
  if (first != second)
    return fmt::format("compares the mode labels \"{}\" and \"{}\", whose modes differ; compare labels of one mode",
                       test.first.name(), test.second.name());
  return first && orders(relation) ? unordered(first) : "";
}

std::optional<ModeTest> mode_test(const BuildContext& context, const views::SimpleCondition& condition) {
  ModeTest test;
  if (const auto* by_value = std::get_if<views::ModeValueCondition>(&condition.test)) {
    const auto mode = context.modes.find(by_value->label);
    const auto relation = relation_of(condition.element, by_value->relation);
    const auto value = mode_value(context, by_value->label, by_value->value, by_value->literal);
    if (!mode || !relation || !value) return std::nullopt;
    if (orders(*relation) && enumeration_of(context, by_value->label)) return std::nullopt;
    test = {*mode, *relation, *value, std::nullopt};
    return test;
  }
  if (const auto* by_label = std::get_if<views::ModeLabelCondition>(&condition.test)) {
    const auto first = context.modes.find(by_label->first), second = context.modes.find(by_label->second);
    const auto relation = relation_of(condition.element, by_label->relation);
    if (!first || !second || !relation || !incomparable(context, *by_label, *relation).empty()) return std::nullopt;
    test = {*first, *relation, 0, second};
    return test;
  }
  return std::nullopt;
}

/// The literals of the mode that may be meant, as a clause; "" after many names, since each is compared with all.
std::string suggested_literals(BuildContext& context, const Mode& mode, std::string_view name) {
  constexpr std::size_t most = 100;
  const auto key = std::pair(mode.literals.get(), std::string(name));
  const auto known = context.suggested_literals.find(key);
  if (known != context.suggested_literals.end()) return known->second;
  if (context.suggested_literals.size() == most) return "";
  return context.suggested_literals.emplace(key, did_you_mean_or_list(name, *mode.literals)).first->second;
}

/// Why a part of a condition is not simulated, as a clause with its remedy; "" if it is.
std::string fault_of(BuildContext& context, const views::SimpleCondition& condition) {
  if (mode_test(context, condition)) return {};
  const auto* by_value = std::get_if<views::ModeValueCondition>(&condition.test);
  const auto* by_label = std::get_if<views::ModeLabelCondition>(&condition.test);
  if (by_value == nullptr && by_label == nullptr)
    return "depends on a channel or a local mode label, which are not simulated";
  if (by_value != nullptr ? !context.modes.find(by_value->label)
                          : !context.modes.find(by_label->first) || !context.modes.find(by_label->second))
    return "names no mode label; state the label";
  const auto relation = relation_of(condition.element, by_value != nullptr ? by_value->relation : by_label->relation);
  if (!relation) return "states no relation; state it";
  if (by_label != nullptr) return incomparable(context, *by_label, *relation);
  const Mode& mode = context.system.modes[*context.modes.find(by_value->label)];
  if (by_value->value.empty()) return fmt::format("states no value for mode label \"{}\"; state it", mode.name);
  if (mode_value(context, by_value->label, by_value->value, by_value->literal))
    return unordered(enumeration_of(context, by_value->label));
  return fmt::format("compares mode label \"{}\" with \"{}\", which its mode does not have{}", mode.name,
                     by_value->value,
                     mode.literals == nullptr ? "; state the mode of the label, or a number"
                                              : suggested_literals(context, mode, by_value->value));
}

/// Conditions with more conjunctions, or tests in them, are not supported.
constexpr std::size_t max_conjunctions = 1000, max_tests = 100'000;

/// Null for a mode without any.
std::shared_ptr<const std::vector<std::string>> literals_of(Element mode) {
  std::vector<std::string> literals;
  for (const Element literal : mode.children("literals")) literals.emplace_back(literal.name());
  if (literals.empty()) return nullptr;
  return std::make_shared<const std::vector<std::string>>(std::move(literals));
}

Relation opposite(Relation relation) {
  switch (relation) {
    case Relation::equal:
      return Relation::not_equal;
    case Relation::not_equal:
      return Relation::equal;
    case Relation::less:
      return Relation::greater_or_equal;
    case Relation::less_or_equal:
      return Relation::greater;
    case Relation::greater:
      return Relation::less_or_equal;
    case Relation::greater_or_equal:
      return Relation::less;
  }
  return Relation::equal;
}

}  // namespace

std::optional<ModeCondition> conjunction_of(const ModeCondition& a, const ModeCondition& b) {
  if (!a.any_of.empty() && b.any_of.size() > max_conjunctions / a.any_of.size()) return std::nullopt;
  ModeCondition both;
  std::size_t tests = 0;
  for (const auto& first : a.any_of)
    for (const auto& second : b.any_of) {
      tests += first.size() + second.size();
      if (tests > max_tests) return std::nullopt;
      both.any_of.push_back(first);
      both.any_of.back().insert(both.any_of.back().end(), second.begin(), second.end());
    }
  return both;
}

std::optional<ModeCondition> negated(const ModeCondition& condition) {
  // true; every conjunction must fail in one of its tests
  std::optional<ModeCondition> result = ModeCondition{{{}}};
  std::size_t added = 0;
  for (const auto& conjunction : condition.any_of) {
    ModeCondition fails;
    for (ModeTest test : conjunction) {
      test.relation = opposite(test.relation);
      fails.any_of.push_back({test});
    }
    if (conjunction.size() != 1) {
      result = conjunction_of(*result, fails);
    } else {  // not as a conjunction, which copies everything before
      for (auto& all_of : result->any_of) all_of.push_back(fails.any_of.front().front());
      added += result->any_of.size();
    }
    if (!result || added > max_tests) return std::nullopt;
  }
  return result;
}

void build_modes(BuildContext& context) {
  Diagnostics no_effect;  // sizes of mode labels
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::shared_ptr<const std::vector<std::string>>> literals;
  for (const views::ModeLabel& label : views::mode_labels(context.model, no_effect)) {
    Mode mode;
    mode.name = label.name;
    const auto initial = mode_value(context, label.element, label.initial_value, label.initial_literal);
    mode.initial = initial.value_or(0);
    if (!initial)
      context.modes_without_value.emplace_back(static_cast<ModeIndex>(context.system.modes.size()), label.element);
    if (label.mode) {
      const auto [known, added] = literals.try_emplace({label.mode.document().position(), label.mode.index()});
      if (added) known->second = literals_of(label.mode);
      mode.literals = known->second;
    }
    context.modes.add(label.element, static_cast<std::uint32_t>(context.system.modes.size()));
    mode.origin = label.element.origin();
    context.system.modes.push_back(std::move(mode));
  }
}

std::optional<std::int64_t> mode_value(const BuildContext& context, Element label, std::string_view value,
                                       Element literal) {
  if (literal) return static_cast<std::int64_t>(literal.document().siblings_of(literal.index()).before);
  // Since 0.9.4 values are literals, or numbers of a numeric mode.
  if (enumeration_of(context, label)) return std::nullopt;
  const auto number = parse_integer(value);
  return number ? std::optional(*number) : std::nullopt;
}

void note_unknown_condition(BuildContext& context, Element user, Element place, const views::Condition* condition) {
  std::string reason = condition == nullptr ? "is missing; state it" : "is too large to be simulated";
  if (condition != nullptr)
    for (const views::Conjunction& conjunction : condition->any_of)
      for (const views::SimpleCondition& part : conjunction.all_of)
        if (std::string fault = fault_of(context, part); !fault.empty()) {
          reason = std::move(fault);
          if (part.element) place = part.element;
          break;
        }
  auto& conditions = context.unknown_conditions[reason];
  if (conditions.users.empty()) conditions.first = place;
  conditions.users.insert({user.origin().document, user.origin().element});
}

std::optional<ModeCondition> mode_condition(const BuildContext& context, const views::Condition& condition) {
  ModeCondition built;
  for (const views::Conjunction& conjunction : condition.any_of) {
    std::vector<ModeTest> all_of;
    for (const views::SimpleCondition& part : conjunction.all_of) {
      const auto test = mode_test(context, part);
      if (!test) return std::nullopt;
      all_of.push_back(*test);
    }
    built.any_of.push_back(std::move(all_of));
  }
  return built;
}

}  // namespace amalthea::importer::detail
