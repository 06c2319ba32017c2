// SPDX-License-Identifier: Apache-2.0
#include "cli/complaint.hpp"

#include "cli/streams.hpp"
#include "cli/verbs.hpp"

namespace amalthea::cli {

bool complain(const std::string& message) {
  tell("amalthea: error: {}\n", message);
  return false;
}

int unusable(const std::string& message) {
  complain(message);
  return ExitCode::unusable;
}

}  // namespace amalthea::cli
