// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Models of older versions in which a core accesses a label in a memory: before 0.9.0 over a path that states latencies
/// or over the ports of the parts on the way, since then with an access element.

#include <string>
#include <string_view>

#include <fmt/core.h>

#include "amalthea/metamodel.hpp"
#include "tests/support/test_models.hpp"
#include "tests/support/timed_models.hpp"

namespace holes {

/// timed_model() in which the runnable R reads and writes the label L of 8 bytes.
inline std::string with_accesses(amalthea::Version version) {
  using amalthea::Version;
  const std::string accesses = R"(<runnables name="R">
    <runnableItems xsi:type="am:LabelAccess" data="L?type=Label" access="read"/>
    <runnableItems xsi:type="am:LabelAccess" data="L?type=Label" access="write"/>)";
  const std::string size = version == Version::v0_7_0   ? R"(<size numberBits="64"/>)"
                           : version <= Version::v0_7_2 ? R"(<size value="8" unit="byte"/>)"
                                                        : R"(<size value="8" unit="B"/>)";
  std::string text = test::timed_model(version);
  if (version <= Version::v0_8_0)  // an overhead that is not simulated
    text = test::replaced(
        text, R"(<schedulingUnit xsi:type="am:SchedulingHWUnit"><delay value="5" unit="ns"/></schedulingUnit>)", "");
  text = test::replaced(text, R"(<runnables name="R">)", accesses);
  return test::replaced(text, R"(<labels name="L"/>)", R"(<labels name="L">)" + size + "</labels>");
}

/// The core's path states two latencies for each direction; one of a path that is part of it.
inline std::string memory_behind_latencies(amalthea::Version version) {
  return test::replaced(test::replaced(with_accesses(version), R"(source="C0?type=Core")", R"(source="C1?type=Core")"),
                        "</accessPaths>",
                        R"(<latencies xsi:type="am:AccessPathRef" ref="Inner?type=LatencyAccessPath"/>
  </accessPaths>
  <accessPaths xsi:type="am:LatencyAccessPath" name="Inner">
    <latencies xsi:type="am:LatencyConstant" quartz="Q?type=Quartz" value="40"/>
  </accessPaths>)");
}

/// The core's path leads over ports with cycles of a slower network and memory.
inline std::string memory_behind_ports(amalthea::Version version) {
  std::string text = with_accesses(version);
  const std::size_t begin = text.find("<accessPaths "), end = text.find("</accessPaths>");
  text.replace(begin, end - begin,
               R"(<accessPaths xsi:type="am:HwAccessPath" name="C1toM" source="C1?type=Core" target="M?type=Memory">
    <hwElements xsi:type="am:HwElementRef" port="C1/core?type=ComplexPort"/>
    <hwElements xsi:type="am:HwAccessPathRef" ref="Inner?type=HwAccessPath"/>
  </accessPaths>
  <accessPaths xsi:type="am:HwAccessPath" name="Inner">
    <hwElements xsi:type="am:HwElementRef" port="N/net?type=ComplexPort"/>
    <hwElements xsi:type="am:HwElementRef" port="M/mem?type=ComplexPort"/>
  )");
  const auto with_port = [&text](std::string_view element, std::string_view port, std::string_view prescaler) {
    const std::string closed = std::string(element) + "/>";
    text = test::replaced(
        text, closed,
        fmt::format(
            R"({}><prescaler name="Of_{}" clockRatio="{}" quartz="Q?type=Quartz"/><ports xsi:type="am:ComplexPort" name="{}" network="N?type=Network" master="{}" bitWidth="32" direction="RW" writeCycles="12" readCycles="10"/></{}>)",
            element, port, prescaler, port, port == "core", element.substr(1, element.find(' ') - 1)));
  };
  with_port(R"(<memories name="M" type="Ram?type=MemoryType")", "mem", "0.25");
  with_port(R"(<networks name="N" type="Bar?type=CrossbarSwitch")", "net", "0.5");
  return test::replaced(
      text, R"(<prescaler name="P1" clockRatio="1.0" quartz="Q?type=Quartz"/>)",
      R"(<prescaler name="P1" clockRatio="1.0" quartz="Q?type=Quartz"/><ports xsi:type="am:ComplexPort" name="core" network="N?type=Network" master="true" bitWidth="32" direction="RW" writeCycles="1" readCycles="1"/>)");
}

/// The core has an access element with latencies (0.9.0 to 0.9.4).
inline std::string memory_behind_element(amalthea::Version version) {
  std::string text = with_accesses(version);
  const std::string_view close = "</accessElements>";
  const std::size_t begin = text.find("<accessElements "), end = text.find(close) + close.size();
  const std::string element = text.substr(begin, end - begin);
  text.erase(begin, end - begin);
  const std::string core =
      R"(name="C1" frequencyDomain="Q?type=FrequencyDomain" definition="Fast?type=ProcessingUnitDefinition")";
  return test::replaced(text, core + "/>", core + ">" + element + "</modules>");
}

}  // namespace holes
