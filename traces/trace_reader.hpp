// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Traces of targets and simulations as events, one format per file in reading/. A new format is one more file and one
/// line in trace_reader.cpp. docs/reference/traces.md describes what is read of each.
///
/// A trace is read from its beginning to its end once, in memory that depends on the number of its names and not on its
/// length. Text may be compressed by gzip. Traces are untrusted input: a line that cannot be read is reported and left
/// out, and a trace that ends within a line is read to its last whole event.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "traces/event.hpp"

namespace amalthea::traces {

/// A part of a trace that is not an event.
struct Problem {
  enum class Kind : std::uint8_t {
    malformed,  ///< left out
    truncated,  ///< the trace ends here, within an event
  };
  Kind kind = Kind::malformed;
  std::string message;  ///< what is wrong and what was expected
  Place place;
};

/// Receives a trace in its order.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  /// The unit of its times, which are rounded to it; before the first event, unless it is 1 ps.
  virtual void resolution(Duration /*unit*/) {}
  /// Before the first event of the entity. Entities are numbered in the order of these calls.
  virtual void entity(const Entity& entity) = 0;
  virtual void event(const Event& event) = 0;
  virtual void problem(const Problem& problem) = 0;
};

struct ReadLimits {
  std::size_t max_names = 1'000'000;             ///< of entities
  std::size_t max_line = std::size_t{1} << 20U;  ///< bytes of a line, or of one value of JSON
};

/// Called now and then with how much of the trace has been read, and how much there is; 0: unknown.
using Progress = std::function<void(std::uint64_t done, std::uint64_t of)>;

struct TraceReport {
  std::string format;               ///< "BTF", "ATDB", …
  std::vector<std::string> tables;  ///< of a database, for Place::table
  std::uint64_t events = 0;
  std::uint64_t ignored = 0;  ///< events of kinds that say nothing about a model
};

struct TraceInput {
  std::string path;  ///< "-" is standard input
  ReadLimits limits = {};
  Progress progress = {};
  /// Of a CSV that no format recognizes, which columns hold what: "name=Kernel,start=Start (ns),duration=Duration (ns)". A
  /// unit that a title lacks is stated by "unit=us". Without starts, each execution follows the one before.
  std::string columns = {};
};

/// The error states why nothing can be read: the file cannot be opened, or no format is recognized. Memory that a limit
/// refuses is an error, too.
/// `report` is filled while the trace is read: with its tables before the first event of one.
tl::expected<void, std::string> read_trace(const TraceInput& input, TraceSink& sink, TraceReport& report);

/// "trace.btf:17", or "trace.atdb, row 3 of Control:T:4_Event".
std::string text_of(const Place& place, std::string_view path, const std::vector<std::string>& tables);

}  // namespace amalthea::traces
