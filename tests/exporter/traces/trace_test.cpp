// SPDX-License-Identifier: Apache-2.0
// Traces of simulations. Independent readers, written from the rules of the formats, check every trace and recompute
// the response times, which must equal those of the results.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <sqlite3.h>
#include <zlib.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "engine/simulation/simulation.hpp"
#include "exporter/traces/trace_formats.hpp"
#include "tests/support/random_system.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/test_models.hpp"
#include "tests/support/thoroughness.hpp"

namespace traces_trace_test {

namespace {

using namespace test;
using nlohmann::json;

// ---------------------------------------------------------------- what is traced

engine::Results simulated(const System& system, std::optional<Duration> until, const engine::DeviceProfile* profile,
                          engine::SimulationObserver* observer) {
  engine::AnalysisOptions options;
  options.until = until;
  options.profile = profile;
  Diagnostics diagnostics;
  const auto preparation = engine::prepare_simulation(system, options, diagnostics);
  REQUIRE(preparation.has_value());
  const auto programs = engine::compile_programs(system, options.execution, preparation->devices, options.compile);
  engine::SimulationInput input{
      system, programs, preparation->devices, preparation->until, preparation->grace, preparation->periods};
  input.keep_responses = true;
  input.observer = observer;
  engine::Results results;
  engine::simulate(input, results);
  return results;
}

struct Case {
  System system;
  std::optional<engine::DeviceProfile> profile;
  std::optional<Duration> until;

  engine::Results run(engine::SimulationObserver* observer = nullptr) const {
    return simulated(system, until, profile ? &*profile : nullptr, observer);
  }
  /// Those with tasks.
  std::size_t gpus() const {
    std::set<UnitIndex> units;
    for (const Task& task : system.tasks)
      if (task.side == Side::device) units.insert(task.unit);
    return units.size();
  }
  engine::Results traced(const std::string& path) const {
    exporter::TraceFacts facts;
    facts.input = "a model.amxmi";
    facts.model_names = true;
    auto writer = exporter::trace_format_of(path)->make(path, facts);
    REQUIRE(writer.has_value());
    auto results = run(writer->get());
    const auto written = (*writer)->finish();
    INFO((written ? "" : written.error()));
    REQUIRE(written.has_value());
    return results;
  }
};

/// Every other one has all ways in which processes wait, lose their core and come back, and activations that get lost.
/// Some job ends.
Case random_case(std::mt19937& random) {
  RandomSystemOptions options;
  if (random() % 2 == 0)
    options.must = features_of({SystemFeature::offload, SystemFeature::semaphore, SystemFeature::polled_semaphore,
                                SystemFeature::activation_limit, SystemFeature::runnables, SystemFeature::memory});
  for (;;) {
    RandomSystem drawn = random_system(random, options);
    // Names that some formats do not take as they are.
    for (Task& task : drawn.system.tasks) task.name.insert(0, "a ");
    for (Label& label : drawn.system.labels) label.name.insert(0, "a label, ");
    for (Runnable& runnable : drawn.system.runnables) runnable.name.insert(0, "a ");
    // Ends between two nanoseconds: BTF would round a release just before a whole one up to the end.
    Case made{std::move(drawn.system), std::move(drawn.profile), us(400) + Duration::picoseconds(500)};
    const auto responses = made.run().responses;
    if (std::any_of(responses.begin(), responses.end(), [](const auto& of_task) { return !of_task.empty(); }))
      return made;
  }
}

std::vector<Case> cases(std::uint32_t seed, int random_ones) {
  std::vector<Case> all;
  for (const char* name : {"waters2019-tx2.amxmi", "offload-minimal.amxmi", "offload-minimal-three-runnables.amxmi",
                           "offload-blocks.amxmi"}) {
    all.push_back({system_from_file(sample(name)), std::nullopt, std::nullopt});
    if (name == std::string("waters2019-tx2.amxmi")) all.back().until = Duration::milliseconds(400);
  }
  std::mt19937 random(seed);
  while (random_ones-- > 0) all.push_back(random_case(random));
  return all;
}

/// Of a job, as a trace has it.
struct Seen {
  std::int64_t activated = 0, ended = -1;
};
using Jobs = std::map<std::string, std::map<std::uint64_t, Seen>>;  ///< by task and instance

/// `unit`: picoseconds of one unit of time. Names as the format writes them.
template <typename Name>
void check_responses(const Case& made, const engine::Results& results, const Jobs& jobs, std::int64_t unit, Name name) {
  std::size_t compared = 0;
  for (TaskIndex task = 0; task < made.system.tasks.size(); ++task) {
    if (made.system.tasks[task].folded_into) continue;
    INFO(made.system.tasks[task].name);
    std::vector<std::int64_t> responses;
    const auto found = jobs.find(name(made.system.tasks[task].name));
    if (found != jobs.end())
      for (const auto& [instance, seen] : found->second)
        if (seen.ended >= 0 && seen.activated * unit < results.horizon.picoseconds())
          responses.push_back(seen.ended - seen.activated);
    const auto& expected = results.responses[task];
    REQUIRE(responses.size() == expected.size());
    for (std::size_t job = 0; job < expected.size(); ++job) {
      const std::int64_t difference = responses[job] * unit - expected[job].picoseconds();
      // Both ends are rounded to nearest.
      if (unit == 1 ? difference != 0 : std::abs(difference) > unit)
        FAIL("job " << job << " differs by " << difference);
      ++compared;
    }
  }
  CHECK(compared > 0);
}

// ---------------------------------------------------------------- BTF

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char character : text)
    if (character == at)
      parts.emplace_back();
    else
      parts.back() += character;
  return parts;
}

/// The state machine of processes in BTF 2.1.5; "" is no state yet.
std::string next_state(const std::string& state, const std::string& event) {
  static const std::map<std::pair<std::string, std::string>, std::string> machine = {
      {{"", "activate"}, "ACTIVE"},
      {{"ACTIVE", "start"}, "RUNNING"},
      {{"RUNNING", "preempt"}, "READY"},
      {{"READY", "resume"}, "RUNNING"},
      {{"RUNNING", "wait"}, "WAITING"},
      {{"WAITING", "release"}, "READY"},
      {{"RUNNING", "poll"}, "POLLING"},
      {{"POLLING", "run"}, "RUNNING"},
      {{"POLLING", "park"}, "PARKING"},
      {{"PARKING", "poll_parking"}, "POLLING"},
      {{"PARKING", "release_parking"}, "READY"},
      {{"RUNNING", "terminate"}, "TERMINATED"},
  };
  const auto found = machine.find({state, event});
  return found == machine.end() ? "illegal" : found->second;
}
std::string next_runnable_state(const std::string& state, const std::string& event) {
  if (state.empty() && event == "start") return "RUNNING";
  if (state == "RUNNING" && event == "suspend") return "SUSPENDED";
  if (state == "SUSPENDED" && event == "resume") return "RUNNING";
  if (state == "RUNNING" && event == "terminate") return "TERMINATED";
  return "illegal";
}

struct BtfTrace {
  Jobs jobs;
  std::map<std::string, std::size_t> events;  ///< "T preempt" → how many
};

/// Reads a trace, and fails the test where it breaks a rule of the format.
BtfTrace read_btf(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::vector<std::string> parameters;
  std::map<std::string, std::string> types;
  bool table = false;
  while (lines.peek() == '#') {
    std::getline(lines, line);
    if (line == "#entityTypeTable") {
      table = true;
    } else if (table) {
      REQUIRE(line.substr(0, 2) == "#-");
      const auto parts = split(line.substr(2), ' ');
      REQUIRE(parts.size() == 2);
      REQUIRE(types.emplace(parts[1], parts[0]).second);
    } else {
      parameters.push_back(line);
    }
  }
  CHECK(parameters == std::vector<std::string>{"#version 2.1.5", "#creator amalthea-timing",
                                               "#creationDate 1970-01-01T00:00:00Z", "#inputFile a model.amxmi",
                                               "#timeScale ns"});
  using Instance = std::pair<std::string, std::string>;
  BtfTrace trace;
  std::map<Instance, std::string> states;
  std::map<std::string, Instance> on_core;   // who runs or polls on a core
  std::map<Instance, Instance> runnable_of;  // the running runnable of a process
  std::set<Instance> triggered;
  std::int64_t time = 0;
  std::size_t number = 0;
  while (std::getline(lines, line)) {
    ++number;
    const auto fail = [&](const std::string& why) { FAIL("line " << number << " \"" << line << "\": " << why); };
    const auto fields = split(line, ',');
    if (fields.size() != 7) fail("fields");
    if (line.find(' ') != std::string::npos) fail("a blank");
    const std::int64_t now = std::stoll(fields[0]);
    if (now < time) fail("time goes back");
    time = now;
    const std::string &type = fields[3], &event = fields[6];
    const Instance source{fields[1], fields[2]}, target{fields[4], fields[5]};
    if (types.count(target.first) == 0 || types.at(target.first) != type) fail("undeclared target");
    if (source.first != "SIM" && types.count(source.first) == 0) fail("undeclared source");
    ++trace.events[type + " " + event];
    if (type == "STI") {
      if (event != "trigger") fail("event");
      if (!triggered.insert(target).second) fail("triggered twice");
    } else if (type == "T" || type == "I") {
      const std::string source_type = types.at(source.first);
      if (event == "activate" || event == "mtalimitexceeded") {
        if (source_type != "STI" || triggered.count(source) == 0) fail("not triggered");
        if (event == "mtalimitexceeded") continue;
      } else if (source_type != "C" || source.second != "0") {
        fail("no core");
      }
      std::string& state = states[target];
      const bool had = state == "RUNNING" || state == "POLLING";
      state = next_state(state, event);
      if (state == "illegal") fail("not in this state");
      const bool has = state == "RUNNING" || state == "POLLING";
      if (had && (on_core.count(source.first) == 0 || on_core[source.first] != target)) fail("is not on this core");
      if (!had && has && !on_core.emplace(source.first, target).second) fail("the core has another process");
      if (had && !has) {
        on_core.erase(source.first);
        if (runnable_of.count(target) != 0) fail("a runnable goes on without its process");
      }
      Seen& seen = trace.jobs[target.first][std::stoull(target.second)];
      if (event == "activate") seen.activated = now;
      if (event == "terminate") {
        seen.ended = now;
        states.erase(target);
      }
    } else if (type == "R") {
      const std::string state = states[source];
      if (state != "RUNNING" && state != "POLLING") fail("its process is not on a core");
      std::string& own = states[target];
      own = next_runnable_state(own, event);
      if (own == "illegal") fail("not in this state");
      if (own == "RUNNING" && !runnable_of.emplace(source, target).second) fail("another runnable runs");
      if (own != "RUNNING") {
        if (runnable_of[source] != target) fail("is not the running one");
        runnable_of.erase(source);
      }
    } else if (type == "SIG") {
      if (event != "read" && event != "write") fail("event");
      if (states[source] != "RUNNING") fail("its process does not run");
    } else {
      fail("type");
    }
  }
  return trace;
}

std::string btf_name(std::string name) {
  for (char& character : name)
    if (character == ' ' || character == ',') character = '_';
  return name;
}

// ---------------------------------------------------------------- trace event JSON

/// Reads a trace, and fails the test where slices of a track do not nest.
Jobs read_json(const std::string& text) {
  const json trace = json::parse(text);
  struct Track {
    std::vector<json> open;
    std::int64_t time = 0;
    std::size_t waiting = 0;  ///< activations behind the present one
  };
  std::map<std::pair<int, int>, Track> tracks;
  std::map<std::pair<int, int>, std::string> names;
  std::map<std::uint64_t, std::size_t> flows;
  std::map<std::string, std::vector<std::int64_t>> activations;
  Jobs jobs;
  for (const json& event : trace.at("traceEvents")) {
    const std::string phase = event.at("ph");
    const std::pair<int, int> place{event.at("pid"), event.at("tid")};
    if (phase == "M") {
      if (event.at("name") == "thread_name") names[place] = event.at("args").at("name");
      continue;
    }
    const std::int64_t time = std::llround(event.at("ts").get<double>() * 1e6);
    Track& track = tracks[place];
    if (time < track.time) FAIL("time goes back: " << event);
    track.time = time;
    if (names.count(place) == 0) FAIL("a track without a name: " << event);
    const bool is_state = place.first == 6;
    if (phase == "B") {
      track.open.push_back(event);
      if (is_state && track.open.size() > 1) FAIL("two states at a time: " << event);
      if (is_state && event.at("name") == "active") {
        if (track.waiting > 0) {
          --track.waiting;
        } else {
          activations[names[place]].push_back(time);
        }
      }
    } else if (phase == "E") {
      if (track.open.empty()) FAIL("an end without begin: " << event);
      const json begin = track.open.back();
      track.open.pop_back();
      const std::string category = begin.at("cat");
      if (category != "task" && category != "isr") continue;
      if (!track.open.empty()) FAIL("a process within a process: " << event);
      jobs[begin.at("name")][begin.at("args").at("instance")].ended = time;
    } else if (phase == "i") {
      if (is_state && event.at("name") == "activate") {
        ++track.waiting;
        activations[names[place]].push_back(time);
      }
    } else if (phase == "s") {
      // Readers bind an arrow to the slice that is open in the order of the file.
      if (track.open.empty()) FAIL("a flow from nowhere: " << event);
      if (++flows[event.at("id")] != 1) FAIL("a flow begins twice: " << event);
    } else if (phase == "f") {
      if (track.open.empty()) FAIL("a flow to nowhere: " << event);
      if (flows.count(event.at("id")) == 0 || ++flows[event.at("id")] != 2)
        FAIL("a flow that did not begin: " << event);
    } else {
      FAIL("phase " << phase);
    }
  }
  for (const auto& [place, track] : tracks) CHECK(track.open.empty());
  for (auto& [task, times] : activations)
    for (std::size_t instance = 0; instance < times.size(); ++instance)
      jobs[task][instance].activated = times[instance];
  return jobs;
}

std::string unpacked(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  REQUIRE(file != nullptr);
  std::string text;
  std::vector<char> buffer(1U << 16U);
  for (int count = 0; (count = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()))) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(count));
  REQUIRE(gzclose(file) == Z_OK);
  return text;
}

// ---------------------------------------------------------------- databases

std::vector<std::vector<std::string>> query(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  const int prepared = sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr);
  INFO(sql << ": " << sqlite3_errmsg(database));
  REQUIRE(prepared == SQLITE_OK);
  std::vector<std::vector<std::string>> rows;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    rows.emplace_back();
    for (int column = 0; column < sqlite3_column_count(statement); ++column) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      rows.back().emplace_back(text == nullptr ? "NULL" : text);
    }
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return rows;
}

// ---------------------------------------------------------------- CSV

Jobs read_csv(const std::string& text, const System& system) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  CHECK(line == "event,task,job,release_ps,from_ps,to_ps,state,unit,runnable,activity,reason,by");
  std::set<std::string> known;
  for (const Task& task : system.tasks) known.insert(task.name);
  Jobs jobs;
  std::map<std::pair<std::string, std::string>, std::int64_t> reported;  // up to when a job's intervals reach
  std::int64_t time = 0;
  while (std::getline(lines, line)) {
    // Names of tasks need no quotes here; those of labels, in later columns, may.
    const auto fields = split(line, ',');
    if (fields.size() < 12 || known.count(fields[1]) == 0) FAIL(line);
    const std::uint64_t job = std::stoull(fields[2]);
    const std::int64_t release = std::stoll(fields[3]), from = std::stoll(fields[4]), to = std::stoll(fields[5]);
    if (to < time || from < release || to < from) FAIL("time goes back: " << line);
    time = to;
    const std::pair<std::string, std::string> key{fields[1], fields[2]};
    if (fields[0] == "activation") {
      jobs[fields[1]][job].activated = to;
    } else if (fields[0] == "interval") {
      if (reported.count(key) != 0 && reported[key] != from) FAIL("a gap: " << line);
      reported[key] = to;
    } else if (fields[0] == "completion") {
      if (reported.count(key) != 0 && reported[key] != to) FAIL("a gap before " << line);
      if (jobs[fields[1]][job].activated != release) FAIL("another release: " << line);
      jobs[fields[1]][job].ended = to;
    } else {
      CHECK(fields[0] == "lost");
    }
  }
  return jobs;
}

std::string same(const std::string& name) { return name; }

constexpr int random_cases = 60;

}  // namespace

// ---------------------------------------------------------------- tests

TEST_CASE("traces in BTF are valid and replay to the response times of the results") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/trace.btf";
  std::map<std::string, std::size_t> events;
  for (const Case& made : cases(1, random_cases)) {
    const auto results = made.traced(path);
    const BtfTrace trace = read_btf(read_text(path));
    check_responses(made, results, trace.jobs, 1000, btf_name);
    for (const auto& [name, count] : trace.events) events[name] += count;
  }
  // Everything that can happen to a process did.
  for (const char* event : {"activate", "mtalimitexceeded", "start", "preempt", "resume", "wait", "release", "poll",
                            "run", "park", "poll_parking", "release_parking", "terminate"}) {
    INFO(event);
    CHECK(events[std::string("T ") + event] > 0);
  }
  for (const char* event : {"I terminate", "R suspend", "R resume", "SIG read", "SIG write", "STI trigger"}) {
    INFO(event);
    CHECK(events[event] > 0);
  }
}

TEST_CASE("trace event JSON nests with named tracks and replays to the response times of the results") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/trace.json";
  for (const Case& made : cases(2, random_cases)) {
    const auto results = made.traced(path);
    Jobs jobs = read_json(read_text(path));
    // What is open at the end is closed there, and has not ended.
    for (TaskIndex task = 0; task < made.system.tasks.size(); ++task) {
      std::size_t measured = 0;
      for (auto& [instance, seen] : jobs[made.system.tasks[task].name])
        if (seen.activated < results.horizon.picoseconds() && ++measured > results.responses[task].size())
          seen.ended = -1;
    }
    check_responses(made, results, jobs, 1, same);
  }
}

TEST_CASE("compressed trace event JSON equals the plain form") {
  const TemporaryFolder folder;
  std::mt19937 random(3);
  const Case made = random_case(random);
  made.traced(folder.path() + "/trace.json");
  made.traced(folder.path() + "/trace.json.gz");
  CHECK(unpacked(folder.path() + "/trace.json.gz") == read_text(folder.path() + "/trace.json"));
  CHECK(read_text(folder.path() + "/trace.json.gz").size() * 3 < read_text(folder.path() + "/trace.json").size());
}

TEST_CASE("flows lead from triggers to started jobs and along the labels of a chain") {
  SystemMaker maker;
  const auto core = maker.core("core");
  const auto request = maker.inter_process();
  const auto first = maker.task("first", core, 1, maker.periodic(100));
  const auto second = maker.task("second", core, 2, request);
  maker.system().labels.push_back({"data", DataSize{64}, MemoryIndex{0}, LabelSide::host, {}});
  maker.add(first, WriteLabel{0});
  maker.trigger(first, request);
  maker.compute(first, 5);
  maker.add(second, ReadLabel{0});
  maker.system().chains.push_back({"chain", {first, second}, {}, Chain::Source::request, {}});
  const Case made{maker.build(), plain_profile(us(10)), us(100)};
  const TemporaryFolder folder;
  made.traced(folder.path() + "/trace.json");
  std::string seen;
  const json trace = json::parse(read_text(folder.path() + "/trace.json"));
  for (const json& event : trace.at("traceEvents"))
    if (event.at("ph") == "s" || event.at("ph") == "f")
      seen += fmt::format("{} {} {} at {}; ", event.at("ph").get<std::string>(), event.at("name").get<std::string>(),
                          event.at("id").get<int>(), event.at("ts").get<double>());
  CHECK(seen == "s data 1 at 1; s causes 2 at 1; f causes 2 at 1; f data 1 at 1; ");
}

TEST_CASE("trace databases contain the response times and metrics of the results") {
  const TemporaryFolder folder;
  std::size_t compared = 0;
  for (const Case& made : cases(4, random_cases / 2)) {
    const std::string path = folder.path() + "/trace.atdb";
    const auto results = made.traced(path);
    Jobs jobs;
    for (const auto& row :
         query(path,
               "SELECT e.Name, v.EntityInstanceId, i.TimeFrom, i.TimeTo, v.Value FROM EntityInstanceMetricValue v JOIN "
               "Entity e ON e.Id = v.EntityId JOIN Metric m ON m.Id = v.MetricId JOIN EntityInstance i ON i.EntityId = "
               "v.EntityId AND i.EntityInstanceId = v.EntityInstanceId WHERE m.Name = 'ResponseTime'")) {
      if (std::stoll(row[3]) - std::stoll(row[2]) != std::stoll(row[4])) FAIL(row[0] << " " << row[1]);
      jobs[row[0]][std::stoull(row[1])] = {std::stoll(row[2]), std::stoll(row[3])};
    }
    check_responses(made, results, jobs, 1, btf_name);
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> extents;
    for (const auto& row : query(
             path, fmt::format("SELECT e.Name, m.Name, COUNT(*), MIN(v.Value), MAX(v.Value) FROM "
                               "EntityInstanceMetricValue v JOIN Entity e ON e.Id = v.EntityId JOIN Metric m ON m.Id = "
                               "v.MetricId JOIN EntityInstance i ON i.EntityId = v.EntityId AND i.EntityInstanceId = "
                               "v.EntityInstanceId WHERE i.TimeFrom < {} GROUP BY e.Id, m.Id",
                               results.horizon.picoseconds())))
      extents[{row[0], row[1]}] = row;
    for (TaskIndex task = 0; task < made.system.tasks.size(); ++task) {
      if (made.system.tasks[task].folded_into) continue;
      for (const TimeMetric metric :
           {TimeMetric::activate_to_activate, TimeMetric::start_to_start, TimeMetric::end_to_end,
            TimeMetric::end_to_start, TimeMetric::start_delay, TimeMetric::response_time,
            TimeMetric::gross_execution_time, TimeMetric::net_execution_time, TimeMetric::running_time,
            TimeMetric::ready_time, TimeMetric::waiting_time, TimeMetric::polling_time, TimeMetric::parking_time,
            TimeMetric::lateness}) {
        const auto& extent = results.tasks[task].metrics[metric];
        const auto found = extents.find({btf_name(made.system.tasks[task].name), std::string(to_string(metric))});
        INFO(made.system.tasks[task].name << " " << to_string(metric));
        REQUIRE((found != extents.end()) == (extent.jobs() > 0));
        if (extent.jobs() == 0) continue;
        CHECK(found->second[2] == std::to_string(extent.jobs()));
        CHECK(found->second[3] == std::to_string(extent.min().picoseconds()));
        CHECK(found->second[4] == std::to_string(extent.max().picoseconds()));
        ++compared;
      }
    }
  }
  CHECK(compared > 500);
}

TEST_CASE("trace databases have the documented tables and the stated number of events") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/trace.atdb";
  const Case made{system_from_file(sample("offload-minimal.amxmi")), std::nullopt, std::nullopt};
  made.traced(path);
  std::map<std::string, std::string> meta;
  for (const auto& row : query(path, "SELECT Name, Value FROM MetaInformation")) meta[row[0]] = row[1];
  CHECK(meta["db_version"] == "v0.2.1");
  CHECK(meta["time_base"] == "ps");
  std::size_t events = 0;
  for (const auto& row : query(path, "SELECT DISTINCT EventTableName FROM Entity WHERE HasEvents"))
    for (const auto& count : query(path, fmt::format("SELECT COUNT(*) FROM \"{}\"", row[0])))
      events += std::stoull(count[0]);
  CHECK(std::to_string(events) == meta["events_written"]);
  CHECK(events > 50);
  const auto control = query(path, "SELECT EventTableName FROM Entity WHERE Name = 'Control'");
  REQUIRE(control.size() == 1);
  std::string reported;
  for (const auto& row : query(path, fmt::format("SELECT TimeStamp, t.Name FROM \"{}\" e JOIN EventType t ON t.Id = "
                                                 "e.EventTypeId WHERE EntityInstanceId = 0 ORDER BY e.Id",
                                                 control[0][0])))
    reported += row[0] + " " + row[1] + "; ";
  CHECK(reported ==
        "0 activate; 300000000 start; 920000000 wait; 3930630000 release; 3930630000 resume; 4000000000 preempt; "
        "4300000000 resume; 4731890000 terminate; ");
}

TEST_CASE("traces in CSV have no gaps and replay to the response times of the results") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/trace.csv";
  for (const Case& made : cases(5, random_cases)) {
    const auto results = made.traced(path);
    check_responses(made, results, read_csv(read_text(path), made.system), 1, same);
  }
}

TEST_CASE("observers do not change the simulation and equal simulations yield equal traces") {
  const TemporaryFolder folder;
  for (const Case& made : cases(6, 5)) {
    const auto alone = made.run();
    for (const auto& format : exporter::trace_formats()) {
      if (format.extension == ".svg" && made.gpus() != 1) continue;
      const std::string one = fmt::format("{}/one{}", folder.path(), format.extension);
      const std::string two = fmt::format("{}/two{}", folder.path(), format.extension);
      const auto watched = made.traced(one);
      CHECK(watched.responses == alone.responses);
      CHECK(watched.events == alone.events);
      made.traced(two);
      CHECK(read_text(one) == read_text(two));
    }
  }
}

TEST_CASE("an unfinished trace leaves no file and an unwritable one states why") {
  const TemporaryFolder folder;
  for (const auto& format : exporter::trace_formats()) {
    const std::string path = fmt::format("{}/trace{}", folder.path(), format.extension);
    {
      auto writer = format.make(path, {});
      REQUIRE(writer.has_value());
    }
    CHECK_FALSE(format.make(folder.path() + "/none/trace", {}).has_value());
    CHECK(format.make(folder.path(), {}).error().find("it is a folder") != std::string::npos);
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("hundreds of random systems yield legal traces", "[long]") {
  const TemporaryFolder folder;
  std::mt19937 random(100);
  for (int index = 0; index < test::times(200); ++index) {
    INFO("system " << index);
    const Case made = random_case(random);
    const auto results = made.traced(folder.path() + "/trace.btf");
    check_responses(made, results, read_btf(read_text(folder.path() + "/trace.btf")).jobs, 1000, btf_name);
    made.traced(folder.path() + "/trace.json");
    read_json(read_text(folder.path() + "/trace.json"));
  }
}

}  // namespace traces_trace_test
