// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/complaint.hpp"
#include "cli/numbers.hpp"
#include "cli/usage_error.hpp"
#include "cli/verbs.hpp"
#include "exporter/results/result_view.hpp"

int main(int argc, char** argv) {
  using namespace amalthea;
  int exit_code = cli::ExitCode::all_well;
  try {
    CLI::App app{"Timing of AMALTHEA models of CPU+GPU systems", "amalthea"};
    app.set_version_flag("--version", fmt::format("amalthea {} ({})", exporter::tool_version, exporter::tool_name));
    app.require_subcommand(1);
    app.footer("amalthea VERB --help tells more about a verb.");
    cli::add_info(app, exit_code);
    cli::add_graph(app, exit_code);
    cli::add_analyze(app, exit_code);
    cli::add_simulate(app, exit_code);
    cli::add_explain(app, exit_code);
    cli::add_report(app, exit_code);
    cli::add_annotate(app, exit_code);
    cli::add_validate(app, exit_code);
    cli::add_batch(app, exit_code);
    cli::add_convert(app, exit_code);
    cli::add_explore(app, exit_code);
    cli::add_gpu(app, exit_code);
    cli::check_numbers(app);
    try {
      app.parse(argc, argv);
    } catch (const CLI::Success& success) {
      return app.exit(success);  // --help, --version
    } catch (const CLI::ParseError& error) {
      cli::say(cli::describe_usage_error(app, error));
      return cli::ExitCode::unusable;
    }
  } catch (const std::exception& error) {
    cli::say(fmt::format("amalthea: internal error: {}", error.what()));
    return cli::ExitCode::internal;
  }
  return exit_code;
}
