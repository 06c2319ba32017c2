// SPDX-License-Identifier: Apache-2.0
// The CSV that `--trace FILE.csv` writes: states of jobs as intervals.

#include <vector>

#include <fmt/core.h>

#include "amalthea/primitives/spreadsheet.hpp"
#include "traces/reading/detail/csv_fields.hpp"
#include "traces/reading/detail/line_reader.hpp"
#include "traces/reading/formats.hpp"

namespace amalthea::traces {
namespace {

constexpr std::string_view title = "event,task,job,release_ps,from_ps,to_ps,state,unit,runnable,activity,reason,by";
constexpr std::size_t columns = 12;

std::optional<engine::ProcessState> state_of(std::string_view text) {
  for (std::size_t index = 0; index <= static_cast<std::size_t>(engine::ProcessState::parking); ++index)
    if (const auto state = static_cast<engine::ProcessState>(index); engine::to_string(state) == text) return state;
  return std::nullopt;
}

class CsvReader {
 public:
  explicit CsvReader(Reading& reading) : reading_(reading), lines_(reading.bytes, reading.input.limits.max_line) {}

  void read() {
    lines_.next();
    Place last;
    while (const auto line = lines_.next()) {
      reading_.advance();
      if (!reading_.names.complete()) return;
      const Place place{line->number, 0};
      if (line->text.empty()) continue;
      const std::string wrong = line->too_long ? "the line is too long" : event(line->text, place);
      last = place;
      if (wrong.empty() && line->whole) continue;
      reading_.sink.problem({line->whole ? Problem::Kind::malformed : Problem::Kind::truncated,
                             line->whole ? wrong : "the trace ends within a line", place});
    }
    if (reading_.bytes.is_broken())
      reading_.sink.problem({Problem::Kind::truncated, "the trace ends within a line", last});
  }

 private:
  std::string event(std::string_view line, Place place) {
    if (!split_csv(line, fields_) || fields_.size() != columns)
      return fmt::format("it has {} fields; expected the {} columns of the first line", fields_.size(), columns);
    Event event;
    event.place = place;
    Instant release;
    if (!read_number(fields_[2], event.instance) || !clock_.read(fields_[3], release) ||
        !clock_.read(fields_[4], event.from) || !clock_.read(fields_[5], event.time))
      return "job, release_ps, from_ps or to_ps is no number >= 0";
    event.target = reading_.names.find(EntityKind::process, unguarded_cell(fields_[1]));
    if (event.target == no_entity) return {};
    const std::string& what = fields_[0];
    if (what == "activation") {
      event.process = engine::ProcessEvent::activate;
    } else if (what == "lost") {
      event.process = engine::ProcessEvent::mta_limit_exceeded;
    } else if (what == "completion") {
      event.process = engine::ProcessEvent::terminate;
    } else if (what == "interval") {
      event.what = Event::What::interval;
      const auto state = state_of(fields_[6]);
      if (!state || event.from > event.time)
        return fmt::format(
            "the interval in state \"{}\" is not understood; expected a state of a process, and from_ps "
            "before to_ps",
            fields_[6]);
      event.state = *state;
      if (!fields_[7].empty()) event.source = reading_.names.find(EntityKind::core, unguarded_cell(fields_[7]));
    } else {
      return fmt::format("\"{}\" is not an event; expected activation, lost, interval or completion", what);
    }
    reading_.event(event);
    return {};
  }

  Reading& reading_;
  LineReader lines_;
  Clock clock_{1};
  std::vector<std::string> fields_;
};

}  // namespace

bool split_csv(std::string_view line, std::vector<std::string>& fields) {
  fields.assign(1, {});
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char character = line[at];
    if (quoted) {
      if (character != '"')
        fields.back() += character;
      else if (at + 1 < line.size() && line[at + 1] == '"')
        fields.back() += line[++at];
      else
        quoted = false;
    } else if (character == '"' && fields.back().empty()) {
      quoted = true;
    } else if (character == ',') {
      fields.emplace_back();
    } else {
      fields.back() += character;
    }
  }
  return !quoted;
}

bool is_csv(const std::string& /*path*/, std::string_view beginning) { return beginning.starts_with(title); }

ReadResult read_csv(Reading& reading) {
  CsvReader(reading).read();
  return {};
}

}  // namespace amalthea::traces
