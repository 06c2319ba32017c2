// SPDX-License-Identifier: Apache-2.0
// Data that copies or locks protect, that events transmit, or that goes from one core to another. The time that this
// takes is not simulated, so the verdict is open.

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "amalthea/views/attributes.hpp"
#include "importer/building/detail/access_costs.hpp"
#include "importer/building/detail/build_context.hpp"

namespace amalthea::importer::detail {
namespace {

/// The protection that a label or an access to it states; "buffered" before 0.7.2. Empty if another place decides.
/// Sender-receiver communication is buffered or not, which says nothing about its label.
std::string_view stated_protection(Element element) {
  const std::string_view stated =
      element.attribute_or(element.attribute("dataStability") ? "dataStability" : "buffered", "");
  constexpr std::array<std::string_view, 4> open{"inherited", "_undefined_", "true", "false"};
  return std::find(open.begin(), open.end(), stated) != open.end() ? std::string_view() : stated;
}

/// "noProtection" demands nothing, and what model elements handle, such as semaphores, is simulated.
bool takes_time(std::string_view protection) {
  constexpr std::array<std::string_view, 3> protections{"automaticProtection", "customProtection", "buffered"};
  return std::find(protections.begin(), protections.end(), protection) != protections.end();
}

/// Whether the operating system protects data; up to 0.7.2 the osModel says so for all of them.
bool protects_data(Element os) {
  for (const Element holder : {os, os.parent()}) {
    if (const Element consistency = holder.child("osDataConsistency"))
      return takes_time(consistency.attribute_or("mode", ""));
    if (const Element buffering = holder.child("osBuffering"))
      for (const std::string_view level : {"runnableLevel", "processLevel", "scheduleSectionLevel"})
        if (buffering.attribute_or(level, "false") == "true") return true;
  }
  return false;
}

/// What demands something that takes time, and the processes that spend it.
class Demands {
 public:
  void add(Element element, TaskIndex process) {
    processes_[{element.origin().document, element.origin().element}].insert(process);
  }

  /// All of them, in one finding at the first. `kind`: "label".
  void report(BuildContext& context, std::string_view what, std::string_view kind) const {
    if (processes_.empty()) return;
    std::set<TaskIndex> concerned;
    for (const auto& [key, processes] : processes_) concerned.insert(processes.begin(), processes.end());
    std::vector<Origin> origins;
    for (const TaskIndex process : concerned) origins.push_back(context.system.tasks[process].origin);
    const auto [document, index] = processes_.begin()->first;
    const Element first = context.model.element({document, index});
    const std::size_t count = processes_.size();
    context.report_overhead(count == 1 ? fmt::format("{} of {} \"{}\"", what, kind, first.name())
                                       : fmt::format("{} of {} {}s (this is the first)", what, count, kind),
                            first, count, std::move(origins));
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<TaskIndex>> processes_;
};

}  // namespace

void report_data_protection(BuildContext& context) {
  const System& system = context.system;
  Demands systems, labels, events;
  std::vector<std::optional<UnitIndex>> unit_of(system.labels.size());
  bool crosses = false;  // a label is accessed on several units
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    if (task.folded_into) continue;
    const Element os = context.model.element(system.platform.schedulers[task.scheduler].origin).parent();
    for (const NodeIndex node : task.body) {
      const GraphNode& activity = system.graph[node];
      if (const auto* set = std::get_if<SetEvents>(&activity.activity))
        for (const EventIndex event : set->events) {
          const Element element = context.model.element(system.events[event].origin);
          if (views::integer_attribute(element, "communicationOverheadInBit").value_or(0) > 0)
            events.add(element, index);
        }
      if (task.side != Side::host) continue;
      for_each_label(activity.activity, [&](LabelIndex label, bool) {
        crosses = crosses || unit_of[label].value_or(task.unit) != task.unit || !task.units.empty();
        unit_of[label] = task.unit;
        const Element element = context.model.element(system.labels[label].origin);
        std::string_view protection = stated_protection(context.model.element(activity.origin));
        if (protection.empty()) protection = stated_protection(element);
        if (takes_time(protection)) labels.add(element, index);
        if (protection.empty() && protects_data(os)) systems.add(os, index);
      });
    }
  }
  for (const std::string_view function : {"IocRead", "IocWrite"})
    if (const auto stated = context.other_overheads.find(function); crosses && stated != context.other_overheads.end())
      context.report_overhead(fmt::format("function {}", function), stated->second);
  systems.report(context, "data protection", "operating system");
  labels.report(context, "protection (dataStability)", "label");
  events.report(context, "transmission (communicationOverheadInBit)", "event");
}

}  // namespace amalthea::importer::detail
