// SPDX-License-Identifier: Apache-2.0
// Whole models with GPUs: the documented times of samples, and that no execution exceeds their documented bounds.

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "reference/execution.hpp"

using namespace reference;

namespace {

constexpr double ms = 1e9;

Model sample(const std::string& name) {
  std::ifstream in(AMALTHEA_SOURCE_DIR "/samples/" + name);
  return read(std::string(std::istreambuf_iterator<char>(in), {}));
}

/// Figures of a Jetson TX2 as docs/reference/gpu.md and its profile state them.
RunOptions on_tx2(Time until) {
  RunOptions options;
  options.until = until;
  options.gpu.kernel_by_memcpy = 3'000;
  options.gpu.kernel_by_memset = 8'000;
  options.gpu.kernel_by_same_gpc = 4'070;
  options.gpu.kernel_by_cpu = 3'000;
  options.gpu.copy_by_kernel = 2'000;
  return options;
}

/// Longest response of every task, and of every operation as "task.step", in ms.
std::map<std::string, double> longest(const Model& model, Behaviour& behaviour, const RunOptions& options) {
  const Execution execution = run(model, behaviour, options);
  std::map<std::string, double> result;
  const auto add = [&](const std::string& name, Time time) {
    result[name] = std::max(result[name], static_cast<double>(time) / ms);
  };
  for (const Job& job : execution.jobs)
    if (job.end >= 0) add(model.tasks[job.task].name, job.end - job.release);
  for (const Operation& each : execution.operations)
    if (each.end >= 0) add(model.tasks[each.task].name + "." + std::to_string(each.step), each.end - each.submitted);
  return result;
}

Behaviour slowest() {
  Behaviour result(Behaviour::Rule::least);
  result.rule(Question::Kind::block_time, Behaviour::Rule::most);
  result.rule(Question::Kind::execution_time, Behaviour::Rule::most);
  return result;
}

}  // namespace

TEST_CASE("reference GPU: the offloading samples take the documented times", "[reference]") {
  for (const char* name : {"offload-minimal.amxmi", "offload-minimal-three-runnables.amxmi"}) {
    Behaviour behaviour = slowest();
    auto times = longest(sample(name), behaviour, on_tx2(20'000'000'000));
    CHECK(times["Vision.0"] == 0.01);
    CHECK(times["Vision.1"] == 3);
    CHECK(times["Vision"] == Approx(3.011).margin(0.0005));
    CHECK(times["Control"] == Approx(4.732).margin(0.0005));
    CHECK(times["Monitor"] == Approx(0.3));
  }
}

TEST_CASE("reference GPU: two rounds of blocks, and a stream of high priority between them, take the documented times",
          "[reference]") {
  Behaviour behaviour = slowest();
  auto times = longest(sample("offload-blocks.amxmi"), behaviour, on_tx2(20'000'000'000));
  CHECK(times["Vision.1"] == Approx(6.061).margin(0.0005));
  CHECK(times["Vision"] == Approx(6.072).margin(0.0005));
  CHECK(times["Radar"] == Approx(2.491).margin(0.0005));
  CHECK(times["Control"] == Approx(7.493).margin(0.0005));
}

TEST_CASE("reference GPU: no execution of the samples exceeds the documented bounds", "[reference]") {
  const Model model = sample("offload-blocks.amxmi");
  std::map<std::string, double> found;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Behaviour behaviour(seed % 2 == 0 ? Behaviour::Rule::random : Behaviour::Rule::corners, seed);
    if (seed % 3 == 0) {
      behaviour.rule(Question::Kind::block_time, Behaviour::Rule::most);
      behaviour.rule(Question::Kind::execution_time, Behaviour::Rule::most);
    }
    RunOptions options = on_tx2(50'000'000'000);
    options.any_offsets = true;
    options.gpu.any_placement = seed % 5 == 0;
    options.gpu.less_slowdown = seed % 7 == 0;
    for (const auto& [name, time] : longest(model, behaviour, options)) found[name] = std::max(found[name], time);
  }
  CHECK(found["Control"] <= 9.973 + 0.0005);
  CHECK(found["Radar"] <= 3.950 + 0.0005);
  CHECK(found["Vision"] <= 8.252 + 0.0005);
  CHECK(found["Monitor"] <= 0.3 + 0.0005);
  CHECK(found["Radar"] > 3.4);  // the search is worth something
}
