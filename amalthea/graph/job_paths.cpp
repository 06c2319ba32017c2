// SPDX-License-Identifier: Apache-2.0
#include "amalthea/graph/job_paths.hpp"

#include <algorithm>

namespace amalthea {

/// What holds at one place of a body: for some jobs that come there a flag is set, for some it is not. Neither: no job
/// comes there.
struct JobPaths::Flags {
  bool set = false, unset = false;

  bool reached() const { return set || unset; }
  void join(Flags other) {
    set = set || other.set;
    unset = unset || other.unset;
  }
  friend bool operator==(const Flags&, const Flags&) = default;
};

/// One walk through a body, which changes a flag.
struct JobPaths::Walk {
  /// In a group without order, each activity is visited twice: as if nothing of the group had been done before, then in
  /// turn.
  enum class Group : std::uint8_t { none, any_order, in_turn };

  const JobPaths& paths;
  const std::vector<NodeIndex>& body;
  std::function<Flags(NodeIndex, Flags, Group)> step;
  bool last_counts = false;  ///< the flag tells what was done last: in a group without order, anything may be last
  Flags ended = {};          ///< at the ends of jobs
  Group group = Group::none;

  void run(Flags first) { ended.join(range(0, body.size(), first)); }

  const GraphNode& node(std::size_t position) const { return paths.system_.graph[body[position]]; }

  /// The flags behind the activities [begin, end).
  Flags range(std::size_t begin, std::size_t end, Flags flags) {
    for (std::size_t i = begin; i < end && flags.reached();) {
      if (group == Group::none && node(i).unordered != 0) {
        std::size_t behind = i;
        while (behind < end && node(behind).unordered == node(i).unordered) ++behind;
        flags = without_order(i, behind, flags);
        i = behind;
        continue;
      }
      const Activity& activity = node(i).activity;
      flags = step(body[i], flags, group);
      if (std::holds_alternative<Terminate>(activity)) {
        ended.join(flags);
        return {};
      }
      ++i;
      if (const auto* branch = std::get_if<Branch>(&activity)) {
        flags = alternatives(*branch, i, flags);
        i += length_of(*branch);
      }
    }
    return flags;
  }

  Flags without_order(std::size_t begin, std::size_t end, Flags flags) {
    group = Group::any_order;
    const Flags last = range(begin, end, last_counts ? Flags{false, true} : flags);
    group = Group::in_turn;
    flags = range(begin, end, flags);
    group = Group::none;
    flags.set = flags.set || (last_counts && last.set);
    return flags;
  }

  static std::size_t length_of(const Branch& branch) {
    std::size_t length = 0;
    for (const Branch::Alternative& alternative : branch.alternatives) length += alternative.length;
    return length;
  }

  Flags alternatives(const Branch& branch, std::size_t at, Flags flags) {
    Flags before = flags, behind;
    for (Flags seen; !(seen == before);) {  // more than once for a loop that changes the flag
      seen = before;
      bool goes_on = true;  // to the next alternative, and from the last one past the branch
      std::size_t first = at;
      behind = {};
      for (std::size_t a = 0; a < branch.alternatives.size(); ++a) {
        const auto& [guard, length] = branch.alternatives[a];
        const Certainty taken = goes_on ? is_taken(branch, guard) : Certainty::never;
        const Flags out = taken == Certainty::never ? Flags{} : range(first, first + length, before);
        if (branch.repeats && a == 0)
          before.join(out);
        else
          behind.join(out);
        goes_on = goes_on && taken != Certainty::always;
        first += length;
      }
      const bool by_chance = std::any_of(branch.alternatives.begin(), branch.alternatives.end(), [](const auto& one) {
        return std::holds_alternative<Probability>(one.guard);
      });
      if (goes_on && !by_chance) behind.join(before);
    }
    return behind;
  }

  /// Whether an alternative is taken if none before it was.
  Certainty is_taken(const Branch& branch, const Guard& guard) const {
    if (std::holds_alternative<Otherwise>(guard)) return Certainty::always;
    if (const auto* every = std::get_if<EveryNth>(&guard))
      return every->prescaler <= 1 && every->offset <= 0 ? Certainty::always : Certainty::sometimes;
    if (const auto* condition = std::get_if<ModeCondition>(&guard)) return paths.truth_of(*condition);
    const auto* chance = std::get_if<Probability>(&guard);
    bool others = false;
    for (const Branch::Alternative& other : branch.alternatives)
      if (const auto* its = std::get_if<Probability>(&other.guard); its != nullptr && its != chance)
        others = others || its->weight > 0;
    if (!others) return chance->weight > 0 ? Certainty::always : Certainty::sometimes;
    return chance->weight > 0 ? Certainty::sometimes : Certainty::never;
  }
};

JobPaths::JobPaths(const System& system)
    : system_(system), constant_(system.modes.size(), true), straight_(system.graph.size()) {
  for (const Task& task : system.tasks) {
    std::size_t behind = 0;  // the branch so far
    for (std::size_t i = 0; i < task.body.size(); ++i) {
      const Activity& activity = system.graph[task.body[i]].activity;
      if (const auto* branch = std::get_if<Branch>(&activity); branch != nullptr && i >= behind)
        behind = i + 1 + Walk::length_of(*branch);
      if (i >= behind) straight_[task.body[i]] = true;
      if (std::holds_alternative<Terminate>(activity)) break;
    }
  }
  if (constant_.empty()) return;
  for (NodeIndex node = 0; node < system.graph.size(); ++node)
    if (const auto* set = std::get_if<SetMode>(&system.graph[node].activity)) constant_[set->mode] = false;
  for (const Stimulus& stimulus : system.stimuli)
    for (const ModeSetting& setting : stimulus.sets) constant_[setting.mode] = false;
}

Certainty JobPaths::truth_of(const ModeCondition& condition) const {
  Certainty any = Certainty::never;
  for (const auto& conjunction : condition.any_of) {
    Certainty all = Certainty::always;
    for (const ModeTest& test : conjunction) {
      const bool known = constant_[test.mode] && (!test.other || constant_[*test.other]);
      const std::int64_t right = test.other ? system_.modes[*test.other].initial : test.value;
      const Certainty is = !known                                                          ? Certainty::sometimes
                           : holds(system_.modes[test.mode].initial, test.relation, right) ? Certainty::always
                                                                                           : Certainty::never;
      all = std::min(all, is);
    }
    any = std::max(any, all);
  }
  return any;
}

Certainty JobPaths::occurs(TaskIndex task, const Does& does) const {
  for (const NodeIndex node : system_.tasks[task].body)
    if (straight_[node] && does(node) == Certainty::always) return Certainty::always;
  bool possible = false;
  Walk walk{*this, system_.tasks[task].body, [&](NodeIndex node, Flags not_yet, Walk::Group group) {
              const Certainty here = does(node);
              possible = possible || here != Certainty::never;
              if (here == Certainty::always && group != Walk::Group::any_order) return Flags{false, true};
              return not_yet;
            }};
  walk.run({true, false});
  if (!possible) return Certainty::never;
  return walk.ended.unset && !walk.ended.set ? Certainty::always : Certainty::sometimes;
}

bool JobPaths::may_precede(TaskIndex task, const Does& late, const Does& early) const {
  // In most tasks, the order of the activities decides.
  for (const NodeIndex node : system_.tasks[task].body) {
    if (straight_[node] && system_.graph[node].unordered == 0 && early(node) == Certainty::always) return false;
    if (late(node) != Certainty::never) break;
  }
  bool found = false;
  Walk walk{*this, system_.tasks[task].body, [&](NodeIndex node, Flags not_yet, Walk::Group group) {
              const bool certain = early(node) == Certainty::always;
              if (not_yet.set && !certain && late(node) != Certainty::never) found = true;
              if (certain && group != Walk::Group::any_order) return Flags{false, true};
              return not_yet;
            }};
  walk.run({true, false});
  return found;
}

bool JobPaths::may_remain(TaskIndex task, const Does& early, const Does& late) const {
  Walk walk{*this, system_.tasks[task].body,
            [&](NodeIndex node, Flags open, Walk::Group group) {
              if (late(node) == Certainty::always && group != Walk::Group::any_order) return Flags{false, true};
              const Certainty here = early(node);
              if (here != Certainty::never) open.set = true;
              if (here == Certainty::always) open.unset = false;
              return open;
            },
            true};
  walk.run({false, true});
  return walk.ended.set;
}

}  // namespace amalthea
