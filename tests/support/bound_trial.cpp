// SPDX-License-Identifier: Apache-2.0
#include "tests/support/bound_trial.hpp"

#include <algorithm>
#include <optional>
#include <random>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "engine/analysis.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/chains/chain_latency.hpp"
#include "engine/chains/chain_observation.hpp"
#include "engine/program/releases.hpp"
#include "engine/results/lost_activations.hpp"
#include "engine/simulation/simulation.hpp"

namespace test {
namespace {

using namespace amalthea;
using namespace amalthea::engine;

constexpr Duration horizon = Duration::microseconds(1000);

/// One system, simulated in several ways.
class Trial {
 public:
  Trial(const RandomSystem& drawn, std::uint64_t seed, BoundTrial& all)
      : drawn_(drawn),
        system_(drawn.system),
        seed_(seed),
        all_(all),
        devices_(drawn.system.platform.units.size(), nullptr),
        longest_(drawn.system.tasks.size()) {
    for (UnitIndex unit = 0; unit < devices_.size(); ++unit)
      if (system_.platform.units[unit].type == PuType::gpu) devices_[unit] = &drawn.profile;
    options_.memory = drawn.memory;
    bounds_ = system_bounds(system_, devices_, options_);
    BoundOptions for_offsets;
    for_offsets.for_offsets = true;
    for_offsets.states = 20'000;
    for_offsets_ = system_bounds(system_, devices_, options_, for_offsets);
    chains_ = chain_latencies(system_, bounds_.tasks);
  }

  void run(int random_runs) {
    const Execution executions[] = {Execution::worst, Execution::random, Execution::best, Execution::random};
    for (const Execution execution : {Execution::best, Execution::random, Execution::worst})
      programs_[static_cast<std::size_t>(execution)] = compile_programs(system_, execution, devices_, options_);
    check_parts();
    simulate_one("densest releases", system_, Execution::worst, Execution::worst);
    const System together = without_offsets();
    simulate_one("densest releases without offsets", together, Execution::worst, Execution::worst);
    simulate_one("densest releases, random times", system_, Execution::random, Execution::worst);
    for (int run = 0; run < random_runs; ++run) {
      const Execution times = executions[run % 4];
      simulate_one(fmt::format("random releases {}, times {}", run, to_string(times)),
                   run % 2 == 0 ? together : system_, times, Execution::random);
    }
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      const auto& worst = bounds_.tasks[task].worst;
      ++(worst ? all_.bounded : all_.unbounded);
      const auto& parts = bounds_.tasks[task].parts;
      if (std::any_of(parts.begin(), parts.end(),
                      [](const Contribution& part) { return part.kind == ContributionKind::event; }))
        ++all_.awaiting;
      if (for_offsets_.tasks[task].exact) ++all_.exact;
      if (worst && !worst->is_zero())
        all_.ratios.push_back(static_cast<float>(static_cast<double>(longest_[task].picoseconds()) /
                                                 static_cast<double>(worst->picoseconds())));
    }
    all_.chains += static_cast<std::uint64_t>(
        std::count_if(chains_.begin(), chains_.end(), [](const ChainResult& chain) { return !!chain.implicit; }));
  }

 private:
  void fault(const std::string& what, std::optional<TaskIndex> task = std::nullopt) {
    std::string text = fmt::format("system {}, {}: {}", seed_, way_, what);
    const SystemFeatures met = task ? drawn_.met[*task] : drawn_.has();
    const char* separator = task ? "; in the task: " : "; in the system: ";
    for (std::size_t i = 0; i < feature_count; ++i) {
      if (!met[i]) continue;
      text += fmt::format("{}{}", separator, name_of(static_cast<SystemFeature>(i)));
      separator = ", ";
    }
    all_.faults.push_back(std::move(text));
  }

  void check_parts() {
    way_ = "bounds";
    check_parts(bounds_);
    way_ = "bounds for the stated offsets";
    check_parts(for_offsets_);
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      const auto &general = bounds_.tasks[task].worst, &tighter = for_offsets_.tasks[task].worst;
      if (general && (!tighter || *tighter > *general))
        fault(fmt::format("the bound of {} for the stated offsets is not the smaller one", system_.tasks[task].name),
              task);
      if (for_offsets_.tasks[task].method != BoundMethod::equations) ++all_.for_offsets;
    }
  }

  void check_parts(const SystemBounds& bounds) {
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      const Bound& bound = bounds.tasks[task];
      Duration sum;
      for (const Contribution& part : bound.parts) sum += part.time;
      check_causes(bound.parts, task);
      if (sum != bound.worst.value_or(Duration{}))
        fault(fmt::format("the parts of the bound of {} add up to {}, not {}", system_.tasks[task].name,
                          format_duration(sum), format_duration(bound.worst.value_or(Duration{}))),
              task);
      if (bound.worst.has_value() != bound.reason.empty())
        fault(fmt::format("{} has a bound and a reason why not, or neither", system_.tasks[task].name), task);
    }
  }

  /// Every slowdown has a cause, or many, whose sum has no name. Constant traffic of CPUs is that of no task.
  void check_causes(const std::vector<Contribution>& parts, TaskIndex task) {
    const bool constant = std::any_of(devices_.begin(), devices_.end(), [](const DeviceProfile* device) {
      return device != nullptr && device->cpu_traffic > 0;
    });
    for (const Contribution& part : parts)
      if (part.kind == ContributionKind::interference &&
          (part.traffic == TrafficKind::none ||
           (!part.by && part.others == 0 && !(constant && part.traffic == TrafficKind::cpu))))
        fault(fmt::format("something slows {} down and has no name", system_.tasks[task].name), task);
  }

  System without_offsets() const {
    System changed = system_;
    for (Stimulus& stimulus : changed.stimuli) {
      if (auto* periodic = std::get_if<Periodic>(&stimulus.occurrence)) periodic->offset = {};
      if (auto* sporadic = std::get_if<Sporadic>(&stimulus.occurrence)) sporadic->offset = {};
      if (auto* synthetic = std::get_if<Synthetic>(&stimulus.occurrence)) synthetic->offset = {};
      if (auto* burst = std::get_if<Burst>(&stimulus.occurrence)) burst->offset = {};
      if (auto* single = std::get_if<Single>(&stimulus.occurrence)) single->occurrence = {};
    }
    return changed;
  }

  /// The simulation takes all times of a task from its first unit. Those of a migrating task may be those of any unit,
  /// and differ between its steps. (A table of memory costs counts the users of each unit, but not where they migrate.)
  std::vector<Program> on_any_units(Execution times) {
    std::vector<Program> programs = programs_[static_cast<std::size_t>(times)];
    if (!drawn_.has()[static_cast<std::size_t>(SystemFeature::unequal_cores)]) return programs;
    std::mt19937 random(static_cast<std::uint32_t>(seed_ + all_.simulations));
    for (TaskIndex task = 0; task < programs.size(); ++task) {
      const auto& all = system_.platform.units;
      std::vector<UnitIndex> units = system_.tasks[task].units;
      if (units.empty()) continue;
      units.erase(std::remove_if(units.begin() + 1, units.end(),
                                 [&](UnitIndex unit) { return equally_fast(all[unit], all[units.front()]); }),
                  units.end());
      std::vector<Program> of_unit;
      for (const UnitIndex unit : units)
        of_unit.push_back(compile_program(system_, task, unit, times, nullptr, options_));
      std::uniform_int_distribution<std::size_t> draw(0, units.size() - 1);
      const std::size_t always = draw(random);
      const bool mixed = drawn_.contention == Contention::static_ && draw(random) == 0;
      if (!mixed) programs[task] = of_unit[always];
      for (std::size_t step = 0; mixed && step < programs[task].steps.size(); ++step)
        programs[task].steps[step] = of_unit[draw(random)].steps[step];
    }
    return programs;
  }

  /// `releases`: of the execution with which the wanted pattern goes.
  void simulate_one(const std::string& way, const System& system, Execution times, Execution releases) {
    way_ = way;
    shifted_ = &system != &system_;
    const auto periods = periods_of(system);
    const std::vector<Program> programs = on_any_units(times);
    SimulationInput input{system, programs, devices_, horizon, horizon, periods};
    input.execution = releases;
    input.seed = seed_ + all_.simulations;
    input.contention = drawn_.contention;
    Results results;
    simulate(input, results);
    ++all_.simulations;
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) check_task(task, results);
    for (const OperationResult& operation : results.operations)
      if (const auto found = bounds_.operations.find(operation.node); found != bounds_.operations.end())
        check(system.graph[operation.node].name + " of " + system.tasks[operation.task].name, operation.task,
              operation.duration, found->second);
    for (std::size_t index = 0; index < system.chains.size(); ++index) check_chain(system, index, results);
  }

  void check_task(TaskIndex task, const Results& results) {
    const TaskResult& result = results.tasks[task];
    const Bound& bound = bounds_.tasks[task];
    const std::string& name = system_.tasks[task].name;
    all_.jobs += result.response.jobs;
    longest_[task] = std::max(longest_[task], result.response.max);
    check(name, task, result.response, bound);
    check_losses(task, result, bound);
    if (!shifted_) check(name, task, result.response, for_offsets_.tasks[task]);
    if (!shifted_) check_losses(task, result, for_offsets_.tasks[task]);
    if (bound.worst && *bound.worst <= horizon && result.unfinished > 0 && !results.stopped_early)
      fault(fmt::format("{} has a bound of {}, and {} jobs never ended", name, format_duration(*bound.worst),
                        result.unfinished),
            task);
    Duration sum;
    for (const Contribution& part : result.contributions) sum += part.time;
    check_causes(result.contributions, task);
    if (result.response.jobs > 0 && sum != result.response.max)
      fault(fmt::format("what the longest job of {} spent adds up to {}, not {}", name, format_duration(sum),
                        format_duration(result.response.max)),
            task);
  }

  void check_losses(TaskIndex task, const TaskResult& result, const Bound& bound) {
    if (result.lost_activations > 0 && why_activations_may_be_lost(system_, task, bound).empty())
      fault(fmt::format("{} lost {} activations, and its bound says that none can be lost", system_.tasks[task].name,
                        result.lost_activations),
            task);
    if (system_.tasks[task].activation_limit > 0 && bound.worst)
      ++(why_activations_may_be_lost(system_, task, bound).empty() ? all_.lossless : all_.lossy);
  }

  void check(const std::string& what, TaskIndex task, const Statistics& seen, const Bound& bound) {
    if (seen.jobs == 0) return;
    if (bound.worst && seen.max > *bound.worst)
      fault(fmt::format("{} took {} ps, and its bound is {} ps", what, seen.max.picoseconds(),
                        bound.worst->picoseconds()),
            task);
    if (bound.best && seen.min < *bound.best)
      fault(fmt::format("{} took {} ps, and its best case is {} ps", what, seen.min.picoseconds(),
                        bound.best->picoseconds()),
            task);
  }

  void check_chain(const System& system, std::size_t index, const Results& results) {
    const auto& bound = chains_[index].implicit;
    if (!bound) return;
    std::vector<std::vector<JobAccess>> accesses;
    for (const TaskIndex task : system.chains[index].tasks) accesses.push_back(results.accesses[task]);
    const ObservedLatencies seen = observed_latencies(accesses);
    const auto check_latency = [&](const char* what, const std::optional<Duration>& longest, Duration limit) {
      if (longest && *longest > limit)
        fault(fmt::format("the {} of a chain was {}, and its bound is {}", what, format_duration(*longest),
                          format_duration(limit)));
    };
    check_latency("reaction", seen.reaction, bound->reaction);
    check_latency("reduced reaction", seen.reduced_reaction, bound->reduced_reaction);
    check_latency("age", seen.age, bound->age);
    check_latency("reduced age", seen.reduced_age, bound->reduced_age);
  }

  const RandomSystem& drawn_;
  const System& system_;
  std::uint64_t seed_;
  BoundTrial& all_;
  std::vector<const DeviceProfile*> devices_;
  CompileOptions options_;
  SystemBounds bounds_, for_offsets_;
  std::vector<ChainResult> chains_;
  std::vector<Program> programs_[4];  ///< by execution
  std::vector<Duration> longest_;
  std::string way_;
  bool shifted_ = false;  ///< simulated with other offsets than stated
};

}  // namespace

void BoundTrial::run(const RandomSystem& drawn, std::uint64_t seed, int random_runs) {
  ++systems;
  Trial(drawn, seed, *this).run(random_runs);
}

std::string BoundTrial::text() const {
  std::vector<float> sorted = ratios;
  std::sort(sorted.begin(), sorted.end());
  const auto quantile = [&](double q) {
    return sorted.empty() ? 0.F : sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
  };
  std::string text = fmt::format(
      "{} systems, {} simulations, {} jobs; {} tasks with a bound ({} exact, {} tighter for the stated "
      "offsets, {} wait for events), {} without, {} chains with one; "
      "activation limits hold {} times and may be exceeded {} times; seen / bound: "
      "median "
      "{:.3f}, 90 % {:.3f}, largest {:.6f}; {} outside",
      systems, simulations, jobs, bounded, exact, for_offsets, awaiting, unbounded, chains, lossless, lossy,
      quantile(0.5), quantile(0.9), quantile(1), faults.size());
  constexpr std::size_t reported = 20;
  for (std::size_t i = 0; i < std::min(reported, faults.size()); ++i) text += "\n" + faults[i];
  return text;
}

}  // namespace test
