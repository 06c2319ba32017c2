// SPDX-License-Identifier: Apache-2.0
// Vertices and edges of the system's runnable graph.

#include <malloc.h>

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "importer/building/detail/access_costs.hpp"
#include "importer/building/detail/build_context.hpp"

namespace amalthea::importer::detail {
namespace {

/// An activity that leads to the next one, and the label of that edge.
struct Open {
  NodeIndex node;
  std::string label;
};

/// Adds sequence edges between the activities [begin, end) of a body. `open` is what leads into them, then what leads
/// out.
void add_sequence(System& system, const std::vector<NodeIndex>& body, std::size_t begin, std::size_t end,
                  std::vector<Open>& open) {
  const auto connect = [&system](const std::vector<Open>& from, NodeIndex to) {
    for (const Open& one : from) system.graph.connect(one.node, to, GraphEdge{EdgeKind::sequence, one.label});
  };
  for (std::size_t i = begin; i < end; ++i) {
    const NodeIndex node = body[i];
    connect(open, node);
    open.clear();
    const auto* branch = std::get_if<Branch>(&system.graph[node].activity);
    if (branch == nullptr) {
      if (!std::holds_alternative<Terminate>(system.graph[node].activity)) open.push_back({node, {}});
      continue;
    }
    bool one_is_taken = false;
    for (std::size_t a = 0; a < branch->alternatives.size(); ++a) {  // adding edges does not move vertices
      const auto& [guard, length] = branch->alternatives[a];
      std::vector<Open> inner{{node, describe(system, guard)}};
      add_sequence(system, body, i + 1, i + 1 + length, inner);
      if (branch->repeats && a == 0) {
        if (length > 0) connect(inner, node);
      } else {
        open.insert(open.end(), inner.begin(), inner.end());
      }
      one_is_taken =
          one_is_taken || std::holds_alternative<Otherwise>(guard) || std::holds_alternative<Probability>(guard);
      i += length;
    }
    if (!one_is_taken) open.push_back({node, "otherwise"});
  }
}

/// So that no activity is in memory twice, each body is freed, and from time to time its memory is given back.
void add_vertices(BuildContext& context) {
  constexpr std::size_t step = 8192;
  System& system = context.system;
  std::size_t activities = 0, freed = 0;
  for (const RawBody& raw : context.raw_bodies) activities += raw.size();
  system.graph.reserve(activities);
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    auto& body = system.tasks[task].body;
    body.reserve(context.raw_bodies[task].size());
    for (GraphNode& node : context.raw_bodies[task]) body.push_back(system.graph.add(std::move(node)));
    context.raw_bodies[task] = RawBody();
    freed += body.size();
    if (freed < step) continue;
    freed = 0;
    ::malloc_trim(0);
  }
  context.raw_bodies.clear();
}

void add_sequence_edges(System& system) {
  for (const Task& task : system.tasks) {
    std::vector<Open> open;
    add_sequence(system, task.body, 0, task.body.size(), open);
  }
}

template <typename A>
const A* activity_at(const System& system, NodeIndex node) {
  return std::get_if<A>(&system.graph[node].activity);
}

void add_trigger_edges(System& system) {
  for (NodeIndex node = 0; node < system.graph.size(); ++node)
    if (const auto* trigger = activity_at<Trigger>(system, node))
      for (const TaskIndex task : system.stimuli[trigger->stimulus].activates)
        if (!system.tasks[task].body.empty())
          system.graph.connect(node, system.tasks[task].body.front(),
                               GraphEdge{EdgeKind::trigger, system.stimuli[trigger->stimulus].name});
}

using Receiver = std::optional<TaskIndex>;
/// Who sets an event for whom, and where.
using Setters = std::map<std::pair<TaskIndex, Receiver>, NodeIndex>;

/// `events`: those that nothing sets for the task that waits.
void report_missing_setter(BuildContext& context, NodeIndex node, const std::vector<EventIndex>& events,
                           const std::vector<Setters>& setters) {
  const System& system = context.system;
  const std::string& waiting = system.tasks[system.graph[node].task].name;
  std::string names, for_another;
  for (const EventIndex event : events) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", system.events[event].name);
    for (const auto& [who, from] : setters[event])
      if (for_another.empty())
        for_another = fmt::format(
            "task \"{}\" sets it for \"{}\" only (line {}); name \"{}\" as the process of that "
            "SetEvent, or no process",
            system.tasks[who.first].name, system.tasks[*who.second].name,
            context.model.element(system.graph[from].origin).location().line, waiting);
  }
  const Element element = context.model.element(system.graph[node].origin);
  context.diagnostics.add(
      "AM0413", Severity::warning,
      fmt::format("task \"{}\" waits for {}, which no task sets{}, so it waits forever; {}", waiting, names,
                  for_another.empty() ? "" : " for it",
                  for_another.empty() ? "add a SetEvent to the task that it waits for" : for_another),
      element.location(), element.path());
}

/// Events that one task sets for another, or for all, are one relation, however often they are set: the last activity
/// that sets them represents it.
void add_event_edges(BuildContext& context) {
  System& system = context.system;
  std::vector<Setters> setters(system.events.size());
  for (NodeIndex node = 0; node < system.graph.size(); ++node)
    if (const auto* set = activity_at<SetEvents>(system, node))
      for (const EventIndex event : set->events) setters[event][{system.graph[node].task, set->task}] = node;
  for (NodeIndex to = 0; to < system.graph.size(); ++to) {
    const auto* wait = activity_at<WaitEvents>(system, to);
    if (wait == nullptr) continue;
    std::vector<EventIndex> never;
    for (const EventIndex event : wait->events) {
      bool set = false;
      for (const auto& [who, from] : setters[event])
        if (!who.second || *who.second == system.graph[to].task) {
          system.graph.connect(from, to, GraphEdge{EdgeKind::event, system.events[event].name});
          set = true;
        }
      if (!set) never.push_back(event);
    }
    if (wait->all ? !never.empty() : never.size() == wait->events.size())
      report_missing_setter(context, to, never, setters);
  }
}

/// One edge per label and pair of tasks, from the last activity that writes it to the first that reads it.
void add_data_edges(System& system) {
  // The activities of a task are neighbors, so those of each label are in the order of the tasks.
  using Accesses = std::vector<std::pair<TaskIndex, NodeIndex>>;
  std::vector<Accesses> writers(system.labels.size()), readers(system.labels.size());
  for (NodeIndex node = 0; node < system.graph.size(); ++node) {
    const TaskIndex task = system.graph[node].task;
    for_each_label(system.graph[node].activity, [&](LabelIndex label, bool written) {
      Accesses& accesses = (written ? writers : readers)[label];
      if (accesses.empty() || accesses.back().first != task)
        accesses.emplace_back(task, node);
      else if (written)
        accesses.back().second = node;
    });
  }
  for (LabelIndex label = 0; label < system.labels.size(); ++label)
    for (const auto& [writer, from] : writers[label])
      for (const auto& [reader, to] : readers[label])
        if (writer != reader) system.graph.connect(from, to, GraphEdge{EdgeKind::data, system.labels[label].name});
}

/// Reports accesses that cost nothing, or whose cost the model leaves open, which users would not notice otherwise.
class AccessReview {
 public:
  explicit AccessReview(BuildContext& context)
      : context_(context),
        system_(context.system),
        any_label_is_mapped_(std::any_of(system_.labels.begin(), system_.labels.end(),
                                         [](const Label& one) { return one.memory.has_value(); })) {}

  void run() {
    for (NodeIndex node = 0; node < system_.graph.size(); ++node) {
      const GraphNode& activity = system_.graph[node];
      const Task& task = system_.tasks[activity.task];
      const std::span<const UnitIndex> units = task.units.empty() ? std::span(&task.unit, 1) : std::span(task.units);
      for_each_label(activity.activity, [&](LabelIndex label, bool written) {
        (system_.labels[label].size.bytes == 0 ? empty_ : sized_).insert(label);
        if (context_.options.tabulated_accesses) return;
        for (const UnitIndex unit : units) note_missing_path(activity.origin, label, written, unit);
      });
    }
    for (const LabelIndex label : empty_) {
      const Element element = context_.model.element(system_.labels[label].origin);
      context_.assume(sized_.empty() && !element.child("size") ? Unstated::label_size : Unstated::other_label_size,
                      element);
    }
    for (const auto& [unit, missing] : missing_access_paths_) {
      const Element element = context_.model.element(system_.platform.units[unit].origin);
      const Label& label = system_.labels[missing.first];
      const std::string message = fmt::format(
          "processing unit \"{}\" has no accessElement for the memory of label \"{}\"; {} such {} no time "
          "in the analysis{}; add one with a latency or data rate",
          system_.platform.units[unit].name, label.name, missing.second.size(),
          missing.second.size() == 1 ? "access takes" : "accesses take",
          states_costs(system_.platform, unit, *label.memory) ? ", although the model states times of others" : "");
      if (states_costs(system_.platform, unit, *label.memory))
        context_.diagnostics.add("AM0482", Severity::warning, message, element.location(), element.path(), 1);
      else
        context_.diagnostics.add("AM0411", Severity::note, message, element.location(), element.path(),
                                 missing.second.size());
    }
    for (const auto& [cost, users] : open_costs_) {
      std::vector<Origin> units;
      for (const UnitIndex unit : users) units.push_back(system_.platform.units[unit].origin);
      context_.diagnostics.add(
          "AM0476", Severity::warning,
          fmt::format("{}{} {}, so accesses to labels may take longer than in the results; state it",
                      cost.part.class_name(),
                      cost.part.name().empty() ? std::string() : fmt::format(" \"{}\"", cost.part.name()), cost.what),
          cost.part.location(), cost.part.path(), 1, std::move(units));
    }
  }

 private:
  using AccessPosition = std::pair<std::uint32_t, std::uint32_t>;

  void note_missing_path(Origin origin, LabelIndex index, bool written, UnitIndex unit) {
    const Label& label = system_.labels[index];
    const MemoryAccess* access = access_to(system_.platform.units[unit], label);
    if (access == nullptr && label.memory) {
      auto& [first, places] = missing_access_paths_.try_emplace(unit, index, std::set<AccessPosition>{}).first->second;
      places.insert({origin.document, origin.element});
      return;
    }
    const Element place = context_.model.element(origin);
    if (!label.memory && access != nullptr) context_.assume(Unstated::only_memory, place);
    if (!label.memory && access == nullptr) {
      if (any_label_is_mapped_)
        context_.assume(Unstated::other_label_memory, context_.model.element(label.origin));
      else
        context_.assume(Unstated::label_memory, place);
    }
    if (access == nullptr) return;
    const auto& open = written ? context_.open_writes : context_.open_reads;
    if (const auto found = open.find({unit, access->memory}); found != open.end())
      for (const BuildContext::OpenCost& cost : found->second) open_costs_[cost].insert(unit);
    if ((written ? context_.free_writes : context_.free_reads).contains({unit, access->memory}))
      context_.assume(Unstated::latency, place);
    else if ((written ? access->write : access->read).upper > 0)
      note_open_line(unit);
  }

  void note_open_line(UnitIndex unit) {
    if (context_.units_without_line.contains(unit))
      context_.assume(Unstated::cache_line, context_.model.element(system_.platform.units[unit].origin));
    if (const auto found = context_.open_lines.find(unit); found != context_.open_lines.end())
      for (const BuildContext::OpenCost& cost : found->second) open_costs_[cost].insert(unit);
  }

  BuildContext& context_;
  const System& system_;
  bool any_label_is_mapped_ = false;
  std::map<UnitIndex, std::pair<LabelIndex, std::set<AccessPosition>>>
      missing_access_paths_;                                          ///< the first label, and the accesses
  std::set<LabelIndex> empty_, sized_;                                ///< accessed labels
  std::map<BuildContext::OpenCost, std::set<UnitIndex>> open_costs_;  ///< and the units that access labels behind them
};

}  // namespace

void build_graph(BuildContext& context) {
  add_vertices(context);
  AccessReview(context).run();
  if (context.options.flow) {
    add_sequence_edges(context.system);
    add_trigger_edges(context.system);
  }
  add_event_edges(context);
  if (context.options.flow) add_data_edges(context.system);
}

}  // namespace amalthea::importer::detail
