// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// An SQLite database that is filled once, as a new file.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

struct sqlite3;
struct sqlite3_stmt;

namespace amalthea::exporter {

/// The first failure is stored and returned by `close`; later calls have no effect.
class Database {
 public:
  explicit Database(const std::string& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql);
  /// Returns the number of a statement for `insert`.
  std::size_t prepare(const std::string& sql);
  /// Values are std::int64_t, std::string, or std::optional of these, with nothing as NULL.
  template <typename... Values>
  void insert(std::size_t index, const Values&... values) {
    if (!error_.empty()) return;
    sqlite3_stmt* statement = statements_[index];
    int position = 0;
    (bind(statement, ++position, values), ...);
    step(statement);
  }
  /// A value of a column; nothing is NULL.
  using Value = std::variant<std::monostate, std::int64_t, double, std::string>;
  /// The same with as many values as the statement has places.
  void insert_row(std::size_t index, const std::vector<Value>& values);
  /// Bytes of the pages so far.
  std::uint64_t size();
  tl::expected<void, std::string> close();

 private:
  static void bind(sqlite3_stmt* statement, int position, std::int64_t value);
  static void bind(sqlite3_stmt* statement, int position, double value);
  static void bind(sqlite3_stmt* statement, int position, const std::string& value);
  static void bind_null(sqlite3_stmt* statement, int position);
  template <typename Value>
  static void bind(sqlite3_stmt* statement, int position, const std::optional<Value>& value) {
    if (value)
      bind(statement, position, *value);
    else
      bind_null(statement, position);
  }
  void step(sqlite3_stmt* statement);
  void note(int code);

  sqlite3* connection_ = nullptr;
  std::vector<sqlite3_stmt*> statements_;
  std::string error_;
};

}  // namespace amalthea::exporter
