// SPDX-License-Identifier: Apache-2.0
// Requirements, and the deadlines of tasks: the requirements that limit their response times.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "amalthea/graph/chain_data.hpp"
#include "amalthea/graph/job_paths.hpp"
#include "amalthea/views/quantities.hpp"
#include "amalthea/views/requirements.hpp"
#include "importer/building/detail/build_context.hpp"

namespace amalthea::importer::detail {
namespace {

/// The processes of a chain; nothing if one of them is not in the system, or there is none.
std::optional<Requirement::OfChain> process_chain_of(const BuildContext& context, Element chain) {
  Requirement::OfChain found;
  for (const Element process : context.model.references(chain, "processes")) {
    const auto task = context.tasks.find(process);
    if (!task) return std::nullopt;
    const TaskIndex executed = context.system.tasks[*task].folded_into.value_or(*task);
    if (found.tasks.empty() || found.tasks.back() != executed) found.tasks.push_back(executed);
  }
  return found.tasks.empty() ? std::nullopt : std::optional(std::move(found));
}

void set_subject(const BuildContext& context, const views::Requirement& stated, Requirement& requirement) {
  if (stated.subject) requirement.subject_name = stated.subject.name();
  requirement.kind = stated.kind;
  switch (stated.kind) {
    case Requirement::Kind::process:
      if (const auto task = context.tasks.find(stated.subject)) requirement.subject = Requirement::OfProcess{*task};
      return;
    case Requirement::Kind::runnable:
      if (const auto runnable = context.runnables.find(stated.subject))
        requirement.subject = Requirement::OfRunnable{*runnable};
      return;
    case Requirement::Kind::process_chain:
      if (stated.subject)
        if (auto chain = process_chain_of(context, stated.subject)) requirement.subject = std::move(*chain);
      return;
    case Requirement::Kind::unknown:
    case Requirement::Kind::architecture:
      return;
  }
}

/// A limit that was never filled in is none, and not 0, which every time exceeds.
std::optional<Duration> stated_limit(const views::Requirement& stated, const views::TimeLimit& time) {
  const Element value = views::stated_time(stated);
  return value && !value.attribute("value") ? std::nullopt : time.value;
}

/// Whether the limit is a number, in an attribute, that was never filled in: since 0.7.2 EMF writes 0, too.
bool lacks_number(const views::Requirement& stated) {
  const bool number = std::holds_alternative<views::CountLimit>(stated.limit) ||
                      std::holds_alternative<views::PercentageLimit>(stated.limit) ||
                      std::holds_alternative<views::CpuPercentageLimit>(stated.limit);
  const Element limit = stated.limit_element;
  return number && !limit.attribute("limitValue") && limit.document().version() >= Version::v0_7_2;
}

void set_limit(const BuildContext& context, const views::Requirement& stated, Requirement& requirement) {
  requirement.limit_type = stated.limit_type;
  if (lacks_number(stated)) return;
  if (const auto* time = std::get_if<views::TimeLimit>(&stated.limit)) {
    requirement.limit = Requirement::TimeLimit{time->metric, stated_limit(stated, *time)};
  } else if (const auto* count = std::get_if<views::CountLimit>(&stated.limit)) {
    requirement.limit = Requirement::CountLimit{std::string(count->metric), count->value};
  } else if (const auto* percentage = std::get_if<views::PercentageLimit>(&stated.limit)) {
    requirement.limit = Requirement::PercentageLimit{std::string(percentage->metric), percentage->value};
  } else if (const auto* cpu = std::get_if<views::CpuPercentageLimit>(&stated.limit)) {
    const auto unit = context.units.find(cpu->hardware);
    requirement.limit = Requirement::CpuLimit{std::string(cpu->metric), cpu->value, unit, cpu->hardware && !unit};
  } else if (const auto* frequency = std::get_if<views::FrequencyLimit>(&stated.limit)) {
    requirement.limit = Requirement::FrequencyLimit{std::string(frequency->metric), frequency->hertz};
  }
}

/// Reports missing parts of a limit; without them it cannot be judged.
void report_incomplete(BuildContext& context, const views::Requirement& stated, const Requirement& requirement) {
  std::string missing;
  const auto lacks = [&missing](bool it_does, std::string_view what) {
    if (it_does) missing += fmt::format("{}{}", missing.empty() ? "" : " and no ", what);
  };
  const auto is_unstated = [](const std::string& metric) { return metric.empty() || metric == "_undefined_"; };
  if (std::holds_alternative<Requirement::NoLimit>(requirement.limit)) {
    missing = lacks_number(stated) ? "limitValue" : "limit";
  } else {
    lacks(requirement.limit_type == Requirement::LimitType::unstated, "limitType");
    if (const auto* time = std::get_if<Requirement::TimeLimit>(&requirement.limit)) {
      lacks(!time->metric, "metric");
      lacks(!time->value, "readable limitValue");
    } else if (const auto* frequency = std::get_if<Requirement::FrequencyLimit>(&requirement.limit)) {
      lacks(is_unstated(frequency->metric), "metric");
      lacks(!frequency->hertz, "readable limitValue");
    } else if (const auto* count = std::get_if<Requirement::CountLimit>(&requirement.limit)) {
      lacks(is_unstated(count->metric), "metric");
    } else if (const auto* percentage = std::get_if<Requirement::PercentageLimit>(&requirement.limit)) {
      lacks(is_unstated(percentage->metric), "metric");
    } else if (const auto* cpu = std::get_if<Requirement::CpuLimit>(&requirement.limit)) {
      lacks(is_unstated(cpu->metric), "metric");
    }
  }
  const Element place = stated.limit_element ? stated.limit_element : stated.element;
  if (missing.empty() || context.is_explained(place)) return;
  context.diagnostics.add(
      "AM0343", Severity::warning,
      fmt::format("requirement \"{}\" states no {}, so it cannot be judged", requirement.name, missing),
      place.location(), place.path());
}

/// Reports a limit on a chain of processes of which one passes nothing to the next.
void report_obstacle(BuildContext& context, const views::Requirement& stated, const Requirement& requirement) {
  const auto* of = std::get_if<Requirement::OfChain>(&requirement.subject);
  if (of == nullptr || !std::holds_alternative<Requirement::TimeLimit>(requirement.limit)) return;
  const Chain chain{"", of->tasks, {}, Chain::Source::model, {}};
  const ChainData data = chain_data(context.system, JobPaths(context.system), chain);
  if (!data.never) return;
  context.diagnostics.add("AM0666", Severity::warning,
                          fmt::format("requirement \"{}\" limits the time along process chain \"{}\", but {}; correct "
                                      "the chain, or what the model lacks",
                                      requirement.name, requirement.subject_name, data.obstacle),
                          stated.element.location(), stated.element.path());
}

}  // namespace

void build_deadlines(BuildContext& context) {
  Diagnostics no_effect;  // for requirements that are not deadlines
  for (const views::Requirement& requirement : views::requirements(context.model, no_effect)) {
    if (!views::is_deadline(requirement)) continue;
    const auto& limit = std::get<views::TimeLimit>(requirement.limit);
    const auto task = context.tasks.find(requirement.subject);
    if (!limit.value) time_of(views::stated_time(requirement), context.diagnostics);  // reports why
    const auto value = stated_limit(requirement, limit);
    if (!task || !value) continue;
    auto& deadline = context.system.tasks[*task].deadline;
    deadline = deadline ? std::min(*deadline, *value) : *value;
  }
}

void build_requirements(BuildContext& context) {
  Diagnostics no_effect;  // unreadable values have no verdict, and no other effect
  for (const views::Requirement& stated : views::requirements(context.model, no_effect)) {
    Requirement requirement;
    requirement.name = stated.name;
    requirement.origin = stated.element.origin();
    requirement.severity = stated.severity;
    set_subject(context, stated, requirement);
    set_limit(context, stated, requirement);
    report_incomplete(context, stated, requirement);
    report_obstacle(context, stated, requirement);
    context.system.requirements.push_back(std::move(requirement));
  }
}

}  // namespace amalthea::importer::detail
