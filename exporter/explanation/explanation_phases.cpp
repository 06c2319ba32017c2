// SPDX-License-Identifier: Apache-2.0
// Describes the phases of a job as text.

#include <fmt/core.h>

#include "exporter/explanation/explanation_formats.hpp"
#include "exporter/results/contribution_text.hpp"

namespace amalthea::exporter {
namespace {

using engine::ContributionKind;
using engine::Interval;
using engine::ProcessState;

class PhaseDescriber {
 public:
  explicit PhaseDescriber(const System& system) : system_(system) {}

  /// `interval` follows the one of the last call, if any.
  std::string describe(const Interval& interval) {
    const ProcessState state = interval.standing.state;
    if (state <= ProcessState::ready) return waiting_for_service(interval);
    had_core_ = state != ProcessState::waiting;
    if (state == ProcessState::running) return running(interval);
    if (state == ProcessState::waiting) return fmt::format("waiting: {}", cause(interval));
    if (state == ProcessState::polling) return fmt::format("polls on {}: {}", unit(interval), cause(interval));
    return fmt::format("polling, but its core runs others: {}", cause(interval));
  }

 private:
  const std::string& name(TaskIndex task) const { return system_.tasks[task].name; }
  std::string by(const Interval& interval) const {
    const auto task = interval.standing.reason.by;
    return task ? name(*task) : "others";
  }
  /// " (higher priority)", if priorities alone decide.
  std::string rank(const Interval& interval) const {
    if (!interval.standing.reason.by) return {};
    const Task &own = system_.tasks[interval.task], &other = system_.tasks[*interval.standing.reason.by];
    if (own.kind != other.kind) return other.kind == ProcessKind::task ? "" : " (interrupt)";
    const auto by_priority = [this](const Task& task) {
      return has_fixed_priorities(system_.platform.schedulers[task.scheduler].kind);
    };
    if (own.scheduler != other.scheduler || !by_priority(own) || other.priority < own.priority) return {};
    return other.priority == own.priority ? " (same priority)" : " (higher priority)";
  }
  std::string unit(const Interval& interval) const {
    return interval.unit ? system_.platform.units[*interval.unit].name : "no core";
  }

  std::string running(const Interval& interval) const {
    if (system_.tasks[interval.task].side == Side::device) return cause(interval);
    if (interval.standing.doing == engine::Activities::operating_system)
      return fmt::format("operating-system overhead on {}", unit(interval));
    std::string what = "runs";
    if (interval.node)
      if (const auto runnable = system_.graph[*interval.node].runnable) what += " " + system_.runnables[*runnable].name;
    return fmt::format("{} on {}{}", what, unit(interval), slowed(interval));
  }

  /// By whom its own operation, the one that it waits for, or its label access is slowed down.
  std::string slowed(const Interval& interval) const {
    const engine::Reason& reason = interval.standing.reason;
    if (!reason.by) return {};
    std::string text = fmt::format(", slowed by {}", describe_aggressor(system_, reason.traffic, reason.by));
    for (const TaskIndex other : reason.also) text += ", " + describe_aggressor(system_, reason.traffic, other);
    return text;
  }

  std::string waiting_for_service(const Interval& interval) const {
    switch (interval.standing.reason.kind) {
      case ContributionKind::backlog:
        return "waiting for its own earlier jobs";
      case ContributionKind::preemption:
        return fmt::format("{} by {}{}",
                           interval.standing.state == ProcessState::active ? "not started, core used"
                           : had_core_                                     ? "ready, preempted"
                                                                           : "ready, core used",
                           by(interval), rank(interval));
      case ContributionKind::blocking:
        return fmt::format("ready, blocked by {} (not preemptible)", by(interval));
      case ContributionKind::budget:
        return "ready, but the budget of its server is exhausted";
      default:
        return cause(interval);
    }
  }

  /// The cause for its own operation, or for the one that it waits for.
  std::string cause(const Interval& interval) const {
    switch (interval.standing.reason.kind) {
      case ContributionKind::copy:
        return "GPU copy running" + slowed(interval);
      case ContributionKind::kernel:
        return "kernel running" + slowed(interval);
      case ContributionKind::engine_slice:
        return fmt::format("the GPU serves {}", by(interval));
      case ContributionKind::engine_queue:
        return fmt::format("queued behind {} in the same GPU context", by(interval));
      case ContributionKind::context_switch:
        return "GPU context switch";
      case ContributionKind::event:
        return fmt::format("for an event of {}", by(interval));
      case ContributionKind::blocking:
        return fmt::format("for a semaphore that {} holds", by(interval));
      default:
        return "inactive";
    }
  }

  const System& system_;
  bool had_core_ = false;  ///< when it last became ready
};

}  // namespace

std::vector<Phase> phases_of(const System& system, const engine::Explanation& explanation) {
  PhaseDescriber describer(system);
  std::vector<Phase> phases;
  for (const Interval& interval : explanation.own) {
    std::string text = describer.describe(interval);
    if (!phases.empty() && phases.back().to == interval.from && phases.back().text == text)
      phases.back().to = interval.to;
    else
      phases.push_back({interval.from, interval.to, std::move(text), interval.standing.state,
                        shown_kind(interval.standing.reason.kind)});
  }
  return phases;
}

}  // namespace amalthea::exporter
