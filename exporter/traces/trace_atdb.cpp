// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/results/process_metrics.hpp"
#include "engine/simulation/simulation.hpp"
#include "exporter/primitives/database.hpp"
#include "exporter/primitives/new_file.hpp"
#include "exporter/traces/detail/trace_events.hpp"

namespace amalthea::exporter {
namespace {

using engine::ProcessEvent;
using engine::ProcessState;
using Kind = TraceEntity::Kind;
using What = TraceEvent::What;

std::string sql_name(std::string_view name) {
  std::string out = "\"";
  for (const char character : name) {
    if (character == '"') out += '"';
    out += character;
  }
  return out + '"';
}

std::int64_t number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

// APP4MC finds interrupts by the type ISR.
constexpr std::array<std::string_view, 7> entity_types{"Stimulus", "Task", "ISR", "Runnable", "Core", "Signal", "SIM"};
constexpr std::array<std::string_view, 6> entity_letters{"STI", "T", "I", "R", "C", "SIG"};
constexpr std::int64_t simulation_type = 7;

constexpr std::string_view schema = R"(
CREATE TABLE MetaInformation(Name TEXT PRIMARY KEY, Value TEXT);
CREATE TABLE EntityType(Id INTEGER PRIMARY KEY, Name TEXT);
CREATE TABLE Entity(Id INTEGER PRIMARY KEY, Name TEXT, EntityTypeId INTEGER, HasEvents INTEGER, EventTableName TEXT);
CREATE TABLE EntityInstance(Id INTEGER PRIMARY KEY, EntityId INTEGER, EntityInstanceId INTEGER, TimeFrom INTEGER, TimeTo INTEGER);
CREATE TABLE EntitySource(EntityId INTEGER, SourceEntityId INTEGER);
CREATE TABLE EventType(Id INTEGER PRIMARY KEY, Name TEXT);
CREATE TABLE Metric(Id INTEGER PRIMARY KEY, Name TEXT, Dimension TEXT);
CREATE TABLE EntityInstanceMetricValue(EntityId INTEGER, EntityInstanceId INTEGER, MetricId INTEGER, Value INTEGER);
CREATE TABLE EntityMetricValue(EntityId INTEGER, MetricId INTEGER, Value INTEGER);
)";

class AtdbWriter final : public TraceEvents {
 public:
  AtdbWriter(NewFile file, TraceFacts facts)
      : file_(std::move(file)), facts_(std::move(facts)), database_(file_.temporary()) {}

  tl::expected<void, std::string> finish() override {
    if (auto closed = database_.close(); !closed)
      return tl::unexpected(fmt::format("cannot write the trace database: {}", closed.error()));
    return file_.commit();
  }
  std::uint64_t size() override { return database_.size(); }

  void ended(Instant now) override {
    for (const auto& [entity, source] : sources_) database_.insert(insert_source_, id(entity), id(source));
    for (EntityIndex entity = 0; entity < processes_.size(); ++entity) write_metrics(entity);
    write_meta("db_version", "v0.2.1");
    write_meta("time_base", "ps");
    write_meta("duration", fmt::format("{}", now.picoseconds()));
    write_meta("events_written", fmt::format("{}", events_));
    write_meta("input", facts_.input);
    write_meta("creator", "amalthea-timing");
    write_meta("creationDate", facts_.date);
  }

 protected:
  void header(const engine::SimulationInput& input) override {
    database_.run(std::string(schema));
    insert_source_ = database_.prepare("INSERT INTO EntitySource VALUES(?,?)");
    insert_meta_ = database_.prepare("INSERT INTO MetaInformation VALUES(?,?)");
    insert_instance_ =
        database_.prepare("INSERT INTO EntityInstance(EntityId,EntityInstanceId,TimeFrom,TimeTo) VALUES(?,?,?,?)");
    insert_instance_metric_ = database_.prepare("INSERT INTO EntityInstanceMetricValue VALUES(?,?,?,?)");
    insert_metric_ = database_.prepare("INSERT INTO EntityMetricValue VALUES(?,?,?)");
    write_names("EntityType", entity_types);
    for (std::size_t event = 0; event <= static_cast<std::size_t>(ProcessEvent::terminate); ++event)
      event_names_.emplace_back(name_of(static_cast<ProcessEvent>(event)));
    for (const std::string_view name : {"trigger", "suspend", "read", "write"}) event_names_.emplace_back(name);
    write_names("EventType", event_names_);
    write_metric_names();
    write_entities();
    const auto& entities = model().entities;
    processes_.resize(entities.size());
    starts_.resize(entities.size());
    for (TaskIndex task = 0; task < input.system.tasks.size(); ++task)
      processes_[model().tasks[task].entity].deadline = input.system.tasks[task].deadline;
  }

  void event(const TraceEvent& event) override {
    ++events_;
    sequence_ = event.time == time_ ? sequence_ + 1 : 0;
    time_ = event.time;
    const std::int64_t source = event.source == no_entity ? simulation_id() : id(event.source);
    database_.insert(statements_[event.target], time_.picoseconds(), sequence_, id(event.target),
                     number(event.instance), source, number(event.source_instance), event_type(event));
    if (event.source != no_entity && event.what != What::access) sources_.insert({event.target, event.source});
    if (event.what == What::process) of_process(event);
    if (event.what == What::runnable) of_runnable(event);
  }

 private:
  struct Job {
    std::uint64_t instance = 0;
    Instant activation, start, since;
    ProcessState state = ProcessState::active;
    std::array<Duration, 7> in{};  ///< by ProcessState
    EntityIndex core = no_entity;
  };
  struct Process {
    std::vector<Job> jobs;  ///< that have not ended; blocks of one kernel run beside each other
    std::optional<Job> before;
    Instant end_before;
    engine::ProcessMetrics metrics;
    std::uint64_t lost = 0;
    std::optional<Duration> deadline;
  };

  /// As ATDB spells it, which differs from BTF.
  static std::string_view name_of(ProcessEvent event) {
    return event == ProcessEvent::mta_limit_exceeded ? "mtalimitexceded" : engine::to_string(event);
  }

  /// Rows are counted from 1.
  static std::int64_t id(EntityIndex entity) { return std::int64_t{entity} + 1; }
  std::int64_t simulation_id() const { return static_cast<std::int64_t>(model().entities.size()) + 1; }

  template <typename Names>
  void write_names(std::string_view table, const Names& names) {
    const std::size_t statement = database_.prepare(fmt::format("INSERT INTO {} VALUES(?,?)", table));
    std::int64_t row = 0;
    for (const auto& name : names) database_.insert(statement, ++row, std::string(name));
  }

  void write_meta(const std::string& name, const std::string& value) { database_.insert(insert_meta_, name, value); }

  void write_entities() {
    const std::size_t statement = database_.prepare("INSERT INTO Entity VALUES(?,?,?,?,?)");
    std::optional<std::size_t> signals;
    for (EntityIndex index = 0; index < model().entities.size(); ++index) {
      const TraceEntity& entity = model().entities[index];
      const auto kind = static_cast<std::size_t>(entity.kind);
      const bool has_events = entity.kind != Kind::core;
      const std::string table = entity.kind == Kind::core ? ""
                                : entity.kind == Kind::label
                                    ? "Signal_Event"
                                    : fmt::format("{}:{}:{}_Event", entity.name, entity_letters[kind], id(index));
      database_.insert(statement, id(index), entity.name, static_cast<std::int64_t>(kind) + 1, std::int64_t{has_events},
                       table);
      if (entity.kind == Kind::label && signals) {
        statements_.push_back(*signals);
        continue;
      }
      statements_.push_back(has_events ? make_event_table(table) : 0);
      if (entity.kind == Kind::label) signals = statements_.back();
    }
    database_.insert(statement, simulation_id(), std::string("SIM"), simulation_type, std::int64_t{0}, std::string());
  }

  std::size_t make_event_table(const std::string& table) {
    database_.run(
        fmt::format("CREATE TABLE {}(Id INTEGER PRIMARY KEY, TimeStamp INTEGER, Remainder INTEGER, SQCNR "
                    "INTEGER, EntityId INTEGER, EntityInstanceId INTEGER, SourceEntityId INTEGER, "
                    "SourceEntityInstanceId INTEGER, EventTypeId INTEGER, Value TEXT)",
                    sql_name(table)));
    return database_.prepare(fmt::format("INSERT INTO {} VALUES(NULL,?,0,?,?,?,?,?,?,NULL)", sql_name(table)));
  }

  static std::int64_t event_type(const TraceEvent& event) {
    constexpr std::int64_t first = 1, after = static_cast<std::int64_t>(ProcessEvent::terminate) + 1 + first;
    const auto process = [](ProcessEvent what) { return static_cast<std::int64_t>(what) + first; };
    switch (event.what) {
      case What::process:
        return process(event.process);
      case What::trigger:
        return after;
      case What::access:
        return after + (event.writes ? 3 : 2);
      case What::runnable:
        switch (event.runnable) {
          case TraceEvent::Runnable::start:
            return process(ProcessEvent::start);
          case TraceEvent::Runnable::suspend:
            return after + 1;
          case TraceEvent::Runnable::resume:
            return process(ProcessEvent::resume);
          case TraceEvent::Runnable::terminate:
            return process(ProcessEvent::terminate);
        }
    }
    return 0;
  }

  // ---- instances and metrics

  void of_runnable(const TraceEvent& event) {
    if (event.runnable == TraceEvent::Runnable::start) starts_[event.target].emplace_back(event.instance, event.time);
    if (event.runnable != TraceEvent::Runnable::terminate) return;
    auto& open = starts_[event.target];
    for (auto at = open.begin(); at != open.end(); ++at)
      if (at->first == event.instance) {
        write_instance(event.target, event.instance, at->second);
        open.erase(at);
        return;
      }
  }

  void write_instance(EntityIndex entity, std::uint64_t instance, Instant from) {
    database_.insert(insert_instance_, id(entity), number(instance), from.picoseconds(), time_.picoseconds());
  }

  void of_process(const TraceEvent& event) {
    Process& process = processes_[event.target];
    if (event.process == ProcessEvent::activate) {
      Job job;
      job.instance = event.instance;
      job.activation = job.since = time_;
      process.jobs.push_back(job);
      ++process.metrics.activations;
      return;
    }
    if (event.process == ProcessEvent::mta_limit_exceeded) {
      ++process.lost;
      return;
    }
    const auto found = std::find_if(process.jobs.begin(), process.jobs.end(),
                                    [&](const Job& job) { return job.instance == event.instance; });
    Job& job = *found;
    job.in[static_cast<std::size_t>(job.state)] += time_ - job.since;
    job.since = time_;
    if (job.core != event.source && job.core != no_entity) ++process.metrics.migrations;
    job.core = event.source;
    switch (event.process) {
      case ProcessEvent::start:
        job.start = time_;
        job.state = ProcessState::running;
        return;
      case ProcessEvent::resume:
      case ProcessEvent::run:
        job.state = ProcessState::running;
        return;
      case ProcessEvent::preempt:
        ++process.metrics.preemptions;
        job.state = ProcessState::ready;
        return;
      case ProcessEvent::wait:
        job.state = ProcessState::waiting;
        return;
      case ProcessEvent::release:
      case ProcessEvent::release_parking:
        job.state = ProcessState::ready;
        return;
      case ProcessEvent::poll:
      case ProcessEvent::poll_parking:
        job.state = ProcessState::polling;
        return;
      case ProcessEvent::park:
        ++process.metrics.preemptions;
        job.state = ProcessState::parking;
        return;
      case ProcessEvent::terminate:
        end_job(event.target, process, job);
        process.jobs.erase(found);
        return;
      case ProcessEvent::activate:
      case ProcessEvent::mta_limit_exceeded:
        return;
    }
  }

  void end_job(EntityIndex entity, Process& process, const Job& job) {
    write_instance(entity, job.instance, job.activation);
    const auto put = [&](TimeMetric metric, Duration value) {
      process.metrics[metric].add(value);
      database_.insert(insert_instance_metric_, id(entity), number(job.instance), static_cast<std::int64_t>(metric) + 1,
                       value.picoseconds());
    };
    const auto in = [&](ProcessState state) { return job.in[static_cast<std::size_t>(state)]; };
    put(TimeMetric::response_time, time_ - job.activation);
    put(TimeMetric::start_delay, job.start - job.activation);
    put(TimeMetric::gross_execution_time, time_ - job.start);
    put(TimeMetric::net_execution_time, in(ProcessState::running) + in(ProcessState::polling));
    put(TimeMetric::running_time, in(ProcessState::running));
    put(TimeMetric::ready_time, in(ProcessState::ready));
    put(TimeMetric::waiting_time, in(ProcessState::waiting));
    put(TimeMetric::polling_time, in(ProcessState::polling));
    put(TimeMetric::parking_time, in(ProcessState::parking));
    if (process.deadline) put(TimeMetric::lateness, time_ - job.activation - *process.deadline);
    if (process.before) {
      put(TimeMetric::activate_to_activate, job.activation - process.before->activation);
      put(TimeMetric::start_to_start, job.start - process.before->start);
      put(TimeMetric::end_to_end, time_ - process.end_before);
      put(TimeMetric::end_to_start, job.start - process.end_before);
    }
    process.before = job;
    process.end_before = time_;
  }

  /// Metrics of an instance; then, three rows apart, the least, mean and largest of each; then counts.
  static constexpr std::int64_t metric_count = static_cast<std::int64_t>(time_metrics);

  void write_metric_names() {
    const std::size_t statement = database_.prepare("INSERT INTO Metric VALUES(?,?,?)");
    std::int64_t row = 0;
    for (const std::string_view suffix : {"", "_Min", "_Avg", "_Max"})
      for (std::size_t metric = 0; metric < time_metrics; ++metric)
        database_.insert(statement, ++row, fmt::format("{}{}", to_string(static_cast<TimeMetric>(metric)), suffix),
                         std::string("time"));
    for (const std::string_view name : {"Activations", "Preemptions", "FullMigrations", "MtaLimitExceeding"})
      database_.insert(statement, ++row, std::string(name), std::string("count"));
  }

  void write_metrics(EntityIndex entity) {
    const Kind kind = model().entities[entity].kind;
    if (kind != Kind::task && kind != Kind::isr) return;
    const Process& process = processes_[entity];
    for (std::size_t index = 0; index < time_metrics; ++index) {
      const engine::Extent& extent = process.metrics.times[index];
      if (extent.jobs() == 0) continue;
      const std::int64_t row = static_cast<std::int64_t>(index) + 1;
      database_.insert(insert_metric_, id(entity), row + metric_count, extent.min().picoseconds());
      database_.insert(insert_metric_, id(entity), row + 2 * metric_count, extent.mean().picoseconds());
      database_.insert(insert_metric_, id(entity), row + 3 * metric_count, extent.max().picoseconds());
    }
    std::int64_t row = 4 * metric_count;
    for (const std::uint64_t count :
         {process.metrics.activations, process.metrics.preemptions, process.metrics.migrations, process.lost})
      database_.insert(insert_metric_, id(entity), ++row, number(count));
  }

  NewFile file_;
  TraceFacts facts_;
  Database database_;
  std::size_t insert_source_ = 0, insert_meta_ = 0, insert_instance_ = 0, insert_instance_metric_ = 0,
              insert_metric_ = 0;
  std::vector<std::size_t> statements_;  ///< by entity: into its event table
  std::vector<std::string> event_names_;
  std::set<std::pair<EntityIndex, EntityIndex>> sources_;
  std::vector<Process> processes_;                                      ///< by entity
  std::vector<std::vector<std::pair<std::uint64_t, Instant>>> starts_;  ///< by entity: runnables that have not ended
  std::uint64_t events_ = 0;
  Instant time_;
  std::int64_t sequence_ = 0;  ///< of the events of one instant
};

}  // namespace

tl::expected<std::unique_ptr<TraceWriter>, std::string> make_trace_atdb(const std::string& path,
                                                                        const TraceFacts& facts) {
  auto file = NewFile::create(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  if (file->temporary().empty())
    return tl::unexpected(fmt::format("cannot write {}: expected a regular file for the database", path));
  return std::make_unique<AtdbWriter>(std::move(*file), facts);
}

}  // namespace amalthea::exporter
