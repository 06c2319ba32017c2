// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a job spends its time on, while it is simulated.

#include <array>
#include <optional>
#include <vector>

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

/// Adds up what the current job of a task spends its time on: by reasons, and by states.
class JobAccount {
 public:
  void start(Instant now, Duration backlog, TaskIndex self) {
    parts_.clear();
    states_ = {};
    doing_ = {};
    since_ = now;
    standing_ = {};
    add(ContributionKind::backlog, self, backlog);
  }

  const Standing& standing() const { return standing_; }
  Instant since() const { return since_; }

  /// `standing` holds from `now` on; what held until now is booked.
  void change(Instant now, const Standing& standing) {
    book(now);
    standing_ = standing;
  }

  void book(Instant now);

  const std::vector<Contribution>& parts() const { return parts_; }
  Duration in(ProcessState state) const { return states_[static_cast<std::size_t>(state)]; }
  Duration doing(Activities what) const { return doing_[static_cast<std::size_t>(what)]; }

 private:
  void add(ContributionKind kind, std::optional<TaskIndex> by, Duration time);

  std::vector<Contribution> parts_;
  std::array<Duration, 7> states_;
  std::array<Duration, 3> doing_;
  Instant since_;
  Standing standing_;
};

}  // namespace amalthea::engine
