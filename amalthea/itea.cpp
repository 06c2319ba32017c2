#include "amalthea/itea.hpp"

#include <array>
#include <utility>

namespace amalthea {
namespace {

struct ClassName {
  std::string_view package, before, after;
};
constexpr std::array classes{
    ClassName{"central", "AMALTHEA", "Amalthea"},
    ClassName{"hw", "Component", "HwComponent"},
    ClassName{"hw", "MemType", "MemoryType"},
    ClassName{"hw", "Port", "HwPort"},
    ClassName{"hw", "System", "HwSystem"},
    ClassName{"os", "DeadlineMonotinic", "DeadlineMonotonic"},
    ClassName{"os", "OSAPIInstructions", "OsAPIInstructions"},
    ClassName{"os", "OSBuffering", "OsBuffering"},
    ClassName{"os", "OSInstructions", "OsInstructions"},
    ClassName{"os", "OSISRInstructions", "OsISRInstructions"},
    ClassName{"sw", "LabelSwitch", "ModeSwitch"},
    ClassName{"sw", "OSEvent", "OsEvent"},
    ClassName{"sw", "Periodic", "PeriodicActivation"},
    ClassName{"sw", "Single", "SingleActivation"},
    ClassName{"sw", "Sporadic", "SporadicActivation"},
};

using NamePair = std::pair<std::string_view, std::string_view>;
constexpr std::array features{
    NamePair{"accessEnum", "access"}, NamePair{"isBuffered", "buffered"},
    NamePair{"isDefault", "default"}, NamePair{"isMaster", "master"},
    NamePair{"isOrdered", "ordered"}, NamePair{"maximumCyle", "maximumCycle"},
    NamePair{"mem", "memory"},        NamePair{"memTypeDefinitions", "memoryTypeDefinitions"},
    NamePair{"tagName", "name"},
};

constexpr std::array contents{
    NamePair{"deadline", "Time"},
    NamePair{"disablingLabelsList", "ModeValueList"},
    NamePair{"enablingLabelsList", "ModeValueList"},
    NamePair{"max", "Time"},
    NamePair{"min", "Time"},
    NamePair{"setLabelsList", "ModeValueList"},
};

template <std::size_t N>
std::string_view lookup(const std::array<NamePair, N>& table, std::string_view name, std::string_view otherwise) {
  for (const auto& [before, after] : table)
    if (before == name) return after;
  return otherwise;
}

}  // namespace

std::string_view itea_class(std::string_view package, std::string_view name) {
  for (const ClassName& entry : classes)
    if (entry.package == package && entry.before == name) return entry.after;
  return name;
}

std::string_view itea_feature(std::string_view name) { return lookup(features, name, name); }

std::string_view itea_content(std::string_view feature) { return lookup(contents, feature, ""); }

IteaRelease itea_release(std::string_view namespace_uri) {
  constexpr std::string_view marker = "amalthea.itea2.org/model/";
  const std::size_t at = namespace_uri.find(marker);
  if (at == std::string_view::npos) return IteaRelease::none;
  const std::string_view release = namespace_uri.substr(at + marker.size(), 6);
  if (release == "1.1.0/") return IteaRelease::v1_1_0;
  if (release == "1.2.0/") return IteaRelease::v1_2_0;
  if (release == "1.3.0/") return IteaRelease::v1_3_0;
  return IteaRelease::none;
}

}  // namespace amalthea
