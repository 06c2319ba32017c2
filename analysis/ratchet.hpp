// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The verdict compared with an earlier state and with a file of accepted misses: what a pipeline acts upon.

#include <optional>
#include <string>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "analysis/failure.hpp"
#include "analysis/option.hpp"
#include "analysis/request.hpp"
#include "engine/verdict.hpp"
#include "exporter/results/ratchet.hpp"
#include "importer/reading/limits.hpp"

namespace amalthea::analysis {

/// Files; "": none.
struct RatchetRequest {
  std::string baseline;        ///< a model or results
  std::string accepted;        ///< misses that are accepted
  std::string write_accepted;  ///< to write the misses to

  bool compares() const { return !baseline.empty() || !accepted.empty(); }
};
OptionTable ratchet_options(RatchetRequest& request);

/// What `baseline` and `accepted` state.
struct Known {
  std::optional<std::vector<exporter::KnownLimit>> before;
  std::vector<exporter::KnownLimit> accepted;
};
/// `findings`: of an earlier model, which is analyzed as the request says.
Outcome<Known> read_known(const RatchetRequest& ratchet, const AnalysisRequest& request, const importer::Limits& limits,
                          Diagnostics& findings);

/// The verdict with what is known: it may pass where the model alone would not.
exporter::Ratchet compared(const engine::Assessment& assessment, const RatchetRequest& request, const Known& known);

}  // namespace amalthea::analysis
