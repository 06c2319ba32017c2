// SPDX-License-Identifier: Apache-2.0
// The launch files of editors/eclipse. The extension for Visual Studio Code has a test in tests/npm/extension.

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace editors_test {

namespace {

namespace fs = std::filesystem;

/// The value of an attribute of a launch configuration, by the end of its key.
std::string value_of(const std::string& launch, const std::string& key) {
  std::smatch found;
  const std::regex attribute("<stringAttribute key=\"[a-z.]+\\.ATTR_" + key + "\" value=\"([^\"]*)\"/>");
  REQUIRE(std::regex_search(launch, found, attribute));
  return std::regex_replace(found[1].str(), std::regex("&quot;"), "\"");
}

/// The arguments that Eclipse makes of a text. It replaces variables first. Then quotation marks hold blanks together.
std::vector<std::string> arguments(const std::string& text, const std::string& resource) {
  const std::string replaced = std::regex_replace(text, std::regex("\\$\\{resource_loc\\}"), resource);
  std::vector<std::string> found;
  const std::regex one("\"([^\"]*)\"|([^ \"]+)");
  for (auto at = std::sregex_iterator(replaced.begin(), replaced.end(), one); at != std::sregex_iterator(); ++at)
    found.push_back((*at)[1].matched ? (*at)[1] : (*at)[2]);
  return found;
}

/// What the launch file makes of a selected file or folder.
test::CommandResult launch(const std::string& verb, const std::string& resource) {
  const std::string file = test::read_text(AMALTHEA_SOURCE_DIR "/editors/eclipse/amalthea-" + verb + ".launch");
  CHECK(file.find("<launchConfiguration type=\"org.eclipse.ui.externaltools.ProgramLaunchConfigurationType\">") !=
        std::string::npos);
  CHECK(value_of(file, "LOCATION") == "${system_path:amalthea}");
  CHECK(value_of(file, "REFRESH_SCOPE") == "${project}");
  return test::amalthea(arguments(value_of(file, "TOOL_ARGUMENTS"), resource));
}

}  // namespace

TEST_CASE("launch files for Eclipse analyze and report and annotate the selected file or folder in place") {
  const test::TemporaryFolder folder;
  const std::string models = folder.path() + "/my models", file = models + "/ecu.amxmi";
  fs::create_directory(models);
  const std::string bytes = test::read_text(test::sample("tutorial/6-repaired.amxmi"));
  test::write_text(file, bytes);
  for (const std::string& selected : {file, models}) {
    INFO(selected);
    CHECK(launch("analyze", selected).out.starts_with("Verdict: guaranteed. 3 guaranteed\n"));
    CHECK(launch("report", selected).exit_code == 0);
    CHECK(test::read_text(selected + ".html").find("<!DOCTYPE html>") == 0);
    CHECK(launch("annotate", selected).exit_code == 0);
    CHECK(test::read_text(file).find("amalthea-timing.wcrt") != std::string::npos);
    CHECK(launch("strip", selected).exit_code == 0);
    CHECK((test::read_text(file) == bytes));
  }
}

TEST_CASE("every launch file for Eclipse is tested and explained") {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(AMALTHEA_SOURCE_DIR "/editors/eclipse"))
    names.insert(entry.path().stem().string());
  CHECK(names == std::set<std::string>{"amalthea-analyze", "amalthea-annotate", "amalthea-report", "amalthea-strip"});
  const std::string page = test::read_text(AMALTHEA_SOURCE_DIR "/docs/how-to/use-with-eclipse.md");
  for (const std::string& name : names) CHECK(page.find("| `" + name + "` |") != std::string::npos);
}

}  // namespace editors_test
