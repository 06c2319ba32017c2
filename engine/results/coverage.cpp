// SPDX-License-Identifier: Apache-2.0
#include "engine/results/coverage.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "amalthea/graph/boost_graph.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {
namespace {

Coverage of_method(BoundMethod method) {
  switch (method) {
    case BoundMethod::equations:
      return {};
    case BoundMethod::offsets:
    case BoundMethod::longest_schedule:
    case BoundMethod::graph:
    case BoundMethod::schedule:
      return {Coverage::Offsets::stated, {}, {}};
  }
  return {Coverage::Offsets::stated, Coverage::Ties::one_rule, {}};
}

/// Whether some of these tasks wait for the event of a task with an activation limit, or of one that such a task triggers.
bool await_limited(const System& system, const std::vector<TaskIndex>& tasks) {
  const auto& graph = system.graph.boost();
  std::set<TaskIndex> awaited;
  std::vector<TaskIndex> open;
  const auto add_causes = [&](TaskIndex task, bool triggers) {
    for (const NodeIndex node : system.tasks[task].body)
      for (const auto& edge : boost::make_iterator_range(boost::in_edges(node, graph))) {
        const EdgeKind kind = graph[edge].kind;
        const TaskIndex by = system.graph[boost::source(edge, graph)].task;
        if ((kind == EdgeKind::event || (triggers && kind == EdgeKind::trigger)) && awaited.insert(by).second)
          open.push_back(by);
      }
  };
  for (const TaskIndex task : tasks) add_causes(task, false);
  while (!open.empty()) {
    const TaskIndex task = open.back();
    open.pop_back();
    add_causes(task, true);
  }
  return std::any_of(awaited.begin(), awaited.end(),
                     [&](TaskIndex task) { return system.tasks[task].activation_limit > 0; });
}

}  // namespace

Coverage& Coverage::operator&=(const Coverage& other) {
  offsets = std::max(offsets, other.offsets);
  ties = std::max(ties, other.ties);
  losses = std::max(losses, other.losses);
  return *this;
}

std::string_view to_string(Coverage::Offsets offsets) {
  switch (offsets) {
    case Coverage::Offsets::all:
      return "all";
    case Coverage::Offsets::up_to_period:
      return "up to the stated one or the period";
    case Coverage::Offsets::stated:
      break;
  }
  return "only the stated ones";
}

std::string_view to_string(Coverage::Ties ties) {
  return ties == Coverage::Ties::every_order ? "every order" : "one rule";
}

std::string_view to_string(Coverage::Losses losses) {
  return losses == Coverage::Losses::no_limit ? "no limit of activations" : "cannot be lost";
}

Coverage coverage_of(const System& system, TaskIndex task, const Bound& bound) {
  Coverage coverage = of_method(bound.method);
  if (bound.awaits_signal) coverage.offsets = std::max(coverage.offsets, Coverage::Offsets::up_to_period);
  std::vector<TaskIndex> tasks = {system.tasks[task].folded_into.value_or(task)};
  const bool limited = system.tasks[tasks.front()].activation_limit > 0;
  for (const Contribution& part : bound.parts)
    if (part.by) tasks.push_back(*part.by);
  if (limited || await_limited(system, tasks)) coverage.losses = Coverage::Losses::none;
  return coverage;
}

std::string limitation(const Coverage& coverage) {
  std::string text;
  const auto add = [&](std::string_view what) { text += (text.empty() ? "" : " and ") + std::string(what); };
  if (coverage.offsets == Coverage::Offsets::stated) add("for the stated offsets only");
  if (coverage.offsets == Coverage::Offsets::up_to_period) add("for offsets up to the stated one or the period only");
  if (coverage.ties == Coverage::Ties::one_rule) add("for one order of equally urgent tasks only");
  return text;
}

std::string guaranteed_text(const Coverage& coverage) {
  return coverage.complete() ? "guaranteed" : "guaranteed " + limitation(coverage);
}

std::string with_limitation(std::string reason, const Coverage& coverage) {
  if (!coverage.complete()) reason += "; this holds " + limitation(coverage);
  return reason;
}

}  // namespace amalthea::engine
