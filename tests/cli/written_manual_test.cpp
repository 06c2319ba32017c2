// SPDX-License-Identifier: Apache-2.0
// Manual pages and completion scripts, which are made from the declared options.

#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/test_models.hpp"

namespace written_manual_test {

namespace {

bool has_program(const std::string& name) {
  return test::run({"/bin/sh", "-c", "command -v \"$0\"", name}).exit_code == 0;
}

}  // namespace

TEST_CASE("every verb has a manual page with all of its options") {
  std::istringstream names(test::amalthea({"--manual-page", "list"}).out);
  std::size_t pages = 0;
  for (std::string name; std::getline(names, name);) {
    const std::string page = test::amalthea({"--manual-page", name}).out;
    INFO(name);
    CHECK(page.find(".SH NAME\n") != std::string::npos);
    if (name == "amalthea-simulate") CHECK(page.find("\\-\\-checkpoint FILE") != std::string::npos);
    ++pages;
  }
  CHECK(pages > 20);
}

TEST_CASE("bash completes verbs and options and the words that options take") {
  const test::TemporaryFolder folder;
  const std::string script = folder.path() + "/script";
  test::write_text(script, test::amalthea({"--completion", "bash"}).out);
  const auto completed = [&](const std::string& words) {
    const auto result = test::run({"bash", "-c",
                                   "source \"$0\"; COMP_WORDS=(" + words +
                                       "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _amalthea; echo \"${COMPREPLY[*]}\"",
                                   script});
    INFO(result.err);
    CHECK(result.exit_code == 0);
    return result.out;
  };
  CHECK(completed("amalthea va") == "validate\n");
  CHECK(completed("amalthea gpu occ") == "occupancy\n");
  CHECK(completed("amalthea analyze --exec") == "--execution\n");
  CHECK(completed("amalthea analyze --execution ''") == "worst average best\n");
  CHECK(completed("amalthea gpu run --format g") == "gantt\n");
}

TEST_CASE("zsh and fish accept their completion scripts") {
  if (!has_program("zsh") || !has_program("fish")) test::skip("no zsh and fish (zsh, fish)");
  for (const std::string shell : {"zsh", "fish"}) {
    const test::TemporaryFolder folder;
    test::write_text(folder.path() + "/script", test::amalthea({"--completion", shell}).out);
    const auto result = test::run({shell, "-n", folder.path() + "/script"});
    INFO(shell << result.err);
    CHECK(result.exit_code == 0);
  }
}

}  // namespace written_manual_test
