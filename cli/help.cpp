// SPDX-License-Identifier: Apache-2.0
#include "cli/help.hpp"

#include "cli/help_parts.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

namespace amalthea::cli {
namespace {

constexpr std::size_t width = 80;
constexpr std::size_t option_indent = 24;  ///< of descriptions
constexpr std::size_t verb_indent = 15;    ///< the same, of verbs
/// Breaks `text` into lines of at most `width` characters; what stands before the first one is `column` wide.
std::string wrapped(std::string_view text, std::size_t column, std::size_t margin) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (column > margin && column + 1 + word.size() > width) {
      result += '\n' + std::string(margin, ' ');
      column = margin;
    } else if (column > margin) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result + '\n';
}

std::string entry(const std::string& name, std::string_view description, std::size_t indent = option_indent) {
  std::string line = "  " + name;
  if (line.size() + 2 > indent)
    line += '\n' + std::string(indent, ' ');
  else
    line.resize(indent, ' ');
  return line + wrapped(description, indent, indent);
}

std::string paragraphs(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    result += line.starts_with(' ') ? std::string(line) + '\n' : wrapped(line, 0, 0);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::vector<std::string> examples) : examples_(std::move(examples)) {}

  const std::vector<std::string>& examples() const { return examples_; }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    const bool all = mode == CLI::AppFormatMode::All;
    std::string help = wrapped(app->get_description() + '.', 0, 0);
    help += "\nUsage: " + wrapped(usage_of(*app, name), 7, 7);
    if (!examples_.empty()) help += "\nExamples:\n";
    for (const std::string& example : examples_) help += "  " + example + '\n';
    std::string arguments;
    for (const CLI::Option* option : app->get_options([](const CLI::Option* each) { return each->get_positional(); }))
      arguments += entry(name_of(*option), description_of(*option, all));
    if (!arguments.empty()) help += "\nArguments:\n" + arguments;
    for (const std::string& group : verb_groups(*app)) {
      help += fmt::format("\n{}:\n", group);
      for (const CLI::App* verb : verbs_under(*app, group))
        help += entry(verb->get_name(), verb->get_description(), verb_indent);
    }
    for (const std::string& group : headings_of(*app)) {
      const auto options = options_under(*app, group, all);
      if (options.empty()) continue;
      help += fmt::format("\n{}:\n", group);
      for (const CLI::Option* option : options) help += entry(name_of(*option), description_of(*option, all));
    }
    if (all) {
      const std::string footer = paragraphs(app->get_footer());
      if (!footer.empty()) help += '\n' + footer;
    } else if (!app->get_subcommands({}).empty() && app->get_require_subcommand_min() > 0) {
      help += fmt::format("\n{} VERB --help describes a verb.\n", name);
    }
    return help;
  }

 private:
  std::vector<std::string> examples_;
};

/// A cell of a table.
std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

void add_verb(const CLI::App& app, const std::string& command, std::string& page) {
  page += fmt::format("\n## {}\n\n{}.\n\n```\n{}\n```\n", command, app.get_description(), usage_of(app, command));
  const auto examples = examples_of(app);
  if (!examples.empty()) page += "\nExamples:\n\n```\n";
  for (const std::string& example : examples) page += example + '\n';
  if (!examples.empty()) page += "```\n";
  std::string arguments;
  for (const CLI::Option* option : app.get_options([](const CLI::Option* each) { return each->get_positional(); }))
    arguments += fmt::format("| `{}` | {} |\n", cell(name_of(*option)), cell(description_of(*option, true)));
  if (!arguments.empty()) page += "\n| argument | meaning |\n| --- | --- |\n" + arguments;
  for (const std::string& group : headings_of(app)) {
    std::string rows;
    for (const CLI::Option* option : options_under(app, group, true))
      if (option != app.get_help_ptr() && option != app.get_help_all_ptr())
        rows += fmt::format("| `{}` | {} |\n", cell(name_of(*option)), cell(description_of(*option, true)));
    if (rows.empty()) continue;
    page += fmt::format("\n| {} | |\n| --- | --- |\n{}", group, rows);
  }
  const std::string footer = app.get_footer();
  if (!footer.empty())
    page += footer.find("\n ") == footer.npos ? '\n' + footer + '\n' : "\n```\n" + footer + "\n```\n";
  for (const CLI::App* verb : app.get_subcommands({})) add_verb(*verb, command + ' ' + verb->get_name(), page);
}

}  // namespace

std::vector<std::string> examples_of(const CLI::App& app) {
  const auto* formatter = dynamic_cast<const HelpFormatter*>(app.get_formatter().get());
  return formatter != nullptr ? formatter->examples() : std::vector<std::string>{};
}

std::string rarely(std::string_view group) { return fmt::format("{}{}", group, rare_mark); }

void describe(CLI::App& verb, std::vector<std::string> examples, const std::string& footer) {
  verb.formatter(std::make_shared<HelpFormatter>(std::move(examples)));
  verb.footer(footer);
}

std::string commands_page(const CLI::App& app) {
  std::string page =
      "<!-- Generated from the options that cli/ declares. Do not edit: change them there, build, and run\n"
      "tools/commands-page. -->\n\n# Commands\n\n";
  page += fmt::format("{}.\nEvery verb has `--help` (the usual options) and `--help-all` (all options).\n\n",
                      app.get_description());
  page += "| verb | what it does |\n| --- | --- |\n";
  for (const CLI::App* verb : app.get_subcommands({}))
    page += fmt::format("| [{0}](#amalthea-{0}) | {1} |\n", verb->get_name(), cell(verb->get_description()));
  for (const CLI::App* verb : app.get_subcommands({})) add_verb(*verb, "amalthea " + verb->get_name(), page);
  return page;
}

}  // namespace amalthea::cli
