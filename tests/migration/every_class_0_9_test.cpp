// Models with objects of every class, with random content, on their way from 0.8.2, 0.8.3, 0.9.0 and 0.9.1 to 0.9.2.


#include <catch2/catch.hpp>
#include <fmt/core.h>

#include "importer/model_reader.hpp"
#include "migration/leftovers.hpp"
#include "migration/migration.hpp"
#include "tests/support/random_model.hpp"

using namespace amalthea;

TEST_CASE("a model with every class of 0.8.2 to 0.9.1 is one of 0.9.2 afterwards, and can be read as such") {
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
