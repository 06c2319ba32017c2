// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Drives a Gpu without a model: requests at given times.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "reference/gpu.hpp"

namespace reference {

struct Request {
  Time at = 0;
  std::uint32_t stream = 0;
  GpuOperation what;
};

/// A kernel of `blocks` blocks, each of which takes `time`.
inline GpuOperation kernel(Time time, std::int64_t blocks, int threads) {
  GpuOperation result;
  result.least = result.most = time;
  result.launch = {Launch{blocks, threads, 0, 0, ""}};
  return result;
}

/// A copy, a memset, or a kernel without launch.
inline GpuOperation whole(GpuOperation::Kind kind, Time time) {
  GpuOperation result;
  result.kind = kind;
  result.least = result.most = time;
  return result;
}

/// Submits every request at its time and executes until all have ended. Requests of one instant are submitted in the
/// given order. Returns the end of each request.
inline std::vector<Time> execute(Gpu& gpu, const std::vector<Request>& requests) {
  std::vector<std::size_t> order(requests.size()), number(requests.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return requests[a].at < requests[b].at; });
  std::size_t next = 0;
  while (next < order.size() || !gpu.idle()) {
    const Time release = next < order.size() ? requests[order[next]].at : never;
    gpu.advance(std::min(gpu.next(), release));
    for (; next < order.size() && requests[order[next]].at == gpu.now(); ++next)
      number[order[next]] = gpu.submit(requests[order[next]].stream, requests[order[next]].what);
    gpu.settle();
  }
  std::vector<Time> ends;
  for (const std::size_t submitted : number) ends.push_back(gpu.operations()[submitted].end);
  return ends;
}

}  // namespace reference
