// SPDX-License-Identifier: Apache-2.0
// Events of the event model → events that a simulation can observe.

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "amalthea/views/events.hpp"
#include "importer/building/detail/build_context.hpp"

namespace amalthea::importer::detail {
namespace {

/// A value, or why there is none, as a clause.
template <typename T>
using OrReason = tl::expected<T, std::string>;
using Reason = tl::unexpected<std::string>;

class EventReader {
 public:
  explicit EventReader(const BuildContext& context) : context_(context) {}

  OrReason<ObservableEvent> read(Element element, std::string_view role) const {
    if (!element) return Reason(fmt::format("{} is missing, or not in the model", role));
    const views::Event event = views::event_of(context_.model, element);
    // An unresolved reference would mean any entity.
    for (const std::string_view part : {"entity", "runnable", "process", "processingUnit", "core"})
      if ((element.attribute(part) || element.child(part)) && !context_.model.reference(element, part))
        return Reason(fmt::format("{} \"{}\" has a reference ({}) to an element that is not in the model", role,
                                  event.name, part));
    if (!is_legal(event))
      return Reason(
          fmt::format("{} \"{}\" has an eventType that {} does not support", role, event.name, element.class_name()));
    auto what = read(event);
    if (!what) return Reason(fmt::format("{} \"{}\" {}", role, event.name, what.error()));
    return ObservableEvent{std::string(event.name), std::move(*what)};
  }

 private:
  using What = decltype(ObservableEvent::what);

  /// A type that its kind does not support would mean any.
  static bool is_legal(const views::Event& event) {
    using enum EventAction;
    const auto one_of = [&](std::initializer_list<EventAction> types) {
      return std::find(types.begin(), types.end(), event.type) != types.end();
    };
    if (event.kind == views::EventKind::custom) return true;
    if (event.type == any) return event.type_text.empty() || event.type_text == to_string(any);
    switch (event.kind) {
      case views::EventKind::process:
        return event.type <= deadline;
      case views::EventKind::runnable:
        return one_of({start, suspend, resume, terminate});
      case views::EventKind::label:
        return one_of({read, write});
      case views::EventKind::mode_label:
        return one_of({read, write, increment, decrement});
      case views::EventKind::semaphore:
        return one_of({lock, unlock});
      default:
        return true;  // not observed, for any type
    }
  }

  /// The entity of the event must be simulated; nothing if it means any.
  OrReason<std::optional<std::uint32_t>> part(const ElementMap& kind, Element element) const {
    if (!element) return std::optional<std::uint32_t>();
    const auto index = kind.find(element);
    if (!index)
      return Reason(fmt::format("concerns {} \"{}\", which is not in the simulated system", element.class_name(),
                                element.name()));
    return index;
  }

  OrReason<std::optional<TaskIndex>> process(Element element) const {
    auto task = part(context_.tasks, element);
    if (task && *task) *task = context_.system.tasks[**task].folded_into.value_or(**task);
    return task;
  }

  /// The value of each, or the first reason.
  template <typename Make, typename... Parts>
  static OrReason<What> all_of(Make make, const OrReason<Parts>&... parts) {
    std::string reason;
    (void)((parts ? true : (reason = parts.error(), false)) && ...);
    if (!reason.empty()) return Reason(std::move(reason));
    return What(make(*parts...));
  }

  OrReason<What> read(const views::Event& event) const {
    const EventAction action = event.type;
    const auto task = process(event.process);
    const auto runnable = part(context_.runnables, event.runnable);
    const auto unit = part(context_.units, event.processing_unit);
    switch (event.kind) {
      case views::EventKind::process:
        if (event.type == EventAction::deadline)
          return Reason("is a deadline event, which the simulation does not generate");
        if (action == EventAction::activate && event.processing_unit)
          return Reason("is an activation on a processing unit, but a process has no processing unit before it starts");
        return all_of(
            [&](auto of, auto on) {
              return ObservableEvent::OfProcess{of, action, on};
            },
            process(event.entity), unit);
      case views::EventKind::runnable:
        return all_of(
            [&](auto of, auto in, auto on) {
              return ObservableEvent::OfRunnable{of, action, in, on};
            },
            part(context_.runnables, event.entity), task, unit);
      case views::EventKind::label:
        return all_of(
            [&](auto of, auto by, auto in) {
              return ObservableEvent::OfLabel{of, action, by, in};
            },
            part(context_.labels, event.entity), runnable, task);
      case views::EventKind::stimulus:
        return stimulus(event);
      case views::EventKind::semaphore:
        return all_of(
            [&](auto of, auto by, auto in, auto on) {
              return ObservableEvent::OfSemaphore{of, action, by, in, on};
            },
            part(context_.semaphores, event.entity), runnable, task, unit);
      case views::EventKind::mode_label:
        if (action == EventAction::any || action == EventAction::read)
          return Reason("includes reads of a mode label, which the simulation does not record");
        return all_of(
            [&](auto of, auto by, auto in) {
              return ObservableEvent::OfMode{of, action, by, in};
            },
            part(context_.modes, event.entity), runnable, task);
      case views::EventKind::custom:
        return custom(event.element);
      case views::EventKind::process_chain:
      case views::EventKind::channel:
      case views::EventKind::component:
      case views::EventKind::set:
      case views::EventKind::unknown:
        break;
    }
    return Reason(
        fmt::format("has the class {}, whose events the simulation does not record", event.element.class_name()));
  }

  OrReason<What> stimulus(const views::Event& event) const {
    const auto index = part(context_.stimuli, event.entity);
    if (index && *index) {
      const Stimulus& stimulus = context_.system.stimuli[**index];
      const bool by_itself = !std::holds_alternative<InterProcess>(stimulus.occurrence) &&
                             !std::holds_alternative<EventDriven>(stimulus.occurrence);
      if (by_itself && stimulus.activates.empty() && stimulus.sets.empty())
        return Reason(fmt::format(
            "concerns stimulus \"{}\", which activates no task and does not occur in the simulation", stimulus.name));
    }
    return all_of([](auto of) { return ObservableEvent::OfStimulus{of}; }, index);
  }

  /// The simulation observes a custom event if it makes a stimulus occur.
  OrReason<What> custom(Element event) const {
    ObservableEvent::OfActivities activities;
    for (NodeIndex node = 0; node < context_.system.graph.size(); ++node) {
      const GraphNode& activity = context_.system.graph[node];
      if (!std::holds_alternative<Trigger>(activity.activity) || !activity.origin.known()) continue;
      const Element item = context_.model.element(activity.origin);
      if (!item.is("CustomEventTrigger") || context_.model.reference(item, "event") != event) continue;
      // If several stimuli wait for it, only the first counts.
      const bool again = !activities.nodes.empty() && activities.nodes.back() + 1 == node &&
                         context_.system.graph[node - 1].origin == activity.origin;
      if (again) continue;
      activities.nodes.push_back(node);
    }
    if (activities.nodes.empty())
      return Reason(
          "is a custom event that no stimulus uses or that nothing triggers; the simulation does not record it");
    return What(std::move(activities));
  }

  const BuildContext& context_;
};

}  // namespace

tl::expected<ObservableEvent, std::string> observable_event(const BuildContext& context, Element element,
                                                            std::string_view role) {
  return EventReader(context).read(element, role);
}

}  // namespace amalthea::importer::detail
