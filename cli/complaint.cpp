// SPDX-License-Identifier: Apache-2.0
#include "cli/complaint.hpp"

#include <cstdio>

#include <fmt/core.h>

#include "amalthea/detail/visible_text.hpp"
#include "cli/verbs.hpp"

namespace amalthea::cli {

void say(std::string_view line) {
  const std::string text = visible_text(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

bool complain(const std::string& message) {
  say(fmt::format("amalthea: error: {}", message));
  return false;
}

int unusable(const std::string& message) {
  complain(message);
  return ExitCode::unusable;
}

}  // namespace amalthea::cli
