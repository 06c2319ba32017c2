// SPDX-License-Identifier: Apache-2.0
#include "analysis/headroom.hpp"

#include <algorithm>
#include <thread>

namespace amalthea::analysis {

OptionTable headroom_options(HeadroomRequest& request) {
  return {
      row("headroom", &request.wanted,
          "Also compute how much execution times, memory accesses and jitter may grow until the first limit is "
          "violated (docs/reference/headroom.md)",
          {group::analysis}),
      row("headroom-analyses", &request.analyses,
          "Largest number of analyses for each thing that --headroom lets grow. With too few, results are less exact",
          rare(group::limits), {.range = Range{1, 1000}, .needs = "headroom"})};
}

Outcome<void> check_headroom(const HeadroomRequest& request, const AnalysisRequest& analysis) {
  if (request.wanted && analysis.execution == "best")
    return misused("--headroom requires --execution worst or average, because shortest times do not grow");
  return {};
}

engine::Headroom find_headroom(const HeadroomRequest& request, const Prepared& prepared, const engine::Results& results,
                               Work* work) {
  engine::HeadroomOptions how;
  how.analysis = prepared.analysis;
  how.analysis.observer = nullptr;
  how.analysis.work = work;
  how.analyses_each = request.analyses;
  how.threads = std::max(1U, std::thread::hardware_concurrency());
  return engine::headroom(prepared.system, results, how);
}

}  // namespace amalthea::analysis
