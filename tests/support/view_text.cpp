// SPDX-License-Identifier: Apache-2.0
#include "tests/support/view_text.hpp"

#include <optional>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "amalthea/views/constraints.hpp"
#include "amalthea/views/event_chains.hpp"
#include "amalthea/views/requirements.hpp"
#include "amalthea/views/software.hpp"

using namespace amalthea;

namespace test {
namespace {

std::string name_of(Element element) { return element ? fmt::format("{}", element.name()) : "-"; }

std::string names_of(const std::vector<Element>& elements) {
  std::string text;
  for (const Element element : elements) text += fmt::format("{}{}", text.empty() ? "" : " ", name_of(element));
  return fmt::format("[{}]", text);
}

std::string value_text(std::int64_t value) { return fmt::format("{}", value); }
std::string value_text(double value) { return fmt::format("{}", value); }
std::string value_text(Duration value) { return format_duration(value); }

std::string maybe(const std::optional<Duration>& time) { return time ? format_duration(*time) : "-"; }

template <typename T>
std::string deviation_text(const views::Deviation<T>& deviation) {
  static constexpr const char* kinds[] = {"none",    "constant", "histogram", "boundaries", "statistics",
                                          "uniform", "gauss",    "weibull",   "weibull2",   "beta"};
  const auto reading = views::reading_of(deviation);
  return fmt::format("{}..{}..{} {}", value_text(reading.lower), value_text(reading.average), value_text(reading.upper),
                     kinds[deviation.distribution.index()]);
}

template <typename T>
std::string maybe(const std::optional<views::Deviation<T>>& deviation) {
  return deviation ? deviation_text(*deviation) : "-";
}

const char* relation_text(std::optional<Relation> relation) {
  static constexpr const char* texts[] = {"==", "!=", "<", "<=", ">", ">="};
  return relation ? texts[static_cast<int>(*relation)] : "?";
}

struct SimpleText {
  std::string operator()(const views::UnknownCondition&) const { return "unknown"; }
  std::string operator()(const views::ModeValueCondition& c) const {
    return fmt::format("{} {} {}{}", name_of(c.label), relation_text(c.relation), c.value,
                       c.literal ? "" : " (number)");
  }
  std::string operator()(const views::ModeLabelCondition& c) const {
    return fmt::format("{} {} {}", name_of(c.first), relation_text(c.relation), name_of(c.second));
  }
  std::string operator()(const views::ChannelFillCondition&) const { return "fill"; }
  std::string operator()(const views::LocalModeCondition&) const { return "local"; }
};

std::string counter_text(const std::optional<views::Counter>& counter) {
  return counter ? fmt::format(" every {} from {}", counter->prescaler, counter->offset) : "";
}
std::string statistic_text(const std::optional<views::Statistic>& statistic) {
  if (!statistic) return "";
  return statistic->least ? fmt::format(" x {}..{}..{}", *statistic->least, statistic->average, *statistic->largest)
                          : fmt::format(" x {}", statistic->average);
}
const char* waiting_text(views::Waiting waiting) {
  static constexpr const char* texts[] = {"", " active", " passive"};
  return texts[static_cast<int>(waiting)];
}

struct ItemText {
  std::string operator()(const views::UnknownItem&) const { return "unknown"; }
  std::string operator()(const views::Group& g) const {
    return fmt::format("group{}{}", g.ordered ? "" : " unordered", g.interruptible ? "" : " uninterruptible");
  }
  std::string operator()(const views::Switch& s) const {
    return fmt::format("switch of {}{}", s.entries.size(), s.otherwise ? " with default" : "");
  }
  std::string operator()(const views::ProbabilitySwitch& s) const {
    std::string text = "chance";
    for (const auto& entry : s.entries) text += fmt::format(" {}", entry.probability);
    return text;
  }
  std::string operator()(const views::WhileLoop& w) const {
    return fmt::format("while {}", w.condition ? text_of(*w.condition) : "-");
  }
  std::string operator()(const views::RunnableCall& c) const {
    return fmt::format("call {}{}{}", name_of(c.runnable), statistic_text(c.statistic), counter_text(c.counter));
  }
  std::string operator()(const views::LabelAccess& a) const {
    static constexpr const char* accesses[] = {"access", "read", "write"};
    return fmt::format("{} {}{}{}", accesses[static_cast<int>(a.access)], name_of(a.label), statistic_text(a.statistic),
                       a.transmission ? " in chunks" : "");
  }
  std::string operator()(const views::ModeLabelAccess& a) const {
    static constexpr const char* accesses[] = {"access", "read", "set", "increment", "decrement"};
    return fmt::format("mode {} {} {} {}", accesses[static_cast<int>(a.access)], name_of(a.label), a.value, a.step);
  }
  std::string operator()(const views::ChannelSend& s) const { return fmt::format("send {}", name_of(s.channel)); }
  std::string operator()(const views::ChannelReceive& r) const { return fmt::format("receive {}", name_of(r.channel)); }
  std::string operator()(const views::Ticks& t) const {
    std::string text = fmt::format("ticks {}", maybe(t.otherwise));
    for (const auto& [definition, value] : t.extended)
      text += fmt::format("; {}: {}", name_of(definition), maybe(value));
    return text;
  }
  std::string operator()(const views::ExecutionNeed& n) const {
    std::string text = "need";
    for (const auto& need : n.needs) text += fmt::format(" {} {}", need.key, maybe(need.amount));
    for (const auto& [definition, needs] : n.extended) {
      text += fmt::format("; {}:", name_of(definition));
      for (const auto& need : needs) text += fmt::format(" {} {}", need.key, maybe(need.amount));
    }
    return text;
  }
  std::string operator()(const views::SemaphoreAccess& a) const {
    static constexpr const char* operations[] = {"access", "request", "exclusive", "release"};
    return fmt::format("semaphore {} {}{}", operations[static_cast<int>(a.operation)], name_of(a.semaphore),
                       waiting_text(a.waiting));
  }
  std::string operator()(const views::SetEvent& e) const {
    return fmt::format("set {} for {}{}", names_of(e.events), name_of(e.process), counter_text(e.counter));
  }
  std::string operator()(const views::ClearEvent& e) const {
    return fmt::format("clear {}{}", names_of(e.events), counter_text(e.counter));
  }
  std::string operator()(const views::WaitEvent& e) const {
    static constexpr const char* masks[] = {"", " all", " any"};
    return fmt::format("wait {}{}{}{}", names_of(e.events), masks[static_cast<int>(e.mask)], waiting_text(e.waiting),
                       counter_text(e.counter));
  }
  std::string operator()(const views::InterProcessTrigger& t) const {
    return fmt::format("trigger {}{}", name_of(t.stimulus), counter_text(t.counter));
  }
  std::string operator()(const views::CustomEventTrigger& t) const {
    return std::string("custom event ").append(name_of(t.event));
  }
  std::string operator()(const views::SchedulePoint& p) const {
    return std::string("schedule point").append(counter_text(p.counter));
  }
  std::string operator()(const views::TerminateProcess& p) const {
    return std::string("terminate").append(counter_text(p.counter));
  }
  std::string operator()(const views::EnforcedMigration&) const { return "migrate"; }
  std::string operator()(const views::SenderReceiverRead& r) const {
    return fmt::format("receive from {}", name_of(r.label));
  }
  std::string operator()(const views::SenderReceiverWrite& w) const {
    return fmt::format("send to {}", name_of(w.label));
  }
  std::string operator()(const views::SynchronousServerCall& c) const {
    return fmt::format("server call {}", name_of(c.runnable));
  }
  std::string operator()(const views::AsynchronousServerCall& c) const {
    return fmt::format("asynchronous server call {} result {}", name_of(c.runnable), name_of(c.result_runnable));
  }
  std::string operator()(const views::GetResultServerCall&) const { return "result"; }
  std::string operator()(const views::LocalModeAssignment&) const { return "local"; }
  std::string operator()(const views::ModeLabelAssignment&) const { return "local from mode label"; }
};

struct StimulusText {
  std::string operator()(const views::UnknownStimulus&) const { return "unknown"; }
  std::string operator()(const views::PeriodicStimulus& s) const {
    return fmt::format("periodic {} + {} jitter {} distance {}{}", maybe(s.recurrence), maybe(s.offset),
                       maybe(s.jitter), maybe(s.minimum_distance),
                       s.clock ? fmt::format(" clock {}", name_of(s.clock)) : "");
  }
  std::string operator()(const views::RelativePeriodicStimulus& s) const {
    return fmt::format("relative {} + {}", maybe(s.next_occurrence), maybe(s.offset));
  }
  std::string operator()(const views::VariableRateStimulus& s) const {
    return fmt::format("variable {} per {} up {} down {} scenario {}", maybe(s.occurrences_per_step), maybe(s.step),
                       s.largest_increase_per_step.value_or(-1), s.largest_decrease_per_step.value_or(-1),
                       s.scenario
                           ? fmt::format("{} {} {} {}", name_of(s.scenario->clock), maybe(s.scenario->recurrence),
                                         s.scenario->sampling_offset, s.scenario->sampling_recurrence)
                           : "-");
  }
  std::string operator()(const views::PeriodicSyntheticStimulus& s) const {
    std::string text = fmt::format("synthetic {} + {}", maybe(s.recurrence), maybe(s.offset));
    for (const Duration at : s.occurrences) text += fmt::format(" at {}", format_duration(at));
    return text;
  }
  std::string operator()(const views::PeriodicBurstStimulus& s) const {
    return fmt::format("burst {} + {} length {} distance {} count {}", maybe(s.recurrence), maybe(s.offset),
                       maybe(s.burst_length), maybe(s.minimum_distance), s.occurrences);
  }
  std::string operator()(const views::SingleStimulus& s) const {
    return std::string("single ").append(maybe(s.occurrence));
  }
  std::string operator()(const views::InterProcessStimulus& s) const {
    return std::string("inter-process").append(counter_text(s.counter));
  }
  std::string operator()(const views::EventStimulus& s) const {
    return fmt::format("events {}{}", names_of(s.events), counter_text(s.counter));
  }
  std::string operator()(const views::PeriodicEventStimulus&) const { return "periodic event"; }
  std::string operator()(const views::ArrivalCurveStimulus& s) const {
    std::string text = "arrivals";
    for (const auto& entry : s.entries)
      text += fmt::format(" {} in {}..{}", entry.occurrences, maybe(entry.lower), maybe(entry.upper));
    return text;
  }
  std::string operator()(const views::CustomStimulus&) const { return "custom"; }
};

std::string group_text(const views::EntityGroup& group) {
  return names_of(group.members) + (group.tag ? fmt::format(" tag {}", name_of(group.tag)) : "") +
         (group.process_scope.empty() ? "" : fmt::format(" in {}", names_of(group.process_scope)));
}

void chain_text(const Model& model, Element element, Diagnostics& diagnostics, int level, std::string& text) {
  const auto chain = views::event_chain_of(model, element, diagnostics);
  text += fmt::format("{:{}}chain {}: {} -> {}\n", "", 2 * level, level == 0 ? name_of(element) : "",
                      name_of(chain.stimulus), name_of(chain.response));
  for (const auto& item : chain.items) {
    text += fmt::format("{:{}}{}{}\n", "", 2 * level + 2,
                        item.arrangement == views::ChainArrangement::parallel ? "beside" : "then",
                        item.reference ? fmt::format(" {}", name_of(item.chain)) : "");
    if (!item.reference && item.chain) chain_text(model, item.chain, diagnostics, level + 2, text);
  }
}

struct LimitText {
  std::string operator()(const views::NoLimit&) const { return "no limit"; }
  std::string operator()(const views::TimeLimit& l) const {
    return fmt::format("time {} {}", l.metric ? to_string(*l.metric) : "-", maybe(l.value));
  }
  std::string operator()(const views::CpuPercentageLimit& l) const {
    return fmt::format("{} {} of {}", l.metric, l.value, name_of(l.hardware));
  }
  std::string operator()(const views::CountLimit& l) const { return fmt::format("{} {}", l.metric, l.value); }
  std::string operator()(const views::PercentageLimit& l) const { return fmt::format("{} {} %", l.metric, l.value); }
  std::string operator()(const views::FrequencyLimit& l) const {
    return fmt::format("{} {} Hz", l.metric, l.hertz.value_or(-1));
  }
};

struct TimingText {
  std::string operator()(const views::UnknownConstraint&) const { return "unknown"; }
  std::string operator()(const views::LatencyConstraint& c) const {
    static constexpr const char* types[] = {"latency", "age", "reaction"};
    return fmt::format("{} of {} {}..{}", types[static_cast<int>(c.type)], name_of(c.chain), maybe(c.minimum),
                       maybe(c.maximum));
  }
  std::string operator()(const views::DelayConstraint& c) const {
    return fmt::format("delay {} -> {} {}..{} {}", name_of(c.source), name_of(c.target), maybe(c.lower), maybe(c.upper),
                       c.mapping);
  }
  std::string operator()(const views::OrderConstraint& c) const {
    return fmt::format("order {} -> {}", name_of(c.source), name_of(c.target));
  }
  std::string operator()(const views::RepetitionConstraint& c) const {
    return fmt::format("repetition of {} span {} {}..{} jitter {} period {}", name_of(c.event), c.span, maybe(c.lower),
                       maybe(c.upper), maybe(c.jitter), maybe(c.period));
  }
  std::string operator()(const views::SynchronizationConstraint& c) const {
    return fmt::format("synchronization {}{} {} {} {}", names_of(c.events), names_of(c.chains), c.type,
                       maybe(c.tolerance), c.multiple_occurrences_allowed);
  }
};

}  // namespace

std::string text_of(const views::Deviation<std::int64_t>& deviation) { return deviation_text(deviation); }
std::string text_of(const views::Deviation<double>& deviation) { return deviation_text(deviation); }
std::string text_of(const views::Deviation<Duration>& deviation) { return deviation_text(deviation); }

std::string text_of(const views::Condition& condition) {
  std::string text;
  for (const auto& conjunction : condition.any_of) {
    if (!text.empty()) text += " || ";
    bool first = true;
    for (const auto& part : conjunction.all_of) {
      if (!first) text += " && ";
      text += std::visit(SimpleText{}, part.test);
      first = false;
    }
  }
  return text;
}

std::string text_of(const views::ActivityItem& item) { return std::visit(ItemText{}, item.kind); }

std::string text_of(const views::Stimulus& stimulus) {
  std::string text = std::visit(StimulusText{}, stimulus.kind);
  for (const auto& assignment : stimulus.sets)
    text += fmt::format(" set {} = {}", name_of(assignment.label), assignment.value);
  if (stimulus.enabling) text += fmt::format(" if {}", text_of(*stimulus.enabling));
  if (stimulus.disabling) text += fmt::format(" unless {}", text_of(*stimulus.disabling));
  return text;
}

std::string text_of(const views::Event& event) {
  return fmt::format("{} {} {} of {} runnable {} process {}", static_cast<int>(event.kind), event.name,
                     event.kind == views::EventKind::custom ? event.type_text : to_string(event.type),
                     name_of(event.entity), name_of(event.runnable), name_of(event.process));
}

std::vector<views::Event> events_of(const Model& model) {
  std::vector<views::Event> found;
  for (const Element event : model.all("eventModel", "events")) found.push_back(views::event_of(model, event));
  for (const Element traced : model.all("configModel", "eventsToTrace"))  // 0.7.0 and 0.7.1 keep it there
    if (const Element event = traced.child("event")) found.push_back(views::event_of(model, event));
  return found;
}

std::string items_text(const Model& model, Element container, Diagnostics& diagnostics, int level) {
  std::string text;
  for (const auto& item : views::activity_items(model, container, diagnostics)) {
    text += fmt::format("{:{}}{}\n", "", 2 * level, text_of(item));
    const auto* by_mode = std::get_if<views::Switch>(&item.kind);
    std::size_t entry = 0;
    for (const Element inner : views::containers_of(item)) {
      if (inner != item.element) {
        const bool condition =
            by_mode != nullptr && entry < by_mode->entries.size() && by_mode->entries[entry].condition;
        text += fmt::format("{:{}}case {}\n", "", 2 * level + 1,
                            condition ? text_of(*by_mode->entries[entry].condition) : "");
        ++entry;
      }
      text += items_text(model, inner, diagnostics, level + 1);
    }
  }
  return text;
}

std::string software_text(const Model& model, Diagnostics& diagnostics) {
  std::string text;
  for (const auto& process : views::processes(model, diagnostics)) {
    text += fmt::format("{} {} stimuli {} preemption {} limit {}\n",
                        process.kind == views::ProcessKind::task ? "task" : "isr", process.name,
                        names_of(process.stimuli), static_cast<int>(process.preemption), process.activation_limit);
    text += items_text(model, process.element, diagnostics, 1);
  }
  for (const auto& runnable : views::runnables(model, diagnostics)) {
    text += fmt::format("runnable {}{}{} section {}\n", runnable.name, runnable.callback ? " callback" : "",
                        runnable.service ? " service" : "", name_of(runnable.section));
    text += items_text(model, runnable.element, diagnostics, 1);
  }
  views::for_each_label(model, diagnostics, [&](const views::Label& label) {
    text += fmt::format("label {} size {}{}{}\n", label.name, label.size.value_or(DataSize{-1}).bytes,
                        label.constant ? " constant" : "", label.is_volatile ? " volatile" : "");
  });
  for (const auto& label : views::mode_labels(model, diagnostics))
    text += fmt::format("mode label {} of {} = {}\n", label.name, name_of(label.mode), label.initial_value);
  return text;
}

std::string stimuli_text(const Model& model, Diagnostics& diagnostics) {
  std::string text;
  const views::ActivationTable table(model);
  for (const auto& stimulus : views::stimuli(model, diagnostics))
    text += fmt::format("{}: {} activates {}\n", stimulus.name, text_of(stimulus),
                        names_of(table.activated_by(stimulus.element)));
  return text;
}

std::string constraints_text(const Model& model, Diagnostics& diagnostics) {
  std::string text;
  for (const auto& event : events_of(model)) text += text_of(event) + "\n";
  for (const auto& chain : views::event_chains(model, diagnostics))
    chain_text(model, chain.element, diagnostics, 0, text);
  for (const auto& constraint : views::timing_constraints(model, diagnostics))
    text += fmt::format("{}: {}\n", constraint.name, std::visit(TimingText{}, constraint.kind));
  for (const auto& constraint : views::affinity_constraints(model)) {
    text += fmt::format("affinity {} {} {}", constraint.name, static_cast<int>(constraint.kind),
                        static_cast<int>(constraint.subject));
    for (const auto& group : constraint.groups) text += fmt::format(" {}", group_text(group));
    text += constraint.target ? fmt::format(" on {}\n", names_of(constraint.target->places)) : "\n";
  }
  for (const auto& constraint : views::runnable_sequencing_constraints(model)) {
    text += fmt::format("sequence {} in {}:", constraint.order, names_of(constraint.process_scope));
    for (const auto& group : constraint.groups) text += fmt::format(" {}", group_text(group));
    text += "\n";
  }
  for (const auto& constraint : views::data_age_constraints(model, diagnostics))
    text += fmt::format("data age {} {} {}..{} {}..{}\n", name_of(constraint.runnable), name_of(constraint.label),
                        constraint.least_cycles.value_or(-1), constraint.max_cycles.value_or(-1),
                        maybe(constraint.minimum), maybe(constraint.maximum));
  for (const auto& group : views::data_groups(model))
    text += fmt::format("data {} {} {} {}\n", group.stability ? "stability" : "coherency", group.direction,
                        names_of(group.labels), name_of(group.scope));
  for (const auto& constraint : views::physical_section_constraints(model))
    text += fmt::format("physical section {} {}\n", name_of(constraint.section), names_of(constraint.memories));
  for (const auto& requirement : views::requirements(model, diagnostics))
    text += fmt::format("requirement {} {} {} severity {} limit {}: {}\n", requirement.name,
                        static_cast<int>(requirement.kind), name_of(requirement.subject),
                        static_cast<int>(requirement.severity), static_cast<int>(requirement.limit_type),
                        std::visit(LimitText{}, requirement.limit));
  return text;
}

}  // namespace test
