// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <new>
#include <system_error>

#include <fmt/core.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "cli/complaint.hpp"
#include "cli/help.hpp"
#include "cli/numbers.hpp"
#include "cli/streams.hpp"
#include "cli/usage_error.hpp"
#include "cli/verbs.hpp"
#include "exporter/primitives/temporaries.hpp"
#include "exporter/results/result_view.hpp"

namespace {

using namespace amalthea;

int run(int argc, char** argv) {
  int exit_code = cli::ExitCode::all_well;
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
      "  2  wrong usage, unreadable input, unwritable output, or a lack of memory\n"
      "  3  internal error\n"
      "  4  something that limits timing could not be judged");
  cli::add_verbs(app, exit_code);
  cli::check_numbers(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    const int code = app.exit(success);  // --help, --version
    return cli::output_is_written() ? code : cli::ExitCode::unusable;
  } catch (const CLI::ParseError& error) {
    cli::tell_text(cli::describe_usage_error(app, error));
    return cli::ExitCode::unusable;
  }
  return cli::output_is_written() ? exit_code : cli::ExitCode::unusable;
}

int tell_out_of_memory() {
  // Without the memory that a formatted message needs.
  cli::tell_text(
      "amalthea: error: not enough memory; raise the memory limit of the process, or simulate less (--until)\n");
  return cli::ExitCode::unusable;
}

/// Where an exception cannot be caught: a destructor of JSON needs memory, for example.
[[noreturn]] void end_at_once() {
  exporter::remove_temporaries();
  try {
    if (const auto failure = std::current_exception()) std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    ::_exit(tell_out_of_memory());
  } catch (...) {
  }
  cli::tell_text("amalthea: internal error: an exception was not caught\n");
  ::_exit(cli::ExitCode::internal);
}

}  // namespace

int main(int argc, char** argv) {
  cli::open_standard_streams();
  exporter::remove_temporaries_on_signals();
  std::set_terminate(end_at_once);
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    return tell_out_of_memory();
  } catch (const std::system_error& error) {
    return cli::unusable(error.what());
  } catch (const std::exception& error) {
    cli::tell("amalthea: internal error: {}\n", error.what());
    return cli::ExitCode::internal;
  }
}
