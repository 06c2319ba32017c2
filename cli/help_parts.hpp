// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The description of verbs and options, piece by piece: for help, manual pages and completion.

#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>

namespace amalthea::cli {

inline constexpr std::string_view rare_mark = " (rare)";
bool is_rare(const std::string& group);
/// The group without that mark.
std::string heading(const std::string& group);

std::string_view first_sentence(std::string_view text);
/// "text|json" of an option that takes one of several words; nothing of others.
std::string alternatives(const CLI::Option& option);
/// What an option takes: "FILE", "N"; "" for nothing.
std::string value_of(const CLI::Option& option);
/// "-o, --output FILE".
std::string name_of(const CLI::Option& option);
/// Its first sentence or all of it, with the default.
std::string description_of(const CLI::Option& option, bool whole);

/// The headings over options in their order, each once.
std::vector<std::string> headings_of(const CLI::App& app);
std::vector<const CLI::Option*> options_under(const CLI::App& app, const std::string& name, bool with_rare);
std::vector<const CLI::App*> verbs_under(const CLI::App& app, const std::string& group);
std::vector<std::string> verb_groups(const CLI::App& app);
/// "amalthea analyze [OPTIONS] MODEL..."
std::string usage_of(const CLI::App& app, const std::string& command);
/// As `describe` got them.
std::vector<std::string> examples_of(const CLI::App& app);

}  // namespace amalthea::cli
