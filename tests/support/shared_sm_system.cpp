// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shared_sm_system.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "engine/nvidia/warp_policies.hpp"
#include "engine/program/kernel_instructions.hpp"
#include "tests/support/system_maker.hpp"

namespace test {

using namespace amalthea;
using namespace amalthea::engine;
using reference::SharedKernel;
using reference::SharedSystem;
using reference::SharedTask;

namespace {

class Drawing {
 public:
  explicit Drawing(std::mt19937_64& random) : random_(random) {}

  /// With this policy and without pipelines, if it is not "".
  SharedSystem gpu(const std::string& policy) {
    SharedSystem drawn;
    choose_rules(drawn, policy);
    drawn.sms = draw(1, 4);
    drawn.schedulers = 1L << draw(0, 2);
    drawn.warps = 16 * draw(1, 4);
    drawn.slots = draw(4, 32);
    const bool priorities = draw(0, 2) == 0, hosts = draw(0, 1) == 0;
    for (long tasks = draw(1, 3); tasks > 0; --tasks) {
      SharedTask task;
      task.stream = drawn.tasks.size();
      task.high = priorities && draw(0, 1) == 0;
      task.host = hosts && draw(0, 1) == 0;
      // In the stream of the task before it.
      if (!task.host && !drawn.tasks.empty() && !drawn.tasks.back().host && draw(0, 5) == 0) {
        task.stream = drawn.tasks.back().stream;
        task.high = drawn.tasks.back().high;
      }
      for (long kernels = draw(0, 3) == 0 ? 2 : 1; kernels > 0; --kernels)
        task.kernels.push_back(draw(0, 7) == 0 ? without_instructions() : with_latencies(drawn.pipelines));
      if (draw(0, 4) == 0) add_copy(task, 200);
      task.period = draw(1, 8) * 500;
      drawn.tasks.push_back(std::move(task));
    }
    return drawn;
  }

  SharedSystem small() {
    SharedSystem drawn;
    choose_rules(drawn, "");
    drawn.sms = draw(1, 2);
    drawn.schedulers = draw(1, 2);
    drawn.warps = draw(1, 2) * 4;
    drawn.slots = draw(2, 8);
    const bool priorities = draw(0, 2) == 0, hosts = draw(0, 1) == 0;
    const long tasks = draw(0, 2) == 0 ? 3 : 2;
    for (long index = 0; index < tasks; ++index) {
      SharedTask task;
      task.stream = drawn.tasks.size();
      task.high = priorities && draw(0, 1) == 0;
      task.host = hosts && draw(0, 1) == 0;
      for (long kernels = draw(0, 3) == 0 ? 2 : 1; kernels > 0; --kernels) {
        SharedKernel kernel;
        kernel.warps = draw(1, 4);
        kernel.blocks = draw(1, 3);
        kernel.budget = draw(1, 3);
        if (draw(0, 3) == 0) kernel.memory = draw(4, 24);
        if (draw(0, 7) == 0)
          kernel.time = draw(1, 10);
        else
          add_instructions(kernel, drawn.pipelines, 5, 16, 4);
        task.kernels.push_back(std::move(kernel));
      }
      if (draw(0, 4) == 0) add_copy(task, 8);
      task.period = 48L << draw(0, 3);
      drawn.tasks.push_back(std::move(task));
    }
    return drawn;
  }

 private:
  void choose_rules(SharedSystem& drawn, const std::string& policy) {
    const nvidia::WarpPipelines& pipelines =
        policy.empty() ? any_of(nvidia::warp_pipelines()) : nvidia::warp_pipelines().front();
    drawn.policy = policy.empty() ? std::string(any_of(nvidia::warp_policies()).name) : policy;
    drawn.pipelines = pipelines.name;
    drawn.two_per_cycle = pipelines.dual_issue;
  }

  void add_copy(SharedTask& task, long longest) {
    SharedKernel copy;
    copy.blocks = 0;
    copy.time = draw(1, longest);
    task.kernels.insert(task.kernels.begin() + draw(0, static_cast<long>(task.kernels.size())), copy);
  }

  void add_instructions(SharedKernel& kernel, const std::string& pipelines, long most, long stall, long latency) {
    for (long length = draw(1, most); length > 0; --length) {
      // All pipelines have these; FP64 occupies some for long.
      const auto unit = draw(0, 9) == 0 ? nvidia::WarpUnit::fp64 : static_cast<nvidia::WarpUnit>(draw(0, 3));
      const bool loads = unit == nvidia::WarpUnit::memory;
      add_instruction(kernel, pipelines, unit, loads ? draw(std::min(10L, stall), stall) : draw(1, latency));
    }
  }

  long draw(long least, long most) {
    return least + static_cast<long>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }

  template <typename All>
  const typename All::value_type& any_of(const All& all) {
    return all[static_cast<std::size_t>(draw(0, static_cast<long>(all.size()) - 1))];
  }

  SharedKernel launch() {
    SharedKernel kernel;
    kernel.warps = draw(1, 8);
    kernel.blocks = draw(1, 6);
    kernel.budget = draw(1, 3);
    if (draw(0, 3) == 0) kernel.memory = draw(4, 24);
    return kernel;
  }

  SharedKernel with_latencies(const std::string& pipelines) {
    SharedKernel kernel = launch();
    const long stall = draw(10, 200);
    add_instructions(kernel, pipelines, 12, stall, 6);
    return kernel;
  }

  SharedKernel without_instructions() {
    SharedKernel kernel = launch();
    kernel.time = draw(1, 100);
    return kernel;
  }

  std::mt19937_64& random_;
};

Kernel kernel_of(const SharedKernel& drawn) {
  Kernel kernel;
  kernel.memory_intensity = 0;
  kernel.launch = Launch();
  kernel.launch->blocks = drawn.blocks;
  kernel.launch->threads = 32 * drawn.warps;
  kernel.launch->shared_memory = 1024 * drawn.memory;
  if (drawn.program.empty())
    kernel.ticks = constant_ticks(drawn.time);
  else
    kernel.instructions = KernelInstructions{drawn.text, drawn.budget, {}};
  return kernel;
}

void add(SystemMaker& maker, TaskIndex task, const SharedKernel& drawn) {
  if (drawn.blocks == 0)
    maker.copy(task, drawn.time);
  else
    maker.add(task, kernel_of(drawn));
}

}  // namespace

void add_instruction(SharedKernel& kernel, const std::string& pipelines, nvidia::WarpUnit unit, long latency) {
  const auto index = static_cast<std::size_t>(unit);
  kernel.text += fmt::format("{}{}:{}", kernel.text.empty() ? "" : ",", nvidia::warp_unit_names[index], latency);
  const auto& use = nvidia::find_warp_pipelines(pipelines)->uses[index];
  kernel.program.push_back({latency, static_cast<int>(use.pipeline), use.cycles});
}

SharedSystem draw_shared_system(std::mt19937_64& random, const std::string& policy) {
  return Drawing(random).gpu(policy);
}

SharedSystem draw_small_shared_system(std::mt19937_64& random) { return Drawing(random).small(); }

std::vector<Bound> bounds_of(const SharedSystem& drawn, const std::vector<long>& offsets) {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  DeviceProfile profile = plain_profile(us(1000));
  gpu::SmLimits& limits = profile.multiprocessors.emplace();
  limits.sms = drawn.sms;
  limits.warp_schedulers = drawn.schedulers;
  limits.threads = 32 * drawn.warps;
  limits.blocks = drawn.slots;
  limits.cores = 32 * drawn.schedulers;
  limits.shared_memory = 1024 * drawn.memory;
  std::vector<const DeviceProfile*> devices{&profile};
  std::vector<TaskIndex> tasks;
  const auto device_task = [&](const SharedTask& each, StimulusIndex released) {
    const TaskIndex task = maker.task("k", gpu, 0, released);
    maker[task].gpu.context = "process";
    maker[task].gpu.high_priority = each.high;
    return task;
  };
  std::vector<StimulusIndex> stimuli;
  for (const SharedTask& each : drawn.tasks) stimuli.push_back(maker.periodic(each.period));
  for (std::size_t task = 0; task < offsets.size(); ++task)
    std::get<Periodic>(maker.system().stimuli[stimuli[task]].occurrence).offset =
        Duration::nanoseconds(500) * offsets[task];
  for (std::size_t index = 0; index < drawn.tasks.size(); ++index) {
    const SharedTask& each = drawn.tasks[index];
    if (!each.host) {
      tasks.push_back(device_task(each, stimuli[index]));
      maker[tasks.back()].gpu.stream = fmt::format("stream{}", each.stream);
      for (const SharedKernel& kernel : each.kernels) add(maker, tasks.back(), kernel);
      continue;
    }
    const TaskIndex host = maker.task("host", maker.core("core"), 1, stimuli[index]);
    devices.push_back(nullptr);
    tasks.push_back(host);
    for (const SharedKernel& kernel : each.kernels) {
      const StimulusIndex request = maker.inter_process();
      const TaskIndex task = device_task(each, request);
      add(maker, task, kernel);
      maker.offload(host, task, request, 0, 0, false);
    }
  }
  System system = maker.build();
  system.platform.units[gpu].warp_policy = drawn.policy;
  system.platform.units[gpu].warp_pipelines = drawn.pipelines;
  Diagnostics findings;
  if (!resolve_instructions(system, &profile, findings)) return {};
  BoundOptions options;
  options.for_offsets = !offsets.empty();
  const SystemBounds all = system_bounds(system, devices, {}, options);
  std::vector<Bound> bounds;
  for (const TaskIndex task : tasks) bounds.push_back(all.tasks[task]);
  return bounds;
}

std::string text_of(const SharedSystem& drawn) {
  std::string text = fmt::format("{} SMs with {} schedulers, {} warps and {} slots, {} on {}", drawn.sms,
                                 drawn.schedulers, drawn.warps, drawn.slots, drawn.policy, drawn.pipelines);
  for (const SharedTask& task : drawn.tasks) {
    text += fmt::format("\n- every {}, stream {}{}{}:", task.period, task.stream, task.high ? ", high" : "",
                        task.host ? ", host" : "");
    for (const SharedKernel& kernel : task.kernels)
      text += fmt::format(" {} blocks of {} warps, {} KiB, {} cycles, budget {}, [{}];", kernel.blocks, kernel.warps,
                          kernel.memory, kernel.time, kernel.budget, kernel.text);
  }
  return text;
}

}  // namespace test
