// SPDX-License-Identifier: Apache-2.0
// Every format of traces, as other programs write it: its events, and what is wrong in it.

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <zlib.h>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "exporter/primitives/database.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/test_models.hpp"
#include "traces/reading/detail/database_reader.hpp"
#include "traces/trace_reader.hpp"

namespace traces_formats_test {
namespace {

using namespace amalthea;
using traces::Event;

/// The events of a trace as text, one line each.
class Listing final : public traces::TraceSink {
 public:
  std::vector<std::string> lines, problems;

  void entity(const traces::Entity& entity) override { names_.push_back(entity.name); }
  void event(const Event& event) override {
    const std::string target = names_.at(event.target);
    const std::string by = event.source == traces::no_entity ? "" : " by " + names_.at(event.source);
    const auto at = [](Instant time) { return fmt::format("{}", time.picoseconds() / 1000); };
    switch (event.what) {
      case Event::What::process:
        return add(event, fmt::format("{} {} {}{}", target, event.instance, engine::to_string(event.process), by));
      case Event::What::runnable:
        return add(event,
                   fmt::format("{} {} runnable {}{}", target, event.instance, static_cast<int>(event.runnable), by));
      case Event::What::trigger:
        return add(event, fmt::format("{} {} trigger{}", target, event.instance, by));
      case Event::What::access:
        return add(event, fmt::format("{} {}{}", target, event.writes ? "written" : "read", by));
      case Event::What::interval:
        return add(event, fmt::format("{} {} {} from {}{}", target, event.instance, engine::to_string(event.state),
                                      at(event.from), by));
      case Event::What::execution:
        return add(event, fmt::format("{} executes from {}{}", target, at(event.from),
                                      event.has_submission ? ", submitted at " + at(event.submission) : ""));
      case Event::What::forget:
        return add(event, fmt::format("{} {} forgotten", target, event.instance));
    }
  }
  void problem(const traces::Problem& problem) override {
    problems.push_back(
        fmt::format("{}{}", problem.kind == traces::Problem::Kind::truncated ? "truncated: " : "", problem.message));
  }

 private:
  void add(const Event& event, const std::string& what) {
    lines.push_back(fmt::format("{} {}", event.time.picoseconds() / 1000, what));
  }
  std::vector<std::string> names_;
};

struct Read {
  Listing listing;
  traces::TraceReport report;
  std::string error;
};
Read read(const std::string& path) {
  Read result;
  const auto done = traces::read_trace({path, {}, {}}, result.listing, result.report);
  if (!done) result.error = done.error();
  return result;
}
Read read_text(const std::string& name, const std::string& text) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/" + name;
  test::write_text(path, text);
  return read(path);
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("BTF: headers and events of other entities and notes are read as simulators write them") {
  const Read read = read_text("trace.btf",
                              "#version 2.2.0\n#creator Some Writer (1.0)\n#inputRTE \\\\?\\C:\\x y\n#timeScale us\n"
                              "#entityType\n#-0 T\n#-1 C\n# a comment\n"
                              "0,SEM_A,0,SEM,SEM_A,0,ready,0\n"
                              "0,Core_1,0,C,Core_1,0,set_frequence,40000000\n"
                              "0,SIM,-1,STI,TIMER,0,trigger\n"
                              "0,TIMER,0,T,TASK_A,0,activate\n"
                              "0,TASK_A,0,SCHED,SCHED_1,-1,processactivate,some note\n"
                              "1,Core_1,0,T,TASK_A,0,start\n"
                              "1,TASK_A,0,R,F,0,start\n"
                              "2,TASK_A,0,SIG,S,0,write,17\n"
                              "3,TASK_A,0,R,F,0,terminate\n"
                              "3,Core_1,0,T,TASK_A,0,terminate\n"
                              "4,TIMER,1,T,TASK_A,1,mtalimitexceeded\n");
  CHECK(read.error.empty());
  CHECK(read.report.format == "BTF");
  CHECK(read.listing.problems == Lines{});
  CHECK(read.report.ignored == 3);
  CHECK(read.listing.lines == Lines{"0 TIMER 0 trigger", "0 TASK_A 0 activate by TIMER",
                                    "1000 TASK_A 0 start by Core_1", "1000 F 0 runnable 0 by TASK_A",
                                    "2000 S written by TASK_A", "3000 F 0 runnable 3 by TASK_A",
                                    "3000 TASK_A 0 terminate by Core_1", "4000 TASK_A 1 mtalimitexceeded by TIMER"});
}

TEST_CASE("BTF 1.0: numbers stand for the names of its tables") {
  const Read read =
      read_text("trace.btf",
                "#version 1.0\n#timeScale ns\n#typeTable\n#-0 T\n#-1 STI\n#entityTable\n#-0 Task_A\n#-1 Core_1\n"
                "#-2 Timer\n0,2,0,0,0,0,activate\n100,1,0,0,0,0,start\n150,1,0,0,0,0,preempt\n");
  CHECK(read.listing.problems == Lines{});
  CHECK(read.listing.lines ==
        Lines{"0 Task_A 0 activate by Timer", "100 Task_A 0 start by Core_1", "150 Task_A 0 preempt by Core_1"});
}

TEST_CASE("BTF: a line that cannot be read is left out and a packed trace is unpacked") {
  const std::string text =
      "#version 2.1.5\n#timeScale ns\n1,S,0,T,A,0,activate\n2,S,0,T\nx,S,0,T,A,1,activate\n3,C,0,T,A,0,fly\n";
  const Read plain = read_text("trace.btf", text);
  REQUIRE(plain.listing.problems.size() == 3);
  CHECK(plain.listing.problems[0].find("4 fields") != std::string::npos);
  CHECK(plain.listing.problems[1].find("the time is \"x\"") != std::string::npos);
  CHECK(plain.listing.problems[2].find("\"fly\"") != std::string::npos);

  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/trace.btf.gz";
  gzFile file = ::gzopen(path.c_str(), "wb");
  REQUIRE(file != nullptr);
  ::gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  ::gzclose(file);
  CHECK(read(path).listing.lines == plain.listing.lines);
  // The archive is cut off.
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 12);
  const Read cut = read(path);
  REQUIRE_FALSE(cut.listing.problems.empty());
  CHECK(cut.listing.problems.back().starts_with("truncated: "));
}

void write_database(const std::string& path, const std::vector<const char*>& statements) {
  test::write_text(path, "");  // a database opens only what exists
  exporter::Database database(path);
  for (const char* sql : statements) database.run(sql);
  REQUIRE(database.close().has_value());
}

TEST_CASE("Nsight Systems: kernels with their submission and copies and ranges are executions") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/run.sqlite";
  write_database(
      path,
      {"CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)",
       "INSERT INTO StringIds VALUES (1, 'convolve'), (2, 'frame'), (3, 'cudaLaunchKernel')",
       "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, "
       "correlationId INTEGER, demangledName INTEGER, shortName INTEGER)",
       "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (3000, 5000, 0, 7, 11, 1, 1), (9000, 9500, 0, 7, 12, 1, 1)",
       "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, correlationId INTEGER, nameId INTEGER)",
       "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (2000, 2100, 11, 3)",
       "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, copyKind INTEGER, correlationId INTEGER)",
       "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1000, 1500, 1, 10), (6000, 6400, 2, 13), (7000, 6000, 2, 14)",
       "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, text TEXT, textId INTEGER)",
       "INSERT INTO NVTX_EVENTS VALUES (900, 9900, NULL, 2), (950, 990, 'inner', NULL), (100, NULL, 'mark', NULL)"});
  const Read read = traces_formats_test::read(path);
  CHECK(read.error.empty());
  CHECK(read.report.format == "Nsight Systems SQLite");
  CHECK(read.listing.lines == Lines{"5000 convolve executes from 3000, submitted at 2000",
                                    "9500 convolve executes from 9000", "1500 memcpy HtoD executes from 1000",
                                    "6400 memcpy DtoH executes from 6000", "9900 frame executes from 900",
                                    "990 inner executes from 950"});
  REQUIRE(read.listing.problems.size() == 1);
  CHECK(read.listing.problems[0].find("memcpy DtoH") != std::string::npos);
}

TEST_CASE("examiner logs: a kernel without block times has those of the host") {
  const auto log = [](const std::string& kernel) {
    return read_text("log.json",
                     "{\"scenario_name\": \"S\", \"plugin_name\": \"P\", \"label\": \"L\", \"times\": [{},\n"
                     "{\"copy_in_times\": [0.5, 0.6], \"cpu_times\": [0.5, 2.0]},\n" +
                         kernel + "\n]}");
  };
  const Lines begin{"600000000 L/copy_in executes from 500000000", "2000000000 L executes from 500000000"};
  const auto lines = [&](const Lines& kernel) {
    Lines all = begin;
    all.insert(all.end(), kernel.begin(), kernel.end());
    std::sort(all.begin(), all.end());
    return all;
  };
  const auto sorted = [](Lines all) {
    std::sort(all.begin(), all.end());
    return all;
  };
  const Read without = log(R"({"kernel_name": "k", "kernel_launch_times": [0.7, 0.71, 1.5], "block_times": []})");
  CHECK(without.report.format == "GPU examiner log");
  CHECK(without.listing.problems == Lines{});
  CHECK(sorted(without.listing.lines) == lines({"1500000000 L/k executes from 710000000, submitted at 710000000"}));
  const Read with =
      log(R"({"kernel_name": "k", "cuda_launch_times": [0.7, 0.71, 1.5], "block_times": [0.72, 1.2, 0.73, 1.4]})");
  CHECK(sorted(with.listing.lines) ==
        lines({"1200000000 L/k/block executes from 720000000", "1400000000 L/k/block executes from 730000000",
               "1400000000 L/k executes from 720000000, submitted at 710000000"}));
  // Blocks on a clock of their own are moved: the last one ends when the host stops waiting for it.
  const Read other = log(
      R"({"kernel_name": "k", "kernel_launch_times": [0.7, 0.71, 1.5], "block_times": [900.1, 900.2, 900.1, 900.4]})");
  CHECK(sorted(other.listing.lines) ==
        lines({"1300000000 L/k/block executes from 1200000000", "1500000000 L/k/block executes from 1200000000",
               "1500000000 L/k executes from 1200000000, submitted at 710000000"}));
  // Blocks that take longer than the host waits are not in seconds.
  const Read wrong =
      log(R"({"kernel_name": "k", "kernel_launch_times": [0.7, 0.71, 1.5], "block_times": [900.1, 910.2]})");
  REQUIRE(wrong.listing.problems.size() == 1);
  CHECK(wrong.listing.problems[0].find("10.1 s") != std::string::npos);
  CHECK(sorted(wrong.listing.lines) == lines({"1500000000 L/k executes from 710000000, submitted at 710000000"}));
}

TEST_CASE("trace events of other programs: every slice is an execution") {
  const Read read = read_text("trace.json",
                              R"({"displayTimeUnit": "ms", "traceEvents": [
{"ph": "M", "pid": 1, "tid": 2, "name": "thread_name", "args": {"name": "CPU 0"}},
{"ph": "B", "pid": 1, "tid": 2, "ts": 1.5, "name": "outer"},
{"ph": "X", "pid": 1, "tid": 3, "ts": 2, "dur": 0.25, "name": "kernel"},
{"ph": "B", "pid": 1, "tid": 2, "ts": 2.5, "name": "inner"},
{"ph": "E", "pid": 1, "tid": 2, "ts": 3},
{"ph": "E", "pid": 1, "tid": 2, "ts": 4},
{"ph": "E", "pid": 1, "tid": 2, "ts": 5},
{"ph": "C", "pid": 1, "ts": 5, "name": "counter", "args": {"value": 1}}]})");
  CHECK(read.listing.lines ==
        Lines{"2250 kernel executes from 2000", "3000 inner executes from 2500", "4000 outer executes from 1500"});
  CHECK(read.listing.problems == Lines{"it ends a slice, but none is open on its track"});
  const Read cut =
      read_text("trace.json", R"({"traceEvents": [{"ph": "X", "ts": 2, "dur": 1, "name": "k"}, {"ph": "X")");
  CHECK(cut.listing.lines == Lines{"3000 k executes from 2000"});
  REQUIRE(cut.listing.problems.size() == 1);
  CHECK(cut.listing.problems[0].starts_with("truncated: "));
}

TEST_CASE("trace events: slices beyond the limits of their track and of the trace are left out with their ends") {
  const auto begin = [](std::size_t track, const std::string& name) {
    return fmt::format(R"({{"ph":"B","tid":{},"ts":1,"name":"{}"}},)", track, name) + "\n";
  };
  const auto trace = [](const std::string& events) {
    return read_text("trace.json", "[" + events + R"({"ph": "C", "ts": 9}])");
  };
  std::string deep = begin(1, "outer"), wide;
  for (std::size_t index = 0; index < 9'999; ++index) deep += begin(1, "inner");
  deep += begin(1, "beyond") + R"({"ph":"E","tid":1,"ts":2},{"ph":"E","tid":1,"ts":3},)";
  const Read one = trace(deep);
  CHECK(one.listing.problems == Lines{"10000 slices are open on its track, the most that there may be"});
  CHECK(one.listing.lines == Lines{"3000 inner executes from 1000"});
  for (std::size_t track = 0; track < 100'001; ++track) wide += begin(track, "a");
  const Read many = trace(wide + R"({"ph":"E","tid":100000,"ts":2},{"ph":"E","tid":7,"ts":3},)");
  CHECK(many.listing.problems ==
        Lines{"100000 slices are open, the most that there may be", "it ends a slice, but none is open on its track"});
  CHECK(many.listing.lines == Lines{"3000 a executes from 1000"});
}

TEST_CASE("trace events of this tool: a job that ends twice is named and every other one is read") {
  const auto trace = [](const std::string& last) {
    return read_text("trace.json", R"({"traceEvents": [
{"ph": "M", "name": "process_name", "pid": 6, "args": {"name": "states of processes"}},
{"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "Core"}},
{"ph": "M", "name": "thread_name", "pid": 6, "tid": 1, "args": {"name": "A"}},
{"ph": "B", "name": "A", "ts": 1, "pid": 1, "tid": 1}, {"ph": "B", "name": "A", "ts": 2, "pid": 1, "tid": 1},
{"ph": "E", "ts": 3, "pid": 1, "tid": 1}, {"ph": "E", "ts": 4, "pid": 1, "tid": 1},
)" + last + "]}");
  };
  for (const char* last : {R"({"ph": "B", "name": "B", "ts": 5, "pid": 1, "tid": 1})",
                           R"({"ph": "B", "name": "waiting", "ts": 5, "pid": 6, "tid": 1})",
                           R"({"ph": "i", "name": "other", "ts": 5, "pid": 1, "tid": 1})"}) {
    INFO(last);
    const Read read = trace(last);
    CHECK(read.listing.problems == Lines{"it ends a job that has already ended"});
    REQUIRE(read.listing.lines.size() >= 3);
    CHECK(read.listing.lines[2] == "3000 A 0 terminate by Core");
  }
}

TEST_CASE("trace events: a text without end is no memory without end") {
  const Read read = read_text("trace.json", R"({"traceEvents": [{"ph": "X", "ts": 2, "dur": 1, "name": ")" +
                                                std::string(std::size_t{2} << 20, 'a') + "\"}]}");
  REQUIRE(read.listing.problems.size() == 1);
  CHECK(read.listing.problems[0].find("a text has more than 1048576 bytes") != std::string::npos);
}

TEST_CASE("CSV: a wrong line is left out and a truncated trace is read to its last whole line") {
  const std::string title = "event,task,job,release_ps,from_ps,to_ps,state,unit,runnable,activity,reason,by\n";
  const Read read = read_text("trace.csv", title +
                                               "activation,\"a, b\",0,0,0,0,,,,,,\n"
                                               "interval,\"a, b\",0,0,0,5000,running,Core,R,1,execution,\n"
                                               "interval,\"a, b\",0,0,9000,5000,running,Core,R,1,execution,\n"
                                               "nonsense,\"a, b\",0,0,0,0,,,,,,\n"
                                               "completion,\"a, b\",0,0,0,5000,,,,,,\n"
                                               "activation,\"a, b\",1,70");
  CHECK(read.listing.lines == Lines{"0 a, b 0 activate", "5 a, b 0 running from 0 by Core", "5 a, b 0 terminate"});
  REQUIRE(read.listing.problems.size() == 3);
  CHECK(read.listing.problems[2] == "truncated: the trace ends within a line");
}

TEST_CASE("ATDB: interrupts and lost activations are read and a damaged database is an error") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/run.atdb";
  write_database(
      path,
      {"CREATE TABLE MetaInformation (Name TEXT, Value TEXT)", "INSERT INTO MetaInformation VALUES ('Time_Base', 'ns')",
       "CREATE TABLE EntityType (Id INTEGER, Name TEXT)",
       "INSERT INTO EntityType VALUES (1, 'ISR'), (2, 'Stimulus'), (3, 'Core')",
       "CREATE TABLE EventType (Id INTEGER, Name TEXT)",
       "INSERT INTO EventType VALUES (1, 'trigger'), (2, 'activate'), (3, 'mtalimitexceded'), (4, 'start'), (5, "
       "'idle')",
       "CREATE TABLE Entity (Id INTEGER, Name TEXT, EntityTypeId INTEGER, EventTableName TEXT)",
       "INSERT INTO Entity VALUES (7, 'Irq', 1, 'Irq_Event'), (8, 'Timer', 2, 'Timer_Event'), (9, 'Core', 3, NULL)",
       "CREATE TABLE Irq_Event (TimeStamp INTEGER, SQCNR INTEGER, EntityId INTEGER, EntityInstanceId INTEGER, "
       "SourceEntityId INTEGER, SourceEntityInstanceId INTEGER, EventTypeId INTEGER)",
       "INSERT INTO Irq_Event VALUES (10, 1, 7, 0, 8, 0, 2), (20, 0, 7, 0, 9, 0, 4), (30, 0, 7, 1, 8, 1, 3), (30, 1, "
       "99, 0, 8, 1, 3)",
       "CREATE TABLE Timer_Event (TimeStamp INTEGER, SQCNR INTEGER, EntityId INTEGER, EntityInstanceId INTEGER, "
       "SourceEntityId INTEGER, SourceEntityInstanceId INTEGER, EventTypeId INTEGER)",
       "INSERT INTO Timer_Event VALUES (10, 0, 8, 0, NULL, NULL, 1)"});
  const Read read = traces_formats_test::read(path);
  CHECK(read.error.empty());
  CHECK(read.report.format == "ATDB");
  CHECK(read.listing.lines == Lines{"10 Timer 0 trigger", "10 Irq 0 activate by Timer", "20 Irq 0 start by Core",
                                    "30 Irq 1 mtalimitexceeded by Timer"});
  CHECK(read.listing.problems == Lines{"no entity has the id 99"});
  std::filesystem::resize_file(path, 1000);
  CHECK_FALSE(traces_formats_test::read(path).error.empty());
}

namespace {

// What every ATDB has, but for one table.
Read with_atdb(std::string_view without, std::vector<const char*> more) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/run.atdb";
  for (const char* sql :
       {"CREATE TABLE MetaInformation (Name, Value)", "CREATE TABLE EntityType (Id, Name)",
        "CREATE TABLE EventType (Id, Name)", "CREATE TABLE Entity (Id, Name, EntityTypeId, EventTableName)"})
    if (std::string_view(sql).find(fmt::format(" {} ", without)) == std::string_view::npos) more.push_back(sql);
  write_database(path, more);
  return traces_formats_test::read(path);
}

}  // namespace

TEST_CASE("databases: a view or a computed column is refused and not executed") {
  const auto endless = [](std::string_view name, std::string_view columns) {
    return fmt::format(
        "CREATE VIEW {} AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT {} FROM c", name,
        columns);
  };
  for (const auto& [name, columns] :
       std::map<std::string, std::string>{{"MetaInformation", "'a' AS Name, 'ns' AS Value"},
                                          {"EntityType", "x AS Id, 'Task' AS Name"},
                                          {"EventType", "x AS Id, 'start' AS Name"},
                                          {"Entity", "x AS Id, x AS Name, 1 AS EntityTypeId, 't' AS EventTableName"}}) {
    INFO(name);
    const std::string view = endless(name, columns);
    CHECK(with_atdb(name, {view.c_str()}).error.find(name + " is a view; expected a table") != std::string::npos);
  }
  const Read computed =
      with_atdb("EventType", {"CREATE TABLE EventType (Id, Name AS (replace(hex(zeroblob(1000)), '0', 'start')))"});
  CHECK(computed.error == "table EventType: column Name of EventType is computed; expected what a program stored");
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/run.sqlite";
  const std::string view = endless("CUPTI_ACTIVITY_KIND_KERNEL", "x AS start, x AS end, 1 AS shortName");
  write_database(path, {view.c_str()});
  CHECK(read(path).error.find("CUPTI_ACTIVITY_KIND_KERNEL is a view; expected a table") != std::string::npos);
}

TEST_CASE("databases: names that stand twice do not multiply what is read") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/run.sqlite";
  write_database(path, {"CREATE TABLE StringIds (id, value)", "INSERT INTO StringIds VALUES (1, 'a'), (1, 'b')",
                        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, shortName)",
                        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 2000, 1), (3000, 4000, 1)"});
  CHECK(read(path).listing.lines == Lines{"2000 a executes from 1000", "4000 a executes from 3000"});
  const std::string atdb = folder.path() + "/run.atdb";
  write_database(
      atdb, {"CREATE TABLE MetaInformation (Name, Value)", "CREATE TABLE EntityType (Id, Name)",
             "INSERT INTO EntityType VALUES (1, 'Task'), (1, 'Task')", "CREATE TABLE EventType (Id, Name)",
             "INSERT INTO EventType VALUES (1, 'start'), (1, 'start')",
             "CREATE TABLE Entity (Id, Name, EntityTypeId, EventTableName)",
             "INSERT INTO Entity VALUES (1, 'A', 1, 'T'), (2, 'B', 1, 't')",
             "CREATE TABLE T (TimeStamp, SQCNR, EntityId, EntityInstanceId, SourceEntityId, SourceEntityInstanceId, "
             "EventTypeId)",
             "INSERT INTO T VALUES (1000, 0, 1, 0, NULL, NULL, 1)"});
  CHECK(read(atdb).listing.lines == Lines{"1000 A 0 start"});
}

TEST_CASE("databases: reading stops after work that does not fit the size of the file") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/run.atdb";
  write_database(path, {"CREATE TABLE MetaInformation (Name, Value)", "CREATE TABLE Entity (Id)",
                        "INSERT INTO MetaInformation VALUES ('a', 'b')"});
  std::string bytes = test::read_text(path);
  constexpr std::size_t page = 4096, root = 2, levels = 5, cells = 500;
  REQUIRE(bytes.size() == 3 * page);
  const std::string leaf = bytes.substr(page, page);
  const auto two = [](std::size_t number) {
    return std::string{static_cast<char>(number >> 8), static_cast<char>(number & 255)};
  };
  // Every page has the next one as each of its children: a table of 500^5 rows.
  for (std::size_t level = 0; level < levels; ++level) {
    const std::string next = two(0) + two(4 + level);
    std::string made = "\x05" + two(0) + two(cells) + two(page - 5 * cells) + '\0' + next;
    for (std::size_t cell = 0; cell < cells; ++cell) made += two(page - 5 * cells + 5 * cell);
    made.resize(page - 5 * cells);
    for (std::size_t cell = 0; cell < cells; ++cell) made += next + '\1';
    REQUIRE(made.size() == page);
    if (level == 0)
      bytes.replace((root - 1) * page, page, made);
    else
      bytes += made;
  }
  bytes += leaf;
  bytes[31] = static_cast<char>(bytes.size() / page);
  test::write_text(path, bytes);
  CHECK(read(path).error.find("too many for its size") != std::string::npos);
}

TEST_CASE("databases: rows that share their text do not multiply what is read") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/run.atdb";
  write_database(path, {"CREATE TABLE MetaInformation (Name, Value)", "CREATE TABLE EntityType (Id, Name)",
                        "CREATE TABLE Entity (Id, Name, EntityTypeId)",
                        "INSERT INTO Entity VALUES (1, replace(hex(zeroblob(500000)), '0', 'x'), 1)"});
  auto database = traces::DatabaseReader::open(path);
  REQUIRE(database);
  std::string error;
  std::size_t passes = 0;
  for (; error.empty() && passes < 100; ++passes) {  // 1 MB each time
    auto rows = database->query("SELECT Name FROM Entity", {"Entity"});
    REQUIRE(rows);
    while (rows->next()) CHECK(rows->text(0).size() == 1'000'000);
    error = rows->error();
  }
  CHECK(passes > 10);
  CHECK(error.find("bytes, too many for its size") != std::string::npos);
}

TEST_CASE("databases: no file appears beside a trace and a log that is not merged is named") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/run 1%?#.sqlite";
  write_database(path,
                 {"CREATE TABLE NVTX_EVENTS (start, end, text)", "INSERT INTO NVTX_EVENTS VALUES (1000, 2000, 'a')"});
  std::string bytes = test::read_text(path);
  bytes[18] = bytes[19] = 2;  // its program writes with a log
  test::write_text(path, bytes);
  CHECK(read(path).listing.lines == Lines{"2000 a executes from 1000"});
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  test::write_text(path + "-wal", std::string(4096, 'x'));
  CHECK(read(path).error.starts_with("its newest content is in " + path + "-wal; "));
  std::filesystem::remove(path + "-wal");
  test::write_text(path + "-journal", "\xd9\xd5\x05\xf9");
  CHECK(read(path).error.starts_with("a write to it was interrupted, as " + path + "-journal tells; "));
  test::write_text(path + "-journal", std::string(28, '\0'));
  CHECK(read(path).error.empty());
}

TEST_CASE("what is no trace is refused with a reason") {
  CHECK(read_text("empty", "").error.find("empty") != std::string::npos);
  CHECK(read_text("text.txt", "Dear reader\n").error.find("no trace format is recognized") != std::string::npos);
  CHECK(read("/nonexistent/trace.btf").error.find("No such file") != std::string::npos);
}

TEST_CASE("logs of third parties are read without a problem beyond their own mistakes") {
  const std::string folder = test::corpus_folder("/rtns2021");
  std::size_t logs = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    ++logs;
    INFO(entry.path());
    const Read log = read(entry.path().string());
    CHECK(log.error.empty());
    CHECK(log.report.format == "GPU examiner log");
    CHECK(log.report.events >= 4);
    // The blocks of these logs are in the cycles of another clock; nothing else is wrong.
    for (const std::string& problem : log.listing.problems)
      CHECK(problem.find("are not in seconds") != std::string::npos);
    const auto kernels = std::count_if(log.listing.lines.begin(), log.listing.lines.end(), [](const std::string& line) {
      return line.find("/matrix_multiply executes") != std::string::npos;
    });
    CHECK(kernels > 0);
  }
  CHECK(logs >= 9);
}

}  // namespace traces_formats_test
