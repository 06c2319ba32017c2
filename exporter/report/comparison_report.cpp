// SPDX-License-Identifier: Apache-2.0
#include "exporter/report/comparison_report.hpp"

#include <nlohmann/json.hpp>

#include "exporter/report/detail/page.hpp"
#include "exporter/report/detail/schedule_json.hpp"
#include "exporter/results/json_parts.hpp"

namespace amalthea::exporter {
namespace {

using Json = nlohmann::ordered_json;

/// How far the measured schedule lies behind the simulated one: both have their clock. It is moved so that the task whose
/// job is released first in the trace has its first release at the same time in both.
struct Alignment {
  Duration shift;
  std::optional<TaskIndex> task;
};
Alignment alignment_of(const ComparisonSchedules& schedules) {
  Alignment alignment;
  if (schedules.simulated == nullptr) return alignment;
  const auto& measured = schedules.measured.tasks;
  for (TaskIndex task = 0; task < measured.size(); ++task)
    if (!measured[task].jobs.empty() && !schedules.simulated->tasks[task].jobs.empty() &&
        (!alignment.task || measured[task].jobs.front().release < measured[*alignment.task].jobs.front().release))
      alignment.task = task;
  if (alignment.task)
    alignment.shift = schedules.simulated->tasks[*alignment.task].jobs.front().release -
                      measured[*alignment.task].jobs.front().release;
  return alignment;
}

}  // namespace

std::string render_comparison_html(const ComparisonView& view, const ComparisonSchedules& schedules) {
  const System& system = view.system;
  const Alignment alignment = alignment_of(schedules);
  Json json;
  json["schema"] = comparison_report_schema;
  json["comparison"] = Json::parse(render_comparison_json(view));
  json["findings_total"] = view.measured.findings;
  json["shift_ps"] = alignment.shift.picoseconds();
  json["aligned_with"] = name_or_null(system.tasks, alignment.task);
  json["schedules"] = {schedule_json(system, schedules.measured), nullptr};
  if (schedules.simulated != nullptr) json["schedules"][1] = schedule_json(system, *schedules.simulated);
  json["tasks"] = Json::array();
  json["distributions"] = Json::array();
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    Json one = {{"name", task.name},
                {"core", system.platform.units[task.unit].name},
                {"deadline_ps", picoseconds(task.deadline)},
                {"period_ps", nullptr}};
    if (view.bounds != nullptr) one["period_ps"] = picoseconds(view.bounds->periods[index]);
    json["tasks"].push_back(std::move(one));
    if (task.folded_into) continue;
    Json distributions = {{"measured", distribution(view.measured.tasks[index].response)}, {"simulated", nullptr}};
    if (view.simulated != nullptr) distributions["simulated"] = distribution(view.simulated->tasks[index].response);
    json["distributions"].push_back(std::move(distributions));
  }
  return render_page(Page::comparison,
                     {page_title(view.model), json.dump(-1, ' ', false, Json::error_handler_t::replace), {}, {}});
}

}  // namespace amalthea::exporter
