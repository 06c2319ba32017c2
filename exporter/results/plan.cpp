// SPDX-License-Identifier: Apache-2.0
#include "exporter/results/plan.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "amalthea/primitives/visible_text.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/results/json_parts.hpp"
#include "exporter/results/verdict_text.hpp"

namespace amalthea::exporter {

std::string_view to_string(PlanStep::Kind kind) {
  constexpr std::array<std::string_view, 4> names{"finding", "mistake", "change", "shorter"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<std::string> plan_lines(const Plan& plan) {
  std::vector<std::string> lines;
  if (plan.before == Problems{}) return lines;
  if (plan.steps.empty())
    lines.push_back(fmt::format("No change that was tried makes more limits hold ({} analyses{})", plan.analyses,
                                plan.complete ? "" : "; not all combinations were tried"));
  else
    lines.push_back(
        fmt::format("{}: {}, verified together{}",
                    plan.steps.size() == 1 ? std::string("1 step") : fmt::format("{} steps", plan.steps.size()),
                    outcome(plan.before, plan.after()),
                    plan.complete ? "" : "; a shorter plan may exist, not all combinations were tried"));
  Problems so_far = plan.before;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const PlanStep& step = plan.steps[i];
    std::string line = fmt::format(
        "{}. {}{}", i + 1, step.kind == PlanStep::Kind::mistake ? "correct a suspected mistake: " : "", step.text);
    line += fmt::format(": {}", outcome(so_far, step.with));
    if (!step.worse.empty()) line += fmt::format("; worse: {}", listed(step.worse));
    lines.push_back(std::move(line));
    so_far = step.with;
  }
  for (std::size_t i = 0; i < plan.rest.size(); ++i) {
    const auto is_alike = [&](const PlanRest& other) { return other.text == plan.rest[i].text; };
    if (std::any_of(plan.rest.begin(), plan.rest.begin() + static_cast<std::ptrdiff_t>(i), is_alike)) continue;
    std::vector<std::string> names;
    for (const PlanRest& one : plan.rest)
      if (is_alike(one)) names.push_back(one.limit);
    lines.push_back(fmt::format("Remains: {}: {}", listed(names), plan.rest[i].text));
  }
  return lines;
}

nlohmann::ordered_json plan_json(const Plan& plan) {
  nlohmann::ordered_json steps = nlohmann::ordered_json::array(), rest = nlohmann::ordered_json::array();
  for (const PlanStep& step : plan.steps)
    steps.push_back({{"kind", to_string(step.kind)},
                     {"text", step.text},
                     {"with", problems_json(step.with)},
                     {"mended", step.mended},
                     {"worse", step.worse}});
  for (const PlanRest& one : plan.rest) rest.push_back({{"limit", one.limit}, {"reason", one.text}});
  return {{"before", problems_json(plan.before)},
          {"after", problems_json(plan.after())},
          {"steps", std::move(steps)},
          {"rest", std::move(rest)},
          {"analyses", plan.analyses},
          {"complete", plan.complete}};
}

std::string render_plan_text(const Plan& plan, const engine::Assessment* after, bool colour) {
  std::string out;
  if (after != nullptr)
    for (const VerdictLine& said : verdict_lines(*after)) out += paint(one_line(said.text), said.colour, colour) + "\n";
  const std::vector<std::string> lines = plan_lines(plan);
  out += lines.empty() ? "No plan is needed: every limit is guaranteed.\n" : heading("Plan", colour);
  for (const std::string& line : lines) out += line_start(line) + "\n";
  return out;
}

std::string render_plan_json(const Plan& plan, const engine::Assessment* after, const ModelInfo& model) {
  nlohmann::ordered_json json = begun_json(plan_schema, model);
  if (after != nullptr) add_verdict(json, *after);
  json["feasible"] = plan.after() == Problems{};
  json["plan"] = plan_json(plan);
  return written(json);
}

}  // namespace amalthea::exporter
