// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Executes one NVIDIA GPU, event by event: contexts in time slices, streams, copy engines, and blocks on SMs. A
/// paragraph such as S-gpu-5 is one of docs/theory/semantics.md. Whoever drives it does for each instant t, in this order:
///
///     t = min(gpu.next(), ...);  ended = gpu.advance(t);  consequences: submit(), cpu_traffic();  gpu.settle();

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "reference/behaviour.hpp"

namespace reference {

/// Figures of a GPU profile as plain numbers. Factors are thousandths (3000: three times as long). The defaults are
/// those of a Jetson TX2 without any slowdown.
struct GpuSettings {
  enum class Leave { instruction, block, kernel };

  int copy_engines = 1;  ///< with two, copies from the device have the second one (S-gpu-4)
  Time slice = 2'600'000'000;
  Time least_slice = 0, most_slice = never;  ///< limits of a scheduler apply beside these
  Time context_switch = 0;
  Leave leave = Leave::instruction;  ///< where an engine can leave a context (S-gpu-8)

  int sms = 2, sms_per_gpc = 2, sms_per_tpc = 1;
  int warps = 64, blocks = 32;                            // of an SM
  std::int64_t registers = 65536, shared_memory = 65536;  // of an SM; bytes
  int threads_per_block = 1024;                           // at most
  std::int64_t registers_per_block = 65536, shared_memory_per_block = 49152;
  std::int64_t register_unit = 256, shared_unit = 256, shared_ignored = 3072;  ///< per warp; bytes; N17

  std::int64_t kernel_by_memcpy = 1000, kernel_by_memset = 1000, kernel_by_same_gpc = 1000, kernel_by_other_gpc = 1000,
               kernel_by_cpu = 1000, copy_by_kernel = 1000, copy_by_cpu = 1000;

  bool less_slowdown = false;  ///< whether an operation may be slowed down less than by the factors (S-gpu-14)
  bool any_placement = false;  ///< whether a block may go to any SM with room (S-gpu-12)
};

struct Launch {
  std::int64_t blocks = 1;
  int threads = 32;
  std::int64_t registers = 0, shared_memory = 0;  ///< per thread; bytes per block
  std::string cache;                              ///< empty: none stated
};

struct GpuOperation {
  enum class Kind { to_device, from_device, memset, kernel };

  Kind kind = Kind::kernel;
  Time least = 0, most = 0;    ///< of the copy, of each block, or of a kernel without launch
  std::vector<Launch> launch;  ///< empty or one: without it a kernel has the whole engine
  std::uint32_t task = 0;      ///< entity of the questions about its times
  std::int64_t memory = 1000;  ///< thousandths of the time that wait for memory
};

struct GpuContext {
  Time slice = -1;           ///< -1: that of the settings
  int slots = 2;             ///< of a round of the runlist: 1 low, 2 medium, 3 high
  std::int64_t urgency = 0;  ///< counts under contexts by priority
  bool shared = false;       ///< several tasks use it
};

class Gpu {
 public:
  /// An executed operation. Times that have not come are -1.
  struct Operation {
    GpuOperation what;
    std::uint32_t stream = 0;
    Time submitted = 0, start = -1, end = -1;
    std::int64_t unassigned = 0, running = 0;  ///< blocks
    Time duration = -1;                        ///< of every block; -1: each has its own
    std::int64_t relief = 0;                   ///< thousandths of the slowdown that do not occur
  };
  /// A block, a copy (on no SM), or a kernel without launch (on no SM).
  struct Block {
    std::uint32_t operation = 0;
    int sm = -1;
    Time start = 0, end = -1;
    Wide left = 0;  ///< work, in picoseconds / 2^20
  };
  /// A turn of a context on an engine: 0 execution engine, 1 and 2 copy engines.
  struct Turn {
    int engine = 0;
    std::uint32_t context = 0;
    Time start = 0, ready = 0, end = -1;
  };

  /// \param number  the entity of its questions
  Gpu(std::uint32_t number, const GpuSettings& settings, bool by_priority, Behaviour& behaviour);

  /// Contexts and streams are added before the first operation. `sms`: the enabled SMs; empty: all.
  std::uint32_t add_context(const GpuContext&);
  std::uint32_t add_stream(std::uint32_t context, bool high, std::vector<bool> sms = {});

  /// Submits an operation at now(); its number is its place in operations(). Throws Refused if no SM can hold a block.
  std::uint32_t submit(std::uint32_t stream, const GpuOperation&);
  /// From now() on, CPUs execute label accesses that slow the GPU down, or not. After advance(now), before settle().
  void cpu_traffic(bool active) { traffic_ = active; }
  /// Everything of this instant has been submitted: queues, engines and SMs take what they can.
  void settle();
  /// The next instant at which something ends by itself; `never`.
  Time next() const;
  /// Executes until `to`, at most next(). Returns the operations that end there.
  std::vector<std::uint32_t> advance(Time to);

  Time now() const { return now_; }
  bool idle() const;
  const std::vector<Operation>& operations() const { return operations_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  const std::vector<Turn>& turns() const { return turns_; }

 private:
  struct Stream {
    std::uint32_t context = 0;
    bool high = false;
    std::vector<bool> sms;
    std::deque<std::uint32_t> queue;
    bool head_queued = false;  ///< its head is in the queue of an engine
  };
  struct Context {
    GpuContext what;
    std::deque<std::uint32_t> kernels[2];  ///< of high and of low priority, not fully dispatched (G3)
    std::deque<std::uint32_t> copies[2];   ///< per copy engine; the first one executes
    int unfinished = 0;                    ///< kernels that have started and not ended
    int cache_stated = -1;                 ///< whether its kernels state a cache configuration; -1: no kernel yet
  };
  struct Engine {
    int number = 0;
    bool serving = false, contested = false, leaving = false;
    std::int64_t loaded = -1;        ///< context whose state the engine holds
    std::size_t slot = 0, turn = 0;  ///< of the runlist; of turns()
    Time ready = 0, slice_end = never;
  };
  struct Room {
    std::int64_t warps = 0, blocks = 0, registers = 0, shared = 0;
  };

  std::size_t choose(Question::Kind kind, std::size_t count);
  void build_runlist();
  void enter_queues();
  void arbitrate(Engine&);
  void next_turn(Engine&, bool from_idle);
  bool must_leave(Engine&);
  bool may_leave(const Engine&) const;
  bool has_work(const Engine&, std::size_t context) const;
  bool others_work(const Engine&) const;
  bool runs(const Engine&) const;
  int engine_of(const GpuOperation&) const;
  Room need(const Launch&) const;
  std::vector<int> candidates(const Operation&, const std::vector<Room>& used) const;
  void assign_blocks();
  void start_copies();
  void begin(std::uint32_t operation, int sm);
  bool runs(const Block&) const;
  Wide slowness(const Block&) const;
  Time time_left(const Block&) const;

  std::uint32_t number_;
  GpuSettings settings_;
  bool by_priority_;
  Behaviour& behaviour_;
  Time now_ = 0;
  bool traffic_ = false;
  bool slows_ = false;  ///< whether any factor is above one
  std::vector<Context> contexts_;
  std::vector<Stream> streams_;
  std::vector<Engine> engines_;
  std::vector<std::size_t> runlist_;  ///< contexts
  std::vector<Operation> operations_;
  std::vector<Block> blocks_;
  std::vector<std::size_t> unfinished_;   ///< blocks
  std::vector<std::uint32_t> submitted_;  ///< in this instant
  std::vector<Turn> turns_;
};

}  // namespace reference
