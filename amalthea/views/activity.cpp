// SPDX-License-Identifier: Apache-2.0
#include "amalthea/views/activity.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "amalthea/diagnostic.hpp"
#include "amalthea/views/detail/reading.hpp"
#include "amalthea/views/quantities.hpp"

namespace amalthea {
namespace {

bool holds_items(std::string_view tag) {
  constexpr std::array<std::string_view, 6> tags{"items", "runnableItems", "graphEntries",
                                                 "calls", "runnableItem",  "runnableCalls"};
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

void collect_items(Element container, std::vector<Element>& found) {
  for (const Element child : container.children()) {
    const std::string_view tag = child.tag();
    if (holds_items(tag)) {
      // DeviationRunnableItem and ProbabilityRunnableItem (0.7.x) contain at most one item, and are not items
      // themselves.
      if (const Element wrapped = child.child("runnableItem"))
        found.push_back(wrapped);
      else if (!child.is("DeviationRunnableItem") && !child.is("ProbabilityRunnableItem"))
        found.push_back(child);
    } else if (tag == "activityGraph" || tag == "callGraph") {
      collect_items(child, found);
    }
  }
}

}  // namespace

std::vector<Element> items_of(Element container) {
  std::vector<Element> found;
  collect_items(container, found);
  return found;
}

namespace views {
namespace {

constexpr detail::Literals<Waiting, 2> waitings{{{"active", Waiting::active}, {"passive", Waiting::passive}}};
constexpr detail::Literals<Access, 2> accesses{{{"read", Access::read}, {"write", Access::write}}};
/// "write" up to 0.9.3.
constexpr detail::Literals<ModeAccess, 5> mode_accesses{{{"read", ModeAccess::read},
                                                         {"set", ModeAccess::set},
                                                         {"write", ModeAccess::set},
                                                         {"increment", ModeAccess::increment},
                                                         {"decrement", ModeAccess::decrement}}};
constexpr detail::Literals<SemaphoreOperation, 3> semaphore_operations{{{"request", SemaphoreOperation::request},
                                                                        {"exclusive", SemaphoreOperation::exclusive},
                                                                        {"release", SemaphoreOperation::release}}};
constexpr detail::Literals<EventMaskType, 2> masks{{{"AND", EventMaskType::all}, {"OR", EventMaskType::any}}};
/// Reads items of one model; one function for each kind.
class ItemReader {
 public:
  ItemReader(const Model& model, Element item, Diagnostics& diagnostics)
      : model_(model), item_(item), diagnostics_(diagnostics) {}

  ActivityItem::Kind group() const {
    const bool old = item_.document().version() <= Version::v0_7_1;  // where `ordered` defaults to false
    return Group{item_.name(), detail::flag(item_, "ordered", !old || item_.is("CallSequence")),
                 detail::flag(item_, "interruptible", true)};
  }

  ActivityItem::Kind mode_switch() const {
    Switch read;
    for (const Element entry : item_.children()) {
      if (entry.tag() != "defaultEntry" && entry.tag() != "entries") continue;
      // In 0.7.0 the default is an entry like the others, with a flag; the first of several counts.
      if (!read.otherwise && (entry.tag() == "defaultEntry" || detail::flag(entry, "default", false)))
        read.otherwise = entry;
      else
        read.entries.push_back({entry, entry_condition(entry)});
    }
    return read;
  }

  ActivityItem::Kind probability_switch() const {
    ProbabilitySwitch read;
    for (const Element entry : item_.children())
      if (entry.tag() == "entries" || (entry.tag() == "items" && item_.is("ProbabilityGroup")))
        read.entries.push_back({entry, detail::number(entry, "probability", diagnostics_).value_or(0)});
    return read;
  }

  ActivityItem::Kind loop() const { return WhileLoop{condition_of(model_, item_.child("condition"), diagnostics_)}; }

  ActivityItem::Kind runnable_call() const {
    RunnableCall read;
    read.runnable = target("runnable");
    for (const Element child : item_.children("context")) check_value_source(child.child("valueSource"), diagnostics_);
    if (const Element statistic = item_.child("statistic")) read.statistic = statistic_of(statistic.child("statistic"));
    read.counter = counter();
    return read;
  }

  ActivityItem::Kind label_access() const {
    LabelAccess read;
    read.label = target("data");
    read.access = detail::literal(item_, "access", accesses, Access::unstated);
    if (const Element statistic = item_.child("statistic")) {
      read.statistic = statistic_of(statistic.child("value"));
      statistic_of(statistic.child("cacheMisses"));
    }
    read.transmission = transmission();
    return read;
  }

  ActivityItem::Kind mode_label_access() const {
    ModeLabelAccess read;
    read.label = target("data");
    read.access = detail::literal(item_, "access", mode_accesses, ModeAccess::unstated);
    if (const Element literal = target("modeValue")) {
      read.literal = literal;
      read.value = literal.name();
    } else {
      read.value = item_.attribute_or("value", "");
      read.literal = literal_named(model_, read.label, read.value);
    }
    read.step = integer("step", 1);
    return read;
  }

  ActivityItem::Kind channel_send() const {
    integer("elements", 0);
    transmission();
    return ChannelSend{target("data")};
  }

  ActivityItem::Kind channel_receive() const {
    for (const std::string_view count : {"elements", "elementIndex", "lowerBound"}) integer(count, 0);
    transmission();
    return ChannelReceive{target("data")};
  }

  ActivityItem::Kind ticks() const {
    Ticks read;
    read.otherwise = deviation(item_.child("default"));
    for (const Element entry : item_.children())
      if (entry.tag() == "extended")
        read.extended.emplace_back(model_.reference(entry, "key"), deviation(entry.child("value")));
    return read;
  }

  /// ExecutionNeed: `default` (0.9.0 – 0.9.2) or `needs`, keyed by text; `extended` keyed by definition.
  ActivityItem::Kind execution_need() const {
    ExecutionNeed read;
    for (const Element child : item_.children()) {
      if (child.tag() == "needs" || child.tag() == "default") {
        read.needs.push_back(need(child));
      } else if (child.tag() == "extended") {
        std::vector<Need> needs;
        for (const Element value : child.children())
          if (value.tag() == "value") needs.push_back(need(value));
        read.extended.emplace_back(model_.reference(child, "key"), std::move(needs));
      }
    }
    return read;
  }

  /// RunnableInstructions: `default`, and `extended` by core type.
  ActivityItem::Kind runnable_instructions() const {
    ExecutionNeed read;
    if (const Element otherwise = item_.child("default")) read.needs.push_back(instructions(otherwise));
    for (const Element child : item_.children()) {
      if (child.tag() != "extended") continue;
      std::vector<Need> needs;
      if (const Element value = child.child("value")) needs.push_back(instructions(value));
      read.extended.emplace_back(model_.reference(child, "key"), std::move(needs));
    }
    return read;
  }

  /// InstructionsConstant and InstructionsDeviation, items themselves in 0.7.0 and 0.7.1.
  ActivityItem::Kind bare_instructions() const { return ExecutionNeed{{instructions(item_)}, {}}; }

  ActivityItem::Kind semaphore_access() const {
    return SemaphoreAccess{target("semaphore"),
                           detail::literal(item_, "access", semaphore_operations, SemaphoreOperation::unstated),
                           waiting()};
  }

  ActivityItem::Kind set_event() const { return SetEvent{events(), target("process"), counter()}; }
  ActivityItem::Kind clear_event() const { return ClearEvent{events(), counter()}; }
  ActivityItem::Kind wait_event() const {
    return WaitEvent{events(), detail::literal(item_, "maskType", masks, EventMaskType::unstated), waiting(),
                     counter()};
  }

  ActivityItem::Kind trigger() const { return InterProcessTrigger{target("stimulus"), counter()}; }
  ActivityItem::Kind custom_event() const { return CustomEventTrigger{target("event")}; }
  ActivityItem::Kind schedule_point() const { return SchedulePoint{counter()}; }
  ActivityItem::Kind terminate() const { return TerminateProcess{counter()}; }
  ActivityItem::Kind migration() const {
    counter();
    return EnforcedMigration{};
  }

  ActivityItem::Kind receiver_read() const { return SenderReceiverRead{target("label")}; }
  ActivityItem::Kind sender_write() const { return SenderReceiverWrite{target("label")}; }
  ActivityItem::Kind synchronous_call() const { return SynchronousServerCall{target("serverRunnable")}; }
  ActivityItem::Kind asynchronous_call() const {
    return AsynchronousServerCall{target("serverRunnable"), target("resultRunnable")};
  }
  ActivityItem::Kind result_call() const { return GetResultServerCall{}; }

  ActivityItem::Kind local_mode() const {
    check_value_source(item_.child("valueSource"), diagnostics_);
    return LocalModeAssignment{};
  }
  ActivityItem::Kind mode_assignment() const { return ModeLabelAssignment{}; }

 private:
  Element target(std::string_view feature) const { return model_.reference(item_, feature); }
  std::int64_t integer(std::string_view attribute, std::int64_t otherwise) const {
    return detail::integer(item_, attribute, diagnostics_).value_or(otherwise);
  }
  std::optional<Deviation<std::int64_t>> deviation(Element element) const {
    return deviation_of<std::int64_t>(element, diagnostics_);
  }
  Waiting waiting() const { return detail::literal(item_, "waitingBehaviour", waitings, Waiting::unstated); }
  std::vector<Element> events() const {
    const Element mask = item_.child("eventMask");
    return mask ? model_.references(mask, "events") : std::vector<Element>{};
  }
  std::optional<Counter> counter() const { return counter_of(item_, diagnostics_); }

  Need instructions(Element element) const { return {element, "Instructions", deviation(element)}; }
  Need need(Element entry) const { return {entry, key_of(entry), deviation(entry.child("value"))}; }

  /// In 0.9.0 the key may be written like a reference, "Instructions?type=HwFeatureCategory", or as one to another
  /// file.
  static std::string_view key_of(Element entry) {
    std::string_view key = entry.attribute_or("key", "");
    if (const Element child = entry.child("key"); key.empty() && child) {
      key = child.attribute_or("href", "");
      key.remove_prefix(std::min(key.size(), key.find('#') + 1));
    }
    return key.substr(0, std::min(key.find("?type="), key.find("%3Ftype")));
  }

  /// The transmission policy, if its chunks take time, or more than the data is transmitted. All of it is checked for
  /// readability.
  Element transmission() const {
    const Element policy = item_.child("transmissionPolicy");
    if (!policy) return {};
    data_size_of(policy.child("chunkSize"), diagnostics_);
    const bool in_instructions = policy.attribute("chunkProcessingInstructions").has_value();
    const auto time =
        detail::integer(policy, in_instructions ? "chunkProcessingInstructions" : "chunkProcessingTicks", diagnostics_);
    const auto ratio = detail::number(policy, "transmitRatio", diagnostics_);
    return time.value_or(0) > 0 || ratio.value_or(1) > 1 ? policy : Element{};
  }

  std::optional<Statistic> statistic_of(Element element) const {
    if (!element) return std::nullopt;
    Statistic statistic;
    statistic.element = element;
    if (element.is("MinAvgMaxStatistic")) {
      statistic.average = detail::number(element, "avg", diagnostics_).value_or(0);
      statistic.least = detail::integer(element, "min", diagnostics_).value_or(0);
      statistic.largest = detail::integer(element, "max", diagnostics_).value_or(0);
    } else {
      statistic.average = detail::number(element, "value", diagnostics_).value_or(0);
    }
    return statistic;
  }

  std::optional<Condition> entry_condition(Element entry) const {
    if (const Element condition = entry.child("condition")) return condition_of(model_, condition, diagnostics_);
    // Up to 0.8.2 the switch names the label, and the entry its literals: `value` in 0.7.0, then `values`.
    auto literals = model_.references(entry, "values");
    if (literals.empty()) literals = model_.references(entry, "value");
    if (!literals.empty()) return any_literal(entry, target("valueProvider"), literals);
    // Before 0.7.0: a switch on the value of a label.
    const auto value = entry.attribute("value");
    if (!value || !target("label")) return std::nullopt;
    return Condition{entry, {{entry, {{entry, ModeValueCondition{target("label"), Relation::equal, *value, {}}}}}}};
  }

  const Model& model_;
  Element item_;
  Diagnostics& diagnostics_;
};

using Read = ActivityItem::Kind (ItemReader::*)() const;
/// Every concrete class of item of any version.
constexpr std::array<std::pair<std::string_view, Read>, 38> readers{{
    {"LabelAccess", &ItemReader::label_access},
    {"RunnableCall", &ItemReader::runnable_call},
    {"Ticks", &ItemReader::ticks},
    {"Group", &ItemReader::group},
    {"CallSequence", &ItemReader::group},
    {"TaskRunnableCall", &ItemReader::runnable_call},
    {"RunnableInstructions", &ItemReader::runnable_instructions},
    {"InstructionsConstant", &ItemReader::bare_instructions},
    {"InstructionsDeviation", &ItemReader::bare_instructions},
    {"ExecutionNeed", &ItemReader::execution_need},
    {"Switch", &ItemReader::mode_switch},
    {"ModeSwitch", &ItemReader::mode_switch},
    {"RunnableModeSwitch", &ItemReader::mode_switch},
    {"ProbabilitySwitch", &ItemReader::probability_switch},
    {"ProbabiltitySwitch", &ItemReader::probability_switch},
    {"RunnableProbabilitySwitch", &ItemReader::probability_switch},
    {"ProbabilityGroup", &ItemReader::probability_switch},
    {"WhileLoop", &ItemReader::loop},
    {"ModeLabelAccess", &ItemReader::mode_label_access},
    {"ChannelSend", &ItemReader::channel_send},
    {"ChannelReceive", &ItemReader::channel_receive},
    {"SemaphoreAccess", &ItemReader::semaphore_access},
    {"SetEvent", &ItemReader::set_event},
    {"ClearEvent", &ItemReader::clear_event},
    {"WaitEvent", &ItemReader::wait_event},
    {"InterProcessTrigger", &ItemReader::trigger},
    {"InterProcessActivation", &ItemReader::trigger},
    {"CustomEventTrigger", &ItemReader::custom_event},
    {"SchedulePoint", &ItemReader::schedule_point},
    {"TerminateProcess", &ItemReader::terminate},
    {"EnforcedMigration", &ItemReader::migration},
    {"SenderReceiverRead", &ItemReader::receiver_read},
    {"SenderReceiverWrite", &ItemReader::sender_write},
    {"SynchronousServerCall", &ItemReader::synchronous_call},
    {"AsynchronousServerCall", &ItemReader::asynchronous_call},
    {"GetResultServerCall", &ItemReader::result_call},
    {"LocalModeLabelAssignment", &ItemReader::local_mode},
    {"ModeLabelAssignment", &ItemReader::mode_assignment},
}};

}  // namespace

std::optional<Counter> counter_of(Element holder, Diagnostics& diagnostics) {
  const Element element = holder.child("counter");
  if (!element) return std::nullopt;
  return Counter{element, detail::integer(element, "prescaler", diagnostics).value_or(1),
                 detail::integer(element, "offset", diagnostics).value_or(0)};
}

ActivityItem activity_item(const Model& model, Element item, Diagnostics& diagnostics) {
  for (const auto& [name, read] : readers)
    if (name == item.class_name()) return {item, (ItemReader(model, item, diagnostics).*read)()};
  return {item, UnknownItem{}};
}

std::vector<ActivityItem> activity_items(const Model& model, Element container, Diagnostics& diagnostics) {
  std::vector<ActivityItem> found;
  for (const Element item : items_of(container)) found.push_back(activity_item(model, item, diagnostics));
  return found;
}

std::vector<Element> containers_of(const ActivityItem& item) {
  if (std::holds_alternative<Group>(item.kind) || std::holds_alternative<WhileLoop>(item.kind)) return {item.element};
  std::vector<Element> found;
  if (const auto* by_mode = std::get_if<Switch>(&item.kind)) {
    for (const SwitchEntry& entry : by_mode->entries) found.push_back(entry.element);
    if (by_mode->otherwise) found.push_back(by_mode->otherwise);
  } else if (const auto* by_chance = std::get_if<ProbabilitySwitch>(&item.kind)) {
    for (const ProbabilitySwitchEntry& entry : by_chance->entries) found.push_back(entry.element);
  }
  return found;
}

std::optional<Deviation<std::int64_t>> repetition_of(Element item, Diagnostics& diagnostics) {
  if (item.tag() != "runnableItem" || !item.parent()) return std::nullopt;
  return deviation_of<std::int64_t>(item.parent().child("deviation"), diagnostics);
}

std::optional<Cycles> cycles_of_instructions(const Cycles& instructions, double instructions_per_cycle) {
  if (!(instructions_per_cycle > 0) || !std::isfinite(instructions_per_cycle)) return std::nullopt;
  const auto bounded = [](double cycles) {
    constexpr double most = 9.2e18;
    return static_cast<std::int64_t>(std::min(cycles, most));
  };
  const auto cycles = [&](std::int64_t count) { return static_cast<double>(count) / instructions_per_cycle; };
  return Cycles{bounded(std::floor(cycles(instructions.lower))), bounded(std::round(cycles(instructions.average))),
                bounded(std::ceil(cycles(instructions.upper))), scaled(instructions.shape, 1 / instructions_per_cycle)};
}

std::optional<Deviation<std::int64_t>> instructions_on(const ExecutionNeed& need, Element definition) {
  const auto of = [](const std::vector<Need>& needs) -> std::optional<Deviation<std::int64_t>> {
    for (const Need& one : needs)
      if (one.key == "Instructions" && one.amount) return one.amount;
    return std::nullopt;
  };
  if (definition)
    for (const auto& [key, needs] : need.extended)
      if (key == definition)
        if (auto found = of(needs)) return found;
  return of(need.needs);
}

}  // namespace views
}  // namespace amalthea
