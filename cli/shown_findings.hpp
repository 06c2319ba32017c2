// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// -q and --suppress: which findings this run of the command shows. They hide messages and nothing else: verdicts, exit
/// codes and the lists of findings in results are as without them.

#include <string_view>

#include <CLI/App.hpp>

#include "amalthea/diagnostic.hpp"

namespace amalthea::cli {

/// --suppress and --quiet.
void add_finding_options(CLI::App& verb);

bool is_suppressed(std::string_view id);
/// Nothing but the result and errors is wanted.
bool is_quiet();
/// What neither of the two hides.
bool is_shown(const Diagnostic& finding);

}  // namespace amalthea::cli
