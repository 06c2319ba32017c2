// SPDX-License-Identifier: Apache-2.0
// Event chains: whether their parts connect, and whether the model connects their stimulus with their response.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "importer/building/system_builder.hpp"
#include "review/detail/rules.hpp"

namespace amalthea::review {
namespace {

std::uint64_t key(Element element) {
  return (static_cast<std::uint64_t>(element.document().position()) << 32U) | element.index();
}

/// The chain that an item of a chain contains or refers to; up to 0.8.0 the item of a sub chain is its container.
Element chain_of_item(const Context& context, Element item) {
  if (const Element inside = item.child("eventChain"); inside && inside.cls()) return inside;
  return context.model.reference(item, "eventChain");
}

/// Chains below a chain, as far as they exist.
struct Parts {
  std::vector<Element> sequence, parallel;
  bool empty() const { return sequence.empty() && parallel.empty(); }
};

Parts parts_of(const Context& context, Element chain) {
  Parts parts;
  for (const Element child : chain.children()) {
    const bool segment = child.tag() == "segments", strand = child.tag() == "strands", item = child.tag() == "items";
    if (!segment && !strand && !item) continue;
    const Element part = chain_of_item(context, child);
    if (!part) continue;
    const bool in_parallel = strand || (item && chain.attribute_or("itemType", "sequence") == "parallel");
    (in_parallel ? parts.parallel : parts.sequence).push_back(part);
  }
  return parts;
}

std::vector<Element> all_chains(const Context& context) {
  std::vector<Element> chains = context.facts.all("EventChain");
  for (const Element chain : context.facts.all("SubEventChain"))
    if (!chain.child("eventChain")) chains.push_back(chain);
  return chains;
}

/// All chains but those whose latency is open, with their parts: one finding says why.
std::vector<Element> unexplained_chains(const Context& context, const Report& report) {
  std::unordered_set<std::uint64_t> explained;
  std::vector<Element> open;
  for (const Origin chain : report.concerned_by(importer::open_chain_id)) open.push_back(context.model.element(chain));
  while (!open.empty()) {
    const Element chain = open.back();
    open.pop_back();
    if (!explained.insert(key(chain)).second) continue;
    const Parts parts = parts_of(context, chain);
    open.insert(open.end(), parts.sequence.begin(), parts.sequence.end());
    open.insert(open.end(), parts.parallel.begin(), parts.parallel.end());
  }
  std::vector<Element> chains = all_chains(context);
  std::erase_if(chains, [&](Element chain) { return explained.contains(key(chain)); });
  return chains;
}

std::string name_of(Element chain) {
  return chain.name().empty() ? std::string("an event chain without a name")
                              : fmt::format("event chain \"{}\"", chain.name());
}

/// A part of a chain that does not begin or end where it should.
struct Gap {
  Element at;
  std::string message;
};

std::vector<Gap> gaps_of(const Context& context, Element chain) {
  std::vector<Gap> gaps;
  const Parts parts = parts_of(context, chain);
  const auto expect = [&](Element part, std::string_view feature, Element of, std::string_view other) {
    const Element here = context.model.reference(part, feature);
    const Element there = context.model.reference(of, other);
    if (here && there && here != there)
      gaps.push_back(
          {part == chain ? of : part,
           fmt::format("the {} of a segment of {} is \"{}\"; expected \"{}\", the {} of {}", feature, name_of(chain),
                       here.name(), there.name(), other, of == chain ? "the chain" : "the previous segment")});
  };
  for (std::size_t i = 0; i < parts.sequence.size(); ++i)
    if (i == 0)
      expect(parts.sequence[i], "stimulus", chain, "stimulus");
    else
      expect(parts.sequence[i], "stimulus", parts.sequence[i - 1], "response");
  if (!parts.sequence.empty()) expect(parts.sequence.back(), "response", chain, "response");
  for (const Element part : parts.parallel) {
    expect(part, "stimulus", chain, "stimulus");
    expect(part, "response", chain, "response");
  }
  return gaps;
}

/// The subject of an event: its entity, and the more specific one if it names one.
std::vector<Element> places_of(const Context& context, Element event) {
  std::vector<Element> places;
  for (const std::string_view feature : {"entity", "runnable", "process"})
    for (const Element place : context.model.references(event, feature)) places.push_back(place);
  return places;
}

/// The data flow graph: executables, and what they read, write, set, trigger and call. An access that is neither a read
/// nor a write counts as both, and so does a call, so the graph may contain more paths than the model.
class FlowGraph {
 public:
  explicit FlowGraph(const Context& context) {
    for (const auto& document : context.model.documents())
      for (std::uint32_t i = 0; i < document->size(); ++i) add_uses(context, document->element(i));
    for (const Element stimulus : context.facts.all("EventStimulus"))
      for (const std::string_view feature : {"triggeringEvents", "trigger"})
        for (const Element event : context.model.references(stimulus, feature)) {
          add_edge(event, stimulus);
          for (const Element place : places_of(context, event)) add_edge(place, stimulus);
        }
    put_together();
  }

  /// Whether a path leads from one of `sources` to one of `targets`. Returns true if the search takes too long in a
  /// large model.
  bool leads(const std::vector<Element>& sources, const std::vector<Element>& targets) {
    std::vector<Node> goal;
    for (const Element target : targets) {
      if (std::find(sources.begin(), sources.end(), target) != sources.end()) return true;
      if (const auto node = nodes_.find(key(target)); node != nodes_.end()) goal.push_back(node->second);
    }
    if (goal.empty()) return false;
    ++search_;
    open_.clear();
    const auto meet = [this](Node node) {
      if (std::exchange(seen_[node], search_) != search_) open_.push_back(node);
    };
    for (const Element source : sources)
      if (const auto node = nodes_.find(key(source)); node != nodes_.end()) meet(node->second);
    while (!open_.empty()) {
      const Node at = open_.back();
      open_.pop_back();
      if (std::find(goal.begin(), goal.end(), at) != goal.end()) return true;
      steps_ += first_[at + 1] - first_[at];
      if (steps_ > max_steps) return true;
      for (std::size_t edge = first_[at]; edge < first_[at + 1]; ++edge) meet(targets_[edge]);
    }
    return false;
  }

 private:
  using Node = std::uint32_t;
  static constexpr std::size_t max_steps = 20'000'000;

  void add_uses(const Context& context, Element target) {
    for (const Use& use : context.facts.uses_of(target)) {
      const Element executable = executable_around(use.holder);
      if (!executable || executable == target) continue;
      const std::string_view access = use.holder.is("LabelAccess") ? use.holder.attribute_or("access", "") : "";
      const bool stimulus = use.feature == "stimuli";
      if (access != "write") add_edge(target, executable);
      if (access != "read" && !stimulus) add_edge(executable, target);
    }
  }
  void add_edge(Element from, Element to) {
    const Node source = node(from);
    edges_.emplace_back(source, node(to));
  }
  Node node(Element element) {
    return nodes_.try_emplace(key(element), static_cast<Node>(nodes_.size())).first->second;
  }

  /// The edges of each node beside each other: searches visit most of the graph.
  void put_together() {
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    first_.resize(nodes_.size() + 1);
    for (const auto& [from, to] : edges_) {
      ++first_[from + 1];
      targets_.push_back(to);
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    seen_.resize(nodes_.size());
    edges_ = {};
  }

  std::unordered_map<std::uint64_t, Node> nodes_;
  std::vector<std::pair<Node, Node>> edges_;  ///< until they are put together
  std::vector<std::size_t> first_;            ///< for every node: its first edge in `targets_`; and the end
  std::vector<Node> targets_, open_;
  std::vector<std::uint32_t> seen_;  ///< for every node: the last search that met it
  std::uint32_t search_ = 0;
  std::size_t steps_ = 0;
};

/// Whether the executables of a model have activities; otherwise chains cannot be checked.
bool has_flow(const Context& context) {
  return !context.facts.all("LabelAccess").empty() || !context.facts.all("InterProcessTrigger").empty() ||
         !context.facts.all("InterProcessActivation").empty();
}

}  // namespace

void check_unconnected_chains(const Context& context, Report& report) {
  for (const Element chain : unexplained_chains(context, report))
    for (const Gap& gap : gaps_of(context, chain)) report.add(gap.at, gap.message);
}

void check_pointless_chains(const Context& context, Report& report) {
  for (const Element chain : unexplained_chains(context, report)) {
    const Element stimulus = context.model.reference(chain, "stimulus");
    if (stimulus && stimulus == context.model.reference(chain, "response"))
      report.add(chain, "response",
                 fmt::format("{} starts and ends with the same event, \"{}\"; change its stimulus or its response",
                             name_of(chain), stimulus.name()));
  }
}

void check_unsupported_chains(const Context& context, Report& report) {
  const auto chains = unexplained_chains(context, report);
  if (chains.empty() || !has_flow(context)) return;
  FlowGraph flow(context);
  std::unordered_set<std::uint64_t> unconnected;
  for (const Element chain : chains)
    for (const Gap& gap : gaps_of(context, chain)) unconnected.insert(key(gap.at));
  for (const Element chain : chains) {
    if (!parts_of(context, chain).empty()) continue;  // the gap is reported for its parts
    if (unconnected.contains(key(chain))) continue;
    const Element stimulus = context.model.reference(chain, "stimulus");
    const Element response = context.model.reference(chain, "response");
    if (!stimulus || !response || stimulus == response) continue;
    const auto from = places_of(context, stimulus), to = places_of(context, response);
    if (from.empty() || to.empty() || flow.leads(from, to)) continue;
    report.add(chain, fmt::format("no data flow, activation or call leads from \"{}\" to \"{}\", the stimulus and the "
                                  "response of {}; correct the events, or add the missing link",
                                  stimulus.name(), response.name(), name_of(chain)));
  }
}

}  // namespace amalthea::review
