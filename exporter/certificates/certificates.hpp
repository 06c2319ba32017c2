// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A folder of certificates (docs/reference/certify.md): one file for Coq per core, what it means for the model, and
/// all that a reviewer needs to check it without this program.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/graph/system.hpp"
#include "engine/bounds/proofs.hpp"
#include "exporter/results/result_view.hpp"

namespace amalthea::exporter {

inline constexpr std::string_view certificates_schema = "amalthea-certificates/1";
inline constexpr std::string_view manifest_name = "manifest.json";

struct CertificateView {
  const ModelInfo& model;
  const System& system;
  const engine::SystemBounds& bounds;
  const engine::Proofs& proofs;
  /// Names ("--until") and values of the options that the bounds depend on.
  const std::vector<std::pair<std::string, std::string>>& options;
  bool logical_times = false;  ///< data becomes visible at the ends of intervals, not of jobs
};

struct CertificateFile {
  std::string name;  ///< within the folder; may be in a folder of it
  std::string text;
};

/// The certificates alone, parallel to the cores of the proofs. The same proofs have the same text.
std::vector<CertificateFile> certificates_of(const System& system, const engine::Proofs& proofs);

/// All files of the folder; the manifest is the last one. `accepted`: the certificates that Coq has checked, by name;
/// nothing: none was.
std::vector<CertificateFile> certificate_folder(const CertificateView& view);

/// The manifest with the outcome of a check: the version of Coq ("": unknown), and which certificates it has accepted
/// or rejected.
std::string with_outcome(std::string_view manifest, const std::string& coq,
                         const std::vector<std::pair<std::string, bool>>& accepted);

/// For every task, the bound that Coq has accepted for these proofs: the manifest records the text of its certificate
/// as accepted. An error says why the manifest does not apply to the model and the options at all.
tl::expected<std::vector<std::optional<Duration>>, std::string> proved_bounds(const CertificateView& view,
                                                                              std::string_view manifest);

}  // namespace amalthea::exporter
