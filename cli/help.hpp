// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What `--help` and `--help-all` print, and the page docs/reference/commands.md. All three are made from the options
/// as the verbs declare them.

#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>

#include "analysis/option.hpp"

namespace amalthea::cli {

/// Headings over options. An option says where it is declared under which one it stands: `->group(group::output)`, or
/// `->group(rarely(group::output))` if only --help-all shows it. The first sentence of its description is what --help
/// shows, --help-all shows all of it.
namespace group {
// Of verbs
inline constexpr const char* understand = "Understand and check a model";
inline constexpr const char* timing = "Analyze timing";
inline constexpr const char* measured = "Compare with measurements";
inline constexpr const char* improve = "Improve a mapping";
inline constexpr const char* many = "Many models and other formats";
inline constexpr const char* gpu = "GPU models";
// Of options, beside those of the rows
using namespace analysis::group;
inline constexpr const char* tree = "Whole folders";
}  // namespace group

std::string rarely(std::string_view group);

/// `examples` are command lines, each with what it does behind `#`. `footer` is for --help-all: lines that begin with a
/// space stay as they are, others are wrapped.
void describe(CLI::App& verb, std::vector<std::string> examples, const std::string& footer = {});

/// docs/reference/commands.md, in Markdown.
std::string commands_page(const CLI::App& app);

}  // namespace amalthea::cli
