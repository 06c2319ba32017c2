// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/help.hpp"
#include "cli/usage_error.hpp"
#include "cli/verbs.hpp"
#include "exporter/results/result_view.hpp"

int main(int argc, char** argv) {
  using namespace amalthea;
  int exit_code = cli::ExitCode::all_well;
  try {
    CLI::App app{"Analyze the timing of CPU+GPU systems that are AMALTHEA models", "amalthea"};
    app.set_help_flag("-h,--help", "Show the usual options");
    app.set_help_all_flag("--help-all", "Show all options and exit codes");
    app.set_version_flag("--version", fmt::format("amalthea {} ({})", exporter::tool_version, exporter::tool_name),
                         "Show the version");
    app.add_flag_callback("--help-markdown", [&app] { throw CLI::CallForVersion(cli::commands_page(app), 0); })
        ->group("");  // hidden: for docs/reference/commands.md
    app.require_subcommand(1);
    cli::describe(
        app,
        {"amalthea validate model.amxmi", "amalthea analyze model.amxmi", "amalthea report -o report.html model.amxmi"},
        "Exit codes:\n"
        "  0  every limit is met or guaranteed\n"
        "  1  a limit is missed, a task is unbounded, or the model has an error\n"
        "  2  wrong usage, unreadable input or unwritable output\n"
        "  3  internal error\n"
        "  4  something that limits timing could not be judged");
    cli::add_info(app, exit_code);
    cli::add_graph(app, exit_code);
    cli::add_validate(app, exit_code);
    cli::add_analyze(app, exit_code);
    cli::add_simulate(app, exit_code);
    cli::add_explain(app, exit_code);
    cli::add_report(app, exit_code);
    cli::add_annotate(app, exit_code);
    cli::add_explore(app, exit_code);
    cli::add_batch(app, exit_code);
    cli::add_convert(app, exit_code);
    cli::add_gpu(app, exit_code);
    try {
      app.parse(argc, argv);
    } catch (const CLI::Success& success) {
      return app.exit(success);  // --help, --version
    } catch (const CLI::ParseError& error) {
      fmt::print(stderr, "{}", cli::describe_usage_error(app, error));
      return cli::ExitCode::unusable;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "amalthea: internal error: {}\n", error.what());
    return cli::ExitCode::internal;
  }
  return exit_code;
}
