// SPDX-License-Identifier: Apache-2.0
#include "engine/results/results.hpp"

#include "engine/cpu/largest_parts.hpp"

namespace amalthea::engine {

void keep_largest(std::vector<Contribution>& parts, std::size_t most) {
  cpu::keep_largest_parts(parts, most, [](const Contribution& a, const Contribution& b) {
    return a.kind == b.kind && a.traffic == b.traffic;
  });
}

std::string_view to_string(Execution execution) {
  switch (execution) {
    case Execution::best:
      return "best";
    case Execution::average:
      return "average";
    case Execution::worst:
      return "worst";
    case Execution::random:
      return "random";
  }
  return "worst";
}

std::string_view to_string(ContributionKind kind) {
  switch (kind) {
    case ContributionKind::execution:
      return "execution";
    case ContributionKind::memory:
      return "memory";
    case ContributionKind::preemption:
      return "preemption";
    case ContributionKind::blocking:
      return "blocking";
    case ContributionKind::budget:
      return "budget";
    case ContributionKind::backlog:
      return "backlog";
    case ContributionKind::event:
      return "event";
    case ContributionKind::copy:
      return "copy";
    case ContributionKind::kernel:
      return "kernel";
    case ContributionKind::engine_slice:
      return "engine_slice";
    case ContributionKind::engine_queue:
      return "engine_queue";
    case ContributionKind::context_switch:
      return "context_switch";
    case ContributionKind::interference:
      return "interference";
  }
  return "execution";
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::met:
      return "met";
    case Verdict::missed:
      return "missed";
    case Verdict::unbounded:
      return "unbounded";
    case Verdict::unknown:
      return "unknown";
    case Verdict::no_deadline:
      return "no deadline";
  }
  return "no deadline";
}

std::string_view to_string(ResourceKind kind) {
  switch (kind) {
    case ResourceKind::core:
      return "core";
    case ResourceKind::execution_engine:
      return "execution engine";
    case ResourceKind::copy_engine:
      return "copy engine";
    case ResourceKind::server:
      return "server";
  }
  return "core";
}

std::string_view to_string(BoundMethod method) {
  switch (method) {
    case BoundMethod::equations:
      return "equations";
    case BoundMethod::offsets:
      return "offsets";
    case BoundMethod::longest_schedule:
      return "longest_schedule";
    case BoundMethod::graph:
      return "graph";
    case BoundMethod::schedule:
      return "schedule";
  }
  return "equations";
}

std::string_view to_string(TrafficKind traffic) {
  switch (traffic) {
    case TrafficKind::none:
      return "";
    case TrafficKind::copies:
      return "copies";
    case TrafficKind::kernels:
      return "kernels";
    case TrafficKind::cpu:
      return "cpu";
  }
  return "";
}

std::string_view to_string(Contention contention) { return contention == Contention::dynamic ? "dynamic" : "static"; }

}  // namespace amalthea::engine
