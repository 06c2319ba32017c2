// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <CLI/CLI.hpp>

#include "analysis/graph.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/verbs.hpp"

namespace amalthea::cli {
namespace {

struct GraphOptions {
  InputOptions input;
  analysis::GraphRequest request;
  std::string output;
};

int run(const GraphOptions& options) {
  if (!check_output(options.output)) return ExitCode::unusable;
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  const auto drawn = model ? analysis::graph(*model, options.request, diagnostics) : analysis::Outcome<std::string>();
  print_findings(diagnostics);
  if (!model) return model.error();
  if (!drawn) return code_of(drawn.error());
  if (!write_output(options.output, *drawn)) return ExitCode::unusable;
  return diagnostics.has_errors() ? ExitCode::findings : ExitCode::all_well;
}

}  // namespace

void add_graph(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<GraphOptions>();
  CLI::App* verb = app.add_subcommand("graph", "Draw the runnable graph of a system or a task as SVG, DOT or JSON");
  verb->group(group::understand);
  add_input_options(*verb, options->input);
  const analysis::OptionTable rows = analysis::graph_options(options->request);
  add_options(*verb, analysis::picked(rows, {"task"}));
  add_options(*verb, {row("format", &options->request.format, "Output format", {group::output},
                          {.choices = {"dot", "json", "svg"}})});
  add_output_option(*verb, options->output);
  add_options(*verb, analysis::picked(rows, {"keep-wrappers", "max-activities", "lenient"}));
  describe(*verb,
           {"amalthea graph --format svg -o graph.svg model.amxmi",
            "amalthea graph --task Control --format svg -o control.svg model.amxmi",
            "amalthea graph model.amxmi > graph.dot   # for Graphviz: dot -Tsvg graph.dot"},
           "Exit codes:\n  0  written\n  1  the model has an error\n  2  wrong usage, unreadable input or unwritable "
           "output");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
