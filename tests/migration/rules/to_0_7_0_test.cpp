// SPDX-License-Identifier: Apache-2.0
// ITEA 1.3.0 → 0.7.0: the rules, and comparison with AMALTHEA's own migration of its test models.

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "tests/migration/converted.hpp"
#include "tests/support/test_models.hpp"

namespace rules_to_0_7_0_test {

namespace {

/// The text of a file of ITEA 1.3.0: a root with all namespaces.
std::string itea_text(std::string_view content, std::string_view root = "central:AMALTHEA") {
  std::string namespaces;
  for (const std::string_view package : {"central", "common", "config", "constraints", "events", "hw", "mapping", "os",
                                         "propertyconstraints", "stimuli", "sw"})
    namespaces += fmt::format(R"( xmlns:{0}="http://www.amalthea.itea2.org/model/1.3.0/{0}")", package);
  namespaces += R"( xmlns:components="http://amalthea.itea2.org/model/1.3.0/components")";
  return fmt::format(
      R"(<?xml version="1.0" encoding="UTF-8"?>
<{0} xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"{1}>
{2}
</{0}>
)",
      root, namespaces, content);
}

using File = std::pair<std::string_view, std::string>;  // name and text

test::Converted convert_itea(const std::vector<File>& files, std::string_view to = "0.7.0") {
  const test::TemporaryFolder folder;
  std::vector<std::string> paths;
  for (const auto& [name, text] : files) {
    paths.push_back(fmt::format("{}/{}", folder.path(), name));
    test::write_text(paths.back(), text);
  }
  return test::convert_files(paths, to);
}

test::Converted convert_itea(std::string_view content) { return convert_itea({{"model.amxmi", itea_text(content)}}); }

}  // namespace

TEST_CASE("ITEA references lose the package of their class whether resolved or not") {
  const auto converted = convert_itea(R"(
    <swModel>
      <runnables name="Control" activation="Timer?type=sw.Periodic">
        <runnableItems xsi:type="sw:LabelAccess" data="Gone?type=sw.Label" access="read"/>
        <runnableItems xsi:type="sw:LabelAccess" access="write">
          <data href="amlt:/#Else+where?type=sw.Label"/>
        </runnableItems>
      </runnables>
      <activations xsi:type="sw:Periodic" name="Timer"/>
    </swModel>
    <hwModel>
      <customProperties key="system">
        <value xsi:type="common:ReferenceObject"><value xsi:type="hw:System" href="amlt:/#Car?type=hw.System"/></value>
      </customProperties>
    </hwModel>)");
  CHECK(converted.has("/swModel/runnables.0 >activation = /swModel/activations.0"));
  CHECK(test::holds(converted.text(), R"(data="Gone?type=Label")"));
  CHECK(test::holds(converted.text(), R"(href="amlt:/#Else+where?type=Label")"));
  CHECK(test::holds(converted.text(), R"(<value xsi:type="am:HwSystem" href="amlt:/#Car?type=HwSystem"/>)"));
  CHECK(converted.count("references name a class without its package") == 3);
}

TEST_CASE("ITEA references by xmi:id to other files become names or lose the file without a name") {
  const auto converted = convert_itea({{"a.amxmi-os", itea_text(R"(
                                          <osModel><operatingSystems>
                                            <taskSchedulers xmi:id="_named" name="First"/>
                                          </operatingSystems></osModel>)")},
                                       {"b.amxmi-mapping", itea_text(R"(
                                          <mappingModel>
                                            <coreAllocation>
                                              <scheduler xsi:type="os:TaskScheduler" href="a.amxmi-os#_named"/>
                                            </coreAllocation>
                                            <coreAllocation>
                                              <scheduler xsi:type="os:TaskScheduler" href="c.amxmi-os#_gone"/>
                                            </coreAllocation>
                                          </mappingModel>)")}});
  CHECK(test::holds(converted.texts[1], R"(href="amlt:/#First?type=TaskScheduler")"));
  CHECK(test::holds(converted.texts[1], R"(href="amlt:/#_gone")"));
}

TEST_CASE("unnamed objects keep the xmi:id of references to them") {
  const auto converted = convert_itea(R"(
    <hwModel>
      <system xmi:id="_system">
        <quartzes xmi:id="_first"/>
        <quartzes xmi:id="_second"/>
        <prescaler xmi:id="_prescaler" quartz="_first"/>
      </system>
    </hwModel>)");
  CHECK(converted.has("/hwModel/system/prescaler >quartz = /hwModel/system/quartzes.0"));
  CHECK(test::holds(converted.text(), R"(<quartzes xmi:id="_first"/>)"));
  CHECK_FALSE(test::holds(converted.text(), "_second"));
  CHECK_FALSE(test::holds(converted.text(), "_system"));
}

TEST_CASE("port kinds of ITEA become lower case in 0.7.0") {
  const auto converted = convert_itea(R"(
    <componentsModel><components>
      <ports xsi:type="components:FInterfacePort" name="In" kind="REQUIRES"/>
      <ports xsi:type="components:FInterfacePort" name="Out" kind="PROVIDES"/>
      <ports xsi:type="components:FInterfacePort" name="None"/>
    </components></componentsModel>)");
  CHECK(converted.has("/componentsModel/components.0/ports.0 @kind = requires"));
  CHECK(converted.has("/componentsModel/components.0/ports.1 @kind = provides"));
  CHECK(converted.count("InterfaceKind is in lower case") == 2);
}

TEST_CASE("the Franca interface of an ITEA port is kept as the custom property of APP4MC") {
  const auto converted = convert_itea(R"(
    <componentsModel><components>
      <ports xsi:type="components:FInterfacePort" name="Out"><interface href="car.fidl#//@interfaces.2"/></ports>
    </components></componentsModel>)");
  const std::string property = "/componentsModel/components.0/ports.0/customProperties.0";
  CHECK(converted.has(property + " @key = Franca interface"));
  CHECK(converted.has(property + "/value @value = car.fidl#//@interfaces.2"));
  CHECK(converted.count("the Franca interface of a port is a custom property") == 1);
}

TEST_CASE("attributes and features of ITEA hardware become custom properties of their type") {
  const auto converted = convert_itea(R"(
    <hwModel>
      <coreTypes name="Core">
        <attribute xsi:type="hw:BoolValue" name="locked" value="true"/>
        <attribute xsi:type="hw:CharValue" name="grade" value="65"/>
        <attribute xsi:type="hw:CharValue" name="sign" value="8364"/>
        <attribute xsi:type="hw:DoubleValue" name="volt" value="1.25"/>
        <features xsi:type="hw:FeatureTypes" name="unit" value="floatingPointUnit"/>
        <features xsi:type="hw:FeatureTypes"/>
        <features xsi:type="hw:IntValue" name="banks" value="3"/>
        <features xsi:type="hw:LongValue" name="bytes" value="5000000000"/>
        <features xsi:type="hw:StrValue" name="" value="any"/>
      </coreTypes>
    </hwModel>)");
  const auto property = [&](int number, std::string_view key, std::string_view cls, std::string_view value) {
    const std::string path = fmt::format("/hwModel/coreTypes.0/customProperties.{}", number);
    INFO(converted.dump);
    CHECK(converted.has(fmt::format("{} @key = {}", path, key)));
    CHECK(converted.has(fmt::format("{}/value : {}", path, cls)));
    CHECK(converted.has(fmt::format("{}/value @value {}", path, value)));
  };
  property(0, "attribute#locked", "BooleanObject", "= true");
  property(1, "attribute#grade", "StringObject", "= A");
  property(2, "attribute#sign", "StringObject", "= \xE2\x82\xAC");
  property(3, "attribute#volt", "DoubleObject", "= 1.2500000000000000e+00");
  property(4, "feature#FeatureTypes#unit", "StringObject", "= floatingPointUnit");
  property(5, "feature#FeatureTypes#null", "StringObject", "~ null");
  property(6, "feature#banks", "IntegerObject", "= 3");
  property(7, "feature#bytes", "LongObject", "= 5000000000");
  property(8, "feature#", "StringObject", "= any");
  CHECK(converted.count("attributes and features of hardware are custom properties") == 9);
}

TEST_CASE("an ITEA process allocation becomes a task or ISR allocation with all its content") {
  const auto converted = convert_itea({{"model.amxmi", itea_text(R"(
    <swModel><isrs name="Irq"/><tasks name="Control"/><tasks xmi:id="_brake" name="Brake"/></swModel>
    <osModel><operatingSystems>
      <taskSchedulers name="S"/><interruptControllers name="C"/>
    </operatingSystems></osModel>
    <mappingModel>
      <processAllocation xsi:type="mapping:ISRAllocation" process="Irq?type=sw.ISR"
                         scheduler="C?type=os.InterruptController"/>
      <processAllocation xsi:type="mapping:TaskAllocation" process="Control?type=sw.Task"
                         scheduler="S?type=os.TaskScheduler">
        <customProperties key="why"/>
      </processAllocation>
      <processAllocation xsi:type="mapping:TaskAllocation" process="_brake">
        <scheduler xsi:type="os:TaskScheduler" href="amlt:/#Other?type=os.TaskScheduler"/>
      </processAllocation>
      <processAllocation xsi:type="mapping:ISRAllocation">
        <process xsi:type="sw:ISR" href="amlt:/#OtherIrq?type=sw.ISR"/>
      </processAllocation>
    </mappingModel>)")}});
  INFO(converted.text());
  const std::string system = "/osModel/operatingSystems.0";
  CHECK(converted.has("/mappingModel/isrAllocation.0 >isr = /swModel/isrs.0"));
  CHECK(converted.has("/mappingModel/isrAllocation.0 >controller = " + system + "/interruptControllers.0"));
  CHECK(converted.has("/mappingModel/taskAllocation.0 >task = /swModel/tasks.0"));
  CHECK(converted.has("/mappingModel/taskAllocation.0 >scheduler = /osModel/operatingSystems.0/taskSchedulers.0"));
  CHECK(converted.has("/mappingModel/taskAllocation.0/customProperties.0 @key = why"));
  CHECK(converted.has("/mappingModel/taskAllocation.1 >task = /swModel/tasks.1"));
  CHECK(converted.has("/mappingModel/taskAllocation.1 >scheduler = !proxy amlt:/#Other?type=TaskScheduler"));
  CHECK(converted.has("/mappingModel/isrAllocation.1 >isr = !proxy amlt:/#OtherIrq?type=ISR"));
  CHECK(converted.count("taskAllocation instead of processAllocation") == 2);
  CHECK(converted.count("isrAllocation instead of processAllocation") == 2);
  CHECK_FALSE(test::holds(converted.dump, "amalthea-converted"));
}

TEST_CASE("renamed content of 0.7.0 has its new name in a converted ITEA model") {
  const auto converted = convert_itea(R"(
    <swModel>
      <runnables name="Control">
        <runnableItems xsi:type="sw:Group" isOrdered="true">
          <items><runnableItem xsi:type="sw:SemaphoreAccess" accessEnum="exclusive"/></items>
        </runnableItems>
      </runnables>
      <labels name="Speed" isBuffered="notBuffered"/>
      <events xsi:type="sw:OSEvent" name="Done"/>
    </swModel>
    <propertyConstraintsModel><memTypeDefinitions name="Ram" type="RAM"/></propertyConstraintsModel>)");
  CHECK(converted.has("/swModel/runnables.0/runnableItems.0 @ordered = true"));
  CHECK(converted.has("/swModel/runnables.0/runnableItems.0/items.0/runnableItem @access = exclusive"));
  CHECK(converted.has("/swModel/labels.0 @buffered = notBuffered"));
  CHECK(converted.has("/swModel/events.0 : OsEvent"));
  CHECK(converted.has("/propertyConstraintsModel/memoryTypeDefinitions.0 : MemoryType"));
}

TEST_CASE("AMALTHEA's own test models of ITEA 1.3.0 convert to 0.7.0 like in its migration") {
  const std::string corpus = test::corpus_folder();
  const std::string pairs = corpus + "/app4mc/migration/070/";
  // Files of the reference that stand in another folder than the other inputs, and inputs without a reference.
  const std::map<std::string, std::vector<std::string>> also{
      {"namespaces", {pairs + "0.7.0/input/namespaces/amalthea.amxmi"}}};
  for (const std::string folder : {"components", "hw", "mapping", "namespaces", "osmodel_namechanges",
                                   "pcmodel_memtype", "referenceUpdation", "sw"}) {
    INFO(folder);
    std::vector<std::string> inputs{pairs + "itea-1.3.0/input/" + folder};
    if (const auto more = also.find(folder); more != also.end())
      inputs.insert(inputs.end(), more->second.begin(), more->second.end());
    const auto converted = test::convert_files(inputs, "0.7.0");
    REQUIRE(converted.done);
    auto differences = test::differences(converted.dump, test::dump_of({pairs + "0.7.0/reference/" + folder}));
    // The reference has no IMX6.amxmi.
    const auto unpaired = [](const std::string& line) { return line.starts_with("- IMX6.amxmi:"); };
    differences.erase(std::remove_if(differences.begin(), differences.end(), unpaired), differences.end());
    CHECK(differences == std::vector<std::string>{});
  }
  // One input is of 0.7.0 already.
  const auto same = test::convert_files({pairs + "0.7.0/input/type"}, "0.7.0");
  CHECK(test::differences(same.dump, test::dump_of({pairs + "0.7.0/reference/type"})).empty());
}

}  // namespace rules_to_0_7_0_test
