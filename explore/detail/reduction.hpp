// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The last pass of a search: takes back changes that are not needed.

#include <cstdint>
#include <functional>

#include "explore/detail/archive.hpp"
#include "explore/detail/evaluator.hpp"

namespace amalthea::explore::detail {

/// The candidate without the changes that can be taken back one after the other: in the order of the tasks, each time
/// first a function that moved between CPU and GPU, then unit, way of waiting, time slice and priority, until none can.
/// A change stays if the candidate without it is worse by any measure: constraints, late tasks, excess, bounds, or an
/// objective. A task moves back with its priority and with its group if it cannot move back alone.
/// Ends early, with what it has, after `steps` of the bounds, or if `stops`, which may be empty, says so.
Member reduced(const Space& space, Evaluator& evaluator, Member member, std::uint64_t steps,
               const std::function<bool()>& stops);

}  // namespace amalthea::explore::detail
