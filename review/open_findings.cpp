// SPDX-License-Identifier: Apache-2.0
#include "review/open_findings.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "amalthea/views/activity.hpp"
#include "amalthea/views/event_chains.hpp"
#include "engine/finding_consequences.hpp"

namespace amalthea::review {
namespace {

using Kind = Part::Kind;

class PartTable {
 public:
  PartTable(const Model& model, const System& system) : model_(model) {
    const Platform& platform = system.platform;
    add_all(Kind::unit, platform.units);
    add_all(Kind::memory, platform.memories);
    add_all(Kind::scheduler, platform.schedulers);
    add_all(Kind::label, system.labels);
    add_all(Kind::runnable, system.runnables);
    add_all(Kind::event, system.events);
    add_all(Kind::mode, system.modes);
    add_all(Kind::semaphore, system.semaphores);
    add_all(Kind::stimulus, system.stimuli);
    add_all(Kind::task, system.tasks);
    for (std::uint32_t i = 0; i < system.chains.size(); ++i) {
      std::set<Key> known;
      if (system.chains[i].origin.known()) add_chain(model.element(system.chains[i].origin), i, known);
    }
    add_all(Kind::requirement, system.requirements);
    add_all(Kind::constraint, system.constraints);
    const auto all_limits = [&](Kind kind, std::size_t count) {
      for (std::uint32_t i = 0; i < count; ++i) limits_.push_back({kind, i});
    };
    all_limits(Kind::chain, system.chains.size());
    all_limits(Kind::requirement, system.requirements.size());
    all_limits(Kind::constraint, system.constraints.size());
    for (std::uint32_t unit = 0; unit < platform.units.size(); ++unit)
      if (const auto definition = platform.units[unit].definition; definition < platform.definitions.size())
        add(platform.definitions[definition].origin, {Kind::unit, unit});
  }

  /// What a finding about the element concerns. Empty: any.
  std::vector<Part> concerned_by(const Diagnostic& finding, Element element) const {
    // What an empty process or runnable lacks may be a link to any part.
    const engine::Reach reach = engine::reach_of(finding);
    if (reach == engine::Reach::content && items_of(element).empty()) return {};
    std::vector<Part> parts = of(element);
    if (reach != engine::Reach::links) return parts;
    std::vector<Part> targets = parts_of_targets(element);
    for (const Element child : element.children()) {
      const std::vector<Part> more = parts_of_targets(child);
      targets.insert(targets.end(), more.begin(), more.end());
    }
    if (targets.empty() && is_link(element)) return {};
    parts.insert(parts.end(), targets.begin(), targets.end());
    return parts;
  }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  static Key key(Origin origin) { return {origin.document, origin.element}; }

  /// Whether it links its process or stimulus to another part: without it, the system has no dependency there.
  static bool is_link(Element element) {
    constexpr std::array<std::string_view, 9> links{"SemaphoreAccess",    "SetEvent",          "ClearEvent",
                                                    "WaitEvent",          "ModeLabelAccess",   "InterProcessTrigger",
                                                    "CustomEventTrigger", "EnforcedMigration", "ModeAssignment"};
    return std::find(links.begin(), links.end(), element.class_name()) != links.end();
  }

  std::vector<Part> of(Element element) const {
    for (Element one = element; one; one = one.parent())
      if (const auto found = parts_.find(key(one.origin())); found != parts_.end()) return found->second;
    std::vector<Part> parts;
    if (!concerns_its_targets(element)) return is_limit(element) ? limits_ : parts;
    parts = parts_of_targets(element);
    return parts.empty() && is_limit(element) ? limits_ : parts;
  }

  std::vector<Part> parts_of_targets(Element element) const {
    std::vector<Part> parts;
    for (const Element target : model_.attribute_targets(element))
      if (const auto found = parts_.find(key(target.origin())); found != parts_.end())
        parts.insert(parts.end(), found->second.begin(), found->second.end());
    return parts;
  }

  /// Whether it limits timing and has no influence on it.
  static bool is_limit(Element element) {
    while (element.parent() && !element.is("ConstraintsModel")) element = element.parent();
    return element.is("ConstraintsModel");
  }
  /// Allocations, and limits of event chains.
  static bool concerns_its_targets(Element element) {
    const Element part = element.parent();
    return part && (part.is("MappingModel") || (part.is("ConstraintsModel") && element.tag() == "timingConstraints"));
  }

  template <typename List>
  void add_all(Kind kind, const List& list) {
    for (std::uint32_t i = 0; i < list.size(); ++i) add(list[i].origin, {kind, i});
  }
  void add(Origin origin, Part part) {
    if (origin.known()) parts_[key(origin)].push_back(part);
  }

  /// The chain and those that it consists of.
  void add_chain(Element element, std::uint32_t chain, std::set<Key>& known) {
    if (!element || !known.insert(key(element.origin())).second) return;
    add(element.origin(), {Kind::chain, chain});
    Diagnostics no_effect;
    for (const views::ChainItem& item : views::event_chain_of(model_, element, no_effect).items)
      add_chain(item.chain, chain, known);
  }

  const Model& model_;
  std::map<Key, std::vector<Part>> parts_;
  std::vector<Part> limits_;  ///< chains, requirements, constraints
};

}  // namespace

void record_open_findings(const Model& model, const Diagnostics& findings, System& system) {
  using engine::Consequence;
  system.open.clear();
  std::optional<PartTable> table;
  for (const Diagnostic& finding : findings.all()) {
    const Consequence consequence = engine::consequence_of(finding);
    if (consequence != Consequence::unknown && consequence != Consequence::assumption) continue;
    OpenFinding open{finding.id, finding.location, consequence == Consequence::assumption, {}};
    std::vector<Origin> elements = finding.elements;
    if (finding.count == 1 && elements.empty() && finding.location.element.known())
      elements.push_back(finding.location.element);
    if (!table) table.emplace(model, system);
    for (const Origin element : elements) {
      const std::vector<Part> parts = table->concerned_by(finding, model.element(element));
      if (parts.empty()) {  // it may concern any
        open.parts.clear();
        break;
      }
      open.parts.insert(open.parts.end(), parts.begin(), parts.end());
    }
    system.open.push_back(std::move(open));
  }
}

}  // namespace amalthea::review
