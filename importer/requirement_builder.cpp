// Deadlines of tasks: requirements that limit their response times.

#include <algorithm>
#include <variant>

#include "amalthea/views/quantities.hpp"
#include "amalthea/views/requirements.hpp"
#include "importer/detail/build_context.hpp"

namespace amalthea::importer::detail {

void build_deadlines(BuildContext& context) {
  Diagnostics no_effect;  // of requirements that are no deadlines
  for (const views::Requirement& requirement : views::requirements(context.model, no_effect)) {
    const auto* limit = std::get_if<views::TimeLimit>(&requirement.limit);
    if (requirement.kind != views::RequirementKind::process || limit == nullptr ||
        limit->metric != views::TimeMetric::response_time || requirement.limit_type != views::LimitType::upper)
      continue;
    const auto task = context.tasks.find(requirement.subject);
    if (!limit->value) {  // says why
      const Element stated = requirement.limit_element;
      time_of(stated.tag() == "deadline" ? stated : stated.child("limitValue"), context.diagnostics);
    }
    if (!task || !limit->value) continue;
    auto& deadline = context.system.tasks[*task].deadline;
    deadline = deadline ? std::min(*deadline, *limit->value) : *limit->value;
  }
}

}  // namespace amalthea::importer::detail
