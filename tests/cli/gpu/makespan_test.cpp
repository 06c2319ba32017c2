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
  CHECK(five["seconds"].is_null());
  const auto units =
      json::parse(makespan({"--kernel", "5L9C2L9C", "--warps", "5", "--sigma", "units", "--format", "json"}).out);
  CHECK(units["lower"] == 57);
  CHECK(units["sigma"] == "units");

  const auto text = makespan({"--kernel", "LCL", "--units", "C=32", "--warps", "4"}).out;
  CHECK(text.find("longest   9 cycles (exact)\n") != std::string::npos);
  CHECK(text.find("\nwitness   ") != std::string::npos);
}

TEST_CASE("gpu makespan prints the same bytes on any number of threads and elapsed times only with a time limit") {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"--kernel", "5L9C2L9C", "--warps", "7"},
           {"--kernel", "5L9C2L9C", "--warps", "7", "--format", "json"},
           {"--kernel", "5L9C2L9C", "--warps", "8", "--anneal", "--iterations", "1000"},
           {"--kernel", "5L9C2L9C", "--warps", "8", "--anneal", "--iterations", "1000", "--format", "json"}}) {
    std::vector<std::string> with_jobs = arguments, with_limit = arguments;
    with_jobs.insert(with_jobs.end(), {"--jobs", "3"});
    with_limit.insert(with_limit.end(), {"--time-limit", "60"});
    const std::string first = makespan(arguments).out;
    CHECK(first == makespan(with_jobs).out);
    CHECK(first.find("\ntime ") == std::string::npos);
    const std::string timed = makespan(with_limit).out;
    CHECK((timed.find("\ntime      ") != std::string::npos || json::parse(timed)["seconds"].is_number()));
  }
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
  CHECK(first["history"].empty());
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

TEST_CASE("gpu makespan counts a latency during which the unit is free and two dispatch units") {
  const auto of = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--kernel", "LC", "--warps", "2", "--format", "json"});
    return json::parse(makespan(arguments).out);
  };
  // The second warp's access follows the first one's at once, not after its four cycles.
  const json waits = of({"--latency", "L=1+3"});
  CHECK(waits["lower"] == 6);
  CHECK(waits["exact"] == true);
  CHECK(waits["wait"]["L"] == 3);
  CHECK(of({"--latency", "L=4"})["lower"] == 9);
  const json paired = of({"--dispatch", "2"});
  CHECK(paired["lower"] == 2);
  CHECK(paired["dispatch_units"] == 2);
  CHECK(paired["witness"] == json{1, 1, 2, 2});
  CHECK(of({})["lower"] == 3);
  const auto text = makespan({"--kernel", "LC", "--warps", "1", "--dispatch", "2", "--latency", "L=1+3"}).out;
  CHECK(text.find("\ndispatch  2 instructions of a warp per cycle\nwaits     L 3, C 0, S 0, D 0 cycles\n") !=
        std::string::npos);
  CHECK(text.find("longest   5 cycles (exact)\n") != std::string::npos);
}

TEST_CASE("gpu makespan takes several kernels that share the SM") {
  const std::vector<std::string> both = {"--kernel", "LCL", "--kernel", "3C", "--warps", "2,1", "--units", "C=32"};
  const auto text = makespan(both).out;
  // The own instructions, those of others by unit (here 2 L, 4 C; there 4 L, 2 C), and 3 for rounding.
  CHECK(text.find("kernel    L C L (3 instructions)\nwarps     2\n"
                  "bound     12 cycles from its start, whenever the others start once\n"
                  "kernel    3C (3 instructions)\nwarps     1\n"
                  "bound     12 cycles from its start, whenever the others start once\n") == 0);
  // Found by trying all schedules of the three warps.
  CHECK(text.find("longest   6 cycles (exact)\n") != std::string::npos);
  auto more = both;
  more.insert(more.end(), {"--format", "json"});
  const auto exact = json::parse(makespan(more).out);
  CHECK(exact["kernels"] == json::parse(R"([{"kernel": "LCL", "warps": 2, "bound": 12},
                                            {"kernel": "CCC", "warps": 1, "bound": 12}])"));
  CHECK(exact["warps"] == 3);
  CHECK(exact["upper"] == exact["lower"]);
  more.insert(more.end(), {"--anneal", "--iterations", "1000"});
  CHECK(json::parse(makespan(more).out)["lower"] == exact["lower"]);
  const std::vector<std::string> same = {"--kernel", "LCL", "--kernel", "LCL", "--warps", "2", "--units", "C=32"};
  CHECK(makespan(same).out.find("longest   9 cycles (exact)") != std::string::npos);
  const auto given = makespan({"--kernel", "LC", "--kernel", "S", "--warps", "1", "--string", "2 1 1"}).out;
  CHECK(given.find("1  1 L, 2 S\n") != std::string::npos);
  CHECK(complaint({"--kernel", "LC", "--kernel", "S", "--warps", "1,2,3"}) ==
        "amalthea: error: --warps: the number of values is 3, that of kernels 2; expected one value, or one per "
        "kernel\n");
  CHECK(complaint({"--kernel", "LC", "--kernel", "S", "--warps", "33"}).find("warps must be 1 to 64") !=
        std::string::npos);
}

TEST_CASE("gpu makespan reads the first function of a SASS listing") {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/kernel.sass";
  const std::string instructions = R"(
		Function : scale
	.headerflags	@"EF_CUDA_SM72"
        /*0000*/                   MOV R1, c[0x0][0x28] ;                     /* 0x00000a0000017a02 */
                                                                              /* 0x003fde0000000f00 */
        /*0010*/                   LDG.E.SYS R2, [R2] ;                       /* 0x0000000002027381 */
        /*0020*/                   MUFU.RCP R3, R2 ;
        /*0030*/              @!P0 DADD R4, R4, R6 ;
        /*0040*/                   STG.E.SYS [R2], R5 ;
        /*0050*/                   I2I.S16 R5, R5 ;
        /*0060*/                   NOP ;
        /*0070*/                   EXIT ;
        /*0080*/                   BRA 0x80;
		Function : other
        /*0000*/                   LDG.E R2, [R2] ;
        /*0010*/                   EXIT ;
)";
  const auto kernel_of = [&](const std::string& text, std::vector<std::string> more) {
    test::write_text(file, text);
    more.insert(more.end(), {"--sass", file, "--warps", "1", "--format", "json"});
    const auto result = makespan(more);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return json::parse(result.out);
  };
  const json volta = kernel_of("\tcode for sm_72" + instructions, {});
  CHECK(volta["kernel"] == "CLSDLSC");
  CHECK(volta["lower"] == 7);
  CHECK(kernel_of("\tcode for sm_62" + instructions, {})["kernel"] == "CLSDLCC");  // I2I before Volta
  CHECK(kernel_of(instructions, {"--arch", "sm_62"})["kernel"] == "CLSDLCC");
  CHECK(kernel_of("\tcode for sm_62" + instructions, {"--arch", "sm_90a"})["kernel"] == "CLSDLSC");

  const auto refusal = [&](const std::string& text, const std::string& architecture) {
    test::write_text(file, text);
    std::vector<std::string> arguments{"--sass", file, "--warps", "1"};
    if (!architecture.empty()) arguments.insert(arguments.end(), {"--arch", architecture});
    return complaint(arguments);
  };
  const std::string before = "amalthea: error: " + file + ": ";
  CHECK(refusal("/*0000*/ EXIT ;\n", "") ==
        before + "line 1: the architecture is unknown; use --arch sm_50 or later\n");
  CHECK(refusal("/*0000*/ EXIT ;\n", "sm_37") ==
        before + "line 1: the architecture is unknown; use --arch sm_50 or later\n");
  CHECK(refusal("\n/*0000*/ FROB.X R1 ;\n", "sm_72") == before + "line 2: unknown opcode \"FROB.X\"\n");
  CHECK(refusal("/*0000*/ HMMA.884 R1 ;\n", "sm_72") ==
        before + "line 1: \"HMMA.884\" needs a tensor core, which this model does not have\n");
  CHECK(refusal("", "sm_72") == before + "no instructions\n");
  CHECK(complaint({"--kernel", "LCL", "--warps", "1", "--arch", "sm_72"}).find("--arch requires --sass") !=
        std::string::npos);
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
        "amalthea: error: --latency \"Q=2\": expected UNIT=NUMBER such as L=16 or L=1+400, of the units L, C, S, D\n");
  CHECK(complaint({"--kernel", "LC", "--warps", "0"}).find("--warps") != std::string::npos);
  CHECK(complaint({"--kernel", "LC"}).find("--warps") != std::string::npos);
  CHECK(complaint({"--kernel", "LC", "--warps", "4", "--latency", "L=1+70000"}) ==
        "amalthea: error: L: a warp may wait for 0 to 65536 cycles\n");
  CHECK(complaint({"--kernel", "4096L", "--warps", "4", "--latency", "L=1+400"}) ==
        "amalthea: error: a kernel whose warps wait for more than 1000000 cycles\n");
  CHECK(complaint({"--kernel", "LC", "--warps", "4", "--units", "L=1+4"}) ==
        "amalthea: error: --units \"L=1+4\": expected UNIT=NUMBER such as L=16, of the units L, C, S, D\n");
  CHECK(complaint({"--kernel", "LC", "--warps", "4", "--dispatch", "3"}).find("--dispatch") != std::string::npos);
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
