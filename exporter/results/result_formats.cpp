// SPDX-License-Identifier: Apache-2.0
#include "exporter/results/result_formats.hpp"

#include <array>

namespace amalthea::exporter {
namespace {

constexpr auto all_formats = std::to_array<ResultFormat>({{"text", render_text},
                                                          {"json", render_json},
                                                          {"csv", render_csv},
                                                          {"markdown", render_markdown},
                                                          {"junit", render_junit, render_findings_junit},
                                                          {"github", render_github, render_findings_github}});

}  // namespace

std::span<const ResultFormat> result_formats() { return all_formats; }

const ResultFormat* find_result_format(std::string_view name) {
  for (const ResultFormat& format : all_formats)
    if (format.name == name) return &format;
  return nullptr;
}

}  // namespace amalthea::exporter
