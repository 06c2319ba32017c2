// SPDX-License-Identifier: Apache-2.0
// Review rules about hardware, memories, modes, limits and operating systems: each reports the mistake in a small
// model, and nothing after its correction.

#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/finding_consequences.hpp"
#include "importer/reading/model_reader.hpp"
#include "review/review.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/test_models.hpp"

namespace platform_rules_test {

using namespace amalthea;

namespace {

std::vector<Diagnostic> reported(const std::string& text, std::string_view id) {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(text, diagnostics);
  review::review_model(model, diagnostics);
  for (const Diagnostic& finding : diagnostics.all()) UNSCOPED_INFO(format(finding));
  return test::with_id(diagnostics, id);
}

std::size_t times(const std::string& text, std::string_view id) { return reported(text, id).size(); }

/// A unit and a memory, joined by two connections over a handler; what goes into the model beside may be given.
std::string bus(const std::string& beside = "") {
  return test::model_text(R"(<hwModel>
  <definitions xsi:type="am:ProcessingUnitDefinition" name="Cpu" puType="CPU" features="Instructions/IPC_1?type=HwFeature"/>
  <definitions xsi:type="am:MemoryDefinition" name="Ram"><size value="1" unit="KiB"/></definitions>
  <definitions xsi:type="am:ConnectionHandlerDefinition" name="Bus"/>
  <featureCategories name="Instructions" featureType="performance">
    <features name="IPC_1" value="1.0"/>
    <features name="IPC_2" value="2.0"/>
  </featureCategories>
  <structures name="Board" structureType="System">
    <modules xsi:type="am:ProcessingUnit" name="Core" frequencyDomain="Clock?type=FrequencyDomain" definition="Cpu?type=ProcessingUnitDefinition">
      <ports name="out" portType="initiator" portInterface="AXI"/>
      <accessElements name="way" destination="RAM?type=Memory">
        <accessPath name="path" pathElements="Board/to_bus?type=HwConnection Bus1?type=ConnectionHandler Board/to_ram?type=HwConnection" endAddress="0x3ff"/>
      </accessElements>
    </modules>
    <modules xsi:type="am:ConnectionHandler" name="Bus1" definition="Bus?type=ConnectionHandlerDefinition">
      <ports name="s" portType="responder" portInterface="AXI"/>
      <ports name="m" portType="initiator" portInterface="AXI"/>
    </modules>
    <modules xsi:type="am:Memory" name="RAM" frequencyDomain="Clock?type=FrequencyDomain" definition="Ram?type=MemoryDefinition">
      <ports name="in" portType="responder" portInterface="AXI"/>
    </modules>
    <connections name="to_bus" port1="Core/out?type=HwPort" port2="Bus1/s?type=HwPort"/>
    <connections name="to_ram" port1="Bus1/m?type=HwPort" port2="RAM/in?type=HwPort"/>
  </structures>
  <domains xsi:type="am:FrequencyDomain" name="Clock"><defaultValue value="1.0" unit="GHz"/></domains>
</hwModel>
)" + beside);
}

std::string bus_with(std::string_view from, std::string_view to) { return test::replaced(bus(), from, to); }

}  // namespace

TEST_CASE("valid hardware has no findings") {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(bus(), diagnostics);
  review::review_model(model, diagnostics);
  for (const Diagnostic& finding : diagnostics.all()) {
    INFO(format(finding));
    CHECK(finding.id == "AM0312");  // there is no task
  }
}

TEST_CASE("modules without definition and ports without type are reported by kind (AM0618 and AM0619)") {
  CHECK(times(bus_with(" definition=\"Ram?type=MemoryDefinition\"", ""), "AM0618") == 1);
  CHECK(times(bus_with(" definition=\"Bus?type=ConnectionHandlerDefinition\"", ""), "AM0618") == 1);
  const auto units = reported(bus_with(" definition=\"Cpu?type=ProcessingUnitDefinition\"", ""), "AM0618");
  REQUIRE(units.size() == 1);
  CHECK(units.front().message.starts_with("ProcessingUnit \"Core\" has no definition"));
  const auto ports = reported(test::replaced(bus_with("name=\"s\" portType=\"responder\"", "name=\"s\""),
                                             "name=\"in\" portType=\"responder\"", "name=\"in\""),
                              "AM0619");
  REQUIRE(ports.size() == 1);
  CHECK(ports.front().message.starts_with("2 of 4 ports do not state"));
}

TEST_CASE("incomplete or mismatched connections are reported (AM0624 and AM0625 and AM0626)") {
  CHECK(times(bus_with(" port2=\"Bus1/s?type=HwPort\"", ""), "AM0624") == 1);
  CHECK(times(bus_with("port2=\"Bus1/s?type=HwPort\"", "port2=\"Core/out?type=HwPort\""), "AM0624") == 1);
  const std::string other = bus_with("name=\"s\" portType=\"responder\" portInterface=\"AXI\"",
                                     "name=\"s\" portType=\"responder\" portInterface=\"AHB\"");
  CHECK(times(other, "AM0625") == 1);
  CHECK(times(test::replaced(other, " portInterface=\"AHB\"", ""), "AM0625") == 0);
  CHECK(times(bus_with("name=\"s\" portType=\"responder\"", "name=\"s\" portType=\"initiator\""), "AM0626") == 1);
  // A structure's own port passes on what the port inside does.
  const auto delegated = [](const std::string& type) {
    return test::replaced(
        bus_with(
            "<structures name=\"Board\" structureType=\"System\">",
            "<structures name=\"Board\" structureType=\"System\"><ports name=\"edge\" portType=\"" + type + "\"/>"),
        "port1=\"Core/out?type=HwPort\" port2=\"Bus1/s?type=HwPort\"",
        "port1=\"Board/edge?type=HwPort\" port2=\"Bus1/s?type=HwPort\"");
  };
  CHECK(times(delegated("responder"), "AM0626") == 0);
  CHECK(times(delegated("initiator"), "AM0626") == 1);
}

TEST_CASE("a port with two connections is reported unless they are within a handler (AM0627)") {
  const auto more = [](const std::string& tag, const std::string& before) {
    return bus_with(before,
                    before + "<" + tag + " name=\"more\" port1=\"Bus1/m?type=HwPort\" port2=\"Bus1/s?type=HwPort\"/>");
  };
  CHECK(times(more("connections", "port2=\"RAM/in?type=HwPort\"/>"), "AM0627") == 2);
  const std::string inside = "<ports name=\"m\" portType=\"initiator\" portInterface=\"AXI\"/>";
  CHECK(times(more("internalConnections", inside), "AM0627") == 0);
}

TEST_CASE("a part that is missing behind a cache of the unit breaks an access path (AM0628)") {
  const std::string text = test::read_text(AMALTHEA_SOURCE_DIR "/tests/holes/models/memories.amxmi");
  const std::string behind = " Main_bus?type=ConnectionHandler Board/link2?type=HwConnection";
  const auto with = [&](const std::string& path) {
    return times(test::replaced(text, "L2?type=Cache Board/link0?type=HwConnection" + behind, path), "AM0628");
  };
  CHECK(with("L2?type=Cache Board/link0?type=HwConnection" + behind) == 0);
  CHECK(with("L2?type=Cache Board/link1?type=HwConnection" + behind) == 1);
  CHECK(with("L2?type=Cache" + behind) == 1);
  CHECK(with("L2?type=Cache") == 1);
}

TEST_CASE("broken access paths and addresses beyond the memory are reported (AM0628 and AM0629)") {
  CHECK(times(bus_with("pathElements=\"Board/to_bus?type=HwConnection Bus1?type=ConnectionHandler "
                       "Board/to_ram?type=HwConnection\"",
                       "pathElements=\"Board/to_ram?type=HwConnection\""),
              "AM0628") == 1);
  CHECK(times(bus_with(" Bus1?type=ConnectionHandler Board/to_ram", " Board/to_ram"), "AM0628") == 1);
  CHECK(times(bus_with("endAddress=\"0x3ff\"", "endAddress=\"0x800\""), "AM0629") == 1);
  CHECK(times(bus_with("endAddress=\"0x3ff\"", "startAddress=\"0x10\" endAddress=\"0x3ff\" memOffset=\"0x200\""),
              "AM0629") == 1);
  CHECK(times(bus_with("endAddress=\"0x3ff\"", "startAddress=\"0x800\" endAddress=\"0x7ff\""), "AM0629") == 1);
  CHECK(times(bus_with("endAddress=\"0x3ff\"", "startAddress=\"0x8000\" endAddress=\"0x83ff\""), "AM0629") == 0);
}

TEST_CASE("contradictory features and rates of units and stopped clocks are reported (AM0636 to AM0638)") {
  const std::string both = bus_with("features=\"Instructions/IPC_1?type=HwFeature\"",
                                    "features=\"Instructions/IPC_1?type=HwFeature Instructions/IPC_2?type=HwFeature\"");
  CHECK(times(both, "AM0636") == 1);
  CHECK(times(bus(), "AM0636") == 0);
  CHECK(times(bus_with("value=\"2.0\"", "value=\"-2.0\""), "AM0637") == 1);
  CHECK(times(bus_with("<defaultValue value=\"1.0\" unit=\"GHz\"/>", ""), "AM0638") == 1);
  // A zero frequency is reported once, at its location.
  const std::string still = bus_with("value=\"1.0\" unit=\"GHz\"", "value=\"0.0\" unit=\"GHz\"");
  CHECK(times(still, "AM0210") == 1);
  CHECK(times(still, "AM0638") == 0);
}

TEST_CASE("arguments for parameters of other runnables are reported (AM0639)") {
  const auto call = [](const std::string& parameter) {
    return test::model_text(
        "<swModel><runnables name=\"A\"><parameters name=\"in\" direction=\"in\"/></runnables><runnables "
        "name=\"B\"><parameters name=\"in\" direction=\"in\"/></runnables><runnables name=\"C\"><activityGraph><items "
        "xsi:type=\"am:RunnableCall\" runnable=\"A?type=Runnable\"><arguments parameter=\"" +
        parameter + "?type=RunnableParameter\"/></items></activityGraph></runnables></swModel>");
  };
  CHECK(times(call("A/in"), "AM0639") == 0);
  CHECK(times(call("B/in"), "AM0639") == 1);
}

namespace {

/// Two labels of 600 B and 400 B in a memory of 1 KiB, at these addresses.
std::string placed(const std::string& first, const std::string& second, const std::string& size = "400") {
  const auto mapping = [](const std::string& label, const std::string& address) {
    return fmt::format("<memoryMapping abstractElement=\"{}?type=Label\" memory=\"RAM?type=Memory\"{}/>", label,
                       address.empty() ? "" : fmt::format(" memoryPositionAddress=\"{}\"", address));
  };
  return bus("<swModel><labels name=\"L\"><size value=\"600\" unit=\"B\"/></labels><labels name=\"M\"><size value=\"" +
             size + "\" unit=\"B\"/></labels></swModel><mappingModel>" + mapping("L", first) + mapping("M", second) +
             "</mappingModel>");
}

}  // namespace

TEST_CASE("labels that exceed their memory or overlap or have no size are reported (AM0643 to AM0645)") {
  CHECK(times(placed("", ""), "AM0643") == 0);
  const auto full = reported(placed("", "", "500"), "AM0643");
  REQUIRE(full.size() == 1);
  CHECK(full.front().message ==
        "the 2 labels mapped to memory \"RAM\" need 1100 bytes, but it has only 1024; map some to another memory, or "
        "correct a size");
  CHECK(times(placed("0x100", "0x300"), "AM0644") == 1);
  CHECK(times(placed("0x100", "0x358"), "AM0644") == 0);
  CHECK(times(placed("0x0", "0x0"), "AM0644") == 0);  // they are not placed
  CHECK(times(placed("", "", "0"), "AM0645") == 1);
  CHECK(times(placed("", ""), "AM0645") == 0);
}

TEST_CASE("limits in the wrong order and limits of zero are reported (AM0646 and AM0647)") {
  const auto age = [](const std::string& least, const std::string& most) {
    return test::model_text(
        "<constraintsModel><timingConstraints xsi:type=\"am:RepetitionConstraint\" name=\"R\"><lower value=\"" + least +
        "\" unit=\"ms\"/><upper value=\"" + most + "\" unit=\"us\"/></timingConstraints></constraintsModel>");
  };
  CHECK(times(age("2", "3000"), "AM0646") == 0);
  CHECK(times(age("2", "2000"), "AM0646") == 0);
  CHECK(times(age("2", "1999"), "AM0646") == 1);
  CHECK(times(age("-2", "1999"), "AM0651") == 1);
  const auto limit = [](const std::string& metric, const std::string& value) {
    return test::model_text(
        "<constraintsModel><requirements xsi:type=\"am:ProcessRequirement\" name=\"R\"><limit "
        "xsi:type=\"am:TimeRequirementLimit\" limitType=\"UpperLimit\" metric=\"" +
        metric + "\"><limitValue value=\"" + value + "\" unit=\"ms\"/></limit></requirements></constraintsModel>");
  };
  CHECK(times(limit("ResponseTime", "0"), "AM0647") == 1);
  CHECK(times(limit("ResponseTime", "1"), "AM0647") == 0);
  CHECK(times(limit("Lateness", "0"), "AM0647") == 0);
}

TEST_CASE("tasks under EDF without deadline are reported together (AM0648)") {
  std::string text = test::read_text(test::sample("offload-minimal.amxmi"));
  text = test::replaced(text, "name=\"FixedPriorityPreemptive\"", "name=\"EarliestDeadlineFirst\"");
  text = test::replaced(text, "xmi:id=\"FixedPriorityPreemptive?", "xmi:id=\"EarliestDeadlineFirst?");
  text = test::replaced(text, "definition=\"FixedPriorityPreemptive?", "definition=\"EarliestDeadlineFirst?");
  CHECK(times(text, "AM0648") == 0);
  const auto missing =
      reported(test::replaced(text, "process=\"Monitor?type=Task\"", "process=\"Control?type=Task\""), "AM0648");
  REQUIRE(missing.size() == 1);
  CHECK(missing.front().message.starts_with("1 of 2 tasks"));
}

TEST_CASE("deviations with contradictory bounds and mean are reported (AM0649)") {
  const auto jitter = [](const std::string& lower, const std::string& mean, const std::string& upper) {
    return test::model_text(fmt::format(
        R"(<stimuliModel><stimuli xsi:type="am:PeriodicStimulus" name="S"><recurrence value="5" unit="ms"/>
<jitter xsi:type="am:TimeGaussDistribution"><lowerBound value="{}" unit="us"/><upperBound value="{}" unit="us"/>
<mean value="{}" unit="us"/><sd value="1" unit="us"/></jitter></stimuli></stimuliModel>)",
        lower, upper, mean));
  };
  CHECK(times(jitter("1", "2", "3"), "AM0649") == 0);
  CHECK(times(jitter("1", "4", "3"), "AM0649") == 1);
  CHECK(times(jitter("2", "1", "3"), "AM0649") == 1);
  CHECK(times(jitter("3", "2", "1"), "AM0649") == 1);
  // What building the system has reported is not reported again.
  const std::string used = test::replaced(test::read_text(test::sample("offload-minimal.amxmi")),
                                          "average=\"250000.0\"", "average=\"350000.0\"");
  CHECK(times(used, "AM0211") == 1);
  CHECK(times(used, "AM0649") == 0);
}

namespace {

/// A runnable whose execution depends on the mode label `State` with the values idle, slow and fast.
std::string modal(const std::string& entries, const std::string& initial = "idle") {
  return test::model_text(
      "<swModel><modes xsi:type=\"am:EnumMode\" name=\"Speed\"><literals name=\"idle\"/><literals "
      "name=\"slow\"/><literals "
      "name=\"fast\"/></modes><modeLabels name=\"State\" mode=\"Speed?type=EnumMode\" initialValue=\"" +
      initial +
      "\"/><runnables name=\"R\"><activityGraph><items xsi:type=\"am:Switch\"><entries name=\"e\"><condition>" +
      entries + "</condition></entries></items></activityGraph></runnables></swModel>");
}

std::string state(const std::string& relation, const std::string& value) {
  return fmt::format(
      "<entries xsi:type=\"am:ModeValueCondition\" label=\"State?type=ModeLabel\" relation=\"{}\" value=\"{}\"/>",
      relation, value);
}

std::string all_of(const std::string& entries) {
  return "<entries xsi:type=\"am:ConditionConjunction\">" + entries + "</entries>";
}

}  // namespace

TEST_CASE("values that a mode does not have are reported (AM0654)") {
  CHECK(times(modal(state("EQUAL", "slow")), "AM0654") == 0);
  CHECK(times(modal(state("EQUAL", "rapid")), "AM0654") == 1);
  CHECK(times(modal(state("EQUAL", "slow"), "off"), "AM0654") == 1);
  const auto numeric = [](const std::string& value) {
    return test::model_text(
        "<swModel><modes xsi:type=\"am:NumericMode\" name=\"N\"/><modeLabels name=\"Count\" "
        "mode=\"N?type=NumericMode\" initialValue=\"" +
        value + "\"/></swModel>");
  };
  CHECK(times(numeric("7"), "AM0654") == 0);
  CHECK(times(numeric("seven"), "AM0654") == 1);
}

TEST_CASE("conditions that are never or always true are reported (AM0655 and AM0656)") {
  CHECK(times(modal(all_of(state("EQUAL", "slow") + state("EQUAL", "fast"))), "AM0655") == 1);
  CHECK(times(modal(all_of(state("EQUAL", "slow") + state("NOT_EQUAL", "slow"))), "AM0655") == 1);
  CHECK(times(modal(all_of(state("NOT_EQUAL", "slow") + state("NOT_EQUAL", "fast"))), "AM0655") == 0);  // idle is left
  CHECK(times(modal(state("EQUAL", "slow") + state("EQUAL", "fast")), "AM0656") == 0);
  CHECK(times(modal(state("EQUAL", "slow") + state("EQUAL", "fast") + state("EQUAL", "idle")), "AM0656") == 1);
  CHECK(times(modal(state("NOT_EQUAL", "slow") + state("NOT_EQUAL", "fast")), "AM0656") == 1);
  CHECK(times(modal(state("EQUAL", "slow") + state("NOT_EQUAL", "slow")), "AM0656") == 1);
}

TEST_CASE("conditions on numbers and on two labels that are never true are reported (AM0655)") {
  const auto times_with = [](const std::string& tests) {
    const auto label = [](const std::string& name) {
      return fmt::format("<modeLabels name=\"{}\" mode=\"Numbers?type=NumericMode\" initialValue=\"0\"/>", name);
    };
    return times(test::model_text("<swModel><modes xsi:type=\"am:NumericMode\" name=\"Numbers\"/>" + label("A") +
                                  label("B") + label("C") +
                                  "<runnables name=\"R\"><activityGraph><items xsi:type=\"am:WhileLoop\"><condition>" +
                                  all_of(tests) + "</condition></items></activityGraph></runnables></swModel>"),
                 "AM0655");
  };
  const auto value = [](const std::string& label, const std::string& relation, int value) {
    return fmt::format(
        "<entries xsi:type=\"am:ModeValueCondition\" label=\"{}?type=ModeLabel\" relation=\"{}\" value=\"{}\"/>", label,
        relation, value);
  };
  const auto both = [](const std::string& first, const std::string& relation, const std::string& second) {
    return fmt::format(
        "<entries xsi:type=\"am:ModeLabelCondition\" label1=\"{}?type=ModeLabel\" relation=\"{}\" "
        "label2=\"{}?type=ModeLabel\"/>",
        first, relation, second);
  };
  CHECK(times_with(value("A", "LESS_THAN", 3) + value("A", "GREATER_THAN", 1)) == 0);
  CHECK(times_with(value("A", "LESS_THAN", 3) + value("A", "GREATER_THAN", 2)) == 1);
  CHECK(times_with(value("A", "LESS_THAN_OR_EQUAL", 3) + value("A", "GREATER_THAN_OR_EQUAL", 3)) == 0);
  CHECK(times_with(value("A", "LESS_THAN", 3) + value("A", "GREATER_THAN", 1) + value("A", "NOT_EQUAL", 2)) == 1);
  CHECK(times_with(value("A", "EQUAL", 1) + value("B", "EQUAL", 2)) == 0);
  CHECK(times_with(both("A", "EQUAL", "B") + both("A", "NOT_EQUAL", "B")) == 1);
  CHECK(times_with(both("A", "LESS_THAN", "B") + both("A", "NOT_EQUAL", "B")) == 0);
  CHECK(times_with(both("A", "LESS_THAN", "B") + both("B", "LESS_THAN", "A")) == 1);
  CHECK(times_with(both("A", "LESS_THAN", "B") + both("B", "LESS_THAN", "C")) == 0);
  CHECK(times_with(both("A", "EQUAL", "B") + value("A", "EQUAL", 1) + value("B", "EQUAL", 2)) == 1);
}

TEST_CASE("contradictory semaphores are reported (AM0657)") {
  const auto semaphore = [](const std::string& attributes, const std::string& version) {
    return test::model_text("<osModel><semaphores name=\"S\" " + attributes + "/></osModel>", version);
  };
  CHECK(times(semaphore("semaphoreType=\"Spinlock\" maxValue=\"1\"", "3.3.0"), "AM0657") == 0);
  CHECK(times(semaphore("semaphoreType=\"Spinlock\" maxValue=\"2\"", "3.3.0"), "AM0657") == 1);
  CHECK(times(semaphore("semaphoreType=\"CountingSemaphore\" maxValue=\"2\"", "3.3.0"), "AM0657") == 0);
  const std::string negative = semaphore("initialValue=\"-1\" maxValue=\"2\"", "3.3.0");  // the data type forbids it
  CHECK(times(negative, "AM0657") + times(negative, "AM0221") == 1);
  CHECK(times(semaphore("initialValue=\"-1\" maxValue=\"2\"", "1.2.0"), "AM0657") == 1);
  // The number that the analysis uses may be too large.
  CHECK(engine::consequence_of({"AM0657", Severity::warning, "", {}, "", 1}) == engine::Consequence::unknown);
}

TEST_CASE("duplicate keys of custom properties are reported (AM0661)") {
  const auto properties = [](const std::string& second, const std::string& inside) {
    return test::model_text(
        "<swModel><tasks name=\"T\"><customProperties key=\"a\"/><customProperties key=\"b\"/><activityGraph>" +
        inside + "</activityGraph><customProperties key=\"" + second + "\"/></tasks></swModel>");
  };
  CHECK(times(properties("c", ""), "AM0661") == 0);
  CHECK(times(properties("c", "<customProperties key=\"a\"/>"), "AM0661") == 0);
  const auto twice = reported(properties("a", ""), "AM0661");
  REQUIRE(twice.size() == 1);
  CHECK(twice.front().message ==
        "Task \"T\" has two custom properties with the key \"a\"; the analysis uses the first");
}

namespace {

/// A scheduler of round robin with a time slice, and a task with a priority; both as given.
std::string scheduled(const std::string& slice, const std::string& priority) {
  return test::model_text(
      "<swModel><tasks name=\"T\"/><tasks name=\"U\"/></swModel><osModel><operatingSystems name=\"OS\"><taskSchedulers "
      "name=\"S\" definition=\"RR?type=SchedulerDefinition\">" +
      slice +
      "</taskSchedulers></operatingSystems><schedulerDefinitions name=\"RR\" "
      "algorithmParameters=\"slice?type=SchedulingParameterDefinition\" "
      "processParameters=\"priority?type=SchedulingParameterDefinition\"/><schedulingParameterDefinitions "
      "name=\"slice\" "
      "type=\"Time\"/><schedulingParameterDefinitions name=\"priority\" type=\"Integer\"/></osModel><mappingModel>"
      "<taskAllocation task=\"T?type=Task\" scheduler=\"S?type=TaskScheduler\">" +
      priority + "</taskAllocation><taskAllocation task=\"U?type=Task\" scheduler=\"S?type=TaskScheduler\">" +
      priority + "</taskAllocation></mappingModel>");
}

std::string parameter(const std::string& name, const std::string& values) {
  return fmt::format("<schedulingParameters key=\"{}?type=SchedulingParameterDefinition\">{}</schedulingParameters>",
                     name, values);
}

}  // namespace

TEST_CASE("scheduling parameters that contradict their definitions are reported (AM0662 to AM0664)") {
  const std::string time = "<value xsi:type=\"am:Time\" value=\"1\" unit=\"ms\"/>";
  const std::string number = "<value xsi:type=\"am:IntegerObject\" value=\"3\"/>";
  const std::string slice = parameter("slice", time), priority = parameter("priority", number);
  for (const char* id : {"AM0662", "AM0663", "AM0664"}) CHECK(times(scheduled(slice, priority), id) == 0);
  CHECK(times(scheduled(slice + priority, priority), "AM0662") == 1);
  CHECK(times(scheduled(parameter("slice", number), priority), "AM0663") == 1);
  const std::string list =
      "<value xsi:type=\"am:ListObject\"><values xsi:type=\"am:IntegerObject\" value=\"3\"/><values "
      "xsi:type=\"am:IntegerObject\" value=\"4\"/></value>";
  CHECK(times(scheduled(slice, parameter("priority", list)), "AM0663") == 2);
  const std::string idle = scheduled("", priority);  // a scheduler without other findings
  const auto first = idle.find("<mappingModel>"), last = idle.find("</am:Amalthea>");
  CHECK(times(idle.substr(0, first) + idle.substr(last), "AM0664") == 1);
  const auto twice = reported(scheduled(slice, ""), "AM0664");
  REQUIRE(twice.size() == 1);
  CHECK(twice.front().message.ends_with("(in 2 places)"));
  // A key that leads nowhere may be meant for it.
  CHECK(times(scheduled(slice, parameter("priorty", number)), "AM0664") == 0);
}

}  // namespace platform_rules_test
