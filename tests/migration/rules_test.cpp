// SPDX-License-Identifier: Apache-2.0
// General properties of rules.

#include <filesystem>
#include <set>
#include <string>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "migration/detail/steps.hpp"
#include "tests/support/test_models.hpp"

namespace rules_test {

using namespace amalthea;

TEST_CASE("every rule has a unique name and a summary and an entry in docs/reference/migration-rules.md") {
  std::string expected;
  for (const migration::StepRules& step : migration::all_steps()) {
    std::set<std::string_view> names;  // 0.9.6 shares rules with 0.9.7
    if (!step.rules.empty())
      expected += fmt::format("\n## To {}\n\n| rule | effect | back |\n| --- | --- | --- |\n", to_string(step.to));
    for (const migration::Rule& rule : step.rules) {
      INFO(rule.name);
      CHECK(names.insert(rule.name).second);
      CHECK_FALSE(rule.summary.empty());
      expected += fmt::format("| {} | {} | {} |\n", rule.name, rule.summary, rule.undo != nullptr ? "yes" : "");
    }
  }
  const std::string path = AMALTHEA_SOURCE_DIR "/docs/reference/migration-rules.md";
  const std::string text = test::read_text(path);
  const std::size_t tables = text.find("\n## To ");
  REQUIRE(tables != std::string::npos);
  const bool listed = text.substr(tables) == expected;
  if (!listed) test::write_text("migration-rules.expected.md", text.substr(0, tables) + expected);
  INFO(
      "docs/reference/migration-rules.md should end as migration-rules.expected.md, written to the current folder, "
      "does");
  CHECK(listed);
}

TEST_CASE("rules take objects out by Step alone, which keeps what is left in them") {
  std::size_t files = 0;
  for (const char* const folder : {"rules", "detail"})
    for (const auto& file :
         std::filesystem::directory_iterator(AMALTHEA_SOURCE_DIR "/migration/" + std::string(folder))) {
      const std::string text = test::read_text(file.path().string());
      if (file.path().filename() == "leftovers.cpp" || file.path().extension() != ".cpp") continue;
      ++files;
      for (const std::string_view call : {"remove(", "remove_all("})
        for (std::size_t at = text.find(call); at != std::string::npos; at = text.find(call, at + 1)) {
          INFO(file.path().string() << ": " << text.substr(text.rfind('\n', at) + 1, 100));
          const std::string before = text.substr(0, at);
          CHECK((before.ends_with("step.") || before.ends_with("step_.")));
        }
    }
  CHECK(files > 30);
}

TEST_CASE(
    "rules go through lists of objects, which skip what is gone, not through what an object holds at the moment") {
  for (const auto& file : std::filesystem::directory_iterator(AMALTHEA_SOURCE_DIR "/migration/rules")) {
    INFO(file.path().string());
    CHECK(test::read_text(file.path().string()).find("for (const OwnedObject& ") == std::string::npos);
  }
}

}  // namespace rules_test
