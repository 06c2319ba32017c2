// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"

#include <iterator>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "analysis/built_with.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/manual.hpp"
#include "cli/numbers.hpp"
#include "cli/shown_findings.hpp"
#include "cli/streams.hpp"
#include "cli/usage_error.hpp"
#include "cli/verbs.hpp"
#include "exporter/results/result_view.hpp"

namespace amalthea::cli {
namespace {

/// What to type first.
constexpr const char* first_screen =
    "amalthea checks the timing of AMALTHEA models of CPUs and GPUs.\n"
    "\n"
    "  amalthea new --template cpu -o table.csv   a table of tasks, to edit; or gpu, let, autosar\n"
    "  amalthea new table.csv -o model.amxmi      the model of a table\n"
    "  amalthea validate model.amxmi              is the model complete and sound?\n"
    "  amalthea analyze model.amxmi               does every deadline hold?\n"
    "  amalthea explain model.amxmi TASK          why not?\n"
    "\n"
    "See amalthea --help for all verbs, amalthea VERB --help for each.\n";

/// Ends the command with this text, whose line end is added again.
[[noreturn]] void print_exactly(std::string text) {
  text.pop_back();
  throw CLI::CallForVersion(text, 0);
}

}  // namespace

int run_command(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    tell_text(first_screen);
    return ExitCode::unusable;
  }
  forget_files();
  show_all_findings();
  int exit_code = ExitCode::all_well;
  CLI::App app{"Analyze the timing of CPU+GPU systems that are AMALTHEA models", "amalthea"};
  app.set_help_flag("-h,--help", "Show the usual options");
  app.set_help_all_flag("--help-all", "Show all options and exit codes");
  std::string version = fmt::format("amalthea {} ({})\n{}", exporter::tool_version, exporter::tool_name,
                                    analysis::built_with("CLI11 " CLI11_VERSION "\n"));
  version.pop_back();  // the line end
  app.set_version_flag("--version", version, "Show the version, and those of compiler and libraries");
  const auto hidden = [&app](const char* name, std::string (*text)(const CLI::App&)) {
    app.add_flag_callback(name, [&app, text] { throw CLI::CallForVersion(text(app), 0); })->group("");
  };
  hidden("--help-markdown", commands_page);  // for docs/reference/commands.md
  app.add_option_function<std::string>(
         "--completion", [&app](const std::string& shell) { print_exactly(completion(app, shell)); },
         "Print the completion script of a shell")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(shells), std::end(shells))))
      ->group(rarely("Options"));
  app.add_option_function<std::string>(
         "--manual-page",
         [&app](const std::string& name) {
           const auto page = manual_page(app, name, exporter::tool_version);
           print_exactly(page ? *page : fmt::format("{}\n", fmt::join(manual_names(app), "\n")));
         })
      ->group("");  // hidden: for cmake/WriteManual.cmake
  app.require_subcommand(1);
  describe(app,
           {"amalthea new --template cpu -o table.csv", "amalthea analyze model.amxmi",
            "amalthea report -o report.html model.amxmi"},
           "Exit codes:\n"
           "  0  every limit is met or guaranteed\n"
           "  1  a limit is missed, a task is unbounded, or the model has an error\n"
           "  2  wrong usage, unreadable input, unwritable output, or a lack of memory\n"
           "  3  internal error\n"
           "  4  something that limits timing could not be judged\n"
           "  130  interrupted (Ctrl-C)");
  add_verbs(app, exit_code);
  check_numbers(app);
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(std::move(reversed));
  } catch (const CLI::Success& success) {
    std::ostringstream text;
    const int code = app.exit(success, text, text);  // --help, --version
    print_text(text.str());
    return output_is_written() ? code : ExitCode::unusable;
  } catch (const CLI::ParseError& error) {
    tell_text(describe_usage_error(app, error));
    return ExitCode::unusable;
  }
  return output_is_written() ? exit_code : ExitCode::unusable;
}

}  // namespace amalthea::cli
