// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/runlist.hpp"

#include <algorithm>

namespace amalthea::engine::nvidia {

ContextIndex Runlist::add_context(Duration slice, std::uint32_t slots) {
  contexts_.push_back({slice, slots, false, 0});
  build_slots();
  return static_cast<ContextIndex>(contexts_.size() - 1);
}

void Runlist::build_slots() {
  slots_.clear();
  std::uint32_t rounds = 0;
  for (const Context& context : contexts_) rounds = std::max(rounds, context.slots);
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (ContextIndex context = 0; context < contexts_.size(); ++context)
      if (contexts_[context].slots > round) slots_.push_back(context);
}

void Runlist::set_work(ContextIndex context, bool has_work) {
  if (contexts_[context].has_work == has_work) return;
  contexts_[context].has_work = has_work;
  working_ += has_work ? 1U : ~0U;
}

bool Runlist::others_have_work() const { return working_ > (contexts_[*serving_].has_work ? 1U : 0U); }

/// One of the contexts with work, of which there must be one.
ContextIndex Runlist::most_urgent() const {
  std::optional<ContextIndex> best;
  if (serving_ && contexts_[*serving_].has_work) best = serving_;
  for (ContextIndex context = 0; context < contexts_.size(); ++context)
    if (contexts_[context].has_work && (!best || contexts_[context].urgency > contexts_[*best].urgency)) best = context;
  return *best;
}

Instant Runlist::slice_end(Instant wanted_since) const {
  // While no other context requested the engine, slices renewed themselves back to back: the current one ends at the
  // first multiple of the slice length that is not before the arrival of the other work.
  const Duration slice = contexts_[*serving_].slice;
  const Duration since = std::max(wanted_since, slice_start_) - slice_start_;
  const std::int64_t slices =
      std::max<std::int64_t>(1, amalthea::detail::divide(since.picoseconds(), slice.picoseconds(), Rounding::up));
  return slice_start_ + slice * slices;
}

void Runlist::serve(ContextIndex context, Instant now) {
  const bool turn = last_served_ && *last_served_ != context;
  serving_ = last_served_ = context;
  ready_at_ = turn ? now + context_switch_ : now;
  slice_start_ = ready_at_;
  slice_limit_ = others_have_work() && !by_urgency_ ? slice_end(slice_start_) : Instant::never();
  draining_ = false;
}

void Runlist::arbitrate(Instant now, bool can_leave) {
  if (serving_ && contexts_[*serving_].has_work && by_urgency_) {
    if (most_urgent() == *serving_) {
      draining_ = false;
      return;
    }
    draining_ = !can_leave;
    if (draining_) return;
  } else if (serving_ && contexts_[*serving_].has_work) {
    if (slice_limit_ == Instant::never() && others_have_work()) slice_limit_ = slice_end(now);
    if (now < slice_limit_) return;
    draining_ = !can_leave;
    if (draining_) return;
  }
  if (working_ == 0) {
    serving_.reset();
    draining_ = false;
    return;
  }
  if (by_urgency_) return serve(most_urgent(), now);
  while (!contexts_[slots_[next_slot_]].has_work) next_slot_ = (next_slot_ + 1) % slots_.size();
  const ContextIndex next = slots_[next_slot_];
  next_slot_ = (next_slot_ + 1) % slots_.size();
  serve(next, now);
}

Instant Runlist::next_event(Instant now) const {
  if (!serving_) return Instant::never();
  if (now < ready_at_) return std::min(ready_at_, slice_limit_);
  return draining_ ? Instant::never() : slice_limit_;
}

}  // namespace amalthea::engine::nvidia
