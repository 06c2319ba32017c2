// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a trace contains, whatever its format: entities, and events in the order in which the trace lists them.

#include <cstdint>
#include <string>
#include <string_view>

#include "amalthea/time.hpp"
#include "engine/results/process_metrics.hpp"
#include "engine/simulation/simulation_observer.hpp"

namespace amalthea::traces {

using EntityIndex = std::uint32_t;  ///< in the order of their first appearance in a trace, from 0
inline constexpr EntityIndex no_entity = ~EntityIndex{0};

/// Names are unique within a kind only. `process`: tasks, ISRs, copies, kernels and blocks of kernels.
enum class EntityKind : std::uint8_t { stimulus, process, runnable, core, label };
inline constexpr std::size_t entity_kinds = 5;
std::string_view to_string(EntityKind);  ///< "stimulus", "process", …

struct Entity {
  EntityKind kind = EntityKind::process;
  std::string name;
};

enum class RunnableEvent : std::uint8_t { start, suspend, resume, terminate };

/// Where an event stands: the line of a text; for a database the row of a table.
struct Place {
  std::uint64_t line = 0;   ///< from 1; 0: unknown
  std::uint32_t table = 0;  ///< of a database, into TraceReport::tables; else 0
};

struct Event {
  enum class What : std::uint8_t {
    process,    ///< `process` happens to the process `target` on the core (for an activation: by the stimulus) `source`
    runnable,   ///< `runnable` happens to the runnable `target` within the process `source`
    trigger,    ///< the stimulus `target` occurs
    access,     ///< the process `source` reads or writes the label `target`
    interval,   ///< the process `target` is in `state` from `from` to `time`, on the core `source` or on none
    execution,  ///< `target` executes from `from` to `time` without interruption: a kernel, a copy, a range
    forget,     ///< events of `target` are missing here: nobody knows what its job `instance` does from now on
  };
  What what = What::process;
  engine::ProcessEvent process = engine::ProcessEvent::activate;
  RunnableEvent runnable = RunnableEvent::start;
  engine::ProcessState state = engine::ProcessState::active;
  bool writes = false;        ///< for an access
  bool ended_before = false;  ///< of a runnable that terminates: it did when it was suspended the last time
  bool at_end = false;        ///< the trace ends before this happened: what is still open there
  bool has_submission = false;
  bool woken = false;   ///< of an activation: the process has slept, at the end of a job or within one
  bool unseen = false;  ///< of an activation: it was then or earlier, and nothing tells when
  EntityIndex source = no_entity;
  EntityIndex target = no_entity;
  std::uint64_t source_instance = 0;
  std::uint64_t instance = 0;
  Instant time;
  Instant from;        ///< for an interval or an execution
  Instant submission;  ///< for an execution, if `has_submission`: when it was asked for
  Place place;
};

}  // namespace amalthea::traces
