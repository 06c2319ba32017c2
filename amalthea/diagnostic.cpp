// SPDX-License-Identifier: Apache-2.0
#include "amalthea/diagnostic.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "amalthea/primitives/visible_text.hpp"

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

std::string one_line(std::string_view text) {
  const std::string visible = visible_text(text);
  std::string out;
  out.reserve(visible.size());
  for (const char c : visible)
    if (c == '\n' || c == '\t')
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  return out;
}

std::string format(const Diagnostic& diagnostic) {
  std::string text;
  const Location& at = diagnostic.location;
  if (!at.file.empty()) text += at.file + ":";
  if (at.line != 0) text += fmt::format("{}:{}:", at.line, at.column);
  if (!text.empty()) text += " ";
  // A file may be named like a command for the reader of lines; an absolute path without blanks is none.
  const bool is_path = at.file.starts_with('/') &&
                       std::all_of(at.file.begin(), at.file.end(), [](char c) { return c > ' ' && c <= '~'; });
  return (is_path ? one_line(text) : line_start(text)) +
         fmt::format("{}: {} [{}]", to_string(diagnostic.severity), one_line(diagnostic.message), diagnostic.id);
}

void Diagnostics::add(std::string_view id, Severity severity, std::string message, Location location, std::string path,
                      std::uint64_t count, std::vector<Origin> elements) {
  // The same fault may be found again along another path through the model.
  const auto same = [&](const Diagnostic& other) {
    return other.id == id && other.location == location && other.message == message;
  };
  if (location.line != 0 && !all_.empty() &&
      std::find_if(all_.rbegin(), all_.rbegin() + recent(), same) != all_.rbegin() + recent())
    return;
  if (severity == Severity::error) ++errors_;
  all_.push_back({std::string(id), severity, std::move(message), std::move(location), std::move(path), count,
                  std::move(elements)});
}

}  // namespace amalthea
