#include "amalthea/views/activity.hpp"

namespace amalthea {

std::vector<Element> items_of(Element container) {
  std::vector<Element> found;
  for (const Element child : container.children()) {
    const std::string_view tag = child.tag();
    if (tag == "items" || tag == "runnableItems" || tag == "graphEntries" || tag == "calls") {
      found.push_back(child);
    } else if (tag == "activityGraph" || tag == "callGraph") {
      for (const Element item : items_of(child)) found.push_back(item);
    }
  }
  return found;
}

bool is_sequence(Element item) { return item.is("Group") || item.is("CallSequence"); }

}  // namespace amalthea
