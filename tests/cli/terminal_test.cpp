// SPDX-License-Identifier: Apache-2.0
// What the command writes to a terminal.

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "amalthea/primitives/visible_text.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/test_models.hpp"

namespace terminal_test {

namespace {

/// All three standard streams of the command are one terminal; what it writes there.
std::string on_terminal(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), AMALTHEA_COMMAND);
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child < 0) test::skip("no pseudo-terminals (/dev/pts)");
  if (child == 0) {
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    ::setenv("NO_COLOR", "1", 1);
    ::execv(words.front(), words.data());
    ::_exit(127);
  }
  std::string written;
  std::array<char, 4096> buffer{};
  for (ssize_t count = 0; (count = ::read(terminal, buffer.data(), buffer.size())) > 0;)
    written.append(buffer.data(), static_cast<std::size_t>(count));
  ::close(terminal);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  return written;
}

constexpr std::string_view clear_line = "\r\x1b[K";

}  // namespace

TEST_CASE("a status line on a terminal replaces the one before and is removed at the end") {
  const std::string model = test::sample("waters2019-tx2.amxmi");
  const test::TemporaryFolder folder;
  for (int i = 0; i < 40; ++i) std::filesystem::copy_file(model, folder.path() + "/" + std::to_string(i) + ".amxmi");
  const std::vector<std::pair<std::vector<std::string>, std::string>> commands = {
      {{"simulate", model, "--runs", "100", "--jobs", "2"}, " of 100 runs"},
      {{"batch", folder.path(), "--jobs", "1"}, " of 40 models"},
      {{"explore", model, "--candidates", "5000", "--jobs", "2"}, " of 5000 candidates evaluated; best so far: "},
      {{"gpu", "makespan", "--kernel=5L9C", "--warps", "2", "--anneal", "--runs", "1", "--iterations", "1000"},
       " cycles after "},
  };
  for (const auto& [arguments, status] : commands) {
    const std::string written = on_terminal(arguments);
    INFO(amalthea::visible_text(written));
    const std::size_t line = written.find(clear_line);
    REQUIRE(line != std::string::npos);
    REQUIRE(written.find(status, line) != std::string::npos);
    for (std::size_t at = line; (at = written.find(status, at)) != std::string::npos; ++at)
      CHECK(written.find(clear_line, at) < written.find('\n', at));
    CHECK(written.find("\\x") == std::string::npos);
    CHECK(written.find(status, written.rfind(clear_line)) == std::string::npos);
    std::vector<std::string> quiet = arguments;
    if (quiet.front() == "gpu") continue;
    quiet.emplace_back("-q");
    CHECK(on_terminal(quiet).find('\x1b') == std::string::npos);
  }
}

TEST_CASE("a command that shows no status line clears none") {
  const std::string written = on_terminal({"simulate", test::sample("offload-minimal.amxmi")});
  CHECK(written.find('\x1b') == std::string::npos);
}

TEST_CASE("a list of models on a terminal spells out control characters") {
  const test::TemporaryFolder folder;
  const std::string model = folder.path() + "/e\x1b[31mz.amxmi";
  test::write_text(model, "");
  const std::string shown = on_terminal({"batch", "--list", model});
  CHECK(shown.find("e\\x1b[31mz.amxmi") != std::string::npos);
  CHECK(shown.find('\x1b') == std::string::npos);
}

TEST_CASE("a finding on a terminal comes with its line and a caret") {
  const test::TemporaryFolder folder;
  const std::string model = folder.path() + "/m.amxmi";
  std::string text = test::read_text(test::sample("tutorial/1-one-task.amxmi"));
  text.replace(text.find("Steer?type"), 5, "Stear");
  test::write_text(model, text);
  const std::string line = R"(    8 |         <items xsi:type="am:RunnableCall" runnable="Stear?type=Runnable"/>)";
  const std::string caret = "      |                                                     ^~~~~~~~~~~~~~~~~~~\r\n";
  for (const char* verb : {"validate", "info"}) {
    const std::string written = on_terminal({verb, model});
    INFO(written);
    CHECK(written.find(line + "\r\n" + caret) != std::string::npos);
  }
}

TEST_CASE("an element that is not closed is shown on a terminal with its opening tag") {
  const test::TemporaryFolder folder;
  const std::string model = folder.path() + "/m.amxmi";
  std::string text = test::read_text(test::sample("tutorial/1-one-task.amxmi"));
  text.erase(text.find("    </tasks>\n"), 13);
  test::write_text(model, text);
  const std::string written = on_terminal({"validate", model});
  INFO(written);
  CHECK(written.find("17:5: error: not well-formed XML: expected end of tag 'tasks'") != std::string::npos);
  CHECK(written.find("m.amxmi:6:5: opened here\r\n    6 |     <tasks name=\"Steering\"") != std::string::npos);
}

}  // namespace terminal_test
