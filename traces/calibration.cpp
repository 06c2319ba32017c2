// SPDX-License-Identifier: Apache-2.0
#include "traces/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "amalthea/diagnostic.hpp"
#include "engine/constraints/constraint_observer.hpp"

namespace amalthea::traces {
namespace {

using Values = std::vector<std::pair<Duration, std::uint64_t>>;

constexpr std::int64_t millihertz_picoseconds = 1'000'000'000'000'000;  // 1 cycle at 1 mHz

class Calibrator {
 public:
  Calibrator(const System& system, const std::vector<engine::Program>& programs)
      : system_(system), programs_(programs) {}

  void add_runnable(const MeasuredRunnable& measured) {
    const Task& task = system_.tasks[measured.task];
    if (task.side == Side::device || measured.execution.count() == 0) return;
    add(measured.runnable, task.unit, measured.execution.counts(), access_time(measured), false, std::nullopt);
  }

  /// A task without measured runnables, which executes the only one that it has.
  void add_task(TaskIndex index, const MeasuredTask& measured) {
    const auto& runnables = programs_[index].runnables;
    const auto jobs = measured.metrics[TimeMetric::net_execution_time].jobs();  // slices may contain preemption
    if (runnables.size() != 1 || jobs != measured.execution.count()) return;
    MeasuredRunnable only;
    only.runnable = runnables.front();
    only.task = index;
    only.runs = jobs;
    only.execution = measured.execution;
    add_runnable(only);
  }

  void add_operation(const MeasuredOperation& measured) {
    const GraphNode& node = system_.graph[measured.node];
    const auto* kernel = std::get_if<Kernel>(&node.activity);
    if (kernel == nullptr || !node.runnable) return;
    // Whether blocks overlap is what the analysis computes; its input is the time of one.
    const engine::Sample& sample = kernel->launch ? measured.block : measured.execution;
    if (sample.count() == 0) return;
    add(*node.runnable, system_.tasks[measured.task].unit, sample.counts(), {}, true, measured.node);
  }

  std::vector<MeasuredTicks> result() && {
    for (auto& [key, ticks] : found_) {
      std::sort(ticks.cycles.begin(), ticks.cycles.end());
      std::vector<std::pair<std::int64_t, std::uint64_t>> merged;
      for (const auto& [value, count] : ticks.cycles)
        if (!merged.empty() && merged.back().first == value)
          merged.back().second += count;
        else
          merged.emplace_back(value, count);
      ticks.cycles = std::move(merged);
      const RunnableIndex runnable = ticks.runnable;
      const auto kinds =
          std::count_if(kinds_.begin(), kinds_.end(), [&](const auto& kind) { return kind.first == runnable; });
      ticks.only_kind = kinds <= 1;
    }
    std::vector<MeasuredTicks> all;
    for (const auto& key : order_) all.push_back(std::move(found_.at(key)));
    return all;
  }

  /// Every kind of core that executes the runnable, measured or not.
  void know_kinds() {
    for (const Task& task : system_.tasks)
      for (const NodeIndex node : task.body)
        if (const auto runnable = system_.graph[node].runnable) {
          kinds_.emplace(*runnable, system_.platform.units[task.unit].definition);
          for (const UnitIndex unit : task.units) kinds_.emplace(*runnable, system_.platform.units[unit].definition);
        }
  }

 private:
  using Key = std::pair<std::pair<std::uint32_t, std::uint32_t>, DefinitionIndex>;

  /// Of one run of the runnable in that task, as the model states it.
  Duration access_time(const MeasuredRunnable& measured) const {
    const engine::Program& program = programs_[measured.task];
    Duration sum;
    for (const engine::Step& step : program.steps)
      if (step.runnable && program.runnables[*step.runnable] == measured.runnable &&
          engine::accesses_memory(system_, step))
        sum += step.work;
    const auto extents = engine::run_extents(system_, program);
    const auto runs = std::count_if(extents.begin(), extents.end(), [&](const engine::RunExtent& extent) {
      return extent.runnable == measured.runnable;
    });
    return runs > 1 ? Duration::picoseconds(sum.picoseconds() / runs) : sum;
  }

  void add(RunnableIndex runnable, UnitIndex unit_index, const Values& values, Duration accesses, bool is_kernel,
           std::optional<NodeIndex> only) {
    const ProcessingUnit& unit = system_.platform.units[unit_index];
    if (unit.frequency.is_zero()) return;
    // Every call of a runnable has nodes of its own, of the same elements.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<Origin, Cycles>> elements;
    double sum = 0;
    for (NodeIndex node = 0; node < system_.graph.size(); ++node) {
      const GraphNode& activity = system_.graph[node];
      if (activity.runnable != runnable || (only && node != *only)) continue;
      const auto* compute = std::get_if<Compute>(&activity.activity);
      const auto* kernel = std::get_if<Kernel>(&activity.activity);
      const Ticks* ticks = is_kernel && kernel != nullptr     ? &*kernel->ticks
                           : !is_kernel && compute != nullptr ? &compute->ticks
                                                              : nullptr;
      const Cycles* cycles = ticks == nullptr ? nullptr : ticks->on(unit.definition);
      if (cycles == nullptr) continue;
      const auto key = std::pair(activity.origin.document, activity.origin.element);
      if (elements.emplace(key, std::pair(activity.origin, *cycles)).second)
        sum += static_cast<double>(cycles->average);
    }
    for (const auto& [key, element] : elements) {
      const double share = elements.size() == 1 ? 1
                           : sum > 0            ? static_cast<double>(element.second.average) / sum
                                                : 1 / static_cast<double>(elements.size());
      const auto [found, added] = found_.try_emplace(Key{key, unit.definition});
      MeasuredTicks& ticks = found->second;
      if (added) {
        order_.push_back(found->first);
        ticks.ticks = element.first;
        ticks.runnable = runnable;
        ticks.definition = unit.definition;
        ticks.kernel = is_kernel;
        ticks.model = element.second;
      }
      for (const auto& [value, count] : values) {
        const Duration net = value > accesses ? value - accesses : Duration{};
        const std::int64_t cycles = detail::divide(detail::Int128{net.picoseconds()} * unit.frequency.millihertz(),
                                                   millihertz_picoseconds, Rounding::nearest);
        ticks.cycles.emplace_back(
            elements.size() == 1 ? cycles : static_cast<std::int64_t>(static_cast<double>(cycles) * share + 0.5),
            count);
        ticks.runs += count;
      }
    }
  }

  const System& system_;
  const std::vector<engine::Program>& programs_;
  std::map<Key, MeasuredTicks> found_;
  std::vector<Key> order_;
  std::set<std::pair<RunnableIndex, DefinitionIndex>> kinds_;
};

}  // namespace

std::vector<MeasuredArrivals> measured_arrivals(const System& system, const Comparison& measured) {
  constexpr std::uint64_t fewest = 3;
  bool from_zero = true;
  for (StimulusIndex index = 0; index < system.stimuli.size(); ++index) {
    const auto* periodic = std::get_if<Periodic>(&system.stimuli[index].occurrence);
    const Occurrences& occurrences = measured.stimuli[index].occurrences;
    if (periodic != nullptr && occurrences.count() >= fewest)
      from_zero = from_zero && occurrences.first().since_start() < periodic->offset + periodic->period * 2;
  }
  const Duration zero = from_zero || measured.files.empty() ? Duration{} : measured.files.front().begin.since_start();
  std::vector<MeasuredArrivals> all;
  for (StimulusIndex index = 0; index < system.stimuli.size(); ++index) {
    const MeasuredStimulus& seen = measured.stimuli[index];
    const auto* periodic = std::get_if<Periodic>(&system.stimuli[index].occurrence);
    const bool sporadic = std::holds_alternative<Sporadic>(system.stimuli[index].occurrence);
    if ((periodic == nullptr && !sporadic) || seen.occurrences.count() < fewest) continue;
    MeasuredArrivals arrivals{
        index, seen.occurrences.count(), std::nullopt, seen.distance.min(), seen.distance.mean(), seen.distance.max()};
    if (periodic != nullptr) {
      const auto best = seen.occurrences.best_fit();
      if (!best) continue;
      const Duration slack = seen.resolution * 2;
      const PeriodicFit model = seen.occurrences.fit(periodic->period);
      PeriodicFit fit =
          model.jitter <= best->jitter + Duration::picoseconds(best->jitter.picoseconds() / 10) + slack ? model : *best;
      const auto period = fit.period.picoseconds();
      const auto offset = (fit.first - zero).picoseconds() % period;
      fit.first = Duration::picoseconds(offset < 0 ? offset + period : offset);
      const auto apart = (fit.first - periodic->offset).picoseconds() % period;
      if (std::min(std::abs(apart), period - std::abs(apart)) <= slack.picoseconds()) fit.first = periodic->offset;
      if (fit.jitter <= slack) fit.jitter = {};
      arrivals.periodic = fit;
    }
    all.push_back(arrivals);
  }
  return all;
}

namespace {

/// Measured times of copies over those of the model.
struct CopyRatio {
  double least = 0, most = 0, sum = 0;
  std::uint64_t copies = 0;
  std::set<MemoryIndex> memories;

  void add(const engine::Sample& measured, Duration model) {
    const auto ratio = [&](Duration time) {
      return static_cast<double>(time.picoseconds()) / static_cast<double>(model.picoseconds());
    };
    least = copies == 0 ? ratio(measured.min()) : std::min(least, ratio(measured.min()));
    most = std::max(most, ratio(measured.max()));
    sum += ratio(measured.mean()) * static_cast<double>(measured.count());
    copies += measured.count();
  }

  Cycles scaled(const Cycles& cycles) const {
    constexpr double rounding_of_times = 0.05;  // of a cycle
    const auto average = static_cast<double>(cycles.average);
    return {static_cast<std::int64_t>(std::floor(average * least + rounding_of_times)),
            static_cast<std::int64_t>(std::llround(average * sum / static_cast<double>(copies))),
            static_cast<std::int64_t>(std::ceil(average * most - rounding_of_times)),
            {}};
  }
};

}  // namespace

std::vector<MeasuredAccess> measured_accesses(const System& system, const engine::AnalysisOptions& analysis,
                                              const Comparison& measured) {
  Diagnostics ignored;
  const auto preparation = engine::prepare_simulation(system, analysis, ignored);
  if (!preparation || analysis.compile.memory.copy) return {};
  const auto programs =
      engine::compile_programs(system, engine::Execution::average, preparation->devices, analysis.compile);
  std::map<UnitIndex, CopyRatio> ratios;
  for (const MeasuredOperation& operation : measured.operations) {
    const auto* copy = std::get_if<Copy>(&system.graph[operation.node].activity);
    if (copy == nullptr || operation.execution.count() == 0) continue;
    Duration model;
    for (const engine::Step& step : programs[operation.task].steps)
      if (step.node == operation.node) model = step.work;
    const UnitIndex unit = system.tasks[operation.task].unit;
    if (model == Duration{}) continue;
    ratios[unit].add(operation.execution, model);
    for (const auto& labels : {copy->sources, copy->destinations})
      for (const LabelIndex label : labels)
        if (const auto* access = access_to(system.platform.units[unit], system.labels[label]))
          ratios[unit].memories.insert(access->memory);
  }
  std::vector<MeasuredAccess> all;
  for (const auto& [unit, ratio] : ratios)
    for (const MemoryAccess& access : system.platform.units[unit].accesses)
      if (ratio.memories.count(access.memory) == 1 && access.data_rate.bytes_per_second == 0)
        all.push_back({unit, access.memory, ratio.copies, access.read, access.write, ratio.scaled(access.read),
                       ratio.scaled(access.write)});
  return all;
}

std::vector<MeasuredTicks> measured_ticks(const System& system, const engine::AnalysisOptions& analysis,
                                          const Comparison& measured) {
  Diagnostics ignored;
  const auto preparation = engine::prepare_simulation(system, analysis, ignored);
  if (!preparation) return {};
  const auto programs =
      engine::compile_programs(system, engine::Execution::average, preparation->devices, analysis.compile);
  Calibrator calibrator(system, programs);
  calibrator.know_kinds();
  std::set<TaskIndex> with_runnables;
  for (const MeasuredRunnable& runnable : measured.runnables) {
    with_runnables.insert(runnable.task);
    calibrator.add_runnable(runnable);
  }
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (!with_runnables.contains(task)) calibrator.add_task(task, measured.tasks[task]);
  for (const MeasuredOperation& operation : measured.operations) calibrator.add_operation(operation);
  return std::move(calibrator).result();
}

}  // namespace amalthea::traces
