// SPDX-License-Identifier: Apache-2.0
#include "tests/support/one_process_system.hpp"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "tests/support/system_maker.hpp"

namespace test {
namespace {

using F = SystemFeature;

class OneProcess {
 public:
  explicit OneProcess(std::mt19937& random) : random_(random) {}

  RandomSystem make() {
    const int cores = draw(1, 2);
    for (int core = 0; core < cores; ++core) cores_.push_back(maker_.core(fmt::format("core{}", core)));
    gpu_ = maker_.gpu("GPU");
    make_profile();
    by_priority_ = one_in(6);
    if (by_priority_) maker_.system().platform.units[gpu_].context_scheduling = "priority";
    tasks_ = draw(2, 4);
    load_ = draw(15, 80);
    high_ = one_in(3);
    whole_ = one_in(6);
    cache_ = one_in(8);
    equal_ = one_in(3) ? draw(1, warps_) : 0;
    for (int i = 0; i < tasks_; ++i) make_task(i, "process");
    if (one_in(4)) make_task(tasks_, "other");
    if (traffic_ || one_in(3)) {
      const int period = periods[draw(0, 4)];
      const TaskIndex plain = add_task("plain", cores_.front(), maker_.periodic(period, draw(0, period)));
      maker_.add(plain, Compute{ticks(draw(1, period / 6))});
      if (traffic_) access(plain, draw(1, period / 6));
    }
    RandomSystem made;
    made.system = maker_.build();
    made.profile = profile_;
    made.met = met_;
    return made;
  }

 private:
  static constexpr int periods[] = {40, 60, 80, 120, 240};

  int draw(int low, int high) { return std::uniform_int_distribution<int>(low, std::max(low, high))(random_); }
  bool one_in(int n) { return draw(1, n) == 1; }

  void make_profile() {
    profile_ = plain_profile(us(one_in(2) ? 1000 : draw(5, 40)));
    auto& limits = profile_.multiprocessors.emplace();
    limits.sms = draw(1, 3);
    limits.sms_per_gpc = draw(1, 2);
    warps_ = draw(4, 12);
    limits.threads = 32 * warps_;
    limits.threads_per_block = limits.threads;
    limits.blocks = one_in(3) ? draw(2, 4) : 32;
    limits.registers = 64 * 256;
    if (one_in(4)) profile_.context_switch = us(draw(1, 2));
    if (one_in(4)) profile_.copy_engines = 2;
    if (one_in(4)) profile_.preemption = one_in(2) ? engine::gpu::Preemption::block : engine::gpu::Preemption::kernel;
    if (one_in(3)) {
      profile_.interference.kernel_by_memcpy.ppm = draw(10, 20) * 100'000;
      profile_.interference.kernel_by_memset.ppm = draw(10, 30) * 100'000;
      profile_.interference.kernel_by_same_gpc.ppm = draw(10, 20) * 100'000;
      profile_.interference.kernel_by_other_gpc.ppm = draw(10, 15) * 100'000;
      profile_.interference.copy_by_kernel.ppm = draw(10, 20) * 100'000;
    }
    if (one_in(3)) profile_.interference.kernel_by_same_sm.ppm = draw(10, 25) * 100'000;
    masks_ = limits.sms > 1 && one_in(4);
    if (masks_) limits.sms_per_tpc = 1;
    measured_ = one_in(4);
    if (measured_) profile_.measured_memory = engine::find_profile("tx2")->measured_memory;
    traffic_ = one_in(3);
    if (!traffic_) return;
    profile_.interference.kernel_by_cpu.ppm = draw(10, 30) * 100'000;
    profile_.interference.copy_by_cpu.ppm = draw(10, 20) * 100'000;
    profile_.interference.accessing_cores = draw(1, 2);
  }

  Ticks ticks(int worst) {
    Ticks made;
    const int best = one_in(4) ? worst : draw(one_in(2) ? 0 : std::min(1, worst), worst);
    made.otherwise = Cycles{best, (best + worst) / 2, worst};
    return made;
  }

  /// A label access of `ticks` microseconds.
  void access(TaskIndex task, int ticks) {
    maker_.system().labels.push_back({"accessed", DataSize{64 * ticks}, MemoryIndex{0}, LabelSide::host, {}});
    maker_.add(task, ReadLabel{static_cast<LabelIndex>(maker_.system().labels.size() - 1)});
  }

  TaskIndex add_task(const std::string& kind, UnitIndex unit, StimulusIndex stimulus) {
    met_.push_back(features_of({F::shared_context}));
    return maker_.task(fmt::format("{}{}", kind, maker_.system().tasks.size()), unit, draw(1, 4), stimulus);
  }

  StimulusIndex periodic(int period) {
    const StimulusIndex made = maker_.periodic(period, one_in(2) ? 0 : draw(0, period));
    if (!one_in(4)) return made;
    Distribution jitter;
    jitter.upper = us(draw(1, period / 3)).picoseconds();
    jitter.average = jitter.upper / 2;
    std::get<Periodic>(maker_.system().stimuli[made].occurrence).jitter = jitter;
    return made;
  }

  void make_task(int number, const std::string& context) {
    const int period = periods[draw(0, 4)];
    const StimulusIndex released = periodic(period);
    const bool waits = one_in(2);
    std::optional<TaskIndex> host;
    StimulusIndex request = released;
    if (waits) {
      host = add_task("host", cores_[static_cast<std::size_t>(draw(0, static_cast<int>(cores_.size()) - 1))], released);
      request = maker_.inter_process();
    }
    const bool several = waits && one_in(3);
    const TaskIndex device = make_device(number, context, period / (several ? 2 : 1), request);
    if (!host) return;
    if (several) {
      const StimulusIndex second = maker_.inter_process();
      const TaskIndex other =
          make_device(number + (one_in(6) ? 0 : 10), one_in(3) ? "beside" : context, period / 2, second);
      offload_both(*host, period, {device, other}, {request, second});
      return;
    }
    if (one_in(2)) {
      maker_.offload(*host, device, request, draw(0, period / 10), draw(0, period / 10), one_in(2));
      return;
    }
    const EventIndex done = maker_.event(fmt::format("done{}", device));
    maker_.set(device, done, *host);
    for (int visit = draw(1, 2); visit > 0; --visit) {
      maker_.add(*host, Compute{ticks(draw(0, period / 10))});
      if (traffic_ && one_in(3)) access(*host, draw(1, std::max(1, period / 10)));
      maker_.trigger(*host, request);
      if (traffic_ && one_in(3)) access(*host, draw(1, std::max(1, period / 10)));
      if (one_in(3)) maker_.add(*host, Compute{ticks(draw(1, period / 10))});
      maker_.wait(*host, done, one_in(2));
      maker_.clear(*host, done);
    }
  }

  TaskIndex make_device(int number, const std::string& context, int period, StimulusIndex request) {
    const TaskIndex device = add_task("device", gpu_, request);
    const int stream = one_in(8) ? 0 : number;
    if (!by_priority_) {  // there each device task has a context of its own
      maker_[device].gpu.context = context;
      maker_[device].gpu.stream = fmt::format("stream{}", stream);
    }
    maker_[device].gpu.sm_mask = mask_of(stream);
    maker_[device].gpu.high_priority = high_ && one_in(2);
    maker_[device].gpu.runlist_slots = static_cast<std::uint32_t>(draw(1, 3));
    const int operations = draw(1, 3);
    for (int i = 0; i < operations; ++i) add_operation(device, std::max(1, period * load_ / 100 / tasks_ / operations));
    return device;
  }

  /// The host has both device tasks active at the same time, and perhaps one of them twice.
  void offload_both(TaskIndex host, int period, const std::vector<TaskIndex>& devices,
                    const std::vector<StimulusIndex>& requests) {
    std::vector<EventIndex> done;
    for (const TaskIndex device : devices) {
      done.push_back(maker_.event(fmt::format("done{}", device)));
      maker_.set(device, done.back(), host);
    }
    const bool active = one_in(2);
    const auto compute = [&] {
      if (one_in(2)) maker_.add(host, Compute{ticks(draw(0, period / 12))});
    };
    const auto visit = [&](std::size_t which) {
      maker_.wait(host, done[which], active);
      maker_.clear(host, done[which]);
      compute();
    };
    compute();
    maker_.trigger(host, requests[0]);
    compute();
    maker_.trigger(host, requests[1]);
    compute();
    if (one_in(3)) {
      maker_.add(host, WaitEvents{done, true, active});
      for (const EventIndex event : done) maker_.clear(host, event);
      compute();
      return;
    }
    const std::size_t first = one_in(2) ? 0 : 1;
    visit(first);
    if (one_in(3)) {
      maker_.trigger(host, requests[first]);
      compute();
      visit(first);
    }
    visit(1 - first);
  }

  /// All tasks of a stream have the same; "" if there is none.
  const std::string& mask_of(int stream) {
    while (stream_masks_.size() <= static_cast<std::size_t>(stream)) {
      const auto sms = static_cast<int>(profile_.multiprocessors->sms);
      const bool masked = masks_ && one_in(2);
      stream_masks_.push_back(masked ? fmt::format("~0x{:x}", draw(1, (1 << sms) - 1)) : "");
    }
    return stream_masks_[static_cast<std::size_t>(stream)];
  }

  void describe_accesses(Kernel& kernel) {
    const KernelAccess::Pattern patterns[] = {KernelAccess::Pattern::sequential, KernelAccess::Pattern::random,
                                              KernelAccess::Pattern::bulk};
    kernel.footprint = DataSize{8 * 1024 * (std::int64_t{1} << draw(3, 11))};
    kernel.access = KernelAccess{};
    KernelAccess& access = *kernel.access;
    access.pattern = patterns[draw(0, 2)];
    access.zero_copy = one_in(6);
    access.same_element = one_in(3);
    if (access.pattern != KernelAccess::Pattern::bulk) return;
    access.own = us(draw(1, 10));
    access.load_path = us(draw(0, 10));
    access.memory_path = us(draw(0, 10));
  }

  /// `time`: alone on the GPU.
  void add_operation(TaskIndex device, int time) {
    if (one_in(4)) {
      const CopyKind kinds[] = {CopyKind::host_to_device, CopyKind::device_to_host, CopyKind::memset};
      maker_.copy(device, draw(1, std::max(1, time / 2)), kinds[draw(0, 2)]);
      return;
    }
    Kernel kernel;
    kernel.memory_intensity = draw(0, 2) / 2.0;
    if (whole_ && one_in(3)) {
      kernel.ticks = ticks(draw(1, time));
      maker_.add(device, kernel);
      return;
    }
    // With a mask, the rounds are more.
    const auto sms = static_cast<int>(profile_.multiprocessors->sms);
    const int warps = equal_ > 0 ? equal_ : draw(1, warps_);
    const int blocks = draw(1, one_in(3) ? 12 : 2 * sms * (warps_ / warps));
    const int rounds = (blocks + sms * (warps_ / warps) - 1) / (sms * (warps_ / warps));
    kernel.ticks = ticks(draw(1, std::max(1, 2 * time / rounds)));
    kernel.launch = Launch{blocks, 32 * warps, one_in(6) ? draw(8, 64) : 0, one_in(6) ? draw(4, 24) * 1024 : 0, ""};
    if (cache_) kernel.launch->cache_config = one_in(2) ? "shared" : "L1";
    if (measured_ && !one_in(4)) describe_accesses(kernel);
    maker_.add(device, kernel);
  }

  std::mt19937& random_;
  SystemMaker maker_;
  engine::DeviceProfile profile_;
  std::vector<UnitIndex> cores_;
  UnitIndex gpu_ = 0;
  int warps_ = 0, tasks_ = 0, load_ = 0;
  int equal_ = 0;             ///< warps of every block; 0: they differ
  bool by_priority_ = false;  ///< the GPU serves contexts by priority
  bool high_ = false, whole_ = false, cache_ = false, traffic_ = false, masks_ = false, measured_ = false;
  std::vector<std::string> stream_masks_;
  std::vector<SystemFeatures> met_;
};

}  // namespace

RandomSystem one_process_system(std::mt19937& random) { return OneProcess(random).make(); }

}  // namespace test
