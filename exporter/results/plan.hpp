// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What to do about limits that do not hold, or hold without a guarantee: a short plan, each step with what it turns. An
/// analysis of the system with all steps has verified it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "amalthea/origin.hpp"
#include "engine/verdict.hpp"
#include "exporter/results/causes.hpp"
#include "exporter/results/result_view.hpp"

namespace amalthea::exporter {

/// Name of the schema of the JSON of a plan alone (docs/reference/explore.md#plan).
inline constexpr std::string_view plan_schema = "amalthea-timing-plan/1";

struct PlanStep {
  enum class Kind : std::uint8_t {
    finding,  ///< what findings leave open, to be filled in by hand as the analysis assumes it: their ids
    mistake,  ///< a suspected mistake in the model, to be corrected by hand
    change,   ///< a value of the mapping, or an offset
    shorter,  ///< what no mapping can repair: less execution time
  };
  Kind kind = Kind::change;
  std::string text;                 ///< "Lidar_Grabber: core Core1 → Core5", "Planner: 13 % fewer ticks"
  Problems with;                    ///< with this step and all before it
  std::vector<std::string> mended;  ///< names of limits that hold, or are guaranteed, from this step on
  std::vector<std::string> worse;   ///< who pays for it: "Planner: 8.2 ms → 9.1 ms", those whose verdict turns first
  Origin origin = {};               ///< what to look at
};
std::string_view to_string(PlanStep::Kind);

/// A limit that the plan leaves as it is.
struct PlanRest {
  std::string limit;
  std::string text;  ///< why, as a clause
  Origin origin = {};
};

struct Plan {
  Problems before;
  std::vector<PlanStep> steps;  ///< empty: no change helps, or none is needed
  std::vector<PlanRest> rest;   ///< limits that fail with all steps, then those without a guarantee
  std::size_t analyses = 0;     ///< of changed systems
  bool complete = true;         ///< false: the limit of work kept some combinations from being tried

  const Problems& after() const { return steps.empty() ? before : steps.back().with; }
};

/// A heading, then a line for each step, then for what remains. No line if there is no problem.
std::vector<std::string> plan_lines(const Plan& plan);
nlohmann::ordered_json plan_json(const Plan& plan);

/// A plan alone. `after`: of the model with the changes that can be written; null: not analyzed.
std::string render_plan_text(const Plan& plan, const engine::Assessment* after, bool colour);
std::string render_plan_json(const Plan& plan, const engine::Assessment* after, const ModelInfo& model);

}  // namespace amalthea::exporter
