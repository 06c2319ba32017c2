// SPDX-License-Identifier: Apache-2.0
#include "importer/building/system_builder.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "importer/building/detail/build_context.hpp"

namespace amalthea::importer {
namespace detail {

namespace {

bool is_about_values(const Diagnostic& finding) {
  return finding.severity == Severity::error && finding.id.starts_with("AM02");
}

bool is_at_or_in(std::string_view path, std::string_view element) {
  return path.starts_with(element) && (path.size() == element.size() || path[element.size()] == '/');
}

}  // namespace

bool BuildContext::is_explained(Element element) const {
  std::vector<std::string> paths{element.path()};
  for (const Element target : model.attribute_targets(element)) paths.push_back(target.path());
  const auto explains = [&](const Diagnostic& finding) {
    return is_about_values(finding) && std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
             return is_at_or_in(finding.path, path);
           });
  };
  const auto any_in = [&](const Diagnostics& findings) {
    return std::any_of(findings.all().begin(), findings.all().end(), explains);
  };
  return any_in(diagnostics) || (options.reported != nullptr && any_in(*options.reported));
}

void BuildContext::error_unless_explained(std::string_view id, Element element, std::string message) {
  blocked = true;
  if (!is_explained(element)) error(id, std::move(message), element.location(), element.path());
}

void BuildContext::report_second(std::string_view what, Element second, std::string_view used) {
  diagnostics.add("AM0462", Severity::warning,
                  fmt::format("this is a second, different {}; the analysis uses {}; remove one of them", what, used),
                  second.location(), second.path());
}

void BuildContext::report_unfilled(Element element) {
  diagnostics.add("AM0460", Severity::warning,
                  fmt::format("{} states no execution time, so that time is missing from all results; state its value, "
                              "or remove the element",
                              element.cls() ? element.class_name() : element.tag()),
                  element.location(), element.path());
}

void BuildContext::report_negative(Element element, std::string_view attribute, std::string_view used) {
  diagnostics.add("AM0517", Severity::warning,
                  fmt::format("{} is {}, and nothing can be counted below zero; the analysis uses {}", attribute,
                              element.attribute_or(attribute, ""), used),
                  element.attribute_location(attribute), element.path());
}

void BuildContext::report_event(std::string_view stimulus, Element event, std::string_view clause) {
  diagnostics.add(
      "AM0432", Severity::warning,
      fmt::format("stimulus \"{}\" depends on the {} \"{}\", {}", stimulus, event.class_name(), event.name(), clause),
      event.location(), event.path());
}

void BuildContext::report_open_event(EventTrigger& trigger, std::string_view occurrences, std::string_view remedy) {
  if (std::exchange(trigger.open, true)) return;
  report_event(system.stimuli[trigger.stimulus].name, trigger.event.element,
               fmt::format("and its occurrences by {} are not simulated; {}", occurrences, remedy));
}

void BuildContext::report_overhead(std::string_view whose, Element element, std::uint64_t count,
                                   std::vector<Origin> processes) {
  diagnostics.add("AM0466", Severity::warning,
                  fmt::format("the overhead of the {} is not simulated, so its time is missing from all results; "
                              "include it in the execution times, and remove it here",
                              whose),
                  element.location(), element.path(), count, std::move(processes));
}

bool BuildContext::require(Element target, Element element, std::string_view feature) {
  if (!target)
    error_unless_explained("AM0301", element,
                           fmt::format("{} has no {}, which its timing requires; add it, or remove the element",
                                       element.class_name(), feature));
  return static_cast<bool>(target);
}

std::optional<std::uint32_t> BuildContext::required(const ElementMap& kind, Element target, Element element,
                                                    std::string_view feature) {
  if (!require(target, element, feature)) return std::nullopt;
  const auto index = kind.find(target);
  if (!index)
    error("AM0319",
          fmt::format("{} of {} is the {} \"{}\", which has the wrong class here; reference another element", feature,
                      element.class_name(), target.class_name(), target.name()),
          element.attribute_location(feature), element.path());
  return index;
}

}  // namespace detail

namespace {

/// Tags, components, chains etc. may be incomplete without affecting response times.
bool matters_for_timing(const Model::Dangling& dangling) {
  if (dangling.feature == "tags") return false;
  Element part = dangling.element;
  while (part.parent() && part.parent().parent()) part = part.parent();
  constexpr std::array<std::string_view, 5> parts{"swModel", "hwModel", "osModel", "stimuliModel", "mappingModel"};
  if (std::find(parts.begin(), parts.end(), part.tag()) != parts.end()) return true;
  return part.tag() == "constraintsModel" && dangling.feature == "process";
}

std::vector<Origin> origins_of(const std::vector<Element>& elements) {
  std::vector<Origin> origins;
  for (const Element element : elements) origins.push_back(element.origin());
  return origins;
}
std::vector<Origin> origins_of(const std::set<std::pair<std::uint32_t, std::uint32_t>>& elements) {
  std::vector<Origin> origins;
  for (const auto& [document, element] : elements) origins.push_back({document, element});
  return origins;
}

}  // namespace

std::optional<System> build_system(const Model& model, const BuildOptions& options, Diagnostics& diagnostics) {
  // What a dangling reference omits would be missing from every result, so nothing is computed; the reference itself
  // has been reported.
  const bool incomplete = std::any_of(model.dangling().begin(), model.dangling().end(), matters_for_timing);
  const std::size_t errors_before = diagnostics.errors();
  detail::BuildContext context(model, options, diagnostics);
  detail::build_platform(context);
  detail::build_modes(context);
  detail::build_stimuli(context);
  if (incomplete) return std::nullopt;  // what these parts contain has been checked; the rest depends on references
  detail::build_data(context);
  detail::build_tasks(context);
  detail::build_raw_bodies(context);  // despite errors in other parts, which it may not depend on
  if (context.blocked) return std::nullopt;
  detail::report_runnable_allocations(context);
  detail::report_lone_releases(context);
  detail::report_untyped_semaphores(context);
  detail::report_events_for_all(context);
  detail::fold_wrappers(context);
  detail::report_mapping_changes(context);
  detail::shape_offloading(context);
  detail::report_offload_protocols(context);
  // An unreadable value (AM0210) would count as zero, which is as wrong as a missing one.
  if (context.blocked || diagnostics.errors() > errors_before) return std::nullopt;
  detail::build_graph(context);
  detail::build_chains(context);
  detail::build_requirements(context);
  detail::build_constraints(context);
  detail::report_unused_properties(context);
  detail::report_partial_overheads(context);
  detail::report_data_protection(context);
  detail::report_assumptions(context);
  for (const auto& [cls, elements] : context.not_simulated) {
    const bool one = elements.size() == 1;
    diagnostics.add(
        "AM0401", Severity::warning,
        fmt::format("{} {} in the model {} not simulated; the time {} is missing from all results; remove {}, or "
                    "state the time as Ticks (docs/modelled.md lists what is simulated); this is the first one",
                    elements.size(), cls, one ? "is" : "are", one ? "it takes" : "they take", one ? "it" : "them"),
        elements.front().location(), elements.front().path(), elements.size(), origins_of(elements));
  }
  for (const auto& [reason, conditions] : context.unknown_conditions) {
    const std::size_t count = conditions.users.size();
    diagnostics.add(
        "AM0437", Severity::warning,
        fmt::format("all alternatives are assumed to be equally likely, because {} {}",
                    count == 1 ? "the condition" : fmt::format("each of {} conditions (this is the first)", count),
                    reason),
        conditions.first.location(), conditions.first.path(), count, origins_of(conditions.users));
  }
  return std::move(context.system);
}

}  // namespace amalthea::importer
