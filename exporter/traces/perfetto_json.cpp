// SPDX-License-Identifier: Apache-2.0
// Trace event JSON.

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "exporter/traces/detail/perfetto_form.hpp"
#include "exporter/traces/detail/trace_sink.hpp"
#include "exporter/traces/trace_text.hpp"

namespace amalthea::exporter {
namespace {

class PerfettoJson final : public PerfettoForm {
 public:
  PerfettoJson(NewFile file, bool compressed) : sink_(std::move(file), compressed) {}

  void opens(const engine::SimulationInput&, std::string_view title, std::size_t entities) override {
    sink_.put(fmt::format(R"({{"displayTimeUnit":"ns","otherData":{{"title":{}}},"traceEvents":[)"
                          "\n",
                          json_text(title)));
    texts_.resize(entities);
  }
  void group(TrackGroup group) override { put_name(true, group, 0, name_of(group)); }
  void slices_of(EntityIndex entity, std::string_view category, std::string_view name) override {
    texts_[entity].begin =
        fmt::format(R"(,"ph":"B","cat":"{}","name":{},"args":{{"instance":)", category, json_text(name));
  }
  void track(TrackGroup group, std::size_t thread, std::string_view name, EntityIndex entity) override {
    put_name(false, group, thread, name);
    if (entity != no_entity)
      texts_[entity].place = fmt::format(",\n{{\"pid\":{},\"tid\":{},\"ts\":", static_cast<int>(group), thread);
  }

  void at(Instant time) override {
    time_ = time;
    time_text_.clear();
  }
  void begin(EntityIndex track, EntityIndex what, std::uint64_t instance) override {
    put_place(track);
    sink_.put(texts_[what].begin);
    sink_.put_number(instance);
    sink_.put("}}");
  }
  void begin_state(EntityIndex track, std::string_view state, std::uint64_t instance) override {
    put_place(track);
    sink_.put(R"(,"ph":"B","cat":"state","name":")");
    sink_.put(state);
    sink_.put(R"(","args":{"instance":)");
    sink_.put_number(instance);
    sink_.put("}}");
  }
  void end(EntityIndex track, bool is_open) override {
    put_place(track);
    sink_.put(is_open ? R"(,"ph":"E","args":{"open":1}})" : R"(,"ph":"E"})");
  }
  void instant(EntityIndex track, std::string_view name) override {
    put_place(track);
    sink_.put(R"(,"ph":"i","s":"t","name":")");
    sink_.put(name);
    sink_.put("\"}");
  }
  void flow(EntityIndex track, std::string_view name, FlowNumber number, bool begins) override {
    put_place(track);
    sink_.put(begins ? R"(,"ph":"s","cat":"flow","name":")" : R"(,"ph":"f","bp":"e","cat":"flow","name":")");
    sink_.put(name);
    sink_.put(R"(","id":)");
    sink_.put_number(number);
    sink_.put('}');
  }
  /// A begin and an end: readers round a complete event's time and duration, and let it overlap the next one.
  void context(std::size_t thread, std::string_view name, Instant start, Instant end) override {
    sink_.put(
        fmt::format(",\n"
                    R"({{"ph":"B","pid":{0},"tid":{1},"ts":{2},"cat":"context","name":{3}}})"
                    ",\n"
                    R"({{"ph":"E","pid":{0},"tid":{1},"ts":{4}}})",
                    static_cast<int>(TrackGroup::contexts), thread, json_microseconds(start.picoseconds()),
                    json_text(name), json_microseconds(end.picoseconds())));
  }

  void closes(Instant) override { sink_.put("\n]}\n"); }
  tl::expected<void, std::string> commit() override { return sink_.commit(); }
  std::uint64_t size() const override { return sink_.size(); }

 private:
  struct Texts {
    std::string place;  ///< how an event on its track begins, up to the time
    std::string begin;  ///< how a slice of the entity goes on behind the time, up to its instance
  };

  void put_name(bool is_group, TrackGroup group, std::size_t thread, std::string_view name) {
    if (has_names_) sink_.put(",\n");
    has_names_ = true;
    sink_.put(json_track_name(is_group, static_cast<int>(group), thread, name));
  }
  void put_place(EntityIndex track) {
    sink_.put(texts_[track].place);
    sink_.put(time_text());
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

  TraceSink sink_;
  std::vector<Texts> texts_;  ///< by entity
  bool has_names_ = false;
  Instant time_;
  std::string time_text_;
};

}  // namespace

std::unique_ptr<PerfettoForm> make_perfetto_json(NewFile file, bool compressed) {
  return std::make_unique<PerfettoJson>(std::move(file), compressed);
}

}  // namespace amalthea::exporter
