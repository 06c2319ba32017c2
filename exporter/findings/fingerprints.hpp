// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// By which tools recognize a finding of an earlier run.

#include <cstdint>
#include <string>
#include <unordered_map>

#include "amalthea/diagnostic.hpp"

namespace amalthea::exporter {

/// Of the findings of one output, in order. They do not depend on lines or folders; equal findings are numbered.
class Fingerprints {
 public:
  std::string next(const Diagnostic& finding);

 private:
  /// beginning of the fingerprint → number of occurrences
  std::unordered_map<std::uint64_t, std::uint32_t> seen_;
};

}  // namespace amalthea::exporter
