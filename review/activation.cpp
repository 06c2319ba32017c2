// SPDX-License-Identifier: Apache-2.0
// Stimuli, events and calls: activation of tasks and runnables.

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "review/detail/rules.hpp"

namespace amalthea::review {
namespace {

bool has_processes(const Context& context) {
  return !context.facts.all("Task").empty() || !context.facts.all("ISR").empty();
}

template <typename Predicate>
bool any_use(const Context& context, Element element, Predicate predicate) {
  const auto uses = context.facts.uses_of(element);
  return std::any_of(uses.begin(), uses.end(), predicate);
}

bool is_called_from(Element runnable, const Use& use) {
  const Element around = executable_around(use.holder);
  return around && around != runnable && use.holder != around;
}

bool uses_event_in(const Context& context, Element event, std::string_view activity) {
  return any_use(context, event, [&](const Use& use) {
    return use.holder.is(activity) || (use.holder.parent() && use.holder.parent().is(activity));
  });
}

/// Calls between runnables, in document order.
class CallGraph {
 public:
  struct Call {
    Element item, callee;
  };

  explicit CallGraph(const Context& context) {
    for (const Element runnable : context.facts.all("Runnable")) {
      runnables_.push_back(runnable);
      for (const Use& use : context.facts.uses_of(runnable)) {
        const Element caller = executable_around(use.holder);
        if (!caller || use.holder == caller) continue;
        if (caller.is("Runnable"))
          calls_[key(caller)].push_back({use.holder, runnable});
        else
          roots_.push_back(runnable);
      }
    }
  }

  const std::vector<Element>& runnables() const { return runnables_; }

  const std::vector<Call>& calls_of(Element runnable) const {
    static const std::vector<Call> none;
    const auto found = calls_.find(key(runnable));
    return found == calls_.end() ? none : found->second;
  }

  /// Runnables that tasks and ISRs call; the analysis reports cycles among them.
  std::unordered_set<std::uint64_t> reached() const {
    std::unordered_set<std::uint64_t> seen;
    std::vector<Element> open = roots_;
    while (!open.empty()) {
      const Element runnable = open.back();
      open.pop_back();
      if (!seen.insert(key(runnable)).second) continue;
      for (const Call& call : calls_of(runnable)) open.push_back(call.callee);
    }
    return seen;
  }

  static std::uint64_t key(Element element) {
    return (static_cast<std::uint64_t>(element.document().position()) << 32U) | element.index();
  }

 private:
  std::vector<Element> runnables_, roots_;
  std::unordered_map<std::uint64_t, std::vector<Call>> calls_;
};

}  // namespace

void check_unused_stimuli(const Context& context, Report& report) {
  if (!has_processes(context)) return;
  for (const Element stimulus : context.model.all("stimuliModel", "stimuli"))
    if (!any_use(context, stimulus, [](const Use& use) { return use.feature == "stimuli"; }))
      report.add(stimulus,
                 fmt::format("{} activates no task; reference it from a task, or remove it", describe(stimulus)));
}

void check_untriggered_stimuli(const Context& context, Report& report) {
  for (const std::string_view kind : {"InterProcessStimulus", "InterProcess"})
    for (const Element stimulus : context.facts.all(kind)) {
      const bool activates = any_use(context, stimulus, [](const Use& use) { return use.feature == "stimuli"; });
      const bool triggered = any_use(context, stimulus, [](const Use& use) { return use.feature == "stimulus"; });
      if (activates && !triggered)
        report.add(stimulus,
                   fmt::format("nothing triggers {}, so the tasks it activates never run; add an InterProcessTrigger",
                               describe(stimulus)));
    }
  if (context.system == nullptr) return;
  // Triggers that no task executes, and events that no activity of a task causes.
  const System& system = *context.system;
  std::vector<bool> triggered(system.stimuli.size(), false);
  for (NodeIndex node = 0; node < system.graph.size(); ++node)
    if (const auto* trigger = std::get_if<Trigger>(&system.graph[node].activity)) triggered[trigger->stimulus] = true;
  for (StimulusIndex index = 0; index < system.stimuli.size(); ++index) {
    const Stimulus& stimulus = system.stimuli[index];
    const bool by_event = std::holds_alternative<EventDriven>(stimulus.occurrence);
    if (triggered[index] || (!by_event && !std::holds_alternative<InterProcess>(stimulus.occurrence))) continue;
    if (stimulus.activates.empty() && stimulus.sets.empty()) continue;
    const Element element = context.model.element(stimulus.origin);
    if (!by_event && !any_use(context, element, [](const Use& use) { return use.feature == "stimulus"; })) continue;
    report.add(element, by_event ? fmt::format("no task causes an event of {}, so the tasks it activates never run; "
                                               "correct its events",
                                               describe(element))
                                 : fmt::format("no task executes a trigger of {}, so the tasks it activates never run; "
                                               "call the runnables with its triggers",
                                               describe(element)));
  }
}

void check_uncalled_runnables(const Context& context, Report& report) {
  if (!has_processes(context)) return;
  for (const Element runnable : context.facts.all("Runnable"))
    if (runnable.attribute_or("callback", "false") != "true" && !any_use(context, runnable, [&](const Use& use) {
          return is_called_from(runnable, use) || use.holder.is("RunnableAllocation");
        }))
      report.add(runnable, fmt::format("runnable \"{}\" is never called; call it, or remove it", runnable.name()));
}

void check_unawaited_events(const Context& context, Report& report) {
  for (const Element event : context.facts.all("OsEvent"))
    if (uses_event_in(context, event, "SetEvent") && !uses_event_in(context, event, "WaitEvent"))
      report.add(event,
                 fmt::format("event \"{}\" is set, but no task waits for it; add a WaitEvent, or remove the event",
                             event.name()));
}

void check_unused_events(const Context& context, Report& report) {
  if (!has_processes(context)) return;
  for (const Element event : context.facts.all("OsEvent"))
    if (!uses_event_in(context, event, "SetEvent") && !uses_event_in(context, event, "WaitEvent"))
      report.add(event, fmt::format("event \"{}\" is never set, and no task waits for it; use it, or remove it",
                                    event.name()));
}

void check_recursion(const Context& context, Report& report) {
  const CallGraph graph(context);
  const auto reached = graph.reached();
  enum class State : std::uint8_t { open, done };
  std::unordered_map<std::uint64_t, State> states;
  struct Frame {
    Element runnable;
    std::size_t next = 0;
  };
  for (const Element root : graph.runnables()) {
    if (states.contains(CallGraph::key(root)) || reached.contains(CallGraph::key(root))) continue;
    std::vector<Frame> stack{{root, 0}};
    states[CallGraph::key(root)] = State::open;
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const auto& calls = graph.calls_of(frame.runnable);
      if (frame.next == calls.size()) {
        states[CallGraph::key(frame.runnable)] = State::done;
        stack.pop_back();
        continue;
      }
      const CallGraph::Call call = calls[frame.next++];
      if (reached.contains(CallGraph::key(call.callee))) continue;
      const auto [state, added] = states.emplace(CallGraph::key(call.callee), State::open);
      if (added)
        stack.push_back({call.callee, 0});
      else if (state->second == State::open)
        report.add(call.item,
                   fmt::format("runnable \"{}\" calls itself, directly or through other runnables; break the cycle",
                               call.callee.name()));
    }
  }
}

void check_call_arguments(const Context& context, Report& report) {
  for (const Element argument : context.facts.all("CallArgument")) {
    const Element runnable = context.model.reference(argument.parent(), "runnable");
    const Element parameter = context.model.reference(argument, "parameter");
    if (!runnable || !parameter || parameter.parent() == runnable || report.is_reported(argument)) continue;
    report.add(argument, "parameter",
               fmt::format("an argument of the call of \"{}\" refers to the parameter \"{}\" of {}; expected a "
                           "parameter of the called runnable",
                           runnable.name(), parameter.name(), describe(parameter.parent())));
  }
}

}  // namespace amalthea::review
