// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The verbs of the `amalthea` command: each adds its subcommand and sets `exit_code` when it runs.

#include <CLI/App.hpp>

namespace amalthea::cli {

/// The exit codes of the process.
struct ExitCode {
  static constexpr int all_well = 0;
  static constexpr int findings = 1;  ///< a limit is missed, a task unbounded, or the model has an error
  /// wrong use, unreadable input, unwritable output, or not enough memory, threads or processes
  static constexpr int unusable = 2;
  static constexpr int internal = 3;
  static constexpr int unknown = 4;        ///< something that limits timing was not judged
  static constexpr int interrupted = 130;  ///< by Ctrl-C; the results are partial
};

/// All of them.
void add_verbs(CLI::App& app, int& exit_code);

void add_new(CLI::App& app, int& exit_code);
void add_info(CLI::App& app, int& exit_code);
void add_graph(CLI::App& app, int& exit_code);
void add_analyze(CLI::App& app, int& exit_code);
void add_simulate(CLI::App& app, int& exit_code);
void add_explain(CLI::App& app, int& exit_code);
void add_annotate(CLI::App& app, int& exit_code);
void add_certify(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void add_batch(CLI::App& app, int& exit_code);
void add_convert(CLI::App& app, int& exit_code);
void add_diff(CLI::App& app, int& exit_code);
void add_validate(CLI::App& app, int& exit_code);
void add_lsp(CLI::App& app, int& exit_code);
void add_explore(CLI::App& app, int& exit_code);
void add_calibrate(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_gpu(CLI::App& app, int& exit_code);

}  // namespace amalthea::cli
