// SPDX-License-Identifier: Apache-2.0
// What conversions make of models that no editor writes: classes in each other that cannot be, ids that are not those
// of their objects, two where there is room for one.

#include <string>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "importer/reading/model_reader.hpp"
#include "migration/migration.hpp"
#include "tests/migration/converted.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/test_models.hpp"

namespace damaged_model_test {

using namespace amalthea;
using test::holds;

std::string itea(std::string_view release, std::string_view content) {
  std::string packages;
  for (const char* const package : {"central", "sw", "stimuli", "hw", "os", "constraints", "mapping"})
    packages += fmt::format(" xmlns:{0}=\"http://www.amalthea.itea2.org/model/{1}/{0}\"", package, release);
  return fmt::format(
      "<?xml version=\"1.0\"?>\n<central:AMALTHEA xmlns:xmi=\"http://www.omg.org/XMI\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"{}>{}</central:AMALTHEA>",
      packages, content);
}

/// A whole file, converted.
struct Outcome {
  bool done = false;
  std::string text;
  Diagnostics findings;
};

Outcome convert_text(const std::string& source, const migration::Release& to, std::size_t places = 1000) {
  Diagnostics reading;
  const auto model = importer::read_model_from_bytes("model.amxmi", source, {}, reading);
  REQUIRE(model);
  Outcome outcome;
  EditableModel editable(*model, SharedIds::apart);
  migration::Record record(outcome.findings, places);
  outcome.done =
      migration::migrate(editable, migration::release_of(*model->documents().front()), to, record, outcome.findings);
  if (!outcome.done) return outcome;
  outcome.text = migration::write(*editable.files().front().root, to);
  Diagnostics findings;
  CHECK(importer::read_model_from_bytes("model.amxmi", outcome.text, {}, findings));
  return outcome;
}

bool leads_nowhere(const std::string& text) {
  Diagnostics findings;
  const auto model = importer::read_model_from_bytes("model.amxmi", text, {}, findings);
  REQUIRE(model);
  return !model->dangling().empty();
}

TEST_CASE("an object in another one of its class is converted once or kept with it") {
  const std::string instructions =
      "<swModel><runnables name=\"R\"><runnableItems xsi:type=\"am:RunnableInstructions\"><default "
      "xsi:type=\"am:RunnableInstructions\"><default xsi:type=\"am:InstructionsConstant\" value=\"17\"/></default>"
      "</runnableItems></runnables></swModel>";
  for (const char* const from : {"0.7.2", "0.8.0", "0.8.3"}) {
    const auto converted = test::convert(from, instructions, "3.3.0");
    CHECK(converted.done);
    CHECK(holds(converted.text(), "17"));
  }
  CHECK_FALSE(convert_text(test::model_text(instructions, "0.8.0"), IteaRelease::v1_1_0).done);
  const Outcome stimulus =
      convert_text(itea("1.2.0",
                        "<stimuliModel><stimuli xsi:type=\"stimuli:Sporadic\" name=\"S\"><stimulusDeviation>"
                        "<distribution xsi:type=\"stimuli:Sporadic\" name=\"inner\"/></stimulusDeviation></stimuli>"
                        "</stimuliModel>"),
                   Version::v3_3_0);
  CHECK(stimulus.done);
  CHECK(holds(stimulus.text, "inner"));
}

TEST_CASE("objects that a rule takes out with what is around them are left alone by its other places") {
  // Each class of a list of places, in itself: below the feature that the rule takes out.
  struct Nested {
    const char *from, *owner, *feature, *cls;
  };
  for (const Nested& nested :
       {Nested{"0.9.1", "hwModel", "definitions", "LatencyDeviation"}, Nested{"0.8.0", "swModel", "tags", "Quartz"},
        Nested{"0.7.1", "swModel", "runnables", "Group"}, Nested{"0.9.4", "stimuliModel", "stimuli", "Scenario"},
        Nested{"1.2.0", "osModel", "operatingSystems", "TaskScheduler"}}) {
    std::string text;
    for (const char* const name : {"one", "two", "three"})
      text += fmt::format("<{} xsi:type=\"am:{}\" name=\"{}\"><cycles xsi:type=\"am:{}\"/><recurrence/>",
                          nested.feature, nested.cls, name, nested.cls);
    for (int i = 0; i < 3; ++i) text += fmt::format("</{}>", nested.feature);
    const auto converted = test::convert(nested.from, fmt::format("<{0}>{1}</{0}>", nested.owner, text), "3.3.0");
    CHECK(converted.done);
    for (const char* const name : {"one", "two", "three"}) CHECK(holds(converted.text(), name));
  }
}

TEST_CASE("a file whose root is any object keeps it as text") {
  for (const char* const cls : {"LatencyDeviation", "Scenario", "TargetProcess", "RunnableRequirement", "Runnable",
                                "Quartz", "ComplexPort", "SchedulingParameterDefinition", "ExecutionNeed"})
    for (const Version from : {Version::v0_7_1, Version::v0_9_0, Version::v0_9_2, Version::v1_2_0}) {
      if (!metamodel::exists(*metamodel::find_class(cls), from)) continue;
      const Outcome outcome =
          convert_text(fmt::format("<am:{} xmlns:am=\"http://app4mc.eclipse.org/amalthea/{}\" name=\"mine\"/>", cls,
                                   to_string(from)),
                       Version::v3_3_0);
      CHECK(outcome.done);
      CHECK(holds(outcome.text, "mine"));
    }
}

TEST_CASE("of two where there is room for one the last stays, and the other is kept") {
  const Outcome outcome = convert_text(
      itea("1.3.0",
           "<swModel><runnables name=\"R\"><runnableItems xsi:type=\"sw:Group\"><items>\n\n\n"
           "<runnableItem xsi:type=\"sw:RunnableInstructions\"><default xsi:type=\"sw:InstructionsConstant\" "
           "value=\"111\"/></runnableItem><runnableItem xsi:type=\"sw:Group\" name=\"inner\"/></items></runnableItems>"
           "</runnables></swModel>"),
      Version::v3_3_0);
  CHECK(outcome.done);
  CHECK(holds(outcome.text, "111"));
  CHECK(holds(outcome.text, "name=\"inner\""));
  REQUIRE(test::with_id(outcome.findings, "AM0701").size() == 1);
  CHECK(holds(test::with_id(outcome.findings, "AM0701").front().message, "runnableItem"));
  CHECK(test::with_id(outcome.findings, "AM0701").front().location.line > 3);  // of the content, not of its owner
}

/// Ids that are the names of nothing, or of another class, and a position.
const std::string by_id = test::model_text(
    "<swModel><tasks xmi:id=\"Old?type=Task\" name=\"New\"/><tasks xmi:id=\"wrong?type=Label\" name=\"Second\"/>"
    "<processPrototypes name=\"P\"/></swModel>"
    "<mappingModel><taskAllocation task=\"Old?type=Task\"/><taskAllocation task=\"wrong?type=Label\"/>"
    "<taskAllocation task=\"//@swModel/@tasks.1\"/></mappingModel>",
    "0.9.7");

/// Two objects with one name, two without any.
const std::string shared = test::model_text(
    "<swModel><tasks name=\"T\" xmi:id=\"_a\"/><tasks name=\"T\" "
    "xmi:id=\"_b\"/><tasks/><tasks/></swModel><mappingModel>"
    "<taskAllocation task=\"_a\"/><taskAllocation task=\"_b\"/><taskAllocation task=\"T?type=Task\"/>"
    "<taskAllocation task=\"//@swModel/@tasks.2\"/></mappingModel>",
    "0.8.0");

TEST_CASE("a reference by an id that is not its object's name leads there afterwards") {
  REQUIRE_FALSE(leads_nowhere(by_id));
  for (const Version to : {Version::v0_9_7, Version::v1_0_0, Version::v3_3_0}) {
    INFO(to_string(to));
    const Outcome outcome = convert_text(by_id, to);
    CHECK(outcome.done);
    CHECK_FALSE(leads_nowhere(outcome.text));
    CHECK(holds(outcome.text, "task=\"New?type=Task\""));
  }
}

TEST_CASE("EMF resolves references of damaged models after a conversion as before", "[emf]") {
  test::EmfBatch emf;
  for (const auto& [source, from] : {std::pair(by_id, Version::v0_9_7), std::pair(shared, Version::v0_8_0)})
    for (const Version to : {from, Version::v0_9_0, Version::v1_0_0, Version::v3_3_0}) {
      if (to < from) continue;
      const std::string file = fmt::format("{}/{}-{}.amxmi", emf.folder(), to_string(from), to_string(to));
      test::write_text(file, convert_text(source, to).text);
      emf.expect_accepted(to, {file});
    }
  emf.run();
}

TEST_CASE("of objects that share a name each is still referred to by what meant it") {
  REQUIRE_FALSE(leads_nowhere(shared));
  for (const Version to : {Version::v0_9_0, Version::v0_9_6, Version::v3_3_0}) {
    const Outcome outcome = convert_text(shared, to);
    CHECK(outcome.done);
    CHECK_FALSE(leads_nowhere(outcome.text));
    CHECK(holds(outcome.text, "task=\"_a\""));
    CHECK(holds(outcome.text, "task=\"//@swModel/@tasks.2\""));
  }
}

TEST_CASE("a position in a feature that moves leads to the same object") {
  const Outcome outcome = convert_text(
      test::model_text("<swModel><tags/><tags/></swModel><hwModel><tags/></hwModel><componentsModel><components "
                       "xsi:type=\"am:Component\" name=\"C\" tags=\"//@swModel/@tags.1\"/></componentsModel>",
                       "0.7.1"),
      Version::v0_7_2);
  CHECK(outcome.done);
  CHECK(holds(outcome.text, "tags=\"//@commonElements/@tags.1\""));
}

TEST_CASE("control characters that only XML 1.1 can hold are an error") {
  const std::string text = test::replaced(
      test::model_text("<swModel><labels name=\"a&#x1;b\"/><labels name=\"a&#x2;b\"/></swModel>", "0.9.7"), "1.0",
      "1.1");
  REQUIRE(holds(text, "version=\"1.1\""));
  for (const migration::Release to : {migration::Release(Version::v3_3_0), migration::Release(Version::v0_9_0)}) {
    const Outcome outcome = convert_text(text, to);
    CHECK_FALSE(outcome.done);
    CHECK(test::with_id(outcome.findings, "AM0705").size() == 2);
    const auto listed = test::with_id(convert_text(text, to, 0).findings, "AM0705");
    CHECK(listed.size() == 1);  // the one that says why nothing was converted
  }
}

TEST_CASE("attributes of other namespaces and what looks like a comment are written well-formed") {
  const std::string root =
      "<?xml version=\"1.0\"?>\n<central:AMALTHEA xmlns:xmi=\"http://www.omg.org/XMI\" "
      "xmlns:central=\"http://www.amalthea.itea2.org/model/1.1.0/central\" xmlns:x=\"http://x\" xmlns:y=\"http://y\" "
      "x:a=\"1\" x:b=\"2\" y:a=\"]]&gt;3\"><swModel><?pi <!-- a -- b ?><labels name=\"L\"/><![CDATA[ <!-- -- ]]>"
      "<!-- kept --></swModel></central:AMALTHEA>";
  for (const migration::Release to : {migration::Release(IteaRelease::v1_1_0), migration::Release(IteaRelease::v1_3_0),
                                      migration::Release(Version::v0_7_0), migration::Release(Version::v3_3_0)}) {
    const Outcome outcome = convert_text(root, to);
    CHECK(outcome.done);
    CHECK(holds(outcome.text, "]]>3"));
    CHECK(holds(outcome.text, "<!-- kept -->"));
    CHECK_FALSE(holds(outcome.text, "a -- b"));
  }
}

}  // namespace damaged_model_test
