// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "reference/execution.hpp"

using namespace reference;

namespace {

constexpr Time ms = 1'000'000'000, us = 1'000'000;

Model sample(const std::string& name) {
  std::ifstream in(AMALTHEA_SOURCE_DIR "/samples/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return read(text.str());
}

Behaviour longest() {
  Behaviour behaviour;
  behaviour.rule(Question::Kind::execution_time, Behaviour::Rule::most);
  behaviour.rule(Question::Kind::block_time, Behaviour::Rule::most);
  return behaviour;
}

Time longest_response(const Model& model, const Execution& execution, const std::string& task) {
  Time longest = -1;
  for (const auto& job : execution.jobs)
    if (model.tasks[job.task].name == task && job.end >= 0) longest = std::max(longest, job.end - job.release);
  return longest;
}

}  // namespace

TEST_CASE("the smallest offload has the times that its comment adds up", "[execution]") {
  const auto model = sample("offload-minimal.amxmi");
  auto behaviour = longest();
  const auto execution = run(model, behaviour, {.until = 100 * ms});
  // 64 kB are 1000 lines of 20 ns on the core and 5 ns on the GPU, 4 kB are 63.
  CHECK(longest_response(model, execution, "Vision") == 3 * ms + (1000 + 63) * 2 * 5000);
  // Monitor cuts in at 0, 2 and 4 ms, while Control does not wait for the GPU.
  CHECK(longest_response(model, execution, "Monitor") == 300 * us);
  CHECK(longest_response(model, execution, "Control") ==
        300 * us + 600 * us + 20 * us + 3 * ms + (1000 + 63) * 2 * 5000 + 63 * 20000 + 500 * us + 300 * us);
}

TEST_CASE("a deferrable server stops its task when the budget is used up", "[execution]") {
  const auto model = sample("servers.amxmi");
  auto behaviour = longest();
  const auto execution = run(model, behaviour, {.until = 200 * ms});
  CHECK(longest_response(model, execution, "Media") == 71 * ms);  // 15 ms in parts of 2 every 10
  CHECK(longest_response(model, execution, "Brake") == 5 * ms);
  CHECK(longest_response(model, execution, "Diagnosis") == 10 * ms);
}

TEST_CASE("a behaviour repeats its execution", "[execution]") {
  const auto model = sample("offload-minimal.amxmi");
  Behaviour chance(Behaviour::Rule::random, 3);
  const auto first = run(model, chance, {.until = 100 * ms});
  chance.keep_answers();
  chance.seed(4);
  const auto second = run(model, chance, {.until = 100 * ms});
  REQUIRE(first.jobs.size() == second.jobs.size());
  for (std::size_t i = 0; i < first.jobs.size(); ++i) CHECK(first.jobs[i].end == second.jobs[i].end);
}
