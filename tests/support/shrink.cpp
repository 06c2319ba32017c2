// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shrink.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "tests/support/system_maker.hpp"
#include "tests/support/variant.hpp"

namespace test {
namespace {

using namespace amalthea;

using Body = std::vector<GraphNode>;

std::vector<Body> bodies_of(const System& system) {
  std::vector<Body> bodies;
  for (const Task& task : system.tasks) {
    bodies.emplace_back();
    for (const NodeIndex node : task.body) bodies.back().push_back(system.graph[node]);
  }
  return bodies;
}

void set_bodies(System& system, std::vector<Body> bodies) {
  system.graph = RunnableGraph();
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    system.tasks[task].body.clear();
    for (GraphNode& node : bodies[task]) {
      node.task = task;
      system.tasks[task].body.push_back(system.graph.add(std::move(node)));
    }
  }
  connect_events(system);
}

/// A reference to an element that has been removed.
struct Gone : std::exception {};

/// The new index of each old one, or none.
using Map = std::vector<std::optional<std::uint32_t>>;

enum class Kind : std::uint8_t { task, label, runnable, event, mode, semaphore, stimulus, scheduler, unit };

void visit(ModeCondition& condition, const auto& at) {
  for (auto& conjunction : condition.any_of)
    for (ModeTest& one : conjunction) {
      at(Kind::mode, one.mode);
      if (one.other) at(Kind::mode, *one.other);
    }
}

void visit(Activity& activity, const auto& at) {
  if (auto* read = as<ReadLabel>(activity)) at(Kind::label, read->label);
  if (auto* write = as<WriteLabel>(activity)) at(Kind::label, write->label);
  if (auto* trigger = as<Trigger>(activity)) at(Kind::stimulus, trigger->stimulus);
  if (auto* set = as<SetEvents>(activity)) {
    for (EventIndex& event : set->events) at(Kind::event, event);
    if (set->task) at(Kind::task, *set->task);
  }
  if (auto* clear = as<ClearEvents>(activity))
    for (EventIndex& event : clear->events) at(Kind::event, event);
  if (auto* wait = as<WaitEvents>(activity))
    for (EventIndex& event : wait->events) at(Kind::event, event);
  if (auto* use = as<UseSemaphore>(activity)) at(Kind::semaphore, use->semaphore);
  if (auto* mode = as<SetMode>(activity)) at(Kind::mode, mode->mode);
  if (auto* branch = as<Branch>(activity))
    for (Branch::Alternative& alternative : branch->alternatives)
      if (auto* condition = std::get_if<ModeCondition>(&alternative.guard)) visit(*condition, at);
  if (auto* copy = as<Copy>(activity)) {
    for (LabelIndex& label : copy->sources) at(Kind::label, label);
    for (LabelIndex& label : copy->destinations) at(Kind::label, label);
  }
}

void visit(ObservableEvent& event, const auto& at) {
  const auto one = [&](Kind kind, auto& index) {
    if (index) at(kind, *index);
  };
  if (auto* process = std::get_if<ObservableEvent::OfProcess>(&event.what)) {
    one(Kind::task, process->task);
    one(Kind::unit, process->unit);
  } else if (auto* execution = std::get_if<ObservableEvent::OfRunnable>(&event.what)) {
    one(Kind::runnable, execution->runnable);
    one(Kind::task, execution->task);
    one(Kind::unit, execution->unit);
  } else if (auto* label = std::get_if<ObservableEvent::OfLabel>(&event.what)) {
    one(Kind::label, label->label);
    one(Kind::runnable, label->runnable);
    one(Kind::task, label->task);
  } else if (auto* stimulus = std::get_if<ObservableEvent::OfStimulus>(&event.what)) {
    one(Kind::stimulus, stimulus->stimulus);
  } else if (auto* semaphore = std::get_if<ObservableEvent::OfSemaphore>(&event.what)) {
    one(Kind::semaphore, semaphore->semaphore);
    one(Kind::runnable, semaphore->runnable);
    one(Kind::task, semaphore->task);
    one(Kind::unit, semaphore->unit);
  } else if (auto* mode = std::get_if<ObservableEvent::OfMode>(&event.what)) {
    one(Kind::mode, mode->mode);
    one(Kind::runnable, mode->runnable);
    one(Kind::task, mode->task);
  }
}

void visit(TimingConstraint& constraint, const auto& at) {
  const auto scope = [&](DataScope& of) {
    for (TaskIndex& task : of.tasks) at(Kind::task, task);
    for (RunnableIndex& runnable : of.runnables) at(Kind::runnable, runnable);
  };
  const auto labels = [&](std::vector<LabelIndex>& all) {
    for (LabelIndex& label : all) at(Kind::label, label);
  };
  if (auto* delay = std::get_if<DelayLimit>(&constraint.kind)) {
    visit(delay->source, at);
    visit(delay->target, at);
  } else if (auto* order = std::get_if<EventOrder>(&constraint.kind)) {
    visit(order->source, at);
    visit(order->target, at);
  } else if (auto* repetition = std::get_if<Repetition>(&constraint.kind)) {
    visit(repetition->event, at);
  } else if (auto* together = std::get_if<EventSynchronization>(&constraint.kind)) {
    for (ObservableEvent& event : together->events) visit(event, at);
  } else if (auto* age = std::get_if<DataAge>(&constraint.kind)) {
    at(Kind::runnable, age->runnable);
    at(Kind::label, age->label);
  } else if (auto* coherent = std::get_if<DataCoherency>(&constraint.kind)) {
    labels(coherent->labels);
    scope(coherent->scope);
  } else if (auto* stable = std::get_if<DataStability>(&constraint.kind)) {
    labels(stable->labels);
    scope(stable->scope);
  } else if (auto* sequence = std::get_if<RunnableSequence>(&constraint.kind)) {
    for (TaskIndex& task : sequence->tasks) at(Kind::task, task);
    for (RunnableSequence::Group& group : sequence->groups) {
      for (RunnableIndex& runnable : group.members) at(Kind::runnable, runnable);
      for (TaskIndex& task : group.tasks) at(Kind::task, task);
    }
  } else if (auto* placement = std::get_if<SectionPlacement>(&constraint.kind)) {
    labels(placement->labels);
  }
}

/// Calls at(kind, index) for every reference from something other than the list of the kind itself.
void visit(System& system, std::vector<Body>& bodies, const auto& at) {
  for (Stimulus& stimulus : system.stimuli) {
    for (TaskIndex& task : stimulus.activates) at(Kind::task, task);
    for (ModeSetting& set : stimulus.sets) at(Kind::mode, set.mode);
    if (stimulus.condition) visit(*stimulus.condition, at);
    if (auto* driven = std::get_if<EventDriven>(&stimulus.occurrence))
      for (EventIndex& event : driven->events) at(Kind::event, event);
  }
  for (Task& task : system.tasks) {
    at(Kind::scheduler, task.scheduler);
    at(Kind::unit, task.unit);
    for (UnitIndex& unit : task.units) at(Kind::unit, unit);
  }
  for (Scheduler& scheduler : system.platform.schedulers) {
    for (UnitIndex& unit : scheduler.units) at(Kind::unit, unit);
    if (scheduler.parent) at(Kind::scheduler, *scheduler.parent);
  }
  for (Body& body : bodies)
    for (GraphNode& node : body) {
      visit(node.activity, at);
      if (node.runnable) at(Kind::runnable, *node.runnable);
    }
  for (Chain& chain : system.chains)
    for (TaskIndex& task : chain.tasks) at(Kind::task, task);
  for (Requirement& requirement : system.requirements) {
    if (auto* process = std::get_if<Requirement::OfProcess>(&requirement.subject)) at(Kind::task, process->task);
    if (auto* executed = std::get_if<Requirement::OfRunnable>(&requirement.subject))
      at(Kind::runnable, executed->runnable);
    if (auto* chain = std::get_if<Requirement::OfChain>(&requirement.subject))
      for (TaskIndex& task : chain->tasks) at(Kind::task, task);
  }
  for (TimingConstraint& constraint : system.constraints) visit(constraint, at);
}

template <typename Item>
Map keep(std::vector<Item>& items, const std::vector<bool>& kept) {
  Map map(items.size());
  std::vector<Item> rest;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (kept[i]) {
      map[i] = static_cast<std::uint32_t>(rest.size());
      rest.push_back(std::move(items[i]));
    }
  items = std::move(rest);
  return map;
}

std::vector<bool> used(System& system, std::vector<Body>& bodies, Kind kind, std::size_t count) {
  std::vector<bool> marked(count, false);
  visit(system, bodies, [&](Kind of, std::uint32_t index) {
    if (of == kind) marked[index] = true;
  });
  return marked;
}

void renumber(System& system, std::vector<Body>& bodies, Kind kind, const Map& map) {
  visit(system, bodies, [&](Kind of, std::uint32_t& index) {
    if (of != kind) return;
    if (!map[index]) throw Gone();
    index = *map[index];
  });
}

template <typename Item>
void remove_unused(System& system, std::vector<Body>& bodies, Kind kind, std::vector<Item>& items) {
  const std::vector<bool> kept = used(system, bodies, kind, items.size());
  renumber(system, bodies, kind, keep(items, kept));
}

void remove_unused(System& system, std::vector<Body>& bodies) {
  // Stimuli that activate something or change a mode, and those that a task triggers.
  std::vector<bool> needed = used(system, bodies, Kind::stimulus, system.stimuli.size());
  for (std::size_t i = 0; i < needed.size(); ++i)
    needed[i] = needed[i] || !system.stimuli[i].activates.empty() || !system.stimuli[i].sets.empty();
  renumber(system, bodies, Kind::stimulus, keep(system.stimuli, needed));
  // Schedulers of tasks and their parents.
  auto& schedulers = system.platform.schedulers;
  std::vector<bool> works(schedulers.size(), false);
  for (const Task& task : system.tasks)
    for (std::optional<SchedulerIndex> at = task.scheduler; at; at = schedulers[*at].parent) works[*at] = true;
  std::vector<bool> of_units(system.platform.units.size(), false);
  for (std::size_t i = 0; i < schedulers.size(); ++i)
    if (works[i])
      for (const UnitIndex unit : schedulers[i].units) of_units[unit] = true;
  for (const Task& task : system.tasks) of_units[task.unit] = true;
  for (Scheduler& scheduler : schedulers)
    if (&scheduler - schedulers.data() >= 0 && !works[static_cast<std::size_t>(&scheduler - schedulers.data())]) {
      scheduler.parent.reset();
      scheduler.units.clear();
    }
  renumber(system, bodies, Kind::scheduler, keep(schedulers, works));
  renumber(system, bodies, Kind::unit, keep(system.platform.units, of_units));
  remove_unused(system, bodies, Kind::label, system.labels);
  remove_unused(system, bodies, Kind::runnable, system.runnables);
  remove_unused(system, bodies, Kind::event, system.events);
  remove_unused(system, bodies, Kind::mode, system.modes);
  remove_unused(system, bodies, Kind::semaphore, system.semaphores);
}

/// Changes a copy; the copy remains if the predicate still holds.
class Shrinking {
 public:
  Shrinking(RandomSystem drawn, const Predicate& predicate, std::size_t attempts)
      : now_(std::move(drawn)), predicate_(predicate), left_(attempts) {}

  RandomSystem run() {
    tries([](RandomSystem& changed) { test::remove_unused(changed.system); });
    for (bool again = true; again && left_ > 0;) {
      again = false;
      again |= remove_tasks();
      again |= remove_limits();
      again |= remove_activities();
      again |= simplify_tasks();
      again |= simplify_stimuli();
      again |= simplify_platform();
      again |= simplify_profile();
      again |= round_numbers();
      again |= tries([](RandomSystem& changed) { test::remove_unused(changed.system); }, true);
    }
    return std::move(now_);
  }

 private:
  template <typename Change>
  bool tries(Change change, bool only_if_smaller = false) {
    if (left_ == 0) return false;
    RandomSystem changed = now_;
    try {
      change(changed);
      if (only_if_smaller && size_of(changed) == size_of(now_)) return false;
      --left_;
      if (!predicate_(changed)) return false;
    } catch (const std::exception&) {
      return false;
    }
    now_ = std::move(changed);
    return true;
  }
  /// Sets a value unless it has it.
  template <typename Access, typename Value>
  bool sets(Access access, const Value& value) {
    if (access(now_) == value) return false;
    return tries([&](RandomSystem& changed) { access(changed) = value; });
  }

  static std::size_t size_of(const RandomSystem& of) {
    const System& system = of.system;
    return system.tasks.size() + system.labels.size() + system.runnables.size() + system.events.size() +
           system.modes.size() + system.semaphores.size() + system.stimuli.size() + system.platform.units.size() +
           system.platform.schedulers.size();
  }

  bool remove_tasks() {
    bool any = false;
    for (std::size_t at = now_.system.tasks.size(); at-- > 0;)
      any |= tries([&](RandomSystem& changed) {
        System& system = changed.system;
        if (system.tasks.size() == 1) throw Gone();
        const auto task = static_cast<TaskIndex>(at);
        std::vector<Body> bodies = bodies_of(system);
        for (Stimulus& stimulus : system.stimuli) std::erase(stimulus.activates, task);
        for (Body& body : bodies)
          for (GraphNode& node : body)
            if (auto* set = as<SetEvents>(node.activity); set != nullptr && set->task == task) set->task.reset();
        std::erase_if(system.chains, [&](const Chain& chain) {
          return std::find(chain.tasks.begin(), chain.tasks.end(), task) != chain.tasks.end();
        });
        std::erase_if(system.requirements, [&](const Requirement& one) {
          const auto* process = std::get_if<Requirement::OfProcess>(&one.subject);
          return process != nullptr && process->task == task;
        });
        std::erase_if(system.constraints, [&](TimingConstraint& one) {
          bool concerns = false;
          visit(one,
                [&](Kind kind, std::uint32_t index) { concerns = concerns || (kind == Kind::task && index == task); });
          return concerns;
        });
        std::vector<bool> kept(system.tasks.size(), true);
        kept[at] = false;
        bodies.erase(bodies.begin() + static_cast<std::ptrdiff_t>(at));
        if (changed.met.size() == system.tasks.size())
          changed.met.erase(changed.met.begin() + static_cast<std::ptrdiff_t>(at));
        renumber(system, bodies, Kind::task, keep(system.tasks, kept));
        set_bodies(system, std::move(bodies));
      });
    return any;
  }

  template <typename Items>
  bool remove_each(Items items) {
    bool any = false;
    for (std::size_t at = items(now_.system).size(); at-- > 0;)
      any |= tries([&](RandomSystem& changed) {
        auto& all = items(changed.system);
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
      });
    return any;
  }

  bool remove_limits() {
    bool any = remove_each([](System & system) -> auto& { return system.chains; });
    for (std::size_t chain = 0; chain < now_.system.chains.size(); ++chain)
      any |= remove_each([&](System & system) -> auto& { return system.chains[chain].limits; });
    any |= remove_each([](System & system) -> auto& { return system.constraints; });
    any |= remove_each([](System & system) -> auto& { return system.requirements; });
    return any;
  }

  // ---- activities

  static std::size_t length_of(const Branch& branch) {
    std::size_t length = 0;
    for (const Branch::Alternative& alternative : branch.alternatives) length += alternative.length;
    return length;
  }

  /// Erases [begin, end) of a body; branches around it become shorter.
  static void erase(Body& body, std::size_t begin, std::size_t end) {
    for (std::size_t i = 0; i < begin; ++i) {
      auto* branch = as<Branch>(body[i].activity);
      if (branch == nullptr) continue;
      std::size_t first = i + 1;
      for (Branch::Alternative& alternative : branch->alternatives) {
        const std::size_t last = first + alternative.length;
        const std::size_t from = std::max(begin, first), to = std::min(end, last);
        if (from < to) alternative.length -= to - from;
        first = last;
      }
    }
    body.erase(body.begin() + static_cast<std::ptrdiff_t>(begin), body.begin() + static_cast<std::ptrdiff_t>(end));
  }

  template <typename Change>
  bool change_body(std::size_t task, Change change) {
    return tries([&](RandomSystem& changed) {
      std::vector<Body> bodies = bodies_of(changed.system);
      change(bodies[task]);
      set_bodies(changed.system, std::move(bodies));
    });
  }

  bool remove_activities() {
    bool any = false;
    for (std::size_t task = 0; task < now_.system.tasks.size(); ++task)
      for (std::size_t at = now_.system.tasks[task].body.size(); at-- > 0;) {
        if (at >= now_.system.tasks[task].body.size()) continue;
        const GraphNode node = now_.system.graph[now_.system.tasks[task].body[at]];
        if (const auto* branch = std::get_if<Branch>(&node.activity)) {
          any |= change_body(task, [&](Body& body) { erase(body, at, at + 1 + length_of(*branch)); }) ||
                 remove_alternatives(task, at, *branch);
        } else if (const auto* use = std::get_if<UseSemaphore>(&node.activity);
                   use != nullptr && use->operation != UseSemaphore::Operation::release) {
          any |= change_body(task, [&](Body& body) {
            std::size_t end = at + 1;
            while (end < body.size()) {
              const auto* other = as<UseSemaphore>(body[end].activity);
              if (other != nullptr && other->semaphore == use->semaphore) break;
              ++end;
            }
            if (end < body.size()) erase(body, end, end + 1);
            erase(body, at, at + 1);
          });
        } else if (const auto* section = std::get_if<Uninterruptible>(&node.activity);
                   section != nullptr && section->begins) {
          any |= change_body(task, [&](Body& body) {
            std::size_t end = at + 1;
            while (end < body.size() && as<Uninterruptible>(body[end].activity) == nullptr) ++end;
            if (end < body.size()) erase(body, end, end + 1);
            erase(body, at, at + 1);
          });
        } else if (std::holds_alternative<Call>(node.activity)) {
          any |= change_body(task, [&](Body& body) {  // what it contains moves up
            const std::uint32_t depth = body[at].depth;
            for (std::size_t i = at + 1; i < body.size() && body[i].depth >= depth; ++i) {
              if (body[i].depth == depth && as<Call>(body[i].activity) != nullptr) break;
              if (body[i].depth == depth) body[i].runnable.reset();
              --body[i].depth;
            }
            erase(body, at, at + 1);
          });
        } else {
          any |= change_body(task, [&](Body& body) { erase(body, at, at + 1); });
        }
      }
    return any;
  }

  /// Leaves only one alternative, without the branch.
  bool remove_alternatives(std::size_t task, std::size_t at, const Branch& branch) {
    std::size_t first = at + 1;
    const std::size_t end = first + length_of(branch);
    for (const Branch::Alternative& alternative : branch.alternatives) {
      const std::size_t last = first + alternative.length;
      if (change_body(task, [&](Body& body) {
            erase(body, last, end);
            erase(body, at, first);
          }))
        return true;
      first = last;
    }
    return false;
  }

  // ---- tasks, stimuli, platform

  bool simplify_tasks() {
    bool any = false;
    for (std::size_t i = 0; i < now_.system.tasks.size(); ++i) {
      const auto task = [i](RandomSystem& of) -> Task& { return of.system.tasks[i]; };
      any |= sets(
          [&](RandomSystem & of) -> auto& { return task(of).deadline; }, std::optional<Duration>());
      any |= sets(
          [&](RandomSystem & of) -> auto& { return task(of).activation_limit; }, 0U);
      any |= sets(
          [&](RandomSystem & of) -> auto& { return task(of).kind; }, ProcessKind::task);
      any |= sets(
          [&](RandomSystem & of) -> auto& { return task(of).preemption; }, Preemption::preemptive);
      any |= sets(
          [&](RandomSystem & of) -> auto& { return task(of).units; }, std::vector<UnitIndex>());
      any |= sets(
          [&](RandomSystem & of) -> auto& { return task(of).time_slice; }, std::optional<Duration>());
      any |= sets(
          [&](RandomSystem & of) -> auto& { return task(of).gpu.context; }, std::string());
      any |= sets(
          [&](RandomSystem & of) -> auto& { return task(of).gpu.stream; }, std::string());
      any |= sets(
          [&](RandomSystem & of) -> auto& { return task(of).gpu.null_stream; }, false);
      any |= sets(
          [&](RandomSystem & of) -> auto& { return task(of).gpu.high_priority; }, false);
      any |= sets(
          [&](RandomSystem & of) -> auto& { return task(of).gpu.runlist_slots; }, 2U);
      any |= sets(
          [&](RandomSystem & of) -> auto& { return task(of).gpu.cu_mask; }, std::string());
      any |= sets(
          [&](RandomSystem & of) -> auto& { return task(of).gpu.sm_mask; }, std::string());
      if (const auto parent = now_.system.platform.schedulers[task(now_).scheduler].parent)
        any |= tries([&](RandomSystem& of) { task(of).scheduler = *parent; });
      for (std::size_t other = 0; other < i; ++other)  // on fewer cores
        if (task(now_).side == Side::host && now_.system.tasks[other].side == Side::host &&
            task(now_).unit > now_.system.tasks[other].unit)
          any |= tries([&](RandomSystem& of) {
            task(of).unit = of.system.tasks[other].unit;
            task(of).scheduler = of.system.tasks[other].scheduler;
          });
    }
    return any;
  }

  bool simplify_stimuli() {
    bool any = false;
    for (std::size_t i = 0; i < now_.system.stimuli.size(); ++i) {
      const auto stimulus = [i](RandomSystem& of) -> Stimulus& { return of.system.stimuli[i]; };
      if (stimulus(now_).condition) any |= tries([&](RandomSystem& of) { stimulus(of).condition.reset(); });
      if (!stimulus(now_).sets.empty()) any |= tries([&](RandomSystem& of) { stimulus(of).sets.clear(); });
      if (stimulus(now_).counter.prescaler > 1 || stimulus(now_).counter.offset > 0)
        any |= tries([&](RandomSystem& of) { stimulus(of).counter = {}; });
      const Occurrence occurrence = stimulus(now_).occurrence;
      if (const auto* periodic = std::get_if<Periodic>(&occurrence)) {
        const auto with = [&](auto change) {
          any |= tries([&](RandomSystem& of) { change(std::get<Periodic>(stimulus(of).occurrence)); });
        };
        if (!periodic->offset.is_zero()) with([](Periodic& of) { of.offset = {}; });
        if (periodic->jitter.upper > 0) with([](Periodic& of) { of.jitter = {}; });
        if (!periodic->minimum_distance.is_zero()) with([](Periodic& of) { of.minimum_distance = {}; });
      } else if (!std::holds_alternative<InterProcess>(occurrence) &&
                 !std::holds_alternative<EventDriven>(occurrence)) {
        any |= tries([&](RandomSystem& of) { stimulus(of).occurrence = Periodic{us(100), {}}; });
      }
    }
    return any;
  }

  bool simplify_platform() {
    bool any = false;
    for (std::size_t i = 0; i < now_.system.platform.schedulers.size(); ++i) {
      const auto scheduler = [i](RandomSystem& of) -> Scheduler& { return of.system.platform.schedulers[i]; };
      if (scheduler(now_).overhead) any |= tries([&](RandomSystem& of) { scheduler(of).overhead.reset(); });
      any |= sets(
          [&](RandomSystem & of) -> auto& { return scheduler(of).kind; },
          SchedulingAlgorithm::fixed_priority_preemptive);
      if (scheduler(now_).units.size() > 1) any |= tries([&](RandomSystem& of) { scheduler(of).units.resize(1); });
    }
    for (std::size_t i = 0; i < now_.system.platform.units.size(); ++i) {
      const auto unit = [i](RandomSystem& of) -> ProcessingUnit& { return of.system.platform.units[i]; };
      any |= sets(
          [&](RandomSystem & of) -> auto& { return unit(of).frequency; }, Frequency::millihertz(1'000'000'000));
    }
    for (std::size_t i = 0; i < now_.system.semaphores.size(); ++i) {
      any |= sets(
          [&](RandomSystem & of) -> auto& { return of.system.semaphores[i].priority_ceiling; }, false);
      if (now_.system.semaphores[i].capacity > 1)
        any |= tries([&](RandomSystem& of) { of.system.semaphores[i].free = of.system.semaphores[i].capacity = 1; });
    }
    return any;
  }

  bool simplify_profile() {
    bool any = false;
    if (!now_.profile.context_switch.is_zero()) any |= tries([](RandomSystem& of) { of.profile.context_switch = {}; });
    any |= tries([](RandomSystem& of) {
      if (of.profile.interference.kernel_by_memcpy.ppm == engine::DeviceProfile{}.interference.kernel_by_memcpy.ppm &&
          of.profile.interference.kernel_by_cpu.ppm == engine::DeviceProfile{}.interference.kernel_by_cpu.ppm)
        throw Gone();
      of.profile.interference = {};
    });
    any |= sets(
        [](RandomSystem & of) -> auto& { return of.profile.copy_engines; }, 1);
    any |= sets(
        [](RandomSystem & of) -> auto& { return of.profile.preemption; }, engine::gpu::Preemption::instruction);
    if (now_.profile.amd) any |= tries([](RandomSystem& of) { of.profile.amd.reset(); });
    if (now_.memory.source == engine::MemoryModel::Source::table)
      any |= tries([](RandomSystem& of) {
        of.memory = {};
        of.contention = engine::Contention::static_;
      });
    return any;
  }

  // ---- numbers

  template <typename Access>
  bool round_cycles(Access access) {
    const Cycles before = access(now_);
    bool any = false;
    if (before.lower != before.upper)
      any |= tries([&](RandomSystem& of) { access(of) = Cycles{before.upper, before.upper, before.upper, {}}; });
    for (const std::int64_t worst : {std::int64_t{1}, before.upper / 2, before.upper - 1}) {
      const Cycles at = access(now_);
      if (worst < 0 || worst >= at.upper) continue;
      any |= tries([&](RandomSystem& of) {
        Cycles& cycles = access(of);
        cycles.upper = worst;
        cycles.lower = std::min(cycles.lower, worst);
        cycles.average = std::clamp(cycles.average, cycles.lower, cycles.upper);
      });
    }
    return any;
  }

  bool round_time(const std::function<Duration*(RandomSystem&)>& access) {
    const Duration* now = access(now_);
    if (now == nullptr) return false;
    const std::int64_t before = now->picoseconds();
    for (const std::int64_t step : {100'000'000, 50'000'000, 10'000'000, 5'000'000, 1'000'000}) {
      const std::int64_t rounded = (before + step / 2) / step * step;
      if (before % step == 0) return false;
      if (rounded > 0 && tries([&](RandomSystem& of) { *access(of) = Duration::picoseconds(rounded); })) return true;
    }
    return false;
  }

  bool round_numbers() {
    bool any = false;
    for (std::size_t task = 0; task < now_.system.tasks.size(); ++task) {
      for (std::size_t at = 0; at < now_.system.tasks[task].body.size(); ++at) {
        const auto activity = [=](RandomSystem& of) -> Activity& {
          return of.system.graph[of.system.tasks[task].body[at]].activity;
        };
        if (const auto* compute = std::get_if<Compute>(&activity(now_)); compute != nullptr && compute->ticks.otherwise)
          any |= round_cycles(
              [&](RandomSystem& of) -> Cycles& { return *std::get<Compute>(activity(of)).ticks.otherwise; });
        if (const auto* kernel = std::get_if<Kernel>(&activity(now_)); kernel != nullptr && (*kernel->ticks).otherwise)
          any |= round_cycles(
              [&](RandomSystem& of) -> Cycles& { return *(*std::get<Kernel>(activity(of)).ticks).otherwise; });
      }
      any |= round_time([&](RandomSystem& of) {
        auto& deadline = of.system.tasks[task].deadline;
        return deadline ? &*deadline : nullptr;
      });
      any |= round_time([&](RandomSystem& of) {
        auto& slice = of.system.tasks[task].time_slice;
        return slice ? &*slice : nullptr;
      });
    }
    for (std::size_t i = 0; i < now_.system.stimuli.size(); ++i)
      any |= round_time([&](RandomSystem& of) {
        auto* periodic = std::get_if<Periodic>(&of.system.stimuli[i].occurrence);
        return periodic != nullptr ? &periodic->period : nullptr;
      });
    return any;
  }

  RandomSystem now_;
  const Predicate& predicate_;
  std::size_t left_;
};

}  // namespace

void remove_unused(System& system) {
  std::vector<Body> bodies = bodies_of(system);
  remove_unused(system, bodies);
  set_bodies(system, std::move(bodies));
}

RandomSystem shrink(RandomSystem drawn, const Predicate& predicate, std::size_t attempts) {
  return Shrinking(std::move(drawn), predicate, attempts).run();
}

}  // namespace test
