// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "amalthea/source_text.hpp"
#include "cli/complaint.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"
#include "engine/explanation.hpp"
#include "engine/small_changes.hpp"
#include "engine/what_if.hpp"
#include "exporter/explanation/explanation_formats.hpp"
#include "importer/building/mapping_constraints.hpp"

namespace amalthea::cli {
namespace {

struct ExplainOptions {
  InputOptions input;  ///< the task's name is the last element of its models
  AnalysisInput analysis;
  std::string format = "text";
  std::string output;
  std::string picture;
};

std::optional<TaskIndex> task_named(const System& system, const std::string& name) {
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (system.tasks[task].name == name) return task;
  return std::nullopt;
}

/// The tasks that execute a runnable, by its name.
std::vector<TaskIndex> tasks_with_runnable(const System& system, const std::string& name) {
  std::vector<TaskIndex> found;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    const auto& body = system.tasks[task].body;
    if (std::any_of(body.begin(), body.end(), [&](NodeIndex node) {
          const auto& runnable = system.graph[node].runnable;
          return runnable && system.runnables[*runnable].name == name;
        }))
      found.push_back(task);
  }
  return found;
}

/// The task to explain for a name that is no task's; nothing, and a message, if there is not exactly one.
std::optional<TaskIndex> task_of_runnable(const System& system, const std::string& name) {
  const std::vector<TaskIndex> tasks = tasks_with_runnable(system, name);
  if (tasks.size() == 1) return tasks.front();
  if (tasks.empty()) {
    complain(
        fmt::format("the model has no task \"{}\"{}", name, did_you_mean_or_list(name, system.tasks, &Task::name)));
    return std::nullopt;
  }
  std::string names;
  for (const TaskIndex task : tasks)
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", system.tasks[task].name);
  complain(fmt::format("several tasks execute the runnable \"{}\": {}; name one of them", name, names));
  return std::nullopt;
}

int run(ExplainOptions options) {
  if (options.input.models.size() < 2)
    return unusable("the name of the task is missing; use amalthea explain MODEL TASK");
  const std::string name = options.input.models.back();
  std::error_code error;
  if (is_model_file_name(name) && std::filesystem::exists(name, error) &&
      !std::filesystem::exists(options.input.models.front(), error))
    return unusable(
        fmt::format("\"{0}\" is a file, but the last argument is the name of a task; use amalthea explain "
                    "{0} {1}",
                    name, options.input.models.front()));
  options.input.models.pop_back();
  if (!check_output(options.output) || !check_output(options.picture)) return ExitCode::unusable;
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  const auto prepared =
      model.and_then([&](const Model& read) { return prepare_analysis(read, options.analysis, diagnostics); });
  auto task = prepared ? task_named(prepared->system, name) : std::nullopt;
  const auto same = [&](const Task& other) { return other.name == name; };
  if (task && std::count_if(prepared->system.tasks.begin(), prepared->system.tasks.end(), same) > 1) {
    print_findings(diagnostics);
    return unusable(
        fmt::format("the model has several tasks named \"{}\"; rename them, or use one variant of the model", name));
  }
  exporter::Asked about;
  if (prepared && !task) {
    task = task_of_runnable(prepared->system, name);
    about.runnable = name;
  }
  const auto results = task ? engine::analyze(prepared->system, prepared->analysis, diagnostics) : std::nullopt;
  print_findings(diagnostics);
  if (!prepared) return prepared.error();
  if (!task) return ExitCode::unusable;
  if (!results) return ExitCode::findings;
  const TaskIndex found = task.value_or(TaskIndex{});  // there is one
  const TaskIndex asked = prepared->system.tasks[found].folded_into.value_or(found);
  about.wrapper = engine::wrapper_of(prepared->system, asked);
  const auto explanation = engine::explain(prepared->system, prepared->analysis, *results, asked);
  // A simulation that was stopped would be stopped again.
  engine::WhatIfs tried;
  if (!results->stopped_early) {
    Diagnostics ignored;  // `explore` reports constraints that it cannot keep
    tried = engine::what_if(prepared->system, prepared->analysis, *results,
                            importer::mapping_constraints(*model, {&prepared->system}, false, ignored).allowed, asked);
  }
  const exporter::ModelInfo info = exporter::model_info(*model);
  const exporter::ResultView view{info, prepared->system, *results, diagnostics};
  const bool colour = options.output.empty() && use_colour();
  if (!explanation) {
    tell("amalthea: {}\n", explanation.error());
    if (options.format == "text" &&
        !write_output(options.output,
                      exporter::render_without_job_text(view, about, asked, explanation.error(), tried, colour)))
      return ExitCode::unusable;
    return ExitCode::findings;
  }
  const std::string text = options.format == "json"
                               ? exporter::render_explanation_json(view, about, *explanation, tried)
                               : exporter::render_explanation_text(view, about, *explanation, tried, colour);
  if (!options.picture.empty() && !write_output(options.picture, exporter::render_explanation_svg(view, *explanation)))
    return ExitCode::unusable;
  if (!write_output(options.output, text)) return ExitCode::unusable;
  const engine::Verdict verdict = results->tasks[explanation->task].verdict;
  if (verdict == engine::Verdict::missed || verdict == engine::Verdict::unbounded) return ExitCode::findings;
  const bool allowed = options.analysis.allow_unknown && !diagnostics.has_errors();
  return verdict == engine::Verdict::unknown && !allowed ? ExitCode::unknown : ExitCode::all_well;
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* verb = app.add_subcommand("explain", "Explain the longest response time of a task, step by step");
  verb->group(group::timing);
  add_input_options(*verb, options->input, [](std::vector<std::string> models) {
    models.pop_back();  // the task's name
    return model_files(models);
  });
  verb->get_option("MODEL")
      ->option_text("MODEL... TASK")
      ->description("Model files or a folder, which form one model, then the name of the task or of a runnable");
  add_analysis_options(*verb, options->analysis);
  verb->add_option("--format", options->format, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str()
      ->group(group::output);
  add_output_option(*verb, options->output);
  add_output(*verb, "--picture", options->picture, "Also draw the job and what delays it into this SVG file")
      ->type_name("FILE")
      ->group(group::output);
  describe(*verb,
           {"amalthea explain model.amxmi Control", "amalthea explain --picture control.svg model.amxmi Control",
            "amalthea explain --format json model.amxmi Control"},
           "Exit codes:\n"
           "  0  the deadline of the task is met, or it has none\n"
           "  1  the deadline is missed, the task is unbounded, or the model has an error\n"
           "  2  wrong usage or unreadable input\n"
           "  4  the deadline could not be judged (docs/reference/verdicts.md)");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
