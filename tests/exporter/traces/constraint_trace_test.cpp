// SPDX-License-Identifier: Apache-2.0
// Timing constraints of random systems: the verdicts of an analysis compared with a slow judge that only uses the
// written trace (BTF), and guarantees compared with other executions.

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/simulation/observer_tee.hpp"
#include "exporter/traces/trace_formats.hpp"
#include "tests/engine/constraints/naive_constraints.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/test_models.hpp"
#include "tests/support/thoroughness.hpp"

namespace constraints_constraint_trace_test {

using namespace test;
using namespace amalthea::engine;

namespace traced_constraints {

struct Dice {
  std::mt19937 random;
  int operator()(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }
  bool one_in(int n) { return (*this)(1, n) == 1; }
  template <typename T>
  T of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>((*this)(0, static_cast<int>(values.size()) - 1))];
  }
};

// ---------------------------------------------------------------- systems

/// Tasks of runnables that read and write shared labels, called in sequence or by each other.
class RandomSystem {
 public:
  explicit RandomSystem(Dice& dice) : dice_(dice) {
    for (int i = 0; i < 3; ++i)
      maker_.system().labels.push_back({fmt::format("L{}", i), DataSize{64}, MemoryIndex{0}, LabelSide::host, {}});
    std::vector<UnitIndex> cores;
    for (int i = dice(1, 2); i > 0; --i) cores.push_back(maker_.core(fmt::format("C{}", i)));
    for (int i = dice(2, 4); i > 0; --i) {
      const StimulusIndex stimulus = stimulus_for_task();
      const TaskIndex task =
          maker_.task(fmt::format("T{}", maker_.system().tasks.size()), dice.of(cores), dice(1, 4), stimulus);
      if (dice.one_in(4)) maker_[task].activation_limit = 1;
      if (dice.one_in(6)) maker_[task].preemption = Preemption::non_preemptive;
      for (int calls = dice(1, 3); calls > 0; --calls) call(task, 1);
      if (dice.one_in(5)) maker_.trigger(task, triggered());
    }
    for (int i = dice(4, 8); i > 0; --i) constraint();
  }

  System build() { return maker_.build(); }

 private:
  StimulusIndex stimulus_for_task() {
    static const std::vector<int> periods = {40, 80, 160};
    auto& stimuli = maker_.system().stimuli;
    if (!stimuli.empty() && dice_.one_in(4)) return dice_.of(own_);  // one stimulus of several tasks
    const int period = dice_.of(periods);
    const StimulusIndex stimulus = maker_.periodic(period, dice_(0, 30));
    if (dice_.one_in(4))
      stimuli[stimulus].occurrence =
          Sporadic{us(dice_(0, 20)),
                   {us(period).picoseconds(), us(period + 5).picoseconds(), us(period + 20).picoseconds(), nullptr}};
    else if (dice_.one_in(4))
      std::get<Periodic>(stimuli[stimulus].occurrence).jitter = {0, us(3).picoseconds(), us(dice_(3, 12)).picoseconds(),
                                                                 nullptr};
    stimuli[stimulus].name = fmt::format("S{}", stimulus);
    own_.push_back(stimulus);
    return stimulus;
  }

  /// A stimulus that activates a task of its own.
  StimulusIndex triggered() {
    const StimulusIndex stimulus = maker_.inter_process();
    maker_.system().stimuli[stimulus].name = fmt::format("S{}", stimulus);
    const TaskIndex task =
        maker_.task(fmt::format("T{}", maker_.system().tasks.size()), UnitIndex{0}, dice_(1, 4), stimulus);
    call(task, 1);
    return stimulus;
  }

  void add(TaskIndex task, Activity activity, RunnableIndex runnable, std::uint32_t depth) {
    maker_.add(task, std::move(activity));
    GraphNode& node = maker_.system().graph[maker_[task].body.back()];
    node.runnable = runnable;
    node.depth = depth;
  }

  void work(TaskIndex task, RunnableIndex runnable, std::uint32_t depth) {
    const auto label = [&] { return static_cast<LabelIndex>(dice_(0, 2)); };
    if (dice_.one_in(2)) add(task, ReadLabel{label()}, runnable, depth);
    Ticks ticks;
    const int least = dice_(0, 5), more = dice_(0, 4);
    ticks.otherwise = Cycles{least, least + more / 2, least + more};
    add(task, Compute{ticks}, runnable, depth);
    if (dice_.one_in(2)) add(task, WriteLabel{label()}, runnable, depth);
  }

  void call(TaskIndex task, std::uint32_t depth) {
    auto& runnables = maker_.system().runnables;
    const auto runnable = static_cast<RunnableIndex>(runnables.size());
    runnables.push_back({fmt::format("R{}", runnable), {}});
    task_of_.push_back(task);
    add(task, Call{}, runnable, depth);
    work(task, runnable, depth);
    if (depth > 2 || !dice_.one_in(4)) return;
    call(task, depth + 1);
    work(task, runnable, depth);
  }

  ObservableEvent event() {
    const System& system = maker_.system();
    const auto index = [&](const auto& list) {
      return static_cast<std::uint32_t>(dice_(0, static_cast<int>(list.size()) - 1));
    };
    switch (dice_(0, 3)) {
      case 0:
        return {"E", ObservableEvent::OfProcess{index(system.tasks),
                                                dice_.of(std::vector{EventAction::activate, EventAction::start,
                                                                     EventAction::terminate, EventAction::preempt}),
                                                {}}};
      case 1:
        return {"E", ObservableEvent::OfRunnable{index(system.runnables),
                                                 dice_.of(std::vector{EventAction::start, EventAction::terminate,
                                                                      EventAction::suspend, EventAction::resume}),
                                                 {},
                                                 {}}};
      case 2: {
        ObservableEvent::OfLabel of{
            index(system.labels), dice_.one_in(2) ? EventAction::read : EventAction::write, {}, {}};
        if (dice_.one_in(2)) of.task = index(system.tasks);
        return {"E", of};
      }
      default:
        return {"E", ObservableEvent::OfStimulus{index(system.stimuli)}};
    }
  }

  TimeLimits limits() {
    TimeLimits made;
    if (dice_.one_in(3)) made.lower = us(dice_(0, 20));
    if (!made.lower || dice_.one_in(2)) made.upper = us(dice_(5, 120));
    return made;
  }

  /// Two events of one task, so that some can be shown to hold.
  std::pair<ObservableEvent, ObservableEvent> two_events() {
    if (dice_.one_in(2)) return {event(), event()};
    const auto task = static_cast<TaskIndex>(dice_(0, static_cast<int>(maker_.system().tasks.size()) - 1));
    const auto of_task = [&](EventAction action) {
      return ObservableEvent{"E", ObservableEvent::OfProcess{task, action, {}}};
    };
    return {of_task(dice_.one_in(2) ? EventAction::activate : EventAction::start), of_task(EventAction::terminate)};
  }

  DataScope scope() {
    const auto task = static_cast<TaskIndex>(dice_(0, static_cast<int>(maker_.system().tasks.size()) - 1));
    return {{task}, {}};
  }

  void constraint() {
    using Mapping = DelayLimit::Mapping;
    TimingConstraint made;
    made.name = fmt::format("K{}", maker_.system().constraints.size());
    switch (dice_(0, 8)) {
      case 0:
      case 1: {
        auto [source, target] = two_events();
        made.kind = DelayLimit{std::move(source), std::move(target), limits(),
                               dice_.of(std::vector{Mapping::reaction, Mapping::one_to_one, Mapping::unique_reaction})};
        break;
      }
      case 2: {
        auto [source, target] = two_events();
        made.kind = EventOrder{std::move(source), std::move(target)};
        break;
      }
      case 3: {
        const int period = dice_.of(std::vector{40, 80, 160});
        made.kind = Repetition{event(), dice_(1, 2), {us(period), us(period + dice_(0, 30))}, us(dice_(0, 25))};
        break;
      }
      case 4: {
        EventSynchronization together{{event(), event()}, us(dice_(0, 30)), dice_.one_in(2)};
        if (dice_.one_in(3)) together.events.push_back(event());
        made.kind = std::move(together);
        break;
      }
      case 5: {
        ChainSynchronization together{
            {{event(), event()}, {event(), event()}},
            dice_.one_in(2) ? ChainSynchronization::Of::stimuli : ChainSynchronization::Of::responses,
            us(dice_(0, 60))};
        if (together.of == ChainSynchronization::Of::stimuli)
          together.chains[1].back() = together.chains[0].back();
        else
          together.chains[1].front() = together.chains[0].front();
        if (dice_.one_in(2)) together.chains[0].insert(together.chains[0].begin() + 1, event());
        made.kind = std::move(together);
        break;
      }
      case 6: {
        DataAge age{static_cast<RunnableIndex>(dice_(0, static_cast<int>(task_of_.size()) - 1)),
                    static_cast<LabelIndex>(dice_(0, 2)),
                    limits(),
                    {},
                    {}};
        made.kind = age;
        break;
      }
      case 7:
        if (dice_.one_in(2))
          made.kind = DataCoherency{{0, 1}, scope(), dice_.one_in(2)};
        else
          made.kind = DataStability{{0, 1}, scope()};
        break;
      default: {
        const auto first = static_cast<RunnableIndex>(dice_(0, static_cast<int>(task_of_.size()) - 1));
        const auto second = static_cast<RunnableIndex>(dice_(0, static_cast<int>(task_of_.size()) - 1));
        made.kind =
            RunnableSequence{RunnableSequence::Order::successor, {}, {{{first}, {}, false}, {{second}, {}, false}}};
        break;
      }
    }
    maker_.system().constraints.push_back(std::move(made));
  }

  Dice& dice_;
  SystemMaker maker_;
  std::vector<StimulusIndex> own_;
  std::vector<TaskIndex> task_of_;  ///< by runnable
};

// ---------------------------------------------------------------- the trace

struct Line {
  naive::Time time = 0;
  std::string source, type, target, event;
  std::int64_t source_instance = 0, instance = 0;
};

std::vector<Line> lines_of(const std::string& btf) {
  std::vector<Line> lines;
  std::istringstream text(btf);
  for (std::string row; std::getline(text, row);) {
    if (row.empty() || row[0] == '#') continue;
    std::vector<std::string> fields;
    std::istringstream cells(row);
    for (std::string cell; std::getline(cells, cell, ',');) fields.push_back(cell);
    REQUIRE(fields.size() >= 7);
    const auto number = [](const std::string& digits) { return digits.empty() ? 0 : std::stoll(digits); };
    lines.push_back(
        {number(fields[0]) * 1000, fields[1], fields[3], fields[4], fields[6], number(fields[2]), number(fields[5])});
  }
  return lines;
}

class TraceJudge {
 public:
  TraceJudge(const std::string& btf, naive::Time end) : lines_(lines_of(btf)) {
    seen_.to = end;
    std::map<std::string, std::vector<int>> open;  // runnables of a process
    for (const Line& line : lines_) {
      if (line.type == "T" && line.event == "terminate") ++ended_[task(line.target)];
      if (line.type == "R" && line.event == "start") {
        open[line.source].push_back(number(line.target));
        starts_[{task(line.source), line.source_instance}].push_back(number(line.target));
      }
      if (line.type == "R" && line.event == "terminate") std::erase(open[line.source], number(line.target));
      if (line.type != "SIG") continue;
      const auto& runnables = open[line.source];
      accesses_.push_back({line.time, task(line.source), line.source_instance,
                           runnables.empty() ? -1 : runnables.back(), number(line.target), line.event == "write"});
    }
  }

  /// Nothing is compared but the verdict and how much was judged, which not all slow readings say.
  struct Verdict {
    std::string verdict;
    std::optional<std::uint64_t> judged;
  };
  Verdict judge(const TimingConstraint& constraint) const {
    return std::visit([this](const auto& kind) { return verdict(kind); }, constraint.kind);
  }

 private:
  static int number(const std::string& name) { return std::stoi(name.substr(1)); }
  static int task(const std::string& name) { return number(name); }

  static Verdict of(const naive::Outcome& outcome) {
    return {outcome.broken > 0 ? "missed" : outcome.judged > 0 ? "met" : "unknown", outcome.judged};
  }

  naive::Times times(const ObservableEvent& event) const {
    std::string type, target, action, source;
    if (const auto* process = std::get_if<ObservableEvent::OfProcess>(&event.what)) {
      type = "T";
      target = fmt::format("T{}", *process->task);
      action = to_string(process->action);
    } else if (const auto* runnable = std::get_if<ObservableEvent::OfRunnable>(&event.what)) {
      type = "R";
      target = fmt::format("R{}", *runnable->runnable);
      action = to_string(runnable->action);
    } else if (const auto* label = std::get_if<ObservableEvent::OfLabel>(&event.what)) {
      type = "SIG";
      target = fmt::format("L{}", *label->label);
      action = to_string(label->action);
      if (label->task) source = fmt::format("T{}", *label->task);
    } else {
      type = "STI";
      target = fmt::format("S{}", *std::get<ObservableEvent::OfStimulus>(event.what).stimulus);
      action = "trigger";
    }
    naive::Times found;
    for (const Line& line : lines_)
      if (line.type == type && line.target == target && line.event == action &&
          (source.empty() || line.source == source))
        found.push_back(line.time);
    return found;
  }

  static naive::Limits plain(const TimeLimits& limits) {
    naive::Limits made;
    if (limits.lower) made.lower = limits.lower->picoseconds();
    if (limits.upper) made.upper = limits.upper->picoseconds();
    return made;
  }

  Verdict verdict(const DelayLimit& delay) const {
    const auto xs = times(delay.source), ys = times(delay.target);
    const auto limits = plain(delay.limits);
    if (delay.mapping == DelayLimit::Mapping::one_to_one) return of(naive::one_to_one(xs, ys, limits, seen_));
    const naive::Outcome any = naive::reaction(xs, ys, limits, seen_);
    if (delay.mapping == DelayLimit::Mapping::reaction) return of(any);
    return {naive::unique_reaction(xs, ys, limits, seen_) ? "missed"
            : any.judged > 0                              ? "met"
                                                          : "unknown",
            std::nullopt};
  }
  Verdict verdict(const EventOrder& order) const {
    return of(naive::one_to_one(times(order.source), times(order.target), {}, seen_));
  }
  Verdict verdict(const Repetition& repetition) const {
    const auto ys = times(repetition.event);
    const auto span = static_cast<std::size_t>(repetition.span);
    if (ys.size() <= span) return {"unknown", 0};
    const bool broken =
        naive::repetition(ys, span, plain(repetition.limits), repetition.jitter.picoseconds()).has_value();
    return {broken ? "missed" : "met", ys.size() - span};
  }
  Verdict verdict(const EventSynchronization& together) const {
    std::vector<naive::Times> events;
    for (const ObservableEvent& event : together.events) events.push_back(times(event));
    const auto tolerance = together.tolerance.picoseconds();
    return of(together.multiple_occurrences ? naive::windows(events, tolerance, seen_)
                                            : naive::groups(events, tolerance, seen_));
  }
  Verdict verdict(const ChainSynchronization& together) const {
    std::vector<std::vector<naive::Times>> chains;
    for (const auto& chain : together.chains) {
      chains.emplace_back();
      for (const ObservableEvent& event : chain) chains.back().push_back(times(event));
    }
    return of(naive::chains(chains[0], chains[1], together.of == ChainSynchronization::Of::stimuli,
                            together.tolerance.picoseconds(), seen_));
  }
  Verdict verdict(const DataAge& age) const {
    return of(naive::age(accesses_, static_cast<int>(age.runnable), static_cast<int>(age.label), plain(age.limits)));
  }
  Verdict verdict(const DataCoherency& group) const {
    return of(undisturbed(group.labels, group.scope, group.output, false));
  }
  Verdict verdict(const DataStability& group) const { return of(undisturbed(group.labels, group.scope, false, true)); }

  naive::Outcome undisturbed(const std::vector<LabelIndex>& labels, const DataScope& scope, bool output,
                             bool label_by_label) const {
    const int owner = static_cast<int>(scope.tasks.front());
    const auto ended = ended_.find(owner);
    return naive::undisturbed(accesses_, owner, {labels.begin(), labels.end()}, output, label_by_label,
                              ended == ended_.end() ? 0 : ended->second);
  }

  /// One runnable before another, in every whole job that runs both.
  Verdict verdict(const RunnableSequence& sequence) const {
    const int first = static_cast<int>(sequence.groups[0].members[0]),
              second = static_cast<int>(sequence.groups[1].members[0]);
    naive::Outcome outcome;
    for (const auto& [job, runs] : starts_) {
      const auto ended = ended_.find(job.first);
      if (ended == ended_.end() || job.second >= ended->second || first == second) continue;
      const auto one = std::find(runs.begin(), runs.end(), first), other = std::find(runs.begin(), runs.end(), second);
      if (one != runs.end() && other != runs.end()) outcome.add(one < other, 0);
    }
    return of(outcome);
  }

  Verdict verdict(const Unjudgeable&) const { return {"unknown", 0}; }
  Verdict verdict(const SectionPlacement&) const { return {"unknown", 0}; }

  std::vector<Line> lines_;
  naive::Seen seen_;
  std::map<int, std::int64_t> ended_;
  std::map<std::pair<int, std::int64_t>, std::vector<int>> starts_;
  std::vector<naive::Access> accesses_;
};

// ---------------------------------------------------------------- both

class EndWatcher final : public SimulationObserver {
 public:
  bool wants_intervals() const override { return false; }
  void ended(Instant now) override { end = now; }
  Instant end;
};

struct Counts {
  std::size_t met = 0, missed = 0, unknown = 0, guaranteed = 0;
};

void check_system(unsigned seed, Counts& counts) {
  Dice dice{std::mt19937(seed)};
  const System system = RandomSystem(dice).build();
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/trace.btf";
  auto writer = exporter::trace_format_of(path)->make(path, {.input = "a model.amxmi", .model_names = true});
  REQUIRE(writer.has_value());
  EndWatcher end;
  ObserverTee observers(**writer, end);
  AnalysisOptions options;
  options.until = us(dice(200, 700));
  options.observer = &observers;
  Diagnostics diagnostics;
  const auto results = analyze(system, options, diagnostics);
  REQUIRE(results.has_value());
  REQUIRE((*writer)->finish().has_value());
  REQUIRE_FALSE(results->stopped_early);
  const TraceJudge judge(read_text(path), end.end.picoseconds());
  REQUIRE(results->constraints.size() == system.constraints.size());

  std::vector<Results> others;
  for (const Execution execution : {Execution::best, Execution::average, Execution::random}) {
    AnalysisOptions other = options;
    other.observer = nullptr;
    other.execution = execution;
    others.push_back(analyze(system, other, diagnostics).value());
  }
  for (std::size_t index = 0; index < system.constraints.size(); ++index) {
    const ConstraintResult& result = results->constraints[index];
    INFO(fmt::format("seed {}, constraint {} (kind {}): {}", seed, index, system.constraints[index].kind.index(),
                     result.reason));
    const auto expected = judge.judge(system.constraints[index]);
    if (expected.verdict == "unknown" && result.guaranteed == true)
      CHECK(to_string(result.verdict) == "met");
    else
      CHECK(to_string(result.verdict) == expected.verdict);
    if (expected.judged) CHECK(result.judged == *expected.judged);
    CHECK((result.guaranteed == false) == (result.verdict == LimitVerdict::missed));
    CHECK_FALSE(result.reason.empty());
    bool guaranteed = result.guaranteed == true, missed = result.verdict == LimitVerdict::missed;
    for (const Results& other : others) {
      guaranteed = guaranteed || other.constraints[index].guaranteed == true;
      missed = missed || other.constraints[index].verdict == LimitVerdict::missed;
    }
    CHECK_FALSE((guaranteed && missed));
    ++(result.verdict == LimitVerdict::met      ? counts.met
       : result.verdict == LimitVerdict::missed ? counts.missed
                                                : counts.unknown);
    if (guaranteed) ++counts.guaranteed;
  }
}

void check_systems(unsigned first, unsigned count) {
  Counts counts;
  for (unsigned seed = first; seed < first + count; ++seed) check_system(seed, counts);
  UNSCOPED_INFO(fmt::format("met {}, missed {}, unknown {}, guaranteed {}", counts.met, counts.missed, counts.unknown,
                            counts.guaranteed));
  // All of them come up.
  CHECK(counts.met > count / 2);
  CHECK(counts.missed > count / 2);
  CHECK(counts.unknown > count / 10);
  CHECK(counts.guaranteed > count / 10);
}

}  // namespace traced_constraints

TEST_CASE("verdicts on timing constraints of random systems match their traces and guarantees always hold") {
  traced_constraints::check_systems(1, 40);
}
TEST_CASE("verdicts on timing constraints of 1000 random systems match their traces and guarantees hold", "[long]") {
  traced_constraints::check_systems(1000, times(1000U));
}

}  // namespace constraints_constraint_trace_test
