// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "engine/bounds/bounds.hpp"
#include "engine/bounds/demand.hpp"
#include "engine/chains/chain_latency.hpp"
#include "engine/results/lost_activations.hpp"
#include "explore/detail/evaluator.hpp"
#include "explore/detail/impossible.hpp"

namespace amalthea::explore {
namespace detail {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// An unknown bound counts as an excess of this many deadlines.
constexpr double unbounded_excess = 10;

double as_double(Duration duration) { return static_cast<double>(duration.picoseconds()); }

double ratio(Duration part, Duration whole) { return as_double(part) / std::max(1.0, as_double(whole)); }

/// The share of activations that may be lost at once counts like a share of the deadline.
double excess_of_losses(const Task& task, const engine::Bound& bound) {
  const auto limit = static_cast<double>(std::max<std::uint32_t>(1, task.activation_limit));
  const double pending = bound.pending ? static_cast<double>(*bound.pending) : infinite;
  return std::min(unbounded_excess, pending / limit - 1);
}

/// In picoseconds, which may exceed the range of Duration; nothing if a response is unbounded.
using Latency = std::optional<amalthea::detail::Int128>;

Latency reaction(const System& system, const ChainForm& form, const std::vector<engine::Bound>& bounds) {
  if (!form.known) return std::nullopt;
  amalthea::detail::Int128 total = 0;
  for (const ChainForm::Position& position : form.positions) {
    amalthea::detail::Int128 longest = 0;
    for (const auto& [task, times] : position.responses) {
      if (!bounds[task].worst || !engine::why_activations_may_be_lost(system, task, bounds[task]).empty())
        return std::nullopt;
      longest += amalthea::detail::Int128{bounds[task].worst->picoseconds()} * times;
    }
    total += position.period.picoseconds() + longest;
  }
  return total;
}

}  // namespace

/// Latencies are linear in the responses, so one analysis per task yields its factor.
ChainForm chain_form(const System& system, std::size_t chain) {
  ChainForm form;
  if (chain >= system.chains.size() || system.chains[chain].tasks.empty()) return form;
  System probe = system;
  probe.chains.clear();
  for (const TaskIndex task : system.chains[chain].tasks) {
    Chain single;
    single.tasks = {task};
    probe.chains.push_back(std::move(single));
    form.positions.emplace_back();
  }
  engine::Bound none;
  none.worst = Duration{};
  none.pending = 1;
  std::vector<engine::Bound> responses(system.tasks.size(), none);
  const auto at_zero = engine::chain_latencies(probe, responses);
  for (std::size_t i = 0; i < at_zero.size(); ++i) {
    if (!at_zero[i].implicit) return form;
    form.positions[i].period = at_zero[i].implicit->reaction;
  }
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    responses[task].worst = Duration::picoseconds(1);
    const auto found = engine::chain_latencies(probe, responses);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!found[i].implicit) return form;
      const Duration more = found[i].implicit->reaction - form.positions[i].period;
      if (!more.is_zero()) form.positions[i].responses.emplace_back(task, more.picoseconds());
    }
    responses[task].worst = Duration{};
  }
  form.known = true;
  return form;
}

Demands demands_of(const Space& space, const Placement& placement) {
  Demands demands;
  engine::CompileOptions options;
  options.flatten_branches = true;
  options.memory.source = engine::MemoryModel::Source::uncontended;
  const System& system = placement.system;
  demands.rates =
      engine::job_rates(system, engine::compile_programs(system, engine::Execution::worst, space.devices, options));
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    std::vector<double> on_unit(system.platform.units.size(), 0);
    if (placement.host[task]) {
      std::vector<UnitIndex> units = space.cpus[task];
      units.push_back(system.tasks[task].unit);
      for (const UnitIndex unit : units)
        if (is_cpu(system.platform, unit) && !system.platform.units[unit].frequency.is_zero())
          on_unit[unit] =
              demands.rates[task] *
              as_double(
                  engine::compile_program(system, task, unit, engine::Execution::worst, nullptr, options).execution);
    }
    demands.on_unit.push_back(std::move(on_unit));
  }
  return demands;
}

Facts facts_of(const Space& space) {
  Facts facts;
  for (const Placement& placement : space.placements) {
    facts.demands.push_back(demands_of(space, placement));
    std::vector<ChainForm> chains(placement.system.chains.size());
    for (const Objective& objective : space.options.objectives)
      if (const auto* latency = std::get_if<ChainLatency>(&objective);
          latency != nullptr && latency->chain < chains.size())
        chains[latency->chain] = chain_form(placement.system, latency->chain);
    for (std::size_t chain = 0; chain < chains.size(); ++chain)
      if (!chains[chain].known && !placement.system.chains[chain].limits.empty())
        chains[chain] = chain_form(placement.system, chain);
    facts.chains.push_back(std::move(chains));
  }
  return facts;
}

Evaluator::Evaluator(const Space& space, const Facts& facts, std::vector<bool> counted)
    : space_(space),
      facts_(facts),
      counted_(std::move(counted)),
      compile_(space.options.analysis.compile),
      benches_(space.placements.size()) {
  compile_.flatten_branches = compile_.every_alternative = compile_.all_units = true;
}

Evaluator::Bench& Evaluator::bench(std::size_t placement) {
  auto& bench = benches_[placement];
  if (bench) return *bench;
  const std::size_t count = space_.problem.system.tasks.size();
  bench = std::make_unique<Bench>();
  bench->system = space_.placements[placement].system;
  bench->best.resize(count);
  bench->worst.resize(count);
  bench->loaded.resize(count, nullptr);
  bench->known.resize(count);
  return *bench;
}

void Evaluator::load(Bench& bench) {
  const System& system = bench.system;
  const engine::MemoryUsers users(system);
  const bool table = compile_.memory.source == engine::MemoryModel::Source::table;
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    std::vector<std::int64_t> others;  // of each core that it may run on
    if (table && task.units.empty()) others.push_back(users.other_cores(task.unit, index));
    for (const UnitIndex unit : task.units)
      if (table) others.push_back(users.other_cores(unit, index));
    const Key key{task.unit, task.units, task.scheduler, std::move(others), table && users.gpu_besides(index)};
    auto& programs = bench.known[index][key];
    if (!programs) {
      programs = std::make_unique<Programs>();
      const auto* device = space_.devices[task.unit];
      programs->best = engine::compile_program(system, index, task.unit, engine::Execution::best, device, compile_);
      programs->worst = engine::compile_program(system, index, task.unit, engine::Execution::worst, device, compile_);
    }
    if (bench.loaded[index] == programs.get()) continue;
    bench.loaded[index] = programs.get();
    bench.best[index] = programs->best;
    bench.worst[index] = programs->worst;
  }
}

/// The longest programs with the most expensive alternative of every branch.
std::vector<engine::Program> Evaluator::with_one_alternative(const Bench& bench) const {
  engine::CompileOptions compile = compile_;
  compile.every_alternative = false;
  std::vector<engine::Program> programs = bench.worst;
  for (TaskIndex index = 0; index < programs.size(); ++index)
    if (std::any_of(programs[index].steps.begin(), programs[index].steps.end(),
                    [](const engine::Step& step) { return !step.alternatives.empty(); })) {
      const UnitIndex unit = bench.system.tasks[index].unit;
      programs[index] =
          engine::compile_program(bench.system, index, unit, engine::Execution::worst, space_.devices[unit], compile);
    }
  return programs;
}

Judgement Evaluator::judge(std::size_t placement, const Candidate& candidate) {
  Bench& bench = this->bench(placement);
  apply(space_.placements[placement], candidate, bench.system);
  load(bench);
  Judgement judgement;
  engine::BoundOptions options;
  options.taken = {&judgement.steps};
  options.contributions = 1;  // nobody looks at them
  judgement.bounds = engine::system_bounds(bench.system, bench.best, bench.worst, space_.devices, options).tasks;
  judgement.broken = broken_constraints(space_.problem.constraints, space_.placements[placement], candidate);
  judge_deadlines(placement, judgement);
  judge_chain_limits(placement, judgement);
  for (const Objective& objective : space_.options.objectives)
    judgement.objectives.push_back(value_of(objective, placement, candidate, bench, judgement));
  return judgement;
}

/// Device tasks without a deadline do not count: their hosts wait for them.
bool Evaluator::matters(std::size_t placement, TaskIndex task, const engine::Bound& bound) const {
  const Placement& placed = space_.placements[placement];
  return placed.active[task] && bound.best && (placed.host[task] || placed.system.tasks[task].deadline);
}

void Evaluator::judge_deadlines(std::size_t placement, Judgement& judgement) const {
  const Placement& placed = space_.placements[placement];
  for (TaskIndex task = 0; task < placed.system.tasks.size(); ++task) {
    const auto& deadline = placed.system.tasks[task].deadline;
    const engine::Bound& bound = judgement.bounds[task];
    if (!matters(placement, task, bound)) continue;
    if (!deadline || !is_counted(placement, task)) {
      judgement.unbounded += bound.worst ? 0 : 1;
      continue;
    }
    const bool late = !bound.worst || *bound.worst > *deadline;
    if (!late && engine::why_activations_may_be_lost(placed.system, task, bound).empty()) continue;
    judgement.late.push_back(task);
    judgement.excess += !bound.worst ? unbounded_excess
                        : late       ? std::min(unbounded_excess, ratio(*bound.worst - *deadline, *deadline))
                                     : excess_of_losses(placed.system.tasks[task], bound);
  }
}

/// Like engine::judge_chain_limits for bounds. Limits that do not depend on the mapping, and explicit communication,
/// are judged by the analysis of the found mapping.
void Evaluator::judge_chain_limits(std::size_t placement, Judgement& judgement) const {
  if (space_.options.analysis.communication != engine::Communication::implicit) return;
  const System& system = space_.placements[placement].system;
  for (std::size_t chain = 0; chain < system.chains.size(); ++chain) {
    const ChainForm& form = facts_.chains[placement][chain];
    for (const ChainLimit& limit : system.chains[chain].limits) {
      if (!limit.maximum || form.positions.empty()) continue;
      const Duration reduction =
          limit.kind == ChainLimit::Kind::age ? form.positions.back().period : form.positions.front().period;
      const Latency longest = reaction(system, form, judgement.bounds);
      const auto above = longest.value_or(0) - reduction.picoseconds() - limit.maximum->picoseconds();
      if (longest && above <= 0) continue;
      ++judgement.broken;
      judgement.late_chains.push_back(chain);
      judgement.excess +=
          longest ? std::min(unbounded_excess, static_cast<double>(above) / std::max(1.0, as_double(*limit.maximum)))
                  : unbounded_excess;
    }
  }
}

double Evaluator::value_of(const Objective& objective, std::size_t placement, const Candidate& candidate,
                           const Bench& bench, const Judgement& judgement) const {
  const Placement& placed = space_.placements[placement];
  if (std::holds_alternative<FewestChanges>(objective))
    return static_cast<double>(count_changes(space_.problem, placed, candidate));
  if (const auto* latency = std::get_if<ChainLatency>(&objective)) {
    const auto& chains = facts_.chains[placement];
    const Latency longest = latency->chain < chains.size()
                                ? reaction(placed.system, chains[latency->chain], judgement.bounds)
                                : std::nullopt;
    return longest ? static_cast<double>(*longest) / 1e12 : infinite;
  }
  if (std::holds_alternative<LoadBalance>(objective)) {
    engine::Results results;
    for (UnitIndex unit = 0; unit < bench.system.platform.units.size(); ++unit)
      if (is_cpu(bench.system.platform, unit)) {
        engine::ResourceResult core;
        core.unit = unit;
        results.resources.push_back(core);
      }
    engine::add_demands(bench.system, with_one_alternative(bench), results);
    double largest = 0;
    for (const engine::ResourceResult& core : results.resources) largest = std::max(largest, core.demand);
    return largest;
  }
  double largest = 0;
  for (TaskIndex task = 0; task < bench.system.tasks.size(); ++task) {
    const engine::Bound& bound = judgement.bounds[task];
    const auto& deadline = bench.system.tasks[task].deadline;
    if (!matters(placement, task, bound)) continue;
    const auto limit = deadline && is_counted(placement, task) ? deadline : placed.periods[task];
    if (limit) largest = std::max(largest, bound.worst ? ratio(*bound.worst, *limit) : infinite);
  }
  return largest;
}

double Evaluator::overload(std::size_t placement, const Candidate& candidate, By by) const {
  const Placement& placed = space_.placements[placement];
  const Demands& demands = facts_.demands[placement];
  std::vector<double> load(placed.system.platform.units.size(), 0);
  for (TaskIndex task = 0; task < candidate.size(); ++task)
    if (placed.host[task] &&
        (by == By::all_tasks || (placed.system.tasks[task].deadline && is_counted(placement, task))))
      load[candidate[task].unit] += demands.on_unit[task][candidate[task].unit];
  double overload = 0;
  for (const double share : load) overload += std::max(0.0, share - 1);
  return overload;
}

}  // namespace detail

std::string describe(const System& system, const Objective& objective) {
  if (const auto* latency = std::get_if<ChainLatency>(&objective))
    return fmt::format("reaction time of {}",
                       latency->chain < system.chains.size() ? system.chains[latency->chain].name : "no chain");
  if (std::holds_alternative<LoadBalance>(objective)) return "largest CPU utilization";
  if (std::holds_alternative<FewestChanges>(objective)) return "number of changes";
  return "largest response relative to its deadline";
}

std::string_view unit_of(const Objective& objective) {
  if (std::holds_alternative<ChainLatency>(objective)) return "s";
  return std::holds_alternative<FewestChanges>(objective) ? "count" : "ratio";
}

Judgement judge(const Problem& problem, const Candidate& candidate, const Options& options) {
  using namespace detail;
  Space space = space_of(problem, options);
  auto counted = counted_tasks(space, impossible_deadlines(space));
  auto index = placement_of(space, candidate);
  if (!index) {  // with many functions the search tries only some combinations
    auto on_cpu = functions_on_cpu(problem.system, space.functions, candidate);
    auto system = problem.place ? problem.place(on_cpu) : std::nullopt;
    if (!system || system->tasks.size() != problem.system.tasks.size())
      throw std::invalid_argument("the candidate places functions on units that cannot run them");
    index = space.placements.size();
    space.placements.push_back(describe_placement(std::move(*system), std::move(on_cpu), problem, options));
  }
  const Facts facts = facts_of(space);
  Evaluator evaluator(space, facts, std::move(counted));
  return evaluator.judge(*index, canonical(space.placements[*index], candidate));
}

Judgement judge(const Problem& problem, const System& mapped, const Options& options) {
  using namespace detail;
  Space space = space_of(problem, options);
  auto counted = counted_tasks(space, impossible_deadlines(space));
  const Candidate candidate = original_candidate(mapped);
  space.placements = {
      describe_placement(mapped, functions_on_cpu(problem.system, space.functions, candidate), problem, options)};
  const Facts facts = facts_of(space);
  Evaluator evaluator(space, facts, std::move(counted));
  return evaluator.judge(0, canonical(space.placements.front(), candidate));
}

}  // namespace amalthea::explore
