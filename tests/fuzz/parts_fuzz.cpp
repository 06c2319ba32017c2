// SPDX-License-Identifier: Apache-2.0
// Results that come back: parts and checkpoints of simulations and searches, baselines of reports. Each is refused with
// a reason, or is written again as the same text each time.

#include "exporter/exploration/walk_parts.hpp"
#include "exporter/report/report.hpp"
#include "exporter/results/run_parts.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace amalthea;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  if (const auto runs = exporter::parse_run_part(text)) {
    const std::string written = exporter::render_run_part(*runs);
    const auto again = exporter::parse_run_part(written);
    fuzz::require(again && exporter::render_run_part(*again) == written);
  } else {
    fuzz::require(!runs.error().empty());
  }
  for (const std::size_t tasks : {std::size_t{1}, std::size_t{6}}) {
    const auto walks = exporter::parse_walk_part(text, tasks);
    if (!walks) {
      fuzz::require(!walks.error().empty());
      continue;
    }
    const std::string written = exporter::render_walk_part(*walks);
    const auto again = exporter::parse_walk_part(written, tasks);
    fuzz::require(again && exporter::render_walk_part(*again) == written);
  }
  const auto baseline = exporter::read_baseline("baseline", text);
  fuzz::require(baseline.has_value() || !baseline.error().empty());
  return 0;
}
