// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a trace has begun and not ended: jobs of a process, runs of runnables within a job. The cost of an event does
/// not depend on how many are open.

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "amalthea/graph/system.hpp"
#include "traces/event.hpp"

namespace amalthea::traces {

/// A label, and whether it is written.
using LabelAccess = std::pair<LabelIndex, bool>;

struct Run {
  EntityIndex runnable = no_entity;
  std::uint64_t instance = 0;
  Instant start;
  bool running = true;                        ///< OpenRuns::set_running changes it
  std::optional<Instant> suspended, resumed;  ///< the last time
  bool with_process = false;                  ///< it was suspended because its process left the core
  Duration net;
  std::uint64_t number = 0;  ///< in the order of their starts
};

/// The runs of a job that have not terminated. A run is found by its runnable and instance, of several the oldest.
class OpenRuns {
 public:
  Run* find(EntityIndex runnable, std::uint64_t instance);
  /// The last one of those that run; null if none does.
  Run* innermost();
  void add(Run run);
  void set_running(Run& run, bool running);
  void remove(const Run& run);
  std::size_t size() const { return runs_.size(); }
  /// By number, as they started.
  const std::map<std::uint64_t, Run>& all() const { return runs_; }

 private:
  std::map<std::uint64_t, Run> runs_;
  std::set<std::tuple<EntityIndex, std::uint64_t, std::uint64_t>> by_name_;  ///< runnable, instance, number
  std::set<std::uint64_t> running_;
  std::uint64_t next_ = 0;
};

struct Job {
  using State = engine::ProcessState;

  std::uint64_t instance = 0;
  bool whole = true;            ///< the trace has its activation, and all of it is known
  std::uint64_t submitter = 0;  ///< of an operation: the job that submits it
  bool measured = true;         ///< it belongs to the measured time; an operation with the job that submits it
  State state = State::active;
  bool unseen = false;  ///< it was activated at `activation` or earlier
  Instant activation, since;
  std::optional<Instant> start;
  std::array<Duration, 7> in{};  ///< by State
  std::int64_t changes = 0;      ///< of its state
  EntityIndex core = no_entity;
  Run* last_suspended = nullptr;  ///< by the event before
  OpenRuns runs;
  std::map<RunnableIndex, std::pair<Instant, Instant>> extents;  ///< first start, last end
  std::map<LabelAccess, std::uint64_t> accesses;
  static constexpr std::size_t own_memory = 512, run_memory = 256, entry_memory = 64;  ///< bytes, rounded up
  std::size_t memory() const {
    return own_memory + runs.size() * run_memory + (extents.size() + accesses.size()) * entry_memory;
  }
};

/// The jobs of a process that have not ended, as they came. A job is found by its instance, of several with one
/// instance the oldest.
class OpenJobs {
 public:
  OpenJobs() = default;
  OpenJobs(OpenJobs&&) = default;
  OpenJobs& operator=(OpenJobs&&) = default;
  Job* find(std::uint64_t instance);
  Job& add(Job job);
  void remove(const Job& job);
  /// Null without jobs.
  const Job* oldest() const { return jobs_.empty() ? nullptr : &jobs_.front(); }
  std::size_t size() const { return jobs_.size(); }
  auto begin() const { return jobs_.begin(); }
  auto end() const { return jobs_.end(); }

 private:
  std::list<Job> jobs_;
  std::multimap<std::uint64_t, std::list<Job>::iterator> by_instance_;
};

}  // namespace amalthea::traces
