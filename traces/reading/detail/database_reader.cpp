// SPDX-License-Identifier: Apache-2.0
#include "traces/reading/detail/database_reader.hpp"

#include <utility>

#include <fmt/core.h>
#include <sqlite3.h>

namespace amalthea::traces {

Rows::Rows(Rows&& other) noexcept
    : database_(other.database_),
      statement_(std::exchange(other.statement_, nullptr)),
      error_(std::move(other.error_)) {}

Rows::~Rows() { sqlite3_finalize(statement_); }

bool Rows::next() {
  if (!error_.empty()) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) error_ = sqlite3_errmsg(database_);
  return false;
}

bool Rows::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
std::int64_t Rows::number(int column) const { return sqlite3_column_int64(statement_, column); }
std::string_view Rows::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return text == nullptr ? std::string_view()
                         : std::string_view(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

tl::expected<DatabaseReader, std::string> DatabaseReader::open(const std::string& path) {
  sqlite3* connection = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &connection, SQLITE_OPEN_READONLY, nullptr);
  DatabaseReader reader(connection);
  if (code != SQLITE_OK) return tl::unexpected(fmt::format("the database cannot be opened: {}", sqlite3_errstr(code)));
  // As SQLite recommends for databases from elsewhere.
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_exec(connection, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA cache_size=-8000;", nullptr, nullptr,
               nullptr);
  constexpr int longest = 1 << 20;
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, longest);
  return reader;
}

DatabaseReader::DatabaseReader(DatabaseReader&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)) {}
DatabaseReader::~DatabaseReader() { sqlite3_close_v2(connection_); }

tl::expected<Rows, std::string> DatabaseReader::query(const std::string& sql) const {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(connection_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
    return tl::unexpected(std::string(sqlite3_errmsg(connection_)));
  return Rows(connection_, statement);
}

bool DatabaseReader::has_table(std::string_view name) const {
  return query(fmt::format("SELECT 1 FROM {} LIMIT 0", quoted_name(name))).has_value();
}

bool DatabaseReader::has_column(std::string_view table, std::string_view column) const {
  auto rows = query(fmt::format("PRAGMA table_info({})", quoted_name(table)));
  while (rows && rows->next())
    if (rows->text(1) == column) return true;
  return false;
}

std::string quoted_name(std::string_view name) {
  std::string out = "\"";
  for (const char character : name) {
    if (character == '"') out += '"';
    out += character;
  }
  return out + '"';
}

}  // namespace amalthea::traces
