// SPDX-License-Identifier: Apache-2.0
// Models with objects of every class, with random content, migrated from 0.8.2, 0.8.3, 0.9.0 and 0.9.1 to 0.9.2.

#include <filesystem>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "importer/reading/model_reader.hpp"
#include "migration/detail/leftovers.hpp"
#include "migration/migration.hpp"
#include "tests/migration/converted.hpp"
#include "tests/support/emf_batch.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_models.hpp"

namespace every_class_0_9_test {

using namespace amalthea;

TEST_CASE("a model with every class of 0.8.2 to 0.9.1 converts to a readable model of 0.9.2") {
  for (const Version from : {Version::v0_8_2, Version::v0_8_3, Version::v0_9_0, Version::v0_9_1})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      INFO(to_string(from) << ", seed " << seed);
      EditableModel model;
      test::fill_with_random_model(model, from, seed);
      Diagnostics diagnostics;
      migration::Record record(diagnostics);
      REQUIRE(migration::migrate(model, from, Version::v0_9_2, record, diagnostics));
      Diagnostics obstacles;
      const std::size_t count = migration::find_obstacles(model, Version::v0_9_2, obstacles);
      for (const Diagnostic& obstacle : obstacles.all()) UNSCOPED_INFO(format(obstacle) << " | " << obstacle.path);
      CHECK(count == 0);
      std::vector<importer::NamedBytes> files;
      for (const EditableModel::File& file : model.files())
        files.push_back({file.path, migration::write(*file.root, Version::v0_9_2)});
      Diagnostics findings;
      CHECK(importer::read_model_from_bytes(std::move(files), {}, findings));
    }
}

TEST_CASE("EMF accepts converted models with every class", "[emf]") {
  test::EmfBatch emf;
  for (const Version from : {Version::v0_8_2, Version::v0_8_3, Version::v0_9_0, Version::v0_9_1}) {
    INFO(to_string(from));
    EditableModel model;
    test::fill_with_random_model(model, from, 11);
    Diagnostics diagnostics;
    migration::Record record(diagnostics);
    REQUIRE(migration::migrate(model, from, Version::v0_9_2, record, diagnostics));
    std::vector<std::string> files;
    for (const EditableModel::File& file : model.files()) {
      files.push_back(fmt::format("{}/{}-{}", emf.folder(), to_string(from), file.path));
      test::write_text(files.back(), migration::write(*file.root, Version::v0_9_2));
    }
    emf.expect_accepted(Version::v0_9_2, files);
  }
  emf.run();
}

TEST_CASE("EMF accepts converted examples of APP4MC", "[emf]") {
  const std::string history = test::corpus_folder("/app4mc/history/");
  test::EmfBatch emf;
  std::vector<std::string> files;
  for (const char* const from : {"0.8.2", "0.8.3", "0.9.0", "0.9.1"})
    for (const auto& file : std::filesystem::directory_iterator(history + from)) {
      const auto converted = test::convert_files({file.path().string()}, "0.9.2");
      files.push_back(fmt::format("{}/{}-{}", emf.folder(), from, file.path().filename().string()));
      test::write_text(files.back(), converted.text());
    }
  emf.expect_accepted(Version::v0_9_2, files);
  emf.run();
}

}  // namespace every_class_0_9_test
