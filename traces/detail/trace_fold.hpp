// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The events of one trace, folded into what was measured: the states of all processes and runnables, and every rule
/// that an event may break.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/constraints/constraint_observer.hpp"
#include "engine/measurement.hpp"
#include "engine/program/arrivals.hpp"
#include "engine/program/program.hpp"
#include "engine/simulation/simulation.hpp"
#include "traces/comparison.hpp"
#include "traces/detail/open_jobs.hpp"
#include "traces/detail/trace_findings.hpp"

namespace amalthea::traces {

/// What a trace may show of a system.
struct Expectations {
  explicit Expectations(const ComparisonInput& input, const engine::SimulationInput& simulation);

  const engine::SimulationInput& simulation;
  std::vector<std::optional<Duration>> longest;               ///< execution of a job, by task; nothing: unknown
  std::vector<std::optional<Duration>> bounds;                ///< on response times, by task
  std::vector<std::optional<Duration>> operation_bounds;      ///< from submission to end, by operation
  std::vector<std::optional<engine::ArrivalBound>> arrivals;  ///< by stimulus
  /// How often every job accesses its labels, by task; nothing for programs with branches.
  std::vector<std::optional<std::map<LabelAccess, std::uint64_t>>> accesses;
  std::set<std::pair<RunnableIndex, TaskIndex>> callers;  ///< what the tasks call
  std::vector<bool> may_sleep;                            ///< within a job, by task
  std::vector<bool> in_chain;                             ///< by task
};

class TraceFold final : public TraceSink {
 public:
  /// `observer` may be null, as in ComparisonInput.
  TraceFold(const ComparisonInput& input, const Expectations& expected, Comparison& comparison, TraceFindings& findings,
            engine::SimulationObserver* observer);

  void resolution(Duration unit) override { resolution_ = unit; }
  void entity(const Entity& entity) override;
  void event(const Event& event) override;
  void problem(const Problem& problem) override;

  /// After the last event: what has not ended, and the verdicts on this trace.
  void end(TraceFile file);

 private:
  using State = engine::ProcessState;

  struct JobBefore {
    Instant activation, start, end;
  };
  struct Process {
    OpenJobs jobs;
    std::optional<JobBefore> before;
    EntityIndex last_core = no_entity;
    Instant shown;                                                  ///< up to here the observer knows the task
    std::map<LabelAccess, bool> seen;                               ///< accesses of its jobs
    std::map<LabelAccess, std::pair<std::uint64_t, Place>> unseen;  ///< the first job without one that is not seen yet
  };
  struct Core {
    EntityIndex process = no_entity;  ///< runs or polls there
    std::uint64_t instance = 0;
    Instant since;
    Place place;                        ///< of the event that brought it there
    EntityIndex preempted = no_entity;  ///< at `preempted_at`, by whoever comes next
    Instant preempted_at;
  };
  struct Source {                              ///< a stimulus
    std::optional<std::uint64_t> last;         ///< instance of its last occurrence
    std::optional<bool> measured;              ///< the job that caused it is measured
    std::uint64_t by = 0;                      ///< instance of that job
    std::optional<std::uint64_t> untriggered;  ///< of an activation before any occurrence
    Place untriggered_at;
    std::vector<std::uint32_t> awaited;  ///< what the last occurrence has not activated yet: tasks, or an operation
    Instant at;
    Place place;
    std::map<EntityIndex, std::deque<Instant>> activations;  ///< the last ones, by process
  };

  void process(const Event& event);
  void interval(const Event& event);
  void execution(const Event& event);
  void runnable(const Event& event);
  void access(const Event& event);
  void trigger(const Event& event);
  void forget(const Event& event);

  void activate(const Event& event);
  Job& job_of(const Event& event, std::optional<State> needed);
  Job* open_job(EntityIndex process, std::uint64_t instance) { return processes_[process].jobs.find(instance); }
  /// Forgets the oldest job of the process where too many are open.
  Job& add_job(EntityIndex process, Job job);
  void remove_job(EntityIndex process, const Job& job);
  /// Whether so much more of the job may be kept; else what is known of the job is not all of it.
  bool may_keep(Job& job, std::size_t memory);
  void account(EntityIndex process, Job& job, Instant now);
  void show(EntityIndex process, const Job& job, Instant from, Instant to, std::optional<RunnableIndex> runnable);
  std::optional<NodeIndex> node_of(TaskIndex task, RunnableIndex runnable);
  void count(EntityIndex process, const Job& job, std::uint64_t engine::ProcessMetrics::*what);
  std::optional<RunnableIndex> runnable_of(const Run* run) const;
  void occupy(UnitIndex unit, Instant from, Instant to);
  void move_to(Job& job, const Event& event);
  void take_core(Job& job, const Event& event);
  void leave_core(const Job& job, const Event& event);
  void check_core(const Event& event);
  void check_urgency(const Event& event, const Core& core);
  void check_arrival(const Event& event, StimulusIndex stimulus, std::deque<Instant>& last);
  /// Of a process that has slept. False if nothing tells whether a job begins.
  bool check_waking(const Event& event, TaskIndex task);
  void check_accesses(Process& process, const Job& job, TaskIndex task, const Event& event);
  /// `takes` states what the time is, with {} for it.
  void check_bound(const Event& event, const std::string& who, std::string_view takes, Duration time,
                   std::optional<Duration> bound);
  void report_awaited(EntityIndex entity);
  void report_untriggered(EntityIndex entity);
  void end_run(Job& job, Run& run, TaskIndex task, const Event& event);
  void end_job(Job& job, const Event& event);
  void measure_job(Process& process, Job& job, TaskIndex task, const Event& event);
  void notify(const Event& event, const Job& job);
  void occurs(StimulusIndex stimulus, std::uint64_t number, Instant now);

  Subject kernel_of(Subject subject) const;
  bool is_measured(Instant activation) const;
  MeasuredRunnable& measured(TaskIndex task, RunnableIndex runnable);
  const std::string& name(EntityIndex entity) const { return entities_[entity].name; }
  std::string job_text(EntityIndex process, std::uint64_t instance) const;
  void report(TraceFinding kind, const Event& event, std::string message) {
    findings_.add(kind, event.place, std::move(message));
  }
  void illegal(const Event& event, std::string_view what, std::string_view state, EntityIndex process,
               std::uint64_t instance);

  const ComparisonInput& input_;
  const System& system_;
  const Expectations& expected_;
  Comparison& comparison_;
  TraceFindings& findings_;
  engine::SimulationObserver* shown_;
  std::map<TaskIndex, Instant> shown_operations_;
  std::map<std::pair<TaskIndex, RunnableIndex>, std::optional<NodeIndex>> nodes_;
  engine::ConstraintObserver observer_;
  engine::Results results_;
  engine::ChainWindows chains_;
  std::size_t accesses_ = 0;  ///< of tasks in chains, since those before were folded
  std::vector<Entity> entities_;
  std::vector<Subject> subjects_;
  std::vector<std::uint64_t> counts_;  ///< events, by entity
  std::vector<Process> processes_;     ///< by entity, as the following ones
  std::size_t open_memory_ = 0;        ///< of all open jobs, in bytes
  std::vector<Core> cores_;
  std::vector<Source> sources_;
  struct Occurring {
    Occurrences occurrences;
    std::optional<Instant> last;
    bool triggers = false;  ///< the trace contains the stimulus itself
  };
  std::vector<Occurring> occurring_;                    ///< by stimulus
  std::vector<std::vector<StimulusIndex>> stimuli_of_;  ///< by task: those that activate it
  std::vector<Duration> busy_;                          ///< by unit
  Duration resolution_ = Duration::picoseconds(1);
  Instant now_, begin_;
  bool begun_ = false, truncated_ = false, any_trigger_ = false, has_intervals_ = false;
  bool has_sources_ = true;  ///< activations name their stimulus
};

}  // namespace amalthea::traces
