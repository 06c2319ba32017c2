// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration_problem.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "amalthea/primitives/near_miss.hpp"
#include "engine/chains/chain_search.hpp"
#include "engine/program/kernel_instructions.hpp"
#include "importer/building/mapping_constraints.hpp"

namespace amalthea::analysis {
namespace {

constexpr std::string_view chain_prefix = "chain:";

template <typename T>
bool contains(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

/// Systems of one model with its functions on CPUs or GPUs.
class Placer {
 public:
  /// `chains`: those after the model's own.
  Placer(const Model& model, std::shared_ptr<const Prepared> prepared, std::vector<std::string> chains)
      : model_(&model), prepared_(std::move(prepared)), chains_(std::move(chains)) {
    const System& system = prepared_->system;
    for (TaskIndex task = 0; task < system.tasks.size(); ++task)
      if (is_function(task)) functions_.push_back(task);
  }

  const std::vector<TaskIndex>& functions() const { return functions_; }
  /// The units for functions that move between CPU and GPU.
  void allow(std::vector<std::vector<UnitIndex>> allowed) { allowed_ = std::move(allowed); }

  std::optional<System> place(const std::vector<bool>& on_cpu) const {
    const System& system = prepared_->system;
    importer::BuildOptions build = prepared_->build;
    for (const TaskIndex task : functions_) {
      const bool is_on_cpu = system.tasks[task].side == Side::host;
      if (on_cpu[task] == is_on_cpu) continue;
      const auto unit = unit_for(task, on_cpu[task] ? PuType::cpu : PuType::gpu);
      if (!unit) return std::nullopt;
      importer::MappingChange change;
      change.task = system.tasks[task].name;
      change.core = system.platform.units[*unit].name;
      build.mapping.push_back(std::move(change));
    }
    Diagnostics ignored;
    auto placed = importer::build_system(*model_, build, ignored);
    if (!placed || placed->tasks.size() != system.tasks.size() || !complete(*placed)) return std::nullopt;
    return placed;
  }

  bool complete(System& system) const {
    for (const std::string& text : chains_) {
      auto chain = engine::parse_chain(system, text);
      if (!chain) return false;
      system.chains.push_back(std::move(*chain));
    }
    Diagnostics ignored;
    return engine::resolve_instructions(system, prepared_->analysis.profile, ignored);
  }

 private:
  /// Tasks on a GPU, and functions whose wrappers were removed.
  bool is_function(TaskIndex task) const {
    const System& system = prepared_->system;
    if (system.tasks[task].kind != ProcessKind::task) return false;
    return system.tasks[task].side == Side::device ||
           std::any_of(system.tasks.begin(), system.tasks.end(),
                       [task](const Task& other) { return other.folded_into == task; });
  }

  std::optional<UnitIndex> unit_for(TaskIndex task, PuType type) const {
    const Platform& platform = prepared_->system.platform;
    const auto fits = [&](UnitIndex unit) {
      return platform.units[unit].type == type &&
             std::any_of(platform.schedulers.begin(), platform.schedulers.end(), [unit](const Scheduler& scheduler) {
               return !scheduler.interrupt_controller && contains(scheduler.units, unit);
             });
    };
    if (!allowed_.empty()) {
      for (const UnitIndex unit : allowed_[task])
        if (fits(unit)) return unit;
      return std::nullopt;
    }
    for (UnitIndex unit = 0; unit < platform.units.size(); ++unit)
      if (fits(unit)) return unit;
    return std::nullopt;
  }

  const Model* model_;
  std::shared_ptr<const Prepared> prepared_;
  std::vector<std::string> chains_;
  std::vector<TaskIndex> functions_;
  std::vector<std::vector<UnitIndex>> allowed_;
};

/// The systems that show where tasks can run: the model's, and every function on the other side.
std::vector<System> other_placements(const Placer& placer, const System& system) {
  std::vector<System> others;
  std::vector<bool> on_cpu(system.tasks.size(), false);
  for (const TaskIndex task : placer.functions()) on_cpu[task] = system.tasks[task].side == Side::host;
  for (const TaskIndex task : placer.functions()) {
    on_cpu[task] = !on_cpu[task];
    if (auto other = placer.place(on_cpu)) others.push_back(std::move(*other));
    on_cpu[task] = !on_cpu[task];
  }
  return others;
}

/// `--pin`.
Outcome<void> pin(const System& system, const std::vector<std::string>& texts, explore::Constraints& constraints) {
  for (const std::string& text : texts) {
    const std::string option = "--pin " + text;
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      return misused(option, "expected TASK=UNIT or TASK=UNIT|UNIT");
    const auto task = task_named(system, option, text.substr(0, equals));
    if (!task) return tl::unexpected(task.error());
    std::vector<UnitIndex> wanted;
    for (const std::string& name : split(text.substr(equals + 1), '|')) {
      const auto& units = system.platform.units;
      const auto unit = std::find_if(units.begin(), units.end(), [&](const auto& other) { return other.name == name; });
      if (unit == units.end())
        return misused(option, fmt::format("the model has no processing unit \"{}\"", name),
                       did_you_mean_or_list(name, units, &ProcessingUnit::name));
      const auto index = static_cast<UnitIndex>(unit - units.begin());
      if (!contains(constraints.allowed[*task], index))
        return misused(option,
                       fmt::format("\"{}\" cannot run on \"{}\": it has no ticks for that unit, the unit has no "
                                   "scheduler or no clock, or a constraint forbids it",
                                   system.tasks[*task].name, name));
      if (!contains(wanted, index)) wanted.push_back(index);
    }
    constraints.allowed[*task] = std::move(wanted);
  }
  return {};
}

/// `--together` and `--apart`.
Outcome<void> add_groups(const System& system, std::string_view option, const std::vector<std::string>& texts,
                         std::vector<std::vector<TaskIndex>>& groups) {
  for (const std::string& text : texts) {
    const std::string given = fmt::format("{} {}", option, text);
    std::vector<TaskIndex> group;
    for (const std::string& name : split(text, ',')) {
      const auto task = task_named(system, given, name);
      if (!task) return tl::unexpected(task.error());
      if (!contains(group, *task)) group.push_back(*task);
    }
    if (group.size() < 2) return misused(given, "expected two or more tasks, separated by commas");
    groups.push_back(std::move(group));
  }
  return {};
}

/// The objectives; adds chains that the model lacks to the system and to `chains`.
Outcome<std::vector<explore::Objective>> objectives_of(const ExplorationRequest& input, System& system,
                                                       std::vector<std::string>& chains, Diagnostics& diagnostics) {
  std::vector<explore::Objective> objectives;
  for (const std::string& text : input.objectives) {
    if (text == "response") {
      objectives.emplace_back(explore::LargestResponse{});
    } else if (text == "load") {
      objectives.emplace_back(explore::LoadBalance{});
    } else if (text == "changes") {
      objectives.emplace_back(explore::FewestChanges{});
    } else if (text.starts_with(chain_prefix)) {
      const std::string chain_text = text.substr(chain_prefix.size());
      std::size_t index = 0;
      while (index < system.chains.size() && system.chains[index].name != chain_text) ++index;
      if (index == system.chains.size()) {
        auto chain = engine::parse_chain(system, chain_text);
        if (!chain) return misused("--objective " + text, chain.error());
        engine::report_gaps(system, *chain, diagnostics);
        system.chains.push_back(std::move(*chain));
        chains.push_back(chain_text);
      }
      objectives.emplace_back(explore::ChainLatency{index});
    } else {
      return misused("--objective " + text, "expected response, load, changes or chain:A->B->C",
                     did_you_mean(text, std::array<std::string_view, 3>{"response", "load", "changes"}));
    }
  }
  return objectives;
}

explore::Freedom freedom_of(const ExplorationRequest& input) {
  const auto is_free = [&](std::string_view what) {
    return std::find(input.keep.begin(), input.keep.end(), what) == input.keep.end();
  };
  return {is_free("mapping"), is_free("offloading"), is_free("priorities"),
          is_free("waiting"), is_free("slices"),     is_free("offsets")};
}

/// Functions need not move between CPU and GPU; a failure if `--pin` requires a move.
Outcome<void> keep_sides(const System& system, const std::vector<std::string>& pins,
                         explore::Constraints& constraints) {
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    auto& allowed = constraints.allowed[task];
    const bool on_gpu = system.platform.units[system.tasks[task].unit].type == PuType::gpu;
    allowed.erase(
        std::remove_if(allowed.begin(), allowed.end(),
                       [&](UnitIndex unit) { return (system.platform.units[unit].type == PuType::gpu) != on_gpu; }),
        allowed.end());
    if (!allowed.empty()) continue;
    const std::string& name = system.tasks[task].name;
    for (const std::string& pin : pins)
      if (pin.starts_with(name + "="))
        return misused("--pin " + pin,
                       fmt::format("--keep offloading does not let \"{}\" move between CPU and GPU", name),
                       "omit one of the two options");
    allowed.push_back(system.tasks[task].unit);
  }
  return {};
}

/// For tasks that must be on one unit, the units on which all may run; tasks that a placement removes do not count in
/// it.
std::vector<UnitIndex> common_units(const std::vector<const System*>& placements,
                                    const explore::Constraints& constraints, const std::vector<TaskIndex>& group) {
  std::vector<UnitIndex> common;
  bool first = true;
  for (const TaskIndex task : group) {
    if (std::any_of(placements.begin(), placements.end(),
                    [task](const System* system) { return system->tasks[task].folded_into.has_value(); }))
      continue;
    const auto& allowed = constraints.allowed[task];
    if (std::exchange(first, false)) {
      common = allowed;
      continue;
    }
    common.erase(std::remove_if(common.begin(), common.end(), [&](UnitIndex unit) { return !contains(allowed, unit); }),
                 common.end());
  }
  if (first) common.push_back(0);  // no task counts
  return common;
}

/// All tasks that must be on the same unit as members of `group`.
std::vector<TaskIndex> whole_group(const explore::Constraints& constraints, std::vector<TaskIndex> group) {
  for (bool grows = true; grows;) {
    grows = false;
    for (const auto& other : constraints.together) {
      if (std::none_of(other.begin(), other.end(), [&](TaskIndex task) { return contains(group, task); })) continue;
      for (const TaskIndex task : other)
        if (!contains(group, task)) {
          group.push_back(task);
          grows = true;
        }
    }
  }
  std::sort(group.begin(), group.end());
  return group;
}

std::string names_of(const System& system, const std::vector<TaskIndex>& tasks) {
  std::string names;
  for (const TaskIndex task : tasks)
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", system.tasks[task].name);
  return names;
}

/// Omits, with a note, groups of the model that no unit can hold.
void drop_impossible_groups(const std::vector<const System*>& placements, explore::Constraints& constraints,
                            std::vector<std::string>& notes) {
  const auto wanted = std::exchange(constraints.together, {});
  for (const auto& group : wanted) {
    constraints.together.push_back(group);
    const auto whole = whole_group(constraints, group);
    if (!common_units(placements, constraints, whole).empty()) continue;
    constraints.together.pop_back();
    notes.push_back(fmt::format(
        "affinity constraints of the model require {} to share a unit, but no unit can run all of them; the search "
        "ignores the constraint on {}",
        names_of(*placements.front(), whole), names_of(*placements.front(), group)));
  }
}

/// A failure if options leave no unit to tasks that must be together.
Outcome<void> check_groups(const std::vector<const System*>& placements, const explore::Constraints& constraints) {
  for (const auto& group : constraints.together) {
    const auto whole = whole_group(constraints, group);
    if (common_units(placements, constraints, whole).empty())
      return misused(
          {},
          fmt::format("{} have to share a unit, but no unit may run all of them", names_of(*placements.front(), whole)),
          "omit --together, or allow them a common unit (--pin)");
  }
  return {};
}

}  // namespace

OptionTable search_options(ExplorationRequest& request) {
  const OptionTable wanted = {
      row("objective", &request.objectives,
          "What to improve: response, load, changes or chain:A->B->C. Only among mappings that meet all deadlines. "
          "response: the largest response-time bound relative to its deadline; load: the largest CPU utilization; "
          "changes: the number of changes; chain: the reaction time of a chain, by its name or its tasks. Several, "
          "separated by commas, give a Pareto front",
          {group::search}, {.takes = "WHAT", .by_commas = true, .keyword = "objectives"}),
      row("plan", &request.plan,
          "Find the fewest changes after which limits hold. Changes of the mapping, of offsets, of suspected mistakes "
          "and of execution times; the plan says what each of them turns",
          {group::search}, {.excludes = {"objective"}}),
      row("keep", &request.keep,
          "Do not change these, separated by commas: mapping, offloading, priorities, waiting, slices, offsets",
          {group::search},
          {.takes = "WHAT",
           .choices = {"mapping", "offloading", "priorities", "waiting", "slices", "offsets"},
           .by_commas = true}),
      row("pin", &request.pins, "Run the task only on this unit. TASK=UNIT or TASK=UNIT|UNIT; may be repeated",
          {group::search}, {.takes = "TASK=UNIT", .keyword = "pins"}),
      row("together", &request.together, "Run these tasks on one unit. May be repeated", rare(group::search),
          {.takes = "A,B"}),
      row("apart", &request.apart, "Run each of these tasks on a different unit. May be repeated", rare(group::search),
          {.takes = "A,B"}),
      row("affinity", &request.keep_affinity,
          "Keep the affinities of the model. Default: a task may run on every unit that has ticks for it",
          rare(group::search))};
  const OptionTable effort = {
      row("candidates", &request.candidates, "Number of mappings to evaluate", {group::search},
          {.range = Range{1, 1'000'000'000}}),
      row("search-steps", &request.steps,
          "Steps that all bounds of a search may take. A search that needs more ends earlier", rare(group::search),
          {.range = Range{1, 1'000'000'000'000'000}}),
      row("seconds", &request.seconds, "Stop the search after this time. Results may then differ between runs",
          rare(group::search), {.range = RealRange{0, 1e9}}),
      row("seed", &request.seed, "Random seed of the search. The same seed gives the same result", rare(group::search)),
      row("jobs", &request.jobs, "Number of threads. Default: one per core. The result does not depend on it",
          rare(group::search), {.range = Range{1, 1024}, .usual = "", .letter = 'j'})};
  return joined({wanted, effort});
}

OptionTable walk_options(ExplorationRequest& request) {
  return {
      row("shard", &request.shard,
          "Do only the I-th of N parts of the search, at most 8, and leave it in --checkpoint. --merge joins the parts",
          rare(group::run), {.takes = "I/N"}),
      row("merge", &request.merge, "Join this part, with the same options, instead of searching. May be repeated",
          rare(group::run), {.takes = "PART", .file = FileKind::read, .excludes = {"shard"}}),
      row("checkpoint", &request.checkpoint,
          "Keep the finished parts of the search in this file. The same command goes on from there; at the end it "
          "removes the file",
          rare(group::run), {.takes = "FILE", .file = FileKind::written})};
}

OptionTable exploration_options(ExplorationRequest& request) {
  const OptionTable shown = {
      row("solution", &request.solution, "Solution of the Pareto front to show and write, counted from 1",
          rare(group::output), {.range = Range{1, 1'000'000}}),
      row("compare", &request.compare,
          "Also show another mapping. A mapping file (*.json) or a model with the same tasks; may be repeated",
          rare(group::output), {.takes = "FILE", .file = FileKind::read})};
  return joined({search_options(request), simulation_options(request), picked(chain_options(request), {"chain"}), shown,
                 walk_options(request)});
}

Outcome<Search> make_search(const Model& model, const ExplorationRequest& input,
                            std::shared_ptr<const Prepared> prepared, Diagnostics& diagnostics) {
  Search search;
  search.problem.system = prepared->system;
  const System& system = search.problem.system;
  std::vector<std::string> chains = input.chains;
  auto objectives = objectives_of(input, search.problem.system, chains, diagnostics);
  if (!objectives) return tl::unexpected(objectives.error());
  Placer placer(model, prepared, std::move(chains));

  const std::vector<System> others = other_placements(placer, system);
  std::vector<const System*> placements = {&system};
  for (const System& other : others) placements.push_back(&other);
  auto constraints = importer::mapping_constraints(model, placements, input.keep_affinity, diagnostics);
  search.problem.constraints = {std::move(constraints.allowed), std::move(constraints.together),
                                std::move(constraints.apart)};
  explore::Constraints& limits = search.problem.constraints;
  drop_impossible_groups(placements, limits, search.notes);
  search.options.freedom = freedom_of(input);
  const auto fits =
      pin(system, input.pins, limits)
          .and_then([&] { return add_groups(system, "--together", input.together, limits.together); })
          .and_then([&] { return add_groups(system, "--apart", input.apart, limits.apart); })
          .and_then([&] {
            return search.options.freedom.offloading ? Outcome<void>() : keep_sides(system, input.pins, limits);
          })
          .and_then([&] { return check_groups(placements, limits); });
  if (!fits) return tl::unexpected(fits.error());
  placer.allow(search.problem.constraints.allowed);
  search.problem.place = [placer](const std::vector<bool>& on_cpu) { return placer.place(on_cpu); };
  search.complete = [placer](System& other) { return placer.complete(other); };
  search.options.objectives = std::move(*objectives);
  search.options.candidates = input.candidates;
  search.options.steps = input.steps;
  search.options.seconds = input.seconds;
  search.options.seed = input.seed;
  search.options.threads = input.jobs != 0 ? input.jobs : std::max(1U, std::thread::hardware_concurrency());
  search.options.analysis = prepared->analysis;
  return search;
}

}  // namespace amalthea::analysis
