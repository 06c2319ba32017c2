// SPDX-License-Identifier: Apache-2.0
// Expected values: Paredes Zevallos 2019 (T8–T12): the worked example, its three scenarios, the results of the
// algorithm as printed, the closed forms; and a simulation in single time steps.

#include <cmath>
#include <limits>
#include <random>

#include <fmt/core.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "engine/devices/stream_simulation.hpp"
#include "engine/nvidia/block_placement.hpp"
#include "engine/nvidia/response_time.hpp"
#include "tests/support/test_models.hpp"

namespace nvidia_response_time_test {

namespace {

using namespace amalthea::engine::gpu;
using namespace amalthea::engine::nvidia;
using amalthea::Duration;
using amalthea::Instant;
using Times = std::vector<std::int64_t>;

const RtaKernel k1{0, 4, 2}, k2{0, 6, 7}, k3{0, 6, 2}, k4{0, 5, 5};

Times f(const RtaProblem& problem) { return response_times(problem).value().completion; }
Times printed(const RtaProblem& problem) { return response_times_as_printed(problem).value().completion; }
Times closed(const RtaProblem& problem) { return response_times_closed(problem).value().completion; }

/// f by brute force: at every unit of time blocks end, then those of the queue's head go wherever there is room, on one
/// SM for g_max blocks or on two for half of them each.
Times stepped(const RtaProblem& problem, std::int64_t sms) {
  SmLimits limits;
  limits.sms = sms;
  limits.blocks = problem.g_max / sms;
  limits.threads = limits.blocks * limits.warp_size;
  BlockPlacement placement(limits);
  const SmUse block{1, 1, 0, 0};
  std::vector<std::size_t> queue(problem.kernels.size());
  for (std::size_t index = 0; index < queue.size(); ++index) queue[index] = index;
  std::stable_sort(queue.begin(), queue.end(),
                   [&](auto a, auto b) { return problem.kernels[a].release < problem.kernels[b].release; });
  Times completion(queue.size());
  std::multimap<std::int64_t, SmIndex> running;
  std::size_t head = 0;
  std::int64_t started = 0;
  for (std::int64_t now = 0; head < queue.size(); ++now) {
    for (bool changed = true; changed;) {  // blocks may take no time
      changed = false;
      for (; !running.empty() && running.begin()->first <= now; running.erase(running.begin()), changed = true)
        placement.remove(running.begin()->second, block);
      while (head < queue.size() && problem.kernels[queue[head]].release <= now) {
        const auto sm = placement.place(block);
        if (!sm) break;
        changed = true;
        const RtaKernel& kernel = problem.kernels[queue[head]];
        running.emplace(now + kernel.execution, *sm);
        completion[queue[head]] = std::max(completion[queue[head]], now + kernel.execution);
        if (++started == kernel.blocks) {
          ++head;
          started = 0;
        }
      }
    }
  }
  return completion;
}

}  // namespace

TEST_CASE("T10: the worked example and the three scenarios are reproduced in order of launch") {
  CHECK(f({8, {k1, k2, k3, k4}}) == Times{4, 10, 12, 11});
  CHECK(f({8, {k2, k3, k4, k1}}) == Times{6, 12, 11, 10});
  CHECK(f({8, {k2, k4, k1, k3}}) == Times{6, 11, 10, 12});
  CHECK(f({8, {k2, k1, k3, k4}}) == Times{6, 8, 12, 11});
}

TEST_CASE("T8: the printed algorithm reproduces the results of its mistakes") {
  CHECK(printed({8, {k1, k2, k3, k4}}) == Times{4, 10, 10, 9});
  CHECK(printed({8, {k2, k4, k1, k3}}) == Times{6, 10, 9, 11});
  CHECK(printed({8, {k2, k1, k3, k4}}) == Times{6, 8, 10, 9});
  const RtaProblem releases{8, {{0, 4, 6}, {10, 3, 4}}};
  CHECK(printed(releases) == Times{4, 6});
  CHECK(f(releases) == Times{4, 13});
}

TEST_CASE("T8 E2: non-termination of the printed algorithm is reported") {
  const RtaProblem problem{8, {{0, 4, 8}, {0, 2, 3}}};
  const auto result = response_times_as_printed(problem).value();
  CHECK(result.completion == Times{4});
  CHECK(result.endless_at == std::size_t{1});
  CHECK(f(problem) == Times{4, 6});
  // Not endless, but with as many turns as the kernel has blocks.
  const RtaProblem long_one{8, {{0, 4, 7}, {0, 5, 1'000'000'000'000'000}}};
  CHECK(response_times_as_printed(long_one).value().endless_at == std::nullopt);
}

TEST_CASE("T9: the printed algorithm mostly disagrees on synchronous sets and agrees without its mistakes") {
  std::mt19937 random(2);
  const auto draw = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
  int wrong = 0;
  for (int run = 0; run < 3000; ++run) {
    RtaProblem problem{8, {}};
    for (int n = draw(2, 8); n > 0; --n) problem.kernels.push_back({0, draw(1, 9), draw(1, 12)});
    if (printed(problem) != f(problem)) ++wrong;
  }
  CHECK(wrong > 2000);
}

TEST_CASE("T11: the closed form as printed is that of the equations to the letter") {
  const auto halves = [](const RtaProblem& problem) {
    std::vector<std::int64_t> ends;
    for (const PrintedClosedForm& row : response_times_closed(problem).value().printed) ends.push_back(row.f_halves);
    return ends;
  };
  CHECK(halves({8, {{0, 3, 8}}}) == Times{9});                  // takes exactly the free blocks: C / 2 late
  CHECK(halves({8, {{0, 3, 16}}}) == Times{18});                // a whole number of further rounds: C late
  CHECK(halves({8, {{0, 3, 5}, {0, 3, 11}}}) == Times{6, 18});  // the same
  CHECK(halves({8, {{0, 3, 8}, {0, 3, 2}}}) == Times{9, 9});    // behind the first: early, 4.5 instead of 6
  CHECK(halves({8, {{0, 3, 5}, {0, 3, 2}, {0, 3, 4}}}) == Times{6, 6, 12});
  constexpr std::int64_t longest_time = std::numeric_limits<std::int64_t>::max();
  const RtaProblem longest{8, {{0, longest_time / 2, 1}, {0, longest_time / 2, 9}}};
  CHECK(halves(longest).size() == 1);  // the second one's f is no number of halves below 2^63

  // In floating point, which is exact here.
  std::mt19937 random(4);
  const auto draw = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
  for (int run = 0; run < 1000; ++run) {
    const int g_max = draw(1, 16), execution = draw(0, 9), release = draw(0, 9);
    RtaProblem problem{g_max, {}};
    double t_a = release, g_f = g_max;
    Times expected;
    for (int n = draw(1, 8); n > 0; --n) {
      const int g = draw(1, 40);
      problem.kernels.push_back({release, execution, g});
      const double difference = g - g_f;
      const double sgn = difference == 0 ? 0 : difference / std::abs(difference);
      const double k = std::floor(std::abs(difference) / g_max);
      const double alpha = (sgn + 1) / 2;
      t_a = t_a + alpha * execution + k * execution;
      g_f = alpha * g_max - (difference - k * g_max);
      expected.push_back(std::llround(2 * (t_a + execution)));
    }
    REQUIRE(halves(problem) == expected);
  }
}

TEST_CASE("T11: the corrected closed form agrees with the algorithm") {
  CHECK(closed({8, {{0, 3, 8}}}) == Times{3});
  CHECK(closed({8, {{0, 3, 16}}}) == Times{6});
  CHECK(closed({8, {{0, 3, 5}, {0, 3, 11}}}) == Times{3, 6});
  std::mt19937 random(3);
  const auto draw = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
  for (int run = 0; run < 3000; ++run) {
    RtaProblem problem{draw(1, 32), {}};
    const std::int64_t release = draw(0, 9);
    const std::int64_t execution = draw(0, 9);
    for (int n = draw(1, 12); n > 0; --n) problem.kernels.push_back({release, execution, draw(1, 80)});
    REQUIRE(closed(problem) == f(problem));
  }
  CHECK(response_times_closed({8, {{0, 3, 8}, {0, 4, 8}}}).error() ==
        "kernels[1] has another r or C than kernels[0]; the closed form holds for equal ones");
  CHECK(closed({8, {}}).empty());
}

TEST_CASE("T12: vectors with release times are reproduced") {
  CHECK(f({8, {{1, 5, 2}, {4, 9, 4}, {7, 2, 10}}}) == Times{6, 13, 13});
  CHECK(f({8, {{3, 3, 9}, {3, 4, 9}, {9, 7, 13}, {10, 4, 5}, {16, 8, 3}, {16, 2, 5}}}) == Times{9, 14, 24, 28, 32, 28});
  CHECK(f({16, {{0, 5, 26}, {1, 8, 29}, {1, 4, 15}, {1, 6, 2}}}) == Times{10, 26, 29, 31});
}

TEST_CASE("T12: the published file of vectors is reproduced") {
  for (const auto& vector : nlohmann::json::parse(test::read_text(test::published_vectors("rta.json")))) {
    RtaProblem problem{vector["gmax"], {}};
    for (const auto& kernel : vector["tau"]) problem.kernels.push_back({kernel[0], kernel[1], kernel[2]});
    const auto result = response_times(problem).value();
    CHECK(result.completion == vector["f"].get<Times>());
    CHECK(result.response == vector["R"].get<Times>());
  }
}

TEST_CASE("T9 and T7: the algorithm agrees with a stepwise simulation of one SM and of two on 10 000 random sets") {
  std::mt19937 random(1);
  const auto draw = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
  for (int run = 0; run < 10000; ++run) {
    RtaProblem problem{std::int64_t{2} << draw(0, 4), {}};
    const int latest = draw(0, 40);
    for (int n = draw(1, 9); n > 0; --n)
      problem.kernels.push_back(
          {draw(0, latest), draw(run % 3 == 0 ? 0 : 1, 12), draw(1, 3 * static_cast<int>(problem.g_max))});
    const Times expected = stepped(problem, 1);
    INFO("run " << run);
    REQUIRE(f(problem) == expected);
    REQUIRE(stepped(problem, 2) == expected);
  }
}

TEST_CASE("kernels with many blocks agree with the stepwise simulation although whole rounds are skipped") {
  std::mt19937 random(5);
  const auto draw = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
  for (int run = 0; run < 1000; ++run) {
    RtaProblem problem{draw(1, 9), {}};
    for (int n = draw(1, 5); n > 0; --n)
      problem.kernels.push_back({draw(0, 20), draw(0, 1) == 0 ? draw(0, 3) : draw(20, 60), draw(1, 150)});
    INFO("run " << run);
    REQUIRE(f(problem) == stepped(problem, 1));
  }
}

TEST_CASE("results are in input order and equal releases are served in input order") {
  CHECK(f({8, {{7, 2, 10}, {1, 5, 2}, {4, 9, 4}}}) == Times{13, 6, 13});
  CHECK(f({1, {{5, 1, 1}, {5, 2, 1}}}) == Times{6, 8});
}

TEST_CASE("huge numbers of blocks are analyzed instantly and a completion beyond 64 bits is an error") {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  CHECK(f({8, {{0, 1, huge}}}) == Times{huge / 8 + 1});
  CHECK(f({huge, {{0, 5, huge}, {0, 5, huge}}}) == Times{5, 10});
  CHECK(f({7, {{0, 1'000'000'000, 3}, {0, 1, huge / 4}, {0, 0, huge}}}).size() == 3);
  CHECK(response_times({8, {{0, 9, huge}}}).error() == "kernels[0] ends later than 2^63 - 1");
  CHECK(response_times({1, {{0, 9, 1}, {huge, 1, 1}}}).error() == "kernels[1] ends later than 2^63 - 1");
  CHECK(response_times_closed({8, {{0, 9, huge}}}).error() == "kernels[0] ends later than 2^63 - 1");
  CHECK(response_times_as_printed({8, {{0, huge, 1}, {0, huge, 8}}}).error() == "kernels[1] ends later than 2^63 - 1");
  CHECK(f({8, {}}).empty());
}

TEST_CASE("Eq. 3.3 and 3.4: utilization counts threads") {
  RtaProblem problem{8, {k1, k2, k3, k4}};
  CHECK_FALSE(utilization(problem).has_value());
  for (RtaKernel& kernel : problem.kernels) {
    kernel.period = 15;
    kernel.threads = 512;
  }
  CHECK(utilization(problem.kernels[0]).value() == Approx(4.0 * 2 * 512 / 15));
  CHECK(utilization(problem).value() == Approx((8.0 + 42 + 12 + 25) * 512 / 15));
  CHECK(meets_deadlines(problem, response_times(problem).value().response));
  problem.kernels[2].period = 11;
  CHECK_FALSE(meets_deadlines(problem, response_times(problem).value().response));
}

TEST_CASE("an RTA problem is read from JSON and errors have a location") {
  const auto problem = parse_rta_problem(
      R"({"description": "x", "b": 512, "g_max": 8, "kernels": [{"r": 1, "C": 4, "g": 2, "T": 15, "name": "a"}, {"C": 0, "g": 1, "b": 32}]})");
  REQUIRE(problem.has_value());
  CHECK(problem->g_max == 8);
  CHECK(problem->kernels == std::vector<RtaKernel>{{1, 4, 2, 15, 512}, {0, 0, 1, 0, 32}});
  const auto error = [](std::string_view text) { return format(parse_rta_problem(text).error()); };
  CHECK(error("{\"g_max\": 8,\n \"kernels\": [{\"C\": 4, \"g\": 0}]}") ==
        "2:28: kernels[0].g: expected a whole number from 1 to 2^63 - 1");
  CHECK(error("{\"g_max\": 8, \"kernels\":\n[{\"C\": 9223372036854775808, \"g\": 1}]}") ==
        "2:26: kernels[0].C: expected a whole number from 0 to 2^63 - 1");
  CHECK(error("{\"g_max\": \"8\"}") == "1:13: g_max: expected a whole number from 1 to 2^63 - 1");
  CHECK(error("{\"g_max\": 8,\n\n  \"kernels\": [1]}") ==
        "3:15: kernels[0]: expected an object such as {\"r\": 0, \"C\": 4, \"g\": 2}");
  CHECK(error("{\"g_max\": 8, \"kernels\": [\n {\"g\": 1}]}") == "2:2: kernels[0]: \"C\" is missing");
  CHECK(error("{\"g_max\": 8, \"kernels\": [{\"C\": 1, \"g\": 1, \"c\": 1}]}") ==
        "1:48: kernels[0].c: unknown key; a kernel has r, C, g, T, b and name");
  CHECK(error("{\"g_max\": 8}") == "1:1: \"kernels\" is missing");
  CHECK(error("{\"kernels\": []}") == "1:1: \"g_max\" is missing");
  CHECK(error("{\"b\": 384, \"kernels\": []}").find("b = 384 does not divide the 2048 threads") != std::string::npos);
  for (const auto& [threads, blocks] : {std::pair{128, 32}, {256, 16}, {512, 8}, {1024, 4}})  // Eq. 3.6
    CHECK(parse_rta_problem(fmt::format("{{\"b\": {}, \"kernels\": []}}", threads))->g_max == blocks);
  CHECK(error("{\"g_max\": 8, \"kernels\": {}}") == "1:25: kernels: expected an array");
  CHECK(error("{\"g_max\": 0}") == "1:11: g_max: expected a whole number from 1 to 2^63 - 1");
  CHECK(error("{\"g_max\": 0\n}") == "1:11: g_max: expected a whole number from 1 to 2^63 - 1");
  CHECK(error(" 12") == "1:3: expected an object with \"g_max\" and \"kernels\"");
  CHECK(error("[]") == "1:1: expected an object with \"g_max\" and \"kernels\"");
  CHECK(error("{\"g_max\": 8, \"g_max\": 8}") == "1:20: key \"g_max\" is given twice");
  CHECK(error(std::string(100000, '[')) == "1:33: nested more than 32 levels deep");
  CHECK(error("").starts_with("1:1: not JSON: "));
  CHECK(error("{\"g_max\":\n 8,, }").starts_with("2:4: not JSON: "));
}

TEST_CASE("periodic releases are followed until they repeat and overload is rejected") {
  // T 4 and 6 on one place: 0-2, 2-5, 5-7 (released 4), 7-10 (released 6), 10-12 (released 8); then everything again.
  RtaProblem problem{1, {{0, 2, 1, 4}, {0, 2, 1, 6}}};
  problem.kernels[1].execution = 3;
  auto result = response_times_periodic(problem).value();
  CHECK(result.hyperperiod == 12);
  CHECK(result.repeats);
  CHECK(result.worst_response == std::vector<std::int64_t>{4, 5});
  CHECK(result.worst_release[1] == 0);
  CHECK(meets_deadlines(problem, result.worst_response));

  problem.kernels[1].execution = 4;
  CHECK(response_times_periodic(problem).error() ==
        "the GPU is overloaded: its utilization, the sum of C g / (g_max T), is 116.67 %, so response times grow "
        "without limit");
  problem.kernels[0].period = problem.kernels[1].period = 0;
  CHECK(response_times_periodic(problem).error() == "no kernel has a period \"T\" and something to do");
}

TEST_CASE("periodic releases agree with the event simulation even if jobs of one kernel queue") {
  std::mt19937 random(5);
  const auto draw = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
  int compared = 0;
  for (int run = 0; run < 1000; ++run) {
    INFO("run " << run);
    RtaProblem problem{4, {}};
    static constexpr std::int64_t periods[] = {4, 6, 8, 12};
    for (int n = draw(1, 4); n > 0; --n)
      problem.kernels.push_back({draw(0, 10), draw(1, 5), draw(1, 6), periods[draw(0, 3)]});
    const auto result = response_times_periodic(problem, 10'000);
    if (!result) continue;
    if (!result->repeats) {  // blocks do not fill every round: the backlog grows although the demand is below one
      REQUIRE_FALSE(meets_deadlines(problem, result->worst_response));
      continue;
    }
    ++compared;
    StreamScenario scenario;
    scenario.limits().sms = 2;
    scenario.contexts.emplace_back();
    std::vector<std::size_t> kernel_of;
    // One hyperperiod more than analyzed, to check that nothing worse follows.
    for (std::size_t index = 0; index < problem.kernels.size(); ++index) {
      const RtaKernel& kernel = problem.kernels[index];
      scenario.streams.push_back({{StreamPriority::low, false}, std::to_string(index), 0});
      for (std::int64_t release = kernel.release; release < result->until + result->hyperperiod;
           release += kernel.period) {
        StreamOperation operation;
        operation.stream = index;
        operation.release = Instant::at(Duration::picoseconds(release));
        operation.duration = Duration::picoseconds(kernel.execution);
        operation.blocks = kernel.blocks;
        operation.shape.threads = 1024;
        scenario.operations.push_back(operation);
        kernel_of.push_back(index);
      }
    }
    const auto simulated = simulate_streams(scenario).value().operations;
    std::vector<std::int64_t> worst(problem.kernels.size(), -1);
    for (std::size_t i = 0; i < simulated.size(); ++i)
      worst[kernel_of[i]] =
          std::max(worst[kernel_of[i]], (simulated[i].completion - scenario.operations[i].release).picoseconds());
    REQUIRE(worst == result->worst_response);
  }
  CHECK(compared > 300);
}

}  // namespace nvidia_response_time_test
