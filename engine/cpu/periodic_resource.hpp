// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a server gives to the tasks within it, at least.
///
/// Shin, Lee, "Periodic resource model for compositional real-time guarantees", RTSS 2003: a resource that gives Q time
/// units in every period P, at any times of it. Its least supply in a window of length t is
///   sbf(t) = floor((t - (P - Q)) / P) Q + max(0, t - 2 (P - Q) - P floor((t - (P - Q)) / P)),
/// and nothing in the first 2 (P - Q) (their equation for the supply bound function). A polling server gives away what
/// it does not use at once: work that comes just after has to wait for the next period, and so Q longer than that.
///
/// To those outside, a polling server is a periodic task of execution Q. A deferrable server keeps its budget and may
/// use it at the end of one period and at the beginning of the next (Strosnider, Lehoczky, Sha, "The deferrable server
/// algorithm for enhanced aperiodic responsiveness in hard real-time environments", IEEE Trans. Computers 1995): a
/// periodic task with the release jitter P - Q.

#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::cpu {

struct PeriodicResource {
  Duration period;  ///< P > 0
  Duration budget;  ///< 0 < Q <= P
  bool polling = false;
};

/// The least time that it gives in a window.
Duration least_supply(const PeriodicResource& resource, Duration window);
/// The shortest window in which it gives so much, > 0. Saturates.
Duration longest_wait_for(const PeriodicResource& resource, Duration work);

/// How tasks outside of the server see it; priority and more are the caller's.
CpuTask as_task(const PeriodicResource& resource);

}  // namespace amalthea::engine::cpu
