// SPDX-License-Identifier: Apache-2.0
// AMALTHEA Trace Database, versions 0.1 and 0.2: a table of events for each entity, merged by time.

#include <queue>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <fmt/core.h>

#include "amalthea/primitives/ascii.hpp"
#include "traces/reading/detail/database_reader.hpp"
#include "traces/reading/formats.hpp"

namespace amalthea::traces {
namespace {

std::optional<EntityKind> kind_of(std::string_view type) {
  const std::string lower = lower_case(type);
  for (const std::string_view process : {"task", "isr", "interrupt", "process", "t", "i"})
    if (lower == process) return EntityKind::process;
  if (lower == "runnable" || lower == "r") return EntityKind::runnable;
  if (lower == "stimulus" || lower == "sti") return EntityKind::stimulus;
  if (lower == "signal" || lower == "label" || lower == "sig") return EntityKind::label;
  if (lower == "core" || lower == "c") return EntityKind::core;
  return std::nullopt;
}

struct Known {
  std::optional<EntityKind> kind;
  std::string name;
};

struct EventTable {
  std::uint32_t number = 0;  ///< in the report, from 1
  Rows rows;
};

class AtdbReader {
 public:
  AtdbReader(Reading& reading, const DatabaseReader& database) : reading_(reading), database_(database) {}

  ReadResult read() {
    if (auto done = read_unit(); !done) return done;
    if (auto done = read_entities(); !done) return done;
    if (auto done = open_tables(); !done) return done;
    merge();
    return {};
  }

 private:
  using Key = std::tuple<std::int64_t, std::int64_t, std::size_t>;  ///< time, number within it, table

  ReadResult read_unit() {
    auto rows = database_.query("SELECT Value FROM MetaInformation WHERE Name = 'time_base' COLLATE NOCASE",
                                {"MetaInformation"});
    if (!rows) return tl::unexpected(rows.error());
    if (!rows->next()) return rows->error().empty() ? ReadResult{} : tl::unexpected(rows->error());
    const std::int64_t unit = unit_of_time(rows->text(0));
    if (unit == 0)
      return tl::unexpected(
          fmt::format("its time_base is \"{}\"; expected ps, ns, us, ms or s", std::string(rows->text(0))));
    clock_.set_unit(unit);
    reading_.sink.resolution(Duration::picoseconds(unit));
    return {};
  }

  ReadResult read_entities() {
    if (auto done = read_texts(database_, "EventType", "Id", "Name", event_names_); !done) return done;
    for (auto& [number, name] : event_names_) name = lower_case(name);
    NumberedTexts types;
    if (auto done = read_texts(database_, "EntityType", "Id", "Name", types); !done) return done;
    auto rows = database_.query("SELECT Id, Name, EntityTypeId, EventTableName FROM Entity ORDER BY Id", {"Entity"});
    if (!rows) return tl::unexpected(rows.error());
    while (rows->next()) {
      if (entities_.size() >= reading_.input.limits.max_names)
        return tl::unexpected(fmt::format("it has more than {} entities", reading_.input.limits.max_names));
      const auto type = rows->is_null(2) ? types.end() : types.find(rows->number(2));
      entities_[rows->number(0)] = {type == types.end() ? std::nullopt : kind_of(type->second),
                                    std::string(rows->text(1))};
      const std::string table(rows->text(3));
      // SQLite does not tell upper from lower case in names of tables.
      if (!table.empty() && known_tables_.insert(lower_case(table)).second) table_names_.push_back(table);
    }
    return rows->error().empty() ? ReadResult{} : tl::unexpected(rows->error());
  }

  ReadResult open_tables() {
    for (const std::string& name : table_names_) {
      // Rows stand in the order of their insertion, which is that of time.
      auto rows = database_.query(
          fmt::format("SELECT TimeStamp, SQCNR, EntityId, EntityInstanceId, SourceEntityId, SourceEntityInstanceId, "
                      "EventTypeId, rowid FROM {} ORDER BY rowid",
                      quoted_name(name)),
          {name});
      if (!rows) {
        if (!database_.has_table(name)) continue;  // an entity without events
        return tl::unexpected(fmt::format("table {}: {}", name, rows.error()));
      }
      auto most = database_.query(fmt::format("SELECT max(rowid) FROM {}", quoted_name(name)), {});
      if (most && most->next()) total_ += static_cast<std::uint64_t>(std::max<std::int64_t>(0, most->number(0)));
      reading_.report.tables.push_back(name);
      tables_.push_back({static_cast<std::uint32_t>(reading_.report.tables.size()), std::move(*rows)});
    }
    return {};
  }

  void merge() {
    std::priority_queue<Key, std::vector<Key>, std::greater<>> next;
    const auto advance = [&](std::size_t table) {
      Rows& rows = tables_[table].rows;
      if (rows.next())
        next.emplace(rows.number(0), rows.number(1), table);
      else if (!rows.error().empty())
        reading_.sink.problem({Problem::Kind::truncated,
                               fmt::format("the rest of the table cannot be read: {}", rows.error()),
                               {0, tables_[table].number}});
    };
    for (std::size_t table = 0; table < tables_.size(); ++table) advance(table);
    std::uint64_t done = 0;
    while (!next.empty() && reading_.names.complete()) {
      const std::size_t table = std::get<2>(next.top());
      next.pop();
      if (reading_.input.progress && ++done % 4096 == 0) reading_.input.progress(done, total_);
      const Rows& row = tables_[table].rows;
      place_ = {static_cast<std::uint64_t>(row.number(7)), tables_[table].number};
      if (const std::string wrong = event(row); !wrong.empty())
        reading_.sink.problem({Problem::Kind::malformed, wrong, place_});
      advance(table);
    }
  }

  const Known* entity(std::int64_t id) const {
    const auto found = entities_.find(id);
    return found == entities_.end() ? nullptr : &found->second;
  }
  EntityIndex source(const Rows& row, EntityKind kind) {
    const Known* known = entity(row.number(4));
    return known == nullptr || known->kind != kind ? no_entity : reading_.names.find(kind, known->name);
  }

  std::string event(const Rows& row) {
    const Known* target = entity(row.number(2));
    if (target == nullptr) return fmt::format("no entity has the id {}", row.number(2));
    if (!target->kind || *target->kind == EntityKind::core) {
      ++reading_.report.ignored;
      return {};
    }
    const auto name = event_names_.find(row.number(6));
    if (name == event_names_.end()) return fmt::format("no type of event has the id {}", row.number(6));
    const std::string& what = name->second;
    Event event;
    event.place = place_;
    if (row.number(0) < 0 || !clock_.read(static_cast<std::uint64_t>(row.number(0)), event.time))
      return fmt::format("the time is {}; expected a number >= 0 that is below 26 days", row.number(0));
    event.instance = static_cast<std::uint64_t>(std::max<std::int64_t>(0, row.number(3)));
    event.source_instance = static_cast<std::uint64_t>(std::max<std::int64_t>(0, row.number(5)));
    bool known = true;
    switch (*target->kind) {
      case EntityKind::process: {
        const auto process = process_event(what);
        known = process.has_value();
        if (!known) break;
        event.process = *process;
        const bool by_stimulus =
            *process == engine::ProcessEvent::activate || *process == engine::ProcessEvent::mta_limit_exceeded;
        event.source = source(row, by_stimulus ? EntityKind::stimulus : EntityKind::core);
        break;
      }
      case EntityKind::runnable: {
        const auto runnable = runnable_event(what);
        known = runnable.has_value();
        if (!known) break;
        event.what = Event::What::runnable;
        event.runnable = *runnable;
        event.source = source(row, EntityKind::process);
        break;
      }
      case EntityKind::label:
        known = what == "read" || what == "write";
        event.what = Event::What::access;
        event.writes = what == "write";
        event.source = source(row, EntityKind::process);
        break;
      case EntityKind::stimulus:
        known = what == "trigger";
        event.what = Event::What::trigger;
        event.source = source(row, EntityKind::process);
        break;
      case EntityKind::core:
        break;
    }
    if (!known) {
      ++reading_.report.ignored;  // such as "idle", "execute", migrations
      return {};
    }
    event.target = reading_.names.find(*target->kind, target->name);
    if (reading_.names.complete()) reading_.event(event);
    return {};
  }

  Reading& reading_;
  const DatabaseReader& database_;
  Clock clock_;
  std::unordered_map<std::int64_t, std::string> event_names_;
  std::unordered_map<std::int64_t, Known> entities_;
  std::unordered_set<std::string> known_tables_;  ///< in lower case
  std::vector<std::string> table_names_;
  std::vector<EventTable> tables_;
  std::uint64_t total_ = 0;
  Place place_;
};

}  // namespace

bool is_atdb(const std::string& path, std::string_view beginning) {
  if (!is_database(beginning)) return false;
  const auto database = DatabaseReader::open(path);
  if (!database) return true;  // reading says why it cannot be opened
  return database->has_table("MetaInformation") && database->has_table("Entity");
}

ReadResult read_atdb(Reading& reading) {
  const auto database = DatabaseReader::open(reading.input.path);
  if (!database) return tl::unexpected(database.error());
  return AtdbReader(reading, *database).read();
}

}  // namespace amalthea::traces
