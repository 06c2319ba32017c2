// SPDX-License-Identifier: Apache-2.0
#include "reference/measures.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "reference/folding.hpp"

namespace reference {

namespace {

using Times = std::vector<Time>;

/// Collects what was judged.
struct Judge {
  Judged out;
  void miss(Time at) {
    if (out.verdict != Verdict::missed) out.at = at;
    out.verdict = Verdict::missed;
    ++out.occurrences;
  }
  void within(double value, double lower, double upper, Time at) {
    if (out.verdict == Verdict::unknown) out.verdict = Verdict::met;
    ++out.occurrences;
    const auto margin = std::min(value - lower, upper - value);
    out.margin = std::min(out.margin, margin);
    if (margin < 0 && out.verdict != Verdict::missed) {
      out.verdict = Verdict::missed;
      out.at = at;
    }
  }
  Judged unknown(std::string why) {
    out.why = std::move(why);
    return out;
  }
};

double real(Time time) { return static_cast<double>(time); }

bool is_access(const Occurrence& one, std::string_view type) { return one.of == Event::Of::label && one.type == type; }

const Passage* passage_of(const Execution& execution, Index chain, Passage::Communication communication) {
  for (const auto& passage : execution.passages)
    if (passage.chain == chain && passage.communication == communication) return &passage;
  return nullptr;
}

class Constraints {
 public:
  Constraints(const Model& model, const Execution& execution, const Constraint& constraint)
      : model_(model), execution_(execution), c_(constraint) {}

  Judged judge(Passage::Communication communication) {
    using K = Constraint::Kind;
    if (device_accesses()) return judge_.unknown("accesses of device tasks are not in the trace");
    if (c_.kind == K::delay) return delay();
    if (c_.kind == K::repetition) return repetition();
    if (c_.kind == K::synchronization) return c_.multiple ? windows() : in_step();
    if (c_.kind == K::latency) return latency(communication);
    if (c_.kind == K::age) return age();
    return undisturbed();
  }

 private:
  /// Whether the constraint depends on accesses of device tasks, which are no part of the trace (S-data-3).
  bool device_accesses() const {
    const bool any =
        std::any_of(model_.tasks.begin(), model_.tasks.end(), [](const Task& task) { return task.device; });
    if (c_.kind == Constraint::Kind::latency || !any) return false;
    std::vector<Index> labels = c_.labels;
    for (const auto event : c_.events)
      if (model_.events[event].of == Event::Of::label) labels.push_back(model_.events[event].entity);
    for (const auto label : labels) {
      for (const auto task : accessors(model_, label, none, ""))
        if (label != none && model_.tasks[task].device) return true;
    }
    return false;
  }

  Time end() const { return execution_.end; }

  Times times(Index event) const {
    Times out;
    for (const auto& one : execution_.events)
      if (fits(model_.events[event], one)) out.push_back(one.time);
    return out;
  }

  std::vector<Times> times_of_all() const {
    std::vector<Times> out;
    for (const auto event : c_.events) out.push_back(times(event));
    return out;
  }

  double upper() const { return c_.upper >= never ? 1e18 : real(c_.upper); }
  void limit(Time value, Time at) { judge_.within(real(value), real(c_.lower), upper(), at); }
  void holds(bool met, Time at) { met ? judge_.within(0, 0, 0, at) : judge_.miss(at); }

  Judged delay() {
    if (!c_.lower_stated && !c_.upper_stated) return judge_.unknown("no limit");
    const auto x = times(c_.events[0]), y = times(c_.events[1]);
    const auto last = c_.upper >= never ? never : end() - c_.upper;
    if (c_.type == "OneToOne") {
      for (std::size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
        if (i < x.size() && i < y.size())
          limit(y[i] - x[i], x[i]);
        else if (i < y.size() || x[i] < last)
          judge_.miss(i < y.size() ? y[i] : x[i]);
      }
      return judge_.out;
    }
    std::size_t next = 0;
    for (const auto from : x) {
      if (c_.type != "UniqueReaction") next = 0;
      while (next < y.size() && y[next] < from + c_.lower) ++next;
      if (next < y.size()) {
        judge_.within(real(y[next] - from), 0, upper(), from);
        if (c_.type == "UniqueReaction" && y[next] - from <= c_.upper) ++next;
      } else if (c_.upper < never && from < last) {
        judge_.miss(from);
      }
    }
    return judge_.out;
  }

  /// Propagates the possible ideal instants of every residue of the index modulo the span.
  Judged repetition() {
    if (!c_.lower_stated && !c_.upper_stated) return judge_.unknown("no limit");
    const auto y = times(c_.events[0]);
    const auto span = static_cast<std::size_t>(c_.span);
    for (std::size_t residue = 0; residue < span; ++residue) {
      Time least = -never, most = never;
      for (std::size_t i = residue; i < y.size(); i += span) {
        if (i == residue) {
          least = y[i] - c_.jitter, most = y[i];
          if (y.size() <= span) continue;
        } else {
          least = std::max(least + c_.lower, y[i] - c_.jitter);
          most = c_.upper >= never ? y[i] : std::min(most + c_.upper, y[i]);
        }
        judge_.within(real(most - least), 0, 1e300, y[i]);
        if (least > most) return judge_.out;
      }
    }
    return judge_.out;
  }

  Judged in_step() {
    const auto all = times_of_all();
    std::size_t most = 0;
    for (const auto& one : all) most = std::max(most, one.size());
    for (std::size_t i = 0; i < most; ++i) {
      Time first = never, last = -1;
      bool complete = true;
      for (const auto& one : all) {
        complete = complete && i < one.size();
        if (i < one.size()) first = std::min(first, one[i]), last = std::max(last, one[i]);
      }
      if (complete)
        judge_.within(real(last - first), 0, real(c_.tolerance), first);
      else if (first + c_.tolerance < end())
        judge_.miss(first);
    }
    return judge_.out;
  }

  /// Windows [t, t + tolerance] that hold one of every event must cover all occurrences.
  Judged windows() {
    const auto all = times_of_all();
    const auto within = [&](const Times& one, Time from, Time to) {
      const auto found = std::lower_bound(one.begin(), one.end(), from);
      return found != one.end() && *found <= to;
    };
    for (const auto& one : all) {
      for (const auto time : one) {
        if (time + c_.tolerance >= end()) continue;
        bool covered = false;
        for (const auto& starts : all) {  // a window may be moved later until it begins with an occurrence
          for (auto start = std::lower_bound(starts.begin(), starts.end(), time - c_.tolerance);
               start != starts.end() && *start <= time && !covered; ++start) {
            covered = std::all_of(all.begin(), all.end(),
                                  [&](const Times& other) { return within(other, *start, *start + c_.tolerance); });
          }
        }
        holds(covered, time);
      }
    }
    return judge_.out;
  }

  Judged latency(Passage::Communication communication) {
    const auto* passage = passage_of(execution_, c_.chains[0], communication);
    if (passage == nullptr) return judge_.unknown("no chain of tasks");
    if (!passage->complete) return judge_.unknown("communication");
    const auto measured = latencies(*passage, end(), model_.chains[passage->chain].links.front().activation);
    const auto longest = c_.type == "Age"
                             ? measured.reduced_age
                             : std::max(measured.reduced_reaction, measured.open > c_.upper ? measured.open : -1);
    if (longest < 0) return judge_.unknown("nothing passed");
    judge_.within(real(longest), 0, upper(), -1);
    if (c_.lower_stated) judge_.within(real(measured.shortest), real(c_.lower), 1e300, -1);
    return judge_.out;
  }

  Judged age() {
    Time written = -1;
    for (const auto& one : execution_.events) {
      if (one.entity != c_.labels[0]) continue;
      if (is_access(one, "write")) written = one.time;
      if (is_access(one, "read") && one.runnable == c_.runnable && written >= 0) limit(one.time - written, one.time);
    }
    return judge_.out;
  }

  /// Between the first and the last access of the scope within a job nobody else interferes.
  Judged undisturbed() {
    const bool stability = c_.kind == Constraint::Kind::stability, reads = stability || c_.type == "input";
    if (!reads && c_.type != "output") return judge_.unknown("direction");
    std::map<std::pair<std::int64_t, Index>, std::pair<std::size_t, std::size_t>>
        spans;  // by job; stability: and label
    const auto& events = execution_.events;
    const auto in_scope = [&](const Occurrence& one) {
      return (c_.of_runnables ? one.runnable : one.task) == c_.scopes[0];
    };
    for (std::size_t i = 0; i < events.size(); ++i) {
      const auto& one = events[i];
      if (is_access(one, reads ? "read" : "write") && contains(c_.labels, one.entity) && in_scope(one))
        spans.emplace(std::pair{one.job, stability ? one.entity : none}, std::pair{i, i}).first->second.second = i;
    }
    for (const auto& [of, span] : spans) {
      bool disturbed = false;
      for (auto i = span.first; i < span.second; ++i) {
        const auto& one = events[i];
        disturbed = disturbed || (is_access(one, reads ? "write" : "read") && !(one.job == of.first && in_scope(one)) &&
                                  (stability ? one.entity == of.second : contains(c_.labels, one.entity)));
      }
      if (disturbed || job_of(of.first).end >= 0) holds(!disturbed, events[span.first].time);
    }
    return judge_.out;
  }

  const Job& job_of(std::int64_t number) const { return execution_.jobs[static_cast<std::size_t>(number)]; }

  const Model& model_;
  const Execution& execution_;
  const Constraint& c_;
  Judge judge_;
};

/// The metric of one job; `never`: not measured for this job.
Time metric_of(std::string_view metric, const Job& job, const Job* previous, Time deadline) {
  const auto in = [&](State state) { return job.in[static_cast<std::size_t>(state)]; };
  const bool started = job.start >= 0, ended = job.end >= 0;
  const Job& last = previous != nullptr ? *previous : job;
  const bool follows = previous != nullptr, after_end = follows && last.end >= 0;
  const struct {
    std::string_view name;
    bool known;
    Time value;
  } metrics[] = {{"ActivateToActivate", follows, job.release - last.release},
                 {"StartToStart", follows && started, job.start - last.start},
                 {"StartDelay", started, job.start - job.release},
                 {"EndToStart", after_end && started, job.start - last.end},
                 {"EndToEnd", after_end && ended, job.end - last.end},
                 {"ResponseTime", ended, job.end - job.release},
                 {"GrossExecutionTime", ended, job.end - job.start},
                 {"NetExecutionTime", ended, in(State::running) + in(State::polling)},
                 {"RunningTime", ended, in(State::running)},
                 {"CoreExecutionTime", ended, in(State::running)-job.memory - job.overhead},
                 {"MemoryAccessTime", ended, job.memory},
                 {"OsOverhead", ended, job.overhead},
                 {"ReadyTime", ended, in(State::ready) - (job.start - job.release)},
                 {"WaitingTime", ended, in(State::waiting)},
                 {"PollingTime", ended, in(State::polling)},
                 {"ParkingTime", ended, in(State::parking)},
                 {"Lateness", ended && deadline >= 0, job.end - job.release - deadline}};
  for (const auto& one : metrics)
    if (one.name == metric && one.known) return one.value;
  return never;
}

}  // namespace

Latencies latencies(const Passage& passage, Time end, bool activation) {
  Latencies out;
  const auto& from = activation ? passage.activations : passage.reads;
  const auto longer = [](Time& of, Time value) { of = std::max(of, value); };
  std::size_t write = 0;
  std::vector<Time> shown(from.size(), -1);  // first write that shows the read or a later one
  for (std::size_t i = 0; i < from.size(); ++i) {
    while (write < passage.writes.size() && passage.writes[write].newest < static_cast<std::int64_t>(i)) ++write;
    if (write < passage.writes.size())
      shown[i] = passage.writes[write].time;
    else if (out.open < 0)
      out.open = end - from[i];
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (shown[i] < 0) break;
    longer(out.reduced_reaction, shown[i] - from[i]);
    if (i + 1 < from.size() && shown[i + 1] >= 0) longer(out.reaction, shown[i + 1] - from[i]);
  }
  for (std::size_t j = 0; j < passage.writes.size(); ++j) {
    const auto& one = passage.writes[j];
    if (one.newest < 0) continue;
    const auto oldest = from[static_cast<std::size_t>(one.oldest)];
    longer(out.reduced_age, one.time - oldest);
    if (j + 1 < passage.writes.size()) longer(out.age, passage.writes[j + 1].time - oldest);
    const auto shortest = one.time - from[static_cast<std::size_t>(one.newest)];
    out.shortest = out.shortest < 0 ? shortest : std::min(out.shortest, shortest);
  }
  return out;
}

Judged judge(const Model& model, const Execution& execution, std::size_t number, Passage::Communication communication) {
  return Constraints(model, execution, model.constraints[number]).judge(communication);
}

Judged meets(const Model& model, const Execution& execution, std::size_t number, Time until) {
  const auto& one = model.requirements[number];
  Judge judge;
  const auto compare = [&](double value, Time at) {
    judge.within(value, one.upper ? -1e300 : one.limit, one.upper ? one.limit : 1e300, at);
  };
  if (one.of_chain) {
    const bool gross = one.metric == "GrossExecutionTime";
    const auto* passage = passage_of(execution, one.entity, Passage::Communication::implicit);
    if (passage == nullptr || (!gross && one.metric != "ResponseTime" && one.metric != "EndToEnd"))
      return judge.unknown(one.metric);
    const auto measured = latencies(*passage, execution.end, !gross);
    if (measured.reduced_reaction < 0) return judge.unknown("nothing passed");
    compare(real(one.upper ? measured.reduced_reaction : measured.shortest), -1);
    return judge.out;
  }
  const auto deadline = model.tasks[one.entity].deadline;
  std::int64_t activations = 0, preemptions = 0, migrations = 0, lost = 0;
  const Job* previous = nullptr;
  for (const auto& job : execution.jobs) {
    if (job.task != one.entity || job.release >= until) continue;
    ++activations;
    preemptions += job.preemptions;
    migrations += job.migrations;
    const auto value = one.counts ? never : metric_of(one.metric, job, previous, deadline);
    const bool late = one.metric == "Lateness";
    if (value < never)
      compare(real(value), job.release);
    else if (!one.counts && job.end < 0 && one.upper && (late || one.metric == "ResponseTime"))
      compare(real(execution.end - job.release - (late ? std::max<Time>(0, deadline) : 0)), job.release);
    previous = &job;
  }
  for (const auto& each : execution.lost) {
    if (each.task != one.entity || each.time >= until) continue;
    ++lost;
    if (one.metric == "ResponseTime" && one.upper) judge.miss(each.time);
  }
  const std::pair<std::string_view, std::int64_t> counts[] = {{"Activations", activations},
                                                              {"Preemptions", preemptions},
                                                              {"FullMigrations", migrations},
                                                              {"MtaLimitExceeding", lost}};
  for (const auto& [metric, count] : counts)
    if (one.counts && metric == one.metric) compare(static_cast<double>(count), -1);
  if (judge.out.verdict == Verdict::unknown) judge.out.why = one.metric;
  return judge.out;
}

}  // namespace reference
