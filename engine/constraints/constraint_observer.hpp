// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Observes what the timing constraints of a system need from its simulation: the instants of their events. For
/// constraints on data and on the order of runnables, a separate judge processes accesses and jobs.
///
/// Events are those of the execution, as in traces. A label is read when its access begins and written when it ends, at
/// the position of the access in the job (explicit communication). A copy or kernel reads when it is submitted and
/// writes when it ends. A runnable starts with its call and terminates with its return; it is suspended while its
/// process has no core, and while a runnable that it calls executes. A semaphore is locked when its request is granted.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/graph/system.hpp"
#include "engine/constraints/constraint_judge.hpp"
#include "engine/program/program.hpp"
#include "engine/simulation/simulation_observer.hpp"

namespace amalthea::engine {

/// A run of a runnable in a program: its first step, and the step after its last one.
struct RunExtent {
  std::uint32_t begin = 0, end = 0;
  RunnableIndex runnable = 0;
};
/// In the order of their first steps, callers before callees.
std::vector<RunExtent> run_extents(const System& system, const Program& program);

/// Whether this step of a task makes the event occur when it begins (label reads) or when it ends (label writes,
/// semaphores, modes, custom events). Not for events of processes, runnables and stimuli.
enum class StepMoment : std::uint8_t { never, begin, end };
StepMoment moment_of(const System& system, const ObservableEvent& event, TaskIndex task, const Step& step);
/// The labels that a step reads (when it begins) or writes (when it ends).
std::vector<LabelIndex> labels_of(const System& system, const Step& step, bool write);

/// The limits of a data age constraint in time: an age of n periods is at least n and less than n + 1 periods. Or, as a
/// clause, why it has no such limits: they are in periods of the writer, and the label is not written by exactly one
/// periodic process.
tl::expected<TimeLimits, std::string> limits_in_time(const System& system, const DataAge& age);

class ConstraintObserver final : public SimulationObserver {
 public:
  /// Beyond this number of instants, nothing more is recorded, and the window ends there.
  static constexpr std::size_t max_instants = 4'000'000;

  explicit ConstraintObserver(const System& system, std::size_t most = max_instants);

  bool wants_intervals() const override { return false; }
  /// Whether any constraint needs the simulation.
  bool wants_events() const override { return wanted_; }

  void begins(const SimulationInput& input) override;
  void occurred(StimulusIndex stimulus, std::optional<TaskIndex> by, Instant now) override;
  void process(const ProcessChange& change) override;
  void step_begins(TaskIndex task, std::uint64_t job, std::size_t step, Instant now) override;
  void step_ends(TaskIndex task, std::uint64_t job, std::size_t step, Instant now) override;
  void ended(Instant now) override { end_ = now; }

  // Instead of steps, for events that were measured. A process and its stimuli are observed as above.

  /// A runnable starts, is suspended, is resumed or terminates in a process.
  void runnable(TaskIndex task, RunnableIndex runnable, EventAction action, Instant now);
  /// A process reads a label, or has written it, in a runnable if it is in one.
  void access(const LabelUse& use);

  /// When the simulation ended.
  Instant end() const { return end_; }
  /// The first instant that is not recorded completely.
  std::optional<Instant> full_from() const { return full_from_; }

  /// For the `event`-th event of a constraint, in the order in which the constraint lists them; for chains one after
  /// the other.
  Occurrences occurrences(std::size_t constraint, std::size_t event) const;
  /// For data age, coherency, stability and runnable sequencing.
  Judgement judgement(std::size_t constraint) const;

 private:
  using Sequence = std::uint32_t;
  struct Watched {
    const ObservableEvent* event = nullptr;
    std::vector<Instant> instants;
  };
  /// For a step that some constraint needs.
  struct StepFacts {
    std::vector<Sequence> at_begin, at_end;
    std::vector<LabelIndex> reads, writes;  ///< labels of groups and data age constraints
    std::vector<RunExtent> runs;            ///< runs that begin here
  };
  struct OpenRun {
    RunExtent extent;
    std::optional<std::size_t> index;  ///< index among the recorded runs of this job
    bool suspended = false;            ///< together with its process
    bool calls = false;                ///< it executes a runnable that it called
  };
  struct TaskState {
    std::uint64_t job = 0;
    std::optional<UnitIndex> unit;
    std::vector<OpenRun> open;
    bool records_runs = false;
    bool whole = false;  ///< the current job was observed from its start
    std::vector<RunnableRun> runs;
    std::vector<std::size_t> measured;  ///< of these, those that were measured to start and not to terminate
  };
  struct AgeOf {
    std::size_t constraint;
    DataAgeJudge judge;
  };
  struct IntrusionOf {
    std::size_t constraint;
    std::vector<LabelIndex> labels;
    IntrusionJudge judge;
  };
  struct SequenceOf {
    std::size_t constraint;
    const RunnableSequence* sequence;
    Judgement judgement;
  };

  void watch(std::size_t index);
  void record(Sequence sequence, Instant now);
  void use(TaskIndex task, std::uint64_t job, const Step& step, LabelIndex label, bool write, Instant now);
  const StepFacts* facts(TaskIndex task, std::size_t step) const;
  void notify_run(TaskIndex task, RunnableIndex runnable, EventAction action, Instant now);
  void close_runs(TaskIndex task, std::size_t at, Instant now);
  void open_run(TaskIndex task, const RunExtent& extent, Instant now);
  void end_job(TaskIndex task, Instant now);

  const System& system_;
  const std::size_t most_;
  bool wanted_ = false;
  bool wants_runs_ = false;
  std::vector<std::vector<Sequence>> events_;  ///< by constraint: the events it lists
  std::vector<Watched> watched_;
  std::vector<Sequence> processes_, runnables_, stimuli_;  ///< of events of that kind
  std::vector<AgeOf> ages_;
  std::vector<IntrusionOf> intrusions_;
  std::vector<SequenceOf> sequences_;
  const std::vector<Program>* programs_ = nullptr;
  std::vector<StepFacts> facts_;  ///< the first entry stands for all steps that no constraint needs
  std::vector<std::vector<std::uint32_t>> facts_of_step_;  ///< by task
  std::vector<TaskState> tasks_;
  std::size_t recorded_ = 0;
  std::optional<Instant> full_from_;
  Instant end_;
};

}  // namespace amalthea::engine
