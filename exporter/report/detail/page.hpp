// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The pages for people: self-contained HTML files with their data.

#include <cstdint>
#include <string>

#include "exporter/results/result_view.hpp"

namespace amalthea::exporter {

enum class Page : std::uint8_t { report, comparison, policies };

struct PageContent {
  std::string title;
  std::string data;   ///< one JSON object
  std::string graph;  ///< SVG, for the report; for policies, several with titles
  std::string first;  ///< HTML in its first section, for the report
};

/// The name of the model's first file, and how many more there are.
std::string page_title(const ModelInfo& model);

/// Its policy allows only its own scripts and styles; text of the content never becomes markup.
std::string render_page(Page page, const PageContent& content);

}  // namespace amalthea::exporter
