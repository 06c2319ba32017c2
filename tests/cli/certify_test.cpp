// SPDX-License-Identifier: Apache-2.0
// Certificates as the command writes and uses them. Coq itself is a stand-in here: tests/proofs has the real one.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

const std::string sample = "tutorial/1-one-task.amxmi";

json manifest_in(const std::string& folder) { return json::parse(test::read_text(folder + "/manifest.json")); }

/// A program with the name of Coq's compiler that is first in PATH, while this lives.
class StandIn {
 public:
  StandIn(const test::TemporaryFolder& folder, const std::string& says) : path_(std::getenv("PATH")) {
    const std::string file = folder.path() + "/bin/coqc";
    fs::create_directories(folder.path() + "/bin");
    fs::create_directories(folder.path() + "/prosa");
    test::write_text(file, "#!/bin/sh\ncase \"$*\" in *Certificate.v) " + says + ";; esac\n");
    fs::permissions(file, fs::perms::owner_all);
    ::setenv("PATH", (folder.path() + "/bin:" + path_).c_str(), 1);
  }
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;
  ~StandIn() { ::setenv("PATH", path_.c_str(), 1); }

 private:
  std::string path_;
};
const std::string accepts = "echo 'Closed under the global context'", rejects = "exit 1";

test::CommandResult certify(const test::TemporaryFolder& folder, const std::string& model, bool check) {
  std::vector<std::string> words = {"certify", test::sample(model), "-o", folder.path() + "/c"};
  if (check) words.insert(words.end(), {"--check", "--prosa", folder.path() + "/prosa"});
  return test::amalthea(words);
}

test::CommandResult analyze(const test::TemporaryFolder& folder, const std::string& model) {
  return test::amalthea({"analyze", test::sample(model), "--certificates", folder.path() + "/c"});
}

}  // namespace

TEST_CASE("certify: the manifest names a theorem or a reason for every task on a core") {
  const test::TemporaryFolder folder;
  REQUIRE(certify(folder, "waters2019-tx2.amxmi", false).exit_code == 0);
  std::size_t certified = 0, others = 0;
  const json manifest = manifest_in(folder.path() + "/c");
  for (const json& task : manifest["tasks"]) {
    INFO(task.dump());
    REQUIRE(task.contains("theorems") != task.contains("no_certificate"));
    if (!task.contains("theorems")) {
      ++others;
      continue;
    }
    ++certified;
    const std::string text = test::read_text(folder.path() + "/c/" + task["file"].get<std::string>());
    CHECK(text.find(fmt::format("Theorem {} : ", task["theorems"][0].get<std::string>())) != std::string::npos);
    CHECK(text.find(fmt::format("%nat {}.\n", task["proved_ps"].get<std::int64_t>())) != std::string::npos);
  }
  CHECK(certified == 6);
  CHECK(others == 4);
}

TEST_CASE("certify: results show as proved what the manifest records as accepted") {
  const test::TemporaryFolder folder;
  const StandIn coq(folder, accepts);
  REQUIRE(certify(folder, sample, false).exit_code == 0);
  CHECK(analyze(folder, sample).out.find("proved: 0 of 1 tasks") != std::string::npos);
  REQUIRE(certify(folder, sample, true).exit_code == 0);
  CHECK(manifest_in(folder.path() + "/c")["cores"][0]["accepted"] == true);
  CHECK(analyze(folder, sample).out.find("proved: 1 of 1 tasks") != std::string::npos);
}

TEST_CASE("certify: a rejected certificate makes the exit code 1 and proves nothing") {
  const test::TemporaryFolder folder;
  const StandIn coq(folder, rejects);
  const auto checked = certify(folder, sample, true);
  CHECK(checked.exit_code == 1);
  CHECK(checked.out.find("Coq accepts 0 of 1 certificates") != std::string::npos);
  CHECK(manifest_in(folder.path() + "/c")["cores"][0]["accepted"] == false);
  CHECK(analyze(folder, sample).out.find("proved: 0 of 1 tasks") != std::string::npos);
}

TEST_CASE("certify: a proof that assumes anything is rejected") {
  const test::TemporaryFolder folder;
  const StandIn coq(folder, "echo 'Axioms: trust_me'");
  CHECK(certify(folder, sample, true).exit_code == 1);
}

TEST_CASE("certify: accepted certificates prove nothing about another model or other options") {
  const test::TemporaryFolder folder;
  const StandIn coq(folder, accepts);
  REQUIRE(certify(folder, sample, true).exit_code == 0);
  CHECK(analyze(folder, "tutorial/2-missed-deadline.amxmi").exit_code == 2);
  const auto other =
      test::amalthea({"analyze", test::sample(sample), "--memory", "none", "--certificates", folder.path() + "/c"});
  CHECK(other.exit_code == 2);
  CHECK(other.err.find("made with other options") != std::string::npos);
}

TEST_CASE("certify: a certificate with another text than the accepted one proves nothing") {
  const test::TemporaryFolder folder;
  const StandIn coq(folder, accepts);
  REQUIRE(certify(folder, sample, true).exit_code == 0);
  json manifest = manifest_in(folder.path() + "/c");
  manifest["cores"][0]["hash"] = "sha256:0";
  test::write_text(folder.path() + "/c/manifest.json", manifest.dump());
  CHECK(analyze(folder, sample).out.find("proved: 0 of 1 tasks") != std::string::npos);
}

TEST_CASE("certify: chains.py finds a manifest that differs from the theorems") {
  const test::TemporaryFolder folder;
  REQUIRE(certify(folder, "waters2019-tx2.amxmi", false).exit_code == 0);
  const std::string script = folder.path() + "/c/chains.py", file = folder.path() + "/c/manifest.json";
  CHECK(test::run({"python3", script}).exit_code == 0);
  const json right = manifest_in(folder.path() + "/c");
  REQUIRE(right["chains"].size() == 2);
  json wrong = right;
  wrong["chains"][0]["latency_ps"] = right["chains"][0]["latency_ps"].get<std::int64_t>() - 1;
  test::write_text(file, wrong.dump());
  CHECK(test::run({"python3", script}).exit_code == 1);
  wrong = right;
  wrong["tasks"][0]["proved_ps"] = 1;
  test::write_text(file, wrong.dump());
  CHECK(test::run({"python3", script}).exit_code == 1);
}
