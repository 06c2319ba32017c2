// SPDX-License-Identifier: Apache-2.0
// ITEA 1.1.0 → 1.2.0 → 1.3.0.

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/editable_model.hpp"
#include "amalthea/primitives/itea.hpp"
#include "exporter/models/model_dump.hpp"
#include "importer/reading/model_reader.hpp"
#include "migration/detail/itea_reference.hpp"
#include "migration/migration.hpp"
#include "tests/migration/converted.hpp"
#include "tests/support/test_models.hpp"

namespace itea_test {

using namespace amalthea;

namespace {

struct NamedText {
  std::string name, text;
};

/// A file whose root is `root` ("central:AMALTHEA"), with all namespaces declared.
std::string itea_text(std::string_view release, std::string_view root, std::string_view content) {
  const IteaRelease itea = migration::parse_release(release)->itea;
  std::string text = fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{} xmi:version=\"2.0\"", root);
  text += R"( xmlns:xmi="http://www.omg.org/XMI" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance")";
  for (const char* package : {"central", "common", "components", "config", "constraints", "events", "hw", "mapping",
                              "os", "propertyconstraints", "stimuli", "sw"})
    text += fmt::format(" xmlns:{}=\"{}\"", package, itea_namespace(package, itea));
  return text + fmt::format(">\n{}\n</{}>\n", content, root);
}

struct IteaResult {
  std::vector<NamedText> files;
  std::string dump;
  std::vector<migration::RuleRecord> rules;
  Diagnostics diagnostics;

  bool has(std::string_view part) const { return files.front().text.find(part) != std::string::npos; }
  bool has_line(std::string_view line) const {
    return ("\n" + dump).find(fmt::format("\n{}\n", line)) != std::string::npos;
  }
  std::size_t count(std::string_view rule) const {
    std::size_t count = 0;
    for (const auto& record : rules)
      if (record.rule == rule) count += record.count;
    return count;
  }
};

IteaResult convert_texts(std::vector<NamedText> files, std::string_view to) {
  IteaResult result;
  std::vector<importer::NamedBytes> bytes;
  for (NamedText& file : files) bytes.push_back({file.name, file.text});
  const auto model = importer::read_model_from_bytes(std::move(bytes), {}, result.diagnostics);
  REQUIRE(model);
  EditableModel editable(*model, SharedIds::apart);
  migration::Record record(result.diagnostics);
  const auto release = *migration::parse_release(to);
  REQUIRE(migration::migrate(editable, migration::release_of(*model->documents().front()), release, record,
                             result.diagnostics));
  result.rules = record.rules();
  std::vector<importer::NamedBytes> written;
  for (const EditableModel::File& file : editable.files()) {
    result.files.push_back(
        {std::filesystem::path(file.path).filename().string(), migration::write(*file.root, release)});
    written.push_back({result.files.back().name, result.files.back().text});
  }
  Diagnostics diagnostics;
  const auto again = importer::read_model_from_bytes(std::move(written), {}, diagnostics);
  REQUIRE(again);
  CHECK(migration::release_of(*again->documents().front()) == release);
  result.dump = exporter::dump_model(*again);
  return result;
}

IteaResult convert_itea(std::string_view from, std::string_view content, std::string_view to,
                        std::string_view root = "central:AMALTHEA") {
  return convert_texts({{"model.amxmi", itea_text(from, root, content)}}, to);
}

}  // namespace

// ---- 1.2.0

TEST_CASE("the schedulers of an ITEA 1.1.0 model get an operating system") {
  const auto result = convert_itea("itea-1.1.0", R"(<osModel>
    <scheduler name="S1"><schedulingAlgorithm xsi:type="os:DeadlineMonotinic"/></scheduler>
    <scheduler name="S2"/></osModel>)",
                                   "itea-1.2.0");
  CHECK(result.has_line("/osModel/operatingSystems.0 @name = OperatingSystem"));
  CHECK(result.has_line("/osModel/operatingSystems.0/taskSchedulers.0/schedulingAlgorithm : DeadlineMonotonic"));
  CHECK(result.has(R"(<schedulingAlgorithm xsi:type="os:DeadlineMonotonic"/>)"));
  CHECK(result.has_line("/osModel/operatingSystems.0/taskSchedulers.1 @name = S2"));
  CHECK(result.count("the schedulers of an OSModel belong to an operating system") == 2);
}

TEST_CASE("the statistic of a label access keeps the value of the kind of access") {
  const auto result = convert_itea("itea-1.1.0", R"(<swModel><runnables name="R">
    <runnableItems xsi:type="sw:LabelAccess" access="write"><statistic>
      <read xsi:type="common:SingleValueStatistic" value="1"/><write xsi:type="common:SingleValueStatistic" value="2"/>
      <readCacheMisses xsi:type="common:SingleValueStatistic" value="3"/></statistic></runnableItems>
    <runnableItems xsi:type="sw:LabelAccess"><statistic>
      <read xsi:type="common:SingleValueStatistic" value="4"/></statistic></runnableItems></runnables></swModel>)",
                                   "itea-1.2.0");
  CHECK(result.has_line("/swModel/runnables.0/runnableItems.0/statistic/value @value = 2.0000000000000000e+00"));
  CHECK(result.has_line("/swModel/runnables.0/runnableItems.0/statistic/cacheMisses @value = 3.0000000000000000e+00"));
  CHECK(result.has_line("/swModel/runnables.0/runnableItems.1/statistic/value @value = 4.0000000000000000e+00"));
  CHECK(result.has("amalthea-converted.itea-1.1.0.read"));
}

TEST_CASE("allocations of ITEA 1.1.0 concern tasks and ISRs and runnables and ISRs get an interrupt controller") {
  const auto result = convert_itea("itea-1.1.0", R"(
    <swModel><isrs name="I"/><tasks name="T"/><runnables name="R"/></swModel>
    <osModel><scheduler name="S1"/><scheduler name="S2"/></osModel>
    <mappingModel>
      <executableAllocation xsi:type="mapping:ProcessAllocation" scheduler="//@osModel/@scheduler.1"
          process="//@swModel/@isrs.0"/>
      <executableAllocation xsi:type="mapping:RunnableAllocation" scheduler="//@osModel/@scheduler.1"
          entity="//@swModel/@runnables.0"/>
      <executableAllocation xsi:type="mapping:ProcessAllocation" scheduler="//@osModel/@scheduler.0"
          process="//@swModel/@tasks.0"/>
    </mappingModel>)",
                                   "itea-1.2.0");
  CHECK(result.has_line(
      "/osModel/operatingSystems.0/interruptControllers.0 @name = interruptController1_migration_generated"));
  CHECK(result.has_line("/osModel/operatingSystems.0/interruptControllers.0/schedulingAlgorithm : PriorityBased"));
  CHECK(result.has(R"(<processAllocation xsi:type="mapping:ISRAllocation")"));
  CHECK(result.has(R"(scheduler="_interruptController1_migration_generated")"));
  CHECK(result.has(R"(scheduler="//@osModel/@operatingSystems.0/@taskSchedulers.0")"));
  CHECK(result.has(R"(scheduler="//@osModel/@operatingSystems.0/@taskSchedulers.1")"));
  CHECK(result.has(R"(<processAllocation xsi:type="mapping:TaskAllocation")"));
  CHECK(result.has("<runnableAllocation "));
  CHECK(result.has(R"(process="//@swModel/@tasks.0")"));
}

TEST_CASE("addresses of schedulers in other files follow them into their operating system") {
  const auto result =
      convert_texts({{"mapping.amxmi-mapping", itea_text("itea-1.1.0", "mapping:MappingModel", R"(
          <executableAllocation xsi:type="mapping:RunnableAllocation">
            <scheduler href="os.amxmi-os#//@scheduler.0"/><entity href="sw.amxmi-sw#//@runnables.0"/>
          </executableAllocation>)")},
                     {"os.amxmi-os", itea_text("itea-1.1.0", "os:OSModel", R"(<scheduler name="S"/>)")},
                     {"sw.amxmi-sw", itea_text("itea-1.1.0", "sw:SWModel", R"(<runnables name="R"/>)")}},
                    "itea-1.2.0");
  CHECK(result.has(
      R"(<scheduler xsi:type="os:TaskScheduler" href="os.amxmi-os#//@operatingSystems.0/@taskSchedulers.0"/>)"));
  CHECK(result.has(R"(<entity href="sw.amxmi-sw#//@runnables.0"/>)"));
}

// ---- 1.3.0

TEST_CASE("files of ITEA 1.3.0 end in .amxmi and addresses follow") {
  const auto result =
      convert_texts({{"mapping.amxmi", itea_text("itea-1.2.0", "central:AMALTHEA", R"(<mappingModel>
          <runnableAllocation><entity href="sw.amxmi-sw#//@runnables.0"/></runnableAllocation></mappingModel>)")},
                     {"sw.amxmi-sw", itea_text("itea-1.2.0", "sw:SWModel", R"(<runnables name="R"/>)")}},
                    "itea-1.3.0");
  CHECK(result.files[1].name == "sw.amxmi-sw.amxmi");
  CHECK(result.has(R"(href="sw.amxmi-sw.amxmi#//@runnables.0")"));
  CHECK(result.has_line("mapping.amxmi:/mappingModel/runnableAllocation.0 >entity = sw.amxmi-sw.amxmi:/runnables.0"));
}

TEST_CASE("elements of ITEA component models move to the features of their kind") {
  const auto result = convert_itea("itea-1.2.0", R"(<componentsModel>
    <elements xsi:type="components:Component" name="C"><ports xsi:type="components:FInterfacePort" name="p"/></elements>
    <elements xsi:type="components:Composite" name="D">
      <elements xsi:type="components:ComponentInstance" name="i" type="//@componentsModel/@elements.0"/></elements>
    <elements xsi:type="components:System" name="S">
      <elements xsi:type="components:Connector" name="n">
        <sourcePort instance="//@componentsModel/@elements.1/@elements.0"/></elements></elements>
    </componentsModel>)",
                                   "itea-1.3.0");
  CHECK(result.has(R"(<ports xsi:type="components:FInterfacePort" name="p" kind="PROVIDES"/>)"));
  CHECK(result.has_line("/componentsModel/components.1 : Composite"));
  CHECK(result.has_line("/componentsModel/components.1/componentInstances.0 >type = /componentsModel/components.0"));
  CHECK(
      result.has_line("/componentsModel/systems.0/connectors.0/sourcePort >instance = "
                      "/componentsModel/components.1/componentInstances.0"));
}

TEST_CASE("label values of ITEA stimuli become mode literals") {
  const auto result = convert_itea("itea-1.2.0", R"(<swModel><labels name="L"/></swModel>
    <stimuliModel><stimuli xsi:type="stimuli:Periodic" name="P">
      <setLabelsList><entries valueProvider="//@swModel/@labels.0" value="7"/></setLabelsList>
      <enablingLabelsList><entries valueProvider="//@swModel/@labels.0"/></enablingLabelsList>
      <disablingLabelsList><entries valueProvider="//@swModel/@labels.0" value="7"/></disablingLabelsList>
    </stimuli></stimuliModel>)",
                                   "itea-1.3.0");
  CHECK(result.has_line("/swModel/modeLabels.0 @name = L"));
  CHECK_FALSE(result.has_line("/swModel/modeLabels.1 @name = L"));
  CHECK(result.has_line("/swModel/modes.0 @name = mode_stimuli_1_migration_generated"));
  CHECK(result.has_line("/swModel/modes.0/literals.1 @name = 0"));
  CHECK(result.has_line("/stimuliModel/stimuli.0/setModeValueList/entries.0 >value = /swModel/modes.0/literals.0"));
  CHECK(
      result.has_line("/stimuliModel/stimuli.0/enablingModeValueList/entries.0 >value = /swModel/modes.0/literals.1"));
  CHECK(result.has_line(
      "/stimuliModel/stimuli.0/disablingModeValueList/entries.0 >valueProvider = /swModel/modeLabels.0"));
}

TEST_CASE("label switches of ITEA 1.2.0 become mode switches") {
  const auto result = convert_itea("itea-1.2.0", R"(<swModel><tasks name="T"><callGraph>
      <graphEntries xsi:type="sw:LabelSwitch" label="_l"><entries isDefault="true"/><entries value="5"/></graphEntries>
    </callGraph></tasks><labels xmi:id="_l" name="L" initialValue="5"/></swModel>)",
                                   "itea-1.3.0");
  CHECK(result.has(R"(xsi:type="sw:ModeSwitch")"));
  CHECK(result.has(R"(isDefault="true")"));
  const std::string place = "/swModel/tasks.0/callGraph/graphEntries.0";
  CHECK(result.has_line(place + " >valueProvider = /swModel/modeLabels.0"));
  CHECK(result.has_line(place + "/entries.0 >value = /swModel/modes.0/literals.0"));
  CHECK(result.has_line(place + "/entries.1 >value = /swModel/modes.0/literals.1"));
  CHECK(result.has_line("/swModel/modes.0 @name = mode_sw_0_migration_generated"));
  CHECK(result.has("amalthea-converted.itea-1.2.0.initialValue"));
}

TEST_CASE("a label in another file that controls a switch becomes a mode label there") {
  const auto result =
      convert_texts({{"tasks.amxmi", itea_text("itea-1.2.0", "central:AMALTHEA", R"(<swModel><tasks name="T"><callGraph>
          <graphEntries xsi:type="sw:LabelSwitch"><label href="labels.amxmi-sw#_l"/><entries value="5"/></graphEntries>
        </callGraph></tasks></swModel>)")},
                     {"labels.amxmi-sw", itea_text("itea-1.2.0", "sw:SWModel", R"(<labels xmi:id="_l" name="L"/>)")}},
                    "itea-1.3.0");
  CHECK(result.has(R"(<valueProvider xsi:type="sw:ModeLabel" href="labels.amxmi-sw.amxmi#L?type=sw.ModeLabel"/>)"));
  CHECK(
      result.has_line("tasks.amxmi:/swModel/tasks.0/callGraph/graphEntries.0 >valueProvider = "
                      "labels.amxmi-sw.amxmi:/modeLabels.0"));
}

TEST_CASE("a label switch with an unresolved label keeps its content") {
  const auto result = convert_itea("itea-1.2.0", R"(<swModel><tasks name="T"><callGraph>
      <graphEntries xsi:type="sw:LabelSwitch"><label href="gone.amxmi#_l"/><entries/></graphEntries>
    </callGraph></tasks></swModel>)",
                                   "itea-1.3.0");
  CHECK(result.has("amalthea-converted.itea-1.2.0.label"));
  CHECK(result.has("gone.amxmi#_l"));
}

TEST_CASE("a process deadline of ITEA 1.2.0 becomes a requirement") {
  const auto result = convert_itea("itea-1.2.0", R"(<swModel>
    <tasks name="T"><deadline value="22" unit="ns"/></tasks><isrs><deadline/></isrs></swModel>)",
                                   "itea-1.3.0");
  const std::string place = "/constraintsModel/requirements.0";
  CHECK(result.has_line(place + " : ProcessRequirement"));
  CHECK(result.has_line(place + " @name = T"));
  CHECK(result.has_line(place + " >process = /swModel/tasks.0"));
  CHECK(result.has_line(place + "/limit @metric = ResponseTime"));
  CHECK(result.has_line(place + "/limit/limitValue @value = 22"));
  CHECK(result.has_line(place + "/limit/limitValue @unit = ns"));
  CHECK(result.has_line("/constraintsModel/requirements.1 >process = /swModel/isrs.0"));
  CHECK(result.has_line("/constraintsModel/requirements.1/limit/limitValue @unit = ps"));
  CHECK_FALSE(result.has("<deadline"));
}

TEST_CASE("a deadline without a model for its requirement is kept as a property") {
  const auto result = convert_itea("itea-1.2.0", R"(<tasks name="T"><deadline value="22" unit="ns"/></tasks>)",
                                   "itea-1.3.0", "sw:SWModel");
  CHECK(result.has("amalthea-converted.itea-1.2.0.deadline"));
}

TEST_CASE("ITEA 1.3.0 states what was the first literal of an enumeration") {
  const auto result = convert_itea("itea-1.2.0", R"(
    <swModel><tasks name="T"/><runnables name="R"><deadline/><runnableItems xsi:type="sw:LabelAccess"/>
      <runnableItems xsi:type="sw:SemaphoreAccess"/>
      <runnableItems xsi:type="sw:SynchronousServerCall" waitingBehaviour="unspecified"/></runnables></swModel>
    <hwModel><memoryTypes name="M"/><networkTypes xsi:type="hw:Bus" name="B"/></hwModel>
    <mappingModel/>)",
                                   "itea-1.3.0");
  CHECK(result.has(R"(<tasks name="T" preemption="cooperative"/>)"));
  CHECK(result.has(R"(<deadline unit="ps"/>)"));
  CHECK(result.has(R"(<runnableItems xsi:type="sw:LabelAccess" access="read"/>)"));
  CHECK(result.has(R"(<runnableItems xsi:type="sw:SemaphoreAccess" accessEnum="request"/>)"));
  CHECK(result.has(R"(<runnableItems xsi:type="sw:SynchronousServerCall"/>)"));
  CHECK(result.has(R"(<memoryTypes name="M" type="RAM"/>)"));
  CHECK(result.has(R"(<networkTypes xsi:type="hw:Bus" name="B" busType="CAN" schedPolicy="RROBIN"/>)"));
  CHECK(result.has(R"(<mappingModel addressMappingType="none"/>)"));
}

TEST_CASE("custom properties of ITEA 1.3.0 refer only to named objects") {
  const auto result = convert_itea("itea-1.2.0", R"(<swModel xmi:id="_sw"><labels name="L">
    <customProperties key="to"><value xsi:type="common:ReferenceObject" value="_sw"/></customProperties>
    <customProperties key="too"><value xsi:type="common:ReferenceObject" value="_l"/></customProperties>
    </labels><labels name="K" xmi:id="_l"/></swModel>)",
                                   "itea-1.3.0");
  CHECK(result.has(R"(<customProperties key="to"/>)"));
  CHECK(result.has_line("/swModel/labels.0/customProperties.1/value >value = /swModel/labels.1"));
  CHECK(result.has("amalthea-converted.itea-1.2.0.value"));
}

// ---- the text form

TEST_CASE("ITEA files have a namespace for each used package and the names of their release") {
  const std::string content = R"(<swModel><tags tagName="G"/><labels name="L" isBuffered="x"/></swModel>
    <constraintsModel><dataAgeConstraints><dataAge xsi:type="constraints:DataAgeCycle" maximumCyle="3"/>
    </dataAgeConstraints></constraintsModel>)";
  const auto older = convert_itea("itea-1.1.0", content, "itea-1.2.0");
  CHECK(older.has("<central:AMALTHEA xmi:version=\"2.0\""));
  CHECK(older.has(R"(xmlns:constraints="http://www.amalthea.itea2.org/model/1.2.0/constraints")"));
  CHECK_FALSE(older.has("xmlns:hw="));
  CHECK(older.has(R"(<tags tagName="G"/>)"));
  CHECK(older.has(R"(maximumCyle="3")"));
  CHECK(older.has(R"(isBuffered="x")"));
  const auto newer = convert_itea("itea-1.1.0", content, "itea-1.3.0");
  CHECK(newer.has(R"(<tags name="G"/>)"));
  CHECK(newer.has(R"(maximumCycle="3")"));
}

TEST_CASE("ITEA 1.3.0 uses names where 1.2.0 uses positions") {
  const std::string content = R"(<hwModel><coreTypes name="C"/><system><ecus><microcontrollers>
    <cores coreType="//@hwModel/@coreTypes.0"/></microcontrollers></ecus></system></hwModel>)";
  CHECK(convert_itea("itea-1.1.0", content, "itea-1.2.0").has(R"(coreType="//@hwModel/@coreTypes.0")"));
  CHECK(convert_itea("itea-1.1.0", content, "itea-1.3.0").has(R"(coreType="C?type=hw.CoreType")"));
}

TEST_CASE("positions use the feature names of the release") {
  const auto result = convert_itea("itea-1.1.0", R"(<propertyConstraintsModel>
    <memTypeDefinitions/><mappingConstraints xsi:type="propertyconstraints:AbstractElementMappingConstraint">
    <hwConstraint xsi:type="propertyconstraints:HwMemoryProperty">
    <memory type="//@propertyConstraintsModel/@memTypeDefinitions.0"/></hwConstraint></mappingConstraints>
    </propertyConstraintsModel>)",
                                   "itea-1.2.0");
  CHECK(result.has(R"(<memory type="//@propertyConstraintsModel/@memTypeDefinitions.0"/>)"));
  CHECK(result.dump.find("/hwConstraint/memory >type = /propertyConstraintsModel/memoryTypeDefinitions.0") !=
        std::string::npos);
}

TEST_CASE("elements without a class in 0.7.0 pass ITEA releases unchanged") {
  const auto result = convert_itea("itea-1.1.0", R"(<!-- a --><attribute xsi:type="hw:BoolValue" xmi:id="_b"/>
    <components name="N"/><!-- z -->)",
                                   "itea-1.3.0", "hw:Quartz");
  CHECK(result.has("<hw:Quartz "));
  CHECK(result.has(R"(<attribute xsi:type="hw:BoolValue" xmi:id="_b"/>)"));
  CHECK(result.has("<!-- a -->"));
  CHECK(result.has("<!-- z -->"));
}

// ---- against AMALTHEA's own migration

TEST_CASE("a model that already has the new form is unchanged") {
  const auto once = convert_itea("itea-1.2.0", R"(<swModel><tasks name="T"><callGraph>
      <graphEntries xsi:type="sw:LabelSwitch" label="_l"><entries value="5"/></graphEntries></callGraph></tasks>
      <labels xmi:id="_l" name="L"/></swModel><componentsModel><elements xsi:type="components:Component"/>
      </componentsModel>)",
                                 "itea-1.3.0");
  std::string mixed = once.files.front().text;
  for (std::size_t at = mixed.find("/1.3.0/"); at != std::string::npos; at = mixed.find("/1.3.0/"))
    mixed.replace(at, 7, "/1.2.0/");
  const auto twice = convert_texts({{"model.amxmi", mixed}}, "itea-1.3.0");
  CHECK(twice.dump == once.dump);
  for (const auto& rule : twice.rules) CHECK(rule.count == 0);
}

namespace {

namespace fs = std::filesystem;

/// The files that AMALTHEA's migration made of each folder, and the inputs that they were made of.
struct Pair {
  std::string folder;
  std::vector<std::string> inputs, references;
};

std::vector<Pair> pairs(const std::string& number, const std::string& from, const std::string& to) {
  std::vector<Pair> found;
  const fs::path base = fs::path(test::corpus_folder("/app4mc/migration")) / number;
  const fs::path references = base / to / "reference";
  std::map<std::string, std::vector<fs::path>> folders;
  for (const auto& entry : fs::recursive_directory_iterator(references))
    if (entry.is_regular_file())
      folders[fs::relative(entry.path().parent_path(), references).string()].push_back(entry.path());
  for (auto& [folder, files] : folders) {
    std::sort(files.begin(), files.end());
    Pair pair{folder, {}, {}};
    for (const fs::path& file : files) {
      const fs::path input = base / from / "input" / folder;
      const fs::path name = file.filename();
      for (const fs::path& candidate : {input / name, input / name.stem(), input / "modes" / name})
        if (fs::exists(candidate)) {
          pair.inputs.push_back(candidate.string());
          pair.references.push_back(file.string());
          break;
        }
    }
    found.push_back(std::move(pair));
  }
  return found;
}

/// Every element and attribute of a model on a line, whether 0.7.0 has it or not; references by where they lead.
std::string all_of(const EditableModel& model) {
  const migration::IteaReferences references(model);
  std::string lines;
  const auto file_of = [&](const Object& object) {
    for (const EditableModel::File& file : model.files())
      if (file.root.get() == &migration::root_of(object)) return fs::path(file.path).filename().string();
    return std::string();
  };
  migration::Positions positions;
  for (const EditableModel::File& file : model.files())
    positions.merge(migration::positions_in(*file.root, IteaRelease::v1_3_0));
  const auto place = [&](const Object& object) { return file_of(object) + ":" + positions.at(&object); };
  model.for_each([&](Object& object) {
    const std::string at = place(object);
    const std::string_view type = object.cls() == no_class ? object.attribute_or("xsi:type", "") : object.class_name();
    lines += fmt::format("{} : {}\n", at, type);
    for (const Field& field : object.fields()) {
      const std::string_view name = model.name(field.name);
      if (name == "xmi:id" || name == "xsi:type" || name == "xmi:type") continue;
      const bool may_be_reference = field.kind != FieldKind::value || field.text.find_first_of("_/#") == 0 ||
                                    field.text.find('#') != std::string_view::npos;
      const Object* const target = may_be_reference ? references.find(object, field.text) : nullptr;
      lines += fmt::format("{} @{} = {}\n", at, name, target == nullptr ? std::string(field.text) : place(*target));
    }
  });
  return lines;
}

Model read_texts(const std::vector<NamedText>& files) {
  std::vector<importer::NamedBytes> bytes;
  for (const NamedText& file : files) bytes.push_back({file.name, file.text});
  Diagnostics diagnostics;
  auto model = importer::read_model_from_bytes(std::move(bytes), {}, diagnostics);
  REQUIRE(model);
  return std::move(*model);
}

std::string all_of(const std::vector<NamedText>& files) {
  const Model model = read_texts(files);
  return all_of(EditableModel(model, SharedIds::apart));
}

std::string dump_of(const std::vector<NamedText>& files) { return exporter::dump_model(read_texts(files)); }

std::vector<NamedText> read_files(const std::vector<std::string>& paths) {
  std::vector<NamedText> files;
  for (const std::string& path : paths) files.push_back({fs::path(path).filename().string(), test::read_text(path)});
  return files;
}

/// Differences of all pairs, as "folder - line".
std::vector<std::string> pair_differences(const std::string& number, const std::string& from, const std::string& to) {
  std::vector<std::string> found;
  for (const Pair& pair : pairs(number, from, to)) {
    INFO(pair.folder);
    const auto result = convert_texts(read_files(pair.inputs), to);
    const auto references = read_files(pair.references);
    for (const std::string& line : test::differences(all_of(references), all_of(result.files)))
      found.push_back(pair.folder + " " + line);
    for (const std::string& line : test::differences(dump_of(references), result.dump))
      found.push_back(pair.folder + " dump " + line);
  }
  return found;
}

}  // namespace

namespace {

/// All that attributes say which are no references; `unspecified` is what 1.3.0 says by saying nothing.
std::set<std::string> values_of(const std::vector<NamedText>& files) {
  const Model model = read_texts(files);
  const EditableModel editable(model, SharedIds::apart);
  std::set<std::string> values;
  editable.for_each([&](const Object& object) {
    for (const Field& field : object.fields()) {
      const std::string_view name = editable.name(field.name);
      if (field.kind != FieldKind::value || name.find(':') != std::string_view::npos || name == "href") continue;
      if (field.text.starts_with('_') || field.text.find("//@") != std::string_view::npos) continue;
      if (field.text != "unspecified") values.emplace(field.text);
    }
  });
  return values;
}

/// A difference that there may be: lines of a folder that hold the text.
struct Expected {
  std::string_view folder, text, reason;
};

void check(const std::vector<std::string>& differences, const std::vector<Expected>& expected) {
  std::vector<bool> seen(expected.size(), false);
  for (const std::string& line : differences) {
    bool found = false;
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (line.starts_with(fmt::format("{} ", expected[i].folder)) && line.find(expected[i].text) != std::string::npos)
        found = seen[i] = true;
    INFO(line);
    CHECK(found);
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO("no longer there: " << expected[i].folder << ' ' << expected[i].text);
    CHECK(seen[i]);
  }
}

}  // namespace

TEST_CASE("conversion of ITEA 1.1.0 matches AMALTHEA's own migration") {
  constexpr std::string_view kept = "what a reading access says of writing is kept, AMALTHEA's migration drops it";
  check(pair_differences("110", "itea-1.1.0", "itea-1.2.0"),
        {{"sw", "@statistic/@customProperties.0", kept}, {"sw", "statistic/customProperties.0", kept}});
}

TEST_CASE("conversion of ITEA 1.2.0 matches AMALTHEA's own migration") {
  constexpr std::string_view dangling =
      "references by position follow what moves; those of AMALTHEA's migration lead nowhere in this pair";
  constexpr std::string_view kept = "AMALTHEA's migration drops it";
  constexpr std::string_view twice = "AMALTHEA's migration makes another mode label for a reference from another file";
  check(pair_differences("111", "itea-1.2.0", "itea-1.3.0"),
        {{"components", "@type = ", dangling},
         {"components", "@instance = ", dangling},
         {"components", "@port = ", dangling},
         {"components", ">type = ", dangling},
         {"components", ">instance = ", dangling},
         {"components", ">port = ", dangling},
         {"components", "!unresolved", dangling},
         {"custprops_refobjs", "labels.1/@customProperties.", kept},
         {"custprops_refobjs", "labels.1/customProperties.", kept},
         {"sw", "labels.0/@customProperties.0", kept},
         {"sw", "labels.0/customProperties.0", kept},
         {"sw", "modeLabels.1", twice},
         {"sw", "@valueProvider = default.amxmi-sw.amxmi://@modeLabels.0", twice},
         {"sw", ">valueProvider = default.amxmi-sw.amxmi:/modeLabels.0", twice}});
}

TEST_CASE("every ITEA model converts to 1.3.0 and reads back the same") {
  std::size_t models = 0;
  for (const auto& entry : fs::recursive_directory_iterator(test::corpus_folder())) {
    const std::string extension = entry.path().extension().string();
    if (!entry.is_regular_file() || !extension.starts_with(".amxmi")) continue;
    const std::string text = test::read_text(entry.path().string());
    if (text.substr(0, 4000).find("amalthea.itea2.org/model/") == std::string::npos) continue;
    INFO(entry.path().string());
    const auto result = convert_texts({{entry.path().filename().string(), text}}, "itea-1.3.0");
    ++models;
    const std::string all = all_of(result.files);
    for (const std::string& value : values_of({{entry.path().filename().string(), text}})) {
      INFO(value);
      CHECK(all.find(value) != std::string::npos);
    }
    const auto again = convert_texts(result.files, "itea-1.3.0");
    CHECK(again.dump == result.dump);
    CHECK(again.files.front().text == result.files.front().text);
  }
  CHECK(models > 80);
}

TEST_CASE("an id that distinguishes unnamed objects is kept") {
  const auto converted = test::convert("0.7.0", R"(<swModel><tasks xmi:id="_a"/><tasks xmi:id="_b"/>
    <runnables xmi:id="_r" name="R"/></swModel>
    <mappingModel><taskAllocation task="_a"/><runnableAllocation entity="_r"/></mappingModel>)",
                                       "0.7.1");
  CHECK(converted.has("/mappingModel/taskAllocation.0 >task = /swModel/tasks.0"));
  CHECK(converted.has("/mappingModel/runnableAllocation.0 >entity = /swModel/runnables.0"));
  CHECK(converted.text().find("xmi:id=\"_a\"") != std::string::npos);
  CHECK(converted.text().find("xmi:id=\"_r\"") == std::string::npos);
}

}  // namespace itea_test
