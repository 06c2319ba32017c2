// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The rows of a request as options of the command line.

#include <CLI/App.hpp>

#include "analysis/option.hpp"

namespace amalthea::cli {

using analysis::FileKind;
using analysis::max_mebibytes;
using analysis::Range;
using analysis::rare;
using analysis::RealRange;
using analysis::row;

/// One option per row, in their order. What the rows point to must outlive the verb.
void add_options(CLI::App& verb, const analysis::OptionTable& table);

}  // namespace amalthea::cli
