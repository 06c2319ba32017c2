// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "amalthea/source_text.hpp"
#include "analysis/explanation.hpp"
#include "cli/complaint.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"

namespace amalthea::cli {
namespace {

struct ExplainOptions {
  InputOptions input;  ///< the task's name is the last element of its models
  AnalysisInput analysis;
  std::string format = "text";
  std::string output;
  std::string picture;
};

int run(ExplainOptions options) {
  if (options.input.models.size() < 2)
    return unusable("the name of the task is missing; use amalthea explain MODEL TASK");
  const std::string name = options.input.models.back();
  std::error_code error;
  if (is_model_file_name(name) && std::filesystem::exists(name, error) &&
      !std::filesystem::exists(options.input.models.front(), error))
    return unusable(
        fmt::format("\"{0}\" is a file, but the last argument is the name of a task; use amalthea explain "
                    "{0} {1}",
                    name, options.input.models.front()));
  options.input.models.pop_back();
  if (!check_output(options.output) || !check_output(options.picture)) return ExitCode::unusable;
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  const auto explained = model.and_then([&](const Model& read) {
    return analysis::explain(read, options.analysis, name, diagnostics, nullptr).map_error(code_of);
  });
  print_findings(diagnostics);
  if (!explained) return explained.error();
  const exporter::ModelInfo info = exporter::model_info(*model);
  const exporter::ResultView view{info, explained->system, explained->results, diagnostics};
  const bool colour = options.output.empty() && use_colour();
  const auto& explanation = explained->explanation;
  if (!explanation) {
    tell("amalthea: {}\n", explained->no_job);
    if (options.format == "text" &&
        !write_output(options.output, exporter::render_without_job_text(view, explained->asked, explained->task,
                                                                        explained->no_job, explained->tried, colour)))
      return ExitCode::unusable;
    return ExitCode::findings;
  }
  const std::string text =
      options.format == "json"
          ? exporter::render_explanation_json(view, explained->asked, *explanation, explained->tried)
          : exporter::render_explanation_text(view, explained->asked, *explanation, explained->tried, colour);
  if (!options.picture.empty() && !write_output(options.picture, exporter::render_explanation_svg(view, *explanation)))
    return ExitCode::unusable;
  if (!write_output(options.output, text)) return ExitCode::unusable;
  engine::Assessment judged;
  judged.verdict = explained->verdict.value_or(engine::verdict_on(explained->results.tasks[explained->task]));
  return exit_code_of(judged, diagnostics, options.analysis.allow_unknown);
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* verb = app.add_subcommand("explain", "Explain the longest response time of a task, step by step");
  verb->group(group::timing);
  add_input_options(*verb, options->input, [](std::vector<std::string> models) {
    models.pop_back();  // the task's name
    return model_files(models);
  });
  verb->get_option("MODEL")
      ->option_text("MODEL... TASK")
      ->description(
          "Model files or a folder, which form one model, then the name of the task, a runnable, a chain, a "
          "requirement or a constraint");
  add_analysis_options(*verb, options->analysis);
  add_options(*verb,
              {row("format", &options->format, "Output format", {group::output}, {.choices = {"text", "json"}})});
  add_output_option(*verb, options->output);
  add_options(*verb, {row("picture", &options->picture, "Also draw the job and what delays it into this SVG file",
                          {group::output}, {.takes = "FILE", .file = FileKind::written})});
  describe(*verb,
           {"amalthea explain model.amxmi Control", "amalthea explain --picture control.svg model.amxmi Control",
            "amalthea explain --format json model.amxmi Control"},
           "Exit codes:\n"
           "  0  the deadline of the task, or the limit, is met, or there is none\n"
           "  1  it is missed, the task is unbounded, or the model has an error\n"
           "  2  wrong usage or unreadable input\n"
           "  4  it could not be judged (docs/reference/verdicts.md)");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
