// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Text common to traces of a simulation and of streams on a GPU.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace amalthea::exporter {

/// The name of a BTF entity: readers split lines at commas and treat blanks as part of a name.
std::string btf_name(std::string_view name);

/// The name with the beginning by which Eclipse Trace Compass recognizes a core or a task.
std::string btf_core_name(const std::string& name);
std::string btf_task_name(const std::string& name);

/// Makes names unique: duplicates get "_2", "_3", …
class UniqueNames {
 public:
  std::string take(const std::string& name);

 private:
  std::set<std::string> taken_;
};

/// For formats that require a date: SOURCE_DATE_EPOCH if set, else the epoch, so that equal runs give equal files.
tl::expected<std::string, std::string> date_of_traces();

/// The first lines of a BTF file, up to and including "#entityTypeTable". `date`: ISO 8601 with time zone.
std::string btf_header(std::string_view date, std::string_view input);
/// Whole nanoseconds, rounded to nearest.
inline std::int64_t btf_time(std::int64_t picoseconds) { return (picoseconds + 500) / 1000; }

/// A JSON string with quotation marks; invalid UTF-8 is replaced.
std::string json_text(std::string_view text);
/// Times of trace event JSON are in microseconds, exact to the picosecond.
std::string json_microseconds(std::int64_t picoseconds);
/// Names a group of tracks (a process of the trace, thread 0) or a track.
std::string json_track_name(bool group, int process, std::size_t thread, std::string_view name);

}  // namespace amalthea::exporter
