// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the formats share: the names of a trace, and what they are given.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <tl/expected.hpp>

#include "traces/reading/detail/byte_stream.hpp"
#include "traces/trace_reader.hpp"

namespace amalthea::traces {

/// Gives every name its number and announces it to the sink once.
class Names {
 public:
  Names(TraceSink& sink, std::size_t most) : sink_(sink), most_(most) {}

  /// no_entity if there are too many, or if their texts take more than `most_bytes`.
  EntityIndex find(EntityKind kind, std::string_view name);
  /// Nothing was refused.
  bool complete() const { return complete_; }
  std::size_t most() const { return most_; }
  static constexpr std::size_t most_bytes = std::size_t{256} << 20;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  TraceSink& sink_;
  std::size_t most_;
  bool complete_ = true;
  EntityIndex count_ = 0;
  std::size_t bytes_ = 0;
  std::array<std::unordered_map<std::string, EntityIndex, Hash, std::equal_to<>>, entity_kinds> known_;
};

/// What a format reads from, and into.
struct Reading {
  const TraceInput& input;
  ByteStream& bytes;
  TraceSink& sink;
  Names& names;
  TraceReport& report;

  void event(const Event& event) {
    ++report.events;
    sink.event(event);
  }
  /// Every few thousand calls reports the progress.
  void advance() {
    if (input.progress && ++calls % 4096 == 0) input.progress(bytes.done(), bytes.total());
  }
  std::uint64_t calls = 0;
};

/// The error is a reason without the path.
using ReadResult = tl::expected<void, std::string>;

struct TraceFormat {
  std::string_view name;
  /// Whether a trace of this format may begin like this.
  bool (*recognizes)(const std::string& path, std::string_view beginning);
  ReadResult (*read)(Reading& reading);
};

bool is_btf(const std::string& path, std::string_view beginning);
ReadResult read_btf(Reading& reading);
bool is_csv(const std::string& path, std::string_view beginning);
ReadResult read_csv(Reading& reading);
/// CSV of any tool, with the columns of TraceInput::columns.
ReadResult read_columns(Reading& reading);
bool is_atdb(const std::string& path, std::string_view beginning);
ReadResult read_atdb(Reading& reading);
bool is_perfetto(const std::string& path, std::string_view beginning);
ReadResult read_perfetto(Reading& reading);
bool is_nsight(const std::string& path, std::string_view beginning);
ReadResult read_nsight(Reading& reading);
bool is_examiner_log(const std::string& path, std::string_view beginning);
ReadResult read_examiner_log(Reading& reading);
bool is_ctf(const std::string& path, std::string_view beginning);
ReadResult read_ctf(Reading& reading);

/// A number >= 0 that fills the text; nothing else.
bool read_number(std::string_view text, std::uint64_t& number);
/// Instants of a trace. A clock that starts long before the trace, such as one since 1970, is set to 0 at its first event.
class Clock {
 public:
  explicit Clock(std::int64_t unit = 1000) : unit_(unit) {}
  void set_unit(std::int64_t picoseconds) { unit_ = picoseconds; }
  /// A number of units >= 0. False for another text, and beyond the range of a simulation (26 days).
  bool read(std::string_view text, Instant& instant);
  bool read(std::uint64_t units, Instant& instant);

 private:
  std::int64_t unit_;  ///< ps
  std::uint64_t origin_ = 0;
  bool begun_ = false;
};
/// Picoseconds of "ps", "ns", "us", "ms" or "s", in any case; 0 for another unit.
std::int64_t unit_of_time(std::string_view unit);

/// What happens to a process, by the name of BTF in any case; nothing for other names. Also accepts ATDB's spelling of
/// a lost activation.
std::optional<engine::ProcessEvent> process_event(std::string_view name);
std::optional<RunnableEvent> runnable_event(std::string_view name);
/// Events of processes that tell nothing about their state, such as "fullmigration".
bool is_information(std::string_view name);

}  // namespace amalthea::traces
