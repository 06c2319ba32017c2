// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "exporter/traces/detail/trace_events.hpp"
#include "exporter/traces/detail/trace_sink.hpp"
#include "exporter/traces/trace_text.hpp"

namespace amalthea::exporter {
namespace {

using Kind = TraceEntity::Kind;
using What = TraceEvent::What;

std::string_view type_of(Kind kind) {
  constexpr std::array<std::string_view, 6> types{"STI", "T", "I", "R", "C", "SIG"};
  return types[static_cast<std::size_t>(kind)];
}

/// Text that is copied often: of short ones always as many bytes, which is faster than to look how many there are.
class Piece {
 public:
  static constexpr std::size_t chunk = 64;

  Piece() = default;
  explicit Piece(std::string text) : size_(text.size()), bytes_(std::move(text)) {
    if (size_ < chunk) bytes_.resize(chunk, '\0');
  }
  std::size_t room() const { return bytes_.size(); }
  char* copy_to(char* at) const {
    if (size_ <= chunk) {
      std::memcpy(at, bytes_.data(), chunk);
    } else {
      std::memcpy(at, bytes_.data(), size_);
    }
    return at + size_;
  }

 private:
  std::size_t size_ = 0;
  std::string bytes_;
};

char* copy_number(std::uint64_t number, char* at) {
  if (number < 10) {
    *at = static_cast<char>('0' + number);
    return at + 1;
  }
  const fmt::format_int text(number);
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

/// Much of a simulation with a trace is spent here, so a line is put together of pieces that are ready.
class BtfWriter final : public TraceEvents {
 public:
  BtfWriter(NewFile file, TraceFacts facts) : sink_(std::move(file), false), facts_(std::move(facts)) {
    for (std::size_t event = 0; event < process_.size(); ++event)
      process_[event] = Piece(fmt::format(",{}\n", engine::to_string(static_cast<engine::ProcessEvent>(event))));
    for (std::size_t event = 0; event < runnable_.size(); ++event) {
      constexpr std::array<std::string_view, 4> names{",start\n", ",suspend\n", ",resume\n", ",terminate\n"};
      runnable_[event] = Piece(std::string(names[event]));
    }
  }

  tl::expected<void, std::string> finish() override { return sink_.commit(); }
  std::uint64_t size() override { return sink_.size(); }

 protected:
  void header(const engine::SimulationInput&) override {
    sink_.put(btf_header(facts_.date, facts_.input));
    const std::vector<std::string> names = trace_compass_names(model());
    for (std::size_t index = 0; index < names.size(); ++index) {
      const TraceEntity& entity = model().entities[index];
      const std::string& name = facts_.model_names ? entity.name : names[index];
      sink_.put(fmt::format("#-{} {}\n", type_of(entity.kind), name));
      source_.emplace_back(fmt::format(",{},", name));
      target_.emplace_back(fmt::format(",{},{},", type_of(entity.kind), name));
    }
  }

  void event(const TraceEvent& event) override {
    if (event.time != time_) {
      time_ = event.time;
      const fmt::format_int text(btf_time(time_.picoseconds()));
      std::memcpy(time_text_.data(), text.data(), text.size());
      time_size_ = text.size();
    }
    const Piece& source = event.source == no_entity ? simulation_ : source_[event.source];
    const Piece& target = target_[event.target];
    constexpr std::size_t numbers = 2 * 20;
    char* at = sink_.room(source.room() + target.room() + numbers + 2 * Piece::chunk);
    std::memcpy(at, time_text_.data(), time_text_.size());
    at = source.copy_to(at + time_size_);
    if (event.source != no_entity) at = copy_number(event.source_instance, at);
    at = copy_number(event.instance, target.copy_to(at));
    sink_.advance(name_of(event).copy_to(at));
  }

 private:
  const Piece& name_of(const TraceEvent& event) const {
    if (event.what == What::process) return process_[static_cast<std::size_t>(event.process)];
    if (event.what == What::runnable) return runnable_[static_cast<std::size_t>(event.runnable)];
    if (event.what == What::trigger) return trigger_;
    return event.writes ? write_ : read_;
  }

  TraceSink sink_;
  TraceFacts facts_;
  std::array<Piece, 13> process_;
  std::array<Piece, 4> runnable_;
  const Piece trigger_{",trigger\n"}, read_{",read\n"}, write_{",write\n"}, simulation_{",SIM,-1"};
  std::vector<Piece> source_, target_;  ///< by entity, with the commas around them
  Instant time_;
  std::array<char, 32> time_text_{'0'};
  std::size_t time_size_ = 1;
};

}  // namespace

tl::expected<std::unique_ptr<TraceWriter>, std::string> make_trace_btf(const std::string& path,
                                                                       const TraceFacts& facts) {
  auto file = NewFile::create(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  return std::make_unique<BtfWriter>(std::move(*file), facts);
}

}  // namespace amalthea::exporter
