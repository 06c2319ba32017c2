// SPDX-License-Identifier: Apache-2.0
// Random systems as models: the importer gives back what was written.

#include <exception>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "importer/reading/conformance.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/random_system.hpp"
#include "tests/support/system_file.hpp"
#include "tests/support/test_models.hpp"
#include "tests/support/thoroughness.hpp"

namespace system_file_test {

using namespace amalthea;
using namespace test;

TEST_CASE("a random system written as a model is read back as the same system") {
  PairedSystems paired(41);
  std::map<std::string, int> changed;
  for (std::size_t at = 0; at < times(paired.pairs()); ++at) {
    const RandomSystem drawn = paired.next();
    const Modelled modelled = as_modelled(drawn.system);
    for (const std::string& what : modelled.changed) ++changed[what];
    INFO(at);
    const std::string text =
        model_of(drawn.system, {at % 2 == 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(at))});
    std::string difference;
    try {
      difference = first_difference(modelled.system, system_of(text));
    } catch (const std::exception& error) {
      difference = error.what();
    }
    INFO(difference << "\n" << text);
    REQUIRE(difference.empty());
  }
  std::string list;
  for (const auto& [what, count] : changed) list += fmt::format("{} ({}), ", what, count);
  WARN("no model can say: " << list);
  CHECK(changed.size() <= 1);
}

TEST_CASE("the model of a random system conforms to the metamodel") {
  PairedSystems paired(42);
  for (std::size_t at = 0; at < times<std::size_t>(100); ++at) {
    const std::string text = model_of(paired.next().system);
    Diagnostics diagnostics;
    const Model model = model_from_text(text, diagnostics);
    importer::check_conformance(model, diagnostics);
    INFO(text);
    REQUIRE(messages(diagnostics) == std::vector<std::string>{});
  }
}

TEST_CASE("EMF reads the models of random systems", "[emf]") {
  PairedSystems paired(43);
  EmfBatch emf;
  for (int at = 0; at < times(50); ++at) {
    const std::string path = fmt::format("{}/{}.amxmi", emf.folder(), at);
    write_text(path, model_of(paired.next().system));
    emf.expect_accepted(Version::v3_3_0, {path});
  }
  emf.run();
}

TEST_CASE("two systems differ in their first different fact") {
  std::mt19937 random(1);
  const System system = random_system(random, {all_features(), features_of({SystemFeature::deadline}), 8}).system;
  System changed = system;
  CHECK(first_difference(system, changed).empty());
  changed.tasks.front().priority = 77;
  CHECK_THAT(first_difference(system, changed), Catch::Contains("priority 77"));
  changed = system;
  changed.stimuli.front().sets.push_back({0, 1});
  CHECK_THAT(first_difference(system, changed),
             Catch::Contains("wanted: nothing more\nfound:  stimulus stimulus0: sets"));
}

TEST_CASE("a model with ISRs and no task is analyzed") {
  std::mt19937 random(1);
  System system = random_system(random, {features_of({SystemFeature::periodic}), {}, 8}).system;
  for (Task& task : system.tasks) task.kind = ProcessKind::isr_category2;
  CHECK(first_difference(as_modelled(system).system, system_of(model_of(system))).empty());
}

}  // namespace system_file_test
