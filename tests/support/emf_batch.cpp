// SPDX-License-Identifier: Apache-2.0
#include "tests/support/emf_batch.hpp"

#include <cstdlib>
#include <filesystem>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/skip.hpp"

namespace test {
namespace {

const std::string class_path =
    "/usr/share/java/eclipse-emf-common.jar:/usr/share/java/eclipse-emf-ecore.jar:"
    "/usr/share/java/eclipse-emf-ecore-xmi.jar";

}  // namespace

EmfBatch::EmfBatch() {
  const char* chosen = std::getenv("AMALTHEA_EMF");
  judge_ = std::string(chosen != nullptr ? chosen : AMALTHEA_SOURCE_DIR "/../shared/emf") + "/EmfOracle.java";
  for (const std::string& needed :
       {judge_, std::string("/usr/share/java/eclipse-emf-ecore-xmi.jar"), std::string("/usr/bin/javac")})
    if (!std::filesystem::exists(needed)) skip("no Eclipse EMF (AMALTHEA_EMF)");
  metamodel_folder();
}

std::string EmfBatch::ecore(amalthea::Version version) {
  return fmt::format("{}/amalthea-{}.ecore", metamodel_folder(), to_string(version));
}

std::size_t EmfBatch::ask(std::vector<std::string> arguments) {
  questions_.push_back(std::move(arguments));
  return questions_.size() - 1;
}

void EmfBatch::expect_accepted(amalthea::Version version, std::vector<std::string> files) {
  files.insert(files.begin(), ecore(version));
  files.emplace_back("--errors");
  expected_to_be_accepted_.push_back(ask(std::move(files)));
}

void EmfBatch::run() {
  std::string lines;
  for (std::size_t i = 0; i < questions_.size(); ++i) {
    lines += fmt::format("{}/{}.answer", folder_.path(), i);
    for (const std::string& argument : questions_[i]) lines.append("\t").append(argument);
    lines += '\n';
  }
  const std::string list = folder_.path() + "/questions";
  write_text(list, lines);
  const auto compiled = test::run({"javac", "-nowarn", "-encoding", "UTF-8", "-cp", class_path, "-d", folder_.path(),
                                   judge_, AMALTHEA_SOURCE_DIR "/tests/support/EmfBatch.java"});
  INFO(compiled.err);
  REQUIRE(compiled.exit_code == 0);
  const auto answered = test::run({"java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
                                   class_path + ":" + folder_.path(), "EmfBatch", list});
  INFO(answered.err);
  REQUIRE(answered.exit_code == 0);
  for (const std::size_t question : expected_to_be_accepted_) {
    INFO(questions_[question][1] << "\n" << answer(question).substr(0, 3000));
    CHECK_THAT(answer(question), Catch::Contains("\"errors\": {}") &&
                                     Catch::Contains("\"unresolvedLocal\": 0, \"unresolvedProxies\": 0"));
  }
}

std::string EmfBatch::answer(std::size_t question) const {
  return read_text(fmt::format("{}/{}.answer", folder_.path(), question));
}

}  // namespace test
