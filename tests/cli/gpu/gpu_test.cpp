// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace gpu_gpu_test {

namespace {

using nlohmann::json;

std::vector<std::string> gpu(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "gpu");
  return arguments;
}

/// The object that a `gpu` verb prints; fails the test when it ends with another code or prints something else.
json printed(std::vector<std::string> arguments, int exit_code = 0) {
  arguments.insert(arguments.end(), {"--format", "json"});
  const auto result = test::amalthea(gpu(arguments));
  INFO(result.err);
  CHECK(result.exit_code == exit_code);
  return json::parse(result.out);
}

/// The one line with which a `gpu` verb refuses wrong use or unreadable input.
std::string complaint(const std::vector<std::string>& arguments) {
  const auto result = test::amalthea(gpu(arguments));
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  const std::string prefix = "amalthea: error: ";
  REQUIRE(result.err.starts_with(prefix));
  return result.err.substr(prefix.size(), result.err.find('\n') - prefix.size());
}

}  // namespace

TEST_CASE("gpu occupancy prints limits and the binding resource and Eq. 1 in both readings") {
  const json occupancy = printed({"occupancy", "--platform", "tx2", "--threads", "256", "--registers", "64"});
  CHECK(occupancy["blocks_per_sm"] == 4);
  CHECK(occupancy["blocks_on_gpu"] == 8);
  CHECK(occupancy["occupancy"] == 0.5);
  CHECK(occupancy["binding"] == json{"registers"});
  CHECK(
      occupancy["limits"][3] ==
      json{{"resource", "shared memory"}, {"per_block", 0}, {"per_sm", 65536}, {"blocks", nullptr}, {"binds", false}});
  CHECK(occupancy["equation_1"][4]["admitted"] == false);
  CHECK(occupancy["equation_1"][3]["printed_maximum"] == 49152.0 / 3072 / 3);  // no shared memory: only the 3 KB

  const auto text = test::amalthea(gpu({"occupancy", "--platform", "xavier", "--threads", "140"}));
  CHECK(text.exit_code == 0);
  CHECK(text.out.find("warps                  5      64      12  binds\n") != std::string::npos);
  CHECK(text.out.find("12 blocks per SM, 60 of 64 warps (93.8 %), 96 blocks on the GPU\n") != std::string::npos);
}

TEST_CASE("gpu occupancy prints the units of an SM and of a sub-core that a profile states") {
  const json xavier = printed({"occupancy", "--platform", "xavier", "--threads", "32"});
  CHECK(xavier["sub_cores_per_sm"] == 4);
  std::map<std::string, double> per_sub_core;
  for (const json& unit : xavier["units"]) per_sub_core[unit["unit"]] = unit["per_sub_core"];
  CHECK(
      per_sub_core ==
      std::map<std::string, double>{
          {"FP32", 16}, {"INT32", 16}, {"FP64", 8}, {"special functions", 4}, {"load/store", 8}, {"tensor cores", 2}});
  const json pascal = printed({"occupancy", "--platform", "tx2", "--threads", "32"})["units"];
  CHECK(std::none_of(pascal.begin(), pascal.end(), [](const json& unit) { return unit["unit"] == "INT32"; }));
  const auto text = test::amalthea(gpu({"occupancy", "--platform", "tx2", "--threads", "32"})).out;
  CHECK(text.find("FP64 ") != std::string::npos);
  CHECK(text.find("     1\n") != std::string::npos);  // 4 in 4 sub-cores
}

TEST_CASE("gpu occupancy accepts user profiles and reports invalid input") {
  const test::TemporaryFolder folder;
  const std::string own = folder.path() + "/own.json";
  const std::string tx2 = test::read_text(AMALTHEA_SOURCE_DIR "/engine/gpu/platforms/tx2.json");
  test::write_text(own, test::replaced(tx2, "\"max_blocks\": {\"value\": 32", "\"max_blocks\": {\"value\": 3"));
  CHECK(printed({"occupancy", "--platform", own, "--threads", "32"})["blocks_per_sm"] == 3);
  test::write_text(own, test::replaced(tx2, "\"max_blocks\": {\"value\": 32", "\"max_blocks\": {\"value\": -3"));
  CHECK(complaint({"occupancy", "--platform", own, "--threads", "32"}) ==
        own + ":61:30: multiprocessors.max_blocks.value: expected a whole number from 1 to 65536");
  CHECK(complaint({"occupancy", "--platform", "generic", "--threads", "32"}) ==
        "--platform generic: the profile has no \"multiprocessors\" (the limits of an SM); add them, or choose another "
        "profile");
  CHECK(complaint({"occupancy", "--threads", "2000"}) ==
        "tx2: a block of 2000 threads exceeds the 1024 a block may have");
  CHECK(complaint({"occupancy", "--threads", "32", "--platform", "none"}).starts_with("--platform none: neither"));
}

TEST_CASE("gpu place prints the SM of every block") {
  CHECK(printed({"place", "--sms", "8", "--max-warps", "64", "4x4", "4x5"}) ==
        json{{"sm", {{0, 2, 4, 6}, {0, 2, 4, 6}}}});
  CHECK(printed({"place", "--platform", "xavier", "4x4", "4x4"}) == json{{"sm", {{0, 2, 4, 6}, {1, 3, 5, 7}}}});
  CHECK(printed({"place", "--sms", "1", "--max-warps", "64", "3x32"}) == json{{"sm", {{0, 0, nullptr}}}});
  CHECK(printed({"place", "--sms", "6", "--sms-per-gpc", "3", "--scan", "gpc", "--max-warps", "64", "6x4"}) ==
        json{{"sm", {{0, 3, 1, 4, 2, 5}}}});
  CHECK(printed({"place", "--sms", "8", "--ties", "last-sm", "--max-warps", "64", "4x4", "1x5"}) ==
        json{{"sm", {{0, 2, 4, 6}, {6}}}});
  CHECK(test::amalthea(gpu({"place", "--sms", "2", "--max-warps", "64", "2x33", "1x32"})).out ==
        "2 blocks of 33 warps: SM 0 1\n1 blocks of 32 warps: SM -\n- waits for other blocks to end\n");
}

TEST_CASE("gpu place reports invalid input") {
  const auto place = [](const char* stream) { return complaint({"place", "--sms", "8", "--max-warps", "64", stream}); };
  for (const std::string stream :
       {"4", "4x", "x4", "0x4", "4x0", "-1x4", "4x4x4", "4.5x4", "99999999999999999999x1", "4X4"})
    CHECK(place(stream.c_str()) ==
          "\"" + stream + "\": expected BLOCKSxWARPS such as 4x5, both whole numbers above zero");
  CHECK(place("4x65") == "\"4x65\": a block of 65 warps does not fit on an SM, which holds 64");
  CHECK(place("1000001x1") == "\"1000001x1\": the streams have more than 1000000 blocks in total");
  CHECK(complaint({"place", "--sms", "8", "4x4"}) == "gpu place needs --platform, or --sms and --max-warps");
}

TEST_CASE("gpu rta prints completion and response times in input order") {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/kernels.json";
  test::write_text(
      file,
      R"({"g_max": 8, "kernels": [{"r": 7, "C": 2, "g": 10}, {"r": 1, "C": 5, "g": 2}, {"r": 4, "C": 9, "g": 4}]})");
  CHECK(printed({"rta", file}) == json{{"f", {13, 6, 13}}, {"R", {6, 5, 9}}});
  CHECK(complaint({"rta", file, "--algorithm", "closed"}) ==
        file + ": kernels[1] has another r or C than kernels[0]; the closed form holds for equal ones");

  const std::string example =
      R"({"g_max": 8, "b": 512, "kernels": [{"C": 4, "g": 2, "T": 15}, {"C": 6, "g": 7, "T": 15},
    {"C": 6, "g": 2, "T": 15}, {"C": 5, "g": 5, "T": 15}]})";
  test::write_text(file, example);
  const json result = printed({"rta", file});
  CHECK(result["f"] == json{4, 10, 12, 11});
  CHECK(result["schedulable"] == true);
  CHECK(result["U"] == 2969.6);
  CHECK(printed({"rta", file, "--algorithm", "paper"})["f"] == json{4, 10, 10, 9});
  const auto text = test::amalthea(gpu({"rta", file}));
  CHECK(text.out.find("     2  0  6  2  12  12  15   409.600\n") != std::string::npos);
  CHECK(text.out.find("U = 2969.600 threads\n") != std::string::npos);

  test::write_text(file, test::replaced(example, "\"T\": 15", "\"T\": 3"));
  CHECK(printed({"rta", file}, 1)["schedulable"] == false);

  test::write_text(file, R"({"g_max": 8, "kernels": [{"C": 4, "g": 8}, {"C": 2, "g": 3}]})");
  CHECK(printed({"rta", file, "--algorithm", "paper"}, 1) ==
        json{{"f", {4, nullptr}}, {"R", {4, nullptr}}, {"endless_at", 1}});
}

TEST_CASE("gpu rta reports the location of an error in a file") {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/kernels.json";
  test::write_text(file, "{\"g_max\": 8, \"kernels\": [\n  {\"C\": -4, \"g\": 1}\n]}\n");
  CHECK(complaint({"rta", file}) == file + ":2:10: kernels[0].C: expected a whole number from 0 to 2^63 - 1");
  CHECK(complaint({"rta", folder.path() + "/none.json"}) ==
        folder.path() + "/none.json: cannot open the file: No such file or directory");
  CHECK(complaint({"rta", folder.path()}) == folder.path() + ": this is a folder; expected a file");
}

TEST_CASE("gpu run prints every kernel with its blocks and every copy") {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/scenario.json";
  test::write_text(file, R"({"operations": [
    {"copy": "in", "kind": "h2d", "stream": "a", "duration": "2us"},
    {"kernel": "K", "stream": "a", "blocks": 2, "threads": 1024, "duration": "3us"},
    {"kernel": "L", "release": "1us", "blocks": 1, "threads": 32, "duration_ps": 7}]})");
  const json result = printed({"run", file});
  const auto block = [](int sm, int start, int end) { return json{{"sm", sm}, {"start_ps", start}, {"end_ps", end}}; };
  CHECK(result["kernels"][0] == json{{"name", "K"},
                                     {"stream", "a"},
                                     {"release_ps", 0},
                                     {"enqueued_ps", 2000000},
                                     {"start_ps", 2000000},
                                     {"completion_ps", 5000000},
                                     {"blocks", {block(0, 2000000, 5000000), block(1, 2000000, 5000000)}}});
  CHECK(result["kernels"][1]["stream"] == nullptr);
  CHECK(result["kernels"][1]["start_ps"] == 5000000);
  CHECK(result["copies"] == json{{{"name", "in"},
                                  {"stream", "a"},
                                  {"kind", "h2d"},
                                  {"release_ps", 0},
                                  {"enqueued_ps", 0},
                                  {"start_ps", 0},
                                  {"completion_ps", 2000000}}});
  const auto text = test::amalthea(gpu({"run", file}));
  CHECK(text.exit_code == 0);
  CHECK(text.out.find("L          kernel  (NULL)    1.000000  5.000000       5.000007     4.000007  0:1\n") != std::string::npos);
  CHECK(printed({"run", file, "--platform", "pegasus"})["kernels"][0]["blocks"][1] == block(2, 2000000, 5000000));

  test::write_text(file, "{\"operations\": [\n  {\"kernel\": \"K\", \"threads\": 0, \"duration_ps\": 1}]}");
  CHECK(complaint({"run", file}) == file + ":2:30: operations[0].threads: expected a whole number from 1 to 2^63 - 1");
}

}  // namespace gpu_gpu_test
