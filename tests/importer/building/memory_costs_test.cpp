// SPDX-License-Identifier: Apache-2.0
// What accesses to memories take: a part that states nothing beside parts that do, and what is stated twice, makes the
// verdict unknown. What may be left out does not.

#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/finding_consequences.hpp"
#include "importer/building/system_builder.hpp"
#include "tests/support/test_models.hpp"

namespace memory_costs_test {

using namespace amalthea;
using test::replaced;

namespace {

std::string sound() { return test::read_text(AMALTHEA_SOURCE_DIR "/tests/holes/models/memories.amxmi"); }

/// The ids of the findings that count, with the tag of the element that they are about.
std::vector<std::string> counting(const std::string& text) {
  Diagnostics findings;
  const Model model = test::model_from_text(text, findings);
  REQUIRE(importer::build_system(model, {}, findings));
  std::vector<std::string> found;
  for (const Diagnostic& finding : findings.all())
    if (engine::consequence_of(finding) == engine::Consequence::unknown) {
      REQUIRE(finding.location.element.known());
      const Element element = model.element(finding.location.element);
      found.push_back(finding.id + " " + std::string(element.tag()) + " " + std::string(element.name()));
    }
  return found;
}

/// The first `from` behind `behind`.
std::string changed(const std::string& text, std::string_view behind, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from, text.find(behind));
  REQUIRE(at != text.npos);
  return text.substr(0, at) + std::string(to) + text.substr(at + from.size());
}

using Found = std::vector<std::string>;

const std::string bus_latencies = R"(<readLatency xsi:type="am:DiscreteValueConstant" value="8"/>
      <writeLatency xsi:type="am:DiscreteValueConstant" value="12"/>)";
const std::string link2_latencies = R"(<readLatency xsi:type="am:DiscreteValueConstant" value="1"/>
        <writeLatency xsi:type="am:DiscreteValueConstant" value="1"/>)";
const std::string core1_latencies =
    R"(<readLatency xsi:type="am:DiscreteValueBoundaries" lowerBound="60" upperBound="200"/>
          <writeLatency xsi:type="am:DiscreteValueBoundaries" lowerBound="60" upperBound="200"/>)";

}  // namespace

TEST_CASE("one part of an access path that states nothing beside parts that do makes the verdict unknown") {
  const std::string text = sound();
  CHECK(counting(text).empty());
  // Core1 states latencies besides the path, which differ from the rest of it.
  CHECK(counting(changed(text, "name=\"Bus\"", bus_latencies, "")) ==
        Found{"AM0462 readLatency ", "AM0462 writeLatency ", "AM0476 definitions Bus"});
  CHECK(counting(changed(text, "name=\"link3\"", link2_latencies, "")) == Found{"AM0476 connections link3"});
  CHECK(counting(changed(text, "name=\"link4\"", R"(<dataRate value="200" unit="MBPerSecond"/>)", "")) ==
        Found{"AM0476 connections link4"});
  CHECK(counting(changed(text, "name=\"Bridge\"", R"(<dataRate value="400" unit="MBPerSecond"/>)", "")) ==
        Found{"AM0476 definitions Bridge"});
  CHECK(counting(changed(text, "name=\"Second_level\"",
                         R"(<accessLatency xsi:type="am:DiscreteValueConstant" value="6"/>)", "")) ==
        Found{"AM0476 definitions Second_level"});
  CHECK(counting(changed(text, "name=\"Flash\"",
                         R"(<accessLatency xsi:type="am:DiscreteValueBoundaries" lowerBound="20" upperBound="30"/>)",
                         "")) == Found{"AM0476 definitions Flash"});
  CHECK(counting(replaced(text, core1_latencies, "")) == Found{"AM0476 accessElements Core1_to_Rom"});
}

TEST_CASE("a latency or a data rate of an access as a whole that contradicts its path makes the verdict unknown") {
  const std::string text = sound();
  const std::string read = R"(<readLatency xsi:type="am:DiscreteValueConstant" value="40"/>)",
                    rate = R"(<dataRate value="800" unit="MBPerSecond"/>)";
  for (const std::string_view other : {"39", "41", "0"})
    CHECK(counting(replaced(text, read, replaced(read, "40", other))) == Found{"AM0462 readLatency "});
  CHECK(counting(replaced(text, R"(value="48")", R"(value="4")")) == Found{"AM0462 writeLatency "});
  CHECK(counting(changed(text, "name=\"Core1_to_Ram\"", rate, R"(<dataRate value="1600" unit="MBPerSecond"/>)")) ==
        Found{"AM0462 dataRate "});
}

TEST_CASE("a data rate of a memory contradicts neither an access nor its path") {
  for (const std::string_view rate : {"1", "800", "9000"})
    CHECK(counting(changed(sound(), "name=\"Sram\"", "</definitions>",
                           fmt::format(R"(<dataRate value="{}" unit="MBPerSecond"/></definitions>)", rate)))
              .empty());
}

TEST_CASE("a data rate of a memory is no latency of an access that states none") {
  std::string text = test::read_text(test::sample("offload-minimal.amxmi"));
  text = replaced(text, R"(<accessElements name="Core_to_DRAM")",
                  R"(<accessElements name="Core_to_Other" destination="Other?type=Memory"/>
        <accessElements name="Core_to_DRAM")");
  text = replaced(text, R"(abstractElement="Image_host?type=Label" memory="DRAM?)",
                  R"(abstractElement="Image_host?type=Label" memory="Other?)");
  for (const std::string_view rate : {"", R"(<dataRate value="1000" unit="MBPerSecond"/>)"}) {
    const std::string other =
        fmt::format(R"(<modules xsi:type="am:Memory" name="Other" definition="Slow?type=MemoryDefinition"/>
    </structures><definitions xsi:type="am:MemoryDefinition" name="Slow" memoryType="DRAM">{}</definitions>)",
                    rate);
    CHECK(counting(replaced(text, "</structures>", other)) ==
          Found{"AM0482 modules GPU", "AM0476 accessElements Core_to_Other"});  // the GPU does not reach it
  }
}

TEST_CASE("a data rate that counts beside a latency of the access as a whole has a value") {
  const std::string text = sound(), small = test::read_text(test::sample("offload-minimal.amxmi"));
  for (const std::string_view rate : {R"(<dataRate value="0" unit="MBPerSecond"/>)", R"(<dataRate value="1"/>)"})
    CHECK(counting(replaced(small, R"(name="Ram" memoryType="DRAM"/>)",
                            R"(name="Ram" memoryType="DRAM">)" + std::string(rate) + "</definitions>")) ==
          Found{"AM0476 dataRate "});
  // Along a path that takes the latencies of Core1's access, which states no rate of its own.
  const std::string by_path =
      changed(text, "name=\"Core1_to_Ram\"", R"(<dataRate value="800" unit="MBPerSecond"/>)", "");
  CHECK(counting(by_path).empty());
  CHECK(counting(changed(by_path, "name=\"link1\"", R"(value="1600")", R"(value="0")")) == Found{"AM0476 dataRate "});
  CHECK(counting(changed(by_path, "name=\"link1\"", R"(<dataRate value="1600" unit="MBPerSecond"/>)", "")) ==
        Found{"AM0476 connections link1"});
}

TEST_CASE("a cache without a line size beside one with a line size makes the verdict unknown") {
  const std::string text = sound();
  CHECK(counting(replaced(text, R"(<lineSize value="32" unit="B"/>)", "")) == Found{"AM0476 definitions First_level"});
  CHECK(counting(replaced(text, R"(<lineSize value="64" unit="B"/>)", "")) == Found{"AM0476 definitions Second_level"});
  // An instruction cache holds no labels.
  CHECK(counting(replaced(replaced(text, R"(<lineSize value="32" unit="B"/>)", ""), R"(cacheType="data")",
                          R"(cacheType="instruction")"))
            .empty());
}

TEST_CASE("the smallest line of the caches of a unit counts, in any order") {
  const std::string text = sound(), first = R"(<caches name="L1" definition="First_level?type=CacheDefinition"/>)";
  for (const std::string& one :
       {text, changed(replaced(text, first, ""), "name=\"Core0\"", "<accessElements", first + "<accessElements")}) {
    Diagnostics findings;
    const auto system = importer::build_system(test::model_from_text(one, findings), {}, findings);
    REQUIRE(system);
    CHECK(system->platform.units.front().cache_line.bytes == 32);
    CHECK(system->platform.units.back().cache_line.bytes == 64);
  }
}

TEST_CASE("an access to a memory may leave out what no other part of its kind states") {
  const std::string text = sound();
  // Connections are wires unless one on the way states a latency.
  std::string wires = text;
  for (const std::string_view latency : {"1", "2", "3"})
    for (const std::string_view name : {"readLatency", "writeLatency"}) {
      const std::string one =
          "<" + std::string(name) + R"( xsi:type="am:DiscreteValueConstant" value=")" + std::string(latency) + R"("/>)";
      for (std::size_t at = wires.find(one); at != wires.npos; at = wires.find(one)) wires.erase(at, one.size());
    }
  wires = replaced(replaced(wires, R"(value="40"/>)", R"(value="36"/>)"), R"(value="48"/>)", R"(value="44"/>)");
  CHECK(counting(wires).empty());
}

}  // namespace memory_costs_test
