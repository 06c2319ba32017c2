// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The longest response times of a small system, by visiting every schedule that it can have.
///
/// The search steps from tick to tick. Wherever the system may go on in several ways (an execution time, a release
/// jitter), it follows all of them, until no state is new. It shares no code with the bounds.

#include <optional>
#include <vector>

#include "bench/tightness/small_system.hpp"

namespace amalthea::bench {

/// For every task, for the stated offsets; nothing if jobs pile up, or if there are too many states.
std::optional<std::vector<int>> longest_responses(const SmallSystem& system);

/// The same for all offsets.
std::optional<std::vector<int>> longest_responses_for_all_offsets(const SmallSystem& system);

}  // namespace amalthea::bench
