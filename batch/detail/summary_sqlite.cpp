// SPDX-License-Identifier: Apache-2.0
#include "batch/detail/summary_sqlite.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exporter/primitives/database.hpp"
#include "exporter/primitives/new_file.hpp"
#include "exporter/primitives/outside_json.hpp"

namespace amalthea::batch {
namespace {

using exporter::Database;

using nlohmann::json;

constexpr const char* models =
    "CREATE TABLE models (model INTEGER PRIMARY KEY, files TEXT, status TEXT, verdict TEXT, guaranteed INTEGER, "
    "met INTEGER, unknown INTEGER, unbounded INTEGER, missed INTEGER, errors INTEGER, warnings INTEGER, why TEXT, "
    "cause TEXT);";

/// A column of a table, and the keys that lead to its value from an entry: "bound.wcrt_ps". Of several ones, separated by
/// blanks, the first that is there.
struct Column {
  std::string_view name, type, keys;
};

/// A table with a row for each entry of the lists at `lists` in the lines of a batch.
struct Table {
  std::string_view name, lists;
  std::vector<Column> columns;
};

// simulate calls it the response.
const std::array<Table, 8>& tables() {
  static const std::array<Table, 8> all{
      {{"tasks",
        "results.tasks",
        {{"name", "TEXT", "name"},
         {"core", "TEXT", "core"},
         {"period_ps", "INTEGER", "period_ps"},
         {"deadline_ps", "INTEGER", "deadline_ps"},
         {"wcrt_ps", "INTEGER", "bound.wcrt_ps"},
         {"max_ps", "INTEGER", "simulated.max_ps response.max_ps"},
         {"verdict", "TEXT", "verdict"},
         {"guaranteed", "INTEGER", "guaranteed"},
         {"reason", "TEXT", "reason"},
         {"no_bound_because", "TEXT", "bound.reason"}}},
       {"chains",
        "results.chains",
        {{"name", "TEXT", "name"},
         {"source", "TEXT", "source"},
         {"tasks", "TEXT", "tasks"},
         {"implicit_reaction_ps", "INTEGER", "implicit.reaction_ps"},
         {"explicit_reaction_ps", "INTEGER", "explicit.reaction_ps"},
         {"let_reaction_ps", "INTEGER", "let.reaction_ps"},
         {"implicit_age_ps", "INTEGER", "implicit.age_ps"},
         {"explicit_age_ps", "INTEGER", "explicit.age_ps"},
         {"let_age_ps", "INTEGER", "let.age_ps"},
         {"reaction_ps", "INTEGER", "simulated.reaction_ps"},
         {"age_ps", "INTEGER", "simulated.age_ps"}}},
       {"requirements",
        "results.requirements",
        {{"name", "TEXT", "name"},
         {"kind", "TEXT", "kind"},
         {"subject", "TEXT", "subject"},
         {"severity", "TEXT", "severity"},
         {"metric", "TEXT", "metric"},
         {"limit_type", "TEXT", "limit_type"},
         {"limit_ps", "INTEGER", "limit_ps"},
         {"observed_ps", "INTEGER", "observed_ps"},
         {"bound_ps", "INTEGER", "bound_ps"},
         {"verdict", "TEXT", "verdict"},
         {"guaranteed", "INTEGER", "guaranteed"},
         {"reason", "TEXT", "reason"}}},
       {"constraints",
        "results.constraints",
        {{"name", "TEXT", "name"},
         {"class", "TEXT", "class"},
         {"verdict", "TEXT", "verdict"},
         {"guaranteed", "INTEGER", "guaranteed"},
         {"reason", "TEXT", "reason"}}},
       {"resources",
        "results.resources",
        {{"name", "TEXT", "name"},
         {"kind", "TEXT", "kind"},
         {"utilization", "REAL", "utilization.mean utilization"},
         {"demand", "REAL", "demand"},
         {"verdict", "TEXT", "verdict"}}},
       {"assumptions",
        "results.assumptions",
        {{"rule", "TEXT", "rule"}, {"count", "INTEGER", "count"}, {"text", "TEXT", "text"}}},
       {"causes",
        "results.causes.list",
        {{"kind", "TEXT", "kind"},
         {"summary", "TEXT", "summary"},
         {"text", "TEXT", "text"},
         {"explains", "INTEGER", "explains"},
         {"failing_with", "INTEGER", "with.failing"},
         {"without_guarantee_with", "INTEGER", "with.without_guarantee"},
         {"file", "TEXT", "file"},
         {"line", "INTEGER", "line"}}},
       {"findings",
        "results.findings messages",
        {{"rule", "TEXT", "rule"},
         {"severity", "TEXT", "severity"},
         {"message", "TEXT", "message"},
         {"file", "TEXT", "file"},
         {"line", "INTEGER", "line"},
         {"column", "INTEGER", "column"},
         {"path", "TEXT", "path"}}}}};
  return all;
}

std::string quoted(std::string_view name) { return fmt::format("\"{}\"", name); }

void add_models(Database& database, const Summary& summary) {
  const std::size_t insertion = database.prepare("INSERT INTO models VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)");
  const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  for (const Summary::Row& row : summary.rows())
    database.insert(insertion, number(row.index), summary.title(row), row.status, std::string(to_string(row.verdict)),
                    number(row.counts.guaranteed), number(row.counts.met), number(row.counts.unknown),
                    number(row.counts.unbounded), number(row.counts.missed), number(row.counts.errors),
                    number(row.counts.warnings), row.why.empty() ? std::nullopt : std::optional(row.why),
                    row.cause.empty() ? std::nullopt : std::optional(row.cause));
}

/// What the first of the keys that is there leads to; nothing: none is.
const json* found_at(const json& entry, std::string_view keys) {
  while (!keys.empty()) {
    std::string_view path = keys.substr(0, keys.find(' '));
    keys.remove_prefix(std::min(keys.size(), path.size() + 1));
    const json* value = &entry;
    while (value != nullptr && !path.empty()) {
      const std::string_view key = path.substr(0, path.find('.'));
      path.remove_prefix(std::min(path.size(), key.size() + 1));
      const auto member = value->is_object() ? value->find(key) : value->end();
      value = value->is_object() && member != value->end() ? &*member : nullptr;
    }
    if (value != nullptr) return value;
  }
  return nullptr;
}

/// Names of a list stand in one text, such as "Sense -> Act". What has another type than its column is NULL.
Database::Value value_for(const Column& column, const json* value) {
  if (value == nullptr) return {};
  if (column.type == "INTEGER") {
    if (value->is_boolean()) return std::int64_t{value->get<bool>() ? 1 : 0};
    return value->is_number_integer() ? Database::Value(value->get<std::int64_t>()) : Database::Value();
  }
  if (column.type == "REAL") return value->is_number() ? Database::Value(value->get<double>()) : Database::Value();
  if (value->is_string()) return value->get<std::string>();
  if (!value->is_array()) return {};
  std::string names;
  for (const json& one : *value)
    if (one.is_string()) names += (names.empty() ? "" : " -> ") + one.get<std::string>();
  return names;
}

void add_entries(Database& database, const std::string& lines) {
  std::vector<std::size_t> insertions;
  for (const Table& table : tables()) {
    std::string columns, places;
    for (const Column& column : table.columns) {
      columns += fmt::format(", {} {}", quoted(column.name), column.type);
      places += ",?";
    }
    database.run(fmt::format("CREATE TABLE {} (model INTEGER REFERENCES models{});", quoted(table.name), columns));
    insertions.push_back(database.prepare(fmt::format("INSERT INTO {} VALUES (?{})", quoted(table.name), places)));
  }
  std::ifstream file(lines, std::ios::binary);
  std::vector<Database::Value> row;
  for (std::string line; std::getline(file, line);) {
    const auto record = exporter::outside_json<json>(line);
    if (!record) continue;
    const Database::Value model = value_for({"model", "INTEGER", ""}, found_at(*record, "index"));
    for (std::size_t number = 0; number < insertions.size(); ++number) {
      const json* entries = found_at(*record, tables()[number].lists);
      if (entries == nullptr || !entries->is_array()) continue;
      for (const json& entry : *entries) {
        row.assign(1, model);
        for (const Column& column : tables()[number].columns)
          row.push_back(value_for(column, found_at(entry, column.keys)));
        database.insert_row(insertions[number], row);
      }
    }
  }
}

}  // namespace

tl::expected<void, std::string> write_database(const std::string& path, const Summary& summary,
                                               const std::string& lines) {
  auto file = exporter::NewFile::create(path);
  if (!file) return tl::unexpected(file.error());
  if (file->temporary().empty())
    return tl::unexpected(fmt::format("cannot write {}: expected a regular file for the database", path));
  Database database(file->temporary());
  database.run(models);
  add_models(database, summary);
  if (!lines.empty()) add_entries(database, lines);
  if (const auto closed = database.close(); !closed)
    return tl::unexpected(fmt::format("cannot write {}: {}", path, closed.error()));
  return file->commit();
}

}  // namespace amalthea::batch
