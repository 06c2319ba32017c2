// SPDX-License-Identifier: Apache-2.0
#include "engine/constraints/constraint_observer.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "engine/program/releases.hpp"
#include "engine/simulation/simulation.hpp"

namespace amalthea::engine {
namespace {

template <typename Value>
bool is_one_of(const std::vector<Value>& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// No value means any.
template <typename Index>
bool is_meant(const std::optional<Index>& named, const std::optional<Index>& is) {
  return !named || named == is;
}

/// Nothing for events that AMALTHEA does not define.
std::optional<EventAction> action_of(ProcessEvent event) {
  switch (event) {
    case ProcessEvent::activate:
      return EventAction::activate;
    case ProcessEvent::mta_limit_exceeded:
      return std::nullopt;
    case ProcessEvent::start:
      return EventAction::start;
    case ProcessEvent::preempt:
      return EventAction::preempt;
    case ProcessEvent::resume:
      return EventAction::resume;
    case ProcessEvent::wait:
      return EventAction::wait;
    case ProcessEvent::release:
      return EventAction::release;
    case ProcessEvent::poll:
      return EventAction::poll;
    case ProcessEvent::run:
      return EventAction::run;
    case ProcessEvent::park:
      return EventAction::park;
    case ProcessEvent::poll_parking:
      return EventAction::poll_parking;
    case ProcessEvent::release_parking:
      return EventAction::release_parking;
    case ProcessEvent::terminate:
      return EventAction::terminate;
  }
  return std::nullopt;
}

/// The events of a kind of constraint, in order.
using Events = std::vector<const ObservableEvent*>;
Events events_of(const DelayLimit& delay) { return {&delay.source, &delay.target}; }
Events events_of(const EventOrder& order) { return {&order.source, &order.target}; }
Events events_of(const Repetition& repetition) { return {&repetition.event}; }
Events events_of(const EventSynchronization& together) {
  Events events;
  for (const ObservableEvent& event : together.events) events.push_back(&event);
  return events;
}
Events events_of(const ChainSynchronization& together) {
  Events events;
  for (const auto& chain : together.chains)
    for (const ObservableEvent& event : chain) events.push_back(&event);
  return events;
}
/// Named one by one: a new kind does not compile before it states its events.
template <typename Kind>
requires(std::is_same_v<Kind, Unjudgeable> || std::is_same_v<Kind, DataAge> || std::is_same_v<Kind, DataCoherency> ||
         std::is_same_v<Kind, DataStability> || std::is_same_v<Kind, RunnableSequence> ||
         std::is_same_v<Kind, SectionPlacement>) Events events_of(const Kind&) {
  return {};
}

std::vector<LabelIndex> labels_of(const Activity& activity, bool write) {
  if (const auto* read = std::get_if<ReadLabel>(&activity); read != nullptr && !write && read->count.most > 0)
    return {read->label};
  if (const auto* written = std::get_if<WriteLabel>(&activity); written != nullptr && write && written->count.most > 0)
    return {written->label};
  if (const auto* copy = std::get_if<Copy>(&activity)) return write ? copy->destinations : copy->sources;
  if (const auto* kernel = std::get_if<Kernel>(&activity)) return write ? kernel->writes : kernel->reads;
  return {};
}

StepMoment moment_of_label(const System& system, const ObservableEvent::OfLabel& event, const Step& step) {
  for (const bool write : {false, true}) {
    if (event.action == (write ? EventAction::read : EventAction::write)) continue;
    const auto labels = labels_of(system, step, write);
    if (!labels.empty() && (!event.label || is_one_of(labels, *event.label)))
      return write ? StepMoment::end : StepMoment::begin;
  }
  return StepMoment::never;
}

StepMoment moment_of_semaphore(const System& system, const ObservableEvent::OfSemaphore& event, const Step& step) {
  const bool locks = step.kind == StepKind::request_semaphore;
  if (!locks && step.kind != StepKind::release_semaphore) return StepMoment::never;
  if (event.action == (locks ? EventAction::unlock : EventAction::lock)) return StepMoment::never;
  const auto& use = std::get<UseSemaphore>(system.graph[step.node].activity);
  return !event.semaphore || event.semaphore == use.semaphore ? StepMoment::end : StepMoment::never;
}

StepMoment moment_of_mode(const System& system, const ObservableEvent::OfMode& event, const Step& step) {
  if (step.kind != StepKind::set_mode) return StepMoment::never;
  const auto& set = std::get<SetMode>(system.graph[step.node].activity);
  const EventAction action = set.operation == SetMode::Operation::set         ? EventAction::write
                             : set.operation == SetMode::Operation::increment ? EventAction::increment
                                                                              : EventAction::decrement;
  return event.action == action && (!event.mode || event.mode == set.mode) ? StepMoment::end : StepMoment::never;
}

}  // namespace

std::vector<RunExtent> run_extents(const System& system, const Program& program) {
  std::vector<RunExtent> extents;
  const auto& steps = program.steps;
  const auto runnable_of = [&](std::size_t step) {
    return steps[step].runnable ? std::optional(program.runnables[*steps[step].runnable]) : std::nullopt;
  };
  const auto is_call = [&](std::size_t step) {
    return std::holds_alternative<Call>(system.graph[steps[step].node].activity);
  };
  std::vector<std::size_t> open;  // extents that contain the step
  for (std::size_t step = 0; step < steps.size(); ++step) {
    const auto runnable = runnable_of(step);
    while (!open.empty() && extents[open.back()].end <= step) open.pop_back();
    if (!runnable) continue;
    const bool covered = std::any_of(open.begin(), open.end(),
                                     [&](std::size_t extent) { return extents[extent].runnable == *runnable; });
    if (!is_call(step) && covered) continue;
    const std::uint32_t depth = system.graph[steps[step].node].depth;
    std::size_t end = step + 1;
    for (; end < steps.size(); ++end) {
      const std::uint32_t there = system.graph[steps[end].node].depth;
      if (!steps[end].runnable || there < depth) break;
      if (there == depth && (is_call(end) || runnable_of(end) != runnable)) break;
    }
    open.push_back(extents.size());
    extents.push_back({static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(end), *runnable});
  }
  return extents;
}

std::vector<LabelIndex> labels_of(const System& system, const Step& step, bool write) {
  return step.overhead ? std::vector<LabelIndex>{} : labels_of(system.graph[step.node].activity, write);
}

tl::expected<TimeLimits, std::string> limits_in_time(const System& system, const DataAge& age) {
  if (!age.least_cycles && !age.max_cycles) return age.limits;
  const std::string& label = system.labels[age.label].name;
  std::optional<TaskIndex> writer;
  for (NodeIndex node = 0; node < system.graph.size(); ++node) {
    const GraphNode& activity = system.graph[node];
    if (system.tasks[activity.task].folded_into || !is_one_of(labels_of(activity.activity, true), age.label)) continue;
    if (writer && *writer != activity.task)
      return tl::unexpected("its limits are in periods of the writer, but several processes write " + label);
    writer = activity.task;
  }
  if (!writer) return tl::unexpected("its limits are in periods of the writer, but no process writes " + label);
  const auto releases = releases_of(system)[*writer];
  if (!releases)
    return tl::unexpected("its limits are in periods of the writer, and " + system.tasks[*writer].name +
                          ", which writes " + label + ", is not activated strictly periodically");
  const auto periods = [&](detail::Int128 count) {
    const detail::Int128 most = Duration::max().picoseconds();
    return std::clamp(count * releases->periodic.period.picoseconds(), -most, most);
  };
  TimeLimits limits;
  if (age.least_cycles) limits.lower = Duration::picoseconds(static_cast<std::int64_t>(periods(*age.least_cycles)));
  if (age.max_cycles)
    limits.upper = Duration::picoseconds(static_cast<std::int64_t>(periods(detail::Int128{*age.max_cycles} + 1) - 1));
  return limits;
}

StepMoment moment_of(const System& system, const ObservableEvent& event, TaskIndex task, const Step& step) {
  if (step.overhead) return StepMoment::never;
  const std::optional<RunnableIndex> runnable = system.graph[step.node].runnable;
  const auto within = [&](const auto& filter) {
    return is_meant(filter.runnable, runnable) && is_meant(filter.task, std::optional(task));
  };
  if (const auto* label = std::get_if<ObservableEvent::OfLabel>(&event.what))
    return within(*label) ? moment_of_label(system, *label, step) : StepMoment::never;
  if (const auto* semaphore = std::get_if<ObservableEvent::OfSemaphore>(&event.what))
    return within(*semaphore) ? moment_of_semaphore(system, *semaphore, step) : StepMoment::never;
  if (const auto* mode = std::get_if<ObservableEvent::OfMode>(&event.what))
    return within(*mode) ? moment_of_mode(system, *mode, step) : StepMoment::never;
  if (const auto* activities = std::get_if<ObservableEvent::OfActivities>(&event.what))
    return is_one_of(activities->nodes, step.node) ? StepMoment::end : StepMoment::never;
  return StepMoment::never;
}

ConstraintObserver::ConstraintObserver(const System& system, std::size_t most) : system_(system), most_(most) {
  events_.resize(system.constraints.size());
  for (std::size_t constraint = 0; constraint < system.constraints.size(); ++constraint) watch(constraint);
  wants_runs_ = !runnables_.empty() || !sequences_.empty();
  wanted_ = !watched_.empty() || !ages_.empty() || !intrusions_.empty() || !sequences_.empty();
}

void ConstraintObserver::watch(std::size_t index) {
  const TimingConstraint& constraint = system_.constraints[index];
  for (const ObservableEvent* event : std::visit([](const auto& kind) { return events_of(kind); }, constraint.kind)) {
    const auto sequence = static_cast<Sequence>(watched_.size());
    watched_.push_back({event, {}});
    events_[index].push_back(sequence);
    if (std::holds_alternative<ObservableEvent::OfProcess>(event->what)) processes_.push_back(sequence);
    if (std::holds_alternative<ObservableEvent::OfRunnable>(event->what)) runnables_.push_back(sequence);
    if (std::holds_alternative<ObservableEvent::OfStimulus>(event->what) ||
        std::holds_alternative<ObservableEvent::OfMode>(event->what))
      stimuli_.push_back(sequence);
  }
  using Demand = IntrusionJudge::Demand;
  if (const auto* age = std::get_if<DataAge>(&constraint.kind))
    if (const auto limits = limits_in_time(system_, *age))
      ages_.push_back({index, DataAgeJudge(age->runnable, age->label, *limits)});
  if (const auto* group = std::get_if<DataCoherency>(&constraint.kind))
    intrusions_.push_back(
        {index, group->labels,
         IntrusionJudge(group->scope, group->output ? Demand::coherent_output : Demand::coherent_input)});
  if (const auto* group = std::get_if<DataStability>(&constraint.kind))
    intrusions_.push_back({index, group->labels, IntrusionJudge(group->scope, Demand::stable)});
  if (const auto* sequence = std::get_if<RunnableSequence>(&constraint.kind))
    sequences_.push_back({index, sequence, {}});
}

void ConstraintObserver::begins(const SimulationInput& input) {
  programs_ = &input.programs;
  tasks_.resize(system_.tasks.size());
  facts_.resize(1);
  facts_of_step_.resize(system_.tasks.size());
  const auto is_of_interest = [this](LabelIndex label) {
    return std::any_of(ages_.begin(), ages_.end(),
                       [&](const AgeOf& age) {
                         return std::get<DataAge>(system_.constraints[age.constraint].kind).label == label;
                       }) ||
           std::any_of(intrusions_.begin(), intrusions_.end(),
                       [&](const IntrusionOf& intrusion) { return is_one_of(intrusion.labels, label); });
  };
  for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
    const Program& program = input.programs[task];
    std::vector<std::vector<RunExtent>> runs(program.steps.size());
    if (wants_runs_)
      for (const RunExtent& extent : run_extents(system_, program)) runs[extent.begin].push_back(extent);
    tasks_[task].records_runs = std::any_of(sequences_.begin(), sequences_.end(), [task](const SequenceOf& sequence) {
      return sequence.sequence->tasks.empty() || is_one_of(sequence.sequence->tasks, task);
    });
    facts_of_step_[task].resize(program.steps.size(), 0);
    for (std::size_t index = 0; index < program.steps.size(); ++index) {
      const Step& step = program.steps[index];
      StepFacts found;
      for (Sequence sequence = 0; sequence < watched_.size(); ++sequence) {
        const StepMoment moment = moment_of(system_, *watched_[sequence].event, task, step);
        if (moment == StepMoment::begin) found.at_begin.push_back(sequence);
        if (moment == StepMoment::end) found.at_end.push_back(sequence);
      }
      for (const bool write : {false, true})
        for (const LabelIndex label : labels_of(system_, step, write))
          if (is_of_interest(label)) (write ? found.writes : found.reads).push_back(label);
      found.runs = std::move(runs[index]);
      if (found.at_begin.empty() && found.at_end.empty() && found.reads.empty() && found.writes.empty() &&
          found.runs.empty())
        continue;
      facts_of_step_[task][index] = static_cast<std::uint32_t>(facts_.size());
      facts_.push_back(std::move(found));
    }
  }
}

void ConstraintObserver::record(Sequence sequence, Instant now) {
  if (full_from_) return;
  if (recorded_ == most_) {
    full_from_ = now;
    return;
  }
  ++recorded_;
  watched_[sequence].instants.push_back(now);
}

const ConstraintObserver::StepFacts* ConstraintObserver::facts(TaskIndex task, std::size_t step) const {
  const std::uint32_t index = facts_of_step_[task][step];
  return index == 0 ? nullptr : &facts_[index];
}

// ---------------------------------------------------------------- stimuli and processes

void ConstraintObserver::occurred(StimulusIndex stimulus, std::optional<TaskIndex> /*by*/, Instant now) {
  for (const Sequence sequence : stimuli_) {
    const auto& what = watched_[sequence].event->what;
    if (const auto* of = std::get_if<ObservableEvent::OfStimulus>(&what)) {
      if (is_meant(of->stimulus, std::optional(stimulus))) record(sequence, now);
      continue;
    }
    const auto& mode = std::get<ObservableEvent::OfMode>(what);
    if (mode.action != EventAction::write || mode.runnable || mode.task) continue;
    for (const ModeSetting& setting : system_.stimuli[stimulus].sets)
      if (is_meant(mode.mode, std::optional(setting.mode))) record(sequence, now);
  }
}

void ConstraintObserver::process(const ProcessChange& change) {
  const auto action = action_of(change.what);
  if (!action) return;
  TaskState& state = tasks_[change.task];
  if (change.unit) state.unit = change.unit;
  if (change.what == ProcessEvent::start) {
    state.job = change.job;
    state.open.clear();
    state.runs.clear();
    state.measured.clear();
    state.whole = true;
    for (IntrusionOf& intrusion : intrusions_) intrusion.judge.begin_job(change.task, change.job);
  }
  const bool leaves =
      change.what == ProcessEvent::preempt || change.what == ProcessEvent::wait || change.what == ProcessEvent::park;
  const bool returns = change.what == ProcessEvent::resume || change.what == ProcessEvent::poll_parking;
  if (change.what == ProcessEvent::terminate) end_job(change.task, change.now);
  if (leaves && !state.open.empty() && !state.open.back().calls && !state.open.back().suspended) {
    state.open.back().suspended = true;
    notify_run(change.task, state.open.back().extent.runnable, EventAction::suspend, change.now);
  }
  for (const Sequence sequence : processes_) {
    const auto& of = std::get<ObservableEvent::OfProcess>(watched_[sequence].event->what);
    if (is_meant(of.task, std::optional(change.task)) && (of.action == EventAction::any || of.action == *action) &&
        is_meant(of.unit, change.unit))
      record(sequence, change.now);
  }
  if (returns && !state.open.empty() && state.open.back().suspended) {
    state.open.back().suspended = false;
    notify_run(change.task, state.open.back().extent.runnable, EventAction::resume, change.now);
  }
}

// ---------------------------------------------------------------- runnables

void ConstraintObserver::notify_run(TaskIndex task, RunnableIndex runnable, EventAction action, Instant now) {
  for (const Sequence sequence : runnables_) {
    const auto& of = std::get<ObservableEvent::OfRunnable>(watched_[sequence].event->what);
    if (is_meant(of.runnable, std::optional(runnable)) && (of.action == EventAction::any || of.action == action) &&
        is_meant(of.task, std::optional(task)) && is_meant(of.unit, tasks_[task].unit))
      record(sequence, now);
  }
}

/// Closes the runs that do not contain this step; all of them for a step after the last one.
void ConstraintObserver::close_runs(TaskIndex task, std::size_t at, Instant now) {
  auto& open = tasks_[task].open;
  while (!open.empty() && (at < open.back().extent.begin || at >= open.back().extent.end)) {
    const RunnableIndex runnable = open.back().extent.runnable;
    open.pop_back();
    notify_run(task, runnable, EventAction::terminate, now);
  }
}

void ConstraintObserver::open_run(TaskIndex task, const RunExtent& extent, Instant now) {
  TaskState& state = tasks_[task];
  OpenRun run{extent, {}};
  if (!state.open.empty() && !state.open.back().calls) {
    state.open.back().calls = true;
    notify_run(task, state.open.back().extent.runnable, EventAction::suspend, now);
  }
  if (state.records_runs) {
    run.index = state.runs.size();
    state.runs.push_back({extent.runnable, now, state.open.empty() ? std::nullopt : state.open.back().index});
  }
  state.open.push_back(run);
  notify_run(task, extent.runnable, EventAction::start, now);
}

void ConstraintObserver::end_job(TaskIndex task, Instant now) {
  TaskState& state = tasks_[task];
  close_runs(task, std::numeric_limits<std::size_t>::max(), now);
  for (IntrusionOf& intrusion : intrusions_) intrusion.judge.end_job(task);
  if (state.records_runs && state.whole)
    for (SequenceOf& sequence : sequences_) {
      const SequenceFinding finding = judge_sequence(*sequence.sequence, task, state.runs);
      if (finding.run)
        sequence.judgement.breaks({state.runs[*finding.run].runnable,
                                   static_cast<std::size_t>(state.job),
                                   state.runs[*finding.run].start,
                                   {},
                                   task});
      else if (finding.applies)
        sequence.judgement.meets();
    }
  state.runs.clear();
  state.whole = false;
}

// ---------------------------------------------------------------- steps

void ConstraintObserver::use(TaskIndex task, std::uint64_t job, const Step& step, LabelIndex label, bool write,
                             Instant now) {
  const LabelUse use{now, task, job, system_.graph[step.node].runnable, label, write};
  for (AgeOf& age : ages_) age.judge.take(use);
  for (IntrusionOf& intrusion : intrusions_)
    if (is_one_of(intrusion.labels, label)) intrusion.judge.take(use);
}

void ConstraintObserver::step_begins(TaskIndex task, std::uint64_t job, std::size_t step, Instant now) {
  if (wants_runs_) {
    close_runs(task, step, now);
    auto& open = tasks_[task].open;
    const StepFacts* here = facts(task, step);
    if (!open.empty() && open.back().calls && (here == nullptr || here->runs.empty())) {
      open.back().calls = false;
      notify_run(task, open.back().extent.runnable, EventAction::resume, now);
    }
    if (here != nullptr)
      for (const RunExtent& extent : here->runs) open_run(task, extent, now);
  }
  const StepFacts* found = facts(task, step);
  if (found == nullptr) return;
  for (const Sequence sequence : found->at_begin) record(sequence, now);
  for (const LabelIndex label : found->reads) use(task, job, (*programs_)[task].steps[step], label, false, now);
}

void ConstraintObserver::step_ends(TaskIndex task, std::uint64_t job, std::size_t step, Instant now) {
  const Step& ended = (*programs_)[task].steps[step];
  if (const StepFacts* found = facts(task, step)) {
    for (const Sequence sequence : found->at_end) record(sequence, now);
    for (const LabelIndex label : found->writes) use(task, job, ended, label, true, now);
  }
  if (wants_runs_) close_runs(task, ended.next, now);
}

// ---------------------------------------------------------------- measured events

void ConstraintObserver::runnable(TaskIndex task, RunnableIndex runnable, EventAction action, Instant now) {
  TaskState& state = tasks_[task];
  if (state.records_runs && action == EventAction::start) {
    const auto caller = state.measured.empty() ? std::nullopt : std::optional(state.measured.back());
    state.measured.push_back(state.runs.size());
    state.runs.push_back({runnable, now, caller});
  } else if (action == EventAction::terminate) {
    const auto found = std::find_if(state.measured.rbegin(), state.measured.rend(),
                                    [&](std::size_t run) { return state.runs[run].runnable == runnable; });
    if (found != state.measured.rend()) state.measured.erase(std::next(found).base());
  }
  notify_run(task, runnable, action, now);
}

void ConstraintObserver::access(const LabelUse& use) {
  for (Sequence sequence = 0; sequence < watched_.size(); ++sequence) {
    const auto* of = std::get_if<ObservableEvent::OfLabel>(&watched_[sequence].event->what);
    if (of == nullptr || of->action == (use.write ? EventAction::read : EventAction::write)) continue;
    if (is_meant(of->label, std::optional(use.label)) && is_meant(of->runnable, use.runnable) &&
        is_meant(of->task, std::optional(use.task)))
      record(sequence, use.at);
  }
  for (AgeOf& age : ages_) age.judge.take(use);
  for (IntrusionOf& intrusion : intrusions_)
    if (is_one_of(intrusion.labels, use.label)) intrusion.judge.take(use);
}

// ---------------------------------------------------------------- results

Occurrences ConstraintObserver::occurrences(std::size_t constraint, std::size_t event) const {
  const auto& instants = watched_[events_[constraint][event]].instants;
  if (!full_from_) return instants;
  return {instants.begin(), std::lower_bound(instants.begin(), instants.end(), *full_from_)};
}

Judgement ConstraintObserver::judgement(std::size_t constraint) const {
  for (const AgeOf& age : ages_)
    if (age.constraint == constraint) return age.judge.judgement();
  for (const IntrusionOf& intrusion : intrusions_)
    if (intrusion.constraint == constraint) return intrusion.judge.judgement();
  for (const SequenceOf& sequence : sequences_)
    if (sequence.constraint == constraint) return sequence.judgement;
  return {};
}

}  // namespace amalthea::engine
