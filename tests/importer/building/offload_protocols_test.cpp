// SPDX-License-Identifier: Apache-2.0
// Offloads without an effective wait have a finding at its place, which makes the limits that depend on it unknown.
// Sound protocols have none.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/finding_consequences.hpp"
#include "importer/building/system_builder.hpp"
#include "tests/support/test_models.hpp"

namespace offload_protocols_test {

using namespace amalthea;
using test::replaced;

namespace {

const std::string trigger =
    R"(        <items xsi:type="am:InterProcessTrigger" stimulus="Vision_request?type=InterProcessStimulus"/>
)";
const std::string wait = R"(        <items xsi:type="am:WaitEvent" waitingBehaviour="passive">
          <eventMask events="Vision_done?type=OsEvent"/>
        </items>
)";
const std::string clear = R"(        <items xsi:type="am:ClearEvent">
          <eventMask events="Vision_done?type=OsEvent"/>
        </items>
)";
const std::string set = R"(        <items xsi:type="am:SetEvent" process="Control?type=Task">
          <eventMask events="Vision_done?type=OsEvent"/>
        </items>
)";
const std::string work = R"(        <items xsi:type="am:RunnableCall" runnable="Vision_Function?type=Runnable"/>
)";
const std::string post = R"(        <items xsi:type="am:RunnableCall" runnable="Control_Postprocessing?type=Runnable"/>
)";
const std::string monitor = R"(        <items xsi:type="am:RunnableCall" runnable="Monitor_Function?type=Runnable"/>
)";
const std::string result_read =
    R"(        <items xsi:type="am:LabelAccess" data="Result_host?type=Label" access="read"/>
)";
const std::string end = R"(        <items xsi:type="am:TerminateProcess"/>
)";
const std::string vision_stimuli = R"(stimuli="Vision_request?type=InterProcessStimulus")";

std::string event_named(std::string text, const std::string& name) {
  for (std::size_t at = 0; (at = text.find("Vision_done", at)) != text.npos; at += name.size())
    text.replace(at, std::string("Vision_done").size(), name);
  return text;
}
std::string perhaps(const std::string& items) {
  return "<items xsi:type=\"am:ProbabilitySwitch\"><entries probability=\"0.5\">" + items +
         "</entries><entries probability=\"0.5\"/></items>";
}

using Edits = std::initializer_list<std::pair<std::string, std::string>>;

/// offload-minimal with a second event that nothing uses yet; without a read of the result unless `reads`.
std::string model(const Edits& edits, bool reads = true) {
  std::string text = test::read_text(test::sample("offload-minimal.amxmi"));
  if (!reads) text = replaced(text, result_read, "");
  text = replaced(text, "  </swModel>", "<events name=\"Other\"/>\n  </swModel>");
  for (const auto& [from, to] : edits) text = replaced(text, from, to);
  return text;
}

/// The ids of the warnings about offloads, each once.
std::string reported(const std::string& text) {
  Diagnostics findings;
  const Model read = test::model_from_text(text, findings);
  const auto system = importer::build_system(read, {}, findings);
  CHECK(system);
  std::string ids;
  for (const Diagnostic& finding : findings.all()) {
    UNSCOPED_INFO(format(finding));
    if (finding.id < "AM0486" || finding.id > "AM0492") continue;
    CHECK(finding.location.line > 0);
    CHECK(finding.elements.size() == 1);  // it concerns a task, not the whole model
    CHECK(engine::consequence_of(finding) == engine::Consequence::unknown);
    if (ids.find(finding.id) == ids.npos) ids += (ids.empty() ? "" : " ") + finding.id;
  }
  return ids;
}

struct Protocol {
  std::string_view name;
  std::string model;
  std::string_view expected;
};

void check(const std::vector<Protocol>& protocols) {
  for (const Protocol& protocol : protocols) {
    INFO(protocol.name);
    CHECK(reported(protocol.model) == protocol.expected);
  }
}

}  // namespace

TEST_CASE("an awaited event that its task does not clear is reported") {
  check({{"never", model({{clear, ""}}), "AM0486"},
         {"by another task, which has an event of its own", model({{clear, ""}, {monitor, monitor + clear}}), "AM0486"},
         {"by the device task", model({{clear, ""}, {work, clear + work}}), "AM0486"},
         {"in an alternative", model({{clear, perhaps(clear)}}), "AM0486"},
         {"in an alternative of an alternative", model({{clear, perhaps(perhaps(clear) + post)}}), "AM0486"},
         {"behind an alternative that ends the job", model({{clear, perhaps(end) + clear}}), "AM0486"},
         {"behind an alternative that ends nothing", model({{clear, perhaps(perhaps(monitor)) + clear}}), ""},
         {"between two waits", model({{clear + post, trigger + wait + clear + post}}), "AM0486"},
         {"for a task on a CPU",
          model({{monitor, monitor + event_named(set, "Other")}, {post, event_named(wait, "Other") + post}}), "AM0486"},
         {"before the trigger", model({{trigger + wait + clear, clear + trigger + wait}}), ""},
         {"for a task on a CPU, cleared",
          model({{monitor, monitor + event_named(set, "Other")}, {post, event_named(wait + clear, "Other") + post}}),
          ""}});
}

TEST_CASE("a result that is read without a wait for the work is reported") {
  check({{"no wait", model({{wait + clear, ""}}), "AM0487"},
         {"neither wait nor event", model({{wait + clear, ""}, {set, ""}}), "AM0487"},
         {"a wait in an alternative", model({{wait + clear, perhaps(wait + clear)}}), "AM0487"},
         {"a wait behind the read", model({{wait + clear + post, post + wait + clear}}), "AM0487"},
         {"a wait for an event of another task",
          model({{monitor, monitor + event_named(set, "Other")}, {wait + clear, event_named(wait + clear, "Other")}}),
          "AM0487"},
         {"the previous result, before the trigger",
          model({{trigger + wait + clear + post, post + trigger}, {set, ""}}), ""},
         {"a copy that has ended, while the device works on",
          model({{work + set, work + event_named(set, "Other") + monitor + set},
                 {wait + clear + post, event_named(wait + clear, "Other") + post + wait + clear}}),
          ""}});
}

TEST_CASE("work whose event nobody awaits is reported, and work without an event is not") {
  check({{"no wait", model({{wait + clear, ""}}, false), "AM0487"},
         {"cleared without a wait", model({{wait, ""}}, false), "AM0487"},
         {"a wait in an alternative", model({{wait, perhaps(wait)}}, false), "AM0487"},
         {"triggered twice before the wait", model({{trigger, trigger + trigger}}, false), "AM0487"},
         {"no event", model({{wait + clear, ""}, {set, ""}}, false), ""},
         {"an event for another task",
          model({{wait + clear, ""}, {R"(SetEvent" process="Control?)", R"(SetEvent" process="Monitor?)"}}, false), ""},
         {"all of it in one alternative", model({{trigger + wait + clear, perhaps(trigger + wait + clear)}}, false),
          ""}});
}

TEST_CASE("an event that is set before the work has ended is reported where it is set") {
  check({{"before the work", model({{work + set, set + work}}), "AM0488"},
         {"before the work, no result", model({{work + set, set + work}}, false), "AM0488"},
         {"before and after", model({{work + set, set + work + set}}), "AM0488"},
         {"between two kernels", model({{work + set, work + set + work}}, false), "AM0488"},
         {"by another task, too", model({{monitor, monitor + set}}), "AM0488"},
         {"by another task, too, no result", model({{monitor, monitor + set}}, false), "AM0488"},
         {"by another activation",
          model({{vision_stimuli,
                  R"(stimuli="Vision_request?type=InterProcessStimulus every_10ms?type=PeriodicStimulus")"}}),
          "AM0488"},
         {"by a trigger of another task", model({{monitor, monitor + trigger}}, false), "AM0488"},
         {"for one that only waits for the signal of a periodic device task",
          model({{trigger, ""}, {vision_stimuli, R"(stimuli="every_10ms?type=PeriodicStimulus")"}}), ""}});
}

TEST_CASE("a wait that may never end is reported") {
  check({{"the trigger in an alternative", model({{trigger, perhaps(trigger)}}, false), "AM0489"},
         {"the wait before the trigger", model({{trigger + wait + clear, wait + clear + trigger}}, false), "AM0489"},
         {"cleared between trigger and wait", model({{trigger + wait + clear, trigger + clear + wait}}), "AM0489"},
         {"not every trigger counts",
          model({{R"(name="Vision_request"/>)",
                  R"(name="Vision_request"><counter prescaler="2" offset="0"/></stimuli>)"}}),
          "AM0489"}});
}

TEST_CASE("a job may wait for the work of the previous one if a first event is set once") {
  const std::string once =
      R"(<stimuli xsi:type="am:SingleStimulus" name="once"><occurrence value="0" unit="ms"/></stimuli>
    <stimuli xsi:type="am:InterProcessStimulus")";
  const auto pipelined = [&](const std::string& stimulus) {
    return model({{trigger + wait + clear + post, wait + clear + post + trigger},
                  {"    <tasks xmi:id=\"Monitor", "<tasks name=\"Init\" preemption=\"preemptive\" " + stimulus +
                                                      "><activityGraph>" + monitor + set +
                                                      "</activityGraph></tasks>\n    <tasks xmi:id=\"Monitor"},
                  {R"(<stimuli xsi:type="am:InterProcessStimulus")", once},
                  {"<taskAllocation task=\"Monitor",
                   "<taskAllocation task=\"Init?type=Task\" scheduler=\"Cpu_Scheduler?type=TaskScheduler\"/>\n    "
                   "<taskAllocation task=\"Monitor"}});
  };
  check({{"once", pipelined(R"(stimuli="once?type=SingleStimulus")"), ""},
         {"again and again", pipelined(R"(stimuli="every_2ms?type=PeriodicStimulus")"), "AM0488"}});
}

TEST_CASE("a trigger that activates nothing is reported") {
  check({{"", model({{vision_stimuli, R"(stimuli="every_10ms?type=PeriodicStimulus")"}}, false), "AM0492"}});
}

TEST_CASE("the findings about offloads name the place and the remedy") {
  Diagnostics findings;
  const std::string text = model({{work + set, set + work}});
  const Model read = test::model_from_text(text, findings);
  REQUIRE(importer::build_system(read, {}, findings));
  const auto early = test::with_id(findings, "AM0488");
  REQUIRE(early.size() == 1);
  CHECK(text.find(set) != text.npos);
  CHECK(early.front().path.find("tasks/Vision") != std::string::npos);
  CHECK(
      early.front().message ==
      "task \"Control\" may go on before \"Vision\" has ended the work that it waits for: this sets Vision_done "
      "earlier; set it behind the last copy or kernel, or let \"Control\" wait for another event that \"Vision\" sets "
      "there");
}

TEST_CASE("a copy with one side only is reported unless gpu.copy says that it is one") {
  const std::string image = R"(        <items xsi:type="am:LabelAccess" data="Image_device?type=Label" access="write"/>
)",
                    host_image =
                        R"(        <items xsi:type="am:LabelAccess" data="Image_host?type=Label" access="read"/>
)",
                    result = R"(        <items xsi:type="am:LabelAccess" data="Result_device?type=Label" access="read"/>
)",
                    host_result =
                        R"(        <items xsi:type="am:LabelAccess" data="Result_host?type=Label" access="write"/>
)";
  check({{"nothing written", model({{image, ""}}), "AM0490"},
         {"nothing read", model({{host_image, ""}}), "AM0490"},
         {"nothing read back", model({{result, ""}}), "AM0490"},
         {"nothing written back", model({{host_result, ""}}), "AM0490"}});
  const auto separate = [&](const std::string& items, const std::string& property) {
    return model(
        {{work, R"(<items xsi:type="am:RunnableCall" runnable="Copy_Function?type=Runnable"/>)" + work},
         {R"(<labels xmi:id="Image_host)", "<runnables name=\"Copy_Function\">" + property + "<activityGraph>" + items +
                                               "</activityGraph></runnables><labels xmi:id=\"Image_host"}});
  };
  check({{"both directions at once", separate(host_image + image + result + host_result, ""), ""},
         {"both directions, without the label that is read", separate(host_image + image + host_result, ""), "AM0490"},
         {"both directions, without the label that is written", separate(host_image + result + host_result, ""),
          "AM0490"},
         {"one side", separate(host_image, ""), "AM0490"},
         {"one side, as stated",
          separate(
              host_image,
              R"(<customProperties key="gpu.copy"><value xsi:type="am:StringObject" value="h2d"/></customProperties>)"),
          ""}});
}

TEST_CASE("accesses of a copy that take place several times are not simulated") {
  Diagnostics findings;
  const Model read = test::model_from_text(
      model(
          {{R"(<items xsi:type="am:LabelAccess" data="Image_device?type=Label" access="write"/>)",
            R"(<items xsi:type="am:LabelAccess" data="Image_device?type=Label" access="write"><statistic><value xsi:type="am:SingleValueStatistic" value="100.0"/></statistic></items>)"}}),
      findings);
  REQUIRE(importer::build_system(read, {}, findings));
  CHECK(test::with_id(findings, "AM0401").size() == 1);
}

}  // namespace offload_protocols_test
