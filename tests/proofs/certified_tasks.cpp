// SPDX-License-Identifier: Apache-2.0
// What the reference interpreter reads of a model, for comparison with certificates: one line for each task on a CPU.

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include <fmt/core.h>

#include "reference/program.hpp"

namespace {

/// The longest execution of a program without jumps, waits and loops; -1: it has some.
reference::Time longest(const reference::Program& program) {
  using Kind = reference::Item::Kind;
  reference::Time sum = 0;
  for (const reference::Op& op : program.ops) {
    if (!op.targets.empty() || op.kind == Kind::count || op.kind == Kind::test || op.kind == Kind::jump ||
        op.kind == Kind::wait || op.kind == Kind::semaphore || op.kind == Kind::terminate)
      return -1;
    if (op.cost != reference::none) sum += program.costs[op.cost].time().most;
  }
  return sum;
}

/// The tasks that a straight program triggers, each with the shortest execution before: "A:100,B:200".
std::string triggered(const reference::Model& model, const reference::Program& program) {
  std::string names;
  reference::Time least = 0;
  for (const reference::Op& op : program.ops) {
    if (op.cost != reference::none) least += program.costs[op.cost].time().least;
    if (op.kind != reference::Item::Kind::trigger) continue;
    for (const reference::Task& task : model.tasks)
      if (std::find(task.stimuli.begin(), task.stimuli.end(), op.target) != task.stimuli.end())
        names += fmt::format("{}{}:{}", names.empty() ? "" : ",", task.name, least);
  }
  return names;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) return 2;
  std::ostringstream text;
  text << std::ifstream(arguments[1]).rdbuf();
  const reference::Model model = reference::read(text.str());
  fmt::print(
      "task\tunit\tunits\tpriority\tisr\tpreemption\tdeadline\tstimuli\tkind\tperiod\tjitter\tdistance\tcost\toperation"
      "s\ttriggers\n");
  for (reference::Index index = 0; index < model.tasks.size(); ++index) {
    const reference::Task& task = model.tasks[index];
    if (task.device || task.dropped || task.units.empty()) continue;
    const reference::Program program = reference::compile(model, index);
    const reference::Stimulus none, &stimulus = task.stimuli.empty() ? none : model.stimuli[task.stimuli.front()];
    fmt::print("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", task.name,
               model.units[task.units.front()].name, task.units.size(), task.priority, task.isr ? 1 : 0,
               static_cast<int>(task.preemption), task.deadline, task.stimuli.size(), static_cast<int>(stimulus.kind),
               stimulus.period, stimulus.jitter.most, stimulus.least_distance, longest(program), program.ops.size(),
               triggered(model, program));
  }
  return 0;
} catch (const reference::Refused& refused) {
  std::cerr << refused.what() << '\n';
  return 3;
}
