// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The Markdown of the documentation: its pages, fenced blocks, links and headings.

#include <set>
#include <string>
#include <vector>

namespace test {

/// Every .md file of the repository that people read, relative to its root: at the top, in docs/ and in samples/.
std::vector<std::string> documentation_pages();

std::vector<std::string> lines_of(const std::string& text);

/// A block between two fences (``` or longer).
struct FencedBlock {
  std::string language;            ///< first word after the opening fence, such as "console"
  std::string file;                ///< NAME when the info string contains file=NAME
  std::size_t first = 0, end = 0;  ///< lines between the fences, counted from 0; `end` is the closing fence
  std::vector<std::string> lines;  ///< without the indentation of the opening fence
  std::string indentation;         ///< of the opening fence
};
std::vector<FencedBlock> fenced_blocks(const std::string& page);

struct Link {
  std::string target;    ///< as written, such as "reference/gpu.md#streams"
  std::size_t line = 0;  ///< counted from 1
};
/// Links and pictures outside of code, in Markdown or in HTML (href, src).
std::vector<Link> links(const std::string& page);

/// The #anchors of a page by GitHub's rules: its headings, and elements with an id or a name.
std::set<std::string> anchors(const std::string& page);

}  // namespace test
