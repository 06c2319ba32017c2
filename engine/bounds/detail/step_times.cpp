// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/step_times.hpp"

#include <algorithm>

#include "engine/amd/kernel_delays.hpp"
#include "engine/amd/stream_masks.hpp"
#include "engine/gpu/launch_plan.hpp"
#include "engine/nvidia/sm_mask.hpp"

namespace amalthea::engine::bounds {
namespace {

/// Rounds of as many blocks as the GPU holds, counted like in compile_programs; on an AMD GPU at least and at most.
amd::Rounds rounds_of(const AnalyzedSystem& subject, TaskStep task_step) {
  const Step& step = subject.step(task_step);
  if (!step.block) return {};
  const auto& launch = subject.activity<Kernel>(task_step).launch;
  const Task& task = subject.task(task_step.task);
  const DeviceProfile& profile = *subject.devices[task.unit];
  if (profile.amd)
    return amd::rounds_alone(amd::device_settings(profile), step.blocks, *step.block,
                             amd::cu_mask_of(subject.system, task_step.task, profile));
  const std::int64_t rounds =
      gpu::plan_launch(*launch, profile, nvidia::enabled_sms(nvidia::mask_of(task, *launch), profile))->rounds;
  return {rounds, rounds};
}

/// Whether all times of the unit are whole picoseconds.
bool is_exact(const ProcessingUnit& unit) {
  constexpr std::int64_t millihertz_picoseconds = 1'000'000'000'000'000, second = 1'000'000'000'000;
  return millihertz_picoseconds % unit.frequency.millihertz() == 0 &&
         std::all_of(unit.accesses.begin(), unit.accesses.end(), [](const MemoryAccess& access) {
           return access.data_rate.bytes_per_second == 0 || second % access.data_rate.bytes_per_second == 0;
         });
}

bool is_exact(const System& system, const Task& task) {
  return is_exact(system.platform.units[task.unit]) &&
         std::all_of(task.units.begin(), task.units.end(),
                     [&](UnitIndex unit) { return is_exact(system.platform.units[unit]); });
}

/// How often the time of a step, or of a round of blocks, is rounded.
std::int64_t roundings_of(const AnalyzedSystem& subject, TaskStep task_step) {
  const Activity& activity = subject.activity(task_step);
  if (std::holds_alternative<Call>(activity) || is_exact(subject.system, subject.task(task_step.task))) return 0;
  const auto* copy = std::get_if<Copy>(&activity);
  if (copy == nullptr) return 1;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(copy->sources.size() + copy->destinations.size()));
}

/// Whether blocks of other kernels on its SM slow the operation down: only kernels whose blocks have times.
bool slows_on_same_sm(const Activity& operation, const gpu::InterferenceTable& table) {
  const auto* kernel = std::get_if<Kernel>(&operation);
  return kernel != nullptr && kernel->launch && !kernel->instructions && table.kernel_by_same_sm > Slowdown{};
}

/// Whether anything on the GPU slows the operation down.
bool slows(const Activity& operation, const DeviceProfile& profile) {
  const gpu::InterferenceTable& table = profile.interference;
  if (profile.amd) return false;
  return std::max({table.kernel_by_memcpy, table.kernel_by_memset, table.kernel_by_same_gpc, table.kernel_by_other_gpc,
                   table.kernel_by_cpu, table.copy_by_kernel, table.copy_by_cpu}) > Slowdown{} ||
         profile.measured_memory.has_value() || slows_on_same_sm(operation, table);
}

}  // namespace

Span span_if_taken(const AnalyzedSystem& subject, TaskStep task_step) {
  const Step& step = subject.step(task_step);
  const amd::Rounds rounds = step.kind == StepKind::kernel ? rounds_of(subject, task_step) : amd::Rounds();
  const Duration rounding = Duration::picoseconds(roundings_of(subject, task_step));
  return {shortest_block(subject, task_step) * rounds.least, (step.work + rounding) * rounds.most};
}

Span span_of(const AnalyzedSystem& subject, TaskStep task_step) {
  Span span = span_if_taken(subject, task_step);
  // Blocks that reuse data of others may take less than their time.
  const auto* kernel = std::get_if<Kernel>(&subject.activity(task_step));
  const bool may_reuse = kernel != nullptr && kernel->costs && !kernel->costs->like.empty();
  if (may_reuse || subject.best[task_step.task].steps[task_step.step].skipped) span.best = {};
  return span;
}

Duration longest_block(const AnalyzedSystem& subject, TaskStep task_step) {
  return subject.step(task_step).work + Duration::picoseconds(roundings_of(subject, task_step));
}

Duration shortest_block(const AnalyzedSystem& subject, TaskStep task_step) {
  const Step& step = subject.step(task_step);
  const Duration rounding = Duration::picoseconds(roundings_of(subject, task_step));
  // The cheapest alternative of a branch may differ from the most expensive one, which alone has its work in `step`.
  const Duration cheapest = subject.best[task_step.task].steps[task_step.step].work;
  const Duration shortest = step.skipped ? cheapest : std::min(cheapest, step.work);
  return shortest - std::min(shortest, rounding);
}

Duration rounding_of(const AnalyzedSystem& subject, TaskStep task_step) {
  if (!slows(subject.activity(task_step), *subject.devices[subject.task(task_step.task).unit])) return {};
  return Duration::nanoseconds(1) + scale(span_of(subject, task_step).worst, 1, 1'000'000, Rounding::up);
}

Span execution_of(const AnalyzedSystem& subject, TaskIndex task) {
  return execution_of(subject, task, 0, subject.steps(task).size());
}

Span execution_of(const AnalyzedSystem& subject, TaskIndex task, std::size_t from, std::size_t to) {
  Span sum;
  for (std::size_t step = from; step < to; ++step)
    if (subject.step({task, step}).kind == StepKind::execute) sum += span_of(subject, {task, step});
  return sum;
}

Duration accesses_of(const AnalyzedSystem& subject, TaskIndex task, UnitIndex gpu, std::size_t from, std::size_t to) {
  Duration time;
  bool any = false, any_skipped = false;
  for (std::size_t step = from; step < to; ++step) {
    const TaskStep task_step{task, step};
    if (!accesses_memory(subject.system, subject.step(task_step)) ||
        !reaches_memory_of(subject.system, gpu, subject.activity(task_step)))
      continue;
    const Duration worst = span_of(subject, task_step).worst;
    any_skipped = any_skipped || subject.step(task_step).skipped;
    any = any || subject.step(task_step).skipped || !worst.is_zero();
    time += worst;
  }
  if (any_skipped) time = execution_of(subject, task, from, to).worst;
  return any ? std::max(time, Duration::picoseconds(1)) : Duration{};
}

Span operations_of(const AnalyzedSystem& subject, TaskIndex device) {
  Span sum;
  for (std::size_t step = 0; step < subject.steps(device).size(); ++step)
    if (is_operation(subject.step({device, step}))) sum += span_of(subject, {device, step});
  return sum;
}

}  // namespace amalthea::engine::bounds
