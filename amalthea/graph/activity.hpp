// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Activities: the steps of tasks, nodes of runnable graphs. A runnable being called, a label read or written, ticks, a
/// trigger, events set, awaited and cleared; in device tasks copies and kernels.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
/// How often a label is accessed by one execution of the activity (LabelAccess::statistic). Least <= average <= most.
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
  std::optional<TaskIndex> task;  ///< for whom; nothing: for every task
};
struct ClearEvents {
  std::vector<EventIndex> events;
};
struct WaitEvents {
  std::vector<EventIndex> events;
  bool all = false;     ///< maskType AND: all of them; OR: any
  bool active = false;  ///< waitingBehaviour: polls and keeps its core; passive: leaves it
};

/// SemaphoreAccess. `exclusive` takes all of what the semaphore can give.
struct UseSemaphore {
  enum class Operation : std::uint8_t { request, exclusive, release };
  SemaphoreIndex semaphore;
  Operation operation = Operation::request;
  bool active = false;  ///< waitingBehaviour: polls and keeps its core until it gets it (spinlocks always do)
};

enum class Relation : std::uint8_t { equal, not_equal, less, less_or_equal, greater, greater_or_equal };
/// The value of a mode compared with a number (literals are numbered) or with another mode.
struct ModeTest {
  ModeIndex mode = 0;
  Relation relation = Relation::equal;
  std::int64_t value = 0;
  std::optional<ModeIndex> other;  ///< instead of `value`
};
/// True when all tests of any of its conjunctions are.
struct ModeCondition {
  std::vector<std::vector<ModeTest>> any_of;
};
/// Relative to the sum over all alternatives of the branch.
struct Probability {
  double weight = 0;
};
/// Every how many executions, and after how many for the first time (Counter).
struct EveryNth {
  std::int64_t prescaler = 1;
  std::int64_t offset = 0;
};
struct Otherwise {};
using GuardKinds = std::variant<Otherwise, ModeCondition, Probability, EveryNth>;
/// One of its kinds. Like `System` it says itself how it is copied: whoever holds one need not compile that.
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

/// At most one of several alternatives is executed: the first whose guard holds, or one by chance. Bodies stay flat:
/// the alternatives' activities follow the branch in Task::body, one alternative after the other; after any of them
/// execution goes on behind the last.
struct Branch {
  struct Alternative {
    Guard guard;
    std::size_t length = 0;  ///< activities, those of inner branches included
  };
  std::vector<Alternative> alternatives;  ///< guards are all of chance or none is
  bool repeats = false;  ///< a loop: after its first alternative the branch is taken again; any other one ends it
};

struct SetMode {
  enum class Operation : std::uint8_t { set, increment, decrement };
  ModeIndex mode;
  Operation operation = Operation::set;
  std::int64_t value = 0;  ///< or step
};
/// A cooperative task may be left here.
struct SchedulePoint {};
/// The job ends here.
struct Terminate {};
/// From here on, or from here on no longer, the task cannot be preempted (Group with interruptible="false").
struct Uninterruptible {
  bool begins = true;
};

enum class CopyKind : std::uint8_t { host_to_device, device_to_host, memset };
/// A transfer by a copy engine.
struct Copy {
  CopyKind kind = CopyKind::host_to_device;
  std::vector<LabelIndex> sources;       ///< labels read
  std::vector<LabelIndex> destinations;  ///< labels written
  DataSize size;                         ///< the larger of what is read on one side and written on the other
};

/// How a kernel is launched (gpu.grid, gpu.block, gpu.registers, gpu.sharedMemory, gpu.cacheConfig).
struct Launch {
  std::int64_t blocks = 1;         ///< of the grid, all dimensions
  std::int64_t threads = 1;        ///< of each block, all dimensions
  std::int64_t registers = 0;      ///< per thread; 0: not known
  std::int64_t shared_memory = 0;  ///< bytes per block
  std::string cache_config;        ///< any name; "" when not given
  friend bool operator==(const Launch&, const Launch&) = default;
};

/// What every warp of a kernel executes (gpu.instructions, gpu.budget), in the words of engine/nvidia/block_time.hpp.
struct KernelInstructions {
  std::string text;
  std::int64_t budget = 1;  ///< context switches that the warp scheduler QAWS grants its warps
  Location location;        ///< of the property
};

/// A computation by the execution engine.
struct Kernel {
  Ticks ticks;                    ///< of each block where `launch` is given, else of the kernel
  std::vector<LabelIndex> reads;  ///< device labels it works on
  std::vector<LabelIndex> writes;
  double memory_intensity = 1;   ///< share of its time bound by memory (gpu.memoryIntensity); 1 is the safe assumption
  std::optional<Launch> launch;  ///< nothing: the kernel occupies the whole execution engine
  /// Where they are given, `ticks` are what engine/program/kernel_instructions.hpp makes of them; none before.
  std::optional<KernelInstructions> instructions;
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
