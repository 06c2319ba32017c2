// SPDX-License-Identifier: Apache-2.0
// Output for pipelines, and the pipelines of samples/ci as GitHub, GitLab and pre-commit run them.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/test_models.hpp"

namespace pipelines_test {

namespace {

const std::string shared_gpu = test::sample("tutorial/5-shared-gpu.amxmi");
const std::string repaired = test::sample("tutorial/6-repaired.amxmi");

std::string in_repository(const std::string& name) { return AMALTHEA_SOURCE_DIR "/" + name; }

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::size_t occurrences(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// Runs a script as a step: bash ends at the first command that fails.
test::CommandResult bash(const std::string& script) { return test::run({"bash", "-eo", "pipefail", "-c", script}); }

void check_junit(const std::string& xml) {
  const test::TemporaryFolder folder;
  test::write_text(folder.path() + "/junit.xml", xml);
  const auto result =
      test::run({"xmllint", "--noout", "--schema", test::data("junit.xsd"), folder.path() + "/junit.xml"});
  INFO(result.err << xml);
  CHECK(result.exit_code == 0);
}

/// The commands of a pipeline file: after "run:" in a file for GitHub, the items of scripts in one for GitLab.
std::vector<std::string> steps_of(const std::string& file, bool github) {
  std::vector<std::string> lines;
  const std::string text = test::read_text(in_repository(file));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  const auto indent = [](const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); };
  std::vector<std::string> steps;
  bool in_script = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (line.ends_with("script:")) in_script = true;
    if (!github && in_script && indent(line) == 2 && !line.ends_with("script:")) in_script = false;
    std::string step;
    if (const auto at = line.find("run: "); github && at != std::string::npos) step = line.substr(at + 5);
    if (!github && in_script && line.starts_with("    - ")) step = line.substr(6);
    if (step.empty()) continue;
    if (step == "|" || step == ">-") {
      const char joint = step == "|" ? '\n' : ' ';
      step.clear();
      const std::size_t depth = indent(lines[i + 1]);
      for (++i; i < lines.size() && indent(lines[i]) >= depth; ++i) step += lines[i].substr(depth) + joint;
      --i;
    }
    steps.push_back(step);
  }
  return steps;
}

/// A repository with a target branch and a branch that changes the model, checked out as pipelines do.
class MergeRequest {
 public:
  MergeRequest(const std::string& before, const std::string& after) {
    const std::string origin = folder_.path() + "/origin";
    const std::string script = fmt::format(
        "git init -q -b main '{0}' && cd '{0}' && git config user.name A && git config user.email a@example.org && "
        "mkdir models && cp '{1}' models/engine.amxmi && git add -A && git commit -qm before && "
        "git checkout -qb change && cp '{2}' models/engine.amxmi && git commit -qam after --allow-empty && "
        "git clone -q '{0}' '{3}'",
        origin, before, after, work());
    const auto made = bash(script);
    INFO(made.err);
    REQUIRE(made.exit_code == 0);
    // The archive that the pipelines download, and programs that talk to a server.
    const auto packed = bash(
        fmt::format("cd '{0}' && mkdir -p amalthea-timing/bin stubs && ln -s '{1}' amalthea-timing/bin/amalthea && "
                    "tar -czf amalthea.tar.gz amalthea-timing && real=$(command -v curl) && "
                    "printf '#!/bin/sh\\necho \"$@\" >> \"{0}/said\"\\n' > stubs/gh && "
                    "printf '#!/bin/sh\\ncase \"$*\" in *POST*) echo \"$@\" >> \"{0}/said\";; *) exec %s \"$@\";; "
                    "esac\\n' \"$real\" > "
                    "stubs/curl && chmod +x stubs/*",
                    folder_.path(), AMALTHEA_COMMAND));
    INFO(packed.err);
    REQUIRE(packed.exit_code == 0);
  }

  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string work() const { return path("work"); }
  std::string said() const { return test::read_text(path("said")); }
  std::string written(const std::string& name) const { return test::read_text(work() + "/" + name); }

  test::CommandResult run(const std::string& step, const std::string& settings) const {
    return bash(
        fmt::format("export PATH='{0}/stubs':$PATH AMALTHEA_TARBALL='file://{0}/amalthea.tar.gz' "
                    "AMALTHEA_SHA256=$(sha256sum '{0}/amalthea.tar.gz' | cut -d' ' -f1) "
                    "MODEL=models/engine.amxmi\n{1}\ncd '{2}'\n{3}",
                    folder_.path(), settings, work(), step));
  }

 private:
  test::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("junit: every document complies with the schema") {
  if (test::run({"xmllint", "--version"}).exit_code != 0) test::skip("no xmllint (libxml2-utils)");
  const test::TemporaryFolder folder;
  const std::string hostile = folder.path() + "/a&b<c>\"d.amxmi";
  test::write_text(hostile, test::replaced(test::replaced(test::read_text(shared_gpu), "name=\"Steering\"",
                                                          "name=\"St&lt;]]&gt;&amp;&quot;&#x7f;\""),
                                           "value=\"10\" unit=\"ms\"", "value=\"1\" unit=\"us\""));
  const std::string unreadable = folder.path() + "/unreadable.amxmi";
  test::write_text(unreadable, "<am:Amalthea");
  for (const std::string& model :
       {shared_gpu, test::sample("broken.amxmi"), test::sample("waters2019-tx2.amxmi"), test::sample("chains.amxmi"),
        test::sample("constraints.amxmi"), hostile, unreadable, folder.path() + "/missing.amxmi"}) {
    INFO(model);
    for (const char* verb : {"validate", "analyze"})
      check_junit(test::amalthea({verb, "--format", "junit", model}).out);
  }
  for (const char* verb : {"validate", "analyze", "simulate"}) {
    const std::string xml = test::amalthea({"batch", "--verb", verb, "--format", "junit", hostile, unreadable,
                                            shared_gpu, test::sample("broken.amxmi")})
                                .out;
    check_junit(xml);
    CHECK(occurrences(xml, "<testsuite ") == 4);
  }
}

TEST_CASE("junit: limits are test cases that fail or pass as the exit code says") {
  const auto late = test::amalthea({"analyze", "-q", "--format", "junit", shared_gpu});
  CHECK(late.exit_code == 1);
  CHECK(contains(late.out, "tests=\"3\" failures=\"1\" errors=\"0\" time=\"0\">"));
  CHECK(contains(late.out, "<testcase name=\"deadline of Detection\" classname=\"" + shared_gpu +
                               "\" time=\"0\" file=\"" + shared_gpu + "\" line=\""));
  CHECK(contains(late.out, "<failure type=\"missed\" message=\"missed: "));
  const auto sound = test::amalthea({"analyze", "-q", "--format", "junit", repaired});
  CHECK(sound.exit_code == 0);
  CHECK(contains(sound.out, "failures=\"0\" errors=\"0\" time=\"0\">"));
  CHECK(contains(sound.out, "<system-out>guaranteed: "));
  // What was not judged is an error.
  const auto cut = test::amalthea({"analyze", "-q", "--format", "junit", "--until", "1us", repaired});
  CHECK((cut.exit_code == 4) == contains(cut.out, "<error type=\"unknown\""));
}

TEST_CASE("junit: a passed case says which assumptions it rests on") {
  const std::string model = test::sample("two-gpus.amxmi");
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"analyze", "-q", "--format", "junit", model},
                                                                     {"batch", "-q", "--format", "junit", model}}) {
    const std::string xml = test::amalthea(arguments).out;
    CHECK(occurrences(xml,
                      "below the deadline; assumed: nothing slows down copies or kernels of a GPU where its profile "
                      "has no figure; figures that are not published for a GPU have pessimistic values</system-out>") ==
          2);
    if (test::run({"xmllint", "--version"}).exit_code == 0) check_junit(xml);
  }
  CHECK_FALSE(contains(test::amalthea({"analyze", "-q", "--format", "junit", repaired}).out, "assumed: "));
}

TEST_CASE("junit: findings fail from the severity of --fail-on on") {
  const std::string model = test::sample("waters2019-tx2.amxmi");
  CHECK(contains(test::amalthea({"validate", "--format", "junit", model}).out, "failures=\"0\""));
  CHECK_FALSE(
      contains(test::amalthea({"validate", "--format", "junit", "--fail-on", "note", model}).out, "failures=\"0\""));
  CHECK(contains(test::amalthea({"validate", "--format", "junit", repaired}).out, "<testcase name=\"no findings\""));
}

TEST_CASE("codequality: every entry has what GitLab requires and a fingerprint of its own") {
  const test::TemporaryFolder folder;
  const std::string unreadable = folder.path() + "/unreadable.amxmi", late = folder.path() + "/late.amxmi";
  test::write_text(unreadable, "<am:Amalthea");
  test::write_text(late, test::read_text(shared_gpu));
  for (const std::string& model : {late, unreadable, folder.path() + "/missing.amxmi", test::sample("broken.amxmi"),
                                   test::sample("waters2019-tx2.amxmi"), repaired})
    for (const char* verb : {"validate", "analyze"}) {
      INFO(verb << " " << model);
      const auto report = nlohmann::json::parse(test::amalthea({verb, "--format", "codequality", model}).out);
      REQUIRE(report.is_array());
      std::set<std::string> fingerprints;
      for (const auto& entry : report) {
        CHECK_FALSE(entry["description"].get<std::string>().empty());
        CHECK(entry["check_name"].get<std::string>().starts_with("AM"));
        CHECK(fingerprints.insert(entry["fingerprint"].get<std::string>()).second);
        CHECK(std::set<std::string>{"info", "minor", "critical"}.count(entry["severity"]) == 1);
        CHECK_FALSE(entry["location"]["path"].get<std::string>().empty());
        CHECK(entry["location"]["lines"]["begin"].get<int>() >= 1);
      }
      if (verb == std::string("analyze")) CHECK(report.empty() == (model == repaired));
    }
  // Below the folder of the command, GitLab finds files by their path there.
  const auto here = bash(fmt::format("cd '{}' && '{}' analyze -q --format codequality \"$PWD/late.amxmi\"",
                                     folder.path(), AMALTHEA_COMMAND));
  CHECK(contains(here.out, "\"severity\": \"critical\",\n    \"location\": {\n      \"path\": \"late.amxmi\","));
}

TEST_CASE("github: commands name file and line and escape what would end them") {
  const test::TemporaryFolder folder;
  const std::string name = "a,b:c%d.amxmi";
  test::write_text(folder.path() + "/" + name, test::read_text(shared_gpu));
  const auto result =
      bash(fmt::format("cd '{}' && '{}' analyze -q --format github '{}'", folder.path(), AMALTHEA_COMMAND, name));
  CHECK(result.exit_code == 1);
  const std::size_t at = result.out.find("::error file=a%2Cb%3Ac%25d.amxmi,line=");
  REQUIRE(at != std::string::npos);
  const std::string line = result.out.substr(at, result.out.find('\n', at) - at);
  CHECK(contains(line, ",title=AM0542::task \"Detection\" is missed: "));
  for (std::size_t from = 0; from < result.out.size(); from = result.out.find('\n', from) + 1)
    CHECK(result.out.compare(from, 2, "::") == 0);
  // Absolute paths below the working folder become relative ones.
  const auto absolute = bash(
      fmt::format("cd '{0}' && '{1}' analyze -q --format github '{0}/{2}'", folder.path(), AMALTHEA_COMMAND, name));
  CHECK(absolute.out == result.out);
  const auto batch =
      bash(fmt::format("cd '{}' && '{}' batch -q --format github '{}'", folder.path(), AMALTHEA_COMMAND, name));
  CHECK(batch.out == result.out);
}

TEST_CASE("github: a model that cannot be analyzed still yields commands") {
  const auto result = test::amalthea({"analyze", "-q", "--format", "github", test::sample("broken.amxmi")});
  CHECK(result.exit_code == 1);
  CHECK(result.out.starts_with("::"));
  CHECK(contains(result.out, "title=AM0203::"));
  CHECK(test::amalthea({"validate", "--format", "github", repaired}).out.empty());
}

TEST_CASE("batch: text and other formats need a verb that judges limits") {
  const auto text = test::amalthea({"batch", "-q", "--format", "text", shared_gpu, repaired});
  CHECK(text.exit_code == 1);
  CHECK(occurrences(text.out, "\n") == 1);
  CHECK(contains(text.out, "error: task \"Detection\" is missed"));
  CHECK(test::amalthea({"batch", "--verb", "explore", "--format", "junit", repaired}).exit_code == 2);
  const auto broken =
      test::amalthea({"batch", "--verb", "validate", "--fail-on", "missed", test::sample("broken.amxmi")});
  CHECK(broken.exit_code == 1);
  CHECK(contains(broken.out, "\"summary\":\"2 errors, "));
}

TEST_CASE("the pipeline for GitHub runs step by step and comments and fails for a missed deadline") {
  if (test::run({"git", "--version"}).exit_code != 0) test::skip("no git");
  if (test::run({"curl", "--version"}).exit_code != 0) test::skip("no curl");
  const std::vector<std::string> steps = steps_of("samples/ci/github.yml", true);
  REQUIRE(steps.size() == 5);
  for (const bool sound : {true, false}) {
    const MergeRequest request(sound ? shared_gpu : repaired, sound ? repaired : shared_gpu);
    const std::string settings = fmt::format(
        "mkdir -p '{0}/temp'; touch '{0}/path'\n"
        "export RUNNER_TEMP='{0}/temp' GITHUB_PATH='{0}/path' GITHUB_STEP_SUMMARY='{0}/summary' GITHUB_BASE_REF=main "
        "PULL_REQUEST=7\nPATH=$PATH:$(tr '\\n' : < '{0}/path')",
        request.path(""));
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto result = request.run(steps[i], settings);
      INFO(steps[i] << "\n" << result.out << result.err);
      const bool judges = contains(steps[i], "amalthea analyze");
      CHECK(result.exit_code == (judges && !sound ? 1 : 0));
      if (judges) CHECK(contains(result.out, "::error file=models/engine.amxmi,line=") == !sound);
    }
    CHECK(request.said() == "pr comment 7 --edit-last --create-if-none --body-file timing.md\n");
    CHECK(contains(request.written("timing.md"), "15 ms"));
    CHECK(test::read_text(request.path("summary")) == request.written("timing.md"));
    CHECK(contains(request.written("timing.html"), "id=\"headroom\""));
  }
}

TEST_CASE("the pipeline for GitLab runs step by step and comments and fails for a missed deadline") {
  if (test::run({"git", "--version"}).exit_code != 0) test::skip("no git");
  if (test::run({"curl", "--version"}).exit_code != 0) test::skip("no curl");
  const std::vector<std::string> steps = steps_of("samples/ci/gitlab.yml", false);
  REQUIRE(steps.size() == 15);
  for (const bool sound : {true, false}) {
    const MergeRequest request(sound ? shared_gpu : repaired, sound ? repaired : shared_gpu);
    // One shell runs the lines of a job; /tmp of the container is a folder of the test here.
    std::string judging, commenting;
    for (std::string step : steps) {
      for (auto at = step.find("/tmp/"); at != std::string::npos; at = step.find("/tmp/", at + 1))
        if (at == 0 || step[at - 1] == ' ' || step[at - 1] == '"') step.replace(at, 5, request.path("temp-"));
      (contains(judging, "timing.xml") ? commenting : judging) += step + "\n";
    }
    const std::string settings =
        "export CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main CI_MERGE_REQUEST_IID=7 CI_PROJECT_ID=3 "
        "CI_API_V4_URL=https://git.example.org/api/v4";
    const auto judged = request.run(judging, settings);
    INFO(judged.out << judged.err);
    CHECK(judged.exit_code == (sound ? 0 : 1));
    const auto commented = request.run(commenting, settings + " TIMING_TOKEN=secret");
    INFO(commented.out << commented.err);
    CHECK(commented.exit_code == 0);
    CHECK(contains(request.said(),
                   "--data-urlencode body@timing.md "
                   "https://git.example.org/api/v4/projects/3/merge_requests/7/notes"));
    CHECK(contains(request.written("timing.md"), "15 ms"));
    CHECK(contains(request.written("timing.html"), "id=\"headroom\""));
    CHECK(contains(request.written("timing.json"), "AM0542") == !sound);
    CHECK(contains(request.written("timing.xml"), sound ? "failures=\"0\"" : "failures=\"1\""));
  }
}

TEST_CASE("the pipelines run only what they name by its content and give no token to changes from forks") {
  if (test::run({"curl", "--version"}).exit_code != 0) test::skip("no curl");
  const std::string packages = test::read_text(in_repository("tools/make-packages"));
  CHECK(contains(packages, "name=amalthea-timing-$version-$(uname -m)\n"));
  for (const bool github : {true, false}) {
    const std::string file = github ? "samples/ci/github.yml" : "samples/ci/gitlab.yml";
    INFO(file);
    const std::string text = test::read_text(in_repository(file));
    CHECK(contains(text, "/amalthea-timing-0.1.0-x86_64.tar.gz\n"));
    for (auto at = text.find("uses: "); at != std::string::npos; at = text.find("uses: ", at + 1)) {
      const std::string action = text.substr(at, text.find('\n', at) - at);
      const std::string commit = action.substr(action.find('@') + 1);
      CHECK(commit.find_first_not_of("0123456789abcdef") == 40);
      CHECK(contains(commit, " # v"));
    }
    // The token is in the job of comments alone, which has none of the commands.
    const std::size_t job = text.find("\n" + std::string(github ? "  " : "") + "comment:\n");
    REQUIRE(job != std::string::npos);
    const std::string rest = text.substr(job);
    CHECK(contains(rest, github ? "head.repo.full_name == github.repository" : "SOURCE_PROJECT_ID == $CI_PROJECT_ID"));
    CHECK(occurrences(text, github ? "pull-requests: write" : "$TIMING_TOKEN") == 1);
    CHECK(occurrences(rest, github ? "pull-requests: write" : "$TIMING_TOKEN") == 1);
    CHECK_FALSE(contains(rest, "amalthea "));
    CHECK_FALSE(contains(rest, "$MODEL"));
    // What was exchanged on the way is not unpacked.
    std::string install;
    for (const std::string& step : steps_of(file, github))
      if (contains(step, "amalthea.tar.gz") || contains(step, "mkdir")) install += step + "\n";
    const MergeRequest request(repaired, repaired);
    for (auto at = install.find("/tmp/"); at != std::string::npos; at = install.find("/tmp/", at + 1))
      install.replace(at, 5, request.path("temp-"));
    const std::string settings =
        fmt::format("mkdir -p '{0}/temp'; export RUNNER_TEMP='{0}/temp' GITHUB_PATH='{0}/path'", request.path(""));
    CHECK(request.run(install, settings).exit_code == 0);
    CHECK(request.run(install, settings + "\nexport AMALTHEA_SHA256=" + std::string(64, '0')).exit_code != 0);
  }
}

TEST_CASE("the pre-commit hooks accept sound models and refuse others") {
  const std::string text = test::read_text(in_repository(".pre-commit-hooks.yaml"));
  std::vector<std::string> entries;
  for (auto at = text.find("  entry: amalthea "); at != std::string::npos; at = text.find("  entry: amalthea ", at + 1))
    entries.push_back(text.substr(at + 18, text.find('\n', at) - at - 18));
  REQUIRE(entries.size() == 2);
  for (const char* key : {"- id: ", "  name: ", "  language: system\n", "  files: \\.amxmi$\n"})
    CHECK(occurrences(text, key) == entries.size());
  const auto hook = [](const std::string& entry, const std::string& files) {
    return bash(fmt::format("'{}' {} {}", AMALTHEA_COMMAND, entry, files));
  };
  const std::string broken = test::sample("broken.amxmi");
  for (const std::string& entry : entries) {
    INFO(entry);
    const auto sound = hook(entry, repaired + " " + test::sample("offload-minimal.amxmi"));
    CHECK(sound.exit_code == 0);
    CHECK(sound.out.empty());
    CHECK(sound.err.empty());
    const auto refused = hook(entry, repaired + " " + broken);
    CHECK(refused.exit_code == 1);
    CHECK(contains(refused.out, broken + ":9:61: error: "));
  }
  CHECK(hook(entries[0], shared_gpu).exit_code == 0);
  CHECK(hook(entries[1], shared_gpu).exit_code == 1);
}

}  // namespace pipelines_test
