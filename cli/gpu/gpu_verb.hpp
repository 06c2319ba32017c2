// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A request to a GPU model as a verb below `amalthea gpu`.

#include <algorithm>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <CLI/App.hpp>

#include "analysis/gpu.hpp"
#include "cli/complaint.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/progress.hpp"
#include "cli/verbs.hpp"

namespace amalthea::cli {

/// What the help says of a verb.
struct GpuVerbText {
  std::string name, help;
  std::vector<std::string> examples;
  std::string footer = {};
  std::string argument = {}, argument_help = {};  ///< of what is given without an option
  std::vector<std::string> formats = {"text", "json"};
  std::string formats_help = "Output format";
  std::string before_format = {};  ///< the last option before --format; "": all of them are
};

/// Messages, a line of progress, and a look at the files to be written.
analysis::gpu::Watch gpu_watch(StatusLine& status);
/// Writes the files; false and a message if that is not possible.
bool write_files(const std::vector<std::pair<std::string, std::string>>& files);
/// A timeline in the width of the terminal, unless another one is asked for.
std::string gantt_text(const analysis::gpu::RunRequest& request, exporter::StreamsAnswer answer);

/// A form of the answer in the chosen format.
template <typename Request, typename Form>
std::string in_format(const Request& request, const Form& form, const std::string& format) {
  if constexpr (requires { exporter::render_json(form); })
    if (format == "json") return exporter::render_json(form);
  if constexpr (requires { exporter::render_csv(form); })
    if (format == "csv") return exporter::render_csv(form);
  if constexpr (std::is_same_v<Request, analysis::gpu::RunRequest>)
    if (format == "gantt") return gantt_text(request, form);
  return exporter::render_text(form, use_colour());
}

template <typename Request>
int run_gpu_verb(const Request& request, const std::string& format) {
  if constexpr (requires { request.sweep; })
    if (format == "csv" && !request.sweep) return unusable("--format csv requires --sweep");
  StatusLine status;
  const auto answer = analysis::gpu::answer(request, gpu_watch(status));
  status.clear();
  if (!answer) return code_of(answer.error());
  if (!write_files(answer->files)) return ExitCode::unusable;
  const std::string text = std::visit([&](const auto& form) { return in_format(request, form, format); }, answer->form);
  if (!write_output("", text)) return ExitCode::unusable;
  return answer->good ? ExitCode::all_well : ExitCode::findings;
}

/// Adds the verb with the options of its request.
template <typename Request>
void add_gpu_verb(CLI::App& gpu, int& exit_code, const GpuVerbText& text) {
  struct Asked {
    Request request;
    std::string format = "text";
  };
  auto asked = std::make_shared<Asked>();
  CLI::App* verb = gpu.add_subcommand(text.name, text.help);
  if constexpr (requires { asked->request.scenario; })
    add_input(*verb, text.argument, asked->request.scenario.path, text.argument_help)->required();
  if constexpr (requires { asked->request.streams; })
    verb->add_option(text.argument, asked->request.streams, text.argument_help);
  analysis::OptionTable rows = options(asked->request);
  const auto before = std::find_if(rows.begin(), rows.end(),
                                   [&](const analysis::Option& option) { return option.name == text.before_format; });
  rows.insert(before == rows.end() ? before : before + 1,
              row("format", &asked->format, text.formats_help, {group::output}, {.choices = text.formats}));
  add_options(*verb, rows);
  describe(*verb, text.examples, text.footer);
  set_run(*verb, exit_code, [asked] { return run_gpu_verb(asked->request, asked->format); });
}

}  // namespace amalthea::cli
