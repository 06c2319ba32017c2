// SPDX-License-Identifier: Apache-2.0
#include "tests/adversary/campaign.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <fmt/core.h>

#include "tests/support/system_file.hpp"

namespace adversary {
namespace {

using namespace amalthea;

std::string kind_of(const Guarantee& guarantee) {
  static constexpr std::string_view sources[] = {"", " (verdict)", " (headroom)", " (exploration)"};
  std::string kind(to_string(guarantee.kind));
  if (guarantee.kind == Guarantee::Kind::latency || guarantee.kind == Guarantee::Kind::chain_limit)
    kind += fmt::format(", {}", to_string(guarantee.communication));
  if (guarantee.stated_offsets) kind += ", stated offsets";
  return kind + std::string(sources[static_cast<std::size_t>(guarantee.source)]);
}

void count(Counts& counts, const Attacked& attacked) {
  ++counts.guarantees;
  counts.attacked += attacked.outcome != Attacked::Outcome::unmeasured ? 1 : 0;
  counts.broken += attacked.outcome == Attacked::Outcome::broken ? 1 : 0;
  counts.reached += attacked.reached ? 1 : 0;
}

std::string rows(const std::map<std::string, Counts>& of, std::string_view head) {
  std::string text = fmt::format("{:<44} {:>8} {:>11} {:>9} {:>7} {:>13}\n", head, "systems", "guarantees", "attacked",
                                 "broken", "within 1 %");
  for (const auto& [name, counts] : of)
    text += fmt::format("{:<44} {:>8} {:>11} {:>9} {:>7} {:>13}\n", name, counts.systems, counts.guarantees,
                        counts.attacked, counts.broken, counts.reached);
  return text;
}

/// Reasons that differ in names only are one.
std::string reason_of(std::string reason) {
  std::string text;
  for (const char each : reason.substr(0, reason.find('\n'))) {
    if (each >= '0' && each <= '9') continue;
    text += each;
  }
  return text.substr(0, 100);
}

}  // namespace

std::string Campaign::text() const {
  std::string text =
      fmt::format("{} systems, {} executions, {} guarantees broken\n\n", systems, executions, broken.size());
  text += rows(of_feature, "feature") + "\n" + rows(of_kind, "guarantee");
  if (!unmeasured.empty()) text += "\nguarantees of which no execution showed a value\n";
  for (const auto& [kind, number] : unmeasured) text += fmt::format("{:>8}  {}\n", number, kind);
  if (!not_attacked.empty()) text += "\nsystems not attacked\n";
  for (const auto& [why, number] : not_attacked) text += fmt::format("{:>8}  {}\n", number, why);
  return text;
}

Campaign attack_systems(std::uint32_t seed, std::uint32_t first, std::uint32_t count_of_systems,
                        const AttackOptions& options, const std::function<bool(const Broken&)>& found) {
  Campaign campaign;
  for (std::uint32_t number = first; number < first + count_of_systems; ++number) {
    const DrawnSystem drawn = draw_system(seed, number);
    const Statement statement = statement_of(drawn, number);
    ++campaign.systems;
    if (!statement.refused.empty()) ++campaign.not_attacked[reason_of(statement.refused)];
    const test::SystemFeatures has = drawn.random.has();
    bool counted = false;
    std::set<std::string> kinds;
    for (const Target& target : statement.targets) {
      AttackOptions with = options;
      with.seed = options.seed * 1'000'003 + number;
      const Attack attacked =
          drawn.random.memory.source == engine::MemoryModel::Source::table
              ? Attack{"a table of memory costs", std::vector<Attacked>(target.guarantees.size()), 0}
              : attack(target.amxmi, target, drawn.random.profile, with);
      campaign.executions += static_cast<std::uint64_t>(attacked.executions);
      if (!attacked.refused.empty()) ++campaign.not_attacked[reason_of(attacked.refused)];
      for (std::size_t index = 0; index < target.guarantees.size(); ++index) {
        const Guarantee& guarantee = target.guarantees[index];
        const Attacked& one = attacked.of[index];
        for (std::size_t feature = 0; feature < test::feature_count; ++feature)
          if (has[feature]) {
            Counts& counts = campaign.of_feature[std::string(name_of(static_cast<test::SystemFeature>(feature)))];
            count(counts, one);
            counts.systems += counted ? 0 : 1;
          }
        counted = true;
        const std::string kind = kind_of(guarantee);
        count(campaign.of_kind[kind], one);
        campaign.of_kind[kind].systems += kinds.insert(kind).second ? 1 : 0;
        if (attacked.refused.empty() && one.outcome == Attacked::Outcome::unmeasured) ++campaign.unmeasured[kind];
        if (one.outcome != Attacked::Outcome::broken) continue;
        Broken broken{seed, number, target.amxmi, guarantee, one.seen, options.until, one.closest};
        campaign.broken.push_back(broken);
        if (found && !found(broken)) return campaign;
      }
    }
  }
  return campaign;
}

// ---- files

std::string behaviour_text(const Broken& broken) {
  return fmt::format("# {}\n# {}\n# guarantee {}\n# system {} {}\n# until {}\n{}", broken.guarantee.name, broken.seen,
                     broken.guarantee.name, broken.seed, broken.number, broken.until, text_of(broken.behaviour));
}

Broken broken_of(std::string amxmi, const std::string& behaviour) {
  Broken broken;
  broken.amxmi = std::move(amxmi);
  broken.behaviour = behaviour_of(behaviour);
  const auto value_of = [&](const std::string& key) {
    const std::size_t at = behaviour.find("# " + key + " ");
    if (at == std::string::npos) throw std::invalid_argument("the behaviour does not state its " + key);
    const std::size_t from = at + key.size() + 3;
    return behaviour.substr(from, behaviour.find('\n', from) - from);
  };
  broken.guarantee.name = value_of("guarantee");
  const std::string system = value_of("system");
  broken.seed = static_cast<std::uint32_t>(std::stoul(system));
  broken.number = static_cast<std::uint32_t>(std::stoul(system.substr(system.find(' '))));
  broken.until = std::stoll(value_of("until"));
  return broken;
}

Replayed replay(const Broken& broken) {
  const DrawnSystem drawn = draw_system(broken.seed, broken.number);
  const Statement statement = statement_of(broken.amxmi, drawn.options());
  if (!statement.refused.empty()) return {false, false, statement.refused};
  const Target& target = statement.targets.front();
  const auto stated = std::find_if(target.guarantees.begin(), target.guarantees.end(),
                                   [&](const Guarantee& guarantee) { return guarantee.name == broken.guarantee.name; });
  if (stated == target.guarantees.end()) return {false, false, "the product does not state it any more"};
  const Guarantee& guarantee = *stated;
  AttackOptions options;
  options.until = broken.until;
  const Shown shown = show(broken.amxmi, target, guarantee, drawn.random.profile, broken.behaviour, options);
  const std::string jobs = jobs_text(broken.amxmi, guarantee, drawn.random.profile, broken.behaviour, options);
  return {true, shown.broken, jobs + (shown.broken ? shown.seen : "it holds")};
}

// ---- smaller systems

namespace {

using Change = std::function<bool(System&)>;  ///< false: nothing to change

class Shrinker {
 public:
  Shrinker(const Broken& broken, const AttackOptions& options, int attempts)
      : best_(broken), drawn_(draw_system(broken.seed, broken.number)), options_(options), attempts_(attempts) {}

  Broken run() {
    try {
      system_ = test::system_of(best_.amxmi);
    } catch (const std::exception&) {
      return best_;
    }
    for (bool again = true; again && attempts_ > 0;) {
      again = false;
      for (const Change& change : changes()) {
        if (attempts_ <= 0) break;
        System changed = system_;
        if (change(changed) && still_broken(changed)) again = true;
      }
    }
    return best_;
  }

 private:
  bool still_broken(const System& changed) {
    --attempts_;
    try {
      const std::string amxmi = test::model_of(changed);
      const Statement statement = statement_of(amxmi, drawn_.options());
      if (!statement.refused.empty()) return false;
      const Target& target = statement.targets.front();
      const auto stated =
          std::find_if(target.guarantees.begin(), target.guarantees.end(),
                       [&](const Guarantee& guarantee) { return guarantee.name == best_.guarantee.name; });
      if (stated == target.guarantees.end()) return false;
      const Target one{amxmi, target.system, {*stated}};
      const Attack attacked = attack(amxmi, one, drawn_.random.profile, options_);
      if (attacked.of.front().outcome != Attacked::Outcome::broken) return false;
      best_.amxmi = amxmi;
      best_.guarantee = *stated;
      best_.seen = attacked.of.front().seen;
      best_.behaviour = attacked.of.front().closest;
      system_ = test::system_of(amxmi);
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  template <typename Value>
  static void add_removals(std::vector<Change>& changes, const std::vector<Value>& values,
                           std::vector<Value> System::*member) {
    if (values.size() > 1)
      changes.push_back([member](System& system) {
        (system.*member).clear();
        return true;
      });
    for (std::size_t at = values.size(); at-- > 0;)
      changes.push_back([member, at](System& system) {
        auto& all = system.*member;
        if (at >= all.size()) return false;
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
        return true;
      });
  }

  static std::size_t length_at(const System& system, const std::vector<NodeIndex>& body, std::size_t at) {
    const GraphNode& node = system.graph[body[at]];
    std::size_t end = at + 1;
    if (const auto* branch = std::get_if<Branch>(&node.activity)) {
      for (const Branch::Alternative& alternative : branch->alternatives) end += alternative.length;
    } else if (std::holds_alternative<Call>(node.activity)) {
      while (end < body.size() && system.graph[body[end]].runnable == node.runnable &&
             !std::holds_alternative<Call>(system.graph[body[end]].activity))
        ++end;
    } else if (const auto* section = std::get_if<Uninterruptible>(&node.activity); section && section->begins) {
      while (end < body.size() && !std::holds_alternative<Uninterruptible>(system.graph[body[end]].activity)) ++end;
      ++end;
    }
    return std::min(end, body.size()) - at;
  }

  /// Before so many activities of some alternative are removed.
  static void shorten_branches(System& system, const std::vector<NodeIndex>& body, std::size_t at, std::size_t length) {
    for (std::size_t outer = 0; outer < at; ++outer) {
      auto* branch = std::get_if<Branch>(&system.graph[body[outer]].activity);
      std::size_t begin = outer + 1;
      for (std::size_t i = 0; branch != nullptr && i < branch->alternatives.size(); ++i) {
        std::size_t& alternative = branch->alternatives[i].length;
        const std::size_t end = begin + alternative;
        if (at >= begin && at < end) alternative -= std::min(length, end - at);
        begin = end;
      }
    }
  }

  std::vector<Change> changes() const {
    std::vector<Change> changes;
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
      changes.push_back([task](System& system) {
        bool any = !system.tasks[task].body.empty();
        for (Stimulus& stimulus : system.stimuli) any = std::erase(stimulus.activates, task) > 0 || any;
        system.tasks[task].body.clear();
        system.tasks[task].deadline.reset();
        return any;
      });
    add_removals(changes, system_.constraints, &System::constraints);
    add_removals(changes, system_.requirements, &System::requirements);
    add_removals(changes, system_.chains, &System::chains);
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      for (std::size_t at = system_.tasks[task].body.size(); at-- > 0;)
        changes.push_back([task, at](System& system) {
          auto& body = system.tasks[task].body;
          if (at >= body.size()) return false;
          const std::size_t length = length_at(system, body, at);
          shorten_branches(system, body, at, length);
          const auto begin = body.begin() + static_cast<std::ptrdiff_t>(at);
          body.erase(begin, begin + static_cast<std::ptrdiff_t>(length));
          return true;
        });
      changes.push_back([task](System& system) {
        Task& changed = system.tasks[task];
        const bool any = changed.preemption != Preemption::preemptive;
        changed.preemption = Preemption::preemptive;
        return any;
      });
      changes.push_back([task](System& system) {
        Task& changed = system.tasks[task];
        const bool any = changed.activation_limit != 0;
        changed.activation_limit = 0;
        return any;
      });
      changes.push_back([task](System& system) {
        Task& changed = system.tasks[task];
        const bool any = changed.deadline.has_value();
        changed.deadline.reset();
        return any;
      });
    }
    for (StimulusIndex stimulus = 0; stimulus < system_.stimuli.size(); ++stimulus) {
      const auto periodic = [&](auto change) {
        changes.push_back([stimulus, change](System& system) {
          auto* occurrence = std::get_if<Periodic>(&system.stimuli[stimulus].occurrence);
          return occurrence != nullptr && change(*occurrence);
        });
      };
      periodic([](Periodic& each) { return !std::exchange(each.offset, Duration{}).is_zero(); });
      periodic([](Periodic& each) { return !std::exchange(each.minimum_distance, Duration{}).is_zero(); });
      periodic([](Periodic& each) { return std::exchange(each.jitter, Distribution{}).upper != 0; });
      changes.push_back([stimulus](System& system) {
        Stimulus& changed = system.stimuli[stimulus];
        const bool any = changed.condition || !changed.sets.empty() || changed.counter.prescaler != 1;
        changed.condition.reset();
        changed.sets.clear();
        changed.counter = {};
        return any;
      });
    }
    for (NodeIndex node = 0; node < system_.graph.size(); ++node)
      if (std::holds_alternative<Compute>(system_.graph[node].activity))
        changes.push_back([node](System& system) {
          if (node >= system.graph.size()) return false;
          auto* compute = std::get_if<Compute>(&system.graph[node].activity);
          if (compute == nullptr || !compute->ticks.otherwise) return false;
          Cycles& cycles = *compute->ticks.otherwise;
          if (cycles.lower == cycles.upper) return false;
          cycles = {cycles.upper, cycles.upper, cycles.upper};
          return true;
        });
    changes.push_back([](System& system) {
      bool any = false;
      for (Scheduler& scheduler : system.platform.schedulers) {
        any = any || scheduler.overhead;
        scheduler.overhead.reset();
      }
      return any;
    });
    return changes;
  }

  Broken best_;
  DrawnSystem drawn_;
  AttackOptions options_;
  int attempts_;
  System system_;
};

}  // namespace

Broken shrunk(const Broken& broken, const AttackOptions& options, int attempts) {
  return Shrinker(broken, options, attempts).run();
}

}  // namespace adversary
