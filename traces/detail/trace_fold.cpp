// SPDX-License-Identifier: Apache-2.0
#include "traces/detail/trace_fold.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"

namespace amalthea::traces {
namespace {

using engine::ProcessEvent;
using engine::ProcessState;
using SubjectKind = Subject::Kind;

constexpr std::size_t max_open_jobs = 100'000;                    ///< of one process, and runs of one job
constexpr std::size_t max_open_memory = std::size_t{256} << 20U;  ///< of all open jobs
constexpr std::size_t arrivals_kept = 8;

bool on_core(ProcessState state) { return state == ProcessState::running || state == ProcessState::polling; }

/// What an event is called, and the state chart of processes in BTF 2.1.5: from where, to where. Both are the same for
/// events that change no state.
struct Change {
  std::string_view verb;
  ProcessState from, to;
};
constexpr std::array<Change, 13> changes{{
    {"is activated", ProcessState::not_active, ProcessState::not_active},
    {"loses an activation", ProcessState::not_active, ProcessState::not_active},
    {"starts", ProcessState::active, ProcessState::running},
    {"is preempted", ProcessState::running, ProcessState::ready},
    {"resumes", ProcessState::ready, ProcessState::running},
    {"waits", ProcessState::running, ProcessState::waiting},
    {"is released", ProcessState::waiting, ProcessState::ready},
    {"begins to poll", ProcessState::running, ProcessState::polling},
    {"ends polling", ProcessState::polling, ProcessState::running},
    {"parks", ProcessState::polling, ProcessState::parking},
    {"polls again", ProcessState::parking, ProcessState::polling},
    {"is released while it parks", ProcessState::parking, ProcessState::ready},
    {"terminates", ProcessState::running, ProcessState::not_active},
}};
const Change& change_of(ProcessEvent event) { return changes[static_cast<std::size_t>(event)]; }
std::string_view verb_of(ProcessEvent event) { return change_of(event).verb; }

std::string_view verb_of(RunnableEvent event) {
  constexpr std::array<std::string_view, 4> verbs{"starts", "is suspended", "resumes", "terminates"};
  return verbs[static_cast<std::size_t>(event)];
}

bool uses_ceilings(const System& system, TaskIndex task) {
  const auto& body = system.tasks[task].body;
  return std::any_of(body.begin(), body.end(), [&](NodeIndex node) {
    const auto* use = std::get_if<UseSemaphore>(&system.graph[node].activity);
    return use != nullptr && system.semaphores[use->semaphore].priority_ceiling;
  });
}

}  // namespace

// ---------------------------------------------------------------- what is expected

Expectations::Expectations(const ComparisonInput& input, const engine::SimulationInput& simulated)
    : simulation(simulated) {
  const System& system = input.system;
  engine::CompileOptions flat = input.analysis.compile;
  flat.flatten_branches = true;
  const auto programs = engine::compile_programs(system, engine::Execution::worst, simulated.devices, flat);
  in_chain.resize(system.tasks.size(), false);
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    const bool known = programs[task].unanalyzable.empty() && system.tasks[task].side == Side::host;
    longest.push_back(known ? std::optional(programs[task].execution) : std::nullopt);
    bounds.push_back(input.bounds != nullptr ? input.bounds->tasks[task].bound.worst : std::nullopt);
    for (const RunnableIndex runnable : simulated.programs[task].runnables) callers.emplace(runnable, task);
    std::map<LabelAccess, std::uint64_t> labels;
    bool straight = true, sleeps = false;
    for (const engine::Step& step : simulated.programs[task].steps) {
      using Kind = engine::StepKind;
      sleeps = sleeps || step.kind == Kind::wait || step.kind == Kind::copy || step.kind == Kind::kernel ||
               step.kind == Kind::request_semaphore;
      straight = straight && step.kind != engine::StepKind::branch && step.kind != engine::StepKind::terminate;
      for (const bool write : {false, true})
        for (const LabelIndex label : engine::labels_of(system, step, write)) ++labels[{label, write}];
    }
    may_sleep.push_back(sleeps);
    accesses.push_back(straight ? std::optional(std::move(labels)) : std::nullopt);
  }
  for (const Operation& operation : input.directory.operations) {
    operation_bounds.emplace_back();
    if (input.bounds == nullptr) continue;
    for (const engine::OperationResult& result : input.bounds->operations)
      if (result.node == operation.node) operation_bounds.back() = result.bound.worst;
  }
  for (const Stimulus& stimulus : system.stimuli) arrivals.push_back(engine::arrival_bound(stimulus));
  const auto mark = [&](const std::vector<TaskIndex>& tasks) {
    for (const TaskIndex task : tasks) in_chain[task] = true;
  };
  for (const Chain& chain : system.chains) mark(chain.tasks);
  for (const Requirement& requirement : system.requirements)
    if (const auto* chain = std::get_if<Requirement::OfChain>(&requirement.subject)) mark(chain->tasks);
}

// ---------------------------------------------------------------- entities

TraceFold::TraceFold(const ComparisonInput& input, const Expectations& expected, Comparison& comparison,
                     TraceFindings& findings, engine::SimulationObserver* observer)
    : input_(input),
      system_(input.system),
      expected_(expected),
      comparison_(comparison),
      findings_(findings),
      shown_(observer),
      observer_(input.system),
      busy_(input.system.platform.units.size()) {
  observer_.begins(expected.simulation);
  results_.tasks.resize(system_.tasks.size());
  results_.accesses.resize(system_.tasks.size());
  occurring_.resize(system_.stimuli.size());
  stimuli_of_.resize(system_.tasks.size());
  for (StimulusIndex stimulus = 0; stimulus < system_.stimuli.size(); ++stimulus)
    for (const TaskIndex task : system_.stimuli[stimulus].activates) stimuli_of_[task].push_back(stimulus);
}

/// The kernel of a runnable that has one.
Subject TraceFold::kernel_of(Subject subject) const {
  if (subject.kind != SubjectKind::runnable) return subject;
  Subject kernel = subject;
  for (std::uint32_t index = 0; index < input_.directory.operations.size(); ++index) {
    const GraphNode& node = system_.graph[input_.directory.operations[index].node];
    if (node.runnable != subject.index || !std::holds_alternative<amalthea::Kernel>(node.activity)) continue;
    if (kernel.kind == SubjectKind::operation) return subject;
    kernel = {SubjectKind::operation, index};
  }
  return kernel;
}

void TraceFold::entity(const Entity& entity) {
  const auto find = [&](const std::string& name) {
    const std::string& known = input_.rules.apply(name);
    const Subject found = input_.directory.find(entity.kind, known);
    if (found.kind != SubjectKind::unknown || entity.kind != EntityKind::process) return found;
    return kernel_of(input_.directory.find(EntityKind::runnable, known));
  };
  Subject subject = find(entity.name);
  constexpr std::string_view of_blocks = "/block";
  if (std::string_view(entity.name).ends_with(of_blocks)) {
    const Subject kernel = find(entity.name.substr(0, entity.name.size() - of_blocks.size()));
    if (kernel.kind == SubjectKind::operation) subject = {SubjectKind::block, kernel.index};
  }
  entities_.push_back(entity);
  subjects_.push_back(subject);
  counts_.push_back(0);
  processes_.emplace_back();
  cores_.emplace_back();
  sources_.emplace_back();
}

std::string TraceFold::job_text(EntityIndex process, std::uint64_t instance) const {
  return fmt::format("job {} of {}", instance, name(process));
}

bool TraceFold::is_measured(Instant activation) const {
  return (!input_.from || activation >= *input_.from) && (!input_.until || activation < *input_.until);
}

MeasuredRunnable& TraceFold::measured(TaskIndex task, RunnableIndex runnable) {
  auto& all = comparison_.runnables;
  const auto at = std::lower_bound(all.begin(), all.end(), std::pair(task, runnable),
                                   [](const MeasuredRunnable& one, const std::pair<TaskIndex, RunnableIndex>& wanted) {
                                     return std::pair(one.task, one.runnable) < wanted;
                                   });
  if (at != all.end() && at->task == task && at->runnable == runnable) return *at;
  MeasuredRunnable added;
  added.task = task;
  added.runnable = runnable;
  return *all.insert(at, std::move(added));
}

// ---------------------------------------------------------------- events

void TraceFold::problem(const Problem& problem) {
  truncated_ = truncated_ || problem.kind == Problem::Kind::truncated;
  findings_.add(problem);
}

void TraceFold::event(const Event& event) {
  ++counts_[event.target];
  if (event.source != no_entity) ++counts_[event.source];
  if (!begun_) begin_ = event.time;
  begun_ = true;
  if (event.time < now_ && event.what != Event::What::execution)  // those are listed as they end, or by kind
    report(TraceFinding::time_goes_back, event,
           fmt::format("the event at {} follows one at {}; expected times that do not decrease",
                       format_duration(event.time.since_start()), format_duration(now_.since_start())));
  now_ = std::max(now_, event.time);
  switch (event.what) {
    case Event::What::process:
      return process(event);
    case Event::What::runnable:
      return runnable(event);
    case Event::What::trigger:
      return trigger(event);
    case Event::What::access:
      return access(event);
    case Event::What::interval:
      return interval(event);
    case Event::What::execution:
      return execution(event);
    case Event::What::forget:
      return forget(event);
  }
}

void TraceFold::illegal(const Event& event, std::string_view what, std::string_view state, EntityIndex process,
                        std::uint64_t instance) {
  report(TraceFinding::illegal_event, event,
         fmt::format("{} {}, but it {}; an event before it is missing, or this one is wrong",
                     job_text(process, instance), what, state));
}

void TraceFold::check_bound(const Event& event, const std::string& who, std::string_view takes, Duration time,
                            std::optional<Duration> bound) {
  if (bound && time > *bound + resolution_)
    report(TraceFinding::above_bound, event,
           fmt::format("{} {}, above its bound of {}; the model or the measurement is wrong", who,
                       fmt::format(fmt::runtime(takes), format_duration(time)), format_duration(*bound)));
}

void TraceFold::notify(const Event& event, const Job& job) {
  const Subject& subject = subjects_[event.target];
  if (subject.kind != SubjectKind::task) return;
  engine::ProcessChange change;
  change.task = subject.index;
  change.job = job.instance;
  change.what = event.process;
  change.now = event.time;
  if (event.source != no_entity) {
    const Subject& source = subjects_[event.source];
    if (source.kind == SubjectKind::core) change.unit = source.index;
    if (source.kind == SubjectKind::device_core) change.unit = system_.tasks[subject.index].unit;
    if (source.kind == SubjectKind::stimulus) change.stimulus = source.index;
  }
  observer_.process(change);
}

// ---------------------------------------------------------------- processes

Job& TraceFold::add_job(EntityIndex process, Job job) {
  const OpenJobs& jobs = processes_[process].jobs;
  const bool full = jobs.size() >= max_open_jobs || open_memory_ >= max_open_memory;
  if (full && jobs.size() > 0) remove_job(process, *jobs.oldest());
  open_memory_ += job.memory();
  return processes_[process].jobs.add(std::move(job));
}

void TraceFold::remove_job(EntityIndex process, const Job& job) {
  open_memory_ -= job.memory();
  processes_[process].jobs.remove(job);
}

bool TraceFold::may_keep(Job& job, std::size_t memory) {
  const bool may = open_memory_ < max_open_memory;
  if (may) open_memory_ += memory;
  job.whole = job.whole && may;
  return may;
}

void TraceFold::forget(const Event& event) {
  processes_[event.target].before.reset();
  const Job* job = open_job(event.target, event.instance);
  if (job == nullptr) return;
  if (job->core != no_entity && on_core(job->state)) cores_[job->core].process = no_entity;
  remove_job(event.target, *job);
}

/// The job of an event; a new one, with a finding, if the trace has no activation of it.
Job& TraceFold::job_of(const Event& event, std::optional<State> needed) {
  if (Job* job = open_job(event.target, event.instance)) return *job;
  report(TraceFinding::no_activation, event,
         fmt::format("{} {}, but the trace has no activation of it", job_text(event.target, event.instance),
                     event.what == Event::What::interval ? "is listed" : verb_of(event.process)));
  Job job;
  job.instance = event.instance;
  job.whole = false;
  job.state = needed.value_or(State::active);
  job.since = event.what == Event::What::interval ? event.from : event.time;
  job.activation = job.since;
  job.measured = is_measured(job.activation);
  if (on_core(job.state)) job.core = event.source;
  return add_job(event.target, std::move(job));
}

std::optional<RunnableIndex> TraceFold::runnable_of(const Run* run) const {
  if (run == nullptr || subjects_[run->runnable].kind != SubjectKind::runnable) return std::nullopt;
  return subjects_[run->runnable].index;
}

void TraceFold::account(EntityIndex process, Job& job, Instant now) {
  if (now <= job.since) return;
  const Duration passed = now - job.since;
  Run* run = job.runs.innermost();
  show(process, job, job.since, now, runnable_of(run));
  job.in[static_cast<std::size_t>(job.state)] += passed;
  job.since = now;
  if (job.state == State::running && run != nullptr) run->net += passed;
}

/// Some activity of the runnable in that task.
std::optional<NodeIndex> TraceFold::node_of(TaskIndex task, RunnableIndex runnable) {
  const auto [found, added] = nodes_.try_emplace({task, runnable});
  if (!added) return found->second;
  for (const NodeIndex node : system_.tasks[task].body)
    if (!found->second && system_.graph[node].runnable == runnable) found->second = node;
  return found->second;
}

/// To the observer, as the oldest job of its task; a device task does what its operations do.
void TraceFold::show(EntityIndex process, const Job& job, Instant from, Instant to,
                     std::optional<RunnableIndex> runnable) {
  if (shown_ == nullptr) return;
  const Subject subject = subjects_[process];
  engine::Interval interval;
  interval.standing.state = job.state;
  interval.job = job.instance;
  interval.release = job.activation;
  if (subject.kind == SubjectKind::operation) {
    if (job.state != State::running) return;
    const Operation& operation = input_.directory.operations[subject.index];
    interval.task = operation.task;
    interval.job = job.submitter;
    interval.node = operation.node;
    interval.unit = system_.tasks[operation.task].unit;
    Instant& shown = shown_operations_[operation.task];
    from = std::max(from, shown);
    shown = std::max(shown, to);
  } else if (subject.kind == SubjectKind::task) {
    const Task& task = system_.tasks[subject.index];
    const Job* oldest = processes_[process].jobs.oldest();
    if (task.side == Side::device || oldest == nullptr || oldest->instance != job.instance) return;
    interval.task = subject.index;
    if (on_core(job.state) && job.core != no_entity && subjects_[job.core].kind == SubjectKind::core)
      interval.unit = subjects_[job.core].index;
    if (runnable) interval.node = node_of(subject.index, *runnable);
    interval.standing.reason.kind = job.state == State::waiting || job.state == State::polling
                                        ? engine::ContributionKind::event
                                        : engine::ContributionKind::preemption;
    if (job.state == State::running) interval.standing.reason.kind = engine::ContributionKind::execution;
    const EntityIndex core = job.state == State::ready || job.state == State::parking ? job.core : no_entity;
    if (core != no_entity && cores_[core].process != no_entity && cores_[core].process != process &&
        subjects_[cores_[core].process].kind == SubjectKind::task)
      interval.standing.reason.by = subjects_[cores_[core].process].index;
    Instant& shown = processes_[process].shown;
    from = std::max(from, shown);
    shown = std::max(shown, to);
  } else {
    return;
  }
  interval.from = from;
  interval.to = to;
  if (from < to) shown_->interval(interval);
}

void TraceFold::occurs(StimulusIndex stimulus, std::uint64_t number, Instant now) {
  if (!is_measured(now)) return;
  Occurring& occurring = occurring_[stimulus];
  if (occurring.last && now >= *occurring.last) comparison_.stimuli[stimulus].distance.add(now - *occurring.last);
  occurring.last = now;
  occurring.occurrences.add(number, now);
}

void TraceFold::activate(const Event& event) {
  const Subject subject = subjects_[event.target];
  const bool whole = !event.woken || subject.kind != SubjectKind::task || check_waking(event, subject.index);
  if (event.unseen && whole)
    report(TraceFinding::no_activation, event,
           fmt::format("{} starts, but the trace has no activation of it", job_text(event.target, event.instance)));
  if (subject.kind == SubjectKind::task && !event.unseen && whole) {
    const auto& by = stimuli_of_[subject.index];
    const bool named = event.source != no_entity && subjects_[event.source].kind == SubjectKind::stimulus;
    if (named || by.size() == 1) {
      const StimulusIndex stimulus = named ? subjects_[event.source].index : by.front();
      const auto& activates = system_.stimuli[stimulus].activates;
      if (!occurring_[stimulus].triggers && !activates.empty() && activates.front() == subject.index)
        occurs(stimulus, named ? event.source_instance : event.instance, event.time);
    }
  }
  if (event.source == no_entity) has_sources_ = false;
  if (event.source != no_entity) {
    Source& source = sources_[event.source];
    const Subject by = subjects_[event.source];
    std::erase(source.awaited, subject.index);
    if (source.last && event.source_instance > *source.last)
      report(TraceFinding::stimulus, event,
             fmt::format("occurrence {} of {} activates {}, but the trace does not contain it", event.source_instance,
                         name(event.source), name(event.target)));
    if (!source.last && !source.untriggered) {
      source.untriggered = event.source_instance;
      source.untriggered_at = event.place;
    }
    if (by.kind == SubjectKind::stimulus && subject.kind == SubjectKind::task)
      check_arrival(event, by.index, source.activations[event.target]);
  }
  MeasuredTask* task = subject.kind == SubjectKind::task ? &comparison_.tasks[subject.index] : nullptr;
  if (event.process == ProcessEvent::mta_limit_exceeded) {
    if (task != nullptr && is_measured(event.time)) ++task->lost;
    return;
  }
  if (task != nullptr && is_measured(event.time) && whole) ++task->activations;
  if (open_job(event.target, event.instance) != nullptr)
    illegal(event, "is activated", "has already been activated", event.target, event.instance);
  Job job;
  job.instance = event.instance;
  job.activation = job.since = event.time;
  job.measured = is_measured(event.time);
  if (subject.kind != SubjectKind::task && event.source != no_entity)
    job.measured = sources_[event.source].measured.value_or(job.measured), job.submitter = sources_[event.source].by;
  job.unseen = event.unseen;
  job.whole = whole;
  const Job& added = add_job(event.target, std::move(job));
  if (!event.unseen && whole) notify(event, added);
}

void TraceFold::process(const Event& event) {
  const Change& change = change_of(event.process);
  if (change.from == change.to) return activate(event);
  Job& job = job_of(event, change.from);
  if (event.at_end) return;  // still open where the trace ends
  const bool any_state = event.source == no_entity && event.process == ProcessEvent::terminate;  // CSV
  if (job.state != change.from && !any_state)
    illegal(event, verb_of(event.process), fmt::format("is {}", engine::to_string(job.state)), event.target,
            event.instance);
  account(event.target, job, event.time);
  ++job.changes;
  const bool had = on_core(job.state), has = on_core(change.to);
  if (had && event.source != no_entity && job.core != event.source)
    illegal(event, fmt::format("{} on {}", verb_of(event.process), name(event.source)),
            job.core == no_entity ? "runs elsewhere" : fmt::format("runs on {}", name(job.core)), event.target,
            event.instance);
  if (had && !has) leave_core(job, event);
  if (job.last_suspended != nullptr && job.last_suspended->suspended == event.time)
    job.last_suspended->with_process = true;
  job.last_suspended = nullptr;
  if (!had && has) take_core(job, event);
  if (event.process == ProcessEvent::start) job.start = event.time;
  if (event.process == ProcessEvent::preempt || event.process == ProcessEvent::park)
    count(event.target, job, &engine::ProcessMetrics::preemptions);
  job.state = change.to;
  notify(event, job);
  if (event.process == ProcessEvent::terminate) end_job(job, event);
}

void TraceFold::count(EntityIndex process, const Job& job, std::uint64_t engine::ProcessMetrics::*what) {
  if (subjects_[process].kind == SubjectKind::task && is_measured(job.activation))
    ++(comparison_.tasks[subjects_[process].index].metrics.*what);
}

// ---------------------------------------------------------------- cores

/// Within the measured time.
void TraceFold::occupy(UnitIndex unit, Instant from, Instant to) {
  from = std::max(from, input_.from.value_or(from));
  to = std::min(to, input_.until.value_or(to));
  if (from < to) busy_[unit] += to - from;
}

/// The core that the process has now, which it may have moved to.
void TraceFold::move_to(Job& job, const Event& event) {
  EntityIndex& last = processes_[event.target].last_core;
  if (last != no_entity && last != event.source) count(event.target, job, &engine::ProcessMetrics::migrations);
  last = job.core = event.source;
}

void TraceFold::leave_core(const Job& job, const Event& event) {
  if (job.core == no_entity) return;
  Core& core = cores_[job.core];
  if (core.process != event.target || core.instance != event.instance) return;
  core.process = no_entity;
  if (subjects_[job.core].kind == SubjectKind::core) occupy(subjects_[job.core].index, core.since, event.time);
  if (event.process != ProcessEvent::preempt) return;
  core.preempted = event.target;
  core.preempted_at = event.time;
}

void TraceFold::take_core(Job& job, const Event& event) {
  if (event.source == no_entity) return;
  move_to(job, event);
  Core& core = cores_[event.source];
  if (core.process != no_entity)
    report(TraceFinding::busy_core, event,
           fmt::format("{} {} on {}, where {} still runs{}", job_text(event.target, event.instance),
                       verb_of(event.process), name(event.source), job_text(core.process, core.instance),
                       core.place.line > 0 && core.place.table == 0 ? fmt::format(" since line {}", core.place.line)
                                                                    : std::string()));
  check_core(event);
  if (core.preempted != no_entity) check_urgency(event, core);
  core.preempted = no_entity;
  core.process = event.target;
  core.instance = event.instance;
  core.since = event.time;
  core.place = event.place;
}

void TraceFold::check_core(const Event& event) {
  const Subject &process = subjects_[event.target], &core = subjects_[event.source];
  const bool on_device = core.kind == SubjectKind::device_core;
  if (process.kind != SubjectKind::task || (core.kind != SubjectKind::core && !on_device)) return;
  const Task& task = system_.tasks[process.index];
  if (on_device && task.side == Side::device) return;
  const bool mapped = on_device ? false
                      : task.units.empty()
                          ? task.unit == core.index
                          : std::find(task.units.begin(), task.units.end(), core.index) != task.units.end();
  if (!mapped)
    report(TraceFinding::foreign_core, event,
           fmt::format("{} runs on {}, but the model maps it to {}", name(event.target), name(event.source),
                       system_.platform.units[task.unit].name));
}

/// Only where nothing but the priority decides: one scheduler with fixed priorities on one core, no ceilings.
void TraceFold::check_urgency(const Event& event, const Core& core) {
  const Subject &comes = subjects_[event.target], &goes = subjects_[core.preempted];
  if (core.preempted_at != event.time || comes.kind != SubjectKind::task || goes.kind != SubjectKind::task) return;
  const Task &next = system_.tasks[comes.index], &last = system_.tasks[goes.index];
  if (next.kind != ProcessKind::task || last.kind != ProcessKind::task || next.scheduler != last.scheduler) return;
  const Scheduler& scheduler = system_.platform.schedulers[next.scheduler];
  const bool fixed = has_fixed_priorities(scheduler.kind) && !traits_of(scheduler.kind).takes_turns;
  if (!fixed || scheduler.units.size() != 1 || next.priority >= last.priority) return;
  // A more urgent cooperative task may wait until it has come to its next schedule point.
  if (next.preemption != Preemption::preemptive) return;
  if (uses_ceilings(system_, comes.index) || uses_ceilings(system_, goes.index)) return;
  report(TraceFinding::less_urgent, event,
         fmt::format("{} of priority {} preempts {} of priority {} on {}", name(event.target), next.priority,
                     name(core.preempted), last.priority, name(event.source)));
}

// ---------------------------------------------------------------- runnables and labels

void TraceFold::runnable(const Event& event) {
  if (event.source == no_entity) return;
  Job* job = open_job(event.source, event.source_instance);
  const auto complain = [&](std::string_view why) {
    report(
        TraceFinding::illegal_event, event,
        fmt::format("runnable {} {} in {}, but {}; an event before it is missing, or this one is wrong",
                    name(event.target), verb_of(event.runnable), job_text(event.source, event.source_instance), why));
  };
  if (job == nullptr) return complain("that job has not been activated, or has ended");
  if (!on_core(job->state) && event.runnable != RunnableEvent::suspend)
    complain(fmt::format("the job is {}", engine::to_string(job->state)));
  account(event.source, *job, event.time);
  job->last_suspended = nullptr;
  const Subject &task = subjects_[event.source], &subject = subjects_[event.target];
  const bool known = task.kind == SubjectKind::task && subject.kind == SubjectKind::runnable;
  Run* run = job->runs.find(event.target, event.instance);
  if (event.runnable == RunnableEvent::start) {
    if (run != nullptr) complain("it has already started");
    if (known && !expected_.callers.contains({subject.index, task.index}))
      report(TraceFinding::foreign_runnable, event,
             fmt::format("runnable {} runs in {}, which does not call it in the model", name(event.target),
                         name(event.source)));
    if (job->runs.size() < max_open_jobs && may_keep(*job, Job::run_memory))
      job->runs.add({event.target, event.instance, event.time, true, {}, {}, false, {}, 0});
  } else if (run == nullptr) {
    complain("it has not started");
    return;
  } else if (event.runnable == RunnableEvent::resume) {
    if (run->running) complain("it is already running");
    job->runs.set_running(*run, true);
    run->resumed = event.time;
  } else {
    if (!run->running) complain("it is suspended");
    if (event.runnable == RunnableEvent::suspend) {
      job->runs.set_running(*run, false);
      run->suspended = event.time;
      run->with_process = false;
      job->last_suspended = run;
    } else {
      if (known) end_run(*job, *run, task.index, event);
      job->runs.remove(*run);
      open_memory_ -= Job::run_memory;
    }
  }
  if (!known) return;
  constexpr std::array actions{EventAction::start, EventAction::suspend, EventAction::resume, EventAction::terminate};
  observer_.runnable(task.index, subject.index, actions[static_cast<std::size_t>(event.runnable)], event.time);
}

void TraceFold::end_run(Job& job, Run& run, TaskIndex task, const Event& event) {
  // A runnable that might have continued behind a branch, and did not, is only resumed to terminate.
  const bool branches = !expected_.accesses[task];
  const bool only_ends =
      run.suspended && run.resumed == event.time && (event.ended_before || (branches && !run.with_process));
  const Instant end = only_ends ? *run.suspended : event.time;
  const RunnableIndex index = subjects_[run.runnable].index;
  const auto extent = job.extents.find(index);
  if (extent != job.extents.end())
    extent->second.second = std::max(extent->second.second, end);
  else if (may_keep(job, Job::entry_memory))
    job.extents.emplace(index, std::pair(run.start, end));
  if (!is_measured(job.activation)) return;
  MeasuredRunnable& of = measured(task, index);
  ++of.runs;
  of.execution.add(run.net);
}

void TraceFold::access(const Event& event) {
  if (event.source == no_entity) return;
  const Subject &process = subjects_[event.source], &label = subjects_[event.target];
  Job* job = open_job(event.source, event.source_instance);
  if (job == nullptr) {
    report(TraceFinding::illegal_event, event,
           fmt::format("{} {} label {}, but that job has not been activated, or has ended",
                       job_text(event.source, event.source_instance), event.writes ? "writes" : "reads",
                       name(event.target)));
    return;
  }
  if (process.kind != SubjectKind::task || label.kind != SubjectKind::label) return;
  const LabelAccess access{label.index, event.writes};
  if (job->accesses.contains(access) || may_keep(*job, Job::entry_memory)) ++job->accesses[access];
  observer_.access(
      {event.time, process.index, job->instance, runnable_of(job->runs.innermost()), label.index, event.writes});
}

void TraceFold::check_accesses(Process& process, const Job& job, TaskIndex task, const Event& event) {
  if (!expected_.accesses[task] || !job.whole) return;
  const auto complain = [&](const LabelAccess& access, std::uint64_t instance, std::uint64_t count, Place place) {
    findings_.add(TraceFinding::access, place,
                  fmt::format("{} {} label {} {} times; by the model every job does it {} times",
                              job_text(event.target, instance), access.second ? "writes" : "reads",
                              system_.labels[access.first].name, count, expected_.accesses[task]->at(access)));
  };
  for (const auto& [access, wanted] : *expected_.accesses[task]) {
    const auto found = job.accesses.find(access);
    const std::uint64_t count = found == job.accesses.end() ? 0 : found->second;
    bool& seen = process.seen[access];
    const auto unseen = process.unseen.find(access);
    if (count > 0 && !seen && unseen != process.unseen.end())
      complain(access, unseen->second.first, 0, unseen->second.second);
    if (count < wanted && (count > 0 || seen)) complain(access, job.instance, count, event.place);
    // A trace may leave accesses out as a whole.
    if (count == 0 && !seen && unseen == process.unseen.end())
      process.unseen.emplace(access, std::pair(job.instance, event.place));
    seen = seen || count > 0;
  }
}

// ---------------------------------------------------------------- stimuli

void TraceFold::report_awaited(EntityIndex entity) {
  const Source& source = sources_[entity];
  const bool is_stimulus = subjects_[entity].kind == SubjectKind::stimulus;
  if (!has_sources_) return;
  for (const std::uint32_t missing : source.awaited)
    findings_.add(TraceFinding::stimulus, source.place,
                  fmt::format("{} occurs, but does not activate {}", name(entity),
                              is_stimulus ? system_.tasks[missing].name
                                          : system_.graph[input_.directory.operations[missing].node].name));
}

void TraceFold::report_untriggered(EntityIndex entity) {
  const Source& source = sources_[entity];
  if (!source.last && source.untriggered)
    findings_.add(TraceFinding::stimulus, source.untriggered_at,
                  fmt::format("occurrence {} of {} activates a process, but the trace does not contain it",
                              *source.untriggered, name(entity)));
}

void TraceFold::trigger(const Event& event) {
  any_trigger_ = true;
  Source& source = sources_[event.target];
  const Subject subject = subjects_[event.target];
  report_awaited(event.target);
  source.awaited.clear();
  const bool numbered = !source.last || *source.last > 0 || event.instance > 0;
  if (source.last && numbered && event.instance != *source.last + 1)
    report(TraceFinding::stimulus, event,
           fmt::format("occurrence {} of {} follows occurrence {}; expected {}", event.instance, name(event.target),
                       *source.last, *source.last + 1));
  report_untriggered(event.target);
  if (event.source != no_entity)
    if (const Job* job = open_job(event.source, event.source_instance))
      source.measured = job->measured, source.by = job->instance;
  source.last = event.instance;
  source.at = event.time;
  source.place = event.place;
  if (subject.kind == SubjectKind::submission) source.awaited.push_back(subject.index);
  if (subject.kind != SubjectKind::stimulus) return;
  observer_.occurred(subject.index, std::nullopt, event.time);
  occurring_[subject.index].triggers = true;
  occurs(subject.index, event.instance, event.time);
  const amalthea::Stimulus& stimulus = system_.stimuli[subject.index];
  if (stimulus.counter.prescaler != 1 || stimulus.counter.offset != 0 || stimulus.condition) return;
  for (const TaskIndex task : stimulus.activates)
    if (!system_.tasks[task].folded_into) source.awaited.push_back(task);
}

void TraceFold::check_arrival(const Event& event, StimulusIndex stimulus, std::deque<Instant>& last) {
  const auto& bound = expected_.arrivals[stimulus];
  if (!bound) return;
  std::int64_t count = 1;
  for (auto at = last.rbegin(); at != last.rend(); ++at) {
    ++count;
    if (event.time < *at || engine::max_arrivals(*bound, event.time - *at + resolution_) >= count) continue;
    report(TraceFinding::early_activation, event,
           fmt::format("{} activates {} {} times within {}, more often than the model allows",
                       event.source == no_entity ? system_.stimuli[stimulus].name : name(event.source),
                       name(event.target), count, format_duration(event.time - *at)));
    break;
  }
  last.push_back(event.time);
  if (last.size() > arrivals_kept) last.pop_front();
}

bool TraceFold::check_waking(const Event& event, TaskIndex task) {
  if (expected_.may_sleep[task]) {
    report(TraceFinding::no_activation, event,
           fmt::format("{} is woken, but by the model it may also sleep within a job; nothing tells where jobs begin",
                       job_text(event.target, event.instance)));
    return false;
  }
  if (!event.unseen && stimuli_of_[task].size() == 1)
    check_arrival(event, stimuli_of_[task].front(), sources_[event.target].activations[event.target]);
  return true;
}

// ---------------------------------------------------------------- intervals and executions

void TraceFold::interval(const Event& event) {
  has_intervals_ = true;
  Job& job = job_of(event, std::nullopt);
  if (job.changes > 0 && job.since != event.from)
    report(TraceFinding::illegal_event, event,
           fmt::format("the interval of {} begins at {}, but the one before ends at {}; an interval is missing",
                       job_text(event.target, event.instance), format_duration(event.from.since_start()),
                       format_duration(job.since.since_start())));
  const bool had = on_core(job.state), has = on_core(event.state);
  ++job.changes;
  job.in[static_cast<std::size_t>(event.state)] += event.time - event.from;
  if (has && !job.start) job.start = event.from;
  if (had && (event.state == State::ready || event.state == State::parking))
    count(event.target, job, &engine::ProcessMetrics::preemptions);
  job.state = event.state;
  job.core = has ? event.source : job.core;
  job.since = event.time;
  show(event.target, job, event.from, event.time, std::nullopt);
  if (!has || event.source == no_entity) return;
  move_to(job, event);
  check_core(event);
  const Subject& unit = subjects_[event.source];
  if (unit.kind != SubjectKind::core) return;
  Core& core = cores_[event.source];  // `since` is the end of its last interval
  if (core.process != no_entity && core.process != event.target && event.from < core.since)
    report(TraceFinding::busy_core, event,
           fmt::format("{} has {} from {}, where {} runs until {}", job_text(event.target, event.instance),
                       name(event.source), format_duration(event.from.since_start()),
                       job_text(core.process, core.instance), format_duration(core.since.since_start())));
  core.process = event.target;
  core.instance = event.instance;
  core.since = std::max(core.since, event.time);
  occupy(unit.index, event.from, event.time);
}

void TraceFold::execution(const Event& event) {
  const Instant asked = event.has_submission ? event.submission : event.from;
  if (event.from > event.time || !is_measured(asked)) return;
  const Duration execution = event.time - event.from;
  const Subject& subject = subjects_[event.target];
  if (subject.kind == SubjectKind::operation) {
    MeasuredOperation& operation = comparison_.operations[subject.index];
    Job job;
    job.submitter = operation.execution.count();
    job.state = State::running;
    job.activation = asked;
    show(event.target, job, event.from, event.time, std::nullopt);
    operation.execution.add(execution);
    if (!event.has_submission || event.time < event.submission) return;
    operation.duration.add(event.time - event.submission);
    check_bound(event, name(event.target), "takes {} from its submission", event.time - event.submission,
                expected_.operation_bounds[subject.index]);
  } else if (subject.kind == SubjectKind::block) {
    comparison_.operations[subject.index].block.add(execution);
  } else if (subject.kind == SubjectKind::task) {
    comparison_.tasks[subject.index].execution.add(execution);
  } else if (subject.kind == SubjectKind::runnable) {
    const auto caller = expected_.callers.lower_bound({subject.index, 0});
    if (caller == expected_.callers.end() || caller->first != subject.index) return;
    MeasuredRunnable& of = measured(caller->second, subject.index);
    ++of.runs;
    of.execution.add(execution);
  }
}

}  // namespace amalthea::traces
