#include "engine/program.hpp"

#include <algorithm>
#include <utility>

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

/// What a step takes: a time, and under Execution::random how it varies.
struct Work {
  Duration time;
  VaryingWork varying;

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
  /// `users` may be null where the memory model does not ask who uses the memory.
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
    for (const NodeIndex node : system_.tasks[task].body) add(node);
    return std::move(program_);
  }

 private:
  void add(NodeIndex node) {
    const Activity& activity = system_.graph[node].activity;
    if (const auto* read = std::get_if<ReadLabel>(&activity)) {
      push(StepKind::execute, node, access(read->label, false));
    } else if (const auto* write = std::get_if<WriteLabel>(&activity)) {
      push(StepKind::execute, node, access(write->label, true));
    } else if (const auto* compute = std::get_if<Compute>(&activity)) {
      push(StepKind::execute, node, ticks(compute->ticks));
    } else if (const auto* copy = std::get_if<Copy>(&activity)) {
      push(StepKind::copy, node, copy_time(*copy));
    } else if (const auto* kernel = std::get_if<Kernel>(&activity)) {
      push(StepKind::kernel, node, ticks(kernel->ticks));
      launch(*kernel);
    } else if (std::holds_alternative<Trigger>(activity)) {
      push(StepKind::trigger, node, {});
    } else if (std::holds_alternative<SetEvents>(activity)) {
      push(StepKind::set_events, node, {});
    } else if (std::holds_alternative<ClearEvents>(activity)) {
      push(StepKind::clear_events, node, {});
    } else if (std::holds_alternative<WaitEvents>(activity)) {
      push(StepKind::wait, node, {});
      for (const auto edge : boost::make_iterator_range(boost::in_edges(node, system_.graph)))
        if (system_.graph[edge].kind == EdgeKind::event)
          add_setter(system_.graph[boost::source(edge, system_.graph)].task);
    } else {
      push(StepKind::execute, node, {});  // a Call: where a runnable begins
    }
  }

  void add_setter(TaskIndex setter) {
    auto& setters = program_.steps.back().setters;
    if (std::find(setters.begin(), setters.end(), setter) == setters.end()) setters.push_back(setter);
  }

  void push(StepKind kind, NodeIndex node, Work taken) {
    const Duration work = taken.time;
    Step step;
    step.kind = kind;
    step.node = node;
    step.work = work;
    if (!taken.varying.parts.empty()) {
      taken.varying.rounding = options_.rounding;
      step.varying = std::move(taken.varying);
    }
    if (const auto runnable = system_.graph[node].runnable) {
      auto& known = program_.runnables;
      const auto found = std::find(known.begin(), known.end(), *runnable);
      step.runnable = static_cast<std::uint32_t>(found - known.begin());
      if (found == known.end()) known.push_back(*runnable);
    }
    program_.steps.push_back(std::move(step));
    if (kind == StepKind::execute) program_.execution += work;
    if (kind != StepKind::copy) return;
    program_.copies += work;
    program_.copies_packed = scale(program_.copies, 1, device_ == nullptr ? 1 : device_->copy_engines, Rounding::down);
  }

  void launch(const Kernel& kernel) {
    Step& step = program_.steps.back();
    std::int64_t rounds = 1;
    Duration packed = step.work;
    if (kernel.launch && device_ != nullptr && device_->multiprocessors) {
      const nvidia::SmLimits& limits = *device_->multiprocessors;
      const Launch& launch = *kernel.launch;
      if (const auto occupancy = nvidia::occupancy(limits, {launch.threads, launch.registers, launch.shared_memory})) {
        const std::int64_t resident = occupancy->blocks * limits.sms;
        step.blocks = launch.blocks;
        step.block = occupancy->block;
        rounds = detail::divide(launch.blocks, resident, Rounding::up);
        packed = scale(step.work, launch.blocks, resident, Rounding::down);
      }
    }
    program_.kernels += step.work * rounds;
    program_.kernels_packed += packed;
  }

  bool random() const { return execution_ == Execution::random; }

  Work ticks(const Ticks& ticks) const {
    const Cycles* cycles = ticks.on(unit_.definition);
    if (cycles == nullptr) return {};
    const Duration time = ticks_to_duration(choose(*cycles, execution_), unit_.frequency, options_.rounding);
    if (!random() || cycles->lower == cycles->upper) return constant(time);
    return {time, {{}, {{distribution_of(*cycles), unit_.frequency, 1, {}}}, {}}};
  }

  static Distribution distribution_of(const Cycles& cycles) {
    return {cycles.lower, cycles.average, cycles.upper, cycles.shape};
  }

  /// What a cache line costs a core by the table; on average midway between best and worst.
  void find_line_times(TaskIndex task) {
    latency_ = users_ == nullptr || system_.tasks[task].side == Side::device
                   ? nullptr
                   : latency_of(options_.memory, system_.platform, unit_);
    if (latency_ == nullptr) return;
    worst_line_ = worst_line(*latency_, users_->other_cores(unit_index_, task), users_->gpu_besides(task));
    average_line_ = scale(latency_->base + worst_line_, 1, 2, options_.rounding);
  }

  /// Of a core with an entry in the table.
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

  Work tabulated(DataSize size) const {
    const Duration time = tabulated(size, execution_);
    if (!random()) return constant(time);
    const Distribution between{tabulated(size, Execution::best).picoseconds(), time.picoseconds(),
                               tabulated(size, Execution::worst).picoseconds(), nullptr};
    if (between.lower >= between.upper) return constant(time);
    return {time, {{}, {{between, {}, 1, {}}}, {}}};
  }

  Work access(LabelIndex index, bool write) const {
    const Label& label = system_.labels[index];
    if (latency_ != nullptr) return tabulated(label.size);
    const MemoryAccess* access = access_to(unit_, label);
    if (access == nullptr) return {};
    const bool contended = options_.memory.source != MemoryModel::Source::uncontended;
    const Cycles& latency = write ? access->write : access->read;
    const auto time_of = [&](Execution execution) {
      return access_time(unit_, *access, latency, label.size, execution, options_.line_rule, options_.rounding);
    };
    const Duration time = time_of(contended ? execution_ : Execution::best);
    if (!random() || !contended || time_of(Execution::best) == time_of(Execution::worst)) return constant(time);
    const Duration by_rate = access->data_rate.bytes_per_second == 0 ? Duration{} : rate_time(*access, label.size);
    return {time,
            {{},
             {{distribution_of(latency), unit_.frequency, lines_of(label.size, unit_.cache_line, options_.line_rule),
               by_rate}},
             {}}};
  }

  Duration rate_time(const MemoryAccess& access, DataSize size) const {
    return scale(Duration::seconds(1), size.bytes, access.data_rate.bytes_per_second, options_.rounding);
  }

  Work copy_time(const Copy& copy) const {
    const auto& cost = options_.memory.copy;
    if (cost && cost->rate.bytes_per_second > 0)
      return constant(cost->setup +
                      scale(Duration::seconds(1), copy.size.bytes, cost->rate.bytes_per_second, options_.rounding));
    Work work = constant(cost ? cost->setup : Duration{});
    for (const bool write : {false, true})
      for (const LabelIndex label : write ? copy.destinations : copy.sources)
        work.add(
            cost ? constant(cost->per_line * lines_of(system_.labels[label].size, unit_.cache_line, options_.line_rule))
                 : access(label, write));
    return work;
  }

  const System& system_;
  UnitIndex unit_index_;
  const ProcessingUnit& unit_;
  Execution execution_;
  const DeviceProfile* device_;
  const CompileOptions& options_;
  const MemoryUsers* users_;
  const UnitLatency* latency_ = nullptr;  // null: as the model says
  Duration average_line_;
  Duration worst_line_;
  Program program_;
};

}  // namespace

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
                     Execution execution, LineRule rule, Rounding rounding) {
  const std::int64_t lines = lines_of(size, unit.cache_line, rule);
  const Duration by_latency =
      ticks_to_duration(detail::checked_multiply(lines, choose(latency, execution)), unit.frequency, rounding);
  if (access.data_rate.bytes_per_second == 0) return by_latency;
  const Duration by_rate = scale(Duration::seconds(1), size.bytes, access.data_rate.bytes_per_second, rounding);
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

std::vector<const DeviceProfile*> default_devices(const System& system) {
  std::vector<const DeviceProfile*> devices;
  for (const ProcessingUnit& unit : system.platform.units)
    devices.push_back(unit.type == PuType::gpu ? profile_for(unit).value_or(find_profile("generic")) : nullptr);
  return devices;
}

}  // namespace amalthea::engine
