// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Fields of comma-separated values.

#include <string>
#include <string_view>
#include <vector>

namespace amalthea::traces {

/// The fields of a line by RFC 4180. Fields do not contain line ends. False if a quote is not closed.
bool split_csv(std::string_view line, std::vector<std::string>& fields);

}  // namespace amalthea::traces
