#pragma once
/// \file
/// End-to-end latencies of a chain as they were observed: from the instants at which jobs read and wrote.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "amalthea/time.hpp"

namespace amalthea::engine {

/// When a job read and wrote: under implicit communication its start and its end.
struct JobAccess {
  Instant read;
  Instant write;
};

/// The longest of what was observed; docs/architecture.md defines the latencies. Nothing where none came to its end
/// within what was recorded.
struct ObservedLatencies {
  std::uint64_t reads = 0;  ///< of the first task, followed to the last one's write
  std::optional<Duration> reaction;
  std::optional<Duration> reduced_reaction;
  std::optional<Duration> age;
  std::optional<Duration> reduced_age;
  friend bool operator==(const ObservedLatencies&, const ObservedLatencies&) = default;
};

/// The ended jobs of every task of the chain, at least one task; of each task in the order of their release, in which
/// they also read and write.
ObservedLatencies observed_latencies(std::span<const std::vector<JobAccess>> tasks);

}  // namespace amalthea::engine
