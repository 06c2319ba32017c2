// SPDX-License-Identifier: Apache-2.0
#include "exporter/models/model_summary.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "amalthea/primitives/visible_text.hpp"
#include "amalthea/quantity.hpp"
#include "engine/program/releases.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/results/json_parts.hpp"

namespace amalthea::exporter {
namespace {

struct Counts {
  std::size_t elements = 0;
  std::size_t not_understood = 0;  ///< elements without a class that are not cross-file references
  std::map<std::string_view, std::size_t> by_class;
};

Counts count(const Model& model) {
  Counts counts;
  std::vector<std::size_t> by_class(metamodel::classes().size(), 0);
  for (const auto& document : model.documents())
    for (std::uint32_t index = 0; index < document->size(); ++index) {
      const Element element = document->element(index);
      ++counts.elements;
      if (const auto cls = element.cls())
        ++by_class[static_cast<std::size_t>(*cls)];
      else if (!element.attribute("href"))
        ++counts.not_understood;
    }
  for (const ClassInfo& cls : metamodel::classes())
    if (const std::size_t number = by_class[static_cast<std::size_t>(cls.id)]; number > 0)
      counts.by_class[cls.name] = number;
  return counts;
}

std::string_view side_name(Side side) { return side == Side::device ? "device" : "host"; }

std::string activation_of(const System& system, TaskIndex task, std::optional<Duration> period) {
  if (period) {
    for (const Stimulus& stimulus : system.stimuli)
      if (std::find(stimulus.activates.begin(), stimulus.activates.end(), task) != stimulus.activates.end() &&
          std::holds_alternative<InterProcess>(stimulus.occurrence))
        return fmt::format("by trigger, every {}", format_duration(*period));
    return fmt::format("every {}", format_duration(*period));
  }
  return "other";
}

/// Notes on the preemption of a process; "" for preemptive tasks.
std::string kind_note(const Task& task) {
  if (task.kind == ProcessKind::isr_category1) return "ISR, category 1";
  if (task.kind == ProcessKind::isr_category2) return "ISR, category 2";
  if (task.side == Side::device || task.preemption == Preemption::preemptive) return {};
  return task.preemption == Preemption::cooperative ? "cooperative" : "non-preemptive";
}

/// Units that it may run on.
std::string units_of(const System& system, const Task& task) {
  if (task.units.size() < 2) return system.platform.units[task.unit].name;
  std::string names;
  for (const UnitIndex unit : task.units)
    names.append(names.empty() ? "" : ", ").append(system.platform.units[unit].name);
  return names;
}

}  // namespace

std::string render_summary_text(const ModelSummary& summary, bool colour) {
  std::string out;
  for (const std::string& file : summary.info.files) out += line_start(file) + "\n";
  const Counts counts = count(summary.model);
  out += fmt::format("AMALTHEA {}, {} elements, {}\n", summary.info.version, counts.elements, summary.info.hash);

  out += heading("Contents", colour);
  TextTable contents = TextTable::of("class", ">count", "analysis");
  for (const auto& [cls, number] : counts.by_class)
    contents.add(std::string(cls), std::to_string(number), summary.is_used(cls) ? "used" : "ignored");
  out += contents.render(colour);

  if (summary.system != nullptr) {
    const System& system = *summary.system;
    out += heading("Processing units", colour);
    TextTable units = TextTable::of("name", "definition", "kind", ">clock");
    for (const ProcessingUnit& unit : system.platform.units) {
      const auto& definitions = system.platform.definitions;
      units.add(unit.name, unit.definition < definitions.size() ? definitions[unit.definition].name : "-",
                unit.type == PuType::gpu   ? "GPU"
                : unit.type == PuType::cpu ? "CPU"
                                           : "accelerator",
                fmt::format("{} MHz", static_cast<double>(unit.frequency.millihertz()) / 1e9));
    }
    out += units.render(colour);

    out += heading("Mapping", colour);
    TextTable mapping =
        TextTable::of("task", "side", "scheduler", "unit", ">priority", "activation", ">deadline", "note");
    const auto periods = engine::periods_of(system);
    for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
      const Task& task = system.tasks[index];
      std::string note = kind_note(task);
      if (task.folded_into) note = fmt::format("wrapper of {}, dropped", system.tasks[*task.folded_into].name);
      if (task.time_slice && task.side == Side::device)
        note = fmt::format("time slice {}", format_duration(*task.time_slice));
      mapping.add(task.name, std::string(side_name(task.side)), system.platform.schedulers[task.scheduler].name,
                  units_of(system, task), std::to_string(task.priority), activation_of(system, index, periods[index]),
                  task.deadline ? format_duration(*task.deadline) : "-", note);
    }
    out += mapping.render(colour);
  }

  out += heading("Understanding", colour);
  out += fmt::format("{} of {} elements have a class of the metamodel.\n", counts.elements - counts.not_understood,
                     counts.elements);
  if (summary.system == nullptr)
    out += "The model cannot be analyzed; see the errors above.\n";
  else
    out += fmt::format("The model can be analyzed: {} tasks, {} activities.\n", summary.system->tasks.size(),
                       summary.system->graph.size());
  std::size_t left_out = 0;
  for (const Diagnostic& finding : summary.findings.all()) left_out += finding.id.starts_with("AM04") ? 1U : 0U;
  if (left_out > 0)
    out += fmt::format("{} findings above describe what the analysis simplifies or ignores.\n", left_out);
  return out;
}

std::string render_summary_json(const ModelSummary& summary) {
  using Json = nlohmann::ordered_json;
  const Counts counts = count(summary.model);
  Json json;
  json["model"] = model_json(summary.info);
  json["elements"] = counts.elements;
  json["not_understood"] = counts.not_understood;
  json["classes"] = Json::object();
  for (const auto& [cls, number] : counts.by_class) json["classes"][std::string(cls)] = number;
  json["ignored_classes"] = Json::array();
  for (const auto& [cls, number] : counts.by_class)
    if (!summary.is_used(cls)) json["ignored_classes"].push_back(std::string(cls));
  json["analysable"] = summary.system != nullptr;
  json["mapping"] = Json::array();
  if (summary.system != nullptr)
    for (const Task& task : summary.system->tasks) {
      Json entry = {{"task", task.name},
                    {"side", side_name(task.side)},
                    {"scheduler", summary.system->platform.schedulers[task.scheduler].name},
                    {"unit", summary.system->platform.units[task.unit].name},
                    {"priority", task.priority}};
      if (task.units.size() > 1) entry["units"] = names_json(summary.system->platform.units, task.units);
      if (const std::string note = kind_note(task); !note.empty()) entry["kind"] = note;
      entry["folded_into"] = name_or_null(summary.system->tasks, task.folded_into);
      json["mapping"].push_back(std::move(entry));
    }
  json["findings"] = findings_json(summary.findings.all());
  return written(json);
}

}  // namespace amalthea::exporter
