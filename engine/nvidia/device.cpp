// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/device.hpp"

#include <algorithm>

namespace amalthea::engine::nvidia {

Device::Device(const DeviceSettings& settings)
    : settings_(settings), copying_(static_cast<std::size_t>(settings.copy_engines)), copy_since_(copying_.size()) {
  for (std::size_t engine = 0; engine <= copying_.size(); ++engine)
    engines_.push_back({Runlist(settings.context_switch), {}, {}, {}, false});
}

ContextIndex Device::add_context(Duration slice, ContextPriority priority) {
  for (Engine& engine : engines_) engine.runlist.add_context(slice, static_cast<std::uint32_t>(priority));
  contexts_.emplace_back(BlockPlacement(settings_.limits, settings_.scan, settings_.ties), copying_.size());
  return static_cast<ContextIndex>(contexts_.size() - 1);
}

StreamIndex Device::add_stream(ContextIndex context, const StreamSettings& settings) {
  streams_.push_back(
      {context, settings.priority, {settings.is_null, settings.has_barriers, {}}, settings.mask, settings.process});
  auto& processes = contexts_[context].processes;
  if (processes.size() <= settings.process) processes.resize(settings.process + 1);
  Process& process = processes[settings.process];
  process.heads.add(streams_.back().fifo);
  process.most_sms = settings.process_sms;
  if (process.most_sms > 0) process.blocks.resize(static_cast<std::size_t>(settings_.limits.sms));
  return static_cast<StreamIndex>(streams_.size() - 1);
}

void Device::schedule_by_urgency() {
  for (Engine& engine : engines_) engine.runlist.schedule_by_urgency();
}

void Device::set_urgency(ContextIndex context, std::int64_t urgency) {
  for (Engine& engine : engines_) engine.runlist.set_urgency(context, urgency);
}

std::size_t Device::copy_engine_of(OperationId id) const {
  return operations_[id].operation.kind == StreamOperationKind::device_to_host ? copying_.size() - 1 : 0;
}

// ---- arrivals and completions

/// G1.
OperationId Device::submit(const DeviceOperation& operation) {
  const OperationId id = operations_.take();
  Operation& added = operations_[id];
  added = {};
  added.operation = operation;
  added.rank = next_rank_++;
  const auto clusters = gpc(static_cast<SmIndex>(settings_.limits.sms - 1)) + 1;
  added.running_in.resize(clusters, 0);
  added.slowdowns.resize(clusters);
  if (operation.memory != nullptr && operation.memory->described)
    added.running_on.resize(static_cast<std::size_t>(settings_.limits.sms));
  Stream& stream = streams_[operation.stream];
  process_of(id).heads.submit(stream.fifo, {added.rank, id}, operation.pageable);
  return id;
}

void Device::advance(Instant now, std::vector<OperationId>& completed) {
  now_ = now;
  end_copies(completed);
  end_blocks(completed);
}

void Device::end_copies(std::vector<OperationId>& completed) {
  for (std::size_t engine = 0; engine < copying_.size(); ++engine) {
    if (!copying_[engine] || copy_end(engine) != now_) continue;
    auto& active = contexts_[*copying_[engine]].copies[engine].active;
    const OperationId id = *active;
    active.reset();
    copying_[engine].reset();
    neighbourhood_changed_ = true;
    complete(id, completed);
  }
}

void Device::end_blocks(std::vector<OperationId>& completed) {
  while (const auto ending = ends_.take(now_)) {
    const Block& block = blocks_[*ending];
    const OperationId id = block.operation;
    Operation& kernel = operations_[id];
    Context& context = contexts_[context_of(id)];
    kernel.run.blocks[block.index].end = now_;
    if (block_steps_ != nullptr) block_steps_->push_back({id, block.index, block.sm, false});
    if (kernel.operation.warps != nullptr) {
      Sm& sm = context.sms[block.sm];
      book_warps(sm);
      sm.warps.end(*ending);
      std::erase(sm.blocks, *ending);
      change(sm);
    }
    if (kernel.operation.block) {
      context.placement.remove(block.sm, *kernel.operation.block, block.turn);
      count_block(id, block.sm, -1);
    } else {
      context.whole = false;
    }
    context.resident[block.place] = context.resident.back();
    blocks_[context.resident[block.place]].place = block.place;
    context.resident.pop_back();
    if (slows_on_same_sm() && kernel.operation.block) {
      std::erase(context.sms[block.sm].resident, *ending);
      find_sharing(context.sms[block.sm]);
    }
    blocks_.give_back(*ending);
    --kernel.running;
    --kernel.running_in[gpc(block.sm)];
    if (!kernel.running_on.empty()) --kernel.running_on[block.sm];
    if (kernel.operation.memory_share > 0) {
      neighbourhood_changed_ = true;
      if (kernel.running == 0) std::erase(context.memory_bound, id);
    }
    if (kernel.running == 0 && is_fully_assigned(id)) complete(id, completed);  // G4
  }
}

/// G4, C4: removes the operation from its stream; the next operation becomes the head.
void Device::complete(OperationId id, std::vector<OperationId>& completed) {
  Operation& operation = operations_[id];
  Stream& stream = streams_[operation.operation.stream];
  operation.run.completion = now_;
  process_of(id).heads.end(stream.fifo);
  completed.push_back(id);
  operations_.give_back(id);
}

// ---- scheduling

void Device::settle() {
  for (Context& context : contexts_) fill_queues(context);
  for (EngineIndex engine = 0; engine < engines_.size(); ++engine) arbitrate(engine);
  serve_kernels();
  for (std::size_t engine = 0; engine < copying_.size(); ++engine) serve_copies(engine);
  update_interference();
  predict_changed();
}

/// G2, C1 and N7: heads of streams enter the queues of their engines in the order of submission.
void Device::fill_queues(Context& context) {
  entering_.clear();
  for (Process& process : context.processes)
    process.heads.begin([&](OperationId id) { entering_.emplace_back(operations_[id].rank, id); });
  if (context.processes.size() > 1) std::sort(entering_.begin(), entering_.end());
  for (const auto& [rank, id] : entering_) {
    Operation& operation = operations_[id];
    operation.run.enqueued = now_;
    operation.in_queue = true;
    if (is_kernel(id))
      context.kernels[static_cast<std::size_t>(streams_[operation.operation.stream].priority)].push_back(id);
    else
      context.copies[copy_engine_of(id)].queue.push_back(id);
    neighbourhood_changed_ = neighbourhood_changed_ || !is_kernel(id);
  }
}

Device::Process& Device::process_of(OperationId id) {
  const Stream& stream = streams_[operations_[id].operation.stream];
  return contexts_[stream.context].processes[stream.process];
}

/// The SMs that blocks of the kernel may use now; null: all.
const std::vector<bool>* Device::allowed_sms(OperationId id) {
  const DeviceOperation& kernel = operations_[id].operation;
  const Process& process = process_of(id);
  const auto& mask = kernel.mask ? kernel.mask : streams_[kernel.stream].mask;
  if (process.most_sms == 0 || process.sms < process.most_sms) return mask ? &mask->bits : nullptr;
  allowed_.assign(process.blocks.size(), false);
  for (std::size_t sm = 0; sm < allowed_.size(); ++sm)
    allowed_[sm] = process.blocks[sm] > 0 && (!mask || mask->bits[sm]);
  return &allowed_;
}

/// A block of the kernel begins (1) or ends (-1) on the SM.
void Device::count_block(OperationId id, SmIndex sm, std::int64_t change) {
  Process& process = process_of(id);
  if (process.most_sms == 0) return;
  const bool was_used = process.blocks[sm] > 0;
  process.blocks[sm] += change;
  if (was_used != (process.blocks[sm] > 0)) process.sms += change;
}

bool Device::has_work(const Context& context, EngineIndex engine) const {
  if (engine == 0) return !context.resident.empty() || !context.kernels[0].empty() || !context.kernels[1].empty();
  const Copy& copy = context.copies[engine - 1];
  return copy.active || !copy.queue.empty();
}

bool Device::can_leave(EngineIndex engine) const {
  const auto serving = engines_[engine].runlist.serving();
  if (!serving || settings_.preemption == Preemption::instruction) return true;
  const Context& context = contexts_[*serving];
  if (engine != 0) return !context.copies[engine - 1].active;
  if (!context.resident.empty()) return false;
  if (settings_.preemption == Preemption::block) return true;
  return std::all_of(std::begin(context.kernels), std::end(context.kernels),
                     [&](const auto& queue) { return queue.empty() || operations_[queue.front()].assigned == 0; });
}

void Device::arbitrate(EngineIndex index) {
  Engine& engine = engines_[index];
  const bool was_serving = engine.runlist.serving().has_value();
  if (was_serving) engine.busy += now_ - engine.since;
  engine.since = now_;
  for (ContextIndex context = 0; context < contexts_.size(); ++context)
    engine.runlist.set_work(context, has_work(contexts_[context], index));
  engine.runlist.arbitrate(now_, can_leave(index));
  if (slices_ == nullptr) return;
  const auto serving = engine.runlist.serving();
  if (engine.in_slice && serving != engine.slice.context) {
    engine.slice.end = now_;
    if (engine.slice.end != engine.slice.start) slices_->push_back(engine.slice);
    engine.in_slice = false;
  }
  if (serving && !engine.in_slice) {
    engine.slice = {index, *serving, now_, engine.runlist.ready_at(), {}};
    engine.in_slice = true;
  }
}

/// The context that the engine serves, after the switch to it.
std::optional<ContextIndex> Device::served(EngineIndex engine) const {
  const Runlist& runlist = engines_[engine].runlist;
  return runlist.ready_at() <= now_ ? runlist.serving() : std::nullopt;
}

void Device::serve_kernels() {
  const auto next = served(0);
  if (next != running_) {
    if (running_) {
      predict_changed();
      for (const std::uint32_t index : contexts_[*running_].resident) {
        book(blocks_[index]);
        if (warps_of(blocks_[index]) != nullptr) book_warps(contexts_[*running_].sms[blocks_[index].sm]);
        ends_.forget(index);
      }
    }
    running_ = next;
    neighbourhood_changed_ = true;
    if (running_) {
      for (const std::uint32_t index : contexts_[*running_].resident) {
        blocks_[index].since = now_;
        if (warps_of(blocks_[index]) == nullptr) {
          predict_end(index);
          continue;
        }
        Sm& sm = contexts_[*running_].sms[blocks_[index].sm];
        sm.since = now_;
        change(sm);
      }
    }
  }
  if (running_) assign_blocks(contexts_[*running_]);
}

/// X1, A2: blocks of the first kernel in the highest-priority queue, as long as there is room.
void Device::assign_blocks(Context& context) {
  const bool draining = engines_[0].runlist.draining();
  if (draining && settings_.preemption == Preemption::block) return;
  if (context.preempted_until > now_) return;
  for (auto& queue : context.kernels)
    for (; !queue.empty(); queue.pop_front()) {
      const OperationId id = queue.front();
      if (draining && operations_[id].assigned == 0) break;
      if (!context.resident.empty() && operations_[id].operation.cache_config != context.cache_config) return;  // N8
      if (preempts(context, id)) {
        context.is_preempted = true;
        context.preempted_until = now_ + settings_.stream_preemption;
        return;
      }
      while (!is_fully_assigned(id))
        if (!assign_block(context, id)) return;
    }
}

/// Whether there is room for a block of the kernel.
bool Device::could_start(const Context& context, OperationId id) {
  const DeviceOperation& kernel = operations_[id].operation;
  if (!context.resident.empty() && kernel.cache_config != context.cache_config) return false;  // N8
  if (!kernel.block) return context.resident.empty();
  const std::vector<bool>* const allowed = allowed_sms(id);
  return !context.whole && (allowed != nullptr ? context.placement.choose(*kernel.block, *allowed).has_value()
                                               : context.placement.choose(*kernel.block).has_value());
}

bool Device::preempts(const Context& context, OperationId id) {
  if (settings_.stream_preemption.is_zero() || context.is_preempted || operations_[id].assigned > 0) return false;
  const auto& low = context.kernels[static_cast<std::size_t>(StreamPriority::low)];
  if (low.empty() || streams_[operations_[id].operation.stream].priority == StreamPriority::low) return false;
  return operations_[low.front()].assigned > 0 && could_start(context, low.front()) && could_start(context, id);
}

bool Device::assign_block(Context& context, OperationId id) {
  Operation& kernel = operations_[id];
  SmIndex sm = 0;
  if (kernel.operation.block) {
    if (context.whole) return false;
    if (context.placing != kernel.operation.stream) context.placement.next_stream();
    context.placing = kernel.operation.stream;
    const std::vector<bool>* const allowed = allowed_sms(id);
    const auto chosen = allowed != nullptr ? context.placement.place(*kernel.operation.block, *allowed)
                                           : context.placement.place(*kernel.operation.block);
    if (!chosen) return false;
    sm = *chosen;
    count_block(id, sm, 1);
  } else {
    if (!context.resident.empty()) return false;
    context.whole = true;
  }
  const std::uint32_t index = blocks_.take();
  Block& block = blocks_[index];
  block.operation = id;
  block.sm = sm;
  block.index = kernel.run.blocks.size();
  block.remaining = FluidWork(kernel.operation.duration);
  block.since = now_;
  block.slowdown = kernel.slowdowns[gpc(sm)];
  block.sequence = next_sequence_++;
  block.place = context.resident.size();
  block.turn = context.placement.turn();
  context.resident.push_back(index);
  context.cache_config = kernel.operation.cache_config;
  if (streams_[kernel.operation.stream].priority == StreamPriority::low) context.is_preempted = false;
  if (kernel.run.blocks.empty()) kernel.run.start = now_;
  kernel.run.blocks.push_back({sm, now_, now_});
  if (block_steps_ != nullptr) block_steps_->push_back({id, block.index, sm, true});
  if (kernel.operation.memory_share > 0) {
    neighbourhood_changed_ = true;
    if (kernel.running == 0) context.memory_bound.push_back(id);
  }
  if (slows_on_same_sm() && kernel.operation.block) {
    context.sms[sm].resident.push_back(index);
    find_sharing(context.sms[sm]);
  }
  ++kernel.assigned;
  ++kernel.running;
  ++kernel.running_in[gpc(sm)];
  if (!kernel.running_on.empty()) ++kernel.running_on[sm];
  if (kernel.operation.warps == nullptr)
    predict_end(index);
  else
    start_warps(context, index);
  return true;
}

void Device::start_warps(Context& context, std::uint32_t block) {
  Sm& sm = context.sms[blocks_[block].sm];
  book_warps(sm);
  sm.warps.start(block, *warps_of(blocks_[block]), episodes_);
  sm.blocks.push_back(block);
  change(sm);
}

void Device::book_warps(Sm& sm) const {
  sm.warps.advance(now_ - sm.since, sm.slowdown);
  sm.since = now_;
}

void Device::change(Sm& sm) {
  if (!sm.changed) changed_sms_.push_back(&sm);
  sm.changed = true;
}

void Device::predict_changed() {
  for (Sm* const sm : changed_sms_) {
    sm->changed = false;
    if (sm->blocks.empty()) continue;
    book_warps(*sm);
    sm->slowdown = {};
    for (const std::uint32_t block : sm->blocks) {
      sm->slowdown = std::max(sm->slowdown, blocks_[block].slowdown);
      ends_.forget(block);
    }
    const Instant end = now_ + sm->warps.time_to_end(sm->slowdown);
    for (const std::uint32_t block : sm->warps.next_ends()) ends_.predict_end(block, end, blocks_[block].sequence);
  }
  changed_sms_.clear();
}

void Device::book(Block& block) const {
  block.remaining.advance(now_ - block.since, block.slowdown);
  block.since = now_;
}

void Device::predict_end(std::uint32_t index) {
  const Block& block = blocks_[index];
  ends_.predict_end(index, block.since + block.remaining.time(block.slowdown), block.sequence);
}

/// C2, C3.
void Device::serve_copies(std::size_t engine) {
  const auto next = served(static_cast<EngineIndex>(engine + 1));
  if (next != copying_[engine]) {
    if (copying_[engine]) book_copy(engine);
    copying_[engine].reset();
    neighbourhood_changed_ = true;
  }
  if (!next || copying_[engine]) return;
  Copy& copy = contexts_[*next].copies[engine];
  if (!copy.active) {
    // A drained context has an active copy; otherwise it would have been preempted.
    copy.active = copy.queue.front();
    copy.queue.pop_front();
    copy.remaining = FluidWork(operations_[*copy.active].operation.duration);
    operations_[*copy.active].run.start = now_;
  }
  copying_[engine] = next;
  copy_since_[engine] = now_;
  neighbourhood_changed_ = true;
}

void Device::book_copy(std::size_t engine) {
  Copy& copy = contexts_[*copying_[engine]].copies[engine];
  copy.remaining.advance(now_ - copy_since_[engine], operations_[*copy.active].worst);
  copy_since_[engine] = now_;
}

Instant Device::copy_end(std::size_t engine) const {
  const Copy& copy = contexts_[*copying_[engine]].copies[engine];
  return copy_since_[engine] + copy.remaining.time(operations_[*copy.active].worst);
}

Instant Device::next_event() {
  Instant next = Instant::never();
  for (const Engine& engine : engines_) next = std::min(next, engine.runlist.next_event(now_));
  for (std::size_t engine = 0; engine < copying_.size(); ++engine)
    if (copying_[engine]) next = std::min(next, copy_end(engine));
  if (running_ && contexts_[*running_].preempted_until > now_)
    next = std::min(next, contexts_[*running_].preempted_until);
  return std::min(next, ends_.next());
}

// ---- interference

/// After a block began or ended there, while the context is served.
void Device::find_sharing(Sm& sm) {
  sm.is_shared = std::any_of(sm.resident.begin(), sm.resident.end(), [&](std::uint32_t block) {
    return blocks_[block].operation != blocks_[sm.resident.front()].operation;
  });
  for (const std::uint32_t block : sm.resident) slow_down(block);
}

Slowdown Device::slowdown_of(const Block& block) const {
  const Slowdown slowdown = operations_[block.operation].slowdowns[gpc(block.sm)];
  if (!slows_on_same_sm() || warps_of(block) != nullptr) return slowdown;
  const bool is_shared = contexts_[context_of(block.operation)].sms[block.sm].is_shared;
  return is_shared ? std::max(slowdown, settings_.contention.on_same_sm()) : slowdown;
}

void Device::slow_down(std::uint32_t index) {
  Block& block = blocks_[index];
  const Slowdown slowdown = slowdown_of(block);
  if (block.slowdown == slowdown) return;
  book(block);
  block.slowdown = slowdown;
  if (warps_of(block) == nullptr)
    predict_end(index);
  else
    change(contexts_[*running_].sms[block.sm]);
}

/// Another kernel that has a block on an SM with one of this kernel, if that slows this one down.
std::optional<OperationId> Device::sharing_sms_with(OperationId id) const {
  if (!slows_on_same_sm() || !is_kernel(id) || operations_[id].operation.warps != nullptr) return std::nullopt;
  for (const Sm& sm : contexts_[context_of(id)].sms) {
    const auto is_own = [&](std::uint32_t block) { return blocks_[block].operation == id; };
    if (!sm.is_shared || std::none_of(sm.resident.begin(), sm.resident.end(), is_own)) continue;
    return blocks_[*std::find_if_not(sm.resident.begin(), sm.resident.end(), is_own)].operation;
  }
  return std::nullopt;
}

void Device::set_cpu_traffic(const CpuTraffic& traffic) {
  if (traffic == cpu_traffic_) return;
  cpu_traffic_ = traffic;
  neighbourhood_changed_ = true;
}

void Device::update_interference() {
  if (!neighbourhood_changed_) return;
  neighbourhood_changed_ = false;
  // Kernels without a memory share neither suffer nor cause slowdown.
  Neighbourhood beside;
  beside.cpu = cpu_traffic_;
  const std::vector<OperationId> no_kernels;
  const auto& kernels = running_ ? contexts_[*running_].memory_bound : no_kernels;
  for (const OperationId id : kernels) {
    const Operation& kernel = operations_[id];
    beside.kernels.push_back(
        {kernel.operation.memory_share, kernel.running_in, kernel.operation.memory, kernel.running_on});
  }
  for (std::size_t engine = copying_.size(); engine-- > 0;) {
    if (!copying_[engine]) continue;
    const OperationId id = *contexts_[*copying_[engine]].copies[engine].active;
    (operations_[id].operation.kind == StreamOperationKind::memset ? beside.memset : beside.memcpy) = engine;
  }
  if (beside.memset || beside.memcpy) beside.copying_processes = copying_contexts();

  bool changed = false;
  for (std::size_t victim = 0; victim < kernels.size(); ++victim) {
    Operation& kernel = operations_[kernels[victim]];
    kernel.worst = {};
    blame(kernel, {});
    for (std::size_t cluster = 0; cluster < kernel.running_in.size(); ++cluster) {
      const Interference suffered = settings_.contention.on_kernel(beside, victim, cluster);
      changed |= kernel.slowdowns[cluster] != suffered.slowdown;
      kernel.slowdowns[cluster] = suffered.slowdown;
      if (kernel.running_in[cluster] == 0 || suffered.slowdown <= kernel.worst) continue;
      kernel.worst = suffered.slowdown;
      blame(kernel, suffered);
    }
  }
  if (changed)
    for (const std::uint32_t index : contexts_[*running_].resident) slow_down(index);

  const Interference on_copies = settings_.contention.on_copy(beside);
  for (std::size_t engine = 0; engine < copying_.size(); ++engine) {
    if (!copying_[engine]) continue;
    book_copy(engine);
    Operation& copy = operations_[*contexts_[*copying_[engine]].copies[engine].active];
    copy.worst = on_copies.slowdown;
    blame(copy, on_copies);
  }
}

/// Those whose copies a copy engine executes, or would execute next.
std::int64_t Device::copying_contexts() const {
  return std::count_if(contexts_.begin(), contexts_.end(), [](const Context& context) {
    return std::any_of(context.copies.begin(), context.copies.end(),
                       [](const Copy& copy) { return copy.active || !copy.queue.empty(); });
  });
}

void Device::blame(Operation& victim, const Interference& interference) const {
  victim.aggressor.reset();
  victim.by_cpus = interference.by == Aggressor::cpu;
  if (interference.by == Aggressor::kernel) victim.aggressor = contexts_[*running_].memory_bound[interference.index];
  if (interference.by == Aggressor::copy)
    victim.aggressor = contexts_[*copying_[interference.index]].copies[interference.index].active;
}

// ---- observation

Duration Device::busy(EngineIndex engine) const {
  const Engine& counted = engines_[engine];
  return counted.runlist.serving() ? counted.busy + (now_ - counted.since) : counted.busy;
}

/// The operation that the engine executes for the served context, also during the switch to it.
std::optional<OperationId> Device::at_work(EngineIndex engine) const {
  const auto serving = engines_[engine].runlist.serving();
  if (!serving) return std::nullopt;
  const Context& context = contexts_[*serving];
  if (engine != 0) {
    const Copy& copy = context.copies[engine - 1];
    return copy.active ? copy.active : std::optional(copy.queue.front());
  }
  // The earliest one with resident blocks; none yet during the switch to the context.
  std::optional<Ranked> first;
  for (const std::uint32_t index : context.resident) {
    const OperationId id = blocks_[index].operation;
    const Ranked ranked{operations_[id].rank, id};
    if (!first || ranked < *first) first = ranked;
  }
  if (first) return first->second;
  return context.kernels[context.kernels[0].empty() ? 1 : 0].front();
}

OperationStanding Device::standing(OperationId id) const {
  const Operation& operation = operations_[id];
  const Stream& stream = streams_[operation.operation.stream];
  const Context& context = contexts_[stream.context];
  if (!operation.in_queue) {
    if (!stream.fifo.is_first(id))
      return {OperationStanding::Kind::queued, {}, stream.fifo.operations.front().second, {}};
    return {OperationStanding::Kind::queued, {}, context.processes[stream.process].heads.first(), {}};  // N7
  }
  const EngineIndex engine = is_kernel(id) ? 0 : static_cast<EngineIndex>(copy_engine_of(id) + 1);
  const Runlist& runlist = engines_[engine].runlist;
  if (runlist.serving() != stream.context)
    return {OperationStanding::Kind::waiting, {}, at_work(engine), runlist.serving()};
  if (now_ < runlist.ready_at()) return {OperationStanding::Kind::switching, {}, {}, {}};
  const bool executes = is_kernel(id) ? operation.running > 0 : context.copies[engine - 1].active == id;
  if (const auto other = executes ? sharing_sms_with(id) : std::nullopt;
      other && settings_.contention.on_same_sm() > operation.worst)
    return {OperationStanding::Kind::executing, settings_.contention.on_same_sm(), other, {}, false};
  if (executes)
    return {OperationStanding::Kind::executing, operation.worst, operation.aggressor, {}, operation.by_cpus};
  return {OperationStanding::Kind::queued, {}, at_work(engine), {}};
}

}  // namespace amalthea::engine::nvidia
