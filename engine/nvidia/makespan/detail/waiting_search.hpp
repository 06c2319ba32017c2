// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The longest work-conserving schedule of warps that wait after instructions, execute two of them in a cycle, or
/// belong to several kernels. States are not compressed as in search.cpp, so only small problems are searched to the
/// end.
///
/// A state is what each warp still has to wait and to execute; warps of a kernel are interchangeable. States are visited
/// by time. One is left out if even an upper bound on the rest does not make a schedule longer than the one that is
/// known.

#include "engine/nvidia/makespan/search.hpp"

namespace amalthea::engine::nvidia::makespan {

/// Improves both ends of an interval with a witness. The search ends early beyond the limits of the options, or after
/// as many cycles as `max_waiting_cycles`.
void search_waiting(const Problem& problem, const SearchOptions& options, SearchResult& result);

/// Choices of warps for one cycle that a search looks at, over all states.
inline constexpr std::uint64_t max_waiting_cycles = 10'000'000;

}  // namespace amalthea::engine::nvidia::makespan
