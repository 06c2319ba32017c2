// SPDX-License-Identifier: Apache-2.0
// Schedulers of a System: algorithms, parameters, hierarchy and the overheads of their operating systems; semaphores.

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "amalthea/primitives/ascii.hpp"
#include "amalthea/views/activity.hpp"
#include "amalthea/views/hardware.hpp"
#include "amalthea/views/mapping.hpp"
#include "amalthea/views/properties.hpp"
#include "importer/building/detail/build_context.hpp"
#include "importer/reading/conformance.hpp"

namespace amalthea::importer {

constexpr std::string_view missing_parameter_id = "AM0341";

}  // namespace amalthea::importer

namespace amalthea::importer::detail {
namespace {

constexpr std::string_view unknown_parameter_id = "AM0496";

/// Names of a scheduler's parameters: attributes and extensions up to 1.2.0, the names of APP4MC's standard definitions
/// since 2.0.0. The first one written counts.
constexpr std::string_view least_budget_name = "minBudget";
constexpr std::array<std::string_view, 4> budget_names{"maxBudget", "capacity", "budget", least_budget_name};
constexpr std::array<std::string_view, 3> period_names{"replenishment", "period", "replenishmentPeriod"};
constexpr std::array<std::string_view, 4> slice_names{"timeSliceLength", "timeSlice", "quantSize", "quantum"};

class SchedulerBuilder {
 public:
  SchedulerBuilder(BuildContext& context, const views::OperatingSystems& systems)
      : context_(context), systems_(systems) {}

  void build() {
    Platform& platform = context_.system.platform;
    for (const views::OperatingSystem& system : systems_.systems)
      overheads_.push_back(system.overhead ? std::optional(overhead(systems_.overheads[*system.overhead]))
                                           : std::nullopt);
    for (const views::OsScheduler& view : systems_.schedulers) {
      for (const Element item : view.computation_items) context_.ignore(item);
      report_unit_overhead(view);
      report_repeated_parameters(context_, view.parameters);
      report_repeated_parameters(context_, view.association_parameters);
      context_.schedulers.add(view.element, static_cast<std::uint32_t>(platform.schedulers.size()));
      platform.schedulers.push_back(scheduler(view));
    }
    add_responsibilities();
    for (SchedulerIndex index = 0; index < platform.schedulers.size(); ++index) inherit_units(index);
    report_gpu_hierarchy();
    pass_groupings();
    for (SchedulerIndex index = 0; index < platform.schedulers.size(); ++index)
      if (platform.schedulers[index].parent) check_child(index);
  }

 private:
  Scheduler scheduler(const views::OsScheduler& view) {
    Scheduler scheduler;
    scheduler.name = view.name;
    scheduler.algorithm = view.algorithm.name;
    scheduler.kind = view.algorithm.kind.value_or(SchedulingAlgorithm::fixed_priority_preemptive);
    scheduler.interrupt_controller = view.interrupt_controller;
    if (view.interrupt_controller && view.algorithm.name.empty()) scheduler.kind = SchedulingAlgorithm::priority_based;
    scheduler.origin = view.element.origin();
    scheduler.parent = view.parent;  // both lists have the same order
    scheduler.share = share(view);
    if (const auto slice = find_time(view, slice_names)) scheduler.time_slice = slice;
    if (view.operating_system < overheads_.size()) scheduler.overhead = overheads_[view.operating_system];
    for (const Parameter& parameter : view.parameters) {
      const bool minimum = equal_ignoring_case(parameter.name, "minimumTimeslice");
      if (!minimum && !equal_ignoring_case(parameter.name, "maximumTimeslice")) continue;
      if (const auto time = parse_time_text(parameter.value))
        (minimum ? scheduler.minimum_time_slice : scheduler.maximum_time_slice) = *time;
    }
    return scheduler;
  }

  SchedulerShare share(const views::OsScheduler& view) {
    SchedulerShare share;
    for (const Parameter& parameter : view.association_parameters)
      if (equal_ignoring_case(parameter.name, "priority")) {
        const auto priority = parse_integer(parameter.value);
        if (priority)
          share.priority = *priority;
        else
          report_unreadable(view, parameter, priority.error());
      }
    if (view.association_parameters.empty()) share.priority = view.unit_priority.value_or(0);
    share.budget = find_time(view, budget_names);
    share.period = find_time(view, period_names);
    return share;
  }

  /// A time longer than zero with one of these names: from the association with the parent, from the scheduler itself,
  /// or the default of its definition.
  template <std::size_t count>
  std::optional<Duration> find_time(const views::OsScheduler& view, const std::array<std::string_view, count>& names) {
    const Parameter* chosen = nullptr;
    const std::vector<Parameter>* chosen_from = nullptr;
    for (const std::string_view name : names)
      for (const auto* parameters : {&view.association_parameters, &view.parameters})
        for (const Parameter& parameter : *parameters) {
          if (!equal_ignoring_case(parameter.name, name)) continue;
          if (chosen == nullptr) {
            chosen = &parameter;
            chosen_from = parameters;
          } else if (name != least_budget_name && !is_same_time(*chosen, parameter) &&
                     !(parameters == chosen_from && equal_ignoring_case(parameter.name, chosen->name))) {
            context_.report_second(fmt::format("{}, beside {},", parameter.name, chosen->name), parameter.element,
                                   chosen->name);
          }
        }
    if (chosen != nullptr) return read_time(view, *chosen);
    if (!view.definition) return std::nullopt;
    std::optional<Duration> found;
    for (const std::string_view name : names)
      for (const std::uint32_t index : systems_.scheduler_definitions[*view.definition].algorithm_parameters) {
        const views::OsParameterDefinition& parameter = systems_.parameter_definitions[index];
        const auto* time = std::get_if<Duration>(&parameter.default_value.value);
        if (!equal_ignoring_case(parameter.name, name) || time == nullptr || *time <= Duration{}) continue;
        if (found && *found != *time && name != least_budget_name)
          context_.report_second(fmt::format("default of {}", parameter.name), parameter.element);
        if (!found) found = *time;
      }
    return found;
  }

  static bool is_same_time(const Parameter& one, const Parameter& other) {
    const auto first = parse_time_text(one.value), second = parse_time_text(other.value);
    return first && second ? *first == *second : one.value == other.value;
  }

  /// Up to 0.8.0 a scheduler is a unit of software or hardware that takes time itself.
  void report_unit_overhead(const views::OsScheduler& view) {
    const bool instructions =
        std::any_of(view.unit_instructions.begin(), view.unit_instructions.end(),
                    [](const views::OsExecution& one) { return one.otherwise && one.otherwise->upper > 0; });
    const Element delay =
        view.element.child("schedulingUnit") ? view.element.child("schedulingUnit").child("delay") : Element();
    if (delay && !view.unit_delay) context_.report_unfilled(delay);
    if (instructions || view.unit_delay.value_or(Duration{}) > Duration{})
      context_.report_overhead(fmt::format("schedulingUnit of scheduler \"{}\"", view.name),
                               view.element.child("schedulingUnit"));
  }

  std::optional<Duration> read_time(const views::OsScheduler& view, const Parameter& parameter) {
    const auto time = parse_time_text(parameter.value);
    if (time && *time > Duration{}) return *time;
    report_unreadable(view, parameter, time ? "it must be above zero" : time.error());
    return std::nullopt;
  }

  void report_unreadable(const views::OsScheduler& view, const Parameter& parameter, const std::string& wrong) {
    context_.error(
        "AM0340",
        fmt::format("unreadable scheduling parameter {} of scheduler \"{}\": {}", parameter.name, view.name, wrong),
        parameter.element.location(), parameter.element.path());
  }

  void add_responsibilities() {
    Platform& platform = context_.system.platform;
    allocations_.resize(platform.schedulers.size(), nullptr);
    for (const views::SchedulerAllocation& allocation : context_.mapping.schedulers)
      if (const auto scheduler = context_.schedulers.find(allocation.scheduler)) {
        if (allocations_[*scheduler] == nullptr)
          allocations_[*scheduler] = &allocation;
        else if (allocations_[*scheduler]->responsibility != allocation.responsibility)
          context_.report_second(fmt::format("allocation of scheduler \"{}\"", platform.schedulers[*scheduler].name),
                                 allocation.element, "the units of both");
        for (const Element unit : allocation.responsibility)
          if (const auto index = context_.units.find(unit)) {
            auto& units = platform.schedulers[*scheduler].units;
            if (std::find(units.begin(), units.end(), *index) == units.end()) units.push_back(*index);
          }
      }
  }

  /// There are no cycles: the view has removed them.
  void inherit_units(SchedulerIndex index) {
    auto& schedulers = context_.system.platform.schedulers;
    auto above = schedulers[index].parent;
    while (schedulers[index].units.empty() && above) {
      schedulers[index].units = schedulers[*above].units;
      above = schedulers[*above].parent;
    }
  }

  /// A grouping passes its children on to its parent, as it does with its tasks.
  void pass_groupings() {
    auto& schedulers = context_.system.platform.schedulers;
    for (Scheduler& scheduler : schedulers)
      while (scheduler.parent && traits_of(schedulers[*scheduler.parent].kind).passes_tasks_on &&
             schedulers[*scheduler.parent].parent)
        scheduler.parent = schedulers[*scheduler.parent].parent;
  }

  void report_gpu_hierarchy() {
    Platform& platform = context_.system.platform;
    for (Scheduler& scheduler : platform.schedulers) {
      if (!scheduler.parent || scheduler.units.empty() || platform.units[scheduler.units.front()].type != PuType::gpu)
        continue;
      const Element element = context_.model.element(scheduler.origin);
      context_.diagnostics.add(
          "AM0420", Severity::warning,
          fmt::format("scheduler \"{}\" of a GPU has the parent scheduler \"{}\", which is not simulated; the analysis "
                      "gives it its units exclusively; remove the parent if this is intended",
                      scheduler.name, platform.schedulers[*scheduler.parent].name),
          element.location(), element.path());
      scheduler.parent.reset();
    }
  }

  /// A child under priorities needs one if it is not alone, and it schedules units of its parent only.
  void check_child(SchedulerIndex index) {
    const Scheduler& child = context_.system.platform.schedulers[index];
    const Scheduler& parent = context_.system.platform.schedulers[*child.parent];
    const Element parent_element = context_.model.element(parent.origin);
    const views::OsScheduler& view = systems_.schedulers[index];
    const auto states_priority = [](const std::vector<Parameter>& parameters) {
      return std::any_of(parameters.begin(), parameters.end(),
                         [](const Parameter& one) { return equal_ignoring_case(one.name, "priority"); });
    };
    const auto& tasks = context_.mapping.tasks;
    const auto& schedulers = context_.system.platform.schedulers;
    const bool alone =
        std::none_of(tasks.begin(), tasks.end(), [&](const auto& one) { return one.scheduler == parent_element; }) &&
        std::count_if(schedulers.begin(), schedulers.end(),
                      [&](const auto& one) { return one.parent == child.parent; }) == 1;
    // Up to 1.2.0 a priority of 0 is not written.
    if (has_fixed_priorities(parent.kind) && !traits_of(child.kind).passes_tasks_on && !alone &&
        !states_priority(view.association_parameters) && view.element.document().version() >= Version::v2_0_0) {
      const Element holder = view.association ? view.association : view.element;
      context_.diagnostics.add(
          "AM0474", Severity::warning,
          fmt::format("scheduler \"{}\" has no priority among the tasks and children of its parent \"{}\"; the "
                      "analysis uses 0; state the priority in its parentAssociation",
                      child.name, parent.name),
          holder.location(), holder.path());
    }
    const views::SchedulerAllocation* own = allocations_[index];
    if (own != nullptr && std::any_of(child.units.begin(), child.units.end(), [&](UnitIndex unit) {
          return std::find(parent.units.begin(), parent.units.end(), unit) == parent.units.end();
        }))
      context_.diagnostics.add(
          "AM0475", Severity::warning,
          fmt::format("scheduler \"{}\" is responsible for a unit for which its parent \"{}\" is not; correct the "
                      "allocation of one of them",
                      child.name, parent.name),
          own->element.location(), own->element.path());
  }

  // ---- overheads

  static const Cycles* find_entry(const Ticks& ticks, DefinitionIndex definition) {
    for (const auto& [key, cycles] : ticks.extended)
      if (key == definition) return &cycles;
    return nullptr;
  }

  std::optional<Ticks> ticks(const std::optional<views::OsExecution>& execution) const {
    if (!execution) return std::nullopt;
    if (!execution->otherwise && execution->per_definition.empty()) context_.report_unfilled(execution->element);
    Ticks ticks;
    if (!execution->instructions) {
      ticks.otherwise = execution->otherwise;
      for (const auto& [definition, cycles] : execution->per_definition)
        if (const auto index = context_.definitions.find(definition)) {
          if (const auto* before = find_entry(ticks, *index); before == nullptr)
            ticks.extended.emplace_back(*index, cycles);
          else if (!(*before == cycles))
            context_.report_second("execution time for this kind of unit", execution->element);
        }
      return ticks;
    }
    if (!execution->otherwise) return std::nullopt;
    // Instructions are converted to cycles by the instructions per cycle of a unit's definition; one if it states none.
    ticks.otherwise = execution->otherwise;
    for (const ProcessingUnit& unit : context_.system.platform.units) {
      const Element element = context_.model.element(unit.origin);
      Element definition = context_.model.reference(element, "definition");
      if (!definition) definition = context_.model.reference(element, "coreType");
      const auto rate = definition ? views::instructions_per_cycle(context_.model, definition) : std::nullopt;
      const bool known = std::any_of(ticks.extended.begin(), ticks.extended.end(),
                                     [&](const auto& entry) { return entry.first == unit.definition; });
      if (!rate || known) continue;
      if (const auto cycles = views::cycles_of_instructions(*execution->otherwise, *rate))
        ticks.extended.emplace_back(unit.definition, *cycles);
    }
    return ticks;
  }

  /// Not if it states that it takes none.
  static bool may_take_time(const views::OsExecution& execution) {
    const auto& others = execution.per_definition;
    if (!execution.otherwise && others.empty()) return true;
    return (execution.otherwise && execution.otherwise->upper != 0) ||
           std::any_of(others.begin(), others.end(), [](const auto& entry) { return entry.cycles.upper != 0; });
  }

  OverheadTicks overhead(const views::OsOverhead& view) const {
    OverheadTicks overhead;
    const std::array<std::pair<std::string_view, std::optional<Ticks>*>, 11> functions{{
        {"ActivateTask", &overhead.activate_task},
        {"TerminateTask", &overhead.terminate_task},
        {"SetEvent", &overhead.set_event},
        {"WaitEvent", &overhead.wait_event},
        {"ClearEvent", &overhead.clear_event},
        {"RequestResource", &overhead.request_resource},
        {"ReleaseResource", &overhead.release_resource},
        {"RequestSpinlock", &overhead.request_spinlock},
        {"ReleaseSpinlock", &overhead.release_spinlock},
        {"Schedule", &overhead.schedule_point},
        {"SchedulePoint", &overhead.schedule_point},
    }};
    for (const views::OsOverhead::Api& api : view.api) {
      bool simulated = false;
      for (const auto& [function, target] : functions)
        if (api.function == function) {
          *target = ticks(api.execution);
          simulated = true;
        }
      if (!simulated && may_take_time(api.execution))
        context_.other_overheads.emplace(api.function, api.execution.element);
    }
    overhead.isr_category1_before = ticks(view.isr_category1_before);
    overhead.isr_category1_after = ticks(view.isr_category1_after);
    overhead.isr_category2_before = ticks(view.isr_category2_before);
    overhead.isr_category2_after = ticks(view.isr_category2_after);
    return overhead;
  }

  BuildContext& context_;
  const views::OperatingSystems& systems_;
  std::vector<std::optional<OverheadTicks>> overheads_;         // parallel to systems_.systems
  std::vector<const views::SchedulerAllocation*> allocations_;  // the first of each scheduler
};

void report_needed(BuildContext& context, const Scheduler& scheduler, std::string_view needed) {
  const Element element = context.model.element(scheduler.origin);
  context.error_unless_explained(
      missing_parameter_id, element,
      fmt::format(
          "scheduler \"{}\" uses the algorithm {}, which requires {}; add it to its parameters or its association",
          scheduler.name, scheduler.algorithm, needed));
}

/// Whether any two tasks or children of a scheduler have the same priority, so that they take turns.
bool has_equal_priorities(const System& system, SchedulerIndex index) {
  std::vector<std::int64_t> priorities;
  for (const Task& task : system.tasks)
    if (task.scheduler == index) priorities.push_back(task.priority);
  for (const Scheduler& child : system.platform.schedulers)
    if (child.parent == index) priorities.push_back(child.share.priority);
  std::sort(priorities.begin(), priorities.end());
  return std::adjacent_find(priorities.begin(), priorities.end()) != priorities.end();
}

/// "A, B or C".
std::string simulated_algorithms(bool for_interrupts) {
  std::string text, last;
  for (const SchedulingTraits& traits : scheduling_algorithms) {
    if (traits.for_interrupts != for_interrupts) continue;
    if (!last.empty()) text += (text.empty() ? "" : ", ") + last;
    last = traits.name;
  }
  return text.empty() ? last : text + " or " + last;
}

/// The parent in the model, also where the System passes over it because it is a grouping.
std::optional<SchedulerIndex> stated_parent(const BuildContext& context, Element scheduler) {
  for (const Element association : scheduler.children("parentAssociation"))
    if (const Element parent = context.model.reference(association, "parent"))
      if (const auto index = context.schedulers.find(parent)) return index;
  return std::nullopt;
}

/// A scheduler, and after a grouping what it passes its tasks and children on to. Parents may form a cycle.
std::vector<SchedulerIndex> ruling_schedulers(const BuildContext& context, SchedulerIndex first) {
  const auto& schedulers = context.system.platform.schedulers;
  std::vector<SchedulerIndex> found;
  for (std::optional<SchedulerIndex> at = first; at && std::find(found.begin(), found.end(), *at) == found.end();) {
    found.push_back(*at);
    at = traits_of(schedulers[*at].kind).passes_tasks_on
             ? stated_parent(context, context.model.element(schedulers[*at].origin))
             : std::nullopt;
  }
  return found;
}

/// Whose parameters these are, and what is simulated of them.
struct ParameterHolder {
  std::vector<SchedulerIndex> schedulers;  ///< those that take them
  std::string_view feature;                ///< of their definitions lists what they take
  bool server = false;                     ///< budgets and their periods
  bool is_task = false;
  bool takes_turns = false;            ///< time slices matter; that of the scheduler itself is known
  std::optional<Duration> slice = {};  ///< the time slice in use
};

void report_unknown(BuildContext& context, std::vector<Parameter> parameters, const ParameterHolder& holder) {
  std::vector<std::string> listed;
  for (const SchedulerIndex index : holder.schedulers) {
    const Element scheduler = context.model.element(context.system.platform.schedulers[index].origin);
    const Element definition = context.model.reference(scheduler, "definition");
    if (!definition) continue;
    for (const Element one : context.model.references(definition, holder.feature))
      listed.push_back(without_extended(std::string(one.name())));
    for (Parameter& one : views::default_parameters(context.model, definition, holder.feature, parameters))
      parameters.push_back(std::move(one));
  }
  for (const Parameter& parameter : parameters) {
    const std::string name = without_extended(parameter.name);
    const auto is_one_of = [&name](const auto& names) {
      return std::any_of(names.begin(), names.end(), [&](const auto& one) { return equal_ignoring_case(name, one); });
    };
    const bool budget = is_one_of(budget_names);
    bool reported = is_one_of(listed) || is_one_of(std::array{"preemptionThreshold"});
    if (budget) {
      reported = !holder.server;
    } else if (is_one_of(slice_names)) {
      const auto time = parse_time_text(parameter.value);
      reported = holder.takes_turns && (!time || *time != holder.slice);
    } else if (is_one_of(std::array{"priority", "deadline"}) || (holder.server && is_one_of(period_names)) ||
               (holder.is_task && equal_ignoring_case(name, "period")) ||
               (holder.feature == "algorithmParameters" &&
                is_one_of(std::array{"minimumTimeslice", "maximumTimeslice"}))) {
      reported = false;
    }
    const Origin origin = parameter.element.origin();
    if (!reported || !context.reported_parameters.insert({origin.document, origin.element}).second) continue;
    context.diagnostics.add(
        unknown_parameter_id, Severity::warning,
        fmt::format("the scheduling parameter {} is not simulated{}; remove it if it has no effect on timing",
                    parameter.name, budget ? ", because a budget belongs to a server" : ""),
        parameter.element.location(), parameter.element.path());
  }
}

/// Those of the scheduler, of its association with its parent, and of groupings between the two.
void report_unknown_parameters_of_scheduler(BuildContext& context, SchedulerIndex first) {
  const auto& schedulers = context.system.platform.schedulers;
  std::vector<SchedulerIndex> all{first};
  if (const auto above = stated_parent(context, context.model.element(schedulers[first].origin)))
    for (const SchedulerIndex one : ruling_schedulers(context, *above))
      if (one != first && traits_of(schedulers[one].kind).passes_tasks_on) all.push_back(one);
  for (const SchedulerIndex index : all) {
    const Scheduler& scheduler = schedulers[index];
    const Element element = context.model.element(scheduler.origin);
    ParameterHolder holder{{index}, "algorithmParameters", is_server(scheduler.kind)};
    report_unknown(context, scheduling_parameters(context.model, element), holder);
    for (const Element association : element.children("parentAssociation")) {
      holder.feature = "processParameters";
      holder.schedulers.clear();
      const Element parent = context.model.reference(association, "parent");
      if (const auto above = parent ? context.schedulers.find(parent) : std::nullopt) {
        holder.schedulers = ruling_schedulers(context, *above);
        const Scheduler& ruling = schedulers[holder.schedulers.back()];
        holder.takes_turns = traits_of(ruling.kind).takes_turns;
        holder.slice = ruling.time_slice;
      }
      report_unknown(context, scheduling_parameters(context.model, association), holder);
    }
  }
}

/// What a definition (since 2.0.0) says about the place of its schedulers in the hierarchy.
void check_place(BuildContext& context, const Scheduler& scheduler, Element element) {
  for (const Element association : element.children("parentAssociation"))
    if (!context.model.reference(association, "parent"))
      context.diagnostics.add(
          missing_timing_feature_id, Severity::warning,
          fmt::format("the parentAssociation of scheduler \"{}\" states no parent, so what schedules "
                      "it is missing from all results; state the parent, or remove the association",
                      scheduler.name),
          association.location(), association.path());
  const Element definition = context.model.reference(element, "definition");
  if (!definition || traits_of(scheduler.kind).passes_tasks_on) return;
  const auto says = [definition](std::string_view what) {
    return equal_ignoring_case(definition.attribute_or(what, "false"), "true");
  };
  if (says("requiresParentScheduler") && !scheduler.parent)
    context.diagnostics.add(missing_timing_feature_id, Severity::warning,
                            fmt::format("scheduler \"{}\" has no parent, although its definition requires one, which "
                                        "would delay its tasks; the analysis schedules them by it alone; state its "
                                        "parentAssociation",
                                        scheduler.name),
                            element.location(), element.path());
  if (says("passesParametersUpwards") && scheduler.parent)
    context.diagnostics.add(unknown_parameter_id, Severity::warning,
                            fmt::format("the definition of scheduler \"{}\" passes the parameters of its tasks to its "
                                        "parent (passesParametersUpwards), which is simulated for groupings only",
                                        scheduler.name),
                            element.location(), element.path());
}

void check_host_scheduler(BuildContext& context, SchedulerIndex index) {
  const Scheduler& scheduler = context.system.platform.schedulers[index];
  const Element element = context.model.element(scheduler.origin);
  report_unknown_parameters_of_scheduler(context, index);
  check_place(context, scheduler, element);
  const auto kind = views::algorithm_of_name(scheduler.algorithm).kind;
  if (scheduler.algorithm.empty()) {
    if (!scheduler.interrupt_controller)
      context.diagnostics.add("AM0402", Severity::note,
                              fmt::format("scheduler \"{}\" states no algorithm; {} is assumed; state the algorithm",
                                          scheduler.name, to_string(SchedulingAlgorithm::fixed_priority_preemptive)),
                              element.location(), element.path());
  } else if (!kind || traits_of(*kind).for_interrupts != scheduler.interrupt_controller) {
    context.error("AM0306",
                  fmt::format("{} \"{}\" uses the algorithm {}, which is not simulated; expected {}",
                              scheduler.interrupt_controller ? "interrupt controller" : "scheduler", scheduler.name,
                              scheduler.algorithm, simulated_algorithms(scheduler.interrupt_controller)),
                  element.location(), element.path());
  } else if (is_server(scheduler.kind) && (!scheduler.share.budget || !scheduler.share.period)) {
    report_needed(context, scheduler, "a budget (maxBudget or capacity) and a period (replenishment or period)");
  } else if (is_server(scheduler.kind) && *scheduler.share.budget > *scheduler.share.period) {
    context.error(
        "AM0465",
        fmt::format("scheduler \"{}\" has a budget of {} in a period of {}, which is more than there is; "
                    "correct one of them",
                    scheduler.name, format_duration(*scheduler.share.budget), format_duration(*scheduler.share.period)),
        element.location(), element.path());
  } else if (traits_of(scheduler.kind).takes_turns && !scheduler.time_slice &&
             has_equal_priorities(context.system, index)) {
    report_needed(context, scheduler, "a time slice (timeSliceLength) for tasks with equal priorities");
  } else if (traits_of(scheduler.kind).passes_tasks_on && !scheduler.parent) {
    report_needed(context, scheduler, "a parent scheduler");
  }
}

}  // namespace

void report_unknown_parameters(BuildContext& context, const views::TaskAllocation& allocation) {
  const auto scheduler = context.schedulers.find(allocation.scheduler);
  if (!scheduler) return;
  ParameterHolder holder{ruling_schedulers(context, *scheduler), "processParameters"};
  holder.is_task = true;
  const Scheduler& ruling = context.system.platform.schedulers[holder.schedulers.back()];
  holder.takes_turns = traits_of(ruling.kind).takes_turns;
  holder.slice = ruling.time_slice;
  report_unknown(context, allocation.parameters, holder);
}

void build_schedulers(BuildContext& context, const views::OperatingSystems& systems) {
  SchedulerBuilder(context, systems).build();
}

void check_host_schedulers(BuildContext& context) {
  const auto& schedulers = context.system.platform.schedulers;
  std::vector<bool> checked(schedulers.size(), false);
  for (TaskIndex index = 0; index < context.system.tasks.size(); ++index) {
    const Task& task = context.system.tasks[index];
    if (task.side != Side::host || context.unplaced.contains(index)) continue;
    for (std::optional<SchedulerIndex> at = task.scheduler; at && !checked[*at]; at = schedulers[*at].parent) {
      checked[*at] = true;
      check_host_scheduler(context, *at);
    }
  }
}

/// In the metamodel, maxValue is the maximum number of simultaneous users, initialValue the initial number of users. Up
/// to 2.0.0 an unstated maxValue is 0. If initialValue exceeds maxValue, it can only mean the available units.
void build_semaphores(BuildContext& context, const views::OperatingSystems& systems) {
  for (const views::OsSemaphore& view : systems.semaphores) {
    Semaphore semaphore;
    semaphore.name = view.name;
    semaphore.capacity = std::max<std::int64_t>(1, view.max_value);
    semaphore.free = semaphore.capacity - std::max<std::int64_t>(0, view.initial_value);
    if (semaphore.free < 0) {
      semaphore.capacity = semaphore.free = view.initial_value;
      context.diagnostics.add(
          "AM0435", Severity::warning,
          fmt::format("semaphore \"{}\" starts with {} users, but its maximum is {}; the analysis assumes a capacity "
                      "of {} and no initial users; correct initialValue or maxValue",
                      view.name, view.initial_value, view.max_value, view.initial_value),
          view.element.location(), view.element.path());
    }
    semaphore.priority_ceiling = view.priority_ceiling;
    semaphore.spinlock = view.kind == views::SemaphoreKind::spinlock;
    context.semaphores.add(view.element, static_cast<std::uint32_t>(context.system.semaphores.size()));
    semaphore.origin = view.element.origin();
    context.semaphore_views.push_back(view);
    context.system.semaphores.push_back(std::move(semaphore));
  }
}

void report_untyped_semaphores(BuildContext& context) {
  std::set<SemaphoreIndex> used;
  for (const RawBody& body : context.raw_bodies)
    for (const GraphNode& node : body)
      if (const auto* use = std::get_if<UseSemaphore>(&node.activity)) used.insert(use->semaphore);
  const bool any_typed = std::any_of(context.semaphore_views.begin(), context.semaphore_views.end(),
                                     [](const views::OsSemaphore& semaphore) { return semaphore.kind.has_value(); });
  for (const SemaphoreIndex index : used) {
    const views::OsSemaphore& semaphore = context.semaphore_views[index];
    if (!semaphore.kind && semaphore.element.document().version() >= Version::v0_8_1)
      context.assume(any_typed ? Unstated::other_semaphore_type : Unstated::semaphore_type, semaphore.element);
  }
}

namespace {

/// The largest number of requests of each semaphore that no release follows, over all paths to a place.
class OpenRequests {
 public:
  OpenRequests(const BuildContext& context, TaskIndex task)
      : body_(context.raw_bodies[task]), open_(context.system.semaphores.size(), 0) {}

  /// `lone(node)`: a release without a request.
  template <typename Lone>
  std::vector<std::int64_t> run(const Lone& lone) {
    walk(0, body_.size(), lone);
    return open_;
  }

 private:
  template <typename Lone>
  void walk(std::size_t at, std::size_t end, const Lone& lone) {
    for (; at < end; ++at) {
      const GraphNode& node = body_[at];
      if (const auto* use = std::get_if<UseSemaphore>(&node.activity)) {
        std::int64_t& open = open_[use->semaphore];
        if (use->operation != UseSemaphore::Operation::release) ++open;
        if (use->operation == UseSemaphore::Operation::release && open-- == 0) {
          open = 0;
          lone(node, use->semaphore);
        }
      } else if (const auto* branch = std::get_if<Branch>(&node.activity)) {
        const std::vector<std::int64_t> before = open_;
        std::vector<std::int64_t> largest = before;
        for (const Branch::Alternative& alternative : branch->alternatives) {
          open_ = before;
          if (branch->repeats) add_requests(at + 1, at + 1 + alternative.length);
          walk(at + 1, at + 1 + alternative.length, lone);
          for (std::size_t i = 0; i < largest.size(); ++i) largest[i] = std::max(largest[i], open_[i]);
          at += alternative.length;
        }
        open_ = std::move(largest);
      }
    }
  }

  /// A loop may release what its previous pass has requested.
  void add_requests(std::size_t at, std::size_t end) {
    for (; at < end; ++at)
      if (const auto* use = std::get_if<UseSemaphore>(&body_[at].activity);
          use != nullptr && use->operation != UseSemaphore::Operation::release)
        ++open_[use->semaphore];
  }

  const RawBody& body_;
  std::vector<std::int64_t> open_;
};

}  // namespace

/// Counting semaphores may be requested by one task and released by another one, and start with users. Those with an
/// owner may not.
void report_lone_releases(BuildContext& context) {
  if (context.system.semaphores.empty()) return;
  std::vector<std::int64_t> left(context.system.semaphores.size(), 0);
  std::vector<std::pair<SemaphoreIndex, GraphNode>> lone;
  for (TaskIndex task = 0; task < context.raw_bodies.size(); ++task) {
    const auto open = OpenRequests(context, task).run([&](const GraphNode& node, SemaphoreIndex semaphore) {
      lone.emplace_back(semaphore, node);
    });
    for (std::size_t i = 0; i < left.size(); ++i) left[i] += open[i];
  }
  for (const auto& [index, node] : lone) {
    const views::OsSemaphore& semaphore = context.semaphore_views[index];
    const bool owned = semaphore.ownership.value_or(false) || semaphore.kind == views::SemaphoreKind::mutex ||
                       semaphore.kind == views::SemaphoreKind::resource ||
                       semaphore.kind == views::SemaphoreKind::spinlock;
    if (!owned && (left[index] > 0 || semaphore.initial_value > 0)) continue;
    const Element item = context.model.element(node.origin);
    context.diagnostics.add("AM0468", Severity::warning,
                            fmt::format("task \"{}\" releases the semaphore \"{}\" without having requested it, so it "
                                        "is free although another task may use it; add the request, or remove the "
                                        "release",
                                        context.system.tasks[node.task].name, semaphore.name),
                            item.location(), item.path());
  }
}

}  // namespace amalthea::importer::detail
