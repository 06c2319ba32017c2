// SPDX-License-Identifier: Apache-2.0
// Best Trace Format, versions 1.0 to 2.1.5: names or numbers, any unit of time.

#include <array>
#include <cctype>
#include <cstring>
#include <unordered_map>

#include <fmt/core.h>

#include "amalthea/primitives/ascii.hpp"
#include "traces/reading/detail/line_reader.hpp"
#include "traces/reading/formats.hpp"

namespace amalthea::traces {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

enum class Target : std::uint8_t { stimulus, process, runnable, label, other };

class BtfReader {
 public:
  explicit BtfReader(Reading& reading) : reading_(reading), lines_(reading.bytes, reading.input.limits.max_line) {}

  void read() {
    reading_.sink.resolution(Duration::nanoseconds(1));
    while (const auto line = lines_.next()) {
      reading_.advance();
      if (!reading_.names.complete()) return;
      place_.line = line->number;
      if (line->text.empty()) continue;
      if (line->text.front() == '#') {
        header(line->text);
        continue;
      }
      const std::string wrong = line->too_long ? "the line is too long" : event(line->text, line->whole);
      if (wrong.empty()) continue;
      if (line->whole)
        reading_.sink.problem({Problem::Kind::malformed, wrong, place_});
      else
        cut_ = true;
    }
    if (cut_ || reading_.bytes.is_broken())
      reading_.sink.problem({Problem::Kind::truncated, "the trace ends within a line", place_});
  }

 private:
  enum class Table : std::uint8_t { none, types, entities };

  void header(std::string_view line) {
    line.remove_prefix(1);
    if (line.empty() || line.front() == ' ' || line.front() == '\t') return;  // a comment
    const std::size_t blank = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view value = trimmed(line.substr(blank));
    if (line.front() == '-') {
      std::uint64_t number = 0;
      if (table_ == Table::none || !read_number(line.substr(1, blank - 1), number)) return;
      (table_ == Table::types ? types_ : entities_)[number] = std::string(value);
      return;
    }
    const std::string key = lower_case(line.substr(0, blank));
    table_ = key == "typetable" ? Table::types : key == "entitytable" ? Table::entities : Table::none;
    if (key != "timescale") return;
    if (const std::int64_t unit = unit_of_time(value); unit > 0) {
      clock_.set_unit(unit);
      reading_.sink.resolution(Duration::picoseconds(unit));
    } else {
      reading_.sink.problem({Problem::Kind::malformed,
                             fmt::format("the time scale is \"{}\"; expected ps, ns, us, ms or s", value), place_});
    }
  }

  std::string_view name(std::string_view field, const std::unordered_map<std::uint64_t, std::string>& table) const {
    std::uint64_t number = 0;
    if (table.empty() || !read_number(field, number)) return field;
    const auto found = table.find(number);
    return found == table.end() ? field : std::string_view(found->second);
  }

  static Target target_of(std::string_view type) {
    if (type == "R") return Target::runnable;
    if (type == "T" || type == "I" || type == "ISR") return Target::process;
    if (type == "SIG") return Target::label;
    if (type == "STI") return Target::stimulus;
    return Target::other;
  }

  /// "" or what is wrong.
  std::string event(std::string_view line, bool whole) {
    std::array<std::string_view, 7> fields;
    std::size_t count = 0;
    for (std::size_t begin = 0; count < fields.size();) {
      const auto* comma = static_cast<const char*>(std::memchr(line.data() + begin, ',', line.size() - begin));
      const std::size_t end = comma == nullptr ? line.size() : static_cast<std::size_t>(comma - line.data());
      fields[count++] = trimmed(line.substr(begin, end - begin));
      if (comma == nullptr) break;
      begin = end + 1;
    }
    if (count < fields.size())
      return fmt::format("it has {} fields; expected Time,Source,SourceInstance,TargetType,Target,TargetInstance,Event",
                         count);
    Event event;
    event.place = place_;
    if (!clock_.read(fields[0], event.time))
      return fmt::format("the time is \"{}\"; expected a number >= 0 that is below 26 days", fields[0]);
    const std::string_view type = name(fields[3], types_), what = fields[6];
    const Target target = target_of(type);
    if (target == Target::other) {
      ++reading_.report.ignored;
      return {};
    }
    // Instances are optional, and -1 for what has none.
    read_number(fields[2], event.source_instance);
    read_number(fields[5], event.instance);
    const std::string_view source_name = name(fields[1], entities_), target_name = name(fields[4], entities_);
    const auto find = [&](EntityKind kind, std::string_view of) { return reading_.names.find(kind, of); };
    switch (target) {
      case Target::process: {
        const auto process = known_process(what);
        if (!process) {
          if (is_information(what)) {
            ++reading_.report.ignored;
            return {};
          }
          return unknown(what, whole);
        }
        if (!whole && (what == "poll" || what == "release")) return "it may be cut";
        event.process = *process;
        const bool by_stimulus =
            *process == engine::ProcessEvent::activate || *process == engine::ProcessEvent::mta_limit_exceeded;
        event.source = find(by_stimulus ? EntityKind::stimulus : EntityKind::core, source_name);
        event.target = find(EntityKind::process, target_name);
        break;
      }
      case Target::runnable: {
        const auto runnable = runnable_event(what);
        if (!runnable) return unknown(what, whole);
        event.what = Event::What::runnable;
        event.runnable = *runnable;
        event.source = find(EntityKind::process, source_name);
        event.target = find(EntityKind::runnable, target_name);
        break;
      }
      case Target::label:
        if (what != "read" && what != "write") return unknown(what, whole);
        event.what = Event::What::access;
        event.writes = what == "write";
        event.source = find(EntityKind::process, source_name);
        event.target = find(EntityKind::label, target_name);
        break;
      case Target::stimulus:
        if (what != "trigger") return unknown(what, whole);
        event.what = Event::What::trigger;
        if (fields[2] != "-1" && !fields[2].empty() && source_name != "SIM")
          event.source = find(EntityKind::process, source_name);
        event.target = find(EntityKind::stimulus, target_name);
        break;
      case Target::other:
        break;
    }
    if (event.target != no_entity && reading_.names.complete()) reading_.event(event);
    return {};
  }

  std::optional<engine::ProcessEvent> known_process(std::string_view what) {
    for (const auto& [name, event] : seen_)
      if (name == what) return event;
    const auto event = process_event(what);
    if (event && seen_.size() < 32) seen_.emplace_back(std::string(what), *event);
    return event;
  }

  static std::string unknown(std::string_view what, bool whole) {
    if (!whole) return "it may be cut";
    return fmt::format("\"{}\" is not an event of this type of entity", what);
  }

  Reading& reading_;
  LineReader lines_;
  Clock clock_;
  Table table_ = Table::none;
  std::unordered_map<std::uint64_t, std::string> types_, entities_;
  std::vector<std::pair<std::string, engine::ProcessEvent>> seen_;  ///< names of events, as the trace spells them
  Place place_;
  bool cut_ = false;
};

}  // namespace

bool is_btf(const std::string& path, std::string_view beginning) {
  if (beginning.empty()) return false;
  if (beginning.front() == '#') return true;
  return (path.ends_with(".btf") || path.ends_with(".btf.gz")) &&
         std::isdigit(static_cast<unsigned char>(beginning.front())) != 0;
}

ReadResult read_btf(Reading& reading) {
  BtfReader(reading).read();
  return {};
}

}  // namespace amalthea::traces
