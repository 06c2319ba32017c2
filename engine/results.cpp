#include "engine/results.hpp"

#include <algorithm>

namespace amalthea::engine {

Statistics summarise(std::vector<Duration> values) {
  Statistics statistics;
  statistics.jobs = values.size();
  if (values.empty()) return statistics;
  std::sort(values.begin(), values.end());
  statistics.min = values.front();
  statistics.max = values.back();
  detail::Int128 sum = 0;
  for (const Duration value : values) sum += value.picoseconds();
  const auto count = static_cast<detail::Int128>(values.size());
  statistics.mean = Duration::picoseconds(detail::divide(sum, count, Rounding::nearest));
  const std::size_t rank = (values.size() * 99 + 99) / 100;  // ceil(0.99 n), counted from 1
  statistics.p99 = values[rank - 1];
  return statistics;
}

std::string_view to_string(Execution execution) {
  switch (execution) {
    case Execution::best:
      return "best";
    case Execution::average:
      return "average";
    case Execution::worst:
      return "worst";
  }
  return "worst";
}

std::string_view to_string(ContributionKind kind) {
  switch (kind) {
    case ContributionKind::execution:
      return "execution";
    case ContributionKind::preemption:
      return "preemption";
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
  }
  return "core";
}

}  // namespace amalthea::engine
