// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How a job spends its time: by state, accumulated as states end, and by reason, evaluated only on demand.
///
/// The reason why a job waits for its core changes with the task that runs there. All jobs that wait for the same cores
/// share one log of these reasons (ObstacleLog); each job records only from when to when the log applies to it.

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/cpu/urgency.hpp"
#include "engine/simulation/job_account.hpp"

namespace amalthea::engine::simulation {

/// Which tasks occupied some cores instead of the ready jobs, and when.
class ObstacleLog {
 public:
  /// `by` occupies the cores from `now` on. Does nothing if it is unchanged.
  bool change(Instant now, std::optional<TaskIndex> by, const Urgency::Key& key);
  std::size_t size() const { return entries_.size(); }
  /// Drops everything before `at`.
  void forget_before(Instant at);
  Instant middle() const { return entries_[entries_.size() / 2].from; }

  /// Visits the entries of [from, to) in order.
  template <typename Visit>
  void visit(Instant from, Instant to, Visit visit) const {
    for (std::size_t at = find(from); from < to; ++at) {
      const Instant end = at + 1 < entries_.size() ? std::min(entries_[at + 1].from, to) : to;
      if (from < end) visit(entries_[at].by, entries_[at].key, end - from);
      from = std::max(from, end);
    }
  }

 private:
  struct Entry {
    Instant from;
    std::optional<TaskIndex> by;
    Urgency::Key key;  ///< of `by`
  };
  std::size_t find(Instant at) const;

  std::vector<Entry> entries_;
};

/// Sums parts by reason, in the order of their first appearance.
class PartSum {
 public:
  explicit PartSum(std::size_t tasks);
  /// Directs the following additions to `parts`, until `end`.
  void begin(std::vector<Contribution>& parts);
  void add(ContributionKind kind, std::optional<TaskIndex> by, Duration time, TrafficKind traffic = TrafficKind::none);
  void add(const Reason& reason, Duration time);
  void end();

 private:
  std::uint32_t& slot(ContributionKind kind, std::optional<TaskIndex> by, TrafficKind traffic);

  std::size_t tasks_;
  std::vector<Contribution>* parts_ = nullptr;
  std::vector<std::uint32_t> slots_;  ///< for every reason: 0, or its index among the parts plus one
};

/// For the current job of a task.
class JobTimes {
 public:
  void start(Instant now, Duration backlog);
  const Standing& standing() const { return standing_; }
  Instant since() const { return since_; }

  /// `standing` holds from `now` on.
  void change(Instant now, const Standing& standing);
  /// The same for a job that waits for its core, for the reasons in the log; `key` is its urgency. The reason in
  /// `standing` is ignored.
  void change_by_log(Instant now, const Standing& standing, const Urgency::Key& key);
  /// Accumulates the current state up to now; it continues.
  void book(Instant now);
  /// The same, if the log gives the current reason.
  void book_log(Instant now) {
    if (!stretches_.empty() && stretches_.back().by_log) book(now);
  }

  Duration in(ProcessState state) const { return states_[static_cast<std::size_t>(state)]; }
  Duration doing(Activities what) const { return doing_[static_cast<std::size_t>(what)]; }

  /// The parts up to `since`; their sum is the time since the release. Discards the log positions that are no longer
  /// needed.
  const std::vector<Contribution>& parts(TaskIndex self, const ObstacleLog& log, PartSum& sum);
  /// What `parts` returned, for a job that ends.
  std::vector<Contribution> take_parts() { return std::exchange(parts_, {}); }
  /// Number of stretches that are not evaluated yet.
  std::size_t pending() const { return stretches_.size(); }
  /// The earliest log entry that is still needed; never if none is.
  Instant pending_from() const;

 private:
  /// Ends where the next one begins.
  struct Stretch {
    Instant from;
    bool by_log = false;
    Reason reason;     ///< if not by log
    Urgency::Key key;  ///< if by log: key of the job
  };
  void begin(const Stretch& stretch);

  std::array<Duration, 7> states_;
  std::array<Duration, 3> doing_;
  Instant since_;
  Standing standing_;
  Duration backlog_;
  std::vector<Contribution> parts_;  ///< up to the first stretch
  std::vector<Stretch> stretches_;
};

}  // namespace amalthea::engine::simulation
