// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_system.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/chains/chain_latency.hpp"
#include "engine/nvidia/warp_policies.hpp"
#include "engine/program/kernel_instructions.hpp"
#include "tests/support/system_maker.hpp"

namespace test {
namespace {

using F = SystemFeature;

constexpr std::string_view feature_names[] = {"periodic",
                                              "offset",
                                              "jitter",
                                              "minimum distance",
                                              "sporadic",
                                              "synthetic",
                                              "burst",
                                              "arrival curve",
                                              "variable rate",
                                              "single",
                                              "trigger",
                                              "trigger chain",
                                              "event stimulus",
                                              "several stimuli",
                                              "counter",
                                              "condition",
                                              "activation limit",
                                              "interrupt",
                                              "cooperative",
                                              "non-preemptive",
                                              "schedule point",
                                              "uninterruptible",
                                              "runnables",
                                              "varying times",
                                              "branch",
                                              "mode branch",
                                              "effect branch",
                                              "loop",
                                              "early end",
                                              "ceiling",
                                              "semaphore",
                                              "counting semaphore",
                                              "polled semaphore",
                                              "shared ceiling",
                                              "memory",
                                              "memory table",
                                              "dynamic contention",
                                              "overhead",
                                              "rounding",
                                              "host wait",
                                              "host call",
                                              "any wait",
                                              "fixed priority",
                                              "OSEK",
                                              "rate monotonic",
                                              "deadline monotonic",
                                              "earliest deadline",
                                              "round robin",
                                              "child scheduler",
                                              "server",
                                              "nested server",
                                              "constant bandwidth",
                                              "deadline child",
                                              "several cores",
                                              "global",
                                              "unequal cores",
                                              "offload",
                                              "polling",
                                              "passive waiting",
                                              "work beside",
                                              "several visits",
                                              "device alone",
                                              "device trigger",
                                              "shared context",
                                              "shared stream",
                                              "copy",
                                              "memset",
                                              "blocks",
                                              "context switch",
                                              "interference",
                                              "CPU traffic",
                                              "copy engines",
                                              "coarse preemption",
                                              "AMD GPU",
                                              "CU mask",
                                              "deadline",
                                              "chain",
                                              "data chain",
                                              "rare access",
                                              "chain limit",
                                              "constraint",
                                              "requirement",
                                              "tie",
                                              "several roots",
                                              "spinlock",
                                              "exclusive",
                                              "context priority",
                                              "SM mask",
                                              "occupancy",
                                              "kernel instructions",
                                              "kernel mask",
                                              "same SM",
                                              "clusters",
                                              "pageable memory",
                                              "copy time",
                                              "NULL stream",
                                              "stream priority",
                                              "stream preemption",
                                              "constant traffic",
                                              "MPS",
                                              "several GPUs"};
static_assert(std::size(feature_names) == feature_count);

std::size_t index_of(SystemFeature feature) { return static_cast<std::size_t>(feature); }

/// Features that prevent bounds: only in some systems, unless required.
SystemFeatures without_bound() {
  return features_of({F::loop, F::early_end, F::semaphore, F::counting_semaphore, F::polled_semaphore, F::server,
                      F::nested_server, F::host_wait, F::host_call, F::any_wait, F::copy_engines, F::coarse_preemption,
                      F::shared_stream, F::spinlock, F::exclusive, F::pageable_memory, F::null_stream,
                      F::stream_preemption, F::mps});
}

/// Features that cannot be bounded together with earliest deadline first or migrating tasks.
SystemFeatures not_with_all_schedulers() {
  return features_of(
      {F::cooperative, F::non_preemptive, F::uninterruptible, F::ceiling, F::offload, F::child_scheduler});
}

/// What a feature needs to occur.
SystemFeatures needs(SystemFeature feature) {
  switch (feature) {
    case F::offset:
    case F::jitter:
    case F::minimum_distance:
      return features_of({F::periodic});
    case F::trigger_chain:
      return features_of({F::trigger});
    case F::counter:
      return features_of({F::trigger});
    case F::global:
      return features_of({F::several_cores});
    case F::unequal_cores:
      return features_of({F::global});
    case F::polled_semaphore:
      return features_of({F::semaphore});
    case F::shared_ceiling:
      return features_of({F::several_cores});
    case F::nested_server:
      return features_of({F::server});
    case F::polling:
    case F::passive_waiting:
    case F::work_beside:
    case F::several_visits:
    case F::device_trigger:
      return features_of({F::offload});
    case F::shared_stream:
      return features_of({F::shared_context, F::offload});
    case F::cu_mask:
      return features_of({F::amd, F::blocks});
    case F::sm_mask:
    case F::occupancy:
      return features_of({F::blocks, F::offload});
    case F::kernel_instructions:
    case F::kernel_mask:
    case F::same_sm:
    case F::clusters:
      return features_of({F::blocks, F::offload});
    case F::pageable_memory:
    case F::copy_time:
      return features_of({F::copy, F::offload});
    case F::null_stream:
      return features_of({F::shared_context, F::offload});
    case F::stream_preemption:
      return features_of({F::stream_priority, F::shared_context, F::offload});
    case F::rare_access:
    case F::chain_limit:
      return features_of({F::data_chain});
    case F::spinlock:
      return features_of({F::several_cores});
    case F::memory_table:
      return features_of({F::memory});
    case F::dynamic_contention:
      return features_of({F::memory_table, F::several_cores});
    case F::cpu_traffic:
      return features_of({F::memory, F::offload});
    default:
      return gpu_features()[index_of(feature)] && feature != F::device_alone && feature != F::offload
                 ? features_of({F::offload})
                 : SystemFeatures{};
  }
}

SystemFeatures with_needs(SystemFeatures wanted) {
  for (bool again = true; again;) {
    const SystemFeatures before = wanted;
    for (std::size_t i = 0; i < feature_count; ++i)
      if (wanted[i]) wanted |= needs(static_cast<SystemFeature>(i));
    again = wanted != before;
  }
  return wanted;
}

class Generator {
 public:
  Generator(std::mt19937& random, SystemFeatures palette, const RandomSystemOptions& options)
      : random_(random), palette_(palette), must_(options.must), few_(options.few) {}

  RandomSystem make() {
    make_platform();
    load_ = draw(20, on(F::amd) ? 50 : 90);
    roots_ = few_ ? draw(1, 2) : draw(2, 4) + (cores_.size() > 1 ? 1 : 0);
    for (int root = 0; root < roots_; ++root) make_root();
    if (on(F::chain))
      for (int chains = draw(1, 4); chains > 0; --chains) make_chain();
    if (on(F::data_chain))
      for (int chains = draw(1, 2); chains > 0; --chains) make_data_chain();
    if (on(F::constraint))
      for (int constraints = draw(1, 4); constraints > 0; --constraints) make_constraint();
    if (on(F::requirement))
      for (int requirements = draw(1, 3); requirements > 0; --requirements) make_requirement();
    RandomSystem made;
    made.system = maker_.build();
    made.profile = profile_;
    if (on(F::kernel_instructions)) resolve(made);
    made.memory = memory_;
    if (on(F::dynamic_contention)) made.contention = engine::Contention::dynamic;
    if (on(F::chain_limit)) add_chain_limits(made);
    made.met = what_meets();
    return made;
  }

 private:
  // ---- chance

  int draw(int low, int high) { return std::uniform_int_distribution<int>(low, std::max(low, high))(random_); }
  bool one_in(int n) { return draw(1, n) == 1; }
  bool on(SystemFeature feature) const { return palette_[index_of(feature)]; }
  /// Whether to use it at this opportunity.
  bool tries(SystemFeature feature) { return on(feature) && draw(1, 4) <= (must_[index_of(feature)] ? 3 : 2); }
  /// The same, and a task has it then.
  bool use(SystemFeature feature, TaskIndex task) {
    if (!tries(feature)) return false;
    mark(feature, task);
    return true;
  }
  void mark(SystemFeature feature, TaskIndex task) { own_[task].set(index_of(feature)); }
  template <typename Values>
  auto any_of(const Values& values) {
    return values[static_cast<std::size_t>(draw(0, static_cast<int>(values.size()) - 1))];
  }

  Ticks ticks(int worst, TaskIndex task) {
    int best = worst;
    if (use(F::varying_times, task)) best = draw(0, worst);
    Ticks made;
    made.otherwise = Cycles{best, (best + worst) / 2, worst};
    return made;
  }

  // ---- platform

  void make_platform() {
    const int count = on(F::several_cores) ? draw(2, 3) : 1;
    for (int i = 0; i < count; ++i) cores_.push_back(maker_.core(fmt::format("core{}", i)));
    if ((palette_ & gpu_features()).any()) gpus_.push_back(maker_.gpu("GPU"));
    if (on(F::several_gpus)) gpus_.push_back(maker_.gpu("GPU2"));
    auto& platform = maker_.system().platform;
    std::vector<std::pair<SystemFeature, SchedulingAlgorithm>> algorithms;
    for (const auto& [feature, kind] : std::initializer_list<std::pair<SystemFeature, SchedulingAlgorithm>>{
             {F::fixed_priority, SchedulingAlgorithm::fixed_priority_preemptive},
             {F::osek, SchedulingAlgorithm::osek},
             {F::rate_monotonic, SchedulingAlgorithm::rate_monotonic},
             {F::deadline_monotonic, SchedulingAlgorithm::deadline_monotonic},
             {F::earliest_deadline, SchedulingAlgorithm::earliest_deadline_first},
             {F::round_robin, SchedulingAlgorithm::priority_based_round_robin}})
      if (on(feature)) algorithms.emplace_back(feature, kind);
    std::shuffle(algorithms.begin(), algorithms.end(), random_);
    of_scheduler_.resize(platform.schedulers.size());
    for (std::size_t i = 0; i < cores_.size(); ++i) {
      ProcessingUnit& unit = platform.units[cores_[i]];
      unit.definition = platform.units[cores_.front()].definition;
      if (on(F::memory)) {
        unit.accesses.front().read = Cycles{1, 1, 2};
        unit.accesses.front().write = Cycles{0, 1, 3};
      }
      if (on(F::rounding)) unit.frequency = Frequency::millihertz(1'300'000'000);
      if (on(F::unequal_cores)) {
        unit.frequency = Frequency::millihertz(draw(2, 8) * (on(F::rounding) ? 370'000'000LL : 500'000'000LL));
        if (on(F::memory)) unit.accesses.front().read = Cycles{draw(0, 1), 1, draw(1, 3)};
      }
      Scheduler& scheduler = platform.schedulers[cores_[i]];
      const auto& [feature, kind] = algorithms[i % algorithms.size()];
      scheduler.kind = kind;
      of_scheduler_[cores_[i]].set(index_of(feature));
      if (kind == SchedulingAlgorithm::priority_based_round_robin) scheduler.time_slice = us(draw(1, 6));
      if (on(F::overhead)) {
        const auto cost = [&] {
          const int worst = draw(0, 2);
          Ticks made;
          made.otherwise = Cycles{draw(0, worst), worst, worst};
          return made;
        };
        OverheadTicks overhead;
        if (one_in(2)) overhead.activate_task = cost();
        overhead.terminate_task = cost();
        overhead.set_event = overhead.clear_event = overhead.wait_event = cost();
        overhead.request_resource = overhead.release_resource = overhead.schedule_point = cost();
        overhead.isr_category2_before = overhead.isr_category2_after = cost();
        scheduler.overhead = overhead;
        of_scheduler_[cores_[i]].set(index_of(F::overhead));
      }
    }
    global_ = on(F::global);
    if (global_) platform.schedulers[cores_.front()].units = cores_;
    for (const UnitIndex core : cores_) {
      if (global_ && core != cores_.front()) continue;
      if (on(F::child_scheduler))
        add_child(core, F::child_scheduler,
                  one_in(2) ? SchedulingAlgorithm::grouping : SchedulingAlgorithm::fixed_priority_preemptive);
      const auto server = [&] {
        return one_in(2) ? SchedulingAlgorithm::deferrable_server : SchedulingAlgorithm::polling_periodic_server;
      };
      if (on(F::server)) add_child(core, F::server, server());
      if (on(F::nested_server)) add_child(core, F::nested_server, server(), children_.back().second);
      if (on(F::constant_bandwidth))
        add_child(core, F::constant_bandwidth, SchedulingAlgorithm::constant_bandwidth_server);
      if (on(F::deadline_child)) add_child(core, F::deadline_child, SchedulingAlgorithm::earliest_deadline_first);
      if (on(F::several_roots)) add_root(core);
    }
    for (std::size_t i = 0; i < cores_.size(); ++i) ceilings_.push_back(add_semaphore(true, 1));
    shared_ = add_semaphore(false, 1);
    shared_ceiling_ = add_semaphore(true, 1);
    counted_ = add_semaphore(one_in(2), 2);
    if (on(F::spinlock)) {
      spinlock_ = add_semaphore(false, 1);
      maker_.system().semaphores[spinlock_].spinlock = true;
    }
    for (const UnitIndex gpu : gpus_)
      if (on(F::context_priority) && !on(F::amd)) platform.units[gpu].context_scheduling = "priority";
    maker_.system().modes.push_back({"mode", 0, literals({"one", "other"})});
    for (int i = 0; i < 3; ++i) labels_.push_back(add_label(DataSize{64 * draw(1, on(F::cpu_traffic) ? 6 : 2)}));
    make_profile();
    if (on(F::memory_table)) make_memory();
  }

  void add_child(UnitIndex core, SystemFeature feature, SchedulingAlgorithm kind,
                 std::optional<SchedulerIndex> parent = std::nullopt) {
    auto& schedulers = maker_.system().platform.schedulers;
    Scheduler child;
    child.name = fmt::format("child{}", schedulers.size());
    child.kind = kind;
    child.units = schedulers[core].units;
    child.parent = parent.value_or(core);
    child.share.priority = urgency(draw(1, 6));
    if (feature == F::server || feature == F::constant_bandwidth) {
      child.share.period = us(draw(20, 60));
      child.share.budget = us(draw(8, 18));
    } else if (feature == F::nested_server) {
      child.share.period = us(draw(40, 120));
      child.share.budget = us(draw(4, 12));
    }
    if (kind == SchedulingAlgorithm::grouping) child.overhead = schedulers[core].overhead;
    SystemFeatures has = of_scheduler_[*child.parent];
    has.set(index_of(feature));
    of_scheduler_.push_back(has);
    children_.emplace_back(core, static_cast<SchedulerIndex>(schedulers.size()));
    schedulers.push_back(std::move(child));
  }

  void add_root(UnitIndex core) {
    auto& schedulers = maker_.system().platform.schedulers;
    Scheduler root;
    root.name = fmt::format("root{}", schedulers.size());
    root.kind = any_of(std::vector{SchedulingAlgorithm::fixed_priority_preemptive, SchedulingAlgorithm::osek,
                                   SchedulingAlgorithm::earliest_deadline_first});
    root.units = schedulers[core].units;
    if (one_in(2)) root.overhead = schedulers[core].overhead;
    of_scheduler_.push_back(features_of({F::several_roots}));
    children_.emplace_back(core, static_cast<SchedulerIndex>(schedulers.size()));
    schedulers.push_back(std::move(root));
  }

  /// With ties only few different ones.
  int urgency(int drawn) const { return on(F::tie) ? 1 + drawn % 2 : drawn; }

  SemaphoreIndex add_semaphore(bool ceiling, std::int64_t capacity) {
    Semaphore semaphore;
    semaphore.name = fmt::format("resource{}", maker_.system().semaphores.size());
    semaphore.priority_ceiling = ceiling;
    semaphore.free = semaphore.capacity = capacity;
    maker_.system().semaphores.push_back(semaphore);
    return static_cast<SemaphoreIndex>(maker_.system().semaphores.size() - 1);
  }

  LabelIndex add_label(DataSize size) {
    auto& labels = maker_.system().labels;
    labels.push_back({fmt::format("label{}", labels.size()), size, MemoryIndex{0}, LabelSide::host, {}});
    return static_cast<LabelIndex>(labels.size() - 1);
  }

  void make_profile() {
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

  void make_later_figures() {
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

  /// Often with fewer queues than streams, and with few ACEs.
  void make_amd() {
    engine::gpu::QueueArchitecture& amd = profile_.amd.emplace();
    amd.aces = draw(1, 4);
    amd.slots_per_ace = one_in(8) ? 1 : 8;
    amd.pool_queues = draw(1, 4);
    amd.turns = one_in(2) ? engine::gpu::TurnRule::oldest : engine::gpu::TurnRule::round_robin;
    amd.quantum = us(draw(1, 20));
    profile_.multiprocessors->sms_per_gpc = one_in(2) ? draw(4, 8) : draw(1, 3);  // with many, levels count
    profile_.multiprocessors->sms = draw(1, 4) * profile_.multiprocessors->sms_per_gpc;
  }

  /// Of a task that has its stream alone.
  std::string cu_mask() {
    std::string mask;
    while (mask.empty())
      for (std::int64_t unit = 0; unit < profile_.multiprocessors->sms; ++unit)
        if (one_in(2)) mask += fmt::format("{}{}", mask.empty() ? "" : ",", unit);
    return mask;
  }

  void make_memory() {
    memory_.name = "random";
    memory_.source = engine::MemoryModel::Source::table;
    engine::UnitLatency latency;
    latency.name = "core0";
    latency.base = Duration::nanoseconds(draw(1, 1500));
    latency.per_core = Duration::nanoseconds(draw(0, 1500));
    latency.gpu = Duration::nanoseconds(draw(0, 1500));
    if (one_in(3)) latency.max_interfering = draw(0, 2);
    if (one_in(3)) {
      latency.hits_per_million = draw(0, 1'000'000);
      latency.hit = latency.base;
    }
    memory_.units.push_back(latency);
  }

  // ---- stimuli

  StimulusIndex add_stimulus(Occurrence occurrence) {
    Stimulus stimulus;
    stimulus.name = fmt::format("stimulus{}", maker_.system().stimuli.size());
    stimulus.occurrence = std::move(occurrence);
    maker_.system().stimuli.push_back(std::move(stimulus));
    return static_cast<StimulusIndex>(maker_.system().stimuli.size() - 1);
  }

  static Distribution times(int lower, int upper) {
    Distribution made;
    made.lower = us(lower).picoseconds();
    made.upper = us(upper).picoseconds();
    made.average = (made.lower + made.upper) / 2;
    return made;
  }

  Occurrence occurrence(SystemFeature kind, int period, SystemFeatures& has) {
    has.set(index_of(kind));
    const auto start = [&] {
      if (!tries(F::offset)) return us(0);
      has.set(index_of(F::offset));
      return us(on(F::tie) ? draw(0, 1) * 40 : draw(1, period));
    };
    switch (kind) {
      case F::sporadic:
        return Sporadic{start(), times(period, period + draw(0, 2 * period))};
      case F::synthetic: {
        Synthetic made{us(2 * period), start(), {}};
        for (int i = draw(2, 3); i > 0; --i) made.occurrences.push_back(us(draw(0, 2 * period - 1)));
        std::sort(made.occurrences.begin(), made.occurrences.end());
        return made;
      }
      case F::burst: {
        const int length = draw(1, 2 * period);
        const int count = draw(2, 3);
        return Burst{us(2 * period), start(), us(length), us(draw(0, std::min(length / (count - 1), period / 2))),
                     count};
      }
      case F::arrival_curve: {
        ArrivalCurve made;
        made.entries.push_back({2, us(draw(0, period / 2)), std::nullopt});
        if (one_in(2)) made.entries.back().upper = us(3 * period);
        made.entries.push_back({draw(3, 4), us(2 * period), std::nullopt});
        return made;
      }
      case F::variable_rate: {
        VariableRate made;
        made.step = us(2 * period);
        made.occurrences.lower = draw(0, 10) * 100'000;
        made.occurrences.upper = draw(10, 20) * 100'000;
        made.occurrences.average = (made.occurrences.lower + made.occurrences.upper) / 2;
        if (one_in(2)) made.largest_increase = 0.5;
        if (one_in(2)) made.largest_decrease = 0.5;
        return made;
      }
      case F::single:
        return Single{us(draw(0, 2 * period))};
      default:
        break;
    }
    Periodic made{us(period), start()};
    if (tries(F::jitter)) {
      has.set(index_of(F::jitter));
      const int lower = one_in(2) ? 0 : draw(0, period);
      made.jitter = times(lower, lower + draw(1, one_in(3) ? 3 * period : period));
    }
    if (tries(F::minimum_distance)) {
      has.set(index_of(F::minimum_distance));
      made.minimum_distance = us(one_in(6) ? period : draw(1, period / 2));
    }
    return made;
  }

  /// Of its own, not of another task.
  StimulusIndex own_stimulus(int period, SystemFeatures& has) {
    std::vector<SystemFeature> kinds;
    if (on(F::periodic)) kinds.push_back(F::periodic);
    for (const SystemFeature kind :
         {F::sporadic, F::synthetic, F::burst, F::arrival_curve, F::variable_rate, F::single})
      if (on(kind)) kinds.insert(kinds.end(), must_[index_of(kind)] ? 3 : 1, kind);
    if (kinds.empty()) kinds.push_back(F::periodic);
    const StimulusIndex made = add_stimulus(occurrence(any_of(kinds), period, has));
    if (tries(F::condition)) {
      has.set(index_of(F::condition));
      Stimulus& stimulus = maker_.system().stimuli[made];
      if (one_in(2))
        stimulus.condition = ModeCondition{{{ModeTest{0, Relation::equal, draw(0, 1), {}}}}};
      else
        stimulus.sets.push_back({0, draw(0, 1)});
    }
    return made;
  }

  // ---- tasks

  int new_period() {
    static constexpr int periods[] = {40, 60, 80, 120, 240};
    return on(F::tie) ? 40 * draw(1, 2) : periods[draw(0, 4)];
  }
  int budget_of(int period) const { return std::max(3, period * load_ / 100 / roots_); }

  void make_root() {
    const int period = new_period();
    SystemFeatures has;
    const StimulusIndex stimulus = own_stimulus(period, has);
    TaskIndex task = 0;
    if (!gpus_.empty() && tries(F::device_alone)) {
      task = device_task(stimulus, budget_of(period));
      mark(F::device_alone, task);
      if (tries(F::device_trigger)) trigger_host(task, period, 1);
    } else {
      task = host_task(stimulus, period, 0);
    }
    own_[task] |= has;
    if (own_[task][index_of(F::offload)] && !one_in(4)) return;
    if (!tries(F::several_stimuli)) return;
    SystemFeatures more;
    const StimulusIndex second = own_stimulus(2 * period, more);
    maker_.system().stimuli[second].activates.push_back(task);
    own_[task] |= more;
    mark(F::several_stimuli, task);
  }

  TaskIndex new_task(const std::string& kind, UnitIndex unit, StimulusIndex stimulus) {
    const TaskIndex task =
        maker_.task(fmt::format("{}{}", kind, maker_.system().tasks.size()), unit, urgency(draw(1, 6)), stimulus);
    own_.emplace_back();
    if (on(F::tie)) mark(F::tie, task);
    return task;
  }

  TaskIndex host_task(StimulusIndex stimulus, int period, int depth) {
    const std::size_t at = static_cast<std::size_t>(draw(0, static_cast<int>(cores_.size()) - 1));
    const TaskIndex task = new_task(depth == 0 ? "task" : "triggered", cores_[at], stimulus);
    if (cores_.size() > 1) mark(F::several_cores, task);
    if (on(F::rounding)) mark(F::rounding, task);
    if (global_) {
      maker_[task].scheduler = cores_.front();
      if (!one_in(4)) {
        maker_[task].units = cores_;
        maker_[task].unit = cores_.front();
        mark(F::global, task);
        if (on(F::unequal_cores)) mark(F::unequal_cores, task);
      }
    }
    std::vector<SchedulerIndex> children;
    for (const auto& [core, child] : children_)
      if (core == maker_[task].scheduler) children.push_back(child);
    if (!children.empty() && !one_in(3)) maker_[task].scheduler = any_of(children);
    if (use(F::deadline, task)) maker_[task].deadline = us(on(F::tie) ? period : draw(period / 2, 2 * period));
    if (use(F::activation_limit, task)) maker_[task].activation_limit = static_cast<std::uint32_t>(draw(1, 3));
    if (one_in(2) && use(F::interrupt, task)) {
      maker_[task].kind = one_in(2) ? ProcessKind::isr_category1 : ProcessKind::isr_category2;
    } else if (one_in(2) && use(F::non_preemptive, task)) {
      maker_[task].preemption = Preemption::non_preemptive;
    } else if (use(F::cooperative, task)) {
      maker_[task].preemption = Preemption::cooperative;
    }
    fill(task, at, period, depth);
    return task;
  }

  /// The body of a host task.
  void fill(TaskIndex task, std::size_t core, int period, int depth) {
    const int parts = draw(1, 3);
    const int most = std::max(1, budget_of(period) / parts / (depth + 1));
    const int special = draw(0, parts);
    for (int part = 0; part <= parts; ++part) {
      if (part == special) {
        if (!gpus_.empty() && tries(F::offload))
          perhaps_in_branch(
              task, most, [&] { offload(task, period, budget_of(period)); }, true);
        perhaps_in_branch(
            task, most, [&] { wait_for_hosts(task, period, depth); }, true);
        if (depth < 3 && (depth == 0 || tries(F::trigger_chain))) activate_others(task, period, depth);
      }
      if (part < parts) perhaps_in_branch(task, most, [&] { do_part(task, core, most); });
    }
  }

  /// What `fill` adds, or alternatives of a branch: at least one of them, or one if `once`, is that. Others compute or
  /// are empty. Device tasks have no branches.
  template <typename Fill>
  void perhaps_in_branch(TaskIndex task, int most, Fill fill, bool once = false) {
    if (!on(F::effect_branch) || maker_[task].side == Side::device || one_in(2) || !use(F::effect_branch, task))
      return fill();
    const std::size_t at = maker_[task].body.size();
    maker_.add(task, Branch{});
    Branch branch;
    const bool by_chance = one_in(3), always = one_in(2);
    const int count = draw(1, 3), filled = draw(0, count - 1);
    for (int i = 0; i < count; ++i) {
      const std::size_t begin = maker_[task].body.size();
      if (i == filled || (!once && one_in(4)))
        fill();
      else if (!one_in(4))
        compute(task, most);
      Guard guard = EveryNth{draw(2, 3), draw(0, 2)};
      if (by_chance)
        guard = Probability{1.0 * draw(1, 3)};
      else if (always && i > 0 && i + 1 == count)
        guard = Otherwise{};
      else if (one_in(4))
        guard = ModeCondition{{{ModeTest{0, Relation::equal, draw(0, 1), {}}}}};
      branch.alternatives.push_back({std::move(guard), maker_[task].body.size() - begin});
    }
    maker_.system().graph[maker_[task].body[at]].activity = std::move(branch);
  }

  /// That of its core, or one that only tasks of its child scheduler use.
  SemaphoreIndex ceiling_for(TaskIndex task, std::size_t core) {
    const SchedulerIndex scheduler = maker_[task].scheduler;
    if (!maker_.system().platform.schedulers[scheduler].parent || one_in(3)) return ceilings_[core];
    const auto at = ceilings_of_children_.find(scheduler);
    if (at != ceilings_of_children_.end()) return at->second;
    return ceilings_of_children_[scheduler] = add_semaphore(true, 1);
  }

  void do_part(TaskIndex task, std::size_t core, int most) {
    const bool interrupt = maker_[task].kind != ProcessKind::task;
    std::vector<SemaphoreIndex> held;
    bool exclusive = false;
    if (!interrupt && one_in(2)) {
      if (use(F::ceiling, task)) held.push_back(ceiling_for(task, global_ ? 0 : core));
      if (use(F::semaphore, task)) held.push_back(shared_);
      if (use(F::shared_ceiling, task)) held.push_back(shared_ceiling_);
      if (one_in(2) && use(F::counting_semaphore, task)) held.push_back(counted_);
      if (use(F::spinlock, task)) held.push_back(spinlock_);
      if (std::find(held.begin(), held.end(), counted_) == held.end() && use(F::exclusive, task)) {
        held.push_back(counted_);
        exclusive = true;
      }
    }
    const bool uninterruptible = one_in(2) && use(F::uninterruptible, task), first = uninterruptible && one_in(2);
    if (first) maker_.add(task, Uninterruptible{true});
    for (const SemaphoreIndex semaphore : held) {
      const bool shared = semaphore == shared_ || semaphore == shared_ceiling_;
      const bool spins = on(F::spinlock) && semaphore == spinlock_;
      const auto operation =
          exclusive && semaphore == counted_ ? UseSemaphore::Operation::exclusive : UseSemaphore::Operation::request;
      maker_.add(task, UseSemaphore{semaphore, operation, spins || (shared && use(F::polled_semaphore, task))});
      if (held.size() > 1 && one_in(2)) compute(task, most / 4);
    }
    if (uninterruptible && !first) maker_.add(task, Uninterruptible{true});
    do_work(task, most);
    if (uninterruptible) maker_.add(task, Uninterruptible{false});
    while (!held.empty()) {
      const bool spins = on(F::spinlock) && held.back() == spinlock_;
      maker_.add(task, UseSemaphore{held.back(), UseSemaphore::Operation::release, spins});
      held.pop_back();
    }
    if (use(F::schedule_point, task)) maker_.add(task, SchedulePoint{});
  }

  void do_work(TaskIndex task, int most) {
    if (one_in(2) && use(F::branch, task)) {
      Branch branch;
      if (one_in(3))
        branch.alternatives = {{EveryNth{draw(1, 3), draw(0, 2)}, 1}, {Otherwise{}, 1}};
      else
        branch.alternatives = {{Probability{1}, 1}, {Probability{1.0 * draw(1, 3)}, 1}};
      if (one_in(3)) branch.alternatives.pop_back();
      maker_.add(task, branch);
      for (std::size_t i = branch.alternatives.size(); i > 0; --i) compute(task, most);
    } else if (one_in(2) && use(F::mode_branch, task)) {
      Branch branch;
      branch.alternatives = {{ModeCondition{{{ModeTest{0, Relation::equal, draw(0, 1), {}}}}}, 1}, {Otherwise{}, 1}};
      maker_.add(task, branch);
      compute(task, most);
      compute(task, most);
      maker_.add(task, SetMode{0, SetMode::Operation::set, draw(0, 1)});
    } else if (one_in(2) && use(F::loop, task)) {
      auto& modes = maker_.system().modes;
      const auto counter = static_cast<ModeIndex>(modes.size());
      modes.push_back({fmt::format("count{}", counter), 0, {}});
      Branch branch;
      branch.repeats = true;
      const bool section = on(F::effect_branch) && use(F::effect_branch, task);
      branch.alternatives = {
          {ModeCondition{{{ModeTest{counter, Relation::less, draw(1, 3), {}}}}}, section ? std::size_t{4} : 2}};
      maker_.add(task, SetMode{counter, SetMode::Operation::set, 0});
      maker_.add(task, branch);
      if (section) maker_.add(task, Uninterruptible{true});
      compute(task, most / 3);
      if (section) maker_.add(task, Uninterruptible{false});
      maker_.add(task, SetMode{counter, SetMode::Operation::increment, 1});
    } else if (one_in(2) && use(F::early_end, task)) {
      Branch branch;
      branch.alternatives = {{Probability{1}, 1}, {Probability{2}, 1}};
      maker_.add(task, branch);
      maker_.add(task, Terminate{});
      compute(task, most);
    } else if (use(F::runnables, task)) {
      const RunnableIndex outer = new_runnable();
      call(task, outer, most);
      if (one_in(3)) {
        call(task, new_runnable(), most / 2, 2);
        compute(task, draw(0, most / 2));
        in_runnable(task, outer);
      }
    } else {
      compute(task, most);
    }
    if (one_in(2) && use(F::memory, task)) {
      for (const SystemFeature feature : {F::memory_table, F::dynamic_contention})
        if (on(feature)) mark(feature, task);
      if (one_in(2))
        maker_.add(task, ReadLabel{any_of(labels_)});
      else
        maker_.add(task, WriteLabel{any_of(labels_)});
    }
  }

  void compute(TaskIndex task, int most) { maker_.add(task, Compute{ticks(draw(one_in(8) ? 0 : 1, most), task)}); }
  RunnableIndex new_runnable() {
    auto& runnables = maker_.system().runnables;
    runnables.push_back({fmt::format("runnable{}", runnables.size()), {}});
    return static_cast<RunnableIndex>(runnables.size() - 1);
  }
  void in_runnable(TaskIndex task, RunnableIndex runnable, std::uint32_t depth = 1) {
    GraphNode& node = maker_.system().graph[maker_[task].body.back()];
    node.runnable = runnable;
    node.depth = depth;
  }
  void call(TaskIndex task, RunnableIndex runnable, int most, std::uint32_t depth = 1) {
    maker_.add(task, Call{});
    in_runnable(task, runnable, depth);
    compute(task, most);
    in_runnable(task, runnable, depth);
  }

  // ---- triggered tasks

  /// A stimulus that occurs as `task` triggers it.
  StimulusIndex request_of(TaskIndex task) {
    const StimulusIndex request = add_stimulus(InterProcess{});
    perhaps_in_branch(task, 3, [&] { maker_.trigger(task, request); });
    return request;
  }

  void activate_others(TaskIndex task, int period, int depth) {
    if (tries(F::trigger)) trigger_host(task, period, depth + 1);
    if (!gpus_.empty() && one_in(2) && tries(F::device_alone)) {
      const TaskIndex device = device_task(request_of(task), budget_of(period) / 2);
      mark(F::device_alone, device);
      mark(F::trigger, device);
      activated(task, device);
    }
    if (tries(F::event_stimulus)) {
      const EventIndex event = maker_.event(fmt::format("event{}", maker_.system().events.size()));
      perhaps_in_branch(task, 3, [&] { maker_.add(task, SetEvents{{event}, std::nullopt}); });
      const StimulusIndex stimulus = add_stimulus(EventDriven{{event}});
      const bool counts = tries(F::counter);
      if (counts) maker_.system().stimuli[stimulus].counter = {draw(1, 3), draw(0, 2)};
      const TaskIndex driven = host_task(stimulus, period, depth + 1);
      mark(F::event_stimulus, driven);
      if (counts) mark(F::counter, driven);
      activated(task, driven);
    }
  }

  void trigger_host(TaskIndex task, int period, int depth) {
    const StimulusIndex request = request_of(task);
    const bool counts = tries(F::counter);
    if (counts) maker_.system().stimuli[request].counter = {draw(1, 3), draw(0, 2)};
    const TaskIndex triggered = host_task(request, period, depth);
    mark(F::trigger, triggered);
    if (counts) mark(F::counter, triggered);
    if (depth > 1) mark(F::trigger_chain, triggered);
    if (own_[triggered][index_of(F::offload)] && !one_in(4)) return activated(task, triggered);
    if (one_in(8)) {
      maker_.trigger(task, request);  // twice a job
      mark(F::several_stimuli, triggered);
    } else if (tries(F::several_stimuli)) {
      SystemFeatures more;
      const StimulusIndex second = own_stimulus(2 * period, more);
      maker_.system().stimuli[second].activates.push_back(triggered);
      own_[triggered] |= more;
      mark(F::several_stimuli, triggered);
    }
    activated(task, triggered);
  }

  void activated(TaskIndex by, TaskIndex task) { flows_.emplace_back(by, task); }

  EventIndex new_event() { return maker_.event(fmt::format("event{}", maker_.system().events.size())); }

  /// The end of its body, or almost.
  void set_at_end(TaskIndex setter, EventIndex event, TaskIndex waiting, int period) {
    if (one_in(3))
      maker_.add(setter, SetEvents{{event}, std::nullopt});
    else
      maker_.set(setter, event, waiting);
    if (one_in(4)) compute(setter, std::max(1, budget_of(period) / 8));
  }

  /// A host task for which another one waits: often a simple one, since many tasks would overload the cores.
  TaskIndex partner(StimulusIndex stimulus, int period, int depth) {
    if (one_in(3)) return host_task(stimulus, period, depth + 1);
    const std::size_t at = static_cast<std::size_t>(draw(0, static_cast<int>(cores_.size()) - 1));
    const TaskIndex task = new_task("partner", cores_[at], stimulus);
    if (global_) maker_[task].scheduler = cores_.front();
    if (use(F::activation_limit, task)) maker_[task].activation_limit = static_cast<std::uint32_t>(draw(1, 2));
    if (one_in(2)) compute(task, std::max(1, budget_of(period) / 6));
    if (one_in(3)) wait_for_hosts(task, period, depth + 1);
    compute(task, std::max(1, budget_of(period) / 6));
    return task;
  }

  void wait_for_hosts(TaskIndex task, int period, int depth) {
    constexpr std::size_t enough = 12;  // tasks
    if (depth < 3 && maker_.system().tasks.size() < enough && tries(F::host_call)) call_host(task, period, depth);
    if (depth < 3 && maker_.system().tasks.size() < enough && tries(F::host_wait)) wait_for_host(task, period, depth);
    if (depth < 3 && maker_.system().tasks.size() < enough && tries(F::any_wait)) wait_for_any(task, period, depth);
  }

  /// A host task that sets an event in every job, and has its own stimulus.
  void add_signal(TaskIndex task, EventIndex event, int period, int depth) {
    const int own = one_in(4) ? period : std::max(8, period / draw(2, 6));
    SystemFeatures has;
    const StimulusIndex stimulus = own_stimulus(own, has);
    const TaskIndex setter = partner(stimulus, own, depth);
    own_[setter] |= has;
    set_at_end(setter, event, task, own);
    partners_.emplace_back(task, setter);
  }

  /// Another host task that it triggers, itself or through a third one, and that sets an event.
  void add_call(TaskIndex task, EventIndex event, int period, int depth) {
    TaskIndex by = task;
    if (one_in(6)) {
      by = partner(request_of(task), period, depth);
      activated(task, by);
    }
    const TaskIndex called = partner(request_of(by), period, depth);
    activated(by, called);
    set_at_end(called, event, task, period);
    partners_.emplace_back(task, called);
  }

  bool polls() { return on(F::polling) ? one_in(2) : one_in(4); }

  void call_host(TaskIndex task, int period, int depth) {
    std::vector<EventIndex> events;
    const bool first = one_in(6);
    for (int calls = one_in(3) ? 2 : 1; calls > 0; --calls) {
      events.push_back(new_event());
      if (first) maker_.clear(task, events.back());
      add_call(task, events.back(), period, depth);
    }
    if (one_in(2)) compute(task, std::max(1, budget_of(period) / 4));
    maker_.add(task, WaitEvents{events, true, polls()});
    if (!first && !one_in(8)) maker_.add(task, ClearEvents{events});
    mark(F::host_call, task);
  }

  void wait_for_host(TaskIndex task, int period, int depth) {
    const EventIndex event = new_event();
    for (int setters = one_in(4) ? 2 : 1; setters > 0; --setters) add_signal(task, event, period, depth);
    maker_.wait(task, event, polls());
    if (!one_in(8)) maker_.clear(task, event);
    mark(F::host_wait, task);
  }

  void wait_for_any(TaskIndex task, int period, int depth) {
    std::vector<EventIndex> events;
    for (int count = draw(2, 3); count > 0; --count) {
      events.push_back(new_event());
      if (!gpus_.empty() && one_in(4)) {
        const TaskIndex device = device_task(request_of(task), budget_of(period) / 2);
        activated(task, device);
        maker_.set(device, events.back(), task);
      } else if (one_in(2)) {
        add_call(task, events.back(), period, depth);
      } else {
        add_signal(task, events.back(), period, depth);
      }
    }
    maker_.add(task, WaitEvents{events, false, polls()});
    if (!one_in(8)) maker_.add(task, ClearEvents{events});
    mark(F::any_wait, task);
  }

  // ---- GPU

  /// `context`: that another device task already has.
  TaskIndex device_task(StimulusIndex stimulus, int budget, const std::string& context = "") {
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

  /// What an AMD GPU does not have is left out there.
  void add_later_properties(TaskIndex device) {
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

  /// Letters, or latencies. A cycle is a microsecond.
  void state_instructions(Kernel& kernel) {
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

  /// Only of a task that has its stream alone, and whose kernels all have launches.
  void mask_processors(TaskIndex device) {
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

  void offload(TaskIndex host, int period, int budget) {
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

  /// Two device tasks are active at the same time.
  void offload_both(TaskIndex host, int period, int budget, bool active, const std::string& context) {
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

  void offload_one(TaskIndex host, int period, int budget, bool active, const std::string& context) {
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

  // ---- the whole

  /// Without time.
  void pass_data(TaskIndex from, TaskIndex to) {
    const LabelIndex label = add_label(DataSize{0});
    maker_.add(from, WriteLabel{label});
    maker_.add(to, ReadLabel{label});
  }

  void make_chain() {
    auto& system = maker_.system();
    std::vector<TaskIndex> tasks;
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) tasks.push_back(task);
    if (!flows_.empty() && one_in(2)) {
      const auto [from, to] = any_of(flows_);
      tasks = {from, to};
    } else {
      std::shuffle(tasks.begin(), tasks.end(), random_);
      tasks.resize(static_cast<std::size_t>(draw(1, std::min(4, static_cast<int>(tasks.size())))));
    }
    for (const TaskIndex task : tasks) mark(F::chain, task);
    for (std::size_t i = 1; i < tasks.size(); ++i)
      if (maker_[tasks[i - 1]].side == Side::host && maker_[tasks[i]].side == Side::host)
        pass_data(tasks[i - 1], tasks[i]);
    const std::string name = fmt::format("chain{}", system.chains.size());
    system.chains.push_back({name, std::move(tasks), {}, Chain::Source::request, {}});
  }

  std::vector<TaskIndex> some_hosts(int most) {
    std::vector<TaskIndex> tasks;
    for (TaskIndex task = 0; task < maker_.system().tasks.size(); ++task)
      if (maker_[task].side == Side::host) tasks.push_back(task);
    std::shuffle(tasks.begin(), tasks.end(), random_);
    tasks.resize(static_cast<std::size_t>(draw(1, std::min(most, static_cast<int>(tasks.size())))));
    return tasks;
  }

  void make_data_chain() {
    auto& system = maker_.system();
    const bool any_host =
        std::any_of(system.tasks.begin(), system.tasks.end(), [](const Task& task) { return task.side == Side::host; });
    if (!any_host) return;
    const std::vector<TaskIndex> tasks = some_hosts(4);
    std::vector<LabelIndex> links;
    for (std::size_t i = 0; i + 1 < tasks.size(); ++i) links.push_back(add_label(DataSize{64 * draw(1, 2)}));
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      mark(F::data_chain, tasks[i]);
      if (i > 0) add_access(tasks[i], links[i - 1], false);
      if (i + 1 < tasks.size()) add_access(tasks[i], links[i], true);
    }
    Chain chain;
    chain.name = fmt::format("data{}", system.chains.size());
    chain.tasks = tasks;
    chain.from_activation = one_in(3);
    if (on(F::chain_limit))
      for (const TaskIndex task : tasks) mark(F::chain_limit, task);
    system.chains.push_back(std::move(chain));
  }

  /// Anywhere in the body, in a branch, a counted call, a loop, or twice.
  void add_access(TaskIndex task, LabelIndex label, bool write) {
    for (int times = one_in(4) ? 2 : 1; times > 0; --times)
      insert(task, [&] {
        AccessCount count;
        if (use(F::rare_access, task)) count = one_in(2) ? AccessCount{0, 1, 1} : AccessCount{0, 1, 2};
        const auto access = [&] {
          if (write)
            maker_.add(task, WriteLabel{label, count});
          else
            maker_.add(task, ReadLabel{label, count});
        };
        Branch branch;
        switch (draw(1, 7)) {
          case 1:
            branch.alternatives = {{EveryNth{draw(2, 3), draw(0, 1)}, 1}};
            break;
          case 2:
            branch.alternatives = {{Probability{1}, 1}, {Probability{1.0 * draw(0, 2)}, 0}};
            break;
          case 3:
            branch.alternatives = {{ModeCondition{{{ModeTest{0, Relation::equal, draw(0, 1), {}}}}}, 1}};
            break;
          case 4: {
            const RunnableIndex runnable = new_runnable();
            maker_.add(task, Call{});
            in_runnable(task, runnable);
            access();
            return in_runnable(task, runnable);
          }
          case 5: {
            auto& modes = maker_.system().modes;
            const auto counter = static_cast<ModeIndex>(modes.size());
            modes.push_back({fmt::format("count{}", counter), 0, {}});
            maker_.add(task, SetMode{counter, SetMode::Operation::set, 0});
            branch.repeats = true;
            branch.alternatives = {{ModeCondition{{{ModeTest{counter, Relation::less, draw(0, 2), {}}}}}, 2}};
            maker_.add(task, branch);
            access();
            return maker_.add(task, SetMode{counter, SetMode::Operation::increment, 1});
          }
          default:
            return access();
        }
        maker_.add(task, branch);
        access();
      });
  }

  /// Moves what `fill` adds to some place of the body, outside of branches and calls.
  template <typename Fill>
  void insert(TaskIndex task, Fill fill) {
    const auto& graph = maker_.system().graph;
    std::vector<std::size_t> places;
    const std::size_t size = maker_[task].body.size();
    for (std::size_t i = 0; i < size; ++i) {
      const GraphNode& node = graph[maker_[task].body[i]];
      if (node.depth == 0 || (node.depth == 1 && std::holds_alternative<Call>(node.activity))) places.push_back(i);
      if (const auto* branch = std::get_if<Branch>(&node.activity))
        for (const Branch::Alternative& alternative : branch->alternatives) i += alternative.length;
    }
    places.push_back(size);
    const std::size_t place = any_of(places);
    fill();
    auto& body = maker_[task].body;
    std::rotate(body.begin() + static_cast<std::ptrdiff_t>(place), body.begin() + static_cast<std::ptrdiff_t>(size),
                body.end());
  }

  /// Near the bounds, or some periods.
  void add_chain_limits(RandomSystem& made) {
    System& system = made.system;
    std::vector<const engine::DeviceProfile*> devices(system.platform.units.size(), nullptr);
    for (const UnitIndex gpu : gpus_) devices[gpu] = &made.profile;
    engine::CompileOptions compile;
    compile.memory = made.memory;
    const auto chains = engine::chain_latencies(system, engine::system_bounds(system, devices, compile).tasks);
    for (std::size_t at = 0; at < system.chains.size(); ++at) {
      Chain& chain = system.chains[at];
      if (!chain.name.starts_with("data")) continue;
      for (const ChainLimit::Kind kind : {ChainLimit::Kind::reaction, ChainLimit::Kind::age}) {
        const auto& bounds = one_in(2) ? chains[at].explicit_access : chains[at].implicit;
        ChainLimit limit;
        limit.name = fmt::format("{} of {}", kind == ChainLimit::Kind::age ? "age" : "reaction", chain.name);
        std::replace(limit.name.begin(), limit.name.end(), ' ', '_');
        limit.kind = kind;
        const Duration bound =
            bounds ? kind == ChainLimit::Kind::age ? bounds->age : bounds->reaction : us(draw(50, 600));
        limit.maximum = one_in(2)   ? bound
                        : one_in(2) ? std::max(us(1), bound - us(1))
                                    : scale(bound, draw(40, 110), 100, Rounding::nearest);
        if (one_in(4)) limit.minimum = us(draw(1, 10));
        chain.limits.push_back(std::move(limit));
      }
    }
  }

  /// The ticks of kernels with instructions; without instructions if one does not fit its SMs.
  static void resolve(RandomSystem& made) {
    Diagnostics findings;
    if (engine::resolve_instructions(made.system, &made.profile, findings)) return;
    for (NodeIndex node = 0; node < made.system.graph.size(); ++node)
      if (auto* kernel = std::get_if<Kernel>(&made.system.graph[node].activity)) kernel->instructions = {};
  }

  // ---- constraints and requirements

  ObservableEvent event_of(TaskIndex task) {
    const System& system = maker_.system();
    std::vector<ObservableEvent> events;
    const auto offer = [&](auto what) {
      events.push_back({fmt::format("observed{}_{}", system.constraints.size(), observed_++), what});
    };
    for (const EventAction action : {EventAction::start, EventAction::terminate, EventAction::activate})
      offer(ObservableEvent::OfProcess{task, action, {}});
    for (const NodeIndex index : maker_[task].body) {
      const GraphNode& node = system.graph[index];
      if (const auto* read = std::get_if<ReadLabel>(&node.activity))
        offer(ObservableEvent::OfLabel{read->label, EventAction::read, {}, task});
      if (const auto* write = std::get_if<WriteLabel>(&node.activity))
        offer(ObservableEvent::OfLabel{write->label, EventAction::write, {}, task});
      if (std::holds_alternative<Call>(node.activity)) {
        offer(ObservableEvent::OfRunnable{node.runnable, EventAction::start, {}, {}});
        offer(ObservableEvent::OfRunnable{node.runnable, EventAction::terminate, task, {}});
      }
      if (const auto* use = std::get_if<UseSemaphore>(&node.activity))
        offer(ObservableEvent::OfSemaphore{use->semaphore, EventAction::lock, {}, task, {}});
      if (const auto* set = std::get_if<SetMode>(&node.activity))
        offer(ObservableEvent::OfMode{
            set->mode,
            set->operation == SetMode::Operation::set ? EventAction::write : EventAction::increment,
            {},
            task});
    }
    for (StimulusIndex index = 0; index < system.stimuli.size(); ++index)
      if (std::find(system.stimuli[index].activates.begin(), system.stimuli[index].activates.end(), task) !=
          system.stimuli[index].activates.end())
        offer(ObservableEvent::OfStimulus{index});
    return any_of(events);
  }

  using Observed = ObservableEvent;
  static auto key_of(const Observed::OfProcess& of) { return std::tuple(of.task, of.action, of.unit); }
  static auto key_of(const Observed::OfRunnable& of) { return std::tuple(of.runnable, of.action, of.task, of.unit); }
  static auto key_of(const Observed::OfLabel& of) { return std::tuple(of.label, of.action, of.runnable, of.task); }
  static auto key_of(const Observed::OfStimulus& of) { return of.stimulus; }
  static auto key_of(const Observed::OfSemaphore& of) {
    return std::tuple(of.semaphore, of.action, of.runnable, of.task, of.unit);
  }
  static auto key_of(const Observed::OfMode& of) { return std::tuple(of.mode, of.action, of.runnable, of.task); }
  static auto key_of(const Observed::OfActivities& of) { return of.nodes; }
  static bool is_same(const Observed& a, const Observed& b) {
    return std::visit(
        [&b](const auto& one) {
          const auto* other = std::get_if<std::decay_t<decltype(one)>>(&b.what);
          return other != nullptr && key_of(one) == key_of(*other);
        },
        a.what);
  }

  void make_constraint() {
    System& system = maker_.system();
    const auto any_task = [&] {
      const auto task = static_cast<TaskIndex>(draw(0, static_cast<int>(system.tasks.size()) - 1));
      mark(F::constraint, task);
      return task;
    };
    const auto called = [&](TaskIndex task, bool reads) {  // (runnable, label) pairs
      std::vector<std::pair<RunnableIndex, LabelIndex>> found;
      for (const NodeIndex index : maker_[task].body) {
        const GraphNode& node = system.graph[index];
        const auto* read = std::get_if<ReadLabel>(&node.activity);
        if (node.runnable && reads == (read != nullptr) && maker_[task].side == Side::host)
          found.emplace_back(*node.runnable, read != nullptr ? read->label : LabelIndex{0});
      }
      return found;
    };
    const TaskIndex first = any_task(), second = one_in(2) ? first : any_task();
    TimingConstraint constraint;
    constraint.name = fmt::format("constraint{}", system.constraints.size());
    const auto limits = [&] {
      TimeLimits made;
      if (!one_in(3)) made.lower = us(draw(0, 40));
      if (!made.lower || !one_in(4)) made.upper = us(draw(40, 300));
      return made;
    };
    switch (draw(1, 8)) {
      case 1:
      case 2: {
        DelayLimit delay{event_of(first), event_of(second), limits(), static_cast<DelayLimit::Mapping>(draw(0, 2))};
        if (is_same(delay.source, delay.target)) return;  // demands nothing
        constraint.kind = std::move(delay);
        break;
      }
      case 3:
        constraint.kind = Repetition{event_of(first), draw(1, 3), limits(), us(draw(0, 60))};
        break;
      case 4: {
        EventSynchronization together{{event_of(first), event_of(second)}, us(draw(1, 200)), one_in(2)};
        if (is_same(together.events[0], together.events[1])) return;
        constraint.kind = std::move(together);
        break;
      }
      case 5: {
        const auto pairs = called(first, true);
        if (pairs.empty()) return;
        const auto [runnable, label] = any_of(pairs);
        DataAge age{runnable, label, {}, {}, {}};
        if (one_in(3)) {
          age.least_cycles = draw(0, 1);
          age.max_cycles = draw(2, 5);
        } else {
          age.limits = limits();
        }
        constraint.kind = age;
        break;
      }
      case 6:
        constraint.kind = DataCoherency{labels_, {{first}, {}}, one_in(2)};
        break;
      case 7:
        constraint.kind = DataStability{{any_of(labels_)}, {{first}, {}}};
        break;
      default: {
        const auto pairs = called(first, false);
        if (pairs.empty() || pairs.front().first == pairs.back().first) return;
        RunnableSequence sequence;
        sequence.order = static_cast<RunnableSequence::Order>(draw(0, 3));
        if (one_in(2)) sequence.tasks = {first};
        sequence.groups = {{{pairs.front().first}, {}, false}, {{pairs.back().first}, {}, false}};
        constraint.kind = sequence;
      }
    }
    system.constraints.push_back(std::move(constraint));
  }

  void make_requirement() {
    System& system = maker_.system();
    const auto task = static_cast<TaskIndex>(draw(0, static_cast<int>(system.tasks.size()) - 1));
    mark(F::requirement, task);
    Requirement requirement;
    requirement.name = fmt::format("requirement{}", system.requirements.size());
    requirement.kind = Requirement::Kind::process;
    requirement.subject = Requirement::OfProcess{task};
    requirement.subject_name = maker_[task].name;
    requirement.limit_type = one_in(3) ? Requirement::LimitType::lower : Requirement::LimitType::upper;
    if (one_in(4)) {
      requirement.limit = Requirement::CountLimit{one_in(2) ? "Preemptions" : "MtaLimitExceeding", draw(0, 3)};
    } else {
      const std::vector<TimeMetric> metrics{
          TimeMetric::activate_to_activate, TimeMetric::start_to_start,      TimeMetric::end_to_end,
          TimeMetric::end_to_start,         TimeMetric::start_delay,         TimeMetric::gross_execution_time,
          TimeMetric::net_execution_time,   TimeMetric::core_execution_time, TimeMetric::ready_time,
          TimeMetric::waiting_time,         TimeMetric::running_time,        TimeMetric::lateness};
      requirement.limit = Requirement::TimeLimit{any_of(metrics), us(draw(1, 250))};
    }
    system.requirements.push_back(std::move(requirement));
  }

  std::vector<SystemFeatures> what_meets() {
    const System& system = maker_.system();
    std::vector<SystemFeatures> met = own_;
    for (TaskIndex task = 0; task < met.size(); ++task)
      if (system.tasks[task].side == Side::host) met[task] |= of_scheduler_[system.tasks[task].scheduler];
    for (const auto& [host, device] : partners_) met[host] |= own_[device];
    for (std::size_t round = 0; round < flows_.size(); ++round)
      for (const auto& [by, task] : flows_) met[task] |= met[by];
    return met;
  }

  std::mt19937& random_;
  SystemFeatures palette_, must_;
  bool few_;
  SystemMaker maker_;
  engine::DeviceProfile profile_;
  engine::MemoryModel memory_;
  std::vector<UnitIndex> cores_;
  std::vector<UnitIndex> gpus_;
  bool global_ = false;
  int observed_ = 0;  ///< events of constraints
  int load_ = 0, roots_ = 0;
  std::vector<SystemFeatures> own_;           ///< of every task
  std::vector<SystemFeatures> of_scheduler_;  ///< of every scheduler
  std::vector<std::pair<UnitIndex, SchedulerIndex>> children_;
  std::vector<SemaphoreIndex> ceilings_;  ///< of every core
  std::map<SchedulerIndex, SemaphoreIndex> ceilings_of_children_;
  SemaphoreIndex shared_ = 0, shared_ceiling_ = 0, counted_ = 0, spinlock_ = 0;
  std::vector<LabelIndex> labels_;
  std::map<std::string, double> mps_shares_;               ///< of every process
  std::vector<std::pair<TaskIndex, TaskIndex>> flows_;     ///< who activates whom
  std::vector<std::pair<TaskIndex, TaskIndex>> partners_;  ///< who waits for which device task
};

}  // namespace

SystemFeatures gpu_properties() {
  return features_of({F::kernel_instructions, F::kernel_mask, F::same_sm, F::clusters, F::pageable_memory, F::copy_time,
                      F::null_stream, F::stream_priority, F::stream_preemption, F::constant_traffic, F::mps,
                      F::several_gpus});
}

SystemFeatures gpu_features() {
  return gpu_properties() | features_of({F::offload,           F::polling,      F::passive_waiting, F::work_beside,
                                         F::several_visits,    F::device_alone, F::device_trigger,  F::shared_context,
                                         F::shared_stream,     F::copy,         F::memset,          F::blocks,
                                         F::context_switch,    F::interference, F::cpu_traffic,     F::copy_engines,
                                         F::coarse_preemption, F::amd,          F::cu_mask,         F::context_priority,
                                         F::sm_mask,           F::occupancy});
}

std::string_view name_of(SystemFeature feature) { return feature_names[index_of(feature)]; }

SystemFeatures features_of(std::initializer_list<SystemFeature> list) {
  SystemFeatures made;
  for (const SystemFeature feature : list) made.set(index_of(feature));
  return made;
}

SystemFeatures RandomSystem::has() const {
  SystemFeatures all;
  for (const SystemFeatures& each : met) all |= each;
  return all;
}

bool RandomSystem::meets(SystemFeature a, SystemFeature b) const {
  return std::any_of(met.begin(), met.end(),
                     [&](const SystemFeatures& each) { return each[index_of(a)] && each[index_of(b)]; });
}

RandomSystem random_system(std::mt19937& random, const RandomSystemOptions& options) {
  // After some attempts those features come along by which others meet.
  constexpr int attempts = 60, hard_from = 10;
  std::vector<SystemFeature> must;
  for (std::size_t i = 0; i < feature_count; ++i)
    if (options.must[i]) must.push_back(static_cast<SystemFeature>(i));
  for (int attempt = 1;; ++attempt) {
    SystemFeatures palette = options.must;
    const SystemFeatures rare = without_bound();
    // Drawn apart, so that systems without these features stay as they were.
    const SystemFeatures later =
        gpu_properties() | features_of({F::effect_branch, F::host_call, F::any_wait, F::data_chain, F::rare_access,
                                        F::chain_limit, F::constraint, F::requirement, F::tie, F::several_roots,
                                        F::spinlock, F::exclusive, F::context_priority, F::sm_mask, F::occupancy});
    std::mt19937 apart = random;
    for (std::size_t i = 0; i < feature_count; ++i) {
      const int among = options.one_in * (rare[i] ? 6 : 1);
      const bool drawn = std::uniform_int_distribution<int>(1, among)(later[i] ? apart : random) == 1;
      if (drawn) palette.set(i);
    }
    palette &= options.may | ~gpu_properties();  // what they need comes with them
    if (attempt > hard_from)
      palette |= features_of({F::trigger, F::trigger_chain, F::several_cores, F::several_stimuli});
    palette = with_needs(palette) & options.may;
    // What keeps each other from having bounds is seldom together unless it must be.
    if ((palette & features_of({F::earliest_deadline, F::global})).any() &&
        std::uniform_int_distribution<int>(1, 4)(random) > 1)
      palette &= ~not_with_all_schedulers() | with_needs(options.must);
    // What a system is never without.
    if ((palette &
         features_of({F::osek, F::rate_monotonic, F::deadline_monotonic, F::earliest_deadline, F::round_robin}))
            .none() ||
        std::uniform_int_distribution<int>(1, 3)(random) == 1)
      palette.set(index_of(F::fixed_priority));
    if (std::uniform_int_distribution<int>(1, 3)(random) > 1) palette |= features_of({F::varying_times, F::deadline});
    if (std::uniform_int_distribution<int>(1, 4)(random) > 1) palette.set(index_of(F::periodic));
    palette &= options.may | features_of({F::fixed_priority, F::periodic});
    RandomSystem made = Generator(random, palette, options).make();
    const bool has = (made.has() & options.must) == options.must;
    if (attempt == attempts || (has && (must.size() != 2 || made.meets(must.front(), must.back())))) return made;
  }
}

PairedSystems::PairedSystems(std::uint32_t seed, SystemFeatures may) : random_(seed), may_(may) {
  for (std::size_t a = 0; a < feature_count; ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (may[a] && may[b]) pairs_.emplace_back(static_cast<SystemFeature>(a), static_cast<SystemFeature>(b));
  std::shuffle(pairs_.begin(), pairs_.end(), random_);
}

RandomSystem PairedSystems::next() {
  const auto [a, b] = pairs_[at_++ % pairs_.size()];
  return random_system(random_, {may_, features_of({a, b}), 8});
}

void PairTable::add(const RandomSystem& system) {
  std::array<SystemFeatures, feature_count> beside{};
  for (const SystemFeatures& each : system.met)
    for (std::size_t a = 0; a < feature_count; ++a)
      if (each[a]) beside[a] |= each;
  for (std::size_t a = 0; a < feature_count; ++a)
    for (std::size_t b = 0; b <= a; ++b) count_[a][b] += beside[a][b] ? 1 : 0;
}

std::string PairTable::missing() const {
  std::string text;
  for (std::size_t a = 0; a < feature_count; ++a)
    for (std::size_t b = 0; b <= a; ++b)
      if (count_[a][b] == 0) text += fmt::format("{} with {}\n", feature_names[a], feature_names[b]);
  return text;
}

std::string PairTable::text() const {
  std::string text = "systems in which two features met: with itself, then with those before it in this order\n";
  for (std::size_t a = 0; a < feature_count; ++a) {
    text += fmt::format("{:<18} {:>6} |", feature_names[a], count_[a][a]);
    for (std::size_t b = 0; b < a; ++b) text += fmt::format(" {}", count_[a][b]);
    text += '\n';
  }
  return text;
}

}  // namespace test
