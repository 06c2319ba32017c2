// SPDX-License-Identifier: Apache-2.0
// The drawing of the runnable graph.

#include <map>
#include <set>

#include <catch2/catch.hpp>

#include "amalthea/graph/boost_graph.hpp"
#include "exporter/graph/detail/columns.hpp"
#include "exporter/graph/graph_formats.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/test_models.hpp"

namespace graph_graph_svg_test {

using namespace amalthea;

namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + what.size())) ++found;
  return found;
}

/// Every element that opens is closed, in order.
void check_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (auto at = svg.find('<'); at != svg.npos; at = svg.find('<', at + 1)) {
    const auto end = svg.find('>', at);
    REQUIRE(end != svg.npos);
    const std::string tag = svg.substr(at + 1, svg.find_first_of(" />", at + 1) - at - 1);
    if (svg[at + 1] == '/') {
      REQUIRE_FALSE(open.empty());
      CHECK(svg.substr(at + 2, end - at - 2) == open.back());
      open.pop_back();
    } else if (svg[end - 1] != '/') {
      open.push_back(tag);
    }
  }
  CHECK(open.empty());
}

}  // namespace

TEST_CASE("graph drawing: contains every task and every edge between tasks and is deterministic") {
  const System system = test::system_from_file(test::sample("waters2019-tx2.amxmi"));
  const std::string svg = exporter::render_graph_svg(system, std::nullopt);
  CHECK(svg == exporter::render_graph_svg(system, std::nullopt));
  check_well_formed(svg);
  for (const Task& task : system.tasks)
    if (!task.body.empty()) CHECK(svg.find(">" + task.name + " on ") != svg.npos);
  std::map<EdgeKind, std::size_t> links;
  std::map<std::pair<TaskIndex, TaskIndex>, std::size_t> labels;
  for (const auto edge : boost::make_iterator_range(boost::edges(system.graph.boost()))) {
    const EdgeKind kind = system.graph.boost()[edge].kind;
    const TaskIndex from = system.graph[boost::source(edge, system.graph.boost())].task,
                    to = system.graph[boost::target(edge, system.graph.boost())].task;
    links[kind] += kind != EdgeKind::data || ++labels[{from, to}] == 1 ? 1 : 0;  // data: one for each pair of tasks
  }
  for (const EdgeKind kind : {EdgeKind::trigger, EdgeKind::event, EdgeKind::data}) {
    INFO(to_string(kind));  // one arrow each, and one in the legend
    CHECK(count(svg, "url(#arrow-" + std::string(to_string(kind)) + ")") == links[kind] + 1);
    CHECK(count(svg, "<g class=\"link " + std::string(to_string(kind)) + "\"") == links[kind]);
  }
  CHECK(svg.find("data-from=\"Planner\" data-to=\"DASM\"") != svg.npos);
  CHECK(svg.find("<title>data: x_car_host, y_car_host, yaw_car_host</title>") != svg.npos);
  CHECK(count(svg, ">3 labels<") == 2);
  CHECK(svg.find("write steer_objective") != svg.npos);
  CHECK(svg.find("10575000 to 11850000 ticks") != svg.npos);
}

TEST_CASE("graph drawing: the picture of the WATERS 2019 model has few crossings") {
  const System system = test::system_from_file(test::sample("waters2019-tx2.amxmi"));
  std::set<std::pair<TaskIndex, TaskIndex>> pairs;
  for (const auto edge : boost::make_iterator_range(boost::edges(system.graph.boost()))) {
    const TaskIndex from = system.graph[boost::source(edge, system.graph.boost())].task,
                    to = system.graph[boost::target(edge, system.graph.boost())].task;
    if (from != to && !pairs.contains({to, from})) pairs.emplace(from, to);
  }
  auto columns = exporter::columns_of(system.tasks.size(), {pairs.begin(), pairs.end()});
  const std::size_t in_model_order = exporter::crossings(columns);
  exporter::reduce_crossings(columns);
  CHECK(in_model_order >= 10);
  CHECK(exporter::crossings(columns) <= 4);
}

TEST_CASE("graph drawing: a single task has no edges to others") {
  const System system = test::system_from_file(test::sample("waters2019-tx2.amxmi"));
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    if (system.tasks[task].name != "SFM") continue;
    const std::string svg = exporter::render_graph_svg(system, task);
    check_well_formed(svg);
    CHECK(count(svg, "url(#arrow-sequence)") == 4);  // copy, kernel, copy, event; and the legend
    CHECK(svg.find("arrow-data)") == svg.npos);
    CHECK(svg.find("Planner") == svg.npos);
  }
}

TEST_CASE("graph drawing: alternatives have separate boxes with their guards") {
  test::SystemMaker maker;
  const TaskIndex task = maker.task("T<&>", maker.core("core"), 1, maker.periodic(1000));
  maker.system().modes.push_back({"Gear", 0, test::literals({"off", "on"})});
  Branch branch;
  branch.alternatives.push_back({ModeCondition{{{ModeTest{0, Relation::equal, 1, std::nullopt}}}}, 1});
  branch.alternatives.push_back({Otherwise{}, 1});
  maker.add(task, branch);
  maker.compute(task, 5);
  maker.compute(task, 7);
  maker.compute(task, 9);
  System system = maker.build();
  const auto& body = system.tasks[task].body;
  boost::remove_edge(body[0], body[1], system.graph.boost());
  boost::remove_edge(body[1], body[2], system.graph.boost());
  system.graph.connect(body[0], body[1], GraphEdge{EdgeKind::sequence, "Gear = on"});
  system.graph.connect(body[0], body[2], GraphEdge{EdgeKind::sequence, "otherwise"});
  system.graph.connect(body[1], body[3], GraphEdge{EdgeKind::sequence, ""});
  const std::string svg = exporter::render_graph_svg(system, std::nullopt);
  check_well_formed(svg);
  CHECK(svg.find("T&lt;&amp;&gt; on core") != svg.npos);
  CHECK(svg.find(">Gear = on<") != svg.npos);
  CHECK(count(svg, " rx=\"3\"") == 4);
  CHECK(count(svg, "url(#arrow-sequence)") == 5);
}

TEST_CASE("graph drawing: a large graph is summarized as one box per task") {
  const System system = test::system_from_file(test::sample("waters2019-tx2.amxmi"));
  CHECK(exporter::render_graph_overview_svg(system) == exporter::render_graph_svg(system, std::nullopt));
  const std::string svg = exporter::render_graph_overview_svg(system, 10);
  check_well_formed(svg);
  CHECK(svg.find("3 GPU operations") != svg.npos);
  CHECK(svg.find("13 label accesses") == svg.npos);
  CHECK(svg.find("12 label accesses") != svg.npos);  // the planner's
  std::size_t boxes = 0;
  for (const Task& task : system.tasks) boxes += task.body.empty() ? 0 : 1;
  CHECK(count(svg, " rx=\"3\"") == boxes);
}

}  // namespace graph_graph_svg_test
