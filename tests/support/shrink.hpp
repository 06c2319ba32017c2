// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The smallest random system that still has a property, for reports.

#include <cstddef>
#include <functional>

#include "tests/support/random_system.hpp"

namespace test {

/// Whether a smaller system still has the property. An exception counts as no.
using Predicate = std::function<bool(const RandomSystem&)>;

/// Removes tasks, activities, limits, features of stimuli, tasks, schedulers and the GPU's profile, and rounds numbers,
/// while the predicate holds; it calls it at most so often. `drawn` must satisfy it. `met` of the result is that of
/// `drawn`, without the removed tasks.
RandomSystem shrink(RandomSystem drawn, const Predicate& predicate, std::size_t attempts = 5000);

/// Without elements that nothing uses: labels, runnables, events, modes, semaphores, stimuli, schedulers without tasks
/// and their cores. At least one task must remain.
void remove_unused(amalthea::System& system);

}  // namespace test
