// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A slow reference implementation of timing constraints, directly from docs/reference/constraints.md: it tries every
/// pair, and searches for matchings and ideal occurrences. Shares no code with the engine; instants and limits are
/// plain picoseconds.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace naive {

using Time = std::int64_t;
using Times = std::vector<Time>;

struct Limits {
  std::optional<Time> lower, upper;
  bool hold(Time distance) const { return distance >= lower.value_or(0) && (!upper || distance <= *upper); }
};

struct Seen {
  Time from = 0, to = 0;
  bool cut_at_start = false;
};

struct Outcome {
  std::uint64_t judged = 0, broken = 0;
  std::optional<Time> first;  ///< the first violation
  void add(bool holds, Time at) {
    ++judged;
    if (holds) return;
    ++broken;
    first = first ? std::min(*first, at) : at;
  }
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// For every x there is a y; a missing one may lie beyond the window.
inline Outcome reaction(const Times& xs, const Times& ys, const Limits& limits, const Seen& seen) {
  Outcome outcome;
  for (const Time x : xs) {
    const bool found = std::any_of(ys.begin(), ys.end(), [&](Time y) { return limits.hold(y - x); });
    const bool may_follow = !limits.upper || x + *limits.upper > seen.to;
    const bool may_precede = seen.cut_at_start && x + limits.lower.value_or(0) < seen.from;
    if (found || (!may_follow && !may_precede)) outcome.add(found, x);
  }
  return outcome;
}

/// Whether each of the first `count` of them can have a separate y: augmenting paths.
inline bool has_own(const Times& xs, std::size_t count, const Times& ys, const Limits& limits) {
  std::vector<std::optional<std::size_t>> owner(ys.size());
  for (std::size_t x = 0; x < count; ++x) {
    std::vector<bool> tried(ys.size(), false);
    const std::function<bool(std::size_t)> place = [&](std::size_t who) {
      for (std::size_t y = 0; y < ys.size(); ++y) {
        if (tried[y] || !limits.hold(ys[y] - xs[who])) continue;
        tried[y] = true;
        if (owner[y] && !place(*owner[y])) continue;
        owner[y] = who;
        return true;
      }
      return false;
    };
    if (!place(x)) return false;
  }
  return true;
}

/// The first x that cannot have a separate y, if all candidates for it were observed; nothing if none is missing.
inline std::optional<Time> unique_reaction(Times xs, const Times& ys, const Limits& limits, const Seen& seen) {
  if (seen.cut_at_start) std::erase_if(xs, [&](Time x) { return x + limits.lower.value_or(0) < seen.from; });
  for (std::size_t x = 0; x < xs.size(); ++x) {
    if (!limits.upper || xs[x] + *limits.upper > seen.to) break;
    if (!has_own(xs, x + 1, ys, limits)) return xs[x];
  }
  return std::nullopt;
}

/// The i-th occurrences belong together; none is left over.
inline Outcome one_to_one(const Times& xs, Times ys, const Limits& limits, const Seen& seen) {
  if (seen.cut_at_start)
    std::erase_if(ys,
                  [&](Time y) { return xs.empty() || y < xs.front() + std::min<Time>(0, limits.lower.value_or(0)); });
  Outcome outcome;
  for (std::size_t i = 0; i < std::max(xs.size(), ys.size()); ++i) {
    if (i < xs.size() && i < ys.size())
      outcome.add(limits.hold(ys[i] - xs[i]), xs[i]);
    else if (i < xs.size() && limits.upper && xs[i] + *limits.upper <= seen.to)
      outcome.add(false, xs[i]);  // every possible y for it was observed
    else if (i < ys.size() && i >= xs.size() && ys[i] - limits.lower.value_or(0) <= seen.to)
      outcome.add(false, ys[i]);
  }
  return outcome;
}

/// Whether there are ideal instants for the first `count` of them, as a system of difference constraints
/// (Bellman-Ford).
inline bool has_ideals(const Times& ys, std::size_t count, std::size_t span, const Limits& limits, Time jitter) {
  struct Edge {
    std::size_t from, to;  // z(to) <= z(from) + weight; the last node is zero
    Time weight;
  };
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < count; ++i) {
    edges.push_back({count, i, ys[i]});
    edges.push_back({i, count, jitter - ys[i]});
    if (i < span) continue;
    edges.push_back({i, i - span, -limits.lower.value_or(0)});
    if (limits.upper) edges.push_back({i - span, i, *limits.upper});
  }
  Times z(count + 1, 0);
  for (std::size_t round = 0; round <= count + 1; ++round) {
    bool changed = false;
    for (const Edge& edge : edges)
      if (z[edge.to] > z[edge.from] + edge.weight) {
        z[edge.to] = z[edge.from] + edge.weight;
        changed = true;
      }
    if (!changed) return true;
  }
  return false;
}

/// The first y up to which no ideal instants exist.
inline std::optional<Time> repetition(const Times& ys, std::size_t span, const Limits& limits, Time jitter) {
  for (std::size_t count = span + 1; count <= ys.size(); ++count)
    if (!has_ideals(ys, count, span, limits, jitter)) return ys[count - 1];
  return std::nullopt;
}

/// Every occurrence is in a window that contains one of each event.
inline Outcome windows(const std::vector<Times>& events, Time tolerance, const Seen& seen) {
  Times all;
  for (const Times& event : events) all.insert(all.end(), event.begin(), event.end());
  std::sort(all.begin(), all.end());
  Outcome outcome;
  for (const Time at : all) {
    const auto good = [&](Time begin) {
      return begin <= at && at <= begin + tolerance &&
             std::all_of(events.begin(), events.end(), [&](const Times& event) {
               return std::any_of(event.begin(), event.end(),
                                  [&](Time other) { return begin <= other && other <= begin + tolerance; });
             });
    };
    // A window can be moved to the right until it begins with an occurrence.
    const bool found = std::any_of(all.begin(), all.end(), good);
    const bool open = at + tolerance > seen.to || (seen.cut_at_start && at - tolerance < seen.from);
    if (found || !open) outcome.add(found, at);
  }
  return outcome;
}

/// The i-th occurrences of all events lie together.
inline Outcome groups(std::vector<Times> events, Time tolerance, const Seen& seen) {
  if (seen.cut_at_start)
    for (std::size_t event = 1; event < events.size(); ++event)
      std::erase_if(events[event], [&](Time at) {
        return events[0].empty() || at < events[0].front() - std::max<Time>(0, tolerance);
      });
  std::size_t most = 0;
  for (const Times& event : events) most = std::max(most, event.size());
  Outcome outcome;
  for (std::size_t i = 0; i < most; ++i) {
    Times group;
    for (const Times& event : events)
      if (i < event.size()) group.push_back(event[i]);
    const auto [first, last] = std::minmax_element(group.begin(), group.end());
    const bool complete = group.size() == events.size(), near = *last - *first <= tolerance;
    if (complete || !near || *first + tolerance <= seen.to) outcome.add(complete && near, *first);
  }
  return outcome;
}

/// The end of a chain that follows `at` event by event (or, backwards, that it follows).
inline std::optional<Time> along(const std::vector<Times>& chain, Time at, bool backwards) {
  for (std::size_t i = 1; i < chain.size(); ++i) {
    const Times& event = chain[backwards ? chain.size() - 1 - i : i];
    std::optional<Time> next;
    for (const Time other : event)
      if (backwards ? other <= at && (!next || other > *next) : other >= at && (!next || other < *next)) next = other;
    if (!next) return std::nullopt;
    at = *next;
  }
  return at;
}

inline Outcome chains(const std::vector<Times>& first, const std::vector<Times>& second, bool of_stimuli,
                      Time tolerance, const Seen& seen) {
  Outcome outcome;
  for (const Time at : of_stimuli ? first.back() : first.front()) {
    const auto one = along(first, at, of_stimuli), other = along(second, at, of_stimuli);
    if (one && other)
      outcome.add(std::max(*one, *other) - std::min(*one, *other) <= tolerance, at);
    else if (!of_stimuli && (one || other) && (one ? *one : *other) + tolerance <= seen.to)
      outcome.add(false, at);
  }
  return outcome;
}

/// An access in a trace.
struct Access {
  Time at = 0;
  int task = 0;
  std::int64_t job = 0;
  int runnable = -1;
  int label = 0;
  bool write = false;
};

/// Every read of the label by the runnable after the first write.
inline Outcome age(const std::vector<Access>& accesses, int runnable, int label, const Limits& limits) {
  Outcome outcome;
  for (std::size_t read = 0; read < accesses.size(); ++read) {
    if (accesses[read].write || accesses[read].label != label || accesses[read].runnable != runnable) continue;
    for (std::size_t write = read; write-- > 0;)
      if (accesses[write].write && accesses[write].label == label) {
        outcome.add(limits.hold(accesses[read].at - accesses[write].at), accesses[read].at);
        break;
      }
  }
  return outcome;
}

/// Per job of the task, only those of `ended` unless they are violated: between the first and the last own access (to
/// one label, or to all of the group) no other job makes an access of the other kind.
inline Outcome undisturbed(const std::vector<Access>& all, int task, const std::vector<int>& labels, bool output,
                           bool label_by_label, std::int64_t ended) {
  // jobs with accesses, and where they are violated
  std::vector<std::pair<std::int64_t, std::optional<Time>>> jobs;
  const auto in_group = [&](const Access& access) {
    return std::find(labels.begin(), labels.end(), access.label) != labels.end();
  };
  for (const Access& access : all)
    if (access.task == task && access.write == output && in_group(access) &&
        (jobs.empty() || jobs.back().first != access.job))
      jobs.push_back({access.job, std::nullopt});
  for (auto& [number, broken] : jobs) {
    const std::int64_t job = number;  // clang 14 captures no structured binding
    for (std::size_t a = 0; a < all.size(); ++a)
      for (std::size_t b = a + 1; b < all.size(); ++b)
        for (std::size_t c = b + 1; c < all.size(); ++c) {
          const auto own = [&](const Access& access) {
            return access.task == task && access.job == job && access.write == output && in_group(access);
          };
          if (!own(all[a]) || !own(all[c]) || !in_group(all[b])) continue;
          if (all[b].write == output || (all[b].task == task && all[b].job == job)) continue;
          if (label_by_label && (all[a].label != all[b].label || all[b].label != all[c].label)) continue;
          broken = broken ? std::min(*broken, all[c].at) : all[c].at;
        }
  }
  Outcome outcome;
  for (const auto& [job, broken] : jobs)
    if (broken || job < ended) outcome.add(!broken, broken.value_or(0));
  return outcome;
}

}  // namespace naive
