// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/verbs.hpp"
#include "exporter/models/model_dump.hpp"
#include "exporter/models/model_summary.hpp"
#include "importer/building/used_classes.hpp"

namespace amalthea::cli {
namespace {

struct InfoOptions {
  InputOptions input;
  importer::BuildOptions build;
  std::string format = "text";
  bool dump = false;
};

/// Every object, attribute and reference; findings go to standard error as usual.
int dump(const InfoOptions& options) {
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  print_findings(diagnostics);
  if (!model) return model.error();
  bool written = true;
  exporter::dump_model(*model, [&](std::string_view part) {
    if (written) written = write_output("", std::string(part));
  });
  if (!written) return ExitCode::unusable;
  return diagnostics.has_errors() ? ExitCode::findings : ExitCode::all_well;
}

int run(const InfoOptions& options) {
  if (options.dump) return dump(options);
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  importer::BuildOptions build = options.build;
  build.flow = false;
  const auto system = model ? importer::build_system(*model, build, diagnostics) : std::nullopt;
  print_findings(diagnostics);
  if (!model) return model.error();
  const exporter::ModelInfo info = exporter::model_info(*model);
  const exporter::ModelSummary summary{info, *model, system ? &*system : nullptr, diagnostics,
                                       importer::is_used_by_analysis};
  const std::string text = options.format == "json" ? exporter::render_summary_json(summary)
                                                    : exporter::render_summary_text(summary, use_colour());
  if (!write_output("", text)) return ExitCode::unusable;
  return diagnostics.has_errors() ? ExitCode::findings : ExitCode::all_well;
}

}  // namespace

void add_info(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* verb = app.add_subcommand("info", "Summarize a model and what the analysis uses of it");
  verb->group(group::understand);
  add_input_options(*verb, options->input);
  add_options(*verb,
              {row("format", &options->format, "Output format", {group::output}, {.choices = {"text", "json"}}),
               row("dump", &options->dump,
                   "List every object, attribute and reference. One per line, in a canonical order, to compare models",
                   {group::output})});
  add_options(*verb, analysis::build_options(options->build));
  describe(
      *verb,
      {"amalthea info model.amxmi", "amalthea info --format json model.amxmi",
       "amalthea info --dump model.amxmi > model.txt"},
      "Exit codes:\n  0  the model can be read\n  1  the model has an error\n  2  wrong usage or unreadable input");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
