// SPDX-License-Identifier: Apache-2.0
// SQLite exports of Nsight Systems (`nsys export --type sqlite`): kernels, copies and NVTX ranges.

#include <array>
#include <unordered_map>

#include <fmt/core.h>

#include "traces/reading/detail/database_reader.hpp"
#include "traces/reading/formats.hpp"

namespace amalthea::traces {
namespace {

constexpr std::string_view kernels = "CUPTI_ACTIVITY_KIND_KERNEL", copies = "CUPTI_ACTIVITY_KIND_MEMCPY",
                           memsets = "CUPTI_ACTIVITY_KIND_MEMSET", calls = "CUPTI_ACTIVITY_KIND_RUNTIME",
                           ranges = "NVTX_EVENTS", strings = "StringIds";

std::string_view copy_name(std::int64_t kind) {
  constexpr std::array<std::string_view, 11> names{"memcpy",      "memcpy HtoD", "memcpy DtoH", "memcpy HtoA",
                                                   "memcpy AtoH", "memcpy AtoA", "memcpy AtoD", "memcpy DtoA",
                                                   "memcpy DtoD", "memcpy HtoH", "memcpy PtoP"};
  return kind > 0 && kind < static_cast<std::int64_t>(names.size()) ? names[static_cast<std::size_t>(kind)] : names[0];
}

class NsightReader {
 public:
  NsightReader(Reading& reading, const DatabaseReader& database) : reading_(reading), database_(database) {}

  ReadResult read() {
    reading_.sink.resolution(Duration::nanoseconds(1));
    if (database_.has_table(strings))
      if (auto done = read_texts(database_, strings, "id", "value", strings_); !done) return done;
    const auto string = [this](const Rows& row, int column) {
      const auto found = row.is_null(column) ? strings_.end() : strings_.find(row.number(column));
      return found == strings_.end() ? std::string() : found->second;
    };
    if (database_.has_table(kernels)) {
      const std::string name = database_.has_column(kernels, "shortName") ? "a.shortName" : "a.demangledName";
      if (auto done = each_called(kernels, name, [&](const Rows& row) { return string(row, 2); }); !done) return done;
    }
    if (database_.has_table(copies))
      if (auto done =
              each_called(copies, "a.copyKind", [](const Rows& row) { return std::string(copy_name(row.number(2))); });
          !done)
        return done;
    if (database_.has_table(memsets))
      if (auto done = each_called(memsets, "0", [](const Rows&) { return std::string("memset"); }); !done) return done;
    if (!database_.has_table(ranges)) return {};
    const bool interned = database_.has_column(ranges, "textId");
    return each(ranges, {ranges},
                fmt::format("SELECT start, \"end\", text, NULL, rowid, {} FROM {} WHERE \"end\" IS NOT NULL "
                            "ORDER BY start",
                            interned ? "textId" : "NULL", ranges),
                [&](const Rows& row) { return row.is_null(2) ? string(row, 5) : std::string(row.text(2)); });
  }

 private:
  /// With the time at which the program called for it, by the number that both share.
  template <typename NameOf>
  ReadResult each_called(std::string_view table, std::string_view name, NameOf name_of) {
    const bool has_calls = database_.has_table(calls) && database_.has_column(calls, "correlationId") &&
                           database_.has_column(table, "correlationId");
    if (!has_calls)
      return each(table, {table},
                  fmt::format("SELECT a.start, a.\"end\", {}, NULL, a.rowid FROM {} a ORDER BY a.start", name, table),
                  name_of);
    return each(
        table, {table, calls},
        fmt::format("SELECT a.start, a.\"end\", {0}, called, a.rowid FROM {1} a LEFT JOIN (SELECT correlationId, "
                    "min(start) AS called FROM {2} GROUP BY correlationId) r ON r.correlationId = a.correlationId "
                    "ORDER BY a.start",
                    name, table, calls),
        name_of);
  }

  template <typename NameOf>
  ReadResult each(std::string_view table, std::initializer_list<std::string_view> tables, const std::string& sql,
                  NameOf name_of) {
    auto rows = database_.query(sql, tables);
    if (!rows) return tl::unexpected(fmt::format("table {}: {}", table, rows.error()));
    reading_.report.tables.emplace_back(table);
    while (rows->next() && reading_.names.complete()) {
      reading_.advance();
      Event event;
      event.what = Event::What::execution;
      event.place = {static_cast<std::uint64_t>(rows->number(4)),
                     static_cast<std::uint32_t>(reading_.report.tables.size())};
      const auto time = [&](int column, Instant& instant) {
        return rows->number(column) >= 0 && clock_.read(static_cast<std::uint64_t>(rows->number(column)), instant);
      };
      std::string name = name_of(*rows);
      if (name.empty()) name = fmt::format("{} without a name", table);
      if (!time(0, event.from) || !time(1, event.time) || event.time < event.from) {
        reading_.sink.problem({Problem::Kind::malformed,
                               fmt::format("start or end of {} is not a time below 26 days", name), event.place});
        continue;
      }
      event.has_submission = !rows->is_null(3) && time(3, event.submission) && event.submission <= event.from;
      event.target = reading_.names.find(EntityKind::process, name);
      if (event.target != no_entity) reading_.event(event);
    }
    if (!rows->error().empty())
      reading_.sink.problem({Problem::Kind::truncated,
                             fmt::format("the rest of the table cannot be read: {}", rows->error()),
                             {0, static_cast<std::uint32_t>(reading_.report.tables.size())}});
    return {};
  }

  Reading& reading_;
  const DatabaseReader& database_;
  std::unordered_map<std::int64_t, std::string> strings_;
  Clock clock_{1000};
};

}  // namespace

bool is_nsight(const std::string& path, std::string_view beginning) {
  if (!is_database(beginning)) return false;
  const auto database = DatabaseReader::open(path);
  return database && (database->has_table(kernels) || database->has_table(copies) || database->has_table(ranges));
}

ReadResult read_nsight(Reading& reading) {
  const auto database = DatabaseReader::open(reading.input.path);
  if (!database) return tl::unexpected(database.error());
  return NsightReader(reading, *database).read();
}

}  // namespace amalthea::traces
