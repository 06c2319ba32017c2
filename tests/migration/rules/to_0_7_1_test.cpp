// SPDX-License-Identifier: Apache-2.0
// 0.7.0 → 0.7.1: the rules, the reverse direction, and comparison with AMALTHEA's own migration of its test models.

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/migration/converted.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/test_models.hpp"

namespace rules_to_0_7_1_test {

using test::convert;

namespace {

test::Converted convert_texts(const std::vector<std::string>& texts, std::string_view to) {
  const test::TemporaryFolder folder;
  std::vector<std::string> paths;
  for (const std::string& text : texts) {
    paths.push_back(fmt::format("{}/{}.amxmi", folder.path(), paths.size()));
    test::write_text(paths.back(), text);
  }
  return test::convert_files(paths, to);
}

/// A file with another root than Amalthea.
std::string part_text(std::string_view root, std::string_view content, std::string_view version = "0.7.0") {
  return fmt::format(
      R"(<?xml version="1.0" encoding="UTF-8"?>
<am:{0} xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
        xmlns:am="http://app4mc.eclipse.org/amalthea/{2}">
{1}
</am:{0}>
)",
      root, content, version);
}

/// A round trip through 0.7.1 restores content that loses nothing.
void check_round_trip(std::string_view content) {
  const auto before = convert("0.7.0", content, "0.7.0");
  const auto there = convert("0.7.0", content, "0.7.1");
  const auto back = convert_texts(there.texts, "0.7.0");
  INFO(there.text());
  REQUIRE(back.done);
  CHECK(test::differences(before.dump, back.dump) == std::vector<std::string>{});
}

}  // namespace

TEST_CASE("a sub-model at the root of its file is wrapped in an Amalthea") {
  const std::string_view content = R"(<memoryTypes name="Ram"/><system systemType="//@systemTypes.0"/><systemTypes/>)";
  const auto converted = convert_texts({part_text("HWModel", content)}, "0.7.1");
  INFO(converted.text());
  CHECK(test::holds(converted.text(), "<am:Amalthea "));
  CHECK(converted.has("/ : Amalthea"));
  CHECK(converted.has("/hwModel/memoryTypes.0 @name = Ram"));
  CHECK(converted.has("/hwModel/system >systemType = /hwModel/systemTypes.0"));
  CHECK(converted.count("Amalthea is the root") == 1);
  const std::string user =
      part_text("OSModel", R"(<operatingSystems><overhead href="amlt:/#//@osOverheads.0"/></operatingSystems>)");
  const auto split = convert_texts({user, part_text("OSModel", "<osOverheads/>")}, "0.7.1");
  CHECK(test::holds(split.texts[0], R"(href="amlt:/#no-name?type=OsInstructions")"));
  const auto two = convert_texts({user, part_text("OSModel", "<osOverheads/><osOverheads/>")}, "0.7.1");
  CHECK(test::holds(two.texts[0], R"(href="amlt:/#//@osModel/@osOverheads.0")"));
  CHECK(convert("0.7.0", "<hwModel/>", "0.7.1").count("Amalthea is the root") == 0);
}

TEST_CASE("a sub-model at the root of a later file is wrapped in an Amalthea without other changes") {
  const std::string_view content =
      R"(<tasks name="T"><callGraph><graphEntries xsi:type="am:CallSequence"/></callGraph></tasks>
         <runnables name="R"><runnableItems xsi:type="am:Group"/></runnables>)";
  const auto converted = convert_texts({part_text("SWModel", content, "0.7.2")}, "0.8.2");
  CHECK(converted.has("/swModel/tasks.0 @name = T"));
  // Not stated, a group is ordered from 0.7.2 on; it was not before.
  CHECK_FALSE(test::holds(converted.text(), R"(ordered="false")"));
  CHECK(converted.count("Amalthea is the root") == 1);
  CHECK(test::with_id(converted.diagnostics, "AM0703").empty());
  const auto tags = convert_texts({part_text("CommonElements", R"(<tags name="t"/>)", "0.8.0")}, "0.8.3");
  CHECK(tags.has("/commonElements/tags.0 @name = t"));
}

TEST_CASE("every sub-model of 0.7.0 has its feature in the root") {
  const std::vector<std::pair<std::string_view, std::string_view>> parts{
      {"ComponentsModel", "componentsModel"},
      {"ConfigModel", "configModel"},
      {"ConstraintsModel", "constraintsModel"},
      {"EventModel", "eventModel"},
      {"HWModel", "hwModel"},
      {"MappingModel", "mappingModel"},
      {"OSModel", "osModel"},
      {"PropertyConstraintsModel", "propertyConstraintsModel"},
      {"StimuliModel", "stimuliModel"},
      {"SWModel", "swModel"}};
  for (const auto& [cls, feature] : parts)
    CHECK(convert_texts({part_text(cls, "")}, "0.7.1").has(fmt::format("/{} : {}", feature, cls)));
}

TEST_CASE("a size in bits has the unit bit") {
  const std::string_view content = R"(
    <swModel>
      <tasks name="Control"><size numberBits="64"/></tasks>
      <labels name="Speed"><size numberBits="8"/></labels>
      <labels name="Empty"><size/></labels>
      <typeDefinitions xsi:type="am:BaseTypeDefinition" name="Byte"><size numberBits="8"/></typeDefinitions>
    </swModel>)";
  const auto converted = convert("0.7.0", content, "0.7.1");
  CHECK(converted.has("/swModel/labels.0/size : DataSize"));
  CHECK(converted.has("/swModel/labels.0/size @value = 8"));
  CHECK(converted.has("/swModel/labels.0/size @unit = bit"));
  CHECK(converted.has("/swModel/labels.1/size @unit ~ _undefined_"));
  CHECK(converted.has("/swModel/typeDefinitions.0/size @unit = bit"));
  CHECK(converted.count("DataSize instead of DataUnit") == 4);
  check_round_trip(content);
}

TEST_CASE("sizes of memory types and frequencies of quartzes become objects without a unit") {
  const std::string_view content = R"(
    <hwModel>
      <memoryTypes name="Ram" size="4096"/>
      <memoryTypes name="Rom"/>
      <system name="Car">
        <quartzes name="Q" frequency="200000000"><quartzes name="Inner" frequency="3"/></quartzes>
      </system>
    </hwModel>
    <propertyConstraintsModel><memoryTypeDefinitions name="Flash" size="1"/></propertyConstraintsModel>)";
  const auto converted = convert("0.7.0", content, "0.7.1");
  CHECK(converted.has("/hwModel/memoryTypes.0/size @value = 4096"));
  CHECK(converted.has("/hwModel/memoryTypes.0/size @unit ~ _undefined_"));
  CHECK_FALSE(converted.has("/hwModel/memoryTypes.1/size : DataSize"));
  CHECK(converted.has("/propertyConstraintsModel/memoryTypeDefinitions.0/size @value = 1"));
  CHECK(test::holds(converted.text(), R"(<frequency value="2.0E8"/>)"));
  CHECK(test::holds(converted.text(), R"(<frequency value="3.0"/>)"));
  CHECK(converted.count("the size of a memory type is a DataSize") == 2);
  CHECK(converted.count("the frequency of a quartz is a Frequency") == 2);
  check_round_trip(content);
}

TEST_CASE("labels and runnables refer to their section in the same file and in others") {
  const std::string_view content = R"(
    <swModel>
      <runnables name="Control"/>
      <labels name="Speed"/>
      <sections name="Fast" labels="Speed?type=Label" runEntities="Control?type=Runnable"/>
    </swModel>)";
  const auto converted = convert("0.7.0", content, "0.7.1");
  CHECK(converted.has("/swModel/runnables.0 >section = /swModel/sections.0"));
  CHECK(converted.has("/swModel/labels.0 >section = /swModel/sections.0"));
  CHECK_FALSE(test::holds(converted.dump, "amalthea-converted"));
  CHECK(converted.count("labels and runnables name their section") == 2);
  check_round_trip(content);

  const auto split = convert_texts(
      {part_text("SWModel", R"(<labels name="Speed"/>)"),
       part_text("SWModel", R"(<sections name="Fast"><labels href="amlt:/#Speed?type=Label"/></sections>)")},
      "0.7.1");
  CHECK(split.has("0.amxmi:/swModel/labels.0 >section = 1.amxmi:/swModel/sections.0"));
  CHECK(test::holds(split.texts[0], R"(<section href="amlt:/#Fast?type=Section"/>)"));
}

TEST_CASE("unresolved entries of a section are kept with it") {
  const auto converted = convert("0.7.0", R"(
    <swModel>
      <labels name="Speed"/>
      <sections name="First" labels="Speed?type=Label"><size numberBits="20"/></sections>
      <sections name="Second" labels="Speed?type=Label Gone?type=Label"/>
    </swModel>)",
                                 "0.7.1");
  CHECK(converted.has("/swModel/labels.0 >section = /swModel/sections.0"));
  CHECK(converted.has("/swModel/sections.0/customProperties.0 @key = amalthea-converted.0.7.0.size"));
  CHECK(converted.has(R"(/swModel/sections.0/customProperties.0/value @value = <size numberBits="20"/>)"));
  CHECK(converted.has("/swModel/sections.1/customProperties.0 @key = amalthea-converted.0.7.0.labels"));
  CHECK(converted.has("/swModel/sections.1/customProperties.0/value @value = Speed?type=Label Gone?type=Label"));
}

TEST_CASE("mappings and mapping constraints of sections are kept as text") {
  const auto converted = convert("0.7.0", R"(
    <swModel><sections name="Fast"/></swModel>
    <propertyConstraintsModel>
      <mappingConstraints xsi:type="am:SectionMappingConstraint" section="Fast?type=Section"/>
    </propertyConstraintsModel>
    <mappingModel>
      <mapping xsi:type="am:SectionMapping" section="Fast?type=Section"/>
      <mapping xsi:type="am:AbstractElementMapping" memoryPositionAddress="7"/>
    </mappingModel>)",
                                 "0.7.1");
  CHECK(converted.has("/mappingModel/mapping.0 @memoryPositionAddress = 7"));
  CHECK(converted.has("/mappingModel/customProperties.0 @key = amalthea-converted.0.7.0.mapping"));
  CHECK(
      converted.has("/propertyConstraintsModel/customProperties.0 @key = "
                    "amalthea-converted.0.7.0.mappingConstraints"));
  CHECK(converted.count("mappings of sections are custom properties") == 1);
  CHECK(converted.count("mapping constraints of sections are custom properties") == 1);
}

TEST_CASE("entries of switches have items at any depth and values") {
  const std::string_view content = R"(
    <swModel>
      <tasks name="Control"><callGraph>
        <graphEntries xsi:type="am:ModeSwitch">
          <entries value="State/On?type=ModeLiteral">
            <graphEntries xsi:type="am:ProbabiltitySwitch">
              <entries probability="0.5"><graphEntries xsi:type="am:CallSequence" name="Inner"/></entries>
            </graphEntries>
          </entries>
          <entries default="true"><graphEntries xsi:type="am:CallSequence" name="Else"/></entries>
        </graphEntries>
      </callGraph></tasks>
      <modes name="State"><literals name="On"/></modes>
    </swModel>)";
  const auto converted = convert("0.7.0", content, "0.7.1");
  INFO(converted.text());
  const std::string mode_switch = "/swModel/tasks.0/callGraph/graphEntries.0";
  CHECK(converted.has(mode_switch + "/entries.0 >values.0 = /swModel/modes.0/literals.0"));
  CHECK(converted.has(mode_switch + "/entries.0/items.0/entries.0/items.0 @name = Inner"));
  CHECK(converted.has(mode_switch + "/defaultEntry : ModeSwitchDefault"));
  CHECK(converted.has(mode_switch + "/defaultEntry/items.0 @name = Else"));
  CHECK(converted.count("entries of switches have items") == 3);
  CHECK_FALSE(test::holds(converted.dump, "amalthea-converted"));
  check_round_trip(content);
}

TEST_CASE("the first of several default entries of a mode switch is the default") {
  const auto converted = convert("0.7.0", R"(
    <swModel>
      <isrs name="Irq"><callGraph>
        <graphEntries xsi:type="am:ModeSwitch">
          <entries value="State/On?type=ModeLiteral" default="false"/>
          <entries value="State/On?type=ModeLiteral" default="true"/>
          <entries value="State/Off?type=ModeLiteral" default="true"/>
        </graphEntries>
      </callGraph></isrs>
      <modes name="State"><literals name="On"/><literals name="Off"/></modes>
    </swModel>)",
                                 "0.7.1");
  INFO(converted.text());
  const std::string mode_switch = "/swModel/isrs.0/callGraph/graphEntries.0";
  CHECK(converted.has(mode_switch + "/entries.0 >values.0 = /swModel/modes.0/literals.0"));
  CHECK(converted.has(mode_switch + "/entries.1 >values.0 = /swModel/modes.0/literals.1"));
  CHECK(converted.has(mode_switch + "/defaultEntry/customProperties.0/value @value = State/On?type=ModeLiteral"));
  CHECK(test::with_id(converted.diagnostics, "AM0702").size() == 1);
}

TEST_CASE("runnables of a sequencing constraint are in its groups without duplicates") {
  const std::string_view simple = R"(
    <swModel><runnables name="A"/><runnables name="B"/></swModel>
    <constraintsModel>
      <runnableSequencingConstraints name="Order" orderType="successor">
        <runnableGroups><entries runnable="B?type=Runnable"/><entries runnable="A?type=Runnable"/></runnableGroups>
      </runnableSequencingConstraints>
    </constraintsModel>)";
  check_round_trip(simple);

  const auto converted = convert("0.7.0", R"(
    <swModel><tasks name="Control"/><runnables name="A"/><runnables name="B"/></swModel>
    <constraintsModel>
      <runnableSequencingConstraints name="Order">
        <runnableGroups groupingType="allOfThem">
          <entries runnable="B?type=Runnable"/>
          <entries runnable="A?type=Runnable" processScope="Control?type=Task"/>
          <entries><runnable href="amlt:/#B?type=Runnable"/></entries>
          <entries/>
        </runnableGroups>
      </runnableSequencingConstraints>
    </constraintsModel>)",
                                 "0.7.1");
  INFO(converted.text());
  const std::string group = "/constraintsModel/runnableSequencingConstraints.0/runnableGroups.0";
  CHECK(converted.has(group + " >runnables.0 = /swModel/runnables.1"));
  CHECK(converted.has(group + " >runnables.1 = /swModel/runnables.0"));
  CHECK_FALSE(test::holds(converted.dump, "runnables.2"));
  CHECK(converted.has(group + "/customProperties.0 @key = amalthea-converted.0.7.0.entries"));
  CHECK(converted.has(group + "/customProperties.0/value @value = "
                              R"(<entries runnable="A?type=Runnable" processScope="Control?type=Task"/>)"));
  CHECK(converted.has(group + "/customProperties.1 @key = amalthea-converted.0.7.0.groupingType"));
  CHECK(converted.has(group + "/customProperties.1/value @value = allOfThem"));
}

TEST_CASE("timing constraints have their classes of 0.7.1") {
  const std::string_view content = R"(
    <constraintsModel>
      <eventChains name="Chain"/>
      <timingConstraints xsi:type="am:AgeConstraint" name="Old" scope="Chain?type=EventChain">
        <maximum value="5" unit="ms"/>
      </timingConstraints>
      <timingConstraints xsi:type="am:ReactionConstraint" name="Quick" scope="Chain?type=EventChain">
        <minimum value="1" unit="ms"/>
      </timingConstraints>
      <timingConstraints xsi:type="am:SynchronisationConstraint" name="Same">
        <tolerance value="3" unit="us"/>
      </timingConstraints>
      <timingConstraints xsi:type="am:DelayConstraint" name="Late"/>
    </constraintsModel>)";
  const auto converted = convert("0.7.0", content, "0.7.1");
  const std::string constraint = "/constraintsModel/timingConstraints.";
  CHECK(converted.has(constraint + "0 : EventChainLatencyConstraint"));
  CHECK(converted.has(constraint + "0 @type = Age"));
  CHECK(converted.has(constraint + "0 >scope = /constraintsModel/eventChains.0"));
  CHECK(converted.has(constraint + "0/maximum @value = 5"));
  CHECK(converted.has(constraint + "1 @type = Reaction"));
  CHECK(converted.has(constraint + "2 : EventSynchronizationConstraint"));
  CHECK(converted.has(constraint + "2/tolerance @unit = us"));
  CHECK(converted.has(constraint + "3 @mappingType = Reaction"));
  CHECK(converted.count("EventChainLatencyConstraint instead of age and reaction constraints") == 2);
  check_round_trip(content);
}

TEST_CASE("references to a renamed constraint follow it") {
  const auto converted = convert("0.7.0", R"(
    <constraintsModel>
      <customProperties key="see">
        <value xsi:type="am:ReferenceObject" value="Old?type=AgeConstraint"/>
      </customProperties>
      <timingConstraints xsi:type="am:AgeConstraint" name="Old"/>
    </constraintsModel>)",
                                 "0.7.1");
  CHECK(converted.has("/constraintsModel/customProperties.0/value >value = /constraintsModel/timingConstraints.0"));
}

TEST_CASE("order constraints and constraints of schedulers are kept as text") {
  const auto converted = convert("0.7.0", R"(
    <osModel><operatingSystems><taskSchedulers name="S"/></operatingSystems></osModel>
    <constraintsModel>
      <affinityConstraints xsi:type="am:SchedulerPairingConstraint" name="Together">
        <schedulers schedulers="S?type=TaskScheduler"/>
      </affinityConstraints>
      <affinityConstraints xsi:type="am:SchedulerSeparationConstraint" name="Apart"/>
      <affinityConstraints xsi:type="am:ProcessPairingConstraint" name="Stays"/>
      <timingConstraints xsi:type="am:OrderConstraint" name="First"/>
    </constraintsModel>)",
                                 "0.7.1");
  CHECK(converted.has("/constraintsModel/affinityConstraints.0 @name = Stays"));
  const std::string property = "/constraintsModel/customProperties.";
  CHECK(converted.has(property + "0 @key = amalthea-converted.0.7.0.affinityConstraints"));
  CHECK(converted.has(property + R"(0/value @value = <affinityConstraints xsi:type="am:SchedulerPairingConstraint" )"
                                 R"(name="Together"><schedulers schedulers="S?type=TaskScheduler"/>)"
                                 "</affinityConstraints>"));
  CHECK(converted.has(property + "1 @key = amalthea-converted.0.7.0.affinityConstraints.2"));
  CHECK(converted.has(property + "2 @key = amalthea-converted.0.7.0.timingConstraints"));
  CHECK(converted.count("constraints of schedulers are custom properties") == 2);
  CHECK(converted.count("order constraints are custom properties") == 1);
}

TEST_CASE("content that already has the form of 0.7.1 is unchanged") {
  // The old frequency makes it a mixture.
  const auto converted = convert("0.7.1", R"(
    <swModel>
      <tasks name="Control"><callGraph>
        <graphEntries xsi:type="am:ModeSwitch">
          <entries values="State/On?type=ModeLiteral"><items xsi:type="am:CallSequence"/></entries>
          <defaultEntry/>
        </graphEntries>
      </callGraph></tasks>
      <labels name="Speed" section="Fast?type=Section"><size value="8" unit="kB"/></labels>
      <labels name="Old"><size numberBits="8"/></labels>
      <sections name="Fast"/>
      <modes name="State"><literals name="On"/></modes>
    </swModel>
    <hwModel><system>
      <quartzes name="Old" frequency="5"/>
      <quartzes name="New"><frequency value="7.0" unit="MHz"/></quartzes>
    </system></hwModel>
    <constraintsModel><timingConstraints xsi:type="am:DelayConstraint" mappingType="OneToOne"/></constraintsModel>)",
                                 "0.7.1");
  INFO(converted.text());
  CHECK(converted.has("/swModel/tasks.0/callGraph/graphEntries.0/entries.0/items.0 : CallSequence"));
  CHECK(converted.has("/swModel/tasks.0/callGraph/graphEntries.0/entries.0 >values.0 = /swModel/modes.0/literals.0"));
  CHECK(converted.has("/swModel/labels.0 >section = /swModel/sections.0"));
  CHECK(converted.has("/swModel/labels.0/size @unit = kB"));
  CHECK(converted.has("/swModel/labels.1/size @unit = bit"));
  CHECK(test::holds(converted.text(), R"(<frequency value="5.0"/>)"));
  CHECK(test::holds(converted.text(), R"(<frequency unit="MHz" value="7.0"/>)"));
  CHECK(converted.has("/constraintsModel/timingConstraints.0 @mappingType = OneToOne"));
}

// ---- third-party models

namespace {

/// Takes out the custom properties that hold what the other tool drops; returns how many there were.
std::size_t drop_kept(std::vector<std::string>& differences) {
  std::vector<std::string> kept;  // "- /swModel/sections.0/customProperties.0"
  for (const std::string& line : differences)
    if (const std::size_t at = line.find(" @key = amalthea-converted."); at != std::string::npos && line[0] == '-')
      kept.push_back(line.substr(0, at));
  const auto of_kept = [&](const std::string& line) {
    return std::any_of(kept.begin(), kept.end(), [&](const std::string& property) {
      return line.starts_with(property) && (line[property.size()] == ' ' || line[property.size()] == '/');
    });
  };
  differences.erase(std::remove_if(differences.begin(), differences.end(), of_kept), differences.end());
  return kept.size();
}

struct Folder {
  std::string_view name;
  std::size_t kept;      ///< custom properties with what AMALTHEA's migration drops
  std::string_view why;  ///< what that is
};

}  // namespace

TEST_CASE("AMALTHEA's own test models of 0.7.0 convert to 0.7.1 like in its migration") {
  const std::string corpus = test::corpus_folder();
  const std::string pairs = corpus + "/app4mc/migration/071/";
  const Folder folders[] = {
      {"hw", 0, ""},
      {"propertyConstraints", 0, ""},
      {"sw", 2, "sizes of two sections"},
      {"sw.sections", 86, "23 section mappings and 63 mapping constraints of sections"},
  };
  for (const Folder& folder : folders) {
    INFO(folder.name << ": " << folder.why);
    const auto converted = test::convert_files({fmt::format("{}0.7.0/input/{}", pairs, folder.name)}, "0.7.1");
    REQUIRE(converted.done);
    auto differences =
        test::differences(converted.dump, test::dump_of({fmt::format("{}0.7.1/reference/{}", pairs, folder.name)}));
    CHECK(drop_kept(differences) == folder.kept);
    CHECK(differences == std::vector<std::string>{});
  }
  // References that only one converter of several has worked on (the root, the namespace): equal after the others.
  for (const auto& [input, reference] :
       {std::pair{"0.7.0/input/nonAmaltheaRootTag", "0.7.0/reference/nonAmaltheaRootTag"},
        std::pair{"0.7.0/input/namespace", "0.7.1/reference/namespace"}}) {
    INFO(reference);
    const auto converted = test::convert_files({pairs + input}, "0.7.1");
    const auto also = test::convert_files({pairs + reference}, "0.7.1");
    REQUIRE(converted.done);
    CHECK(test::differences(converted.dump, also.dump) == std::vector<std::string>{});
  }
}

namespace {

/// Folders with models of ITEA 1.3.0 or 0.7.0 and their files.
std::map<std::string, std::vector<std::string>> old_models(const std::string& corpus) {
  std::map<std::string, std::vector<std::string>> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus)) {
    if (!entry.is_regular_file() || !test::holds(entry.path().filename().string(), ".amxmi")) continue;
    const std::string head = test::read_text(entry.path().string()).substr(0, 2000);
    if (test::holds(head, "itea2.org/model/1.3.0") || test::holds(head, "eclipse.org/amalthea/0.7.0"))
      found[entry.path().parent_path().string()].push_back(entry.path().string());
  }
  return found;
}

}  // namespace

TEST_CASE("third-party models of ITEA 1.3.0 and 0.7.0 load in EMF as models of 0.7.1", "[emf]") {
  const std::string corpus = test::corpus_folder();
  test::EmfBatch emf;
  std::vector<std::pair<std::string, std::size_t>> asked;
  for (auto& [folder, files] : old_models(corpus)) {
    INFO(folder);
    std::sort(files.begin(), files.end());
    const auto converted = test::convert_files(files, "0.7.1");
    REQUIRE(converted.done);
    const std::string out = fmt::format("{}/{}", emf.folder(), asked.size());
    std::filesystem::create_directories(out);
    std::vector<std::string> question{test::EmfBatch::ecore(amalthea::Version::v0_7_1)};
    for (std::size_t i = 0; i < files.size(); ++i) {
      question.push_back(fmt::format("{}/{}", out, std::filesystem::path(files[i]).filename().string()));
      test::write_text(question.back(), converted.texts[i]);
    }
    question.emplace_back("--errors");
    asked.emplace_back(folder, emf.ask(question));
  }
  emf.run();
  CHECK(asked.size() > 30);
  for (const auto& [folder, number] : asked) {
    INFO(folder);
    const auto report = nlohmann::json::parse(emf.answer(number));
    INFO(report.dump(1).substr(0, 3000));
    // References by position that led nowhere in the ITEA files already.
    if (folder.ends_with("/111/itea-1.3.0/reference/components"))
      CHECK(report["errors"] == nlohmann::json{{"UnresolvedReferenceException", 11}});
    else
      CHECK(report["errors"].empty());
  }
}

}  // namespace rules_to_0_7_1_test
