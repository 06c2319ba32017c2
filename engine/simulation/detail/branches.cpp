// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/detail/branches.hpp"

#include <algorithm>

namespace amalthea::engine::simulation {
namespace {

/// Purposes of random streams, so that they are independent.
constexpr std::uint64_t random_branch = 0x6272616e6368;  // "branch"

}  // namespace

Branches::Branches(const SimulationInput& input, Clock& clock, Jobs& jobs, const Modes& modes)
    : input_(input), clock_(clock), jobs_(jobs), modes_(modes), taken_(input.system.tasks.size()) {
  for (TaskIndex task = 0; task < taken_.size(); ++task) taken_[task].resize(input.programs[task].steps.size());
}

void Branches::take(TaskIndex task) {
  const Step& step = jobs_.step(task);
  const auto& branch = std::get<Branch>(jobs_.activity(task));
  const auto chosen = choose(task, step, branch, taken_[task][jobs_[task].step]++);
  clock_.count_step();
  jobs_.go_to(task, chosen ? step.alternatives[*chosen] : step.next);
}

std::optional<std::size_t> Branches::choose(TaskIndex task, const Step& step, const Branch& branch,
                                            std::int64_t count) {
  const auto& alternatives = branch.alternatives;
  if (!alternatives.empty() && std::holds_alternative<Probability>(alternatives.front().guard))
    return choose_by_chance(task, step, branch);
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    const Guard& guard = alternatives[i].guard;
    if (const auto* condition = std::get_if<ModeCondition>(&guard); condition != nullptr && !modes_.holds(*condition))
      continue;
    if (const auto* counter = std::get_if<EveryNth>(&guard); counter != nullptr && !is_due(*counter, count)) continue;
    return i;
  }
  return std::nullopt;
}

/// A random alternative. For executions that are not random: the longest, the shortest, or the likeliest; among equals
/// the first.
std::size_t Branches::choose_by_chance(TaskIndex task, const Step& step, const Branch& branch) {
  std::vector<double> weights;
  for (const auto& alternative : branch.alternatives)
    weights.push_back(std::max(0.0, std::get<Probability>(alternative.guard).weight));
  if (input_.execution == Execution::average)
    return static_cast<std::size_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
  if (input_.execution != Execution::random) {
    std::vector<Duration> work;
    for (std::size_t i = 0; i < step.alternatives.size(); ++i)
      work.push_back(work_between(task, step.alternatives[i],
                                  i + 1 < step.alternatives.size() ? step.alternatives[i + 1] : step.next));
    const auto chosen = input_.execution == Execution::worst ? std::max_element(work.begin(), work.end())
                                                             : std::min_element(work.begin(), work.end());
    return static_cast<std::size_t>(chosen - work.begin());
  }
  double sum = 0;
  for (const double weight : weights) sum += weight;
  Job& job = jobs_[task];
  if (!job.chance) job.chance.emplace(input_.seed, random_branch, task, job.number);
  double drawn = job.chance->uniform() * sum;
  std::size_t last = 0;  // the last one with a probability above zero
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    last = i;
    if (drawn < weights[i]) return i;
    drawn -= weights[i];
  }
  return last;
}

Duration Branches::work_between(TaskIndex task, std::size_t first, std::size_t end) const {
  Duration sum;
  for (std::size_t step = first; step < end; ++step) sum += input_.programs[task].steps[step].work;
  return sum;
}

}  // namespace amalthea::engine::simulation
