// SPDX-License-Identifier: Apache-2.0
#include "exporter/findings/fingerprints.hpp"

#include <charconv>
#include <filesystem>
#include <string_view>

#include <fmt/core.h>

#include "exporter/results/result_view.hpp"

namespace amalthea::exporter {
namespace {

/// The message without references to lines, which move ("the one at line 12").
std::string essence(std::string_view message) {
  std::string text;
  constexpr std::string_view mark = "line ";
  while (!message.empty()) {
    const auto at = message.find(mark);
    if (at == std::string_view::npos) break;
    text += message.substr(0, at + mark.size());
    message.remove_prefix(at + mark.size());
    while (!message.empty() && message.front() >= '0' && message.front() <= '9') message.remove_prefix(1);
  }
  return text.append(message);
}

}  // namespace

std::string Fingerprints::next(const Diagnostic& finding) {
  const std::string file = std::filesystem::path(finding.location.file).filename().string();
  const std::string hash =
      hash_of_text(fmt::format("{}\n{}\n{}\n{}", finding.id, file, finding.path, essence(finding.message)));
  std::uint64_t beginning = 0;
  std::from_chars(hash.data(), hash.data() + 16, beginning, 16);
  return fmt::format("{}:{}", hash.substr(0, 32), ++seen_[beginning]);
}

}  // namespace amalthea::exporter
