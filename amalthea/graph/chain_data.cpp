// SPDX-License-Identifier: Apache-2.0
#include "amalthea/graph/chain_data.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include <fmt/core.h>

namespace amalthea {
namespace {

template <typename Values, typename Value>
bool contains(const Values& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

Certainty certainty_of(const AccessCount& count) {
  return count.least > 0 ? Certainty::always : count.most > 0 ? Certainty::sometimes : Certainty::never;
}

/// Whether an activity reads or writes a label.
Certainty access_by(const Activity& activity, LabelIndex label, bool write) {
  if (const auto* read = std::get_if<ReadLabel>(&activity))
    return !write && read->label == label ? certainty_of(read->count) : Certainty::never;
  if (const auto* written = std::get_if<WriteLabel>(&activity))
    return write && written->label == label ? certainty_of(written->count) : Certainty::never;
  const std::vector<LabelIndex>* labels = nullptr;
  if (const auto* copy = std::get_if<Copy>(&activity)) labels = write ? &copy->destinations : &copy->sources;
  if (const auto* kernel = std::get_if<Kernel>(&activity)) labels = write ? &kernel->writes : &kernel->reads;
  return labels != nullptr && contains(*labels, label) ? Certainty::always : Certainty::never;
}

/// Places at which something enters or leaves a task.
struct Places {
  std::vector<LabelIndex> labels = {};  ///< accesses of each of them
  std::optional<RunnableIndex> within = {};
  std::optional<RunnableIndex> run = {};  ///< or runs of this runnable
  std::vector<NodeIndex> nodes = {};      ///< or these activities
};

class DataFlow {
 public:
  DataFlow(const System& system, const JobPaths& paths, const Chain& chain)
      : system_(system), paths_(paths), chain_(chain) {}

  ChainData find() {
    data_.obstacle = chain_.gap;
    data_.never = !chain_.gap.empty();
    for (std::size_t event = 0; event < chain_.events.size() && clear(); ++event) check_event(event);
    std::vector<Places> in(chain_.tasks.size()), out(chain_.tasks.size());
    for (std::size_t task = 0; task + 1 < chain_.tasks.size() && clear(); ++task) link(task, out[task], in[task + 1]);
    if (!clear() || chain_.tasks.empty()) return std::move(data_);
    if (const ObservableEvent* event = first_event(0)) in.front() = place_of(*event, false);
    if (const ObservableEvent* event = last_event(chain_.tasks.size() - 1)) out.back() = place_of(*event, true);
    for (std::size_t task = 0; task < chain_.tasks.size(); ++task)
      data_.writes_first.push_back(writes_first(chain_.tasks[task], in[task], out[task], task == 0));
    return std::move(data_);
  }

  std::vector<LabelIndex> labels_of(TaskIndex task) const {
    std::vector<LabelIndex> labels;
    const auto read = labels_of(task, false, no_run, true), written = labels_of(task, true, no_run, true);
    std::set_union(read.begin(), read.end(), written.begin(), written.end(), std::back_inserter(labels));
    return labels;
  }

 private:
  bool clear() const { return data_.obstacle.empty(); }
  void stop(bool never, std::string obstacle) {
    data_.obstacle = std::move(obstacle);
    data_.never = never;
  }
  const std::string& name(TaskIndex task) const { return system_.tasks[task].name; }

  // ---- events

  const ObservableEvent* first_event(std::size_t position) const {
    for (const ChainEvent& event : chain_.events)
      if (event.in_task && event.position == position) return &event.event;
    return nullptr;
  }
  const ObservableEvent* last_event(std::size_t position) const {
    const ObservableEvent* last = nullptr;
    for (const ChainEvent& event : chain_.events)
      if (event.in_task && event.position == position) last = &event.event;
    return last;
  }

  void check_event(std::size_t index) {
    const ChainEvent& event = chain_.events[index];
    if (!event.in_task) return;  // the link checks its label
    const TaskIndex task = chain_.tasks[event.position];
    const Certainty occurs = std::visit([&](const auto& what) { return occurrence(what, task); }, event.event.what);
    if (occurs == Certainty::always) return;
    data_.event = index;
    const bool never = occurs == Certainty::never;
    stop(never, fmt::format("the event \"{}\" of its chain {} \"{}\"", event.event.name,
                            never ? "never occurs in" : "need not occur in every job of", name(task)));
  }

  /// Whether the task may run on this unit.
  Certainty on(const std::optional<UnitIndex>& unit, TaskIndex task) const {
    const Task& of = system_.tasks[task];
    if (!unit) return Certainty::always;
    if (of.units.size() <= 1) return of.unit == *unit ? Certainty::always : Certainty::never;
    return contains(of.units, *unit) ? Certainty::sometimes : Certainty::never;
  }

  Certainty occurrence(const ObservableEvent::OfProcess& of, TaskIndex task) const {
    using enum EventAction;
    const bool in_every_job = of.action == any || of.action == activate || of.action == start || of.action == terminate;
    return std::min(on(of.unit, task), in_every_job ? Certainty::always : Certainty::sometimes);
  }
  Certainty occurrence(const ObservableEvent::OfRunnable& of, TaskIndex task) const {
    if (!of.runnable) return Certainty::sometimes;
    const Certainty runs = run_of(*of.runnable, task);
    const bool in_every_run = of.action != EventAction::suspend && of.action != EventAction::resume;
    return std::min({on(of.unit, task), runs, in_every_run ? Certainty::always : Certainty::sometimes});
  }
  Certainty occurrence(const ObservableEvent::OfLabel& of, TaskIndex task) const {
    if (!of.label) return Certainty::sometimes;
    Certainty either = Certainty::never;
    for (const bool write : {false, true})
      if (of.action != (write ? EventAction::read : EventAction::write))
        either = std::max(either, access(task, *of.label, write, of.runnable));
    return either;
  }
  Certainty occurrence(const ObservableEvent::OfStimulus&, TaskIndex) const { return Certainty::always; }
  Certainty occurrence(const ObservableEvent::OfSemaphore& of, TaskIndex task) const {
    return std::min(on(of.unit, task), paths_.occurs(task, [&](NodeIndex node) {
      const auto* use = std::get_if<UseSemaphore>(&system_.graph[node].activity);
      if (use == nullptr || (of.semaphore && of.semaphore != use->semaphore) || !within(node, of.runnable))
        return Certainty::never;
      const bool unlocks = use->operation == UseSemaphore::Operation::release;
      return of.action == (unlocks ? EventAction::lock : EventAction::unlock) ? Certainty::never : Certainty::always;
    }));
  }
  Certainty occurrence(const ObservableEvent::OfMode& of, TaskIndex task) const {
    return paths_.occurs(task, [&](NodeIndex node) {
      const auto* set = std::get_if<SetMode>(&system_.graph[node].activity);
      if (set == nullptr || (of.mode && of.mode != set->mode) || !within(node, of.runnable)) return Certainty::never;
      const EventAction action = set->operation == SetMode::Operation::set         ? EventAction::write
                                 : set->operation == SetMode::Operation::increment ? EventAction::increment
                                                                                   : EventAction::decrement;
      return action == of.action ? Certainty::always : Certainty::never;
    });
  }
  Certainty occurrence(const ObservableEvent::OfActivities& of, TaskIndex task) const { return any_of(task, of.nodes); }

  // ---- what tasks do

  bool within(NodeIndex node, const std::optional<RunnableIndex>& runnable) const {
    return !runnable || system_.graph[node].runnable == runnable;
  }

  Certainty any_of(TaskIndex task, const std::vector<NodeIndex>& nodes) const {
    return paths_.occurs(task, one_of(nodes));
  }

  template <typename Is>
  Certainty contained(TaskIndex task, Is is) const {
    Certainty found = Certainty::never;
    for (const Contained& part : system_.tasks[task].contained)
      if (is(part)) found = std::max(found, part.in_every_job ? Certainty::always : Certainty::sometimes);
    return found;
  }

  Certainty run_of(RunnableIndex runnable, TaskIndex task) const {
    const Certainty inside =
        contained(task, [&](const Contained& part) { return !part.label && part.runnable == runnable; });
    return std::max(inside, paths_.occurs(task, [&](NodeIndex node) {
      return system_.graph[node].runnable == runnable ? Certainty::always : Certainty::never;
    }));
  }

  Certainty access(TaskIndex task, LabelIndex label, bool write, const std::optional<RunnableIndex>& runnable) const {
    Certainty found = own_access(task, label, write, runnable);
    if (found != Certainty::always)
      for (const Offload& offload : offloads_of(task))
        found = std::max(found, own_access(offload.device, label, write, runnable));
    return found;
  }
  Certainty own_access(TaskIndex task, LabelIndex label, bool write,
                       const std::optional<RunnableIndex>& runnable) const {
    const Certainty inside = contained_access(task, label, write, runnable);
    if (inside == Certainty::always) return inside;
    return std::max(inside, paths_.occurs(task, [&](NodeIndex node) {
      return within(node, runnable) ? access_by(system_.graph[node].activity, label, write) : Certainty::never;
    }));
  }
  Certainty contained_access(TaskIndex task, LabelIndex label, bool write,
                             const std::optional<RunnableIndex>& runnable) const {
    return contained(task, [&](const Contained& part) {
      return part.label == label && part.write == write && (!runnable || part.runnable == runnable);
    });
  }

  /// A task that works within every job of another one: that one alone triggers it, and then waits for its event.
  struct Offload {
    TaskIndex device = 0;
    std::vector<NodeIndex> triggers, waits;
  };

  std::vector<Offload> offloads_of(TaskIndex task) const {
    std::vector<Offload> found;
    for (const NodeIndex node : system_.tasks[task].body)
      if (const auto* trigger = std::get_if<Trigger>(&system_.graph[node].activity))
        for (const TaskIndex device : system_.stimuli[trigger->stimulus].activates)
          if (std::none_of(found.begin(), found.end(), [&](const Offload& other) { return other.device == device; }))
            if (auto offload = offload_of(task, device)) found.push_back(std::move(*offload));
    return found;
  }

  std::optional<Offload> offload_of(TaskIndex task, TaskIndex device) const {
    Offload offload{device, {}, {}};
    for (const Stimulus& stimulus : system_.stimuli)
      if (contains(stimulus.activates, device) && !std::holds_alternative<InterProcess>(stimulus.occurrence))
        return std::nullopt;
    std::vector<NodeIndex> sets, clears;
    std::vector<EventIndex> events;
    for (const NodeIndex node : system_.tasks[device].body)
      if (const auto* set = std::get_if<SetEvents>(&system_.graph[node].activity);
          set != nullptr && set->task.value_or(task) == task) {
        sets.push_back(node);
        events.insert(events.end(), set->events.begin(), set->events.end());
      }
    const auto concerns = [&](const std::vector<EventIndex>& others) {
      return std::find_first_of(others.begin(), others.end(), events.begin(), events.end()) != others.end();
    };
    for (NodeIndex node = 0; node < system_.graph.size(); ++node) {
      const GraphNode& activity = system_.graph[node];
      if (const auto* trigger = std::get_if<Trigger>(&activity.activity)) {
        if (!contains(system_.stimuli[trigger->stimulus].activates, device)) continue;
        if (activity.task != task) return std::nullopt;
        offload.triggers.push_back(node);
      } else if (const auto* set = std::get_if<SetEvents>(&activity.activity)) {
        const bool another = activity.task != device && set->task.value_or(task) == task;
        if (another && concerns(set->events)) return std::nullopt;
      } else if (const auto* clear = std::get_if<ClearEvents>(&activity.activity)) {
        if (activity.task == task && concerns(clear->events)) clears.push_back(node);
      } else if (const auto* wait = std::get_if<WaitEvents>(&activity.activity)) {
        if (activity.task != task || !concerns(wait->events)) continue;
        if (!wait->all && wait->events.size() > 1) return std::nullopt;
        offload.waits.push_back(node);
      }
    }
    for (const auto* nodes : {&offload.triggers, &offload.waits, &clears})
      if (any_of(task, *nodes) != Certainty::always) return std::nullopt;
    if (any_of(device, sets) != Certainty::always ||
        paths_.may_precede(task, one_of(offload.waits), one_of(offload.triggers)))
      return std::nullopt;
    return offload;
  }

  /// The labels that the task and its offloads, or a run of a runnable with all that it calls, may read or write, in
  /// order.
  std::vector<LabelIndex> labels_of(TaskIndex task, bool write, const std::optional<RunnableIndex>& run,
                                    bool with_offloads = false) const {
    std::vector<LabelIndex> labels;
    if (with_offloads)
      for (const Offload& offload : offloads_of(task)) {
        const auto more = labels_of(offload.device, write, run);
        labels.insert(labels.end(), more.begin(), more.end());
      }
    std::optional<std::uint32_t> depth;  // of the run
    for (const NodeIndex node : system_.tasks[task].body) {
      const GraphNode& activity = system_.graph[node];
      if (depth && (activity.depth < *depth || (activity.depth == *depth && activity.runnable != run))) depth.reset();
      if (!depth && run && activity.runnable == run) depth = activity.depth;
      if (run && !depth) continue;
      const auto add = [&](LabelIndex label) {
        if (access_by(activity.activity, label, write) != Certainty::never) labels.push_back(label);
      };
      if (const auto* read = std::get_if<ReadLabel>(&activity.activity)) add(read->label);
      if (const auto* written = std::get_if<WriteLabel>(&activity.activity)) add(written->label);
      if (const auto* copy = std::get_if<Copy>(&activity.activity))
        for (const LabelIndex label : write ? copy->destinations : copy->sources) add(label);
      if (const auto* kernel = std::get_if<Kernel>(&activity.activity))
        for (const LabelIndex label : write ? kernel->writes : kernel->reads) add(label);
    }
    for (const Contained& part : system_.tasks[task].contained)
      if (part.label && part.write == write && (!run || part.runnable == run)) labels.push_back(*part.label);
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    return labels;
  }

  // ---- from task to task

  /// The label that an event at the end (`write`) or the beginning of a task's part of the chain names.
  static const ObservableEvent::OfLabel* named_by(const ObservableEvent* event, bool write) {
    const auto* of = event != nullptr ? std::get_if<ObservableEvent::OfLabel>(&event->what) : nullptr;
    return of != nullptr && of->label && of->action != (write ? EventAction::read : EventAction::write) ? of : nullptr;
  }
  static std::optional<RunnableIndex> run_of(const ObservableEvent* event) {
    const auto* of = event != nullptr ? std::get_if<ObservableEvent::OfRunnable>(&event->what) : nullptr;
    return of != nullptr ? of->runnable : std::nullopt;
  }

  void link(std::size_t position, Places& out, Places& in) {
    const TaskIndex from = chain_.tasks[position], to = chain_.tasks[position + 1];
    const ObservableEvent *leaves = last_event(position), *enters = first_event(position + 1);
    const auto *written = named_by(leaves, true), *read = named_by(enters, false);
    if (written != nullptr) out.within = written->runnable;
    if (read != nullptr) in.within = read->runnable;
    std::vector<LabelIndex> named;
    if (written != nullptr) named.push_back(*written->label);
    if (read != nullptr) named.push_back(*read->label);
    for (std::size_t index = 0; index < chain_.events.size(); ++index)
      if (const ChainEvent& event = chain_.events[index]; !event.in_task && event.position == position) {
        named.push_back(*std::get<ObservableEvent::OfLabel>(event.event.what).label);
        data_.event = index;
      }
    for (const LabelIndex label : named)
      if (label != named.front())
        return stop(true, fmt::format("its chain leads from label \"{}\" to label \"{}\" without naming the task "
                                      "between them",
                                      system_.labels[named.front()].name, system_.labels[label].name));
    if (named.size() > 1) named = std::vector<LabelIndex>{named.front()};
    if (named.empty()) named = common(from, to, run_of(leaves), run_of(enters));
    // A written label need not be what the next task waits for.
    const bool required = read != nullptr || data_.event;
    if (!named.empty() && !required && written != nullptr && connects(from, to) &&
        access(to, named.front(), false, {}) == Certainty::never)
      named.clear();
    for (const LabelIndex label : named) {
      require(access(from, label, true, out.within), from, "writes", label);
      if (clear()) require(access(to, label, false, in.within), to, "reads", label);
      if (!clear()) return;
    }
    data_.event.reset();
    out.labels = in.labels = std::move(named);
    if (out.labels.empty()) connect(from, to, out, in);
  }

  /// The labels that one task writes and the other one reads.
  std::vector<LabelIndex> common(TaskIndex from, TaskIndex to, const std::optional<RunnableIndex>& from_run,
                                 const std::optional<RunnableIndex>& to_run) const {
    const auto of = [&](const std::optional<RunnableIndex>& writing, const std::optional<RunnableIndex>& reading,
                        bool with_offloads = false) {
      const auto written = labels_of(from, true, writing, with_offloads);
      const auto read = labels_of(to, false, reading, with_offloads);
      std::vector<LabelIndex> both;
      std::set_intersection(written.begin(), written.end(), read.begin(), read.end(), std::back_inserter(both));
      return both;
    };
    for (const auto& [writing, reading] :
         {std::pair(from_run, to_run), std::pair(from_run, no_run), std::pair(no_run, to_run)})
      if (auto both = of(writing, reading); !both.empty()) return both;
    if (auto both = of(no_run, no_run); !both.empty() || connects(from, to)) return both;
    return of(no_run, no_run, true);
  }

  void require(Certainty is, TaskIndex task, std::string_view does, LabelIndex label) {
    if (is == Certainty::always) return;
    const bool never = is == Certainty::never;
    stop(never, fmt::format("{}\"{}\" {}{} label \"{}\", which its chain passes", never ? "" : "not every job of ",
                            name(task), never ? "never " : "", does, system_.labels[label].name));
  }

  struct Connection {
    std::vector<NodeIndex> from, to;
    bool is_certain = true;
  };

  /// The triggers of a task, or the events that it sets for the other one, and the waits for them.
  Connection connection(TaskIndex from, TaskIndex to, bool by_trigger) const {
    Connection found;
    for (const NodeIndex node : system_.tasks[from].body) {
      const Activity& activity = system_.graph[node].activity;
      if (const auto* trigger = std::get_if<Trigger>(&activity); trigger != nullptr && by_trigger) {
        if (contains(system_.stimuli[trigger->stimulus].activates, to)) found.from.push_back(node);
      } else if (const auto* set = std::get_if<SetEvents>(&activity); set != nullptr && !by_trigger) {
        if (set->task.value_or(to) != to) continue;
        for (const NodeIndex other : system_.tasks[to].body) {
          const auto* wait = std::get_if<WaitEvents>(&system_.graph[other].activity);
          if (wait == nullptr || std::find_first_of(wait->events.begin(), wait->events.end(), set->events.begin(),
                                                    set->events.end()) == wait->events.end())
            continue;
          found.from.push_back(node);
          if (!contains(found.to, other)) found.to.push_back(other);
          if (!wait->all && wait->events.size() > 1) found.is_certain = false;
        }
      }
    }
    return found;
  }

  bool connects(TaskIndex from, TaskIndex to) const {
    return !connection(from, to, true).from.empty() || !connection(from, to, false).from.empty();
  }

  void connect(TaskIndex from, TaskIndex to, Places& out, Places& in) {
    for (const bool by_trigger : {true, false}) {
      Connection found = connection(from, to, by_trigger);
      if (found.from.empty()) continue;
      const bool certain = found.is_certain && any_of(from, found.from) == Certainty::always &&
                           (by_trigger || any_of(to, found.to) == Certainty::always);
      if (!certain)
        return stop(false, by_trigger
                               ? fmt::format("not every job of \"{}\" triggers \"{}\"", name(from), name(to))
                               : fmt::format("not every job of \"{}\" sets an event that every job of \"{}\" waits for",
                                             name(from), name(to)));
      out.nodes = std::move(found.from);
      in.nodes = std::move(found.to);
      return;
    }
    stop(true, fmt::format("\"{}\" writes no label that \"{}\" reads, and does not trigger it", name(from), name(to)));
  }

  // ---- order within a task

  /// Where the chain enters its first task, or leaves its last one.
  static Places place_of(const ObservableEvent& event, bool write) {
    Places places;
    if (const auto* of = named_by(&event, write)) {
      places.labels = {*of->label};
      places.within = of->runnable;
    } else if (const auto run = run_of(&event)) {
      places.run = run;
    }
    return places;
  }

  static JobPaths::Does one_of(std::vector<NodeIndex> nodes) {
    return [nodes = std::move(nodes)](NodeIndex node) {
      return contains(nodes, node) ? Certainty::always : Certainty::never;
    };
  }
  JobPaths::Does access_of(LabelIndex label, bool write, const std::optional<RunnableIndex>& run) const {
    return [this, label, write, run](NodeIndex node) {
      return within(node, run) ? access_by(system_.graph[node].activity, label, write) : Certainty::never;
    };
  }

  /// One of the places alone, as what one execution of an activity does there.
  struct Part {
    JobPaths::Does does;
    /// This offload of the task does it: it has read when the wait ends, and writes after the trigger.
    std::optional<TaskIndex> offload = {};
    JobPaths::Does within_offload = {};
  };

  std::vector<Part> parts_of(TaskIndex task, const Places& places, bool write) const {
    std::vector<Part> parts;
    for (const LabelIndex label : places.labels) {
      if (contained_access(task, label, write, places.within) != Certainty::never) continue;
      const JobPaths::Does does = access_of(label, write, places.within);
      const Certainty own = own_access(task, label, write, places.within);
      if (own != Certainty::never) parts.push_back({does});
      if (own == Certainty::always) continue;
      for (const Offload& offload : offloads_of(task))
        if (own_access(offload.device, label, write, places.within) != Certainty::never)
          parts.push_back({one_of(write ? offload.triggers : offload.waits), offload.device, does});
    }
    if (!places.nodes.empty()) parts.push_back({one_of(places.nodes)});
    if (places.run)
      if (auto nodes = ends_of_runs(task, *places.run, write); !nodes.empty())
        parts.push_back({one_of(std::move(nodes))});
    return parts;
  }

  /// The first or last activity of each run of a runnable.
  std::vector<NodeIndex> ends_of_runs(TaskIndex task, RunnableIndex runnable, bool last) const {
    std::vector<NodeIndex> ends;
    std::optional<std::uint32_t> depth;
    for (const NodeIndex node : system_.tasks[task].body) {
      const GraphNode& activity = system_.graph[node];
      const bool calls = std::holds_alternative<Call>(activity.activity);
      if (depth && (activity.depth < *depth || (activity.depth == *depth && (calls || activity.runnable != runnable))))
        depth.reset();
      if (!depth && activity.runnable == runnable) {
        depth = activity.depth;
        ends.push_back(node);
      } else if (depth && last) {
        ends.back() = node;
      }
    }
    return ends;
  }

  bool writes_first(TaskIndex task, const Places& in, const Places& out, bool first) const {
    const auto inputs = parts_of(task, in, false), outputs = parts_of(task, out, true);
    const auto late = [&](TaskIndex within, const JobPaths::Does& output, const JobPaths::Does& input) {
      return paths_.may_precede(within, output, input) || (first && paths_.may_remain(within, input, output));
    };
    for (const Part& input : inputs)
      for (const Part& output : outputs)
        if (input.offload && input.offload == output.offload
                ? late(*input.offload, output.within_offload, input.within_offload)
                : late(task, output.does, input.does))
          return true;
    return false;
  }

  static constexpr std::optional<RunnableIndex> no_run = {};

  const System& system_;
  const JobPaths& paths_;
  const Chain& chain_;
  ChainData data_;
};

}  // namespace

ChainData chain_data(const System& system, const JobPaths& paths, const Chain& chain) {
  return DataFlow(system, paths, chain).find();
}

std::vector<LabelIndex> accessed_labels(const System& system, const JobPaths& paths, TaskIndex task) {
  const Chain none;
  return DataFlow(system, paths, none).labels_of(task);
}

std::vector<bool> chains_that_pass_data(const System& system) {
  std::vector<bool> pass;
  if (system.chains.empty()) return pass;
  const JobPaths paths(system);
  for (const Chain& chain : system.chains) pass.push_back(chain_data(system, paths, chain).obstacle.empty());
  return pass;
}

}  // namespace amalthea
