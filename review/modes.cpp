// SPDX-License-Identifier: Apache-2.0
// Modes: invalid values, and conditions that are always or never true.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "amalthea/views/conditions.hpp"
#include "review/detail/rules.hpp"

namespace amalthea::review {
namespace {

/// The expected kind of value for the label's mode; "" if `value` is valid, or the mode is unknown.
std::string expected_instead(const Context& context, Element label, std::string_view value) {
  const Element mode = label ? context.model.reference(label, "mode") : Element();
  if (mode && mode.is("NumericMode")) return parse_integer(value) ? "" : "a whole number";
  if (!mode || !mode.is("EnumMode") || views::literal_named(context.model, label, value)) return "";
  std::string literals;
  for (const Element literal : mode.children("literals"))
    literals += fmt::format("{}\"{}\"", literals.empty() ? "" : " or ", literal.name());
  return literals.empty() ? fmt::format("a literal, of which mode \"{}\" has none", mode.name()) : literals;
}

using LabelKey = std::pair<std::uint32_t, std::uint32_t>;

/// The constraints of simple conditions on the mode of one label, by the name of the literal.
struct Demands {
  std::string_view label;
  std::set<std::string_view> equal, different;
  std::size_t literals = 0;  ///< number of literals of the mode

  void add(const views::ModeValueCondition& test) {
    label = test.label.name();
    literals = test.literal.parent().children("literals").size();
    if (test.relation == views::Relation::not_equal)
      different.insert(test.value);
    else if (test.relation == views::Relation::equal || test.relation == views::Relation::unstated)
      equal.insert(test.value);
  }
  bool contradict() const {
    if (equal.size() > 1) return true;
    for (const std::string_view value : equal)
      if (different.contains(value)) return true;
    return literals > 0 && different.size() == literals;
  }
  /// A disjunction: any of them is sufficient.
  bool always_hold() const {
    if (different.size() > 1) return true;
    for (const std::string_view value : different)
      if (equal.contains(value)) return true;
    return literals > 0 && equal.size() == literals;
  }
};

const views::ModeValueCondition* literal_test(const views::SimpleCondition& condition) {
  const auto* test = std::get_if<views::ModeValueCondition>(&condition.test);
  return test != nullptr && test->label && test->literal ? test : nullptr;
}

/// Calls visit(condition) for every condition of the model.
template <typename Visit>
void for_each_condition(const Context& context, Visit visit) {
  Diagnostics building_findings;
  for (const std::string_view name : {"ModeValueDisjunction", "ModeConditionDisjunction", "ConditionDisjunction"})
    for (const Element element : context.facts.all(name))
      if (const auto condition = views::condition_of(context.model, element, building_findings)) visit(*condition);
}

}  // namespace

void check_mode_values(const Context& context, Report& report) {
  const auto check = [&](Element holder, Element label, std::string_view attribute) {
    const auto value = holder.attribute(attribute);
    if (!value || value->empty() || holder.document().version() < Version::v0_9_4) return;
    const std::string expected = expected_instead(context, label, *value);
    // What a condition that cannot be read means for its alternatives (AM0437) is another matter.
    const bool condition = holder.is("ModeCondition") || holder.is("ModeValueCondition");
    if (!expected.empty() && (condition || !report.is_reported(holder)))
      report.add(
          holder, attribute,
          fmt::format("\"{}\" is not a value of mode label \"{}\"; expected {}", *value, label.name(), expected));
  };
  for (const Element label : context.facts.all("ModeLabel")) check(label, label, "initialValue");
  for (const Element access : context.facts.all("ModeLabelAccess"))
    if (access.attribute_or("access", "") == "set") check(access, context.model.reference(access, "data"), "value");
  for (const std::string_view name : {"ModeCondition", "ModeValueCondition", "ModeAssignment", "ModeValue"})
    for (const Element value : context.facts.all(name)) check(value, context.model.reference(value, "label"), "value");
  for (const std::string_view name : {"ModeCondition", "ModeValueCondition", "ModeLabelCondition"})
    for (const Element condition : context.facts.all(name))
      if (condition.document().version() >= Version::v0_9_4 &&
          condition.attribute_or("relation", "_undefined_") == "_undefined_")
        report.add(condition, "relation", "this condition states no relation; expected one, such as EQUAL");
}

void check_impossible_conditions(const Context& context, Report& report) {
  for_each_condition(context, [&](const views::Condition& condition) {
    for (const views::Conjunction& conjunction : condition.any_of) {
      std::map<LabelKey, Demands> demands;
      for (const views::SimpleCondition& part : conjunction.all_of)
        if (const auto* test = literal_test(part))
          demands[{test->label.document().position(), test->label.index()}].add(*test);
      for (const auto& [key, one] : demands)
        if (one.contradict()) {
          report.add(conjunction.element ? conjunction.element : condition.element,
                     fmt::format("this condition is never true, because its requirements on mode label \"{}\" "
                                 "contradict each other; correct it, or remove the alternative",
                                 one.label));
          break;
        }
    }
  });
}

void check_empty_conditions(const Context& context, Report& report) {
  for_each_condition(context, [&](const views::Condition& condition) {
    std::map<LabelKey, Demands> demands;
    for (const views::Conjunction& conjunction : condition.any_of)
      if (conjunction.all_of.size() == 1)
        if (const auto* test = literal_test(conjunction.all_of.front()))
          demands[{test->label.document().position(), test->label.index()}].add(*test);
    for (const auto& [key, one] : demands)
      if (one.always_hold()) {
        report.add(
            condition.element,
            fmt::format("this condition is always true, because its alternatives cover all values of mode label \"{}\"",
                        one.label));
        break;
      }
  });
}

}  // namespace amalthea::review
