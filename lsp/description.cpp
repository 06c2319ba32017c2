// SPDX-License-Identifier: Apache-2.0
#include "lsp/description.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/metamodel.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/rounded_duration.hpp"
#include "exporter/results/contribution_text.hpp"

namespace amalthea::lsp {
namespace {

/// Text of a model, so that Markdown and HTML in it have no effect.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : one_line(text)) {
    if (std::string_view("\\`*_{}[]<>()#+-!|&~").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string value_text(const exporter::Property& property) {
  if (const auto* time = std::get_if<Duration>(&property.value)) return format_duration(*time, property.rounding);
  if (const auto* text = std::get_if<std::string>(&property.value)) return *text;
  if (const auto* share = std::get_if<double>(&property.value)) return fmt::format("{:.1f} %", *share * 100);
  if (const auto* number = std::get_if<std::int64_t>(&property.value)) return fmt::format("{}", *number);
  return std::get<bool>(property.value) ? "yes" : "no";
}

const std::vector<exporter::Property>* properties_of(Element element, const Timing& timing) {
  const auto found = timing.properties.find({element.document().position(), element.index()});
  return found == timing.properties.end() ? nullptr : &found->second;
}

void add_parts(const System& system, std::string_view title, const std::vector<engine::Contribution>& parts,
               std::string& text) {
  std::int64_t total = 0;
  for (const engine::Contribution& part : parts) total += part.time.picoseconds();
  if (total == 0) return;
  text += fmt::format("\n\n| {} | time | share |\n| --- | ---: | ---: |", title);
  for (const engine::Contribution& part : parts)
    text +=
        fmt::format("\n| {} | {} | {:.1f} % |", escaped(exporter::describe(system, part)), format_duration(part.time),
                    100 * static_cast<double>(part.time.picoseconds()) / static_cast<double>(total));
}

void add_task(const System& system, const Task& task, const engine::TaskResult& result, std::string& text) {
  text += fmt::format(
      "\n\n**{}**{}",
      result.guaranteed == true ? engine::guaranteed_text(result.coverage) : std::string(to_string(result.verdict)),
      result.reason.empty() ? "" : ": " + escaped(result.reason));
  text += fmt::format("\n\n- deadline: {}", task.deadline ? format_duration(*task.deadline) : "none");
  text += fmt::format("\n- upper bound on the response time: {}",
                      result.bound.worst            ? format_duration(*result.bound.worst, Rounding::up)
                      : result.bound.reason.empty() ? "none"
                                                    : "none; " + escaped(result.bound.reason));
  if (result.response.jobs > 0)
    text += fmt::format("\n- simulated response time: {} to {} ({} jobs)", format_duration(result.response.min),
                        format_duration(result.response.max), result.response.jobs);
  if (result.missed_deadlines > 0) text += fmt::format("\n- late jobs: {}", result.missed_deadlines);
  if (result.lost_activations > 0) text += fmt::format("\n- lost activations: {}", result.lost_activations);
  if (result.bound.worst)
    add_parts(system, "part of the bound", result.bound.parts, text);
  else
    add_parts(system, "part of the longest simulated response", result.contributions, text);
}

void add_timing(Element element, const Timing& timing, std::string& text) {
  const Origin origin = element.origin();
  const auto& tasks = timing.system.tasks;
  const auto task =
      std::find_if(tasks.begin(), tasks.end(), [&](const Task& candidate) { return candidate.origin == origin; });
  if (task != tasks.end()) {
    add_task(timing.system, *task, timing.results.tasks[static_cast<std::size_t>(task - tasks.begin())], text);
    return;
  }
  const auto* properties = properties_of(element, timing);
  if (properties == nullptr) return;
  text += "\n";
  for (const exporter::Property& property : *properties)
    text += fmt::format("\n- {}: {}", escaped(property.key), escaped(value_text(property)));
}

/// What the attribute may contain.
void add_feature(const Feature& feature, const Document& document, std::string& text) {
  text +=
      fmt::format("\n\nAttribute `{}`: {}{}", feature.name, feature.type_name, feature.many() ? ", any number" : "");
  if (feature.required()) text += ", required";
  if (feature.has_default && !feature.default_literal.empty())
    text += fmt::format(", default `{}`", feature.default_literal);
  if (feature.enumeration == no_enum) return;
  const char* separator = "; one of ";
  for (const std::string_view literal : metamodel::info(feature.enumeration).literals_in(document.version())) {
    text += fmt::format("{}`{}`", separator, literal);
    separator = ", ";
  }
}

}  // namespace

std::string description_of(const Subject& subject, const Timing* timing) {
  const Element element = subject.target ? subject.target : subject.element;
  if (!element) return {};
  const std::string_view cls = element.class_name();
  std::string text = fmt::format("**{}**", escaped(cls.empty() ? element.tag() : cls));
  if (!element.name().empty()) text += " " + escaped(element.name());
  text += fmt::format("\n\n{}", escaped(element.path()));
  if (&element.document() != &subject.element.document())
    text += fmt::format(" in {}", escaped(element.document().source().path()));
  if (timing != nullptr) {
    if (element.parent())
      add_timing(element, *timing, text);
    else
      text += "\n\n" + escaped(timing->verdict);
  }
  if (subject.feature != nullptr && !subject.target && subject.attribute != "name")
    add_feature(*subject.feature, element.document(), text);
  return text;
}

std::optional<std::string> verdict_line(Element element, const Timing& timing) {
  constexpr std::array<std::string_view, 3> judged = {"tasks", "isrs", "eventChains"};
  if (std::find(judged.begin(), judged.end(), element.tag()) == judged.end()) return std::nullopt;
  const auto* properties = properties_of(element, timing);
  if (properties == nullptr || properties->empty()) return std::nullopt;
  const exporter::Property& first = properties->front();  // its summary, or why it has none
  return one_line((first.key == "summary" ? "" : "not analyzed: ") + value_text(first));
}

}  // namespace amalthea::lsp
