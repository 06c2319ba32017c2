// SPDX-License-Identifier: Apache-2.0
#include "review/open_findings.hpp"

#include <map>
#include <utility>

#include "engine/finding_consequences.hpp"

namespace amalthea::review {
namespace {

using Kind = Part::Kind;

class PartTable {
 public:
  explicit PartTable(const System& system) {
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
    add_all(Kind::chain, system.chains);
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

  /// Empty: any.
  std::vector<Part> of(const Model& model, Element element) const {
    for (Element one = element; one; one = one.parent())
      if (const auto found = parts_.find(key(one.origin())); found != parts_.end()) return found->second;
    std::vector<Part> parts;
    if (!concerns_its_targets(element)) return is_limit(element) ? limits_ : parts;
    for (const Element target : model.attribute_targets(element))
      if (const auto found = parts_.find(key(target.origin())); found != parts_.end())
        parts.insert(parts.end(), found->second.begin(), found->second.end());
    return parts.empty() && is_limit(element) ? limits_ : parts;
  }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  static Key key(Origin origin) { return {origin.document, origin.element}; }

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
    if (!table) table.emplace(system);
    for (const Origin element : elements) {
      const std::vector<Part> parts = table->of(model, model.element(element));
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
