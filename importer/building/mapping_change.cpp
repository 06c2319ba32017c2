// SPDX-License-Identifier: Apache-2.0
#include "importer/building/mapping_change.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "amalthea/primitives/near_miss.hpp"
#include "amalthea/quantity.hpp"
#include "importer/building/detail/build_context.hpp"

namespace amalthea::importer {
namespace {

constexpr std::string_view no_such_name = "AM0324";
constexpr std::string_view no_scheduler = "AM0325";

}  // namespace

namespace detail {
namespace {

/// Exactly one element must have the name.
bool check_name(BuildContext& context, const std::string& change, std::string_view kind, const std::string& name,
                const std::vector<std::string>& names, const Location& location) {
  const auto count = std::count(names.begin(), names.end(), name);
  if (count == 1) return true;
  context.error(no_such_name,
                fmt::format("{}: {}", change,
                            count > 1       ? fmt::format("the model has {} {}s named \"{}\"", count, kind, name)
                            : names.empty() ? fmt::format("the model has no {}", kind)
                                            : fmt::format("the model has no {} \"{}\"{}", kind, name,
                                                          did_you_mean_or_list(name, names))),
                location);
  return false;
}

void check_scheduler(BuildContext& context, const MappingChange& change) {
  const Platform& platform = context.system.platform;
  const bool scheduled =
      std::any_of(platform.schedulers.begin(), platform.schedulers.end(), [&](const Scheduler& scheduler) {
        return !scheduler.interrupt_controller &&
               std::any_of(scheduler.units.begin(), scheduler.units.end(),
                           [&](UnitIndex unit) { return platform.units[unit].name == change.core; });
      });
  if (!scheduled)
    context.error(
        no_scheduler,
        fmt::format("mapping of \"{}\" to \"{}\": no scheduler is responsible for that processing unit; name another "
                    "unit, or add a scheduler allocation to the model",
                    change.task, change.core),
        change.location);
}

}  // namespace

void check_mapping_changes(BuildContext& context) {
  if (context.options.mapping.empty()) return;
  std::vector<std::string> tasks, units;
  for (const Element element : context.model.all("swModel", "tasks")) tasks.emplace_back(element.name());
  for (const ProcessingUnit& unit : context.system.platform.units) units.push_back(unit.name);
  for (const MappingChange& change : context.options.mapping) {
    const std::string what = fmt::format("mapping of \"{}\"{}", change.task,
                                         change.core.empty() ? std::string() : fmt::format(" to \"{}\"", change.core));
    check_name(context, what, "task", change.task, tasks, change.location);
    if (!change.core.empty() && check_name(context, what, "processing unit", change.core, units, change.location))
      check_scheduler(context, change);
  }
}

void change_profiles(BuildContext& context) {
  for (const ProfileChange& change : context.options.profiles) {
    if (change.unit.empty()) continue;
    std::vector<std::string> names;
    ProcessingUnit* changed = nullptr;
    for (ProcessingUnit& unit : context.system.platform.units)
      if (unit.type == PuType::gpu) {
        names.push_back(unit.name);
        if (unit.name == change.unit) changed = &unit;
      }
    if (!check_name(context, fmt::format("--platform {}={}", change.unit, change.name), "GPU", change.unit, names, {}))
      continue;
    changed->device_profile = change.name;
    changed->profile_text = change.text;
    changed->profile_is_asked = true;
  }
}

const MappingChange* mapping_change_of(const BuildContext& context, std::string_view task) {
  const auto& changes = context.options.mapping;
  const auto found = std::find_if(changes.rbegin(), changes.rend(),
                                  [task](const MappingChange& change) { return change.task == task; });
  return found == changes.rend() ? nullptr : &*found;
}

void report_mapping_changes(BuildContext& context) {
  for (auto& [index, note] : context.mapping_notes) {
    const Task& task = context.system.tasks[index];
    if (task.folded_into)
      context.diagnostics.add(
          "AM0423", Severity::warning,
          fmt::format("the requested mapping of \"{0}\" has no effect: this wrapper does not run, because its function "
                      "\"{1}\" runs on a CPU; map \"{1}\" instead, or use --keep-wrappers",
                      task.name, context.system.tasks[*task.folded_into].name),
          note.location, note.path);
    else
      context.diagnostics.add(note.id, note.severity, std::move(note.message), note.location, note.path);
  }
}

}  // namespace detail

bool is_about_mapping_change(const Diagnostic& finding) {
  return finding.id == no_such_name || finding.id == no_scheduler;
}

tl::expected<MappingChange, std::string> parse_mapping_change(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::size_t colon = text.rfind(':');
  MappingChange change;
  const auto wrong = [] { return tl::unexpected(std::string("expected TASK=CORE or TASK=CORE:PRIORITY")); };
  if (equals == text.npos) return wrong();
  const bool has_priority = colon != text.npos && colon > equals;
  change.task = text.substr(0, equals);
  change.core = text.substr(equals + 1, has_priority ? colon - equals - 1 : text.npos);
  if (change.task.empty() || change.core.empty()) return wrong();
  if (has_priority) {
    const auto priority = parse_integer(text.substr(colon + 1));
    if (!priority)
      return tl::unexpected(fmt::format("expected TASK=CORE:PRIORITY, but the priority {}", priority.error()));
    change.priority = *priority;
  }
  return change;
}

}  // namespace amalthea::importer
