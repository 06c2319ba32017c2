// SPDX-License-Identifier: Apache-2.0
#include "amalthea/views/event_chains.hpp"

#include "amalthea/diagnostic.hpp"
#include "amalthea/views/detail/reading.hpp"

namespace amalthea::views {
namespace {

constexpr detail::Literals<ChainArrangement, 2> arrangements{
    {{"sequence", ChainArrangement::sequence}, {"parallel", ChainArrangement::parallel}}};

ChainItem item_of(const Model& model, Element element, ChainArrangement arrangement) {
  // The chain is contained (and may then be an EventChain with its own name) or a reference.
  if (const Element contained = element.child("eventChain"); contained && !contained.attribute("href"))
    return {element, false, contained, arrangement};
  return {element, element.is("EventChainReference"), model.reference(element, "eventChain"), arrangement};
}

}  // namespace

EventChain event_chain_of(const Model& model, Element element, Diagnostics& diagnostics) {
  EventChain chain;
  chain.element = element;
  chain.name = element.name();
  chain.stimulus = model.reference(element, "stimulus");
  chain.response = model.reference(element, "response");
  const auto stated = detail::literal(element, "itemType", arrangements, ChainArrangement::unstated);
  for (const Element child : element.children()) {
    if (child.tag() == "items")
      chain.items.push_back(item_of(model, child, stated));
    else if (child.tag() == "segments")
      chain.items.push_back(item_of(model, child, ChainArrangement::sequence));
    else if (child.tag() == "strands")
      chain.items.push_back(item_of(model, child, ChainArrangement::parallel));
  }
  chain.arrangement = chain.items.empty() ? stated : chain.items.front().arrangement;
  chain.least_items_completed = detail::integer(element, "minItemsCompleted", diagnostics).value_or(1);
  return chain;
}

std::vector<EventChain> event_chains(const Model& model, Diagnostics& diagnostics) {
  std::vector<EventChain> found;
  detail::for_each_member(model, "ConstraintsModel", "eventChains",
                          [&](Element element) { found.push_back(event_chain_of(model, element, diagnostics)); });
  return found;
}

}  // namespace amalthea::views
