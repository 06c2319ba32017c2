// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/proofs.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/core.h>

#include "engine/bounds/detail/analyzed_system.hpp"

namespace amalthea::engine {
namespace {

using Entry = AnalyzedCore::Entry;
constexpr Duration tick = Duration::picoseconds(1);

/// Its longest part that no task of its core can preempt.
Duration section_of(const cpu::CpuTask& task) {
  return std::max({tick, cpu::longest_section(task), task.cooperative.value_or(Duration{})});
}

/// Whether the task that triggers it has a bound that does not depend on it (Rows.v).
bool is_in_row(const AnalyzedCore& core, const Entry& entry) {
  if (core.by_deadline || !entry.trigger->entry) return false;
  const Entry& source = core.entries[*entry.trigger->entry];
  return source.input.priority > entry.input.priority && section_of(entry.input) == tick;
}

/// Why a task keeps its core from a certificate, as a clause about the task. `rows`: tasks may trigger others.
std::string fault_of(const System& system, const AnalyzedCore& core, const Entry& entry, bool rows) {
  const cpu::CpuTask& task = entry.input;
  const bool interrupt = bounds::is_interrupt(system.tasks[entry.task]);
  if (task.unlimited) return "has no limit on its time";
  if (task.waits > 0 || task.polls || !task.waiting.is_zero() || !task.granted.empty())
    return "waits for a GPU, an event or a semaphore";
  if (!task.pause.is_zero()) return "takes time without its core";
  if (entry.trigger && !(rows && is_in_row(core, entry)))
    return fmt::format("is triggered by {}", system.tasks[entry.trigger->task].name);
  if (core.by_deadline && interrupt) return "is an interrupt above a schedule by deadlines";
  if (core.by_deadline && task.deadline == Duration::max()) return "has no deadline to schedule by";
  for (const Entry& other : core.entries) {
    const bool urgent =
        core.by_deadline ? bounds::is_interrupt(system.tasks[other.task]) : other.input.priority > task.priority;
    for (const cpu::Section& section : task.sections)
      if (!core.by_deadline && other.input.priority > section.threshold)
        return "has sections that only some tasks can preempt";
    if (task.cooperative && (urgent || other.input.priority == task.priority) && !other.input.cooperative)
      return "is cooperative, and tasks preempt it that are not";
  }
  return {};
}

/// Executes without preemption from its start to its end.
bool is_whole(const cpu::CpuTask& task) {
  return !task.preemptible_at_end && !task.cooperative &&
         (task.worst <= tick || cpu::longest_section(task) >= task.worst);
}

/// The equations of one core. Everything is bounded by the limits; what exceeds them is not claimed.
class Solver {
 public:
  Solver(const AnalyzedCore& core, CoreProof& proof) : proof_(proof) {
    for (const Entry& entry : core.entries) arrivals_.push_back(entry.input.arrivals);
  }

  void run() {
    const Duration jitters = find_triggered_arrivals();
    std::vector<std::optional<Duration>> busy;
    Duration longest, last_deadline;
    for (std::size_t i = 0; i < proof_.tasks.size(); ++i) {
      busy.push_back(busy_interval(i));
      longest = std::max(longest, busy.back().value_or(Duration{}));
      last_deadline = std::max(last_deadline, proof_.tasks[i].deadline);
    }
    const Duration windows = longest + last_deadline + tick;
    std::vector<bool> triggered(proof_.tasks.size());
    for (const ProofRow& row : proof_.rows) triggered[row.task] = true;
    for (std::size_t i = 0; i < proof_.tasks.size(); ++i)
      if (!triggered[i]) find_steps(i, windows + jitters);
    std::vector<Duration> exact(proof_.tasks.size(), windows + jitters);
    for (const ProofRow& row : proof_.rows) {
      exact[row.task] = exact[row.source] - jitter_of(row);
      find_triggered_steps(row, exact[row.task], exact[row.source]);
    }
    for (std::size_t i = 0; i < proof_.tasks.size(); ++i)
      if (busy[i])
        if (auto claim = solve(i, *busy[i])) proof_.claims.push_back(std::move(*claim));
  }

 private:
  static constexpr std::int64_t most_steps = 30'000'000;  ///< evaluated arrivals, and so the time of a check
  static constexpr std::size_t most_curve_steps = 4000;

  bool by_deadline() const {
    return proof_.kind == ProofKind::deadline || proof_.kind == ProofKind::deadline_non_preemptive;
  }
  bool non_preemptive() const {
    return proof_.kind == ProofKind::non_preemptive || proof_.kind == ProofKind::deadline_non_preemptive;
  }
  /// The most jobs that arrive in a half-open window of this length, and their time.
  Duration demand(std::size_t i, Duration window) {
    steps_ += 1 + static_cast<std::int64_t>(proof_.tasks[i].steps.size());
    return bounded(detail::Int128(cpu::max_arrivals(arrivals_[i], window - tick)) * proof_.tasks[i].cost.picoseconds());
  }
  static Duration bounded(detail::Int128 time) {
    const auto most = detail::Int128(cpu::Limits{}.window.picoseconds());
    return Duration::picoseconds(static_cast<std::int64_t>(std::min(most, time)));
  }
  bool counts(std::size_t other, std::size_t i) const {
    return by_deadline() || proof_.tasks[other].priority >= proof_.tasks[i].priority;
  }

  /// Of task i, arriving `at` after the start of the busy interval.
  Duration blocking(std::size_t i, Duration at) const {
    Duration longest = tick;
    for (const ProofTask& other : proof_.tasks) {
      const ProofTask& task = proof_.tasks[i];
      const bool less_urgent = by_deadline() ? task.deadline + at < other.deadline : other.priority < task.priority;
      if (less_urgent && proof_.kind == ProofKind::floating) longest = std::max(longest, other.section);
      if (less_urgent && non_preemptive()) longest = std::max(longest, other.cost);
    }
    return longest - tick;
  }

  std::optional<Duration> busy_interval(std::size_t i) {
    for (Duration length = tick; steps_ < most_steps;) {
      Duration sum = by_deadline() ? Duration{} : blocking(i, {});
      for (std::size_t other = 0; other < proof_.tasks.size(); ++other)
        if (counts(other, i)) sum += demand(other, length);
      if (sum == length) return length;
      if (sum >= cpu::Limits{}.window) break;
      length = sum;
    }
    return std::nullopt;
  }

  /// How its arrivals are written: a period, or a curve that reaches beyond every window that counts.
  void find_steps(std::size_t i, Duration windows) {
    ProofTask& task = proof_.tasks[i];
    const cpu::EventModel& arrivals = arrivals_[i];
    task.period = std::max(arrivals.period, arrivals.minimum_distance);
    if (arrivals.jitter.is_zero()) return;
    task.horizon = windows;
    for (std::int64_t count = 0;; ++count) {
      const Duration length = cpu::least_distance(arrivals, count) + tick;
      if (length > windows) break;
      if (!task.steps.empty() && task.steps.back().first == length)
        ++task.steps.back().second;
      else
        task.steps.emplace_back(length, count + 1);
      if (task.steps.size() > most_curve_steps) {
        steps_ = most_steps;
        break;
      }
    }
  }

  /// How much later than after `least` the source of a row may trigger.
  Duration jitter_of(const ProofRow& row) const {
    return arrivals_[row.task].jitter - arrivals_[row.source].jitter;
  }

  /// Sets the arrivals of triggered tasks: those of the source, with R - `least` as jitter in addition. Returns the sum
  /// of these jitters. A source without a bound leaves the arrivals of its tasks.
  Duration find_triggered_arrivals() {
    Duration sum;
    for (const ProofRow& row : proof_.rows) {
      const auto busy = busy_interval(row.source);
      if (!busy) continue;
      find_steps(row.source, *busy + tick);
      const auto claim = solve(row.source, *busy);
      proof_.tasks[row.source].steps.clear();
      if (!claim) continue;
      const Duration jitter = claim->response - std::min(claim->response, row.least);
      const cpu::EventModel& source = arrivals_[row.source];
      arrivals_[row.task] = {proof_.tasks[row.source].period, source.jitter + jitter, {}};
      sum += jitter;
    }
    return sum;
  }

  /// The most arrivals in half-open windows, as a certificate states them: the curve repeats after its horizon.
  static detail::Int128 curve_of(const ProofTask& task, Duration window) {
    const auto length = detail::Int128(window.picoseconds());
    if (task.steps.empty()) return (length + task.period.picoseconds() - 1) / task.period.picoseconds();
    const auto value_at = [&](detail::Int128 at) {
      std::int64_t value = 0;
      for (const auto& step : task.steps)
        if (step.first.picoseconds() <= at) value = step.second;
      return value;
    };
    const detail::Int128 horizon = task.horizon.picoseconds();
    return length / horizon * value_at(horizon) + value_at(length % horizon);
  }

  /// The curve of a triggered task: exact up to this length, and above that of its source up to its horizon, a multiple
  /// of the source's.
  void find_triggered_steps(const ProofRow& row, Duration exact, Duration exact_source) {
    ProofTask& task = proof_.tasks[row.task];
    const ProofTask& source = proof_.tasks[row.source];
    find_steps(row.task, exact);
    if (task.steps.empty()) return;
    task.horizon = source.horizon;
    if (source.steps.empty())
      task.horizon = source.period * (1 + exact_source.picoseconds() / source.period.picoseconds());
    const auto most = curve_of(source, task.horizon + jitter_of(row));
    if (exact + tick <= task.horizon && most > task.steps.back().second)
      task.steps.emplace_back(exact + tick, static_cast<std::int64_t>(most));
  }

  /// The arrivals of task i that count, relative to the start of the busy interval.
  std::vector<Duration> points(std::size_t i, Duration busy) const {
    std::vector<Duration> found;
    const Duration own = proof_.tasks[i].deadline;
    for (std::size_t other = 0; other < proof_.tasks.size(); ++other) {
      if (!by_deadline() && other != i) continue;
      const ProofTask& task = proof_.tasks[other];
      const Duration deadline = by_deadline() ? task.deadline : own;
      const Duration end = busy + std::max(Duration{}, own - deadline);
      const Duration horizon = task.steps.empty() ? task.period : task.horizon;
      const auto add = [&](Duration step) {
        if (step + deadline < own) return;
        const Duration point = std::max(tick, step + deadline - own) - tick;
        if (point < busy) found.push_back(point);
      };
      for (std::int64_t round = 0; round <= end.picoseconds() / horizon.picoseconds(); ++round) {
        if (task.steps.empty()) add(horizon * round + tick);
        for (const auto& step : task.steps) add(horizon * round + step.first);
        if (found.size() > static_cast<std::size_t>(most_steps)) return found;
      }
    }
    return found;
  }

  std::optional<ProofClaim> solve(std::size_t i, Duration busy) {
    const Duration last = non_preemptive() ? proof_.tasks[i].cost - tick : Duration{};
    ProofClaim claim{i, busy, {}, {}};
    for (const Duration at : points(i, busy)) {
      const Duration own = blocking(i, at) + demand(i, at + tick) - last;
      Duration start;
      for (;;) {
        Duration sum = own;
        for (std::size_t other = 0; other < proof_.tasks.size(); ++other) {
          if (other == i || !counts(other, i)) continue;
          Duration window = at + start;
          if (by_deadline())
            window = std::min(
                window, std::max(Duration{}, at + tick + proof_.tasks[i].deadline - proof_.tasks[other].deadline));
          sum += demand(other, window);
        }
        if (sum <= at + start) break;
        if (steps_ >= most_steps) return std::nullopt;
        start = sum - at;
      }
      claim.solutions.push_back(start);
      claim.response = std::max(claim.response, start + last);
    }
    return claim;
  }

  CoreProof& proof_;
  std::vector<cpu::EventModel> arrivals_;
  std::int64_t steps_ = 0;
};

/// The task set of a core whose tasks have no fault; nothing if no theorem covers how they share it.
std::optional<CoreProof> proof_of(const AnalyzedCore& core) {
  CoreProof proof;
  proof.unit = core.units.front();
  std::set<std::int64_t> priorities;
  bool sections = false, whole = true;
  for (const Entry& entry : core.entries) {
    priorities.insert(entry.input.priority);
    sections = sections || section_of(entry.input) > tick;
    whole = whole && is_whole(entry.input);
  }
  if (core.by_deadline && sections && !whole) return std::nullopt;
  if (core.by_deadline)
    proof.kind = sections ? ProofKind::deadline_non_preemptive : ProofKind::deadline;
  else if (sections)
    proof.kind = whole ? ProofKind::non_preemptive : ProofKind::floating;
  for (std::size_t i = 0; i < core.entries.size(); ++i)
    if (const auto& trigger = core.entries[i].trigger) proof.rows.push_back({i, *trigger->entry, trigger->least});
  if (!proof.rows.empty() && proof.kind != ProofKind::preemptive) return std::nullopt;
  if (!proof.rows.empty()) proof.kind = ProofKind::preemptive_rows;
  std::stable_sort(proof.rows.begin(), proof.rows.end(), [&](const ProofRow& a, const ProofRow& b) {
    return core.entries[a.source].input.priority > core.entries[b.source].input.priority;
  });
  for (const Entry& entry : core.entries) {
    ProofTask& task = proof.tasks.emplace_back();
    task.task = entry.task;
    // An end that needs the core once more counts as a picosecond of execution; so does a job that executes nothing.
    task.cost = std::max(tick, entry.input.worst) + (entry.input.preemptible_at_end ? tick : Duration{});
    task.priority = 1 + std::distance(priorities.begin(), priorities.find(entry.input.priority));
    if (core.by_deadline) task.deadline = entry.input.deadline;
    task.section = section_of(entry.input);
  }
  Solver(core, proof).run();
  return proof;
}

/// The tasks that precede all those with a fault, if these can always be preempted; none otherwise.
void keep_urgent(const std::vector<bool>& faulty, AnalyzedCore& core) {
  std::optional<std::int64_t> least;
  for (std::size_t i = 0; i < core.entries.size(); ++i)
    if (faulty[i]) least = std::max(core.entries[i].input.priority, least.value_or(core.entries[i].input.priority));
  const auto is_kept = [&](const Entry& entry) { return !least || entry.input.priority > *least; };
  const bool possible =
      !core.by_deadline && std::all_of(core.entries.begin(), core.entries.end(), [&](const Entry& entry) {
        return is_kept(entry) ? section_of(entry.input) == tick : entry.input.sections.empty();
      });
  std::vector<std::size_t> place;
  for (std::size_t i = 0, next = 0; i < core.entries.size(); ++i) {
    place.push_back(next);
    if (possible && is_kept(core.entries[i])) ++next;
  }
  std::erase_if(core.entries, [&](const Entry& entry) { return !possible || !is_kept(entry); });
  for (Entry& entry : core.entries)  // a source is kept, since it has a higher priority
    if (entry.trigger) entry.trigger->entry = place[*entry.trigger->entry];
}

/// Leaves no claim of a task without those of all its activation patterns.
void drop_partial_claims(CoreProof& proof) {
  std::map<TaskIndex, std::size_t> missing;
  for (const ProofTask& task : proof.tasks) ++missing[task.task];
  for (const ProofClaim& claim : proof.claims) --missing[proof.tasks[claim.task].task];
  std::erase_if(proof.claims, [&](const ProofClaim& claim) { return missing[proof.tasks[claim.task].task] > 0; });
}

/// Whether every task that triggers others has a claim.
bool has_sources(const CoreProof& proof) {
  return std::all_of(proof.rows.begin(), proof.rows.end(), [&](const ProofRow& row) {
    return std::any_of(proof.claims.begin(), proof.claims.end(),
                       [&](const ProofClaim& claim) { return claim.task == row.source; });
  });
}

/// The proof of a core, and why tasks without a claim have none.
std::pair<std::optional<CoreProof>, std::string> attempt(const System& system, const AnalyzedCore& core, bool rows) {
  std::vector<bool> faulty;
  std::string why;
  for (const Entry& entry : core.entries) {
    const std::string fault = fault_of(system, core, entry, rows);
    faulty.push_back(!fault.empty());
    if (why.empty() && !fault.empty())
      why = fmt::format("on its core, {} {}", system.tasks[entry.task].name, fault);
  }
  AnalyzedCore kept = core;
  if (!why.empty()) keep_urgent(faulty, kept);
  auto proof = proof_of(kept);
  if (!proof && rows) return attempt(system, core, false);
  if (why.empty())
    why = proof ? "its busy interval does not end, or has too many points to check"
                : "only parts of jobs on its core can be preempted, which are ordered by deadlines";
  if (proof) {
    if (kept.entries.size() < core.entries.size() && proof->kind == ProofKind::preemptive)
      proof->kind = ProofKind::preemptive_above;
    drop_partial_claims(*proof);
  }
  return {std::move(proof), std::move(why)};
}

/// Why a core as a whole has no proof; "" if it may have one.
std::string obstacle_of(const AnalyzedCore& core) {
  if (core.units.size() > 1) return "it may run on several cores, or shares one with tasks that do";
  if (core.servers) return "a server limits the time of tasks on its core";
  if (core.semaphores) return "a task of its core waits for a semaphore";
  if (core.entries.empty()) return "a task of its core waits for a GPU";
  return {};
}

}  // namespace

Proofs proofs_of(const System& system, const SystemBounds& bounds) {
  Proofs proofs;
  proofs.responses.resize(system.tasks.size());
  proofs.reasons.resize(system.tasks.size());
  for (const AnalyzedCore& core : bounds.cores) {
    std::string why = obstacle_of(core);
    if (why.empty()) {
      auto [proof, reason] = attempt(system, core, true);
      if (proof && !has_sources(*proof)) std::tie(proof, reason) = attempt(system, core, false);
      why = std::move(reason);
      if (proof) {
        for (const ProofClaim& claim : proof->claims) {
          auto& response = proofs.responses[proof->tasks[claim.task].task];
          response = std::max(response.value_or(Duration{}), claim.response);
        }
        if (!proof->claims.empty()) proofs.cores.push_back(std::move(*proof));
      }
    }
    for (const TaskIndex task : core.tasks)
      if (!proofs.responses[task]) proofs.reasons[task] = why;
  }
  return proofs;
}

}  // namespace amalthea::engine
