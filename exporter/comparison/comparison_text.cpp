// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "amalthea/primitives/visible_text.hpp"
#include "amalthea/quantity.hpp"
#include "engine/verdict.hpp"
#include "exporter/comparison/comparison_formats.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/results/verdict_text.hpp"

namespace amalthea::exporter {
namespace {

std::string text_of(const traces::TraceFile& file) {
  return fmt::format("{}  ({}, {} events from {} to {}{})", file.path, file.report.format, file.report.events,
                     format_duration(file.begin.since_start()), format_duration(file.end.since_start()),
                     file.truncated ? ", truncated" : "");
}

class ComparisonText {
 public:
  ComparisonText(const ComparisonView& view, bool markdown, bool colour)
      : view_(view), system_(view.system), measured_(view.measured), markdown_(markdown), colour_(colour) {}

  std::string render() {
    head();
    tasks();
    executions();
    runnables();
    operations();
    limits();
    names();
    return std::move(out_);
  }

 private:
  using Column = TextTable::Column;

  std::string time(Duration value) const { return unit_.time(value); }
  std::string time(std::optional<Duration> value) const { return value ? time(*value) : "-"; }
  Column in_unit(std::string_view title) const { return {fmt::format("{} {}", title, unit_.name()), Align::right}; }
  template <typename Measured>
  void choose_unit(const std::vector<Measured>& all, engine::Sample Measured::*sample) {
    Duration longest;
    for (const Measured& one : all)
      if ((one.*sample).count() > 0) longest = std::max(longest, (one.*sample).max());
    unit_ = TableUnit(longest);
  }

  void title(std::string_view text) {
    if (markdown_)
      out_ += fmt::format("\n## {}\n\n", text);
    else
      out_ += heading(text, colour_);
  }
  void line(std::string_view text, Colour colour = Colour::none) {
    out_ += markdown_ ? markdown_text(text) : paint(line_start(text), colour, colour_);
    out_ += markdown_ ? "  \n" : "\n";
  }
  void show(std::string_view name, const TextTable& table) {
    if (table.empty()) return;
    title(name);
    out_ += markdown_ ? table.markdown() : table.render(colour_);
  }
  void dim(const std::string& text) {
    out_ += markdown_ ? "\n" + markdown_text(text) + "\n" : paint(one_line(text), Colour::dim, colour_) + "\n";
  }

  void head() {
    if (markdown_) out_ += "# Measured traces and model\n\n";
    for (const VerdictLine& said : verdict_lines(engine::assess(system_, measured_.judged, Diagnostics{})))
      line(said.text, said.colour);
    for (const traces::TraceFile& file : measured_.files) line(text_of(file));
    line(fmt::format("{}  (AMALTHEA {}, {})", fmt::join(view_.model.files, ", "), view_.model.version,
                     view_.model.hash.substr(0, 19)));
    line(measured_.findings == 0 ? std::string("The trace contradicts neither its format nor the model.")
                                 : fmt::format("{} in the trace.", counted(measured_.findings, "finding")));
  }

  static std::string jobs_text(const traces::MeasuredTask& task) {
    std::string jobs = std::to_string(task.response.count());
    if (task.unfinished > 0) jobs += fmt::format("+{}", task.unfinished);
    if (task.lost > 0) jobs += fmt::format("-{}", task.lost);
    return jobs;
  }

  void tasks() {
    choose_unit(measured_.tasks, &traces::MeasuredTask::response);
    std::vector<Column> columns{{"task"},        {"jobs", Align::right}, in_unit("min"),
                                in_unit("mean"), in_unit("p99"),         in_unit("max")};
    if (view_.simulated != nullptr) {
      columns.push_back(in_unit("simulated p99"));
      columns.push_back(in_unit("simulated max"));
      columns.push_back({"distance", Align::right});
    }
    if (view_.bounds != nullptr) columns.push_back(in_unit("bound"));
    columns.push_back(in_unit("deadline"));
    columns.push_back({"late", Align::right});
    columns.push_back({"verdict"});
    TextTable table(columns);
    bool unfinished = false, lost = false;
    for (TaskIndex index = 0; index < system_.tasks.size(); ++index) {
      const Task& task = system_.tasks[index];
      if (task.folded_into) continue;
      const traces::MeasuredTask& seen = measured_.tasks[index];
      const bool any = seen.response.count() > 0;
      unfinished = unfinished || seen.unfinished > 0;
      lost = lost || seen.lost > 0;
      std::vector<TextTable::Cell> row{{task.name},
                                       {jobs_text(seen)},
                                       {any ? time(seen.response.min()) : "-"},
                                       {any ? time(seen.response.mean()) : "-"},
                                       {any ? time(seen.response.percentile(990)) : "-"},
                                       {any ? time(seen.response.max()) : "-"}};
      if (view_.simulated != nullptr) {
        const engine::Sample& simulated = view_.simulated->tasks[index].response;
        const bool both = any && simulated.count() > 0;
        row.push_back({simulated.count() > 0 ? time(simulated.percentile(990)) : "-"});
        row.push_back({simulated.count() > 0 ? time(simulated.max()) : "-"});
        row.push_back({both ? fmt::format("{:.2f}", kolmogorov_distance(seen.response, simulated)) : "-"});
      }
      if (view_.bounds != nullptr) {
        const auto& bound = view_.bounds->tasks[index].bound.worst;
        const bool above = any && bound && seen.response.max() > *bound;
        row.push_back({time(bound), above ? Colour::bad : Colour::none});
      }
      const engine::Verdict verdict = measured_.judged.tasks[index].verdict;
      row.push_back({time(task.deadline)});
      row.push_back({task.deadline && any ? std::to_string(seen.late) : "-"});
      row.push_back({std::string(to_string(verdict)), colour_of(verdict)});
      table.add_row(std::move(row));
    }
    show("Response times", table);
    if (unfinished) dim("jobs n+m: m jobs had not ended at the end of the trace");
    if (lost) dim("jobs n-m: m activations were lost");
    if (view_.simulated != nullptr)
      dim(fmt::format("distance: Kolmogorov distance to {} of the simulation, from 0 (alike) to 1 (nothing in common)",
                      counted(view_.simulated->runs, "run")));
  }

  void executions() {
    choose_unit(measured_.tasks, &traces::MeasuredTask::execution);
    TextTable table =
        TextTable::of("task", in_unit("min"), in_unit("mean"), in_unit("p99"), in_unit("max"), in_unit("ready"),
                      in_unit("waiting"), in_unit("polling"), in_unit("parking"), ">preemptions", ">migrations");
    for (TaskIndex index = 0; index < system_.tasks.size(); ++index) {
      const traces::MeasuredTask& seen = measured_.tasks[index];
      if (seen.execution.count() == 0) continue;
      const auto mean = [&](TimeMetric metric) {
        const engine::Extent& extent = seen.metrics[metric];
        return extent.jobs() > 0 ? time(extent.mean()) : std::string("-");
      };
      table.add(system_.tasks[index].name, time(seen.execution.min()), time(seen.execution.mean()),
                time(seen.execution.percentile(990)), time(seen.execution.max()), mean(TimeMetric::ready_time),
                mean(TimeMetric::waiting_time), mean(TimeMetric::polling_time), mean(TimeMetric::parking_time),
                std::to_string(seen.metrics.preemptions), std::to_string(seen.metrics.migrations));
    }
    show("Execution times and mean times in states", table);
  }

  void runnables() {
    choose_unit(measured_.runnables, &traces::MeasuredRunnable::execution);
    TextTable table =
        TextTable::of("runnable", "task", ">runs", in_unit("min"), in_unit("mean"), in_unit("p99"), in_unit("max"));
    for (const traces::MeasuredRunnable& runnable : measured_.runnables) {
      if (runnable.execution.count() == 0) continue;
      const engine::Sample& execution = runnable.execution;
      table.add(system_.runnables[runnable.runnable].name, system_.tasks[runnable.task].name,
                std::to_string(runnable.runs), time(execution.min()), time(execution.mean()),
                time(execution.percentile(990)), time(execution.max()));
    }
    show("Execution times of runnables", table);
  }

  void operations() {
    choose_unit(measured_.operations, &traces::MeasuredOperation::execution);
    TextTable table = TextTable::of("copy or kernel", ">runs", in_unit("min"), in_unit("mean"), in_unit("p99"),
                                    in_unit("max"), in_unit("longest from submission"), in_unit("bound"));
    for (const traces::MeasuredOperation& operation : measured_.operations) {
      const engine::Sample& execution = operation.execution;
      if (execution.count() == 0) continue;
      std::optional<Duration> bound;
      if (view_.bounds != nullptr)
        for (const engine::OperationResult& result : view_.bounds->operations)
          if (result.node == operation.node) bound = result.bound.worst;
      table.add(system_.graph[operation.node].name, std::to_string(execution.count()), time(execution.min()),
                time(execution.mean()), time(execution.percentile(990)), time(execution.max()),
                operation.duration.count() > 0 ? time(operation.duration.max()) : "-", time(bound));
    }
    show("Copies and kernels", table);
  }

  void limits() {
    TextTable table = TextTable::of("limit", "verdict", "why");
    for (const engine::JudgedLimit& limit : engine::assess(system_, measured_.judged, Diagnostics{}).limits) {
      if (limit.kind == engine::JudgedLimit::Kind::deadline || limit.kind == engine::JudgedLimit::Kind::task) continue;
      const bool bad = limit.verdict >= engine::OverallVerdict::unbounded;
      table.add(limit.name, TextTable::Cell{std::string(to_string(limit.verdict)), bad ? Colour::bad : Colour::none},
                limit.reason);
    }
    show("Requirements, latencies and timing constraints", table);
  }

  void names() {
    if (!measured_.unmatched.empty()) {
      constexpr std::size_t most = 20;
      TextTable table = TextTable::of("name in the trace", ">events");
      std::vector<traces::Unmatched> sorted = measured_.unmatched;
      std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.events > b.events; });
      for (std::size_t index = 0; index < std::min(most, sorted.size()); ++index)
        table.add(sorted[index].name, std::to_string(sorted[index].events));
      show("Not in the model", table);
      if (sorted.size() > most) dim(fmt::format("and {} more names", sorted.size() - most));
    }
    for (const std::string& pattern : measured_.unused_rules)
      dim(fmt::format("pattern \"{}\" of --names matches no name of the trace", pattern));
  }

  const ComparisonView& view_;
  const System& system_;
  const traces::Comparison& measured_;
  bool markdown_, colour_;
  std::string out_;
  TableUnit unit_;
};

}  // namespace

std::string render_comparison_text(const ComparisonView& view, bool colour) {
  return ComparisonText(view, false, colour).render();
}

std::string render_comparison_markdown(const ComparisonView& view) {
  return ComparisonText(view, true, false).render();
}

std::string render_listed_trace(const traces::ListedTrace& listed, bool markdown, bool colour) {
  TextTable table = TextTable::of("name in the trace", "kind", ">events");
  std::vector<traces::Unmatched> sorted = listed.names;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.events > b.events; });
  for (const traces::Unmatched& name : sorted)
    table.add(name.name, std::string(to_string(name.kind)), std::to_string(name.events));
  const std::string head = text_of(listed.file);
  if (markdown) return fmt::format("# Measured trace\n\n{}\n\n{}", markdown_text(head), table.markdown());
  return fmt::format("{}\n{}{}", line_start(head), heading("Names", colour), table.render(colour));
}

}  // namespace amalthea::exporter
