// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The application scheduler of one GPU engine: which context it serves, and for how long.
///
/// Source: Olmedo et al., RTAS 2020 (N5): the runlist holds channels of all processes with a time slice and a priority;
/// it is work-conserving. The paper gives neither the slots of a priority nor their order. Our choice: a context of
/// low, medium, high priority has 1, 2, 3 entries in the list, in rounds; within a round in the order of the contexts
/// (A high, B medium, C low: A B C A B A).
///
/// - A context without work yields its slot; one that runs out of work yields the rest of its slice.
/// - A slice ends only if another context has work; otherwise slices renew themselves back to back.
/// - The search for the next slot starts after the slot served last.
/// - At the end of its slice, a context that cannot be preempted yet is drained: the engine continues to serve it, but
///   it begins nothing new.
/// - A switch to another context costs the context switch time; the slice begins after it. Two consecutive slots of one
///   context are two slices without a switch in between.

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

  /// slice > 0, slots >= 1. All contexts must be added before the first decision.
  ContextIndex add_context(Duration slice, std::uint32_t slots);

  void set_work(ContextIndex context, bool has_work);

  /// From now on serves the most urgent context that has work, without slices; among equals the served one, else the
  /// first. A larger urgency precedes. Source: Wang et al., "GCAPS: GPU Context-Aware Preemptive Priority-based
  /// Scheduling for Real-Time Tasks", ECRTS 2024.
  void schedule_by_urgency() { by_urgency_ = true; }
  void set_urgency(ContextIndex context, std::int64_t urgency) { contexts_[context].urgency = urgency; }

  /// Decides which context to serve from `now` on; call it after all changes at that instant. `can_leave`: the served
  /// context can be preempted now.
  void arbitrate(Instant now, bool can_leave);

  /// The served context, also during the switch to it; nothing while idle.
  std::optional<ContextIndex> serving() const { return serving_; }
  /// When the switch to it ends.
  Instant ready_at() const { return ready_at_; }
  /// Its slice has ended, but it cannot be preempted yet.
  bool draining() const { return draining_; }

  /// When to arbitrate next if nothing else happens: the end of a switch or of a slice.
  Instant next_event(Instant now) const;

 private:
  struct Context {
    Duration slice;
    std::uint32_t slots = 1;
    bool has_work = false;
    std::int64_t urgency = 0;
  };

  void build_slots();
  ContextIndex most_urgent() const;
  bool others_have_work() const;
  Instant slice_end(Instant wanted_since) const;
  void serve(ContextIndex context, Instant now);

  Duration context_switch_;
  std::vector<Context> contexts_;
  std::vector<ContextIndex> slots_;  ///< the runlist
  std::size_t next_slot_ = 0;
  std::uint32_t working_ = 0;  ///< number of contexts with work
  bool by_urgency_ = false;
  std::optional<ContextIndex> serving_;
  std::optional<ContextIndex> last_served_;
  Instant slice_start_;                     ///< start of the current slice, or of the first of its uncontested renewals
  Instant slice_limit_ = Instant::never();  ///< when the slice ends because others wait
  Instant ready_at_;
  bool draining_ = false;
};

}  // namespace amalthea::engine::nvidia
