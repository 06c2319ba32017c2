// SPDX-License-Identifier: Apache-2.0
// CSV of any tool, whose columns the user names: an execution of a kernel, a copy or a range in each line.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "traces/reading/detail/csv_fields.hpp"
#include "traces/reading/detail/line_reader.hpp"
#include "traces/reading/formats.hpp"

namespace amalthea::traces {
namespace {

/// The unit at the end of a title: "Start (ns)", "start_us", "time [ms]"; 0: none.
std::int64_t unit_of_title(std::string_view title) {
  while (!title.empty() && (title.back() == ')' || title.back() == ']' || title.back() == ' ')) title.remove_suffix(1);
  const std::size_t before = title.find_last_of(" _([");
  return before == title.npos ? 0 : unit_of_time(title.substr(before + 1));
}

class ColumnsReader {
  enum Column : std::size_t { name, start, end, duration, column_count };
  static constexpr std::array<std::string_view, column_count> keys{"name", "start", "end", "duration"};

 public:
  explicit ColumnsReader(Reading& reading) : reading_(reading), lines_(reading.bytes, reading.input.limits.max_line) {}

  ReadResult read() {
    if (auto known = read_titles(); !known) return known;
    reading_.sink.resolution(Duration::picoseconds(std::min<std::int64_t>(unit_, 1000)));  // fractions are possible
    while (const auto line = lines_.next()) {
      reading_.advance();
      if (!reading_.names.complete()) return {};
      if (line->text.empty()) continue;
      const Place place{line->number, 0};
      if (const std::string wrong = line->too_long ? "the line is too long" : execution(line->text, place);
          !wrong.empty())
        reading_.sink.problem({Problem::Kind::malformed, wrong, place});
    }
    return {};
  }

 private:
  /// Which columns hold what, from --columns and the first line.
  ReadResult read_titles() {
    std::vector<std::string> titles;
    const auto line = lines_.next();
    if (!line || !split_csv(line->text, titles)) return tl::unexpected<std::string>("it has no line of titles");
    count_ = titles.size();
    places_.fill(count_);
    std::vector<std::string> stated;
    split_csv(reading_.input.columns, stated);
    for (const std::string& one : stated) {
      const std::size_t equals = one.find('=');
      const std::string key = one.substr(0, equals), title = equals == one.npos ? "" : one.substr(equals + 1);
      if (key == "unit") {
        unit_ = unit_of_time(title);
        if (unit_ == 0) return tl::unexpected(fmt::format("--columns {}: expected ps, ns, us, ms or s", one));
        continue;
      }
      const auto known = std::find(keys.begin(), keys.end(), key);
      if (known == keys.end() || title.empty())
        return tl::unexpected(
            fmt::format("--columns {}: expected name=, start=, end=, duration= and a title, or unit=", one));
      const auto found = std::find(titles.begin(), titles.end(), title);
      if (found == titles.end())
        return tl::unexpected(
            fmt::format("it has no column \"{}\"; there are \"{}\"", title, fmt::join(titles, "\", \"")));
      places_[static_cast<std::size_t>(known - keys.begin())] = static_cast<std::size_t>(found - titles.begin());
    }
    if (!has(name) || (!has(duration) && !(has(start) && has(end))))
      return tl::unexpected<std::string>("--columns needs name= and either duration=, or start= and end=");
    for (const Column column : {start, end, duration}) {
      units_[column] = unit_;
      if (!has(column) || unit_ > 0) continue;
      units_[column] = unit_of_title(titles[places_[column]]);
      if (units_[column] == 0)
        return tl::unexpected(fmt::format("the title \"{}\" has no unit; add one to --columns, such as unit=us",
                                          titles[places_[column]]));
    }
    unit_ = units_[has(duration) ? duration : end];
    clock_.set_unit(has(start) ? units_[start] : 1);
    return {};
  }

  bool has(Column column) const { return places_[column] < count_; }

  /// Whole units exactly; fractions to the nearest picosecond.
  bool read_time(Column column, Duration& time) const {
    const std::string& text = fields_[places_[column]];
    double value = 0;
    const char* const stop = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), stop, value);
    const double picoseconds = value * static_cast<double>(units_[column]);
    if (error != std::errc{} || at != stop || !(picoseconds >= 0) ||
        picoseconds > static_cast<double>(longest_simulation.picoseconds()))
      return false;
    time = Duration::picoseconds(std::llround(picoseconds));
    return true;
  }

  std::string execution(std::string_view line, Place place) {
    if (!split_csv(line, fields_) || fields_.size() != count_)
      return fmt::format("it has {} fields; expected the {} columns of the first line", fields_.size(), count_);
    Event event;
    event.what = Event::What::execution;
    event.place = place;
    Duration length;
    event.from = last_;
    if (has(start) && !clock_.read(fields_[places_[start]], event.from)) {
      Duration begin;
      if (!read_time(start, begin)) return fmt::format("the start \"{}\" is no time", fields_[places_[start]]);
      event.from = Instant::at(begin);
    }
    if (has(duration) && !read_time(duration, length))
      return fmt::format("the duration \"{}\" is no time", fields_[places_[duration]]);
    event.time = event.from + length;
    if (!has(duration)) {
      Duration stop;
      if (!clock_.read(fields_[places_[end]], event.time)) {
        if (!read_time(end, stop)) return fmt::format("the end \"{}\" is no time", fields_[places_[end]]);
        event.time = Instant::at(stop);
      }
      if (event.time < event.from) return "it ends before it starts";
    }
    last_ = event.time;
    if (fields_[places_[name]].empty()) return "it has no name";
    event.target = reading_.names.find(EntityKind::process, fields_[places_[name]]);
    if (event.target != no_entity) reading_.event(event);
    return {};
  }

  Reading& reading_;
  LineReader lines_;
  std::array<std::size_t, column_count> places_{};
  std::array<std::int64_t, column_count> units_{};
  std::int64_t unit_ = 0;  ///< of all; 0: those of the titles
  std::size_t count_ = 0;
  Clock clock_{1000};
  Instant last_;  ///< without starts, each follows the one before
  std::vector<std::string> fields_;
};

}  // namespace

ReadResult read_columns(Reading& reading) { return ColumnsReader(reading).read(); }

}  // namespace amalthea::traces
