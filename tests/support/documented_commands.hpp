// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Commands of the documentation and what they print. A ```console block holds commands, each after "$ " (a "\" at the
/// end of a line continues it), and below each one its output: standard error and standard output as a terminal shows
/// them. "# exit code N" below the output states an exit code other than 0. A line "…" stands for any number of lines,
/// and "…" within a line for any text. A block with file=NAME in its info string writes that file first.
/// CONTRIBUTING.md describes the form for authors.

#include <string>
#include <vector>

namespace test {

/// Whether the lines that a command printed are the expected ones.
bool as_expected(const std::vector<std::string>& expected, const std::vector<std::string>& printed);

/// What was printed, with the "…" of `expected` where they still stand for something.
std::vector<std::string> updated(const std::vector<std::string>& expected, const std::vector<std::string>& printed);

struct PageRun {
  std::vector<std::string> failures;   ///< "docs/page.md:LINE: …", with what was expected and what was printed
  std::vector<std::string> rewritten;  ///< the same places that `text` updates, where somebody should look
  std::string text;                    ///< the page with the output that the commands print now
  std::size_t commands = 0;
};

/// Runs the commands of a page in order, through bash, in one new folder with a copy of samples/ and docs/ in it.
/// `name` is for messages.
PageRun run_commands(const std::string& name, const std::string& page);

}  // namespace test
