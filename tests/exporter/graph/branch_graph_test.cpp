// SPDX-License-Identifier: Apache-2.0
// Alternatives, modes and semaphores in graphs.

#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "exporter/graph/graph_formats.hpp"
#include "tests/support/system_maker.hpp"

namespace graph_branch_graph_test {

using namespace amalthea;

namespace {

/// A task with a switch on a mode, after which it sets the mode and takes a semaphore.
System branching() {
  test::SystemMaker maker;
  const UnitIndex core = maker.core("core"), other = maker.core("other");
  const TaskIndex task = maker.task("T", core, 1, maker.periodic(1000));
  maker[task].units = {core, other};
  maker.system().modes.push_back({"Gear", 0, test::literals({"off", "on"})});
  maker.system().semaphores.push_back({"S", 1, 1, false, false});
  Branch branch;
  branch.alternatives.push_back({ModeCondition{{{ModeTest{0, Relation::equal, 1, std::nullopt}}}}, 1});
  maker.add(task, branch);
  maker.compute(task, 5);
  maker.add(task, SetMode{0, SetMode::Operation::set, 1});
  maker.add(task, UseSemaphore{0, UseSemaphore::Operation::exclusive, true});
  return maker.build();
}

}  // namespace

TEST_CASE("JSON graphs contain branch alternatives and mode values and semaphore uses") {
  const auto json = nlohmann::json::parse(exporter::render_graph_json(branching(), std::nullopt));
  CHECK(json["tasks"][0]["cores"] == nlohmann::json({"core", "other"}));
  const auto& nodes = json["nodes"];
  CHECK(nodes[0]["kind"] == "branch");
  CHECK(nodes[0]["repeats"] == false);
  CHECK(nodes[0]["alternatives"][0]["guard"] == "Gear = on");
  CHECK(nodes[0]["alternatives"][0]["activities"] == 1);
  CHECK(nodes[2]["mode"] == "Gear");
  CHECK(nodes[2]["value"] == "on");
  CHECK(nodes[3]["kind"] == "request");
  CHECK(nodes[3]["exclusive"] == true);
  CHECK(nodes[3]["waiting"] == "active");
}

TEST_CASE("DOT graphs draw branches as diamonds and show mode changes") {
  const std::string dot = exporter::render_graph_dot(branching(), std::nullopt);
  CHECK(dot.find("shape=diamond") != std::string::npos);
  CHECK(dot.find("Gear := on") != std::string::npos);
}

}  // namespace graph_branch_graph_test
