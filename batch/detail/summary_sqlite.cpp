// SPDX-License-Identifier: Apache-2.0
#include "batch/detail/summary_sqlite.hpp"

#include <fstream>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exporter/primitives/database.hpp"
#include "exporter/primitives/new_file.hpp"

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
    auto json = nlohmann::json::parse(line);
    if (!json.contains("results")) continue;
    for (auto& task : json["results"]["tasks"]) {
      const auto& guaranteed = task["guaranteed"];
      // simulate calls it the response.
      const auto& observed = task["simulated"].is_null() ? task["response"] : task["simulated"];
      const auto& longest = observed.is_object() && observed.contains("max_ps") ? observed["max_ps"] : nlohmann::json();
      database.insert(insertion, json["index"].get<std::int64_t>(), text(task["name"]), text(task["core"]),
                      time(task["period_ps"]), time(task["deadline_ps"]), time(task["bound"]["wcrt_ps"]), time(longest),
                      text(task["verdict"]),
                      guaranteed.is_null() ? std::nullopt : std::optional<std::int64_t>(guaranteed.get<bool>() ? 1 : 0),
                      text(task["reason"]));
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
