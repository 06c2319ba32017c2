// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/detail/job_times.hpp"

#include <algorithm>

namespace amalthea::engine::simulation {
namespace {

constexpr std::size_t kinds = static_cast<std::size_t>(ContributionKind::interference) + 1;
constexpr std::size_t traffics = static_cast<std::size_t>(TrafficKind::cpu) + 1;

bool is_own_work(ContributionKind kind) {
  return kind == ContributionKind::kernel || kind == ContributionKind::copy || kind == ContributionKind::memory;
}

/// Own work that another task slows down: the added time is rounded for every separate stretch.
bool is_divided(const Reason& reason) { return is_own_work(reason.kind) && reason.by; }

}  // namespace

// ---- the log

bool ObstacleLog::change(Instant now, std::optional<TaskIndex> by, const Urgency::Key& key) {
  if (!entries_.empty() && entries_.back().by == by && entries_.back().key == key) return false;
  entries_.push_back({now, by, key});
  return true;
}

void ObstacleLog::forget_before(Instant at) {
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(find(at)));
}

/// The last entry that does not begin after that instant.
std::size_t ObstacleLog::find(Instant at) const {
  const auto after = std::upper_bound(entries_.begin(), entries_.end(), at,
                                      [](Instant instant, const Entry& entry) { return instant < entry.from; });
  return after == entries_.begin() ? 0 : static_cast<std::size_t>(after - entries_.begin()) - 1;
}

// ---- sums

PartSum::PartSum(std::size_t tasks) : tasks_(tasks), slots_((kinds + traffics) * (tasks + 1)) {}

/// Interference has a slot for each kind of traffic, after those of all kinds.
std::uint32_t& PartSum::slot(ContributionKind kind, std::optional<TaskIndex> by, TrafficKind traffic) {
  const std::size_t row =
      traffic == TrafficKind::none ? static_cast<std::size_t>(kind) : kinds + static_cast<std::size_t>(traffic);
  return slots_[row * (tasks_ + 1) + (by ? *by : tasks_)];
}

void PartSum::begin(std::vector<Contribution>& parts) {
  parts_ = &parts;
  for (std::size_t i = 0; i < parts.size(); ++i)
    slot(parts[i].kind, parts[i].by, parts[i].traffic) = static_cast<std::uint32_t>(i + 1);
}

void PartSum::add(ContributionKind kind, std::optional<TaskIndex> by, Duration time, TrafficKind traffic) {
  if (time.is_zero()) return;
  std::uint32_t& at = slot(kind, by, traffic);
  if (at == 0) {
    // Member by member: a copy of the whole would wait for the stores of its parts.
    Contribution& part = parts_->emplace_back();
    part.kind = kind;
    part.by = by;
    part.time = time;
    part.traffic = traffic;
    at = static_cast<std::uint32_t>(parts_->size());
  } else {
    (*parts_)[at - 1].time += time;
  }
}

void PartSum::add(const Reason& reason, Duration time) {
  if (!is_divided(reason)) {
    add(reason.kind, is_own_work(reason.kind) ? std::nullopt : reason.by, time);
    return;
  }
  const Duration own = scale(time, 1'000'000, reason.slowdown.ppm, Rounding::down);
  add(reason.kind, std::nullopt, own);
  Duration rest = time - own;
  const auto causes = static_cast<std::int64_t>(reason.also.size() + 1);
  for (const TaskIndex other : reason.also) {
    const Duration share = Duration::picoseconds((time - own).picoseconds() / causes);
    add(ContributionKind::interference, other, share, reason.traffic);
    rest -= share;
  }
  add(ContributionKind::interference, reason.by, rest, reason.traffic);
}

void PartSum::end() {
  for (const Contribution& part : *parts_) slot(part.kind, part.by, part.traffic) = 0;
}

// ---- a job

void JobTimes::start(Instant now, Duration backlog) {
  states_ = {};
  doing_ = {};
  since_ = now;
  standing_ = {};
  backlog_ = backlog;
  parts_.clear();
  stretches_.clear();
}

void JobTimes::book(Instant now) {
  const Duration elapsed = now - since_;
  since_ = now;
  states_[static_cast<std::size_t>(standing_.state)] += elapsed;
  if (standing_.state == ProcessState::running) doing_[static_cast<std::size_t>(standing_.doing)] += elapsed;
}

void JobTimes::change(Instant now, const Standing& standing) {
  book(now);
  standing_ = standing;
  begin({now, false, standing.reason, {}});
}

void JobTimes::change_by_log(Instant now, const Standing& standing, const Urgency::Key& key) {
  book(now);
  standing_ = standing;
  begin({now, true, {}, key});
}

void JobTimes::begin(const Stretch& stretch) {
  if (!stretches_.empty()) {
    Stretch& last = stretches_.back();
    if (last.from == stretch.from) {
      last = stretch;
      return;
    }
    if (last.by_log == stretch.by_log && last.reason == stretch.reason && last.key == stretch.key &&
        !is_divided(last.reason))
      return;
  }
  stretches_.push_back(stretch);
}

Instant JobTimes::pending_from() const {
  const auto first =
      std::find_if(stretches_.begin(), stretches_.end(), [](const Stretch& stretch) { return stretch.by_log; });
  return first == stretches_.end() ? Instant::never() : first->from;
}

const std::vector<Contribution>& JobTimes::parts(TaskIndex self, const ObstacleLog& log, PartSum& sum) {
  sum.begin(parts_);
  if (parts_.empty()) sum.add(ContributionKind::backlog, self, backlog_);
  backlog_ = {};
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    const Stretch& stretch = stretches_[i];
    const Instant to = i + 1 < stretches_.size() ? stretches_[i + 1].from : since_;
    if (stretch.by_log)
      log.visit(stretch.from, to, [&](std::optional<TaskIndex> by, const Urgency::Key& key, Duration time) {
        const bool blocked = by && Urgency::before(stretch.key, self, key, *by);
        sum.add(blocked ? ContributionKind::blocking : ContributionKind::preemption, by, time);
      });
    else
      sum.add(stretch.reason, to - stretch.from);
  }
  sum.end();
  if (!stretches_.empty()) {
    stretches_.front() = stretches_.back();
    stretches_.front().from = since_;
    stretches_.resize(1);
  }
  return parts_;
}

}  // namespace amalthea::engine::simulation
