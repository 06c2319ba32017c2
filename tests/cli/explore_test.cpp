// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace explore_test {

using nlohmann::json;

namespace {

const std::string waters = test::sample("waters2019-tx2.amxmi");
const std::string minimal = test::sample("offload-minimal.amxmi");

/// Judges few candidates, so that it takes little time.
test::CommandResult explore(const std::string& model, std::vector<std::string> options,
                            const std::string& candidates = "150") {
  std::vector<std::string> arguments = {"explore", model, "--candidates", candidates};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return test::amalthea(arguments);
}

json explored(const std::string& model, std::vector<std::string> options) {
  options.insert(options.end(), {"--format", "json"});
  const auto result = explore(model, options);
  INFO(result.err);
  REQUIRE(result.exit_code <= 1);
  return json::parse(result.out);
}

const json& entry(const json& list, const std::string& name) {
  for (const json& one : list)
    if (one["name"] == name) return one;
  FAIL("there is no " << name);
  return list;
}

const json& entry_of_task(const json& list, const std::string& task) {
  for (const json& one : list)
    if (one["task"] == task) return one;
  FAIL("there is none of " << task);
  return list;
}

std::string unit_of(const json& result, const std::string& task) {
  const json& after = entry(result["tasks"], task)["after"];
  return after["fell_away"].get<bool>() ? "" : after["units"][0].get<std::string>();
}

/// The results of an analysis but for what the model says of itself.
json analyzed(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "analyze");
  arguments.insert(arguments.end(), {"--format", "json"});
  const auto result = test::amalthea(arguments);
  INFO(result.err);
  REQUIRE(result.exit_code <= 1);
  json results = json::parse(result.out);
  results.erase("model");
  results.erase("findings");
  for (json& limit : results["limits"])
    for (const char* place : {"file", "line", "column"}) limit.erase(place);
  if (results.contains("causes"))
    for (json& cause : results["causes"]["list"])
      for (const char* place : {"file", "line", "column"}) cause.erase(place);
  results.erase("replaced");  // the mapping, where it is not the model's own
  return results;
}

/// Lines that `text` has and `other` has not.
std::vector<std::string> own_lines(const std::string& text, const std::string& other) {
  std::set<std::string> known;
  std::istringstream others(other), lines(text);
  for (std::string line; std::getline(others, line);) known.insert(line);
  std::vector<std::string> own;
  for (std::string line; std::getline(lines, line);)
    if (known.count(line) == 0) own.push_back(line);
  return own;
}

}  // namespace

TEST_CASE("explore: what is assumed with the new mapping only is an assumption of its verdict") {
  const test::TemporaryFolder folder;
  const std::string model = test::sample("two-gpus.amxmi"), mapping = folder.path() + "/mapping.json";
  const auto explored = test::amalthea(
      {"explore", model, "-q", "--pin", "Camera_Kernel=Core0", "--candidates", "20", "--mapping-out", mapping});
  const auto analyzed = test::amalthea({"analyze", model, "-q", "--mapping", mapping});
  const std::string assumed = "Assumed: the default ticks of a task apply to both CPU and GPU\n";
  CHECK(explored.out.find(assumed) != std::string::npos);
  CHECK(analyzed.out.find(assumed) != std::string::npos);
  CHECK(explored.out.substr(0, explored.out.find('\n')) == analyzed.out.substr(0, analyzed.out.find('\n')));
}

TEST_CASE("explore: mapping file and written model and judged candidate are the same mapping") {
  const test::TemporaryFolder folder;
  const std::string mapping = folder.path() + "/mapping.json", model = folder.path() + "/model.amxmi";
  const std::vector<std::string> memory = {"--memory", "waters2019"};
  struct Case {
    std::string model;
    std::vector<std::string> options;
  };
  for (const Case& one : {Case{minimal, {}}, Case{waters, {"--memory", "waters2019", "--until", "400ms"}}}) {
    INFO(one.model);
    auto options = one.options;
    options.insert(options.end(), {"--mapping-out", mapping, "-o", model, "--format", "json"});
    const auto result = explore(one.model, options);
    INFO(result.err);
    REQUIRE(result.exit_code <= 1);
    std::vector<std::string> with_mapping = {one.model, "--mapping", mapping}, with_model = {model};
    with_mapping.insert(with_mapping.end(), one.options.begin(), one.options.end());
    with_model.insert(with_model.end(), one.options.begin(), one.options.end());
    const json a = analyzed(with_mapping), b = analyzed(with_model);
    CHECK(a == b);
    const json found = json::parse(result.out);
    for (const json& task : found["tasks"]) {
      INFO(task["name"]);
      if (task["after"]["fell_away"].get<bool>() || task["after"]["bound_ps"].is_null()) continue;
      CHECK(task["after"]["bound_ps"] == entry(a["tasks"], task["name"])["bound"]["wcrt_ps"]);
    }
    // Another way round nothing but the lines of the mapping is touched.
    for (const std::string& line : own_lines(test::read_text(model), test::read_text(one.model))) {
      INFO(line);
      const auto has = [&](const char* text) { return line.find(text) != std::string::npos; };
      CHECK((has("<taskAllocation") || has("</taskAllocation") || has("<value") || has("waitingBehaviour") ||
             has("schedulingParameter") || has("customProperties")));
    }
  }
}

TEST_CASE("explore: the same seed yields the same bytes on any number of threads") {
  const auto one = explore(minimal, {"--seed", "7", "--jobs", "1", "--objective", "response,load"});
  REQUIRE(one.exit_code <= 1);
  const auto other = explore(minimal, {"--seed", "7", "--jobs", "3", "--objective", "response", "--objective", "load"});
  CHECK(one.out == other.out);
}

TEST_CASE("explore: text shows verdict and tasks and objectives and the Pareto front") {
  const auto result = explore(minimal, {"--objective", "response,load,chain:Monitor->Control"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  for (const std::string_view text :
       {"Every deadline is met.", "Tasks (times in ms)", "Objectives", "chosen", "candidates evaluated."}) {
    INFO(text << " in\n" << result.out);
    CHECK((result.out.find(text) != std::string::npos || text == "chosen"));
  }
}

TEST_CASE("explore: --objective changes repairs the shared GPU with one change") {
  const std::string model = test::sample("tutorial/5-shared-gpu.amxmi");
  const json result = explored(model, {"--objective", "changes"});
  CHECK(result["objectives"] ==
        json::parse(R"([{"name": "number of changes", "unit": "count", "before": 0.0, "after": 1.0}])"));
  CHECK(result["changes"] == 1);
  CHECK(result["front"][0]["changes"] == 1);
  CHECK(result["late"]["after"].empty());
  const auto text = explore(model, {"--objective", "changes"});
  CHECK_THAT(text.out, Catch::Contains("\n1 value of the mapping changes.\n") &&
                           Catch::Contains("number of changes       0      1\n"));
}

TEST_CASE("explore: mapping options are satisfied") {
  const json pinned = explored(waters, {"--pin", "EKF=Core5|Core4", "--pin", "DASM=Core0", "--pin", "SFM=GP10B",
                                        "--together", "EKF,CANbus_polling", "--apart", "Planner,Lidar_Grabber,EKF"});
  const std::string ekf = unit_of(pinned, "EKF");
  CHECK((ekf == "Core4" || ekf == "Core5"));
  CHECK(unit_of(pinned, "DASM") == "Core0");
  CHECK(unit_of(pinned, "SFM") == "GP10B");
  CHECK(unit_of(pinned, "CANbus_polling") == ekf);
  CHECK(std::set<std::string>{unit_of(pinned, "Planner"), unit_of(pinned, "Lidar_Grabber"), ekf}.size() == 3);
  const json kept = explored(waters, {"--keep", "mapping,offloading,priorities,waiting,slices"});
  for (const json& task : kept["tasks"]) {
    json before = task["before"], after = task["after"];
    for (const char* key : {"bound_ps", "reason", "simulated_ps"}) {
      before.erase(key);
      after.erase(key);
    }
    CHECK(before == after);
  }
  const json at_home = explored(waters, {"--affinity"});
  for (const json& task : at_home["tasks"])
    if (!task["after"]["fell_away"].get<bool>()) CHECK(task["before"]["units"] == task["after"]["units"]);
}

TEST_CASE("explore: affinity constraints of the model are satisfied") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/model.amxmi";
  const std::string constraints = R"(<constraintsModel>
    <affinityConstraints xsi:type="am:ProcessPairingConstraint" name="Together">
      <group xsi:type="am:ProcessEntityGroup" processes="EKF?type=Task DASM?type=Task"/>
      <target xsi:type="am:TargetCore" cores="Core4?type=ProcessingUnit"/>
    </affinityConstraints>
    <affinityConstraints xsi:type="am:ProcessSeparationConstraint" name="Apart">
      <groups xsi:type="am:ProcessEntityGroup" processes="Planner?type=Task"/>
      <groups xsi:type="am:ProcessEntityGroup" processes="CANbus_polling?type=Task EKF?type=Task"/>
    </affinityConstraints>
    <affinityConstraints xsi:type="am:ProcessPairingConstraint" name="Impossible">
      <group xsi:type="am:ProcessEntityGroup" processes="OS_Overhead?type=Task"/>
      <target xsi:type="am:TargetCore" cores="GP10B?type=ProcessingUnit"/>
    </affinityConstraints>)";
  test::write_text(path, test::replaced(test::read_text(waters), "<constraintsModel>", constraints));
  const auto run = explore(path, {"--format", "json"});
  INFO(run.err);
  REQUIRE(run.exit_code <= 1);
  const json result = json::parse(run.out);
  CHECK(unit_of(result, "EKF") == "Core4");
  CHECK(unit_of(result, "DASM") == "Core4");
  CHECK(unit_of(result, "Planner") != "Core4");
  CHECK(unit_of(result, "Planner") != unit_of(result, "CANbus_polling"));
  CHECK(run.err.find("affinity constraint \"Impossible\" leaves no unit on which task \"OS_Overhead\" can run; the "
                     "search ignores it; correct or remove it [AM0800]") != std::string::npos);
}

TEST_CASE("explore: a pairing that no unit satisfies is omitted with a note") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/model.amxmi";
  const std::string constraints = R"(<constraintsModel>
    <affinityConstraints xsi:type="am:ProcessPairingConstraint" name="Together">
      <group xsi:type="am:ProcessEntityGroup" processes="EKF?type=Task Detection?type=Task"/>
    </affinityConstraints>)";
  test::write_text(path, test::replaced(test::read_text(waters), "<constraintsModel>", constraints));
  const auto run = explore(path, {"--format", "json"});
  INFO(run.err);
  CHECK(run.exit_code == explore(waters, {}).exit_code);
  CHECK(
      run.err.find("amalthea: note: affinity constraints of the model require \"EKF\", \"Detection\" to share a unit, "
                   "but no unit can run all of them; the search ignores the constraint on \"EKF\", \"Detection\"") !=
      std::string::npos);
  CHECK(json::parse(run.out)["feasible"] == true);
}

TEST_CASE("explore: a migrating task that --pin restricts is written on a single unit") {
  const std::string corpus = test::corpus_folder();
  const test::TemporaryFolder folder;
  const std::string model = corpus + "/mobstr/2.0.0/mobstr.amxmi";
  const std::string mapping = folder.path() + "/mapping.json", written = folder.path() + "/model.amxmi";
  const auto run = explore(model, {"--pin", "PRE_Localization_gpu_POST=Core0", "--pin", "Localization=GP10B",
                                   "--mapping-out", mapping, "-o", written, "--format", "json"});
  INFO(run.err);
  REQUIRE(run.exit_code == 1);  // two deadlines cannot be kept
  const json result = json::parse(run.out);
  const json& task = entry(result["tasks"], "PRE_Localization_gpu_POST");
  CHECK(task["before"]["units"].size() > 1);
  CHECK(task["after"]["units"] == json({"Core0"}));
  CHECK(json::parse(test::read_text(mapping))["PRE_Localization_gpu_POST"]["core"] == "Core0");
  // A task that stays on a unit of another scheduler leaves verdicts of the written model open.
  const json by_mapping = analyzed({model, "--mapping", mapping}), by_model = analyzed({written});
  REQUIRE(by_mapping["tasks"].size() == by_model["tasks"].size());
  for (std::size_t i = 0; i < by_model["tasks"].size(); ++i) {
    CHECK(by_mapping["tasks"][i]["name"] == by_model["tasks"][i]["name"]);
    CHECK(by_mapping["tasks"][i]["bound"] == by_model["tasks"][i]["bound"]);
  }
}

TEST_CASE("explore: --report writes a comparison in Markdown") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/report.md";
  REQUIRE(explore(minimal, {"--report", path}).exit_code == 0);
  const std::string text = test::read_text(path);
  CHECK(text.starts_with("# Mapping of "));
  CHECK(text.find("| task | unit | priority | waits | slice | bound before | bound | deadline | simulated |") !=
        std::string::npos);
  CHECK(text.find("| Control |") != std::string::npos);
}

TEST_CASE("explore: a task is late only where analyze finds it late") {
  const test::TemporaryFolder folder;
  const std::string written = folder.path() + "/written.amxmi";
  for (const char* name : {"offload-minimal", "two-gpus", "servers", "chains", "constraints", "waters2019-tx2",
                           "tutorial/2-missed-deadline", "tutorial/5-shared-gpu"}) {
    INFO(name);
    const std::string model = test::sample(std::string(name) + ".amxmi");
    const json result = explored(model, {"--search-steps", "20000000", "--allow-unknown", "-o", written});
    const auto check = [&](const json& late, const std::string& file) {
      const json judged = analyzed({file, "--allow-unknown"});
      for (const json& task : late) {
        INFO(task);
        const json verdict = entry(judged["tasks"], task)["verdict"];
        CHECK((verdict == "missed" || verdict == "unbounded"));
      }
    };
    check(result["late"]["before"], model);
    check(result["late"]["after"], written);
  }
}

TEST_CASE("explore: --compare judges mapping files and models as analyze does including chains") {
  const test::TemporaryFolder folder;
  const std::string bounds = test::sample("mappings/mobstr-bounds.json"), report = folder.path() + "/report.md";
  const std::vector<std::string> memory = {"--memory", "waters2019"};
  const json result = explored(waters, {memory[0], memory[1], "--compare", test::sample("mappings/mobstr-mapped.json"),
                                        "--compare", bounds, "--compare", waters, "--report", report});
  REQUIRE(result["compared"].size() == 3);
  // The sample has the mapping that the data set calls "mapped".
  for (const std::size_t same : {std::size_t{0}, std::size_t{2}}) {
    CHECK(result["compared"][same]["late"] == result["late"]["before"]);
    for (const json& task : result["tasks"])
      CHECK(entry(result["compared"][same]["tasks"], task["name"])["bound_ps"] == task["before"]["bound_ps"]);
  }
  const json analysis = analyzed({waters, memory[0], memory[1], "--mapping", bounds});
  CHECK(result["compared"][1]["name"] == "mobstr-bounds");
  for (const json& task : analysis["tasks"]) {
    INFO(task["name"]);
    const json& compared = entry(result["compared"][1]["tasks"], task["name"]);
    if (!compared["fell_away"].get<bool>()) CHECK(compared["bound_ps"] == task["bound"]["wcrt_ps"]);
  }
  REQUIRE(result["chains"].size() == analysis["chains"].size());
  for (const json& chain : analysis["chains"]) {
    const json& compared = entry(result["chains"], chain["name"]);
    CHECK(compared["let_reaction_ps"] == chain["let"]["reaction_ps"]);
    CHECK(compared["compared_ps"][1] == chain["implicit"]["reaction_ps"]);
    CHECK(compared["compared_ps"][0] == compared["before_ps"]);
  }
  const std::string text = test::read_text(report);
  CHECK(text.find("## Other mappings") != std::string::npos);
  CHECK(text.find("| task | model | mobstr-mapped | mobstr-bounds | waters2019-tx2 | found |") != std::string::npos);
  CHECK(text.find("| chain | LET | model | mobstr-mapped | mobstr-bounds | waters2019-tx2 | found |") !=
        std::string::npos);
}

TEST_CASE("explore: finds a mapping of the original challenge model that meets all feasible deadlines", "[long]") {
  const std::string corpus = test::corpus_folder();
  std::vector<std::string> options = {
      "--format", "json", "--objective",
      "chain:CANbus_polling->EKF->Planner->DASM,chain:Lidar_Grabber->Localization->EKF->Planner->DASM,"
      "chain:SFM->Planner->DASM,chain:Lane_detection->Planner->DASM"};
  for (const char* mapping : {"mappings/mobstr-mapped.json", "mappings/mobstr-bounds.json"})
    options.insert(options.end(), {"--compare", test::sample(mapping)});
  struct Published {
    const char* chain;
    std::int64_t reaction_ms;
  };
  const Published published[] = {{"Lidar_Grabber->Localization->EKF->Planner->DASM", 908},
                                 {"CANbus_polling->Localization->EKF->Planner->DASM", 855},
                                 {"CANbus_polling->EKF->Planner->DASM", 65},
                                 {"SFM->Planner->DASM", 98},
                                 {"Lane_detection->Planner->DASM", 164}};
  for (const Published& each : published) options.insert(options.end(), {"--chain", each.chain});
  const auto results = [&] {
    const auto run = explore(corpus + "/mobstr/2.0.0/mobstr.amxmi", options, "25000");
    INFO(run.err);
    REQUIRE(run.exit_code == 1);  // two deadlines cannot be kept
    return json::parse(run.out);
  };
  // Of the Pareto front the first that has all four chains below what is published, and the second below the mapped
  // model's bound.
  const json front = results()["front"];
  const auto chosen = std::find_if(front.begin(), front.end(), [](const json& solution) {
    const json& reactions = solution["objectives"];
    return reactions[0] <= 0.065 && reactions[1] <= 0.890 && reactions[2] <= 0.098 && reactions[3] <= 0.164;
  });
  REQUIRE(chosen != front.end());
  options.insert(options.end(), {"--solution", std::to_string(chosen - front.begin() + 1)});
  const json result = results();
  CHECK(result["feasible"] == true);
  CHECK(result["late"]["after"].empty());
  CHECK(result["late"]["before"].size() + result["not_guaranteed"]["before"].size() >= 6);
  REQUIRE(result["impossible"].size() == 2);
  CHECK(entry_of_task(result["impossible"], "Planner")["least_ps"].get<std::int64_t>() > 12'000'000'000);
  CHECK(entry_of_task(result["impossible"], "PRE_Detection_gpu_POST")["least_ps"].get<std::int64_t>() > 66'000'000'000);
  for (const json& task : result["tasks"]) {
    INFO(task["name"]);
    CHECK((task["after"]["fell_away"].get<bool>() || !task["after"]["bound_ps"].is_null()));
  }
  for (const json& compared : result["compared"])
    CHECK(compared["late"].size() + compared["not_guaranteed"].size() >= 2);
  for (const Published& each : published) {
    INFO(each.chain);
    const json& chain = entry(result["chains"], each.chain);
    CHECK(chain["let_reaction_ps"] == each.reaction_ms * 1'000'000'000);
    REQUIRE_FALSE(chain["after_ps"].is_null());
    CHECK(chain["after_ps"].get<std::int64_t>() <= each.reaction_ms * 1'000'000'000);
    for (const json& theirs : chain["compared_ps"])
      if (!theirs.is_null()) CHECK(chain["after_ps"].get<std::int64_t>() <= theirs.get<std::int64_t>());
  }
}

TEST_CASE("explore: --compare judges a mapping as it is regardless of search restrictions") {
  const std::string bounds = test::sample("mappings/mobstr-bounds.json");
  const json analysis = analyzed({waters, "--mapping", bounds});
  const json own = analyzed({waters});
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--keep", "offloading"}, {"--affinity"}, {"--pin", "SFM=GP10B"}}) {
    auto given = options;
    given.insert(given.end(), {"--compare", bounds});
    const json result = explored(waters, given);
    const json& compared = result["compared"][0];
    INFO(options.front());
    CHECK((compared["broken"] > 0) == (options.front() != "--pin"));
    bool differs = false;
    for (const json& task : analysis["tasks"]) {
      const json& judged = entry(compared["tasks"], task["name"]);
      INFO(task["name"]);
      if (judged["fell_away"].get<bool>()) continue;
      CHECK(judged["bound_ps"] == task["bound"]["wcrt_ps"]);
      differs = differs || judged["bound_ps"] != entry(own["tasks"], task["name"])["bound"]["wcrt_ps"];
    }
    CHECK(differs);
  }
}

TEST_CASE("explore: --keep waiting also applies to a restored wrapper") {
  const json result = explored(waters, {"--keep", "waiting", "--pin", "Localization=GP10B"});
  const json& wrapper = entry(result["tasks"], "PRE_Localization_gpu_POST");
  CHECK(wrapper["before"]["fell_away"] == true);
  REQUIRE(wrapper["after"]["fell_away"] == false);
  CHECK(wrapper["after"]["waiting"] == "active");
}

TEST_CASE("explore: --pin moves functions to the other side") {
  const json result = explored(waters, {"--pin", "SFM=Core3", "--pin", "Localization=GP10B"});
  CHECK(unit_of(result, "SFM") == "Core3");
  CHECK(unit_of(result, "PRE_SFM_gpu_POST").empty());
  CHECK(unit_of(result, "Localization") == "GP10B");
  CHECK_FALSE(unit_of(result, "PRE_Localization_gpu_POST").empty());
}

TEST_CASE("explore: contradictory mapping options are rejected") {
  const auto refused = [](std::vector<std::string> options, const std::string& text) {
    const auto result = explore(waters, std::move(options));
    INFO(result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK(result.err.find("amalthea: error: " + text) != std::string::npos);
  };
  refused({"--keep", "offloading", "--pin", "Localization=GP10B"},
          "--pin Localization=GP10B: --keep offloading does not let \"Localization\" move");
  refused({"--together", "EKF,DASM", "--pin", "EKF=Core0", "--pin", "DASM=Core1"},
          "\"DASM\", \"EKF\" have to share a unit, but no unit may run all of them");
  refused({"--together", "EKF,DASM", "--together", "DASM,Planner", "--pin", "EKF=Core0", "--pin", "Planner=Core1"},
          "\"DASM\", \"EKF\", \"Planner\" have to share a unit");
  CHECK(explore(waters, {"--keep", "offloading", "--pin", "Localization=Core3|GP10B"}).exit_code <= 1);
}

TEST_CASE("explore: a deadline that options make impossible is reported as impossible") {
  const json free = explored(waters, {});
  CHECK(entry_of_task(free["impossible"], "Planner")["confined"] == false);
  const json pinned = explored(waters, {"--pin", "Planner=Core5"});
  const json& planner = entry_of_task(pinned["impossible"], "Planner");
  CHECK(planner["confined"] == true);
  CHECK(planner["unit"] == "Core5");
  const auto text = explore(waters, {"--pin", "Planner=Core5"});
  CHECK(text.out.find("(on Core5; constraints or options exclude other units)") != std::string::npos);
}

TEST_CASE("explore: outputs never overwrite inputs or other outputs") {
  const test::TemporaryFolder folder;
  const std::string model = folder.path() + "/model.amxmi", other = folder.path() + "/other.json";
  const std::string text = test::read_text(minimal), mapping = R"({"Control": {"priority": 3}})";
  test::write_text(model, text);
  test::write_text(other, mapping);
  const auto refused = [&](std::vector<std::string> options, const std::string& message) {
    const auto result = explore(model, std::move(options));
    INFO(result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.err == "amalthea: error: " + message + "\n");
    CHECK(test::read_text(model) == text);
    CHECK(test::read_text(other) == mapping);
  };
  const std::string another_for_one = "; choose another file for one of them";
  const std::string x = folder.path() + "/x", dotted = folder.path() + "/./x";
  refused({"-o", x, "--report", x}, "--report and -o would both write " + x + another_for_one);
  refused({"-o", x, "--mapping-out", dotted}, "--mapping-out and -o would both write " + x + another_for_one);
  refused({"--mapping-out", x, "--report", dotted},
          "--mapping-out and --report would both write " + dotted + another_for_one);
  refused({"--mapping-out", model}, "--mapping-out would overwrite the input " + model + "; choose another file");
  refused({"--report", model}, "--report would overwrite the input " + model + "; choose another file");
  refused({"--report", other, "--compare", other},
          "--report would overwrite the input " + other + "; choose another file");
  refused({"--report", other, "--mapping", other},
          "--report would overwrite the input " + other + "; choose another file");
  refused({"-o", other, "--compare", other}, "-o would overwrite the input " + other + "; choose another file");
  CHECK_FALSE(std::filesystem::exists(x));
  const auto again = explore(model, {"--mapping", other, "--mapping-out", other, "-o", model});
  INFO(again.err);
  CHECK(again.exit_code == 0);
  CHECK(test::read_text(other) != mapping);
}

TEST_CASE("explore: invalid requests are rejected before the search") {
  const test::TemporaryFolder folder;
  // So many candidates take longer than any test may.
  const auto refused = [](const std::string& model, std::vector<std::string> options) {
    const auto result = explore(model, std::move(options), "1000000000");
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK(refused(waters, {"--solution", "2"}) ==
        "amalthea: error: --solution 2: the largest number is 1, because there is one objective\n");
  CHECK(refused(waters, {"--solution", "41", "--objective", "response,load"}) ==
        "amalthea: error: --solution 41: the largest number is 40\n");
}

TEST_CASE("explore: a search that ends early says how many steps it took") {
  // Every walk judges a candidate, whatever the limit.
  const auto cut = test::amalthea({"explore", waters, "--search-steps", "1"});
  CHECK(cut.err.find("[AM0570]") != std::string::npos);
  CHECK(cut.err.find("ended after 1 steps") == std::string::npos);
}

TEST_CASE("explore: --solution selects from the Pareto front") {
  const json result = explored(waters, {"--objective", "response,load"});
  REQUIRE(result["front"].size() >= 1);
  const std::string last = std::to_string(result["front"].size());
  const json other = explored(waters, {"--objective", "response,load", "--solution", last});
  CHECK(other["front"] == result["front"]);
  for (std::size_t i = 0; i < 2; ++i) CHECK(other["objectives"][i]["after"] == result["front"].back()["objectives"][i]);
  const auto beyond = explore(minimal, {"--solution", "1000"});
  CHECK(beyond.exit_code == 2);
  CHECK(beyond.err.find("--solution 1000: the largest number is") != std::string::npos);
}

TEST_CASE("explore: wrong use is rejected with the expected form") {
  const auto refused = [](std::vector<std::string> options) {
    const auto result = explore(minimal, std::move(options));
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    return result.err;
  };
  const auto is = [](const std::string& message, const std::string& text) {
    INFO(message);
    CHECK(message.find("amalthea: error: " + text) != std::string::npos);
  };
  is(refused({"--objective", "speed"}), "--objective speed: expected response, load, changes or chain:A->B->C");
  is(refused({"--objective", "chain:Control->Nobody"}),
     "--objective chain:Control->Nobody: there is no task \"Nobody\"");
  is(refused({"--pin", "Control"}), "--pin Control: expected TASK=UNIT or TASK=UNIT|UNIT");
  is(refused({"--pin", "Nobody=Core"}), "--pin Nobody=Core: the model has no task \"Nobody\"");
  is(refused({"--pin", "Control=Core9"}), "--pin Control=Core9: the model has no processing unit \"Core9\"");
  is(refused({"--pin", "Control=GPU"}), "--pin Control=GPU: \"Control\" cannot run on \"GPU\"");
  is(refused({"--together", "Control"}), "--together Control: expected two or more tasks, separated by commas");
  is(refused({"--apart", "Control,Nobody"}), "--apart Control,Nobody: the model has no task \"Nobody\"");
  is(refused({"--compare", "/nowhere.json"}), "--compare /nowhere.json: cannot open the file");
  is(refused({"--compare", waters}), "--compare " + waters + ": the model has none of the tasks");
  CHECK(refused({"--keep", "nothing"}).find("--keep") != std::string::npos);
  CHECK(refused({"--candidates", "0"}).find("--candidates") != std::string::npos);
  CHECK(refused({"--format", "xml"}).find("--format") != std::string::npos);
  CHECK(refused({"-o", "/nowhere/at/all.amxmi"}).find("/nowhere/at/all.amxmi") != std::string::npos);
  CHECK(refused({"--mapping-out", "/nowhere/at/all.json"}).find("/nowhere/at/all.json") != std::string::npos);
  CHECK(test::amalthea({"explore"}).exit_code == 2);
  CHECK(test::amalthea({"explore", "/nowhere.amxmi"}).exit_code == 2);
}

TEST_CASE("analyze --mapping: waiting behavior and time slices are applied and invalid ones are rejected") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/mapping.json";
  test::write_text(path, R"({"Control": {"waiting": "active"}, "Vision": {"core": "GPU", "slice": "1300us"}})");
  const json polls = analyzed({minimal, "--mapping", path});
  CHECK(entry(polls["tasks"], "Control")["metrics"]["PollingTime"]["max_ps"] != 0);
  const auto refused = [&](const std::string& text) {
    test::write_text(path, text);
    const auto result = test::amalthea({"analyze", minimal, "--mapping", path});
    CHECK(result.exit_code == 2);
    return result.err;
  };
  const std::string start = "amalthea: error: " + path + ":";
  CHECK(refused(R"({"Control": {"waiting": "busy"}})") ==
        start + "1:30: Control.waiting: expected \"active\" or \"passive\"\n");
  CHECK(refused(R"({"Vision": {"core": "GPU", "slice": "0ms"}})") ==
        start + "1:41: Vision.slice: a time slice must be above zero\n");
}

}  // namespace explore_test
