// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/metamodel.hpp"
#include "amalthea/views/activity.hpp"
#include "amalthea/views/constraints.hpp"
#include "amalthea/views/events.hpp"
#include "amalthea/views/requirements.hpp"
#include "amalthea/views/software.hpp"
#include "amalthea/views/stimuli.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/test_models.hpp"
#include "tests/support/view_text.hpp"

namespace views_software_view_test {

using namespace amalthea;

namespace {

/// What items_text says of a runnable whose items stand as the version writes them.
std::string items(std::string_view version, std::string_view written, std::string_view beside = "") {
  const auto known = parse_version(version);
  REQUIRE(known.has_value());
  const auto [open, close] = *known >= Version::v0_9_6   ? std::pair("<activityGraph>", "</activityGraph>")
                             : *known == Version::v0_9_5 ? std::pair("<callGraph>", "</callGraph>")
                                                         : std::pair("", "");
  std::string text(written);
  if (*known < Version::v0_9_5)  // at the first level; what nests is written as it is
    for (const auto& [from, to] :
         {std::pair<std::string_view, std::string_view>{"<item ", "<runnableItems "}, {"</item>", "</runnableItems>"}})
      for (auto at = text.find(from); at != std::string::npos; at = text.find(from)) text.replace(at, from.size(), to);
  else
    for (const auto& [from, to] :
         {std::pair<std::string_view, std::string_view>{"<item ", "<items "}, {"</item>", "</items>"}})
      for (auto at = text.find(from); at != std::string::npos; at = text.find(from)) text.replace(at, from.size(), to);
  const Model model =
      test::model_of(version, fmt::format("<swModel><runnables name=\"R\">{}{}{}</runnables><runnables name=\"Q\"/>"
                                          "<labels name=\"L\"/>{}</swModel>",
                                          open, text, close, beside));
  Diagnostics diagnostics;
  const std::string found = test::items_text(model, model.find("R?type=Runnable"), diagnostics);
  for (const auto& finding : diagnostics.all()) UNSCOPED_INFO(format(finding));
  CHECK(diagnostics.all().empty());
  return found;
}

/// Concrete classes of any version that are a `base` in that version.
std::set<std::string> concrete(std::string_view base) {
  std::set<std::string> names;
  const auto id = metamodel::find_class(base);
  REQUIRE(id.has_value());
  for (const ClassInfo& info : metamodel::classes())
    for (const Version version : all_versions())
      if (metamodel::is_a(info.id, *id, version) && !metamodel::is_abstract(info.id, version))
        names.insert(std::string(info.name));
  return names;
}

std::string software(std::string_view version, std::string_view content) {
  const Model model = test::model_of(version, fmt::format("<swModel>{}</swModel>", content));
  Diagnostics diagnostics;
  const std::string text = test::software_text(model, diagnostics);
  CHECK(diagnostics.all().empty());
  return text;
}

}  // namespace

// ---------------------------------------------------------------- nothing is forgotten

TEST_CASE("every concrete activity class of every version is read") {
  for (const std::string_view base :
       {"ActivityGraphItem", "CallGraphItem", "RunnableItem", "GraphEntryBase", "CallSequenceItem"})
    for (const std::string& name : concrete(base)) {
      INFO(name);
      // Its item is read as something, in the oldest version and in the newest.
      for (const std::string_view version : {"0.7.0", "3.3.0"}) {
        const Model model = test::model_of(version, fmt::format("<swModel><runnables name=\"R\"><runnableItems "
                                                                "xsi:type=\"am:{}\"/></runnables></swModel>",
                                                                name));
        Diagnostics diagnostics;
        const auto found = views::activity_items(model, model.find("R?type=Runnable"), diagnostics);
        REQUIRE(found.size() == 1);
        CHECK_FALSE(std::holds_alternative<views::UnknownItem>(found.front().kind));
        CHECK(diagnostics.all().empty());
      }
    }
}

TEST_CASE("every concrete class of stimulus and event of every version is read") {
  const auto model_with = [](std::string_view part, std::string_view tag, const std::string& cls) {
    return test::model_of("1.1.0", fmt::format("<{}><{} xsi:type=\"am:{}\" name=\"x\"/></{}>", part, tag, cls, part));
  };
  Diagnostics diagnostics;
  for (const std::string& name : concrete("Stimulus")) {
    INFO(name);
    const auto found = views::stimuli(model_with("stimuliModel", "stimuli", name), diagnostics);
    REQUIRE(found.size() == 1);
    CHECK_FALSE(std::holds_alternative<views::UnknownStimulus>(found.front().kind));
  }
  for (const std::string& name : concrete("Event")) {
    INFO(name);
    const auto found = test::events_of(model_with("eventModel", "events", name));
    REQUIRE(found.size() == 1);
    CHECK(found.front().kind != views::EventKind::unknown);
  }
  CHECK(diagnostics.all().empty());
}

TEST_CASE("every concrete class of constraint and requirement and limit of every version is read") {
  const auto model_with = [](std::string_view tag, const std::string& cls) {
    return test::model_of(
        "1.1.0", fmt::format("<constraintsModel><{0} xsi:type=\"am:{1}\" name=\"x\"/></constraintsModel>", tag, cls));
  };
  Diagnostics diagnostics;
  for (const std::string& name : concrete("TimingConstraint")) {
    INFO(name);
    const auto found = views::timing_constraints(model_with("timingConstraints", name), diagnostics);
    REQUIRE(found.size() == 1);
    CHECK_FALSE(std::holds_alternative<views::UnknownConstraint>(found.front().kind));
  }
  for (const std::string& name : concrete("AffinityConstraint")) {
    INFO(name);
    const auto found = views::affinity_constraints(model_with("affinityConstraints", name));
    REQUIRE(found.size() == 1);
    CHECK(found.front().kind != views::AffinityKind::unknown);
    CHECK(found.front().subject != views::AffinitySubject::unknown);
  }
  for (const std::string& name : concrete("Requirement")) {
    INFO(name);
    const auto found = views::requirements(model_with("requirements", name), diagnostics);
    REQUIRE(found.size() == 1);
    CHECK(found.front().kind != Requirement::Kind::unknown);
  }
  for (const std::string& name : concrete("RequirementLimit")) {
    INFO(name);
    const Model model =
        test::model_of("1.1.0", fmt::format("<constraintsModel><requirements xsi:type=\"am:ProcessRequirement\" "
                                            "name=\"x\"><limit xsi:type=\"am:{}\"/></requirements>"
                                            "</constraintsModel>",
                                            name));
    const auto found = views::requirements(model, diagnostics);
    REQUIRE(found.size() == 1);
    CHECK_FALSE(std::holds_alternative<views::NoLimit>(found.front().limit));
  }
  CHECK(diagnostics.all().empty());
}

TEST_CASE("every literal that affects the result is known") {
  const auto literals = [](std::string_view name) {
    std::set<std::string> texts;
    for (const EnumLiteral& literal : metamodel::find_enum(name)->literals)
      if (literal.text != "_undefined_") texts.insert(std::string(literal.text));
    return texts;
  };
  for (const std::string_view name : {"ProcessEventType", "RunnableEventType", "LabelEventType", "ModeLabelEventType",
                                      "ChannelEventType", "SemaphoreEventType", "ComponentEventType"})
    for (const std::string& text : literals(name)) {
      const Model model = test::model_of(
          "0.9.9",
          fmt::format("<eventModel><events xsi:type=\"am:ProcessEvent\" name=\"e\" eventType=\"{}\"/></eventModel>",
                      text));
      CHECK(to_string(test::events_of(model).front().type) == text);
    }
  Diagnostics diagnostics;
  for (const std::string& text : literals("TimeMetric")) {
    INFO(text);
    const Model model = test::model_of(
        "0.9.9", fmt::format("<constraintsModel><requirements xsi:type=\"am:ProcessRequirement\" name=\"r\"><limit "
                             "xsi:type=\"am:TimeRequirementLimit\" metric=\"{}\"/></requirements></constraintsModel>",
                             text));
    const auto metric = std::get<views::TimeLimit>(views::requirements(model, diagnostics).front().limit).metric;
    REQUIRE(metric.has_value());
    CHECK(to_string(*metric) == text);
  }
  for (const std::string& text : literals("Preemption")) {
    INFO(text);
    const Model model =
        test::model_of("0.9.9", fmt::format("<swModel><tasks name=\"t\" preemption=\"{}\"/></swModel>", text));
    CHECK(views::processes(model, diagnostics).front().preemption != views::Preemption::unstated);
  }
  for (const std::string& text : literals("RelationalOperator")) {
    INFO(text);
    const Model model = test::model_of(
        "2.1.0",
        fmt::format("<swModel><runnables name=\"r\"><executionCondition><entries "
                    "xsi:type=\"am:ModeValueCondition\" relation=\"{}\"/></executionCondition></runnables></swModel>",
                    text));
    const Element runnable = model.all("swModel", "runnables").at(0);
    const auto condition = views::condition_of(model, runnable.child("executionCondition"), diagnostics);
    REQUIRE(condition.has_value());
    CHECK(std::get<views::ModeValueCondition>(condition->any_of.front().all_of.front().test).relation.has_value());
  }
}

// ---------------------------------------------------------------- activities

TEST_CASE("tasks have the same activities in all three forms") {
  const auto task = [](std::string_view version, std::string_view content) {
    const Model model = test::model_of(
        version,
        fmt::format("<swModel><tasks name=\"T\">{}</tasks><runnables name=\"R\"/><events name=\"E\"/></swModel>"
                    "<stimuliModel><stimuli xsi:type=\"am:InterProcessStimulus\" name=\"S\"/></stimuliModel>",
                    content));
    Diagnostics diagnostics;
    return test::items_text(model, model.find("T?type=Task"), diagnostics);
  };
  const std::string_view inside =
      "<{0} xsi:type=\"am:InterProcessTrigger\" stimulus=\"S?type=InterProcessStimulus\"><counter "
      "prescaler=\"2\"/></{0}>"
      "<{0} xsi:type=\"am:SetEvent\" process=\"T?type=Task\"><eventMask events=\"E?type=OsEvent\"/></{0}>"
      "<{0} xsi:type=\"am:WaitEvent\" maskType=\"AND\" waitingBehaviour=\"passive\"><eventMask "
      "events=\"E?type=OsEvent\"/></{0}>"
      "<{0} xsi:type=\"am:ClearEvent\"><eventMask events=\"E?type=OsEvent\"/></{0}>"
      "<{0} xsi:type=\"am:SchedulePoint\"/><{0} xsi:type=\"am:TerminateProcess\"/><{0} "
      "xsi:type=\"am:EnforcedMigration\"/>";
  const std::string expected =
      "group\n  call R\n  trigger S every 2 from 0\n  set [E] for T\n  wait [E] all passive\n  clear [E]\n"
      "  schedule point\n  terminate\n  migrate\n";
  CHECK(task("0.9.3",
             fmt::format("<callGraph><graphEntries xsi:type=\"am:CallSequence\" name=\"CallSequence\"><calls "
                         "xsi:type=\"am:TaskRunnableCall\" runnable=\"R?type=Runnable\"/>{}</graphEntries></callGraph>",
                         fmt::format(fmt::runtime(inside), "calls"))) == expected);
  for (const auto& [version, graph] : {std::pair<std::string_view, std::string_view>{"0.9.5", "callGraph"},
                                       {"0.9.7", "activityGraph"},
                                       {"3.3.0", "activityGraph"}})
    CHECK(task(version,
               fmt::format("<{0}><items xsi:type=\"am:Group\" ordered=\"true\"><items xsi:type=\"am:RunnableCall\" "
                           "runnable=\"R?type=Runnable\"/>{1}</items></{0}>",
                           graph, fmt::format(fmt::runtime(inside), "items"))) == expected);
}

TEST_CASE("runnables have the same activities in all three forms") {
  const std::string_view written =
      "<item xsi:type=\"am:LabelAccess\" data=\"L?type=Label\" access=\"write\"><statistic><value "
      "xsi:type=\"am:MinAvgMaxStatistic\" min=\"1\" avg=\"2.5\" max=\"4\"/></statistic><transmissionPolicy "
      "transmitRatio=\"0.5\"><chunkSize value=\"8\" unit=\"B\"/></transmissionPolicy></item>"
      "<item xsi:type=\"am:LabelAccess\" data=\"L?type=Label\" access=\"read\"><statistic><value "
      "xsi:type=\"am:SingleValueStatistic\" value=\"3.0\"/></statistic></item>"
      "<item xsi:type=\"am:RunnableCall\" runnable=\"Q?type=Runnable\"/>"
      "<item xsi:type=\"am:SemaphoreAccess\" access=\"request\" waitingBehaviour=\"active\"/>"
      "<item xsi:type=\"am:SenderReceiverRead\" label=\"L?type=Label\" buffered=\"true\"/>"
      "<item xsi:type=\"am:SenderReceiverWrite\" label=\"L?type=Label\" notifiedRunnables=\"Q?type=Runnable\"/>"
      "<item xsi:type=\"am:SynchronousServerCall\" serverRunnable=\"Q?type=Runnable\" waitingBehaviour=\"passive\"/>"
      "<item xsi:type=\"am:AsynchronousServerCall\" serverRunnable=\"Q?type=Runnable\" "
      "resultRunnable=\"Q?type=Runnable\"/>";
  const std::string expected =
      "write L x 1..2.5..4\n"
      "read L x 3\n"
      "call Q\n"
      "semaphore request - active\n"
      "receive from L\n"
      "send to L\n"
      "server call Q\n"
      "asynchronous server call Q result Q\n";
  for (const std::string_view version :
       {"0.8.1", "0.8.3", "0.9.0", "0.9.2", "0.9.4", "0.9.5", "0.9.7", "1.0.0", "2.0.0", "3.3.0"}) {
    INFO(version);
    CHECK(items(version, written) == expected);
  }
}

TEST_CASE("the execution of a runnable is ticks or needs by definition") {
  CHECK(items("0.7.1", "<item xsi:type=\"am:InstructionsConstant\" value=\"12\"/>") ==
        "need Instructions 12..12..12 constant\n");
  CHECK(items("0.8.1",
              "<item xsi:type=\"am:RunnableInstructions\"><default xsi:type=\"am:InstructionsConstant\" value=\"12\"/>"
              "<extended><value xsi:type=\"am:InstructionsConstant\" value=\"6\"/></extended></item>") ==
        "need Instructions 12..12..12 constant; -: Instructions 6..6..6 constant\n");
  CHECK(items("0.9.1",
              "<item xsi:type=\"am:ExecutionNeed\"><default key=\"Instructions\"><value xsi:type=\"am:NeedConstant\" "
              "value=\"12\"/></default><extended><value key=\"Instructions\"><value xsi:type=\"am:NeedConstant\" "
              "value=\"6\"/></value></extended></item>") ==
        "need Instructions 12..12..12 constant; -: Instructions 6..6..6 constant\n");
  CHECK(
      items("0.9.5",
            "<item xsi:type=\"am:ExecutionNeed\"><needs key=\"FloatOps\"><value xsi:type=\"am:DiscreteValueConstant\" "
            "value=\"12\"/></needs></item>") == "need FloatOps 12..12..12 constant\n");
  CHECK(items("1.0.0",
              "<item xsi:type=\"am:Ticks\"><default xsi:type=\"am:DiscreteValueConstant\" value=\"12\"/><extended>"
              "<value xsi:type=\"am:DiscreteValueConstant\" value=\"6\"/></extended></item>") ==
        "ticks 12..12..12 constant; -: 6..6..6 constant\n");
}

TEST_CASE("instructions are converted to cycles with bounds rounded outwards") {
  CHECK(views::cycles_of_instructions({10, 11, 12}, 4) == Cycles{2, 3, 3});
  CHECK(views::cycles_of_instructions({10, 11, 12}, 0.5) == Cycles{20, 22, 24});
  CHECK_FALSE(views::cycles_of_instructions({10, 11, 12}, 0).has_value());
  const auto huge = views::cycles_of_instructions({1, 2, 9'000'000'000'000'000'000}, 1e-9);
  REQUIRE(huge.has_value());
  CHECK(huge->upper >= 9'000'000'000'000'000'000);
}

TEST_CASE("an instruction need uses the entry of the definition or else the general entry") {
  const Model model = test::model_of(
      "0.9.2",
      "<swModel><runnables name=\"R\"><runnableItems xsi:type=\"am:ExecutionNeed\"><default key=\"Instructions\">"
      "<value xsi:type=\"am:NeedConstant\" value=\"12\"/></default><extended "
      "key=\"D?type=ProcessingUnitDefinition\"><value key=\"Instructions\"><value xsi:type=\"am:NeedConstant\" "
      "value=\"6\"/></value></extended></runnableItems></runnables></swModel><hwModel><definitions "
      "xsi:type=\"am:ProcessingUnitDefinition\" name=\"D\"/><definitions "
      "xsi:type=\"am:ProcessingUnitDefinition\" name=\"F\"/></hwModel>");
  Diagnostics diagnostics;
  const auto found = views::activity_items(model, model.find("R?type=Runnable"), diagnostics);
  const auto& need = std::get<views::ExecutionNeed>(found.at(0).kind);
  const auto on = [&](std::string_view id) { return test::text_of(*views::instructions_on(need, model.find(id))); };
  CHECK(on("D?type=ProcessingUnitDefinition") == "6..6..6 constant");
  CHECK(on("F?type=ProcessingUnitDefinition") == "12..12..12 constant");
  CHECK(on("nobody") == "12..12..12 constant");
}

TEST_CASE("wrappers of 0.7.x are not items but their content is") {
  CHECK(
      items("0.7.1",
            "<item xsi:type=\"am:Group\" ordered=\"true\"><items><runnableItem xsi:type=\"am:LabelAccess\" "
            "data=\"L?type=Label\" access=\"read\"/><deviation><lowerBound xsi:type=\"am:LongObject\" value=\"2\"/>"
            "<upperBound xsi:type=\"am:LongObject\" value=\"4\"/></deviation></items><items/></item>"
            "<item xsi:type=\"am:ProbabilityGroup\"><items probability=\"30\"><runnableItem "
            "xsi:type=\"am:RunnableCall\" runnable=\"Q?type=Runnable\"/></items><items probability=\"70\"/></item>") ==
      "group\n  read L\nchance 30 70\n case \n  call Q\n case \n");
  const Model model = test::model_of("0.7.1",
                                     "<swModel><runnables name=\"R\"><runnableItems xsi:type=\"am:Group\"><items>"
                                     "<runnableItem xsi:type=\"am:LabelAccess\"/><deviation><lowerBound "
                                     "xsi:type=\"am:LongObject\" value=\"2\"/><upperBound xsi:type=\"am:LongObject\" "
                                     "value=\"4\"/></deviation></items></runnableItems></runnables></swModel>");
  Diagnostics diagnostics;
  const auto group = items_of(model.find("R?type=Runnable")).at(0);
  const auto repetition = views::repetition_of(items_of(group).at(0), diagnostics);
  REQUIRE(repetition.has_value());
  CHECK(test::text_of(*repetition) == "2..3..4 none");
  // In these versions a group is unordered unless it says otherwise.
  CHECK_FALSE(std::get<views::Group>(views::activity_item(model, group, diagnostics).kind).ordered);
}

TEST_CASE("a mode switch has the same conditions in every version") {
  const std::string modes_before =
      "<modes name=\"M\"><literals name=\"on\"/><literals name=\"off\"/></modes>"
      "<modeLabels name=\"ML\" initialValue=\"M/on?type=ModeLiteral\"/>";
  const std::string modes_after =
      "<modes xsi:type=\"am:EnumMode\" name=\"M\"><literals name=\"on\"/><literals name=\"off\"/></modes>"
      "<modeLabels name=\"ML\" mode=\"M?type=EnumMode\" initialValue=\"on\"/>";
  const std::string call = "xsi:type=\"am:RunnableCall\" runnable=\"Q?type=Runnable\"";
  const std::string expected = "switch of 1 with default\n case ML == on || ML == off\n  call Q\n case \n  call Q\n";
  const std::string other = fmt::format("<defaultEntry><items {}/></defaultEntry>", call);
  for (const std::string_view version : {"0.7.1", "0.7.2", "0.8.0", "0.8.2"}) {
    INFO(version);
    CHECK(items(version,
                fmt::format("<item xsi:type=\"am:RunnableModeSwitch\" valueProvider=\"ML?type=ModeLabel\"><entries "
                            "values=\"M/on?type=ModeLiteral M/off?type=ModeLiteral\"><items {}/></entries>{}</item>",
                            call, other),
                modes_before) == expected);
  }
  for (const std::string_view version : {"0.8.3", "0.9.2", "0.9.3"}) {
    INFO(version);
    const std::string value =
        "xsi:type=\"am:ModeValue\" valueProvider=\"ML?type=ModeLabel\" value=\"M/{}?type=ModeLiteral\"";
    CHECK(items(version,
                fmt::format(
                    "<item xsi:type=\"am:RunnableModeSwitch\"><entries name=\"e\"><condition><entries {}/><entries {}/>"
                    "</condition><items {}/></entries>{}</item>",
                    fmt::format(fmt::runtime(value), "on"), fmt::format(fmt::runtime(value), "off"), call, other),
                modes_before) == expected);
  }
  for (const auto& [version, item, condition] : {std::tuple<std::string_view, std::string_view, std::string_view>{
                                                     "0.9.4", "RunnableModeSwitch", "ModeCondition"},
                                                 {"0.9.5", "ModeSwitch", "ModeCondition"},
                                                 {"0.9.7", "ModeSwitch", "ModeValueCondition"},
                                                 {"1.2.0", "ModeSwitch", "ModeValueCondition"},
                                                 {"2.0.0", "Switch", "ModeValueCondition"},
                                                 {"3.3.0", "Switch", "ModeValueCondition"}}) {
    INFO(version);
    const std::string value =
        fmt::format("xsi:type=\"am:{}\" label=\"ML?type=ModeLabel\" relation=\"EQUAL\" value=", condition);
    CHECK(items(version,
                fmt::format(
                    "<item xsi:type=\"am:{}\"><entries name=\"e\"><condition><entries {}\"on\"/><entries {}\"off\"/>"
                    "</condition><items {}/></entries>{}</item>",
                    item, value, value, call, other),
                modes_after) == expected);
  }
}

TEST_CASE("a switch of 0.7.0 has a default entry and one literal per entry") {
  const Model model = test::model_of(
      "0.7.0",
      "<swModel><tasks name=\"T\"><callGraph><graphEntries xsi:type=\"am:ModeSwitch\" "
      "valueProvider=\"ML?type=ModeLabel\"><entries value=\"M/on?type=ModeLiteral\"><graphEntries "
      "xsi:type=\"am:CallSequence\" name=\"s\"/></entries><entries default=\"true\"/><entries "
      "default=\"true\"/></graphEntries><graphEntries xsi:type=\"am:ProbabiltitySwitch\"><entries "
      "probability=\"0.25\"><graphEntries xsi:type=\"am:CallSequence\"/></entries></graphEntries></callGraph>"
      "</tasks><modes name=\"M\"><literals name=\"on\"/></modes><modeLabels name=\"ML\"/></swModel>");
  Diagnostics diagnostics;
  CHECK(test::items_text(model, model.find("T?type=Task"), diagnostics) ==
        "switch of 2 with default\n case ML == on\n  group\n case \n case \nchance 0.25\n case \n  group\n");
}

TEST_CASE("conditions of every kind are read") {
  const std::string_view beside =
      "<modes xsi:type=\"am:EnumMode\" name=\"M\"><literals name=\"on\"/></modes><modes xsi:type=\"am:NumericMode\" "
      "name=\"N\"/><modeLabels name=\"ML\" mode=\"M?type=EnumMode\"/><modeLabels name=\"NL\" "
      "mode=\"N?type=NumericMode\"/>"
      "<channels name=\"C\"/>";
  CHECK(
      items(
          "3.3.0",
          "<item xsi:type=\"am:WhileLoop\"><condition>"
          "<entries xsi:type=\"am:ConditionConjunction\">"
          "<entries xsi:type=\"am:ModeValueCondition\" label=\"NL?type=ModeLabel\" relation=\"LESS_THAN_OR_EQUAL\" "
          "value=\"5\"/>"
          "<entries xsi:type=\"am:ModeLabelCondition\" label1=\"ML?type=ModeLabel\" label2=\"NL?type=ModeLabel\" "
          "relation=\"NOT_EQUAL\"/>"
          "</entries>"
          "<entries xsi:type=\"am:ChannelFillCondition\" channel=\"C?type=Channel\" fillLevel=\"3\" "
          "relation=\"GREATER_THAN\"/>"
          "<entries xsi:type=\"am:LocalModeCondition\" relation=\"EQUAL\"><valueSource "
          "xsi:type=\"am:ArithmeticExpression\" "
          "operator=\"ADD\"><operand1 xsi:type=\"am:IntegerConst\" value=\"4\"/><operand2 xsi:type=\"am:ModeLabelRef\" "
          "value=\"NL?type=ModeLabel\"/></valueSource></entries>"
          "</condition><items xsi:type=\"am:RunnableCall\" runnable=\"Q?type=Runnable\"/></item>",
          beside) == "while NL <= 5 (number) && ML != NL || fill || local\n  call Q\n");
}

TEST_CASE("accesses to mode labels are the same before and after 0.9.4") {
  const std::string_view before =
      "<modes name=\"M\"><literals name=\"on\"/></modes><modeLabels name=\"ML\" "
      "initialValue=\"M/on?type=ModeLiteral\"/>";
  CHECK(items("0.9.3",
              "<item xsi:type=\"am:ModeLabelAccess\" data=\"ML?type=ModeLabel\" access=\"write\" "
              "modeValue=\"M/on?type=ModeLiteral\"/>",
              before) == "mode set ML on 1\n");
  const std::string_view after =
      "<modes xsi:type=\"am:EnumMode\" name=\"M\"><literals name=\"on\"/></modes>"
      "<modeLabels name=\"ML\" mode=\"M?type=EnumMode\"/>";
  CHECK(items("0.9.4",
              "<item xsi:type=\"am:ModeLabelAccess\" data=\"ML?type=ModeLabel\" access=\"set\" value=\"on\"/>"
              "<item xsi:type=\"am:ModeLabelAccess\" data=\"ML?type=ModeLabel\" access=\"increment\" step=\"2\"/>",
              after) == "mode set ML on 1\nmode increment ML  2\n");
}

// ---------------------------------------------------------------- software

TEST_CASE("processes have the limits and preemption of their version") {
  const Model model = test::model_of(
      "0.7.2",
      "<swModel><isrs name=\"I\" category=\"CATEGORY_2\" priority=\"9\"/><tasks name=\"T\" priority=\"4\" "
      "preemption=\"cooperative\" multipleTaskActivationLimit=\"3\" osekTaskGroup=\"2\"/><tasks "
      "name=\"U\"/></swModel>");
  Diagnostics diagnostics;
  const auto found = views::processes(model, diagnostics);
  REQUIRE(found.size() == 3);
  CHECK(found[0].kind == views::ProcessKind::isr);
  CHECK(found[1].preemption == views::Preemption::cooperative);
  CHECK(found[1].activation_limit == 3);
  CHECK(found[2].preemption == views::Preemption::unstated);
  CHECK(found[2].activation_limit == 0);
}

TEST_CASE("a runnable is in a section that either side states") {
  const std::string expected_label = "label L size 4\n";
  const std::string before = software("0.7.0",
                                      "<labels name=\"L\"><size numberBits=\"32\"/></labels><runnables name=\"R\"/>"
                                      "<sections name=\"S\" labels=\"L?type=Label\" runEntities=\"R?type=Runnable\"/>");
  const std::string after =
      software("3.3.0",
               "<labels name=\"L\" section=\"S?type=Section\"><size value=\"4\" unit=\"B\"/></labels>"
               "<runnables name=\"R\" section=\"S?type=Section\"/><sections name=\"S\"/>");
  CHECK(before == after);
  CHECK(before == "runnable R section S\n" + expected_label);
}

TEST_CASE("modes and mode labels are the same before and after 0.9.4") {
  const std::string expected = "mode label ML of M = on\n";
  CHECK(software("0.8.3",
                 "<modes name=\"M\"><literals name=\"on\"/><literals name=\"off\"/></modes>"
                 "<modeLabels name=\"ML\" initialValue=\"M/on?type=ModeLiteral\"/>") == expected);
  CHECK(software("0.7.1",
                 "<modes name=\"M\"><literals name=\"on\"/><literals name=\"off\"/></modes>"
                 "<modeLabels name=\"ML\" mode=\"M?type=Mode\" initialValue=\"M/on?type=ModeLiteral\"/>") == expected);
  CHECK(software("0.9.4",
                 "<modes xsi:type=\"am:EnumMode\" name=\"M\"><literals name=\"on\"/><literals name=\"off\"/></modes>"
                 "<modeLabels name=\"ML\" mode=\"M?type=EnumMode\" initialValue=\"on\"/>") == expected);
}

}  // namespace views_software_view_test
