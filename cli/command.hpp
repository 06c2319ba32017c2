// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The command as a function: arguments → exit code. main and tests call it.

#include <string>
#include <vector>

namespace amalthea::cli {

/// `arguments` do not include the name of the program. One call at a time: options and files that are read or written
/// are global. Throws what main reports: std::bad_alloc, std::system_error, and internal errors.
int run_command(const std::vector<std::string>& arguments);

}  // namespace amalthea::cli
