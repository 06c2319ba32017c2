// SPDX-License-Identifier: Apache-2.0
#include "amalthea/views/requirements.hpp"

#include <utility>

#include "amalthea/diagnostic.hpp"
#include "amalthea/views/detail/reading.hpp"
#include "amalthea/views/quantities.hpp"

namespace amalthea::views {
namespace {

struct Subject {
  std::string_view class_name;
  RequirementKind kind;
  std::string_view feature;
};
constexpr std::array<Subject, 4> subjects{{{"ProcessRequirement", RequirementKind::process, "process"},
                                           {"RunnableRequirement", RequirementKind::runnable, "runnable"},
                                           {"ProcessChainRequirement", RequirementKind::process_chain, "processChain"},
                                           {"ArchitectureRequirement", RequirementKind::architecture, "component"}}};

constexpr detail::Literals<RequirementSeverity, 4> severities{{{"Cosmetic", RequirementSeverity::cosmetic},
                                                               {"Minor", RequirementSeverity::minor},
                                                               {"Major", RequirementSeverity::major},
                                                               {"Critical", RequirementSeverity::critical}}};
constexpr detail::Literals<LimitType, 2> limit_types{
    {{"UpperLimit", LimitType::upper}, {"LowerLimit", LimitType::lower}}};
constexpr detail::Literals<TimeMetric, 17> time_metrics{{{"ActivateToActivate", TimeMetric::activate_to_activate},
                                                         {"CoreExecutionTime", TimeMetric::core_execution_time},
                                                         {"EndToEnd", TimeMetric::end_to_end},
                                                         {"EndToStart", TimeMetric::end_to_start},
                                                         {"GrossExecutionTime", TimeMetric::gross_execution_time},
                                                         {"Lateness", TimeMetric::lateness},
                                                         {"MemoryAccessTime", TimeMetric::memory_access_time},
                                                         {"NetExecutionTime", TimeMetric::net_execution_time},
                                                         {"OsOverhead", TimeMetric::os_overhead},
                                                         {"ParkingTime", TimeMetric::parking_time},
                                                         {"PollingTime", TimeMetric::polling_time},
                                                         {"ReadyTime", TimeMetric::ready_time},
                                                         {"ResponseTime", TimeMetric::response_time},
                                                         {"RunningTime", TimeMetric::running_time},
                                                         {"StartDelay", TimeMetric::start_delay},
                                                         {"StartToStart", TimeMetric::start_to_start},
                                                         {"WaitingTime", TimeMetric::waiting_time}}};

void read_limit(const Model& model, Element limit, Requirement& requirement, Diagnostics& diagnostics) {
  if (!limit) return;
  requirement.limit_element = limit;
  requirement.limit_type = detail::literal(limit, "limitType", limit_types, LimitType::unstated);
  const std::string_view metric = detail::literal_text(limit, "metric");
  const auto number = [&] { return detail::number(limit, "limitValue", diagnostics).value_or(0); };
  const std::string_view cls = limit.class_name();
  if (cls == "TimeRequirementLimit")
    requirement.limit = TimeLimit{detail::literal(metric, time_metrics, TimeMetric::unstated),
                                  time_of(limit.child("limitValue"), diagnostics)};
  else if (cls == "CPUPercentageRequirementLimit")
    requirement.limit = CpuPercentageLimit{metric, number(), model.reference(limit, "hardwareContext")};
  else if (cls == "CountRequirementLimit")
    requirement.limit = CountLimit{metric, detail::integer(limit, "limitValue", diagnostics).value_or(0)};
  else if (cls == "PercentageRequirementLimit")
    requirement.limit = PercentageLimit{metric, number()};
  else if (cls == "FrequencyRequirementLimit")
    requirement.limit = FrequencyLimit{metric, detail::hertz_of(limit.child("limitValue"), diagnostics)};
}

}  // namespace

std::vector<Requirement> requirements(const Model& model, Diagnostics& diagnostics) {
  std::vector<Requirement> found;
  detail::for_each_member(model, "ConstraintsModel", "requirements", [&](Element element) {
    Requirement requirement;
    requirement.element = element;
    requirement.name = element.name();
    for (const Subject& subject : subjects)
      if (element.is(subject.class_name)) {
        requirement.kind = subject.kind;
        requirement.subject = model.reference(element, subject.feature);
      }
    requirement.severity = detail::literal(element, "severity", severities, RequirementSeverity::unstated);
    read_limit(model, element.child("limit"), requirement, diagnostics);
    found.push_back(std::move(requirement));
  });
  const auto add_deadlines = [&](std::string_view tag, RequirementKind kind) {
    detail::for_each_member(model, "SWModel", tag, [&](Element subject) {
      const Element deadline = subject.child("deadline");
      if (!deadline) return;
      Requirement requirement;
      requirement.element = subject;
      requirement.name = kind == RequirementKind::process ? subject.name() : std::string_view("deadline");
      requirement.kind = kind;
      requirement.subject = subject;
      requirement.limit_type = LimitType::upper;
      requirement.limit = TimeLimit{TimeMetric::response_time, time_of(deadline, diagnostics)};
      requirement.limit_element = deadline;
      found.push_back(std::move(requirement));
    });
  };
  add_deadlines("isrs", RequirementKind::process);
  add_deadlines("tasks", RequirementKind::process);
  add_deadlines("runnables", RequirementKind::runnable);
  return found;
}

bool is_deadline(const Requirement& requirement) {
  const auto* limit = std::get_if<TimeLimit>(&requirement.limit);
  return requirement.kind == RequirementKind::process && limit != nullptr &&
         limit->metric == TimeMetric::response_time && requirement.limit_type == LimitType::upper;
}

Element stated_time(const Requirement& deadline) {
  const Element holder = deadline.limit_element;
  return !holder || holder.tag() == "deadline" ? holder : holder.child("limitValue");
}

}  // namespace amalthea::views
