// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Text that traces have in common, of a simulation and of streams on a GPU.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace amalthea::exporter {

/// As an entity of BTF is named: readers split lines at commas and take blanks for part of a name.
std::string btf_name(std::string_view name);

/// Names of which no two are the same: what comes again gets "_2", "_3", …
class UniqueNames {
 public:
  std::string take(const std::string& name);

 private:
  std::set<std::string> taken_;
};

/// The first lines of a BTF file, up to and with "#entityTypeTable". `date`: ISO 8601 with zone.
std::string btf_header(std::string_view date, std::string_view input);
/// Whole nanoseconds, rounded to nearest.
inline std::int64_t btf_time(std::int64_t picoseconds) { return (picoseconds + 500) / 1000; }

/// A string of JSON, with its quotation marks; what is no UTF-8 is replaced.
std::string json_text(std::string_view text);
/// Times of trace event JSON are microseconds; exact to the picosecond.
std::string json_microseconds(std::int64_t picoseconds);
/// Names a group of tracks (a process of the trace, thread 0) or a track.
std::string json_track_name(bool group, int process, std::size_t thread, std::string_view name);

}  // namespace amalthea::exporter
