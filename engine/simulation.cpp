#include "engine/simulation.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <utility>

#include "engine/cpu/core_scheduling.hpp"
#include "engine/gpu_contexts.hpp"
#include "engine/job_account.hpp"
#include "engine/nvidia/device.hpp"
#include "engine/semaphores.hpp"

namespace amalthea::engine {
namespace {

struct TaskState {
  bool active = false;                           ///< a job has begun
  Instant release;                               ///< of that job
  std::deque<Instant> backlog;                   ///< releases that wait for it
  std::size_t step = 0;                          ///< next or present step
  Duration remaining;                            ///< of the present execute step
  bool waiting = false;                          ///< in a wait that is not satisfied
  bool parked = false;                           ///< waits for a semaphore
  bool granted = false;                          ///< has been given the semaphore it waited for
  bool at_point = false;                         ///< cooperative: the present step begins where it may be left
  std::uint64_t job = 0;                         ///< number of the present job, then of the next one
  std::optional<nvidia::OperationId> operation;  ///< submitted and not completed
  Instant submitted;                             ///< when it was
  std::vector<bool> events;                      ///< set for this task
  nvidia::StreamIndex stream = 0;                ///< of a device task
  JobAccount account;
  std::optional<Instant> started;  ///< when the job first ran, or submitted something
  std::optional<Instant> release_before, start_before, end_before;  ///< of the job before
  std::vector<std::int64_t> taken;  ///< per step: how often the branch was come to
  bool in_chain = false;           ///< its jobs' accesses are recorded

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
  nvidia::Device gpu;
  std::vector<TaskIndex> task_of_operation;
};

struct Release {
  Instant at;
  StimulusIndex stimulus = 0;
  friend bool operator>(const Release& a, const Release& b) {
    return a.at != b.at ? a.at > b.at : a.stimulus > b.stimulus;
  }
};

nvidia::StreamOperationKind operation_kind(CopyKind kind) {
  switch (kind) {
    case CopyKind::host_to_device:
      return nvidia::StreamOperationKind::host_to_device;
    case CopyKind::device_to_host:
      return nvidia::StreamOperationKind::device_to_host;
    case CopyKind::memset:
      return nvidia::StreamOperationKind::memset;
  }
  return nvidia::StreamOperationKind::host_to_device;
}

/// Thrown when time no longer advances, or too slowly to reach the end.
struct Stuck {};

/// Activities at one instant; more means that tasks without execution time activate each other in a circle.
constexpr std::uint64_t max_steps_per_instant = 1'000'000;

class Simulator {
 public:
  explicit Simulator(const SimulationInput& input)
      : input_(input),
        system_(input.system),
        tasks_(input.system.tasks.size()),
        lost_(tasks_.size()),
        worst_release_(tasks_.size()),
        worst_parts_(tasks_.size()) {
    build_units();
    build_tasks();
    for (StimulusIndex stimulus = 0; stimulus < system_.stimuli.size(); ++stimulus) {
      const auto& occurrence = system_.stimuli[stimulus].occurrence;
      if (system_.stimuli[stimulus].activates.empty()) continue;
      if (const auto* periodic = std::get_if<Periodic>(&occurrence))
        releases_.push({Instant::at(periodic->offset), stimulus});
      if (const auto* single = std::get_if<Single>(&occurrence))
        releases_.push({Instant::at(single->occurrence), stimulus});
    }
  }

  void run(Results& results) {
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
  }

 private:
  // ---- construction

  void build_units() {
    core_of_unit_.resize(system_.platform.units.size());
    device_of_unit_.resize(system_.platform.units.size());
    for (UnitIndex unit = 0; unit < system_.platform.units.size(); ++unit) {
      if (input_.devices[unit] != nullptr) {
        device_of_unit_[unit] = devices_.size();
        devices_.push_back({unit, nvidia::Device(device_settings(*input_.devices[unit])), {}});
      } else {
        core_of_unit_[unit] = cores_.size();
        cores_.push_back({});
        cores_.back().unit = unit;
      }
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
    }
    for (const Chain& chain : system_.chains)
      for (const TaskIndex task : chain.tasks) tasks_[task].in_chain = true;
    for (Device& device : devices_)
      for (const GpuContext& context : contexts_on(system_, device.unit, *input_.devices[device.unit])) {
        const auto added =
            device.gpu.add_context(context.slice, static_cast<nvidia::ContextPriority>(context.runlist_slots));
        for (const GpuStream& stream : context.streams) {
          const auto priority = stream.high_priority ? nvidia::StreamPriority::high : nvidia::StreamPriority::low;
          const auto index = device.gpu.add_stream(added, priority, false);
          for (const TaskIndex task : stream.tasks) tasks_[task].stream = index;
        }
      }
  }

  bool on_device(TaskIndex task) const { return system_.tasks[task].side == Side::device; }
  Core& core_of(TaskIndex task) { return cores_[core_of_unit_[system_.tasks[task].unit]]; }
  Device& device_of(TaskIndex task) { return devices_[device_of_unit_[system_.tasks[task].unit]]; }
  const Step& present_step(TaskIndex task) const { return input_.programs[task].steps[tasks_[task].step]; }
  bool at_end(TaskIndex task) const { return tasks_[task].step == input_.programs[task].steps.size(); }

  // ---- the clock

  Instant next_event() {
    Instant next = releases_.empty() ? Instant::never() : releases_.top().at;
    for (const Core& core : cores_) next = std::min(next, core.end);
    for (Device& device : devices_) next = std::min(next, device.gpu.next_event());
    return next;
  }

  void end_steps() {
    for (Core& core : cores_) {
      if (!core.running || core.end != now_) continue;
      TaskState& state = tasks_[*core.running];
      account_core(core);
      core.end = Instant::never();
      state.remaining = Duration{};
      next_step(*core.running);
      core.dirty = true;
      run_timeless_steps(core);
    }
  }

  void end_operations() {
    for (Device& device : devices_) {
      completed_.clear();
      device.gpu.advance(now_, completed_);
      for (const nvidia::OperationId id : completed_) {
        const TaskIndex task = device.task_of_operation[id];
        TaskState& state = tasks_[task];
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
      if (const auto* periodic = std::get_if<Periodic>(&system_.stimuli[stimulus].occurrence))
        if (periodic->period < longest_simulation) releases_.push({now_ + periodic->period, stimulus});
      for (const TaskIndex task : system_.stimuli[stimulus].activates) release(task);
    }
  }

  void settle() {
    for (bool again = true; again;) {
      again = !advanced_.empty();
      advance_device_tasks();
      for (Core& core : cores_)
        if (core.dirty) {
          core.dirty = false;
          schedule(core);
          again = true;
        }
    }
    for (Device& device : devices_) device.gpu.settle();
  }

  // ---- jobs

  void release(TaskIndex task) {
    TaskState& state = tasks_[task];
    const bool measured = is_measured(now_);
    if (state.active) {
      const std::uint32_t limit = system_.tasks[task].activation_limit;
      if (limit != 0 && state.backlog.size() + 1 >= limit) {
        if (measured) ++lost_[task];
        return;
      }
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
    state.account.start(now_, now_ - release, task);
    std::fill(state.runnable_seen.begin(), state.runnable_seen.end(), false);
    active_.push_back(task);
    load_step(task);
    if (on_device(task)) {
      advanced_.push_back(task);
    } else {
      core_of(task).ready.insert(task, system_.tasks[task].priority, now_);
      core_of(task).dirty = true;
    }
  }

  void load_step(TaskIndex task) {
    if (at_end(task)) return;
    const Step& step = present_step(task);
    tasks_[task].remaining = step.kind == StepKind::execute ? step.work : Duration{};
  }

  /// The present step begins to run (host) or is submitted (device).
  void begin_runnable(TaskIndex task) {
    const Step& step = present_step(task);
    TaskState& state = tasks_[task];
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
    ++state.step;
    load_step(task);
  }

  bool is_measured(Instant release) const { return release < Instant::at(input_.until); }

  void complete_job(TaskIndex task) {
    TaskState& state = tasks_[task];
    state.account.book(now_);
    state.active = false;
    if (state.in_chain) state.accesses.push_back({state.started.value_or(now_), now_});
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

  void set_events(const SetEvents& set) {
    for (TaskIndex task = 0; task < tasks_.size(); ++task) {
      if (set.task && *set.task != task) continue;
      TaskState& state = tasks_[task];
      for (const EventIndex event : set.events) state.events[event] = true;
      if (!state.active || !state.waiting || !satisfied(task, wait_of(task))) continue;
      if (on_device(task)) {
        advanced_.push_back(task);
      } else {
        // A polling task is still in the ready queue; one that waits passively comes back to its end.
        if (!wait_of(task).active) core_of(task).ready.insert(task, system_.tasks[task].priority, now_);
        core_of(task).dirty = true;
      }
      state.waiting = false;
    }
  }

  void act(TaskIndex task) {
    const Activity& activity = system_.graph[present_step(task).node].activity;
    if (const auto* trigger = std::get_if<Trigger>(&activity)) {
      for (const TaskIndex triggered : system_.stimuli[trigger->stimulus].activates) release(triggered);
    } else if (const auto* set = std::get_if<SetEvents>(&activity)) {
      set_events(*set);
    } else if (const auto* clear = std::get_if<ClearEvents>(&activity)) {
      for (const EventIndex event : clear->events) tasks_[task].events[event] = false;
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
      act(task);
      next_step(task);
    }
  }

  void submit(TaskIndex task, const Step& step) {
    Device& device = device_of(task);
    nvidia::DeviceOperation operation;
    operation.stream = tasks_[task].stream;
    operation.duration = step.work;
    const Activity& activity = system_.graph[step.node].activity;
    if (const auto* kernel = std::get_if<Kernel>(&activity)) {
      operation.kind = nvidia::StreamOperationKind::kernel;
      operation.memory_share = kernel->memory_intensity;
      operation.blocks = step.blocks;
      operation.block = step.block;
      if (kernel->launch) operation.cache_config = kernel->launch->cache_config;
    } else {
      operation.kind = operation_kind(std::get<Copy>(activity).kind);
    }
    begin_runnable(task);
    if (!tasks_[task].started) tasks_[task].started = now_;
    const nvidia::OperationId id = device.gpu.submit(operation);
    if (device.task_of_operation.size() <= id) device.task_of_operation.resize(id + 1);
    device.task_of_operation[id] = task;
    tasks_[task].operation = id;
    tasks_[task].submitted = now_;
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
    core.running = task;
    core.end = Instant::never();
    core.polling = false;
    if (task && !tasks_[*task].started) tasks_[*task].started = now_;
  }

  /// The running task has done its last step.
  void end_host_job(Core& core) {
    const TaskIndex task = *core.running;
    core.ready.remove(task);
    dispatch(core, std::nullopt);
    complete_job(task);
    begin_backlog(task);
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
      if (step.kind == StepKind::execute && !tasks_[task].remaining.is_zero()) return;
      if (step.kind == StepKind::wait && !satisfied(task, wait_of(task))) {
        tasks_[task].waiting = true;
        core.polling = wait_of(task).active;
        if (!core.polling) {
          core.ready.remove(task);
          dispatch(core, std::nullopt);
        }
        return;
      }
      core.polling = false;
      if (step.kind != StepKind::execute && step.kind != StepKind::wait) act(task);
      next_step(task);
    }
  }

  /// Lets the most urgent ready task run, through its timeless steps, up to one that takes time.
  void schedule(Core& core) {
    for (;;) {
      dispatch(core, core.ready.first());
      if (!core.running) return;
      const TaskIndex task = *core.running;
      run_timeless_steps(core);
      if (core.running != task || core.ready.first() != task) continue;  // it ended, or woke somebody more urgent
      if (core.polling) return;
      if (core.end == Instant::never()) {
        begin_runnable(task);
        account_core(core);
        core.end = now_ + tasks_[task].remaining;
      }
      return;
    }
  }

  // ---- why jobs take the time they take

  void update_accounts() {
    for (const TaskIndex task : active_) tasks_[task].account.change(now_, reason_of(task));
  }

  Reason reason_of(TaskIndex task) {
    const TaskState& state = tasks_[task];
    if (state.operation) return reason_of_operation(task);
    if (state.waiting) {
      for (const TaskIndex setter : present_step(task).setters)
        if (tasks_[setter].active && tasks_[setter].operation) return reason_of_operation(setter);
      const auto& setters = present_step(task).setters;
      return {ContributionKind::event, setters.empty() ? std::nullopt : std::optional(setters.front()), {}};
    }
    if (on_device(task)) return {};
    const Core& core = core_of(task);
    if (core.running == task) return {};
    return {ContributionKind::preemption, core.running, {}};
  }

  Reason reason_of_operation(TaskIndex task) {
    const Device& device = device_of(task);
    const nvidia::OperationId id = *tasks_[task].operation;
    const nvidia::Standing standing = device.gpu.standing(id);
    const auto by = standing.by ? std::optional(device.task_of_operation[*standing.by]) : std::nullopt;
    switch (standing.kind) {
      case nvidia::Standing::Kind::executing: {
        const bool is_kernel = device.gpu.operation(id).kind == nvidia::StreamOperationKind::kernel;
        return {is_kernel ? ContributionKind::kernel : ContributionKind::copy, by, standing.slowdown};
      }
      case nvidia::Standing::Kind::queued:
        return {ContributionKind::engine_queue, by, {}};
      case nvidia::Standing::Kind::waiting:
        return {ContributionKind::engine_slice, by, {}};
      case nvidia::Standing::Kind::switching:
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
    for (Core& core : cores_) {
      account_core(core);
      results.resources.push_back({core.unit, ResourceKind::core, share(core.busy), 0});
    }
    for (const Device& device : devices_) {
      results.resources.push_back({device.unit, ResourceKind::execution_engine, share(device.gpu.busy(0)), 0});
      Duration copies;
      for (nvidia::EngineIndex engine = 1; engine < device.gpu.engines(); ++engine) copies += device.gpu.busy(engine);
      const double engines = device.gpu.engines() - 1;
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
    if (!state.responses.empty()) {
      result.worst_release = worst_release_[task];
      result.contributions = std::move(worst_parts_[task]);
    }
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
  const System& system_;
  std::vector<TaskState> tasks_;
  std::vector<Core> cores_;
  std::vector<Device> devices_;
  std::vector<std::size_t> core_of_unit_, device_of_unit_;
  std::priority_queue<Release, std::vector<Release>, std::greater<>> releases_;
  std::vector<TaskIndex> active_;    ///< tasks with a job, in order of its start
  std::vector<TaskIndex> advanced_;  ///< device tasks that can go on
  std::vector<nvidia::OperationId> completed_;
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
