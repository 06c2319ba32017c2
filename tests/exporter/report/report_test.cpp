// SPDX-License-Identifier: Apache-2.0
// The data of a report's page.

#include <algorithm>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "engine/many_runs.hpp"
#include "exporter/report/report.hpp"
#include "exporter/results/result_formats.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/test_models.hpp"

namespace report_report_test {

using namespace amalthea;
using nlohmann::json;

namespace {

/// Two tasks on a core: "high" every 100 us for 10 us, "low" every 1000 us for 300 us with a deadline of 320 us.
System two_tasks() {
  test::SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex high = maker.task("high", core, 2, maker.periodic(100));
  maker.compute(high, 10);
  const TaskIndex low = maker.task("low", core, 1, maker.periodic(1000));
  maker.compute(low, 300);
  maker[low].deadline = test::us(320);
  return maker.build();
}

struct Reported {
  System system;
  exporter::RecordedAnalysis recorded;
  Diagnostics diagnostics;
  exporter::ModelInfo info = {{"folder/<model>.amxmi"}, "3.3.0", "sha256:00"};

  exporter::ReportView view() const {
    return {{info, system, recorded.results, diagnostics}, recorded.schedule, nullptr, nullptr, {{"--until", "1s"}}};
  }
};

Reported reported(System system, std::size_t most = 100'000, engine::AnalysisOptions options = {}) {
  Diagnostics diagnostics;
  auto recorded = exporter::analyze_and_record(system, options, most, diagnostics);
  REQUIRE(recorded);
  return {std::move(system), std::move(*recorded), std::move(diagnostics)};
}

struct CodedSpan {
  std::int64_t from, to;
  std::size_t standing;
};

/// As the page reads them.
std::vector<CodedSpan> spans_of(const json& schedule, std::size_t task) {
  std::vector<CodedSpan> spans;
  const std::int64_t unit = schedule["unit_ps"];
  std::int64_t at = 0;
  const json& coded = schedule["tasks"][task]["spans"];
  for (std::size_t i = 0; i < coded.size(); i += 3) {
    const std::int64_t from = at + coded[i].get<std::int64_t>() * unit;
    at = from + coded[i + 1].get<std::int64_t>() * unit;
    spans.push_back({from, at, coded[i + 2]});
  }
  return spans;
}

std::int64_t time_in(const json& schedule, std::size_t task, const char* state) {
  std::int64_t sum = 0;
  for (const CodedSpan& span : spans_of(schedule, task))
    if (schedule["standings"][span.standing][0] == state) sum += span.to - span.from;
  return sum;
}

/// Whether a job goes on after the end of the schedule.
bool ends_later(const json& schedule, std::size_t task) {
  std::int64_t release = 0;
  const json& coded = schedule["tasks"][task]["jobs"];
  for (std::size_t i = 0; i < coded.size(); i += 4) {
    release += coded[i + 1].get<std::int64_t>();
    const std::int64_t response = coded[i + 2];
    if (response < 0 || (release + response) * schedule["unit_ps"].get<std::int64_t>() > schedule["end_ps"])
      return true;
  }
  return false;
}

}  // namespace

TEST_CASE("report: the schedule is exact to the picosecond") {
  const Reported report = reported(two_tasks());
  const json data = json::parse(exporter::render_report_data(report.view()));
  CHECK(data["schema"] == "amalthea-report/1");
  CHECK(data["options"] == json::parse(R"([["--until", "1s"]])"));
  const json& schedule = data["schedule"];
  CHECK(schedule["cut"] == false);
  CHECK(schedule["unit_ps"] == 10'000'000);  // all times are multiples of 10 us
  CHECK(schedule["end_ps"] == 1'000'000'000);
  CHECK(spans_of(schedule, 0).size() == 10);
  // low: waits for high at 0, 100, 200 and 300 us, and so ends at 340 us.
  const auto low = spans_of(schedule, 1);
  REQUIRE(low.size() == 8);
  for (std::size_t i = 0; i < low.size(); ++i) {
    CHECK(low[i].from == static_cast<std::int64_t>(i / 2) * 100'000'000 + (i % 2 == 0 ? 0 : 10'000'000));
    const json& standing = schedule["standings"][low[i].standing];
    CHECK(standing[0] == (i == 0 ? "active" : i % 2 == 0 ? "ready" : "running"));
    CHECK(standing[2] == (i % 2 == 0 ? 0 : -1));  // because of high
  }
  CHECK(low.back().to == 340'000'000);
  CHECK(schedule["tasks"][1]["jobs"] == json({0, 0, 34, 8}));
  CHECK(schedule["tasks"][1]["responses"] == json::parse("[[340000000, 340000000, 1]]"));
  CHECK(data["results"]["tasks"][1]["verdict"] == "missed");
}

TEST_CASE("report: the spans of a job add up to its states for tasks of the WATERS 2019 model") {
  const Reported report = reported(test::system_from_file(test::sample("waters2019-tx2.amxmi")));
  const json data = json::parse(exporter::render_report_data(report.view()));
  const json results = json::parse(exporter::find_result_format("json")->render(report.view().analysis, {}));
  int compared = 0;
  for (std::size_t task = 0; task < results["tasks"].size(); ++task) {
    const json& result = results["tasks"][task];
    if (result.contains("folded_into") || result["simulated"]["unfinished"] != 0) continue;
    INFO(result["name"]);
    if (ends_later(data["schedule"], task)) continue;
    ++compared;
    const json& metrics = result["metrics"];
    const std::int64_t jobs = result["simulated"]["jobs"];
    for (const auto& [state, metric] : std::vector<std::pair<const char*, const char*>>{{"running", "RunningTime"},
                                                                                        {"polling", "PollingTime"},
                                                                                        {"waiting", "WaitingTime"},
                                                                                        {"ready", "ReadyTime"}}) {
      INFO(state);
      const std::int64_t mean = metrics[metric]["mean_ps"];
      CHECK(std::abs(time_in(data["schedule"], task, state) - mean * jobs) <= jobs);
    }
    std::int64_t seen = 0;
    for (const json& bin : data["schedule"]["tasks"][task]["responses"]) seen += bin[2].get<std::int64_t>();
    CHECK(seen == jobs);
  }
  CHECK(compared >= 8);
}

TEST_CASE("report: a cut schedule is reported and still contains the longest jobs") {
  const System system = test::system_from_file(test::sample("waters2019-tx2.amxmi"));
  const Reported whole = reported(system), part = reported(system, 2000);
  CHECK_FALSE(whole.recorded.schedule.cut);
  CHECK(part.recorded.schedule.cut);
  CHECK(part.recorded.schedule.spans() <= 2000 + 2 * system.tasks.size() * part.recorded.schedule.recorded.size());
  CHECK(part.recorded.schedule.spans() > 1000);
  const json all = json::parse(exporter::render_report_data(whole.view()));
  const json some = json::parse(exporter::render_report_data(part.view()));
  CHECK(all["results"] == some["results"]);
  const json& recorded = some["schedule"]["recorded_ps"];
  const auto is_recorded = [&recorded](std::int64_t time) {
    return std::any_of(recorded.begin(), recorded.end(),
                       [time](const json& window) { return window[0] <= time && time < window[1]; });
  };
  for (const json& task : some["results"]["tasks"]) {
    INFO(task["name"]);
    if (!task["worst_release_ps"].is_null()) CHECK(is_recorded(task["worst_release_ps"]));
  }
  // Within the windows nothing is missing: the same time in each, of each task. Of a job that does not end, a window
  // shows what the job waits for, too; the whole schedule ends before that wait does.
  for (std::size_t task = 0; task < system.tasks.size(); ++task) {
    std::int64_t expected = 0, found = 0;
    for (const CodedSpan& span : spans_of(all["schedule"], task))
      for (const json& window : recorded)
        expected += std::max<std::int64_t>(
            0, std::min<std::int64_t>(span.to, window[1]) - std::max<std::int64_t>(span.from, window[0]));
    for (const CodedSpan& span : spans_of(some["schedule"], task)) found += span.to - span.from;
    INFO(system.tasks[task].name);
    CHECK(found >= expected);
    CHECK((found == expected || ends_later(all["schedule"], task)));
  }
}

TEST_CASE("report: observation does not change results") {
  const System system = test::system_from_file(test::sample("waters2019-tx2.amxmi"));
  Diagnostics diagnostics;
  const auto results = engine::analyze(system, {}, diagnostics);
  REQUIRE(results);
  const Reported report = reported(system, 500);
  const auto render = exporter::find_result_format("json")->render;
  CHECK(render({report.info, system, *results, diagnostics}, {}) == render(report.view().analysis, {}));
}

TEST_CASE("report: the page is deterministic and self-contained") {
  const Reported report = reported(two_tasks());
  const std::string page = exporter::render_report_html(report.view());
  CHECK(page == exporter::render_report_html(reported(two_tasks()).view()));
  CHECK(page.find("default-src 'none'; script-src 'sha256-") != std::string::npos);
  for (const char* way_out : {" src=", "@import", "url(http", "<link", "<iframe", "style=\""})
    CHECK(page.substr(0, page.find("<script>")).find(way_out) == std::string::npos);
  CHECK(page.find("Copyright 2010-2022 Mike Bostock") != std::string::npos);
  CHECK(page.find("Timing of &lt;model&gt;.amxmi") != std::string::npos);
  CHECK(page.find("folder/\\u003cmodel>.amxmi") != std::string::npos);
}

TEST_CASE("report: names never end the data script or become markup of the graph") {
  System system = two_tasks();
  system.tasks[0].name = "</script><img src=x onerror=alert(1)><!--{{data}}";
  const Reported report = reported(std::move(system));
  const std::string page = exporter::render_report_html(report.view());
  CHECK(page.find("<img") == std::string::npos);
  CHECK(page.find("<!--{{") == std::string::npos);
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const auto from = page.find(begin) + begin.size();
  const json data = json::parse(page.substr(from, page.find("</script>", from) - from));
  CHECK(data["results"]["tasks"][0]["name"] == "</script><img src=x onerror=alert(1)><!--{{data}}");
}

TEST_CASE("report: many runs include their distributions") {
  Reported report = reported(two_tasks());
  Diagnostics diagnostics;
  engine::AnalysisOptions options;
  options.execution = engine::Execution::random;
  const auto runs = engine::simulate_runs(report.system, {options, 5, 1, 1}, diagnostics);
  REQUIRE(runs);
  exporter::ReportView view = report.view();
  view.runs = &*runs;
  const json data = json::parse(exporter::render_report_data(view));
  CHECK(data["runs"]["simulation"]["runs"] == 5);
  CHECK(data["runs"]["tasks"][0]["response"]["histogram"].size() > 0);
  CHECK(data["runs"]["tasks"][0]["jobs"] == 50);
}

TEST_CASE("report: a baseline may contain more than the compared keys") {
  const Reported report = reported(two_tasks());
  const std::string text = exporter::find_result_format("json")->render(report.view().analysis, {});
  const auto baseline = exporter::read_baseline("before.json", text);
  REQUIRE(baseline);
  const json reduced = json::parse(baseline->json);
  CHECK(reduced["tasks"][1]["simulated"]["max_ps"] == 340'000'000);
  CHECK(reduced["tasks"][1]["verdict"] == "missed");
  CHECK(reduced["resources"][0]["name"] == "core");
  exporter::ReportView view = report.view();
  view.baseline = &*baseline;
  CHECK(json::parse(exporter::render_report_data(view))["baseline"]["name"] == "before.json");

  CHECK(exporter::read_baseline("x", "{").error() == "it is not JSON");
  CHECK(exporter::read_baseline("x", "{}").error() ==
        "it is not the output of analyze --format json (schema amalthea-timing/1)");
  const auto odd = exporter::read_baseline(
      "x", R"({"schema": "amalthea-timing/1", "tasks": [1, {"name": 2}, {"name": "T", "bound": 3}], "chains": {}})");
  REQUIRE(odd);
  CHECK(json::parse(odd->json)["tasks"] ==
        json::parse(R"([{"name": "T", "verdict": null, "core": null, "deadline_ps": null,
                         "simulated": {"max_ps": null}, "bound": {"wcrt_ps": null}}])"));
  const std::string deep =
      R"({"schema": "amalthea-timing/1", "tasks": )" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  CHECK(exporter::read_baseline("x", deep).error() == "it is nested more than 32 levels deep");
}

}  // namespace report_report_test
