// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/simulation/simulation.hpp"
#include "exporter/traces/detail/trace_events.hpp"
#include "exporter/traces/detail/trace_sink.hpp"
#include "exporter/traces/trace_text.hpp"

namespace amalthea::exporter {
namespace {

using engine::ProcessEvent;
using Kind = TraceEntity::Kind;
using Part = TraceEntity::Part;
using What = TraceEvent::What;
using RunnableEvent = TraceEvent::Runnable;

// Groups of tracks: a trace knows them as processes.
constexpr int cores = 1;
constexpr int device_tasks = 2;
constexpr int engines = 3;
constexpr int multiprocessors = 4;
constexpr int contexts = 5;
constexpr int states = 6;
constexpr int stimuli = 7;

int group_of(Part part) {
  constexpr std::array groups{cores, device_tasks, engines, engines, multiprocessors};
  return groups[static_cast<std::size_t>(part)];
}

std::string_view group_name(int group) {
  constexpr std::string_view names[] = {"",    "cores",           "device tasks",        "GPU engines",
                                        "SMs", "contexts served", "states of processes", "stimuli"};
  return names[group];
}

class PerfettoWriter final : public TraceEvents {
 public:
  PerfettoWriter(NewFile file, bool compressed, TraceFacts facts)
      : sink_(std::move(file), compressed), facts_(std::move(facts)) {}

  tl::expected<void, std::string> finish() override { return sink_.commit(); }
  std::uint64_t size() override { return sink_.size(); }

  void served(UnitIndex unit, const engine::gpu::EngineSlice& slice) override {
    if (slice.ready >= slice.end) return;
    std::size_t thread = 1;
    for (const TraceModel::DeviceFacts& device : model().devices) {
      // A begin and an end: readers round a complete event's time and duration, and let it overlap the next one.
      if (device.unit == unit && device.contexts.size() > 1)
        sink_.put(
            fmt::format(",\n"
                        R"({{"ph":"B","pid":{0},"tid":{1},"ts":{2},"cat":"context","name":{3}}})"
                        ",\n"
                        R"({{"ph":"E","pid":{0},"tid":{1},"ts":{4}}})",
                        contexts, thread + slice.engine, json_microseconds(slice.ready.picoseconds()),
                        json_text(device.contexts[slice.context]), json_microseconds(slice.end.picoseconds())));
      thread += device.engines;
    }
  }

  void ended(Instant now) override {
    set_time(now);
    for (EntityIndex entity = 0; entity < tracks_.size(); ++entity) {
      for (std::size_t open = tracks_[entity].depth; open > 0; --open) end_open(entity);
      if (processes_[entity].in_state) end_open(entity);
    }
    sink_.put("\n]}\n");
  }

 protected:
  void header(const engine::SimulationInput& input) override {
    sink_.put(fmt::format(R"({{"displayTimeUnit":"ns","otherData":{{"title":{}}},"traceEvents":[)"
                          "\n",
                          json_text(facts_.input)));
    tracks_.resize(model().entities.size());
    processes_.resize(tracks_.size());
    writes_.resize(tracks_.size());
    std::string names;
    for (int group = cores; group <= stimuli; ++group)
      names += fmt::format("{}{}", names.empty() ? "" : ",\n", json_track_name(true, group, 0, group_name(group)));
    for (EntityIndex index = 0; index < tracks_.size(); ++index) {
      const TraceEntity& entity = model().entities[index];
      Track& track = tracks_[index];
      track.begin = fmt::format(R"(,"ph":"B","cat":"{}","name":{},"args":{{"instance":)", category_of(entity),
                                json_text(entity.text));
      const std::size_t thread = std::size_t{index} + 1;
      const auto name = [&](int group) { names += ",\n" + json_track_name(false, group, thread, entity.text); };
      const auto place = [&](int group) { return fmt::format(",\n{{\"pid\":{},\"tid\":{},\"ts\":", group, thread); };
      if (entity.kind == Kind::core) {
        name(group_of(entity.part));
        track.place = place(group_of(entity.part));
      } else if (entity.kind == Kind::stimulus && entity.part == Part::model) {
        name(stimuli);
        track.place = place(stimuli);
      } else if ((entity.kind == Kind::task || entity.kind == Kind::isr) && entity.part != Part::multiprocessor) {
        name(states);
        track.place = place(states);
      }
    }
    std::size_t thread = 0;
    for (const TraceModel::DeviceFacts& device : model().devices)
      for (engine::gpu::EngineIndex engine = 0; engine < device.engines; ++engine) {
        ++thread;
        if (device.contexts.size() > 1)
          names += ",\n" + json_track_name(false, contexts, thread,
                                           fmt::format("{} {}", input.system.platform.units[device.unit].name,
                                                       engine::gpu::name_of_engine(engine)));
      }
    sink_.put(names);
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
        if (!tracks_[event.target].place.empty()) instant(event.target, "trigger");
        return;
      case What::access:
        of_access(event);
        return;
    }
  }

 private:
  struct Track {
    std::string place;      ///< how an event on it begins, up to the time; empty: nothing has such a track
    std::string begin;      ///< how a slice of the entity goes on behind the time, up to its instance
    std::size_t depth = 0;  ///< slices that are open
  };
  /// An arrow that began; 0: none. Its begin is written at once, because readers bind it to the slice that is open there
  /// in the order of the file. Nothing may follow of it.
  using Flow = std::uint64_t;
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
    time_text_.clear();
  }
  /// Most events are not written.
  const std::string& time_text() {
    if (!time_text_.empty()) return time_text_;
    constexpr std::uint64_t microsecond = 1'000'000;
    const auto picoseconds = static_cast<std::uint64_t>(time_.picoseconds());
    const fmt::format_int whole(picoseconds / microsecond), rest(microsecond + picoseconds % microsecond);
    time_text_.append(whole.data(), whole.size());
    time_text_ += '.';
    time_text_.append(rest.data() + 1, rest.size() - 1);  // without the leading 1
    return time_text_;
  }

  void at(EntityIndex track) {
    sink_.put(tracks_[track].place);
    sink_.put(time_text());
  }
  void begin(EntityIndex track, EntityIndex what, std::uint64_t instance) {
    at(track);
    sink_.put(tracks_[what].begin);
    sink_.put_number(instance);
    sink_.put("}}");
    ++tracks_[track].depth;
  }
  void end(EntityIndex track) {
    at(track);
    sink_.put(R"(,"ph":"E"})");
    --tracks_[track].depth;
  }
  /// The end of the trace, which is not that of what the slice stands for.
  void end_open(EntityIndex track) {
    at(track);
    sink_.put(R"(,"ph":"E","args":{"open":1}})");
  }
  void instant(EntityIndex track, std::string_view name) {
    at(track);
    sink_.put(R"(,"ph":"i","s":"t","name":")");
    sink_.put(name);
    sink_.put("\"}");
  }
  Flow begin_flow(EntityIndex track, std::string_view name) {
    flow_end("s\",", track, name, ++flows_);
    return flows_;
  }
  void end_flow(Flow& from, EntityIndex to, std::string_view name) {
    if (from != 0) flow_end("f\",\"bp\":\"e\",", to, name, from);
    from = 0;
  }
  void flow_end(std::string_view phase, EntityIndex track, std::string_view name, Flow flow) {
    at(track);
    sink_.put(R"(,"ph":")");
    sink_.put(phase);
    sink_.put(R"("cat":"flow","name":")");
    sink_.put(name);
    sink_.put(R"(","id":)");
    sink_.put_number(flow);
    sink_.put('}');
  }

  void begin_state(EntityIndex process, std::string_view name, std::uint64_t instance) {
    if (tracks_[process].place.empty()) return;
    at(process);
    sink_.put(R"(,"ph":"B","cat":"state","name":")");
    sink_.put(name);
    sink_.put(R"(","args":{"instance":)");
    sink_.put_number(instance);
    sink_.put("}}");
    processes_[process].in_state = true;
  }
  void end_state(EntityIndex process) {
    if (!processes_[process].in_state) return;
    at(process);
    sink_.put(R"(,"ph":"E"})");
    processes_[process].in_state = false;
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
          if (!tracks_[event.target].place.empty()) instant(event.target, "activate");
          return;
        }
        process.has_job = true;
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
        if (!process.has_job) return;
        --process.waiting_jobs;
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

  TraceSink sink_;
  TraceFacts facts_;
  std::vector<Track> tracks_;       ///< by entity
  std::vector<Process> processes_;  ///< by entity
  std::vector<Write> writes_;       ///< by entity: labels
  Flow flows_ = 0;
  Instant time_;
  std::string time_text_;
};

tl::expected<std::unique_ptr<TraceWriter>, std::string> make(const std::string& path, const TraceFacts& facts,
                                                             bool compressed) {
  auto file = NewFile::create(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  return std::make_unique<PerfettoWriter>(std::move(*file), compressed, facts);
}

}  // namespace

tl::expected<std::unique_ptr<TraceWriter>, std::string> make_trace_perfetto(const std::string& path,
                                                                            const TraceFacts& facts) {
  return make(path, facts, false);
}

tl::expected<std::unique_ptr<TraceWriter>, std::string> make_trace_perfetto_gz(const std::string& path,
                                                                               const TraceFacts& facts) {
  return make(path, facts, true);
}

}  // namespace amalthea::exporter
