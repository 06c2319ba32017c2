// SPDX-License-Identifier: Apache-2.0
#include "engine/amd/device.hpp"

#include <algorithm>

namespace amalthea::engine::amd {
namespace {

constexpr std::int64_t whole = 1'000'000;  ///< parts per million
/// Influences of the whole GPU are quantized to these steps, so that not every starting block changes all speeds.
constexpr std::int64_t step = 2'000;

/// A hash of two numbers (the finalizer of SplitMix64).
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15ULL + b * 0xd1b54a32d192ed03ULL + 0x632be59bd9b4e019ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Approximately normal, in parts per million of a standard deviation: the sum of four 16-bit numbers minus its mean.
std::int64_t deviation(std::uint64_t bits) {
  constexpr std::int64_t mean = 4 * 65535 / 2;
  constexpr std::int64_t standard_deviation = 37837;  // sqrt(4 / 12) * 65536
  std::int64_t sum = 0;
  for (int part = 0; part < 4; ++part) sum += static_cast<std::int64_t>(bits >> (16 * part) & 0xffffU);
  return (sum - mean) * whole / standard_deviation;
}

}  // namespace

Device::Device(const DeviceSettings& settings)
    : settings_(settings),
      aces_(static_cast<std::size_t>(settings.aces)),
      engines_(static_cast<std::size_t>(settings.layout().engines)),
      units_(static_cast<std::size_t>(settings.layout().units())),
      copies_(static_cast<std::size_t>(settings.copy_engines)) {
  for (ShaderEngine& engine : engines_) engine.slots.resize(aces_.size());
}

ContextIndex Device::add_context(Duration, ContextPriority) {
  contexts_.emplace_back();
  contexts_.back().pool.resize(static_cast<std::size_t>(settings_.pool_queues));
  return static_cast<ContextIndex>(contexts_.size() - 1);
}

StreamIndex Device::add_stream(ContextIndex context, const StreamSettings& settings) {
  streams_.push_back({context, settings, {settings.is_null, settings.has_barriers, {}}, {}});
  contexts_[context].heads.add(streams_.back().fifo);
  return static_cast<StreamIndex>(streams_.size() - 1);
}

std::size_t Device::copy_engine_of(OperationId id) const {
  return operations_[id].operation.kind == StreamOperationKind::device_to_host ? copies_.size() - 1 : 0;
}

// ---- arrivals and completions

OperationId Device::submit(const DeviceOperation& operation) {
  const OperationId id = operations_.take();
  Operation& added = operations_[id];
  added = {};
  added.operation = operation;
  added.rank = next_rank_++;
  if (operation.block) added.threads = operation.block->warps * settings_.limits.warp_size;
  Stream& stream = streams_[operation.stream];
  contexts_[stream.context].heads.submit(stream.fifo, {added.rank, id}, operation.pageable);
  return id;
}

void Device::advance(Instant now, std::vector<OperationId>& completed) {
  now_ = now;
  end_copies(completed);
  end_blocks(completed);
}

void Device::end_copies(std::vector<OperationId>& completed) {
  for (CopyEngine& engine : copies_) {
    if (!engine.active || engine.end != now_) continue;
    const OperationId id = *engine.active;
    engine.active.reset();
    engine.busy += now_ - operations_[id].run.start;
    complete(id, completed);
  }
}

void Device::end_blocks(std::vector<OperationId>& completed) {
  while (const auto ending = ends_.take(now_)) {
    const Block& block = blocks_[*ending];
    if (block.is_asleep) {
      wake(*ending);
      continue;
    }
    const OperationId id = block.operation;
    Operation& kernel = operations_[id];
    kernel.run.blocks[block.index].end = now_;
    if (block_steps_ != nullptr) block_steps_->push_back({id, block.index, static_cast<SmIndex>(block.unit), false});
    Unit& unit = units_[block.unit];
    unit.blocks.erase(std::find(unit.blocks.begin(), unit.blocks.end(), *ending));
    if (kernel.operation.block) {
      unit.use -= *kernel.operation.block;
      unit.threads -= kernel.threads;
      unit.awake -= kernel.threads;
      unit.weight -= kernel.threads * kernel.operation.cost.weight_ppm;
      unit.changed = true;
    } else {
      whole_ = false;
    }
    blocks_.give_back(*ending);
    threads_ -= kernel.threads;
    --running_;
    mixture_changed_ = true;
    ++kernel.ended;
    if (--kernel.running == 0) resident_.erase(std::find(resident_.begin(), resident_.end(), id));
    if (kernel.ended < kernel.operation.blocks) continue;
    Queue& queue = queues_[kernel.queue];
    queue.packets.pop_front();
    queue.at_work = false;
    --aces_[queue.ace].kernels;
    if (--kernels_ == 0) kernels_busy_ += now_ - kernels_since_;
    complete(id, completed);
  }
}

/// Removes the operation from its stream; the next operation becomes the head (A2).
void Device::complete(OperationId id, std::vector<OperationId>& completed) {
  Operation& operation = operations_[id];
  Stream& stream = streams_[operation.operation.stream];
  operation.run.completion = now_;
  contexts_[stream.context].heads.end(stream.fifo);
  completed.push_back(id);
  operations_.give_back(id);
}

// ---- dispatching

void Device::settle() {
  for (Context& context : contexts_) fill_queues(context);
  start_copies();
  map_queues();
  end_slices();
  move_blocks();
  update_speeds();
}

/// A2, A3 and N7: heads of streams enter the queues in the order of submission.
void Device::fill_queues(Context& context) {
  context.heads.begin([&](OperationId id) {
    Operation& operation = operations_[id];
    operation.run.enqueued = now_;
    operation.in_queue = true;
    if (is_kernel(id)) {
      operation.queue = queue_of(operation.operation);
      queues_[operation.queue].packets.push_back(id);
    } else {
      copies_[copy_engine_of(id)].fifo.push_back(id);
    }
  });
}

/// A3.
QueueIndex Device::queue_of(const DeviceOperation& kernel) {
  Stream& stream = streams_[kernel.stream];
  Context& context = contexts_[stream.context];
  if (kernel.queue) return pool_queue(context, static_cast<std::size_t>(*kernel.queue));
  if (stream.queue) return *stream.queue;
  if (stream.settings.mask) {
    stream.queue = add_queue(stream.settings.mask, stream.settings.on_ace);
  } else if (stream.settings.queue) {
    stream.queue = pool_queue(context, static_cast<std::size_t>(*stream.settings.queue));
  } else {
    stream.queue = pool_queue(context, context.next_in_pool);
    context.next_in_pool = (context.next_in_pool + 1) % context.pool.size();
  }
  return *stream.queue;
}

/// A queue of a pool; it comes into use with its first kernel.
QueueIndex Device::pool_queue(Context& context, std::size_t place) {
  if (!context.pool[place]) context.pool[place] = add_queue(std::nullopt, std::nullopt);
  return *context.pool[place];
}

QueueIndex Device::add_queue(const std::optional<CuMask>& mask, std::optional<std::int64_t> on_ace) {
  const Layout layout = settings_.layout();
  const auto index = static_cast<QueueIndex>(queues_.size());
  Queue queue;
  queue.ace = on_ace ? static_cast<std::size_t>(*on_ace) : index % aces_.size();
  queue.enabled.resize(units_.size(), !mask);
  if (mask)
    for (std::size_t bit = 0; bit < mask->bits.size(); ++bit)
      if (mask->bits[bit])
        queue.enabled[static_cast<std::size_t>(layout.unit_of_bit(static_cast<std::int64_t>(bit)))] = true;
  const auto per_engine = static_cast<std::size_t>(layout.units_per_engine);
  for (std::size_t engine = 0; engine < engines_.size(); ++engine) {
    const auto first = queue.enabled.begin() + static_cast<std::ptrdiff_t>(engine * per_engine);
    if (std::find(first, first + static_cast<std::ptrdiff_t>(per_engine), true) !=
        first + static_cast<std::ptrdiff_t>(per_engine))
      queue.engines.push_back(engine);
  }
  aces_[queue.ace].queues.push_back(index);
  queues_.push_back(std::move(queue));
  return index;
}

/// Which queues have a slot: all, or as many as there are slots of those with packets, for a quantum in turn.
void Device::map_queues() {
  std::size_t active = 0;
  for (const Queue& queue : queues_) active += queue.packets.empty() ? 0U : 1U;
  auto slots = static_cast<std::size_t>(settings_.queues());
  if (active <= slots) {
    for (Queue& queue : queues_) queue.mapped = true;
    quantum_end_ = Instant::never();
    return;
  }
  const bool is_over = quantum_end_ == Instant::never() || now_ >= quantum_end_;
  for (Queue& queue : queues_) {
    queue.mapped = queue.mapped && !queue.packets.empty() && !is_over;
    slots -= queue.mapped ? 1U : 0U;
  }
  if (is_over) quantum_end_ = now_ + settings_.quantum;
  for (std::size_t offset = 0; offset < queues_.size() && slots > 0; ++offset) {
    const std::size_t index = (next_mapped_ + offset) % queues_.size();
    if (queues_[index].mapped || queues_[index].packets.empty()) continue;
    queues_[index].mapped = true;
    if (--slots == 0) next_mapped_ = (index + 1) % queues_.size();
  }
  for (Ace& ace : aces_) {
    if (!ace.current || !operations_[*ace.current].operation.block) continue;
    if (!queues_[operations_[*ace.current].queue].mapped) suspend_current(ace);
  }
}

void Device::suspend_current(Ace& ace) {
  queues_[operations_[*ace.current].queue].is_suspended = true;
  ace.current.reset();
}

/// Whether the first kernel of the queue has blocks that its ACE does not dispatch now.
bool Device::is_waiting(QueueIndex index) const {
  const Queue& queue = queues_[index];
  return queue.mapped && !queue.packets.empty() && (!queue.at_work || queue.is_suspended);
}

/// Whether the ACE would dispatch another kernel if its slice ended.
bool Device::is_wanted(const Ace& ace) const {
  return !settings_.ace_slice.is_zero() && ace.current && operations_[*ace.current].operation.block &&
         std::any_of(ace.queues.begin(), ace.queues.end(), [&](QueueIndex queue) { return is_waiting(queue); });
}

/// A4. A slice that nobody wants goes on.
void Device::end_slices() {
  for (Ace& ace : aces_)
    if (ace.slice_end <= now_ && is_wanted(ace)) suspend_current(ace);
}

/// Fills all slots before blocks start, so that ACEs with many blocks leave the others their turn.
void Device::move_blocks() {
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t ace = 0; ace < aces_.size(); ++ace) moved |= serve_ace(ace);
    for (std::size_t engine = 0; engine < engines_.size(); ++engine) moved |= serve_engine(engine);
  }
}

/// A4: the next queue in turn whose first kernel has not started.
bool Device::take_packet(Ace& ace) {
  for (std::size_t offset = 0; offset < ace.queues.size(); ++offset) {
    const std::size_t place = (ace.turn + offset) % ace.queues.size();
    if (!is_waiting(ace.queues[place])) continue;
    Queue& queue = queues_[ace.queues[place]];
    if (!settings_.ace_slice.is_zero()) ace.slice_end = now_ + settings_.ace_slice;
    if (queue.is_suspended) {
      queue.is_suspended = false;
      ace.turn = (place + 1) % ace.queues.size();
      ace.current = queue.packets.front();
      return true;
    }
    queue.at_work = true;
    ace.turn = (place + 1) % ace.queues.size();
    ace.current = queue.packets.front();
    ++ace.kernels;
    if (kernels_++ == 0) kernels_since_ = now_;
    if (!operations_[*ace.current].operation.block)
      whole_wanted_.insert({operations_[*ace.current].rank, *ace.current});
    return true;
  }
  return false;
}

/// A5.
bool Device::serve_ace(std::size_t index) {
  Ace& ace = aces_[index];
  bool moved = false;
  for (;;) {
    if (!ace.current && !take_packet(ace)) return moved;
    const OperationId id = *ace.current;
    Operation& kernel = operations_[id];
    if (!kernel.operation.block) {
      if (!place_whole(ace)) return moved;
      moved = true;
      continue;
    }
    const Queue& queue = queues_[kernel.queue];
    if (ace.ready > now_) return moved;
    const auto number = static_cast<std::size_t>(kernel.handed_out);
    const std::size_t engine = queue.engines[number % queue.engines.size()];
    auto& slot = engines_[engine].slots[index];
    if (slot) return moved;
    slot = Slot{id, kernel.handed_out++, next_sequence_++};
    const bool is_alone = ace.kernels == kernels_;
    ace.ready = now_ + (is_alone ? kernel.operation.cost.dispatch : kernel.operation.cost.dispatch_beside);
    if (kernel.handed_out == kernel.operation.blocks) ace.current.reset();
    moved = true;
  }
}

bool Device::place_whole(Ace& ace) {
  const OperationId id = *ace.current;
  if (running_ > 0 || whole_ || whole_wanted_.begin()->second != id) return false;
  for (const ShaderEngine& engine : engines_)
    for (const auto& slot : engine.slots)
      if (slot && operations_[slot->operation].rank < operations_[id].rank) return false;
  whole_wanted_.erase(whole_wanted_.begin());
  whole_ = true;
  ace.current.reset();
  ++operations_[id].handed_out;
  start_block(0, id, 0);
  return true;
}

/// A6.
bool Device::serve_engine(std::size_t engine) {
  bool moved = false;
  while (serve_one(engine)) moved = true;
  return moved;
}

bool Device::serve_one(std::size_t index) {
  ShaderEngine& engine = engines_[index];
  std::optional<std::size_t> chosen;
  std::size_t on = 0;
  for (std::size_t offset = 0; offset < engine.slots.size(); ++offset) {
    const std::size_t ace = (engine.turn + offset) % engine.slots.size();
    const auto& slot = engine.slots[ace];
    if (!slot || (chosen && slot->since > engine.slots[*chosen]->since)) continue;
    const auto unit = unit_for(index, *slot);
    if (!unit) continue;
    chosen = ace;
    on = *unit;
    if (settings_.turns == TurnRule::round_robin) break;
  }
  if (!chosen) return false;
  const Slot slot = *engine.slots[*chosen];
  engine.slots[*chosen].reset();
  engine.turn = (*chosen + 1) % engine.slots.size();
  start_block(on, slot.operation, slot.block);
  return true;
}

std::optional<std::size_t> Device::unit_for(std::size_t engine, const Slot& slot) const {
  const Operation& kernel = operations_[slot.operation];
  if (whole_ || (!whole_wanted_.empty() && whole_wanted_.begin()->first < kernel.rank)) return std::nullopt;
  const auto& enabled = queues_[kernel.queue].enabled;
  const auto per_engine = static_cast<std::size_t>(settings_.limits.sms_per_gpc);
  std::optional<std::size_t> best;
  for (std::size_t unit = engine * per_engine; unit < (engine + 1) * per_engine; ++unit)
    if (enabled[unit] && (!best || units_[unit].threads < units_[*best].threads) &&
        fits(settings_.limits, units_[unit].use, *kernel.operation.block))
      best = unit;
  return best;
}

Duration Device::time_of_block(const Operation& kernel, std::int64_t number) const {
  const Duration duration = kernel.operation.duration;
  if (kernel.operation.cost.spread_ppm == 0) return duration;
  const std::int64_t off =
      deviation(mixed(kernel.rank, static_cast<std::uint64_t>(number))) * kernel.operation.cost.spread_ppm / whole;
  return scale(duration, std::max(whole / 10, whole + off), whole, Rounding::up);
}

void Device::start_block(std::size_t unit_index, OperationId id, std::int64_t number) {
  Operation& kernel = operations_[id];
  const std::uint32_t index = blocks_.take();
  Block& block = blocks_[index];
  block.operation = id;
  block.unit = unit_index;
  block.index = kernel.run.blocks.size();
  block.remaining = time_of_block(kernel, number);
  block.since = now_;
  block.sequence = next_sequence_++;
  block.is_new = true;
  Unit& unit = units_[unit_index];
  unit.changed = true;
  unit.blocks.push_back(index);
  if (kernel.operation.block) {
    unit.use += *kernel.operation.block;
    unit.threads += kernel.threads;
    block.is_asleep = !kernel.operation.cost.warm_up.is_zero() && kernel.ended == 0;
    if (block.is_asleep) {
      block.is_new = false;
      ends_.predict_end(index, now_ + kernel.operation.cost.warm_up, block.sequence);
    } else {
      unit.awake += kernel.threads;
      unit.weight += kernel.threads * kernel.operation.cost.weight_ppm;
    }
  }
  threads_ += kernel.threads;
  ++running_;
  mixture_changed_ = true;
  if (kernel.run.blocks.empty()) kernel.run.start = now_;
  kernel.run.blocks.push_back({static_cast<SmIndex>(unit_index), now_, now_});
  if (block_steps_ != nullptr) block_steps_->push_back({id, block.index, static_cast<SmIndex>(unit_index), true});
  if (kernel.running++ == 0) resident_.push_back(id);
}

/// The block has its first data and uses its CU from now on.
void Device::wake(std::uint32_t index) {
  Block& block = blocks_[index];
  const Operation& kernel = operations_[block.operation];
  Unit& unit = units_[block.unit];
  block.is_asleep = false;
  block.is_new = true;
  unit.awake += kernel.threads;
  unit.weight += kernel.threads * kernel.operation.cost.weight_ppm;
  unit.changed = true;
}

void Device::start_copies() {
  for (CopyEngine& engine : copies_) {
    if (engine.active || engine.fifo.empty()) continue;
    engine.active = engine.fifo.front();
    engine.fifo.pop_front();
    Operation& copy = operations_[*engine.active];
    copy.run.start = now_;
    engine.end = now_ + copy.operation.duration;
  }
}

Instant Device::next_event() {
  Instant next = Instant::never();
  for (const CopyEngine& engine : copies_)
    if (engine.active) next = std::min(next, engine.end);
  for (const Ace& ace : aces_)
    if (ace.current && ace.ready > now_) next = std::min(next, ace.ready);
  for (const Ace& ace : aces_)
    if (ace.slice_end > now_ && is_wanted(ace)) next = std::min(next, ace.slice_end);
  next = std::min(next, quantum_end_);
  return std::min(next, ends_.next());
}

// ---- interference

Slowdown Device::suffered_everywhere(const Operation& kernel) const {
  const KernelCost& cost = kernel.operation.cost;
  std::int64_t ppm = whole;
  if (cost.contention_ppm > 0 && threads_ > cost.contention_from)
    ppm += cost.contention_ppm * (threads_ - cost.contention_from) / 1024;
  if (cost.reuse_ppm > 0) {
    const std::int64_t ramp = cost.reuse_to - cost.reuse_from;
    const std::int64_t above = std::clamp<std::int64_t>(kernel.running - cost.reuse_from, 0, ramp);
    ppm = ppm * (whole - cost.reuse_ppm * above / ramp) / whole;
  }
  if (cost.beside_ppm > 0 && threads_ > 0) {
    const std::int64_t others = threads_ - kernel.running * kernel.threads;
    ppm = ppm * (whole + std::min(cost.beside_ppm, cost.beside_ppm * 2 * others / threads_)) / whole;
  }
  return {(ppm + step / 2) / step * step};
}

Slowdown Device::suffered_in(const Unit& unit, const Operation& kernel) const {
  const KernelCost& cost = kernel.operation.cost;
  if (cost.full_speed_threads == 0 || unit.awake <= cost.full_speed_threads) return kernel.everywhere;
  const std::int64_t own = cost.full_speed_threads * cost.weight_ppm;
  if (unit.weight <= own) return kernel.everywhere;
  const Duration slowed = scale(Duration::picoseconds(kernel.everywhere.ppm), unit.weight, own, Rounding::up);
  return {slowed.picoseconds()};
}

void Device::update_speeds() {
  if (mixture_changed_) {
    mixture_changed_ = false;
    for (const OperationId id : resident_) {
      Operation& kernel = operations_[id];
      const Slowdown suffered = suffered_everywhere(kernel);
      if (suffered == kernel.everywhere) continue;
      kernel.everywhere = suffered;
      for (Unit& unit : units_) unit.changed = true;
    }
  }
  for (Unit& unit : units_) {
    if (!unit.changed) continue;
    unit.changed = false;
    for (const std::uint32_t index : unit.blocks) {
      Block& block = blocks_[index];
      if (block.is_asleep) continue;
      const Operation& kernel = operations_[block.operation];
      const Slowdown slowdown = suffered_in(unit, kernel);
      if (!block.is_new && slowdown == block.slowdown) continue;
      if (!block.is_new) block.remaining -= std::min(block.remaining, progress(now_ - block.since, block.slowdown));
      block.is_new = false;
      block.since = now_;
      block.slowdown = slowdown;
      ends_.predict_end(index, now_ + time_for(block.remaining, slowdown), block.sequence);
    }
  }
}

// ---- observation

Duration Device::busy(EngineIndex engine) const {
  if (engine == 0) return kernels_ > 0 ? kernels_busy_ + (now_ - kernels_since_) : kernels_busy_;
  const CopyEngine& copies = copies_[engine - 1];
  return copies.active ? copies.busy + (now_ - operations_[*copies.active].run.start) : copies.busy;
}

OperationStanding Device::standing(OperationId id) const {
  const Operation& operation = operations_[id];
  const Stream& stream = streams_[operation.operation.stream];
  if (!operation.in_queue) {
    if (!stream.fifo.is_first(id))
      return {OperationStanding::Kind::queued, {}, stream.fifo.operations.front().second, {}};
    return {OperationStanding::Kind::queued, {}, contexts_[stream.context].heads.first(), {}};  // N7
  }
  if (!is_kernel(id)) {
    const auto& active = copies_[copy_engine_of(id)].active;
    if (active == id) return {OperationStanding::Kind::executing, {}, {}, {}};
    return {OperationStanding::Kind::queued, {}, active, {}};
  }
  // The earliest of the other kernels on CUs.
  std::optional<OperationId> other;
  for (const OperationId candidate : resident_)
    if (candidate != id && (!other || operations_[candidate].rank < operations_[*other].rank)) other = candidate;
  if (operation.running == 0) {
    const OperationId first = queues_[operation.queue].packets.front();
    return {OperationStanding::Kind::queued, {}, first != id ? std::optional(first) : other, {}};
  }
  Slowdown worst;
  for (const Unit& unit : units_)
    for (const std::uint32_t index : unit.blocks)
      if (blocks_[index].operation == id) worst = std::max(worst, blocks_[index].slowdown);
  return {OperationStanding::Kind::executing, worst, worst > Slowdown{} ? other : std::nullopt, {}};
}

}  // namespace amalthea::engine::amd
