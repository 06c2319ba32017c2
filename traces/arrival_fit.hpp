// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Period, offset and jitter of measured occurrences, in memory that does not depend on their number.
///
/// Occurrence k happens at offset + k × period + jitter(k). For any period, the smallest jitter that covers all
/// occurrences depends on the convex hulls of the points (k, time) alone, and those have few corners.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "amalthea/time.hpp"

namespace amalthea::traces {

struct PeriodicFit {
  Duration period;
  Duration first;   ///< of occurrence 0 without its jitter, on the trace's clock; may be negative
  Duration jitter;  ///< each occurrence is at most so late
};

class Occurrences {
 public:
  /// In order. `number` counts occurrences, so that missing ones leave a gap; a number that does not grow is replaced by
  /// the next one.
  void add(std::uint64_t number, Instant time);

  std::uint64_t count() const { return count_; }
  Instant first() const { return first_; }

  /// With this period.
  PeriodicFit fit(Duration period) const;
  /// With the period, in ps, that needs the least jitter. Nothing for less than three occurrences, or if the hulls have
  /// too many corners.
  std::optional<PeriodicFit> best_fit() const;

 private:
  using Corner = std::pair<std::int64_t, std::int64_t>;  ///< number and ps
  void push(std::vector<Corner>& hull, Corner corner, int side);

  std::uint64_t count_ = 0;
  std::int64_t number_ = -1;
  Instant first_;
  bool complete_ = true;
  std::vector<Corner> lower_, upper_;
};

}  // namespace amalthea::traces
