// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What is wrong with a command line, and what may have been meant.

#include <string>

#include <CLI/App.hpp>

namespace amalthea::cli {

/// Two lines for standard error, of a command line that `app` refused with `error`.
std::string describe_usage_error(CLI::App& app, const CLI::ParseError& error);

}  // namespace amalthea::cli
