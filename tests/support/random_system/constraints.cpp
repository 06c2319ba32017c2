// SPDX-License-Identifier: Apache-2.0
// Timing constraints and requirements of a random system.

#include <tuple>
#include <type_traits>
#include <variant>

#include "tests/support/random_system/generator.hpp"

namespace test::drawing {

namespace {

using Observed = ObservableEvent;

auto key_of(const Observed::OfProcess& of) { return std::tuple(of.task, of.action, of.unit); }
auto key_of(const Observed::OfRunnable& of) { return std::tuple(of.runnable, of.action, of.task, of.unit); }
auto key_of(const Observed::OfLabel& of) { return std::tuple(of.label, of.action, of.runnable, of.task); }
auto key_of(const Observed::OfStimulus& of) { return of.stimulus; }
auto key_of(const Observed::OfSemaphore& of) {
  return std::tuple(of.semaphore, of.action, of.runnable, of.task, of.unit);
}
auto key_of(const Observed::OfMode& of) { return std::tuple(of.mode, of.action, of.runnable, of.task); }
auto key_of(const Observed::OfActivities& of) { return of.nodes; }
bool is_same(const Observed& a, const Observed& b) {
  return std::visit(
      [&b](const auto& one) {
        const auto* other = std::get_if<std::decay_t<decltype(one)>>(&b.what);
        return other != nullptr && key_of(one) == key_of(*other);
      },
      a.what);
}

}  // namespace

ObservableEvent Generator::event_of(TaskIndex task) {
  const System& system = maker_.system();
  std::vector<ObservableEvent> events;
  const auto offer = [&](auto what) {
    events.push_back({fmt::format("observed{}_{}", system.constraints.size(), observed_++), what});
  };
  for (const EventAction action : {EventAction::start, EventAction::terminate, EventAction::activate})
    offer(ObservableEvent::OfProcess{task, action, {}});
  for (const NodeIndex index : maker_[task].body) {
    const GraphNode& node = system.graph[index];
    if (const auto* read = std::get_if<ReadLabel>(&node.activity))
      offer(ObservableEvent::OfLabel{read->label, EventAction::read, {}, task});
    if (const auto* write = std::get_if<WriteLabel>(&node.activity))
      offer(ObservableEvent::OfLabel{write->label, EventAction::write, {}, task});
    if (std::holds_alternative<Call>(node.activity)) {
      offer(ObservableEvent::OfRunnable{node.runnable, EventAction::start, {}, {}});
      offer(ObservableEvent::OfRunnable{node.runnable, EventAction::terminate, task, {}});
    }
    if (const auto* use = std::get_if<UseSemaphore>(&node.activity))
      offer(ObservableEvent::OfSemaphore{use->semaphore, EventAction::lock, {}, task, {}});
    if (const auto* set = std::get_if<SetMode>(&node.activity))
      offer(ObservableEvent::OfMode{
          set->mode,
          set->operation == SetMode::Operation::set ? EventAction::write : EventAction::increment,
          {},
          task});
  }
  for (StimulusIndex index = 0; index < system.stimuli.size(); ++index)
    if (std::find(system.stimuli[index].activates.begin(), system.stimuli[index].activates.end(), task) !=
        system.stimuli[index].activates.end())
      offer(ObservableEvent::OfStimulus{index});
  return any_of(events);
}

void Generator::make_constraint() {
  System& system = maker_.system();
  const auto any_task = [&] {
    const auto task = static_cast<TaskIndex>(draw(0, static_cast<int>(system.tasks.size()) - 1));
    mark(F::constraint, task);
    return task;
  };
  const auto called = [&](TaskIndex task, bool reads) {  // (runnable, label) pairs
    std::vector<std::pair<RunnableIndex, LabelIndex>> found;
    for (const NodeIndex index : maker_[task].body) {
      const GraphNode& node = system.graph[index];
      const auto* read = std::get_if<ReadLabel>(&node.activity);
      if (node.runnable && reads == (read != nullptr) && maker_[task].side == Side::host)
        found.emplace_back(*node.runnable, read != nullptr ? read->label : LabelIndex{0});
    }
    return found;
  };
  const TaskIndex first = any_task(), second = one_in(2) ? first : any_task();
  TimingConstraint constraint;
  constraint.name = fmt::format("constraint{}", system.constraints.size());
  const auto limits = [&] {
    TimeLimits made;
    if (!one_in(3)) made.lower = us(draw(0, 40));
    if (!made.lower || !one_in(4)) made.upper = us(draw(40, 300));
    return made;
  };
  switch (draw(1, 8)) {
    case 1:
    case 2: {
      DelayLimit delay{event_of(first), event_of(second), limits(), static_cast<DelayLimit::Mapping>(draw(0, 2))};
      if (is_same(delay.source, delay.target)) return;  // demands nothing
      constraint.kind = std::move(delay);
      break;
    }
    case 3:
      constraint.kind = Repetition{event_of(first), draw(1, 3), limits(), us(draw(0, 60))};
      break;
    case 4: {
      EventSynchronization together{{event_of(first), event_of(second)}, us(draw(1, 200)), one_in(2)};
      if (is_same(together.events[0], together.events[1])) return;
      constraint.kind = std::move(together);
      break;
    }
    case 5: {
      const auto pairs = called(first, true);
      if (pairs.empty()) return;
      const auto [runnable, label] = any_of(pairs);
      DataAge age{runnable, label, {}, {}, {}};
      if (one_in(3)) {
        age.least_cycles = draw(0, 1);
        age.max_cycles = draw(2, 5);
      } else {
        age.limits = limits();
      }
      constraint.kind = age;
      break;
    }
    case 6:
      constraint.kind = DataCoherency{labels_, {{first}, {}}, one_in(2)};
      break;
    case 7:
      constraint.kind = DataStability{{any_of(labels_)}, {{first}, {}}};
      break;
    default: {
      const auto pairs = called(first, false);
      if (pairs.empty() || pairs.front().first == pairs.back().first) return;
      RunnableSequence sequence;
      sequence.order = static_cast<RunnableSequence::Order>(draw(0, 3));
      if (one_in(2)) sequence.tasks = {first};
      sequence.groups = {{{pairs.front().first}, {}, false}, {{pairs.back().first}, {}, false}};
      constraint.kind = sequence;
    }
  }
  system.constraints.push_back(std::move(constraint));
}

void Generator::make_requirement() {
  System& system = maker_.system();
  const auto task = static_cast<TaskIndex>(draw(0, static_cast<int>(system.tasks.size()) - 1));
  mark(F::requirement, task);
  Requirement requirement;
  requirement.name = fmt::format("requirement{}", system.requirements.size());
  requirement.kind = Requirement::Kind::process;
  requirement.subject = Requirement::OfProcess{task};
  requirement.subject_name = maker_[task].name;
  requirement.limit_type = one_in(3) ? Requirement::LimitType::lower : Requirement::LimitType::upper;
  if (one_in(4)) {
    requirement.limit = Requirement::CountLimit{one_in(2) ? "Preemptions" : "MtaLimitExceeding", draw(0, 3)};
  } else {
    const std::vector<TimeMetric> metrics{
        TimeMetric::activate_to_activate, TimeMetric::start_to_start,      TimeMetric::end_to_end,
        TimeMetric::end_to_start,         TimeMetric::start_delay,         TimeMetric::gross_execution_time,
        TimeMetric::net_execution_time,   TimeMetric::core_execution_time, TimeMetric::ready_time,
        TimeMetric::waiting_time,         TimeMetric::running_time,        TimeMetric::lateness};
    requirement.limit = Requirement::TimeLimit{any_of(metrics), us(draw(1, 250))};
  }
  system.requirements.push_back(std::move(requirement));
}

}  // namespace test::drawing
