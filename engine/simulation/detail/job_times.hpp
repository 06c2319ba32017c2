// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a job spends its time on: by states, which are added up as they end, and by reasons, which are looked up only
/// when somebody asks.
///
/// A job that is kept from its core has a reason that changes with whoever has the core. For all that wait for the same
/// cores that is one story (ObstacleLog), written down once; of a job it is kept from when to when the story is its
/// own.

#include <array>
#include <cstdint>
#include <vector>

#include "engine/cpu/detail/urgency.hpp"
#include "engine/simulation/job_account.hpp"

namespace amalthea::engine::simulation {

/// Who kept the ready jobs of some cores from them, and when.
class ObstacleLog {
 public:
  /// From `now` on; nothing if it is as before.
  bool change(Instant now, std::optional<TaskIndex> by, const Urgency::Key& key);
  std::size_t size() const { return entries_.size(); }
  /// Forgets what was before.
  void forget_before(Instant at);
  Instant middle() const { return entries_[entries_.size() / 2].from; }

  /// Tells who it was from when to when, in order.
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
    Urgency::Key key;  ///< of that
  };
  std::size_t find(Instant at) const;

  std::vector<Entry> entries_;
};

/// Adds up parts by reason, in the order of their first appearance.
class PartSum {
 public:
  explicit PartSum(std::size_t tasks);
  /// What is added from now on is added to these, up to `end`.
  void begin(std::vector<Contribution>& parts);
  void add(ContributionKind kind, std::optional<TaskIndex> by, Duration time);
  void add(const Reason& reason, Duration time);
  void end();

 private:
  std::uint32_t& slot(ContributionKind kind, std::optional<TaskIndex> by);

  std::size_t tasks_;
  std::vector<Contribution>* parts_ = nullptr;
  std::vector<std::uint32_t> slots_;  ///< of every reason: 0, or one more than where it stands among the parts
};

/// Of the current job of a task.
class JobTimes {
 public:
  void start(Instant now, Duration backlog);
  const Standing& standing() const { return standing_; }
  Instant since() const { return since_; }

  /// `standing` holds from `now` on.
  void change(Instant now, const Standing& standing);
  /// The same, for a job that is kept from its core by whom the log says; `key`: how urgent it is. The standing's
  /// reason is without meaning.
  void change_by_log(Instant now, const Standing& standing, const Urgency::Key& key);
  /// What holds goes on; up to now it is added up.
  void book(Instant now);
  /// The same, if what holds is looked up in the log.
  void book_log(Instant now) {
    if (!stretches_.empty() && stretches_.back().by_log) book(now);
  }

  Duration in(ProcessState state) const { return states_[static_cast<std::size_t>(state)]; }
  Duration doing(Activities what) const { return doing_[static_cast<std::size_t>(what)]; }

  /// The parts up to `since`, which add up to the time since the release; what it takes to find them is forgotten.
  const std::vector<Contribution>& parts(TaskIndex self, const ObstacleLog& log, PartSum& sum);
  /// How much there is to be looked up.
  std::size_t pending() const { return stretches_.size(); }
  /// From when on it needs the log; never, if not.
  Instant pending_from() const;

 private:
  /// Up to where the next begins.
  struct Stretch {
    Instant from;
    bool by_log = false;
    Reason reason;     ///< if not
    Urgency::Key key;  ///< if so: of the job
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
