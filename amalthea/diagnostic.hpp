// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Errors, warnings and notes about an input: one `Diagnostic` per finding, collected, never thrown.
///
/// Every id is created in exactly one place in the code and has one entry in docs/reference/diagnostics.md; a test
/// checks this. Ids: AM01xx reading files, AM02xx structure and references, AM03xx what the analysis needs from a
/// model, AM04xx what the analysis leaves out, AM05xx timing.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/location.hpp"

namespace amalthea {

enum class Severity : std::uint8_t { note, warning, error };

std::string_view to_string(Severity);

struct Diagnostic {
  std::string id;  ///< stable, e.g. "AM0203"
  Severity severity = Severity::error;
  std::string message;  ///< one sentence: what is wrong and what was expected
  Location location;
  std::string path;         ///< AMALTHEA path such as "swModel/tasks/DASM"; empty if it concerns the whole file
  std::uint64_t count = 1;  ///< number of items the finding is about, e.g. label accesses
  std::vector<Origin> elements = {};  ///< of a finding about several: these, if known; `location` is that of the first
};

/// "file:line:column: error: message [AM0203]", without unknown parts.
std::string format(const Diagnostic&);

/// The text with line breaks, tabs and other control characters spelled out (visible_text): a name in a model may be
/// anything. So is "#" in "##[" and "##vso[", on which logs of builds act anywhere in a line.
std::string one_line(std::string_view text);

class Diagnostics {
 public:
  /// Ignores a finding with the same text and location as a recent one.
  void add(std::string_view id, Severity severity, std::string message, Location location = {}, std::string path = {},
           std::uint64_t count = 1, std::vector<Origin> elements = {});
  const std::vector<Diagnostic>& all() const { return all_; }
  bool has_errors() const { return errors_ > 0; }
  std::size_t errors() const { return errors_; }

 private:
  /// How many recent findings are compared, so that many findings do not cost quadratic time.
  std::ptrdiff_t recent() const { return static_cast<std::ptrdiff_t>(all_.size() < 200 ? all_.size() : 200); }

  std::vector<Diagnostic> all_;
  std::size_t errors_ = 0;
};

}  // namespace amalthea
