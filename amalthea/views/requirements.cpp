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
  Requirement::Kind kind;
  std::string_view feature;
};
constexpr std::array<Subject, 4> subjects{
    {{"ProcessRequirement", Requirement::Kind::process, "process"},
     {"RunnableRequirement", Requirement::Kind::runnable, "runnable"},
     {"ProcessChainRequirement", Requirement::Kind::process_chain, "processChain"},
     {"ArchitectureRequirement", Requirement::Kind::architecture, "component"}}};

constexpr detail::Literals<Requirement::Severity, 4> severities{{{"Cosmetic", Requirement::Severity::cosmetic},
                                                                 {"Minor", Requirement::Severity::minor},
                                                                 {"Major", Requirement::Severity::major},
                                                                 {"Critical", Requirement::Severity::critical}}};
constexpr detail::Literals<Requirement::LimitType, 2> limit_types{
    {{"UpperLimit", Requirement::LimitType::upper}, {"LowerLimit", Requirement::LimitType::lower}}};

std::optional<TimeMetric> time_metric_of(std::string_view literal) {
  for (std::size_t index = 0; index < time_metrics; ++index)
    if (const auto metric = static_cast<TimeMetric>(index); to_string(metric) == literal) return metric;
  return std::nullopt;
}

void read_limit(const Model& model, Element limit, Requirement& requirement, Diagnostics& diagnostics) {
  if (!limit) return;
  requirement.limit_element = limit;
  requirement.limit_type = detail::literal(limit, "limitType", limit_types, Requirement::LimitType::unstated);
  const std::string_view metric = detail::literal_text(limit, "metric");
  const auto number = [&] { return detail::number(limit, "limitValue", diagnostics).value_or(0); };
  const std::string_view cls = limit.class_name();
  if (cls == "TimeRequirementLimit")
    requirement.limit = TimeLimit{time_metric_of(metric), time_of(limit.child("limitValue"), diagnostics)};
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
    requirement.severity = detail::literal(element, "severity", severities, Requirement::Severity::unstated);
    read_limit(model, element.child("limit"), requirement, diagnostics);
    found.push_back(std::move(requirement));
  });
  const auto add_deadlines = [&](std::string_view tag, Requirement::Kind kind) {
    detail::for_each_member(model, "SWModel", tag, [&](Element subject) {
      const Element deadline = subject.child("deadline");
      if (!deadline) return;
      Requirement requirement;
      requirement.element = subject;
      requirement.name = kind == Requirement::Kind::process ? subject.name() : std::string_view("deadline");
      requirement.kind = kind;
      requirement.subject = subject;
      requirement.limit_type = Requirement::LimitType::upper;
      requirement.limit = TimeLimit{TimeMetric::response_time, time_of(deadline, diagnostics)};
      requirement.limit_element = deadline;
      found.push_back(std::move(requirement));
    });
  };
  add_deadlines("isrs", Requirement::Kind::process);
  add_deadlines("tasks", Requirement::Kind::process);
  add_deadlines("runnables", Requirement::Kind::runnable);
  return found;
}

bool is_deadline(const Requirement& requirement) {
  const auto* limit = std::get_if<TimeLimit>(&requirement.limit);
  return requirement.kind == Requirement::Kind::process && limit != nullptr &&
         limit->metric == TimeMetric::response_time && requirement.limit_type == Requirement::LimitType::upper;
}

Element stated_time(const Requirement& deadline) {
  const Element holder = deadline.limit_element;
  return !holder || holder.tag() == "deadline" ? holder : holder.child("limitValue");
}

}  // namespace amalthea::views
