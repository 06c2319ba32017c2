// SPDX-License-Identifier: Apache-2.0
#include "lsp/server.hpp"

#include <chrono>
#include <memory>

#include <unistd.h>
#include <CLI/CLI.hpp>

#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/shown_findings.hpp"
#include "cli/verbs.hpp"

namespace amalthea::cli {
namespace {

struct LspOptions {
  lsp::ServerOptions server;
  unsigned delay = 200;
  bool stdio = false;  ///< the only way there is; clients built on vscode-languageclient name it
};

int run(LspOptions& options) {
  options.server.delay = std::chrono::milliseconds(options.delay);
  options.server.is_shown = is_shown;
  return lsp::serve(STDIN_FILENO, STDOUT_FILENO, options.server);
}

}  // namespace

void add_lsp(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<LspOptions>();
  CLI::App* verb = app.add_subcommand("lsp", "Serve an editor: findings while typing, hovers, verdicts");
  verb->group(group::understand);
  add_finding_options(*verb);
  add_options(
      *verb,
      {row("delay", &options->delay,
           "Milliseconds without an edit after which the server reads the model. It also reads the "
           "model when the editor opens or saves a file",
           {group::run}, {.range = Range{0, 60'000}}),
       row("max-message", &options->server.max_message,
           "Largest accepted message of the editor, in bytes. The server skips larger ones", rare(group::limits)),
       row("stdio", &options->stdio,
           "Serve over standard input and output, as without this option. Editors may name it", rare(group::run)),
       row("clientProcessId", &options->server.client_process,
           "The process of the editor. The server ends when this process is gone", rare(group::run))});
  add_options(*verb, analysis::limit_options(options->server.analysis.limits));
  describe(*verb,
           {"amalthea lsp <messages   # messages of the Language Server Protocol",
            "amalthea lsp --suppress AM0211 <messages", "amalthea lsp --delay 500 <messages"},
           "Exit codes:\n"
           "  0  the editor ended the server with shutdown and exit\n"
           "  1  it ended without shutdown\n"
           "  2  wrong usage, or a lack of memory");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
