// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <numeric>

#include "engine/nvidia/time_slices/bound_time.hpp"

namespace amalthea::engine::nvidia {

Duration executed_within(Duration window, Duration period, Duration spread, Duration work) {
  using namespace time_slices;
  work = std::min(work, spread);
  const Duration rest = sum(std::max(window, work), spread) - work;
  if (work > period) return times(work, ceiling(sum(window, spread), period));
  const std::int64_t whole = rest.picoseconds() / period.picoseconds();
  return sum(times(work, whole), std::min(work, rest - times(period, whole)));
}

Duration executed_within(Duration window, const PartSequence& sequence, std::int64_t& steps, CarriedIn carried_in) {
  using namespace time_slices;
  const auto& [period, latest, head, parts, gaps] = sequence;
  Duration all, whole;  // what a job executes, and how long it takes at least
  for (std::size_t part = 0; part < parts.size(); ++part) {
    all = sum(all, parts[part]);
    whole = sum(whole, sum(parts[part], gaps[part]));
  }
  constexpr std::int64_t most_jobs = 64, most_parts = 256;
  const std::int64_t jobs = ceiling(sum(window, latest - std::min(latest, all)), period);
  const Duration most = carried_in == CarriedIn::part ? executed_within(window, period, latest, all)
                                                      : times(all, ceiling(sum(window, latest), period));
  if (jobs > most_jobs || static_cast<std::int64_t>(parts.size()) > most_parts) return most;
  Duration longest, last, last_takes;  // the last parts of a job, from `first` on
  for (std::size_t first = parts.size(); first-- > 0;) {
    last = sum(last, parts[first]);
    last_takes = sum(last_takes, sum(parts[first], gaps[first]));
    Duration at, executed, first_end;
    for (std::int64_t job = 0; job <= jobs && at < window; ++job) {
      const Duration released = sum(first_end, times(period, job));
      if (job > 0) at = sum(std::max(at, released - std::min(released, latest)), head);
      std::size_t part = job == 0 ? first : 0;
      const Duration end = sum(at, job == 0 ? last_takes : whole);
      if (end < window) {
        executed = sum(executed, job == 0 ? last : all);
        at = end;
        steps += static_cast<std::int64_t>(parts.size() - part);
      } else {
        for (; part < parts.size() && at < window; ++part, ++steps) {
          executed = sum(executed, parts[part]);
          at = sum(sum(at, parts[part]), gaps[part]);
        }
      }
      if (job == 0) first_end = at;
    }
    longest = std::max(longest, executed);
  }
  return std::min(most, longest);
}

EngineShare share_of(const std::vector<EngineDemand>& demands, Duration window, CarriedIn carried_in) {
  using namespace time_slices;
  EngineShare share;
  Wide turns = 0;
  for (const EngineDemand& demand : demands) {
    const std::int64_t jobs = ceiling(sum(window, demand.jitter), demand.period);
    Duration work = times(demand.work, jobs);
    if (demand.within_jitter && carried_in == CarriedIn::part)
      work = std::min(work, executed_within(window, demand.period, sum(demand.jitter, demand.lag), demand.work));
    share.work = sum(share.work, work);
    turns += Wide(jobs) * demand.turns;
  }
  // So many that switches add up to `infinite`: a sum at its limit is no bound.
  share.turns = static_cast<std::int64_t>(std::min<Wide>(turns, infinite.picoseconds()));
  return share;
}

std::int64_t slots_before(const std::vector<SharingContext>& contexts, std::size_t self, std::size_t other,
                          std::int64_t turns) {
  const auto own = static_cast<std::int64_t>(contexts[self].priority);
  const auto its = static_cast<std::int64_t>(contexts[other].priority);
  // The other's slots in the gap after each own slot: of round 1, ..., and of the last, which wraps around.
  std::array<std::int64_t, 3> gaps{};
  for (std::int64_t round = 1; round < own; ++round)
    gaps[static_cast<std::size_t>(round - 1)] = its >= (other > self ? round : round + 1) ? 1 : 0;
  // in the first round before, or in the last after the own slot
  const bool in_between = other < self || its >= own;
  gaps[static_cast<std::size_t>(own - 1)] = std::max<std::int64_t>(0, its - own) + (in_between ? 1 : 0);
  return turns * *std::max_element(gaps.begin(), gaps.end());
}

CpuDemand accesses_without_response(Duration shortest_job, Duration accesses) {
  using namespace time_slices;
  if (shortest_job.is_zero()) return std::nullopt;
  return EngineDemand{shortest_job, times(shortest_job, 2), accesses, 1};
}

namespace {

/// What a slowdown adds to work at most.
Duration growth(Duration work, Slowdown factor) {
  using namespace time_slices;
  return factor == Slowdown{} ? Duration{}
                              : saturated(Wide(work.picoseconds()) * (factor.ppm - 1'000'000) / 1'000'000 + 1);
}

/// (5): the slowdown of work, divided among its causes. What is known counts first; the rest is due to the first cause
/// that may be active all the time. Without a window, everything may be.
void limit_slowdown(const OperationGroup& group, Duration work, Duration most, std::optional<Duration> window,
                    CarriedIn carried_in, GroupBound& bound) {
  using namespace time_slices;
  const std::vector<SlowdownCause>& aggressors = group.aggressors;
  std::vector<std::size_t> order(aggressors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return aggressors[a].factor < aggressors[b].factor; });
  bound.slowed.assign(aggressors.size(), Duration{});
  std::optional<std::size_t> unknown;
  Duration total;
  for (const std::size_t index : order) {
    const auto& [factor, demand, constant] = aggressors[index];
    Duration& part = bound.slowed[index];
    part = infinite;
    if (constant)
      part = growth(work, factor);
    else if (demand && window)
      part = scale(share_of({*demand}, *window, carried_in).work, factor.ppm - 1'000'000, factor.ppm, Rounding::up);
    else
      unknown = unknown ? std::min(*unknown, index) : index;
    const Duration before = total;
    total = sum(total, part);
    if (group.ways.empty()) continue;
    total = std::min(total, growth(work, factor));
    part = total - before;
  }
  bound.slowdown = total = std::min(total, most);
  for (std::size_t index = 0; index < aggressors.size(); ++index) {
    Duration& part = bound.slowed[index];
    part = part == infinite && (!window || !aggressors[index].demand) ? Duration{} : std::min(part, total);
    total -= part;
  }
  if (unknown) bound.slowed[*unknown] += total;
}

/// The sum of the waits. A task that uses several contexts executes one part at a time.
Duration sum_of(const std::vector<ContextWait>& waits, const std::vector<SharingContext>& contexts,
                const std::optional<Duration>& window, CarriedIn carried_in, std::int64_t& steps) {
  using namespace time_slices;
  constexpr std::int64_t most_steps = 1'000'000;
  Duration total;
  for (std::size_t first = 0; first < waits.size(); ++first) {
    total = sum(total, waits[first].switches);
    const PartSequence* sequence = contexts[first].sequence;
    const auto is_same = [&](const SharingContext& other) { return sequence != nullptr && other.sequence == sequence; };
    if (std::any_of(contexts.begin(), contexts.begin() + static_cast<std::ptrdiff_t>(first), is_same)) continue;
    Duration served = sum(waits[first].slices, waits[first].overruns);
    for (std::size_t other = first + 1; other < waits.size(); ++other)
      if (is_same(contexts[other])) served = sum(served, sum(waits[other].slices, waits[other].overruns));
    if (sequence != nullptr && window && !served.is_zero() && steps < most_steps)
      served = std::min(served, executed_within(*window, *sequence, steps, carried_in));
    total = sum(total, served);
  }
  return total;
}

}  // namespace

GroupBound group_bound(const OperationGroup& group, const std::vector<SharingContext>& contexts, std::size_t self,
                       Duration context_switch, bool by_priority) {
  using namespace time_slices;
  const auto asks = [](const SharingContext& context) { return !context.demand || !context.demand->empty(); };
  const auto limit_of = [](const StreamRival& rival, const std::optional<Duration>& window, CarriedIn carried_in) {
    Duration limit = rival.most.value_or(infinite);
    if (window && rival.demand) limit = std::min(limit, share_of(*rival.demand, *window, carried_in).work);
    return limit;
  };
  std::int64_t steps = 0;
  // Without a window, only the slots of the others count, not their demands.
  const auto evaluate = [&](std::optional<Duration> window, CarriedIn carried_in) {
    GroupBound bound;
    bound.waits.resize(contexts.size());
    bound.work = group.work;
    if (group.ways.empty()) {
      limit_slowdown(group, group.work, group.slowest - group.work, window, carried_in, bound);
    } else {
      const StreamDelay* least = nullptr;
      Duration undisturbed;
      for (auto way = group.ways.begin(); way != group.ways.end();) {
        const StreamDelay* longest = nullptr;
        Duration most;
        do {
          Duration total = way->own;
          for (const StreamRival& rival : way->rivals) total = sum(total, limit_of(rival, window, carried_in));
          if (longest == nullptr || total > most) {
            longest = &*way;
            most = total;
          }
          ++way;
        } while (way != group.ways.end() && way->or_before);
        if (least != nullptr && most >= undisturbed) continue;
        least = longest;
        undisturbed = most;
      }
      bound.work = std::min(least->own, group.work);
      for (const StreamRival& rival : least->rivals) bound.queued.push_back(limit_of(rival, window, carried_in));
      // What free SMs cost that a block does not fit on counts for the stream that delays most, if any does.
      const auto most = std::max_element(bound.queued.begin(), bound.queued.end());
      if (most == bound.queued.end() || most->is_zero())
        bound.work = least->own;
      else
        *most = sum(*most, least->own - bound.work);
      limit_slowdown(group, undisturbed, growth(undisturbed, group.full), window, carried_in, bound);
    }
    bound.served = sum(bound.work, bound.slowdown);
    for (const Duration time : bound.queued) bound.served = sum(bound.served, time);
    bound.response = bound.served;
    const std::int64_t turns = turns_of(bound.response, contexts[self].slice);
    bound.drains = times(group.drain, turns);
    bound.response = sum(bound.response, bound.drains);
    Wide others_turns = 0;
    // By priority, less urgent contexts delay the group once, until the next preemption point.
    std::optional<std::size_t> less_urgent;
    for (std::size_t other = 0; other < contexts.size() && by_priority; ++other) {
      const SharingContext& context = contexts[other];
      if (other == self || context.idle || !asks(context)) continue;
      ContextWait& wait = bound.waits[other];
      if (context.urgency < contexts[self].urgency) {
        if (!less_urgent || context.overrun > contexts[*less_urgent].overrun) less_urgent = other;
        continue;
      }
      if (window && context.demand) {
        const EngineShare share = share_of(*context.demand, *window, carried_in);
        wait.slices = share.work;
        wait.switches = times(context_switch, share.turns);
        others_turns += share.turns;
      } else {
        wait.slices = infinite;
        others_turns += infinite.picoseconds();
      }
    }
    if (less_urgent) {
      bound.blocking = {{}, contexts[*less_urgent].overrun, context_switch};
      bound.blocked_by = less_urgent;
      bound.response = sum(bound.response, bound.blocking.total());
    }
    for (std::size_t other = 0; other < contexts.size() && !by_priority; ++other) {
      const SharingContext& context = contexts[other];
      if (other == self || context.idle || !asks(context)) continue;
      std::int64_t slots = slots_before(contexts, self, other, turns);
      ContextWait& wait = bound.waits[other];
      const Duration longest = context.longest_request.value_or(infinite), slice = std::min(context.slice, longest);
      wait.slices = times(slice, slots);
      wait.overruns = times(std::min(context.overrun, longest - slice), slots);
      if (window && context.demand) {
        const EngineShare share = share_of(*context.demand, *window, carried_in);
        if (share.work < wait.slices + wait.overruns) {
          wait.slices = share.work;
          wait.overruns = {};
        }
        slots = std::min(slots, share.turns);
      }
      wait.switches = times(context_switch, slots);
      others_turns += slots;
    }
    bound.waiting = sum_of(bound.waits, contexts, window, carried_in, steps);
    bound.response = sum(bound.response, bound.waiting);
    // The first turn may follow a turn of another context before the group arrived; every further own switch follows
    // one since.
    const bool shared = std::any_of(contexts.begin(), contexts.end(), [&](const SharingContext& context) {
      return &context != &contexts[self] && asks(context);
    });
    const Wide returns = 1 + others_turns;
    if (shared)
      bound.own_switches =
          times(context_switch,
                static_cast<std::int64_t>(std::min<Wide>(by_priority ? infinite.picoseconds() : turns, returns)));
    bound.response = sum(bound.response, bound.own_switches);
    return bound;
  };
  Duration window = group.work;
  for (std::int64_t step = 0; step < max_group_steps; ++step) {
    GroupBound bound = evaluate(window, CarriedIn::whole);
    if (bound.response >= infinite) break;
    const bool solved = bound.response <= window;
    window = bound.response;
    if (!solved) continue;
    for (int round = 0; round < rounds_from_above; ++round) bound = evaluate(bound.response, CarriedIn::part);
    bound.steps = steps;
    return bound;
  }
  return evaluate(std::nullopt, CarriedIn::whole);
}

}  // namespace amalthea::engine::nvidia
