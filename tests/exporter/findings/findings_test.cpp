// SPDX-License-Identifier: Apache-2.0
// Findings as text, JSON and SARIF, and the catalog of their meanings.

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "exporter/findings/finding_catalog.hpp"
#include "exporter/findings/finding_formats.hpp"
#include "tests/support/test_models.hpp"

namespace findings_findings_test {

using namespace amalthea;
using Json = nlohmann::json;

namespace {

const exporter::ModelInfo info{{"models/a b.amxmi"}, "3.3.0", "sha256:0"};

/// The vector of a fixed list that g++ 12 builds without false warnings.
std::vector<Diagnostic> some_findings() {
  std::vector<Diagnostic> findings(4);
  findings[0].id = "AM0620";
  findings[0].severity = Severity::warning;
  findings[0].message = "label \"L\" is never accessed";
  findings[0].location = Location{"models/a b.amxmi", 12, 5};
  findings[0].path = "swModel/labels/L";
  findings[1].id = "AM0207";
  findings[1].severity = Severity::warning;
  findings[1].message = "a second Label is named \"L\"; references mean this one, not the one at line 12";
  findings[1].location = Location{"models/a b.amxmi", 14, 5};
  findings[1].path = "swModel/labels/L";
  findings[2].id = "AM0116";
  findings[2].message = "cannot open the file: [{no}] such\nfile";
  findings[2].location.file = "/else/where.amxmi";
  findings[3].id = "AM0312";
  findings[3].message = "no task";
  return findings;
}

Json sarif(const std::vector<Diagnostic>& findings, const std::string& base = "/work") {
  return Json::parse(exporter::render_findings_sarif({info, findings, 0, base}));
}

}  // namespace

TEST_CASE("the catalog of findings matches the documentation") {
  const auto& catalog = exporter::finding_catalog();
  CHECK(catalog.size() > 80);
  for (std::size_t i = 0; i < catalog.size(); ++i) {
    INFO(catalog[i].id);
    CHECK(exporter::find_finding_kind(catalog[i].id) == i);
    CHECK_FALSE(catalog[i].explanation.empty());
    CHECK_FALSE(catalog[i].chapter.empty());
    CHECK(catalog[i].summary().ends_with("."));
    CHECK(catalog[i].explanation.starts_with(catalog[i].summary()));
    if (i > 0) CHECK(catalog[i - 1].id < catalog[i].id);
  }
  CHECK(exporter::find_finding_kind("AM9999") == catalog.size());
  CHECK(exporter::find_finding_kind("") == catalog.size());
}

TEST_CASE("the help of each kind of findings is a heading of the documentation") {
  const std::string page = test::read_text(AMALTHEA_SOURCE_DIR "/docs/reference/diagnostics.md");
  std::set<std::string> anchors;
  for (std::size_t at = 0; (at = page.find("\n## ", at)) != std::string::npos; ++at) {
    std::string heading = page.substr(at + 4, page.find('\n', at + 4) - at - 4);
    for (char& c : heading) c = c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    anchors.insert("https://example.org/main/docs/reference/diagnostics.md#" + heading);
  }
  for (const auto& kind : exporter::finding_catalog()) {
    INFO(kind.id);
    CHECK(anchors.count(exporter::help_uri("https://example.org/main/", kind)) == 1);
    CHECK(exporter::help_uri("urn:tool", kind) == "urn:tool:" + std::string(kind.id));
  }
}

TEST_CASE("findings are sorted by file and line and column and id") {
  auto findings = some_findings();
  exporter::sort_findings(findings);
  std::vector<std::string> ids;
  for (const auto& finding : findings) ids.push_back(finding.id);
  CHECK(ids == std::vector<std::string>{"AM0312", "AM0116", "AM0620", "AM0207"});
}

TEST_CASE("text: one finding per line and then the totals") {
  const std::string text = exporter::render_findings_text({info, some_findings(), 2, ""});
  CHECK(text.find("models/a b.amxmi:12:5: warning: label \"L\" is never accessed [AM0620]\n") == 0);
  CHECK(text.ends_with("2 errors, 2 warnings, 0 notes; 2 suppressed\n"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 5);
}

TEST_CASE("JSON: the model and counts and every finding with its location") {
  const Json json = Json::parse(exporter::render_findings_json({info, some_findings(), 1, ""}));
  CHECK(json["schema"] == "amalthea-findings/1");
  CHECK(json["model"]["version"] == "3.3.0");
  CHECK(json["counts"] == Json{{"error", 2}, {"warning", 2}, {"note", 0}, {"suppressed", 1}});
  CHECK(json["findings"].size() == 4);
  CHECK(json["findings"][0]["rule"] == "AM0620");
  CHECK(json["findings"][0]["column"] == 5);
  CHECK(json["findings"][2]["line"].is_null());
}

TEST_CASE("SARIF: output matches the schema of 2.1.0") {
  const Json log = sarif(some_findings());
  CHECK(log["version"] == "2.1.0");
  REQUIRE(log["runs"].size() == 1);
  const Json& run = log["runs"][0];
  CHECK(run["columnKind"] == "unicodeCodePoints");
  const Json& driver = run["tool"]["driver"];
  CHECK(driver["name"] == "amalthea-timing");
  CHECK(driver["informationUri"].get<std::string>().find(':') != std::string::npos);
  std::set<std::string> ids;
  for (const Json& rule : driver["rules"]) {
    CHECK(ids.insert(rule["id"].get<std::string>()).second);
    CHECK(rule["helpUri"].get<std::string>().ends_with(rule["id"].get<std::string>()));
    CHECK(rule["shortDescription"]["text"].get<std::string>().size() > 5);
    CHECK(rule["fullDescription"]["text"].get<std::string>().size() > 5);
    CHECK(std::set<std::string>{"note", "warning", "error"}.count(rule["defaultConfiguration"]["level"]) == 1);
  }
  CHECK(ids.size() == exporter::finding_catalog().size());
  REQUIRE(run["results"].size() == 4);
  for (const Json& result : run["results"]) {
    CHECK(driver["rules"][result["ruleIndex"].get<std::size_t>()]["id"] == result["ruleId"]);
    CHECK(result["message"]["text"].is_string());
    for (const Json& location : result.value("locations", Json::array())) {
      if (!location.contains("physicalLocation")) continue;
      const Json region = location["physicalLocation"].value("region", Json::object());
      for (const char* number : {"startLine", "startColumn"})
        if (region.contains(number)) CHECK(region[number].get<int>() >= 1);
    }
  }
}

TEST_CASE("SARIF: locations are relative URIs and paths are logical locations and messages are escaped") {
  const Json log = sarif(some_findings());
  const Json& results = log["runs"][0]["results"];
  const Json& location = results[0]["locations"][0];
  CHECK(location["physicalLocation"]["artifactLocation"]["uri"] == "models/a%20b.amxmi");
  CHECK(location["physicalLocation"]["region"] == Json{{"startLine", 12}, {"startColumn", 5}});
  CHECK(location["logicalLocations"][0] ==
        Json{{"name", "L"}, {"fullyQualifiedName", "swModel/labels/L"}, {"kind", "element"}});
  CHECK(results[2]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "file:///else/where.amxmi");
  CHECK(results[2]["locations"][0]["physicalLocation"]["region"] == Json{{"startLine", 1}});
  CHECK(results[2]["message"]["text"] == "cannot open the file: \\[{{no}}\\] such\\x0afile");
  // A finding without a place is shown at the beginning of the model.
  CHECK(results[3]["locations"][0]["physicalLocation"]["region"] == Json{{"startLine", 1}});
  CHECK(sarif(some_findings(),
              "/else")["runs"][0]["results"][2]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] ==
        "where.amxmi");
}

TEST_CASE("SARIF: fingerprints stay when lines move and distinguish equal findings") {
  const auto fingerprints = [](const std::vector<Diagnostic>& findings) {
    std::vector<std::string> found;
    const Json log = sarif(findings);
    for (const Json& result : log["runs"][0]["results"])
      found.push_back(result["partialFingerprints"]["amaltheaFinding/v1"]);
    return found;
  };
  const auto before = fingerprints(some_findings());
  auto moved = some_findings();
  for (auto& finding : moved) finding.location.line += 100;
  moved[1].message = test::replaced(moved[1].message, "line 12", "line 112");
  CHECK(fingerprints(moved) == before);
  CHECK(std::set<std::string>(before.begin(), before.end()).size() == 4);
  auto twice = some_findings();
  twice.push_back(twice.front());
  CHECK(fingerprints(twice).back() != before.front());
  auto other = some_findings();
  other[0].path = "swModel/labels/M";
  CHECK(fingerprints(other)[0] != before[0]);
}

TEST_CASE("names that are not UTF-8 do not break JSON or SARIF") {
  std::vector<Diagnostic> findings(1);
  findings[0].id = "AM0620";
  findings[0].message = "label \"\xE4\"";
  findings[0].location = Location{"x\xFF.amxmi", 1, 1};
  findings[0].path = "a/\xE4";
  CHECK(Json::parse(exporter::render_findings_json({info, findings, 0, ""}))["findings"].size() == 1);
  CHECK(sarif(findings)["runs"][0]["results"].size() == 1);
}

}  // namespace findings_findings_test
