// SPDX-License-Identifier: Apache-2.0
// What a trace for Perfetto shows, in whichever form.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "engine/simulation/simulation.hpp"
#include "exporter/traces/detail/perfetto_form.hpp"
#include "exporter/traces/detail/trace_events.hpp"

namespace amalthea::exporter {
namespace {

using engine::ProcessEvent;
using Kind = TraceEntity::Kind;
using Part = TraceEntity::Part;
using What = TraceEvent::What;
using RunnableEvent = TraceEvent::Runnable;

TrackGroup group_of(Part part) {
  constexpr std::array groups{TrackGroup::cores, TrackGroup::device_tasks, TrackGroup::engines, TrackGroup::engines,
                              TrackGroup::multiprocessors};
  return groups[static_cast<std::size_t>(part)];
}

class PerfettoWriter final : public TraceEvents {
 public:
  PerfettoWriter(std::unique_ptr<PerfettoForm> form, std::string title)
      : form_(std::move(form)), title_(std::move(title)) {}

  tl::expected<void, std::string> finish() override { return form_->commit(); }
  std::uint64_t size() override { return form_->size(); }

  void served(UnitIndex unit, const engine::gpu::EngineSlice& slice) override {
    if (slice.ready >= slice.end) return;
    std::size_t thread = 1;
    for (const TraceModel::DeviceFacts& device : model().devices) {
      if (device.unit == unit && device.contexts.size() > 1)
        form_->context(thread + slice.engine, device.contexts[slice.context], slice.ready, slice.end);
      thread += device.engines;
    }
  }

  void ended(Instant now) override {
    set_time(now);
    for (EntityIndex entity = 0; entity < tracks_.size(); ++entity) {
      for (; tracks_[entity].depth > 0; --tracks_[entity].depth) form_->end(entity, true);
      if (processes_[entity].in_state) form_->end(entity, true);
    }
    form_->closes(now);
  }

 protected:
  void header(const engine::SimulationInput& input) override {
    tracks_.resize(model().entities.size());
    processes_.resize(tracks_.size());
    writes_.resize(tracks_.size());
    form_->opens(input, title_, tracks_.size());
    for (const TrackGroup group : track_groups) form_->group(group);
    for (EntityIndex index = 0; index < tracks_.size(); ++index) {
      const TraceEntity& entity = model().entities[index];
      Track& track = tracks_[index];
      form_->slices_of(index, category_of(entity), entity.text);
      if (entity.kind == Kind::core) {
        track.group = group_of(entity.part);
      } else if (entity.kind == Kind::stimulus && entity.part == Part::model) {
        track.group = TrackGroup::stimuli;
      } else if ((entity.kind == Kind::task || entity.kind == Kind::isr) && entity.part != Part::multiprocessor) {
        track.group = TrackGroup::states;
      }
      if (track.group) form_->track(*track.group, std::size_t{index} + 1, entity.text, index);
    }
    std::size_t thread = 0;
    for (const TraceModel::DeviceFacts& device : model().devices)
      for (engine::gpu::EngineIndex engine = 0; engine < device.engines; ++engine) {
        ++thread;
        if (device.contexts.size() > 1)
          form_->track(
              TrackGroup::contexts, thread,
              fmt::format("{} {}", input.system.platform.units[device.unit].name, engine::gpu::name_of_engine(engine)),
              no_entity);
      }
  }

  void event(const TraceEvent& event) override {
    set_time(event.time);
    switch (event.what) {
      case What::process:
        of_process(event);
        return;
      case What::runnable:
        if (event.runnable == RunnableEvent::start || event.runnable == RunnableEvent::resume) {
          begin(processes_[event.source].core, event.target, event.instance);
        } else {
          end(processes_[event.source].core);
        }
        return;
      case What::trigger:
        instant(event.target, "trigger");
        return;
      case What::access:
        of_access(event);
        return;
    }
  }

 private:
  struct Track {
    std::optional<TrackGroup> group;  ///< nothing: the entity has no track
    std::size_t depth = 0;            ///< slices that are open
  };
  /// An arrow that began; 0: none. Its begin is written at once, because readers bind it to the slice that is open
  /// there in the order of the file. Nothing may follow of it.
  using Flow = FlowNumber;
  struct Process {
    EntityIndex core = no_entity;
    bool in_state = false;           ///< a slice of its states is open
    bool has_job = false;            ///< activated and not ended
    std::uint64_t waiting_jobs = 0;  ///< activated behind that one
    Flow flow = 0;                   ///< to where it runs next
  };
  struct Write {
    EntityIndex process = no_entity;
    Flow flow = 0;  ///< 0: it has been read
  };

  static std::string_view category_of(const TraceEntity& entity) {
    if (entity.kind == Kind::runnable) return "runnable";
    if (entity.part == Part::multiprocessor) return "block";
    if (entity.part == Part::copy_engine) return "copy";
    if (entity.part == Part::execution_engine) return "kernel";
    return entity.kind == Kind::isr ? "isr" : "task";
  }

  void set_time(Instant time) {
    if (time == time_) return;
    time_ = time;
    form_->at(time);
  }

  void begin(EntityIndex track, EntityIndex what, std::uint64_t instance) {
    form_->begin(track, what, instance);
    if (tracks_[track].depth++ == 0) form_->busy(track, true);
  }
  void end(EntityIndex track) {
    form_->end(track, false);
    if (--tracks_[track].depth == 0) form_->busy(track, false);
  }
  void instant(EntityIndex track, std::string_view name) {
    if (tracks_[track].group) form_->instant(track, name);
  }
  Flow begin_flow(EntityIndex track, std::string_view name) {
    form_->flow(track, name, ++flows_, true);
    return flows_;
  }
  void end_flow(Flow& from, EntityIndex to, std::string_view name) {
    if (from != 0) form_->flow(to, name, from, false);
    from = 0;
  }

  void begin_state(EntityIndex process, std::string_view name, std::uint64_t instance) {
    if (!tracks_[process].group) return;
    form_->begin_state(process, name, instance);
    processes_[process].in_state = true;
  }
  void end_state(EntityIndex process) {
    if (processes_[process].in_state) form_->end(process, false);
    processes_[process].in_state = false;
  }
  void state_pending(EntityIndex process) {
    const Process& of = processes_[process];
    if (tracks_[process].group) form_->pending(process, (of.has_job ? 1 : 0) + of.waiting_jobs);
  }

  /// From the slice that `cause` is in, if it is in one, to wherever the process runs next.
  void flow_from(EntityIndex cause, Process& to) {
    if (cause == no_entity || processes_[cause].core == no_entity) return;
    const EntityIndex track = processes_[cause].core;
    if (tracks_[track].depth > 0) to.flow = begin_flow(track, "causes");
  }
  void flow_to(Process& to) { end_flow(to.flow, to.core, "causes"); }

  void of_process(const TraceEvent& event) {
    Process& process = processes_[event.target];
    switch (event.process) {
      case ProcessEvent::activate:
        if (process.has_job) {
          ++process.waiting_jobs;
          instant(event.target, "activate");
          state_pending(event.target);
          return;
        }
        process.has_job = true;
        state_pending(event.target);
        flow_from(event.cause, process);
        begin_state(event.target, "active", event.instance);
        return;
      case ProcessEvent::mta_limit_exceeded:
        instant(event.target, "activation lost");
        return;
      case ProcessEvent::start:
      case ProcessEvent::resume:
      case ProcessEvent::poll_parking:
        process.core = event.source;
        begin(event.source, event.target, event.instance);
        end_state(event.target);
        if (event.process == ProcessEvent::poll_parking) {
          begin_state(event.target, "polling", event.instance);
        } else {
          flow_to(process);
        }
        return;
      case ProcessEvent::preempt:
        end(event.source);
        begin_state(event.target, "ready", event.instance);
        return;
      case ProcessEvent::wait:
        end(event.source);
        begin_state(event.target, "waiting", event.instance);
        return;
      case ProcessEvent::park:
        end(event.source);
        end_state(event.target);
        begin_state(event.target, "parking", event.instance);
        return;
      case ProcessEvent::release:
      case ProcessEvent::release_parking:
        end_state(event.target);
        flow_from(event.cause, process);
        begin_state(event.target, "ready", event.instance);
        return;
      case ProcessEvent::poll:
        begin_state(event.target, "polling", event.instance);
        return;
      case ProcessEvent::run:
        end_state(event.target);
        flow_from(event.cause, process);
        flow_to(process);
        return;
      case ProcessEvent::terminate:
        end(event.source);
        process.has_job = process.waiting_jobs > 0;
        if (process.has_job) --process.waiting_jobs;
        state_pending(event.target);
        if (!process.has_job) return;
        begin_state(event.target, "active", event.instance + 1);
        return;
    }
  }

  /// From the write of a chain's label to the first read by another process.
  void of_access(const TraceEvent& event) {
    if (!model().entities[event.target].in_chain) return;
    const EntityIndex core = processes_[event.source].core;
    Write& last = writes_[event.target];
    if (event.writes) {
      last = {event.source, begin_flow(core, "data")};
    } else if (last.process != event.source) {
      end_flow(last.flow, core, "data");
    }
  }

  std::unique_ptr<PerfettoForm> form_;
  std::string title_;
  std::vector<Track> tracks_;       ///< by entity
  std::vector<Process> processes_;  ///< by entity
  std::vector<Write> writes_;       ///< by entity: labels
  Flow flows_ = 0;
  Instant time_;
};

template <class Make>
tl::expected<std::unique_ptr<TraceWriter>, std::string> make(const std::string& path, const TraceFacts& facts,
                                                             const Make& form) {
  auto file = NewFile::create(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  return std::make_unique<PerfettoWriter>(form(std::move(*file)), facts.input);
}

}  // namespace

std::string_view name_of(TrackGroup group) {
  constexpr std::string_view names[] = {"",    "cores",           "device tasks",        "GPU engines",
                                        "SMs", "contexts served", "states of processes", "stimuli"};
  return names[static_cast<std::size_t>(group)];
}

tl::expected<std::unique_ptr<TraceWriter>, std::string> make_trace_perfetto(const std::string& path,
                                                                            const TraceFacts& facts) {
  return make(path, facts, [](NewFile file) { return make_perfetto_json(std::move(file), false); });
}

tl::expected<std::unique_ptr<TraceWriter>, std::string> make_trace_perfetto_gz(const std::string& path,
                                                                               const TraceFacts& facts) {
  return make(path, facts, [](NewFile file) { return make_perfetto_json(std::move(file), true); });
}

#ifdef AMALTHEA_PROTOBUF
tl::expected<std::unique_ptr<TraceWriter>, std::string> make_trace_perfetto_protobuf(const std::string& path,
                                                                                     const TraceFacts& facts) {
  return make(path, facts, make_perfetto_protobuf);
}
#endif

}  // namespace amalthea::exporter
