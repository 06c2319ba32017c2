// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The dossier of a model for a safety case (docs/how-to/use-as-evidence.md): what was judged, what each result rests
/// on, what is assumed, what is open, and what nothing proves.

#include <string>
#include <string_view>

#include "exporter/results/result_view.hpp"

namespace amalthea::exporter {

/// A self-contained HTML page. `manifest` is that of certificates of this model with these options, and says what Coq
/// has accepted; the results contain these bounds (proved_bounds). Byte-for-byte identical for the same input.
std::string render_dossier_html(const ResultView& view, std::string_view manifest);

}  // namespace amalthea::exporter
