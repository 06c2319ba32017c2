// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Explains what is wrong with a command line, and what was probably meant.

#include <string>

#include <CLI/App.hpp>

namespace amalthea::cli {

/// What is wrong with a command line that `app` rejected with `error`.
std::string usage_fault(CLI::App& app, const CLI::ParseError& error);
/// The same in two lines for standard error.
std::string describe_usage_error(CLI::App& app, const CLI::ParseError& error);

}  // namespace amalthea::cli
