// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Executes a model under one behaviour.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/behaviour.hpp"
#include "reference/gpu.hpp"
#include "reference/model.hpp"

namespace reference {

struct RunOptions {
  Time until = 0;  ///< releases before this instant count; their jobs have as long again to end
  bool any_offsets =
      false;  ///< offsets are questions: of periodic stimuli, 0 up to the larger of offset and period (exclusive)
  bool trace = false;             ///< fills Execution::events; run() turns it on if the model has constraints
  bool ready_order_open = false;  ///< ready ties are open even where a documented order exists
  GpuSettings gpu{};              ///< of every GPU
};

enum class State : std::uint8_t {
  ready,
  running,
  waiting,
  polling,
  parking,
  count
};  // parked: waits in a release of a core
constexpr std::size_t states = static_cast<std::size_t>(State::count);

struct Job {
  Index task = none;
  std::int64_t number = 0;                 ///< from 0, of its task
  Time release = 0, start = -1, end = -1;  ///< -1: not yet
  std::array<Time, states> in{};           ///< time in each state; ready counts from the release
  Time overhead = 0, memory = 0;           ///< parts of running
  std::int64_t preemptions = 0, migrations = 0;
};

struct Lost {
  Index task = none;
  Time time = 0;
};

/// Something that happened, in the order in which it happened.
struct Occurrence {
  Time time = 0;
  Event::Of of = Event::Of::process;
  std::string_view type;  ///< what happens to the entity, as an event of the event model names it
  Index entity = none;    ///< task, runnable, label, semaphore, mode label, stimulus, custom event
  Index task = none, runnable = none, unit = none;
  std::int64_t job = -1;  ///< index in Execution::jobs
};

/// A copy or kernel of a device task.
struct Operation {
  Index task = none, step = 0;
  std::int64_t job = -1;
  Time submitted = 0, start = -1, end = -1;
};

/// Data that went through a chain: all reads of its first task, and all writes of its last one.
struct Passage {
  enum class Communication : std::uint8_t { implicit, explicit_, let };
  struct Write {
    Time time = 0;
    std::int64_t oldest = -1, newest = -1;  ///< reads that it is based on: indices of `reads`; -1: none
  };
  Index chain = none;
  Communication communication = Communication::implicit;
  std::vector<Time> reads;
  std::vector<Time> activations;  ///< of the job of each read
  std::vector<Write> writes;
  bool complete = true;  ///< false: this communication has no meaning here (LET of releases without a period)
};

struct Execution {
  std::vector<Job> jobs;   ///< in order of release
  std::vector<Lost> lost;  ///< activations beyond the limit
  std::vector<Occurrence> events;
  std::vector<Operation> operations;
  std::vector<Passage> passages;  ///< of each chain, three
  Time end = 0;                   ///< the last instant executed
};

/// Throws Refused. `behaviour` is restarted; its recorded answers describe the execution.
Execution run(const Model&, Behaviour&, const RunOptions&);

/// Whether an occurrence is one of the event.
bool fits(const Event&, const Occurrence&);

/// What device tasks execute: a step is an operation or an activity without time (set, clear, trigger).
struct DeviceStep {
  bool operation = false;
  GpuOperation what;  ///< times alone on the GPU
  std::string runnable;
  const Item* item = nullptr;  ///< where no operation
};
/// The rules S-device-1 to S-device-5. Throws Refused for branches, modes and semaphores in a device task.
std::vector<DeviceStep> device_program(const Model&, Index task);

}  // namespace reference
