// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/response_time_trace.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/core.h>

namespace amalthea::engine::nvidia {

tl::expected<std::vector<RtaStep>, std::string> trace_response_times(const RtaProblem& problem) {
  if (const auto checked = response_times(problem); !checked) return tl::unexpected(checked.error());
  std::vector<std::size_t> order(problem.kernels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return problem.kernels[a].release < problem.kernels[b].release;
  });
  std::vector<RtaStep> steps;
  std::map<std::int64_t, std::int64_t> h;
  std::int64_t t_a = 0, g_f = problem.g_max;
  for (const std::size_t index : order) {
    const RtaKernel& kernel = problem.kernels[index];
    std::int64_t left = kernel.blocks;
    const auto note = [&](RtaStep::Kind kind, std::int64_t blocks) {
      steps.push_back({kind, index, blocks, left, t_a, g_f, {h.begin(), h.end()}});
    };
    const auto free_until = [&](std::int64_t time) {
      std::int64_t freed = 0;
      for (; !h.empty() && h.begin()->first <= time; h.erase(h.begin())) freed += h.begin()->second;
      g_f += freed;
      if (freed > 0) note(RtaStep::Kind::free, freed);
    };
    t_a = std::max(t_a, kernel.release);
    note(RtaStep::Kind::begin, 0);
    free_until(t_a);
    while (left > 0) {
      if (steps.size() >= max_rta_steps)
        return tl::unexpected(fmt::format("the trace has more than {} steps", max_rta_steps));
      if (g_f == 0) {
        t_a = h.begin()->first;
        free_until(t_a);
      }
      const std::int64_t blocks = std::min(left, g_f);
      h[t_a + kernel.execution] += blocks;
      g_f -= blocks;
      left -= blocks;
      note(RtaStep::Kind::assign, blocks);
    }
  }
  return steps;
}

}  // namespace amalthea::engine::nvidia
