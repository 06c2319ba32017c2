// SPDX-License-Identifier: Apache-2.0
// The form of commands and links in the documentation, on small pages.

#include <catch2/catch.hpp>

#include "tests/support/documented_commands.hpp"
#include "tests/support/markdown.hpp"

namespace {

using Lines = std::vector<std::string>;

const std::string page =
    "```xml file=a/one.txt\nfirst\nsecond\n```\n"
    "Now change it:\n"
    "```diff file=2.diff\n@@ -1,2 +1,3 @@\n first\n-second\n+2nd\n+3rd\n```\n"
    "```console\n"
    "$ patch a/one.txt 2.diff\n"
    "patching file a/one.txt\n"
    "$ cat \\\n    a/one.txt\n"
    "first\n2nd\n3rd\n"
    "\n"
    "$ echo out; echo err >&2; exit 4\n"
    "out\nerr\n"
    "# exit code 4\n"
    "```\n";

}  // namespace

TEST_CASE("documented commands run in order on the files of their page") {
  const auto run = test::run_commands("page.md", page);
  CHECK(run.commands == 3);
  CHECK(run.failures == Lines{});
  CHECK(run.text == page);
}

TEST_CASE("documented output or an exit code that is not what happens is a failure and can be rewritten") {
  std::string wrong = page;
  wrong.replace(wrong.find("3rd\n\n"), 4, "4th\n");
  wrong.replace(wrong.find("# exit code 4"), 13, "# exit code 1");
  const auto run = test::run_commands("page.md", wrong);
  REQUIRE(run.failures.size() == 2);
  CHECK(run.failures[0].starts_with("page.md:17: cat \\\n    a/one.txt\n  documented:\n    first\n    2nd\n    4th\n"));
  CHECK(run.failures[1].find("exit code 4, documented is 1") != std::string::npos);
  CHECK(run.rewritten.size() == 1);
  CHECK(run.text == page);
  // An exit code that is not stated has to be 0.
  CHECK(test::run_commands("p.md", "```console\n$ false\n```\n").text == "```console\n$ false\n# exit code 1\n```\n");
}

TEST_CASE("an ellipsis stands for any number of lines or any text") {
  CHECK(test::as_expected({"a", "…", "d"}, {"a", "b", "c", "d"}));
  CHECK(test::as_expected({"a", "…", "d"}, {"a", "d"}));
  CHECK(test::as_expected({"...", "d", "…"}, {"d", "d", "e"}));
  CHECK(test::as_expected({"took … s, seed …"}, {"took 1.5 s, seed 3"}));
  CHECK_FALSE(test::as_expected({"a", "…", "d"}, {"a", "b"}));
  CHECK_FALSE(test::as_expected({"a"}, {"a", "b"}));
  CHECK_FALSE(test::as_expected({"took … s"}, {"took 1.5 ms"}));
}

TEST_CASE("rewritten output keeps the ellipses of what was documented") {
  CHECK(test::updated({"…", "b is 1", "…", "d is … long", "e"}, {"x", "y", "b is 2", "z", "d is 4 long", "f"}) ==
        Lines{"…", "b is 2", "…", "d is … long", "f"});
  CHECK(test::updated({"a", "b"}, {"a", "c", "b"}) == Lines{"a", "c", "b"});
  CHECK(test::updated({}, {"a"}) == Lines{"a"});
}

TEST_CASE("headings have the anchors that GitHub gives them and links outside of code are found") {
  const std::string text =
      "# What can `amalthea` tell me?\n## A & B\n## A & B\n<a id=\"here\"></a>\n"
      "[x](one.md#two) `[y](no.md)` ![p](a.png) <img src=\"b.svg\">\n```\n# [z](no.md)\n```\n";
  CHECK(test::anchors(text) == std::set<std::string>{"what-can-amalthea-tell-me", "a--b", "a--b-1", "here"});
  const auto links = test::links(text);
  REQUIRE(links.size() == 3);
  CHECK(links[0].target == "one.md#two");
  CHECK(links[0].line == 5);
  CHECK(links[2].target == "b.svg");
}
