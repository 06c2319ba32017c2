// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "amalthea/views/hardware.hpp"

namespace test {

/// The cost of the unit's first access to the memory; the memory's own latency and data rate if it has none.
inline amalthea::views::AccessCost access_cost(const amalthea::views::Hardware& hardware, amalthea::views::HwIndex unit,
                                               amalthea::views::HwIndex memory) {
  for (const auto index : hardware.units[unit].accesses)
    if (hardware.accesses[index].memory == memory) return cost_of(hardware, hardware.accesses[index]);
  amalthea::views::HwAccess none;
  none.unit = unit;
  none.memory = memory;
  return cost_of(hardware, none);
}

}  // namespace test
