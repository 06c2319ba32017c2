// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/test_models.hpp"

namespace tables_test {

using nlohmann::ordered_json;

namespace {

std::string analyzed(const std::string& model, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"analyze", model};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const auto result = test::amalthea(arguments);
  CHECK(result.exit_code <= 1);
  return result.out;
}

/// Reads what RFC 4180 says, by itself.
std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    std::string& field = rows.back().back();
    if (quoted) {
      if (c != '"')
        field += c;
      else if (at + 1 < text.size() && text[at + 1] == '"')
        field += text[++at];
      else
        quoted = false;
    } else if (c == '"') {
      CHECK(field.empty());
      quoted = true;
    } else if (c == ',') {
      rows.back().emplace_back();
    } else if (c == '\n') {
      rows.emplace_back(1);
    } else {
      field += c;
    }
  }
  CHECK_FALSE(quoted);
  CHECK(rows.back() == std::vector<std::string>{""});  // ends with a line end
  rows.pop_back();
  return rows;
}

std::string at(const std::vector<std::vector<std::string>>& rows, std::size_t row, const std::string& title) {
  const auto column = std::find(rows[0].begin(), rows[0].end(), title);
  INFO(title);
  REQUIRE(column != rows[0].end());
  return rows[row][static_cast<std::size_t>(column - rows[0].begin())];
}

std::string number_or_nothing(const ordered_json& value) { return value.is_null() ? "" : value.dump(); }

const char* const waters = "waters2019-tx2.amxmi";

}  // namespace

TEST_CASE("CSV has one line per task with the values of the JSON form") {
  const auto json = ordered_json::parse(analyzed(test::sample(waters), {"--format", "json"}));
  const auto rows = read_csv(analyzed(test::sample(waters), {"--format", "csv"}));
  REQUIRE(rows.size() == json["tasks"].size() + 1);
  for (const auto& row : rows) CHECK(row.size() == rows[0].size());
  for (std::size_t i = 0; i < json["tasks"].size(); ++i) {
    const auto& task = json["tasks"][i];
    CHECK(at(rows, i + 1, "name") == task["name"]);
    CHECK(at(rows, i + 1, "deadline_ps") == number_or_nothing(task["deadline_ps"]));
    CHECK(at(rows, i + 1, "bound.wcrt_ps") == number_or_nothing(task["bound"]["wcrt_ps"]));
    CHECK(at(rows, i + 1, "simulated.max_ps") == number_or_nothing(task["simulated"]["max_ps"]));
    CHECK(at(rows, i + 1, "reason") == task["reason"]);
    CHECK(at(rows, i + 1, "verdict") == task["verdict"]);
  }
}

TEST_CASE("CSV has every table of the JSON form") {
  const auto json = ordered_json::parse(analyzed(test::sample(waters), {"--format", "json"}));
  for (const char* table : {"tasks", "runnables", "operations", "chains", "resources", "requirements", "findings"}) {
    INFO(table);
    const auto rows = read_csv(analyzed(test::sample(waters), {"--format", "csv", "--table", table}));
    CHECK(rows.size() == json[table].size() + 1);
    CHECK(rows.size() > 1);
  }
  const auto parts = read_csv(analyzed(test::sample(waters), {"--format", "csv", "--table", "contributions"}));
  std::int64_t sum = 0;
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (at(parts, i, "task") == "SFM" && at(parts, i, "of") == "bound") sum += std::stoll(at(parts, i, "ps"));
  for (const auto& task : json["tasks"])
    if (task["name"] == "SFM") CHECK(sum == task["bound"]["wcrt_ps"].get<std::int64_t>());
}

TEST_CASE("CSV has the table of what leaves limits open") {
  const test::TemporaryFolder folder;
  const std::string model = folder.path() + "/idle.amxmi";
  test::write_text(model, test::replaced(test::read_text(test::sample("offload-minimal.amxmi")),
                                         " stimuli=\"every_2ms?type=PeriodicStimulus\"", ""));
  const auto run = test::amalthea({"analyze", model, "-q", "--format", "csv", "--table", "open"});
  CHECK(run.exit_code == 4);
  CHECK(run.out == "rule,limits,file,line,column\nAM0407,2," + model + ",33,5\n");
}

TEST_CASE("arbitrary names stay in their CSV cell") {
  test::TemporaryFolder folder;
  const std::string model = folder.path() + "/odd.amxmi";
  std::string text = test::read_text(test::sample("offload-minimal.amxmi"));
  for (std::size_t at = 0; (at = text.find("Monitor?type=Task", at)) != std::string::npos;)
    text.replace(at, 17, "=a%22,b%7Cc?type=Task");
  text = test::replaced(text, "name=\"Monitor\"", "name=\"=a&quot;,b|c\"");
  test::write_text(model, text);
  const auto rows = read_csv(analyzed(model, {"--format", "csv"}));
  const auto named = std::find_if(rows.begin(), rows.end(), [](const auto& row) { return row[0] == "'=a\",b|c"; });
  CHECK(named != rows.end());
  const std::string markdown = analyzed(model, {"--format", "markdown"});
  CHECK(markdown.find("| =a\",b\\|c |") != std::string::npos);
}

TEST_CASE("Markdown has the tables and reasons of the text form with consistent cells per row") {
  const std::string markdown = analyzed(test::sample(waters), {"--format", "markdown", "--metrics"});
  const std::string text = analyzed(test::sample(waters), {"--metrics"});
  std::istringstream lines(markdown);
  std::size_t tables = 0, cells = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] != '|') {
      cells = 0;
      continue;
    }
    std::size_t bars = 0;
    for (std::size_t at = 0; at < line.size(); ++at) bars += line[at] == '|' && (at == 0 || line[at - 1] != '\\');
    if (cells == 0) {
      ++tables;
      cells = bars;
    }
    CHECK(bars == cells);
  }
  CHECK(tables == 6);
  for (const char* title :
       {"Response times of tasks", "Why tasks are late, unbounded or unknown", "Tasks without a bound",
        "States of processes, the largest of a job, ms", "Requirements", "Resources"}) {
    CHECK(text.find(std::string("\n") + title + "\n") != std::string::npos);
    CHECK(markdown.find(std::string("\n## ") + title + "\n\n") != std::string::npos);
  }
  CHECK(markdown.find("\n- **Planner**: 880 of 880 jobs end later than 12 ms after their release\n") !=
        std::string::npos);
}

TEST_CASE("contributions beyond the asked number are one sum for each kind") {
  const auto of = [](const std::string& number) {
    return ordered_json::parse(analyzed(test::sample(waters), {"--format", "json", "--contributions", number}));
  };
  const auto all = of("1000"), few = of("3");
  std::size_t sums = 0;
  for (std::size_t task = 0; task < all["tasks"].size(); ++task)
    for (const auto& [of_all, of_few] : {std::pair(all["tasks"][task], few["tasks"][task]),
                                         std::pair(all["tasks"][task]["bound"], few["tasks"][task]["bound"])}) {
      if (!of_all.contains("contributions")) continue;
      std::map<std::string, std::int64_t> time, count, kept_time, kept;
      for (const auto& part : of_all["contributions"]) {
        time[part["kind"]] += part["ps"].get<std::int64_t>();
        ++count[part["kind"]];
      }
      for (const auto& part : of_few["contributions"]) {
        kept_time[part["kind"]] += part["ps"].get<std::int64_t>();
        kept[part["kind"]] += part.value("others", 1);
        if (!part.contains("others")) continue;
        CHECK(part["by"].is_null());
        ++sums;
      }
      CHECK(time == kept_time);
      CHECK(count == kept);
    }
  CHECK(sums > 5);
}

TEST_CASE("results and GPU scenarios match their JSON Schemas") {
  // Debian's interpreter, for which its package is: another may come first in the PATH.
  static constexpr const char* python = "/usr/bin/python3";
  const std::string validate =
      "import json,sys,jsonschema\n"
      "validator = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))\n"
      "errors = [e.message for e in validator.iter_errors(json.load(open(sys.argv[2])))]\n"
      "print(len(errors), *errors[:5], sep='\\n')\n";
  if (test::run({python, "-c", "import jsonschema"}).exit_code != 0) test::skip("no JSON Schema (python3-jsonschema)");
  const auto errors_of = [&](const std::string& file, const std::string& schema) {
    const auto result = test::run({python, "-c", validate, AMALTHEA_SOURCE_DIR "/docs/" + schema, file});
    INFO(file << ": " << result.out << result.err);
    REQUIRE(result.exit_code == 0);
    return result.out;
  };
  test::TemporaryFolder folder;
  const std::string file = folder.path() + "/results.json";
  const auto errors = [&](const std::string& results) {
    test::write_text(file, results);
    return errors_of(file, "results.schema.json");
  };
  for (const char* sample : {waters, "offload-minimal.amxmi", "offload-blocks.amxmi", "constraints.amxmi"})
    CHECK(errors(analyzed(test::sample(sample), {"--format", "json", "--derive-chains", "--until", "400ms"})) == "0\n");
  for (const char* sample : {"tutorial/5-shared-gpu.amxmi", "chains.amxmi"})
    CHECK(errors(analyzed(test::sample(sample), {"--format", "json", "--headroom"})) == "0\n");
  CHECK(errors(analyzed(test::sample(waters), {"--format", "json", "--contributions", "2"})) == "0\n");
  auto broken = ordered_json::parse(analyzed(test::sample(waters), {"--format", "json", "--until", "20ms"}));
  broken["tasks"][0].erase("verdict");
  broken["tasks"][1]["surprise"] = 1;
  broken["tasks"][2]["deadline_ps"] = "12 ms";
  CHECK(errors(broken.dump()).substr(0, 2) == "3\n");
  const std::string trace = folder.path() + "/run.btf";
  CHECK(test::amalthea({"simulate", test::sample("offload-minimal.amxmi"), "--trace", trace}).exit_code == 0);
  for (const char* runs : {"0", "3"}) {
    test::write_text(file, test::amalthea({"compare", test::sample("offload-minimal.amxmi"), trace, "--format", "json",
                                           "--runs", runs})
                               .out);
    CHECK(errors_of(file, "comparison.schema.json") == "0\n");
  }
  for (const char* task : {"Planner", "PRE_SFM_gpu_POST", "SFM"}) {
    test::write_text(file, test::amalthea({"explain", test::sample(waters), task, "--format", "json"}).out);
    CHECK(errors_of(file, "explanation.schema.json") == "0\n");
  }
  for (const char* scenario : {"camera.json", "contexts.json", "thesis.json"})
    CHECK(errors_of(test::sample(std::string("gpu/") + scenario), "gpu-scenario.schema.json") == "0\n");
}

}  // namespace tables_test
