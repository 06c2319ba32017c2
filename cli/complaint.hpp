// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Error messages of verbs that cannot do their work.

#include <string>

namespace amalthea::cli {

/// Prints the message as an error; returns false, for use as the result of a check.
bool complain(const std::string& message);
/// The same; returns the exit code for wrong use.
int unusable(const std::string& message);

}  // namespace amalthea::cli
