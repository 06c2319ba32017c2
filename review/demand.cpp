// SPDX-License-Identifier: Apache-2.0
// Whether the demands on cores, GPUs and tasks are feasible at all.

#include <algorithm>
#include <map>
#include <optional>
#include <variant>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "engine/bounds/demand.hpp"
#include "engine/devices/chosen_devices.hpp"
#include "engine/results/servers.hpp"
#include "review/detail/rules.hpp"

namespace amalthea::review {
namespace {

using engine::Execution;
using engine::Program;

/// Every resource used by a task.
std::vector<engine::ResourceResult> resources_in_use(const System& system) {
  std::vector<bool> host(system.platform.units.size()), device(system.platform.units.size());
  for (const Task& task : system.tasks) (task.side == Side::host ? host : device)[task.unit] = true;
  std::vector<engine::ResourceResult> resources;
  for (UnitIndex unit = 0; unit < system.platform.units.size(); ++unit) {
    if (host[unit]) resources.push_back({unit, engine::ResourceKind::core, 0, 0});
    if (!device[unit]) continue;
    resources.push_back({unit, engine::ResourceKind::execution_engine, 0, 0});
    resources.push_back({unit, engine::ResourceKind::copy_engine, 0, 0});
  }
  for (engine::ResourceResult& server : engine::servers_in_use(system)) resources.push_back(std::move(server));
  return resources;
}

/// ": SFM 0.239, Detection 0.580", the parts of a GPU's demand.
std::string parts(const System& system, const std::vector<Program>& programs, const std::vector<double>& rates,
                  const engine::ResourceResult& resource) {
  std::string text;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    if (system.tasks[task].unit != resource.unit || system.tasks[task].side != Side::device) continue;
    const Program& program = programs[task];
    const Duration time = resource.kind == engine::ResourceKind::execution_engine ? program.kernels : program.copies;
    if (time <= Duration{}) continue;
    text += fmt::format("{}{} {:.1f} %", text.empty() ? ": " : ", ", system.tasks[task].name,
                        100 * rates[task] * static_cast<double>(time.picoseconds()));
  }
  return text;
}

/// What the demand of a core includes besides execution.
std::string polling(const System& system, UnitIndex core) {
  bool polls = false, device = false;
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    const bool here = task.unit == core || std::find(task.units.begin(), task.units.end(), core) != task.units.end();
    polls = polls || (here && task.side == Side::host && engine::polls(system, index));
    device = device || task.side == Side::device;
  }
  return !polls ? "" : device ? ", including polling for GPU work" : ", including polling";
}

/// The alternative of every switch that counts in the worst or best case.
engine::CompileOptions flattened() {
  engine::CompileOptions options;
  options.flatten_branches = true;
  return options;
}

const std::vector<Program>& worst_programs(const Context& context) {
  if (context.worst.empty())
    context.worst = engine::compile_programs(*context.system, Execution::worst,
                                             engine::default_devices(*context.system), flattened());
  return context.worst;
}

/// The end of a job of `task` on `unit`, without interference for itself and for the GPU work it starts.
Duration undisturbed_end(const System& system, const std::vector<Program>& programs, TaskIndex task, UnitIndex unit,
                         Execution execution) {
  Duration now;
  std::map<TaskIndex, Duration> ends;  // of the GPU work started so far
  const Program program = engine::compile_program(system, task, unit, execution, nullptr, flattened());
  for (const engine::Step& step : program.steps) {
    if (step.skipped) continue;
    now += step.work;
    if (step.kind == engine::StepKind::trigger) {
      const auto& trigger = std::get<Trigger>(system.graph[step.node].activity);
      for (const TaskIndex started : system.stimuli[trigger.stimulus].activates)
        if (system.tasks[started].side == Side::device)
          ends[started] = now + programs[started].copies + programs[started].kernels;
    } else if (step.kind == engine::StepKind::wait && !step.setters.empty()) {
      const bool all = std::get<WaitEvents>(system.graph[step.node].activity).all;
      std::optional<Duration> until;
      for (const TaskIndex setter : step.setters) {
        const auto known = ends.find(setter);
        const Duration end = known == ends.end() ? now : known->second;
        until = !until ? end : all ? std::max(*until, end) : std::min(*until, end);
      }
      now = std::max(now, *until);
    }
  }
  return now;
}

/// Units that the model allows for the task: its affinity, else all of its scheduler's.
std::vector<UnitIndex> allowed_units(const Context& context, const Task& task) {
  const System& system = *context.system;
  std::vector<UnitIndex> units;
  for (const Use& use : context.facts.uses_of(context.model.element(task.origin))) {
    if (!use.holder.is("TaskAllocation")) continue;
    for (const std::string_view feature : {"affinity", "coreAffinity"})
      for (const Element target : context.model.references(use.holder, feature))
        for (UnitIndex unit = 0; unit < system.platform.units.size(); ++unit)
          if (system.platform.units[unit].origin == target.origin()) units.push_back(unit);
  }
  if (units.empty()) units = system.platform.schedulers[task.scheduler].units;
  if (units.empty()) units.push_back(task.unit);
  return units;
}

/// Whether the task has ticks for all of its work on the unit.
bool can_run_on(const System& system, const Task& task, const ProcessingUnit& unit) {
  return std::all_of(task.body.begin(), task.body.end(), [&](NodeIndex node) {
    const auto* compute = std::get_if<Compute>(&system.graph[node].activity);
    return compute == nullptr || compute->ticks.on(unit.definition) != nullptr;
  });
}

/// Whether the task, without interference, would meet its deadline on some core of the platform. Of very many cores
/// only some are tried; the others are assumed to suffice.
bool any_core_suffices(const System& system, const std::vector<Program>& programs, TaskIndex index) {
  const Task& task = system.tasks[index];
  constexpr std::size_t max_units = 100;
  if (system.platform.units.size() > max_units) return true;
  for (UnitIndex unit = 0; unit < system.platform.units.size(); ++unit) {
    const ProcessingUnit& core = system.platform.units[unit];
    if (core.type == PuType::cpu && !core.frequency.is_zero() && can_run_on(system, task, core) &&
        undisturbed_end(system, programs, index, unit, Execution::worst) <= *task.deadline)
      return true;
  }
  return false;
}

}  // namespace

void check_overload(const Context& context, Report& report) {
  if (context.system == nullptr) return;
  const System& system = *context.system;
  const std::vector<Program>& programs = worst_programs(context);
  const std::vector<double> rates = engine::job_rates(system, programs);
  engine::Results results;
  results.resources = resources_in_use(system);
  engine::add_demands(system, programs, results);
  for (const engine::ResourceResult& resource : results.resources) {
    if (!resource.overloaded()) continue;
    if (resource.server) {
      const Scheduler& server = system.platform.schedulers[*resource.server];
      report.add(
          context.model.element(server.origin),
          fmt::format("server \"{}\" has a long-run utilization of {:.1f} % of its budget at worst-case execution "
                      "times; give it a larger budget, or make its tasks shorter or less frequent",
                      server.name, 100 * resource.demand));
      continue;
    }
    const ProcessingUnit& unit = system.platform.units[resource.unit];
    const bool core = resource.kind == engine::ResourceKind::core;
    report.add(
        context.model.element(unit.origin),
        fmt::format(
            "{} \"{}\" has a long-run utilization of {:.1f} % at worst-case execution times{}; map less work to it, "
            "or make its tasks shorter or less frequent",
            core ? "core" : fmt::format("the {} of", to_string(resource.kind)), unit.name, 100 * resource.demand,
            core ? polling(system, resource.unit) : parts(system, programs, rates, resource)));
  }
}

void check_hopeless_deadlines(const Context& context, Report& report) {
  if (context.system == nullptr) return;
  const System& system = *context.system;
  const std::vector<Program>& worst = worst_programs(context);
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    if (!task.deadline || task.side != Side::host || task.folded_into) continue;
    std::optional<Duration> quickest;
    UnitIndex on = task.unit;
    for (const UnitIndex unit : allowed_units(context, task)) {
      const Duration end = undisturbed_end(system, worst, index, unit, Execution::worst);
      if (!quickest || end < *quickest) quickest = end, on = unit;
      if (*quickest <= *task.deadline) break;
    }
    if (*quickest <= *task.deadline) continue;
    const bool elsewhere = any_core_suffices(system, worst, index);
    report.add(
        context.model.element(task.origin),
        fmt::format("task \"{}\" needs up to {} on \"{}\", even without interference, but its deadline is {}; {}, "
                    "{}shorten the task or extend the deadline",
                    task.name, format_duration(*quickest), system.platform.units[on].name,
                    format_duration(*task.deadline),
                    elsewhere ? "its mapping allows no faster unit" : "no other core is fast enough either",
                    elsewhere ? "so map it to a faster core, " : "so "));
  }
}

}  // namespace amalthea::review
