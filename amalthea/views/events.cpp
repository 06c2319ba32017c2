// SPDX-License-Identifier: Apache-2.0
#include "amalthea/views/events.hpp"

#include <array>
#include <utility>

#include "amalthea/views/detail/reading.hpp"

namespace amalthea::views {
namespace {

constexpr detail::Literals<EventKind, 11> kinds{{{"ProcessEvent", EventKind::process},
                                                 {"ProcessChainEvent", EventKind::process_chain},
                                                 {"RunnableEvent", EventKind::runnable},
                                                 {"LabelEvent", EventKind::label},
                                                 {"ModeLabelEvent", EventKind::mode_label},
                                                 {"ChannelEvent", EventKind::channel},
                                                 {"SemaphoreEvent", EventKind::semaphore},
                                                 {"StimulusEvent", EventKind::stimulus},
                                                 {"ComponentEvent", EventKind::component},
                                                 {"CustomEvent", EventKind::custom},
                                                 {"EventSet", EventKind::set}}};

}  // namespace

Event event_of(const Model& model, Element element) {
  Event event;
  event.element = element;
  event.name = element.name();
  event.description = element.attribute_or("description", "");
  event.kind = detail::literal(element.class_name(), kinds, EventKind::unknown);
  event.type_text = element.attribute_or("eventType", "");
  if (event.kind == EventKind::custom)
    event.type = event.type_text.empty() ? EventAction::any : EventAction::custom;
  else
    event.type = parse_event_action(event.type_text).value_or(EventAction::any);
  event.entity = model.reference(element, "entity");
  event.runnable = model.reference(element, "runnable");
  event.process = model.reference(element, "process");
  event.processing_unit = model.reference(element, "processingUnit");
  if (!event.processing_unit) event.processing_unit = model.reference(element, "core");
  event.members = model.references(element, "events");
  return event;
}

std::vector<Event> events(const Model& model) {
  std::vector<Event> found;
  detail::for_each_member(model, "EventModel", "events",
                          [&](Element element) { found.push_back(event_of(model, element)); });
  detail::for_each_member(model, "ConfigModel", "eventsToTrace", [&](Element config) {
    if (const Element event = config.child("event"); event && is_event_class(event.class_name()))
      found.push_back(event_of(model, event));
  });
  return found;
}

bool is_event_class(std::string_view class_name) {
  return detail::literal(class_name, kinds, EventKind::unknown) != EventKind::unknown;
}

}  // namespace amalthea::views
