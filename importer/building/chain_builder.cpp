// SPDX-License-Identifier: Apache-2.0
// Converts event chains to task sequences.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "amalthea/views/constraints.hpp"
#include "amalthea/views/event_chains.hpp"
#include "amalthea/views/events.hpp"
#include "importer/building/detail/build_context.hpp"

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
  }
  OnlyTasks callers, readers, writers;
};

class ChainReader {
 public:
  ChainReader(BuildContext& context, const OnlyTasksOfSystem& only, Chain& chain)
      : context_(context), only_(only), chain_(chain) {}

  void read(Element element) {
    // Chains may refer to each other in a cycle, or too often to follow all of them.
    if (depth_ >= 64 || ++visited_ > 10'000) return;
    ++depth_;
    const views::EventChain chain = views::event_chain_of(context_.model, element, no_effect_);
    event(chain.stimulus);
    for (const views::ChainItem& item : chain.items)
      if (item.chain) read(item.chain);
    event(chain.response);
    --depth_;
    if (depth_ > 0 || !chain_.gap.empty()) return;
    if (stimulus_ && !chain_.from_activation)
      chain_.gap = "the stimulus that starts its chain does not activate the first task";
    else if (last_is_open_)
      chain_.gap = "the event that ends its chain occurs in no process, or in several";
  }

 private:
  void event(Element element) {
    if (!element) return;
    const views::Event event = views::event_of(context_.model, element);
    const bool first = !begun_;
    begun_ = true;
    if (first) chain_.from_activation = event.type == EventAction::activate;
    const auto task = task_of(event);
    if (task) return add(*task);
    if (first && event.kind == views::EventKind::stimulus) stimulus_ = context_.stimuli.find(event.entity);
    // Between two tasks of the chain, data may pass through labels without a named task.
    else if ((first || event.kind != views::EventKind::label) && chain_.gap.empty())
      chain_.gap = fmt::format("the event \"{}\" of its chain occurs in no process, or in several", event.name);
    last_is_open_ = true;
  }

  std::optional<TaskIndex> task_of(const views::Event& event) const {
    for (const Element process : {event.process, event.entity})
      if (const auto task = context_.tasks.find(process)) return task;
    for (const Element element : {event.runnable, event.entity})
      if (const auto runnable = context_.runnables.find(element)) return only_.callers[*runnable];
    if (const auto label = context_.labels.find(event.entity)) {
      if (event.type == EventAction::write) return only_.writers[*label];
      if (event.type == EventAction::read) return only_.readers[*label];
    }
    return std::nullopt;
  }

  void add(TaskIndex task) {
    last_is_open_ = false;
    task = context_.system.tasks[task].folded_into.value_or(task);
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
  std::optional<StimulusIndex> stimulus_;  ///< the chain begins with its occurrence
  bool begun_ = false;
  bool last_is_open_ = false;  ///< the last event is in no task
  int depth_ = 0;
  int visited_ = 0;
};

/// The limits on a chain, in document order.
std::vector<ChainLimit> limits_of(Element chain, const std::vector<views::TimingConstraint>& constraints) {
  std::vector<ChainLimit> limits;
  for (const views::TimingConstraint& constraint : constraints) {
    const auto* latency = std::get_if<views::LatencyConstraint>(&constraint.kind);
    if (latency == nullptr || latency->chain != chain || (!latency->minimum && !latency->maximum)) continue;
    ChainLimit limit;
    limit.name = constraint.name;
    if (latency->type == views::LatencyConstraint::Type::age) limit.kind = ChainLimit::Kind::age;
    limit.minimum = latency->minimum;
    limit.maximum = latency->maximum;
    limits.push_back(std::move(limit));
  }
  return limits;
}

}  // namespace

void build_chains(BuildContext& context) {
  const auto constraints = views::timing_constraints(context.model, context.diagnostics);
  const auto chains = context.model.all("constraintsModel", "eventChains");
  if (chains.empty()) return;
  const OnlyTasksOfSystem only(context.system);
  for (const Element element : chains) {
    Chain chain;
    chain.name = element.name();
    chain.origin = element.origin();
    ChainReader(context, only, chain).read(element);
    chain.limits = limits_of(element, constraints);
    if (!chain.tasks.empty()) context.system.chains.push_back(std::move(chain));
  }
}

}  // namespace amalthea::importer::detail
