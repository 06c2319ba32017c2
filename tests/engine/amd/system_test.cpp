// SPDX-License-Identifier: Apache-2.0
// AMD GPUs in systems of tasks.

#include <algorithm>

#include <catch2/catch.hpp>

#include "amalthea/diagnostic.hpp"
#include "engine/gpu/contexts.hpp"
#include "tests/support/system_maker.hpp"

namespace amd_system_test {

using namespace test;

namespace {

/// A Radeon VII.
const engine::DeviceProfile& radeon() { return *engine::find_profile("radeon-vii"); }

void launch(SystemMaker& maker, TaskIndex task, std::int64_t blocks, std::int64_t ticks) {
  Kernel kernel;
  kernel.ticks = constant_ticks(ticks);
  kernel.launch = Launch{blocks, 1024, 0, 0, ""};
  maker.add(task, kernel);
}

/// A device task whose kernel has `blocks` blocks of 1024 threads, each of `ticks` microseconds.
TaskIndex launching(SystemMaker& maker, UnitIndex gpu, const std::string& name, std::int64_t blocks, std::int64_t ticks,
                    const std::string& mask = "") {
  const TaskIndex task = maker.task(name, gpu, 0, maker.periodic(1000));
  maker[task].gpu.cu_mask = mask;
  launch(maker, task, blocks, ticks);
  return task;
}

bool has_queueing(const engine::Bound& bound) {
  return std::any_of(bound.parts.begin(), bound.parts.end(), [](const engine::Contribution& part) {
    return part.kind == engine::ContributionKind::engine_queue;
  });
}

std::string findings(const System& system, const engine::DeviceProfile& profile, bool is_accepted) {
  engine::AnalysisOptions options;
  options.profile = &profile;
  options.until = us(999);
  Diagnostics diagnostics;
  CHECK(engine::analyze(system, options, diagnostics).has_value() == is_accepted);
  std::string text;
  for (const Diagnostic& finding : diagnostics.all())
    if (finding.id.starts_with("AM058") || finding.id.starts_with("AM051"))
      text += finding.id + " " + finding.message + "\n";
  return text;
}

}  // namespace

TEST_CASE("gpu.mpsShare does not merge processes on an AMD GPU") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  for (const char* name : {"A", "B"}) maker[launching(maker, gpu, name, 4, 100)].gpu.mps_share = 50;
  const auto contexts = engine::contexts_on(maker.build(), gpu, radeon());
  REQUIRE(contexts.size() == 2);
  CHECK(contexts[0].streams[0].mps_share == 0);
}

TEST_CASE("kernels of different tasks on an AMD GPU run concurrently on the CUs of their masks") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex a = launching(maker, gpu, "A", 40, 100);
  const TaskIndex b = launching(maker, gpu, "B", 40, 200);
  const TaskIndex masked = launching(maker, gpu, "Masked", 6, 50, "0-29,59");
  const TaskIndex stray = launching(maker, gpu, "Stray", 12, 50, "packed:16");
  const auto results = analyzed(maker.build(), us(999), radeon());
  CHECK(results.tasks[a].response.max == us(100));
  CHECK(results.tasks[b].response.max == us(200));
  CHECK(results.tasks[masked].response.max >= us(50));
  CHECK(results.tasks[stray].response.max > us(100));  // six blocks on one CU
  for (const TaskIndex task : {a, b, masked, stray})
    CHECK(results.tasks[task].bound.worst.value_or(us(1000)) >= results.tasks[task].response.max);
}

TEST_CASE("kernels on an AMD GPU are bounded by their levels of blocks") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex a = launching(maker, gpu, "A", 40, 100);
  const TaskIndex b = launching(maker, gpu, "B", 40, 200);
  const auto results = analyzed(maker.build(), us(999), radeon());
  // 10 levels each with weight 1/2, of 200 us, on 15 CUs less 2: 76.923077 us.
  const Duration levels = Duration::picoseconds(76'923'077);
  CHECK(results.tasks[a].bound.worst == us(100) + levels + levels);
  CHECK(results.tasks[b].bound.worst == us(200) + levels + levels);
  CHECK(results.tasks[a].bound.best == us(100));
}

TEST_CASE("masks without common compute units give every task of an AMD GPU the bound that it has alone") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex a = launching(maker, gpu, "A", 60, 100, "packed:30");
  const TaskIndex b = launching(maker, gpu, "B", 120, 200, "0xccccccccccccccc");
  const auto results = analyzed(maker.build(), us(999), radeon());
  CHECK(results.tasks[a].bound.worst == us(100));
  CHECK(results.tasks[b].bound.worst == us(2 * 200));
  CHECK(results.tasks[b].bound.best == us(2 * 200));
  CHECK(results.tasks[b].response.max == us(2 * 200));
}

TEST_CASE("device tasks of one host do not delay each other on an AMD GPU") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), gpu = maker.gpu("GPU");
  const TaskIndex host = maker.task("Host", core, 1, maker.periodic(1000));
  std::vector<TaskIndex> devices;
  for (const std::int64_t ticks : {100, 200}) {
    const StimulusIndex request = maker.inter_process();
    const TaskIndex device = devices.emplace_back(maker.task("D" + std::to_string(ticks), gpu, 0, request));
    launch(maker, device, 40, ticks);
    maker.offload(host, device, request, 10, 0, false);
  }
  maker.copy(maker.task("Copies", gpu, 0, maker.periodic(1000)), 5);  // a stream without kernels
  const auto results = analyzed(maker.build(), us(999), radeon());
  CHECK(results.tasks[devices[0]].bound.worst == us(100));
  CHECK(results.tasks[devices[1]].bound.worst == us(200));
  CHECK(results.tasks[host].bound.worst >= us(320));
  CHECK(results.tasks[host].bound.worst <= us(320) + Duration::nanoseconds(1));
  CHECK_FALSE(has_queueing(results.tasks[host].bound));
}

TEST_CASE("nothing delays an AMD kernel without execution time when it is alone") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex empty = launching(maker, gpu, "Empty", 40, 0, "0");  // 20 rounds
  maker.copy(maker.task("Copies", gpu, 0, maker.periodic(1000)), 5);
  const auto results = analyzed(maker.build(), us(999), radeon());
  REQUIRE(results.tasks[empty].bound.worst.has_value());
  CHECK(*results.tasks[empty].bound.worst < Duration::nanoseconds(1));
  CHECK_FALSE(has_queueing(results.tasks[empty].bound));
}

TEST_CASE("an AMD GPU with more queues than slots has no bounds") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  std::vector<TaskIndex> tasks;
  for (int task = 0; task < 33; ++task)
    tasks.push_back(launching(maker, gpu, "T" + std::to_string(task), 1, 1, "full"));
  const auto results = analyzed(maker.build(), us(999), radeon());
  CHECK_FALSE(results.tasks[tasks.front()].bound.worst.has_value());
  CHECK(results.tasks[tasks.front()].bound.reason ==
        "device tasks on GPU use 33 HSA queues, but it has slots for 32; the analysis does not cover queues that take "
        "turns");
}

TEST_CASE("invalid CU masks and differing masks in a stream and masks for other GPUs are reported") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex a = launching(maker, gpu, "A", 1, 10, "0xff");
  const TaskIndex b = launching(maker, gpu, "B", 1, 10, "0-7");
  for (const TaskIndex task : {a, b}) maker[task].gpu.context = maker[task].gpu.stream = "one";
  CHECK(findings(maker.build(), radeon(), false) ==
        "AM0585 tasks of the stream \"one\" have the CU masks \"0xff\" and \"0-7\"; a mask applies to a whole stream; "
        "use the same mask, or different streams\n");
  maker[b].gpu.cu_mask = "0xff";
  CHECK(findings(maker.build(), radeon(), true).empty());
  CHECK(findings(maker.build(), plain_profile(us(1000)), true).find("AM0583 gpu.cuMask of task \"A\" has no effect") ==
        0);
  maker[a].gpu.cu_mask = maker[b].gpu.cu_mask = "60";
  CHECK(findings(maker.build(), radeon(), false).find("AM0584 gpu.cuMask \"60\" of task \"A\"") == 0);
}

TEST_CASE("queues and costs that an AMD GPU cannot have, or that another GPU ignores, are reported") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex a = launching(maker, gpu, "A", 1, 10), b = launching(maker, gpu, "B", 1, 10);
  for (const TaskIndex task : {a, b}) maker[task].gpu.context = maker[task].gpu.stream = "one";
  maker[a].gpu.hsa_queue = maker[b].gpu.hsa_queue = 3;
  CHECK(findings(maker.build(), radeon(), true).empty());
  CHECK(findings(maker.build(), plain_profile(us(1000)), true)
            .starts_with("AM0514 gpu.hsaQueue of task \"A\" has no effect, because the profile"));
  maker[a].gpu.hsa_queue.reset();  // only one task of the stream needs to state it
  CHECK(findings(maker.build(), radeon(), true).empty());
  maker[a].gpu.hsa_queue = 2;
  CHECK(findings(maker.build(), radeon(), false) ==
        "AM0513 gpu.hsaQueue of task \"B\" is not that of the other tasks of its stream \"one\"; use the same for all "
        "of them, or different streams\n");
  maker[a].gpu.hsa_queue = maker[b].gpu.hsa_queue = 4;
  CHECK(findings(maker.build(), radeon(), false)
            .starts_with(
                "AM0513 gpu.hsaQueue of task \"A\" is 4; the queues of a process on \"radeon-vii\" are 0 to 3\n"));
  maker[a].gpu.hsa_queue = maker[b].gpu.hsa_queue = 0;
  maker[a].gpu.cu_mask = "0xff";
  CHECK(
      findings(maker.build(), radeon(), false)
          .starts_with("AM0513 gpu.hsaQueue of task \"A\" is stated beside gpu.cuMask, but a stream with a mask has a "
                       "queue of its own; remove one of the two\n"));
  maker[a].gpu.hsa_queue.reset();
  maker[b].gpu.hsa_queue.reset();
  maker[a].gpu.ace = 3;
  CHECK(findings(maker.build(), radeon(), true).empty());
  maker[a].gpu.ace = 4;
  CHECK(findings(maker.build(), radeon(), false) ==
        "AM0513 gpu.ace of task \"A\" is 4; the ACEs of \"radeon-vii\" are 0 to 3\n");
  maker[a].gpu.ace = 0;
  maker[a].gpu.cu_mask.clear();
  CHECK(findings(maker.build(), radeon(), false) ==
        "AM0513 gpu.ace of task \"A\" needs gpu.cuMask, because only streams with a mask have a queue of their own\n");
  maker[a].gpu.ace.reset();
  Kernel kernel;
  kernel.ticks = constant_ticks(1);
  kernel.launch = Launch{1, 1024, 0, 0, ""};
  kernel.costs = KernelCosts{"mm2048"};
  maker.add(a, kernel);
  CHECK(findings(maker.build(), radeon(), false)
            .ends_with("is \"mm2048\"; the profile \"radeon-vii\" has no such "
                       "kernel\n"));
  CHECK(findings(maker.build(), plain_profile(us(1000)), true).starts_with("AM0514 gpu.like of kernel "));
  std::get<Kernel>(maker.system().graph[maker[a].body.back()].activity).costs->like = "mm1024";
  CHECK(findings(maker.build(), radeon(), true).starts_with("AM0515 the costs of kernel "));
}

TEST_CASE("blocks in a model share a CU by threads and weights, and an ACE takes its time for each") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const auto costly = [&](const std::string& name, std::int64_t blocks, const KernelCosts& costs) {
    const TaskIndex task = maker.task(name, gpu, 0, maker.periodic(1000));
    maker[task].gpu.cu_mask = "0";  // one CU, which holds two blocks of 1024 threads
    Kernel kernel;
    kernel.ticks = constant_ticks(100);
    kernel.launch = Launch{blocks, 1024, 0, 0, ""};
    kernel.costs = costs;
    maker.add(task, kernel);
    return task;
  };
  SECTION("two blocks take twice as long") {
    const TaskIndex a = costly("A", 2, {"", 1024, {}, {}});
    const auto results = analyzed(maker.build(), us(999), radeon());
    CHECK(results.tasks[a].response.max == us(200));
    CHECK(results.tasks[a].bound.worst.value() >= us(200));
    CHECK(results.tasks[a].bound.worst.value() <= us(200) + Duration::nanoseconds(1));
    CHECK(results.tasks[a].bound.best == us(100));
  }
  SECTION("the light one stands back") {
    // Of the CU it has 1 / 4, which is a quarter of its full speed, until the other one, at three quarters, ends.
    const TaskIndex a = costly("A", 1, {"", 1024, 1, {}}), b = costly("B", 1, {"", 1024, 3, {}});
    const auto results = analyzed(maker.build(), us(999), radeon());
    CHECK(results.tasks[b].response.max > us(133));
    CHECK(results.tasks[b].response.max < us(134));
    CHECK(results.tasks[a].response.max > us(199));
    CHECK(results.tasks[a].response.max < us(201));
    // Its block takes at most (1024 + 3 x 1024) / 1024 of its time. That of B takes twice its time, and half the CU.
    CHECK(results.tasks[a].bound.worst.value_or(Duration{}) >= us(400 + 200 / 2));
    CHECK(results.tasks[a].bound.worst.value_or(us(999)) < us(400 + 200 / 2 + 1));
  }
  SECTION("the second block comes later") {
    const TaskIndex a = costly("A", 2, {"", {}, {}, us(30)});
    const auto results = analyzed(maker.build(), us(999), radeon());
    CHECK(results.tasks[a].response.max == us(130));
    CHECK(results.tasks[a].bound.worst == us(100 + 2 * 30 + 30));
  }
  SECTION("as a kernel of the profile, but for what is stated") {
    const TaskIndex a = costly("A", 2, {"mm1024", 0, {}, us(30)});  // the durations of its blocks spread
    const auto results = analyzed(maker.build(), us(999), radeon());
    CHECK(results.tasks[a].response.max != us(130));
    CHECK(results.tasks[a].response.max > us(105));
    CHECK(results.tasks[a].response.max < us(160));
    CHECK(results.tasks[a].bound.best.value_or(Duration{}) == Duration{});
  }
}

TEST_CASE("bounds on an AMD GPU are those of the figures that the model states") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const auto states = [&](const char* property, const char* value) {
    maker.system().platform.units[gpu].settings.push_back({property, value});
  };
  const TaskIndex a = launching(maker, gpu, "A", 40, 100);
  CHECK(analyzed(maker.build(), us(999), radeon()).tasks[a].bound.worst == us(100));
  states("gpu.unitsPerEngine", "5");
  CHECK(analyzed(maker.build(), us(999), radeon()).tasks[a].bound.worst == us(100));
  states("gpu.shaderEngines", "1");  // 5 CUs hold 10 blocks
  auto results = analyzed(maker.build(), us(999), radeon());
  CHECK(results.tasks[a].response.max == us(4 * 100));
  CHECK(results.tasks[a].bound.worst == us(4 * 100));
  // With one ACE a kernel on other CUs waits until all blocks of A are dispatched.
  maker[a].gpu.cu_mask = "0";
  const TaskIndex b = launching(maker, gpu, "B", 1, 10, "1");
  maker[b].deadline = us(1000);
  CHECK(analyzed(maker.build(), us(999), radeon()).tasks[b].bound.worst == us(10));
  states("gpu.aces", "1");
  results = analyzed(maker.build(), us(999), radeon());
  CHECK(results.tasks[b].response.max > us(1000));
  CHECK(results.tasks[b].bound.worst.value_or(us(1'000'000)) >= results.tasks[b].response.max);
  states("gpu.slotsPerAce", "1");
  CHECK(analyzed(maker.build(), us(999), radeon()).tasks[b].bound.reason ==
        "device tasks on GPU use 2 HSA queues, but it has slots for 1; the analysis does not cover queues that take "
        "turns");
}

TEST_CASE("an AMD GPU whose ACEs have slices is simulated and has no bounds") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  maker.system().platform.units[gpu].settings = {{"gpu.aces", "1"}};
  launching(maker, gpu, "A", 40, 10, "0");  // 20 rounds
  const TaskIndex b = launching(maker, gpu, "B", 1, 10, "1");
  CHECK(analyzed(maker.build(), us(999), radeon()).tasks[b].response.max > us(190));
  for (const char* slice : {"15 us", "9000000 s"}) {
    maker.system().platform.units[gpu].settings = {{"gpu.aces", "1"}, {"gpu.aceSlice", slice}};
    const auto results = analyzed(maker.build(), us(999), radeon());
    CHECK((results.tasks[b].response.max < us(50)) == (slice[0] == '1'));
    CHECK_FALSE(results.tasks[b].bound.worst.has_value());
    CHECK(results.tasks[b].bound.reason ==
          "ACEs of GPU turn to their next queues at the ends of slices; no bound is known for this");
  }
}

TEST_CASE("masks and queues that a changed AMD GPU lacks, and figures that another GPU ignores, are reported") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  maker.system().platform.units[gpu].settings = {
      {"gpu.unitsPerEngine", "2"}, {"gpu.aces", "2"}, {"gpu.poolQueues", "2"}};
  const TaskIndex a = launching(maker, gpu, "A", 1, 10, "0-7");
  CHECK(findings(maker.build(), radeon(), true).empty());
  maker[a].gpu.ace = 2;
  CHECK(findings(maker.build(), radeon(), false) ==
        "AM0513 gpu.ace of task \"A\" is 2; the ACEs of \"radeon-vii\" are 0 to 1\n");
  maker[a].gpu.ace.reset();
  maker[a].gpu.cu_mask = "8";
  CHECK(findings(maker.build(), radeon(), false).starts_with("AM0584 gpu.cuMask \"8\" of task \"A\""));
  maker[a].gpu.cu_mask.clear();
  const std::string of_other = findings(maker.build(), plain_profile(us(1000)), true);
  CHECK(of_other.starts_with("AM0514 gpu.unitsPerEngine of GPU \"GPU\" has no effect, because the profile"));
}

TEST_CASE("what is reported of properties for AMD GPUs stands where the GPU does, and each analysis counts it") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  maker.system().platform.units[gpu].location = {"model.amxmi", 7, 3};
  maker.system().platform.units[gpu].settings = {{"gpu.aces", "2"}};
  const TaskIndex a = launching(maker, gpu, "A", 1, 10, "0"), b = launching(maker, gpu, "B", 1, 10);
  maker[b].gpu.hsa_queue = 1;
  maker[a].deadline = us(500);
  std::get<Kernel>(maker.system().graph[maker[a].body.back()].activity).costs = KernelCosts{"mm256"};
  const engine::DeviceProfile plain = plain_profile(us(1000));
  for (const auto& [profile, ids] :
       {std::pair(&plain, "AM0583 AM0514 AM0514 AM0514 "), std::pair(&radeon(), "AM0515 ")}) {
    engine::AnalysisOptions options;
    options.profile = profile;
    options.until = us(999);
    options.strict = true;
    Diagnostics diagnostics;
    const auto first = engine::analyze(maker.build(), options, diagnostics);
    std::string found;
    for (const Diagnostic& finding : diagnostics.all()) {
      if (finding.id != "AM0583" && finding.id != "AM0514" && finding.id != "AM0515") continue;
      found += finding.id + " ";
      CHECK(format(finding).starts_with("model.amxmi:7:3: "));
    }
    CHECK(found == ids);
    const auto again = engine::analyze(maker.build(), options, diagnostics);
    REQUIRE((first && again));
    CHECK(first->open.size() == again->open.size());
    CHECK(std::any_of(again->open.begin(), again->open.end(),
                      [&](const engine::OpenResult& finding) { return finding.id == found.substr(0, 6); }));
  }
}

TEST_CASE("a system with more masked streams than AMD GPU queues is simulated with a warning") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  for (int task = 0; task < 33; ++task) launching(maker, gpu, "T" + std::to_string(task), 1, 10, "full");
  CHECK(findings(maker.build(), radeon(), true).find("AM0582 33 HSA queues are needed") == 0);
}

}  // namespace amd_system_test
