// SPDX-License-Identifier: Apache-2.0
// What the strictest reader of a format says about what is written.

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/test_models.hpp"

namespace strict_readers_test {

namespace {

namespace fs = std::filesystem;

/// Perfetto's trace_processor_shell, unpacked if it is packed.
std::string trace_processor(const std::string& folder) {
  const char* chosen = std::getenv("AMALTHEA_PERFETTO");
  const std::string path = chosen != nullptr ? chosen : AMALTHEA_SOURCE_DIR "/../shared/tools/trace_processor_shell.xz";
  if (!fs::exists(path)) test::skip("no trace_processor_shell of Perfetto (AMALTHEA_PERFETTO)");
  if (!path.ends_with(".xz")) return path;
  const std::string program = folder + "/trace_processor_shell";
  const auto unpacked =
      test::run({"/bin/sh", "-c", fmt::format("xz -dc '{0}' > '{1}' && chmod +x '{1}'", path, program)});
  if (unpacked.exit_code != 0) test::skip("no xz (xz-utils)");
  if (test::run({program, "--version"}).exit_code != 0)
    test::skip("no libraries of Perfetto's trace reader (libprotobuf32)");
  return program;
}

/// Commands that write a trace to `trace`: of each model and each GPU scenario among the samples.
std::vector<std::vector<std::string>> traces_of_samples(const std::string& trace) {
  std::vector<std::vector<std::string>> commands;
  for (const char* models : {"", "tutorial/"})
    for (const auto& entry : fs::directory_iterator(test::sample(models)))
      if (entry.path().extension() == ".amxmi")
        commands.push_back({"analyze", entry.path(), "--until", "200ms", "--trace", trace});
  for (const char* folder_of : {"gpu", "amd"})
    for (const auto& entry : fs::directory_iterator(test::sample(folder_of)))
      if (entry.path().extension() == ".json") commands.push_back({"gpu", "run", entry.path(), "--timeline", trace});
  return commands;
}

/// What Trace Compass makes of a BTF file, by the rules of its parser (BtfTrace) and of the state view
/// (BtfStateProvider). It says what would be dropped, and fails where the state view would throw.
class TraceCompass {
 public:
  void read(std::istream& lines) {
    std::string line;
    while (lines.peek() == '#') {
      std::getline(lines, line);
      header(line);
    }
    while (std::getline(lines, line)) event(line);
  }
  std::set<std::string> cores, runnables, tasks;  ///< shown
  std::map<std::string, std::set<std::string>> declared;
  std::size_t events = 0;
  std::string dropped;  ///< the first line, or empty

 private:
  void header(const std::string& line) {
    const std::size_t blank = line.find(' ');
    const std::string key = line.substr(0, blank), value = blank == std::string::npos ? "" : line.substr(blank + 1);
    // Compared with texts in lower case, so others are not known; the date needs a zone, and ps is refused.
    if (key == "#creationDate" && !value.ends_with("Z")) drop(line);
    if (key == "#timeScale" && value != "ns" && value != "us" && value != "ms" && value != "s") drop(line);
    if (key.starts_with("#-")) {
      if (value.empty()) drop(line);
      declared[key.substr(2)].insert(value);
    }
  }
  static bool integer(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789", text[0] == '-' ? 1 : 0) == std::string::npos;
  }
  void event(const std::string& line) {
    static const std::set<std::string> types{"STI", "T", "ISR",   "R",   "IB",  "I",   "ECU",
                                             "P",   "C", "SCHED", "SIG", "SEM", "SIM", "SYS"};
    std::vector<std::string> fields;
    std::istringstream text(line);
    for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
    if (fields.size() != 7 || !integer(fields[0]) || !integer(fields[2]) || !integer(fields[5]) ||
        types.count(fields[3]) == 0 || line.find(' ') != std::string::npos)
      return drop(line);
    const std::int64_t time = std::stoll(fields[0]);
    if (time < time_) drop(line);  // states of the past cannot change
    time_ = time;
    ++events;
    state(line, fields[1], fields[3], fields[4], fields[6]);
  }
  void state(const std::string& line, const std::string& source, const std::string& type, const std::string& target,
             const std::string& what) {
    if (type == "T") tasks.insert(target);
    if (what != "start" && what != "resume" && what != "suspend" && what != "terminate") return;
    if (source.starts_with("Core") && what != "suspend") {
      cores.insert(source);
      active_core_[target] = what == "terminate" ? "" : source;
    } else if (source.starts_with("TASK")) {
      if (active_core_[source].empty()) drop(line);  // an exception
      runnables.insert(target);
    } else if (type == "T") {
      drop(line);  // the state view ignores it
    }
  }
  void drop(const std::string& line) {
    if (dropped.empty()) dropped = line;
  }

  std::map<std::string, std::string> active_core_;
  std::int64_t time_ = 0;
};

}  // namespace

TEST_CASE("Trace Compass shows every core and every part of a GPU in the traces of all samples") {
  const test::TemporaryFolder folder;
  const std::string trace = folder.path() + "/trace.btf";
  std::size_t read = 0, engines = 0, runnables = 0;
  for (const auto& command : traces_of_samples(trace)) {
    fs::remove(trace);
    test::amalthea(command);
    if (!fs::exists(trace)) continue;
    INFO(command[1] << " " << command[2]);
    std::istringstream lines(test::read_text(trace));
    TraceCompass reader;
    reader.read(lines);
    CHECK(reader.dropped.empty());
    CHECK(reader.events > 0);
    for (const std::string& core : reader.declared["C"]) {
      CHECK(core.starts_with("Core"));
      if (core.find("_EE") != std::string::npos) engines += reader.cores.count(core);
    }
    for (const std::string& task : reader.declared["T"]) CHECK(task.starts_with("TASK"));
    runnables += reader.runnables.size();
    ++read;
  }
  CHECK(read >= 20);
  CHECK(engines >= 10);
  CHECK(runnables >= 50);
}

TEST_CASE("Perfetto drops nothing of the traces of all samples") {
  const test::TemporaryFolder folder;
  const std::string program = trace_processor(folder.path());
  const std::string query = folder.path() + "/dropped.sql", trace = folder.path() + "/trace.json";
  test::write_text(query,
                   "select 'dropped', name, value from stats where value > 0 and severity != 'info';\n"
                   "select 'arrows', count(*) from flow;\n");
  std::size_t read = 0, arrows = 0;
  for (const auto& command : traces_of_samples(trace)) {
    fs::remove(trace);
    test::amalthea(command);
    if (!fs::exists(trace)) continue;
    const auto result = test::run({program, "-q", query, trace});
    INFO(command[1] << " " << command[2] << result.out);
    CHECK(result.exit_code == 0);
    CHECK(result.out.find("\"dropped\",\"") == std::string::npos);
    ++read;
    const std::string text = test::read_text(trace);
    std::size_t ends = 0;
    for (std::size_t at = 0; (at = text.find(R"("ph":"f")", at)) != std::string::npos; ++at) ++ends;
    CHECK(result.out.find(fmt::format("\"arrows\",{}\n", ends)) != std::string::npos);
    arrows += ends;
  }
  CHECK(read >= 20);
  CHECK(arrows > 1000);
}

/// What Perfetto's reader knows of a trace, as text: what it dropped; slices with their tracks and instances, instants,
/// and arrows between slices.
constexpr const char* shown_query =
    "select 'dropped', name, value from stats where value > 0 and severity != 'info';\n"
    "create view shown as select slice.id as id, ts, dur, slice.name as name, coalesce(category, '') as category,\n"
    "  depth, thread.name as track, process.name as tracks,\n"
    "  coalesce(extract_arg(slice.arg_set_id, 'debug.instance'), extract_arg(slice.arg_set_id, 'args.instance'))\n"
    "    as number,\n"
    "  coalesce(extract_arg(slice.arg_set_id, 'debug.open'), extract_arg(slice.arg_set_id, 'args.open')) as open\n"
    "  from slice join thread_track on track_id = thread_track.id join thread using (utid) join process using (upid);\n"
    "select 'slice', ts, dur, name, category, depth, track, tracks, number, open from shown\n"
    "  order by ts, tracks, track, depth, name, dur, number;\n"
    "select 'arrow', a.ts, a.name, a.track, a.tracks, b.ts, b.name, b.track, b.tracks from flow\n"
    "  join shown a on slice_out = a.id join shown b on slice_in = b.id\n"
    "  order by a.ts, a.tracks, a.track, a.name, b.ts, b.tracks, b.track, b.name;\n";

/// Counters that contradict the slices, if any. Utilization times its length is what ran; each job that is activated
/// raises the number of pending jobs, and is active once, unless it waits for another one at the end of the trace.
constexpr const char* counters_query =
    "create view counted as select track_id, process_counter_track.name as name, counter.id as id, ts, value,\n"
    "  lead(ts) over (partition by track_id order by counter.id) as until,\n"
    "  lead(value) over (partition by track_id order by counter.id) as next\n"
    "  from counter join process_counter_track on track_id = process_counter_track.id;\n"
    "select 'counters', count(distinct track_id) from counted;\n"
    "select 'wrong', name, ran, busy from\n"
    "  (select 'utilization of ' || track as name, sum(dur) as ran from shown\n"
    "     where depth = 0 and tracks in ('cores', 'GPU engines') group by track)\n"
    "  join (select name, sum(value * (until - ts)) / 100 as busy from counted group by track_id) using (name)\n"
    "  where abs(ran - busy) > 2000;\n"
    "select 'wrong', name, jobs, raised from\n"
    "  (select 'pending jobs of ' || track as name, count(*) as jobs from shown where name = 'active' group by track)\n"
    "  join (select name, sum(next > value) as raised, min(value) as least,\n"
    "          max(case when next is null then value - 1 else 0 end) as wait from counted group by track_id)\n"
    "  using (name)\n"
    "  where jobs + max(wait, 0) != raised or least < 0;\n";

std::string first_difference(const std::string& one, const std::string& other) {
  std::istringstream lines(one), others(other);
  std::string line, of_other;
  while (std::getline(lines, line))
    if (!std::getline(others, of_other) || line != of_other) return fmt::format("{}\n{}", line, of_other);
  return std::getline(others, of_other) ? of_other : "";
}

TEST_CASE("Perfetto shows the same of protocol buffers as of trace events, and counters agree with slices") {
  const test::TemporaryFolder folder;
  const std::string program = trace_processor(folder.path());
  const std::string query = folder.path() + "/shown.sql", counters = folder.path() + "/counters.sql";
  test::write_text(query, shown_query);
  test::write_text(counters, std::string(shown_query) + counters_query);
  const std::string events = folder.path() + "/trace.json", buffers = folder.path() + "/trace.pftrace";
  std::size_t read = 0, arrows = 0, counted = 0;
  for (auto command : traces_of_samples(events)) {
    if (command[0] != "analyze") continue;
    fs::remove(events);
    test::amalthea(command);
    if (!fs::exists(events)) continue;
    command.back() = buffers;
    const auto written = test::amalthea(command);
    if (written.err.find("unknown") != written.err.npos) test::skip("no protobuf (protobuf-compiler, libprotobuf-dev)");
    INFO(command[1]);
    const auto of_events = test::run({program, "-q", query, events});
    const auto of_buffers = test::run({program, "-q", counters, buffers});
    CHECK(of_events.exit_code == 0);
    CHECK(of_buffers.exit_code == 0);
    CHECK(of_events.out.find("\"dropped\",\"") == std::string::npos);
    const std::size_t end = of_buffers.out.find("\n\"'counters'\"");
    REQUIRE(end != std::string::npos);
    CHECK(first_difference(of_buffers.out.substr(0, end), of_events.out) == "");
    CHECK(of_buffers.out.find("\"wrong\"", end) == std::string::npos);
    ++read;
    for (std::size_t at = 0; (at = of_events.out.find("\"arrow\"", at)) != std::string::npos; ++at) ++arrows;
    counted += of_buffers.out.find("\"counters\",0", end) == std::string::npos ? 1 : 0;
  }
  CHECK(read >= 10);
  CHECK(arrows > 500);
  CHECK(counted == read);
}

}  // namespace strict_readers_test
