// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The bounds of a small system, whose parts add up.

#include <vector>

#include <catch2/catch.hpp>

#include "engine/bounds/bounds.hpp"
#include "engine/devices/chosen_devices.hpp"
#include "tests/support/system_maker.hpp"

namespace test {

inline std::vector<amalthea::engine::Bound> bounds_of(SystemMaker& maker) {
  const amalthea::System system = maker.build();
  auto bounds = amalthea::engine::system_bounds(system, amalthea::engine::default_devices(system));
  for (const amalthea::engine::Bound& bound : bounds.tasks) {
    amalthea::Duration sum;
    for (const amalthea::engine::Contribution& part : bound.parts) sum += part.time;
    CHECK(sum == bound.worst.value_or(amalthea::Duration{}));
    CHECK(bound.worst.has_value() == bound.reason.empty());
  }
  return bounds.tasks;
}

}  // namespace test
