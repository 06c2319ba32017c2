// SPDX-License-Identifier: Apache-2.0
#include "batch/detail/summary_sqlite.hpp"

#include <fstream>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exporter/primitives/database.hpp"
#include "exporter/primitives/new_file.hpp"
#include "exporter/primitives/outside_json.hpp"

namespace amalthea::batch {
namespace {

using exporter::Database;

constexpr const char* tables =
    "CREATE TABLE models (model INTEGER PRIMARY KEY, files TEXT, status TEXT, verdict TEXT, guaranteed INTEGER, "
    "met INTEGER, unknown INTEGER, unbounded INTEGER, missed INTEGER, errors INTEGER, warnings INTEGER, why TEXT, "
    "cause TEXT);"
    "CREATE TABLE tasks (model INTEGER REFERENCES models, name TEXT, core TEXT, period_ps INTEGER, deadline_ps INTEGER,"
    " wcrt_ps INTEGER, max_ps INTEGER, verdict TEXT, guaranteed INTEGER, reason TEXT);";

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

/// The value of a key, or null.
const nlohmann::json& value_at(const nlohmann::json& object, const char* key) {
  static const nlohmann::json none;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() ? *found : none;
}

void add_tasks(Database& database, const std::string& lines) {
  const std::size_t insertion = database.prepare("INSERT INTO tasks VALUES (?,?,?,?,?,?,?,?,?,?)");
  const auto time = [](const nlohmann::json& value) {
    return value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
  };
  const auto text = [](const nlohmann::json& value) {
    return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
  };
  std::ifstream file(lines, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    const auto json = exporter::outside_json<nlohmann::json>(line);
    if (!json) continue;
    for (const auto& task : value_at(value_at(*json, "results"), "tasks")) {
      const auto& guaranteed = value_at(task, "guaranteed");
      // simulate calls it the response.
      const auto& simulated = value_at(task, "simulated");
      const auto& longest = value_at(simulated.is_null() ? value_at(task, "response") : simulated, "max_ps");
      database.insert(
          insertion, time(value_at(*json, "index")), text(value_at(task, "name")), text(value_at(task, "core")),
          time(value_at(task, "period_ps")), time(value_at(task, "deadline_ps")),
          time(value_at(value_at(task, "bound"), "wcrt_ps")), time(longest), text(value_at(task, "verdict")),
          guaranteed.is_boolean() ? std::optional<std::int64_t>(guaranteed.get<bool>() ? 1 : 0) : std::nullopt,
          text(value_at(task, "reason")));
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
  database.run(tables);
  add_models(database, summary);
  if (!lines.empty()) add_tasks(database, lines);
  if (const auto closed = database.close(); !closed)
    return tl::unexpected(fmt::format("cannot write {}: {}", path, closed.error()));
  return file->commit();
}

}  // namespace amalthea::batch
