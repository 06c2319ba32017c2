// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace gpu_makespan_test {

namespace {

using nlohmann::json;

test::CommandResult makespan(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"gpu", "makespan"});
  return test::amalthea(arguments);
}

/// The message, without what is before it, of a call that ends with exit code 2 and no output.
std::string complaint(const std::vector<std::string>& arguments) {
  const auto result = makespan(arguments);
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  return result.err;
}

}  // namespace

TEST_CASE("gpu makespan prints the exact value and a witness") {
  const auto result = makespan({"--kernel", "LLLLLCCCCCCCCCLLCCCCCCCCC", "--warps", "5", "--format", "json"});
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  const auto five = json::parse(result.out);
  CHECK(five["lower"] == 65);
  CHECK(five["upper"] == 65);
  CHECK(five["exact"] == true);
  CHECK(five["sigma"] == 4);
  CHECK(five["witness"].size() == 125);
  CHECK(five["states"].get<std::uint64_t>() > 0);
  CHECK(five["seconds"].get<double>() >= 0);
  const auto units =
      json::parse(makespan({"--kernel", "5L9C2L9C", "--warps", "5", "--sigma", "units", "--format", "json"}).out);
  CHECK(units["lower"] == 57);
  CHECK(units["sigma"] == "units");

  const auto text = makespan({"--kernel", "LCL", "--units", "C=32", "--warps", "4", "--exact"}).out;
  CHECK(text.find("longest   9 cycles (exact)\n") != std::string::npos);
  CHECK(text.find("\nwitness   ") != std::string::npos);
}

TEST_CASE("gpu makespan annealing is deterministic for a seed") {
  const std::vector<std::string> arguments{"--kernel",     "5L9C2L9C", "--warps",  "8",   "--anneal",
                                           "--iterations", "1000",     "--format", "json"};
  auto with_jobs = arguments;
  with_jobs.insert(with_jobs.end(), {"--jobs", "3"});
  const auto first = json::parse(makespan(arguments).out);
  const auto second = json::parse(makespan(with_jobs).out);
  CHECK(first["lower"].get<int>() >= 83);
  CHECK(first["lower"].get<int>() <= 98);
  CHECK(first["upper"].get<int>() >= 98);
  CHECK(first["exact"] == false);
  CHECK(first["witness"] == second["witness"]);
  CHECK(first["runs"] == second["runs"]);
  CHECK(first["runs"].size() == 8);
  CHECK(first["history"].size() >= 1);
}

TEST_CASE("gpu makespan supports slow units and PTX") {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/kernel.ptx";
  test::write_text(file,
                   ".version 4.3\nld.global.f32 %f1, [%rd1];\nadd.f32 %f1, %f1, %f1;\nsin.approx.f32 %f1, %f1;\n");
  const auto result = json::parse(
      makespan({"--ptx", file, "--warps", "1", "--units", "L=16,S=16", "--latency", "S=4", "--format", "json"}).out);
  CHECK(result["kernel"] == "LLCSSSSSSSS");
  CHECK(result["lower"] == 11);
  test::write_text(file, "ld.global.f32 %f1, [%rd1];\nfoo %f1;\n");
  CHECK(complaint({"--ptx", file, "--warps", "1"}) ==
        "amalthea: error: " + file + ": line 2: unknown opcode \"foo\"\n");
}

TEST_CASE("gpu makespan rejects invalid values with one message") {
  CHECK(complaint({"--warps", "4"}) == "amalthea: error: gpu makespan requires one of --kernel, --ptx and --sass\n");
  CHECK(complaint({"--kernel", "LXC", "--warps", "4"}) ==
        "amalthea: error: --kernel: 'X' is not one of the units L, C, S, D\n");
  CHECK(complaint({"--kernel", "LC", "--warps", "4", "--sigma", "0"}) ==
        "amalthea: error: --sigma \"0\": expected a number of warps above zero, or \"units\"\n");
  CHECK(complaint({"--kernel", "LC", "--warps", "4", "--units", "L=24"}) ==
        "amalthea: error: L: 24 units and warps of 32 threads are no multiples of one another\n");
  CHECK(complaint({"--kernel", "LC", "--warps", "4", "--latency", "Q=2"}) ==
        "amalthea: error: --latency \"Q=2\": expected UNIT=NUMBER such as L=16, of the units L, C, S, D\n");
  CHECK(complaint({"--kernel", "LC", "--warps", "0"}).find("--warps") != std::string::npos);
  CHECK(complaint({"--kernel", "LC"}).find("--warps") != std::string::npos);
  CHECK(complaint({"--kernel", "LC", "--warps", "4", "--anneal", "--exact"}).find("excludes") != std::string::npos);
}

TEST_CASE("gpu makespan anneals a large kernel with fewer iterations and says so") {
  const auto large = makespan({"--kernel", "4096L", "--warps", "64", "--anneal", "--time-limit", "0.01"});
  CHECK(large.exit_code == 0);
  CHECK(large.err.find("953 iterations instead of 2000000") != std::string::npos);
  CHECK(large.err.find("--iterations") != std::string::npos);
  const auto small = makespan({"--kernel", "LCLC", "--warps", "4", "--anneal", "--time-limit", "0.01"});
  CHECK(small.err.empty());
}

}  // namespace gpu_makespan_test
