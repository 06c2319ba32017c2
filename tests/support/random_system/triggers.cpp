// SPDX-License-Identifier: Apache-2.0
// Tasks of a random system that others trigger, call or await.

#include "tests/support/random_system/generator.hpp"

namespace test::drawing {

StimulusIndex Generator::request_of(TaskIndex task) {
  const StimulusIndex request = add_stimulus(InterProcess{});
  perhaps_in_branch(task, 3, [&] { maker_.trigger(task, request); });
  return request;
}

void Generator::activate_others(TaskIndex task, int period, int depth) {
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

void Generator::trigger_host(TaskIndex task, int period, int depth) {
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

void Generator::set_at_end(TaskIndex setter, EventIndex event, TaskIndex waiting, int period) {
  if (one_in(3))
    maker_.add(setter, SetEvents{{event}, std::nullopt});
  else
    maker_.set(setter, event, waiting);
  if (one_in(4)) compute(setter, std::max(1, budget_of(period) / 8));
}

TaskIndex Generator::partner(StimulusIndex stimulus, int period, int depth) {
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

void Generator::wait_for_hosts(TaskIndex task, int period, int depth) {
  constexpr std::size_t enough = 12;  // tasks
  if (depth < 3 && maker_.system().tasks.size() < enough && tries(F::host_call)) call_host(task, period, depth);
  if (depth < 3 && maker_.system().tasks.size() < enough && tries(F::host_wait)) wait_for_host(task, period, depth);
  if (depth < 3 && maker_.system().tasks.size() < enough && tries(F::any_wait)) wait_for_any(task, period, depth);
}

void Generator::add_signal(TaskIndex task, EventIndex event, int period, int depth) {
  const int own = one_in(4) ? period : std::max(8, period / draw(2, 6));
  SystemFeatures has;
  const StimulusIndex stimulus = own_stimulus(own, has);
  const TaskIndex setter = partner(stimulus, own, depth);
  own_[setter] |= has;
  set_at_end(setter, event, task, own);
  partners_.emplace_back(task, setter);
}

void Generator::add_call(TaskIndex task, EventIndex event, int period, int depth) {
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

void Generator::call_host(TaskIndex task, int period, int depth) {
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

void Generator::wait_for_host(TaskIndex task, int period, int depth) {
  const EventIndex event = new_event();
  for (int setters = one_in(4) ? 2 : 1; setters > 0; --setters) add_signal(task, event, period, depth);
  maker_.wait(task, event, polls());
  if (!one_in(8)) maker_.clear(task, event);
  mark(F::host_wait, task);
}

void Generator::wait_for_any(TaskIndex task, int period, int depth) {
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

}  // namespace test::drawing
