// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Random systems whose device tasks share one GPU context.

#include <random>

#include "tests/support/random_system.hpp"

namespace test {

/// Two to four device tasks of one process, each in a stream of its own or, rarely, in that of another. Some have a host
/// task that polls or suspends. Kernels have one to twelve blocks of random size on one to three SMs; the times of
/// blocks and copies vary. Some systems also have stream priorities, kernels that occupy the whole engine, cache
/// configurations, a second context, a second copy engine, slowdowns, coarse preemption.
RandomSystem one_process_system(std::mt19937& random);

}  // namespace test
