// SPDX-License-Identifier: Apache-2.0
// Every input has a limit and every number is a number, whichever option brings it.

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace input_limits_test {

namespace {

using Arguments = std::vector<std::string>;

std::string model() { return test::sample("offload-minimal.amxmi"); }

/// The command, under a time limit so that an endless read ends; "timeout" is 124.
test::CommandResult within_seconds(Arguments arguments) {
  arguments.insert(arguments.begin(), {"/usr/bin/timeout", "60", AMALTHEA_COMMAND});
  return test::run(arguments);
}

/// Each way in for a file beside the model, without its name, which comes last.
std::vector<Arguments> side_files() {
  return {{"analyze", model(), "--platform"},
          {"analyze", model(), "--mapping"},
          {"analyze", model(), "--memory"},
          {"report", model(), "-o", "/dev/null", "--baseline"},
          {"explore", model(), "--compare"},
          {"gpu", "makespan", "--warps", "1", "--ptx"},
          {"gpu", "run"},
          {"gpu", "rta"},
          {"gpu", "bounds"},
          {"batch", "--manifest"}};
}

void check_refused(Arguments arguments, const std::string& file, const std::string& message) {
  arguments.push_back(file);
  INFO(arguments.front() << " " << arguments[arguments.size() - 2]);
  const auto result = within_seconds(arguments);
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  INFO(result.err.substr(0, 500));
  CHECK(result.err.find(message) != std::string::npos);
}

}  // namespace

TEST_CASE("devices without end and folders are refused as input, and /dev/null is a legal output") {
  for (const Arguments& arguments : side_files()) {
    check_refused(arguments, "/dev/zero", "this is a device, which may never end; expected a file");
    if (arguments.back() != "--compare") check_refused(arguments, "/tmp", "this is a folder; expected a file");
  }
  check_refused({"info"}, "/dev/zero", "this is a device, which may never end; expected a file");
  CHECK(test::amalthea({"analyze", model(), "-o", "/dev/null"}).exit_code != 2);
}

TEST_CASE("JSON that is nested too deeply is refused with the place") {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/deep.json";
  test::write_text(file, "{\"a\":" + std::string(1'000'000, '['));
  for (const Arguments& arguments : side_files()) {
    if (arguments.back() == "--manifest" || arguments.back() == "--ptx") continue;
    check_refused(arguments, file, "nested more than 32");
  }
}

TEST_CASE("side files have a size limit") {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/large.json";
  test::write_text(file, "");
  std::filesystem::resize_file(file, 64'000'001);
  for (const Arguments& arguments : side_files())
    check_refused(arguments, file, "the file has 64000001 bytes and is larger than the limit of 64000000 bytes");
}

TEST_CASE("a pipe in a folder of models is left out with a note") {
  const test::TemporaryFolder folder;
  std::filesystem::copy_file(model(), folder.path() + "/model.amxmi");
  REQUIRE(::mkfifo((folder.path() + "/pipe.amxmi").c_str(), 0600) == 0);
  const auto info = within_seconds({"info", folder.path()});
  CHECK(info.exit_code == 0);
  CHECK(info.err.find("pipe.amxmi: note: this is a pipe or a device and left out of its folder; to read it, name it "
                      "[AM0120]") != std::string::npos);
  CHECK(within_seconds({"batch", folder.path(), "--list"}).out == folder.path() + "/model.amxmi\n");
}

TEST_CASE("a side file may come through a pipe") {
  const auto result = test::run(
      {"/bin/sh", "-c",
       fmt::format("echo '{{}}' | timeout 60 '{}' analyze '{}' --mapping /dev/stdin", AMALTHEA_COMMAND, model())});
  CHECK(result.exit_code == test::amalthea({"analyze", model()}).exit_code);
}

TEST_CASE("invalid numbers are refused with the name of the option") {
  const auto is_refused = [](Arguments arguments, const std::string& option, const char* value) {
    arguments.push_back(fmt::format("{}={}", option, value));
    const auto result = test::amalthea(arguments);
    INFO(option << " " << value << ": " << result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.err.find(option) != std::string::npos);
  };
  for (const auto& [verb, option] : std::vector<std::pair<Arguments, const char*>>{
           {{"explore", model()}, "--seconds"},
           {{"batch", model()}, "--time-limit"},
           {{"gpu", "run", "x.json"}, "--copy-bandwidth"},
           {{"gpu", "makespan", "--kernel", "C", "--warps", "1"}, "--temperature"},
           {{"gpu", "makespan", "--kernel", "C", "--warps", "1"}, "--time-limit"}})
    for (const char* value : {"nan", "inf", "-inf", "1e999", "-1"}) is_refused(verb, option, value);
  for (const auto& [verb, option] :
       std::vector<std::pair<Arguments, const char*>>{{{"info", model()}, "--max-size"},
                                                      {{"info", model()}, "--max-depth"},
                                                      {{"info", model()}, "--max-elements"},
                                                      {{"info", model()}, "--max-unpacked"},
                                                      {{"info", model()}, "--max-ratio"},
                                                      {{"analyze", model()}, "--max-steps"},
                                                      {{"explore", model()}, "--candidates"},
                                                      {{"explore", model()}, "--seed"},
                                                      {{"simulate", model()}, "--runs"},
                                                      {{"simulate", model()}, "--trace-run"},
                                                      {{"batch", model()}, "--memory-limit"},
                                                      {{"gpu", "study", "placement"}, "--configurations"}})
    for (const char* value : {"-1", "99999999999999999999", "nan", "1e3", ""}) is_refused(verb, option, value);
}

TEST_CASE("numbers in JSON files that are none are refused with the place") {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/file.json";
  for (const char* number : {"1e999", "-1e999", "99999999999999999999", "-1", "NaN", "Infinity"}) {
    INFO(number);
    test::write_text(file,
                     fmt::format(R"({{"operations": [{{"kernel": "k", "threads": {}, "duration": "1ms"}}]}})", number));
    check_refused({"gpu", "run"}, file, file + ":1:");
    const std::string tx2 = test::read_text(AMALTHEA_SOURCE_DIR "/engine/gpu/platforms/tx2.json");
    test::write_text(file, test::replaced(tx2, "\"max_blocks\": {\"value\": 32",
                                          fmt::format("\"max_blocks\": {{\"value\": {}", number)));
    check_refused({"analyze", model(), "--platform"}, file, file + ":");
  }
}

}  // namespace input_limits_test
