// SPDX-License-Identifier: Apache-2.0
#include "cli/input.hpp"

#include <cstdlib>

#include <filesystem>

#include <unistd.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "amalthea/primitives/visible_text.hpp"
#include "cli/complaint.hpp"
#include "cli/declared_options.hpp"
#include "cli/help.hpp"
#include "cli/shown_findings.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"
#include "exporter/findings/excerpts.hpp"
#include "exporter/findings/finding_formats.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/primitives/write_file.hpp"

namespace amalthea::cli {

void add_input_options(CLI::App& verb, InputOptions& options, ListFiles list) {
  add_input(
      verb, "MODEL", options.models,
      "Model files or a folder: all of them form one model; - is standard input. To analyze the files of a folder one "
      "by one, use amalthea batch",
      std::move(list))
      ->required();
  add_finding_options(verb);
  add_options(verb, analysis::limit_options(options.limits));
}

void add_output_option(CLI::App& verb, std::string& output, std::vector<std::string> companions) {
  add_output(verb, "-o,--output", output, "Write to this file instead of standard output", std::move(companions))
      ->type_name("FILE")
      ->group(group::output);
}

void add_allow_unknown(CLI::App& verb, bool& allow_unknown) {
  verb.add_flag("--allow-unknown", allow_unknown,
                "Exit with 0 instead of 4 if the verdict is unknown, unless an error is the cause")
      ->excludes(verb.get_option("--strict"))
      ->group(rarely(group::verdict));
}

void add_judging_options(CLI::App& verb, const analysis::OptionTable& rows, bool& allow_unknown) {
  add_options(verb, rows);
  add_allow_unknown(verb, allow_unknown);
}

void add_analysis_options(CLI::App& verb, AnalysisInput& options) {
  add_judging_options(verb, analysis::analysis_options(options), options.allow_unknown);
}

void print_findings(const Diagnostics& diagnostics) {
  std::vector<Diagnostic> sorted = diagnostics.all();
  exporter::sort_findings(sorted);
  // What happens in the end, such as that the model is not analyzed, is read last.
  std::stable_partition(sorted.begin(), sorted.end(), [](const Diagnostic& finding) {
    return !finding.location.file.empty() || finding.severity == Severity::error;
  });
  const bool on_terminal = tells_terminal();
  exporter::Excerpts excerpts(on_terminal && std::getenv("NO_COLOR") == nullptr);
  for (const Diagnostic& finding : sorted) {
    if (!is_shown(finding)) continue;
    if (on_terminal && !finding.location.file.empty())
      tell_text(excerpts.shown(finding), true);
    else
      tell("{}{}\n", finding.location.file.empty() ? "amalthea: " : "", format(finding));
  }
}

int code_of(const analysis::Failure& failure) {
  if (!failure.message.empty()) complain(failure.text());
  return failure.kind == analysis::Failure::Kind::refused ? ExitCode::findings : ExitCode::unusable;
}

namespace {

/// A folder may hold the parts of one model, or variants that belong apart.
void note_folders(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::error_code error;
    if (is_quiet() || !std::filesystem::is_directory(path, error)) continue;
    if (const std::size_t files = model_files({path}).size(); files > 1)
      tell(
          "amalthea: note: {}: the {} model files in this folder form one model; for a separate result per file, use "
          "amalthea batch\n",
          path, files);
  }
}

}  // namespace

tl::expected<Model, int> load(const InputOptions& options, Diagnostics& diagnostics) {
  note_folders(options.models);
  return analysis::read(options.models, options.limits, diagnostics).map_error(code_of);
}

int exit_code_of(const engine::Assessment& assessment, const Diagnostics& findings, bool allow_unknown) {
  if (assessment.verdict >= engine::OverallVerdict::unbounded) return ExitCode::findings;
  const bool allowed = allow_unknown && findings.errors() == 0;
  const bool unknown = assessment.verdict == engine::OverallVerdict::unknown && !allowed;
  return unknown ? ExitCode::unknown : ExitCode::all_well;
}

bool is_standard_output(const std::string& path) { return path.empty() || path == "-" || path == "/dev/stdout"; }

bool write_output(const std::string& path, const std::string& text) {
  const bool painted = is_standard_output(path) && use_colour();
  return write_data(path, painted ? exporter::visible_painted_text(text) : visible_text(text));
}

bool write_data(const std::string& path, const std::string& text) {
  if (is_standard_output(path)) {
    print_text(text);
    flush_output();
    return true;
  }
  const auto written = exporter::write_file(path, text);
  if (!written) complain(written.error());
  return written.has_value();
}

bool check_output(const std::string& path) {
  if (is_standard_output(path)) return true;
  const auto possible = exporter::check_writable(path);
  if (!possible) complain(possible.error());
  return possible.has_value();
}

bool is_terminal(const std::string& path) { return is_standard_output(path) && ::isatty(STDOUT_FILENO) != 0; }

bool use_colour() { return ::isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr; }

}  // namespace amalthea::cli
