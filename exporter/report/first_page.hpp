// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a review needs on one sheet: the verdict, its causes, the plan, what is assumed, key figures, and room for the
/// decision. One function states it; a page and Markdown show the same.

#include <string>
#include <vector>

#include "exporter/primitives/text_table.hpp"
#include "exporter/results/result_view.hpp"

namespace amalthea::exporter {

struct FirstPage {
  static constexpr std::size_t most_steps = 8;

  struct Part {
    std::string id;     ///< of its element in a page
    std::string title;  ///< "": none
    std::vector<std::string> paragraphs;
    std::vector<std::string> steps;   ///< a numbered list below them; `most_steps` of them stand on the sheet
    std::vector<std::string> notes;   ///< below those
    TextTable table = TextTable({});  ///< empty: none
  };
  std::string title;          ///< the name of the model
  std::string verdict;        ///< its sentence
  std::string symbol, style;  ///< of the verdict: what stands before it, and its class
  std::vector<Part> parts;
};

/// Causes and a plan appear if the view has them.
FirstPage first_page(const ResultView& view);

/// To send to a team.
std::string render_first_page_markdown(const FirstPage& page);
/// Without what stands around it in a page, its title included.
std::string render_first_page_html(const FirstPage& page);

}  // namespace amalthea::exporter
