// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A simulation as events of entities, as in BTF: the common basis of the trace formats.
///
/// Entities in addition to those of the model: a core per copy engine ("GPU_CE") and, since streams of one context may
/// execute concurrently, per stream on the execution engine ("GPU_EE_stream"); a core per block slot of an SM
/// ("GPU_SM0_context_0"); a core per device task on its GPU ("GPU:task"), on which the task itself runs. Each operation
/// is a process with a stimulus, which its device task triggers; so is each block.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/simulation/simulation_observer.hpp"
#include "exporter/traces/trace_formats.hpp"

namespace amalthea::exporter {

using EntityIndex = std::uint32_t;  ///< into TraceModel::entities
inline constexpr EntityIndex no_entity = ~EntityIndex{0};

struct TraceEntity {
  enum class Kind : std::uint8_t { stimulus, task, isr, runnable, core, label };
  enum class Part : std::uint8_t { model, device_task, copy_engine, execution_engine, multiprocessor };
  Kind kind = Kind::task;
  Part part = Part::model;  ///< of a core: its kind; of a process: where it runs
  std::string name;         ///< unique among all entities, in BTF syntax
  std::string text;         ///< display text
  bool in_chain = false;    ///< for a label: passed from a task to the next one of a chain
};

struct TraceEvent {
  enum class What : std::uint8_t { process, trigger, runnable, access };
  enum class Runnable : std::uint8_t { start, suspend, resume, terminate };
  Instant time;
  What what = What::process;
  engine::ProcessEvent process = engine::ProcessEvent::activate;
  Runnable runnable = Runnable::start;
  bool writes = false;  ///< for an access
  /// process: the core, or the stimulus that activates; runnable, access: the process; trigger: the triggering process;
  /// nothing: time
  EntityIndex source = no_entity;
  EntityIndex target = no_entity;
  std::uint64_t source_instance = 0;
  std::uint64_t instance = 0;
  EntityIndex cause = no_entity;  ///< process: the task that triggered it, or ended its wait
};

/// Everything known before the first event.
struct TraceModel {
  struct StepFacts {
    EntityIndex runnable = no_entity;
    bool continues_later = false;   ///< the runnable may have a later step
    EntityIndex label = no_entity;  ///< read or written by a host task
    bool writes = false;
    EntityIndex operation = no_entity;
    EntityIndex submission = no_entity;       ///< its stimulus
    EntityIndex block = no_entity;            ///< process of its blocks
    std::vector<EntityIndex> reads, written;  ///< labels of an operation
  };
  struct TaskFacts {
    EntityIndex entity = no_entity;
    EntityIndex own_core = no_entity;     ///< for a device task
    EntityIndex stream_core = no_entity;  ///< on the execution engine
    std::vector<EntityIndex> copy_engines;
    std::vector<std::vector<EntityIndex>> places;  ///< for its context, by SM
    std::vector<StepFacts> steps;
  };
  struct DeviceFacts {
    UnitIndex unit = 0;
    std::vector<std::string> contexts;  ///< by index, display names
    std::size_t engines = 0;
  };
  std::vector<TraceEntity> entities;
  std::vector<TaskFacts> tasks;      ///< parallel to System::tasks
  std::vector<EntityIndex> stimuli;  ///< parallel to System::stimuli
  std::vector<EntityIndex> cores;    ///< parallel to Platform::units; nothing for GPUs
  std::vector<DeviceFacts> devices;
};
TraceModel make_trace_model(const engine::SimulationInput& input);

/// Of all entities, those with the beginnings by which Trace Compass recognizes cores and tasks. A name that is not the
/// entity's own is that of no other one either.
std::vector<std::string> trace_compass_names(const TraceModel& model);

/// Converts the events of a simulation into legal sequences: runnables are suspended before their process leaves its
/// core and resumed after it gets a core again; blocks make no progress together with their kernel.
class TraceEvents : public TraceWriter {
 public:
  bool wants_intervals() const override { return false; }
  bool wants_events() const override { return true; }

  void begins(const engine::SimulationInput& input) final;
  void occurred(StimulusIndex stimulus, std::optional<TaskIndex> by, Instant now) final;
  void process(const engine::ProcessChange& change) final;
  void step_begins(TaskIndex task, std::uint64_t job, std::size_t step, Instant now) final;
  void step_ends(TaskIndex task, std::uint64_t job, std::size_t step, Instant now) final;
  void operation(const engine::OperationChange& change) final;
  void block(const engine::BlockChange& change) final;

 protected:
  /// Called after the trace model is complete, before the first event.
  virtual void header(const engine::SimulationInput& input) = 0;
  /// Times never decrease.
  virtual void event(const TraceEvent& event) = 0;

  const TraceModel& model() const { return model_; }

 private:
  struct OpenRunnable {
    EntityIndex entity = no_entity;
    std::uint64_t instance = 0;
  };
  struct BlockAt {
    std::size_t sm = 0, place = 0;
    std::uint64_t instance = 0;
  };
  struct TaskState {
    EntityIndex core = no_entity;           ///< its core, or its last one
    std::uint64_t job = 0;                  ///< number of the current job, or of the last one
    EntityIndex runnable = no_entity;       ///< executing, or suspended with the process
    std::uint64_t instance = 0;             ///< instance number of that
    std::vector<OpenRunnable> suspended;    ///< other runnables, which may be resumed
    std::uint64_t operation = 0;            ///< instance number of the current operation
    std::map<std::size_t, BlockAt> blocks;  ///< its blocks that have not ended
  };
  void record_runnable(TaskIndex task, TraceEvent::Runnable what, Instant now);
  void record_access(TaskIndex task, EntityIndex label, bool writes, Instant now);
  void enter(TaskIndex task, EntityIndex runnable, Instant now);
  void end_runnables(TaskIndex task, Instant now);
  void record_block(TaskIndex task, const TraceModel::StepFacts& step, const BlockAt& at, engine::ProcessEvent what,
                    Instant now);

  TraceModel model_;
  std::vector<TaskState> tasks_;
  std::vector<std::uint64_t> instances_;  ///< for every entity: number of its instances
  std::vector<bool> taken_;               ///< for every entity that is a block slot on an SM
};

}  // namespace amalthea::exporter
