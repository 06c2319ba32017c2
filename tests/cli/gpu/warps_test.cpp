// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"

namespace {

const std::vector<std::string> example = {"gpu", "warps",   "--latencies", "2,1,2,1,1,1,5,1,1", "--kernels",
                                          "2",   "--warps", "2",           "--offset",          "1"};

test::CommandResult run_example(std::vector<std::string> more) {
  more.insert(more.begin(), example.begin(), example.end());
  return test::amalthea(more);
}

void check_error(const std::vector<std::string>& more, const std::string& message) {
  const auto result = test::amalthea(more);
  INFO(result.err);
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  CHECK(result.err.find(message) != std::string::npos);
}

}  // namespace

TEST_CASE("gpu warps prints the traces of the example (W4)") {
  const auto print = [](const std::string& policy, const std::string& budgets) {
    const auto result = run_example({"--policy", policy, "--budgets", budgets, "--format", "json"});
    REQUIRE(result.exit_code == 0);
    return nlohmann::json::parse(result.out);
  };
  const auto qaws = print("qaws", "1,4");
  CHECK(qaws["trace"] == "0123223322220011223333000033111100..11");
  CHECK(qaws["finish"] == nlohmann::json({38, 28}));
  CHECK(qaws["response"] == nlohmann::json({38, 27}));
  CHECK(qaws["switches"] == nlohmann::json({2, 12, 16}));
  CHECK(qaws["average_finish"] == 33.0);
  CHECK(qaws["kernels"][1]["budget"] == 4);
  CHECK(qaws["kernels"][1]["warp_cycles"]["issued"] == 18);
  CHECK(print("qaws-literal", "1,4")["trace"] == "0102322332222301102233300013311100..11");
  CHECK(print("gto", "1")["trace"] == "0100110000111100231122332222333322..33");
  CHECK(print("lrr", "1")["trace"] == "012300112233000011112222333300112233");
  CHECK(print("rotate", "1")["trace"] == "0123012301230123012301230123.01230123");
  CHECK(print("qaws", "3")["trace"] == print("gto", "3")["trace"]);
}

TEST_CASE("gpu warps text shows the trace by cycle and the kernels and why warps waited") {
  const auto result = run_example({"--policy", "qaws", "--budgets", "1,4"});
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("cycle   0         10        20        30\n"
                        "issues  0123223322220011223333000033111100..11\n"
                        "budget    ^         ^   ^\n") != std::string::npos);
  CHECK(result.out.find("     2  23          4        1      28        27\n") != std::string::npos);
  CHECK(result.out.find("36 instructions in 38 cycles, 0.947 per cycle; kernels finish at 33.0 on average\n") !=
        std::string::npos);
}

TEST_CASE("gpu warps accepts units and sub-cores and values per kernel") {
  const auto result =
      test::amalthea({"gpu", "warps", "--latencies", "1,int32:1", "--latencies", "memory:3,1", "--warps", "1,2",
                      "--releases", "0,4", "--sub-cores", "2", "--pipelines", "pascal", "--format", "json"});
  REQUIRE(result.exit_code == 0);
  const auto json = nlohmann::json::parse(result.out);
  CHECK(json["pipelines"] == "pascal");
  CHECK(json["sub_cores"][0]["trace"] == "00..2..2");
  CHECK(json["sub_cores"][1]["trace"] == "....1..1");
  CHECK(json["finish"] == nlohmann::json({2, 8}));
  CHECK_FALSE(json.contains("trace"));
}

TEST_CASE("gpu warps reports invalid values in one message") {
  check_error({"gpu", "warps"}, "--latencies is required (or --sweep)");
  check_error({"gpu", "warps", "--latencies", "1,x"}, "--latencies: \"x\" is not a whole number");
  check_error({"gpu", "warps", "--latencies", "1,,2"}, "--latencies: \"\" is not a whole number");
  check_error({"gpu", "warps", "--latencies", "texture:1"}, "--latencies: \"texture\" is not a unit");
  check_error({"gpu", "warps", "--latencies", "1,0"}, "kernel 1: latencies must be between 1 and 1000000");
  check_error({"gpu", "warps", "--latencies", "1", "--kernels", "2", "--warps", "1,2,3"},
              "--warps: 3 values for 2 kernels; expected one value, or one per kernel");
  check_error({"gpu", "warps", "--latencies", "1", "--warps", "65"}, "warps must be at least 1, and at most 64");
  check_error({"gpu", "warps", "--latencies", "1", "--budgets", "0"}, "the budget must be at least 1");
  check_error({"gpu", "warps", "--latencies", "1", "--policy", "fifo"}, "--policy");
  check_error({"gpu", "warps", "--latencies", "1", "--sub-cores", "0"}, "--sub-cores");
  check_error({"gpu", "warps", "--latencies", "1", "--format", "csv"}, "--format csv requires --sweep");
  check_error({"gpu", "warps", "--latencies", "1", "--picture", "x.svg"}, "--picture");
  check_error({"gpu", "warps", "--sweep", "--programs", "0"}, "programs must be between 1 and 10000");
}

TEST_CASE("gpu warps --sweep shows the benefit of QAWS in three formats and a drawing") {
  const auto picture = std::filesystem::temp_directory_path() / "amalthea-gpu-warps-test.svg";
  std::filesystem::remove(picture);
  const auto text = test::amalthea({"gpu", "warps", "--sweep", "--programs", "4", "--picture", picture.string()});
  CHECK(text.exit_code == 0);
  CHECK(text.out.find("Both kernels have this share of stalls\n") != std::string::npos);
  std::stringstream drawn;
  drawn << std::ifstream(picture).rdbuf();
  CHECK(drawn.str().find("<polyline points=") != std::string::npos);
  CHECK(drawn.str().find("qaws, budget 8</text>") != std::string::npos);
  CHECK(drawn.str().substr(drawn.str().size() - 7) == "</svg>\n");
  std::filesystem::remove(picture);

  const auto json = test::amalthea({"gpu", "warps", "--sweep", "--programs", "4", "--format", "json"});
  const auto rows = nlohmann::json::parse(json.out)["rows"];
  CHECK(rows.size() == 2 * 13 * 10);
  for (const auto& row : rows)
    if (row["policy"] == "qaws" && row["budget"] == 8 && row["kernels"] == "homogeneous") {
      if (row["stall_share"] == 0.3) CHECK(row["change_2"].get<double>() < -0.3);
      if (row["stall_share"] == 0.98) CHECK(row["change_2"].get<double>() > -0.03);
    }
  const auto csv = test::amalthea({"gpu", "warps", "--sweep", "--programs", "4", "--format", "csv"});
  CHECK(csv.out.find("kernels,stall_share,policy,budget,response_1,response_2,change_2,idle_share\n"
                     "homogeneous,0.050,lrr,,") == 0);
  CHECK(test::amalthea({"gpu", "warps", "--sweep", "--programs", "4", "--format", "csv"}).out == csv.out);
  const auto chosen = test::amalthea({"gpu", "warps", "--sweep", "--programs", "2", "--sweep-budgets", "3,5",
                                      "--stall-shares", "100,900", "--format", "csv"});
  // Header; two kinds of pairs and two shares, each with four policies without and twice two with a budget.
  CHECK(std::count(chosen.out.begin(), chosen.out.end(), '\n') == 1 + 2 * 2 * (4 + 2 * 2));
}
