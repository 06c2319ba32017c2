// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

// GPU profiles in files: beside a model, and for one of several GPUs.

namespace profile_file_test {

using nlohmann::json;

namespace {

/// A profile that slows nothing down.
std::string profile(const std::string& name, int switch_us = 0) {
  return fmt::format(R"({{"name": "{}", "time_slice_us": {{"value": 1000}}, "context_switch_us": {{"value": {}}},
    "kernel_slowdown_by_memcpy": {{"value": 1}}, "kernel_slowdown_by_memset": {{"value": 1}},
    "copy_slowdown_by_kernel": {{"value": 1}}}})",
                     name, switch_us);
}

/// The sample with two GPUs in a folder of its own, where GPU0 names another profile.
class Beside {
 public:
  explicit Beside(const std::string& platform) {
    test::write_text(model(), test::replaced(test::read_text(test::sample("two-gpus.amxmi")), R"(value="tx2")",
                                             fmt::format(R"(value="{}")", platform)));
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string model() const { return path("two.amxmi"); }

 private:
  test::TemporaryFolder folder_;
};

/// The profile of each GPU.
std::string profiles(const std::string& model, const std::vector<std::string>& options = {}) {
  std::vector<std::string> arguments = {"annotate", model, "--as", "properties", "-o", "-"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const auto result = test::amalthea(arguments);
  INFO(result.err);
  CHECK(result.exit_code <= 1);
  const std::string key = "origin.platform\">";
  const std::size_t at = result.out.find(key), value = result.out.find("value=\"", at) + 7;
  REQUIRE(at != std::string::npos);
  return result.out.substr(value, result.out.find('"', value) - value);
}

std::string refused(const std::string& model, const std::vector<std::string>& options = {}, int exit_code = 2) {
  std::vector<std::string> arguments = {"analyze", model};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const auto result = test::amalthea(arguments);
  CHECK(result.exit_code == exit_code);
  return result.err;
}

}  // namespace

TEST_CASE("the profile of a GPU may be a file beside the model, or below its folder") {
  const Beside beside("mine.json"), below("gpus/mine.json");
  test::write_text(beside.path("mine.json"), profile("of-a-file"));
  std::filesystem::create_directory(below.path("gpus"));
  test::write_text(below.path("gpus/mine.json"), profile("of-a-folder"));
  CHECK(profiles(beside.model()) == "GPU0=of-a-file, GPU1=pegasus");
  CHECK(profiles(below.model()) == "GPU0=of-a-folder, GPU1=pegasus");
}

TEST_CASE("an option --platform replaces the profile of all GPUs, of one, or of one and of the others") {
  const Beside two("no-such-file.json");
  test::write_text(two.path("a.json"), profile("a"));
  test::write_text(two.path("b.json"), profile("b"));
  const std::string a = two.path("a.json"), b = two.path("b.json");
  CHECK(profiles(two.model(), {"--platform", "xavier"}) == "GPU0=xavier, GPU1=xavier");
  CHECK(profiles(two.model(), {"--platform", "GPU0=" + a}) == "GPU0=a, GPU1=pegasus");
  CHECK(profiles(two.model(), {"--platform", "GPU0=" + a, "--platform", "GPU1=" + b}) == "GPU0=a, GPU1=b");
  CHECK(profiles(two.model(), {"--platform", "GPU1=" + b, "--platform", "xavier"}) == "GPU0=xavier, GPU1=b");
}

TEST_CASE("an option --platform names what it cannot be") {
  const std::string model = test::sample("two-gpus.amxmi");
  CHECK(refused(model, {"--platform", "GPU7=tx2"}) ==
        "amalthea: error: --platform GPU7=tx2: the model has no GPU \"GPU7\"; did you mean \"GPU0\" or \"GPU1\"? "
        "[AM0324]\n");
  CHECK(refused(model, {"--platform", "Core0=tx2"}).find("the model has no GPU \"Core0\"") != std::string::npos);
  CHECK(refused(model, {"--platform", "GPU0=tx3"}).find("neither a built-in profile") != std::string::npos);
  CHECK(refused(model, {"--platform", "=tx2"}).find("expected NAME or UNIT=NAME") != std::string::npos);
  CHECK(refused(model, {"--platform", "GPU0=tx2", "--platform", "GPU0=xavier"}).find("\"GPU0\" gets two profiles") !=
        std::string::npos);
  CHECK(refused(model, {"--platform", "tx2", "--platform", "xavier"}).find("--platform UNIT=NAME") !=
        std::string::npos);
}

TEST_CASE("no output replaces the profile of one GPU") {
  const Beside two("tx2");
  const std::string file = two.path("a.json"), text = profile("a");
  test::write_text(file, text);
  CHECK(refused(two.model(), {"--platform", "GPU0=" + file, "-o", file}).find("would overwrite") != std::string::npos);
  CHECK(test::read_text(file) == text);
}

TEST_CASE("a file beside the model that cannot be a profile is an error at the property") {
  const auto error_of = [](const Beside& model) { return test::replaced(refused(model.model(), {}, 1), model.path(""), ""); };
  const Beside missing("mine.json"), above("../mine.json"), broken("mine.json"), folder("mine.json"), link("mine.json");
  CHECK(error_of(missing).find("two.amxmi:158:11: error: gpu.platform \"mine.json\" of \"GPU0\" cannot be used: cannot "
                               "open the file: No such file or directory; put the file beside the model, or use "
                               "--platform GPU0=FILE [AM0596]") != std::string::npos);
  CHECK(error_of(above).find("the file must be in the folder of the model, or below it; ") != std::string::npos);
  test::write_text(broken.path("mine.json"), "{\"name\": \"x\"}");
  CHECK(error_of(broken).find("error: the GPU profile \"mine.json\" of \"GPU0\": 1:1: ") != std::string::npos);
  std::filesystem::create_directory(folder.path("mine.json"));
  CHECK(error_of(folder).find("this is a folder; expected a file") != std::string::npos);
  std::filesystem::create_symlink("/etc/hostname", link.path("mine.json"));
  CHECK(error_of(link).find("a link leads out of the folder of the model") != std::string::npos);
  test::write_text(broken.path("mine.json"), std::string(1'000'001, ' '));
  CHECK(error_of(broken).find("larger than the limit of 1000000 bytes") != std::string::npos);
}

TEST_CASE("a model from standard input has no file beside it") {
  const Beside two("mine.json");
  test::write_text(two.path("mine.json"), profile("mine"));
  const auto result =
      test::run({"/bin/sh", "-c", "cd \"$1\" && \"$2\" analyze - < two.amxmi", "sh", two.path(""), AMALTHEA_COMMAND});
  CHECK(result.err.find("the model has no folder, because it is not read from a file") != std::string::npos);
}

TEST_CASE("a cache of a batch and a checkpoint of runs notice another profile beside the model") {
  const Beside two("mine.json");
  test::write_text(two.path("mine.json"), profile("mine"));
  const auto key = [&] {
    const auto result = test::amalthea({"batch", two.model(), "--cache", two.path("cache"), "--fail-on", "never"});
    INFO(result.err);
    return json::parse(result.out).at("key").get<std::string>();
  };
  const std::string first = key();
  CHECK(key() == first);
  test::write_text(two.path("mine.json"), profile("mine", 5));
  const std::string second = key();
  CHECK(second != first);
  std::filesystem::remove(two.path("mine.json"));
  CHECK(key() != second);
}

}  // namespace profile_file_test
