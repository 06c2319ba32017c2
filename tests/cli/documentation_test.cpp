// SPDX-License-Identifier: Apache-2.0
// What the documentation shows is what happens: its commands print what stands below them, its links lead somewhere.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "tests/support/documented_commands.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/markdown.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace {

namespace fs = std::filesystem;

std::string in_repository(const std::string& page) { return AMALTHEA_SOURCE_DIR "/" + page; }

/// With AMALTHEA_UPDATE_DOCS=1 the tests do not compare, they write what they see into the pages and pictures.
bool updates() {
  const char* update = std::getenv("AMALTHEA_UPDATE_DOCS");
  return update != nullptr && std::string(update) != "0";
}

/// Runs the commands of the pages in a folder, without those in folders below it.
void check_commands_in(const std::string& folder) {
  std::size_t commands = 0;
  for (const std::string& page : test::documentation_pages()) {
    if (fs::path(page).parent_path() != folder) continue;
    const std::string text = test::read_text(in_repository(page));
    const test::PageRun run = test::run_commands(page, text);
    commands += run.commands;
    if (updates()) {
      if (run.text != text) test::write_text(in_repository(page), run.text);
      for (const std::string& place : run.rewritten) WARN("rewritten, look at it: " << place);
    } else {
      for (const std::string& failure : run.failures) FAIL_CHECK(failure);
    }
  }
  SUCCEED(fmt::format("{} commands", commands));
}

std::vector<std::string> sample_models() {
  std::vector<std::string> models;
  for (const auto& entry : fs::recursive_directory_iterator(in_repository("samples")))
    if (entry.path().extension() == ".amxmi") models.push_back(entry.path().string());
  return models;
}

const std::vector<std::string> folders_with_a_test = {"",       "docs", "docs/how-to", "docs/reference", "docs/theory",
                                                      "samples"};

}  // namespace

TEST_CASE("commands of annotate write the annotated sample") {
  const test::TemporaryFolder folder;
  const std::string sample = test::sample("annotated.amxmi"), now = updates() ? sample : folder.path() + "/now.amxmi";
  REQUIRE(test::amalthea({"annotate", test::sample("tutorial/6-repaired.amxmi"), "-o", now}).exit_code == 0);
  CHECK(test::read_text(sample) == test::read_text(now));
}

TEST_CASE("commands of the README and its neighbors print what is documented") { check_commands_in(""); }
TEST_CASE("commands of the pages in docs print what is documented", "[long]") { check_commands_in("docs"); }
TEST_CASE("commands of the how-to pages print what is documented", "[long]") { check_commands_in("docs/how-to"); }
TEST_CASE("commands of the reference print what is documented", "[long]") { check_commands_in("docs/reference"); }
TEST_CASE("commands of the theory pages print what is documented") { check_commands_in("docs/theory"); }
TEST_CASE("commands of the samples page print what is documented", "[long]") { check_commands_in("samples"); }

TEST_CASE("the README leads from nothing to a first own verdict in five commands and twenty typed lines") {
  std::size_t commands = 1, typed = 0;  // git clone
  bool verdict = false;
  for (const test::FencedBlock& block : test::fenced_blocks(test::read_text(in_repository("README.md")))) {
    if (!block.file.empty()) typed += block.lines.size();
    for (const std::string& line : block.lines) {
      if (verdict || (block.language == "console" && !line.starts_with("$ "))) continue;
      if (line.starts_with("tools/run-tests")) continue;  // not on the way to a verdict
      if (block.language == "sh" || block.language == "console") ++commands;
      verdict = line.starts_with("$ amalthea analyze ecu.amxmi");
    }
    if (verdict) break;
  }
  CHECK(verdict);
  CHECK(commands <= 5);
  CHECK(commands + typed <= 20);
}

TEST_CASE("every page of the documentation is in a folder whose commands are tested") {
  for (const std::string& page : test::documentation_pages()) {
    INFO(page);
    CHECK(std::count(folders_with_a_test.begin(), folders_with_a_test.end(), fs::path(page).parent_path()) == 1);
  }
}

TEST_CASE("a command of the documentation is in a console block so that it is tested") {
  const std::regex command("^\\s*(\\$ )?amalthea [a-z-].*");
  // "amalthea analyze MODEL…" in a text block is a synopsis: nobody can run it as it stands.
  const std::regex placeholder("(^|[ =\\[])([A-Z][A-Z_]+)\\b");
  for (const std::string& page : test::documentation_pages()) {
    if (page == "docs/reference/commands.md") continue;  // generated from the help, whose examples have a test
    for (const test::FencedBlock& block : test::fenced_blocks(test::read_text(in_repository(page)))) {
      if (block.language == "console" || block.language == "markdown") continue;  // tested; an example of the form
      for (std::size_t at = 0; at < block.lines.size(); ++at) {
        const std::string& line = block.lines[at];
        INFO(page << ":" << block.first + at + 1 << ": " << line);
        CHECK((!std::regex_match(line, command) || (block.language == "text" && std::regex_search(line, placeholder))));
      }
    }
  }
}

TEST_CASE("commands of tools/docs-pictures draw the pictures of the documentation") {
  const test::TemporaryFolder folder;
  const std::string now = updates() ? in_repository("docs/pictures") : folder.path();
  const auto made =
      test::run({"env", "AMALTHEA=" AMALTHEA_COMMAND, in_repository("tools/docs-pictures"), "--svg", now});
  INFO(made.out << made.err << "run tools/docs-pictures");
  REQUIRE(made.exit_code == 0);
  std::size_t drawings = 0;
  for (const auto& entry : fs::directory_iterator(in_repository("docs/pictures"))) {
    INFO(entry.path());
    CHECK(entry.file_size() < 200'000);
    if (entry.path().extension() != ".svg") continue;
    ++drawings;
    CHECK(test::read_text(entry.path()) == test::read_text(now + "/" + entry.path().filename().string()));
  }
  CHECK(drawings > 0);
}

TEST_CASE("every sample model says in a comment at its top what it shows") {
  for (const std::string& model : sample_models()) {
    INFO(model);
    CHECK(std::regex_search(test::read_text(model), std::regex("^<\\?xml[^>]*>\\s*<!--")));
  }
}

TEST_CASE("the README states the purpose of every package that the tools install") {
  const std::string readme = test::read_text(in_repository("README.md"));
  const std::regex lists(
      R"((?:packages|building|testing)\+?=\(([^)]*)|\ntools/install-packages ([^\n]*)|apt-get install ([a-z][^)]*))");
  const std::regex package("(?:^|\\s)([a-z][a-z0-9+.-]*)");
  std::size_t packages = 0;
  for (const auto& tool : fs::directory_iterator(in_repository("tools"))) {
    const std::string text = std::regex_replace(test::read_text(tool.path()), std::regex("  +#[^\n]*"), "");
    for (auto list = std::sregex_iterator(text.begin(), text.end(), lists); list != std::sregex_iterator(); ++list) {
      const std::string names = list->format("$1$2$3");
      for (auto name = std::sregex_iterator(names.begin(), names.end(), package); name != std::sregex_iterator();
           ++name) {
        ++packages;
        INFO(tool.path() << ": " << (*name)[1]);
        CHECK(readme.find("`" + (*name)[1].str() + "`") != std::string::npos);
      }
    }
  }
  CHECK(packages > 20);
}

TEST_CASE("the samples page names every sample") {
  const std::string page = test::read_text(in_repository("samples/README.md"));
  for (const auto& entry : fs::recursive_directory_iterator(in_repository("samples"))) {
    INFO(entry.path());
    const bool step = entry.path().parent_path().filename() == "tutorial";  // docs/tutorial.md names it
    const bool pipeline = entry.path().parent_path().filename() == "ci";    // docs/ci.md names it
    CHECK((step || pipeline || entry.path().filename() == "README.md" ||
           page.find(entry.path().filename().string()) != std::string::npos));
  }
}

TEST_CASE("Eclipse EMF accepts every sample model but the broken one", "[emf]") {
  test::EmfBatch emf;
  for (const std::string& model : sample_models())
    if (!model.ends_with("/broken.amxmi")) emf.expect_accepted(amalthea::Version::v3_3_0, {model});
  emf.run();
}

TEST_CASE("every relative link of the documentation leads to a file and to a heading in it") {
  for (const std::string& page : test::documentation_pages())
    for (const test::Link& link : test::links(test::read_text(in_repository(page)))) {
      if (std::regex_search(link.target, std::regex("^[a-z]+:"))) continue;
      INFO(page << ":" << link.line << ": " << link.target);
      const auto hash = link.target.find('#');
      const std::string path = link.target.substr(0, hash);
      const fs::path file =
          path.empty() ? fs::path(in_repository(page)) : fs::path(in_repository(page)).parent_path() / path;
      CHECK(fs::exists(file));
      if (hash != link.target.npos && file.extension() == ".md")
        CHECK(test::anchors(test::read_text(file)).count(link.target.substr(hash + 1)) == 1);
    }
}

TEST_CASE("every file in docs can be reached from docs/README.md") {
  std::set<std::string> reached;
  std::vector<std::string> open = {"docs/README.md"};
  while (!open.empty()) {
    const std::string page = open.back();
    open.pop_back();
    if (!reached.insert(page).second || !page.ends_with(".md")) continue;
    for (const test::Link& link : test::links(test::read_text(in_repository(page))))
      if (const std::string path = link.target.substr(0, link.target.find('#')); !path.empty())
        open.push_back((fs::path(page).parent_path() / path).lexically_normal().string());
  }
  for (const auto& entry : fs::recursive_directory_iterator(AMALTHEA_SOURCE_DIR "/docs")) {
    const std::string file = entry.path().lexically_relative(AMALTHEA_SOURCE_DIR).string();
    INFO(file);
    CHECK((entry.is_directory() || reached.count(file) == 1));
  }
}
