// SPDX-License-Identifier: Apache-2.0
// Systems as text, for comparisons: see system_file.hpp.

#include <algorithm>
#include <iterator>
#include <variant>

#include <fmt/core.h>

#include "tests/support/system_file.hpp"
#include "tests/support/variant.hpp"

namespace test {
namespace {

using namespace amalthea;

std::string text(Duration time) { return fmt::format("{} ps", time.picoseconds()); }
std::string text(const std::optional<Duration>& time) { return time ? text(*time) : "none"; }
std::string text(const Cycles& of) { return fmt::format("{}..{}..{}", of.lower, of.average, of.upper); }
std::string text(const Distribution& of) { return fmt::format("{}..{}..{}", of.lower, of.average, of.upper); }
std::string text(const EveryNth& every) { return fmt::format("every {} from {}", every.prescaler, every.offset); }

class Facts {
 public:
  explicit Facts(const System& system) : system_(system) {}

  std::vector<std::string> list() {
    platform();
    data();
    stimuli();
    for (TaskIndex index = 0; index < system_.tasks.size(); ++index) task(index);
    demands();
    std::sort(facts_.begin(), facts_.end());
    return std::move(facts_);
  }

 private:
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    facts_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  template <typename Items, typename Name>
  std::string names(const Items& items, Name name) const {
    std::string joined;
    for (const auto& item : items) joined += (joined.empty() ? "" : ", ") + name(item);
    return joined;
  }
  template <typename Items, typename Indices>
  static std::string named(const Items& items, const Indices& indices) {
    std::string joined;
    for (const auto index : indices) joined += (joined.empty() ? "" : ", ") + items[index].name;
    return joined;
  }
  template <typename Items, typename Indices>
  static std::string sorted(const Items& items, const Indices& indices) {
    std::vector<std::string> found;
    for (const auto index : indices) found.push_back(items[index].name);
    std::sort(found.begin(), found.end());
    std::string joined;
    for (const std::string& name : found) joined += (joined.empty() ? "" : ", ") + name;
    return joined;
  }

  std::string ticks(const Ticks& of) const {
    std::string made = of.otherwise ? text(*of.otherwise) : "no default";
    for (const auto& [definition, cycles] : of.extended)
      made += fmt::format(", {}: {}", system_.platform.definitions[definition].name, text(cycles));
    return made;
  }
  std::string ticks(const std::optional<Ticks>& of) const { return of ? ticks(*of) : "none"; }

  void platform() {
    const Platform& platform = system_.platform;
    for (const auto& one : platform.definitions) add("definition {}: type {}", one.name, static_cast<int>(one.type));
    for (const auto& one : platform.memories) add("memory {}", one.name);
    for (const ProcessingUnit& one : platform.units) {
      add("unit {}: definition {}, type {}, {} mHz, lines of {} B, profile \"{}\", warps \"{}\" \"{}\", contexts "
          "\"{}\"",
          one.name, platform.definitions[one.definition].name, static_cast<int>(one.type), one.frequency.millihertz(),
          one.cache_line.bytes, one.device_profile, one.warp_policy, one.warp_pipelines, one.context_scheduling);
      for (const UnitSetting& setting : one.settings)
        add("unit {}: {} \"{}\"", one.name, setting.property, setting.value);
      for (const MemoryAccess& access : one.accesses)
        add("unit {}: reaches {}, reads {}, writes {}, {} B/s", one.name, platform.memories[access.memory].name,
            text(access.read), text(access.write), access.data_rate.bytes_per_second);
    }
    for (const Scheduler& one : platform.schedulers) {
      add("scheduler {}: {}, controller {}, units {}, parent {}, priority {}, budget {}, period {}, slice {}, from {} "
          "to {}",
          one.name, to_string(one.kind), one.interrupt_controller, named(platform.units, one.units),
          one.parent ? platform.schedulers[*one.parent].name : "none", one.share.priority, text(one.share.budget),
          text(one.share.period), text(one.time_slice), text(one.minimum_time_slice), text(one.maximum_time_slice));
      if (!one.overhead) continue;
      const OverheadTicks& of = *one.overhead;
      const std::pair<std::string_view, const std::optional<Ticks>*> all[] = {{"activate", &of.activate_task},
                                                                              {"terminate", &of.terminate_task},
                                                                              {"set", &of.set_event},
                                                                              {"wait", &of.wait_event},
                                                                              {"clear", &of.clear_event},
                                                                              {"request", &of.request_resource},
                                                                              {"release", &of.release_resource},
                                                                              {"lock", &of.request_spinlock},
                                                                              {"unlock", &of.release_spinlock},
                                                                              {"point", &of.schedule_point},
                                                                              {"before 1", &of.isr_category1_before},
                                                                              {"after 1", &of.isr_category1_after},
                                                                              {"before 2", &of.isr_category2_before},
                                                                              {"after 2", &of.isr_category2_after}};
      for (const auto& [name, cost] : all) add("scheduler {}: overhead {} {}", one.name, name, ticks(*cost));
    }
  }

  void data() {
    for (const Label& one : system_.labels)
      add("label {}: {} B in {}", one.name, one.size.bytes,
          one.memory ? system_.platform.memories[*one.memory].name : "none");
    for (const OsEvent& one : system_.events) add("event {}", one.name);
    for (const Mode& one : system_.modes)
      add("mode {}: {} of {}", one.name, one.initial,
          names(one.literals ? *one.literals : std::vector<std::string>(),
                [](const std::string& name) { return name; }));
    for (const Semaphore& one : system_.semaphores)
      add("semaphore {}: {} of {}, ceiling {}, spinlock {}", one.name, one.free, one.capacity, one.priority_ceiling,
          one.spinlock);
    for (const Runnable& one : system_.runnables)
      if (one.random_access) add("runnable {}: random", one.name);
  }

  std::string condition(const ModeCondition& of) const { return describe(system_, Guard(of)); }

  void stimuli() {
    for (const Stimulus& one : system_.stimuli) {
      add("stimulus {}: activates {}", one.name, sorted(system_.tasks, one.activates));
      add("stimulus {}: counts {}", one.name, text(one.counter));
      add("stimulus {}: {}", one.name, occurrence(one.occurrence));
      for (const ModeSetting& set : one.sets)
        add("stimulus {}: sets {} to {}", one.name, system_.modes[set.mode].name, set.value);
      if (one.condition) add("stimulus {}: if {}", one.name, condition(*one.condition));
    }
  }

  std::string occurrence(const Occurrence& of) const {
    if (const auto* periodic = as<Periodic>(of))
      return fmt::format("every {} from {}, jitter {}, distance {}", text(periodic->period), text(periodic->offset),
                         text(periodic->jitter), text(periodic->minimum_distance));
    if (const auto* single = as<Single>(of)) return fmt::format("once at {}", text(single->occurrence));
    if (as<InterProcess>(of) != nullptr) return "triggered";
    if (const auto* sporadic = as<Sporadic>(of))
      return fmt::format("from {} after {}", text(sporadic->offset), text(sporadic->distance));
    if (const auto* synthetic = as<Synthetic>(of))
      return fmt::format("every {} from {} at {}", text(synthetic->period), text(synthetic->offset),
                         names(synthetic->occurrences, [](Duration at) { return text(at); }));
    if (const auto* burst = as<Burst>(of))
      return fmt::format("every {} from {}: {} within {}, {} apart", text(burst->period), text(burst->offset),
                         burst->occurrences, text(burst->length), text(burst->minimum_distance));
    if (const auto* curve = as<ArrivalCurve>(of))
      return "curve " + names(curve->entries, [](const ArrivalCurve::Entry& entry) {
               return fmt::format("{} within {} to {}", entry.count, text(entry.lower), text(entry.upper));
             });
    if (const auto* rate = as<VariableRate>(of))
      return fmt::format("{} millionths in {}, more {}, less {}", text(rate->occurrences), text(rate->step),
                         rate->largest_increase.value_or(-1), rate->largest_decrease.value_or(-1));
    return fmt::format("events {}", named(system_.events, std::get<EventDriven>(of).events));
  }

  void task(TaskIndex index) {
    const Task& one = system_.tasks[index];
    const Platform& platform = system_.platform;
    add("task {}: kind {}, side {}, priority {}, preemption {}, limit {}, deadline {}", one.name,
        static_cast<int>(one.kind), static_cast<int>(one.side), one.priority, static_cast<int>(one.preemption),
        one.activation_limit, text(one.deadline));
    add("task {}: scheduler {}, unit {} of {}", one.name, platform.schedulers[one.scheduler].name,
        platform.units[one.unit].name, named(platform.units, one.units));
    if (one.side == Side::device)
      add("task {}: slice {}, context \"{}\" with {} slots, stream \"{}\" {} {}, CUs \"{}\", SMs \"{}\", MPS {}, queue "
          "{}, "
          "ACE {}",
          one.name, text(one.time_slice), one.gpu.context, one.gpu.runlist_slots, one.gpu.stream, one.gpu.null_stream,
          one.gpu.high_priority, one.gpu.cu_mask, one.gpu.sm_mask, one.gpu.mps_share, one.gpu.hsa_queue.value_or(-1),
          one.gpu.ace.value_or(-1));
    if (one.folded_into) add("task {}: folded into {}", one.name, system_.tasks[*one.folded_into].name);
    for (std::size_t at = 0; at < one.body.size(); ++at) {
      const GraphNode& node = system_.graph[one.body[at]];
      const bool in_runnable = node.runnable && one.side == Side::host;
      add("task {}: activity {:03}: {} {}{}", one.name, at, kind_name(node.activity), activity(node.activity),
          in_runnable ? fmt::format(" in {} of depth {}", system_.runnables[*node.runnable].name, node.depth) : "");
    }
  }

  std::string activity(const Activity& of) const {
    const auto count = [](const AccessCount& each) {
      return fmt::format("{}..{}..{}", each.least, each.average, each.most);
    };
    if (const auto* read = as<ReadLabel>(of))
      return fmt::format("{} {}", system_.labels[read->label].name, count(read->count));
    if (const auto* write = as<WriteLabel>(of))
      return fmt::format("{} {}", system_.labels[write->label].name, count(write->count));
    if (const auto* compute = as<Compute>(of)) return ticks(compute->ticks);
    if (const auto* trigger = as<Trigger>(of)) return system_.stimuli[trigger->stimulus].name;
    if (const auto* set = as<SetEvents>(of))
      return fmt::format("{} for {}", named(system_.events, set->events),
                         set->task ? system_.tasks[*set->task].name : "all");
    if (const auto* clear = as<ClearEvents>(of)) return named(system_.events, clear->events);
    if (const auto* wait = as<WaitEvents>(of))
      return fmt::format("{}, {}, {}", named(system_.events, wait->events), wait->all ? "all" : "any",
                         wait->active ? "active" : "passive");
    if (const auto* use = as<UseSemaphore>(of))
      return fmt::format("{} operation {}, {}", system_.semaphores[use->semaphore].name,
                         static_cast<int>(use->operation), use->active ? "active" : "passive");
    if (const auto* branch = as<Branch>(of))
      return fmt::format("{}{}", branch->repeats ? "repeats " : "",
                         names(branch->alternatives, [&](const Branch::Alternative& each) {
                           return fmt::format("[{}: {}]", describe(system_, each.guard), each.length);
                         }));
    if (const auto* mode = as<SetMode>(of))
      return fmt::format("{} operation {} {}", system_.modes[mode->mode].name, static_cast<int>(mode->operation),
                         mode->value);
    if (const auto* section = as<Uninterruptible>(of)) return section->begins ? "begins" : "ends";
    if (const auto* copy = as<Copy>(of))
      return fmt::format("kind {} of {} to {}, {} B, pageable {}, {} ps", static_cast<int>(copy->kind),
                         named(system_.labels, copy->sources), named(system_.labels, copy->destinations),
                         copy->size.bytes, copy->pageable, copy->time.value_or(Duration()).picoseconds());
    if (const auto* kernel = as<Kernel>(of)) {
      // Those of instructions are not stated: the analysis computes them.
      std::string made = fmt::format("{}, {} B, intensity {}", kernel->instructions ? "" : ticks(*kernel->ticks),
                                     kernel->footprint.bytes, kernel->memory_intensity);
      if (kernel->launch)
        made += fmt::format(", {} x {}, {} registers, {} B shared, \"{}\", mask \"{}\"", kernel->launch->blocks,
                            kernel->launch->threads, kernel->launch->registers, kernel->launch->shared_memory,
                            kernel->launch->cache_config, kernel->launch->sm_mask);
      if (kernel->costs)
        made += fmt::format(", like \"{}\", {} threads, weight {}, dispatch {}", kernel->costs->like,
                            kernel->costs->full_speed_threads.value_or(-1), kernel->costs->weight.value_or(-1),
                            text(kernel->costs->dispatch));
      if (kernel->instructions)
        made += fmt::format(", \"{}\" with {}", kernel->instructions->text, kernel->instructions->budget);
      if (kernel->access) made += fmt::format(", pattern {}", static_cast<int>(kernel->access->pattern));
      return made;
    }
    return "";
  }

  // ---- chains, requirements, constraints

  template <typename Items, typename Index>
  static std::string any_or(const Items& items, const std::optional<Index>& index) {
    return index ? items[*index].name : "any";
  }

  std::string event(const ObservableEvent& of) const {
    const Platform& platform = system_.platform;
    if (const auto* process = as<ObservableEvent::OfProcess>(of.what))
      return fmt::format("{} of process {} on {}", to_string(process->action), any_or(system_.tasks, process->task),
                         any_or(platform.units, process->unit));
    if (const auto* execution = as<ObservableEvent::OfRunnable>(of.what))
      return fmt::format("{} of runnable {} in {} on {}", to_string(execution->action),
                         any_or(system_.runnables, execution->runnable), any_or(system_.tasks, execution->task),
                         any_or(platform.units, execution->unit));
    if (const auto* label = as<ObservableEvent::OfLabel>(of.what))
      return fmt::format("{} of label {} by {} in {}", to_string(label->action), any_or(system_.labels, label->label),
                         any_or(system_.runnables, label->runnable), any_or(system_.tasks, label->task));
    if (const auto* stimulus = as<ObservableEvent::OfStimulus>(of.what))
      return fmt::format("stimulus {}", any_or(system_.stimuli, stimulus->stimulus));
    if (const auto* held = as<ObservableEvent::OfSemaphore>(of.what))
      return fmt::format("{} of semaphore {} by {} in {} on {}", to_string(held->action),
                         any_or(system_.semaphores, held->semaphore), any_or(system_.runnables, held->runnable),
                         any_or(system_.tasks, held->task), any_or(platform.units, held->unit));
    if (const auto* mode = as<ObservableEvent::OfMode>(of.what))
      return fmt::format("{} of mode {} by {} in {}", to_string(mode->action), any_or(system_.modes, mode->mode),
                         any_or(system_.runnables, mode->runnable), any_or(system_.tasks, mode->task));
    return fmt::format("{} activities", std::get<ObservableEvent::OfActivities>(of.what).nodes.size());
  }
  std::string scope(const DataScope& of) const {
    return fmt::format("processes {} and runnables {}", named(system_.tasks, of.tasks),
                       named(system_.runnables, of.runnables));
  }

  std::string constraint(const TimingConstraint& one) const {
    const auto events = [&](const std::vector<ObservableEvent>& all) {
      return names(all, [&](const ObservableEvent& each) { return event(each); });
    };
    if (const auto* why = as<Unjudgeable>(one.kind)) return "cannot be judged: " + why->reason;
    if (const auto* delay = as<DelayLimit>(one.kind))
      return fmt::format("{} to {}, {} to {}, mapping {}", event(delay->source), event(delay->target),
                         text(delay->limits.lower), text(delay->limits.upper), static_cast<int>(delay->mapping));
    if (const auto* repetition = as<Repetition>(one.kind))
      return fmt::format("{} span {}, {} to {}, jitter {}", event(repetition->event), repetition->span,
                         text(repetition->limits.lower), text(repetition->limits.upper), text(repetition->jitter));
    if (const auto* order = as<EventOrder>(one.kind))
      return fmt::format("{} before {}", event(order->source), event(order->target));
    if (const auto* together = as<EventSynchronization>(one.kind))
      return fmt::format("{} within {}, several {}", events(together->events), text(together->tolerance),
                         together->multiple_occurrences);
    if (const auto* chains = as<ChainSynchronization>(one.kind))
      return fmt::format("chains {} within {} of {}", names(chains->chains, events), text(chains->tolerance),
                         static_cast<int>(chains->of));
    if (const auto* age = as<DataAge>(one.kind))
      return fmt::format("age of {} in {}: {} to {}, {} to {} cycles", system_.labels[age->label].name,
                         system_.runnables[age->runnable].name, text(age->limits.lower), text(age->limits.upper),
                         age->least_cycles.value_or(0), age->max_cycles.value_or(0));
    if (const auto* group = as<DataCoherency>(one.kind))
      return fmt::format("coherent {} in {}, output {}", named(system_.labels, group->labels), scope(group->scope),
                         group->output);
    if (const auto* group = as<DataStability>(one.kind))
      return fmt::format("stable {} in {}", named(system_.labels, group->labels), scope(group->scope));
    if (const auto* sequence = as<RunnableSequence>(one.kind))
      return fmt::format("order {} in {}: {}", static_cast<int>(sequence->order), named(system_.tasks, sequence->tasks),
                         names(sequence->groups, [&](const RunnableSequence::Group& group) {
                           return fmt::format("[{} in {}]", named(system_.runnables, group.members),
                                              named(system_.tasks, group.tasks));
                         }));
    const auto& placement = std::get<SectionPlacement>(one.kind);
    return fmt::format("section {}: {} in {}", placement.section, sorted(system_.labels, placement.labels),
                       named(system_.platform.memories, placement.memories));
  }

  void demands() {
    for (const Chain& one : system_.chains) {
      add("chain {}: {}, from activation {}, gap \"{}\"", one.name, named(system_.tasks, one.tasks),
          one.from_activation, one.gap);
      for (const ChainLimit& limit : one.limits)
        add("chain {}: limit {} of kind {}, {} to {}", one.name, limit.name, static_cast<int>(limit.kind),
            text(limit.minimum), text(limit.maximum));
    }
    for (const TimingConstraint& one : system_.constraints) add("constraint {}: {}", one.name, constraint(one));
    for (const Requirement& one : system_.requirements) {
      std::string subject = "other", limit = "none";
      if (const auto* process = as<Requirement::OfProcess>(one.subject)) subject = system_.tasks[process->task].name;
      if (const auto* executed = as<Requirement::OfRunnable>(one.subject))
        subject = system_.runnables[executed->runnable].name;
      if (const auto* chain = as<Requirement::OfChain>(one.subject)) subject = named(system_.tasks, chain->tasks);
      if (const auto* time = as<Requirement::TimeLimit>(one.limit))
        limit = fmt::format("{} {}", time->metric ? to_string(*time->metric) : "", text(time->value));
      if (const auto* count = as<Requirement::CountLimit>(one.limit))
        limit = fmt::format("{} {}", count->metric, count->value);
      if (const auto* cpu = as<Requirement::CpuLimit>(one.limit))
        limit = fmt::format("{} {} on {}", cpu->metric, cpu->value, any_or(system_.platform.units, cpu->unit));
      add("requirement {}: kind {} of {}, {} {}", one.name, static_cast<int>(one.kind), subject,
          to_string(one.limit_type), limit);
    }
  }

  const System& system_;
  std::vector<std::string> facts_;
};

}  // namespace

std::vector<std::string> facts_of(const System& system) { return Facts(system).list(); }

std::string first_difference(const System& wanted, const System& found) {
  const std::vector<std::string> a = facts_of(wanted), b = facts_of(found);
  std::vector<std::string> missing, added;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(missing));
  std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(added));
  if (missing.empty() && added.empty()) return "";
  return fmt::format("wanted: {}\nfound:  {}", missing.empty() ? "nothing more" : missing.front(),
                     added.empty() ? "nothing more" : added.front());
}

}  // namespace test
