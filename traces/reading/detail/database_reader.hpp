// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// An SQLite database that somebody else made: read only, nothing of it is executed, and in bounded work.
/// Beside it no file appears. What is refused: views, virtual tables, generated columns and recursion, as they compute
/// instead of store; a database whose newest content still is in its write-ahead log or its rollback journal.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <tl/expected.hpp>

struct sqlite3;
struct sqlite3_stmt;

namespace amalthea::traces {

inline bool is_database(std::string_view beginning) { return beginning.starts_with("SQLite format 3"); }

/// What the queries of one database have used, and may use together.
struct DatabaseWork {
  std::uint64_t steps = 0, most_steps = 0;          ///< of SQLite's machine
  std::int64_t memory_before = 0, most_memory = 0;  ///< bytes
  std::uint64_t text_bytes = 0, most_text = 0;      ///< of all texts; rows of a forged file can share them
  std::string exceeded;                             ///< which of them, as an error
};

/// The rows of a query, one after the other. After an error there are none, and `error` states why.
class Rows {
 public:
  Rows(sqlite3* database, sqlite3_stmt* statement, DatabaseWork& work)
      : database_(database), statement_(statement), work_(&work) {}
  Rows(Rows&& other) noexcept;
  Rows& operator=(Rows&&) = delete;
  ~Rows();

  bool next();
  bool is_null(int column) const;
  std::int64_t number(int column) const;
  /// Valid until the next row.
  std::string_view text(int column) const;
  const std::string& error() const { return error_; }

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_;
  DatabaseWork* work_;
  std::string error_;
};

class DatabaseReader {
 public:
  static tl::expected<DatabaseReader, std::string> open(const std::string& path);
  DatabaseReader(DatabaseReader&& other) noexcept;
  DatabaseReader& operator=(DatabaseReader&&) = delete;
  ~DatabaseReader();

  /// A query that reads these tables. The error is that of the database: a table or a column is missing or computed, or
  /// the database is damaged.
  tl::expected<Rows, std::string> query(const std::string& sql, std::initializer_list<std::string_view> tables) const;
  /// Whether it has a table of this name. True also for a view, whose queries are errors.
  bool has_table(std::string_view name) const;
  bool has_column(std::string_view table, std::string_view column) const;

 private:
  explicit DatabaseReader(sqlite3* connection) : connection_(connection), work_(std::make_unique<DatabaseWork>()) {}
  tl::expected<Rows, std::string> prepare(const std::string& sql) const;
  bool is_view(std::string_view name) const;
  sqlite3* connection_;
  std::unique_ptr<DatabaseWork> work_;
  std::unordered_set<std::string> views_;  ///< in lower case
};

/// The texts of a table by their numbers; of a number that stands twice the first one. The error is also that they take
/// more than 256 MiB.
using NumberedTexts = std::unordered_map<std::int64_t, std::string>;
tl::expected<void, std::string> read_texts(const DatabaseReader& database, std::string_view table,
                                           std::string_view number, std::string_view text, NumberedTexts& texts);

/// A name in double quotes.
std::string quoted_name(std::string_view name);

}  // namespace amalthea::traces
