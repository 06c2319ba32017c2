// SPDX-License-Identifier: Apache-2.0
// How tasks share cores, GPUs, semaphores and memories, where it is at odds with how others do.

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "analysis/detail/suspicions.hpp"

namespace amalthea::analysis {
namespace {

class Sharing {
 public:
  Sharing(const Facts& facts, Suspicions& found) : facts_(facts), system_(facts.system), found_(found) {}

  void run() {
    semaphores();
    slices();
    waits();
    priorities();
    preemption();
    servers();
    memories();
  }

 private:
  void add(double evidence, std::string change, amalthea::Part part, std::function<void(System&)> apply,
           std::string pattern = "") {
    found_.push_back({evidence, std::move(change), part, std::move(apply), std::move(pattern)});
  }
  const std::string& name(TaskIndex task) const { return system_.tasks[task].name; }

  void semaphores() {
    std::vector<std::set<TaskIndex>> users(system_.semaphores.size());
    for (NodeIndex node = 0; node < system_.graph.size(); ++node)
      if (const auto* use = std::get_if<UseSemaphore>(&system_.graph[node].activity))
        users[use->semaphore].insert(system_.graph[node].task);
    const bool usual = std::any_of(system_.semaphores.begin(), system_.semaphores.end(),
                                   [](const Semaphore& one) { return one.priority_ceiling; });
    for (SemaphoreIndex index = 0; index < system_.semaphores.size(); ++index) {
      const Semaphore& one = system_.semaphores[index];
      if (one.priority_ceiling || one.spinlock || !is_shared_on_a_core(users[index])) continue;
      std::string names;
      for (const TaskIndex task : users[index]) names += (names.empty() ? "" : ", ") + name(task);
      add(
          2 + (usual ? 1 : 0),
          fmt::format("priority ceiling for semaphore {} ({}it is shared by {})", one.name,
                      usual ? "others have one, " : "", names),
          {amalthea::Part::Kind::semaphore, index},
          [index](System& system) { system.semaphores[index].priority_ceiling = true; }, "ceiling");
    }
  }

  bool is_shared_on_a_core(const std::set<TaskIndex>& users) const {
    for (const TaskIndex a : users)
      for (const TaskIndex b : users)
        if (a != b && system_.tasks[a].unit == system_.tasks[b].unit &&
            system_.tasks[a].priority != system_.tasks[b].priority)
          return true;
    return false;
  }

  // ---- GPUs

  void slices() {
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      const Task& one = system_.tasks[task];
      if (one.side != Side::device || one.folded_into || !one.time_slice || one.time_slice->picoseconds() <= 0)
        continue;
      std::vector<double> others;
      for (const Task& other : system_.tasks)
        if (&other != &one && other.side == Side::device && other.unit == one.unit && other.time_slice &&
            (one.gpu.context.empty() || other.gpu.context != one.gpu.context))
          others.push_back(number(*other.time_slice));
      // Of two contexts the one that is farther from the GPU's own slice is odd.
      const auto* device = facts_.devices[one.unit];
      const bool alone = others.size() < 2;
      if (alone && device != nullptr) others.push_back(number(device->time_slice));
      if (others.empty()) continue;
      const double now = number(*one.time_slice);
      const double nearest = *std::min_element(
          others.begin(), others.end(), [now](double a, double b) { return distance(a, now) < distance(b, now); });
      const double apart = distance(now, nearest);
      if (apart < 2) continue;
      // One of the others' slices; a GPU with long slices may need a short one.
      std::set<double> meant(others.begin(), others.end());
      meant.insert(number(Duration::milliseconds(1)));
      for (const double value : meant)
        slice(task, Duration::picoseconds(static_cast<std::int64_t>(value)),
              std::min(4.0, apart - (alone ? 0.5 : 0)) - (value == nearest ? 0 : 0.1),
              alone ? "the slice of the GPU itself is far from that" : "no other context is near that");
    }
  }

  void slice(TaskIndex task, Duration meant, double evidence, std::string_view why) {
    add(
        evidence,
        fmt::format("GPU time slice of {}: {} instead of {} ({})", name(task), format_duration(meant),
                    format_duration(*system_.tasks[task].time_slice), why),
        {amalthea::Part::Kind::task, task},
        [task, meant](System& system) {
          const std::string context = system.tasks[task].gpu.context;
          for (Task& one : system.tasks)
            if (!context.empty() && one.gpu.context == context && one.time_slice) one.time_slice = meant;
          system.tasks[task].time_slice = meant;
        },
        fmt::format("slice {}", meant.picoseconds()));
  }

  /// Polling for device tasks.
  void waits() {
    std::size_t passive = 0;
    std::vector<std::pair<TaskIndex, std::vector<NodeIndex>>> pollers;
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      std::vector<NodeIndex> active;
      for (const NodeIndex node : system_.tasks[task].body)
        if (const auto* wait = std::get_if<WaitEvents>(&system_.graph[node].activity);
            wait != nullptr && system_.tasks[task].side == Side::host) {
          if (wait->active)
            active.push_back(node);
          else
            ++passive;
        }
      if (!active.empty()) pollers.emplace_back(task, std::move(active));
    }
    for (const auto& one : pollers) {
      const std::vector<NodeIndex>& nodes = one.second;
      add(
          1.2 + (passive > 0 ? 1.3 : 0),
          fmt::format("{} waits passively instead of polling ({})", name(one.first),
                      passive > 0 ? "other tasks do" : "polling keeps its core"),
          {amalthea::Part::Kind::task, one.first},
          [nodes](System& system) {
            for (const NodeIndex node : nodes) std::get<WaitEvents>(system.graph[node].activity).active = false;
          },
          "polling");
    }
  }

  // ---- priorities

  double urgency(TaskIndex task) const {
    if (system_.tasks[task].deadline) return number(*system_.tasks[task].deadline);
    const auto& period = facts_.results.periods[task];
    return period ? number(*period) : 0;
  }

  void priorities() {
    for (SchedulerIndex index = 0; index < system_.platform.schedulers.size(); ++index) {
      const Scheduler& scheduler = system_.platform.schedulers[index];
      if (!has_fixed_priorities(scheduler.kind) || scheduler.interrupt_controller) continue;
      std::vector<TaskIndex> tasks;
      for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
        if (system_.tasks[task].scheduler == index && system_.tasks[task].side == Side::host &&
            !system_.tasks[task].folded_into && urgency(task) > 0)
          tasks.push_back(task);
      if (!reversed(index, tasks)) inverted(tasks);
    }
  }

  bool reversed(SchedulerIndex scheduler, const std::vector<TaskIndex>& tasks) {
    std::size_t wrong = 0, right = 0;
    for (const TaskIndex a : tasks)
      for (const TaskIndex b : tasks)
        if (urgency(a) < urgency(b) && system_.tasks[a].priority != system_.tasks[b].priority)
          ++(system_.tasks[a].priority < system_.tasks[b].priority ? wrong : right);
    if (wrong < 3 || wrong < 5 * right) return false;
    std::int64_t least = system_.tasks[tasks.front()].priority, most = least;
    for (const TaskIndex task : tasks) {
      least = std::min(least, system_.tasks[task].priority);
      most = std::max(most, system_.tasks[task].priority);
    }
    add(3,
        fmt::format("reverse the priorities of scheduler {} (longer deadlines have higher priorities)",
                    system_.platform.schedulers[scheduler].name),
        {amalthea::Part::Kind::scheduler, scheduler}, [tasks, sum = least + most](System& system) {
          for (const TaskIndex task : tasks) system.tasks[task].priority = sum - system.tasks[task].priority;
        });
    return true;
  }

  void inverted(const std::vector<TaskIndex>& tasks) {
    for (const TaskIndex a : tasks)
      for (const TaskIndex b : tasks) {
        if (!facts_.failing[a] || system_.tasks[a].priority > system_.tasks[b].priority) continue;
        const double apart = std::log2(urgency(b) / urgency(a));
        if (apart < 0.9 || system_.tasks[a].priority == system_.tasks[b].priority) continue;
        add(1 + std::min(1.0, apart / 3),
            fmt::format("exchange the priorities of {} and {} ({} has the shorter deadline or period)", name(a),
                        name(b), name(a)),
            {amalthea::Part::Kind::task, a},
            [a, b](System& system) { std::swap(system.tasks[a].priority, system.tasks[b].priority); });
      }
  }

  void preemption() {
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      const Task& one = system_.tasks[task];
      if (one.side != Side::host || one.kind != ProcessKind::task || one.preemption == Preemption::preemptive) continue;
      std::size_t same = 0, others = 0;
      for (const Task& other : system_.tasks)
        if (&other != &one && other.unit == one.unit && other.side == Side::host && other.kind == ProcessKind::task)
          ++(other.preemption == Preemption::preemptive ? others : same);
      if (others == 0 || same > 0) continue;
      add(
          2, fmt::format("{} is preemptive (as all others of its core)", name(task)),
          {amalthea::Part::Kind::task, task},
          [task](System& system) { system.tasks[task].preemption = Preemption::preemptive; }, "preemption");
    }
  }

  // ---- servers and memories

  void servers() {
    for (SchedulerIndex index = 0; index < system_.platform.schedulers.size(); ++index) {
      const SchedulerShare& share = system_.platform.schedulers[index].share;
      if (!share.budget || !share.period || share.period->picoseconds() <= 0) continue;
      const double part = number(*share.budget) / number(*share.period);
      for (const double slip : {10.0, 1000.0}) {
        if (part * slip > 1) continue;
        add(part < 0.02 ? 2.5 : 1,
            fmt::format("budget of server {}: {} instead of {} (per {})", system_.platform.schedulers[index].name,
                        format_duration(times(*share.budget, slip)), format_duration(*share.budget),
                        format_duration(*share.period)),
            {amalthea::Part::Kind::scheduler, index}, [index, slip](System& system) {
              Duration& budget = *system.platform.schedulers[index].share.budget;
              budget = times(budget, slip);
            });
      }
    }
  }

  static double latency_of(const MemoryAccess& access) { return static_cast<double>(access.read.upper); }

  void memories() {
    const auto& units = system_.platform.units;
    for (UnitIndex unit = 0; unit < units.size(); ++unit)
      for (std::size_t at = 0; at < units[unit].accesses.size(); ++at) {
        std::vector<double> latencies, rates;
        for (UnitIndex other = 0; other < units.size(); ++other)
          for (const MemoryAccess& access : units[other].accesses)
            if (other != unit && units[other].type == units[unit].type &&
                access.memory == units[unit].accesses[at].memory) {
              latencies.push_back(latency_of(access));
              rates.push_back(static_cast<double>(access.data_rate.bytes_per_second));
            }
        access(unit, at, median(latencies), median(rates));
      }
  }

  void access(UnitIndex unit, std::size_t at, double latency, double rate) {
    const MemoryAccess& one = system_.platform.units[unit].accesses[at];
    const std::string& from = system_.platform.units[unit].name;
    const std::string& to = system_.platform.memories[one.memory].name;
    if (latency > 0 && latency_of(one) >= 7 * latency)
      add(3,
          fmt::format("access of {} to memory {}: {:.6g} cycles instead of {:.6g} (as from other cores)", from, to,
                      latency, latency_of(one)),
          {amalthea::Part::Kind::unit, unit}, [unit, at, latency](System& system) {
            MemoryAccess& access = system.platform.units[unit].accesses[at];
            const auto cycles = static_cast<std::int64_t>(latency);
            access.read = access.write = {cycles, cycles, cycles, nullptr};
          });
    const auto now = static_cast<double>(one.data_rate.bytes_per_second);
    if (now > 0 && rate >= 7 * now)
      add(3,
          fmt::format("data rate of {} to memory {}: {:.6g} MB/s instead of {:.6g} (as from other cores)", from, to,
                      rate / 1e6, now / 1e6),
          {amalthea::Part::Kind::unit, unit}, [unit, at, rate](System& system) {
            system.platform.units[unit].accesses[at].data_rate.bytes_per_second = static_cast<std::int64_t>(rate);
          });
  }

  const Facts& facts_;
  const System& system_;
  Suspicions& found_;
};

}  // namespace

void suspect_sharing(const Facts& facts, Suspicions& found) { Sharing(facts, found).run(); }

}  // namespace amalthea::analysis
