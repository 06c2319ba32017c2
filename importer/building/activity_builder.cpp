// SPDX-License-Identifier: Apache-2.0
// The activities of each task, as a flat sequence: see Branch for the representation of alternatives.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "amalthea/primitives/near_miss.hpp"
#include "amalthea/views/activity.hpp"
#include "amalthea/views/execution_rates.hpp"
#include "amalthea/views/properties.hpp"
#include "amalthea/views/quantities.hpp"
#include "amalthea/views/stated_maximum.hpp"
#include "importer/building/detail/build_context.hpp"
#include "importer/building/detail/distribution_builder.hpp"

namespace amalthea::importer::detail {
namespace {

/// Maximum depth of calls; real programs stay below, and the stack is limited.
constexpr std::size_t max_call_depth = 512;
/// The same for nested groups in called runnables, over all levels.
constexpr std::size_t max_nesting = 2000;

/// Including the shape of the distribution.
Cycles varying_cycles_of(const views::Deviation<std::int64_t>& deviation, Diagnostics& diagnostics) {
  Cycles cycles = cycles_of(deviation, diagnostics);
  cycles.shape = distribution_of(deviation).shape;
  return cycles;
}

/// What an activity holds and shows beyond so many bytes counts as further activities, since calls repeat it.
constexpr std::size_t bytes_of_one = 1000;

/// The bytes of the tags of an item, without the items in it.
std::size_t own_bytes(Element item) {
  const Span tag = item.start_tag();
  std::size_t bytes = tag.end - tag.begin;
  for (const Element child : item.children())
    if (child.tag() != "items") bytes += own_bytes(child);
  return bytes;
}

class BodyReader {
 public:
  BodyReader(BuildContext& context, TaskIndex task, RawBody& body, std::size_t& total)
      : context_(context), task_(task), body_(body), total_(total) {}

  void read(Element container) {
    if (depth_ >= max_nesting) {
      if (!too_deep_)
        context_.error("AM0320",
                       fmt::format("groups and calls are nested more than {} levels deep; flatten them", max_nesting),
                       container.location(), container.path());
      too_deep_ = true;
      return;
    }
    ++depth_;
    // Runnables that call others several times each multiply: a small file could ask for any number of activities.
    for (const Element item : items_of(container))
      if (total_ <= context_.options.max_activities) read_item(item);
    --depth_;
  }

 private:
  void read_item(Element element) {
    if (!count_bytes(element, own_bytes(element))) return;
    // Unsupported content may be unreadable without any effect; only execution times are reported.
    Diagnostics no_effect;
    const std::string_view cls = element.class_name();
    const bool is_execution = cls == "Ticks" || cls == "ExecutionNeed" || cls.find("Instructions") != cls.npos;
    Diagnostics& diagnostics = is_execution ? context_.diagnostics : no_effect;
    const views::ActivityItem item = views::activity_item(context_.model, element, diagnostics);
    report_repetition(element);
    if (is_execution) ignore_fetches(element);
    std::visit([&](const auto& kind) { take(element, kind); }, item.kind);
  }

  /// Fetches of instructions that miss a cache take time (up to 0.9.2).
  void ignore_fetches(Element item) {
    for (const Element child : item.children()) {
      if (child.tag() != "fetchStatistic")
        ignore_fetches(child);
      else if (child.child("misses") || child.child("cyclesPerFetch"))
        context_.ignore(child);
    }
  }

  /// An item of a group of 0.7.0 or 0.7.1 that may be executed another number of times than once.
  void report_repetition(Element item) {
    Diagnostics no_effect;
    const auto repetition = views::repetition_of(item, no_effect);
    if (!repetition) return;
    const auto* const constant = std::get_if<views::ConstantValue<std::int64_t>>(&repetition->distribution);
    if (constant != nullptr ? constant->value != 1 : repetition->lower != 1 || repetition->upper != 1)
      context_.ignore(repetition->element);
  }

  /// Unsupported kinds: channels, asynchronous server calls, local modes etc. of all versions.
  template <typename Kind>
  void take(Element item, const Kind&) {
    context_.ignore(item);
  }

  void take(Element item, const views::Group& group) {
    const bool outermost = !group.ordered && unordered_ == 0;
    if (outermost) unordered_ = ++unordered_groups_;
    take_in_group(item, group);
    if (outermost) unordered_ = 0;
  }

  /// Groups within uninterruptible ones have no effect.
  void take_in_group(Element item, const views::Group& group) {
    if (group.interruptible || on_device()) {
      read(item);
      return;
    }
    note_overhead("SuspendOsInterrupts");
    note_overhead("ResumeOsInterrupts");
    if (uninterruptible_++ == 0) add(item, std::string(group.name), Uninterruptible{true});
    read(item);
    if (--uninterruptible_ == 0) add(item, std::string(group.name), Uninterruptible{false});
  }

  void take(Element item, const views::RunnableCall& call_item) {
    // A call that states no number of calls, or may state another one than 1, is not one call.
    if (const Element statistic = item.child("statistic")) {
      const auto is_once = [](std::optional<std::int64_t> bound) { return bound.value_or(1) == 1; };
      const auto& stated = call_item.statistic;
      if (!stated || stated->average != 1 || !is_once(stated->least) || !is_once(stated->largest))
        context_.ignore(statistic);
    }
    counted(item, call_item.counter, [&] { call(item, call_item.runnable, "runnable"); });
  }
  void take(Element item, const views::SynchronousServerCall& call_item) {
    note_overhead("SynchronousServerCallPoint");
    call(item, call_item.runnable, "serverRunnable");
  }

  void take(Element item, const views::LabelAccess& access_item) {
    if (access_item.transmission) context_.ignore(access_item.transmission);
    if (access_item.access == views::Access::unstated) context_.assume(Unstated::access, item);
    if (const Element statistic = item.child("statistic");
        statistic && !access_item.statistic && !statistic.child("cacheMisses"))
      report_statistic({statistic, 0, {}, {}});
    if (const auto label = context_.required(context_.labels, access_item.label, item, "data"))
      access(item, *label, access_item.access == views::Access::write, count_of(access_item.statistic));
  }
  /// The functions of the operating system that nothing else stands for.
  void note_overhead(std::string_view function) {
    const auto found = context_.other_overheads.find(function);
    if (found == context_.other_overheads.end()) return;
    context_.report_overhead(fmt::format("function {}", function), found->second);
    context_.other_overheads.erase(found);
  }

  void take(Element item, const views::SenderReceiverRead& access_item) {
    note_overhead("SenderReceiverRead");
    if (const auto label = context_.labels.find(access_item.label))
      access(item, *label, false);
    else
      context_.ignore(item);
  }
  void take(Element item, const views::SenderReceiverWrite& access_item) {
    note_overhead("SenderReceiverWrite");
    if (const auto label = context_.labels.find(access_item.label))
      access(item, *label, true);
    else
      context_.ignore(item);
  }

  /// A single value, which may be a fraction, is the average; the adjacent integers are minimum and maximum. Once, if
  /// nothing is stated. No value, or zero, is at most once.
  AccessCount count_of(const std::optional<views::Statistic>& statistic) {
    if (!statistic) return {};
    report_statistic(*statistic);
    if (statistic->average <= 0 && statistic->largest.value_or(0) <= 0) return {0, 1, 1};
    constexpr double limit = 1e9;  // beyond any real execution
    const double average = std::clamp(statistic->average, 0.0, limit);
    const auto whole = [](double value) { return static_cast<std::int64_t>(value); };
    AccessCount count;
    count.average = whole(std::round(average));
    count.least = std::clamp<std::int64_t>(statistic->least.value_or(whole(std::floor(average))), 0, count.average);
    count.most =
        std::clamp<std::int64_t>(statistic->largest.value_or(whole(std::ceil(average))), count.average, whole(limit));
    return count;
  }

  /// Every access is at least one.
  void report_statistic(const views::Statistic& statistic) {
    const double least = static_cast<double>(statistic.least.value_or(0)), average = statistic.average,
                 most = static_cast<double>(statistic.largest.value_or(0));
    const bool in_order = statistic.largest ? least >= 0 && (average == 0 || least <= average) && average <= most &&
                                                  least <= most && most > 0
                                            : average > 0;
    if (in_order) return;
    context_.diagnostics.add(
        "AM0461", Severity::warning,
        statistic.largest
            ? fmt::format("the number of accesses has the minimum {}, the average {} and the maximum {}, which are not "
                          "in ascending order and above zero; state all three",
                          least, average, most)
            : fmt::format("the number of accesses is {}; the analysis uses 1; state how often the label is accessed",
                          average),
        statistic.element.location(), statistic.element.path());
  }

  void access(Element item, LabelIndex label, bool write, const AccessCount& count = {}) {
    const std::string& name = context_.system.labels[label].name;
    const auto shows = [&](EventAction type) {
      if (context_.event_triggers.empty()) return;
      const Element entity = context_.model.element(context_.system.labels[label].origin);
      occurs(item, views::EventKind::label, type, entity);
      if (count.least == 1 && count.most == 1) return;
      for (EventTrigger* trigger : causes(views::EventKind::label, type, entity))
        context_.report_open_event(*trigger, "label accesses that are made another number of times than once",
                                   "leave out their statistic");
    };
    // Accesses read when they begin and write when they end.
    if (!write) shows(EventAction::read);
    if (write)
      add(item, name, WriteLabel{label, count});
    else
      add(item, name, ReadLabel{label, count});
    if (write) shows(EventAction::write);
  }

  void take(Element item, const views::CustomEventTrigger& trigger) {
    if (!trigger.event) context_.ignore(item);
    occurs(item, views::EventKind::custom, EventAction::any, trigger.event);
  }

  /// For custom events `entity` is the event itself.
  std::vector<EventTrigger*> causes(views::EventKind kind, EventAction type, Element entity) {
    std::vector<EventTrigger*> caused;
    for (EventTrigger& trigger : context_.event_triggers) {
      const views::Event& event = trigger.event;
      const bool custom = kind == views::EventKind::custom;
      const bool meant = event.kind == kind && (custom ? event.element == entity
                                                       : (event.type == EventAction::any || event.type == type) &&
                                                             (!event.entity || event.entity == entity));
      const Element runnable = calls_.empty() ? Element() : context_.runnable_elements[calls_.back()];
      if (meant && (!event.runnable || event.runnable == runnable) &&
          (!event.process || event.process == context_.task_elements[task_]))
        caused.push_back(&trigger);
    }
    return caused;
  }

  /// Triggers the stimuli that wait for such an event.
  void occurs(Element item, views::EventKind kind, EventAction type, Element entity) {
    for (const EventTrigger* trigger : causes(kind, type, entity))
      add(item, context_.system.stimuli[trigger->stimulus].name, Trigger{trigger->stimulus});
  }

  void take(Element item, const views::Ticks& ticks) {
    Ticks cycles;
    if (ticks.otherwise) cycles.otherwise = execution_cycles_of(*ticks.otherwise);
    auto entry = ticks.extended.begin();
    for (const Element element : item.children("extended")) {
      const auto definition = context_.required(context_.definitions, entry->first, element, "key");
      const auto& deviation = (entry++)->second;
      if (!deviation) {
        context_.report_unfilled(element);
        continue;
      }
      const Cycles of_entry = execution_cycles_of(*deviation);
      if (definition) add_extended(cycles, *definition, of_entry, element);
    }
    add(item, "ticks", Compute{std::move(cycles)});
  }

  /// The first entry for a definition counts.
  void add_extended(Ticks& ticks, DefinitionIndex definition, const Cycles& cycles, Element entry) {
    const auto before = std::find_if(ticks.extended.begin(), ticks.extended.end(),
                                     [definition](const auto& known) { return known.first == definition; });
    if (before == ticks.extended.end())
      ticks.extended.emplace_back(definition, cycles);
    else if (!(before->second == cycles))
      context_.report_second("execution time for this kind of unit", entry);
  }

  Cycles execution_cycles_of(const views::Deviation<std::int64_t>& deviation) {
    const Origin origin = deviation.element.origin();
    if (!context_.read_executions.insert({origin.document, origin.element}).second) {
      Diagnostics reported;
      return varying_cycles_of(deviation, reported);
    }
    const auto* normal = std::get_if<views::GaussDistribution<std::int64_t>>(&deviation.distribution);
    if (normal != nullptr && normal->mean && !deviation.upper)
      context_.assume(Unstated::normal_bound, deviation.element);
    else
      views::report_open(deviation, "an execution time", context_.diagnostics);
    return varying_cycles_of(deviation, context_.diagnostics);
  }

  /// Needs are converted to cycles by the features of the unit's definition (views::execution_rates); for instructions
  /// one per cycle if it states none.
  void take(Element item, const views::ExecutionNeed& need) {
    const Task& task = context_.system.tasks[task_];
    Ticks ticks;
    if (context_.unplaced.contains(task_)) return;
    if (need.needs.empty() && need.extended.empty()) context_.report_unfilled(item);
    ticks.otherwise = cycles_of_needs(item, need.needs, definition_of(task.unit));
    for (const auto& [key, needs] : need.extended) {
      if (needs.empty()) context_.report_unfilled(item);
      if (const auto index = context_.definitions.find(key))
        if (const auto cycles = cycles_of_needs(item, needs, key)) add_extended(ticks, *index, *cycles, item);
    }
    // other kinds of units, with different cycles for the same instructions
    for (const UnitIndex unit : task.units) {
      const DefinitionIndex index = context_.system.platform.units[unit].definition;
      if (index == context_.system.platform.units[task.unit].definition) continue;
      const bool known = std::any_of(ticks.extended.begin(), ticks.extended.end(),
                                     [index](const auto& entry) { return entry.first == index; });
      const auto cycles = known ? std::nullopt : cycles_of_needs(item, need.needs, definition_of(unit));
      if (cycles) ticks.extended.emplace_back(index, *cycles);
    }
    if (ticks.otherwise || !ticks.extended.empty()) add(item, "ticks", Compute{std::move(ticks)});
  }

  Element definition_of(UnitIndex index) const {
    const Element unit = context_.model.element(context_.system.platform.units[index].origin);
    const Element definition = context_.model.reference(unit, "definition");
    return definition ? definition : context_.model.reference(unit, "coreType");
  }

  /// The sum over all needs: a unit serves one after the other.
  std::optional<Cycles> cycles_of_needs(Element item, const std::vector<views::Need>& needs, Element definition) {
    std::optional<Cycles> sum;
    for (auto need = needs.begin(); need != needs.end(); ++need) {
      auto rates = views::execution_rates(context_.model, definition, need->key);
      if (!rates && need->key == views::instructions_key) {
        context_.assume(Unstated::instructions, item);
        rates = views::ExecutionRates{1, 1};
      }
      if (!rates) {
        report_unserved(*need, definition);
        continue;
      }
      if (!need->amount) {
        context_.report_unfilled(need->element);
        continue;
      }
      const auto before =
          std::find_if(needs.begin(), need, [&](const views::Need& other) { return other.key == need->key; });
      if (before != need) {
        if (before->amount != need->amount)
          context_.report_second(fmt::format("need with the key \"{}\"", need->key), need->element);
        continue;
      }
      const Cycles cycles = views::cycles_of_amount(execution_cycles_of(*need->amount), *rates);
      sum = sum ? views::sum_of(*sum, cycles) : cycles;
    }
    return sum;
  }

  /// A need whose key is no category of a feature of the unit's definition.
  void report_unserved(const views::Need& need, Element definition) {
    context_.with_open_needs.insert(task_);
    std::vector<std::string_view> keys{views::instructions_key};
    for (const Element category : context_.model.all("hwModel", "featureCategories")) keys.push_back(category.name());
    const std::string likely = did_you_mean(need.key, keys);
    context_.diagnostics.add(
        "AM0491", Severity::warning,
        fmt::format(
            "the need \"{}\" is no category of a feature of {}, so its time is missing from all results{}", need.key,
            definition ? fmt::format("the definition \"{}\"", definition.name()) : std::string("the processing unit"),
            likely.empty() ? "; add such a feature, or correct the key" : likely),
        need.element.location(), need.element.path(), 1, {context_.system.tasks[task_].origin});
  }

  void take(Element item, const views::InterProcessTrigger& trigger) {
    if (const auto stimulus = context_.required(context_.stimuli, trigger.stimulus, item, "stimulus"))
      counted(item, trigger.counter, [&] { add(item, context_.system.stimuli[*stimulus].name, Trigger{*stimulus}); });
  }

  void take(Element item, const views::SetEvent& set_item) {
    SetEvents set{indices_of(item, set_item.events), std::nullopt};
    if (item.attribute("process") || item.child("process")) {
      if (context_.require(set_item.process, item, "process")) set.task = context_.tasks.find(set_item.process);
      if (!set.task) {  // an unsupported ISR: the event has no receiver
        context_.ignore(item);
        return;
      }
    }
    std::string names = event_names(set.events);
    counted(item, set_item.counter, [&] { add(item, std::move(names), std::move(set)); });
  }

  void take(Element item, const views::ClearEvent& clear_item) {
    ClearEvents clear{indices_of(item, clear_item.events)};
    std::string names = event_names(clear.events);
    counted(item, clear_item.counter, [&] { add(item, std::move(names), std::move(clear)); });
  }

  void take(Element item, const views::WaitEvent& wait_item) {
    WaitEvents wait{indices_of(item, wait_item.events), wait_item.mask == views::EventMaskType::all,
                    wait_item.waiting == views::Waiting::active};
    const MappingChange* change = mapping_change_of(context_, context_.system.tasks[task_].name);
    if (change != nullptr && change->waits_actively)
      wait.active = *change->waits_actively;
    else if (wait_item.waiting == views::Waiting::unstated)
      context_.assume(Unstated::waiting, item);
    if (wait.events.size() > 1 && wait_item.mask == views::EventMaskType::unstated)
      context_.assume(Unstated::mask, item);
    std::string names = event_names(wait.events);
    counted(item, wait_item.counter, [&] { add(item, std::move(names), std::move(wait)); });
  }

  void take(Element item, const views::SemaphoreAccess& use) {
    const auto index = context_.semaphores.find(use.semaphore);
    if (!index || on_device()) {
      context_.ignore(item);
      return;
    }
    const Semaphore& semaphore = context_.system.semaphores[*index];
    UseSemaphore activity{*index, UseSemaphore::Operation::request,
                          semaphore.spinlock || use.waiting == views::Waiting::active};
    if (!semaphore.spinlock && use.operation != views::SemaphoreOperation::release &&
        use.waiting == views::Waiting::unstated)
      context_.assume(Unstated::waiting, item);
    if (use.operation == views::SemaphoreOperation::exclusive) activity.operation = UseSemaphore::Operation::exclusive;
    if (use.operation == views::SemaphoreOperation::release) activity.operation = UseSemaphore::Operation::release;
    add(item, semaphore.name, activity);
  }

  void take(Element item, const views::ModeLabelAccess& access) {
    if (access.access == views::ModeAccess::read) {  // takes no time and has no effect
      for (EventTrigger* trigger : causes(views::EventKind::mode_label, EventAction::read, access.label))
        context_.report_open_event(*trigger, "reads of mode labels", "state write, increment or decrement (eventType)");
      return;
    }
    const auto mode = context_.modes.find(access.label);
    const bool sets = access.access == views::ModeAccess::set;
    const auto value =
        sets ? mode_value(context_, access.label, access.value, access.literal) : std::optional(access.step);
    if (!mode || !value || access.access == views::ModeAccess::unstated) {
      context_.ignore(item);
      return;
    }
    const SetMode set{*mode,
                      sets                                            ? SetMode::Operation::set
                      : access.access == views::ModeAccess::increment ? SetMode::Operation::increment
                                                                      : SetMode::Operation::decrement,
                      *value};
    add(item, context_.system.modes[*mode].name, set);
    occurs(item, views::EventKind::mode_label,
           sets                                            ? EventAction::write
           : access.access == views::ModeAccess::increment ? EventAction::increment
                                                           : EventAction::decrement,
           access.label);
  }

  /// Device tasks have no core.
  void take(Element item, const views::SchedulePoint& point) {
    if (on_device()) return;
    if (context_.system.tasks[task_].preemption == Preemption::non_preemptive)
      context_.assume(Unstated::schedule_point, item);
    counted(item, point.counter, [&] { add(item, "", SchedulePoint{}); });
  }
  void take(Element item, const views::TerminateProcess& end) {
    counted(item, end.counter, [&] { add(item, "", Terminate{}); });
  }

  // ---- branches

  /// The content of one alternative; an empty element for none.
  struct Option {
    Guard guard;
    Element container;
  };

  void take(Element item, const views::Switch& by_mode) {
    std::vector<Option> options;
    bool known = true;
    for (const views::SwitchEntry& entry : by_mode.entries) {
      auto condition = entry.condition ? mode_condition(context_, *entry.condition) : std::nullopt;
      if (!condition)
        note_unknown_condition(context_, item, entry.element, entry.condition ? &*entry.condition : nullptr);
      known = known && condition;
      options.push_back({condition ? Guard(std::move(*condition)) : Guard(Otherwise{}), entry.element});
    }
    if (by_mode.otherwise || !known) options.push_back({Otherwise{}, by_mode.otherwise});
    if (!known) {
      for (Option& option : options) option.guard = Probability{1};
    }
    branch(item, "switch", options, false);
  }

  void take(Element item, const views::ProbabilitySwitch& by_chance) {
    std::vector<Option> options;
    double sum = 0;
    for (const views::ProbabilitySwitchEntry& entry : by_chance.entries) {
      const double weight = entry.probability > 0 ? entry.probability : 0;
      if (!(entry.probability >= 0))
        context_.diagnostics.add("AM0464", Severity::warning,
                                 fmt::format("the probability of an alternative is {}, which the analysis reads as 0; "
                                             "state a probability of 0 or more",
                                             entry.probability),
                                 entry.element.attribute_location("probability"), entry.element.path());
      sum += weight;
      options.push_back({Probability{weight}, entry.element});
    }
    if (!(sum > 0))
      for (Option& option : options) option.guard = Probability{1};
    branch(item, "probability switch", options, false);
  }

  void take(Element item, const views::WhileLoop& loop) {
    auto condition = loop.condition ? mode_condition(context_, *loop.condition) : std::nullopt;
    if (condition) {
      branch(item, "loop", {{std::move(*condition), item}}, true);
      return;
    }
    note_unknown_condition(context_, item, item, loop.condition ? &*loop.condition : nullptr);
    branch(item, "loop", {{Probability{1}, item}, {Probability{1}, {}}}, true);
  }

  void branch(Element item, std::string name, const std::vector<Option>& options, bool repeats) {
    if (options.empty()) return;
    open_branch(item, std::move(name), repeats, [&](Branch& built) {
      for (const Option& option : options) {
        const std::size_t first = body_.size();
        if (option.container) read(option.container);
        built.alternatives.push_back({option.guard, body_.size() - first});
      }
    });
  }

  /// What `fill` adds is executed conditionally.
  template <typename Fill>
  void counted(Element item, const std::optional<views::Counter>& counter, Fill fill) {
    if (!counter || (counter->prescaler <= 1 && counter->offset <= 0)) {
      fill();
      return;
    }
    const EveryNth every{std::max<std::int64_t>(1, counter->prescaler), std::max<std::int64_t>(0, counter->offset)};
    open_branch(item, "counter", false, [&](Branch& built) {
      const std::size_t first = body_.size();
      fill();
      built.alternatives.push_back({every, body_.size() - first});
    });
  }

  /// Adds a branch and, by `fill`, its content.
  template <typename Fill>
  void open_branch(Element item, std::string name, bool repeats, Fill fill) {
    if (on_device()) {
      context_.error("AM0342",
                     fmt::format("{} in device task \"{}\": GPU work cannot depend on modes, probabilities or "
                                 "counters; move it into the task that triggers this one",
                                 item.class_name(), context_.system.tasks[task_].name),
                     item.location(), item.path());
      return;
    }
    const std::size_t index = body_.size();
    add(item, std::move(name), Branch{});
    if (body_.size() == index) return;  // too many
    Branch built;
    built.repeats = repeats;
    fill(built);
    body_[index].activity = std::move(built);
  }

  bool on_device() const { return context_.system.tasks[task_].side == Side::device; }

  /// A runnable with its own condition (since 0.9.4) is executed only while that is true.
  void call(Element item, Element called, std::string_view feature) {
    const auto runnable = context_.required(context_.runnables, called, item, feature);
    if (!runnable) return;
    const std::string& name = context_.system.runnables[*runnable].name;
    const bool calls_itself = std::find(calls_.begin(), calls_.end(), *runnable) != calls_.end();
    if (calls_itself || calls_.size() >= max_call_depth) {
      context_.error(
          "AM0305",
          calls_itself
              ? fmt::format("runnable \"{}\" calls itself, and recursion has no bound; break the cycle", name)
              : fmt::format("the call of runnable \"{}\" is nested more than {} runnables deep; flatten the calls",
                            name, max_call_depth),
          item.location(), item.path());
      return;
    }
    const Element element = context_.runnable_elements[*runnable];
    Diagnostics no_effect;
    const Element condition_element = element.child("executionCondition");
    if (condition_element && !count_bytes(item, own_bytes(condition_element))) return;
    const auto stated = views::condition_of(context_.model, condition_element, no_effect);
    if (!stated) {
      execute(item, *runnable);
      return;
    }
    auto condition = mode_condition(context_, *stated);
    if (!condition) note_unknown_condition(context_, element, element, &*stated);
    open_branch(item, "condition", false, [&](Branch& built) {
      const std::size_t first = body_.size();
      execute(item, *runnable);
      const std::size_t length = body_.size() - first;
      if (condition)
        built.alternatives.push_back({std::move(*condition), length});
      else
        built.alternatives = {{Probability{1}, length}, {Probability{1}, 0}};
    });
  }

  void execute(Element item, RunnableIndex runnable) {
    calls_.push_back(runnable);
    const Element element = context_.runnable_elements[runnable];
    add(item, context_.system.runnables[runnable].name, Call{});
    occurs(item, views::EventKind::runnable, EventAction::start, element);
    read(element);
    occurs(item, views::EventKind::runnable, EventAction::terminate, element);
    calls_.pop_back();
  }

  std::vector<EventIndex> indices_of(Element item, const std::vector<Element>& named) {
    std::vector<EventIndex> events;
    for (const Element event : named)
      if (const auto index = context_.events.find(event)) events.push_back(*index);
    if (events.empty() && (named.empty() || !context_.blocked))
      context_.error("AM0313", fmt::format("{} has no event; reference one in its eventMask", item.class_name()),
                     item.location(), item.path());
    return events;
  }

  std::string event_names(const std::vector<EventIndex>& events) const {
    std::string names;
    for (const EventIndex event : events) names += (names.empty() ? "" : ", ") + context_.system.events[event].name;
    return names;
  }

  /// What so many bytes count.
  bool count_bytes(Element item, std::size_t bytes) {
    context_.weight_of_bytes += bytes / bytes_of_one;
    return count(item, bytes / bytes_of_one);
  }
  /// Counts activities; false, and reported once, if there are too many.
  bool count(Element item, std::size_t activities) {
    total_ += activities;
    const std::size_t most = context_.options.max_activities;
    if (total_ <= most) return true;
    if (!context_.too_many_activities)
      context_.error("AM0317",
                     fmt::format("the tasks have more than {} activities if each call of a runnable counts{}; split "
                                 "the model, replace calls by ticks, or raise --max-activities",
                                 most,
                                 context_.weight_of_bytes == 0
                                     ? ""
                                     : fmt::format(", and each {} bytes of names and content", bytes_of_one)),
                     item.location(), item.path());
    context_.too_many_activities = true;
    return false;
  }

  void add(Element item, std::string name, Activity activity) {
    const std::size_t names = name.size() + context_.system.tasks[task_].name.size() +
                              (calls_.empty() ? 0 : context_.system.runnables[calls_.back()].name.size());
    if (!count_bytes(item, names) || !count(item, 1)) return;
    GraphNode node;
    node.name = std::move(name);
    node.activity = std::move(activity);
    node.task = task_;
    if (!calls_.empty()) node.runnable = calls_.back();
    node.depth = static_cast<std::uint32_t>(calls_.size());
    node.unordered = unordered_;
    node.origin = item.origin();
    body_.push_back(std::move(node));
  }

  BuildContext& context_;
  TaskIndex task_;
  RawBody& body_;
  std::size_t& total_;  // number of activities of all tasks so far
  std::size_t depth_ = 0;
  bool too_deep_ = false;
  std::size_t uninterruptible_ = 0;                     // number of enclosing uninterruptible groups
  std::uint32_t unordered_ = 0, unordered_groups_ = 0;  // GraphNode::unordered, and the greatest so far
  std::vector<RunnableIndex> calls_;
};

bool takes_time(const Ticks& ticks) {
  return (ticks.otherwise && ticks.otherwise->upper > 0) ||
         std::any_of(ticks.extended.begin(), ticks.extended.end(),
                     [](const auto& entry) { return entry.second.upper > 0; });
}

bool accesses_label(const GraphNode& node) {
  return std::holds_alternative<ReadLabel>(node.activity) || std::holds_alternative<WriteLabel>(node.activity);
}

/// Whether the activity takes time or has an effect. Calls, branches etc. only lead to such activities.
bool does_something(const GraphNode& node) {
  if (const auto* compute = std::get_if<Compute>(&node.activity)) return takes_time(compute->ticks);
  return !std::holds_alternative<Call>(node.activity) && !std::holds_alternative<Branch>(node.activity) &&
         !std::holds_alternative<Uninterruptible>(node.activity) &&
         !std::holds_alternative<SchedulePoint>(node.activity) && !std::holds_alternative<Terminate>(node.activity);
}

bool executes_instructions(const BuildContext& context, RunnableIndex runnable) {
  return custom_property(context.runnable_elements[runnable], "gpu.instructions").has_value();
}

/// Tasks and runnables without activities are stubs that lack their content.
void report_empty(BuildContext& context) {
  std::vector<bool> called(context.system.runnables.size(), false);
  for (TaskIndex task = 0; task < context.system.tasks.size(); ++task) {
    bool does = false, computes = false, accesses = false;
    for (const GraphNode& node : context.raw_bodies[task]) {
      const bool instructions = node.runnable && executes_instructions(context, *node.runnable);
      const auto* compute = std::get_if<Compute>(&node.activity);
      does = does || does_something(node) || instructions;
      computes = computes || instructions || (compute != nullptr && takes_time(compute->ticks));
      accesses = accesses || accesses_label(node);
      if (node.runnable) called[*node.runnable] = true;
    }
    // Copies of device tasks are work. Software that accesses labels on a core also executes something.
    const bool only_accesses = accesses && !computes && context.system.tasks[task].side == Side::host;
    if ((does && !only_accesses) || context.with_open_needs.contains(task)) continue;
    const Element element = context.task_elements[task];
    context.diagnostics.add(
        "AM0440", Severity::warning,
        fmt::format("{} \"{}\" executes nothing{}, so its execution time is missing from all results; state its ticks",
                    element.is("ISR") ? "ISR" : "task", element.name(), only_accesses ? " but label accesses" : ""),
        element.location(), element.path());
  }
  std::vector<Origin> empty;
  for (RunnableIndex runnable = 0; runnable < called.size(); ++runnable)
    if (called[runnable] && items_of(context.runnable_elements[runnable]).empty() &&
        !executes_instructions(context, runnable))
      empty.push_back(context.runnable_elements[runnable].origin());
  if (empty.empty()) return;
  const Element first = context.model.element(empty.front());
  const std::size_t count = empty.size();
  context.diagnostics.add(
      "AM0441", Severity::warning,
      fmt::format("{}, so execution time is missing from all results; state what {}",
                  count == 1 ? fmt::format("runnable \"{}\" is called, but it executes nothing", first.name())
                             : fmt::format("{} runnables are called, but execute nothing (the first is \"{}\")", count,
                                           first.name()),
                  count == 1 ? "it executes, or remove the calls" : "they execute, or remove the calls"),
      first.location(), first.path(), count, std::move(empty));
}

}  // namespace

void report_events_for_all(BuildContext& context) {
  std::vector<std::set<TaskIndex>> waiting(context.system.events.size());
  for (const RawBody& body : context.raw_bodies)
    for (const GraphNode& node : body)
      if (const auto* wait = std::get_if<WaitEvents>(&node.activity))
        for (const EventIndex event : wait->events) waiting[event].insert(node.task);
  std::set<std::pair<std::uint32_t, std::uint32_t>> reported;
  for (const RawBody& body : context.raw_bodies)
    for (const GraphNode& node : body) {
      const auto* set = std::get_if<SetEvents>(&node.activity);
      if (set == nullptr || set->task) continue;
      for (const EventIndex event : set->events) {
        if (waiting[event].size() < 2 || !reported.insert({node.origin.document, node.origin.element}).second) continue;
        const Element item = context.model.element(node.origin);
        context.diagnostics.add(
            "AM0528", Severity::warning,
            fmt::format("this SetEvent does not state for which task it sets \"{}\", and {} tasks wait for it; the "
                        "analysis sets it for all of them; state the process",
                        context.system.events[event].name, waiting[event].size()),
            item.location(), item.path());
      }
    }
}

void build_raw_bodies(BuildContext& context) {
  context.raw_bodies.resize(context.system.tasks.size());
  std::size_t total = 0;
  for (TaskIndex task = 0; task < context.system.tasks.size(); ++task)
    BodyReader(context, task, context.raw_bodies[task], total).read(context.task_elements[task]);
  if (!context.blocked) report_empty(context);
}

}  // namespace amalthea::importer::detail
