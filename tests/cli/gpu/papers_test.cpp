// SPDX-License-Identifier: Apache-2.0
// Figures and tables of the papers, by the commands of docs/papers.md.

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace cli_gpu_papers_test {

namespace {

using nlohmann::json;

std::vector<std::string> gpu(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "gpu");
  return arguments;
}

json printed(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--format", "json"});
  const auto result = test::amalthea(gpu(std::move(arguments)));
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return json::parse(result.out);
}

std::string complaint(const std::vector<std::string>& arguments) {
  const auto result = test::amalthea(gpu(arguments));
  REQUIRE(result.exit_code == 2);
  return result.err;
}

std::string examiner(const std::string& name) { return test::corpus_folder("/cuda_scheduling_examiner") + "/" + name; }

const std::string thesis =
    R"({"g_max": 8, "kernels": [{"C": 4, "g": 2}, {"C": 6, "g": 7}, {"C": 6, "g": 2}, {"C": 5, "g": 5}]})";

}  // namespace

TEST_CASE("RTAS 2020 Tables II and III have the same-SM cells of Equation 2") {
  const json second = printed({"place", "--matrix", "32", "--max-warps", "64"});
  CHECK(second["same"] == 197);
  CHECK(second["only_by_equations"] == 0);
  CHECK(second["rows"][3] == "00001100011111101111011111111100");
  CHECK(printed({"place", "--matrix", "32", "--max-warps", "32"})["same"] == 167);
  CHECK(printed({"place", "--matrix", "64", "--max-warps", "64"})["same"] == 693);
  // Turing with idle SMs is like Volta with 32 warps on every SM.
  CHECK(printed({"place", "--matrix", "32", "--max-warps", "64", "--held", "32"})["same"] == 167);
}

TEST_CASE("RTAS 2020 Table IV has the same-SM cells of Equation 3 and then Equation 4") {
  const std::vector<std::string> table = {"place", "--matrix", "32", "--max-warps", "64", "--held-by-others", "6"};
  const json fourth = printed(table);
  CHECK(fourth["same"] == 196);  // in four cells x joins the warps of the other SMs, and y joins x
  const json one_by_one = printed({"place", "--sms", "8", "--max-warps", "64", "7x6", "1x11", "1x22"});
  CHECK(one_by_one["sm"][1] == one_by_one["sm"][2]);
  CHECK(fourth["rows"][10].get<std::string>()[21] == '1');
  CHECK(fourth["only_by_rule"] == 0);
  CHECK(fourth["only_by_equations"] == 0);
  const auto with = [&](const std::string& ties) {
    auto arguments = table;
    arguments.insert(arguments.end(), {"--ties", ties});
    return printed(arguments);
  };
  CHECK(with("scan")["same"] == 54);
  CHECK(with("scan")["only_by_equations"] == 142);
  CHECK(with("last-sm")["only_by_rule"] == 156);
}

TEST_CASE("the same-SM matrix is drawn with the warps that remain") {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/table.svg";
  const auto result = test::amalthea(gpu({"place", "--matrix", "8", "--max-warps", "64", "--picture", file}));
  REQUIRE(result.exit_code == 0);
  CHECK(result.out.find(" 1 ..#.##.\n") == std::string::npos);
  CHECK(result.out.find(" 1 ..#.###.\n") != std::string::npos);
  const std::string svg = test::read_text(file);
  CHECK(svg.starts_with("<svg"));
  CHECK(svg.find(">63</text>") != std::string::npos);
  CHECK(complaint({"place", "--matrix", "8"}).find("needs --platform") != std::string::npos);
  CHECK(complaint({"place", "--matrix", "8", "--max-warps", "4"}).find("an SM holds 4 warps") != std::string::npos);
  CHECK(complaint({"place", "--max-warps", "64", "--sms", "2"}).find("needs a STREAM") != std::string::npos);
}

TEST_CASE("the thesis' Figures 3.6 to 3.9: h and t_a and g_f after every step") {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/kernels.json";
  test::write_text(file, thesis);
  std::vector<std::string> assigned;
  const json trace = printed({"rta", file, "--trace"});
  for (const json& step : trace["steps"])
    if (step["step"] == "assign")
      assigned.push_back(fmt::format("{} {} {}", step["t_a"].dump(), step["g_f"].dump(), step["h"].dump()));
  CHECK(assigned == std::vector<std::string>{"0 6 [[4,2]]", "0 0 [[4,2],[6,6]]", "4 1 [[6,6],[10,1]]",
                                             "4 0 [[6,6],[10,2]]", "6 5 [[10,2],[12,1]]",
                                             "6 0 [[10,2],[11,5],[12,1]]"});
  const auto drawn = test::amalthea(gpu({"rta", file, "--sms", "1"}));
  CHECK(drawn.exit_code == 0);
  CHECK(drawn.out.find("SM 0") != std::string::npos);
  CHECK(drawn.out.find("SM 1") == std::string::npos);
  CHECK(complaint({"rta", file, "--sms", "3"}).find("g_max is 8; expected a divisor of it") != std::string::npos);
  CHECK(complaint({"rta", file, "--trace", "--algorithm", "paper"}).find("require") != std::string::npos);
}

TEST_CASE("ETFA 2013 Figures 2 to 5: strings and schedules of four warps of LCL") {
  const std::vector<std::string> four = {"makespan", "--kernel", "LCL", "--warps", "4", "--units", "C=32"};
  const auto evaluated = [&](const std::string& option, const std::string& text) {
    auto arguments = four;
    arguments.insert(arguments.end(), {option, text});
    return printed(arguments);
  };
  const json second = evaluated("--string", "1 1 2 2 3 3 4 1 4 2 3 4");
  CHECK(second["makespan"] == 8);
  CHECK(second["cycles"] == json{1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8});
  const json fifth = evaluated("--string", "1 1 2 2 3 3 1 2 3 4 4 4");
  CHECK(fifth["makespan"] == 9);
  CHECK(fifth["cycles"] == json{1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9});
  CHECK(evaluated("--string", "1 2 1 3 2 3 1 2 3 4 4 4")["makespan"] == 9);
  CHECK(evaluated("--schedule", "1; 1 2; 2 3; 3 1; 2; 3; 4; 4; 4")["cycles"].size() == 12);
  auto refused = four;
  refused.insert(refused.end(), {"--schedule", "1; 1 2; 2 3; 3 4; ; 1 4; 2; 3; 4"});
  CHECK(complaint(refused).find("cycle 5: warp 1 could execute too") != std::string::npos);
  refused.back() = "1 2; 1";
  CHECK(complaint(refused).find("cycle 1: more L than units") != std::string::npos);
  refused.back() = "1; 1 1";
  CHECK(complaint(refused).find("cycle 2: warp 1 executes twice") != std::string::npos);
  refused.back() = "1; x";
  CHECK(complaint(refused).find("cycle 2: expected numbers of warps") != std::string::npos);
  refused[refused.size() - 2] = "--string";
  refused.back() = "1 1 1";
  CHECK(complaint(refused).find("warp 2 is there 0 times, not 3") != std::string::npos);
}

TEST_CASE("ETFA 2013 Figure 6: the listing gives its string as mended and as printed") {
  const std::string mended = test::published_vectors("voronoi-figure6-mended.ptx");
  const auto result = test::amalthea(gpu({"makespan", "--ptx", mended, "--warps", "1"}));
  CHECK(result.out.find("5L 9C 2L 10C (26 instructions)") != std::string::npos);
  CHECK(result.err.empty());
  const std::string printed = test::published_vectors("voronoi-figure6-as-printed.ptx");
  const auto misprinted = test::amalthea(gpu({"makespan", "--ptx", printed, "--warps", "1"}));
  CHECK(misprinted.out.find("5L 9C 2L 10C (26 instructions)") != std::string::npos);
  CHECK(std::count(misprinted.err.begin(), misprinted.err.end(), '\n') == 8);
  CHECK(misprinted.err.find("line 1: an instruction without a semicolon") != std::string::npos);
  CHECK(misprinted.err.find("line 25: the label \"if\" without a colon") != std::string::npos);
}

TEST_CASE("ETFA 2013 Figure 7: the curve of every annealing run") {
  const test::TemporaryFolder folder;
  const std::string csv = folder.path() + "/curve.csv", svg = folder.path() + "/curve.svg";
  const std::vector<std::string> annealing = {"makespan", "--kernel", "5L 9C 2L 9C",  "--warps",
                                              "4",        "--sigma",  "units",        "--anneal",
                                              "--runs",   "4",        "--iterations", "500"};
  for (const std::string& file : {csv, svg}) {
    auto arguments = annealing;
    arguments.insert(arguments.end(), {"--curve", file});
    REQUIRE(test::amalthea(gpu(arguments)).exit_code == 0);
  }
  const std::string text = test::read_text(csv);
  CHECK(text.starts_with("run,start,iteration,makespan\n1,round robin,0,"));
  CHECK(text.find("\n4,random,500,") != std::string::npos);
  CHECK(test::read_text(svg).find("<polyline") != std::string::npos);
  CHECK(complaint({"makespan", "--kernel", "LCL", "--warps", "2", "--curve", csv}).find("--curve requires --anneal") !=
        std::string::npos);
}

TEST_CASE("RTSS 2017 Figure 3: the copies of the big experiment are simulated") {
  const auto result = printed({"run", examiner("rtss_2017_fig3_bigexperiment.json")});
  CHECK(result["kernels"].size() == 6);
  REQUIRE(result["copies"].size() == 5);
  for (const json& copy : result["copies"])
    CHECK(copy["completion_ps"].get<std::int64_t>() - copy["start_ps"].get<std::int64_t>() >= 13'421'772'800);
}

TEST_CASE("RTAS 2023: masked kernels share a TITAN V without sharing SMs") {
  const auto result = printed({"run", examiner("demo_sm_masking.json"), "--platform", "titan-v"});
  std::vector<std::vector<int>> sms;
  for (const json& kernel : result["kernels"]) {
    auto& used = sms.emplace_back();
    for (const json& block : kernel["blocks"]) used.push_back(block["sm"]);
    // Bits 0 to 3 are clear in all masks.
    for (const int sm : used) CHECK((sm < 8 || (sm / 2 % 2 == 0) == (sms.size() == 1 || sms.size() == 4)));
  }
  CHECK(result["kernels"][0]["completion_ps"] == 250'000'000'000);
  CHECK(result["kernels"][1]["completion_ps"] == 250'000'000'000);
}

TEST_CASE("configurations of hip_plugin_framework write logs in its format") {
  const test::TemporaryFolder folder;
  const std::string config = test::corpus_folder("/hip_plugin_framework") + "/cutting_ahead_timeline_figure_3.json";
  const auto result = test::amalthea(gpu({"run", config, "--log-directory", folder.path(), "--active-threads",
                                          folder.path() + "/threads.csv", "--format", "json"}));
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const json kernels = json::parse(result.out)["kernels"];
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0]["blocks"].size() == 1024);
  CHECK(kernels[1]["blocks"].size() == 4096);
  std::size_t logs = 0;
  std::int64_t most = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const std::string text = test::read_text(entry.path().string());
    if (entry.path().filename() == "threads.csv") {
      for (std::size_t end = text.find('\n', text.find('\n') + 1); end != std::string::npos;
           end = text.find('\n', end + 1))
        most = std::max<std::int64_t>(most, std::stoll(text.substr(text.rfind(',', end) + 1)));
      continue;
    }
    const json log = json::parse(text);
    CHECK(log["plugin_name"] == "matrix_multiply");
    CHECK(log["compute_unit_count"] == 60);
    REQUIRE(log["times"].size() == 3);
    CHECK(log["times"][2]["block_times"].size() == 2 * log["times"][2]["block_cus"].size());
    ++logs;
  }
  CHECK(logs == 2);
  CHECK(most == 122880);  // the plateau of Figure 7
}

constexpr std::int64_t half_of_radeon_vii = std::int64_t{60} * 2048 / 2;  // threads

/// Threads of a kernel on the GPU, by start and end of its blocks: the median over the time in which both have any.
std::int64_t median_threads(const std::vector<std::pair<double, double>>& blocks,
                            const std::vector<std::pair<double, double>>& others, std::int64_t threads) {
  const auto span = [](const auto& all) {
    double begin = all.front().first, end = all.front().second;
    for (const auto& [start, stop] : all) {
      begin = std::min(begin, start);
      end = std::max(end, stop);
    }
    return std::pair(begin, end);
  };
  const double begin = std::max(span(blocks).first, span(others).first);
  const double end = std::min(span(blocks).second, span(others).second);
  std::map<double, std::int64_t> changes{{begin, 0}, {end, 0}};
  for (const auto& [start, stop] : blocks) {
    changes[std::max(start, begin)] += threads;
    changes[std::max(stop, begin)] -= threads;
  }
  std::map<std::int64_t, double> time_with;
  std::int64_t now = 0;
  for (auto at = changes.begin(); at->first < end; ++at) {
    now += at->second;
    time_with[now] += std::next(at)->first - at->first;
  }
  double passed = 0;
  for (const auto& [resident, time] : time_with) {
    passed += time;
    if (passed >= (end - begin) / 2) return resident;
  }
  return -1;
}

TEST_CASE("RTNS 2021 Figure 7: of two MM1024 each has half of the threads") {
  using Blocks = std::vector<std::pair<double, double>>;
  const json kernels = printed({"run", AMALTHEA_SOURCE_DIR "/tests/papers/two-mm1024.json"})["kernels"];
  std::vector<Blocks> here(2);
  for (std::size_t kernel = 0; kernel < 2; ++kernel)
    for (const json& block : kernels[kernel]["blocks"])
      here[kernel].emplace_back(block["start_ps"].get<double>(), block["end_ps"].get<double>());
  CHECK(median_threads(here[0], here[1], 1024) == half_of_radeon_vii);
  CHECK(median_threads(here[1], here[0], 1024) == half_of_radeon_vii);
}

TEST_CASE("RTNS 2021 Figure 7: of two MM1024 each has half of the threads in the authors' block times") {
  using Blocks = std::vector<std::pair<double, double>>;
  const std::string folder = test::corpus_folder("/rtns2021") + "/cutting_ahead_timelines/";
  std::vector<Blocks> there;
  for (const char* competitor : {"1", "2"}) {
    const json log = json::parse(
        test::read_text(folder + fmt::format("cutting_ahead_timeline_1024_block_identical_comp{}.json", competitor)));
    Blocks& blocks = there.emplace_back();
    for (const json& launch : log["times"])
      if (const auto times = launch.find("block_times"); times != launch.end())
        for (std::size_t i = 0; i + 1 < times->size(); i += 2)
          blocks.emplace_back((*times)[i].get<double>(), (*times)[i + 1].get<double>());
    REQUIRE(blocks.size() == 1024);
  }
  CHECK(median_threads(there[0], there[1], 1024) == half_of_radeon_vii);
  CHECK(median_threads(there[1], there[0], 1024) == half_of_radeon_vii);
}

TEST_CASE("options for missing figures are read and refused") {
  const std::string file = examiner("counter_spin.json");
  CHECK(complaint({"run", file}).find("use --block-time counter_spin=TIME") != std::string::npos);
  CHECK(printed({"run", file, "--block-time", "counter_spin=2ms"})["kernels"].size() >= 2);
  for (const std::string wrong : {"counter_spin", "=2ms", "counter_spin=x", "counter_spin=-2ms"})
    CHECK(complaint({"run", file, "--block-time", wrong}).find("expected PLUGIN=TIME") != std::string::npos);
  for (const std::string wrong : {"counter_spin", "counter_spin=0", "counter_spin=2x0", "counter_spin=2x"})
    CHECK(complaint({"run", file, "--blocks", wrong}).find("expected PLUGIN=BLOCKS") != std::string::npos);
  CHECK(complaint({"run", file, "--block-time", "counter_spin=2ms", "--blocks", "dwt2d=1"})
            .find("no benchmark has such a plugin") != std::string::npos);
}

}  // namespace cli_gpu_papers_test
