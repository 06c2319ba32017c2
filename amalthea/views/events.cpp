// SPDX-License-Identifier: Apache-2.0
#include "amalthea/views/events.hpp"

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
  return event;
}

}  // namespace amalthea::views
