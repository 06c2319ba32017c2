// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Running the `amalthea` command as a user does.

#include <string>
#include <vector>

namespace test {

struct CommandResult {
  int exit_code = -1;  ///< 128 + signal when killed
  std::string out;     ///< standard output
  std::string err;     ///< standard error
};

/// Runs a program (no shell) and waits for it.
CommandResult run(const std::vector<std::string>& command);

/// run({the amalthea command of this build, arguments…}).
CommandResult amalthea(std::vector<std::string> arguments);

}  // namespace test
