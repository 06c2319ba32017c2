// SPDX-License-Identifier: Apache-2.0
#include "cli/usage_error.hpp"

#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "amalthea/diagnostic.hpp"
#include "amalthea/primitives/near_miss.hpp"

namespace amalthea::cli {
namespace {

/// "amalthea gpu run"
std::string command_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : fmt::format("{} {}", command_of(*app.get_parent()), app.get_name());
}

/// The intended verb, as far as it was recognized.
CLI::App& innermost(CLI::App& app) {
  CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().back();
  return *at;
}

std::vector<CLI::App*> verbs_of(CLI::App& app) {
  return app.get_subcommands([](const CLI::App* verb) { return !verb->get_name().empty(); });
}

std::string without_dashes(std::string_view option) {
  while (option.starts_with('-')) option.remove_prefix(1);
  return std::string(option.substr(0, option.find('=')));
}

/// `--format` for an argument such as `--formta=json`; else the verbs that have the option.
std::string option_suggestion(CLI::App& app, CLI::App& verb, const std::string& argument) {
  const std::string name = without_dashes(argument);
  std::vector<std::string> known;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& long_name : option->get_lnames()) known.push_back("--" + long_name);
  NearMisses near(name);
  for (const std::string& option : known) near.offer(std::string_view(option).substr(2), option);
  std::string verbs;
  for (const CLI::App* other : verbs_of(app))
    for (const CLI::Option* option : other->get_options())
      if (other != &verb && option->check_lname(name))
        verbs += fmt::format("{}{}", verbs.empty() ? "" : ", ", other->get_name());
  if (near.nearest().empty() && !verbs.empty()) return fmt::format("; it is an option of {}", verbs);
  return near.suggestion();
}

/// `unknown verb "analyse"`, or the list of verbs.
std::string verb_message(CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  std::string list;
  for (const CLI::App* verb : verbs_of(app)) {
    names.push_back(verb->get_name());
    list += fmt::format("{}{}", list.empty() ? "" : ", ", names.back());
  }
  if (arguments.empty() || arguments.front().starts_with('-'))
    return fmt::format("the verb is missing; use {} VERB with one of {}", command_of(app), list);
  const std::string suggestion = did_you_mean(arguments.front(), names);
  return fmt::format("unknown verb \"{}\"{}", arguments.front(),
                     suggestion.empty() ? fmt::format("; expected one of {}", list) : suggestion);
}

/// For "--format: xml not in {text,json}": what is expected instead of xml.
std::string expected_word(const std::string& message) {
  constexpr std::string_view marker = " not in {";
  const auto at = message.find(marker);
  const auto colon = message.rfind(": ", at);
  if (at == std::string::npos || colon == std::string::npos) return message;
  const std::string wrong = message.substr(colon + 2, at - colon - 2);
  std::string_view list = std::string_view(message).substr(at + marker.size());
  list = list.substr(0, list.find('}'));
  NearMisses near(wrong);
  std::string words;
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    near.offer(list.substr(0, end));
    words += fmt::format("{}{}", words.empty() ? "" : ", ", list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return fmt::format("{} {}: expected one of {}{}", message.substr(0, colon), wrong, words, near.suggestion());
}

/// For "--runs: Value abc not in range 1 to 10": what is expected instead of abc.
std::string expected_range(const CLI::App& verb, const std::string& message) {
  constexpr std::string_view value = ": Value ", range = " not in range ";
  const auto at = message.find(value), end = message.find(range);
  if (at == message.npos || end == message.npos) return message;
  const std::string name = message.substr(0, at);
  const CLI::Option* option = verb.get_option_no_throw(name);
  const bool real = option != nullptr && option->get_type_name().starts_with("FLOAT");
  return fmt::format("{} {}: expected a {} from {}", name, message.substr(at + value.size(), end - at - value.size()),
                     real ? "number" : "whole number", message.substr(end + range.size()));
}

/// For "--until: 1 required TIME missing".
std::string missing_value(const CLI::App& verb, const std::string& message) {
  const std::string name = message.substr(0, message.find(": "));
  const CLI::Option* option = verb.get_option_no_throw(name);
  if (option == nullptr || !message.ends_with(" missing")) return message;
  const std::string short_name = option->get_snames().empty() ? "" : fmt::format("-{} ", option->get_snames().front());
  return short_name.empty() ? fmt::format("{} requires a value", name)
                            : fmt::format("{}({}) requires a value", short_name, name);
}

/// For "--output is required": its short name, too.
std::string required_option(const CLI::App& verb, const std::string& message) {
  const std::string name = message.substr(0, message.find(' '));
  const CLI::Option* option = verb.get_option_no_throw(name);
  if (option == nullptr || option->get_snames().empty() || !name.starts_with("--")) return message;
  return fmt::format("-{} ({}){}", option->get_snames().front(), name, message.substr(name.size()));
}

/// For "Could not convert: --max-depth = deep": what is expected instead of deep.
std::string expected_number(const CLI::App& verb, std::string message) {
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_lnames().empty() || message.find(" --" + option->get_lnames().front() + " ") == message.npos)
      continue;
    const auto equals = message.find(" = ");
    if (equals == message.npos) break;
    const std::string given =
        fmt::format("--{} {}", option->get_lnames().front(), std::string_view(message).substr(equals + 3));
    const std::string type = option->get_type_name();
    if (type.starts_with("UINT")) return given + ": expected a whole number of 0 or more";
    if (type.starts_with("INT")) return given + ": expected a whole number";
    if (type.starts_with("FLOAT")) return given + ": expected a number";
  }
  return message;
}

/// Their names are not helpful: some are named after the verb.
template <typename Kind>
bool is_a(const CLI::ParseError& error) {
  return dynamic_cast<const Kind*>(&error) != nullptr;
}

}  // namespace

std::string usage_fault(CLI::App& app, const CLI::ParseError& error) {
  CLI::App& verb = innermost(app);
  std::string message = error.what();
  const std::vector<std::string> left = app.remaining(true);
  const bool wants_verb = verb.get_require_subcommand_min() > 0;
  if (wants_verb && (message.starts_with("A subcommand is required") || is_a<CLI::ExtrasError>(error))) {
    message = verb_message(verb, left);
  } else if (is_a<CLI::ExtrasError>(error)) {
    const auto option =
        std::find_if(left.begin(), left.end(), [](const std::string& argument) { return argument.starts_with('-'); });
    if (option != left.end())
      message = fmt::format("unknown option {}{}", *option, option_suggestion(app, verb, *option));
    else if (!left.empty())
      message = fmt::format("unexpected argument \"{}\"", left.front());
  } else if (is_a<CLI::ValidationError>(error)) {
    message = expected_range(verb, expected_word(message));
  } else if (is_a<CLI::ArgumentMismatch>(error)) {
    message = missing_value(verb, message);
  } else if (is_a<CLI::RequiredError>(error)) {
    message = required_option(verb, message);
  } else if (is_a<CLI::ConversionError>(error)) {
    message = expected_number(verb, message);
  }
  return message;
}

std::string describe_usage_error(CLI::App& app, const CLI::ParseError& error) {
  return fmt::format("amalthea: error: {}\nSee {} --help.\n", one_line(usage_fault(app, error)),
                     command_of(innermost(app)));
}

}  // namespace amalthea::cli
