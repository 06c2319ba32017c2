// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "exporter/models/model_dump.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

TEST_CASE("info --dump prints only the canonical dump and findings go to standard error") {
  const std::string path = test::sample("offload-minimal.amxmi");
  amalthea::Diagnostics diagnostics;
  const auto model = test::model_from_file(path, diagnostics);
  const auto result = test::amalthea({"info", "--dump", path});
  CHECK(result.out == amalthea::exporter::dump_model(model));
  CHECK(result.exit_code == 0);

  const test::TemporaryFolder folder;
  const std::string broken = folder.path() + "/broken.amxmi";
  const std::string from = "stimuli=\"";
  test::write_text(broken, test::replaced(test::read_text(path), from, from + "Gone?type=PeriodicStimulus "));
  const auto found = test::amalthea({"info", "--dump", broken});
  CHECK(found.out.starts_with("!unresolved Gone?type=PeriodicStimulus\n/ : Amalthea\n"));
  CHECK(found.err.find("AM0203") != std::string::npos);
  CHECK(found.exit_code == 1);

  const auto missing = test::amalthea({"info", "--dump", folder.path() + "/missing.amxmi"});
  CHECK(missing.out.empty());
  CHECK(missing.exit_code == 2);
}
