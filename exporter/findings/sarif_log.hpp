// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Findings as SARIF 2.1.0 (OASIS Standard, "Static Analysis Results Interchange Format"), written one by one, so that
/// the log of many models is never in memory as a whole.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "exporter/findings/fingerprints.hpp"

namespace amalthea::exporter {

class SarifLog {
 public:
  using Sink = std::function<void(std::string_view)>;

  struct Run {
    std::vector<std::string> files;  ///< the model's
    bool successful = true;          ///< whether there was a model
    /// Absolute path; files below it are named relative to it, others by a file: URI. "" keeps paths as given.
    std::string base_folder;
  };

  /// Begins the log; writes all text to `sink`.
  SarifLog(const Run& run, Sink sink);
  /// Adds one result. Fingerprints are independent of line numbers; equal findings are numbered in order.
  void add(const Diagnostic& finding);
  /// Ends the log: nothing can be added afterwards.
  void end();

 private:
  std::string base_folder_;
  std::string file_;  ///< of findings without a file
  Sink sink_;
  std::string after_;  ///< text that follows the results
  bool empty_ = true;
  Fingerprints fingerprints_;
};

}  // namespace amalthea::exporter
