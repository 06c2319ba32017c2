#include "batch/summary_sqlite.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include <fmt/core.h>
#include <sqlite3.h>
#include <nlohmann/json.hpp>

namespace amalthea::batch {
namespace {

class Database {
 public:
  explicit Database(const std::string& path) { check(sqlite3_open(path.c_str(), &handle_)); }
  ~Database() { sqlite3_close(handle_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const char* text) { check(sqlite3_exec(handle_, text, nullptr, nullptr, nullptr)); }
  void check(int code) const {
    if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW)
      throw std::runtime_error(handle_ == nullptr ? "no memory" : sqlite3_errmsg(handle_));
  }
  sqlite3* handle() const { return handle_; }

 private:
  sqlite3* handle_ = nullptr;
};

class Insertion {
 public:
  Insertion(const Database& database, const char* text) : database_(database) {
    database.check(sqlite3_prepare_v2(database.handle(), text, -1, &statement_, nullptr));
  }
  ~Insertion() { sqlite3_finalize(statement_); }
  Insertion(const Insertion&) = delete;
  Insertion& operator=(const Insertion&) = delete;

  Insertion& add(std::int64_t number) {
    database_.check(sqlite3_bind_int64(statement_, ++at_, number));
    return *this;
  }
  Insertion& add(std::string_view text) {
    database_.check(sqlite3_bind_text64(statement_, ++at_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
    return *this;
  }
  /// NULL for null; numbers and booleans as numbers.
  Insertion& add_json(const nlohmann::json& value) {
    if (value.is_number_integer()) return add(value.get<std::int64_t>());
    if (value.is_boolean()) return add(std::int64_t{value.get<bool>() ? 1 : 0});
    if (value.is_string()) return add(std::string_view(value.get_ref<const std::string&>()));
    ++at_;  // stays NULL
    return *this;
  }
  void row() {
    database_.check(sqlite3_step(statement_));
    database_.check(sqlite3_reset(statement_));
    database_.check(sqlite3_clear_bindings(statement_));
    at_ = 0;
  }

 private:
  const Database& database_;
  sqlite3_stmt* statement_ = nullptr;
  int at_ = 0;
};

constexpr const char* tables =
    "CREATE TABLE models (model INTEGER PRIMARY KEY, files TEXT, status TEXT, verdict TEXT, met INTEGER, missed "
    "INTEGER,"
    " unbounded INTEGER, no_deadline INTEGER, errors INTEGER, warnings INTEGER, error TEXT);"
    "CREATE TABLE tasks (model INTEGER REFERENCES models, name TEXT, core TEXT, period_ps INTEGER, deadline_ps INTEGER,"
    " wcrt_ps INTEGER, max_ps INTEGER, verdict TEXT, guaranteed INTEGER, reason TEXT);";

void add_models(const Database& database, const std::vector<Record>& records) {
  Insertion insertion(database, "INSERT INTO models VALUES (?,?,?,?,?,?,?,?,?,?,?)");
  const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  for (const Record& record : records) {
    insertion.add(number(record.index)).add(title_of(record.files)).add(record.status).add(to_string(record.verdict));
    for (const std::uint64_t value : {record.counts.met, record.counts.missed, record.counts.unbounded,
                                      record.counts.no_deadline, record.counts.errors, record.counts.warnings})
      insertion.add(number(value));
    insertion.add_json(record.error.empty() ? nlohmann::json() : nlohmann::json(record.error)).row();
  }
}

void add_tasks(const Database& database, const std::string& lines) {
  Insertion insertion(database, "INSERT INTO tasks VALUES (?,?,?,?,?,?,?,?,?,?)");
  std::ifstream file(lines, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    const auto json = nlohmann::json::parse(line);
    if (!json.contains("results")) continue;
    for (const auto& task : json["results"]["tasks"])
      insertion.add_json(json["index"])
          .add_json(task["name"])
          .add_json(task["core"])
          .add_json(task["period_ps"])
          .add_json(task["deadline_ps"])
          .add_json(task["bound"]["wcrt_ps"])
          .add_json(task["simulated"]["max_ps"])
          .add_json(task["verdict"])
          .add_json(task["guaranteed"])
          .add_json(task["reason"])
          .row();
  }
}

}  // namespace

tl::expected<void, std::string> write_database(const std::string& path, const std::vector<Record>& records,
                                               const std::string& lines) {
  const std::string temporary = path + ".tmp";
  std::remove(temporary.c_str());
  try {
    Database database(temporary);
    database.run("BEGIN");
    database.run(tables);
    add_models(database, records);
    if (!lines.empty()) add_tasks(database, lines);
    database.run("COMMIT");
  } catch (const std::exception& error) {
    std::remove(temporary.c_str());
    return tl::unexpected(fmt::format("cannot write {}: {}", path, error.what()));
  }
  if (std::rename(temporary.c_str(), path.c_str()) == 0) return {};
  const int reason = errno;
  std::remove(temporary.c_str());
  return tl::unexpected(fmt::format("cannot write {}: {}", path, std::strerror(reason)));
}

}  // namespace amalthea::batch
