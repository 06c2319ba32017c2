// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Manual pages and shell completion, made from the options as the verbs declare them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>

namespace amalthea::cli {

/// The names of all pages: "amalthea", "amalthea-analyze", "amalthea-gpu-run", …
std::vector<std::string> manual_names(const CLI::App& app);
/// In roff, for section 1 and the version `version`; nothing for another name.
std::optional<std::string> manual_page(const CLI::App& app, std::string_view name, std::string_view version);

/// Shells for which there is completion.
inline constexpr const char* shells[] = {"bash", "zsh", "fish"};
/// A script for one of them: verbs, options, words that options take, files elsewhere.
std::string completion(const CLI::App& app, std::string_view shell);

}  // namespace amalthea::cli
