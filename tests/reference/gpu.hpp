// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Executes one NVIDIA GPU, event by event: contexts in time slices, streams, copy engines, and blocks on SMs. A
/// paragraph such as S-gpu-5 is one of docs/theory/semantics.md. Whoever drives it does for each instant t, in this order:
///     t = min(gpu.next(), ...);  ended = gpu.advance(t);  consequences: submit(), cpu_traffic();  gpu.settle();

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "reference/behaviour.hpp"
#include "reference/gpu_settings.hpp"
#include "reference/warps.hpp"

namespace reference {

class Gpu {
 public:
  /// An executed operation. Times that have not come are -1.
  struct Operation {
    GpuOperation what;
    std::uint32_t stream = 0;
    Time submitted = 0, start = -1, end = -1;
    std::int64_t unassigned = 0, running = 0;  ///< blocks
    std::uint32_t rank = 0;                    ///< among the requests that have entered their streams
    Time duration = -1;                        ///< of every block; -1: each has its own
    std::int64_t relief = 0;                   ///< thousandths of the slowdown that do not occur
  };
  /// A block, a copy (on no SM), or a kernel without launch (on no SM).
  struct Block {
    std::uint32_t operation = 0;
    int sm = -1;
    Time start = 0, end = -1;
    Wide left = 0;                   ///< work, in picoseconds / 2^20; with instructions that of the present cycle
    std::vector<std::size_t> warps;  ///< with instructions: the next one of each warp
  };
  /// A turn of a context on an engine: 0 execution engine, 1 and 2 copy engines.
  struct Turn {
    int engine = 0;
    std::uint32_t context = 0;
    Time start = 0, ready = 0, end = -1;
  };

  /// \param number  the entity of its questions
  Gpu(std::uint32_t number, const GpuSettings& settings, bool by_priority, Behaviour& behaviour)
      : number_(number), settings_(settings), by_priority_(by_priority), behaviour_(behaviour) {
    slows_ = std::max({settings.kernel_by_memcpy, settings.kernel_by_memset, settings.kernel_by_same_sm,
                       settings.kernel_by_same_gpc, settings.kernel_by_other_gpc, settings.kernel_by_cpu,
                       settings.copy_by_kernel, settings.copy_by_cpu}) > 1000;
    if (settings.copy_engines < 1 || settings.copy_engines > 2) throw Refused("GpuSettings", "one or two copy engines");
    for (int engine = 0; engine <= settings.copy_engines; ++engine) engines_.emplace_back().number = engine;
  }

  /// Contexts and streams are added before the first operation. `sms`: the enabled SMs; empty: all.
  std::uint32_t add_context(const GpuContext& what) {
    Context& added = contexts_.emplace_back();
    added.what = what;
    if (added.what.slice < 0) added.what.slice = settings_.slice;
    if (added.what.slice <= 0) throw Refused("context", "a time slice of no length");
    return static_cast<std::uint32_t>(contexts_.size() - 1);
  }
  std::uint32_t add_stream(std::uint32_t context, bool high, std::vector<bool> sms = {}, bool null = false) {
    streams_.push_back({context, high, std::move(sms), {}, false, null});
    contexts_[context].has_null = contexts_[context].has_null || null;
    return static_cast<std::uint32_t>(streams_.size() - 1);
  }

  /// Submits an operation at now(); its number is its place in operations(). Throws Refused if no SM can hold a block.
  std::uint32_t submit(std::uint32_t stream, const GpuOperation& what) {
    Operation& added = operations_.emplace_back();
    added.what = what;
    added.stream = stream;
    added.submitted = now_;
    const auto number = static_cast<std::uint32_t>(operations_.size() - 1);
    if (!what.launch.empty()) {
      const Launch& launch = what.launch.front();
      const Room block = need(launch);
      const std::vector<Room> idle(static_cast<std::size_t>(settings_.sms));
      if (launch.blocks < 1 || launch.threads < 1 || launch.threads > settings_.threads_per_block ||
          block[2] > settings_.registers_per_block || launch.shared_memory > settings_.shared_memory_per_block ||
          candidates(added, idle).empty())
        throw Refused(fmt::format("kernel {}", number), "a launch that fits on no SM");
      // S-gpu-10: whether a kernel without a cache configuration runs beside one that has one is stated nowhere.
      int& stated = contexts_[streams_[stream].context].cache_stated;
      if (stated == (launch.cache.empty() ? 1 : 0))
        throw Refused(fmt::format("kernel {}", number), "only some kernels of its context state a cache configuration");
      stated = launch.cache.empty() ? 0 : 1;
    }
    added.unassigned = what.launch.empty() ? 1 : what.launch.front().blocks;
    submitted_.push_back(number);
    return number;
  }
  /// From now() on, CPUs execute label accesses that slow the GPU down, or not. After advance(now), before settle().
  void cpu_traffic(bool active) { traffic_ = active; }
  /// Everything of this instant has been submitted: queues, engines and SMs take what they can.
  void settle() {
    if (runlist_.empty()) build_runlist();
    enter_queues();
    for (Engine& engine : engines_) arbitrate(engine);
    start_copies();
    assign_blocks();
    for (int sm = 0; sm < settings_.sms; ++sm) issue(sm);
  }
  /// The next instant at which something ends by itself; `never`.
  Time next() const {
    Time first = never;
    for (const std::size_t block : unfinished_)
      if (runs(blocks_[block])) first = std::min(first, now_ + time_left(blocks_[block]));
    for (const Engine& engine : engines_) {
      if (!engine.serving) continue;
      if (engine.ready > now_)
        first = std::min(first, engine.ready);
      else if (!by_priority_ && engine.contested && !engine.leaving)
        first = std::min(first, engine.slice_end);
    }
    return first;
  }
  /// Executes until `to`, at most next(). Returns the operations that end there.
  std::vector<std::uint32_t> advance(Time to) {
    if (to < now_ || to > next()) throw Refused("Gpu::advance", "a time before now() or after next()");
    std::vector<std::uint32_t> ended;
    std::vector<std::size_t> finished;
    const Time elapsed = to - now_;
    std::vector<Wide> done;
    for (const std::size_t number : unfinished_) {
      const Block& block = blocks_[number];
      if (!runs(block)) {
        done.push_back(0);
        continue;
      }
      const Wide slow = slowness(block);
      if (time_left(block) <= elapsed) finished.push_back(number);
      done.push_back((elapsed * full_speed * unit + slow - 1) / slow);
    }
    for (std::size_t place = 0; place < done.size(); ++place) blocks_[unfinished_[place]].left -= done[place];
    now_ = to;
    for (const std::size_t number : finished) {
      Block& block = blocks_[number];
      if (!block.warps.empty()) block.left = 0;  // the end of a cycle, rounded down
      if (!has_ended(operations_[block.operation].what.instructions, block.warps)) continue;
      block.end = now_;
      unfinished_.erase(std::find(unfinished_.begin(), unfinished_.end(), number));
      Operation& operation = operations_[block.operation];
      if (--operation.running > 0 || operation.unassigned > 0) continue;
      operation.end = now_;
      ended.push_back(block.operation);
      Stream& stream = streams_[operation.stream];
      stream.queue.pop_front();  // G4, C4
      stream.head_queued = false;
      Context& context = contexts_[stream.context];
      if (const int engine = engine_of(operation.what); engine == 0)
        --context.unfinished;
      else
        context.copies[engine - 1].pop_front();
    }
    return ended;
  }

  Time now() const { return now_; }
  bool idle() const {
    return submitted_.empty() &&
           std::all_of(streams_.begin(), streams_.end(), [](const Stream& stream) { return stream.queue.empty(); });
  }
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
    bool null = false;         ///< the NULL stream of its context
  };
  struct Context {
    GpuContext what;
    std::deque<std::uint32_t> kernels[2];  ///< of high and of low priority, not fully dispatched (G3)
    std::deque<std::uint32_t> copies[2];   ///< per copy engine; the first one executes
    int unfinished = 0;                    ///< kernels that have started and not ended
    bool has_null = false;                 ///< a NULL stream
    int cache_stated = -1;                 ///< whether its kernels state a cache configuration; -1: no kernel yet
  };
  struct Engine {
    int number = 0;
    bool serving = false, contested = false, leaving = false;
    std::int64_t loaded = -1;        ///< context whose state the engine holds
    std::size_t slot = 0, turn = 0;  ///< of the runlist; of turns()
    Time ready = 0, slice_end = never;
  };
  static constexpr Wide unit = 1 << 20;                  // of work in a picosecond
  static constexpr Wide full_speed = 1'000'000'000'000;  // slowness of what nothing slows down
  /// Warps, places, registers and bytes of shared memory.
  using Room = std::array<std::int64_t, 4>;

  /// Which of `count` possibilities; the first one is the default.
  std::size_t choose(Question::Kind kind, std::size_t count) {
    return count == 1
               ? 0
               : static_cast<std::size_t>(behaviour_.ask(kind, number_, 0, static_cast<std::int64_t>(count) - 1));
  }
  // S-gpu-5: N5 gives three, two and one slots, interleaved by rounds. Who comes first in a round is open.
  void build_runlist() {
    std::vector<std::size_t> rest(contexts_.size()), order;
    for (std::size_t context = 0; context < rest.size(); ++context) rest[context] = context;
    while (!rest.empty()) {
      const auto next = by_priority_ ? 0 : choose(Question::Kind::gpu_tie, rest.size());
      order.push_back(rest[next]);
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(next));
    }
    for (int round = 1; round <= 3; ++round)
      for (const std::size_t context : order)
        if (contexts_[context].what.slots >= round) runlist_.push_back(context);
    for (Engine& engine : engines_) engine.slot = runlist_.empty() ? 0 : runlist_.size() - 1;
  }
  // S-gpu-3: G1, G2. Which of the requests of one instant comes first is open, both in a stream and at an engine.
  void enter_queues() {
    const auto one_of = [this](std::vector<std::uint32_t>& waiting) {
      const auto chosen = choose(Question::Kind::gpu_request_order, waiting.size());
      const std::uint32_t operation = waiting[chosen];
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(chosen));
      return operation;
    };
    for (std::uint32_t number = 0; number < streams_.size() && !submitted_.empty(); ++number) {
      std::vector<std::uint32_t> mine;
      for (const std::uint32_t operation : submitted_)
        if (orders_with(operations_[operation].stream) == number) mine.push_back(operation);
      while (!mine.empty()) {
        const std::uint32_t operation = one_of(mine);
        operations_[operation].rank = entered_++;
        streams_[operations_[operation].stream].queue.push_back(operation);
      }
    }
    submitted_.clear();
    // Heads of streams, by the queue that they enter.
    std::map<std::deque<std::uint32_t>*, std::vector<std::uint32_t>> arriving;
    std::vector<std::deque<std::uint32_t>*> queues;
    for (Stream& stream : streams_) {
      if (stream.queue.empty() || stream.head_queued || is_held_back(stream)) continue;
      stream.head_queued = true;
      Context& context = contexts_[stream.context];
      const int engine = engine_of(operations_[stream.queue.front()].what);
      // A1: the queue of the stream's priority. Copies have none.
      std::deque<std::uint32_t>* queue =
          engine == 0 ? &context.kernels[stream.high ? 0 : 1] : &context.copies[engine - 1];
      if (arriving[queue].empty()) queues.push_back(queue);
      arriving[queue].push_back(stream.queue.front());
    }
    for (std::deque<std::uint32_t>* queue : queues) {
      std::vector<std::uint32_t>& heads = arriving[queue];
      std::sort(heads.begin(), heads.end());
      if (contexts_[streams_[operations_[heads.front()].stream].context].has_null) {  // S-gpu-17
        std::sort(heads.begin(), heads.end(),
                  [this](std::uint32_t a, std::uint32_t b) { return operations_[a].rank < operations_[b].rank; });
        queue->insert(queue->end(), heads.begin(), heads.end());
        continue;
      }
      while (!heads.empty()) queue->push_back(one_of(heads));
    }
  }
  // S-gpu-17: a NULL stream orders the requests of all streams of its context; else each stream orders its own.
  std::uint32_t orders_with(std::uint32_t number) const {
    if (!contexts_[streams_[number].context].has_null) return number;
    std::uint32_t first = 0;
    while (streams_[first].context != streams_[number].context) ++first;
    return first;
  }
  // S-gpu-17: N7.
  bool is_held_back(const Stream& stream) const {
    const std::uint32_t rank = operations_[stream.queue.front()].rank;
    for (const Stream& other : streams_)
      if (other.context == stream.context && (other.null || stream.null))
        for (const std::uint32_t operation : other.queue)
          if (operations_[operation].rank < rank) return true;
    return false;
  }
  // S-gpu-6: a turn ends when its context has no work, or when it must leave and may. A switch is not abandoned.
  void arbitrate(Engine& engine) {
    const bool from_idle = !engine.serving;
    while (!engine.serving || engine.ready <= now_) {
      if (engine.serving) {
        if (has_work(engine, static_cast<std::size_t>(engine.loaded))) {
          engine.leaving = must_leave(engine);
          if (!engine.leaving || !may_leave(engine)) return;
        }
        engine.serving = false;
        turns_[engine.turn].end = now_;
      }
      next_turn(engine, from_idle);
      if (!engine.serving) return;
    }
  }
  void next_turn(Engine& engine, bool from_idle) {
    std::vector<std::size_t> open;  // contexts, or slots of the runlist in cyclic order
    if (by_priority_) {             // S-gpu-9
      for (std::size_t other = 0; other < contexts_.size(); ++other) {
        if (!has_work(engine, other)) continue;
        if (!open.empty() && contexts_[other].what.urgency > contexts_[open.front()].what.urgency) open.clear();
        if (open.empty() || contexts_[other].what.urgency == contexts_[open.front()].what.urgency)
          open.push_back(other);
      }
    } else {  // S-gpu-6: the next slot; an idle engine may be anywhere in its runlist
      for (std::size_t step = 1; step <= runlist_.size() && (from_idle || open.empty()); ++step)
        if (const std::size_t slot = (engine.slot + step) % runlist_.size(); has_work(engine, runlist_[slot]))
          open.push_back(slot);
    }
    if (open.empty()) return;
    const std::size_t chosen = open[choose(Question::Kind::gpu_tie, open.size())];
    if (!by_priority_) engine.slot = chosen;
    const std::size_t context = by_priority_ ? chosen : runlist_[chosen];
    // S-gpu-7
    const bool switches = engine.loaded >= 0 && engine.loaded != static_cast<std::int64_t>(context);
    engine.ready = switches ? now_ + settings_.context_switch : now_;
    engine.loaded = static_cast<std::int64_t>(context);
    engine.serving = true;
    engine.contested = engine.leaving = false;
    engine.slice_end = engine.ready + contexts_[context].what.slice;
    engine.turn = turns_.size();
    turns_.push_back({engine.number, static_cast<std::uint32_t>(context), now_, engine.ready, -1});
  }
  bool must_leave(Engine& engine) {
    const auto served = static_cast<std::size_t>(engine.loaded);
    if (by_priority_) {  // S-gpu-9
      for (std::size_t other = 0; other < contexts_.size(); ++other)
        if (contexts_[other].what.urgency > contexts_[served].what.urgency && has_work(engine, other)) return true;
      return false;
    }
    // S-gpu-6
    if (!others_work(engine)) {
      engine.contested = false;
      return false;
    }
    const Time slice = contexts_[served].what.slice;
    if (!engine.contested && engine.slice_end <= now_) {
      // Slices renewed themselves while no other context had work: how much of the last one is left is open, and which of
      // its slots the context has.
      const auto renewals = static_cast<std::size_t>((now_ - engine.slice_end) / slice + 1);
      const Time renewed = (slice - (now_ - engine.slice_end) % slice) % slice;  // one after the other
      engine.slice_end =
          now_ + (renewed + behaviour_.ask(Question::Kind::gpu_slice_phase, number_, 0, slice)) % (slice + 1);
      std::vector<std::size_t> own;  // it may have advanced with each renewal
      for (std::size_t step = 0; step < runlist_.size() && own.size() <= renewals; ++step)
        if (const std::size_t slot = (engine.slot + step) % runlist_.size(); runlist_[slot] == served)
          own.push_back(slot);
      engine.slot = own[choose(Question::Kind::gpu_tie, own.size())];
    }
    engine.contested = true;
    return engine.slice_end <= now_;
  }
  // S-gpu-8
  bool may_leave(const Engine& engine) const {
    if (settings_.leave == GpuSettings::Leave::instruction) return true;
    const Context& context = contexts_[static_cast<std::size_t>(engine.loaded)];
    if (engine.number > 0) return operations_[context.copies[engine.number - 1].front()].start < 0;
    if (settings_.leave == GpuSettings::Leave::kernel) return context.unfinished == 0;
    return std::none_of(unfinished_.begin(), unfinished_.end(), [&](std::size_t block) {
      const Operation& operation = operations_[blocks_[block].operation];
      return operation.what.kind == GpuOperation::Kind::kernel &&
             static_cast<std::int64_t>(streams_[operation.stream].context) == engine.loaded;
    });
  }
  bool has_work(const Engine& engine, std::size_t number) const {
    const Context& context = contexts_[number];
    if (engine.number > 0) return !context.copies[engine.number - 1].empty();
    return !context.kernels[0].empty() || !context.kernels[1].empty() || context.unfinished > 0;
  }
  bool others_work(const Engine& engine) const {
    for (std::size_t context = 0; context < contexts_.size(); ++context)
      if (static_cast<std::int64_t>(context) != engine.loaded && has_work(engine, context)) return true;
    return false;
  }
  bool runs(const Engine& engine) const { return engine.serving && engine.ready <= now_; }
  // S-gpu-4
  int engine_of(const GpuOperation& what) const {
    if (what.kind == GpuOperation::Kind::kernel) return 0;
    return settings_.copy_engines == 2 && what.kind == GpuOperation::Kind::from_device ? 2 : 1;
  }
  // S-gpu-11
  Room need(const Launch& launch) const {
    const auto round_up = [](std::int64_t value, std::int64_t step) {
      return step > 0 ? (value + step - 1) / step * step : value;
    };
    const std::int64_t warps = (launch.threads + 31) / 32;
    return {
        warps, 1, warps * round_up(launch.registers * 32, settings_.register_unit),
        launch.shared_memory > settings_.shared_ignored ? round_up(launch.shared_memory, settings_.shared_unit) : 0};
  }
  /// The SMs that may get the next block of a kernel. S-gpu-12.
  std::vector<int> candidates(const Operation& kernel, const std::vector<Room>& used) const {
    const Room block = need(kernel.what.launch.front());
    const std::vector<bool>& enabled = streams_[kernel.stream].sms;
    std::vector<std::pair<std::int64_t, int>> fitting;  // -blocks of this size that the free warps allow
    const Room limits{settings_.warps, settings_.blocks, settings_.registers, settings_.shared_memory};
    const int even = (settings_.sms + 1) / 2;
    for (int step = 0; step < settings_.sms; ++step) {  // even numbers, then odd ones (N9)
      const int sm = step < even ? 2 * step : 2 * (step - even) + 1;
      const auto place = static_cast<std::size_t>(sm);
      bool fits = enabled.empty() || enabled[place];
      for (std::size_t i = 0; i < limits.size(); ++i) fits = fits && used[place][i] + block[i] <= limits[i];
      if (fits) fitting.emplace_back(-((limits[0] - used[place][0]) / block[0]), sm);
    }
    std::stable_sort(fitting.begin(), fitting.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<int> result;
    for (const auto& [rank, sm] : fitting)
      if (settings_.any_placement || rank == fitting.front().first) result.push_back(sm);
    return result;
  }
  // S-gpu-10
  void assign_blocks() {
    const Engine& engine = engines_.front();
    if (!runs(engine)) return;
    const auto served = static_cast<std::size_t>(engine.loaded);
    Context& context = contexts_[served];
    std::vector<Room> used(static_cast<std::size_t>(settings_.sms));
    std::size_t resident = 0;
    bool whole = false;               // a kernel without launch occupies the engine
    std::vector<std::string> caches;  // of resident blocks
    const auto occupy = [&](const Block& block) {
      ++resident;
      const Operation& operation = operations_[block.operation];
      whole = whole || operation.what.launch.empty();
      if (whole) return;
      const Room room = need(operation.what.launch.front());
      for (std::size_t i = 0; i < room.size(); ++i) used[static_cast<std::size_t>(block.sm)][i] += room[i];
      caches.push_back(operation.what.launch.front().cache);
    };
    for (const std::size_t block : unfinished_)
      if (const Operation& operation = operations_[blocks_[block].operation];
          operation.what.kind == GpuOperation::Kind::kernel && streams_[operation.stream].context == served)
        occupy(blocks_[block]);

    if (engine.leaving && settings_.leave != GpuSettings::Leave::kernel) return;  // S-gpu-8: no further block
    for (std::deque<std::uint32_t>& queue : context.kernels) {
      for (std::size_t place = 0; place < queue.size();) {
        Operation& kernel = operations_[queue[place]];
        if (engine.leaving && kernel.start < 0) {  // S-gpu-8: only what has started runs to its end
          ++place;
          continue;
        }
        int sm = -1;
        if (kernel.what.launch.empty()) {
          if (resident > 0) return;
        } else {
          const std::string& cache = kernel.what.launch.front().cache;
          if (whole ||
              std::any_of(caches.begin(), caches.end(), [&](const std::string& other) { return other != cache; }))
            return;  // N8
          const std::vector<int> open = candidates(kernel, used);
          if (open.empty()) return;  // X1: nothing passes a kernel without room
          sm = open[choose(Question::Kind::block_order, open.size())];
        }
        begin(queue[place], sm);
        occupy(blocks_.back());
        if (kernel.unassigned == 0) queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(place));  // G3
      }
      // A2: blocks of low priority only while the queue of high priority is empty.
      if (!queue.empty() && !engine.leaving) return;
    }
  }
  // S-gpu-4: C2, C3.
  void start_copies() {
    for (const Engine& engine : engines_) {
      if (engine.number == 0 || !runs(engine) || engine.leaving) continue;
      const std::uint32_t first = contexts_[static_cast<std::size_t>(engine.loaded)].copies[engine.number - 1].front();
      if (operations_[first].start < 0) begin(first, -1);
    }
  }
  // S-gpu-11
  void begin(std::uint32_t number, int sm) {
    Operation& operation = operations_[number];
    Context& context = contexts_[streams_[operation.stream].context];
    const GpuOperation& what = operation.what;
    if (operation.start < 0) {
      operation.start = now_;
      if (what.kind == GpuOperation::Kind::kernel) ++context.unfinished;
      if (!context.what.shared || what.launch.empty())
        operation.duration = behaviour_.ask(Question::Kind::block_time, what.task, what.least, what.most);
      if (settings_.less_slowdown) operation.relief = behaviour_.ask(Question::Kind::gpu_slowdown, what.task, 0, 1000);
    }
    Block& block = blocks_.emplace_back();
    block.operation = number;
    block.sm = sm;
    block.start = now_;
    block.left =
        unit * (operation.duration >= 0 ? operation.duration
                                        : behaviour_.ask(Question::Kind::block_time, what.task, what.least, what.most));
    if (!what.instructions.empty()) block.warps.resize(static_cast<std::size_t>(need(what.launch.front())[0]));
    if (!block.warps.empty()) block.left = 0;
    unfinished_.push_back(blocks_.size() - 1);
    --operation.unassigned;
    ++operation.running;
  }
  void issue(int sm) {             // S-gpu-16
    std::vector<Block*> resident;  // the first one is within a cycle if any is
    std::vector<Warp> warps;
    for (const std::size_t place : unfinished_) {
      Block& block = blocks_[place];
      if (block.sm != sm || block.warps.empty() || !runs(block)) continue;
      resident.push_back(&block);
      for (std::size_t& next : block.warps) warps.push_back({operations_[block.operation].what.instructions, next});
    }
    if (!resident.empty() && resident.front()->left == 0) {
      execute_cycle(warps, choose(Question::Kind::warp_order, warps.size()), settings_.units, settings_.schedulers);
      resident.front()->left = unit * operations_[resident.front()->operation].what.least;
    }
    for (Block* block : resident) block->left = resident.front()->left;
  }

  bool runs(const Block& block) const {
    const Operation& operation = operations_[block.operation];
    const Engine& engine = engines_[static_cast<std::size_t>(engine_of(operation.what))];
    return runs(engine) && static_cast<std::int64_t>(streams_[operation.stream].context) == engine.loaded;
  }
  /// How long a block or copy takes at this instant, relative to full speed. S-gpu-13. The cycles of an SM: S-gpu-16.
  Wide slowness(const Block& block) const {
    if (!slows_) return full_speed;
    Wide slowest = slowness_alone(block);
    for (const std::size_t place : unfinished_)
      if (const Block& other = blocks_[place];
          !block.warps.empty() && !other.warps.empty() && other.sm == block.sm && runs(other))
        slowest = std::max(slowest, slowness_alone(other));
    return slowest;
  }
  Wide slowness_alone(const Block& block) const {
    const Operation& slowed = operations_[block.operation];
    const auto gpc_of = [this](const Block& any) { return any.sm / std::max(1, settings_.sms_per_gpc); };
    bool memcpy = false, memset = false, beside = false;  // beside: blocks of others are on its SM
    std::map<std::uint32_t, bool> others;                 // kernels; whether with a block on the GPC of this one
    for (const std::size_t place : unfinished_) {
      const Block& other = blocks_[place];
      if (other.operation == block.operation || !runs(other)) continue;
      const GpuOperation::Kind kind = operations_[other.operation].what.kind;
      if (kind == GpuOperation::Kind::kernel)
        others[other.operation] |= gpc_of(other) == gpc_of(block), beside |= other.sm == block.sm;
      else
        (kind == GpuOperation::Kind::memset ? memset : memcpy) = true;
    }
    // Aggressors of one kind add up by their memory shares, to at most one; of several kinds the worst counts.
    std::int64_t near = 0, far = 0;
    for (const auto& [other, meets] : others) (meets ? near : far) += operations_[other].what.memory;
    near = std::min<std::int64_t>(near, 1000);
    far = std::min<std::int64_t>(far, 1000);
    std::int64_t worst = 0;  // excess over full speed in 10^-6
    const auto add = [&](std::int64_t factor, std::int64_t share) { worst = std::max(worst, (factor - 1000) * share); };
    if (slowed.what.kind == GpuOperation::Kind::kernel) {
      add(settings_.kernel_by_memcpy, memcpy ? 1000 : 0);
      add(settings_.kernel_by_memset, memset ? 1000 : 0);
      add(settings_.kernel_by_same_gpc, near);
      add(settings_.kernel_by_other_gpc, far);
      add(settings_.kernel_by_cpu, traffic_ ? 1000 : 0);
      worst *= slowed.what.memory;
      if (beside && block.warps.empty()) worst = std::max(worst, (settings_.kernel_by_same_sm - 1000) * 1'000'000);
    } else {
      add(settings_.copy_by_kernel, std::min<std::int64_t>(near + far, 1000));
      add(settings_.copy_by_cpu, traffic_ ? 1000 : 0);
      worst *= 1000;
    }
    return full_speed + static_cast<Wide>(worst) * (1000 - slowed.relief);
  }
  /// Rounded down, but for the rounding of `left`: no operation ends later than with exact arithmetic. S-gpu-13.
  Time time_left(const Block& block) const {
    return static_cast<Time>((block.left * slowness(block) + full_speed * unit / 1024) / (full_speed * unit));
  }

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
  std::uint32_t entered_ = 0;             ///< number of requests that have entered their streams
  std::vector<Turn> turns_;
};

}  // namespace reference
