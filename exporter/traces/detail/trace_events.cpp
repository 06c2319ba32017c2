// SPDX-License-Identifier: Apache-2.0
#include "exporter/traces/detail/trace_events.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/core.h>

#include "engine/gpu/contexts.hpp"
#include "engine/simulation/simulation.hpp"
#include "exporter/traces/trace_text.hpp"

namespace amalthea::exporter {
namespace {

using engine::ProcessEvent;
using Kind = TraceEntity::Kind;
using Part = TraceEntity::Part;

class Maker {
 public:
  explicit Maker(const engine::SimulationInput& input) : input_(input), system_(input.system) {}

  TraceModel make() {
    for (const Stimulus& stimulus : system_.stimuli) model_.stimuli.push_back(add(Kind::stimulus, stimulus.name));
    for (const Task& task : system_.tasks) {
      TraceModel::TaskFacts facts;
      facts.entity = add(task.kind == ProcessKind::task ? Kind::task : Kind::isr, task.name,
                         task.side == Side::device ? Part::device_task : Part::model);
      model_.tasks.push_back(std::move(facts));
    }
    for (UnitIndex unit = 0; unit < system_.platform.units.size(); ++unit)
      model_.cores.push_back(input_.devices[unit] == nullptr ? add(Kind::core, system_.platform.units[unit].name)
                                                             : no_entity);
    for (UnitIndex unit = 0; unit < system_.platform.units.size(); ++unit)
      if (input_.devices[unit] != nullptr) add_device(unit, *input_.devices[unit]);
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) add_steps(task);
    mark_labels_of_chains();
    return std::move(model_);
  }

 private:
  EntityIndex add(Kind kind, const std::string& text, Part part = Part::model) {
    model_.entities.push_back({kind, part, names_.take(btf_name(text)), text, false});
    return static_cast<EntityIndex>(model_.entities.size() - 1);
  }

  void add_device(UnitIndex unit, const engine::DeviceProfile& profile) {
    const std::string& gpu = system_.platform.units[unit].name;
    TraceModel::DeviceFacts device;
    device.unit = unit;
    std::vector<EntityIndex> copy_engines;
    for (int engine = 0; engine < profile.copy_engines; ++engine)
      copy_engines.push_back(add(Kind::core, fmt::format("{}_{}", gpu, engine == 0 ? "CE" : "CE2"), Part::copy_engine));
    device.engines = copy_engines.size() + 1;
    for (const engine::GpuContext& context : engine::contexts_on(system_, unit, profile)) {
      const Task& first = system_.tasks[context.tasks.front()];
      const std::string& name = first.gpu.context.empty() ? first.name : first.gpu.context;
      device.contexts.push_back(name);
      const auto places = places_of(gpu, name, context, profile);
      for (const engine::GpuStream& stream : context.streams) {
        const std::string& owner = stream.name.empty() ? system_.tasks[stream.tasks.front()].name : stream.name;
        std::string track = fmt::format("{}_EE_{}", gpu, owner);
        const bool taken = std::any_of(model_.entities.begin(), model_.entities.end(),
                                       [&](const TraceEntity& entity) { return entity.text == track; });
        if (taken) track = fmt::format("{}_EE_{}_{}", gpu, name, owner);  // a stream of another context
        const EntityIndex core = add(Kind::core, track, Part::execution_engine);
        for (const TaskIndex task : stream.tasks) {
          TraceModel::TaskFacts& facts = model_.tasks[task];
          facts.own_core = add(Kind::core, fmt::format("{}:{}", gpu, system_.tasks[task].name), Part::device_task);
          facts.stream_core = core;
          facts.copy_engines = copy_engines;
          facts.places = places;
        }
      }
    }
    model_.devices.push_back(std::move(device));
  }

  /// As many on each SM as blocks of the context can ever be resident there together: of each stream one kernel's, as
  /// many as fit alone.
  std::vector<std::vector<EntityIndex>> places_of(const std::string& gpu, const std::string& context_name,
                                                  const engine::GpuContext& context,
                                                  const engine::DeviceProfile& profile) {
    const engine::gpu::SmLimits limits = profile.multiprocessors.value_or(engine::gpu::SmLimits{});
    std::int64_t most = 0;
    for (const engine::GpuStream& stream : context.streams) {
      std::int64_t of_stream = 0;
      for (const TaskIndex task : stream.tasks)
        for (const engine::Step& step : input_.programs[task].steps) {
          if (step.kind != engine::StepKind::kernel || !step.block) continue;
          engine::gpu::SmUse resident;
          std::int64_t blocks = 0;
          for (; blocks < step.blocks && engine::gpu::fits(limits, resident, *step.block); ++blocks)
            resident += *step.block;
          of_stream = std::max(of_stream, blocks);
        }
      most += of_stream;
    }
    most = std::min(most, limits.blocks);
    std::vector<std::vector<EntityIndex>> places;
    if (most == 0) return places;
    for (std::int64_t sm = 0; sm < limits.sms; ++sm) {
      places.emplace_back();
      for (std::int64_t place = 0; place < most; ++place)
        places.back().push_back(
            add(Kind::core, fmt::format("{}_SM{}_{}_{}", gpu, sm, context_name, place), Part::multiprocessor));
    }
    return places;
  }

  EntityIndex runnable(RunnableIndex index) {
    if (runnables_.empty()) runnables_.resize(system_.runnables.size(), no_entity);
    if (runnables_[index] == no_entity) runnables_[index] = add(Kind::runnable, system_.runnables[index].name);
    return runnables_[index];
  }
  EntityIndex label(LabelIndex index) {
    if (labels_.empty()) labels_.resize(system_.labels.size(), no_entity);
    if (labels_[index] == no_entity) labels_[index] = add(Kind::label, system_.labels[index].name);
    return labels_[index];
  }
  std::vector<EntityIndex> labels(const std::vector<LabelIndex>& indices) {
    std::vector<EntityIndex> entities;
    for (const LabelIndex index : indices) entities.push_back(label(index));
    return entities;
  }

  void add_steps(TaskIndex task) {
    const engine::Program& program = input_.programs[task];
    // A runnable continues later if a later step belongs to it, or any step within a loop.
    std::vector<std::size_t> last(program.runnables.size(), 0);
    std::size_t in_loop_until = 0;
    std::vector<std::size_t> loop_end(program.steps.size(), 0);
    for (std::size_t step = 0; step < program.steps.size(); ++step) {
      if (const auto runnable = program.steps[step].runnable) last[*runnable] = step;
      if (const std::size_t next = program.steps[step].next; next <= step)
        loop_end[next] = std::max(loop_end[next], step + 1);
    }
    for (std::size_t index = 0; index < program.steps.size(); ++index) {
      const engine::Step& step = program.steps[index];
      in_loop_until = std::max(in_loop_until, loop_end[index]);
      TraceModel::StepFacts facts;
      if (step.runnable) {
        facts.runnable = runnable(program.runnables[*step.runnable]);
        facts.continues_later = index < last[*step.runnable] || index < in_loop_until;
      }
      const GraphNode& node = system_.graph[step.node];
      if (const auto* read = std::get_if<ReadLabel>(&node.activity)) facts.label = label(read->label);
      if (const auto* write = std::get_if<WriteLabel>(&node.activity)) {
        facts.label = label(write->label);
        facts.writes = true;
      }
      if (step.kind == engine::StepKind::copy || step.kind == engine::StepKind::kernel) {
        const bool is_kernel = step.kind == engine::StepKind::kernel;
        facts.operation = add(Kind::task, node.name, is_kernel ? Part::execution_engine : Part::copy_engine);
        const std::string name = model_.entities[facts.operation].text;
        facts.submission = add(Kind::stimulus, name + "_submit", Part::device_task);
        if (is_kernel && step.block) facts.block = add(Kind::task, name + ".block", Part::multiprocessor);
        if (const auto* copy = std::get_if<Copy>(&node.activity)) {
          facts.reads = labels(copy->sources);
          facts.written = labels(copy->destinations);
        } else if (const auto* kernel = std::get_if<Kernel>(&node.activity)) {
          facts.reads = labels(kernel->reads);
          facts.written = labels(kernel->writes);
        }
      }
      model_.tasks[task].steps.push_back(std::move(facts));
    }
  }

  void mark_labels_of_chains() {
    const auto touched = [&](TaskIndex task, bool writes) {
      std::vector<EntityIndex> all;
      for (const TraceModel::StepFacts& step : model_.tasks[task].steps) {
        if (step.label != no_entity && step.writes == writes) all.push_back(step.label);
        const auto& more = writes ? step.written : step.reads;
        all.insert(all.end(), more.begin(), more.end());
      }
      std::sort(all.begin(), all.end());
      return all;
    };
    for (const Chain& chain : system_.chains)
      for (std::size_t i = 1; i < chain.tasks.size(); ++i) {
        const auto written = touched(chain.tasks[i - 1], true), read = touched(chain.tasks[i], false);
        for (const EntityIndex entity : written)
          if (std::binary_search(read.begin(), read.end(), entity)) model_.entities[entity].in_chain = true;
      }
  }

  const engine::SimulationInput& input_;
  const System& system_;
  TraceModel model_;
  UniqueNames names_;
  std::vector<EntityIndex> runnables_, labels_;
};

}  // namespace

TraceModel make_trace_model(const engine::SimulationInput& input) { return Maker(input).make(); }

std::vector<std::string> trace_compass_names(const TraceModel& model) {
  UniqueNames taken;
  for (const TraceEntity& entity : model.entities) taken.take(entity.name);
  std::vector<std::string> names;
  for (const TraceEntity& entity : model.entities) {
    std::string name = entity.name;
    if (entity.kind == Kind::core) name = btf_core_name(name);
    if (entity.kind == Kind::task) name = btf_task_name(name);
    names.push_back(name == entity.name ? name : taken.take(name));
  }
  return names;
}

void TraceEvents::begins(const engine::SimulationInput& input) {
  model_ = make_trace_model(input);
  tasks_.resize(model_.tasks.size());
  instances_.resize(model_.entities.size(), 0);
  taken_.resize(model_.entities.size(), false);
  header(input);
}

void TraceEvents::occurred(StimulusIndex stimulus, std::optional<TaskIndex> by, Instant now) {
  const EntityIndex target = model_.stimuli[stimulus];
  event({.time = now,
         .what = TraceEvent::What::trigger,
         .source = by ? model_.tasks[*by].entity : no_entity,
         .target = target,
         .source_instance = by ? tasks_[*by].job : 0,
         .instance = instances_[target]++});
}

// ---- processes

void TraceEvents::process(const engine::ProcessChange& change) {
  TaskState& state = tasks_[change.task];
  const TraceModel::TaskFacts& facts = model_.tasks[change.task];
  TraceEvent one{.time = change.now, .process = change.what, .target = facts.entity, .instance = change.job};
  if (change.by) one.cause = model_.tasks[*change.by].entity;
  if (change.what == ProcessEvent::activate || change.what == ProcessEvent::mta_limit_exceeded) {
    one.source = model_.stimuli[*change.stimulus];
    one.source_instance = instances_[one.source] - 1;
    event(one);
    return;
  }
  state.job = change.job;
  if (change.unit) state.core = facts.own_core != no_entity ? facts.own_core : model_.cores[*change.unit];
  one.source = state.core;
  const ProcessEvent what = change.what;
  if (what == ProcessEvent::preempt || what == ProcessEvent::wait || what == ProcessEvent::park)
    record_runnable(change.task, TraceEvent::Runnable::suspend, change.now);
  if (what == ProcessEvent::terminate) end_runnables(change.task, change.now);
  event(one);
  if (what == ProcessEvent::resume || what == ProcessEvent::poll_parking)
    record_runnable(change.task, TraceEvent::Runnable::resume, change.now);
}

// ---- runnables

void TraceEvents::record_runnable(TaskIndex task, TraceEvent::Runnable what, Instant now) {
  const TaskState& state = tasks_[task];
  if (state.runnable == no_entity) return;
  event({.time = now,
         .what = TraceEvent::What::runnable,
         .runnable = what,
         .source = model_.tasks[task].entity,
         .target = state.runnable,
         .source_instance = state.job,
         .instance = state.instance});
}

/// Goes from the present runnable, if there is one, to this, if it is one.
void TraceEvents::enter(TaskIndex task, EntityIndex runnable, Instant now) {
  TaskState& state = tasks_[task];
  if (state.runnable == runnable) return;
  if (state.runnable != no_entity) {
    record_runnable(task, TraceEvent::Runnable::suspend, now);
    state.suspended.push_back({state.runnable, state.instance});
  }
  state.runnable = runnable;
  if (runnable == no_entity) return;
  const auto found = std::find_if(state.suspended.begin(), state.suspended.end(),
                                  [&](const OpenRunnable& open) { return open.entity == runnable; });
  if (found == state.suspended.end()) {
    state.instance = instances_[runnable]++;
    record_runnable(task, TraceEvent::Runnable::start, now);
  } else {
    state.instance = found->instance;
    state.suspended.erase(found);
    record_runnable(task, TraceEvent::Runnable::resume, now);
  }
}

/// Those that might have come again, and did not.
void TraceEvents::end_runnables(TaskIndex task, Instant now) {
  TaskState& state = tasks_[task];
  record_runnable(task, TraceEvent::Runnable::terminate, now);
  for (; !state.suspended.empty(); state.suspended.pop_back()) {
    state.runnable = state.suspended.back().entity;
    state.instance = state.suspended.back().instance;
    record_runnable(task, TraceEvent::Runnable::resume, now);
    record_runnable(task, TraceEvent::Runnable::terminate, now);
  }
  state.runnable = no_entity;
}

void TraceEvents::record_access(TaskIndex task, EntityIndex label, bool writes, Instant now) {
  event({.time = now,
         .what = TraceEvent::What::access,
         .writes = writes,
         .source = model_.tasks[task].entity,
         .target = label,
         .source_instance = tasks_[task].job});
}

void TraceEvents::step_begins(TaskIndex task, std::uint64_t job, std::size_t step, Instant now) {
  const TraceModel::StepFacts& facts = model_.tasks[task].steps[step];
  tasks_[task].job = job;
  enter(task, facts.runnable, now);
  if (facts.label != no_entity && !facts.writes) record_access(task, facts.label, false, now);
  for (const EntityIndex label : facts.reads) record_access(task, label, false, now);
}

void TraceEvents::step_ends(TaskIndex task, std::uint64_t /*job*/, std::size_t step, Instant now) {
  const TraceModel::StepFacts& facts = model_.tasks[task].steps[step];
  if (facts.writes) record_access(task, facts.label, true, now);
  for (const EntityIndex label : facts.written) record_access(task, label, true, now);
  if (facts.runnable == no_entity || facts.continues_later) return;
  record_runnable(task, TraceEvent::Runnable::terminate, now);
  tasks_[task].runnable = no_entity;
}

// ---- the GPU

void TraceEvents::operation(const engine::OperationChange& change) {
  TaskState& state = tasks_[change.task];
  const TraceModel::TaskFacts& task = model_.tasks[change.task];
  const TraceModel::StepFacts& step = task.steps[change.step];
  const bool submitted = change.what == ProcessEvent::activate;
  if (submitted) {
    state.operation = instances_[step.operation]++;
    event({.time = change.now,
           .what = TraceEvent::What::trigger,
           .source = task.entity,
           .target = step.submission,
           .source_instance = change.job,
           .instance = state.operation});
  }
  const TraceEvent one{.time = change.now,
                       .process = change.what,
                       .source = submitted            ? step.submission
                                 : change.engine == 0 ? task.stream_core
                                                      : task.copy_engines[change.engine - 1],
                       .target = step.operation,
                       .source_instance = submitted ? state.operation : 0,
                       .instance = state.operation,
                       .cause = submitted ? task.entity : no_entity};
  if (change.what == ProcessEvent::preempt)
    for (const auto& [index, at] : state.blocks) record_block(change.task, step, at, change.what, change.now);
  event(one);
  if (change.what == ProcessEvent::resume)
    for (const auto& [index, at] : state.blocks) record_block(change.task, step, at, change.what, change.now);
}

void TraceEvents::record_block(TaskIndex task, const TraceModel::StepFacts& step, const BlockAt& at, ProcessEvent what,
                               Instant now) {
  event({.time = now,
         .process = what,
         .source = model_.tasks[task].places[at.sm][at.place],
         .target = step.block,
         .instance = at.instance});
}

void TraceEvents::block(const engine::BlockChange& change) {
  TaskState& state = tasks_[change.task];
  const TraceModel::TaskFacts& task = model_.tasks[change.task];
  const TraceModel::StepFacts& step = task.steps[change.step];
  if (!change.begins) {
    const auto found = state.blocks.find(change.block);
    record_block(change.task, step, found->second, ProcessEvent::terminate, change.now);
    taken_[task.places[found->second.sm][found->second.place]] = false;
    state.blocks.erase(found);
    return;
  }
  const auto& places = task.places[change.sm];
  const auto free = std::find_if(places.begin(), places.end(), [&](EntityIndex place) { return !taken_[place]; });
  if (free == places.end()) throw std::logic_error("more blocks on an SM than fit");
  taken_[*free] = true;
  const BlockAt at{change.sm, static_cast<std::size_t>(free - places.begin()), instances_[step.block]++};
  state.blocks.emplace(change.block, at);
  event({.time = change.now,
         .process = ProcessEvent::activate,
         .source = step.submission,
         .target = step.block,
         .source_instance = state.operation,
         .instance = at.instance});
  record_block(change.task, step, at, ProcessEvent::start, change.now);
}

}  // namespace amalthea::exporter
