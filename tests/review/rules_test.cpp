// SPDX-License-Identifier: Apache-2.0
// Every review rule in both directions: it reports the mistake, and nothing after its correction.

#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "engine/finding_consequences.hpp"
#include "importer/reading/model_reader.hpp"
#include "review/detail/rules.hpp"
#include "review/review.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/test_models.hpp"

namespace rules_test {

using namespace amalthea;

namespace {

Diagnostics review_of(const std::string& text) {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(text, diagnostics);
  review::review_model(model, diagnostics);
  return diagnostics;
}

/// The number of findings of the rule in the smallest offloading system with one text replaced.
std::size_t count(const std::string& text, std::string_view id) {
  const Diagnostics diagnostics = review_of(text);
  for (const Diagnostic& finding : diagnostics.all()) UNSCOPED_INFO(format(finding));
  return test::with_id(diagnostics, id).size();
}

std::string good() { return test::read_text(test::sample("offload-minimal.amxmi")); }

std::string with(std::string_view from, std::string_view to) { return test::replaced(good(), from, to); }

/// One more element before the end of a part of the model.
std::string with_more(const std::string& part, const std::string& element) {
  return with("</" + part + ">", element + "</" + part + ">");
}

const std::string control_priority = "<value xsi:type=\"am:IntegerObject\" value=\"1\"/>";

}  // namespace

TEST_CASE("a valid model has no findings") {
  const Diagnostics diagnostics = review_of(good());
  for (const Diagnostic& finding : diagnostics.all()) UNSCOPED_INFO(format(finding));
  CHECK(diagnostics.all().empty());
}

TEST_CASE("rules are registered by id and have a title") {
  std::string_view before;
  for (const review::Rule& rule : review::rules()) {
    INFO(rule.id);
    CHECK(before < rule.id);
    before = rule.id;
    CHECK_FALSE(rule.title.empty());
  }
}

TEST_CASE("overload of a core and of a GPU is reported (AM0601)") {
  const std::string monitor = "lowerBound=\"200000\" upperBound=\"300000\"";
  CHECK(count(with(monitor, "lowerBound=\"200000\" upperBound=\"1900000\""), "AM0601") == 1);
  CHECK(count(with(monitor, "lowerBound=\"200000\" upperBound=\"1000000\""), "AM0601") == 0);
  const std::string vision = "lowerBound=\"2000000\" upperBound=\"3000000\"";
  CHECK(count(with(vision, "lowerBound=\"2000000\" upperBound=\"10500000\""), "AM0601") == 1);
}

TEST_CASE("a deadline that is impossible even alone is reported including GPU work (AM0602)") {
  CHECK(count(with("<limitValue value=\"2\" unit=\"ms\"/>", "<limitValue value=\"299\" unit=\"us\"/>"), "AM0602") == 1);
  CHECK(count(with("<limitValue value=\"2\" unit=\"ms\"/>", "<limitValue value=\"300\" unit=\"us\"/>"), "AM0602") == 0);
  // 0.6 ms + 3 ms on the GPU + 0.5 ms.
  CHECK(count(with("<limitValue value=\"10\" unit=\"ms\"/>", "<limitValue value=\"4\" unit=\"ms\"/>"), "AM0602") == 1);
  CHECK(count(with("<limitValue value=\"10\" unit=\"ms\"/>", "<limitValue value=\"5\" unit=\"ms\"/>"), "AM0602") == 0);
}

TEST_CASE("swapped deadlines are reported once (AM0603) and merely long ones as a note (AM0604)") {
  std::string text = with("<limitValue value=\"10\" unit=\"ms\"/>", "<limitValue value=\"2\" unit=\"ms\"/>");
  const auto last = text.rfind("<limitValue value=\"2\" unit=\"ms\"/>");
  text.replace(last, 34, "<limitValue value=\"10\" unit=\"ms\"/>");
  CHECK(count(text, "AM0603") == 1);
  CHECK(count(text, "AM0604") == 0);
  const std::string beyond = with("<limitValue value=\"2\" unit=\"ms\"/>", "<limitValue value=\"3\" unit=\"ms\"/>");
  CHECK(count(beyond, "AM0604") == 1);
  CHECK(count(beyond, "AM0603") == 0);
}

TEST_CASE("a scheduler executed by another scheduler's unit is reported (AM0610)") {
  CHECK(count(with("executingPU=\"Core?type=ProcessingUnit\"", "executingPU=\"GPU?type=ProcessingUnit\""), "AM0610") ==
        1);
}

TEST_CASE("two schedulers for one unit are reported (AM0611)") {
  CHECK(count(with("responsibility=\"GPU?type=ProcessingUnit\"",
                   "responsibility=\"GPU?type=ProcessingUnit Core?type=ProcessingUnit\""),
              "AM0611") == 1);
  CHECK(engine::consequence_of({"AM0611", Severity::warning, "", {}, "", 1}) == engine::Consequence::assumption);
}

TEST_CASE("equal priorities on a core are reported if priorities are stated (AM0612)") {
  const std::string equal =
      with("value=\"2\"/>\n      </schedulingParameters>", "value=\"1\"/>\n      </schedulingParameters>");
  CHECK(count(equal, "AM0612") == 1);
  // Those that the definition of the scheduler gives all of them are stated, too.
  std::string text = good();
  const std::string definition = "name=\"priority\" type=\"Integer\" many=\"false\" mandatory=\"true\"";
  for (std::size_t at = text.find("<schedulingParameters "); at != std::string::npos;
       at = text.find("<schedulingParameters "))
    text.erase(at, text.find("</schedulingParameters>") + 23 - at);
  CHECK(count(text, "AM0612") == 0);
  CHECK(count(test::replaced(text, definition + "/>",
                             definition + "><defaultValue xsi:type=\"am:IntegerObject\" value=\"9\"/>"
                                          "</schedulingParameterDefinitions>"),
              "AM0612") == 1);
}

TEST_CASE("labels without memory are reported if others have one (AM0613)") {
  CHECK(count(with("<memoryMapping abstractElement=\"Image_host?type=Label\" memory=\"DRAM?type=Memory\" "
                   "memoryPositionAddress=\"0x0\"/>",
                   ""),
              "AM0613") == 1);
}

TEST_CASE("a scheduler without units and tasks is reported (AM0614)") {
  CHECK(count(with("</operatingSystems>",
                   "<taskSchedulers name=\"Spare\" "
                   "definition=\"FixedPriorityPreemptive?type=SchedulerDefinition\"/></operatingSystems>"),
              "AM0614") == 1);
}

TEST_CASE("a used unit without a clock is reported once (AM0615 or AM0304 with tasks)") {
  const std::string text =
      with(" frequencyDomain=\"Cpu_Clock?type=FrequencyDomain\" definition=\"Cpu", " definition=\"Cpu");
  CHECK(count(text, "AM0304") + count(text, "AM0615") == 1);
}

TEST_CASE("a duplicate mapping is reported (AM0616)") {
  const std::string mapping =
      "<memoryMapping abstractElement=\"Image_host?type=Label\" memory=\"DRAM?type=Memory\" "
      "memoryPositionAddress=\"0x0\"/>";
  CHECK(count(with_more("mappingModel", mapping), "AM0616") == 1);
}

TEST_CASE("an ISR without a mapping or with a controller without cores is reported once (AM0436 instead of AM0617)") {
  const std::string isrs = "<isrs name=\"A\"/><isrs name=\"B\"/>";
  const std::string controller = "<interruptControllers name=\"IC\"/></operatingSystems>";
  std::string text = test::replaced(with_more("swModel", isrs), "</operatingSystems>", controller);
  text =
      test::replaced(text, "</mappingModel>",
                     "<isrAllocation isr=\"A?type=ISR\" controller=\"IC?type=InterruptController\"/></mappingModel>");
  CHECK(count(text, "AM0436") == 2);
  CHECK(count(text, "AM0617") == 0);
  CHECK(count(test::replaced(text, "<isrs name=\"B\"/>", ""), "AM0436") == 1);
}

TEST_CASE("labels that are never accessed or read or written are reported (AM0620 to AM0622)") {
  CHECK(count(with_more("swModel", "<labels name=\"Spare\"><size value=\"1\" unit=\"B\"/></labels>"), "AM0620") == 1);
  // The monitor accesses one more label.
  const auto accessed = [](const std::string& how, const std::string& constant) {
    const std::string text = with_more(
        "swModel", "<labels name=\"More\" constant=\"" + constant + "\"><size value=\"1\" unit=\"B\"/></labels>");
    const std::string place = "name=\"Monitor_Function\" callback=\"false\" service=\"false\">\n      <activityGraph>";
    return test::replaced(text, place, place + how);
  };
  const std::string read = "<items xsi:type=\"am:LabelAccess\" data=\"More?type=Label\" access=\"read\"/>";
  const std::string write = test::replaced(read, "\"read\"", "\"write\"");
  CHECK(count(accessed(read, "false"), "AM0622") == 1);
  CHECK(count(accessed(read, "true"), "AM0622") == 0);
  CHECK(count(accessed(write, "false"), "AM0621") == 1);
  for (const char* id : {"AM0620", "AM0621", "AM0622"}) CHECK(count(accessed(read + write, "false"), id) == 0);
}

TEST_CASE("an offloading input that is overwritten before the result arrives is reported (AM0623)") {
  const std::string read = "<items xsi:type=\"am:LabelAccess\" data=\"Result_host?type=Label\" access=\"read\"/>";
  const std::string write = "<items xsi:type=\"am:LabelAccess\" data=\"Image_host?type=Label\" access=\"write\"/>";
  CHECK(count(with(read, read + write), "AM0623") == 1);
  // Without the first write it is a feedback: the result of one job is the input of the next.
  std::string feedback = with(write, "");
  feedback = test::replaced(feedback, read, read + write);
  CHECK(count(feedback, "AM0623") == 0);
}

TEST_CASE("stimuli that activate nothing or are never triggered are reported (AM0630 and AM0631)") {
  CHECK(count(with_more("stimuliModel", "<stimuli xsi:type=\"am:SingleStimulus\" name=\"Spare\"/>"), "AM0630") == 1);
  const std::string trigger =
      "<items xsi:type=\"am:InterProcessTrigger\" stimulus=\"Vision_request?type=InterProcessStimulus\"/>";
  CHECK(count(with(trigger, ""), "AM0631") == 1);
}

TEST_CASE("uncalled runnables and call cycles are reported (AM0632 and AM0635)") {
  CHECK(count(with_more("swModel", "<runnables name=\"Spare\"/>"), "AM0632") == 1);
  CHECK(count(with_more("swModel", "<runnables name=\"Spare\" callback=\"true\"/>"), "AM0632") == 0);
  const auto runnable = [](const std::string& name, const std::string& callee) {
    return "<runnables name=\"" + name + "\"><activityGraph><items xsi:type=\"am:RunnableCall\" runnable=\"" + callee +
           "?type=Runnable\"/></activityGraph></runnables>";
  };
  CHECK(count(with_more("swModel", runnable("A", "B") + runnable("B", "A")), "AM0635") == 1);
  CHECK(count(with_more("swModel", runnable("A", "B") + runnable("B", "Monitor_Function")), "AM0635") == 0);
}

TEST_CASE("unawaited or unused events are reported (AM0633 and AM0634)") {
  CHECK(count(with_more("swModel", "<events name=\"Spare\"/>"), "AM0634") == 1);
  const std::string wait =
      "<items xsi:type=\"am:WaitEvent\" waitingBehaviour=\"passive\">\n          <eventMask "
      "events=\"Vision_done?type=OsEvent\"/>\n        </items>";
  CHECK(count(with(wait, ""), "AM0633") == 1);
}

TEST_CASE("unconnected or pointless event chains are reported (AM0640 to AM0642)") {
  const std::string events =
      "<eventModel><events xsi:type=\"am:ProcessEvent\" name=\"go\" entity=\"Control?type=Task\" "
      "eventType=\"activate\"/>"
      "<events xsi:type=\"am:ProcessEvent\" name=\"see\" entity=\"Vision?type=Task\" eventType=\"start\"/>"
      "<events xsi:type=\"am:ProcessEvent\" name=\"watch\" entity=\"Monitor?type=Task\" "
      "eventType=\"start\"/></eventModel>";
  const std::string part = "<eventChain stimulus=\"go?type=ProcessEvent\" response=\"see?type=ProcessEvent\"/>";
  const std::string chain =
      "<eventChains name=\"C\" stimulus=\"go?type=ProcessEvent\" response=\"see?type=ProcessEvent\" "
      "itemType=\"sequence\">"
      "<items xsi:type=\"am:EventChainContainer\">" +
      part + "</items></eventChains>";
  const std::string text =
      test::replaced(with_more("constraintsModel", chain), "<constraintsModel>", events + "<constraintsModel>");
  for (const char* id : {"AM0640", "AM0641", "AM0642"}) CHECK(count(text, id) == 0);
  const std::string other_part = "<eventChain stimulus=\"go?type=ProcessEvent\" response=\"watch?type=ProcessEvent\"/>";
  CHECK(count(test::replaced(text, part, other_part), "AM0640") == 1);
  CHECK(count(test::replaced(text, part, other_part), "AM0642") == 0);  // the same cause
  // Nothing leads from Control to Monitor.
  const std::string end = "response=\"see?type=ProcessEvent\"";
  CHECK(count(test::replaced(test::replaced(text, part, other_part), end, test::replaced(end, "see", "watch")),
              "AM0642") == 1);
  // If the chain is limited, one finding says why its latency is open.
  const std::string limited = test::replaced(
      test::replaced(text, end, test::replaced(end, "see", "watch")), "</eventChains>",
      "</eventChains><timingConstraints xsi:type=\"am:EventChainLatencyConstraint\" name=\"L\" type=\"Reaction\" "
      "scope=\"C?type=EventChain\"><maximum value=\"9\" unit=\"ms\"/></timingConstraints>");
  for (const std::string& one : {limited, test::replaced(limited, part, other_part)}) {
    CHECK(count(one, "AM0665") == 1);
    CHECK(count(one, "AM0640") == 0);
    CHECK(count(one, "AM0642") == 0);
  }
  CHECK(count(test::replaced(text, part,
                             "<eventChain stimulus=\"go?type=ProcessEvent\" response=\"go?type=ProcessEvent\"/>"),
              "AM0641") == 1);
}

TEST_CASE("values without unit and negative times and empty periods are reported (AM0650 to AM0652)") {
  const auto clock = [](const std::string& content) {
    return test::model_text("<stimuliModel><stimuli xsi:type=\"am:RelativePeriodicStimulus\" name=\"S\">" + content +
                            "</stimuli></stimuliModel>");
  };
  const auto next = [](const std::string& lower) {
    return "<nextOccurrence xsi:type=\"am:TimeConstant\">" + lower + "</nextOccurrence>";
  };
  CHECK(count(clock(next("<value value=\"5\"/>")), "AM0650") == 1);
  CHECK(count(clock(next("<value value=\"0\"/>")), "AM0650") == 0);
  CHECK(count(clock(next("<value value=\"5\" unit=\"ms\"/>")), "AM0650") == 0);
  const auto periodic = [](const std::string& period, const std::string& distance) {
    return test::model_text("<stimuliModel><stimuli xsi:type=\"am:PeriodicStimulus\" name=\"S\"><recurrence value=\"" +
                                period + "\" unit=\"ms\"/><minDistance value=\"" + distance +
                                "\" unit=\"ms\"/></stimuli></stimuliModel>",
                            "0.8.3");
  };
  CHECK(count(periodic("5", "-1"), "AM0651") == 1);
  CHECK(count(periodic("5", "1"), "AM0651") == 0);
  CHECK(count(periodic("5", "1"), "AM0652") == 0);
  const std::string zero = periodic("0", "1");  // if the model can be built, building reports it
  CHECK(count(zero, "AM0652") + count(zero, "AM0311") == 1);
}

TEST_CASE("probabilities that do not add up are reported and percentages are accepted (AM0653)") {
  const auto choice = [](const std::string& a, const std::string& b) {
    return test::model_text(
        "<swModel><runnables name=\"R\"><activityGraph><items xsi:type=\"am:ProbabilitySwitch\"><entries "
        "probability=\"" +
        a + "\"/><entries probability=\"" + b + "\"/></items></activityGraph></runnables></swModel>");
  };
  CHECK(count(choice("0.3", "0.7"), "AM0653") == 0);
  CHECK(count(choice("30", "70"), "AM0653") == 0);
  CHECK(count(choice("0.3", "0.6"), "AM0653") == 1);
}

TEST_CASE("elements without a name are reported by class (AM0660)") {
  CHECK(count(test::model_text(
                  "<swModel><labels/><labels/><events name=\"E\"/><modes xsi:type=\"am:NumericMode\"/></swModel>"),
              "AM0660") == 2);
}

TEST_CASE("excess findings of a rule are counted and not listed (AM0699)") {
  std::string labels;
  for (int i = 0; i < 1200; ++i) labels += "<labels name=\"Spare" + std::to_string(i) + "\"/>";
  const Diagnostics diagnostics = review_of(with_more("swModel", labels));
  CHECK(test::with_id(diagnostics, "AM0620").size() == 1000);
  REQUIRE(test::with_id(diagnostics, "AM0699").size() == 1);
  CHECK(test::with_id(diagnostics, "AM0699").front().message.starts_with("200 more findings of AM0620"));
}

TEST_CASE("an invalid value is reported once and not again while building the system") {
  const std::string text = with("lowerBound=\"200000\"", "lowerBound=\"2x\"");
  const Diagnostics diagnostics = review_of(text);
  CHECK(test::with_id(diagnostics, "AM0220").size() == 1);
  CHECK(test::with_id(diagnostics, "AM0210").empty());
}

TEST_CASE("a review includes the requirements of an analysis") {
  const std::string elsewhere = with("affinity=\"Core?type=ProcessingUnit\"", "affinity=\"GPU?type=ProcessingUnit\"");
  CHECK(count(elsewhere, "AM0525") == 1);
  CHECK(count(with(" stimuli=\"every_2ms?type=PeriodicStimulus\"", ""), "AM0407") == 1);
  CHECK(count(with_more("swModel", "<tasks name=\"Lost\"/>"), "AM0302") == 1);
}

}  // namespace rules_test
