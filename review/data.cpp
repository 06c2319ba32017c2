// SPDX-License-Identifier: Apache-2.0
// Labels: their readers and writers.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "amalthea/graph/boost_graph.hpp"
#include "review/detail/rules.hpp"

namespace amalthea::review {
namespace {

/// Without executables the users of a label are in another file.
bool has_executables(const Context& context) {
  return !context.facts.all("Runnable").empty() || !context.facts.all("Task").empty();
}

bool any_access(const Context& context) { return !context.facts.all("LabelAccess").empty(); }

/// Labels accessed only by device tasks. Models usually do not contain the accesses of kernels.
std::set<std::pair<std::uint32_t, std::uint32_t>> device_labels(const Context& context) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> found;
  if (context.system != nullptr)
    for (const Label& label : context.system->labels)
      if (label.side == LabelSide::device) found.emplace(label.origin.document, label.origin.element);
  return found;
}

/// Whether the model has units other than CPUs: without its system, the labels of kernels are then unknown.
bool has_devices(const Context& context) {
  const auto& definitions = context.facts.all("ProcessingUnitDefinition");
  return std::any_of(definitions.begin(), definitions.end(), [](Element definition) {
    const std::string_view type = definition.attribute_or("puType", "_undefined_");
    return type != "CPU" && type != "_undefined_";
  });
}

/// Labels with their accesses, without those of kernels.
template <typename Visit>
void for_each_accessed_label(const Context& context, Visit visit) {
  if (context.system == nullptr && has_devices(context)) return;
  const auto kernels = device_labels(context);
  for (const Element label : context.facts.all("Label"))
    if (!kernels.contains({label.document().position(), label.index()})) visit(label, context.facts.accesses_of(label));
}

bool is_constant(Element label) { return label.attribute_or("constant", "false") == "true"; }

/// In alternatives, a later activity need not happen later.
bool has_branches(const System& system, const Task& task) {
  return std::any_of(task.body.begin(), task.body.end(),
                     [&](NodeIndex node) { return std::holds_alternative<Branch>(system.graph[node].activity); });
}

}  // namespace

void check_unused_labels(const Context& context, Report& report) {
  if (!has_executables(context) || !any_access(context)) return;
  for (const Element label : context.facts.all("Label"))
    if (!context.facts.accesses_of(label).any())
      report.add(label, fmt::format("label \"{}\" is never accessed; access it, or remove it", label.name()));
}

void check_unread_labels(const Context& context, Report& report) {
  for_each_accessed_label(context, [&](Element label, const Accesses& accesses) {
    if (accesses.written && !accesses.read)
      report.add(label, fmt::format("label \"{}\" is written but never read; add a read access, or remove the label",
                                    label.name()));
  });
}

void check_unwritten_labels(const Context& context, Report& report) {
  for_each_accessed_label(context, [&](Element label, const Accesses& accesses) {
    if (accesses.read && !accesses.written && !is_constant(label))
      report.add(label, fmt::format("label \"{}\" is read but never written, and it is not constant; mark it as "
                                    "constant, or add a write access",
                                    label.name()));
  });
}

void check_overwritten_inputs(const Context& context, Report& report) {
  if (context.system == nullptr) return;
  const System& system = *context.system;
  // The labels that each device task copies in.
  std::vector<std::set<LabelIndex>> inputs(system.tasks.size());
  for (NodeIndex node = 0; node < system.graph.size(); ++node)
    if (const auto* copy = std::get_if<Copy>(&system.graph[node].activity);
        copy != nullptr && copy->kind == CopyKind::host_to_device)
      inputs[system.graph[node].task].insert(copy->sources.begin(), copy->sources.end());

  for (const Task& task : system.tasks) {
    if (task.side != Side::host || has_branches(system, task)) continue;
    std::set<LabelIndex> written;  // so far
    // inputs written before the start of the device task
    std::map<TaskIndex, std::set<LabelIndex>> handed_over;
    std::set<std::pair<LabelIndex, TaskIndex>> back;  // such inputs of device tasks that have ended
    for (const NodeIndex node : task.body) {
      const Activity& activity = system.graph[node].activity;
      if (const auto* write = std::get_if<WriteLabel>(&activity)) {
        const auto found = back.lower_bound({write->label, 0});
        if (found != back.end() && found->first == write->label) {
          const std::string& label = system.labels[write->label].name;
          report.add(
              context.model.element(system.graph[node].origin), "data",
              fmt::format("\"{}\" writes \"{}\" after \"{}\" has ended, but this label is the input that \"{}\" "
                          "prepared; expected a write of the result",
                          system.graph[node].runnable ? system.runnables[*system.graph[node].runnable].name : task.name,
                          label, system.tasks[found->second].name, task.name));
          back.erase(found);
        }
        written.insert(write->label);
      } else if (const auto* trigger = std::get_if<Trigger>(&activity)) {
        for (const TaskIndex started : system.stimuli[trigger->stimulus].activates)
          for (const LabelIndex label : inputs[started])
            if (written.contains(label)) handed_over[started].insert(label);
      } else if (std::holds_alternative<WaitEvents>(activity)) {
        for (const auto edge : boost::make_iterator_range(boost::in_edges(node, system.graph.boost()))) {
          if (system.graph.boost()[edge].kind != EdgeKind::event) continue;
          const TaskIndex ended = system.graph[boost::source(edge, system.graph.boost())].task;
          if (const auto labels = handed_over.find(ended); labels != handed_over.end())
            for (const LabelIndex label : labels->second) back.emplace(label, ended);
        }
      }
    }
  }
}

}  // namespace amalthea::review
