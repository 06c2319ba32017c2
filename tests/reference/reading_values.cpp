// SPDX-License-Identifier: Apache-2.0
#include "reference/reading_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>

namespace reference {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c != ' ')
      out.back() += c;
    else if (!out.back().empty())
      out.emplace_back();
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

std::string encoded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || std::strchr(".-*_", c))
      out += c;
    else
      out += c == ' ' ? "+" : fmt::format("%{:02X}", byte);
  }
  return out.empty() ? "no-name" : out;
}

std::string text_of(const Node& node, const char* name) { return node.attribute(name).value(); }

std::string type_of(const Node& node) {
  const auto type = text_of(node, "xsi:type");
  return type.substr(type.find(':') + 1);
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
  for (const auto& attribute : node.attributes())
    if (known.count(attribute.name()) == 0) throw Refused(at(node), attribute.name());
  if (type_of(node) == "RunnableCall" && node.child("statistic")) throw Refused(at(node), "statistic");
  for (const auto& child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    const auto key = text_of(child, "key");
    const bool property = std::string(child.name()) == "customProperties";
    if (known.count(child.name()) == 0 ||
        (property && key.rfind("gpu.", 0) != 0 && key.rfind("amalthea-timing.", 0) != 0))
      throw Refused(at(node), fmt::format("{} {}", child.name(), key));
    if (!property) check(child);
  }
}

std::int64_t whole_of(const std::string& text, const std::string& where) {
  char* end = nullptr;
  errno = 0;
  const auto value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || errno != 0) throw Refused(where, fmt::format("'{}' is no whole number", text));
  return value;
}

std::int64_t whole(const Node& node, const char* name, std::int64_t otherwise) {
  return node.attribute(name) ? whole_of(text_of(node, name), at(node)) : otherwise;
}

double real(const Node& node, const char* name, double otherwise) {
  if (!node.attribute(name)) return otherwise;
  char* end = nullptr;
  const auto value = std::strtod(node.attribute(name).value(), &end);
  if (text_of(node, name).empty() || *end != '\0' || !std::isfinite(value))
    throw Refused(at(node), fmt::format("{} is no number", name));
  return value;
}

bool truth(const Node& node, const char* name, bool otherwise) {
  return pick<bool>(at(node), text_of(node, name), "- true false", {otherwise, true, false});
}

std::size_t place_of(const std::string& where, const std::string& word, std::string_view names) {
  const auto list = words(names);
  const auto found = std::find(list.begin(), list.end(), word.empty() ? std::string("-") : word);
  if (found == list.end()) throw Refused(where, fmt::format("'{}' is not known", word));
  return static_cast<std::size_t>(found - list.begin());
}

Time time_of(const std::string& text, const std::string& where) {
  char* end = nullptr;
  const auto value = std::strtold(text.c_str(), &end);
  if (end == text) throw Refused(where, fmt::format("'{}' is no time", text));
  const auto factor = pick<std::int64_t>(where, words(end).empty() ? "" : words(end)[0], "s ms us µs μs ns ps",
                                         {1'000'000'000'000, 1'000'000'000, 1'000'000, 1'000'000, 1'000'000, 1'000, 1});
  const auto time = value * static_cast<long double>(factor);
  if (!(std::abs(time) <= never) || std::abs(time - std::round(time)) > 1e-6L)
    throw Refused(where, fmt::format("'{}' is too long, or no whole picoseconds", text));
  return static_cast<Time>(std::round(time));
}

Time time_of(const Node& node) { return time_of(text_of(node, "value") + " " + text_of(node, "unit"), at(node)); }

Time time_of(const Node& parent, const char* name, Time otherwise) {
  const auto node = parent.child(name);
  return node ? time_of(node) : otherwise;
}

std::int64_t bytes_of(const Node& node) {
  if (!node) return 0;
  auto unit = text_of(node, "unit");
  if (const auto rate = unit.find("PerSecond"); rate != std::string::npos) unit.resize(rate);
  const bool bits = unit.size() >= 3 && unit.substr(unit.size() - 3) == "bit";
  unit.resize(unit.size() - (bits ? 3 : unit.empty() ? 0 : 1));
  const auto factor =
      pick<std::int64_t>(at(node), unit, "- k M G T Ki Mi Gi",
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
