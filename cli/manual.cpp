// SPDX-License-Identifier: Apache-2.0
#include "cli/manual.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/help_parts.hpp"

namespace amalthea::cli {
namespace {

/// A verb with the words that call it: {"amalthea", "gpu", "run"}.
struct VerbPage {
  const CLI::App* app;
  std::vector<std::string> words;

  std::string joined(const char* separator) const { return fmt::format("{}", fmt::join(words, separator)); }
};

void collect(const CLI::App& app, std::vector<std::string> words, std::vector<VerbPage>& verbs) {
  words.push_back(words.empty() ? "amalthea" : app.get_name());
  verbs.push_back({&app, words});
  for (const CLI::App* verb : app.get_subcommands({})) collect(*verb, words, verbs);
}

std::vector<VerbPage> all_verbs(const CLI::App& app) {
  std::vector<VerbPage> verbs;
  collect(app, {}, verbs);
  return verbs;
}

/// Text of a manual page: a line that begins with a control character is protected.
std::string roff(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((i == 0 || text[i - 1] == '\n') && (text[i] == '.' || text[i] == '\'')) result += "\\&";
    if (text[i] == '\\')
      result += "\\e";
    else if (text[i] == '-')
      result += "\\-";
    else
      result += text[i];
  }
  return result;
}

std::string block(const std::string& lines) { return fmt::format(".nf\n{}.fi\n", roff(lines)); }

std::vector<const CLI::Option*> arguments_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

bool is_public(const CLI::Option& option) { return !option.get_group().empty() && !option.get_positional(); }

std::vector<const CLI::Option*> shown_options(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return is_public(*option); });
}

/// "--format", "-o": everything that starts the option.
std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> all;
  for (const std::string& name : option.get_lnames()) all.push_back("--" + name);
  for (const std::string& name : option.get_snames()) all.push_back("-" + name);
  return all;
}

bool takes_value(const CLI::Option& option) { return !value_of(option).empty(); }

/// Whether the values are files or folders, as far as completion knows.
bool takes_file(const CLI::Option& option) {
  const std::string value = value_of(option);
  return value == "FILE" || value == "PATH" || value == "FOLDER" || value == "NAME";
}

/// The words that an option takes; empty if it takes others.
std::vector<std::string> choices_of(const CLI::Option& option) {
  std::vector<std::string> words;
  const std::string all = alternatives(option);
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('|', at), all.size());
    words.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// Within single quotes of a shell.
std::string quoted(std::string text) {
  for (std::size_t at = text.find('\''); at != std::string::npos; at = text.find('\'', at + 4))
    text.replace(at, 1, "'\\''");
  return text;
}

std::string bash_script(const std::vector<VerbPage>& verbs) {
  std::string words, options, values;
  for (const VerbPage& verb : verbs) {
    const std::string name = verb.joined(" ");
    std::string below, names;
    for (const CLI::App* next : verb.app->get_subcommands({})) below += next->get_name() + ' ';
    if (!below.empty()) words += fmt::format("    '{}') verbs='{}' ;;\n", name, below);
    for (const CLI::Option* option : shown_options(*verb.app)) {
      std::string patterns;
      for (const std::string& spelling : spellings(*option)) {
        names += spelling + ' ';
        patterns += fmt::format("{}'{} {}'", patterns.empty() ? "" : " | ", name, spelling);
      }
      if (const auto taken = choices_of(*option); !taken.empty())
        values += fmt::format("    {}) words='{}' ;;\n", patterns, fmt::join(taken, " "));
      else if (takes_file(*option))
        values += fmt::format("    {}) COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n", patterns);
      else if (takes_value(*option))
        values += fmt::format("    {}) return ;;\n", patterns);
    }
    options += fmt::format("    '{}') options='{}' ;;\n", name, names);
  }
  return fmt::format(
      R"(# bash completion for amalthea: source it, or put it into /usr/share/bash-completion/completions/amalthea
_amalthea() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} path=amalthea verbs='' options='' words='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    verbs=''
    case $path in
{0}    esac
    case " $verbs" in *" ${{COMP_WORDS[i]}} "*) path+=" ${{COMP_WORDS[i]}}" ;; esac
  done
  case "$path $before" in
{2}  esac
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  verbs=''
  case $path in
{0}  esac
  case $path in
{1}  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n $verbs ]]; then
    COMPREPLY=($(compgen -W "$verbs" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _amalthea amalthea
)",
      words, options, values);
}

std::string zsh_script(const std::vector<VerbPage>& verbs) {
  const auto function_of = [](const VerbPage& verb) { return "_" + verb.joined("_"); };
  const auto escaped = [](std::string_view text) {
    std::string result;
    for (const char c : text) {
      if (c == ':' || c == '[' || c == ']' || c == '\\') result += '\\';
      result += c;
    }
    return quoted(std::move(result));
  };
  std::string script =
      "#compdef amalthea\n# zsh completion for amalthea: put it into a folder of $fpath as _amalthea\n";
  for (const VerbPage& verb : verbs) {
    script += fmt::format("\n{}() {{\n  _arguments -S", function_of(verb));
    for (const CLI::Option* option : shown_options(*verb.app))
      for (const std::string& spelling : spellings(*option)) {
        std::string action;
        if (const auto taken = choices_of(*option); !taken.empty())
          action = fmt::format(":value:({})", fmt::join(taken, " "));
        else if (takes_file(*option))
          action = ":file:_files";
        else if (takes_value(*option))
          action = ":value: ";
        script += fmt::format(" \\\n    '*{}[{}]{}'", spelling, escaped(first_sentence(option->get_description())),
                              quoted(action));
      }
    if (verb.app->get_subcommands({}).empty()) {
      script += " \\\n    '*:file:_files'\n}\n";
      continue;
    }
    std::string below, cases;
    for (const VerbPage& next : verbs)
      if (next.app->get_parent() == verb.app) {
        below += fmt::format(" \\\n      '{}:{}'", next.app->get_name(), escaped(next.app->get_description()));
        cases += fmt::format("    {}) {} ;;\n", next.app->get_name(), function_of(next));
      }
    script += fmt::format(
        " \\\n    '1: :->verb' '*:: :->rest'\n  local -a verbs=({})\n  case $state in\n  verb) _describe verb verbs "
        ";;\n"
        "  rest)\n    case $words[1] in\n{}    esac ;;\n  esac\n}}\n",
        below, cases);
  }
  return script +
         "\nif [ \"$funcstack[1]\" = _amalthea ]; then _amalthea \"$@\"; else compdef _amalthea amalthea; fi\n";
}

std::string fish_script(const std::vector<VerbPage>& verbs) {
  std::string script =
      "# fish completion for amalthea: put it into ~/.config/fish/completions/amalthea.fish\n"
      "# Whether the words so far call exactly this verb.\n"
      "function __amalthea_at\n  set -l words (commandline -opc)\n  set -l verbs\n"
      "  for word in $words[2..-1]\n    string match -q -- '-*' $word; or set -a verbs $word\n  end\n"
      "  set -l known $argv\n  test (count $verbs) -ge (count $known); or return 1\n"
      "  for i in (seq (count $known))\n    test $verbs[$i] = $known[$i]; or return 1\n  end\nend\n";
  for (const VerbPage& verb : verbs) {
    std::string path;
    for (std::size_t i = 1; i < verb.words.size(); ++i) path += ' ' + verb.words[i];
    const std::string here = path.empty() ? "" : fmt::format(" -n '__amalthea_at{}'", path);
    if (const auto below = verb.app->get_subcommands({}); !below.empty()) {
      std::string names;
      for (const CLI::App* next : below) names += ' ' + next->get_name();
      for (const CLI::App* next : below)
        script += fmt::format(
            "complete -c amalthea -f -n '__amalthea_at{}; and not __fish_seen_subcommand_from{}' -a {} -d '{}'\n", path,
            names, next->get_name(), quoted(next->get_description()));
    }
    for (const CLI::Option* option : shown_options(*verb.app)) {
      std::string line = "complete -c amalthea" + here;
      for (const std::string& name : option->get_lnames()) line += " -l " + name;
      for (const std::string& name : option->get_snames()) line += " -s " + name;
      if (const auto taken = choices_of(*option); !taken.empty())
        line += fmt::format(" -x -a '{}'", fmt::join(taken, " "));
      else if (takes_file(*option))
        line += " -r -F";
      else if (takes_value(*option))
        line += " -x";
      script += fmt::format("{} -d '{}'\n", line, quoted(std::string(first_sentence(option->get_description()))));
    }
  }
  return script;
}

}  // namespace

std::vector<std::string> manual_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const VerbPage& verb : all_verbs(app)) names.push_back(verb.joined("-"));
  return names;
}

std::optional<std::string> manual_page(const CLI::App& app, std::string_view name, std::string_view version) {
  const auto verbs = all_verbs(app);
  const auto found =
      std::find_if(verbs.begin(), verbs.end(), [&](const VerbPage& verb) { return verb.joined("-") == name; });
  if (found == verbs.end()) return std::nullopt;
  const CLI::App& verb = *found->app;
  const std::string command = found->joined(" ");
  std::string title(name);
  std::transform(title.begin(), title.end(), title.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  std::string page = fmt::format(
      ".\\\" Generated from the options that cli/ declares.\n.TH \"{0}\" 1 \"\" \"amalthea {1}\" \"User Commands\"\n"
      ".SH NAME\n{2} \\- {3}\n.SH SYNOPSIS\n{4}\n",
      roff(title), version, roff(name), roff(verb.get_description()), roff(usage_of(verb, command)));
  page += fmt::format(".SH DESCRIPTION\n{}.\n", roff(verb.get_description()));
  const auto item = [](const std::string& what, const std::string& text) {
    return fmt::format(".TP\n.B {}\n{}\n", roff(what), roff(text));
  };
  for (const std::string& group : verb_groups(verb)) {
    page += fmt::format(".SS {}\n", roff(group));
    for (const CLI::App* next : verbs_under(verb, group)) page += item(next->get_name(), next->get_description());
  }
  if (const auto arguments = arguments_of(verb); !arguments.empty()) {
    page += ".SH ARGUMENTS\n";
    for (const CLI::Option* option : arguments) page += item(name_of(*option), description_of(*option, true));
  }
  page += ".SH OPTIONS\n";
  for (const std::string& group : headings_of(verb)) {
    page += fmt::format(".SS {}\n", roff(group));
    for (const CLI::Option* option : options_under(verb, group, true))
      page += item(name_of(*option), description_of(*option, true));
  }
  if (const std::string& footer = verb.get_footer(); !footer.empty()) page += ".SH NOTES\n" + block(footer + '\n');
  if (const auto examples = examples_of(verb); !examples.empty()) {
    page += ".SH EXAMPLES\n";
    std::string lines;
    for (const std::string& example : examples) lines += example + '\n';
    page += block(lines);
  }
  std::string related;
  for (const VerbPage& other : verbs)
    if (other.app != &verb && (other.app->get_parent() == &verb || other.app == verb.get_parent()))
      related += fmt::format("{}\n.BR {} (1)", related.empty() ? "" : ",", roff(other.joined("-")));
  return page + ".SH SEE ALSO" + related + '\n';
}

std::string completion(const CLI::App& app, std::string_view shell) {
  const auto verbs = all_verbs(app);
  return shell == "bash" ? bash_script(verbs) : shell == "zsh" ? zsh_script(verbs) : fish_script(verbs);
}

}  // namespace amalthea::cli
