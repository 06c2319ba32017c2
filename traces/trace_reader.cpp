// SPDX-License-Identifier: Apache-2.0
#include "traces/trace_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/core.h>

#include "amalthea/primitives/ascii.hpp"
#include "traces/reading/formats.hpp"

namespace amalthea::traces {
namespace {

/// The first one that recognizes the beginning reads the trace.
constexpr std::array formats{
    TraceFormat{"CTF", is_ctf, read_ctf},
    TraceFormat{"ATDB", is_atdb, read_atdb},
    TraceFormat{"CSV", is_csv, read_csv},
    TraceFormat{"BTF", is_btf, read_btf},
    TraceFormat{"Nsight Systems SQLite", is_nsight, read_nsight},
    TraceFormat{"GPU examiner log", is_examiner_log, read_examiner_log},
    TraceFormat{"trace event JSON", is_perfetto, read_perfetto},
};

}  // namespace

EntityIndex Names::find(EntityKind kind, std::string_view name) {
  auto& known = known_[static_cast<std::size_t>(kind)];
  if (const auto found = known.find(name); found != known.end()) return found->second;
  bytes_ += name.size();
  if (count_ >= most_ || bytes_ > most_bytes) {
    complete_ = false;
    return no_entity;
  }
  sink_.entity({kind, std::string(name)});
  return known.emplace(std::string(name), count_++).first->second;
}

bool read_number(std::string_view text, std::uint64_t& number) {
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && at == end && !text.empty();
}

bool Clock::read(std::string_view text, Instant& instant) {
  std::uint64_t units = 0;
  return read_number(text, units) && read(units, instant);
}

bool Clock::read(std::uint64_t units, Instant& instant) {
  const auto most = static_cast<std::uint64_t>(longest_simulation.picoseconds() / unit_);
  if (!begun_) {
    begun_ = true;
    if (units > most / 2) origin_ = units;
  }
  if (units < origin_ || units - origin_ > most) return false;
  instant = Instant::at(Duration::picoseconds(static_cast<std::int64_t>(units - origin_) * unit_));
  return true;
}

std::int64_t unit_of_time(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> units{
      {{"ps", 1}, {"ns", 1'000}, {"us", 1'000'000}, {"ms", 1'000'000'000}, {"s", 1'000'000'000'000}}};
  const std::string lower = lower_case(unit);
  for (const auto& [name, picoseconds] : units)
    if (name == lower) return picoseconds;
  return 0;
}

std::optional<engine::ProcessEvent> process_event(std::string_view name) {
  const std::string lower = lower_case(name);
  for (std::size_t index = 0; index <= static_cast<std::size_t>(engine::ProcessEvent::terminate); ++index)
    if (const auto event = static_cast<engine::ProcessEvent>(index); engine::to_string(event) == lower) return event;
  if (lower == "mtalimitexceded") return engine::ProcessEvent::mta_limit_exceeded;
  return std::nullopt;
}

std::optional<RunnableEvent> runnable_event(std::string_view name) {
  constexpr std::array<std::string_view, 4> names{"start", "suspend", "resume", "terminate"};
  const std::string lower = lower_case(name);
  for (std::size_t index = 0; index < names.size(); ++index)
    if (names[index] == lower) return static_cast<RunnableEvent>(index);
  return std::nullopt;
}

bool is_information(std::string_view name) { return lower_case(name).ends_with("migration"); }

tl::expected<void, std::string> read_trace(const TraceInput& input, TraceSink& sink, TraceReport& report) {
  auto bytes = ByteStream::open(input.path);
  if (!bytes) return tl::unexpected(std::move(bytes.error()));
  Names names(sink, input.limits.max_names);
  Reading reading{input, *bytes, sink, names, report};
  constexpr TraceFormat by_columns{"CSV by --columns", nullptr, read_columns};
  const auto* format = std::find_if(formats.begin(), formats.end(), [&](const TraceFormat& one) {
    return one.recognizes(input.path, bytes->beginning());
  });
  if (format == formats.end() && !input.columns.empty() && !bytes->beginning().empty()) format = &by_columns;
  if (format != formats.end()) {
    report.format = format->name;
    const ReadResult read = format->read(reading);
    if (!names.complete())
      return tl::unexpected(fmt::format(
          "it has more than {} names, or more than {} MiB of them; expected a trace of tasks, runnables and "
          "labels",
          names.most(), Names::most_bytes >> 20));
    return read;
  }
  if (bytes->beginning().empty()) return tl::unexpected(std::string("the file is empty; expected a trace"));
  std::string known;
  for (const TraceFormat& format : formats) known += fmt::format("{}{}", known.empty() ? "" : ", ", format.name);
  return tl::unexpected(
      fmt::format("no trace format is recognized; expected one of {}; --columns reads other CSV", known));
}

std::string text_of(const Place& place, std::string_view path, const std::vector<std::string>& tables) {
  if (place.table > 0 && place.table <= tables.size())
    return fmt::format("{}, row {} of {}", path, place.line, tables[place.table - 1]);
  return place.line == 0 ? std::string(path) : fmt::format("{}:{}", path, place.line);
}

}  // namespace amalthea::traces
