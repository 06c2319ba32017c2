// SPDX-License-Identifier: Apache-2.0
// What the documentation says of findings: the effect on a verdict, and the severity.

#include <string>

#include <catch2/catch.hpp>

#include "engine/finding_consequences.hpp"
#include "exporter/findings/finding_catalog.hpp"
#include "review/detail/rules.hpp"

namespace consequences_test {

using namespace amalthea;

namespace {

std::string in_words(engine::Consequence consequence) {
  switch (consequence) {
    case engine::Consequence::assumption:
      return "assumption";
    case engine::Consequence::unknown:
      return "unknown";
    case engine::Consequence::replacement:
      return "replacement";
    case engine::Consequence::none:
      break;
  }
  return "";
}

}  // namespace

TEST_CASE("the documentation states the effect of every finding on the verdict") {
  std::string_view before;
  for (const engine::FindingConsequence& row : engine::finding_consequences()) {
    INFO(row.id);
    CHECK(before < row.id);
    before = row.id;
    const std::size_t index = exporter::find_finding_kind(row.id);
    REQUIRE(index < exporter::finding_catalog().size());
    CHECK(exporter::finding_catalog()[index].severity != Severity::error);  // those always are unknown
    CHECK(row.several.empty() == (row.consequence == engine::Consequence::unknown));
    if (row.consequence == engine::Consequence::assumption) CHECK_FALSE(row.one.empty());
  }
  for (const exporter::FindingKind& kind : exporter::finding_catalog()) {
    INFO(kind.id);
    if (kind.severity == Severity::error) {
      CHECK(kind.consequence.empty());
      continue;
    }
    const Diagnostic finding{std::string(kind.id), kind.severity, "", {}, "", 1};
    CHECK(kind.consequence == in_words(engine::consequence_of(finding)));
  }
}

TEST_CASE("rules have the documented severity") {
  for (const review::Rule& rule : review::rules()) {
    INFO(rule.id);
    const std::size_t index = exporter::find_finding_kind(rule.id);
    REQUIRE(index < exporter::finding_catalog().size());
    CHECK(exporter::finding_catalog()[index].severity == rule.severity);
  }
}

}  // namespace consequences_test
