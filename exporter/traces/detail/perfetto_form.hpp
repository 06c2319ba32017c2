// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How a file for Perfetto is written. trace_perfetto.cpp decides what it shows, in either form.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "engine/simulation/simulation.hpp"
#include "exporter/primitives/new_file.hpp"
#include "exporter/traces/detail/trace_events.hpp"

namespace amalthea::exporter {

/// Groups of tracks: Perfetto shows each as a process, and its tracks as threads.
enum class TrackGroup : std::uint8_t { cores = 1, device_tasks, engines, multiprocessors, contexts, states, stimuli };
inline constexpr TrackGroup track_groups[] = {
    TrackGroup::cores,    TrackGroup::device_tasks, TrackGroup::engines, TrackGroup::multiprocessors,
    TrackGroup::contexts, TrackGroup::states,       TrackGroup::stimuli};
std::string_view name_of(TrackGroup group);

/// Both ends of an arrow have its number, from 1.
using FlowNumber = std::uint64_t;

/// Most tracks are those of entities. The calls up to `track` come first, in the order in which they stand here.
class PerfettoForm {
 public:
  PerfettoForm() = default;
  PerfettoForm(const PerfettoForm&) = delete;
  PerfettoForm& operator=(const PerfettoForm&) = delete;
  virtual ~PerfettoForm() = default;

  virtual void opens(const engine::SimulationInput& input, std::string_view title, std::size_t entities) = 0;
  virtual void group(TrackGroup group) = 0;
  /// What slices of the entity are called.
  virtual void slices_of(EntityIndex entity, std::string_view category, std::string_view name) = 0;
  /// `thread`: from 1, unique in the group.
  virtual void track(TrackGroup group, std::size_t thread, std::string_view name, EntityIndex entity) = 0;

  /// Events from here on occur at this time, which never decreases.
  virtual void at(Instant time) = 0;
  virtual void begin(EntityIndex track, EntityIndex what, std::uint64_t instance) = 0;
  virtual void begin_state(EntityIndex track, std::string_view state, std::uint64_t instance) = 0;
  /// `is_open`: the trace ends, not what the slice stands for.
  virtual void end(EntityIndex track, bool is_open) = 0;
  virtual void instant(EntityIndex track, std::string_view name) = 0;
  /// An end of an arrow, at the innermost slice that is open on the track.
  virtual void flow(EntityIndex track, std::string_view name, FlowNumber number, bool begins) = 0;
  /// A slice that has ended, of a track that is no entity's.
  virtual void context(std::size_t thread, std::string_view name, Instant start, Instant end) = 0;
  /// Something runs on the track from now on, or nothing does. A form without counters ignores this and the next.
  virtual void busy(EntityIndex /*track*/, bool /*is_busy*/) {}
  /// Jobs of the process that are activated and have not ended.
  virtual void pending(EntityIndex /*process*/, std::uint64_t /*jobs*/) {}

  virtual void closes(Instant now) = 0;
  virtual tl::expected<void, std::string> commit() = 0;
  virtual std::uint64_t size() const = 0;
};

std::unique_ptr<PerfettoForm> make_perfetto_json(NewFile file, bool compressed);
std::unique_ptr<PerfettoForm> make_perfetto_protobuf(NewFile file);

}  // namespace amalthea::exporter
