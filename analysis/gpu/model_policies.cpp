// SPDX-License-Identifier: Apache-2.0
// How the tasks of a model may share its GPUs.

#include <filesystem>
#include <limits>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "amalthea/quantity.hpp"
#include "analysis/gpu/detail/policies.hpp"
#include "analysis/gpu/detail/steps.hpp"
#include "analysis/request.hpp"
#include "engine/device_checks.hpp"
#include "engine/devices/chosen_devices.hpp"
#include "engine/gpu/contexts.hpp"
#include "engine/many_runs.hpp"
#include "engine/program/kernel_instructions.hpp"
#include "engine/program/releases.hpp"
#include "engine/small_changes.hpp"
#include "exporter/gpu/gpu_recording.hpp"

namespace amalthea::analysis::gpu {
namespace {

using engine::DeviceProfile;
using engine::GpuContext;

/// Of a timeline.
constexpr std::size_t most_operations = 300;

/// A GPU with tasks.
struct Gpu {
  UnitIndex unit = 0;
  const DeviceProfile* profile = nullptr;
  std::string suffix;  ///< " on GPU" if there are several
  std::vector<GpuContext> contexts;
  std::vector<TaskIndex> tasks;

  std::vector<GpuContext> contexts_in(const System& system) const {
    return engine::contexts_on(system, unit, *profile);
  }
  bool has_slices(const System& system) const {
    return !engine::schedules_by_urgency(system, unit) && contexts_in(system).size() > 1;
  }
};

class ModelPolicies {
 public:
  ModelPolicies(const System& system, const DeviceProfile* profile) : system_(system) {
    const auto devices = engine::choose_devices(system, profile).profiles;
    for (UnitIndex unit = 0; unit < devices.size(); ++unit) {
      if (devices[unit] == nullptr) continue;
      Gpu gpu{unit, devices[unit], {}, engine::contexts_on(system, unit, *devices[unit]), {}};
      for (const GpuContext& context : gpu.contexts)
        gpu.tasks.insert(gpu.tasks.end(), context.tasks.begin(), context.tasks.end());
      if (!gpu.tasks.empty()) gpus_.push_back(std::move(gpu));
    }
    if (gpus_.size() > 1)
      for (Gpu& gpu : gpus_) gpu.suffix = " on " + system.platform.units[gpu.unit].name;
  }

  const std::vector<Gpu>& gpus() const { return gpus_; }

  std::vector<Policy<System>> policies() {
    for (const Gpu& gpu : gpus_) {
      add_runlist(gpu);
      add_streams(gpu);
      add_masks(gpu);
      add_budgets(gpu);
      add_grids(gpu);
      add_contexts(gpu);
    }
    return std::move(policies_);
  }

  /// The device tasks, and the tasks that wait for them.
  std::vector<TaskIndex> parties() const {
    std::vector<TaskIndex> tasks;
    for (const Gpu& gpu : gpus_)
      for (const TaskIndex task : gpu.tasks) {
        const auto wrapper = engine::wrapper_of(system_, task);
        if (wrapper && !system_.tasks[*wrapper].folded_into) tasks.push_back(*wrapper);
        tasks.push_back(task);
      }
    std::sort(tasks.begin(), tasks.end());
    tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
    return tasks;
  }

 private:
  using Choice = Policy<System>::Choice;

  std::string name_of(const GpuContext& context) const {
    const Task& first = system_.tasks[context.tasks.front()];
    return first.gpu.context.empty() ? first.name : first.gpu.context;
  }

  /// The choice applied to all of these tasks.
  static Choice of_tasks(std::string text, std::vector<TaskIndex> tasks, std::function<void(Task&)> change) {
    return {std::move(text), [tasks = std::move(tasks), change = std::move(change)](System& system) {
              for (const TaskIndex task : tasks) change(system.tasks[task]);
            }};
  }

  void add_runlist(const Gpu& gpu) {
    const std::size_t count = gpu.contexts.size();
    if (count < 2) return;
    const auto matters = [gpu, count](const System& variant) {
      return gpu.has_slices(variant) && gpu.contexts_in(variant).size() == count;
    };
    for (const GpuContext& context : gpu.contexts) {
      const Scheduler& scheduler = system_.platform.schedulers[system_.tasks[context.tasks.front()].scheduler];
      Policy<System> slice{slices, "slice of " + name_of(context), {}, matters};
      for (const Duration time : explore::usual_time_slices(scheduler.minimum_time_slice, scheduler.maximum_time_slice))
        if (time != context.slice)
          slice.choices.push_back(
              of_tasks(format_duration(time), context.tasks, [time](Task& task) { task.time_slice = time; }));
      Policy<System> priority{priorities, "runlist priority of " + name_of(context), {}, matters};
      for (const auto& [name, slots] : {std::pair{"high", 3U}, std::pair{"medium", 2U}, std::pair{"low", 1U}})
        if (slots != context.runlist_slots)
          priority.choices.push_back(
              of_tasks(name, context.tasks, [slots = slots](Task& task) { task.gpu.runlist_slots = slots; }));
      policies_.push_back(std::move(slice));
      policies_.push_back(std::move(priority));
    }
    if (!gpu.profile->amd) add_scheduling(gpu);
  }

  void add_scheduling(const Gpu& gpu) {
    const auto set = [unit = gpu.unit](System& variant, const char* scheduling) {
      variant.platform.units[unit].context_scheduling = scheduling;
    };
    Policy<System> policy{priorities, "scheduling of contexts" + gpu.suffix, {}, [gpu](const System& variant) {
                            return gpu.contexts_in(variant).size() > 1;
                          }};
    const bool is_urgent = engine::schedules_by_urgency(system_, gpu.unit);
    if (is_urgent) policy.choices.push_back({"time slices", [set](System& variant) { set(variant, "timeslice"); }});
    std::set<std::int64_t> stated;
    for (const GpuContext& context : gpu.contexts) stated.insert(context.urgency);
    if (!is_urgent && stated.size() == gpu.contexts.size())
      policy.choices.push_back({"by priority", [set](System& variant) { set(variant, "priority"); }});
    for (std::size_t first = 0; stated.size() < gpu.contexts.size() && first < gpu.contexts.size(); ++first)
      policy.choices.push_back({fmt::format("by priority, {} first", name_of(gpu.contexts[first])),
                                [set, first, contexts = gpu.contexts](System& variant) {
                                  set(variant, "priority");
                                  for (std::size_t i = 0; i < contexts.size(); ++i)
                                    for (const TaskIndex task : contexts[i].tasks)
                                      variant.tasks[task].priority = static_cast<std::int64_t>(
                                          i == first ? contexts.size() : contexts.size() - i - 1);
                                }});
    policies_.push_back(std::move(policy));
  }

  void add_streams(const Gpu& gpu) {
    if (gpu.profile->amd) return;
    for (const TaskIndex task : gpu.tasks) {
      const bool is_high = system_.tasks[task].gpu.high_priority;
      policies_.push_back({priorities,
                           "stream priority of " + system_.tasks[task].name,
                           {of_tasks(is_high ? "low" : "high", {task},
                                     [is_high](Task& changed) { changed.gpu.high_priority = !is_high; })},
                           [gpu, task](const System& variant) {
                             const auto contexts = gpu.contexts_in(variant);
                             return std::any_of(contexts.begin(), contexts.end(), [&](const GpuContext& context) {
                               return context.streams.size() > 1 &&
                                      std::count(context.tasks.begin(), context.tasks.end(), task) > 0;
                             });
                           }});
    }
  }

  template <typename Visit>
  static void each_kernel(System& system, const std::vector<TaskIndex>& tasks, const Visit& visit) {
    for (const TaskIndex task : tasks)
      for (const NodeIndex node : system.tasks[task].body)
        if (auto* kernel = std::get_if<Kernel>(&system.graph[node].activity)) visit(*kernel);
  }

  /// Whether all kernels have blocks, which SMs can be chosen for.
  bool has_blocks(const Gpu& gpu) const {
    bool all = !gpu.profile->amd && gpu.profile->multiprocessors.has_value();
    System system = system_;
    each_kernel(system, gpu.tasks, [&](const Kernel& kernel) { all = all && kernel.launch; });
    return all;
  }

  /// TPCs divided evenly among the tasks.
  void add_masks(const Gpu& gpu) {
    Policy<System> policy{masks, "masks of SMs" + gpu.suffix, {}};
    bool are_masked = false;  // each kernel on its own
    System system = system_;
    each_kernel(system, gpu.tasks,
                [&](const Kernel& kernel) { are_masked |= kernel.launch && !kernel.launch->sm_mask.empty(); });
    if (are_masked) return;
    const auto is_masked = [&](TaskIndex task) { return !system_.tasks[task].gpu.sm_mask.empty(); };
    if (std::any_of(gpu.tasks.begin(), gpu.tasks.end(), is_masked))
      policy.choices.push_back(of_tasks("none", gpu.tasks, [](Task& task) { task.gpu.sm_mask.clear(); }));
    if (has_blocks(gpu)) {
      const auto& limits = *gpu.profile->multiprocessors;
      const std::size_t count = gpu.tasks.size(), most = 64;
      const auto tpcs = static_cast<std::size_t>((limits.sms + limits.sms_per_tpc - 1) / limits.sms_per_tpc);
      if (count > 1 && count <= tpcs && tpcs <= most)
        policy.choices.push_back({"divided among the tasks", [tasks = gpu.tasks, tpcs](System& variant) {
                                    for (std::size_t i = 0; i < tasks.size(); ++i) {
                                      std::uint64_t enabled = 0;
                                      for (std::size_t tpc = 0; tpc < tpcs; ++tpc)
                                        if (tpc * tasks.size() / tpcs == i) enabled |= std::uint64_t{1} << tpc;
                                      variant.tasks[tasks[i]].gpu.sm_mask = fmt::format("~{:#x}", enabled);
                                    }
                                  }});
    }
    policies_.push_back(std::move(policy));
  }

  /// Of QAWS, as in Table 2 and Figure 2 of its paper: powers of two.
  void add_budgets(const Gpu& gpu) {
    if (!system_.platform.units[gpu.unit].warp_policy.starts_with("qaws")) return;
    for (const TaskIndex task : gpu.tasks) {
      std::set<std::int64_t> stated;
      System system = system_;
      each_kernel(system, {task}, [&](const Kernel& kernel) {
        if (kernel.instructions) stated.insert(kernel.instructions->budget);
      });
      if (stated.empty()) continue;
      Policy<System> policy{budgets, "budget of " + system_.tasks[task].name, {}};
      for (const std::int64_t budget : {1, 2, 4, 8, 16})
        if (stated != std::set{budget})
          policy.choices.push_back({fmt::format("{}", budget), [task, budget](System& variant) {
                                      each_kernel(variant, {task}, [&](Kernel& kernel) {
                                        if (kernel.instructions) kernel.instructions->budget = budget;
                                      });
                                    }});
      policies_.push_back(std::move(policy));
    }
  }

  void add_grids(const Gpu& gpu) {
    if (!gpu.profile->multiprocessors) return;
    Policy<System> policy{grids, "threads per block" + gpu.suffix, {}};
    for (const std::int64_t threads : threads_of_grids) {
      bool changes = false;
      System system = system_;
      each_kernel(system, gpu.tasks,
                  [&](const Kernel& kernel) { changes |= kernel.launch && kernel.launch->threads != threads; });
      if (changes && threads <= gpu.profile->multiprocessors->threads_per_block)
        policy.choices.push_back({fmt::format("{}", threads), [tasks = gpu.tasks, threads](System& variant) {
                                    each_kernel(variant, tasks, [&](Kernel& kernel) {
                                      if (kernel.launch) cut_grid(*kernel.launch, *kernel.launch, threads);
                                    });
                                  }});
    }
    policies_.push_back(std::move(policy));
  }

  void add_contexts(const Gpu& gpu) {
    Policy<System> policy{contexts, "contexts" + gpu.suffix, {}};
    // A stream keeps the name of its process, so that those of two processes stay apart.
    const auto shared = [](Task& task, double share) {
      if (share == 0 && !task.gpu.stream.empty()) task.gpu.stream = task.gpu.context + "/" + task.gpu.stream;
      if (share == 0) task.gpu.context = "one";
      task.gpu.mps_share = share;
    };
    const std::size_t count = gpu.contexts.size();
    // A NULL stream, or pageable memory, orders the streams of its process: neither fewer nor more than these.
    const bool has_order = std::any_of(gpu.contexts.begin(), gpu.contexts.end(), [](const GpuContext& context) {
      return std::any_of(context.streams.begin(), context.streams.end(),
                         [](const engine::GpuStream& stream) { return stream.is_null || stream.has_pageable; });
    });
    if (count > 1) {
      if (!has_order) policy.choices.push_back(of_tasks("one", gpu.tasks, [shared](Task& task) { shared(task, 0); }));
      if (!gpu.profile->amd)
        policy.choices.push_back(of_tasks("MPS", gpu.tasks, [shared](Task& task) { shared(task, 100); }));
      const double share = 100.0 / static_cast<double>(count);
      if (has_blocks(gpu))
        policy.choices.push_back(of_tasks(fmt::format("MPS, each {:.0f} %", share), gpu.tasks,
                                          [shared, share](Task& task) { shared(task, share); }));
    }
    if (count < gpu.tasks.size() && !has_order)
      policy.choices.push_back(of_tasks("one for each task", gpu.tasks, [](Task& task) {
        task.gpu.context.clear();
        task.gpu.mps_share = 0;
      }));
    policies_.push_back(std::move(policy));
  }

  const System& system_;
  std::vector<Gpu> gpus_;
  std::vector<Policy<System>> policies_;
};

/// Why the engine refuses the system.
std::string reason_of(const Diagnostics& findings) {
  for (const Diagnostic& finding : findings.all())
    if (finding.severity == Severity::error) return finding.message;
  return "it cannot be analyzed";
}

struct Judge {
  std::vector<TaskIndex> parties;
  std::vector<Gpu> gpus;
  engine::ManyRunsOptions options;
  std::string title;

  tl::expected<JudgedVariant, std::string> operator()(const System& given, bool timeline) const {
    Diagnostics findings;
    System system = given;
    if (!engine::resolve_instructions(system, options.analysis.profile, findings) ||
        !engine::check_devices(system, options.analysis.profile, findings))
      return tl::unexpected(reason_of(findings));
    engine::ManyRunsOptions how = options;
    const Gpu& shown = gpus.front();
    exporter::GpuRecording recording(system, shown.unit, *shown.profile, most_operations);
    if (timeline) how.analysis.observer = &recording;
    const auto runs = engine::simulate_runs(system, how, findings);
    if (!runs) return tl::unexpected(reason_of(findings));
    JudgedVariant judged = judged_by(system, *runs);
    if (timeline) {
      const auto streams = std::move(recording).take();
      judged.timeline = exporter::render_gpu_gantt_svg(streams.scenario, streams.run, {title});
    }
    return judged;
  }

  /// The largest bound, and the mean of the mean responses, relative to deadlines, else to periods.
  JudgedVariant judged_by(const System& system, const engine::ManyRuns& runs) const {
    JudgedVariant judged;
    double largest = 0, sum = 0;
    std::size_t responses = 0;
    for (const TaskIndex task : parties) {
      exporter::PolicyTimes& times = judged.times.emplace_back();
      times.bound = runs.tasks[task].bound.worst;
      times.response.add(runs.tasks[task].response);
      if (runs.tasks[task].late > 0) ++judged.judgement.broken;
      const auto& deadline = system.tasks[task].deadline;
      // What a task waits for is a part of its response.
      if (!deadline && system.tasks[task].side == Side::device && engine::wrapper_of(system, task)) continue;
      if (deadline && (!times.bound || *times.bound > *deadline))
        judged.judgement.late.push_back(task);
      else if (!times.bound)
        ++judged.judgement.unbounded;
      const auto limit = deadline ? deadline : runs.periods[task];
      if (!limit || limit->is_zero()) continue;
      const auto share = [&](Duration time) {
        return static_cast<double>(time.picoseconds()) / static_cast<double>(limit->picoseconds());
      };
      largest = std::max(largest, times.bound ? share(*times.bound) : std::numeric_limits<double>::infinity());
      if (times.response.count() > 0) {
        sum += share(times.response.mean());
        ++responses;
      }
    }
    judged.judgement.objectives = {
        largest, responses > 0 ? sum / static_cast<double>(responses) : std::numeric_limits<double>::infinity()};
    return judged;
  }
};

}  // namespace

Outcome<exporter::PolicyStudy> model_study(const PolicyStudyRequest& request, const Watch& watch) {
  AnalysisRequest asked;
  asked.platform = {request.platform};
  asked.until = request.until;
  asked.execution = "random";
  Diagnostics findings;
  const auto model = read({request.scenario.path}, {}, findings);
  auto prepared = model ? prepare(*model, asked, findings) : tl::unexpected(model.error());
  watch.found(findings);
  if (!prepared) return tl::unexpected(prepared.error());
  ModelPolicies policies(prepared->system, prepared->analysis.profile);
  if (policies.gpus().empty()) return misused(request.scenario.path, "no task of the model is on a GPU");
  PolicySubject<System> subject;
  subject.title = std::filesystem::path(request.scenario.path).filename().string();
  subject.given = prepared->system;
  subject.has_bounds = true;
  Judge judge{policies.parties(), policies.gpus(), {prepared->analysis, request.runs, request.seed}, subject.title};
  judge.options.threads = std::max(1U, std::thread::hardware_concurrency());
  const auto periods = engine::periods_of(prepared->system);
  for (const TaskIndex task : judge.parties) {
    const Task& party = prepared->system.tasks[task];
    subject.parties.push_back({party.name, party.deadline ? party.deadline : periods[task]});
  }
  subject.policies = policies.policies();
  subject.judge = std::move(judge);
  return study_of(std::move(subject), request, watch);
}

}  // namespace amalthea::analysis::gpu
