#include "engine/analysis.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "engine/demand.hpp"
#include "engine/program.hpp"
#include "engine/simulation.hpp"

namespace amalthea::engine {
namespace {

/// Longer hyperperiods are cut: their simulation would take minutes, and a model with one has odd periods by mistake
/// more often than not.
constexpr Duration longest_default = Duration::seconds(100);

const Periodic* periodic_in_use(const Stimulus& stimulus) {
  return stimulus.activates.empty() ? nullptr : std::get_if<Periodic>(&stimulus.occurrence);
}

/// Time to simulate when the user does not say.
Duration default_horizon(const System& system, std::optional<Duration> hyper, Diagnostics& diagnostics) {
  Duration last;  // latest offset or single occurrence
  for (const Stimulus& stimulus : system.stimuli) {
    if (const auto* periodic = periodic_in_use(stimulus)) last = std::max(last, periodic->offset);
    if (const auto* single = std::get_if<Single>(&stimulus.occurrence)) last = std::max(last, single->occurrence);
  }
  if (hyper && *hyper <= longest_default && last <= longest_default) return *hyper + last;
  const bool none = std::none_of(system.stimuli.begin(), system.stimuli.end(),
                                 [](const Stimulus& s) { return periodic_in_use(s) != nullptr; });
  if (none) return std::min(last, longest_default) + Duration::seconds(1);
  diagnostics.add("AM0501", Severity::warning,
                  fmt::format("the hyperperiod is {}; only the first {} are simulated (--until)",
                              hyper ? format_duration(*hyper) : std::string("longer than 106 days"),
                              format_duration(longest_default)));
  return longest_default;
}

void judge(const System& system, const std::vector<std::string>& unbounded, Results& results) {
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    TaskResult& result = results.tasks[task];
    const auto deadline = system.tasks[task].deadline;
    if (!unbounded[task].empty()) {
      result.verdict = Verdict::unbounded;
      result.reason = unbounded[task];
    } else if (!deadline) {
      result.verdict = Verdict::no_deadline;
      result.reason = "the model states no deadline for this task";
    } else if (result.missed_deadlines > 0 || result.lost_activations > 0) {
      result.verdict = Verdict::missed;
      result.reason =
          result.missed_deadlines > 0
              ? fmt::format("{} of {} jobs end later than {} after their release", result.missed_deadlines,
                            result.response.jobs + result.unfinished, format_duration(*deadline))
              : fmt::format("{} activations are lost because earlier jobs are still running", result.lost_activations);
    } else {
      result.verdict = Verdict::met;
      result.reason = result.response.jobs == 0
                          ? std::string("no job ended in the simulated time")
                          : fmt::format("the longest of {} simulated jobs leaves {}", result.response.jobs,
                                        format_duration(*deadline - result.response.max));
    }
  }
  // A wrapper that fell away shows what became of its function.
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (const auto function = system.tasks[task].folded_into) {
      TaskResult copy = results.tasks[*function];
      copy.reason =
          fmt::format("falls away, its function {} runs on a CPU: {}", system.tasks[*function].name, copy.reason);
      if (!system.tasks[task].deadline && copy.verdict != Verdict::unbounded) copy.verdict = Verdict::no_deadline;
      results.tasks[task] = std::move(copy);
    }
}

}  // namespace

std::optional<Duration> hyperperiod(const System& system) {
  std::optional<std::int64_t> lcm;
  for (const Stimulus& stimulus : system.stimuli) {
    const auto* periodic = periodic_in_use(stimulus);
    if (periodic == nullptr) continue;
    const std::int64_t period = periodic->period.picoseconds();
    std::int64_t next = 0;
    if (lcm && __builtin_mul_overflow(*lcm / std::gcd(*lcm, period), period, &next)) return std::nullopt;
    lcm = lcm ? next : period;
  }
  return lcm ? std::optional(Duration::picoseconds(*lcm)) : std::nullopt;
}

std::optional<Duration> period_of(const System& system, TaskIndex task) {
  task = system.tasks[task].folded_into.value_or(task);
  for (std::size_t hops = 0; hops <= system.tasks.size(); ++hops) {
    const Stimulus* only = nullptr;
    for (const Stimulus& stimulus : system.stimuli)
      if (std::find(stimulus.activates.begin(), stimulus.activates.end(), task) != stimulus.activates.end()) {
        if (only != nullptr) return std::nullopt;
        only = &stimulus;
      }
    if (only == nullptr) return std::nullopt;
    if (const auto* periodic = std::get_if<Periodic>(&only->occurrence)) return periodic->period;
    std::optional<TaskIndex> trigger;
    for (NodeIndex node = 0; node < boost::num_vertices(system.graph); ++node)
      if (const auto* activity = std::get_if<Trigger>(&system.graph[node].activity);
          activity != nullptr && &system.stimuli[activity->stimulus] == only) {
        if (trigger) return std::nullopt;
        trigger = system.graph[node].task;
      }
    if (!trigger) return std::nullopt;
    task = *trigger;
  }
  return std::nullopt;
}

std::optional<Results> analyze(const System& system, const AnalysisOptions& options, Diagnostics& diagnostics) {
  std::vector<const DeviceProfile*> devices(system.platform.units.size(), nullptr);
  for (UnitIndex unit = 0; unit < devices.size(); ++unit) {
    if (system.platform.units[unit].type != PuType::gpu) continue;
    devices[unit] = options.profile;
    if (devices[unit] != nullptr) continue;
    const auto profile = profile_for(system.platform.units[unit]);
    if (!profile) {
      diagnostics.add("AM0502", Severity::error, profile.error(), system.platform.units[unit].location);
      return std::nullopt;
    }
    devices[unit] = *profile;
    if (system.platform.units[unit].device_profile.empty())
      diagnostics.add("AM0503", Severity::note,
                      fmt::format("GPU \"{}\" states no gpu.platform; the profile \"{}\" is used: {}",
                                  system.platform.units[unit].name, (*profile)->name, (*profile)->description),
                      system.platform.units[unit].location);
  }
  const std::vector<Program> programs = compile_programs(system, options.execution);
  std::vector<Duration> slices(system.tasks.size());
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (system.tasks[task].side == Side::device)
      slices[task] = time_slice_of(system, system.tasks[task], *devices[system.tasks[task].unit]);

  Results results;
  results.execution = options.execution;
  results.hyperperiod = hyperperiod(system);
  for (const DeviceProfile* device : devices) results.device_profiles.push_back(device != nullptr ? device->name : "");
  const Duration until = options.until ? *options.until : default_horizon(system, results.hyperperiod, diagnostics);
  simulate({system, programs, devices, until}, results);
  if (results.stopped_early)
    diagnostics.add(
        "AM0504", Severity::error,
        fmt::format(
            "the simulation was stopped at {} after {} events: tasks activate each other without end, or too often",
            format_duration(results.horizon), results.events));
  add_demands(system, programs, results);
  judge(system, unbounded_reasons(system, programs, slices), results);
  return results;
}

}  // namespace amalthea::engine
