// SPDX-License-Identifier: Apache-2.0
// GPUs of a random system, and the tasks that they execute.

#include <variant>

#include "engine/nvidia/warp_policies.hpp"
#include "engine/nvidia/warps.hpp"
#include "tests/support/random_system/generator.hpp"

namespace test::drawing {

void Generator::make_profile() {
  profile_ = plain_profile(us(1000));
  if (gpus_.empty()) return;
  if (on(F::context_switch)) profile_.context_switch = us(draw(1, 4));
  if (on(F::interference)) {
    profile_.interference.kernel_by_memcpy.ppm = 2'000'000;
    profile_.interference.kernel_by_memset.ppm = draw(1, 4) * 1'000'000;
    profile_.interference.copy_by_kernel.ppm = draw(4, 8) * 300'000;
  }
  if (on(F::cpu_traffic)) {
    profile_.interference.kernel_by_cpu.ppm = draw(2, 8) * 500'000;
    profile_.interference.copy_by_cpu.ppm = draw(2, 4) * 500'000;
    profile_.interference.accessing_cores = draw(1, 3);
  }
  if (on(F::interference) && one_in(2)) profile_.interference.copying_processes = draw(1, 3);
  if (on(F::copy_engines)) profile_.copy_engines = 2;
  if (on(F::coarse_preemption))
    profile_.preemption = one_in(2) ? engine::gpu::Preemption::block : engine::gpu::Preemption::kernel;
  if (on(F::blocks) || on(F::amd)) {
    profile_.multiprocessors.emplace();
    profile_.multiprocessors->sms = on(F::sm_mask) || on(F::kernel_mask) ? 4 : 2;
  }
  make_later_figures();
  if (on(F::amd)) make_amd();
}

void Generator::make_later_figures() {
  engine::gpu::InterferenceTable& table = profile_.interference;
  if (on(F::same_sm)) table.kernel_by_same_sm.ppm = draw(3, 6) * 500'000;
  if (on(F::clusters)) {
    table.kernel_by_same_gpc.ppm = draw(2, 5) * 500'000;
    table.kernel_by_other_gpc.ppm = draw(2, 4) * 500'000;
    profile_.multiprocessors->sms_per_gpc = draw(1, 2);
  }
  if (on(F::constant_traffic)) {
    profile_.cpu_traffic = draw(1, 4) / 4.0;
    if (!on(F::cpu_traffic)) table.kernel_by_cpu.ppm = table.copy_by_cpu.ppm = draw(2, 6) * 500'000;
  }
  if (on(F::stream_preemption)) profile_.stream_preemption = us(draw(1, 4));
  if (on(F::kernel_instructions)) {
    engine::gpu::SmLimits& limits = *profile_.multiprocessors;
    limits.load_store_units = limits.special_units = 32;
    if (one_in(2)) limits.sms_per_tpc = 1;
    for (const UnitIndex gpu : gpus_) {
      ProcessingUnit& unit = maker_.system().platform.units[gpu];
      if (one_in(2)) unit.warp_policy = any_of(engine::nvidia::warp_policies()).name;
      if (one_in(2)) unit.warp_pipelines = any_of(engine::nvidia::warp_pipelines()).name;
    }
  }
}

void Generator::make_amd() {
  engine::gpu::QueueArchitecture& amd = profile_.amd.emplace();
  amd.aces = draw(1, 4);
  amd.slots_per_ace = one_in(8) ? 1 : 8;
  amd.pool_queues = draw(1, 4);
  amd.turns = one_in(2) ? engine::gpu::TurnRule::oldest : engine::gpu::TurnRule::round_robin;
  amd.quantum = us(draw(1, 20));
  profile_.multiprocessors->sms_per_gpc = one_in(2) ? draw(4, 8) : draw(1, 3);  // with many, levels count
  profile_.multiprocessors->sms = draw(1, 4) * profile_.multiprocessors->sms_per_gpc;
}

std::string Generator::cu_mask() {
  std::string mask;
  while (mask.empty())
    for (std::int64_t unit = 0; unit < profile_.multiprocessors->sms; ++unit)
      if (one_in(2)) mask += fmt::format("{}{}", mask.empty() ? "" : ",", unit);
  return mask;
}

TaskIndex Generator::device_task(StimulusIndex stimulus, int budget, const std::string& context) {
  const TaskIndex device = new_task("device", on(F::several_gpus) ? any_of(gpus_) : gpus_.front(), stimulus);
  maker_[device].priority = on(F::context_priority) ? draw(1, 3) : 0;
  if (on(F::context_priority)) mark(F::context_priority, device);
  maker_[device].time_slice = us(draw(1, 4) * draw(1, 10));
  maker_[device].gpu.runlist_slots = static_cast<std::uint32_t>(draw(1, 3));
  maker_[device].gpu.context = context;
  if (!context.empty()) mark(F::shared_context, device);
  if (context.empty() && one_in(3) && use(F::shared_context, device)) maker_[device].gpu.context = "shared";
  if (!maker_[device].gpu.context.empty() && use(F::shared_stream, device)) maker_[device].gpu.stream = "stream";
  if (maker_[device].gpu.stream.empty() && use(F::cu_mask, device)) maker_[device].gpu.cu_mask = cu_mask();
  for (int left = draw(1, 3), count = left; left > 0; --left) {
    const int worst = draw(1, std::max(1, 2 * budget / count));
    if (one_in(2) && use(F::copy, device)) {
      maker_.copy(device, worst,
                  on(F::copy_engines) && one_in(2) ? CopyKind::device_to_host : CopyKind::host_to_device);
    } else if (one_in(2) && use(F::memset, device)) {
      maker_.copy(device, worst, CopyKind::memset);
    } else {
      Kernel kernel;
      kernel.ticks = ticks(worst, device);
      kernel.memory_intensity = draw(0, 2) / 2.0;
      if (use(F::blocks, device)) {
        kernel.ticks = ticks(std::max(1, worst / (on(F::amd) ? 4 : 2)), device);
        const int most_blocks = std::max<int>(20, 8 * static_cast<int>(profile_.multiprocessors->sms_per_gpc));
        kernel.launch = Launch{draw(1, on(F::amd) && one_in(2) ? most_blocks : 7), one_in(2) ? 512 : 1024, 0, 0, ""};
        if (on(F::amd) && one_in(2)) kernel.launch->threads = 32 * draw(1, 32);
        if (use(F::occupancy, device)) {
          kernel.launch->registers = one_in(3) ? 0 : 16 * draw(1, 4);
          kernel.launch->shared_memory = one_in(3) ? 0 : 4096 * draw(1, 12);
        }
      }
      maker_.add(device, kernel);
    }
  }
  if (use(F::sm_mask, device)) mask_processors(device);
  add_later_properties(device);
  for (const SystemFeature feature :
       {F::context_switch, F::interference, F::cpu_traffic, F::copy_engines, F::coarse_preemption, F::amd, F::same_sm,
        F::clusters, F::stream_preemption, F::constant_traffic, F::several_gpus})
    if (on(feature)) mark(feature, device);
  return device;
}

void Generator::add_later_properties(TaskIndex device) {
  GpuShare& share = maker_[device].gpu;
  const bool has_mask = !share.cu_mask.empty() || !share.sm_mask.empty();
  if (!share.context.empty() && !has_mask && use(F::null_stream, device)) {
    share.null_stream = true;
    share.stream.clear();
  }
  if (use(F::stream_priority, device)) share.high_priority = !on(F::amd);
  if (on(F::mps) && !on(F::amd)) {  // all tasks of a process have the same share
    const auto at = share.context.empty() ? mps_shares_.end() : mps_shares_.find(share.context);
    share.mps_share = at != mps_shares_.end() ? at->second : one_in(3) ? 0 : one_in(3) ? 25 * draw(1, 3) : 100;
    if (!share.context.empty()) mps_shares_[share.context] = share.mps_share;
  }
  if (on(F::mps)) mark(F::mps, device);
  for (const NodeIndex node : maker_[device].body) {
    Activity& activity = maker_.system().graph[node].activity;
    if (auto* kernel = std::get_if<Kernel>(&activity); kernel != nullptr && kernel->launch) {
      if (use(F::kernel_mask, device) && !on(F::amd)) kernel->launch->sm_mask = one_in(2) ? "0x1" : "0x2";
      if (use(F::kernel_instructions, device) && !on(F::amd)) state_instructions(*kernel);
    }
    if (auto* copied = std::get_if<Copy>(&activity); copied != nullptr && copied->kind != CopyKind::memset) {
      copied->pageable = use(F::pageable_memory, device);
      if (use(F::copy_time, device)) copied->time = us(draw(1, 12));
    }
  }
}

void Generator::state_instructions(Kernel& kernel) {
  KernelInstructions instructions;
  std::string& text = instructions.text;
  const bool letters = one_in(2);
  for (int count = draw(1, 3); count > 0; --count)
    text += letters ? fmt::format("{}{}{}", text.empty() ? "" : " ", draw(1, 3), any_of(std::vector{'L', 'C', 'S'}))
                    : fmt::format("{}{}:{}", text.empty() ? "" : ",",
                                  any_of(std::vector{"fp32", "int32", "special", "memory", "fp64"}), draw(1, 8));
  kernel.instructions = std::move(instructions);
  kernel.launch->threads = 32 * draw(1, 6);
  kernel.launch->blocks = draw(1, one_in(2) ? 2 : 8);
}

void Generator::mask_processors(TaskIndex device) {
  if (!maker_[device].gpu.stream.empty() || !maker_[device].gpu.cu_mask.empty()) return;
  for (const NodeIndex node : maker_[device].body)
    if (const auto* kernel = std::get_if<Kernel>(&maker_.system().graph[node].activity);
        kernel != nullptr && !kernel->launch)
      return;
  if (on(F::amd))
    maker_[device].gpu.cu_mask = cu_mask();
  else
    maker_[device].gpu.sm_mask = one_in(2) ? "0x1" : "0x2";  // two TPCs
}

void Generator::offload(TaskIndex host, int period, int budget) {
  const bool active = on(F::polling) && (!on(F::passive_waiting) || one_in(2));
  mark(F::offload, host);
  mark(active ? F::polling : F::passive_waiting, host);
  std::string context;
  if (one_in(2) && use(F::shared_context, host)) context = fmt::format("context of {}", maker_[host].name);
  if (one_in(3) && use(F::several_visits, host)) return offload_both(host, period, budget, active, context);
  // In one context, or each in its own.
  const bool two = !context.empty() || (one_in(4) && use(F::several_visits, host));
  for (int device = two ? 2 : 1; device > 0; --device) offload_one(host, period, budget, active, context);
}

void Generator::offload_both(TaskIndex host, int period, int budget, bool active, const std::string& context) {
  std::vector<EventIndex> done;
  for (int i = 0; i < 2; ++i) {
    const StimulusIndex request = add_stimulus(InterProcess{});
    const TaskIndex device = device_task(request, budget / 2, context);
    done.push_back(maker_.event(fmt::format("done{}", maker_.system().events.size())));
    maker_.set(device, done.back(), host);
    if (maker_.system().tasks.size() < 100 && tries(F::device_trigger)) {  // that host may offload in turn
      mark(F::device_trigger, device);
      trigger_host(device, period, 2);
    }
    maker_.trigger(host, request);
    if (use(F::work_beside, host)) compute(host, budget / 4);
    activated(host, device);
    partners_.emplace_back(host, device);
  }
  const bool both = on(F::polling) && on(F::passive_waiting) && one_in(2);  // it polls for one of them
  if (both) mark(active ? F::passive_waiting : F::polling, host);
  if (!both && one_in(3)) {
    maker_.add(host, WaitEvents{done, true, active});
    maker_.add(host, ClearEvents{done});
    return;
  }
  for (const EventIndex event : done) {
    maker_.wait(host, event, both && event == done.back() ? !active : active);
    maker_.clear(host, event);
  }
}

void Generator::offload_one(TaskIndex host, int period, int budget, bool active, const std::string& context) {
  const StimulusIndex request = add_stimulus(InterProcess{});
  const TaskIndex device = device_task(request, budget, context);
  const EventIndex done = maker_.event(fmt::format("done{}", maker_.system().events.size()));
  maker_.set(device, done, host);
  if (maker_.system().tasks.size() < 100 && tries(F::device_trigger)) {  // that host may offload in turn
    mark(F::device_trigger, device);
    trigger_host(device, period, 2);
  }
  const bool again = one_in(2) && use(F::several_visits, host);
  for (int visit = again ? 2 : 1; visit > 0; --visit)
    perhaps_in_branch(host, budget / 4, [&] {
      maker_.trigger(host, request);
      if (use(F::work_beside, host)) compute(host, budget / 2);
      maker_.wait(host, done, active);
      maker_.clear(host, done);
      if (again) compute(host, std::max(1, budget / 4));
    });
  activated(host, device);
  partners_.emplace_back(host, device);
}

}  // namespace test::drawing
