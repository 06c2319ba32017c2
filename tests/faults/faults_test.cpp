// SPDX-License-Identifier: Apache-2.0
// Whatever call of the system fails: the command ends with a documented exit code, and every output is the old file or
// the new one.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/test_models.hpp"

namespace {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;

/// Every verb with every output; {} is the folder.
const std::vector<std::string>& commands() {
  static const std::vector<std::string> list = {
      "info {}/m.amxmi",
      "graph {}/m.amxmi -o {}/out",
      "analyze {}/m.amxmi -o {}/out --trace {}/t.btf",
      "analyze {}/m.amxmi -o {}/out --trace {}/t.json.gz",
      "analyze {}/m.amxmi -o {}/out --trace {}/t.csv",
      "analyze {}/m.amxmi -o {}/out --trace {}/t.atdb",
      "simulate {}/m.amxmi -o {}/out --runs 20 --jobs 3 --trace {}/t.json",
      "simulate {}/m.amxmi -o {}/out --runs 20 --jobs 3 --checkpoint {}/state",
      "simulate {}/m.amxmi -o {}/out --runs 20 --shard 1/2",
      "simulate {}/m.amxmi -o {}/out --witness Control",
      "compare {}/m.amxmi {}/run.btf -o {}/out --format html --runs 20",
      "calibrate {}/m.amxmi {}/run.btf -o {}/out",
      "calibrate {}/split {}/run.btf --stimuli -o {}/split",
      "diff {}/m.amxmi {}/n.amxmi --timing -o {}/out --format html",
      "explain {}/m.amxmi Control -o {}/out --picture {}/out.svg",
      "report {}/m.amxmi -o {}/out --runs 20",
      "annotate {}/m.amxmi -o {}/out",
      "annotate {}/m.amxmi -o {}/m.amxmi",
      "annotate {}/split -o {}/split",
      "validate {}/m.amxmi -o {}/out --format sarif",
      "explore {}/m.amxmi -o {}/out --mapping-out {}/out.json --report {}/out.md --candidates 20 --jobs 3",
      "explore {}/split -o {}/split --candidates 20 --jobs 1",
      "explore {}/m.amxmi -o {}/out --candidates 20 --jobs 3 --checkpoint {}/state",
      "convert {}/m.amxmi --to 3.2.0 -o {}/out --report {}/out.json",
      "convert {}/m.amxmi -o {}/out.json",
      "convert {}/m.amxmi {}/n.amxmi --to 3.2.0 -o {}/folder",
      "convert {}/m.amxmi --tree --to 3.2.0 -o {}/tree --jobs 1",
      "batch {}/m.amxmi {}/n.amxmi -o {}/out --jobs 1 --sarif {}/out.sarif --summary {}/out.md --summary {}/out.db",
      "batch {}/m.amxmi --resume -o {}/out --jobs 2 --cache {}/cache",
      "batch merge {}/part.jsonl -o {}/out",
      "gpu run {}/scenario.json --timeline {}/out.svg --timeline {}/out.btf --timeline {}/out.json",
      "gpu makespan --kernel=5L9C --warps 2 --jobs 3",
      "gpu makespan --kernel=5L9C --warps 2 --jobs 3 --anneal --runs 8 --iterations 1000",
      "gpu warps --sweep --programs 2 --picture {}/out.svg",
  };
  return list;
}

std::string in_folder(std::string text, const std::string& folder) {
  for (auto at = text.find("{}"); at != std::string::npos; at = text.find("{}", at)) text.replace(at, 2, folder);
  return text;
}

/// The files below, but for standard output and error.
Files files_below(const std::string& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files[entry.path().lexically_relative(folder).string()] = test::read_text(entry.path().string());
  return files;
}

class Trial {
 public:
  explicit Trial(const std::string& command) : command_(command) {
    const std::string model = test::read_text(test::sample("offload-minimal.amxmi"));
    begin_["m.amxmi"] = model;
    begin_["n.amxmi"] = model;
    // A model of two files.
    begin_["split/m.amxmi"] = model;
    begin_["split/z.amxmi"] =
        model.substr(0, model.find('>', model.find("<am:Amalthea")) + 1) + "<commonElements/></am:Amalthea>";
    const std::string trace = place_.path() + "/run.btf";
    REQUIRE(test::amalthea({"simulate", test::sample("offload-minimal.amxmi"), "--trace", trace}).exit_code == 0);
    begin_["run.btf"] = test::read_text(trace);
    begin_["scenario.json"] = test::read_text(test::sample("gpu/camera.json"));
    begin_["part.jsonl"] =
        test::amalthea({"batch", test::sample("offload-minimal.amxmi")}).out;  // one model is one part
    for (const char* name : {"out", "out.md", "out.json", "out.svg", "out.sarif", "t.btf", "t.csv"})
      begin_[name] = "precious";
    const auto well = run("");
    INFO(command_ << '\n' << well.err);
    REQUIRE((well.exit_code == 0 || well.exit_code == 4));
    well_code_ = well.exit_code;
    well_out_ = well.out;
    well_ = files_below(folder());
  }

  /// False: there was no such call.
  bool survives(const std::string& fault) {
    const auto result = run(fault);
    const bool hit = fs::exists(place_.path() + "/hit");
    INFO(command_ << "  " << fault << '\n' << result.err);
    const std::set<int> documented = {0, 1, 2, 4};
    CHECK(documented.contains(result.exit_code));
    CHECK(result.err.find("internal error") == std::string::npos);
    const Files files = files_below(folder());
    for (const auto& [name, text] : files) {
      INFO(name);
      CHECK(name.find("amalthea-tmp") == std::string::npos);
      CHECK_FALSE(name.ends_with(".lock"));
      check_whole(name, text);
    }
    for (const auto& [name, text] : begin_) CHECK(files.contains(name));
    const bool before_the_end = fault.starts_with("open") || fault.starts_with("write");
    if (command_.starts_with("annotate {}/split") && before_the_end && result.exit_code == 2)
      CHECK(files.at("split/m.amxmi") == begin_["split/m.amxmi"]);
    if (result.exit_code == well_code_ && !is_of_processes()) CHECK(files == well_);
    if (result.exit_code == well_code_ && !command_.starts_with("gpu makespan"))
      CHECK(result.out == well_out_);  // times
    if (is_of_processes() && result.exit_code != 2)
      for (const auto& [name, text] : well_)
        if (!files.contains(name)) {
          INFO(name);
          CHECK(has_error(files));
        }
    return hit;
  }

 private:
  /// Whether a line of a batch says why a model has no result.
  static bool has_error(const Files& files) {
    return std::any_of(files.begin(), files.end(), [](const auto& file) {
      return (file.first == "out" || file.first.ends_with(".jsonl")) &&
             file.second.find("\"error\":\"") != std::string::npos;
    });
  }

  bool is_of_processes() const { return command_.starts_with("batch {}") || command_.find("--tree") != command_.npos; }

  /// The old file, or the new one. A model that a batch had no memory for has another line.
  void check_whole(const std::string& name, const std::string& text) const {
    if (name.ends_with(".partial") || name.ends_with(".previous") || name == "state")
      return;  // state, which --resume reads
    const auto old = begin_.find(name), made = well_.find(name);
    if (old != begin_.end() && old->second == text) return;
    if (made != well_.end() && made->second == text) return;
    if (command_.starts_with("validate")) {  // that the model cannot be read is a finding
      CHECK(nlohmann::json::accept(text));
      return;
    }
    CHECK(is_of_processes());
    if (name == "out" || name.ends_with(".jsonl")) {
      CHECK(text.ends_with('\n'));
      for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
        CHECK(nlohmann::json::accept(text.substr(at, text.find('\n', at) - at)));
    } else {
      CHECK_FALSE(text.empty());
    }
  }

  const std::string& folder() const { return folder_; }

  test::CommandResult run(const std::string& fault) {
    fs::remove_all(folder());
    fs::remove(place_.path() + "/hit");
    for (const auto& [name, text] : begin_) {
      fs::create_directories(fs::path(folder() + "/" + name).parent_path());
      test::write_text(folder() + "/" + name, text);
    }
    std::vector<std::string> arguments = {"/usr/bin/env"};
    if (!fault.empty()) {
      arguments.push_back("LD_PRELOAD=" AMALTHEA_FAULTS);
      arguments.push_back("AMALTHEA_FAULT=" + fault);
      arguments.push_back("AMALTHEA_FAULT_HIT=" + place_.path() + "/hit");
    }
    arguments.emplace_back(AMALTHEA_COMMAND);
    std::string word;
    for (const char character : in_folder(command_, folder()) + " ") {
      if (character != ' ') word += character;
      if (character == ' ') arguments.push_back(std::exchange(word, {}));
    }
    return test::run(arguments);
  }

  std::string command_;
  test::TemporaryFolder place_;
  std::string folder_ = place_.path() + "/f";
  Files begin_, well_;
  int well_code_ = 0;
  std::string well_out_;
};

}  // namespace

TEST_CASE("each call that writes, renames or starts something may fail", "[long]") {
  for (const std::string& command : commands()) {
    Trial trial(command);
    for (const std::string call : {"write", "fsync", "rename", "open", "fork", "thread"}) {
      constexpr int most = 6;
      for (int number = 1; number <= most && trial.survives(fmt::format("{}:{}", call, number)); ++number) {
      }
      trial.survives(call + ":1+");
    }
  }
}

TEST_CASE("a cache does not wait for the disk") {
  const test::TemporaryFolder folder;
  const auto result =
      test::run({"/usr/bin/env", "LD_PRELOAD=" AMALTHEA_FAULTS, "AMALTHEA_FAULT=fsync:1+", AMALTHEA_COMMAND, "batch",
                 test::sample("offload-minimal.amxmi"), "--cache", folder.path()});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(files_below(folder.path()).size() == 1);
}

TEST_CASE("any of the first allocations may fail") {
  for (const std::string& command : commands()) {
    Trial trial(command);
    for (const int number : {1, 2, 3, 5, 8, 13, 40, 100, 150, 300, 700, 2000, 5000, 15000})
      trial.survives(fmt::format("malloc:{}", number));
  }
}

TEST_CASE("every call that writes or renames or starts something may fail and every allocation", "[.][sweep]") {
  for (const std::string& command : commands()) {
    Trial trial(command);
    for (const std::string call : {"write", "fsync", "rename", "open", "fork", "thread"}) {
      constexpr int most = 100;
      for (int number = 1; number <= most && trial.survives(fmt::format("{}:{}", call, number)); ++number)
        trial.survives(fmt::format("{}:{}+", call, number));
    }
    constexpr int all_of = 200, drawn = 500;
    int number = 1;
    while (number <= all_of && trial.survives(fmt::format("malloc:{}", number))) ++number;
    int most = all_of;
    while (trial.survives(fmt::format("malloc:{}", most))) most *= 2;
    std::mt19937 random(1);  // NOLINT: the same every time
    for (int i = 0; i < drawn; ++i)
      trial.survives(fmt::format("malloc:{}", std::uniform_int_distribution<int>(all_of, most)(random)));
  }
}
