// SPDX-License-Identifier: Apache-2.0
// No verb writes over a file that it reads, nor one output over another: tried with every option that names a file.

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>

#include "cli/file_options.hpp"
#include "cli/verbs.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace {

namespace fs = std::filesystem;
namespace cli = amalthea::cli;

struct Verb {
  std::string words;  ///< "gpu run"
  const CLI::App* app;
};

void collect(const CLI::App& app, const std::string& words, std::vector<Verb>& verbs) {
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string name = words.empty() ? verb->get_name() : words + " " + verb->get_name();
    verbs.push_back({name, verb});
    collect(*verb, name, verbs);
  }
}

/// The command line of this build; there is one in a process.
class CommandLine {
 public:
  static const CommandLine& get() {
    static const CommandLine line;
    return line;
  }
  const std::vector<Verb>& verbs() const { return verbs_; }

 private:
  CommandLine() {
    cli::add_verbs(app_, exit_code_);
    collect(app_, "", verbs_);
  }

  CLI::App app_;
  int exit_code_ = 0;
  std::vector<Verb> verbs_;
};

std::vector<const CLI::Option*> options_of(const CLI::App& verb, cli::FileRole role) {
  std::vector<const CLI::Option*> options;
  for (const CLI::Option* option : verb.get_options())
    if (cli::file_role(*option) == role) options.push_back(option);
  return options;
}

bool is_positional(const CLI::Option& option) { return option.get_lnames().empty() && option.get_snames().empty(); }

std::string name_of(const CLI::Option& option) {
  return is_positional(option) ? option.get_name() : "--" + option.get_lnames().front();
}

/// A command line with values for some options and for those that must be there.
std::vector<std::string> command(const Verb& verb, std::vector<std::pair<const CLI::Option*, std::string>> given,
                                 const std::string& other) {
  for (const CLI::Option* option : verb.app->get_options()) {
    bool needed = option->get_required();
    for (const auto& [one, value] : given)
      needed = needed || one->get_needs().contains(const_cast<CLI::Option*>(option));
    for (const auto& [one, value] : given) needed = needed && one != option;
    if (!needed) continue;
    if (cli::file_role(*option) == cli::FileRole::none) {
      given.emplace_back(option, "1");
    } else {
      given.emplace_back(option, other + option->get_name());
    }
  }
  std::vector<std::string> arguments;
  for (std::size_t at = 0; at <= verb.words.size();) {
    const std::size_t end = std::min(verb.words.find(' ', at), verb.words.size());
    arguments.push_back(verb.words.substr(at, end - at));
    at = end + 1;
  }
  for (const auto& [option, value] : given)
    if (!is_positional(*option))
      arguments.push_back(option->get_type_size_max() == 0 ? name_of(*option) : name_of(*option) + "=" + value);
  for (const CLI::Option* option : verb.app->get_options())  // positional ones in their order
    for (const auto& [one, value] : given)
      if (one == option && is_positional(*option)) arguments.push_back(value);
  if (verb.words == "explain") arguments.emplace_back("Task");
  return arguments;
}

/// Outputs that may be what they are made of, as their help says.
const std::set<std::string> in_place = {"annotate --output MODEL", "calibrate --output MODEL", "explore --output MODEL",
                                        "explore --mapping-out --mapping"};

}  // namespace

TEST_CASE("every option that takes a text is declared as a file or a folder, or known to be neither") {
  const std::set<std::string> neither = {
      "--map",     "--chain",        "--until",     "--shard",      "--to",      "--task",   "--objective",
      "--pin",     "--together",     "--apart",     "--kernel",     "--beside",  "--mask",   "--against",
      "--warps",   "--against-mask", "--latencies", "--releases",   "--budgets", "--sigma",  "--units",
      "--latency", "STREAM",         "--suppress",  "--block-time", "--blocks",  "--string", "--schedule",
      "--arch",    "--with",         "--from",      "--pause",      "--offset",  "--witness",  "--columns"};
  const CommandLine& line = CommandLine::get();
  REQUIRE(line.verbs().size() > 20);
  std::set<std::string> seen;
  for (const Verb& verb : line.verbs())
    for (const CLI::Option* option : verb.app->get_options()) {
      const std::string type = option->get_type_name();
      const bool is_number = type.starts_with("INT") || type.starts_with("UINT") || type.starts_with("FLOAT");
      if (option->get_items_expected_max() == 0 || is_number || type.find('{') != std::string::npos) continue;
      const bool is_text = neither.contains(name_of(*option)) && verb.words != "new";  // --from of a GPU is a text
      seen.insert(name_of(*option));
      INFO(verb.words << ' ' << name_of(*option) << ' ' << type);
      CHECK(is_text == (cli::file_role(*option) == cli::FileRole::none));
    }
  for (const std::string& name : neither) {
    INFO(name);
    CHECK(seen.contains(name));
  }
}

TEST_CASE("no output of any verb takes the place of any of its inputs, however the path is spelled") {
  const CommandLine& line = CommandLine::get();
  int pairs = 0;
  for (const Verb& verb : line.verbs())
    for (const CLI::Option* output : options_of(*verb.app, cli::FileRole::output))
      for (const CLI::Option* input : options_of(*verb.app, cli::FileRole::input)) {
        const std::string pair = verb.words + " " + name_of(*output) + " " + name_of(*input);
        if (in_place.contains(pair)) continue;
        ++pairs;
        const test::TemporaryFolder folder;
        const std::string file = folder.path() + "/file", hard = folder.path() + "/hard",
                          soft = folder.path() + "/soft", dotted = folder.path() + "/./file";
        test::write_text(file, "precious");
        REQUIRE(::link(file.c_str(), hard.c_str()) == 0);
        REQUIRE(::symlink(file.c_str(), soft.c_str()) == 0);
        for (const std::string& spelled : {file, dotted, hard, soft}) {
          const auto result =
              test::amalthea(command(verb, {{output, spelled}, {input, file}}, folder.path() + "/other"));
          INFO(pair << ' ' << spelled << '\n' << result.out << result.err);
          CHECK(result.exit_code == 2);
          CHECK(result.err.find("would overwrite the input " + file) != std::string::npos);
          CHECK(test::read_text(file) == "precious");
        }
      }
  CHECK(pairs > 50);
}

TEST_CASE("no output of any verb takes the place of another one") {
  const CommandLine& line = CommandLine::get();
  int pairs = 0;
  for (const Verb& verb : line.verbs()) {
    const auto outputs = options_of(*verb.app, cli::FileRole::output);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      for (std::size_t j = i + 1; j < outputs.size(); ++j) {
        ++pairs;
        const test::TemporaryFolder folder;
        const auto result = test::amalthea(
            command(verb, {{outputs[i], folder.path() + "/x"}, {outputs[j], folder.path() + "/none/../x"}},
                    folder.path() + "/other"));
        INFO(verb.words << ' ' << name_of(*outputs[i]) << ' ' << name_of(*outputs[j]) << '\n' << result.err);
        CHECK(result.exit_code == 2);
        CHECK(result.err.find("would both write") != std::string::npos);
        CHECK(fs::is_empty(folder.path()));
      }
  }
  CHECK(pairs >= 10);
}

TEST_CASE("files of folders and manifests, archives and standard streams are inputs, too") {
  const test::TemporaryFolder folder;
  const std::string models = folder.path() + "/models", model = models + "/m.amxmi", list = folder.path() + "/list";
  fs::create_directories(models + "/deep");
  const std::string text = test::read_text(test::sample("offload-minimal.amxmi"));
  test::write_text(model, text);
  test::write_text(models + "/deep/n.amxmi", text);
  test::write_text(list, model + "\n");
  const auto refused = [&](const std::string& arguments, const std::string& over) {
    const auto result = test::run({"/bin/sh", "-c", "cd \"$1\"; exec \"$0\" " + arguments, AMALTHEA_COMMAND, models});
    INFO(arguments << '\n' << result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.err.find(over + "; choose another file") != std::string::npos);
    CHECK(test::read_text(model) == text);
    CHECK(test::read_text(models + "/deep/n.amxmi") == text);
  };
  refused("analyze . -o m.amxmi", "-o would overwrite the input ./m.amxmi");
  refused("batch . --sarif deep/n.amxmi", "--sarif would overwrite the input ./deep/n.amxmi");
  refused("batch --manifest ../list -o m.amxmi", "-o would overwrite the input " + model);
  refused("analyze - -o m.amxmi < m.amxmi", "-o would overwrite the input -");
  refused("graph m.amxmi >> m.amxmi", "standard output would overwrite the input m.amxmi");
  refused("convert . --to 3.2.0 -o .", "-o would overwrite the input ./m.amxmi");
  CHECK(test::amalthea({"batch", model, "-o", folder.path() + "/o", "--sarif", folder.path() + "/o.partial"}).err ==
        fmt::format(
            "amalthea: error: -o and --sarif would both write {}/o.partial; choose another file for one of them\n",
            folder.path()));
}

TEST_CASE("a file of several is written over no other file that is read, not through a link either") {
  const test::TemporaryFolder folder;
  const std::string text = test::read_text(test::sample("offload-minimal.amxmi"));
  fs::create_directories(folder.path() + "/a");
  fs::create_directories(folder.path() + "/out");
  const std::string one = folder.path() + "/a/one.amxmi", two = folder.path() + "/a/two.amxmi";
  test::write_text(one, text);
  test::write_text(two, text);
  REQUIRE(::symlink(two.c_str(), (folder.path() + "/out/one.amxmi").c_str()) == 0);
  const auto result = test::amalthea({"annotate", one, two, "-o", folder.path() + "/out", "--strip"});
  INFO(result.err);
  CHECK(result.exit_code == 2);
  CHECK(result.err.find("-o would overwrite the input " + two) != std::string::npos);
  const auto tree = test::amalthea(
      {"convert", folder.path() + "/a", "--tree", "--to", "3.2.0", "-o", folder.path() + "/out", "--jobs", "1"});
  INFO(tree.out << tree.err);
  CHECK(tree.exit_code == 1);
  CHECK(test::read_text(folder.path() + "/out/convert.jsonl").find("would take the place of another file") !=
        std::string::npos);
  CHECK(test::read_text(two) == text);
}

TEST_CASE("devices may be written as often as one likes") {
  const std::string model = test::sample("offload-minimal.amxmi");
  CHECK(test::amalthea({"explain", model, "Control", "-o", "/dev/null", "--picture", "/dev/null"}).exit_code == 0);
  const auto printed = test::amalthea({"explain", model, "Control", "-o", "/dev/stdout", "--picture", "-"});
  CHECK(printed.exit_code == 0);
  CHECK(printed.out.find("</svg>") != std::string::npos);
  CHECK(printed.out.find("Control") != std::string::npos);
  CHECK(test::amalthea({"batch", model, "--sarif", "/dev/stdout"}).out.find("\"version\"") != std::string::npos);
}
