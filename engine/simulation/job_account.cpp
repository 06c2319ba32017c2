// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/job_account.hpp"

namespace amalthea::engine {

void JobAccount::book(Instant now) {
  const Duration elapsed = now - since_;
  since_ = now;
  if (elapsed.is_zero()) return;
  states_[static_cast<std::size_t>(standing_.state)] += elapsed;
  if (standing_.state == ProcessState::running) doing_[static_cast<std::size_t>(standing_.doing)] += elapsed;
  const Reason& reason = standing_.reason;
  const bool operation = reason.kind == ContributionKind::kernel || reason.kind == ContributionKind::copy;
  if (!operation || !reason.by) {
    add(reason.kind, operation ? std::nullopt : reason.by, elapsed);
    return;
  }
  const Duration own = scale(elapsed, 1'000'000, reason.slowdown.ppm, Rounding::down);
  add(reason.kind, std::nullopt, own);
  add(ContributionKind::interference, reason.by, elapsed - own);
}

void JobAccount::add(ContributionKind kind, std::optional<TaskIndex> by, Duration time) {
  if (time.is_zero()) return;
  for (Contribution& part : parts_)
    if (part.kind == kind && part.by == by) {
      part.time += time;
      return;
    }
  parts_.push_back({kind, by, time});
}

}  // namespace amalthea::engine
