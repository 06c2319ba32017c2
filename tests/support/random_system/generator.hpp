// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Draws one random system, from the features that it may have. Each part of it has a file of its own.
///
/// What is drawn for a seed depends on the order of all draws: a new feature draws nothing in systems without it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "amalthea/graph/system.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/program/memory_contention.hpp"
#include "tests/support/random_system.hpp"
#include "tests/support/system_maker.hpp"

namespace test::drawing {

using F = SystemFeature;

inline std::size_t index_of(SystemFeature feature) { return static_cast<std::size_t>(feature); }

class Generator {
 public:
  Generator(std::mt19937& random, SystemFeatures palette, const RandomSystemOptions& options)
      : random_(random), palette_(palette), must_(options.must), few_(options.few) {}
  RandomSystem make();

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
  void make_platform();
  void add_child(UnitIndex core, SystemFeature feature, SchedulingAlgorithm kind,
                 std::optional<SchedulerIndex> parent = std::nullopt);
  void add_root(UnitIndex core);
  /// With ties only few different ones.
  int urgency(int drawn) const { return on(F::tie) ? 1 + drawn % 2 : drawn; }
  SemaphoreIndex add_semaphore(bool ceiling, std::int64_t capacity);
  LabelIndex add_label(DataSize size);
  void make_profile();
  void make_later_figures();
  /// Often with fewer queues than streams, and with few ACEs.
  void make_amd();
  /// Of a task that has its stream alone.
  std::string cu_mask();
  void make_memory();

  // ---- stimuli
  StimulusIndex add_stimulus(Occurrence occurrence);
  static Distribution times(int lower, int upper);
  Occurrence occurrence(SystemFeature kind, int period, SystemFeatures& has);
  /// Of its own, not of another task.
  StimulusIndex own_stimulus(int period, SystemFeatures& has);

  // ---- tasks
  int new_period();
  int budget_of(int period) const { return std::max(3, period * load_ / 100 / roots_); }
  void make_root();
  TaskIndex new_task(const std::string& kind, UnitIndex unit, StimulusIndex stimulus);
  TaskIndex host_task(StimulusIndex stimulus, int period, int depth);
  /// The body of a host task.
  void fill(TaskIndex task, std::size_t core, int period, int depth);

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
  SemaphoreIndex ceiling_for(TaskIndex task, std::size_t core);
  void do_part(TaskIndex task, std::size_t core, int most);
  void do_work(TaskIndex task, int most);
  void compute(TaskIndex task, int most) { maker_.add(task, Compute{ticks(draw(one_in(8) ? 0 : 1, most), task)}); }
  RunnableIndex new_runnable();
  void in_runnable(TaskIndex task, RunnableIndex runnable, std::uint32_t depth = 1);
  void call(TaskIndex task, RunnableIndex runnable, int most, std::uint32_t depth = 1);

  // ---- triggered tasks
  /// A stimulus that occurs as `task` triggers it.
  StimulusIndex request_of(TaskIndex task);
  void activate_others(TaskIndex task, int period, int depth);
  void trigger_host(TaskIndex task, int period, int depth);
  void activated(TaskIndex by, TaskIndex task) { flows_.emplace_back(by, task); }
  EventIndex new_event() { return maker_.event(fmt::format("event{}", maker_.system().events.size())); }
  /// The end of its body, or almost.
  void set_at_end(TaskIndex setter, EventIndex event, TaskIndex waiting, int period);
  /// A host task for which another one waits: often a simple one, since many tasks would overload the cores.
  TaskIndex partner(StimulusIndex stimulus, int period, int depth);
  void wait_for_hosts(TaskIndex task, int period, int depth);
  /// A host task that sets an event in every job, and has its own stimulus.
  void add_signal(TaskIndex task, EventIndex event, int period, int depth);
  /// Another host task that it triggers, itself or through a third one, and that sets an event.
  void add_call(TaskIndex task, EventIndex event, int period, int depth);
  bool polls() { return on(F::polling) ? one_in(2) : one_in(4); }
  void call_host(TaskIndex task, int period, int depth);
  void wait_for_host(TaskIndex task, int period, int depth);
  void wait_for_any(TaskIndex task, int period, int depth);

  // ---- GPU
  /// `context`: that another device task already has.
  TaskIndex device_task(StimulusIndex stimulus, int budget, const std::string& context = "");
  /// What an AMD GPU does not have is left out there.
  void add_later_properties(TaskIndex device);
  /// Letters, or latencies. A cycle is a microsecond.
  void state_instructions(Kernel& kernel);
  /// Only of a task that has its stream alone, and whose kernels all have launches.
  void mask_processors(TaskIndex device);
  void offload(TaskIndex host, int period, int budget);
  /// Two device tasks are active at the same time.
  void offload_both(TaskIndex host, int period, int budget, bool active, const std::string& context);
  void offload_one(TaskIndex host, int period, int budget, bool active, const std::string& context);

  // ---- the whole
  /// Without time.
  void pass_data(TaskIndex from, TaskIndex to);
  void make_chain();
  std::vector<TaskIndex> some_hosts(int most);
  void make_data_chain();
  /// Anywhere in the body, in a branch, a counted call, a loop, or twice.
  void add_access(TaskIndex task, LabelIndex label, bool write);
  /// Moves what `fill` adds to some place of the body, outside of branches and calls.
  template <typename Fill>
  void insert(TaskIndex task, Fill fill);
  /// Near the bounds, or some periods.
  void add_chain_limits(RandomSystem& made);
  /// The ticks of kernels with instructions; without instructions if one does not fit its SMs.
  static void resolve(RandomSystem& made);

  // ---- constraints and requirements
  ObservableEvent event_of(TaskIndex task);
  void make_constraint();
  void make_requirement();
  std::vector<SystemFeatures> what_meets();

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

}  // namespace test::drawing
