// SPDX-License-Identifier: Apache-2.0
#include "amalthea/graph/constraint.hpp"

#include <fmt/core.h>

namespace amalthea {

std::string describe(const TimingConstraint& constraint) {
  return constraint.name.empty() ? fmt::format("a {} without a name", constraint.class_name)
                                 : fmt::format("{} \"{}\"", constraint.class_name, constraint.name);
}

}  // namespace amalthea
