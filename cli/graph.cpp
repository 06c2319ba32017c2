// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "analysis/model_analysis.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"
#include "exporter/graph/graph_formats.hpp"

namespace amalthea::cli {
namespace {

struct GraphOptions {
  InputOptions input;
  importer::BuildOptions build;
  std::string format = "dot";
  std::string output;
  std::string task;
  bool lenient = false;
};

int run(const GraphOptions& options) {
  if (!check_output(options.output)) return ExitCode::unusable;
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  const auto built = model ? analysis::build(*model, options.build, options.lenient, diagnostics) : std::nullopt;
  print_findings(diagnostics);
  if (!model) return model.error();
  if (!built) return ExitCode::findings;
  const System& system = *built;
  std::optional<TaskIndex> task;
  for (TaskIndex index = 0; index < system.tasks.size(); ++index)
    if (system.tasks[index].name == options.task) task = index;
  if (!options.task.empty() && !task) {
    tell("amalthea: error: --task {}: the model has no such task{}\n", options.task,
         did_you_mean_or_list(options.task, system.tasks, &Task::name));
    return ExitCode::unusable;
  }
  const auto render = options.format == "json"  ? exporter::render_graph_json
                      : options.format == "svg" ? exporter::render_graph_svg
                                                : exporter::render_graph_dot;
  const std::string text = render(system, task);
  if (!write_output(options.output, text)) return ExitCode::unusable;
  return diagnostics.has_errors() ? ExitCode::findings : ExitCode::all_well;
}

}  // namespace

void add_graph(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<GraphOptions>();
  CLI::App* verb = app.add_subcommand("graph", "Draw the runnable graph of a system or a task as SVG, DOT or JSON");
  verb->group(group::understand);
  add_input_options(*verb, options->input);
  verb->add_option("--task", options->task, "Draw only this task")->type_name("TASK")->group(group::output);
  verb->add_option("--format", options->format, "Output format")
      ->check(CLI::IsMember({"dot", "json", "svg"}))
      ->capture_default_str()
      ->group(group::output);
  add_output_option(*verb, options->output);
  add_build_options(*verb, options->build);
  add_lenient_option(*verb, options->lenient);
  describe(*verb,
           {"amalthea graph --format svg -o graph.svg model.amxmi",
            "amalthea graph --task Control --format svg -o control.svg model.amxmi",
            "amalthea graph model.amxmi > graph.dot   # for Graphviz: dot -Tsvg graph.dot"},
           "Exit codes:\n  0  written\n  1  the model has an error\n  2  wrong usage, unreadable input or unwritable "
           "output");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
