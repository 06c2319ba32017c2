// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Small hand-written models: the text around the content that a test is about.

#include <string>
#include <string_view>

#include "amalthea/element.hpp"

namespace test {

/// The content, from the second line on, within the root element of a version.
std::string in_root(std::string_view content, std::string_view version = "3.3.0");
/// The same as a file: with the XML declaration as its first line.
std::string model_text(std::string_view content, std::string_view version = "3.3.0");
/// The model; fails the test if it is unreadable.
amalthea::Model model_of(std::string_view version, std::string_view content);

/// The content of the root element in a model's text.
std::string content_of(const std::string& text);

}  // namespace test
