// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/dependencies.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>
#include <variant>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/depth_first_search.hpp>

#include "engine/bounds/detail/analyzed_system.hpp"
#include "engine/bounds/detail/ranks.hpp"

namespace amalthea::engine {
namespace {

using Boost = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using Vertex = Boost::vertex_descriptor;

constexpr std::size_t part_kinds = static_cast<std::size_t>(Part::Kind::constraint) + 1;

std::array<std::size_t, part_kinds> sizes_of(const System& system) {
  const Platform& platform = system.platform;
  return {platform.units.size(),    platform.memories.size(), platform.schedulers.size(), system.labels.size(),
          system.runnables.size(),  system.events.size(),     system.modes.size(),        system.semaphores.size(),
          system.stimuli.size(),    system.tasks.size(),      system.chains.size(),       system.requirements.size(),
          system.constraints.size()};
}

using bounds::is_interrupt;

std::vector<UnitIndex> units_of(const Task& task) {
  return task.units.empty() ? std::vector<UnitIndex>{task.unit} : task.units;
}

}  // namespace

struct Dependencies::Graph {
  std::array<std::size_t, part_kinds> first{};  ///< the vertex of the first part of each kind
  Boost boost;

  explicit Graph(const System& system)
      : system_(system), sections_(system.tasks.size(), false), uninterruptible_(system.tasks.size(), false) {
    const auto sizes = sizes_of(system);
    std::partial_sum(sizes.begin(), sizes.end() - 1, first.begin() + 1);
    for (std::size_t part = 0; part < first.back() + sizes.back(); ++part) boost::add_vertex(boost);
    platform();
    stimuli();
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) body(task);
    cores();
    gpus();
    for (std::uint32_t i = 0; i < system.chains.size(); ++i)
      for (const TaskIndex task : system.chains[i].tasks) connect({Kind::task, task}, {Kind::chain, i});
    for (std::uint32_t i = 0; i < system.requirements.size(); ++i) requirement(i);
    for (std::uint32_t i = 0; i < system.constraints.size(); ++i) constraint(i);
  }

  Vertex vertex(Part part) const { return first[static_cast<std::size_t>(part.kind)] + part.index; }

 private:
  using Kind = Part::Kind;

  void connect(Part from, Part to) { boost::add_edge(vertex(from), vertex(to), boost); }
  void connect_both(Part a, Part b) {
    connect(a, b);
    connect(b, a);
  }

  void platform() {
    for (SchedulerIndex scheduler = 0; scheduler < system_.platform.schedulers.size(); ++scheduler)
      if (const auto parent = system_.platform.schedulers[scheduler].parent)
        connect_both({Kind::scheduler, *parent}, {Kind::scheduler, scheduler});
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      connect({Kind::scheduler, system_.tasks[task].scheduler}, {Kind::task, task});
      for (const UnitIndex unit : units_of(system_.tasks[task])) connect({Kind::unit, unit}, {Kind::task, task});
      if (const auto function = system_.tasks[task].folded_into)
        connect_both({Kind::task, task}, {Kind::task, *function});
    }
    for (LabelIndex label = 0; label < system_.labels.size(); ++label)
      if (const auto memory = system_.labels[label].memory) connect({Kind::memory, *memory}, {Kind::label, label});
  }

  void condition(const ModeCondition& condition, Part user) {
    for (const auto& conjunction : condition.any_of)
      for (const ModeTest& test : conjunction) {
        connect({Kind::mode, test.mode}, user);
        if (test.other) connect({Kind::mode, *test.other}, user);
      }
  }

  void stimuli() {
    for (StimulusIndex index = 0; index < system_.stimuli.size(); ++index) {
      const Stimulus& stimulus = system_.stimuli[index];
      for (const TaskIndex task : stimulus.activates) connect({Kind::stimulus, index}, {Kind::task, task});
      for (const ModeSetting& set : stimulus.sets) connect({Kind::stimulus, index}, {Kind::mode, set.mode});
      if (stimulus.condition) condition(*stimulus.condition, {Kind::stimulus, index});
      if (const auto* driven = std::get_if<EventDriven>(&stimulus.occurrence))
        for (const EventIndex event : driven->events) connect({Kind::event, event}, {Kind::stimulus, index});
    }
  }

  /// What the activities of a task connect it with.
  void body(TaskIndex task) {
    const Part self{Kind::task, task};
    sections_[task] = system_.tasks[task].preemption != Preemption::preemptive;
    for (const NodeIndex node : system_.tasks[task].body) {
      if (const auto runnable = system_.graph[node].runnable) {
        connect({Kind::runnable, *runnable}, self);
        if (runners_[*runnable].empty() || runners_[*runnable].back() != task) runners_[*runnable].push_back(task);
      }
      std::visit([&](const auto& activity) { connect_with(self, activity); },
                 static_cast<const ActivityKinds&>(system_.graph[node].activity));
    }
  }

  template <typename Kinds>
  void connect_with(Part, const Kinds&) {}  // nothing outside its task
  void connect_with(Part task, const ReadLabel& read) { access(task, read.label); }
  void connect_with(Part task, const WriteLabel& write) { access(task, write.label); }
  void connect_with(Part task, const Copy& copy) {
    for (const LabelIndex label : copy.sources) access(task, label);
    for (const LabelIndex label : copy.destinations) access(task, label);
  }
  void connect_with(Part task, const Kernel& kernel) {
    for (const LabelIndex label : kernel.reads) access(task, label);
    for (const LabelIndex label : kernel.writes) access(task, label);
  }
  void connect_with(Part task, const Trigger& trigger) { connect(task, {Kind::stimulus, trigger.stimulus}); }
  void connect_with(Part task, const SetEvents& set) {
    for (const EventIndex event : set.events) connect(task, {Kind::event, event});
  }
  void connect_with(Part task, const ClearEvents& clear) {
    for (const EventIndex event : clear.events) connect(task, {Kind::event, event});
  }
  void connect_with(Part task, const WaitEvents& wait) {
    for (const EventIndex event : wait.events) connect({Kind::event, event}, task);
  }
  void connect_with(Part task, const UseSemaphore& use) {
    connect_both(task, {Kind::semaphore, use.semaphore});
    sections_[task.index] = true;
  }
  void connect_with(Part task, const Branch& branch) {
    for (const Branch::Alternative& alternative : branch.alternatives)
      if (const auto* modes = std::get_if<ModeCondition>(&alternative.guard)) condition(*modes, task);
  }
  void connect_with(Part task, const SetMode& set) { connect(task, {Kind::mode, set.mode}); }
  void connect_with(Part task, const Uninterruptible&) { sections_[task.index] = uninterruptible_[task.index] = true; }

  void access(Part task, LabelIndex label) {
    connect({Kind::label, label}, task);
    std::vector<TaskIndex>& tasks = accessors_[label];
    if (tasks.empty() || tasks.back() != task.index) tasks.push_back(task.index);
  }

  /// Tasks that share cores: cores between which tasks migrate count as one.
  void cores() {
    const std::size_t units = system_.platform.units.size();
    const std::vector<UnitIndex> leader = bounds::joined_cores(system_);
    std::vector<std::vector<TaskIndex>> tasks(units);
    std::vector<bool> several(units, false);
    for (UnitIndex unit = 0; unit < units; ++unit)
      if (leader[unit] != unit) several[leader[unit]] = true;
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
      if (system_.tasks[task].side == Side::host) tasks[leader[system_.tasks[task].unit]].push_back(task);
    const bounds::Ranks ranks = bounds::ranks_of(system_);
    for (UnitIndex unit = 0; unit < units; ++unit) core(tasks[unit], ranks, several[unit]);
  }

  /// One vertex for each rank of the core, from which a task delays those of this rank and below.
  void core(const std::vector<TaskIndex>& tasks, const bounds::Ranks& ranks, bool several) {
    if (tasks.empty()) return;
    const auto outermost = [&](TaskIndex task) { return ranks.schedulers[task].back(); };
    std::optional<SchedulerIndex> scheduler;
    for (const TaskIndex task : tasks) {
      if (is_interrupt(system_.tasks[task])) continue;
      several = several || (scheduler && *scheduler != outermost(task));
      scheduler = outermost(task);
    }
    const auto rank = [&](TaskIndex task) { return several ? 0 : ranks.rank[task]; };
    std::map<std::int64_t, Vertex, std::greater<>> levels;  // from the most urgent
    for (const TaskIndex task : tasks) levels.emplace(rank(task), 0);
    std::optional<Vertex> above;
    for (auto& [unused, level] : levels) {
      level = boost::add_vertex(boost);
      if (above) boost::add_edge(*above, level, boost);
      above = level;
    }
    // Sections delay more urgent processes of the same kind. Only interrupts delay interrupts, except that a scheduler
    // without a controller of its own for them orders both.
    const bool mixed = std::any_of(tasks.begin(), tasks.end(), [&](TaskIndex task) {
      return is_interrupt(system_.tasks[task]) &&
             !system_.platform.schedulers[system_.tasks[task].scheduler].interrupt_controller;
    });
    std::optional<std::int64_t> first_task;
    for (const TaskIndex task : tasks)
      if (!is_interrupt(system_.tasks[task])) first_task = std::max(first_task.value_or(rank(task)), rank(task));
    for (const TaskIndex task : tasks) {
      const Vertex self = vertex({Kind::task, task});
      boost::add_edge(levels.at(rank(task)), self, boost);
      Vertex entry = levels.at(rank(task));
      if (sections_[task])
        entry = mixed || uninterruptible_[task] || is_interrupt(system_.tasks[task]) ? levels.begin()->second
                                                                                     : levels.at(*first_task);
      boost::add_edge(self, entry, boost);
    }
  }

  /// All device tasks of a GPU delay each other, and so do label accesses of host tasks.
  void gpus() {
    std::map<UnitIndex, Vertex> engines;
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      if (system_.tasks[task].side != Side::device) continue;
      const auto [engine, added] = engines.try_emplace(system_.tasks[task].unit, 0);
      if (added) engine->second = boost::add_vertex(boost);
      boost::add_edge(vertex({Kind::task, task}), engine->second, boost);
      boost::add_edge(engine->second, vertex({Kind::task, task}), boost);
    }
    if (engines.empty()) return;
    const Vertex traffic = boost::add_vertex(boost);
    for (const auto& [unit, engine] : engines) boost::add_edge(traffic, engine, boost);
    std::vector<bool> accesses(system_.tasks.size(), false);
    for (const auto& [label, tasks] : accessors_)
      for (const TaskIndex task : tasks) accesses[task] = true;
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
      if (accesses[task] && system_.tasks[task].side == Side::host)
        boost::add_edge(vertex({Kind::task, task}), traffic, boost);
  }

  void runs_of(RunnableIndex runnable, Part to) {
    connect({Kind::runnable, runnable}, to);
    for (const TaskIndex task : runners_[runnable]) connect({Kind::task, task}, to);
  }
  void accesses_of(LabelIndex label, Part to) {
    connect({Kind::label, label}, to);
    for (const TaskIndex task : accessors_[label]) connect({Kind::task, task}, to);
  }
  void all_tasks(Part to) {
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) connect({Kind::task, task}, to);
  }

  void requirement(std::uint32_t index) {
    const Part self{Kind::requirement, index};
    const Requirement& requirement = system_.requirements[index];
    if (const auto* process = std::get_if<Requirement::OfProcess>(&requirement.subject))
      connect({Kind::task, process->task}, self);
    else if (const auto* runnable = std::get_if<Requirement::OfRunnable>(&requirement.subject))
      runs_of(runnable->runnable, self);
    else if (const auto* chain = std::get_if<Requirement::OfChain>(&requirement.subject))
      for (const TaskIndex task : chain->tasks) connect({Kind::task, task}, self);
    else
      all_tasks(self);
    if (std::holds_alternative<Requirement::CpuLimit>(requirement.limit)) all_tasks(self);
  }

  void event(const ObservableEvent& event, Part to) {
    std::visit([&](const auto& what) { occurrences_of(what, to); }, event.what);
  }
  void occurrences_of(const ObservableEvent::OfProcess& of, Part to) {
    of.task ? connect({Kind::task, *of.task}, to) : all_tasks(to);
  }
  void occurrences_of(const ObservableEvent::OfRunnable& of, Part to) {
    if (of.task) connect({Kind::task, *of.task}, to);
    of.runnable ? runs_of(*of.runnable, to) : all_tasks(to);
  }
  void occurrences_of(const ObservableEvent::OfLabel& of, Part to) {
    of.label ? accesses_of(*of.label, to) : all_tasks(to);
  }
  void occurrences_of(const ObservableEvent::OfStimulus& of, Part to) {
    if (of.stimulus) connect({Kind::stimulus, *of.stimulus}, to);
    if (!of.stimulus) all_tasks(to);
  }
  void occurrences_of(const ObservableEvent::OfSemaphore& of, Part to) {
    of.semaphore ? connect({Kind::semaphore, *of.semaphore}, to) : all_tasks(to);
  }
  void occurrences_of(const ObservableEvent::OfMode& of, Part to) {
    of.mode ? connect({Kind::mode, *of.mode}, to) : all_tasks(to);
  }
  void occurrences_of(const ObservableEvent::OfActivities& of, Part to) {
    for (const std::size_t node : of.nodes) connect({Kind::task, system_.graph[node].task}, to);
  }

  void scope(const DataScope& scope, const std::vector<LabelIndex>& labels, Part self) {
    for (const LabelIndex label : labels) accesses_of(label, self);
    for (const TaskIndex task : scope.tasks) connect({Kind::task, task}, self);
    for (const RunnableIndex runnable : scope.runnables) runs_of(runnable, self);
  }

  void constraint(std::uint32_t index) {
    const Part self{Kind::constraint, index};
    std::visit([&](const auto& kind) { constrained(kind, self); }, system_.constraints[index].kind);
  }
  void constrained(const Unjudgeable&, Part) {}
  void constrained(const DelayLimit& limit, Part self) {
    event(limit.source, self);
    event(limit.target, self);
  }
  void constrained(const EventOrder& order, Part self) {
    event(order.source, self);
    event(order.target, self);
  }
  void constrained(const Repetition& repetition, Part self) { event(repetition.event, self); }
  void constrained(const EventSynchronization& synchronization, Part self) {
    for (const ObservableEvent& one : synchronization.events) event(one, self);
  }
  void constrained(const ChainSynchronization& synchronization, Part self) {
    for (const auto& chain : synchronization.chains)
      for (const ObservableEvent& one : chain) event(one, self);
  }
  void constrained(const DataAge& age, Part self) {
    runs_of(age.runnable, self);
    accesses_of(age.label, self);
  }
  void constrained(const DataCoherency& coherency, Part self) { scope(coherency.scope, coherency.labels, self); }
  void constrained(const DataStability& stability, Part self) { scope(stability.scope, stability.labels, self); }
  void constrained(const RunnableSequence& sequence, Part self) {
    for (const RunnableSequence::Group& group : sequence.groups)
      for (const RunnableIndex runnable : group.members) runs_of(runnable, self);
  }
  void constrained(const SectionPlacement& placement, Part self) {
    for (const LabelIndex label : placement.labels) connect({Kind::label, label}, self);
  }

  const System& system_;
  std::vector<bool> sections_;         ///< tasks that others of higher urgency may have to wait for
  std::vector<bool> uninterruptible_;  ///< and interrupts, too
  std::map<RunnableIndex, std::vector<TaskIndex>> runners_;
  std::map<LabelIndex, std::vector<TaskIndex>> accessors_;
};

Dependencies::Dependencies(const System& system) : graph_(std::make_unique<Graph>(system)) {}
Dependencies::Dependencies(Dependencies&&) noexcept = default;
Dependencies& Dependencies::operator=(Dependencies&&) noexcept = default;
Dependencies::~Dependencies() = default;

bool Dependencies::Reached::contains(Part part) const { return vertices_[all_->graph_->vertex(part)]; }

Dependencies::Reached Dependencies::reached_from(std::span<const Part> parts) const {
  const Boost& boost = graph_->boost;
  std::vector<boost::default_color_type> colours(boost::num_vertices(boost), boost::white_color);
  const auto colour_of = boost::make_iterator_property_map(colours.begin(), boost::get(boost::vertex_index, boost));
  for (const Part& part : parts)
    if (const Vertex start = graph_->vertex(part); colours[start] == boost::white_color)
      boost::depth_first_visit(boost, start, boost::dfs_visitor<>(), colour_of);
  std::vector<bool> reached(colours.size());
  std::transform(colours.begin(), colours.end(), reached.begin(),
                 [](auto colour) { return colour != boost::white_color; });
  return {*this, std::move(reached)};
}

}  // namespace amalthea::engine
