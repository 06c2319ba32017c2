// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What of a simulation the timing constraints of its system ask for, and nothing else: the instants of their events,
/// and for constraints on data and on the order of runnables what a judge of its own makes of accesses and jobs.
///
/// Events are those of the execution, as traces show them: a label is read when its access begins and written when it
/// ends, where the access stands in the job (explicit communication); a copy or kernel reads as it is submitted and
/// writes as it ends. A runnable starts with its call and terminates with its return; it is suspended while its process
/// has no core, and while a runnable that it calls executes. A semaphore is locked when its request is granted.

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

/// The runs of runnables in a program: where each begins, and the step behind its last one.
struct RunExtent {
  std::uint32_t begin = 0, end = 0;
  RunnableIndex runnable = 0;
};
/// In order of their first steps, callers before those they call.
std::vector<RunExtent> run_extents(const System& system, const Program& program);

/// What a watched event is made of: whether this step of a task makes it occur as it begins (label reads), or as it
/// ends (label writes, semaphores, modes, custom events). Not for events of processes, runnables and stimuli.
enum class StepMoment : std::uint8_t { never, begin, end };
StepMoment moment_of(const System& system, const ObservableEvent& event, TaskIndex task, const Step& step);
/// The labels that a step reads (as it begins) or writes (as it ends).
std::vector<LabelIndex> labels_of(const System& system, const Step& step, bool write);

/// What a data age demands, in time: an age of n periods is at least n and below n + 1 of them. Or, as a clause, why it
/// has no such limits: they are in periods of the writer, and the label is not written by one periodic process alone.
tl::expected<TimeLimits, std::string> limits_in_time(const System& system, const DataAge& age);

class ConstraintObserver final : public SimulationObserver {
 public:
  /// Where more instants than this come together the rest is not recorded, and the window ends before it.
  static constexpr std::size_t max_instants = 4'000'000;

  explicit ConstraintObserver(const System& system, std::size_t most = max_instants);

  bool wants_intervals() const override { return false; }
  /// Whether any constraint asks for anything of the simulation.
  bool wants_events() const override { return wanted_; }

  void begins(const SimulationInput& input) override;
  void occurred(StimulusIndex stimulus, std::optional<TaskIndex> by, Instant now) override;
  void process(const ProcessChange& change) override;
  void step_begins(TaskIndex task, std::uint64_t job, std::size_t step, Instant now) override;
  void step_ends(TaskIndex task, std::uint64_t job, std::size_t step, Instant now) override;
  void ended(Instant now) override { end_ = now; }

  /// When the simulation ended.
  Instant end() const { return end_; }
  /// The first instant of which not everything is recorded.
  std::optional<Instant> full_from() const { return full_from_; }

  /// Of the `event`-th event of a constraint in the order in which the constraint names them; chains one after the
  /// other.
  Occurrences occurrences(std::size_t constraint, std::size_t event) const;
  /// Of data age, coherency, stability and runnable sequencing.
  Judgement judgement(std::size_t constraint) const;

 private:
  using Sequence = std::uint32_t;
  struct Watched {
    const ObservableEvent* event = nullptr;
    std::vector<Instant> instants;
  };
  /// Of a step that some constraint asks for.
  struct StepFacts {
    std::vector<Sequence> at_begin, at_end;
    std::vector<LabelIndex> reads, writes;  ///< of groups and data ages
    std::vector<RunExtent> runs;            ///< that begin here
  };
  struct OpenRun {
    RunExtent extent;
    std::optional<std::size_t> index;  ///< among the runs of this job, where they are recorded
    bool suspended = false;            ///< with its process
    bool calls = false;                ///< executes a runnable that it called
  };
  struct TaskState {
    std::uint64_t job = 0;
    std::optional<UnitIndex> unit;
    std::vector<OpenRun> open;
    bool records_runs = false;
    bool whole = false;  ///< the present job was seen from its start
    std::vector<RunnableRun> runs;
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
  std::vector<std::vector<Sequence>> events_;  ///< by constraint, those it names
  std::vector<Watched> watched_;
  std::vector<Sequence> processes_, runnables_, stimuli_;  ///< of events of that kind
  std::vector<AgeOf> ages_;
  std::vector<IntrusionOf> intrusions_;
  std::vector<SequenceOf> sequences_;
  const std::vector<Program>* programs_ = nullptr;
  std::vector<StepFacts> facts_;                           ///< the first is that of all steps nobody asks for
  std::vector<std::vector<std::uint32_t>> facts_of_step_;  ///< by task
  std::vector<TaskState> tasks_;
  std::size_t recorded_ = 0;
  std::optional<Instant> full_from_;
  Instant end_;
};

}  // namespace amalthea::engine
