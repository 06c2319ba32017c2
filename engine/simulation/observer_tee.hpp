// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Two observers of one simulation.

#include <optional>

#include "engine/simulation/simulation_observer.hpp"

namespace amalthea::engine {

/// Forwards to both observers what they want, to the first one first.
class ObserverTee final : public SimulationObserver {
 public:
  ObserverTee(SimulationObserver& first, SimulationObserver& second)
      : first_{&first, first.wants_intervals(), first.wants_events()},
        second_{&second, second.wants_intervals(), second.wants_events()} {}

  bool wants_intervals() const override { return first_.intervals || second_.intervals; }
  bool wants_intervals_after(Instant now) const override {
    return (first_.intervals && first_.observer->wants_intervals_after(now)) ||
           (second_.intervals && second_.observer->wants_intervals_after(now));
  }
  bool wants_obstacles_of(TaskIndex task) const override {
    return (first_.intervals && first_.observer->wants_obstacles_of(task)) ||
           (second_.intervals && second_.observer->wants_obstacles_of(task));
  }
  bool wants_events() const override { return first_.events || second_.events; }

  void interval(const Interval& interval) override {
    for (const Watcher* watcher : {&first_, &second_})
      if (watcher->intervals) watcher->observer->interval(interval);
  }
  void released(TaskIndex task, Instant now, bool lost) override {
    first_.observer->released(task, now, lost);
    second_.observer->released(task, now, lost);
  }
  void completed(TaskIndex task, std::uint64_t job, Instant release, Instant now) override {
    first_.observer->completed(task, job, release, now);
    second_.observer->completed(task, job, release, now);
  }
  void begins(const SimulationInput& input) override {
    first_.observer->begins(input);
    second_.observer->begins(input);
  }
  void occurred(StimulusIndex stimulus, std::optional<TaskIndex> by, Instant now) override {
    notify([&](SimulationObserver& observer) { observer.occurred(stimulus, by, now); });
  }
  void process(const ProcessChange& change) override {
    notify([&](SimulationObserver& observer) { observer.process(change); });
  }
  void step_begins(TaskIndex task, std::uint64_t job, std::size_t step, Instant now) override {
    notify([&](SimulationObserver& observer) { observer.step_begins(task, job, step, now); });
  }
  void step_ends(TaskIndex task, std::uint64_t job, std::size_t step, Instant now) override {
    notify([&](SimulationObserver& observer) { observer.step_ends(task, job, step, now); });
  }
  void operation(const OperationChange& change) override {
    notify([&](SimulationObserver& observer) { observer.operation(change); });
  }
  void block(const BlockChange& change) override {
    notify([&](SimulationObserver& observer) { observer.block(change); });
  }
  void served(UnitIndex unit, const gpu::EngineSlice& slice) override {
    notify([&](SimulationObserver& observer) { observer.served(unit, slice); });
  }
  void ended(Instant now) override {
    first_.observer->ended(now);
    second_.observer->ended(now);
  }

 private:
  struct Watcher {
    SimulationObserver* observer;
    bool intervals;
    bool events;
  };
  /// For events.
  template <typename Notify>
  void notify(Notify notify_one) {
    for (const Watcher* watcher : {&first_, &second_})
      if (watcher->events) notify_one(*watcher->observer);
  }
  Watcher first_, second_;
};

/// The observer that forwards to both: `first` may be null, `second` may want no events; `both` must outlive the
/// simulation.
inline SimulationObserver* combined_observer(SimulationObserver* first, SimulationObserver& second,
                                             std::optional<ObserverTee>& both) {
  if (!second.wants_events()) return first;
  return first == nullptr ? &second : &both.emplace(*first, second);
}

}  // namespace amalthea::engine
