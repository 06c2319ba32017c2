// SPDX-License-Identifier: Apache-2.0
#include "reference/measures.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "reference/folding.hpp"

namespace reference {

namespace {

using K = Constraint::Kind;
using Times = std::vector<Time>;
using O = Occurrence::Kind;

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

double upper_of(const Constraint& c) { return c.upper >= never ? 1e18 : static_cast<double>(c.upper); }
double real(Time time) { return static_cast<double>(time); }

class Constraints {
 public:
  Constraints(const Model& model, const Execution& execution, const Constraint& constraint)
      : model_(model), execution_(execution), c_(constraint) {}

  Judged judge(Passage::Communication communication) {
    if (device_accesses()) return judge_.unknown("accesses of device tasks are not in the trace");
    switch (c_.kind) {
      case K::delay:
        return delay();
      case K::repetition:
        return repetition();
      case K::synchronization:
        return c_.multiple ? windows() : in_step();
      case K::chain_synchronization:
        return chains();
      case K::chain_latency:
        return latency(communication);
      case K::data_age_time:
      case K::data_age_cycle:
        return age();
      case K::coherency:
      case K::stability:
        return undisturbed();
      case K::sequencing:
        return sequence();
      case K::section:
        return section();
    }
    return judge_.out;
  }

 private:
  /// Whether the constraint depends on accesses of device tasks, which are no part of the trace (S-data-3).
  bool device_accesses() const {
    if (c_.kind == K::chain_latency) return false;
    if (std::none_of(model_.tasks.begin(), model_.tasks.end(), [](const Task& task) { return task.device; }))
      return false;
    std::vector<Index> labels = c_.labels;
    for (const auto event : c_.events) {
      if (model_.events[event].of == Event::Of::label) labels.push_back(model_.events[event].entity);
    }
    for (const auto chain : c_.chains) {
      for (const auto& link : model_.chains[chain].links) labels.push_back(link.label);
    }
    for (const auto label : labels) {
      for (const auto task : accessors(model_, label, none, -1)) {
        if (label != none && model_.tasks[task].device) return true;
      }
    }
    return false;
  }

  Time end() const { return execution_.end; }

  Times times(Index event) const {
    Times out;
    for (const auto& one : execution_.events) {
      if (fits(model_.events[event], one)) out.push_back(one.time);
    }
    return out;
  }

  void limit(Time value, Time at) { judge_.within(real(value), real(c_.lower), upper_of(c_), at); }

  Judged delay() {
    if (!c_.lower_stated && !c_.upper_stated) return judge_.unknown("no limit");
    const auto x = times(c_.events[0]), y = times(c_.events[1]);
    const auto last = c_.upper >= never ? never : end() - c_.upper;
    if (c_.type == "OneToOne") {
      for (std::size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
        if (i < x.size() && i < y.size()) {
          limit(y[i] - x[i], x[i]);
        } else if (i < y.size() || x[i] < last) {
          judge_.miss(i < y.size() ? y[i] : x[i]);
        }
      }
      return judge_.out;
    }
    std::size_t next = 0;
    for (const auto from : x) {
      if (c_.type != "UniqueReaction") next = 0;
      while (next < y.size() && y[next] < from + c_.lower) ++next;
      if (next < y.size()) {
        judge_.within(real(y[next] - from), 0, upper_of(c_), from);
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
    std::vector<Times> all;
    std::size_t most = 0;
    for (const auto event : c_.events) {
      all.push_back(times(event));
      most = std::max(most, all.back().size());
    }
    for (std::size_t i = 0; i < most; ++i) {
      Time first = never, last = -1;
      bool complete = true;
      for (const auto& one : all) {
        if (i >= one.size()) {
          complete = false;
          continue;
        }
        first = std::min(first, one[i]);
        last = std::max(last, one[i]);
      }
      if (complete) {
        judge_.within(real(last - first), 0, real(c_.tolerance), first);
      } else if (first + c_.tolerance < end()) {
        judge_.miss(first);
      }
    }
    return judge_.out;
  }

  /// Windows [t, t + tolerance] that hold one of every event must cover all occurrences.
  Judged windows() {
    std::vector<Times> all;
    for (const auto event : c_.events) all.push_back(times(event));
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
        if (covered) {
          judge_.within(0, 0, 0, time);
        } else {
          judge_.miss(time);
        }
      }
    }
    return judge_.out;
  }

  /// The instants of all events of a chain.
  std::vector<Times> links(Index chain) const {
    std::vector<Times> out;
    for (const auto& link : model_.chains[chain].links) out.push_back(times(link.event));
    return out;
  }
  static Time follow(const std::vector<Times>& links, Time from, bool back) {
    for (std::size_t i = 1; i < links.size() && from >= 0; ++i) {
      const auto& next = links[back ? links.size() - 1 - i : i];
      const auto found =
          back ? std::upper_bound(next.begin(), next.end(), from) : std::lower_bound(next.begin(), next.end(), from);
      if (back) {
        from = found == next.begin() ? -1 : *std::prev(found);
      } else {
        from = found == next.end() ? -1 : *found;
      }
    }
    return from;
  }

  Judged chains() {
    const bool stimulus = c_.type == "Stimulus";
    if (c_.chains.size() != 2 || (!stimulus && c_.type != "Response")) return judge_.unknown("type");
    const auto a = links(c_.chains[0]), b = links(c_.chains[1]);
    for (const auto time : stimulus ? a.back() : a.front()) {
      const auto x = follow(a, time, stimulus), y = follow(b, time, stimulus);
      if (x >= 0 && y >= 0) {
        judge_.within(real(std::abs(x - y)), 0, real(c_.tolerance), time);
      } else if ((x >= 0) != (y >= 0) && !stimulus && std::max(x, y) + c_.tolerance < end()) {
        judge_.miss(time);
      }
    }
    return judge_.out;
  }

  Judged latency(Passage::Communication communication) {
    for (const auto& passage : execution_.passages) {
      if (passage.chain != c_.chains[0] || passage.communication != communication) continue;
      if (!passage.complete) return judge_.unknown("communication");
      const auto measured = latencies(passage, end(), model_.chains[passage.chain].links.front().activation);
      const auto longest = c_.type == "Age"
                               ? measured.reduced_age
                               : std::max(measured.reduced_reaction, measured.open > c_.upper ? measured.open : -1);
      if (longest < 0) return judge_.unknown("nothing passed");
      judge_.within(real(longest), 0, upper_of(c_), -1);
      if (c_.lower_stated) judge_.within(real(measured.shortest), real(c_.lower), 1e300, -1);
      return judge_.out;
    }
    return judge_.unknown("no chain of tasks");
  }

  Judged age() {
    Time period = 1, written = -1;
    if (c_.kind == K::data_age_cycle) {
      Index writer = none;
      for (const auto& one : execution_.events) {
        if (one.kind != O::write || one.entity != c_.labels[0]) continue;
        if (writer != none && writer != one.task) return judge_.unknown("several writers");
        writer = one.task;
      }
      if (writer == none || model_.tasks[writer].stimuli.size() != 1) return judge_.unknown("writer");
      const auto& stimulus = model_.stimuli[model_.tasks[writer].stimuli[0]];
      if (stimulus.kind != Stimulus::Kind::periodic || stimulus.jitter.most > 0) return judge_.unknown("writer");
      period = stimulus.period;
    }
    for (const auto& one : execution_.events) {
      if (one.entity != c_.labels[0]) continue;
      if (one.kind == O::write) written = one.time;
      if (one.kind == O::read && one.runnable == c_.runnable && written >= 0)
        limit((one.time - written) / period, one.time);
    }
    return judge_.out;
  }

  bool has_label(Index label) const { return std::find(c_.labels.begin(), c_.labels.end(), label) != c_.labels.end(); }

  /// Between the first and the last access of the scope within a job nobody else interferes.
  Judged undisturbed() {
    const bool stability = c_.kind == K::stability;
    const auto own = stability || c_.type == "input" ? O::read : O::write;
    const auto foreign = own == O::read ? O::write : O::read;
    if (!stability && c_.type != "input" && c_.type != "output") return judge_.unknown("direction");
    struct Open {
      std::size_t first = 0, last = 0;
      bool any = false;
    };
    std::map<std::pair<std::int64_t, Index>, Open> scopes;  // by job, and for stability by label
    const auto& events = execution_.events;
    const auto in_scope = [&](const Occurrence& one) {
      return c_.scope == Constraint::Scope::process ? one.task == c_.scopes[0] : one.runnable == c_.scopes[0];
    };
    for (std::size_t i = 0; i < events.size(); ++i) {
      const auto& one = events[i];
      if (one.kind != own || !has_label(one.entity) || !in_scope(one)) continue;
      auto& open = scopes[{one.job, stability ? one.entity : none}];
      if (!open.any) open.first = i;
      open.any = true;
      open.last = i;
    }
    for (const auto& [key, open] : scopes) {
      bool disturbed = false;
      for (auto i = open.first; i < open.last; ++i) {
        const auto& one = events[i];
        const bool label = stability ? one.entity == key.second : has_label(one.entity);
        disturbed = disturbed || (one.kind == foreign && label && !(one.job == key.first && in_scope(one)));
      }
      const auto at = events[open.first].time;
      if (disturbed) {
        judge_.miss(at);
      } else if (execution_.jobs[static_cast<std::size_t>(key.first)].end >= 0) {
        judge_.within(0, 0, 0, at);
      }
    }
    return judge_.out;
  }

  Judged sequence() {
    std::map<std::int64_t, std::vector<Index>> runs;  // runnables by job, in order of their starts
    std::map<std::int64_t, std::vector<std::pair<Index, Index>>> inside;
    for (const auto& one : execution_.events) {
      if (one.kind != O::runnable_start) continue;
      if (!c_.scopes.empty() && std::find(c_.scopes.begin(), c_.scopes.end(), one.task) == c_.scopes.end()) continue;
      runs[one.job].push_back(one.entity);
    }
    const auto group = [&](Index runnable) {
      for (std::size_t g = 0; g < c_.groups.size(); ++g) {
        if (std::find(c_.groups[g].begin(), c_.groups[g].end(), runnable) != c_.groups[g].end())
          return static_cast<int>(g);
      }
      return -1;
    };
    if (c_.type != "successor") return judge_.unknown("order");  // choice: only this order is read
    for (const auto& [job, list] : runs) {
      int before = -1, groups = 0;
      bool wrong = false;
      for (const auto runnable : list) {
        const auto g = group(runnable);
        if (g < 0) continue;
        wrong = wrong || g < before;
        if (g > before) ++groups;
        before = std::max(before, g);
      }
      const auto& one = execution_.jobs[static_cast<std::size_t>(job)];
      if (wrong) {
        judge_.miss(one.release);
      } else if (groups > 1 && one.end >= 0) {
        judge_.within(0, 0, 0, one.release);
      }
    }
    return judge_.out;
  }

  Judged section() {
    bool unmapped = false;
    for (const auto& label : model_.labels) {
      if (label.section != c_.section) continue;
      unmapped = unmapped || label.memory == none;
      if (label.memory != none && std::find(c_.memories.begin(), c_.memories.end(), label.memory) == c_.memories.end())
        judge_.miss(0);
    }
    if (judge_.out.verdict == Verdict::missed) return judge_.out;
    if (unmapped) return judge_.unknown("a label without memory");
    judge_.within(0, 0, 0, 0);
    return judge_.out;
  }

  const Model& model_;
  const Execution& execution_;
  const Constraint& c_;
  Judge judge_;
};

/// The metric of one job; false: not measured for this job.
bool metric_of(const std::string& metric, const Model& model, const Job& job, const Job* previous, Time& out) {
  const auto in = [&](State state) { return job.in[static_cast<std::size_t>(state)]; };
  if (metric == "ActivateToActivate") return previous != nullptr && (out = job.release - previous->release, true);
  if (metric == "StartToStart")
    return previous != nullptr && job.start >= 0 && (out = job.start - previous->start, true);
  if (metric == "StartDelay") return job.start >= 0 && (out = job.start - job.release, true);
  if (metric == "EndToStart")
    return previous != nullptr && previous->end >= 0 && job.start >= 0 && (out = job.start - previous->end, true);
  if (job.end < 0) return false;
  const auto deadline = model.tasks[job.task].deadline;
  if (metric == "ResponseTime")
    out = job.end - job.release;
  else if (metric == "GrossExecutionTime")
    out = job.end - job.start;
  else if (metric == "EndToEnd")
    return previous != nullptr && previous->end >= 0 && (out = job.end - previous->end, true);
  else if (metric == "NetExecutionTime")
    out = in(State::running) + in(State::polling);
  else if (metric == "RunningTime")
    out = in(State::running);
  else if (metric == "CoreExecutionTime")
    out = in(State::running)-job.memory - job.overhead;
  else if (metric == "MemoryAccessTime")
    out = job.memory;
  else if (metric == "OsOverhead")
    out = job.overhead;
  else if (metric == "ReadyTime")
    out = in(State::ready) - (job.start - job.release);
  else if (metric == "WaitingTime")
    out = in(State::waiting);
  else if (metric == "PollingTime")
    out = in(State::polling);
  else if (metric == "ParkingTime")
    out = in(State::parking);
  else if (metric == "Lateness" && deadline >= 0)
    out = job.end - job.release - deadline;
  else
    return false;
  return true;
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
    if (write < passage.writes.size()) {
      shown[i] = passage.writes[write].time;
    } else if (out.open < 0) {
      out.open = end - from[i];
    }
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (shown[i] < 0) break;
    longer(out.reduced_reaction, shown[i] - from[i]);
    if (i + 1 < from.size() && shown[i + 1] >= 0) longer(out.reaction, shown[i + 1] - from[i]);
  }
  std::int64_t newest = -1;
  for (std::size_t j = 0; j < passage.writes.size(); ++j) {
    const auto& one = passage.writes[j];
    if (one.newest < 0) continue;
    const auto oldest = from[static_cast<std::size_t>(one.oldest)];
    longer(out.reduced_age, one.time - oldest);
    if (j + 1 < passage.writes.size()) longer(out.age, passage.writes[j + 1].time - oldest);
    if (newest >= 0 && one.newest != newest)
      longer(out.first_to_first, one.time - from[static_cast<std::size_t>(newest)]);
    newest = std::max(newest, one.newest);
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
  if (one.of == Requirement::Of::runnable) {
    if (one.metric != "ResponseTime" && one.metric != "GrossExecutionTime") return judge.unknown(one.metric);
    std::map<std::int64_t, std::pair<Time, Time>> spans;
    for (const auto& event : execution.events) {
      if (event.entity != one.entity || event.job < 0) continue;
      if (event.kind == O::runnable_start) spans.emplace(event.job, std::pair{event.time, event.time});
      if (event.kind == O::runnable_terminate) spans[event.job].second = event.time;
    }
    for (const auto& [job, span] : spans) {
      if (execution.jobs[static_cast<std::size_t>(job)].end >= 0) compare(real(span.second - span.first), span.first);
    }
    return judge.out;
  }
  if (one.of == Requirement::Of::chain) {
    for (const auto& passage : execution.passages) {
      if (passage.chain != one.entity || passage.communication != Passage::Communication::implicit) continue;
      const bool gross = one.metric == "GrossExecutionTime";
      if (!gross && one.metric != "ResponseTime" && one.metric != "EndToEnd") break;
      const auto measured = latencies(passage, execution.end, !gross);
      if (measured.reduced_reaction < 0) return judge.unknown("nothing passed");
      compare(real(one.upper ? measured.reduced_reaction : measured.shortest), -1);
      return judge.out;
    }
    return judge.unknown(one.metric);
  }
  const auto& task = model.tasks[one.entity];
  std::int64_t activations = 0, preemptions = 0, migrations = 0, lost = 0;
  std::array<Time, states> in{};
  const Job* previous = nullptr;
  for (const auto& job : execution.jobs) {
    if (job.task != one.entity || job.release >= until) continue;
    ++activations;
    preemptions += job.preemptions;
    migrations += job.migrations;
    for (std::size_t state = 0; state < states; ++state) in[state] += job.in[state];
    Time value = 0;
    if (one.measure == Requirement::Measure::time) {
      if (metric_of(one.metric, model, job, previous, value)) {
        compare(real(value), job.release);
      } else if (job.end < 0 && one.upper && (one.metric == "ResponseTime" || one.metric == "Lateness")) {
        compare(real(execution.end - job.release - (one.metric == "Lateness" ? std::max<Time>(0, task.deadline) : 0)),
                job.release);
      }
    } else if (one.measure == Requirement::Measure::percentage && job.end >= 0 && task.deadline > 0) {
      const auto response = real(job.end - job.release), deadline = real(task.deadline);
      if (one.metric == "NormalizedResponseTime") compare(100 * response / deadline, job.release);
      if (one.metric == "NormalizedLateness") compare(100 * (response - deadline) / deadline, job.release);
    }
    previous = &job;
  }
  for (const auto& each : execution.lost) {
    if (each.task != one.entity || each.time >= until) continue;
    ++lost;
    if (one.metric == "ResponseTime" && one.upper) judge.miss(each.time);
  }
  if (one.measure == Requirement::Measure::count) {
    const std::map<std::string, std::int64_t> counts{{"Activations", activations},
                                                     {"Preemptions", preemptions},
                                                     {"FullMigrations", migrations},
                                                     {"MtaLimitExceeding", lost}};
    const auto found = counts.find(one.metric);
    if (found == counts.end()) return judge.unknown(one.metric);
    compare(static_cast<double>(found->second), -1);
  }
  if (one.measure == Requirement::Measure::cpu && execution.end > 0) {
    const std::map<std::string, State> shares{{"CPURunning", State::running},
                                              {"CPUReady", State::ready},
                                              {"CPUWaiting", State::waiting},
                                              {"CPUPolling", State::polling},
                                              {"CPUParking", State::parking}};
    const auto unit = one.unit != none ? one.unit : task.units.empty() ? none : task.units[0];
    if (one.metric == "CPULoad" && unit != none) {
      compare(100 * real(execution.busy[unit]) / real(execution.end), -1);
    } else if (const auto found = shares.find(one.metric); found != shares.end()) {
      compare(100 * real(in[static_cast<std::size_t>(found->second)]) / real(execution.end), -1);
    }
  }
  if (judge.out.verdict == Verdict::unknown) judge.out.why = one.metric;
  return judge.out;
}

Responses responses(const Execution& execution, Index task, Time until) {
  Responses out;
  for (const auto& job : execution.jobs) {
    if (job.task != task || job.release >= until) continue;
    ++out.jobs;
    if (job.end < 0) {
      ++out.unfinished;
      continue;
    }
    out.longest = std::max(out.longest, job.end - job.release);
    out.shortest = out.shortest < 0 ? job.end - job.release : std::min(out.shortest, job.end - job.release);
  }
  for (const auto& one : execution.lost) out.lost += one.task == task && one.time < until ? 1 : 0;
  return out;
}

}  // namespace reference
