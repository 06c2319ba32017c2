// SPDX-License-Identifier: Apache-2.0
#include "engine/constraints/constraint_judge.hpp"

#include <algorithm>
#include <limits>

namespace amalthea::engine {
namespace {

Duration lower_of(const TimeLimits& limits) { return limits.lower.value_or(Duration{}); }

bool is_within(Duration distance, const TimeLimits& limits) {
  return distance >= lower_of(limits) && (!limits.upper || distance <= *limits.upper);
}

/// Whether everything up to this instant was observed.
bool is_seen(Instant until, const Window& window) { return until <= window.to; }

std::size_t index_from(Occurrences events, Instant time) {
  return static_cast<std::size_t>(std::lower_bound(events.begin(), events.end(), time) - events.begin());
}

/// The number of occurrences that belong to occurrences of another event before `first`, its first observed one.
std::size_t left_out(Occurrences events, Occurrences first, Duration earliest, const Window& window) {
  if (!window.cut_at_start) return 0;
  return first.empty() ? events.size() : index_from(events, saturated(first.front(), earliest));
}

Judgement judge_reaction(Occurrences source, Occurrences target, const TimeLimits& limits, bool unique,
                         const Window& window) {
  Judgement judgement;
  std::size_t unused = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const Instant x = source[i], earliest = saturated(x, lower_of(limits));
    const bool before_window = window.cut_at_start && earliest < window.from;
    // its target may be unobserved, so it must not use one of the others
    if (unique && before_window) continue;
    const std::size_t found = std::max(unused, index_from(target, earliest));
    if (found < target.size() && is_within(target[found] - x, limits)) {
      judgement.meets(target[found] - x);
      if (unique) unused = found + 1;
      continue;
    }
    if (!limits.upper || before_window || !is_seen(saturated(x, *limits.upper), window)) continue;
    Breach breach{0, i, x};
    if (const std::size_t next = index_from(target, x); next < target.size()) breach.others.push_back(target[next]);
    judgement.breaks(std::move(breach));
  }
  return judgement;
}

Judgement judge_pairs(Occurrences source, Occurrences target, const TimeLimits& limits, const Window& window) {
  Judgement judgement;
  const Duration lower = lower_of(limits);
  const std::size_t skipped = left_out(target, source, std::min(lower, Duration{}), window);
  const std::size_t targets = target.size() - skipped, pairs = std::min(source.size(), targets);
  for (std::size_t i = 0; i < pairs; ++i) {
    const Instant y = target[skipped + i];
    if (is_within(y - source[i], limits))
      judgement.meets(y - source[i]);
    else
      judgement.breaks({0, i, source[i], {y}}, y - source[i]);
  }
  for (std::size_t i = pairs; i < source.size(); ++i)
    if (limits.upper && is_seen(saturated(source[i], *limits.upper), window)) judgement.breaks({0, i, source[i]});
  for (std::size_t i = pairs; i < targets; ++i)
    if (is_seen(saturated(target[skipped + i], lower, true), window))
      judgement.breaks({1, skipped + i, target[skipped + i]});
  return judgement;
}

struct Placed {
  Instant at;
  std::size_t event = 0;
  std::size_t number = 0;
};

Judgement judge_windows(std::span<const Occurrences> events, Duration tolerance, const Window& window) {
  std::vector<Placed> all;
  for (std::size_t event = 0; event < events.size(); ++event)
    for (std::size_t i = 0; i < events[event].size(); ++i) all.push_back({events[event][i], event, i});
  std::stable_sort(all.begin(), all.end(), [](const Placed& a, const Placed& b) { return a.at < b.at; });
  Judgement judgement;
  std::vector<std::size_t> next(events.size(), 0);  // for every event, its next occurrence
  std::optional<Instant> begin;                     // start of the latest window that contains one of each
  for (std::size_t i = 0; i < all.size(); ++i) {
    // Any of several simultaneous occurrences may begin a window.
    if (i == 0 || all[i].at != all[i - 1].at) {
      std::optional<Instant> last = all[i].at;
      for (std::size_t event = 0; event < events.size(); ++event) {
        while (next[event] < events[event].size() && events[event][next[event]] < all[i].at) ++next[event];
        last = !last || next[event] == events[event].size()
                   ? std::nullopt
                   : std::optional(std::max(*last, events[event][next[event]]));
      }
      if (last && *last - all[i].at <= tolerance) begin = all[i].at;
    }
    if (begin && all[i].at - *begin <= tolerance) {
      judgement.meets();
      continue;
    }
    if (window.cut_at_start && saturated(all[i].at, tolerance, true) < window.from) continue;
    if (is_seen(saturated(all[i].at, tolerance), window)) judgement.breaks({all[i].event, all[i].number, all[i].at});
  }
  return judgement;
}

Judgement judge_groups(std::span<const Occurrences> events, Duration tolerance, const Window& window) {
  std::vector<std::size_t> skipped(events.size(), 0);
  std::size_t groups = 0;
  for (std::size_t event = 0; event < events.size(); ++event) {
    if (event > 0) {
      const Instant earliest =
          events[0].empty() ? Instant{} : saturated(events[0].front(), std::max(tolerance, Duration{}), true);
      if (window.cut_at_start)
        skipped[event] = events[0].empty() ? events[event].size() : index_from(events[event], earliest);
    }
    groups = std::max(groups, events[event].size() - skipped[event]);
  }
  Judgement judgement;
  for (std::size_t i = 0; i < groups; ++i) {
    std::optional<Placed> first, last;
    bool complete = true;
    for (std::size_t event = 0; event < events.size(); ++event) {
      const std::size_t number = skipped[event] + i;
      if (number >= events[event].size()) {
        complete = false;
        continue;
      }
      const Placed placed{events[event][number], event, number};
      if (!first || placed.at < first->at) first = placed;
      if (!last || placed.at > last->at) last = placed;
    }
    const Duration width = last->at - first->at;
    if (complete && width <= tolerance)
      judgement.meets(width);
    else if (width > tolerance)
      judgement.breaks({first->event, first->number, first->at, {last->at}}, width);
    else if (is_seen(saturated(first->at, tolerance), window))
      judgement.breaks({first->event, first->number, first->at});
  }
  return judgement;
}

/// The first occurrence of the last event that follows one of each intermediate event.
std::optional<Instant> response_to(const std::vector<Occurrences>& chain, Instant time) {
  for (std::size_t event = 1; event < chain.size(); ++event) {
    const std::size_t next = index_from(chain[event], time);
    if (next == chain[event].size()) return std::nullopt;
    time = chain[event][next];
  }
  return time;
}

/// The last occurrence of the first event that precedes one of each intermediate event.
std::optional<Instant> stimulus_of(const std::vector<Occurrences>& chain, Instant time) {
  for (std::size_t event = chain.size() - 1; event-- > 0;) {
    const auto later = std::upper_bound(chain[event].begin(), chain[event].end(), time);
    if (later == chain[event].begin()) return std::nullopt;
    time = *std::prev(later);
  }
  return time;
}

Duration gap_between(Instant a, Instant b) { return a < b ? b - a : a - b; }

}  // namespace

Instant saturated(Instant instant, Duration distance, bool backwards) {
  const detail::Int128 sum =
      detail::Int128{instant.picoseconds()} +
      (backwards ? -detail::Int128{distance.picoseconds()} : detail::Int128{distance.picoseconds()});
  constexpr detail::Int128 most = std::numeric_limits<std::int64_t>::max(),
                           least = -detail::Int128{std::numeric_limits<std::int64_t>::max()};
  return Instant::at(Duration::picoseconds(static_cast<std::int64_t>(std::clamp(sum, least, most))));
}

void Judgement::meets(std::optional<Duration> distance) {
  ++judged;
  if (!distance) return;
  least = least ? std::min(*least, *distance) : *distance;
  most = most ? std::max(*most, *distance) : *distance;
}

void Judgement::breaks(Breach breach, std::optional<Duration> distance) {
  meets(distance);
  ++broken;
  if (!first || breach.at < first->at) first = std::move(breach);
}

Judgement judge_delay(Occurrences source, Occurrences target, const TimeLimits& limits, DelayLimit::Mapping mapping,
                      const Window& window) {
  if (mapping == DelayLimit::Mapping::one_to_one) return judge_pairs(source, target, limits, window);
  return judge_reaction(source, target, limits, mapping == DelayLimit::Mapping::unique_reaction, window);
}

Judgement judge_order(Occurrences source, Occurrences target, const Window& window) {
  return judge_pairs(source, target, {}, window);
}

Judgement judge_repetition(Occurrences event, std::int64_t span, const TimeLimits& limits, Duration jitter) {
  struct Interval {
    Instant from, to;
  };
  const auto possible = [&](std::size_t i) { return Interval{saturated(event[i], jitter, true), event[i]}; };
  Judgement judgement;
  if (static_cast<std::uint64_t>(span) >= event.size()) return judgement;
  const auto step = static_cast<std::size_t>(span);
  std::vector<Interval> ideal;  // for the last `span` occurrences, by their number modulo the span
  for (std::size_t i = 0; i < event.size(); ++i) {
    Interval now = possible(i);
    if (i < step) {
      ideal.push_back(now);
      continue;
    }
    Interval& before = ideal[i % step];
    const Instant from = std::max(now.from, saturated(before.from, lower_of(limits)));
    const Instant to = limits.upper ? std::min(now.to, saturated(before.to, *limits.upper)) : now.to;
    const Duration distance = event[i] - event[i - step];
    const bool possible_at_all = !limits.upper || lower_of(limits) <= *limits.upper;
    if (possible_at_all && from <= to) {
      judgement.meets(distance);
      now = {from, to};
    } else {
      judgement.breaks({0, i, event[i], {event[i - step]}}, distance);
    }
    before = now;
  }
  return judgement;
}

Judgement judge_synchronization(std::span<const Occurrences> events, Duration tolerance, bool multiple_occurrences,
                                const Window& window) {
  return multiple_occurrences ? judge_windows(events, tolerance, window) : judge_groups(events, tolerance, window);
}

Judgement judge_chain_synchronization(std::span<const std::vector<Occurrences>> chains, ChainSynchronization::Of of,
                                      Duration tolerance, const Window& window) {
  const bool of_stimuli = of == ChainSynchronization::Of::stimuli;
  const Occurrences common = of_stimuli ? chains[0].back() : chains[0].front();
  Judgement judgement;
  for (std::size_t i = 0; i < common.size(); ++i) {
    const auto other_end = [&](std::size_t chain) {
      return of_stimuli ? stimulus_of(chains[chain], common[i]) : response_to(chains[chain], common[i]);
    };
    const auto first = other_end(0), second = other_end(1);
    if (first && second) {
      const Duration width = gap_between(*first, *second);
      if (width <= tolerance)
        judgement.meets(width);
      else
        judgement.breaks({0, i, common[i], {*first, *second}}, width);
    } else if (!of_stimuli && (first || second)) {
      // The other response has not occurred yet.
      const Instant seen = first ? *first : *second;
      if (is_seen(saturated(seen, tolerance), window)) judgement.breaks({0, i, common[i], {seen}});
    }
  }
  return judgement;
}

// ---------------------------------------------------------------- data

void DataAgeJudge::take(const LabelUse& use) {
  if (use.label != label_) return;
  if (use.write) {
    written_ = use.at;
    return;
  }
  if (use.runnable != runnable_) return;
  const std::size_t number = reads_++;
  if (!written_) return;
  const Duration age = use.at - *written_;
  if (is_within(age, limits_))
    judgement_.meets(age);
  else
    judgement_.breaks({0, number, use.at, {*written_}, use.task}, age);
}

bool IntrusionJudge::is_own(const LabelUse& use) const {
  const auto names = [](const auto& list, auto value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  return names(scope_.tasks, use.task) || (use.runnable && names(scope_.runnables, *use.runnable));
}

void IntrusionJudge::begin_job(TaskIndex task, std::uint64_t job) { jobs_[task] = {job, true}; }

void IntrusionJudge::take(const LabelUse& use) {
  const bool own = is_own(use);
  const bool access = use.write == (demand_ == Demand::coherent_output);
  const LabelIndex of = demand_ == Demand::stable ? use.label : 0;
  if (!access)
    for (auto& [place, section] : sections_) {
      if (place.second != of || section.intruder) continue;
      if (!own || place.first != use.task || section.job != use.job) section.intruder = use.at;
    }
  if (!access || !own) return;
  Job& job = jobs_[use.task];
  if (job.job != use.job) job = {use.job};
  job.touched = true;
  const auto [place, is_new] = sections_.try_emplace({use.task, of}, Section{use.job, {}});
  Section& section = place->second;
  if (!is_new && section.job != use.job) section = {use.job, {}};
  if (!section.intruder || job.broken) return;
  job.broken = true;
  judgement_.breaks({0, static_cast<std::size_t>(use.job), use.at, {*section.intruder}, use.task});
}

void IntrusionJudge::end_job(TaskIndex task) {
  const auto found = jobs_.find(task);
  if (found == jobs_.end()) return;
  if (found->second.whole && found->second.touched && !found->second.broken) judgement_.meets();
  jobs_.erase(found);
  std::erase_if(sections_, [task](const auto& section) { return section.first.first == task; });
}

// ---------------------------------------------------------------- runnables

namespace {

/// The runs of one job that belong to the groups.
class SequenceChecker {
 public:
  SequenceChecker(const RunnableSequence& sequence, TaskIndex task, std::span<const RunnableRun> runs)
      : sequence_(sequence), runs_(runs) {
    for (std::size_t run = 0; run < runs.size(); ++run) {
      const auto place = place_of(task, runs[run].runnable);
      if (place) members_.push_back({run, place->first, place->second});
    }
  }

  SequenceFinding check() {
    std::vector<bool> present(sequence_.groups.size(), false);
    for (const Member& member : members_) present[member.group] = true;
    const auto groups = std::count(present.begin(), present.end(), true);
    bool complete = true, asks = false;
    for (std::size_t group = 0; group < present.size(); ++group) {
      if (!present[group] || !sequence_.groups[group].all) continue;
      asks = true;
      complete = complete && all_run(group);
    }
    SequenceFinding finding;
    finding.applies = groups >= 2 || asks;
    if (!finding.applies) return finding;
    if (!complete)
      finding.run = members_.front().run;
    else if (groups >= 2)
      finding.run = misplaced();
    return finding;
  }

 private:
  struct Member {
    std::size_t run = 0, group = 0, position = 0;
  };

  std::optional<std::pair<std::size_t, std::size_t>> place_of(TaskIndex task, RunnableIndex runnable) const {
    for (std::size_t group = 0; group < sequence_.groups.size(); ++group) {
      const auto& [members, tasks, all] = sequence_.groups[group];
      if (!tasks.empty() && std::find(tasks.begin(), tasks.end(), task) == tasks.end()) continue;
      const auto found = std::find(members.begin(), members.end(), runnable);
      if (found != members.end()) return std::pair(group, static_cast<std::size_t>(found - members.begin()));
    }
    return std::nullopt;
  }

  bool all_run(std::size_t group) const {
    const auto& members = sequence_.groups[group].members;
    return std::all_of(members.begin(), members.end(), [&](RunnableIndex runnable) {
      return std::any_of(members_.begin(), members_.end(),
                         [&](const Member& member) { return runs_[member.run].runnable == runnable; });
    });
  }

  std::optional<std::size_t> misplaced() const {
    const bool stated_order = sequence_.order == RunnableSequence::Order::immediately_at_start ||
                              sequence_.order == RunnableSequence::Order::immediately_at_end;
    for (std::size_t i = 1; i < members_.size(); ++i) {
      const Member &before = members_[i - 1], &now = members_[i];
      if (now.group < before.group) return now.run;
      if (stated_order && now.group == before.group && now.position < before.position) return now.run;
    }
    if (sequence_.order == RunnableSequence::Order::successor) return std::nullopt;
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      if (belongs(run)) continue;
      const bool after_first = run > members_.front().run, before_last = run < members_.back().run;
      const bool between = after_first && before_last;
      const bool ahead = !after_first && sequence_.order == RunnableSequence::Order::immediately_at_start;
      const bool behind = !before_last && sequence_.order == RunnableSequence::Order::immediately_at_end;
      if (between || ahead || behind) return run;
    }
    return std::nullopt;
  }

  /// A member, a callee of a member, or a caller of one.
  bool belongs(std::size_t run) const {
    const auto calls = [this](std::size_t caller, std::size_t called) {
      for (std::optional<std::size_t> at = called; at; at = runs_[*at].caller)
        if (*at == caller) return true;
      return false;
    };
    return std::any_of(members_.begin(), members_.end(),
                       [&](const Member& member) { return calls(member.run, run) || calls(run, member.run); });
  }

  const RunnableSequence& sequence_;
  std::span<const RunnableRun> runs_;
  std::vector<Member> members_;  ///< in order of their starts
};

}  // namespace

SequenceFinding judge_sequence(const RunnableSequence& sequence, TaskIndex task, std::span<const RunnableRun> runs) {
  if (!sequence.tasks.empty() && std::find(sequence.tasks.begin(), sequence.tasks.end(), task) == sequence.tasks.end())
    return {};
  return SequenceChecker(sequence, task, runs).check();
}

}  // namespace amalthea::engine
