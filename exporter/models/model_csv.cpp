// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/views/activity.hpp"
#include "amalthea/views/deviations.hpp"
#include "amalthea/views/mapping.hpp"
#include "amalthea/views/properties.hpp"
#include "amalthea/views/software.hpp"
#include "amalthea/views/stimuli.hpp"
#include "exporter/models/detail/model_walk.hpp"
#include "exporter/models/model_exports.hpp"
#include "exporter/primitives/csv.hpp"

namespace amalthea::exporter {
namespace {

using Row = std::vector<std::string>;

/// Counts of relations by element.
class Tally {
 public:
  void add(Element element) { ++counts_[key(element)]; }
  std::string of(Element element) const {
    const auto count = counts_.find(key(element));
    return std::to_string(count == counts_.end() ? 0 : count->second);
  }

 private:
  static std::uint64_t key(Element element) {
    return static_cast<std::uint64_t>(element.document().position()) << 32U | element.index();
  }
  std::unordered_map<std::uint64_t, std::size_t> counts_;
};

/// The input of a table, and the destination of its lines.
struct Table {
  const Model& model;
  const ModelExportOptions& options;
  Diagnostics& diagnostics;
  const Sink& sink;

  void line(const Row& row) const {
    std::string text;
    append_csv_line(text, row);
    sink(text);
  }
};

std::string name_of(Element element) { return element ? std::string(element.name()) : std::string(); }

std::string names_of(const std::vector<Element>& elements) {
  std::string names;
  for (const Element element : elements) names.append(names.empty() ? "" : "; ").append(element.name());
  return names;
}

template <typename T>
std::string number(const std::optional<T>& value) {
  return value ? std::to_string(*value) : std::string();
}

void add_place(Row& row, Element element) {
  const Location place = element.location();
  row.push_back(place.file);
  row.push_back(std::to_string(place.line));
}

Row with_place(Row row, Element element) {
  add_place(row, element);
  return row;
}

/// Picoseconds between activations, if all stimuli are periodic with the same period.
std::string period_of(const Table& table, const views::Process& process) {
  std::optional<Duration> period;
  for (const Element element : process.stimuli) {
    const views::Stimulus stimulus = views::stimulus_of(table.model, element, table.diagnostics);
    const auto* const periodic = std::get_if<views::PeriodicStimulus>(&stimulus.kind);
    if (periodic == nullptr || !periodic->recurrence || (period && *period != *periodic->recurrence)) return {};
    period = periodic->recurrence;
  }
  return period ? std::to_string(period->picoseconds()) : std::string();
}

std::string_view text_of(views::Preemption preemption) {
  constexpr std::array<std::string_view, 5> texts{"", "preemptive", "cooperative", "non_preemptive", ""};
  return texts[static_cast<std::size_t>(preemption)];
}

void write_tasks(const Table& table) {
  table.line({"name", "kind", "file", "line", "stimuli", "period_ps", "preemption", "activation_limit", "scheduler",
              "affinity", "priority", "calls", "triggers", "best_execution_ps", "worst_execution_ps"});
  const views::Mapping mapping = views::mapping_of(table.model);
  for (const views::Process& process : views::processes(table.model, table.diagnostics)) {
    const bool task = process.kind == views::ProcessKind::task;
    Row row = {std::string(process.name), task ? "Task" : "ISR"};
    add_place(row, process.element);
    row.push_back(names_of(process.stimuli));
    row.push_back(period_of(table, process));
    row.emplace_back(text_of(process.preemption));
    row.push_back(task && process.activation_limit > 0 ? std::to_string(process.activation_limit) : "");
    if (const auto index = mapping.task_allocation_of.find(process.element); index && task) {
      const views::TaskAllocation& allocation = mapping.tasks[*index];
      const auto priority = views::priority_of(process.element, allocation);
      row.insert(row.end(), {name_of(allocation.scheduler), names_of(allocation.affinity),
                             priority ? std::string(priority->text) : std::string()});
    } else if (const auto isr = mapping.isr_allocation_of.find(process.element); isr && !task) {
      row.insert(row.end(), {name_of(mapping.isrs[*isr].controller), "", number(mapping.isrs[*isr].priority)});
    } else {
      row.insert(row.end(), {"", "", ""});
    }
    std::size_t calls = 0, triggers = 0;
    for (const Use& use : uses_of(table.model, process.element, table.diagnostics)) {
      calls += use.relation == Relation::calls ? 1 : 0;
      triggers += use.relation == Relation::triggers ? 1 : 0;
    }
    row.push_back(std::to_string(calls));
    row.push_back(std::to_string(triggers));
    const auto times = table.options.execution.find({process.element.document().position(), process.element.index()});
    const bool known = times != table.options.execution.end();
    row.push_back(known ? std::to_string(times->second.best.picoseconds()) : "");
    row.push_back(known ? std::to_string(times->second.worst.picoseconds()) : "");
    table.line(row);
  }
}

void write_runnables(const Table& table) {
  table.line(
      {"name", "file", "line", "called", "calls", "reads", "writes", "callback", "service", "asil", "section", "tags"});
  const auto runnables = views::runnables(table.model, table.diagnostics);
  Tally called;
  const auto count_calls = [&](Element executable) {
    for (const Use& use : uses_of(table.model, executable, table.diagnostics))
      if (use.relation == Relation::calls) called.add(use.what);
  };
  for (const views::Process& process : views::processes(table.model, table.diagnostics)) count_calls(process.element);
  for (const views::Runnable& runnable : runnables) count_calls(runnable.element);
  for (const views::Runnable& runnable : runnables) {
    std::array<std::size_t, 4> counts{};
    for (const Use& use : uses_of(table.model, runnable.element, table.diagnostics))
      ++counts[static_cast<std::size_t>(use.relation)];
    const auto count = [&](Relation relation) { return std::to_string(counts[static_cast<std::size_t>(relation)]); };
    Row row = {std::string(runnable.name)};
    add_place(row, runnable.element);
    row.insert(row.end(),
               {called.of(runnable.element), count(Relation::calls), count(Relation::reads), count(Relation::writes),
                runnable.callback ? "true" : "false", runnable.service ? "true" : "false",
                std::string(runnable.asil_level), name_of(runnable.section), names_of(runnable.tags)});
    table.line(row);
  }
}

/// One line for every statement of execution time: on any unit, or on those of one definition.
void write_ticks(const Table& table) {
  table.line({"executable", "kind", "unit", "measure", "least", "average", "largest", "file", "line"});
  const auto write = [&](Element executable) {
    const auto line = [&](Element item, Element unit, std::string_view measure,
                          const std::optional<views::Deviation<std::int64_t>>& amount) {
      if (!amount) return;
      const auto reading = views::reading_of(*amount);
      table.line(
          with_place({name_of(executable), std::string(executable.class_name()), name_of(unit), std::string(measure),
                      std::to_string(reading.lower), std::to_string(reading.average), std::to_string(reading.upper)},
                     item));
    };
    for_each_item(table.model, executable, table.diagnostics, [&](const views::ActivityItem& item) {
      if (const auto* const ticks = std::get_if<views::Ticks>(&item.kind)) {
        line(item.element, {}, "ticks", ticks->otherwise);
        for (const auto& entry : ticks->extended) line(item.element, entry.first, "ticks", entry.second);
      }
      if (const auto* const need = std::get_if<views::ExecutionNeed>(&item.kind)) {
        for (const views::Need& one : need->needs) line(item.element, {}, one.key, one.amount);
        for (const auto& entry : need->extended)
          for (const views::Need& one : entry.second) line(item.element, entry.first, one.key, one.amount);
      }
    });
  };
  for (const views::Process& process : views::processes(table.model, table.diagnostics)) write(process.element);
  for (const views::Runnable& runnable : views::runnables(table.model, table.diagnostics)) write(runnable.element);
}

void write_labels(const Table& table) {
  table.line({"name", "file", "line", "size_bytes", "constant", "volatile", "stability", "memory", "address", "reads",
              "writes"});
  Tally reads, writes;
  const auto count = [&](Element executable) {
    for (const Use& use : uses_of(table.model, executable, table.diagnostics)) {
      if (use.relation == Relation::reads) reads.add(use.what);
      if (use.relation == Relation::writes) writes.add(use.what);
    }
  };
  for (const views::Process& process : views::processes(table.model, table.diagnostics)) count(process.element);
  for (const views::Runnable& runnable : views::runnables(table.model, table.diagnostics)) count(runnable.element);
  const views::Mapping mapping = views::mapping_of(table.model);
  const views::MemoryFinder memory(table.model, mapping);
  views::for_each_label(table.model, table.diagnostics, [&](const views::Label& label) {
    Row row = {std::string(label.name)};
    add_place(row, label.element);
    const auto entry = mapping.memory_mapping_of.find(label.element);
    row.insert(row.end(),
               {label.size ? std::to_string(label.size->bytes) : "", label.constant ? "true" : "false",
                label.is_volatile ? "true" : "false", std::string(label.data_stability),
                name_of(memory.memory_of(label.element)), entry ? number(mapping.memory[*entry].position) : "",
                reads.of(label.element), writes.of(label.element)});
    table.line(row);
  });
}

void write_mapping(const Table& table) {
  table.line({"kind", "what", "class", "to", "units", "parameters", "address", "file", "line"});
  const auto line = [&](Element entry, std::string_view kind, Element what, Element to, const std::string& units,
                        const std::string& parameters, const std::string& address) {
    Row row = {std::string(kind), name_of(what), what ? std::string(what.class_name()) : "", name_of(to), units,
               parameters,        address};
    add_place(row, entry);
    table.line(row);
  };
  const views::Mapping mapping = views::mapping_of(table.model);
  for (const views::SchedulerAllocation& entry : mapping.schedulers)
    line(entry.element, "scheduler", entry.scheduler, entry.executing_unit, names_of(entry.responsibility), "", "");
  for (const views::TaskAllocation& entry : mapping.tasks) {
    std::string parameters;
    for (const Parameter& parameter : entry.parameters)
      parameters += fmt::format("{}{}={}", parameters.empty() ? "" : "; ", parameter.name, parameter.value);
    line(entry.element, "task", entry.task, entry.scheduler, names_of(entry.affinity), parameters, "");
  }
  for (const views::IsrAllocation& entry : mapping.isrs)
    line(entry.element, "isr", entry.isr, entry.controller, "",
         entry.priority ? fmt::format("priority={}", *entry.priority) : "", "");
  for (const views::RunnableAllocation& entry : mapping.runnables)
    line(entry.element, "runnable", entry.runnable, entry.scheduler, "", "", "");
  for (const views::MemoryMapping& entry : mapping.memory)
    line(entry.element, "memory", entry.mapped, entry.memory, "", "", number(entry.position));
  for (const views::PhysicalSectionMapping& entry : mapping.sections)
    for (const Element section : entry.sections)
      line(entry.element, "section", section, entry.memory, "", "", number(entry.start_address));
}

struct NamedTable {
  std::string_view name;
  void (*write)(const Table&);
};
constexpr std::array tables = {
    NamedTable{"tasks", write_tasks},   NamedTable{"runnables", write_runnables}, NamedTable{"ticks", write_ticks},
    NamedTable{"labels", write_labels}, NamedTable{"mapping", write_mapping},
};

}  // namespace

void write_model_csv(const Model& model, const ModelExportOptions& options, Diagnostics& diagnostics,
                     const Sink& sink) {
  for (const NamedTable& table : tables)
    if (options.table.empty() || table.name == options.table) return table.write({model, options, diagnostics, sink});
}

const std::vector<std::string>& model_tables() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const NamedTable& table : tables) all.emplace_back(table.name);
    return all;
  }();
  return names;
}

}  // namespace amalthea::exporter
