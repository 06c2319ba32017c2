// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/demand.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "engine/program/arrivals.hpp"
#include "engine/results/servers.hpp"

namespace amalthea::engine {
namespace {

constexpr double tolerance = 1e-9;

double as_double(Duration duration) { return static_cast<double>(duration.picoseconds()); }

const WaitEvents& wait_of(const System& system, const Step& step) {
  return std::get<WaitEvents>(system.graph[step.node].activity);
}

/// The device time, without interference, that a task polls for in each of its jobs: of all devices that it waits for,
/// or of the quickest one if any of them suffices.
Duration polled_device_time(const System& system, const std::vector<Program>& programs, TaskIndex task) {
  Duration total;
  for (const Step& step : programs[task].steps) {
    if (step.kind != StepKind::wait || !wait_of(system, step).active || step.setters.empty()) continue;
    const bool all = wait_of(system, step).all;
    Duration polled = all ? Duration{} : Duration::max();
    for (const TaskIndex setter : step.setters) {
      const bool device = system.tasks[setter].side == Side::device;
      const Duration time = device ? programs[setter].copies + programs[setter].kernels : Duration{};
      polled = all ? polled + time : std::min(polled, time);
    }
    total += polled;
  }
  return total;
}

Duration core_time(const System& system, const std::vector<Program>& programs, TaskIndex task) {
  return programs[task].execution + polled_device_time(system, programs, task);
}

/// The minimum engine time that a task needs: kernels of one context may fill the GPU together.
Duration engine_time(const Task& task, const Program& program, ResourceKind kind) {
  if (kind == ResourceKind::copy_engine) return program.copies_packed;
  return task.gpu.context.empty() ? program.kernels : program.kernels_packed;
}

/// Whether in the long run all of `other` precedes any of `task` on their core; false if unknown. Under EDF an overload
/// affects all tasks. Tasks that migrate are bound to no core.
bool precedes(const System& system, const Task& other, const Task& task) {
  if (other.units.size() > 1 || task.units.size() > 1) return false;
  const bool interrupt = other.kind != ProcessKind::task;
  if (interrupt != (task.kind != ProcessKind::task)) return interrupt;
  const Scheduler& first = system.platform.schedulers[other.scheduler];
  const Scheduler& second = system.platform.schedulers[task.scheduler];
  if (first.parent || second.parent || first.kind != second.kind) return false;
  if (uses_only_deadlines(first.kind)) return true;
  return has_fixed_priorities(first.kind) && other.priority >= task.priority;
}

class UnboundedSearch {
 public:
  UnboundedSearch(const System& system, const std::vector<Program>& programs,
                  const std::vector<std::vector<GpuContext>>& contexts)
      : system_(system),
        programs_(programs),
        contexts_(contexts),
        rates_(job_rates(system, programs)),
        servers_(servers_in_use(system)),
        reasons_(system.tasks.size()),
        may_be_overloaded_(system.platform.units.size()) {
    std::vector<double> used(may_be_overloaded_.size());
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
      demands_.push_back(rates_[task] * as_double(core_time(system, programs, task)));
      const UnitIndex unit = system.tasks[task].unit;
      if (system.tasks[task].side != Side::host) continue;
      used[unit] += demands_[task];
      // Not only demand counts where tasks poll.
      may_be_overloaded_[unit] = may_be_overloaded_[unit] || used[unit] > 1 || polls(system, task);
    }
  }

  std::vector<std::string> run() {
    for (UnitIndex unit = 0; unit < system_.platform.units.size(); ++unit)
      for (const ResourceKind kind : {ResourceKind::execution_engine, ResourceKind::copy_engine})
        search_engine(unit, kind);
    search_starvation();
    while (search_waits() || search_servers() || search_cores()) {
    }
    return reasons_;
  }

 private:
  /// Max-min fair share of a round robin with unequal slices: a context that needs less than its share leaves the rest
  /// to others.
  void search_engine(UnitIndex unit, ResourceKind kind) {
    struct Sharing {
      const GpuContext* context = nullptr;
      double need = 0;
      double weight = 0;
    };
    std::vector<Sharing> sharing;
    double total = 0;
    double weights = 0;
    for (const GpuContext& context : contexts_[unit]) {
      Sharing one{&context, 0, as_double(context.slice) * context.runlist_slots};
      for (const TaskIndex task : context.tasks)
        one.need += rates_[task] * as_double(engine_time(system_.tasks[task], programs_[task], kind));
      if (one.need <= 0) continue;
      total += one.need;
      weights += one.weight;
      sharing.push_back(one);
    }
    if (total <= 1 + tolerance) return;
    std::stable_sort(sharing.begin(), sharing.end(),
                     [](const Sharing& a, const Sharing& b) { return a.need / a.weight < b.need / b.weight; });
    double capacity = 1;
    for (const Sharing& one : sharing) {
      const double share = capacity * one.weight / weights;
      if (one.need <= share + tolerance) {
        capacity -= one.need;
        weights -= one.weight;
        continue;
      }
      for (const TaskIndex task : one.context->tasks)
        reasons_[task] = fmt::format(
            "the {} of {} is overloaded: its utilization is {:.2f} %; this {} needs {:.2f} %, but its time slice "
            "provides {:.2f} %",
            to_string(kind), system_.platform.units[unit].name, 100 * total,
            one.context->tasks.size() == 1 ? "task" : "task's context", 100 * one.need, 100 * share);
    }
  }

  /// A task that polls for a task of no higher priority on its own core never lets it run.
  void search_starvation() {
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
      for (const Step& step : programs_[task].steps) {
        if (step.kind != StepKind::wait || !wait_of(system_, step).active) continue;
        for (const TaskIndex setter : step.setters) {
          const Task& poller = system_.tasks[task];
          const Task& polled = system_.tasks[setter];
          if (setter == task || polled.side != Side::host || polled.unit != poller.unit ||
              !has_fixed_priorities(system_.platform.schedulers[poller.scheduler].kind) ||
              !precedes(system_, poller, polled))
            continue;
          const std::string reason = fmt::format(
              "{} polls on core {} for an event of {}, which does not have a higher priority and never runs there",
              poller.name, system_.platform.units[poller.unit].name, polled.name);
          for (const TaskIndex stuck : {task, setter})
            if (reasons_[stuck].empty()) reasons_[stuck] = reason;
        }
      }
  }

  /// The setter that blocks a wait: one unbounded setter, or all of them if any suffices. Nothing if the wait is not
  /// blocked.
  std::optional<TaskIndex> unbounded_setter(const Step& step) const {
    const auto is_unbounded = [this](TaskIndex setter) { return !reasons_[setter].empty(); };
    const auto found = std::find_if(step.setters.begin(), step.setters.end(), is_unbounded);
    if (found == step.setters.end()) return std::nullopt;
    const bool blocked =
        wait_of(system_, step).all || std::all_of(step.setters.begin(), step.setters.end(), is_unbounded);
    return blocked ? std::optional(*found) : std::nullopt;
  }

  bool search_waits() {
    bool changed = false;
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
      for (const Step& step : programs_[task].steps) {
        if (step.kind != StepKind::wait || !reasons_[task].empty()) continue;
        const auto setter = unbounded_setter(step);
        if (step.setters.empty())
          reasons_[task] = "waits for events that no task sets";
        else if (setter)
          reasons_[task] =
              fmt::format("waits for {}, which is unbounded: {}", system_.tasks[*setter].name, reasons_[*setter]);
        changed = changed || !reasons_[task].empty();
      }
    return changed;
  }

  bool polls_unbounded(TaskIndex task) const {
    return std::any_of(programs_[task].steps.begin(), programs_[task].steps.end(), [this](const Step& step) {
      return step.kind == StepKind::wait && wait_of(system_, step).active && unbounded_setter(step);
    });
  }

  /// In a server, the long-run demand of the task and of everything that precedes it there. Inner servers demand at most
  /// their budgets; among what has the same urgency the order is open, so all of it counts.
  double demand_in(SchedulerIndex server, TaskIndex task) const {
    const Scheduler& outer = system_.platform.schedulers[server];
    // Of every task and every scheduler directly within the server: its demand, and the urgency.
    std::map<std::optional<SchedulerIndex>, double> inner;  // nothing: tasks of the server itself
    std::optional<SchedulerIndex> own;
    const auto child_of = [&](TaskIndex index) {
      std::optional<SchedulerIndex> child, at = system_.tasks[index].scheduler;
      while (*at != server) child = std::exchange(at, system_.platform.schedulers[*at].parent);
      return child;
    };
    const auto priority_of = [&](TaskIndex index) {
      const auto child = child_of(index);
      return child ? system_.platform.schedulers[*child].share.priority : system_.tasks[index].priority;
    };
    own = child_of(task);
    const bool by_deadline = uses_only_deadlines(outer.kind);
    for (TaskIndex other = 0; other < system_.tasks.size(); ++other) {
      if (!runs_in(system_, system_.tasks[other], server)) continue;
      const auto child = child_of(other);
      if (!by_deadline && priority_of(other) < priority_of(task)) continue;
      if (own && child == own && other != task && !precedes_within(*own, other, task)) continue;
      inner[child] += demands_[other];
    }
    double demand = 0;
    for (const auto& [child, of_child] : inner)
      demand += child && limits_time(system_.platform.schedulers[*child])
                    ? std::min(of_child, share_of(system_.platform.schedulers[*child]))
                    : of_child;
    return demand;
  }

  /// Whether in the long run all of `other` precedes any of `task`, both within the scheduler; false if unknown.
  bool precedes_within(SchedulerIndex scheduler, TaskIndex other, TaskIndex task) const {
    const Task &first = system_.tasks[other], &second = system_.tasks[task];
    return first.scheduler == scheduler && second.scheduler == scheduler && first.priority >= second.priority;
  }

  bool search_servers() {
    bool found = false;
    for (const ResourceResult& resource : servers_) {
      const SchedulerIndex server = *resource.server;
      const double share = share_of(system_.platform.schedulers[server]);
      for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
        if (!reasons_[task].empty() || programs_[task].steps.empty() || !runs_in(system_, system_.tasks[task], server))
          continue;
        const double demand = demand_in(server, task) / share;
        if (demand <= 1 + tolerance) continue;
        reasons_[task] = overloaded_server(system_, server, demand);
        found = true;
      }
    }
    return found;
  }

  bool search_cores() {
    bool found = false;
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      if (!reasons_[task].empty() || system_.tasks[task].side != Side::host || programs_[task].steps.empty()) continue;
      if (!may_be_overloaded_[system_.tasks[task].unit]) continue;
      double demand = 0;
      bool polling = false;
      for (TaskIndex other = 0; other < system_.tasks.size(); ++other) {
        const Task& candidate = system_.tasks[other];
        if (candidate.side != Side::host || candidate.unit != system_.tasks[task].unit ||
            (other != task && !precedes(system_, candidate, system_.tasks[task])))
          continue;
        if (other != task && polls_unbounded(other)) {
          reasons_[task] =
              fmt::format("{} polls on the same core with the same or a higher priority and is unbounded: {}",
                          candidate.name, reasons_[other]);
          break;
        }
        demand += demands_[other];
        polling = polling || polls(system_, other);
      }
      if (reasons_[task].empty() && demand > 1 + tolerance)
        reasons_[task] = fmt::format(
            "core {} is overloaded: tasks of the same or a higher priority have a utilization of {:.2f} %{}",
            system_.platform.units[system_.tasks[task].unit].name, 100 * demand, polling ? ", including polling" : "");
      found = found || !reasons_[task].empty();
    }
    return found;
  }

  const System& system_;
  const std::vector<Program>& programs_;
  const std::vector<std::vector<GpuContext>>& contexts_;
  std::vector<double> rates_;
  std::vector<ResourceResult> servers_;
  std::vector<std::string> reasons_;
  std::vector<double> demands_;          ///< of every task on its core: time per time
  std::vector<bool> may_be_overloaded_;  ///< for every unit; false: its tasks on the host need no closer look
};

}  // namespace

bool polls(const System& system, TaskIndex task) {
  const std::vector<NodeIndex>& body = system.tasks[task].body;
  return std::any_of(body.begin(), body.end(), [&](NodeIndex node) {
    const auto* wait = std::get_if<WaitEvents>(&system.graph[node].activity);
    return wait != nullptr && wait->active;
  });
}

std::string overloaded_server(const System& system, SchedulerIndex server, double demand) {
  bool polling = false;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    polling = polling || (runs_in(system, system.tasks[task], server) && polls(system, task));
  return fmt::format(
      "server {} is overloaded: tasks of the same or a higher priority have a utilization of {:.2f} % of its budget{}",
      system.platform.schedulers[server].name, 100 * demand, polling ? ", including polling" : "");
}

std::vector<double> job_rates(const System& system, const std::vector<Program>& programs) {
  const std::size_t count = system.tasks.size();
  std::vector<double> own(count, 0);
  // The share of its occurrences that count.
  const auto share = [](const Stimulus& stimulus) {
    return 1 / static_cast<double>(std::max<std::int64_t>(1, stimulus.counter.prescaler));
  };
  for (const Stimulus& stimulus : system.stimuli)
    if (const auto rate = arrival_rate(stimulus))
      for (const TaskIndex task : stimulus.activates) own[task] += *rate * share(stimulus);
  std::vector<double> rates = own;
  // Triggers form short paths, so a few rounds reach the fixed point; a cycle of triggers has none and is cut off.
  for (std::size_t round = 0; round < count; ++round) {
    std::vector<double> next = own;
    for (TaskIndex task = 0; task < count; ++task)
      for (const Step& step : programs[task].steps)
        if (step.kind == StepKind::trigger && !step.skipped) {
          const Stimulus& stimulus = system.stimuli[std::get<Trigger>(system.graph[step.node].activity).stimulus];
          for (const TaskIndex triggered : stimulus.activates) next[triggered] += rates[task] * share(stimulus);
        }
    if (next == rates) break;
    rates = std::move(next);
  }
  return rates;
}

void add_demands(const System& system, const std::vector<Program>& programs, Results& results) {
  const std::vector<double> rates = job_rates(system, programs);
  for (ResourceResult& resource : results.resources) {
    resource.demand = 0;
    resource.uses.clear();
    if (resource.server) {
      for (TaskIndex task = 0; task < system.tasks.size(); ++task)
        if (runs_in(system, system.tasks[task], *resource.server))
          resource.demand += rates[task] * as_double(core_time(system, programs, task));
      resource.demand /= share_of(system.platform.schedulers[*resource.server]);
      continue;
    }
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
      // The demand of a task that may run on several cores is distributed evenly over them.
      const std::vector<UnitIndex>& units = system.tasks[task].units;
      const bool migrates = units.size() > 1 && std::find(units.begin(), units.end(), resource.unit) != units.end();
      if (!migrates && (units.size() > 1 || system.tasks[task].unit != resource.unit)) continue;
      const Duration time = resource.kind == ResourceKind::core
                                ? core_time(system, programs, task)
                                : engine_time(system.tasks[task], programs[task], resource.kind);
      const double demand = rates[task] * as_double(time) / (migrates ? static_cast<double>(units.size()) : 1);
      resource.demand += demand;
      if (resource.kind != ResourceKind::core && !time.is_zero()) resource.uses.push_back({task, {}, demand});
    }
  }
}

std::vector<std::string> unbounded_reasons(const System& system, const std::vector<Program>& programs,
                                           const std::vector<std::vector<GpuContext>>& contexts) {
  return UnboundedSearch(system, programs, contexts).run();
}

}  // namespace amalthea::engine
