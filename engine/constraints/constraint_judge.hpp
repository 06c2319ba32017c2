// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Checks timing constraints against the events in a time window. Works on instants and accesses only, whatever their
/// source.
///
/// An occurrence whose partner may lie outside the window is not judged. A violation is final. A constraint that is met
/// is met within the window only. docs/reference/constraints.md defines each constraint.

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

/// Everything that happened from `from` to `to`, both inclusive.
struct Window {
  Instant from;
  Instant to;
  /// Events may have occurred before the window. Then one-to-one mappings, order and synchronization start with the
  /// first occurrence of the source (the first event), and skip occurrences of others that belong to earlier ones.
  bool cut_at_start = false;
};

/// The occurrences of one event, in order of time.
using Occurrences = std::span<const Instant>;

/// An occurrence that violates a constraint.
struct Breach {
  /// The event of the constraint: 0 the source, 1 the target; for runnable sequencing the runnable.
  std::size_t event = 0;
  std::size_t number = 0;  ///< of the occurrence, or of the job if jobs are judged; from 0
  Instant at;
  /// What occurred instead of what was required: the next target, the one it belongs to, the previous occurrence, the
  /// last of a group, the responses or stimuli of both chains, the write, the access in between. May be empty.
  std::vector<Instant> others = {};
  std::optional<TaskIndex> task = {};  ///< the task of the job, for constraints on data and runnables
  friend bool operator==(const Breach&, const Breach&) = default;
};

struct Judgement {
  std::uint64_t judged = 0;  ///< number of occurrences, pairs, groups or jobs
  std::uint64_t broken = 0;  ///< number of violations among them
  std::optional<Breach> first = {};
  std::optional<Duration> least = {}, most = {};  ///< over the judged distances (delays, ages, widths)

  LimitVerdict verdict() const {
    return broken > 0 ? LimitVerdict::missed : judged > 0 ? LimitVerdict::met : LimitVerdict::unknown;
  }
  void meets(std::optional<Duration> distance = {});
  void breaks(Breach breach, std::optional<Duration> distance = {});
};

/// Every source needs a target within the limits; see DelayLimit::Mapping.
Judgement judge_delay(Occurrences source, Occurrences target, const TimeLimits& limits, DelayLimit::Mapping mapping,
                      const Window& window);
/// The i-th target must not precede the i-th source.
Judgement judge_order(Occurrences source, Occurrences target, const Window& window);
/// Exact: computes the intervals in which the ideal occurrences may lie, one for each residue of the number modulo the
/// span. After a violation the check restarts at that occurrence.
Judgement judge_repetition(Occurrences event, std::int64_t span, const TimeLimits& limits, Duration jitter);
/// For at least two events.
Judgement judge_synchronization(std::span<const Occurrences> events, Duration tolerance, bool multiple_occurrences,
                                const Window& window);
/// For two chains; the events of each in order.
Judgement judge_chain_synchronization(std::span<const std::vector<Occurrences>> chains, ChainSynchronization::Of of,
                                      Duration tolerance, const Window& window);

/// A read of a label, or a completed write.
struct LabelUse {
  Instant at;
  TaskIndex task = 0;
  std::uint64_t job = 0;  ///< number of the job within the task
  std::optional<RunnableIndex> runnable;
  LabelIndex label = 0;
  bool write = false;
};

/// Takes all accesses to the label in the order of time. Does not judge a read before the first write.
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

/// Whether other jobs access a group of labels between the accesses of a job. Takes all accesses to the labels of the
/// group, and the begin and end of jobs, in the order of time. Judges jobs that were observed completely, and jobs with
/// a violation.
class IntrusionJudge {
 public:
  enum class Demand : std::uint8_t {
    coherent_input,   ///< no other job writes a label of the group between the first and the last read
    coherent_output,  ///< no other job reads one between the first and the last write
    stable,           ///< no other job writes a label between the first and the last read of that label
  };
  IntrusionJudge(DataScope scope, Demand demand) : scope_(std::move(scope)), demand_(demand) {}
  void begin_job(TaskIndex task, std::uint64_t job);
  void take(const LabelUse& use);
  void end_job(TaskIndex task);
  const Judgement& judgement() const { return judgement_; }

 private:
  /// The accesses of a job to the group, or to one label of it, up to now.
  struct Section {
    std::uint64_t job = 0;
    std::optional<Instant> intruder;  ///< first foreign access since the first access of the job
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

/// A run of a runnable in a job, from call to return.
struct RunnableRun {
  RunnableIndex runnable = 0;
  Instant start;
  std::optional<std::size_t> caller = {};  ///< index of the calling run, an earlier one
};
/// The first run in a job of the task, in the order of starts, that violates the sequence; nothing if the job keeps it.
/// `applies`: whether the job contains anything to judge: runs of two groups, or of a group whose members must all run.
struct SequenceFinding {
  bool applies = false;
  std::optional<std::size_t> run;
};
SequenceFinding judge_sequence(const RunnableSequence& sequence, TaskIndex task, std::span<const RunnableRun> runs);

/// Sum and difference, saturated at the limits of the type, since stated limits may have any value.
Instant saturated(Instant instant, Duration distance, bool backwards = false);

}  // namespace amalthea::engine
