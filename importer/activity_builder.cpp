// What each task does, as a flat sequence of activities.

#include <algorithm>

#include <fmt/core.h>

#include "amalthea/views/activity.hpp"
#include "amalthea/views/quantities.hpp"
#include "importer/detail/build_context.hpp"

namespace amalthea::importer::detail {
namespace {

class BodyReader {
 public:
  BodyReader(BuildContext& context, TaskIndex task, RawBody& body) : context_(context), task_(task), body_(body) {}

  void read(Element container) {
    for (const Element item : items_of(container)) read_item(item);
  }

 private:
  void read_item(Element item) {
    const std::string_view cls = item.class_name();
    if (is_sequence(item)) {
      read(item);
    } else if (cls == "RunnableCall" || cls == "TaskRunnableCall") {
      call(item);
    } else if (cls == "LabelAccess") {
      access(item);
    } else if (cls == "Ticks") {
      add(item, "ticks", Compute{ticks(item)});
    } else if (cls == "InterProcessTrigger") {
      const Element target = context_.required_reference(item, "stimulus");
      if (const auto stimulus = context_.stimuli.find(target))
        add(item, std::string(target.name()), Trigger{*stimulus});
    } else if (cls == "SetEvent") {
      SetEvents set{mask(item), std::nullopt};
      if (item.attribute("process") || item.child("process"))
        if (const auto process = context_.tasks.find(context_.required_reference(item, "process"))) set.task = *process;
      add(item, event_names(set.events), std::move(set));
    } else if (cls == "ClearEvent") {
      ClearEvents clear{mask(item)};
      add(item, event_names(clear.events), std::move(clear));
    } else if (cls == "WaitEvent") {
      WaitEvents wait{mask(item), item.attribute_or("maskType", "") == "AND",
                      item.attribute_or("waitingBehaviour", "") == "active"};
      add(item, event_names(wait.events), std::move(wait));
    } else {
      context_.ignore(item);
    }
  }

  void call(Element item) {
    const Element target = context_.required_reference(item, "runnable");
    const auto runnable = context_.runnables.find(target);
    if (!runnable) return;
    if (std::find(calls_.begin(), calls_.end(), *runnable) != calls_.end()) {
      context_.error("AM0305", fmt::format("runnable \"{}\" calls itself", target.name()), item.location(),
                     item.path());
      return;
    }
    calls_.push_back(*runnable);
    add(item, std::string(target.name()), Call{});
    read(target);
    calls_.pop_back();
  }

  void access(Element item) {
    const Element target = context_.required_reference(item, "data");
    const auto label = context_.labels.find(target);
    if (!label) return;
    if (item.attribute_or("access", "read") == "write")
      add(item, std::string(target.name()), WriteLabel{*label});
    else
      add(item, std::string(target.name()), ReadLabel{*label});
  }

  Ticks ticks(Element item) {
    Ticks result;
    result.otherwise = cycles_of(item.child("default"), context_.diagnostics);
    for (const Element entry : item.children("extended")) {
      const auto definition = context_.definitions.find(context_.required_reference(entry, "key"));
      const auto cycles = cycles_of(entry.child("value"), context_.diagnostics);
      if (definition && cycles) result.extended.emplace_back(*definition, *cycles);
    }
    return result;
  }

  std::vector<EventIndex> mask(Element item) {
    std::vector<EventIndex> events;
    if (const Element mask = item.child("eventMask"))
      for (const Element event : context_.model.references(mask, "events"))
        if (const auto index = context_.events.find(event)) events.push_back(*index);
    if (events.empty() && !context_.blocked)
      context_.error("AM0313", fmt::format("{} names no event (eventMask)", item.class_name()), item.location(),
                     item.path());
    return events;
  }

  std::string event_names(const std::vector<EventIndex>& events) const {
    std::string names;
    for (const EventIndex event : events) names += (names.empty() ? "" : ", ") + context_.system.events[event].name;
    return names;
  }

  void add(Element item, std::string name, Activity activity) {
    GraphNode node;
    node.name = std::move(name);
    node.activity = std::move(activity);
    node.task = task_;
    if (!calls_.empty()) node.runnable = calls_.back();
    node.origin = item.origin();
    body_.push_back(std::move(node));
  }

  BuildContext& context_;
  TaskIndex task_;
  RawBody& body_;
  std::vector<RunnableIndex> calls_;
};

}  // namespace

void build_raw_bodies(BuildContext& context) {
  context.raw_bodies.resize(context.system.tasks.size());
  for (TaskIndex task = 0; task < context.system.tasks.size(); ++task)
    BodyReader(context, task, context.raw_bodies[task]).read(context.task_elements[task]);
}

}  // namespace amalthea::importer::detail
