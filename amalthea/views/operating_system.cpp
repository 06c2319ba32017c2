// SPDX-License-Identifier: Apache-2.0
#include "amalthea/views/operating_system.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/primitives/ascii.hpp"
#include "amalthea/views/quantities.hpp"
#include "amalthea/views/stated_maximum.hpp"

namespace amalthea::views {
namespace {

/// Those that AMALTHEA names and that are not simulated.
constexpr std::array<std::string_view, 8> other_algorithms{"FixedPriorityPreemptiveWithBudgetEnforcement",
                                                           "LeastLocalRemainingExecutionTimeFirst",
                                                           "PfairPD2",
                                                           "PartlyPFairPD2",
                                                           "EarlyReleaseFairPD2",
                                                           "PartlyEarlyReleaseFairPD2",
                                                           "ConstantBandwidthServerWithCASH",
                                                           "SporadicServer"};

/// Common short names of definitions.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> short_names{{
    {"fpp", "FixedPriorityPreemptive"},
    {"edf", "EarliestDeadlineFirst"},
    {"rm", "RateMonotonic"},
    {"rms", "RateMonotonic"},
    {"dm", "DeadlineMonotonic"},
    {"dms", "DeadlineMonotonic"},
}};

std::string bare(std::string_view name) {
  std::string letters = lower_case(name);
  letters.erase(std::remove_if(letters.begin(), letters.end(), [](char c) { return c == ' ' || c == '_' || c == '-'; }),
                letters.end());
  return letters;
}

/// "apiSendMessage" → "SendMessage".
std::string_view api_function(std::string_view tag) { return tag.starts_with("api") ? tag.substr(3) : tag; }

class OperatingSystemBuilder {
 public:
  OperatingSystemBuilder(const Model& model, Diagnostics& diagnostics) : model_(model), diagnostics_(diagnostics) {}

  OperatingSystems build() {
    for_each_part(model_, "OSModel", [this](Element part) { collect(part); });
    for (OperatingSystem& system : view_.systems)
      system.overhead = view_.overhead_of.find(model_.reference(system.element, "overhead"));
    for (OsSchedulerDefinition& definition : view_.scheduler_definitions)
      for (const Element parameter : model_.references(definition.element, "algorithmParameters"))
        if (const auto index = parameter_definitions_.find(parameter))
          definition.algorithm_parameters.push_back(*index);
    for (OsScheduler& scheduler : view_.schedulers)
      scheduler.definition = scheduler_definitions_.find(model_.reference(scheduler.element, "definition"));
    link_parents();
    return std::move(view_);
  }

 private:
  template <typename Part>
  static std::uint32_t append(std::vector<Part>& parts, Part part) {
    parts.push_back(std::move(part));
    return static_cast<std::uint32_t>(parts.size() - 1);
  }

  void collect(Element part) {
    for (const Element child : part.children()) {
      const std::string_view tag = child.tag();
      if (tag == "semaphores") {
        append(view_.semaphores, semaphore(child));
      } else if (tag == "operatingSystems") {
        add_system(child);
      } else if (tag == "osOverheads") {
        view_.overhead_of.add(child, append(view_.overheads, overhead(child)));
      } else if (tag == "schedulerDefinitions") {
        scheduler_definitions_.add(child, append(view_.scheduler_definitions, {child, child.name(), {}}));
      } else if (tag == "schedulingParameterDefinitions") {
        parameter_definitions_.add(
            child, append(view_.parameter_definitions,
                          {child, child.name(), value_of(model_, child.child("defaultValue"), diagnostics_)}));
      }
    }
  }

  void add_system(Element element) {
    OperatingSystem system;
    system.element = element;
    const auto index = static_cast<std::uint32_t>(view_.systems.size());
    for (const Element child : element.children()) {
      const std::string_view tag = child.tag();
      if (tag != "taskSchedulers" && tag != "interruptControllers") continue;
      view_.scheduler_of.add(child, append(view_.schedulers, scheduler(child, index)));
    }
    view_.systems.push_back(std::move(system));
  }

  OsScheduler scheduler(Element element, std::uint32_t system) {
    OsScheduler scheduler;
    scheduler.element = element;
    scheduler.name = element.name();
    scheduler.interrupt_controller = element.tag() == "interruptControllers";
    scheduler.operating_system = system;
    scheduler.algorithm = algorithm_of(model_, element);
    scheduler.parameters = scheduling_parameters(model_, element);
    scheduler.unit_priority = integer_attribute(element, "scheduleUnitPriority");
    for (const Element child : element.children()) {
      if (child.tag() == "parentAssociation") {
        scheduler.association = child;
        scheduler.association_parameters = scheduling_parameters(model_, child);
      } else if (child.tag() == "computationItems") {
        scheduler.computation_items.push_back(child);
      } else if (child.tag() == "schedulingUnit") {
        scheduler.unit_delay = time_with_unit(child.child("delay"));
        if (const auto priority = integer_attribute(child, "priority")) scheduler.unit_priority = priority;
        for (const Element instructions : child.children("instructions"))
          scheduler.unit_instructions.push_back(execution(instructions));
      }
    }
    return scheduler;
  }

  /// Old models contain delays without a unit, which are meaningless.
  std::optional<Duration> time_with_unit(Element time) {
    if (!time || literal_attribute(time, "unit").empty()) return std::nullopt;
    return time_of(time, diagnostics_);
  }

  /// Ticks; InstructionsConstant and InstructionsDeviation; their OsExecutionInstructions… forms up to 0.7.1.
  OsExecution execution(Element element) {
    OsExecution execution;
    execution.element = element;
    if (element.is("Ticks")) {
      execution.otherwise = stated_cycles_of(element.child("default"));
      for (const Element entry : element.children("extended"))
        if (const auto cycles = stated_cycles_of(entry.child("value")))
          execution.per_definition.push_back({model_.reference(entry, "key"), *cycles});
      return execution;
    }
    execution.instructions = true;
    if (element.child("deviation") || element.attribute("value")) execution.otherwise = stated_cycles_of(element);
    return execution;
  }

  std::optional<Cycles> stated_cycles_of(Element element) {
    const auto deviation = deviation_of<std::int64_t>(element, diagnostics_);
    if (!deviation) return std::nullopt;
    report_open(*deviation, "an overhead of the operating system", diagnostics_);
    return cycles_of(*deviation, diagnostics_);
  }

  OsOverhead overhead(Element element) {
    OsOverhead overhead;
    if (const Element api = element.child("apiOverhead"))
      for (const Element child : api.children())
        if (child.tag().starts_with("api")) overhead.api.push_back({api_function(child.tag()), execution(child)});
    const auto of_isr = [this, element](std::string_view category,
                                        std::string_view side) -> std::optional<OsExecution> {
      const Element isr = element.child(category);
      const Element found = isr ? isr.child(side) : Element{};
      return found ? std::optional(execution(found)) : std::nullopt;
    };
    overhead.isr_category1_before = of_isr("isrCategory1Overhead", "preExecutionOverhead");
    overhead.isr_category1_after = of_isr("isrCategory1Overhead", "postExecutionOverhead");
    overhead.isr_category2_before = of_isr("isrCategory2Overhead", "preExecutionOverhead");
    overhead.isr_category2_after = of_isr("isrCategory2Overhead", "postExecutionOverhead");
    return overhead;
  }

  static OsSemaphore semaphore(Element element) {
    OsSemaphore semaphore;
    semaphore.element = element;
    semaphore.name = element.name();
    const std::string_view kind = literal_attribute(element, "semaphoreType");
    if (kind == "CountingSemaphore") semaphore.kind = SemaphoreKind::counting;
    if (kind == "Resource") semaphore.kind = SemaphoreKind::resource;
    if (kind == "Spinlock") semaphore.kind = SemaphoreKind::spinlock;
    if (kind == "Mutex") semaphore.kind = SemaphoreKind::mutex;
    const auto written = integer_attribute(element, "initialValue");
    semaphore.initial_value = written ? *written : integer_attribute(element, "initalValue").value_or(0);
    const std::int64_t otherwise = element.document().version() >= Version::v2_1_0 ? 1 : 0;
    semaphore.max_value = integer_attribute(element, "maxValue").value_or(otherwise);
    semaphore.ownership = flag_attribute(element, "ownership");
    semaphore.priority_ceiling = flag_attribute(element, "priorityCeilingProtocol").value_or(false);
    return semaphore;
  }

  void link_parents() {
    auto& schedulers = view_.schedulers;
    for (OsScheduler& scheduler : schedulers) {
      const Element holder = scheduler.association ? scheduler.association : scheduler.element;
      scheduler.parent =
          view_.scheduler_of.find(model_.reference(holder, scheduler.association ? "parent" : "parentScheduler"));
    }
    // Every scheduler has at most one parent: walking up from each, up to visited ones, finds all cycles.
    std::vector<std::uint32_t> walked_from(schedulers.size(), 0);
    for (std::uint32_t start = 0; start < schedulers.size(); ++start) {
      std::uint32_t at = start;
      while (walked_from[at] == 0) {
        walked_from[at] = start + 1;
        if (!schedulers[at].parent) break;
        const std::uint32_t above = *schedulers[at].parent;
        if (walked_from[above] == start + 1) {
          const Element element = schedulers[at].association ? schedulers[at].association : schedulers[at].element;
          diagnostics_.add(
              "AM0215", Severity::warning,
              fmt::format(
                  "scheduler \"{}\" is its own ancestor; the analysis ignores its parent \"{}\"; break the cycle",
                  schedulers[at].name, schedulers[above].name),
              element.location(), element.path());
          schedulers[at].parent.reset();
          break;
        }
        at = above;
      }
    }
  }

  const Model& model_;
  Diagnostics& diagnostics_;
  OperatingSystems view_;
  ElementIndex scheduler_definitions_, parameter_definitions_;
};

}  // namespace

SchedulingAlgorithm algorithm_of_name(std::string_view name) {
  std::string letters = bare(name);
  for (const auto& [abbreviation, meant] : short_names)
    if (abbreviation == letters) letters = lower_case(meant);
  for (const SchedulingTraits& traits : scheduling_algorithms)
    if (lower_case(traits.name) == letters) return {std::string(traits.name), true, traits.algorithm};
  for (const std::string_view other : other_algorithms)
    if (lower_case(other) == letters) return {std::string(other), true, {}};
  return {std::string(name), false, {}};
}

SchedulingAlgorithm algorithm_of(const Model& model, Element scheduler) {
  return algorithm_of_name(scheduling_algorithm(model, scheduler));
}

OperatingSystems operating_systems_of(const Model& model, Diagnostics& diagnostics) {
  return OperatingSystemBuilder(model, diagnostics).build();
}

}  // namespace amalthea::views
