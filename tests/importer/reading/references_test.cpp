// SPDX-License-Identifier: Apache-2.0
// Resolution of references, within a file and across the files of a model.

#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/position.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/test_models.hpp"

namespace reading_references_test {

using namespace amalthea;

namespace {

std::string in_root(std::string_view content, std::string_view version = "0.9.3") {
  return test::in_root(content, version);
}

/// A model of several files given as name and content.
class Files {
 public:
  Files& add(std::string_view name, const std::string& text) {
    test::write_text(fmt::format("{}/{}", folder_.path(), name), text);
    return *this;
  }
  Model read() {
    auto model = importer::read_model({folder_.path()}, {}, diagnostics);
    for (const std::string& message : test::messages(diagnostics)) UNSCOPED_INFO(message);
    REQUIRE(model.has_value());
    return std::move(*model);
  }
  Diagnostics diagnostics;

 private:
  test::TemporaryFolder folder_;
};

Element first(const Model& model, std::string_view tag) {
  for (const auto& document : model.documents())
    for (std::uint32_t i = 0; i < document->size(); ++i)
      if (document->element(i).tag() == tag) return document->element(i);
  FAIL("no <" << tag << ">");
  return {};
}

constexpr std::string_view three_tasks =
    "<swModel><tasks name='A'/><tasks name='B'><customProperties key='k'/></tasks><isrs/><tasks/></swModel>";

}  // namespace

TEST_CASE("a position counts the children with one tag from 0") {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(in_root(three_tasks), diagnostics);
  const Document& document = *model.documents().front();
  PositionFinder finder(document);
  const auto at = [&](std::string_view position) {
    const Element slow = at_position(document, position);
    CHECK(slow == finder.find(position));
    CHECK(slow == document.find(position));
    return slow;
  };
  CHECK(at("/") == document.root());
  CHECK(at("//@swModel").tag() == "swModel");
  CHECK(at("//@swModel/@tasks.1").name() == "B");
  CHECK(at("/0/@swModel.0/@tasks").name() == "A");
  CHECK(at("//@swModel/@tasks.2").tag() == "tasks");
  CHECK(at("//@swModel/@isrs.0").is("ISR"));
  CHECK(at("//@swModel/@tasks.1/@customProperties.0").attribute("key") == "k");
  for (const char* nowhere :
       {"//@swModel/@tasks.3", "//@swModel/@tasks.-1", "//@swModel/@tasks.1x", "//@swModel/tasks.1", "/1", "//", "//@",
        "//@swModel//@tasks.0", "@swModel", "", "//@swModel/@tasks.99999999999999999999"}) {
    INFO(nowhere);
    CHECK_FALSE(at_position(document, nowhere));
    CHECK_FALSE(finder.find(nowhere));
  }
}

TEST_CASE("references by position are resolved and reported without a target") {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(
      in_root(fmt::format("{}<mappingModel><taskAllocation task='//@swModel/@tasks.1'/>\n<taskAllocation "
                          "task='//@swModel/@tasks.7'/></mappingModel>",
                          three_tasks)),
      diagnostics);
  CHECK(model.reference(first(model, "taskAllocation"), "task").name() == "B");
  CHECK(test::messages(diagnostics) ==
        std::vector<std::string>{"model.amxmi:3:23: error: task \"//@swModel/@tasks.7\" of TaskAllocation refers to no "
                                 "element in the model; correct it [AM0203]"});
}

TEST_CASE("a reference by xmi:id takes precedence over one by name") {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(
      in_root(
          "<swModel><tasks xmi:id='B?type=Task' name='A'/><tasks name='B'/><tasks xmi:id='_uuid_1' name='C'/></swModel>"
          "<mappingModel><taskAllocation task='B?type=Task'/><isrAllocation/><taskAllocation task='_uuid_1'/>"
          "</mappingModel>"),
      diagnostics);
  const auto allocations = model.all("mappingModel", "taskAllocation");
  CHECK(model.reference(allocations[0], "task").name() == "A");
  CHECK(model.reference(allocations[1], "task").name() == "C");
  CHECK(model.find("A?type=Task").name() == "A");
}

TEST_CASE("a reference without a file is resolved only in its own file and the message names the target") {
  Files files;
  files.add("a.amxmi", in_root("<swModel><tasks name='T'/></swModel>"))
      .add("b.amxmi", in_root("<mappingModel><taskAllocation task='T?type=Task'/></mappingModel>"));
  const Model model = files.read();
  CHECK_FALSE(model.reference(first(model, "taskAllocation"), "task"));
  REQUIRE(files.diagnostics.all().size() == 1);
  const std::string message = format(files.diagnostics.all().front());
  CHECK(message.find("task \"T?type=Task\" of TaskAllocation refers to no element in its own file; ") !=
        std::string::npos);
  CHECK(message.find("a.amxmi has one; reference it with a child <task href=\"amlt:/#…\"/> [AM0203]") !=
        std::string::npos);
}

TEST_CASE("a reference prefers the target in its own file") {
  Files files;
  const auto text = [](std::string_view size) {
    return in_root(
        fmt::format("<swModel><tasks name='T' multipleTaskActivationLimit='{}'/></swModel><mappingModel>"
                    "<taskAllocation task='T?type=Task'/><taskAllocation><task href='amlt:/#T?type=Task'/>"
                    "</taskAllocation></mappingModel>",
                    size));
  };
  files.add("a.amxmi", text("1")).add("b.amxmi", text("2"));
  const Model model = files.read();
  REQUIRE(files.diagnostics.all().size() == 3);  // both files have the task, so the reference between files is an error
  CHECK(test::with_id(files.diagnostics, "AM0478").size() == 1);
  CHECK(test::with_id(files.diagnostics, "AM0216").size() == 1);
  REQUIRE(test::with_id(files.diagnostics, "AM0207").size() == 1);
  CHECK(test::with_id(files.diagnostics, "AM0207").front().severity == Severity::error);
  std::vector<std::string> limits;
  for (const Element allocation : model.all("mappingModel", "taskAllocation"))
    limits.emplace_back(model.reference(allocation, "task").attribute_or("multipleTaskActivationLimit", ""));
  // amlt: searches the files in order.
  CHECK(limits == std::vector<std::string>{"1", "1", "2", "1"});
}

TEST_CASE("an href names a file by its last part and an id or a UUID or a position in it") {
  Files files;
  files.add("sw.amxmi", in_root("<swModel><tasks name='A'/><tasks xmi:id='_u' name='B'/></swModel>"))
      .add("other.amxmi", in_root("<swModel><tasks name='A'/></swModel>"))
      .add("map.amxmi", in_root("<mappingModel><taskAllocation><task href='sw.amxmi#A?type=Task'/></taskAllocation>"
                                "<taskAllocation><task href='parts/sw.amxmi#_u'/></taskAllocation>"
                                "<taskAllocation><task href='sw.amxmi#//@swModel/@tasks.1'/></taskAllocation>"
                                "<taskAllocation><task href='amlt:/#//@swModel/@tasks.1'/></taskAllocation>"
                                "<taskAllocation><task href='gone.amxmi#A?type=Task'/></taskAllocation>"
                                "</mappingModel>"));
  const Model model = files.read();
  std::vector<std::string> found;
  for (const Element allocation : model.all("mappingModel", "taskAllocation")) {
    const Element task = model.reference(allocation, "task");
    found.push_back(task ? fmt::format("{} {}", task.document().position(), task.name()) : "-");
  }
  // Files come in the order of their names: map, other, sw.
  CHECK(found == std::vector<std::string>{"2 A", "2 B", "2 B", "2 B", "-"});
  REQUIRE(files.diagnostics.all().size() == 2);
  CHECK(test::with_id(files.diagnostics, "AM0205").size() == 1);
  CHECK(test::with_id(files.diagnostics, "AM0216").size() == 1);
}

TEST_CASE("many references by position take linear time") {
  constexpr int many = 20000;
  std::string text = "<swModel>", mapping = "<mappingModel>";
  for (int i = 0; i < many; ++i) {
    text += fmt::format("<tasks name='T{}'/>", i);
    mapping += fmt::format("<taskAllocation task='//@swModel/@tasks.{}'/>", many - 1 - i);
  }
  Diagnostics diagnostics;
  const Model model = test::model_from_text(in_root(text + "</swModel>" + mapping + "</mappingModel>"), diagnostics);
  const auto allocations = model.all("mappingModel", "taskAllocation");
  CHECK(diagnostics.all().empty());
  // Quadratic time would be 4·10⁸ steps twice over.
  CHECK(model.reference(allocations.front(), "task").name() == fmt::format("T{}", many - 1));
  CHECK(model.reference(allocations.back(), "task").name() == "T0");
}

TEST_CASE("content of another version than the namespace is reported once with the matching version") {
  Diagnostics diagnostics;
  test::model_from_text(
      in_root(
          "<swModel><tasks name='T'>\n<callGraph><items xsi:type='am:Group'><items xsi:type='am:RunnableCall'/></items>"
          "</callGraph></tasks></swModel>",
          "0.9.9"),
      diagnostics);
  CHECK(test::messages(diagnostics) ==
        std::vector<std::string>{
            "model.amxmi:3:1: warning: the namespace states AMALTHEA 0.9.9, but 2 elements or attributes belong to "
            "another version, 2 of them to 0.9.5 (the first: <callGraph> in a Task); they are read as in that version; "
            "correct the namespace, or migrate the model [AM0208]"});

  Diagnostics of_one;
  test::model_from_text(in_root("<swModel><tasks name='T'>\n<callGraph/></tasks></swModel>", "0.9.9"), of_one);
  CHECK(test::messages(of_one) ==
        std::vector<std::string>{"model.amxmi:3:1: warning: the namespace states AMALTHEA 0.9.9, but 1 element or "
                                 "attribute belongs to another version, 0.9.5 (<callGraph> in a Task); it is read as "
                                 "in that version; correct the namespace, or migrate the model [AM0208]"});
}

TEST_CASE("objects of a class that the namespace's version lacks can be referred to") {
  Diagnostics diagnostics;
  const Model model =
      test::model_from_text(in_root("<hwModel><coreTypes name='A57'/><system><ecus><microcontrollers><cores name='C' "
                                    "coreType='A57?type=CoreType'/>"
                                    "</microcontrollers></ecus></system></hwModel>",
                                    "0.9.0"),
                            diagnostics);
  CHECK(model.reference(first(model, "cores"), "coreType").name() == "A57");
  CHECK(test::messages(diagnostics).size() == 1);
  CHECK(test::with_id(diagnostics, "AM0208").size() == 1);
}

TEST_CASE("models before 0.7.0 refer to each other by package-qualified names and positions and UUIDs") {
  Files files;
  constexpr std::string_view head =
      "xmlns:central='http://www.amalthea.itea2.org/model/1.2.0/central' "
      "xmlns:sw='http://www.amalthea.itea2.org/model/1.2.0/sw' xmlns:os='http://www.amalthea.itea2.org/model/1.2.0/os' "
      "xmlns:mapping='http://www.amalthea.itea2.org/model/1.2.0/mapping' xmlns:xmi='http://www.omg.org/XMI' "
      "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'";
  files
      .add("model.amxmi",
           fmt::format("<central:AMALTHEA {}><swModel><tasks name='A' isOldFashioned='yes'><deadline value='3' "
                       "unit='ms'/></tasks><tasks name='B'/>"
                       "<runnables name='R'><activation xsi:type='sw:Periodic'/></runnables>"
                       "<processPrototypes><runnableCalls runnable='R?type=sw.Runnable'/></processPrototypes>"
                       "</swModel></central:AMALTHEA>",
                       head))
      .add("model.amxmi-mapping",
           fmt::format("<mapping:MappingModel {}><processAllocation xsi:type='mapping:TaskAllocation'>"
                       "<task href='model.amxmi#//@swModel/@tasks.1'/></processAllocation></mapping:MappingModel>",
                       head));
  const Model model = files.read();
  CHECK(model.reference(first(model, "runnableCalls"), "runnable").name() == "R");
  CHECK(model.reference(first(model, "processAllocation"), "task").name() == "B");
  CHECK(first(model, "processAllocation").is("TaskAllocation"));
  CHECK(first(model, "activation").is("PeriodicActivation"));
  CHECK(first(model, "deadline").is("Time"));
  CHECK(model.all("swModel", "tasks").size() == 2);
  std::vector<std::string> ids;
  for (const auto& diagnostic : files.diagnostics.all()) ids.push_back(diagnostic.id);
  CHECK(ids == std::vector<std::string>{"AM0209", "AM0209"});  // once per file
  CHECK(files.diagnostics.all().front().message ==
        "2 elements or attributes of ITEA 1.2.0 have no counterpart in AMALTHEA 0.7.0 and later (the first: <deadline> "
        "in a Task); they are kept but not interpreted");
}

TEST_CASE("a part model has its sub-model at the root") {
  Diagnostics diagnostics;
  const Model model = test::model_from_text(
      "<am:SWModel xmlns:am=\"http://app4mc.eclipse.org/amalthea/0.7.0\"><tasks name=\"T\"/></am:SWModel>",
      diagnostics);
  CHECK(diagnostics.all().empty());
  REQUIRE(model.all("swModel", "tasks").size() == 1);
  CHECK(model.all("hwModel", "tasks").empty());
  CHECK(model.find("T?type=Task").is("Task"));
}

}  // namespace reading_references_test
