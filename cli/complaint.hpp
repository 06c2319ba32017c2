// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the user is told when a verb cannot do its work.

#include <string>
#include <string_view>

namespace amalthea::cli {

/// Prints the line to standard error, with control characters spelled out: it may quote a model or an argument.
void say(std::string_view line);
/// Prints the message as an error; false, so that a check can end with it.
bool complain(const std::string& message);
/// The same; the exit code of wrong use.
int unusable(const std::string& message);

}  // namespace amalthea::cli
