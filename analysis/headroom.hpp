// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How much a system may grow until the first limit is violated, for verbs that analyze a model.

#include <cstddef>

#include "amalthea/work.hpp"
#include "analysis/option.hpp"
#include "analysis/request.hpp"
#include "engine/headroom.hpp"

namespace amalthea::analysis {

struct HeadroomRequest {
  bool wanted = false;
  std::size_t analyses = engine::HeadroomOptions{}.analyses_each;
};
OptionTable headroom_options(HeadroomRequest& request);

/// A failure if the options contradict each other.
Outcome<void> check_headroom(const HeadroomRequest& request, const AnalysisRequest& analysis);
/// Whether it is wanted or not. `work` may be null; it ends the search with what it has found.
engine::Headroom find_headroom(const HeadroomRequest& request, const Prepared& prepared, const engine::Results& results,
                               Work* work);

}  // namespace amalthea::analysis
