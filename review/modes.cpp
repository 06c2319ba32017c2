// SPDX-License-Identifier: Apache-2.0
// Modes: invalid values, and conditions that are always or never true.

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

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
  constexpr std::size_t most = 20;
  const std::size_t count = mode.count_children("literals");
  if (count > most) return fmt::format("one of the {} literals of mode \"{}\"", count, mode.name());
  std::string literals;
  for (const Element literal : mode.children("literals"))
    literals += fmt::format("{}\"{}\"", literals.empty() ? "" : " or ", literal.name());
  return literals.empty() ? fmt::format("a literal, of which mode \"{}\" has none", mode.name()) : literals;
}

using LabelKey = std::pair<std::uint32_t, std::uint32_t>;

/// The parts of a conjunction that are simulated: comparisons of mode labels with numbers, or literals as numbers, and
/// with each other.
class Comparisons {
 public:
  /// `steps`: so many comparisons are still made for the whole model; then nothing is contradicted.
  Comparisons(const Context& context, const views::Conjunction& conjunction, std::size_t& steps)
      : model_(context.model), steps_(steps) {
    for (const views::SimpleCondition& part : conjunction.all_of) {
      if (const auto* test = std::get_if<views::ModeValueCondition>(&part.test)) add(*test);
      if (const auto* test = std::get_if<views::ModeLabelCondition>(&part.test)) add(*test);
    }
  }

  /// The label whose values cannot fulfill all of them; an empty element if some can, or if there are too many.
  Element contradicted() const {
    for (const Element label : labels_) {
      if (!spend(tests_.size())) return {};
      std::vector<Test> alone;
      for (const Test& test : tests_)
        if (test.label == label && !test.other) alone.push_back(test);
      if (!can_hold(alone)) return label;
    }
    return can_hold(tests_) ? Element() : labels_.front();
  }

 private:
  struct Test {
    Element label;
    Relation relation;
    std::int64_t value;
    Element other;  ///< instead of `value`
  };

  bool spend(std::size_t steps) const {
    steps_ -= std::min(steps, steps_);
    return steps_ > 0;
  }

  void add(const views::ModeValueCondition& test) {
    constexpr std::int64_t limit = 1'000'000'000'000;
    const Element enumeration = enumeration_of(test.label);
    const auto number = parse_integer(test.value);
    const Relation relation = test.relation.value_or(Relation::equal);
    if (enumeration && test.literal && !is_ordering(relation))
      compare({test.label,
               relation,
               static_cast<std::int64_t>(test.literal.document().siblings_of(test.literal.index()).before),
               {}});
    else if (test.label && !enumeration && number && *number > -limit && *number < limit)
      compare({test.label, relation, *number, {}});
  }
  void add(const views::ModeLabelCondition& test) {
    const Element enumeration = enumeration_of(test.first);
    const Relation relation = test.relation.value_or(Relation::equal);
    if (test.first && test.second && enumeration == enumeration_of(test.second) &&
        (!enumeration || !is_ordering(relation)))
      compare({test.first, relation, 0, test.second});
  }
  void compare(const Test& test) {
    if (!spend(labels_.size())) return;
    tests_.push_back(test);
    for (const Element label : {test.label, test.other})
      if (label && std::find(labels_.begin(), labels_.end(), label) == labels_.end()) labels_.push_back(label);
  }

  static bool is_ordering(Relation relation) { return relation > Relation::not_equal; }
  /// The mode of a label if it has literals.
  Element enumeration_of(Element label) const {
    const Element mode = label ? model_.reference(label, "mode") : Element();
    return mode && mode.child("literals") ? mode : Element();
  }
  std::size_t literals_of(Element label) const {
    const Element enumeration = enumeration_of(label);
    return enumeration ? enumeration.count_children("literals") : 0;
  }

  /// Values that differ in what they fulfill; other numbers fulfill as much as the nearest of them.
  std::vector<std::int64_t> values_of(Element label, const std::vector<Test>& tests) const {
    std::set<std::int64_t> values;
    const auto literals = static_cast<std::int64_t>(literals_of(label));
    for (std::int64_t value = 0; value < literals; ++value) values.insert(value);
    if (literals > 0) return {values.begin(), values.end()};
    const auto around = static_cast<std::int64_t>(labels_.size());
    for (std::int64_t step = -around; step <= around; ++step) {
      values.insert(step);
      for (const Test& test : tests)
        if (!test.other) values.insert(test.value + step);
    }
    return {values.begin(), values.end()};
  }

  bool can_hold(const std::vector<Test>& tests) const {
    constexpr std::size_t most_combinations = 10'000;
    std::vector<std::vector<std::int64_t>> values;
    std::size_t combinations = 1;
    for (const Element label : labels_) {
      const std::size_t literals = literals_of(label);
      if (literals > most_combinations || !spend(literals + (literals == 0 ? labels_.size() * tests.size() : 0)))
        return true;
      values.push_back(values_of(label, tests));
      combinations *= values.back().size();
      if (combinations > most_combinations) return true;
    }
    for (std::size_t combination = 0; combination < combinations; ++combination) {
      const auto value_of = [&](Element label) {
        std::size_t left = combination;
        std::size_t at = 0;
        for (; labels_[at] != label; ++at) left /= values[at].size();
        return values[at][left % values[at].size()];
      };
      std::size_t made = 0;
      if (std::all_of(tests.begin(), tests.end(), [&](const Test& test) {
            made += labels_.size();
            return holds(value_of(test.label), test.relation, test.other ? value_of(test.other) : test.value);
          }))
        return true;
      if (!spend(made)) return true;
    }
    return false;
  }

  const Model& model_;
  std::size_t& steps_;
  std::vector<Test> tests_;
  std::vector<Element> labels_;
};

/// The alternatives of a disjunction that are conditions on the mode of one label, by the name of the literal.
struct Demands {
  std::string_view label;
  std::set<std::string_view> equal, different;
  std::size_t literals = 0;  ///< number of literals of the mode

  void add(const views::ModeValueCondition& test) {
    label = test.label.name();
    literals = test.literal.parent().count_children("literals");
    if (test.relation == Relation::not_equal)
      different.insert(test.value);
    else if (test.relation.value_or(Relation::equal) == Relation::equal)
      equal.insert(test.value);
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
  std::size_t steps = 100'000'000;  // at most a second or two
  for_each_condition(context, [&](const views::Condition& condition) {
    for (const views::Conjunction& conjunction : condition.any_of) {
      if (const Element label = Comparisons(context, conjunction, steps).contradicted())
        report.add(conjunction.element ? conjunction.element : condition.element,
                   fmt::format("this condition is never true, because its requirements on mode label \"{}\" "
                               "contradict each other; correct it, or remove the alternative",
                               label.name()));
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
