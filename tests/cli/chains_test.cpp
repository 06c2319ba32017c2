// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace chains_test {

using nlohmann::json;

namespace {

constexpr std::int64_t ms = 1'000'000'000;

json chains_of(const std::string& model, const std::vector<std::string>& options) {
  std::vector<std::string> arguments = {"analyze", model, "--format", "json", "--until", "1ms"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const auto result = test::amalthea(arguments);
  INFO(result.err);
  REQUIRE(result.exit_code <= 1);
  return json::parse(result.out)["chains"];
}

json chain_of(const json& chains, const std::string& name) {
  for (const json& chain : chains)
    if (chain["name"] == name) return chain;
  FAIL("there is no chain " << name);
  return {};
}

struct Published {
  const char* chain;
  std::int64_t reduced_reaction, reaction;
};
const std::vector<Published> waters2019 = {{"Lidar_Grabber->Localization->EKF->Planner->DASM", 875, 908},
                                           {"CANbus_polling->Localization->EKF->Planner->DASM", 845, 855},
                                           {"CANbus_polling->EKF->Planner->DASM", 55, 65},
                                           {"SFM->Planner->DASM", 65, 98},
                                           {"Lane_detection->Planner->DASM", 98, 164}};

std::vector<std::string> all_requested() {
  std::vector<std::string> options;
  for (const Published& published : waters2019) {
    options.emplace_back("--chain");
    options.emplace_back(published.chain);
  }
  return options;
}

void check_published(const std::string& model) {
  const json chains = chains_of(model, all_requested());
  for (const Published& published : waters2019) {
    INFO(model << " " << published.chain);
    const json chain = chain_of(chains, published.chain);
    CHECK(chain["source"] == "request");
    CHECK(chain["let"]["reduced_reaction_ps"] == published.reduced_reaction * ms);
    CHECK(chain["let"]["reaction_ps"] == published.reaction * ms);
    CHECK(chain["let"]["age_ps"] == published.reaction * ms);
    CHECK_FALSE(chain["let"].contains("reason"));
  }
}

}  // namespace

TEST_CASE("chains: requested chains have the latencies published for WATERS 2019") {
  check_published(test::sample("waters2019-tx2.amxmi"));
}

TEST_CASE("chains: requested chains have the published latencies in every version of the model") {
  const std::string corpus = test::corpus_folder("/mobstr");
  for (const char* model : {"/1.0.0/mobstr.amxmi", "/1.0.0/mobstr-mapped.amxmi", "/2.0.0/mobstr.amxmi",
                            "/0.9.8/ChallengeModel_release_fix.amxmi"})
    check_published(corpus + model);
}

TEST_CASE("chains: event chains of the sample have the same latencies and unknown bounds have a reason") {
  const json chains = chains_of(test::sample("waters2019-tx2.amxmi"), {});
  REQUIRE(chains.size() == 6);
  const std::vector<const char*> names = {"Lidar_to_DASM", "CAN_via_Localization_to_DASM", "CAN_to_DASM", "SFM_to_DASM",
                                          "Lane_to_DASM"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const json chain = chain_of(chains, names[i]);
    CHECK(chain["source"] == "model");
    CHECK(chain["let"]["reduced_reaction_ps"] == waters2019[i].reduced_reaction * ms);
    CHECK(chain["let"]["reaction_ps"] == waters2019[i].reaction * ms);
    for (const char* communication : {"implicit", "explicit"})
      if (chain[communication]["reaction_ps"].is_null()) CHECK(chain[communication]["reason"].get<std::string>() != "");
  }
}

TEST_CASE("chains: a removed wrapper may be named instead of its function") {
  const json chains = chains_of(test::sample("waters2019-tx2.amxmi"),
                                {"--chain", "Lidar_Grabber->PRE_Localization_gpu_POST->EKF->Planner->DASM", "--chain",
                                 "PRE_SFM_gpu_POST->SFM->Planner->DASM"});
  const json folded = chain_of(chains, "Lidar_Grabber->Localization->EKF->Planner->DASM");
  CHECK(folded["let"]["reaction_ps"] == 908 * ms);
  CHECK(chain_of(chains, "PRE_SFM_gpu_POST->SFM->Planner->DASM")["let"]["reaction_ps"] == 98 * ms);
}

TEST_CASE("chains: an unknown name is rejected with the nearest names") {
  const auto result =
      test::amalthea({"analyze", test::sample("waters2019-tx2.amxmi"), "--chain", "CAN_polling->EKF->Planner->DASM"});
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  CHECK(result.err.find("amalthea: error: --chain \"CAN_polling->EKF->Planner->DASM\": there is no task "
                        "\"CAN_polling\"; did you mean \"CANbus_polling\"?") != std::string::npos);
}

TEST_CASE("chains: chains along labels are found except those in the model") {
  const json chains = chains_of(test::sample("waters2019-tx2.amxmi"), {"--derive-chains"});
  std::vector<std::string> derived;
  for (const json& chain : chains)
    if (chain["source"] == "label flow") derived.push_back(chain["name"]);
  CHECK(derived ==
        std::vector<std::string>{"CANbus_polling->Planner->DASM", "CANbus_polling->Localization->Planner->DASM",
                                 "Lidar_Grabber->Planner->DASM", "Lidar_Grabber->Localization->Planner->DASM"});
}

TEST_CASE("chains: two unconnected tasks are noted") {
  const auto result = test::amalthea(
      {"analyze", test::sample("waters2019-tx2.amxmi"), "--until", "1ms", "--chain", "DASM->Lidar_Grabber"});
  CHECK(result.err.find("AM0530") != std::string::npos);
  CHECK(result.err.find("in the model leads from \"DASM\" to \"Lidar_Grabber\"") != std::string::npos);
}

TEST_CASE("chains: the text contains a table of chains with their tasks") {
  const auto result = test::amalthea(
      {"analyze", test::sample("waters2019-tx2.amxmi"), "--until", "1ms", "--chain", "SFM->Planner->DASM"});
  CHECK(result.out.find("End-to-end latencies of chains") != std::string::npos);
  CHECK(result.out.find("SFM -> Planner -> DASM") != std::string::npos);
  CHECK(result.out.find("908.000") != std::string::npos);
}

TEST_CASE("chains: a latency constraint is judged by the events of its chain") {
  const test::TemporaryFolder folder;
  const std::string model = folder.path() + "/limited.amxmi";
  std::string text = test::read_text(test::sample("waters2019-tx2.amxmi"));
  const auto constraint = [](const std::string& name, const std::string& type, const std::string& limits) {
    return "<timingConstraints xsi:type=\"am:EventChainLatencyConstraint\" name=\"" + name +
           "\" scope=\"Lidar_to_DASM?type=EventChain\"" + type + ">" + limits + "</timingConstraints>";
  };
  const auto end = text.find("</constraintsModel>");
  REQUIRE(end != std::string::npos);
  text.insert(end, constraint("fits", " type=\"Reaction\"", "<maximum value=\"875\" unit=\"ms\"/>") +
                       constraint("late", " type=\"Reaction\"", "<maximum value=\"874\" unit=\"ms\"/>") +
                       constraint("old", " type=\"Age\"", "<maximum value=\"902\" unit=\"ms\"/>") +
                       constraint("early", " type=\"Reaction\"", "<minimum value=\"900\" unit=\"ms\"/>"));
  test::write_text(model, text);
  const json limits = chain_of(chains_of(model, {}), "Lidar_to_DASM")["constraints"];
  REQUIRE(limits.size() == 4);
  const std::vector<std::pair<const char*, const char*>> expected = {
      {"fits", "met"}, {"late", "missed"}, {"old", "missed"}, {"early", "missed"}};
  for (std::size_t i = 0; i < limits.size(); ++i) {
    CHECK(limits[i]["name"] == expected[i].first);
    CHECK(limits[i]["let"] == expected[i].second);
  }
  CHECK(limits[0]["maximum_ps"] == 875 * ms);
  CHECK(limits[0]["minimum_ps"].is_null());
  CHECK(limits[1]["type"] == "reaction");
  CHECK(limits[2]["type"] == "age");
}

TEST_CASE("chains: latency constraints of a third-party model are judged") {
  const std::string corpus = test::corpus_folder();
  // Its accesses state the implementation "timed".
  const json chains = chains_of(corpus + "/toro/0.9.9/example.amxmi", {"--communication", "let"});
  const json chain = chain_of(chains, "chain3_let");
  REQUIRE(chain["constraints"].size() == 1);
  CHECK(chain["constraints"][0]["type"] == "age");
  const std::int64_t age = chain["let"]["reduced_age_ps"], maximum = chain["constraints"][0]["maximum_ps"];
  CHECK(chain["constraints"][0]["let"] == (age <= maximum ? "met" : "missed"));
}

}  // namespace chains_test
