// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

using nlohmann::json;

namespace {

json study(std::vector<std::string> arguments) {
  std::vector<std::string> command = {"gpu", "study", "policies", "--format", "json"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const auto found = test::amalthea(command);
  INFO(found.err);
  REQUIRE(found.exit_code == 0);
  return json::parse(found.out);
}

const json& given_in(const json& study) {
  for (const json& variant : study["variants"])
    if (variant["given"] == true) return variant;
  throw std::runtime_error("no variant is the given one");
}

/// The choices that differ from what is given.
std::string words(const json& study, const json& variant) {
  std::string text;
  for (std::size_t i = 0; i < study["policies"].size(); ++i)
    if (const auto choice = variant["choices"][i].get<std::size_t>(); choice > 0)
      text += study["policies"][i]["name"].get<std::string>() + "=" +
              study["policies"][i]["choices"][choice].get<std::string>() + ";";
  return text;
}

}  // namespace

TEST_CASE("gpu study policies finds the launch order that gpu study order finds") {
  const std::string scenario = test::sample("gpu/launch-order.json");
  const json found = study({"--vary", "order", scenario});
  CHECK(found["all"] == true);
  CHECK(found["variants"].size() == 2);
  CHECK(given_in(found)["longest"].get<double>() == Approx(0.004));
  CHECK(words(found, found["variants"][0]) == "launch order=the best found;");
  CHECK(found["variants"][0]["longest"].get<double>() == Approx(0.003));
}

TEST_CASE(
    "gpu study policies varies what a scenario with several contexts has, and each variant is what gpu run says") {
  const std::string scenario = test::sample("gpu/contexts.json");
  const json found = study({"--vary", "slices,priorities,contexts", "--variants", "40", scenario});
  CHECK(found["variants"].size() == 40);
  CHECK(found["all"] == false);
  std::vector<std::string> names;
  for (const json& policy : found["policies"]) names.push_back(policy["name"]);
  CHECK(std::find(names.begin(), names.end(), "contexts") != names.end());
  CHECK(std::find(names.begin(), names.end(), "scheduling of contexts") != names.end());
  const auto run = json::parse(test::amalthea({"gpu", "run", "--format", "json", scenario}).out);
  std::int64_t longest = 0;
  for (const char* kind : {"kernels", "copies"})
    for (const json& one : run[kind])
      longest = std::max(longest, one["completion_ps"].get<std::int64_t>() - one["release_ps"].get<std::int64_t>());
  CHECK(given_in(found)["longest"].get<double>() == Approx(static_cast<double>(longest) * 1e-12));
  std::size_t bounds = 0;
  for (const json& variant : found["variants"])
    for (const json& times : variant["times"]) {
      if (times["bound_ps"].is_null()) continue;
      ++bounds;
      CHECK(times["max_ps"].get<std::int64_t>() <= times["bound_ps"].get<std::int64_t>());
    }
  CHECK(bounds > found["variants"].size());
  for (const json& times : given_in(found)["times"]) CHECK_FALSE(times["bound_ps"].is_null());
}

TEST_CASE("gpu study policies bounds and simulates variants of a model as analyze and simulate do") {
  const std::string model = test::sample("tutorial/5-shared-gpu.amxmi");
  const json found = study({"--vary", "slices", "--vary", "priorities", "--runs", "2", "--variants", "60", model});
  CHECK(found["bounds"] == true);
  const json& given = given_in(found);
  const auto analyzed = json::parse(test::amalthea({"analyze", "--format", "json", "-q", model}).out);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < found["parties"].size(); ++i)
    for (const json& task : analyzed["tasks"])
      if (task["name"] == found["parties"][i]["name"]) {
        CHECK(given["times"][i]["bound_ps"] == task["bound"]["wcrt_ps"]);
        ++compared;
      }
  CHECK(compared == found["parties"].size());
  CHECK(compared >= 4);
  for (const json& variant : found["variants"])
    for (const json& times : variant["times"])
      if (!times["bound_ps"].is_null() && times.contains("max_ps"))
        CHECK(times["max_ps"].get<std::int64_t>() <= times["bound_ps"].get<std::int64_t>());
  // The sample's deadline is missed because of the slices; a study finds slices that keep it.
  CHECK(given["not_guaranteed"].get<int>() > 0);
  CHECK(found["variants"][0]["not_guaranteed"].get<int>() == 0);
}

TEST_CASE("gpu study policies finds budgets of QAWS with which a deadline is kept, with the times of the warps then",
          "[long]") {
  const test::TemporaryFolder folder;
  const std::string model = folder.path() + "/deadline.amxmi";
  // Radar's kernel begins when Vision's does, after the copy.
  std::string text = test::read_text(test::sample("offload-instructions.amxmi"));
  const auto replace = [&text](const std::string& stated, const std::string& by) {
    text.replace(text.find(stated), stated.size(), by);
  };
  replace(R"(name="Vision" stimuli="Vision_request?type=InterProcessStimulus")",
          R"(name="Vision" stimuli="every_10ms_from_2?type=PeriodicStimulus")");
  replace(R"(name="Radar" stimuli="every_10ms_from_2?type=PeriodicStimulus")",
          R"(name="Radar" stimuli="Radar_release?type=PeriodicStimulus")");
  replace("<stimuliModel>", R"(<stimuliModel>
    <stimuli xsi:type="am:PeriodicStimulus" xmi:id="Radar_release?type=PeriodicStimulus" name="Radar_release">
      <offset value="2010" unit="us"/><recurrence value="10" unit="ms"/></stimuli>)");
  replace(R"(<limitValue value="5" unit="ms"/>)", R"(<limitValue value="300" unit="ns"/>)");
  test::write_text(model, text);
  const json found = study({"--vary", "budgets", "--runs", "1", model});
  CHECK(found["policies"].size() == 2);
  CHECK(found["variants"].size() == 25);
  CHECK(given_in(found)["missed"] == 1);
  CHECK(found["variants"][0]["missed"] == 0);
  CHECK(words(found, found["variants"][0]) == "budget of Radar=16;");
}

TEST_CASE("gpu study policies relates budgets of QAWS to the published times and finds those that keep deadlines") {
  // Figure 3 of the paper, as reconstructed: the cycles in which K1, released at 0, and K2, released at 1, finish.
  const json found = study({"--vary", "budgets", AMALTHEA_SOURCE_DIR "/tests/papers/qaws-deadlines.amxmi"});
  const std::map<std::string, std::pair<int, int>> published = {{"", {20, 38}},  // equal budgets: GTO
                                                                {"budget of K2=2;", {36, 32}},
                                                                {"budget of K2=4;", {38, 28}},
                                                                {"budget of K2=8;", {39, 22}}};
  std::size_t compared = 0;
  for (const json& variant : found["variants"]) {
    const auto times = published.find(words(found, variant));
    if (times == published.end()) continue;
    ++compared;
    CHECK(variant["times"][0]["max_ps"] == times->second.first * 1000);
    CHECK(variant["times"][1]["max_ps"] == (times->second.second - 1) * 1000);
    // The deadlines are 40 and 28 cycles after the releases.
    CHECK(variant["missed"] == (times->second.second - 1 > 28 ? 1 : 0));
  }
  CHECK(compared == published.size());
  CHECK(words(found, found["variants"][0]) == "budget of K2=8;");
}

TEST_CASE(
    "gpu study policies writes a page with a timeline of the given and the best variant, and a row per party as CSV") {
  const test::TemporaryFolder folder;
  const std::string page = folder.path() + "/policies.html", scenario = test::sample("gpu/launch-order.json");
  const auto found =
      test::amalthea({"gpu", "study", "policies", "--vary", "order", "--format", "csv", "--page", page, scenario});
  CHECK(found.exit_code == 0);
  CHECK(found.out.find("variant,place,launch order,name,limit_ps,bound_ps,count,") == 0);
  CHECK(std::count(found.out.begin(), found.out.end(), '\n') == 1 + 2 * 3);
  const std::string html = test::read_text(page);
  CHECK(html.find("<h3>1: launch order: the best found</h3>") != std::string::npos);
  CHECK(html.find("<h3>2: as given</h3>") != std::string::npos);
  CHECK(test::amalthea({"gpu", "study", "policies", "--vary", "order", "--page", page, scenario})
            .out.find("given, best, worst") != std::string::npos);
  CHECK(test::read_text(page) == html);
}

TEST_CASE("gpu study policies names what it does not take") {
  const auto no_gpu = test::amalthea({"gpu", "study", "policies", test::sample("chains.amxmi")});
  CHECK(no_gpu.exit_code == 2);
  CHECK(no_gpu.err.find("no task of the model is on a GPU") != std::string::npos);
  const auto wrong = test::amalthea({"gpu", "study", "policies", "--vary", "slice", test::sample("gpu/contexts.json")});
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.err.find("slices") != std::string::npos);
}
