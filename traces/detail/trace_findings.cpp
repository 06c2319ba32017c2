// SPDX-License-Identifier: Apache-2.0
#include "traces/detail/trace_findings.hpp"

#include <limits>
#include <string_view>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"

namespace amalthea::traces {
namespace {

struct KindOfFinding {
  std::string_view id;
  Severity severity;
};

constexpr std::array<KindOfFinding, static_cast<std::size_t>(TraceFinding::count)> kinds{{
    {"AM0901", Severity::error},
    {"AM0902", Severity::warning},
    {"AM0903", Severity::error},
    {"AM0904", Severity::error},
    {"AM0905", Severity::warning},
    {"AM0906", Severity::warning},
    {"AM0907", Severity::error},
    {"AM0908", Severity::error},
    {"AM0909", Severity::error},
    {"AM0910", Severity::error},
    {"AM0911", Severity::warning},
    {"AM0912", Severity::warning},
    {"AM0913", Severity::warning},
    {"AM0914", Severity::error},
    {"AM0915", Severity::warning},
}};

}  // namespace

void TraceFindings::begin(const std::string& path, const std::vector<std::string>* tables) {
  path_ = path;
  tables_ = tables;
  counts_ = {};
}

void TraceFindings::add(TraceFinding kind, const Place& place, std::string message) {
  const bool needs_mapping =
      kind == TraceFinding::foreign_core || kind == TraceFinding::less_urgent || kind == TraceFinding::long_execution;
  if (needs_mapping && !mapped_) return;
  const auto index = static_cast<std::size_t>(kind);
  ++totals_[index];
  if (++counts_[index] > listed) return;
  Location location;
  location.file = path_;
  if (place.table > 0 && tables_ != nullptr && place.table <= tables_->size()) {
    message += fmt::format(" (row {} of {})", place.line, (*tables_)[place.table - 1]);
  } else if (place.line <= std::numeric_limits<std::uint32_t>::max()) {
    location.line = static_cast<std::uint32_t>(place.line);
    location.column = place.line > 0 ? 1 : 0;
  }
  diagnostics_.add(kinds[index].id, kinds[index].severity, std::move(message), std::move(location));
}

void TraceFindings::add(const Problem& problem) {
  if (problem.kind == Problem::Kind::truncated)
    add(TraceFinding::truncated, problem.place, problem.message + "; it is read to its last whole event");
  else
    add(TraceFinding::malformed, problem.place, problem.message + "; it is left out");
}

void TraceFindings::end() {
  for (std::size_t index = 0; index < counts_.size(); ++index)
    if (counts_[index] > listed)
      diagnostics_.add("AM0919", Severity::note,
                       fmt::format("{} more findings {} are not listed", counts_[index] - listed, kinds[index].id),
                       {path_, 0, 0}, {}, counts_[index] - listed);
}

std::uint64_t TraceFindings::total() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : totals_) sum += count;
  return sum;
}

}  // namespace amalthea::traces
