// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/simulation.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <utility>

#include "engine/cpu/core_scheduling.hpp"
#include "engine/devices/makers.hpp"
#include "engine/gpu/contexts.hpp"
#include "engine/program/arrivals.hpp"
#include "engine/simulation/job_account.hpp"
#include "engine/simulation/semaphores.hpp"

namespace amalthea::engine {
namespace {

struct TaskState {
  bool active = false;                        ///< a job has begun
  Instant release;                            ///< of that job
  std::deque<Instant> backlog;                ///< releases that wait for it
  std::size_t step = 0;                       ///< next or present step
  Duration remaining;                         ///< of the present execute step
  Duration work;                              ///< of the present step, in this job
  RandomStream random{0, 0, 0, 0};            ///< of this job's execution times
  bool waiting = false;                       ///< in a wait that is not satisfied
  bool parked = false;                        ///< waits for a semaphore
  bool granted = false;                       ///< has been given the semaphore it waited for
  bool at_point = false;                      ///< cooperative: the present step begins where it may be left
  std::uint64_t job = 0;                      ///< number of the present job, then of the next one
  std::optional<gpu::OperationId> operation;  ///< submitted and not completed
  Instant submitted;                          ///< when it was
  std::vector<bool> events;                   ///< set for this task
  gpu::StreamIndex stream = 0;                ///< of a device task
  JobAccount account;
  std::optional<Instant> started;                                   ///< when the job first ran, or submitted something
  std::optional<Instant> release_before, start_before, end_before;  ///< of the job before
  std::optional<std::size_t> core;                                  ///< where it ran last
  RandomStream chance{0, 0, 0, 0};                                  ///< of this job's branches
  std::optional<UnitIndex> shown_unit;                              ///< what the observer is told next
  std::optional<NodeIndex> shown_node;
  ProcessState shown_state = ProcessState::not_active;  ///< as the observer knows it by the events it was told
  bool shown_step = false;                              ///< the observer knows that the present step has begun
  ProcessState shown_operation = ProcessState::active;  ///< as the observer knows the operation: active, running, ready
  std::uint64_t activated = 0;                          ///< jobs, started or not
  std::vector<std::int64_t> taken;                      ///< per step: how often the branch was come to
  bool in_chain = false;                                ///< its jobs' accesses are recorded

  std::vector<Instant> runnable_start;  ///< of this job, per Program::runnables
  std::vector<Instant> runnable_end;
  std::vector<bool> runnable_seen;

  // Observations.
  std::vector<Duration> responses;
  Duration worst;
  std::vector<std::vector<Duration>> runnable_durations;   ///< per Program::runnables
  std::vector<std::vector<Duration>> operation_durations;  ///< per step
  std::vector<JobAccess> accesses;                         ///< of every ended job
  ProcessMetrics metrics;
};

struct Core {
  std::optional<TaskIndex> running;
  bool polling = false;            ///< the running task waits actively
  Instant since;                   ///< start of the present run
  Instant end = Instant::never();  ///< of the present execute step
  Duration busy;
};

struct Device {
  UnitIndex unit = 0;
  std::unique_ptr<gpu::Device> gpu;
  std::vector<TaskIndex> task_of_operation;
  std::vector<gpu::EngineSlice> slices;     ///< not yet told to the observer
  std::vector<gpu::BlockStep> block_steps;  ///< the same
};

struct Release {
  Instant at;
  StimulusIndex stimulus = 0;
  friend bool operator>(const Release& a, const Release& b) {
    return a.at != b.at ? a.at > b.at : a.stimulus > b.stimulus;
  }
};

gpu::StreamOperationKind operation_kind(CopyKind kind) {
  switch (kind) {
    case CopyKind::host_to_device:
      return gpu::StreamOperationKind::host_to_device;
    case CopyKind::device_to_host:
      return gpu::StreamOperationKind::device_to_host;
    case CopyKind::memset:
      return gpu::StreamOperationKind::memset;
  }
  return gpu::StreamOperationKind::host_to_device;
}

/// What random numbers are drawn for, so that one does not disturb the other.
constexpr std::uint64_t random_branch = 0x6272616e6368;  // "branch"

/// What happened to the cores of a domain at one instant.
enum class Touched : std::uint8_t {
  no,
  step,    ///< who runs went on to another step
  runner,  ///< others run, or wait to
};

/// Thrown when time no longer advances, or too slowly to reach the end.
struct Stuck {};

/// Activities at one instant; more means that tasks without execution time activate each other in a circle.
constexpr std::uint64_t max_steps_per_instant = 1'000'000;

class Simulator {
 public:
  explicit Simulator(const SimulationInput& input)
      : input_(input),
        watched_intervals_(input.observer != nullptr && input.observer->wants_intervals()),
        watcher_(input.observer != nullptr && input.observer->wants_events() ? input.observer : nullptr),
        system_(input.system),
        tasks_(input.system.tasks.size()),
        cpu_(input.system, input.periods),
        semaphores_(input.system, cpu_.urgency()),
        cores_(cpu_.cores()),
        touched_(cpu_.domains(), Touched::no),
        counted_(input.system.stimuli.size()),
        lost_(tasks_.size()),
        worst_release_(tasks_.size()),
        worst_parts_(tasks_.size()) {
    for (const Mode& mode : system_.modes) modes_.push_back(mode.initial);
    build_devices();
    build_tasks();
    for (StimulusIndex stimulus = 0; stimulus < system_.stimuli.size(); ++stimulus) {
      arrivals_.emplace_back(system_.stimuli[stimulus],
                             ArrivalOptions{pattern_for(input_.execution), input_.seed, stimulus});
      if (!system_.stimuli[stimulus].activates.empty() || !system_.stimuli[stimulus].sets.empty()) await_next(stimulus);
    }
  }

  void run(Results& results) {
    if (input_.observer != nullptr) input_.observer->begins(input_);
    results.horizon = input_.until;
    const Instant end = Instant::at(input_.until), last = end + input_.grace;
    try {
      for (bool measured = false;;) {
        const Instant next = measured ? next_event() : std::min(next_event(), end);
        if (measured && outstanding_ == 0) break;
        if (next > last) {
          now_ = last;  // what has not ended by now is late by as much
          break;
        }
        if (results.events == input_.max_events) throw Stuck{};
        if (next != now_) steps_now_ = 0;
        now_ = next;
        ++results.events;
        cpu_.advance(now_);
        end_steps();
        end_operations();
        if (!measured && next == end) {
          measured = true;
          measure_resources(results);
        }
        release_due();
        settle();
        update_accounts();
      }
    } catch (const Stuck&) {
      results.stopped_early = true;
      if (now_ < end) {
        results.horizon = now_.since_start();
        measure_resources(results);
      }
    }
    report(results);
    if (input_.observer != nullptr) input_.observer->ended(now_);
  }

 private:
  // ---- construction

  void build_devices() {
    device_of_unit_.resize(system_.platform.units.size());
    for (UnitIndex unit = 0; unit < system_.platform.units.size(); ++unit) {
      if (input_.devices[unit] == nullptr) continue;
      device_of_unit_[unit] = devices_.size();
      devices_.push_back({unit, gpu::make_device(*input_.devices[unit]), {}, {}, {}});
    }
    if (watcher_ == nullptr) return;
    for (Device& device : devices_) {
      device.gpu->record_slices(device.slices);
      device.gpu->record_blocks(device.block_steps);
    }
  }

  void build_tasks() {
    for (TaskIndex task = 0; task < tasks_.size(); ++task) {
      TaskState& state = tasks_[task];
      const Program& program = input_.programs[task];
      state.events.resize(system_.events.size(), false);
      state.runnable_start.resize(program.runnables.size());
      state.runnable_end.resize(program.runnables.size());
      state.runnable_seen.resize(program.runnables.size());
      state.runnable_durations.resize(program.runnables.size());
      state.operation_durations.resize(program.steps.size());
      state.taken.resize(program.steps.size());
    }
    for (const Chain& chain : system_.chains)
      for (const TaskIndex task : chain.tasks) tasks_[task].in_chain = true;
    for (const Requirement& requirement : system_.requirements)
      if (const auto* chain = std::get_if<Requirement::OfChain>(&requirement.subject))
        for (const TaskIndex task : chain->tasks) tasks_[task].in_chain = true;
    for (Device& device : devices_)
      for (const GpuContext& context : contexts_on(system_, device.unit, *input_.devices[device.unit])) {
        const auto added =
            device.gpu->add_context(context.slice, static_cast<gpu::ContextPriority>(context.runlist_slots));
        for (const GpuStream& stream : context.streams) {
          const auto index = device.gpu->add_stream(added, gpu::stream_settings(stream, *input_.devices[device.unit]));
          for (const TaskIndex task : stream.tasks) tasks_[task].stream = index;
        }
      }
  }

  bool on_device(TaskIndex task) const { return system_.tasks[task].side == Side::device; }
  /// The core that a task runs on at present; nothing: on none.
  std::optional<std::size_t> core_of(TaskIndex task) const {
    for (const std::size_t core : cpu_.cores_of(cpu_.domain_of(task)))
      if (cores_[core].running == task) return core;
    return std::nullopt;
  }
  const Device& device_of(TaskIndex task) const { return devices_[device_of_unit_[system_.tasks[task].unit]]; }
  Device& device_of(TaskIndex task) { return devices_[device_of_unit_[system_.tasks[task].unit]]; }
  const Step& present_step(TaskIndex task) const { return input_.programs[task].steps[tasks_[task].step]; }
  bool at_end(TaskIndex task) const { return tasks_[task].step == input_.programs[task].steps.size(); }
  void call_for_decision(TaskIndex task) { cpu_.call(cpu_.domain_of(task)); }
  void touch(CoreScheduling::DomainIndex domain, Touched how) { touched_[domain] = std::max(touched_[domain], how); }
  void make_ready(TaskIndex task) {
    cpu_.make_ready(task, now_);
    touch(cpu_.domain_of(task), Touched::runner);
  }

  // ---- the clock

  Instant next_event() {
    Instant next = releases_.empty() ? Instant::never() : releases_.top().at;
    next = std::min(next, cpu_.next_event());
    for (const Core& core : cores_) next = std::min(next, core.end);
    for (Device& device : devices_) next = std::min(next, device.gpu->next_event());
    return next;
  }

  void end_steps() {
    for (Core& core : cores_) {
      if (!core.running || core.end != now_) continue;
      TaskState& state = tasks_[*core.running];
      account_core(core);
      core.end = Instant::never();
      state.remaining = Duration{};
      const TaskIndex task = *core.running;
      next_step(task);
      touch(cpu_.domain_of(task), Touched::step);
      call_for_decision(task);
      run_timeless_steps(core);
    }
  }

  void end_operations() {
    for (Device& device : devices_) {
      completed_.clear();
      device.gpu->advance(now_, completed_);
      if (watcher_ != nullptr) tell_blocks(device);
      for (const gpu::OperationId id : completed_) {
        const TaskIndex task = device.task_of_operation[id];
        TaskState& state = tasks_[task];
        if (watcher_ != nullptr) {
          tell_device_task(task, ProcessState::running);
          tell_operation(device, id, ProcessEvent::terminate);
        }
        state.operation.reset();
        if (is_measured(state.release)) state.operation_durations[state.step].push_back(now_ - state.submitted);
        next_step(task);
        advanced_.push_back(task);
      }
    }
    advance_device_tasks();
  }

  void release_due() {
    while (!releases_.empty() && releases_.top().at == now_) {
      const StimulusIndex stimulus = releases_.top().stimulus;
      releases_.pop();
      await_next(stimulus);
      occur(stimulus, std::nullopt);
    }
  }

  void await_next(StimulusIndex stimulus) {
    if (const auto at = arrivals_[stimulus].next()) releases_.push({*at, stimulus});
  }

  void settle() {
    for (bool again = true; again;) {
      again = !advanced_.empty();
      advance_device_tasks();
      for (CoreScheduling::DomainIndex domain = 0; domain < cpu_.domains(); ++domain)
        if (cpu_.undecided(domain)) {
          schedule(domain);
          again = true;
        }
    }
    for (Device& device : devices_) device.gpu->settle();
  }

  // ---- jobs

  /// The stimulus occurs, if its counter and condition let it. `by`: who makes it occur, if not time.
  void occur(StimulusIndex index, std::optional<TaskIndex> by) {
    const Stimulus& stimulus = system_.stimuli[index];
    if (!is_due(stimulus.counter, counted_[index]++)) return;
    if (stimulus.condition && !holds(*stimulus.condition)) return;
    if (watcher_ != nullptr) watcher_->occurred(index, by, now_);
    for (const ModeSetting& setting : stimulus.sets) modes_[setting.mode] = setting.value;
    for (const TaskIndex task : stimulus.activates) release(task, index, by);
  }

  /// Of what happens for the `count`-th time, counted from 0.
  static bool is_due(const EveryNth& counter, std::int64_t count) {
    return count >= counter.offset && (count - counter.offset) % std::max<std::int64_t>(1, counter.prescaler) == 0;
  }

  void release(TaskIndex task, StimulusIndex stimulus, std::optional<TaskIndex> by) {
    TaskState& state = tasks_[task];
    const bool measured = is_measured(now_);
    const std::uint32_t limit = system_.tasks[task].activation_limit;
    const bool lost = state.active && limit != 0 && state.backlog.size() + 1 >= limit;
    if (input_.observer != nullptr) input_.observer->released(task, now_, lost);
    if (watcher_ != nullptr)
      watcher_->process({task, lost ? state.activated : state.activated++,
                         lost ? ProcessEvent::mta_limit_exceeded : ProcessEvent::activate, now_, std::nullopt, stimulus,
                         by});
    if (lost) {
      if (measured) ++lost_[task];
      return;
    }
    if (measured) ++state.metrics.activations;
    if (state.active) {
      state.backlog.push_back(now_);
    } else {
      start_job(task, now_);
    }
    if (measured) ++outstanding_;
  }

  void start_job(TaskIndex task, Instant release) {
    TaskState& state = tasks_[task];
    state.active = true;
    state.release = release;
    state.step = 0;
    state.waiting = false;
    state.started.reset();
    state.parked = state.granted = state.at_point = false;
    state.shown_state = ProcessState::active;
    state.account.start(now_, now_ - release, task);
    state.random = execution_stream(input_.seed, task, state.job);
    state.chance = RandomStream(input_.seed, random_branch, task, state.job);
    std::fill(state.runnable_seen.begin(), state.runnable_seen.end(), false);
    active_.push_back(task);
    load_step(task);
    if (on_device(task)) {
      advanced_.push_back(task);
    } else {
      cpu_.released(task, release);
      make_ready(task);
    }
  }

  void load_step(TaskIndex task) {
    tasks_[task].shown_step = false;
    if (at_end(task)) return;
    const Step& step = present_step(task);
    tasks_[task].work = work_of(step, tasks_[task].random);
    tasks_[task].remaining = step.kind == StepKind::execute ? tasks_[task].work : Duration{};
  }

  /// The present step begins to run (host) or is submitted (device).
  void begin_runnable(TaskIndex task) {
    const Step& step = present_step(task);
    TaskState& state = tasks_[task];
    if (watcher_ != nullptr) tell_step(task);
    if (!step.runnable || state.runnable_seen[*step.runnable]) return;
    state.runnable_seen[*step.runnable] = true;
    state.runnable_start[*step.runnable] = now_;
  }

  /// The present step has ended.
  void next_step(TaskIndex task) {
    if (++steps_now_ > max_steps_per_instant) throw Stuck{};
    TaskState& state = tasks_[task];
    begin_runnable(task);
    if (const auto runnable = present_step(task).runnable) state.runnable_end[*runnable] = now_;
    if (watcher_ != nullptr) watcher_->step_ends(task, state.job, state.step, now_);
    go_to(task, present_step(task).next);
  }

  void go_to(TaskIndex task, std::size_t step) {
    TaskState& state = tasks_[task];
    state.step = step;
    state.at_point = false;
    load_step(task);
  }

  bool is_measured(Instant release) const { return release < Instant::at(input_.until); }

  void complete_job(TaskIndex task) {
    TaskState& state = tasks_[task];
    observe(task);
    state.account.book(now_);
    state.active = false;
    const std::uint64_t job = state.job++;
    if (input_.observer != nullptr) input_.observer->completed(task, job, state.release, now_);
    if (is_measured(state.release)) measure_job(task);
    state.release_before = state.release;
    state.start_before = state.started.value_or(now_);
    state.end_before = now_;
    if (state.in_chain) state.accesses.push_back({state.started.value_or(now_), now_, state.release});
    active_.erase(std::find(active_.begin(), active_.end(), task));
    if (!is_measured(state.release)) return;
    --outstanding_;
    const Duration response = now_ - state.release;
    if (state.responses.empty() || response > state.worst) {
      state.worst = response;
      worst_release_[task] = state.release;
      worst_parts_[task] = state.account.parts();
    }
    state.responses.push_back(response);
    for (std::size_t i = 0; i < state.runnable_seen.size(); ++i)
      if (state.runnable_seen[i])
        state.runnable_durations[i].push_back(state.runnable_end[i] - state.runnable_start[i]);
  }

  void measure_job(TaskIndex task) {
    TaskState& state = tasks_[task];
    ProcessMetrics& metrics = state.metrics;
    const JobAccount& account = state.account;
    const Instant started = state.started.value_or(now_);
    const Duration running = account.in(ProcessState::running), polling = account.in(ProcessState::polling);
    metrics[TimeMetric::start_delay].add(started - state.release);
    metrics[TimeMetric::response_time].add(now_ - state.release);
    metrics[TimeMetric::gross_execution_time].add(now_ - started);
    metrics[TimeMetric::net_execution_time].add(running + polling);
    metrics[TimeMetric::core_execution_time].add(account.doing(Activities::computing));
    metrics[TimeMetric::memory_access_time].add(account.doing(Activities::accessing));
    metrics[TimeMetric::os_overhead].add(account.doing(Activities::operating_system));
    metrics[TimeMetric::running_time].add(running);
    metrics[TimeMetric::ready_time].add(account.in(ProcessState::ready));
    metrics[TimeMetric::waiting_time].add(account.in(ProcessState::waiting));
    metrics[TimeMetric::polling_time].add(polling);
    metrics[TimeMetric::parking_time].add(account.in(ProcessState::parking));
    if (const auto deadline = system_.tasks[task].deadline)
      metrics[TimeMetric::lateness].add(now_ - state.release - *deadline);
    if (!state.release_before) return;
    metrics[TimeMetric::activate_to_activate].add(state.release - *state.release_before);
    metrics[TimeMetric::start_to_start].add(started - *state.start_before);
    metrics[TimeMetric::end_to_end].add(now_ - *state.end_before);
    metrics[TimeMetric::end_to_start].add(started - *state.end_before);
  }

  /// After complete_job, and with the task out of its ready queue.
  void begin_backlog(TaskIndex task) {
    TaskState& state = tasks_[task];
    if (state.backlog.empty()) return;
    const Instant release = state.backlog.front();
    state.backlog.pop_front();
    start_job(task, release);
  }

  // ---- activities that take no time

  bool satisfied(TaskIndex task, const WaitEvents& wait) const {
    const auto is_set = [&](EventIndex event) { return static_cast<bool>(tasks_[task].events[event]); };
    return wait.all ? std::all_of(wait.events.begin(), wait.events.end(), is_set)
                    : std::any_of(wait.events.begin(), wait.events.end(), is_set);
  }

  const WaitEvents& wait_of(TaskIndex task) const {
    return std::get<WaitEvents>(system_.graph[present_step(task).node].activity);
  }

  void set_events(TaskIndex by, const SetEvents& set) {
    for (TaskIndex task = 0; task < tasks_.size(); ++task) {
      if (set.task && *set.task != task) continue;
      TaskState& state = tasks_[task];
      for (const EventIndex event : set.events) state.events[event] = true;
      if (!state.active || !state.waiting || !satisfied(task, wait_of(task))) continue;
      if (on_device(task)) {
        advanced_.push_back(task);
      } else {
        if (watcher_ != nullptr) tell_wait_is_over(task, by);
        // A polling task is still ready; one that waits passively comes back to the end of its queue.
        if (!wait_of(task).active) make_ready(task);
        touch(cpu_.domain_of(task), Touched::runner);  // one that polled may stand elsewhere now
        call_for_decision(task);
      }
      state.waiting = false;
    }
    for (StimulusIndex stimulus = 0; stimulus < system_.stimuli.size(); ++stimulus)
      if (const auto* driven = std::get_if<EventDriven>(&system_.stimuli[stimulus].occurrence))
        if (std::find_first_of(driven->events.begin(), driven->events.end(), set.events.begin(), set.events.end()) !=
            driven->events.end())
          occur(stimulus, by);
  }

  // ---- modes and branches

  bool holds(const ModeTest& test) const {
    const std::int64_t is = modes_[test.mode];
    const std::int64_t than = test.other ? modes_[*test.other] : test.value;
    switch (test.relation) {
      case Relation::equal:
        return is == than;
      case Relation::not_equal:
        return is != than;
      case Relation::less:
        return is < than;
      case Relation::less_or_equal:
        return is <= than;
      case Relation::greater:
        return is > than;
      case Relation::greater_or_equal:
        return is >= than;
    }
    return false;
  }

  bool holds(const ModeCondition& condition) const {
    return std::any_of(condition.any_of.begin(), condition.any_of.end(), [this](const auto& all) {
      return std::all_of(all.begin(), all.end(), [this](const ModeTest& test) { return holds(test); });
    });
  }

  void set_mode(const SetMode& set) {
    std::int64_t& mode = modes_[set.mode];
    switch (set.operation) {
      case SetMode::Operation::set:
        mode = set.value;
        return;
      case SetMode::Operation::increment:
        mode = detail::checked_add(mode, set.value);
        return;
      case SetMode::Operation::decrement:
        mode = detail::checked_subtract(mode, set.value);
        return;
    }
  }

  void take_branch(TaskIndex task) {
    TaskState& state = tasks_[task];
    const Step& step = present_step(task);
    const auto& branch = std::get<Branch>(system_.graph[step.node].activity);
    const auto chosen = choose(task, step, branch, state.taken[state.step]++);
    if (++steps_now_ > max_steps_per_instant) throw Stuck{};
    go_to(task, chosen ? step.alternatives[*chosen] : step.next);
  }

  std::optional<std::size_t> choose(TaskIndex task, const Step& step, const Branch& branch, std::int64_t count) {
    const auto& alternatives = branch.alternatives;
    if (!alternatives.empty() && std::holds_alternative<Probability>(alternatives.front().guard))
      return choose_by_chance(task, step, branch);
    for (std::size_t i = 0; i < alternatives.size(); ++i) {
      const Guard& guard = alternatives[i].guard;
      if (const auto* condition = std::get_if<ModeCondition>(&guard); condition != nullptr && !holds(*condition))
        continue;
      if (const auto* counter = std::get_if<EveryNth>(&guard); counter != nullptr && !is_due(*counter, count)) continue;
      return i;
    }
    return std::nullopt;
  }

  /// Drawn, or for executions that are not random what takes longest, or shortest, or is the likeliest; the first of
  /// equals.
  std::size_t choose_by_chance(TaskIndex task, const Step& step, const Branch& branch) {
    std::vector<double> weights;
    for (const auto& alternative : branch.alternatives)
      weights.push_back(std::max(0.0, std::get<Probability>(alternative.guard).weight));
    if (input_.execution == Execution::average)
      return static_cast<std::size_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
    if (input_.execution != Execution::random) {
      std::vector<Duration> work;
      for (std::size_t i = 0; i < step.alternatives.size(); ++i)
        work.push_back(work_between(task, step.alternatives[i],
                                    i + 1 < step.alternatives.size() ? step.alternatives[i + 1] : step.next));
      const auto chosen = input_.execution == Execution::worst ? std::max_element(work.begin(), work.end())
                                                               : std::min_element(work.begin(), work.end());
      return static_cast<std::size_t>(chosen - work.begin());
    }
    double sum = 0;
    for (const double weight : weights) sum += weight;
    double drawn = tasks_[task].chance.uniform() * sum;
    std::size_t last = 0;  // that can be drawn at all
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] <= 0) continue;
      last = i;
      if (drawn < weights[i]) return i;
      drawn -= weights[i];
    }
    return last;
  }

  Duration work_between(TaskIndex task, std::size_t first, std::size_t end) const {
    Duration sum;
    for (std::size_t step = first; step < end; ++step) sum += input_.programs[task].steps[step].work;
    return sum;
  }

  // ---- semaphores

  /// True: it has the semaphore, and goes on.
  bool request(TaskIndex task) {
    TaskState& state = tasks_[task];
    const auto& use = std::get<UseSemaphore>(system_.graph[present_step(task).node].activity);
    const bool granted = state.granted || (!state.parked && semaphores_.request(task, use));
    state.granted = false;
    state.parked = !granted;
    if (granted && !on_device(task)) cpu_.raise(task, semaphores_.ceiling(task));
    return granted;
  }

  void release_semaphore(TaskIndex task, const UseSemaphore& use) {
    std::vector<TaskIndex> granted;
    semaphores_.release(task, use.semaphore, granted);
    if (!on_device(task)) cpu_.raise(task, semaphores_.ceiling(task));
    for (const TaskIndex waiter : granted) {
      TaskState& state = tasks_[waiter];
      state.parked = false;
      state.granted = true;
      if (on_device(waiter)) {
        advanced_.push_back(waiter);
        continue;
      }
      if (watcher_ != nullptr) tell_wait_is_over(waiter, task);
      cpu_.raise(waiter, semaphores_.ceiling(waiter));
      if (!polls_for_semaphore(waiter)) make_ready(waiter);
      touch(cpu_.domain_of(waiter), Touched::runner);
      call_for_decision(waiter);
    }
  }

  bool polls_for_semaphore(TaskIndex task) const {
    return std::get<UseSemaphore>(system_.graph[present_step(task).node].activity).active;
  }

  void act(TaskIndex task) {
    if (watcher_ != nullptr) tell_step(task);
    const Activity& activity = system_.graph[present_step(task).node].activity;
    if (const auto* trigger = std::get_if<Trigger>(&activity)) {
      occur(trigger->stimulus, task);
    } else if (const auto* set = std::get_if<SetEvents>(&activity)) {
      set_events(task, *set);
    } else if (const auto* clear = std::get_if<ClearEvents>(&activity)) {
      for (const EventIndex event : clear->events) tasks_[task].events[event] = false;
    } else if (const auto* mode = std::get_if<SetMode>(&activity)) {
      set_mode(*mode);
    } else if (const auto* use = std::get_if<UseSemaphore>(&activity)) {
      if (use->operation == UseSemaphore::Operation::release) release_semaphore(task, *use);
    } else if (const auto* section = std::get_if<Uninterruptible>(&activity)) {
      if (!on_device(task)) cpu_.set_uninterruptible(task, section->begins);
    }
  }

  // ---- device tasks

  void advance_device_tasks() {
    for (std::size_t i = 0; i < advanced_.size(); ++i) advance_device_task(advanced_[i]);
    advanced_.clear();
  }

  void advance_device_task(TaskIndex task) {
    TaskState& state = tasks_[task];
    while (state.active && !state.operation) {
      if (at_end(task)) {
        if (watcher_ != nullptr) tell_device_task(task, ProcessState::not_active);
        complete_job(task);
        begin_backlog(task);
        return;
      }
      const Step& step = present_step(task);
      if (step.kind == StepKind::copy || step.kind == StepKind::kernel) {
        submit(task, step);
        return;
      }
      if (step.kind == StepKind::wait && !satisfied(task, wait_of(task))) {
        state.waiting = true;
        return;
      }
      if (step.kind == StepKind::request_semaphore && !request(task)) return;
      if (step.kind == StepKind::branch) {
        take_branch(task);
        continue;
      }
      act(task);
      next_step(task);
    }
  }

  void submit(TaskIndex task, const Step& step) {
    Device& device = device_of(task);
    gpu::DeviceOperation operation;
    operation.stream = tasks_[task].stream;
    operation.duration = tasks_[task].work;
    const Activity& activity = system_.graph[step.node].activity;
    if (const auto* kernel = std::get_if<Kernel>(&activity)) {
      operation.kind = gpu::StreamOperationKind::kernel;
      operation.memory_share = kernel->memory_intensity;
      operation.blocks = step.blocks;
      operation.block = step.block;
      if (kernel->launch) operation.cache_config = kernel->launch->cache_config;
    } else {
      operation.kind = operation_kind(std::get<Copy>(activity).kind);
    }
    if (watcher_ != nullptr) tell_device_task(task, ProcessState::running);
    begin_runnable(task);
    if (!tasks_[task].started) tasks_[task].started = now_;
    const gpu::OperationId id = device.gpu->submit(operation);
    if (device.task_of_operation.size() <= id) device.task_of_operation.resize(id + 1);
    device.task_of_operation[id] = task;
    tasks_[task].operation = id;
    tasks_[task].submitted = now_;
    tasks_[task].shown_operation = ProcessState::active;
    if (watcher_ != nullptr) tell_operation(device, id, ProcessEvent::activate);
  }

  // ---- cores

  /// Books the time the core has been in use since `since`, and the progress of the running step.
  void account_core(Core& core) {
    if (core.running) {
      const Duration elapsed = now_ - core.since;
      core.busy += elapsed;
      if (core.end != Instant::never()) tasks_[*core.running].remaining -= elapsed;
    }
    core.since = now_;
  }

  void dispatch(Core& core, std::optional<TaskIndex> task) {
    if (core.running == task) return;
    account_core(core);
    const auto index = static_cast<std::size_t>(&core - cores_.data());
    touch(cpu_.domain_of_core(index), Touched::runner);
    if (watcher_ != nullptr && core.running) tell_core_lost(*core.running, index);
    core.running = task;
    core.end = Instant::never();
    core.polling = false;
    if (!task) return;
    TaskState& state = tasks_[*task];
    if (!state.started) state.started = now_;
    if (watcher_ != nullptr) tell_core_given(*task, index);
    if (state.core && *state.core != index && is_measured(state.release)) ++state.metrics.migrations;
    state.core = index;
  }

  /// The running task has done its last step.
  void end_host_job(Core& core) {
    const TaskIndex task = *core.running;
    if (watcher_ != nullptr) {
      tell(task, ProcessEvent::terminate, unit_of(core));
      tasks_[task].shown_state = ProcessState::not_active;
    }
    cpu_.leave(task);
    dispatch(core, std::nullopt);
    complete_job(task);
    begin_backlog(task);
  }

  void wait_passively(Core& core) {
    cpu_.leave(*core.running);
    dispatch(core, std::nullopt);
  }

  /// A cooperative task may be left before a runnable begins: once, then it goes on.
  bool comes_to_point(TaskIndex task) {
    TaskState& state = tasks_[task];
    if (system_.tasks[task].preemption != Preemption::cooperative || state.at_point) return false;
    const Step& step = present_step(task);
    const bool point =
        step.kind == StepKind::schedule_point || std::holds_alternative<Call>(system_.graph[step.node].activity);
    if (!point) return false;
    state.at_point = true;
    cpu_.pass_point(task);
    return true;
  }

  /// Takes the running task through activities that take no time: up to one that does, a wait for something that is
  /// not there yet (passive waiting leaves the core), or the end of the job.
  /// A job that ends now makes room for an activation that comes now.
  void run_timeless_steps(Core& core) {
    while (core.running) {
      const TaskIndex task = *core.running;
      if (at_end(task)) {
        end_host_job(core);
        return;
      }
      const Step& step = present_step(task);
      if (comes_to_point(task)) return;
      if (step.kind == StepKind::execute && !tasks_[task].remaining.is_zero()) return;
      if (step.kind == StepKind::wait && !satisfied(task, wait_of(task))) {
        tasks_[task].waiting = true;
        core.polling = wait_of(task).active;
        if (watcher_ != nullptr) tell_wait(task, core);
        if (!core.polling) wait_passively(core);
        return;
      }
      if (step.kind == StepKind::request_semaphore && !request(task)) {
        core.polling = polls_for_semaphore(task);
        if (watcher_ != nullptr) tell_wait(task, core);
        if (!core.polling) wait_passively(core);
        return;
      }
      core.polling = false;
      if (step.kind == StepKind::branch) {
        take_branch(task);
        continue;
      }
      if (step.kind != StepKind::execute && step.kind != StepKind::wait) act(task);
      next_step(task);
    }
  }

  /// Lets those run who are to, each through its timeless steps, up to one that takes time.
  void schedule(CoreScheduling::DomainIndex domain) {
    const auto& cores = cpu_.cores_of(domain);
    touch(domain, cpu_.is_plain(domain) ? Touched::step : Touched::runner);
    while (cpu_.undecided(domain)) {
      if (++steps_now_ > max_steps_per_instant) throw Stuck{};
      cpu_.decide(domain, now_);
      for (const std::size_t core : cores) stop_unless_decided(core);
      for (const std::size_t core : cores) dispatch(cores_[core], cpu_.running(core));
      for (const std::size_t core : cores) {
        run_timeless_steps(cores_[core]);
        if (cpu_.undecided(domain)) break;  // a job ended, or woke somebody who may be more urgent
        begin_step(cores_[core]);
      }
    }
  }

  void stop_unless_decided(std::size_t index) {
    Core& core = cores_[index];
    if (!core.running || core.running == cpu_.running(index)) return;
    TaskState& state = tasks_[*core.running];
    const auto& cores = cpu_.cores_of(cpu_.domain_of(*core.running));
    const bool goes_on =
        std::any_of(cores.begin(), cores.end(), [&](std::size_t other) { return cpu_.running(other) == core.running; });
    if (!goes_on && is_measured(state.release)) ++state.metrics.preemptions;
    dispatch(core, std::nullopt);
  }

  void begin_step(Core& core) {
    if (!core.running || core.polling || core.end != Instant::never()) return;
    begin_runnable(*core.running);
    account_core(core);
    core.end = now_ + tasks_[*core.running].remaining;
  }

  // ---- what the observer is told; only where there is one that wants events

  std::optional<UnitIndex> unit_of(const Core& core) const {
    return cpu_.unit(static_cast<std::size_t>(&core - cores_.data()));
  }

  void tell(TaskIndex task, ProcessEvent what, std::optional<UnitIndex> unit,
            std::optional<TaskIndex> by = std::nullopt) {
    watcher_->process({task, tasks_[task].job, what, now_, unit, std::nullopt, by});
  }

  void tell_core_given(TaskIndex task, std::size_t core) {
    ProcessState& shown = tasks_[task].shown_state;
    const bool still_waits = shown == ProcessState::parking;
    tell(task,
         still_waits                     ? ProcessEvent::poll_parking
         : shown == ProcessState::active ? ProcessEvent::start
                                         : ProcessEvent::resume,
         cpu_.unit(core));
    shown = still_waits ? ProcessState::polling : ProcessState::running;
  }

  /// Also to nobody, or to wait: then that has been told already.
  void tell_core_lost(TaskIndex task, std::size_t core) {
    ProcessState& shown = tasks_[task].shown_state;
    if (shown == ProcessState::running) {
      tell(task, ProcessEvent::preempt, cpu_.unit(core));
      shown = ProcessState::ready;
    } else if (shown == ProcessState::polling) {
      tell(task, ProcessEvent::park, cpu_.unit(core));
      shown = ProcessState::parking;
    }
  }

  /// The running task cannot go on. A polling one may come here again.
  void tell_wait(TaskIndex task, const Core& core) {
    ProcessState& shown = tasks_[task].shown_state;
    if (shown != ProcessState::running) return;
    tell(task, core.polling ? ProcessEvent::poll : ProcessEvent::wait, unit_of(core));
    shown = core.polling ? ProcessState::polling : ProcessState::waiting;
  }

  void tell_wait_is_over(TaskIndex task, TaskIndex by) {
    ProcessState& shown = tasks_[task].shown_state;
    const auto core = core_of(task);
    const auto unit = core ? std::optional(cpu_.unit(*core)) : std::nullopt;
    if (shown == ProcessState::polling) {
      tell(task, ProcessEvent::run, unit, by);
      shown = ProcessState::running;
    } else if (shown == ProcessState::parking || shown == ProcessState::waiting) {
      tell(task, shown == ProcessState::parking ? ProcessEvent::release_parking : ProcessEvent::release, unit, by);
      shown = ProcessState::ready;
    }
  }

  /// The present step begins, if that has not been told.
  void tell_step(TaskIndex task) {
    TaskState& state = tasks_[task];
    if (state.shown_step) return;
    state.shown_step = true;
    if (on_device(task)) tell_device_task(task, ProcessState::running);
    watcher_->step_begins(task, state.job, state.step, now_);
  }

  /// A device task, which has its GPU to itself as far as this goes, comes to be running, ready, waiting, or ended
  /// (not_active).
  void tell_device_task(TaskIndex task, ProcessState to) {
    ProcessState& shown = tasks_[task].shown_state;
    if (shown == to) return;
    const UnitIndex unit = system_.tasks[task].unit;
    if (shown == ProcessState::waiting) {
      tell(task, ProcessEvent::release, unit);
      shown = ProcessState::ready;
      if (to == ProcessState::ready) return;
    }
    if (shown != ProcessState::running)
      tell(task, shown == ProcessState::active ? ProcessEvent::start : ProcessEvent::resume, unit);
    if (to == ProcessState::ready) tell(task, ProcessEvent::preempt, unit);
    if (to == ProcessState::waiting) tell(task, ProcessEvent::wait, unit);
    if (to == ProcessState::not_active) tell(task, ProcessEvent::terminate, unit);
    shown = to;
  }

  gpu::EngineIndex engine_of(const Device& device, gpu::OperationId id) const {
    const auto kind = device.gpu->operation(id).kind;
    if (kind == gpu::StreamOperationKind::kernel) return 0;
    return kind == gpu::StreamOperationKind::device_to_host ? device.gpu->engines() - 1 : 1;
  }

  void tell_operation(const Device& device, gpu::OperationId id, ProcessEvent what) {
    const TaskIndex task = device.task_of_operation[id];
    const TaskState& state = tasks_[task];
    watcher_->operation({task, state.job, state.step, what, now_, engine_of(device, id)});
  }

  void tell_blocks(Device& device) {
    for (const gpu::BlockStep& step : device.block_steps) {
      if (!device.gpu->operation(step.operation).block) continue;
      const TaskIndex task = device.task_of_operation[step.operation];
      watcher_->block({task, tasks_[task].job, tasks_[task].step, step.block, step.sm, step.begins, now_});
    }
    device.block_steps.clear();
  }

  /// Which operations are executed after this instant: those that are no longer come first, as they make room.
  void tell_devices() {
    for (const bool begins : {false, true})
      for (const TaskIndex task : active_) {
        TaskState& state = tasks_[task];
        if (!on_device(task) || !state.operation) continue;
        const Device& device = device_of(task);
        const bool executes = device.gpu->standing(*state.operation).kind == gpu::OperationStanding::Kind::executing;
        ProcessState& shown = state.shown_operation;
        if (executes != begins || begins == (shown == ProcessState::running)) continue;
        tell_operation(device, *state.operation,
                       !begins                         ? ProcessEvent::preempt
                       : shown == ProcessState::active ? ProcessEvent::start
                                                       : ProcessEvent::resume);
        shown = begins ? ProcessState::running : ProcessState::ready;
      }
    for (Device& device : devices_) {
      tell_blocks(device);
      for (const gpu::EngineSlice& slice : device.slices) watcher_->served(device.unit, slice);
      device.slices.clear();
    }
  }

  // ---- why jobs take the time they take

  void update_accounts() {
    if (watcher_ != nullptr && !devices_.empty()) tell_devices();
    for (const TaskIndex task : active_) {
      TaskState& state = tasks_[task];
      if (stands_as_before(task)) continue;
      const Standing standing = standing_of(task);
      if (watcher_ != nullptr && on_device(task)) tell_device_task(task, standing.state);
      if (watched_intervals_) {
        const auto unit = unit_of(task);
        const auto node = at_end(task) ? std::nullopt : std::optional(present_step(task).node);
        if (standing == state.account.standing() && unit == state.shown_unit && node == state.shown_node) continue;
        observe(task);
        state.shown_unit = unit;
        state.shown_node = node;
      } else if (standing == state.account.standing()) {
        continue;
      }
      state.account.change(now_, standing);
    }
    std::fill(touched_.begin(), touched_.end(), Touched::no);
  }

  /// Without looking closer: a task that neither waits nor has to do with a GPU changes only with its domain.
  bool stands_as_before(TaskIndex task) const {
    if (on_device(task) || tasks_[task].waiting || tasks_[task].parked) return false;
    const Touched touched = touched_[cpu_.domain_of(task)];
    return touched == Touched::no || (touched == Touched::step && !core_of(task));
  }

  /// Tells the observer what held for the task's job up to now.
  void observe(TaskIndex task) {
    TaskState& state = tasks_[task];
    if (!watched_intervals_ || state.account.since() == now_) return;
    input_.observer->interval({task, state.job, state.release, state.account.since(), now_, state.account.standing(),
                               state.shown_unit, state.shown_node});
    state.account.book(now_);
  }

  /// Where a job is worked for.
  std::optional<UnitIndex> unit_of(TaskIndex task) const {
    if (on_device(task)) return system_.tasks[task].unit;
    const auto core = core_of(task);
    return core ? std::optional(cpu_.unit(*core)) : std::nullopt;
  }

  Standing standing_of(TaskIndex task) {
    const TaskState& state = tasks_[task];
    if (state.operation) {
      const Reason reason = reason_of_operation(task);
      const bool executing = reason.kind == ContributionKind::kernel || reason.kind == ContributionKind::copy;
      return {executing ? ProcessState::running : ProcessState::ready, Activities::computing, reason};
    }
    if (state.waiting || state.parked) {
      const bool active = state.parked ? polls_for_semaphore(task) : wait_of(task).active;
      const ProcessState waiting = !active || on_device(task) ? ProcessState::waiting
                                   : core_of(task)            ? ProcessState::polling
                                                              : ProcessState::parking;
      return {waiting, Activities::computing, state.parked ? reason_of_parking(task) : reason_of_waiting(task)};
    }
    if (on_device(task)) return {ProcessState::running, Activities::computing, {}};
    if (core_of(task)) return {ProcessState::running, doing(task), {}};
    const CoreScheduling::Obstacle obstacle = cpu_.obstacle(task);
    const ContributionKind kind =
        obstacle.kind == CoreScheduling::Obstacle::Kind::preemption ? ContributionKind::preemption
        : obstacle.kind == CoreScheduling::Obstacle::Kind::blocking ? ContributionKind::blocking
                                                                    : ContributionKind::budget;
    return {state.started ? ProcessState::ready : ProcessState::active, Activities::computing, {kind, obstacle.by, {}}};
  }

  Activities doing(TaskIndex task) const {
    if (at_end(task)) return Activities::computing;
    const Step& step = present_step(task);
    if (step.overhead) return Activities::operating_system;
    const Activity& activity = system_.graph[step.node].activity;
    const bool access = std::holds_alternative<ReadLabel>(activity) || std::holds_alternative<WriteLabel>(activity);
    return access ? Activities::accessing : Activities::computing;
  }

  Reason reason_of_waiting(TaskIndex task) {
    const auto& setters = present_step(task).setters;
    for (const TaskIndex setter : setters)
      if (tasks_[setter].active && tasks_[setter].operation) return reason_of_operation(setter);
    return {ContributionKind::event, setters.empty() ? std::nullopt : std::optional(setters.front()), {}};
  }

  Reason reason_of_parking(TaskIndex task) const {
    const auto& use = std::get<UseSemaphore>(system_.graph[present_step(task).node].activity);
    return {ContributionKind::blocking, semaphores_.holder(use.semaphore), {}};
  }

  Reason reason_of_operation(TaskIndex task) {
    const Device& device = device_of(task);
    const gpu::OperationId id = *tasks_[task].operation;
    const gpu::OperationStanding standing = device.gpu->standing(id);
    const auto by = standing.by ? std::optional(device.task_of_operation[*standing.by]) : std::nullopt;
    switch (standing.kind) {
      case gpu::OperationStanding::Kind::executing: {
        const bool is_kernel = device.gpu->operation(id).kind == gpu::StreamOperationKind::kernel;
        return {is_kernel ? ContributionKind::kernel : ContributionKind::copy, by, standing.slowdown};
      }
      case gpu::OperationStanding::Kind::queued:
        return {ContributionKind::engine_queue, by, {}};
      case gpu::OperationStanding::Kind::waiting:
        return {ContributionKind::engine_slice, by, {}};
      case gpu::OperationStanding::Kind::switching:
        return {ContributionKind::context_switch, std::nullopt, {}};
    }
    return {};
  }

  // ---- the end

  /// How the resources were used up to now.
  void measure_resources(Results& results) {
    const double elapsed = static_cast<double>(now_.picoseconds());
    const auto share = [elapsed](Duration busy) {
      return elapsed > 0 ? static_cast<double>(busy.picoseconds()) / elapsed : 0;
    };
    for (std::size_t core = 0; core < cores_.size(); ++core) {
      account_core(cores_[core]);
      results.resources.push_back({cpu_.unit(core), ResourceKind::core, share(cores_[core].busy), 0});
    }
    for (const Device& device : devices_) {
      results.resources.push_back({device.unit, ResourceKind::execution_engine, share(device.gpu->busy(0)), 0});
      Duration copies;
      for (gpu::EngineIndex engine = 1; engine < device.gpu->engines(); ++engine) copies += device.gpu->busy(engine);
      const double engines = device.gpu->engines() - 1;
      results.resources.push_back({device.unit, ResourceKind::copy_engine, share(copies) / engines, 0});
    }
  }

  void report(Results& results) {
    results.tasks.resize(tasks_.size());
    for (TaskIndex task = 0; task < tasks_.size(); ++task) report_task(task, results);
    for (TaskState& state : tasks_) results.accesses.push_back(std::move(state.accesses));
  }

  void report_task(TaskIndex task, Results& results) {
    TaskState& state = tasks_[task];
    TaskResult& result = results.tasks[task];
    // Measured jobs that have not ended: the present one, and those that wait for it.
    std::vector<Instant> unfinished;
    const auto add = [&](Instant release) {
      if (is_measured(release)) unfinished.push_back(release);
    };
    if (state.active) add(state.release);
    for (const Instant release : state.backlog) add(release);
    result.unfinished = unfinished.size();
    if (const auto deadline = system_.tasks[task].deadline)
      result.missed_deadlines =
          static_cast<std::uint64_t>(std::count_if(state.responses.begin(), state.responses.end(),
                                                   [&](Duration response) { return response > *deadline; }) +
                                     std::count_if(unfinished.begin(), unfinished.end(),
                                                   [&](Instant release) { return now_ - release >= *deadline; }));
    result.lost_activations = lost_[task];
    result.metrics = state.metrics;
    if (!state.responses.empty()) {
      result.worst_release = worst_release_[task];
      result.contributions = std::move(worst_parts_[task]);
    }
    if (input_.keep_responses) results.responses.push_back(state.responses);
    result.response = summarise(std::move(state.responses));
    const Program& program = input_.programs[task];
    for (std::size_t i = 0; i < program.runnables.size(); ++i)
      results.runnables.push_back({program.runnables[i], task, summarise(std::move(state.runnable_durations[i]))});
    for (std::size_t i = 0; i < program.steps.size(); ++i)
      if (program.steps[i].kind == StepKind::copy || program.steps[i].kind == StepKind::kernel)
        results.operations.push_back(
            {program.steps[i].node, task, summarise(std::move(state.operation_durations[i])), {}});
  }

  const SimulationInput& input_;
  const bool watched_intervals_;
  SimulationObserver* const watcher_;  ///< who wants events; may be null
  const System& system_;
  std::vector<TaskState> tasks_;
  CoreScheduling cpu_;
  Semaphores semaphores_;
  std::vector<Core> cores_;       ///< parallel to those of cpu_
  std::vector<Touched> touched_;  ///< every domain, at this instant
  std::vector<Device> devices_;
  std::vector<std::size_t> device_of_unit_;
  std::vector<std::int64_t> modes_;
  std::vector<std::int64_t> counted_;  ///< of every stimulus: how often it was asked to occur
  std::vector<Arrivals> arrivals_;     ///< parallel to System::stimuli
  std::priority_queue<Release, std::vector<Release>, std::greater<>> releases_;
  std::vector<TaskIndex> active_;    ///< tasks with a job, in order of its start
  std::vector<TaskIndex> advanced_;  ///< device tasks that can go on
  std::vector<gpu::OperationId> completed_;
  std::vector<std::uint64_t> lost_;
  std::vector<Instant> worst_release_;
  std::vector<std::vector<Contribution>> worst_parts_;
  Instant now_;
  std::uint64_t outstanding_ = 0;  ///< measured jobs that have not ended
  std::uint64_t steps_now_ = 0;    ///< activities at this instant
};

}  // namespace

void simulate(const SimulationInput& input, Results& results) { Simulator(input).run(results); }

}  // namespace amalthea::engine
