// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/time_slices/analysis.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace amalthea::engine::nvidia::time_slices {
namespace {

/// For each task, the bound that has a response, or the shorter one; of each GPU segment and operation the shorter one.
TimeSliceBounds least_of(TimeSliceBounds a, TimeSliceBounds b) {
  for (std::size_t index = 0; index < a.tasks.size(); ++index) {
    TaskBound& least = a.tasks[index];
    TaskBound& other = b.tasks[index];
    for (std::size_t segment = 0; segment < least.gpu_segments.size(); ++segment) {
      auto& operations = least.operations[segment];
      for (std::size_t operation = 0; operation < operations.size(); ++operation)
        operations[operation] = std::min(operations[operation], other.operations[segment][operation]);
      if (other.gpu_segments[segment] >= least.gpu_segments[segment]) continue;
      least.gpu_segments[segment] = other.gpu_segments[segment];
      least.segment_parts[segment] = std::move(other.segment_parts[segment]);
    }
    if (!other.response || (least.response && *least.response <= *other.response)) {
      if (!least.response) least.reason = std::move(other.reason);
      continue;
    }
    least.response = other.response;
    least.parts = std::move(other.parts);
    least.awaited = std::move(other.awaited);
    least.in_time = other.in_time;
    least.reason = std::move(other.reason);
  }
  return a;
}

Duration total_of(const std::vector<BoundShare>& shares) {
  Duration total;
  for (const BoundShare& share : shares) total = sum(total, share.time);
  return total;
}

}  // namespace

TimeSliceBounds Analysis::run() {
  if (!solve(max_work)) {
    // Without demands, only the jitter of suspending tasks links the bounds.
    by_demand_ = false;
    if (!solve(max_work)) std::fill(response_.begin(), response_.end(), std::nullopt);
  }
  TimeSliceBounds bounds = report();
  by_demand_ = beyond_ = true;
  if (!any_may_gain(bounds) || !solve(max_work_beyond)) return bounds;
  return least_of(std::move(bounds), report());
}

Duration Analysis::distance_of(std::size_t index, std::int64_t count) const {
  const Duration apart = times(task(index).period, count);
  return apart - std::min(apart, task(index).jitter);
}

Duration Analysis::limit_of(std::size_t index) const {
  if (!beyond_) return distance_of(index);
  return std::min(longest_analyzed, sum(times(task(index).period, max_periods), task(index).jitter));
}

bool Analysis::any_may_gain(const TimeSliceBounds& bounds) const {
  for (std::size_t index = 0; index < count(); ++index)
    if (!bounds.tasks[index].response && !task(index).unlimited && !task(index).elsewhere && !task(index).host)
      return true;
  return false;
}

bool Analysis::solve(std::int64_t most_work) {
  work_ = 0;
  most_work_ = most_work;
  std::fill(gave_up_.begin(), gave_up_.end(), false);
  jobs_.clear();
  for (std::size_t index = 0; index < count(); ++index)
    response_[index] = task(index).unlimited || task(index).host ? std::nullopt : std::optional(facts_[index].best);
  for (bool again = true; again;) {
    again = bound_jobs();
    if (work_ > most_work_) return false;
    for (std::size_t index = 0; index < count(); ++index) {
      if (!response_[index]) continue;
      const auto found = response_of(index);
      if (work_ > most_work_) return false;
      const auto next = found ? std::optional(std::max(found->time, *response_[index])) : std::nullopt;
      again = again || next != response_[index];
      response_[index] = next;
    }
  }
  return true;
}

Duration Analysis::moment_after(Duration last_execution) {
  return last_execution.is_zero() ? Duration::picoseconds(1) : Duration{};
}

std::optional<Response> Analysis::response_of(std::size_t index) {
  if (const auto& response = task(index).elsewhere)
    return *response ? std::optional(Response{**response, {}}) : std::nullopt;
  auto whole = least_response({index, facts_[index].execution, true, moment_after(facts_[index].cpu_segments.back())});
  // Without GPU segments there is only one window; a response without waits cannot improve.
  if (!facts_[index].offloads || (whole && waits_for_nobody(*whole))) return whole;
  auto apart = response_by_segments(index);
  return !whole || (apart && apart->time < whole->time) ? apart : whole;
}

bool Analysis::waits_for_nobody(const Response& response) {
  return std::none_of(response.parts.begin(), response.parts.end(),
                      [](const BoundShare& share) { return share.by.has_value(); });
}

bool Analysis::comes_before(const BoundShare& a, const BoundShare& b) {
  return std::tie(a.part, a.by, a.stream) < std::tie(b.part, b.by, b.stream);
}

std::optional<Response> Analysis::response_by_segments(std::size_t index) {
  Response response;
  const auto add = [&response](const BoundShare& added) {
    response.time = sum(response.time, added.time);
    add_share(response.parts, added);
  };
  for (const Duration execution : facts_[index].cpu_segments) {
    const auto segment = least_response({index, execution, false, moment_after(execution)});
    if (!segment) return std::nullopt;
    for (const BoundShare& share : segment->parts) add(share);
  }
  const bool awaits = !facts_[index].waits.empty();
  auto shares = shares_within(index, false, response.time);
  if (awaits) {
    auto apart = shares_within(index, true, response.time);
    if (total_of(apart) < total_of(shares)) shares = std::move(apart);
  }
  for (const BoundShare& share : shares) add(share);
  if (response.time > (beyond_ ? task(index).period : distance_of(index))) return std::nullopt;
  // Jobs follow one another. The longest response is that of the last of those that jitter may release together, or of
  // the next one.
  const std::int64_t together = task(index).jitter.picoseconds() / task(index).period.picoseconds();
  Duration earlier;
  for (const std::int64_t before : {together, together + 1}) {
    const Duration backlog = times(response.time, before), apart = distance_of(index, before);
    earlier = std::max(earlier, backlog - std::min(backlog, apart));
  }
  add({BoundPart::preemption, index, earlier});
  std::sort(response.parts.begin(), response.parts.end(), &comes_before);
  return response;
}

std::vector<ContextWait> Analysis::waits_of(std::size_t index, bool is_apart) const {
  std::vector<ContextWait> waits = jobs_[index].waits;
  const auto& apart = jobs_[index].waits_apart;
  for (std::size_t context = 0; is_apart && context < apart.size(); ++context)
    waits[context] = waits[context] + apart[context];
  return waits;
}

Duration Analysis::waiting_of(std::size_t index, bool is_apart) const {
  const JobBound& job = jobs_[index];
  return is_apart ? sum(job.waiting, job.waiting_apart) : job.waiting;
}

std::vector<BoundShare> Analysis::shares_within(std::size_t index, bool is_apart, Duration rest) {
  const JobBound& job = jobs_[index];
  const std::vector<ContextWait> waits = waits_of(index, is_apart);
  const Duration waiting = waiting_of(index, is_apart);
  const auto shares_in = [&](Duration window, CarriedIn carried_in) {
    problem_.taken.add(waits.size());
    work_ += static_cast<std::int64_t>(waits.size());
    std::vector<ContextWait> within = waits;
    for (std::size_t context = 0; context < waits.size(); ++context)
      limit(sharing_.contexts[context], window, false, carried_in, within[context]);
    limit_tasks(window, carried_in, within);
    return shares_of_gpu(index, job, limited(std::move(within), waiting), is_apart);
  };
  constexpr Duration moment = Duration::picoseconds(1);
  Duration window = sum(sum(rest, job.own(is_apart)), moment);
  for (std::int64_t step = 0; step < max_group_steps && work_ <= most_work_ && window < infinite; ++step) {
    auto shares = shares_in(window, CarriedIn::whole);
    const Duration found = sum(sum(rest, total_of(shares)), moment);
    if (found <= window) {
      for (int round = 0; round < rounds_from_above; ++round)
        shares = shares_in(sum(sum(rest, total_of(shares)), moment), CarriedIn::part);
      return shares;
    }
    window = found;
  }
  return shares_of_gpu(index, job, limited(waits, waiting), is_apart);
}

std::optional<Response> Analysis::least_response(Demand demand) {
  const std::size_t index = demand.task;
  std::vector<std::size_t> rivals, free;
  for (std::size_t other = 0; other < count(); ++other) {
    if (other == index || task(other).core != task(index).core || task(other).priority < task(index).priority) continue;
    if (task(other).unlimited) return std::nullopt;
    rivals.push_back(other);
    if (facts_[other].offloads && task(other).wait == WaitMode::suspend && response_[other]) free.push_back(other);
  }
  std::vector<bool> jitter(count(), false);
  std::optional<Response> best;
  const bool awaits = !facts_[index].waits.empty() || std::any_of(rivals.begin(), rivals.end(), [&](std::size_t other) {
    return !facts_[other].waits.empty();
  });
  const auto attempt = [&] {
    bool better = false;
    for (const bool is_apart : {false, true}) {
      if (is_apart && !awaits) continue;
      demand.is_apart = is_apart;
      auto found = solve_response(demand, rivals, jitter);
      if (!found || (best && found->time >= best->time)) continue;
      best = std::move(found);
      better = true;
    }
    return better;
  };
  constexpr std::size_t all_divisions_up_to = 4;
  if (free.size() <= all_divisions_up_to) {
    for (std::size_t division = 0; division < std::size_t{1} << free.size(); ++division) {
      for (std::size_t i = 0; i < free.size(); ++i) jitter[free[i]] = (division >> i & 1U) != 0;
      attempt();
    }
    return best;
  }
  // Too many for all combinations: all one way, all the other way, and from there one task at a time.
  attempt();
  for (const std::size_t other : free) jitter[other] = true;
  attempt();
  for (const std::size_t other : free) {
    jitter[other] = false;
    if (!attempt()) jitter[other] = true;
  }
  return best;
}

std::optional<Response> Analysis::solve_response(const Demand& demand, const std::vector<std::size_t>& rivals,
                                                 const std::vector<bool>& jitter) {
  std::optional<Response> longest;
  Duration window;
  for (std::int64_t earlier = 0;; ++earlier) {
    auto found = solve_window(demand, earlier, rivals, jitter, window);
    if (!found) return std::nullopt;
    window = sum(found->time, demand.moment);
    const Duration released = demand.with_gpu ? distance_of(demand.task, earlier) : Duration{};
    if (!longest || found->time - released > longest->time) {
      leave_out(released, demand.task, *found);
      longest = std::move(found);
    }
    if (!demand.with_gpu || window <= distance_of(demand.task, earlier + 1)) return longest;
  }
}

std::optional<Response> Analysis::solve_window(const Demand& demand, std::int64_t earlier,
                                               const std::vector<std::size_t>& rivals, const std::vector<bool>& jitter,
                                               Duration window) {
  Duration least = sum(demand.execution, demand.moment);
  if (demand.with_gpu) least = sum(least, jobs_[demand.task].own(demand.is_apart));
  window = std::max(window, least);
  const Duration limit = demand.with_gpu || !beyond_ ? limit_of(demand.task) : task(demand.task).period;
  const auto pairs = static_cast<std::int64_t>((rivals.size() + 1) * (sharing_.contexts.size() + 1));
  for (std::int64_t step = 0; step < max_core_steps && window <= limit; ++step) {
    problem_.taken.add(static_cast<std::uint64_t>(pairs));
    if ((work_ += pairs) > most_work_) break;
    std::vector<BoundShare> parts;
    Duration next = evaluate(demand, earlier, rivals, jitter, window, CarriedIn::whole, parts);
    if (next > window) {
      window = next;
      continue;
    }
    for (int round = 0; round < rounds_from_above; ++round) {
      problem_.taken.add(static_cast<std::uint64_t>(pairs));
      work_ += pairs;
      parts.clear();
      const Duration before =
          std::exchange(next, evaluate(demand, earlier, rivals, jitter, next, CarriedIn::part, parts));
      if (next == before) break;
    }
    return Response{next - demand.moment, std::move(parts)};
  }
  if (window <= limit) gave_up_[demand.task] = true;
  return std::nullopt;
}

void Analysis::leave_out(Duration before, std::size_t index, Response& response) {
  response.time = response.time - before;
  const auto take = [&](const auto& from) {
    for (BoundShare& share : response.parts) {
      if (!from(share)) continue;
      const Duration taken = std::min(before, share.time);
      share.time -= taken;
      before -= taken;
    }
  };
  take([&](const BoundShare& share) { return share.part == BoundPart::preemption && share.by == index; });
  take([](const BoundShare& share) { return share.part == BoundPart::blocking; });
  take([](const BoundShare& share) { return share.part == BoundPart::preemption; });
  take([](const BoundShare& share) { return share.by.has_value(); });
  take([](const BoundShare&) { return true; });
  auto& parts = response.parts;
  parts.erase(std::remove_if(parts.begin(), parts.end(), [](const BoundShare& share) { return share.time.is_zero(); }),
              parts.end());
}

Duration Analysis::evaluate(const Demand& demand, std::int64_t earlier, const std::vector<std::size_t>& rivals,
                            const std::vector<bool>& jitter, Duration window, CarriedIn carried_in,
                            std::vector<BoundShare>& parts) const {
  Duration total = demand.moment;
  const auto add = [&](BoundPart part, std::optional<std::size_t> by, Duration time,
                       std::optional<std::size_t> stream = std::nullopt) {
    total = sum(total, time);
    if (!time.is_zero()) parts.push_back({part, by, time, stream});
  };
  add(BoundPart::execution, std::nullopt, demand.execution);
  std::vector<ContextWait> waits(sharing_.contexts.size());
  Duration waiting;
  // While a job waits, no job of a more urgent task of M is pending. So nothing that such a task awaits is at work.
  const auto add_waits_of = [&](std::size_t index, std::int64_t jobs) {
    const std::vector<ContextWait> its = waits_of(index, demand.is_apart);
    for (std::size_t context = 0; context < its.size(); ++context) {
      if (its[context].total().is_zero()) continue;
      const auto& tasks = sharing_.contexts[context].tasks;
      const std::size_t host = host_of(tasks.front());
      if (host != index && task(host).core == task(index).core && task(host).priority > task(index).priority &&
          !jitter[host] && std::find(rivals.begin(), rivals.end(), host) != rivals.end() &&
          belongs_to(sharing_.contexts[context], host))
        continue;
      waits[context] = waits[context] + its[context] * jobs;
    }
    waiting = sum(waiting, times(waiting_of(index, demand.is_apart), jobs));
  };
  if (demand.with_gpu) add_waits_of(demand.task, earlier + 1);
  if (earlier > 0) {
    add(BoundPart::preemption, demand.task,
        times(sum(demand.execution, jobs_[demand.task].own(demand.is_apart)), earlier));
  }
  const auto suspends = [this](std::size_t which) { return !keeps_core(which); };
  bool any_suspends = demand.with_gpu && suspends(demand.task);
  std::int64_t starts = earlier + (any_suspends ? (earlier + 1) * facts_[demand.task].stops() : 0);
  for (const std::size_t other : rivals) {
    const Duration execution = facts_[other].execution;
    if (jitter[other]) {
      add(BoundPart::preemption, other, execution_within(other, window, carried_in));
      continue;
    }
    const std::int64_t jobs = ceiling(sum(window, task(other).jitter), task(other).period);
    add(BoundPart::preemption, other, times(sum(execution, jobs_[other].own(demand.is_apart)), jobs));
    starts += jobs * (1 + (suspends(other) ? facts_[other].stops() : 0));
    any_suspends = any_suspends || suspends(other);
    if (facts_[other].offloads) add_waits_of(other, jobs);
  }
  for (const GpuTask::Blocking& blocking : task(demand.task).blocking)
    add(BoundPart::blocking, blocking.by, times(blocking.time, 1 + (any_suspends ? starts : 0)));
  const bool one_segment = !any_suspends && task(demand.task).blocking.empty();
  for (std::size_t index = 0; index < waits.size(); ++index) {
    const ContextFacts& context = sharing_.contexts[index];
    // Time counted as own work of the task, or of a polling task that precedes it, does not count as waiting too.
    if (context.is_private() && !context.tasks.empty() &&
        ((context.tasks.front() == demand.task && demand.with_gpu) ||
         (!jitter[context.tasks.front()] &&
          std::find(rivals.begin(), rivals.end(), context.tasks.front()) != rivals.end())))
      waits[index] = {};
    limit(context, window, one_segment && is_below(context, demand.task), carried_in, waits[index]);
  }
  limit_tasks(window, carried_in, waits);
  waits = limited(std::move(waits), waiting);
  if (demand.with_gpu) {
    for (const BoundShare& share : shares_of_gpu(demand.task, jobs_[demand.task], waits, demand.is_apart))
      add(share.part, share.by, share.time, share.stream);
  } else {
    add_waits(waits, add);
  }
  return total;
}

Duration Analysis::execution_within(std::size_t index, Duration window, CarriedIn carried_in) const {
  const TaskFacts& facts = facts_[index];
  const Duration latest = sum(*response_[index], task(index).jitter), period = task(index).period;
  const std::int64_t jobs = ceiling(sum(window, latest - std::min(latest, facts.execution)), period);
  PartSequence sequence{period, latest, {}, facts.cpu_segments, facts.gaps};
  sequence.gaps.emplace_back();
  std::int64_t steps = 0;
  const Duration most = executed_within(window, sequence, steps, carried_in);
  work_ += steps;
  problem_.taken.add(static_cast<std::uint64_t>(steps));
  return std::min(times(facts.execution, jobs), most);
}

void Analysis::limit_tasks(Duration window, CarriedIn carried_in, std::vector<ContextWait>& waits) const {
  for (std::size_t first = 0; first < waits.size(); ++first) {
    const ContextFacts& context = sharing_.contexts[first];
    if (waits[first].total().is_zero() || !context.is_private()) continue;
    const std::size_t index = context.tasks.front();
    Duration left;
    std::int64_t steps = 0;
    for (std::size_t kind = 0; kind < engines_per_gpu; ++kind) {
      const PartSequence* sequence = sequence_of(index, engines_per_gpu * context.gpu + kind);
      left = sequence == nullptr ? infinite : sum(left, executed_within(window, *sequence, steps, carried_in));
    }
    work_ += steps;
    problem_.taken.add(static_cast<std::uint64_t>(steps));
    for (std::size_t other = first; other < waits.size(); ++other) {
      const ContextFacts& its = sharing_.contexts[other];
      if (its.gpu != context.gpu || its.tasks != context.tasks) continue;
      ContextWait& wait = waits[other];
      wait.slices = std::min(wait.slices, left);
      left -= wait.slices;
      wait.overruns = std::min(wait.overruns, left);
      left -= wait.overruns;
    }
  }
}

void Analysis::limit(const ContextFacts& context, Duration window, bool one_segment, CarriedIn carried_in,
                     ContextWait& wait) const {
  if (wait.total().is_zero()) return;
  std::vector<EngineDemand> demands;
  for (std::size_t kind = 0; kind < engines_per_gpu; ++kind) {
    const std::size_t engine = engines_per_gpu * context.gpu + kind;
    if (one_segment)
      demands.push_back(segment_demand(context.tasks.front(), engine));
    else if (!add_demands(context, engine, demands))
      return;
  }
  const EngineShare share = share_of(demands, window, carried_in);
  if (share.work < wait.slices + wait.overruns) {
    wait.slices = share.work;
    wait.overruns = {};
  }
  wait.switches = std::min(wait.switches, times(problem_.gpus[context.gpu].context_switch, share.turns));
}

double Analysis::rate(Duration work, Duration period) {
  return static_cast<double>(work.picoseconds()) / static_cast<double>(period.picoseconds());
}

}  // namespace amalthea::engine::nvidia::time_slices
