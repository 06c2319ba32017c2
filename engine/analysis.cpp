// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/core.h>

#include "amalthea/graph/chain_data.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/rounded_duration.hpp"
#include "engine/bounds/demand.hpp"
#include "engine/chains/chain_latency.hpp"
#include "engine/chains/chain_limits.hpp"
#include "engine/chains/chain_observation.hpp"
#include "engine/constraints/constraint_observer.hpp"
#include "engine/constraints/constraints.hpp"
#include "engine/device_checks.hpp"
#include "engine/devices/chosen_devices.hpp"
#include "engine/gpu/launch_plan.hpp"
#include "engine/nvidia/contention.hpp"
#include "engine/open_findings.hpp"
#include "engine/program/arrivals.hpp"
#include "engine/program/program.hpp"
#include "engine/program/releases.hpp"
#include "engine/requirements.hpp"
#include "engine/results/lost_activations.hpp"
#include "engine/simulation/observer_tee.hpp"
#include "engine/simulation/simulation.hpp"
#include "engine/verdict.hpp"

namespace amalthea::engine {
namespace {

/// Longer hyperperiods are truncated: their simulation would take minutes, and such models mostly have odd periods by
/// mistake.
constexpr Duration longest_default = Duration::seconds(100);

/// Number of times that data can pass through every chain, one passage after the other.
constexpr std::int64_t passages_seen = 3;

/// The time that the slowest chain, or process chain of a requirement, needs for that: data takes at most two periods
/// of every task to pass a chain if all jobs end within their periods.
Duration time_for_chains(const System& system, const std::vector<std::optional<Duration>>& periods) {
  Duration longest;
  const auto take = [&](const std::vector<TaskIndex>& tasks) {
    Duration time;
    for (const TaskIndex task : tasks) time += std::min(periods[task].value_or(Duration{}), longest_default) * 2;
    longest = std::max(longest, std::min(time * passages_seen, longest_default));
  };
  for (const Chain& chain : system.chains) take(chain.tasks);
  for (const Requirement& requirement : system.requirements)
    if (const auto* chain = std::get_if<Requirement::OfChain>(&requirement.subject)) take(chain->tasks);
  return longest;
}

/// The default time to measure: the hyperperiod after the last offset, so that every phase occurs, or as many as chains
/// need; plus some occurrences of stimuli without a period.
Duration default_horizon(const System& system, std::optional<Duration> hyper, Duration chains,
                         Diagnostics& diagnostics) {
  constexpr std::int64_t occurrences_seen = 20;
  Duration last;            // latest offset or single occurrence
  Duration without_period;  // longest distance of such stimuli
  bool none = true, single = false;
  for (const Stimulus& stimulus : system.stimuli) {
    if (stimulus.activates.empty()) continue;
    last = std::max(last, first_arrival(stimulus));
    single = single || std::holds_alternative<Single>(stimulus.occurrence);
    if (repetition(stimulus))
      none = false;
    else
      without_period = std::max(without_period, arrival_period(stimulus).value_or(Duration{}));
  }
  const Duration seen = std::min(std::min(without_period, longest_default) * occurrences_seen, longest_default);
  if (last < longest_default && (none || (hyper && *hyper <= longest_default))) {
    const Duration whole = none ? Duration::picoseconds(1) : *hyper;
    const Duration repeated =
        none ? chains : whole * detail::divide(chains.picoseconds(), whole.picoseconds(), Rounding::up);
    return last + std::max({whole, seen, std::min(repeated, std::max(whole, longest_default))});
  }
  diagnostics.add("AM0501", Severity::warning,
                  fmt::format("the hyperperiod is {} and the last {} at {}; only the first {} are simulated (--until)",
                              hyper  ? format_duration(*hyper)
                              : none ? std::string("none")
                                     : std::string("longer than 106 days"),
                              single ? "single activation comes" : "offset ends", format_duration(last),
                              format_duration(longest_default)));
  return longest_default;
}

/// Limits of constraints may be longer than the hyperperiod; if it is cheap, the simulation covers them.
Duration lengthened_for_constraints(const System& system, Duration until) {
  constexpr std::int64_t max_times = 100;
  const Duration needed = time_needed_by_constraints(system);
  if (needed.is_zero() || until >= longest_default) return until;
  Duration offset;
  for (const Stimulus& stimulus : system.stimuli)
    if (!stimulus.activates.empty()) offset = std::max(offset, first_arrival(stimulus));
  const Duration wanted = std::min(needed, longest_default) + std::min(offset, longest_default);
  return std::max(until, std::min({wanted, longest_default, until * max_times}));
}

/// How long measured jobs may run after the horizon: by then every deadline has passed, and jobs without a deadline had
/// another period. Without periods it is one second.
Duration grace_of(const System& system, const std::vector<std::optional<Duration>>& periods) {
  Duration grace;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    grace = std::max({grace, system.tasks[task].deadline.value_or(Duration{}), periods[task].value_or(Duration{})});
  const bool periodic =
      std::any_of(periods.begin(), periods.end(), [](const auto& period) { return period.has_value(); });
  if (!periodic) grace = std::max(grace, Duration::seconds(1));
  return std::min(grace, longest_simulation);
}

/// An analytical reason for being unbounded is only reported if a simulation agrees: jobs were unfinished at its end, of
/// the task itself or of a task that waits for it (since a device task has one job at a time). How many there were.
std::uint64_t jobs_behind(const std::vector<Program>& programs, const Results& results, TaskIndex task) {
  std::uint64_t jobs = results.tasks[task].unfinished;
  for (TaskIndex other = 0; other < programs.size(); ++other)
    for (const Step& step : programs[other].steps)
      if (std::find(step.setters.begin(), step.setters.end(), task) != step.setters.end())
        jobs = std::max(jobs, results.tasks[other].unfinished);
  return jobs;
}

/// "2 of 5 jobs end"; "the only job ends".
std::string some_jobs(std::uint64_t count, const TaskResult& of, std::string_view ends, std::string_view end) {
  const std::uint64_t jobs = of.response.jobs + of.unfinished;
  if (jobs == 1) return fmt::format("the only job {}", ends);
  return fmt::format("{} of {} jobs {}", count, jobs, count == 1 ? ends : end);
}

std::string of_wrapper(const Task& function, const std::string& reason) {
  return fmt::format("the wrapper does not run, because its function {} runs on a CPU: {}", function.name, reason);
}

/// Jobs may pile up so slowly that all of the simulated ones end within the grace. For tasks with a reason to be unbounded
/// that have not fallen behind, longer and longer simulations decide, as far as they are cheap: some of their jobs must be
/// left, and more than before. Removes reasons that no simulation agrees with.
void confirm_reasons(const System& system, const AnalysisOptions& options, const Preparation& preparation,
                     const std::vector<Program>& flattened, const Results& results, std::vector<std::string>& reasons) {
  constexpr std::int64_t growth = 8;
  constexpr std::uint64_t most_events = 500'000;
  struct Open {
    TaskIndex task = 0;
    std::uint64_t left = 1;
  };
  std::vector<Open> open;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (!reasons[task].empty() && jobs_behind(flattened, results, task) == 0) open.push_back({task});
  const bool wanted = !options.until && !results.stopped_early && options.execution != Execution::random;
  if (wanted && !open.empty()) {
    const std::vector<Program> programs =
        compile_programs(system, options.execution, preparation.devices, options.compile);
    for (Duration until = preparation.until; until < longest_default && !open.empty();) {
      until = std::min(longest_default, until * growth);
      SimulationInput input{system, programs, preparation.devices, until, preparation.grace, preparation.periods};
      input.execution = options.execution;
      input.contention = options.contention;
      input.max_steps = most_events;
      if (options.work != nullptr) input.stop = &options.work->stop;
      Results longer;
      simulate(input, longer);
      if (longer.stopped_early) break;
      std::erase_if(open, [&](Open& one) {
        const std::uint64_t left = jobs_behind(flattened, longer, one.task);
        if (left <= std::exchange(one.left, std::max(one.left, left))) return false;
        reasons[one.task] +=
            fmt::format("; at the end of a simulation of {}, {} jobs had not ended", format_duration(until), left);
        return true;
      });
    }
  }
  for (const Open& one : open) reasons[one.task].clear();
}

/// `unbounded`: the reasons of tasks that are unbounded.
void judge(const System& system, const std::vector<std::string>& unbounded, Results& results) {
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    TaskResult& result = results.tasks[task];
    const auto deadline = system.tasks[task].deadline;
    if (!unbounded[task].empty()) {
      result.verdict = Verdict::unbounded;
      result.reason = unbounded[task];
    } else if (deadline && result.missed_deadlines > 0) {
      result.verdict = Verdict::missed;
      result.reason =
          fmt::format("{} later than {} after {} release{}", some_jobs(result.missed_deadlines, result, "ends", "end"),
                      format_duration(*deadline), result.missed_deadlines == 1 ? "its" : "their",
                      result.unfinished > 0 ? fmt::format("; {} never ended", result.unfinished) : "");
    } else if (result.lost_activations > 0) {
      result.verdict = Verdict::missed;
      result.reason =
          fmt::format("{} activations are lost because earlier jobs are still running", result.lost_activations);
    } else if (results.stopped_early) {
      result.verdict = Verdict::unknown;
      result.reason = "the simulation stopped early";
    } else if (result.unfinished > 0) {
      result.verdict = Verdict::unknown;
      result.reason = some_jobs(result.unfinished, result, "had", "had") + " not ended at the end of the simulation";
    } else if (result.response.jobs == 0) {
      result.verdict = Verdict::unknown;
      result.reason = "the task is never activated in the simulated time";
    } else if (!deadline) {
      result.verdict = Verdict::no_deadline;
      result.reason = "the model states no deadline for this task";
    } else {
      result.verdict = Verdict::met;
      result.reason =
          fmt::format("{} ends {} before its deadline",
                      result.response.jobs == 1 ? "the only simulated job"
                                                : fmt::format("the longest of {} simulated jobs", result.response.jobs),
                      format_duration(*deadline - result.response.max));
    }
  }
  // A removed wrapper has the results of its function.
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (const auto function = system.tasks[task].folded_into) {
      TaskResult copy = results.tasks[*function];
      copy.reason = of_wrapper(system.tasks[*function], copy.reason);
      if (!system.tasks[task].deadline && copy.verdict == Verdict::met) copy.verdict = Verdict::no_deadline;
      results.tasks[task] = std::move(copy);
    }
}

/// Nothing is stated if the bound is within the deadline, but activations may be lost.
std::optional<bool> guaranteed(const Task& task, const TaskResult& result, bool all_released) {
  if (!task.deadline) return std::nullopt;
  if (result.verdict == Verdict::missed || result.verdict == Verdict::unbounded) return false;
  if (!result.bound.worst) return std::nullopt;
  if (*result.bound.worst > *task.deadline) return false;
  return all_released ? std::optional(true) : std::nullopt;
}

/// "the bound, 3 ms, is 7 ms below the deadline"
std::string reason_of_guarantee(const System& system, const Task& task, Duration bound) {
  const Duration left = *task.deadline - bound;
  const std::string reason = fmt::format("the bound, {}, is {} the deadline", format_duration(bound, Rounding::up),
                                         left.is_zero() ? "exactly" : format_duration(left, Rounding::down) + " below");
  return task.folded_into ? of_wrapper(system.tasks[*task.folded_into], reason) : reason;
}

void add_bounds(const System& system, SystemBounds bounds, Results& results) {
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    TaskResult& result = results.tasks[task];
    result.bound = std::move(bounds.tasks[task]);
    const std::string lost = why_activations_may_be_lost(system, task, result.bound);
    result.guaranteed = guaranteed(system.tasks[task], result, lost.empty());
    if (result.guaranteed == true) result.coverage = coverage_of(system, task, result.bound);
    // A guarantee follows from the bound, not from the simulation.
    if (result.verdict == Verdict::met && result.guaranteed == true)
      result.reason =
          with_limitation(reason_of_guarantee(system, system.tasks[task], *result.bound.worst), result.coverage);
    if (!lost.empty() && system.tasks[task].deadline && result.bound.worst && !result.guaranteed)
      result.reason += fmt::format("; {}", lost);
    // The bound may decide what the simulation did not.
    if (result.verdict != Verdict::unknown || !result.bound.worst || results.stopped_early) continue;
    if (result.guaranteed == true || (!system.tasks[task].deadline && result.unfinished == 0 && lost.empty())) {
      result.verdict = system.tasks[task].deadline ? Verdict::met : Verdict::no_deadline;
      result.reason = with_limitation(fmt::format("the bound is {}; in the simulation {}",
                                                  format_duration(*result.bound.worst, Rounding::up), result.reason),
                                      result.coverage);
    }
  }
  for (OperationResult& operation : results.operations)
    if (const auto found = bounds.operations.find(operation.node); found != bounds.operations.end())
      operation.bound = found->second;
}

/// The basis of slowdowns on GPUs with a law of contention.
void add_bases(const System& system, const std::vector<const DeviceProfile*>& devices, Results& results) {
  for (OperationResult& operation : results.operations) {
    const DeviceProfile& profile = *devices[system.tasks[operation.task].unit];
    if (profile.amd) continue;
    const auto* kernel = std::get_if<Kernel>(&system.graph[operation.node].activity);
    operation.basis = kernel == nullptr ? gpu::ContentionBasis::table
                                        : nvidia::ContentionLaw(profile).basis_of(gpu::memory_of(*kernel, profile));
  }
}

/// The time slices of the device tasks on each engine, and how launched kernels fill their GPU. `contexts`: of every
/// GPU, parallel to Platform::units.
void describe_use_of_gpus(const System& system, const std::vector<const DeviceProfile*>& devices,
                          const std::vector<std::vector<GpuContext>>& contexts, Results& results) {
  for (ResourceResult& resource : results.resources)
    for (EngineUse& use : resource.uses)
      for (const GpuContext& context : contexts[resource.unit])
        if (std::find(context.tasks.begin(), context.tasks.end(), use.task) != context.tasks.end())
          use.time_slice = context.slice;
  for (OperationResult& operation : results.operations) {
    const auto* kernel = std::get_if<Kernel>(&system.graph[operation.node].activity);
    if (kernel == nullptr || !kernel->launch) continue;
    if (const auto plan = gpu::plan_launch(*kernel->launch, *devices[system.tasks[operation.task].unit]))
      operation.launch = LaunchFigures{plan->per_sm, plan->rounds};
  }
}

/// What the options replace in the model.
std::vector<std::string> replacements(const System& system, const AnalysisOptions& options,
                                      const Preparation& preparation) {
  std::vector<std::string> replaced;
  if (options.compile.memory.source != MemoryModel::Source::model)
    replaced.push_back(fmt::format("memory access times, by those of \"{}\"", options.compile.memory.name));
  if (options.profile != nullptr)
    replaced.push_back(fmt::format("GPU behavior, by the profile \"{}\"", options.profile->name));
  for (UnitIndex unit = 0; unit < system.platform.units.size(); ++unit)
    if (system.platform.units[unit].profile_is_asked)
      replaced.push_back(fmt::format("behavior of the GPU \"{}\", by the profile \"{}\"",
                                     system.platform.units[unit].name, preparation.device_profiles[unit]));
  if (options.execution == Execution::best || options.execution == Execution::average)
    replaced.push_back(fmt::format("worst-case execution times in the simulation, by {} ones",
                                   options.execution == Execution::best ? "best-case" : to_string(options.execution)));
  if (preparation.hyperperiod && preparation.until < *preparation.hyperperiod && options.until)
    replaced.push_back(fmt::format("the simulated hyperperiod of {}, by its first {}",
                                   format_duration(*preparation.hyperperiod), format_duration(preparation.until)));
  return replaced;
}

/// What is judged by the simulation and the demands alone. Frees its programs, so that they are not in memory together
/// with those of the bounds.
void judge_demands(const System& system, const AnalysisOptions& options, const Preparation& preparation,
                   const std::vector<std::vector<GpuContext>>& contexts, Results& results) {
  const std::vector<const DeviceProfile*>& devices = preparation.devices;
  CompileOptions flat = options.compile;
  flat.flatten_branches = true;
  const std::vector<Program> flattened = compile_programs(system, options.execution, devices, flat);
  add_demands(system, flattened, results);
  describe_use_of_gpus(system, devices, contexts, results);
  std::vector<std::string> unbounded = unbounded_reasons(system, flattened, contexts);
  confirm_reasons(system, options, preparation, flattened, results, unbounded);
  judge(system, unbounded, results);
}

/// Throws std::overflow_error.
void simulate_and_judge(const System& system, const AnalysisOptions& options, const Preparation& preparation,
                        Results& results, Diagnostics& diagnostics) {
  const std::vector<const DeviceProfile*>& devices = preparation.devices;
  const std::vector<Program> programs = compile_programs(system, options.execution, devices, options.compile);
  SimulationInput input{system, programs, devices, preparation.until, preparation.grace, preparation.periods};
  input.contributions = options.bounds.contributions;
  input.execution = options.execution;
  input.max_steps = options.max_steps;
  input.contention = options.contention;
  ConstraintObserver constraints(system);
  std::optional<ObserverTee> both;
  input.observer = combined_observer(options.observer, constraints, both);
  if (options.work != nullptr) {
    input.stop = &options.work->stop;
    input.done = &options.work->done;
  }
  simulate(input, results);
  if (results.stopped_early && input.stop != nullptr && *input.stop)
    report_interruption(fmt::format("at {}", format_duration(results.horizon)), diagnostics);
  else if (results.stopped_early)
    diagnostics.add("AM0504", Severity::error,
                    fmt::format("the simulation stopped at {} after {} steps, because events are too frequent: tasks "
                                "may activate each other endlessly, or a period or time slice may be far too short; "
                                "correct it, simulate only the beginning (--until), or raise --max-steps",
                                format_duration(results.horizon), results.events));
  const std::vector<bool> pass_data = chains_that_pass_data(system);
  for (std::size_t index = 0; index < system.chains.size(); ++index) {
    ChainResult& result = results.chains.emplace_back();
    if (!pass_data[index]) continue;
    result.observed = observed_latencies(system.chains[index], results.accesses);
    result.observed_steps = longest_reaction(system.chains[index], results.accesses);
  }
  judge_simulation(system, options, preparation, results);
  results.requirements = judge_requirements(system, results);
  results.constraints = judge_constraints(system, constraints, programs, results);
  withhold_open_verdicts(system, preparation.open, results);
  settle_verdicts(system, results);
  report_constraints(constraints, diagnostics);
}

}  // namespace

std::optional<Preparation> prepare_simulation(const System& system, const AnalysisOptions& options,
                                              Diagnostics& diagnostics) {
  Preparation preparation;
  Diagnostics of_devices;  // what is left open is so again where an earlier preparation has reported the same
  ChosenDevices chosen = choose_devices(system, options.profile, &of_devices);
  const bool all_well = chosen.all_known && check_devices(system, chosen.profiles, of_devices);
  for (const Diagnostic& found : of_devices.all())
    diagnostics.add(found.id, found.severity, found.message, found.location, found.path, found.count, found.elements);
  if (!all_well) return std::nullopt;
  preparation.open = open_findings(of_devices, 0);
  preparation.devices = std::move(chosen.profiles);
  for (const DeviceProfile* device : preparation.devices)
    preparation.device_profiles.push_back(device != nullptr ? device->name : "");
  const std::size_t known = diagnostics.all().size();
  report_memory_model(system, options.compile.memory, diagnostics);
  preparation.hyperperiod = hyperperiod(system);
  preparation.periods = periods_of(system);
  preparation.until = options.until ? *options.until
                                    : default_horizon(system, preparation.hyperperiod,
                                                      time_for_chains(system, preparation.periods), diagnostics);
  if (!options.until) preparation.until = lengthened_for_constraints(system, preparation.until);
  preparation.grace = grace_of(system, preparation.periods);
  for (OpenFinding& finding : open_findings(diagnostics, known)) preparation.open.push_back(std::move(finding));
  return preparation;
}

void judge_simulation(const System& system, const AnalysisOptions& options, const Preparation& preparation,
                      Results& results) {
  const std::vector<const DeviceProfile*>& devices = preparation.devices;
  std::vector<std::vector<GpuContext>> contexts(devices.size());
  for (UnitIndex unit = 0; unit < devices.size(); ++unit)
    if (devices[unit] != nullptr) contexts[unit] = contexts_on(system, unit, *devices[unit]);
  results.execution = options.execution;
  results.memory_model = options.compile.memory.name;
  results.line_rule = options.compile.line_rule;
  results.contention = options.contention;
  results.communication = options.communication;
  results.strict = options.strict;
  results.hyperperiod = preparation.hyperperiod;
  results.periods = preparation.periods;
  results.device_profiles = preparation.device_profiles;
  results.replaced = replacements(system, options, preparation);
  judge_demands(system, options, preparation, contexts, results);
  add_bounds(system, system_bounds(system, devices, options.compile, options.bounds), results);
  add_bases(system, devices, results);
  std::vector<Bound> task_bounds;
  for (const TaskResult& task : results.tasks) task_bounds.push_back(task.bound);
  std::vector<ChainResult> chains = chain_latencies(system, task_bounds);
  for (std::size_t index = 0; index < chains.size(); ++index) {
    chains[index].observed = results.chains[index].observed;
    chains[index].observed_steps = std::move(results.chains[index].observed_steps);
  }
  results.chains = std::move(chains);
  judge_chain_limits(system, results);
}

void report_interruption(const std::string& when, Diagnostics& diagnostics) {
  diagnostics.add("AM0545", Severity::warning,
                  fmt::format("the simulation was interrupted {}; the results cover only the part until then", when));
}

void report_time_overflow(Diagnostics& diagnostics) {
  diagnostics.add("AM0505", Severity::error,
                  "execution times, periods or sizes are so large that the sum of times overflows (more than 26 days); "
                  "look for a wrong unit");
}

std::optional<Results> analyze(const System& system, const AnalysisOptions& options, Diagnostics& diagnostics) {
  Results results;
  try {
    const auto preparation = prepare_simulation(system, options, diagnostics);
    if (!preparation) return std::nullopt;
    simulate_and_judge(system, options, *preparation, results, diagnostics);
  } catch (const std::overflow_error&) {
    report_time_overflow(diagnostics);
    return std::nullopt;
  }
  return results;
}

}  // namespace amalthea::engine
