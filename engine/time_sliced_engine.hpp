#pragma once
/// \file
/// One GPU engine (the execution engine or a copy engine) shared by contexts in time slices.
///
/// The application scheduler of Olmedo et al., RTAS 2020 (rules N5 and N6 of our reading): work-conserving round robin
/// over the contexts in their order. A context is served for at most its time slice while another one has work; one
/// that runs dry yields the rest; when nobody else has work at the end of a slice, a new slice begins. Preemption is
/// exact (instruction granularity). Turning to another context costs `context_switch`.
///
/// Within a context operations are served first in, first out. An operation progresses at the rate 1/slowdown.
///
/// Ties at one instant: completions, then new work, then the end of a slice; the next context is searched from the
/// one after the last served, in the order of the contexts.

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "amalthea/time.hpp"
#include "engine/device_profile.hpp"

namespace amalthea::engine {

using ContextIndex = std::uint32_t;
using OperationId = std::uint32_t;

class TimeSlicedEngine {
 public:
  explicit TimeSlicedEngine(Duration context_switch) : context_switch_(context_switch) {}

  /// slice > 0
  ContextIndex add_context(Duration slice);

  /// `work` is the operation's duration when nothing slows it.
  void enqueue(ContextIndex context, OperationId operation, Duration work);

  /// Accounts for the time up to `now` (not before the last call's). Returns the operation that completes now.
  std::optional<OperationId> advance(Instant now);

  /// Decides whom to serve from `now` on; call after all changes at `now`.
  void arbitrate(Instant now);

  /// How much slower the served operation is from `now` on; `advance` must have been called for `now`.
  void set_slowdown(Slowdown slowdown) { slowdown_ = slowdown; }
  Slowdown slowdown() const { return slowdown_; }

  /// When to call `advance` next: the completion or the end of the slice; Instant::never() when idle.
  Instant next_event() const;

  /// The operation being executed; nothing while idle or switching.
  std::optional<OperationId> executing() const;
  /// The context being served (also while switching to it); nothing while idle.
  std::optional<ContextIndex> serving() const { return serving_; }
  bool switching() const { return serving_.has_value() && now_ < ready_at_; }
  /// Total time with a context being served.
  Duration busy() const { return busy_; }

 private:
  struct Operation {
    OperationId id;
    Duration remaining;
  };
  struct Context {
    Duration slice;
    std::deque<Operation> queue;
  };

  bool others_have_work() const;
  /// End of the current slice if somebody else has wanted the engine since `wanted_since`.
  Instant slice_end(Instant wanted_since) const;
  void serve(ContextIndex context, Instant now);

  Duration context_switch_;
  std::vector<Context> contexts_;
  std::optional<ContextIndex> serving_;
  std::optional<ContextIndex> last_served_;
  Slowdown slowdown_;
  Instant now_;
  Instant slice_start_;                     ///< when the present slice, or the first of its uncontested renewals, began
  Instant slice_limit_ = Instant::never();  ///< when the slice ends because others wait
  Instant ready_at_;                        ///< when the switch to the served context is done
  Duration busy_;
};

}  // namespace amalthea::engine
