// SPDX-License-Identifier: Apache-2.0
#include "engine/program/program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "amalthea/graph/boost_graph.hpp"
#include "engine/devices/makers.hpp"
#include "engine/gpu/launch_plan.hpp"

namespace amalthea::engine {
namespace {

std::int64_t choose(const Cycles& cycles, Execution execution) {
  switch (execution) {
    case Execution::best:
      return cycles.lower;
    case Execution::average:
    case Execution::random:
      return cycles.average;
    case Execution::worst:
      return cycles.upper;
  }
  return cycles.upper;
}

/// The time of a step, and its variation under Execution::random.
struct Work {
  Duration time;
  VaryingWork varying;
  Duration uncontended = {};

  void add(const Work& other) {
    time += other.time;
    varying.constant += other.varying.constant;
    varying.parts.insert(varying.parts.end(), other.varying.parts.begin(), other.varying.parts.end());
  }
};

/// Without variation.
Work constant(Duration time) { return {time, {time, {}, {}}}; }

class Compiler {
 public:
  /// `users` may be null if the memory model does not need the users of the memory.
  Compiler(const System& system, UnitIndex unit, Execution execution, const DeviceProfile* device,
           const CompileOptions& options, const MemoryUsers* users)
      : system_(system),
        unit_index_(unit),
        unit_(system.platform.units[unit]),
        execution_(execution),
        device_(device),
        options_(options),
        users_(users) {}

  Program compile(TaskIndex task) {
    find_line_times(task);
    find_other_units(task);
    const Task& compiled = system_.tasks[task];
    body_ = &compiled.body;
    // Device tasks have no core, so the operating system needs no time for them.
    if (compiled.side == Side::host && compiled.scheduler < system_.platform.schedulers.size()) {
      const auto& overhead = system_.platform.schedulers[compiled.scheduler].overhead;
      overhead_ = overhead ? &*overhead : nullptr;
    }
    if (body_->empty()) return std::move(program_);
    program_.steps.reserve(body_->size() + 2);  // as many, unless activities have overheads
    add_frame(compiled.kind, true);
    add_range(0, body_->size());
    const std::size_t end = program_.steps.size();
    add_frame(compiled.kind, false);
    for (Step& step : program_.steps)
      if (step.next == to_end) step.next = static_cast<std::uint32_t>(end);
    return std::move(program_);
  }

 private:
  /// Placeholder for the end of the body until it is known.
  static constexpr std::uint32_t to_end = std::numeric_limits<std::uint32_t>::max();

  /// A program has no bound if a loop would have as many steps.
  static constexpr std::size_t max_unrolled_steps = 1'000;

  /// Operating system overhead before and after the process itself.
  void add_frame(ProcessKind kind, bool before) {
    if (overhead_ == nullptr) return;
    const NodeIndex node = before ? body_->front() : body_->back();
    switch (kind) {
      case ProcessKind::task:
        if (!before) add_overhead(overhead_->terminate_task, node, false);
        break;
      case ProcessKind::isr_category1:
        add_overhead(before ? overhead_->isr_category1_before : overhead_->isr_category1_after, node, false);
        break;
      case ProcessKind::isr_category2:
        add_overhead(before ? overhead_->isr_category2_before : overhead_->isr_category2_after, node, false);
        break;
    }
  }

  /// A stated overhead becomes a step even if it takes no time: all executions have the same steps.
  void add_overhead(const std::optional<Ticks>& stated, NodeIndex node, bool in_runnable = true, bool certain = true) {
    if (!stated) return;
    push(StepKind::execute, node, certain || execution_ != Execution::best ? ticks(*stated) : Work{}, in_runnable);
    program_.steps.back().overhead = true;
  }

  /// The activities [begin, end) of the body.
  void add_range(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const NodeIndex node = (*body_)[i];
      const Activity& activity = system_.graph[node].activity;
      if (const auto* branch = std::get_if<Branch>(&activity)) {
        i = add_branch(*branch, node, i + 1) - 1;
        continue;
      }
      add(node);
      if (std::holds_alternative<Terminate>(activity) && depth_ == 0) return;  // nothing is reachable after it
    }
  }

  /// The steps of one alternative, and what it executes.
  struct Part {
    std::size_t begin = 0, end = 0;
    Duration execution;
    std::int64_t share = 0, of = 1;  ///< the share of it that counts
  };

  /// `at`: the first activity after the branch itself. Returns the one after its last alternative.
  std::size_t add_branch(const Branch& branch, NodeIndex node, std::size_t at) {
    if (branch.repeats) {
      if (const auto iterations = options_.every_alternative ? most_iterations(branch, node, at) : std::nullopt)
        return add_iterations(branch, node, at, *iterations);
      unanalyzable("it has a loop");
    }
    const std::size_t index = program_.steps.size();
    push(options_.flatten_branches ? StepKind::execute : StepKind::branch, node, {});
    const Duration before = program_.execution;
    std::vector<Part> parts;
    const bool outside_structured = std::exchange(structured_, false);
    ++depth_;
    for (const Branch::Alternative& alternative : branch.alternatives) {
      program_.execution = {};
      const std::size_t begin = program_.steps.size();
      add_range(at, at + alternative.length);
      parts.push_back({begin, program_.steps.size(), program_.execution});
      at += alternative.length;
      if (options_.every_alternative) check_sections(begin);
    }
    --depth_;
    const bool keeps_all = options_.every_alternative && structured_;
    structured_ = structured_ || outside_structured;
    if (keeps_all)
      for (Part& part : parts) part.share = execution_ == Execution::best ? 0 : 1;
    else
      choose_shares(branch, parts);
    program_.execution = before;
    for (const Part& part : parts) program_.execution += scale(part.execution, part.share, part.of, options_.rounding);
    if (options_.flatten_branches)
      flatten(index, parts, keeps_all);
    else
      link(branch, index, parts);
    return at;
  }

  /// A job may leave out each of them.
  std::size_t add_iterations(const Branch& loop, NodeIndex node, std::size_t at, std::int64_t iterations) {
    Branch once = loop;
    once.repeats = false;
    const std::size_t end = program_.steps.size() + max_unrolled_steps;
    for (std::int64_t i = 0; i < iterations && program_.steps.size() < end; ++i) add_branch(once, node, at);
    if (program_.steps.size() >= end) unanalyzable("it has a loop with too many iterations");
    return at + loop.alternatives.front().length;
  }

  /// At most how often a loop repeats that counts up or down to a limit: only its task writes the mode, never the other
  /// way, and in every iteration. Nothing for others.
  std::optional<std::int64_t> most_iterations(const Branch& loop, NodeIndex node, std::size_t at) const {
    const auto* condition =
        loop.alternatives.size() == 1 ? std::get_if<ModeCondition>(&loop.alternatives.front().guard) : nullptr;
    if (condition == nullptr || condition->any_of.size() != 1) return std::nullopt;
    std::optional<std::int64_t> least;
    for (const ModeTest& test : condition->any_of.front())
      if (const auto count = most_iterations(test, node, at, at + loop.alternatives.front().length))
        least = std::min(*count, least.value_or(*count));
    return least;
  }

  std::optional<std::int64_t> most_iterations(const ModeTest& test, NodeIndex node, std::size_t begin,
                                              std::size_t end) const {
    const bool up = test.relation == Relation::less || test.relation == Relation::less_or_equal;
    const bool down = test.relation == Relation::greater || test.relation == Relation::greater_or_equal;
    if (test.other || (!up && !down)) return std::nullopt;
    const SetMode::Operation towards = up ? SetMode::Operation::increment : SetMode::Operation::decrement;
    for (const Stimulus& stimulus : system_.stimuli)
      for (const ModeSetting& setting : stimulus.sets)
        if (setting.mode == test.mode) return std::nullopt;
    std::int64_t start = system_.modes[test.mode].initial, step = 0;
    for (NodeIndex other = 0; other < system_.graph.size(); ++other) {
      const auto* set = std::get_if<SetMode>(&system_.graph[other].activity);
      if (set == nullptr || set->mode != test.mode) continue;
      if (system_.graph[other].task != system_.graph[node].task) return std::nullopt;
      if (set->operation == SetMode::Operation::set)
        start = up ? std::min(start, set->value) : std::max(start, set->value);
      else if (set->operation != towards || set->value < 0)
        return std::nullopt;
    }
    for (std::size_t i = begin, certain = begin; i < end; ++i) {
      const Activity& activity = system_.graph[(*body_)[i]].activity;
      if (const auto* branch = std::get_if<Branch>(&activity); branch != nullptr && i >= certain) {
        certain = i + 1;
        for (const Branch::Alternative& alternative : branch->alternatives) certain += alternative.length;
      }
      const auto* set = std::get_if<SetMode>(&activity);
      if (set == nullptr || set->mode != test.mode) continue;
      if (set->operation != towards) return std::nullopt;
      if (i >= certain) step = std::max(step, set->value);
    }
    if (step == 0) return std::nullopt;
    const bool inclusive = test.relation == Relation::less_or_equal || test.relation == Relation::greater_or_equal;
    const detail::Int128 distance =
        (up ? detail::Int128{test.value} - start : detail::Int128{start} - test.value) + (inclusive ? 1 : 0);
    if (distance <= 0) return 0;
    return static_cast<std::int64_t>(
        std::min<detail::Int128>((distance + step - 1) / step, static_cast<std::int64_t>(max_unrolled_steps)));
  }

  /// Which alternatives count (CompileOptions::flatten_branches).
  void choose_shares(const Branch& branch, std::vector<Part>& parts) const {
    if (parts.empty()) return;
    double weights = 0;
    for (const Branch::Alternative& alternative : branch.alternatives)
      if (const auto* chance = std::get_if<Probability>(&alternative.guard)) weights += chance->weight;
    if (execution_ == Execution::best && !always_takes_one(branch)) return;
    if ((execution_ == Execution::average || random()) && (weights > 0 || is_counted(branch))) {
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const Guard& guard = branch.alternatives[i].guard;
        if (const auto* chance = std::get_if<Probability>(&guard)) {
          parts[i].of = 1'000'000'000;
          parts[i].share = std::llround(chance->weight / weights * 1e9);
        } else if (const auto* every = std::get_if<EveryNth>(&guard)) {
          parts[i].share = 1;
          parts[i].of = std::max<std::int64_t>(1, every->prescaler);
        }
      }
      return;
    }
    const auto less = [](const Part& a, const Part& b) { return a.execution < b.execution; };
    const auto kept = execution_ == Execution::best ? std::min_element(parts.begin(), parts.end(), less)
                                                    : std::max_element(parts.begin(), parts.end(), less);
    kept->share = 1;
  }

  static bool is_counted(const Branch& branch) {
    return std::all_of(branch.alternatives.begin(), branch.alternatives.end(),
                       [](const auto& alternative) { return std::holds_alternative<EveryNth>(alternative.guard); });
  }

  void flatten(std::size_t index, const std::vector<Part>& parts, bool keeps_all) {
    for (const Part& part : parts) {
      program_.steps[index].alternatives.push_back(static_cast<std::uint32_t>(part.begin));
      if (part.share == part.of) continue;
      for (std::size_t i = part.begin; i < part.end; ++i) {
        Step& step = program_.steps[i];
        if (!keeps_all) step.work = scale(step.work, part.share, part.of, options_.rounding);
        step.skipped = step.skipped || part.share == 0;
      }
    }
    program_.steps[index].next = static_cast<std::uint32_t>(program_.steps.size());
    program_.steps[index].keeps_all = keeps_all;
  }

  /// Every section that begins in the alternative from this step on must end there, and no other may.
  void check_sections(std::size_t begin) {
    std::map<std::string, std::int64_t> open;
    const auto change = [&](const std::string& section, bool begins) {
      open[section] += begins ? 1 : -1;
      if (open[section] < 0) leaves_open(section);
    };
    for (std::size_t i = begin; i < program_.steps.size(); ++i) {
      const Step& step = program_.steps[i];
      const Activity& activity = system_.graph[step.node].activity;
      if (step.kind == StepKind::uninterruptible)
        change("an uninterruptible group", std::get<Uninterruptible>(activity).begins);
      else if (step.kind == StepKind::request_semaphore || step.kind == StepKind::release_semaphore)
        change(fmt::format("a use of {}", system_.semaphores[std::get<UseSemaphore>(activity).semaphore].name),
               step.kind == StepKind::request_semaphore);
    }
    for (const auto& [section, count] : open)
      if (count != 0) leaves_open(section);
  }
  void leaves_open(const std::string& section) {
    unanalyzable(fmt::format("an alternative of a branch begins or ends {}, but not both", section));
  }

  /// Sets the first step of each alternative, and the step after it.
  void link(const Branch& branch, std::size_t index, const std::vector<Part>& parts) {
    const auto after = static_cast<std::uint32_t>(program_.steps.size());
    for (std::size_t a = 0; a < parts.size(); ++a) {
      const Part& part = parts[a];
      const std::uint32_t target = branch.repeats && a == 0 ? static_cast<std::uint32_t>(index) : after;
      const auto redirect = [&](std::uint32_t& next) {
        if (next == part.end) next = target;
      };
      for (std::size_t i = part.begin; i < part.end; ++i) {
        redirect(program_.steps[i].next);
        for (std::uint32_t& first : program_.steps[i].alternatives) redirect(first);
      }
      program_.steps[index].alternatives.push_back(part.begin < part.end ? static_cast<std::uint32_t>(part.begin)
                                                                         : target);
    }
    program_.steps[index].next = after;
  }

  void unanalyzable(std::string why) {
    if (program_.unanalyzable.empty()) program_.unanalyzable = std::move(why);
  }

  /// Whether other activities of the job may come before the activity or after it: both are in a group of any order, and
  /// this one does not enclose the group.
  bool has_any_place(NodeIndex node) const {
    const std::uint32_t group = system_.graph[node].unordered;
    if (group == 0) return false;
    const auto within = [&](NodeIndex other) { return system_.graph[other].unordered == group; };
    const NodeIndex first = *std::find_if(body_->begin(), body_->end(), within),
                    last = *std::find_if(body_->rbegin(), body_->rend(), within);
    const bool encloses = std::holds_alternative<Uninterruptible>(system_.graph[node].activity);
    return encloses ? node != first && node != last : first != last;
  }

  /// Adds a step that does more than execute: within a branch, no flattened program can tell when it happens.
  void push_effect(StepKind kind, NodeIndex node) {
    push(kind, node, {});
    if (has_any_place(node))
      unanalyzable(fmt::format("a group of any order contains more than execution ({})",
                               kind_name(system_.graph[node].activity)));
    if (depth_ > 0 && (!options_.every_alternative || kind == StepKind::terminate))
      unanalyzable(fmt::format("a branch contains more than execution ({})", kind_name(system_.graph[node].activity)));
    // The others take no time, and decide nothing for the job itself.
    structured_ =
        structured_ || (kind != StepKind::trigger && kind != StepKind::set_events && kind != StepKind::clear_events);
  }

  void add(NodeIndex node) {
    const Activity& activity = system_.graph[node].activity;
    if (const auto* read = std::get_if<ReadLabel>(&activity)) {
      push(StepKind::execute, node, access(read->label, false, read->count));
    } else if (const auto* write = std::get_if<WriteLabel>(&activity)) {
      push(StepKind::execute, node, access(write->label, true, write->count));
    } else if (const auto* compute = std::get_if<Compute>(&activity)) {
      push(StepKind::execute, node, ticks(compute->ticks));
    } else if (const auto* copy = std::get_if<Copy>(&activity)) {
      push(StepKind::copy, node, copy_time(*copy));
      structured_ = true;
    } else if (const auto* kernel = std::get_if<Kernel>(&activity)) {
      push(StepKind::kernel, node, ticks(kernel->ticks));
      launch(*kernel);
      structured_ = true;
    } else if (std::holds_alternative<SetMode>(activity)) {
      push(StepKind::set_mode, node, {});
    } else if (!add_service(activity, node)) {
      push(StepKind::execute, node, {});  // a Call: start of a runnable
    }
  }

  /// Operating system overhead for an activity, which precedes its effect.
  bool add_service(const Activity& activity, NodeIndex node) {
    static const OverheadTicks none;
    const OverheadTicks& overhead = overhead_ == nullptr ? none : *overhead_;
    if (const auto* trigger = std::get_if<Trigger>(&activity)) {
      // Nothing states whether what causes an event stimulus also calls the operating system.
      const bool calls = !std::holds_alternative<EventDriven>(system_.stimuli[trigger->stimulus].occurrence);
      add_overhead(overhead.activate_task, node, true, calls);
      push_effect(StepKind::trigger, node);
    } else if (std::holds_alternative<SetEvents>(activity)) {
      add_overhead(overhead.set_event, node);
      push_effect(StepKind::set_events, node);
    } else if (std::holds_alternative<ClearEvents>(activity)) {
      add_overhead(overhead.clear_event, node);
      push_effect(StepKind::clear_events, node);
    } else if (std::holds_alternative<WaitEvents>(activity)) {
      add_overhead(overhead.wait_event, node);
      push_effect(StepKind::wait, node);
      for (const auto edge : boost::make_iterator_range(boost::in_edges(node, system_.graph.boost())))
        if (system_.graph.boost()[edge].kind == EdgeKind::event)
          add_setter(system_.graph[boost::source(edge, system_.graph.boost())].task);
    } else if (const auto* use = std::get_if<UseSemaphore>(&activity)) {
      const bool spinlock = system_.semaphores[use->semaphore].spinlock;
      const bool releases = use->operation == UseSemaphore::Operation::release;
      add_overhead(releases ? (spinlock ? overhead.release_spinlock : overhead.release_resource)
                            : (spinlock ? overhead.request_spinlock : overhead.request_resource),
                   node);
      push_effect(releases ? StepKind::release_semaphore : StepKind::request_semaphore, node);
    } else if (std::holds_alternative<SchedulePoint>(activity)) {
      add_overhead(overhead.schedule_point, node);
      push_effect(StepKind::schedule_point, node);
    } else if (std::holds_alternative<Terminate>(activity)) {
      push_effect(StepKind::terminate, node);
      if (!options_.flatten_branches) program_.steps.back().next = to_end;
    } else if (std::holds_alternative<Uninterruptible>(activity)) {
      push_effect(StepKind::uninterruptible, node);
    } else {
      return false;
    }
    return true;
  }

  void add_setter(TaskIndex setter) {
    auto& setters = program_.steps.back().setters;
    if (std::find(setters.begin(), setters.end(), setter) == setters.end()) setters.push_back(setter);
  }

  void push(StepKind kind, NodeIndex node, Work taken, bool in_runnable = true) {
    const Duration work = taken.time;
    Step step;
    step.kind = kind;
    step.node = node;
    step.work = work;
    step.uncontended = taken.uncontended;
    step.next = static_cast<std::uint32_t>(program_.steps.size() + 1);
    if (!taken.varying.parts.empty()) {
      taken.varying.rounding = options_.rounding;
      step.varying = std::move(taken.varying);
    }
    if (const auto runnable = system_.graph[node].runnable; runnable && in_runnable) {
      const auto [place, is_new] = places_.try_emplace(*runnable, static_cast<std::uint32_t>(places_.size()));
      step.runnable = place->second;
      if (is_new) program_.runnables.push_back(*runnable);
    }
    program_.steps.push_back(std::move(step));
    if (kind == StepKind::execute) program_.execution += work;
    if (kind != StepKind::copy) return;
    program_.copies += work;
    program_.copies_packed = scale(program_.copies, 1, device_ == nullptr ? 1 : device_->copy_engines, Rounding::down);
  }

  void launch(const Kernel& kernel) {
    Step& step = program_.steps.back();
    step.memory = device_ == nullptr ? gpu::KernelMemory{} : gpu::memory_of(kernel, *device_);
    std::int64_t rounds = 1;
    Duration packed = step.work;
    if (kernel.launch && device_ != nullptr) {
      if (const auto plan = gpu::plan_launch(*kernel.launch, *device_)) {
        step.blocks = kernel.launch->blocks;
        step.block = plan->block;
        rounds = plan->rounds;
        packed = scale(step.work, step.blocks, plan->resident, Rounding::down);
      }
    }
    const bool beside = device_ != nullptr && !gpu::maker_of(*device_).takes_turns;
    program_.kernels += beside ? packed : step.work * rounds;
    program_.kernels_packed += packed;
  }

  bool random() const { return execution_ == Execution::random; }

  /// Whether the memory table states the same costs for accesses from this unit as for those from the other one.
  bool same_table(UnitIndex other, TaskIndex task) const {
    return latency_ == latency_of(options_.memory, system_.platform, system_.platform.units[other]) &&
           (latency_ == nullptr || users_->other_cores(unit_index_, task) == users_->other_cores(other, task));
  }

  /// The units that the task may run on, besides the first, unless it takes as long on them.
  void find_other_units(TaskIndex task) {
    const Task& compiled = system_.tasks[task];
    if (!options_.all_units || unit_index_ != compiled.unit) return;
    if (execution_ != Execution::best && execution_ != Execution::worst) return;
    for (const UnitIndex other : compiled.units)
      if (!equally_fast(unit_, system_.platform.units[other]) || !same_table(other, task)) {
        other_units_.emplace_back(system_, other, execution_, device_, options_, users_);
        other_units_.back().find_line_times(task);
      }
  }

  /// `work_on`: of a compiler for one unit.
  template <typename WorkOn>
  Work on_any_unit(WorkOn work_on) const {
    Work work = work_on(*this);
    for (const Compiler& other : other_units_) {
      const Duration time = work_on(other).time;
      work = constant(execution_ == Execution::best ? std::min(work.time, time) : std::max(work.time, time));
    }
    return work;
  }

  Work ticks(const Ticks& ticks) const {
    return on_any_unit([&](const Compiler& compiler) { return compiler.ticks_here(ticks); });
  }

  Work ticks_here(const Ticks& ticks) const {
    const Cycles* cycles = ticks.on(unit_.definition);
    if (cycles == nullptr) return {};
    const Duration time = ticks_to_duration(choose(*cycles, execution_), unit_.frequency, options_.rounding);
    if (!random() || cycles->lower == cycles->upper) return constant(time);
    return {time, {{}, {{distribution_of(*cycles), unit_.frequency, 1, {}}}, {}}};
  }

  static Distribution distribution_of(const Cycles& cycles) {
    return {cycles.lower, cycles.average, cycles.upper, cycles.shape};
  }

  /// The cost of a cache line for a core by the table; average is midway between best and worst.
  void find_line_times(TaskIndex task) {
    latency_ = users_ == nullptr || system_.tasks[task].side == Side::device
                   ? nullptr
                   : latency_of(options_.memory, system_.platform, unit_);
    if (latency_ == nullptr) return;
    program_.contention = contention_of(*latency_, users_->other_cores(unit_index_, task), users_->gpu_besides(task));
    worst_line_ = latency_->base + program_.contention->worst();
    average_line_ = scale(latency_->base + worst_line_, 1, 2, options_.rounding);
  }

  /// For a core with an entry in the table.
  Duration tabulated(DataSize size, Execution execution) const {
    const std::int64_t lines = lines_of(size, unit_.cache_line, options_.line_rule);
    const Rounding towards_base = execution == Execution::best ? Rounding::up : Rounding::down;
    const std::int64_t hits =
        detail::divide(static_cast<detail::Int128>(lines) * latency_->hits_per_million, 1'000'000, towards_base);
    const Duration line = execution == Execution::best    ? latency_->base
                          : execution == Execution::worst ? worst_line_
                                                          : average_line_;
    return line * (lines - hits) + latency_->hit * hits;
  }

  static std::int64_t chosen(const AccessCount& count, Execution execution) {
    return choose({count.least, count.average, count.most, nullptr}, execution);
  }

  Work access(LabelIndex index, bool write, const AccessCount& count) const {
    return access(system_.labels[index], write, count);
  }
  Work access(const Label& label, bool write, const AccessCount& count = {}) const {
    return on_any_unit([&](const Compiler& compiler) { return compiler.access_here(label, write, count); });
  }

  Work access_here(const Label& label, bool write, const AccessCount& count) const {
    Work work = contended(label, write, count);
    if (latency_ != nullptr)
      work.uncontended = std::min(
          work.time, tabulated(label.size, Execution::best) * chosen(count, random() ? Execution::best : execution_));
    return work;
  }

  Work contended(const Label& label, bool write, const AccessCount& count) const {
    const MemoryAccess* access = access_to(unit_, label);
    if (latency_ == nullptr && access == nullptr) return {};
    const bool contended = latency_ != nullptr || options_.memory.source != MemoryModel::Source::uncontended;
    const auto time_of = [&](Execution execution) {
      if (latency_ != nullptr) return tabulated(label.size, execution) * chosen(count, execution);
      return access_time(unit_, *access, write ? access->write : access->read, label.size,
                         contended ? execution : Execution::best, options_.line_rule, options_.rounding,
                         chosen(count, execution));
    };
    const Duration time = time_of(execution_);
    if (!random()) return constant(time);
    const Distribution between{time_of(Execution::best).picoseconds(), time.picoseconds(),
                               time_of(Execution::worst).picoseconds(), nullptr};
    if (between.lower >= between.upper) return constant(time);
    if (latency_ != nullptr || count.least != count.most) return {time, {{}, {{between, {}, 1, {}}}, {}}};
    const Cycles& latency = write ? access->write : access->read;
    const Duration by_rate = access->data_rate.bytes_per_second == 0
                                 ? Duration{}
                                 : rate_time(*access, DataSize{label.size.bytes * count.most});
    const std::int64_t lines = lines_of(label.size, unit_.cache_line, options_.line_rule) * count.most;
    return {time, {{}, {{distribution_of(latency), unit_.frequency, lines, by_rate}}, {}}};
  }

  Duration rate_time(const MemoryAccess& access, DataSize size) const {
    return scale(Duration::seconds(1), size.bytes, access.data_rate.bytes_per_second, options_.rounding);
  }

  Work copy_time(const Copy& copy) const {
    if (copy.time) return constant(*copy.time);
    Work work = copy_time_of_labels(copy);
    // The driver may copy parts of the data while others are on their way, so nothing is certain at best.
    if (copy.pageable && execution_ != Execution::best)
      work.add(
          constant(scale(Duration::seconds(1), copy.size.bytes, device_->staging_bytes_per_second, options_.rounding)));
    return work;
  }

  Work copy_time_of_labels(const Copy& copy) const {
    const auto& cost = options_.memory.copy;
    if (cost && cost->rate.bytes_per_second > 0)
      return constant(cost->setup +
                      scale(Duration::seconds(1), copy.size.bytes, cost->rate.bytes_per_second, options_.rounding));
    Work work = constant(cost ? cost->setup : Duration{});
    for (const bool write : {false, true})
      for (const Label& label : moved(write ? copy.destinations : copy.sources, copy.size))
        work.add(cost ? constant(cost->per_line * lines_of(label.size, unit_.cache_line, options_.line_rule))
                      : access(label, write));
    return work;
  }

  /// The labels of one side of a copy. What reaches the other side leaves this one: the largest label stands for the
  /// bytes that the labels lack.
  std::vector<Label> moved(const std::vector<LabelIndex>& indices, DataSize size) const {
    std::vector<Label> labels;
    for (const LabelIndex index : indices) {
      labels.push_back(system_.labels[index]);
      size.bytes -= std::min(size.bytes, labels.back().size.bytes);
    }
    const auto largest = std::max_element(labels.begin(), labels.end(),
                                          [](const Label& a, const Label& b) { return a.size.bytes < b.size.bytes; });
    if (largest != labels.end()) largest->size.bytes += size.bytes;
    return labels;
  }

  const System& system_;
  UnitIndex unit_index_;
  const ProcessingUnit& unit_;
  Execution execution_;
  const DeviceProfile* device_;
  const CompileOptions& options_;
  const MemoryUsers* users_;
  const UnitLatency* latency_ = nullptr;  // null: as in the model
  Duration average_line_;
  Duration worst_line_;
  const std::vector<NodeIndex>* body_ = nullptr;
  const OverheadTicks* overhead_ = nullptr;  // null: none stated
  std::size_t depth_ = 0;                    // number of enclosing branches
  bool structured_ = false;  // the branch so far decides more than how long the job executes, or whom it activates
  std::vector<Compiler> other_units_;  // with CompileOptions::all_units
  Program program_;
  std::map<RunnableIndex, std::uint32_t> places_;  // in program_.runnables
};

}  // namespace

bool equally_fast(const ProcessingUnit& a, const ProcessingUnit& b) {
  return a.definition == b.definition && a.frequency == b.frequency && a.cache_line.bytes == b.cache_line.bytes &&
         std::equal(a.accesses.begin(), a.accesses.end(), b.accesses.begin(), b.accesses.end(),
                    [](const MemoryAccess& x, const MemoryAccess& y) {
                      return x.memory == y.memory && x.read == y.read && x.write == y.write &&
                             x.data_rate.bytes_per_second == y.data_rate.bytes_per_second;
                    });
}

bool always_takes_one(const Branch& branch) {
  return std::any_of(branch.alternatives.begin(), branch.alternatives.end(), [](const auto& alternative) {
    return std::holds_alternative<Probability>(alternative.guard) ||
           std::holds_alternative<Otherwise>(alternative.guard);
  });
}

bool accesses_memory(const System& system, const Step& step) {
  const Activity& activity = system.graph[step.node].activity;
  return step.kind == StepKind::execute && !step.overhead &&
         (std::holds_alternative<ReadLabel>(activity) || std::holds_alternative<WriteLabel>(activity));
}

Duration work_of(const Step& step, RandomStream& random) {
  if (!step.varying) return step.work;
  Duration work = step.varying->constant;
  for (const VaryingWork::Part& part : step.varying->parts) {
    const std::int64_t value = detail::checked_multiply(part.lines, draw(part.value, random));
    const Duration time = part.frequency.is_zero() ? Duration::picoseconds(value)
                                                   : ticks_to_duration(value, part.frequency, step.varying->rounding);
    work += std::max(time, part.at_least);
  }
  return work;
}

RandomStream execution_stream(std::uint64_t seed, TaskIndex task, std::uint64_t job) {
  return RandomStream(seed, purpose::execution, task, job);
}

Duration access_time(const ProcessingUnit& unit, const MemoryAccess& access, const Cycles& latency, DataSize size,
                     Execution execution, LineRule rule, Rounding rounding, std::int64_t count) {
  const std::int64_t lines = detail::checked_multiply(lines_of(size, unit.cache_line, rule), count);
  const Duration by_latency =
      ticks_to_duration(detail::checked_multiply(lines, choose(latency, execution)), unit.frequency, rounding);
  if (access.data_rate.bytes_per_second == 0) return by_latency;
  const Duration by_rate = scale(Duration::seconds(1), detail::checked_multiply(size.bytes, count),
                                 access.data_rate.bytes_per_second, rounding);
  return std::max(by_latency, by_rate);
}

Program compile_program(const System& system, TaskIndex task, UnitIndex unit, Execution execution,
                        const DeviceProfile* device, const CompileOptions& options) {
  std::optional<MemoryUsers> users;
  if (options.memory.source == MemoryModel::Source::table) users.emplace(system);
  return Compiler(system, unit, execution, device, options, users ? &*users : nullptr).compile(task);
}

std::vector<Program> compile_programs(const System& system, Execution execution,
                                      const std::vector<const DeviceProfile*>& devices, const CompileOptions& options) {
  const MemoryUsers users(system);
  std::vector<Program> programs;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    const UnitIndex unit = system.tasks[task].unit;
    programs.push_back(
        Compiler(system, unit, execution, unit < devices.size() ? devices[unit] : nullptr, options, &users)
            .compile(task));
  }
  return programs;
}

}  // namespace amalthea::engine
