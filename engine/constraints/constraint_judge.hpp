// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Timing constraints against what happened in a window of time: on instants and accesses alone, wherever they come
/// from.
///
/// An occurrence whose partner may lie beyond the window is not judged. What is judged and breaks a constraint breaks
/// it whatever follows; what is met is met as far as the window goes. docs/reference/constraints.md says what each constraint
/// demands.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "amalthea/graph/constraint.hpp"
#include "amalthea/time.hpp"
#include "engine/results/chain_result.hpp"

namespace amalthea::engine {

/// All that happened from `from` to `to`, both included.
struct Window {
  Instant from;
  Instant to;
  /// Something may have happened before: one-to-one mappings, order and synchronization then begin with the first
  /// occurrence of the source (the first event), and leave out occurrences of others that belong to earlier ones.
  bool cut_at_start = false;
};

/// The occurrences of one event, in order of time.
using Occurrences = std::span<const Instant>;

/// An occurrence that breaks a constraint.
struct Breach {
  /// Which of the constraint's events: 0 the source, 1 the target; of runnable sequencing the runnable.
  std::size_t event = 0;
  std::size_t number = 0;  ///< of the occurrence, of a job for what is judged by jobs; from 0
  Instant at;
  /// What was there instead of what was demanded: the next target, the one it belongs to, the occurrence before, the
  /// last of a group, the responses or stimuli of both chains, the write, the access in between. May be empty.
  std::vector<Instant> others = {};
  std::optional<TaskIndex> task = {};  ///< whose job it is, of constraints on data and runnables
  friend bool operator==(const Breach&, const Breach&) = default;
};

struct Judgement {
  std::uint64_t judged = 0;  ///< occurrences, pairs, groups or jobs
  std::uint64_t broken = 0;  ///< of them
  std::optional<Breach> first = {};
  std::optional<Duration> least = {}, most = {};  ///< of the distances (delays, ages, widths) of those that are judged

  LimitVerdict verdict() const {
    return broken > 0 ? LimitVerdict::missed : judged > 0 ? LimitVerdict::met : LimitVerdict::unknown;
  }
  void meets(std::optional<Duration> distance = {});
  void breaks(Breach breach, std::optional<Duration> distance = {});
};

/// For every source a target within the limits; see DelayLimit::Mapping.
Judgement judge_delay(Occurrences source, Occurrences target, const TimeLimits& limits, DelayLimit::Mapping mapping,
                      const Window& window);
/// The i-th target not before the i-th source.
Judgement judge_order(Occurrences source, Occurrences target, const Window& window);
/// By intervals in which the ideal occurrences may lie, one per residue of the number modulo the span: exact. An
/// occurrence that breaks it begins anew.
Judgement judge_repetition(Occurrences event, std::int64_t span, const TimeLimits& limits, Duration jitter);
/// Of at least two events.
Judgement judge_synchronization(std::span<const Occurrences> events, Duration tolerance, bool multiple_occurrences,
                                const Window& window);
/// Of two chains, the events of each in order.
Judgement judge_chain_synchronization(std::span<const std::vector<Occurrences>> chains, ChainSynchronization::Of of,
                                      Duration tolerance, const Window& window);

/// A label is read, or has been written.
struct LabelUse {
  Instant at;
  TaskIndex task = 0;
  std::uint64_t job = 0;  ///< of the task, in order
  std::optional<RunnableIndex> runnable;
  LabelIndex label = 0;
  bool write = false;
};

/// Takes all accesses to the label in the order in which they happen. A read before any write is not judged.
class DataAgeJudge {
 public:
  DataAgeJudge(RunnableIndex runnable, LabelIndex label, const TimeLimits& limits)
      : runnable_(runnable), label_(label), limits_(limits) {}
  void take(const LabelUse& use);
  const Judgement& judgement() const { return judgement_; }

 private:
  RunnableIndex runnable_;
  LabelIndex label_;
  TimeLimits limits_;
  std::optional<Instant> written_;
  std::size_t reads_ = 0;
  Judgement judgement_;
};

/// Whether others come in between the accesses of a job: all accesses to the labels of a group, and where jobs begin
/// and end, in the order in which they happen. Jobs that are seen whole are judged, and those that are broken.
class IntrusionJudge {
 public:
  enum class Demand : std::uint8_t {
    coherent_input,   ///< nobody else writes a label of the group between the first and the last read
    coherent_output,  ///< nobody else reads one between the first and the last write
    stable,           ///< nobody else writes a label between the first and the last read of that label
  };
  IntrusionJudge(DataScope scope, Demand demand) : scope_(std::move(scope)), demand_(demand) {}
  void begin_job(TaskIndex task, std::uint64_t job);
  void take(const LabelUse& use);
  void end_job(TaskIndex task);
  const Judgement& judgement() const { return judgement_; }

 private:
  /// The accesses of a job to the group, or to one label of it, so far.
  struct Section {
    std::uint64_t job = 0;
    std::optional<Instant> intruder;  ///< since the first access
  };
  struct Job {
    std::uint64_t job = 0;
    bool whole = false;
    bool touched = false;
    bool broken = false;
  };
  bool is_own(const LabelUse& use) const;

  DataScope scope_;
  Demand demand_;
  std::map<std::pair<TaskIndex, LabelIndex>, Section> sections_;
  std::map<TaskIndex, Job> jobs_;
  Judgement judgement_;
};

/// A runnable in a job, from its call to its return.
struct RunnableRun {
  RunnableIndex runnable = 0;
  Instant start;
  std::optional<std::size_t> caller = {};  ///< the run that called it, an earlier one
};
/// The first run in a whole job of the task, in order of their starts, that is not where the sequence wants it; nothing
/// where the job keeps it. `applies`: whether anything of the job was to be judged: runs of two groups, or of one of
/// which all members are to run.
struct SequenceFinding {
  bool applies = false;
  std::optional<std::size_t> run;
};
SequenceFinding judge_sequence(const RunnableSequence& sequence, TaskIndex task, std::span<const RunnableRun> runs);

/// Sum and difference, but no more or less than can be held: limits may be anything.
Instant saturated(Instant instant, Duration distance, bool backwards = false);

}  // namespace amalthea::engine
