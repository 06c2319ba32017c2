// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

using nlohmann::json;

namespace {

json data_of(const std::string& page) {
  const std::string text = test::read_text(page), begin = "<script type=\"application/json\" id=\"data\">";
  const auto from = text.find(begin);
  REQUIRE(from != text.npos);
  return json::parse(text.substr(from + begin.size(), text.find("</script>", from) - from - begin.size()));
}

/// HTML without its escapes.
std::string plain(std::string text) {
  for (const auto& [escape, character] : std::initializer_list<std::pair<std::string_view, char>>{
           {"&quot;", '"'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}})
    for (auto at = text.find(escape); at != text.npos; at = text.find(escape, at + 1))
      text.replace(at, escape.size(), 1, character);
  return text;
}

}  // namespace

TEST_CASE("report: one deterministic file with the results of analyze") {
  const test::TemporaryFolder folder;
  const std::string one = folder.path() + "/one.html", two = folder.path() + "/two.html";
  const std::string model = test::sample("waters2019-tx2.amxmi");
  const auto result = test::amalthea({"report", model, "-o", one, "--runs", "20", "--until", "400ms"});
  CHECK(result.exit_code == 1);  // deadlines are missed
  CHECK(result.out.empty());
  CHECK(test::amalthea({"report", model, "-o", two, "--runs", "20", "--until", "400ms"}).exit_code == 1);
  CHECK(test::read_text(one) == test::read_text(two));
  const json data = data_of(one);
  json analyzed = json::parse(test::amalthea({"analyze", model, "--until", "400ms", "--format", "json"}).out);
  analyzed.erase("runnables");
  for (json& task : analyzed["tasks"]) task.erase("metrics");
  CHECK(data["results"] == analyzed);
  CHECK(data["runs"]["simulation"]["runs"] == 20);
  CHECK(data["runs"]["simulation"]["execution"] == "random");
  CHECK(data["options"].back() == json({"--seed", "1"}));
}

TEST_CASE("report --headroom: the page has the headroom of analyze") {
  const test::TemporaryFolder folder;
  const std::string page = folder.path() + "/report.html", model = test::sample("tutorial/5-shared-gpu.amxmi");
  CHECK(test::amalthea({"report", model, "--headroom", "-o", page}).exit_code == 1);
  const json headroom = data_of(page)["results"]["headroom"];
  CHECK(headroom == json::parse(test::amalthea({"analyze", model, "--headroom", "--format", "json"}).out)["headroom"]);
  CHECK(headroom["limits"] == 3);
  CHECK(headroom["guaranteed"] == 2);
  CHECK(headroom["of"][1]["kind"] == "times");
  CHECK(headroom["of"][1]["guaranteed"]["holds_percent"].get<int>() + 1 ==
        headroom["of"][1]["guaranteed"]["breaks_percent"].get<int>());
  CHECK(headroom["of"][1]["guaranteed"]["repaired"] == json({"deadline of Detection"}));
  for (const char* verb : {"report", "analyze"})
    CHECK(test::amalthea({verb, model, "--headroom", "--execution", "best", "-o", page}).exit_code == 2);
  CHECK(test::amalthea({"analyze", model, "--format", "csv", "--table", "headroom"}).exit_code == 2);
  const auto table = test::amalthea({"analyze", model, "-q", "--headroom", "--format", "csv", "--table", "headroom"});
  CHECK(table.out.starts_with("kind,name,guaranteed.holds_percent,"));
  CHECK(table.out.find("\njitter,every_10ms,100,") != std::string::npos);
}

TEST_CASE("report: exits with 0 if all deadlines hold") {
  const test::TemporaryFolder folder;
  const std::string page = folder.path() + "/report.html";
  CHECK(test::amalthea({"report", test::sample("offload-minimal.amxmi"), "-o", page}).exit_code == 0);
  CHECK(data_of(page)["baseline"].is_null());
}

TEST_CASE("report: wrong use is reported before anything is written") {
  const test::TemporaryFolder folder;
  const std::string page = folder.path() + "/report.html", model = test::sample("offload-minimal.amxmi");
  CHECK(test::amalthea({"report", model}).exit_code == 2);  // -o is missing
  CHECK(test::amalthea({"report", model, "-o", page, "--seed", "1"}).exit_code == 2);
  CHECK(test::amalthea({"report", model, "-o", page, "--trace-events", "1"}).exit_code == 2);
  const auto missing = test::amalthea({"report", model, "-o", page, "--baseline", folder.path() + "/none.json"});
  CHECK(missing.exit_code == 2);
  CHECK(missing.err.find("cannot open the file") != std::string::npos);
  test::write_text(folder.path() + "/notes.json", "no results");
  const auto wrong = test::amalthea({"report", model, "-o", page, "--baseline", folder.path() + "/notes.json"});
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.err.find("it is not JSON") != std::string::npos);
  CHECK(test::amalthea({"report", folder.path() + "/none.amxmi", "-o", page}).exit_code == 2);
  CHECK_FALSE(std::filesystem::exists(page));
}

TEST_CASE("report: a baseline that is a model shows its changes") {
  const test::TemporaryFolder folder;
  const std::string page = folder.path() + "/report.html", results = folder.path() + "/before.json";
  const std::string before = test::sample("tutorial/5-shared-gpu.amxmi");
  const std::string after = test::sample("tutorial/6-repaired.amxmi"), copy = folder.path() + "/copy.amxmi";
  REQUIRE(test::amalthea({"report", after, "-q", "-o", page, "--baseline", before}).exit_code == 0);
  const auto difference = data_of(page)["difference"];
  REQUIRE(difference["changes"].size() == 1);
  CHECK(difference["changes"][0]["what"] == "15 ms -> 1 ms");
  CHECK(data_of(page)["baseline"]["results"]["tasks"].size() == data_of(page)["results"]["tasks"].size());
  // Results name their model: it is compared as long as its content is the analyzed one.
  test::write_text(copy, test::read_text(before));
  REQUIRE(test::amalthea({"analyze", copy, "-q", "--format", "json", "-o", results}).exit_code == 1);
  REQUIRE(test::amalthea({"report", after, "-q", "-o", page, "--baseline", results}).exit_code == 0);
  CHECK(data_of(page)["difference"]["changes"] == difference["changes"]);
  test::write_text(copy, test::read_text(after));
  REQUIRE(test::amalthea({"report", after, "-q", "-o", page, "--baseline", results}).exit_code == 0);
  const std::string reason = data_of(page)["difference"]["reason"];
  CHECK(reason.find("no longer has the content that was analyzed") != std::string::npos);
}

TEST_CASE("report: shows what would help tasks that the plan does not mend as explain does") {
  const test::TemporaryFolder folder;
  const std::string page = folder.path() + "/report.html", model = test::sample("waters2019-tx2.amxmi");
  REQUIRE(test::amalthea({"report", model, "-q", "-o", page}).exit_code == 1);
  const auto tried = data_of(page)["what_ifs"];
  // The plan mends all others, and this one only with less execution time.
  REQUIRE(tried.size() == 1);
  CHECK(tried[0]["task"] == "Planner");
  const auto explained = test::amalthea({"explain", model, "Planner", "-q", "--format", "json"});
  CHECK(tried[0]["tried"] == nlohmann::json::parse(explained.out)["what_if"]);
  REQUIRE(test::amalthea({"report", model, "-q", "-o", page, "--what-ifs", "0"}).exit_code == 1);
  CHECK(data_of(page)["what_ifs"].empty());
}

TEST_CASE("graph: writes drawings of the system and of one task") {
  const std::string model = test::sample("waters2019-tx2.amxmi");
  const auto all = test::amalthea({"graph", model, "--format", "svg"});
  CHECK(all.exit_code == 0);
  CHECK(all.out.rfind("<svg ", 0) == 0);
  CHECK(all.out.find("Planner on Core0") != std::string::npos);
  const auto one = test::amalthea({"graph", model, "--format", "svg", "--task", "SFM"});
  CHECK(one.out.find("Planner on Core0") == std::string::npos);
  CHECK(one.out.find("SFM on GP10B") != std::string::npos);
}

TEST_CASE(
    "report: the first page states verdict, first cause, first step, every assumption and who decides, also as "
    "Markdown") {
  const test::TemporaryFolder folder;
  const std::string page = folder.path() + "/report.html", message = folder.path() + "/review.md";
  for (const char* sample : {"waters2019-tx2.amxmi", "tutorial/5-shared-gpu.amxmi"}) {
    INFO(sample);
    const std::string model = test::sample(sample);
    test::amalthea({"report", model, "-o", page});
    test::amalthea({"report", model, "-o", message});
    const json results = data_of(page)["results"], plan = data_of(page)["plan"];
    std::string html = test::read_text(page);
    html = html.substr(0, html.find("<section id=\"comparison\""));
    std::string markdown;  // without its escapes
    for (const char c : test::read_text(message))
      if (c != '\\') markdown += c;
    for (const std::string& text : {plain(html), markdown}) {
      CHECK(text.find(results["summary"].get<std::string>()) != text.npos);
      REQUIRE_FALSE(results["causes"]["list"].empty());
      CHECK(text.find(results["causes"]["list"][0]["summary"].get<std::string>()) != text.npos);
      REQUIRE_FALSE(plan["steps"].empty());
      CHECK(text.find(plan["steps"][0]["text"].get<std::string>()) != text.npos);
      for (const json& assumption : results["assumptions"])
        CHECK(text.find("Assumed: " + assumption["text"].get<std::string>() + ".") != text.npos);
      CHECK(text.find("Owner") != text.npos);
      CHECK(text.find("Date") != text.npos);
      CHECK(text.find(results["model"]["hash"].get<std::string>()) != text.npos);
      CHECK(text.find("amalthea-timing " + results["tool"]["version"].get<std::string>()) != text.npos);
    }
  }
}
