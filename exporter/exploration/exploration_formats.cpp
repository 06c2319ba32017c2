// SPDX-License-Identifier: Apache-2.0
#include "exporter/exploration/exploration_formats.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "amalthea/primitives/visible_text.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/rounded_duration.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/results/json_parts.hpp"
#include "exporter/results/verdict_text.hpp"
#include "exporter/rewriting/remapping.hpp"

namespace amalthea::exporter {
namespace {

using explore::Judgement;
using explore::Solution;
using nlohmann::ordered_json;

std::string exact_text(Duration time) {
  const TimeText text = exact_time(time);
  return fmt::format("{} {}", text.value, text.unit);
}

/// With a capital letter: reasons are parts of sentences elsewhere.
std::string sentence(std::string reason) {
  if (!reason.empty() && reason.front() >= 'a' && reason.front() <= 'z')
    reason.front() = static_cast<char>(reason.front() - 'a' + 'A');
  return reason;
}

/// How the task waits for events; nothing if it does not, or in both ways.
std::optional<bool> waiting_of(const System& system, TaskIndex task) {
  std::optional<bool> actively;
  for (const NodeIndex node : system.tasks[task].body)
    if (const auto* wait = std::get_if<WaitEvents>(&system.graph[node].activity)) {
      if (actively && *actively != wait->active) return std::nullopt;
      actively = wait->active;
    }
  return actively;
}

/// The displayed mapping of a task, as text; "-" for nothing.
struct Words {
  std::string unit, priority, waiting, slice;
};
Words words_of(const System& system, TaskIndex index) {
  const Task& task = system.tasks[index];
  if (task.folded_into) return {"dropped", "-", "-", "-"};
  Words words{system.platform.units[task.unit].name, "-", "-", "-"};
  for (std::size_t i = 1; i < task.units.size(); ++i) words.unit += ", " + system.platform.units[task.units[i]].name;
  if (task.side == Side::host) words.priority = fmt::format("{}", task.priority);
  if (const auto actively = waiting_of(system, index)) words.waiting = *actively ? "active" : "passive";
  if (task.side == Side::device && task.time_slice) words.slice = exact_text(*task.time_slice);
  return words;
}

std::string changed(const std::string& before, const std::string& after) {
  return before == after ? after : fmt::format("{} -> {}", before, after);
}

std::string value_text(const ExplorationObjective& objective, double value) {
  if (!std::isfinite(value)) return "unknown";
  if (objective.unit == "s") return fmt::format("{:.3f} ms", value * 1000);
  return objective.unit == "count" ? fmt::format("{:.0f}", value) : fmt::format("{:.4f}", value);
}

/// Tasks whose simulated response contradicts their bound.
std::vector<TaskIndex> beyond_bounds(const Solution& solution) {
  std::vector<TaskIndex> beyond;
  for (TaskIndex task = 0; task < solution.simulated.size(); ++task) {
    const auto& worst = solution.judgement.bounds[task].worst;
    if (worst && solution.simulated[task] && *solution.simulated[task] > *worst) beyond.push_back(task);
  }
  return beyond;
}

/// Tasks whose bounds exceed their deadlines: those that the analysis finds late, and those that it only cannot
/// guarantee.
struct Lateness {
  std::vector<TaskIndex> late, not_guaranteed;
};
Lateness lateness(const Judgement& judgement, const std::vector<TaskIndex>* late) {
  Lateness split;
  for (const TaskIndex task : judgement.late) {
    const bool is_late = late != nullptr && std::find(late->begin(), late->end(), task) != late->end();
    (is_late ? split.late : split.not_guaranteed).push_back(task);
  }
  return split;
}

/// Of a solution that only the search has simulated.
Lateness lateness(const System& system, const Solution& solution) {
  std::vector<TaskIndex> late;
  for (TaskIndex task = 0; task < solution.simulated.size(); ++task)
    if (const auto& deadline = system.tasks[task].deadline; deadline && solution.simulated[task] > deadline)
      late.push_back(task);
  return lateness(solution.judgement, &late);
}

class Renderer {
 public:
  Renderer(const ExplorationView& view, bool markdown, bool colour)
      : view_(view),
        exploration_(view.exploration),
        chosen_(view.exploration.front[view.chosen]),
        markdown_(markdown),
        colour_(colour && !markdown) {}

  std::string render() {
    head();
    impossible();
    tasks();
    simulation();
    missing_bounds();
    objectives();
    front();
    comparison();
    out_ += fmt::format("\n{} candidates evaluated.\n", exploration_.judged);
    return std::move(out_);
  }

 private:
  std::string name(TaskIndex task) const { return escaped(view_.before.tasks[task].name); }
  std::string escaped(const std::string& text) const { return markdown_ ? markdown_text(text) : one_line(text); }

  void title(std::string_view text) { out_ += markdown_ ? fmt::format("\n## {}\n\n", text) : heading(text, colour_); }
  void line(const std::string& text) { out_ += fmt::format("{} {}\n", markdown_ ? "-" : " ", line_start(text)); }
  void line_of_head(const std::string& text) {
    out_ += markdown_ ? fmt::format("- {}\n", markdown_text(text)) : line_start(text) + "\n";
  }
  void table(const TextTable& table) { out_ += markdown_ ? table.markdown() : table.render(colour_); }

  std::string names(const std::vector<TaskIndex>& tasks) const {
    std::string text;
    for (const TaskIndex task : tasks) text += fmt::format("{}{}", text.empty() ? "" : ", ", name(task));
    return text;
  }

  void head() {
    if (markdown_) {
      std::string files;
      for (const std::string& file : view_.model.files)
        files += fmt::format("{}{}", files.empty() ? "" : ", ", markdown_text(file));
      out_ +=
          fmt::format("# Mapping of {}\n\nAMALTHEA {}; {} {}\n\n", files, view_.model.version, tool_name, tool_version);
    }
    if (view_.assessment != nullptr)
      for (const VerdictLine& said : verdict_lines(*view_.assessment))
        out_ += markdown_ ? fmt::format("- {}\n", markdown_text(said.text))
                          : paint(one_line(said.text), said.colour, colour_) + "\n";
    for (const std::string& one : view_.worse)
      line_of_head(fmt::format("Worse than with {}: {}", mapping_before(), one));
    if (view_.created != nullptr)
      line_of_head(
          fmt::format("Created: a first mapping of what the model leaves unmapped: {}", describe(*view_.created)));
    if (markdown_) out_ += "\n";
    const std::string after = words_on_after();
    const bool good = !after.empty() && chosen_.judgement.late.empty();
    out_ += after + (after.empty() ? "" : " ") + words_on_before(good) + ".\n";
    out_ += fmt::format("{}{} of the mapping {}.\n", markdown_ ? "\n" : "",
                        chosen_.changes == 1 ? std::string("1 value") : fmt::format("{} values", chosen_.changes),
                        chosen_.changes == 1 ? "changes" : "change");
    if (const auto& conflict = exploration_.conflict)
      out_ += fmt::format("{}{}{}.\n", markdown_ ? "\n" : "",
                          conflict->is_narrowed && conflict->tasks.size() > 1
                              ? fmt::format("These requirements conflict: {}. ", names(conflict->tasks))
                              : std::string(),
                          escaped(sentence(conflict->reason)));
  }

  /// How far the found mapping meets the deadlines; nothing if the verdict says it.
  std::string words_on_after() const {
    const auto [late, open] = lateness(chosen_.judgement, view_.late_after);
    const std::size_t broken = chosen_.judgement.broken, failing = failing_limits();
    const auto impossible = impossible_tasks();
    const std::string violated = broken > 0 ? fmt::format("; violated constraints: {}", broken) : "";
    const std::string unproven = open.empty() ? "" : fmt::format("; not guaranteed: {}", names(open));
    std::string text;
    if (!late.empty())
      text =
          fmt::format("No mapping was found that meets all deadlines; late: {}{}{}.", names(late), unproven, violated);
    else if (!open.empty())
      text = fmt::format("No mapping was found that guarantees all deadlines{}{}.", unproven, violated);
    else if (broken > 0)
      text = fmt::format("No mapping was found that meets all constraints; violated: {}.", broken);
    else if (impossible.empty())
      return failing == 0 ? paint("Every deadline is met.", Colour::good, colour_) : std::string();
    else
      text = fmt::format("No mapping can meet the {} of {}{}.", impossible.size() == 1 ? "deadline" : "deadlines",
                         names(impossible), failing <= impossible.size() ? "; every other one is met" : "");
    return paint(text, Colour::bad, colour_);
  }

  const char* mapping_before() const {
    return view_.created == nullptr ? "the mapping of the model" : "the first mapping";
  }

  /// Without a period. `good`: that the found mapping has no late task was said.
  std::string words_on_before(bool good) const {
    const Judgement& judgement = exploration_.original_judgement;
    const auto [late, open] = lateness(judgement, view_.late_before);
    const char* const before = mapping_before();
    std::string text;
    if (!late.empty())
      text = fmt::format("Late with {}: {}{}", before, names(late),
                         open.empty() ? "" : fmt::format("; not guaranteed: {}", names(open)));
    else if (!open.empty())
      text = fmt::format("Not guaranteed with {}: {}", before, names(open));
    else
      text = fmt::format("With {}, no {}task is late{}", before, exploration_.impossible.empty() ? "" : "other ",
                         good ? " either" : "");
    return judgement.broken > 0 ? fmt::format("{}; constraints that it violates: {}", text, judgement.broken) : text;
  }

  /// Limits of the whole model that the found mapping does not meet.
  std::size_t failing_limits() const {
    using engine::OverallVerdict;
    const engine::Assessment* const all = view_.assessment;
    return all == nullptr ? 0 : all->count(OverallVerdict::missed) + all->count(OverallVerdict::unbounded);
  }

  std::vector<TaskIndex> impossible_tasks() const {
    std::vector<TaskIndex> tasks;
    for (const explore::Impossible& task : exploration_.impossible) tasks.push_back(task.task);
    return tasks;
  }

  void impossible() {
    if (exploration_.impossible.empty()) return;
    title("Deadlines that no mapping can meet");
    for (const explore::Impossible& task : exploration_.impossible)
      line(fmt::format("{}: takes at least {} (on {}{}), the deadline is {}{}", name(task.task),
                       format_duration(task.least), escaped(view_.before.platform.units[task.unit].name),
                       task.confined ? "; constraints or options exclude other units" : "",
                       format_duration(task.deadline), worsening(task.task)));
  }

  /// The search ignores a task that cannot meet its deadline, so its bound may grow.
  std::string worsening(TaskIndex task) const {
    const auto before = exploration_.original_judgement.bounds[task].worst,
               after = chosen_.judgement.bounds[task].worst;
    if (before && after && *after > *before)
      return fmt::format("; this mapping increases its bound from {} to {}", format_duration(*before, Rounding::up),
                         format_duration(*after, Rounding::up));
    return before && !after
               ? fmt::format("; with this mapping it has no bound (before: {})", format_duration(*before, Rounding::up))
               : std::string();
  }

  /// A simulated response never exceeds a bound, so anything else is reported.
  void simulation() {
    if (!chosen_.was_simulated)
      out_ += "\nThis mapping could not be simulated, so the simulation does not confirm its bounds.\n";
    if (const auto beyond = beyond_bounds(chosen_); !beyond.empty()) {
      out_ += '\n';
      out_ += paint(fmt::format("Simulated response times exceed their bounds, which is an error of this program: {}.",
                                names(beyond)),
                    Colour::bad, colour_);
      out_ += '\n';
    }
  }

  void tasks() {
    title(markdown_ ? "Tasks" : "Tasks (times in ms)");
    if (markdown_) out_ += "Times in ms; changes are shown as before -> after.\n\n";
    TextTable table = TextTable::of("task", "unit", "priority", "waits", "slice", ">bound before", ">bound",
                                    ">deadline", ">simulated");
    for (TaskIndex task = 0; task < view_.before.tasks.size(); ++task) {
      const Words before = words_of(view_.before, task), after = words_of(view_.after, task);
      const auto deadline = view_.after.tasks[task].deadline;
      const auto cell = [](const std::string& old, const std::string& now) {
        return TextTable::Cell{changed(old, now), old == now ? Colour::none : Colour::bold};
      };
      const auto bound = [&](const Judgement& judgement) {
        const auto worst = judgement.bounds[task].worst;
        const bool late = std::find(judgement.late.begin(), judgement.late.end(), task) != judgement.late.end();
        const bool is_impossible = std::any_of(exploration_.impossible.begin(), exploration_.impossible.end(),
                                               [task](const explore::Impossible& other) { return other.task == task; });
        const bool bad = late || is_impossible;
        return TextTable::Cell{at_most_ms(worst), bad                             ? Colour::bad
                                                  : deadline && worst.has_value() ? Colour::good
                                                                                  : Colour::none};
      };
      const std::string simulated = task < chosen_.simulated.size() ? at_most_ms(chosen_.simulated[task]) : "-";
      table.add(view_.before.tasks[task].name, cell(before.unit, after.unit), cell(before.priority, after.priority),
                cell(before.waiting, after.waiting), cell(before.slice, after.slice),
                bound(exploration_.original_judgement), bound(chosen_.judgement), at_most_ms(deadline), simulated);
    }
    this->table(table);
  }

  void missing_bounds() {
    const auto& bounds = chosen_.judgement.bounds;
    bool first = true;
    for (TaskIndex task = 0; task < bounds.size(); ++task) {
      if (bounds[task].worst || bounds[task].reason.empty()) continue;
      if (std::exchange(first, false)) title("Without a bound");
      line(fmt::format("{}: {}", name(task), escaped(bounds[task].reason)));
    }
  }

  void objectives() {
    title("Objectives");
    TextTable table = TextTable::of("objective", ">before", ">after");
    for (std::size_t i = 0; i < view_.objectives.size(); ++i)
      table.add(view_.objectives[i].name,
                value_text(view_.objectives[i], exploration_.original_judgement.objectives[i]),
                value_text(view_.objectives[i], chosen_.judgement.objectives[i]));
    this->table(table);
  }

  void front() {
    if (exploration_.front.size() < 2) return;
    title("Pareto front");
    std::vector<TextTable::Column> columns = {{"solution", Align::right}};
    for (const ExplorationObjective& objective : view_.objectives) columns.push_back({objective.name, Align::right});
    columns.push_back({"changes", Align::right});
    columns.push_back({"not guaranteed", Align::right});
    columns.push_back({""});
    TextTable table(std::move(columns));
    for (std::size_t i = 0; i < exploration_.front.size(); ++i) {
      const Judgement& judgement = exploration_.front[i].judgement;
      std::vector<TextTable::Cell> row = {{fmt::format("{}", i + 1)}};
      for (std::size_t k = 0; k < view_.objectives.size(); ++k)
        row.push_back({value_text(view_.objectives[k], judgement.objectives[k])});
      row.push_back({fmt::format("{}", exploration_.front[i].changes)});
      row.push_back({fmt::format("{}", judgement.late.size())});
      row.push_back({i == view_.chosen ? "chosen" : ""});
      table.add_row(std::move(row));
    }
    this->table(table);
  }

  /// Other mappings beside that of the model and the found one; chains in any case.
  void comparison() {
    std::vector<MappingColumn> columns = {{"model", view_.before, exploration_.original_judgement}};
    for (const ComparedMapping& other : view_.compared) columns.push_back({other.name, other.system, other.judgement});
    columns.push_back({"found", view_.after, chosen_.judgement});
    if (!view_.compared.empty()) {
      title(markdown_ ? "Other mappings" : "Other mappings (bounds in ms)");
      if (markdown_) out_ += "Unit and bound in ms; - where there is none.\n\n";
      table(compare_tasks(columns));
    }
    const TextTable chains = compare_chains(columns);
    if (chains.empty()) return;
    title(markdown_ ? "Chains" : "Chains (longest reactions in ms)");
    if (markdown_)
      out_ += "Longest reactions in ms: under LET, and by mapping as bounded under implicit communication.\n\n";
    table(chains);
  }

  const ExplorationView& view_;
  const explore::Exploration& exploration_;
  const Solution& chosen_;
  bool markdown_;
  bool colour_;
  std::string out_;
};

ordered_json number_json(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }

ordered_json mapping_json(const System& system, TaskIndex index) {
  const Task& task = system.tasks[index];
  ordered_json json;
  json["fell_away"] = task.folded_into.has_value();
  if (task.folded_into) return json;
  json["units"] = names_json(system.platform.units, task.units.empty() ? std::vector{task.unit} : task.units);
  json["priority"] = task.side == Side::host ? ordered_json(task.priority) : ordered_json(nullptr);
  const auto actively = waiting_of(system, index);
  json["waiting"] = actively ? ordered_json(*actively ? "active" : "passive") : ordered_json(nullptr);
  json["slice_ps"] = picoseconds(task.side == Side::device ? task.time_slice : std::nullopt);
  return json;
}

ordered_json objectives_json(const ExplorationView& view, const Judgement& judgement) {
  ordered_json values = ordered_json::array();
  for (std::size_t i = 0; i < view.objectives.size(); ++i) values.push_back(number_json(judgement.objectives[i]));
  return values;
}

ordered_json compared_json(const ExplorationView& view, const ComparedMapping& other) {
  ordered_json json;
  json["name"] = other.name;
  const auto [late, open] = lateness(other.judgement, &other.late);
  json["late"] = names_json(view.before.tasks, late);
  json["not_guaranteed"] = names_json(view.before.tasks, open);
  json["unbounded"] = other.judgement.unbounded;
  json["broken"] = other.judgement.broken;
  json["objectives"] = objectives_json(view, other.judgement);
  json["tasks"] = ordered_json::array();
  for (TaskIndex task = 0; task < other.system.tasks.size(); ++task) {
    ordered_json entry{{"name", other.system.tasks[task].name}};
    entry.update(mapping_json(other.system, task));
    entry["bound_ps"] = picoseconds(other.judgement.bounds[task].worst);
    json["tasks"].push_back(std::move(entry));
  }
  return json;
}

/// The reactions of a chain for every mapping.
ordered_json chains_json(const ExplorationView& view, const Solution& chosen) {
  const auto let = let_reactions(view.after);
  const auto before = chain_reactions(view.before, view.exploration.original_judgement);
  const auto after = chain_reactions(view.after, chosen.judgement);
  std::vector<std::vector<std::optional<Duration>>> compared;
  for (const ComparedMapping& other : view.compared) compared.push_back(chain_reactions(other.system, other.judgement));
  ordered_json json = ordered_json::array();
  for (std::size_t chain = 0; chain < after.size(); ++chain) {
    ordered_json entry;
    entry["name"] = view.after.chains[chain].name;
    entry["let_reaction_ps"] = picoseconds(let[chain]);
    entry["before_ps"] = picoseconds(before[chain]);
    entry["after_ps"] = picoseconds(after[chain]);
    entry["compared_ps"] = ordered_json::array();
    for (const auto& reactions : compared) entry["compared_ps"].push_back(picoseconds(reactions[chain]));
    json.push_back(std::move(entry));
  }
  return json;
}

}  // namespace

std::string render_exploration_text(const ExplorationView& view, bool colour) {
  return Renderer(view, false, colour).render();
}

std::string render_exploration_report(const ExplorationView& view) { return Renderer(view, true, false).render(); }

std::string render_exploration_json(const ExplorationView& view) {
  const explore::Exploration& exploration = view.exploration;
  const Solution& chosen = exploration.front[view.chosen];
  ordered_json json = begun_json(exploration_schema, view.model);
  if (view.assessment != nullptr) add_verdict(json, *view.assessment);
  json["worse"] = view.worse;
  json["created"] = nullptr;
  if (view.created != nullptr) {
    json["created"] = {{"tasks", ordered_json::array()}, {"schedulers", ordered_json::array()}};
    for (const Element task : view.created->tasks) json["created"]["tasks"].push_back(task.name());
    for (const auto& one : view.created->responsibilities)
      json["created"]["schedulers"].push_back({{"name", one.scheduler}, {"unit", one.unit}, {"new", one.is_new}});
  }
  json["judged"] = exploration.judged;
  json["feasible"] = chosen.judgement.late.empty() && chosen.judgement.broken == 0;
  json["impossible"] = ordered_json::array();
  for (const explore::Impossible& task : exploration.impossible)
    json["impossible"].push_back({{"task", view.before.tasks[task.task].name},
                                  {"least_ps", task.least.picoseconds()},
                                  {"unit", view.before.platform.units[task.unit].name},
                                  {"deadline_ps", task.deadline.picoseconds()},
                                  {"confined", task.confined}});
  json["conflict"] = nullptr;
  if (exploration.conflict)
    json["conflict"] = {{"tasks", names_json(view.before.tasks, exploration.conflict->tasks)},
                        {"reason", exploration.conflict->reason}};
  const auto before = lateness(exploration.original_judgement, view.late_before);
  const auto after = lateness(chosen.judgement, view.late_after);
  json["late"] = {{"before", names_json(view.before.tasks, before.late)},
                  {"after", names_json(view.before.tasks, after.late)}};
  json["not_guaranteed"] = {{"before", names_json(view.before.tasks, before.not_guaranteed)},
                            {"after", names_json(view.before.tasks, after.not_guaranteed)}};
  json["objectives"] = ordered_json::array();
  for (std::size_t i = 0; i < view.objectives.size(); ++i)
    json["objectives"].push_back({{"name", view.objectives[i].name},
                                  {"unit", view.objectives[i].unit},
                                  {"before", number_json(exploration.original_judgement.objectives[i])},
                                  {"after", number_json(chosen.judgement.objectives[i])}});
  json["tasks"] = ordered_json::array();
  for (TaskIndex task = 0; task < view.before.tasks.size(); ++task) {
    const auto bound = [task](const Judgement& judgement, ordered_json mapping) {
      mapping["bound_ps"] = picoseconds(judgement.bounds[task].worst);
      if (!judgement.bounds[task].worst) mapping["reason"] = judgement.bounds[task].reason;
      return mapping;
    };
    ordered_json entry;
    entry["name"] = view.before.tasks[task].name;
    entry["deadline_ps"] = picoseconds(view.after.tasks[task].deadline);
    entry["before"] = bound(exploration.original_judgement, mapping_json(view.before, task));
    entry["after"] = bound(chosen.judgement, mapping_json(view.after, task));
    entry["after"]["simulated_ps"] =
        picoseconds(task < chosen.simulated.size() ? chosen.simulated[task] : std::nullopt);
    json["tasks"].push_back(std::move(entry));
  }
  json["simulation"] = {{"made", chosen.was_simulated},
                        {"beyond_bound", names_json(view.before.tasks, beyond_bounds(chosen))}};
  json["changes"] = chosen.changes;
  json["chosen"] = view.chosen + 1;
  json["front"] = ordered_json::array();
  for (const Solution& solution : exploration.front) {
    const auto [late, open] = lateness(view.before, solution);
    json["front"].push_back({{"objectives", objectives_json(view, solution.judgement)},
                             {"changes", solution.changes},
                             {"late", names_json(view.before.tasks, late)},
                             {"not_guaranteed", names_json(view.before.tasks, open)}});
  }
  json["chains"] = chains_json(view, chosen);
  json["compared"] = ordered_json::array();
  for (const ComparedMapping& other : view.compared) json["compared"].push_back(compared_json(view, other));
  return written(json);
}

std::string mapping_change(const System& before, const System& after, TaskIndex task) {
  const Words then = words_of(before, task), now = words_of(after, task);
  std::vector<std::string> parts;
  const auto add = [&parts](std::string_view what, const std::string& from, const std::string& to) {
    if (from != to && from != "-" && to != "-") parts.push_back(fmt::format("{}{} → {}", what, from, to));
  };
  add("", then.unit, now.unit);
  add("priority ", then.priority, now.priority);
  add("waiting ", then.waiting, now.waiting);
  add("time slice ", then.slice, now.slice);
  if (then.slice == "-" && now.slice != "-" && then.unit == now.unit) parts.push_back("time slice " + now.slice);
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<MappingEntry> mapping_entries(const System& system) {
  std::vector<MappingEntry> entries;
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    if (task.kind != ProcessKind::task || task.folded_into) continue;
    MappingEntry entry{task.name, {}, {}, {}, {}};
    if (task.units.empty()) entry.core = system.platform.units[task.unit].name;
    if (task.side == Side::host) entry.priority = task.priority;
    entry.waits_actively = waiting_of(system, index);
    if (task.side == Side::device) entry.time_slice = task.time_slice;
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string render_mapping_file(const std::vector<MappingEntry>& entries) {
  std::string text = "{";
  for (const MappingEntry& entry : entries) {
    ordered_json value = ordered_json::object();
    if (!entry.core.empty()) value["core"] = entry.core;
    if (entry.priority) value["priority"] = *entry.priority;
    if (entry.waits_actively) value["waiting"] = *entry.waits_actively ? "active" : "passive";
    if (entry.time_slice) value["slice"] = exact_text(*entry.time_slice);
    text +=
        fmt::format("{}\n  {}: {}", &entry == entries.data() ? "" : ",", ordered_json(entry.task).dump(), value.dump());
  }
  return text + "\n}\n";
}

}  // namespace amalthea::exporter
