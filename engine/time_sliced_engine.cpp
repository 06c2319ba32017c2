#include "engine/time_sliced_engine.hpp"

#include <algorithm>

namespace amalthea::engine {

ContextIndex TimeSlicedEngine::add_context(Duration slice) {
  contexts_.push_back({slice, {}});
  return static_cast<ContextIndex>(contexts_.size() - 1);
}

void TimeSlicedEngine::enqueue(ContextIndex context, OperationId operation, Duration work) {
  contexts_[context].queue.push_back({operation, work});
}

bool TimeSlicedEngine::others_have_work() const {
  for (ContextIndex other = 0; other < contexts_.size(); ++other)
    if (other != serving_ && !contexts_[other].queue.empty()) return true;
  return false;
}

Instant TimeSlicedEngine::slice_end(Instant wanted_since) const {
  // While nobody else wanted the engine, slices renewed themselves back to back: the present one ends at the first
  // multiple of the slice length that is not before the other work came.
  const Duration slice = contexts_[*serving_].slice;
  const Duration since = std::max(wanted_since, slice_start_) - slice_start_;
  const std::int64_t slices =
      std::max<std::int64_t>(1, detail::divide(since.picoseconds(), slice.picoseconds(), Rounding::up));
  return slice_start_ + slice * slices;
}

std::optional<OperationId> TimeSlicedEngine::advance(Instant now) {
  if (!serving_) {
    now_ = now;
    return std::nullopt;
  }
  busy_ += now - now_;
  const Instant from = std::max(now_, ready_at_);
  now_ = now;
  if (now < from) return std::nullopt;
  auto& queue = contexts_[*serving_].queue;
  Operation& operation = queue.front();
  // Rounding the progress down never lets an operation end early.
  operation.remaining -= std::min(operation.remaining, scale(now - from, 1'000'000, slowdown_.ppm, Rounding::down));
  if (!operation.remaining.is_zero()) return std::nullopt;
  const OperationId completed = operation.id;
  queue.pop_front();
  return completed;
}

void TimeSlicedEngine::serve(ContextIndex context, Instant now) {
  const bool turn = last_served_ && *last_served_ != context;
  serving_ = last_served_ = context;
  ready_at_ = turn ? now + context_switch_ : now;
  slice_start_ = ready_at_;
  slice_limit_ = Instant::never();
}

void TimeSlicedEngine::arbitrate(Instant now) {
  const bool dry = serving_ && contexts_[*serving_].queue.empty();
  if (serving_ && !dry && slice_limit_ == Instant::never() && others_have_work()) slice_limit_ = slice_end(now);
  const bool expired = serving_ && !dry && slice_limit_ <= now;
  if (serving_ && !dry && !expired) return;
  const std::size_t count = contexts_.size();
  const std::size_t first = last_served_ ? *last_served_ + 1U : 0U;
  std::optional<ContextIndex> next;
  for (std::size_t i = 0; i < count && !next; ++i) {
    const auto candidate = static_cast<ContextIndex>((first + i) % count);
    if (!contexts_[candidate].queue.empty()) next = candidate;
  }
  serving_.reset();
  if (!next) return;
  serve(*next, now);
  if (others_have_work()) slice_limit_ = slice_end(slice_start_);
}

Instant TimeSlicedEngine::next_event() const {
  if (!serving_) return Instant::never();
  const Operation& operation = contexts_[*serving_].queue.front();
  const Instant start = std::max(now_, ready_at_);
  Instant next = start + scale(operation.remaining, slowdown_.ppm, 1'000'000, Rounding::up);
  if (now_ < ready_at_) next = std::min(next, ready_at_);  // from then on it disturbs the other engine
  return std::min(next, slice_limit_);
}

std::optional<OperationId> TimeSlicedEngine::executing() const {
  if (!serving_ || now_ < ready_at_ || contexts_[*serving_].queue.empty()) return std::nullopt;
  return contexts_[*serving_].queue.front().id;
}

}  // namespace amalthea::engine
