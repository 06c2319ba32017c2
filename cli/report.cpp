// SPDX-License-Identifier: Apache-2.0

#include <CLI/CLI.hpp>

#include "analysis/certification.hpp"
#include "analysis/report.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/progress.hpp"
#include "cli/verbs.hpp"

namespace amalthea::cli {
namespace {

struct ReportOptions {
  InputOptions input;
  analysis::ReportRequest request;
  bool allow_unknown = false;
  std::string output;
};

std::shared_ptr<Work> begin_work(bool can_be_stopped) {
  const auto work = std::make_shared<LongWork>(can_be_stopped ? LongWork::CtrlC::stops : LongWork::CtrlC::ends_process);
  return {work, &work->work()};
}

int run(const ReportOptions& options) {
  if (!check_output(options.output)) return ExitCode::unusable;
  if (const auto possible = check_headroom(options.request.headroom, options.request); !possible)
    return code_of(possible.error());
  Diagnostics diagnostics, of_baseline;
  auto earlier = analysis::read_earlier(options.request, options.request.baseline, options.input.limits, of_baseline);
  if (!earlier) {
    print_findings(of_baseline);
    return code_of(earlier.error());
  }
  const auto model = load(options.input, diagnostics);
  const auto report = model.and_then([&](const Model& read) {
    return analysis::report(read, options.request, std::move(*earlier), begin_work, diagnostics).map_error(code_of);
  });
  print_findings(diagnostics);
  if (!report) return report.error();
  const bool for_message = options.output.ends_with(".md");
  if (!write_output(options.output, for_message ? report->markdown : report->html)) return ExitCode::unusable;
  return exit_code_of(report->assessment, diagnostics, options.allow_unknown);
}

}  // namespace

void add_report(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* verb = app.add_subcommand("report", "Write an HTML report with verdicts, schedule, chains and findings");
  verb->group(group::timing);
  add_input_options(*verb, options->input);
  add_judging_options(*verb, analysis::analysis_options(options->request), options->allow_unknown);
  add_options(*verb, analysis::chain_options(options->request));
  add_options(*verb, analysis::certificates_option(options->request));
  add_options(*verb, analysis::headroom_options(options->request.headroom));
  add_output(*verb, "-o,--output", options->output, "HTML file to write, or its first page alone as Markdown (.md)")
      ->required()
      ->type_name("FILE")
      ->group(group::output);
  add_options(*verb, analysis::picked(analysis::page_options(options->request),
                                      {"baseline", "runs", "seed", "trace-events", "what-ifs"}));
  describe(
      *verb,
      {"amalthea report -o report.html model.amxmi", "amalthea report -o review.md model.amxmi",
       "amalthea report --baseline old.amxmi -o report.html model.amxmi"},
      std::string("Any browser opens the file, without a network (docs/reference/report.md).\n") + verdict_exit_codes);
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
