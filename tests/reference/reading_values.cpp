// SPDX-License-Identifier: Apache-2.0
#include "reference/reading_values.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>

namespace reference {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c != ' ') {
      out.back() += c;
    } else if (!out.back().empty()) {
      out.emplace_back();
    }
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

std::string encoded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || std::strchr(".-*_", c)) {
      out += c;
    } else {
      out += c == ' ' ? "+" : fmt::format("%{:02X}", byte);
    }
  }
  return out.empty() ? "no-name" : out;
}

std::string type_of(const Node& node) {
  const std::string type = node.attribute("xsi:type").value();
  const auto colon = type.find(':');
  return colon == std::string::npos ? type : type.substr(colon + 1);
}

std::string at(const Node& node) {
  return fmt::format("{} '{}' at byte {}", node.name(), node.attribute("name").value(), node.offset_debug());
}

namespace {

constexpr const char* known_names =
    "xsi:type xmi:id name tags description displayName customProperties key value unit tasks isrs runnables "
    "labels sections events modes modeLabels processChains literals size activityGraph items stimuli preemption "
    "multipleTaskActivationLimit category executionCondition callback service section constant bVolatile mode "
    "initialValue processes entries condition defaultEntry probability counter prescaler offset runnable "
    "serverRunnable waitingBehaviour ordered interruptible eventMask maskType process stimulus semaphore access "
    "data step event statistic default extended lowerBound upperBound average pRemainPromille alpha beta mean sd "
    "samplingType occurrences min avg max label relation label1 label2 definitions structures domains "
    "featureCategories features featureType structureType modules ports bitWidth portType portInterface priority "
    "puType classifiers cacheType nWays coherency exclusive hitRate lineSize writeStrategy memoryType "
    "accessLatency dataRate frequencyDomain powerDomain definition accessElements source destination readLatency "
    "writeLatency caches defaultValue clockGating semaphores operatingSystems osOverheads schedulerDefinitions "
    "schedulingParameterDefinitions semaphoreType maxValue ownership priorityCeilingProtocol overhead "
    "taskSchedulers interruptControllers algorithmParameters processParameters requiresParentScheduler "
    "passesParametersUpwards hasExactlyOneChild type many mandatory schedulingParameters parentAssociation "
    "parent apiOverhead isrCategory1Overhead isrCategory2Overhead apiTerminateTask apiSchedule "
    "apiRequestResource apiReleaseResource apiSetEvent apiWaitEvent apiClearEvent apiActivateTask "
    "apiRequestSpinlock apiReleaseSpinlock preExecutionOverhead postExecutionOverhead setModeValueList "
    "recurrence jitter minDistance nextOccurrence occurrenceTimes occurrence burstLength occurrenceMinDistance "
    "occurrenceCount numberOfOccurrences lowerTimeBorder upperTimeBorder occurrencesPerStep maxIncreasePerStep "
    "maxDecreasePerStep triggeringEvents schedulerAllocation taskAllocation isrAllocation memoryMapping "
    "physicalSectionMapping addressMappingType scheduler responsibility executingPU task affinity isr controller "
    "abstractElement memory memoryPositionAddress origin startAddress endAddress runEntities eventType entity "
    "processingUnit eventChains timingConstraints runnableSequencingConstraints dataAgeConstraints requirements "
    "dataCoherencyGroups dataStabilityGroups physicalSectionConstraints response itemType minItemsCompleted "
    "eventChain mappingType target upper lower span period multipleOccurrencesAllowed tolerance scope minimum "
    "maximum dataAge minimumTime maximumTime minimumCycle maximumCycle direction orderType processScope "
    "runnableGroups memories severity limit processChain limitType metric limitValue hardwareContext "
    "communicationOverheadInBit";

}  // namespace

void check(const Node& node) {
  static const auto list = words(known_names);
  static const std::set<std::string> known(list.begin(), list.end());
  for (const auto& attribute : node.attributes()) {
    if (known.count(attribute.name()) == 0) throw Refused(at(node), attribute.name());
  }
  if (type_of(node) == "RunnableCall" && node.child("statistic")) throw Refused(at(node), "statistic");
  for (const auto& child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    const std::string key = child.attribute("key").value();
    const bool property = std::string(child.name()) == "customProperties";
    if (known.count(child.name()) == 0 ||
        (property && key.rfind("gpu.", 0) != 0 && key.rfind("amalthea-timing.", 0) != 0))
      throw Refused(at(node), fmt::format("{} {}", child.name(), key));
    if (!property) check(child);
  }
}

std::int64_t whole(const Node& node, const char* name, std::int64_t otherwise) {
  const auto attribute = node.attribute(name);
  if (!attribute) return otherwise;
  char* end = nullptr;
  errno = 0;
  const auto value = std::strtoll(attribute.value(), &end, 10);
  if (*attribute.value() == '\0' || *end != '\0' || errno != 0)
    throw Refused(at(node), fmt::format("{} is no whole number", name));
  return value;
}

double real(const Node& node, const char* name, double otherwise) {
  const auto attribute = node.attribute(name);
  if (!attribute) return otherwise;
  char* end = nullptr;
  const auto value = std::strtod(attribute.value(), &end);
  if (*attribute.value() == '\0' || *end != '\0' || !std::isfinite(value))
    throw Refused(at(node), fmt::format("{} is no number", name));
  return value;
}

bool truth(const Node& node, const char* name, bool otherwise) {
  const std::string value = node.attribute(name).value();
  if (value.empty()) return otherwise;
  if (value != "true" && value != "false") throw Refused(at(node), fmt::format("{} is neither true nor false", name));
  return value == "true";
}

Time time_of(const Node& node) {
  const auto unit = pick<std::int64_t>(node, node.attribute("unit").value(), "s ms us ns ps",
                                       {1'000'000'000'000, 1'000'000'000, 1'000'000, 1'000, 1});
  const Wide time = static_cast<Wide>(whole(node, "value", 0)) * unit;
  if (time > never || time < -never) throw Refused(at(node), "a time that is too long");
  return static_cast<Time>(time);
}

Time time_of(const Node& parent, const char* name, Time otherwise) {
  const auto node = parent.child(name);
  return node ? time_of(node) : otherwise;
}

std::int64_t bytes_of(const Node& node) {
  if (!node) return 0;
  std::string unit = node.attribute("unit").value();
  if (const auto rate = unit.find("PerSecond"); rate != std::string::npos) unit.resize(rate);
  const bool bits = unit.size() >= 3 && unit.substr(unit.size() - 3) == "bit";
  unit.resize(unit.size() - (bits ? 3 : unit.empty() ? 0 : 1));
  const auto factor =
      pick<std::int64_t>(node, unit, "- k M G T Ki Mi Gi",
                         {1, 1000, 1'000'000, 1'000'000'000, 1'000'000'000'000, 1 << 10, 1 << 20, 1 << 30});
  const auto amount = whole(node, "value", 0) * factor;
  return bits ? (amount + 7) / 8 : amount;
}

Range range_of(const Node& node) {
  const auto type = type_of(node);
  const bool time = type.rfind("Time", 0) == 0;
  const auto value = [&](const Node& from, const char* name) {
    return time ? time_of(from, name, 0) : whole(from, name, 0);
  };
  const auto stated = [&](const char* name) { return time ? bool(node.child(name)) : bool(node.attribute(name)); };
  Range range{value(node, "lowerBound"), value(node, "upperBound")};
  if (type.find("Constant") != std::string::npos) {
    range.least = range.most = value(node, "value");
  } else if (type.find("Histogram") != std::string::npos) {
    range = {never, -never};
    for (const auto& entry : node.children("entries")) {
      range.least = std::min(range.least, value(entry, "lowerBound"));
      range.most = std::max(range.most, value(entry, "upperBound"));
    }
  } else if (!stated("upperBound") || ((time || type.find("Gauss") != std::string::npos) && !stated("lowerBound"))) {
    throw Refused(at(node), "a distribution without bounds");
  }
  if (range.least > range.most || (!time && range.least < 0))
    throw Refused(at(node), "bounds in the wrong order, or negative");
  return range;
}

}  // namespace reference
