// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <fmt/core.h>

#include "engine/program/kernel_instructions.hpp"
#include "engine/program/program.hpp"
#include "importer/building/system_builder.hpp"
#include "tests/support/test_models.hpp"

namespace building_kernel_instructions_test {

using namespace amalthea;

namespace {

struct Built {
  Diagnostics diagnostics;
  std::optional<System> system;
};

Built built(const std::string& text) {
  Built built;
  const Model model = test::model_from_text(text, built.diagnostics);
  built.system = importer::build_system(model, {}, built.diagnostics);
  return built;
}

std::string sample() { return test::read_text(test::sample("offload-instructions.amxmi")); }

const Kernel& kernel_of(const System& system, std::string_view name) {
  for (NodeIndex node = 0; node < system.graph.size(); ++node)
    if (system.graph[node].name == name) return std::get<Kernel>(system.graph[node].activity);
  FAIL("no such kernel");
  std::abort();
}

std::vector<std::string> operations_of(const System& system, std::string_view task) {
  std::vector<std::string> names;
  for (NodeIndex node = 0; node < system.graph.size(); ++node)
    if (system.tasks[system.graph[node].task].name == task) names.emplace_back(kind_name(system.graph[node].activity));
  return names;
}

}  // namespace

TEST_CASE("a runnable with instructions and without ticks executes between its copies") {
  const Built result = built(sample());
  REQUIRE(result.system);
  CHECK(operations_of(*result.system, "Vision") == std::vector<std::string>{"h2d", "kernel", "d2h", "set"});
  const Kernel& vision = kernel_of(*result.system, "Vision.kernel");
  REQUIRE(vision.instructions);
  CHECK(vision.instructions->text == "5L 9C 2L 9C");
  CHECK(vision.instructions->budget == 1);
  CHECK(kernel_of(*result.system, "Radar.kernel").instructions->budget == 4);
}

TEST_CASE("instructions become the ticks of a block on the GPU") {
  Built result = built(sample());
  REQUIRE(result.system);
  REQUIRE(engine::resolve_instructions(*result.system, nullptr, result.diagnostics));
  const DefinitionIndex gpu = result.system->platform.units[1].definition;
  // 16 warps, one block per SM: 184 cycles at most. Beside Radar, the warp policy executes them, too: the 25 instructions
  // of four warps on each sub-core.
  const Cycles* vision = kernel_of(*result.system, "Vision.kernel").ticks->on(gpu);
  REQUIRE(vision != nullptr);
  CHECK(vision->upper == 184);
  CHECK(vision->lower == 100);
  CHECK(vision->average == 163);
  CHECK(test::with_id(result.diagnostics, "AM0510").size() == 2);
}

TEST_CASE("ticks beside instructions are ignored and several instructions are an error") {
  const std::string ticks =
      R"(<items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="7"/></items>)";
  const std::string before = R"(<items xsi:type="am:LabelAccess" data="Result_device?type=Label" access="read"/>)";
  const Built once = built(test::replaced(sample(), before, ticks + before));
  REQUIRE(once.system);
  CHECK(operations_of(*once.system, "Vision") == std::vector<std::string>{"h2d", "kernel", "d2h", "set"});
  CHECK(test::with_id(once.diagnostics, "AM0327").size() == 1);
  const Built twice = built(test::replaced(sample(), before, ticks + ticks + before));
  CHECK_FALSE(twice.system);
  CHECK(test::with_id(twice.diagnostics, "AM0326").size() == 1);
}

TEST_CASE("invalid instructions are reported with their location") {
  const auto complaint = [](const std::string& text) {
    Built result = built(text);
    if (result.system) engine::resolve_instructions(*result.system, nullptr, result.diagnostics);
    for (const Diagnostic& finding : result.diagnostics.all())
      if (finding.severity == Severity::error)
        return fmt::format("{} at {}", finding.id, finding.location.line > 0 ? "a line" : "no line");
    return std::string("nothing");
  };
  CHECK(complaint(test::replaced(sample(), "5L 9C 2L 9C", "5L 9X")) == "AM0508 at a line");
  CHECK(complaint(test::replaced(sample(), "5L 9C 2L 9C", "")) == "AM0508 at a line");
  CHECK(complaint(test::replaced(sample(), "\"qaws\"", "\"fifo\"")) == "AM0509 at a line");
  CHECK(complaint(test::replaced(sample(), "\"tx2\"", "\"radeon-vii\"")) == "AM0508 at a line");
  CHECK(complaint(test::replaced(sample(), "value=\"4\"", "value=\"0\"")) == "AM0321 at a line");
  CHECK(complaint(sample()) == "nothing");
}

}  // namespace building_kernel_instructions_test
