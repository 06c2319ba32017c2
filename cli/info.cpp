// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <CLI/CLI.hpp>

#include "analysis/info.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/verbs.hpp"
#include "exporter/models/model_dump.hpp"

namespace amalthea::cli {
namespace {

struct InfoOptions {
  InputOptions input;
  analysis::InfoRequest request;
  bool dump = false;
};

int run(const InfoOptions& options) {
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  std::string text;
  if (model && !options.dump) text = analysis::info(*model, options.request, use_colour(), diagnostics);
  print_findings(diagnostics);
  if (!model) return model.error();
  bool written = true;
  const auto write = [&](std::string_view part) { written = written && write_output("", std::string(part)); };
  if (options.dump)
    exporter::dump_model(*model, write);
  else
    write(text);
  if (!written) return ExitCode::unusable;
  return diagnostics.has_errors() ? ExitCode::findings : ExitCode::all_well;
}

}  // namespace

void add_info(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* verb = app.add_subcommand("info", "Summarize a model and what the analysis uses of it");
  verb->group(group::understand);
  add_input_options(*verb, options->input);
  add_options(*verb,
              {row("format", &options->request.format, "Output format", {group::output}, {.choices = {"text", "json"}}),
               row("dump", &options->dump,
                   "List every object, attribute and reference. One per line, in a canonical order, to compare models",
                   {group::output})});
  add_options(*verb, analysis::info_options(options->request));
  describe(
      *verb,
      {"amalthea info model.amxmi", "amalthea info --format json model.amxmi",
       "amalthea info --dump model.amxmi > model.txt"},
      "Exit codes:\n  0  the model can be read\n  1  the model has an error\n  2  wrong usage or unreadable input");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
