// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What every option with a number refuses, whatever its own range is.

#include <CLI/App.hpp>

namespace amalthea::cli {

/// Makes all options of the app and of its verbs refuse NaN, infinities and numbers that their type does not hold, which
/// CLI11 lets through.
void check_numbers(CLI::App& app);

}  // namespace amalthea::cli
