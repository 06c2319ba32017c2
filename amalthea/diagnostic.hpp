// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What is wrong, or worth knowing, in an input: one `Diagnostic` per finding, collected, never thrown.
///
/// Every id has exactly one place in the code that makes it and one entry in docs/reference/diagnostics.md; a test keeps
/// the two in step. Ids: AM01xx reading files, AM02xx structure and references, AM03xx what the analysis needs
/// of a model, AM04xx what the analysis leaves out, AM05xx timing.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace amalthea {

enum class Severity : std::uint8_t { note, warning, error };

std::string_view to_string(Severity);

/// Where something stands in a file. line and column count from 1; 0 means that no place is known.
/// Columns count characters (code points), not bytes.
struct Location {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend bool operator==(const Location&, const Location&) = default;
};

struct Diagnostic {
  std::string id;  ///< stable, e.g. "AM0203"
  Severity severity = Severity::error;
  std::string message;  ///< one sentence: what is wrong and what was expected
  Location location;
  std::string path;         ///< AMALTHEA path such as "swModel/tasks/DASM"; empty when about the whole file
  std::uint64_t count = 1;  ///< how many things of its kind the finding is about, e.g. label accesses
};

/// "file:line:column: error: message [AM0203]", without the parts that are unknown.
std::string format(const Diagnostic&);

/// The text with line breaks and tabs as blanks and other control characters spelled out (visible_text): names in a
/// model may hold anything.
std::string one_line(std::string_view text);

class Diagnostics {
 public:
  /// A finding that repeats a recent one word for word and place for place is not added again.
  void add(std::string_view id, Severity severity, std::string message, Location location = {}, std::string path = {},
           std::uint64_t count = 1);
  const std::vector<Diagnostic>& all() const { return all_; }
  bool has_errors() const { return errors_ > 0; }
  std::size_t errors() const { return errors_; }

 private:
  /// How far back a repetition is looked for, so that many findings do not cost quadratic time.
  std::ptrdiff_t recent() const { return static_cast<std::ptrdiff_t>(all_.size() < 200 ? all_.size() : 200); }

  std::vector<Diagnostic> all_;
  std::size_t errors_ = 0;
};

}  // namespace amalthea
