// SPDX-License-Identifier: Apache-2.0
// What a model demands and what takes time, without saying how much or by whom it is done, makes the verdict unknown.

#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/finding_consequences.hpp"
#include "importer/building/system_builder.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/holes/old_memories.hpp"
#include "tests/support/test_models.hpp"
#include "tests/support/timed_models.hpp"

namespace demands_test {

using namespace amalthea;
using test::replaced;

namespace {

/// The number of findings with the id; each of them makes the verdict unknown.
std::size_t count(const std::string& text, std::string_view id) {
  Diagnostics findings;
  const Model model = test::model_from_text(text, findings);
  CHECK(importer::build_system(model, {}, findings));
  for (const Diagnostic& finding : findings.all()) UNSCOPED_INFO(format(finding));
  const auto found = test::with_id(findings, id);
  for (const Diagnostic& finding : found) {
    CHECK(finding.location.line > 0);
    CHECK(engine::consequence_of(finding) == engine::Consequence::unknown);
  }
  return found.size();
}

std::string sound() { return test::read_text(test::sample("offload-minimal.amxmi")); }
std::string with(std::string_view from, std::string_view to) { return replaced(sound(), from, to); }

std::string with_label(const std::string& text, const std::string& name, const std::string& protection) {
  const std::string start = "name=\"" + name + "\"";
  return replaced(text, start + " constant", start + " dataStability=\"" + protection + "\" constant");
}

std::string with_system(std::string_view mode) {
  return with(R"(<operatingSystems name="Board_OS">)",
              R"(<operatingSystems name="Board_OS"><osDataConsistency mode=")" + std::string(mode) + R"("/>)");
}

const std::string image_access = R"(data="Image_host?type=Label" access="write")";

}  // namespace

TEST_CASE("data that the operating system protects takes time that is not stated") {
  CHECK(count(sound(), "AM0466") == 0);
  for (const std::string_view mode : {"automaticProtection", "customProtection"})
    CHECK(count(with_system(mode), "AM0466") == 1);
  for (const std::string_view mode : {"noProtection", "handledByModelElements", "_undefined_"})
    CHECK(count(with_system(mode), "AM0466") == 0);
  // Labels and accesses may state otherwise.
  std::string none = with_system("automaticProtection");
  for (const std::string name : {"Image_host", "Result_host"}) none = with_label(none, name, "noProtection");
  CHECK(count(none, "AM0466") == 0);
  CHECK(count(replaced(none, image_access, image_access + R"( dataStability="inherited")"), "AM0466") == 0);
  CHECK(count(replaced(none, image_access, image_access + R"( dataStability="automaticProtection")"), "AM0466") == 1);
}

TEST_CASE("labels that are to be protected are named together") {
  const std::string one = with_label(sound(), "Image_host", "automaticProtection");
  CHECK(count(one, "AM0466") == 1);
  CHECK(count(with_label(one, "Result_host", "customProtection"), "AM0466") == 1);
  CHECK(count(replaced(one, image_access, image_access + R"( dataStability="noProtection")"), "AM0466") == 0);
  // Device tasks copy to and from labels, and no operating system protects those of the device.
  CHECK(count(with_label(sound(), "Image_device", "automaticProtection"), "AM0466") == 0);
}

TEST_CASE("buffered labels of old versions are protected") {
  const auto in_system = [](const std::string& text, const std::string& stated) {
    return replaced(text, "<osModel>", "<osModel>" + stated);
  };
  const std::string oldest = holes::with_accesses(Version::v0_7_1);
  CHECK(count(oldest, "AM0466") == 0);
  CHECK(count(replaced(oldest, R"(<labels name="L")", R"(<labels name="L" buffered="notBuffered")"), "AM0466") == 0);
  CHECK(count(replaced(oldest, R"(<labels name="L")", R"(<labels name="L" buffered="buffered")"), "AM0466") == 1);
  CHECK(count(in_system(oldest, "<osBuffering/>"), "AM0466") == 0);
  CHECK(count(in_system(oldest, R"(<osBuffering processLevel="true"/>)"), "AM0466") == 1);
  const std::string next = holes::with_accesses(Version::v0_7_2);
  CHECK(count(in_system(next, R"(<osDataConsistency mode="noProtection"/>)"), "AM0466") == 0);
  CHECK(count(in_system(next, R"(<osDataConsistency mode="automaticProtection"/>)"), "AM0466") == 1);
}

TEST_CASE("what a set event transmits takes time that is not stated") {
  CHECK(count(with(R"(communicationOverheadInBit="0")", R"(communicationOverheadInBit="64")"), "AM0466") == 1);
  CHECK(count(with(R"(<events xmi:id="Vision_done)",
                   R"(<events name="Unused" communicationOverheadInBit="64"/><events xmi:id="Vision_done)"),
              "AM0466") == 0);
}

TEST_CASE("a label access that transmits more than the label takes longer") {
  const auto transmitting = [](std::string_view ratio) {
    return with(image_access + "/>",
                image_access + "><transmissionPolicy transmitRatio=\"" + std::string(ratio) + "\"/></items>");
  };
  CHECK(count(transmitting("1.0"), "AM0401") == 0);
  CHECK(count(transmitting("0.5"), "AM0401") == 0);
  CHECK(count(transmitting("1.5"), "AM0401") == 1);
}

TEST_CASE("instructions that are fetched take time that is not stated") {
  const auto model = [](std::string_view fetches) {
    return replaced(test::timed_model_without_constraints(Version::v0_8_3),
                    R"(<default xsi:type="am:InstructionsConstant" value="100000"/>)",
                    R"(<default xsi:type="am:InstructionsConstant" value="100000"><fetchStatistic>)" +
                        std::string(fetches) + "</fetchStatistic></default>");
  };
  CHECK(count(model(""), "AM0401") == 0);
  CHECK(count(model(R"(<misses xsi:type="am:SingleValueStatistic" value="2.0"/>)"), "AM0401") == 1);
}

TEST_CASE("the latency of a transfer of some size is not that of an access") {
  const std::string text = holes::memory_behind_latencies(Version::v0_8_3);
  const std::string latency = R"(<latencies xsi:type="am:LatencyConstant" accessType="R")";
  CHECK(count(text, "AM0476") == 0);
  CHECK(count(replaced(text, latency, latency + R"( transferSize="0")"), "AM0476") == 0);
  CHECK(count(replaced(text, latency, latency + R"( transferSize="4")"), "AM0476") == 1);
}

/// With an overhead that states one function.
std::string with_overhead(const std::string& text, const std::string& function, bool used = true) {
  return replaced(used ? replaced(text, R"(<operatingSystems name="Board_OS">)",
                                  R"(<operatingSystems name="Board_OS" overhead="Times?type=OsOverhead">)")
                       : text,
                  "<schedulerDefinitions",
                  "<osOverheads name=\"Times\"><apiOverhead><" + function +
                      "><default xsi:type=\"am:DiscreteValueConstant\" value=\"100\"/></" + function +
                      "></apiOverhead></osOverheads><schedulerDefinitions");
}

TEST_CASE("the functions that lock and unlock interrupts take time in uninterruptible groups") {
  const auto model = [](const std::string& function, const std::string& interruptible) {
    const std::string call = R"(<items xsi:type="am:RunnableCall" runnable="Monitor_Function?type=Runnable"/>)";
    return with_overhead(
        with(call, "<items xsi:type=\"am:Group\" interruptible=\"" + interruptible + "\">" + call + "</items>"),
        function);
  };
  for (const std::string function : {"apiSuspendOsInterrupts", "apiResumeOsInterrupts"}) {
    CHECK(count(model(function, "true"), "AM0466") == 0);
    CHECK(count(model(function, "false"), "AM0466") == 1);
  }
}

TEST_CASE("the functions between cores take time for labels that several cores access") {
  // Monitor moves to a core of its own, and reads what Control reads.
  std::string apart = with(R"(<modules xsi:type="am:ProcessingUnit" xmi:id="GPU?)",
                           R"(<modules xsi:type="am:ProcessingUnit" name="Other" )"
                           R"(frequencyDomain="Cpu_Clock?type=FrequencyDomain" )"
                           R"(definition="Cpu?type=ProcessingUnitDefinition"/>)"
                           R"(<modules xsi:type="am:ProcessingUnit" xmi:id="GPU?)");
  apart = replaced(apart, R"(<taskSchedulers xmi:id="Gpu_)",
                   R"(<taskSchedulers name="Second" definition="FixedPriorityPreemptive?type=SchedulerDefinition"/>)"
                   R"(<taskSchedulers xmi:id="Gpu_)");
  apart = replaced(apart, R"(<taskAllocation task="Monitor?type=Task" scheduler="Cpu_Scheduler?)",
                   R"(<schedulerAllocation scheduler="Second?type=TaskScheduler" )"
                   R"(responsibility="Other?type=ProcessingUnit"/>)"
                   R"(<taskAllocation task="Monitor?type=Task" scheduler="Second?)");
  apart = replaced(apart, R"(affinity="Core?type=ProcessingUnit">
      <schedulingParameters key="priority?type=SchedulingParameterDefinition">
        <value xsi:type="am:IntegerObject" value="2"/>)",
                   R"(affinity="Other?type=ProcessingUnit">
      <schedulingParameters key="priority?type=SchedulingParameterDefinition">
        <value xsi:type="am:IntegerObject" value="2"/>)");
  const std::string ticks = R"(lowerBound="200000" upperBound="300000" average="250000.0"/>
        </items>)";
  const std::string shared = replaced(
      apart, ticks, ticks + R"(<items xsi:type="am:LabelAccess" data="Result_host?type=Label" access="read"/>)");
  for (const std::string function : {"apiIocRead", "apiIocWrite"}) {
    CHECK(count(with_overhead(apart, function), "AM0466") == 0);
    CHECK(count(with_overhead(shared, function), "AM0466") == 1);
  }
}

TEST_CASE("an overhead that the model states and nothing refers to is not forgotten") {
  CHECK(count(with_overhead(sound(), "apiSendMessage"), "AM0480") == 0);
  CHECK(count(with_overhead(sound(), "apiSendMessage", false), "AM0480") == 1);
}

TEST_CASE("a runnable that states its activation is called by a task, or its time is missing") {
  const auto model = [](std::string_view activations, std::string_view content) {
    return with("<runnables",
                "<activations xsi:type=\"am:PeriodicActivation\" name=\"Often\"><recurrence value=\"1\" "
                "unit=\"ms\"/></activations><runnables name=\"Lonely\" " +
                    std::string(activations) + ">" + std::string(content) + "</runnables><runnables");
  };
  const std::string_view often = R"(activations="Often?type=PeriodicActivation")",
                         content = R"(<activityGraph><items xsi:type="am:Ticks"><default )"
                                   R"(xsi:type="am:DiscreteValueConstant" value="1"/></items></activityGraph>)";
  CHECK(count(model(often, content), "AM0467") == 1);
  CHECK(count(model("", content), "AM0467") == 0);
  CHECK(count(model(often, ""), "AM0467") == 0);
  CHECK(count(replaced(model("", content), R"(name="Monitor_Function")",
                       R"(name="Monitor_Function" )" + std::string(often)),
              "AM0467") == 0);
}

TEST_CASE("a scheduler has the place in the hierarchy that its definition demands") {
  const std::string servers = test::read_text(test::sample("servers.amxmi"));
  const std::string fixed = R"(<schedulerDefinitions name="FixedPriorityPreemptive")",
                    server = R"(<schedulerDefinitions name="DeferrableServer")",
                    needs_parent = R"( requiresParentScheduler="true")", passes = R"( passesParametersUpwards="true")";
  CHECK(count(servers, "AM0473") == 0);
  CHECK(count(replaced(servers, server, server + needs_parent), "AM0473") == 0);
  CHECK(count(replaced(servers, fixed, fixed + needs_parent), "AM0473") == 1);
  CHECK(count(replaced(servers, server, server + passes), "AM0496") == 1);
  CHECK(count(replaced(servers, fixed, fixed + passes), "AM0496") == 0);
  const std::string scheduler =
      R"(<taskSchedulers name="Core0_Scheduler" definition="FixedPriorityPreemptive?type=SchedulerDefinition")";
  CHECK(count(replaced(servers, scheduler + "/>", scheduler + "><parentAssociation/></taskSchedulers>"), "AM0473") ==
        1);
}

}  // namespace demands_test
