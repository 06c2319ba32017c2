// SPDX-License-Identifier: Apache-2.0
#include "analysis/detail/suspicions.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "engine/bounds/demand.hpp"
#include "engine/devices/chosen_devices.hpp"
#include "engine/small_changes.hpp"
#include "engine/verdict.hpp"

namespace amalthea::analysis {
namespace {

std::vector<Duration> times_alone(const System& system, const std::vector<engine::Program>& programs) {
  std::vector<Duration> own(system.tasks.size());
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    const Duration time = programs[task].execution + programs[task].copies + programs[task].kernels;
    own[task] += time;
    if (const auto host = engine::wrapper_of(system, task)) own[*host] += time;
  }
  return own;
}

}  // namespace

Facts::Facts(const System& analyzed, const engine::AnalysisOptions& options, const engine::Results& found)
    : system(analyzed),
      results(found),
      devices(engine::choose_devices(analyzed, options.profile).profiles),
      programs(engine::compile_programs(analyzed, options.execution, devices, options.compile)),
      own(times_alone(analyzed, programs)),
      utilization(analyzed.tasks.size()),
      tightness(analyzed.tasks.size()),
      chained(analyzed.tasks.size()),
      failing(analyzed.tasks.size()) {
  const std::vector<double> rates = engine::job_rates(system, programs);
  std::vector<double> usual;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    failing[task] = engine::verdict_on(results.tasks[task]) > engine::OverallVerdict::met ||
                    (system.tasks[task].deadline && results.tasks[task].guaranteed != true);
    if (rates[task] <= 0) continue;
    utilization[task] = static_cast<double>(own[task].picoseconds()) * rates[task];
    if (!system.tasks[task].deadline) continue;
    tightness[task] = static_cast<double>(system.tasks[task].deadline->picoseconds()) * rates[task];
    if (*tightness[task] > 0) usual.push_back(*tightness[task]);
  }
  if (!usual.empty()) usual_tightness = median(usual);
  for (const Chain& chain : system.chains)
    for (const TaskIndex task : chain.tasks)
      for (const TaskIndex other : chain.tasks)
        if (other != task) chained[task].push_back(other);
}

double distance(double a, double b) { return a > 0 && b > 0 ? std::abs(std::log2(a / b)) : 0; }

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void set_deadline(System& system, TaskIndex task, Duration deadline) {
  std::vector<Requirement*> stated;
  for (Requirement& one : system.requirements) {
    if (!engine::is_deadline(system, one)) continue;
    const TaskIndex of = std::get<Requirement::OfProcess>(one.subject).task;
    if (of == task || system.tasks[of].folded_into == task) stated.push_back(&one);
  }
  for (Requirement* one : stated) std::get<Requirement::TimeLimit>(one->limit).value = deadline;
  for (Task& one : system.tasks)
    if (one.folded_into == task) one.deadline = deadline;
  system.tasks[task].deadline = deadline;
}

Duration times(Duration value, double factor) {
  const double product = static_cast<double>(value.picoseconds()) * factor;
  return Duration::picoseconds(static_cast<std::int64_t>(std::clamp(std::round(product), 1.0, 9.0e18)));
}

std::string ratio_text(double ratio) {
  if (ratio >= 1) return fmt::format("{:.3g} times", ratio);
  return fmt::format("1/{:.3g} of", 1 / ratio);
}

}  // namespace amalthea::analysis
