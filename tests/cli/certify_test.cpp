// SPDX-License-Identifier: Apache-2.0
// Certificates as the command writes and uses them. Coq itself is a stand-in here: tests/proofs has the real one.

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

const std::string sample = "tutorial/1-one-task.amxmi";

ordered_json manifest_in(const std::string& folder) {
  return ordered_json::parse(test::read_text(folder + "/manifest.json"));
}

/// A program with the name of Coq's compiler that is first in PATH, while this lives.
class StandIn {
 public:
  StandIn(const test::TemporaryFolder& folder, const std::string& says) : path_(std::getenv("PATH")) {
    const std::string file = folder.path() + "/bin/coqc";
    fs::create_directories(folder.path() + "/bin");
    fs::create_directories(folder.path() + "/prosa");
    test::write_text(
        file, "#!/bin/sh\ncase \"$*\" in *Certificate.v) " + says + ";; --print-version) echo 8.16.1 4.13.1;; esac\n");
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

/// Writes the dossier, too: the text of the page without its markup, in one line.
std::string dossier(const test::TemporaryFolder& folder, const std::string& model, bool check, int exit_code) {
  std::vector<std::string> words = {
      "certify", test::sample(model), "-o", folder.path() + "/c", "--dossier", folder.path() + "/dossier.html"};
  if (check) words.insert(words.end(), {"--check", "--prosa", folder.path() + "/prosa"});
  const auto done = test::amalthea(words);
  INFO(done.err);
  REQUIRE(done.exit_code == exit_code);
  const std::string page = test::read_text(folder.path() + "/dossier.html");
  CHECK(page.find("<script") == std::string::npos);
  CHECK(page.find("http") == page.find("http-equiv"));  // nothing from elsewhere
  CHECK(page.find("http", page.find("http-equiv") + 4) == std::string::npos);
  const std::string text = std::regex_replace(page.substr(page.find("<h1>")), std::regex("(<[^>]*>|\\s)+"), " ");
  return std::regex_replace(text, std::regex("&quot;"), "\"");
}

bool says(const std::string& text, const std::string& part) {
  UNSCOPED_INFO(part);
  return text.find(part) != std::string::npos;
}

test::CommandResult analyze(const test::TemporaryFolder& folder, const std::string& model) {
  return test::amalthea({"analyze", test::sample(model), "--certificates", folder.path() + "/c"});
}

}  // namespace

TEST_CASE("certify: the manifest names a theorem or a reason for every task on a core") {
  const test::TemporaryFolder folder;
  REQUIRE(certify(folder, "waters2019-tx2.amxmi", false).exit_code == 0);
  std::size_t certified = 0, others = 0;
  const ordered_json manifest = manifest_in(folder.path() + "/c");
  for (const ordered_json& task : manifest["tasks"]) {
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

TEST_CASE("certify: the dossier calls proved only what Coq has accepted") {
  const test::TemporaryFolder folder;
  const std::string model = "tutorial/2-missed-deadline.amxmi", unchecked = dossier(folder, model, false, 0);
  CHECK(says(unchecked, "Coq not run"));
  CHECK(says(unchecked, " 0 limits proved 1 computed 0 observed only 1 open "));
  CHECK(says(unchecked, ".v not checked Coq has not accepted this certificate"));
  const StandIn coq(folder, accepts);
  const std::string accepted = dossier(folder, model, true, 0);
  CHECK(says(accepted, "Coq 8.16.1 "));
  CHECK(says(accepted, " 1 limits proved 0 computed 0 observed only 1 open "));
  CHECK_FALSE(says(accepted, "Coq has not accepted"));
  const ordered_json manifest = manifest_in(folder.path() + "/c");
  CHECK(says(accepted, " accepted " + manifest["cores"][0]["hash"].get<std::string>()));
  CHECK(says(accepted, manifest["model"]["hash"].get<std::string>()));
}

TEST_CASE("certify: the dossier of a rejected certificate has it as an open point") {
  const test::TemporaryFolder folder;
  const StandIn coq(folder, rejects);
  const std::string text = dossier(folder, "tutorial/2-missed-deadline.amxmi", true, 1);
  CHECK(says(text, " 0 limits proved 1 computed "));
  CHECK(says(text, ".v rejected Coq has not accepted this certificate"));
}

TEST_CASE("certify: the dossier lists limits that are not guaranteed, tasks without certificate and assumptions") {
  const auto [name, assumes] = GENERATE(std::pair("waters2019-tx2.amxmi", false), std::pair("constraints.amxmi", true));
  const test::TemporaryFolder folder;
  const std::string text = dossier(folder, name, false, 0);
  const ordered_json results =
      ordered_json::parse(test::amalthea({"analyze", test::sample(name), "--format", "json"}).out);
  const std::string open = text.substr(text.find("Open points"));
  for (const ordered_json& limit : results["limits"])
    CHECK(says(open, " " + limit["name"].get<std::string>() + " " + limit["verdict"].get<std::string>() + " ") ==
          (limit["verdict"] != "guaranteed"));
  for (const ordered_json& task : manifest_in(folder.path() + "/c")["tasks"])
    if (task.contains("no_certificate")) CHECK(says(open, " " + task["task"].get<std::string>() + " no certificate "));
  REQUIRE(results["assumptions"].empty() != assumes);
  for (const ordered_json& assumption : results["assumptions"])
    CHECK(says(text, " " + assumption["text"].get<std::string>()));
  CHECK(says(open, "What is not proved"));
}

TEST_CASE("certify: a certificate with another text than the accepted one proves nothing") {
  const test::TemporaryFolder folder;
  const StandIn coq(folder, accepts);
  REQUIRE(certify(folder, sample, true).exit_code == 0);
  ordered_json manifest = manifest_in(folder.path() + "/c");
  manifest["cores"][0]["hash"] = "sha256:0";
  test::write_text(folder.path() + "/c/manifest.json", manifest.dump());
  CHECK(analyze(folder, sample).out.find("proved: 0 of 1 tasks") != std::string::npos);
}

TEST_CASE("certify: chains.py finds a manifest that differs from the theorems") {
  const test::TemporaryFolder folder;
  REQUIRE(certify(folder, "waters2019-tx2.amxmi", false).exit_code == 0);
  const std::string script = folder.path() + "/c/chains.py", file = folder.path() + "/c/manifest.json";
  CHECK(test::run({"python3", script}).exit_code == 0);
  const ordered_json right = manifest_in(folder.path() + "/c");
  REQUIRE(right["chains"].size() == 2);
  ordered_json wrong = right;
  wrong["chains"][0]["latency_ps"] = right["chains"][0]["latency_ps"].get<std::int64_t>() - 1;
  test::write_text(file, wrong.dump());
  CHECK(test::run({"python3", script}).exit_code == 1);
  wrong = right;
  wrong["tasks"][0]["proved_ps"] = 1;
  test::write_text(file, wrong.dump());
  CHECK(test::run({"python3", script}).exit_code == 1);
}
