// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "amalthea/emf_form.hpp"
#include "migration/detail/steps.hpp"

namespace amalthea::migration {
namespace {

void give_consistency_to_systems(Step& step) {
  for (Object* const os : step.parts("osModel")) {
    Object* const consistency = os->child("osDataConsistency");
    if (consistency == nullptr) continue;
    const Objects systems = os->children("operatingSystems");
    step.changed(*consistency);
    bool stated = false;
    for (Object* const system : systems)
      if (system->child("osDataConsistency") == nullptr) {
        copy(*consistency, *system);
        stated = true;
      }
    if (stated)
      step.remove(*consistency);
    else
      step.drop(*consistency);
  }
}

/// If all operating systems agree.
void give_consistency_to_model(Step& step) {
  for (Object* const os : step.parts("osModel")) {
    std::string text;
    bool alike = true;
    const Objects systems = os->children("operatingSystems");
    for (const Object* const system : systems) {
      const Object* const consistency = system->child("osDataConsistency");
      if (consistency == nullptr) {
        alike = false;
        continue;
      }
      const std::string other = write_fragment(*consistency, step.from.version);
      alike = alike && (text.empty() || text == other);
      text = other;
    }
    if (!alike || text.empty()) continue;
    step.changed(*os);
    copy(*systems.front()->child("osDataConsistency"), *os);
    for (Object* const system : systems) step.remove(*system->child("osDataConsistency"));
  }
}

constexpr std::pair<std::string_view, std::string_view> signed_times[] = {
    {"TimeRequirementLimit", "limitValue"}, {"ClockSinusFunction", "shift"}, {"ClockTriangleFunction", "shift"}};

/// Where a time was required to be signed.
void sign_times(Step& step) {
  for (const auto& [cls, feature] : signed_times)
    for (Object* const owner : step.objects_of(cls))
      for (Object* const time : owner->children(feature)) {
        step.set_class(*time, "SignedTime");
        step.changed(*time);
      }
}

void derive_modes(Step& step) {
  for (Object* const label : step.objects_of("ModeLabel")) {
    const auto mode = label->reference("mode");
    if (!mode) continue;
    step.changed(*label);
    if (label->reference("initialValue"))
      label->unset("mode");
    else
      step.keep_field(*label, "mode");
  }
}

/// An element on separate lines, in the format of AMALTHEA's own migration: `indent` blanks before each line except the
/// first, and the line ends of its XML writer.
std::string on_lines(std::string_view element, std::size_t indent) {
  std::string text;
  std::size_t depth = 0;
  while (!element.empty()) {
    bool quoted = false;
    std::size_t end = 0;
    for (; end < element.size() && (quoted || element[end] != '>'); ++end)
      if (element[end] == '"') quoted = !quoted;
    std::string_view tag = element.substr(0, end + 1);
    element.remove_prefix(tag.size());
    const bool closing = tag.starts_with("</");
    if (closing) --depth;
    if (!text.empty()) text.append(fmt::format("\r\n{:{}}", "", indent + 2 * depth));
    if (tag.ends_with("/>")) {
      text.append(tag.substr(0, tag.size() - 2)).append(" />");
    } else {
      text.append(tag);
      if (!closing) ++depth;
    }
  }
  return text;
}

void keep_hardware_constraints(Step& step) {
  constexpr std::string_view start = "<hwConstraint";
  for (Object* const model : step.parts("propertyConstraintsModel"))
    for (Object* const constraint : all_children(*model))
      for (Object* const hardware : constraint->children("hwConstraint")) {
        std::string text = write_fragment(*hardware, step.from.version);
        // The text is a separate XML document.
        text.insert(start.size(), " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"");
        step.remove(*hardware);
        step.keep_as(*constraint, "hwConstraint (element removed during Migration of Model to 0.8.0 version)",
                     on_lines(text, 6));
      }
}

constexpr Rule rules_to_0_8_0[] = {
    {"MemoryMapping instead of AbstractElementMapping",
     "The only kind of mapping becomes a memoryMapping.",
     {{"AbstractElementMapping", "MemoryMapping"}, {"mapping", "memoryMapping", "MappingModel"}}},
    {"each operating system states its data consistency", "Before, the OS model stated it once.",
     give_consistency_to_systems, give_consistency_to_model},
    {"every time is signed",
     "SignedTime becomes Time, and SignedTimeObject becomes TimeObject.",
     {{"SignedTime", "Time"}, {"SignedTimeObject", "TimeObject"}},
     sign_times},
    {"ProbabilitySwitch is spelled correctly",
     "It was ProbabiltitySwitch.",
     {{"ProbabiltitySwitch", "ProbabilitySwitch"}}},
    {"units of data sizes and rates have the same spelling",
     "kibit becomes Kibit and byte becomes B, also per second.",
     {{"kibit", "Kibit", "DataSize", "unit"},
      {"byte", "B", "DataSize", "unit"},
      {"kibitPerSecond", "KibitPerSecond", "DataRate", "unit"},
      {"bytePerSecond", "BPerSecond", "DataRate", "unit"}}},
    {"the mode of a mode label is that of its initial value", "The mode label no longer states it.", derive_modes},
    {"constraints no longer describe hardware", "Conditions on cores and memories have no counterpart and become text.",
     keep_hardware_constraints},
};

}  // namespace

StepRules to_0_8_0() { return {Version::v0_8_0, rules_to_0_8_0}; }

}  // namespace amalthea::migration
