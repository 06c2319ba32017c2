// SPDX-License-Identifier: Apache-2.0
#include "exporter/primitives/database.hpp"

#include <type_traits>
#include <utility>

#include <sqlite3.h>

namespace amalthea::exporter {

Database::Database(const std::string& path) {
  // No other process opens the new file, and a lock of SQLite could conflict with the lock that NewFile holds.
  note(sqlite3_open_v2(path.c_str(), &connection_, SQLITE_OPEN_READWRITE, "unix-none"));
  // The file is not used before it is complete, so rollback is not needed. Every entity's table of a trace grows at its
  // own end: 32 MiB of cache hold the ends of some thousand tables.
  run("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-32768; "
      "BEGIN;");
}

Database::~Database() {
  for (sqlite3_stmt* statement : statements_) sqlite3_finalize(statement);
  sqlite3_close(connection_);
}

void Database::run(const std::string& sql) {
  if (error_.empty()) note(sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr));
}

std::size_t Database::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (error_.empty())
    note(sqlite3_prepare_v3(connection_, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr));
  statements_.push_back(statement);
  return statements_.size() - 1;
}

void Database::insert_row(std::size_t index, const std::vector<Value>& values) {
  if (!error_.empty()) return;
  int position = 0;
  for (const Value& value : values) {
    ++position;
    std::visit(
        [&](const auto& is) {
          if constexpr (std::is_same_v<std::decay_t<decltype(is)>, std::monostate>)
            bind_null(statements_[index], position);
          else
            bind(statements_[index], position, is);
        },
        value);
  }
  step(statements_[index]);
}

std::uint64_t Database::size() {
  std::uint64_t size = 1;
  for (const char* factor : {"PRAGMA page_count", "PRAGMA page_size"}) {
    sqlite3_stmt* statement = nullptr;
    if (!error_.empty() || sqlite3_prepare_v2(connection_, factor, -1, &statement, nullptr) != SQLITE_OK) return 0;
    size *= sqlite3_step(statement) == SQLITE_ROW ? static_cast<std::uint64_t>(sqlite3_column_int64(statement, 0)) : 0;
    sqlite3_finalize(statement);
  }
  return size;
}

tl::expected<void, std::string> Database::close() {
  run("COMMIT;");
  for (sqlite3_stmt*& statement : statements_) sqlite3_finalize(std::exchange(statement, nullptr));
  if (error_.empty()) note(sqlite3_close(std::exchange(connection_, nullptr)));
  if (!error_.empty()) return tl::unexpected(error_);
  return {};
}

void Database::bind(sqlite3_stmt* statement, int position, std::int64_t value) {
  sqlite3_bind_int64(statement, position, value);
}

void Database::bind(sqlite3_stmt* statement, int position, double value) {
  sqlite3_bind_double(statement, position, value);
}

void Database::bind(sqlite3_stmt* statement, int position, const std::string& value) {
  sqlite3_bind_text(statement, position, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
}

void Database::bind_null(sqlite3_stmt* statement, int position) { sqlite3_bind_null(statement, position); }

void Database::step(sqlite3_stmt* statement) {
  if (sqlite3_step(statement) != SQLITE_DONE) note(SQLITE_ERROR);
  sqlite3_reset(statement);
}

void Database::note(int code) {
  if (code != SQLITE_OK && error_.empty()) error_ = connection_ != nullptr ? sqlite3_errmsg(connection_) : "SQLite";
}

}  // namespace amalthea::exporter
