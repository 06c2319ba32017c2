// SPDX-License-Identifier: Apache-2.0
// 0.9.4 → 0.9.5: one call graph for tasks and runnables, clocks by functions and steps.

#include <fmt/core.h>

#include "migration/detail/steps.hpp"

namespace amalthea::migration {
namespace {

/// AMALTHEA's own migration keeps clocks and scenarios with this key.
constexpr std::string_view old_definition = "old_definition_v0.9.4";

bool is_process(const Object& object) { return object.is("Task") || object.is("ISR"); }

// ---- graphs

void graph_entries_back(Step& step) {
  for (Object* const graph : step.objects_of("CallGraph"))
    if (graph->owner() != nullptr && is_process(*graph->owner()) && graph->child("items") != nullptr) {
      graph->rename_feature("items", "graphEntries");
      step.changed(*graph);
    }
}

void call_sequences(Step& step) {
  for (Object* const sequence : step.objects_of("CallSequence")) {
    sequence->set_class("Group");
    if (sequence->name().empty()) sequence->set("name", "CallSequence");
    sequence->set("ordered", "true");
    sequence->rename_feature("calls", "items");
    step.changed(*sequence);
  }
}

/// The Task, ISR or Runnable whose graph contains the item, or null.
const Object* executable_of(const Object& item) {
  const Object* at = item.owner();
  while (at != nullptr && !is_process(*at) && !at->is("Runnable")) at = at->owner();
  return at;
}

bool in_process(const Object& item) {
  const Object* const executable = executable_of(item);
  return executable != nullptr && is_process(*executable);
}

void call_sequences_back(Step& step) {
  for (Object* const group : step.objects_of("Group")) {
    if (!in_process(*group) || group->owner()->is("CallSequence") || group->attribute("ordered") == "false") continue;
    group->set_class("CallSequence");
    if (group->name() == "CallSequence") group->set("name", "");
    group->unset("ordered");
    group->rename_feature("items", "calls");
    step.changed(*group);
  }
}

void calls_of_tasks_back(Step& step) {
  for (Object* const call : step.objects_of("RunnableCall"))
    if (in_process(*call) || call->feature() == "runnableCalls") {
      call->set_class("TaskRunnableCall");
      step.changed(*call);
    }
}

void runnable_items(Step& step) {
  for (Object* const runnable : step.objects_of("Runnable")) {
    if (runnable->child("callGraph") != nullptr || runnable->child("activityGraph") != nullptr) continue;
    auto items = runnable->take_all("runnableItems");
    // Every runnable has a graph afterwards, like in AMALTHEA's own migration.
    Object& graph = runnable->create("callGraph", "CallGraph");
    for (OwnedObject& item : items) graph.add("items", std::move(item));
    if (!items.empty()) step.changed(*runnable);
  }
}

void runnable_items_back(Step& step) {
  for (Object* const runnable : step.objects_of("Runnable")) {
    Object* const graph = runnable->child("callGraph");
    if (graph == nullptr) continue;
    for (OwnedObject& item : graph->take_all("items")) runnable->add("runnableItems", std::move(item));
    step.changed(*runnable);
    if (graph->children().empty()) step.drop(*graph);
  }
}

void switches_of_runnables_back(Step& step) {
  for (const auto& [one, other] :
       {std::pair{"ModeSwitch", "RunnableModeSwitch"}, std::pair{"ProbabilitySwitch", "RunnableProbabilitySwitch"}})
    for (Object* const item : step.objects_of(one))
      if (!in_process(*item)) {
        item->set_class(other);
        step.changed(*item);
      }
}

// ---- clocks

std::string time_text(const Object& time) {
  return fmt::format("{}{}", time.attribute_or("value", "0"), time.attribute_or("unit", ""));
}

/// "amplitude=1.0 yOffset=0.0 period=10ms", all of it taken away.
std::string old_function(Step& step, Object& clock, std::string_view one, std::string_view other) {
  std::string text;
  for (const std::string_view attribute : {one, other}) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", attribute, clock.attribute_or(attribute, "0.0"));
    clock.unset(attribute);
  }
  Objects times;
  for (Object* const child : all_children(clock))
    if (child->feature() == "period" || child->feature() == "shift") times.push_back(child);
  for (Object* const time : times) {
    text += fmt::format(" {}={}", time->feature(), time_text(*time));
    step.drop(*time, {"value", "unit"});
  }
  return text;
}

void clock_functions(Step& step) {
  struct Function {
    std::string_view cls, curve, one, other;
  };
  constexpr Function functions[] = {{"ClockSinusFunction", "sine", "amplitude", "yOffset"},
                                    {"ClockTriangleFunction", "triangle", "max", "min"}};
  for (const Function& function : functions) {
    for (Object* const clock : step.objects_of(function.cls)) {
      const std::string before = old_function(step, *clock, function.one, function.other);
      step.set_class(*clock, "ClockFunction");
      clock->set("curveType", function.curve);
      step.altered(*clock, "the description of the clock becomes text, because a function now has frequencies");
      step.keep_as(*clock, old_definition, before);
    }
    step.rename_class(function.cls, "ClockFunction");  // for unresolved references
  }
}

void clock_steps(Step& step) {
  for (Object* const entry : step.objects_of("ClockMultiplierListEntry")) {
    const std::string before = fmt::format("multiplier={}", entry->attribute_or("multiplier", "0.0"));
    entry->unset("multiplier");
    entry->set_class("ClockStep");
    step.altered(*entry, "the multiplier becomes text, because a step now has a frequency");
    step.keep_as(*entry, old_definition, before);
  }
  step.rename_class("ClockMultiplierList", "ClockStepList");
}

void scenarios(Step& step) {
  for (Object* const scenario : step.objects_of("Scenario")) {
    Object* const recurrence = scenario->child("recurrence");
    if (recurrence == nullptr || scenario->owner() == nullptr) continue;
    const std::string before = fmt::format("recurrence={}", time_text(*recurrence));
    Object& stimulus = *scenario->owner();
    if (stimulus.is("VariableRateStimulus") && stimulus.child("step") == nullptr)
      stimulus.create("step", "Time").fields() = recurrence->fields();
    step.drop(*recurrence, {"value", "unit"});
    step.altered(*scenario, "the recurrence becomes text, because samples now count cycles of the clock");
    step.keep_as(*scenario, old_definition, before);
  }
}

// Other changes: supertypes, additions, and new mandatory features without a better value. The step itself keeps a
// reference of EnforcedMigration to an interrupt controller.
constexpr Rule rules_to_0_9_5[] = {
    {"items is the new name of graphEntries",
     "This applies to a CallGraph.",
     {{"graphEntries", "items", "CallGraph"}},
     graph_entries_back},
    {"calls of tasks are RunnableCalls",
     "TaskRunnableCall becomes RunnableCall.",
     {{"TaskRunnableCall", "RunnableCall"}},
     calls_of_tasks_back},
    {"call sequences are ordered groups", "A CallSequence without a name is named CallSequence.", call_sequences,
     call_sequences_back},
    {"switches of runnables and tasks have the same classes",
     "This applies to RunnableModeSwitch and RunnableProbabilitySwitch.",
     {{"RunnableModeSwitch", "ModeSwitch"}, {"RunnableProbabilitySwitch", "ProbabilitySwitch"}},
     switches_of_runnables_back},
    {"runnables have a call graph", "The runnableItems become items of the call graph.", runnable_items,
     runnable_items_back},
    {"ClockFunction has a curve",
     "It replaces ClockSinusFunction and ClockTriangleFunction. Their numbers become text.", clock_functions},
    {"ClockStepList has ClockSteps", "It replaces ClockMultiplierList. The multipliers become text.", clock_steps},
    {"scenarios sample a clock",
     "The recurrence of a Scenario becomes text. It also becomes the step of a stimulus that has none.", scenarios},
};

}  // namespace

StepRules to_0_9_5() { return {Version::v0_9_5, rules_to_0_9_5}; }

}  // namespace amalthea::migration
