// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The part of a System that tools of others can express: tasks of plain execution times on cores of their own,
/// released by a stimulus or by one other task.
///
/// Nothing that could delay a task is left out of its core: if one task of a core cannot be expressed, neither can the
/// core, nor what its tasks trigger. Times err on the safe side: the longest execution rounds up to picoseconds, the
/// shortest down. What a job does besides executing and triggering (modes, events for which nobody waits) takes no
/// time.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "amalthea/time.hpp"
#include "engine/program/arrivals.hpp"

namespace amalthea::exporter {

struct PeerTask {
  TaskIndex task = 0;
  std::size_t core = 0;   ///< into PeerSystem::cores
  Duration best, worst;   ///< execution of one job
  std::int64_t rank = 0;  ///< on its core, from 1; larger is more urgent. Equal for all under EDF
  bool interrupt = false;
  /// What releases it: a stimulus of its own, or the only trigger, by a job of another task.
  std::optional<StimulusIndex> stimulus;
  engine::ArrivalBound arrivals{};     ///< of the stimulus
  std::optional<std::size_t> trigger;  ///< into PeerSystem::tasks
  bool triggered_at_end = false;       ///< nothing takes time in the triggering job after the trigger
  std::optional<Duration> deadline;    ///< the one that EDF uses: stated, else the period
};

enum class PeerPolicy : std::uint8_t { fixed_priority, earliest_deadline, round_robin };

struct PeerCore {
  UnitIndex unit = 0;
  PeerPolicy policy = PeerPolicy::fixed_priority;
  bool preemptive = true;          ///< all tasks, or none
  std::vector<std::size_t> tasks;  ///< into PeerSystem::tasks
  Duration slice;                  ///< of round robin

  bool preempts() const { return preemptive && tasks.size() > 1; }
  bool blocks() const { return !preemptive && tasks.size() > 1; }
};

struct PeerSystem {
  const System& system;
  std::vector<PeerCore> cores;
  std::vector<PeerTask> tasks;
  std::vector<std::string> left_out;  ///< a sentence for each core that is not here

  const Task& task_of(const PeerTask& task) const { return system.tasks[task.task]; }
  const std::string& name(const PeerTask& task) const { return task_of(task).name; }
  const std::string& name(const PeerCore& core) const { return system.platform.units[core.unit].name; }
};

/// What a tool cannot express of a task and its core, as a clause: "T waits for an event"; "" if nothing.
using PeerLimits = std::function<std::string(const PeerSystem&, const PeerTask&)>;
/// Where a part of the system stands in the model.
using PlaceOf = std::function<Location(Origin)>;

/// What the tool with this name can express. Every core that is left out is a finding (AM0720) with the first task that
/// cannot be expressed.
PeerSystem peer_system(const System& system, std::string_view tool, const PeerLimits& limits, const PlaceOf& place_of,
                       Diagnostics& findings);

/// The least common multiple of the periods of all tasks of the core with a stimulus of their own; nothing if it
/// exceeds `longest_simulation`.
std::optional<Duration> hyperperiod_of(const PeerSystem& peer, const PeerCore& core);

}  // namespace amalthea::exporter
