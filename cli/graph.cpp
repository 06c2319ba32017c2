// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "analysis/model_analysis.hpp"
#include "cli/complaint.hpp"
#include "cli/input.hpp"
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
    return unusable(fmt::format("--task {}: the model has no such task{}", options.task,
                                did_you_mean_or_list(options.task, system.tasks, &Task::name)));
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
  CLI::App* verb =
      app.add_subcommand("graph", "the runnable graph of the system or of one task, as DOT, JSON or a picture");
  add_input_options(*verb, options->input);
  add_build_options(*verb, options->build);
  add_lenient_option(*verb, options->lenient);
  verb->add_option("--format", options->format, "output format")
      ->check(CLI::IsMember({"dot", "json", "svg"}))
      ->capture_default_str();
  verb->add_option("--task", options->task, "only the graph of this task");
  verb->add_option("-o,--output", options->output, "write to this file instead of standard output");
  verb->footer("Graphviz draws another picture: amalthea graph MODEL | dot -Tsvg -o graph.svg");
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace amalthea::cli
