#include "amalthea/views/hardware.hpp"

#include "amalthea/views/quantities.hpp"

namespace amalthea {
namespace {

void collect(Element container, std::string_view class_name, std::vector<Element>& found) {
  for (const Element child : container.children()) {
    if (child.tag() == "modules" && child.is(class_name)) found.push_back(child);
    if (child.tag() == "structures") collect(child, class_name, found);
  }
}

}  // namespace

std::vector<Element> modules(const Model& model, std::string_view class_name) {
  std::vector<Element> found;
  for (const auto& document : model.documents())
    for (const Element part : document->root().children())
      if (part.tag() == "hwModel") collect(part, class_name, found);
  return found;
}

std::optional<Frequency> clock_of(const Model& model, Element module, Diagnostics& diagnostics) {
  const Element domain = model.reference(module, "frequencyDomain");
  return domain ? frequency_of(domain.child("defaultValue"), diagnostics) : std::nullopt;
}

}  // namespace amalthea
