// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/detail/event_loop.hpp"

#include <algorithm>
#include <utility>

#include "engine/results/servers.hpp"

namespace amalthea::engine::simulation {

Parts::Parts(const SimulationInput& input, const Listeners& listeners, bool recorded)
    : cpu(input.system, input.periods),
      jobs(input, clock, cpu, listeners),
      modes(input.system),
      branches(input, clock, jobs, modes),
      stimuli(input, clock, jobs, modes, listeners),
      activities(input, clock, cpu, jobs, modes, stimuli, listeners),
      devices(input, clock, jobs, activities, branches, listeners, recorded),
      cores(input.system, clock, cpu, jobs, activities, branches, listeners),
      traffic(input, cpu, jobs, cores, devices, listeners) {}

EventLoop::EventLoop(const SimulationInput& input)
    : input_(input),
      events_(input.observer != nullptr && input.observer->wants_events()),
      parts_(input, listeners_, events_),
      standings_(input.system, parts_.cpu, parts_.jobs, parts_.activities, parts_.cores, parts_.devices,
                 parts_.traffic),
      accounts_(parts_.clock, parts_.cpu, parts_.jobs, parts_.devices, standings_, listeners_,
                input.observer != nullptr && input.observer->wants_intervals() ? input.observer : nullptr,
                input.system.tasks.size()),
      measurements_(input, parts_.clock, parts_.jobs, accounts_) {
  if (input.observer != nullptr)
    notifier_.emplace(*input.observer, events_, input.system, parts_.clock, parts_.cpu, parts_.jobs, parts_.cores,
                      parts_.devices);
  listeners_.set(accounts_, measurements_, notifier_ ? &*notifier_ : nullptr);
}

void EventLoop::run(Results& results) {
  if (input_.observer != nullptr) input_.observer->begins(input_);
  results.horizon = input_.until;
  const Instant end = Instant::at(input_.until), last = end + input_.grace;
  Clock& clock = parts_.clock;
  try {
    for (bool measured = false;;) {
      const Instant next = measured ? next_event() : std::min(next_event(), end);
      if (measured && parts_.jobs.outstanding() == 0) break;
      if (next > last) {
        clock.set(last);  // unfinished jobs are late by this time
        break;
      }
      if (results.events + clock.all_steps() >= input_.max_steps) throw StepLimitReached{};
      if (results.events % events_between_looks == 0) look_around(next);
      clock.set(next);
      ++results.events;
      end_work();
      if (!measured && next == end) {
        measured = true;
        measure_resources(results);
      }
      parts_.stimuli.occur_now();
      settle();
      parts_.devices.notify_operations();
      accounts_.end_instant();
    }
  } catch (const StepLimitReached&) {
    results.stopped_early = true;
    if (clock.now() < end) {
      results.horizon = clock.now().since_start();
      measure_resources(results);
    }
  }
  measurements_.report(results);
  if (input_.observer != nullptr) input_.observer->ended(clock.now());
}

void EventLoop::look_around(Instant now) const {
  if (input_.stop != nullptr && *input_.stop) throw StepLimitReached{};
  if (input_.done != nullptr)
    *input_.done =
        std::min(1.0, static_cast<double>(now.picoseconds()) / static_cast<double>(input_.until.picoseconds()));
}

Instant EventLoop::next_event() {
  return std::min({parts_.stimuli.next(), parts_.cpu.next_event(), parts_.cores.next(), parts_.devices.next()});
}

void EventLoop::end_work() {
  parts_.cpu.advance(parts_.clock.now());
  parts_.cores.end_steps();
  parts_.devices.advance();
}

void EventLoop::settle() {
  for (bool again = true; again;) {
    again = parts_.devices.can_go_on();
    parts_.devices.go_on();
    for (auto domain = parts_.cpu.next_undecided(0); domain; domain = parts_.cpu.next_undecided(*domain + 1)) {
      parts_.cores.schedule(*domain);
      again = true;
    }
  }
  parts_.traffic.before_devices();
  parts_.devices.settle();
  parts_.traffic.after_devices();
}

void EventLoop::measure_resources(Results& results) {
  const double elapsed = static_cast<double>(parts_.clock.now().picoseconds());
  for (CoreScheduling::CoreIndex core = 0; core < parts_.cpu.cores(); ++core) {
    const auto busy = static_cast<double>(parts_.cores.busy(core).picoseconds());
    results.resources.push_back({parts_.cpu.unit(core), ResourceKind::core, elapsed > 0 ? busy / elapsed : 0, 0});
  }
  parts_.devices.measure(results.resources);
  for (ResourceResult& server : servers_in_use(input_.system)) {
    const auto served = static_cast<double>(parts_.cores.served(*server.server).picoseconds());
    if (elapsed > 0)
      server.utilization = served / (elapsed * share_of(input_.system.platform.schedulers[*server.server]));
    results.resources.push_back(std::move(server));
  }
}

}  // namespace amalthea::engine::simulation
