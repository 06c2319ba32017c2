// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/graph/boost_graph.hpp"
#include "amalthea/graph/system.hpp"
#include "importer/building/system_builder.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/test_models.hpp"

namespace versions_test {

using namespace amalthea;

namespace {

constexpr const char* versions[] = {"0.9.3", "0.9.5", "0.9.8", "1.1.0", "2.0.0", "3.0.0"};

std::string fixture(std::string_view version) { return test::data(fmt::format("offload-{}.amxmi", version)); }

/// Everything the engine sees of tasks and graph, as text.
std::vector<std::string> describe(const System& system) {
  std::vector<std::string> lines;
  for (const Scheduler& scheduler : system.platform.schedulers)
    lines.push_back(fmt::format("scheduler {} {}", scheduler.name, scheduler.units.size()));
  for (const ProcessingUnit& unit : system.platform.units)
    lines.push_back(fmt::format("unit {} {} {} {} {}", unit.name, static_cast<int>(unit.type), unit.device_profile,
                                unit.frequency.millihertz(), unit.accesses.at(0).read.upper));
  for (const Label& label : system.labels)
    lines.push_back(fmt::format("label {} {} {} {}", label.name, label.size.bytes, label.memory.value_or(99),
                                static_cast<int>(label.side)));
  for (const Stimulus& stimulus : system.stimuli)
    lines.push_back(
        fmt::format("stimulus {} {} {}", stimulus.name, stimulus.occurrence.index(), stimulus.activates.at(0)));
  for (const Task& task : system.tasks) {
    lines.push_back(fmt::format("task {} {} {} {} {} {} {}", task.name, static_cast<int>(task.side), task.scheduler,
                                task.unit, task.priority, task.time_slice ? format_duration(*task.time_slice) : "-",
                                task.deadline ? format_duration(*task.deadline) : "-"));
    for (const NodeIndex index : task.body) {
      const GraphNode& node = system.graph[index];
      std::string line = fmt::format("  {} {} {}", kind_name(node.activity), node.name,
                                     node.runnable ? system.runnables[*node.runnable].name : "-");
      const Ticks* ticks = nullptr;
      if (const auto* compute = std::get_if<Compute>(&node.activity)) ticks = &compute->ticks;
      if (const auto* kernel = std::get_if<Kernel>(&node.activity)) ticks = &*kernel->ticks;
      if (ticks != nullptr && ticks->otherwise)
        line += fmt::format(" {}/{}/{}", ticks->otherwise->lower, ticks->otherwise->average, ticks->otherwise->upper);
      if (const auto* copy = std::get_if<Copy>(&node.activity))
        line += fmt::format(" {} {} -> {}", copy->size.bytes, copy->sources.at(0), copy->destinations.at(0));
      if (const auto* wait = std::get_if<WaitEvents>(&node.activity))
        line += fmt::format(" {} {} {}", wait->events.at(0), wait->all, wait->active);
      lines.push_back(std::move(line));
    }
  }
  const auto [first, last] = boost::edges(system.graph.boost());
  for (auto edge = first; edge != last; ++edge)
    lines.push_back(fmt::format("{} {} -> {} {}", to_string(system.graph.boost()[*edge].kind),
                                boost::source(*edge, system.graph.boost()), boost::target(*edge, system.graph.boost()),
                                system.graph.boost()[*edge].label));
  return lines;
}

System clean_system(const std::string& path) {
  Diagnostics diagnostics;
  const Model model = test::model_from_file(path, diagnostics);
  auto system = importer::build_system(model, {}, diagnostics);
  for (const auto& diagnostic : diagnostics.all()) UNSCOPED_INFO(format(diagnostic));
  REQUIRE(system.has_value());
  CHECK(diagnostics.all().empty());
  return std::move(*system);
}

}  // namespace

TEST_CASE("every version's form of a system yields the same system") {
  const auto expected = describe(clean_system(fixture("3.0.0")));
  for (const char* version : versions) {
    INFO(version);
    CHECK(describe(clean_system(fixture(version))) == expected);
  }
  CHECK(std::count(expected.begin(), expected.end(), "task Vision 1 1 1 0 5 ms -") == 1);
}

TEST_CASE("the fixtures contain the system of the sample with a time slice") {
  auto sample = describe(clean_system(test::sample("offload-minimal-three-runnables.amxmi")));
  std::replace(sample.begin(), sample.end(), std::string("task Vision 1 1 1 0 - -"),
               std::string("task Vision 1 1 1 0 5 ms -"));
  CHECK(describe(clean_system(fixture("3.0.0"))) == sample);
}

TEST_CASE("a fixture under the namespace of another version is the same system") {
  const auto expected = describe(clean_system(fixture("3.0.0")));
  for (const char* version : versions) {
    // Up to 1.2.0 and from 2.0.0 scheduling differs; within each family structure decides, not the namespace.
    const bool old_scheduling = std::string_view(version) < "2.0.0";
    for (const Version other : all_versions()) {
      if (other < Version::v0_9_3 || (other < Version::v2_0_0) != old_scheduling) continue;
      INFO(version << " as " << to_string(other));
      Diagnostics diagnostics;
      const Model model =
          test::model_from_text(test::replaced(test::read_text(fixture(version)),
                                               namespace_uri(Version(*parse_version(version))), namespace_uri(other)),
                                diagnostics);
      const auto system = importer::build_system(model, {}, diagnostics);
      REQUIRE(system.has_value());
      for (const Diagnostic& diagnostic : diagnostics.all()) CHECK(diagnostic.id == "AM0208");
      CHECK(diagnostics.all().size() <= 1);
      CHECK(describe(*system) == expected);
    }
  }
}

TEST_CASE("EMF reads every fixture with its version's metamodel without messages", "[emf]") {
  test::EmfBatch emf;
  for (const char* version : versions) emf.expect_accepted(*amalthea::parse_version(version), {fixture(version)});
  emf.run();
}

}  // namespace versions_test
