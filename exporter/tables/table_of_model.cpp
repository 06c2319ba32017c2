// SPDX-License-Identifier: Apache-2.0
// Model → SystemTable. Every element and attribute that the table states is held; all others are reported, so nothing
// gets lost without a word. Names of what a table does not name (stimuli, labels, schedulers) are none of its content.

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/metamodel.hpp"
#include "amalthea/views/activity.hpp"
#include "amalthea/views/attributes.hpp"
#include "amalthea/views/constraints.hpp"
#include "amalthea/views/event_chains.hpp"
#include "amalthea/views/events.hpp"
#include "amalthea/views/hardware.hpp"
#include "amalthea/views/mapping.hpp"
#include "amalthea/views/operating_system.hpp"
#include "amalthea/views/properties.hpp"
#include "amalthea/views/requirements.hpp"
#include "amalthea/views/software.hpp"
#include "amalthea/views/stimuli.hpp"
#include "engine/gpu/device_profile.hpp"
#include "exporter/rewriting/remapping.hpp"
#include "exporter/tables/system_table.hpp"

namespace amalthea::exporter::tables {
namespace {

using Key = std::pair<std::uint32_t, std::uint32_t>;
Key key(Element element) { return {element.document().position(), element.index()}; }

/// The units of a model that a table can name, and where they stand.
struct Units {
  std::vector<SystemTable::Core> cores;
  std::vector<SystemTable::Gpu> gpus;
  std::vector<Element> schedulers, gpu_schedulers;
  std::vector<const views::HwUnit*> core_units, gpu_units;
  std::map<Key, std::size_t> core_of, gpu_of;  ///< by scheduler
  Element memory;                              ///< of the first access of a GPU, or else of a core
};

bool serves_by_order(SchedulingAlgorithm algorithm) {
  const SchedulingTraits& traits = traits_of(algorithm);
  return traits.server == ServerKind::none && !traits.takes_turns && !traits.passes_tasks_on && !traits.for_interrupts;
}

Units units_of(const Model& model, const views::Hardware& hardware, const views::Mapping& mapping) {
  Units units;
  std::set<std::string_view> names;
  const auto is_gpu = [&](const views::HwUnit& unit) {
    return unit.definition && hardware.unit_definitions[*unit.definition].type == PuType::gpu;
  };
  for (const bool gpus : {true, false})
    for (const views::HwUnit& unit : hardware.units)
      for (const views::HwIndex access : unit.accesses)
        if (const auto memory = hardware.accesses[access].memory; memory && !units.memory && is_gpu(unit) == gpus)
          units.memory = hardware.memories[*memory].element;
  for (const views::SchedulerAllocation& allocation : mapping.schedulers) {
    const auto index =
        allocation.responsibility.size() == 1 ? hardware.unit_of.find(allocation.responsibility.front()) : std::nullopt;
    if (!index || !allocation.scheduler || !allocation.scheduler.is("TaskScheduler")) continue;
    const views::HwUnit& unit = hardware.units[*index];
    const auto type = unit.definition ? hardware.unit_definitions[*unit.definition].type : std::nullopt;
    const bool whole_hertz = unit.clock.millihertz() % 1000 == 0 && !unit.clock.is_zero();
    if (!type || !whole_hertz || !is_table_name(unit.name) || !names.insert(unit.name).second) continue;
    if (*type == PuType::gpu) {
      SystemTable::Gpu gpu{std::string(unit.name), unit.clock, {}, "generic"};
      if (const auto platform = custom_property(unit.element, "gpu.platform");
          platform && engine::find_profile(platform->value) != nullptr)
        gpu.platform = platform->value;
      for (const views::HwIndex access : unit.accesses)
        if (const auto memory = hardware.accesses[access].memory;
            memory && hardware.memories[*memory].element == units.memory)
          gpu.bandwidth = views::cost_of(hardware, hardware.accesses[access]).data_rate;
      units.gpu_of[key(allocation.scheduler)] = units.gpus.size();
      units.gpus.push_back(std::move(gpu));
      units.gpu_schedulers.push_back(allocation.scheduler);
      units.gpu_units.push_back(&unit);
    } else if (const auto kind = views::algorithm_of(model, allocation.scheduler).kind;
               kind && serves_by_order(*kind)) {
      units.core_of[key(allocation.scheduler)] = units.cores.size();
      units.cores.push_back({std::string(unit.name), unit.clock, *kind});
      units.schedulers.push_back(allocation.scheduler);
      units.core_units.push_back(&unit);
    }
  }
  return units;
}

class TableOfModel {
 public:
  TableOfModel(const Model& model, Diagnostics& findings)
      : model_(model),
        findings_(findings),
        hardware_(views::hardware_of(model, ignored_)),
        mapping_(views::mapping_of(model)),
        units_(units_of(model, hardware_, mapping_)) {}

  SystemTable read() {
    table_.cores = units_.cores;
    table_.gpus = units_.gpus;
    hold_platform();
    const auto processes = views::processes(model_, ignored_);
    for (const views::Process& process : processes)
      for (const Element stimulus : process.stimuli) released_by_[key(stimulus)].push_back(&process);
    for (const views::Process& process : processes) read_task(process);
    read_deadlines();
    read_chains();
    for (const auto& document : model_.documents()) {
      hold(document->root(), {});
      for (const Element part : document->root().children()) hold(part, {});
      report(document->root());
    }
    for (const auto& [what, places] : beyond_)
      findings_.add("AM0722", Severity::warning,
                    fmt::format("a table has no place for {} ({} in the model)", what, places.second),
                    places.first.location(), places.first.path(), places.second);
    return std::move(table_);
  }

 private:
  // ---- what the table holds

  void hold(Element element, std::vector<std::string_view> attributes) {
    if (element) held_[key(element)] = std::move(attributes);
  }
  /// With all that it contains: quantities, whose values have been read.
  void hold_all(Element element, const std::vector<std::string_view>& attributes) {
    if (!element) return;
    hold(element, attributes);
    for (const Element child : element.children()) hold_all(child, attributes);
  }
  void hold_amount(Element owner, std::string_view feature) { hold_all(owner.child(feature), {"value", "unit"}); }

  void report(Element element) {
    const auto held = held_.find(key(element));
    if (held == held_.end())
      return add_beyond(fmt::format("\"{}\" ({})", element.tag(), element.class_name()), element);
    const ElementRecord& record = element.record();
    for (std::uint32_t i = 0; i < record.attribute_count; ++i) {
      const AttributeRecord& attribute = element.document().attribute(record.first_attribute + i);
      const std::string_view name = element.document().name(attribute.name());
      if (name == "memoryPositionAddress" && views::address_attribute(element, name) == 0) continue;  // not stated
      if (name.starts_with("xsi:") || name.starts_with("xmi:") || name == "name") continue;
      if (std::find(held->second.begin(), held->second.end(), name) != held->second.end()) continue;
      const Feature* feature =
          element.cls() ? metamodel::find_feature_any_version(*element.cls(), name, element.document().version())
                        : nullptr;
      if (feature != nullptr && feature->has_default && feature->default_literal == element.document().value(attribute))
        continue;
      add_beyond(fmt::format("the attribute \"{}\" of a {}", name, element.class_name()), element);
    }
    for (const Element child : element.children()) report(child);
  }
  void add_beyond(std::string what, Element element) {
    auto& entry = beyond_.emplace(std::move(what), std::pair{element, std::uint64_t{0}}).first->second;
    ++entry.second;
  }

  // ---- platform

  void hold_platform() {
    for (const auto* const units : {&units_.core_units, &units_.gpu_units})
      for (const views::HwUnit* unit : *units) {
        hold_module(*unit, hardware_.unit_definitions[*unit->definition].element);
        for (const Element property : unit->element.children("customProperties"))
          if (units == &units_.gpu_units && property.attribute_or("key", "") == "gpu.platform" &&
              engine::find_profile(custom_property(unit->element, "gpu.platform")->value) != nullptr)
            hold_all(property, {"key", "value"});
        for (const views::HwIndex index : unit->accesses) {
          const views::HwAccess& access = hardware_.accesses[index];
          if (!access.memory || hardware_.memories[*access.memory].element != units_.memory) continue;
          hold(access.element, {"destination"});
          if (units == &units_.gpu_units) hold_amount(access.element, "dataRate");
          for (const Element latency : access.element.children())
            if (latency.is("DiscreteValueConstant") && latency.attribute_or("value", "0") == "0")
              hold(latency, {"value"});
        }
      }
    for (const views::HwMemory& memory : hardware_.memories)
      if (memory.element == units_.memory)
        hold_module(memory, memory.definition ? hardware_.memory_definitions[*memory.definition].element : Element{});
    for (const auto* const schedulers : {&units_.schedulers, &units_.gpu_schedulers})
      for (const Element scheduler : *schedulers) {
        hold(scheduler, {"definition"});
        hold(scheduler.parent(), {});
        hold(model_.reference(scheduler, "definition"), {"processParameters"});
      }
    for (const Element parameter : model_.all("osModel", "schedulingParameterDefinitions"))
      if (parameter.name() == "priority") hold(parameter, {"type", "mandatory"});
    for (const views::SchedulerAllocation& allocation : mapping_.schedulers)
      if (allocation.scheduler &&
          (units_.core_of.count(key(allocation.scheduler)) + units_.gpu_of.count(key(allocation.scheduler))) > 0)
        hold(allocation.element, {"scheduler", "responsibility"});
  }

  void hold_module(const views::HwModule& module, Element definition) {
    hold(module.element, {"frequencyDomain", "definition"});
    hold(definition, {"puType", "memoryType"});
    for (Element around = module.element.parent(); around && around.is("HwStructure"); around = around.parent())
      hold(around, {"structureType"});
    const Element domain = model_.reference(module.element, "frequencyDomain");
    hold(domain, {});
    if (domain) hold_amount(domain, "defaultValue");
  }

  // ---- tasks

  void read_task(const views::Process& process) {
    const auto allocation = mapping_.task_allocation_of.find(process.element);
    if (!allocation || process.kind != views::ProcessKind::task || process.stimuli.size() != 1) return;
    const views::TaskAllocation& on = mapping_.tasks[*allocation];
    if (process.preemption == views::Preemption::unknown || !on.scheduler || !is_named(process.name, names_)) return;
    const auto core = units_.core_of.find(key(on.scheduler));
    const views::Stimulus stimulus = views::stimulus_of(model_, process.stimuli.front(), ignored_);
    const auto* const periodic = std::get_if<views::PeriodicStimulus>(&stimulus.kind);
    if (core == units_.core_of.end() || periodic == nullptr || !periodic->recurrence ||
        *periodic->recurrence <= Duration() ||
        (!on.affinity.empty() && on.affinity != std::vector{units_.core_units[core->second]->element}))
      return;
    SystemTable::Task task;
    task.name = std::string(process.name);
    task.core = core->second;
    task.period = *periodic->recurrence;
    const auto priority = views::priority_of(process.element, on);
    const SchedulingAlgorithm algorithm = table_.cores[task.core].scheduler;
    if (priority && needs_priority(algorithm)) task.priority = parse_integer(priority->text).value_or(-1);
    if (needs_priority(algorithm) && (!task.priority || *task.priority < 0 || *task.priority > most_priority)) return;
    task.preemption = process.preemption == views::Preemption::cooperative      ? "cooperative"
                      : process.preemption == views::Preemption::non_preemptive ? "non_preemptive"
                                                                                : "preemptive";
    const std::size_t before = table_.steps.size();
    current_ = table_.tasks.size();
    read_steps(process.element);
    if (table_.steps.size() == before) return;
    hold(process.element, {"stimuli", "preemption"});
    hold(process.element.child("activityGraph"), {});
    hold_release(stimulus, *periodic, task);
    hold(on.element, {"task", "scheduler", "affinity"});
    if (task.priority)
      for (const Element parameter : on.element.children("schedulingParameters")) hold_all(parameter, {"key", "value"});
    task_of_[key(process.element)] = table_.tasks.size();
    table_.tasks.push_back(std::move(task));
  }

  void hold_release(const views::Stimulus& stimulus, const views::PeriodicStimulus& periodic, SystemTable::Task& task) {
    hold(stimulus.element, {});
    hold_amount(stimulus.element, "recurrence");
    if (periodic.offset && *periodic.offset >= Duration()) {
      task.offset = periodic.offset;
      hold_amount(stimulus.element, "offset");
    }
    if (periodic.jitter && periodic.jitter->upper && periodic.jitter->lower.value_or(Duration()) == Duration() &&
        std::holds_alternative<views::Boundaries>(periodic.jitter->distribution)) {
      task.jitter = periodic.jitter->upper;
      hold_all(periodic.jitter->element, {"value", "unit"});
    }
  }

  void read_steps(Element task) {
    const auto items = views::activity_items(model_, task, ignored_);
    const std::size_t before = table_.steps.size();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::size_t steps = table_.steps.size();
      if (const auto* const access = std::get_if<views::LabelAccess>(&items[i].kind); access != nullptr) {
        const bool plain = access->label && !access->statistic && !access->transmission;
        if (plain && access->access != views::Access::unstated)
          data_[current_].push_back({items[i].element, access->label,
                                     access->access == views::Access::read && steps == before,
                                     access->access == views::Access::write});
        continue;
      }
      for (Data& data : data_[current_]) data.at_end = false;
      if (const auto* const call = std::get_if<views::RunnableCall>(&items[i].kind);
          call != nullptr && call->runnable) {
        SystemTable::Step step;
        step.task = current_;
        if (!read_runnable(call->runnable, step)) continue;
        hold(items[i].element, {"runnable"});
        table_.steps.push_back(std::move(step));
      } else if (i + 2 < items.size() && offload(items[i], items[i + 1], items[i + 2], task)) {
        for (std::size_t j = i; j < i + 3; ++j) hold_all(items[j].element, {"stimulus", "waitingBehaviour", "events"});
        i += 2;
      }
    }
  }

  bool read_runnable(Element runnable, SystemTable::Step& step) {
    bool works = false;
    std::vector<Element> held;
    for (const views::ActivityItem& item : views::activity_items(model_, runnable, ignored_)) {
      const auto* const ticks = std::get_if<views::Ticks>(&item.kind);
      if (ticks == nullptr || !ticks->otherwise || !ticks->extended.empty()) continue;
      const auto reading = views::reading_of(*ticks->otherwise);
      if (reading.lower < 0 || reading.upper < reading.lower || reading.upper < 1) continue;
      if (reading.upper > longest_simulation.picoseconds() - step.most) continue;
      step.least += reading.lower;
      step.most += reading.upper;
      held.push_back(item.element);
      works = true;
    }
    if (!works || !is_named(runnable.name(), step_names_)) return false;
    for (const Element ticks : held) {
      hold(ticks, {});
      hold(ticks.child("default"), {"lowerBound", "upperBound", "value"});
    }
    step.name = std::string(runnable.name());
    hold(runnable, {});
    hold(runnable.child("activityGraph"), {});
    return true;
  }

  /// A trigger, a wait and a clear of the same event, and the device task between them.
  bool offload(const views::ActivityItem& first, const views::ActivityItem& second, const views::ActivityItem& third,
               Element host) {
    const auto* const trigger = std::get_if<views::InterProcessTrigger>(&first.kind);
    const auto* const wait = std::get_if<views::WaitEvent>(&second.kind);
    const auto* const clear = std::get_if<views::ClearEvent>(&third.kind);
    if (trigger == nullptr || wait == nullptr || clear == nullptr || !trigger->stimulus || trigger->counter ||
        wait->counter || clear->counter || wait->events.size() != 1 || clear->events != wait->events)
      return false;
    const auto& released = released_by_[key(trigger->stimulus)];
    const auto allocation =
        released.size() == 1 ? mapping_.task_allocation_of.find(released.front()->element) : std::nullopt;
    if (!allocation || !mapping_.tasks[*allocation].scheduler || released.front()->stimuli.size() != 1) return false;
    const auto gpu = units_.gpu_of.find(key(mapping_.tasks[*allocation].scheduler));
    if (gpu == units_.gpu_of.end()) return false;
    SystemTable::Step step;
    step.task = current_;
    step.gpu = gpu->second;
    step.polls = wait->waiting == views::Waiting::active;
    const Element device = released.front()->element;
    if (!read_kernel(device, wait->events.front(), host, step)) return false;
    hold(device, {"stimuli", released.front()->preemption == views::Preemption::preemptive ? "preemption" : ""});
    hold(device.child("activityGraph"), {});
    hold(trigger->stimulus, {});
    hold(wait->events.front(), {});
    hold(mapping_.tasks[*allocation].element, {"task", "scheduler"});
    for (const Element property : device.children("customProperties"))
      if (const auto process = custom_property(device, "gpu.context");
          property.attribute_or("key", "") == "gpu.context" && is_table_name(process->value)) {
        step.process = process->value;
        hold_all(property, {"key", "value"});
      }
    table_.steps.push_back(std::move(step));
    return true;
  }

  /// Copies, one kernel, copies, and the event at the end.
  bool read_kernel(Element device, Element event, Element host, SystemTable::Step& step) {
    const auto items = views::activity_items(model_, device, ignored_);
    const auto* const set = items.empty() ? nullptr : std::get_if<views::SetEvent>(&items.back().kind);
    if (set == nullptr || set->counter || set->events != std::vector{event} || (set->process && set->process != host))
      return false;
    std::vector<std::pair<Element, std::vector<Element>>> copies;  // runnables and their labels
    Element kernel;
    for (std::size_t i = 0; i + 1 < items.size(); ++i) {
      const auto* const call = std::get_if<views::RunnableCall>(&items[i].kind);
      if (call == nullptr || !call->runnable || call->counter || call->statistic) return false;
      std::vector<Element> labels;
      const std::int64_t bytes = copied_bytes(call->runnable, labels);
      if (bytes > 0) {
        (kernel ? step.bytes_out : step.bytes_in) += bytes;
        copies.emplace_back(call->runnable, labels);
      } else if (kernel) {
        return false;
      } else {
        kernel = call->runnable;
      }
    }
    if (!kernel || !read_runnable(kernel, step)) return false;
    for (std::size_t i = 0; i < items.size(); ++i) hold_all(items[i].element, {"runnable", "process", "events"});
    for (const auto& [runnable, labels] : copies) {
      hold_all(runnable, {"data", "access", "key", "value"});
      for (const Element label : labels) {
        hold(label, {});
        hold_amount(label, "size");
        hold(place_of(label), {"abstractElement", "memory"});
      }
    }
    return true;
  }

  /// Of a runnable that reads one label and writes another one of that size, and does nothing else; else 0.
  std::int64_t copied_bytes(Element runnable, std::vector<Element>& labels) {
    const auto items = views::activity_items(model_, runnable, ignored_);
    if (items.size() != 2) return 0;
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto* const access = std::get_if<views::LabelAccess>(&items[i].kind);
      if (access == nullptr || !access->label || access->statistic || access->transmission ||
          access->access != (i == 0 ? views::Access::read : views::Access::write))
        return 0;
      const Element size = access->label.child("size");
      const auto parsed = size ? parse_data_size(size.attribute_or("value", ""), size.attribute_or("unit", ""))
                               : Parsed<DataSize>(DataSize{});
      if (!parsed || (i == 1 && parsed->bytes != bytes)) return 0;
      bytes = parsed->bytes;
      labels.push_back(access->label);
    }
    return bytes;
  }

  /// Its mapping, if that is to the memory of copies.
  Element place_of(Element label) const {
    const auto place = mapping_.memory_mapping_of.find(label);
    return place && mapping_.memory[*place].memory == units_.memory ? mapping_.memory[*place].element : Element{};
  }

  // ---- limits

  void read_deadlines() {
    for (const views::Requirement& requirement : views::requirements(model_, ignored_)) {
      const auto* const limit = std::get_if<views::TimeLimit>(&requirement.limit);
      if (limit == nullptr || !requirement.subject || requirement.limit_type != Requirement::LimitType::upper ||
          limit->metric != TimeMetric::response_time || !limit->value || *limit->value <= Duration())
        continue;
      const auto task = task_of_.find(key(requirement.subject));
      if (task == task_of_.end() || table_.tasks[task->second].deadline) continue;
      table_.tasks[task->second].deadline = limit->value;
      hold(requirement.element, {"process"});
      hold(requirement.limit_element, {"limitType", "metric"});
      hold_amount(requirement.limit_element, "limitValue");
    }
  }

  void read_chains() {
    std::map<Key, std::size_t> chain_of;
    std::vector<std::vector<Element>> parts;
    for (const views::EventChain& chain : views::event_chains(model_, ignored_)) {
      std::vector<Element> held = {chain.element};
      SystemTable::Chain read;
      if (!read_path(chain, read.tasks, held) || !is_named(chain.name, chain_names_)) continue;
      read.name = std::string(chain.name);
      chain_of[key(chain.element)] = table_.chains.size();
      table_.chains.push_back(std::move(read));
      parts.push_back(std::move(held));
    }
    for (const views::TimingConstraint& constraint : views::timing_constraints(model_, ignored_)) {
      const auto* const latency = std::get_if<views::LatencyConstraint>(&constraint.kind);
      const auto chain = latency != nullptr && latency->chain ? chain_of.find(key(latency->chain)) : chain_of.end();
      if (chain == chain_of.end() || !latency->maximum || *latency->maximum <= Duration()) continue;
      SystemTable::Chain& limited = table_.chains[chain->second];
      auto& limit = latency->type == views::LatencyConstraint::Type::age ? limited.age : limited.reaction;
      if (limit || latency->type == views::LatencyConstraint::Type::unstated) continue;
      limit = latency->maximum;
      hold(constraint.element, {"scope", "type"});
      hold_amount(constraint.element, "maximum");
    }
    std::vector<SystemTable::Chain> limited;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!table_.chains[i].reaction && !table_.chains[i].age) continue;
      for (const Element part : parts[i])
        hold(part, {"stimulus", "response", "entity", "eventType", "itemType", "data", "access", "value", "unit",
                    "abstractElement", "memory"});
      limited.push_back(table_.chains[i]);
    }
    table_.chains = std::move(limited);
  }

  /// The starts of the tasks one after the other, and the end of the last one; data passes between them.
  bool read_path(const views::EventChain& chain, std::vector<std::size_t>& tasks, std::vector<Element>& held) {
    Element next = chain.stimulus;
    for (std::size_t i = 0; i < chain.items.size(); ++i) {
      if (chain.items[i].reference || !chain.items[i].chain) return false;
      const views::EventChain part = views::event_chain_of(model_, chain.items[i].chain, ignored_);
      if (part.stimulus != next || !part.items.empty()) return false;
      const auto task = task_at(next, EventAction::start);
      if (!task || std::find(tasks.begin(), tasks.end(), *task) != tasks.end()) return false;
      tasks.push_back(*task);
      held.insert(held.end(), {chain.items[i].element, part.element, next});
      next = part.response;
    }
    if (tasks.size() < 2 || next != chain.response || task_at(next, EventAction::terminate) != tasks.back())
      return false;
    held.push_back(next);
    for (std::size_t i = 0; i + 1 < tasks.size(); ++i)
      if (!read_data(tasks[i], tasks[i + 1], held)) return false;
    return true;
  }
  std::optional<std::size_t> task_at(Element event, EventAction action) const {
    if (!event) return std::nullopt;
    const views::Event seen = views::event_of(model_, event);
    const auto task = seen.entity && seen.kind == views::EventKind::process && seen.type == action
                          ? task_of_.find(key(seen.entity))
                          : task_of_.end();
    return task == task_of_.end() ? std::nullopt : std::optional(task->second);
  }
  /// A label that one task writes after all of its steps, and the other one reads before all of its steps.
  bool read_data(std::size_t from, std::size_t to, std::vector<Element>& held) const {
    const std::size_t before = held.size();
    const auto writes = data_.find(from), reads = data_.find(to);
    if (writes == data_.end() || reads == data_.end()) return false;
    for (const Data& written : writes->second)
      for (const Data& read : reads->second)
        if (written.at_end && read.at_begin && written.label == read.label) {
          held.insert(held.end(), {written.item, read.item, read.label});
          const Element size = read.label.child("size"), place = place_of(read.label);
          if (size && size.attribute_or("value", "") == "1" && size.attribute_or("unit", "") == "B")
            held.push_back(size);
          if (place) held.push_back(place);
        }
    return held.size() > before;
  }

  // ---- names

  static bool is_named(std::string_view name, std::set<std::string, std::less<>>& known) {
    return is_table_name(name) && known.insert(std::string(name)).second;
  }

  /// An access in the graph of a task.
  struct Data {
    Element item, label;
    bool at_begin, at_end;
  };

  const Model& model_;
  Diagnostics& findings_;
  Diagnostics ignored_;  // validate reports them
  views::Hardware hardware_;
  views::Mapping mapping_;
  Units units_;
  SystemTable table_;
  std::size_t current_ = 0;                        // the task that is read
  std::map<std::size_t, std::vector<Data>> data_;  // by task
  std::map<Key, std::vector<std::string_view>> held_;
  std::map<std::string, std::pair<Element, std::uint64_t>> beyond_;
  std::map<Key, std::vector<const views::Process*>> released_by_;
  std::map<Key, std::size_t> task_of_;
  std::set<std::string, std::less<>> names_, step_names_, chain_names_;
};

std::string text_of(Element element) { return std::string(element.document().source().text(element.span())); }

}  // namespace

SystemTable table_of(const Model& model, Diagnostics& findings) { return TableOfModel(model, findings).read(); }

Parsed<GivenPlatform> given_platform(const Model& model) {
  const Document& document = *model.documents().front();
  if (model.documents().size() != 1 || document.version() != newest_version || document.source().unit() != 1 ||
      document.metamodel_prefix() != "am" || document.xsi_prefix() != "xsi" || !document.root().is("Amalthea"))
    return tl::unexpected(
        fmt::format("expected a model of AMALTHEA {} in one file; convert it first: amalthea convert --to {}",
                    to_string(newest_version), to_string(newest_version)));
  const auto hardware = document.root().children("hwModel"), systems = document.root().children("osModel");
  if (hardware.size() != 1 || systems.size() != 1)
    return tl::unexpected(std::string("the model has no hwModel or no osModel"));
  Diagnostics ignored;
  const views::Hardware view = views::hardware_of(model, ignored);
  const views::Mapping mapping = views::mapping_of(model);
  const Units units = units_of(model, view, mapping);
  if (units.cores.empty())
    return tl::unexpected(
        std::string("no scheduler of the model serves a core of its own by priorities, periods or deadlines"));
  const auto parameters = model.all("osModel", "schedulingParameterDefinitions");
  if (std::any_of(units.cores.begin(), units.cores.end(),
                  [](const auto& core) { return needs_priority(core.scheduler); }) &&
      std::none_of(parameters.begin(), parameters.end(), [](Element one) { return one.name() == "priority"; }))
    return tl::unexpected(std::string("its osModel defines no scheduling parameter \"priority\" for its schedulers"));
  GivenPlatform given{units.cores, units.gpus, {}, {}, {}, text_of(hardware.front()), text_of(systems.front()), {}};
  for (const Element scheduler : units.schedulers) given.schedulers.push_back(id_in_file(scheduler).value_or(""));
  for (const Element scheduler : units.gpu_schedulers)
    given.gpu_schedulers.push_back(id_in_file(scheduler).value_or(""));
  if (units.memory) given.memory = id_in_file(units.memory).value_or("");
  for (const views::SchedulerAllocation& allocation : mapping.schedulers)
    given.allocations += "    " + text_of(allocation.element) + "\n";
  return given;
}

}  // namespace amalthea::exporter::tables
