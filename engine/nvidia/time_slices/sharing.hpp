// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Facts of a problem that no response changes: its contexts and streams with their operations, their largest slowdowns,
/// and the demand of each task's jobs.

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "engine/nvidia/streams.hpp"
#include "engine/nvidia/time_slices/bound_time.hpp"

namespace amalthea::engine::nvidia::time_slices {

/// Per GPU: one copy engine, the execution engine, and the engine for copies from the device.
enum EngineKind : std::size_t { copy_engine, execution_engine, second_copy_engine };
constexpr std::size_t engines_per_gpu = 3;

inline bool executes_kernels(std::size_t engine) { return engine % engines_per_gpu == execution_engine; }

/// The largest slowdowns of an operation, or of all operations of a context on an engine, by what one context executes.
struct Slowdowns {
  Slowdown by_copies, by_kernels;
};

/// The same by everything.
struct AllSlowdowns {
  std::vector<Slowdowns> by_contexts = {};  ///< by context
  Slowdown by_cpu = {};
  Slowdown always = {};  ///< by constant CPU traffic
  Slowdown largest = {};

  void include(const AllSlowdowns& other) {
    if (by_contexts.empty()) by_contexts.resize(other.by_contexts.size());
    for (std::size_t context = 0; context < other.by_contexts.size(); ++context) {
      Slowdowns& by = by_contexts[context];
      by.by_copies = std::max(by.by_copies, other.by_contexts[context].by_copies);
      by.by_kernels = std::max(by.by_kernels, other.by_contexts[context].by_kernels);
    }
    by_cpu = std::max(by_cpu, other.by_cpu);
    always = std::max(always, other.always);
    largest = std::max(largest, other.largest);
  }
};

/// An operation in a stream, with its slowdown by others.
struct StreamOperation {
  const GpuOperation* operation = nullptr;
  std::size_t engine = 0;
  AllSlowdowns slowdown = {};
  Duration slowest = {};     ///< for a kernel of all its rounds
  KernelBlocks blocks = {};  ///< of a kernel, without slowdown
};

/// One task's use of a stream.
struct StreamUse {
  std::size_t task = 0;
  std::vector<StreamOperation> operations;
};

struct StreamFacts {
  std::size_t context = 0;
  StreamPriority priority = StreamPriority::low;
  std::vector<StreamUse> uses;  ///< one for each task
  bool overlapping = false;     ///< (11)
};

struct ContextFacts {
  std::size_t gpu = 0;
  Duration slice;
  ContextPriority priority = ContextPriority::medium;
  std::int64_t urgency = 0;
  const std::vector<gpu::KernelDelays>* sharing = nullptr;  ///< (12); null: (9)
  std::vector<std::size_t> streams = {};
  std::vector<std::size_t> tasks = {};       ///< that use it
  std::size_t place = 0;                     ///< index among the contexts of its GPU
  std::optional<BlockWeights> weights = {};  ///< if several tasks use it
  Duration longest_low_block = {};           ///< of all kernels of low priority, without slowdown
  std::array<AllSlowdowns, engines_per_gpu> slowdown = {};
  std::array<Duration, engines_per_gpu> overrun = {};

  bool is_private() const { return tasks.size() <= 1; }
};

/// The use of one engine by a task's jobs.
struct EngineUse {
  Duration work;           ///< per job, with maximum slowdown
  Duration undisturbed;    ///< per job, without slowdown
  std::int64_t turns = 0;  ///< per job
  Duration before, after;  ///< minimum time of a job before its first and after its last operation here
  std::vector<Duration> parts = {}, gaps = {};  ///< its groups, with maximum slowdown, and the minimum times after them
  /// The longest time for which jobs of the task may request it without a break; nothing: no limit is known.
  std::optional<Duration> longest_request = {};
};

/// Consecutive operations of a segment on one engine.
struct Group {
  std::size_t engine = 0;
  std::size_t stream = 0;
  std::vector<StreamOperation> operations;
  OperationGroup work;
  AllSlowdowns slowdown = {};

  void add(const StreamOperation& operation) {
    operations.push_back(operation);
    work.work = sum(work.work, operation.operation->worst);
    work.slowest = sum(work.slowest, operation.slowest);
    slowdown.include(operation.slowdown);
    work.full = slowdown.largest;
  }
};

struct TaskFacts {
  Duration execution;
  Duration best;
  bool offloads = false;
  bool several_contexts = false;
  std::vector<EngineUse> use;  ///< by engine
  /// Worst times, one before and one after every GPU segment, possibly zero.
  std::vector<Duration> cpu_segments = std::vector<Duration>(1);
  std::vector<Duration> gaps;  ///< the minimum time from the end of each of them to the next one
  std::vector<std::vector<Group>> segments;
  std::vector<WaitSegment> waits;  ///< in the order of the job's steps
  Duration path;                   ///< the shortest time of a job; of a task with a host, with what the host executes
  std::size_t first_groups = 0;    ///< the number of groups before which a job executes nothing

  /// How often a job may leave its core.
  std::int64_t stops() const { return static_cast<std::int64_t>(segments.size() + waits.size()); }
};

/// The contexts and streams of a problem with their operations.
class Sharing {
 public:
  explicit Sharing(const TimeSliceProblem& problem);

  /// The stream of a GPU segment.
  std::size_t stream_of(std::size_t task, const GpuSegment& segment) const;

  std::vector<ContextFacts> contexts;
  std::vector<StreamFacts> streams;

 private:
  void add_uses(std::size_t index);

  /// What other tasks may execute on a context's streams at the same time as a task.
  struct Aggressors {
    std::size_t gpu = 0;
    Slowdown copies = {};                                ///< of kernels by their copies
    double shares = 0;                                   ///< memory shares of kernels that may execute at the same time
    std::vector<std::vector<KernelInUse>> kernels = {};  ///< by stream
    std::vector<const GpuOperation*> launched = {};      ///< all kernels
  };

  /// The maximum slowdown of operations by what other tasks may execute at the same time. Operations of one stream
  /// follow one another, and so do those of a task. Kernels of other contexts never execute at the same time.
  void set_slowdowns(const StreamFacts& stream, StreamUse& use) const;

  Aggressors aggressors_of(const ContextFacts& context, const StreamFacts& stream, std::size_t task) const;

  /// Whether a block of the kernel may be on an SM with a block of one of these.
  bool shares_sms(const GpuOperation& kernel, const Aggressors& aggressors) const;

  /// By one context.
  Slowdowns slowdown_by(const Aggressors& aggressors, bool is_own, bool cpu_traffic,
                        const GpuOperation& operation) const;

  /// Time lost to rounding may cost a turn, so it is part of the work, but only where something slows an operation down:
  /// this one or, in a context that several tasks use, any of the context.
  void add_roundings(ContextFacts& context);
  /// The same for kernels that share SMs (12).
  void round_shared(ContextFacts& context);

  static void set_times(StreamOperation& operation);

  void find_facts(ContextFacts& context);

  const TimeSliceProblem& problem_;
  std::vector<std::optional<std::size_t>> own_stream_;         ///< of every task
  std::deque<GpuOperation> rounded_;                           ///< operations with what rounding adds to them
  std::deque<std::vector<gpu::KernelDelays>> rounded_delays_;  ///< of contexts
};

/// The label accesses of a task on a GPU's memory, zero if not stated.
inline Duration accesses_on(const std::vector<Duration>& accesses, std::size_t gpu) {
  return gpu < accesses.size() ? accesses[gpu] : Duration{};
}

TaskFacts facts_of(const TimeSliceProblem& problem, const Sharing& sharing, std::size_t index);

}  // namespace amalthea::engine::nvidia::time_slices
