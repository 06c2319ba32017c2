// SPDX-License-Identifier: Apache-2.0
// Hardware, operating systems and mapping of every version as one view.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/views/hardware.hpp"
#include "amalthea/views/mapping.hpp"
#include "amalthea/views/operating_system.hpp"
#include "importer/building/system_builder.hpp"
#include "tests/support/access_cost.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/platform_models.hpp"
#include "tests/support/test_models.hpp"

namespace platform_views_test {

using namespace amalthea;
using namespace amalthea::views;

namespace {

/// A model and what was said about it; the views hold pointers into the model.
struct Read {
  Diagnostics diagnostics;
  Model model;
  Hardware hardware;
  explicit Read(std::string text) : model(test::model_from_text(std::move(text), diagnostics)) {
    hardware = hardware_of(model, diagnostics);
  }
};

std::string text_of(const std::optional<Cycles>& cycles) {
  return cycles ? fmt::format("{}..{}..{}", cycles->lower, cycles->average, cycles->upper) : "-";
}
std::string text_of(const Cycles& cycles) { return text_of(std::optional(cycles)); }

std::string name_at(const std::optional<HwIndex>& index, const auto& parts) {
  return index ? std::string(parts[*index].element.name()) : "-";
}

std::string describe(const Model& model, const Hardware& hardware) {
  std::string text;
  for (const HwStructure& structure : hardware.structures)
    text += fmt::format("{} in {}\n", structure.name, name_at(structure.parent, hardware.structures));
  for (const HwMemory& memory : hardware.memories)
    text += fmt::format("memory {} in {}: {}\n", memory.name, name_at(memory.structure, hardware.structures),
                        name_at(memory.definition, hardware.memory_definitions));
  for (const HwHandler& handler : hardware.handlers)
    text += fmt::format("handler {} in {}: {}\n", handler.name, name_at(handler.structure, hardware.structures),
                        name_at(handler.definition, hardware.handler_definitions));
  for (HwIndex index = 0; index < hardware.units.size(); ++index) {
    const HwUnit& unit = hardware.units[index];
    const HwUnitDefinition& definition = hardware.unit_definitions.at(unit.definition.value());
    text += fmt::format("unit {} in {}: {} with {} instructions per cycle at {} mHz\n", unit.name,
                        name_at(unit.structure, hardware.structures), definition.name,
                        instructions_per_cycle(model, definition.element).value_or(0), unit.clock.millihertz());
    for (const HwIndex at : unit.accesses) {
      const HwAccess& access = hardware.accesses[at];
      const AccessCost cost = cost_of(hardware, access);
      text += fmt::format("  {} to {}: {}, {}\n", access.name, name_at(access.memory, hardware.memories),
                          text_of(cost.read), text_of(cost.write));
    }
  }
  return text;
}

std::string describe(const Model& model, const OperatingSystems& systems, const Mapping& mapping) {
  std::string text;
  for (const OsScheduler& scheduler : systems.schedulers)
    text += fmt::format("{} {} of {}: {}\n", scheduler.interrupt_controller ? "controller" : "scheduler",
                        scheduler.name, systems.systems[scheduler.operating_system].element.name(), scheduler.algorithm.name);
  for (const OsSemaphore& semaphore : systems.semaphores)
    text += fmt::format("semaphore {} {}/{} {}\n", semaphore.name, semaphore.initial_value, semaphore.max_value,
                        semaphore.priority_ceiling);
  for (const OperatingSystem& system : systems.systems)
    for (const OsOverhead::Api& api : systems.overheads.at(system.overhead.value()).api)
      text += fmt::format("{} takes {} in {}\n", api.function, text_of(api.execution.otherwise), system.element.name());
  for (const SchedulerAllocation& allocation : mapping.schedulers) {
    text += fmt::format("{} on", allocation.scheduler.name());
    for (const Element unit : allocation.responsibility) text += fmt::format(" {}", unit.name());
    text += "\n";
  }
  for (const TaskAllocation& allocation : mapping.tasks) {
    const auto priority = priority_of(allocation.task, allocation);
    text += fmt::format("{} by {} with {}\n", allocation.task.name(), allocation.scheduler.name(),
                        priority ? priority->text : "-");
  }
  for (const IsrAllocation& allocation : mapping.isrs)
    text += fmt::format("{} by {}\n", allocation.isr.name(), allocation.controller.name());
  for (const MemoryMapping& entry : mapping.memory)
    text += fmt::format("{} in {} at {}\n", entry.mapped.name(), entry.memory.name(), entry.position.value_or(0));
  const MemoryFinder finder(model, mapping);
  for (const Element label : model.all("swModel", "labels"))
    text += fmt::format("{} lies in {}\n", label.name(), finder.memory_of(label).name());
  return text;
}

const std::string expected_hardware =
    "S in -\n"
    "E in S\n"
    "U in E\n"
    "memory M in U: Ram\n"
    "handler N in U: Bar\n"
    "unit C0 in U: Fast with 2 instructions per cycle at 200000000000 mHz\n"
    "  C0toM to M: 8..8..8, 12..12..12\n"
    "unit C1 in U: Fast with 2 instructions per cycle at 100000000000 mHz\n";

const std::string expected_rest =
    "scheduler Sched of OS: OSEK\n"
    "controller IC of OS: PriorityBased\n"
    "semaphore Sem 1/2 true\n"
    "SetEvent takes 7..7..7 in OS\n"
    "Sched on C0 C1\n"
    "T by Sched with 3\n"
    "I by IC\n"
    "L in M at 16\n"
    "L lies in M\n";

std::string in_root(std::string_view content, Version version = Version::v3_3_0) {
  return test::root_of(version, content);
}

}  // namespace

TEST_CASE("the same platform has the same views in every version") {
  for (const Version version : all_versions()) {
    INFO(to_string(version));
    Read read(test::platform_model(version));
    CHECK(describe(read.model, read.hardware) == expected_hardware);
    const OperatingSystems systems = operating_systems_of(read.model, read.diagnostics);
    const Mapping mapping = mapping_of(read.model);
    CHECK(describe(read.model, systems, mapping) == expected_rest);
    CHECK(test::messages(read.diagnostics).empty());
    REQUIRE(mapping.tasks.size() == 1);
    if (version > Version::v0_8_0) {
      REQUIRE(mapping.tasks[0].affinity.size() == 1);
      CHECK(mapping.tasks[0].affinity[0].name() == "C1");
      CHECK(mapping.schedulers[0].executing_unit.name() == "C0");
    }
    if (version > Version::v0_7_1) CHECK(mapping.isrs[0].priority == 4);
    if (version > Version::v0_7_0)
      CHECK(read.hardware.memory_definitions.at(0).size.value_or(DataSize{}).bytes == 4096);
    CHECK(systems.schedulers[0].unit_delay.has_value() == (version <= Version::v0_8_0));
    CHECK(systems.overheads[0].api[0].execution.instructions == (version <= Version::v0_9_2));
  }
}

TEST_CASE("a platform is built in every version without conversion") {
  for (const Version version : all_versions()) {
    INFO(to_string(version));
    Diagnostics diagnostics;
    const Model model = test::model_from_text(test::platform_model(version), diagnostics);
    const auto system = importer::build_system(model, {}, diagnostics);
    for (const auto& message : test::messages(diagnostics)) UNSCOPED_INFO(message);
    REQUIRE(system.has_value());
    const Platform& platform = system->platform;
    CHECK(platform.name == "S");
    REQUIRE(platform.units.size() == 2);
    CHECK(platform.units[0].type == PuType::cpu);
    CHECK(platform.units[0].frequency == Frequency::millihertz(200000000000));
    CHECK(platform.units[0].enclosing_structures == "U E S");
    REQUIRE(platform.units[0].accesses.size() == 1);
    CHECK(platform.units[0].accesses[0].read == Cycles{8, 8, 8});
    CHECK(platform.units[0].accesses[0].write == Cycles{12, 12, 12});
    REQUIRE(platform.schedulers.size() == 2);
    CHECK(platform.schedulers[1].interrupt_controller);
    CHECK(platform.schedulers[0].algorithm == "OSEK");
    CHECK(platform.schedulers[0].units == std::vector<UnitIndex>{0, 1});
    REQUIRE(system->tasks.size() == 1);
    CHECK(system->tasks[0].priority == 3);
    CHECK(system->tasks[0].unit == (version <= Version::v0_8_0 ? 0U : 1U));
    CHECK(system->labels.at(0).memory == MemoryIndex{0});
  }
}

TEST_CASE("EMF reads the platform in every version without messages", "[emf]") {
  test::EmfBatch emf;
  for (const Version version : all_versions()) {
    if (version == Version::v0_9_6) continue;  // its metamodel is not to be had
    const std::string file = fmt::format("{}/{}.amxmi", emf.folder(), to_string(version));
    test::write_text(file, test::platform_model(version));
    emf.expect_accepted(version, {file});
  }
  emf.run();
}

// ---------------------------------------------------------------------------------------------------- clocks

TEST_CASE("before 0.9.0 a part without a prescaler uses that of its enclosing part") {
  const Read read(in_root(R"(<hwModel><system name="S"><quartzes name="Q"><frequency value="8.0E7"/></quartzes>
      <ecus><prescaler clockRatio="0.5" quartz="Q?type=Quartz"/><microcontrollers><cores name="C0"/>
      <cores name="C1"><prescaler clockRatio="0.0" quartz="Q?type=Quartz"/></cores></microcontrollers></ecus>
      <ecus><microcontrollers><cores name="C2"/></microcontrollers></ecus></system></hwModel>)",
                          Version::v0_8_3));
  CHECK(test::messages(read.diagnostics).empty());
  REQUIRE(read.hardware.units.size() == 3);
  CHECK(read.hardware.units[0].clock == Frequency::millihertz(40000000000));
  CHECK(read.hardware.units[1].clock == Frequency::millihertz(80000000000));  // a ratio of 0 is none
  CHECK(read.hardware.units[2].clock.is_zero());
}

TEST_CASE("a core without a clock is an error that names what is missing") {
  std::string text = test::replaced(test::platform_model(Version::v0_8_3),
                                    "<prescaler name=\"P1\" clockRatio=\"1.0\" quartz=\"Q?type=Quartz\"/>", "");
  Diagnostics diagnostics;
  const Model model = test::model_from_text(std::move(text), diagnostics);
  CHECK_FALSE(importer::build_system(model, {}, diagnostics).has_value());
  const auto found = test::with_id(diagnostics, "AM0304");
  REQUIRE(found.size() == 1);
  CHECK(found[0].message ==
        "processing unit \"C1\", which runs task \"T\", has no clock; add one (prescaler with a quartz that has a "
        "frequency)");
  CHECK(found[0].path == "hwModel/system/S/ecus/E/microcontrollers/U/cores/C1");
}

TEST_CASE("unreadable hardware numbers are errors at their location") {
  const Read read(
      in_root("<hwModel><system><quartzes name=\"Q\" frequency=\"fast\"/><ecus><microcontrollers>\n"
              "<cores><prescaler clockRatio=\"half\" quartz=\"Q?type=Quartz\"/></cores>"
              "</microcontrollers></ecus></system></hwModel>",
              Version::v0_7_0));
  CHECK(test::messages(read.diagnostics) ==
        std::vector<std::string>{
            "model.amxmi:3:48: error: unreadable frequency of <quartzes>: \"fast\" is not a number [AM0212]",
            "model.amxmi:4:31: error: unreadable clockRatio of <prescaler>: \"half\" is not a number [AM0212]"});
}

// ---------------------------------------------------------------------------------------------------- access costs

namespace {

/// A unit at 100 MHz with one access element of this content to a memory at 50 MHz with a latency of 3 of its cycles.
std::string with_access(std::string_view content) {
  return in_root(fmt::format(
      R"(<hwModel>
  <definitions xsi:type="am:MemoryDefinition" name="Ram"><accessLatency xsi:type="am:DiscreteValueConstant" value="3"/>
    <dataRate value="5" unit="MBPerSecond"/></definitions>
  <definitions xsi:type="am:ConnectionHandlerDefinition" name="Bus"><readLatency xsi:type="am:DiscreteValueConstant" value="5"/>
    <dataRate value="7" unit="MBPerSecond"/></definitions>
  <definitions xsi:type="am:CacheDefinition" name="L2"><accessLatency xsi:type="am:DiscreteValueConstant" value="1"/></definitions>
  <structures name="S"><modules xsi:type="am:ProcessingUnit" name="P" frequencyDomain="F100?type=FrequencyDomain">{}</modules>
    <modules xsi:type="am:Memory" name="M" definition="Ram?type=MemoryDefinition" frequencyDomain="F50?type=FrequencyDomain"/>
    <modules xsi:type="am:ConnectionHandler" name="B" definition="Bus?type=ConnectionHandlerDefinition" frequencyDomain="F30?type=FrequencyDomain"/>
    <modules xsi:type="am:Cache" name="C" definition="L2?type=CacheDefinition"/>
    <connections name="first"><readLatency xsi:type="am:DiscreteValueStatistics" lowerBound="1" upperBound="3" average="2"/></connections>
    <connections name="second"><readLatency xsi:type="am:DiscreteValueConstant" value="2"/><dataRate value="6" unit="MBPerSecond"/></connections>
  </structures>
  <domains xsi:type="am:FrequencyDomain" name="F100"><defaultValue value="100" unit="MHz"/></domains>
  <domains xsi:type="am:FrequencyDomain" name="F50"><defaultValue value="50" unit="MHz"/></domains>
  <domains xsi:type="am:FrequencyDomain" name="F30"><defaultValue value="30" unit="MHz"/></domains>
</hwModel>)",
      content));
}

constexpr std::string_view whole_path =
    R"(<accessPath pathElements="S/first?type=HwConnection B?type=ConnectionHandler S/second?type=HwConnection C?type=Cache"/>)";

}  // namespace

TEST_CASE("latencies of an access element take precedence over those along its path") {
  const Read read(with_access(fmt::format(
      R"(<accessElements destination="M?type=Memory">{}<readLatency xsi:type="am:DiscreteValueConstant" value="9"/>
      <dataRate value="1" unit="MBPerSecond"/></accessElements>)",
      whole_path)));
  CHECK(test::messages(read.diagnostics).empty());
  const AccessCost cost = test::access_cost(read.hardware, 0, 0);
  CHECK(cost.read == Cycles{9, 9, 9});
  CHECK(cost.read_source == LatencySource::access);
  CHECK(cost.data_rate.bytes_per_second == 1000000);
}

TEST_CASE("a path costs the sum of its parts at their own clocks with bounds rounded outwards") {
  const Read read(
      with_access(fmt::format(R"(<accessElements destination="M?type=Memory">{}</accessElements>)", whole_path)));
  CHECK(test::messages(read.diagnostics).empty());
  REQUIRE(read.hardware.accesses.size() == 1);
  using Kind = HwPathElement::Kind;
  CHECK(read.hardware.accesses[0].path ==
        std::vector<HwPathElement>{{Kind::connection, 0}, {Kind::handler, 0}, {Kind::connection, 1}, {Kind::cache, 0}});
  // In cycles at 100 MHz: "first" 1..3, ticking with the unit; the bus 5 / 0.3 = 16.67; "second" ticks with the bus,
  // 2 / 0.3 = 6.67; the cache has no clock, 1. Together 25.33 .. 26.33 .. 27.33, and the memory's own 3 / 0.5 = 6.
  const AccessCost cost = test::access_cost(read.hardware, 0, 0);
  CHECK(text_of(cost.read) == "31..32..34");
  CHECK(cost.read_source == LatencySource::path);
  CHECK(cost.data_rate.bytes_per_second == 5000000);  // of the memory; along the path 6 MB/s
  CHECK(text_of(cost.write) == "7..7..7");            // only the cache and the memory state something
}

TEST_CASE("an access element is not faster than its memory") {
  for (const auto& [stated, counts] : {std::pair{1, 1000000}, {5, 5000000}, {9, 5000000}}) {
    const Read read(with_access(fmt::format(
        R"(<accessElements destination="M?type=Memory"><dataRate value="{}" unit="MBPerSecond"/></accessElements>)",
        stated)));
    CHECK(test::access_cost(read.hardware, 0, 0).data_rate.bytes_per_second == counts);
  }
}

TEST_CASE("without access and path latencies the memory's own latency counts") {
  const Read silent(with_access(R"(<accessElements destination="M?type=Memory"/>)"));
  const AccessCost cost = test::access_cost(silent.hardware, 0, 0);
  CHECK(cost.read == Cycles{6, 6, 6});
  CHECK(cost.read_source == LatencySource::memory);
  CHECK(cost.data_rate.bytes_per_second == 5000000);
  const Read none(with_access(""));
  CHECK(test::access_cost(none.hardware, 0, 0).write == Cycles{6, 6, 6});
  CHECK(test::access_cost(none.hardware, 0, 0).data_rate.bytes_per_second == 5000000);
}

TEST_CASE("non-divisible clocks do not enlarge whole cycles") {
  // 10 cycles at 300 MHz are 33.33 ns, which is 10 cycles at 300 MHz again, and 7 at 210 MHz.
  for (const int megahertz : {300, 210, 70, 7}) {
    INFO(megahertz);
    const Read read(in_root(fmt::format(
                                R"(<hwModel><system><quartzes name="Q"><frequency value="{}" unit="MHz"/></quartzes>
      <quartzes name="R"><frequency value="210" unit="MHz"/></quartzes>
      <ecus><microcontrollers><memories name="M"/><cores name="C"><prescaler quartz="R?type=Quartz"/></cores>
      </microcontrollers></ecus></system><accessPaths xsi:type="am:LatencyAccessPath" source="C?type=Core"
      target="M?type=Memory"><latencies xsi:type="am:LatencyConstant" value="{}" quartz="Q?type=Quartz"/></accessPaths>
      </hwModel>)",
                                megahertz, megahertz / 7 * 10),
                            Version::v0_8_3));
    CHECK(test::messages(read.diagnostics).empty());
    const int exact = megahertz / 7 * 10 * 210;
    const AccessCost cost = test::access_cost(read.hardware, 0, 0);
    CHECK(cost.read.lower == exact / megahertz);
    CHECK(cost.read.upper == (exact + megahertz - 1) / megahertz);
  }
}

TEST_CASE("old access paths are sums over ports and latencies and other paths even if cyclic") {
  Read read(in_root(R"(<hwModel><system><quartzes name="Q"><frequency value="100" unit="MHz"/></quartzes>
    <ecus><microcontrollers><memories name="M"><prescaler quartz="Q?type=Quartz"/>
      <ports xsi:type="am:ComplexPort" name="p" readCycles="5" writeCycles="7" master="false" direction="R"/></memories>
      <cores name="C"><prescaler quartz="Q?type=Quartz"/></cores></microcontrollers></ecus></system>
    <accessPaths xsi:type="am:LatencyAccessPath" name="first" source="C?type=Core" target="M?type=Memory">
      <latencies xsi:type="am:LatencyConstant" value="10" accessType="RW" quartz="Q?type=Quartz"/>
      <latencies xsi:type="am:AccessPathRef" ref="second?type=LatencyAccessPath"/></accessPaths>
    <accessPaths xsi:type="am:LatencyAccessPath" name="second">
      <latencies xsi:type="am:LatencyConstant" value="20" accessType="W" quartz="Q?type=Quartz"/>
      <latencies xsi:type="am:AccessPathRef" ref="first?type=LatencyAccessPath"/></accessPaths>
    <accessPaths xsi:type="am:HwAccessPath" name="third" source="C?type=Core" target="M?type=Memory">
      <hwElements xsi:type="am:HwElementRef" port="M/p?type=ComplexPort"/></accessPaths></hwModel>)",
                    Version::v0_8_3));
  CHECK(test::messages(read.diagnostics) ==
        std::vector<std::string>{"model.amxmi:10:5: warning: access path \"first\" contains itself; the analysis "
                                 "ignores the reference that closes the cycle; remove it [AM0213]"});
  REQUIRE(read.hardware.units[0].accesses.size() == 2);
  const AccessCost both = cost_of(read.hardware, read.hardware.accesses[0]);
  CHECK(both.read == Cycles{10, 10, 10});
  CHECK(both.write == Cycles{30, 30, 30});
  CHECK(cost_of(read.hardware, read.hardware.accesses[2]).read == Cycles{5, 5, 5});
  CHECK(read.hardware.memories[0].read_latency == Cycles{5, 5, 5});
  CHECK_FALSE(read.hardware.memories[0].write_latency.has_value());  // the port is for reading
  CHECK(read.hardware.ports[0].type == "responder");
}

TEST_CASE("chains of access paths of any length are summed up") {
  std::string paths = "<hwModel>";
  constexpr int count = 20000;
  for (int i = 0; i < count; ++i)
    paths += fmt::format(
        "<accessPaths xsi:type=\"am:LatencyAccessPath\" name=\"p{}\"><latencies xsi:type=\"am:LatencyConstant\" "
        "value=\"1\"/><latencies xsi:type=\"am:AccessPathRef\" ref=\"p{}?type=LatencyAccessPath\"/></accessPaths>",
        i, (i + 1) % count);
  const Read read(in_root(paths + "</hwModel>", Version::v0_8_3));
  REQUIRE(read.hardware.accesses.size() == count);
  CHECK(read.hardware.accesses[0].path_cost.read == Cycles{count, count, count});
}

// ---------------------------------------------------------------------------------------------------- operating
// systems

TEST_CASE("an algorithm is recognized by its class or by any spelling of its definition's name") {
  for (const std::string_view name :
       {"FixedPriorityPreemptive", "Fixed Priority Preemptive", "fixed_priority-preemptive", "FPP"}) {
    CHECK(algorithm_of_name(name).kind == amalthea::SchedulingAlgorithm::fixed_priority_preemptive);
    CHECK(algorithm_of_name(name).name == "FixedPriorityPreemptive");
  }
  CHECK(algorithm_of_name("EDF").name == "EarliestDeadlineFirst");
  CHECK(algorithm_of_name("").name.empty());
  CHECK_FALSE(algorithm_of_name("My Own-Thing").known);
  CHECK(algorithm_of_name("My Own-Thing").name == "My Own-Thing");
  CHECK_FALSE(algorithm_of_name("UserSpecificSchedulingAlgorithm").known);
}

TEST_CASE("every scheduling algorithm class of any version is a separate algorithm") {
  for (const std::string_view base : {"TaskSchedulingAlgorithm", "InterruptSchedulingAlgorithm"})
    for (const ClassInfo& cls : metamodel::classes())
      for (const Version version : all_versions()) {
        if (!metamodel::exists(cls.id, version) || metamodel::is_abstract(cls.id, version) ||
            !metamodel::is_a(cls.id, *metamodel::find_class(base), version))
          continue;
        INFO(cls.name);
        CHECK(algorithm_of_name(cls.name).known == (cls.name != "UserSpecificSchedulingAlgorithm"));
        CHECK(algorithm_of_name(cls.name).name == cls.name);
        break;
      }
}

TEST_CASE("schedulers form a hierarchy and a cycle is cut and reported") {
  for (const bool circle : {false, true}) {
    Read read(in_root(fmt::format(
                          R"(<osModel><operatingSystems><taskSchedulers name="top">{}</taskSchedulers>
      <taskSchedulers name="a"><schedulingAlgorithm xsi:type="am:Grouping"/>
      <parentAssociation parent="top?type=TaskScheduler"><schedulingParameters priority="7"/></parentAssociation></taskSchedulers>
      <taskSchedulers name="b"><parentAssociation parent="a?type=TaskScheduler"/></taskSchedulers>
      <interruptControllers name="ic"/></operatingSystems></osModel>)",
                          circle ? R"(<parentAssociation parent="b?type=TaskScheduler"/>)" : ""),
                      Version::v0_8_3));
    const OperatingSystems systems = operating_systems_of(read.model, read.diagnostics);
    REQUIRE(systems.schedulers.size() == 4);
    CHECK(systems.schedulers[1].algorithm.kind == amalthea::SchedulingAlgorithm::grouping);
    REQUIRE(systems.schedulers[1].association_parameters.size() == 1);
    CHECK(systems.schedulers[1].association_parameters[0].value == "7");
    CHECK(systems.schedulers[2].parent == 1U);
    CHECK(systems.schedulers[3].interrupt_controller);
    if (circle) {  // cut where walking up from the first scheduler returns to it
      CHECK(test::messages(read.diagnostics) ==
            std::vector<std::string>{"model.amxmi:5:7: warning: scheduler \"a\" is its own ancestor; the analysis "
                                     "ignores its parent \"top\"; break the cycle [AM0215]"});
      CHECK_FALSE(systems.schedulers[1].parent.has_value());
      CHECK(systems.schedulers[0].parent == 2U);
    } else {
      CHECK(test::messages(read.diagnostics).empty());
      CHECK(systems.schedulers[1].parent == 0U);
      CHECK_FALSE(systems.schedulers[0].parent.has_value());
    }
  }
}

TEST_CASE("a scheduler has its stated parent and inherits units if it has none") {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(
      test::replaced(test::platform_model(Version::v1_2_0), "<schedulingAlgorithm xsi:type=\"am:OSEK\"/>",
                     "<schedulingAlgorithm xsi:type=\"am:OSEK\"/><parentAssociation "
                     "parent=\"top?type=TaskScheduler\"/></taskSchedulers><taskSchedulers name=\"top\">"),
      diagnostics);
  const auto system = importer::build_system(model, {}, diagnostics);
  REQUIRE(system.has_value());
  const auto& schedulers = system->platform.schedulers;
  REQUIRE(schedulers.at(0).parent.has_value());
  CHECK(schedulers.at(*schedulers.at(0).parent).name == "top");
  CHECK_FALSE(schedulers.at(0).units.empty());
}

TEST_CASE("semaphores have their kind if the version has it and the defaults of the version") {
  Read read(in_root(
      R"(<osModel><semaphores name="m" semaphoreType="Mutex" ownership="false"/><semaphores name="n"/></osModel>)"));
  const auto semaphores = operating_systems_of(read.model, read.diagnostics).semaphores;
  REQUIRE(semaphores.size() == 2);
  CHECK(semaphores[0].kind == SemaphoreKind::mutex);
  CHECK(semaphores[0].ownership == false);
  CHECK(semaphores[0].max_value == 1);
  CHECK_FALSE(semaphores[1].kind.has_value());
  CHECK_FALSE(semaphores[1].ownership.has_value());
}

TEST_CASE("overheads contain every function and both kinds of interrupts") {
  Read read(in_root(R"(<hwModel><definitions xsi:type="am:ProcessingUnitDefinition" name="D"/></hwModel>
    <osModel><osOverheads name="o"><apiOverhead>
      <apiSendMessage><default xsi:type="am:DiscreteValueConstant" value="1"/>
        <extended key="D?type=ProcessingUnitDefinition"><value xsi:type="am:DiscreteValueConstant" value="2"/></extended></apiSendMessage>
      <apiIocWrite/></apiOverhead>
    <isrCategory2Overhead><postExecutionOverhead><default xsi:type="am:DiscreteValueConstant" value="3"/></postExecutionOverhead>
    </isrCategory2Overhead></osOverheads></osModel>)"));
  const auto overheads = operating_systems_of(read.model, read.diagnostics).overheads;
  CHECK(test::messages(read.diagnostics).empty());
  REQUIRE(overheads.size() == 1);
  REQUIRE(overheads[0].api.size() == 2);
  CHECK(overheads[0].api[0].function == "SendMessage");
  REQUIRE(overheads[0].api[0].execution.per_definition.size() == 1);
  CHECK(overheads[0].api[0].execution.per_definition[0].definition.name() == "D");
  CHECK(overheads[0].api[0].execution.per_definition[0].cycles == Cycles{2, 2, 2});
  CHECK(overheads[0].api[1].function == "IocWrite");
  CHECK_FALSE(overheads[0].api[1].execution.otherwise.has_value());
  CHECK_FALSE(overheads[0].isr_category2_before.has_value());
  CHECK(overheads[0].isr_category2_after->otherwise == Cycles{3, 3, 3});
}

// ---------------------------------------------------------------------------------------------------- mapping

TEST_CASE("a label uses its own mapping or else a listing section mapping or else the mapping of its section") {
  const Read read(
      in_root(R"(<swModel><labels name="a" section="s?type=Section"/><labels name="b" section="s?type=Section"/>
      <labels name="c" section="s?type=Section"/><labels name="d"/><sections name="s"/></swModel>
    <hwModel><structures><modules xsi:type="am:Memory" name="M0"/><modules xsi:type="am:Memory" name="M1"/>
      <modules xsi:type="am:Memory" name="M2"/></structures></hwModel>
    <mappingModel><memoryMapping abstractElement="a?type=Label" memory="M1?type=Memory"/>
      <memoryMapping abstractElement="a?type=Label" memory="M0?type=Memory" memoryPositionAddress="0x10"/>
      <physicalSectionMapping name="p" origin="s?type=Section" memory="M2?type=Memory" startAddress="0xff" endAddress="256"/>
      <physicalSectionMapping name="q" memory="M1?type=Memory" labels="b?type=Label"/></mappingModel>)"));
  const Mapping mapping = mapping_of(read.model);
  const MemoryFinder finder(read.model, mapping);
  std::string where;
  for (const Element label : read.model.all("swModel", "labels")) {
    const Element memory = finder.memory_of(label);
    where += fmt::format("{}:{} ", label.name(), memory ? memory.name() : "-");
  }
  CHECK(where == "a:M0 b:M1 c:M2 d:- ");
  CHECK(mapping.memory[1].position == 16U);
  CHECK(mapping.sections[0].start_address == 255U);
}

TEST_CASE("sections of 0.7.0 list their labels and are mapped as a whole") {
  const Read read(
      in_root(R"(<swModel><labels name="a"/><labels name="b"/><sections name="s" labels="a?type=Label"/></swModel>
    <hwModel><system><memories name="M"/></system></hwModel>
    <mappingModel><mapping xsi:type="am:SectionMapping" section="s?type=Section" memory="M?type=Memory" memoryPositionAddress="4"/></mappingModel>)",
              Version::v0_7_0));
  const Mapping mapping = mapping_of(read.model);
  REQUIRE(mapping.sections.size() == 1);
  CHECK(mapping.sections[0].start_address == 4U);
  const MemoryFinder finder(read.model, mapping);
  const auto labels = read.model.all("swModel", "labels");
  CHECK(finder.memory_of(labels[0]).name() == "M");
  CHECK_FALSE(finder.memory_of(labels[1]));
}

TEST_CASE("the allocation's priority counts and the task's priority if that is only the default") {
  const auto priority = [](std::string_view task, std::string_view allocation) {
    const Read read(in_root(fmt::format("<swModel><tasks name=\"t\" {}/></swModel><mappingModel><taskAllocation "
                                        "task=\"t?type=Task\" {}/></mappingModel>",
                                        task, allocation),
                            Version::v0_8_0));
    const auto found = priority_of(read.model.all("swModel", "tasks")[0], mapping_of(read.model).tasks.at(0));
    return std::string(found ? found->text : "-");
  };
  CHECK(priority("priority=\"3\"", "priority=\"5\"") == "5");
  CHECK(priority("priority=\"3\"", "priority=\"0\"") == "3");
  CHECK(priority("priority=\"3\"", "") == "3");
  CHECK(priority("", "priority=\"0\"") == "0");
  CHECK(priority("", "") == "-");
}

TEST_CASE("parts in separate files are read like those below a common root") {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(
      "<am:HWModel xmlns:am=\"http://app4mc.eclipse.org/amalthea/0.7.0\"><system name=\"S\"><ecus><microcontrollers>"
      "<cores name=\"C\"/></microcontrollers></ecus></system></am:HWModel>",
      diagnostics);
  CHECK(hardware_of(model, diagnostics).units.size() == 1);
}

TEST_CASE("a file whose namespace is newer than its structure is read by its structure") {
  Read read(test::replaced(test::platform_model(Version::v0_8_0), "amalthea/0.8.0", "amalthea/0.8.1"));
  CHECK(describe(read.model, read.hardware) == expected_hardware);
  CHECK(describe(read.model, operating_systems_of(read.model, read.diagnostics), mapping_of(read.model)) ==
        expected_rest);
}

}  // namespace platform_views_test
