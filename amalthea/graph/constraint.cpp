// SPDX-License-Identifier: Apache-2.0
#include "amalthea/graph/constraint.hpp"

#include <array>

#include <fmt/core.h>

namespace amalthea {

std::string_view to_string(EventAction action) {
  constexpr std::array<std::string_view, 20> names{
      "_all_", "activate",     "start",     "resume",          "preempt", "poll",      "run",
      "wait",  "poll_parking", "park",      "release_parking", "release", "terminate", "suspend",
      "read",  "write",        "increment", "decrement",       "lock",    "unlock"};
  return names[static_cast<std::size_t>(action)];
}

std::string describe(const TimingConstraint& constraint) {
  return constraint.name.empty() ? fmt::format("a {} without a name", constraint.class_name)
                                 : fmt::format("{} \"{}\"", constraint.class_name, constraint.name);
}

}  // namespace amalthea
