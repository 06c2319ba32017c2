// SPDX-License-Identifier: Apache-2.0
// Describes the phases of a job as text.

#include <fmt/core.h>

#include "exporter/explanation/explanation_formats.hpp"
#include "exporter/results/detail/contribution_text.hpp"

namespace amalthea::exporter {
namespace {

using engine::ContributionKind;
using engine::Interval;
using engine::ProcessState;

class PhaseDescriber {
 public:
  explicit PhaseDescriber(const System& system) : system_(system) {}

  std::string describe(const Interval& interval) const {
    switch (interval.standing.state) {
      case ProcessState::not_active:
      case ProcessState::active:
      case ProcessState::ready:
        return waiting_for_service(interval);
      case ProcessState::running:
        return running(interval);
      case ProcessState::waiting:
        return fmt::format("waiting: {}", cause(interval));
      case ProcessState::polling:
        return fmt::format("polls on {}: {}", unit(interval), cause(interval));
      case ProcessState::parking:
        return fmt::format("polling, but its core runs others: {}", cause(interval));
    }
    return {};
  }

 private:
  const std::string& name(TaskIndex task) const { return system_.tasks[task].name; }
  std::string by(const Interval& interval) const {
    const auto task = interval.standing.reason.by;
    return task ? name(*task) : "nobody";
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
    return reason.by ? fmt::format(", slowed by {}", describe_aggressor(system_, reason.traffic, reason.by))
                     : std::string();
  }

  std::string waiting_for_service(const Interval& interval) const {
    switch (interval.standing.reason.kind) {
      case ContributionKind::backlog:
        return "waiting for its own earlier jobs";
      case ContributionKind::preemption:
        return fmt::format("ready, preempted by {} (higher priority)", by(interval));
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
};

}  // namespace

std::vector<Phase> phases_of(const System& system, const engine::Explanation& explanation) {
  const PhaseDescriber describer(system);
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
