// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Where a job stands, and why: what it spends its time on, while it is simulated.

#include <cstdint>
#include <optional>

#include "engine/gpu/slowdown.hpp"
#include "engine/results/process_metrics.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {

/// Why a job is where it is from some instant on.
struct Reason {
  ContributionKind kind = ContributionKind::execution;
  std::optional<TaskIndex> by;
  Slowdown slowdown;  ///< of an own operation; the part it adds is interference by `by`
  friend bool operator==(const Reason&, const Reason&) = default;
};

/// What a running process does.
enum class Activities : std::uint8_t { computing, accessing, operating_system };

/// Where a job stands: its state as AMALTHEA names it, and the reason for it.
struct Standing {
  ProcessState state = ProcessState::active;
  Activities doing = Activities::computing;  ///< of a running one
  Reason reason;
  friend bool operator==(const Standing&, const Standing&) = default;
};

}  // namespace amalthea::engine
