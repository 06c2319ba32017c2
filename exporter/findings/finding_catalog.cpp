// SPDX-License-Identifier: Apache-2.0
#include "exporter/findings/finding_catalog.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "amalthea/primitives/ascii.hpp"

namespace amalthea::exporter {
namespace {

#include "finding_catalog.inc"

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// Takes the text up to the next `separator` off the front of `rest`.
std::string_view take(std::string_view& rest, char separator) {
  const auto end = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

Severity severity_of(std::string_view text) {
  return text == "error" ? Severity::error : text == "warning" ? Severity::warning : Severity::note;
}

/// Rows `| AM0203 | error | A reference … |`, `| AM0407 | warning, unknown | …` below headings `## AM02xx Structure and
/// references`.
std::vector<FindingKind> read_catalog() {
  std::vector<FindingKind> kinds;
  std::string_view chapter;
  for (std::string_view rest = documentation; !rest.empty();) {
    std::string_view line = take(rest, '\n');
    if (line.starts_with("## AM")) chapter = trimmed(line.substr(line.find(' ', 3)));
    if (!line.starts_with("| AM")) continue;
    take(line, '|');
    FindingKind kind;
    kind.id = trimmed(take(line, '|'));
    std::string_view severity = take(line, '|');
    kind.severity = severity_of(trimmed(take(severity, ',')));
    kind.consequence = trimmed(severity);
    kind.explanation = trimmed(line.substr(0, line.rfind('|')));
    kind.chapter = chapter;
    kinds.push_back(kind);
  }
  std::sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return kinds;
}

}  // namespace

std::string_view FindingKind::summary() const {
  const auto end = explanation.find(". ");
  return end == std::string_view::npos ? explanation : explanation.substr(0, end + 1);
}

const std::vector<FindingKind>& finding_catalog() {
  static const std::vector<FindingKind> catalog = read_catalog();
  return catalog;
}

std::string help_uri(std::string_view homepage, const FindingKind& kind) {
  if (!homepage.starts_with("http")) return fmt::format("{}:{}", homepage, kind.id);
  while (homepage.ends_with('/')) homepage.remove_suffix(1);
  std::string anchor = lower_case(fmt::format("{}xx-{}", kind.id.substr(0, 4), kind.chapter));
  std::replace(anchor.begin(), anchor.end(), ' ', '-');
  return fmt::format("{}/docs/reference/diagnostics.md#{}", homepage, anchor);
}

std::size_t find_finding_kind(std::string_view id) {
  const auto& catalog = finding_catalog();
  const auto found = std::lower_bound(catalog.begin(), catalog.end(), id,
                                      [](const FindingKind& kind, std::string_view text) { return kind.id < text; });
  return found != catalog.end() && found->id == id ? static_cast<std::size_t>(found - catalog.begin()) : catalog.size();
}

}  // namespace amalthea::exporter
