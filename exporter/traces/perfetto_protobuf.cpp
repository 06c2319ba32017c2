// SPDX-License-Identifier: Apache-2.0
// Perfetto's protocol buffers, by the fields of perfetto_trace.proto. All packets are of one sequence, and a name is
// interned by the first one that uses it.

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "exporter/primitives/drawing.hpp"
#include "exporter/traces/detail/perfetto_form.hpp"
#include "exporter/traces/detail/trace_sink.hpp"
#include "perfetto_trace.pb.h"

namespace amalthea::exporter {
namespace {

namespace pb = perfetto;

/// Utilization is that of each hundredth of the measured time, and of what follows the measured time.
constexpr std::int64_t windows = 100;

// Tracks are numbered by group and thread; those of counters by entity, as if of further groups.
constexpr std::uint64_t utilization_tracks = 16;
constexpr std::uint64_t pending_tracks = 17;
constexpr std::uint64_t track_number(std::uint64_t group, std::uint64_t thread) { return (group << 32U) + thread; }
constexpr std::uint64_t track_number(TrackGroup group, std::uint64_t thread) {
  return track_number(static_cast<std::uint64_t>(group), thread);
}

/// Nanoseconds, rounded to nearest as in BTF.
std::uint64_t timestamp(Instant time) { return static_cast<std::uint64_t>(time.picoseconds() + 500) / 1000; }

/// Names by number, from 1. A packet brings those that it is the first to use.
class InternedNames {
 public:
  std::uint64_t number_of(std::string_view name) {
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return found->second;
    const std::uint64_t number = numbers_.size() + 1;
    new_.emplace_back(number, numbers_.emplace(name, number).first->first);
    return number;
  }
  bool has_new() const { return !new_.empty(); }
  template <class Names>
  void put_new(Names& names) {
    for (const auto& [number, name] : new_) {
      pb::InternedName& one = *names.Add();
      one.set_iid(number);
      one.set_name(printable(name));
    }
    new_.clear();
  }

 private:
  std::map<std::string, std::uint64_t, std::less<>> numbers_;
  std::vector<std::pair<std::uint64_t, std::string_view>> new_;
};

class PerfettoProtobuf final : public PerfettoForm {
 public:
  explicit PerfettoProtobuf(NewFile file) : sink_(std::move(file), false) {}

  void opens(const engine::SimulationInput& input, std::string_view, std::size_t entities) override {
    measured_ = Instant::at(input.until);
    window_ = Duration::picoseconds((input.until.picoseconds() + windows - 1) / windows);
    window_end_ = Instant::at(window_);
    entities_.resize(entities);
    packet().set_sequence_flags(1);
  }
  void group(TrackGroup group) override {
    pb::ProcessDescriptor& process = *descriptor(track_number(group, 0)).mutable_process();
    process.set_pid(static_cast<int>(group));
    process.set_legacy_sort_index(static_cast<int>(group));
    process.set_process_name(std::string(name_of(group)));
    put_packet();
  }
  void slices_of(EntityIndex entity, std::string_view category, std::string_view name) override {
    entities_[entity].category = categories_.number_of(category);
    entities_[entity].name = names_.number_of(name);
  }
  void track(TrackGroup group, std::size_t thread, std::string_view name, EntityIndex entity) override {
    const std::string shown = printable(name);
    pb::ThreadDescriptor& of = *descriptor(track_number(group, thread)).mutable_thread();
    of.set_pid(static_cast<int>(group));
    of.set_tid(static_cast<std::int64_t>(thread));
    of.set_legacy_sort_index(static_cast<int>(thread));
    of.set_thread_name(shown);
    put_packet();
    if (entity == no_entity) return;
    entities_[entity].track = track_number(group, thread);
    if (group == TrackGroup::cores || group == TrackGroup::engines) {
      loads_.push_back({entity, Instant(), false, Duration(), std::nullopt});
      entities_[entity].load = loads_.size();
      counter(track_number(utilization_tracks, entity), group, fmt::format("utilization of {}", shown), "%");
    } else if (group == TrackGroup::states) {
      counter(track_number(pending_tracks, entity), group, fmt::format("pending jobs of {}", shown), "jobs");
      pending(entity, 0);
    }
  }

  void at(Instant time) override {
    if (time >= window_end_) close_windows(time);
    time_ = time;
  }
  void begin(EntityIndex track, EntityIndex what, std::uint64_t instance) override {
    begin(track, entities_[what].category, entities_[what].name, instance);
  }
  void begin_state(EntityIndex track, std::string_view state, std::uint64_t instance) override {
    begin(track, categories_.number_of("state"), names_.number_of(state), instance);
  }
  void end(EntityIndex track, bool is_open) override {
    pb::TrackEvent& event = event_at(entities_[track].track, time_, pb::TrackEvent::SLICE_END);
    if (is_open) annotate(event, "open", 1);
    put_packet();
  }
  void instant(EntityIndex track, std::string_view name) override {
    event_at(entities_[track].track, time_, pb::TrackEvent::INSTANT).set_name_iid(names_.number_of(name));
    put_packet();
  }
  void flow(EntityIndex track, std::string_view name, FlowNumber number, bool begins) override {
    pb::TrackEvent& event = event_at(entities_[track].track, time_, pb::TrackEvent::NONE);
    event.add_category_iids(categories_.number_of("flow"));
    event.set_name_iid(names_.number_of(name));
    pb::TrackEvent::LegacyEvent& legacy = *event.mutable_legacy_event();
    legacy.set_phase(begins ? 's' : 'f');
    legacy.set_unscoped_id(number);
    if (!begins) legacy.set_bind_to_enclosing(true);
    put_packet();
  }
  void context(std::size_t thread, std::string_view name, Instant start, Instant end) override {
    const std::uint64_t track = track_number(TrackGroup::contexts, thread);
    pb::TrackEvent& event = event_at(track, start, pb::TrackEvent::SLICE_BEGIN);
    event.add_category_iids(categories_.number_of("context"));
    event.set_name_iid(names_.number_of(name));
    put_packet();
    event_at(track, end, pb::TrackEvent::SLICE_END);
    put_packet();
  }
  void busy(EntityIndex track, bool is_busy) override {
    if (entities_[track].load == 0) return;
    Load& load = loads_[entities_[track].load - 1];
    if (load.is_busy) load.time += time_ - load.since;
    load.is_busy = is_busy;
    load.since = time_;
  }
  void pending(EntityIndex process, std::uint64_t jobs) override {
    event_at(track_number(pending_tracks, process), time_, pb::TrackEvent::COUNTER)
        .set_counter_value(static_cast<std::int64_t>(jobs));
    put_packet();
  }

  void closes(Instant now) override {
    close_windows(now);
    if (now > window_begin_) close_window(now);
    for (Load& load : loads_) put_utilization(load, 0.0);
  }
  tl::expected<void, std::string> commit() override { return sink_.commit(); }
  std::uint64_t size() const override { return sink_.size(); }

 private:
  struct Entity {
    std::uint64_t category = 0, name = 0;  ///< of its slices
    std::uint64_t track = 0;
    std::size_t load = 0;  ///< in loads_, from 1; 0: none
  };
  /// What runs on a core or an engine.
  struct Load {
    EntityIndex entity = no_entity;
    Instant since;  ///< the last change, or the begin of the window
    bool is_busy = false;
    Duration time;                  ///< busy in this window, up to `since`
    std::optional<double> written;  ///< the last value, in percent
  };

  pb::TracePacket& packet() { return trace_.packet_size() == 0 ? *trace_.add_packet() : *trace_.mutable_packet(0); }
  pb::TrackDescriptor& descriptor(std::uint64_t number) {
    pb::TrackDescriptor& track = *packet().mutable_track_descriptor();
    track.set_uuid(number);
    return track;
  }
  void counter(std::uint64_t number, TrackGroup group, const std::string& name, const std::string& unit) {
    pb::TrackDescriptor& track = descriptor(number);
    track.set_name(name);
    track.set_parent_uuid(track_number(group, 0));
    track.mutable_counter()->set_unit_name(unit);
    put_packet();
  }
  pb::TrackEvent& event_at(std::uint64_t track, Instant time, pb::TrackEvent::Type type) {
    packet().set_timestamp(timestamp(time));
    pb::TrackEvent& event = *packet().mutable_track_event();
    event.set_track_uuid(track);
    if (type != pb::TrackEvent::NONE) event.set_type(type);
    return event;
  }
  void annotate(pb::TrackEvent& event, std::string_view name, std::uint64_t value) {
    pb::DebugAnnotation& annotation = *event.add_debug_annotations();
    annotation.set_name_iid(annotations_.number_of(name));
    annotation.set_uint_value(value);
  }
  void begin(EntityIndex track, std::uint64_t category, std::uint64_t name, std::uint64_t instance) {
    pb::TrackEvent& event = event_at(entities_[track].track, time_, pb::TrackEvent::SLICE_BEGIN);
    event.add_category_iids(category);
    event.set_name_iid(name);
    annotate(event, "instance", instance);
    put_packet();
  }
  void put_packet() {
    pb::TracePacket& one = packet();
    one.set_trusted_packet_sequence_id(1);
    if (one.sequence_flags() == 0) one.set_sequence_flags(2);
    if (categories_.has_new() || names_.has_new() || annotations_.has_new()) {
      pb::InternedData& data = *one.mutable_interned_data();
      categories_.put_new(*data.mutable_event_categories());
      names_.put_new(*data.mutable_event_names());
      annotations_.put_new(*data.mutable_debug_annotation_names());
    }
    trace_.SerializeToString(&bytes_);
    sink_.put(bytes_);
    one.Clear();
  }

  /// A window's value stands at its begin, so that it is shown for the window.
  void put_utilization(Load& load, double percent) {
    if (load.written == percent) return;
    load.written = percent;
    event_at(track_number(utilization_tracks, load.entity), window_begin_, pb::TrackEvent::COUNTER)
        .set_double_counter_value(percent);
    put_packet();
  }
  void close_window(Instant end) {
    const auto length = static_cast<double>((end - window_begin_).picoseconds());
    for (Load& load : loads_) {
      if (load.is_busy) load.time += end - load.since;
      put_utilization(load, 100.0 * static_cast<double>(load.time.picoseconds()) / length);
      load.time = Duration();
      load.since = end;
    }
    window_begin_ = end;
  }
  /// Those that end by `now`, without the last one, which has no end of its own. Nothing has changed since the last
  /// event, so the windows between it and `now` have one value.
  void close_windows(Instant now) {
    while (window_end_ <= now && window_begin_ < measured_) {
      close_window(window_end_);
      const std::int64_t whole = (std::min(now, measured_) - window_begin_).picoseconds() / window_.picoseconds();
      if (whole > 1) close_window(window_begin_ + window_ * whole);
      window_end_ = window_begin_ >= measured_ ? Instant::never() : std::min(window_begin_ + window_, measured_);
    }
  }

  TraceSink sink_;
  InternedNames categories_, names_, annotations_;
  std::vector<Entity> entities_;
  std::vector<Load> loads_;
  Instant time_, measured_, window_begin_, window_end_;
  Duration window_;
  pb::Trace trace_;  ///< one packet, which is filled again and again
  std::string bytes_;
};

}  // namespace

std::unique_ptr<PerfettoForm> make_perfetto_protobuf(NewFile file) {
  return std::make_unique<PerfettoProtobuf>(std::move(file));
}

}  // namespace amalthea::exporter
