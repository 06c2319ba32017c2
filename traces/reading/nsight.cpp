// SPDX-License-Identifier: Apache-2.0
// SQLite exports of Nsight Systems (`nsys export --type sqlite`): kernels, copies and NVTX ranges.

#include <array>

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
    const bool has_calls = database_.has_table(calls) && database_.has_column(calls, "correlationId");
    // When the program called for it, by the number that both share.
    const auto with_calls = [&](std::string_view table) {
      return has_calls && database_.has_column(table, "correlationId")
                 ? fmt::format(
                       "{0} a LEFT JOIN (SELECT correlationId, min(start) AS called FROM {1} GROUP BY correlationId) r "
                       "ON "
                       "r.correlationId = a.correlationId",
                       table, calls)
                 : fmt::format("(SELECT *, rowid, NULL AS called FROM {}) a", table);
    };
    if (database_.has_table(kernels)) {
      const std::string_view name = database_.has_column(kernels, "shortName") ? "shortName" : "demangledName";
      if (auto done = each(kernels,
                           fmt::format("SELECT a.start, a.\"end\", s.value, called, a.rowid FROM {} LEFT JOIN {} s ON "
                                       "s.id = a.{} ORDER BY a.start",
                                       with_calls(kernels), strings, name),
                           [](const Rows& row) { return std::string(row.text(2)); });
          !done)
        return done;
    }
    for (const std::string_view table : {copies, memsets}) {
      if (!database_.has_table(table)) continue;
      const bool is_copy = table == copies;
      if (auto done = each(table,
                           fmt::format("SELECT a.start, a.\"end\", {}, called, a.rowid FROM {} ORDER BY a.start",
                                       is_copy ? "a.copyKind" : "0", with_calls(table)),
                           [&](const Rows& row) { return std::string(is_copy ? copy_name(row.number(2)) : "memset"); });
          !done)
        return done;
    }
    if (database_.has_table(ranges)) {
      const bool interned = database_.has_column(ranges, "textId") && database_.has_table(strings);
      if (auto done =
              each(ranges,
                   fmt::format("SELECT a.start, a.\"end\", {}, NULL, a.rowid FROM {} a {} WHERE a.\"end\" IS NOT NULL "
                               "ORDER BY a.start",
                               interned ? "coalesce(a.text, s.value)" : "a.text", ranges,
                               interned ? fmt::format("LEFT JOIN {} s ON s.id = a.textId", strings) : ""),
                   [](const Rows& row) { return std::string(row.text(2)); });
          !done)
        return done;
    }
    return {};
  }

 private:
  template <typename NameOf>
  ReadResult each(std::string_view table, const std::string& sql, NameOf name_of) {
    auto rows = database_.query(sql);
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
