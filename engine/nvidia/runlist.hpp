// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The application scheduler of one GPU engine: which context it serves, and for how long.
///
/// Source: Olmedo et al., RTAS 2020 (N5): channels of all processes stand in a runlist with a time slice and a
/// priority, work-conserving. The paper gives neither the slots of a priority nor their order; ours: a context of low,
/// medium, high priority stands in the list 1, 2, 3 times, in rounds, those of one round in the order of the contexts
/// (A high, B medium, C low: A B C A B A).
///
/// - A context without work yields its slot; one that runs dry yields the rest of its slice.
/// - A slice ends only for somebody: while no other context has work, slices renew themselves back to back.
/// - The next slot is searched from the one after the last served.
/// - At the end of its slice a context that cannot be left yet is drained: it is served on, but begins nothing.
/// - Turning to another context costs the switch; the slice begins after it. Two slots of one context after each other
///   are two slices without a switch between them.

#include <cstdint>
#include <optional>
#include <vector>

#include "amalthea/time.hpp"
#include "engine/gpu/operation.hpp"
#include "engine/nvidia/names.hpp"

namespace amalthea::engine::nvidia {

class Runlist {
 public:
  explicit Runlist(Duration context_switch) : context_switch_(context_switch) {}

  /// slice > 0, slots >= 1. All contexts before the first decision.
  ContextIndex add_context(Duration slice, std::uint32_t slots);

  void set_work(ContextIndex context, bool has_work);

  /// Decides whom to serve from `now` on; call after all changes of that instant. `can_leave`: nothing of the context
  /// that is being served must be finished first.
  void arbitrate(Instant now, bool can_leave);

  /// The context being served, also while the engine turns to it; nothing while idle.
  std::optional<ContextIndex> serving() const { return serving_; }
  /// When the engine has turned to it.
  Instant ready_at() const { return ready_at_; }
  /// When it began to be served, by this slice or those before without a break.
  Instant served_since() const { return served_since_; }
  /// Its slice has ended, but it cannot be left.
  bool draining() const { return draining_; }

  /// When to arbitrate next although nothing else happens: the end of a switch or of a slice.
  Instant next_event(Instant now) const;

 private:
  struct Context {
    Duration slice;
    std::uint32_t slots = 1;
    bool has_work = false;
  };

  void build_slots();
  bool others_have_work() const;
  Instant slice_end(Instant wanted_since) const;
  void serve(ContextIndex context, Instant now);

  Duration context_switch_;
  std::vector<Context> contexts_;
  std::vector<ContextIndex> slots_;  ///< the runlist
  std::size_t next_slot_ = 0;
  std::uint32_t working_ = 0;  ///< contexts with work
  std::optional<ContextIndex> serving_;
  std::optional<ContextIndex> last_served_;
  Instant served_since_;
  Instant slice_start_;                     ///< when the present slice, or the first of its uncontested renewals, began
  Instant slice_limit_ = Instant::never();  ///< when the slice ends because others wait
  Instant ready_at_;
  bool draining_ = false;
};

}  // namespace amalthea::engine::nvidia
