// SPDX-License-Identifier: Apache-2.0
// A property with the prefix "gpu." that has no effect where it stands is reported (AM0414); one that has is not.

#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "importer/building/system_builder.hpp"
#include "tests/support/test_models.hpp"

namespace gpu_properties_test {

using namespace amalthea;
using test::replaced;

namespace {

const std::string
    vision =
        R"(<runnables xmi:id="Vision_Function?type=Runnable" name="Vision_Function" callback="false" service="false">)",
    monitor =
        R"(<runnables xmi:id="Monitor_Function?type=Runnable" name="Monitor_Function" callback="false" service="false">)",
    pre =
        R"(<runnables xmi:id="Control_Preprocessing?type=Runnable" name="Control_Preprocessing" callback="false" service="false">)",
    vision_task =
        R"(stimuli="Vision_request?type=InterProcessStimulus" preemption="preemptive" multipleTaskActivationLimit="0">)",
    control_task =
        R"(stimuli="every_10ms?type=PeriodicStimulus" preemption="preemptive" multipleTaskActivationLimit="0">)",
    core = R"(<accessElements name="Core_to_DRAM")", gpu = R"(<accessElements name="GPU_to_DRAM")";

std::string property(std::string_view key, std::string_view value) {
  return fmt::format(R"(<customProperties key="{}"><value xsi:type="am:StringObject" value="{}"/></customProperties>)",
                     key, value);
}
const std::string blocks = property("gpu.block", "64");

std::string minimal() { return test::read_text(test::sample("offload-minimal.amxmi")); }
std::string behind(const std::string& text, const std::string& place, const std::string& what) {
  return replaced(text, place, place + what);
}
std::string before(const std::string& text, const std::string& place, const std::string& what) {
  return replaced(text, place, what + place);
}

/// A second device task that Monitor triggers; it has the properties.
std::string with_second(std::string text, const std::string& properties) {
  text = replaced(
      text, R"(    <runnables xmi:id="Control_Preprocessing)",
      R"(    <tasks name="Second" stimuli="more?type=InterProcessStimulus" preemption="preemptive">)" + properties +
          R"(<activityGraph><items xsi:type="am:RunnableCall" runnable="Second_Function?type=Runnable"/></activityGraph></tasks>
    <runnables name="Second_Function"><activityGraph><items xsi:type="am:Ticks"><default xsi:type="am:DiscreteValueConstant" value="9"/></items></activityGraph></runnables>
    <runnables xmi:id="Control_Preprocessing)");
  text = replaced(
      text, R"(<items xsi:type="am:RunnableCall" runnable="Monitor_Function?type=Runnable"/>)",
      R"(<items xsi:type="am:RunnableCall" runnable="Monitor_Function?type=Runnable"/><items xsi:type="am:InterProcessTrigger" stimulus="more?type=InterProcessStimulus"/>)");
  text = replaced(
      text, R"(<stimuli xsi:type="am:InterProcessStimulus")",
      R"(<stimuli xsi:type="am:InterProcessStimulus" name="more"/><stimuli xsi:type="am:InterProcessStimulus")");
  return replaced(
      text, R"(<taskAllocation task="Vision?type=Task")",
      R"(<taskAllocation task="Second?type=Task" scheduler="Gpu_Scheduler?type=TaskScheduler"/><taskAllocation task="Vision?type=Task")");
}

/// The reasons that are reported, without the key and what all messages share.
std::string reasons(const std::string& text) {
  Diagnostics findings;
  const Model model = test::model_from_text(text, findings);
  CHECK(importer::build_system(model, {}, findings));
  std::string reasons;
  for (const Diagnostic& finding : findings.all()) {
    UNSCOPED_INFO(format(finding));
    if (finding.id != "AM0414") continue;
    CHECK(finding.location.line > 0);
    const std::size_t at = finding.message.find("has no effect on the analysis");
    REQUIRE(at != std::string::npos);
    reasons += finding.message.substr(at + std::string("has no effect on the analysis").size()) + "\n";
  }
  return reasons;
}

struct Place {
  std::string_view name;
  std::string model;
  std::string_view reason;  ///< a part of it; "" if nothing is reported
};

void check(const std::vector<Place>& places) {
  for (const Place& place : places) {
    INFO(place.name);
    const std::string found = reasons(place.model);
    if (place.reason.empty())
      CHECK(found == "");
    else
      CHECK(found.find(place.reason) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("properties of device tasks and their runnables are reported on others") {
  check(
      {{"a slice of a task on a CPU", behind(minimal(), control_task, property("gpu.timeslice", "5 ms")),
        "does not run on a GPU"},
       {"a context of a task on a CPU", behind(minimal(), control_task, property("gpu.context", "a")),
        "does not run on a GPU"},
       {"blocks of a runnable on a CPU", behind(minimal(), monitor, blocks), "no task on a GPU calls this runnable"},
       {"a copy on a CPU", behind(minimal(), pre, property("gpu.copy", "h2d")), "no task on a GPU calls"},
       {"a pattern of kernels on a CPU", behind(minimal(), pre, property("gpu.access", "zero-copy")), "only kernels"},
       {"a pattern on a CPU", behind(minimal(), pre, property("gpu.access", "random")), ""},
       {"a slice of a device task", behind(minimal(), vision_task, property("gpu.timeslice", "5 ms")), ""},
       {"blocks of a kernel", behind(minimal(), vision, blocks), ""},
       {"a profile of a core",
        before(minimal(), R"(<modules xsi:type="am:Cache")",
               R"(<modules xsi:type="am:ProcessingUnit" name="Idle" definition="Cpu?type=ProcessingUnitDefinition">)" +
                   property("gpu.warpPolicy", "gto") + "</modules>"),
        "this unit is not a GPU"}});
}

TEST_CASE("properties of kernels are reported where there is no kernel") {
  const std::string copies = test::read_text(test::sample("offload-minimal-three-runnables.amxmi"));
  const std::size_t at = copies.find(R"(data="Image_device?type=Label" access="write")");
  REQUIRE(at != copies.npos);
  const std::size_t runnable = copies.find('>', copies.rfind("<runnables", at)) + 1;
  const auto on_copy = [&](const std::string& properties) {
    return copies.substr(0, runnable) + properties + copies.substr(runnable);
  };
  check({{"blocks of a copy", on_copy(blocks), "contains no kernel"},
         {"a memory share of a copy", on_copy(property("gpu.memoryIntensity", "0.1")), "contains no kernel"},
         {"a pattern of a copy", on_copy(property("gpu.access", "random")), "contains no kernel"},
         {"the kind of a copy", on_copy(property("gpu.copy", "h2d")), ""},
         {"a memory share of a kernel", behind(minimal(), vision, property("gpu.memoryIntensity", "0.1")), ""}});
}

TEST_CASE("a task uses the NULL stream or a named one") {
  const auto errors = [](const std::string& properties) {
    Diagnostics findings;
    CHECK_FALSE(importer::build_system(test::model_from_text(behind(minimal(), vision_task, properties), findings), {},
                                       findings));
    return findings.all().back().message;
  };
  CHECK(errors(property("gpu.nullStream", "true") + property("gpu.stream", "s")) ==
        "task \"Vision\" has gpu.stream \"s\" and gpu.nullStream; it uses one stream; remove one of the two");
  CHECK(errors(property("gpu.nullStream", "yes")) ==
        "custom property gpu.nullStream is \"yes\"; expected true or false");
}

TEST_CASE("a property without text has no value") {
  check({{"no text", before(minimal(), gpu, property("gpu.warpPolicy", "")), "has no value"},
         {"blanks", before(minimal(), gpu, property("gpu.warpPolicy", " ")), "has no value"}});
}

TEST_CASE("a property that is stated twice with different values is reported, and so is one in other letters") {
  const auto twice = [](const std::string& first, const std::string& second) {
    Diagnostics findings;
    const Model model = test::model_from_text(
        behind(minimal(), vision_task, property("gpu.timeslice", first) + property("gpu.timeslice", second)), findings);
    CHECK(importer::build_system(model, {}, findings));
    return test::with_id(findings, "AM0462").size();
  };
  CHECK(twice("5 ms", "9 ms") == 1);
  CHECK(twice("5 ms", "5 ms") == 0);
  check({{"", behind(minimal(), vision_task, property("GPU.timeslice", "5 ms")), "did you mean \"gpu.timeslice\"?"}});
}

TEST_CASE("properties that need others are reported without these") {
  const std::string priority = property("gpu.contextScheduling", "priority");
  const std::string rank =
      R"(<schedulingParameters key="priority?type=SchedulingParameterDefinition"><value xsi:type="am:IntegerObject" value="1"/></schedulingParameters></taskAllocation>)";
  const std::string ranked =
      replaced(with_second(minimal(), ""),
               R"(<taskAllocation task="Second?type=Task" scheduler="Gpu_Scheduler?type=TaskScheduler"/>)",
               R"(<taskAllocation task="Second?type=Task" scheduler="Gpu_Scheduler?type=TaskScheduler">)" + rank);
  check({
      {"a share of MPS", behind(minimal(), vision_task, property("gpu.mpsShare", "50")), "add gpu.block"},
      {"a share of MPS, with blocks",
       behind(behind(minimal(), vision_task, property("gpu.mpsShare", "50")), vision, blocks), ""},
      {"a whole share of MPS", behind(minimal(), vision_task, property("gpu.mpsShare", "100")), ""},
      {"a mask", behind(minimal(), vision_task, property("gpu.smMask", "0x1")), "add gpu.block"},
      {"a budget",
       behind(minimal(), vision, blocks + property("gpu.instructions", "5L 9C") + property("gpu.budget", "2")),
       "set gpu.warpPolicy"},
      {"a budget under qaws",
       before(behind(minimal(), vision, blocks + property("gpu.instructions", "5L 9C") + property("gpu.budget", "2")),
              gpu, property("gpu.warpPolicy", "qaws")),
       ""},
      {"contexts by priority, of one task", before(minimal(), gpu, priority), ""},
      {"contexts by priority, without priorities", before(with_second(minimal(), ""), gpu, priority),
       "states a priority"},
      {"contexts by priority", before(ranked, gpu, priority), ""},
      {"a slice under contexts by priority",
       before(behind(ranked, vision_task, property("gpu.timeslice", "5 ms")), gpu, priority), "not in time slices"},
      {"a stream that another process names, too",
       with_second(behind(minimal(), vision_task, property("gpu.stream", "a")), property("gpu.stream", "a")),
       "gpu.context"},
      {"a stream of a process",
       with_second(behind(minimal(), vision_task, property("gpu.stream", "a") + property("gpu.context", "p")),
                   property("gpu.stream", "a") + property("gpu.context", "p")),
       ""},
      {"a stream of its own", with_second(behind(minimal(), vision_task, property("gpu.stream", "a")), ""), ""},
      {"a NULL stream beside other processes",
       with_second(behind(minimal(), vision_task, property("gpu.nullStream", "true")), ""), "gpu.context"},
      {"a NULL stream of a process",
       with_second(behind(minimal(), vision_task, property("gpu.nullStream", "true") + property("gpu.context", "p")),
                   property("gpu.context", "p")),
       ""},
      {"no NULL stream", with_second(behind(minimal(), vision_task, property("gpu.nullStream", "false")), ""), ""},
      {"a high priority beside other processes",
       with_second(behind(minimal(), vision_task, property("gpu.priority", "high")), ""), "gpu.context"},
      {"a high priority, alone on the GPU", behind(minimal(), vision_task, property("gpu.priority", "high")), ""},
  });
}

TEST_CASE("a device task without a priority has 0 where contexts are served by priority and others have one") {
  const std::string text = replaced(
      before(with_second(minimal(), ""), gpu, property("gpu.contextScheduling", "priority")),
      R"(<taskAllocation task="Second?type=Task" scheduler="Gpu_Scheduler?type=TaskScheduler"/>)",
      R"(<taskAllocation task="Second?type=Task" scheduler="Gpu_Scheduler?type=TaskScheduler"><schedulingParameters key="priority?type=SchedulingParameterDefinition"><value xsi:type="am:IntegerObject" value="1"/></schedulingParameters></taskAllocation>)");
  Diagnostics findings;
  const Model model = test::model_from_text(text, findings);
  REQUIRE(importer::build_system(model, {}, findings));
  CHECK(test::with_id(findings, "AM0446").size() == 1);
}

TEST_CASE("an unknown order of contexts is an error at the property") {
  Diagnostics findings;
  const Model model =
      test::model_from_text(before(minimal(), gpu, property("gpu.contextScheduling", "priorty")), findings);
  CHECK_FALSE(importer::build_system(model, {}, findings));
  const auto found = test::with_id(findings, "AM0589");
  REQUIRE(found.size() == 1);
  CHECK(found.front().location.line > 0);
  CHECK(found.front().message.find("did you mean \"priority\"?") != std::string::npos);
}

}  // namespace gpu_properties_test
