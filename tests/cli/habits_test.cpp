// SPDX-License-Identifier: Apache-2.0
// Consistency of repeated information: the version, the license; and that no file of rules is empty.

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& path) { return test::read_text(AMALTHEA_SOURCE_DIR "/" + path); }

/// What the pattern's parenthesis says at its first match; "" where there is none.
std::string first_match(const std::string& text, const std::string& pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
}

/// Paths below the repository's root, without what a build or git makes.
std::vector<std::string> files() {
  std::vector<std::string> found;
  for (auto at = fs::recursive_directory_iterator(AMALTHEA_SOURCE_DIR); at != fs::recursive_directory_iterator();
       ++at) {
    const std::string name = at->path().filename().string();
    if (at->is_directory() && (name == ".git" || name == "node_modules" || name == "dist" ||
                               (at.depth() == 0 && (name.starts_with("build") || name == "out"))))
      at.disable_recursion_pending();
    else if (at->is_regular_file())
      found.push_back(fs::relative(at->path(), AMALTHEA_SOURCE_DIR).string());
  }
  return found;
}

bool is_source(const std::string& path) {
  const fs::path name = fs::path(path).filename();
  const std::vector<std::string> extensions = {".cpp", ".hpp", ".js",   ".mjs",   ".ts",
                                               ".css", ".py",  ".java", ".cmake", ".slurm"};
  return name == "CMakeLists.txt" || std::count(extensions.begin(), extensions.end(), name.extension()) != 0 ||
         text_of(path).starts_with("#!");
}

}  // namespace

TEST_CASE("project version matches the command and the citation and the change log") {
  const std::string version = first_match(text_of("CMakeLists.txt"), "project\\(amalthea VERSION ([0-9.]+)");
  REQUIRE_FALSE(version.empty());
  CHECK(test::amalthea({"--version"}).out.starts_with("amalthea " + version + " (amalthea-timing)\nbuilt with "));
  CHECK(first_match(text_of("CITATION.cff"), "\nversion: ([^\n]+)") == version);
  CHECK(first_match(text_of("editors/vscode/package.json"), "\n  \"version\": \"([^\"]+)") == version);
  CHECK(first_match(text_of("editors/vscode/package-lock.json"), "\n  \"version\": \"([^\"]+)") == version);
  // The unreleased changes precede the releases, newest first.
  const std::string changes = text_of("CHANGELOG.md");
  const std::string newest = first_match(changes, "\n## ([^ \n]+)");
  CHECK((newest == "Unreleased" || newest == version));
  const std::string released = first_match(changes, "\n## ([0-9][^ \n]*)");
  CHECK((released.empty() || released == version));
}

TEST_CASE("every source states its license in its first lines") {
  std::size_t sources = 0;
  for (const std::string& path : files()) {
    if (!is_source(path)) continue;
    INFO(path);
    CHECK(text_of(path).substr(0, 80).find("SPDX-License-Identifier: Apache-2.0") != std::string::npos);
    ++sources;
  }
  CHECK(sources > 500);
}

TEST_CASE("every file of migration rules contains rules") {
  for (const auto& entry : fs::directory_iterator(AMALTHEA_SOURCE_DIR "/migration/rules")) {
    INFO(entry.path().filename());
    CHECK(test::read_text(entry.path().string()).find("Step&") != std::string::npos);
  }
}
