// SPDX-License-Identifier: Apache-2.0
// A scenario and the model that is made of it are the same system: what `gpu run` simulates, `simulate` does too.

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <catch2/catch.hpp>

#include "amalthea/diagnostic.hpp"
#include "analysis/model_analysis.hpp"
#include "engine/devices/stream_scenario.hpp"
#include "engine/devices/stream_simulation.hpp"
#include "engine/simulation/observer_tee.hpp"
#include "exporter/gpu/gpu_recording.hpp"
#include "exporter/gpu/timeline.hpp"
#include "exporter/gpu/timeline_formats.hpp"
#include "importer/reading/model_reader.hpp"
#include "scenario/model_of_scenario.hpp"
#include "tests/support/thoroughness.hpp"

namespace {

using namespace amalthea;
using engine::gpu::StreamScenario;
using engine::gpu::WrittenCall;

/// What a simulation of the model showed: the start and the end of every operation, by task and job.
class Operations final : public engine::SimulationObserver {
 public:
  struct Times {
    std::optional<Instant> start, end;
  };
  bool wants_intervals() const override { return false; }
  bool wants_events() const override { return true; }
  void operation(const engine::OperationChange& change) override {
    Times& times = of[{change.task, change.job}];
    if (change.what == engine::ProcessEvent::start) times.start = change.now;
    if (change.what == engine::ProcessEvent::terminate) times.end = change.now;
  }
  std::map<std::pair<TaskIndex, std::uint64_t>, Times> of;
};

/// A scenario that models can say. Its operations have different names, which begin with `first`.
std::string random_scenario(std::mt19937& random, char first = 'o') {
  const auto draw = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  const auto one_of = [&](std::initializer_list<const char*> choices) {
    return *(choices.begin() + draw(0, static_cast<int>(choices.size()) - 1));
  };
  std::string text = fmt::format(R"({{"platform": "{}", )", one_of({"tx2", "xavier", "titan-v"}));
  if (draw(0, 3) == 0) text += fmt::format(R"("copy_engines": {}, )", draw(1, 2));
  if (draw(0, 3) == 0) text += fmt::format(R"("preemption": "{}", )", one_of({"instruction", "block", "kernel"}));
  if (draw(0, 3) == 0) text += fmt::format(R"("context_switch": "{}us", )", draw(0, 40));
  if (draw(0, 3) == 0) text += fmt::format(R"("stream_preemption": "{}us", )", draw(0, 40));
  if (draw(0, 3) == 0)
    text += fmt::format(R"("interference": {{"{}": {}, "{}": {}.0{}, "copying_processes": {}}}, )",
                        one_of({"kernel_by_memcpy", "kernel_by_same_gpc", "kernel_by_cpu"}), draw(1, 3),
                        one_of({"kernel_by_memset", "kernel_by_other_gpc", "copy_by_kernel", "copy_by_cpu"}),
                        draw(1, 2), draw(1, 9), draw(1, 2));
  if (draw(0, 3) == 0) text += fmt::format(R"("cpu_traffic": 0.{}, )", draw(1, 99));
  const int contexts = draw(1, 3);
  const bool by_priority = contexts > 1 && draw(0, 3) == 0;
  if (by_priority) text += R"("context_scheduling": "priority", )";
  const bool by_mps = draw(0, 3) == 0, by_warps = draw(0, 3) == 0;
  if (by_warps)
    text += fmt::format(R"("cycle": "100ns", "warp_policy": "{}", "warp_pipelines": "{}", )",
                        one_of({"lrr", "gto", "qaws", "two-level"}), one_of({"free", "pascal", "volta"}));
  text += R"("contexts": [)";
  for (int i = 0; i < contexts; ++i) {
    text += fmt::format(R"({}{{"name": "c{}", "timeslice": "{}us", "priority": "{}")", i > 0 ? ", " : "", i,
                        draw(1, 8) * 250, one_of({"low", "medium", "high"}));
    if (by_mps && draw(0, 3) > 0) text += fmt::format(R"(, "mps_share": {})", one_of({"100", "100", "50", "33.3"}));
    text += by_priority ? fmt::format(R"(, "urgency": {}}})", draw(1, 3)) : "}";
  }
  text += R"(], "streams": [)";
  const int streams = draw(1, 4);
  for (int i = 0; i < streams; ++i)
    text += fmt::format(R"({}{{"name": "s{}", "context": "c{}", "priority": "{}"{}{}}})", i > 0 ? ", " : "", i,
                        i % contexts, one_of({"low", "high"}), draw(0, 5) == 0 ? R"(, "sm_mask": "~0x1")" : "",
                        draw(0, 5) == 0 ? R"(, "deadline": "5ms")" : "");
  text += R"(], "operations": [)";
  const int operations = draw(1, 7);
  for (int i = 0; i < operations; ++i) {
    const int stream = draw(0, streams - 1);
    const std::string in = draw(0, 5) == 0 ? "" : fmt::format(R"("stream": "s{}", )", stream);  // "": the NULL stream
    text += fmt::format(R"({}{{"context": "c{}", {}"release": "{}us")", i > 0 ? ",\n " : "\n ", stream % contexts, in,
                        draw(0, 4) * 500);
    if (draw(0, 3) > 0) text += fmt::format(R"(, "period": "{}us")", 5000 * draw(1, 3));
    if (draw(0, 5) == 0) text += fmt::format(R"(, "deadline": "{}us")", 1000 * draw(1, 5));
    if (draw(0, 2) == 0) {
      const std::string kind = one_of({"h2d", "d2h", "memset"});
      text += fmt::format(R"(, "copy": "{}{}", "kind": "{}", "duration": "{}us"{}}})", first, i, kind, draw(1, 30) * 50,
                          kind != "memset" && draw(0, 5) == 0 ? R"(, "host_memory": "pageable")" : "");
      continue;
    }
    text += fmt::format(R"(, "kernel": "{}{}", "blocks": {}, "threads": {}, "memory_share": {})", first, i, draw(1, 12),
                        draw(1, 32) * 32, one_of({"0", "0", "0.25", "1"}));
    if (draw(0, 5) == 0) text += fmt::format(R"(, "sm_mask": "{}")", one_of({"~0x1", "~0x2", "0x1"}));
    if (draw(0, 3) == 0) text += fmt::format(R"(, "footprint": {})", one_of({"1000", "600001", "50000000"}));
    if (by_warps && draw(0, 3) > 0) {
      std::string instructions = fmt::format("memory:{}", draw(1, 300));
      for (int j = draw(5, 60); j > 0; --j)
        instructions += fmt::format(",{}{}", one_of({"", "", "int32:"}), draw(1, 4));
      text += fmt::format(R"(, "instructions": "{}", "budget": {}}})", instructions, draw(1, 4));
    } else {
      text += fmt::format(R"(, "duration": "{}us"}})", draw(1, 30) * 50);
    }
  }
  return text + "]}";
}

/// The same on an AMD GPU, with figures of its own, streams and kernels that state queues, and kernels that cost more than
/// the time of their blocks.
std::string random_amd_scenario(std::mt19937& random, char first = 'o') {
  const auto draw = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  const auto one_of = [&](std::initializer_list<const char*> choices) {
    return *(choices.begin() + draw(0, static_cast<int>(choices.size()) - 1));
  };
  const bool states_queues = draw(0, 1) == 0, states_costs = draw(0, 1) == 0;
  int units = 60, aces = 4, queues = 4;
  std::string text = R"({"platform": "radeon-vii", )";
  if (draw(0, 1) == 0) {
    const int engines = draw(1, 5), of_each = draw(1, 16);
    units = engines * of_each;
    aces = draw(1, 5);
    queues = draw(1, 5);
    text += fmt::format(R"("amd": {{"shader_engines": {}, "units_per_engine": {}, "aces": {}, "slots_per_ace": {}, )"
                        R"("pool_queues": {}, "turns": "{}"{}}}, )",
                        engines, of_each, aces, draw(1, 9), queues, one_of({"round_robin", "oldest"}),
                        draw(0, 3) == 0 ? fmt::format(R"(, "ace_slice": "{}us")", draw(1, 900)) : "");
  }
  text += R"("contexts": [{"name": "c0"}, {"name": "c1"}], "streams": [)";
  const int streams = draw(1, 6);
  for (int i = 0; i < streams; ++i) {
    text += fmt::format(R"({}{{"name": "s{}", "context": "c{}")", i > 0 ? ", " : "", i, i % 2);
    if (draw(0, 2) == 0) {
      text += fmt::format(R"(, "cu_mask": "{}")", units >= 60 ? one_of({"even", "0xff", "packed:16", "0-29,59"})
                                                              : one_of({"even", "0x1", "full"}));
      if (states_queues && draw(0, 1) == 0) text += fmt::format(R"(, "ace": {})", draw(0, aces - 1));
    } else if (states_queues && draw(0, 1) == 0) {
      text += fmt::format(R"(, "hsa_queue": {})", draw(0, queues - 1));
    }
    text += "}";
  }
  text += R"(], "operations": [)";
  const int operations = draw(1, 7);
  for (int i = 0; i < operations; ++i) {
    const int stream = draw(0, streams - 1);
    const std::string in = draw(0, 8) == 0 ? "" : fmt::format(R"("stream": "s{}", )", stream);  // "": the NULL stream
    text += fmt::format(R"({}{{"context": "c{}", {}"release": "{}us")", i > 0 ? ",\n " : "\n ", stream % 2, in,
                        draw(0, 4) * 500);
    if (draw(0, 3) > 0) text += fmt::format(R"(, "period": "{}us")", 20'000 * draw(1, 3));
    if (draw(0, 3) == 0) {
      text += fmt::format(R"(, "copy": "{}{}", "kind": "{}", "duration": "{}us"}})", first, i, one_of({"h2d", "d2h"}),
                          draw(1, 30) * 50);
      continue;
    }
    text += fmt::format(R"(, "kernel": "{}{}", "memory_share": 0)", first, i);
    const bool like = states_costs && draw(0, 2) == 0;
    if (like) text += fmt::format(R"(, "like": "{}")", one_of({"mm1024", "mm256"}));
    if (!like || draw(0, 1) == 0)
      text += fmt::format(R"(, "blocks": {}, "threads": {}, "duration": "{}us")", draw(1, 150), draw(1, 32) * 32,
                          draw(1, 30) * 10);
    if (states_costs && draw(0, 2) == 0) text += fmt::format(R"(, "full_speed_threads": {})", draw(0, 4) * 256);
    if (states_costs && draw(0, 2) == 0) text += fmt::format(R"(, "weight": {}.{})", draw(0, 4), draw(1, 9));
    if (states_costs && draw(0, 2) == 0) text += fmt::format(R"(, "dispatch": "{}ns")", draw(0, 30) * 100);
    text += "}";
  }
  return text + "]}";
}

/// GPUs "a", "b" … that each have one of the scenarios to do.
std::string on_gpus(const std::vector<std::string>& scenarios) {
  std::string gpus;
  for (const std::string& scenario : scenarios)
    gpus += fmt::format(R"({}{{"name": "{}", {})", gpus.empty() ? "" : ",\n",
                        static_cast<char>('a' + &scenario - scenarios.data()), scenario.substr(1));
  return fmt::format(R"({{"gpus": [{}]}})", gpus);
}

struct Both {
  StreamScenario scenario;
  std::vector<WrittenCall> calls;
  engine::gpu::StreamRun run;
  System system;
};

/// Every periodic operation ends before its next release.
bool is_in_time(const Both& both) {
  for (const WrittenCall& call : both.calls)
    for (std::size_t i = call.operation;
         !call.period.is_zero() && i < both.scenario.operations.size() &&
         both.scenario.operations[i].name == both.scenario.operations[call.operation].name;
         ++i)
      if (both.run.operations[i].completion - both.scenario.operations[i].release > call.period) return false;
  return true;
}

/// Whether a drawing of the model ends with that of the scenario: before the model releases what the scenario does not.
/// Processes without operations do not exist in the model.
bool ends_as_model(const Both& both) {
  Instant end, next = Instant::never();
  for (const auto& run : both.run.operations) end = std::max(end, run.completion);
  for (std::size_t i = 0; i < both.calls.size(); ++i) {
    const std::size_t after = i + 1 < both.calls.size() ? both.calls[i + 1].operation : both.run.operations.size();
    if (!both.calls[i].period.is_zero())
      next = std::min(next, both.scenario.operations[after - 1].release + both.calls[i].period);
  }
  std::set<std::size_t> used;
  for (const auto& operation : both.scenario.operations) used.insert(both.scenario.streams[operation.stream].context);
  return used.size() == both.scenario.contexts.size() && end < next;
}

}  // namespace

TEST_CASE("a scenario and its model have equal starts, ends and drawings, and no end is after its bound",
          "[scenario]") {
  std::mt19937 random(42);
  std::size_t compared = 0, bounded = 0, late = 0, drawn = 0, slowed = 0, compared_on_two = 0, bounded_on_two = 0;
  std::map<std::string, int> with;  // keys of the scenarios
  for (int trial = 0; trial < test::times(1000); ++trial) {
    std::string text = trial % 4 == 3 ? random_amd_scenario(random) : random_scenario(random);
    const bool on_two = trial % 5 == 4;
    if (on_two)
      text = on_gpus({text, trial % 3 == 0 ? random_amd_scenario(random, 'p') : random_scenario(random, 'p')});
    INFO(text);
    Both both;
    auto scenario = engine::gpu::parse_stream_scenario(text, nullptr, &both.calls);
    REQUIRE(scenario);
    both.scenario = std::move(*scenario);
    // Profiles that are built in assume none.
    const bool is_slowed = !on_two && std::uniform_int_distribution(0, 2)(random) == 0;
    if (is_slowed) {
      both.scenario.device.interference.kernel_by_same_sm.ppm = std::uniform_int_distribution(11, 30)(random) * 100'000;
      ++slowed;
    }
    both.run = engine::gpu::simulate_streams(both.scenario).value();
    if (!is_in_time(both)) {
      ++late;
      continue;
    }
    const auto made = scenario::model_of_scenario("scenario.json", text);
    if (!made) FAIL(made.error().message);
    Diagnostics findings;
    const auto model = importer::read_model_from_bytes("scenario.json", made->text, {}, findings);
    REQUIRE(model);
    Operations observed;
    analysis::Options options;
    if (is_slowed) options.engine.profile = &both.scenario.device;
    auto system = analysis::prepare(*model, options, findings);
    if (!system)
      for (const Diagnostic& finding : findings.all()) UNSCOPED_INFO(format(finding));
    REQUIRE(system);
    // Nothing that the model says is without effect, and nothing is missing.
    for (const Diagnostic& finding : findings.all()) {
      INFO(format(finding));
      CHECK((finding.id == "AM0510" || finding.id == "AM0515" || finding.id == "AM0590" || finding.id == "AM0595"));
    }
    for (const char* key : {"mps_share",    "instructions",       "footprint",    "deadline",       "sm_mask",
                            "urgency",      "copy_engines",       "\"preemption", "context_switch", "stream_preemption",
                            "interference", "cpu_traffic",        "host_memory",  "hsa_queue",      "\"ace",
                            "like",         "full_speed_threads", "weight",       "dispatch",       "cu_mask",
                            "\"amd",        "ace_slice"})
      with[key] += text.find(key) != std::string::npos ? 1 : 0;
    Duration until;
    for (const auto& operation : both.scenario.operations)
      until = std::max(until, operation.release.since_start() + Duration::picoseconds(1));
    options.engine.until = until;
    UnitIndex gpu = 0;
    while (system->platform.units[gpu].type != PuType::gpu) ++gpu;
    exporter::GpuRecording recording(*system, gpu, both.scenario.device_of(0), both.scenario.operations.size() * 2);
    engine::ObserverTee observer(observed, recording);
    options.engine.observer = &observer;
    const auto results = engine::analyze(*system, options.engine, findings);
    REQUIRE(results);
    if (!on_two && ends_as_model(both)) {
      const auto streams = std::move(recording).take();
      CHECK(exporter::render_gpu_gantt_svg(streams.scenario, streams.run, {}) ==
            exporter::render_gpu_gantt_svg(both.scenario, both.run, {}));
      ++drawn;
    }
    for (TaskIndex task = 0; task < system->tasks.size(); ++task) {
      INFO(system->tasks[task].name);
      std::uint64_t job = 0;
      for (std::size_t i = 0; i < both.scenario.operations.size(); ++i) {
        const auto& call = both.scenario.operations[i];
        if (call.name != system->tasks[task].name) continue;
        const auto& run = both.run.operations[i];
        const auto times = observed.of[{task, job++}];
        // Later the model goes on, and the scenario releases nothing more.
        if (run.start.since_start() < until) CHECK(times.start == run.start);
        if (run.completion.since_start() >= until) continue;
        CHECK(times.end == run.completion);
        ++compared;
        if (on_two) ++compared_on_two;
        const auto& bound = results->tasks[task].bound.worst;
        if (!bound) continue;
        CHECK(run.completion - call.release <= *bound);
        ++bounded;
        if (on_two) ++bounded_on_two;
      }
    }
  }
  WARN(fmt::format(
      "{} compared, {} of them bounded; {} scenarios are late, {} drawn, {} with a factor for SMs; with {}; "
      "of two GPUs {} compared, {} bounded",
      compared, bounded, late, drawn, slowed, with, compared_on_two, bounded_on_two));
  CHECK(compared > 100);
  CHECK(bounded > 50);
  CHECK(compared_on_two > 20);
  CHECK(bounded_on_two > 10);
  CHECK(drawn > 20);
  for (const auto& [key, count] : with) {
    INFO(key);
    CHECK(count > 10);
  }
}

TEST_CASE("each GPU of a scenario behaves as if it were alone, and is drawn so", "[scenario]") {
  std::mt19937 random(43);
  for (int trial = 0; trial < test::times(300); ++trial) {
    std::vector<std::string> parts;
    for (int gpu = 0; gpu < 2 + trial % 2; ++gpu)
      parts.push_back((trial + gpu) % 3 == 2 ? random_amd_scenario(random) : random_scenario(random));
    std::string text = on_gpus(parts);
    INFO(text);
    text.insert(1, R"("until": "30ms", )");
    const auto whole = engine::gpu::parse_stream_scenario(text).value();
    const auto run = engine::gpu::simulate_streams(whole).value();
    const auto timeline = exporter::make_timeline(whole, run);
    std::size_t operation = 0;
    auto row = timeline.rows.begin();
    for (std::size_t gpu = 0; gpu < parts.size(); ++gpu) {
      parts[gpu].insert(1, R"("until": "30ms", )");
      const auto alone = engine::gpu::parse_stream_scenario(parts[gpu]).value();
      const auto run_alone = engine::gpu::simulate_streams(alone).value();
      const std::size_t first = operation;
      for (const auto& expected : run_alone.operations) {
        const auto& found = run.operations.at(operation++);
        CHECK(found.enqueued == expected.enqueued);
        CHECK(found.start == expected.start);
        CHECK(found.completion == expected.completion);
      }
      for (const auto& expected : exporter::make_timeline(alone, run_alone).rows) {
        REQUIRE(row != timeline.rows.end());
        CHECK(row->gpu == gpu);
        CHECK(exporter::unit_name(whole, *row) ==
              fmt::format("{}: {}", whole.gpus[gpu].name, exporter::unit_name(alone, expected)));
        REQUIRE(row->bars.size() == expected.bars.size());
        for (std::size_t i = 0; i < expected.bars.size(); ++i) {
          const auto &bar = row->bars[i], &bar_alone = expected.bars[i];
          CHECK((bar.start == bar_alone.start && bar.end == bar_alone.end && bar.block == bar_alone.block));
          if (row->kind != exporter::TimelineRowKind::contexts) CHECK(bar.subject == first + bar_alone.subject);
          CHECK(std::equal(bar.spans.begin(), bar.spans.end(), bar_alone.spans.begin(), bar_alone.spans.end(),
                           [](const auto& a, const auto& b) { return a.start == b.start && a.end == b.end; }));
        }
        ++row;
      }
    }
    CHECK(operation == run.operations.size());
    CHECK((row == timeline.rows.end()));
  }
}

TEST_CASE("what a model cannot say of a scenario is refused where it stands", "[scenario]") {
  const auto error_of = [](const std::string& keys, const std::string& of_operation) {
    const auto made = scenario::model_of_scenario(
        "s.json",
        fmt::format("{{{}\"operations\": [\n  {{\"kernel\": \"K\", \"threads\": 32, {}}}]}}", keys, of_operation));
    return made ? std::string() : engine::format(made.error());
  };
  const std::string usual = R"("stream": "a", "duration": "1us")";
  CHECK(error_of("", usual).empty());
  CHECK(error_of(R"("copy_engines": 2, )", usual).empty());
  CHECK(error_of("", R"("duration": "1us")").empty());
  CHECK(error_of("", usual + R"(, "deadline": "2us", "period": "2us")").empty());
  CHECK(error_of(R"("cycle": "8ps", )", R"("instructions": "2,1")").empty());
  const std::string simulated = "; amalthea gpu run simulates it";
  CHECK(error_of("", usual + R"(, "sm_mask": "~0x1")").empty());
  CHECK(error_of(R"("stream_preemption_ps": 2, )", usual).empty());
  CHECK(error_of("", usual + R"(, "footprint": 1152921504606846975)").empty());
  CHECK(error_of("", usual + R"(, "footprint": 1152921504606846976)") ==
        "2:3: a model cannot say a footprint of 2^60 bytes or more" + simulated);
  CHECK(error_of("", usual + R"(, "deadline": "3us", "period": "2us")") ==
        "2:3: a model cannot say that the next call may come before the deadline, because a job waits for the one "
        "before" +
            simulated);
  CHECK(error_of(R"("cycle": "7ps", )", R"("instructions": "2,1")") ==
        "1:15: cycle: a model cannot say a cycle whose frequency is no whole number of mHz" + simulated);
  CHECK(error_of(R"("cycle": "1ns", )", R"("instructions": "5L 9C")") ==
        "2:3: a model cannot say how long instructions in letters take in one run" + simulated);
  CHECK(error_of(R"("cycle": "3125ps", )",
                 R"("instructions": "2,1"}, {"kernel": "L", "threads": 32, "duration": "1ns")") ==
        "2:58: a model cannot say a time that is no whole number of cycles" + simulated);
  CHECK(error_of(R"("cycle": "3125ps", )", R"("instructions": "2,1"}, {"copy": "C", "kind": "h2d", "duration": "1ns")")
            .empty());
}

TEST_CASE("deadlines of calls and of their streams are those of the tasks") {
  const std::string text = R"({"streams": [{"name": "a", "deadline": "3ms"}], "operations": [
    {"kernel": "own", "stream": "a", "threads": 32, "duration": "1ms", "period": "9ms", "deadline": "2ms"},
    {"kernel": "of stream", "stream": "a", "threads": 32, "duration": "1ms", "period": "9ms"},
    {"kernel": "of period", "stream": "b", "threads": 32, "duration": "1ms", "period": "9ms"},
    {"copy": "once", "kind": "h2d", "stream": "b", "duration": "1ms", "deadline_ps": 4000000000},
    {"copy": "none", "kind": "h2d", "stream": "c", "duration": "1ms"}]})";
  const auto made = scenario::model_of_scenario("scenario.json", text);
  REQUIRE(made);
  Diagnostics findings;
  const auto model = importer::read_model_from_bytes("scenario.json", made->text, {}, findings);
  REQUIRE(model);
  const auto system = analysis::prepare(*model, {}, findings);
  REQUIRE(system);
  std::map<std::string, std::optional<Duration>> deadlines;
  for (const Task& task : system->tasks) deadlines[task.name] = task.deadline;
  const std::map<std::string, std::optional<Duration>> expected = {{"own", Duration::milliseconds(2)},
                                                                   {"of stream", Duration::milliseconds(3)},
                                                                   {"of period", Duration::milliseconds(9)},
                                                                   {"once", Duration::milliseconds(4)},
                                                                   {"none", std::nullopt}};
  CHECK((deadlines == expected));
}
