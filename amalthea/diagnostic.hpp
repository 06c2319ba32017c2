#pragma once
/// \file
/// What is wrong, or worth knowing, in an input: one `Diagnostic` per finding, collected, never thrown.
///
/// Every id has exactly one place in the code that makes it and one entry in docs/diagnostics.md; a test keeps
/// the two in step. Ids: AM01xx reading files, AM02xx structure and references, AM03xx what the analysis needs
/// of a model, AM04xx what the analysis leaves out, AM05xx timing.

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
  std::string path;  ///< AMALTHEA path such as "swModel/tasks/DASM"; empty when about the whole file
};

/// "file:line:column: error: message [AM0203]", without the parts that are unknown.
std::string format(const Diagnostic&);

class Diagnostics {
 public:
  void add(std::string_view id, Severity severity, std::string message, Location location = {}, std::string path = {});
  const std::vector<Diagnostic>& all() const { return all_; }
  bool has_errors() const { return errors_ > 0; }
  std::size_t errors() const { return errors_; }

 private:
  std::vector<Diagnostic> all_;
  std::size_t errors_ = 0;
};

}  // namespace amalthea
