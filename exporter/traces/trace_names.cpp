// SPDX-License-Identifier: Apache-2.0
#include "exporter/traces/trace_names.hpp"

#include <array>

#include "amalthea/diagnostic.hpp"
#include "exporter/traces/detail/trace_events.hpp"
#include "exporter/traces/trace_text.hpp"

namespace amalthea::exporter {
namespace {

using traces::EntityKind;
using traces::Subject;

EntityKind kind_of(TraceEntity::Kind kind) {
  constexpr std::array kinds{EntityKind::stimulus, EntityKind::process, EntityKind::process,
                             EntityKind::runnable, EntityKind::core,    EntityKind::label};
  return kinds[static_cast<std::size_t>(kind)];
}

}  // namespace

traces::Directory trace_names(const engine::SimulationInput& input) {
  const System& system = input.system;
  const TraceModel model = make_trace_model(input);
  traces::Directory directory;
  std::vector<Subject> subjects(model.entities.size());
  const auto set = [&](EntityIndex entity, Subject::Kind kind, std::size_t index) {
    if (entity != no_entity) subjects[entity] = {kind, static_cast<std::uint32_t>(index)};
  };
  for (EntityIndex entity = 0; entity < model.entities.size(); ++entity)
    if (model.entities[entity].kind == TraceEntity::Kind::core) set(entity, Subject::Kind::device_core, 0);
  for (StimulusIndex stimulus = 0; stimulus < model.stimuli.size(); ++stimulus)
    set(model.stimuli[stimulus], Subject::Kind::stimulus, stimulus);
  for (UnitIndex unit = 0; unit < model.cores.size(); ++unit) set(model.cores[unit], Subject::Kind::core, unit);
  for (TaskIndex task = 0; task < model.tasks.size(); ++task) {
    set(model.tasks[task].entity, Subject::Kind::task, task);
    const engine::Program& program = input.programs[task];
    for (std::size_t step = 0; step < program.steps.size(); ++step) {
      const TraceModel::StepFacts& facts = model.tasks[task].steps[step];
      const NodeIndex node = program.steps[step].node;
      if (facts.runnable != no_entity)
        set(facts.runnable, Subject::Kind::runnable, program.runnables[*program.steps[step].runnable]);
      const std::size_t operation = directory.operations.size();
      if (facts.operation != no_entity) directory.operations.push_back({node, task});
      set(facts.operation, Subject::Kind::operation, operation);
      set(facts.submission, Subject::Kind::submission, operation);
      set(facts.block, Subject::Kind::block, operation);
      const auto set_labels = [&](const std::vector<EntityIndex>& entities, const std::vector<LabelIndex>& labels) {
        for (std::size_t at = 0; at < entities.size(); ++at) set(entities[at], Subject::Kind::label, labels[at]);
      };
      if (const auto* copy = std::get_if<Copy>(&system.graph[node].activity)) {
        set_labels(facts.reads, copy->sources);
        set_labels(facts.written, copy->destinations);
      } else if (const auto* kernel = std::get_if<Kernel>(&system.graph[node].activity)) {
        set_labels(facts.reads, kernel->reads);
        set_labels(facts.written, kernel->writes);
      }
      if (facts.label == no_entity) continue;
      if (const auto* read = std::get_if<ReadLabel>(&system.graph[node].activity))
        set(facts.label, Subject::Kind::label, read->label);
      if (const auto* write = std::get_if<WriteLabel>(&system.graph[node].activity))
        set(facts.label, Subject::Kind::label, write->label);
    }
  }
  for (EntityIndex entity = 0; entity < model.entities.size(); ++entity)
    if (subjects[entity].kind != Subject::Kind::unknown)
      directory.add(kind_of(model.entities[entity].kind), model.entities[entity].name, subjects[entity]);
  for (EntityIndex entity = 0; entity < model.entities.size(); ++entity)
    if (subjects[entity].kind != Subject::Kind::unknown)
      directory.add(kind_of(model.entities[entity].kind), model.entities[entity].text, subjects[entity]);
  const std::vector<std::string> names = trace_compass_names(model);
  for (EntityIndex entity = 0; entity < model.entities.size(); ++entity)
    if (subjects[entity].kind != Subject::Kind::unknown)
      directory.add(kind_of(model.entities[entity].kind), names[entity], subjects[entity]);
  // What occurs in no trace of a simulation.
  const auto add = [&](EntityKind kind, const std::string& name, Subject::Kind what, std::size_t index) {
    directory.add(kind, name, {what, static_cast<std::uint32_t>(index)});
    directory.add(kind, btf_name(name), {what, static_cast<std::uint32_t>(index)});
  };
  for (std::size_t runnable = 0; runnable < system.runnables.size(); ++runnable)
    add(EntityKind::runnable, system.runnables[runnable].name, Subject::Kind::runnable, runnable);
  for (std::size_t label = 0; label < system.labels.size(); ++label)
    add(EntityKind::label, system.labels[label].name, Subject::Kind::label, label);
  for (std::size_t unit = 0; unit < system.platform.units.size(); ++unit)
    add(EntityKind::core, system.platform.units[unit].name,
        input.devices[unit] == nullptr ? Subject::Kind::core : Subject::Kind::device_core, unit);
  return directory;
}

std::optional<traces::Directory> trace_names(const System& system, const engine::AnalysisOptions& options,
                                             Diagnostics& diagnostics) {
  const auto preparation = engine::prepare_simulation(system, options, diagnostics);
  if (!preparation) return std::nullopt;
  const auto programs =
      engine::compile_programs(system, engine::Execution::worst, preparation->devices, options.compile);
  return trace_names(
      {system, programs, preparation->devices, preparation->until, preparation->grace, preparation->periods});
}

}  // namespace amalthea::exporter
