// SPDX-License-Identifier: Apache-2.0
// The WATERS 2019 industrial challenge as published: the findings of a review.

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "review/review.hpp"
#include "tests/support/test_models.hpp"

namespace waters_test {

using namespace amalthea;

namespace {

/// Whether some finding with the id has all the texts in its message.
bool tells(const Diagnostics& diagnostics, std::string_view id, const std::vector<std::string>& texts) {
  for (const Diagnostic& finding : test::with_id(diagnostics, id)) {
    bool all = true;
    for (const std::string& text : texts) all = all && finding.message.find(text) != std::string::npos;
    if (all) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("the original challenge model: all known mistakes are found") {
  const std::string folder = test::corpus_folder();
  Diagnostics diagnostics;
  const Model model = test::model_from_file(folder + "/mobstr/0.9.8/ChallengeModel_release_fix.amxmi", diagnostics);
  review::review_model(model, diagnostics);
  for (const Diagnostic& finding : diagnostics.all()) UNSCOPED_INFO(format(finding));

  // 1. The GPU is asked for 0.239 + 0.310 + 0.414 + 0.580 of its time.
  CHECK(tells(diagnostics, "AM0601",
              {"execution engine of \"GP10B\"", "154.4 %", "SFM 23.9 %", "Localization 31.0 %", "Lane_detection 41.4 %",
               "Detection 58.0 %"}));
  // 2. Deadlines of lane detection and detection.
  CHECK(tells(diagnostics, "AM0603", {"PRE_Lane_detection_gpu_POST", "PRE_Detection_gpu_POST", "66 ms", "200 ms"}));
  // 3. Three tasks of the A57 scheduler on a Denver core.
  CHECK(test::with_id(diagnostics, "AM0525").size() == 3);
  for (const char* task : {"OS_Overhead", "DASM", "CANbus_polling"})
    CHECK(tells(diagnostics, "AM0525", {task, "Core0", "Scheduler_A57"}));
  // 4. That scheduler itself is executed there.
  CHECK(test::with_id(diagnostics, "AM0610").size() == 1);
  CHECK(tells(diagnostics, "AM0610", {"Scheduler_A57", "Core0", "Scheduler_Denver"}));
  // 5. Every priority is 1.
  CHECK(test::with_id(diagnostics, "AM0612").size() == 2);  // the cores with several tasks
  CHECK(tells(diagnostics, "AM0612", {"3 tasks on \"Core0\"", "priority 1"}));
  CHECK(tells(diagnostics, "AM0612", {"2 tasks on \"Core5\"", "priority 1"}));
  // 6. A label without accesses.
  CHECK(test::with_id(diagnostics, "AM0620").size() == 1);
  CHECK(tells(diagnostics, "AM0620", {"NN_weights"}));
  // 7. The result overwrites the input.
  CHECK(test::with_id(diagnostics, "AM0623").size() == 1);
  CHECK(tells(diagnostics, "AM0623", {"SFM_Postprocessing", "Image_SFM_host"}));
  // 8. The planner is too slow for 12 ms on any core.
  CHECK(tells(diagnostics, "AM0602", {"Planner", "its deadline is 12 ms", "no other core is fast enough"}));
}

}  // namespace waters_test
