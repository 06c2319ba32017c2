// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/offloads.hpp"

#include <algorithm>

#include <fmt/core.h>
#include <tl/expected.hpp>

#include "engine/bounds/detail/places.hpp"
#include "engine/bounds/detail/trigger_gaps.hpp"
#include "engine/program/arrivals.hpp"

namespace amalthea::engine::bounds {
namespace {

using Waits = std::vector<std::vector<TaskIndex>>;

bool contains(const std::vector<TaskIndex>& tasks, TaskIndex task) {
  return std::find(tasks.begin(), tasks.end(), task) != tasks.end();
}

tl::unexpected<std::string> because(std::string fault) { return tl::unexpected(std::move(fault)); }

/// For one host task.
class OffloadSearch {
 public:
  OffloadSearch(const AnalyzedSystem& subject, const Triggers& triggers, TaskIndex host)
      : subject_(subject), triggers_(triggers), host_(host), steps_(subject.steps(host)), places_(places_of(steps_)) {}

  /// Why its waits are not analyzed; "" if they are.
  std::string run() {
    waits_.resize(steps_.size());
    awaited_events_.resize(steps_.size());
    for (std::size_t step = 0; step < steps_.size(); ++step) {
      if (steps_[step].kind != StepKind::wait) continue;
      const auto& wait = subject_.activity<WaitEvents>({host_, step});
      EventWait other{step, {}, wait.all || wait.events.size() == 1, wait.active};
      for (const EventIndex event : wait.events) {
        const auto setters = setters_of(event);
        if (setters.empty() && other.all)
          return fmt::format("it waits for {}, which no task sets", subject_.system.events[event].name);
        if (!other.all || setters.size() > 1 || subject_.is_host(setters.front().task)) {
          other.events.push_back(event);
          continue;
        }
        const auto device = awaited(setters.front());
        if (!device) return device.error();
        if (contains(waits_[step], *device)) return fmt::format("it waits for several events of {}", name(*device));
        waits_[step].push_back(*device);
        awaited_events_[step].push_back(event);
        if (!contains(devices_, *device)) devices_.push_back(*device);
      }
      if (!other.events.empty()) event_waits_.push_back(std::move(other));
    }
    for (const TaskIndex device : devices_)
      if (std::string fault = fault_of_turns(device); !fault.empty()) return fault;
    find_overlaps();
    return {};
  }

  const std::vector<TaskIndex>& devices() const { return devices_; }
  const std::vector<TaskIndex>& beside() const { return beside_; }
  bool waits_for_events() const { return !event_waits_.empty(); }
  Waits waits() && { return std::move(waits_); }
  std::vector<EventWait> event_waits() && { return std::move(event_waits_); }

 private:
  const std::string& name(TaskIndex task) const { return subject_.name(task); }

  std::vector<TaskStep> setters_of(EventIndex event) const {
    return bounds::setters_of(subject_, triggers_, event, host_);
  }

  /// The device task that a wait for the event is for, or why there is no such task.
  tl::expected<TaskIndex, std::string> awaited(TaskStep setter) const {
    if (std::string fault = fault_of_setter(setter); !fault.empty()) return because(std::move(fault));
    if (std::string fault = fault_of_activation(setter.task); !fault.empty()) return because(std::move(fault));
    return setter.task;
  }

  /// The device task must have finished its operations when it sets the event.
  std::string fault_of_setter(TaskStep set) const {
    const std::vector<Step>& steps = subject_.steps(set.task);
    if (const std::string& unknown = subject_.worst[set.task].unanalyzable; !unknown.empty())
      return fmt::format("it waits for {}: {}", name(set.task), unknown);
    if (!places_of(steps)[set.step].contains(0))
      return fmt::format("it waits for {}, which sets its event only in an alternative", name(set.task));
    bool works = false;
    for (std::size_t step = 0; step < steps.size(); ++step) {
      if (steps[step].kind == StepKind::wait)
        return fmt::format("it waits for {}, which itself waits for an event", name(set.task));
      works = works || is_operation(steps[step]);
      if (step > set.step && is_operation(steps[step]))
        return fmt::format("{} continues to use the GPU after it sets its event", name(set.task));
    }
    return works ? "" : fmt::format("it waits for {}, which does nothing on the GPU", name(set.task));
  }

  /// Only the host may activate it, and only once at a time.
  std::string fault_of_activation(TaskIndex device) const {
    for (const StimulusIndex index : triggers_.activating[device]) {
      const Stimulus& stimulus = subject_.system.stimuli[index];
      if (std::count(stimulus.activates.begin(), stimulus.activates.end(), device) > 1)
        return fmt::format("it waits for {}, which a single trigger activates twice", name(device));
      const auto& task_steps = triggers_.of_stimulus[index];
      if (!std::holds_alternative<InterProcess>(stimulus.occurrence) ||
          std::any_of(task_steps.begin(), task_steps.end(),
                      [&](const TaskStep& task_step) { return task_step.task != host_; }))
        return fmt::format("it waits for {}, which other sources activate, too", name(device));
    }
    return {};
  }

  bool triggers_device(std::size_t step, TaskIndex device) const {
    return bounds::triggers(subject_, {host_, step}, device);
  }
  bool clears(std::size_t step, EventIndex event) const {
    if (steps_[step].kind != StepKind::clear_events) return false;
    const auto& events = subject_.activity<ClearEvents>({host_, step}).events;
    return std::find(events.begin(), events.end(), event) != events.end();
  }

  std::string fault_of_turns(TaskIndex device) const {
    for (const StimulusIndex stimulus : triggers_.activating[device])
      if (is_conditional(subject_.system.stimuli[stimulus]))
        return fmt::format("it waits for {}, which not every trigger activates", name(device));
    std::optional<EventIndex> event;
    for (std::size_t step = 0; step < waits_.size(); ++step)
      if (const auto at = std::find(waits_[step].begin(), waits_[step].end(), device); at != waits_[step].end()) {
        const EventIndex awaited_event = awaited_events_[step][static_cast<std::size_t>(at - waits_[step].begin())];
        if (event && *event != awaited_event) return fmt::format("it waits for different events of {}", name(device));
        event = awaited_event;
      }
    if (std::string fault = fault_of_order(device, *event); !fault.empty()) return fault;
    return fault_of_limit(device);
  }

  /// A lost trigger would leave the host waiting.
  std::string fault_of_limit(TaskIndex device) const {
    if (subject_.task(device).activation_limit != 1) return {};
    const TriggerGaps gaps =
        trigger_gaps(subject_, host_, device, [&](std::size_t step) { return contains(waits_[step], device); });
    const bool polls = std::any_of(steps_.begin(), steps_.end(), [&](const Step& step) {
      const auto at = static_cast<std::size_t>(&step - steps_.data());
      return contains(waits_[at], device) && subject_.activity<WaitEvents>({host_, at}).active;
    });
    if (gaps.within && (gaps.across || !polls)) return {};
    return fmt::format(
        "it may trigger {} again before the job whose event it awaited has ended: beyond the limit of 1, the "
        "activation would be lost",
        name(device));
  }

  /// Trigger, wait, trigger, wait, with the event cleared after every wait and before the next trigger. A job that
  /// leaves out a wait also leaves out its trigger. What it leaves out clears no event of a wait that it does not.
  std::string fault_of_order(TaskIndex device, EventIndex event) const {
    bool triggered = false, any_trigger = false;
    std::size_t last = 0;  // trigger or wait
    bool cleared = true;   // no event is set before the first job
    bool first_cleared = false;
    for (std::size_t step = 0; step < waits_.size(); ++step) {
      if (triggers_device(step, device)) {
        if (triggered) return fmt::format("it triggers {} again before it waits for the first result", name(device));
        if (!cleared) return fmt::format("it does not clear the event of {} before it triggers it again", name(device));
        triggered = any_trigger = true;
        last = step;
      } else if (contains(waits_[step], device)) {
        if (!triggered) return fmt::format("it waits for {}, but has not triggered it", name(device));
        if (places_[last] != places_[step])
          return fmt::format("it triggers {} in another alternative of a branch than it waits for it", name(device));
        triggered = cleared = false;
        last = step;
      } else if (clears(step, event)) {
        if (triggered) return fmt::format("it clears the event of {} before it waits for it", name(device));
        cleared = cleared || places_[step].contains(last);
        if (!any_trigger && places_[step].contains(0)) first_cleared = true;
      }
    }
    if (triggered) return fmt::format("it triggers {} more often than it waits for it", name(device));
    if (!cleared && !first_cleared)
      return fmt::format("it does not clear the event of {}, so its next job does not wait", name(device));
    return {};
  }

  /// Device tasks that are active at the same time.
  void find_overlaps() {
    std::vector<TaskIndex> active;
    for (std::size_t step = 0; step < waits_.size(); ++step) {
      std::erase_if(active, [&](TaskIndex device) { return contains(waits_[step], device); });
      for (const TaskIndex device : devices_)
        if (triggers_device(step, device)) active.push_back(device);
      if (active.size() < 2) continue;
      for (const TaskIndex device : active)
        if (!contains(beside_, device)) beside_.push_back(device);
    }
  }

  const AnalyzedSystem& subject_;
  const Triggers& triggers_;
  TaskIndex host_;
  const std::vector<Step>& steps_;
  std::vector<Place> places_;
  Waits waits_;                                          ///< per step
  std::vector<std::vector<EventIndex>> awaited_events_;  ///< parallel to them
  std::vector<TaskIndex> devices_;                       ///< all device tasks that it waits for, in order
  std::vector<TaskIndex> beside_;                        ///< those that may be active beside another one
  std::vector<EventWait> event_waits_;
};

}  // namespace

bool Offloads::waits_for_any(TaskIndex host) const {
  return std::any_of(waits[host].begin(), waits[host].end(), [](const auto& wait) { return !wait.empty(); });
}

bool Offloads::waits_for(TaskIndex host, TaskIndex device) const {
  return std::any_of(waits[host].begin(), waits[host].end(),
                     [&](const auto& devices) { return contains(devices, device); });
}

Offloads offloads_of(const AnalyzedSystem& subject, const Triggers& triggers,
                     const std::vector<Activations>& activations, bool with_events, Faults& faults) {
  Offloads offloads{std::vector<std::optional<TaskIndex>>(subject.tasks()),
                    std::vector<Waits>(subject.tasks()),
                    std::vector<bool>(subject.tasks()),
                    std::vector<std::vector<EventWait>>(subject.tasks()),
                    std::vector<bool>(subject.tasks()),
                    std::vector<bool>(subject.tasks())};
  for (TaskIndex task = 0; task < subject.tasks(); ++task) {
    if (!subject.is_host(task) || !activations[task].any()) continue;
    OffloadSearch search(subject, triggers, task);
    faults[task] = search.run();
    if (faults[task].empty() && !with_events && search.waits_for_events())
      faults[task] = "it waits for an event of a task on a CPU";
    if (!faults[task].empty()) continue;
    for (const TaskIndex device : search.devices()) offloads.driver[device] = task;
    for (const TaskIndex device : search.beside()) offloads.beside[device] = true;
    offloads.waits[task] = std::move(search).waits();
    offloads.event_waits[task] = std::move(search).event_waits();
  }
  return offloads;
}

}  // namespace amalthea::engine::bounds
