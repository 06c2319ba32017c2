// SPDX-License-Identifier: Apache-2.0
// The WATERS 2019 model, in the four versions of the data set MobSTr, and all other models since 0.9.2.

#include <set>

#include <fmt/core.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "amalthea/metamodel.hpp"
#include "tests/migration/converted.hpp"
#include "tests/support/corpus_index.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/test_models.hpp"

using nlohmann::json;

namespace {

constexpr const char* models[] = {"0.9.8/ChallengeModel_release_fix.amxmi",
                                  "0.9.9/waters-challenge-2019.amxmi",
                                  "1.0.0/mobstr.amxmi",
                                  "2.0.0/mobstr.amxmi",
                                  "1.0.0/mobstr-mapped.amxmi",
                                  "2.0.0/mobstr-mapped.amxmi"};

/// The only difference that remains: AMALTHEA's own migration writes a text about the algorithm into its definition.
/// It is prose, not part of what the older model says.
bool only_the_description(const std::vector<std::string>& differences) {
  for (const std::string& line : differences)
    if (line.find("/osModel/schedulerDefinitions.0 @description") == std::string::npos) return false;
  return differences.size() <= 2;
}

}  // namespace

TEST_CASE("four versions of the WATERS 2019 model convert to the same model of 3.3.0") {
  const std::string corpus = test::corpus_folder();
  const auto converted = [&](const char* name) {
    auto result = test::convert_files({fmt::format("{}/mobstr/{}", corpus, name)}, "3.3.0");
    REQUIRE(result.done);
    for (const auto& diagnostic : result.diagnostics.all()) CHECK(diagnostic.id != "AM0701");
    return result;
  };
  const auto first = converted(models[0]);
  CHECK(first.dump == converted(models[1]).dump);
  CHECK(first.dump == converted(models[2]).dump);
  CHECK(only_the_description(test::differences(first.dump, converted(models[3]).dump)));
  // The mapped variant has priorities of its own.
  CHECK(only_the_description(test::differences(converted(models[4]).dump, converted(models[5]).dump)));
}

TEST_CASE("scheduler definitions match those of AMALTHEA's own migration") {
  const std::string corpus = test::corpus_folder();
  for (const char* name : {"mobstr.amxmi", "mobstr-mapped.amxmi"}) {
    INFO(name);
    const auto converted = test::convert_files({fmt::format("{}/mobstr/1.0.0/{}", corpus, name)}, "2.0.0");
    const auto reference = test::dump_of({fmt::format("{}/mobstr/2.0.0/{}", corpus, name)});
    CHECK(only_the_description(test::differences(converted.dump, reference)));
  }
}

TEST_CASE("the WATERS 2019 model survives a round trip to 0.9.3") {
  const std::string corpus = test::corpus_folder();
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/older.amxmi";
  for (const char* name : models) {
    const std::string original = fmt::format("{}/mobstr/{}", corpus, name);
    const auto newest = test::convert_files({original}, "3.3.0");
    for (const char* version : {"0.9.3", "0.9.5", "1.2.0"}) {
      INFO(name << " " << version);
      const auto older = test::convert_files({original}, version);
      REQUIRE(older.done);
      test::write_text(path, older.text());
      CHECK(only_the_description(test::differences(test::convert_files({path}, "3.3.0").dump, newest.dump)));
    }
  }
}

TEST_CASE("a democar of 0.9.7 equals that of 0.9.5 with the added mapping") {
  const std::string corpus = test::corpus_folder();
  const auto converted =
      test::convert_files({corpus + "/app4mc/0.9.5/examples/app4mc.example.democar/democar.amxmi"}, "0.9.7");
  const auto reference = test::dump_of({corpus + "/amaltheatorcm/0.9.7/democar.amxmi"});
  for (const std::string& line : test::differences(converted.dump, reference)) {
    INFO(line);
    CHECK(line.starts_with("+ /mappingModel"));
  }
}

TEST_CASE("models since 0.9.2 convert to models of 3.3.0 that EMF accepts and lose only measurements", "[emf]") {
  const std::string corpus = test::corpus_folder();
  test::EmfBatch emf;
  std::vector<std::string> arguments = {test::EmfBatch::ecore(amalthea::Version::v3_3_0)};
  std::size_t count = 0;
  for (const auto& model : test::indexed_models(corpus)) {
    if (model.version < amalthea::Version::v0_9_2 || model.judged == "structure-errors") continue;
    INFO(model.path);
    const auto converted = test::convert_files({model.path}, "3.3.0");
    REQUIRE(converted.done);
    for (const auto& diagnostic : converted.diagnostics.all())
      if (diagnostic.id == "AM0701") CHECK(diagnostic.message.find("measurementModel") != std::string::npos);
    arguments.push_back(fmt::format("{}/{}.amxmi", emf.folder(), ++count));
    test::write_text(arguments.back(), converted.text());
  }
  arguments.push_back("--errors");
  const std::size_t question = emf.ask(arguments);
  emf.run();
  const json answer = json::parse(emf.answer(question));
  CHECK(answer["errors"].empty());
  CHECK(answer["crossReferences"]["unresolvedLocal"] == 0);
}
