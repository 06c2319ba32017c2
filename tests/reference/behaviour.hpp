// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a model leaves open, and one choice of answers. A model and a Behaviour determine an execution.
/// docs/theory/semantics.md lists all kinds of questions and the meaning of their answers.

#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace reference {

using Time = std::int64_t;  ///< picoseconds
__extension__ typedef __int128 Wide;
constexpr Time never = std::numeric_limits<Time>::max() / 4;

/// Something that this reading does not know, or that has no meaning.
class Refused : public std::runtime_error {
 public:
  Refused(const std::string& where, const std::string& what) : std::runtime_error(where + ": " + what) {}
};

/// One question that a model leaves open. `ordinal` counts the questions of this kind about this entity, so that another
/// answer does not shift the answers about other entities. Every answer in [least, most] is legal. Where the answer picks
/// one of several, 0 is the documented default.
struct Question {
  enum class Kind : std::uint8_t {
    offset,               ///< of a stimulus, in place of the stated one (RunOptions::any_offsets)
    jitter,               ///< of each occurrence of a stimulus
    distance,             ///< to the next occurrence of a stimulus
    burst_position,       ///< of each occurrence in its burst
    occurrence,           ///< of an arrival curve or in a step of a variable rate: how far behind the earliest
    execution_time,       ///< of each step of a task: ticks, accesses, overhead
    alternative,          ///< of a switch of a task, of a mode by an event outside
    iterations,           ///< of a loop of a task whose condition is not known
    access_position,      ///< of the items of unordered groups of a task
    ready_tie,            ///< which of several equally urgent ready tasks of a scheduler runs
    semaphore_tie,        ///< which of several equally urgent tasks gets a semaphore
    core_choice,          ///< which of several free cores a task gets
    simultaneous_events,  ///< what comes first at one instant
    preemption,           ///< whether a job that makes another one ready first goes on with what takes no time
    schedule_point,       ///< whether a schedule point of a non-preemptive task lets others run
    cooperation,          ///< whether tasks between may run while a cooperative task waits for the end of a runnable
    server_phase,         ///< when the first period of a server begins
    gpu_request_order,
    gpu_tie,
    gpu_slice_phase,
    gpu_slowdown,
    block_order,
    block_time,
    warp_order,  ///< with which warp an SM begins a cycle
    activation,  ///< whether an activation precedes the end of a job at the same instant, and is lost
    count
  };

  Kind kind = Kind::offset;
  std::uint32_t entity = 0;  ///< stimulus, task, scheduler, semaphore, core or GPU: index in the Model's list
  std::uint64_t ordinal = 0;
  std::int64_t least = 0, most = 0;
};

constexpr std::size_t question_kinds = static_cast<std::size_t>(Question::Kind::count);

/// Stored answers where there are some, all others by a rule. Answers by chance depend on the seed and on the question
/// alone, not on other answers.
class Behaviour {
 public:
  enum class Rule : std::uint8_t {
    least,
    most,
    random,   ///< uniform
    corners,  ///< least or most, seldom between
  };
  struct Answered {
    Question question;
    std::int64_t value = 0;
  };

  explicit Behaviour(Rule rule = Rule::least, std::uint64_t seed = 0) : seed_(seed) { rules_.fill(rule); }

  void rule(Rule rule) { rules_.fill(rule); }
  void rule(Question::Kind kind, Rule rule) { rules_[static_cast<std::size_t>(kind)] = rule; }
  void seed(std::uint64_t seed) { seed_ = seed; }

  /// Stores an answer; it is limited to [least, most] when it is used.
  void set(Question::Kind kind, std::uint32_t entity, std::uint64_t ordinal, std::int64_t value);
  /// Stores every answer of the last run (if recorded), so that the next run is the same under any rule and seed.
  void keep_answers();

  std::int64_t answer(const Question&);
  /// The next question of its kind about the entity.
  std::int64_t ask(Question::Kind kind, std::uint32_t entity, std::int64_t least, std::int64_t most);

  /// Whether answered() is filled (default), in the order of the questions, without those that had one answer only.
  void record(bool on) { recording_ = on; }
  const std::vector<Answered>& answered() const { return answered_; }
  /// The same stored answers, rules and seed, without answered().
  Behaviour again() const;
  /// A new run begins; run() calls it. Stored answers, rules and seed stay.
  void restart();

 private:
  static std::uint64_t key(Question::Kind kind, std::uint32_t entity, std::uint64_t ordinal) {
    return static_cast<std::uint64_t>(kind) << 58 | static_cast<std::uint64_t>(entity) << 40 | ordinal;
  }

  std::uint64_t seed_ = 0;
  bool recording_ = true;
  std::array<Rule, question_kinds> rules_{};
  std::array<std::vector<std::uint64_t>, question_kinds> asked_;  ///< by kind and entity
  std::vector<std::pair<std::uint64_t, std::int64_t>> stored_;    ///< by key, in order
  std::vector<Answered> answered_;
};

}  // namespace reference
