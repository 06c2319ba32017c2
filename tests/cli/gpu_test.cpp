#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

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

TEST_CASE("gpu occupancy prints limits, what binds, and Eq. 1 in both readings") {
  const json occupancy = printed({"occupancy", "--platform", "tx2", "--threads", "256", "--registers", "64"});
  CHECK(occupancy["blocks_per_sm"] == 4);
  CHECK(occupancy["blocks_on_gpu"] == 8);
  CHECK(occupancy["occupancy"] == 0.5);
  CHECK(occupancy["binding"] == json{"registers"});
  CHECK(
      occupancy["limits"][3] ==
      json{{"resource", "shared memory"}, {"per_block", 0}, {"per_sm", 65536}, {"blocks", nullptr}, {"binds", false}});
  CHECK(occupancy["equation_1"][4]["admitted"] == false);
  CHECK(occupancy["equation_1"][3]["printed_maximum"] == 65536.0 / 3072 / 3);  // no shared memory: only the 3 KB

  const auto text = test::amalthea(gpu({"occupancy", "--platform", "xavier", "--threads", "140"}));
  CHECK(text.exit_code == 0);
  CHECK(text.out.find("warps                  5      64      12  binds\n") != std::string::npos);
  CHECK(text.out.find("12 blocks per SM, 60 of 64 warps (93.8 %), 96 blocks on the GPU\n") != std::string::npos);
}

TEST_CASE("gpu occupancy takes profiles of one's own and says what is wrong with its input") {
  const test::TemporaryFolder folder;
  const std::string own = folder.path() + "/own.json";
  const std::string tx2 = test::read_text(AMALTHEA_SOURCE_DIR "/engine/platforms/tx2.json");
  test::write_text(own, test::replaced(tx2, "\"max_blocks\": {\"value\": 32", "\"max_blocks\": {\"value\": 3"));
  CHECK(printed({"occupancy", "--platform", own, "--threads", "32"})["blocks_per_sm"] == 3);
  test::write_text(own, test::replaced(tx2, "\"max_blocks\": {\"value\": 32", "\"max_blocks\": {\"value\": -3"));
  CHECK(complaint({"occupancy", "--platform", own, "--threads", "32"}) ==
        own + ": not a device profile: max_blocks must be a whole number between 1 and 65536");
  CHECK(complaint({"occupancy", "--platform", "generic", "--threads", "32"}) ==
        "--platform generic: the profile does not say what its SMs hold (\"multiprocessors\")");
  CHECK(complaint({"occupancy", "--threads", "2000"}) ==
        "tx2: a block of 2000 threads exceeds the 1024 a block may have");
  CHECK(complaint({"occupancy", "--threads", "32", "--platform", "none"}).starts_with("--platform none: neither"));
}
