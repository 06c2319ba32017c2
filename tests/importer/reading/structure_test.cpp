// SPDX-License-Identifier: Apache-2.0
#include "importer/reading/detail/structure.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/views/properties.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/test_models.hpp"

namespace reading_structure_test {

using namespace amalthea;

namespace {

/// What reading this content reports.
std::vector<std::string> findings(std::string_view content, std::string_view version = "3.3.0") {
  Diagnostics diagnostics;
  test::model_from_text(test::in_root(content, version), diagnostics);
  return test::messages(diagnostics);
}

using Findings = std::vector<std::string>;

Element named(const Model& model, std::string_view name) {
  for (const auto& document : model.documents())
    for (std::uint32_t i = 0; i < document->size(); ++i)
      if (document->element(i).name() == name) return document->element(i);
  FAIL("no element is called " << name);
  return {};
}

constexpr std::string_view two_tasks =
    "<swModel><tasks name=\"A\"/><tasks name=\"B\"/></swModel><mappingModel>"
    "<taskAllocation task=\"A?type=Task\"/></mappingModel>";

}  // namespace

TEST_CASE("an element has its stated class or else the declared class of its feature") {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(
      test::in_root(
          "<stimuliModel><stimuli xsi:type=\"am:PeriodicStimulus\" name=\"s\"><recurrence value=\"5\" unit=\"ms\"/>"
          "</stimuli></stimuliModel><swModel><tasks name=\"t\"/></swModel>"),
      diagnostics);
  CHECK(test::messages(diagnostics).empty());
  CHECK(model.documents().front()->root().is("Amalthea"));
  CHECK(named(model, "s").is("PeriodicStimulus"));
  CHECK(named(model, "s").child("recurrence").is("Time"));
  CHECK(named(model, "t").is("Task"));
  CHECK(named(model, "t").parent().is("SWModel"));
}

TEST_CASE("the class is independent of the prefix in the file") {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(
      "<x:Amalthea xmlns:x='http://app4mc.eclipse.org/amalthea/3.3.0' "
      "xmlns:i='http://www.w3.org/2001/XMLSchema-instance'>"
      "<stimuliModel><stimuli i:type='x:InterProcessStimulus' name='s'/></stimuliModel></x:Amalthea>",
      diagnostics);
  CHECK(test::messages(diagnostics).empty());
  CHECK(named(model, "s").is("InterProcessStimulus"));
}

TEST_CASE("an unknown element is kept and reported once with its content") {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(
      test::in_root("<swModel>\n  <gizmos name=\"g\"><parts name=\"p\" task=\"X?type=Task\"/></gizmos>\n</swModel>"),
      diagnostics);
  CHECK(test::messages(diagnostics) ==
        Findings{
            "model.amxmi:3:3: error: unknown element <gizmos> in a SWModel; it is kept but not interpreted [AM0201]"});
  CHECK(diagnostics.all().front().path == "swModel/gizmos/g");
  CHECK(named(model, "p").parent() == named(model, "g"));
  CHECK_FALSE(named(model, "g").cls().has_value());
}

TEST_CASE("an unknown attribute is kept and reported at its value") {
  Diagnostics diagnostics;
  const Model model =
      test::model_from_text(test::in_root("<swModel>\n  <tasks name=\"t\" colour=\"red\"/>\n</swModel>"), diagnostics);
  CHECK(
      test::messages(diagnostics) ==
      Findings{"model.amxmi:3:27: error: unknown attribute colour of a Task; it is kept but not interpreted [AM0204]"});
  CHECK(named(model, "t").attribute("colour") == "red");
}

TEST_CASE("an unknown class is reported at its name") {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(
      test::in_root("<stimuliModel>\n  <stimuli xsi:type=\"am:MagicStimulus\" name=\"s\"/>\n</stimuliModel>"),
      diagnostics);
  CHECK(test::messages(diagnostics) ==
        Findings{"model.amxmi:3:22: error: unknown class \"am:MagicStimulus\"; no AMALTHEA version has it [AM0202]"});
  CHECK(named(model, "s").class_name().empty());
}

TEST_CASE("an unresolved reference is an error at the reference") {
  CHECK(findings("<mappingModel>\n  <taskAllocation task=\"Gone?type=Task\"/>\n</mappingModel>") ==
        Findings{"model.amxmi:3:25: error: task \"Gone?type=Task\" of TaskAllocation refers to no element in the "
                 "model; correct it, or also pass the file that contains it [AM0203]"});
}

TEST_CASE("only the wrong reference in a list is reported at its location") {
  CHECK(
      findings("<hwModel><structures><modules xsi:type=\"am:ProcessingUnit\" name=\"C0\"/></structures></hwModel>"
               "<mappingModel>\n  <schedulerAllocation responsibility=\"C0?type=ProcessingUnit C1?type=ProcessingUnit "
               "C0?type=ProcessingUnit\"/>\n</mappingModel>") ==
      Findings{"model.amxmi:3:63: error: responsibility \"C1?type=ProcessingUnit\" of SchedulerAllocation refers to no "
               "element in the model; did you mean \"C0?type=ProcessingUnit\"? [AM0203]"});
}

TEST_CASE("a reference to something of another kind is an error at the reference") {
  CHECK(findings("<swModel><labels name=\"L\"/></swModel><mappingModel>\n"
                 "<taskAllocation task=\"L?type=Label\"/></mappingModel>") ==
        Findings{"model.amxmi:3:23: error: task \"L?type=Label\" of TaskAllocation refers to a Label; expected a Task "
                 "[AM0203]"});
}

TEST_CASE("the message about a wrong reference names its owner") {
  CHECK(findings("<swModel>\n<tasks name=\"t\" stimuli=\"s?type=PeriodicStimulus\"/></swModel>") ==
        Findings{"model.amxmi:3:26: error: stimuli \"s?type=PeriodicStimulus\" of Task \"t\" refers to no element in "
                 "the model; correct it, or also pass the file that contains it [AM0203]"});
}

TEST_CASE("references are resolved by xmi:id first and then by name") {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(
      test::in_root(
          "<swModel><tasks name=\"A\"/><tasks xmi:id=\"A?type=Task\" name=\"B\"/><tasks xmi:id=\"_x\" name=\"C\"/>"
          "</swModel><mappingModel><taskAllocation task=\"A?type=Task\"/><taskAllocation task=\"_x\"/>"
          "<taskAllocation task=\"C?type=Task\"/></mappingModel>"),
      diagnostics);
  // Whoever reads the name expects another one.
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(format(diagnostics.all().front())
            .find("the xmi:id of \"B\" stands for the name of \"A\"; references resolve to this one, not to the one at "
                  "line") != std::string::npos);
  CHECK(diagnostics.all().front().id == "AM0207");
  CHECK(diagnostics.all().front().elements.size() == 2);  // both are open
  const auto allocations = model.all("mappingModel", "taskAllocation");
  CHECK(model.reference(allocations[0], "task").name() == "B");
  CHECK(model.reference(allocations[1], "task").name() == "C");
  CHECK(model.reference(allocations[2], "task").name() == "C");
}

TEST_CASE("the last of several elements with the same id is used") {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(
      test::in_root(
          "<swModel><tasks name=\"A\" preemption=\"preemptive\"/><tasks name=\"A\" preemption=\"cooperative\"/>"
          "</swModel>"),
      diagnostics);
  CHECK(model.find("A?type=Task").attribute("preemption") == "cooperative");
}

TEST_CASE("an id differs by class and names are compared in encoded form") {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(
      test::in_root("<swModel><tasks name=\"x y\"/><runnables name=\"x y\"/></swModel><mappingModel>"
                    "<taskAllocation task=\"x+y?type=Task\"/></mappingModel>"),
      diagnostics);
  CHECK(test::messages(diagnostics).empty());
  CHECK(model.find("x+y?type=Runnable").is("Runnable"));
  CHECK_FALSE(model.find("x y?type=Task"));
}

TEST_CASE("references to other files of the folder are child elements with an href") {
  const test::TemporaryFolder folder;
  test::write_text(folder.path() + "/hw.amxmi",
                   test::in_root("<hwModel><structures><modules xsi:type=\"am:ProcessingUnit\" name=\"C 0\"/>"
                                 "<modules xsi:type=\"am:ProcessingUnit\" name=\"C1\"/></structures></hwModel>"));
  test::write_text(
      folder.path() + "/map.amxmi",
      test::in_root("<mappingModel><schedulerAllocation><responsibility href=\"amlt:/#C+0?type=ProcessingUnit\"/>"
                    "<responsibility href=\"amlt:/#C1%3Ftype%3DProcessingUnit\"/></schedulerAllocation>"
                    "</mappingModel>"));
  Diagnostics diagnostics;
  const auto model = importer::read_model({folder.path()}, {}, diagnostics);
  REQUIRE(model.has_value());
  CHECK(test::messages(diagnostics).empty());
  const auto units = model->references(model->all("mappingModel", "schedulerAllocation").front(), "responsibility");
  REQUIRE(units.size() == 2);
  CHECK(units[0].name() == "C 0");
  CHECK(units[1].name() == "C1");
  CHECK(units[0].document().position() == 0);

  Diagnostics alone;
  const std::string map = folder.path() + "/map.amxmi";
  REQUIRE(importer::read_model({map}, {}, alone).has_value());
  CHECK(
      test::messages(alone) ==
      Findings{
          fmt::format("{}:2:58: error: reference \"amlt:/#C+0?type=ProcessingUnit\" of responsibility refers to no "
                      "element in the given files; also pass the file that contains it, or the whole folder [AM0205]",
                      map),
          fmt::format("{}:2:113: error: reference \"amlt:/#C1%3Ftype%3DProcessingUnit\" of responsibility refers to no "
                      "element in the given files; also pass the file that contains it, or the whole folder [AM0205]",
                      map)});
}

TEST_CASE("references to files of another kind are ignored") {
  CHECK(findings("<mappingModel><taskAllocation><task href=\"interfaces.fidl#x\"/></taskAllocation></mappingModel>")
            .empty());
}

TEST_CASE("older structure is read under a newer namespace and vice versa") {
  const auto classes = [](std::string_view version, std::string_view content) {
    Diagnostics diagnostics;
    const Model model = test::model_from_text(test::in_root(content, version), diagnostics);
    for (const Diagnostic& diagnostic : diagnostics.all()) CHECK(diagnostic.id == "AM0208");
    std::string text;
    const Document& document = *model.documents().front();
    for (std::uint32_t i = 2; i < document.size(); ++i) text.append(document.element(i).class_name()).append(" ");
    return text;
  };
  constexpr std::string_view of_0_9_3 =
      "<swModel><tasks><callGraph><graphEntries xsi:type=\"am:CallSequence\"><calls xsi:type=\"am:TaskRunnableCall\"/>"
      "</graphEntries></callGraph></tasks><runnables><runnableItems xsi:type=\"am:Ticks\"/></runnables></swModel>";
  constexpr std::string_view of_0_9_5 =
      "<swModel><tasks><callGraph><items xsi:type=\"am:RunnableCall\"/></callGraph></tasks></swModel>";
  constexpr std::string_view of_3_3_0 =
      "<swModel><tasks><activityGraph><items xsi:type=\"am:RunnableCall\"/></activityGraph></tasks></swModel>";
  for (const char* version : {"0.9.3", "0.9.5", "0.9.7", "2.0.0", "3.3.0"}) {
    INFO(version);
    CHECK(classes(version, of_0_9_3) == "Task CallGraph CallSequence TaskRunnableCall Runnable Ticks ");
    CHECK(classes(version, of_0_9_5) == "Task CallGraph RunnableCall ");
    CHECK(classes(version, of_3_3_0) == "Task ActivityGraph RunnableCall ");
  }
}

TEST_CASE("scheduling parameters are read in their form regardless of the namespace") {
  for (const char* version : {"0.9.3", "1.2.0", "2.0.0", "3.3.0"}) {
    INFO(version);
    for (const char* form : {"<schedulingParameters priority=\"7\"/>",
                             "<schedulingParameters key=\"priority?type=SchedulingParameterDefinition\">"
                             "<value xsi:type=\"am:IntegerObject\" value=\"7\"/></schedulingParameters>"}) {
      Diagnostics diagnostics;
      const Model model = test::model_from_text(
          test::in_root(
              fmt::format("<osModel><schedulingParameterDefinitions name=\"priority\"/></osModel><mappingModel>"
                          "<taskAllocation>{}<parameterExtensions key=\"TimeSlice\" value=\"5 ms\"/>"
                          "</taskAllocation></mappingModel>",
                          form),
              version),
          diagnostics);
      CHECK(test::with_id(diagnostics, "AM0203").empty());
      const auto parameters = scheduling_parameters(model, model.all("mappingModel", "taskAllocation").front());
      REQUIRE(parameters.size() == 2);
      CHECK(parameters[0].name == "priority");
      CHECK(parameters[0].value == "7");
      CHECK(parameters[1].name == "TimeSlice");
      CHECK(parameters[1].value == "5 ms");
    }
  }
}

TEST_CASE("a model in several files is traversed file by file") {
  const test::TemporaryFolder folder;
  test::write_text(folder.path() + "/1.amxmi", test::in_root(two_tasks));
  test::write_text(folder.path() + "/2.amxmi", test::in_root("<swModel><tasks name=\"C\"/></swModel>"));
  Diagnostics diagnostics;
  const auto model = importer::read_model({folder.path() + "/2.amxmi", folder.path() + "/1.amxmi"}, {}, diagnostics);
  REQUIRE(model.has_value());
  std::string names;
  for (const Element task : model->all("swModel", "tasks")) {
    names += task.name();
    CHECK(model->element(task.origin()) == task);
  }
  CHECK(names == "CAB");
}

TEST_CASE("a single unreadable file prevents a model and every unreadable file is reported") {
  const test::TemporaryFolder folder;
  const auto path = [&](std::string_view name) { return fmt::format("{}/{}", folder.path(), name); };
  test::write_text(path("1.amxmi"), test::in_root(two_tasks));
  test::write_text(path("2.amxmi"), "<broken");
  test::write_text(path("3.amxmi"), "");
  Diagnostics diagnostics;
  CHECK_FALSE(importer::read_model({folder.path()}, {}, diagnostics).has_value());
  REQUIRE(diagnostics.all().size() == 2);
  CHECK(diagnostics.all()[0].location.file == path("2.amxmi"));
  CHECK(diagnostics.all()[1].location.file == path("3.amxmi"));
}

TEST_CASE("the path of an element consists of tags and names or positions") {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(
      test::in_root("<swModel><tasks name=\"DASM\"><activityGraph><items xsi:type=\"am:RunnableCall\"/><items "
                    "xsi:type=\"am:Ticks\"/></activityGraph></tasks></swModel>"),
      diagnostics);
  const Element graph = named(model, "DASM").child("activityGraph");
  CHECK(graph.path() == "swModel/tasks/DASM/activityGraph");
  CHECK(graph.children("items")[1].path() == "swModel/tasks/DASM/activityGraph/items[1]");
  CHECK(model.documents().front()->root().path() == "Amalthea");
  const auto of_groups = [&](std::size_t depth, const std::string& name) {
    std::string text = "<swModel><tasks name=\"T\"><activityGraph>", end = "</activityGraph></tasks></swModel>";
    for (std::size_t i = 0; i < depth; ++i) text += "<items xsi:type=\"am:Group\" name=\"" + name + "\">";
    for (std::size_t i = 0; i < depth; ++i) end = "</items>" + end;
    const Model nested = test::model_from_text(test::in_root(text + end), diagnostics);
    const Document& document = *nested.documents().front();
    return document.element(static_cast<std::uint32_t>(document.size() - 1)).path();
  };
  CHECK(of_groups(2, "G") == "swModel/tasks/T/activityGraph/items/G/items/G");
  CHECK(of_groups(1, std::string(999, 'x') + "äy") ==
        "swModel/tasks/T/activityGraph/items/" + std::string(999, 'x') + "…");
  const std::string deep = of_groups(400, std::string(5000, 'x'));
  CHECK(deep.starts_with("…/items/xxx"));
  CHECK(deep.size() < 6000);
}

}  // namespace reading_structure_test
