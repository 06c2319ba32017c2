// SPDX-License-Identifier: Apache-2.0
// Timelines of gpu run. Golden files contain each format of one hand-made run; independent readers check the properties
// of the formats on random runs.

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include <fmt/core.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "exporter/gpu/examiner_log.hpp"
#include "exporter/gpu/timeline.hpp"
#include "exporter/gpu/timeline_formats.hpp"
#include "exporter/primitives/drawing.hpp"
#include "tests/support/test_models.hpp"

namespace gpu_timeline_test {

namespace {

using namespace amalthea::engine::gpu;
using namespace amalthea::exporter;
using amalthea::Duration;
using amalthea::Instant;
using nlohmann::json;

Instant at(std::int64_t picoseconds) { return Instant::at(Duration::picoseconds(picoseconds)); }
Instant at_us(std::int64_t microseconds) { return Instant::at(Duration::microseconds(microseconds)); }

struct Case {
  StreamScenario scenario;
  StreamRun run;

  std::size_t add(const std::string& name, StreamOperationKind kind, std::size_t stream, Instant release,
                  Instant enqueued, Instant start, Instant completion, std::vector<BlockRun> blocks = {}) {
    StreamOperation operation;
    operation.name = name;
    operation.kind = kind;
    operation.stream = stream;
    operation.release = release;
    operation.blocks = blocks.empty() ? 1 : static_cast<std::int64_t>(blocks.size());
    scenario.operations.push_back(operation);
    run.operations.push_back({enqueued, start, completion, std::move(blocks)});
    return scenario.operations.size() - 1;
  }
};

/// Two processes on a GPU of two SMs: a copy and a kernel of three blocks, of which one process is interrupted, and a
/// kernel of the same name as the other's; names that some forms cannot hold as they are.
Case golden_case() {
  Case made;
  made.scenario.limits().sms = 2;
  made.scenario.contexts = {{"camera <1>", Duration::microseconds(10), ContextPriority::medium},
                            {"radar", Duration::microseconds(10), ContextPriority::medium}};
  made.scenario.streams = {{{StreamPriority::low, false}, "vision, left", 0}, {{StreamPriority::low, true}, "", 1}};
  const auto kernel = StreamOperationKind::kernel;
  made.add("image & mask", StreamOperationKind::host_to_device, 0, at_us(0), at_us(0), at_us(0), at_us(4));
  made.add("detect", kernel, 0, at_us(0), at_us(4), at_us(4), at_us(35),
           {{0, at_us(4), at_us(24)}, {1, at_us(4), at_us(24)}, {0, at_us(24), at_us(35)}});
  made.add("detect", kernel, 1, at_us(2), at_us(2), at_us(11), at_us(20), {{1, at_us(11), at_us(20)}});
  made.add("nothing", StreamOperationKind::memset, 1, at(20'000'001), at(20'000'001), at(20'000'001), at(20'000'001));
  made.run.slices = {{0, 0, at_us(0), at_us(0), at_us(10)},
                     {1, 0, at_us(0), at_us(0), at_us(5)},
                     {0, 1, at_us(10), at_us(11), at_us(20)},
                     {0, 0, at_us(20), at_us(21), at_us(35)}};
  return made;
}

TimelineOptions options() {
  TimelineOptions chosen;
  chosen.title = "two <processes>";
  return chosen;
}

/// The file in tests/data; AMALTHEA_UPDATE_GOLDEN=1 writes it again.
void check_golden(const std::string& name, const std::string& text) {
  if (std::getenv("AMALTHEA_UPDATE_GOLDEN") != nullptr) test::write_text(test::data(name), text);
  CHECK(text == test::read_text(test::data(name)));
}

/// A run of one process or, with slices, of several; blocks begin and end anywhere. Not what a GPU would do, but all
/// that timelines may rely on.
Case random_case(std::mt19937& random, int max_contexts = 3) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  Case made;
  made.scenario.limits().sms = pick(1, 3);
  made.scenario.device.copy_engines = pick(1, 2);
  const int contexts = pick(1, max_contexts);
  for (int index = 0; index < contexts; ++index)
    made.scenario.contexts.push_back({fmt::format("p{}", index), Duration::microseconds(1), ContextPriority::low});
  for (int index = 0; index < 4; ++index)
    made.scenario.streams.push_back(
        {{StreamPriority::low, false}, fmt::format("s{}", index), static_cast<std::size_t>(pick(0, contexts - 1))});
  if (contexts > 1)
    for (std::size_t engine = 0; engine < 3; ++engine)
      for (int time = 0; time < 3000;) {
        const int ready = time + pick(0, 5);
        const int end = ready + pick(0, 200);
        made.run.slices.push_back({static_cast<EngineIndex>(engine), static_cast<ContextIndex>(pick(0, contexts - 1)),
                                   at(time), at(ready), at(end)});
        time = end + pick(0, 3);
      }
  std::vector<int> copies_end(3, 0);
  for (int index = pick(1, 12); index > 0; --index) {
    const auto stream = static_cast<std::size_t>(pick(0, 3));
    const int release = pick(0, 200);
    const int enqueued = release + pick(0, 50);
    const std::string name = fmt::format("o{}", pick(0, 3));
    if (pick(0, 2) == 0) {
      const auto kind = pick(0, 1) == 0 ? StreamOperationKind::device_to_host : StreamOperationKind::host_to_device;
      StreamOperation copy;
      copy.kind = kind;
      copy.stream = stream;
      int& free = copies_end[engine_of(made.scenario, copy)];
      const int start = std::max(enqueued, free) + pick(0, 5);
      free = start + pick(0, 300);
      made.add(name, kind, stream, at(release), at(enqueued), at(start), at(free));
      continue;
    }
    std::vector<BlockRun> blocks;
    Instant first = Instant::never();
    Instant last;
    for (int count = pick(1, 6); count > 0; --count) {
      const int start = enqueued + pick(0, 100);
      const int end = start + pick(0, 400);
      blocks.push_back(
          {static_cast<SmIndex>(pick(0, static_cast<int>(made.scenario.limits().sms) - 1)), at(start), at(end)});
      first = std::min(first, at(start));
      last = std::max(last, at(end));
    }
    made.add(name, StreamOperationKind::kernel, stream, at(release), at(enqueued), first, last, std::move(blocks));
  }
  return made;
}

/// Step by step: when [start, end) is served, by looking at every slice.
std::vector<std::int64_t> served_times(const Case& made, const StreamOperation& operation, Instant start, Instant end,
                                       std::int64_t step = 1) {
  std::vector<std::int64_t> times;
  for (std::int64_t time = start.picoseconds(); time < end.picoseconds(); time += step) {
    bool is_served = made.scenario.contexts.size() == 1;
    for (const EngineSlice& slice : made.run.slices)
      is_served = is_served || (slice.engine == engine_of(made.scenario, operation) &&
                                slice.context == made.scenario.streams[operation.stream].context &&
                                slice.ready.picoseconds() <= time && time < slice.end.picoseconds());
    if (is_served) times.push_back(time);
  }
  return times;
}

/// Replays a trace as its specification says and gives every process's instance its life; a line that does not fit
/// fails the test.
struct Life {
  std::int64_t activated = -1;
  std::int64_t started = -1;
  std::int64_t terminated = -1;
  std::int64_t running = 0;  ///< ns on a core
  std::set<std::string> cores;
};
std::map<std::string, Life> replay(const std::string& trace) {
  std::map<std::string, Life> lives;
  std::map<std::string, std::string> on_core;
  std::map<std::string, std::string> core_of;
  std::map<std::string, std::int64_t> since;
  std::istringstream lines(trace);
  std::string line;
  std::int64_t before = 0;
  while (std::getline(lines, line)) {
    if (line.starts_with("#")) continue;
    std::vector<std::string> fields;
    std::istringstream parts(line);
    for (std::string field; std::getline(parts, field, ',');) fields.push_back(field);
    INFO(line);
    REQUIRE(fields.size() == 7);
    for (const std::string& field : fields) REQUIRE(field.find(' ') == std::string::npos);
    const std::int64_t time = std::stoll(fields[0]);
    REQUIRE(time >= before);
    before = time;
    const std::string& event = fields[6];
    if (event == "trigger") continue;
    REQUIRE(fields[3] == "T");
    const std::string process = fields[4] + "#" + fields[5];
    Life& life = lives[process];
    if (event == "activate") {
      REQUIRE(life.activated == -1);
      life.activated = time;
    } else if (event == "start" || event == "resume") {
      REQUIRE(life.activated != -1);
      REQUIRE(life.terminated == -1);
      REQUIRE((event == "start") == (life.started == -1));
      REQUIRE(on_core[fields[1]].empty());
      REQUIRE(core_of[process].empty());
      if (event == "start") life.started = time;
      life.cores.insert(fields[1]);
      on_core[fields[1]] = process;
      core_of[process] = fields[1];
      since[process] = time;
    } else {
      REQUIRE((event == "preempt" || event == "terminate"));
      if (!core_of[process].empty() || event == "preempt") {
        REQUIRE(on_core[fields[1]] == process);
        on_core[fields[1]].clear();
        core_of[process].clear();
        life.running += time - since[process];
      }
      if (event == "terminate") life.terminated = time;
    }
  }
  for (const auto& [process, life] : lives) {
    INFO(process);
    REQUIRE(life.terminated != -1);
  }
  return lives;
}

}  // namespace

TEST_CASE("a run of two processes matches the approved output in every timeline format") {
  const Case made = golden_case();
  check_golden("gpu-timeline.txt", render_gpu_gantt_text(made.scenario, made.run, options()));
  check_golden("gpu-timeline.svg", render_gpu_gantt_svg(made.scenario, made.run, options()));
  check_golden("gpu-timeline.json", render_gpu_trace_perfetto(made.scenario, made.run, options()));
  check_golden("gpu-timeline.btf", render_gpu_trace_btf(made.scenario, made.run, options()));
}

TEST_CASE("every block and copy has one bar clipped to its service in a row without overlaps") {
  std::mt19937 random(20190901);
  for (int round = 0; round < 300; ++round) {
    const Case made = random_case(random);
    const Timeline timeline = make_timeline(made.scenario, made.run);
    std::set<std::pair<std::size_t, std::size_t>> seen;
    for (const TimelineRow& row : timeline.rows) {
      if (row.kind == TimelineRowKind::contexts) continue;
      Instant free;
      for (const TimelineBar& bar : row.bars) {
        CHECK(bar.start >= free);
        free = bar.end;
        CHECK(seen.emplace(bar.subject, bar.block).second);
        const StreamOperation& operation = made.scenario.operations[bar.subject];
        const OperationRun& done = made.run.operations[bar.subject];
        const bool is_kernel = operation.kind == StreamOperationKind::kernel;
        CHECK((row.kind == TimelineRowKind::multiprocessor) == is_kernel);
        if (is_kernel) CHECK(done.blocks[bar.block].sm == row.unit);
        CHECK(bar.start == (is_kernel ? done.blocks[bar.block].start : done.start));
        CHECK(bar.end == (is_kernel ? done.blocks[bar.block].end : done.completion));
        std::vector<std::int64_t> drawn;
        for (const TimelineSpan& span : bar.spans)
          for (std::int64_t time = span.start.picoseconds(); time < span.end.picoseconds(); ++time)
            drawn.push_back(time);
        CHECK(drawn == served_times(made, operation, bar.start, bar.end));
      }
    }
    std::size_t expected = 0;
    for (const OperationRun& done : made.run.operations) expected += std::max<std::size_t>(1, done.blocks.size());
    CHECK(seen.size() == expected);
  }
}

TEST_CASE("an SM has no more lanes than concurrent blocks") {
  std::mt19937 random(20190902);
  for (int round = 0; round < 100; ++round) {
    const Case made = random_case(random);
    for (std::size_t sm = 0; sm < static_cast<std::size_t>(made.scenario.limits().sms); ++sm) {
      std::int64_t most = 1;
      for (std::int64_t time = 0; time < 1500; ++time) {
        std::int64_t resident = 0;
        for (const OperationRun& done : made.run.operations)
          resident += std::count_if(done.blocks.begin(), done.blocks.end(), [&](const BlockRun& block) {
            return block.sm == sm && block.start <= at(time) && (at(time) < block.end || block.start == block.end) &&
                   at(time) <= block.end;
          });
        most = std::max(most, resident);
      }
      std::int64_t lanes = 0;
      for (const TimelineRow& row : make_timeline(made.scenario, made.run).rows)
        if (row.kind == TimelineRowKind::multiprocessor && row.unit == sm) ++lanes;
      CHECK(lanes <= most);
    }
  }
}

TEST_CASE("Perfetto tracks nest without overlapping slices and waiting begins and ends") {
  std::mt19937 random(20190903);
  for (int round = 0; round < 100; ++round) {
    const Case made = random_case(random);
    const json trace = json::parse(render_gpu_trace_perfetto(made.scenario, made.run, options()));
    CHECK(trace["displayTimeUnit"] == "ns");
    std::map<std::pair<int, int>, std::vector<std::pair<std::int64_t, std::int64_t>>> tracks;
    std::set<std::pair<int, int>> named;
    std::map<int, std::int64_t> waiting;
    std::map<std::pair<int, int>, json> open;
    std::map<std::pair<int, int>, std::int64_t> running;
    const auto picoseconds = [](const json& number) {
      return static_cast<std::int64_t>(std::llround(number.get<double>() * 1e6));
    };
    for (const json& event : trace["traceEvents"]) {
      const std::pair<int, int> track{event["pid"].get<int>(), event["tid"].get<int>()};
      if (event.value("name", "") == "thread_name") CHECK(named.insert(track).second);
      if (event["ph"] == "B") {
        CHECK(open.emplace(track, event).second);  // the slice before has ended, in the order of the file too
      } else if (event["ph"] == "E") {
        const json begin = open.extract(track).mapped();
        const std::int64_t start = picoseconds(begin["ts"]), end = picoseconds(event["ts"]);
        tracks[track].emplace_back(start, end);
        if (begin["args"].contains("operation"))
          running[{begin["args"]["operation"].get<int>(), begin["args"].value("block", 0)}] += end - start;
      }
      if (event["ph"] == "b") CHECK(waiting.emplace(event["id"].get<int>(), picoseconds(event["ts"])).second);
      if (event["ph"] == "e") {
        CHECK(waiting.at(event["id"].get<int>()) < picoseconds(event["ts"]));
        waiting.erase(event["id"].get<int>());
      }
    }
    CHECK(waiting.empty());
    CHECK(open.empty());
    for (auto& [track, slices] : tracks) {
      CHECK(named.count(track) == 1);
      std::sort(slices.begin(), slices.end());
      for (std::size_t index = 1; index < slices.size(); ++index)
        CHECK(slices[index].first >= slices[index - 1].second);
    }
    for (std::size_t index = 0; index < made.run.operations.size(); ++index) {
      const StreamOperation& operation = made.scenario.operations[index];
      const auto& blocks = made.run.operations[index].blocks;
      for (std::size_t block = 0; block < blocks.size(); ++block)
        CHECK(running[{static_cast<int>(index), static_cast<int>(block)}] ==
              static_cast<std::int64_t>(served_times(made, operation, blocks[block].start, blocks[block].end).size()));
    }
  }
}

TEST_CASE("times in Perfetto are exact to the picosecond") {
  Case made;
  made.scenario.contexts.emplace_back();
  made.scenario.streams = {{{StreamPriority::low, false}, "s", 0}};
  made.add("K", StreamOperationKind::kernel, 0, at(0), at(0), at(1), at(12'000'000'000'001),
           {{0, at(1), at(12'000'000'000'001)}});
  const std::string trace = render_gpu_trace_perfetto(made.scenario, made.run, {});
  CHECK(trace.find(R"("ts":0.000001,"name":"K")") != std::string::npos);
  CHECK(trace.find(R"("ts":12000000.000001})") != std::string::npos);
  CHECK(trace.find("waits in its stream") == std::string::npos);  // no time, no slice
}

TEST_CASE("a replay of the BTF trace yields releases and starts and completions and core times") {
  std::mt19937 random(20190904);
  for (int round = 0; round < 200; ++round) {
    Case made = random_case(random, round % 2 == 0 ? 1 : 3);
    // In nanoseconds, which is what the trace can tell.
    const auto longer = [](Instant& time) { time = at(time.picoseconds() * 1000); };
    for (StreamOperation& operation : made.scenario.operations) longer(operation.release);
    for (OperationRun& done : made.run.operations) {
      for (Instant* time : {&done.enqueued, &done.start, &done.completion}) longer(*time);
      for (BlockRun& block : done.blocks) {
        longer(block.start);
        longer(block.end);
      }
    }
    for (EngineSlice& slice : made.run.slices)
      for (Instant* time : {&slice.start, &slice.ready, &slice.end}) longer(*time);
    const Timeline timeline = make_timeline(made.scenario, made.run);
    std::map<std::size_t, std::size_t> instances;
    const auto lives = replay(render_gpu_trace_btf(made.scenario, made.run, options()));
    std::vector<std::size_t> order(made.run.operations.size());
    for (std::size_t index = 0; index < order.size(); ++index) order[index] = index;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return made.scenario.operations[a].release < made.scenario.operations[b].release;
    });
    std::map<std::size_t, std::size_t> blocks;
    for (const std::size_t index : order) {
      const std::size_t series = timeline.series_of[index];
      std::string name = "TASK_" + timeline.series[series].name;
      std::replace(name.begin(), name.end(), ' ', '_');
      const OperationRun& done = made.run.operations[index];
      const Life& life = lives.at(fmt::format("{}#{}", name, instances[series]++));
      CHECK(life.activated == made.scenario.operations[index].release.picoseconds() / 1000);
      CHECK(life.started == done.start.picoseconds() / 1000);
      CHECK(life.terminated == done.completion.picoseconds() / 1000);
      CHECK(life.running ==
            static_cast<std::int64_t>(
                served_times(made, made.scenario.operations[index], done.start, done.completion, 1000).size()));
      for (const BlockRun& block : done.blocks) {
        const Life& part = lives.at(fmt::format("{}.block#{}", name, blocks[series]++));
        CHECK(part.started == block.start.picoseconds() / 1000);
        CHECK(part.terminated == block.end.picoseconds() / 1000);
        CHECK(part.cores.begin()->starts_with(fmt::format("Core_SM{}_", block.sm)));
      }
    }
  }
}

TEST_CASE("an interrupted process is preempted and resumed in the BTF trace") {
  const Case made = golden_case();
  const auto lives = replay(render_gpu_trace_btf(made.scenario, made.run, options()));
  CHECK(lives.at("TASK_vision__left/detect#0").running == 20000);  // 4 to 10 and 21 to 35
  CHECK(lives.at("TASK_vision__left/detect.block#0").running == 9000);
  CHECK(lives.at("TASK_NULL/detect#0").running == 9000);
  CHECK(lives.at("TASK_nothing#0").terminated == 20000);
}

TEST_CASE("text has the requested width if possible") {
  const Case made = golden_case();
  for (const std::size_t width : {60U, 100U, 333U}) {
    TimelineOptions chosen = options();
    chosen.width = width;
    std::istringstream lines(render_gpu_gantt_text(made.scenario, made.run, chosen));
    std::size_t rows = 0;
    for (std::string line; std::getline(lines, line);)
      if (line.ends_with("|")) {
        ++rows;
        CHECK(line.size() == width);
      }
    CHECK(rows == 3 + 1 + 2);
  }
}

TEST_CASE("axis marks are steps of 1 or 2 or 5 and never too many") {
  for (std::int64_t end = 1; end > 0 && end < 5'000'000'000'000'000'000; end = end * 3 + 1) {
    const auto marks = axis_marks(at(end), 8);
    CHECK(marks.size() >= 2);
    CHECK(marks.size() <= 8);
    CHECK(marks.back().first <= at(end));
    const std::string step = fmt::format("{}", marks[1].first.picoseconds());
    CHECK((step[0] == '1' || step[0] == '2' || step[0] == '5'));
    CHECK(step.find_first_not_of('0', 1) == std::string::npos);
  }
  CHECK(axis_marks(at(0), 8).size() == 1);
  CHECK(axis_marks(at(12'000'000'000'000), 8)[1].second == "2 s");
  CHECK(axis_marks(at(1'500'000'000), 8)[1].second == "0.2 ms");
}

TEST_CASE("logs have every field that viewers of cuda_scheduling_examiner read") {
  Case made;
  made.scenario.contexts.emplace_back();
  made.scenario.limits().sms = 2;
  made.scenario.streams = {{{StreamPriority::low, false}, "s", 0}};
  made.add("in", StreamOperationKind::host_to_device, 0, at_us(1), at_us(1), at_us(1), at_us(3));
  made.add("K \"1\"", StreamOperationKind::kernel, 0, at_us(1), at_us(3), at_us(3), at_us(9),
           {{1, at_us(3), at(8'000'000'000 / 1000)}, {0, at_us(4), at_us(9)}});
  made.add("out", StreamOperationKind::device_to_host, 0, at_us(1), at_us(9), at_us(9), at_us(11));
  auto benchmarks = benchmarks_of_streams(made.scenario);
  REQUIRE(benchmarks.size() == 1);
  const json log = json::parse(render_examiner_log("name", benchmarks[0], made.scenario, made.run));
  CHECK(log["scenario_name"] == "name");
  CHECK(log["benchmark_name"] == "stream");
  CHECK(log["label"] == "s");
  CHECK(log["max_resident_threads"] == 4096);
  CHECK(log["release_time"] == 1e-6);
  CHECK(log["PID"] == 1);
  CHECK(log["TID"] == 1);
  REQUIRE(log["times"].size() == 3);
  CHECK(log["times"][0] == json::object());
  CHECK(log["times"][1] == json{{"copy_in_times", {1e-6, 3e-6}},
                                {"execute_times", {3e-6, 9e-6}},
                                {"copy_out_times", {9e-6, 11e-6}},
                                {"cpu_times", {1e-6, 11e-6}}});
  CHECK(log["times"][2] == json{{"kernel_name", "K \"1\""},
                                {"block_count", 2},
                                {"thread_count", 1},
                                {"shared_memory", 0},
                                {"cuda_launch_times", {3e-6, 3e-6, 9e-6}},
                                {"kernel_times", {3e-6, 9e-6}},
                                {"block_times", {3e-6, 8e-6, 4e-6, 9e-6}},
                                {"block_smids", {1, 0}},
                                {"cpu_core", 0}});
}

}  // namespace gpu_timeline_test
