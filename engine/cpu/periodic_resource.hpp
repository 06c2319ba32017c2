// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The minimum supply of a server to the tasks within it.
///
/// Shin, Lee, "Periodic resource model for compositional real-time guarantees", RTSS 2003: a resource that supplies Q
/// time units in every period P, at any time within it. Its minimum supply in a window of length t is
///   sbf(t) = floor((t - (P - Q)) / P) Q + max(0, t - 2 (P - Q) - P floor((t - (P - Q)) / P)),
/// and nothing in the first 2 (P - Q) (their supply bound function). A polling server gives up the budget it does not
/// use at once. Work that arrives just after that waits for the next period, and thus Q longer.
///
/// If every period that begins with pending work has supplied the budget after at most S, the first wait is shorter: P - Q
/// until the next period and S - Q in it, in place of 2 (P - Q). For the first x units of a budget end at most S - Q later
/// than without any delay; else the rest would end after S. Work that arrives when u of the budget is used arrives at
/// least u after the start of its period. So it waits at most P - u for the next one, before which it is supplied with at
/// least min(Q - u, P - u - (S - Q)). (Compare Davis, Burns, "Hierarchical fixed priority pre-emptive scheduling", RTSS
/// 2005.)
///
/// To tasks outside, a polling server is a periodic task of execution time Q. A deferrable server keeps its budget and
/// may use it at the end of one period and at the start of the next (Strosnider, Lehoczky, Sha, "The deferrable server
/// algorithm for enhanced aperiodic responsiveness in hard real-time environments", IEEE Trans. Computers 1995): it is
/// a periodic task with the release jitter P - Q.

#include <optional>

#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::cpu {

struct PeriodicResource {
  Duration period;  ///< P > 0
  Duration budget;  ///< 0 < Q <= P
  bool polling = false;
  std::optional<Duration> response = {};  ///< S, Q <= S <= P; nothing: P
};

/// The maximum time for which work that arrives waits for any supply.
Duration longest_pause(const PeriodicResource& resource);
/// The shortest window that always supplies this much, > 0. Saturates.
Duration longest_wait_for(const PeriodicResource& resource, Duration work);

/// The server as tasks outside see it; the caller sets the priority and the rest.
CpuTask as_task(const PeriodicResource& resource);

}  // namespace amalthea::engine::cpu
