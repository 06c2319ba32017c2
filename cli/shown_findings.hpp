// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// -q and --suppress: which findings the command shows. They only hide messages; verdicts, exit codes and the lists of
/// findings in results are unchanged.

#include <string_view>

#include <CLI/App.hpp>

#include "amalthea/diagnostic.hpp"

namespace amalthea::cli {

/// --suppress and --quiet.
void add_finding_options(CLI::App& verb);

/// Before another command in the same process.
void show_all_findings();

bool is_suppressed(std::string_view id);
/// Only the result and errors are shown.
bool is_quiet();
/// Neither option hides the finding.
bool is_shown(const Diagnostic& finding);

}  // namespace amalthea::cli
