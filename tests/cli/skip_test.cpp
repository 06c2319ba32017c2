// SPDX-License-Identifier: Apache-2.0
// Rules for tests: a test without input is skipped, and no test that fails or checks nothing passes.

#include <string>

#include <catch2/catch.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/skip.hpp"

TEST_CASE("example: skipped", "[.]") { test::skip("no example"); }
TEST_CASE("example: passes", "[.]") { CHECK(true); }
TEST_CASE("example: fails", "[.]") {
  for (int i = 0; i < 77; ++i) CHECK(i < 0);
}
TEST_CASE("example: fails before it is skipped", "[.]") {
  CHECK(false);
  test::skip("no example");
}
TEST_CASE("example: passes before it is skipped", "[.]") {
  CHECK(true);
  test::skip("no example");
}
TEST_CASE("example: checks nothing", "[.]") {}

TEST_CASE("tests without input are skipped and never hide failures or missing checks") {
  const auto exit_code = [](const std::string& name) { return test::run({"/proc/self/exe", name}).exit_code; };
  CHECK(exit_code("example: skipped") == 77);
  CHECK(test::run({"/proc/self/exe", "example: skipped"}).out.find("\nskipped: no example\n") != std::string::npos);
  CHECK(exit_code("example: passes") == 0);
  CHECK(exit_code("example: passes,example: skipped") == 0);
  for (const char* name :
       {"example: fails", "example: fails before it is skipped", "example: passes before it is skipped",
        "example: checks nothing", "example: that there is not"})
    CHECK(exit_code(name) == 1);
}
