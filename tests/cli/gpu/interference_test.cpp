// SPDX-License-Identifier: Apache-2.0
// `amalthea gpu interference` from a user's perspective.

#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace gpu_interference_test {

namespace {

using nlohmann::json;

std::vector<std::string> interference(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"gpu", "interference"});
  return arguments;
}

json printed(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--format", "json"});
  const auto result = test::amalthea(interference(arguments));
  INFO(result.err);
  CHECK(result.exit_code == 0);
  return json::parse(result.out);
}

std::string complaint(const std::vector<std::string>& arguments) {
  const auto result = test::amalthea(interference(arguments));
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  const std::string prefix = "amalthea: error: ";
  REQUIRE(result.err.starts_with(prefix));
  return result.err.substr(prefix.size(), result.err.find('\n') - prefix.size());
}

}  // namespace

TEST_CASE("gpu interference predicts the slowdown of a kernel and its causes") {
  const json result = printed({"--platform", "tx2", "--kernel", "pattern=random,footprint=512KiB", "--beside", "3xsame",
                               "--beside", "pattern=coalesced,footprint=1MiB,count=2", "--cpu", "sequential"});
  CHECK(result["platform"] == "tx2");
  CHECK(result["basis"] == "measured");
  CHECK(result["unit"] == "access");
  CHECK(result["alone_cycles"] == 162.0);
  CHECK(result["l2_capacity"] == 524288);
  CHECK(result["l2_footprint"] == 4 * 1024 * 512 + 2 * 1024 * 1024);
  CHECK(result["cpu"] == json{{"traffic", "sequential"}, {"cores", 5}});
  CHECK(result["resident_other_blocks"] == 5);
  CHECK(result["waiting_blocks"] == 0);
  double sum = 0;
  std::string by;
  for (const json& part : result["parts"]) {
    sum += part["cycles"].get<double>();
    by += part["by"].get<std::string>() + " ";
  }
  CHECK(sum == Approx(result["beside_cycles"].get<double>()));
  CHECK(result["slowdown"].get<double>() == Approx(sum / 162));
  CHECK(by.find("kernel kernel kernel kernel beside[0] beside[1]") == 0);
  CHECK(by.ends_with("cpu "));

  const auto text = test::amalthea(
      interference({"--kernel", "pattern=random,footprint=512KB", "--beside", "3x", "--cpu", "sequential"}));
  CHECK(text.exit_code == 0);
  CHECK(text.out.find("tx2: random, 512 KiB, 1 block of 1 thread\n"
                      "beside 3 x random, 512 KiB, 1 block of 1 thread\n"
                      "beside sequential traffic of 5 CPU cores\n") == 0);
  CHECK(text.out.find("alone        162.0  124.6\n") != std::string::npos);
  CHECK(text.out.find("\nslowdown 3.") != std::string::npos);
  CHECK(text.out.find("\nshared L2       3 x random, 512 KiB, 1 block of 1 thread") != std::string::npos);
  CHECK(text.out.find("\nCPU traffic     CPUs") != std::string::npos);
  CHECK(text.out.find("L2 512 KiB; resident kernels walk through 2048 KiB\n") != std::string::npos);
}

TEST_CASE("gpu interference predicts no slowdown if everything fits the L2") {
  for (const std::string cpu : {"none", "random", "sequential"}) {
    const json result = printed({"--kernel", "pattern=random,footprint=128KiB", "--beside", "3x", "--cpu", cpu});
    CHECK(result["slowdown"] == 1.0);
    CHECK(result["beside_cycles"] == result["alone_cycles"]);
  }
}

TEST_CASE("gpu interference accepts kernels in every form") {
  const auto cycles = [](const std::string& kernel) {
    return printed({"--kernel", kernel})["alone_cycles"].get<double>();
  };
  CHECK(cycles("pattern=zero-copy,footprint=4") == cycles("pattern=sequential,footprint=1MB,location=zero-copy"));
  CHECK(cycles("pattern=coalesced,footprint=1MiB") == cycles("pattern=sequential,threads=32,footprint=1048576"));
  CHECK(cycles("pattern=random,footprint=256KiB,threads=32") ==
        Approx(cycles("pattern=random,footprint=256KiB,threads=32,lanes=same") + 48).margin(1));
  CHECK(cycles("pattern=sequential,footprint=1MiB,fetch=32") - 162 ==
        Approx(2 * (cycles("pattern=sequential,footprint=1MiB") - 162)).epsilon(0.01));
  const json whole =
      printed({"--kernel", "pattern=bulk,load-path=919us,memory-path=530us,blocks=2,threads=512,memory-share=0.5",
               "--beside", "3xpattern=bulk,load-path=919us,memory-path=530us,blocks=2,threads=512"});
  CHECK(whole["unit"] == "kernel");
  CHECK(whole["alone_ns"].get<double>() == Approx(655'300).epsilon(0.001));
  CHECK(whole["memory_slowdown"].get<double>() == Approx(4));
  CHECK(whole["slowdown"].get<double>() == Approx(2.5));
  CHECK(whole["parts"][0]["cause"] == "own work");
  // The excess of CPU traffic grows with the cores.
  const auto beside = [](const std::string& cores) {
    return printed({"--kernel", "pattern=coalesced,footprint=1MiB", "--cpu", "sequential", "--cpu-cores",
                    cores})["slowdown"]
        .get<double>();
  };
  CHECK(beside("0") == 1.0);
  CHECK(beside("2") - 1 == Approx((beside("5") - 1) * 2 / 5).epsilon(0.001));
}

TEST_CASE("gpu interference uses the coarse table without measurements") {
  const json result =
      printed({"--platform", "xavier", "--kernel", "pattern=random,footprint=1MiB,memory-share=0.5", "--beside", "1x"});
  CHECK(result["basis"] == "coarse table");
  CHECK(result["slowdown"] == 5.5);
  const auto text = test::amalthea(
      interference({"--platform", "xavier", "--kernel", "pattern=random,footprint=1MiB", "--cpu", "random"}));
  CHECK(text.out.find("xavier: no measured memory figures; the coarse table's maxima") == 0);
  CHECK(text.out.find("slowdown up to 3.000") != std::string::npos);
}

TEST_CASE("gpu interference prints every measurement with its prediction and error") {
  const json result = printed({"--platform", "tx2", "--against-measurements"});
  CHECK(result["rows"].size() == 194);
  CHECK(result["all"]["rows"] == 194);
  CHECK(result["all"]["median_error_percent"] < 10.0);
  CHECK(result["sections"].size() == 10);
  for (const json& section : result["sections"]) {
    INFO(section);
    CHECK(section["median_error_percent"] < 10.0);
  }
  for (const json& row : result["rows"]) {
    const double error = 100 * (row["predicted"].get<double>() / row["measured"].get<double>() - 1);
    CHECK(row["error_percent"].get<double>() == Approx(error).margin(1e-9));
  }
  const auto text = test::amalthea(interference({"--against-measurements"}));
  CHECK(text.exit_code == 0);
  CHECK(text.out.find("\n1a: a walk of one thread beside CPU traffic\n") != std::string::npos);
  CHECK(text.out.find("\nErrors\nsection        rows  median error  largest\n") != std::string::npos);
  CHECK(text.out == test::amalthea(interference({"--against-measurements"})).out);
}

TEST_CASE("gpu interference reports invalid options") {
  const auto kernel = [](const std::string& text) {
    const std::string message = complaint({"--kernel", text});
    const std::string prefix = "--kernel " + text + ": ";
    REQUIRE(message.starts_with(prefix));
    return message.substr(prefix.size());
  };
  CHECK(kernel("random") == "\"random\": expected KEY=VALUE, such as pattern=random");
  CHECK(kernel("pattern=random,") == "\"\": expected KEY=VALUE, such as pattern=random");
  CHECK(kernel("pattern=rnd") == "\"pattern=rnd\": expected sequential, coalesced, random, zero-copy or bulk");
  CHECK(kernel("footprint=1KiB") == "pattern is missing: pattern=sequential, coalesced, random, zero-copy or bulk");
  CHECK(kernel("pattern=random") == "footprint is missing, such as footprint=256KiB");
  for (const std::string size : {"", "KiB", "12Q", "-1KiB", "1.5MiB", "99999999999999999MiB"})
    CHECK(kernel("pattern=random,footprint=" + size) ==
          "\"footprint=" + size + "\": expected a size such as 256KiB, 256KB (the same), 2MiB or 4096");
  CHECK(kernel("pattern=random,pattern=random") == "\"pattern\" is given twice");
  CHECK(kernel("pattern=random,footprint=1KB,threads=0") == "\"threads=0\": expected a whole number above zero");
  CHECK(kernel("pattern=random,footprint=1KB,memory-share=2") == "\"memory-share=2\": expected a number from 0 to 1");
  CHECK(kernel("pattern=random,footprint=1KB,memory-share=nan") ==
        "\"memory-share=nan\": expected a number from 0 to 1");
  CHECK(kernel("pattern=random,footprint=1KB,own=1us") == "\"own\" applies to pattern=bulk only");
  CHECK(kernel("pattern=sequential,footprint=1KB,lanes=same") == "\"lanes\" applies to pattern=random only");
  CHECK(kernel("pattern=sequential,footprint=1KB,fetch=16") ==
        "\"fetch=16\": expected 32 to 128 bytes, such as 32 or 64");
  CHECK(kernel("pattern=bulk,own=5") == "\"own=5\": expected a time such as 530us or 2ms");
  CHECK(kernel("pattern=bulk") ==
        "pattern=bulk needs at least one of own, load-path and memory-path, such as memory-path=530us");
  CHECK(kernel("pattern=coalesced,footprint=1KB,threads=8") ==
        "threads=8: pattern=coalesced requires at least one warp of 32 threads; use pattern=sequential for fewer");
  CHECK(kernel("pattern=random,colour=red").starts_with("\"colour\": unknown key; expected one of pattern, "));
  CHECK(kernel("pattern=random,count=2").starts_with("\"count\": unknown key"));

  const std::string good = "pattern=random,footprint=1KiB";
  CHECK(complaint({"--kernel", good, "--beside", "0xsame"}) ==
        "--beside 0xsame: expected a whole number above zero before x");
  CHECK(complaint({"--kernel", good, "--beside", "2x" + good + ",count=3"}) ==
        "--beside 2x" + good + ",count=3: the count is given twice, before x and as count");
  CHECK(complaint({"--kernel", good, "--beside", "others"}) ==
        "--beside others: \"others\": expected KEY=VALUE, such as pattern=random");
  CHECK(complaint({"--kernel", good, "--cpu-cores", "2"}) == "--cpu-cores needs --cpu random or --cpu sequential");
  CHECK(complaint({"--kernel", good, "--cpu", "random", "--cpu-cores", "6"}) ==
        "tx2: 6 interfering CPU cores: expected 0 to the 5 of the measurements");
  CHECK(complaint({"--kernel", good + ",threads=2000"}) ==
        "tx2: the kernel: a block of 2000 threads exceeds the 1024 a block may have");
  CHECK(complaint({}) == "gpu interference needs --kernel, or --against-measurements");
  CHECK(complaint({"--against-measurements", "--kernel", good}) ==
        "--against-measurements evaluates the measured cases; omit --kernel, --beside and --cpu");
  CHECK(complaint({"--platform", "xavier", "--against-measurements"}) ==
        "--platform xavier: the profile has no measurements (\"measured_memory\")");
}

}  // namespace gpu_interference_test
