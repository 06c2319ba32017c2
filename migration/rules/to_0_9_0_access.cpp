// SPDX-License-Identifier: Apache-2.0
// Access paths of up to 0.8.3 become access elements of their starting cores.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string>

#include <fmt/core.h>

#include "migration/rules/to_0_9_0.hpp"

namespace amalthea::migration::to_0_9_0_hardware {
namespace {

double number(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The cost of a part of a path, in cycles of its own clock.
struct Part {
  bool reads = true, writes = true;
  double lower = 0, upper = 0;
  double clock = 0;           ///< Hz; 0 if unknown
  Object* latency = nullptr;  ///< if it is a latency, and not the cycles of a port
};

class Path {
 public:
  explicit Path(Step& step) : step_(step) {}

  /// A whole path, including the paths that are part of it; a cyclic path counts once.
  void collect(Object& path) {
    if (!seen_.insert(&path).second) return;
    for (Object* const child : all_children(path)) {
      if (child->is("AccessPathRef") || child->is("HwAccessPathRef")) {
        for (const Field& reference : child->references("ref"))
          if (Object* const other = step_.find(*child, reference)) collect(*other);
      } else if (child->is("HwElementRef")) {
        for (const Field& reference : child->references("port")) add_port(*child, reference);
      } else if (child->is("LatencyConstant") || child->is("LatencyDeviation")) {
        add_latency(*child);
      }
    }
  }

  std::vector<Part> parts;
  std::string ports;  ///< ids
  std::vector<Field> networks;

 private:
  void add_port(const Object& holder, const Field& reference) {
    ports.append(ports.empty() ? "" : " ").append(reference.text);
    Object* const port = step_.find(holder, reference);
    if (port == nullptr) return;
    for (const Field& network : port->references("network"))
      if (std::none_of(networks.begin(), networks.end(), [&](const Field& one) { return one.text == network.text; }))
        networks.push_back(network);
    const double read = number(port->attribute_or("readCycles", "0")),
                 write = number(port->attribute_or("writeCycles", "0")), clock = clock_of(step_, *port);
    if (read > 0) parts.push_back({true, false, read, read, clock, nullptr});
    if (write > 0) parts.push_back({false, true, write, write, clock, nullptr});
  }

  void add_latency(Object& latency) {
    Part part;
    part.latency = &latency;
    const std::string_view type = latency.attribute_or("accessType", "");
    part.reads = type != "W";
    part.writes = type != "R";
    for (const Field& reference : latency.references("quartz"))
      if (const Object* const quartz = step_.find(latency, reference)) part.clock = clock_of(step_, *quartz);
    if (latency.is("LatencyConstant")) {
      part.lower = part.upper = number(latency.attribute_or("value", "0"));
    } else if (const Object* const deviation = latency.child("deviation")) {
      const Object *const low = deviation->child("lowerBound"), *const high = deviation->child("upperBound");
      part.lower = low != nullptr ? number(low->attribute_or("value", "0")) : 0;
      part.upper = high != nullptr ? number(high->attribute_or("value", "0")) : part.lower;
    }
    parts.push_back(part);
  }

  Step& step_;
  std::set<const Object*> seen_;
};

void copy_into(const Object& object, Object& owner, std::string_view feature) {
  Object& copy = owner.create(feature, object.cls());
  copy.fields() = object.fields();
  for (Object* const child : all_children(object)) copy_into(*child, copy, child->feature());
}

/// The costs of one direction as one latency in cycles of the core.
void add_latency(Step& step, const Object& path, Object& element, std::string_view feature,
                 const std::vector<Part>& all, double clock) {
  std::vector<Part> parts;
  for (const Part& part : all)
    if (feature == "readLatency" ? part.reads : part.writes) parts.push_back(part);
  if (parts.empty()) return;
  double lower = 0, upper = 0;
  bool scaled = false, constant = true;
  std::string terms;  // the record names the numbers that a sum replaces
  for (const Part& part : parts) {
    const double factor = clock > 0 && part.clock > 0 ? clock / part.clock : 1;
    if (factor != 1) step.changed(path, fmt::format("{:.0f} cycles of another clock", part.upper));
    scaled = scaled || factor != 1;
    constant = constant && (part.latency == nullptr || part.latency->is("LatencyConstant"));
    lower += part.lower * factor;
    upper += part.upper * factor;
    terms += terms.empty() ? "" : " + ";
    terms += part.lower == part.upper ? fmt::format("{:.0f}", part.upper)
                                      : fmt::format("[{:.0f}, {:.0f}]", part.lower, part.upper);
  }
  const auto cycles = [](double value) { return fmt::format("{:.0f}", std::ceil(value - 1e-6)); };
  if (constant) {
    element.create(feature, "LatencyConstant").set("cycles", cycles(upper));
    if (parts.size() > 1) step.changed(path, fmt::format("{} is the sum {}", feature, terms));
  } else {
    Object& latency = element.create(feature, "LatencyDeviation");
    const Object* const deviation = parts.size() == 1 ? parts.front().latency->child("deviation") : nullptr;
    if (!scaled && deviation != nullptr) {
      copy_into(*deviation, latency, "cycles");
    } else {
      Object& bounds = latency.create("cycles", "Deviation");
      bounds.create("lowerBound", "LongObject").set("value", fmt::format("{:.0f}", std::floor(lower + 1e-6)));
      bounds.create("upperBound", "LongObject").set("value", cycles(upper));
      bounds.create("distribution", "UniformDistribution");
      step.altered(path, fmt::format("{} became one latency, whose bounds are the sums of their bounds", terms));
    }
  }
  if (scaled && (std::abs(lower - std::round(lower)) > 1e-6 || std::abs(upper - std::round(upper)) > 1e-6))
    step.altered(path, "cycles of another clock were rounded to cycles of the core");
}

void convert(Step& step, Object& path, Object& core) {
  Path whole(step);
  whole.collect(path);
  Object& element = core.create("accessElements", "HwAccessElement");
  if (const auto name = path.attribute("name")) element.set("name", *name);
  for (const Field& target : path.references("target")) {
    const Object* const node = step.find(path, target);
    if (node == nullptr || node->is("Memory") || node->is("Core"))
      element.add_reference_like("destination", target);
    else
      step.keep(core, "target", target.text);
  }
  const double clock = clock_of(step, core);
  add_latency(step, path, element, "readLatency", whole.parts, clock);
  add_latency(step, path, element, "writeLatency", whole.parts, clock);
  for (const Part& part : whole.parts) {
    if (part.latency == nullptr) continue;
    if (const auto size = part.latency->attribute("transferSize"); size && *size != "0")
      step.keep(core, "transferSize", *size);
    if (part.clock == 0)
      for (const Field& quartz : part.latency->references("quartz")) step.keep(core, "quartz", quartz.text);
  }
  if (!whole.networks.empty()) {
    Object& over = element.create("accessPath", "HwAccessPath");
    if (const auto name = path.attribute("name")) over.set("name", *name);
    for (const Field& network : whole.networks) over.add_reference_like("pathElements", network);
  }
  if (!whole.ports.empty()) step.keep(core, "hwElements", whole.ports);
  step.changed(path, fmt::format("access element of {}", core.name()));
}

}  // namespace

double clock_of(Step& step, const Object& node) {
  const auto frequency = [](const Object* quartz) -> double {
    const Object* const stated = quartz != nullptr ? quartz->child("frequency") : nullptr;
    if (stated == nullptr) return 0;
    const std::string_view unit = stated->attribute_or("unit", "");
    const double factor = unit == "Hz" ? 1 : unit == "kHz" ? 1e3 : unit == "MHz" ? 1e6 : unit == "GHz" ? 1e9 : 0;
    return factor * number(stated->attribute_or("value", "0"));
  };
  if (node.is("Quartz")) return frequency(&node);
  for (const Object* at = &node; at != nullptr; at = at->owner()) {
    const Object* const prescaler = at->child("prescaler");
    if (prescaler == nullptr) continue;
    const auto quartz = prescaler->references("quartz");
    if (quartz.empty()) return 0;
    const double ratio = number(prescaler->attribute_or("clockRatio", "0"));
    return frequency(step.find(*prescaler, quartz.front())) * (ratio > 0 ? ratio : 1);
  }
  return 0;
}

/// From the source, if that is a core; other modules cannot have access elements. The costs along the path become its
/// read and write latency.
void access_paths(Step& step) {
  Objects done;
  for (Object* const model : step.parts("hwModel"))
    for (Object* const path : model->children("accessPaths")) {
      const auto source = path->references("source");
      Object* const core = source.empty() ? nullptr : step.find(*path, source.front());
      if (core == nullptr || !core->is("Core")) continue;
      convert(step, *path, *core);
      done.push_back(path);
    }
  for (Object* const path : done) {
    const Objects parts = all_children(*path);
    for (Object* const part : parts) {
      if (Object* const deviation = part->child("deviation")) step.remove(*deviation);
      step.drop(*part, {"ref", "port", "accessType", "transferSize", "quartz", "value"});
    }
    step.drop(*path, {"name", "source", "target"});
  }
}

}  // namespace amalthea::migration::to_0_9_0_hardware
