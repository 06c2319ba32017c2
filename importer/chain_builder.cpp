// Event chains as the tasks that they pass through.

#include <optional>
#include <utility>
#include <vector>

#include "amalthea/views/constraints.hpp"
#include "amalthea/views/event_chains.hpp"
#include "amalthea/views/events.hpp"
#include "importer/detail/build_context.hpp"

namespace amalthea::importer::detail {
namespace {

/// The task that a runnable is called from, if it is only one.
std::vector<std::optional<TaskIndex>> only_callers(const System& system) {
  std::vector<std::optional<TaskIndex>> callers(system.runnables.size());
  std::vector<bool> several(system.runnables.size(), false);
  for (NodeIndex node = 0; node < system.graph.size(); ++node) {
    const GraphNode& activity = system.graph[node];
    if (!activity.runnable || several[*activity.runnable]) continue;
    auto& caller = callers[*activity.runnable];
    several[*activity.runnable] = caller && *caller != activity.task;
    caller = several[*activity.runnable] ? std::nullopt : std::optional(activity.task);
  }
  return callers;
}

class ChainReader {
 public:
  ChainReader(BuildContext& context, const std::vector<std::optional<TaskIndex>>& callers, Chain& chain)
      : context_(context), callers_(callers), chain_(chain) {}

  void read(Element element) {
    // Chains that refer to each other in a circle, or so often that following them all would never end.
    if (depth_ >= 64 || ++visited_ > 10'000) return;
    ++depth_;
    const views::EventChain chain = views::event_chain_of(context_.model, element, no_effect_);
    if (chain_.tasks.empty() && chain.stimulus)
      chain_.from_activation = views::event_of(context_.model, chain.stimulus).type == views::EventType::activate;
    event(chain.stimulus);
    for (const views::ChainItem& item : chain.items)
      if (item.chain) read(item.chain);
    event(chain.response);
    --depth_;
  }

 private:
  void event(Element element) {
    if (!element) return;
    if (const auto task = task_of(views::event_of(context_.model, element))) add(*task);
  }

  std::optional<TaskIndex> task_of(const views::Event& event) const {
    for (const Element process : {event.process, event.entity})
      if (const auto task = context_.tasks.find(process)) return task;
    for (const Element element : {event.runnable, event.entity})
      if (const auto runnable = context_.runnables.find(element)) return callers_[*runnable];
    return std::nullopt;
  }

  void add(TaskIndex task) {
    task = context_.system.tasks[task].folded_into.value_or(task);
    if (chain_.tasks.empty() || chain_.tasks.back() != task) chain_.tasks.push_back(task);
  }

  const BuildContext& context_;
  const std::vector<std::optional<TaskIndex>>& callers_;
  Chain& chain_;
  Diagnostics no_effect_;
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
  const auto callers = only_callers(context.system);
  const auto constraints = views::timing_constraints(context.model, context.diagnostics);
  for (const Element element : context.model.all("constraintsModel", "eventChains")) {
    Chain chain;
    chain.name = element.name();
    chain.origin = element.origin();
    ChainReader(context, callers, chain).read(element);
    chain.limits = limits_of(element, constraints);
    if (!chain.tasks.empty()) context.system.chains.push_back(std::move(chain));
  }
}

}  // namespace amalthea::importer::detail
