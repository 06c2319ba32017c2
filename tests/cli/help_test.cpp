// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "lsp/framing.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace help_test {

namespace {

using Words = std::vector<std::string>;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// "gpu run"
std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string printed(Words arguments) {
  const auto result = test::amalthea(std::move(arguments));
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  return result.out;
}

/// All verbs at any depth, such as {"gpu", "run"}, as the page of commands names them; {} is the command itself.
std::vector<Words> all_verbs() {
  std::vector<Words> verbs = {{}};
  const std::string heading = "## amalthea ";
  for (const std::string& line : lines_of(printed({"--help-markdown"})))
    if (line.starts_with(heading)) verbs.push_back(words_of(line.substr(heading.size())));
  CHECK(verbs.size() > 20);
  return verbs;
}

std::string help_of(Words verb, const char* option) {
  verb.emplace_back(option);
  return printed(std::move(verb));
}

std::vector<std::string> examples_in(const std::string& help) {
  std::vector<std::string> examples;
  bool inside = false;
  for (const std::string& line : lines_of(help)) {
    if (inside && line.empty()) break;
    if (inside) examples.push_back(line);
    inside = inside || line == "Examples:";
  }
  return examples;
}

/// A folder with every file that examples name.
void fill(const std::string& folder) {
  const std::string model = test::read_text(test::sample("offload-minimal.amxmi"));
  std::filesystem::create_directory(folder + "/models");
  test::write_text(folder + "/model.amxmi", model);
  test::write_text(folder + "/models/model.amxmi", model);
  for (const char* state : {"old", "new", "common", "ours", "theirs"})
    test::write_text(fmt::format("{}/{}.amxmi", folder, state), model);
  test::write_text(folder + "/names.json", "{}");
  test::write_text(folder + "/tasks.csv", "task,core,period,priority,time\nT,Core,10 ms,3,1 ms\n");
  test::write_text(
      folder + "/messages",
      amalthea::lsp::framed(R"({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}})") +
          amalthea::lsp::framed(R"({"jsonrpc": "2.0", "id": 2, "method": "shutdown"})") +
          amalthea::lsp::framed(R"({"jsonrpc": "2.0", "method": "exit"})"));
  test::amalthea({"simulate", folder + "/model.amxmi", "--trace", folder + "/run.btf"});
  test::write_text(folder + "/scenario.json", test::read_text(test::sample("gpu/thesis.json")));
  test::write_text(folder + "/kernels.json", R"({"g_max": 8, "b": 512, "kernels": [{"C": 4, "g": 2, "T": 15}]})");
  test::write_text(folder + "/kernel.ptx",
                   ".visible .entry k()\n{\nld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f1, %f1;\nret;\n}\n");
  test::write_text(folder + "/tasks.json", R"({"context_switch": "50us", "cores": 1, "tasks": [
  {"name": "A", "core": 0, "priority": 1, "period": "33ms", "wait": "suspend", "timeslice": "1ms", "segments": [
    {"cpu": "3ms"}, {"gpu": [{"kernel": "7ms"}]}]}]})");
  for (const char* part : {"1", "2"})
    test::amalthea({"batch", folder + "/models", "--shard", fmt::format("{}/2", part), "-o",
                    fmt::format("{}/part{}.jsonl", folder, part)});
}

}  // namespace

TEST_CASE("the --help of every verb fits a screen and points to --help-all") {
  for (const Words& verb : all_verbs()) {
    INFO(joined(verb));
    const auto lines = lines_of(help_of(verb, "--help"));
    CHECK(lines.size() <= 45);
    for (const std::string& line : lines) {
      INFO(line);
      CHECK(line.size() <= 80);
    }
    CHECK(lines.front().ends_with("."));
    CHECK(std::any_of(lines.begin(), lines.end(),
                      [](const std::string& line) { return line.find("--help-all") != line.npos; }));
  }
}

TEST_CASE("the --help-all of every verb names every option that the page of commands lists") {
  std::string verb;
  std::string help;
  std::size_t options = 0;
  for (const std::string& line : lines_of(printed({"--help-markdown"}))) {
    if (line.starts_with("## amalthea ")) {
      help = help_of(words_of(line.substr(12)), "--help-all");
      for (const std::string& shown : lines_of(help)) {
        INFO(shown);
        CHECK(shown.size() <= 80);
      }
    }
    if (!line.starts_with("| `-")) continue;
    const std::string option = line.substr(3, line.find_first_of(" ,`", 3) - 3);
    INFO(option);
    CHECK(help.find("\n  " + option) != std::string::npos);
    ++options;
  }
  CHECK(options > 250);
}

TEST_CASE("the examples in the help of every verb run") {
  const test::TemporaryFolder folder;
  fill(folder.path());
  for (const Words& verb : all_verbs()) {
    const auto examples = examples_in(help_of(verb, "--help"));
    INFO(joined(verb));
    CHECK(examples.size() == 3);
    for (const std::string& example : examples) {
      INFO(example);
      CHECK(example.starts_with("  amalthea " + joined(verb)));
      const auto result = test::run(
          {"/bin/sh", "-c",
           fmt::format("amalthea() {{ '{}' \"$@\"; }}; cd '{}' && {}", AMALTHEA_COMMAND, folder.path(), example)});
      INFO(result.err);
      CHECK((result.exit_code == 0 || result.exit_code == 1 || result.exit_code == 4));
    }
  }
}

TEST_CASE("docs/reference/commands.md is the page that tools/commands-page writes") {
  CHECK(test::read_text(AMALTHEA_SOURCE_DIR "/docs/reference/commands.md") == printed({"--help-markdown"}));
}

}  // namespace help_test
