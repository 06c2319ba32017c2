// SPDX-License-Identifier: Apache-2.0
// What the tasks of a random system execute.

#include "tests/support/random_system/generator.hpp"

namespace test::drawing {

int Generator::new_period() {
  static constexpr int periods[] = {40, 60, 80, 120, 240};
  return on(F::tie) ? 40 * draw(1, 2) : periods[draw(0, 4)];
}

void Generator::make_root() {
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

TaskIndex Generator::new_task(const std::string& kind, UnitIndex unit, StimulusIndex stimulus) {
  const TaskIndex task =
      maker_.task(fmt::format("{}{}", kind, maker_.system().tasks.size()), unit, urgency(draw(1, 6)), stimulus);
  own_.emplace_back();
  if (on(F::tie)) mark(F::tie, task);
  return task;
}

TaskIndex Generator::host_task(StimulusIndex stimulus, int period, int depth) {
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

void Generator::fill(TaskIndex task, std::size_t core, int period, int depth) {
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

SemaphoreIndex Generator::ceiling_for(TaskIndex task, std::size_t core) {
  const SchedulerIndex scheduler = maker_[task].scheduler;
  if (!maker_.system().platform.schedulers[scheduler].parent || one_in(3)) return ceilings_[core];
  const auto at = ceilings_of_children_.find(scheduler);
  if (at != ceilings_of_children_.end()) return at->second;
  return ceilings_of_children_[scheduler] = add_semaphore(true, 1);
}

void Generator::do_part(TaskIndex task, std::size_t core, int most) {
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

void Generator::do_work(TaskIndex task, int most) {
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

RunnableIndex Generator::new_runnable() {
  auto& runnables = maker_.system().runnables;
  runnables.push_back({fmt::format("runnable{}", runnables.size()), {}});
  return static_cast<RunnableIndex>(runnables.size() - 1);
}

void Generator::in_runnable(TaskIndex task, RunnableIndex runnable, std::uint32_t depth) {
  GraphNode& node = maker_.system().graph[maker_[task].body.back()];
  node.runnable = runnable;
  node.depth = depth;
}

void Generator::call(TaskIndex task, RunnableIndex runnable, int most, std::uint32_t depth) {
  maker_.add(task, Call{});
  in_runnable(task, runnable, depth);
  compute(task, most);
  in_runnable(task, runnable, depth);
}

}  // namespace test::drawing
