// SPDX-License-Identifier: Apache-2.0
#include "tests/support/emf_batch.hpp"

#include <filesystem>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "tests/support/run_command.hpp"

namespace test {
namespace {

const std::string class_path =
    "/usr/share/java/eclipse-emf-common.jar:/usr/share/java/eclipse-emf-ecore.jar:"
    "/usr/share/java/eclipse-emf-ecore-xmi.jar";

}  // namespace

std::string EmfBatch::ecore(amalthea::Version version) {
  return fmt::format("{}/amalthea-{}.ecore", *metamodel_folder(), to_string(version));
}

bool EmfBatch::available() {
  const bool here = emf_judge() && metamodel_folder() && std::filesystem::exists("/usr/bin/javac");
  if (!here) WARN("skipped: no EMF judge, no metamodels or no Java compiler");
  return here;
}

std::size_t EmfBatch::ask(std::vector<std::string> arguments) {
  questions_.push_back(std::move(arguments));
  return questions_.size() - 1;
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
  const std::string judge = std::filesystem::path(*emf_judge()).parent_path().string() + "/EmfOracle.java";
  const auto compiled = test::run({"javac", "-nowarn", "-encoding", "UTF-8", "-cp", class_path, "-d", folder_.path(),
                                   judge, AMALTHEA_SOURCE_DIR "/tests/support/EmfBatch.java"});
  INFO(compiled.err);
  REQUIRE(compiled.exit_code == 0);
  const auto answered = test::run({"java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
                                   class_path + ":" + folder_.path(), "EmfBatch", list});
  INFO(answered.err);
  REQUIRE(answered.exit_code == 0);
}

std::string EmfBatch::answer(std::size_t question) const {
  return read_text(fmt::format("{}/{}.answer", folder_.path(), question));
}

}  // namespace test
