// SPDX-License-Identifier: Apache-2.0
// Content that is not understood is not ignored by the analysis.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace understood_test {

namespace {

using Json = nlohmann::json;
using test::replaced;

/// A folder with the smallest offloading system, with one text replaced.
class Changed {
 public:
  Changed(std::string_view from, std::string_view to) {
    test::write_text(model(), replaced(test::read_text(test::sample("offload-minimal.amxmi")), from, to));
  }
  std::string model() const { return folder_.path() + "/model.amxmi"; }
  std::string in(const std::string& name) const { return folder_.path() + "/" + name; }

 private:
  test::TemporaryFolder folder_;
};

/// More work of Monitor, of a class that no version has.
Changed misspelt() {
  return {"name=\"Monitor_Function\" callback=\"false\" service=\"false\">\n      <activityGraph>",
          "name=\"Monitor_Function\" callback=\"false\" service=\"false\">\n      <activityGraph>"
          "<items xsi:type=\"am:Tickz\"><default xsi:type=\"am:DiscreteValueConstant\" value=\"1\"/></items>"};
}

std::multiset<std::string> ids_in(const Json& findings, const char* key) {
  std::multiset<std::string> ids;
  for (const Json& finding : findings) ids.insert(finding[key].get<std::string>());
  return ids;
}

}  // namespace

TEST_CASE("a model with an unknown class is analyzed by no verb") {
  const Changed changed = misspelt();
  const std::string model = changed.model();
  const std::vector<std::vector<std::string>> verbs = {
      {"analyze", model},
      {"simulate", model},
      {"explain", model, "Control"},
      {"report", model, "-o", changed.in("out.html")},
      {"annotate", model, "-o", changed.in("out.amxmi")},
      {"explore", model, "--candidates", "1"},
      {"graph", model},
  };
  for (const auto& verb : verbs) {
    INFO(verb.front());
    const auto result = test::amalthea(verb);
    CHECK(result.exit_code == 1);
    CHECK(result.out.empty());
    CHECK(result.err.find("unknown class \"am:Tickz\"") != std::string::npos);
    auto lenient = verb;
    lenient.emplace_back("--lenient");
    const auto read_on = test::amalthea(lenient);
    const bool judges = verb.front() != "annotate" && verb.front() != "graph";
    CHECK(judges == (read_on.exit_code == 4));  // the verdict is unknown, as part of the model was not judged
    CHECK((judges || read_on.exit_code <= 1));
    CHECK(read_on.err.find("error: unknown class \"am:Tickz\"") != std::string::npos);
    CHECK((!read_on.out.empty() || verb.front() == "report" || verb.front() == "annotate"));
  }
  const auto batch = test::amalthea({"batch", model, "--jobs", "1"});
  CHECK(batch.exit_code == 1);
  CHECK(Json::parse(batch.out)["verdict"] == "failed");
  CHECK(Json::parse(test::amalthea({"batch", model, "--jobs", "1", "--lenient"}).out)["verdict"] != "failed");
}

TEST_CASE("the last line after errors states that the model is not analyzed and whether --lenient helps") {
  const auto last_line = [](const std::string& text) { return text.substr(text.rfind('\n', text.size() - 2) + 1); };
  const Changed misspelled = misspelt();
  CHECK(last_line(test::amalthea({"analyze", misspelled.model()}).err) ==
        "amalthea: note: the model is not analyzed because of 1 error; fix it, or use --lenient to analyze the rest of "
        "the model (the verdict is then unknown) [AM0344]\n");
  const Changed unit("value=\"2\" unit=\"ms\"", "value=\"2\" unit=\"msec\"");
  CHECK(last_line(test::amalthea({"analyze", unit.model()}).err) ==
        "amalthea: note: the model is not analyzed because of 1 error; fix it [AM0344]\n");
  CHECK(last_line(test::amalthea({"analyze", unit.model(), "--lenient"}).err) ==
        "amalthea: note: the model is not analyzed because of 1 error; fix it; --lenient does not help here, because "
        "the rest is incomplete [AM0344]\n");
}

TEST_CASE("a misspelled metric is reported once") {
  const Changed metric("metric=\"ResponseTime\"", "metric=\"RespTime\"");
  const std::string said = test::amalthea({"analyze", metric.model()}).err;
  CHECK(said.find("[AM0220]") != std::string::npos);
  CHECK(said.find("[AM0343]") == std::string::npos);
}

TEST_CASE("a folder with several models states that they form one") {
  const test::TemporaryFolder folder;
  const std::string text = test::read_text(test::sample("offload-minimal.amxmi"));
  test::write_text(folder.path() + "/a.amxmi", text);
  CHECK(test::amalthea({"analyze", folder.path()}).err.empty());
  test::write_text(folder.path() + "/b.amxmi", text);
  const std::string note =
      "amalthea: note: " + folder.path() +
      ": the 2 model files in this folder form one model; for a separate result per file, use amalthea batch\n";
  CHECK(test::amalthea({"analyze", folder.path()}).err.starts_with(note));
  CHECK(test::amalthea({"analyze", "-q", folder.path()}).err.find("amalthea batch") == std::string::npos);
}

TEST_CASE("other content that EMF rejects is rejected too") {
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"preemption=\"preemptive\"", "preemptiom=\"preemptive\""},
           {"preemption=\"preemptive\"", "preemption=\"preemtive\""},
           {"<swModel>", "<swModel><foo/>"},
           {"<labels xmi:id=\"Image_host", "<labels buffered=\"true\" xmi:id=\"Image_host"},
           {"name=\"Monitor\"", "name=\"Monitor\" tags=\"none?type=Tag\""}}) {
    INFO(to);
    const Changed changed(from, to);
    const auto strict = test::amalthea({"analyze", changed.model()});
    CHECK(strict.exit_code == 1);
    CHECK(strict.out.empty());
    const auto lenient = test::amalthea({"analyze", changed.model(), "--lenient"});
    CHECK(lenient.exit_code == 4);
    CHECK(lenient.out.starts_with("Verdict: unknown"));
    CHECK(lenient.out.find("1 part of the model not judged: ") < lenient.out.find('\n'));
    CHECK(lenient.out.find("Control") != std::string::npos);
  }
}

TEST_CASE("unreadable values that affect timing stop an analysis even with --lenient") {
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"value=\"10\" unit=\"ms\"", "value=\"10\" unit=\"mss\""},
           {"lowerBound=\"200000\"", "lowerBound=\"2x\""},
           {"runnable=\"Monitor_Function?type=Runnable\"", "runnable=\"Monitor?type=Runnable\""}}) {
    INFO(to);
    const Changed changed(from, to);
    const auto result = test::amalthea({"analyze", changed.model(), "--lenient"});
    CHECK(result.exit_code == 1);
    CHECK(result.out.empty());
  }
}

TEST_CASE("analyze and validate report the same findings in the same order") {
  const Changed changed("<labels xmi:id=\"Image_host", "<labels name=\"Spare\"/><labels xmi:id=\"Image_host");
  const auto validated = test::amalthea({"validate", changed.model(), "--format", "json"});
  const auto analyzed = test::amalthea({"analyze", changed.model(), "--format", "json"});
  CHECK(analyzed.exit_code == 0);
  const auto found = ids_in(Json::parse(validated.out)["findings"], "rule");
  CHECK(found.count("AM0620") == 1);
  CHECK(ids_in(Json::parse(analyzed.out)["findings"], "rule") == found);
  const auto text = test::amalthea({"validate", changed.model()}).out;
  CHECK(text.starts_with(analyzed.err));

  const std::string waters = test::sample("waters2019-tx2.amxmi");
  const std::string waters_text = test::amalthea({"validate", waters}).out;
  CHECK(waters_text.starts_with(test::amalthea({"analyze", waters, "--until", "100ms"}).err));
}

TEST_CASE("an analysis lists the first suspicious findings and counts the rest") {
  std::string labels;
  for (int i = 0; i < 50; ++i) labels += "<labels name=\"Spare" + std::to_string(i) + "\"/>";
  const Changed changed("<labels xmi:id=\"Image_host", labels + "<labels xmi:id=\"Image_host");
  const auto result = test::amalthea({"analyze", changed.model()});
  CHECK(result.exit_code == 0);
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') <= 13);
  CHECK(result.err.find("40 more findings of AM0620") != std::string::npos);
}

}  // namespace understood_test
