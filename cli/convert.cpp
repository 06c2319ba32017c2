#include <filesystem>
#include <memory>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "amalthea/editable_model.hpp"
#include "cli/input.hpp"
#include "cli/verbs.hpp"
#include "migration/migration.hpp"

namespace amalthea::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  InputOptions input;
  std::string to;
  std::string output;
};

int run(const Options& options) {
  int exit_code = ExitCode::all_well;
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics, exit_code);
  if (!model) {
    print_findings(diagnostics);
    return exit_code;
  }
  const auto to = migration::parse_release(options.to);
  if (!to) {
    fmt::print(stderr, "amalthea: error: --to {}: no such AMALTHEA version\n", options.to);
    return ExitCode::unusable;
  }
  EditableModel editable(*model);
  Diagnostics findings;
  migration::Record record(findings);
  const bool done = migration::migrate(editable, migration::release_of(*model->documents().front()), *to, record, findings);
  print_findings(findings);
  if (!done) return ExitCode::unusable;
  const bool folder = editable.files().size() > 1 || fs::is_directory(options.input.models.front());
  if (folder) fs::create_directories(options.output);
  for (const EditableModel::File& file : editable.files()) {
    const fs::path path = folder ? fs::path(options.output) / fs::path(file.path).filename() : fs::path(options.output);
    if (!write_output(path.string(), migration::write(*file.root, *to))) return ExitCode::unusable;
  }
  return exit_code;
}

}  // namespace

void add_convert(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("convert", "the model in another AMALTHEA version");
  add_input_options(*verb, options->input);
  verb->add_option("--to", options->to, "the version")->required();
  verb->add_option("-o,--output", options->output, "the converted model");
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace amalthea::cli
