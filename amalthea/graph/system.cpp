// SPDX-License-Identifier: Apache-2.0
#include "amalthea/graph/system.hpp"

#include <array>
#include <utility>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/graph/boost_graph.hpp"

namespace amalthea {

System::System() = default;
System::System(const System&) = default;
System::System(System&&) noexcept = default;
System& System::operator=(const System&) = default;
System& System::operator=(System&&) noexcept = default;
System::~System() = default;

Occurrence::Occurrence() = default;
Occurrence::Occurrence(Periodic kind) : OccurrenceKinds(std::move(kind)) {}
Occurrence::Occurrence(Single kind) : OccurrenceKinds(kind) {}
Occurrence::Occurrence(InterProcess kind) : OccurrenceKinds(kind) {}
Occurrence::Occurrence(Sporadic kind) : OccurrenceKinds(std::move(kind)) {}
Occurrence::Occurrence(Synthetic kind) : OccurrenceKinds(std::move(kind)) {}
Occurrence::Occurrence(Burst kind) : OccurrenceKinds(std::move(kind)) {}
Occurrence::Occurrence(ArrivalCurve kind) : OccurrenceKinds(std::move(kind)) {}
Occurrence::Occurrence(VariableRate kind) : OccurrenceKinds(std::move(kind)) {}
Occurrence::Occurrence(EventDriven kind) : OccurrenceKinds(std::move(kind)) {}
Occurrence::Occurrence(const Occurrence&) = default;
Occurrence::Occurrence(Occurrence&&) noexcept = default;
Occurrence& Occurrence::operator=(const Occurrence&) = default;
Occurrence& Occurrence::operator=(Occurrence&&) noexcept = default;
Occurrence::~Occurrence() = default;

std::string_view to_string(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::sequence:
      return "sequence";
    case EdgeKind::trigger:
      return "trigger";
    case EdgeKind::event:
      return "event";
    case EdgeKind::data:
      return "data";
  }
  return "sequence";
}

bool is_possible(const ArrivalCurve& curve) {
  struct Limit {
    detail::Int128 time = 0;
    std::int64_t steps = 1;
  };
  const auto shorter = [](const Limit& a, const Limit& b) { return a.time * b.steps < b.time * a.steps; };
  Limit least;
  std::optional<Limit> largest;
  for (const auto& entry : curve.entries) {
    if (entry.count < 2) continue;
    if (const Limit lower{entry.lower.picoseconds(), entry.count - 1}; shorter(least, lower)) least = lower;
    if (!entry.upper) continue;
    if (const Limit upper{entry.upper->picoseconds(), entry.count - 1}; !largest || shorter(upper, *largest))
      largest = upper;
  }
  return least.time > 0 && (!largest || !shorter(*largest, least));
}

namespace {

std::string_view sign_of(Relation relation) {
  switch (relation) {
    case Relation::equal:
      return "=";
    case Relation::not_equal:
      return "!=";
    case Relation::less:
      return "<";
    case Relation::less_or_equal:
      return "<=";
    case Relation::greater:
      return ">";
    case Relation::greater_or_equal:
      return ">=";
  }
  return "=";
}

std::string describe(const System& system, const ModeTest& test) {
  const Mode& mode = system.modes[test.mode];
  return fmt::format("{} {} {}", mode.name, sign_of(test.relation),
                     test.other ? system.modes[*test.other].name : mode_value_name(mode, test.value));
}

}  // namespace

std::string mode_value_name(const Mode& mode, std::int64_t value) {
  const bool named =
      value >= 0 && mode.literals != nullptr && static_cast<std::uint64_t>(value) < mode.literals->size();
  return named ? (*mode.literals)[static_cast<std::size_t>(value)] : std::to_string(value);
}

std::string describe(const System& system, const Guard& guard) {
  if (const auto* chance = std::get_if<Probability>(&guard)) return fmt::format("weight {}", chance->weight);
  if (const auto* every = std::get_if<EveryNth>(&guard))
    return fmt::format("every {} from {}", every->prescaler, every->offset);
  const auto* condition = std::get_if<ModeCondition>(&guard);
  if (condition == nullptr) return "otherwise";
  if (condition->any_of.empty()) return "never";
  std::string text;
  for (const auto& conjunction : condition->any_of) {
    if (!text.empty()) text += " or ";
    if (conjunction.empty()) text += "always";
    for (std::size_t i = 0; i < conjunction.size(); ++i)
      text.append(i == 0 ? "" : " and ").append(describe(system, conjunction[i]));
  }
  return text;
}

const MemoryAccess* access_to(const ProcessingUnit& unit, const Label& label) {
  if (!label.memory) return unit.accesses.size() == 1 ? &unit.accesses.front() : nullptr;
  for (const MemoryAccess& access : unit.accesses)
    if (access.memory == *label.memory) return &access;
  return nullptr;
}

std::string_view to_string(Requirement::Severity severity) {
  constexpr std::array<std::string_view, 5> names{"", "Cosmetic", "Minor", "Major", "Critical"};
  return names[static_cast<std::size_t>(severity)];
}

std::string_view to_string(Requirement::LimitType type) {
  constexpr std::array<std::string_view, 3> names{"", "UpperLimit", "LowerLimit"};
  return names[static_cast<std::size_t>(type)];
}

std::string_view to_string(Requirement::Kind kind) {
  constexpr std::array<std::string_view, 5> names{"unknown", "process", "runnable", "process chain", "architecture"};
  return names[static_cast<std::size_t>(kind)];
}

void append_activity(System& system, TaskIndex task, Activity activity) {
  GraphNode node;
  node.name = std::string(kind_name(activity));
  node.activity = std::move(activity);
  node.task = task;
  auto& body = system.tasks[task].body;
  body.push_back(system.graph.add(node));
  if (body.size() > 1) system.graph.connect(body[body.size() - 2], body.back(), GraphEdge{EdgeKind::sequence, {}});
}

RunnableGraph task_graph(const System& system, TaskIndex task) {
  RunnableGraph graph;
  std::vector<NodeIndex> position(system.graph.size());
  for (const NodeIndex node : system.tasks[task].body) position[node] = graph.add(system.graph[node]);
  for (const auto edge : boost::make_iterator_range(boost::edges(system.graph.boost()))) {
    const NodeIndex from = boost::source(edge, system.graph.boost()), to = boost::target(edge, system.graph.boost());
    const bool inside = system.graph[from].task == task && system.graph[to].task == task;
    if (inside && system.graph.boost()[edge].kind == EdgeKind::sequence)
      graph.connect(position[from], position[to], system.graph.boost()[edge]);
  }
  return graph;
}

}  // namespace amalthea
