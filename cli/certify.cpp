// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "analysis/certification.hpp"
#include "cli/complaint.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/model_output.hpp"
#include "cli/progress.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"

namespace amalthea::cli {
namespace {

namespace fs = std::filesystem;

struct CertifyOptions {
  InputOptions input;
  analysis::AnalysisRequest request;
  std::string output;
  bool check = false;
  std::string prosa;
  std::string dossier;
};

/// Runs the script of the folder; `said` gets each line of its standard output. Returns its exit code, or -1.
int run_check(const CertifyOptions& options, const std::function<void(const std::string&)>& said) {
  std::string script = (fs::path(options.output) / "check").string(), prosa = options.prosa, shell = "sh";
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  char* const arguments[] = {shell.data(), script.data(), prosa.data(), nullptr};
  pid_t process = 0;
  const bool started = ::posix_spawnp(&process, "sh", &actions, nullptr, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string line;
  char piece[512];
  for (ssize_t size = 0; (size = ::read(ends[0], piece, sizeof piece)) > 0;)
    for (const char c : std::string_view(piece, static_cast<std::size_t>(size))) {
      if (c != '\n') {
        line += c;
        continue;
      }
      said(line);
      line.clear();
    }
  ::close(ends[0]);
  int status = 0;
  if (!started || ::waitpid(process, &status, 0) != process || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

/// Coq checks the folder; the manifest records what it says.
int check(const CertifyOptions& options, analysis::Certification& certification) {
  std::string coq;
  std::vector<std::pair<std::string, bool>> outcome;
  StatusLine status(StatusLine::Log::yes);
  const auto show = [&] {
    status.show(
        fmt::format("Coq has checked {} of {} certificates", outcome.size(), certification.certificates.size()));
  };
  show();
  const int code = run_check(options, [&](const std::string& line) {
    if (line.starts_with("Coq ")) coq = line.substr(4);
    for (const auto& [word, well] : {std::pair("accepted ", true), std::pair("rejected ", false)})
      if (line.starts_with(word)) outcome.emplace_back(line.substr(std::string_view(word).size()), well);
    show();
  });
  status.clear();
  if (code != ExitCode::all_well && code != ExitCode::findings)
    return unusable(fmt::format("--check: Coq did not check the certificates in {}; nothing is recorded as accepted",
                                options.output));
  std::size_t accepted = 0;
  for (const auto& [file, well] : outcome)
    if (std::find(certification.certificates.begin(), certification.certificates.end(), file) !=
        certification.certificates.end())
      accepted += well ? 1 : 0;
  std::string& manifest = certification.files.back().text;
  manifest = exporter::with_outcome(manifest, coq, outcome);
  if (!write_data((fs::path(options.output) / exporter::manifest_name).string(), manifest)) return ExitCode::unusable;
  print_summary(fmt::format("Coq accepts {} of {} certificates\n", accepted, certification.certificates.size()));
  return accepted == certification.certificates.size() && code == 0 ? ExitCode::all_well : ExitCode::findings;
}

int run(const CertifyOptions& options) {
  if (options.output.empty() || is_standard_output(options.output)) return unusable("expected -o FOLDER");
  if (!options.dossier.empty() && !check_output(options.dossier)) return ExitCode::unusable;
  if (options.check && options.prosa.empty())
    return unusable("--check requires --prosa FOLDER, the folder of Prosa 0.5, compiled (docs/reference/certify.md)");
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  Diagnostics of_dossier = diagnostics;  // those of reading
  auto made =
      model ? analysis::certify(*model, options.request, diagnostics) : analysis::Outcome<analysis::Certification>();
  print_findings(diagnostics);
  if (!model) return model.error();
  if (!made) return code_of(made.error());
  std::vector<Target> targets;
  std::vector<std::string> texts;
  for (const exporter::CertificateFile& file : made->files) {
    targets.push_back({{}, file.name, (fs::path(options.output) / file.name).string(), false});
    texts.push_back(file.text);
    if (!will_write({"-o", targets.back().output})) return ExitCode::unusable;
  }
  // A certificate of an earlier state would be checked, too.
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(options.output, error))
    if (entry.path().extension() == ".v" && std::find(made->certificates.begin(), made->certificates.end(),
                                                      entry.path().filename().string()) == made->certificates.end())
      return unusable(fmt::format("{} holds {}, which is not of this model; use an empty folder", options.output,
                                  entry.path().filename().string()));
  if (const auto written = write_texts(targets, texts, options.input.limits); !written) return code_of(written.error());
  std::string summary =
      fmt::format("Certificates: {} of {} tasks, in {}\n", made->certified, made->tasks, options.output);
  for (const std::string& line : made->without) summary += line + "\n";
  print_summary(summary);
  const int code = options.check ? check(options, *made) : ExitCode::all_well;
  if (options.dossier.empty() || code == ExitCode::unusable) return code;
  const auto page = analysis::dossier(*model, options.request, made->files.back().text, of_dossier);
  if (!page) return code_of(page.error());
  return write_output(options.dossier, *page) ? code : ExitCode::unusable;
}

}  // namespace

void add_certify(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CertifyOptions>();
  CLI::App* verb = app.add_subcommand("certify", "Write bounds as certificates that the proof assistant Coq checks");
  verb->group(group::timing);
  add_input_options(*verb, options->input);
  add_options(*verb, analysis::certification_options(options->request));
  add_options(*verb, analysis::chain_options(options->request));
  add_options(
      *verb,
      {row("output", &options->output, "Folder for the certificates", {group::output},
           {.takes = "FOLDER", .file = FileKind::folder, .letter = 'o'}),
       row("check", &options->check, "Let Coq check the certificates, and record what it accepts", {group::output}),
       row("prosa", &options->prosa, "Folder of Prosa 0.5, compiled, for --check", {group::output},
           {.takes = "FOLDER", .file = FileKind::folder, .needs = "check"}),
       row("dossier", &options->dossier,
           "Also write an HTML page for a safety case: verdicts, what they rest on, assumptions, open points",
           {group::output}, {.takes = "FILE", .file = FileKind::written})});
  describe(*verb,
           {"amalthea certify -o certificates model.amxmi",
            "amalthea certify -o certificates --dossier dossier.html model.amxmi",
            "amalthea certify --suppress AM0410 -o certificates model.amxmi"},
           "Exit codes:\n"
           "  0  written, and with --check: accepted\n"
           "  1  Coq rejects a certificate, or the model has an error\n"
           "  2  wrong usage, unreadable input, unwritable output, or no Coq or Prosa\n"
           "See docs/reference/certify.md.");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
