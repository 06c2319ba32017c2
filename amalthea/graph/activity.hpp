// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Activities: the steps of tasks and nodes of runnable graphs. A runnable call, a label read or write, ticks, a
/// trigger, events that are set, awaited and cleared; in device tasks copies and kernels.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "amalthea/graph/platform.hpp"
#include "amalthea/origin.hpp"

namespace amalthea {

using TaskIndex = std::uint32_t;       ///< into System::tasks
using RunnableIndex = std::uint32_t;   ///< into System::runnables
using LabelIndex = std::uint32_t;      ///< into System::labels
using EventIndex = std::uint32_t;      ///< into System::events
using StimulusIndex = std::uint32_t;   ///< into System::stimuli
using ModeIndex = std::uint32_t;       ///< into System::modes
using SemaphoreIndex = std::uint32_t;  ///< into System::semaphores

struct Call {};  ///< a runnable begins
/// How often one execution of the activity accesses a label (LabelAccess::statistic). least <= average <= most.
struct AccessCount {
  std::int64_t least = 1;
  std::int64_t average = 1;
  std::int64_t most = 1;
};
struct ReadLabel {
  LabelIndex label;
  AccessCount count = {};
};
struct WriteLabel {
  LabelIndex label;
  AccessCount count = {};
};
struct Compute {
  Ticks ticks;
};
struct Trigger {
  StimulusIndex stimulus;
};
struct SetEvents {
  std::vector<EventIndex> events;
  std::optional<TaskIndex> task;  ///< the task to set them for; nothing: for every task
};
struct ClearEvents {
  std::vector<EventIndex> events;
};
struct WaitEvents {
  std::vector<EventIndex> events;
  bool all = false;     ///< maskType AND: all of them; OR: any
  bool active = false;  ///< waitingBehaviour: polls and keeps its core; passive: leaves it
};

/// SemaphoreAccess. `exclusive` takes the whole capacity of the semaphore.
struct UseSemaphore {
  enum class Operation : std::uint8_t { request, exclusive, release };
  SemaphoreIndex semaphore;
  Operation operation = Operation::request;
  /// waitingBehaviour: polls and keeps its core until it gets the semaphore (spinlocks always do)
  bool active = false;
};

enum class Relation : std::uint8_t { equal, not_equal, less, less_or_equal, greater, greater_or_equal };
bool holds(std::int64_t left, Relation relation, std::int64_t right);
/// Compares the value of a mode with a number (literals are numbered) or with another mode.
struct ModeTest {
  ModeIndex mode = 0;
  Relation relation = Relation::equal;
  std::int64_t value = 0;
  std::optional<ModeIndex> other;  ///< instead of `value`
};
/// True if all tests of any of its conjunctions are true.
struct ModeCondition {
  std::vector<std::vector<ModeTest>> any_of;
};
/// Relative to the sum over all alternatives of the branch.
struct Probability {
  double weight = 0;
};
/// True for every `prescaler`-th execution, the first time after `offset` executions (Counter).
struct EveryNth {
  std::int64_t prescaler = 1;
  std::int64_t offset = 0;
};
struct Otherwise {};
using GuardKinds = std::variant<Otherwise, ModeCondition, Probability, EveryNth>;
/// A variant of its kinds. Like `System` it defines its copy operations out of line, so that users need not compile
/// them.
struct Guard : GuardKinds {
  Guard();
  // NOLINTBEGIN(google-explicit-constructor): a kind is one of them
  Guard(Otherwise);
  Guard(ModeCondition);
  Guard(Probability);
  Guard(EveryNth);
  // NOLINTEND(google-explicit-constructor)
  Guard(const Guard&);
  Guard(Guard&&) noexcept;
  Guard& operator=(const Guard&);
  Guard& operator=(Guard&&) noexcept;
  ~Guard();
};

/// Executes at most one of several alternatives: the first whose guard is true, or a random one. Bodies are flat: the
/// alternatives' activities follow the branch in Task::body, one alternative after the other. After any of them,
/// execution continues behind the last.
struct Branch {
  struct Alternative {
    Guard guard;
    std::size_t length = 0;  ///< number of activities, including those of inner branches
  };
  std::vector<Alternative> alternatives;  ///< all guards are probabilities, or none
  /// a loop: the branch repeats after its first alternative; any other alternative ends it
  bool repeats = false;
};

struct SetMode {
  enum class Operation : std::uint8_t { set, increment, decrement };
  ModeIndex mode;
  Operation operation = Operation::set;
  std::int64_t value = 0;  ///< value, or step
};
/// Other cooperative tasks may preempt a cooperative task here.
struct SchedulePoint {};
/// The job ends here.
struct Terminate {};
/// The task becomes non-preemptible, or preemptible again (Group with interruptible="false").
struct Uninterruptible {
  bool begins = true;
};

enum class CopyKind : std::uint8_t { host_to_device, device_to_host, memset };
/// A transfer by a copy engine.
struct Copy {
  CopyKind kind = CopyKind::host_to_device;
  std::vector<LabelIndex> sources;       ///< labels read
  std::vector<LabelIndex> destinations;  ///< labels written
  DataSize size;                         ///< the maximum of the read size on one side and the written size on the other
  bool pageable = false;                 ///< its host memory is not page-locked (gpu.hostMemory)
  std::optional<Duration> time = {};     ///< of the whole copy, in place of what its labels take (gpu.copyTime)
};

/// Launch configuration of a kernel (gpu.grid, gpu.block, gpu.registers, gpu.sharedMemory, gpu.cacheConfig, and
/// gpu.smMask of the kernel).
struct Launch {
  std::int64_t blocks = 1;         ///< of the grid, all dimensions
  std::int64_t threads = 1;        ///< of each block, all dimensions
  std::int64_t registers = 0;      ///< per thread; 0: unknown
  std::int64_t shared_memory = 0;  ///< bytes per block
  std::string cache_config;        ///< any name; "" if not specified
  std::string sm_mask = {};        ///< in place of that of its stream, as written; "": none
  friend bool operator==(const Launch&, const Launch&) = default;
};

/// What a kernel on an AMD GPU costs beside the time of its blocks.
struct KernelCosts {
  std::string like;                                     ///< gpu.like: a kernel of the profile; "": none
  std::optional<std::int64_t> full_speed_threads = {};  ///< gpu.fullSpeedThreads, in place of that of `like`
  std::optional<double> weight = {};                    ///< gpu.weight, the same
  std::optional<Duration> dispatch = {};                ///< gpu.dispatch, the same
  friend bool operator==(const KernelCosts&, const KernelCosts&) = default;
};

/// The instructions of every warp of a kernel (gpu.instructions, gpu.budget), in the notation of
/// engine/nvidia/block_time.hpp.
struct KernelInstructions {
  std::string text;
  std::int64_t budget = 1;  ///< context switches that the warp scheduler QAWS grants its warps
  Location location;        ///< of the property
};

/// How a kernel goes through its data (gpu.access).
struct KernelAccess {
  enum class Pattern : std::uint8_t {
    sequential,  ///< neighboring threads access neighboring elements
    random,      ///< every next element is anywhere in the data
    bulk,        ///< described by the time that the kernel's whole work takes of three resources
  };
  Pattern pattern = Pattern::sequential;
  bool zero_copy = false;                ///< in host memory, which the GPU accesses in place
  bool same_element = false;             ///< random: all threads of a warp access the same element
  std::int64_t fetched_bytes = 0;        ///< what a miss of a sequential pattern fetches; 0: as usual on the GPU
  Duration own, load_path, memory_path;  ///< bulk: without shared resources; of the SMs' path to the L2; behind it
  friend bool operator==(const KernelAccess&, const KernelAccess&) = default;
};

/// An optional value that takes the size of a pointer where there is none. Every activity has room for a kernel, but few
/// activities are kernels.
template <typename T>
class Rare {
 public:
  Rare() = default;
  // NOLINTBEGIN(google-explicit-constructor): as with std::optional
  Rare(T value) : value_(std::make_unique<T>(std::move(value))) {}
  Rare(const std::optional<T>& value) : value_(value ? std::make_unique<T>(*value) : nullptr) {}
  // NOLINTEND(google-explicit-constructor)
  Rare(const Rare& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(Rare other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  ~Rare() = default;

  explicit operator bool() const { return value_ != nullptr; }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  T& operator*() { return *value_; }
  T* operator->() { return value_.get(); }
  friend bool operator==(const Rare& a, const Rare& b) { return a && b ? *a == *b : !a && !b; }

 private:
  std::unique_ptr<T> value_;
};

/// A value that takes the size of a pointer, for the same reason as Rare. After a move it has no value.
template <typename T>
class Boxed {
 public:
  Boxed() : value_(std::make_unique<T>()) {}
  // NOLINTBEGIN(google-explicit-constructor): it stands for its value
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}
  operator T&() { return *value_; }
  operator const T&() const { return *value_; }
  // NOLINTEND(google-explicit-constructor)
  Boxed(const Boxed& other) : value_(other.value_ ? std::make_unique<T>(*other) : nullptr) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(Boxed other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  ~Boxed() = default;

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  T& operator*() { return *value_; }
  T* operator->() { return value_.get(); }

 private:
  std::unique_ptr<T> value_;
};

/// A computation by the execution engine.
struct Kernel {
  Boxed<Ticks> ticks;             ///< of each block if `launch` is given, else of the kernel
  std::vector<LabelIndex> reads;  ///< device labels it reads
  std::vector<LabelIndex> writes;
  DataSize footprint;         ///< of all labels it works on; 0: unknown
  Rare<KernelAccess> access;  ///< nothing: not stated
  /// memory-bound share of its time (gpu.memoryIntensity); 1 is the safe assumption
  double memory_intensity = 1;
  Rare<Launch> launch;  ///< nothing: the kernel occupies the whole execution engine
  /// If given, engine/program/kernel_instructions.hpp computes `ticks` from it; before that there are none.
  Rare<KernelInstructions> instructions;
  Rare<KernelCosts> costs;  ///< nothing: not stated
};

using ActivityKinds =
    std::variant<Call, ReadLabel, WriteLabel, Compute, Trigger, SetEvents, ClearEvents, WaitEvents, Copy, Kernel,
                 UseSemaphore, Branch, SetMode, SchedulePoint, Terminate, Uninterruptible>;
/// One of its kinds, copied like a `Guard`.
struct Activity : ActivityKinds {
  Activity();
  // NOLINTBEGIN(google-explicit-constructor): a kind is one of them
  Activity(Call);
  Activity(ReadLabel);
  Activity(WriteLabel);
  Activity(Compute);
  Activity(Trigger);
  Activity(SetEvents);
  Activity(ClearEvents);
  Activity(WaitEvents);
  Activity(Copy);
  Activity(Kernel);
  Activity(UseSemaphore);
  Activity(Branch);
  Activity(SetMode);
  Activity(SchedulePoint);
  Activity(Terminate);
  Activity(Uninterruptible);
  // NOLINTEND(google-explicit-constructor)
  Activity(const Activity&);
  Activity(Activity&&) noexcept;
  Activity& operator=(const Activity&);
  Activity& operator=(Activity&&) noexcept;
  ~Activity();
};

/// "call", "read", "write", "ticks", "trigger", "set", "clear", "wait", "h2d", "d2h", "memset", "kernel", "request",
/// "release", "branch", "mode", "schedule point", "terminate", "uninterruptible", "interruptible".
std::string_view kind_name(const Activity&);

}  // namespace amalthea
