// SPDX-License-Identifier: Apache-2.0
#include "amalthea/editable_model.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/emf_form.hpp"
#include "importer/reading/model_reader.hpp"
#include "tests/support/test_models.hpp"

namespace editable_model_test {

using namespace amalthea;

namespace {

const std::string root_1_0_0 =
    "<am:Amalthea xmi:version=\"2.0\" xmlns:xmi=\"http://www.omg.org/XMI\" "
    "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:am=\"http://app4mc.eclipse.org/amalthea/1.0.0\"";

/// An empty model with more attributes on its root.
std::string replaced_root(const std::string& attributes) { return root_1_0_0 + " " + attributes + "/>"; }

/// The text as a model, written again.
std::string rewritten(const std::string& text, EmfFormOptions options = {}) {
  Diagnostics diagnostics;
  const auto model = importer::read_model_from_bytes("model.amxmi", text, {}, diagnostics);
  REQUIRE(model);
  const EditableModel editable(*model);
  return write_emf_form(*editable.files().front().root, model->version(), options);
}

}  // namespace

TEST_CASE("a model created in memory is written in EMF's form") {
  EditableModel model;
  Object& root = model.add_file("new.amxmi");
  Object& software = root.create("swModel", "SWModel");
  root.create("stimuliModel", "StimuliModel").create("stimuli", "PeriodicStimulus").set("name", "10 \"ms\" <&>");
  Object& label = software.create("labels", "Label");
  label.set("name", "Speed");
  label.create("size", "DataSize").set("value", "+08");
  label.child("size")->set("unit", "bit");
  Object& task = software.create("tasks", "Task");
  task.set("preemption", "_undefined_");
  task.set("name", "Control");
  task.add_reference("stimuli", "10+%22ms%22+%3C%26%3E?type=PeriodicStimulus");
  task.add_reference("tags", "Here?type=Tag");
  task.add_remote_reference("tags", "amlt:/#There?type=Tag");

  const std::string body =
      "  <swModel>\n"
      "    <tasks name=\"Control\" stimuli=\"10+%22ms%22+%3C%26%3E?type=PeriodicStimulus\" "
      "multipleTaskActivationLimit=\"0\">\n"
      "      <tags href=\"amlt:/#Here?type=Tag\"/>\n"
      "      <tags href=\"amlt:/#There?type=Tag\"/>\n"
      "    </tasks>\n"
      "    <labels name=\"Speed\" constant=\"false\" bVolatile=\"false\">\n"
      "      <size value=\"8\" unit=\"bit\"/>\n"
      "    </labels>\n"
      "  </swModel>\n"
      "  <stimuliModel>\n"
      "    <stimuli xsi:type=\"am:PeriodicStimulus\" name=\"10 &quot;ms&quot; &lt;&amp;>\"/>\n"
      "  </stimuliModel>\n"
      "</am:Amalthea>\n";
  CHECK(write_emf_form(root, Version::v1_0_0) ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + root_1_0_0 + ">\n" + body);
  // Before 1.0.0 the namespaces stand in another order, and xsi is only declared where it is used.
  root.take_all("stimuliModel");
  root.take_all("swModel");
  CHECK(write_emf_form(root, Version::v0_9_3) ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<am:Amalthea xmi:version=\"2.0\" "
        "xmlns:xmi=\"http://www.omg.org/XMI\" xmlns:am=\"http://app4mc.eclipse.org/amalthea/0.9.3\"/>\n");
}

TEST_CASE("created and moved and removed and renamed objects know their location") {
  EditableModel model;
  Object& root = model.add_file("new.amxmi");
  Object& software = root.create("swModel", "SWModel");
  Object& first = software.create("runnables", "Runnable");
  Object& second = software.create("runnables", "Runnable");
  Object& task = software.create("tasks", "Task");
  second.set("name", "Second");
  CHECK(first.path() == "swModel/runnables[0]");
  CHECK(second.path() == "swModel/runnables/Second");
  CHECK(root.path() == "Amalthea");
  CHECK(software.children("runnables") == Objects{&first, &second});
  CHECK(software.child("tasks") == &task);
  CHECK(software.child("labels") == nullptr);

  Object& graph = first.create("callGraph", "ActivityGraph");
  graph.create("graphEntries", "RunnableCall").add_reference("runnable", "Second?type=Runnable");
  graph.rename_feature("graphEntries", "items");
  first.rename_feature("callGraph", "activityGraph");
  CHECK(graph.children("items").size() == 1);
  CHECK(graph.children("graphEntries").empty());
  graph.move_to(second, "activityGraph");
  CHECK(graph.owner() == &second);
  CHECK(first.children().empty());
  CHECK(graph.child("items")->path() == "swModel/runnables/Second/activityGraph/items");

  OwnedObject taken = software.take(first);
  CHECK(taken.get() == &first);
  CHECK(first.owner() == nullptr);
  software.add("runnables", std::move(taken), &second);
  CHECK(software.children("runnables") == Objects{&first, &second});
  CHECK(software.take_all("runnables").size() == 2);
  CHECK(software.children().size() == 1);
  CHECK(task.set_class("ISR"));
  CHECK_FALSE(task.set_class("Nothing"));
  CHECK(task.is("ISR"));
  CHECK(model.objects() == Objects{&root, &software, &task});
  CHECK(model.objects_of("ISR") == Objects{&task});
}

TEST_CASE("values and references are set and removed and redirected") {
  EditableModel model;
  Object& root = model.add_file("new.amxmi");
  Object& task = root.create("swModel", "SWModel").create("tasks", "Task");
  task.set("name", "a");
  task.set("name", "b");
  CHECK(task.name() == "b");
  CHECK(task.fields().size() == 1);
  CHECK(task.attribute("size") == std::nullopt);
  task.add_reference("stimuli", "X?type=PeriodicStimulus");
  task.add_reference("stimuli", "Y?type=PeriodicStimulus");
  task.add_remote_reference("tags", "amlt:/#X?type=PeriodicStimulus");
  CHECK(task.reference("stimuli") == "X?type=PeriodicStimulus");
  CHECK(model.retarget({{"X?type=PeriodicStimulus", "Z?type=PeriodicStimulus"}}) == 2);
  CHECK(task.references("stimuli").size() == 2);
  CHECK(task.reference("stimuli") == "Z?type=PeriodicStimulus");
  CHECK(task.reference("tags") == "amlt:/#Z?type=PeriodicStimulus");
  task.unset("stimuli");
  task.unset("tags");
  task.unset("name");
  CHECK(task.fields().empty());
}

TEST_CASE("objects from a file know their location and new ones have none") {
  Diagnostics diagnostics;
  const Model model = test::model_from_file(test::sample("waters2019-tx2.amxmi"), diagnostics);
  EditableModel editable(model);
  CHECK(editable.files().size() == 1);
  const auto tasks = editable.objects_of("Task");
  REQUIRE_FALSE(tasks.empty());
  for (const Object* task : tasks) {
    CHECK(task->location() == task->element().location());
    CHECK(task->path() == task->element().path());
    CHECK(task->name() == task->element().name());
  }
  CHECK(tasks.front()->owner()->create("tasks", "Task").location() == Location{});
}

TEST_CASE("unknown content and comments are kept") {
  const std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- above -->\n" + root_1_0_0 +
                           ">\n"
                           "  <swModel>\n"
                           "    <!-- before the task -->\n"
                           "    <tasks name=\"T\" multipleTaskActivationLimit=\"0\" novelty=\"1 &amp; 2\"/>\n"
                           "    <bogus a=\"x\">\n"
                           "      <tasks xsi:type=\"am:Invented\" name=\"y\"/>\n"
                           "      <note>some &lt;text></note>\n"
                           "    </bogus>\n"
                           "    <!-- at the end -->\n"
                           "  </swModel>\n"
                           "</am:Amalthea>\n";
  CHECK(rewritten(text) == text);
  CHECK(rewritten(text, {.comments = false, .current_namespace_order = false}).find("<!--") == std::string::npos);
}

TEST_CASE("attributes of other namespaces are kept in a readable form") {
  const std::string root = replaced_root("xmlns:x=\"urn:x\" x:a=\"1\" x:b=\"2\" xml:space=\"preserve\"");
  const std::string once = rewritten(root);
  CHECK(once.find(" xmlns:other0=\"urn:x\" other0:a=\"1\" other0:b=\"2\" xml:space=\"preserve\"/>") !=
        std::string::npos);
  CHECK(rewritten(once) == once);
}

TEST_CASE("comments move with their objects and are removed with them") {
  Diagnostics diagnostics;
  const std::string text =
      root_1_0_0 + "><swModel><!--one--><tasks name=\"A\"/><!--two--><tasks name=\"B\"/></swModel></am:Amalthea>";
  const Model model = test::model_from_text(text, diagnostics);
  EditableModel editable(model);
  Object& software = *editable.files().front().root->child("swModel");
  const auto tasks = software.children("tasks");
  software.add("tasks", software.take(*tasks[0]));
  software.remove(*tasks[1]);
  const std::string written = write_emf_form(*editable.files().front().root, Version::v1_0_0);
  CHECK(written.find("    <!--one-->\n    <tasks name=\"A\"") != std::string::npos);
  CHECK(written.find("two") == std::string::npos);
}

TEST_CASE("references by position become names and addresses in the same file become ids") {
  const std::string text =
      root_1_0_0 +
      "><swModel><tasks name=\"A\"><stimuli xsi:type=\"am:PeriodicStimulus\" "
      "href=\"amlt:/#S?type=PeriodicStimulus\"/></tasks></swModel>"
      "<stimuliModel><stimuli xsi:type=\"am:PeriodicStimulus\" name=\"S\"/></stimuliModel></am:Amalthea>";
  CHECK(rewritten(text).find("<tasks name=\"A\" stimuli=\"S?type=PeriodicStimulus\"") != std::string::npos);
}

TEST_CASE("writing a written model again changes nothing", "[long]") {
  const std::string folder = test::corpus_folder();
  std::size_t models = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".amxmi") continue;
    Diagnostics diagnostics;
    const auto model = importer::read_model({entry.path().string()}, {}, diagnostics);
    if (!model || model->documents().front()->version() != model->version()) continue;
    INFO(entry.path().string());
    const EditableModel editable(*model);
    const std::string once = write_emf_form(*editable.files().front().root, model->version());
    CHECK(rewritten(once) == once);
    ++models;
  }
  WARN(fmt::format("{} models", models));
  CHECK(models > 200);
}

}  // namespace editable_model_test
