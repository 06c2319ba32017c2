// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "amalthea/diagnostic.hpp"
#include "analysis/new_model.hpp"
#include "cli/complaint.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"

namespace amalthea::cli {
namespace {

struct NewOptions {
  analysis::NewModelRequest request;
  std::string output;
};

int run(const NewOptions& options) {
  const auto& [table, name, from] = options.request;
  if (table.empty() == name.empty()) return unusable("expected one of TABLE.csv and --template");
  if (!check_output(options.output)) return ExitCode::unusable;
  const bool file = !is_standard_output(options.output);
  if (!name.empty() && options.output.ends_with(".csv")) {
    if (!from.empty()) return unusable("--from applies to a model, not to a table");
    if (!write_data(options.output, std::string(analysis::template_text(name)))) return ExitCode::unusable;
    print_summary(fmt::format("Edit {}, then: amalthea new {} -o model.amxmi\n", options.output, options.output));
    return ExitCode::all_well;
  }
  Diagnostics findings;
  const auto made = analysis::new_model(options.request, file ? options.output : "<stdout>", {}, findings);
  print_findings(findings);
  if (!made) return code_of(made.error());
  if (!write_data(options.output, made->text)) return ExitCode::unusable;
  if (!file) return ExitCode::all_well;
  std::string summary;
  for (const std::string& sentence : made->assumptions) summary += fmt::format("Assumed: {}\n", sentence);
  print_summary(fmt::format("{}Next: amalthea analyze {}{}\n", summary, options.output,
                            name == "let" ? " --communication let" : ""));
  return ExitCode::all_well;
}

}  // namespace

void add_new(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<NewOptions>();
  CLI::App* verb = app.add_subcommand("new", "Make a model from a table of tasks, or from a template");
  verb->group(group::understand);
  add_input(*verb, "TABLE", options->request.table, "Table of tasks in CSV: docs/reference/table.md");
  add_options(*verb, analysis::new_model_options(options->request));
  add_output_option(*verb, options->output);
  describe(*verb,
           {"amalthea new --template cpu -o table.csv   # a table to edit", "amalthea new table.csv -o ecu.amxmi",
            "amalthea new tasks.csv --from old.amxmi -o ecu.amxmi"},
           "Exit codes:\n"
           "  0  written\n"
           "  1  the model of the table has an error; nothing is written\n"
           "  2  wrong usage, a mistake in the table, or unwritable output");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
