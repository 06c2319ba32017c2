// SPDX-License-Identifier: Apache-2.0
// What timing constraints observe of a simulation, and what bounds prove about them, in systems small enough to follow
// by hand.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/diagnostic.hpp"
#include "engine/constraints/constraint_observer.hpp"
#include "engine/constraints/constraints.hpp"
#include "engine/simulation/observer_tee.hpp"
#include "engine/simulation/simulation.hpp"
#include "tests/support/system_maker.hpp"

namespace constraints_constraint_observer_test {

using namespace test;
using namespace amalthea::engine;

namespace observed_constraints {

using Event = ObservableEvent;

Event of_process(TaskIndex task, EventAction action) { return {"E", Event::OfProcess{task, action, {}}}; }
Event of_runnable(RunnableIndex runnable, EventAction action) {
  return {"E", Event::OfRunnable{runnable, action, {}, {}}};
}

struct Maker : SystemMaker {
  RunnableIndex runnable(const std::string& name) {
    system().runnables.push_back({name, {}});
    return static_cast<RunnableIndex>(system().runnables.size() - 1);
  }
  void in(TaskIndex task, Activity activity, RunnableIndex runnable, std::uint32_t depth = 1) {
    add(task, std::move(activity));
    GraphNode& node = system().graph[(*this)[task].body.back()];
    node.runnable = runnable;
    node.depth = depth;
  }
  void work(TaskIndex task, std::int64_t ticks, RunnableIndex runnable, std::uint32_t depth = 1) {
    in(task, Compute{constant_ticks(ticks)}, runnable, depth);
  }
  /// Watches the event by a constraint that it always meets.
  void watch(Event event) {
    TimingConstraint constraint;
    constraint.kind = Repetition{std::move(event), 1, {us(0), {}}, {}};
    system().constraints.push_back(std::move(constraint));
  }
};

/// The instants of every watched event, in microseconds, as a simulation of this length shows them.
std::vector<std::vector<std::int64_t>> seen(const System& system, Duration until,
                                            std::size_t most = ConstraintObserver::max_instants) {
  AnalysisOptions options;
  options.until = until;
  Diagnostics diagnostics;
  const auto preparation = prepare_simulation(system, options, diagnostics);
  const auto programs = compile_programs(system, options.execution, preparation->devices, options.compile);
  ConstraintObserver observer(system, most);
  SimulationInput input{
      system, programs, preparation->devices, preparation->until, preparation->grace, preparation->periods};
  input.observer = &observer;
  Results results;
  simulate(input, results);
  std::vector<std::vector<std::int64_t>> found;
  for (std::size_t constraint = 0; constraint < system.constraints.size(); ++constraint) {
    found.emplace_back();
    for (const Instant instant : observer.occurrences(constraint, 0))
      found.back().push_back(instant.picoseconds() / 1'000'000);
  }
  return found;
}

using Seen = std::vector<std::vector<std::int64_t>>;

}  // namespace observed_constraints

using namespace observed_constraints;

TEST_CASE("runnables: a call suspends the caller and its return resumes it and a runnable ends after its last step") {
  Maker maker;
  const TaskIndex task = maker.task("T", maker.core("C"), 1, maker.periodic(100));
  const RunnableIndex outer = maker.runnable("outer"), inner = maker.runnable("inner");
  maker.in(task, Call{}, outer);
  maker.work(task, 3, outer);
  maker.in(task, Call{}, inner, 2);
  maker.work(task, 4, inner, 2);
  maker.work(task, 5, outer);
  maker.in(task, Call{}, inner);  // once more, by the task
  maker.work(task, 6, inner);
  for (const RunnableIndex runnable : {outer, inner})
    for (const EventAction action :
         {EventAction::start, EventAction::suspend, EventAction::resume, EventAction::terminate})
      maker.watch(of_runnable(runnable, action));
  CHECK(seen(maker.build(), us(50)) == Seen{{0}, {3}, {7}, {12}, {3, 12}, {}, {}, {7, 18}});
}

TEST_CASE("runnables: a call at the end of another runnable returns with it") {
  Maker maker;
  const TaskIndex task = maker.task("T", maker.core("C"), 1, maker.periodic(100));
  const RunnableIndex outer = maker.runnable("outer"), inner = maker.runnable("inner");
  maker.in(task, Call{}, outer);
  maker.work(task, 3, outer);
  maker.in(task, Call{}, inner, 2);
  maker.work(task, 4, inner, 2);
  maker.compute(task, 5);
  for (const RunnableIndex runnable : {outer, inner})
    for (const EventAction action : {EventAction::resume, EventAction::terminate})
      maker.watch(of_runnable(runnable, action));
  CHECK(seen(maker.build(), us(50)) == Seen{{}, {7}, {}, {7}});
}

TEST_CASE("runnables: preemption suspends the executing runnable even at its start") {
  Maker maker;
  const UnitIndex core = maker.core("C");
  const TaskIndex urgent = maker.task("urgent", core, 2, maker.periodic(100, 5));
  const TaskIndex again = maker.task("again", core, 2, maker.periodic(100, 12));
  const TaskIndex task = maker.task("T", core, 1, maker.periodic(100));
  maker.compute(urgent, 2);
  maker.compute(again, 2);
  const RunnableIndex first = maker.runnable("first"), second = maker.runnable("second");
  maker.in(task, Call{}, first);
  maker.work(task, 10, first);  // 0 to 5, 7 to 12
  maker.in(task, Call{}, second);
  maker.work(task, 4, second);  // its call takes no time: it starts at 12, and goes on at 14
  for (const RunnableIndex runnable : {first, second})
    for (const EventAction action :
         {EventAction::start, EventAction::suspend, EventAction::resume, EventAction::terminate})
      maker.watch(of_runnable(runnable, action));
  CHECK(seen(maker.build(), us(50)) == Seen{{0}, {5}, {7}, {12}, {12}, {12}, {14}, {18}});
}

TEST_CASE("runnables: skipped alternatives of a branch are not awaited") {
  Maker maker;
  const TaskIndex task = maker.task("T", maker.core("C"), 1, maker.periodic(10));
  const RunnableIndex first = maker.runnable("first"), second = maker.runnable("second");
  maker.in(task, Call{}, first);
  maker.work(task, 2, first);
  Branch every_other;
  every_other.alternatives = {{EveryNth{2, 0}, 1}};
  maker.in(task, every_other, first);
  maker.work(task, 3, first);
  maker.in(task, Call{}, second);
  maker.work(task, 1, second);
  maker.watch(of_runnable(first, EventAction::terminate));
  maker.watch(of_runnable(second, EventAction::start));
  CHECK(seen(maker.build(), us(15)) == Seen{{5, 12}, {5, 12}});
}

TEST_CASE("processes and stimuli and labels and semaphores and modes occur as in traces") {
  Maker maker;
  const UnitIndex core = maker.core("C");
  System& system = maker.system();
  system.labels.push_back({"L", DataSize{64}, MemoryIndex{0}, LabelSide::host, {}});
  system.semaphores.push_back({"S"});
  system.modes.push_back({"M", 0, {}});
  const StimulusIndex stimulus = maker.periodic(100, 1);
  const TaskIndex task = maker.task("T", core, 1, stimulus);
  system.stimuli[stimulus].sets = {{0, 7}};
  maker.add(task, UseSemaphore{0, UseSemaphore::Operation::request});
  maker.add(task, ReadLabel{0});  // an access takes a microsecond
  maker.compute(task, 3);
  maker.add(task, WriteLabel{0});
  maker.add(task, UseSemaphore{0, UseSemaphore::Operation::release});
  maker.add(task, SetMode{0, SetMode::Operation::increment, 1});
  using Action = EventAction;
  maker.watch({"E", Event::OfStimulus{stimulus}});
  for (const Action action : {Action::activate, Action::start, Action::terminate, Action::preempt})
    maker.watch(of_process(task, action));
  for (const Action action : {Action::read, Action::write, Action::any})
    maker.watch({"E", Event::OfLabel{LabelIndex{0}, action, {}, {}}});
  maker.watch({"E", Event::OfLabel{LabelIndex{0}, Action::read, {}, TaskIndex{9}}});
  for (const Action action : {Action::lock, Action::unlock})
    maker.watch({"E", Event::OfSemaphore{SemaphoreIndex{0}, action, {}, {}, {}}});
  for (const Action action : {Action::write, Action::increment, Action::decrement})
    maker.watch({"E", Event::OfMode{ModeIndex{0}, action, {}, {}}});
  CHECK(seen(maker.build(), us(50)) == Seen{{1}, {1}, {1}, {6}, {}, {1}, {6}, {1, 6}, {}, {1}, {6}, {1}, {6}, {}});
}

TEST_CASE("excessive memory ends the window with a finding") {
  Maker maker;
  const TaskIndex task = maker.task("T", maker.core("C"), 1, maker.periodic(10));
  maker.compute(task, 2);
  maker.watch(of_process(task, EventAction::activate));
  maker.watch(of_process(task, EventAction::terminate));
  const System system = maker.build();
  CHECK(seen(system, us(35)) == Seen{{0, 10, 20, 30}, {2, 12, 22, 32}});
  CHECK(seen(system, us(35), 5) == Seen{{0, 10, 20}, {2, 12}});
  ConstraintObserver observer(system, 0);
  observer.begins({system, {Program{}}, {}, us(1), us(1), {}});
  observer.process({task, 0, ProcessEvent::activate, Instant::at(us(3)), {}, 0, {}});
  CHECK(observer.full_from() == Instant::at(us(3)));
  Diagnostics diagnostics;
  report_constraints(observer, diagnostics);
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].id == "AM0562");
}

TEST_CASE("two observers of a simulation receive the same events") {
  struct Counter final : SimulationObserver {
    Counter(bool wants_them, bool wants_all) : intervals(wants_them), events(wants_all) {}
    bool wants_intervals() const override { return intervals; }
    bool wants_events() const override { return events; }
    void interval(const Interval&) override { ++seen_intervals; }
    void released(TaskIndex, Instant, bool) override { ++seen_releases; }
    void process(const ProcessChange&) override { ++seen_events; }
    void ended(Instant) override { ++seen_ends; }
    bool intervals, events;
    int seen_intervals = 0, seen_releases = 0, seen_events = 0, seen_ends = 0;
  };
  Maker maker;
  maker.compute(maker.task("T", maker.core("C"), 1, maker.periodic(10)), 2);
  const System system = maker.build();
  Counter first(true, false), second(false, true);
  ObserverTee both(first, second);
  AnalysisOptions options;
  options.until = us(20);
  options.observer = &both;
  Diagnostics diagnostics;
  REQUIRE(analyze(system, options, diagnostics).has_value());
  CHECK(first.seen_intervals > 0);
  CHECK(second.seen_intervals == 0);
  CHECK(first.seen_events == 0);
  CHECK(second.seen_events > 0);
  CHECK(first.seen_releases == second.seen_releases);
  CHECK(first.seen_ends == 1);
  CHECK(second.seen_ends == 1);
}

// ---------------------------------------------------------------- guarantees

namespace observed_constraints {

/// "urgent" (every 10 us) executes 2 us. T and U (every 20 us, by one stimulus) execute 5 us and 1 us: by bounds T ends
/// from 5 to 7 us after its activation, U from 1 to 8 us.
struct Bounded {
  Bounded() {
    const UnitIndex core = maker.core("C");
    const TaskIndex urgent = maker.task("urgent", core, 3, maker.periodic(10));
    stimulus = maker.periodic(20);
    task = maker.task("T", core, 2, stimulus);
    other = maker.task("U", core, 1, stimulus);
    maker.compute(urgent, 2);
    runnable = maker.runnable("R");
    maker.in(task, Call{}, runnable);
    maker.work(task, 5, runnable);
    maker.compute(other, 1);
  }
  ConstraintResult judged(decltype(TimingConstraint::kind) kind) {
    System system = maker.build();
    system.constraints.clear();
    system.constraints.push_back({"K", "Constraint", {}, {}, std::move(kind)});
    return analyzed(system, us(200)).constraints[0];
  }
  std::optional<bool> guaranteed(decltype(TimingConstraint::kind) kind) { return judged(std::move(kind)).guaranteed; }

  Maker maker;
  StimulusIndex stimulus = 0;
  TaskIndex task = 0, other = 0;
  RunnableIndex runnable = 0;
};

TimeLimits between(std::optional<std::int64_t> lower, std::optional<std::int64_t> upper) {
  TimeLimits limits;
  if (lower) limits.lower = us(*lower);
  if (upper) limits.upper = us(*upper);
  return limits;
}

}  // namespace observed_constraints

TEST_CASE("bounds on response times guarantee a delay within a job") {
  Bounded system;
  using Mapping = DelayLimit::Mapping;
  const auto delay = [&](Event source, Event target, const TimeLimits& limits) {
    std::optional<std::optional<bool>> same;
    for (const Mapping mapping : {Mapping::reaction, Mapping::one_to_one, Mapping::unique_reaction}) {
      const auto guaranteed = system.guaranteed(DelayLimit{source, target, limits, mapping});
      if (same) CHECK(*same == guaranteed);
      same = guaranteed;
    }
    return *same;
  };
  const Event begun = of_process(system.task, EventAction::activate),
              started = of_process(system.task, EventAction::start),
              ended = of_process(system.task, EventAction::terminate);
  CHECK(delay(begun, ended, between(5, 7)) == true);
  CHECK(delay(begun, ended, between({}, 6)) == false);        // seen
  CHECK(delay(begun, ended, between(6, 7)) == std::nullopt);  // not seen, but not excluded
  CHECK(delay({"E", Event::OfStimulus{system.stimulus}}, ended, between(5, 7)) == true);
  CHECK(delay(started, ended, between(0, 7)) == true);
  CHECK(delay(begun, of_runnable(system.runnable, EventAction::terminate), between(0, 7)) == true);
  CHECK(delay(begun, of_process(system.other, EventAction::terminate), between(1, 8)) == true);
  CHECK(delay(ended, of_process(system.other, EventAction::terminate), between(-6, 3)) == true);
  CHECK(system.guaranteed(EventOrder{started, ended}) == true);
  CHECK(system.guaranteed(EventOrder{begun, of_process(system.other, EventAction::terminate)}) == true);
}

TEST_CASE("an access that a job may leave out guarantees no constraint and one that never takes place does not occur") {
  const auto judged = [](const AccessCount& count) {
    Bounded system;
    system.maker.system().labels.emplace_back().name = "L";
    system.maker.add(system.task, WriteLabel{0, count});
    const Event written{"W", Event::OfLabel{0, EventAction::write, {}, {}}};
    return std::vector{
        system.judged(DelayLimit{of_process(system.task, EventAction::activate), written, between(0, 7)}),
        system.judged(Repetition{written, 1, between(0, 100), {}})};
  };
  for (const ConstraintResult& result : judged({1, 2, 3})) CHECK(result.guaranteed == true);
  for (const ConstraintResult& result : judged({0, 1, 1})) {
    CHECK(result.verdict == LimitVerdict::met);
    CHECK_FALSE(result.guaranteed.has_value());
  }
  for (const ConstraintResult& result : judged({0, 0, 0})) CHECK(result.verdict != LimitVerdict::met);
}

TEST_CASE("nothing is guaranteed if activations may be lost") {
  for (const int period : {20, 7, 6, 5}) {
    Maker maker;
    const UnitIndex core = maker.core("C");
    const TaskIndex urgent =
        maker.task("urgent", core, 3, period == 5 ? maker.periodic(30, 4) : maker.periodic(std::min(period, 10)));
    const StimulusIndex stimulus = maker.periodic(period);
    const TaskIndex task = maker.task("T", core, 2, stimulus);
    maker[task].activation_limit = 1;
    maker.compute(urgent, 2);
    maker.compute(task, 4);
    TimingConstraint constraint;
    constraint.kind =
        DelayLimit{{"E", Event::OfStimulus{stimulus}}, of_process(task, EventAction::terminate), between({}, 6)};
    maker.system().constraints.push_back(constraint);
    const auto result = analyzed(maker.build(), us(200)).constraints[0];
    INFO(period << ": " << result.reason);
    CHECK(result.verdict == LimitVerdict::met);
    CHECK(result.guaranteed == (period > 6 ? std::optional(true) : std::nullopt));
  }
}

TEST_CASE("a repetition is guaranteed if response times vary within the jitter or the limits leave room") {
  Bounded system;
  const auto repeated = [&](Event event, std::int64_t span, const TimeLimits& limits, std::int64_t jitter) {
    return system.guaranteed(Repetition{std::move(event), span, limits, us(jitter)});
  };
  const Event ended = of_process(system.task, EventAction::terminate);
  CHECK(repeated({"E", Event::OfStimulus{system.stimulus}}, 1, between(20, 20), 0) == true);
  CHECK(repeated(of_process(system.task, EventAction::activate), 3, between(60, 60), 0) == true);
  CHECK(repeated(ended, 1, between(20, 20), 2) == true);
  CHECK(repeated(ended, 1, between(20, 20), 1) == std::nullopt);
  CHECK(repeated(ended, 1, between(19, 21), 1) == true);
  CHECK(repeated(ended, 1, between(18, 22), 0) == true);
  CHECK(repeated(ended, 2, between(38, 42), 0) == true);
  CHECK(repeated(ended, 2, between(39, 42), 0) == std::nullopt);
  CHECK(repeated(ended, 1, between(21, {}), 0) == false);
}

TEST_CASE("events of one stimulus are synchronized within the variation of response times") {
  Bounded system;
  const auto together = [&](std::int64_t tolerance, bool multiple) {
    return system.guaranteed(EventSynchronization{
        {of_process(system.task, EventAction::terminate), of_process(system.other, EventAction::terminate)},
        us(tolerance),
        multiple});
  };
  for (const bool multiple : {false, true}) {
    CHECK(together(7, multiple) == true);  // from 1 to 8
    CHECK(together(6, multiple) == std::nullopt);
    CHECK(together(0, multiple) == false);
  }
}

TEST_CASE("a guaranteed constraint is met even if the simulation is too short") {
  Bounded system;
  System built = system.maker.build();
  built.constraints.push_back(
      {"K", "Constraint", {}, {}, Repetition{{"E", Event::OfStimulus{system.stimulus}}, 5, between(100, 100), {}}});
  const ConstraintResult result = analyzed(built, us(30)).constraints[0];
  CHECK(result.verdict == LimitVerdict::met);
  CHECK(result.guaranteed == true);
  CHECK(result.judged == 0);
  CHECK(result.reason.find("response-time bounds guarantee it") == 0);
}

TEST_CASE("the default simulation time covers limits longer than the hyperperiod") {
  Bounded system;
  System built = system.maker.build();
  built.constraints.push_back({"K",
                               "Constraint",
                               {},
                               {},
                               Repetition{of_process(system.task, EventAction::terminate), 5, between(90, 110), {}}});
  Diagnostics diagnostics;
  const auto results = analyze(built, {}, diagnostics);
  CHECK(results->constraints[0].judged > 0);
  CHECK(results->horizon == us(1100));
  built.constraints.clear();
  CHECK(analyze(built, {}, diagnostics)->horizon == us(20));
}

TEST_CASE("a stopped simulation does not show that a constraint is met") {
  Maker maker;
  const StimulusIndex stimulus = maker.inter_process();
  const TaskIndex start = maker.task("start", maker.core("C"), 2, maker.periodic(10, 5));
  const TaskIndex task = maker.task("T", UnitIndex{0}, 1, stimulus);
  maker.trigger(start, stimulus);
  maker.trigger(task, stimulus);  // itself, without end
  maker.watch(of_process(start, EventAction::activate));
  const TaskIndex other = maker.task("beat", maker.core("D"), 1, maker.periodic(2));
  maker.compute(other, 1);
  maker.system().constraints.clear();
  maker.watch(of_process(other, EventAction::any));
  const auto results = analyzed(maker.build(), us(100));
  CHECK(results.stopped_early);
  CHECK(results.constraints[0].judged > 0);
  CHECK(results.constraints[0].verdict == LimitVerdict::unknown);
  CHECK(results.constraints[0].reason.find("the simulation stopped early") != std::string::npos);
}

}  // namespace constraints_constraint_observer_test
