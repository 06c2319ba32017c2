// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/devices/chosen_devices.hpp"
#include "engine/program/memory_contention.hpp"
#include "engine/program/program.hpp"
#include "importer/building/system_builder.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/test_models.hpp"

namespace program_memory_contention_test {

using namespace amalthea;
using namespace amalthea::engine;
using test::us;

namespace {

constexpr Duration ns(std::int64_t value) { return Duration::nanoseconds(value); }

MemoryModel parsed(const std::string& json) {
  auto model = parse_memory_model(json);
  if (!model) FAIL(engine::format(model.error()));
  return std::move(*model);
}

std::string error_of(const std::string& json) {
  const auto model = parse_memory_model(json);
  return model ? "" : engine::format(model.error());
}

/// A label of this many bytes in the one memory.
LabelIndex add_label(System& system, std::int64_t bytes) {
  system.labels.push_back({"label", DataSize{bytes}, MemoryIndex{0}, LabelSide::host, {}});
  return static_cast<LabelIndex>(system.labels.size() - 1);
}

/// The time to read `bytes` for the first of these tasks.
Duration reading(test::SystemMaker maker, TaskIndex task, std::int64_t bytes, Execution execution,
                 const CompileOptions& options) {
  System counted = maker.build();
  maker.add(task, ReadLabel{static_cast<LabelIndex>(counted.labels.size())});
  System system = maker.build();
  add_label(system, bytes);
  return compile_programs(system, execution, default_devices(system), options)[task].execution;
}

CompileOptions with(MemoryModel model, LineRule rule = LineRule::exact) {
  CompileOptions options;
  options.memory = std::move(model);
  options.line_rule = rule;
  return options;
}

/// Sum of the steps of one runnable in one task.
Duration time_in(const System& system, const Program& program, const std::string& runnable) {
  Duration sum;
  for (const Step& step : program.steps)
    if (step.runnable && system.runnables[program.runnables[*step.runnable]].name == runnable) sum += step.work;
  return sum;
}

TaskIndex task_named(const System& system, const std::string& name) {
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (system.tasks[task].name == name) return task;
  FAIL("there is no " << name);
  return 0;
}

System mapped(const std::string& path, const std::vector<std::string>& changes) {
  Diagnostics diagnostics;
  const Model model = test::model_from_file(path, diagnostics);
  importer::BuildOptions options;
  for (const std::string& change : changes) options.mapping.push_back(importer::parse_mapping_change(change).value());
  auto system = importer::build_system(model, options, diagnostics);
  for (const auto& diagnostic : diagnostics.all()) UNSCOPED_INFO(format(diagnostic));
  REQUIRE(system.has_value());
  return std::move(*system);
}

/// Published per-task bounds of the WATERS 2019 challenge (MobSTr data set), in nanoseconds, without preemption: the
/// published worst case of EKF, 5 394 550, has one job of CANbus_polling in it.
void check_published_bounds(const System& system) {
  struct Published {
    std::string task, runnable;  // "": all of the task
    std::int64_t best, worst;
  };
  const std::vector<Published> published = {
      {"DASM", "", 1'301'275, 1'874'075},
      {"CANbus_polling", "", 400'000, 603'200},
      {"EKF", "", 3'982'550, 5'394'550 - 603'200},
      {"PRE_SFM_gpu_POST", "SFM_Preprocessing", 3'078'228, 5'555'147},
      {"PRE_Localization_gpu_POST", "Localization_Preprocessing", 3'393'508, 10'000'748},
      {"OS_Overhead", "", 50'000'000, 50'000'000},
  };
  const auto options = with(*find_memory_model("waters2019"), LineRule::published);
  for (const auto& [execution, bound] :
       {std::pair(Execution::best, &Published::best), std::pair(Execution::worst, &Published::worst)}) {
    const auto programs = compile_programs(system, execution, default_devices(system), options);
    // The model has the cost of offloading in one wrapper; the published figures have it in every pre-processing.
    const Duration offloading =
        time_in(system, programs[task_named(system, "PRE_Detection_gpu_POST")], "AsyncOffloadingCosts");
    CHECK(offloading.picoseconds() == 2'500'000);
    for (const Published& entry : published) {
      INFO(entry.task << " " << to_string(execution));
      const Program& program = programs[task_named(system, entry.task)];
      const Duration time =
          entry.runnable.empty() ? program.execution : time_in(system, program, entry.runnable) + offloading;
      CHECK(time.picoseconds() == ns(entry.*bound).picoseconds());
    }
  }
}

}  // namespace

TEST_CASE("memory: lines are those that hold the bytes or one more as published") {
  const DataSize line{64};
  for (const auto& [bytes, exact, published] : std::vector<std::array<std::int64_t, 3>>{
           {0, 0, 1}, {1, 1, 1}, {63, 1, 1}, {64, 1, 2}, {65, 2, 2}, {128, 2, 3}}) {
    CHECK(lines_of(DataSize{bytes}, line, LineRule::exact) == exact);
    CHECK(lines_of(DataSize{bytes}, line, LineRule::published) == published);
  }
}

TEST_CASE("memory: a task that migrates takes the longest or shortest time of its cores and counts on each") {
  test::SystemMaker maker;
  const UnitIndex fast = maker.core("fast"), slow = maker.core("slow"), third = maker.core("third");
  const TaskIndex moves = maker.task("moves", fast, 1, maker.periodic(100)),
                  stays = maker.task("stays", third, 1, maker.periodic(100));
  maker[moves].units = {fast, slow};
  CompileOptions options = with(parsed(R"({"units": {"fast": {"base_ns": 10, "per_core_ns": 4},
                                                     "slow": {"base_ns": 100, "per_core_ns": 4}}})"));
  CHECK(reading(maker, moves, 64, Execution::worst, options) == ns(10 + 4));
  options.all_units = true;
  CHECK(reading(maker, moves, 64, Execution::worst, options) == ns(100 + 4));
  CHECK(reading(maker, moves, 64, Execution::best, options) == ns(10));
  const System system = maker.build();
  CHECK(MemoryUsers(system).other_cores(third, stays) == 2);
  CHECK(MemoryUsers(system).other_cores(slow, moves) == 1);
}

TEST_CASE("memory: a line costs its base plus the interference of active cores and the GPU") {
  test::SystemMaker maker;
  const UnitIndex core = maker.core("A57"), second = maker.core("Denver"), third = maker.core("Idle");
  const TaskIndex task = maker.task("Task", core, 1, maker.periodic(1000));
  const MemoryModel& model = *find_memory_model("waters2019");
  // Alone: no interference.
  CHECK(reading(maker, task, 640, Execution::best, with(model)) == ns(10 * 20));
  CHECK(reading(maker, task, 640, Execution::worst, with(model)) == ns(10 * 20));
  // Two tasks on one other core count once; a core without tasks does not count.
  maker.task("Other", second, 1, maker.periodic(1000));
  maker.task("Another", second, 2, maker.periodic(1000));
  CHECK(reading(maker, task, 640, Execution::best, with(model)) == ns(10 * 20));
  CHECK(reading(maker, task, 640, Execution::worst, with(model)) == ns(10 * 40));
  CHECK(reading(maker, task, 640, Execution::average, with(model)) == ns(10 * 30));
  maker.task("Third", third, 1, maker.periodic(1000));
  CHECK(reading(maker, task, 640, Execution::worst, with(model)) == ns(10 * 60));
  maker.task("Device", maker.gpu("GPU"), 1, maker.inter_process());
  CHECK(reading(maker, task, 640, Execution::worst, with(model)) == ns(10 * 160));
  CHECK(reading(maker, task, 640, Execution::best, with(model)) == ns(10 * 20));
  CHECK(reading(maker, task, 640, Execution::worst, with(model, LineRule::published)) == ns(11 * 160));
  // Six other cores slow no more than the five there are on a TX2.
  for (int more = 0; more < 4; ++more)
    maker.task("More", maker.core("core" + std::to_string(more)), 1, maker.periodic(1000));
  CHECK(reading(maker, task, 640, Execution::worst, with(model)) == ns(10 * 220));
}

TEST_CASE("memory: a task tried on another core does not interfere with itself") {
  test::SystemMaker maker;
  const UnitIndex first = maker.core("A57"), second = maker.core("A57");
  const TaskIndex task = maker.task("Task", first, 1, maker.periodic(1000));
  maker.add(task, ReadLabel{0});
  System system = maker.build();
  add_label(system, 64);
  const auto options = with(*find_memory_model("waters2019"));
  CHECK(compile_program(system, task, second, Execution::worst, nullptr, options).execution == ns(20));
}

TEST_CASE("memory: the default uses the model and without contention its lower bounds") {
  test::SystemMaker maker;
  const TaskIndex task = maker.task("Task", maker.core("core"), 1, maker.periodic(1000));
  maker.add(task, ReadLabel{0});
  System system = maker.build();
  add_label(system, 640);
  system.platform.units[0].accesses[0].read = {2, 3, 5};  // cycles, of a microsecond
  const auto time = [&](const char* name, Execution execution) {
    return compile_programs(system, execution, default_devices(system), with(*find_memory_model(name)))[task].execution;
  };
  CHECK(time("model", Execution::best) == us(20));
  CHECK(time("model", Execution::average) == us(30));
  CHECK(time("model", Execution::worst) == us(50));
  CHECK(compile_programs(system, Execution::worst, default_devices(system))[task].execution == us(50));
  for (const Execution execution : {Execution::best, Execution::average, Execution::worst})
    CHECK(time("none", execution) == us(20));
}

TEST_CASE("memory: a core without a table entry uses the model and is reported") {
  test::SystemMaker maker;
  const TaskIndex task = maker.task("Task", maker.core("Cortex-R5"), 1, maker.periodic(1000));
  const MemoryModel& model = *find_memory_model("waters2019");
  CHECK(reading(maker, task, 640, Execution::worst, with(model)) == us(10));
  Diagnostics diagnostics;
  report_memory_model(maker.build(), model, diagnostics);
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].message ==
        "the memory model \"waters2019\" has no entry for core \"Cortex-R5\" (Cortex-R5); its accesses use the "
        "latencies of the AMALTHEA model; add an entry (docs/reference/memory.md)");
  Diagnostics of_copies;
  report_memory_model(maker.build(), parsed(R"({"copy": {"ns_per_line": 3}})"), of_copies);
  REQUIRE(of_copies.all().size() == 1);
  CHECK(of_copies.all()[0].message == "memory model \"of a file\": accesses of cores as in the AMALTHEA model");
}

TEST_CASE("memory: entries are found by definition and by unit and by a word of the definition's name") {
  Platform platform;
  for (const char* name : {"a57", "Cortex-A57", "ARM_A57_v2", "A571"}) platform.definitions.push_back({name, {}});
  const MemoryModel& model = *find_memory_model("waters2019");
  const auto found = [&](DefinitionIndex definition, const std::string& name) {
    ProcessingUnit unit;
    unit.name = name;
    unit.definition = definition;
    const UnitLatency* entry = latency_of(model, platform, unit);
    return entry == nullptr ? std::string() : entry->name;
  };
  CHECK(found(0, "Core0") == "A57");
  CHECK(found(1, "Core0") == "A57");
  CHECK(found(2, "Core0") == "A57");
  CHECK(found(3, "Core0").empty());
  CHECK(found(3, "denver") == "Denver");
  CHECK(found(1, "Denver") == "Denver");
}

TEST_CASE("memory: a user-defined table supports hits and copies by lines or by bytes") {
  test::SystemMaker maker;
  const TaskIndex task = maker.task("Task", maker.core("R5"), 1, maker.periodic(1000));
  maker.task("Other", maker.core("M4"), 1, maker.periodic(1000));
  const MemoryModel model = parsed(R"({"name": "mine", "units": {"R5": {"base_ns": 10.5, "per_core_ns": 4,
    "gpu_ns": 7, "max_interfering": 3}}})");
  CHECK(model.name == "mine");
  CHECK(reading(maker, task, 128, Execution::best, with(model)) == ns(21));
  CHECK(reading(maker, task, 128, Execution::worst, with(model)) == ns(29));
  const MemoryModel none = parsed(R"({"units": {"R5": {"base_ns": 10, "per_core_ns": 4, "max_interfering": 0}}})");
  CHECK(reading(maker, task, 128, Execution::worst, with(none)) == ns(20));
  // Of 5 lines 2.5 are hits: at worst 2, at best 3.
  const MemoryModel cached =
      parsed(R"({"units": {"R5": {"base_ns": 10, "per_core_ns": 4, "hit_rate": 0.5, "hit_ns": 1}}})");
  CHECK(reading(maker, task, 5 * 64, Execution::worst, with(cached)) == ns(2 * 1 + 3 * 14));
  CHECK(reading(maker, task, 5 * 64, Execution::best, with(cached)) == ns(3 * 1 + 2 * 10));

  const TaskIndex device = maker.task("Device", maker.gpu("GPU"), 1, maker.inter_process());
  Copy copy;
  copy.sources = {0};
  copy.destinations = {1};
  copy.size = DataSize{1000};
  maker.add(device, copy);
  System system = maker.build();
  add_label(system, 1000);
  add_label(system, 960);  // the copy writes 1000 bytes, too
  const auto copies = [&](const std::string& json, CompileOptions options = {}) {
    options.memory = parsed(json);
    return compile_programs(system, Execution::worst, default_devices(system), options)[device].copies;
  };
  const auto published = with({}, LineRule::published);
  CHECK(copies(R"({"copy": {"ns_per_line": 3}})") == ns(3 * (16 + 16)));
  CHECK(copies(R"({"copy": {"ns_per_line": 3}})", published) == ns(3 * (16 + 16)));
  CHECK(copies(R"({"copy": {"ns_per_line": 3, "setup_ns": 100}})") == ns(3 * (16 + 16) + 100));
  CHECK(copies(R"({"copy": {"bytes_per_second": 1000000000, "setup_ns": 2500}})") == ns(1000 + 2500));
  CHECK(copies(R"({"units": {"R5": {"base_ns": 1}}})") == us(16 + 16));  // as the model says
  // 1000 bytes at 3 GB/s are 333.333… ns.
  CompileOptions up, down;
  up.rounding = Rounding::up;
  down.rounding = Rounding::down;
  CHECK(copies(R"({"copy": {"bytes_per_second": 3000000000}})", up) == Duration::picoseconds(333'334));
  CHECK(copies(R"({"copy": {"bytes_per_second": 3000000000}})", down) == Duration::picoseconds(333'333));
}

TEST_CASE("memory: what a copy reads it also writes, whichever of its labels are larger") {
  const auto time = [](const std::vector<std::int64_t>& read, const std::vector<std::int64_t>& written) {
    test::SystemMaker maker;
    const TaskIndex device = maker.task("Device", maker.gpu("GPU"), 1, maker.inter_process());
    Copy copy;
    std::int64_t from = 0, to = 0;
    for (const std::int64_t lines : read) {
      copy.sources.push_back(static_cast<LabelIndex>(copy.sources.size()));
      from += lines;
    }
    for (const std::int64_t lines : written) {
      copy.destinations.push_back(static_cast<LabelIndex>(read.size() + copy.destinations.size()));
      to += lines;
    }
    copy.size = DataSize{64 * std::max(from, to)};
    maker.add(device, copy);
    System system = maker.build();
    for (const std::int64_t lines : read) add_label(system, 64 * lines);
    for (const std::int64_t lines : written) add_label(system, 64 * lines);
    return compile_programs(system, Execution::worst, default_devices(system), {})[device].copies;
  };
  CHECK(time({100}, {100}) == us(200));
  CHECK(time({100}, {1}) == us(200));
  CHECK(time({1}, {100}) == us(200));
  CHECK(time({60, 40}, {7, 3}) == us(200));
  CHECK(time({100}, {}) == us(100));  // nothing says what it writes (AM0490)
}

TEST_CASE("memory: bounds can round every step up") {
  test::SystemMaker maker;
  const TaskIndex task = maker.task("Task", maker.core("core"), 1, maker.periodic(1000));
  maker.compute(task, 1);
  maker.compute(task, 1);
  System system = maker.build();
  system.platform.units[0].frequency = Frequency::millihertz(3'000'000'000'000);  // 333.333… ps a cycle
  CompileOptions options;
  const auto time = [&] {
    return compile_programs(system, Execution::worst, default_devices(system), options)[task].execution;
  };
  CHECK(time() == Duration::picoseconds(666));
  options.rounding = Rounding::up;
  CHECK(time() == Duration::picoseconds(668));
}

TEST_CASE("memory: errors in a table have a location") {
  CHECK(error_of("{") != "");
  CHECK(error_of("[]") == "1:1: expected an object with \"units\"");
  CHECK(error_of("{}") == "1:1: \"units\" and \"copy\" are both empty");
  CHECK(error_of("{\"unit\":\n 3}") == "2:2: unit: unknown key; expected name, units, copy");
  CHECK(error_of(R"({"units": {"A57": {}}})") == "1:19: units.A57: \"base_ns\" is missing");
  CHECK(error_of(R"({"units": {"A57": {"base_ns": -1}}})") ==
        "1:32: units.A57.base_ns: expected a number from 0 to 1000000000");
  CHECK(error_of(R"({"units": {"A57": {"base_ns": 1, "base": 1}}})").find("unknown key") != std::string::npos);
  CHECK(error_of(R"({"units": {"A57": {"base_ns": 1, "hit_rate": 0.5}}})").find("\"hit_ns\" together") !=
        std::string::npos);
  CHECK(error_of(R"({"units": {"A57": {"base_ns": 1, "hit_rate": 0.5, "hit_ns": 2}}})") ==
        "1:19: units.A57: \"hit_ns\" is more than \"base_ns\"");
  CHECK(error_of(R"({"units": {"A57": {"base_ns": 1, "hit_rate": 1.5, "hit_ns": 1}}})")
            .find("hit_rate: expected a number from 0 to 1") != std::string::npos);
  CHECK(error_of(R"({"copy": {"setup_ns": 1}})") ==
        R"(1:10: copy: expected either "ns_per_line" or "bytes_per_second")");
  CHECK(error_of(R"({"copy": {"ns_per_line": 1, "bytes_per_second": 1}})").find("expected either") !=
        std::string::npos);
  CHECK(error_of(R"({"copy": {"bytes_per_second": 0}})").find("expected a whole number from 1") != std::string::npos);
}

TEST_CASE("memory: the published bounds of WATERS 2019 are reproduced to the nanosecond for the sample") {
  // The sample with the localization's wrapper on a Denver, as published, and tasks on all six cores.
  check_published_bounds(
      mapped(test::sample("waters2019-tx2.amxmi"), {"PRE_Localization_gpu_POST=Core0", "Localization=GP10B",
                                                    "Lane_detection=GP10B", "PRE_Detection_gpu_POST=Core3"}));
}

TEST_CASE("memory: the published bounds of WATERS 2019 are reproduced to the nanosecond for the published model") {
  const std::string corpus = test::corpus_folder();
  for (const char* model : {"/mobstr/1.0.0/mobstr.amxmi", "/mobstr/2.0.0/mobstr.amxmi"}) {
    INFO(model);
    // These have their A57 tasks on Core0, a Denver.
    check_published_bounds(
        mapped(corpus + model, {"CANbus_polling=Core2", "EKF=Core2", "DASM=Core5", "OS_Overhead=Core5",
                                "Lidar_Grabber=Core4", "PRE_SFM_gpu_POST=Core1"}));
  }
}

TEST_CASE("memory: the line rules differ only for multiples of a line") {
  const System system = mapped(test::sample("waters2019-tx2.amxmi"), {});
  const TaskIndex sfm = task_named(system, "PRE_SFM_gpu_POST"), device = task_named(system, "SFM"),
                  dasm = task_named(system, "DASM");
  const auto compiled = [&](LineRule rule) {
    return compile_programs(system, Execution::best, default_devices(system),
                            with(*find_memory_model("waters2019"), rule));
  };
  const auto exact = compiled(LineRule::exact), published = compiled(LineRule::published);
  // 2 MB read and written are 31 250 lines each, published as 31 251; the copy has 256 bytes more.
  CHECK(time_in(system, exact[sfm], "SFM_Preprocessing") + ns(2 * 8) ==
        time_in(system, published[sfm], "SFM_Preprocessing"));
  CHECK(exact[dasm].execution == published[dasm].execution);  // 1 kB is no multiple of 64 B
  const auto first_copy = [](const Program& program) {
    for (const Step& step : program.steps)
      if (step.kind == StepKind::copy) return step.work;
    return Duration{};
  };
  CHECK(first_copy(exact[device]).picoseconds() == 3'000 * 2 * (31'250 + 4));
  CHECK(first_copy(published[device]).picoseconds() == 3'000 * 2 * (31'251 + 5));
}

}  // namespace program_memory_contention_test
