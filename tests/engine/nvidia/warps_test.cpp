// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/nvidia/warp_study.hpp"
#include "engine/nvidia/warps.hpp"

namespace nvidia_warps_test {

using namespace amalthea::engine::nvidia;

namespace {

using Numbers = std::vector<std::int64_t>;

/// Latencies that were reconstructed from the numbers of the paper's Fig. 3 (W4).
const Numbers figure_3 = {2, 1, 2, 1, 1, 1, 5, 1, 1};
const Numbers second_vector = {4, 1, 1, 4, 1, 1, 4, 1, 1};

std::vector<WarpInstruction> program_of(const Numbers& latencies) {
  std::vector<WarpInstruction> program;
  for (const std::int64_t latency : latencies) program.push_back({latency, WarpUnit::fp32});
  return program;
}

WarpScenario empty_scenario(std::string_view policy) {
  WarpScenario scenario;
  scenario.policy = find_warp_policy(policy);
  scenario.pipelines = find_warp_pipelines("free");
  REQUIRE(scenario.policy != nullptr);
  return scenario;
}

/// Two kernels of two warps each, the second one a cycle later.
WarpScenario example(const Numbers& latencies, std::string_view policy, std::int64_t first_budget = 1,
                     std::int64_t second_budget = 1) {
  WarpScenario scenario = empty_scenario(policy);
  scenario.kernels = {{program_of(latencies), 2, 0, first_budget}, {program_of(latencies), 2, 1, second_budget}};
  return scenario;
}

WarpRun run(const WarpScenario& scenario) {
  auto result = run_warps(scenario);
  REQUIRE(result);
  return *result;
}

std::string trace(const WarpRun& run, std::size_t sub_core = 0) { return trace_text(run.sub_cores[sub_core].trace); }

Numbers warp_finishes(const WarpRun& run) {
  Numbers finishes;
  for (const WarpResult& warp : run.warps) finishes.push_back(warp.finish);
  return finishes;
}

Numbers finishes(const WarpRun& run) {
  Numbers finishes;
  for (const WarpKernelResult& kernel : run.kernels) finishes.push_back(kernel.finish);
  return finishes;
}

std::string error_of(const WarpScenario& scenario) {
  const auto result = run_warps(scenario);
  return result ? "" : result.error();
}

/// Random kernels, units, budgets, sub-cores and pipelines.
WarpScenario random_scenario(std::mt19937_64& random) {
  const auto draw = [&random](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
  };
  WarpScenario scenario;
  scenario.policy = &warp_policies()[static_cast<std::size_t>(draw(0, 5))];
  scenario.pipelines = &warp_pipelines()[static_cast<std::size_t>(draw(0, 2))];
  scenario.sub_cores = draw(1, 4);
  const std::int64_t kernels = draw(1, 4);
  for (std::int64_t k = 0; k < kernels; ++k) {
    WarpKernel kernel;
    const std::int64_t length = draw(1, 12);
    for (std::int64_t i = 0; i < length; ++i)
      kernel.program.push_back({draw(0, 2) == 0 ? draw(1, 12) : 1, static_cast<WarpUnit>(draw(0, 3))});
    kernel.warps = draw(1, 5);
    kernel.release = draw(0, 2) == 0 ? draw(0, 60) : draw(0, 3);
    kernel.budget = draw(1, 3);
    scenario.kernels.push_back(kernel);
  }
  return scenario;
}

/// What is wrong with a run, by looking at the trace alone; empty when nothing is. Knows nothing of policies.
std::string objection(const WarpScenario& scenario, const WarpRun& run) {
  std::vector<const WarpKernel*> kernel_of;
  for (const WarpKernel& kernel : scenario.kernels)
    for (std::int64_t i = 0; i < kernel.warps; ++i) kernel_of.push_back(&kernel);
  std::vector<std::size_t> next(kernel_of.size());
  std::vector<std::int64_t> earliest(kernel_of.size()), finish(kernel_of.size());
  for (std::size_t warp = 0; warp < kernel_of.size(); ++warp) earliest[warp] = kernel_of[warp]->release;
  for (std::size_t core = 0; core < run.sub_cores.size(); ++core) {
    std::map<std::size_t, std::int64_t> free_at;  // pipeline -> cycle
    const auto use_of = [&](std::size_t warp) {
      return scenario.pipelines->uses[static_cast<std::size_t>(kernel_of[warp]->program[next[warp]].unit)];
    };
    const auto can_issue = [&](std::size_t warp, std::int64_t cycle) {
      return next[warp] < kernel_of[warp]->program.size() && earliest[warp] <= cycle &&
             free_at[use_of(warp).pipeline] <= cycle;
    };
    const auto& issues = run.sub_cores[core].trace;
    for (std::int64_t cycle = 0; cycle < static_cast<std::int64_t>(issues.size()); ++cycle) {
      const auto& issued = issues[static_cast<std::size_t>(cycle)];
      if (!issued) {
        for (std::size_t warp = core; warp < kernel_of.size(); warp += run.sub_cores.size())
          if (can_issue(warp, cycle)) return "idle though a warp could issue";
        continue;
      }
      if (*issued % run.sub_cores.size() != core) return "on the wrong sub-core";
      if (!can_issue(*issued, cycle)) return "issued too early";
      if (const auto use = use_of(*issued); use.cycles > 0) free_at[use.pipeline] = cycle + use.cycles;
      earliest[*issued] = cycle + kernel_of[*issued]->program[next[*issued]].latency;
      finish[*issued] = cycle + 1;
      ++next[*issued];
    }
  }
  for (std::size_t warp = 0; warp < kernel_of.size(); ++warp) {
    if (next[warp] != kernel_of[warp]->program.size()) return "a warp has not ended";
    if (run.warps[warp].finish != finish[warp]) return "another finish";
    const WarpCycles& cycles = run.warps[warp].cycles;
    if (cycles.issued != static_cast<std::int64_t>(next[warp])) return "another number of instructions";
    if (cycles.issued + cycles.latency + cycles.pipeline + cycles.not_selected !=
        finish[warp] - kernel_of[warp]->release)
      return "the cycles of a warp do not add up";
  }
  return "";
}

}  // namespace

TEST_CASE("GTO and LRR and the rotation yield the traces of the example (W4)") {
  const WarpRun gto = run(example(figure_3, "gto"));
  CHECK(trace(gto) == "0100110000111100231122332222333322..33");
  CHECK(warp_finishes(gto) == Numbers{16, 20, 34, 38});
  CHECK(finishes(gto) == Numbers{20, 38});
  CHECK(gto.kernels[0].response == 20);
  CHECK(gto.kernels[1].response == 37);

  const WarpRun lrr = run(example(figure_3, "lrr"));
  CHECK(trace(lrr) == "012300112233000011112222333300112233");
  CHECK(warp_finishes(lrr) == Numbers{30, 32, 34, 36});

  const WarpRun rotation = run(example(figure_3, "rotate"));
  CHECK(trace(rotation) == "0123012301230123012301230123.01230123");
  CHECK(warp_finishes(rotation) == Numbers{34, 35, 36, 37});
}

TEST_CASE("QAWS yields the traces and group switches of the example (W3 and W4)") {
  const WarpRun four = run(example(figure_3, "qaws", 1, 4));
  CHECK(trace(four) == "0123223322220011223333000033111100..11");
  CHECK(warp_finishes(four) == Numbers{34, 38, 18, 28});
  CHECK(four.sub_cores[0].switches == Numbers{2, 12, 16});

  const WarpRun six = run(example(figure_3, "qaws", 1, 6));
  CHECK(trace(six) == "0123223322223333220011330000111100..11");
  CHECK(warp_finishes(six) == Numbers{34, 38, 18, 24});
  CHECK(six.sub_cores[0].switches == Numbers{2, 18, 22});

  const WarpRun eight = run(example(figure_3, "qaws", 1, 8));
  CHECK(trace(eight) == "0123223322223333220033000011.111100..11");
  CHECK(finishes(eight) == Numbers{39, 22});
  CHECK(finishes(run(example(figure_3, "qaws", 1, 2))) == Numbers{36, 32});
}

TEST_CASE("Algorithm 1 as printed switches groups at least one cycle later (W3 and W4)") {
  const WarpRun four = run(example(figure_3, "qaws-literal", 1, 4));
  CHECK(trace(four) == "0102322332222301102233300013311100..11");
  CHECK(finishes(four) == Numbers{38, 29});
  CHECK(four.sub_cores[0].switches == Numbers{3, 14, 18});
  CHECK(finishes(run(example(figure_3, "qaws-literal", 1, 6))) == Numbers{39, 23});
}

TEST_CASE("no single stall length makes the printed Algorithm 1 switch groups in cycles 2 and 12 (W3)") {
  // Instructions 1 to 8 stall or not, for 1 to 6 cycles; the latency of the ninth does not matter.
  std::int64_t literal = 0, counting = 0;
  for (std::int64_t stall = 1; stall <= 6; ++stall)
    for (unsigned pattern = 0; pattern < 256; ++pattern) {
      Numbers latencies(9, 1);
      for (std::size_t i = 0; i < 8; ++i)
        if ((pattern >> i & 1U) != 0) latencies[i] += stall;
      const auto switches_at = [&latencies](std::string_view policy) {
        const WarpRun four = run(example(latencies, policy, 1, 4));
        const auto& switches = four.sub_cores[0].switches;
        return switches.size() >= 2 && switches[0] == 2 && switches[1] == 12;
      };
      literal += switches_at("qaws-literal") ? 1 : 0;
      counting += switches_at("qaws") ? 1 : 0;
    }
  CHECK(literal == 0);
  CHECK(counting > 0);
}

TEST_CASE("a second program yields the manually calculated finish times (W4)") {
  CHECK(finishes(run(example(second_vector, "gto"))) == Numbers{23, 37});
  CHECK(finishes(run(example(second_vector, "lrr"))) == Numbers{32, 36});
  CHECK(finishes(run(example(second_vector, "rotate"))) == Numbers{34, 36});
  CHECK(finishes(run(example(second_vector, "qaws", 1, 1))) == Numbers{23, 37});
  CHECK(finishes(run(example(second_vector, "qaws-literal", 3, 3))) == Numbers{23, 37});
}

TEST_CASE("a kernel with a larger budget ends sooner in the example") {
  std::int64_t before = 38;  // with GTO
  for (const std::int64_t budget : {2, 4, 6, 8}) {
    const std::int64_t finish = finishes(run(example(figure_3, "qaws", 1, budget)))[1];
    CHECK(finish < before);
    before = finish;
  }
}

TEST_CASE("a group with a single warp keeps its turn without counting switches") {
  // Kernel 2 has one warp and the larger budget; its stalls let kernel 1 in and
  // use no budget up.
  WarpScenario scenario = empty_scenario("qaws");
  scenario.kernels = {{program_of({3, 3, 1}), 2, 0, 1}, {program_of({2, 2, 2, 1}), 1, 0, 2}};
  const WarpRun result = run(scenario);
  CHECK(trace(result) == "202120210.1");
  CHECK(result.sub_cores[0].switches.empty());
}

TEST_CASE("groups that are released together start with the larger budget") {
  WarpScenario scenario = empty_scenario("qaws");
  scenario.kernels = {{program_of({1, 1}), 1, 0, 1}, {program_of({1, 1}), 1, 0, 4}, {program_of({1, 1}), 1, 0, 2}};
  CHECK(trace(run(scenario)) == "112200");
  scenario.policy = find_warp_policy("qaws-literal");
  CHECK(trace(run(scenario)) == "112200");
}

TEST_CASE("warps are distributed over concurrent sub-cores") {
  WarpScenario scenario = example(figure_3, "gto");
  scenario.sub_cores = 2;
  const WarpRun two = run(scenario);
  CHECK(trace(two, 0) == "0200220000222200..22");
  CHECK(trace(two, 1) == "1311331111333311..33");
  CHECK(finishes(two) == Numbers{16, 20});
  scenario.sub_cores = 5;  // one of them has nothing to do
  CHECK(trace(run(scenario), 0) == "0.00.0000....00");
  CHECK(trace(run(scenario), 4).empty());
}

TEST_CASE("FP32 and INT32 share a pipeline in Pascal and have separate ones in Volta") {
  WarpScenario scenario = empty_scenario("gto");
  const std::vector<WarpInstruction> mixed = {
      {1, WarpUnit::fp32}, {1, WarpUnit::int32}, {1, WarpUnit::fp32}, {1, WarpUnit::int32}};
  const std::vector<WarpInstruction> alike(4, {1, WarpUnit::fp32});
  const auto cycles = [&scenario](const std::vector<WarpInstruction>& program, std::string_view pipelines) {
    scenario.kernels = {{program, 1, 0, 1}};
    scenario.pipelines = find_warp_pipelines(pipelines);
    return run(scenario).cycles;
  };
  // Pascal: 32 lanes take a warp each cycle. Volta: 16 lanes take one every other cycle, but of both kinds in turn.
  CHECK(cycles(mixed, "pascal") == 4);
  CHECK(cycles(alike, "pascal") == 4);
  CHECK(cycles(mixed, "volta") == 4);
  CHECK(cycles(alike, "volta") == 7);
  CHECK(run(scenario).kernels[0].cycles.pipeline == 3);
}

TEST_CASE("FP64 and tensor instructions occupy the lanes of each architecture") {
  WarpScenario scenario = empty_scenario("gto");
  const auto cycles = [&scenario](WarpUnit unit, std::string_view pipelines) {
    scenario.kernels = {{std::vector<WarpInstruction>(4, {1, unit}), 2, 0, 1}};
    scenario.pipelines = find_warp_pipelines(pipelines);
    return run(scenario).cycles;
  };
  // Eight instructions of two warps, one after the other on the pipeline; the last counts one cycle.
  CHECK(cycles(WarpUnit::fp64, "pascal") == 7 * 32 + 1);
  CHECK(cycles(WarpUnit::fp64, "volta") == 7 * 4 + 1);
  CHECK(cycles(WarpUnit::fp64, "turing") == 7 * 64 + 1);
  CHECK(cycles(WarpUnit::fp64, "hopper") == 7 * 2 + 1);
  CHECK(cycles(WarpUnit::tensor, "volta") == 7 * 8 + 1);
  CHECK(cycles(WarpUnit::tensor, "hopper") == 7 * 4 + 1);
  scenario.pipelines = find_warp_pipelines("pascal");
  const auto refused = run_warps(scenario);
  REQUIRE(!refused);
  CHECK(refused.error() == "kernel 1: \"pascal\" has no unit for tensor instructions");
}

TEST_CASE("a kernel of FP64 instructions leaves issue cycles to one of INT32 instructions") {
  WarpScenario scenario = empty_scenario("gto");
  const auto finishes_with = [&scenario](std::string_view pipelines) {
    scenario.kernels = {{std::vector<WarpInstruction>(8, {1, WarpUnit::fp64}), 2, 0, 1},
                        {std::vector<WarpInstruction>(16, {1, WarpUnit::int32}), 2, 0, 1}};
    scenario.pipelines = find_warp_pipelines(pipelines);
    return run(scenario);
  };
  // Beside INT32, FP64 takes at most a few cycles longer than alone, because the pipelines are separate.
  const WarpRun pascal = finishes_with("pascal"), volta = finishes_with("volta");
  CHECK(pascal.kernels[0].finish <= 15 * 32 + 4);
  CHECK(pascal.kernels[1].finish <= 32 + 2);
  CHECK(volta.kernels[0].finish <= 15 * 4 + 4);
  CHECK(2 * volta.cycles < pascal.cycles);
}

TEST_CASE("a Pascal scheduler issues two independent instructions for different pipelines in one cycle") {
  WarpScenario scenario = empty_scenario("gto");
  const auto ran = [&scenario](std::vector<WarpInstruction> program, std::string_view pipelines) {
    scenario.kernels = {{std::move(program), 1, 0, 1}};
    scenario.pipelines = find_warp_pipelines(pipelines);
    return run(scenario);
  };
  const std::vector<WarpInstruction> apart = {{0, WarpUnit::fp32}, {1, WarpUnit::memory}},
                                     alike = {{0, WarpUnit::fp32}, {1, WarpUnit::int32}},
                                     dependent = {{1, WarpUnit::fp32}, {1, WarpUnit::memory}};
  CHECK(ran(apart, "pascal").cycles == 1);
  CHECK(ran(apart, "pascal").second_issues == 1);
  CHECK(ran(alike, "pascal").cycles == 2);  // one pipeline
  CHECK(ran(dependent, "pascal").cycles == 2);
  CHECK(ran(dependent, "volta").cycles == 2);
  CHECK(ran(dependent, "volta").second_issues == 0);
  scenario.kernels.front().program = apart;
  const auto refused = run_warps(scenario);
  REQUIRE(!refused);
  CHECK(refused.error() == "kernel 1: latencies must be between 1 and 1000000");
}

TEST_CASE("no policy issues too early or idles unnecessarily or loses a warp for any program") {
  std::mt19937_64 random(7);
  std::map<std::string_view, std::int64_t> runs;
  for (int i = 0; i < 3000; ++i) {
    const WarpScenario scenario = random_scenario(random);
    const WarpRun result = run(scenario);
    ++runs[scenario.policy->name];
    const std::string wrong = objection(scenario, result);
    INFO("scenario " << i << ", policy " << scenario.policy->name);
    REQUIRE(wrong == "");
  }
  CHECK(runs.size() == warp_policies().size());
}

TEST_CASE("equal budgets behave like GTO for any program") {
  std::mt19937_64 random(11);
  std::int64_t distinct = 0;
  for (int i = 0; i < 1000; ++i) {
    WarpScenario scenario = random_scenario(random);
    scenario.policy = find_warp_policy("qaws");
    const WarpRun before = run(scenario);
    for (WarpKernel& kernel : scenario.kernels) kernel.budget = 2;
    std::vector<std::string> traces[3];
    std::size_t next = 0;
    for (const std::string_view policy : {"gto", "qaws", "qaws-literal"}) {
      scenario.policy = find_warp_policy(policy);
      const WarpRun result = run(scenario);
      for (std::size_t core = 0; core < result.sub_cores.size(); ++core) {
        traces[next].push_back(trace(result, core));
        CHECK(result.sub_cores[core].switches.empty());
        if (next == 0 && trace(before, core) != traces[0].back()) ++distinct;
      }
      ++next;
    }
    REQUIRE(traces[1] == traces[0]);
    REQUIRE(traces[2] == traces[0]);
  }
  CHECK(distinct > 100);  // budgets that differ do make a difference
}

TEST_CASE("values out of range are reported with their kernel") {
  const WarpScenario good = example(figure_3, "gto");
  const auto with = [&good](auto change) {
    WarpScenario scenario = good;
    change(scenario);
    return error_of(scenario);
  };
  CHECK(with([](WarpScenario&) {}) == "");
  CHECK(with([](WarpScenario& s) { s.kernels.clear(); }) == "there must be a kernel");
  CHECK(with([](WarpScenario& s) { s.sub_cores = 0; }) == "sub-cores must be between 1 and 64");
  CHECK(with([](WarpScenario& s) { s.kernels[1].warps = 63; }) ==
        "kernel 2: warps must be at least 1, and at most 64 of all kernels");
  CHECK(with([](WarpScenario& s) { s.kernels[1].release = -1; }) ==
        "kernel 2: the release must be between 0 and 1000000");
  CHECK(with([](WarpScenario& s) { s.kernels[0].budget = 0; }) == "kernel 1: the budget must be at least 1");
  CHECK(with([](WarpScenario& s) { s.kernels[0].program.clear(); }) == "kernel 1: there must be an instruction");
  CHECK(with([](WarpScenario& s) { s.kernels[0].program[3].latency = 0; }) ==
        "kernel 1: latencies must be between 1 and 1000000");
  CHECK(with([](WarpScenario& s) { s.kernels[0].program[3].latency = 600'000; }) ==
        "this could take more than 1000000 cycles");
}

TEST_CASE("QAWS helps the kernel with the larger budget less if its warps stall more") {
  WarpStudy study;
  study.budgets = {2, 8};
  study.stall_shares = {200, 500, 800, 900, 980};
  const auto rows = study_warps(study);
  REQUIRE(rows);
  REQUIRE(rows->size() == 2 * 5 * 8);
  std::map<std::int64_t, double> gain;  // by share of stalls, homogeneous, budget 8
  for (const WarpStudyRow& row : *rows) {
    const double change = static_cast<double>(row.second_response - row.second_response_gto) /
                          static_cast<double>(row.second_response_gto);
    if (row.policy->name == "gto") CHECK(row.second_response == row.second_response_gto);
    if (row.policy->name == "qaws" && row.homogeneous && row.budget == 8) gain[row.stall_share] = -change;
    if (row.policy->name == "qaws" && row.budget == 2 && row.stall_share <= 500) CHECK(change < -0.1);
  }
  CHECK(gain[200] > 0.3);
  CHECK(gain[500] > gain[800]);
  CHECK(gain[800] > gain[900]);
  CHECK(gain[900] > gain[980]);
  CHECK(gain[980] < 0.02);

  study.stall_shares = {1000};
  CHECK(study_warps(study).error() == "shares of stalls must be between 0 and 990 per mille");
}

TEST_CASE("random programs of the study have exactly the requested stall share and are reproducible") {
  WarpStudy study;
  study.programs = 3;
  study.warps = 1;
  study.offset = 2000;  // so that each kernel has the sub-core for itself
  study.stall_shares = {500};
  const auto rows = study_warps(study);
  REQUIRE(rows);
  for (const WarpStudyRow& row : *rows)
    if (row.homogeneous) {
      CHECK(row.first_response == 3 * 2 * 64);
      CHECK(row.second_response == 3 * 2 * 64);
    }
  study.warps = 4;
  study.offset = 8;
  const auto once = study_warps(study), again = study_warps(study);
  study.seed = 2;
  const auto other = study_warps(study);
  bool differs = false;
  for (std::size_t i = 0; i < once->size(); ++i) {
    CHECK((*once)[i].second_response == (*again)[i].second_response);
    differs = differs || (*once)[i].second_response != (*other)[i].second_response;
  }
  CHECK(differs);
}

}  // namespace nvidia_warps_test
