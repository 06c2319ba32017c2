// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/test_models.hpp"

using nlohmann::json;

TEST_CASE("graph: the one-runnable and the three-runnable form yield the same graph") {
  const auto graph_of = [](const char* sample) {
    json graph = json::parse(test::amalthea({"graph", test::sample(sample), "--format", "json"}).out);
    for (json& node : graph["nodes"])
      node.erase("runnable");  // the only thing that differs: which runnable it came from
    return graph;
  };
  CHECK(graph_of("offload-minimal.amxmi") == graph_of("offload-minimal-three-runnables.amxmi"));
}

TEST_CASE("graph: a device task is host-to-device copy and kernel and device-to-host copy and event") {
  const json graph = json::parse(
      test::amalthea({"graph", test::sample("waters2019-tx2.amxmi"), "--format", "json", "--task", "SFM"}).out);
  std::vector<std::string> kinds;
  for (const json& node : graph["nodes"]) kinds.push_back(node["kind"]);
  CHECK(kinds == std::vector<std::string>{"h2d", "kernel", "d2h", "set"});
  CHECK(graph["nodes"][0]["bytes"] == 2'000'256);
  CHECK(graph["nodes"][0]["reads"] == json({"IMU_data_host", "Image_SFM_host"}));
  CHECK(graph["nodes"][1]["ticks"]["GPU_def"]["upper"] == 11'850'000);
  CHECK(graph["nodes"][2]["bytes"] == 24'000);
  CHECK(graph["edges"].size() == 3);
}

TEST_CASE("graph: the system graph has triggers and events and data between tasks") {
  const json graph =
      json::parse(test::amalthea({"graph", test::sample("waters2019-tx2.amxmi"), "--format", "json"}).out);
  std::map<std::string, int> edges;
  for (const json& edge : graph["edges"]) ++edges[edge["kind"]];
  CHECK(edges["trigger"] == 2);  // SFM and Detection; the wrappers of Lane_detection and Localization fall away
  CHECK(edges["event"] == 2);
  CHECK(edges["data"] > 20);
  const json kept = json::parse(
      test::amalthea({"graph", test::sample("waters2019-tx2.amxmi"), "--format", "json", "--keep-wrappers"}).out);
  int triggers = 0;
  for (const json& edge : kept["edges"]) triggers += edge["kind"] == "trigger" ? 1 : 0;
  CHECK(triggers == 4);
}

TEST_CASE("graph: Graphviz renders the DOT output") {
  if (test::run({"dot", "-V"}).exit_code != 0) test::skip("no Graphviz (graphviz)");
  const test::TemporaryFolder folder;
  for (const char* sample : {"offload-minimal.amxmi", "waters2019-tx2.amxmi"}) {
    const std::string dot = folder.path() + "/graph.dot";
    REQUIRE(test::amalthea({"graph", test::sample(sample), "-o", dot}).exit_code == 0);
    const auto rendered = test::run({"dot", "-Tsvg", dot});
    CHECK(rendered.exit_code == 0);
    CHECK(rendered.err.empty());
    const bool has_a_kernel =
        rendered.out.find("SFM.kernel") != std::string::npos || rendered.out.find("Vision.kernel") != std::string::npos;
    CHECK(has_a_kernel);
  }
}

TEST_CASE("graph: an unknown task is reported") {
  const auto result = test::amalthea({"graph", test::sample("offload-minimal.amxmi"), "--task", "Nobody"});
  CHECK(result.exit_code == 2);
  CHECK(result.err ==
        "amalthea: error: --task Nobody: the model has no such task; available: \"Control\", \"Monitor\" and "
        "\"Vision\"\n");
}

TEST_CASE("info: shows the content of the model") {
  const auto result = test::amalthea({"info", test::sample("waters2019-tx2.amxmi"), "--format", "json"});
  CHECK(result.exit_code == 0);
  const json info = json::parse(result.out);
  CHECK(info["model"]["version"] == "3.3.0");
  CHECK(info["classes"]["Task"] == 14);
  CHECK(info["classes"]["Runnable"] == 27);
  CHECK(info["classes"]["Label"] == 30);
  // The WATERS model is made of what timing needs; only what describes how parameters are typed has no effect.
  CHECK(info["ignored_classes"].size() <= 2);
  CHECK(info["not_understood"] == 0);
  CHECK(info["analysable"] == true);
  CHECK(test::amalthea({"info", test::sample("waters2019-tx2.amxmi")}).out.find("wrapper of Lane_detection, dropped") !=
        std::string::npos);
}
