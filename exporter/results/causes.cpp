// SPDX-License-Identifier: Apache-2.0
#include "exporter/results/causes.hpp"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "exporter/primitives/text_table.hpp"

namespace amalthea::exporter {
namespace {

/// Names in a line; JSON has all.
constexpr std::size_t most_named = 6;

}  // namespace

std::string listed(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), most_named);
  std::string text =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

std::string outcome(const Problems& before, const Problems& after) {
  const auto become = [](std::size_t count, std::string_view one, std::size_t then) {
    return fmt::format("{} {} {}", counted(count, one), count == 1 ? "becomes" : "become", then);
  };
  if (before.failing == 0 || (after.failing == before.failing && after.unproven < before.unproven))
    return fmt::format("{} without a guarantee {} {}", counted(before.unproven, "limit"),
                       before.unproven == 1 ? "becomes" : "become", after.unproven);
  const std::string text =
      after.failing == before.failing ? "mends nothing alone" : become(before.failing, "problem", after.failing);
  if (after.unproven == 0 || after.unproven == before.unproven) return text;
  return fmt::format("{}; {} without a guarantee", text, counted(after.unproven, "limit"));
}

nlohmann::ordered_json problems_json(const Problems& problems) {
  return {{"failing", problems.failing}, {"without_guarantee", problems.unproven}};
}

std::string_view to_string(Cause::Kind kind) {
  constexpr std::array<std::string_view, 5> names{"suspected", "finding", "overload", "miss", "guarantee"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<std::string> cause_lines(const Causes& causes) {
  constexpr std::array<std::string_view, 5> titles{"Suspected mistake", "To fill in", "Overload", "Real miss",
                                                   "No guarantee"};
  std::vector<std::string> lines;
  for (const Cause& cause : causes.all) {
    std::string line = fmt::format("{}: {}", titles[static_cast<std::size_t>(cause.kind)], cause.text);
    for (const std::string& other : cause.others) line += fmt::format("; or {}", other);
    if (cause.with)
      line += fmt::format(": {}", outcome(causes.problems, *cause.with));
    else if (!cause.sufferers.empty())
      line += fmt::format("; affects {}", listed(cause.sufferers));
    lines.push_back(std::move(line));
  }
  return lines;
}

nlohmann::ordered_json causes_json(const Causes& causes) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const std::vector<std::string> lines = cause_lines(causes);
  for (std::size_t i = 0; i < causes.all.size(); ++i) {
    const Cause& cause = causes.all[i];
    nlohmann::ordered_json one = {{"kind", to_string(cause.kind)},
                                  {"summary", lines[i]},
                                  {"text", cause.text},
                                  {"explains", cause.explains},
                                  {"limits", cause.sufferers}};
    if (cause.kind == Cause::Kind::suspected) one["or"] = cause.others;
    if (cause.with) one["with"] = problems_json(*cause.with);
    list.push_back(std::move(one));
  }
  return {{"problems", problems_json(causes.problems)},
          {"list", std::move(list)},
          {"analyses", causes.analyses},
          {"complete", causes.complete}};
}

}  // namespace amalthea::exporter
