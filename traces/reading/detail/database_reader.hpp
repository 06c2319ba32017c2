// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// An SQLite database that somebody else made: read only, and nothing of it is executed.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

struct sqlite3;
struct sqlite3_stmt;

namespace amalthea::traces {

inline bool is_database(std::string_view beginning) { return beginning.starts_with("SQLite format 3"); }

/// The rows of a query, one after the other. After an error there are none, and `error` states why.
class Rows {
 public:
  Rows(sqlite3* database, sqlite3_stmt* statement) : database_(database), statement_(statement) {}
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
  std::string error_;
};

class DatabaseReader {
 public:
  static tl::expected<DatabaseReader, std::string> open(const std::string& path);
  DatabaseReader(DatabaseReader&& other) noexcept;
  DatabaseReader& operator=(DatabaseReader&&) = delete;
  ~DatabaseReader();

  /// The error is that of the database: a table or a column is missing, or it is damaged.
  tl::expected<Rows, std::string> query(const std::string& sql) const;
  bool has_table(std::string_view name) const;
  bool has_column(std::string_view table, std::string_view column) const;

 private:
  explicit DatabaseReader(sqlite3* connection) : connection_(connection) {}
  sqlite3* connection_;
};

/// A name in double quotes.
std::string quoted_name(std::string_view name);

}  // namespace amalthea::traces
