#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "exporter/trace_events.hpp"
#include "exporter/trace_sink.hpp"
#include "exporter/trace_text.hpp"

namespace amalthea::exporter {
namespace {

using Kind = TraceEntity::Kind;
using What = TraceEvent::What;

std::string_view type_of(Kind kind) {
  switch (kind) {
    case Kind::stimulus:
      return "STI";
    case Kind::task:
      return "T";
    case Kind::isr:
      return "I";
    case Kind::runnable:
      return "R";
    case Kind::core:
      return "C";
    case Kind::label:
      return "SIG";
  }
  return "";
}

/// Most of a simulation with a trace is spent here, so a line is put together of pieces that are ready.
class BtfWriter final : public TraceEvents {
 public:
  BtfWriter(NewFile file, TraceFacts facts) : sink_(std::move(file), false), facts_(std::move(facts)) {
    for (std::size_t event = 0; event < process_.size(); ++event)
      process_[event] = fmt::format(",{}\n", engine::to_string(static_cast<engine::ProcessEvent>(event)));
  }

  tl::expected<void, std::string> finish() override { return sink_.commit(); }

 protected:
  void header(const engine::SimulationInput&) override {
    sink_.put(btf_header(facts_.date, facts_.input));
    for (const TraceEntity& entity : model().entities) {
      sink_.put(fmt::format("#-{} {}\n", type_of(entity.kind), entity.name));
      source_.push_back(fmt::format(",{},", entity.name));
      target_.push_back(fmt::format(",{},{},", type_of(entity.kind), entity.name));
    }
  }

  void event(const TraceEvent& event) override {
    if (event.time != time_) {
      time_ = event.time;
      const fmt::format_int text(btf_time(time_.picoseconds()));
      time_text_.assign(text.data(), text.size());
    }
    sink_.put(time_text_);
    if (event.source == no_entity) {
      sink_.put(",SIM,-1");
    } else {
      sink_.put(source_[event.source]);
      sink_.put_number(event.source_instance);
    }
    sink_.put(target_[event.target]);
    sink_.put_number(event.instance);
    sink_.put(name_of(event));
  }

 private:
  std::string_view name_of(const TraceEvent& event) const {
    constexpr std::array<std::string_view, 4> runnable{",start\n", ",suspend\n", ",resume\n", ",terminate\n"};
    switch (event.what) {
      case What::process:
        return process_[static_cast<std::size_t>(event.process)];
      case What::trigger:
        return ",trigger\n";
      case What::runnable:
        return runnable[static_cast<std::size_t>(event.runnable)];
      case What::access:
        return event.writes ? ",write\n" : ",read\n";
    }
    return "";
  }

  TraceSink sink_;
  TraceFacts facts_;
  std::array<std::string, 13> process_;
  std::vector<std::string> source_, target_;  ///< by entity, with the commas around them
  Instant time_;
  std::string time_text_ = "0";
};

}  // namespace

tl::expected<std::unique_ptr<TraceWriter>, std::string> make_trace_btf(const std::string& path,
                                                                       const TraceFacts& facts) {
  auto file = NewFile::create(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  return std::make_unique<BtfWriter>(std::move(*file), facts);
}

}  // namespace amalthea::exporter
