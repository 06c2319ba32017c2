// SPDX-License-Identifier: Apache-2.0
// Converts timing constraints to the terms of a system: elements → limits on events that a simulation observes, or why
// a constraint cannot be judged.

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <tl/expected.hpp>

#include "amalthea/views/constraints.hpp"
#include "amalthea/views/event_chains.hpp"
#include "amalthea/views/events.hpp"
#include "amalthea/views/quantities.hpp"
#include "importer/building/detail/build_context.hpp"

namespace amalthea::importer::detail {
namespace {

using ConstraintKind = decltype(TimingConstraint::kind);
/// A value, or why there is none, as a clause.
template <typename T>
using OrReason = tl::expected<T, std::string>;
using Reason = tl::unexpected<std::string>;

Unjudgeable unjudgeable(std::string reason) { return {std::move(reason), false}; }
Unjudgeable demands_nothing(std::string_view missing) { return {fmt::format("it states {}", missing), true}; }

class ConstraintReader {
 public:
  explicit ConstraintReader(BuildContext& context) : context_(context) {
    for (const Model::Dangling& dangling : context.model.dangling()) {
      Element stated = dangling.element;
      while (stated.parent() && !stated.parent().is("ConstraintsModel")) stated = stated.parent();
      const Origin origin = stated.origin();
      lost_.try_emplace({origin.document, origin.element}, dangling.feature);
    }
  }

  void read_all() {
    for (const auto& view : views::timing_constraints(context_.model, no_effect_)) {
      element_ = view.element;
      if (auto reason = unreadable_limit(element_))
        fail(std::move(*reason));
      else
        std::visit([this](const auto& stated) { take(stated); }, view.kind);
    }
    for (const auto& view : views::runnable_sequencing_constraints(context_.model)) take(view);
    for (const auto& view : views::data_age_constraints(context_.model, context_.diagnostics)) take(view);
    for (const auto& view : views::data_groups(context_.model)) take(view);
    for (const auto& view : views::physical_section_constraints(context_.model)) take(view);
  }

 private:
  /// A constraint that names something missing from the model would be weaker than stated.
  void add(ConstraintKind kind) {
    const Origin origin = element_.origin();
    const auto lost = lost_.find({origin.document, origin.element});
    if (lost != lost_.end() && !std::holds_alternative<Unjudgeable>(kind))
      kind = unjudgeable(fmt::format("its {} references an element that is not in the model", lost->second));
    context_.system.constraints.push_back({std::string(element_.name()), std::string(element_.class_name()),
                                           element_.origin(), element_.location(), std::move(kind)});
  }
  void fail(std::string reason) { add(unjudgeable(std::move(reason))); }

  /// Without a type any event of the entity would count, and more events make most constraints weaker.
  OrReason<ObservableEvent> event_of(Element element, std::string_view role) const {
    auto found = observable_event(context_, element, role);
    if (!found) return found;
    const views::Event event = views::event_of(context_.model, element);
    using Kind = views::EventKind;
    const bool typed = event.kind == Kind::process || event.kind == Kind::runnable || event.kind == Kind::label ||
                       event.kind == Kind::semaphore;
    if (typed && event.type_text.empty())
      return Reason(fmt::format("{} \"{}\" does not state its eventType", role, event.name));
    return found;
  }

  /// An event is always at its own time.
  bool is_same_event(Element a, Element b) const {
    const views::Event one = views::event_of(context_.model, a), other = views::event_of(context_.model, b);
    return a == b || (one.kind != views::EventKind::custom && one.kind == other.kind && one.type == other.type &&
                      one.entity == other.entity && one.runnable == other.runnable && one.process == other.process &&
                      one.processing_unit == other.processing_unit);
  }

  void take(const views::UnknownConstraint&) {
    fail(fmt::format("{} is not a known class of constraints", element_.class_name()));
  }

  /// A limit on a chain that is a sequence of tasks belongs to that chain.
  void take(const views::LatencyConstraint& stated) {
    if (!stated.chain) return fail("its event chain (scope) is missing, or not in the model");
    if (!stated.minimum && !stated.maximum) return add(demands_nothing("neither a minimum nor a maximum"));
    if (stated.type == views::LatencyConstraint::Type::unstated)
      return fail("it does not state whether it limits the reaction or the age (type)");
    const auto& chains = context_.system.chains;
    if (std::any_of(chains.begin(), chains.end(),
                    [&](const Chain& chain) { return chain.origin == stated.chain.origin(); }))
      return;
    if (stated.chain.tag() != "eventChains")
      return fail(
          fmt::format("its event chain \"{}\" is nested in another one; latencies are computed only for event chains "
                      "directly in the constraints model",
                      stated.chain.name()));
    fail(fmt::format(
        "no event of its event chain \"{}\" occurs in exactly one process, so the chain is not a sequence of processes",
        stated.chain.name()));
  }

  void take(const views::DelayConstraint& stated) {
    auto source = event_of(stated.source, "its source"), target = event_of(stated.target, "its target");
    if (!source) return fail(std::move(source.error()));
    if (!target) return fail(std::move(target.error()));
    if (!stated.lower && !stated.upper) return add(demands_nothing("neither a lower nor an upper limit"));
    if (is_same_event(stated.source, stated.target)) return fail("its target is its source");
    // Since 0.7.1; of the three, Reaction demands least.
    if (stated.mapping.empty() && element_.document().version() >= Version::v0_7_1)
      return fail("it does not state which target belongs to a source (mappingType)");
    DelayLimit delay{std::move(*source), std::move(*target), {stated.lower, stated.upper}};
    if (stated.mapping == "OneToOne") delay.mapping = DelayLimit::Mapping::one_to_one;
    if (stated.mapping == "UniqueReaction") delay.mapping = DelayLimit::Mapping::unique_reaction;
    add(std::move(delay));
  }

  void take(const views::OrderConstraint& stated) {
    auto source = event_of(stated.source, "its source"), target = event_of(stated.target, "its target");
    if (!source) return fail(std::move(source.error()));
    if (!target) return fail(std::move(target.error()));
    if (is_same_event(stated.source, stated.target)) return fail("its target is its source");
    add(EventOrder{std::move(*source), std::move(*target)});
  }

  void take(const views::RepetitionConstraint& stated) {
    auto event = event_of(stated.event, "its event");
    if (!event) return fail(std::move(event.error()));
    if (!stated.lower && !stated.upper && !stated.period)
      return add(demands_nothing("no lower limit, upper limit or period"));
    const auto differs = [&](const std::optional<Duration>& limit) { return limit && limit != stated.period; };
    if (stated.period && (differs(stated.lower) || differs(stated.upper)))
      return fail("it states a period and other limits, and nothing defines which of them count");
    if (stated.span < 0) return fail("its span is negative");
    Repetition repetition{std::move(*event), std::max<std::int64_t>(1, stated.span), {stated.lower, stated.upper}, {}};
    if (stated.period) repetition.limits = {stated.period, stated.period};
    repetition.jitter = stated.jitter.value_or(Duration{});
    if (repetition.jitter < Duration{}) return fail("its jitter is negative");
    add(std::move(repetition));
  }

  void take(const views::SynchronizationConstraint& stated) {
    if (!stated.tolerance) return add(demands_nothing("no tolerance"));
    if (element_.is("EventChainSynchronizationConstraint")) return take_chains(stated);
    EventSynchronization synchronization{{}, *stated.tolerance, stated.multiple_occurrences_allowed};
    for (std::size_t i = 0; i < stated.events.size(); ++i) {
      auto event = event_of(stated.events[i], fmt::format("its event {}", i + 1));
      if (!event) return fail(std::move(event.error()));
      synchronization.events.push_back(std::move(*event));
      for (std::size_t before = 0; before < i; ++before)
        if (is_same_event(stated.events[before], stated.events[i]))
          return fail(fmt::format("its event {} is its event {} again", i + 1, before + 1));
    }
    if (synchronization.events.size() < 2)
      return fail(fmt::format("it references {} (events); expected at least two",
                              synchronization.events.empty() ? "no event" : "only one event"));
    add(std::move(synchronization));
  }

  void take_chains(const views::SynchronizationConstraint& stated) {
    if (stated.chains.size() != 2)
      return fail(fmt::format("it references {} event chains (scope) instead of two", stated.chains.size()));
    if (stated.chains[0] == stated.chains[1]) return fail("its two event chains are the same one");
    if (stated.type.empty())
      return fail("it does not state whether to synchronize the stimuli or the responses of its chains (type)");
    ChainSynchronization synchronization;
    synchronization.tolerance = *stated.tolerance;
    synchronization.of =
        stated.type == "Stimulus" ? ChainSynchronization::Of::stimuli : ChainSynchronization::Of::responses;
    std::vector<std::vector<Element>> chains;
    for (const Element chain : stated.chains) {
      chains.emplace_back();
      visited_ = 0;
      lost_part_ = endless_ = false;
      append_events(chain, 0, chains.back());
      if (endless_)
        return fail(fmt::format("its event chain \"{}\" contains itself, or has too many parts", chain.name()));
      if (lost_part_)
        return fail(fmt::format("its event chain \"{}\" has a segment that is not in the model", chain.name()));
      std::vector<ObservableEvent> events;
      for (const Element element : chains.back()) {
        auto event = event_of(element, fmt::format("in its event chain \"{}\" an event", chain.name()));
        if (!event) return fail(std::move(event.error()));
        events.push_back(std::move(*event));
      }
      if (events.size() < 2)
        return fail(fmt::format("its event chain \"{}\" starts and ends with the same event", chain.name()));
      synchronization.chains.push_back(std::move(events));
    }
    if (chains[0] == chains[1]) return fail("its two event chains have the same events");
    const bool of_stimuli = synchronization.of == ChainSynchronization::Of::stimuli;
    if (of_stimuli ? chains[0].back() != chains[1].back() : chains[0].front() != chains[1].front())
      return fail(fmt::format("its two event chains have no common {}", of_stimuli ? "response" : "stimulus"));
    add(std::move(synchronization));
  }

  /// Stimulus, the events of sequential parts, response. Skips parallel parts.
  void append_events(Element element, int depth, std::vector<Element>& events) {
    if (depth >= 64 || ++visited_ > 10'000) {  // chains may refer to each other in a cycle
      endless_ = true;
      return;
    }
    const views::EventChain chain = views::event_chain_of(context_.model, element, no_effect_);
    const auto append = [&](Element event) {
      if (events.empty() || events.back() != event) events.push_back(event);
    };
    append(chain.stimulus);
    for (const views::ChainItem& item : chain.items)
      if (!item.chain)
        lost_part_ = true;
      else if (item.arrangement != views::ChainArrangement::parallel)
        append_events(item.chain, depth + 1, events);
    append(chain.response);
  }

  void take(const views::RunnableSequencingConstraint& stated) {
    element_ = stated.element;
    using Order = RunnableSequence::Order;
    RunnableSequence sequence;
    if (stated.order.empty()) return fail("it does not state the order of its groups (orderType)");
    sequence.order = stated.order == "successor"                         ? Order::successor
                     : stated.order == "immediateSuccessorStartSequence" ? Order::immediately_at_start
                     : stated.order == "immediateSuccessorEndSequence"   ? Order::immediately_at_end
                                                                         : Order::immediately_anywhere;
    if (!append_processes(stated.process_scope, sequence.tasks)) return;
    for (const views::EntityGroup& view : stated.groups) {
      RunnableSequence::Group group;
      group.all = view.grouping == "allOfThem";
      for (const Element member : view.members) {
        const auto runnable = context_.runnables.find(member);
        if (!runnable) return fail("one of its groups references a runnable that is not in the model");
        group.members.push_back(*runnable);
      }
      if (group.members.empty()) return fail("one of its groups references no runnable");
      if (!append_processes(view.process_scope, group.tasks)) return;
      sequence.groups.push_back(std::move(group));
    }
    if (sequence.groups.size() < 2) return fail("it has fewer than two groups of runnables");
    add(std::move(sequence));
  }

  /// False, with a report, if one of them is not simulated.
  bool append_processes(const std::vector<Element>& processes, std::vector<TaskIndex>& tasks) {
    for (const Element process : processes) {
      const auto task = context_.tasks.find(process);
      if (!task) {
        fail(fmt::format("process \"{}\" in its scope is not in the simulated system", process.name()));
        return false;
      }
      tasks.push_back(context_.system.tasks[*task].folded_into.value_or(*task));
    }
    return true;
  }

  void take(const views::DataAgeConstraint& stated) {
    element_ = stated.element;
    const auto runnable = context_.runnables.find(stated.runnable), label = context_.labels.find(stated.label);
    if (!runnable) return fail("its runnable is missing, or not in the model");
    if (!label) return fail("its label is missing, or not in the model");
    const Element age = element_.child("dataAge");
    if (!age) return add(demands_nothing("no age (dataAge)"));
    if (auto reason = unreadable_limit(age)) return fail(std::move(*reason));
    if (!age.is("DataAgeCycle")) {
      if (!stated.minimum && !stated.maximum) return add(demands_nothing("neither minimumTime nor maximumTime"));
    } else if (!stated.least_cycles && !stated.max_cycles) {
      return add(demands_nothing("neither minimumCycle nor maximumCycle"));
    } else if (!(stated.least_cycles && stated.max_cycles) && element_.document().version() >= Version::v0_7_2) {
      return fail(fmt::format("its {} has no value", stated.least_cycles ? "maximumCycle" : "minimumCycle"));
    }
    DataAge limits{*runnable, *label, {stated.minimum, stated.maximum}, stated.least_cycles, stated.max_cycles};
    // AMALTHEA writes 0 for an unset maximum.
    if (limits.least_cycles.value_or(0) > 0 && limits.max_cycles == 0) limits.max_cycles.reset();
    add(std::move(limits));
  }

  void take(const views::DataGroup& stated) {
    element_ = stated.element;
    std::vector<LabelIndex> labels;
    for (const Element element : stated.labels) {
      const auto label = context_.labels.find(element);
      if (!label) return fail("it references a label that is not in the model");
      labels.push_back(*label);
    }
    if (labels.empty()) return add(demands_nothing("no labels"));
    auto scope = scope_of(stated.scope);
    if (!scope) return fail(std::move(scope.error()));
    if (stated.stability) return add(DataStability{std::move(labels), std::move(*scope)});
    if (stated.direction.empty()) return fail("it does not state whether it applies to inputs or outputs (direction)");
    add(DataCoherency{std::move(labels), std::move(*scope), stated.direction == "output"});
  }

  OrReason<DataScope> scope_of(Element element) const {
    if (!element) return Reason("it references no process, runnable or component (scope)");
    DataScope scope;
    const auto process = [&](Element named) {
      if (const auto task = context_.tasks.find(named))
        scope.tasks.push_back(context_.system.tasks[*task].folded_into.value_or(*task));
    };
    process(element);
    if (const auto runnable = context_.runnables.find(element)) scope.runnables.push_back(*runnable);
    for (const std::string_view feature : {"tasks", "processes"})
      for (const Element member : context_.model.references(element, feature)) process(member);
    for (const Element member : context_.model.references(element, "runnables"))
      if (const auto runnable = context_.runnables.find(member)) scope.runnables.push_back(*runnable);
    if (scope.tasks.empty() && scope.runnables.empty())
      return Reason(fmt::format("its scope, {} \"{}\", is not part of the simulated system", element.class_name(),
                                element.name()));
    return scope;
  }

  void take(const views::PhysicalSectionConstraint& stated) {
    element_ = stated.element;
    if (!stated.section) return fail("its section is missing, or not in the model");
    SectionPlacement placement;
    placement.section = stated.section.name();
    for (const Element element : stated.memories)
      if (const auto memory = context_.memories.find(element)) placement.memories.push_back(*memory);
    if (placement.memories.size() != stated.memories.size())
      return fail("it references a memory that is not in the model");
    if (placement.memories.empty()) return add(demands_nothing("no memories"));
    const auto listed = context_.model.references(stated.section, "labels");  // 0.7.0
    for (const Label& label : context_.system.labels) {
      const Element element = context_.model.element(label.origin);
      if (context_.model.reference(element, "section") == stated.section ||
          std::find(listed.begin(), listed.end(), element) != listed.end())
        placement.labels.push_back(static_cast<LabelIndex>(&label - context_.system.labels.data()));
    }
    if (placement.labels.empty()) return fail(fmt::format("its section \"{}\" contains no label", placement.section));
    add(std::move(placement));
  }

  BuildContext& context_;
  Element element_;
  Diagnostics no_effect_;  // chains have reported unreadable limits
  int visited_ = 0;
  bool lost_part_ = false;
  bool endless_ = false;
  /// Elements of the constraints model with an unresolved reference, and its feature.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> lost_;
};

}  // namespace

std::optional<std::string> unreadable_limit(Element constraint) {
  for (const std::string_view limit :
       {"lower", "upper", "minimum", "maximum", "jitter", "period", "tolerance", "minimumTime", "maximumTime"})
    if (const Element child = constraint.child(limit)) {
      Diagnostics no_effect;
      if (is_unfilled(child)) return fmt::format("its {} has no value", limit);
      if (!time_of(child, no_effect)) return fmt::format("its {} cannot be read", limit);
    }
  return std::nullopt;
}

void build_constraints(BuildContext& context) {
  ConstraintReader(context).read_all();
  for (const TimingConstraint& constraint : context.system.constraints) {
    const auto* why = std::get_if<Unjudgeable>(&constraint.kind);
    if (why == nullptr) continue;
    const std::string path = context.model.element(constraint.origin).path();
    if (why->empty)
      context.diagnostics.add("AM0560", Severity::warning,
                              fmt::format("{} requires nothing, because {}; state what it requires, or remove it",
                                          describe(constraint), why->reason),
                              constraint.location, path);
    else
      context.diagnostics.add(
          "AM0561", Severity::warning,
          fmt::format("{} cannot be judged, because {}; its verdict remains unknown until this is corrected",
                      describe(constraint), why->reason),
          constraint.location, path);
  }
}

}  // namespace amalthea::importer::detail
