#include "amalthea/diagnostic.hpp"

#include <utility>

#include <fmt/core.h>

namespace amalthea {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "error";
}

std::string format(const Diagnostic& diagnostic) {
  std::string text;
  const Location& at = diagnostic.location;
  if (!at.file.empty()) text += at.file + ":";
  if (at.line != 0) text += fmt::format("{}:{}:", at.line, at.column);
  if (!text.empty()) text += " ";
  return text + fmt::format("{}: {} [{}]", to_string(diagnostic.severity), diagnostic.message, diagnostic.id);
}

void Diagnostics::add(std::string_view id, Severity severity, std::string message, Location location,
                      std::string path) {
  if (severity == Severity::error) ++errors_;
  all_.push_back({std::string(id), severity, std::move(message), std::move(location), std::move(path)});
}

}  // namespace amalthea
