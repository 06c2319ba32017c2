#pragma once
/// \file
/// End-to-end latencies of a chain as they were observed: from the instants at which jobs read and wrote.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/time.hpp"

namespace amalthea::engine {

/// When a job read and wrote, under implicit communication its start and its end; and when it was released.
struct JobAccess {
  Instant read;
  Instant write;
  Instant release = {};
};

/// The longest, and some shortest, of what was observed; docs/architecture.md defines the latencies. Nothing where none
/// came to its end within what was recorded.
struct ObservedLatencies {
  std::uint64_t reads = 0;  ///< of the first task, followed to the last one's write
  std::optional<Duration> reaction;
  std::optional<Duration> reduced_reaction;
  std::optional<Duration> age;
  std::optional<Duration> reduced_age;
  std::optional<Duration> least_reaction = {};  ///< the shortest reduced reaction
  std::optional<Duration> least_age = {};       ///< the shortest reduced age
  friend bool operator==(const ObservedLatencies&, const ObservedLatencies&) = default;
};

/// The ended jobs of every task of the chain, at least one task; of each task in the order of their release, in which
/// they also read and write.
ObservedLatencies observed_latencies(std::span<const std::vector<JobAccess>> tasks);

/// The same of a chain of a system, `accesses` by task; nothing of one without tasks. Its stimulus may be the
/// activation of the first task: then latencies count from the release.
ObservedLatencies observed_latencies(const Chain& chain, std::span<const std::vector<JobAccess>> accesses);

/// A job of the first task whose work came through to the end of a job of the last one.
struct Passage {
  Instant release;  ///< of that job
  Instant start;
  Instant end;  ///< of the first job of the last task that shows it
};
/// In the order of the jobs; of the same tasks.
std::vector<Passage> passages(std::span<const std::vector<JobAccess>> tasks);

}  // namespace amalthea::engine
