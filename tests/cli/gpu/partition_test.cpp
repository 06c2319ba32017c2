// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace {

using Arguments = std::vector<std::string>;

test::CommandResult partition(const Arguments& more) {
  Arguments arguments{"gpu", "partition"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return test::amalthea(arguments);
}

}  // namespace

TEST_CASE("verbs for NVIDIA GPUs reject an AMD GPU") {
  for (const char* verb : {"occupancy", "place"}) {
    const auto result = test::amalthea({"gpu", verb, "--platform", "radeon-vii", "--threads", "256"});
    CHECK(result.exit_code == 2);
  }
  CHECK(test::amalthea({"gpu", "occupancy", "--platform", "radeon-vii", "--threads", "256"}).err ==
        "amalthea: error: --platform radeon-vii: this verb models NVIDIA GPUs; for an AMD GPU, use amalthea gpu run or "
        "amalthea gpu partition\n");
}

TEST_CASE("gpu partition prints the response times of a kernel under a mask") {
  const auto done =
      partition({"--platform", "radeon-vii", "--kernel", "mm1024", "--mask", "0xffff", "--format", "json"});
  CHECK(done.exit_code == 0);
  CHECK(done.err.empty());
  const auto json = nlohmann::json::parse(done.out);
  REQUIRE(json.size() == 6);
  CHECK(json["samples"] == 9);
  CHECK(json["std_ps"].get<double>() > 0);
  CHECK(json["median_ps"].get<std::int64_t>() == Approx(11.222e9).epsilon(0.02));  // measured
  CHECK(json["min_ps"] <= json["median_ps"]);
  CHECK(json["median_ps"] <= json["max_ps"]);
  CHECK(partition({"--kernel", "MM1024", "--mask", "distributed:16", "--format", "json"}).out == done.out);
}

TEST_CASE("gpu partition warns about a stray CU and about blocks that overtake and still answers") {
  const auto done = partition({"--kernel", "mm1024", "--mask", "packed:31", "--against", "mm256", "--against-mask",
                               "packed:1", "--launches", "1", "--format", "json"});
  CHECK(done.exit_code == 0);
  CHECK(done.err.find("warning: mask 0x333333333333337 of mm1024 enables 15, 15, 1, 0 CUs") != std::string::npos);
  CHECK(done.err.find("[AM0580]") != std::string::npos);
  CHECK(done.err.find("[AM0581]") != std::string::npos);
  CHECK(nlohmann::json::parse(done.out).contains("median_ps"));
}

TEST_CASE("gpu partition compares strategies to share the CUs between two tasks") {
  const auto done = partition({"--kernel", "mm1024", "--against", "mm1024", "--launches", "1", "--format", "json"});
  CHECK(done.exit_code == 0);
  const auto json = nlohmann::json::parse(done.out);
  REQUIRE(json["rows"].size() == 6);
  CHECK(json["rows"][1]["strategy"] == "even");
  CHECK(json["rows"][1]["mask"] == "0x555555555555555");
  CHECK(json["rows"][1]["against"]["mask"] == "0xaaaaaaaaaaaaaaa");
  CHECK(json["rows"][1]["warnings"].empty());
  CHECK(json["rows"][2]["strategy"] == "uneven");
  CHECK(json["rows"][2]["warnings"] == nlohmann::json::array({"AM0580"}));
  CHECK(json["rows"][2]["median_ps"] > 8 * json["rows"][1]["median_ps"].get<std::int64_t>());
}

TEST_CASE("gpu partition rejects invalid requests") {
  const auto error = [](const Arguments& arguments) {
    const auto done = partition(arguments);
    CHECK(done.exit_code == 2);
    return done.err;
  };
  CHECK(error({"--kernel", "mm1024", "--platform", "tx2"}).find("not a profile of an AMD GPU") != std::string::npos);
  CHECK(error({"--kernel", "mm512"}).find("expected one of mm1024, mm256") != std::string::npos);
  CHECK(error({"--kernel", "mm1024", "--mask", "0x0"}).find("--mask 0x0: it enables no CU") != std::string::npos);
  CHECK(error({"--kernel", "mm1024", "--against", "mm256", "--units", "60"}).find("the GPU has 60 CUs") !=
        std::string::npos);
  CHECK(error({"--kernel", "mm256", "--pause", "soon"}) ==
        "amalthea: error: --pause soon: expected a time such as 90us, of at most 1 s\n");
  CHECK(error({"--kernel", "mm256", "--against", "mm256", "--offset", "-1us"}).find("--offset -1us: expected a time") !=
        std::string::npos);
}

TEST_CASE("gpu run accepts scenarios of AMD GPUs in every output format and warns about too many queues") {
  const std::string sample = AMALTHEA_SOURCE_DIR "/samples/amd/stray-cu.json";
  const auto json = test::amalthea({"gpu", "run", sample, "--format", "json"});
  CHECK(json.exit_code == 0);
  const auto kernels = nlohmann::json::parse(json.out)["kernels"];
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0]["completion_ps"] == 8000000);
  CHECK(kernels[1]["completion_ps"] == 16000000);
  const auto chart = test::amalthea({"gpu", "run", sample, "--format", "gantt", "--width", "60"});
  CHECK(chart.out.find("SE 3 CU 0") != std::string::npos);
  CHECK(test::amalthea({"gpu", "run", sample}).exit_code == 0);
  const auto many = test::amalthea({"gpu", "run", AMALTHEA_SOURCE_DIR "/samples/amd/many-queues.json"});
  CHECK(many.exit_code == 0);
  CHECK(many.err.find("warning: 33 HSA queues are needed") != std::string::npos);
  CHECK(many.err.find("[AM0582]") != std::string::npos);
}

TEST_CASE("a model with an AMD GPU is analyzed and simulated and explained and its tasks have bounds") {
  const std::string model = AMALTHEA_SOURCE_DIR "/samples/amd/offload-masks.amxmi";
  const auto analyzed = test::amalthea({"analyze", model, "--format", "json"});
  CHECK(analyzed.exit_code == 0);
  CHECK(analyzed.err.find("AM0414") == std::string::npos);  // gpu.cuMask is understood
  const auto tasks = nlohmann::json::parse(analyzed.out)["tasks"];
  CHECK(tasks.size() == 4);
  for (const auto& task : tasks) {
    INFO(task["name"]);
    REQUIRE(task["bound"]["wcrt_ps"].is_number_integer());
    CHECK(task["bound"]["wcrt_ps"] >= task["simulated"]["max_ps"]);
  }
  CHECK(test::amalthea({"validate", model}).exit_code == 0);
  CHECK(test::amalthea({"simulate", model, "--runs", "3"}).exit_code == 0);
  CHECK(test::amalthea({"explain", model, "Radar"}).exit_code == 0);
}

TEST_CASE("gpu partition uses the pause and the offset of the profile unless they are given") {
  const auto mean = [](const Arguments& more) {
    Arguments arguments{"--kernel", "mm256", "--against", "mm256", "--mask", "full", "--format", "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto done = partition(arguments);
    CHECK(done.exit_code == 0);
    return nlohmann::json::parse(done.out)["mean_ps"].get<std::int64_t>();
  };
  const auto usual = mean({});
  CHECK(mean({"--pause", "90us", "--offset", "2700us"}) == usual);
  CHECK(mean({"--pause", "0us", "--offset", "0us"}) > usual);
}

TEST_CASE("gpu partition writes the response time of every launch") {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/samples.csv";
  const auto done =
      partition({"--kernel", "mm1024", "--mask", "0-14", "--launches", "4", "--samples", file, "--format", "json"});
  CHECK(done.exit_code == 0);
  const std::string text = test::read_text(file);
  CHECK(std::count(text.begin(), text.end(), '\n') == 5);
  for (const char* key : {"min_ps", "max_ps"})
    CHECK(text.find(std::to_string(nlohmann::json::parse(done.out)[key].get<std::int64_t>())) != std::string::npos);
}
