// SPDX-License-Identifier: Apache-2.0
// Converts event chains to task sequences.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "amalthea/graph/chain_data.hpp"
#include "amalthea/graph/job_paths.hpp"
#include "amalthea/views/constraints.hpp"
#include "amalthea/views/event_chains.hpp"
#include "importer/building/detail/build_context.hpp"

namespace amalthea::importer {

constexpr std::string_view open_chain_id = "AM0665";

}  // namespace amalthea::importer

namespace amalthea::importer::detail {
namespace {

/// For a runnable or label, the task that uses it, if there is only one.
class OnlyTasks {
 public:
  explicit OnlyTasks(std::size_t count) : tasks_(count), several_(count, false) {}
  void add(std::uint32_t index, TaskIndex task) {
    several_[index] = several_[index] || (tasks_[index] && *tasks_[index] != task);
    tasks_[index] = task;
  }
  bool any(std::uint32_t index) const { return tasks_[index].has_value(); }
  std::optional<TaskIndex> operator[](std::uint32_t index) const {
    return several_[index] ? std::nullopt : tasks_[index];
  }

 private:
  std::vector<std::optional<TaskIndex>> tasks_;
  std::vector<bool> several_;
};

struct OnlyTasksOfSystem {
  explicit OnlyTasksOfSystem(const System& system)
      : callers(system.runnables.size()), readers(system.labels.size()), writers(system.labels.size()) {
    for (NodeIndex node = 0; node < system.graph.size(); ++node) {
      const Activity& activity = system.graph[node].activity;
      const TaskIndex task = system.graph[node].task;
      if (const auto runnable = system.graph[node].runnable) callers.add(*runnable, task);
      if (const auto* read = std::get_if<ReadLabel>(&activity)) readers.add(read->label, task);
      if (const auto* write = std::get_if<WriteLabel>(&activity)) writers.add(write->label, task);
      if (const auto* copy = std::get_if<Copy>(&activity)) {
        for (const LabelIndex label : copy->sources) readers.add(label, task);
        for (const LabelIndex label : copy->destinations) writers.add(label, task);
      }
    }
    // What tasks do besides their activities counts only where no activity does it.
    const OnlyTasks called = callers, read = readers, written = writers;
    for (TaskIndex task = 0; task < system.tasks.size(); ++task)
      for (const Contained& part : system.tasks[task].contained)
        if (!part.label && !called.any(*part.runnable))
          callers.add(*part.runnable, task);
        else if (part.label && !(part.write ? written : read).any(*part.label))
          (part.write ? writers : readers).add(*part.label, task);
  }
  /// Whether no task accesses the label.
  bool is_never(const ObservableEvent::OfLabel& of) const {
    const bool reads = of.action != EventAction::write && readers.any(*of.label);
    const bool writes = of.action != EventAction::read && writers.any(*of.label);
    return !reads && !writes;
  }
  OnlyTasks callers, readers, writers;
};

class ChainReader {
 public:
  ChainReader(BuildContext& context, const OnlyTasksOfSystem& only, Chain& chain)
      : context_(context), only_(only), chain_(chain) {}

  void read(Element element) {
    part(element);
    if (!chain_.gap.empty()) return;
    if (stimulus_ && !chain_.from_activation)
      gap(element, "the stimulus that starts its chain does not activate the first task");
    else if (last_is_open_)
      gap(element, "the event that ends its chain occurs in no process, or in several");
  }

  /// Where Chain::gap is.
  Element gap_at() const { return gap_at_; }
  /// The element of an event in Chain::events.
  Element element_of(std::size_t event) const { return elements_[event]; }

 private:
  void gap(Element where, std::string why) {
    if (!chain_.gap.empty()) return;
    chain_.gap = std::move(why);
    gap_at_ = where;
  }

  static std::string named(Element chain) {
    return chain.name().empty() ? std::string("an event chain without a name")
                                : fmt::format("event chain \"{}\"", chain.name());
  }

  void part(Element element) {
    if (std::find(open_.begin(), open_.end(), element) != open_.end())
      return gap(open_.back(), fmt::format("{} contains itself", named(element)));
    // Chains may refer to each other too often to follow all of them.
    if (open_.size() >= 64 || ++visited_ > 10'000)
      return gap(open_.front(), fmt::format("{} has too many parts", named(open_.front())));
    open_.push_back(element);
    const views::EventChain chain = views::event_chain_of(context_.model, element, no_effect_);
    check_parts(chain);
    event(chain.stimulus);
    for (const views::ChainItem& item : chain.items)
      if (item.chain) part(item.chain);
    event(chain.response);
    open_.pop_back();
  }

  void check_parts(const views::EventChain& chain) {
    // The parts of a chain need not reach as far as an end that is missing.
    if (!chain.stimulus || !chain.response)
      gap(chain.element, fmt::format("{} has no {}", named(chain.element), chain.stimulus ? "response" : "stimulus"));
    for (std::size_t i = 0; i < chain.items.size(); ++i) {
      const views::ChainItem& item = chain.items[i];
      if (!item.chain)
        return gap(item.element, fmt::format("a part of {} is missing, or not in the model", named(chain.element)));
      if (chain.items.size() == 1) return;
      if (item.arrangement == views::ChainArrangement::parallel)
        return gap(item.element, fmt::format("{} has parallel parts, and latencies along them are not computed",
                                             named(chain.element)));
      if (item.arrangement == views::ChainArrangement::unstated && i > 0 &&
          context_.model.reference(chain.items[i - 1].chain, "response") !=
              context_.model.reference(item.chain, "stimulus"))
        return gap(item.element, fmt::format("{} does not state whether its parts follow each other (itemType)",
                                             named(chain.element)));
    }
  }

  void event(Element element) {
    if (!element) return;
    const bool first = !begun_;
    begun_ = true;
    auto event = observable_event(context_, element, "in its chain the event");
    if (!event) {
      last_is_open_ = true;
      return gap(element, std::move(event.error()));
    }
    if (first) {
      const auto* of = std::get_if<ObservableEvent::OfProcess>(&event->what);
      // Of all events of a process, its activation is the first.
      chain_.from_activation = of != nullptr && (of->action == EventAction::activate || of->action == EventAction::any);
    }
    const auto task = std::visit([this](const auto& what) { return task_of(what); }, event->what);
    if (task) add(*task);
    const auto* stimulus = std::get_if<ObservableEvent::OfStimulus>(&event->what);
    const auto* label = std::get_if<ObservableEvent::OfLabel>(&event->what);
    if (!task) {
      if (first && stimulus != nullptr) stimulus_ = stimulus->stimulus;
      // Between two tasks of the chain, data may pass through labels without a named task.
      else if (first || label == nullptr || !label->label)
        gap(element, fmt::format("the event \"{}\" of its chain occurs in no process, or in several", event->name));
      else if (only_.is_never(*label))
        gap(element, fmt::format("the event \"{}\" of its chain never occurs", event->name));
      last_is_open_ = true;
    }
    if (chain_.tasks.empty()) return;
    chain_.events.push_back({std::move(*event), chain_.tasks.size() - 1, task.has_value()});
    elements_.push_back(element);
  }

  // ---- the task that an event names, or else the only one in which it occurs

  std::optional<TaskIndex> task_of(const ObservableEvent::OfProcess& of) const { return of.task; }
  std::optional<TaskIndex> task_of(const ObservableEvent::OfRunnable& of) const {
    return of.task ? of.task : caller(of);
  }
  std::optional<TaskIndex> task_of(const ObservableEvent::OfLabel& of) const {
    if (of.task) return of.task;
    if (const auto only = caller(of)) return only;
    if (!of.label || of.runnable) return std::nullopt;
    if (of.action == EventAction::write) return only_.writers[*of.label];
    if (of.action == EventAction::read) return only_.readers[*of.label];
    return std::nullopt;
  }
  std::optional<TaskIndex> task_of(const ObservableEvent::OfStimulus&) const { return std::nullopt; }
  std::optional<TaskIndex> task_of(const ObservableEvent::OfSemaphore& of) const {
    return of.task ? of.task : caller(of);
  }
  std::optional<TaskIndex> task_of(const ObservableEvent::OfMode& of) const { return of.task ? of.task : caller(of); }
  std::optional<TaskIndex> task_of(const ObservableEvent::OfActivities& of) const {
    std::optional<TaskIndex> only;
    for (const NodeIndex node : of.nodes) {
      const TaskIndex task = context_.system.graph[node].task;
      if (only && *only != task) return std::nullopt;
      only = task;
    }
    return only;
  }

  template <typename Of>
  std::optional<TaskIndex> caller(const Of& of) const {
    return of.runnable ? only_.callers[*of.runnable] : std::nullopt;
  }

  void add(TaskIndex task) {
    last_is_open_ = false;
    if (chain_.tasks.empty() && stimulus_) chain_.from_activation = is_activated_by(task, *stimulus_);
    if (chain_.tasks.empty() || chain_.tasks.back() != task) chain_.tasks.push_back(task);
  }

  bool is_activated_by(TaskIndex task, StimulusIndex stimulus) const {
    const auto& activated = context_.system.stimuli[stimulus].activates;
    return std::find(activated.begin(), activated.end(), task) != activated.end();
  }

  const BuildContext& context_;
  const OnlyTasksOfSystem& only_;
  Chain& chain_;
  Diagnostics no_effect_;
  Element gap_at_;
  std::vector<Element> elements_;          ///< parallel to Chain::events
  std::vector<Element> open_;              ///< the chain, the part of it that is read, and those between
  std::optional<StimulusIndex> stimulus_;  ///< the chain begins with its occurrence
  bool begun_ = false;
  bool last_is_open_ = false;  ///< the last event is in no task
  int visited_ = 0;
};

/// The limits on a chain, in document order.
std::vector<ChainLimit> limits_of(Element chain, const std::vector<views::TimingConstraint>& constraints) {
  std::vector<ChainLimit> limits;
  for (const views::TimingConstraint& constraint : constraints) {
    const auto* latency = std::get_if<views::LatencyConstraint>(&constraint.kind);
    if (latency == nullptr || latency->chain != chain || (!latency->minimum && !latency->maximum) ||
        latency->type == views::LatencyConstraint::Type::unstated || unreadable_limit(constraint.element))
      continue;
    ChainLimit limit;
    limit.name = constraint.name;
    if (latency->type == views::LatencyConstraint::Type::age) limit.kind = ChainLimit::Kind::age;
    limit.minimum = latency->minimum;
    limit.maximum = latency->maximum;
    limits.push_back(std::move(limit));
  }
  return limits;
}

/// Reports why a limited chain has no latency.
void report_obstacle(BuildContext& context, const JobPaths& paths, const Chain& chain, const ChainReader& reader) {
  if (chain.limits.empty()) return;
  const ChainData data = chain_data(context.system, paths, chain);
  if (!data.never) return;
  Element place = chain.gap.empty() ? context.model.element(chain.origin) : reader.gap_at();
  if (chain.gap.empty() && data.event) place = reader.element_of(*data.event);
  context.diagnostics.add(open_chain_id, Severity::warning,
                          fmt::format("the latency of event chain \"{}\" is limited but unknown, because {}; correct "
                                      "the chain, or what the model lacks",
                                      chain.name, data.obstacle),
                          place.location(), place.path(), 1, {chain.origin});
}

}  // namespace

void build_chains(BuildContext& context) {
  const auto constraints = views::timing_constraints(context.model, context.diagnostics);
  const auto chains = context.model.all("constraintsModel", "eventChains");
  if (chains.empty()) return;
  const OnlyTasksOfSystem only(context.system);
  const JobPaths paths(context.system);
  for (const Element element : chains) {
    Chain chain;
    chain.name = element.name();
    chain.origin = element.origin();
    ChainReader reader(context, only, chain);
    reader.read(element);
    chain.limits = limits_of(element, constraints);
    if (chain.tasks.empty()) continue;
    report_obstacle(context, paths, chain, reader);
    context.system.chains.push_back(std::move(chain));
  }
}

}  // namespace amalthea::importer::detail
