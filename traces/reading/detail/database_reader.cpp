// SPDX-License-Identifier: Apache-2.0
#include "traces/reading/detail/database_reader.hpp"

#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/core.h>
#include <sqlite3.h>

#include "amalthea/primitives/ascii.hpp"

namespace amalthea::traces {
namespace {

constexpr int steps_between_checks = 100;
// A row of an event takes some 20 bytes and 50 steps, and sorting it twice as much, with 100 bytes of memory.
constexpr std::uint64_t least_steps = 1'000'000, steps_per_byte = 64;
// A name may be read with several columns and in several passes.
constexpr std::uint64_t least_text = std::uint64_t{16} << 20, texts_per_byte = 4;
constexpr std::uint64_t least_memory = std::uint64_t{256} << 20, memory_per_byte = 8;

/// Whether SQLite has to stop.
int check_work(void* data) {
  auto& work = *static_cast<DatabaseWork*>(data);
  work.steps += steps_between_checks;
  if (work.steps > work.most_steps)
    work.exceeded = fmt::format("reading it takes more than {} steps, too many for its size", work.most_steps);
  else if (sqlite3_memory_used() - work.memory_before > work.most_memory)
    work.exceeded = fmt::format("reading it takes more than {} MiB of memory", work.most_memory >> 20);
  return work.exceeded.empty() ? 0 : 1;
}

/// Our queries read columns, and use these functions. Everything else comes from the database.
int authorize(void* /*data*/, int action, const char* first, const char* second, const char* /*database*/,
              const char* /*inner*/) {
  bool allowed = action == SQLITE_SELECT || action == SQLITE_READ;
  if (action == SQLITE_FUNCTION && second != nullptr)
    for (const std::string_view name : {"min", "max"}) allowed = allowed || name == second;
  if (action == SQLITE_PRAGMA && first != nullptr) allowed = std::string_view(first) == "table_xinfo";
  return allowed ? SQLITE_OK : SQLITE_DENY;
}

/// "file:" and the path, to be opened without locks and without files beside it.
std::string uri_of(const std::string& path) {
  std::string uri = path.starts_with('/') ? "file://" : "file:";
  for (const char character : path) {
    if (character == '%' || character == '?' || character == '#')
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(character));
    else
      uri += character;
  }
  return uri + "?mode=ro&immutable=1";
}

/// Why the file alone is not the whole content, or "".
std::string unmerged(const std::string& path) {
  std::error_code ignored;
  constexpr std::uintmax_t log_header = 32;
  const std::string log = path + "-wal", journal = path + "-journal";
  const auto size = std::filesystem::file_size(log, ignored);
  if (!ignored && size > log_header)
    return fmt::format(
        "its newest content is in {}; close the program that writes it, or merge it with \"PRAGMA "
        "wal_checkpoint(TRUNCATE)\"",
        log);
  // A journal that begins with zeros is no longer in use.
  std::ifstream file(journal, std::ios::binary);
  if (file.good() && file.peek() > 0)
    return fmt::format("a write to it was interrupted, as {} tells; open it once with the program that writes it",
                       journal);
  return {};
}

}  // namespace

Rows::Rows(Rows&& other) noexcept
    : database_(other.database_),
      statement_(std::exchange(other.statement_, nullptr)),
      work_(other.work_),
      error_(std::move(other.error_)) {}

Rows::~Rows() { sqlite3_finalize(statement_); }

bool Rows::next() {
  if (!error_.empty()) return false;
  if (work_->text_bytes > work_->most_text) {
    error_ = fmt::format("its texts take more than {} bytes, too many for its size", work_->most_text);
    return false;
  }
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) error_ = work_->exceeded.empty() ? sqlite3_errmsg(database_) : work_->exceeded;
  return false;
}

bool Rows::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
std::int64_t Rows::number(int column) const { return sqlite3_column_int64(statement_, column); }
std::string_view Rows::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (text == nullptr) return {};
  const std::string_view found(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
  work_->text_bytes += found.size();
  return found;
}

tl::expected<DatabaseReader, std::string> DatabaseReader::open(const std::string& path) {
  if (const std::string why = unmerged(path); !why.empty()) return tl::unexpected(why);
  const std::int64_t memory_before = sqlite3_memory_used();
  sqlite3* connection = nullptr;
  const int code = sqlite3_open_v2(uri_of(path).c_str(), &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  DatabaseReader reader(connection);
  if (code != SQLITE_OK) return tl::unexpected(fmt::format("the database cannot be opened: {}", sqlite3_errstr(code)));
  // As SQLite recommends for databases from elsewhere.
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_drop_modules(connection, nullptr);  // no virtual tables
  sqlite3_exec(connection,
               "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA cache_size=-8000; PRAGMA temp_store=2", nullptr,
               nullptr, nullptr);
  constexpr int longest = 1 << 20;
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, longest);
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path, unknown);
  const std::uint64_t bytes = unknown ? 0 : size;
  reader.work_->most_steps = least_steps + steps_per_byte * bytes;
  reader.work_->memory_before = memory_before;
  reader.work_->most_text = least_text + texts_per_byte * bytes;
  reader.work_->most_memory = static_cast<std::int64_t>(least_memory + memory_per_byte * bytes);
  sqlite3_progress_handler(connection, steps_between_checks, check_work, reader.work_.get());
  sqlite3_set_authorizer(connection, authorize, nullptr);
  auto views = reader.prepare("SELECT name FROM sqlite_master WHERE type = 'view'");
  while (views && views->next()) reader.views_.insert(lower_case(views->text(0)));
  return reader;
}

DatabaseReader::DatabaseReader(DatabaseReader&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)),
      work_(std::move(other.work_)),
      views_(std::move(other.views_)) {}
DatabaseReader::~DatabaseReader() { sqlite3_close_v2(connection_); }

tl::expected<Rows, std::string> DatabaseReader::prepare(const std::string& sql) const {
  check_work(work_.get());  // many small queries count too
  if (!work_->exceeded.empty()) return tl::unexpected(work_->exceeded);
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(connection_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
    return tl::unexpected(std::string(sqlite3_errmsg(connection_)));
  return Rows(connection_, statement, *work_);
}

tl::expected<Rows, std::string> DatabaseReader::query(const std::string& sql,
                                                      std::initializer_list<std::string_view> tables) const {
  for (const std::string_view table : tables)
    if (is_view(table))
      return tl::unexpected(fmt::format("{} is a view; expected a table, which holds what a program stored", table));
  auto rows = prepare(sql);
  if (!rows) return rows;
  for (const std::string_view table : tables) {
    auto columns = prepare(fmt::format("PRAGMA table_xinfo({})", quoted_name(table)));
    if (!columns) return columns;
    constexpr int name = 1, hidden = 6;
    while (columns->next())
      if (columns->number(hidden) != 0)
        return tl::unexpected(
            fmt::format("column {} of {} is computed; expected what a program stored", columns->text(name), table));
  }
  return rows;
}

bool DatabaseReader::has_table(std::string_view name) const {
  return is_view(name) || prepare(fmt::format("SELECT 1 FROM {} LIMIT 0", quoted_name(name)));
}

bool DatabaseReader::is_view(std::string_view name) const { return views_.contains(lower_case(name)); }

bool DatabaseReader::has_column(std::string_view table, std::string_view column) const {
  auto rows = prepare(fmt::format("PRAGMA table_xinfo({})", quoted_name(table)));
  while (rows && rows->next())
    if (rows->text(1) == column) return true;
  return false;
}

tl::expected<void, std::string> read_texts(const DatabaseReader& database, std::string_view table,
                                           std::string_view number, std::string_view text, NumberedTexts& texts) {
  auto rows = database.query(fmt::format("SELECT {}, {} FROM {}", number, text, table), {table});
  if (!rows) return tl::unexpected(fmt::format("table {}: {}", table, rows.error()));
  constexpr std::size_t most = std::size_t{256} << 20, per_text = 64;
  std::size_t bytes = 0;
  while (rows->next()) {
    const auto [added, is_new] = texts.emplace(rows->number(0), rows->text(1));
    if (is_new) bytes += added->second.size() + per_text;
    if (bytes > most)
      return tl::unexpected(fmt::format("table {}: its texts take more than {} MiB", table, most >> 20));
  }
  if (!rows->error().empty()) return tl::unexpected(fmt::format("table {}: {}", table, rows->error()));
  return {};
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
