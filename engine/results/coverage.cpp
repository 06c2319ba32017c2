// SPDX-License-Identifier: Apache-2.0
#include "engine/results/coverage.hpp"

#include <algorithm>
#include <utility>

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

std::vector<bool> tasks_awaiting_limited(const System& system) {
  const auto& graph = system.graph.boost();
  std::vector<std::vector<TaskIndex>> caused(system.tasks.size());  // by events and triggers
  std::vector<std::pair<TaskIndex, TaskIndex>> events;              // of the first task, which the second awaits
  for (const auto& edge : boost::make_iterator_range(boost::edges(graph))) {
    const EdgeKind kind = graph[edge].kind;
    if (kind != EdgeKind::event && kind != EdgeKind::trigger) continue;
    const TaskIndex from = system.graph[boost::source(edge, graph)].task;
    const TaskIndex to = system.graph[boost::target(edge, graph)].task;
    caused[from].push_back(to);
    if (kind == EdgeKind::event) events.emplace_back(from, to);
  }
  std::vector<bool> limited(system.tasks.size());
  std::vector<TaskIndex> open;
  const auto reach = [&](TaskIndex task) {
    if (limited[task]) return;
    limited[task] = true;
    open.push_back(task);
  };
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (system.tasks[task].activation_limit > 0) reach(task);
  while (!open.empty()) {
    const TaskIndex task = open.back();
    open.pop_back();
    for (const TaskIndex next : caused[task]) reach(next);
  }
  std::vector<bool> awaiting(system.tasks.size());
  for (const auto& [from, to] : events) awaiting[to] = awaiting[to] || limited[from];
  return awaiting;
}

Coverage coverage_of(const System& system, TaskIndex task, const Bound& bound) {
  Coverage coverage = of_method(bound.method);
  if (bound.awaits_signal) coverage.offsets = std::max(coverage.offsets, Coverage::Offsets::up_to_period);
  const bool limited = system.tasks[system.tasks[task].folded_into.value_or(task)].activation_limit > 0;
  if (limited || bound.awaits_limited) coverage.losses = Coverage::Losses::none;
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
