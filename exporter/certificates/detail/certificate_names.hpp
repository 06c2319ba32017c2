// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The names in certificates, in letters that Coq and all file systems accept.

#include <string>
#include <string_view>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/bounds/proofs.hpp"

namespace amalthea::exporter {

struct CertificateNames {
  std::vector<std::string> files;                  ///< of every core
  std::vector<std::vector<std::string>> theorems;  ///< of every core, of every task in it
};
CertificateNames certificate_names(const System& system, const engine::Proofs& proofs);

/// "Fixed priorities; no job can be preempted"
std::string_view words_of(engine::ProofKind kind);

}  // namespace amalthea::exporter
