// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What an editor shows about an element: hovers and code lenses.

#include <optional>
#include <string>

#include "lsp/model_state.hpp"
#include "lsp/navigation.hpp"

namespace amalthea::lsp {

/// Hover text in Markdown: class and path of the element at a place, or of the element that is referenced there; its
/// timing and the parts of its bound, if it was analyzed; what an attribute may contain. "" if there is no element.
std::string description_of(const Subject& subject, const Timing* timing);

/// One line about a task or an ISR: its response time, the verdict and what the time consists of. One about an event
/// chain: its latencies. Nothing for other elements, and where the model was not analyzed.
std::optional<std::string> verdict_line(Element element, const Timing& timing);

}  // namespace amalthea::lsp
