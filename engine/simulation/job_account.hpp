// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The state of a simulated job and the reason for it: how it spends its time.

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/gpu/slowdown.hpp"
#include "engine/results/process_metrics.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {

/// Why a job is in its state.
struct Reason {
  ContributionKind kind = ContributionKind::execution;
  std::optional<TaskIndex> by;
  Slowdown slowdown;  ///< of its own operation or label access; the time it adds is interference by `by`
  TrafficKind traffic = TrafficKind::none;  ///< what `by` does then
  std::vector<TaskIndex> also =
      {};  ///< tasks on further cores whose accesses cause an equal share of the slowdown each
  friend bool operator==(const Reason&, const Reason&) = default;
};

/// What a running process does.
enum class Activities : std::uint8_t { computing, accessing, operating_system };

/// The state of a job, in AMALTHEA's terms, and the reason for it.
struct Standing {
  ProcessState state = ProcessState::active;
  Activities doing = Activities::computing;  ///< for a running job
  Reason reason;
  friend bool operator==(const Standing&, const Standing&) = default;
};

}  // namespace amalthea::engine
