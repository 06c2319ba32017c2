// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Findings as SARIF 2.1.0 (OASIS Standard, "Static Analysis Results Interchange Format"), one after the other, so that
/// a log of many models is never in memory as a whole.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "amalthea/diagnostic.hpp"

namespace amalthea::exporter {

class SarifLog {
 public:
  using Sink = std::function<void(std::string_view)>;

  struct Run {
    std::vector<std::string> files;  ///< the model's
    bool successful = true;          ///< whether there was a model to look at
    /// Absolute path; files below it are named relative to it, others by a file: URI. "" keeps paths as given.
    std::string base_folder;
  };

  /// Begins the log; all text goes to `sink`.
  SarifLog(const Run& run, Sink sink);
  /// One result. Fingerprints do not depend on line numbers; those of equal findings are counted in their order.
  void add(const Diagnostic& finding);
  /// Ends the log: nothing is added after it.
  void end();

 private:
  std::string base_folder_;
  Sink sink_;
  std::string after_;  ///< what follows the results
  bool empty_ = true;
  std::unordered_map<std::uint64_t, std::uint32_t> seen_;  ///< beginning of the fingerprint → how often
};

}  // namespace amalthea::exporter
