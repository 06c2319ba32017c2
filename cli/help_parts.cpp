// SPDX-License-Identifier: Apache-2.0
#include "cli/help_parts.hpp"

#include <algorithm>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/help.hpp"

namespace amalthea::cli {
namespace {

constexpr std::size_t max_words = 50;  ///< characters of alternatives beside an option; longer ones go into its text

}  // namespace

bool is_rare(const std::string& group) { return group.ends_with(rare_mark); }

std::string heading(const std::string& group) {
  return is_rare(group) ? group.substr(0, group.size() - rare_mark.size()) : group;
}

std::string_view first_sentence(std::string_view text) { return text.substr(0, text.find(". ")); }

/// "text|json" of an option that takes one of several words; nothing of others.
std::string alternatives(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto begin = type.find('{');
  if (begin == std::string::npos || !type.starts_with("TEXT")) return {};
  std::string words = type.substr(begin + 1, type.find('}') - begin - 1);
  std::replace(words.begin(), words.end(), ',', '|');
  return words;
}

/// What an option takes.
std::string value_of(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0 || option.get_type_size() == 0) return {};
  const std::string type = option.get_type_name();
  if (const std::string words = alternatives(option); !words.empty()) return words.size() > max_words ? "NAME" : words;
  if (type.starts_with("UINT") || type.starts_with("INT") || type.starts_with("FLOAT")) return "N";
  return type.substr(0, type.find(':'));
}

std::string name_of(const CLI::Option& option) {
  if (!option.get_option_text().empty()) return option.get_option_text();
  if (option.get_positional()) return option.get_name(true) + (option.get_expected_max() > 1 ? "..." : "");
  std::string name = option.get_name(false, true);
  for (std::size_t at = name.find(",-"); at != std::string::npos; at = name.find(",-", at + 2))
    name.insert(at + 1, " ");
  const std::string value = value_of(option);
  return value.empty() ? name : name + ' ' + value;
}

std::string description_of(const CLI::Option& option, bool whole) {
  std::string text = option.get_description();
  if (!whole) text = first_sentence(text);
  if (const std::string words = alternatives(option); words.size() > max_words)
    text += ": " + CLI::detail::find_and_replace(words, "|", ", ");
  if (option.get_required() && option.nonpositional()) text += " (required)";
  std::string preset = option.get_default_str();
  if (preset.size() > 1 && preset.front() == '[' && preset.back() == ']') preset = preset.substr(1, preset.size() - 2);
  if (!preset.empty()) text += fmt::format(" (default: {})", preset);
  return text;
}

/// The headings in their order, each once.
std::vector<std::string> headings_of(const CLI::App& app) {
  std::vector<std::string> headings;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = heading(option->get_group());
    if (name.empty() || option->get_positional()) continue;
    if (std::find(headings.begin(), headings.end(), name) == headings.end()) headings.push_back(name);
  }
  // Those that many verbs have stand last.
  for (const std::string_view common : {group::findings, group::verdict, group::limits, "Options"})
    std::stable_partition(headings.begin(), headings.end(), [&](const std::string& name) { return name != common; });
  return headings;
}

std::vector<const CLI::Option*> options_under(const CLI::App& app, const std::string& name, bool with_rare) {
  auto options = app.get_options([&](const CLI::Option* option) {
    return !option->get_positional() && heading(option->get_group()) == name &&
           (with_rare || !is_rare(option->get_group()));
  });
  std::stable_partition(options.begin(), options.end(), [&](const CLI::Option* option) {
    return option != app.get_help_ptr() && option != app.get_help_all_ptr();
  });
  return options;
}

std::vector<const CLI::App*> verbs_under(const CLI::App& app, const std::string& group) {
  return app.get_subcommands([&](const CLI::App* verb) { return verb->get_group() == group; });
}

std::vector<std::string> verb_groups(const CLI::App& app) {
  std::vector<std::string> groups;
  for (const CLI::App* verb : app.get_subcommands({}))
    if (std::find(groups.begin(), groups.end(), verb->get_group()) == groups.end()) groups.push_back(verb->get_group());
  return groups;
}

std::string usage_of(const CLI::App& app, const std::string& command) {
  std::string usage = command + " [OPTIONS]";
  for (const CLI::Option* option : app.get_options([](const CLI::Option* each) { return each->get_positional(); }))
    usage += option->get_required() ? ' ' + name_of(*option) : " [" + name_of(*option) + ']';
  if (!app.get_subcommands({}).empty()) usage += app.get_require_subcommand_min() > 0 ? " VERB" : " [VERB]";
  return usage;
}

}  // namespace amalthea::cli
