// SPDX-License-Identifier: Apache-2.0
// Cores, schedulers, semaphores and memories of a random system.

#include <initializer_list>

#include "tests/support/random_system/generator.hpp"

namespace test::drawing {

void Generator::make_platform() {
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

void Generator::add_child(UnitIndex core, SystemFeature feature, SchedulingAlgorithm kind,
                          std::optional<SchedulerIndex> parent) {
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

void Generator::add_root(UnitIndex core) {
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

SemaphoreIndex Generator::add_semaphore(bool ceiling, std::int64_t capacity) {
  Semaphore semaphore;
  semaphore.name = fmt::format("resource{}", maker_.system().semaphores.size());
  semaphore.priority_ceiling = ceiling;
  semaphore.free = semaphore.capacity = capacity;
  maker_.system().semaphores.push_back(semaphore);
  return static_cast<SemaphoreIndex>(maker_.system().semaphores.size() - 1);
}

LabelIndex Generator::add_label(DataSize size) {
  auto& labels = maker_.system().labels;
  labels.push_back({fmt::format("label{}", labels.size()), size, MemoryIndex{0}, LabelSide::host, {}});
  return static_cast<LabelIndex>(labels.size() - 1);
}

void Generator::make_memory() {
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

}  // namespace test::drawing
