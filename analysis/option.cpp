// SPDX-License-Identifier: Apache-2.0
#include "analysis/option.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "amalthea/primitives/near_miss.hpp"

namespace amalthea::analysis {
namespace {

/// The values of an option as texts; a flag that is set has an empty one.
std::vector<std::string> texts_of(const Option& option) {
  return std::visit(
      [](const auto* value) -> std::vector<std::string> {
        using Member = std::decay_t<decltype(*value)>;
        if constexpr (std::is_same_v<Member, bool>)
          return *value ? std::vector<std::string>{""} : std::vector<std::string>{};
        else if constexpr (std::is_same_v<Member, std::vector<std::string>>)
          return *value;
        else if constexpr (std::is_same_v<Member, std::string>)
          return value->empty() ? std::vector<std::string>{} : std::vector<std::string>{*value};
        else if constexpr (std::is_same_v<Member, std::vector<std::int64_t>>)
          return {fmt::format("{}", fmt::join(*value, ","))};
        else if constexpr (std::is_arithmetic_v<Member>)
          return {fmt::format("{}", *value)};
        else
          return *value ? std::vector<std::string>{fmt::format("{}", **value)} : std::vector<std::string>{};
      },
      option.value);
}

/// The number of an option, if it is one.
std::optional<double> number_of(const Option& option) {
  return std::visit(
      [](const auto* value) -> std::optional<double> {
        using Member = std::decay_t<decltype(*value)>;
        if constexpr (std::is_same_v<Member, bool>)
          return std::nullopt;
        else if constexpr (std::is_arithmetic_v<Member>)
          return static_cast<double>(*value);
        else if constexpr (std::is_same_v<Member, std::optional<std::uint64_t>> ||
                           std::is_same_v<Member, std::optional<double>>)
          return *value ? std::optional(static_cast<double>(**value)) : std::nullopt;
        else
          return std::nullopt;
      },
      option.value);
}

}  // namespace

std::string Option::keyword() const {
  std::string word(form.keyword.empty() ? name : form.keyword);
  std::replace(word.begin(), word.end(), '-', '_');
  return word;
}

OptionTable joined(std::initializer_list<OptionTable> tables) {
  OptionTable all;
  for (const OptionTable& table : tables) all.insert(all.end(), table.begin(), table.end());
  return all;
}

const Option* find_option(const OptionTable& table, std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [name](const Option& option) { return option.name == name; });
  return found != table.end() ? &*found : nullptr;
}

OptionTable picked(const OptionTable& table, std::initializer_list<std::string_view> names) {
  OptionTable rows;
  for (const std::string_view name : names)
    if (const Option* row = find_option(table, name)) rows.push_back(*row);
  return rows;
}

std::optional<Failure> fault_in(const Option& option) {
  const auto wrong = [&](const auto& value, std::string message, std::string_view remedy = {}) {
    return misused(fmt::format("--{} {}", option.name, value), std::move(message), remedy).value();
  };
  const auto& choices = option.form.choices;
  if (!choices.empty())
    for (const std::string& text : texts_of(option))
      if (std::find(choices.begin(), choices.end(), text) == choices.end())
        return wrong(text, fmt::format("expected one of {}", fmt::join(choices, ", ")), did_you_mean(text, choices));
  const auto number = number_of(option);
  const auto outside = [&](const char* kind, const auto& range) -> std::optional<Failure> {
    if (*number >= static_cast<double>(range.least) && *number <= static_cast<double>(range.most)) return std::nullopt;
    return wrong(*number, fmt::format("expected a {} from {} to {}", kind, range.least, range.most));
  };
  if (!number) return std::nullopt;
  if (const auto* range = std::get_if<Range>(&option.form.range)) return outside("whole number", *range);
  if (const auto* range = std::get_if<RealRange>(&option.form.range)) return outside("number", *range);
  return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> asked(const OptionTable& table, const OptionTable& usual) {
  std::vector<std::pair<std::string, std::string>> list;
  std::set<std::string_view> told;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const Form& form = table[row].form;
    auto texts = texts_of(table[row]);
    if (!form.always_told && !told.contains(form.needs) && texts == texts_of(usual[row])) continue;
    told.insert(table[row].name);
    for (std::string& text : texts) list.emplace_back(fmt::format("--{}", table[row].name), std::move(text));
  }
  return list;
}

}  // namespace amalthea::analysis
