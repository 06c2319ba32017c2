// What each task does, as a flat sequence of activities.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "amalthea/views/activity.hpp"
#include "amalthea/views/hardware.hpp"
#include "amalthea/views/quantities.hpp"
#include "importer/detail/build_context.hpp"
#include "importer/detail/distribution_builder.hpp"

namespace amalthea::importer::detail {
namespace {

/// A chain of calls deeper than this is no program that somebody wrote, and would use up the stack.
constexpr std::size_t max_call_depth = 512;
/// Groups within groups within called runnables: the same, counted over all levels.
constexpr std::size_t max_nesting = 2000;
/// Runnables that call others several times each multiply: a small file could ask for any number of activities.
constexpr std::size_t max_activities = 1'000'000;

/// With the shape of what varies.
Cycles varying_cycles_of(const views::Deviation<std::int64_t>& deviation, Diagnostics& diagnostics) {
  Cycles cycles = cycles_of(deviation, diagnostics);
  cycles.shape = distribution_of(deviation).shape;
  return cycles;
}

class BodyReader {
 public:
  BodyReader(BuildContext& context, TaskIndex task, RawBody& body, std::size_t& total)
      : context_(context), task_(task), body_(body), total_(total) {}

  void read(Element container) {
    if (depth_ >= max_nesting) {
      if (!too_deep_)
        context_.error("AM0320", fmt::format("groups and calls are nested deeper than {} levels", max_nesting),
                       container.location(), container.path());
      too_deep_ = true;
      return;
    }
    ++depth_;
    for (const Element item : items_of(container))
      if (total_ <= max_activities) read_item(item);
    --depth_;
  }

 private:
  void read_item(Element element) {
    // What is not simulated may be unreadable without any effect; only execution times are told about.
    Diagnostics no_effect;
    const std::string_view cls = element.class_name();
    const bool is_execution = cls == "Ticks" || cls == "ExecutionNeed" || cls.find("Instructions") != cls.npos;
    Diagnostics& diagnostics = is_execution ? context_.diagnostics : no_effect;
    const views::ActivityItem item = views::activity_item(context_.model, element, diagnostics);
    std::visit([&](const auto& kind) { take(element, kind); }, item.kind);
  }

  /// Kinds that are not simulated: the switches, loops, semaphores and so on of all versions.
  template <typename Kind>
  void take(Element item, const Kind&) {
    context_.ignore(item);
  }

  void take(Element item, const views::Group&) { read(item); }

  void take(Element item, const views::RunnableCall& call_item) {
    ignore_counter(call_item.counter);
    call(item);
  }

  void take(Element item, const views::LabelAccess& access_item) {
    const auto label = context_.required(context_.labels, item, "data");
    if (!label) return;
    const std::string& name = context_.system.labels[*label].name;
    if (access_item.access == views::Access::write)
      add(item, name, WriteLabel{*label});
    else
      add(item, name, ReadLabel{*label});
  }

  void take(Element item, const views::Ticks& ticks) {
    Ticks cycles;
    if (ticks.otherwise) cycles.otherwise = varying_cycles_of(*ticks.otherwise, context_.diagnostics);
    auto entry = ticks.extended.begin();
    for (const Element element : item.children("extended")) {
      const auto definition = context_.required(context_.definitions, element, "key");
      const auto& deviation = (entry++)->second;
      if (!deviation) continue;
      const Cycles of_entry = varying_cycles_of(*deviation, context_.diagnostics);
      if (definition) cycles.extended.emplace_back(*definition, of_entry);
    }
    add(item, "ticks", Compute{std::move(cycles)});
  }

  /// Instructions (before 0.9.3) take cycles by what the unit's definition executes per cycle; one where it is silent.
  void take(Element item, const views::ExecutionNeed& need) {
    const Element unit =
        context_.model.element(context_.system.platform.units[context_.system.tasks[task_].unit].origin);
    Element definition = context_.model.reference(unit, "definition");
    if (!definition) definition = context_.model.reference(unit, "coreType");
    Ticks ticks;
    ticks.otherwise = cycles_of_needs(item, need.needs, definition);
    for (const auto& [key, needs] : need.extended)
      if (const auto index = context_.definitions.find(key))
        if (const auto cycles = cycles_of_needs(item, needs, key)) ticks.extended.emplace_back(*index, *cycles);
    if (ticks.otherwise || !ticks.extended.empty()) add(item, "ticks", Compute{std::move(ticks)});
  }

  std::optional<Cycles> cycles_of_needs(Element item, const std::vector<views::Need>& needs, Element definition) {
    std::optional<Cycles> sum;
    for (const views::Need& need : needs) {
      if (need.key != "Instructions" || !need.amount) {
        context_.ignore(item);
        continue;
      }
      const double rate = views::instructions_per_cycle(context_.model, definition).value_or(1);
      const auto cycles = views::cycles_of_instructions(varying_cycles_of(*need.amount, context_.diagnostics), rate);
      if (cycles && !sum) sum = cycles;  // a key is written once
    }
    return sum;
  }

  void take(Element item, const views::InterProcessTrigger& trigger) {
    ignore_counter(trigger.counter);
    if (const auto stimulus = context_.required(context_.stimuli, item, "stimulus"))
      add(item, context_.system.stimuli[*stimulus].name, Trigger{*stimulus});
  }

  void take(Element item, const views::SetEvent& set_item) {
    ignore_counter(set_item.counter);
    SetEvents set{indices_of(item, set_item.events), std::nullopt};
    if (item.attribute("process") || item.child("process")) {
      set.task = context_.tasks.find(context_.required_reference(item, "process"));
      if (!set.task) {  // an ISR, which is not simulated: nobody is set
        context_.ignore(item);
        return;
      }
    }
    std::string names = event_names(set.events);
    add(item, std::move(names), std::move(set));
  }

  void take(Element item, const views::ClearEvent& clear_item) {
    ignore_counter(clear_item.counter);
    ClearEvents clear{indices_of(item, clear_item.events)};
    std::string names = event_names(clear.events);
    add(item, std::move(names), std::move(clear));
  }

  void take(Element item, const views::WaitEvent& wait_item) {
    ignore_counter(wait_item.counter);
    WaitEvents wait{indices_of(item, wait_item.events), wait_item.mask == views::EventMaskType::all,
                    wait_item.waiting == views::Waiting::active};
    std::string names = event_names(wait.events);
    add(item, std::move(names), std::move(wait));
  }

  /// A counter lets an activity take effect in some executions only, which is not simulated.
  void ignore_counter(const std::optional<views::Counter>& counter) {
    if (counter && (counter->prescaler != 1 || counter->offset != 0)) context_.ignore(counter->element);
  }

  void call(Element item) {
    const auto runnable = context_.required(context_.runnables, item, "runnable");
    if (!runnable) return;
    const std::string& name = context_.system.runnables[*runnable].name;
    const bool calls_itself = std::find(calls_.begin(), calls_.end(), *runnable) != calls_.end();
    if (calls_itself || calls_.size() >= max_call_depth) {
      context_.error("AM0305",
                     calls_itself ? fmt::format("runnable \"{}\" calls itself", name)
                                  : fmt::format("the call of runnable \"{}\" is nested deeper than {} runnables", name,
                                                max_call_depth),
                     item.location(), item.path());
      return;
    }
    calls_.push_back(*runnable);
    add(item, name, Call{});
    read(context_.runnable_elements[*runnable]);
    calls_.pop_back();
  }

  std::vector<EventIndex> indices_of(Element item, const std::vector<Element>& named) {
    std::vector<EventIndex> events;
    for (const Element event : named)
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
    if (++total_ > max_activities) {
      if (total_ == max_activities + 1)
        context_.error("AM0317",
                       fmt::format("the tasks have more than {} activities, counting every call of a runnable anew",
                                   max_activities),
                       item.location(), item.path());
      return;
    }
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
  std::size_t& total_;  // activities of all tasks so far
  std::size_t depth_ = 0;
  bool too_deep_ = false;
  std::vector<RunnableIndex> calls_;
};

}  // namespace

void build_raw_bodies(BuildContext& context) {
  context.raw_bodies.resize(context.system.tasks.size());
  std::size_t total = 0;
  for (TaskIndex task = 0; task < context.system.tasks.size(); ++task)
    BodyReader(context, task, context.raw_bodies[task], total).read(context.task_elements[task]);
}

}  // namespace amalthea::importer::detail
